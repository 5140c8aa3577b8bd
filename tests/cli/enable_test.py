# SPDX-License-Identifier: Apache-2.0
"""headrace enable and disable: what they write, and that they take all of it back."""
import json
import os
import re
import stat
import subprocess

from cli import (HEADRACE, MIN_PROTOCOL, OPENSSL, SOURCE, SYSTEM_CONFIG, directory, headrace, main, one_line, read, run, test,
                 unit, write)

SHIPPED = "--shipped"  # no measurement: nothing here may depend on the machine's speed
INIT = "openssl_conf = init\n[init]\n"
SHAPES = {
    "empty": "",
    "comment": "# nothing\n",
    "no newline at the end": "a = 1",
    "no newline in a section": INIT + "[s]\nx = y",
    "CRLF": "openssl_conf = init\r\n[init]\r\n# providers = p\r\n[ other ]\r\n",
    "blank lines": "\n\n\na = b\n\n\n",
    "continued last line": "a = b \\\n",
    "empty provider list": INIT + "providers = p\n[p]\n",
    "default not activated": INIT + "providers = p\n[p]\ndefault = d\n[d]\n# activate = 1\n",
    "default activated": INIT + "providers = p\n[p]\ndefault = d\n[d]\nactivate = 1\n",
    "with legacy": INIT + "providers = p\n[p]\ndefault = d\nlegacy = d\n[d]\nactivate = 1\n",
    "properties": INIT + "alg_section = a\n[a]\ndefault_properties = provider!=base\n",
    "ssl_conf": INIT + "ssl_conf = s\n[s]\nsystem_default = t\n[t]\nMinProtocol = TLSv1.3\n",
    "inline section names": "[ a ]\nb=c\n  [default]\nopenssl_conf=x\n[ x ]\n[last]\nz = 1\n",
}


def providers(config):
    text = run(OPENSSL, "list", "-providers", OPENSSL_CONF=config).stdout
    return re.findall(r"^  (\w+)$", text, re.M)


def enable(config, *more, wins=(SHIPPED,)):
    wins = () if "--all" in more else wins
    result = headrace("enable", *wins, "--config", config, *more)
    assert result.returncode == 0 and not result.stderr, result.stderr
    return result.stdout


def disable(config, *more):
    result = headrace("disable", "--config", config, *more)
    assert result.returncode == 0 and not result.stderr, result.stderr
    return result.stdout


@test
def disable_restores_every_byte_of_every_shape():
    shapes = dict(SHAPES, system=read(SYSTEM_CONFIG))
    for name, text in shapes.items():
        for options in [], ["--all"]:
            if options and name == "properties":
                continue  # refused: see one_property_cannot_be_asked_for_twice
            with directory() as d:
                config = write(f"{d}/openssl.cnf", text)
                enable(config, *options)
                assert read(config).startswith(text), name
                assert read(config + ".headrace-backup") == text, name
                found = providers(config)
                assert {"default", "headrace"} <= set(found), (name, found)
                assert ("legacy" in found) == (name == "with legacy"), (name, found)
                disable(config)
                assert read(config) == text, name
                assert os.listdir(d) == ["openssl.cnf"], name


@test
def properties_that_were_there_stay():
    with directory() as d:
        config = write(f"{d}/c", SHAPES["properties"])
        enable(config)
        assert "default_properties = provider!=base,?headrace.win=yes\n" in read(config)
        quoted = INIT + "alg_section = a\n[a]\ndefault_properties = \"provider!='a $ b', fips!=yes\"\n"
        write(config, quoted)
        enable(config)
        assert "provider!=\\'a \\$ b\\',fips!=yes,?headrace.win=yes\n" in read(config)
        assert providers(config) == ["default", "headrace"]


@test
def min_protocol_of_the_file_stays():
    with directory() as d:
        config = write(f"{d}/c", SHAPES["ssl_conf"])
        for options in [], ["--all"]:
            enable(config, *options)
            assert run(*MIN_PROTOCOL, OPENSSL_CONF=config).stdout == "0x304\n"


@test
def one_property_cannot_be_asked_for_twice():
    with directory() as d:
        # OpenSSL takes each name once in a query; `provider' is taken here
        config = write(f"{d}/c", SHAPES["properties"])
        line = one_line(headrace("enable", "--all", "--config", config), 1)
        assert "Duplicated name `provider'" in line and read(config) == SHAPES["properties"]


