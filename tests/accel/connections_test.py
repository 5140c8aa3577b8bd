# SPDX-License-Identifier: Apache-2.0
"""Connections to headraced: how many may wait, how they end, and what an ended one leaves behind."""
import contextlib
import ctypes
import os
import resource
import signal
import socket
import struct
import subprocess
import tempfile
import time

from control import (ATTACH, CORRUPT, CROSSOVER, ERRORS, MAGIC, MORE, NOBODY, REQUEST, Client, Service, service,
                     test_as_root)
from cli import Missing, main, test

SYS_PIDFD_GETFD = 438  # the same on every architecture


def connect_as(s, uid):
    """Connects as another user: the service sees the user that this process is at that moment."""
    os.seteuid(uid)
    try:
        return Client(s.path)
    finally:
        os.seteuid(0)


@test_as_root
def connections_that_say_nothing_are_bounded_and_end():
    with service() as s:
        crowd = [connect_as(s, NOBODY) for _ in range(17)]
        assert crowd[0].hung_up() and crowd[1].alive() and crowd[16].hung_up()
        assert Client(s.path).result(ATTACH) == 0


@test_as_root
def who_does_not_attach_keeps_nobody_out():
    with service() as s:
        crowd = [connect_as(s, 2000 + i // 16) for i in range(64)]
        for _ in range(7):
            for client in crowd[-3:]:
                client.ask(CROSSOVER)  # asks something, which does not help a client that is not attached
            newcomer = connect_as(s, 3000)
            assert newcomer.result(ATTACH) == 0
            time.sleep(1)
        assert all(client.hung_up() for client in crowd) and newcomer.alive()


def cpu_seconds(pid):
    with open(f"/proc/{pid}/stat", encoding="ascii") as file:
        fields = file.read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


@test
def a_lack_of_descriptors_is_waited_out():
    with service() as s:
        s.wait_for_log("self-test")
        Client(s.path).result(CROSSOVER)  # it serves
        limits = resource.prlimit(s.process.pid, resource.RLIMIT_NOFILE)
        resource.prlimit(s.process.pid, resource.RLIMIT_NOFILE, (4, limits[1]))
        client = Client(s.path)
        before = cpu_seconds(s.process.pid)
        time.sleep(1)
        assert cpu_seconds(s.process.pid) - before < 0.2
        resource.prlimit(s.process.pid, resource.RLIMIT_NOFILE, limits)
        assert client.result(ATTACH) == 0


def sockets_of(pid):
    """The sockets of a process: {"socket:[INODE]": descriptor}."""
    sockets = {}
    for fd in os.listdir(f"/proc/{pid}/fd"):
        with contextlib.suppress(FileNotFoundError):  # it has been closed meanwhile
            sockets[os.readlink(f"/proc/{pid}/fd/{fd}")] = fd
    return {name: fd for name, fd in sockets.items() if name.startswith("socket:")}


def descriptor_of(pid, number):
    """A copy of another process's descriptor, which keeps its file open."""
    pidfd = os.pidfd_open(pid)
    copy = ctypes.CDLL(None, use_errno=True).syscall(SYS_PIDFD_GETFD, pidfd, int(number), 0)
    os.close(pidfd)
    assert copy >= 0, os.strerror(ctypes.get_errno())
    return copy


@test_as_root
def an_ended_session_is_not_woken_by_who_holds_its_file():
    with service() as s:
        before = sockets_of(s.process.pid)
        client = Client(s.path)
        client.result(CROSSOVER)  # it has been accepted
        after = sockets_of(s.process.pid)
        held, = after.keys() - before.keys()
        copy = descriptor_of(s.process.pid, after[held])
        client.socket.send(REQUEST.pack(MAGIC + 1, ATTACH, 0, 0, 0, 0, b"", b""))  # which ends the session
        while held in sockets_of(s.process.pid):
            time.sleep(0.01)
        client.socket.send(b"the copy receives this, and epoll would have reported it")
        assert Client(s.path).result(ATTACH) == 0
        os.close(copy)


REFUSED = ERRORS["HR_EBUFFER"]


def attach_as(s, uid, most):
    """Attaches as a user until that is refused, and returns the clients, at most so many."""
    clients = []
    while len(clients) < most:
        client = connect_as(s, uid)
        result = client.result(ATTACH)
        assert result in (0, REFUSED), result
        if result:
            break
        clients.append(client)
    return clients


@test_as_root
def a_user_has_no_more_memory_than_the_policy_says():
    with service(policy="[client all]\nrings = 2\nwindow = 1M\nmemory = 6M\n") as s:
        clients = attach_as(s, 2000, 9)
        assert len(clients) == 2
        assert connect_as(s, 2001).result(ATTACH) == 0
        clients[0].socket.close()
        while connect_as(s, 2000).result(ATTACH) == REFUSED:
            time.sleep(0.01)


@test_as_root
def no_user_takes_the_memory_that_others_need():
    with service("--memory=20M", policy="[client all]\nrings = 2\nwindow = 1M\n") as s:
        first, second = attach_as(s, 2000, 9), attach_as(s, 2001, 9)
        assert len(first) == 4 and len(second) == 2
        last = [connect_as(s, uid) for uid in range(3000, 3005)]
        assert [client.result(ATTACH) for client in last] == [0, REFUSED, REFUSED, REFUSED, REFUSED]


@test_as_root
def a_place_is_kept_for_root_and_for_those_whom_the_administrator_names():
    policy = "[client named]\nuid = 4000\nrings = 2\nwindow = 1M\n[client all]\nrings = 2\nwindow = 1M\n"
    with service("--memory=20M", policy=policy) as s:
        clients = [connect_as(s, uid) for uid in range(3000, 3009)]
        results = [client.result(ATTACH) for client in clients]
        assert 0 < results.count(0) < 9 and results == sorted(results, reverse=True)
        assert connect_as(s, 4000).result(ATTACH) == 0
        assert connect_as(s, 3009).result(ATTACH) == REFUSED
        assert connect_as(s, 0).result(ATTACH) == 0


@test_as_root
def a_place_is_kept_for_who_may_use_a_named_key():
    with service("--memory=20M", policy="[client all]\nrings = 2\nwindow = 1M\n", ready=False) as s:
        with open(f"{s.keys}/vault", "w", opener=lambda path, flags: os.open(path, flags, 0o600)) as key:
            key.write(f"algorithm = AES-128-GCM\nuid = 4000\nkey = {'07' * 16}\n")
        s.ready().process.send_signal(signal.SIGHUP)
        s.wait_for_log("read again")
        clients = [client for uid in range(3000, 3009) for client in attach_as(s, uid, 1)]
        assert len(clients) < 9 and connect_as(s, 4000).result(ATTACH) == 0


@test_as_root
def who_has_most_makes_room_for_who_has_none():
    with service("--memory=20M", policy="[client all]\nrings = 2\nwindow = 1M\n") as s:
        many = attach_as(s, 2000, 9)
        others = [client for uid in range(3000, 3003) for client in attach_as(s, uid, 1)]
        assert len(many) == 4 and len(others) == 3
        assert connect_as(s, 3003).result(ATTACH) == REFUSED and many[3].hung_up()
        many[3].socket.close()
        while connect_as(s, 3003).result(ATTACH) == REFUSED:
            time.sleep(0.01)
        assert many[0].alive() and all(client.alive() for client in others)


@test_as_root
def who_has_one_client_on_several_accelerators_makes_no_room():
    policy = "[client all]\nrings = 2\nwindow = 1M\nspread = 2\n"
    with service("--memory=20M", "--accelerators=2", policy=policy) as s:
        clients = [client for uid in range(3000, 3009) for client in attach_as(s, uid, 1)]
        assert 0 < len(clients) < 9 and connect_as(s, 4000).result(ATTACH) == REFUSED
        assert all(client.alive() for client in clients)


def need_a_mount_namespace():
    """Mounts of a chroot whose folder is no mount point cannot be made private."""
    if subprocess.run(["unshare", "--mount", "true"], check=False, capture_output=True).returncode:
        raise Missing("no mount namespace can be made private here")


def with_subordinate_ids(path):
    """In a child: a mount namespace in which /etc/subuid is this file."""
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.unshare(0x20000) or libc.mount(None, b"/", None, 0x44000, None) or \
            libc.mount(path.encode(), b"/etc/subuid", None, 0x1000, None):
        raise OSError(ctypes.get_errno(), "a mount namespace")


@test_as_root
def subordinate_ids_count_as_their_owner():
    need_a_mount_namespace()
    with tempfile.NamedTemporaryFile("w", suffix=".subuid") as file:
        file.write("2000:300000:65536\nnobody:400000:65536\nroot:500000:65536\nbad:line\n2000:-5:9\n")
        file.flush()
        os.chmod(file.name, 0o644)
        with service(policy="[client all]\nclients = 2\nrings = 2\n",
                     preexec_fn=lambda: with_subordinate_ids(file.name)) as s:
            clients = attach_as(s, 300000, 9) + attach_as(s, 2000, 9)
            assert len(clients) == 2 and connect_as(s, 365535).result(ATTACH) == REFUSED
            clients += attach_as(s, 465535, 1) + attach_as(s, NOBODY, 9)
            assert len(clients) == 4
            for uid in (365536, 500000, 500001):  # nobody's; root's containers belong to different people
                mine = attach_as(s, uid, 9)
                assert len(mine) == 2
                clients += mine


@test_as_root
def who_was_hung_up_on_keeps_the_memory_as_its_own():
    with service(policy="[client all]\nrings = 2\nwindow = 1M\nmemory = 3M\n") as s:
        client, = attach_as(s, 2000, 9)
        client.socket.send(b"no message")
        assert client.hung_up() and connect_as(s, 2000).result(ATTACH) == REFUSED
        client.socket.close()
        while connect_as(s, 2000).result(ATTACH) == REFUSED:
            time.sleep(0.01)


@test
def as_many_may_linger_as_may_attach():
    with service(policy="[client all]\nclients = 1\nrings = 1\n") as s:
        expelled = [Client(s.path) for _ in range(2)]
        for client in expelled:
            assert client.result(ATTACH) == 0
            client.socket.send(b"no message")
            assert client.hung_up()
        assert Client(s.path).result(ATTACH) == REFUSED
        expelled[0].socket.close()
        while Client(s.path).result(ATTACH) == REFUSED:
            time.sleep(0.01)


@test_as_root
def a_user_attaches_no_more_often_than_the_policy_says():
    with service(policy="[client all]\nattaches = 2\nrings = 1\n") as s:
        assert len(attach_as(s, 2000, 9)) == 4
        assert connect_as(s, 2001).result(ATTACH) == 0
        time.sleep(0.6)
        assert connect_as(s, 2000).result(ATTACH) == 0


RING_REVOKED = 2


def attach_with_memory(s):
    client = Client(s.path)
    client.socket.send(REQUEST.pack(MAGIC, ATTACH, 0, 0, 0, 0, b"", b""))
    _, fds, _, _ = socket.recv_fds(client.socket, 1 << 16, 3)
    return client, fds


@test
def a_client_whose_memory_is_lost_is_revoked_alone():
    if MORE:
        return  # a sanitizer's runtime does not let another library come first
    with service(env={"LD_PRELOAD": CORRUPT, "HEADRACE_UNSEALED": "yes"}) as s:
        neighbour = Client(s.path)
        assert neighbour.result(ATTACH) == 0
        victim, memories = attach_with_memory(s)
        os.ftruncate(memories[0], 0)
        assert Client(s.path).result(ATTACH) == 0  # after which the accelerator looks at all memories
        assert victim.hung_up() and "a page of its memory was lost" in s.log()
        assert struct.unpack("=I", os.pread(memories[1], 4, 0)) == (RING_REVOKED,)
        assert neighbour.alive()


@test
def other_bus_errors_end_the_service():
    with tempfile.TemporaryDirectory() as folder:
        s = Service(folder).ready()
        s.process.send_signal(signal.SIGBUS)
        assert s.wait() == -signal.SIGBUS
        s.log_file.close()


if __name__ == "__main__":
    main()
