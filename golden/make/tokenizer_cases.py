"""What transformers makes of a tokenizer.json and the files beside it: golden/vectors/tokenizer-cases.json.

    python tokenizer_cases.py                   with transformers 5
    python tokenizer_cases.py --transformers4   with transformers 4.57: golden/vectors/tokenizer-cases-4.json, of Llama's tokenizers alone

A base is a small tokenizer.json. A case is a base, other added tokens in its place if `added_tokens` is there, the files beside it, and either texts with their ids, and
what the ids decode to with and without special tokens; or null, where transformers raises an error. `class` is what transformers loaded.
A continuation is a prompt's ids, further ids, and what those add to the prompt's text.
"""
import json
import logging
import random
import sys
import tempfile
import warnings
from pathlib import Path

import io_json

SPACE = '▁'
WORDS = ('he', 'll', 'hell', 'hello', SPACE + 'a', SPACE + 'b', SPACE + 'hello', 'Paris', SPACE + 'Paris')
TOKENS = ('<|im_start|>', '<|im_end|>', '<pad>', '[X]', 'hello', 'Zoé', ' mid ', 'qq')
NAMES = ('bos_token', 'eos_token', 'unk_token', 'pad_token', 'mask_token', 'image_token')
MODEL_TYPE = {'model_type': 'llama'}
OWN = {'tokenizer_class': 'PreTrainedTokenizerFast'}


def token(content, **flags):
    return {'content': content, 'single_word': False, 'lstrip': False, 'rstrip': False, 'normalized': False, 'special': True, **flags}


def typed(content, **flags):
    return {'__type': 'AddedToken', **token(content, **flags)}


def added(**ids):
    return [{'id': i, **token(content)} for content, i in ids.items()]


def byte_letters():
    """GPT-2's letter for each byte."""
    plain = [b for b in range(256) if 33 <= b <= 126 or 161 <= b <= 172 or b >= 174]
    rest = [b for b in range(256) if b not in plain]
    return {**{b: chr(b) for b in plain}, **{b: chr(256 + n) for n, b in enumerate(rest)}}


def with_words(vocabulary, words):
    """The vocabulary with these words and all their beginnings, and the merges that make them."""
    merges = []
    for word in words:
        for n in range(1, len(word)):
            merge = (word[:n], word[n])
            if merge not in merges:
                merges.append(merge)
            vocabulary.setdefault(word[:n + 1], len(vocabulary))
    return vocabulary, [f'{a} {b}' for a, b in merges]


def tokenizer(vocabulary, merges, added_tokens, normalizer, pre_tokenizer, decoder, byte_fallback, bos):
    template = [{'SpecialToken': {'id': '<s>', 'type_id': 0}}] * bos + [{'Sequence': {'id': 'A', 'type_id': 0}}]
    post = {'type': 'TemplateProcessing', 'single': template, 'pair': template + [{'Sequence': {'id': 'B', 'type_id': 1}}],
            'special_tokens': {'<s>': {'id': '<s>', 'ids': [vocabulary['<s>']], 'tokens': ['<s>']}}}
    return {'version': '1.0', 'truncation': None, 'padding': None, 'added_tokens': added_tokens, 'normalizer': normalizer, 'pre_tokenizer': pre_tokenizer,
            'post_processor': post, 'decoder': decoder,
            'model': {'type': 'BPE', 'dropout': None, 'unk_token': '<unk>' if byte_fallback else None, 'continuing_subword_prefix': None, 'end_of_word_suffix': None,
                      'fuse_unk': byte_fallback, 'byte_fallback': byte_fallback, 'ignore_merges': False, 'vocab': vocabulary, 'merges': merges}}


def byte_level(normalizer=None):
    letters = byte_letters()
    vocabulary = {'<s>': 0, '</s>': 1, **{letters[b]: 2 + b for b in range(256)}}
    words = [''.join(letters[b] for b in word.replace(SPACE, ' ').encode()) for word in WORDS]
    step = {'type': 'ByteLevel', 'add_prefix_space': False, 'trim_offsets': True, 'use_regex': True}
    return tokenizer(*with_words(vocabulary, words), added(**{'<s>': 0, '</s>': 1}), normalizer, step, step, False, 1)


def replace(a, b):
    return {'type': 'Replace', 'pattern': {'String': a}, 'content': b}


def strip():
    return {'type': 'Strip', 'content': ' ', 'start': 1, 'stop': 0}


