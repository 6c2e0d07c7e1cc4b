#!/usr/bin/env python3
"""Time every mode of compact_transcript against the reference, on the same sessions.

    benches/against_reference.py GENERATOR [--calls 100,300,1000,3000] [--styles mixed,real] [--patience 120]

GENERATOR is a program that writes a session of the hook shape: GENERATOR --calls N --seed 7 --style S --shape hook.
Run it with the interpreter of an environment that has local-context-compiler 1.2.0. The reference runs in process,
once a session and mode, one after the other with `cargo bench --bench modes`; reading of JSON is left out on both
sides, token counting (the estimate) is in on both. A reference that needs longer than --patience seconds for a
session is not asked about larger ones. Prints a Markdown table: ours, the reference's, the ratio, and how ours grows.
"""
import argparse, json, multiprocessing, os, subprocess, sys, tempfile, time
from pathlib import Path

HERE = Path(__file__).resolve().parent.parent
MODES = {"lossless": "rules", "recoverable": "rules", "stashed": "rules", "lossy": "rules", "auto": "auto"}
QUESTION = "finish the task in this session"


def generate(generator, directory, style, calls):
    path = directory / f"{style}-{calls}.json"
    command = [sys.executable, generator, "--calls", str(calls), "--seed", "7", "--style", style, "--shape", "hook"]
    path.write_bytes(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)
    return path


def ours(paths):
    """Milliseconds by (path, mode)."""
    command = ["cargo", "bench", "--quiet", "--bench", "modes", "--", *map(str, paths)]
    printed = subprocess.run(command, check=True, cwd=HERE, stdout=subprocess.PIPE, text=True).stdout
    rows = [json.loads(line) for line in printed.splitlines() if line.startswith("{")]
    return {(row["path"], row["mode"]): row["ms"] for row in rows}


def time_reference(path, mode, answer):
    from lcc.relevance.transcript import TranscriptCompactionRequest, compact_transcript

    payload = json.loads(Path(path).read_text(encoding="utf-8"))
    with tempfile.TemporaryDirectory() as stash:
        os.environ["LCC_STASH_DIR"] = stash
        rules_mode = mode if MODES[mode] == "rules" else "lossless"
        request = TranscriptCompactionRequest(
            payload=payload, question=QUESTION, provider=MODES[mode], rules_mode=rules_mode
        )
        begun = time.perf_counter()
        result = compact_transcript(request)
        took = (time.perf_counter() - begun) * 1e3
        if result.report["token_count_method"] == "exact":
            sys.exit("the reference counts tokens exactly here, which takes its time; take tiktoken out")
        answer.put(took)


def reference(path, mode, patience):
    """Milliseconds, or None when it takes longer than the patience."""
    answer = multiprocessing.Queue()
    process = multiprocessing.Process(target=time_reference, args=(path, mode, answer))
    process.start()
    process.join(patience)
    if process.is_alive():
        process.terminate()
        process.join()
        return None
    return answer.get(timeout=5)


def shown(ms):
    return "–" if ms is None else f"{ms:,.1f} ms" if ms < 1000 else f"{ms / 1000:,.1f} s"


def row(style, mode, calls, mine, theirs, before):
    ratio = "–" if theirs is None else f"{theirs / mine:,.0f}×"
    growth = "" if before is None else f"{mine / before:.1f}×"
    return f"| {style} | {mode} | {calls:,} | {shown(mine)} | {shown(theirs)} | {ratio} | {growth} |"


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("generator")
    arguments.add_argument("--calls", default="100,300,1000,3000")
    arguments.add_argument("--styles", default="mixed,real")
    arguments.add_argument("--patience", type=float, default=120)
    options = arguments.parse_args()
    sizes = [int(calls) for calls in options.calls.split(",")]
    print("| session | mode | calls | compactscope | reference | ratio | growth |")
    print("|---|---|---:|---:|---:|---:|---:|")
    with tempfile.TemporaryDirectory() as directory:
        for style in options.styles.split(","):
            paths = {calls: generate(options.generator, Path(directory), style, calls) for calls in sizes}
            measured = ours(paths.values())
            for mode in MODES:
                before, patient = None, True
                for calls in sizes:
                    mine = measured[str(paths[calls]), mode]
                    theirs = reference(paths[calls], mode, options.patience) if patient else None
                    patient = theirs is not None
                    print(row(style, mode, calls, mine, theirs, before), flush=True)
                    before = mine


if __name__ == "__main__":
    main()
