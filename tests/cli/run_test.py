# SPDX-License-Identifier: Apache-2.0
"""headrace run: what CMD gets, what is printed, what is left behind."""
import json
import os
import re
import shutil
import signal
import subprocess
import sys

from cli import (HEADRACE, MIN_PROTOCOL, OPENSSL, directory, environment, headrace, main, one_line, read, run,
                 test, write)
from syscalls import ENDING

INIT = "openssl_conf = init\n[init]\n"
TLS = INIT + "ssl_conf = tls\n[tls]\nsystem_default = here\n[here]\nMinProtocol = %s\n"


def summary(*words, options=(), **env):
    """Runs `headrace run`; returns the processes that its JSON summary lists, and the result."""
    with directory() as d:
        result = headrace("run", *options, "--json", f"{d}/out", "--", *words, **env)
        assert result.returncode == 0, result.stderr
        return json.loads(read(f"{d}/out"))["processes"], result


@test
def exit_status_is_the_commands():
    for status in 0, 1, 7, 255:
        assert headrace("run", "--", "sh", "-c", f"exit {status}").returncode == status
    assert headrace("run", "--", "sh", "-c", "kill -TERM $$").returncode == 128 + signal.SIGTERM


@test
def what_cannot_run_says_so():
    one_line(headrace("run", "--", "no-such-command"), 127)
    one_line(headrace("run", "--", "/etc/passwd"), 126)
    one_line(headrace("run"), 2)
    one_line(headrace("run", "--all", "--wins", "--", "true"), 2)
    one_line(headrace("run", "--libcrypto", "/no/such.so", "--", "true"), 1)
    one_line(headrace("run", "--", "true", TMPDIR="/no/such/directory"), 1)
    one_line(headrace("run", "--json", "/dev/null", "--", "echo", "not run"), 1)
    one_line(headrace("run", "--json", "/no/such/file", "--", "echo", "not run"), 1)


@test
def the_commands_own_options_are_its_own():
    echo = "sh", "-c", 'echo "$@"', "sh", "--json"
    assert headrace("run", "--", *echo).stdout == "--json\n"
    assert headrace("run", *echo).stdout == "--json\n"


@test
def a_broken_configuration_is_one_line():
    with directory() as d:
        broken = write(f"{d}/broken.cnf", "a = 1\n[ half\n")
        assert "line 2" in one_line(headrace("run", "--", "true", OPENSSL_CONF=broken), 1)
        assert "too large" in one_line(headrace("run", "--", "true", OPENSSL_CONF="/dev/zero"), 1)
        os.mkfifo(f"{d}/fifo")
        one_line(headrace("run", "--", "true", OPENSSL_CONF=f"{d}/fifo"), 1)


@test
def calls_and_bytes_are_counted():
    processes, result = summary(OPENSSL, "dgst", "-sha256", stdin="x" * 1000)
    plain = run(OPENSSL, "dgst", "-sha256", stdin="x" * 1000)
    assert result.stdout == plain.stdout
    served = {s["algorithm"]: s for p in processes for s in p["served"]}
    assert served["SHA-256"]["bytes"] == 1000 and served["SHA-256"]["calls"] >= 1
    chosen = json.loads(headrace("info", "--json", "sha256").stdout)["operations"][0]["kernels"]
    assert served["SHA-256"]["kernel"] == [k["kernel"] for k in chosen if k["chosen"]][0]


@test
def the_table_fits_80_columns():
    result = headrace("run", "--", "sh", "-c",
                      f"{OPENSSL} dgst -sha256 </dev/null; "
                      f"echo | {OPENSSL} enc -aes-128-cbc -K {0:032} -iv {0:032} | wc -c; "
                      f"echo | {OPENSSL} dgst -sha512")
    lines = result.stderr.splitlines()
    assert lines[0] == "headrace: what it served"
    assert lines[1].split() == ["process", "program", "algorithm", "calls", "bytes", "kernel"]
    assert re.search(r"^ +\d+ openssl +AES-128-CBC +1 +\d+ B  \w+", result.stderr, re.M), result.stderr
    assert re.search(r"^ +\d+ openssl +SHA-512 +1 +1 B  \w+", result.stderr, re.M), result.stderr
    assert re.search(r"^ +\d+ openssl +provider loaded, but never called", result.stderr, re.M), result.stderr
    assert all(len(line) <= 80 for line in lines), lines


