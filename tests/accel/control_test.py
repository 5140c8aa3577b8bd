# SPDX-License-Identifier: Apache-2.0
"""headraced as a process: who may attach, keys, revocation, reload, restart, and what it says."""
import json
import mmap
import os
import re
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import time

from control import (ATTACH, CLOSE, CORRUPT, CROSSOVER, ERRORS, GENERATE, HEADRACE, HEADRACED, IMPORT, MORE, NOBODY,
                     OPEN, RELOAD, REVOKE, ROOT, STATUS, Client, Service, as_user, service, test_as_root)
from cli import main, test

AES_256_GCM, HMAC_SHA256 = 0x603, 0x202
STATUS_CLIENT, STATUS_NOTHING = 2, 3  # enum control_status_kind


def attach_as(s, uid, **more):
    return as_user(uid, lambda: Client(s.path).result(ATTACH), **more)


def headraced(*words):
    return subprocess.run([HEADRACED, *words], capture_output=True, text=True, timeout=60, check=False)


@test
def options_are_told_and_judged():
    text = headraced("--help").stdout
    assert max(map(len, text.splitlines())) < 80 and "--policy=FILE" in text
    assert headraced("--version").stdout.startswith("headraced ")
    for words in ["--no-such"], ["operand"], ["--cpus=x"], ["--cpus=3-1"], ["--cpus="], ["--cpus=0-"], \
            ["--cpus=0,"], ["--cpus=0-1,1"], ["--cpus=1024"], ["--cpus=0-99"], ["--accelerators=0"], \
            ["--accelerators=2", "--cpus=0"]:
        result = headraced(*words)
        assert result.returncode == 2 and result.stderr.startswith(("headraced: ", HEADRACED)), result
    with tempfile.TemporaryDirectory() as folder:
        policy = f"{folder}/accel.conf"
        result = headraced(f"--socket={folder}/sock", f"--policy={policy}", "--cpus=1023")
        assert result.returncode == 1 and f"{policy} does not exist" in result.stderr, result
        with open(policy, "w", encoding="ascii") as file:
            file.write("[client all]\n")
        os.chmod(policy, 0o644)
        result = headraced(f"--socket={folder}/sock", f"--policy={policy}", "--cpus=1023")
        assert result.returncode == 1 and "an accelerator on CPU 1023: " in result.stderr, result
        result = headraced(f"--socket={folder}/sock", f"--policy={policy}", f"--keys={folder}/keys")
        assert result.returncode == 1 and f"{folder}/keys: No such file" in result.stderr, result


@test
def first_section_counts():
    with service(policy=f"[client none]\nuid = {os.geteuid()}\nattach = no\n[client all]\n") as s:
        assert Client(s.path).result(ATTACH) == ERRORS["HR_EACCESS"]
    with service(policy="[client all]\nrings = 2\nwindow = 8K\n") as s:
        client = Client(s.path)
        reply = client.ask(ATTACH)
        assert (reply["result"], reply["rings"], reply["window"]) == (0, 2, 8192), reply
        assert client.ask(ATTACH)["result"] == ERRORS["HR_ESTATE"]


@test_as_root
def users_and_groups_are_told_apart():
    with service() as s:
        assert attach_as(s, NOBODY) == 0
    with service(policy="[client web]\nuid = 1000-1001, nobody\ngid = 77\n") as s:
        assert attach_as(s, NOBODY) == attach_as(s, 1001) == 0
        assert attach_as(s, 1002) == ERRORS["HR_EACCESS"]
        assert attach_as(s, 1002, gid=77) == attach_as(s, 1002, groups=[5, 77]) == 0
        for others in 63, 64, 65535:
            groups = [1000 + i for i in range(others)]
            assert attach_as(s, 1002, groups=[*groups, 77]) == 0, others
            assert attach_as(s, 1002, groups=[*groups, 78]) == ERRORS["HR_EACCESS"], others


@test
def clients_of_one_user_are_counted():
    with service(policy="[client all]\nclients = 2\n") as s:
        clients = [Client(s.path) for _ in range(3)]
        assert [c.result(ATTACH) for c in clients] == [0, 0, ERRORS["HR_EBUFFER"]]
        clients[0].socket.close()
        clients[0] = Client(s.path)
        while clients[0].result(ATTACH) == ERRORS["HR_EBUFFER"]:
            pass  # the service has not yet seen that the other went


