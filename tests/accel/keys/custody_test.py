# SPDX-License-Identifier: Apache-2.0
"""Keys that sign and decrypt in the service: `headrace accel key`, whose results OpenSSL judges; requests by
accel/ring.h alone; the service's log; credentials of systemd; and what a client's memory holds."""
import base64
import fcntl
import os
import re
import socket
import struct
import subprocess
import sys
import tempfile

HOLDER = sys.argv.pop()  # the program custody_holder; control.py takes the other arguments
sys.path.insert(0, f"{sys.argv[2]}/tests/accel")

from control import ATTACH, ERRORS, HEADRACE, NOBODY, OPEN, RELOAD, Client, as_user, service, test_as_root  # noqa: E402
from key_client import FILE, KeyClient, key, openssl, write_key  # noqa: E402
from lent_client import MESSAGE, SIGN, TAKE_BACK, VERIFY  # noqa: E402
from cli import main, test  # noqa: E402
from tap import cases  # noqa: E402

PUBLIC = 13
ED25519, RSA2048 = 0x911, 0xd02
DECRYPT = 3
PKCS1, PSS, NONE = 1, 2, 4
SHA256 = 0x102


def der_of(pem, label):
    text = re.fullmatch(rf"-----BEGIN {label}-----\n([A-Za-z0-9+/=\n]+)-----END {label}-----\n", pem.decode("ascii"))
    assert all(len(line) <= 64 for line in text[1].split())
    return base64.b64decode("".join(text[1].split()), validate=True)


# ---- the command ----

GENERATED = (("rsa_keygen_bits:2048", "RSA"), ("ec_paramgen_curve:P-256", "EC"), ("ec_paramgen_curve:P-384", "EC"),
             ("ec_paramgen_curve:P-521", "EC"), ("", "ED25519"))


@test
def keys_are_imported_from_pem():
    with tempfile.TemporaryDirectory() as folder:
        keys = f"{folder}/keys"
        for i, (option, kind) in enumerate(GENERATED):
            pem = openssl("genpkey", "-algorithm", kind, *(("-pkeyopt", option) if option else ()))
            forms = [pem]
            if kind != "ED25519":
                forms.append(openssl("pkey", "-traditional", stdin=pem))
            for k, form in enumerate(forms):
                made = key(keys, "import", f"k{i}{k}", "--from=-", stdin=form)
                assert made.returncode == 0, made
                assert os.stat(f"{keys}/k{i}{k}").st_mode & 0o777 == 0o600
                public = key(keys, "public", f"k{i}{k}")
                assert public.stdout == openssl("pkey", "-pubout", stdin=pem), public
        listed = key(keys, "list").stdout.decode("ascii")
        assert listed.count("RSA-2048") == 2 and listed.count("ECDSA-P384") == 2 and listed.count("Ed25519") == 1, listed
        for word in re.findall(r" = ([0-9a-f]{40,})", open(f"{keys}/k00", encoding="ascii").read()):
            assert word not in listed


@test
def keys_are_made_in_the_folder():
    with tempfile.TemporaryDirectory() as folder:
        for row in ("RSA-2048", "ECDSA-P256", "Ed25519", "ML-DSA-65"):
            made = key(folder, "new", row, f"--algorithm={row}", "--use=sign", "--uid=1000", "--rate=50", "--log")
            if b"CPU" in made.stderr:
                continue
            assert made.returncode == 0 and row.encode("ascii") in made.stdout, made
            text = open(f"{folder}/{row}", encoding="ascii").read()
            assert "\nrate = 50\nlog = yes\n" in text and "\nuid = 1000\n" in text
            spki = der_of(key(folder, "public", row).stdout, "PUBLIC KEY")
            reference = der_of(key(folder, "reference", row).stdout, "HEADRACE KEY REFERENCE")
            name = row.encode("ascii")
            assert reference.endswith(b"\x02\x01\x01\x0c" + bytes([len(name)]) + name + spki) and reference[0] == 0x30
            if not row.startswith("ML"):
                openssl("pkey", "-pubin", "-noout", stdin=key(folder, "public", row).stdout)
        first = open(f"{folder}/Ed25519", encoding="ascii").read()
        assert key(folder, "new", "Ed25519", "--algorithm=Ed25519").returncode == 1
        assert key(folder, "new", "Ed25519", "--algorithm=Ed25519", "--replace").returncode == 0
        assert first != open(f"{folder}/Ed25519", encoding="ascii").read()


