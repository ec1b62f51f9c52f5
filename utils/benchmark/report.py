# This file is licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Results as text, and as a page with plots."""

import html
import io
import math
from typing import Any

import peers


def _label(name):
    return peers.PEERS[name].label


def _number(value, digits=3):
    return "-" if value is None else f"{value:.{digits}f}"


def _percent(value):
    return "-" if value is None else f"{value * 100:.0f}%"


def _error(row):
    if "error_to_ours" not in row:
        return "-"
    return f"{float(row['error_to_ours']):.1e}" + ("" if row["agrees"] else " FAILS")


def _times(row):
    """The median and where most of the times are, in milliseconds."""
    return [f"{row[key] * 1e3:.4f}" for key in ("median_s", "p10_s", "p90_s", "iqr_s")]


def describe_difference(name, row):
    """Says how outputs of a peer and of ours disagree."""
    reason = row["reason"] or (f"the error is {row['error_to_ours']:.1e} of the scale, "
                               f"above {row['bound']:.0e}")
    return f"relay-mlir and {_label(name)} ({row['computes']}) disagree: {reason}"


#===-----------------------------------------------------------------------===#
# Text
#===-----------------------------------------------------------------------===#


def describe_machine(machine):
    return (f"{machine['cpu']} ({' '.join(machine['features'])}), {machine['threads']} "
            f"thread(s): {machine['gflops']:.0f} GFLOP/s f32 ({machine['instructions']}), "
            f"copy {machine['gbytes_per_s']:.1f} GB/s")


def print_machine(machine):
    print(describe_machine(machine))
    print(f"  {'':<24}{'computes':>9}{'median ms':>11}{'p10':>10}{'p90':>10}{'IQR':>9}"
          f"{'runs':>6}{'ratio':>7}{'GFLOP/s':>9}{'GB/s':>7}{'peak':>6}{'roofline':>9}"
          f"{'error':>9}", flush=True)


def print_case(result):
    print(f"{result['name']}, {result['threads']} thread(s)")
    for name, row in result["peers"].items():
        if "median_s" not in row:
            print(f"  {_label(name):<24}{row['error']}")
            continue
        rate = row.get("flop_per_s")
        median, p10, p90, iqr = _times(row)
        print(f"  {_label(name) + ' ' + row['version']:<24.24}{row['computes']:>9}"
              f"{median:>11}{p10:>10}{p90:>10}{iqr:>9}{row['runs']:>6}"
              f"{_number(row.get('ratio'), 2):>7}"
              f"{_number(rate and rate / 1e9, 1):>9}{row['bytes_per_s'] / 1e9:>7.1f}"
              f"{_percent(row.get('peak')):>6}{_percent(row['roofline']):>9}"
              f"{_error(row):>9}")
        if not row.get("agrees", True):
            print(f"    {describe_difference(name, row)}")
    if "compiler" in result:
        c = result["compiler"]
        print(f"  relay-compile: {c['cold_s']:.2f} s, {c['warm_s']:.2f} s from the cache, "
              f"{c['memory_mib']:.0f} MiB; artefact {c['artefact_mib']:.1f} MiB")
    print(end="", flush=True)


def get_geomeans(results):
    """For each number of threads and peer: the geometric mean of the ratios, the
    number of cases, and the case with the smallest ratio."""
    ratios: dict[str, dict[str, list[Any]]] = {}
    for case in results["cases"]:
        for name, row in case["peers"].items():
            if name != peers.OURS and row.get("ratio"):
                ratios.setdefault(str(case["threads"]), {}).setdefault(name, []).append(
                    (row["ratio"], case["name"]))
    return {
        threads: {
            name: {
                "ratio": math.exp(sum(math.log(r) for r, _ in pairs) / len(pairs)),
                "cases": len(pairs), "lowest": min(pairs)[0], "lowest_case": min(pairs)[1]
            } for name, pairs in by_peer.items()
        } for threads, by_peer in ratios.items()
    }


def print_summary(results):
    for threads, by_peer in results["geomean"].items():
        print(f"geometric mean, {threads} thread(s):")
        for name, mean in by_peer.items():
            print(f"  {_label(name):<24}{mean['ratio']:>6.2f}x over {mean['cases']} case(s), "
                  f"lowest {mean['lowest']:.2f}x ({mean['lowest_case']})")


#===-----------------------------------------------------------------------===#
# The page
#===-----------------------------------------------------------------------===#

STYLE = """
body { font: 15px/1.4 sans-serif; max-width: 72em; margin: 2em auto; padding: 0 1em; }
table { border-collapse: collapse; } td, th { padding: .15em .7em; text-align: right; }
td:first-child, td:nth-child(2), th:first-child, th:nth-child(2) { text-align: left; }
tr:nth-child(even) { background: #f3f3f3; } svg { max-width: 100%; height: auto; }
"""


