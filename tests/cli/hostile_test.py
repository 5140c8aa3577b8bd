# SPDX-License-Identifier: Apache-2.0
"""Hostile names: what a command prints about a name has no control character but the newline at the
end of a line, and no name makes a line of its own."""
import json
import os
import re
import shutil
import socket
import struct
import subprocess
import threading
import unicodedata

from cli import HEADRACE, SYSTEM_CONFIG, TRACE, directory, environment, main, test, unit
from tap import Missing, cases

BUILD = os.path.join(os.path.dirname(HEADRACE), "..")
SERVICE, EMULATOR = f"{BUILD}/accel/headraced", f"{BUILD}/t4emu/headrace-t4emu"
FORGED = "forged by a name"
HIDDEN = "Cc", "Cf", "Zl", "Zp"  # categories of Unicode
NAMES = {
    "controls": "n\x1b[31m\x1b]0;title\x07\x7f\u009b31m\u0085\u202e\u2066\u200b".encode(),
    "newline": b"n\nheadrace: forged by a name\nheadraced: forged by a name\r\t",
    "byte": b"n\x9b31m\xff\xc2",
}

# Each line is one call: {name} is a name that nothing has, {missing} a path of it; {file}, {folder},
# {program}, {broken} (a program that does not start), {elf}, {config} and {library} exist under such a name.
CALLS = """
{name}
help {name}
info {name}
info --{name}
info --features {name}
info --json {name}
run {name}
run {missing}
run {broken}
run {program}
run --json {output} true
run --json {folder} true
run --{name} true
run --libcrypto {missing} true
run --libcrypto {file} true
run --libcrypto {library} true
run --direct --libmd {missing}
run --direct {program}
speed {name}
speed --slices {name}
speed --libcrypto {missing}
speed --modules {missing} --quick sha256
speed --json --{name}
speed --kernels {name}
speed --html {missing}/x --from {file}
speed --html {page} --from {missing}
speed --html {page} --from {file}
calibrate {name}
calibrate --libcrypto {missing}
calibrate --modules {missing}
calibrate --output {missing}/x
digest -a {name} {file}
digest -a sha256 {missing}
digest -a sha256 {folder}
digest -a sha256 -c {missing}
digest -a sha256 -c -w {file}
digest --{name}
mac -a {name} -k {file} {file}
mac -a hmac-sha256 -k {missing} {file}
mac -a hmac-sha256 -k {folder} {file}
mac -a hmac-sha256 -k {file} {missing}
mac -a gmac -k {file} --iv {name} {file}
mac --{name}
md5sum {missing}
md5sum -c {file}
encrypt {missing}
encrypt {folder}
encrypt {name} {name}
encrypt -k {missing} -o {missing} {file}
encrypt -k {folder} -o {missing} {file}
encrypt -k {file} -o {file} {file}
encrypt -k {file} -o {missing}/x {file}
encrypt --passphrase-file {missing} -o {missing} {file}
encrypt --new-key {file}
encrypt --new-key {missing}/x
encrypt --solaris -a {name} -k {file} -i {file} -o {missing}
encrypt --{name}
decrypt {missing}
decrypt -k {missing} {file}
decrypt -k {file} -o {missing} {file}
decrypt -k {key} -o {missing} {file}
decrypt -k {key} -o {page} {missing}
decrypt --{name}
accel {name}
accel status --socket {missing}
accel status --socket {file}
accel status --{name}
accel revoke --socket {missing} all
accel revoke {name}
accel move {name} 0
accel move 1 {name}
accel move --socket {missing} 1 0
accel reload --socket {missing}
accel reload --socket {folder}
accel key {name}
accel key new {name}
accel key new -a {name} x
accel key new -a AES-256-GCM -k {made} x
accel key new -a AES-256-GCM -k {made} x
accel key new -a AES-256-GCM -k {file} x
accel key new -a AES-256-GCM -k {folder} -u {name} x
accel key new -a AES-256-GCM -k {folder} --uid {name} x
accel key new -a AES-256-GCM -k {folder} -f {missing} x
accel key new -a AES-256-GCM -k {folder} -f {file} x
accel key list -k {missing}
accel key list -k {made}
accel key list -k {keys}
accel key remove -k {folder} {name}
accel key seal -k {folder} {name}
accel key seal -k {made} --sealing-key {missing} x
accel key seal -k {made} --sealing-key {file} x
accel key seal -k {made} --passphrase-file {missing} x
accel key seal -k {made} --passphrase-file {file} x
accel key unseal -k {missing} x
accel key unlock -k {missing}
accel key unlock -k {made} --passphrase-file {file} --sealing-key {missing}/x
accel key unlock -k {made} --passphrase-file {file} --sealing-key {output}
accel key passphrase -k {keys}
accel bench --only {name}
accel bench --socket {missing}
accel bench --libcrypto {missing} --quick
accel calibrate --only {name}
accel calibrate {name}
enable --config {missing}
enable --config {folder}
enable --config {file}
enable --config {config} --all --dry-run
enable --config {config} --all
disable --config {config} --dry-run
disable --config {config}
disable --config {config}
disable --config {missing}
disable --config {folder}
enable --service {name}
enable --service x --root {folder} --all --dry-run
enable --service x --root {folder} --all
disable --service x --root {folder} --dry-run
disable --service x --root {folder}
enable --libcrypto {missing}
disable --libcrypto {missing}
disable --{name}
doctor --config {missing}
doctor --config {folder}
doctor --config {file}
doctor --config {config}
doctor --config {config} --json
doctor --libcrypto {missing}
doctor --libcrypto {library}
doctor --{name}
""".strip().split("\n")

