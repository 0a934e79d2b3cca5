"""golden/models: tiny random checkpoints and what Hugging Face and numerics.py make of them.

Weights are scaled so that attention is uneven, every layer matters and logits reach 10 to 30; a comparison of flat logits shows nothing.
"""
import json
import os
import shutil
import sys
import warnings
from dataclasses import dataclass, field

import numpy as np

import int4
import io_json
import numerics
import tensor_file

PACKAGES = ('numpy', 'torch', 'transformers', 'safetensors')
GREEDY_STEPS = 32
NEAR_TIE = 2e-2
LAST_ROWS = 8  # kept of a prompt longer than LONG
LONG = 32
HIDDEN_OF = 2  # the prompt whose hidden states are kept


@dataclass(frozen=True)
class Tiny:
    """A random Llama or relative: config.json as given, the rest says how the weights are drawn and stored."""
    name: str
    seed: int
    config: dict
    dtype: str  # of weights; norms too, unless norm_dtype
    norm_dtype: str | None = None
    shards: int = 1
    lengths: tuple = (1, 2, 5, 19)
    logit_scale: float = 5.0
    generation_config: dict | None = None
    stray: dict = field(default_factory=dict)  # extra tensors: name -> shape; 'lm_head.weight' repeats the embedding
    other_head: str | None = None  # dtype of a head that differs from the embedding it is tied to
    prefix: str = 'model.'  # of all tensors but the head; a model without one has none


CAUSAL_LM = {'llama': 'LlamaForCausalLM', 'mistral': 'MistralForCausalLM', 'qwen2': 'Qwen2ForCausalLM', 'qwen3': 'Qwen3ForCausalLM',
             'smollm3': 'SmolLM3ForCausalLM', 'olmo2': 'Olmo2ForCausalLM', 'phi3': 'Phi3ForCausalLM'}


def decoder(model_type, hidden, intermediate, layers, heads, vocab, **rest):
    return {'architectures': [CAUSAL_LM[model_type]], 'model_type': model_type, 'hidden_size': hidden, 'intermediate_size': intermediate,
            'num_hidden_layers': layers, 'num_attention_heads': heads, 'vocab_size': vocab, **rest}


def llama(*sizes, **rest):
    return decoder('llama', *sizes, **rest)


MODELS = [
    Tiny('tiny-llama', 10, {**llama(64, 172, 2, 4, 256, num_key_value_heads=2, head_dim=16, hidden_act='silu', max_position_embeddings=512,
                                    rms_norm_eps=1e-5, rope_theta=10000.0, rope_scaling=None, tie_word_embeddings=True, attention_bias=False,
                                    mlp_bias=False, torch_dtype='bfloat16', eos_token_id=None),
                            'tl_arch': 'llama', 'tl_tokenizer': 'byte'}, 'BF16', lengths=(1, 2, 5, 23, 300)),
    Tiny('mha-f32', 11, llama(60, 75, 2, 5, 97, num_key_value_heads=5, hidden_act='silu', max_position_embeddings=128, rms_norm_eps=1e-6,
                              rope_theta=10000.0, rope_scaling=None, tie_word_embeddings=False, torch_dtype='float32', bos_token_id=1,
                              eos_token_id=2, use_cache=True, initializer_range=0.02, pretraining_tp=1, transformers_version='4.38.2'), 'F32'),
    Tiny('gqa-f16-wide-heads', 12, llama(78, 101, 2, 6, 103, num_key_value_heads=2, head_dim=14, hidden_act='silu', max_position_embeddings=200,
                                         rms_norm_eps=1e-5, rope_parameters={'rope_type': 'default', 'rope_theta': 500000.0},
                                         tie_word_embeddings=False, attention_bias=False, mlp_bias=False, attention_dropout=0.0,
                                         dtype='float16', eos_token_id=[2], transformers_version='5.0.0'), 'F16', lengths=(1, 2, 5, 21)),
    Tiny('mqa-bf16-tied', 13, llama(70, 75, 2, 7, 89, num_key_value_heads=1, head_dim=10, hidden_act='silu', max_position_embeddings=600,
                                    rms_norm_eps=1e-5, rope_parameters={'rope_type': 'default', 'rope_theta': 10000.0},
                                    tie_word_embeddings=True, dtype='bfloat16', eos_token_id=2, transformers_version='5.0.0'),
         'BF16', lengths=(1, 2, 5, 17, 530), logit_scale=4.0),
    Tiny('bare-f32', 14, llama(36, 52, 3, 3, 61), 'F32', lengths=(1, 2, 5, 20, 300)),
    Tiny('segments-bf16', 15, llama(260, 521, 1, 4, 131, num_key_value_heads=2, head_dim=66, max_position_embeddings=256, rms_norm_eps=1e-5,
                                    rope_theta=100000.0, rope_scaling={'rope_type': 'default'}, tie_word_embeddings=False,
                                    torch_dtype='bfloat16', eos_token_id=0), 'BF16', lengths=(1, 2, 5, 18)),
    Tiny('sharded-mixed', 16, llama(72, 90, 3, 6, 107, num_key_value_heads=3, max_position_embeddings=160, rms_norm_eps=1e-6,
                                    rope_theta=10000.0, tie_word_embeddings=False, torch_dtype='bfloat16', bos_token_id=1, eos_token_id=2),
         'BF16', norm_dtype='F32', shards=3, lengths=(1, 2, 5, 22),
         generation_config={'bos_token_id': 1, 'eos_token_id': [2, 5, 11], 'do_sample': False}),
    Tiny('tied-with-head-f16', 17, llama(48, 75, 2, 4, 83, num_key_value_heads=4, max_position_embeddings=96, rms_norm_eps=1e-5,
                                         rope_theta=10000.0, tie_word_embeddings=True, torch_dtype='float16', eos_token_id=3), 'F16',
         stray={'lm_head.weight': None, 'model.layers.0.self_attn.rotary_emb.inv_freq': (6,), 'model.layers.1.self_attn.rotary_emb.inv_freq': (6,)}),
]