@test
def enable_again_changes_nothing():
    with directory() as d:
        config = write(f"{d}/c", read(SYSTEM_CONFIG))
        enable(config)
        before = read(config), os.stat(config).st_ino
        assert "already enabled" in enable(config)
        assert (read(config), os.stat(config).st_ino) == before
        assert "not enabled" in (disable(config) and disable(config))


@test
def enable_updates_its_block():
    with directory() as d:
        config = write(f"{d}/c", read(SYSTEM_CONFIG))
        enable(config)
        enable(config, "--all")
        assert read(config).count(">>> headrace >>>") == 1
        assert "?provider=headrace" in read(config) and "headrace.win" not in read(config)
        disable(config)
        assert read(config) == read(SYSTEM_CONFIG)


@test
def the_measured_wins_are_written_and_kept():
    with directory() as d:
        config = write(f"{d}/c", read(SYSTEM_CONFIG))
        enable(config, "--quick", wins=())
        wins = re.search(r"(?m)^win = ([a-z0-9_ ]+)$", read(config)).group(1)
        symbols = re.findall(r"^HR_\w+\(0x\w+, (\w+),", read(f"{SOURCE}/include/headrace/algorithms.def"), re.M)
        assert wins == "none" or set(wins.split()) <= {"pkey", *symbols}, wins
        assert "already enabled" in enable(config, wins=())
        # measured elsewhere: not kept
        text = read(config)
        assert re.search(r"^measured = 3\.\d+ [0-9a-f]{16}$", text, re.M), text
        write(config, text.replace("\nmeasured = 3.", "\nmeasured = 2."))
        with subprocess.Popen([HEADRACE, "enable", "--config", config], stdout=subprocess.PIPE, text=True) as again:
            assert again.stdout.readline().startswith("Measuring")
            again.kill()
        write(config, text)
        # the parameter decides: what it names is served, nothing else
        for value, served, keys in (("none", set(), ""),
                                    ("aes_128_ecb sha256 pkey x25519", {"AES-128-ECB", "SHA-256"}, "X25519")):
            write(config, re.sub(r"(?m)^win = .*$", f"win = {value}", read(config)))
            found = json.loads(headrace("doctor", "--json", "--config", config).stdout)
            texts = [f["text"] for f in found["findings"] if f["text"].startswith("served by Headrace: ")]
            assert {n for t in texts for n in t.split(": ")[1].split(", ")} == served, texts
            texts = [f["text"] for f in found["findings"] if f["text"].startswith("public keys served by Headrace: ")]
            assert texts == ([f"public keys served by Headrace: {keys}"] if keys else []), texts


@test
def one_kind_of_wins_at_a_time():
    one_line(headrace("enable", "--all", SHIPPED), 2)
    one_line(headrace("enable", "--calibrate", SHIPPED), 2)


@test
def edits_after_the_block_stay():
    with directory() as d:
        config = write(f"{d}/c", "a = 1\n[ last ]\nb = 2\n")
        enable(config)
        write(config, read(config) + "c = 3\n")
        # the block ends in the section that the file ended in
        assert run(OPENSSL, "version", OPENSSL_CONF=config).returncode == 0
        assert re.search(r"\[ last \]\n# <<< headrace <<<\nc = 3\n$", read(config))
        assert "kept" in disable(config)
        assert read(config) == "a = 1\n[ last ]\nb = 2\nc = 3\n"
        assert os.path.exists(config + ".headrace-backup")


@test
def links_mode_and_owner_stay():
    with directory() as d:
        target = write(f"{d}/target", "a = 1\n")
        os.chmod(target, 0o640)
        if os.geteuid() == 0:
            os.chown(target, 1234, 2345)
        before = os.stat(target)
        os.symlink("target", f"{d}/link")
        enable(f"{d}/link")
        for path in target, target + ".headrace-backup":
            now = os.stat(path)
            assert stat.S_IMODE(now.st_mode) == 0o640
            assert (now.st_uid, now.st_gid) == (before.st_uid, before.st_gid)
        assert os.path.islink(f"{d}/link") and "headrace" in read(target)
        disable(f"{d}/link")
        assert os.path.islink(f"{d}/link") and read(target) == "a = 1\n"
        assert sorted(os.listdir(d)) == ["link", "target"]


@test
def dry_runs_write_nothing():
    with directory() as d:
        config = write(f"{d}/c", "a = 1\n")
        assert "activate = 1" in enable(config, "--dry-run")
        assert read(config) == "a = 1\n" and os.listdir(d) == ["c"]
        enable(config)
        text = read(config)
        assert "activate = 1" in disable(config, "--dry-run")
        assert read(config) == text


