"""The end token that transformers reads from the files beside a tokenizer.json: golden/vectors/ends.json.

A case is the tokenizer's special tokens, which have the ids from 256 on after one for each byte, and the files beside it.
"""
import json
import tempfile
import warnings
from pathlib import Path

import io_json
from tokenizer_cases import byte_letters

FIRST_SPECIAL = 256
CHATML = ['<|endoftext|>', '<|im_start|>', '<|im_end|>']
CONFIG, MAP = 'tokenizer_config.json', 'special_tokens_map.json'


def described(content):
    return {'content': content, 'lstrip': False, 'normalized': False, 'rstrip': False, 'single_word': False, 'special': True}


def typed(content):
    return {'__type': 'AddedToken', **described(content)}


LISTED = {str(FIRST_SPECIAL + n): described(content) for n, content in enumerate(CHATML)}

CASES = [
    (CHATML, {CONFIG: {'eos_token': '<|im_end|>'}}),
    (CHATML, {CONFIG: {'eos_token': typed('<|im_end|>')}}),
    (CHATML, {CONFIG: {'eos_token': None}}),
    (CHATML, {CONFIG: {}}),
    (CHATML, {CONFIG: {}, MAP: {'eos_token': '<|im_end|>'}}),
    (CHATML, {CONFIG: {}, MAP: {'eos_token': described('<|im_end|>')}}),
    (CHATML, {CONFIG: {'eos_token': None}, MAP: {'eos_token': '<|im_end|>'}}),
    (CHATML, {CONFIG: {'eos_token': '<|endoftext|>'}, MAP: {'eos_token': '<|im_end|>'}}),
    (CHATML, {CONFIG: {'eos_token': '<|endoftext|>'}, MAP: {'eos_token': None}}),
    (CHATML, {CONFIG: {'eos_token': '<|endoftext|>'}, MAP: {'pad_token': '<|im_end|>'}}),
    (CHATML, {CONFIG: {'eos_token': '<|endoftext|>', 'added_tokens_decoder': LISTED}, MAP: {'eos_token': '<|im_end|>'}}),
    (CHATML, {CONFIG: {'added_tokens_decoder': LISTED}, MAP: {'eos_token': '<|im_end|>'}}),
    (CHATML, {CONFIG: {'bos_token': '<|endoftext|>', 'eos_token': '<|endoftext|>', 'pad_token': '<|endoftext|>'}}),
    (CHATML, {CONFIG: {'eos_token': '<|gone|>'}}),
    (CHATML, {CONFIG: {'eos_token': 'AB'}}),
    (['<unk>'], {CONFIG: {'unk_token': '<unk>', 'eos_token': '<unk>'}}),
    ([], {CONFIG: {}}),
    ([], {CONFIG: {'eos_token': '</s>'}}),
]


def tokenizer(specials):
    step = {'type': 'ByteLevel', 'add_prefix_space': False, 'trim_offsets': True, 'use_regex': True}
    added = [{'id': FIRST_SPECIAL + n, **described(content)} for n, content in enumerate(specials)]
    return {'version': '1.0', 'truncation': None, 'padding': None, 'added_tokens': added, 'normalizer': None, 'pre_tokenizer': step, 'post_processor': None, 'decoder': step,
            'model': {'type': 'BPE', 'vocab': {letter: b for b, letter in byte_letters().items()}, 'merges': []}}


def outcome(specials, files):
    from transformers import PreTrainedTokenizerFast

    with tempfile.TemporaryDirectory() as directory:
        for name, content in {'tokenizer.json': tokenizer(specials), **files}.items():
            (Path(directory) / name).write_text(json.dumps(content))
        read = PreTrainedTokenizerFast.from_pretrained(directory)
        return {'eos_token': read.eos_token, 'eos_token_id': read.eos_token_id}


def main():
    warnings.filterwarnings('ignore')
    cases = [{'special_tokens': specials, 'files': files, **outcome(specials, files)} for specials, files in CASES]
    io_json.write_vectors('ends.json', {
        'format': 'cases: a tokenizer of the bytes 0 to 255 and special_tokens from 256 on, and the files beside it; what transformers takes for its end. '
                  'A token that the tokenizer does not have is added to it, with the next id.',
        'cases': cases,
    }, packages=('transformers', 'tokenizers'), made_by='ends.py')


if __name__ == '__main__':
    main()
