# SPDX-License-Identifier: Apache-2.0
"""The neutral line format that tests/vectors/vectors_lines.c knows, and the registry's names.

One case a line, words separated by blanks, bytes in hex; `*N` repeats a piece and `+` joins them:

    <symbol> digest msg=<bytes> out=<bytes>
    <symbol> monte msg=<seed> out=<bytes>             SHAVS section 6.4 or SHA3VS section 6.2.3, one COUNT
    <symbol> xof msg= [key=] [name=] [custom=] out=   SHAKE, cSHAKE, KMACXOF
    <symbol> kmac key= msg= [custom=] out= [result=fail]
    <symbol> monte msg=<output before> out= aad=<least and greatest length> size=<length>
                                                      SHA3VS section 6.3.3, one COUNT
    <symbol> mac key= msg= out= [result=fail]         out may be truncated; fail: it is a wrong MAC
    pbkdf2 derive mac=<symbol> key=<password> salt= iterations= out= [size= result=fail]
    hkdf extract mac=<symbol> key= salt= out=
    hkdf expand mac=<symbol> key= info= out=
    hkdf derive mac=<symbol> key= salt= info= out= [size= result=fail]
    <symbol> encrypt|decrypt|both key= iv= in= out= [pad=1] [next_iv=] [result=fail|any]
    <symbol> monte_encrypt|monte_decrypt key= iv= in= out= [chain=1]
                                                      AESAVS section 6.4, one COUNT; chain: its
                                                      key, iv and in follow from the line before
    <symbol> aead key= iv= aad= in= out= tag= [result=fail]
                                                      both ways; fail: it must not open
    <symbol> nmac key= iv= msg= out= [result=fail]    out may be truncated; fail: it is a wrong MAC
    <symbol> wrap key= [iv=] msg= out= [result=fail|any]
                                                      both ways; fail: it must not be unwrapped
    kasumi_f8|kasumi_f9 bits key= iv= in= out= size=  so many bits (msg= of f9); iv as its row's
    kasumi_f8 a53|gea3 key= iv= out=                  COUNT; INPUT and DIRECTION
    <symbol> public key=<seed or private key> out= [tag=<private key>]
    <symbol> sign key=<seed or private key> msg= tag= [info=<context> flags= iv=<random> result=fail]
    <symbol> sign key= msg= out= [...]                the same; out: SHA-256 of the signature
    <symbol> verify key=<public key> msg= tag= [info= flags= result=fail]
    <symbol> encapsulate key=<public key> in=<m> out=<secret> tag=<ciphertext> [result=fail]
    <symbol> decapsulate key=<seed or private key> in=<ciphertext> out=<secret> [result=fail]
    <symbol> repeat key= in= out= iterations=         a block encrypted so often
    <symbol> agree key= in= out= [result=fail]        a secret of ECDH
    <symbol> public key= out=                         the public key of a private one
    <symbol> sign_der key= msg= tag= flags= mac=      ECDSA of a digest, with a signature in DER
    <symbol> verify|verify_der key= msg= tag= [result=fail]
                                                      the same with a public key; r || s, or DER
    file <name>                                       the cases below are from this file
    skip <reason>                                     one case of the file is not run, or the whole file, and why
    unread <reason>                                   a reader fails in the middle of this file: a failure
    folder <name> <reason>                            a folder that is not for this library
"""
import os
import re
import subprocess


class NotOurs(Exception):
    """A case of an algorithm that the registry lacks; the text says which."""


def plain(name):
    """Returns a name without what projects put between its parts."""
    return re.sub(r"[^a-z0-9]", "", name.lower())


class Registry:
    """Rows by symbol, and symbols by every name that the library itself accepts."""

    def __init__(self, program):
        self.by_name, self.out_len = {}, {}
        emulator = os.environ.get("MESON_EXE_WRAPPER", "").split()
        text = subprocess.run(emulator + [program, "--rows"], check=True, capture_output=True, text=True)
        for line in text.stdout.splitlines():
            symbol, out_len, names = line.split(" ", 2)
            self.out_len[symbol] = int(out_len)
            for name in [symbol] + names.split(":"):
                self.by_name[name.lower()] = symbol
                self.by_name.setdefault(plain(name), symbol)

    def symbol(self, *names):
        """Returns the symbol of the first of these names that is a row."""
        for name in names:
            for written in (name.lower(), plain(name)):
                if written in self.by_name:
                    return self.by_name[written]
        raise NotOurs(f"{names[0]} is not in the registry")

    def hmac(self, digest):
        return self.symbol("hmac_" + self.symbol(digest, re.sub(r"^SHA-?", "SHA-", digest)))

    def cipher(self, family, mode, key_bytes):
        return self.symbol(f"{family}-{key_bytes * 8}-{mode}".upper(),
                           f"{family}_{key_bytes * 8}_{mode}128".lower())


def piece(data, repeat=1):
    return data if repeat == 1 else f"{data}*{repeat}"


def line(symbol, op, **fields):
    words = [f"{key.rstrip('_')}={value}" for key, value in fields.items() if value is not None]
    return " ".join([symbol, op] + words)


def aead(registry, mode, key, fail=False, family="AES", **fields):
    """A case of GCM, CCM or ChaCha20-Poly1305: iv, aad, in_, out and tag; one that must fail has no `in_`.
    GCM of no text is GMAC too."""
    if fail:
        fields = {name: fields[name] for name in ("iv", "aad", "out", "tag")} | {"result": "fail"}
    one = mode.upper() == "POLY1305"
    yield line(registry.symbol("ChaCha20-Poly1305") if one else registry.cipher(family, mode, len(key) // 2), "aead", key=key, **fields)
    if family == "AES" and mode.upper() == "GCM" and not fields["out"]:
        yield line(registry.cipher("AES", "GMAC", len(key) // 2), "nmac", key=key, iv=fields["iv"], msg=fields["aad"],
                   out=fields["tag"], result=fields.get("result"))


def des(registry, mode, op, key, **fields):
    """A case of DES or triple DES, of each row that it is one of: three equal keys are single DES, and
    EDE2 is EDE3 whose third key is the first."""
    part = [key[at:at + 16] for at in range(0, len(key), 16)]
    keys = {"des": part[0]} if len(part) == 1 or part == part[:1] * 3 else {}
    if len(part) == 2 or (len(part) == 3 and part[0] == part[2]):
        keys["des_ede2"] = part[0] + part[1]
    if len(part) > 1:
        keys["des_ede3"] = part[0] + part[1] + part[2 % len(part)]
    for stem, row_key in keys.items():
        yield line(registry.symbol(f"{stem}_{mode}"), op, key=row_key, **fields)


def stanzas(text, separator):
    """Blocks of `name separator value` lines between blank lines, as lists of pairs, with the
    [section] that each stands in."""
    section, pairs = "", []
    for raw in text.splitlines() + [""]:
        row = raw.strip()
        if row.startswith("#"):
            continue
        header = re.fullmatch(r"\[(.*)\]", row)
        if header:
            section = header.group(1).strip()
        elif separator in row:
            name, value = row.split(separator, 1)
            pairs.append((name.strip().lower(), value.strip()))
        elif row:
            pairs.append((row.lower(), ""))
        elif pairs:
            yield section, pairs
            pairs = []
