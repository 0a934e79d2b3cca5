"""vectors/config-cases.json: configurations that are accepted and refused, each checked against spec/config.schema.json where it can tell, and
what transformers makes of those that are accepted."""
import json
import os
import tempfile
import warnings
from pathlib import Path

import jsonschema

import io_json

HUGGING_FACE = {'architectures': ['LlamaForCausalLM'], 'model_type': 'llama', 'hidden_size': 24, 'intermediate_size': 40, 'num_hidden_layers': 1,
                'num_attention_heads': 4, 'num_key_value_heads': 2, 'vocab_size': 30}
RELATIVES = {name: {**HUGGING_FACE, 'architectures': [causal_lm], 'model_type': name, 'head_dim': 6} for name, causal_lm in (
    ('mistral', 'MistralForCausalLM'), ('qwen2', 'Qwen2ForCausalLM'), ('qwen3', 'Qwen3ForCausalLM'),
    ('smollm3', 'SmolLM3ForCausalLM'), ('olmo2', 'Olmo2ForCausalLM'), ('phi3', 'Phi3ForCausalLM'))}
RELATIVES['smollm3']['pad_token_id'] = RELATIVES['phi3']['pad_token_id'] = None
LLAMA3 = {'rope_type': 'llama3', 'factor': 8.0, 'low_freq_factor': 1.0, 'high_freq_factor': 4.0, 'original_max_position_embeddings': 8192}
YARN = {'rope_type': 'yarn', 'factor': 4.0, 'original_max_position_embeddings': 512}
BIGRAM = {'tl_arch': 'bigram', 'tl_tokenizer': 'byte', 'vocab_size': 256, 'max_position_embeddings': 64}
ABSENT = object()
REQUIRED = ('hidden_size', 'intermediate_size', 'num_hidden_layers', 'num_attention_heads', 'vocab_size')