@test
def requests_are_certificate_requests():
    with tempfile.TemporaryDirectory() as folder:
        for row, more in (("RSA-2048", ()), ("RSA-2048", ("--padding=pss",)), ("RSA-2048", ("--use=decrypt",)),
                          ("ECDSA-P256", ()), ("ECDSA-P384", ()), ("ECDSA-P521", ()), ("Ed25519", ())):
            assert key(folder, "new", "k", f"--algorithm={row}", "--replace", *more).returncode == 0
            made = key(folder, "request", "k", "--subject=CN=example.org,O=Rain\\, Snow and Ice,C=IS",
                       "--dns=example.org,www.example.org")
            assert made.returncode == 0, made
            shown = subprocess.run(["openssl", "req", "-verify", "-noout", "-subject", "-text"], input=made.stdout,
                                   capture_output=True, check=True)
            text = (shown.stdout + shown.stderr).decode("ascii").replace(" = ", "=")  # as OpenSSL 3.2 and later print it
            assert "verify OK" in text and "CN=example.org, O=\"Rain, Snow and Ice\", C=IS" in text, text
            assert "DNS:example.org, DNS:www.example.org" in text
            assert openssl("req", "-pubkey", "-noout", stdin=made.stdout) == key(folder, "public", "k").stdout
        assert key(folder, "request", "k").returncode == 2
        assert key(folder, "request", "k", "--subject=example.org").returncode == 2
        assert key(folder, "request", "k", "--subject=C=ISL").returncode == 2


@test
def what_is_no_key_is_refused():
    with tempfile.TemporaryDirectory() as folder:
        rsa = openssl("genpkey", "-algorithm", "RSA", "-pkeyopt", "rsa_keygen_bits:2048")
        public = openssl("pkey", "-pubout", stdin=rsa)
        three = openssl("genpkey", "-algorithm", "RSA", "-pkeyopt", "rsa_keygen_bits:2048", "-pkeyopt",
                        "rsa_keygen_primes:3")
        other = openssl("genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:secp256k1")
        for pem in (b"", b"x", public, three, other, rsa[:200], rsa.replace(b"\n", b"\n!", 3), bytes(70000)):
            made = key(folder, "import", "x", "--from=-", stdin=pem)
            assert made.returncode == 1 and made.stderr.startswith(b"headrace: "), made
        for words in (("--use=sign,decrypt",), ("--use=verify",), ("--padding=oaep",), ("--digest=MD5",),
                      ("--rate=x",), ("--uid=nobody-there",)):
            assert key(folder, "import", "x", "--from=-", *words, stdin=rsa).returncode == 2, words
        assert key(folder, "import", "x", "--from=-", "--algorithm=RSA-4096", stdin=rsa).returncode == 1
        assert key(folder, "import", "x", stdin=rsa).returncode == 2
        assert key(folder, "new", "x", "--algorithm=RSA-2048", "--from=-", stdin=rsa).returncode == 2
        assert key(folder, "new", "x", "--algorithm=ECDSA-P256", "--padding=pss").returncode == 2
        assert os.listdir(folder) == []
        assert key(folder, "public", "x").returncode == 1


# ---- requests ----

@test
def a_named_key_signs_for_those_who_may_use_it():
    with service() as s:
        write_key(s, "web")
        write_key(s, "roots", FILE.replace("0-70000", str(os.getuid())))
        plain = Client(s.path)
        assert plain.result(RELOAD) == 0 and plain.result(ATTACH) == 0
        assert plain.result(OPEN, name=b"web") == ERRORS["HR_ESTATE"]
        reply = plain.ask(PUBLIC, name=b"web")
        size, length = struct.unpack_from("=II", reply["more"])
        assert (reply["result"], reply["alg"], size, length) == (0, ED25519, 64, len(reply["more"]) - 8)
        assert plain.result(PUBLIC, name=b"other") == ERRORS["HR_EHANDLE"]
        client, other = KeyClient(s.path), KeyClient(s.path)
        result, handle = client.open("web")
        assert result == 0
        result, signature = client.run(ED25519, SIGN, handle, MESSAGE, len(MESSAGE))
        assert result == 0 and len(signature) == 64
        assert client.run(ED25519, VERIFY, handle, MESSAGE + signature, len(MESSAGE))[0] == ERRORS["HR_EACCESS"]
        assert other.run(ED25519, SIGN, handle, MESSAGE, len(MESSAGE))[0] == ERRORS["HR_EHANDLE"]
        assert client.open("none")[0] == ERRORS["HR_EHANDLE"]
        assert client.result(TAKE_BACK, handle=handle) == 0
        assert client.run(ED25519, SIGN, handle, MESSAGE, len(MESSAGE))[0] == ERRORS["HR_EHANDLE"]
        handles = [client.open("web") for _ in range(257)]
        assert [result for result, _ in handles] == [0] * 256 + [ERRORS["HR_EBUFFER"]]
        os.unlink(f"{s.keys}/web")
        assert plain.result(RELOAD) == 0
        assert client.run(ED25519, SIGN, handles[0][1], MESSAGE, len(MESSAGE))[0] == ERRORS["HR_EHANDLE"]


