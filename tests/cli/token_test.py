# SPDX-License-Identifier: Apache-2.0
"""headrace token, with Headrace's module and with SoftHSM."""
import atexit
import base64
import contextlib
import functools
import hashlib
import json
import os
import re
import shutil
import subprocess
import tempfile

from cli import HEADRACE, SOURCE, Missing, directory, environment, main, one_line, run, test
from terminal import on_terminal

SOFTHSM = "/usr/lib/softhsm/libsofthsm2.so"
SO, USER, NEW = "the officer's", "1234", "another PIN"


class Token:
    """A token of Headrace's module, or of another one, in a folder of its own."""

    def __init__(self, folder, module=None):
        self.folder, self.module = folder, module
        self.env = {"HEADRACE_TOKEN": f"{folder}/token", "SOFTHSM2_CONF": f"{folder}/softhsm.conf"}
        os.mkdir(f"{folder}/softhsm")
        self.write("softhsm.conf", f"directories.tokendir = {folder}/softhsm\n")
        for name, pin in ("so", SO), ("user", USER), ("new", NEW):
            self.write(name, pin + "\n")

    def write(self, name, content):
        with open(f"{self.folder}/{name}", "wb", opener=lambda path, flags: os.open(path, flags, 0o600)) as out:
            out.write(content if isinstance(content, bytes) else content.encode())

    def __call__(self, *words, **more):
        module = ["--module", self.module] if self.module else []
        return subprocess.run([HEADRACE, "token", *words, *module], capture_output=True, text=True, cwd=self.folder,
                              timeout=100, env=environment(**self.env), **more)

    def done(self, *words, **more):
        result = self(*words, **more)
        assert result.returncode == 0 and not result.stderr, result.stderr
        return result.stdout

    def init(self, *words):
        return self.done("init", "--label", "a token", "--so-pin-file", "so", "--pin-file", "user", *words)

    def copy(self):
        """Makes a token as init does, in less time."""
        shutil.copytree(made(), self.env["HEADRACE_TOKEN"])

    def objects(self, *words):
        tokens = json.loads(self.done("list", "--json", "--token", "a token", *words))
        assert len(tokens) == 1 and tokens[0]["initialized"]
        return {(o["type"], o["algorithm"], o["label"]): o for o in tokens[0]["objects"]}


@functools.cache
def made():
    folder = tempfile.mkdtemp()
    atexit.register(shutil.rmtree, folder)
    t = Token(folder)
    t.init()
    return t.env["HEADRACE_TOKEN"]


@contextlib.contextmanager
def token(module=None):
    with directory() as folder:
        yield Token(folder, module)


def openssl(folder, *words):
    return subprocess.run(["openssl", *words], cwd=folder, check=True, capture_output=True).stdout


def make_certificate(folder):
    openssl(folder, "ecparam", "-name", "prime256v1", "-genkey", "-noout", "-out", "ec.pem")
    openssl(folder, "req", "-x509", "-key", "ec.pem", "-subj", "/CN=test", "-out", "cert.pem", "-days", "10")


# ---- Headrace's module ----

@test
def a_token_is_made_and_filled_and_emptied():
    with token() as t:
        assert "not initialised" in t.done("list")
        assert "no token is initialised" in one_line(t("import", "-l", "x", "-a", "aes", "so", "-p", "user"), 1)
        assert t.init() == 'The token "a token" is ready.\n'
        assert "--replace" in one_line(t("init", "--label", "b", "--so-pin-file", "so", "-p", "user"), 1)
        make_certificate(t.folder)
        t.write("key", os.urandom(32))
        assert t.done("import", "-l", "a key", "-a", "AES", "-p", "user", "key") == 'imported: secret "a key"\n'
        t.done("import", "-l", "mac", "-a", "hmac", "-u", "sign", "-i", "0aff", "-p", "user", "--extractable", "key")
        t.done("import", "-l", "cert", "-p", "user", "cert.pem")
        assert list(t.objects()) == [("certificate", "X.509", "cert")]
        found = t.objects("-p", "user")
        assert len(found) == 3
        key, mac = found["secret", "AES-256", "a key"], found["secret", "HMAC-256", "mac"]
        assert key["uses"] == ["encrypt", "decrypt"] or key["uses"] == ["decrypt", "encrypt"], key
        assert key["private"] and key["sensitive"] and not key["extractable"] and len(key["id"]) == 16
        assert mac["uses"] == ["sign"] and mac["id"] == "0aff" and mac["extractable"]
        assert list(t.objects("-p", "user", "--type", "certificate")) == [("certificate", "X.509", "cert")]
        assert "no such object" in one_line(t("delete", "-l", "mac", "-i", "0aee", "-p", "user"), 1)
        assert t.done("delete", "-i", "0aff", "-p", "user") == 'deleted: secret HMAC-256 "mac"\n'
        t.done("import", "-l", "a key", "-a", "aes", "-p", "user", "key")
        assert "2 objects" in one_line(t("delete", "-l", "a key", "-p", "user"), 1)
        t.done("delete", "-l", "a key", "--all", "-p", "user")
        assert list(t.objects("-p", "user")) == [("certificate", "X.509", "cert")]
        t.init("--replace")
        assert not t.objects("-p", "user")


