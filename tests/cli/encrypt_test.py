# SPDX-License-Identifier: Apache-2.0
"""headrace encrypt and decrypt: files that go around, beside an independent reader and writer (file_format.py), and
every kind of file that must be refused with nothing written."""
import os
import random
import re
import resource
import struct
import subprocess

from cli import HEADRACE, PRELOAD, SOURCE, STEP, environment, main, read, run, test
from encrypt_folder import Folder, get, in_folder, put

try:
    import file_format
    SKIP = ""
except ImportError as error:
    SKIP = f" # SKIP python3-cryptography or Argon2 for Python is missing: {error}"

CHUNK, TAG, HEADER = 256 * 1024, 16, 84
KEY = bytes(range(100, 132))
WORDS = b"correct horse battery staple"
SIZES = [0, 1, 15, 16, 17, CHUNK - 17, CHUNK - 16, CHUNK - 1, CHUNK, CHUNK + 1, CHUNK + 16, 2 * CHUNK - 1, 2 * CHUNK,
         2 * CHUNK + 1, 9 * CHUNK, 17 * CHUNK + 12345]
RANDOM = random.Random(6)
TEXT = RANDOM.randbytes(max(SIZES))


def beside(function):
    """Makes the function a test that is skipped without the libraries of the independent reader."""
    function.skip = SKIP
    return test(function)


class Outputs(Folder):
    def __init__(self, path):
        super().__init__(path, KEY, WORDS + b"\nanother line\n")

    def refused(self, *words, code=1, **more):
        """Checks that the program refuses: this exit code, one line on stderr, no file changed. Returns what it
        wrote to stdout nevertheless."""
        before = {name: get(f"{self.path}/{name}") for name in os.listdir(self.path)}
        result = self.run(*words, **more)
        assert result.returncode == code, (words, result.returncode, result.stderr)
        assert result.stderr.startswith(b"headrace: ") and result.stderr.count(b"\n") == 1, result.stderr
        assert {name: get(f"{self.path}/{name}") for name in os.listdir(self.path)} == before, words
        return result.stdout

    def refuses(self, data, text=b"", **more):
        """Checks that decryption of `data` is refused: no file is written, and to a pipe only whole chunks of the
        right text."""
        out = self.refused("decrypt", "-o", "out", stdin=data, **more)
        assert not out
        out = self.refused("decrypt", stdin=data, **more)
        assert text.startswith(out) and len(out) % CHUNK == 0 and (not text or len(out) < len(text)), len(out)


with_folder = in_folder(Outputs)


# ---- what goes around ----