# Llama's relatives, biases and scaled rotary positions, in the spellings of transformers 4 and 5. Windows are odd, contexts longer than they.
MODELS += [
    Tiny('llama3-rope-bf16', 20, llama(40, 52, 2, 4, 79, num_key_value_heads=2, head_dim=16, max_position_embeddings=4096, rms_norm_eps=1e-5, rope_theta=500000.0,
                                       rope_scaling={'factor': 8.0, 'low_freq_factor': 1.0, 'high_freq_factor': 4.0, 'original_max_position_embeddings': 512,
                                                     'rope_type': 'llama3'},
                                       attention_bias=False, mlp_bias=False, tie_word_embeddings=False, torch_dtype='bfloat16', eos_token_id=[2, 3]),
         'BF16', lengths=(1, 2, 5, 18, 300)),
    Tiny('linear-rope-biases-f16', 21, llama(33, 43, 2, 3, 67, num_key_value_heads=1, head_dim=14, max_position_embeddings=512, rms_norm_eps=1e-5,
                                             rope_parameters={'rope_type': 'linear', 'factor': 2.0, 'rope_theta': 10000.0}, attention_bias=True, mlp_bias=True,
                                             tie_word_embeddings=True, dtype='float16', eos_token_id=2), 'F16', lengths=(1, 2, 5, 17, 270), logit_scale=4.0),
    Tiny('yarn-rope-f32', 22, llama(36, 40, 1, 3, 61, max_position_embeddings=512, rms_norm_eps=1e-6, rope_theta=10000.0,
                                    rope_scaling={'type': 'yarn', 'factor': 4.0, 'original_max_position_embeddings': 128}, mlp_bias=True, torch_dtype='float32'),
         'F32', lengths=(1, 2, 5, 20, 300)),
    Tiny('mistral-window-bf16', 23, decoder('mistral', 42, 50, 2, 4, 71, num_key_value_heads=2, head_dim=10, hidden_act='silu', max_position_embeddings=1024,
                                            rms_norm_eps=1e-5, rope_theta=10000.0, sliding_window=7, tie_word_embeddings=False, torch_dtype='bfloat16',
                                            bos_token_id=1, eos_token_id=2, attention_dropout=0.0), 'BF16', lengths=(1, 2, 5, 23, 300)),
    Tiny('mistral-long-window-f16', 24, decoder('mistral', 30, 36, 1, 3, 59, num_key_value_heads=1, head_dim=12, max_position_embeddings=1024, rms_norm_eps=1e-5,
                                                rope_parameters={'rope_type': 'llama3', 'factor': 4.0, 'low_freq_factor': 1.0, 'high_freq_factor': 4.0,
                                                                 'original_max_position_embeddings': 256, 'rope_theta': 1000000.0},
                                                sliding_window=301, tie_word_embeddings=False, dtype='float16', eos_token_id=2), 'F16', lengths=(1, 2, 5, 19, 620)),
    Tiny('qwen2-bf16-tied', 25, decoder('qwen2', 48, 56, 2, 6, 83, num_key_value_heads=2, max_position_embeddings=512, rms_norm_eps=1e-6, rope_theta=1000000.0,
                                        use_sliding_window=False, sliding_window=32768, max_window_layers=1, tie_word_embeddings=True, torch_dtype='bfloat16',
                                        bos_token_id=1, eos_token_id=2, attention_dropout=0.0), 'BF16', lengths=(1, 2, 5, 21, 300), logit_scale=4.0),
    Tiny('qwen2-window-yarn-f32', 26, decoder('qwen2', 32, 40, 1, 4, 53, num_key_value_heads=4, max_position_embeddings=1024, rms_norm_eps=1e-6,
                                              rope_parameters={'rope_type': 'yarn', 'factor': 4.0, 'original_max_position_embeddings': 256, 'rope_theta': 1000000.0,
                                                               'beta_fast': 16.0, 'beta_slow': 2.0, 'truncate': False, 'attention_factor': 1.25},
                                              use_sliding_window=True, sliding_window=33, max_window_layers=0, layer_types=['sliding_attention'],
                                              tie_word_embeddings=False, dtype='float32'), 'F32', lengths=(1, 2, 5, 20, 290)),
    Tiny('qwen3-wide-heads-f16', 37, decoder('qwen3', 38, 46, 2, 4, 73, num_key_value_heads=2, head_dim=20, max_position_embeddings=512, rms_norm_eps=1e-6,
                                             rope_parameters={'rope_type': 'default', 'rope_theta': 1000000.0}, attention_bias=False, use_sliding_window=False,
                                             sliding_window=None, max_window_layers=2, layer_types=['full_attention', 'full_attention'], tie_word_embeddings=True,
                                             dtype='float16', eos_token_id=2), 'F16', lengths=(1, 2, 5, 22, 300), logit_scale=4.0),
    Tiny('qwen3-biases-yarn-bf16', 28, decoder('qwen3', 36, 44, 1, 5, 63, num_key_value_heads=1, head_dim=8, max_position_embeddings=512, rms_norm_eps=1e-6,
                                               rope_theta=10000.0, original_max_position_embeddings=64, attention_bias=True, tie_word_embeddings=False,
                                               rope_scaling={'rope_type': 'yarn', 'type': 'yarn', 'factor': 8.0, 'mscale': 1.0, 'mscale_all_dim': 0.5},
                                               torch_dtype='bfloat16', bos_token_id=1, eos_token_id=[2]), 'BF16', norm_dtype='F32', lengths=(1, 2, 5, 19, 280)),
]

