#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Servers whose private keys the accelerator's service has (servers.py), each of whose processes, and whose core
dumps, are searched for parts of the keys.
usage: named_servers.py HEADRACED FOLDER-OF-LIBHEADRACE-ACCEL FIND_PIECES"""
import base64
import os
import shutil
import signal
import struct
import subprocess
import sys
import time

import common
import key_search
import named_keys
from common import Tap, free_port
from named_stage import Stage
from servers import ECDHE_ECDSA, ECDHE_RSA, ROWS, RSA, Server, context_of, descendants, program, talk

BY_NAME = {row.name: row for row in ROWS}


# ---- the search ----

def by_search(stage):
    """Each form of a key is found, wherever it lies."""
    secret, der = stage.secrets("rsa")
    number = int.from_bytes(secret["p"], "big")
    data = secret["p"]
    short = key_search.digits(number, 28)
    forms = {
        "bytes": data, "reversed": data[::-1], "DER": der, "hexadecimal": data.hex().encode(),
        "base64": base64.b64encode(der),
        "limbs of 64 bits": struct.pack(">16Q", *key_search.digits(number, 64)),
        "limbs of 32 bits": struct.pack("<32I", *key_search.digits(number, 32)[::-1]),
        "digits of 52 bits": struct.pack("<20Q", *key_search.digits(number, 52)),
        "digits of 52 bits in doubles": struct.pack("<20d", *map(float, key_search.digits(number, 52))),
        "digits of 28 bits": b"".join(struct.pack("<QQQQ", x, 5, 6, 7) for x in short),
        "digits of 28 bits in 32": struct.pack(f"<{len(short)}I", *short),
        "windows": bytes(key_search.digits(number, 5)),
    }
    for name, form in forms.items():
        path = stage.place.write("form", bytes(4093) + form + bytes(77))
        assert stage.pieces.in_file(path) >= 4, name
    stage.place.write("form", struct.pack("<Q", short[7]) + os.urandom(1 << 20) + number.to_bytes(128, "big")[:7])
    assert not stage.pieces.in_file(stage.place.path("form"))


# ---- all servers ----

def shake_hands(stage, row, server):
    """TLS 1.3, TLS 1.2 with an ephemeral key and with RSA's key exchange, and sessions that go on."""
    for certificate in row.certificates:
        for ciphers in (ECDHE_RSA,) if certificate == "rsa" else (None, ECDHE_ECDSA):
            context = context_of(stage.place, certificate, ciphers)
            session, resumed = talk(row, server.port, context)
            assert not resumed
            assert not row.has_tickets or talk(row, server.port, context, session)[1], "the session does not go on"
    if row.has_rsa:
        stage.get(server.other, "rsa-tls", RSA, row=row)


def client_certificates(stage, row, server):
    """A client signs by a certificate that the server trusts; one that it does not trust is refused, or told of."""
    certificate = row.certificates[0]
    for ciphers in (None, ECDHE_ECDSA):
        stage.get(server.port, certificate, ciphers, own="rsa", row=row)
    before = row.trusted(stage.place, 2) if row.trusted else None
    try:
        stage.get(server.port, certificate, own="ed25519", row=row)
        refused = False
    except (OSError, AssertionError):
        refused = True
    assert refused or before == 2 == row.trusted(stage.place, 3), "a certificate that it does not trust is good enough"


def http2(stage, server):
    done = subprocess.run(["curl", "-sS", "--http2", "--cacert", stage.place.path("p256.crt"), "-o", "/dev/null", "-w",
                           "%{http_version}", f"https://localhost:{server.port}/"], stdout=subprocess.PIPE,
                          env=stage.place.env(False), check=True, timeout=60)
    assert done.stdout == b"2", done.stdout


def reload(row, server):
    """Makes a server read its files again, and waits until only what is new serves."""
    before = row.renewed(server) if row.renewed else None
    server.process.send_signal(row.reload)
    for _ in range(400):
        now = row.renewed(server) if row.renewed else None
        if not row.renewed or (now and not now & before):
            break
        time.sleep(0.05)


def search_dumps(stage, server):
    """How many parts core dumps of a server's processes have, and how many dumps there were. The first process is
    stopped until the last, lest it replaces the others."""
    found = written = 0
    if not key_search.kernel_writes_cores():
        return 0, 0
    pids = descendants(server.pid)
    if len(pids) > 1:
        os.kill(server.pid, signal.SIGSTOP)
    for path in filter(None, (key_search.core_of(pid, stage.place.dir) for pid in reversed(pids))):
        written += 1
        found += stage.pieces.in_file(path)
        os.unlink(path)
    return found, written


