#!/usr/bin/env python3
"""Writes a Llama of 1.1 billion random BF16 weights as a Hugging Face directory: the larger model of the comparison.

Speed does not depend on what the weights say, so random ones do; they are drawn as an untrained model's would be, so that
activations and logits stay finite. Two tensors' worth of memory is enough. The tokenizer, which some engines insist on,
is the first 32,000 tokens of the one in --tokenizer DIR (a byte-level BPE such as SmolLM2's), with the merges that they allow.
"""

import argparse
import json
import math
from pathlib import Path

import numpy as np

HIDDEN, LAYERS, INTERMEDIATE, HEADS, KV_HEADS, VOCAB = 2048, 16, 8192, 32, 8, 32000
HEAD_DIM = HIDDEN // HEADS
STD = 0.02

CONFIG = {
    "architectures": ["LlamaForCausalLM"],
    "model_type": "llama",
    "torch_dtype": "bfloat16",
    "hidden_act": "silu",
    "hidden_size": HIDDEN,
    "intermediate_size": INTERMEDIATE,
    "num_hidden_layers": LAYERS,
    "num_attention_heads": HEADS,
    "num_key_value_heads": KV_HEADS,
    "head_dim": HEAD_DIM,
    "vocab_size": VOCAB,
    "max_position_embeddings": 8192,
    "initializer_range": STD,
    "rms_norm_eps": 1e-05,
    "rope_theta": 10000.0,
    "rope_scaling": None,
    "attention_bias": False,
    "mlp_bias": False,
    "tie_word_embeddings": False,
    "bos_token_id": 1,
    "eos_token_id": 2,
}


def shapes():
    """Every tensor's name and shape, in the order of the file."""
    yield "model.embed_tokens.weight", (VOCAB, HIDDEN)
    for layer in range(LAYERS):
        at = f"model.layers.{layer}."
        yield at + "input_layernorm.weight", (HIDDEN,)
        yield at + "self_attn.q_proj.weight", (HIDDEN, HIDDEN)
        yield at + "self_attn.k_proj.weight", (KV_HEADS * HEAD_DIM, HIDDEN)
        yield at + "self_attn.v_proj.weight", (KV_HEADS * HEAD_DIM, HIDDEN)
        yield at + "self_attn.o_proj.weight", (HIDDEN, HIDDEN)
        yield at + "post_attention_layernorm.weight", (HIDDEN,)
        yield at + "mlp.gate_proj.weight", (INTERMEDIATE, HIDDEN)
        yield at + "mlp.up_proj.weight", (INTERMEDIATE, HIDDEN)
        yield at + "mlp.down_proj.weight", (HIDDEN, INTERMEDIATE)
    yield "model.norm.weight", (HIDDEN,)
    yield "lm_head.weight", (VOCAB, HIDDEN)


def bf16(values):
    """Float32 values as the nearest bfloat16s' bits, ties to even."""
    bits = values.view(np.uint32)
    return ((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16).astype("<u2")


def write_weights(path, seed):
    header, end = {"__metadata__": {"format": "pt"}}, 0
    for name, shape in shapes():
        start, end = end, end + 2 * math.prod(shape)
        header[name] = {"dtype": "BF16", "shape": shape, "data_offsets": [start, end]}
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)

    random = np.random.default_rng(seed)
    with open(path, "wb") as out:
        out.write(len(text).to_bytes(8, "little") + text)
        for name, shape in shapes():
            if len(shape) == 1:
                values = np.ones(shape, np.float32)
            else:
                values = random.standard_normal(shape, np.float32)
                values *= np.float32(STD)
            out.write(bf16(values).data)


def trim_tokenizer(source, target):
    tokenizer = json.loads((source / "tokenizer.json").read_text(encoding="utf-8"))
    model = tokenizer["model"]
    if model["type"] != "BPE":
        raise SystemExit(f"{source}/tokenizer.json: model type {model['type']}; BPE is needed")
    model["vocab"] = {token: i for token, i in model["vocab"].items() if i < VOCAB}
    pairs = ((merge, merge.split(" ") if isinstance(merge, str) else merge) for merge in model["merges"])
    model["merges"] = [
        merge for merge, (a, b) in pairs if a in model["vocab"] and b in model["vocab"] and a + b in model["vocab"]
    ]
    tokenizer["added_tokens"] = [token for token in tokenizer["added_tokens"] if token["id"] < VOCAB]
    (target / "tokenizer.json").write_text(json.dumps(tokenizer, ensure_ascii=False), encoding="utf-8")
    (target / "tokenizer_config.json").write_bytes((source / "tokenizer_config.json").read_bytes())


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("out", type=Path, help="directory to write")
    parser.add_argument("--tokenizer", type=Path, help="model directory whose tokenizer is cut to size")
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()

    args.out.mkdir(parents=True, exist_ok=True)
    (args.out / "config.json").write_text(json.dumps(CONFIG, indent=2) + "\n")
    if args.tokenizer:
        trim_tokenizer(args.tokenizer, args.out)
    unfinished = args.out / "model.safetensors.part"
    write_weights(unfinished, args.seed)
    unfinished.rename(args.out / "model.safetensors")


if __name__ == "__main__":
    main()
