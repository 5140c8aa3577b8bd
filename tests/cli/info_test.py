# SPDX-License-Identifier: Apache-2.0
"""headrace, headrace help, headrace info: what they print, and bad input."""
import json
import os
import pty
import re
import subprocess

from cli import HEADRACE, SOURCE, environment, headrace, main, one_line, read, run, test

REGISTRY = re.findall(r'^HR_(?:DIGEST|CHECKSUM|MAC|CIPHER|AEAD|NMAC|CMAC|XTS|WRAP|SIGN|AGREE|KEM)\([^"]*"([^"]+)"',
                      read(f"{SOURCE}/include/headrace/algorithms.def"), re.M)


def info(**env):
    return json.loads(headrace("info", "--json", **env).stdout)


@test
def overview_lists_every_command():
    words = headrace("help", "--words").stdout
    names = [line.split("\t")[0] for line in words.splitlines()]
    assert {"info", "run", "enable", "disable", "doctor", "help"} <= set(names), names
    assert headrace("accel").stdout == headrace("accel", "--help").stdout
    for result in headrace(), headrace("help"), headrace("--help"):
        assert result.returncode == 0 and not result.stderr
        assert re.findall(r"^  (\w+) ", result.stdout, re.M) == names


@test
def every_command_has_help():
    for name in [line.split("\t")[0] for line in headrace("help", "--words").stdout.splitlines()]:
        text = headrace("help", name).stdout
        assert text.startswith(f"usage: headrace {name}") and text == headrace(name, "-h").stdout
        for option in headrace("help", "--words", name).stdout.splitlines():
            assert option.split("\t")[0].rstrip("=") in text


@test
def options_may_follow_operands():
    for words in ["sha256", "--json"], ["sha256", "--json", "md5"], ["sha256", "md5", "--json"]:
        names = [word for word in words if word != "--json"]
        result = headrace("info", *words)
        assert result.stdout == headrace("info", "--json", *names).stdout, words
    assert json.loads(headrace("info", "sha256", "--json").stdout)
    one_line(headrace("info", "--", "sha256", "--json"), 2)
    one_line(headrace("info", "sha256", "--no-such-option"), 2)


@test
def names_of_sums_have_help():
    for bits in "md5 sha1 sha224 sha256 sha384 sha512".split():
        text = headrace(f"{bits}sum", "--help").stdout
        assert text.startswith(f"Usage: {bits}sum"), text
        assert text == headrace("help", f"{bits}sum").stdout == headrace("help", "--", f"{bits}sum").stdout


@test
def help_fits_80_columns():
    for command in re.findall(r"^  (\w+)", headrace("help").stdout, re.M):
        assert max(map(len, headrace("help", command).stdout.splitlines())) < 80, command
    for group in "accel", "token":
        for command in re.findall(r"^  (\w+)", headrace(group, "--help").stdout, re.M):
            text = headrace(group, command, "--help").stdout
            assert text.startswith(f"usage: headrace {group} {command}") and max(map(len, text.splitlines())) < 80, text


@test
def version_is_the_projects():
    version = re.search(r"version: '([^']+)'", read(f"{SOURCE}/meson.build")).group(1)
    for word in "--version", "-V", "version":
        assert headrace(word).stdout == f"headrace {version}\n"


@test
def options_are_written_in_full():
    for words in ["info", "--jso"], ["doctor", "--conf", "x"], ["doctor", "--conf=x"], ["speed", "--quick", "--he"]:
        assert "must be written in full" in one_line(headrace(*words), 2)
    assert headrace("info", "--json").returncode == 0
    assert headrace("encrypt", "--key-file=--k", "x").stderr.count("in full") == 0  # an argument is no option


@test
def misspelt_names_list_near_ones():
    assert "near: info" in one_line(headrace("inof"), 2)
    assert "near: SHA-256" in one_line(headrace("info", "sah256"), 2)
    assert "AES-128-CBC" in one_line(headrace("info", "aes-128-cbd"), 2)
    assert "near: KASUMI-ECB, KASUMI-F8" in one_line(headrace("info", "kasumi"), 2)
    assert "near: json" in one_line(headrace("info", "--jsno"), 2)
    assert "near" not in one_line(headrace("info", "qqqqqqqq"), 2)


@test
def algorithms_by_any_of_their_names():
    def rows(name):
        lines = headrace("info", name).stdout.splitlines()
        return lines[lines.index("") + 1:] if "" in lines else lines
    for symbol, name in re.findall(r'^HR_(?:DIGEST|CHECKSUM|MAC|CIPHER|KDF)\([^,]*, *(\w+),[^"]*"([^"]+)"',
                                   read(f"{SOURCE}/include/headrace/algorithms.def"), re.M):
        assert name in "\n".join(rows(name)), name
        for spelling in symbol, symbol.replace("_", "-"), name.lower():
            assert rows(spelling) == rows(name), spelling


@test
def usage_errors():
    one_line(headrace("doctor", "--config"), 2)
    one_line(headrace("doctor", "something"), 2)
    one_line(headrace("help", "info", "run"), 2)
    one_line(headrace("-x"), 2)
    assert "option -x" in one_line(headrace("doctor", "-xjson", "x"), 2)
    assert "option --jsonx" in one_line(headrace("doctor", "--jsonx"), 2)


@test
def a_full_disk_is_an_error():
    with open("/dev/full", "w") as full:
        for words in ["info"], ["info", "--json"], ["help"], ["--version"]:
            result = subprocess.run([HEADRACE, *words], stdout=full, stderr=subprocess.PIPE,
                                    text=True, env=environment())
            assert result.returncode == 1, words
            assert re.fullmatch(r"headrace: cannot write .*\n", result.stderr), result.stderr


