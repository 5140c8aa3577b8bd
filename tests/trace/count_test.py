# SPDX-License-Identifier: Apache-2.0
"""--count: every call is counted, as many as the program itself reports."""
import os
import re
import subprocess

from truth import TRACEFS, TRACER, Missing, cases, environment, main, need, need_cpu, test, trace

BACKENDS = ("multi", "uprobe")


def need_root():
    if os.geteuid():
        raise Missing("counts of every call need root")


def speed(algorithm, size, *options):
    """Runs openssl speed; returns its own count of calls, and the tracer's report."""
    need("openssl")
    need_root()
    report = trace("openssl", "speed", "-mr", "-evp", algorithm, "-bytes", size, "-seconds", 1,
                   options=["--count", *options])
    return int(re.search(r"^\+R:(\d+):", report.stderr, re.M)[1]), report


def calls(report, function):
    """Returns the calls and bytes of one function; both must be reported as exact."""
    rows = [row for row in report.rows if row["function"].rstrip("~") == function and row["calls"]]
    assert rows, (function, str(report))
    for row in rows:
        assert row["exact"], row
    return sum(row["calls"] for row in rows), sum(row["bytes"] or 0 for row in rows)


@cases([(f"{backend} {size}", backend, size) for backend in BACKENDS
        for size in ((16, 16384) if backend == "uprobe" else (16, 256, 1024, 16384))])
def cbc_is_openssls_own(backend, size):
    need_cpu("aes")
    own, report = speed("aes-128-cbc", size, "--probe-backend", backend)
    assert calls(report, "aesni_cbc_encrypt") == (own, own * size), (own, str(report))


# SHA-256 of whole blocks calls the function once for them and once for the padding.
@cases([(backend, backend) for backend in BACKENDS])
def sha256_by_its_dispatcher(backend):
    need_cpu("sha_ni")
    own, report = speed("sha256", 1024, "--probe-backend", backend)
    assert calls(report, "sha256_block_data_order_shaext") == (2 * own, own * (1024 + 64)), (own, str(report))
    # The dispatcher itself computed nothing.
    assert not report.calls("sha256_block_data_order"), str(report)


# Each call of the library calls the function once or twice; openssl speed sets keys before it counts.
@cases([("AES-GCM", "aes-128-gcm", "aesni_gcm_encrypt", "aes avx"), ("AES-XTS", "aes-256-xts", "aesni_xts_encrypt", "aes"),
        ("SHA-1", "sha1", "sha1_block_data_order_shaext", "sha_ni")])
def one_call_is_one(algorithm, function, flags):
    need_cpu(*flags.split())
    own, report = speed(algorithm, 1024)
    counted = calls(report, function)[0]
    assert counted in (own, 2 * own), (own, counted, str(report))


@cases([(f"{backend} {name}", backend, tracefs) for backend in BACKENDS for name, tracefs in TRACEFS[1:]])
def late_libraries_and_children(backend, tracefs):
    """A module that is loaded while the program runs needs libcrypto; a child counts as well."""
    need_root()
    need_cpu("sha_ni")
    program = """
import hashlib, os
for i in range(1000): hashlib.sha256(bytes(64)).digest()
if os.fork() == 0:
    for i in range(500): hashlib.sha256(bytes(64)).digest()
    os._exit(0)
os.wait()
"""
    report = trace(need("python3"), "-c", program, options=["--count", "--probe-backend", backend], tracefs=tracefs)
    counted = calls(report, "sha256_block_data_order_shaext")[0]
    assert counted == 3000, (counted, str(report))


@test
def a_hot_leaf_is_a_lower_bound():
    """CFB calls the cipher once a block, so the probe is taken out, and the count is "at least": never more than
    the program made. openssl speed counts only the calls of its measured loop, and warms up before."""
    need_cpu("aes")
    own, report = speed("aes-128-cfb", 1024)
    rows = [row for row in report.rows if row["function"].rstrip("~") == "aesni_encrypt" and row["calls"]]
    assert rows and rows[0]["exactness"] in ("exact", "at least"), str(report)
    assert rows[0]["calls"] <= own * 64 * 1.5, (own, str(report))


# The process that closes probes after the tracer's end, for seconds, must not keep the output's pipe open.
@cases([(backend, backend) for backend in BACKENDS])
def output_ends_with_the_tracer(backend):
    need("openssl")
    need_root()
    words = [TRACER, "--count", "--probe-backend", backend, "--", "openssl", "speed", "-evp", "aes-128-cbc", "-bytes",
             "1024", "-seconds", "1"]
    ours, its = os.pipe()
    with open(ours, "rb") as output:
        with subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=its,
                              env=environment()) as tracer:
            os.close(its)
            assert tracer.wait() == 0
        os.set_blocking(ours, False)
        said = b""
        while (more := output.read(65536)):
            said += more
        assert more == b"", "another process has the pipe still"
    assert b"aesni_cbc_encrypt" in said, said


main()
