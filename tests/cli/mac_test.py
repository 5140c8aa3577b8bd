# SPDX-License-Identifier: Apache-2.0
"""headrace mac beside Python's hmac, openssl, and Poly1305 as its paper has it."""
import hmac
import os
import pty
import random
import signal
import subprocess

from cli import HEADRACE, OPENSSL, directory, environment, headrace, main, one_line, test, test_with

# Solaris's name: hashlib's, the tag, openssl's
HMACS = {"sha224_hmac": ("sha224", "HMAC-SHA224", "HMAC-SHA2-224"),
         "sha256_hmac": ("sha256", "HMAC-SHA256", "HMAC-SHA2-256"),
         "sha384_hmac": ("sha384", "HMAC-SHA384", "HMAC-SHA2-384"),
         "sha512_hmac": ("sha512", "HMAC-SHA512", "HMAC-SHA2-512"),
         "sha512_224_hmac": ("sha512_224", "HMAC-SHA512/224", "HMAC-SHA2-512/224"),
         "sha512_256_hmac": ("sha512_256", "HMAC-SHA512/256", "HMAC-SHA2-512/256"),
         "md5_hmac": ("md5", "HMAC-MD5", "hmacWithMD5"), "sha1_hmac": ("sha1", "HMAC-SHA1", "hmacWithSHA1")}
GMACS = {"aes_128_gmac": 16, "aes_192_gmac": 24, "aes_256_gmac": 32}
CMACS = {"aes_128_cmac": ("AES-128-CBC", 16), "aes_192_cmac": ("AES-192-CBC", 24), "aes_256_cmac": ("AES-256-CBC", 32),
         "des_ede2_cmac": ("DES-EDE-CBC", 16), "des_ede3_cmac": ("DES-EDE3-CBC", 24)}
CONTENT = {b"a": b"abc", b"empty": b"", b"b (1)": b"1", b"new\nline": b"4", b"back\\slash": b"5",
           b"big": bytes(range(256)) * 5000}
KEY = bytes(range(7, 71))
NONCE = bytes(range(100, 116))


def mac(folder, *words, stdin=b"", program=HEADRACE, **more):
    command = [program, "mac", *words] if program == HEADRACE else [program, *words]
    result = subprocess.run(command, input=stdin, capture_output=True, cwd=folder, timeout=60,
                            env=environment(LC_ALL="C.UTF-8"), **more)
    return result.returncode, result.stdout, result.stderr


def filled(folder, **more):
    for path, data in {**CONTENT, **{name.encode(): data for name, data in more.items()}}.items():
        with open(os.path.join(folder.encode(), path), "wb") as out:
            out.write(data)
    for length in 1, 16, 24, 32, 64:
        with open(f"{folder}/key{length}", "wb") as out:
            out.write(KEY[:length])
    return folder


def hmac_of(row, content, key=KEY):
    return hmac.new(key, content, HMACS[row][0]).hexdigest().encode()


def poly1305(content, r, s):
    """Computes Poly1305 as in D. J. Bernstein, "The Poly1305-AES message-authentication code", section 2."""
    r = int.from_bytes(r, "little") & 0x0ffffffc0ffffffc0ffffffc0fffffff
    h = 0
    for at in range(0, len(content), 16):
        h = (h + int.from_bytes(content[at:at + 16] + b"\1", "little")) * r % (2**130 - 5)
    return ((h + int.from_bytes(s, "little")) % 2**128).to_bytes(16, "little").hex().encode()


def aes_128(key, block):
    return subprocess.run([OPENSSL, "enc", "-aes-128-ecb", "-nopad", "-K", key.hex()], input=block,
                          capture_output=True, check=True, env=environment()).stdout


def escaped(path):
    return path.replace(b"\\", b"\\\\").replace(b"\n", b"\\n")


def line(front, path, value):
    mark = b"\\" if escaped(path) != path else b""
    return mark + front + b"(" + escaped(path) + b") = " + value + b"\n"


# ---- values and forms ----

