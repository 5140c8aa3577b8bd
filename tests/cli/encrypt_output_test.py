# SPDX-License-Identifier: Apache-2.0
"""headrace encrypt and decrypt: what is left of a file when the disk is full or a signal comes, names and permissions,
terminals, and Solaris's format."""
import fcntl
import hashlib
import os
import pty
import random
import re
import resource
import signal
import struct
import subprocess
import termios
import time

from cli import HEADRACE, PRELOAD, environment, main, run, test
from encrypt_folder import Folder, get, in_folder, put
from syscalls import ENDING, WAYS
from terminal import on_terminal

try:
    from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
    SKIP = ""
except ImportError:
    SKIP = " # SKIP python3-cryptography is missing"

CHUNK = 256 * 1024
TEXT = random.Random(7).randbytes(12 * CHUNK + 777)


class Outputs(Folder):
    def __init__(self, path):
        super().__init__(path, bytes(range(32)), b"correct horse\n")
        self.text = put(f"{path}/text", TEXT)
        self.data = f"{path}/text.hr"
        self.good("encrypt", self.text)

    def refused(self, *words, code=1, **more):
        result = self.run(*words, **more)
        assert result.returncode == code and not result.stdout, (words, result.returncode, result.stderr)
        assert result.stderr.startswith(b"headrace: ") and result.stderr.count(b"\n") == 1, result.stderr
        return result.stderr

    def is_empty(self):
        return not os.listdir(self.path)


with_folder = in_folder(Outputs)


# ---- names and permissions ----

@test
@with_folder
def a_file_is_replaced_with_force_only(d):
    for way in WAYS:
        for command, source in ("encrypt", d.text), ("decrypt", d.data):
            out = put(f"{d.path}/out", b"precious")
            assert b"exists already" in d.refused(command, "-o", "out", source, preexec_fn=way)
            assert get(out) == b"precious"
            d.good(command, "-f", "-o", "out", source, preexec_fn=way)
            assert get(out) != b"precious" and os.listdir(d.path) == ["out"]
            os.unlink(out)
            d.good(command, "-o", "out", source, preexec_fn=way)
            assert os.listdir(d.path) == ["out"]
            os.unlink(out)
            os.symlink("nowhere", out)
            d.refused(command, "-o", "out", source, preexec_fn=way)
            os.unlink(out)


@test
@with_folder
def a_file_that_comes_while_another_is_written(d):
    for way in WAYS:
        for force in [], ["-f"]:
            with started(d, ["encrypt", "-o", "out", *force], way) as child:
                put(f"{d.path}/out", b"precious")
                _, errors = child.communicate()
            if force:
                assert child.returncode == 0 and get(f"{d.path}/out") != b"precious"
            else:
                assert child.returncode == 1 and b"exists" in errors and get(f"{d.path}/out") == b"precious"
            assert os.listdir(d.path) == ["out"]
            os.unlink(f"{d.path}/out")


@test
@with_folder
def an_encrypted_file_in_its_own_place(d):
    for way in WAYS:
        put(f"{d.path}/f", TEXT)
        d.good("encrypt", "-f", "-o", "f", "f", preexec_fn=way)
        d.good("decrypt", "-f", "-o", "f", "f", preexec_fn=way)
        assert get(f"{d.path}/f") == TEXT


@test
@with_folder
def permissions(d):
    def mode(command, mask, way):
        d.good(command, "-f", "-o", "out", d.text if command == "encrypt" else d.data,
               preexec_fn=lambda: (os.umask(mask), way and way()))
        return os.stat(f"{d.path}/out").st_mode & 0o7777
    for way in WAYS:
        assert [mode("encrypt", mask, way) for mask in (0o022, 0o077, 0)] == [0o644, 0o600, 0o666]
        assert [mode("decrypt", mask, way) for mask in (0o022, 0o077, 0, 0o377)] == [0o600, 0o600, 0o600, 0o400]


