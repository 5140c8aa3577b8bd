# SPDX-License-Identifier: Apache-2.0
"""Programs that know PKCS#11, with keys that stay in the service: OpenSC, GnuTLS and OpenSSH, whose results OpenSSL
judges. More arguments than control.py has: the module, and the folder of libheadrace-accel."""
import contextlib
import functools
import json
import os
import re
import subprocess
import sys
import tempfile

FOLDER, MODULE = (os.path.abspath(sys.argv.pop()) for _ in range(2))
sys.path[:0] = [f"{sys.argv[2]}/tests/accel", f"{sys.argv[2]}/tests/accel/keys", f"{sys.argv[2]}/tests/pkcs11"]

from control import HEADRACE, RELOAD, Client, service  # noqa: E402
from key_client import key, openssl  # noqa: E402
from cli import main, test  # noqa: E402
from ssh import path_of, ssh_client, ssh_server  # noqa: E402

TOKEN = "Headrace accelerator"
KEYS = (("rsa", "RSA-2048"), ("p256", "ECDSA-P256"), ("p384", "ECDSA-P384"), ("ed25519", "Ed25519"))
SECRETS = ("gcm", "AES-128-GCM"), ("hmac", "HMAC-SHA-256")
PREFIXED = {**os.environ, "LD_LIBRARY_PATH": f"{FOLDER}:{FOLDER}/../lib", "LC_ALL": "C"}


def test_with(*programs):
    def register(function):
        missing = [name for name in programs if not path_of(name)]
        function.skip = f" # SKIP there is no {missing[0]}" if missing else ""
        return test(function)
    return register


UNTIL_THE_END = contextlib.ExitStack()


@functools.cache
def offered():
    """One service for all: it has a key of each kind, and one to decrypt."""
    s = UNTIL_THE_END.enter_context(service())
    for name, algorithm in KEYS:
        assert key(s.keys, "new", name, f"--algorithm={algorithm}", "--uid=0-70000").returncode == 0
    assert key(s.keys, "new", "secret", "--algorithm=RSA-2048", "--uid=0-70000", "--use=decrypt",
               "--padding=pkcs1").returncode == 0
    for name, algorithm in SECRETS:
        assert key(s.keys, "new", name, f"--algorithm={algorithm}", "--uid=0-70000").returncode == 0
    assert Client(s.path).result(RELOAD) == 0
    return s


class Runner:
    """Runs programs that find the service and its client's library."""

    def __init__(self):
        self.service = offered()
        self.folder = self.service.folder
        self.env = {**PREFIXED, "HEADRACE_ACCEL": self.service.path}

    def __call__(self, *words, status=0, **more):
        result = subprocess.run(words, capture_output=True, env=self.env, check=False, timeout=60,
                                stdin=subprocess.DEVNULL, **more)
        assert result.returncode == status, result
        return result.stdout

    def public(self, name):
        path = f"{self.service.folder}/{name}.pub"
        with open(path, "wb") as file:
            file.write(key(self.service.keys, "public", name).stdout)
        return path


@test_with("pkcs11-tool")
def opensc_signs_and_decrypts():
    run = Runner()
    tool = "pkcs11-tool", "--module", MODULE, "--token-label", TOKEN
    listed = run(*tool, "--list-objects", "--type", "privkey").decode("ascii")
    ids = dict(re.findall(r"label: +(\S+)\n +ID: +(\S+)\n", listed))
    assert set(ids) == {"rsa", "p256", "p384", "ed25519", "secret"}, listed
    message, signature = f"{run.folder}/message", f"{run.folder}/signature"
    with open(message, "wb") as file:
        file.write(b"a message" * 99)
    for name, mechanism, *options in (("rsa", "SHA256-RSA-PKCS"), ("p256", "ECDSA-SHA256"),
                                      ("p384", "ECDSA-SHA256"),
                                      ("rsa", "SHA256-RSA-PKCS-PSS", "-sigopt", "rsa_padding_mode:pss")):
        run(*tool, "--sign", "--id", ids[name], "-m", mechanism, "-i", message, "-o", signature,
            "--signature-format", "openssl")
        openssl("dgst", "-sha256", "-verify", run.public(name), *options, "-signature", signature, message)
    run(*tool, "--sign", "--id", ids["ed25519"], "-m", "EDDSA", "-i", message, "-o", signature)
    openssl("pkeyutl", "-verify", "-pubin", "-inkey", run.public("ed25519"), "-rawin", "-in", message, "-sigfile",
            signature)
    sealed = f"{run.folder}/sealed"
    openssl("pkeyutl", "-encrypt", "-pubin", "-inkey", run.public("secret"), "-out", sealed, stdin=b"a secret")
    assert run(*tool, "--decrypt", "--id", ids["secret"], "-m", "RSA-PKCS", "-i", sealed) == b"a secret"
    run(*tool, "--sign", "--id", ids["secret"], "-m", "SHA256-RSA-PKCS", "-i", message, "-o", signature, status=1)
    run(*tool, "--sign", "--id", ids["rsa"], "-m", "RSA-X-509", "-i", message, "-o", signature, status=1)
    assert TOKEN not in subprocess.run(["pkcs11-tool", "--module", MODULE, "-L"], capture_output=True, text=True,
                                       env={**run.env, "HEADRACE_ACCEL": "off"}, check=True).stdout


