# SPDX-License-Identifier: Apache-2.0
"""Probes at entries that are hard for them, and what a target does while it is probed."""
import json
import os
import shutil
import signal
import subprocess
import tempfile
import time

from truth import TRACER, Missing, cases, compiled, environment, main, need_cpu, test, trace, wait_until

CALLS = 300  # below what makes a probe a hot one
FOR_EVER = str(1 << 60)  # until SIGTERM
FUNCTIONS = ("aes_five_byte_nop", "aes_red_zone", "aes_vpxor", "aes_vmovdqu", "aes_push", "aes_loop_at_entry")


def entries(*options):
    need_cpu("aes", "avx")
    return compiled("entries", "c/entries.c", "c/entries.S", options=options)


def need_root():
    if os.geteuid():
        raise Missing("probes of the kernel need root")


# The program exits with 0 if every function computed the same each time, and nothing wrote below its stack.
@cases([("uprobe_multi", "multi"), ("uprobes", "uprobe")])
def hard_entries(backend):
    need_root()
    report = trace(entries(), CALLS, options=["--count", "--probe-backend", backend])
    # No name tells that these functions are called once a message, so they have a budget; where single steps
    # are slow (14 us in a virtual machine) some are taken out, and their counts are not called exact.
    for function in FUNCTIONS:
        exact = all(row["exact"] for row in report.rows if row["function"] == function)
        assert report.calls(function) == CALLS or (report.calls(function) and not exact), \
            (function, report.calls(function), str(report))
    # Half of the calls jump past the entry: they must be counted too, or the count not be called exact.
    behind = report.calls("aes_behind_dispatcher") + report.calls("dispatcher")
    exact = all(row["exact"] for row in report.rows if row["function"] == "aes_behind_dispatcher")
    assert behind >= 2 * CALLS or not exact, str(report)


@test
def one_shot_breakpoints():
    """This back end sets four breakpoints at a time, which take turns: the program runs until each function has
    been seen."""
    missing = set(FUNCTIONS)
    words = [TRACER, "--ndjson", "--interval", ".5", "--count", "--probe-backend", "ptrace", "--", entries(), FOR_EVER]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True, env=environment()) as tracer:
        for line in tracer.stdout:
            part = json.loads(line)
            if part["type"] == "row" and part["calls"]:
                assert part["exactness"] == "at least", part
                missing.discard(part["function"])
            if part["type"] == "summary" and not missing:
                os.kill(part["pid"], signal.SIGTERM)
                break
        tracer.stdout.read()
    assert tracer.returncode == 0, tracer.returncode


@test
def no_unwind_tables():
    """A program without unwind tables: only symbols prove where its functions begin."""
    need_root()
    program = entries("-fno-asynchronous-unwind-tables", "-Wa,--defsym,NO_UNWIND_TABLES=1")
    report = trace(program, CALLS, options=["--count"])
    exact = all(row["exact"] for row in report.rows if row["function"] == "aes_push")
    assert report.calls("aes_push") == CALLS or (report.calls("aes_push") and not exact), str(report)


def stat(pid):
    """Returns the fields of /proc/PID/stat from the third on, proc(5)."""
    with open(f"/proc/{pid}/stat", encoding="ascii") as file:
        return file.read().rsplit(")", 1)[1].split()


def state(pid):
    return stat(pid)[0]


def cpu_seconds(pid):
    return sum(map(int, stat(pid)[11:13])) / os.sysconf("SC_CLK_TCK")


@cases([("sampling", []), ("sampling by ptrace", ["--sampler", "ptrace"]), ("counting", ["--count"]),
        ("counting by ptrace", ["--count", "--probe-backend", "ptrace"])])
def killed_tracer_leaves_the_target_running(options):
    target = subprocess.Popen([entries(), FOR_EVER], env=environment())
    try:
        tracer = subprocess.Popen([TRACER, "--json", *options, "-p", str(target.pid), "-d", "60"],
                                  stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, env=environment())
        time.sleep(0.7)  # somewhere in its work: any moment will do
        assert tracer.poll() is None, tracer.stderr.read()
        tracer.send_signal(signal.SIGKILL)
        tracer.wait()
        tracer.stderr.close()
        assert state(target.pid) in "RS", state(target.pid)
        before = cpu_seconds(target.pid)
        wait_until(lambda: cpu_seconds(target.pid) > before + .2)
        target.terminate()
        assert target.wait() == 0
    finally:
        target.kill()
        target.wait()


@test
def setuid_programs_are_not_probed():
    need_root()
    with tempfile.TemporaryDirectory() as place:
        os.chmod(place, 0o755)
        program = shutil.copy(entries(), place + "/entries")
        os.chown(program, 65534, 65534)
        os.chmod(program, 0o4755)
        if os.statvfs(place).f_flag & os.ST_NOSUID:
            raise Missing("the directory for temporary files is mounted nosuid")
        report = trace(program, CALLS, options=["--count"], check=False)
    assert report.calls("aes_push") == 0, str(report)


@test
def fetches_for_each_message_are_waste():
    need_root()
    program = compiled("fetches", "c/fetches.c", libraries=("-lcrypto",))
    report = trace(program, "1500", options=["--count"])
    assert any("EVP_MD_fetch" in line and "1500 times" in line for line in report.json["waste"]), str(report)
    report = trace(program, "10", options=["--count"])
    assert not any("_fetch" in line for line in report.json["waste"]), str(report)


main()