@test
def every_hmac_in_every_form():
    with directory() as d:
        filled(d)
        for row in HMACS:
            macs = {path: hmac_of(row, data) for path, data in CONTENT.items()}
            for front, words in (b"", []), (row.encode() + b" ", ["-v"]), (HMACS[row][1].encode() + b" ", ["--tag"]):
                text = b"".join(line(front, path, macs[path]) for path in CONTENT)
                assert mac(d, *words, "-a", row, "-k", "key64", "--", *CONTENT) == (0, text, b""), (row, words)
                assert mac(d, "-c", "--strict", "--quiet", "-a", row, "-k", "key64", stdin=text) == (0, b"", b"")
            for name in row, row.upper(), *HMACS[row][1:]:
                assert mac(d, "-a", name, "-k", "key64", "a") == (0, macs[b"a"] + b"\n", b""), name
            assert mac(d, "-a", row, "-k", "key64", stdin=b"abc") == (0, macs[b"a"] + b"\n", b"")
            assert mac(d, "-a", row, "-k", "key1", "a") == (0, hmac_of(row, b"abc", KEY[:1]) + b"\n", b"")


@test
def keys_of_many_lengths():
    with directory() as d:
        rng = random.Random(9)
        for length in 2, 63, 65, 127, 128, 129, 1000, 65536:
            key = rng.randbytes(length - 1) + b"\n"
            filled(d, K=key)
            for row in "sha1_hmac", "sha512_hmac":
                assert mac(d, "-a", row, "-k", "K", "big") == (0, hmac_of(row, CONTENT[b"big"], key) + b"\n", b"")
        for length in 0, 65537:
            filled(d, K=bytes(length))
            code, out, errors = mac(d, "-a", "sha1_hmac", "-k", "K", "a")
            assert (code, out) == (1, b"") and (b"empty" in errors or b"longer" in errors), errors


@test_with(OPENSSL)
def gmac_is_that_of_openssl():
    with directory() as d:
        filled(d)
        for row, length in GMACS.items():
            for nonce in NONCE[:12], NONCE[:1], NONCE, NONCE * 5:
                for path, data in CONTENT.items():
                    theirs = subprocess.run(
                        [OPENSSL, "mac", "-cipher", f"AES-{8 * length}-GCM", "-macopt", f"hexkey:{KEY[:length].hex()}",
                         "-macopt", f"hexiv:{nonce.hex()}", "-in", "-", "GMAC"], input=data, capture_output=True,
                        env=environment(), check=True).stdout.strip().lower()
                    assert mac(d, "-a", row, "-k", f"key{length}", "--nonce", nonce.hex(), path) == \
                        (0, theirs + b"\n", b""), (row, nonce, path)


@test_with(OPENSSL)
def cmac_is_that_of_openssl():
    with directory() as d:
        filled(d)
        for row, (cipher, length) in CMACS.items():
            macs = {}
            for path, data in CONTENT.items():
                macs[path] = subprocess.run(
                    [OPENSSL, "mac", "-cipher", cipher, "-macopt", f"hexkey:{KEY[:length].hex()}", "-in", "-", "CMAC"],
                    input=data, capture_output=True, env=environment(), check=True).stdout.strip().lower()
                assert mac(d, "-a", row, "-k", f"key{length}", path) == (0, macs[path] + b"\n", b""), (row, path)
            # a key is for many messages, and so for lists
            lines = mac(d, "-a", row, "-k", f"key{length}", "--tag", "a", "empty", "big")[1]
            assert lines.count(b"\n") == 3 and macs[b"big"] in lines
            assert mac(d, "-a", row, "-k", f"key{length}", "-c", stdin=lines) == (0, b"a: OK\nempty: OK\nbig: OK\n", b"")
            forged = lines.replace(macs[b"a"], macs[b"empty"])
            assert mac(d, "-a", row, "-k", f"key{length}", "-c", stdin=forged)[:2] == (1, b"a: FAILED\nempty: OK\nbig: OK\n")


