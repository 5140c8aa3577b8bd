# SPDX-License-Identifier: Apache-2.0
"""openssl speed: hardware, and software where features of the CPU are masked."""
import os
import re

from truth import CPU, Missing, cases, little, main, mostly, need, need_cpu, test, trace

# Words of OPENSSL_ia32cap, OPENSSL_ia32cap(3): the first has AES-NI (bit 57), PCLMULQDQ (33), SSSE3 (41)
# and AVX (60); the second, after a colon, AVX2 (5), SHA-NI (29), AVX-512 F (16), BW (30), VL (31).
NO_AES = "~0x200000200000000"
NO_AES_SSSE3 = "~0x200020200000000"
NO_SHA = ":~0x20000000"
NO_SHA_AVX2 = ":~0xe0010020"
NO_VECTORS = "~0x1000020200000000:~0xe0010020"

# name, arguments of openssl speed, mask, least shares of (algorithm, how), CPU flags that the hardware needs
SPEED = [
    ("AES-CBC", "-evp aes-128-cbc", "", [(.95, "AES", "hardware")], "aes"),
    ("AES-256-CBC", "-evp aes-256-cbc", "", [(.95, "AES", "hardware")], "aes"),
    ("AES-CBC decryption", "-decrypt -evp aes-128-cbc", "", [(.95, "AES", "hardware")], "aes"),
    ("AES-CTR", "-evp aes-128-ctr", "", [(.95, "AES", "hardware")], "aes"),
    ("AES-XTS", "-evp aes-128-xts", "", [(.95, "AES", "hardware")], "aes"),
    ("AES-CBC, vpaes", "-evp aes-128-cbc", NO_AES, [(.95, "AES", "software")], ""),
    ("AES-CBC decryption, vpaes", "-decrypt -evp aes-128-cbc", NO_AES, [(.95, "AES", "software")], ""),
    ("AES-CTR, bitsliced", "-evp aes-128-ctr", NO_AES, [(.95, "AES", "software")], ""),
    ("AES-CBC, T-tables", "-evp aes-128-cbc", NO_AES_SSSE3, [(.95, "AES", "software")], ""),
    ("AES-CBC decryption, T-tables", "-decrypt -evp aes-128-cbc", NO_AES_SSSE3,
     [(.95, "AES", "software")], ""),
    ("SHA-256", "-evp sha256", "", [(.95, "SHA-256", "hardware")], "sha_ni"),
    ("SHA-256, AVX2", "-evp sha256", NO_SHA, [(.95, "SHA-256", "software")], ""),
    ("SHA-256, AVX", "-evp sha256", NO_SHA_AVX2, [(.95, "SHA-256", "software")], ""),
    ("SHA-256, scalar", "-evp sha256", NO_VECTORS, [(.95, "SHA-256", "software")], ""),
    ("SHA-512", "-evp sha512", "", [(.95, "SHA-512", "software")], ""),
    ("SHA-512, scalar", "-evp sha512", NO_VECTORS, [(.95, "SHA-512", "software")], ""),
    ("SHA-1", "-evp sha1", "", [(.95, "SHA-1", "hardware")], "sha_ni"),
    ("SHA-1, AVX2", "-evp sha1", NO_SHA, [(.95, "SHA-1", "software")], ""),
    ("SHA-1, scalar", "-evp sha1", NO_VECTORS, [(.95, "SHA-1", "software")], ""),
    ("MD5", "-evp md5", "", [(.95, "MD5", "software")], ""),
    ("SHA3-256", "-evp sha3-256", "", [(.90, "SHA-3", None)], ""),
    ("ChaCha20", "-evp chacha20-poly1305", "", [(.40, "ChaCha20", "vector software")], "avx2"),
    # The tracer finds no verdict for OpenSSL's Poly1305 in AVX2, which it runs on other CPUs.
    ("Poly1305", "-evp chacha20-poly1305", "", [(.05, "Poly1305", "vector software")], "avx512f"),
    ("BLAKE2", "-evp blake2b512", "", [(.90, "BLAKE2", "software")], ""),
    ("Camellia", "-evp camellia-128-cbc", "", [(.90, "Camellia", "software")], ""),
]


# Bytes a call: at 16 KiB, a tenth of AES-GCM's time is OpenSSL's own work for each call, on an EPYC Zen 3.
LONG = 262144


def speed(words, mask="", options=(), bytes_=LONG, seconds=1):
    env = {"OPENSSL_ia32cap": mask} if mask else {}
    return trace(need("openssl"), "speed", "-seconds", seconds, "-bytes", bytes_, *words.split(),
                 options=options, **env)


@cases(SPEED)
def openssl_speed(words, mask, wanted, flags):
    need_cpu(*flags.split())
    if "sha512" in CPU and "sha512" in words and not mask:
        raise Missing("this CPU has SHA-512 instructions, and which OpenSSL uses them varies")
    report = speed(words, mask)
    for least, algorithm, how in wanted:
        mostly(report, least, algorithm=algorithm, **({"how": how} if how else {}))
    other = {"hardware": "software", "software": "hardware"}
    for _, algorithm, how in wanted:
        if how in other:
            little(report, .02, algorithm=algorithm, how=other[how])


@test
def gcm_is_aes_and_ghash_in_hardware():
    need_cpu("aes", "pclmulqdq")
    report = speed("-evp aes-128-gcm")
    # Every algorithm in hardware is counted: the AES that sets up keys and counters is not reported as GCM.
    mostly(report, .90, how="hardware")
    little(report, .02, how="software")


@test
def gcm_without_the_instructions_is_software():
    report = speed("-evp aes-128-gcm", NO_AES)
    mostly(report, .10, algorithm="AES", how="software")
    little(report, 0, how="hardware")
    # Software GHASH has no constants that nothing else has: named or unclassified, but seen.
    rest = report.share(algorithm="GHASH", how="software") + report.share(how="unclassified")
    assert rest >= .40, report


@test
def rsa_is_arithmetic_not_crypto_hardware():
    report = trace(need("openssl"), "speed", "-seconds", 1, "rsa2048")
    little(report, .02, how="hardware")
    mostly(report, .50, algorithm="bignum")


@test
def counts_are_openssls_own():
    need_cpu("aes")
    if os.geteuid():
        raise Missing("counts of every call need root")
    for size in 16, 1024, 16384:
        report = speed("-mr -evp aes-128-cbc", options=["--count"], bytes_=size)
        own = int(re.search(r"^\+R:(\d+):", report.stderr, re.M)[1])
        row = max(report.select(algorithm="AES"), key=lambda row: row["calls"] or 0)
        assert row["calls"] == own and row["exact"], (size, own, row)
        assert row["bytes"] == own * size, (size, own, row)


main()
