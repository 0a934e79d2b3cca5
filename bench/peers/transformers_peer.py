"""transformers' Llama in BF16, measured: `transformers_peer.py rates MODEL THREADS` prints tokens per second, a JSON
object a line; `transformers_peer.py greedy MODEL THREADS COUNT ID…` prints that many tokens after a prompt, each on a line as
soon as it is there.
"""

import json
import sys
import time
import warnings

import torch
from transformers import AutoModelForCausalLM, DynamicCache


def prompt(count):
    """Some tokens; which ones does not matter for speed. All peers take these."""
    return [1000 + i * 7919 % 30000 for i in range(count)]


def load(directory):
    return AutoModelForCausalLM.from_pretrained(directory, dtype=torch.bfloat16).eval()


def step(model, tokens, cache):
    """Takes tokens in; returns the likeliest next one."""
    logits = model(torch.tensor([tokens]), past_key_values=cache, use_cache=True, logits_to_keep=1).logits
    return int(logits[0, -1].argmax())


def prefill(model, count):
    start = time.perf_counter()
    step(model, prompt(count), DynamicCache())
    return count / (time.perf_counter() - start)


def decode(model, depth, count):
    cache = DynamicCache()
    token = step(model, prompt(max(depth, 1)), cache)
    start = time.perf_counter()
    for _ in range(count):
        token = step(model, [token], cache)
    return count / (time.perf_counter() - start)


def rates(directory):
    model = load(directory)
    prefill(model, 512)
    decode(model, 0, 8)
    print(json.dumps({"pp512": prefill(model, 512)}), flush=True)
    print(json.dumps({"tg128": decode(model, 0, 128)}), flush=True)
    print(json.dumps({"tg128_at_2000": decode(model, 2000, 128)}), flush=True)


def greedy(directory, count, ids):
    model, cache, tokens = load(directory), DynamicCache(), ids
    for _ in range(count):
        tokens = [step(model, tokens, cache)]
        print(tokens[0], flush=True)


if __name__ == "__main__":
    command, directory, threads, *numbers = sys.argv[1:]
    torch.set_num_threads(int(threads))
    warnings.simplefilter("ignore", FutureWarning)
    with torch.inference_mode():
        if command == "rates":
            rates(directory)
        else:
            greedy(directory, int(numbers[0]), [int(n) for n in numbers[1:]])