@test_as_root
def others_do_not_use_it():
    with service(owner=0) as s:
        write_key(s, "web", FILE.replace("0-70000", "1000"))
        assert Client(s.path).result(RELOAD) == 0

        def public():
            return Client(s.path).result(PUBLIC, name=b"web")

        def use():
            return KeyClient(s.path).open("web")[0]
        assert as_user(1000, public) == 0 and as_user(1000, use) == 0
        assert as_user(1001, public) == ERRORS["HR_EACCESS"] and as_user(1001, use) == ERRORS["HR_EACCESS"]
        assert public() == 0 and use() == ERRORS["HR_EACCESS"]  # an administrator sees the public key


# ---- the list of keys ----

LIST = 15
NAMED = struct.Struct("=64s4H16H")


def names_of(client, cursor=0):
    """Returns the list's result, the next cursor and the names of one answer."""
    reply = client.ask(LIST, handle=cursor)
    keys = [NAMED.unpack_from(reply["more"], at) for at in range(0, len(reply["more"]), NAMED.size)]
    return reply["result"], reply["handle"], [key[0].rstrip(b"\0").decode("ascii") for key in keys]


@test
def a_long_list_comes_in_several_answers():
    with service() as s:
        for i in range(40):
            write_key(s, f"key{i}")
        client = Client(s.path)
        assert client.result(RELOAD) == 0
        result, cursor, names = names_of(client)  # before it attaches, as `headrace accel` does
        assert result == 0 and cursor and len(names) == 16, names
        _, cursor, more = names_of(client, cursor)
        _, end, last = names_of(client, cursor)
        assert end == 0 and sorted(names + more + last) == sorted(f"key{i}" for i in range(40))
        assert client.result(RELOAD) == 0
        assert names_of(client, cursor) == (ERRORS["HR_ESTATE"], 0, [])
        assert len(names_of(client)[2]) == 16
        _, cursor, _ = names_of(client)
        assert names_of(client, cursor | 0xffffffff) == (0, 0, [])


@test_as_root
def a_list_has_the_keys_that_can_be_opened():
    policy = "[client few]\nuid = 1002\nalgorithms = HMAC-*\n[client none]\nuid = 1003\nattach = no\n[client all]\n"
    with service(owner=0, policy=policy) as s:
        write_key(s, "hers", FILE.replace("0-70000", "1000"))
        write_key(s, "theirs", FILE.replace("0-70000", "1000-1003"))
        for words in (("mac", "--algorithm=HMAC-SHA-256", "--uid=1000-1003"),
                      ("oaep", "--algorithm=RSA-2048", "--uid=1000", "--use=decrypt", "--digest=SHA-1")):
            assert key(s.keys, "new", *words).returncode == 0
        assert Client(s.path).result(RELOAD) == 0

        def lists(*wanted):
            def judge():
                client = Client(s.path)
                for attaches in False, True:
                    if attaches:
                        client.result(ATTACH)
                    result, cursor, names = names_of(client)
                    if result or cursor or sorted(names) != sorted(wanted):
                        return result or -99
                return 0
            return judge
        assert as_user(1000, lists("hers", "theirs", "mac", "oaep")) == 0
        assert as_user(1001, lists("theirs", "mac")) == 0
        assert as_user(1002, lists("mac")) == 0
        assert as_user(1003, lists()) == ERRORS["HR_EACCESS"]
        assert lists()() == 0  # root, who administers, and may not use them

        def as_another():
            os.setresgid(NOBODY, NOBODY, NOBODY)
            os.setresuid(1000, 1000, 1000)
        os.chmod(s.keys, 0o700)
        for words in (f"--keys={s.keys}",), (f"--socket={s.path}",):
            result = subprocess.run([HEADRACE, "accel", "key", "list", *words], capture_output=True, text=True,
                                    check=False, env={**os.environ, "HEADRACE_ACCEL": s.path}, preexec_fn=as_another)
            lines = [line.split(None, 1) for line in result.stdout.splitlines()]
            assert result.returncode == 0 and len(lines) == 5, result
            told = {name: re.split("  +", rest) for name, rest in lines}
            assert told["name"] == ["algorithm", "use", "padding", "digests"]
            assert told["oaep"] == ["RSA-2048", "decrypt", "oaep", "SHA-1"], told
            assert told["mac"] == ["HMAC-SHA-256", "mac, verify", "-", "-"], told
            assert told["hers"] == ["Ed25519", "sign", "-", "-"], told


