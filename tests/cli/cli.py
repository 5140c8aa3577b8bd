# SPDX-License-Identifier: Apache-2.0
"""What the tests of the headrace program share: running it, private directories, TAP."""
import atexit
import contextlib
import os
import shutil
import signal
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from tap import Missing, main, test, test_with  # noqa: E402, F401 -- for the tests

HEADRACE, SOURCE = (os.path.abspath(path) for path in sys.argv[1:3])
PRELOAD = os.environ.get("HEADRACE_TEST_PRELOAD")  # the sanitizer's runtime
# Under a sanitizer, tests with many cases of one kind run every seventh of them.
STEP = 7 if PRELOAD else 1
SYSTEM_CONFIG = "/etc/ssl/openssl.cnf"
OPENSSL = "/usr/bin/openssl"

# Signals that nohup or a shell's & set to be ignored are reset: every program that a test starts would
# inherit that.
for number in signal.SIGHUP, signal.SIGINT, signal.SIGQUIT:
    if signal.getsignal(number) == signal.SIG_IGN:
        signal.signal(number, signal.SIG_DFL)


def installed_tracer():
    """Returns a folder with the tracer under its names, as they are installed beside `headrace`, or
    None if the tracer is not built."""
    built = os.environ.get("HEADRACE_TEST_TRACE")
    if not built:
        return None
    folder = tempfile.mkdtemp()
    atexit.register(shutil.rmtree, folder)
    for name in "trace", "scan", "fingerprints":
        os.symlink(f"{built}/headrace-trace", f"{folder}/headrace-{name}")
    return folder


TRACE = installed_tracer()


def unit(root, name):
    """Makes an empty unit NAME.service below the folder root."""
    folder = os.path.join(os.fsdecode(root), "usr/lib/systemd/system")
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, f"{name}.service"), "w", encoding="ascii"):
        pass


# A program that prints what a TLS program gets as its least protocol: SSL_CTX_get_min_proto_version() of a
# new context, by the macro's SSL_CTX_ctrl(ctx, SSL_CTRL_GET_MIN_PROTO_VERSION, 0, NULL).
MIN_PROTOCOL = sys.executable, "-c", """
import ctypes
ssl = ctypes.CDLL("libssl.so.3")
ssl.TLS_method.restype = ssl.SSL_CTX_new.restype = ctypes.c_void_p
ssl.SSL_CTX_new.argtypes = [ctypes.c_void_p]
ssl.SSL_CTX_ctrl.argtypes = [ctypes.c_void_p, ctypes.c_int, ctypes.c_long, ctypes.c_void_p]
print(hex(ssl.SSL_CTX_ctrl(ssl.SSL_CTX_new(ssl.TLS_method()), 130, 0, None)))
"""


def environment(**changes):
    """Returns an environment without the caller's variables that the program or OpenSSL looks at."""
    env = {k: v for k, v in os.environ.items()
           if not k.startswith(("OPENSSL", "HEADRACE", "NO_COLOR"))}
    if PRELOAD:
        # `headrace run --direct` has its library come before the runtime.
        env.update(LD_PRELOAD=PRELOAD, ASAN_OPTIONS="detect_leaks=0:verify_asan_link_order=0")
    env.update({k: str(v) for k, v in changes.items()})
    if TRACE:
        env["PATH"] = f"{TRACE}:{env['PATH']}"
    return env


def run(*words, stdin=None, stdout=subprocess.PIPE, **env):
    return subprocess.run([str(w) for w in words], input=stdin, stdout=stdout,
                          stderr=subprocess.PIPE, text=True, env=environment(**env),
                          timeout=250)


def headrace(*words, **more):
    return run(HEADRACE, *words, **more)


def one_line(result, code):
    """Checks that there is one line on stderr, nothing on stdout, and this exit code; returns the line."""
    assert result.returncode == code, (result.returncode, result.stderr)
    assert result.stderr.startswith("headrace: "), result.stderr
    assert result.stderr.count("\n") == 1, result.stderr
    assert not result.stdout, result.stdout
    return result.stderr


@contextlib.contextmanager
def directory():
    with tempfile.TemporaryDirectory(prefix="headrace-test.") as name:
        yield name


def write(path, text):
    with open(path, "w", newline="") as out:
        out.write(text)
    return path


def read(path):
    with open(path, newline="") as text:
        return text.read()
