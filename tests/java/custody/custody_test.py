# SPDX-License-Identifier: Apache-2.0
"""Keys of the accelerator in Java's key store: JSSE, JWT libraries and Signature use them; their terms, their end and the
service's are exceptions.  More arguments than control.py has: folders of the provider's jar and of libheadrace-accel, and
the versions of the JDK, of which the oldest runs."""
import contextlib
import functools
import hmac
import os
import re
import subprocess
import sys
import tempfile

JAR, CLIENT, OLDEST, NEWEST = sys.argv[-4:]
del sys.argv[-4:]
JAR, CLIENT = os.path.abspath(JAR), os.path.abspath(CLIENT)
sys.path[:0] = [f"{sys.argv[2]}/tests/accel", f"{sys.argv[2]}/tests/accel/keys"]

from control import RELOAD, SOURCE, Client, Service, service  # noqa: E402
from key_client import key, openssl  # noqa: E402
from cli import main, test  # noqa: E402

HERE = f"{SOURCE}/tests/java/custody"
KEYS = {"rsa": "RSA-2048", "p256": "ECDSA-P256", "p384": "ECDSA-P384", "p521": "ECDSA-P521", "ed25519": "Ed25519",
        "mldsa": "ML-DSA-65"}
CERTIFIED = "rsa", "p256", "p384", "ed25519"
SIGNATURES = [("rsa", "SHA256withRSA"), ("rsa", "SHA512withRSA"), ("rsa", "PSS256"), ("rsa", "PSS384"),
              ("p256", "SHA256withECDSA"), ("p256", "SHA512withECDSA"), ("p256", "SHA256withECDSAinP1363Format"),
              ("p384", "SHA384withECDSA"), ("p521", "SHA512withECDSA"), ("ed25519", "Ed25519"), ("ed25519", "EdDSA"),
              ("mldsa", "ML-DSA")]
# The names of keys, their algorithms, and transformations of Cipher that they are for.
CIPHERS = [("gcm", "AES-128-GCM", "AES/GCM/NoPadding", "AES_128/GCM/NoPadding"), ("gcm256", "AES-256-GCM", "AES/GCM/NoPadding"),
           ("ecb", "AES-128-ECB", "AES/ECB/NoPadding", "AES/ECB/PKCS5Padding"),
           ("cbc", "AES-256-CBC", "AES/CBC/NoPadding", "AES/CBC/PKCS5Padding", "AES_256/CBC/NoPadding"),
           ("ctr", "AES-192-CTR", "AES/CTR/NoPadding"), ("cfb", "AES-128-CFB128", "AES/CFB/NoPadding"),
           ("ccm", "AES-256-CCM", "AES/CCM/NoPadding"), ("xts", "AES-256-XTS", "AES/XTS/NoPadding"),
           ("chacha", "ChaCha20-Poly1305", "ChaCha20-Poly1305"), ("camellia", "CAMELLIA-128-CBC", "Camellia/CBC/NoPadding"),
           ("des3", "DES-EDE3-CBC", "DESede/CBC/PKCS5Padding")]
MOST = 127 << 10  # bytes of a text of an AEAD, with tag and AAD, and of XTS, and of a message of a MAC
# The name of a key's algorithm in Java.
IN_JAVA = {"chacha": "ChaCha20-Poly1305", "camellia": "Camellia", "des3": "DESede"}
GONE = "the accelerator's service, or libheadrace-accel, is not there"
ENDED_KEY = "ProviderException: the key a: the accelerator has no such key, or another one by now"
ENDED = "SignatureException: Could not sign data: the accelerator has no such key, or another one by now"


def jdk():
    listed = subprocess.run(["sh", "-c", ". scripts/jdk.sh; jdks"], cwd=SOURCE, capture_output=True, text=True, check=True)
    for line in listed.stdout.splitlines():
        version, folder = line.split()
        if int(OLDEST) <= int(version) <= int(NEWEST):
            return int(version), folder
    return 0, ""


VERSION, JDK = jdk()


def test_here(function):
    function.skip = "" if JDK else f" # SKIP no JDK from {OLDEST} to {NEWEST}"
    return test(function)


UNTIL_THE_END = contextlib.ExitStack()


def reload(s):
    assert Client(s.path).result(RELOAD) == 0


