# SPDX-License-Identifier: Apache-2.0
"""The program's manual pages and shell completions say what the program does."""
import glob
import os
import re
import shutil
import subprocess

from cli import (HEADRACE, SOURCE, SYSTEM_CONFIG, TRACE, directory, environment, headrace, main, read, run,
                 test, test_with, unit)

PAGES = sorted(glob.glob(f"{SOURCE}/man/headrace*.1"))
TRACER = ["trace", "scan", "fingerprints"]
COMMANDS = [line.split("\t")[0] for line in headrace("help", "--words").stdout.splitlines()]
GROUPS = "accel", "token"  # commands of commands
COMPLETIONS = f"{SOURCE}/tools/completions"
PATH = f"{os.path.dirname(HEADRACE)}:{os.environ['PATH']}"


if not TRACE:  # the tracer is not built
    COMMANDS = [command for command in COMMANDS if command not in TRACER]
    PAGES = [page for page in PAGES if not any(name in page for name in TRACER)]


def page_of(command):
    name = {"disable": "headrace-enable", "decrypt": "headrace-encrypt", "help": "headrace"}.get(command, f"headrace-{command}")
    return read(f"{SOURCE}/man/{name}.1")


def words(*command):
    return [line.split("\t")[0] for line in headrace(*command).stdout.splitlines()]


def options(command):
    """Returns the options of a command; of one of GROUPS, those of all its commands."""
    if command not in GROUPS:
        return words("help", "--words", command)
    return {option for sub in words(command, "--words") for option in words(command, sub, "--words")} | {"--help"}


@test
def pages_are_clean():
    for page in PAGES:
        result = run("mandoc", "-Tlint", "-Wwarning", page)
        assert result.returncode == 0 and not result.stdout, result.stdout


@test
def every_command_and_option_has_its_words():
    top = page_of("help")
    for command in COMMANDS:
        assert re.search(rf"^\.It Cm.*\b{command}\b", top, re.M), command
        page = page_of(command)
        for option in [option.strip("-=") for option in options(command)]:
            assert re.search(rf"^\.It.* (Fl )?-{option}\b|^\.Fl -{option}$", page, re.M), (command, option)
        # and no option that is not there
        for option in re.findall(r"^\.It(?: Fl \w ,)? (?:Fl )?-(\S+)", page, re.M):
            users = [c for c in COMMANDS if page_of(c) == page]
            known = {o.strip("-=") for c in users for o in options(c)} | {"help"}
            assert option in known, (command, option)
    for group in GROUPS:
        for sub in words(group, "--words"):
            assert re.search(rf"^\.It Cm {sub}\b", page_of(group), re.M), sub


def example_lines(page):
    examples = read(page).split(".Sh EXAMPLES")[1].split(".Sh ")[0]
    return [line.replace(r"\e", "\\") for line in re.findall(r'^\.Dl "?(.*?)"?$', examples, re.M)]


def commands(lines):
    """Yields the commands in these lines: one goes on in the next line behind &&, | or a backslash."""
    command = ""
    for line in lines:
        command += line
        if not re.search(r"(&&|[|\\])$", line):
            yield command
            command = ""
        else:
            command += "\n"


@test
def examples_fit_80_columns():
    indent = 11
    for page in PAGES:
        for line in example_lines(page):
            assert indent + len(line) <= 78, (page, line)


@test
def examples_run():
    for page in PAGES:
        if "t4emu" in page:
            continue  # t4emu/tests/launcher.sh runs this page's examples, which need a sparc64 program
        with directory() as d:
            shutil.copy(SYSTEM_CONFIG, f"{d}/openssl.cnf")
            unit(f"{d}/image", "nginx")
            assert example_lines(page), page
            for line in commands(example_lines(page)):
                if "--java" in line:
                    continue  # needs a JVM and the jar: the test calibrate_java runs it
                line = line.replace("headrace calibrate", "headrace calibrate --quick")  # else 26 s of CPU
                # SoftHSM needs a token, and all rows take half a minute
                line = line.replace("--pkcs11=/usr/lib/softhsm/libsofthsm2.so", "--pkcs11 SHA-256")
                result = subprocess.run(["sh", "-c", line], cwd=d, capture_output=True, text=True,
                                        env=environment(PATH=PATH, HEADRACE_TOKEN=f"{d}/token"), timeout=250)
                assert result.returncode == 0, (line, result.stderr)
                assert not result.stderr.startswith("headrace: ") or "what it served" in \
                    result.stderr or "warning: " in result.stderr, (line, result.stderr)


