#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""DSA and DH in the openssl command: groups and keys, signatures, certificates, secrets, and TLS with
DHE, with the provider on one side or on the other. What one side writes the other reads, and
Headrace's counters show that it did the work, but for what it leaves to OpenSSL."""
import subprocess

import served
from common import Place, Tap
from pkey import openssl
from tls import exchange, take_key

# name, options of groups, the row that serves
DSA = (
    ("dsa1024", ["pbits:1024", "qbits:160"], 0x0e01),
    ("dsa2048", ["pbits:2048", "qbits:224"], 0x0e02),
)
# name, algorithm, option of the group, the row that serves
DH = (
    ("ffdhe2048", "DH", "group:ffdhe2048", 0x0f01),
    ("modp_3072", "DH", "group:modp_3072", 0x0f02),
    ("rfc5114", "DHX", "group:dh_2048_256", 0x0f01),
)
SIDES = ((True, False), (False, True))
KDF = ["kdf-type:X942KDF-ASN1", "kdf-outlen:40", "kdf-digest:SHA256", "cekalg:id-aes256-wrap"]
# key of the certificate, options, the row that serves
TLS = (
    ("rsa", ["-tls1_3", "-groups", "ffdhe2048"], 0x0f01),
    ("rsa", ["-tls1_2", "-cipher", "DHE-RSA-AES128-GCM-SHA256"], 0x0f01),
    ("dsa2048", ["-tls1_2", "-cipher", "DHE-DSS-AES128-GCM-SHA256:@SECLEVEL=0"], 0x0e02),
)


def words(options):
    return [word for o in options for word in ("-pkeyopt", o)]


def same(place, *command):
    texts = [openssl(place, ours, *command) for ours in (True, False)]
    assert texts[0] == texts[1], f"{command}: outputs differ"


def make(place, name, algorithm, options):
    openssl(place, True, "genpkey", "-genparam", "-algorithm", algorithm, *words(options), "-out", f"{name}.par")
    for key in (name, f"{name}-peer"):
        openssl(place, True, "genpkey", "-paramfile", f"{name}.par", "-out", f"{key}.key")
        openssl(place, True, "pkey", "-in", f"{key}.key", "-pubout", "-out", f"{key}.pub")
    same(place, "pkeyparam", "-in", f"{name}.par", "-text", "-check")
    for form in (["-outform", "PEM"], ["-outform", "DER"], ["-pubout"], ["-text"], ["-noout", "-check"]):
        same(place, "pkey", "-in", f"{name}.key", *form)


def sign(place, name, row, signer, verifier):
    for digest in ("-sha256", "-sha3-512"):
        place.write("file", b"to be signed" * 1000)
        served.new(place.stats)
        openssl(place, signer, "dgst", digest, "-sign", f"{name}.key", "-out", "sig", "file", served_by=row)
        served.new(place.stats)
        openssl(place, verifier, "dgst", digest, "-verify", f"{name}.pub", "-signature", "sig", "file", served_by=row)
    place.write("file", b"something else")
    wrong = [subprocess.run(["openssl", "dgst", "-sha3-512", "-verify", f"{name}.pub", "-signature", "sig", "file"], check=False,
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=place.env(ours), cwd=place.dir)
             for ours in (True, False)]
    assert wrong[0].returncode == wrong[1].returncode == 1 and wrong[0].stdout == wrong[1].stdout, wrong


def derive(place, name, row, ours, theirs):
    for options in ([], ["dh_pad:1"], KDF) if name != "rfc5114" else ([], KDF): # OpenSSL has no dh_pad for DHX
        secrets = []
        for side, key, peer in ((ours, name, f"{name}-peer"), (theirs, f"{name}-peer", name)):
            served.new(place.stats)
            secrets.append(openssl(place, side, "pkeyutl", "-derive", "-inkey", f"{key}.key", "-peerkey", f"{peer}.pub",
                                   *words(options), served_by=None if options == KDF else row))
        assert secrets[0] == secrets[1] and len(secrets[0]) >= 40, f"{options}: secrets differ"


def certify(place, name, row, signer, verifier):
    openssl(place, signer, "req", "-x509", "-key", f"{name}.key", "-sha256", "-days", "2", "-subj", "/CN=root", "-out",
            f"{name}.crt", served_by=row)
    openssl(place, verifier, "verify", "-check_ss_sig", "-CAfile", f"{name}.crt", f"{name}.crt", served_by=row)


def handshakes(place, ours, theirs):
    openssl(place, False, "genpkey", "-algorithm", "RSA", "-out", "rsa.key")
    for name, options, row in TLS:
        take_key(place, name)
        exchange(place, options, (row,), ours, theirs)


def main():
    tap, place = Tap(), Place()
    for name, options, _ in DSA:
        with tap.point(f"{name}: keys"):
            make(place, name, "DSA", options)
    for name, algorithm, group, _ in DH:
        with tap.point(f"{name}: keys"):
            make(place, name, algorithm, [group])
    for ours, theirs in SIDES:
        where = f"{'Headrace' if ours else 'OpenSSL'} to {'Headrace' if theirs else 'OpenSSL'}"
        for name, _, row in DSA:
            with tap.point(f"{where}: {name}: sign"):
                sign(place, name, row, ours, theirs)
        for name, _, _, row in DH:
            with tap.point(f"{where}: {name}: derive"):
                derive(place, name, row, ours, theirs)
        with tap.point(f"{where}: certify by dsa2048"):
            certify(place, "dsa2048", 0x0e02, ours, theirs)
        with tap.point(f"{where}: handshakes"):
            handshakes(place, ours, theirs)
    place.clean()
    tap.end()


if __name__ == "__main__":
    main()
