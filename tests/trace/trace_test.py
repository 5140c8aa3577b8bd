# SPDX-License-Identifier: Apache-2.0
"""headrace trace as a person meets it: whose output is whose, exit statuses, ends, usage."""
import json
import os
import signal
import subprocess
import tempfile
import time

from trace_terminal import on_a_terminal
from truth import (TRACER, Missing, cases, catches, environment, main, must, need, need_cpu, read, run, test,
                   tracer_where, wait_until)

SPEED = ["openssl", "speed", "-seconds", "1", "-bytes", "16384", "-evp", "aes-128-cbc"]
NOBODY = ["setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups"]


def openssl():
    need("openssl")
    need_cpu("aes")


def one_line(done, status):
    assert done.returncode == status, (done.returncode, done.stderr)
    assert done.stderr.startswith("headrace: ") and done.stderr.count("\n") == 1, done.stderr
    assert not done.stdout, done.stdout


@cases([
    ("success", ["true"], 0),
    ("failure", ["sh", "-c", "exit 7"], 7),
    ("signal", ["sh", "-c", "kill -TERM $$"], 128 + signal.SIGTERM),
    ("not found", ["/no/such/command"], 127),
    ("not executable", ["/etc/passwd"], 126),
])
def exit_status_is_the_commands(words, status):
    for options in [], ["--json"], ["--sampler", "ptrace"]:
        done = run(TRACER, *options, "--", *words)
        assert done.returncode == status, (options, done.returncode, done.stderr)


@cases([
    ("no target", []),
    ("two targets", ["-p", "1", "--", "true"]),
    ("system and a process", ["--system", "-p", "1"]),
    ("two formats", ["--json", "--ndjson", "--", "true"]),
    ("a process that is none", ["-p", "x"]),
    ("a part of a process", ["-p", "1.5"]),
    ("no seconds", ["-d", "0", "--", "true"]),
    ("seconds without end", ["-d", "inf", "--", "true"]),
    ("not a frequency", ["--frequency", "99z", "--", "true"]),
    ("a sampler that is none", ["--sampler", "dtrace", "--", "true"]),
    ("a back end that is none", ["--probe-backend", "kprobe", "--", "true"]),
    ("a condition that is none", ["--require", "hw:rot13", "--", "true"]),
    ("the second condition is none", ["--require", "hw:aes", "--require", "nonsense", "--", "true"]),
    ("an option that is none", ["--jason", "--", "true"]),
    ("a user without a command", ["--user", "root", "-p", "1"]),
    ("intervals of one JSON object", ["--json", "--interval", "1", "--", "true"]),
])
def usage(words):
    one_line(run(TRACER, *words), 2)


@test
def what_the_trace_cannot_do_is_125():
    one_line(run(TRACER, "--user", "no-such-user", "--", "true"), 125)
    one_line(run(TRACER, "-o", "/no/such/folder/report", "--", "true"), 125)


@test
def a_process_that_is_not_there():
    one_line(run(TRACER, "-p", 1 << 22, "-d", "1"), 125)


@test
def output_of_the_command_is_its_own():
    done = run(TRACER, "--", "sh", "-c", "echo out; echo error >&2")
    assert done.stdout == "out\n", done.stdout
    assert done.stderr.startswith("error\n") and len(done.stderr) > len("error\n"), done.stderr
    with tempfile.TemporaryDirectory() as place:
        done = run(TRACER, "-o", place + "/report", "--", "echo", "out")
        assert (done.stdout, done.stderr) == ("out\n", ""), done
        assert "observed" in read(place + "/report"), read(place + "/report")


@test
def report_names_hardware():
    openssl()
    done = run(TRACER, "--", *SPEED)
    assert done.returncode == 0, done.stderr
    assert "AES: HARDWARE" in done.stderr, done.stderr
    assert "libcrypto.so.3" in done.stderr, done.stderr


@test
def requirements():
    openssl()
    assert run(TRACER, "--require", "hw:aes", "--", *SPEED).returncode == 0
    done = run(TRACER, "--require", "hw:aes", "--", *SPEED, OPENSSL_ia32cap="~0x200000200000000")
    assert done.returncode == 3 and "required" in done.stderr, done
    done = run(TRACER, "--require", "hw:aes", "--require", "hw:sha256", "--", *SPEED)
    assert done.returncode == 3, done


@test
def intervals():
    began, seconds = time.monotonic(), []
    words = [TRACER, "--ndjson", "--interval", ".1", "--", "sh", "-c", "while :; do :; done"]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True, env=environment()) as tracer:
        for line in tracer.stdout:
            part = json.loads(line)
            if part["type"] == "summary":
                seconds.append(part["seconds"])
                if len(seconds) == 2:
                    os.kill(part["pid"], signal.SIGTERM)
    elapsed = time.monotonic() - began
    assert tracer.returncode == 128 + signal.SIGTERM, tracer.returncode
    assert len(seconds) >= 2 and sum(seconds) <= elapsed, (elapsed, seconds)  # each interval begins at the last's end


