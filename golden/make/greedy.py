"""Greedy continuations of text by transformers (float32, eager attention, one thread), to be compared under numerics.md's near-tie rule."""
import os

os.environ['HF_HUB_OFFLINE'] = '1'

import torch
import transformers

from models import compared_steps

LEAST_COMPARED = 0.6


class Reference:
    def __init__(self, directory):
        transformers.logging.set_verbosity_error()
        transformers.utils.logging.disable_progress_bar()
        torch.set_num_threads(1)
        self.tokenizer = transformers.AutoTokenizer.from_pretrained(directory)
        self.model = transformers.LlamaForCausalLM.from_pretrained(directory, dtype=torch.float32, attn_implementation='eager').eval()
        assert all(p.dtype == torch.float32 for p in self.model.parameters())
        self.largest_logit = 0.0  # by magnitude, of the rows chosen from

    @torch.no_grad()
    def last_row(self, tokens):
        """[1, V] logits after the last token"""
        return self.model(torch.tensor([tokens]), use_cache=False).logits[0, -1:].numpy()

    def continuation(self, text, steps):
        """The prompt's tokens, the next `steps` ones, end tokens ignored, and at each step how far the best logit was ahead of the second."""
        tokens = self.tokenizer(text).input_ids
        greedy, gaps = self.next_tokens(tokens, steps)
        return {'text': text, 'tokens': tokens, 'greedy': greedy, 'greedy_text': self.tokenizer.decode(greedy), 'gaps': gaps,
                'compared': compared_steps(gaps)}

    def answer(self, messages, steps):
        """The same of a chat: the template's rendering as the prompt, and an answer that ends with the first end token if one comes."""
        tokens = self.tokenizer.apply_chat_template(messages, add_generation_prompt=True, return_dict=False)
        greedy, gaps = self.next_tokens(tokens, steps, self.model.generation_config.eos_token_id)
        return {'tokens': tokens, 'greedy': greedy, 'text': self.tokenizer.decode(greedy, skip_special_tokens=True), 'gaps': gaps,
                'compared': compared_steps(gaps)}

    @torch.no_grad()
    def next_tokens(self, tokens, steps, end=None):
        """Up to `steps` greedy tokens, the last of them `end` if that came, and the gaps."""
        greedy, gaps, cache, new = [], [], None, tokens
        while len(greedy) < steps and (end is None or greedy[-1:] != [end]):
            out = self.model(torch.tensor([new]), cache=cache, use_cache=True)
            cache, row = out.cache, out.logits[0, -1]
            best, second = row.topk(2).values
            gaps.append((best - second).item())
            greedy.append(int(row.argmax()))
            new = greedy[-1:]
            self.largest_logit = max(self.largest_logit, row.abs().max().item())
        return greedy, gaps


def compared_share(prompts):
    """Of all steps, those before their prompt's first near tie; refused when the comparison would show too little."""
    share = sum(p['compared'] for p in prompts) / sum(len(p['greedy']) for p in prompts)
    assert share >= LEAST_COMPARED, (share, [(p['text'], p['compared']) for p in prompts])
    return round(share, 3)
