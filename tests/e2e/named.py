#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Named keys of public key through OpenSSL: evp_named beside a service of its own, under the system's
libcrypto and each of those whose folders HEADRACE_LIBCRYPTO names, separated by colons.
usage: named.py EVP_NAMED HEADRACED FOLDER-OF-LIBHEADRACE-ACCEL"""
import os
import shutil
import sys
import tempfile

import named_keys
from handles import Service, run


def main():
    program, headraced, client = sys.argv[1:]
    folder = tempfile.mkdtemp(prefix="headrace-e2e-")
    files = named_keys.make(folder)
    number = failed = 0
    for libcrypto in [None] + [x for x in os.environ.get("HEADRACE_LIBCRYPTO", "").split(":") if x]:
        service, lattices = Service(headraced, {**files, **named_keys.lattice_files()}), named_keys.LATTICES
        if service.process.poll() is not None:  # a build without ML-DSA, or a CPU that it does not support
            said, service, lattices = service.stop(), Service(headraced, files), ()
            assert "ML-DSA" in said, said
        status, out = run([program, folder, *lattices], service, [client] + ([libcrypto] if libcrypto else []))
        said = service.stop()
        name = libcrypto or "the system's libcrypto"
        lines = [line for line in out.splitlines() if line.startswith("ok ")]
        for line in lines:
            number += 1
            print(f"ok {number} - {line.split(' - ', 1)[1]}, under {name}")
        if status or not lines:
            number, failed = number + 1, failed + 1
            print(f"not ok {number} - evp_named under {name}")
            print("".join("# " + line + "\n" for line in (out + said).splitlines()[-12:]), end="")
    shutil.rmtree(folder)
    print(f"1..{number}")
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())