@test
def every_algorithm_and_direction_has_a_kernel():
    kernels = {}
    for op in info()["operations"]:
        chosen = [k for k in op["kernels"] if k["chosen"]]
        assert len(chosen) == 1 or (op["op"] == "lanes" and not chosen), op
        assert not any(k["lacks"] for k in chosen), op
        kernels.setdefault(op["algorithm"], []).append(op["op"])
    assert list(kernels) == REGISTRY
    for ops in kernels.values():  # some rows have lanes too
        if ops[-1] == "lanes":
            ops.pop()
    assert all(ops in (["digest"], ["all"], ["mac"], ["mac", "iterate"], ["encrypt", "decrypt"], ["wrap", "unwrap"]) for ops in kernels.values())


@test
def the_table_says_why_better_kernels_are_not_used():
    present = [f["name"] for f in info()["features"] if f["state"] == "present"]
    mask = ",".join("-" + name for name in present)
    masked = info(HEADRACE_CPU=mask)
    assert not [f for f in masked["features"] if f["state"] == "present"]
    assert [f["name"] for f in masked["features"] if f["state"] == "masked"] == present
    lines = headrace("info", HEADRACE_CPU=mask).stdout.splitlines()
    assert all(len(line) < 80 for line in lines)
    text = " ".join(" ".join(lines).split())
    for op in masked["operations"]:
        # The portable kernel is named c, c64 (it slices words of 64 bits) or x64_c64 (as lanes); lanes may
        # have none. x86 and mul run on every x86-64. Kernels behind these are never chosen.
        names = [k["kernel"] for k in op["kernels"]]
        portable = [name for name in names if name in ("x86", "mul", "c", "c64", "x64_c64")][:1]
        assert portable or op["op"] == "lanes", op
        assert [k["kernel"] for k in op["kernels"] if k["chosen"]] == portable, op
        if not portable:
            continue
        for kernel in op["kernels"][: names.index(portable[0])]:
            name = kernel["kernel"]
            why = "used only on request: its time depends on keys and data" \
                if name.endswith("vartime") else "needs [a-z0-9., ]+: (absent|masked)"
            assert re.search(f" {name} {why}", text), op


@test
def columns_line_up():
    widest = max(map(len, REGISTRY))
    for env in {}, {"HEADRACE_CPU": "-avx,-vaes"}:
        lines = [line for line in headrace("info", *REGISTRY, **env).stdout.splitlines() if "weak:" not in line]
        op, kernel = lines[0].index(" op ") + 1, lines[0].index(" kernel ") + 1
        assert op > 2 + widest
        for line in lines[1:]:
            begins = line[:op].strip() != "" or line[op:kernel].strip() != ""
            assert line[op - 1] == line[kernel - 1] == " " and (not begins or line[op] != " " != line[kernel]), line


@test
def directions_that_agree_are_told_once():
    for name in REGISTRY:
        kernels = {o["op"]: [k["kernel"] for k in o["kernels"] if k["chosen"]]
                   for o in json.loads(headrace("info", "--json", name).stdout)["operations"]}
        told = [line[2:].replace(name, "", 1).split()[0] for line in headrace("info", name).stdout.splitlines()[1:]]
        if "encrypt" in kernels and "both" in told:
            assert kernels["encrypt"] == kernels["decrypt"] and not {"encrypt", "decrypt"} & set(told), name
        elif "encrypt" in kernels:
            assert {"encrypt", "decrypt"} <= set(told), name


@test
def operands_choose_the_algorithms():
    data = json.loads(headrace("info", "--json", "sha256", "AES-128-CTR").stdout)
    told = [o["algorithm"] for o in data["operations"] if o["op"] != "lanes"]
    assert told == ["SHA-256"] + 2 * ["AES-128-CTR"]


@test
def verbose_has_the_shape_of_isainfo():
    lines = headrace("info", "-v").stdout.splitlines()
    assert re.fullmatch(r"64-bit \w+ applications", lines[0])
    if os.uname().machine == "x86_64":
        assert lines[0] == "64-bit amd64 applications"
    assert all(re.fullmatch(r"\t\S+( \S+)*", line) for line in lines[1:])
    assert all(len(line.expandtabs()) <= 68 for line in lines)
    for line, after in zip(lines[1:], lines[2:]):
        assert len(line.expandtabs()) + 1 + len(after.split()[0]) > 68, "wrapped too early"
    names = " ".join(lines[1:]).split()
    assert sorted(names) == sorted(f["name"] for f in info()["features"]
                                   if f["state"] == "present")


@test
def info_needs_no_openssl():
    assert "libcrypto" not in run("ldd", HEADRACE).stdout


def on_a_terminal(**env):
    master, slave = pty.openpty()
    program = subprocess.Popen([HEADRACE, "info"], stdout=slave, env=environment(**env))
    os.close(slave)  # a terminal's buffer is small: it is read while the program writes
    text = b""
    while True:
        try:
            part = os.read(master, 65536)
        except OSError:
            break
        if not part:
            break
        text += part
    os.close(master)
    assert program.wait() == 0
    return text


@test
def colours_only_on_a_terminal_and_not_with_NO_COLOR():
    assert b"\033[" in on_a_terminal()
    assert b"\033" not in on_a_terminal(NO_COLOR=1)
    assert "\033" not in headrace("info").stdout


main()
