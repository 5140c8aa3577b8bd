#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The shape of what `headrace speed` and `headrace calibrate` say; never how fast anything is.

speed.py PROGRAM MODULES PEERS PKCS11 [--quick]: the headrace program, the folder of headrace.so, that of a stand-in for
crypto_mb, and the PKCS#11 module, or "none"; nothing that measures every row.
"""
import json
import os
import pathlib
import pty
import re
import shutil
import subprocess
import sys
import tempfile

PROGRAM, MODULES, PEERS, PKCS11 = sys.argv[1:5]
REGISTRY = pathlib.Path(__file__).parents[2] / "include/headrace/algorithms.def"
SIZES = (16, 64, 256, 1024, 8192, 16384)
WAYS = ("headrace-direct", "headrace-evp", "openssl-evp", "openssl-one-shot")
DIRECTIONS = {"DIGEST": ("hash",), "CHECKSUM": ("hash",), "MAC": ("mac",),
              "CIPHER": ("encrypt", "decrypt"), "KDF": ("MD5", "SHA-1", "SHA-256", "SHA-512"),
              "AEAD": ("encrypt", "decrypt"), "NMAC": ("mac",), "CMAC": ("mac",), "XTS": ("encrypt", "decrypt"),
              "WRAP": ("wrap", "unwrap")}
KDF_SIZES = {"PBKDF2": (1, 16, 64, 256, 1024, 8192), "HKDF": (16, 32, 64, 256, 1024, 4080)}
number = failures = 0


def tap(good, name, detail=""):
    global number, failures
    number += 1
    failures += not good
    if not good and detail:
        print("\n".join("# " + line for line in str(detail).splitlines()[-20:]))
    print(f"{'' if good else 'not '}ok {number} - {name}", flush=True)


def run(*words, **environment):
    return subprocess.run([PROGRAM, *words], capture_output=True, text=True, check=False,
                          env={**os.environ, **environment})


def rows(*kinds):
    """Returns {name: directions} of the registry's rows, or of those of some kinds."""
    text = REGISTRY.read_text()
    pattern = r'^HR_(DIGEST|CHECKSUM|MAC|CIPHER|KDF|AEAD|NMAC|CMAC|XTS|WRAP)\(0x[0-9a-f]+,\s*\w+,\s*\w+,\s*"([^"]+)"'
    return {name: DIRECTIONS[kind] for kind, name in re.findall(pattern, text, re.M)
            if not kinds or kind in kinds}


def parsed(result):
    try:
        return json.loads(result.stdout)
    except ValueError:
        return None


def positive(value):
    return isinstance(value, (int, float)) and value > 0


def cells_of(report, hardware):
    return {(c["algorithm"], c["direction"], c["size"]): c for c in report["cells"]
            if c["hardware"] is hardware}


def ways_of(name, legacy=True):
    """Returns the ways that a row is measured in. OpenSSL has no checksums, no retail MAC and none of the rows
    `alone`, and single DES only if its legacy provider is installed."""
    alone = r"Poly1305-AES|DES-(EDE[23]-)?CTR|KASUMI-\w+|CAMELLIA-\d+-[GC]CM"
    single = r"DES-(ECB|CBC|CFB64|OFB)"
    if name in rows("CHECKSUM") or name.startswith("Retail-MAC") or name == "DES-MAC":
        return WAYS[:1]
    return WAYS[:2] if re.fullmatch(alone if legacy else f"{alone}|{single}", name) else WAYS


def spread(way):
    """Whether each median lies between its quartiles."""
    return all(low <= way[name] <= high for name in ("ns", "ratio") if name in way
               for low, high in [way[name + "_quartiles"]])


def whole(cells, names):
    legacy = any("openssl-evp" in c for (name, _, _), c in cells.items() if name == "DES-ECB")
    ways = {name: ways_of(name, legacy) for name in names}
    wanted = {(n, d, s) for n in names for d in rows()[n] for s in KDF_SIZES.get(n, SIZES)}
    return cells.keys() == wanted and all(
        (positive(c[w]["ns"]) and spread(c[w]) and positive(c[w].get("mb_per_s", c[w].get("iterations_per_ms")))
         and (positive(c[w].get("ratio")) == (len(ways[name]) > 2)))
        if w in ways[name] else w not in c
        for (name, _, _), c in cells.items() for w in WAYS)