def sequence(name, *steps):
    return {'type': 'Sequence', name: list(steps)}


def metaspace(scheme, split=False):
    return {'type': 'Metaspace', 'replacement': SPACE, 'prepend_scheme': scheme, 'split': split}


PREPEND = sequence('normalizers', {'type': 'Prepend', 'prepend': SPACE}, replace(' ', SPACE))
LLAMA_DECODER = sequence('decoders', replace(SPACE, ' '), {'type': 'ByteFallback'}, {'type': 'Fuse'}, strip())


def sentence_piece(normalizer, pre_tokenizer, decoder=LLAMA_DECODER, bos=1):
    """As Llama 2 has it."""
    vocabulary = {'<unk>': 0, '<s>': 1, '</s>': 2, **{f'<0x{b:02X}>': 3 + b for b in range(256)}}
    for letter in [SPACE, *map(chr, range(33, 127))]:
        vocabulary[letter] = len(vocabulary)
    return tokenizer(*with_words(vocabulary, WORDS), added(**{'<unk>': 0, '<s>': 1, '</s>': 2}), normalizer, pre_tokenizer, decoder, True, bos)


BASES = {
    'bytes': byte_level(),
    'folded': byte_level(sequence('normalizers', {'type': 'NFC'}, {'type': 'Lowercase'})),
    'prepend': sentence_piece(PREPEND, None),
    'first': sentence_piece(None, metaspace('first')),
    'always': sentence_piece(None, metaspace('always')),
    'never': sentence_piece(None, metaspace('never'), sequence('decoders', replace(SPACE, ' '), {'type': 'ByteFallback'}, {'type': 'Fuse'})),
    'metaspace-decoder': sentence_piece(None, metaspace('always', True), metaspace('always', True)),
    'without-bos': sentence_piece(PREPEND, None, bos=0),
    'word-piece': sentence_piece(PREPEND, None, {'type': 'WordPiece', 'prefix': '##', 'cleanup': False}),
}
BASES['padded'] = {**BASES['bytes'], 'padding': {'strategy': 'BatchLongest', 'direction': 'Right', 'pad_to_multiple_of': None, 'pad_id': 300, 'pad_type_id': 0, 'pad_token': '<pad>'}}


def config(**fields):
    return {'tokenizer_config.json': {**OWN, **fields}}


def decoder(**tokens):
    return config(added_tokens_decoder={i.removeprefix('_'): t for i, t in tokens.items()})


