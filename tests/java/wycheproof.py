#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""wycheproof.py ROOT: the files of Wycheproof's form below ROOT as lines for tests in Java, which have no JSON.

A file begins with "file", its path, algorithm and schema; a group follows as "group" and NAME=VALUE fields, each of its
cases as "case" and fields, among them tcId, result and flags. Fields are separated by tabs."""
import json
import pathlib
import sys

LEFT_OUT = {"comment", "tests", "source", "privateKeyPem", "publicKeyPem", "keyPem", "publicKeyJwk", "privateKeyJwk", "keyJwk"}


def fields(values):
    """Yields NAME=VALUE of texts and numbers, and of lists of them; an object's members are NAME.MEMBER."""
    for name, value in values.items():
        if name in LEFT_OUT:
            continue
        if isinstance(value, dict):
            yield from fields({f"{name}.{member}": inner for member, inner in value.items()})
        else:
            text = ",".join(map(str, value)) if isinstance(value, list) else str(value)
            assert not set(text) & set("\t\n"), (name, text)
            yield f"{name}={text}"


def main(root):
    for path in sorted(pathlib.Path(root).rglob("*.json")):
        content = json.loads(path.read_text(encoding="utf-8"))
        if "testGroups" not in content:
            continue
        schema = content.get("schema", "").removesuffix(".json").removesuffix("_v1").removesuffix("_schema")
        print("file", path.relative_to(root), content.get("algorithm", ""), schema, sep="\t")
        for group in content["testGroups"]:
            print("group", *fields(group), sep="\t")
            for case in group["tests"]:
                print("case", *fields(case), sep="\t")


main(sys.argv[1])
