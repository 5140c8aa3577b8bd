# SPDX-License-Identifier: Apache-2.0
"""Programs that compute no crypto: none is seen in them."""
import os
import random
import tempfile

from truth import PROGRAMS, cases, compiled, little, main, need, test, trace

CRYPTO = "hardware", "software", "vector software"


def data(place, size):
    """Writes a text that compresses by about a half, the same each time, and returns its path."""
    digits = random.Random(1).randbytes(size // 2).hex()
    with open(os.path.join(place, "data"), "w", encoding="ascii") as file:
        file.write(digits.replace("0", "\n"))
    return file.name


def none(report, least_samples=100):
    report.enough(least_samples)
    for how in CRYPTO:
        little(report, .005, how=how)
    little(report, .02, how="unclassified")


COMPUTE = "import collections\nfor _ in range(12): collections.Counter(str(i % 977) for i in range(300000))"


@cases([
    ("gzip", ["gzip", "-c", "-9", "DATA"], 12_000_000),
    ("gunzip", ["sh", "-c", "gzip -c DATA | gunzip"], 12_000_000),
    ("sort", ["sort", "DATA"], 20_000_000),
    ("xz", ["xz", "-c", "-3", "DATA"], 1_000_000),
    ("xz -d", ["sh", "-c", "xz -0c DATA | xz -d"], 5_000_000),
    ("python", ["/usr/bin/python3", "-c", COMPUTE], 0),
    ("find", ["sh", "-c", "for i in 1 2; do find /usr -name x -newer /etc/passwd; done"], 0),
    ("grep", ["grep", "-cE", "(a|b)+c.*9(d|e)+f", "DATA"], 30_000_000),
    ("bzip2", ["bzip2", "-c", "DATA"], 6_000_000),
    ("zstd", ["zstd", "-c", "-9", "DATA"], 12_000_000),
    ("awk", ["awk", "{ n[substr($1, 1, 4)] += length($1) } END { for (i in n) print i, n[i] }", "DATA"],
     20_000_000),
])
def program(words, size):
    need(words[0])
    for tool in "gzip", "xz":
        if tool in " ".join(words):
            need(tool)
    with tempfile.TemporaryDirectory() as place:
        path = data(place, size) if size else ""
        none(trace(*[word.replace("DATA", path) for word in words]), 200)


@test
def gcc():
    with tempfile.TemporaryDirectory() as place:
        none(trace(need("gcc"), "-O2", "-c", os.path.join(PROGRAMS, "c/tables.c"), "-o", place + "/a.o",
                   "-include", "stdio.h", "-fipa-pta", "-funroll-all-loops",
                   CCACHE_DISABLE="1"), 20)  # else ccache, where it stands for gcc, hashes with BLAKE3


@test
def xz_computes_checksums():
    """xz hashes with a table of CRC32 to find matches: that must not be taken for crypto."""
    need("xz")
    with tempfile.TemporaryDirectory() as place:
        report = trace("xz", "-c", "-3", data(place, 1_000_000)).enough()
    assert not [row for row in report.rows if row["how"] in CRYPTO], report


main()
