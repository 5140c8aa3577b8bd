# SPDX-License-Identifier: Apache-2.0
"""RSA keys of programs that are lent to the accelerator (`lend` of provider(7)): evp_lend beside a service of its own.
HEADRACE_TEST_LEND names the program, HEADRACE_TEST_CLIENT the folder of libheadrace-accel; the arguments are those of
tests/accel/control.py."""
import contextlib
import functools
import json
import os
import signal
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(sys.argv[2], "tests/accel"))
from control import CORRUPT, HEADRACE, service  # noqa: E402
from cli import main, test  # noqa: E402
from common import Place  # noqa: E402

PROGRAM, CLIENT = os.environ["HEADRACE_TEST_LEND"], os.environ["HEADRACE_TEST_CLIENT"]
TITLE, RULE = "# headrace accel crossover 1\n", "RSA-2048 sign {} 0 4096\n"
POLICY = "[unit public-key]\nthreads = 2\n[client everyone]\n"


@functools.cache
def make_key():
    command = ["openssl", "genpkey", "-algorithm", "RSA", "-pkeyopt", "rsa_keygen_bits:2048"]
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                          env={**os.environ, "OPENSSL_CONF": "/dev/null"}).stdout


class Stage:
    """A service with a crossover table, and what programs need to use it."""

    def __init__(self, s, rules, lend="yes"):
        self.service, self.place = s, Place()
        self.set_rules(rules)
        with open(self.place.path("ours.cnf"), encoding="ascii") as f:
            self.config = f.read().replace("[headrace_provider]\n", f"[headrace_provider]\nlend = {lend}\n")
        self.place.write("ours.cnf", self.config.encode())
        self.env = dict(self.place.env(True), HEADRACE_ACCEL=s.path, LD_LIBRARY_PATH=CLIENT)
        self.key = self.place.write("key.pem", make_key())

    def set_rules(self, rules):
        with open(f"{self.service.folder}/crossover", "w", encoding="ascii") as f:
            f.write(TITLE + rules)
        assert self.service.accel("reload").returncode == 0

    def start(self, children, count, **more):
        return subprocess.Popen([PROGRAM, self.key, str(children), str(count)], env={**self.env, **more},
                                stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)

    def run(self, children, count, **more):
        check(self.start(children, count, **more))

    def run_until(self, children, count, is_done):
        """Runs programs until the service has signed as is_done wants, which gets what it counted."""
        for _ in range(20):
            self.run(children, count)
            for sign in self.status()["operations"]:
                assert sign["operation"] == "RSA-2048 sign", sign
                if is_done(sign):
                    return
        raise AssertionError(self.status())

    def wait_until_used(self, program):
        while program.poll() is None and not self.status()["operations"]:
            time.sleep(0.01)

    def status(self):
        return json.loads(self.service.accel("status", "--json").stdout)

    def doctor(self, **more):
        """The level and text of what doctor says of lending."""
        done = subprocess.run([HEADRACE, "doctor", "--json", "--config", self.place.path("ours.cnf")], capture_output=True,
                              text=True, env={**self.env, **more}, timeout=100, check=False)
        found, = [f for f in json.loads(done.stdout)["findings"] if f["about"] == "lending"]
        return found["level"], found["text"]


def check(program):
    """A program that ends well has compared all of its signatures."""
    out, _ = program.communicate(timeout=200)
    assert program.returncode == 0 and out == "all are right\n", out[-2000:]


@contextlib.contextmanager
def stage(rules, lend="yes", **more):
    with service(policy=more.pop("policy", POLICY), **more) as s:
        at = Stage(s, rules, lend)
        try:
            yield at
        finally:
            at.place.clean()


@test
def processes_fill_lanes_together():
    with stage(RULE.format(1)) as at:
        at.run_until(8, 40, lambda sign: sum(sign["batches_by_requests"][1:]) >= 10)
        assert not at.status()["operations"][0]["failed"]