@test
def wins_serve_what_the_parameter_names():
    words = OPENSSL, "enc", "-aes-128-ecb", "-K", 32 * "0"
    with directory() as d:
        for win in "none", "aes_128_ecb":
            config = write(f"{d}/c", f"[headrace_module]\nwin = {win}\n")
            for option, served in ("--all", True), ("--wins", win != "none"):
                result = headrace("run", option, "--", *words, "-in", write(f"{d}/in", "x" * 64),
                                  "-out", f"{d}/out", OPENSSL_CONF=config)
                assert ("AES-128-ECB" in result.stderr) == served, (win, option, result.stderr)
                assert ("never called" in result.stderr) == (not served)
                run(*words, "-in", f"{d}/in", "-out", f"{d}/plain")
                assert os.path.getsize(f"{d}/out") == 80
                assert run("cmp", f"{d}/out", f"{d}/plain").returncode == 0


@test
def an_enabled_configuration_may_be_run_upon():
    with directory() as d:
        config = write(f"{d}/c", "a = 1\n")
        for option in "--all", "--shipped":
            headrace("enable", option, "--config", config)
            for mode, served in ("--all", True), ("--wins", False):
                # nothing is a win here, whatever this CPU's table says
                text = read(config).replace("soft_load", "win = none\nsoft_load", 1)
                inner = write(f"{d}/inner", text)
                result = headrace("run", mode, "--", OPENSSL, "dgst", "-sha256", stdin="x",
                                  OPENSSL_CONF=inner)
                assert ("SHA-256  " in result.stderr) == served, (option, mode, result.stderr)


@test
def what_enable_wrote_is_taken_back():
    """--all serves what `enable` left out, also beside a map of another machine; and --wins after `enable --all` no more
    than wins, of which KASUMI is none on any CPU."""
    words = OPENSSL, "list", "-cipher-algorithms", "-propquery", "headrace.win=yes"
    with directory() as d:
        config = write(f"{d}/c", "a = 1\n")
        headrace("enable", "--shipped", "--config", config)
        text = read(config).replace("\nwithout = ", "\nwin = pkey sha256\nmeasured = 0.9 0\nwithout = sha512 ", 1)
        inner = write(f"{d}/inner", text)
        result = headrace("run", "--all", "--", OPENSSL, "dgst", "-sha512", stdin="x", OPENSSL_CONF=inner)
        assert "SHA-512  " in result.stderr, result.stderr
        assert "KASUMI" in headrace("run", "--all", "--", *words, OPENSSL_CONF=inner).stdout
        headrace("enable", "--all", "--config", config)
        assert "KASUMI" in headrace("run", "--all", "--", *words, OPENSSL_CONF=config).stdout
        assert "KASUMI" not in headrace("run", "--wins", "--", *words, OPENSSL_CONF=config).stdout


@test
def a_program_without_libcrypto_is_told_so():
    result = headrace("run", "--", "true")
    assert result.returncode == 0 and "never loaded" in result.stderr
    assert "headrace trace" in result.stderr


@test
def what_is_not_served_has_a_reason():
    for name, words in ("OWN_CONTEXT", ("library context of its own", "OSSL_LIB_CTX_new", "openssl.cnf")), \
                       ("NO_CONFIG", ("is linked with libcrypto.so.3", "keeps OpenSSL from reading")):
        program = os.environ["HEADRACE_TEST_" + name]
        result = headrace("run", "--", program)
        assert result.returncode == 0 and result.stdout == run(program).stdout != "", result
        assert all(word in result.stderr for word in ("not served: ", *words)), result.stderr
        assert "never loaded" not in result.stderr and "trace" not in result.stderr, result.stderr
        with directory() as d:
            headrace("run", "--json", f"{d}/out", "--", program)
            assert words[0] in json.loads(read(f"{d}/out"))["reason"]
    # Its default context was served, and `openssl` could make another.
    result = headrace("run", "--", OPENSSL, "dgst", "-sha256", stdin="x")
    assert "SHA-256" in result.stderr and "not served" not in result.stderr


