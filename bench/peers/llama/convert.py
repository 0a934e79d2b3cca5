"""Runs llama.cpp's own converter on a byte-level BPE model: convert.py LLAMA_CPP MODEL OUT.gguf TYPE (bf16, f16 or f32).

The converter knows tokenizers by a hash of what they make of a test text, and refuses all others, such as the random
model's. Prompts are token ids here, so any name of a pre-tokenizer does.
"""

import sys

llama_cpp, model, out, dtype = sys.argv[1:]
sys.path.insert(0, llama_cpp)

import convert_hf_to_gguf
from conversion.base import TextModel

TextModel.get_vocab_base_pre = lambda self, tokenizer: "smollm"
sys.argv = ["convert_hf_to_gguf.py", model, "--outfile", out, "--outtype", dtype]
convert_hf_to_gguf.main()
