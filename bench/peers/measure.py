"""Measures every engine in turn, round by round, and adds each figure to measurements.jsonl in the work directory.

A figure is {"model", "engine", "dtype", "work", "value"}; the units are those of report.py. The works:
  pp512           tokens/s of one 512-token prefill from an empty context
  tg128           tokens/s of 128 greedy steps from an empty context
  tg128_at_2000   the same after 2,000 tokens
  first_s         seconds from the process's start to its first token, 16-token prompt
  peak_mb         peak resident memory of that process, MB
  read_gb_s, fma_gflop_s   what the machine allows, from limits.c and, where it has one, from the engine itself
  tokens          its 32 greedy tokens after PROMPT
"""

import argparse
import json
import os
import select
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

HOME = Path(__file__).resolve().parents[2]
HERE = Path(__file__).resolve().parent

# SmolLM2's tokens of " Monday, Tuesday, Wednesday, Thursday, Friday, Saturday, Sunday, Monday,": greedy ones are sure of what follows.
PROMPT = [12397, 28, 14801, 28, 15083, 28, 14963, 28, 11655, 28, 14986, 28, 10528, 28, 12397, 28]
NEW_TOKENS = 32
RATES = ["pp512", "tg128", "tg128_at_2000"]


@dataclass(frozen=True)
class Engine:
    name: str
    dtype: str
    # The command that prints the rates of a model, one JSON object a line, and what one of them says: {work: value}.
    rates: Callable[[Path], list]
    read_rates: Callable[[dict], dict]
    # The command that prints a prompt's continuation: whatever it prints first ends the wait for the first token.
    stream: Callable[[Path], list]
    # The command that prints tokens and the tokens in its output.
    greedy: Callable[[Path], list]
    read_greedy: Callable[[str], list]


def lines(text):
    return [int(line) for line in text.split()]


def peer(name, dtype, rates, greedy):
    """One of our small programs around a library: it prints each rate when it has it, and tokens as they come."""
    return Engine(name, dtype, rates, lambda line: line, greedy, greedy, lines)


def llama_cpp(work, threads, build, dtype):
    tools = work / f"llama-{build}" / "bin"
    # Flash attention helps its prefill and harms its decode at length: each work has the better setting.
    bench = f'"$1" -r 1 -o jsonl -t {threads} -m "$2"'
    rates = f"{bench} -fa on -p 512 -n 0 && exec {bench} -fa off -p 0 -n 128 -d 0,2000"

    def gguf(model):
        return work / "gguf" / f"{model.name}-{dtype}.gguf"

    def greedy(model):
        return [tools / "greedy", gguf(model), threads, NEW_TOKENS, *PROMPT]

    def read(line):
        if line["n_prompt"]:
            return {"pp512": line["avg_ts"]}
        return {"tg128_at_2000" if line["n_depth"] else "tg128": line["avg_ts"]}

    return Engine(
        "llama.cpp" if build == "native" else f"llama.cpp ({build})",
        dtype,
        lambda model: ["sh", "-c", rates, "sh", tools / "llama-bench", gguf(model)],
        read,
        greedy,
        greedy,
        lines,
    )


def candle(work, threads):
    run = ["env", f"RAYON_NUM_THREADS={threads}", work / "candle/target/release/candle-peer"]
    return peer(
        "candle",
        "F16",
        lambda model: [*run, "rates", model],
        lambda model: [*run, "greedy", model, NEW_TOKENS, *PROMPT],
    )


def jlama(work, threads, dtype):
    java = [
        Path(os.environ["JAVA_HOME"]) / "bin/java",
        "--add-modules=jdk.incubator.vector",
        "--enable-native-access=ALL-UNNAMED",
        "-Djlama.force_panama_tensor_operations=true",
        "-cp",
        f"{work}/jlama/lib/*{os.pathsep}{work}/jlama/classes",
        "Peer",
    ]

    def stored(model):
        return work / "jlama" / f"{model.name}-Q4" if dtype == "Q4" else model

    return peer(
        "Jlama",
        dtype,
        lambda model: [*java, "rates", stored(model), threads, dtype],
        lambda model: [*java, "greedy", stored(model), threads, dtype, NEW_TOKENS, *PROMPT],
    )


