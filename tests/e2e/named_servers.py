#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Servers whose private keys the accelerator's service has: openssl s_server, nginx and haproxy as Debian
ships them, each of whose processes is searched for parts of the keys.
usage: named_servers.py HEADRACED FOLDER-OF-LIBHEADRACE-ACCEL"""
import array
import base64
import os
import shutil
import signal
import socket
import ssl
import subprocess
import sys
import threading
import time

import named_keys
from common import Place, Tap, free_port, wait_for_port
from handles import Service

NGINX = """daemon off; pid {dir}/pid; error_log stderr; worker_processes 2; user root;
env HEADRACE_ACCEL;
events {{}}
http {{
    access_log off;
    client_body_temp_path {dir}/a; proxy_temp_path {dir}/b; fastcgi_temp_path {dir}/c;
    uwsgi_temp_path {dir}/d; scgi_temp_path {dir}/e;
    server {{
        listen 127.0.0.1:{port} ssl http2;
        ssl_certificate {dir}/rsa.crt; ssl_certificate_key {dir}/rsa.{kind};
        ssl_certificate {dir}/p256.crt; ssl_certificate_key {dir}/p256.{kind};
        location / {{ return 200 "hello"; }}
    }}
}}
"""
HAPROXY = """global
    master-worker
    stats socket {dir}/haproxy.sock mode 600 level admin
defaults
    mode http
    timeout connect 5s
    timeout client 5s
    timeout server 5s
frontend web
    bind 127.0.0.1:{port} ssl crt {dir}/key-last.pem
    bind 127.0.0.1:{other} ssl crt {dir}/key-first.pem
    http-request return status 200 content-type text/plain string "hello"