@test
def duration_ends_the_trace_not_the_command():
    with tempfile.NamedTemporaryFile() as report:
        words = [TRACER, "-d", ".2", "--json", "-o", report.name, "--", "sh", "-c", "read go; echo still here; exit 5"]
        with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                              env=environment()) as tracer:
            wait_until(lambda: read(report.name).endswith("}\n"))
            said = tracer.communicate("go\n")[0]
    assert tracer.returncode == 5 and said == "still here\n", (tracer.returncode, said)


@test
def interrupt_prints_the_report_of_a_process():
    target = subprocess.Popen(["sleep", "100"])
    try:
        tracer = subprocess.Popen([TRACER, "--json", "-p", str(target.pid)], stdout=subprocess.PIPE,
                                  text=True, env=environment())
        wait_until(lambda: catches(tracer.pid, signal.SIGINT))
        tracer.send_signal(signal.SIGINT)
        text, _ = tracer.communicate(timeout=60)
        assert tracer.returncode == 0, tracer.returncode
        assert json.loads(text)["pid"] == target.pid, text
        assert target.poll() is None
    finally:
        target.kill()
        target.wait()


@test
def trace_ends_with_its_process():
    target = subprocess.Popen(["sleep", "1000"])
    words = [TRACER, "--ndjson", "--interval", ".1", "-p", str(target.pid)]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True, env=environment()) as tracer:
        first = tracer.stdout.readline()  # the trace has begun
        target.kill()
        target.wait()
        tracer.communicate()
    assert tracer.returncode == 0 and json.loads(first)["mode"] == "pid", (tracer.returncode, first)


@test
def interrupt_goes_to_the_command_which_decides():
    status, shown = on_a_terminal(
        [TRACER, "--", "/bin/sh", "-c", "trap 'echo caught; exit 9' INT; echo ready; while :; do sleep .1; done"],
        lambda shown: "ready" in shown)
    assert status == 9 and "caught" in shown and "observed" in shown, (status, shown)


@test
def names_of_commands_are_hostile():
    with tempfile.TemporaryDirectory() as place:
        path = place + "/\033[31mred"
        os.symlink("/bin/true", path)
        done = run(TRACER, "--", path)
        assert done.returncode == 0 and "\033" not in done.stderr, done.stderr
        assert "\033" not in must(TRACER, "--json", "--", path).stdout


@cases([("text", []), ("JSON", ["--json"]), ("lines of JSON", ["--ndjson"]), ("HTML", ["--html", "/dev/stdout"])])
def children_that_cannot_be_watched_are_told(options):
    if os.geteuid():
        raise Missing("counts of every call need root")
    with subprocess.Popen(["sleep", "1000"]) as target:
        try:
            done = run(*tracer_where("refused"), "--count", *options, "-p", target.pid, "-d", ".1")
        finally:
            target.kill()
    said = " ".join((done.stdout + done.stderr).split())
    assert done.returncode == 0 and "(tracefs: Operation not permitted)" in said, done


@test
def help_words_version():
    text = must(TRACER, "--help").stdout
    assert "--require" in text and "usage: headrace trace" in text, text
    words = must(TRACER, "--words").stdout.splitlines()
    assert any(word.startswith("--json\t") for word in words), words
    assert must(TRACER, "--version").stdout.startswith("headrace-trace "), text


@test
def commands_by_the_programs_name():
    with tempfile.TemporaryDirectory() as place:
        for name in "scan", "fingerprints":
            os.symlink(TRACER, f"{place}/headrace-{name}")
            text = must(f"{place}/headrace-{name}", "--help").stdout
            assert f"usage: headrace {name}" in text, text


@test
def an_unprivileged_user_traces_own_programs():
    openssl()
    if os.geteuid():
        raise Missing("only root becomes another user")
    if run(*NOBODY, TRACER, "--version").returncode:
        raise Missing("nobody may not run this build")
    done = run(*NOBODY, TRACER, "--", *SPEED, HOME="/nonexistent")
    assert done.returncode == 0 and "AES: HARDWARE" in done.stderr, done.stderr
    done = run(*NOBODY, TRACER, "--count", "--", *SPEED, HOME="/nonexistent")
    if done.returncode == 125:
        raise Missing("neither probes nor debug registers here")
    assert "NOT COVERED  counts: " in done.stderr and "CAP_BPF" in done.stderr, done.stderr


main()