def speed(*words):
    return run("speed", "--quick", "--modules", MODULES, *words)


def test_speed():
    some = ("SHA-256", "AES-128-CFB128", "AES-256-ECB")
    everything = run("speed", "--slices", "1", "--quick", "--json", "--modules", MODULES)
    report = parsed(everything)
    tap(everything.returncode == 0 and report and whole(cells_of(report, True), rows()),
        "speed --json has every row, direction and size, all figures positive",
        everything.stderr or everything.stdout)
    masked = speed("--json", "--mask", *some)
    report = parsed(masked)
    tap(masked.returncode == 0 and report and whole(cells_of(report, True), some)
        and whole(cells_of(report, False), some), "speed --mask has both halves", masked.stderr)
    for words in ((), ("--mask",)):
        text = speed(*words, "sha256", "aes-128-cbc", "crc32c", "hmac_sha1", "des-ede3-cbc")
        widest = max(map(len, text.stdout.splitlines()), default=0)
        tap(text.returncode == 0 and 60 < widest <= 80 and "\033" not in text.stdout
            and text.stderr == "" and not re.search(r"\de\+", text.stdout) and "tables" in text.stdout,
            f"speed {' '.join(words)}: at most 80 plain columns",
            f"{widest} columns\n{text.stderr}")


def on_terminal(*words, **environment):
    """What the program prints on a terminal."""
    ours, its = pty.openpty()
    with subprocess.Popen([PROGRAM, *words], stdin=subprocess.DEVNULL, stdout=its, stderr=subprocess.DEVNULL,
                          env={**os.environ, **environment}):
        os.close(its)
        text = b""
        try:
            while part := os.read(ours, 65536):
                text += part
        except OSError:  # the other end is closed
            pass
    os.close(ours)
    return re.sub(r"\033\[[0-9;]*[mK]|\r", "", text.decode())


def test_bars():
    words = ("speed", "--quick", "--modules", MODULES, "aes-128-cbc", "crc32c", "sha256")
    bar = r"^(\S+ \w+) +([\d.]+) ([\u2588-\u258f]+)$"
    text = on_terminal(*words, LC_ALL="C.UTF-8")
    bars = re.findall(bar, text, re.M)
    ratios = [float(ratio) for _, ratio, _ in bars]
    half = .005  # of their last digit, by which they are rounded
    lengths = [8 * blocks.count("\u2588") + sum(0x2590 - ord(b) for b in blocks if b != "\u2588") for _, _, blocks in bars]
    tap({name for name, _, _ in bars} == {"AES-128-CBC encrypt", "AES-128-CBC decrypt", "SHA-256 hash"}
        and ratios == sorted(ratios, reverse=True) and lengths[0] == 320
        and all(320 * (r - half) / (ratios[0] + half) - 1 <= n <= 320 * (r + half) / (ratios[0] - half) + 1
                for n, r in zip(lengths, ratios)),
        "on a terminal, speed ranks by bars as long as the ratios", text)
    tap(max(map(len, text.splitlines())) <= 80, "and has 80 columns there", text)
    tap(not re.search("[\u2580-\u259f]", on_terminal(*words, LC_ALL="C") + run(*words, LC_ALL="C.UTF-8").stdout),
        "no bars without UTF-8, or without a terminal")


def test_kernels():
    result = speed("--kernels", "--json", "sha256", "aes-128-ctr")
    tables = parsed(result) or []
    good = [t["best_first"] for t in tables]
    tap([(t["algorithm"], t["direction"]) for t in tables]
        in ([("SHA-256", "hash"), *lanes, ("AES-128-CTR", "encrypt"), ("AES-128-CTR", "decrypt")]
            for lanes in ([], [("SHA-256", "lanes")]))  # which not every CPU has
        and all(t["direction"] == "lanes" or t["kernels"][-1]["name"] == "c" for t in tables)
        and all(positive(k["ns"][str(s)]) for t in tables for k in t["kernels"] for s in SIZES),
        "speed --kernels lists every kernel, portable C last", result.stderr)
    tap(result.returncode == (0 if all(good) else 1), "speed --kernels fails if a table is unordered")
    alone = run("speed", "--kernels", "--quick", "--json", "aes-128-ctr", HEADRACE_CPU="-ssse3")
    tap(alone.returncode == 0
        and all([k["name"] for k in t["kernels"]] == ["c"] for t in parsed(alone) or [{}]),
        "speed --kernels obeys HEADRACE_CPU", alone.stderr)