CMACS = (("cmac128", "AES-128-CMAC", "AESCMAC"), ("cmac192", "AES-192-CMAC", "AESCMAC"), ("cmac256", "AES-256-CMAC", "AESCMAC"),
         ("cmac2", "DES-EDE2-CMAC", "DESEDECMAC"), ("cmac3", "DES-EDE3-CMAC", "DESEDECMAC"))
RETAIL = (("retail", "Retail-MAC", "ISO9797ALG3MAC"), ("retail80", "Retail-MAC-80", "ISO9797ALG3WITHISO7816-4PADDING"))
NUM = len(KEYS) + len(CIPHERS) + len(CMACS) + len(RETAIL) + 5


@functools.cache
def offered():
    """One service for most: a key of each kind, one that signs by SHA-384 only, ones for one use, secret ones,
    of which Java does not get that of GMAC, and one of another user."""
    s = UNTIL_THE_END.enter_context(service())
    for name, algorithm in KEYS.items():
        assert key(s.keys, "new", name, f"--algorithm={algorithm}", "--uid=0-70000").returncode == 0
    assert key(s.keys, "new", "only384", "--algorithm=RSA-2048", "--uid=0-70000", "--padding=pss",
               "--digest=SHA-384").returncode == 0
    assert key(s.keys, "new", "sealed", "--algorithm=RSA-2048", "--uid=0-70000", "--use=decrypt", "--padding=oaep",
               "--digest=SHA-256").returncode == 0
    assert key(s.keys, "new", "hmac", "--algorithm=HMAC-SHA-256", "--uid=0-70000").returncode == 0
    assert key(s.keys, "new", "others", "--algorithm=RSA-2048", "--uid=70001").returncode == 0
    for name, algorithm, *_ in CIPHERS:
        assert key(s.keys, "new", name, f"--algorithm={algorithm}", "--uid=0-70000").returncode == 0, name
    for use in "encrypt", "decrypt":
        assert key(s.keys, "new", f"{use}s", "--algorithm=AES-128-GCM", "--uid=0-70000", f"--use={use}").returncode == 0
    for name, algorithm, _ in CMACS + RETAIL:
        assert key(s.keys, "new", name, f"--algorithm={algorithm}", "--uid=0-70000").returncode == 0, name
    assert key(s.keys, "new", "gmac", "--algorithm=AES-128-GMAC", "--uid=0-70000").returncode == 0
    reload(s)
    publish(s)
    with open(f"{s.folder}/empty.map", "w", encoding="ascii"):
        pass
    return s


def publish(s):
    """Writes public keys, and certificates of an authority of its own: NAME.crt with the chain, and all of them."""
    at = functools.partial(os.path.join, s.folder)
    openssl("req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", at("ca.key"), "-days", "2", "-subj", "/CN=CA",
            "-out", at("ca.crt"))
    ca = open(at("ca.crt"), "rb").read()
    every = ca
    for name in [*KEYS, "only384", "sealed"]:
        with open(at(f"{name}.pub"), "wb") as file:
            file.write(key(s.keys, "public", name).stdout)
    for name in CERTIFIED:
        request = key(s.keys, "request", name, "--subject=CN=localhost", "--dns=localhost", f"--socket={s.path}")
        assert request.returncode == 0, request
        own = openssl("x509", "-req", "-CA", at("ca.crt"), "-CAkey", at("ca.key"), "-set_serial", "7", "-days", "1",
                      stdin=request.stdout)
        every = own + every
        with open(at(f"{name}.crt"), "wb") as file:
            file.write(ca + own)
    with open(at("all.crt"), "wb") as file:
        file.write(every)


@functools.cache
def compiled():
    folder = UNTIL_THE_END.enter_context(tempfile.TemporaryDirectory())
    subprocess.run([f"{JDK}/bin/javac", "-Xlint:all,-serial", "-Werror", "-cp", f"{JAR}/headrace-jce.jar", "-d", folder,
                    f"{HERE}/Custody.java", f"{HERE}/CustodyCipher.java"], check=True)
    return folder