@test
def a_wrong_policy_is_told_with_its_line():
    for text, words in (("[client a]\nweigth = 3\n", "line 2: unknown word: weigth"),
                        ("weight = 3\n", "line 1: before the first"),
                        ("[client a]\n\n[client a]\n", "line 3: there is a [client a] already"),
                        ("[client a]\nalgorithms = AES-*, ROT-13\n", "line 2: no algorithm of this name: ROT-13"),
                        ("[client a]\nuid = nobody-there\n", "line 2: no such user: nobody-there"),
                        ("[client a]\nuid = ,\n", "line 2: uid must name somebody"),
                        ("[client a]\nwindow = 5000\n", "line 2: a window must be a multiple"),
                        ("[client a]\nbytes = 99999999G\n", "line 2: bytes must be a number"),
                        ("[client a]\nattach = no\n[client b]\nattach = no\nattach = yes\n",
                         "line 5: attach is set twice"),
                        ("[client a]\nlanes\n", "line 2: neither")):
        with tempfile.TemporaryDirectory() as folder:
            s = Service(folder, policy=text)
            assert s.wait() == 1 and words in s.log(), s.log()
            s.log_file.close()


@test
def a_policy_that_others_may_write_is_refused():
    with tempfile.TemporaryDirectory() as folder:
        policy = f"{folder}/accel.conf"
        with open(policy, "w", encoding="ascii") as file:
            file.write("[client all]\n")
        os.chmod(policy, 0o666)
        s = Service(folder)
        assert s.wait() == 1 and "others may write to it" in s.log(), s.log()
        s.log_file.close()


@test
def reload_reaches_clients_that_are_attached():
    with service(policy="[client all]\n") as s:
        client = Client(s.path)
        assert client.result(ATTACH) == 0
        s.write_policy("[client all]\nweight = 0\n")
        result = s.accel("reload")
        assert result.returncode == 1 and "log" in result.stderr and client.alive()
        s.write_policy("[client all]\nweight = 7\n")
        assert s.accel("reload").returncode == 0 and client.alive()
        os.rename(s.policy, f"{s.policy}.gone")
        assert s.accel("reload").returncode == 1 and client.alive()
        assert json.loads(s.accel("status", "--json").stdout)["clients"][0]["weight"] == 7
        s.write_policy("[client all]\nattach = no\n")
        s.process.send_signal(signal.SIGHUP)
        assert client.hung_up()


@test
def revocation_takes_one_or_all():
    with service() as s:
        clients = [Client(s.path) for _ in range(3)]
        numbers = [c.ask(ATTACH)["client"] for c in clients]
        assert s.accel("revoke", "4711").returncode == 1
        assert s.accel("revoke").returncode == s.accel("revoke", "x").returncode == 2
        assert s.accel("revoke", str(numbers[1])).returncode == 0
        assert clients[1].hung_up() and clients[0].alive() and clients[2].alive()
        assert s.accel("revoke", "all").returncode == 0
        assert clients[0].hung_up() and clients[2].hung_up()
        assert json.loads(s.accel("status", "--json").stdout)["service"]["revoked"] == 3


@test
def a_client_is_moved_by_its_number_or_its_process():
    with service("--accelerators=2") as s:
        clients = [Client(s.path) for _ in range(3)]
        numbers = [c.ask(ATTACH)["client"] for c in clients]

        def places():
            status = json.loads(s.accel("status", "--json").stdout)
            return [(c["accelerator"], c["moves"]) for c in status["clients"]]
        assert places() == [(0, 0), (1, 0), (0, 0)]
        assert s.accel("move", str(numbers[0]), "1").returncode == 0
        assert s.accel("move", str(numbers[0]), "1").returncode == 0  # where it is already
        assert places() == [(1, 1), (1, 0), (0, 0)]
        assert s.accel("move", "--pid", str(os.getpid()), "0").returncode == 0
        assert places() == [(0, 2), (0, 1), (0, 0)] and all(c.alive() for c in clients)
        for words, code in ((("4711", "1"), 1), ((str(numbers[0]), "2"), 1), (("--pid", "1", "0"), 1), (("1",), 2),
                            (("x", "1"), 2), (("1", "-1"), 2), (("--pid", "0", "0"), 2)):
            assert s.accel("move", *words).returncode == code, words
        s.write_policy("[client all]\naccelerators = 1\n")
        assert s.accel("reload").returncode == 0 and [p[0] for p in places()] == [1, 1, 1]
        for bad in "x", "64", "2-1", "", "1,,2x":
            s.write_policy(f"[client all]\naccelerators = {bad}\n")
            assert s.accel("reload").returncode == 1, bad


