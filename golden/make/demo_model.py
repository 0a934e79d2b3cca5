"""The demo model: a small Llama that has read Jane Austen's six novels, and so writes recognisable English.

    apt-get download r-cran-janeaustenr && dpkg -x r-cran-janeaustenr_*.deb DEB
    python demo_model.py DEB/usr/lib/R/site-library/janeaustenr/data/Rdata.rdb OUT [--steps N] [--threads N]

Writes a Hugging Face directory (BF16, tied, byte-level BPE), its README.md and words.txt, the words of the training text.
Seeded and bound by steps: the same versions on the same kind of machine give the same file. Some 20 minutes on two idle cores;
on busy ones set OMP_WAIT_POLICY=passive, or the threads burn their time waiting for each other.
"""
import argparse
import hashlib
import json
import math
import re
import struct
import zlib
from itertools import chain, islice
from pathlib import Path

import torch
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
from torch.nn.functional import cross_entropy
from transformers import LlamaConfig, LlamaForCausalLM

import io_json

PACKAGES = ('torch', 'transformers', 'tokenizers', 'safetensors')
TEXT_SHA256 = '80040ef0036a0fe7fe017bf2da6dfcda29f40108754d62bcb8b3427ff99bc799'
END = '<|endoftext|>'  # after every chapter; id 0
VOCABULARY = 2048
CONTEXT = 512
TOKENIZER_CONFIG = {'tokenizer_class': 'PreTrainedTokenizerFast', 'eos_token': END, 'model_max_length': CONTEXT, 'clean_up_tokenization_spaces': False}
TOKENS_A_STEP = 2048
WARMUP_STEPS = 100
HELD_OUT = 32  # one chapter in so many is for validation
SAMPLES = 8
SAMPLE_TOKENS = 500
SAMPLE_TEMPERATURE = 0.8
LEAST_KNOWN_WORDS = 0.9


# The text

def character_vector(serialized):
    """The strings of an R character vector in R's binary serialization, version 3 (R Internals, "Serialization Formats")."""
    encoding_length, = struct.unpack_from('>i', serialized, 14)
    at = 18 + encoding_length
    kind, count = struct.unpack_from('>ii', serialized, at)
    assert serialized[:2] == b'X\n' and kind == 16, 'not a serialized character vector'
    at, strings = at + 8, []
    for _ in range(count):
        _, length = struct.unpack_from('>ii', serialized, at)
        strings.append(serialized[at + 8:at + 8 + length].decode())
        at += 8 + length
    assert at == len(serialized)
    return strings


def novels(rdb):
    """A list of lines for each novel. The file is a row of zlib streams, each after its inflated length in four bytes."""
    while rdb:
        inflate = zlib.decompressobj()
        serialized = inflate.decompress(rdb[4:])
        assert len(serialized) == int.from_bytes(rdb[:4], 'big')
        yield character_vector(serialized)
        rdb = inflate.unused_data


def chapters(lines):
    """The chapters of a novel, a paragraph a line: no title page, headings, editor's notes, emphasis marks or rows of stars."""
    text = '\n'.join(lines)
    text = re.split(r'^(?:FINIS|Finis|THE END|A NOTE ON THE TEXT)$', text, flags=re.M)[0]
    for body in re.split(r'^chapter (?:[ivxl]+|\d+)\.?$', text, flags=re.M | re.I)[1:]:
        body = re.sub(r'^volume [ivx]+$|\[[^]]*\]|^[ *]+$', '', body, flags=re.M | re.I).replace('_', '').replace('*', '')
        paragraphs = (' '.join(paragraph.split()) for paragraph in re.split(r'\n\s*\n', body))
        yield '\n'.join(filter(None, paragraphs))


def words(text):
    return re.findall(r"[a-z]+(?:'[a-z]+)*", text.lower())


def train_tokenizer(texts):
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    tokenizer.train_from_iterator(texts, trainers.BpeTrainer(
        vocab_size=VOCABULARY, special_tokens=[END], initial_alphabet=sorted(pre_tokenizers.ByteLevel.alphabet()), show_progress=False))
    return tokenizer


