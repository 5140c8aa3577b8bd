#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What reading a private key costs: CPU time of PEM_read_bio_PrivateKey with and without the provider.

read_key.py BUILD [TURNS [MODULE...]]: bench/read_key of BUILD reads 400 times, without a provider, with BUILD's and with
each MODULE (another headrace.so), in turns, TURNS times (7).  Printed: the median and the least of the turns' medians.
"""
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile

CONFIG = pathlib.Path(__file__).resolve().parent.parent / "tests/openssl.cnf"
KEYS = {"RSA-2048": ["RSA", "rsa_keygen_bits:2048"], "P-256": ["EC", "ec_paramgen_curve:P-256"], "Ed25519": ["ED25519"]}


def generate(path, algorithm, *option):
    words = ["openssl", "genpkey", "-algorithm", algorithm, "-out", path]
    subprocess.run(words + [w for o in option for w in ("-pkeyopt", o)], check=True, stderr=subprocess.DEVNULL,
                   env={**os.environ, "OPENSSL_CONF": "/dev/null"})


def read(build, key, config):
    return float(subprocess.run([build / "bench/read_key", key, "400"], check=True, stdout=subprocess.PIPE, text=True,
                                env={**os.environ, "OPENSSL_CONF": config}).stdout)


def main():
    build, turns = pathlib.Path(sys.argv[1]).resolve(), int(sys.argv[2]) if len(sys.argv) > 2 else 7
    modules = [build / "bind/openssl/headrace.so", *map(pathlib.Path, sys.argv[3:])]
    with tempfile.TemporaryDirectory(prefix="headrace-key-") as folder:
        configs = {"none": "/dev/null"}
        for i, module in enumerate(modules):
            configs[str(module)] = f"{folder}/{i}.cnf"
            text = CONFIG.read_text(encoding="ascii").replace("@MODULE@", str(module.resolve()))
            pathlib.Path(configs[str(module)]).write_text(text.replace("@PROPERTIES@", "?headrace.win=yes"), encoding="ascii")
        for name, words in KEYS.items():
            key = f"{folder}/key.pem"
            generate(key, *words)
            us = {module: [] for module in configs}
            for i in range(turns):
                for module in list(configs)[::-1 if i % 2 else 1]:
                    us[module].append(read(build, key, configs[module]))
            for module, all_us in us.items():
                print(f"{name:8} {statistics.median(all_us):7.1f} us, least {min(all_us):7.1f}: {module}")


if __name__ == "__main__":
    main()
