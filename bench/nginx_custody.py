#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""bench/nginx_custody.py BUILD [PAIRS [WORKERS [KEY [TABLE]]]]: CPU time of nginx and headraced for a full handshake of
TLS 1.3 with X25519, where the key is in nginx's workers and where the accelerator's service has it, in turns of two
seconds.  With TABLE, a crossover table, the key is in both servers' workers, and the second lends it (lend = yes).

Both servers have Headrace in openssl.cnf, so that X25519 is alike.  As many clients as workers (`openssl s_time -new`)
connect at once.  KEY is rsa:2048 (default), rsa:4096, or a curve such as P-256.  Times are the kernel's, of all threads,
from /proc/PID/task/*/schedstat.  HEADRACE_CPU and OPENSSL_ia32cap, which hide instructions, are passed on."""
import os
import re
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time

from nginx_handshake import configuration, environment, write

SECONDS = 2
MASKS = {name: os.environ[name] for name in ("HEADRACE_CPU", "OPENSSL_ia32cap") if name in os.environ}
NGINX = """daemon off; pid {place}.pid; error_log stderr; worker_processes {workers}; user root;
env HEADRACE_ACCEL; env HEADRACE_CPU; env OPENSSL_ia32cap;
events {{}}
http {{
    access_log off;
    client_body_temp_path {place}.a; proxy_temp_path {place}.b; fastcgi_temp_path {place}.c;
    uwsgi_temp_path {place}.d; scgi_temp_path {place}.e;
    server {{
        listen 127.0.0.1:{port} ssl reuseport;
        ssl_certificate {folder}/cert.pem;
        ssl_certificate_key {key};
        ssl_protocols TLSv1.3;
        ssl_ecdh_curve X25519;
        ssl_session_cache off;
        ssl_session_tickets off;
    }}
}}
"""


def cpu_ns(pid):
    """CPU time of a process, with its threads and children."""
    total = 0
    for task in os.listdir(f"/proc/{pid}/task"):
        with open(f"/proc/{pid}/task/{task}/schedstat", encoding="ascii") as file:
            total += int(file.read().split()[0])
        with open(f"/proc/{pid}/task/{task}/children", encoding="ascii") as file:
            total += sum(cpu_ns(int(child)) for child in file.read().split())
    return total


class Server:
    """nginx with its workers, and the service if that has the key."""

    def __init__(self, folder, config, env, number, settings):
        workers, key, service = settings
        self.port, self.env, self.workers, place = 20443 + number, env, workers, f"{config}.{number}"
        text = NGINX.format(place=place, folder=folder, port=self.port, workers=workers, key=key)
        nginx = shutil.which("nginx", path=os.environ.get("PATH", "") + ":/usr/sbin") or sys.exit("no nginx")
        self.master = subprocess.Popen([nginx, "-c", write(place, text)], env=env, stderr=subprocess.DEVNULL)
        self.pids = [self.master.pid] + ([service.pid] if service else [])
        time.sleep(1)

    def turn(self):
        """CPU time in us for each handshake, and handshakes a second."""
        before = sum(map(cpu_ns, self.pids))
        clients = [subprocess.Popen(["openssl", "s_time", "-new", "-tls1_3", "-connect", f"127.0.0.1:{self.port}", "-time",
                                     str(SECONDS)], env=self.env, stdout=subprocess.PIPE, text=True)
                   for _ in range(self.workers)]
        done = sum(int(re.search(r"(\d+) connections in \d+ real seconds", client.communicate()[0]).group(1))
                   for client in clients)
        return (sum(map(cpu_ns, self.pids)) - before) / 1e3 / done, done / SECONDS

    def stop(self):
        self.master.send_signal(signal.SIGTERM)
        self.master.wait()


def run(*words, **more):
    return subprocess.run(words, check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, **more).stdout


def make_key(build, folder, env, kind):
    """Makes a key and its certificate, and returns the reference to the key in the service's folder."""
    words = kind.split(":")
    new = ["-newkey", kind] if len(words) == 2 else ["-newkey", "ec", "-pkeyopt", f"ec_paramgen_curve:{kind}"]
    run("openssl", "req", "-x509", *new, "-nodes", "-sha256", "-subj", "/CN=localhost", "-keyout", f"{folder}/key.pem",
        "-out", f"{folder}/cert.pem", env=env)
    os.mkdir(f"{folder}/keys", 0o700)
    headrace = [f"{build}/tools/headrace", "accel", "key", f"--keys={folder}/keys"]
    run(*headrace, "import", "web", f"--from={folder}/key.pem")
    return write(f"{folder}/key.ref", run(*headrace, "reference", "web"))


def start_service(build, folder, table):
    write(f"{folder}/policy", "[client everyone]\nclients = 64\nadmin = yes\n")
    service = subprocess.Popen([f"{build}/accel/headraced", f"--socket={folder}/sock", f"--policy={folder}/policy",
                                f"--keys={folder}/keys", f"--crossover={table}"], stderr=subprocess.DEVNULL)
    while not os.path.exists(f"{folder}/sock"):
        time.sleep(.1)
    return service


def lending(config):
    """The configuration, with keys that are lent."""
    with open(config, encoding="ascii") as file:
        return write(f"{config}.lend", file.read().replace("[headrace_provider]\n", "[headrace_provider]\nlend = yes\n"))


def measure(build, folder, settings):
    num_pairs, workers, kind, table = settings
    config = configuration(build, folder, "on", "X25519", True)
    env = {**environment(config), **MASKS, "HEADRACE_ACCEL": f"{folder}/sock",
           "LD_LIBRARY_PATH": f"{build}/accel:{build}/lib"}
    reference = make_key(build, folder, env, kind)
    service = start_service(build, folder, table or f"{folder}/none")
    other = {**env, **environment(lending(config))} if table else env
    servers = [Server(folder, config, env, 0, (workers, f"{folder}/key.pem", None)),
               Server(folder, config, other, 1, (workers, f"{folder}/key.pem" if table else reference, service))]
    turns = []
    try:
        for server in servers:
            server.turn()
        for i in range(num_pairs):
            taken = {s: servers[s].turn() for s in ((0, 1) if i % 2 else (1, 0))}
            turns.append((taken[0], taken[1]))
        print(run(f"{build}/tools/headrace", "accel", "status", f"--socket={folder}/sock"))
    finally:
        for server in servers:
            server.stop()
        service.terminate()
        service.wait()
    for what, which, better in (("CPU, us a handshake", 0, lambda a, b: a / b), ("handshakes a second", 1, lambda a, b: b / a)):
        ratios = sorted(better(a[which], b[which]) for a, b in turns)
        print(f"{what:20} in nginx {statistics.median(a[which] for a, _ in turns):7.0f}"
              f"  {'lent' if table else 'in the service'} {statistics.median(b[which] for _, b in turns):7.0f}"
              f"  ratio {statistics.median(ratios):5.2f} ({ratios[0]:.2f} to {ratios[-1]:.2f})")


def main():
    if len(sys.argv) not in range(2, 7):
        sys.exit(__doc__)
    build, num_pairs, workers, kind, table = (*sys.argv[1:], *("", 7, 16, "rsa:2048", "")[len(sys.argv) - 1:])
    print(f"{run('openssl', 'version').strip()}, {num_pairs} pairs, {workers} workers, {kind}, medians")
    folder = tempfile.mkdtemp(prefix="headrace-nginx.")
    os.chmod(folder, 0o755)
    try:
        measure(os.path.abspath(build), folder, (int(num_pairs), int(workers), kind, table and os.path.abspath(table)))
    finally:
        shutil.rmtree(folder)


main()
