# SPDX-License-Identifier: Apache-2.0
"""headrace doctor: each thing that can be wrong is named, with what to do about it."""
import ctypes
import json
import os
import re
import shutil
import subprocess
import sys

from cli import (HEADRACE, OPENSSL, SOURCE, Missing, SYSTEM_CONFIG, directory, environment, headrace, main, one_line, read,
                 run, test, write)


def doctor(*words, **env):
    result = headrace("doctor", "--json", *words, **env)
    assert not result.stderr, result.stderr
    found = json.loads(result.stdout)
    problems = [f for f in found["findings"] if f["level"] == "problem"]
    assert found["fine"] == (not problems) and result.returncode == bool(problems)
    assert all(f["advice"] for f in problems), problems
    return found, {f["about"]: f for f in problems}


def enabled(d, *options):
    config = write(f"{d}/openssl.cnf", read(SYSTEM_CONFIG))
    headrace("enable", *(options or ["--all"]), "--config", config)
    return config


@test
def fine_when_enabled():
    with directory() as d:
        config = enabled(d)
        for found, problems in doctor("--config", config), doctor(OPENSSL_CONF=config):
            assert not problems and found["config"] == config
            texts = "\n".join(f["text"] for f in found["findings"])
            assert re.search(r"active: Headrace \(.*\), version", texts)
            assert "served by Headrace: SHA-224, SHA-256" in texts


def programs(found):
    """What is said of programs; other ones of this machine may leave no room for that of the test."""
    text = "\n".join(f["text"] for f in found["findings"] if f["about"] == "programs")
    if re.search("; and [0-9]+ more$", text):
        raise Missing("too many other programs here have configurations of their own")
    return text