ACCEPTED = [
    {}, {'num_key_value_heads': ABSENT}, {'num_key_value_heads': None}, {'architectures': ABSENT}, {'architectures': []},
    {'head_dim': 10}, {'head_dim': None}, {'head_dim': 10, 'hidden_size': 25}, {'tie_word_embeddings': True}, {'tie_word_embeddings': None},
    {'torch_dtype': 'bfloat16', 'rope_theta': 10000.0, 'rope_scaling': None}, {'dtype': 'float16', 'rope_parameters': {'rope_type': 'default', 'rope_theta': 5e5}},
    {'rope_theta': 5e5, 'rope_parameters': {'rope_type': 'default', 'rope_theta': 5e5}}, {'rope_parameters': None}, {'rope_parameters': {'rope_theta': 1e6}},
    {'rope_scaling': {'type': 'default'}}, {'rope_scaling': {'rope_type': 'default'}}, {'rope_theta': 10000}, {'partial_rotary_factor': 1.0},
    {'eos_token_id': 2}, {'eos_token_id': [2, 29]}, {'eos_token_id': 30}, {'eos_token_id': [2, 30]}, {'eos_token_id': None}, {'eos_token_id': []}, {'hidden_act': 'silu'}, {'sliding_window': None},
    {'sliding_window': 4096, 'use_sliding_window': False}, {'layer_types': ['full_attention']}, {'attention_bias': False, 'mlp_bias': False},
    {'attention_bias': True}, {'mlp_bias': True}, {'attention_bias': None},
    {'quantization_config': None}, {'transformers_version': '5.0.0', 'use_cache': True, 'pretraining_tp': 1, 'attention_dropout': 0.0, 'initializer_range': 0.02},
    {'tl_arch': 'llama', 'tl_tokenizer': 'byte'}, {'tl_arch': 'llama', 'tl_tokenizer': 'hf', 'model_type': ABSENT}, {'tl_arch': None},
    {'rope_scaling': {'type': 'linear', 'factor': 2.0}}, {'rope_parameters': {'rope_type': 'linear', 'factor': 2, 'rope_theta': 5e5}}, {'rope_scaling': {}},
    {'rope_scaling': {'type': 'linear', 'rope_type': 'linear', 'factor': 1}, 'rope_theta': 5e5}, {'rope_scaling': {'rope_type': 'default', 'factor': 0.5}},
    {'rope_scaling': LLAMA3}, {'rope_parameters': {**LLAMA3, 'rope_theta': 500000.0}}, {'rope_scaling': {**LLAMA3, 'original_max_position_embeddings': ABSENT}},
    {'rope_scaling': {**LLAMA3, 'original_max_position_embeddings': ABSENT}, 'original_max_position_embeddings': 64},
    {'rope_scaling': LLAMA3, 'rope_parameters': LLAMA3}, {'rope_scaling': YARN}, {'rope_scaling': {**YARN, 'rope_type': ABSENT, 'type': 'yarn'}},
    {'rope_parameters': {**YARN, 'attention_factor': 1.5, 'beta_fast': 16.0, 'beta_slow': 2, 'truncate': False, 'mscale': 1.0, 'mscale_all_dim': 0.8}},
    {'rope_scaling': {**YARN, 'factor': None, 'beta_fast': None, 'attention_factor': None}}, {'rope_scaling': YARN, 'original_max_position_embeddings': 512},
    {'rope_scaling': {'rope_type': 'yarn', 'factor': 4.0}}, {'rope_scaling': {**YARN, 'beta_fast': 1, 'beta_slow': 1, 'mscale': 0}},
]
ACCEPTED_RELATIVES = {
    'mistral': [{}, {'sliding_window': None}, {'sliding_window': 7}, {'sliding_window': 7, 'layer_types': ['sliding_attention']}, {'layer_types': ['sliding_attention']},
                {'sliding_window': None, 'layer_types': ['full_attention']}, {'attention_bias': False}, {'num_key_value_heads': None}, {'head_dim': ABSENT},
                {'num_attention_heads': 8, 'num_key_value_heads': ABSENT}],
    'qwen2': [{}, {'use_sliding_window': False, 'sliding_window': 7, 'max_window_layers': 0}, {'use_sliding_window': True, 'sliding_window': 7, 'max_window_layers': 0},
              {'use_sliding_window': True, 'sliding_window': 7, 'max_window_layers': 1}, {'use_sliding_window': True, 'sliding_window': 7},
              {'use_sliding_window': True, 'sliding_window': None}, {'use_sliding_window': True, 'layer_types': ['sliding_attention']},
              {'use_sliding_window': True, 'sliding_window': 7, 'layer_types': ['full_attention']}, {'layer_types': ['full_attention']}, {'attention_bias': True},
              {'rope_scaling': {'type': 'yarn', 'factor': 4.0, 'original_max_position_embeddings': 32768}},
              {'num_hidden_layers': 2, 'use_sliding_window': True, 'sliding_window': 7, 'max_window_layers': 1}, {'num_hidden_layers': 30, 'use_sliding_window': True},
              {'num_hidden_layers': 2, 'use_sliding_window': True, 'layer_types': ['sliding_attention', 'full_attention']}],
    'qwen3': [{}, {'head_dim': ABSENT}, {'attention_bias': True}, {'attention_bias': False}, {'use_sliding_window': True, 'sliding_window': 7, 'max_window_layers': 0},
              {'num_attention_heads': 64, 'num_key_value_heads': ABSENT}],
    'smollm3': [{}, {'tie_word_embeddings': ABSENT}, {'rope_theta': ABSENT}, {'num_key_value_heads': ABSENT}, {'attention_bias': True, 'mlp_bias': True},
                {'num_hidden_layers': 5}, {'num_hidden_layers': 2, 'no_rope_layer_interval': 2}, {'num_hidden_layers': 2, 'no_rope_layers': [0, 1]},
                {'num_hidden_layers': 5, 'use_sliding_window': True, 'sliding_window': 7}, {'sliding_window': 7}, {'use_sliding_window': True, 'sliding_window': None},
                {'num_hidden_layers': 2, 'use_sliding_window': True, 'sliding_window': 7, 'layer_types': ['sliding_attention', 'full_attention']}],
    'olmo2': [{}, {'rms_norm_eps': ABSENT}, {'attention_bias': True}, {'max_position_embeddings': ABSENT}, {'num_key_value_heads': ABSENT}],
    'phi3': [{}, {'rms_norm_eps': ABSENT}, {'sliding_window': 7}, {'sliding_window': None}, {'max_position_embeddings': ABSENT}, {'head_dim': ABSENT}],
}
REFUSED = [
    *({key: ABSENT} for key in REQUIRED), *({key: None} for key in REQUIRED), *({key: 0} for key in REQUIRED),
    {'model_type': ABSENT}, {'model_type': 'mistral'}, {'model_type': 'gemma'}, {'model_type': 7}, {'tl_arch': 'llama'}, {'tl_arch': 'gpt', 'tl_tokenizer': 'byte'},
    {'tl_arch': 'llama', 'tl_tokenizer': 'sentencepiece'}, {'architectures': ['MistralForCausalLM']}, {'hidden_size': -8}, {'hidden_size': 24.5},
    {'hidden_size': '24'}, {'vocab_size': 2147483648}, {'num_key_value_heads': 0}, {'head_dim': 7}, {'head_dim': 0}, {'max_position_embeddings': 0},
    {'rms_norm_eps': 0}, {'rms_norm_eps': -1e-6}, {'rms_norm_eps': '1e-6'}, {'hidden_act': 'gelu'}, {'tie_word_embeddings': 1},
    {'attention_bias': 1}, {'sliding_window': 4096}, {'sliding_window': 4096, 'use_sliding_window': True}, {'layer_types': ['sliding_attention']},
    {'quantization_config': {'quant_method': 'gptq'}}, {'dtype': 'float8_e4m3fn'}, {'torch_dtype': 'int8'}, {'rope_theta': 0}, {'rope_theta': -1.0}, {'rope_theta': '10000'},
    {'rope_scaling': {'rope_type': 'dynamic', 'factor': 2.0}}, {'rope_scaling': {'type': 'dynamic', 'factor': 2.0}}, {'rope_parameters': {'rope_type': 'longrope'}},
    {'rope_scaling': {'type': 'su'}}, {'rope_scaling': {'rope_type': 'proportional', 'factor': 2.0}}, {'rope_scaling': {'factor': 2.0}}, {'rope_scaling': {'rope_type': 'linear'}},
    {'rope_scaling': {'rope_type': 'linear', 'factor': 0.5}}, {'rope_scaling': {'rope_type': 'linear', 'factor': '2'}}, {'rope_scaling': {**LLAMA3, 'factor': ABSENT}},
    {'rope_scaling': {**LLAMA3, 'low_freq_factor': ABSENT}}, {'rope_scaling': {**LLAMA3, 'high_freq_factor': None}}, {'rope_scaling': {**LLAMA3, 'low_freq_factor': 0}},
    {'rope_scaling': {**YARN, 'attention_factor': 0}}, {'rope_scaling': {**YARN, 'beta_fast': -1}}, {'rope_scaling': {**YARN, 'truncate': 1}},
    {'rope_scaling': {**YARN, 'mscale': -1}}, {'rope_scaling': {**YARN, 'original_max_position_embeddings': 0}},
    {'rope_parameters': {'full_attention': {'rope_type': 'default', 'rope_theta': 10000.0}}}, {'partial_rotary_factor': 0.5},
    {'rope_parameters': {'rope_type': 'default', 'partial_rotary_factor': 0.5}}, {'eos_token_id': -1}, {'eos_token_id': '2'}, {'eos_token_id': [2, None]},
]
REFUSED_BEYOND_THE_SCHEMA = [
    {'num_key_value_heads': 3}, {'num_attention_heads': 5, 'num_key_value_heads': 5}, {'hidden_size': 20}, {'num_attention_heads': 2147483647, 'head_dim': 2, 'num_key_value_heads': 1},
    {'rope_theta': 10000.0, 'rope_parameters': {'rope_type': 'default', 'rope_theta': 5e5}}, {'layer_types': []},
    {'rope_scaling': {'rope_type': 'linear', 'type': 'default', 'factor': 2}},
    {'rope_scaling': {**LLAMA3, 'high_freq_factor': 1.0}}, {'rope_scaling': YARN, 'original_max_position_embeddings': 511}, {'rope_scaling': {**YARN, 'beta_fast': 0.5}},
    {'rope_scaling': {'rope_type': 'yarn'}},
    {'rope_theta': 1, 'rope_scaling': YARN},
    {'vocab_size': 2147483647, 'hidden_size': 2147483647, 'num_attention_heads': 1, 'num_key_value_heads': 1, 'head_dim': 2, 'intermediate_size': 2147483647, 'num_hidden_layers': 65536},
]
REFUSED_RELATIVES = {
    'mistral': [{'sliding_window': 0}, {'attention_bias': True}, {'mlp_bias': True}, {'layer_types': ['full_attention']}, {'architectures': ['LlamaForCausalLM']},
                {'sliding_window': None, 'layer_types': ['sliding_attention']}, {'tl_arch': 'llama', 'tl_tokenizer': 'none'}],
    'qwen2': [{'mlp_bias': True}, {'layer_types': ['sliding_attention']}, {'use_sliding_window': True, 'sliding_window': 0}, {'use_sliding_window': 1},
              {'use_sliding_window': True, 'sliding_window': None, 'layer_types': ['sliding_attention']}, {'rope_scaling': {'type': 'mrope'}},
              {'use_sliding_window': True, 'max_window_layers': -1}, {'max_window_layers': -1}, {'layer_types': ['full_attention'], 'max_window_layers': -1}],
    'qwen3': [{'mlp_bias': True}, {'use_sliding_window': False, 'max_window_layers': -1}, {'attention_bias': 'yes'}, {'head_dim': 7}, {'layer_types': ['chunked_attention']}],
    'smollm3': [{'no_rope_layers': [2]}, {'no_rope_layers': 1}, {'no_rope_layer_interval': 0}, {'layer_types': ['sliding_attention']}, {'mlp_bias': 1}],
    'olmo2': [{'mlp_bias': True}, {'attention_bias': 1}, {'architectures': ['OlmoForCausalLM']}],
    'phi3': [{'attention_bias': True}, {'sliding_window': 0}, {'rope_scaling': {'type': 'longrope', 'short_factor': [1.0] * 3, 'long_factor': [4.0] * 3}},
             {'rope_scaling': {'type': 'su'}}, {'partial_rotary_factor': 0.75}, {'architectures': ['PhiForCausalLM']}, {'rope_scaling': YARN}],
}
REFUSED_RELATIVES_BEYOND_THE_SCHEMA = {
    'mistral': [{'num_key_value_heads': ABSENT}],
    'qwen2': [{'num_hidden_layers': 2, 'use_sliding_window': True, 'layer_types': ['sliding_attention']},
              {'num_key_value_heads': ABSENT}],
    'qwen3': [{'num_key_value_heads': ABSENT}],
    'smollm3': [{'no_rope_layers': [1, 1]}, {'num_hidden_layers': 2, 'no_rope_layers': [1]}],
    'olmo2': [],
    'phi3': [],
}