@test_as_root
def only_administrators_administer():
    with service(policy="[client ops]\nuid = 1000\nadmin = yes\n[client all]\n") as s:
        def worst():
            return min(Client(s.path).result(kind) for kind in (STATUS, REVOKE, RELOAD))
        assert as_user(1000, worst) == worst() == 0
        assert as_user(NOBODY, lambda: max(Client(s.path).result(kind) for kind in (STATUS, REVOKE, RELOAD))) \
            == ERRORS["HR_EACCESS"]


def new_key(s, name, *words):
    return subprocess.run([HEADRACE, "accel", "key", "new", name, f"--keys={s.keys}", *words], capture_output=True,
                          text=True, timeout=60, check=False)


@test
def keys_are_imported_generated_and_closed():
    with service() as s:
        client, other = Client(s.path), Client(s.path)
        assert client.ask(IMPORT, alg=AES_256_GCM, key=bytes(32)) is None  # hung up: it is not attached
        client = Client(s.path)
        assert client.result(ATTACH) == other.result(ATTACH) == 0
        one, two = client.ask(IMPORT, alg=AES_256_GCM, key=bytes(32)), client.ask(GENERATE, alg=HMAC_SHA256)
        assert one["result"] == two["result"] == 0 and one["handle"] != two["handle"]
        assert client.result(IMPORT, alg=AES_256_GCM, key=bytes(31)) == ERRORS["HR_EKEYLEN"]
        assert client.result(IMPORT, alg=AES_256_GCM, key=b"", key_len=65535) == ERRORS["HR_EKEYLEN"]
        assert client.result(IMPORT, alg=0xfff, key=bytes(32)) < 0
        assert client.result(GENERATE, alg=0x101) < 0
        assert client.result(CLOSE, handle=one["handle"]) == 0
        assert client.result(CLOSE, handle=one["handle"]) == client.result(CLOSE) == ERRORS["HR_EHANDLE"]
        assert other.result(CLOSE, handle=two["handle"]) == ERRORS["HR_EHANDLE"]
        made = 0
        while made < 63:  # the place of a closed key is free once the accelerator has wiped it
            result = client.result(GENERATE, alg=AES_256_GCM)
            assert result in (0, ERRORS["HR_EBUFFER"]), result
            made += result == 0
        assert client.result(GENERATE, alg=AES_256_GCM) == ERRORS["HR_EBUFFER"]


