#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""sbom.py DIST DEB NAME - prints the components of a release as SPDX 2.3 in JSON, for `./x dist`.

DIST holds the source archives NAME*.tar.xz, DEB the packages with dpkg's .buildinfo, which has every package that was
installed for the build, with its version. Debian 12 packages no tool that reads these: `reuse` lists the licences of files
and knows no packages, and python3-cyclonedx-lib only writes what it is given, by calls that differ in Debian 13.
"""
import hashlib
import json
import os
import pathlib
import re
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent


def identifier(*words):
    return "SPDXRef-" + re.sub(r"[^A-Za-z0-9.]+", "-", "-".join(words).replace("+", "plus"))


def package(kind, name, version, **more):
    """Fields that SPDX requires; licences are said only of what this project knows them of."""
    return {"SPDXID": identifier(kind, name), "name": name, "versionInfo": version, "downloadLocation": "NOASSERTION",
            "filesAnalyzed": False, "licenseConcluded": "NOASSERTION", "licenseDeclared": "NOASSERTION",
            "copyrightText": "NOASSERTION", **more}


def sha256(path):
    return [{"algorithm": "SHA256", "checksumValue": hashlib.sha256(path.read_bytes()).hexdigest()}]


def address(purl):
    return [{"referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl", "referenceLocator": purl}]


def debian(kind, name, version, arch):
    return package(kind, name, version, supplier="Organization: Debian",
                   externalRefs=address(f"pkg:deb/debian/{name}@{version.replace('+', '%2B').replace(':', '%3A')}?arch={arch}"))


def field(path, name):
    return subprocess.run(["dpkg-deb", "-f", path, name], check=True, text=True, stdout=subprocess.PIPE).stdout.strip()


def installed(name):
    """(name, version, architecture) of the first package of this name or of one that provides it; None if there is none."""
    form = "${Package} ${Version} ${Architecture} ${db:Status-Status}\n"
    found = subprocess.run(["dpkg-query", "-W", "-f", form, name], check=False, text=True, stdout=subprocess.PIPE,
                           stderr=subprocess.DEVNULL).stdout.splitlines()
    return next((line.split()[:3] for line in found if line.endswith(" installed")), None)


def build_dependencies(buildinfo):
    text = buildinfo.read_text(encoding="utf-8")
    block = re.search(r"^Installed-Build-Depends:\n((?: .*\n)+)", text, re.M).group(1)
    return re.findall(r"^ (\S+?)(?::\S+)? \(= (.*?)\)", block, re.M)


FETCHED = {"lib/proven": "A part of this crate is compiled into the library; its file LICENSE has the licences.",
           "bind/pkcs11": "A header of this crate, in the public domain, is included by the PKCS#11 module."}


def fetched():
    """The crates of these folders' Cargo.lock whose sources lie in build/sources, with the checksum by which cargo took them."""
    for folder, comment in FETCHED.items():
        lock = (ROOT / folder / "Cargo.lock").read_text(encoding="utf-8")
        for name, version, checksum in re.findall(r'name = "(.*)"\nversion = "(.*)"\nsource = .*\nchecksum = "(.*)"', lock):
            if (ROOT / f"build/sources/{name}-{version}").is_dir():
                yield package("fetched", name, version, externalRefs=address(f"pkg:cargo/{name}@{version}"),
                              checksums=[{"algorithm": "SHA256", "checksumValue": checksum}], comment=comment)


def relation(element, kind, other):
    return {"spdxElementId": element["SPDXID"], "relationshipType": kind, "relatedSpdxElement": other["SPDXID"]}


def main():
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    dist, deb, name = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]), sys.argv[3]
    version = name.partition("-")[2]
    archive = dist / f"{name}.tar.xz"
    ours = {"licenseDeclared": "Apache-2.0", "copyrightText": "2026 the Headrace authors"}
    source = package("source", "headrace", version, packageFileName=archive.name, checksums=sha256(archive), **ours)
    document = {"SPDXID": "SPDXRef-DOCUMENT"}
    packages, relations = {source["SPDXID"]: source}, [relation(document, "DESCRIBES", source)]

    def add(found, *related):
        packages.setdefault(found["SPDXID"], found)
        relations.extend(relation(*one) for one in related)

    for part in fetched():
        add(part, (source, "DEPENDS_ON", part))
    files = {field(path, "Package"): path for path in sorted(deb.glob("*.deb"))}
    binaries = {each: package("package", each, field(path, "Version"), packageFileName=path.name, checksums=sha256(path), **ours)
                for each, path in files.items()}
    for each, binary in binaries.items():
        add(binary, (document, "DESCRIBES", binary), (binary, "GENERATED_FROM", source))
        for wanted in re.split(r"\s*[,|]\s*", field(files[each], "Depends")):
            needed = re.split(r"[ (:]", wanted)[0]
            other = binaries.get(needed) or (debian("debian", *found) if (found := installed(needed)) else None)
            if other:
                add(other, (binary, "DEPENDS_ON", other))
    arch = next(deb.glob("*.buildinfo")).stem.rpartition("_")[2]
    for dependency in build_dependencies(next(deb.glob("*.buildinfo"))):
        other = debian("debian", *dependency, arch)
        add(other, (other, "BUILD_DEPENDENCY_OF", source))
    made = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(int(os.environ["SOURCE_DATE_EPOCH"])))
    json.dump({"spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT", "name": name,
               "documentNamespace": f"https://example.org/spdx/{name}-{source['checksums'][0]['checksumValue']}",
               "creationInfo": {"created": made, "creators": ["Tool: scripts/sbom.py of Headrace"]},
               "packages": list(packages.values()), "relationships": relations}, sys.stdout, indent=1)
    print()


main()
