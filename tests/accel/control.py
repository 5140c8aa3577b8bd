# SPDX-License-Identifier: Apache-2.0
"""Shared by the tests of headraced: starting the service, and the messages of its socket (accel/control.h)."""
import contextlib
import os
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import time

HEADRACE, SOURCE, HEADRACED, CORRUPT = (os.path.abspath(path) for path in sys.argv[1:5])
MORE = sys.argv[5:]
sys.path.insert(0, f"{SOURCE}/tests/cli")
from cli import test  # noqa: E402  the path above leads to it

ROOT = os.geteuid() == 0
NOBODY = 65534

ATTACH, IMPORT, GENERATE, OPEN, CLOSE, CROSSOVER, STATUS, REVOKE, RELOAD = range(1, 10)
MAGIC = 0x68723033
REQUEST, REPLY = struct.Struct("=IIQHHI64s256s"), struct.Struct("=IIiHHQIIII")
ENDED = b""


def test_as_root(function):
    function.skip = "" if ROOT else " # SKIP other users' processes need root"
    return test(function)


def error_numbers():
    """Returns the error numbers of headrace.h by name, HR_E..."""
    import re
    text = open(f"{SOURCE}/include/headrace/headrace.h", encoding="ascii").read()
    return {name: int(number) for name, number in re.findall(r"(HR_E[A-Z]+) = (-\d+)", text)}


ERRORS = error_numbers()


class Client:
    """A connection to the service. `ask` returns the reply's fields, or None if the service hung up."""

    def __init__(self, path):
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.socket.settimeout(60)
        self.socket.connect(path)

    def ask(self, kind, handle=0, alg=0, name=b"", key=b"", key_len=None, keep=False):
        """`keep`: descriptors that come stay open, in "fds"."""
        kept = []
        try:
            self.socket.send(REQUEST.pack(MAGIC, kind, handle, alg, len(key) if key_len is None else key_len,
                                          0, name, key))
            data, ancillary, _, _ = self.socket.recvmsg(1 << 16, socket.CMSG_SPACE(12))
        except (BrokenPipeError, ConnectionResetError):
            return None
        for _, _, fds in ancillary:
            kept += struct.unpack(f"={len(fds) // 4}i", fds)
        for fd in [] if keep else kept:
            os.close(fd)
        if data == ENDED:
            return None
        _, answered, result, alg, more, handle, rings, window, number, _ = REPLY.unpack(data[:REPLY.size])
        assert answered == kind and len(data) == REPLY.size + more
        return {"result": result, "alg": alg, "handle": handle, "rings": rings, "window": window, "client": number,
                "more": data[REPLY.size:], "fds": kept}

    def result(self, *words, **more):
        reply = self.ask(*words, **more)
        return reply and reply["result"]

    def hung_up(self):
        """Waits until the service hangs up; returns False if it sends something instead."""
        try:
            return self.socket.recv(1) == ENDED
        except ConnectionResetError:
            return True

    def alive(self):
        self.socket.setblocking(False)
        try:
            return self.socket.recv(1) != ENDED
        except BlockingIOError:
            return True
        finally:
            self.socket.settimeout(60)


class Service:
    def __init__(self, folder, *options, policy=None, env=None, stderr=None, **more):
        self.folder, self.path = folder, f"{folder}/sock"
        self.policy, self.keys, self.log_path = f"{folder}/accel.conf", f"{folder}/keys", f"{folder}/log"
        if policy is not None or not os.path.exists(self.policy):
            self.write_policy(policy or "[client everyone]\n")
        if not os.path.exists(self.keys):
            os.mkdir(self.keys, 0o700)
            os.chown(self.keys, os.stat(folder).st_uid, -1)
        self.log_file = open(self.log_path, "ab")
        self.process = subprocess.Popen(
            [HEADRACED, *MORE, f"--socket={self.path}", f"--policy={self.policy}", f"--keys={self.keys}",
             f"--crossover={folder}/crossover", "--verbose", *options],
            stderr=stderr or self.log_file, env={**os.environ, **(env or {})}, **more)

    def write_policy(self, text):
        with open(self.policy, "w", encoding="ascii") as file:
            file.write(text)
        os.chmod(self.policy, 0o644)

    def log(self):
        with open(self.log_path, encoding="ascii") as file:
            return file.read()

    def wait(self):
        return self.process.wait(60)

    def ready(self):
        while self.process.poll() is None:
            with contextlib.suppress(FileNotFoundError, ConnectionRefusedError):
                client = Client(self.path)
                client.socket.settimeout(None)  # its self-test comes before the first answer
                answered = client.result(CROSSOVER) is not None
                client.socket.close()
                if answered:
                    return self
            time.sleep(0.01)
        raise AssertionError(self.log())

    def wait_for_log(self, text):
        while text not in self.log():
            assert self.process.poll() is None, self.log()
            time.sleep(0.01)

    def accel(self, *words):
        return subprocess.run([HEADRACE, "accel", *words, f"--socket={self.path}"], capture_output=True, text=True,
                              timeout=60, check=False)


@contextlib.contextmanager
def service(*options, ready=True, owner=-1, **more):
    with tempfile.TemporaryDirectory(prefix="headraced-test.") as folder:
        os.chmod(folder, 0o755)
        os.chown(folder, owner, -1)
        s = Service(folder, *options, **more)
        try:
            yield s.ready() if ready else s
            assert s.process.poll() is None, s.log()
        finally:
            if s.process.poll() is None:
                s.process.send_signal(signal.SIGTERM)
                status = s.wait()
                assert status == 0, (status, s.log())
            s.log_file.close()


def as_user(uid, function, gid=None, groups=()):
    """Calls function in a child process as another user, and returns its result, an error number or 0."""
    child = os.fork()
    if not child:
        code = 100
        try:
            os.setgroups(groups)
            os.setresgid(gid or uid, gid or uid, gid or uid)
            os.setresuid(uid, uid, uid)
            code = -function()
        finally:
            os._exit(code)
    return -os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
