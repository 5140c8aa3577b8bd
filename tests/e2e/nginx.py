#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""nginx, as Debian ships it: a master that reads openssl.cnf and workers that it forks, which serve
a file by TLS 1.2 CBC through the provider.  Each process counts for itself."""
import os
import random
import shutil
import signal
import subprocess

import served
from common import Place, Tap, free_port, wait_for_port
from tls import AES_256_CBC, make_certificate

CONFIG = """daemon off; pid {dir}/pid; error_log stderr; worker_processes 2; user root;
events {{}}
http {{
    access_log off;
    client_body_temp_path {dir}/a; proxy_temp_path {dir}/b; fastcgi_temp_path {dir}/c;
    uwsgi_temp_path {dir}/d; scgi_temp_path {dir}/e;
    server {{
        listen 127.0.0.1:{port} ssl;
        ssl_certificate {dir}/cert.pem;
        ssl_certificate_key {dir}/key.pem;
        ssl_protocols TLSv1.2;
        ssl_ciphers ECDHE-RSA-AES256-SHA384;
        root {dir};
    }}
}}
"""


def fetched(place, nginx):
    data = random.Random(4).randbytes(300000)
    place.write("file.bin", data)
    port = free_port()
    config = place.write("nginx.conf", CONFIG.format(dir=place.dir, port=port).encode())
    served.new(place.stats)
    server = subprocess.Popen([nginx, "-c", config], stdin=subprocess.DEVNULL,
                              stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                              env=place.env(True))
    try:
        wait_for_port(port, server)
        got = subprocess.run(
            ["curl", "-sS", "--cacert", "cert.pem", "--resolve", f"localhost:{port}:127.0.0.1",
             f"https://localhost:{port}/file.bin"],
            stdout=subprocess.PIPE, env=place.env(False), cwd=place.dir, check=True,
            timeout=60).stdout
        assert got == data, f"curl received {len(got)} bytes"
    finally:
        server.send_signal(signal.SIGQUIT)
        server.communicate(timeout=30)
    workers = [counts for _, pid, counts in served.slots(place.stats) if pid != server.pid]
    sent = sum(counts.get(AES_256_CBC, (0, 0))[1] for counts in workers)
    assert sent >= len(data), f"the workers' slots tell of {sent} bytes: {workers}"


def main():
    tap, place, name = Tap(), Place(), "nginx, TLS 1.2 CBC, counted in the worker"
    os.chmod(place.dir, 0o755)
    nginx = shutil.which("nginx", path=os.environ.get("PATH", "") + ":/usr/sbin")
    if not nginx:
        tap.skip(name, "nginx is not installed")
    elif os.environ.get("HEADRACE_PRELOAD"):
        tap.skip(name, "Debian's nginx is not built for AddressSanitizer's runtime")
    else:
        make_certificate(place)
        with tap.point(name):
            fetched(place, nginx)
    place.clean()
    tap.end()


if __name__ == "__main__":
    main()
