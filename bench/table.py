#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Markdown tables of ratios from the driver's TSV files: table.py FOLDER (bench/run.sh calls it).

A ratio is another's time over ours, so above 1 we are faster.  It is paired: formed in each run,
and the median of the runs is shown.  The best peer of a cell is the one of least median time.
"""
import collections
import pathlib
import statistics
import sys

QUIET = 0.8  # a row is trusted if its process had at least this share of a core
NOT_PEERS = ("headrace", "headrace30", "headrace35")
# Least ratios for the sizes 16, 64, 1024 and 16384.  A bar of 1.0 is 0.98 here, to allow for 2 % of
# noise; higher bars are exact.
BARS_DIRECT = {"AES": (0.98, 0.98, 0.98, 0.98), "SHA": (1.1, 1.05, 0.98, 0.98),
               "MD5": (1.1, 1.05, 0.98, 0.98), "HMAC-SHA256": (1.25, 1.25, 0.98, 0.98),
               "HMAC-SHA1": (1.15, 1.15, 0.98, 0.98), "HMA": (1.1, 1.05, 0.98, 0.98)}
BARS_EVP = {
    ("CFB", "dec"): (0.98, 1.2, 3, 6),
    ("CFB", "enc"): (0.98, 1.2, 1.5, 1.55),
}
BARS_CRC = {("CRC32C", 16384): 1.5, ("CRC32", 16384): 0.98}
BAR_SIZES = (16, 64, 1024, 16384)

Row = collections.namedtuple("Row", "ns share check")


def load(folder, part):
    """{cell: {column: [Row of run 1, ...]}}, cell = (algorithm, operation, size)."""
    cells = collections.defaultdict(lambda: collections.defaultdict(list))
    for path in sorted(folder.glob(part + "-*.tsv"), key=lambda p: int(p.stem.split("-")[1])):
        for line in path.read_text().splitlines()[1:]:
            f = line.split("\t")
            row = Row(float(f[6]), float(f[14]), f[15])
            cells[f[2], f[3], int(f[4])][f[0], f[1]].append(row)
    return cells


def median_ns(rows):
    return statistics.median(r.ns for r in rows)


def ratio(ours, theirs):
    return statistics.median(t.ns / o.ns for o, t in zip(ours, theirs))


def trusted(ours, theirs):
    return min(statistics.median(r.share for r in rows) for rows in (ours, theirs)) >= QUIET


def ns(value):
    return f"{value:.1f}" if value < 100 else f"{value:.0f}"


def show(ours, theirs, name, bar):
    value = ratio(ours, theirs)
    text = f"{value:.2f}"
    if bar is not None and value < bar:
        text = f"**{text}**"
    if not trusted(ours, theirs):
        text += "~"
    return f"{text} ({ns(median_ns(ours))} : {ns(median_ns(theirs))}{name})"


def bar_of(bars, size):
    return bars[BAR_SIZES.index(size)] if size in BAR_SIZES else 0.98


def bar_direct(alg, op, size):
    return bar_of(BARS_DIRECT.get(alg, BARS_DIRECT.get(alg[:3], (0.98,) * 4)), size)


def bar_evp(alg, op, size):
    return bar_of(BARS_EVP.get((alg[-3:], op), (0.98,) * 4), size)


def bar_crc(alg, op, size):
    return BARS_CRC.get((alg, size))


def table(title, cells, pair, bar):
    """pair(columns) gives (our column, their column, words) or None for a cell."""
    cells = {cell: columns for cell, columns in cells.items() if pair(columns)}
    sizes = sorted({size for _, _, size in cells})
    lines, misses = [], []
    for alg, op in dict.fromkeys((a, o) for a, o, _ in cells):
        texts = []
        for size in sizes:
            columns = cells.get((alg, op, size), {})
            found = pair(columns)
            if not found:
                texts.append("-")
                continue
            ours, theirs, words = found
            limit = bar(alg, op, size)
            texts.append(show(columns[ours], columns[theirs], words, limit))
            value = ratio(columns[ours], columns[theirs])
            if limit is not None and value < limit:
                misses.append(f"{alg} {op} {size} B: {value:.2f} of {limit}")
        lines.append(f"| {alg} {op} | " + " | ".join(texts) + " |")
    if not lines:
        return
    print(f"\n### {title}\n")
    print("| | " + " | ".join(f"{s} B" for s in sizes) + " |")
    print("|---" * (len(sizes) + 1) + "|")
    print("\n".join(lines))
    if bar is not no_bar:
        print(f"\nBelow the bar: {'; '.join(misses) if misses else 'none'}.")


def no_bar(alg, op, size):
    return None


def best_peer(columns):
    ours = ("headrace", "direct")
    peers = {c: rows for c, rows in columns.items() if c[0] not in NOT_PEERS}
    if ours not in columns or not peers:
        return None
    best = min(peers, key=lambda c: median_ns(peers[c]))
    return ours, best, f" {best[0]}/{best[1]}"


def columns_pair(ours, theirs):
    return lambda columns: (ours, theirs, "") if ours in columns and theirs in columns else None


def differing(cells):
    return sorted({f"{c[0]}/{c[1]} {cell[0]} {cell[1]} {cell[2]} B" for cell, columns in cells.items()
                   for c, rows in columns.items() if any(r.check == "DIFFERS" for r in rows)})


def with_and_without(plain, masked):
    """One table of the cells of both parts: how many times hardware makes each side faster."""
    ours, theirs = ("headrace", "direct"), ("ossl30", "evp")
    cells = {}
    for cell in masked:
        if cell not in plain or not {ours, theirs} <= plain[cell].keys() & masked[cell].keys():
            continue
        cells[cell] = tuple(median_ns(t[cell][c]) for c in (ours, theirs) for t in (plain, masked))
    if not cells:
        return
    print("\n### With and without the hardware: ns a message\n")
    print("| | size | Headrace with | without | times | OpenSSL with | without | times |")
    print("|---" * 8 + "|")
    for (alg, op, size), (a, b, c, d) in cells.items():
        print(f"| {alg} {op} | {size} | {ns(a)} | {ns(b)} | {b / a:.1f} | {ns(c)} | {ns(d)} |"
              f" {d / c:.1f} |")


def main():
    folder = pathlib.Path(sys.argv[1])
    parts = direct, evp, masked, crc = [load(folder, p) for p in ("direct", "evp", "masked", "crc")]
    table("Direct call against the best peer's call with one message", direct, best_peer, bar_direct)
    for version in ("30", "35"):
        table(f"Through EVP, all served, against OpenSSL {version[0]}.{version[1]}'s default provider",
              evp, columns_pair(("headrace" + version, "evp"), ("ossl" + version, "evp")), bar_evp)
    table("Without AES-NI, PCLMULQDQ and SHA-NI on either side: direct against OpenSSL 3.0's EVP",
          masked, columns_pair(("headrace", "direct"), ("ossl30", "evp")), no_bar)
    table("The same, both through EVP", masked,
          columns_pair(("headrace30", "evp"), ("ossl30", "evp")), no_bar)
    with_and_without(direct, masked)
    table("Checksums against ISA-L", crc, columns_pair(("headrace", "crc"), ("crc", "isal")), bar_crc)
    wrong = [w for cells in parts for w in differing(cells)]
    if wrong:
        sys.exit("table.py: outputs differ: " + "; ".join(wrong))


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main()