@test
@with_folder
def inputs_and_outputs_that_cannot_be(d):
    d.refused("encrypt", "none")
    d.refused("encrypt", d.path, "-o", "out")
    d.refused("encrypt", "-o", "none/out", d.text)
    d.refused("encrypt", "-o", d.path, d.text)
    d.refused("encrypt", "-o", f"{d.text}/x", d.text)
    d.refused("encrypt", "-o", "x" * 300, d.text)
    d.refused("encrypt", "-o", "x/" * 3000, d.text)
    assert d.is_empty()


@test
@with_folder
def closed_standard_files(d):
    for closed in range(3):
        for words in ["-o", "out", d.data], ["-o", "out"], [d.data, "-o", "-"]:
            result = d.run("decrypt", *words, preexec_fn=lambda: os.close(closed))
            if result.returncode == 0 and "out" in words:
                assert get(f"{d.path}/out") == TEXT
                os.unlink(f"{d.path}/out")
            assert d.is_empty()
            assert result.returncode == (closed == 1 and "out" not in words or d.data not in words), (closed, words, result)


@test
@with_folder
def devices_and_pipes_are_written_directly(d):
    d.good("encrypt", "-o", "/dev/null", d.text)
    os.mkfifo(f"{d.path}/fifo")
    with subprocess.Popen(["sh", "-c", "cat fifo >copy"], cwd=d.path) as reader:
        d.good("decrypt", "-o", "fifo", d.data)
        assert reader.wait() == 0 and get(f"{d.path}/copy") == TEXT
    assert sorted(os.listdir(d.path)) == ["copy", "fifo"]


# ---- full disks ----

def limit(size):
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))


@test
@with_folder
def full_disks_leave_nothing(d):
    for way in WAYS:
        for command, source, most in ("encrypt", d.text, len(TEXT) + 84 + 13 * 16), ("decrypt", d.data, len(TEXT)):
            for size in 0, 50, 84, CHUNK, 3 * CHUNK + 5, most - 1:
                for force in [], ["-f"]:
                    error = d.refused(command, "-o", "out", *force, source,
                                      preexec_fn=lambda: (limit(size), way and way()))
                    assert b"out: File too large" in error and d.is_empty(), (size, error)
            d.good(command, "-o", "out", source, preexec_fn=lambda: (limit(most), way and way()))
            os.unlink(f"{d.path}/out")
    for command, source in ("encrypt", d.text), ("decrypt", d.data):
        assert b"No space left" in d.refused(command, "-o", "/dev/full", source)


SMALL = """mount -t tmpfs -o size=1m tmpfs "$1" && cd "$1" && echo mounted &&
"$2" $3 -k "$4" -o out "$5"; echo "exit $?"; ls -A"""


@test
@with_folder
def a_small_file_system(d):
    for command, source in ("encrypt", d.text), ("decrypt", d.data):
        result = run("unshare", "-rm", "sh", "-c", SMALL, "sh", d.path, HEADRACE, command, d.key, source)
        if "mounted" not in result.stdout:
            print("# SKIP the system allows no namespace:", result.stderr.strip())
            return
        assert result.stdout == "mounted\nexit 1\n" and "No space left on device" in result.stderr, result


# ---- signals ----

class started:
    """Starts the program and waits until it has read some input and waits for more."""

    def __init__(self, d, words, way):
        self.d, self.words, self.way = d, words, way

    def __enter__(self):
        command, *rest = self.words
        self.child = subprocess.Popen([HEADRACE, command, "-k", self.d.key, *rest], stdin=subprocess.PIPE,
                                      stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=self.d.path, preexec_fn=self.way,
                                      env=environment())
        source = get(self.d.text if command == "encrypt" else self.d.data)
        self.child.stdin.write(source[:10 * CHUNK])
        self.child.stdin.flush()
        deadline = time.monotonic() + 60
        while self.way and not os.listdir(self.d.path) and time.monotonic() < deadline:
            time.sleep(0.01)  # its temporary file
        while fcntl.ioctl(self.child.stdin, termios.FIONREAD, bytes(4)) != bytes(4) and time.monotonic() < deadline:
            time.sleep(0.01)  # all was read
        return self.child

    def __exit__(self, *_):
        self.child.kill()
        self.child.communicate()