# Nulls key by key, and rope_scaling beside rope_parameters: what transformers makes of them, or else the default.
NULLS = [{key: None} for key in (
    'num_key_value_heads', 'head_dim', 'max_position_embeddings', 'rms_norm_eps', 'rope_theta', 'hidden_act', 'tie_word_embeddings', 'attention_bias', 'mlp_bias',
    'use_sliding_window', 'max_window_layers', 'layer_types', 'rope_scaling', 'rope_parameters', 'partial_rotary_factor', 'quantization_config', 'torch_dtype',
    'dtype', 'architectures', 'attention_dropout', 'initializer_range', 'bos_token_id', 'eos_token_id', 'pad_token_id', 'use_cache',
    'original_max_position_embeddings', 'per_layer_config')]
ROPE_NULLS = [
    {'rope_scaling': {'rope_type': None}}, {'rope_scaling': {'type': None}}, {'rope_scaling': {'factor': None}}, {'rope_parameters': {'rope_type': None, 'rope_theta': 5e5}},
    {'rope_scaling': {'rope_type': None, 'type': 'linear', 'factor': 2.0}}, {'rope_scaling': {'type': None, 'rope_type': 'linear', 'factor': 2.0}},
    {'rope_parameters': {'rope_theta': None}}, {'rope_parameters': {'rope_theta': None}, 'rope_theta': 5e5}, {'rope_theta': None, 'rope_parameters': {'rope_theta': 5e5}},
    {'rope_theta': None, 'rope_scaling': {'type': 'linear', 'factor': 4.0}}, {'rope_parameters': {'partial_rotary_factor': None}},
    {'rope_parameters': {'partial_rotary_factor': None, 'rope_type': 'linear', 'factor': 2.0}}, {'rope_parameters': {'rope_theta': 5e5, 'factor': None, 'beta_fast': None}},
    {'rope_scaling': {**LLAMA3, 'original_max_position_embeddings': None}}, {'rope_scaling': LLAMA3, 'original_max_position_embeddings': None},
    {'rope_scaling': {**YARN, 'factor': None}}, {'rope_scaling': {'rope_type': 'yarn', 'factor': None}}, {'rope_scaling': {**YARN, 'factor': None, 'truncate': None}},
    {'rope_scaling': {**YARN, 'factor': None, 'original_max_position_embeddings': 4096}}, {'rope_scaling': {**YARN, 'original_max_position_embeddings': None}},
    {'rope_scaling': {**YARN, 'truncate': None}}, {'rope_scaling': {**YARN, 'truncate': True}}, {'rope_scaling': {**YARN, 'rope_theta': None}},
    {'rope_scaling': {**YARN, 'beta_fast': None, 'beta_slow': None}}, {'rope_scaling': {**YARN, 'mscale': None, 'mscale_all_dim': 1.0}},
    {'rope_scaling': {**YARN, 'mscale': 0.707, 'mscale_all_dim': 0.707, 'attention_factor': None}},
    {'rope_scaling': {**LLAMA3, 'original_max_position_embeddings': 8192.0}}, {'rope_scaling': {**YARN, 'original_max_position_embeddings': 512.0}},
]
LINEAR4 = {'type': 'linear', 'factor': 4.0}
BOTH = [
    {'rope_parameters': {'rope_type': 'default'}, 'rope_scaling': {'type': 'linear', 'factor': 2.0}}, {'rope_scaling': YARN, 'rope_parameters': {**YARN, 'factor': 2.0}},
    {'rope_scaling': {}, 'rope_parameters': {'rope_type': 'linear', 'factor': 2.0, 'rope_theta': 5e5}},
    {'rope_scaling': None, 'rope_parameters': {'rope_type': 'linear', 'factor': 2.0, 'rope_theta': 5e5}},
    {'rope_scaling': LINEAR4, 'rope_parameters': {'rope_type': 'linear', 'factor': 2.0, 'rope_theta': 5e5}},
    {'rope_scaling': LINEAR4, 'rope_parameters': {'rope_type': 'default', 'rope_theta': 5e5}, 'rope_theta': 1e6},
    {'rope_scaling': {**LINEAR4, 'rope_theta': 3e5}, 'rope_parameters': {'rope_theta': 5e5}}, {'rope_scaling': LINEAR4, 'rope_parameters': {'rope_type': 'longrope'}},
    {'rope_scaling': {'factor': None}, 'rope_parameters': {'rope_type': 'linear', 'factor': 2.0}}, {'rope_scaling': LINEAR4, 'rope_parameters': None},
]
OTHERS = [{'architectures': ['LlamaModel']}, {'architectures': ['LlamaModel'], 'tie_word_embeddings': True}, {'per_layer_config': {}}, {'_name_or_path': 'x/y', 'auto_map': {}}]
OTHERS_REFUSED = [{'per_layer_config': {'0': {'sliding_window': 7}}}, {'architectures': ['LlamaForSequenceClassification']}, {'rope_scaling': {**YARN, 'truncate': 'yes'}},
                  {'rope_scaling': LINEAR4, 'rope_parameters': 'linear'}, {'architectures': ['Qwen2Model']}]
