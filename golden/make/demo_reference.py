"""What transformers, tokenizers and numerics.py make of the demo model: its reference.json and reference.safetensors, as the tiny
models have them (models.py), and golden/vectors/demo-tokenizer.json. The model itself is demo_model.py's.
"""
from pathlib import Path

from tokenizers import Tokenizer

import greedy
import io_json
import numerics
import tensor_file
from models import relative_error

MODEL = io_json.GOLDEN / 'models' / 'demo'
PACKAGES = ('numpy', 'torch', 'transformers', 'tokenizers', 'safetensors')
STEPS = 32
LEAST_LARGEST_LOGIT = 10.0
PROMPTS = (
    'It is a truth universally acknowledged,',
    'Emma was',
    'Mr. Darcy looked at',
    '"My dear Mr. Bennet,"',
)
TEXTS = (
    '',
    ' ',
    '    ',
    '\n',
    '\n\n\n',
    '\t\r\n \t',
    'Emma',
    ' Emma',
    'emma EMMA eMmA',
    'It is a truth universally acknowledged, that a single man in possession of a good fortune, must be in want of a wife.',
    'two  spaces,   three;\nand a line\n  with a margin  \n',
    "I'm, you're, he's, we'll, they've, I'd, don't; I'M, 's 't ' '' s'",
    '"Oh!" cried she--"_You_?"',
    '0123456789 3.14159 1,000,000 -1e-5 0x7f',
    'naïve café Straße Œuvre £5',
    'nai\u0308ve cafe\u0301 e\u0301\u0323\u0330',
    'Ελληνικά Русский עברית العربية हिन्दी ไทย',
    '日本語の文章。中文,한국어',
    '😀',
    'a👩‍👩‍👧‍👦b🏳️‍🌈c🇫🇷d👍🏽',
    '𝔘𝔫𝔦𝔠𝔬𝔡𝔢 𐍈 \U0010ffff',
    '\ufffd\ufffd?',
    '\ufeffmark first',
    '\x00\x01\x1b[31m\x7f\x85',
    'no\u00a0break\u2009thin\u200bzero\u3000wide\u2028line',
    'ﬁ ﬀ Å Å ½ ² ①',
    '\u0301alone',
    '<|endoftext|>',
    'The end.<|endoftext|>It began',
    ' <|endoftext|> <|endoftext|><|endoftext|>',
    '<|endoftext|',
    '<|ENDOFTEXT|> <s> </s> [INST] <|im_start|>',
    'for (int i = 0; i < n; ++i) { a[i] *= 2; } // ok?',
    'https://example.org/a?b=c&d=%20#e',
    '\\n \\u0041 \\\\ " \' ` ~ ^ | @ # $ % &',
    'Donaudampfschifffahrtsgesellschaftskapitän',
    'a' * 1500,
    'very ' * 400,
    ' ' * 300 + 'x',
)


def write_reference():
    reference = greedy.Reference(MODEL)
    prompts, tensors = [], {}
    for n, text in enumerate(PROMPTS):
        prompt = reference.continuation(text, STEPS)
        tokens = prompt['tokens']
        hf = reference.last_row(tokens)
        tensors[f'p{n}.hf_logits'] = ('F32', hf)
        for kv, tolerance in (('f16', 1e-3), ('f32', 1e-5)):
            ours = numerics.logits(MODEL, tokens, kv)[-1:]
            error = relative_error(ours, hf)
            assert error <= tolerance, (text, kv, error)
            tensors[f'p{n}.logits_{kv}'] = ('F32', ours)
        prompts.append({**prompt, 'first_row': len(tokens) - 1})
        print(f'{prompt["compared"]:3} of {STEPS}: {text!r} {prompt["greedy_text"]!r}', flush=True)
    assert reference.largest_logit >= LEAST_LARGEST_LOGIT, reference.largest_logit
    io_json.write(MODEL / 'reference.json', {
        'made_by': f'golden/make/{Path(__file__).name}', 'made_with': io_json.made_with(PACKAGES),
        'largest_logit': round(reference.largest_logit, 3), 'compared_share': greedy.compared_share(prompts), 'prompts': prompts})
    tensor_file.write(MODEL / 'reference.safetensors', tensors)
    return reference.tokenizer


def write_tokenizer_vectors(tokenizer):
    """`tokens` is tokenizer(text).input_ids; they decode to `text`, and without special tokens to `plain_text`. Of characters cut
    between their tokens, `text` is what either part decodes to."""
    alone, encoded = Tokenizer.from_file(str(MODEL / 'tokenizer.json')), []
    for text in TEXTS:
        tokens = tokenizer(text).input_ids
        assert tokens == alone.encode(text).ids and alone.decode(tokens, skip_special_tokens=False) == text
        assert tokenizer.decode(tokens) == text
        encoded.append({'text': text, 'tokens': tokens, 'plain_text': tokenizer.decode(tokens, skip_special_tokens=True)})
    cut = []
    for text in ('é', '日本', '😀', 'a😀b'):
        tokens = tokenizer(text).input_ids
        cut += [{'tokens': part, 'text': tokenizer.decode(part)} for end in range(1, len(tokens)) for part in (tokens[:end], tokens[end:])]
    assert any('\ufffd' in case['text'] for case in cut)
    io_json.write_vectors('demo-tokenizer.json', {
        'model': 'golden/models/demo', 'encoded': encoded, 'cut_characters': cut}, PACKAGES, Path(__file__).name)


def main():
    write_tokenizer_vectors(write_reference())


if __name__ == '__main__':
    main()
