#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""start_test.py FOLDER: how a JVM comes to Headrace's provider, and that a program starts without it where it cannot
work: its library is missing, changed, of another version, or nowhere to be put. In each kind of JDK that is here."""
import glob
import hashlib
import os
import re
import struct
import subprocess
import sys
import tempfile
import zipfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import tap  # noqa: E402

FOLDER = sys.argv[1]
JAR = os.path.join(FOLDER, "headrace-jce.jar")
PROGRAM = os.path.join(FOLDER, "headrace-jce-tests.jar")
OLD = os.path.join(FOLDER, "libold.so")
CLASS = "org.headrace.jce.HeadraceProvider"
PROPERTIES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../examples/java/java.security")
SUM = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
TYPES = ("MessageDigest", "Mac", "Cipher", "Signature", "KeyPairGenerator")
PLACE = f"org/headrace/jce/native/linux-{os.uname().machine}/libheadrace-jce.so"


def jdks():
    """The oldest JDK that calls by JNI, and the oldest that calls by java.lang.foreign."""
    text = subprocess.run(["sh", "-c", ". scripts/jdk.sh; jdks"], capture_output=True, text=True, check=True).stdout
    found = [(int(version), folder) for version, folder in (line.split(" ", 1) for line in text.splitlines())]
    return [jdk for jdk in found if jdk[0] < 22][:1] + [jdk for jdk in found if jdk[0] >= 22][:1]


JDKS = jdks()


def start(jdk, *options, jar=JAR, program=(CLASS,), before=()):
    """What the program prints, as a dictionary; and what the JVM writes to standard error."""
    java = [os.path.join(jdk[1], "bin/java"), "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Dheadrace.all=true"]
    path = ["-cp", PROGRAM] if jar is None else ["-cp", f"{PROGRAM}:{jar}"]
    done = subprocess.run([*before, *java, *path, *options, "org.headrace.test.Start", *program], capture_output=True,
                          text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    answers = dict(line.split(" ", 1) for line in done.stdout.splitlines())
    assert answers["sum"] == SUM, answers
    return answers, done.stderr


def serves(answers):
    assert answers["failure"] == "null", answers
    assert {answers[kind] for kind in TYPES} == {"Headrace"}, answers


def falls_back(answers, reason):
    """The program gets all from the JDK, and may ask for the reason."""
    assert "Headrace" not in [answers[kind] for kind in TYPES], answers
    assert re.search(reason, answers["failure"]), answers["failure"]


def for_each_jdk(function):
    for jdk in JDKS:
        tap.TESTS.append((f"{function.__name__}, Java {jdk[0]}", lambda jdk=jdk: function(jdk)))
    return function


# ---- how it is found ----

@for_each_jdk
def by_code(jdk):
    serves(start(jdk)[0])


@for_each_jdk
def by_security_properties(jdk):
    for sign in ("=", "=="):
        properties = f"-Djava.security.properties{sign}{PROPERTIES}"
        answers, _ = start(jdk, properties, program=())
        serves(answers)
        assert answers["module"] == "null"


@for_each_jdk
def by_security_properties_without_the_jar(jdk):
    answers, _ = start(jdk, f"-Djava.security.properties={PROPERTIES}", jar=None, program=())
    assert "failure" not in answers and answers["MessageDigest"] == "SUN", answers


@for_each_jdk
def by_the_last_number(jdk):
    """A provider that comes last serves only what no other has."""
    with tempfile.TemporaryDirectory() as folder:
        lines = open(PROPERTIES).read().replace("provider.1=Headrace", "provider.1=SUN").replace(
            "provider.2=SUN\n", "provider.2=Headrace\n")
        path = os.path.join(folder, "properties")
        with open(path, "w") as file:
            file.write(lines)
        answers, _ = start(jdk, f"-Djava.security.properties={path}", program=())
    assert answers["MessageDigest"] == "SUN" and answers["Mac"] == "Headrace", answers


@for_each_jdk
def on_the_module_path(jdk):
    native = ["--enable-native-access=org.headrace.jce"] if jdk[0] >= 22 else []
    options = ["-p", JAR, "--add-modules", "org.headrace.jce", *native]
    for more, program in (([], (CLASS,)), ([f"-Djava.security.properties={PROPERTIES}"], ())):
        answers, errors = start(jdk, *options, *more, jar=None, program=program)
        serves(answers)
        assert answers["module"] == "org.headrace.jce", answers
        assert errors == "", errors


@tap.test
def headers_of_osgi():
    """A bundle sees no package but java.* that it does not import."""
    with zipfile.ZipFile(JAR) as jar:
        lines = jar.read("META-INF/MANIFEST.MF").decode().replace("\r\n ", "").splitlines()
        classes = b"".join(jar.read(name) for name in jar.namelist() if name.endswith(".class"))
    headers = dict(line.split(": ", 1) for line in lines if line)
    used = {name.replace(b"/", b".").decode() for name in re.findall(rb"(javax(?:/[a-z]+)+)/[A-Z]", classes)}
    assert used == set(headers["Import-Package"].split(",")), (used, headers)


# ---- where it cannot work ----

def changed_jar(folder, change):
    """A copy of the jar whose members `change` takes, and gives back what shall be there instead, or None."""
    path = os.path.join(folder, "changed.jar")
    with zipfile.ZipFile(JAR) as old, zipfile.ZipFile(path, "w") as new:
        for name in old.namelist():
            content = change(name, old.read(name))
            if content is not None:
                new.writestr(name, content)
    return path


def flip(content):
    return content[:5000] + bytes([content[5000] ^ 1]) + content[5001:]


CHANGES = (
    ("library", lambda name, old: None if name == PLACE else old, "there is no libheadrace-jce.so|another version"),
    ("digest", lambda name, old: None if name == PLACE + ".sha256" else old, "its digest is not in the jar"),
    ("bit", lambda name, old: flip(old) if name == PLACE else old, "its digest is another one"),
    ("whole digest", lambda name, old: old[:20] if name == PLACE + ".sha256" else old, "its digest is another one"),
    ("hexadecimal", lambda name, old: b"z" * 64 if name == PLACE + ".sha256" else old, "malformed"),
)


@for_each_jdk
def with_a_changed_jar(jdk):
    for what, change, reason in CHANGES:
        if what == "library" and glob.glob("/usr/lib/*/jni/libheadrace-jce.so"):
            continue
        with tempfile.TemporaryDirectory() as folder:
            falls_back(start(jdk, jar=changed_jar(folder, change))[0], reason)


@for_each_jdk
def with_another_library(jdk):
    """A file that is none, is no library, is another library, or one of another version."""
    with tempfile.TemporaryDirectory() as folder:
        text = os.path.join(folder, "text.so")
        with open(text, "w") as file:
            file.write("no library\n")
        other = glob.glob("/lib/*/libresolv.so.2")[0]
        for path in (os.path.join(folder, "none.so"), folder, text, other):
            falls_back(start(jdk, f"-Dheadrace.library={path}")[0], "libheadrace-jce.so|" + re.escape(path) + "|hrj_|Natives")
        falls_back(start(jdk, f"-Dheadrace.library={OLD}")[0], "another version")


def segment_ends(library):
    """Where in a library that a loader maps its parts end."""
    at, length, number = struct.unpack_from("<Q", library, 32)[0], *struct.unpack_from("<HH", library, 54)
    headers = [struct.unpack_from("<IIQQQQ", library, at + i * length) for i in range(number)]
    return sorted({begin + size for kind, _, begin, _, _, size in headers if kind == 1})


CUT = "it is cut off|its program headers|no library of this system"


@for_each_jdk
def with_a_library_that_is_cut(jdk):
    """Without a look at it the loader would touch pages behind the file's end, which kills the process (ElfFileTest has
    more lengths). What is behind the last part is for debuggers."""
    with zipfile.ZipFile(JAR) as jar:
        library = jar.read(PLACE)
    ends = segment_ends(library)
    lengths = [0, 3, 64, 300, 4096, *ends[:-1], ends[-1] // 2, ends[-1] - 4097, ends[-1] - 1]
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "cut.so")
        for length in [*lengths, ends[-1]]:
            with open(path, "wb") as file:
                file.write(library[:length])
            answers, _ = start(jdk, f"-Dheadrace.library={path}")
            if length < ends[-1]:
                falls_back(answers, CUT)
            else:
                serves(answers)


@for_each_jdk
def with_a_cut_library_in_the_jar(jdk):
    """The digest is that of what is left."""
    for share in (0.001, 0.3, 0.9):
        with zipfile.ZipFile(JAR) as jar:
            library = jar.read(PLACE)
        cut = library[:int(len(library) * share)]
        changed = {PLACE: cut, PLACE + ".sha256": hashlib.sha256(cut).hexdigest().encode()}
        with tempfile.TemporaryDirectory() as folder:
            jar = changed_jar(folder, lambda name, old, changed=changed: changed.get(name, old))
            falls_back(start(jdk, jar=jar)[0], CUT)


@for_each_jdk
def with_a_library_that_is_a_pipe(jdk):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "pipe.so")
        os.mkfifo(path)
        falls_back(start(jdk, f"-Dheadrace.library={path}")[0], "it is no ordinary file")


@for_each_jdk
def on_another_cpu(jdk):
    falls_back(start(jdk, "-Dos.arch=z80")[0], "no library for z80")


@for_each_jdk
def without_a_folder_to_write(jdk):
    with tempfile.NamedTemporaryFile() as file:
        for path in ("/nonexistent", file.name, "/proc"):
            falls_back(start(jdk, f"-Djava.io.tmpdir={path}")[0], "the jar's libheadrace-jce.so")


@for_each_jdk
def in_a_folder_of_no_programs(jdk):
    """A file system that may not be written, is too small, or whose files may not be executed."""
    with tempfile.TemporaryDirectory() as folder:
        for options, reason in (("ro", "the jar's libheadrace-jce.so"), ("size=64k", "the jar's libheadrace-jce.so"), ("noexec", "libheadrace-jce.so")):
            command = f'mount -t tmpfs -o {options} tmpfs "{folder}" && exec "$@"'
            inside = ["unshare", "-m", *([] if os.geteuid() == 0 else ["-r"]), "sh", "-c", command, "sh"]
            if subprocess.run([*inside, "true"], capture_output=True, check=False).returncode:
                raise tap.Missing("no file system may be mounted here")
            falls_back(start(jdk, f"-Djava.io.tmpdir={folder}", before=inside)[0], reason)


if not JDKS:
    print("1..0 # SKIP no JDK from 17 on")
elif not os.path.getsize(PROGRAM):
    print("1..0 # SKIP JUnit, with which the program is compiled, is not there")
else:
    tap.main()
