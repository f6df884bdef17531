#!/usr/bin/env python3
"""How long the proof of race freedom takes as programs grow.

Makes two families of race-free C programs in a temporary directory and measures `rely check --property race` on each:
n threads that take n locks for n variables, and programs of many lines in which 20 locks protect 100 variables. At the
end it says with which power of n the time grows, by least squares.

    python3 benchmarks/races/scale.py target/release/rely
    python3 benchmarks/races/scale.py target/release/rely --threads 10 20 30 40 50 --lines 1000 3000
"""
import argparse
import math
import pathlib
import random
import resource
import subprocess
import tempfile


def all_locks(count):
    """Each of `count` threads takes each of `count` locks, one after the other, in a loop."""
    text = ["#include <pthread.h>"]
    for lock in range(count):
        text.append(f"pthread_mutex_t m{lock} = PTHREAD_MUTEX_INITIALIZER; int x{lock};")
    for thread in range(count):
        text.append(f"void *t{thread}(void *unused) {{ for (int k = 0; k < 10; k++) {{")
        for lock in range(count):
            text.append(f"  pthread_mutex_lock(&m{lock}); x{lock} = x{lock} + 1; pthread_mutex_unlock(&m{lock});")
        text.append("} return 0; }")
    text.append(f"int main(void) {{ pthread_t h[{count}];")
    text += [f"  pthread_create(&h[{thread}], 0, t{thread}, 0);" for thread in range(count)]
    text += [f"  pthread_join(h[{thread}], 0);" for thread in range(count)]
    text += [f"  x{lock} = 0;" for lock in range(count)]
    return "\n".join(text + ["  return 0; }"]) + "\n"


def statement(rng, lock):
    """A statement on two of the five variables that a lock protects."""
    one, other = rng.randrange(5), rng.randrange(5)
    return rng.choice([
        [f"  if (x{lock}_{one} > n) {{", f"    x{lock}_{other} = n;", "  }"],
        [f"  x{lock}_{one} = x{lock}_{other} + 1;"],
        [f"  r = r + x{lock}_{one};"],
    ])


def many_lines(lines, locks=20, threads=4):
    """Functions that each take one of the locks, called by four threads in turns."""
    rng = random.Random(lines)
    text, functions = ["#include <pthread.h>"], 0
    for lock in range(locks):
        text.append(f"static pthread_mutex_t m{lock} = PTHREAD_MUTEX_INITIALIZER;")
        text += [f"static int x{lock}_{number};" for number in range(5)]
    # Each function has its call in one of the threads, too.
    while len(text) + functions < lines:
        lock = rng.randrange(locks)
        text += [f"static int f{functions}(int n) {{", "  int r = 0;", f"  pthread_mutex_lock(&m{lock});"]
        for _ in range(rng.randrange(3, 9)):
            text += statement(rng, lock)
        text += [f"  pthread_mutex_unlock(&m{lock});", "  return r;", "}"]
        functions += 1
    for thread in range(threads):
        text += [f"static void *t{thread}(void *unused) {{", "  int s = 0;", "  for (int k = 0; k < 100; k++) {"]
        text += [f"    s = f{function}(s & 15) & 255;" for function in range(thread, functions, threads)]
        text += ["  }", "  return 0;", "}"]
    text += ["int main(void) {", f"  pthread_t h[{threads}];"]
    text += [f"  pthread_create(&h[{thread}], 0, t{thread}, 0);" for thread in range(threads)]
    text += [f"  pthread_join(h[{thread}], 0);" for thread in range(threads)]
    return "\n".join(text + ["  return x0_0;", "}"]) + "\n"


def measure(rely, path, timeout):
    """The verdict and the processor time of one run."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    command = [rely, "check", "--property", "race", "--timeout", str(timeout), str(path)]
    output = subprocess.run(command, capture_output=True, text=True).stdout
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    verdict = output.splitlines()[0].split(": ")[-1] if output else "no output"
    return verdict, seconds


def exponent(points):
    """The power of the size with which the time grows: the slope of the line through the logarithms."""
    logs = [(math.log(size), math.log(seconds)) for size, seconds in points]
    middle, height = (sum(values) / len(logs) for values in zip(*logs))
    return sum((x - middle) * (y - height) for x, y in logs) / sum((x - middle) ** 2 for x, _ in logs)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("rely", help="the program to measure")
    parser.add_argument("--threads", type=int, nargs="*", default=[10, 20, 30, 40, 50])
    parser.add_argument("--lines", type=int, nargs="*", default=[1000, 2000, 3000])
    parser.add_argument("--timeout", type=int, default=120)
    arguments = parser.parse_args()
    programs = [(n, f"{n} threads, {n} locks", all_locks(n)) for n in arguments.threads]
    programs += [(None, f"{n} lines, 20 locks", many_lines(n)) for n in arguments.lines]
    points = []
    with tempfile.TemporaryDirectory() as directory:
        for size, name, text in programs:
            path = pathlib.Path(directory) / "program.c"
            path.write_text(text)
            verdict, seconds = measure(arguments.rely, path, arguments.timeout)
            print(f"{name:<24} {len(text.splitlines()):>6} lines  {verdict:<16} {seconds:>8.2f} s", flush=True)
            if size is not None and seconds > 0:
                points.append((size, seconds))
    if len(points) > 1:
        print(f"the time grows with the power {exponent(points):.2f} of the number of threads, locks and variables")


if __name__ == "__main__":
    main()
