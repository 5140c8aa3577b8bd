# SPDX-License-Identifier: Apache-2.0
"""programs_test.py SOURCE MODULE [HEADRACE]: programs that reach the module by a detour: p11-kit's server and its client
module, sshd, whose host key ssh-agent has in the token, and "openssl speed" of `headrace speed --pkcs11`."""
import contextlib
import json
import os
import re
import subprocess
import sys
import tempfile
import time

SOURCE, MODULE = sys.argv[1], os.path.realpath(sys.argv[2])
sys.path[:0] = [f"{SOURCE}/tests", f"{SOURCE}/tests/pkcs11"]

from p11_token import PIN, Token, run  # noqa: E402
from ssh import path_of, ssh_client, ssh_server  # noqa: E402
from tap import Missing, main, test  # noqa: E402


def need(*programs):
    for name in programs:
        if not path_of(name):
            raise Missing(f"{name} is not installed")


@contextlib.contextmanager
def background(*words, until, **more):
    """Runs a program until the block ends; the block begins when a file is there."""
    with subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                          **more) as process:
        try:
            while not os.path.exists(until):
                assert process.poll() is None, words
                time.sleep(0.01)
            yield process
        finally:
            process.terminate()


def client_module():
    for folder in "/usr/lib", "/usr/lib64", f"/usr/lib/{os.uname().machine}-linux-gnu":
        if os.path.exists(f"{folder}/pkcs11/p11-kit-client.so"):
            return f"{folder}/pkcs11/p11-kit-client.so"
    raise Missing("p11-kit-client.so is not installed")


@test
def p11_kit_remote():
    """Signatures and pkcs11-tool's own tests go through a socket to a process that has the module."""
    need("p11-kit", "pkcs11-tool", "openssl")
    client = client_module()
    with tempfile.TemporaryDirectory() as folder:
        token, address = Token(MODULE, folder), f"{folder}/server"
        token(*token.user, "--keypairgen", "--key-type", "rsa:2048", "--label", "rsa", "--id", "01")
        token(*token.user, "--keypairgen", "--key-type", "EC:prime256v1", "--label", "p256", "--id", "02")
        token("--read-object", "--type", "pubkey", "--id", "01", "-o", f"{folder}/public")
        with open(f"{folder}/message", "wb") as file:
            file.write(b"a message" * 99)
        with background("p11-kit", "server", "-f", "-p", MODULE, "-n", address, "pkcs11:", until=address, env=token.env):
            token.module = client
            token.env["P11_KIT_SERVER_ADDRESS"] = f"unix:path={address}"
            # Version 0.24 of p11-kit knows no ECDSA with SHA-256.
            token(*token.user, "--sign", "--id", "01", "-m", "SHA256-RSA-PKCS", "-i", f"{folder}/message", "-o", f"{folder}/signature")
            said = token(*token.user, "--test")
            # p11-kit passes no empty answer on: C_GenerateRandom of no bytes, of any module.
            assert [line for line in said.splitlines() if "ERR" in line and "C_GenerateRandom(buf1,0)" not in line] == [], said
            assert re.search(r"^(1|No) errors$", said, re.M) and "RSA-PKCS-OAEP" in said, said
            wrong = token("--login", "--pin", "00000000", "--list-objects", status=1)
            assert "CKR_PIN_INCORRECT" in wrong, wrong
        run("openssl", "dgst", "-sha256", "-verify", f"{folder}/public", "-keyform", "DER", "-signature",
            f"{folder}/signature", f"{folder}/message")
        token("--list-slots", status=1)  # the server is gone


@test
def gnutls_reads_ed25519():
    """GnuTLS writes the public key of a pair of Ed25519, by which OpenSSL verifies."""
    need("p11tool", "pkcs11-tool", "openssl")
    with tempfile.TemporaryDirectory() as folder:
        token = Token(MODULE, folder)
        token(*token.user, "--keypairgen", "--key-type", "EC:edwards25519", "--label", "ed", "--id", "01")
        with open(f"{folder}/message", "wb") as file:
            file.write(b"a message" * 99)
        token(*token.user, "--sign", "--id", "01", "-m", "EDDSA", "-i", f"{folder}/message", "-o", f"{folder}/signature")
        run("p11tool", "--provider", MODULE, "--login", "--export-pubkey", "--outfile", f"{folder}/public",
            "pkcs11:object=ed;type=public", env={**token.env, "GNUTLS_PIN": PIN})
        run("openssl", "pkeyutl", "-verify", "-pubin", "-inkey", f"{folder}/public", "-rawin", "-in", f"{folder}/message",
            "-sigfile", f"{folder}/signature")