def transformers(threads):
    run = [sys.executable, HERE / "transformers_peer.py"]
    return peer(
        "transformers",
        "BF16",
        lambda model: [*run, "rates", model, threads],
        lambda model: [*run, "greedy", model, threads, NEW_TOKENS, *PROMPT],
    )


def tutti(threads, dtype, *options):
    def run(command, model, *more):
        return [HOME / "tutti", command, model, "--device", "host", "--threads", threads, *options, *more]

    def generate(model, *more):
        tokens = ",".join(map(str, PROMPT))
        return run("generate", model, "--tokens", tokens, "--max-tokens", NEW_TOKENS, "--ignore-eos", *more)

    def read(line):
        spreads = {
            "pp512": line["prefill_tok_s"],
            "tg128": line["decode_tok_s"],
            "tg128_at_2000": line["decode_at"]["2000"],
            "read_gb_s": line["read_gb_s"],
            "fma_gflop_s": line["fma_gflop_s"],
        }
        return {work: spread["median"] for work, spread in spreads.items()}

    return Engine(
        "Tutti",
        dtype,
        lambda model: run("bench", model, "--repeats", 1, "--json"),
        read,
        generate,
        lambda model: generate(model, "--json"),
        lambda text: json.loads(text)["tokens"],
    )


def engines(args):
    """Who can be measured, whichever was wanted and built; and a line for whom that leaves out."""
    work, threads = args.work, args.threads
    builds = ["native", *(["avx2", "avx512"] if args.variants else [])]
    dtypes = [*(["F32"] if args.f32 else []), "BF16", "F16", "Q4_0"]
    families = {
        "llama.cpp": [llama_cpp(work, threads, build, dtype) for build in builds for dtype in dtypes],
        "candle": [candle(work, threads)],
        "jlama": [jlama(work, threads, "BF16"), jlama(work, threads, "Q4")],
        "transformers": [transformers(threads)],
        "tutti": [
            tutti(threads, "BF16"),
            tutti(threads, "int4", "--quant", "int4:32"),
            tutti(threads, "int4, int8 activations", "--quant", "int4:32", "--activations", "int8"),
        ],
    }
    for family in args.only.split(","):
        if family not in families:
            sys.exit(f"peers: --only {family}; there are {', '.join(families)}")
        missing = work / f"missing.{family}"
        if missing.exists():
            yield from ((engine, missing.read_text().strip()) for engine in families[family])
        else:
            yield from ((engine, None) for engine in families[family])


class Log:
    """measurements.jsonl: what was measured, and what could not be and why."""

    def __init__(self, path, add):
        self.file = open(path, "a" if add else "w", encoding="utf-8", buffering=1)

    def write(self, model, engine, dtype, work, value):
        entry = {"model": str(model), "engine": engine, "dtype": dtype, "work": work, "value": value}
        self.file.write(json.dumps(entry) + "\n")

    def failed(self, model, engine, reason):
        print(f"  {engine.name} {engine.dtype}: {reason}", file=sys.stderr)
        self.write(model, engine.name, engine.dtype, "failed", reason)


class Process:
    """A command being run, in a process group of its own so that it can be ended whole."""

    def __init__(self, command, deadline):
        self.start = time.monotonic()
        self.deadline = self.start + deadline
        self.process = subprocess.Popen(
            [str(word) for word in command], stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True
        )
        self.peak_mb = None
        self.late = self.enough = False
        self.errors = b""

    def end(self):
        os.killpg(self.process.pid, signal.SIGKILL)

    def chunks(self):
        """Standard output as it comes, until it ends or the time is over. However this is left, the process is gone."""
        try:
            yield from self.read()
        except BaseException:
            self.end()
            raise
        finally:
            _, status, usage = os.wait4(self.process.pid, 0)
            self.process.returncode = os.waitstatus_to_exitcode(status)
            self.peak_mb = usage.ru_maxrss / (1e6 if sys.platform == "darwin" else 1e6 / 1024)

    def read(self):
        out, err = self.process.stdout, self.process.stderr
        open_files = [out, err]
        while open_files:
            ready, _, _ = select.select(open_files, [], [], max(0, self.deadline - time.monotonic()))
            if not ready:
                self.late = True
                self.end()
                return
            for file in ready:
                chunk = os.read(file.fileno(), 65536)
                if not chunk:
                    open_files.remove(file)
                elif file is out:
                    yield chunk
                else:
                    self.errors = (self.errors + chunk)[-2000:]

    def trouble(self):
        """Why it did not end well; None if it did."""
        if self.late:
            return "out of patience"
        if self.process.returncode == 0 or self.enough:
            return None
        said = self.errors.decode(errors="replace").strip().splitlines()
        return f"exit {self.process.returncode}" + (f": {said[-1]}" if said else "")