def by_server(stage, row):
    with stage.serve(row) as server:
        shake_hands(stage, row, server)
        client_certificates(stage, row, server)
        if row.http2:
            http2(stage, server)
        if row.reload:
            reload(row, server)
            shake_hands(stage, row, server)
        pids = descendants(server.pid)
        assert not stage.pieces.in_memory(pids), "its memory has parts of keys"
        assert not sum(stage.pieces.in_file(key_search.dump(pid, stage.place.path("dump"))) for pid in pids)
        found, written = search_dumps(stage, server)
        print(f"# {row.name}: {len(pids)} processes, {written} core dumps")
        assert not found, "a core dump has parts of keys"


def by_control(stage, row):
    """The search finds the keys that a server has, in its memory and in its dumps."""
    with stage.serve(row, "key") as server:
        for certificate in row.certificates:
            stage.get(server.port, certificate, ECDHE_RSA if certificate == "rsa" else None, row=row)
        pids = descendants(server.pid)
        assert stage.pieces.in_memory(pids), "the search finds nothing"
        assert sum(stage.pieces.in_file(key_search.dump(pid, stage.place.path("dump"))) for pid in pids)
        found, written = search_dumps(stage, server)  # without gdb, none of processes that gave up root
        assert found or written < len(pids), "the search finds nothing in core dumps"


# ---- OpenSSL's own programs ----

def s_server(stage, key, *options):
    port = free_port()
    return Server(stage.place, stage.env, ["openssl", "s_server", "-accept", f"127.0.0.1:{port}", "-cert", key + ".crt",
                                           "-key", key + ".ref", "-www", *options], port)


def by_s_server(stage):
    for key, ciphers in (("rsa", None), ("rsa", ECDHE_RSA), ("rsa-tls", RSA), ("p256", None), ("p384", None),
                         ("p521", "ECDHE"), ("ed25519", None)):
        with s_server(stage, key) as server:
            stage.get(server.port, key, ciphers)
            assert not stage.pieces.in_memory([server.pid]), f"s_server has parts of {key}"
            assert not search_dumps(stage, server)[0], f"a dump of s_server has parts of {key}"


def by_client(stage):
    """The client has the named key, and the server the other one."""
    for key in ("rsa", "p256", "ed25519"):
        port = free_port()
        command = ["openssl", "s_server", "-accept", f"127.0.0.1:{port}", "-cert", "p384.crt", "-key", "p384.key",
                   "-Verify", "1", "-CAfile", key + ".crt", "-verify_return_error", "-rev"]
        with Server(stage.place, stage.place.env(False), command, port):
            done = subprocess.run(["openssl", "s_client", "-connect", f"127.0.0.1:{port}", "-CAfile", "p384.crt",
                                   "-verify_return_error", "-cert", key + ".crt", "-key", key + ".ref", "-quiet",
                                   "-no_ign_eof"], input=b"abc\n", stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                  env=stage.env, cwd=stage.place.dir, timeout=60, check=False)
            assert b"alert" not in done.stderr and b"error" not in done.stderr, done.stderr


def by_curl(stage):
    """curl has a named key, and nginx, which has others, trusts its certificate."""
    with stage.serve(BY_NAME["nginx"]) as server:
        for options in (), ("--tls-max", "1.2"):
            done = subprocess.run(["curl", "-sS", *options, "--cacert", "p256.crt", "--cert", "rsa.crt", "--key", "rsa.ref",
                                   f"https://localhost:{server.port}/"], stdout=subprocess.PIPE, env=stage.env,
                                  cwd=stage.place.dir, check=True, timeout=60)
            assert done.stdout == b"hello SUCCESS", done.stdout


def by_command(stage):
    """A certificate request, and CMS."""
    for key in ("rsa", "p256", "ed25519"):
        for name in (key + ".ref", "headrace:" + key):
            request = stage.run("req", "-new", "-key", name, "-subj", "/CN=localhost")
            named_keys.openssl("req", "-verify", "-noout", data=request)
    for key in ("rsa", "p256"):
        signed = stage.run("cms", "-sign", "-nodetach", "-signer", key + ".crt", "-inkey", key + ".ref", "-outform",
                           "PEM", data=b"text")
        assert named_keys.openssl("cms", "-verify", "-inform", "PEM", "-CAfile", stage.place.path(key + ".crt"),
                                  data=signed).strip() == b"text"
    closed = named_keys.openssl("cms", "-encrypt", "-outform", "PEM", stage.place.path("rsa-decrypt.crt"), data=b"text")
    assert stage.run("cms", "-decrypt", "-inform", "PEM", "-inkey", "rsa-decrypt.ref", "-recip", "rsa-decrypt.crt",
                     data=closed).strip() == b"text"