def calibrate(*words):
    return run("calibrate", "--quick", "--modules", MODULES, *words)


def verdict(row):
    ratios = [r for d in rows()[row["algorithm"]] for r in row[d].values()]
    return min(ratios) >= 0.98 and max(ratios) > 1.1


def test_calibrate():
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder, "map.json")
        result = calibrate("--json", "--output", str(file))
        report = parsed(result)
        compared = [[name for name in rows("DIGEST", "CIPHER", "KDF", "AEAD", "NMAC", "XTS", "CMAC", "WRAP")
                     if len(ways_of(name, legacy)) > 2] for legacy in (True, False)]
        tap(result.returncode == 0 and report
            and [r["algorithm"] for r in report["ratios"]] in compared
            and all(positive(v) for r in report["ratios"]
                    for d in rows()[r["algorithm"]] for v in r[d].values()),
            "calibrate --json has a positive ratio for every cell", result.stderr)
        tap(report and file.read_text() == result.stdout and os.listdir(folder) == ["map.json"],
            "calibrate --output writes the same text, and nothing else")
        ratios = report["ratios"] if report else []
        near = [r for r in ratios for d in rows()[r["algorithm"]] for v in r[d].values()
                if min(abs(v - 0.98), abs(v - 1.1)) < 1e-3]
        tap(ratios and all(r["win"] == verdict(r) for r in ratios if r not in near),
            "its verdicts follow from its ratios")
        keys = report["public_key"] if report else []
        near = [k for k in keys for v in k["ratios"].values() if min(abs(v - 0.98), abs(v - 1.1)) < 1e-3]
        tap({"X25519", "Ed25519", "ECDSA-P384", "ECDH-P256"} <= {k["algorithm"] for k in keys}
            and all(len(k["ratios"]) > 2 and all(map(positive, k["ratios"].values())) for k in keys)
            and all(k["win"] == (min(k["ratios"].values()) >= 0.98 and max(k["ratios"].values()) > 1.1)
                    for k in keys if k not in near),
            "each row of public key has operations, and the verdict that follows", keys)
        winners, words = sum(r["win"] for r in ratios + keys), report["win"].split() if report else []
        tap(words == ["none"] if not winners else len(words) == winners + 1
            and words[words.index("pkey") + 1:] == [k["symbol"] for k in keys if k["win"]],
            "its parameter lists the winners")
        missing = str(pathlib.Path(folder, "none/map.json"))
        failed = calibrate("--output", missing)
        tap(failed.returncode == 1 and failed.stderr.count("\n") == 1 and failed.stdout == ""
            and os.listdir(folder) == ["map.json"], "an unwritable file is one line, and no output")
    text = calibrate()
    tap(text.returncode == 0 and max(map(len, text.stdout.splitlines())) < 80
        and re.search(r"^win =( [a-z0-9_]+)+$", text.stdout, re.M), "calibrate for people", text.stderr)


def test_cycles():
    result = run("speed", "poly1305-aes", "--cycles", "--json", "--quick")
    lines = (parsed(result) or {}).get("cycles", [])
    cases = {(c["call"], c["key"], c["aligned"]) for c in lines}
    sizes = {c["size"] for c in lines}
    tap(result.returncode == 0 and len(cases) == 12 and len(lines) == 12 * len(sizes)
        and min(sizes) == 0 and max(sizes) == 4096 and all(positive(c["ns"]) for c in lines),
        "speed --cycles: Poly1305-AES by length, call, key and place", result.stderr)
    text = run("speed", "poly1305-aes", "--cycles", "--quick")
    table = [line.split() for line in text.stdout.splitlines() if re.match(r"\d", line)]
    tap(text.returncode == 0 and {int(words[0]) for words in table} == sizes
        and all(len(words) == 13 for words in table), "speed --cycles for people", text.stderr)


