# SPDX-License-Identifier: Apache-2.0
"""Named keys of public key for tests: made by OpenSSL, written as files of the service, whose format
accel/config/keyfile.h says, and as references (bind/openssl/custody/reference.h)."""
import base64
import os
import subprocess

# name: algorithm of the row, arguments of `openssl genpkey`, lines of the key file
KEYS = {
    "rsa": ("RSA-2048", ["RSA", "-pkeyopt", "rsa_keygen_bits:2048"], "use = sign"),
    "rsa-decrypt": ("RSA-2048", ["RSA", "-pkeyopt", "rsa_keygen_bits:2048"],
                    "use = decrypt\npadding = oaep, pkcs1\ndigest = SHA-1, SHA-256"),
    "rsa-tls": ("RSA-2048", ["RSA", "-pkeyopt", "rsa_keygen_bits:2048"], "use = decrypt\npadding = tls"),
    "p256": ("ECDSA-P256", ["EC", "-pkeyopt", "ec_paramgen_curve:P-256"], "use = sign"),
    "p384": ("ECDSA-P384", ["EC", "-pkeyopt", "ec_paramgen_curve:P-384"], "use = sign"),
    "p521": ("ECDSA-P521", ["EC", "-pkeyopt", "ec_paramgen_curve:P-521"], "use = sign"),
    "ed25519": ("Ed25519", ["ED25519"], "use = sign"),
}
LATTICES = ("ML-DSA-44", "ML-DSA-65", "ML-DSA-87")  # which OpenSSL has from 3.5 on
RSA_PARTS = ("n", "e", "d", "p", "q", "dp", "dq", "qinv")
PLAIN = dict(os.environ, OPENSSL_CONF="/dev/null")  # the system's OpenSSL without the provider


def openssl(*args, data=None):
    return subprocess.run(["openssl", *args], input=data, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=PLAIN,
                          check=True).stdout


def elements(der):
    """The tags and contents of the elements of DER."""
    while der:
        size, head = der[1], 2
        if size > 127:
            head += size - 128
            size = int.from_bytes(der[2:head], "big")
        yield der[0], der[head:head + size]
        der = der[head + size:]


def parts_of(path, algorithm):
    """The numbers of a private key in PEM, by their words in a key file."""
    der = openssl("pkey", "-in", path, "-outform", "DER", *(["-traditional"] if algorithm != "Ed25519" else []))
    whole = list(elements(next(elements(der))[1]))
    if algorithm.startswith("RSA"):
        return {word: content.lstrip(b"\0") for word, (_, content) in zip(RSA_PARTS, whole[1:])}
    return {"private": whole[1][1] if algorithm != "Ed25519" else der[-32:]}


def key_file(path, algorithm, lines):
    text = f"algorithm = {algorithm}\n{lines}\nuid = 0-70000\n"  # servers give up root for users of their own
    for word, number in parts_of(path, algorithm).items():
        digits = number.hex()
        text += "".join(f"{word} = {digits[i:i + 400]}\n" for i in range(0, len(digits), 400))
    return text


def lattice_files():
    """The service's files of keys whose seeds are drawn here."""
    text = "algorithm = {}\nuse = sign\nuid = 0-70000\nprivate = {}\n"
    return {name: text.format(name, os.urandom(32).hex()) for name in LATTICES}


def element(tag, content):
    size = len(content)
    length = bytes([size]) if size < 128 else bytes([0x81, size]) if size < 256 else bytes([0x82, size >> 8, size & 255])
    return bytes([tag]) + length + content


def reference(name, spki, version=1):
    der = element(0x30, element(2, bytes([version])) + element(12, name.encode()) + spki)
    text = base64.encodebytes(der).decode().replace("\n", "")
    lines = "".join(text[i:i + 64] + "\n" for i in range(0, len(text), 64))
    return f"-----BEGIN HEADRACE KEY REFERENCE-----\n{lines}-----END HEADRACE KEY REFERENCE-----\n"


def write(path, text):
    with open(path, "w", encoding="ascii") as f:
        f.write(text)


def make(folder):
    """Makes the keys NAME.key with NAME.pub, NAME.ref and a certificate NAME.crt in a folder, and
    returns the texts of the service's files by their names."""
    files = {}
    for name, (algorithm, how, lines) in KEYS.items():
        at = os.path.join(folder, name)
        write(at + ".key", openssl("genpkey", "-algorithm", *how).decode())
        write(at + ".pub", openssl("pkey", "-in", at + ".key", "-pubout").decode())
        spki = openssl("pkey", "-in", at + ".key", "-pubout", "-outform", "DER")
        write(at + ".ref", reference(name, spki))
        openssl("req", "-x509", "-key", at + ".key", "-days", "2", "-subj", "/CN=localhost", "-addext",
                "subjectAltName=DNS:localhost", "-out", at + ".crt")
        files[name] = key_file(at + ".key", algorithm, lines)
        if name == "p256":  # one that the service has not, and one of which it has another
            write(os.path.join(folder, "nobody.ref"), reference("nobody", spki))
            write(os.path.join(folder, "changed.ref"), reference("p384", spki))
            write(os.path.join(folder, "version.ref"), reference(name, spki, 2))
            write(os.path.join(folder, "name.ref"), reference("../p256", spki))
            write(os.path.join(folder, "more.ref"), reference(name, spki + b"\0"))
            good = reference(name, spki)
            write(os.path.join(folder, "cut.ref"), good[:good.index("-----END")])
            write(os.path.join(folder, "digit.ref"), good.replace("\nM", "\n*", 1))
    return files