@test
@with_folder
def signals_leave_nothing(d):
    for way in WAYS:
        for command in "encrypt", "decrypt":
            for number in ENDING:
                with started(d, [command, "-o", "out"], way) as child:
                    assert way is None or len(os.listdir(d.path)) == 1
                    child.send_signal(number)
                    assert child.wait() == -number, (number, child.returncode)
                assert d.is_empty(), (way, command, number)
    with started(d, ["decrypt", "-o", "out"], None) as child:
        child.kill()
        child.wait()
    assert d.is_empty()


@test
@with_folder
def a_signal_that_is_ignored_stays_so(d):
    for way in WAYS:
        def ignore():
            signal.signal(signal.SIGHUP, signal.SIG_IGN)
            if way:
                way()
        with started(d, ["encrypt", "-o", "out"], ignore if way else None) as child:
            if way:
                child.send_signal(signal.SIGHUP)
            child.communicate()
        assert child.returncode == 0 and os.listdir(d.path) == ["out"]
        os.unlink(f"{d.path}/out")


@test
@with_folder
def a_pipe_whose_reader_ends(d):
    for command, source in ("encrypt", d.text), ("decrypt", d.data):
        with subprocess.Popen([HEADRACE, command, "-k", d.key, "-o", "-", source], stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, env=environment()) as child:
            child.stdout.read(10)
            child.stdout.close()
            assert child.wait() == -signal.SIGPIPE


@test
@with_folder
def an_input_that_never_ends_does_not_hold_up_an_error(d):
    data = bytearray(get(d.data))
    data[84] ^= 1
    read_end, write_end = os.pipe()
    fcntl.fcntl(write_end, 1031, 1 << 20)  # F_SETPIPE_SZ
    os.write(write_end, bytes(data[:2 * CHUNK + 1000]))
    result = subprocess.run([HEADRACE, "decrypt", "-k", d.key, "-o", "out"], stdin=read_end, capture_output=True, timeout=60,
                            cwd=d.path, env=environment())
    os.close(read_end)
    os.close(write_end)
    assert result.returncode == 1 and b"damaged" in result.stderr and d.is_empty(), result


# ---- terminals ----

@test
@with_folder
def passphrases_are_asked_for(d):
    if PRELOAD:
        return
    ask = "Passphrase: \r\n"
    assert on_terminal(["encrypt", d.text, "-o", "out"], [b"a b\n", b"a b\n"], d.path) == \
        (ask + "Once more: \r\n", 0)
    assert on_terminal(["decrypt", "-p", "out", "-o", "copy"], [b"a b\n"], d.path) == (ask, 0)
    assert get(f"{d.path}/copy") == TEXT
    os.unlink(f"{d.path}/copy")
    shown, code = on_terminal(["decrypt", "out", "-o", "copy"], [b"a c\n"], d.path)
    assert code == 1 and "wrong passphrase" in shown
    for answers in [b"a\n", b"b\n"], [b"\n", b"\n"], [b"\x04"], [b"a\n", b"\x04"]:
        shown, code = on_terminal(["encrypt", d.text, "-o", "more"], answers, d.path)
        assert code == 1 and "headrace: " in shown, shown
    shown, code = on_terminal(["encrypt", d.text, "-o", "more"], [b"a\x03"], d.path)
    assert code == -signal.SIGINT, (shown, code)
    assert os.listdir(d.path) == ["out"]
    result = run("setsid", "-w", HEADRACE, "encrypt", d.text, "-o", f"{d.path}/more")
    assert result.returncode == 1 and "no terminal" in result.stderr, result