"""
PATIENCE = 4  # seconds; operations wait for 5
PAGE = os.sysconf("SC_PAGE_SIZE")
ECDHE_RSA, RSA = "ECDHE-RSA-AES128-GCM-SHA256", "AES128-GCM-SHA256"


# ---- clients ----

def get(place, port, certificate, ciphers=None, own=None):
    """Gets a page over TLS 1.3, or over TLS 1.2 with these ciphers, in a session of its own."""
    context = ssl.create_default_context(cafile=place.path(certificate + ".crt"))
    if ciphers:
        context.maximum_version = ssl.TLSVersion.TLSv1_2
        context.set_ciphers(ciphers)
    if own:
        context.load_cert_chain(place.path(own + ".crt"), place.path(own + ".key"))
    with socket.create_connection(("127.0.0.1", port), timeout=60) as plain:
        with context.wrap_socket(plain, server_hostname="localhost") as s:
            s.sendall(b"GET / HTTP/1.0\r\n\r\n")
            page = b""
            while piece := s.recv(65536):
                page += piece
    assert page.startswith(b"HTTP/1."), page[:200]


# ---- memory ----

def words(data):
    """All eight bytes of data in a row, as numbers."""
    found = set()
    for i in range(min(8, max(len(data) - 7, 0))):
        found.update(memoryview(data)[i:i + (len(data) - i) // 8 * 8].cast("Q"))
    return found


def pieces_of(place, names):
    """Pieces of private keys as memory may hold them: eight bytes of each number, the first one first or
    the last one first, which finds 64-bit limbs in any order; and of its text in PEM."""
    found = set()
    for name in names:
        path = place.path(name + ".key")
        with open(path, encoding="ascii") as f:
            text = "".join(f.read().splitlines()[1:-1])
        der = base64.b64decode(text)
        for word, number in named_keys.parts_of(path, named_keys.KEYS[name][0]).items():
            if word in ("n", "e"):
                continue
            at = der.index(number)
            found |= words(text[-(-at // 3) * 4:(at + len(number)) // 3 * 4].encode())
            number = number.rjust(-(-len(number) // 8) * 8, b"\0")
            for i in range(8, len(number) - 7, 8):  # the first one may be mostly zeros
                found |= words(number[i:i + 8]) | words(number[i:i + 8][::-1])
    return found


def touched(pagemap, start, end):
    """The pages of a span that the process has (man 5 proc: pagemap): most of the rings' are never touched."""
    pages = array.array("Q", os.pread(pagemap, (end - start) // PAGE * 8, start // PAGE * 8))
    return [start + i * PAGE for i, page in enumerate(pages) if page >> 62]


def writable(pid):
    """The contents of a process's memory that it can have written, a span after the other."""
    with open(f"/proc/{pid}/maps", encoding="ascii", errors="replace") as f:
        lines = f.readlines()
    with open(f"/proc/{pid}/pagemap", "rb", 0) as pagemap, open(f"/proc/{pid}/mem", "rb", 0) as memory:
        for line in lines:
            start, end = (int(x, 16) for x in line.split()[0].split("-"))
            if line.split()[1].startswith("rw") and "[v" not in line:
                pages = (os.pread(memory.fileno(), PAGE, at) for at in touched(pagemap.fileno(), start, end))
                yield b"".join(page for page in pages if page.strip(b"\0"))


def family(pid):
    """A process and its children."""
    with open(f"/proc/{pid}/task/{pid}/children", encoding="ascii") as f:
        return [pid] + [int(child) for child in f.read().split()]


def holds(pids, pieces):
    """How many pieces are in the memory of processes, of which some may have ended."""
    found = 0
    for pid in pids:
        try:
            found += sum(len(words(part) & pieces) for part in writable(pid))
        except (FileNotFoundError, ProcessLookupError):
            pass
    return found


# ---- servers ----

class Server:
    """A process that serves TLS by named keys, ended with the block."""

    def __init__(self, place, env, command, port):
        self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                        stderr=subprocess.PIPE, env=env, cwd=place.dir)
        self.pid, self.port = self.process.pid, port

    def __enter__(self):
        wait_for_port(self.port, self.process)
        return self

    def __exit__(self, *error):
        self.process.send_signal(signal.SIGTERM)
        self.said = self.process.communicate(timeout=60)[1].decode(errors="replace")


def s_server(place, env, key, *options):
    port = free_port()
    return Server(place, env, ["openssl", "s_server", "-accept", f"127.0.0.1:{port}", "-cert", key + ".crt", "-key",
                               key + ".ref", "-www", *options], port)


def by_s_server(place, service, env):
    for key, ciphers in (("rsa", None), ("rsa", ECDHE_RSA), ("rsa-tls", RSA), ("p256", None), ("p384", None),
                         ("p521", "ECDHE"), ("ed25519", None)):
        with s_server(place, env, key) as server:
            get(place, server.port, key, ciphers)
            if key in ("rsa", "p256") and not ciphers:
                assert not holds([server.pid], pieces_of(place, [key])), f"s_server has parts of {key}"


def by_client(place, service, env):
    """The client has the named key, and the server the other one."""
    for key in ("rsa", "p256", "ed25519"):
        port = free_port()
        command = ["openssl", "s_server", "-accept", f"127.0.0.1:{port}", "-cert", "p384.crt", "-key", "p384.key",
                   "-Verify", "1", "-CAfile", key + ".crt", "-verify_return_error", "-rev"]
        with Server(place, place.env(False), command, port):
            done = subprocess.run(["openssl", "s_client", "-connect", f"127.0.0.1:{port}", "-CAfile", "p384.crt",
                                   "-verify_return_error", "-cert", key + ".crt", "-key", key + ".ref", "-quiet",
                                   "-no_ign_eof"], input=b"abc\n", stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=env,
                                  cwd=place.dir, timeout=60, check=False)
            assert b"alert" not in done.stderr and b"error" not in done.stderr, done.stderr


def by_command(place, service, env):
    """A certificate request, and CMS."""
    def run(*args, data=None):
        return subprocess.run(["openssl", *args], input=data, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=env,
                              cwd=place.dir, check=True, timeout=60).stdout
    for key in ("rsa", "p256", "ed25519"):
        request = run("req", "-new", "-key", key + ".ref", "-subj", "/CN=localhost")
        named_keys.openssl("req", "-verify", "-noout", data=request)
        request = run("req", "-new", "-key", "headrace:" + key, "-subj", "/CN=localhost")
        named_keys.openssl("req", "-verify", "-noout", data=request)
    for key in ("rsa", "p256"):
        signed = run("cms", "-sign", "-nodetach", "-signer", key + ".crt", "-inkey", key + ".ref", "-outform", "PEM",
                     data=b"text")
        assert named_keys.openssl("cms", "-verify", "-inform", "PEM", "-CAfile", place.path(key + ".crt"),
                                  data=signed).strip() == b"text"
    closed = named_keys.openssl("cms", "-encrypt", "-outform", "PEM", place.path("rsa-decrypt.crt"), data=b"text")
    assert run("cms", "-decrypt", "-inform", "PEM", "-inkey", "rsa-decrypt.ref", "-recip", "rsa-decrypt.crt",
               data=closed).strip() == b"text"


def nginx(place, env, kind="ref"):
    port = free_port()
    place.write("nginx.conf", NGINX.format(dir=place.dir, port=port, kind=kind).encode())
    return Server(place, env, [program("nginx"), "-c", place.path("nginx.conf")], port)


def by_nginx(place, service, env):
    pieces = pieces_of(place, ["rsa", "p256"])
    with nginx(place, env) as server:
        for _ in range(4):
            get(place, server.port, "p256")
            get(place, server.port, "rsa", ECDHE_RSA)
        assert not holds(family(server.pid), pieces), "nginx has parts of the keys"
        before = set(family(server.pid))
        server.process.send_signal(signal.SIGHUP)
        for _ in range(100):
            if len(set(family(server.pid)) - before) >= 2:
                break
            time.sleep(0.1)
        for _ in range(4):
            get(place, server.port, "p256")
            get(place, server.port, "rsa", ECDHE_RSA)
        assert not holds(family(server.pid), pieces), "nginx has parts of the keys"
    with nginx(place, env, "key") as server:  # the search does find keys that are there
        get(place, server.port, "p256")
        assert holds(family(server.pid), pieces), "the search finds nothing"


def by_nginx_alone(place, service, env):
    """nginx -t needs no service; a key that is not the certificate's is refused as any other."""
    place.write("nginx.conf", NGINX.format(dir=place.dir, port=free_port(), kind="ref").encode())
    command = [program("nginx"), "-t", "-c", place.path("nginx.conf")]
    alone = dict(env, HEADRACE_ACCEL="/nonexistent")
    assert subprocess.run(command, env=alone, stderr=subprocess.PIPE, check=False, timeout=60).returncode == 0
    shutil.copy(place.path("nobody.crt"), place.path("p256.crt"))
    try:
        done = subprocess.run(command, env=alone, stderr=subprocess.PIPE, check=False, timeout=60)
        assert done.returncode and b"key values mismatch" in done.stderr, done.stderr
    finally:
        shutil.copy(place.path("p256.kept"), place.path("p256.crt"))


def by_restart(place, service, env):
    """The service ends and comes back while handshakes go on: none fails, unless it was away for longer than
    operations wait, on a machine that has no time for it."""
    done, failed, stop, away = [], [], threading.Event(), 0

    def ask(port):
        while not stop.is_set():
            try:
                get(place, port, "p256")
                done.append(1)
            except (OSError, AssertionError) as error:
                failed.append(repr(error))

    with nginx(place, env) as server:
        get(place, server.port, "p256")
        clients = [threading.Thread(target=ask, args=(server.port,)) for _ in range(2)]
        for client in clients:
            client.start()
        for _ in range(2):
            before, left = len(done), time.monotonic()
            service.end()
            service.start()
            away = max(away, time.monotonic() - left)
            for _ in range(600):  # until handshakes are served again
                if len(done) >= before + 8 or failed:
                    break
                time.sleep(0.1)
        stop.set()
        for client in clients:
            client.join()
    assert done and (not failed or away > PATIENCE), f"{len(done)} handshakes, and {len(failed)} failed: {failed[:3]} {server.said[-1500:]}"


def by_gone(place, service, env):
    """Without a service, what needs a named key fails and says which."""
    done = subprocess.run(["openssl", "req", "-new", "-key", "p256.ref", "-subj", "/CN=localhost"], cwd=place.dir,
                          env=dict(env, HEADRACE_ACCEL="/nonexistent"), stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          check=False, timeout=120)
    assert done.returncode and b"named key p256: the accelerator's service ended" in done.stderr, done.stderr


def by_haproxy(place, service, env):
    port, other = free_port(), free_port()
    with open(place.path("rsa.crt"), "rb") as f, open(place.path("rsa.ref"), "rb") as g:
        certificate, key = f.read(), g.read()
    place.write("key-last.pem", certificate + key)
    place.write("key-first.pem", key + certificate)
    place.write("haproxy.cfg", HAPROXY.format(dir=place.dir, port=port, other=other).encode())
    pieces = pieces_of(place, ["rsa"])
    with Server(place, env, [program("haproxy"), "-W", "-f", place.path("haproxy.cfg")], port) as server:
        for ciphers in (None, ECDHE_RSA):
            get(place, port, "rsa", ciphers)
            get(place, other, "rsa", ciphers)
        assert not holds(family(server.pid), pieces), "haproxy has parts of the key"
        before = set(family(server.pid))
        server.process.send_signal(signal.SIGUSR2)
        for _ in range(100):
            if set(family(server.pid)) - before:
                break
            time.sleep(0.1)
        get(place, port, "rsa")


def program(name):
    return shutil.which(name, path=os.environ.get("PATH", "") + ":/usr/sbin")


POINTS = (
    ("openssl", "s_server, TLS 1.2 and 1.3, and its memory", by_s_server),
    ("openssl", "s_client with a certificate", by_client),
    ("openssl", "req and cms", by_command),
    ("nginx", "nginx, reloaded, and its memory", by_nginx),
    ("nginx", "nginx -t without a service", by_nginx_alone),
    ("nginx", "nginx while the service restarts", by_restart),
    ("openssl", "a service that is gone", by_gone),
    ("haproxy", "haproxy, key first and last, reloaded, and its memory", by_haproxy),
)


def main():
    tap, place = Tap(), Place()
    headraced, client = sys.argv[1:]
    os.chmod(place.dir, 0o755)
    service = Service(headraced, named_keys.make(place.dir))
    shutil.copy(place.path("p256.crt"), place.path("p256.kept"))
    named_keys.openssl("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout",
                       place.path("nobody.key"), "-out", place.path("nobody.crt"), "-days", "2", "-subj", "/CN=localhost")
    env = dict(place.env(True), HEADRACE_ACCEL=service.socket, LD_LIBRARY_PATH=client)
    for name, what, point in POINTS:
        if program(name):
            with tap.point(what):
                point(place, service, env)
        else:
            tap.skip(what, f"{name} is not installed")
    service.stop()
    place.clean()
    tap.end()


if __name__ == "__main__":
    main()
