# SPDX-License-Identifier: Apache-2.0
"""opensc_test.py SOURCE MODULE: OpenSC's pkcs11-tool with the token of the PKCS#11 module: its own tests, and keys and
signatures that OpenSSL judges."""
import sys
import tempfile

SOURCE, MODULE = sys.argv[1], sys.argv[2]
sys.path[:0] = [f"{SOURCE}/tests", f"{SOURCE}/tests/pkcs11"]

from p11_token import Token, run  # noqa: E402
from tap import main, test_with  # noqa: E402


@test_with("pkcs11-tool")
def own_tests():
    with tempfile.TemporaryDirectory() as folder:
        token = Token(MODULE, folder)
        token(*token.user, "--keypairgen", "--key-type", "rsa:2048", "--label", "rsa", "--id", "01")
        token(*token.user, "--keypairgen", "--key-type", "EC:prime256v1", "--label", "p256", "--id", "02")
        said = token(*token.user, "--test")
        assert "No errors" in said and "RSA-PKCS-OAEP" in said, said


@test_with("pkcs11-tool")
def keys_that_stay():
    with tempfile.TemporaryDirectory() as folder:
        token, message, signature = Token(MODULE, folder), f"{folder}/message", f"{folder}/signature"
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