def _svg(figure):
    """The figure as an element for a page."""
    text = io.StringIO()
    figure.savefig(text, format="svg", bbox_inches="tight")
    return text.getvalue()[text.getvalue().index("<svg"):]


def _plot(results, threads):
    """Speed of everybody relative to ours, and how near to the limits we are."""
    import matplotlib
    matplotlib.use("Agg")
    from matplotlib import pyplot
    shown = [c for c in results["cases"] if str(c["threads"]) == threads
             and "median_s" in c["peers"].get(peers.OURS, {})]
    names = [name for name in peers.PEERS
             if any("median_s" in c["peers"].get(name, {}) for c in shown)]
    pictures = []
    height = max(2.0, 0.16 * len(shown) * (len(names) + 1))
    figure, axes = pyplot.subplots(figsize=(9, height))
    for number, name in enumerate(names):
        rows = [(i, c["peers"][name]) for i, c in enumerate(shown)
                if "median_s" in c["peers"].get(name, {})]
        axes.barh([i + number * 0.8 / len(names) for i, _ in rows],
                  [1 / row["ratio"] for _, row in rows], 0.8 / len(names),
                  label=_label(name))
    axes.set_yticks([i + 0.4 for i in range(len(shown))], [c["name"] for c in shown])
    axes.invert_yaxis()
    axes.axvline(1, color="black", linewidth=0.8)
    axes.set_xlabel("speed relative to relay-mlir (longer is faster)")
    axes.legend(loc="upper left", bbox_to_anchor=(1, 1))
    pictures.append(_svg(figure))
    pyplot.close(figure)

    figure, axes = pyplot.subplots(figsize=(9, max(2.0, 0.3 * len(shown))))
    axes.barh([c["name"] for c in shown],
              [c["peers"][peers.OURS]["roofline"] * 100 for c in shown])
    axes.invert_yaxis()
    axes.axvline(100, color="black", linewidth=0.8)
    axes.set_xlabel("relay-mlir, per cent of the machine's limit (arithmetic or memory)")
    pictures.append(_svg(figure))
    pyplot.close(figure)
    return "".join(f"<p>{picture}</p>" for picture in pictures)


def make_page(results):
    parts = ["<!DOCTYPE html><html lang='en'><head><meta charset='utf-8'>"
             f"<title>Benchmarks</title><style>{STYLE}</style></head><body>"
             f"<h1>Benchmarks</h1><p>{html.escape(results['date'])}</p>"]
    parts += [f"<p>{html.escape(describe_machine(m))}</p>"
              for m in results["machine"].values()]
    parts += [f"<p>{html.escape(line)}</p>" for line in results["missing"]]
    if results["failures"]:
        lines = "".join(f"<li>{html.escape(line)}</li>" for line in results["failures"])
        parts.append(f"<h2>Failures</h2><ul>{lines}</ul>")
    for threads, by_peer in results["geomean"].items():
        parts.append(f"<h2>{threads} thread(s)</h2><ul>")
        parts += [f"<li>{html.escape(_label(name))}: geometric mean {m['ratio']:.2f}x over "
                  f"{m['cases']} case(s), lowest {m['lowest']:.2f}x "
                  f"({html.escape(m['lowest_case'])})</li>" for name, m in by_peer.items()]
        parts.append("</ul>")
    try:
        parts += [_plot(results, threads) for threads in results["machine"]]
    except ImportError:
        parts.append("<p>No plots: matplotlib is not installed (pip install matplotlib).</p>")
    parts.append("<h2>Numbers</h2><table><tr><th>case</th><th>peer</th><th>threads</th>"
                 "<th>computes</th><th>median ms</th><th>p10</th><th>p90</th><th>IQR</th>"
                 "<th>runs</th><th>ratio</th><th>GFLOP/s</th><th>GB/s</th>"
                 "<th>peak</th><th>roofline</th><th>error</th></tr>")
    for case in results["cases"]:
        for name, row in case["peers"].items():
            cells = [html.escape(case["name"])]
            if "median_s" not in row:
                cells += [html.escape(_label(name)), str(case["threads"]),
                          f"<td colspan='12'>{html.escape(row['error'])}</td>"]
            else:
                rate = row.get("flop_per_s")
                cells += [html.escape(f"{_label(name)} {row['version']}"),
                          str(case["threads"]), row["computes"], *_times(row),
                          str(row["runs"]), _number(row.get("ratio"), 2),
                          _number(rate and rate / 1e9, 1), f"{row['bytes_per_s'] / 1e9:.1f}",
                          _percent(row.get("peak")), _percent(row["roofline"]),
                          _error(row)]
            parts.append("<tr>" + "".join(
                cell if cell.startswith("<td") else f"<td>{cell}</td>" for cell in cells)
                + "</tr>")
    parts.append("</table></body></html>\n")
    return "".join(parts)