def merges():
    """(base, added tokens or None, files)"""
    start, end = '<|im_start|>', '<|im_end|>'
    n = len(BASES['bytes']['model']['vocab'])
    both = {f'_{n}': token(start), f'_{n + 1}': token(end)}
    yield 'bytes', None, {}
    yield 'bytes', None, config()
    yield 'bytes', None, decoder(**both)
    yield 'bytes', None, decoder(_0=token('<s>'), _1=token('</s>'), **both)
    yield 'bytes', None, decoder(_0=token('<s>', lstrip=True), _1=token('</s>', rstrip=True, special=False))
    yield 'bytes', None, decoder(**{f'_{n + 1}': token(start), f'_{n}': token(end)})
    yield 'bytes', None, decoder(_7=token(start), _9999=token(end))
    yield 'bytes', None, decoder(_262=token('hello'), _3=token('qq', special=False, normalized=True))
    yield 'bytes', None, decoder(**{f'_{n}': token('[X]', lstrip=True, rstrip=True, special=False)})
    yield 'bytes', None, decoder(**{f'_{n}': token('qq', single_word=True)})
    yield 'bytes', None, decoder(**{f'_{n}': {'content': start}, f'_{n + 1}': {'content': end, 'special': True}})
    yield 'bytes', None, {**decoder(**both), 'added_tokens.json': {'<pad>': n + 2}, 'special_tokens_map.json': {'pad_token': '[X]'}}
    yield 'bytes', None, {**config(added_tokens_decoder={}), 'added_tokens.json': {start: n}}
    yield 'bytes', None, {'added_tokens.json': {start: n, end: n + 1}}
    yield 'bytes', None, {'added_tokens.json': {end: n + 1, start: n}, **config(eos_token=end)}
    yield 'bytes', None, {'added_tokens.json': {start: 0, end: n}, **config(eos_token=end)}
    yield 'bytes', None, {'added_tokens.json': {start: n, end: n + 1}, **config(additional_special_tokens=[start])}
    yield 'bytes', None, {'added_tokens.json': {start: n, end: n + 1}, 'special_tokens_map.json': {'additional_special_tokens': [start, end]}}
    yield 'bytes', None, {'added_tokens.json': {start: n, end: n + 1}, 'special_tokens_map.json': {'extra_special_tokens': [start], 'eos_token': token(end)}}
    yield 'bytes', None, {'added_tokens.json': {end: n}, **config(eos_token=typed(end, normalized=True))}
    yield 'bytes', None, {'special_tokens_map.json': {'eos_token': token(end, lstrip=True), 'bos_token': '<s>', 'pad_token': '<pad>'}}
    yield 'bytes', None, {'special_tokens_map.json': {'eos_token': None}, **config(eos_token=end)}
    yield 'bytes', None, {'special_tokens_map.json': {'eos_token': end}, **config(eos_token='[X]')}
    yield 'bytes', None, {'special_tokens_map.json': {'extra_special_tokens': [token('[X]', rstrip=True) | {'special': ...}, end]}, **config(extra_special_tokens=[start])}
    yield 'bytes', None, {'special_tokens_map.json': {'extra_special_tokens': {'image_token': '[X]'}}, **config(extra_special_tokens=[start])}
    yield 'bytes', None, {'special_tokens_map.json': {'additional_special_tokens': [end]}, **config(extra_special_tokens=[])}
    yield 'bytes', None, {'special_tokens_map.json': {'additional_special_tokens': [end]}, **config(additional_special_tokens=[start])}
    yield 'bytes', None, config(additional_special_tokens=[start, end])
    yield 'bytes', None, config(additional_special_tokens=None)
    yield 'bytes', None, config(extra_special_tokens=[start], additional_special_tokens=[end])
    yield 'bytes', None, config(extra_special_tokens=[], additional_special_tokens=[end])
    yield 'bytes', None, config(extra_special_tokens={'image_token': start, 'x': '[X]'}, additional_special_tokens=[end])
    yield 'bytes', None, config(additional_special_tokens=[typed(start, lstrip=True), typed('[X]', special=False, normalized=True)])
    yield 'bytes', None, config(image_token=start, other_token=typed('[X]', rstrip=True), extra_special_tokens=[end])
    yield 'bytes', None, config(eos_token=typed(end, special=False), bos_token=typed('<s>', lstrip=True), pad_token='hello', unk_token=None)
    yield 'bytes', None, config(pad_token='<pad>', eos_token=end, bos_token=start, sep_token=end, mask_token='[X]', cls_token='<s>')
    yield 'bytes', None, config(eos_token='')
    yield 'bytes', None, config(add_bos_token=False, add_eos_token=True, eos_token='</s>')
    yield 'bytes', [], config()
    yield 'bytes', [], config(bos_token='<s>', eos_token='</s>')
    yield 'bytes', [{'id': 1, **token('</s>', special=False)}], config(eos_token='</s>')
    yield 'bytes', [{'id': 1, **token('</s>', special=False)}], config(eos_token='</s>', added_tokens_decoder={})
    yield 'bytes', [{'id': n, **token(start)}, {'id': n + 1, **token(end, special=False)}], {**decoder(**{f'_{n}': token(start, rstrip=True), f'_{n + 1}': token(end)})}
    yield 'bytes', [{'id': 5000, **token(start)}], {'added_tokens.json': {end: 5001}}
    yield 'bytes', [{'id': n, **token(start)}], {'added_tokens.json': {start: n + 5, end: n + 1}}
    yield 'folded', None, decoder(**{f'_{n}': token('[X]', normalized=True), f'_{n + 1}': token('Zoé')})
    yield 'folded', None, decoder(**{f'_{n}': token('[X]'), f'_{n + 1}': token('Zoé', normalized=True, special=False)})
    yield 'folded', None, {'added_tokens.json': {'[X]': n, 'Zoé': n + 1}, **config(eos_token='[X]')}
    yield 'prepend', None, {'added_tokens.json': {start: 400, end: 401}, **config(pad_token='<pad>')}
    yield 'prepend', None, decoder(_500=token(start), _501=token(end, normalized=True, special=False))
    yield 'first', None, decoder(_500=token(start, rstrip=True), _501=token(' mid ', special=False))
    yield 'padded', None, {}
    yield 'padded', None, config(pad_token=None)
    yield 'padded', None, config(pad_token=end)
    yield 'padded', None, {'special_tokens_map.json': {'pad_token': '[X]'}}
    for wrong in (config(eos_token=5), config(extra_special_tokens='<x>'), config(extra_special_tokens=[5]), config(added_tokens_decoder=[token(start)]),
                  config(added_tokens_decoder={'x': token(start)}), config(added_tokens_decoder={'300': start}), config(added_tokens_decoder={'300': token(start, lstrip='yes')}),
                  {'added_tokens.json': {start: 'x'}}, {'added_tokens.json': [start]}, {'special_tokens_map.json': {'eos_token': ['</s>']}}):
        yield 'bytes', None, wrong