@test
def pins_are_changed_and_given_anew():
    with token() as t:
        t.copy()
        assert "wrong PIN" in one_line(t("pin", "-p", "new", "--new-pin-file", "user"), 1)
        t.done("pin", "-p", "user", "--new-pin-file", "new")
        assert "wrong PIN" in one_line(t("list", "-p", "user"), 1)
        t.objects("-p", "new")
        t.done("pin", "--reset", "--so-pin-file", "so", "--new-pin-file", "user")
        t.objects("-p", "user")
        t.done("pin", "--so", "--so-pin-file", "so", "--new-pin-file", "new")
        assert "wrong PIN" in one_line(t("pin", "--reset", "--so-pin-file", "so", "--new-pin-file", "user"), 1)
        t.write("short", "123\n")
        assert "must have 4 to 255 bytes" in one_line(t("pin", "-p", "user", "--new-pin-file", "short"), 1)
        t.done("list", "-p", "-", input=USER + "\n")


@test
def the_last_tries_are_told():
    with token() as t:
        t.copy()
        with open(f"{t.folder}/token/tries", "r+b") as tries:
            tries.write(bytes([0, 8]))
        assert "the next wrong one locks it" in one_line(t("list", "-p", "new"), 1)
        assert "the next wrong PIN of the user locks it" in t.done("list")
        assert "it is locked now" in one_line(t("list", "-p", "new"), 1)
        assert "locked" in one_line(t("list", "-p", "user"), 1)
        assert "the user's PIN is locked" in t.done("list")
        t.done("pin", "--reset", "--so-pin-file", "so", "--new-pin-file", "user")
        t.objects("-p", "user")


@test
def pins_are_asked_for_on_a_terminal():
    with token() as t:
        def typed(words, *pins):
            return on_terminal(["token", *words], [f"{pin}\n".encode() for pin in pins], t.folder, **t.env)
        shown, code = typed(["init", "-l", "a token"], SO, SO, USER, USER)
        assert code == 0 and "is ready" in shown, shown
        assert re.findall(r"^(.+): \r?$", shown, re.M) == ["PIN of the security officer", "Once more", "PIN of the user",
                                                          "Once more"], shown
        assert SO not in shown and USER not in shown
        shown, code = typed(["list", "--login"], USER)
        assert code == 0 and '"a token"' in shown, shown
        shown, code = typed(["pin"], USER, NEW, USER)
        assert code == 1 and "the two differ" in shown, shown
        t.objects("-p", "user")


@test
def what_is_wrong_is_said():
    with token() as t:
        t.copy()
        t.write("empty", "")
        t.write("text", "no key\n")
        for code, text, words in [
                (2, "--label", ["init"]), (2, "1 to 32 bytes", ["init", "-l", 33 * "x"]),
                (2, "--label", ["import", "text"]), (2, "one file", ["import", "-l", "x"]),
                (2, "--label or --id", ["delete"]), (2, "digits", ["delete", "-i", "0g"]),
                (2, "--type", ["list", "--type", "keys"]), (2, "not both", ["pin", "--so", "--reset"]),
                (2, "not sing", ["import", "-l", "x", "-u", "sign,sing", "text"]),
                (2, "--algorithm", ["import", "-l", "x", "-a", "rot13", "text"]),
                (1, "no key or certificate", ["import", "-l", "x", "text"]),
                (1, "empty", ["import", "-l", "x", "-a", "aes", "empty"]),
                (1, "No such file", ["import", "-l", "x", "none.pem"]),
                (1, "no such token", ["list", "-t", "none", "--login"]),
                (1, "no such token", ["list", "-s", "99"]), (1, "no such token", ["list", "-s", "x"]),
                (1, "does not take", ["import", "-l", "x", "-a", "aes", "-p", "user", "text"]),
                (1, "no terminal", ["list", "--login"])]:
            result = t(*words, stdin=subprocess.DEVNULL, start_new_session=True)
            assert text in one_line(result, code), (words, result.stderr)
        assert not t.objects("-p", "user")
        t.module = f"{t.folder}/text"
        assert "text" in one_line(t("list"), 1)
        t.module = "libjansson.so.4"
        assert "not a module" in one_line(t("list"), 1)