TRACER_CALLS = """
trace {missing}
trace {broken}
trace --pid {name}
trace --{name}
trace --output {missing}/x true
trace --html {missing}/x true
trace --prometheus {missing}/x true
trace --require {name} true
trace --sampler {name} true
trace --count --probe-backend {name} true
trace --user {name} true
trace --duration {name} true
trace -v {program}
trace --json {program}
scan {missing}
scan {file}
scan -v {file} {broken} {folder}
scan -v {elf}
scan --json {elf} {missing}
scan --{name}
""".strip().split("\n")

# The words of headrace-fingerprints, and of the emulator's launcher.
FINGERPRINTS_CALLS = """
{missing}
{file}
-o {name} {missing}
-o {name} {elf}
--{name}
""".strip().split("\n")

EMULATOR_CALLS = """
{name}
{missing}
{program}
{elf}
--qemu {missing} {elf}
--library {missing} {elf}
--sysroot {missing} {elf}
--stats {missing}/x {elf}
--strict={name} {elf}
--cfr={name} {elf}
--{name}
""".strip().split("\n")

SERVICE_CALLS = """
{name}
--{name}
--socket={missing}/x
--cpus={name}
--accelerators={name}
--policy={missing}
--policy={file} --socket={socket}
--keys={missing} --socket={socket}
--keys={file} --socket={socket}
--keys={keys} --socket={missing}/x
--crossover={folder} --socket={missing}/x
--user={name}
""".strip().split("\n")

VARIABLES = {
    "HEADRACE_CPU": "info sha256", "OPENSSL_CONF": "doctor", "OPENSSL_MODULES": "doctor",
    "OPENSSL_ia32cap": "doctor", "OPENSSL_CONF_INCLUDE": "doctor --json",
    "HEADRACE_ACCEL": "info sha256", "TMPDIR": "run true", "HEADRACE_FINGERPRINTS": "scan {elf}",
    "XDG_CACHE_HOME": "scan {elf}",
}


def program(path, text):
    """Writes a file that may be executed."""
    with open(path, "wb") as out:
        out.write(text)
    os.chmod(path, 0o755)
    return path


def places(d, name):
    """Makes what the calls name, below d, and returns it by the words of the calls. d itself has no
    such name, so that each thing alone has one."""
    d = os.fsencode(d)

    def at(kind):
        os.mkdir(d + b"/" + kind)
        return d + b"/" + kind + b"/" + name

    def text(kind, content):
        return program(at(kind), content)

    found = {
        "name": name, "missing": at(b"missing"), "output": at(b"output"),
        "made": at(b"made"), "page": at(b"page"),
        "file": text(b"file", b"a = " + name + b"\n[ half " + name + b"\n"),
        "program": text(b"program", b"#!/bin/sh\nexit 0\n"),
        "broken": text(b"broken", b"#!/no/such/" + name.replace(b"\n", b"-") + b"\n"),
        "config": shutil.copy(os.fsencode(SYSTEM_CONFIG), at(b"config")),
        "folder": at(b"folder"), "library": at(b"library"), "elf": at(b"elf"), "keys": at(b"keys"),
        "key": text(b"key", bytes(32)), "socket": d + b"/socket",
    }
    os.mkdir(found["folder"], 0o700)
    unit(found["folder"], "x")
    os.mkdir(found["keys"], 0o700)
    program(found["keys"] + b"/" + name, b"key = " + name + b"\n")
    os.symlink(libcrypto(), found["library"])
    os.symlink(shutil.which("true"), found["elf"])
    return found


def libcrypto():
    linked = subprocess.run(["ldd", shutil.which("openssl")], capture_output=True, text=True).stdout
    return re.search(r"libcrypto\.so\S* => (\S+)", linked)[1]


def call(words, place, program=HEADRACE, **env):
    """Calls the program with these words of a table, whose placeholders become their paths."""
    filled = [re.sub(rb"\{(\w+)\}", lambda m: place[m[1].decode()], word.encode())
              for word in words.split(" ")]
    env = {k: re.sub(rb"\{(\w+)\}", lambda m: place[m[1].decode()], v) for k, v in env.items()}
    where = {os.fsencode(k): os.fsencode(v) for k, v in environment().items()}
    where.update({k.encode(): v for k, v in env.items()})
    return subprocess.run([os.fsencode(program), *filled], env=where, stdin=subprocess.DEVNULL,
                          capture_output=True, timeout=60,
                          start_new_session=True)  # no terminal to ask on


