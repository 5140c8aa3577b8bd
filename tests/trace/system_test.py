# SPDX-License-Identifier: Apache-2.0
"""headrace trace --system: every process, by its share."""
import json
import os
import subprocess

from trace_terminal import on_a_terminal
from truth import TRACER, Missing, environment, main, need, need_cpu, run, test, wait_until


def allowed():
    done = run(TRACER, "--system", "-d", ".1", "--json")
    if done.returncode:
        raise Missing(done.stderr.strip())


def cpu_seconds(pid):
    with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as file:
        words = file.read().rpartition(")")[2].split()
    return (int(words[11]) + int(words[12])) / os.sysconf("SC_CLK_TCK")


class Busy:
    """Two programs: one encrypts, one does not."""

    def __enter__(self):
        need("openssl")
        need_cpu("aes")
        allowed()
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "env": environment()}
        self.crypto = subprocess.Popen(["openssl", "speed", "-seconds", "60", "-bytes", "16384", "-evp", "aes-128-cbc"],
                                       **quiet)
        self.plain = subprocess.Popen(["sh", "-c", "while :; do :; done"], **quiet)
        wait_until(lambda: cpu_seconds(self.crypto.pid) > .3)  # its start is over
        return self

    def __exit__(self, *_):
        for program in self.crypto, self.plain:
            program.kill()
            program.wait()


@test
def processes_apart():
    with Busy() as busy:
        report = json.loads(run(TRACER, "--system", "-d", "2", "--json").stdout)
    by_pid = {process["pid"]: process for process in report["processes"]}
    crypto, plain = by_pid[busy.crypto.pid], by_pid[busy.plain.pid]
    assert crypto["name"] == "openssl" and crypto["hardware"] > .5 * crypto["share"], crypto
    assert not plain["hardware"] + plain["software"] + plain["vector"], plain


@test
def live_view():
    with Busy():
        status, shown = on_a_terminal([TRACER, "--system", "--interval", ".5"],
                                      lambda shown: shown.count("PID") >= 2 and "openssl" in shown)
    assert status == 0, shown
    assert shown.count("PID") >= 2 and "openssl" in shown and "\033[H" in shown, shown


@test
def prometheus_file():
    with Busy():
        path = f"/tmp/headrace-test.{os.getpid()}.prom"
        try:
            done = run(TRACER, "--system", "-d", "2", "--prometheus", path)
            assert done.returncode == 0, done.stderr
            with open(path, encoding="utf-8") as file:
                text = file.read()
        finally:
            if os.path.exists(path):
                os.unlink(path)
    assert 'algorithm="AES"' in text and 'how="hardware"' in text, text


@test
def not_itself():
    allowed()
    with subprocess.Popen([TRACER, "--system", "-d", "2", "--json"], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          text=True, env=environment()) as tracer:
        said = tracer.communicate()[0]
    report = json.loads(said)
    assert tracer.pid not in [process["pid"] for process in report["processes"]], said
    # Without a name is only who ended while the trace began, and that is told.
    unseen = {f"process {process['pid']} (?)" for process in report["processes"] if process["name"] == "?"}
    assert unseen <= {gap["what"] for gap in report["gaps"]}, said


main()
