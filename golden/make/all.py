#!/usr/bin/env python3
"""Makes every vector and every tiny model anew. The same versions on the same machine give the same bytes."""
import chat_templates
import config_cases
import ends
import exact_math
import hub
import int4
import kv_block
import models
import ops
import pcg32
import sampling
import tokenizer_cases

VECTORS = (pcg32, sampling, exact_math, ops, int4, kv_block, config_cases, chat_templates, hub, ends, tokenizer_cases)

if __name__ == '__main__':
    for script in (*VECTORS, models):
        script.main()
