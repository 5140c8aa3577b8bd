# SPDX-License-Identifier: Apache-2.0
"""headrace calibrate --java, with a JVM that prints what the test says: what it accepts, shows and writes. Never how fast."""
import json
import os

from cli import Missing, directory, headrace, main, one_line, test

GOOD = r"""java\t17\t1f\tA VM 17.0.1
services\t5
service\tCipher\tAES/GCM/NoPadding\tyes\tSunJCE
ratios\tencrypt\tbytes\t16=2.000\t1024=1.5
ratios\tdecrypt\tbytes\t16=123.4\t1024=0.99
service\tMac\tHmacSHA256\tno\tSunJCE
ratios\t\tbytes\t16=0.900\t64=1.200
service\tMac\tAESCMAC\tnew\t-
service\tSignature\tAVeryLongNameOfOneSignature\tfailed\tSunEC
service\tAlgorithmParameters\tGCM\tunmeasured\tSunJCE
end
"""
MAP = "Cipher AES/GCM/NoPadding\nMac AESCMAC\n"


def a_jvm(folder, output, status=0, name="java"):
    """A program that keeps its arguments and prints this output, in which escapes are written as in C."""
    path = f"{folder}/{name}"
    with open(path, "w", encoding="latin-1", opener=lambda file, flags: os.open(file, flags, 0o755)) as out:
        out.write(f"#!/bin/sh\nprintf '%s\\n' \"$*\" >{folder}/arguments\nprintf '{output}'\nexit {status}\n")
    return path


def calibrate(folder, output, *words, status=0, **env):
    return headrace("calibrate", f"--java={a_jvm(folder, output, status)}", "--jar", f"{folder}/arguments", *words, **env)


def content(path):
    with open(path, encoding="ascii") as file:
        return file.read()


@test
def it_shows_a_table_and_writes_the_map():
    with directory() as d:
        open(f"{d}/arguments", "wb").close()
        result = calibrate(d, GOOD, "--output", f"{d}/map")
        assert result.returncode == 0 and not result.stderr, result.stderr
        assert "org.headrace.jce.Calibrate\n" in content(f"{d}/arguments")
        rows = [line.split() for line in result.stdout.splitlines()]
        for row in (["AES/GCM/NoPadding", "encrypt", "2.000", "1.500", "yes"], ["decrypt", "123.4", "0.990"],
                    ["Cipher,", "bytes", "16", "1024", "win"], ["HmacSHA256", "0.900", "1.200", "no"],
                    ["Mac", "AESCMAC"], ["Signature", "AVeryLongNameOfOneSignature"], ["2", "of", "5", "services", "win"]):
            assert row in rows, (row, result.stdout)
        text = content(f"{d}/map")
        assert text.endswith(f"cpu 1f {0xffffffffffffffff ^ 0x1f:x}\n" + MAP), text
        assert all(line.startswith("#") for line in text.split("cpu ")[0].splitlines())


@test
def without_a_file_it_writes_the_users_map():
    if not os.geteuid():
        raise Missing("root writes the system's map")
    with directory() as d:
        open(f"{d}/arguments", "wb").close()
        assert calibrate(d, GOOD, XDG_CONFIG_HOME=f"{d}/config").returncode == 0
        assert content(f"{d}/config/headrace/java/java-17.map").endswith(MAP)
        assert calibrate(d, GOOD, XDG_CONFIG_HOME="", HOME=d).returncode == 0
        assert content(f"{d}/.config/headrace/java/java-17.map").endswith(MAP)