# Layers that differ.
MODELS += [
    Tiny('qwen3-mixed-windows-bf16', 40, decoder('qwen3', 46, 54, 2, 4, 77, num_key_value_heads=2, head_dim=14, max_position_embeddings=512, rms_norm_eps=1e-6,
                                                 rope_theta=10000.0, use_sliding_window=True, sliding_window=9, max_window_layers=1, tie_word_embeddings=False,
                                                 layer_types=['sliding_attention', 'full_attention'],
                                                 dtype='bfloat16', eos_token_id=2), 'BF16', lengths=(1, 2, 5, 23, 280)),
]

# Other architectures.
MODELS += [
    Tiny('smollm3-bf16', 51, decoder('smollm3', 48, 52, 4, 4, 75, num_key_value_heads=2, max_position_embeddings=512, rms_norm_eps=1e-6, rope_theta=50000.0,
                                     no_rope_layers=[1, 0, 1, 0], no_rope_layer_interval=2, use_sliding_window=True, sliding_window=11, attention_bias=True,
                                     layer_types=None, tie_word_embeddings=True, dtype='bfloat16', pad_token_id=None, bos_token_id=None, eos_token_id=2), 'BF16', lengths=(1, 2, 5, 22, 280), logit_scale=4.0),
    Tiny('olmo2-f16', 42, decoder('olmo2', 38, 46, 2, 4, 71, num_key_value_heads=2, head_dim=12, max_position_embeddings=512, rms_norm_eps=1e-5, rope_theta=500000.0,
                                  attention_bias=False, tie_word_embeddings=False, torch_dtype='float16', eos_token_id=2), 'F16', lengths=(1, 2, 5, 21, 290)),
    Tiny('phi3-window-bf16', 63, decoder('phi3', 44, 50, 2, 4, 73, num_key_value_heads=2, head_dim=12, max_position_embeddings=512, rms_norm_eps=1e-5, rope_theta=10000.0,
                                         rope_scaling=None, sliding_window=13, attention_bias=False, tie_word_embeddings=False, torch_dtype='bfloat16',
                                         original_max_position_embeddings=512, bos_token_id=1, eos_token_id=2, pad_token_id=None), 'BF16', lengths=(1, 2, 5, 21, 290)),
]

