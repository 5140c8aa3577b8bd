#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Keys of elliptic curves in the openssl command: keys, requests, certificates, CMS, time stamps and
TLS, with the provider on one side, on the other, or on both.  What one side writes the other reads,
and Headrace's counters show that it did the work."""
import subprocess

import served
from common import Place, Tap
from tls import exchange, take_key

CURVES = ("P-256", "P-384", "P-521", "brainpoolP256r1", "secp224r1")
OURS = CURVES[:3]
ECDSA = {"P-256": 0x0901, "P-384": 0x0902, "P-521": 0x0903}
ECDH = {"P-256": 0x0a01, "P-384": 0x0a02, "P-521": 0x0a03}
CA = """[ca]
default_ca = root
[root]
new_certs_dir = .
database = index.txt
serial = serial
certificate = {curve}.crt
private_key = {curve}.key
default_md = sha384
default_days = 2
policy = any
[any]
commonName = supplied
"""
TSA = """[tsa]
default_tsa = stamps
[stamps]
serial = tsserial
signer_digest = sha384
default_policy = 1.2.3.4
digests = sha256, sha384
ess_cert_id_chain = no
"""
# Who acts first, and who answers: every way for one curve, and for the others that of most use.
SIDES = {"P-384": ((True, False), (False, True), (True, True))}


def openssl(place, ours, *command, served_by=None, **more):
    out = place.run(ours, "openssl", *command, **more)
    if ours and served_by is not None:
        assert served_by in place.total(), f"{command[0]}: {served_by:#x} was not served"
    return out


def make_keys(place, curve, maker):
    openssl(place, maker, "genpkey", "-algorithm", "EC", "-pkeyopt", f"ec_paramgen_curve:{curve}",
            "-out", f"{curve}.key", served_by=ECDH.get(curve))
    for form in ("PEM", "DER"):
        texts = [openssl(place, ours, "pkey", "-in", f"{curve}.key", "-outform", form) for ours in (True, False)]
        assert texts[0] == texts[1], f"private keys in {form} differ"
        texts = [openssl(place, ours, "pkey", "-in", f"{curve}.key", "-pubout", "-outform", form) for ours in (True, False)]
        assert texts[0] == texts[1], f"public keys in {form} differ"
    texts = [openssl(place, ours, "pkey", "-in", f"{curve}.key", "-text", "-check") for ours in (True, False)]
    assert texts[0] == texts[1], "texts differ"
    for how in (["-param_enc", "explicit"], ["-conv_form", "compressed"], ["-no_public"]):
        texts = [openssl(place, ours, "ec", "-in", f"{curve}.key", *how) for ours in (True, False)]
        assert texts[0] == texts[1], f"{how}: keys differ"
        place.write("other.key", texts[0])
        read = [openssl(place, ours, "pkey", "-in", "other.key", "-pubout") for ours in (True, False)]
        assert read[0] == read[1], f"{how}: public keys differ"


def sign(place, curve, signer, verifier):
    place.write("file", b"to be signed" * 1000)
    openssl(place, signer, "dgst", "-sha384", "-sign", f"{curve}.key", "-out", "sig", "file", served_by=ECDSA.get(curve))
    openssl(place, verifier, "pkey", "-in", f"{curve}.key", "-pubout", "-out", "public")
    openssl(place, verifier, "dgst", "-sha384", "-verify", "public", "-signature", "sig", "file",
            served_by=ECDSA.get(curve))
    place.write("file", b"something else")
    wrong = subprocess.run(["openssl", "dgst", "-sha384", "-verify", "public", "-signature", "sig", "file"], check=False,
                           stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=place.env(verifier), cwd=place.dir)
    assert wrong.returncode == 1 and b"Verification failure" in wrong.stdout, wrong


def derive(place, curve, ours, theirs):
    for name, side in (("a", ours), ("b", theirs)):
        openssl(place, side, "genpkey", "-algorithm", "EC", "-pkeyopt", f"group:{curve}", "-out", name)
        openssl(place, side, "pkey", "-in", name, "-pubout", "-out", name + ".pub")
    secrets = [openssl(place, ours, "pkeyutl", "-derive", "-inkey", "a", "-peerkey", "b.pub", served_by=ECDH.get(curve)),
               openssl(place, theirs, "pkeyutl", "-derive", "-inkey", "b", "-peerkey", "a.pub", served_by=ECDH.get(curve))]
    assert secrets[0] == secrets[1] and len(secrets[0]) >= 28, "secrets differ"


