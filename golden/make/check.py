#!/usr/bin/env python3
"""Checks the checked-in goldens against a fresh making of them in a temporary directory; exits 1 if one differs.

    check.py           vectors, checkpoints, and numerics.py's logits of every model
    check.py --all     Hugging Face's references too
"""
import json
import sys
import tempfile
from pathlib import Path

import all as everything
import config_cases
import io_json
import models


def content(path):
    """A file's bytes; for JSON without what tells of the machine: versions, and where its own library's exp and log are off."""
    if path.suffix != '.json':
        return path.read_bytes()
    of_the_machine = ('made_with', 'cpython_math_differs', 'cpython_differs', 'cpython_differs_count')
    return json.loads(path.read_text(), object_pairs_hook=lambda pairs: [(k, v) for k, v in pairs if k not in of_the_machine])


def differing(made, kept):
    for path in sorted(p for p in made.rglob('*') if p.is_file()):
        other = kept / path.relative_to(made)
        if not other.exists() or content(other) != content(path):
            yield path.relative_to(made)


def make(whole):
    for script in everything.VECTORS:
        script.main()
    if whole:
        models.main()
        return
    models.write_bigram()
    models.write_int4_checkpoints()
    for m in models.MODELS:
        models.write_checkpoint(m)


def main():
    kept = io_json.GOLDEN
    directories = sorted((kept / 'models').iterdir())
    with tempfile.TemporaryDirectory() as made:
        io_json.GOLDEN = Path(made)
        (io_json.GOLDEN / 'vectors').mkdir()
        make('--all' in sys.argv[1:])
        wrong = [f'{path}: differs from a fresh one' for path in differing(io_json.GOLDEN, kept)]
    schema = config_cases.validator()
    for directory in directories:
        wrong += [f'{directory.name}/config.json: {e.message}' for e in schema.iter_errors(json.loads((directory / 'config.json').read_text()))]
        try:
            models.check_numerics(directory)
        except AssertionError as e:
            wrong.append(str(e))
    print(*wrong or ['goldens: as their scripts make them'], sep='\n')
    return 1 if wrong else 0


if __name__ == '__main__':
    sys.exit(main())