@test
@with_folder
def terminals_get_text_only(d):
    if PRELOAD:
        return
    text = put(f"{d.path}/t", "Grüße\tan alle\n".encode())
    d.good("encrypt", "t")
    assert on_terminal(["decrypt", "-k", d.key, "-o", "-", "t.hr"], (), d.path) == ("Grüße\tan alle\r\n", 0)
    for content in b"\x1b[31m", b"a\0", b"\x7f", b"\x08":
        put(text, content)
        d.good("encrypt", "-f", "t")
        shown, code = on_terminal(["decrypt", "-k", d.key, "-o", "-", "t.hr"], (), d.path)
        assert code == 1 and shown.startswith("headrace: t.hr: not text"), shown
    for words in ["-o", "-", "t"], ["-o", "/dev/tty", "t"], ["-o", "/dev/stdout", "t"]:
        shown, code = on_terminal(["encrypt", "-k", d.key, *words], (), d.path)
        assert code == 1 and shown == "headrace: encrypted bytes are not written to a terminal: see --output\r\n"


@test
@with_folder
def progress_is_shown_on_a_terminal(d):
    if PRELOAD:
        return
    os.truncate(put(f"{d.path}/t", b""), 1 << 30)
    script = 'head -c 30000000 /dev/zero; sleep 1.5; cat "$1"'
    shown, code = "", 0
    pid, fd = pty.fork()
    if pid == 0:
        os.execve("/bin/sh", ["sh", "-c", f"({script}) | {HEADRACE} encrypt -k {d.key} -o /dev/null", "sh", f"{d.path}/t"],
                  environment())
    try:
        while piece := os.read(fd, 4096):
            shown += piece.decode()
    except OSError:
        code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    os.close(fd)
    assert code == 0 and re.search(r"\r\033\[K\d+ MB  \d\S* [MG]B/s", shown), (code, shown)
    assert shown.endswith("\r\033[K"), shown


# ---- Solaris ----

def solaris_key(secret, salt, iterations):
    return hashlib.pbkdf2_hmac("sha1", secret, salt, iterations, 16)


def solaris_encrypt(text, key=None, secret=None, iterations=1000, older=False):
    iv, salt = os.urandom(16), os.urandom(16)
    padded = text + bytes([16 - len(text) % 16]) * (16 - len(text) % 16)
    aes = Cipher(algorithms.AES(key or solaris_key(secret, salt, iterations)), modes.CBC(iv)).encryptor()
    return struct.pack(">IQ" if older else ">II", 1, iterations) + iv + salt + aes.update(padded) + aes.finalize()


def solaris_decrypt(data, key=None, secret=None):
    version, iterations, iv, salt = struct.unpack_from(">II16s16s", data)
    assert (version, iterations) == (1, 1000)
    aes = Cipher(algorithms.AES(key or solaris_key(secret, salt, iterations)), modes.CBC(iv)).decryptor()
    padded = aes.update(data[40:]) + aes.finalize()
    assert padded.endswith(bytes([padded[-1]]) * padded[-1]) and 1 <= padded[-1] <= 16
    return padded[:-padded[-1]]


@test
@with_folder
def solaris_files_go_around(d):
    def solaris(command, secret, data):
        result = subprocess.run([HEADRACE, command, "--solaris", *secret], input=data, capture_output=True, env=environment())
        assert result.returncode == 0 and re.fullmatch(rb"headrace: warning: .* not authenticated: .*\n", result.stderr), result
        return result.stdout
    for size in 0, 1, 15, 16, 17, CHUNK - 1, CHUNK, CHUNK + 1, 2 * CHUNK, len(TEXT):
        text = TEXT[:size]
        for length in 16, 24, 32:
            key = TEXT[-length:]
            secret = ["-k", put(f"{d.path}/k", key)]
            assert solaris_decrypt(solaris("encrypt", secret, text), key) == text
            for older in False, True:
                assert solaris("decrypt", secret, solaris_encrypt(text, key, older=older)) == text
        words = ["--passphrase-file", d.words]
        assert solaris_decrypt(solaris("encrypt", words, text), secret=b"correct horse") == text
        for older in False, True:
            for iterations in 1, 1000, 70000:
                data = solaris_encrypt(text, secret=b"correct horse", iterations=iterations, older=older)
                assert solaris("decrypt", words, data) == text