def certify(place, curve, signer, verifier):
    row = ECDSA.get(curve)
    openssl(place, signer, "req", "-x509", "-key", f"{curve}.key", "-sha384", "-days", "2", "-subj", "/CN=root", "-out",
            f"{curve}.crt", "-addext", "keyUsage=digitalSignature,keyCertSign,keyAgreement", served_by=row)
    openssl(place, verifier, "verify", "-check_ss_sig", "-CAfile", f"{curve}.crt", f"{curve}.crt", served_by=row)
    openssl(place, signer, "req", "-new", "-key", f"{curve}.key", "-subj", "/CN=leaf", "-out", "leaf.csr", served_by=row)
    openssl(place, verifier, "req", "-in", "leaf.csr", "-verify", "-noout", served_by=row)
    place.write("index.txt", b"")
    place.write("serial", b"01\n")
    place.write("ca.cnf", CA.format(curve=curve).encode())
    openssl(place, signer, "ca", "-config", "ca.cnf", "-batch", "-in", "leaf.csr", "-out", "leaf.crt", served_by=row)
    openssl(place, verifier, "verify", "-CAfile", f"{curve}.crt", "leaf.crt", served_by=row)


def envelope(place, curve, ours, theirs):
    """CMS: signed data, and enveloped data for a key of ECDH with X9.63's key derivation."""
    place.write("mail", b"a message\n" * 50)
    openssl(place, ours, "cms", "-sign", "-in", "mail", "-signer", f"{curve}.crt", "-inkey", f"{curve}.key", "-md", "sha256",
            "-nodetach", "-binary", "-out", "signed", served_by=ECDSA.get(curve))
    got = openssl(place, theirs, "cms", "-verify", "-in", "signed", "-CAfile", f"{curve}.crt", "-binary", "-purpose", "any",
                  served_by=ECDSA.get(curve))
    assert got == b"a message\n" * 50, "the signed message differs"
    openssl(place, ours, "cms", "-encrypt", "-in", "mail", "-binary", "-aes128", "-recip", f"{curve}.crt", "-keyopt",
            "ecdh_kdf_md:sha256", "-out", "sealed", served_by=ECDH.get(curve))
    got = openssl(place, theirs, "cms", "-decrypt", "-in", "sealed", "-binary", "-recip", f"{curve}.crt", "-inkey", f"{curve}.key",
                  served_by=ECDH.get(curve))
    assert got == b"a message\n" * 50, "the sealed message differs"


def stamp(place, curve, ours, theirs):
    row = ECDSA.get(curve)
    openssl(place, ours, "req", "-x509", "-key", f"{curve}.key", "-sha384", "-days", "2", "-subj", "/CN=clock", "-out", "tsa.crt",
            "-addext", "extendedKeyUsage=critical,timeStamping", served_by=row)
    place.write("tsserial", b"01\n")
    place.write("tsa.cnf", TSA.encode())
    openssl(place, theirs, "ts", "-query", "-data", "mail", "-sha384", "-cert", "-out", "query")
    openssl(place, ours, "ts", "-reply", "-config", "tsa.cnf", "-queryfile", "query", "-signer", "tsa.crt", "-inkey",
            f"{curve}.key", "-out", "reply", served_by=row)
    openssl(place, theirs, "ts", "-verify", "-queryfile", "query", "-in", "reply", "-CAfile", "tsa.crt", served_by=row)


def handshakes(place, curve, ours, theirs):
    take_key(place, curve, "-sha384")
    for version in ("-tls1_3", "-tls1_2"):
        exchange(place, [version, "-groups", curve], (ECDSA[curve], ECDH[curve]), ours, theirs)


def main():
    tap, place = Tap(), Place()
    for curve in CURVES:
        for maker in (True, False) if curve in SIDES else (True,):
            with tap.point(f"{curve}: keys made by {'Headrace' if maker else 'OpenSSL'} in all forms"):
                make_keys(place, curve, maker)
        for ours, theirs in SIDES.get(curve, ((True, False),)):
            name = f"{curve}: {'Headrace' if ours else 'OpenSSL'} to {'Headrace' if theirs else 'OpenSSL'}"
            for act in (sign, derive, certify, envelope, stamp) + ((handshakes,) if curve in OURS else ()):
                with tap.point(f"{name}: {act.__name__}"):
                    act(place, curve, ours, theirs)
    place.clean()
    tap.end()


if __name__ == "__main__":
    main()