# Files that disagree with their config.json, or have other names: what transformers makes of them.
MODELS += [
    Tiny('tied-other-head-bf16', 38, llama(44, 58, 2, 4, 69, num_key_value_heads=2, head_dim=12, max_position_embeddings=512, rms_norm_eps=1e-5, rope_theta=10000.0,
                                           tie_word_embeddings=True, torch_dtype='bfloat16', eos_token_id=2), 'BF16', shards=2, lengths=(1, 2, 5, 21, 270),
         logit_scale=4.0, other_head='F32'),
    Tiny('base-model-f32', 39, {**decoder('qwen3', 40, 48, 1, 4, 57, num_key_value_heads=2, head_dim=12, max_position_embeddings=512, rms_norm_eps=1e-6,
                                          rope_theta=1000000.0, tie_word_embeddings=True, torch_dtype='float32', eos_token_id=2),
                                'architectures': ['Qwen3Model']}, 'F32', lengths=(1, 2, 5, 18, 280), logit_scale=4.0, prefix=''),
]

# 64 and 96 are multiples of the group, 32, as every projection's input must be.
INT4_SOURCE = Tiny('tiny-int4-f32', 18, llama(64, 96, 2, 4, 109, num_key_value_heads=2, max_position_embeddings=128, rms_norm_eps=1e-5,
                                              rope_theta=10000.0, tie_word_embeddings=False, torch_dtype='float32', eos_token_id=None),
                   'F32', lengths=(1, 2, 5, 20))
INT4_GROUP = 32


