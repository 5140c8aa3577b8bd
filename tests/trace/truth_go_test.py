# SPDX-License-Identifier: Apache-2.0
"""A static, stripped Go program, with features of the CPU and without."""
import os
import re
import subprocess

from truth import PROGRAMS, CPU, built, cases, little, main, mostly, must, need, need_cpu, test, trace


def program():
    need("go")
    folder = os.path.join(PROGRAMS, "go")

    def make(out):
        must("go", "build", "-trimpath", "-buildvcs=false", "-ldflags=-s -w", "-o", out, ".", cwd=folder,
             CGO_ENABLED=0, GOFLAGS="", GOTOOLCHAIN="local")
    return built("go", ["go/main.go", "go/go.mod"], make)


def since_1_21():
    need("go")
    found = re.search(r"go1\.(\d+)", subprocess.run(["go", "version"], stdout=subprocess.PIPE, check=True, text=True).stdout)
    return not found or int(found[1]) >= 21


# A call of Go's CBC encrypts one block: its own loop around that takes a part of the time, as GHASH in
# software does without PCLMULQDQ: most of it before 1.21.
@cases([
    ("aes-cbc", "aes-cbc", "", .40, "AES", "hardware", "software"),
    ("aes-cbc, masked", "aes-cbc", "cpu.aes=off", .60, "AES", "software", "hardware"),
    ("gcm", "gcm", "", .85, "AES", "hardware", "software"),
    ("gcm, AES masked", "gcm", "cpu.aes=off", .15, "AES", "software", "hardware"),
    ("gcm, PCLMULQDQ masked", "gcm", "cpu.pclmulqdq=off", lambda: .08 if since_1_21() else .04, "AES", "hardware", "software"),
    ("md5", "md5", "", .85, "MD5", "software", "hardware"),
    ("sha1", "sha1", "", .85, "SHA-1", None, None),
    ("sha512", "sha512", "", .85, "SHA-512", None, None),
    ("sha256, masked", "sha256", "cpu.all=off", .85, "SHA-256", "software", "hardware"),
])
def go(mode, debug, least, algorithm, how, other):
    need_cpu("aes", "pclmulqdq")
    report = trace(program(), mode, 1, **({"GODEBUG": debug} if debug else {}))
    wanted = {"algorithm": algorithm, "how": how} if how else {"algorithm": algorithm}
    mostly(report, least() if callable(least) else least, **wanted)
    if other:
        little(report, .01, algorithm=algorithm, how=other)


@test
def go_sha256():
    path = program()
    mostly(trace(path, "sha256", 1), .85, algorithm="SHA-256",
           how="hardware" if since_1_21() and "sha_ni" in CPU else "software")


@test
def go_gcm_without_pclmulqdq_has_software_ghash():
    report = trace(program(), "gcm", 1, GODEBUG="cpu.pclmulqdq=off")
    little(report, 0, algorithm="GHASH", how="hardware")
    rest = report.share(algorithm="GHASH", how="software") + report.share(how="unclassified")
    assert rest >= .30, report


@test
def hashing_of_map_keys_is_not_encryption():
    report = trace(program(), "maps", 1)
    little(report, 0, algorithm="AES")
    mostly(report, .01, how="hashing")


@test
def functions_have_names_though_stripped():
    report = trace(program(), "md5", 1)
    row = max(report.select(algorithm="MD5"), key=lambda row: row["samples"])
    assert row["function"] == "crypto/md5.block", row


@test
def moving_stacks_survive_probes():
    report = trace(program(), "grow", 1, options=["--count"])
    assert report.status == 0


main()
