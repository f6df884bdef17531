#!/usr/bin/env python3
"""Which programs are decided for `deadlock`, `termination` and `fair-termination`, and why the others are not.

Asks `rely check` about every program of the examples and of tables A, C and D, one property at a time. Prints a row for each
program with the verdicts, who decided, and the seconds that it took, then the reasons of those that are unknown:

    python3 benchmarks/termination/survey.py target/release/rely
    python3 benchmarks/termination/survey.py target/release/rely examples/barrier.c --property deadlock --seconds 20
"""
import argparse
import collections
import json
import pathlib
import subprocess
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
FOLDERS = ["examples", "benchmarks/popl11", "benchmarks/regasol", "benchmarks/pacman"]
PROPERTIES = ["deadlock", "termination", "fair-termination"]


def programs():
    """All programs of the folders, in order."""
    files = [path for folder in FOLDERS for path in sorted((ROOT / folder).iterdir())]
    return [path for path in files if path.suffix in (".c", ".rely")]


def decide(rely, path, prop, seconds):
    """The verdict, who decided it or the reason why nobody did, and how long that took."""
    command = [rely, "check", "-q", "--no-cache", "--property", prop, "--timeout", str(seconds), "--format", "json"]
    begin = time.monotonic()
    output = subprocess.run(command + [str(path)], capture_output=True, text=True, check=False).stdout
    spent = time.monotonic() - begin
    result = json.loads(output)["files"][0]["results"][0]
    why = result.get("reason") if result["verdict"] == "unknown" else result.get("decided_by")
    return result["verdict"], why or "", spent


def cell(verdict, why, spent):
    """A verdict in the table."""
    who = f" ({why})" if verdict in ("safe", "unsafe") else ""
    return f"{verdict.replace('-', ' ')}{who} {spent:.2f}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("rely", help="the program to ask, such as target/release/rely")
    parser.add_argument("files", nargs="*", type=pathlib.Path, help="only these programs")
    parser.add_argument("--property", action="append", choices=PROPERTIES, help="only this property")
    parser.add_argument("--seconds", type=int, default=5, help="for each question")
    options = parser.parse_args()
    properties = options.property or PROPERTIES
    tally = {prop: collections.Counter() for prop in properties}
    unknown = []
    print("| program | " + " | ".join(properties) + " |\n|---" + "|---" * len(properties) + "|")
    for path in options.files or programs():
        resolved = path.resolve()
        name = resolved.relative_to(ROOT) if resolved.is_relative_to(ROOT) else path
        cells = []
        for prop in properties:
            verdict, why, spent = decide(options.rely, path, prop, options.seconds)
            tally[prop][verdict] += 1
            cells.append(cell(verdict, why, spent))
            if verdict == "unknown":
                unknown.append(f"- `{name}`, {prop}: {why}")
        print(f"| {name} | " + " | ".join(cells) + " |", flush=True)
    for prop, counts in tally.items():
        print(f"\n{prop}: " + ", ".join(f"{count} {verdict}" for verdict, count in sorted(counts.items())))
    print("\nUnknown:\n\n" + "\n".join(unknown) if unknown else "\nNone is unknown.")


if __name__ == "__main__":
    main()
