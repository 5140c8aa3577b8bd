# SPDX-License-Identifier: Apache-2.0
"""collect.py VECTORS_PROGRAM ROOT: a collection of published vectors as neutral lines on stdout.

Each reader says which files it takes. A file that none knows is skipped, and named; one that a reader knows must have
cases, and what is wrong in the middle of one is a failure. A folder without an algorithm of the registry in its name is
named as a whole. Files directly in ROOT are read."""
import os
import re
import sys

import aead_text
import cavp
import checksums
import cryptopp
import curve25519
import ecc
import evp_text
import json_cases
import kasumi
import keywrap
import lattices
import listed
import ntt
import poly1305
import slhdsa
from neutral import NotOurs, Registry

# The first that takes a file and finds a case in it reads it; `listed` takes all.
READERS = (keywrap, ecc, kasumi, curve25519, lattices, slhdsa, json_cases, evp_text, checksums, cryptopp, poly1305, aead_text, ntt, cavp, listed)
OURS = re.compile(r"(?<![a-z])(?:ecc|key-?wrap|kwp?|3?des|tdes|aes|camellia|kasumi|chacha20|a5|gea3?|uea1|uia1|gcm|ccm|xts|cmac|gmac|hmac|md5|sha-?1|sha-?2|sha-?3|shake|hkdf"
                  r"|kdf|pbkdf2|poly1305|ed25519|x25519|ml-?(?:kem|dsa)|slh-?dsa|crc\d*c?|(ip|internet)?-?(check)?sums?)(?![a-z])"
                  r"|sha-?(224|256|384|512)|crc32")
NO_DATA = (".md",)


def read_file(path, registry):
    """Returns the lines of a file, by the first reader that finds a case in it or says why each is skipped."""
    with open(path, encoding="utf-8", errors="replace") as file:
        text = file.read().replace("\r\n", "\n")
    reasons, skips = [], []
    for reader in READERS:
        if not reader.takes(path, text):
            continue
        rows = []
        try:
            for row in reader.read(path, text, registry):
                rows.append(row)
        except Exception as error:  # whatever a file of another form makes a reader do
            if any(not row.startswith("skip ") for row in rows):
                return rows + [f"unread {reader.__name__}.py, after {len(rows)} cases: {type(error).__name__}: {error}"]
            reasons.append(str(error) if isinstance(error, NotOurs) else f"{reader.__name__}.py: {type(error).__name__}: {error}")
            continue
        if any(not row.startswith("skip ") for row in rows):
            return rows
        skips = skips or rows
        if not rows and not skips and reader is not listed:
            return []  # the reader knows the form, and there is no case: a failure
    return skips or ["skip unknown form" + "".join(f"; {reason}" for reason in reasons[:2]).replace("\n", " ")]


def print_file(root, path, registry):
    print("file", os.path.relpath(path, root).replace(" ", "_"))
    try:
        for row in read_file(path, registry):
            print(row)
    except OSError as error:
        print(f"unread {type(error).__name__}: {error}")


def main(program, root):
    registry = Registry(program)
    for folder, folders, names in sorted(os.walk(root)):
        folders.sort()
        data = sorted(name for name in names if not name.endswith(NO_DATA))
        name = os.path.basename(os.path.abspath(folder))
        if data and folder != root and not OURS.search(name):
            print(f"folder {name} {len(data)} files: no such algorithm in the registry")
            continue
        for name in data:
            print_file(root, os.path.join(folder, name), registry)


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit("usage: collect.py VECTORS_PROGRAM ROOT")
    main(sys.argv[1], sys.argv[2])