def wrong(data, categories=HIDDEN, own=""):
    """Returns what is wrong with an output, each line of which begins with `own`, or None."""
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        return f"not UTF-8: {error}"
    for line in text.split("\n"):
        bad = [c for c in line if unicodedata.category(c) in categories]
        if bad:
            return f"{bad[0]!r} in {line!r}"
        if re.match(rf"headraced?: {FORGED}", line):
            return f"a forged line: {line!r}"
        if line and not line.startswith(own):
            return f"not a line of the program: {line!r}"
    return None if not text or text.endswith("\n") else "the last line does not end"


def not_json(data):
    try:
        json.loads(data)
    except ValueError as error:
        return f"not JSON: {error}"


def check(calls, name, program=HEADRACE, own=("headrace: ", "headraced: ")):
    """Makes all calls of a table, and lists those with a wrong output. Each line on stderr is one of the program, or of
    the service that it starts, but for the tracer's reports; each command that fails says why."""
    with directory() as d:
        place = places(d, name)
        failures = []
        for words in calls:
            result = call(words, place, program)
            # coreutils, whose quotes and lines md5sum has, prints characters that change the direction
            categories = ("Cc",) if words.startswith(("digest", "mac", "md5sum")) else HIDDEN
            begin = "md5sum: " if words.startswith("md5sum") else own
            report = words.startswith("trace") and result.returncode == 0
            for what, why in (
                    ("stdout", wrong(result.stdout, categories)),
                    ("stderr", wrong(result.stderr, categories, "" if report else begin)),
                    ("stdout", "--json" in words and result.stdout[:1] == b"{" and not_json(result.stdout)),
                    ("stderr", result.returncode and not result.stdout + result.stderr and "no message")):
                if why:
                    failures.append(f"{words} ({what}): {why}")
        assert not failures, "\n".join([f"{len(failures)} of {len(calls)} calls", *failures])


@cases(NAMES.items())
def commands(name):
    check(CALLS, name)


@cases(NAMES.items())
def tracer(name):
    if not TRACE:
        raise Missing("the tracer is not built")
    check(TRACER_CALLS, name)
    check(FINGERPRINTS_CALLS, name, f"{TRACE}/headrace-fingerprints")


@cases(NAMES.items())
def emulator(name):
    if not os.path.exists(EMULATOR):
        raise Missing("headrace-t4emu is not built")
    check(EMULATOR_CALLS, name, EMULATOR)


@cases(NAMES.items())
def service(name):
    check(SERVICE_CALLS, name, SERVICE, "headraced: ")


def answer(listener, texts):
    """Answers a connection's requests for the status (accel/control.h) with these versions or rules."""
    with listener, listener.accept()[0] as client:
        for i, (kind, text) in enumerate(texts, 1):
            if not client.recv(4096):
                break  # it refused the last answer
            one = struct.pack("=II", kind, 0) + text
            reply = struct.pack("=IIiHHQIIII", 0x68723033, 7, 0, 0, 528, i % len(texts), 0, 0, 0, 0)
            client.send(reply + one.ljust(528, b"\0"))


def status(version, rule, *options):
    """Returns what `headrace accel status` makes of a service with this version and a client of this rule."""
    with directory() as d:
        listener = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        listener.bind(f"{d}/socket")
        listener.listen()
        listener.settimeout(60)
        service = threading.Thread(target=answer, args=(listener, [(0, version), (2, rule)]))
        service.start()
        result = call(" ".join(["accel status --socket {socket}", *options]), {"socket": f"{d}/socket".encode()})
        service.join()
        return result


@cases([("text",), ("json", "--json"), ("prometheus", "--prometheus")])
def services_texts(*options):
    result = status(b"1.0", b"web-1_a.b", *options)
    assert result.returncode == 0 and not result.stderr and not wrong(result.stdout), result
    for name in *NAMES.values(), b'a"} 1', b"a\\", b"a" * 64:
        for texts in (b"1.0", name), (name[:16], b"web"):
            result = status(*texts, *options)
            assert result.returncode == 1 and not result.stdout, (texts, result)
            assert not wrong(result.stderr, own="headrace: "), (texts, result)


@cases(NAMES.items())
def variables(name):
    with directory() as d:
        place = places(d, name)
        for variable, words in VARIABLES.items():
            for value in b"{name}", b"{missing}", b"{file}":
                result = call(words, place, **{variable: value})
                for what in result.stdout, result.stderr:
                    assert not wrong(what), f"{variable}: {words}: {wrong(what)}"


@test
def names_stay_readable():
    with directory() as d:
        result = call("encrypt {missing}", {"missing": f"{d}/é 日本\\n".encode()})
        assert f"{d}/é 日本\\n: " in result.stderr.decode(), result
        result = call("encrypt {missing}", {"missing": f"{d}/a\n\x1b\x7f\u009b".encode() + b"\xff"})
        assert rb"/a\n\x1b\x7f\u{9b}\xff: " in result.stderr, result
        result = call("run {missing}", {"missing": b"x\x1b" * 3000})
        assert result.stderr.count(rb"\x1b") == 3000, result


main()
