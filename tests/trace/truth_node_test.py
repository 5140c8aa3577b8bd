# SPDX-License-Identifier: Apache-2.0
"""node, which has OpenSSL inside its own file or uses it as a library."""
import os

from truth import PROGRAMS, cases, little, main, mostly, need, need_cpu, trace

NO_AES = "~0x200000200000000"


@cases([
    ("aes-cbc", "aes-cbc", "", .45, "AES", "hardware"),
    ("aes-cbc, masked", "aes-cbc", NO_AES, .75, "AES", "software"),
    ("gcm", "gcm", "", .10, "AES", "hardware"),
    ("sha256", "sha256", "", .75, "SHA-256", "hardware"),
    ("chacha", "chacha", "", .10, "ChaCha20", "vector software"),
])
def node(mode, mask, least, algorithm, how):
    need_cpu("aes", "pclmulqdq", "sha_ni", "avx2")
    report = trace(need("node"), os.path.join(PROGRAMS, "node/truth.js"), mode, 2,
                   **({"OPENSSL_ia32cap": mask} if mask else {}))
    mostly(report, least, algorithm=algorithm, how=how)


@cases([("computing", "compute")])
def node_without_crypto(mode):
    report = trace(need("node"), os.path.join(PROGRAMS, "node/truth.js"), mode, 2)
    for how in "hardware", "software", "vector software":
        little(report, .01, how=how)


main()