def random_merges(rng, count):
    """Files that contradict one another at random."""
    flags = lambda: {name: rng.random() < p for name, p in (('single_word', 0.1), ('lstrip', 0.2), ('rstrip', 0.2), ('normalized', 0.3), ('special', 0.6))}
    for _ in range(count):
        n = len(BASES['bytes']['model']['vocab'])
        pick = lambda most: rng.sample(TOKENS + ('<s>', '</s>'), rng.randint(0, most))
        number = lambda: rng.choice([0, 1, 262, *range(n, n + 5), 700])
        value = lambda content, plain=0.5: content if rng.random() < plain else typed(content, **flags())
        fields, files = {}, {}
        if rng.random() < 0.5:
            fields['added_tokens_decoder'] = {str(number()): token(content, **flags()) for content in pick(5)}
        for name in rng.sample(NAMES, rng.randint(0, 4)):
            fields[name] = value(rng.choice(TOKENS), 0.7)
        for key in ('additional_special_tokens', 'extra_special_tokens'):
            if rng.random() < 0.35:
                fields[key] = [value(content) for content in pick(3)] if rng.random() < 0.7 else {f'my_{i}': content for i, content in enumerate(pick(2))}
        if rng.random() < 0.9:
            files['tokenizer_config.json'] = {**OWN, **fields}
        if rng.random() < 0.5:
            files['added_tokens.json'] = {content: number() for content in pick(4)}
        if rng.random() < 0.5:
            files['special_tokens_map.json'] = {name: content if rng.random() < 0.5 else token(content, **flags())
                                                for name, content in zip(rng.sample(NAMES, 3), rng.sample(TOKENS, 3))}
            for key in ('additional_special_tokens', 'extra_special_tokens'):
                if rng.random() < 0.35:
                    files['special_tokens_map.json'][key] = pick(3)
        in_file = [{'id': i, **token(content, **flags())} for i, content in enumerate(pick(4))] if rng.random() < 0.4 else None
        yield rng.choice(('bytes', 'bytes', 'folded', 'first')), in_file, files


def llama(four):
    """LlamaTokenizer files; in transformers 4 the post-processor is made of add_bos_token."""
    for base in ('prepend', 'first', 'always', 'never', 'without-bos', 'metaspace-decoder'):
        for fields in ({}, {'legacy': True}, {'legacy': False}, {'legacy': None}, *(({'add_prefix_space': False}, {'add_prefix_space': None, 'legacy': True}) * (not four))):
            bos = {'add_bos_token': base != 'without-bos'} if four else {}
            yield base, None, {'tokenizer_config.json': {'tokenizer_class': 'LlamaTokenizer', 'bos_token': '<s>', 'eos_token': '</s>', 'unk_token': '<unk>', **fields, **bos}}
    chat = {'legacy': False, 'added_tokens_decoder': {'0': token('<unk>'), '1': token('<s>'), '2': token('</s>'), '500': token('<|im_start|>'), '501': token('<|im_end|>', rstrip=True)}}
    for base in ('prepend', 'first'):
        yield base, None, {'tokenizer_config.json': {'tokenizer_class': 'LlamaTokenizerFast', **chat}}
        if not four:
            yield base, None, {'tokenizer_config.json': {'tokenizer_class': 'LlamaTokenizerFast'}, 'added_tokens.json': {'<|im_start|>': 500}}
            yield base, added(**{'<|im_end|>': 600}), {'tokenizer_config.json': {'tokenizer_class': 'LlamaTokenizerFast', **chat}}


def other_classes():
    """(model type, base, tokenizer class): which of them transformers 5 builds anew."""
    for model_type in ('llama', 'mistral', 'qwen2', 'qwen3'):
        for base in ('prepend', 'bytes'):
            for name in ('LlamaTokenizer', 'LlamaTokenizerFast', 'PreTrainedTokenizerFast', None):
                yield model_type, base, name