@test_with(OPENSSL)
def poly1305_is_that_of_its_paper():
    with directory() as d:
        filled(d)
        for path, data in CONTENT.items():
            want = poly1305(data, KEY[:16], KEY[16:32])
            assert mac(d, "-a", "poly1305", "-k", "key32", path) == (0, want + b"\n", b"")
            want = poly1305(data, KEY[16:32], aes_128(KEY[:16], NONCE))
            for words in ["poly1305_aes", "--nonce", NONCE.hex()], ["Poly1305-AES", "--iv", NONCE.hex().upper()]:
                assert mac(d, "-k", "key32", "-a", *words, path) == (0, want + b"\n", b"")


@test
def the_list():
    text = headrace("mac", "-l").stdout
    assert {row.split()[0] for row in text.splitlines()} == {*HMACS, *GMACS, *CMACS, "des_mac", "retail_mac", "retail_mac_80", "poly1305", "poly1305_aes", "kasumi_f9"}


# ---- what must not happen ----

@test
def solaris_name():
    with directory() as d:
        filled(d)
        os.symlink(HEADRACE, f"{d}/mac")
        table = mac(d, "-l", program=f"{d}/mac")[1].decode().splitlines()
        assert table[0] == "Algorithm       Keysize:  Min   Max" and table[1] == "-" * 35
        assert "sha1_hmac                   8 524288" in table and "poly1305_aes              256   256" in table


@test
def nonces_and_keys_for_one_message():
    with directory() as d:
        filled(d)
        for words in ["aes-128-gmac", "-k", "key16"], ["poly1305-aes", "-k", "key32"], \
                ["aes-128-gmac", "-k", "key16", "--nonce", ""], ["aes-128-gmac", "-k", "key16", "--nonce", "0"], \
                ["aes-128-gmac", "-k", "key16", "--nonce", "0g"], ["kasumi-f9", "-k", "key16", "--nonce", "00" * 8], \
                ["kasumi-f9", "-k", "key16", "--nonce", "00" * 8 + "02"], ["poly1305-aes", "-k", "key32", "--nonce", "00" * 12], \
                ["poly1305", "-k", "key32", "--nonce", "00" * 16], ["sha1_hmac", "-k", "key16", "--nonce", "00"]:
            code, out, errors = mac(d, "-a", *words, "a")
            assert (code, out) == (2, b"") and b"nonce" in errors, (words, errors)
        for words in ["aes-128-gmac", "-k", "key16", "--nonce", "00" * 12], ["poly1305", "-k", "key32"], \
                ["poly1305-aes", "-k", "key32", "--nonce", "00" * 16]:
            code, out, errors = mac(d, "-a", *words, "a", "empty")
            assert (code, out) == (2, b"") and b"one FILE" in errors, (words, errors)
            text = mac(d, "--tag", "-a", *words, "a")[1]
            assert mac(d, "-c", "-a", *words, stdin=text) == (0, b"a: OK\n", b"")
            wrong = text.replace(b"0", b"1") if b"0" in text else text.replace(b"2", b"3")
            assert mac(d, "-c", "-a", *words, stdin=wrong)[0] == 1


@test
def wrong_command_lines():
    with directory() as d:
        filled(d)
        for words in [], ["-k", f"{d}/key16"], ["-c", "-k", f"{d}/key16"], ["-a", "sha1"], ["-a", "sha1_hmax"], \
                ["-a", "aes-128-cbc"], ["-a", "sha1_hmac", "-v", "--tag"], ["-a", "sha1_hmac", "-K", "label"], \
                ["-a", "sha1_hmac", "--quiet"]:
            one_line(headrace("mac", *words, stdin=""), 2)
        for words in ["aes-128-gmac", "--iv", "00", "-k", f"{d}/key32"], ["poly1305", "-k", f"{d}/key16"], \
                ["sha1_hmac", "-k", f"{d}/none"], ["sha1_hmac", "-k", d]:
            one_line(headrace("mac", "-a", *words, stdin=""), 1)


# ---- lists ----