def random_weights(m):
    """f32 values by Hugging Face's tensor names, representable in the stored dtype."""
    c, rng = m.config, np.random.default_rng(m.seed)
    E, F, V, H = c['hidden_size'], c['intermediate_size'], c['vocab_size'], c['num_attention_heads']
    G, D = c.get('num_key_value_heads', H), c.get('head_dim', E // H)

    def normal(rows, columns, scale):
        return (rng.standard_normal((rows, columns)) * scale / np.sqrt(columns)).astype(np.float32)

    def norm(size=E, scale=1.0):
        return (scale * (1 + 0.25 * rng.standard_normal(size))).astype(np.float32)

    def bias(size):
        return (0.4 * rng.standard_normal(size)).astype(np.float32)

    attention_bias = {'q': H * D, 'k': G * D, 'v': G * D} if c['model_type'] == 'qwen2' or c.get('attention_bias') else {}
    if c['model_type'] != 'qwen2' and attention_bias:
        attention_bias['o'] = E

    tied = c.get('tie_word_embeddings', False)
    w = {'model.embed_tokens.weight': normal(V, E, m.logit_scale if tied else np.sqrt(E))}
    residual = 1.2 * (m.logit_scale / np.sqrt(E) if tied else 1.0)  # layers add about as much as the embedding holds
    for layer in range(c['num_hidden_layers']):
        p = f'model.layers.{layer}.'
        if c['model_type'] != 'olmo2':
            w[p + 'input_layernorm.weight'] = norm()
        w[p + 'self_attn.q_proj.weight'] = normal(H * D, E, 1.2)
        w[p + 'self_attn.k_proj.weight'] = normal(G * D, E, 1.2)
        w[p + 'self_attn.v_proj.weight'] = normal(G * D, E, 1.0)
        w[p + 'self_attn.o_proj.weight'] = normal(E, H * D, 1.3 * residual)
        w[p + 'post_attention_layernorm.weight'] = norm()
        w[p + 'mlp.gate_proj.weight'] = normal(F, E, 1.5)
        w[p + 'mlp.up_proj.weight'] = normal(F, E, 1.5)
        w[p + 'mlp.down_proj.weight'] = normal(E, F, residual)
        w |= {p + f'self_attn.{n}_proj.bias': bias(size) for n, size in attention_bias.items()}
        if c.get('mlp_bias'):
            w |= {p + f'mlp.{n}_proj.bias': bias(size) for n, size in (('gate', F), ('up', F), ('down', E))}
        if c['model_type'] == 'qwen3':  # longer than one, or attention would be even
            w |= {p + f'self_attn.{n}_norm.weight': norm(D, 1.5) for n in 'qk'}
        if c['model_type'] == 'olmo2':
            w |= {p + 'self_attn.q_norm.weight': norm(H * D, 1.2), p + 'self_attn.k_norm.weight': norm(G * D, 1.2), p + 'post_feedforward_layernorm.weight': norm()}
        if c['model_type'] == 'phi3':
            w[p + 'self_attn.qkv_proj.weight'] = np.concatenate([w.pop(p + f'self_attn.{n}_proj.weight') for n in 'qkv'])
            w[p + 'mlp.gate_up_proj.weight'] = np.concatenate([w.pop(p + f'mlp.{n}_proj.weight') for n in ('gate', 'up')])
    w['model.norm.weight'] = norm()
    if tied:  # signs, or a token's best successor would be itself
        w['model.norm.weight'] *= rng.choice(np.float32([-1, 1]), E)
    else:
        w['lm_head.weight'] = normal(V, E, m.logit_scale)
    return w


def write_json(path, value):
    path.write_text(json.dumps(value, indent=2) + '\n')


def fresh(name):
    directory = io_json.GOLDEN / 'models' / name
    shutil.rmtree(directory, ignore_errors=True)
    directory.mkdir(parents=True)
    return directory


def write_checkpoint(m):
    directory, w = fresh(m.name), random_weights(m)
    write_json(directory / 'config.json', m.config)
    if m.generation_config:
        write_json(directory / 'generation_config.json', m.generation_config)
    stored = {m.prefix + name.removeprefix('model.') if name != 'lm_head.weight' else name: (m.norm_dtype if m.norm_dtype and 'norm' in name else m.dtype, values)
              for name, values in w.items()}
    if m.other_head:
        shape, rng = w['model.embed_tokens.weight'].shape, np.random.default_rng(m.seed + 2000)
        stored['lm_head.weight'] = (m.other_head, (rng.standard_normal(shape) * m.logit_scale / np.sqrt(shape[1])).astype(np.float32))
    for name, shape in m.stray.items():
        stored[name] = (m.dtype, w['model.embed_tokens.weight']) if shape is None else ('F32', np.ones(shape, np.float32))
    metadata = {'format': 'pt'}
    if m.shards == 1:
        tensor_file.write(directory / 'model.safetensors', stored, metadata)
        return directory
    names, weight_map = list(stored), {}
    for n, part in enumerate(np.array_split(names, m.shards), 1):
        file = f'model-{n:05}-of-{m.shards:05}.safetensors'
        tensor_file.write(directory / file, {str(name): stored[name] for name in part}, metadata)
        weight_map |= {str(name): file for name in part}
    total = sum(values.size * (4 if dtype == 'F32' else 2) for dtype, values in stored.values())
    write_json(directory / 'model.safetensors.index.json', {'metadata': {'total_size': total}, 'weight_map': dict(sorted(weight_map.items()))})
    return directory


class Reference:
    """Hugging Face's model in float32 on one CPU thread, eager attention, no cache."""

    def __init__(self, directory):
        os.environ['HF_HUB_OFFLINE'] = '1'
        import torch
        import transformers
        transformers.logging.set_verbosity_error()
        transformers.utils.logging.disable_progress_bar()
        torch.set_num_threads(1)
        self.torch = torch
        self.model = transformers.AutoModelForCausalLM.from_pretrained(directory, dtype=torch.float32, attn_implementation='eager').eval()
        assert all(p.dtype == torch.float32 for p in self.model.parameters())

    def run(self, tokens):
        """[T, V] logits, [T, E] hidden states after the final norm."""
        with self.torch.no_grad():
            hidden = self.model.model(self.torch.tensor([tokens]), use_cache=False).last_hidden_state
            return self.model.lm_head(hidden)[0].numpy(), hidden[0].numpy()

    def greedy(self, tokens):
        """The next tokens, end tokens ignored, and at each step how far the best logit was ahead of the second."""
        tokens, chosen, gaps = list(tokens), [], []
        for _ in range(GREEDY_STEPS):
            row = self.run(tokens)[0][-1]
            second, best = np.sort(row)[-2:]
            gaps.append(float(np.float32(best - second)))
            chosen.append(int(row.argmax()))
            tokens.append(chosen[-1])
        return chosen, gaps


def compared_steps(gaps):
    return next((i for i, gap in enumerate(gaps) if gap < NEAR_TIE), len(gaps))


def choose_prompt(reference, rng, length, vocab, tries=12):
    """The first random prompt whose greedy continuation stays clear of near ties for 28 steps and is varied; else the best of them."""
    candidates = []
    for _ in range(tries):
        tokens = [int(t) for t in rng.integers(0, vocab, length)]
        chosen, gaps = reference.greedy(tokens)
        quality = min(compared_steps(gaps), 28), min(len(set(chosen)), 12)
        candidates.append((quality, tokens, chosen, gaps))
        if quality == (28, 12):
            break
    return max(candidates, key=lambda c: c[0])[1:]


def relative_error(actual, expected):
    return float(np.abs(actual - expected).max() / np.abs(expected).max())


def write_reference(m, directory):
    reference, rng = Reference(directory), np.random.default_rng(m.seed + 1000)
    prompts, tensors, largest, errors = [], {}, 0.0, {'f16': 0.0, 'f32': 0.0}
    for n, length in enumerate(m.lengths):
        tokens, chosen, gaps = choose_prompt(reference, rng, length, m.config['vocab_size'])
        rows = length if length <= LONG else LAST_ROWS
        hf, hidden = reference.run(tokens)
        largest = max(largest, float(np.abs(hf).max()))
        tensors[f'p{n}.hf_logits'] = ('F32', hf[-rows:])
        if n == HIDDEN_OF:
            tensors[f'p{n}.hf_hidden'] = ('F32', hidden)
        for kv in errors:
            ours, our_hidden = numerics.forward(directory, tokens, kv)
            if n == HIDDEN_OF:
                tensors[f'p{n}.hidden_{kv}'] = ('F32', our_hidden)
            errors[kv] = max(errors[kv], relative_error(ours, hf))
            tensors[f'p{n}.logits_{kv}'] = ('F32', ours[-rows:])
        prompts.append({'tokens': tokens, 'first_row': length - rows, 'greedy': chosen, 'gaps': gaps, 'compared': compared_steps(gaps)})
    share = sum(p['compared'] for p in prompts) / (GREEDY_STEPS * len(prompts))
    assert 10 <= largest <= 30, (m.name, largest)
    assert errors['f16'] <= 1e-3 and errors['f32'] <= 1e-5, (m.name, errors)
    assert share >= 0.6, (m.name, share)
    io_json.write(directory / 'reference.json', {
        'made_by': 'golden/make/models.py', 'made_with': io_json.made_with(PACKAGES),
        'largest_logit': round(largest, 3), 'numerics_error_f16': float(f'{errors["f16"]:.2e}'), 'numerics_error_f32': float(f'{errors["f32"]:.2e}'),
        'compared_share': round(share, 3), 'prompts': prompts})
    tensor_file.write(directory / 'reference.safetensors', tensors)
    print(f'{m.name}: largest {largest:.1f}, f16 {errors["f16"]:.1e}, f32 {errors["f32"]:.1e}, compared {share:.0%}')


def write_int4_checkpoints():
    """A random Llama with its projections quantized: as an int4 directory, and dequantized to f32."""
    packed, twin = {}, {}
    for name, values in random_weights(INT4_SOURCE).items():
        if '_proj.' in name:
            quantized = int4.quantize(values, INT4_GROUP)
            packed[name + '.qweight'] = ('U8', quantized.packed)
            packed[name + '.scales'] = ('F16', quantized.scales)
            twin[name] = ('F32', quantized.dequantized())
        else:
            packed[name] = twin[name] = ('F32', values)
    directories = fresh('tiny-int4'), fresh('tiny-int4-f32')
    for directory, tensors, metadata in zip(directories, (packed, twin), ({'quant': f'int4-g{INT4_GROUP}-sym'}, {'format': 'pt'})):
        write_json(directory / 'config.json', INT4_SOURCE.config)
        tensor_file.write(directory / 'model.safetensors', tensors, metadata)
    return directories


def write_int4_references(packed, twin):
    """Hugging Face reads the twin only; the int4 directory has the same reference, and the same bits by numerics.py."""
    write_reference(INT4_SOURCE, twin)
    for name in ('reference.json', 'reference.safetensors'):
        shutil.copyfile(twin / name, packed / name)
    write_int8_logits(packed)
    check_numerics(packed)


def write_int8_logits(directory):
    """Adds to an int4 model's reference what int8 activations make of its prompts."""
    file = directory / 'reference.safetensors'
    tensors = {name: ('F32', values) for name, values in tensor_file.read(file)[0].items()}
    for n, prompt in enumerate(json.loads((directory / 'reference.json').read_text())['prompts']):
        for kv in ('f16', 'f32'):
            rows = numerics.logits(directory, prompt['tokens'], kv, 'int8')[prompt['first_row']:]
            tensors[f'p{n}.logits_{kv}_int8'] = ('F32', rows)
    tensor_file.write(file, tensors)


def check_numerics(directory):
    """numerics.py's logits and hidden states against the checked-in ones, bit for bit."""
    prompts = json.loads((directory / 'reference.json').read_text())['prompts']
    stored, _ = tensor_file.read(directory / 'reference.safetensors')
    for n, prompt in enumerate(prompts):
        for kv in ('f16', 'f32'):
            ours, hidden = numerics.forward(directory, prompt['tokens'], kv)
            same = ours[prompt['first_row']:].tobytes() == stored[f'p{n}.logits_{kv}'].tobytes()
            if f'p{n}.hidden_{kv}' in stored:
                same &= hidden.tobytes() == stored[f'p{n}.hidden_{kv}'].tobytes()
            if f'p{n}.logits_{kv}_int8' in stored:
                ours = numerics.logits(directory, prompt['tokens'], kv, 'int8')
                same &= ours[prompt['first_row']:].tobytes() == stored[f'p{n}.logits_{kv}_int8'].tobytes()
            assert same, f'{directory.name}: prompt {n}, {kv} cache'


def write_bigram():
    """Bytes; after a letter the next one of the alphabet, after z an a, after anything else an a."""
    V, rng = 256, np.random.default_rng(19)
    table = rng.standard_normal((V, V)).astype(np.float32)
    following = {ord('a') + i: ord('a') + (i + 1) % 26 for i in range(26)}
    for byte in range(V):
        table[byte, following.get(byte, ord('a'))] = 15 + rng.standard_normal()
    directory = fresh('bigram')
    write_json(directory / 'config.json', {'tl_arch': 'bigram', 'tl_tokenizer': 'byte', 'vocab_size': V, 'max_position_embeddings': 1024})
    tensor_file.write(directory / 'model.safetensors', {'bigram.weight': ('F32', table)})
    prompts, tensors = [], {}
    for n, text in enumerate(('a', 'hi', 'x-yz!', 'The quick brown fox, z')):
        tokens, greedy, gaps = list(text.encode()), [], []
        for _ in range(GREEDY_STEPS):
            row = table[(tokens + greedy)[-1]]
            gaps.append(float(np.subtract(*np.sort(row)[[-1, -2]])))
            greedy.append(int(row.argmax()))
        for kv in ('f16', 'f32'):
            tensors[f'p{n}.logits_{kv}'] = ('F32', numerics.logits(directory, tokens, kv))
        prompts.append({'text': text, 'tokens': tokens, 'first_row': 0, 'greedy': greedy, 'greedy_text': bytes(greedy).decode(), 'gaps': gaps,
                        'compared': compared_steps(gaps)})
    assert prompts[0]['greedy_text'].startswith('bcdefg')
    io_json.write(directory / 'reference.json', {
        'made_by': 'golden/make/models.py', 'made_with': io_json.made_with(('numpy',)),
        'largest_logit': round(float(np.abs(table).max()), 3), 'compared_share': 1.0, 'prompts': prompts})
    tensor_file.write(directory / 'reference.safetensors', tensors)


def main(names=()):
    warnings.filterwarnings('ignore')
    for m in MODELS:
        if not names or m.name in names:
            write_reference(m, write_checkpoint(m))
    if not names:
        write_bigram()
        write_int4_references(*write_int4_checkpoints())


if __name__ == '__main__':
    main(sys.argv[1:])  # some models' names, or none for all
