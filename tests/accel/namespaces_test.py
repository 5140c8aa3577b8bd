# SPDX-License-Identifier: Apache-2.0
"""Clients and services in user namespaces, as containers have them: a client is who its host's uid says, and nobody is
taken for a user whom the service's namespace does not know."""
import ctypes
import os
import signal
import socket

from control import ATTACH, ERRORS, NOBODY, RELOAD, ROOT, Client, as_user, service
from cli import main, test

CLONE_NEWUSER, CLONE_NEWPID = 0x10000000, 0x20000000
SO_PEERPIDFD = 77
STRANGER = 12345
LIBC = ctypes.CDLL(None, use_errno=True)


def write(path, text):
    with open(path, "w", encoding="ascii") as file:
        file.write(text)


def enter_user_namespace():
    """Enters a new user namespace as its root; its other users are unknown."""
    uid, gid = os.geteuid(), os.getegid()
    if LIBC.unshare(CLONE_NEWUSER):
        raise OSError(ctypes.get_errno(), "unshare")
    write("/proc/self/setgroups", "deny")
    write("/proc/self/uid_map", f"0 {uid} 1")
    write("/proc/self/gid_map", f"0 {gid} 1")
    assert os.geteuid() == 0


def enter_pid_namespace():
    """Goes on in a child that is the first process of a new namespace; the parent passes SIGTERM on."""
    if LIBC.unshare(CLONE_NEWPID):
        raise OSError(ctypes.get_errno(), "unshare")
    child = os.fork()
    if child:
        os.closerange(3, 256)  # what tells subprocess that the program has begun
        signal.signal(signal.SIGTERM, lambda *_: os.kill(child, signal.SIGTERM))
        os._exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))


def tells_pidfds():
    one, other = socket.socketpair(socket.AF_UNIX)
    with one, other:
        try:
            os.close(one.getsockopt(socket.SOL_SOCKET, SO_PEERPIDFD))
            return True
        except OSError:
            return False


def has_namespaces():
    child = os.fork()
    if not child:
        try:
            enter_user_namespace()
            os._exit(0)
        finally:
            os._exit(1)
    return os.waitpid(child, 0)[1] == 0


def test_in_namespaces(function, root=False):
    if not has_namespaces():
        function.skip = " # SKIP this kernel makes no user namespaces here"
    elif root and not ROOT:
        function.skip = " # SKIP other users' processes need root"
    else:
        function.skip = ""
    return test(function)


def as_root_of_a_namespace(s, uid, kind=ATTACH):
    """What the service answers to a user who is root in a container."""
    def ask():
        # A process that gave up root must not be dumpable by others, and then its maps are not its own to write.
        LIBC.prctl(4, 1)  # PR_SET_DUMPABLE
        enter_user_namespace()
        return Client(s.path).result(kind)
    return as_user(uid, ask, gid=uid)


def a_client_in_a_container_is_who_the_host_says():
    with service(policy=f"[client one]\nuid = {STRANGER}\n") as s:
        assert as_root_of_a_namespace(s, STRANGER) == 0
        assert as_root_of_a_namespace(s, NOBODY) == ERRORS["HR_EACCESS"]
    with service(policy="[client root]\nuid = 0\n") as s:
        assert as_root_of_a_namespace(s, STRANGER) == ERRORS["HR_EACCESS"]
        assert as_root_of_a_namespace(s, STRANGER, kind=RELOAD) == ERRORS["HR_EACCESS"]


def a_service_in_a_container_takes_nobody_for_nobody():
    """Whom its namespace does not know, the kernel calls by the number of "nobody": this gives no right, neither that
    of a rule for nobody nor that of a rule for all."""
    for policy in f"[client nobody]\nuid = {NOBODY}\n", f"[client nogroup]\ngid = {NOBODY}\n", "[client everyone]\n":
        with service(policy=policy, preexec_fn=enter_user_namespace) as s:
            assert as_user(STRANGER, lambda: Client(s.path).result(ATTACH)) == ERRORS["HR_EACCESS"], policy
            assert Client(s.path).result(ATTACH) == (0 if "everyone" in policy else ERRORS["HR_EACCESS"]), policy
            assert "does not know all users" in s.log()
    with service(policy=f"[client nobody]\nuid = {NOBODY}\n") as s:
        assert as_user(NOBODY, lambda: Client(s.path).result(ATTACH)) == 0
        assert "does not know all users" not in s.log()


def clients_may_be_outside_of_the_services_pid_namespace():
    with service(preexec_fn=enter_pid_namespace) as s:
        client = Client(s.path)
        assert client.result(ATTACH) == 0
        assert "1 attached so far" in s.accel("status").stdout


test_in_namespaces(a_client_in_a_container_is_who_the_host_says, root=True)
test_in_namespaces(a_service_in_a_container_takes_nobody_for_nobody, root=True)
if tells_pidfds():
    test_in_namespaces(clients_may_be_outside_of_the_services_pid_namespace, root=True)
else:
    clients_may_be_outside_of_the_services_pid_namespace.skip = " # SKIP needs SO_PEERPIDFD of Linux 6.5"
    test(clients_may_be_outside_of_the_services_pid_namespace)
main()
