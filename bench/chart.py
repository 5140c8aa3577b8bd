#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""chart.py [--text] MAP.json >CHART.svg - draws README's bar chart from what `headrace calibrate --json` measured.

A bar is the time of OpenSSL's default provider over Headrace's, through EVP, for messages of 16 KiB; a tick on it is
the lowest ratio of any size from 16 bytes on. Grey rows are not served. The scale is logarithmic, and the picture has
colours for light and dark pages. --text prints the rows as lines instead, for `./x demo`.
"""
import json
import math
import sys
from xml.sax.saxutils import escape

# The rows to draw: a symbol, its direction in the map, and words for people.
ROWS = [
    ("des_ede3_cbc", "decrypt", "triple DES-CBC, decrypting"),
    ("aes_256_cfb128", "decrypt", "AES-256-CFB, decrypting"),
    ("camellia_256_cbc", "decrypt", "Camellia-256-CBC, decrypting"),
    ("aes_256_ctr", "encrypt", "AES-256-CTR"),
    ("aes_256_cbc", "decrypt", "AES-256-CBC, decrypting"),
    ("aes_256_gcm", "encrypt", "AES-256-GCM"),
    ("aes_256_xts", "encrypt", "AES-256-XTS"),
    ("pbkdf2", "derive", "PBKDF2"),
    ("aes_256_cbc", "encrypt", "AES-256-CBC, encrypting"),
    ("hkdf", "derive", "HKDF"),
    ("sha256", "hash", "SHA-256"),
    ("sha512", "hash", "SHA-512"),
]
LABEL, RIGHT, ROW, BAR, TOP = 230, 60, 26, 16, 64
WIDTH = 760
STYLE = """
  text { font: 13px system-ui, sans-serif; fill: #1f2328 }
  .title { font-size: 15px; font-weight: 600 } .small { font-size: 11px; fill: #59636e }
  .served { fill: #1a7f64 } .left { fill: #9aa2ab } .grid { stroke: #d1d9e0 } .one { stroke: #59636e }
  .tick { stroke: #ffffff; stroke-width: 2 } .page { fill: #ffffff }
  @media (prefers-color-scheme: dark) {
    text { fill: #f0f6fc } .small { fill: #9198a1 } .served { fill: #3fb68b } .left { fill: #656c76 }
    .grid { stroke: #3d444d } .one { stroke: #9198a1 } .tick { stroke: #0d1117 } .page { fill: #0d1117 }
  }
"""


def ratios(found, direction):
    """The ratios of a row of the map by message length; of a key derivation, whose map has no lengths, one."""
    by_len = found[direction] if direction in found else next(v for v in found.values() if isinstance(v, dict))
    return {int(size): ratio for size, ratio in by_len.items()}


def collect(measured):
    """What is drawn: (words, ratio at the largest size, least ratio, served), the largest first."""
    rows = {row["symbol"]: row for row in measured["ratios"]}
    drawn = []
    for symbol, direction, words in ROWS:
        values = ratios(rows[symbol], direction)
        drawn.append((words, values[max(values)], min(values.values()), rows[symbol]["win"]))
    return sorted(drawn, key=lambda row: -row[1])


def draw(drawn, cpu, openssl):
    """The picture."""
    least, most = 0.5, max(2 ** math.ceil(math.log2(max(row[1] for row in drawn))), 2)
    span = WIDTH - LABEL - RIGHT

    def x(ratio):
        return LABEL + span * math.log2(max(ratio, least) / least) / math.log2(most / least)

    height = TOP + ROW * len(drawn) + 44
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{height}" viewBox="0 0 {WIDTH} {height}" '
           f'role="img">', "<title>How many times as fast as OpenSSL, by algorithm</title>", f"<style>{STYLE}</style>",
           f'<rect class="page" width="{WIDTH}" height="{height}" rx="6"/>',
           '<text class="title" x="16" y="26">Times OpenSSL\'s speed, same program, messages of 16 KiB</text>',
           f'<text class="small" x="16" y="44">{escape(cpu)}; {escape(openssl)}. The tick is the least ratio of any size '
           'from 16 bytes on.</text>']
    ratio = least
    while ratio <= most:
        style = "one" if ratio == 1 else "grid"
        out.append(f'<line class="{style}" x1="{x(ratio):.1f}" x2="{x(ratio):.1f}" y1="{TOP - 6}" '
                   f'y2="{TOP + ROW * len(drawn)}"/>')
        out.append(f'<text class="small" x="{x(ratio):.1f}" y="{TOP + ROW * len(drawn) + 16}" '
                   f'text-anchor="middle">{ratio:g}</text>')
        ratio *= 2
    for i, (words, value, lowest, served) in enumerate(drawn):
        y = TOP + ROW * i
        left, right = sorted((x(1), x(value)))
        out.append(f'<text x="{LABEL - 10}" y="{y + 13}" text-anchor="end">{escape(words)}</text>')
        out.append(f'<rect class="{"served" if served else "left"}" x="{left:.1f}" y="{y}" '
                   f'width="{max(right - left, 2):.1f}" height="{BAR}" rx="2"/>')
        if served and lowest > 1:
            out.append(f'<line class="tick" x1="{x(lowest):.1f}" x2="{x(lowest):.1f}" y1="{y}" y2="{y + BAR}"/>')
        out.append(f'<text x="{max(right, x(1)) + 6:.1f}" y="{y + 13}">{value:.1f}'
                   f'{"" if served else ", left to OpenSSL"}</text>')
    out.append(f'<text class="small" x="16" y="{height - 8}">headrace calibrate --json; bench/chart.py</text></svg>')
    return "\n".join(out) + "\n"


def cpu_name():
    """The CPU's name with its family and model, since virtual machines hide the former."""
    with open("/proc/cpuinfo", encoding="ascii", errors="replace") as file:
        found = dict(line.split(":", 1) for line in file.read().split("\n\n", 1)[0].replace("\t", "").splitlines())
    return f"{found['model name'].strip()} (family {found['cpu family'].strip()}, model {found['model'].strip()})"


def print_rows(drawn):
    for words, value, lowest, served in drawn:
        print(f"  {words:30} {value:6.1f} (least at any size: {lowest:.2f})   {'served' if served else 'left to OpenSSL'}")


def main():
    with open(sys.argv[-1], encoding="utf-8") as file:
        measured = json.load(file)
    if sys.argv[1] == "--text":
        print_rows(collect(measured))
        return
    sys.stdout.write(draw(collect(measured), cpu_name(), " ".join(measured["openssl"].split()[:2])))


main()