@test
def named_keys_are_made_opened_and_taken_back():
    with service() as s:
        assert new_key(s, "web", "--algorithm=AES-256-GCM", "--use=encrypt").returncode == 0
        made = new_key(s, "shown", "-a", "aes-128-cfb")
        assert "AES-128-CFB128" in made.stdout and "root" in made.stdout and not made.returncode, made
        os.unlink(f"{s.keys}/shown")
        for name in "AES256", "des3", "camellia128":  # OpenSSL's names for CBC do not say so
            refused = new_key(s, "x", "-a", name)
            assert refused.returncode == 2 and "names no mode" in refused.stderr, refused
        assert os.stat(f"{s.keys}/web").st_mode & 0o777 == 0o600 and os.stat(s.keys).st_mode & 0o777 == 0o700
        assert new_key(s, "web", "--algorithm=AES-256-GCM").returncode == 1
        for words in ["x"], ["x", "--algorithm=SHA-256"], ["x", "--algorithm=AES-256-GCM", "--use=fly"], \
                ["x", "--algorithm=AES-256-GCM", "--use=mac"], ["x", "--algorithm=AES-256-GCM", "--uid=0\nuse = mac"], \
                ["x", "--algorithm=AES-128-GCM", "--uid=0\nkey = 00112233445566778899aabbccddeeff"], \
                ["../x", "--algorithm=AES-256-GCM"], [".x", "--algorithm=AES-256-GCM"]:
            assert new_key(s, *words).returncode == 2, words
        client = Client(s.path)
        assert client.result(ATTACH) == 0
        assert client.result(OPEN, name=b"web") == ERRORS["HR_EHANDLE"]
        assert s.accel("reload").returncode == 0
        reply = client.ask(OPEN, name=b"web")
        assert reply["result"] == 0 and reply["alg"] == AES_256_GCM
        listed = subprocess.run([HEADRACE, "accel", "key", "list", f"--keys={s.keys}"], capture_output=True, text=True,
                                check=True).stdout
        with open(f"{s.keys}/web", encoding="ascii") as file:
            secret = file.read().split("key = ")[1].strip()
        assert [line.split() for line in listed.splitlines()] == [
            ["name", "algorithm", "use", "sealed", "users", "groups"], ["web", "AES-256-GCM", "encrypt", "no", "root", "-"]]
        assert secret not in listed + s.log()
        subprocess.run([HEADRACE, "accel", "key", "remove", "web", f"--keys={s.keys}"], check=True)
        assert s.accel("reload").returncode == 0
        assert client.result(CLOSE, handle=reply["handle"]) == ERRORS["HR_EHANDLE"]
        os.rmdir(s.keys)
        assert s.accel("reload").returncode == 0
        os.mkdir(s.keys)
        with open(f"{s.keys}/open", "w", encoding="ascii") as file:
            file.write("algorithm = AES-128-GCM\nkey = 00112233445566778899aabbccddeeff\n")
        assert s.accel("reload").returncode == 1
        s.wait_for_log("others may read it")


@test_as_root
def named_keys_are_their_users():
    with service(ready=False) as s:
        assert new_key(s, "web", "--algorithm=HMAC-SHA-256", "--uid=1000", "--gid=77").returncode == 0
        s.ready()
        s.accel("reload")

        def open_it():
            client = Client(s.path)
            return client.result(ATTACH) or client.result(OPEN, name=b"web")
        assert as_user(1000, open_it) == as_user(1001, open_it, groups=[77]) == 0
        assert as_user(1001, open_it) == open_it() == ERRORS["HR_EACCESS"]


@test_as_root
def names_of_users_are_those_of_the_service():
    with service() as s:
        result = new_key(s, "x", "--algorithm=HMAC-SHA-256", "--uid=nobody-there")
        assert result.returncode == 2 and "no such user: nobody-there" in result.stderr, result
        with open(f"{s.folder}/nsswitch.conf", "w", encoding="ascii") as file:
            file.write("passwd: \ngroup: \n")  # for lookups of users no other source is asked
        mount = ["unshare", "-m", "sh", "-c", 'mount --bind "$0" /etc/nsswitch.conf && exec "$@"', file.name]
        if subprocess.run([*mount, "true"], capture_output=True, check=False).returncode:
            return  # no mount namespaces here
        subprocess.run([*mount, HEADRACE, "accel", "key", "new", "x", f"--keys={s.keys}", "--algorithm=HMAC-SHA-256",
                        "--uid=nobody", "--gid=root"], check=True, stdout=subprocess.DEVNULL)
        assert s.accel("reload").returncode == 0, s.log()


@test
def status_of_clients_that_left_says_so():
    """Between two answers about clients, the last ones may leave."""
    with service() as s:
        asked = Client(s.path).ask(STATUS, handle=STATUS_CLIENT << 32 | 1)
        assert int.from_bytes(asked["more"][:4], sys.byteorder) == STATUS_NOTHING and asked["handle"] == 0, asked