@test
def labels_cannot_reach_the_terminal():
    with token() as t:
        t.copy()
        t.write("key", bytes(32))
        label = "\x1b[31mred\nline\u202e"
        assert "\x1b" not in t.done("import", "-l", label, "-a", "aes", "-p", "user", "key")
        shown = t.done("list", "-p", "user")
        assert "\x1b" not in shown and "\u202e" not in shown and "\nline" not in shown, shown
        assert list(t.objects("-p", "user")) == [("secret", "AES-256", label)]


# ---- keys of parameter sets, which OpenSSL 3.0 does not know ----

NIST = bytes([6, 9, 0x60, 0x86, 0x48, 1, 0x65, 3, 4])
# The prefix of a row, of its name, and the last numbers of the OIDs.
SETS = {"mldsa": ("ML-DSA", {f"mldsa{n}": (3, 17 + i) for i, n in enumerate((44, 65, 87))}),
        "mlkem": ("ML-KEM", {f"mlkem{n}": (4, 1 + i) for i, n in enumerate((512, 768, 1024))}),
        "slhdsa": ("SLH-DSA", {f"slhdsa_{name}_{size}": (3, 20 + i) for i, (name, size) in enumerate(
            (name, f"{n}{speed}") for name in ("sha2", "shake") for n in (128, 192, 256) for speed in "sf")})}