def shell(*words):
    """Runs a shell and returns the lines that it prints."""
    result = run(*words, PATH=PATH, HOME="/")
    assert result.returncode == 0, result.stderr
    return result.stdout.split("\n")


def complete_in_bash(*words):
    script = (f"source {COMPLETIONS}/headrace.bash; COMP_WORDS=({' '.join(words)}); "
              f"COMP_CWORD={len(words) - 1}; _headrace; printf '%s\\n' \"${{COMPREPLY[@]}}\"")
    return shell("bash", "--norc", "-c", script)


@test
def bash_completes():
    assert complete_in_bash("headrace", "inf") == ["info", ""]
    assert set(COMMANDS) <= set(complete_in_bash("headrace", "''"))
    assert complete_in_bash("headrace", "enable", "--dr") == ["--dry-run", ""]
    assert complete_in_bash("headrace", "decrypt", "--key") == ["--key-file", ""]
    assert complete_in_bash("headrace", "help", "docto") == ["doctor", ""]
    assert complete_in_bash("headrace", "digest", "-a", "sha25") == ["sha256", ""]
    assert complete_in_bash("headrace", "mac", "-v", "-a", "poly1305_") == ["poly1305_aes", ""]
    assert complete_in_bash("headrace", "accel", "stat") == ["status", ""]
    assert complete_in_bash("headrace", "accel", "status", "--prom") == ["--prometheus", ""]
    assert complete_in_bash("headrace", "token", "imp") == ["import", ""]
    assert complete_in_bash("headrace", "token", "import", "--extr") == ["--extractable", ""]
    assert "openssl" in complete_in_bash("headrace", "run", "--", "opens")
    assert "openssl" in complete_in_bash("headrace", "trace", "--", "opens")


@test
def bash_completes_the_tracer_alone():
    if not TRACE:
        return
    def offered(*words):
        script = (f"source {COMPLETIONS}/headrace-trace.bash; COMP_WORDS=({' '.join(words)}); "
                  f"COMP_CWORD={len(words) - 1}; _headrace_trace; printf '%s\\n' \"${{COMPREPLY[@]}}\"")
        return shell("bash", "--norc", "-c", script)
    assert offered("headrace-trace", "--prom") == ["--prometheus", ""]
    assert "openssl" in offered("headrace-trace", "--", "opens")
    assert "--no-cache" in offered("headrace-scan", "--no")


@test_with("fish")
def fish_completes():
    def offered(text):
        script = f"source {COMPLETIONS}/headrace.fish; complete -C '{text}'"
        return [line.split("\t")[0] for line in shell("fish", "--no-config", "-c", script)]
    assert "info" in offered("headrace inf")
    assert set(COMMANDS) <= set(offered("headrace "))
    assert "--dry-run" in offered("headrace enable --dr")
    assert "--new-key" in offered("headrace encrypt --ne")
    assert "doctor" in offered("headrace help docto")
    assert offered("headrace digest -a sha25") == ["sha256", ""]
    assert "status" in offered("headrace accel stat")
    assert "--prometheus" in offered("headrace accel status --prom")
    assert "delete" in offered("headrace token del")
    assert "--json" in offered("headrace token list --js")


@test_with("zsh")
def zsh_completes():
    # the functions that zsh's own completion has are replaced by ones that print
    stub = ("_describe() { print -l -- ${(P)2} }; _files() { print files }; "
            "_command_names() { print commands }; ")

    def offered(*words):
        script = (f"{stub} words=({' '.join(words)}); CURRENT={len(words)}; "
                  f"source {COMPLETIONS}/_headrace")
        return [line.split(":")[0] for line in shell("zsh", "-f", "-c", script)]
    assert set(COMMANDS) <= set(offered("headrace", "''"))
    assert "--dry-run" in offered("headrace", "enable", "--dr")
    assert "--passphrase-file" in offered("headrace", "encrypt", "--pass")
    assert "doctor" in offered("headrace", "help", "''")
    assert offered("headrace", "run", "--", "''") == ["commands", ""]
    assert {"status", "key"} <= set(offered("headrace", "accel", "''"))
    assert "--prometheus" in offered("headrace", "accel", "status", "--")
    assert {"init", "list"} <= set(offered("headrace", "token", "''"))
    assert "--json" in offered("headrace", "token", "list", "--")
    assert {"sha256", "crc32c"} <= set(offered("headrace", "digest", "-a", "''"))
    assert offered("headrace", "doctor", "''") == ["files", ""]


main()