CA = """[ca]
default_ca = us
[us]
dir = {dir}
database = {dir}/index
new_certs_dir = {dir}
rand_serial = yes
default_md = sha256
default_days = 1
default_crl_days = 1
policy = any
[any]
commonName = supplied
"""


def by_ca(stage):
    """An authority whose key the service has signs certificates, with PSS too, and a list of revoked ones."""
    place = stage.place
    place.write("ca.cnf", (common.config(os.environ["HEADRACE_MODULE"], "?provider=headrace")
                           + CA.format(dir=place.dir)).encode())
    place.write("leaf.csr", named_keys.openssl("req", "-new", "-key", place.path("p256.key"), "-subj", "/CN=leaf"))
    pss = ("-sigopt", "rsa_padding_mode:pss", "-sigopt", "rsa_pss_saltlen:digest")
    for name, options in (("rsa.ref", ()), ("headrace:rsa", pss), ("p256.ref", ()), ("ed25519.ref", ())):
        place.write("index", b"")
        place.write("ca.crt", stage.run("req", "-x509", "-config", "ca.cnf", "-key", name, "-subj", "/CN=ca", "-addext",
                                        "basicConstraints=critical,CA:TRUE", *options))
        stage.run("ca", "-batch", "-notext", "-config", "ca.cnf", "-cert", "ca.crt", "-keyfile", name, "-in", "leaf.csr",
                  "-out", "leaf.crt", *options)
        named_keys.openssl("verify", "-CAfile", place.path("ca.crt"), place.path("leaf.crt"))
        shown = named_keys.openssl("x509", "-in", place.path("leaf.crt"), "-noout", "-text")
        assert (b"rsassaPss" in shown) == bool(options)
        revoked = stage.run("ca", "-batch", "-config", "ca.cnf", "-cert", "ca.crt", "-keyfile", name, "-gencrl")
        named_keys.openssl("crl", "-noout", "-CAfile", place.path("ca.crt"), data=revoked)


# ---- nginx without a service, and while it restarts ----

def by_nginx_alone(stage):
    """nginx -t needs no service; a key that is not the certificate's is refused as any other."""
    place = stage.place
    command = [*BY_NAME["nginx"].start(place, kind="ref", port=free_port(), other=free_port()), "-t"]
    alone = dict(stage.env, HEADRACE_ACCEL="/nonexistent")
    assert subprocess.run(command, env=alone, stderr=subprocess.PIPE, check=False, timeout=60).returncode == 0
    shutil.copy(place.path("p256.crt"), place.path("p256.kept"))
    named_keys.openssl("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout",
                       place.path("nobody.key"), "-out", place.path("p256.crt"), "-days", "2", "-subj", "/CN=localhost")
    try:
        done = subprocess.run(command, env=alone, stderr=subprocess.PIPE, check=False, timeout=60)
        assert done.returncode and b"key values mismatch" in done.stderr, done.stderr
    finally:
        shutil.copy(place.path("p256.kept"), place.path("p256.crt"))


def by_gone(stage):
    """Without a service, what needs a named key fails and says which."""
    done = subprocess.run(["openssl", "req", "-new", "-key", "p256.ref", "-subj", "/CN=localhost"],
                          cwd=stage.place.dir, env=dict(stage.env, HEADRACE_ACCEL="/nonexistent"),
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False, timeout=120)
    assert done.returncode and b"named key p256: the accelerator's service ended" in done.stderr, done.stderr


POINTS = (
    ("openssl", "each form of a key is found", by_search),
    ("openssl", "s_server, TLS 1.2 and 1.3, its memory and its dumps", by_s_server),
    ("openssl", "s_client with a certificate", by_client),
    ("nginx", "curl with a certificate", by_curl),
    ("openssl", "req and cms", by_command),
    ("openssl", "ca, with PSS too, and lists of revoked certificates", by_ca),
    ("nginx", "nginx -t without a service", by_nginx_alone),
    ("openssl", "a service that is gone", by_gone),
)


def main():
    tap, stage = Tap(), Stage(*sys.argv[1:])
    for name, what, point in POINTS:
        if program(name):
            with tap.point(what):
                point(stage)
        else:
            tap.skip(what, f"{name} is not installed")
    for row in ROWS:
        for what, point in (("its memory and its dumps", by_server), ("finding the keys that it has", by_control)):
            if row.missing():
                tap.skip(f"{row.name}, {what}", row.missing())
                continue
            with tap.point(f"{row.name}, {what}"):
                point(stage, row)
    stage.end()
    tap.end()


if __name__ == "__main__":
    main()
