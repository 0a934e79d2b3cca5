"""Renders chat templates with transformers and writes each case and its outcome as a line of JSON.

usage: python reference.py DIRECTORY-OF-TEMPLATES OUT.jsonl
"""

import datetime
import json
import pathlib
import sys

from tokenizers import Tokenizer, models
from transformers import PreTrainedTokenizerFast
from transformers.utils import chat_template_utils

from conversations import CONVERSATIONS

NOW = datetime.datetime(2025, 3, 7, 9, 5, 3)
TOKENS = {"bos_token": "<|bos|>", "eos_token": "<|eos|>", "unk_token": "<unk>", "pad_token": "<pad>"}


class FixedClock(datetime.datetime):
    @classmethod
    def now(cls, tz=None):
        return NOW


def render(tokenizer, case):
    try:
        return {
            "text": tokenizer.apply_chat_template(
                case["messages"],
                tools=case["tools"] or None,
                add_generation_prompt=case["add_generation_prompt"],
                tokenize=False,
                **case["variables"],
            )
        }
    except Exception as e:  # whatever a template raises is its outcome
        return {"error": str(e), "error_type": type(e).__name__}


def main():
    templates, out = map(pathlib.Path, sys.argv[1:])
    chat_template_utils.datetime = FixedClock
    tokenizer = PreTrainedTokenizerFast(tokenizer_object=Tokenizer(models.WordLevel({"<unk>": 0}, "<unk>")), **TOKENS)
    with out.open("w", encoding="utf-8") as lines:
        for template in sorted(templates.glob("*.jinja")):
            tokenizer.chat_template = template.read_text(encoding="utf-8")
            for name, conversation in CONVERSATIONS.items():
                case = {
                    "template": template.name,
                    "conversation": name,
                    "source": tokenizer.chat_template,
                    "now": NOW.isoformat(),
                    "special_tokens": TOKENS,
                    "messages": conversation["messages"],
                    "tools": conversation.get("tools", []),
                    "add_generation_prompt": conversation.get("add_generation_prompt", True),
                    "variables": conversation.get("variables", {}),
                }
                case["expected"] = render(tokenizer, case)
                lines.write(json.dumps(case, ensure_ascii=False) + "\n")


main()