@test
def lists_of_any_form():
    with directory() as d:
        filled(d)
        for row in HMACS:
            value = hmac_of(row, b"abc")
            forms = [b"%s  a", b"%s *a", b"(a) = %s", b"HMAC-%s(a)= %%s" % HMACS[row][0].upper().encode()]
            forms += [b"%s (a) = %%s" % name.encode() for name in (row, *HMACS[row])[1:]]
            forms = [form for form in forms if not form.startswith(HMACS[row][0].encode() + b" ")]
            text = b"\n".join(form % value for form in forms) + b"\n"
            assert mac(d, "-c", "--strict", "-a", row, "-k", "key64", stdin=text) == \
                (0, b"a: OK\n" * len(forms), b""), (row, text)
            # a wrong key, a wrong file
            assert mac(d, "-c", "-a", row, "-k", "key32", stdin=text)[:2] == (1, b"a: FAILED\n" * len(forms))
            assert mac(d, "-c", "--status", "-a", row, "-k", "key64", stdin=text.replace(b"a", b"b (1)"))[0] == 1
        # lines of another algorithm, of a digest, and with a short MAC are not read
        for wrong in b"HMAC-SHA1 (a) = %s", b"SHA256 (a) = %s", b"sha256 (a) = %s", b"(a) = %.32s", b"%.62s  a":
            code, out, errors = mac(d, "-c", "-w", "-a", "sha256_hmac", "-k", "key64",
                                    stdin=wrong % hmac_of("sha256_hmac", b"abc"))
            assert (code, out) == (1, b"") and b"improperly formatted HMAC-SHA256" in errors, errors


@test_with(OPENSSL)
def a_list_of_openssl():
    with directory() as d:
        filled(d, K=b"secret")
        for name in "sha1", "sha256", "sha512":
            text = subprocess.run([OPENSSL, "dgst", f"-{name}", "-hmac", "secret", "a", "big"], cwd=d,
                                  capture_output=True, env=environment(), check=True).stdout
            assert mac(d, "-c", "--strict", "-a", f"hmac-{name}", "-k", "K", stdin=text) == \
                (0, b"a: OK\nbig: OK\n", b"")


# ---- the terminal ----

def typed(d, words, keys):
    """Types `keys` at the prompt; returns the exit code and what the terminal showed."""
    pid, terminal = pty.fork()
    if pid == 0:
        os.chdir(d)
        os.execve(HEADRACE, ["headrace", "mac", *words], environment())
    shown = b""
    while b":" not in shown:
        shown += os.read(terminal, 1000)
    os.write(terminal, keys)
    try:
        while more := os.read(terminal, 1000):
            shown += more
    except OSError:
        pass
    os.close(terminal)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), shown


@test
def a_key_from_the_terminal():
    with directory() as d:
        filled(d)
        code, shown = typed(d, ["-a", "sha1_hmac", "a"], b"my secret\n")
        assert (code, shown) == (0, b"Enter key:\r\n" + hmac_of("sha1_hmac", b"abc", b"my secret") + b"\r\n")
        code, shown = typed(d, ["-a", "poly1305", "a"], KEY[:32].hex().encode() + b"\n")
        assert (code, shown) == (0, b"Enter key (hex):\r\n" + poly1305(b"abc", KEY[:16], KEY[16:32]) + b"\r\n")
        for words, keys in (["sha1_hmac"], b"\n"), (["sha1_hmac"], b"\4"), (["poly1305"], b"xyz\n"), \
                (["poly1305"], b"00\n"), (["sha1_hmac"], b"x" * 2000 + b"\n"):
            code, shown = typed(d, ["-a", *words, "a"], keys)
            assert code == 1 and b"headrace: mac: " in shown, shown
        assert typed(d, ["-a", "sha1_hmac", "a"], b"secr\3")[0] == -signal.SIGINT


@test
def no_terminal_no_key():
    with directory() as d:
        code, out, errors = mac(filled(d), "-a", "sha1_hmac", "a", start_new_session=True)
        assert (code, out) == (1, b"") and b"no key file" in errors


@test
def a_link_does_the_same():
    with directory() as d:
        os.symlink(HEADRACE, f"{filled(d)}/mac")
        assert mac(d, "-a", "md5_hmac", "-k", "key64", "a", program=f"{d}/mac") == \
            (0, hmac_of("md5_hmac", b"abc") + b"\n", b"")


main()