def der(tag, *parts):
    content = b"".join(parts)
    size = bytes([len(content)]) if len(content) < 128 else \
        bytes([0x80 | (len(content).bit_length() + 7) // 8]) + len(content).to_bytes((len(content).bit_length() + 7) // 8, "big")
    return bytes([tag]) + size + content


def pem(kind, content):
    return f"-----BEGIN {kind}-----\n".encode() + base64.encodebytes(content) + f"-----END {kind}-----\n".encode()


class Vector:
    """A pair of a published vector."""

    def __init__(self, family, line):
        self.row, _, *fields = line.split()
        fields = dict(field.split("=") for field in fields)
        self.seed, self.public, self.private = (bytes.fromhex(fields[name]) for name in ("key", "out", "tag"))
        kind, oids = SETS[family]
        rest = self.row[len(family):]
        self.name = kind + rest.upper()[:-1].replace("_", "-") + rest[-1] if family == "slhdsa" else f"{kind}-{rest}"
        self.algorithm = der(0x30, NIST, bytes(oids[self.row]))
        self.spki = der(0x30, self.algorithm, der(3, b"\0", self.public))
        self.id = hashlib.sha256(self.spki).hexdigest()[:40]

    def pkcs8(self, content):
        return der(0x30, der(2, b"\0"), self.algorithm, der(4, content))

    def forms(self):
        """The private key as RFC 9881, RFC 9935 and RFC 9909 have it."""
        if self.name.startswith("SLH"):
            return {"key": self.private}
        seed, key = der(0x80, self.seed), der(4, self.private)
        return {"seed": seed, "key": key, "both": der(0x30, der(4, self.seed), key)}


@functools.cache
def vectors(family):
    with open(f"{SOURCE}/tests/vectors/{family}.txt", encoding="ascii") as lines:
        return [Vector(family, line) for line in lines if line.split()[1:2] == ["public"]]


@test
def keys_of_parameter_sets_are_taken_in_each_form():
    with token() as t:
        t.copy()
        wanted = {}
        for family in SETS:
            v = vectors(family)[0]
            private, public = (["decapsulate"], ["encapsulate"]) if family == "mlkem" else (["sign"], ["verify"])
            for form, content in v.forms().items():
                t.write("file", v.pkcs8(content) if form == "seed" else pem("PRIVATE KEY", v.pkcs8(content)))
                t.done("import", "-l", form, "-p", "user", "file")
                wanted["private", v.name, form], wanted["public", v.name, form] = (v.id, private), (v.id, public)
            t.write("file", v.spki if family == "mlkem" else pem("PUBLIC KEY", v.spki))
            t.done("import", "-l", "alone", "-p", "user", "file")
            wanted["public", v.name, "alone"] = v.id, public
        found = t.objects("-p", "user")
        assert {key: (o["id"], o["uses"]) for key, o in found.items()} == wanted, found


@test
def wrong_keys_of_parameter_sets_are_refused():
    with token() as t:
        t.copy()
        for family in SETS:
            for v in vectors(family):  # each set by its name
                t.write("file", v.pkcs8(v.forms()["key"][:-1]))
                assert f"not a private key of {v.name}" in one_line(t("import", "-l", "x", "-p", "user", "file"), 1)
            forms = v.forms()
            wrong = [forms["key"] + b"\0", b"", der(0x80, v.seed[:-1]), der(4, v.seed)]
            if "both" in forms:
                other = bytes([v.seed[0] ^ 1]) + v.seed[1:]
                wrong += [der(0x30, der(4, other), der(4, v.private)), forms["both"][:-1], forms["both"] + b"\0", v.private,
                          der(0x30, der(4, v.seed)), der(0x30, der(4, v.private), der(4, v.seed)),
                          vectors(family)[0].forms()["key"]]
            else:
                wrong += [v.private[:i] + bytes([v.private[i] ^ 1]) + v.private[i + 1:] for i in (0, len(v.public), -1)]
            for content in wrong:
                t.write("file", v.pkcs8(content))
                assert f"not a private key of {v.name}" in one_line(t("import", "-l", "x", "-p", "user", "file"), 1)
            t.write("file", der(0x30, v.algorithm, der(3, b"\0", v.public[:-1])))
            assert f"not a key of {v.name}" in one_line(t("import", "-l", "x", "-p", "user", "file"), 1)
        assert len([v for family in SETS for v in vectors(family)]) == 18
        assert not t.objects("-p", "user")


def encrypted(folder, content, passphrase):
    """PBES2 with PBKDF2 and AES-256-CBC (RFC 8018)."""
    salt, iv = b"a salt..", bytes(range(16))
    key = hashlib.pbkdf2_hmac("sha256", passphrase.encode(), salt, 2048, 32)
    with open(f"{folder}/plain", "wb") as file:
        file.write(content)
    text = openssl(folder, "enc", "-aes-256-cbc", "-K", key.hex(), "-iv", iv.hex(), "-in", "plain")
    os.remove(f"{folder}/plain")
    kdf = der(0x30, bytes.fromhex("06092a864886f70d01050c"),
              der(0x30, der(4, salt), der(2, b"\x08\0"), der(0x30, bytes.fromhex("06082a864886f70d0209"), der(5))))
    cipher = der(0x30, bytes.fromhex("060960864801650304012a"), der(4, iv))
    return der(0x30, der(0x30, bytes.fromhex("06092a864886f70d01050d"), der(0x30, kdf, cipher)), der(4, text))


@test
def passphrases_of_keys_are_asked_for():
    with token() as t:
        t.copy()
        v = vectors("mlkem")[0]
        openssl(t.folder, "ecparam", "-name", "prime256v1", "-genkey", "-noout", "-out", "ec.pem")
        openssl(t.folder, "pkcs8", "-topk8", "-in", "ec.pem", "-passout", "pass:the phrase", "-out", "ec-encrypted.pem")
        whole = encrypted(t.folder, v.pkcs8(v.forms()["both"]), "the phrase")
        t.write("kem-encrypted.pem", pem("ENCRYPTED PRIVATE KEY", whole))
        t.write("kem-encrypted.der", whole)
        for name in "ec-encrypted.pem", "kem-encrypted.pem", "kem-encrypted.der":
            for phrase, wanted in ("another", 1), ("the phrase", 0):
                shown, code = on_terminal(["token", "import", "-l", name, "-p", "user", name], [f"{phrase}\n".encode()], t.folder,
                                          **t.env)
                assert code == wanted and shown.count("pass phrase") == 1 and "the phrase" not in shown, shown
        assert set(t.objects("-p", "user")) == {
            (kind, algorithm, name) for kind in ("private", "public") for algorithm, name in (
                ("P-256", "ec-encrypted.pem"), ("ML-KEM-512", "kem-encrypted.pem"), ("ML-KEM-512", "kem-encrypted.der"))}


@test
def certificates_of_unknown_keys_are_taken():
    with token() as t:
        t.copy()
        openssl(t.folder, "genpkey", "-algorithm", "ED25519", "-out", "ed.pem")
        openssl(t.folder, "req", "-x509", "-key", "ed.pem", "-subj", "/CN=test", "-outform", "DER", "-out", "cert.der")
        with open(f"{t.folder}/cert.der", "rb") as file:
            certificate = file.read()
        known = bytes.fromhex("302a300506032b6570032100")  # a SubjectPublicKeyInfo up to the key
        assert certificate.count(known) == 1
        unknown = known.replace(b"\x65\x70", b"\x65\x7f")
        at = certificate.index(known)
        t.write("unknown.der", certificate.replace(known, unknown))
        t.done("import", "-l", "x", "-p", "user", "unknown.der")
        info = unknown + certificate[at + len(known):][:32]
        assert t.objects()["certificate", "X.509", "x"]["id"] == hashlib.sha256(info).hexdigest()[:40]


# ---- another module ----

def signed(t, module, identity, mechanism):
    """Signs 32 bytes; returns the file of the signature."""
    t.write("data", 32 * "x")
    result = run("pkcs11-tool", "--module", module, "--token-label", "a token", "--login", "--pin", USER, "--sign",
                 "--id", identity, "-m", mechanism, "-f", "openssl", "-i", f"{t.folder}/data", "-o", f"{t.folder}/signature",
                 **t.env)
    assert result.returncode == 0, result.stderr
    return "signature"


@test
def softhsm_takes_keys_and_certificates():
    if not os.path.exists(SOFTHSM):
        raise Missing("softhsm2 is not installed")
    with token(SOFTHSM) as t:
        t.init()
        assert "not initialised" in t.done("list")  # the next slot
        make_certificate(t.folder)
        openssl(t.folder, "genpkey", "-algorithm", "RSA", "-out", "rsa.pem", "-pkeyopt", "rsa_keygen_bits:2048")
        openssl(t.folder, "genpkey", "-algorithm", "ED25519", "-outform", "DER", "-out", "ed.der")
        with open(f"{t.folder}/both.pem", "wb") as both:
            for name in "ec.pem", "cert.pem":
                with open(f"{t.folder}/{name}", "rb") as part:
                    both.write(part.read())
        openssl(t.folder, "pkey", "-in", "rsa.pem", "-pubout", "-outform", "DER", "-out", "public.der")
        openssl(t.folder, "x509", "-in", "cert.pem", "-outform", "DER", "-out", "cert.der")
        for name in "rsa.pem", "ed.der", "both.pem", "public.der", "cert.der":
            t.done("import", "--token", "a token", "-l", name, "-p", "user", name)
        found = t.objects("-p", "user")
        assert set(found) == {
            ("private", "RSA-2048", "rsa.pem"), ("public", "RSA-2048", "rsa.pem"), ("public", "RSA-2048", "public.der"),
            ("private", "Ed25519", "ed.der"), ("public", "Ed25519", "ed.der"), ("private", "P-256", "both.pem"),
            ("public", "P-256", "both.pem"), ("certificate", "X.509", "both.pem"), ("certificate", "X.509", "cert.der")}
        assert {o["id"] for (_, _, label), o in found.items() if label in ("both.pem", "cert.der")} == \
            {found["certificate", "X.509", "cert.der"]["id"]}
        assert all(o["uses"] == ["sign"] for (kind, _, _), o in found.items() if kind == "private"), found
        assert "3 objects" in one_line(t("delete", "-t", "a token", "-l", "both.pem", "-p", "user"), 1)


def check_signatures(module, option):
    if not os.path.exists(module) or not os.path.exists("/usr/bin/pkcs11-tool"):
        raise Missing("softhsm2 or opensc is not installed")
    with token(option) as t:
        t.init()
        openssl(t.folder, "genpkey", "-algorithm", "RSA", "-out", "rsa.pem", "-pkeyopt", "rsa_keygen_bits:2048")
        openssl(t.folder, "ecparam", "-name", "secp384r1", "-genkey", "-noout", "-out", "ec.pem")
        for identity, name, mechanism, verify in [
                ("01", "rsa.pem", "RSA-PKCS", ["-pkeyopt", "rsa_padding_mode:pkcs1"]), ("02", "ec.pem", "ECDSA", [])]:
            t.done("import", "-l", name, "-i", identity, "-t", "a token", "-p", "user", name)
            openssl(t.folder, "pkeyutl", "-verify", "-inkey", name, "-in", "data", *verify, "-sigfile",
                    signed(t, module, identity, mechanism))


@test
def keys_in_softhsm_are_those_of_the_files():
    check_signatures(SOFTHSM, SOFTHSM)


@test
def keys_in_the_token_are_those_of_the_files():
    check_signatures(os.path.join(os.path.dirname(HEADRACE), "../bind/pkcs11/headrace-pkcs11.so"), None)


main()