@test
@with_folder
def solaris_files_that_are_refused(d):
    def refused(data, key=bytes(16)):
        result = subprocess.run([HEADRACE, "decrypt", "--solaris", "-k", put(f"{d.beside}/k", key), "-o", "out"], input=data,
                                capture_output=True, cwd=d.path, env=environment())
        assert result.returncode == 1 and result.stderr.count(b"\n") == 2 and d.is_empty(), result
        return result.stderr
    data = solaris_encrypt(b"text" * 20, bytes(16))
    for length in list(range(60)) + [len(data) - 1]:
        refused(data[:length])
    for length in 1, 15, 17, 31, 33, 65:
        assert b"16, 24 or 32" in refused(data, bytes(length))
    for fields in struct.pack(">II", 2, 1000), struct.pack(">II", 0, 1000), struct.pack(">II", 1, 10000001), \
            struct.pack(">II", 1, 2 ** 32 - 1), struct.pack(">IQ", 1, 0):
        refused(fields + data[8:])
    wrong = sum(b"wrong key" in run_wrong(d, data, number) for number in range(1, 40))
    assert wrong > 30, wrong  # with a wrong key, the padding is right now and then


def run_wrong(d, data, number):
    key = put(f"{d.beside}/k", bytes([number] * 16))
    return subprocess.run([HEADRACE, "decrypt", "--solaris", "-k", key, "-o", "-"], input=data, capture_output=True,
                          cwd=d.path, env=environment()).stderr


@test
@with_folder
def solaris_names(d):
    for name in "encrypt", "decrypt":
        os.symlink(HEADRACE, f"{d.beside}/{name}")
    key = put(f"{d.beside}/k", bytes(range(16)))
    result = run(f"{d.beside}/encrypt", "-a", "aes", "-k", key, "-i", d.text, "-o", f"{d.path}/out")
    assert result.returncode == 0 and "not authenticated" in result.stderr, result
    assert solaris_decrypt(get(f"{d.path}/out"), bytes(range(16))) == TEXT
    result = run(f"{d.beside}/decrypt", "-a", "aes", "-k", key, "-i", f"{d.path}/out", "-o", f"{d.path}/copy")
    assert result.returncode == 0 and get(f"{d.path}/copy") == TEXT
    table = run(f"{d.beside}/encrypt", "-l").stdout.splitlines()
    assert [line.split() for line in table[2:]] == [["aes", "128", "256"], ["des", "64", "64"], ["3des", "192", "192"]]


@test
@with_folder
def solaris_names_replace_their_output_and_show_progress(d):
    for name in "encrypt", "decrypt":
        os.symlink(HEADRACE, f"{d.beside}/{name}")
    key, path = put(f"{d.beside}/k", bytes(range(16))), put(f"{d.path}/f", TEXT)
    for name in "encrypt", "decrypt":
        result = run(f"{d.beside}/{name}", "-v", "-a", "aes", "-k", key, "-i", path, "-o", path)
        bar = result.stderr.splitlines()[-1]
        assert result.returncode == 0 and re.fullmatch(r"(\.{18}\|){4}Done", bar), result
        assert (get(path) == TEXT) == (name == "decrypt")
    with open(path, "rb") as text:
        result = subprocess.run([f"{d.beside}/encrypt", "-v", "-a", "aes", "-k", key, "-o", path + "2"], stdin=text,
                                capture_output=True, env=environment())
    assert result.stderr.splitlines()[-1].decode() == "." * (len(TEXT) // 40960) + "Done", result
    good = get(path + "2")
    result = run(f"{d.beside}/decrypt", "-a", "aes", "-k", put(f"{d.beside}/k2", bytes(17)), "-i", path + "2", "-o", path + "2")
    assert result.returncode > 0 and get(path + "2") == good
    assert run(HEADRACE, "encrypt", "--solaris", "-k", key, "-i", path, "-o", path).returncode == 1  # by its own name: -f
    assert run(HEADRACE, "encrypt", "-v", "-k", d.key, "-i", path).returncode == 2


for function in solaris_files_go_around, solaris_files_that_are_refused, solaris_names, \
        solaris_names_replace_their_output_and_show_progress:
    globals()[function.__name__].skip = SKIP
main()
