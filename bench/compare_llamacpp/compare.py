"""Ingot against llama.cpp's server: the same client, prompts and file, each server alone on the machine.

Prints a table of medians and ratios, and with --out writes every single figure as JSON.
"""

import argparse
import asyncio
import contextlib
import dataclasses
import json
import os
import pathlib
import platform
import random
import re
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable

import client

HERE = pathlib.Path(__file__).resolve().parent
VOCABULARY = range(100, 40_000)  # ordinary tokens of the default model: prompts are drawn from it, so that no cache helps
READY = re.compile(r"^(?:Serving|Ingot serves .*) on http://([^/\s]+)", re.M)


def commands(args):
    """Name -> command line; each prints its address once it is ready."""
    ingot = [args.ingot, "serve", args.model, "--port", "0", *args.ingot_flags.split()]
    threads, context = str(len(os.sched_getaffinity(0))), "1024"
    llamacpp = [sys.executable, str(HERE / "llamacpp_server.py"), args.model, threads, "32", context]
    return {"ingot": ingot, "llama.cpp": llamacpp}


@contextlib.contextmanager
def serving(command):
    """Runs a server and yields host:port."""
    with tempfile.TemporaryFile("w+") as output:
        process = subprocess.Popen(command, stdout=output, stderr=subprocess.DEVNULL)
        try:
            yield wait_for_address(process, output)
        finally:
            process.terminate()
            try:
                process.wait(20)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def wait_for_address(process, output):
    for _ in range(600):
        output.seek(0)
        if found := READY.search(output.read()):
            return found[1]
        if process.poll() is not None:
            break
        time.sleep(0.1)
    raise SystemExit(f"{process.args[0]} was not ready within 60 s, or ended")


@dataclasses.dataclass(frozen=True)
class Load:
    """One measured situation: prompts of random tokens, the same for each server; `repeat` rounds, new prompts a round."""

    name: str
    clients: int
    prompt_tokens: int
    output_tokens: int
    unit: str
    figure: Callable  # (replies, seconds) -> number

    def prompts(self, round_number):
        rng = random.Random(f"{self.name} {round_number}")
        return [rng.choices(VOCABULARY, k=self.prompt_tokens) for _ in range(self.clients)]

    async def run(self, address, round_number):
        replies, seconds = await client.complete_all(address, self.prompts(round_number), self.output_tokens)
        return self.figure(replies, seconds), statistics.median(reply.first_s for reply in replies) * 1000


def decode_rate(replies, _):
    (reply,) = replies
    return (reply.num_tokens - 1) / (reply.total_s - reply.first_s)


def output_rate(replies, seconds):
    return sum(reply.num_tokens for reply in replies) / seconds


LOADS = [
    Load("prefill of 512", 1, 512, 1, "tok/s", lambda replies, _: 512 / replies[0].first_s),
    Load("one stream of 128", 1, 16, 128, "tok/s", decode_rate),
    Load("4 clients x (100 in, 64 out)", 4, 100, 64, "out tok/s", output_rate),
    Load("32 clients x (100 in, 64 out)", 32, 100, 64, "out tok/s", output_rate),
]


async def measure(address, repeat):
    """{load: [(figure, median time to first token in ms), …]}; the first request warms up and is checked, not timed."""
    reply = await client.complete(address, list(VOCABULARY[:16]), 8)
    print(f"  warm-up: {reply.text!r}", file=sys.stderr)
    results = {}
    for load in LOADS:
        results[load.name] = [await load.run(address, n) for n in range(repeat)]
        print(f"  {load.name}: " + ", ".join(f"{figure:.1f}" for figure, _ in results[load.name]), file=sys.stderr)
    return results


def median(results, server, load, column):
    return statistics.median(row[column] for row in results[server][load.name])


def table(results):
    servers = list(results)
    head = ["load", *servers, *(["ratio"] if len(servers) == 2 else []), *(f"TTFT ms {server}" for server in servers)]
    yield "| " + " | ".join(head) + " |"
    yield "|" + "---|" * len(head)
    for load in LOADS:
        figures = [median(results, server, load, 0) for server in servers]
        ratio = [f"{figures[0] / figures[1]:.2f}"] if len(servers) == 2 else []
        first = [f"{median(results, server, load, 1):.0f}" for server in servers]
        yield f"| {load.name}, {load.unit} | " + " | ".join([*(f"{figure:.1f}" for figure in figures), *ratio, *first]) + " |"


def machine():
    cpu = re.search(r"model name\s*: (.*)", pathlib.Path("/proc/cpuinfo").read_text())
    commit = subprocess.run(["git", "describe", "--always", "--dirty"], capture_output=True, text=True).stdout.strip()
    return dict(cpu=cpu[1] if cpu else platform.machine(), cores=len(os.sched_getaffinity(0)), commit=commit)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", required=True)
    parser.add_argument("--ingot", default="build/ingot", help="the program (%(default)s)")
    parser.add_argument("--ingot-flags", default="", help="further flags of `ingot serve`, in one string")
    parser.add_argument("--only", choices=["ingot", "llama.cpp"])
    parser.add_argument("--repeat", type=int, default=3, help="rounds of each load (%(default)s)")
    parser.add_argument("--out", type=pathlib.Path, help="write all figures here as JSON")
    args = parser.parse_args()
    results = {}
    for name, command in commands(args).items():
        if args.only in (None, name):
            print(f"{name}:", file=sys.stderr)
            with serving(command) as address:
                results[name] = asyncio.run(measure(address, args.repeat))
    about = machine()
    print(f"{about['cpu']}, {about['cores']} cores, commit {about['commit']}: {' '.join(sys.argv)}\n")
    print("\n".join(table(results)))
    if args.out:
        args.out.write_text(json.dumps(dict(machine=about, command=sys.argv, results=results), indent=1) + "\n")


if __name__ == "__main__":
    main()