@test
def it_prints_json():
    with directory() as d:
        os.mkdir(f"{d}/config")
        open(f"{d}/arguments", "wb").close()
        report = json.loads(calibrate(d, GOOD, "--quick", "--json", XDG_CONFIG_HOME=f"{d}/config").stdout)
        assert not os.listdir(d + "/config")  # a quick measurement may be wrong
        assert "--quick" in content(f"{d}/arguments")
        assert report["java"] == 17 and report["cpu"] == "1f"
        services = {s["algorithm"]: s for s in report["services"]}
        assert [name for name, s in services.items() if s["win"]] == ["AES/GCM/NoPadding", "AESCMAC"]
        assert services["AES/GCM/NoPadding"]["operations"][0] == {
            "name": "encrypt", "unit": "bytes", "ratios": {"16": 2.0, "1024": 1.5}}


@test
def it_finds_the_jvm():
    with directory() as d:
        os.makedirs(f"{d}/jdk/bin")
        open(f"{d}/jdk/bin/arguments", "wb").close()
        a_jvm(f"{d}/jdk/bin", GOOD)
        jar = "--jar", f"{d}/jdk/bin/arguments", "--quick"
        for words, env in ((f"--java={d}/jdk", {}), ("--java", {"JAVA_HOME": f"{d}/jdk"}),
                           ("--java", {"JAVA_HOME": "", "PATH": f"{d}/jdk/bin:{os.environ['PATH']}"})):
            assert "2 of 5 services win" in headrace("calibrate", words, *jar, **env).stdout
        one_line(headrace("calibrate", f"--java={d}/none", *jar), 1)
        one_line(headrace("calibrate", "--java", "--jar", f"{d}/none"), 1)
        one_line(headrace("calibrate", "--java", "--modules", d), 2)


# Each is GOOD with a change that makes it no measurement.
WRONG = [
    ("java\\t17", "java\\t0"), ("java\\t17", "java\\t1000"), ("\\t1f\\t", "\\txyz\\t"), ("\\t1f\\t", "\\t-1\\t"),
    ("A VM", "A\\033VM"), ("A VM", "A" * 100), ("services\\t5", "services\\t4"), ("services\\t5", "services\\t6"),
    ("services\\t5", "services\\t5000"), ("\\tyes\\t", "\\tmaybe\\t"), ("Cipher", ""), ("Cipher", "C" * 40),
    ("Cipher", "#Cipher"), ("Cipher", "cpu"),
    ("HmacSHA256", "Hmac SHA256"), ("HmacSHA256", "Hmac\\nSHA256"), ("HmacSHA256", "Hmac\\000SHA256"),
    ("HmacSHA256", "H" * 70), ("HmacSHA256", "H\\344"), ("16=2.000", "2.000"), ("16=2.000", "16=x"), ("16=2.000", "16="),
    ("16=2.000", "16=nan"), ("16=2.000", "16=-1"), ("16=2.000", "16=1e99"), ("16=2.000", "1234567890123=2"),
    ("\\t1024=1.5", "\\t1=1" * 8), ("\\t1024=1.5", "\\t1=1" * 20), ("end\n", ""), ("end\n", "end\nend\n"),
    ("java\\t17", "ratios\\ta\\tb\\t1=1\njava\\t17"), ("service\\tCipher", "ratios\\ta\\tb\\t1=1\nservice\\tCipher"),
    ("service\\tMac", "ratios\\ta\\tb\\t1=1\n" * 4097 + "service\\tMac"), ("\\tencrypt\\t", "\\t" + "e" * 20 + "\\t"),
    ("java\\t17", "java\\t17\\t1f\\tX\njava\\t17"), ("end\n", "%2000000d\n"),
]


@test
def what_is_no_measurement_is_refused():
    with directory() as d:
        open(f"{d}/arguments", "wb").close()
        for old, new in WRONG:
            assert old in GOOD
            result = calibrate(d, GOOD.replace(old, new, 1), "--output", f"{d}/map")
            assert len(one_line(result, 1)) < 3000000 and not os.path.exists(f"{d}/map"), (old, new)
        one_line(calibrate(d, GOOD, "--output", f"{d}/map", status=3), 1)
        one_line(calibrate(d, "", "--output", f"{d}/map"), 1)
        assert not os.path.exists(f"{d}/map")


main()