@test
def rsa_is_padded_in_the_service():
    with service() as s:
        made = key(s.keys, "new", "web", "--algorithm=RSA-2048", "--uid=0-70000", "--padding=pss", "--digest=SHA-256")
        assert made.returncode == 0, made
        assert Client(s.path).result(RELOAD) == 0
        client = KeyClient(s.path)
        result, handle = client.open("web")
        assert result == 0

        def sign(padding, digest, length, operation=SIGN):
            options = struct.pack("=BBHHHHHi", padding, 0, digest, 0, 0, 0, 0, -1)
            return client.run(RSA2048, operation, handle, bytes(length), length, options=options)
        result, signature = sign(PSS, SHA256, 32)
        assert result == 0
        with tempfile.TemporaryDirectory() as folder:
            with open(f"{folder}/public", "wb") as file:
                file.write(key(s.keys, "public", "web").stdout)
            with open(f"{folder}/signature", "wb") as file:
                file.write(signature)
            assert b"Verified" in openssl("pkeyutl", "-verify", "-pubin", "-inkey", f"{folder}/public", "-sigfile",
                                          f"{folder}/signature", "-pkeyopt", "rsa_padding_mode:pss", "-pkeyopt",
                                          "digest:sha256", stdin=bytes(32))
        for padding, digest, length, operation in ((PKCS1, SHA256, 32, SIGN), (NONE, 0, 256, SIGN), (0, 0, 32, SIGN),
                                                   (PSS, SHA256 + 1, 48, SIGN), (PSS, 0, 32, SIGN),
                                                   (NONE, 0, 256, DECRYPT), (PKCS1, 0, 256, DECRYPT),
                                                   (PSS, SHA256, 256, VERIFY), (NONE, 0, 256, 2)):
            result, out = sign(padding, digest, length, operation)
            assert result == ERRORS["HR_EACCESS"] and out == b"", (padding, digest, length, operation, result)


@test
def uses_are_logged_and_limited():
    with service() as s:
        write_key(s, "web", FILE + "log = yes\nrate = 1000\n")
        assert Client(s.path).result(RELOAD) == 0
        client = KeyClient(s.path)
        handle = client.open("web")[1]
        for _ in range(120):  # more than the burst of a twentieth of a second
            assert client.run(ED25519, SIGN, handle, MESSAGE, len(MESSAGE))[0] == 0
        assert client.run(ED25519, VERIFY, handle, MESSAGE + bytes(64), len(MESSAGE))[0] == ERRORS["HR_EACCESS"]
        line = f"key web: sign for user {os.getuid()} (process {os.getpid()}): done"
        s.wait_for_log("not permitted" if "not permitted" in s.log() else line)
        assert s.log().count(line) == 120, s.log()


def a_pipe():
    read, write = os.pipe()
    fcntl.fcntl(write, fcntl.F_SETPIPE_SZ, 4096)
    return read, write


def a_socket():
    read, write = (end.detach() for end in socket.socketpair())
    return read, write


