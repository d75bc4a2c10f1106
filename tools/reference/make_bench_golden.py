#!/usr/bin/env python3
"""Writes tests/golden/bench_statistics.json: means, deviations and percentiles as numpy computes them.

make_bench_golden.py [--out FILE]
"""

import argparse
import json
import pathlib

import numpy as np

PERCENTS = [0, 1, 10, 25, 50, 75, 90, 99, 99.9, 100]


def case(values):
    values = [float(v) for v in values]
    return {
        "values": values,
        "mean": float(np.mean(values)),
        "std": float(np.std(values)),
        "percentiles": [[p, float(np.percentile(values, p))] for p in PERCENTS],
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    root = pathlib.Path(__file__).resolve().parents[2]
    parser.add_argument("--out", type=pathlib.Path, default=root / "tests/golden/bench_statistics.json")
    rng = np.random.default_rng(7)
    cases = [case([4.25]), case([2, 2, 2]), case([3.5, -1.25, 0, 7.75, 2, 2, 11.5])]
    cases += [case(rng.lognormal(0, 2, n).round(6)) for n in (2, 10, 101)]
    parser.parse_args().out.write_text(json.dumps(cases) + "\n")


if __name__ == "__main__":
    main()
