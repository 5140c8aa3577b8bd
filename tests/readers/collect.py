# SPDX-License-Identifier: Apache-2.0
"""collect.py VECTORS_PROGRAM ROOT: a collection of published vectors as neutral lines on stdout.

Each file of a folder that holds algorithms of the registry must be taken by a reader; other
folders are named.  Files directly in ROOT count as such a folder."""
import os
import sys

import aead_text
import botan
import cavp
import checksums
import cryptopp
import des
import evp_text
import json_cases
import kasumi
import ntt
import poly1305
from neutral import NotOurs, Registry

READERS = (kasumi, des, json_cases, evp_text, checksums, cryptopp, poly1305, aead_text, botan, ntt, cavp)
OURS = {"md5", "sha1", "sha2", "hmac", "crc32c", "ip-checksum", "kdf", "pbkdf2", "hkdf", "aes-ecb", "aes-cbc",
        "aes-cfb128", "aes-ctr", "aes-gcm", "aes-ccm", "aes-xts", "poly1305-aes", "kasumi",
        "des", "3des", "camellia"}
NO_DATA = (".md",)


def read_file(path, registry):
    with open(path, encoding="utf-8", errors="replace") as file:
        text = file.read().replace("\r\n", "\n")
    for reader in READERS:
        if reader.takes(path, text):
            yield from reader.read(path, text, registry)
            return
    yield "unread no reader knows its format"


def print_file(root, path, registry):
    print("file", os.path.relpath(path, root).replace(" ", "_"))
    try:
        for row in read_file(path, registry):
            print(row)
    except NotOurs as reason:
        print("skip", reason)
    except (KeyError, ValueError, IndexError, TypeError, OSError) as error:
        print(f"unread {type(error).__name__}: {error}")


def main(program, root):
    registry = Registry(program)
    for folder, folders, names in sorted(os.walk(root)):
        folders.sort()
        data = sorted(name for name in names if not name.endswith(NO_DATA))
        name = os.path.basename(os.path.abspath(folder))
        if data and folder != root and name not in OURS:
            print(f"folder {name} {len(data)} files: no such algorithm in the registry")
            continue
        for name in data:
            print_file(root, os.path.join(folder, name), registry)


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit("usage: collect.py VECTORS_PROGRAM ROOT")
    main(sys.argv[1], sys.argv[2])
