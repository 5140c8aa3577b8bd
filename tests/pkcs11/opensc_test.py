# SPDX-License-Identifier: Apache-2.0
"""opensc_test.py SOURCE MODULE: OpenSC's pkcs11-tool with the token of the PKCS#11 module: its own tests, and keys and
signatures that OpenSSL judges."""
import os
import subprocess
import sys
import tempfile

SOURCE, MODULE = sys.argv[1], os.path.abspath(sys.argv[2])
sys.path.insert(0, f"{SOURCE}/tests")

from tap import main, test_with  # noqa: E402

SO_PIN, PIN = "12345678", "87654321"  # of a token that this test makes


def run(*words, status=0, **more):
    result = subprocess.run(words, capture_output=True, check=False, timeout=60, stdin=subprocess.DEVNULL, **more)
    assert result.returncode == status, (words, result)
    return result.stdout.decode("latin-1") + result.stderr.decode("latin-1")


class Token:
    """A new token; calling it runs pkcs11-tool."""

    def __init__(self, folder):
        self.env = {**os.environ, "HEADRACE_TOKEN": f"{folder}/token", "LC_ALL": "C"}
        self("--init-token", "--label", "tests", "--so-pin", SO_PIN)
        self("--login", "--login-type", "so", "--so-pin", SO_PIN, "--init-pin", "--new-pin", PIN)
        self.user = "--login", "--pin", PIN

    def __call__(self, *words, status=0):
        return run("pkcs11-tool", "--module", MODULE, *words, status=status, env=self.env)


@test_with("pkcs11-tool")
def own_tests():
    with tempfile.TemporaryDirectory() as folder:
        token = Token(folder)
        token(*token.user, "--keypairgen", "--key-type", "rsa:2048", "--label", "rsa", "--id", "01")
        token(*token.user, "--keypairgen", "--key-type", "EC:prime256v1", "--label", "p256", "--id", "02")
        said = token(*token.user, "--test")
        assert "No errors" in said and "RSA-PKCS-OAEP" in said, said


@test_with("pkcs11-tool")
def keys_that_stay():
    with tempfile.TemporaryDirectory() as folder:
        token, message, signature = Token(folder), f"{folder}/message", f"{folder}/signature"
        with open(message, "wb") as file:
            file.write(b"a message" * 99)
        # OpenSC 0.23 reads no public key of P-384, of any module.
        for number, (kind, mechanism) in enumerate((("rsa:2048", "SHA256-RSA-PKCS"),
                                                    ("EC:prime256v1", "ECDSA-SHA256")), 1):
            ident, public = f"{number:02}", f"{folder}/public"
            token(*token.user, "--keypairgen", "--key-type", kind, "--id", ident)
            token("--read-object", "--type", "pubkey", "--id", ident, "-o", public)
            token(*token.user, "--sign", "--id", ident, "-m", mechanism, "-i", message, "-o", signature,
                  "--signature-format", "openssl")
            run("openssl", "dgst", "-sha256", "-verify", public, "-keyform", "DER", "-signature", signature, message)
            token("--sign", "--id", ident, "-m", mechanism, "-i", message, "-o", signature, status=1)  # no login
        assert "Private Key" not in token("--list-objects")
        assert token(*token.user, "--list-objects", "--type", "privkey").count("never extractable") == 2
        wrong = token("--login", "--pin", "00000000", "--list-objects", status=1)
        assert "CKR_PIN_INCORRECT" in wrong, wrong


main()
