# SPDX-License-Identifier: Apache-2.0
"""Programs that are easily mistaken for another algorithm: no verdict names what they do not compute, and
--require fails or holds as it should."""
from truth import TRACER, cases, compiled, main, mostly, need_cpu, run, test, trace

SECONDS = .3
CRYPTO = "hardware", "software", "vector software"


def lookalikes():
    return compiled("lookalikes", "c/lookalikes.c")


def holds(condition, *words):
    """Tells whether a condition holds for a program; its work lasts long enough for the samples that are needed."""
    done = run(TRACER, "--require", condition, "-o", "/dev/null", "--", *words)
    assert done.returncode in (0, 3), (done.returncode, done.stderr)
    return done.returncode == 0


def names_nothing(report):
    """No verdict names an algorithm."""
    report.enough()
    found = [verdict for verdict in report.json["verdicts"] if verdict["how"] in CRYPTO]
    assert not found, (found, str(report))


@cases([("AEGIS by AES rounds", "aegis"), ("an S-box by AESENCLAST", "sbox")])
def ciphers_on_aes_instructions_are_not_aes(word):
    need_cpu("aes", "ssse3")
    report = trace(lookalikes(), word, SECONDS)
    names_nothing(report)
    mostly(report, .9, algorithm="AES-based", how="unclassified")
    assert "a cipher on AES instructions, not AES: lookalikes" in report.json["verdicts"][0]["text"], report.json
    assert not holds("hw:aes", lookalikes(), word, SECONDS)


@cases([("a hash by AES rounds", "hash", "AES-hash", "hashing"), ("AES", "aes", "AES", "hardware")])
def aes_instructions(word, algorithm, how):
    need_cpu("aes")
    mostly(trace(lookalikes(), word, SECONDS), .7, algorithm=algorithm, how=how)


@cases([(word, word) for word in ("xtea", "speck", "salsa", "masked", "feistel")])
def ciphers_without_a_name_are_noticed(word):
    report = trace(lookalikes(), word, SECONDS)
    names_nothing(report)
    # Loops of these ciphers that only move bytes are not recognised: a fifth of "feistel".
    mostly(report, .5, algorithm="unrecognised", how="unclassified")
    assert "unrecognised code that looks like crypto: lookalikes" in report.json["verdicts"][0]["text"], report.json
    if word == "masked":
        assert not holds("no-sw:aes", lookalikes(), word, SECONDS)


@cases([(word, word) for word in ("xoshiro", "murmur", "fnv", "crc", "base64", "matrix", "sort")])
def ordinary_loops_do_not_look_like_crypto(word):
    report = trace(lookalikes(), word, SECONDS)
    names_nothing(report)
    assert not report.select(how="unclassified"), str(report)


@test
def a_caller_that_passes_a_table_on_is_no_software():
    """The caller copies the blocks and passes the address of K256 on; SHA-NI computes."""
    need_cpu("sha_ni", "sse4_1")
    # A sample where the caller has just set the register is not told from a use: 1 of 1,000 or so, which are less
    # than 1 % in any run that is long enough.
    long = 5 * SECONDS
    report = trace(lookalikes(), "sha", long).enough(400)
    assert report.share(algorithm="SHA-256", how="software") <= .01, str(report)
    assert not report.select(how="vector software"), str(report)
    assert report.share(algorithm="SHA-256", how="hardware") > .2, str(report)
    assert holds("hw:sha256,no-sw:sha256", lookalikes(), "sha", long)


main()