@test
def what_openssl_would_not_parse_is_not_written():
    for text in "[ half\n", "a = 1\nno equals sign\n", "a = $missing\n", "a = 1\n\0b = 2\n":
        with directory() as d:
            config = write(f"{d}/c", text)
            one_line(headrace("enable", SHIPPED, "--config", config), 1)
            assert read(config) == text and os.listdir(d) == ["c"]


@test
def errors_that_were_there_before_are_told():
    with directory() as d:
        config = write(f"{d}/c", "openssl_conf = missing\n")
        result = headrace("enable", SHIPPED, "--config", config)
        assert result.returncode == 0 and "had an error before" in result.stderr
        assert {"default", "headrace"} <= set(providers(config))


@test
def what_would_not_serve_is_not_written():
    with directory() as d:
        # OpenSSL stops at the module it does not know, before it comes to providers
        config = write(f"{d}/c", INIT + "no_such_module = y\n")
        one_line(headrace("enable", SHIPPED, "--config", config), 1)
        assert os.listdir(d) == ["c"] and "headrace" not in read(config)


@test
def damaged_marks_are_left_alone():
    with directory() as d:
        config = write(f"{d}/c", "a = 1\n")
        enable(config)
        whole = read(config)
        for mark in "# >>> headrace >>>", "# <<< headrace <<<":
            write(config, whole.replace(mark, "#"))
            for command in ["enable", SHIPPED], ["disable"]:
                assert "is missing; repair the file" in one_line(headrace(*command, "--config", config), 1)
            assert read(config) == whole.replace(mark, "#")


@test
def bad_files_are_one_line():
    for command in ["enable", SHIPPED], ["disable"]:
        one_line(headrace(*command, "--config", "/no/such/file"), 1)
        one_line(headrace(*command, "--config", "/"), 1)
        one_line(headrace(*command, "--libcrypto", "/no/such.so"), 1)
        one_line(headrace(*command, "--root", "/tmp"), 2)
        one_line(headrace(*command, "--service", "../etc"), 2)
    with directory() as d:
        unit(d, "x")
        write(f"{d}/etc", "")  # where a folder should be
        one_line(headrace("enable", SHIPPED, "--service", "x", "--root", d), 1)
    assert "regular" in one_line(headrace("enable", SHIPPED, "--config", "/dev/null"), 1)


@test
def what_cannot_be_written_is_left_whole():
    with directory() as d:
        config = write(f"{d}/c", "a = 1\n")
        os.chmod(d, 0o555)
        words = HEADRACE, "enable", SHIPPED, "--config", config
        if os.geteuid() == 0:  # who may write everywhere must not be asked
            words = "setpriv", "--bounding-set=-dac_override", "--inh-caps=-dac_override", *words
        assert "Permission denied" in one_line(run(*words), 1)
        assert read(config) == "a = 1\n" and os.listdir(d) == ["c"]


@test
def a_service_outlives_the_systems_block():
    with directory() as d:
        system = write(f"{d}/system.cnf", read(SYSTEM_CONFIG))
        enable(system)
        unit(f"{d}/root", "x")
        words = "--service", "x", "--root", f"{d}/root"
        assert headrace("enable", "--all", *words, "--config", system).returncode == 0
        config = f"{d}/root/etc/headrace/x.cnf"
        for step in enable, disable:
            step(system)
            assert providers(config) == ["default", "headrace"]
            assert headrace("doctor", "--config", config).returncode == 0


@test
def a_service_chooses_for_itself():
    """What the system's block says is not the service's; KASUMI is a win on no CPU."""
    with directory() as d:
        system = write(f"{d}/system.cnf", "a = 1\n")
        unit(f"{d}/root", "x")
        config = f"{d}/root/etc/headrace/x.cnf"
        for systems, own, has_all in ("--all", SHIPPED, False), (SHIPPED, "--all", True):
            assert headrace("enable", systems, "--config", system).returncode == 0
            words = "--service", "x", "--root", f"{d}/root", "--config", system
            assert headrace("enable", own, *words).returncode == 0
            listed = run(OPENSSL, "list", "-cipher-algorithms", "-propquery", "headrace.win=yes", OPENSSL_CONF=config).stdout
            assert ("KASUMI" in listed) == has_all, (systems, own, listed)