def test_public_key():
    text = REGISTRY.read_text()
    names = re.findall(r'^HR_(?:SIGN|AGREE|KEM|RSA|DSA|DH)\(0x[0-9a-f]+,\s*\w+,\s*\w+,\s*"([^"]+)"', text, re.M)
    # Calls of DH-8192 and of most sets of SLH-DSA take a fifth of a second, or seconds.
    slow = {"DH-8192"} | {name for name in names if name.startswith("SLH-DSA") and name != "SLH-DSA-SHA2-128f"}
    names = [name for name in names if name not in slow]
    result = speed("--json", "--slices", "1", *names)
    cells = (parsed(result) or {}).get("cells", [])
    operations = {(cell["algorithm"], cell["direction"]) for cell in cells}
    ways = [cell[way] for cell in cells for way in cell if way.startswith(("headrace-", "openssl-"))]
    tap(result.returncode == 0 and {name for name, _ in operations} == set(names) and len(operations) == len(cells)
        and {"key", "sign", "verify"} == {op for name, op in operations if name == "Ed25519"}
        and all(cell["size"] == 1 and cell["unit"] == "operations" and cell["headrace-direct"] for cell in cells)
        and all(positive(way["ns"]) and positive(way["operations_per_s"]) and positive(way.get("ratio", 1)) for way in ways),
        "speed of public key: each operation of each row that is not slow", result.stderr)
    by_name = {cell["direction"]: set(cell) for cell in cells if cell["algorithm"] == "X25519"}
    tap(all({"headrace-evp", "openssl-evp"} <= ways for ways in by_name.values()), "through EVP on both sides", by_name)
    for words in (), ("--mask",):
        text = speed(*words, "--slices", "1", "p384", "x25519")
        tap(text.returncode == 0 and max(map(len, text.stdout.splitlines())) <= 80
            and re.findall(r"^E\S+|^X\S+", text.stdout, re.M) == ["ECDSA-P384", "ECDH-P384", "X25519"]
            and len(re.findall(r"^(?:key|sign|verify|derive)(?: +[\d.]+){8}$", text.stdout, re.M)) == 7,
            f"speed of public key for people {' '.join(words)}", text.stdout + text.stderr)


def test_lanes():
    result = speed("--lanes", "--json", "--slices", "1", "rsa1024", "x25519")
    cells = (parsed(result) or {}).get("cells", [])
    wanted = [(name, op, size) for name, op in (("RSA-1024", "sign"), ("RSA-1024", "verify"), ("X25519", "derive"))
              for size in (1, 2, 4, 8, 16)]
    tap(result.returncode == 0 and [(c["algorithm"], c["direction"], c["size"]) for c in cells] == wanted
        and all(c["unit"] == "operations at once" and positive(c["headrace-direct"]["operations_per_s"])
                and positive(c["openssl-evp"]["ns"]) and positive(c["headrace-direct"]["ratio"]) for c in cells),
        "speed --lanes: 1 to 16 operations at once", result.stderr)
    text = speed("--lanes", "--slices", "1", "x25519")
    tap(text.returncode == 0 and re.findall(r"^(\d+)(?: +[\d.]+){8}$", text.stdout, re.M) == ["1", "2", "4", "8", "16"],
        "speed --lanes for people", text.stdout + text.stderr)


def test_peer():
    words = ("speed", "--quick", "--modules", MODULES, "--lanes", "--slices", "1", "x25519", "ed25519")
    features = {f["name"]: f["state"] for f in (parsed(run("info", "--json")) or {}).get("features", [])}
    has_ifma = features.get("avx512ifma") == "present"
    for mask, timed in ((), has_ifma), ((("HEADRACE_CPU", "-avx512ifma"),), False):
        environment = {"LD_LIBRARY_PATH": PEERS, **dict(mask)}
        result = run(*words, "--json", **environment)
        report = parsed(result) or {"cells": []}
        peers = [c.get("crypto-mb") for c in report["cells"]]
        tap(result.returncode == 0 and report["crypto_mb"] == ("1.22.333" if timed else None)
            and [bool(peer) for peer in peers] == [timed] * 5 + [False] * 10
            and all(positive(peer["ns"]) and positive(peer["ratio"]) for peer in peers if peer)
            and result.stderr == "headrace: crypto_mb's Ed25519 sign differs from Headrace's and is not timed\n" * timed,
            f"speed --lanes times crypto_mb where it is right {mask}", result.stderr + result.stdout[-2000:])
        text = run(*words[:-1], **environment)
        tap(text.returncode == 0 and max(map(len, text.stdout.splitlines())) <= 80
            and ("crypto_mb 1.22.333" in text.stdout) == timed and ("crypto_mb is not for this CPU" in text.stdout) != timed
            and len(re.findall(r"^\d+(?: +[\d.]+){8}$", text.stdout, re.M)) == 5, f"the same for people {mask}", text.stdout)
    alone = run(*words[:-1])
    tap(re.search(r"^crypto_mb ([\d.]+:|is not )", alone.stdout, re.M), "speed --lanes says whether there is one", alone.stdout)


