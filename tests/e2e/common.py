# SPDX-License-Identifier: Apache-2.0
"""What the end-to-end tests share: programs run with and without the provider, TAP, counters.

HEADRACE_MODULE names headrace.so; HEADRACE_PRELOAD the sanitizer runtime that it was built with."""
import contextlib
import os
import socket
import struct
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import served  # noqa: E402

CONFIG = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../openssl.cnf")
# Where nginx, in {dir}, keeps what it buffers; in the block http of a template for str.format.
NGINX_FOLDERS = """access_log off;
    client_body_temp_path {dir}/a; proxy_temp_path {dir}/b; fastcgi_temp_path {dir}/c;
    uwsgi_temp_path {dir}/d; scgi_temp_path {dir}/e;"""
# For `openssl req`, which wants a section of names.
REQUEST = "[req]\ndistinguished_name = name\n[name]\n"


def config(module, properties):
    """The configuration of tests; a query for all of the provider gets keys of all sizes, as from headrace run --all."""
    with open(CONFIG, encoding="ascii") as f:
        text = f.read().replace("@MODULE@", module).replace("@PROPERTIES@", properties) + REQUEST
    return text.replace("[headrace_provider]\n", "[headrace_provider]\nwin = all\n") if properties == "?provider=headrace" else text


# A configuration with OpenSSL's legacy provider: it has ciphers of our rows that the default one lacks.
LEGACY = """openssl_conf = init
[init]
providers = providers
[providers]
default = active
legacy = active
[active]
activate = 1
"""


class Place:
    """A folder of its own with both configurations and a statistics file."""

    def __init__(self):
        self.dir = tempfile.mkdtemp(prefix="headrace-e2e-")
        self.stats = os.path.join(self.dir, "stats")
        module = os.environ["HEADRACE_MODULE"]
        self.write("ours.cnf", config(module, "?provider=headrace").encode())
        self.write("default.cnf", REQUEST.encode())
        self.legacy = self.has_legacy()
        if self.legacy:
            self.write("default.cnf", (LEGACY + REQUEST).encode())

    def has_legacy(self):
        """Tells whether OpenSSL's legacy provider, which has single DES, is installed."""
        command = ["openssl", "list", "-providers", "-provider", "legacy"]
        return not subprocess.run(command, env=self.env(False), check=False, cwd=self.dir,
                                  stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode

    def path(self, name):
        return os.path.join(self.dir, name)

    def write(self, name, data):
        with open(self.path(name), "wb") as f:
            f.write(data)
        return self.path(name)

    def env(self, ours):
        env = {k: v for k, v in os.environ.items() if not k.startswith(("OPENSSL_", "SSL_"))}
        env["OPENSSL_CONF"] = self.path("ours.cnf" if ours else "default.cnf")
        env["HEADRACE_STATS"] = self.stats
        if ours and os.environ.get("HEADRACE_PRELOAD"):
            env["LD_PRELOAD"] = os.environ["HEADRACE_PRELOAD"]
            env["ASAN_OPTIONS"] = "detect_leaks=0"
        return env

    def run(self, ours, *command, data=b"", check=True):
        """Runs a command, with our provider or without, and returns its output; empties the
        statistics before."""
        served.new(self.stats)
        done = subprocess.run(command, input=data, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              env=self.env(ours), cwd=self.dir, timeout=60)
        if check and done.returncode:
            raise AssertionError(f"{command}: {done.stderr.decode(errors='replace')[-2000:]}")
        return done.stdout

    def total(self, comm=None):
        return served.total(self.stats, comm)

    def clean(self):
        subprocess.run(["rm", "-rf", self.dir], check=True)


class Tap:
    """Points of one test program; a failure is reported and the next point still runs."""

    def __init__(self):
        self.number = self.failed = 0

    @contextlib.contextmanager
    def point(self, name):
        self.number += 1
        try:
            yield
        except Exception as error:  # a test reports every failure
            self.failed += 1
            print("\n".join("# " + line for line in repr(error).split("\\n")))
            print(f"not ok {self.number} - {name}", flush=True)
        else:
            print(f"ok {self.number} - {name}", flush=True)

    def skip(self, name, why):
        self.number += 1
        print(f"ok {self.number} - {name} # SKIP {why}", flush=True)

    def end(self):
        print(f"1..{self.number}")
        sys.exit(1 if self.failed else 0)


def rows(place):
    """Returns the names that our provider offers: of ciphers, and of digests."""
    def names(kind):
        text = place.run(True, "openssl", "list", kind, "-propquery", "provider=headrace").decode()
        lines = [line for line in text.splitlines() if line.endswith("@ headrace")]
        return sorted(max((n.strip() for n in line.split("@")[0].strip(" {}").split(",")
                           if not n.strip()[0].isdigit()), key=len) for line in lines)
    return names("-cipher-algorithms"), names("-digest-algorithms")


def unpinned(path):
    """A libcrypto that can be unloaded: an ELF file of 64 bits without NODELETE in its DT_FLAGS_1."""
    with open(path, "rb") as file:
        data = bytearray(file.read())
    order = "<" if data[5] == 1 else ">"
    start, = struct.unpack_from(order + "Q", data, 32)
    size, num = struct.unpack_from(order + "HH", data, 54)
    segments = [struct.unpack_from(order + "IIQQQQ", data, start + i * size) for i in range(num)]
    offset, length = next((s[2], s[5]) for s in segments if s[0] == 2)  # PT_DYNAMIC
    for at in range(offset, offset + length, 16):
        tag, value = struct.unpack_from(order + "QQ", data, at)
        if tag == 0x6ffffffb:
            struct.pack_into(order + "Q", data, at + 8, value & ~8)
    return data


def libcrypto_of(command, env):
    """The name under which a program is linked with libcrypto, as libcrypto.so.3, and the file that it gets."""
    listed = subprocess.run(["ldd", command], stdout=subprocess.PIPE, text=True, env=env, check=True).stdout
    words = next(line.split() for line in listed.splitlines() if line.strip().startswith("libcrypto.so."))
    return words[0], words[2]


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def wait_for_port(port, process):
    for _ in range(200):
        if process.poll() is not None:
            raise AssertionError("server ended: " + process.stderr.read().decode(errors="replace"))
        with open("/proc/net/tcp", encoding="ascii") as f:
            if any(line.split()[1].endswith(f":{port:04X}") and line.split()[3] == "0A"
                   for line in f.readlines()[1:]):
                return
        time.sleep(0.05)
    raise AssertionError("server does not listen")
