# SPDX-License-Identifier: Apache-2.0
"""headrace digest beside Python's hashlib and zlib, coreutils and openssl."""
import hashlib
import os
import random
import subprocess
import zlib

from cli import HEADRACE, OPENSSL, directory, environment, headrace, main, one_line, run, test, test_with

# as digest -l lists them: hashlib's name, BSD's tag, openssl's
ROWS = {"sha224": ("sha224", "SHA224", "SHA2-224"), "sha256": ("sha256", "SHA256", "SHA2-256"),
        "sha384": ("sha384", "SHA384", "SHA2-384"), "sha512": ("sha512", "SHA512", "SHA2-512"),
        "sha512_224": ("sha512_224", "SHA512/224", "SHA2-512/224"),
        "sha512_256": ("sha512_256", "SHA512/256", "SHA2-512/256"),
        "md5": ("md5", "MD5", "MD5"), "sha1": ("sha1", "SHA1", "SHA1"),
        "sha3_224": ("sha3_224", "SHA3-224", "SHA3-224"), "sha3_256": ("sha3_256", "SHA3-256", "SHA3-256"),
        "sha3_384": ("sha3_384", "SHA3-384", "SHA3-384"), "sha3_512": ("sha3_512", "SHA3-512", "SHA3-512")}
CHECKSUMS = {"crc32": "CRC32", "crc32c": "CRC32C", "ipsum": "IPSUM"}
CONTENT = {b"a": b"abc", b"empty": b"", b"b (1)": b"1", b" c": b"2", b"*d": b"3", b"new\nline": b"4",
           b"back\\slash": b"5", b"r\rr": b"6", b"p)q (r) = 0": b"7", b"\xff\x01": b"8", b"-v": b"9",
           b"sha1 (a) = 0": b"10", b"big": bytes(range(256)) * 5000}


def crc32c(content):
    crc = 0xffffffff
    for byte in content:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ 0x82f63b78 * (crc & 1)
    return (crc ^ 0xffffffff).to_bytes(4, "big")


def ipsum(content):
    content += b"\0" * (len(content) & 1)
    total = sum(content[i] << 8 | content[i + 1] for i in range(0, len(content), 2))
    while total >> 16:
        total = (total & 0xffff) + (total >> 16)
    return (total ^ 0xffff).to_bytes(2, "big")


def expected(row, content):
    if row in ROWS:
        return hashlib.new(ROWS[row][0], content, usedforsecurity=False).hexdigest().encode()
    value = {"crc32": lambda: zlib.crc32(content).to_bytes(4, "big"), "crc32c": lambda: crc32c(content),
             "ipsum": lambda: ipsum(content)}
    return value[row]().hex().encode()


def escaped(path):
    return path.replace(b"\\", b"\\\\").replace(b"\n", b"\\n").replace(b"\r", b"\\r")


def line(front, path, digest):
    mark = b"\\" if escaped(path) != path else b""
    return mark + front + b"(" + escaped(path) + b") = " + digest + b"\n"


def digest(folder, *words, stdin=b"", program=HEADRACE, **env):
    command = [program, "digest", *words] if program == HEADRACE else [program, *words]
    result = subprocess.run(command, input=stdin, capture_output=True, cwd=folder, timeout=60,
                            env=environment(LC_ALL="C.UTF-8", **env))
    return result.returncode, result.stdout, result.stderr


def filled(folder, content=None):
    for path, data in (content or CONTENT).items():
        with open(os.path.join(folder.encode(), path), "wb") as out:
            out.write(data)
    return folder


# ---- forms ----

@test
def every_algorithm_in_every_form():
    small = {path: data for path, data in CONTENT.items() if path != b"big"}
    with directory() as d:
        filled(d, small)
        for row in [*ROWS, *CHECKSUMS]:
            tag = (ROWS[row][1] if row in ROWS else CHECKSUMS[row]).encode() + b" "
            sums = {path: expected(row, data) for path, data in small.items()}
            for front, words in (b"", []), (row.encode() + b" ", ["-v"]), (tag, ["--tag"]):
                assert digest(d, *words, "-a", row, "--", *small) == \
                    (0, b"".join(line(front, path, sums[path]) for path in small), b""), (row, words)
            assert digest(d, "-v", "-a", row, "a") == (0, line(row.encode() + b" ", b"a", sums[b"a"]), b"")
            assert digest(d, "-a", row, "a") == (0, sums[b"a"] + b"\n", b"")
            for words in [], ["-"]:
                assert digest(d, "-a", row, *words, stdin=b"abc") == (0, sums[b"a"] + b"\n", b"")