RELATIVES_NULLS = [*NULLS, {'sliding_window': None}, {'sliding_window': None, 'layer_types': None},
                   {'use_sliding_window': True, 'sliding_window': 7, 'max_window_layers': None}, {'use_sliding_window': True, 'sliding_window': 7, 'layer_types': None},
                   {'use_sliding_window': True, 'sliding_window': 7, 'layer_types': None, 'max_window_layers': 0}]

BIGRAMS = [({}, True), ({'max_position_embeddings': ABSENT}, True), ({'vocab_size': ABSENT}, False), ({'vocab_size': 0}, False), ({'tl_tokenizer': ABSENT}, False)]


def merged(base, change):
    clean = lambda v: {k: clean(w) for k, w in v.items() if w is not ABSENT} if isinstance(v, dict) else v
    return clean({**base, **change})


def cases():
    """(accepted, whether the schema can tell, configuration)"""
    for accepted, by_schema, changes in ((True, True, ACCEPTED), (False, True, REFUSED), (False, False, REFUSED_BEYOND_THE_SCHEMA)):
        yield from ((accepted, by_schema, merged(HUGGING_FACE, change)) for change in changes)
    for accepted, by_schema, changes in ((True, True, ACCEPTED_RELATIVES), (False, True, REFUSED_RELATIVES), (False, False, REFUSED_RELATIVES_BEYOND_THE_SCHEMA)):
        yield from ((accepted, by_schema, merged(RELATIVES[name], change)) for name in RELATIVES for change in changes[name])
    yield from ((accepted, True, merged(BIGRAM, change)) for change, accepted in BIGRAMS)
    yield from ((True, True, merged(HUGGING_FACE, change)) for change in (*NULLS, *ROPE_NULLS, *BOTH, *OTHERS))
    yield from ((False, True, merged(HUGGING_FACE, change)) for change in OTHERS_REFUSED)
    yield from ((True, True, merged(relative, change)) for relative in RELATIVES.values() for change in RELATIVES_NULLS)
    yield from ((True, True, merged(relative, {'architectures': [relative['architectures'][0].replace('ForCausalLM', 'Model')]})) for relative in RELATIVES.values())