@test
def a_module_that_went_away_harms_no_program():
    with directory() as d:
        config = write(f"{d}/c", read(SYSTEM_CONFIG))
        enable(config)
        write(config, re.sub(r"(?m)^module = .*$", "module = /no/such/headrace.so", read(config)))
        assert providers(config) == ["default"]
        served = run(OPENSSL, "dgst", "-sha256", stdin="x", OPENSSL_CONF=config)
        assert served.returncode == 0 and not served.stderr


@test
def a_service_has_files_of_its_own():
    with directory() as d:
        strict = write(f"{d}/system.cnf", SHAPES["ssl_conf"])
        unit(f"{d}/root", "nginx")
        words = "--service", "nginx.service", "--root", f"{d}/root"
        result = headrace("enable", SHIPPED, *words, "--config", strict)
        assert result.returncode == 0, result.stderr
        drop_in = f"{d}/root/etc/systemd/system/nginx.service.d/headrace.conf"
        config = f"{d}/root/etc/headrace/nginx.cnf"
        assert "[Service]\nEnvironment=OPENSSL_CONF=/etc/headrace/nginx.cnf\n" in read(drop_in)
        assert f".include {strict}\n" in read(config) and read(strict) == SHAPES["ssl_conf"]
        assert providers(config) == ["default", "headrace"]
        assert headrace("disable", *words).returncode == 0
        assert not os.path.exists(drop_in) and not os.path.exists(config)
        assert "not enabled" in headrace("disable", *words).stdout


def single_des(config):
    """Tells whether openssl encrypts by single DES with this configuration."""
    words = "enc", "-des-cbc", "-a", "-K", 16 * "1", "-iv", 16 * "0"
    return run(OPENSSL, *words, stdin="x", OPENSSL_CONF=config).returncode == 0


@test
def nothing_works_that_did_not_work_before():
    with directory() as d:
        for name, legacy in ("plain", False), ("legacy", True):
            config = write(f"{d}/{name}", read(SYSTEM_CONFIG))
            if legacy:
                write(config, INIT + "providers = p\n[p]\ndefault = on\nlegacy = on\n[on]\nactivate = 1\n")
            before = single_des(config)
            enable(config)
            block = re.search(r"^without = (.*)$", read(config), re.M).group(1).split()
            assert "kasumi_f8" in block and "des_ede3_cbc" not in block, block
            assert single_des(config) == before == ("des_cbc" not in block), (name, block)
            assert headrace("enable", "--all", "--config", config).returncode == 0
            assert single_des(config) and "\nwithout" not in read(config)
            disable(config)
            assert single_des(config) == before


@test
def keys_that_are_not_served_are_not_offered():
    """OpenSSL 3.0 reads a private key the more slowly the more key managements there are.  Three are there for
    private keys of the accelerator."""
    always = {"RSA", "EC", "ED25519"}
    with directory() as d:
        config = write(f"{d}/c", read(SYSTEM_CONFIG))
        enable(config)
        assert "lost_pkey" in re.search(r"^without = (.*)$", read(config), re.M).group(1).split()
        text = read(config)
        for win, offered in ("none", set()), ("pkey x25519", {"X25519"}), ("pkey dsa2048 sha256", {"DSA"}):
            write(config, text.replace("\nsoft_load", f"\nwin = {win}\nsoft_load"))
            listed = run(OPENSSL, "list", "-key-managers", OPENSSL_CONF=config).stdout
            ours = [names.split(", ") for names in re.findall(r"IDs: \{ (.*) \} @ headrace", listed)]
            assert len(ours) == len(offered | always), (win, ours)
            assert all(any(name in names for names in ours) for name in offered | always), (win, ours)
        assert headrace("enable", "--all", "--config", config).returncode == 0
        assert run(OPENSSL, "list", "-key-managers", OPENSSL_CONF=config).stdout.count("@ headrace") > 6


@test
def a_misspelt_service_is_an_error():
    with directory() as d:
        unit(d, "nginx")
        unit(d, "postgresql@")
        for command in ["enable", SHIPPED], ["disable"]:
            message = one_line(headrace(*command, "--service", "ngnix", "--root", d), 2)
            assert "no ngnix.service" in message and "nginx" in message.split("near:")[1], message
        assert os.listdir(d) == ["usr"]
        assert headrace("enable", SHIPPED, "--service", "postgresql@15-main", "--root", d).returncode == 0


main()
