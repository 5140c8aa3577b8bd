#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""TLS connections of the real s_server, s_client and curl with the provider on either side or on
both.  CBC suites with -no_etm go through OSSL_CIPHER_PARAM_TLS_VERSION; a proxy that spoils the
padding or the MAC of a record must be answered by one and the same alert."""
import os
import random
import signal
import socket
import subprocess
import threading

import served
from common import Place, Tap, free_port, wait_for_port

AES_128_CBC, AES_256_CBC, SHA384 = 0x0304, 0x0306, 0x0103
CAMELLIA_128_CBC, CAMELLIA_256_CBC = 0x0324, 0x0326
AES_128_GCM, AES_256_GCM, AES_128_CCM, AES_256_CCM = 0x0601, 0x0603, 0x0604, 0x0606
CHACHA20_POLY1305 = 0x0621
X25519, MLKEM768 = 0x0a11, 0x0b02
P256, P384, MLKEM1024 = 0x0a01, 0x0a02, 0x0b03
CBC = ["-tls1_2", "-cipher", "ECDHE-RSA-AES256-SHA384"]
OLD = ["-cipher", "AES128-SHA@SECLEVEL=0"]
GCM = ["-tls1_2", "-cipher", "ECDHE-RSA-AES256-GCM-SHA384"]
CCM_8 = ["-tls1_2", "-cipher", "AES256-CCM8@SECLEVEL=0"]
# name, options of both ends, rows that either end must have been served by
KINDS = (
    ("TLS 1.2 CBC, MAC then encrypt", CBC + ["-no_etm"], (AES_256_CBC, SHA384)),
    ("TLS 1.2 CBC, encrypt then MAC", CBC, (AES_256_CBC, SHA384)),
    ("TLS 1.1 CBC", ["-tls1_1"] + OLD, (AES_128_CBC,)),
    ("TLS 1.0 CBC", ["-tls1"] + OLD, (AES_128_CBC,)),
    ("TLS 1.2 Camellia", ["-tls1_2", "-cipher", "ECDHE-RSA-CAMELLIA256-SHA384", "-no_etm"],
     (CAMELLIA_256_CBC, SHA384)),
    ("TLS 1.0 Camellia", ["-tls1", "-cipher", "CAMELLIA128-SHA@SECLEVEL=0"], (CAMELLIA_128_CBC,)),
    ("TLS 1.2 GCM", GCM, (AES_256_GCM, SHA384)),
    ("TLS 1.2 CCM", ["-tls1_2", "-cipher", "AES128-CCM"], (AES_128_CCM,)),
    ("TLS 1.2 CCM, short tags", CCM_8, (AES_256_CCM,)),
    ("TLS 1.2 ChaCha20-Poly1305", ["-tls1_2", "-cipher", "ECDHE-RSA-CHACHA20-POLY1305"], (CHACHA20_POLY1305,)),
    ("TLS 1.3 ChaCha20-Poly1305", ["-tls1_3", "-ciphersuites", "TLS_CHACHA20_POLY1305_SHA256"], (CHACHA20_POLY1305,)),
    ("TLS 1.3 GCM", ["-tls1_3", "-ciphersuites", "TLS_AES_256_GCM_SHA384"], (AES_256_GCM, SHA384)),
    ("TLS 1.3 GCM, 128", ["-tls1_3", "-ciphersuites", "TLS_AES_128_GCM_SHA256"], (AES_128_GCM,)),
    ("TLS 1.3 X25519", ["-tls1_3", "-groups", "X25519"], (X25519,)),
    ("TLS 1.2 X25519", ["-tls1_2", "-groups", "X25519"], (X25519,)),
    ("TLS 1.3 CCM", ["-tls1_3", "-ciphersuites", "TLS_AES_128_CCM_SHA256"], (AES_128_CCM,)),
)
# The groups that OpenSSL has since 3.5, and older ones by the configuration's "extra".
HYBRIDS = {"X25519MLKEM768": (X25519, MLKEM768), "SecP256r1MLKEM768": (P256, MLKEM768),
           "SecP384r1MLKEM1024": (P384, MLKEM1024)}
SIDES = (("both ends", True, True), ("server", True, False), ("client", False, True))


def make_certificate(place):
    place.run(False, "openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout",
              place.path("key.pem"), "-out", place.path("cert.pem"), "-days", "2", "-subj",
              "/CN=localhost", "-addext", "subjectAltName=DNS:localhost")


def take_key(place, name, digest="-sha256"):
    """Makes a certificate of the key NAME.key, and gives both to the servers that follow."""
    place.run(False, "openssl", "req", "-x509", "-key", f"{name}.key", digest, "-days", "2", "-subj", "/CN=localhost",
              "-addext", "subjectAltName=DNS:localhost", "-out", "cert.pem")
    place.run(False, "cp", f"{name}.key", "key.pem")


class Server:
    """openssl s_server on a port of its own, ended with the block."""

    def __init__(self, place, ours, *options):
        self.port = free_port()
        self.process = subprocess.Popen(
            ["openssl", "s_server", "-accept", f"127.0.0.1:{self.port}", "-cert", "cert.pem",
             "-key", "key.pem", *options],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
            env=place.env(ours), cwd=place.dir)

    def __enter__(self):
        wait_for_port(self.port, self.process)
        return self

    def __exit__(self, *error):
        self.process.send_signal(signal.SIGTERM)
        self.process.communicate()


def client(place, ours, port, options, data, wait=True):
    """Runs s_client; returns what it received and what it said. The server sends each line back
    reversed."""
    process = subprocess.Popen(
        ["openssl", "s_client", "-connect", f"127.0.0.1:{port}", "-CAfile", "cert.pem",
         "-verify_return_error", "-servername", "localhost", "-quiet", "-no_ign_eof", *options],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        env=place.env(ours), cwd=place.dir)
    process.stdin.write(data)
    process.stdin.flush()
    got = b""
    while wait and len(got) < len(data):
        piece = process.stdout.read1(65536)
        if not piece:
            break
        got += piece
    if not wait:
        try:
            process.wait(20)
        except subprocess.TimeoutExpired as late:
            process.kill()
            raise AssertionError("the connection was not ended") from late
    rest = process.communicate()
    return got, rest[1].decode(errors="replace")


def many_lines():
    chars = random.Random(2)
    lines = [bytes(chars.choices(b"abcdefghijklmnopqrstuvwxyz", k=n)) for n in
             list(range(70)) + [1000, 5000, 12000]]
    return lines[::9] + lines[-3:]


def exchange(place, options, rows, server_ours, client_ours, lines=(b"hello",)):
    """Sends each line by a client of its own, and checks which rows served."""
    served.new(place.stats)
    with Server(place, server_ours, "-rev", *options) as server:
        for line in lines:
            got, said = client(place, client_ours, server.port, options, line + b"\n")
            assert got == line[::-1] + b"\n", f"{len(line)} bytes came back as {len(got)} with {options}: {said}"
    total = place.total()
    for row in rows:
        assert row in total, f"0x{row:04x} was not served with {options}: {total}"


# ---- a proxy that spoils one record ----

def spoil_padding(record):
    record[-17] ^= 1  # the last byte of the plaintext: the padding's length


def spoil_longest_padding(record):
    record[-17] ^= 0xff ^ 9


def spoil_mac(record):
    record[-32] ^= 0x80  # the first byte of the last block: here the MAC's


def spoil_content(record):
    record[0] ^= 1  # the explicit IV and so the first byte of the content


def spoil_tag(record):
    record[-1] ^= 1


CBC_RECORDS = CBC + ["-no_etm"]
SPOILS = tuple((spoil, CBC_RECORDS, AES_256_CBC) for spoil in
               (spoil_padding, spoil_longest_padding, spoil_mac, spoil_content)) + (
    (spoil_content, GCM, AES_256_GCM), (spoil_tag, GCM, AES_256_GCM),
    (spoil_content, CCM_8, AES_256_CCM), (spoil_tag, CCM_8, AES_256_CCM))


def read_exactly(source, size):
    data = b""
    while len(data) < size:
        piece = source.recv(size - len(data))
        if not piece:
            raise EOFError
        data += piece
    return data


def pass_records(source, sink, spoil):
    """Passes records on (RFC 5246 section 6.2.3), and spoils those of application data, type 23."""
    try:
        while True:
            header = read_exactly(source, 5)
            body = bytearray(read_exactly(source, int.from_bytes(header[3:5], "big")))
            if header[0] == 23 and spoil:
                spoil(body)
            sink.sendall(header + body)
    except (EOFError, OSError):
        for end in (source, sink):
            try:
                end.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass


class Proxy:
    def __init__(self, port, to_server, to_client):
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        self.target = port
        self.spoils = (to_server, to_client)
        threading.Thread(target=self.serve, daemon=True).start()

    def serve(self):
        near, _ = self.listener.accept()
        far = socket.create_connection(("127.0.0.1", self.target))
        threading.Thread(target=pass_records, args=(near, far, self.spoils[0]), daemon=True).start()
        pass_records(far, near, self.spoils[1])


def spoilt(place, spoil, options, row, at_server):
    """Spoils a record that our end reads: it must answer with alert 20, bad_record_mac."""
    served.new(place.stats)
    with Server(place, at_server, "-rev", *options) as server:
        proxy = Proxy(server.port, spoil if at_server else None, None if at_server else spoil)
        got, said = client(place, not at_server, proxy.port, options, b"hello\n", wait=False)
        assert not got, f"spoilt data came through: {got}"
        told = "alert bad record mac" if at_server else "decryption failed or bad record mac"
        assert told in said, said
    assert row in place.total("openssl"), "not served"


def curl(place, server_ours, client_ours, options):
    data = random.Random(3).randbytes(300000)
    place.write("file.bin", data)
    with Server(place, server_ours, "-WWW", *options) as server:
        got = place.run(client_ours, "curl", "-sS", "--cacert", "cert.pem", "--resolve",
                        f"localhost:{server.port}:127.0.0.1",
                        f"https://localhost:{server.port}/file.bin")
    assert got == data, f"curl received {len(got)} bytes"
    assert client_ours <= bool(place.total("curl")), place.total("curl")


def offer_more(place):
    """Lets the provider offer what this OpenSSL may not have."""
    with open(place.path("ours.cnf"), encoding="ascii") as f:
        text = f.read()
    place.write("ours.cnf", text.replace("module =", "extra = mlkem mldsa\nmodule =").encode())


def has_hybrids(place):
    """Whether this OpenSSL has the hybrid groups by itself."""
    version = place.run(False, "openssl", "version").split()[1].decode().split(".")
    return [int(number) for number in version[:2]] >= [3, 5]


def main():
    tap, place = Tap(), Place()
    offer_more(place)
    make_certificate(place)
    for group, rows in HYBRIDS.items():
        for where, server_ours, client_ours in SIDES if has_hybrids(place) else SIDES[:1]:
            with tap.point(f"TLS 1.3 {group}, {where}"):
                exchange(place, ["-tls1_3", "-groups", group], rows, server_ours, client_ours, many_lines())
    for name, options, rows in KINDS:
        for where, server_ours, client_ours in SIDES:
            with tap.point(f"{name}, {where}"):
                exchange(place, options, rows, server_ours, client_ours, many_lines())
    for spoil, options, row in SPOILS:
        for at_server in (True, False):
            with tap.point(f"{spoil.__name__.replace('_', ' ')} of {options[2]}, read by the "
                           f"{'server' if at_server else 'client'}"):
                spoilt(place, spoil, options, row, at_server)
    for name, options in (("TLS 1.3", []), ("TLS 1.2 GCM", GCM), ("TLS 1.2 CBC", CBC_RECORDS)):
        for where, server_ours, client_ours in SIDES:
            point = f"curl, {name}, {where}"
            if client_ours and os.environ.get("HEADRACE_PRELOAD"):
                tap.skip(point, "Debian's curl does not start with AddressSanitizer's runtime")
                continue
            with tap.point(point):
                curl(place, server_ours, client_ours, options)
    place.clean()
    tap.end()


if __name__ == "__main__":
    main()