@test
@with_folder
def sizes_around_the_borders_of_chunks(d):
    for size in SIZES:
        text = TEXT[:size]
        put(f"{d.path}/f", text)
        d.good("encrypt", "-f", "f")
        assert os.path.getsize(f"{d.path}/f.hr") == HEADER + size + TAG * max(1, -(-size // CHUNK))
        os.unlink(f"{d.path}/f")
        d.good("decrypt", "f.hr")
        assert get(f"{d.path}/f") == text, size
        assert d.good("decrypt", stdin=d.good("encrypt", stdin=text)) == text, size
        assert d.good("decrypt", "-o", "-", "f.hr") == text


@test
@with_folder
def pipes_that_give_little_at_a_time(d):
    text = TEXT[:2 * CHUNK + 5]
    with subprocess.Popen([HEADRACE, "encrypt", "-k", d.key], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                          env=environment()) as child:
        for at in range(0, len(text), 100003):
            child.stdin.write(text[at:at + 100003])
            child.stdin.flush()
        data = child.communicate()[0]
    assert child.returncode == 0 and d.good("decrypt", stdin=data) == text


@beside
@with_folder
def the_independent_reader_and_writer_agree(d):
    for size in SIZES:
        text = TEXT[:size]
        assert file_format.decrypt(d.good("encrypt", stdin=text), KEY) == text
        assert d.good("decrypt", stdin=file_format.encrypt(text, KEY)) == text
    for size in 0, 5, CHUNK, CHUNK + 1:
        text = TEXT[:size]
        assert file_format.decrypt(d.good("encrypt", stdin=text, key="words"), passphrase=WORDS) == text
        for costs in (1, 8, 1), (2, 100, 3), (4, 64, 2), (16, 128, 16), (1, 256 * 1024, 1):
            data = file_format.encrypt(text, passphrase=WORDS, costs=costs)
            assert d.good("decrypt", stdin=data, key="words") == text, costs
    assert len(read(f"{SOURCE}/tests/cli/file_format.py").splitlines()) < 100


@beside
@with_folder
def the_examples_of_the_specification(d):
    page = read(f"{SOURCE}/docs/file-format.md")
    blocks = [bytes.fromhex(block) for block in re.findall(r"```\n([0-9a-f \n]+)```", page)]
    salt, key = bytes(range(32, 64)), put(f"{d.path}/k", bytes(range(32)))
    assert blocks == [file_format.encrypt(b"headrace\n", bytes(range(32)), salt=salt),
                      file_format.encrypt(b"headrace\n", passphrase=WORDS, costs=(1, 64, 1), salt=salt)]
    assert d.good("decrypt", stdin=blocks[0], key=key) == b"headrace\n"
    assert d.good("decrypt", stdin=blocks[1], key="words") == b"headrace\n"


@test
@with_folder
def two_files_of_one_key_have_nothing_in_common(d):
    one, two = (d.good("encrypt", stdin=bytes(1000)) for _ in range(2))
    assert one[:20] == two[:20] and all(one[i:i + 16] not in two for i in range(20, len(one) - 16))


# ---- what is refused ----

def body_of(data):
    chunks = data[HEADER:]
    return [chunks[i:i + CHUNK + TAG] for i in range(0, len(chunks), CHUNK + TAG)]


def flipped(data, bit):
    changed = bytearray(data)
    changed[bit // 8] ^= 128 >> bit % 8
    return bytes(changed)


@beside
@with_folder
def every_bit_of_a_header(d):
    for key, data in (None, d.good("encrypt", stdin=b"text")), \
            ("words", file_format.encrypt(b"text", passphrase=WORDS, costs=(1, 64, 1))):
        for bit in range(0, 8 * HEADER, STEP):
            assert d.refused("decrypt", stdin=flipped(data, bit), key=key) == b""
        for bit in range(0, 8 * HEADER, 13 * STEP):
            d.refuses(flipped(data, bit), key=key)


@test
@with_folder
def every_length_and_bit_of_a_short_file(d):
    data = d.good("encrypt", stdin=b"some text")
    for length in range(0, len(data), STEP):
        assert d.refused("decrypt", stdin=data[:length]) == b""
    for bit in range(8 * HEADER, 8 * len(data), STEP):
        assert d.refused("decrypt", stdin=flipped(data, bit)) == b""


@test
@with_folder
def changes_at_the_borders_of_chunks(d):
    text = TEXT[:3 * CHUNK + 100]
    data = d.good("encrypt", stdin=text)
    borders = [HEADER + i * (CHUNK + TAG) for i in range(4)] + [len(data)]
    for border in borders:
        for at in border - TAG - 1, border - TAG, border - 1, border, border + 1:
            if HEADER <= at < len(data):
                d.refuses(flipped(data, 8 * at + RANDOM.randrange(8)), text)
        for end in border - TAG, border - 1, border, border + 1, border + TAG, border + TAG + 1:
            if HEADER <= end < len(data):
                d.refuses(data[:end], text)


@test
@with_folder
def chunks_in_another_order(d):
    for size in 3 * CHUNK, 3 * CHUNK + 100:
        text = TEXT[:size]
        data, other = (d.good("encrypt", stdin=text) for _ in range(2))
        header, chunks, others = data[:HEADER], body_of(data), body_of(other)
        last = chunks[-1]
        for order in [1, 0, 2], [0, 2, 1], [0, 0, 1, 2], [0, 1, 2, 2], [0, 2], [1, 2], [2], [0, 1], [0], []:
            body = b"".join(chunks[i] for i in order) + (chunks[3] if len(chunks) > 3 else b"")
            d.refuses(header + body, text)
        for tail in b"\0", b"\n", bytes(TAG), last, data, others[-1]:
            d.refuses(data + tail, text)
        d.refuses(header + b"".join(chunks[:-1]) + others[-1], text)
        d.refuses(header + others[0] + b"".join(chunks[1:]), text)
        d.refuses(other[:HEADER] + b"".join(chunks), text)
        d.refuses(header + b"".join(chunks) + b"".join(chunks), text)


@beside
@with_folder
def a_last_chunk_without_text(d):
    data = file_format.encrypt(TEXT[:CHUNK], KEY)
    fields = data[:HEADER - 32]
    aead = file_format.AESGCM(file_format.derive(fields, KEY, None)[0])
    pieces = [aead.encrypt(file_format.nonce(0, 0), TEXT[:CHUNK], None), aead.encrypt(file_format.nonce(1, 1), b"", None)]
    d.refuses(data[:HEADER] + b"".join(pieces), TEXT[:CHUNK + 1])


@beside
@with_folder
def wrong_keys(d):
    data = d.good("encrypt", stdin=TEXT[:1000])
    secret = file_format.encrypt(TEXT[:1000], passphrase=b"other words")
    for wrong in KEY[:-1] + b"\0", bytes(32):
        assert d.refused("decrypt", stdin=data, key=put(f"{d.path}/wrong", wrong)) == b""
    assert d.refused("decrypt", stdin=data, key="words") == b""
    assert d.refused("decrypt", stdin=secret, key="words") == b""
    assert d.refused("decrypt", stdin=secret) == b""


def costly(kind, lanes, memory, passes):
    return struct.pack(">8sHBBII", b"HEADRACE", 1, kind, lanes, memory, passes) + bytes(64) + bytes(100)


def limit_memory():
    resource.setrlimit(resource.RLIMIT_AS, (150 << 20, 150 << 20))


@test
@with_folder
def hostile_headers(d):
    def error_of(*fields):
        result = d.run("decrypt", stdin=costly(*fields), key="words", preexec_fn=None if PRELOAD else limit_memory)
        assert result.returncode == 1 and not result.stdout and result.stderr.count(b"\n") == 1, result
        return result.stderr
    for memory in 2 ** 32 - 1, 2 ** 31, 256 * 1024 + 1, 7, 0:
        assert b"malicious or damaged" in error_of(1, 1, memory, 1)
    for lanes, memory, passes in (1, 64, 17), (1, 64, 2 ** 32 - 1), (1, 64, 0), (17, 1024, 1), (255, 4096, 1), \
            (0, 64, 1), (4, 31, 1):
        assert b"malicious or damaged" in error_of(1, lanes, memory, passes)
    for fields in (0, 1, 64, 1), (0, 0, 64, 0), (0, 0, 0, 1), (2, 1, 64, 1), (255, 0, 0, 0):
        assert b"damaged header" in error_of(*fields)
    assert b"wrong passphrase, or damaged header" in error_of(1, 1, 64, 1)
    if not PRELOAD:  # under the user's own limit of memory
        assert b"emory" in error_of(1, 1, 256 * 1024, 1)


def most_memory(d, words, pieces):
    """Returns the most memory in bytes that the program has used when it has read all input and waits for its end."""
    with subprocess.Popen([HEADRACE, *words], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, cwd=d.path,
                          env=environment()) as child:
        for piece in pieces:
            child.stdin.write(piece)
        most = re.search(r"VmHWM:\s*(\d+) kB", read(f"/proc/{child.pid}/status"))
        child.stdin.close()
        assert child.wait() == 0
    return int(most.group(1)) * 1024


@test
@with_folder
def memory_is_constant(d):
    if PRELOAD:
        return  # the sanitizer has its own
    for words, bound in (["-k", d.key], 8 << 20), (["--passphrase-file", d.words], 64 << 20):
        most = most_memory(d, ["encrypt", *words, "-o", "out"], [bytes(1 << 20)] * 300)
        assert 1 << 20 < most < bound, most
        with open(f"{d.path}/out", "rb") as data:
            most = most_memory(d, ["decrypt", *words, "-o", "-"], iter(lambda: data.read(1 << 20), b""))
        assert 1 << 20 < most < bound, most
        os.unlink(f"{d.path}/out")


# ---- key files ----

@test
@with_folder
def key_files(d):
    data = d.good("encrypt", stdin=b"text")
    digits = KEY.hex().encode()
    for content in digits, digits + b"\n", digits.upper() + b"\r\n":
        assert d.good("decrypt", stdin=data, key=put(f"{d.path}/k", content)) == b"text"
    for content in b"", KEY[:-1], KEY + b"\n", digits[:-1], digits + b"0", digits[:-1] + b"g", digits[:-1] + b"/", \
            digits[:-1] + b":", digits[:-1] + b"@", digits[:-1] + b"\xe6", b" " + digits[1:], digits * 20:
        d.refused("decrypt", stdin=data, key=put(f"{d.path}/k", content))
    d.refused("decrypt", stdin=data, key="none")
    d.refused("decrypt", stdin=data, key="/")
    d.refused("encrypt", stdin=data, key="-", code=2)
    put(f"{d.path}/t.hr", data)
    assert d.good("decrypt", "-o", "-", "t.hr", key="-", stdin=KEY) == b"text"
    result = d.run("decrypt", stdin=data, key=put(f"{d.path}/k", KEY, 0o640))
    assert result.stdout == b"text" and result.stderr.startswith(b"headrace: warning: ")


@test
@with_folder
def new_keys(d):
    words = [HEADRACE, "encrypt", "--new-key", f"{d.path}/k"]
    assert run(*words).returncode == 0
    content = get(f"{d.path}/k")
    assert re.fullmatch(rb"[0-9a-f]{64}\n", content) and os.stat(f"{d.path}/k").st_mode & 0o777 == 0o600
    again = run(*words)
    assert again.returncode == 1 and "exists already" in again.stderr and get(f"{d.path}/k") == content
    assert run(*words[:-1], f"{d.path}/l").returncode == 0 and get(f"{d.path}/l") != content
    assert run(*words, "operand").returncode == 2
    assert d.good("decrypt", stdin=d.good("encrypt", stdin=b"text", key="k"), key="k") == b"text"


@test
@with_folder
def passphrase_files(d):
    for content, good in (WORDS, True), (WORDS + b"\n", True), (WORDS + b"\n\n", True), (b"", False), (b"\n", False), \
            (b"x" * 1024, True), (b"x" * 1025, False), (b"\0\xff", True):
        d.words = put(f"{d.path}/p", content)
        if good:
            assert d.good("decrypt", stdin=d.good("encrypt", stdin=b"t", key="words"), key="words") == b"t"
        else:
            d.refused("encrypt", stdin=b"t", key="words")


@test
@with_folder
def words_that_contradict(d):
    for words in ["-k", d.key, "-p"], ["-k", d.key, "--passphrase-file", d.words], ["-p", "--passphrase-file", d.words], \
            ["-k", "-"], ["--passphrase-file", "-", "-"], ["-k", d.key, "a", "b"], ["-k", d.key, "-i", "a", "b"], \
            ["-k", d.key, "-a", "aes"], ["-k", d.key, "--solaris", "-a", "arcfour"], ["-k", d.key, "--no-option"]:
        for command in "encrypt", "decrypt":
            result = subprocess.run([HEADRACE, command, *words], input=b"", capture_output=True, env=environment())
            assert result.returncode == 2 and not result.stdout, (words, result)
            assert result.stderr.startswith(b"headrace: ") and result.stderr.count(b"\n") == 1, result.stderr
    d.refused("decrypt", put(f"{d.path}/f", b"text"), code=2)  # no .hr
    d.refused("decrypt", put(f"{d.path}/.hr", b"text"), code=2)


main()