@test_with("p11tool")
def gnutls_signs():
    run = Runner()
    tool = "p11tool", "--provider", MODULE, "--batch"
    urls = run(*tool, "--only-urls", "--list-privkeys", "pkcs11:token=Headrace%20accelerator").decode("ascii")
    urls = {re.search(r"object=([^;]+)", url)[1]: url for url in urls.split()}
    assert set(urls) == {"rsa", "p256", "p384", "ed25519", "secret"}, urls
    for name in "rsa", "p256", "p384":  # with SHA-256, which Ed25519 does not take
        run(*tool, "--test-sign", urls[name])
    run(*tool, "--test-sign", urls["secret"], status=1)


def ssh_form(run, name):
    return run("ssh-keygen", "-i", "-m", "PKCS8", "-f", run.public(name)).split()[1]


@test_with("ssh-keygen")
def openssh_reads_public_keys():
    run = Runner()
    listed = {line.split()[1] for line in run("ssh-keygen", "-D", MODULE).splitlines()}
    assert listed >= {ssh_form(run, name) for name in ("rsa", "p256", "p384")}


@test_with("sshd", "ssh")
def openssh_logs_in():
    with tempfile.TemporaryDirectory(prefix="headrace-ssh.") as folder:
        run = Runner()
        run("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", f"{folder}/host")
        with ssh_server(folder, f"{folder}/host") as port:
            for name in "p256", "rsa":
                with open(f"{folder}/authorized", "wb") as file:
                    file.write(run("ssh-keygen", "-i", "-m", "PKCS8", "-f", run.public(name)))
                ssh = (*ssh_client(port, "no", f"{folder}/known"), "-o", "IdentityFile=none", "127.0.0.1", "echo", "well")
                assert run(*ssh[:-3], "-I", MODULE, *ssh[-3:]) == b"well\n"
                run(*ssh, status=255)  # without the module there is no key


@test
def keys_of_the_service_are_measured():
    """`headrace speed` finds a key for a row where there is one; of CBC there is none. The service counts what it does."""
    def asked():
        status = json.loads(run.service.accel("status", "--json").stdout)
        return sum(part["requests"] for part in (status["unit"], *status["accelerators"]))

    run = Runner()
    before = asked()
    words = HEADRACE, "speed", "--pkcs11", "--slices=1", "hmac-sha256", "aes-128-cbc"
    report = json.loads(run(*words, "aes-128-gcm", "ecdsa-p256", "--json"))
    assert report["pkcs11"]["accelerator-pkcs11"]["module"] == os.path.realpath(MODULE), report["pkcs11"]
    measured = {cell["algorithm"] for cell in report["cells"] if "accelerator-pkcs11" in cell}
    assert measured == {"AES-128-GCM", "HMAC-SHA-256", "ECDSA-P256"}, measured
    timed = [cell for cell in report["cells"] if "accelerator-pkcs11" in cell]
    assert len(timed) > len(measured) and all(cell["accelerator-pkcs11"]["ns"] > 0 for cell in timed)
    assert asked() >= before + len(timed)
    said = run(*words).decode("ascii")
    assert re.search(r"^HMAC-SHA-256 +16 +[\d.]+ +[\d.]+ +[\d.]+$", said, re.M) and re.search(r"^AES-128-CBC +16 +[\d.]+ +- +-$", said, re.M), said
    assert max(map(len, said.splitlines())) <= 80
    run.env["HEADRACE_ACCEL"] = "off"
    assert "service" not in run(*words[:-1]).decode("ascii")


if __name__ == "__main__":
    with UNTIL_THE_END:
        main()