@test
def status_is_readable_by_machines():
    with service("--accelerators=2") as s:
        client = Client(s.path)
        attached = client.ask(ATTACH, keep=True)
        number = attached["client"]
        with mmap.mmap(attached["fds"][0], 4096) as words:  # struct ring_client_words
            words[8:16] = struct.pack("=II", 3, 5)
        status = json.loads(s.accel("status", "--json").stdout)
        assert [(c["queues_away"], c["times_left"]) for c in status["clients"]] == [(3, 5)], status
        assert [a["clients"] for a in status["accelerators"]] in ([1, 0], [0, 1]), status
        assert [(c["client"], c["pid"], c["uid"]) for c in status["clients"]] == [(number, os.getpid(), os.geteuid())]
        assert status["service"]["kernels"] > 40
        while any(a["asleep_ns"] <= a["idle_ns"] for a in status["accelerators"]):
            status = json.loads(s.accel("status", "--json").stdout)  # nothing wakes them
        text = s.accel("status").stdout
        assert f"client {number} found the service slower than itself 5 times: 3 of its queues" in text, text
        by_env = subprocess.run([HEADRACE, "accel", "status"], capture_output=True, text=True, check=True,
                                env=dict(os.environ, HEADRACE_ACCEL=s.path)).stdout
        assert by_env.splitlines()[1] == text.splitlines()[1]
        assert max(map(len, text.splitlines())) < 100 and "everyone" in text
        exported = s.accel("status", "--prometheus").stdout
        for name, counts in ("latency_seconds", 32), ("batch_requests", 12):
            ends = re.findall(f'headrace_accel_{name}_bucket{{.*le="(.*)"}}', exported)
            # the last bucket counts all greater values
            assert len(ends) == counts and ends[-1] == "+Inf", ends
        try:
            from prometheus_client.parser import text_string_to_metric_families
        except ImportError:
            return
        families = {f.name: f for f in text_string_to_metric_families(exported)}
        assert families["headrace_accel_left"].samples[0].value == 5
        assert families["headrace_accel_away_queues"].type == "gauge"
        assert families["headrace_accel_requests"].samples[0].labels["client"] == str(number)
        for name in "latency_seconds", "batch_requests":
            family = families[f"headrace_accel_{name}"]
            assert family.type == "histogram"
            assert {x.name.rsplit("_", 1)[1] for x in family.samples} == {"bucket", "sum", "count"}
        assert len([x for x in families["headrace_accel_time_seconds"].samples if x.labels["state"] == "busy"]) == 2


@test
def crossovers_are_handed_on():
    with service() as s:
        client = Client(s.path)
        assert client.result(CROSSOVER) == ERRORS["HR_EHANDLE"]
        with open(f"{s.folder}/crossover", "w", encoding="ascii") as file:
            file.write("# headrace accel crossover 1\nHMAC-SHA-256 mac 16 64 65536\n")
        assert s.accel("reload").returncode == 0 and client.result(CROSSOVER) == 0
        with open(f"{s.folder}/crossover", "w", encoding="ascii") as file:
            file.write("# headrace accel crossover 1\n")  # an empty table: the accelerator never wins
        assert s.accel("reload").returncode == 0 and client.result(CROSSOVER) == 0
        with open(f"{s.folder}/crossover", "a", encoding="ascii") as file:
            file.write("nonsense\n")
        assert s.accel("reload").returncode == 1 and client.result(CROSSOVER) == 0


@test
def a_killed_service_leaves_nothing_in_the_way():
    with service() as s:
        second = Service(s.folder)
        assert second.wait() == 1 and "in use" in second.log()
        second.log_file.close()
        client = Client(s.path)
        assert client.result(ATTACH) == 0
        for _ in range(3):
            s.process.kill()
            s.wait()
            s.process = Service(s.folder).process
            s.ready()
        assert client.hung_up() and Client(s.path).result(ATTACH) == 0


@test
def systemd_hands_over_the_socket_and_hears_of_readiness():
    with tempfile.TemporaryDirectory() as folder:
        listener = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        listener.bind(f"{folder}/activated")
        listener.listen()
        heard = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        heard.bind(f"{folder}/notify")
        heard.settimeout(60)

        with open(f"{folder}/accel.conf", "w", encoding="ascii") as file:
            file.write("[client all]\n")
        os.chmod(f"{folder}/accel.conf", 0o644)
        os.mkdir(f"{folder}/keys", 0o700)
        shell = 'LISTEN_PID=$$ LISTEN_FDS=1 exec "$@" 3<&'
        for fd, expected in (listener.fileno(), 0), (heard.fileno(), 1):
            process = subprocess.Popen(["sh", "-c", shell + str(fd), "-", HEADRACED, *MORE, f"--policy={folder}/accel.conf",
                                        f"--keys={folder}/keys"], pass_fds=[fd], stderr=subprocess.DEVNULL,
                                       env={**os.environ, "NOTIFY_SOCKET": f"{folder}/notify"})
            if not expected:
                while b"READY=1" not in heard.recv(256):
                    pass
                assert Client(f"{folder}/activated").result(ATTACH) == 0
                process.terminate()
            assert process.wait(60) == expected


