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
    where = f"The page is {os.path.realpath(FOLDER.name)}/from.html\n"
    assert result.returncode == 0 and result.stdout == where and not result.stderr, result
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
def public_key():
    result = speed("--html", "keys.html", "--json", "--quick", "--slices", "1", "--modules", MODULES, "x25519")
    assert result.returncode == 0, result.stderr
    report = json.loads(result.stdout)
    assert data_of(read("keys.html")) == report
    os.remove(f"{FOLDER.name}/keys.html")
    cells = [(c["algorithm"], c["direction"], c["size"], c["hardware"]) for c in report["cells"]]
    assert sorted(cells) == sorted(("X25519", name, 1, hardware) for name in ("key", "derive") for hardware in (True, False)), cells
    assert set(report["masks"]) == {"HEADRACE_CPU", "OPENSSL_ia32cap"} and "bmi2" in report["masks"]["HEADRACE_CPU"], report["masks"]


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
        assert browser.value("[...document.querySelectorAll('section.algorithm > h3')].map(e => e.textContent)") == \
            list(ALGORITHMS)
        text = browser.value("document.body.innerText")
        for word in (report["cpu"], report["openssl"], report["headrace"], report["date"][:10], "--html page.html",
                     *(f"kernel {c['kernel']}" for c in report["cells"] if c["hardware"] and "kernel" in c)):
            assert word in text, word
        # each operation is a chart, each way of each cell a dot in it, and without the hardware one of each pair
        plain = [c for c in report["cells"] if c["hardware"]]
        operations = {(c["algorithm"], c["direction"]) for c in plain}
        assert browser.value("document.querySelectorAll('figure').length") == len(operations)
        assert browser.value("document.querySelectorAll('.dot.with').length") == sum(w in c for c in plain for w in WAYS)
        kernels = [{c["algorithm"]: c.get("kernel") for c in report["cells"] if c["hardware"] is hw} for hw in (True, False)]
        differ = [c for c in plain if not kernels[0][c["algorithm"]] or kernels[0][c["algorithm"]] != kernels[1][c["algorithm"]]]
        assert browser.value("document.querySelectorAll('.dot.without').length") == sum(1 + ("openssl-evp" in c) for c in differ)
        # each operation that OpenSSL has too is in the ranking, the fastest first
        ranked = browser.value("[...document.querySelectorAll('.rank b')].map(e => parseFloat(e.innerText.replace(/[^0-9.]/g, '')))")
        assert len(ranked) == len({(c["algorithm"], c["direction"]) for c in plain if WAYS[1] in c})
        assert ranked == sorted(ranked, reverse=True) and ranked[0] > 0, ranked
        # a ratio for each cell that OpenSSL has too, for each of our two ways
        ratios = [c[w] for w in WAYS[2:] for c in plain if "ratio" in c.get(w, {})]
        assert browser.value("document.querySelectorAll('.ratios td').length") == len(ratios)
        assert browser.value("document.querySelectorAll('.ratios td.loss').length") == \
            sum(r["ratio"] < 0.98 and "unclear" not in r and "busy" not in report for r in ratios)
        assert browser.value("document.querySelectorAll('details[open]').length") == 0
        browser.value("document.querySelectorAll('details').forEach(d => d.open = true)")
        assert browser.send("Runtime.evaluate", awaitPromise=True, returnByValue=True, expression=
                            "new Promise(d => setTimeout(() => d(document.querySelectorAll('figure tbody tr').length), 200))"
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
                outside = browser.value("[...document.querySelectorAll('figure text, .rank a, .rank b')].filter(e => "
                                        "e.getBoundingClientRect().right > innerWidth).length")
                assert outside == 0, (width, outside)
                colours.add(browser.value("getComputedStyle(document.body).backgroundColor"))
        assert len(colours) == 2, colours
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
        assert browser.value("[...document.querySelectorAll('.ratios td')].map(e => [e.className, e.textContent])") == \
            [["loss", "▼\u20090.97"], ["loss", "▼\u20090.50"], ["win", "2.00"]]
        assert "faster than OpenSSL EVP in 1 of 3 cells, slower in 2," in browser.value("document.getElementById('numbers').innerText")
        assert browser.value("[...document.querySelectorAll('.rank .least')].map(e => e.className)") == ["least loss"]
        assert browser.value("document.querySelectorAll('.busy').length") == 0
        # both scales are logarithmic: from 16 to 64 is as far as from 64 to 256, and half the speed as far below as the double is above
        dots = browser.value("[...document.querySelectorAll('.dot')].map(e => [e.getAttribute('cx'), e.getAttribute('cy')].map(Number))")
        theirs, ours = dots[:3], dots[3:]
        assert abs((ours[2][0] - ours[1][0]) - (ours[1][0] - ours[0][0])) < 0.1, ours
        assert abs((ours[1][1] - theirs[1][1]) - (theirs[2][1] - ours[2][1])) < 0.1 and ours[1][1] > theirs[1][1], dots
        assert not browser.problems, browser.problems
    finally:
        browser.close()


@in_browser
def lanes_are_drawn_by_the_time_of_one():
    def at(size, ns, ratio=None):
        return {"ns": ns * size, "operations_per_s": 1e9 / ns, **({"ratio": ratio} if ratio else {})}
    report = {"cells": [cell("X", size, True, "operations at once", **{"openssl-evp": at(size, 4000), "headrace-direct": at(size, 4000 / size, size)})
                        for size in (1, 2, 4)]}
    page_from(report)
    browser = shown("from.html")
    try:
        heights = browser.value("[...document.querySelectorAll('#charts figure polyline.with')].map(e => e.getAttribute('points').split(' ').map(p => +p.split(',')[1]))")
        ours, theirs = sorted(heights, key=lambda line: line[0] == line[-1])
        assert theirs[0] == theirs[1] == theirs[2] and ours[0] == theirs[0] and ours[0] < ours[1] < ours[2], heights
        assert "µs of one" in browser.value("document.querySelector('#charts figure').textContent")
        assert browser.value("document.querySelector('.rank b').textContent") == "4.00" and not browser.problems, browser.problems
    finally:
        browser.close()


@in_browser
def public_key_is_drawn_as_bars():
    def ops(ns, ratio=None):
        return {"ns": ns, "operations_per_s": 1e9 / ns, **({"ratio": ratio} if ratio else {})}
    report = {"cells": [cell("X", 1, hardware, "operations", **{"openssl-evp": ops(400 * slow), "headrace-evp": ops(200 * slow, 2.0), "headrace-direct": ops(100 * slow)})
                        for hardware, slow in ((True, 1), (False, 2))]}
    page_from(report)
    browser = shown("from.html")
    try:
        bars = browser.value("[...document.querySelectorAll('rect.bar')].map(e => [e.classList[1], +e.getAttribute('width'), e.textContent])")
        assert [kind for kind, _, _ in bars] == ["with"] * 3 + ["without"] * 2, bars
        longest = bars[0][1]
        assert [round(100 * width / longest) for _, width, _ in bars] == [100, 50, 25, 25, 12], bars
        assert [text.split(",")[0] for _, _, text in bars] == ["Headrace direct", "Headrace EVP", "OpenSSL EVP",
                                                               "Headrace EVP without the hardware", "OpenSSL EVP without the hardware"], bars
        assert not browser.problems and "size" not in browser.value("document.getElementById('page').innerText"), browser.problems
    finally:
        browser.close()


@in_browser
def pkcs11_is_ranked_and_has_tables():
    ways = {"openssl-evp": way(100), "headrace-evp": way(80, 1.25), "headrace-direct": way(10, 10.0)}
    both = {"headrace-pkcs11": way(40, 2.5), "other-pkcs11": way(3000, 0.03), "accelerator-pkcs11": way(9000, 0.01)}
    page_from({"cells": [cell("X", 16, **ways, **both), cell("Y", 16, **ways)],
               "pkcs11": {"other-pkcs11": {"manufacturer": "Some <b>"}, "two_threads": [{"algorithm": "X", "headrace-direct": 1.99, "headrace-pkcs11": 1.9,
                                                                                            "accelerator-pkcs11": 1.5}],
                          "calls_ns": [{"name": "find", "headrace-pkcs11": 70.0, "other-pkcs11": 7e5}],
                          "openssl_speed": [{"algorithm": "X", "operation": "sign", "headrace-pkcs11": 7e4, "openssl-evp": 5e4}]}})
    browser = shown("from.html")
    try:
        assert browser.value("[...document.querySelectorAll('.rank b')].map(e => e.textContent)") == ["2.50"]
        assert "The module lacks: Y." in browser.value("document.getElementById('ranking').innerText")
        assert browser.value("[...document.querySelectorAll('#charts .key > span')].map(e => e.textContent)") == \
            ["Headrace direct", "PKCS#11", "Some <b>", "accelerator", "Headrace EVP", "OpenSSL EVP"]
        assert browser.value("[...document.querySelectorAll('#pkcs11 tr')].map(e => [...e.children].map(c => c.textContent))") == \
            [["", "Headrace direct", "PKCS#11", "accelerator"], ["X", "1.99", "1.90", "1.50"], ["", "PKCS#11", "Some <b>"], ["find", "70", "700,000"],
             ["", "PKCS#11", "OpenSSL EVP"], ["X sign", "70,000", "50,000"]]
        assert not browser.problems, browser.problems
    finally:
        browser.close()


@in_browser
def what_a_busy_machine_measured_is_no_finding():
    slow = way(30, 0.33, ratio_quartiles=[0.3, 0.4], ns_quartiles=[20, 40])
    report = {"busy": "The machine was busy: <b>.", "cells": [
        cell("X", 16, **{"openssl-evp": way(10), "headrace-evp": slow}), cell("Y", 16, **{"openssl-evp": way(10), "headrace-evp": way(5, 2.0)})]}
    marks = "[...document.querySelectorAll('.rank b, .ratios td')].map(e => e.className)"
    for busy, unclear, kinds in ((True, False, ["unclear"] * 4), (False, True, ["win", "unclear", "unclear", "win"]),
                                 (False, False, ["win", "loss", "loss", "win"])):
        slow["unclear"] = unclear
        if not busy:
            report.pop("busy", None)
        page_from(report)
        browser = shown("from.html")
        try:
            assert browser.value(marks) == kinds, (busy, unclear)
            assert browser.value("[...document.querySelectorAll('.busy')].map(e => e.innerText)") == \
                (["The machine was busy: <b>."] if busy else [])
            assert ("Not certain" in browser.value("document.getElementById('verdict').innerText")) == busy
            # the spread of the turns is a bar between the quartiles, and a band around the line
            assert browser.value("[...document.querySelectorAll('.spread')].map(e => e.offsetWidth > 20)") == [True]
            corners = browser.value("[...document.querySelectorAll('.band')].map(e => e.points.length)")
            assert sorted(corners) == [0, 0, 0, 2], corners
            assert not browser.problems, browser.problems
        finally:
            browser.close()


@in_browser
def all_algorithms_fit_on_eight_pages_of_paper():
    both = {"openssl-evp": way(10), "headrace-evp": way(5, 2.0), "headrace-direct": way(2, 5.0)}
    cells = [cell(f"CAMELLIA-{i}-CFB128", size, **both) for i in range(80) for size in (16, 256, 16384)]
    page_from({"cells": cells + [{**c, "direction": "decrypt"} for c in cells]})
    browser = shown("from.html", scheme="dark")
    try:
        pages = len(re.findall(rb"/Type\s*/Page\b", browser.pdf()))
        assert 2 <= pages <= 8, pages
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
                             "'.line.with').length, e.querySelectorAll('.line.without').length])") == [[2, 0], [2, 2], [1, 0]]
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
        assert browser.value("[...document.querySelectorAll('section.algorithm > h3')].map(e => e.textContent)") == \
            [evil, "AES-128-GCM", "alone", "nothing", "masked only"]
        assert "with-aad" in browser.value("[...document.querySelectorAll('title')].map(e => e.textContent).join()")
        browser.look(360)
        assert not browser.problems, browser.problems
    finally:
        browser.close()


main()
