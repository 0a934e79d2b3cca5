"""vectors/config-cases.json: configurations that are accepted and refused, each checked against spec/config.schema.json where it can tell."""
import json

import jsonschema

import io_json

HUGGING_FACE = {'architectures': ['LlamaForCausalLM'], 'model_type': 'llama', 'hidden_size': 24, 'intermediate_size': 40, 'num_hidden_layers': 1,
                'num_attention_heads': 4, 'num_key_value_heads': 2, 'vocab_size': 30}
BIGRAM = {'tl_arch': 'bigram', 'tl_tokenizer': 'byte', 'vocab_size': 256, 'max_position_embeddings': 64}
ABSENT = object()
REQUIRED = ('hidden_size', 'intermediate_size', 'num_hidden_layers', 'num_attention_heads', 'vocab_size')

ACCEPTED = [
    {}, {'num_key_value_heads': ABSENT}, {'num_key_value_heads': None}, {'architectures': ABSENT}, {'architectures': []},
    {'head_dim': 10}, {'head_dim': None}, {'head_dim': 10, 'hidden_size': 25}, {'tie_word_embeddings': True}, {'tie_word_embeddings': None},
    {'torch_dtype': 'bfloat16', 'rope_theta': 10000.0, 'rope_scaling': None}, {'dtype': 'float16', 'rope_parameters': {'rope_type': 'default', 'rope_theta': 5e5}},
    {'rope_theta': 5e5, 'rope_parameters': {'rope_type': 'default', 'rope_theta': 5e5}}, {'rope_parameters': None}, {'rope_parameters': {'rope_theta': 1e6}},
    {'rope_scaling': {'type': 'default'}}, {'rope_scaling': {'rope_type': 'default'}}, {'rope_theta': 10000}, {'partial_rotary_factor': 1.0},
    {'eos_token_id': 2}, {'eos_token_id': [2, 3]}, {'eos_token_id': None}, {'eos_token_id': []}, {'hidden_act': 'silu'}, {'sliding_window': None},
    {'sliding_window': 4096, 'use_sliding_window': False}, {'layer_types': ['full_attention']}, {'attention_bias': False, 'mlp_bias': False},
    {'quantization_config': None}, {'transformers_version': '5.0.0', 'use_cache': True, 'pretraining_tp': 1, 'attention_dropout': 0.0, 'initializer_range': 0.02},
    {'tl_arch': 'llama', 'tl_tokenizer': 'byte'}, {'tl_arch': 'llama', 'tl_tokenizer': 'hf', 'model_type': ABSENT}, {'tl_arch': None},
]
REFUSED = [
    *({key: ABSENT} for key in REQUIRED), *({key: None} for key in REQUIRED), *({key: 0} for key in REQUIRED),
    {'model_type': ABSENT}, {'model_type': 'mistral'}, {'model_type': 7}, {'tl_arch': 'llama'}, {'tl_arch': 'gpt', 'tl_tokenizer': 'byte'},
    {'tl_arch': 'llama', 'tl_tokenizer': 'sentencepiece'}, {'architectures': ['MistralForCausalLM']}, {'hidden_size': -8}, {'hidden_size': 24.5},
    {'hidden_size': '24'}, {'vocab_size': 2147483648}, {'num_key_value_heads': 0}, {'head_dim': 7}, {'head_dim': 0}, {'max_position_embeddings': 0},
    {'rms_norm_eps': 0}, {'rms_norm_eps': -1e-6}, {'rms_norm_eps': '1e-6'}, {'hidden_act': 'gelu'}, {'tie_word_embeddings': 1}, {'attention_bias': True}, {'mlp_bias': True},
    {'sliding_window': 4096}, {'sliding_window': 4096, 'use_sliding_window': True}, {'layer_types': ['sliding_attention']},
    {'quantization_config': {'quant_method': 'gptq'}}, {'dtype': 'float8_e4m3fn'}, {'torch_dtype': 'int8'}, {'rope_theta': 0}, {'rope_theta': -1.0}, {'rope_theta': '10000'},
    {'rope_scaling': {'type': 'linear', 'factor': 2.0}}, {'rope_scaling': {'rope_type': 'dynamic', 'factor': 2.0}}, {'rope_scaling': {'rope_type': 'yarn', 'factor': 4.0}},
    {'rope_scaling': {'rope_type': 'llama3', 'factor': 8.0}}, {'rope_parameters': {'rope_type': 'longrope'}},
    {'rope_parameters': {'rope_type': 'default'}, 'rope_scaling': {'type': 'linear', 'factor': 2.0}},
    {'rope_parameters': {'full_attention': {'rope_type': 'default', 'rope_theta': 10000.0}}}, {'partial_rotary_factor': 0.5},
    {'rope_parameters': {'rope_type': 'default', 'partial_rotary_factor': 0.5}}, {'eos_token_id': -1}, {'eos_token_id': '2'}, {'eos_token_id': [2, None]},
]
REFUSED_BEYOND_THE_SCHEMA = [
    {'num_key_value_heads': 3}, {'num_attention_heads': 5, 'num_key_value_heads': 5}, {'hidden_size': 20}, {'num_attention_heads': 2147483647, 'head_dim': 2, 'num_key_value_heads': 1},
    {'rope_theta': 10000.0, 'rope_parameters': {'rope_type': 'default', 'rope_theta': 5e5}},
    {'vocab_size': 2147483647, 'hidden_size': 2147483647, 'num_attention_heads': 1, 'num_key_value_heads': 1, 'head_dim': 2, 'intermediate_size': 2147483647, 'num_hidden_layers': 65536},
]
BIGRAMS = [({}, True), ({'max_position_embeddings': ABSENT}, True), ({'vocab_size': ABSENT}, False), ({'vocab_size': 0}, False), ({'tl_tokenizer': ABSENT}, False)]


def cases():
    """(accepted, whether the schema can tell, configuration)"""
    merged = lambda base, change: {k: v for k, v in {**base, **change}.items() if v is not ABSENT}
    for accepted, by_schema, changes in ((True, True, ACCEPTED), (False, True, REFUSED), (False, False, REFUSED_BEYOND_THE_SCHEMA)):
        yield from ((accepted, by_schema, merged(HUGGING_FACE, change)) for change in changes)
    yield from ((accepted, True, merged(BIGRAM, change)) for change, accepted in BIGRAMS)


def validator():
    schema = json.loads((io_json.SPEC / 'config.schema.json').read_text())
    jsonschema.Draft202012Validator.check_schema(schema)
    return jsonschema.Draft202012Validator(schema)


def main():
    schema = validator()
    for accepted, by_schema, config in cases():
        assert schema.is_valid(config) == (accepted or not by_schema), config
    io_json.write_vectors('config-cases.json', {
        'format': 'schema: whether spec/config.schema.json alone gives the verdict; config.md has the other rules',
        'cases': [{'accepted': accepted, 'schema': by_schema, 'config': config} for accepted, by_schema, config in cases()]},
        packages=('jsonschema',), made_by='config_cases.py')


if __name__ == '__main__':
    main()