@test
def an_end_by_signal_is_said_to_all():
    for number in signal.SIGTERM, signal.SIGINT:
        with service() as s:
            client = Client(s.path)
            assert client.result(ATTACH) == 0
            s.process.send_signal(number)
            assert s.wait() == 0 and client.hung_up()
            s.process = Service(s.folder).process
            s.ready()


@test
def an_end_before_it_serves_is_one_too():
    if MORE:
        return  # a sanitizer's runtime does not let another library come first
    for number in signal.SIGTERM, signal.SIGINT, signal.SIGHUP:
        with tempfile.TemporaryDirectory() as folder:
            s = Service(folder, env={"LD_PRELOAD": CORRUPT, "HEADRACE_SIGNAL": str(int(number))})
            if number == signal.SIGHUP:
                s.wait_for_log("read again")
                s.process.terminate()
            assert s.wait() == 0, s.log()
            s.log_file.close()


@test
def what_is_no_socket_stays_where_it_is():
    with tempfile.TemporaryDirectory() as folder:
        with open(f"{folder}/sock", "w", encoding="ascii") as file:
            file.write("precious")
        s = Service(folder)
        assert s.wait() == 1 and f"{folder}/sock: " in s.log(), s.log()
        with open(f"{folder}/sock", encoding="ascii") as file:
            assert file.read() == "precious"
        s.log_file.close()


@test
def keys_in_a_folder_that_others_may_write_are_refused():
    with tempfile.TemporaryDirectory() as folder:
        os.mkdir(f"{folder}/keys")
        os.chmod(f"{folder}/keys", 0o770)
        s = Service(folder)
        assert s.wait() == 1 and f"{folder}/keys: others may write to it" in s.log(), s.log()
        s.log_file.close()


def status_of(path):
    with open(path, encoding="ascii") as file:
        return dict(line.split(":\t", 1) for line in file.read().splitlines() if ":\t" in line)


@test_as_root
def the_process_has_little():
    if MORE:
        return  # without the sandbox
    with service("--user=nobody", owner=NOBODY) as s:
        process = f"/proc/{s.process.pid}"
        s.wait_for_log("self-test")
        Client(s.path).result(ATTACH)
        fields = status_of(f"{process}/status")
        assert fields["Uid"].split() == [str(NOBODY)] * 4 and fields["CapEff"] == "0" * 16
        assert fields["NoNewPrivs"] == "1" and int(fields["VmLck"].split()[0]) > 0
        threads = os.listdir(f"{process}/task")
        assert len(threads) >= 2
        for thread in threads:
            assert status_of(f"{process}/task/{thread}/status")["Seccomp"] == "2"
        assert os.readlink(f"{process}/ns/net") != os.readlink("/proc/self/ns/net")


@test
def a_kernel_that_computes_wrong_is_refused():
    if MORE:
        return  # a sanitizer's runtime does not let another library come first
    refused = 0
    for which in "AES-128-CTR encrypt 0", "AES-128-CTR encrypt 1", "HMAC-SHA-256 mac 1", "SHA-1 digest 0", \
            "AES-256-GCM encrypt 0", "Poly1305 mac 0", "AES-256-XTS decrypt 0", "SHA-256 lanes 0":
        with tempfile.TemporaryDirectory() as folder:
            s = Service(folder, env={"LD_PRELOAD": CORRUPT, "HEADRACE_CORRUPT": which})
            row, operation, _ = which.split()
            while s.process.poll() is None and "computed the known answers" not in s.log():
                time.sleep(0.01)
            if s.process.poll() is None:  # a kernel that this CPU cannot run
                s.process.terminate()
            else:
                assert s.process.returncode == 3, (which, s.log())
                assert f"self-test: {row}: {operation}: the kernel " in s.log(), (which, s.log())
                refused += 1
            s.wait()
            s.log_file.close()
    assert refused


@test
def who_asks_for_a_reload_may_be_revoked_by_it():
    with service() as s:
        client = Client(s.path)
        assert client.result(ATTACH) == 0
        s.write_policy("[client all]\nattach = no\n")
        assert client.result(RELOAD) == 0 and client.hung_up()


if __name__ == "__main__":
    main()