@test
def sshd_has_its_host_key_in_the_token():
    """ssh-agent, which may load this module and no other, signs for sshd; ssh knows the host by the token's key."""
    need("sshd", "ssh", "ssh-agent", "ssh-add", "ssh-keygen", "pkcs11-tool")
    with tempfile.TemporaryDirectory(prefix="headrace-ssh.") as folder:
        token, agent = Token(MODULE, folder), f"{folder}/agent"
        token(*token.user, "--keypairgen", "--key-type", "EC:prime256v1", "--label", "host", "--id", "01")
        with open(f"{folder}/askpass", "w", encoding="ascii") as file:
            file.write(f"#!/bin/sh\necho {PIN}\n")
        os.chmod(f"{folder}/askpass", 0o700)
        asks = {**token.env, "SSH_AUTH_SOCK": agent, "SSH_ASKPASS": f"{folder}/askpass", "SSH_ASKPASS_REQUIRE": "force", "DISPLAY": "none"}
        run("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", f"{folder}/user")
        os.rename(f"{folder}/user.pub", f"{folder}/authorized")
        with background("ssh-agent", "-D", "-a", agent, "-P", MODULE, until=agent, env=token.env):
            run("ssh-add", "-s", "/nonexistent.so", status=1, env=asks)
            run("ssh-add", "-s", MODULE, env=asks)
            public = run("ssh-add", "-L", env=asks)
            assert public.startswith("ecdsa-sha2-nistp256 "), public
            with open(f"{folder}/host.pub", "w", encoding="ascii") as file:
                file.write(public)
            with ssh_server(folder, f"{folder}/host.pub", f"HostKeyAgent {agent}\n") as port:
                for key, status in (public, 0), (other_key(folder), 255):
                    with open(f"{folder}/known", "w", encoding="ascii") as file:
                        file.write(f"[127.0.0.1]:{port} {key}\n")
                    said = run(*ssh_client(port, "yes", f"{folder}/known"), "-i", f"{folder}/user", "127.0.0.1", "echo", "well",
                               status=status)
                    assert ("well" in said) == (status == 0), said


def other_key(folder):
    run("ssh-keygen", "-q", "-t", "ecdsa", "-N", "", "-f", f"{folder}/other")
    with open(f"{folder}/other.pub", encoding="ascii") as file:
        return file.read().strip()


SPEED = """#!/bin/sh
[ "$*" = "speed -mr -seconds 1 ecdsap256" ] && [ -e "$HEADRACE_TOKEN/token" ] || exit 1
echo +DTP:256:sign:ecdsa:1
[ "$OPENSSL_CONF" = /dev/null ] || {{
    grep -qx "pkcs11-module-path = {module}" "$OPENSSL_CONF" || exit 1
    pin=$(sed -n "s/^pkcs11-module-token-pin = file://p" "$OPENSSL_CONF")
    {tool} --module {module} --login --pin "$(cat "$pin")" --keypairgen --key-type EC:prime256v1 >/dev/null || exit 1
    echo +F4:3:256:{verified}:25000.0
    exit
}}
echo +F4:3:256:50000.5:20000.0
"""


@test
def openssl_speed():
    """Without pkcs11-provider another program stands for OpenSSL's: it gets a token whose PIN is right."""
    need("pkcs11-tool")
    if len(sys.argv) < 4:
        raise Missing("headrace is not built")
    for verified, wanted in ("75000.0", [("sign", 50000.5, 75000.0), ("verify", 20000.0, 25000.0)]), ("$(exit 1)x; exit 1", []):
        with tempfile.TemporaryDirectory() as folder:
            os.mkdir(f"{folder}/modules")
            os.mkdir(f"{folder}/left")
            open(f"{folder}/modules/pkcs11.so", "wb").close()
            with open(f"{folder}/openssl", "w", encoding="ascii") as file:
                file.write(SPEED.format(module=MODULE, tool=path_of("pkcs11-tool"), verified=verified))
            os.chmod(f"{folder}/openssl", 0o700)
            env = {**os.environ, "OPENSSL_MODULES": f"{folder}/modules", "PATH": f"{folder}:{os.environ['PATH']}",
                   "TMPDIR": f"{folder}/left", "HEADRACE_ACCEL": "off"}
            said = json.loads(subprocess.run([sys.argv[3], "speed", "--pkcs11", "--slices=1", "--json", "--modules",
                                              os.path.dirname(MODULE) + "/../openssl", "ecdsa-p256"], env=env, check=True,
                                             capture_output=True).stdout)
            lines = said["pkcs11"]["openssl_speed"]
            assert [(x["operation"], x.get("openssl-evp"), x.get("headrace-pkcs11")) for x in lines] == wanted, lines
            assert os.listdir(f"{folder}/left") == []


main()