TEXTS = ('', ' ', 'hello', ' hello', '  hello', 'a hello\nb', 'hello  ', '<s>hello', '<s> hello</s>b', 'a</s>  b<s>', '\thello', 'é🙂 b', SPACE + 'hello', 'he said Paris',
         '<|im_start|>a b<|im_end|>\n<|im_start|> hello', 'a <|im_end|> b', 'qq qqq q', '[X] [x]  [X]b', 'Zoé zoé Zoe\u0301 mid <pad>', '  mid  hello mid hello')


def load(base, in_file, files, model=MODEL_TYPE):
    from transformers import AutoTokenizer
    root = {**BASES[base], **({} if in_file is None else {'added_tokens': in_file})}
    with tempfile.TemporaryDirectory() as directory:
        for name, content in {'tokenizer.json': root, 'config.json': model, **files}.items():
            (Path(directory) / name).write_text(json.dumps(content))
        return AutoTokenizer.from_pretrained(directory)


def changed_by_normalizer(loaded):
    """Ids that tokenizers 0.23 decodes to the normalized text of their tokens; 0.22, which Tutti has, to the text itself."""
    normalizer = loaded.backend_tokenizer.normalizer
    return {i for i, t in loaded.added_tokens_decoder.items() if normalizer and t.normalized and normalizer.normalize_str(t.content) != t.content}


def outcome(base, in_file, files):
    try:
        loaded = load(base, in_file, files)
        changed = changed_by_normalizer(loaded)
        texts = []
        for text in TEXTS:
            ids = loaded(text).input_ids
            decoded = {} if any(i in changed for i in ids) else {'decoded': loaded.decode(ids), 'shown': loaded.decode(ids, skip_special_tokens=True)}
            texts.append({'ids': ids, **decoded})
        return {'class': type(loaded).__name__, 'texts': texts}
    except Exception as e:
        return {'class': None, 'texts': None, 'error': type(e).__name__}


def without_placeholders(value):
    """... takes a key away."""
    if isinstance(value, dict):
        return {k: without_placeholders(v) for k, v in value.items() if v is not ...}
    return [without_placeholders(v) for v in value] if isinstance(value, list) else value


def case(base, in_file, files):
    files = without_placeholders(files)
    given = {} if in_file is None else {'added_tokens': in_file}
    return {'base': base, **given, 'files': files, **outcome(base, in_file, files)}


def continuations(rng):
    for base in BASES:
        loaded = load(base, None, config(bos_token='<s>', eos_token='</s>'))
        ids = [i for word in ('hello', ' Paris', ' a b', 'é', '🙂', ' ', '  ') for i in loaded(word, add_special_tokens=False).input_ids]
        special = [loaded.convert_tokens_to_ids(name) for name in ('<s>', '</s>')]
        for _ in range(60):
            some = lambda most: [rng.choice(ids if rng.random() < 0.85 else special) for _ in range(rng.randint(1, most))]
            prompt, more = some(6), some(6)
            before, whole = (loaded.decode(tokens, skip_special_tokens=True) for tokens in (prompt, prompt + more))
            if whole.startswith(before) and not before.endswith('\ufffd'):
                yield {'base': base, 'prompt': prompt, 'ids': more, 'text': whole[len(before):]}


def main(four=False):
    logging.disable(logging.WARNING)
    warnings.simplefilter('ignore')
    if four:
        cases = [case(*c) for c in llama(four=True)]
        content = {'texts': TEXTS, 'bases': {name: BASES[name] for name in sorted({c['base'] for c in cases})}, 'cases': cases}
        io_json.write_vectors('tokenizer-cases-4.json', content, ('transformers', 'tokenizers'), Path(__file__).name + ' --transformers4')
        return
    rng = random.Random(2024)
    classes = [{'model_type': model_type, 'base': base, 'tokenizer_class': name,
                'class': type(load(base, None, {'tokenizer_config.json': {'tokenizer_class': name} if name else {}}, {'model_type': model_type})).__name__}
               for model_type, base, name in other_classes()]
    io_json.write_vectors('tokenizer-cases.json', {
        'texts': TEXTS, 'bases': BASES, 'classes': classes, 'cases': [case(*c) for c in (*merges(), *random_merges(rng, 80))],
        'llama': [case(*c) for c in llama(four=False)], 'continuations': list(continuations(rng))}, ('transformers', 'tokenizers'), Path(__file__).name)


if __name__ == '__main__':
    main('--transformers4' in sys.argv[1:])
