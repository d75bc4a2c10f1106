"""Medians as a table, every figure as JSON, ratios as a plot."""
import json
import os
import pathlib
import platform
import re
import statistics
import subprocess
import sys

import scenario as scenarios


def median(results, server, scenario, column=0):
    return statistics.median(row[column] for row in results[server][scenario.name])


def ratio(results, other, scenario):
    """How many times better the first server is."""
    ours, theirs = median(results, next(iter(results)), scenario), median(results, other, scenario)
    return theirs / ours if scenario.less_is_better else ours / theirs


def table(results, measured):
    servers = list(results)
    head = ["scenario", *servers, *(f"× {other}" for other in servers[1:]), *(f"TTFT ms {server}" for server in servers)]
    yield "| " + " | ".join(head) + " |"
    yield "|" + "---|" * len(head)
    for scenario in measured:
        row = [f"{scenario.name.replace('_', ' ')}, {scenarios.UNITS[scenario.figure]}"]
        row += [f"{median(results, server, scenario):.1f}" for server in servers]
        row += [f"{ratio(results, other, scenario):.2f}" for other in servers[1:]]
        row += [f"{median(results, server, scenario, 1):.0f}" for server in servers]
        yield "| " + " | ".join(row) + " |"


def machine():
    cpu = re.search(r"model name\s*: (.*)", pathlib.Path("/proc/cpuinfo").read_text())
    commit = subprocess.run(["git", "describe", "--always", "--dirty"], capture_output=True, text=True).stdout.strip()
    load = os.getloadavg()[0]
    return dict(cpu=cpu[1] if cpu else platform.machine(), cores=len(os.sched_getaffinity(0)), load=load, commit=commit)


def plot(results, measured, path):
    """Bars of ratios, a colour a peer, as SVG."""
    others, width, left, height = list(results)[1:], 640, 170, 16
    most = max([ratio(results, other, s) for other in others for s in measured] + [1])
    scale = (width - left - 60) / most
    colours = ["#3b6ea5", "#c2703d", "#5a8f4e"]
    rows, y = [], 24
    for scenario in measured:
        rows.append(f'<text x="{left - 8}" y="{y + 12}" text-anchor="end">{scenario.name.replace("_", " ")}</text>')
        for colour, other in zip(colours, others):
            value = ratio(results, other, scenario)
            rows.append(f'<rect x="{left}" y="{y}" width="{value * scale:.1f}" height="{height - 3}" fill="{colour}"/>'
                        f'<text x="{left + value * scale + 4:.1f}" y="{y + 11}">{value:.2f}×</text>')
            y += height
        y += 6
    key = " ".join(f'<text x="{left + 120 * i}" y="14" fill="{c}">× {o}</text>' for i, (c, o) in enumerate(zip(colours, others)))
    line = f'<line x1="{left + scale}" y1="20" x2="{left + scale}" y2="{y}" stroke="#888" stroke-dasharray="3"/>'
    path.write_text(f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{y + 8}" font-family="sans-serif" '
                    f'font-size="12">{key}{"".join(rows)}{line}</svg>\n')


def write(results, measured, out):
    about = machine()
    text = f"{about['cpu']}, {about['cores']} cores, commit {about['commit']}: `{' '.join(sys.argv)}`\n\n"
    text += "\n".join(table(results, measured)) + "\n"
    print(text)
    if out:
        out.mkdir(parents=True, exist_ok=True)
        (out / "results.json").write_text(json.dumps(dict(machine=about, command=sys.argv, results=results), indent=1) + "\n")
        (out / "results.md").write_text(text)
        if len(results) > 1:
            plot(results, measured, out / "ratios.svg")