@test
def programs_with_a_configuration_of_their_own():
    with directory() as d:
        config, own = enabled(d), write(f"{d}/own.cnf", "a = 1\n")
        for named, noted in (own, True), (f"{d}/missing", True), (config, False):
            process = subprocess.Popen([OPENSSL, "dgst"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                       env=environment(OPENSSL_CONF=named))
            # It has loaded libcrypto once it reads: a full pipe, and one byte more, says so.
            process.stdin.write(b"x" * (1 << 20))
            process.stdin.flush()
            found, problems = doctor("--config", config)
            texts = programs(found)
            assert not problems and (f"openssl ({process.pid}, {named})" in texts) == noted, (named, texts)
            process.stdin.close()
            process.stdout.close()
            process.wait(30)


@test
def programs_with_an_openssl_that_has_no_providers():
    hold = ("import mmap, sys; f = open(sys.argv[1]); m = mmap.mmap(f.fileno(), 0, prot=1); "
            "print(flush=True); sys.stdin.read()")
    with directory() as d:
        config, own = enabled(d), write(f"{d}/own.cnf", "a = 1\n")
        for version, noted in ("1.1", False), ("3", True), ("4", True):
            library = write(f"{d}/libcrypto.so.{version}", "no library\n")
            with subprocess.Popen([sys.executable, "-S", "-c", hold, library], stdin=subprocess.PIPE,
                                  stdout=subprocess.PIPE, env=environment(OPENSSL_CONF=own)) as process:
                process.stdout.readline()
                texts = programs(doctor("--config", config)[0])
                assert (f"({process.pid}, {own})" in texts) == noted, (version, texts)


@test
def a_device_that_a_program_names_is_not_opened():
    # A FIFO stands for it. inotify(7) tells of each open(2), but not of one with O_PATH.
    libc, is_opened = ctypes.CDLL(None), 0x20
    with directory() as d:
        config = enabled(d)
        os.mkfifo(f"{d}/fifo")
        events = libc.inotify_init1(os.O_NONBLOCK)
        assert events >= 0 and libc.inotify_add_watch(events, os.fsencode(f"{d}/fifo"), is_opened) >= 0
        with subprocess.Popen(["sleep", "1000"], env=environment(OPENSSL_CONF=f"{d}/fifo")) as process:
            doctor("--config", config)
            process.kill()
        try:
            assert not os.read(events, 4096)
        except BlockingIOError:
            pass
        os.close(events)


@test
def not_enabled():
    with directory() as d:
        _, problems = doctor("--config", write(f"{d}/c", read(SYSTEM_CONFIG)))
        assert list(problems) == ["provider"]
        assert problems["provider"]["advice"] == f"headrace enable --config {d}/c"
        _, problems = doctor(OPENSSL_CONF=f"{d}/c")
        assert problems["provider"]["advice"] == f"headrace enable --config {d}/c"


@test
def the_advice_cures():
    with directory() as d:
        config = write(f"{d}/c", read(SYSTEM_CONFIG))
        _, problems = doctor("--config", config)
        words = problems["provider"]["advice"].split()
        assert headrace(*words[1:], "--all").returncode == 0
        assert not doctor("--config", config)[1]


@test
def configurations_that_cannot_be_used():
    with directory() as d:
        _, problems = doctor("--config", "/no/such/file")
        assert list(problems) == ["configuration"]
        _, problems = doctor("--config", write(f"{d}/broken", "[ half\n"))
        assert list(problems) == ["configuration"] and "refuses" in problems["configuration"]["text"]
        os.mkfifo(f"{d}/pipe")
        result = headrace("doctor", "--config", f"{d}/pipe")
        assert result.returncode == 1 and f"refuses {d}/pipe" in result.stdout, result
        _, problems = doctor(OPENSSL_CONF="")
        assert "empty" in problems["configuration"]["text"]


@test
def modules_that_do_not_load():
    with directory() as d:
        config = enabled(d)
        write(config, re.sub(r"(?m)^module = .*$", f"module = {d}/headrace.so", read(config)))
        assert "provider" in doctor("--config", config)[1]
        write(f"{d}/headrace.so", "no module\n")
        _, problems = doctor("--config", config, OPENSSL_MODULES=d)
        assert "does not load" in problems["provider"]["text"]


@test
def a_missing_module():
    with directory() as d:
        # away from the build tree, and with no module installed
        copy = shutil.copy(HEADRACE, f"{d}/headrace")
        libraries = ":".join(map(os.path.dirname, re.findall(r"libheadrace\S+ => (\S+)",
                                                             run("ldd", HEADRACE).stdout)))
        module = run(OPENSSL, "version", "-m").stdout.split('"')[1] + "/headrace.so"
        if os.path.exists(module):
            assert module in json.loads(run(copy, "doctor", "--json",
                                            LD_LIBRARY_PATH=libraries).stdout)["module"]
            return
        result = run(copy, "doctor", LD_LIBRARY_PATH=libraries)
        assert result.returncode == 1 and re.search(r"module +problem +no ", result.stdout)
        one_line(run(copy, "run", "--", "true", LD_LIBRARY_PATH=libraries), 1)
        one_line(run(copy, "enable", LD_LIBRARY_PATH=libraries), 1)


@test
def a_win_map_of_another_machine_is_not_used():
    with directory() as d:
        config = enabled(d)
        write(config, read(config).replace("\nsoft_load", "\nwin = sha256\nmeasured = 9.9 0123456789abcdef\nsoft_load")
              .replace("?provider=headrace", "?headrace.win=yes"))
        found, problems = doctor("--config", config)
        assert problems["map"]["advice"] == "headrace enable --calibrate", problems
        served = [f["text"] for f in found["findings"] if "served by" in f["text"]]
        assert not re.search(r"SHA-256\b", "".join(served)), served
        write(config, re.sub(r"(?m)^measured.*$", "", read(config)))  # of an enable that did not note it
        found, problems = doctor("--config", config)
        assert not problems and "served by Headrace: SHA-256" in str(found), found


@test
def active_but_not_preferred():
    with directory() as d:
        config = enabled(d)
        write(config, re.sub(r"(?m)^default_properties.*$", "", read(config)))
        assert list(doctor("--config", config)[1]) == ["preferred"]


@test
def the_default_provider_left_out():
    with directory() as d:
        config = enabled(d)
        write(config, read(config).replace("default = headrace_default\n", ""))
        assert "default provider is not active" in doctor("--config", config)[1]["provider"]["text"]


@test
def masked_hardware():
    with directory() as d:
        present = [f["name"] for f in json.loads(headrace("info", "--json").stdout)["features"]
                   if f["state"] == "present"]
        config = enabled(d)
        found, problems = doctor("--config", config, HEADRACE_CPU="-" + present[0])
        assert problems["hardware"]["text"].startswith("masked by HEADRACE_CPU: ")


@test
def the_cost_of_a_start():
    with directory() as d:
        config = enabled(d)
        found, _ = doctor("--config", config)
        notes = [f["text"] for f in found["findings"] if f["about"] == "start"]
        emulated = json.loads(headrace("info", "--json").stdout).get("emulator")
        assert len(notes) == (0 if emulated else 1), notes
        assert emulated or re.search(r" pays -?\d+\.\d\d ms of CPU time and -?\d+ page faults ", notes[0])
        found, _ = doctor("--config", write(f"{d}/empty", ""))
        assert not [f for f in found["findings"] if f["about"] == "start"]


@test
def variables_that_interfere():
    with directory() as d:
        config = enabled(d)
        for name, value in ("OPENSSL_CONF", config), ("OPENSSL_ia32cap", ":0"), \
                           ("OPENSSL_CONF_INCLUDE", d):
            found, _ = doctor("--config", config, **{name: value})
            notes = [f["text"] for f in found["findings"] if f["about"] == "environment"]
            assert len(notes) == 1 and notes[0].startswith(f"{name}={value}: "), notes


@test
def the_module_of_pkcs11():
    module = os.path.realpath(os.path.join(os.path.dirname(HEADRACE), "../bind/pkcs11/headrace-pkcs11.so"))
    if not os.path.exists(module):
        raise Missing("built without PKCS#11")
    who = {} if os.geteuid() else {"user": 65534, "group": 65534, "extra_groups": []}  # p11-kit reads no file of root's
    try:
        subprocess.run([HEADRACE, "help"], check=True, capture_output=True, **who)
    except PermissionError:
        raise Missing("the program cannot be run as another user than root") from None
    with directory() as d:
        config = enabled(d)
        os.makedirs(f"{d}/pkcs11/modules")
        file = f"{d}/pkcs11/modules/any.module"
        bad = shutil.copy(config, f"{d}/headrace-pkcs11.so")
        for text, level, word in (("module: opensc-pkcs11.so\n", "note", "headrace-pkcs11"),
                                  (f"# a remark\nmodule:  {module} \n", "fine", f"{module}, which p11-kit finds by {file}"),
                                  (f"module: {bad}\n", "note", f", but p11-kit finds {bad}, by {file}"),
                                  (f"module: {d}/none/headrace-pkcs11.so\n", "problem", f"{file} names {d}/none/")):
            write(file, text)
            os.chmod(d, 0o755)
            result = subprocess.run([HEADRACE, "doctor", "--json", "--config", config], capture_output=True, text=True,
                                    env=environment(XDG_CONFIG_HOME=d), **who)
            (one,) = [f for f in json.loads(result.stdout)["findings"] if f["about"] == "PKCS#11"]
            assert one["level"] == level and word in one["text"] and result.returncode == (level == "problem"), (text, one)


@test
def the_text_fits_80_columns_and_has_the_win_map():
    with directory() as d:
        fast = headrace("doctor", "--config", enabled(d))
        assert fast.returncode == 0 and "Win map" not in fast.stdout
        result = headrace("doctor", "--map", "--quick", "--config", enabled(d))
        assert result.returncode == 0
        lines = result.stdout.splitlines()
        paths = d, "/headrace.so", "/headrace-pkcs11.so"  # as long as they are
        assert all(len(line) < 80 or any(p in line for p in paths) for line in lines)
        rows = [line for line in lines if len(re.findall(r"\d+\.\d{2,3}", line)) == 6]
        kinds = re.findall(r"^HR_([A-Z]+)\(0x\w+, *(\w+),",
                           read(f"{SOURCE}/include/headrace/algorithms.def"), re.M)
        measured = {"DIGEST": 1, "CIPHER": 2, "KDF": 4, "AEAD": 2, "NMAC": 1, "XTS": 2, "CMAC": 1, "WRAP": 2}
        # OpenSSL has none of these to compare with
        alone = re.compile(r"poly1305_aes|retail_mac\w*|des_mac|des_(ede[23]_)?ctr|kasumi_\w+|camellia_\d+_[gc]cm")
        wanted = sum(measured.get(kind, 0) for kind, symbol in kinds if not alone.fullmatch(symbol))
        single = sum(2 for kind, symbol in kinds if re.fullmatch("des_(ecb|cbc|cfb64|ofb)", symbol))
        assert len(rows) in (wanted, wanted - single), result.stdout  # without the legacy provider
        assert lines[-1] == "all is well", result.stdout


@test
def bad_input():
    one_line(headrace("doctor", "--libcrypto", "/no/such.so"), 1)
    one_line(headrace("doctor", "--cofnig", "x"), 2)


main()