# Training

def new_model():
    return LlamaForCausalLM(LlamaConfig(
        vocab_size=VOCABULARY, hidden_size=192, intermediate_size=512, num_hidden_layers=5, num_attention_heads=6, num_key_value_heads=2,
        head_dim=32, max_position_embeddings=CONTEXT, rms_norm_eps=1e-5, rope_theta=10000.0, tie_word_embeddings=True,
        bos_token_id=None, eos_token_id=0, pad_token_id=None))


def batches(tokens, context):
    """[TOKENS_A_STEP / context, context + 1] for ever; an epoch goes once through the text, cut at a random shift, in random order."""
    while True:
        shift = int(torch.randint(context, ()))
        windows = tokens[shift:].unfold(0, context + 1, context)
        for rows in torch.randperm(len(windows)).split(TOKENS_A_STEP // context):
            yield windows[rows]


def loss_of(model, batch):
    return cross_entropy(model(batch[:, :-1], use_cache=False).logits.flatten(0, 1), batch[:, 1:].flatten())


def learning_rate(step, steps):
    """As a share of the peak: a linear rise, then a cosine down to nothing."""
    return min(1, (step + 1) / WARMUP_STEPS) * (1 + math.cos(math.pi * step / steps)) / 2


def train(model, tokens, steps):
    """Muon turns the matrices, AdamW the embedding and the norms. The last quarter of the steps sees the whole context."""
    matrices = [p for name, p in model.named_parameters() if '_proj' in name]
    others = [p for name, p in model.named_parameters() if '_proj' not in name]
    optimizers = [torch.optim.Muon(matrices, lr=5e-3, weight_decay=0.1, adjust_lr_fn='match_rms_adamw'),
                  torch.optim.AdamW(others, lr=5e-3, betas=(0.9, 0.95), weight_decay=0.1)]
    schedules = [torch.optim.lr_scheduler.LambdaLR(o, lambda step: learning_rate(step, steps)) for o in optimizers]
    short = steps * 3 // 4
    for step, batch in enumerate(chain(islice(batches(tokens, CONTEXT // 2), short), islice(batches(tokens, CONTEXT), steps - short)), 1):
        loss = loss_of(model, batch)
        model.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        for stage in optimizers + schedules:
            stage.step()
        if step % 100 == 0:
            print(f'step {step} of {steps}: loss {loss.item():.3f}', flush=True)


@torch.no_grad()
def validation_loss(model, tokens):
    """The mean over all the held-out chapters, in windows of the whole context."""
    windows = tokens.unfold(0, CONTEXT + 1, CONTEXT)
    return sum(loss_of(model, window[None]).item() for window in windows) / len(windows)


@torch.no_grad()
def sample(model):
    """[SAMPLES, SAMPLE_TOKENS] tokens, drawn after END, that is from the start of a chapter; END itself is never drawn."""
    generator, tokens, cache, drawn = torch.Generator().manual_seed(0), torch.zeros(SAMPLES, 1, dtype=torch.long), None, []
    for _ in range(SAMPLE_TOKENS):
        step = model(tokens, cache=cache, use_cache=True)
        cache, logits = step.cache, step.logits[:, -1] / SAMPLE_TEMPERATURE
        logits[:, 0] = -math.inf
        tokens = logits.softmax(-1).multinomial(1, generator=generator)
        drawn.append(tokens)
    return torch.cat(drawn, 1).tolist()


# The folder

README = """# The demo model

A Llama of {parameters:,} parameters that writes in the manner of Jane Austen; `./tutti demo` runs it and the tests use it.
Made by `golden/make/demo_model.py`, whose first lines say how to make it again, with {versions}.

- Text: her six novels, as Debian's package r-cran-janeaustenr 1.0.0 carries them. They are in the public domain.
  {chapters} chapters, {tokens:,} tokens, and {held_out} more chapters held out for validation.
- Model: hidden size {hidden_size}, {num_hidden_layers} layers, {num_attention_heads} heads over {num_key_value_heads} key and value heads of {head_dim}, context {max_position_embeddings}, tied embeddings, BF16.
- Tokenizer: byte-level BPE, {vocab_size} pieces. `<|endoftext|>` ends a chapter; a paragraph is a line.
- Training: {steps} steps of {step_tokens} tokens in float32, then rounded once to BF16. Validation loss {loss:.3f} nats a token.
- `words.txt`: every word of the training text in lower case, one a line, sorted; a word is `[a-z]+('[a-z]+)*`. With it a test can
  tell words from nonsense without the novels. Of the words in {samples} samples of {sample_tokens} tokens at temperature {temperature}, {known:.1%} are
  known, {least:.1%} in the worst of them; the script refuses a model below {least_known:.0%}.
- `reference.json`, `reference.safetensors`: what transformers and `numerics.py` make of it, by `golden/make/demo_reference.py`.

The first of the samples begins like this:

{excerpt}
"""


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument('rdb', type=Path)
    arguments.add_argument('out', type=Path)
    arguments.add_argument('--steps', type=int, default=1400)
    arguments.add_argument('--threads', type=int, default=2)
    options = arguments.parse_args()
    torch.manual_seed(0)
    torch.set_num_threads(options.threads)
    torch.use_deterministic_algorithms(True)

    every = [chapter for novel in novels(options.rdb.read_bytes()) for chapter in chapters(novel)]
    digest = hashlib.sha256('\n'.join(every).encode()).hexdigest()
    assert digest == TEXT_SHA256, f'{options.rdb}: not the text this script was written for: {digest}'
    held_out = every[HELD_OUT - 1::HELD_OUT]
    training = [chapter for chapter in every if chapter not in held_out]
    vocabulary = set(words('\n'.join(training)))

    tokenizer = train_tokenizer(training)
    tokens, validation = (torch.tensor([i for chapter in part for i in tokenizer.encode(chapter).ids + [0]]) for part in (training, held_out))
    model = new_model()
    print(f'{model.num_parameters():,} parameters, {len(training)} chapters, {len(tokens):,} tokens; {len(validation):,} held out', flush=True)
    train(model, tokens, options.steps)

    model.to(torch.bfloat16).save_pretrained(options.out)
    tokenizer.save(str(options.out / 'tokenizer.json'))
    (options.out / 'tokenizer_config.json').write_text(json.dumps(TOKENIZER_CONFIG, indent=2) + '\n')
    (options.out / 'words.txt').write_text('\n'.join(sorted(vocabulary)) + '\n')
    model = LlamaForCausalLM.from_pretrained(options.out, dtype=torch.float32).eval()
    loss = validation_loss(model, validation)
    texts = tokenizer.decode_batch(sample(model))
    known = [sum(word in vocabulary for word in words(text)) / len(words(text)) for text in texts]
    versions = ', '.join(f'{name} {version}' for name, version in io_json.made_with(PACKAGES).items())
    (options.out / 'README.md').write_text(README.format(
        **json.loads((options.out / 'config.json').read_text()), parameters=model.num_parameters(), versions=versions,
        chapters=len(training), held_out=len(held_out), tokens=len(tokens), steps=options.steps, step_tokens=TOKENS_A_STEP, loss=loss,
        samples=len(texts), sample_tokens=SAMPLE_TOKENS, temperature=SAMPLE_TEMPERATURE, known=sum(known) / len(known), least=min(known),
        least_known=LEAST_KNOWN_WORDS, excerpt='\n>\n'.join(f'> {line}' for line in texts[0][:600].rsplit(' ', 1)[0].splitlines())))
    print(f'validation loss {loss:.3f}, known words', *(f'{share:.1%}' for share in known))
    assert min(known) >= LEAST_KNOWN_WORDS, known


if __name__ == '__main__':
    main()