@test
def a_configuration_that_does_not_enable_is_named():
    with directory() as d:
        config = write(f"{d}/own.cnf", "a = 1\n")
        result = headrace("run", "--", OPENSSL, "dgst", "-sha256", stdin="x", OPENSSL_CONF=config)
        assert "SHA-256" in result.stderr and f"{config}, which does not enable Headrace" in result.stderr
        assert headrace("enable", "--shipped", "--config", config).returncode == 0
        for env in {"OPENSSL_CONF": config}, {}:
            assert "does not enable" not in headrace("run", "--", OPENSSL, "version", **env).stderr


@test
def min_protocol_of_the_system_survives():
    words = MIN_PROTOCOL
    with directory() as d:
        for name, version in ("TLSv1.3", "0x304"), ("TLSv1.1", "0x302"):
            config = write(f"{d}/{name}", TLS % name)
            assert run(*words, OPENSSL_CONF=config).stdout == version + "\n", "no control"
            result = headrace("run", "--", *words, OPENSSL_CONF=config)
            assert result.stdout == version + "\n", result
            assert "provider loaded" in result.stderr or "kernel" in result.stderr
        # and through a file that the system's own file includes
        outer = write(f"{d}/outer", f".include {d}/TLSv1.3\nother = 1\n")
        assert headrace("run", "--", *words, OPENSSL_CONF=outer).stdout == "0x304\n"


def providers(config):
    text = headrace("run", "--", OPENSSL, "list", "-providers", OPENSSL_CONF=config).stdout
    return re.findall(r"^  (\w+)$", text, re.M)


@test
def providers_of_the_system_survive():
    legacy = "[init]\nproviders = p\n[p]\nlegacy = l\n[l]\nactivate = 1\n"
    with directory() as d:
        empty = write(f"{d}/empty", "")
        only = write(f"{d}/only", INIT + legacy)
        both = write(f"{d}/both", INIT + legacy + "[p]\ndefault = dd\n[dd]\nactivate = 1\n")
        assert providers(empty) == ["default", "headrace"]
        assert sorted(providers(both)) == ["default", "headrace", "legacy"]
        # a configuration without the default provider keeps it out
        assert sorted(providers(only)) == ["headrace", "legacy"]
        assert providers(f"{d}/missing") == ["default", "headrace"]


@test
def a_query_that_cannot_be_extended_is_refused():
    with directory() as d:
        taken = write(f"{d}/c", INIT + "alg_section = a\n[a]\ndefault_properties = provider=default\n")
        line = one_line(headrace("run", "--", "true", OPENSSL_CONF=taken), 1)
        assert "would not be active" in line and "Duplicated" in line
        wins = headrace("run", "--wins", "--", OPENSSL, "version", OPENSSL_CONF=taken)
        assert wins.returncode == 0 and wins.stdout


@test
def a_command_that_spoils_the_figures_harms_nobody():
    spoil = ("import os; f = open(os.environ['HEADRACE_STATS'], 'r+b'); f.seek(64); n = 4096 * 1024; "
             "f.write(%s * (n // 4)); f.truncate(%d)")
    ready = r"b'\x02\x00\x00\x00'"
    for fill, size in (r"b'\xff\xff\xff\xff'", 64 + 4096 * 1024), (ready, 64 + 4096 * 1024), \
                      (ready, 70), (ready, 0), (r"b'\x02\x01\x02\x01'", 64 + 4096 * 1024):
        result = headrace("run", "--", sys.executable, "-c", spoil % (fill, size))
        assert result.returncode == 0, result
        assert not re.search(r"[^\n -~]", result.stderr), result.stderr


@test
def an_ignored_SIGCHLD_loses_no_status():
    process = subprocess.run([HEADRACE, "run", "--", "sh", "-c", "exit 5"], env=environment(),
                             stderr=subprocess.DEVNULL, check=False,
                             preexec_fn=lambda: signal.signal(signal.SIGCHLD, signal.SIG_IGN))
    assert process.returncode == 5


@test
def nothing_is_left_behind():
    with directory() as d:
        headrace("run", "--", OPENSSL, "dgst", "-sha256", stdin="", TMPDIR=d)
        assert os.listdir(d) == []