def measure_limits(log, model, work, threads):
    said = subprocess.run([work / "limits", str(threads)], stdout=subprocess.PIPE, check=True).stdout
    for limit, value in json.loads(said).items():
        log.write(model, "machine", "", limit, value)


def measure_rates(log, model, engine, patience, waited_for):
    """Takes down rates as they come; when the time is over, those that came by then are what later rounds wait for."""
    process, text, seen = Process(engine.rates(model), patience), b"", set()
    for chunk in process.chunks():
        *whole, text = (text + chunk).split(b"\n")
        for line in filter(None, whole):
            for work, value in engine.read_rates(json.loads(line)).items():
                log.write(model, engine.name, engine.dtype, work, value)
                seen.add(work)
        if waited_for <= seen and not process.enough:
            process.enough = True
            process.end()
    if process.late:
        waited_for.intersection_update(seen)
    return process.trouble()


def measure_first(log, model, engine, patience):
    process, first = Process(engine.stream(model), patience), None
    for _ in process.chunks():
        first = first or time.monotonic() - process.start
    if not process.trouble():
        log.write(model, engine.name, engine.dtype, "first_s", first)
        log.write(model, engine.name, engine.dtype, "peak_mb", process.peak_mb)
    return process.trouble()


def greedy_tokens(model, engine, patience):
    process = Process(engine.greedy(model), patience)
    text = b"".join(process.chunks()).decode()
    return process.trouble(), text and engine.read_greedy(text)


def take_tokens(log, model, present, patience):
    """Everyone's greedy tokens, once. Who can't give any is out of the race."""
    for engine in list(present):
        trouble, tokens = greedy_tokens(model, engine, patience)
        if trouble:
            log.failed(model, engine, trouble)
            present.remove(engine)
        else:
            log.write(model, engine.name, engine.dtype, "tokens", tokens)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("models", type=Path, nargs="+")
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--threads", type=int, default=os.cpu_count())
    parser.add_argument("--patience", type=float, default=120)
    parser.add_argument("--only", required=True)
    parser.add_argument("--add", action="store_true")
    parser.add_argument("--f32", action="store_true")
    parser.add_argument("--variants", action="store_true")
    args = parser.parse_args()

    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    log = Log(args.work / "measurements.jsonl", args.add)
    chosen = list(engines(args))
    racing, waited_for = {}, {}
    for model in (model.resolve() for model in args.models):
        racing[model] = [engine for engine, missing in chosen if not missing]
        for engine, missing in chosen:
            if missing:
                log.failed(model, engine, missing)
        print(f"{model.name}: greedy tokens", file=sys.stderr)
        take_tokens(log, model, racing[model], args.patience)

    for number in range(args.rounds):
        for model, present in racing.items():
            # A different one begins each round, so that what goes before an engine is not always the same.
            turn = number % max(1, len(present))
            print(f"{model.name}: round {number + 1} of {args.rounds}", file=sys.stderr)
            measure_limits(log, model, args.work, args.threads)
            for engine in present[turn:] + present[:turn]:
                wanted = waited_for.setdefault((model, engine), set(RATES))
                for trouble in (
                    measure_first(log, model, engine, args.patience),
                    wanted and measure_rates(log, model, engine, args.patience, wanted),
                ):
                    if trouble:
                        log.failed(model, engine, trouble)


if __name__ == "__main__":
    main()