def test_pkcs11():
    if PKCS11 == "none":
        print(f"ok {number + 1} - speed --pkcs11 # SKIP built without PKCS#11")
        globals()["number"] += 1
        return
    ours, other = "headrace-pkcs11", "other-pkcs11"
    with tempfile.TemporaryDirectory() as folder:
        module = shutil.copy(PKCS11, pathlib.Path(folder, "other.so"))  # to the loader another module
        result = speed("--json", f"--pkcs11={module}", "aes-128-gcm", "sha256", "hmac-sha256")
        report = parsed(result) or {"cells": [], "pkcs11": {}}
        wanted = [(n, d, s) for n, d in (("AES-128-GCM", "encrypt"), ("SHA-256", "hash"), ("HMAC-SHA-256", "mac")) for s in SIZES]
        tap(result.returncode == 0 and [(c["algorithm"], c["direction"], c["size"]) for c in report["cells"]] == wanted
            and all(positive(c[w]["ns"]) and positive(c[w]["ratio"]) and spread(c[w]) for c in report["cells"]
                    for w in (*WAYS[:3], ours, other)), "speed --pkcs11=MODULE: five ways of a message", result.stderr)
        more = report["pkcs11"]
        tap([t["algorithm"] for t in more.get("two_threads", [])] == ["AES-128-GCM", "SHA-256", "HMAC-SHA-256"]
            and [c["call"] for c in more.get("calls_ns", [])] == ["session", "find-label", "find-id"]
            and all(positive(c[w]) for c in more["two_threads"] + more["calls_ns"] for w in (ours, other))
            and more[other]["module"] == str(module) and more[other]["manufacturer"] == "Headrace",
            "two threads, sessions, and finding one of 1,000 objects", more)
    text = speed("--pkcs11", "aes-128-cbc", "aes-128-cmac")
    tap(text.returncode == 0 and max(map(len, text.stdout.splitlines())) <= 80
        and len(re.findall(r"^ *\d+(?: +[\d.]+){4} +[+-][\d.]+ +[\d.]+$", text.stdout, re.M)) == 12,
        "speed --pkcs11 for people", text.stdout + text.stderr)


def test_misuse():
    for words, code in (
            (("speed", "--cycles", "sha256"), 2), (("speed", "--cycles", "--kernels"), 2),
            (("speed", "--lanes"), 2), (("speed", "--lanes", "sha256"), 2), (("speed", "--lanes", "--kernels", "x25519"), 2),
            (("speed", "--pkcs11", "md5"), 2), (("speed", "--pkcs11", "--kernels"), 2), (("speed", "--pkcs11=/nonexistent", "sha256"), 1),
            (("speed", "nonesuch"), 2), (("speed", "x25519", "sha256"), 2), (("speed", "x25519", "--kernels"), 2), (("speed", "--slices", "0"), 2),
            (("speed", "--slices", "many"), 2), (("speed", "--libcrypto", "/nonexistent"), 1),
            (("speed", "--modules", "/nonexistent"), 1), (("calibrate", "extra"), 2),
            (("calibrate", "--modules", "/nonexistent"), 1)):
        result = run(*words)
        tap(result.returncode == code and result.stderr.startswith("headrace: ")
            and result.stderr.count("\n") == 1 and result.stdout == "",
            f"{' '.join(words)}: one line, exit {code}", result.stderr)


QUICK = test_bars, test_kernels, test_cycles, test_lanes, test_peer, test_pkcs11, test_misuse
for test in (*QUICK, *(() if "--quick" in sys.argv else (test_speed, test_calibrate, test_public_key))):
    test()
print(f"1..{number}")
sys.exit(failures > 0)
