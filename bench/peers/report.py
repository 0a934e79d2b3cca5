"""Turns a work directory's measurements.jsonl into table.md, table.json and plot.png: medians, and least and most where they differ."""

import json
import platform
import statistics
import subprocess
import sys
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt

HOME = Path(__file__).resolve().parents[2]

WORKS = {
    "pp512": ("prefill 512, tok/s", 0),
    "tg128": ("decode 128, tok/s", 1),
    "tg128_at_2000": ("decode after 2,000, tok/s", 1),
    "first_s": ("first token, s", 2),
    "peak_mb": ("peak memory, MB", 0),
}

RATES = ["pp512", "tg128", "tg128_at_2000"]

# What Tutti is compared with: its dtype, and the peer's name and dtype.
COMPARED = [
    ("BF16", ("llama.cpp", "BF16")),
    ("BF16", ("llama.cpp", "F16")),
    ("BF16", ("candle", "F16")),
    ("BF16", ("Jlama", "BF16")),
    ("BF16", ("transformers", "BF16")),
    ("int4", ("Tutti", "BF16")),
    ("int4, int8 activations", ("llama.cpp", "Q4_0")),
]


class Costs:
    """What a model's works cost, by its config: operations, and bytes read."""

    def __init__(self, model):
        config = json.loads((model / "config.json").read_text())
        hidden, layers = config["hidden_size"], config["num_hidden_layers"]
        heads = config["num_attention_heads"]
        head = config.get("head_dim") or hidden // heads
        kv_heads = config.get("num_key_value_heads") or heads
        projections = layers * hidden * (2 * heads * head + 2 * kv_heads * head + 3 * config["intermediate_size"])
        self.lm_head = config["vocab_size"] * hidden
        self.projections = projections
        self.pair_flops = 4 * heads * head * layers
        self.kv_values = 2 * kv_heads * head * layers
        self.hidden = hidden

    def prefill_flops(self, tokens):
        """2 an element of a projection and token, 4 a head's element and visible pair, and the LM head once."""
        return 2 * self.projections * tokens + self.pair_flops * tokens * (tokens + 1) // 2 + 2 * self.lm_head

    def decode_bytes(self, dtype, context):
        """The weights with the LM head, one row of the embedding, and the keys and values (2 bytes each) of the context."""
        projection, head = BITS[dtype]
        if dtype == "Q4_0" and self.hidden % 256:
            head = 8.5  # Q6_K takes rows of whole blocks only; llama-quantize falls back to Q8_0
        bits = self.projections * projection + (self.lm_head + self.hidden) * head
        return bits / 8 + self.kv_values * 2 * context


# Bits of a stored weight with its share of the scales: in a layer's projections, in embedding and LM head.
BITS = {
    "F32": (32, 32),
    "BF16": (16, 16),
    "F16": (16, 16),
    "Q4_0": (4.5, 6.5625),
    "Q4": (5, 5),
    "int4": (4.5, 16),
    "int4, int8 activations": (4.5, 16),
}


def read(path):
    """{model: {(engine, dtype): {work: [values]}}}, in the order of the file."""
    models = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        entry = json.loads(line)
        engine = models.setdefault(Path(entry["model"]), {}).setdefault((entry["engine"], entry["dtype"]), {})
        engine.setdefault(entry["work"], []).append(entry["value"])
    return models


def spread(values):
    return {"min": min(values), "median": statistics.median(values), "max": max(values), "rounds": len(values)}


def summarize(model, engines):
    """One model's figures: what the machine allows, each engine's works and their shares of it, and Tutti's ratios."""
    costs = Costs(model)
    limits = {}
    for limit in ("read_gb_s", "fma_gflop_s"):
        # The larger of the C loop's and an engine's own, each the median of its rounds.
        own = [statistics.median(works[limit]) for works in engines.values() if limit in works]
        limits[limit] = max(own)

    rows = []
    for (name, dtype), works in engines.items():
        if name == "machine":
            continue
        row = {"engine": name, "dtype": dtype}
        row.update({work: spread(works[work]) for work in WORKS if work in works})
        row["agreeing"] = agreeing(works.get("tokens"), engines.get(("transformers", "BF16"), {}).get("tokens"))
        row["failed"] = None if all(work in row for work in WORKS) else works.get("failed", [None])[-1]
        if "pp512" in row:
            gflop_s = costs.prefill_flops(512) / 512 * row["pp512"]["median"] * 1e-9
            row["prefill_gflop_s"], row["prefill_of_fma"] = gflop_s, gflop_s / limits["fma_gflop_s"]
        if "tg128" in row:
            mean_context = 64
            gb_s = costs.decode_bytes(dtype, mean_context) * row["tg128"]["median"] * 1e-9
            row["decode_gb_s"], row["decode_of_read"] = gb_s, gb_s / limits["read_gb_s"]
        if "tg128" in row and "tg128_at_2000" in row:
            row["kept_at_2000"] = row["tg128_at_2000"]["median"] / row["tg128"]["median"]
        rows.append(row)
    return {"model": model.name, **limits, "engines": rows, "ratios": list(ratios(rows))}


def agreeing(tokens, reference):
    """How many tokens are the reference's, before the first that is not."""
    if not tokens or not reference:
        return None
    pairs = list(zip(tokens[-1], reference[-1], strict=False))
    return next((i for i, (a, b) in enumerate(pairs) if a != b), len(pairs))