@test
def signals_reach_the_command_and_leave_nothing():
    with directory() as d:
        process = subprocess.Popen(
            [HEADRACE, "run", "--", "sh", "-c", "trap 'exit 9' TERM; echo ready; while :; do sleep 0.05; done"],
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=environment(TMPDIR=d))
        assert process.stdout.readline() == b"ready\n"
        assert len(os.listdir(d)) == 1
        process.send_signal(signal.SIGTERM)
        assert process.wait(30) == 9
        process.stdout.close()
        assert os.listdir(d) == []


@test
def every_signal_that_ends_a_program_leaves_nothing():
    for number in ENDING:
        with directory() as d:
            process = subprocess.Popen([HEADRACE, "run", "--", "sh", "-c", "echo ready; exec sleep 100"],
                                       stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=environment(TMPDIR=d))
            assert process.stdout.readline() == b"ready\n"
            process.send_signal(number)
            assert process.wait(30) == 128 + number, (number, process.returncode)
            process.stdout.close()
            assert os.listdir(d) == [], number


MAC = "import hmac; print(hmac.digest(b'key', b'message', 'sha256').hex())"


@test
def direct_calls_are_served_and_named():
    plain = run(sys.executable, "-c", MAC)
    result = headrace("run", "--direct", "--", sys.executable, "-c", MAC)
    assert result.returncode == 0 and result.stdout == plain.stdout, result
    assert re.search(r"^ +\d+ \S+ +HMAC-SHA-256 +1 +7 B  \w+\n +via direct$", result.stderr, re.M), \
        result.stderr
    assert all(len(line) <= 80 for line in result.stderr.splitlines())
    processes, _ = summary(sys.executable, "-c", MAC, options=["--direct"])
    assert sorted(p["via"] for p in processes) == ["direct", "openssl"]
    assert "via" not in headrace("run", "--", sys.executable, "-c", MAC).stderr


@test
def the_loader_is_told_before_what_the_user_told_it():
    with directory() as d:
        for option, name, value, file in (
                ("--direct", "LD_PRELOAD", "libm.so.6", "/libheadrace-direct.so"),
                ("--libmd", "LD_LIBRARY_PATH", d, "/libmd")):
            for users in value, "":
                env = {name: users}
                result = headrace("run", option, "--", "sh", "-c", f'echo "${name}"', **env)
                told = result.stdout.strip().split(":")
                assert told[0].endswith(file) and os.path.exists(told[0]), result
                assert told[1:] == ([users] if users else []), result
                plain = headrace("run", "--", "sh", "-c", f'echo "${name}"', **env)
                assert plain.stdout == users + "\n", plain


@test
def what_the_loader_would_not_preload_is_refused():
    with directory() as d:
        tool = shutil.copy(shutil.which("true"), d)
        os.chown(tool, -1, os.getgid())
        if os.getuid() == 0:
            os.chown(tool, 1, -1)
        os.chmod(tool, 0o4755)
        if os.getuid() != 0:
            tool = shutil.which("su")
        for option in "--direct", "--libmd":
            assert "set-user-ID" in one_line(headrace("run", option, "--", tool), 1)
        assert headrace("run", "--", tool).returncode in (0, 1)
        one_line(headrace("run", "--direct", "--", "no-such-command"), 127)


@test
def a_binding_that_is_not_installed_is_missed():
    with directory() as d:
        copy = shutil.copy(HEADRACE, d)
        build = os.path.join(os.path.dirname(HEADRACE), "..")
        library = f"{build}/lib:{build}/accel"
        for option in "--direct", "--libmd":
            line = one_line(run(copy, "run", option, "--", "true", LD_LIBRARY_PATH=library), 1)
            assert f"{option} is not installed: no /" in line, line


@test
def every_process_has_its_row():
    processes, _ = summary("sh", "-c", f"for i in 1 2 3; do echo $i | {OPENSSL} dgst -sha384; done")
    assert len(processes) == 3 and len({p["pid"] for p in processes}) == 3
    assert all(p["served"][0]["algorithm"] == "SHA-384" and p["served"][0]["bytes"] == 2
               for p in processes)


main()
