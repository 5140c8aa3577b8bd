#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""bench/nginx_handshake.py BUILD [PAIRS [CERTIFICATE GROUP]]: CPU time of an nginx worker for a full handshake of
TLS 1.3, without and with Headrace in openssl.cnf, in turns of one second.

Two servers of one worker each run beside each other; `openssl s_time -new`, which is served by Headrace in all
turns, connects to one and then to the other.  The worker's time is the kernel's, from /proc/PID/schedstat.  The
win map is the shipped one.  Without a certificate's curve and a group, all pairs are measured."""
import os
import re
import shutil
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import time

PAIRS = (("P-384", "P-384"), ("P-256", "X25519"), ("P-256", "P-256"))
OPENSSL = """openssl_conf = init
[init]
providers = providers
alg_section = algorithms
ssl_conf = ssl
[providers]
default = default_provider
{headrace}
[default_provider]
activate = 1
[headrace_provider]
module = {build}/bind/openssl/headrace.so
activate = 1
[algorithms]
{properties}
[ssl]
system_default = tls
[tls]
Groups = {group}
[req]
distinguished_name = name
[name]
"""
NGINX = """daemon off; pid {place}.pid; error_log stderr; worker_processes 1; user root;
events {{}}
http {{
    access_log off;
    client_body_temp_path {place}.a; proxy_temp_path {place}.b; fastcgi_temp_path {place}.c;
    uwsgi_temp_path {place}.d; scgi_temp_path {place}.e;
    server {{
        listen 127.0.0.1:{port} ssl;
        ssl_certificate {folder}/cert.pem;
        ssl_certificate_key {folder}/key.pem;
        ssl_protocols TLSv1.3;
        ssl_ecdh_curve {group};
        ssl_session_cache off;
        ssl_session_tickets off;
    }}
}}
"""


def write(path, text):
    with open(path, "w", encoding="ascii") as file:
        file.write(text)
    return path


def configuration(build, folder, name, group, served):
    text = OPENSSL.format(build=build, group=group, headrace="headrace = headrace_provider" if served else "",
                          properties="default_properties = ?headrace.win=yes" if served else "")
    return write(os.path.join(folder, name), text)


def environment(config):
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("OPENSSL_", "HEADRACE_"))}
    return {**kept, "OPENSSL_CONF": config}


class Server:
    """nginx with one worker."""

    def __init__(self, folder, config, group):
        with socket.create_server(("127.0.0.1", 0)) as free:
            self.port = free.getsockname()[1]
        self.config, place = config, config + ".nginx"
        text = NGINX.format(place=place, folder=folder, port=self.port, group=group)
        nginx = shutil.which("nginx", path=os.environ.get("PATH", "") + ":/usr/sbin") or sys.exit("no nginx")
        self.master = subprocess.Popen([nginx, "-c", write(place, text)], env=environment(config),
                                       stderr=subprocess.DEVNULL)
        for _ in range(100):
            with open(f"/proc/{self.master.pid}/task/{self.master.pid}/children", encoding="ascii") as file:
                workers = file.read().split()
            if workers:
                break
            time.sleep(0.1)
        self.worker = int(workers[0])

    def cpu_ns(self):
        with open(f"/proc/{self.worker}/schedstat", encoding="ascii") as file:
            return int(file.read().split()[0])

    def us(self, client, seconds=1):
        """CPU time for each of the handshakes of a turn."""
        before = self.cpu_ns()
        said = subprocess.run(["openssl", "s_time", "-new", "-tls1_3", "-connect", f"127.0.0.1:{self.port}", "-time",
                               str(seconds)], env=environment(client), check=True, stdout=subprocess.PIPE, text=True).stdout
        number = int(re.search(r"(\d+) connections in \d+ real seconds", said).group(1))
        return (self.cpu_ns() - before) / 1e3 / number

    def stop(self):
        self.master.send_signal(signal.SIGTERM)
        self.master.wait()


def measure(build, folder, certificate, group, num_pairs):
    off, on = (configuration(build, folder, name, group, name == "on") for name in ("off", "on"))
    subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", f"ec_paramgen_curve:{certificate}", "-nodes",
                    "-sha256", "-subj", "/CN=localhost", "-keyout", f"{folder}/key.pem", "-out", f"{folder}/cert.pem"],
                   env=environment(off), check=True, stderr=subprocess.DEVNULL)
    servers = [Server(folder, config, group) for config in (off, on)]
    try:
        for server in servers:
            server.us(on)
        turns = []
        for i in range(num_pairs):
            taken = {s: servers[s].us(on) for s in ((0, 1) if i % 2 else (1, 0))}
            turns.append((taken[0], taken[1]))
    finally:
        for server in servers:
            server.stop()
    ratios = sorted(a / b for a, b in turns)
    print(f"{certificate:11} {group:15} off {statistics.median(t[0] for t in turns):7.0f}"
          f"  on {statistics.median(t[1] for t in turns):7.0f}  ratio {statistics.median(ratios):5.2f}"
          f" ({ratios[0]:.2f} to {ratios[-1]:.2f})", flush=True)


def main():
    if len(sys.argv) not in (2, 3, 5):
        sys.exit(__doc__)
    build, num_pairs = os.path.abspath(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 9
    version = subprocess.run(["openssl", "version"], check=True, stdout=subprocess.PIPE, text=True).stdout.strip()
    print(f"{version}, {num_pairs} pairs; CPU time of nginx's worker, us a full handshake, medians")
    for certificate, group in [sys.argv[3:5]] if len(sys.argv) == 5 else PAIRS:
        folder = tempfile.mkdtemp(prefix="headrace-nginx.")
        os.chmod(folder, 0o755)
        try:
            measure(build, folder, certificate, group, num_pairs)
        finally:
            shutil.rmtree(folder)


if __name__ == "__main__":
    main()