@test
def long_files_and_pipes():
    with directory() as d:
        rng = random.Random(3)
        for size in 262143, 262144, 262145, 5 * 262144, 3000001:
            data = rng.randbytes(size)
            filled(d, {b"f": data})
            for row in "sha256", "crc32":
                want = expected(row, data) + b"\n"
                assert digest(d, "-a", row, "f") == digest(d, "-a", row, stdin=data) == (0, want, b"")


@test
def names_of_algorithms():
    with directory() as d:
        for row, names in ROWS.items():
            for name in row, row.upper(), *names, names[1].replace("/", "-"), names[2].lower():
                assert digest(d, "-a", name, stdin=b"x") == (0, expected(row, b"x") + b"\n", b""), name


@test
def the_list():
    listed = headrace("digest", "-l").stdout.splitlines()
    assert {text.split()[0] for text in listed} == {*ROWS, *CHECKSUMS}
    assert {text.split()[0] for text in listed if "checksum" in text} == {*CHECKSUMS}


@test
def links_do_the_same():
    with directory() as d:
        os.symlink(HEADRACE, f"{d}/digest")
        assert digest(d, "-a", "sha1", stdin=b"abc", program=f"{d}/digest") == (0, expected("sha1", b"abc") + b"\n", b"")
        assert b"headrace-digest(1)" in digest(d, "--help", program=f"{d}/digest")[1]


# ---- errors ----

@test
def solaris_name():
    with directory() as d:
        os.symlink(HEADRACE, f"{d}/digest")
        filled(d)
        want = expected("sha1", b"abc")
        assert digest(d, "-v", "-a", "sha1", stdin=b"abc", program=f"{d}/digest") == (0, b"sha1 %s\n" % want, b"")
        code, out, _ = digest(d, "-l", program=f"{d}/digest")
        assert code == 0 and sorted(out.decode().split()) == sorted([*ROWS, *CHECKSUMS])
        code, out, errors = digest(d, "-a", "sha1", "a", "none", "a", program=f"{d}/digest")
        assert code > 0 and out == b"(a) = %s\n" % want * 2 and b"none" in errors


@test
def wrong_command_lines():
    for words in [], ["file"], ["-a"], ["-a", "sha257", "f"], ["-a", "hmac-sha1"], ["-a", "aes-128-cbc"], \
            ["-v", "--tag", "-a", "md5"], ["-c", "-v", "-a", "md5"], ["-c", "--tag"], ["-a", "md5", "--quiet"], \
            ["-a", "md5", "--status"], ["-a", "md5", "-w"], ["-a", "md5", "--strict"], ["-x"], \
            ["-a", "md5", "--ignore-missing"]:
        one_line(headrace("digest", *words, stdin=""), 2)
    assert "SHA-256" in headrace("digest", "-a", "sha26").stderr


@test
def files_that_cannot_be_read():
    with directory() as d:
        filled(d)
        code, text, errors = digest(d, "-a", "md5", "no", "a", ".", "no\nmore")
        assert code == 1 and text == line(b"", b"a", expected("md5", b"abc"))
        assert errors == b"headrace: no: No such file or directory\nheadrace: .: Is a directory\n" \
            b"headrace: 'no'$'\\n''more': No such file or directory\n", errors


@test
def a_full_disk():
    with open("/dev/full", "w") as full:
        result = headrace("digest", "-a", "md5", stdin="x", stdout=full)
    assert result.returncode == 1 and "cannot write" in result.stderr


# ---- lists ----

def others(d, row, paths):
    """Yields lists of these files by other programs that a list may come from, if they are installed."""
    plain = [path for path in paths if escaped(path) == path]  # openssl escapes none
    name = ROWS[row][0].replace("_", "-")
    commands = [[OPENSSL, "dgst", f"-{name}", *(b"./" + path for path in plain)],
                [OPENSSL, "dgst", "-r", f"-{name}", *(b"./" + path for path in plain)]]
    if "_" not in row:
        commands += [[f"{row}sum", *flags, "--", *paths] for flags in ([], ["-b"], ["--tag"])]
    for command in commands:
        result = subprocess.run(command, cwd=d, capture_output=True, env=environment())
        assert result.returncode == 0, (command, result)
        yield result.stdout