@cases([("pipe", a_pipe), ("socket", a_socket)])
def a_log_that_nobody_reads_stops_nothing(make):
    """All requests are answered. Who reads the log later sees how many lines are missing."""
    name, uses, seen, lost, text = 60 * "w", 1200, 0, 0, b""  # long lines fill the queue soon
    read, write = make()
    with service(stderr=write) as s:
        os.close(write)
        write_key(s, name, FILE + "log = yes\n")
        assert Client(s.path).result(RELOAD) == 0
        client = KeyClient(s.path)
        handle = client.open(name)[1]
        for _ in range(uses):
            assert client.run(ED25519, SIGN, handle, MESSAGE, len(MESSAGE))[0] == 0
        assert Client(s.path).result(RELOAD) == 0
        while seen + lost < uses:
            text += os.read(read, 1 << 16)
            seen = text.count(b"sign for user")
            lost = sum(map(int, re.findall(rb"headraced: (\d+) lines of the log are lost here", text)))
        assert seen > 300 and lost > 100, (seen, lost)
        assert all(line.startswith(b"headraced: ") for line in text.splitlines()[:-1])
        # and then the log goes on
        assert client.run(ED25519, SIGN, handle, MESSAGE, len(MESSAGE))[0] == 0
        while text.count(b"sign for user") == seen:
            text += os.read(read, 1 << 16)
    os.close(read)


# ---- credentials ----

@test
def credentials_of_systemd_are_keys():
    with tempfile.TemporaryDirectory() as folder:
        with open(f"{folder}/key.sealed", "w", encoding="ascii") as file:
            file.write(FILE)
        with open(f"{folder}/other", "w", encoding="ascii") as file:
            file.write("nothing of ours")
        os.chmod(f"{folder}/key.sealed", 0o440)
        with service(env={"CREDENTIALS_DIRECTORY": folder}) as s:
            client = KeyClient(s.path)
            result, handle = client.open("sealed")
            assert result == 0 and client.run(ED25519, SIGN, handle, MESSAGE, len(MESSAGE))[0] == 0
            assert Client(s.path).result(RELOAD) == 0
            assert client.run(ED25519, SIGN, handle, MESSAGE, len(MESSAGE))[0] == 0
            write_key(s, "sealed")
            assert Client(s.path).result(RELOAD) == ERRORS["HR_EINVAL"]
            assert "key sealed: there are two of this name" in s.log(), s.log()


# ---- what the client has ----

def numbers(text):
    """The numbers of a key file, by their words."""
    found = {}
    for word, digits in re.findall(r"^([a-z]+) = ([0-9a-f]+)$", text, re.M):
        found[word] = found.get(word, b"") + bytes.fromhex(digits)
    return found


def memory_of(pid):
    """All readable memory of a process, but for a sanitizer's shadow and zeros, in blocks that overlap by 32 bytes."""
    step, overlap = 1 << 20, 32
    with open(f"/proc/{pid}/maps", encoding="ascii") as maps, open(f"/proc/{pid}/mem", "rb", buffering=0) as memory:
        for line in maps:
            begin, end = (int(x, 16) for x in line.split()[0].split("-"))
            if line.split()[1][0] != "r" or "[v" in line or end - begin > 1 << 30:
                continue
            for at in range(begin, end, step):
                memory.seek(at)
                try:
                    block = memory.read(min(step + overlap, end - at))
                except OSError:
                    continue
                if block.count(0) < len(block):
                    yield block


@test
def a_client_never_has_the_key():
    with service() as s:
        assert key(s.keys, "new", "web", "--algorithm=RSA-2048", "--uid=0-70000").returncode == 0
        assert Client(s.path).result(RELOAD) == 0
        text = open(f"{s.keys}/web", encoding="ascii").read()
        secrets = [value for word, value in numbers(text).items() if word not in ("n", "e", "rate", "uid")]
        modulus = numbers(text)["n"]
        holder = subprocess.Popen([HOLDER, s.path, "web"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        assert holder.stdout.readline() == b"signed\n"
        pieces = set()
        for secret in secrets:  # 16 bytes of each number, in any order of bytes and words
            for order in (secret, secret[::-1]):
                pieces.update(order[i:i + 8] for i in range(16, len(order) - 24, 8))
        found = public = 0
        for block in memory_of(holder.pid):
            public += modulus[:32] in block
            found += sum(piece in block for piece in pieces)
        holder.communicate(b"\n")
        assert holder.returncode == 0 and found == 0, (found, public)
        # this process has read the file: the search finds what is there
        assert sum(piece in block for block in memory_of(os.getpid()) for piece in list(pieces)[:4]) > 0


if __name__ == "__main__":
    main()
