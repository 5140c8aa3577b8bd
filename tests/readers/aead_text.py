# SPDX-License-Identifier: Apache-2.0
"""Stanzas of one AEAD case: AWS-LC's aead tests (KEY, NONCE, IN, AD, CT, TAG, with colons), Nettle's
or OpenSSL's GCM cases (Key, Nonce, Plaintext, AdditionalData, Ciphertext, Tag, with equals signs)."""
import os
import re

from evp_text import to_hex
from neutral import aead, stanzas

NAMES = {"key": ("key",), "iv": ("nonce",), "in_": ("in", "plaintext"), "aad": ("ad", "additionaldata"),
         "out": ("ct", "ciphertext"), "tag": ("tag",)}


def separator(text):
    return ":" if re.search(r"^NONCE:", text, re.M) else "="


def takes(path, text):
    return bool(re.search(r"^(NONCE:|Nonce *=)", text, re.M)) and "CAVS" not in text


def read(path, text, registry):
    mode = re.search(r"(gcm|ccm)", os.path.basename(path)).group(1)
    for _, pairs in stanzas(text, separator(text)):
        fields = dict(pairs)
        values = {name: to_hex(next(fields[other] for other in others if other in fields))
                  for name, others in NAMES.items()}
        unread = set(fields) - {other for others in NAMES.values() for other in others}
        if unread:
            raise ValueError(f"what is {unread}?")
        yield from aead(registry, mode, values.pop("key"), **values)