@test_with(OPENSSL)
def lists_of_any_form():
    with directory() as d:
        filled(d)
        for row in ROWS:
            own = [digest(d, *words, "-a", row, "--", *CONTENT)[1] for words in ([], ["-v"], ["--tag"])]
            old = [b"%s(a)= %s\n" % (name.encode(), expected(row, b"abc")) for name in ROWS[row]]
            for text in [*own, *others(d, row, CONTENT), *old]:
                for words in ["-c"], ["-c", "--strict"], ["-cw"]:
                    code, out, errors = digest(d, *words, "-a", row, stdin=text)
                    assert code == 0 and not errors and out.count(b": OK\n") == text.count(b"\n"), (text, errors)
                assert digest(d, "-c", "--quiet", "-a", row, stdin=text.replace(b"\n", b"\r\n")) == (0, b"", b"")


@test
def mixed_forms_in_one_list():
    want = expected("sha256", b"abc")
    forms = [b"%s  a", b"%s *a", b"sha256 (a) = %s", b"SHA256 (a) = %s", b"SHA256(a)= %s", b"SHA2-256(a)= %s",
             b"(a) = %s", b"\\%s  a", b"# %s", b""]
    with directory() as d:
        filled(d)
        rng = random.Random(1)
        for _ in range(50):
            chosen = rng.choices(forms, k=9)
            text = b"".join((form.replace(b"%s", want) + b"\n") for form in chosen)
            lines = sum(bool(form) and not form.startswith(b"#") for form in chosen)
            assert digest(d, "-c", "-a", "sha256", "--strict", stdin=text) == (0, b"a: OK\n" * lines, b"") or not lines


@test
def lines_name_their_algorithm():
    with directory() as d:
        filled(d)
        text = b"".join(line(tag.encode() + b" ", b"a", expected(row, b"abc"))
                        for row in ROWS for tag in ROWS[row])
        text += b"".join(line(tag.encode() + b" ", b"a", expected(row, b"abc")) for row, tag in CHECKSUMS.items())
        assert digest(d, "-c", "--strict", stdin=text) == (0, b"a: OK\n" * text.count(b"\n"), b"")
        # with -a, only lines of that algorithm are read
        code, out, errors = digest(d, "-c", "-w", "-a", "sha256", stdin=text)
        assert code == 0 and out == b"a: OK\n" * 3
        assert errors.count(b"improperly formatted SHA256 checksum line") == text.count(b"\n") - 3
        # without -a, lines that name no digest are not read
        for bare in b"%s  a\n", b"(a) = %s\n", b"%s\n", b"HMAC-SHA256 (a) = %s\n", b"AES-128-CBC (a) = %s\n":
            code, out, errors = digest(d, "-c", stdin=bare % expected("sha256", b"abc"))
            assert (code, out) == (1, b"") and b"no properly formatted" in errors, bare


@test
def what_is_wrong_is_said():
    good, bad = expected("sha1", b"abc"), expected("sha1", b"")
    with directory() as d:
        filled(d)
        text = b"(a) = %s\n(big) = %s\n(no) = %s\nwhat\n" % (good, bad, good)
        code, out, errors = digest(d, "-c", "-a", "sha1", stdin=text)
        assert (code, out) == (1, b"a: OK\nbig: FAILED\nno: FAILED open or read\n")
        assert errors == b"headrace: no: No such file or directory\n" \
            b"headrace: WARNING: 1 line is improperly formatted\n" \
            b"headrace: WARNING: 1 listed file could not be read\n" \
            b"headrace: WARNING: 1 computed checksum did NOT match\n", errors
        assert digest(d, "-c", "--status", "-a", "sha1", "--ignore-missing", stdin=text) == (1, b"", b"")
        assert digest(d, "-c", "--ignore-missing", "--quiet", "-a", "sha1", stdin=b"(a) = %s\n(no) = %s\n" %
                      (good, good)) == (0, b"", b"")
        assert digest(d, "-c", "--strict", "-a", "sha1", stdin=b"(a) = %s\nx\n" % good)[0] == 1
        assert digest(d, "-c", "-a", "sha1", stdin=b"(a) = %s\nx\n" % good)[0] == 0
        one_line(headrace("digest", "-c", "-a", "sha1", f"{d}/nolist"), 1)


main()
