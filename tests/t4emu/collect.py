# SPDX-License-Identifier: Apache-2.0
"""collect.py ROOT: the DES, 3DES and Camellia cases of a collection of published vectors, as lines

    file <name> <cases by the collection's own index, README.md, or 0>
    <des|des3|camellia> <ecb|cbc|cfb|ofb|ctr> <key> <iv or -> <plaintext> <ciphertext>
    skip <reason>                                              one case is not run, and why

for t4emu_semantics --cases.  Every file of the three folders must be taken by a reader."""
import json
import os
import re
import sys

FOLDERS = ("des", "3des", "camellia")
MODES = ("ecb", "cbc", "cfb", "ofb", "ctr")


def case(name, mode, key, iv, plain, cipher):
    mode = re.sub(r"^cfb(64|128)$", "cfb", mode.lower())
    if mode not in MODES:
        return f"skip {name} in mode {mode}"
    if name == "des3":
        key = {16: key * 3, 32: key + key[:16]}.get(len(key), key)
    return f"{name} {mode} {key} {iv or '-'} {plain} {cipher}"


def stanzas(text, separator):
    """(section, fields) of every paragraph; names are in small letters."""
    section, fields = "", {}
    for row in text.split("\n") + [""]:
        row = row.strip()
        if row.startswith("#"):
            continue
        if re.fullmatch(r"\[.*\]", row):
            section = row[1:-1]
        elif separator in row:
            name, value = row.split(separator, 1)
            fields[name.strip().lower()] = value.strip()
        elif not row and fields:
            yield section, fields
            fields = {}


def vec(path, text):
    for section, fields in stanzas(text, "="):
        if "out" in fields:
            name = {"DES": "des", "TripleDES": "des3"}.get(section, section.split("-")[0].lower())
            yield case(name, "ecb", fields["key"], None, fields["in"], fields["out"])


def evp_text(path, text):
    separator = "=" if re.search(r"^Cipher\s*=", text, re.M) else ":"
    for _, fields in stanzas(text, separator):
        if "cipher" not in fields:
            continue
        cipher = fields["cipher"]
        match = re.fullmatch(r"(CAMELLIA)-\d+-(\w+)|(DES-EDE3?)(?:-(\w+))?|(DES)-(\w+)", cipher)
        if not match:
            yield f"skip {cipher}"
            continue
        name, mode = [group for group in match.groups() if group] + (["ecb"] if cipher == "DES-EDE3" else [])
        name = {"CAMELLIA": "camellia", "DES": "des"}.get(name, "des3")
        yield case(name, mode, fields["key"], fields.get("iv"), fields["plaintext"], fields["ciphertext"])


def cavp(path, text):
    mode = re.search(r"\b(ECB|CBC|CFB64|CFB128)\b", text).group(1)
    name = "camellia" if "CAMELLIA" in text else "des3"
    for _, fields in stanzas(text, "="):
        if "ciphertext" in fields:
            key = fields.get("keys") or fields.get("key") or fields["key1"] + fields["key2"] + fields["key3"]
            yield case(name, mode, key, fields.get("iv"), fields["plaintext"], fields["ciphertext"])


def table(path, text):
    """One letter, a number and bytes with blanks between; a key counts until the next."""
    values = {}
    for letter, value in re.findall(r"^([KPC]) No\.\d+ : ([0-9A-F ]+)$", text, re.M):
        values[letter] = value.replace(" ", "")
        if letter == "C":
            yield case("camellia", "ecb", values["K"], None, values["P"], values["C"])


def wycheproof(path, text):
    tests = json.loads(text)
    name = {"DES": "des", "3DES": "des3"}.get(tests["algorithm"])
    for group in tests["testGroups"]:
        for test in group["tests"]:
            if name and test["result"] == "valid":
                yield case(name, "cbc", test["key"], test["iv"], test["msg"], test["ct"])
            else:
                yield f"skip {tests['algorithm']}"


def index(root):
    """Cases of a file by the tables of the collection: | name | ... | cases |"""
    try:
        with open(os.path.join(root, "README.md"), encoding="utf-8") as file:
            rows = re.findall(r"^(?:## (\S+)|\| (\S+) \|.*\| (\d+) \|$)", file.read(), re.M)
    except OSError:
        return {}
    counts, folder = {}, ""
    for heading, name, count in rows:
        folder = heading or folder
        counts[f"{folder}/{name}"] = count
    return counts


READERS = (
    (r"\.json$", r"", wycheproof),
    (r"\.vec$", r"", vec),
    (r"", r"^K No\.", table),
    (r"", r"^Cipher\s*[=:]", evp_text),
    (r"", r"^COUNT\s*=", cavp),
)


def main(root):
    counts = index(root)
    for folder in FOLDERS:
        for name in sorted(os.listdir(os.path.join(root, folder))):
            path = os.path.join(root, folder, name)
            with open(path, encoding="utf-8", errors="replace") as file:
                text = file.read().replace("\r\n", "\n")
            print("file", f"{folder}/{name}", counts.get(f"{folder}/{name}", 0))
            reader = next(reader for of_name, of_text, reader in READERS
                          if re.search(of_name, name) and re.search(of_text, text, re.M))
            for row in reader(path, text):
                print(row)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: collect.py ROOT")
    main(sys.argv[1])
