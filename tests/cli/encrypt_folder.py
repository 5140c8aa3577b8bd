# SPDX-License-Identifier: Apache-2.0
"""A folder in which files are encrypted and decrypted, for the tests of both."""
import os
import subprocess

from cli import HEADRACE, directory, environment


def put(path, content, mode=0o600):
    with open(path, "wb") as out:
        out.write(content)
    os.chmod(path, mode)
    return path


def get(path):
    with open(path, "rb") as file:
        return file.read()


class Folder:
    """An empty folder for outputs, beside a key and a passphrase."""

    def __init__(self, path, key, words):
        self.beside = path
        self.path = f"{path}/files"
        os.mkdir(self.path)
        self.key = put(f"{path}/key", key)
        self.words = put(f"{path}/words", words)

    def run(self, command, *words, key=None, stdin=b"", **more):
        secret = ["--passphrase-file", self.words] if key == "words" else ["-k", key or self.key]
        return subprocess.run([HEADRACE, command, *secret, *words], input=stdin, capture_output=True, cwd=self.path,
                              env=environment(), timeout=200, **more)

    def good(self, *words, **more):
        result = self.run(*words, **more)
        assert result.returncode == 0 and not result.stderr, (words, result.returncode, result.stderr)
        return result.stdout


def in_folder(kind):
    """Returns a decorator that calls a test with a new folder of this kind."""
    def decorated(function):
        def wrapped():
            with directory() as d:
                function(kind(d))
        wrapped.__name__ = function.__name__
        return wrapped
    return decorated