class Java:
    """A program that does what it is told, with the provider in some place of the list."""

    def __init__(self, s, *options, place=1, **env):
        native = ["--enable-native-access=ALL-UNNAMED"] if VERSION >= 22 else []
        self.process = subprocess.Popen(
            [f"{JDK}/bin/java", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", *native, *options, "-cp",
             f"{JAR}/headrace-jce.jar:{compiled()}", "Custody", s.folder, str(place)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
            env={**os.environ, **self.env_of(s), **env})

    @staticmethod
    def env_of(s):
        return {"HEADRACE_ACCEL": s.path, "LD_LIBRARY_PATH": f"{CLIENT}:{CLIENT}/../lib"}

    def tell(self, line):
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()

    def answer(self):
        return self.process.stdout.readline().rstrip("\n")

    def __call__(self, line):
        self.tell(line)
        return self.answer()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.stdin.close()
        assert self.process.wait(60) == 0


@test_here
def lists_its_keys_and_shows_none():
    s = offered()
    with Java(s) as java:
        assert java("load") == f"{NUM} keys, null"
        assert java("entries") == "{" + ", ".join(
            f"{name}={algorithm}/0" for name, algorithm in sorted(
                {"rsa": "RSA", "only384": "RSA", "p256": "EC", "p384": "EC", "p521": "EC", "ed25519": "EdDSA",
                 "mldsa": "ML-DSA", "sealed": "RSA", "hmac": "HmacSHA256", "encrypts": "AES", "decrypts": "AES",
                 **{name: algorithm for name, _, algorithm in CMACS + RETAIL},
                 **{name: IN_JAVA.get(name, "AES") for name, *_ in CIPHERS}}.items())) + "}"
        assert java("load all.crt") == f"{NUM} keys, null"
        listed = java("entries")
        assert all(f"{name}=" in listed and f"/{2 if name in CERTIFIED else 0}" in listed.split(f"{name}=")[1][:9]
                   for name in KEYS), listed
        for name in [*KEYS, "hmac", "gcm"]:
            assert java(f"secret {name}").startswith("NotSerializableException: "), name
        for what in "delete", "set", "certificate":
            assert java(f"refuses {what}").startswith("KeyStoreException: "), what
        assert java("refuses store").startswith("IOException: ")
        assert java("agree p256").startswith("InvalidKeyException: ")
        assert java("load rsa.pub").startswith("CertificateException: ")


@test_here
def signs_what_the_jdk_verifies():
    """By default too, where the provider's own signatures are not offered to other keys, and in the last place."""
    s = offered()
    for place, *options in (1, "-Dheadrace.all=true"), (99, f"-Dheadrace.map={s.folder}/empty.map"):
        with Java(s, *options, place=place) as java:
            java("load")
            for name, algorithm in SIGNATURES:
                if name == "mldsa" and VERSION < 24 and place > 1:
                    continue  # this JDK cannot verify it
                answer = java(f"sign {name} {algorithm} 100")
                assert answer == "by Headrace: true", (place, name, algorithm, answer)
            if place == 1 and VERSION >= 21:
                answer = java("decapsulate mldsa")
                assert answer == "InvalidKeyException: the key mldsa is not for ML_KEM", answer


@test_here
def keeps_to_the_keys_terms():
    with Java(offered()) as java:
        java("load")
        assert java("sign only384 PSS384 5") == "by Headrace: true"
        for algorithm in "PSS256", "SHA384withRSA":
            assert java(f"sign only384 {algorithm} 5").startswith("SignatureException: "), algorithm
        assert java("sign p256 SHA256withRSA 5").startswith("InvalidKeyException: ")
        assert java("sign ed25519 Ed25519 4096") == "by Headrace: true"
        for name, algorithm in ("ed25519", "Ed25519"), ("mldsa", "ML-DSA"):
            assert java(f"sign {name} {algorithm} 4097") == "SignatureException: Could not sign data: a key of the accelerator signs at most 4096 bytes"
        assert java("many p256 SHA256withECDSA") == "200 signed"


def secret_of(s, name):
    with open(f"{s.keys}/{name}", encoding="ascii") as file:
        return "".join(re.findall(r"^key = (.*)$", file.read(), re.M))


def cmac(secret, row, size):
    """The CMAC of zeros by OpenSSL, which has two-key triple DES under the name of its three keys."""
    cipher = {"DES-EDE2-CMAC": "DES-EDE3-CBC", "DES-EDE3-CMAC": "DES-EDE3-CBC"}.get(row, row.replace("CMAC", "CBC"))
    secret += secret[:16] if row == "DES-EDE2-CMAC" else ""
    done = subprocess.run(["openssl", "mac", "-cipher", cipher, "-macopt", f"hexkey:{secret}", "CMAC"], input=bytes(size),
                          capture_output=True, check=True)
    return done.stdout.decode().strip().lower()


def des(*args, data):
    done = subprocess.run(["openssl", "enc", *args, "-nopad", "-provider", "legacy", "-provider", "default"], input=data,
                          capture_output=True, check=True)
    return done.stdout


def retail_mac(secret, row, size):
    """The retail MAC of zeros: CBC by the first key, whose last block is decrypted by the other and encrypted again."""
    first, second = secret[:16], secret[16:]
    data = bytes(size) + (b"\x80" if row == "Retail-MAC-80" else b"")
    data += bytes(-len(data) % 8) if data else bytes(8)
    last = des("-des-cbc", "-K", first, "-iv", "0" * 16, data=data)[-8:]
    return des("-des-ecb", "-K", first, data=des("-des-ecb", "-d", "-K", second, data=last)).hex()


@test_here
def computes_macs_and_decrypts():
    s = offered()
    secret = bytes.fromhex(secret_of(s, "hmac"))
    for place, *options in (1, "-Dheadrace.all=true"), (99, f"-Dheadrace.map={s.folder}/empty.map"):
        with Java(s, *options, place=place) as java:
            java("load")
            for size in 0, 1, 300, 100_000, MOST:
                assert java(f"mac hmac HmacSHA256 {size}") == hmac.new(secret, bytes(size), "sha256").hexdigest(), size
            for size in MOST + 1, 1_000_000:
                assert java(f"mac hmac HmacSHA256 {size}") == f"ProviderException: the key hmac: a message has at most {MOST} bytes", size
            assert java("mac hmac HmacSHA512 9").startswith("InvalidKeyException: ")
            assert java("mac rsa HmacSHA256 9").startswith("InvalidKeyException: ")
            for name, row, algorithm in CMACS + RETAIL:
                model = cmac if (name, row, algorithm) in CMACS else retail_mac
                for size in (0, 1, 16, 300, MOST) if place == 1 else (7,):
                    assert java(f"mac {name} {algorithm} {size}") == model(secret_of(s, name), row, size), (name, size)
                assert java(f"mac {name} {algorithm} {MOST + 1}").startswith(f"ProviderException: the key {name}: ")
                for other in "HmacSHA256", "DESEDECMAC" if algorithm == "AESCMAC" else "AESCMAC":
                    assert java(f"mac {name} {other} 9").startswith("InvalidKeyException: "), (name, other)
            assert java("mac hmac AESCMAC 9").startswith("InvalidKeyException: ")
            assert java("decrypt sealed OAEPWithSHA-256AndMGF1Padding") == "by Headrace: a secret"
            assert java("decrypt sealed PKCS1Padding").startswith("ProviderException: ")
            assert java("sign sealed SHA256withRSA 9").startswith("SignatureException: ")


@test_here
def encrypts_as_other_providers_do():
    s = offered()
    for place, *options in (1, "-Dheadrace.all=true"), (1,), (99, f"-Dheadrace.map={s.folder}/empty.map"):
        with Java(s, *options, place=place) as java:
            java("load")
            for name, _, *transformations in CIPHERS:
                for transformation in transformations:
                    for size in 16, 48, 1600, 33_328, 100_000:
                        answer = java(f"cipher {name} {transformation} {size} {secret_of(s, name)}")
                        assert answer == "right", (place, name, transformation, size, answer)
            for name, transformation in ("gcm", "AES/GCM/NoPadding"), ("ctr", "AES/CTR/NoPadding"), ("cbc", "AES/CBC/PKCS5Padding"):
                for size in 0, 1, 15, 17, 31_999:
                    answer = java(f"cipher {name} {transformation} {size} {secret_of(s, name)}")
                    assert answer == "right", (place, name, transformation, size, answer)


@test_here
def encrypts_what_the_key_is_for():
    """The mode and the uses of a key are known when a cipher is initialised; other terms, when it asks the service."""
    with Java(offered()) as java:
        java("load")
        assert java("encrypt encrypts AES/GCM/NoPadding") == "by Headrace, 46"
        assert java("decrypt-by encrypts AES/GCM/NoPadding") == "InvalidKeyException: the key encrypts may not decrypt"
        assert java("encrypt decrypts AES/GCM/NoPadding") == "InvalidKeyException: the key decrypts may not encrypt"
        assert java("decrypt-by decrypts AES/GCM/NoPadding").startswith("AEADBadTagException: ")
        for transformation in "AES/CBC/NoPadding", "AES_256/GCM/NoPadding", "AES/CCM/NoPadding", "Camellia/GCM/NoPadding":
            assert java(f"encrypt gcm {transformation}") == "InvalidKeyException: the key gcm is for AES-128-GCM", transformation
        for name in "hmac", "rsa":
            assert java(f"encrypt {name} AES/GCM/NoPadding").startswith("InvalidKeyException: "), name
        assert java("mac gcm AESCMAC 9").startswith(("InvalidKeyException: ", "NoSuchAlgorithmException: "))
        assert java("again gcm AES/GCM/NoPadding 0") == "right"
        assert java("iv gcm AES/GCM/NoPadding 64") == "25 bytes"
        assert java("iv gcm AES/GCM/NoPadding 65").startswith("InvalidAlgorithmParameterException: ")
        assert java("aad gcm AES/GCM/NoPadding 65536") == "23 bytes"
        assert java(f"crypt gcm AES/GCM/NoPadding {MOST - 17}") == f"{MOST - 3} bytes"
        assert java(f"crypt xts AES/XTS/NoPadding {MOST}") == f"{MOST} bytes"
        for long in f"gcm AES/GCM/NoPadding {MOST - 16}", f"xts AES/XTS/NoPadding {MOST + 1}":
            assert java(f"crypt {long}") == f"IllegalBlockSizeException: a key of the accelerator takes at most {MOST} bytes", long
        assert java("crypt ctr AES/CTR/NoPadding 10000000") == "10000000 bytes"


@test_here
def serves_tls():
    s = offered()
    for place in 1, 99:
        with Java(s, place=place) as java:
            for name, algorithm in ("rsa", "RSA"), ("p256", "EC"), ("p384", "EC"), ("ed25519", "EdDSA"):
                java(f"load {name}.crt")
                for version, managers in ("TLSv1.3", "SunX509"), ("TLSv1.2", "NewSunX509"):
                    answer = java(f"tls {version} {managers}")
                    assert answer == f"{version} {algorithm} {algorithm} 5", (place, name, version, answer)


def jwt_path():
    """The class path of the libraries for tokens, or nothing if they have not been fetched."""
    found = subprocess.run(["sh", "-c", '. scripts/get-maven.sh; maven_has jwt >/dev/null && maven_sums jwt'], cwd=SOURCE,
                           capture_output=True, text=True, check=False)
    return ":".join(f"{SOURCE}/build/sources/maven/{line.split()[1]}" for line in found.stdout.splitlines())


@test_here
def signs_tokens():
    s, path = offered(), f"{JAR}/headrace-jce.jar:{jwt_path()}"
    env = {**os.environ, **Java.env_of(s)}
    result = subprocess.run([f"{JDK}/bin/java", "-cp", path, f"{HERE}/Jwt.java", f"{s.folder}/all.crt"], env=env,
                            capture_output=True, text=True, check=False)
    assert result.stdout == "all verify\n", result


if JDK and not jwt_path():
    signs_tokens.skip = " # SKIP Nimbus and jjwt are not in build/sources/maven: ./x java-engines jwt fetches them"


@test_here
def ends_with_the_key_and_comes_back_with_it():
    with service() as s:
        for name in "a", "b":
            assert key(s.keys, "new", name, "--algorithm=ECDSA-P256", "--uid=0-70000").returncode == 0
        assert key(s.keys, "new", "rsa", "--algorithm=RSA-2048", "--uid=0-70000", "--use=decrypt", "--padding=oaep",
                   "--digest=SHA-256").returncode == 0
        for name in "a", "b", "rsa":
            with open(f"{s.folder}/{name}.pub", "wb") as file:
                file.write(key(s.keys, "public", name).stdout)
        reload(s)
        with Java(s) as java:
            java("load")
            decrypt = "decrypt rsa OAEPWithSHA-256AndMGF1Padding"
            assert java(decrypt) == "by Headrace: a secret"
            os.rename(f"{s.keys}/rsa", f"{s.folder}/rsa")
            reload(s)
            assert java(decrypt) == "ProviderException: the accelerator has no such key, or another one by now"
            os.rename(f"{s.folder}/rsa", f"{s.keys}/rsa")
            reload(s)
            assert java(decrypt) == "by Headrace: a secret"
            assert java("begin a SHA256withECDSA") == "begun"
            os.rename(f"{s.keys}/a", f"{s.folder}/a")
            reload(s)
            assert java("end") == ENDED
            os.rename(f"{s.keys}/b", f"{s.keys}/a")
            reload(s)
            assert java("sign a SHA256withECDSA 9").startswith(("SignatureException", "InvalidKeyException"))
            os.rename(f"{s.folder}/a", f"{s.keys}/a")
            reload(s)
            assert java("sign a SHA256withECDSA 9") == "by Headrace: true"
            assert java("begin a SHA256withECDSA") == "begun"
            s.write_policy("[client everyone]\nattach = no\n")
            reload(s)
            assert java("end").startswith("SignatureException: ")


@test_here
def encrypts_for_as_long_as_there_is_the_key():
    """A message is begun before the key goes, or is replaced by another, and ended thereafter."""
    with service() as s:
        for name in "a", "b":
            assert key(s.keys, "new", name, "--algorithm=AES-128-GCM", "--uid=0-70000").returncode == 0
        assert key(s.keys, "new", "ctr", "--algorithm=AES-128-CTR", "--uid=0-70000").returncode == 0
        reload(s)
        gcm, ctr = "a AES/GCM/NoPadding", "ctr AES/CTR/NoPadding"
        with Java(s) as java:
            java("load")
            right = f"cipher {gcm} 1600 {secret_of(s, 'a')}"
            assert java(right) == "right"
            assert java(f"hold {gcm}") == "held"
            os.rename(f"{s.keys}/a", f"{s.folder}/a")
            reload(s)
            assert java(f"release {gcm}") == ENDED_KEY
            os.rename(f"{s.keys}/b", f"{s.keys}/a")
            reload(s)
            assert java(f"hold {gcm}") == "held"
            assert java(f"release {gcm}") == "22 bytes"
            assert java(right) == "another result, mode 1"
            os.rename(f"{s.folder}/a", f"{s.keys}/a")
            reload(s)
            java(f"crypt {gcm} 1")
            assert java(right) == "right"
            assert java(f"hold {gcm}") == "held"
            s.write_policy("[client everyone]\nattach = no\n")
            reload(s)
            answer = java(f"release {gcm}")
            assert answer.startswith("ProviderException: the key a: "), answer
            assert java(f"crypt {ctr} 100").startswith(("ProviderException: the key ctr: ", "InvalidKeyException: the key ctr: "))


@test_here
def waits_for_the_service_to_come_back():
    with contextlib.ExitStack() as stack:
        s = stack.enter_context(service())
        assert key(s.keys, "new", "a", "--algorithm=ECDSA-P256", "--uid=0-70000").returncode == 0
        with open(f"{s.folder}/a.pub", "wb") as file:
            file.write(key(s.keys, "public", "a").stdout)
        reload(s)
        with Java(s) as java:
            java("load")
            assert java("sign a SHA256withECDSA 9") == "by Headrace: true"
            s.process.kill()
            s.wait()
            java.tell("sign a SHA256withECDSA 9")
            again = Service(s.folder).ready()
            assert java.answer() == "by Headrace: true"
            again.process.kill()
            again.wait()
            assert java("sign a SHA256withECDSA 9") == f"SignatureException: Could not sign data: {GONE}"
            assert java("load") == f"0 keys, {GONE}"
            s.process = Service(s.folder).ready().process
            assert java("load") == "1 keys, null"
            assert java("sign a SHA256withECDSA 9") == "by Headrace: true"


@test_here
def is_empty_where_nothing_is():
    s = offered()
    with Java(s, HEADRACE_ACCEL=f"{s.folder}/none") as java:
        assert java("load all.crt") == f"0 keys, {GONE}"
        assert java("entries") == "{}"
    with Java(s, LD_LIBRARY_PATH="/nonexistent") as java:
        assert java("load") == f"0 keys, {GONE}"
    with Java(s, "-Dheadrace.library=/nonexistent") as java:
        assert java("load").startswith("0 keys, the provider's library cannot be used: ")


main()
