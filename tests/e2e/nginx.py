#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""nginx, as Debian ships it: a master that reads openssl.cnf and workers that it forks, which serve
a file by TLS 1.2 CBC through the provider, and to curl by TLS 1.3 with X25519MLKEM768, which Debian
12's OpenSSL has by the provider's "extra".  Each process counts for itself."""
import os
import random
import shutil
import signal
import subprocess

import served
from common import NGINX_FOLDERS, Place, Tap, free_port, wait_for_port
from tls import AES_256_CBC, MLKEM768, X25519, make_certificate, offer_more

CONFIG = """daemon off; pid {dir}/pid; error_log stderr; worker_processes 2; user root;
events {{}}
http {{
    """ + NGINX_FOLDERS + """
    server {{
        listen 127.0.0.1:{port} ssl;
        ssl_certificate {dir}/cert.pem;
        ssl_certificate_key {dir}/key.pem;
        {tls}
        root {dir};
    }}
}}
"""


CBC = "ssl_protocols TLSv1.2; ssl_ciphers ECDHE-RSA-AES256-SHA384;"
HYBRID = "ssl_protocols TLSv1.3; ssl_ecdh_curve X25519MLKEM768;"


def fetched(place, nginx, tls, client_ours, options):
    """Lets curl fetch a file, and returns its length and what the workers counted."""
    data = random.Random(4).randbytes(300000)
    place.write("file.bin", data)
    port = free_port()
    config = place.write("nginx.conf", CONFIG.format(dir=place.dir, port=port, tls=tls).encode())
    served.new(place.stats)
    server = subprocess.Popen([nginx, "-c", config], stdin=subprocess.DEVNULL,
                              stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                              env=place.env(True))
    try:
        wait_for_port(port, server)
        got = subprocess.run(
            ["curl", "-sS", *options, "--cacert", "cert.pem", "--resolve", f"localhost:{port}:127.0.0.1",
             f"https://localhost:{port}/file.bin"],
            stdout=subprocess.PIPE, env=place.env(client_ours), cwd=place.dir, check=True,
            timeout=60).stdout
        assert got == data, f"curl received {len(got)} bytes"
    finally:
        server.send_signal(signal.SIGQUIT)
        server.communicate(timeout=30)
    return len(data), [counts for name, pid, counts in served.slots(place.stats)
                       if pid != server.pid and name != "curl"]


def by_cbc(place, nginx):
    size, workers = fetched(place, nginx, CBC, False, ())
    sent = sum(counts.get(AES_256_CBC, (0, 0))[1] for counts in workers)
    assert sent >= size, f"the workers' slots tell of {sent} bytes: {workers}"


def by_hybrid(place, nginx):
    offer_more(place)
    _, workers = fetched(place, nginx, HYBRID, True, ("--curves", "X25519MLKEM768"))
    for row in (X25519, MLKEM768):
        assert any(row in counts for counts in workers), f"{row:#x} was not served: {workers}"


def main():
    tap, place = Tap(), Place()
    points = {"nginx, TLS 1.2 CBC, counted in the worker": by_cbc,
              "nginx and curl, TLS 1.3 X25519MLKEM768": by_hybrid}
    os.chmod(place.dir, 0o755)
    nginx = shutil.which("nginx", path=os.environ.get("PATH", "") + ":/usr/sbin")
    make_certificate(place)
    for name, point in points.items():
        if not nginx:
            tap.skip(name, "nginx is not installed")
        elif os.environ.get("HEADRACE_PRELOAD"):
            tap.skip(name, "Debian's nginx is not built for AddressSanitizer's runtime")
        else:
            with tap.point(name):
                point(place, nginx)
    place.clean()
    tap.end()


if __name__ == "__main__":
    main()
