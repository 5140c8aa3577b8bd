#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The page that `headrace speed --html` writes, as text and as Chromium shows it.

html_test.py PROGRAM MODULES: the headrace program and the folder of headrace.so.
"""
import json
import os
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from browser import CHROMIUM, Browser  # noqa: E402
from tap import main, test  # noqa: E402

PROGRAM, MODULES = (os.path.abspath(path) for path in sys.argv[1:])
ALGORITHMS = "SHA-256", "AES-128-CBC", "CRC-32C", "PBKDF2"
WAYS = "openssl-one-shot", "openssl-evp", "headrace-evp", "headrace-direct"
FOLDER = tempfile.TemporaryDirectory(prefix="headrace-test.")


def in_browser(function):
    function.skip = "" if CHROMIUM else " # SKIP chromium is not installed"
    return test(function)


def speed(*words):
    return subprocess.run([PROGRAM, "speed", *words], capture_output=True, text=True, cwd=FOLDER.name, timeout=250)


def read(name):
    with open(f"{FOLDER.name}/{name}", encoding="utf-8") as file:
        return file.read()


def data_of(page):
    (text,) = re.findall(r'<script type="application/json" id="data">(.*?)</script>', page, re.S)
    assert "<" not in text
    return json.loads(text)


def cell(algorithm, size, hardware=True, unit="bytes", **ways):
    return {"algorithm": algorithm, "direction": "encrypt", "size": size, "unit": unit, "hardware": hardware, **ways}


def way(ns, ratio=None, **more):
    return {"ns": ns, "mb_per_s": 1e5 / ns, **({"ratio": ratio} if ratio else {}), **more}


def page_from(report):
    with open(f"{FOLDER.name}/from.json", "w", encoding="utf-8") as out:
        json.dump(report, out)
    result = speed("--html", "from.html", "--from", "from.json")
    assert result.returncode == 0 and not result.stdout and not result.stderr, result
    return read("from.html")


def shown(path="page.html", width=1280, **look):
    browser = Browser()
    try:
        browser.look(width, **look)
        browser.open(f"{FOLDER.name}/{path}")
    except Exception:
        browser.close()
        raise
    return browser


# ---- the text ----

@test
def a_measured_page():
    result = speed("--html", "page.html", "--json", "--quick", "--modules", MODULES, *ALGORITHMS)
    assert result.returncode == 0 and not result.stderr, result.stderr
    page, report = read("page.html"), json.loads(result.stdout)
    assert data_of(page) == report
    assert os.listdir(FOLDER.name) == ["page.html"]
    for member in "cpu", "cpu_features", "headrace", "openssl", "date", "command", "masks", "turns":
        assert report[member], member
    assert report["command"][:4] == [os.path.basename(PROGRAM), "speed", "--html", "page.html"]
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", report["date"])
    for hardware in True, False:
        cells = [c for c in report["cells"] if c["hardware"] is hardware]
        assert {c["algorithm"] for c in cells} == set(ALGORITHMS)
        assert all(c["kernel"] for c in cells if c["algorithm"] != "PBKDF2"), cells
    kernels = {c["hardware"]: c["kernel"] for c in report["cells"] if c["algorithm"] == "AES-128-CBC"}
    assert kernels[True] == kernels[False] or kernels[False] in ("c", "ssse3", "avx2", "neon"), kernels


@test
def both_halves_have_the_same_cells():
    for name in "PBKDF2", "AES-128-GCM":  # the most operations, alone
        result = speed("--json", "--mask", "--quick", "--slices", "1", "--modules", MODULES, name)
        cells = json.loads(result.stdout)["cells"]
        halves = [[(c["direction"], c["size"]) for c in cells if c["hardware"] is hardware] for hardware in (True, False)]
        assert halves[0] == halves[1] and halves[0], (name, halves)


@test
def it_needs_no_network():
    page = read("page.html")
    assert not re.search(r"https?:|\bsrc=|<link|@import|url\(", page.replace(json.dumps(data_of(page)), ""))
    assert "default-src 'none'" in page


@test
def a_saved_measurement():
    page = read("page.html")
    assert page_from(data_of(page)) == page


@test
def wrong_command_lines():
    for words, code in ((["--from", "page.html"], 2), (["--html", "x", "--kernels"], 2), (["--html"], 2),
                        (["--html", "x", "--from", "page.html", "sha256"], 2), (["--html", "none/x", "sha256"], 1),
                        (["--html", "x", "--from", "page.html"], 1), (["--html", "x", "--from", "none"], 1)):
        result = speed(*words)
        assert result.returncode == code and result.stderr.startswith("headrace: "), (words, result)
        assert result.stderr.count("\n") == 1 and not result.stdout and not os.path.exists(f"{FOLDER.name}/x"), words
    for text in "[]", "{}", '{"cells": 1}', "":
        with open(f"{FOLDER.name}/from.json", "w", encoding="utf-8") as out:
            out.write(text)
        assert speed("--html", "x", "--from", "from.json").returncode == 1, text


# ---- what one sees ----

@in_browser
def every_figure_is_there():
    report = data_of(read("page.html"))
    browser = shown()
    try:
        assert browser.value("[...document.querySelectorAll('section.algorithm > h2')].map(e => e.textContent)") == \
            list(ALGORITHMS)
        text = browser.value("document.body.innerText")
        for word in (report["cpu"], report["openssl"], report["headrace"], report["date"][:10], "--html page.html",
                     *(f"kernel {c['kernel']}" for c in report["cells"] if c["hardware"] and "kernel" in c)):
            assert word in text, word
        # each way of each cell is a bar, where there are several, and again two of each pair without and with
        plain = [c for c in report["cells"] if c["hardware"]]
        ways = sum(w in c for c in plain for w in WAYS if WAYS[1] in c)
        pairs = sum(4 if "openssl-evp" in c else 2 for c in plain)
        assert browser.value("document.querySelectorAll('.bar').length") == ways + pairs
        bars = browser.value("[...document.querySelectorAll('.bar')].map(e => [e.querySelector('i').offsetWidth, "
                             "parseFloat(e.innerText.replaceAll(',', ''))])")
        assert all(width >= 2 and value > 0 for width, value in bars), bars
        assert browser.value("document.querySelectorAll('tbody th[scope=row]').length") > len(bars)
        # a ratio for each cell that OpenSSL has too, for each of our two ways
        ratios = [c[w]["ratio"] for w in WAYS[2:] for c in plain if "ratio" in c.get(w, {})]
        assert browser.value("document.querySelectorAll('.ratios td').length") == len(ratios)
        assert browser.value("document.querySelectorAll('.ratios td.loss').length") == sum(r < 0.98 for r in ratios)
        browser.value("document.querySelectorAll('details').forEach(d => d.open = true)")
        assert browser.send("Runtime.evaluate", awaitPromise=True, returnByValue=True, expression=
                            "new Promise(d => setTimeout(() => d(document.querySelectorAll('details tbody tr').length), 200))"
                            )["result"]["value"] == sum(w in c for c in report["cells"] for w in WAYS)
        assert not browser.problems, browser.problems
    finally:
        browser.close()


@in_browser
def light_dark_phone_and_paper():
    browser = shown()
    try:
        colours = set()
        for width in 360, 768, 1280:
            for scheme in "light", "dark":
                browser.look(width, scheme=scheme)
                wide = browser.value("[document.documentElement.scrollWidth, innerWidth]")
                assert wide == [width, width], wide
                outside = browser.value("[...document.querySelectorAll('.chart span, .bar span')].filter(e => "
                                        "e.getBoundingClientRect().right > innerWidth).length")
                assert outside == 0, (width, outside)
                colours.add(browser.value("getComputedStyle(document.body).backgroundColor"))
        assert len(colours) == 2, colours
        assert browser.pdf().startswith(b"%PDF")
        assert not browser.problems, browser.problems
    finally:
        browser.close()


@in_browser
def losses_are_shown_as_losses():
    report = {"headrace": "0", "cells": [
        cell("X", 16, **{"openssl-evp": way(10), "headrace-evp": way(10.3, 0.9799)}),
        cell("X", 64, **{"openssl-evp": way(10), "headrace-evp": way(20)}),
        cell("X", 256, **{"openssl-evp": way(10), "headrace-evp": way(5, 2.0)})]}
    page_from(report)
    browser = shown("from.html")
    try:
        assert browser.value("[...document.querySelectorAll('.ratios td')].map(e => [e.className, e.innerText])") == \
            [["loss", "▼\u20090.97"], ["loss", "▼\u20090.50"], ["win", "2.00"]]
        assert "1 of 3" in browser.value("document.getElementById('numbers').innerText")
        assert "in 2 slower" in browser.value("document.getElementById('numbers').innerText")
        # a bar of half the speed is half as long
        widths = browser.value("[...document.querySelectorAll('.bar i')].map(e => e.getBoundingClientRect().width)")
        assert abs(widths[3] / widths[2] - 0.5) < 0.01, widths
        assert not browser.problems, browser.problems
    finally:
        browser.close()


@in_browser
def a_kernel_that_masks_leave_alone_has_no_second_chart():
    both = {"openssl-evp": way(10), "headrace-evp": way(5, 2.0)}
    page_from({"headrace": "0", "cells": [
        cell("X", 16, kernel="wide", **both), cell("X", 16, False, kernel="wide", **both),
        cell("Y", 16, kernel="aes", **both), cell("Y", 16, False, kernel="c", **both),
        cell("Z", 16, kernel="c", **{WAYS[3]: way(1)}), cell("Z", 16, False, kernel="c", **{WAYS[3]: way(1)})]})
    browser = shown("from.html")
    try:
        assert browser.value("[...document.querySelectorAll('section.algorithm')].map(e => [e.querySelectorAll("
                             "'.chart').length, e.querySelectorAll('.bar i.without').length])") == [[1, 0], [2, 2], [1, 0]]
        assert "kernel wide, with and without" in browser.value("document.body.innerText")
        assert not browser.problems, browser.problems
    finally:
        browser.close()


@in_browser
def any_rows_and_hostile_ones():
    evil = "</script><script>document.title = 'evil'</script><!--<script>\u2028<img src=x onerror=\"document.title='evil'\">"
    report = {"headrace": evil, "openssl": evil, "cpu": evil, "emulator": evil, "command": [evil, "'"], "masks": {evil: evil},
              "cells": [cell(evil, 16, unit=evil, kernel=evil, **{evil: way(1), "openssl-evp": way(2)}),
                        cell("AES-128-GCM", 64, **{"openssl-evp": way(4), "headrace-evp": way(2, 2.0),
                                                   "with-aad": {"ns": 3, "records_per_s": 5}}),
                        cell("AES-128-GCM", 64, False, **{"openssl-evp": way(40), "headrace-evp": way(20, 2.0)}),
                        cell("alone", 1, **{"headrace-direct": way(0.001)}), cell("nothing", 1),
                        cell("masked only", 1, False, **{"openssl-evp": way(1)})]}
    page_from(report)
    browser = shown("from.html")
    try:
        assert browser.value("document.title") == "headrace speed: " + evil
        assert browser.value("document.querySelectorAll('img, main script').length") == 0
        assert browser.value("[...document.querySelectorAll('section.algorithm > h2')].map(e => e.textContent)") == \
            [evil, "AES-128-GCM", "alone", "nothing", "masked only"]
        assert "with-aad" in browser.value("document.body.innerText")
        browser.look(360)
        assert not browser.problems, browser.problems
    finally:
        browser.close()


main()