def ratios(rows):
    by_engine = {(row["engine"], row["dtype"]): row for row in rows}
    for dtype, peer in COMPARED:
        ours, theirs = by_engine.get(("Tutti", dtype), {}), by_engine.get(peer, {})
        ratio = {
            work: ours[work]["median"] / theirs[work]["median"] for work in RATES if work in ours and work in theirs
        }
        if ratio:
            yield {"tutti": dtype, "over": " ".join(peer), **ratio}


def figure(row, work):
    digits = WORKS[work][1]
    if work not in row:
        return "–"
    low, median, high = (f"{row[work][which]:.{digits}f}" for which in ("min", "median", "max"))
    return median if low == high else f"{median} ({low}–{high})"


def shared(row, rate, share):
    return f"{row[rate]:.0f} ({row[share]:.2f})" if rate in row else "–"


def cells(texts):
    return "| " + " | ".join(texts) + " |"


def markdown(machine, summaries):
    yield "Medians, and in brackets the least and the most. Operations and bytes are counted, not measured: README.md says how.\n"
    yield f"{machine}\n"
    for summary in summaries:
        yield f"## {summary['model']}\n"
        yield "The machine reads R = {read_gb_s:.1f} GB/s and does P = {fma_gflop_s:.0f} GFLOP/s (f32 FMA).\n".format(
            **summary
        )
        yield from engines_table(summary["engines"])
        yield from ratios_table(summary["ratios"])


def engines_table(rows):
    titles = ["engine", "weights", *(title for title, _ in WORKS.values())]
    titles += ["prefill GFLOP/s (of P)", "decode GB/s (of R)", "kept after 2,000", "tokens as transformers'"]
    yield cells(titles)
    yield cells(["---"] * len(titles))
    for row in rows:
        yield cells(
            [
                row["engine"],
                row["dtype"],
                *(figure(row, work) for work in WORKS),
                shared(row, "prefill_gflop_s", "prefill_of_fma"),
                shared(row, "decode_gb_s", "decode_of_read"),
                f"{row['kept_at_2000']:.2f}" if "kept_at_2000" in row else "–",
                "–" if row["agreeing"] is None else f"first {row['agreeing']}",
            ]
        )
    yield ""
    yield from (f"- {row['engine']} {row['dtype']}: {row['failed']}" for row in rows if row["failed"])
    yield ""


def ratios_table(ratios):
    if ratios:
        yield cells(["Tutti's rate over", *(WORKS[work][0].removesuffix(", tok/s") for work in RATES)])
        yield cells(["---"] * (1 + len(RATES)))
    for ratio in ratios:
        yield cells(
            [
                f"{ratio['over']} ({ratio['tutti']})",
                *(f"{ratio[work]:.2f}" if work in ratio else "–" for work in RATES),
            ]
        )
    yield ""


def plot(summaries, path):
    most = max(len(summary["engines"]) for summary in summaries)
    figure, grid = plt.subplots(
        len(summaries), len(RATES), figsize=(15, (1.2 + 0.38 * most) * len(summaries)), squeeze=False
    )
    for axes, summary in zip(grid, summaries):
        rows = [row for row in reversed(summary["engines"]) if any(work in row for work in RATES)]
        for axis, work in zip(axes, RATES):
            medians = [row[work]["median"] if work in row else 0 for row in rows]
            least = [median - row[work]["min"] if work in row else 0 for median, row in zip(medians, rows)]
            most_of_all = [row[work]["max"] - median if work in row else 0 for median, row in zip(medians, rows)]
            colors = ["#c1440e" if row["engine"] == "Tutti" else "#7a8ca3" for row in rows]
            axis.barh(
                range(len(rows)), medians, xerr=[least, most_of_all], color=colors, error_kw={"lw": 1, "ecolor": "#333"}
            )
            for at, (median, above) in enumerate(zip(medians, most_of_all)):
                label = f" {median:.{WORKS[work][1]}f}" if median else " not measured"
                axis.text(median + above, at, label, va="center", fontsize=8)
            axis.set_yticks(
                range(len(rows)), [f"{row['engine']} {row['dtype']}" for row in rows] if axis is axes[0] else []
            )
            axis.set_title(f"{summary['model']}: {WORKS[work][0]}", fontsize=10)
            axis.margins(x=0.18)
            axis.spines[["top", "right"]].set_visible(False)
    figure.tight_layout()
    figure.savefig(path, dpi=130)


def machine():
    """The processor, and the commit that was measured."""
    info = Path("/proc/cpuinfo")
    names = (
        [line.split(":")[1].strip() for line in info.read_text().splitlines() if line.startswith("model name")]
        if info.exists()
        else []
    )
    cpu = names[0] if names else platform.processor() or platform.machine()
    git = subprocess.run(
        ["git", "-C", HOME, "describe", "--always", "--dirty"], capture_output=True, text=True, check=False
    )
    commit = git.stdout.strip()
    return f"{cpu}, {platform.system()}; Tutti at {commit or 'no commit'}."


def main():
    work = Path(sys.argv[1])
    summaries = [summarize(model, engines) for model, engines in read(work / "measurements.jsonl").items()]
    table = "\n".join(markdown(machine(), summaries))
    (work / "table.md").write_text(table, encoding="utf-8")
    (work / "table.json").write_text(
        json.dumps({"machine": machine(), "models": summaries}, indent=2, ensure_ascii=False) + "\n", encoding="utf-8"
    )
    plot(summaries, work / "plot.png")
    print(table)
    print(f"Written: {work}/table.md, table.json and plot.png", file=sys.stderr)


if __name__ == "__main__":
    main()
