# SPDX-License-Identifier: Apache-2.0
"""A JVM that runs already: its own compiled code, with AES instructions and without."""
import os
import subprocess

from truth import (PROGRAMS, attach, built, cases, environment, little, main, mostly, must, need, need_cpu,
                   test)


def classes():
    need("javac")
    source = os.path.join(PROGRAMS, "java/Truth.java")
    return built("java", [source], lambda out: must("javac", "-d", out, source))


def attached(mode, *flags, options=()):
    """Returns the report of 3 seconds of a JVM that has compiled its methods already."""
    program = subprocess.Popen([need("java"), *flags, "-cp", classes(), "Truth", mode, "600"],
                               stdout=subprocess.PIPE, env=environment())
    try:
        assert program.stdout.readline() == b"warm\n"
        report = attach(program.pid, 3, options).enough()
        assert program.poll() is None
        assert not os.path.exists(f"/tmp/perf-{program.pid}.map")
        return report
    finally:
        program.kill()
        program.wait()
        program.stdout.close()


@cases([
    ("aes-cbc", "aes-cbc", [], "AES", "hardware"),
    ("aes-cbc -XX:-UseAES", "aes-cbc", ["-XX:-UseAES"], "AES", "software"),
    ("aes-cbc -XX:-UseAESIntrinsics", "aes-cbc", ["-XX:+UnlockDiagnosticVMOptions", "-XX:-UseAESIntrinsics"], "AES", "software"),
    ("sha256", "sha256", [], "SHA-256", "hardware"),
    ("sha256 -XX:-UseSHA", "sha256", ["-XX:-UseSHA"], "SHA-256", "software"),
    ("md5", "md5", [], "MD5", "software"),
])
def jvm(mode, flags, algorithm, how):
    need_cpu("aes", "pclmulqdq", "sha_ni")
    report = attached(mode, *flags)
    mostly(report, .60, algorithm=algorithm, how=how)
    little(report, .02, algorithm=algorithm, how={"hardware": "software", "software": "hardware"}[how])


@test
def sha3():
    """Java's own code; from Java 24 on a stub of AVX-512, which points to the round constants by an address of 64 bits."""
    report = attached("sha3")
    software = report.share(algorithm="SHA-3", how="software") + report.share(algorithm="SHA-3", how="vector software")
    assert software >= .60, report
    little(report, .02, algorithm="SHA-1")
    little(report, .02, algorithm="SHA-512")


@test
def gcm():
    """Until the caller of GHASH is compiled again, a JVM runs Java's GHASH, which is software."""
    need_cpu("aes", "pclmulqdq")
    report = attached("gcm")
    both = report.share(algorithm="AES") + report.share(algorithm="GHASH")
    assert both >= .30, report
    little(report, .02, algorithm="AES", how="software")
    little(report, .02, how="unclassified")


@test
def methods_have_names():
    need_cpu("aes")
    report = attached("aes-cbc", "-XX:-UseAES")
    named = sum(row["samples"] for row in report.rows if not row["function"].startswith("+"))
    assert named >= .60 * report.samples, report


main()
