# SPDX-License-Identifier: Apache-2.0
"""Where servers run by named keys: a service of its own, its keys and their certificates, and the parts of all
private keys, for which key_search.py looks. HEADRACE_LIBCRYPTO names a folder with another libcrypto and libssl."""
import base64
import glob
import hashlib
import os
import shutil
import subprocess

import key_search
import named_keys
from common import Place
from handles import Service
from servers import Row, context_of, serve, talk

HTTP = Row("openssl", None)  # any server that speaks HTTP at once


class Stage:
    """Where servers run: a folder with keys and certificates, the service, and the parts of all private keys."""

    def __init__(self, headraced, client, find_pieces):
        self.place = Place()
        os.chmod(self.place.dir, 0o755)
        self.files = named_keys.make(self.place.dir)
        self.service = Service(headraced, self.files)
        self.place.socket = self.service.socket
        for folder in (client, os.path.join(client, "../lib")):  # where other users can read them
            for library in glob.glob(os.path.join(folder, "libheadrace*.so.0")):
                shutil.copy(library, self.place.dir)
        folders = [self.place.dir] + [x for x in [os.environ.get("HEADRACE_LIBCRYPTO")] if x]
        self.env = dict(self.place.env(True), HEADRACE_ACCEL=self.service.socket, LD_LIBRARY_PATH=":".join(folders))
        self.pieces = key_search.Pieces(find_pieces, self.place.path("pieces"), map(self.secrets, named_keys.KEYS))

    def secrets(self, name):
        """A key's private numbers, and its DER."""
        path = self.place.path(name + ".key")
        numbers = named_keys.parts_of(path, named_keys.KEYS[name][0])
        secret = {word: number for word, number in numbers.items() if word not in ("n", "e")}
        if name == "ed25519":
            secret["expanded"] = hashlib.sha512(secret["private"]).digest()
        return secret, base64.b64decode("".join(open(path, encoding="ascii").read().splitlines()[1:-1]))

    def get(self, port, certificate, ciphers=None, own=None, row=HTTP):
        return talk(row, port, context_of(self.place, certificate, ciphers, own))

    def serve(self, row, kind="ref"):
        return serve(row, self.place, self.env, kind)

    def run(self, *args, data=None):
        """Runs openssl, the one of another libcrypto if it is built beside it."""
        program = os.path.join(os.environ.get("HEADRACE_LIBCRYPTO", "/nonexistent"), "apps/openssl")
        command = [program if os.path.exists(program) else "openssl", *args]
        return subprocess.run(command, input=data, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=self.env,
                              cwd=self.place.dir, check=True, timeout=60).stdout

    def end(self):
        self.service.stop()
        self.place.clean()
