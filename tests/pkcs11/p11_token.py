# SPDX-License-Identifier: Apache-2.0
"""A token of the PKCS#11 module for a test, as pkcs11-tool sees it."""
import os
import subprocess

SO_PIN, PIN = "12345678", "87654321"  # of a token that this test makes


def run(*words, status=0, **more):
    result = subprocess.run(words, capture_output=True, check=False, timeout=60, stdin=subprocess.DEVNULL, **more)
    assert result.returncode == status, (words, result)
    return result.stdout.decode("latin-1") + result.stderr.decode("latin-1")


class Token:
    """A new token; calling it runs pkcs11-tool."""

    def __init__(self, module, folder):
        self.module = os.path.abspath(module)
        self.env = {**os.environ, "HEADRACE_TOKEN": f"{folder}/token", "LC_ALL": "C"}
        self("--init-token", "--label", "tests", "--so-pin", SO_PIN)
        self("--login", "--login-type", "so", "--so-pin", SO_PIN, "--init-pin", "--new-pin", PIN)
        self.user = "--login", "--pin", PIN

    def __call__(self, *words, status=0):
        return run("pkcs11-tool", "--module", self.module, *words, status=status, env=self.env)