@test
def off_by_default():
    with stage(RULE.format(1), lend="no") as at:
        for word in "lend = no", "":
            at.place.write("ours.cnf", at.config.replace("lend = no", word).encode())
            at.run(1, 10)
            assert at.status()["service"]["attached"] == 0
            level, text = at.doctor()
            assert level == "fine" and "off" in text and "lend = yes" in text, text


@test
def without_a_service_or_a_rule_programs_sign():
    with stage("") as at:
        at.run(1, 10, HEADRACE_ACCEL="/nonexistent")
        at.run(1, 10, HEADRACE_ACCEL="off")
        at.run(1, 10, LD_LIBRARY_PATH="")  # nor its client's library
        for rules in "", RULE.format(255), RULE.format(1).replace("2048", "4096"):
            at.set_rules(rules)
            at.run(1, 10)
            assert at.status()["operations"] == []


@test
def a_freed_key_is_taken_back():
    with stage(RULE.format(1)) as at:
        program = at.start(0, 0)

        def say(word):
            program.stdin.write(word + "\n")
            program.stdin.flush()
            line = program.stdout.readline()
            assert line == word + "\n", line + program.stdout.read()
        while not at.status()["operations"]:
            say("sign")
        assert [client["keys"] for client in at.status()["clients"]] == [1]
        say("free")
        assert [client["keys"] for client in at.status()["clients"]] == [0]
        check(program)


@test
def the_service_dies_and_comes_back():
    with stage(RULE.format(1)) as at:
        program = at.start(4, 300)
        for _ in range(3):
            at.wait_until_used(program)
            at.service.process.kill()
            at.service.process.wait()
            at.service.__init__(at.service.folder)
            at.service.ready()
        check(program)


@test
def a_service_that_stops_is_left():
    with stage(RULE.format(1)) as at:
        program = at.start(2, 300)
        at.wait_until_used(program)
        at.service.process.send_signal(signal.SIGSTOP)
        try:
            check(program)
        finally:
            at.service.process.send_signal(signal.SIGCONT)


@test
def wrong_signatures_are_not_released():
    with stage(RULE.format(1), env={"LD_PRELOAD": " ".join(filter(None, (os.environ.get("HEADRACE_PRELOAD"), CORRUPT))),
                                    "HEADRACE_WRONG": "1"}) as at:
        at.run_until(2, 40, lambda sign: sign["requests"] > 0)


@test
def a_calibrated_table_decides():
    with stage("") as at:
        table = at.place.path("table")
        done = subprocess.run([HEADRACE, "accel", "calibrate", "--quick", "--row", "rsa-2048", "--output", table],
                              env={**at.env, "OPENSSL_CONF": "/dev/null"}, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        with open(table, encoding="ascii") as f:
            text = f.read().removeprefix(TITLE)
        load = int(text.split("RSA-2048 sign ")[1].split(" 0 4096\n")[0])
        at.set_rules(text)
        said = "at no load faster" if load == 255 else f"RSA-2048 from a load of {load} on"
        assert said in at.doctor()[1], (said, at.doctor())
        at.run(2, 40)


@test
def doctor_says_why():
    with stage(RULE.format(2)) as at:
        level, text = at.doctor()
        assert level == "fine" and "RSA-2048 from a load of 2 on" in text, text
        assert "there is no service at /nonexistent" in at.doctor(HEADRACE_ACCEL="/nonexistent")[1]
        at.set_rules("")
        level, text = at.doctor()
        assert level == "note" and "no rule for signatures of RSA" in text, text
        at.set_rules(RULE.format(255))
        level, text = at.doctor()
        assert level == "note" and "at no load faster" in text, text
        at.service.write_policy("[unit public-key]\nthreads = 0\n[client everyone]\nuid = 65533\n")
        assert at.service.accel("reload").returncode == 0
        assert "refuses this user" in at.doctor()[1]
    with stage(RULE.format(2), policy="[unit public-key]\nthreads = 0\n[client everyone]\n") as at:
        assert "has no unit for public keys" in at.doctor()[1]


if __name__ == "__main__":
    main()
