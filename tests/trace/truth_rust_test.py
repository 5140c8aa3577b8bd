# SPDX-License-Identifier: Apache-2.0
"""Rust programs with ring and with RustCrypto, stripped; also with the crates' software forced."""
import os

from truth import (BUILT, PROGRAMS, Missing, built, cases, little, main, mostly, must, need, need_cpu, run,
                   test, trace)

FOLDER = os.path.join(PROGRAMS, "rust")
SOURCES = [os.path.join(FOLDER, name) for name in ("Cargo.toml", "Cargo.lock", "src/with_ring.rs",
                                                   "src/with_rustcrypto.rs")]
SOFT = " ".join(f"--cfg {name}_force_soft" for name in ("aes", "polyval", "chacha20", "poly1305"))


def binary(name, features, flags=""):
    need("cargo")
    tag = "soft" if flags else "plain"
    target = os.path.join(BUILT, "rust-" + tag)

    def make(out):
        fetched = run("cargo", "fetch", "--locked", cwd=FOLDER)
        if fetched.returncode:
            raise Missing("crates cannot be fetched: " + fetched.stderr.strip().splitlines()[-1])
        must("cargo", "build", "--locked", "--offline", "--release", "--bin", name, "--features", features,
             "--target-dir", target, cwd=FOLDER, timeout=600, **({"RUSTFLAGS": flags} if flags else {}))
        os.replace(os.path.join(target, "release", name), out)
    return built(f"{name}-{tag}", SOURCES, make)


def with_ring():
    return binary("with-ring", "ring")


def with_rustcrypto():
    return binary("with-rustcrypto", "rustcrypto")


def without_hardware():
    return binary("with-rustcrypto", "rustcrypto,sha2/force-soft", SOFT)


@cases([
    ("ring gcm", with_ring, "gcm", .80, "AES", "hardware"),
    ("ring chacha", with_ring, "chacha", .40, "ChaCha20", "vector software"),
    # ring 0.17.8 has no SHA-NI
    ("ring sha256", with_ring, "sha256", .85, "SHA-256", None),
    ("ring sha512", with_ring, "sha512", .85, "SHA-512", None),
    ("RustCrypto aes-cbc", with_rustcrypto, "aes-cbc", .85, "AES", "hardware"),
    ("RustCrypto gcm, AES", with_rustcrypto, "gcm", .05, "AES", "hardware"),
    ("RustCrypto gcm, GHASH", with_rustcrypto, "gcm", .40, "GHASH", "hardware"),
    ("RustCrypto sha256", with_rustcrypto, "sha256", .85, "SHA-256", "hardware"),
    ("RustCrypto sha512", with_rustcrypto, "sha512", .85, "SHA-512", "software"),
    ("RustCrypto chacha", with_rustcrypto, "chacha", .30, "ChaCha20", "vector software"),
    ("RustCrypto md5", with_rustcrypto, "md5", .85, "MD5", "software"),
    ("software sha256", without_hardware, "sha256", .85, "SHA-256", "software"),
])
def rust(program, mode, least, algorithm, how):
    need_cpu("aes", "pclmulqdq", "sha_ni", "avx2")
    mostly(trace(program(), mode, 1), least, algorithm=algorithm, **({"how": how} if how else {}))


# The crates' AES in software, fixslice, has no table: it is recognised by its masks or its structure, and
# never as hardware.
@cases([("aes-cbc", "aes-cbc"), ("gcm", "gcm")])
def fixslice(mode):
    report = trace(without_hardware(), mode, 1)
    little(report, 0, how="hardware")
    seen = report.share(algorithm="AES", how="software") + report.share(how="unclassified")
    assert seen >= .40, report


@test
def stripped():
    assert b".symtab" not in open(with_rustcrypto(), "rb").read()


main()
