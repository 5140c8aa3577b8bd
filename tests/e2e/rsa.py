#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Keys of RSA in the openssl command: keys, signatures of each padding, encryption, requests,
certificates, CMS, time stamps and TLS, with the provider on one side, on the other, or on both.
What one side writes the other reads, and Headrace's counters show that it did the work, but for
keys that it leaves to OpenSSL."""
import subprocess

import pkey
import served
from common import Place, Tap
from pkey import certify, openssl, stamp
from tls import exchange, take_key

# name, options of genpkey, the row that serves
KEYS = (
    ("rsa1024", ["rsa_keygen_bits:1024"], 0x0d01),
    ("rsa2048", ["rsa_keygen_bits:2048"], 0x0d02),
    ("rsa3072", ["rsa_keygen_bits:3072", "rsa_keygen_pubexp:3"], 0x0d03),
    ("rsa4096", ["rsa_keygen_bits:4096"], 0x0d04),
    ("three primes", ["rsa_keygen_bits:2048", "rsa_keygen_primes:3"], None),
    ("rsa768", ["rsa_keygen_bits:768"], None),
)
SIDES = ((True, False), (False, True), (True, True))
PKCS1 = []
PSS = ["-sigopt", "rsa_padding_mode:pss"]
SIGNATURES = (
    ("PKCS#1", PKCS1), ("PSS", PSS),
    ("PSS, the digest's length", PSS + ["-sigopt", "rsa_pss_saltlen:digest"]),
    ("PSS, no salt, another MGF1", PSS + ["-sigopt", "rsa_pss_saltlen:0", "-sigopt", "rsa_mgf1_md:sha512"]),
    ("X9.31", ["-sigopt", "rsa_padding_mode:x931"]),
)
OAEP = ["-pkeyopt", "rsa_padding_mode:oaep"]
CIPHERS = (
    ("PKCS#1", []), ("OAEP", OAEP),
    ("OAEP, SHA-256, MGF1 of SHA-1, a label", OAEP + ["-pkeyopt", "rsa_oaep_md:sha256", "-pkeyopt", "rsa_mgf1_md:sha1",
                                                      "-pkeyopt", "rsa_oaep_label:6c6162656c"]),
)
TLS = (
    ["-tls1_3", "-sigalgs", "rsa_pss_rsae_sha384"],
    ["-tls1_2", "-sigalgs", "rsa_pss_rsae_sha256"],
    ["-tls1_2", "-sigalgs", "RSA+SHA256"],
    ["-tls1_2", "-cipher", "AES128-GCM-SHA256"],  # key exchange by RSA
    ["-tls1", "-cipher", "ECDHE-RSA-AES128-SHA@SECLEVEL=0"],  # MD5 and SHA-1
    ["-tls1", "-cipher", "AES128-SHA@SECLEVEL=0"],  # key exchange by RSA
)


def make(place, name, options):
    openssl(place, True, "genpkey", "-algorithm", "RSA", *[word for o in options for word in ("-pkeyopt", o)],
            "-out", f"{name}.key")
    openssl(place, True, "pkey", "-in", f"{name}.key", "-pubout", "-out", f"{name}.pub")
    for command in (["pkey", "-outform", "PEM"], ["pkey", "-outform", "DER"], ["pkey", "-pubout"], ["pkey", "-text"],
                    ["rsa", "-traditional"], ["pkey", "-noout", "-check"]):
        texts = [openssl(place, ours, command[0], "-in", f"{name}.key", *command[1:]) for ours in (True, False)]
        assert texts[0] == texts[1], f"{command}: outputs differ"


def sign(place, name, row, signer, verifier):
    place.write("file", b"to be signed" * 1000)
    for how, options in SIGNATURES:
        by = row if how != "X9.31" else None
        openssl(place, signer, "dgst", "-sha256", *options, "-sign", f"{name}.key", "-out", "sig", "file", served_by=by)
        served.new(place.stats)
        openssl(place, verifier, "dgst", "-sha256", *options, "-verify", f"{name}.pub", "-signature", "sig", "file", served_by=by)
    place.write("file", b"something else")
    wrong = [subprocess.run(["openssl", "dgst", "-sha256", "-verify", f"{name}.pub", "-signature", "sig", "file"], check=False,
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=place.env(ours), cwd=place.dir)
             for ours in (True, False)]
    assert wrong[0].returncode == wrong[1].returncode == 1 and wrong[0].stdout == wrong[1].stdout, wrong


def recover(place, name, row, signer, verifier):
    place.write("short", b"no digest")
    openssl(place, signer, "pkeyutl", "-sign", "-inkey", f"{name}.key", "-in", "short", "-out", "sig", served_by=row)
    got = openssl(place, verifier, "pkeyutl", "-verifyrecover", "-pubin", "-inkey", f"{name}.pub", "-in", "sig", served_by=row)
    assert got == b"no digest", got


def crypt(place, name, row, encrypter, decrypter):
    place.write("short", b"a secret")
    for how, options in CIPHERS:
        served.new(place.stats)
        openssl(place, encrypter, "pkeyutl", "-encrypt", "-pubin", "-inkey", f"{name}.pub", "-in", "short", *options,
                "-out", "ct", served_by=row)
        served.new(place.stats)
        got = openssl(place, decrypter, "pkeyutl", "-decrypt", "-inkey", f"{name}.key", "-in", "ct", *options, served_by=row)
        assert got == b"a secret", f"{how}: {got}"


def envelope(place, name, row, ours, theirs):
    mail = b"a message\n" * 50
    place.write("mail", mail)
    for options in ([], ["-keyopt", "rsa_padding_mode:pss"]):
        openssl(place, ours, "cms", "-sign", "-in", "mail", "-signer", f"{name}.crt", "-inkey", f"{name}.key", *options,
                "-md", "sha256", "-nodetach", "-binary", "-out", "signed", served_by=row)
        got = openssl(place, theirs, "cms", "-verify", "-in", "signed", "-CAfile", f"{name}.crt", "-binary", "-purpose", "any",
                      served_by=row)
        assert got == mail, "the signed message differs"
    for options in ([], ["-keyopt", "rsa_padding_mode:oaep"]):
        openssl(place, ours, "cms", "-encrypt", "-in", "mail", "-binary", "-aes128", "-recip", f"{name}.crt", *options,
                "-out", "sealed", served_by=row)
        got = openssl(place, theirs, "cms", "-decrypt", "-in", "sealed", "-binary", "-recip", f"{name}.crt", "-inkey",
                      f"{name}.key", served_by=row)
        assert got == mail, "the sealed message differs"


def handshakes(place, name, row, ours, theirs):
    take_key(place, name)
    for options in TLS:
        exchange(place, options, (row,), ours, theirs)


# ---- sizes ----

MEASURED = "pkey rsa1024 rsa2048 rsa3072 rsa4096"  # all that calibrate measures


def der(tag, content):
    length = len(content)
    return bytes([tag]) + (bytes([length]) if length < 128 else b"\x82" + length.to_bytes(2, "big")) + content


def public_key(bits):
    """A SubjectPublicKeyInfo with a modulus of so many bits, which is not a product of two primes: encryption works."""
    modulus = der(2, b"\0" * (bits % 8 == 0) + ((1 << bits) - 12345).to_bytes((bits + 7) // 8, "big"))
    key = der(0x30, modulus + der(2, b"\1\0\1"))
    algorithm = der(0x30, der(6, bytes.fromhex("2a864886f70d010101")) + der(5, b""))
    return der(0x30, algorithm + der(3, b"\0" + key))


def long_keys(place):
    """Keys longer than what was measured are served with all, or if no size is in the map, and else left to OpenSSL."""
    config = place.path("ours.cnf")
    with open(config, encoding="ascii") as f:
        text = f.read()
    place.write("short", b"a secret")
    for win, bits, is_served in ("all", 4097, True), ("all", 8192, True), (MEASURED, 4096, True), (MEASURED, 4097, False), \
            (MEASURED, 8192, False), ("pkey rsa2048", 2048, True), ("pkey rsa2048", 4097, False), ("pkey x25519", 4097, True):
        place.write("ours.cnf", text.replace("win = all\n", f"win = {win}\n").encode())
        place.write("long.pub", public_key(bits))
        place.run(True, "openssl", "pkeyutl", "-encrypt", "-pubin", "-keyform", "DER", "-inkey", "long.pub", "-in", "short")
        assert any(row >> 8 == 0x0d for row in place.total()) == is_served, (win, bits)
    place.write("ours.cnf", text.encode())


def main():
    tap, place = Tap(), Place()
    with tap.point("keys longer than what was measured"):
        long_keys(place)
    for name, options, row in KEYS:
        pkey.ECDSA[name] = row
        with tap.point(f"{name}: keys"):
            make(place, name, options)
        for ours, theirs in SIDES if name == "rsa2048" else SIDES[:2]:
            where = f"{name}: {'Headrace' if ours else 'OpenSSL'} to {'Headrace' if theirs else 'OpenSSL'}"
            for act in (sign, recover, crypt):
                with tap.point(f"{where}: {act.__name__}"):
                    act(place, name, row, ours, theirs)
            if name != "rsa2048":
                continue
            with tap.point(f"{where}: certify"):
                certify(place, name, ours, theirs)
            with tap.point(f"{where}: envelope"):
                envelope(place, name, row, ours, theirs)
            with tap.point(f"{where}: stamp"):
                stamp(place, name, ours, theirs)
            with tap.point(f"{where}: handshakes"):
                handshakes(place, name, row, ours, theirs)
    place.clean()
    tap.end()


if __name__ == "__main__":
    main()