def values(config):
    """What transformers' own model has after it has read the configuration, as it counts for inference; None where it fails."""
    import torch
    import transformers
    with tempfile.TemporaryDirectory() as directory:
        (Path(directory) / 'config.json').write_text(json.dumps(config))
        try:
            c = transformers.AutoConfig.from_pretrained(directory)
            model = transformers.AutoModelForCausalLM.from_config(c, attn_implementation='eager', dtype=torch.float32).eval()
            with torch.no_grad():
                model(torch.tensor([[1, 2, 3]]))
        except Exception:
            return None
    layer, rope = model.model.layers[0], model.model.rotary_emb
    has_bias = lambda module, name: getattr(module, name, None) is not None and getattr(module, name).bias is not None
    return {'key_value_heads': c.num_key_value_heads, 'head_dim': layer.self_attn.head_dim, 'rms_norm_eps': model.model.norm.variance_epsilon,
            'max_position_embeddings': c.max_position_embeddings, 'tied': model.lm_head.weight is model.model.embed_tokens.weight,
            'qkv_bias': has_bias(layer.self_attn, 'q_proj'), 'o_bias': has_bias(layer.self_attn, 'o_proj'), 'mlp_bias': has_bias(layer.mlp, 'up_proj'),
            'windows': [window(c, one) for one in model.model.layers], 'rotates': [bool(getattr(one.self_attn, 'use_rope', True)) for one in model.model.layers], 'rope_theta': float(c.rope_parameters['rope_theta']), 'attention_factor': digits(rope.attention_scaling),
            'inverse_frequencies': [digits(f) for f in rope.inv_freq.tolist()]}


