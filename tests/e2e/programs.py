#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""haproxy and ssh-keygen as Debian ships them, with the provider and without: both ways they give
the same answers, and where a program asks OpenSSL by EVP, Headrace's counters show its work."""
import os
import shutil
import signal
import subprocess

import served
from common import Place, Tap, free_port, wait_for_port
from tls import take_key

SHA512 = 0x0104
X25519, P256, P384 = 0x0a11, 0x0a01, 0x0a02
ECDSA_P256, ECDSA_P384, RSA2048 = 0x0901, 0x0902, 0x0d02
BODY = b"served by haproxy\n" * 500

# ---- haproxy ends TLS; its key and its certificate are in one file ----

HAPROXY = """defaults
    mode http
    timeout client 20s
frontend tls
    bind 127.0.0.1:{port} ssl crt {dir}/both.pem curves {curve}
    http-request return status 200 content-type text/plain file {dir}/body
"""
CERTIFICATES = (
    ("RSA-2048", "RSA", "rsa_keygen_bits:2048", "X25519", (RSA2048, X25519)),
    ("P-256", "EC", "group:P-256", "P-256", (ECDSA_P256, P256)),
    ("P-384", "EC", "group:P-384", "P-384", (ECDSA_P384, P384)),
)


def make_identity(place, algorithm, option):
    place.run(False, "openssl", "genpkey", "-algorithm", algorithm, "-pkeyopt", option, "-out", "made.key")
    take_key(place, "made")
    place.write("both.pem", b"".join(open(place.path(name), "rb").read() for name in ("cert.pem", "key.pem")))


def fetch(place, ours, program, curve):
    """Lets curl fetch from haproxy by each version of TLS, and returns what curl received."""
    port = free_port()
    text = HAPROXY.format(dir=place.dir, port=port, curve=curve)
    config = place.write("haproxy.cnf", text.encode())
    served.new(place.stats)
    server = subprocess.Popen([program, "-db", "-f", config], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                              stderr=subprocess.PIPE, env=place.env(ours))
    try:
        wait_for_port(port, server)
        return [subprocess.run(
            ["curl", "-sS", version, "--tls-max", version[-3:], "--cacert", "cert.pem", "--resolve",
             f"localhost:{port}:127.0.0.1", f"https://localhost:{port}/"], stdout=subprocess.PIPE, check=True,
            env=place.env(False), cwd=place.dir, timeout=60).stdout for version in ("--tlsv1.2", "--tlsv1.3")]
    finally:
        server.send_signal(signal.SIGUSR1)
        server.communicate(timeout=30)


def haproxy(place, program, algorithm, option, curve, rows):
    make_identity(place, algorithm, option)
    place.write("body", BODY)
    for ours in (False, True):
        got = fetch(place, ours, program, curve)
        assert got == [BODY, BODY], f"curl received {[len(body) for body in got]} bytes"
        total = place.total()
        assert ours or not total, "the default run was counted"
    for row in rows:
        assert total.get(row, (0, 0))[0] >= 2, f"0x{row:04x} did not serve both handshakes: {total}"

# ---- ssh-keygen ----

SSH_KEYS = (("rsa", ["-t", "rsa", "-b", "2048"]), ("ecdsa", ["-t", "ecdsa", "-b", "384"]), ("ed25519", ["-t", "ed25519"]))


def ssh_keygen(place, kind, options):
    """Keys are made, and files signed and verified, each way by each side.  OpenSSH 9 signs by functions
    that reach no provider, RSA_sign and ECDSA_do_sign, and has Ed25519 itself: it asks EVP for digests."""
    for maker in (False, True):
        name = f"{kind}-{maker}"
        place.run(maker, "ssh-keygen", "-q", *options, "-N", "", "-C", "somebody", "-f", name)
        public = [place.run(ours, "ssh-keygen", "-y", "-f", name) for ours in (False, True)]
        assert public[0] == public[1], "public keys differ"
        place.write("allowed", b"somebody " + public[0])
        for signer in (False, True):
            sig = place.run(signer, "ssh-keygen", "-q", "-Y", "sign", "-n", "file", "-f", name, data=BODY)
            place.write("sig", sig)
            assert not signer or SHA512 in place.total(), f"SHA-512 was not served: {place.total()}"
            for verifier in (False, True):
                command = ["ssh-keygen", "-q", "-Y", "verify", "-n", "file", "-f", "allowed", "-I", "somebody", "-s", "sig"]
                place.run(verifier, *command, data=BODY)
                assert not verifier or SHA512 in place.total(), f"SHA-512 was not served: {place.total()}"
                done = subprocess.run(command, input=BODY + b"!", env=place.env(verifier), cwd=place.dir, check=False,
                                      stdout=subprocess.PIPE, stderr=subprocess.PIPE)
                assert done.returncode, "a wrong signature was taken"


def main():
    tap, place = Tap(), Place()
    path = os.environ.get("PATH", "") + ":/usr/sbin"
    program = shutil.which("haproxy", path=path)
    for name, *of in CERTIFICATES:
        point = f"haproxy with a certificate of {name}"
        if program and shutil.which("curl"):
            with tap.point(point):
                haproxy(place, program, *of)
        else:
            tap.skip(point, "haproxy or curl is not installed")
    for kind, options in SSH_KEYS:
        if shutil.which("ssh-keygen"):
            with tap.point(f"ssh-keygen, {kind}"):
                ssh_keygen(place, kind, options)
        else:
            tap.skip(f"ssh-keygen, {kind}", "ssh-keygen is not installed")
    place.clean()
    tap.end()


if __name__ == "__main__":
    main()