def window(config, layer):
    """Positions that a query of the layer sees, its own included; None for all."""
    if config.model_type in ('llama', 'olmo2'):
        return None
    return config.sliding_window if config.model_type in ('mistral', 'phi3') else layer.self_attn.sliding_window


def digits(number):
    """Six of them: the rest differs between machines."""
    return float(f'{number:.6g}')


def read_by_transformers(accepted, config):
    """Whether the case is one that transformers is asked about: of its own kind, and accepted."""
    return accepted and config.get('tl_arch') is None


def validator():
    schema = json.loads((io_json.SPEC / 'config.schema.json').read_text())
    jsonschema.Draft202012Validator.check_schema(schema)
    return jsonschema.Draft202012Validator(schema)


def main():
    os.environ['HF_HUB_OFFLINE'] = '1'
    warnings.filterwarnings('ignore')
    import transformers
    transformers.logging.set_verbosity_error()
    schema = validator()
    for accepted, by_schema, config in cases():
        assert schema.is_valid(config) == (accepted or not by_schema), config
    io_json.write_vectors('config-cases.json', {
        'format': 'schema: whether spec/config.schema.json alone gives the verdict; config.md has the other rules. values: what transformers makes of an '
                  'accepted configuration of its own kind, null where it fails; frequencies and attention factor with six digits',
        'cases': [{'accepted': accepted, 'schema': by_schema, 'config': config,
                   **({'values': values(config)} if read_by_transformers(accepted, config) else {})} for accepted, by_schema, config in cases()]},
        packages=('jsonschema', 'torch', 'transformers'), made_by='config_cases.py')


if __name__ == '__main__':
    main()
