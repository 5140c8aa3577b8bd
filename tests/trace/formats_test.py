# SPDX-License-Identifier: Apache-2.0
"""Each format of the program, by a reader that knows nothing of it, and the examples that use them."""
import html.parser
import json
import os
import re
import shlex
import subprocess
import tempfile

from truth import (SOURCE, TRACER, Missing, environment, main, need, read, run, test)

SPEED = ("openssl", "speed", "-seconds", "1", "-bytes", "16384", "-evp", "md5")
EXAMPLES = f"{SOURCE}/examples/trace"


def traced(*options, command=SPEED):
    need("openssl")
    with tempfile.TemporaryDirectory() as folder:
        path = f"{folder}/out"
        done = run(TRACER, *(path if word == "OUT" else word for word in options), "--", *command)
        assert done.returncode == 0, done.stderr
        assert sorted(os.listdir(folder)) == ["out"]
        return read(path), os.stat(path).st_mode & 0o777


# ---- text ----

@test
def text_is_as_the_page_says():
    text, _ = traced("-o", "OUT")
    lines = text.splitlines()
    assert re.match(r"VERDICT  MD5: SOFTWARE \d+\.\d% of CPU", lines[0]), text
    assert any(re.match(r"ALGORITHM +HOW +CPU% +CALLS +BYTES +LIBRARY +FUNCTION +EVIDENCE$", line)
               for line in lines), text
    assert re.search(r"^(~ .*)?\d+ samples.*, \d+ lost; \d+ functions covered, \d+ uncovered$", text, re.M)
    assert "\033" not in text


@test
def a_terminal_gets_colours_and_lines_that_fit():
    need("script")
    command = shlex.join([TRACER, "--", "sh", "-c", "exec " + " ".join(SPEED) + " >/dev/null 2>&1"])

    def on_terminal(**env):
        done = subprocess.run(["script", "-qec", f"stty cols 80; {command}", "/dev/null"], text=True,
                              capture_output=True, check=False, stdin=subprocess.DEVNULL,
                              env=environment(LC_ALL="C.UTF-8", TERM="xterm", **env), timeout=60)
        return done.stdout
    coloured, plain = on_terminal(), on_terminal(NO_COLOR="1")
    assert "\033[31m" in coloured and "VERDICT" in coloured, coloured
    assert "\033" not in plain, plain
    assert all(len(line) <= 80 for line in plain.splitlines()), plain


# ---- JSON ----

def documented():
    """Members that headrace-trace(1) names under JSON."""
    part = read(f"{SOURCE}/man/headrace-trace.1").split("\n.Sh JSON")[1].split("\n.Sh ")[0]
    words = set()
    for line in part.splitlines():
        if re.match(r"\.(It )?Va ", line):
            words.update(re.findall(r"[a-z_]+", line.split("Va ")[1]))
    return words


def members(value):
    if isinstance(value, dict):
        for key, inner in value.items():
            yield key
            yield from members(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from members(inner)


@test
def json_is_documented_member_by_member():
    text, _ = traced("--json", "--count", "-o", "OUT")
    report = json.loads(text)
    assert report["schema"] == 1 and report["mode"] == "command" and report["exit_status"] == 0
    assert report["rows"] and report["verdicts"][0]["algorithm"] == "MD5", text
    assert abs(report["rows"][0]["share"] - report["rows"][0]["samples"] / report["samples"]) < 1e-3
    missing = set(members(report)) - documented()
    assert not missing, missing


@test
def ndjson_has_an_object_a_line():
    text, _ = traced("--ndjson", "-o", "OUT")
    objects = [json.loads(line) for line in text.splitlines()]
    assert {o["type"] for o in objects} == {"row", "summary"} and objects[-1]["type"] == "summary"
    assert set(members(objects)) <= documented()


# ---- HTML ----

class Page(html.parser.HTMLParser):
    """Tags that open and close in order, and every address."""
    VOID = {"meta", "br", "link", "img", "hr", "input"}

    def __init__(self):
        super().__init__()
        self.open, self.seen, self.addresses, self.text = [], set(), [], ""

    def handle_starttag(self, tag, attrs):
        self.seen.add(tag)
        self.addresses += [v for k, v in attrs if k in ("src", "href", "srcset", "action")]
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open and self.open.pop() == tag, tag

    def handle_data(self, data):
        self.text += data


@test
def the_page_is_whole_and_needs_nothing_else():
    evil = "printf '%s' '<script>alert(1)</script>' >/dev/null; exec " + " ".join(SPEED)
    text, mode = traced("--html", "OUT", command=("sh", "-c", evil))
    page = Page()
    page.feed(text)
    page.close()
    assert not page.open and not page.addresses, (page.open, page.addresses)
    assert {"main", "table", "caption", "th", "dl"} - page.seen <= {"caption"}, page.seen
    assert "script" not in page.seen and "<script>alert(1)</script>" in page.text
    assert "url(" not in text and "@import" not in text
    assert "MD5" in page.text and "{{" not in text
    assert mode & 0o400


# ---- Prometheus ----

SAMPLE = re.compile(r'([a-z_]+)(?:\{((?:[a-z_]+="(?:[^"\\\n]|\\[\\"n])*",?)*)\})? (-?[0-9.e+]+)$')


def metrics(text):
    """The text format 0.0.4: name, labels and value of each line; HELP and TYPE before the first."""
    described, found = {}, []
    for line in text.splitlines():
        if comment := re.match(r"# (HELP|TYPE) ([a-z_]+) (.+)$", line):
            described.setdefault(comment[2], set()).add(comment[1])
            continue
        match = SAMPLE.match(line)
        assert match, line
        assert described.get(match[1]) == {"HELP", "TYPE"}, line
        labels = dict(re.findall(r'([a-z_]+)="((?:[^"\\]|\\.)*)"', match[2] or ""))
        found.append((match[1], labels, float(match[3])))
    assert text.endswith("\n")
    names = [(name, tuple(sorted(labels.items()))) for name, labels, _ in found]
    assert len(names) == len(set(names)), "a series twice"
    return found


@test
def prometheus_reads_the_file():
    text, mode = traced("--prometheus", "OUT")
    assert mode == 0o644, oct(mode)
    found = metrics(text)
    md5 = sum(v for n, labels, v in found if n == "headrace_trace_cpu_share" and
              labels["algorithm"] == "MD5" and labels["how"] == "software")
    assert .5 < md5 <= 1, text
    assert {"headrace_trace_samples", "headrace_trace_cpu_has"} <= {n for n, _, _ in found}


@test
def the_official_parser_agrees():
    try:
        from prometheus_client.parser import text_string_to_metric_families
    except ImportError as error:
        raise Missing("python3-prometheus-client is not installed") from error
    text, _ = traced("--prometheus", "OUT")
    theirs = [s for family in text_string_to_metric_families(text) for s in family.samples]
    assert [(s.name, s.labels, s.value) for s in theirs] == metrics(text)


# ---- examples ----

@test
def the_dashboard_asks_only_for_what_is_written():
    board = json.loads(read(f"{EXAMPLES}/grafana-dashboard.json"))
    ids = [panel["id"] for panel in board["panels"]]
    assert board["title"] and board["schemaVersion"] and len(ids) == len(set(ids))
    asked = " ".join(t["expr"] for panel in board["panels"] for t in panel["targets"])
    text, _ = traced("--prometheus", "OUT")
    written = {name: labels for name, labels, _ in metrics(text)}
    for name, labels in re.findall(r"(headrace_trace_\w+)(?:\{([^}]*)\})?", asked):
        assert name in written, name
        for label in re.findall(r"(\w+)[=!]", labels):
            assert label == "instance" or label in written[name], (name, label)


def unit():
    return dict(line.split("=", 1) for line in read(f"{EXAMPLES}/headrace-trace.service").splitlines()
                if re.match(r"\w+=", line))


@test
def the_services_capabilities_are_enough():
    if os.geteuid() != 0:
        raise Missing("all processes are traced as root")
    need("setpriv")
    service = unit()
    caps = service["CapabilityBoundingSet"].lower().replace("cap_", "+").replace(" ", ",")
    words = shlex.split(service["ExecStart"])
    assert words[0] == "/usr/bin/headrace-trace" and service["NoNewPrivileges"] == "yes"
    with tempfile.TemporaryDirectory() as folder:
        path = f"{folder}/headrace.prom"
        words = [TRACER, *words[1:-1], path]
        words[words.index("-d") + 1] = "2"
        load = subprocess.Popen(["1000" if word == "1" else word for word in SPEED], stdout=subprocess.DEVNULL,
                                stderr=subprocess.DEVNULL)
        done = run("setpriv", f"--bounding-set=-all,{caps}", "--no-new-privs", *words,
                   XDG_CACHE_HOME=f"{folder}/cache")
        load.kill()
        load.wait()
        assert done.returncode == 0, done.stderr
        assert os.stat(path).st_mode & 0o777 == 0o644
        found = metrics(read(path))
    assert any(labels.get("algorithm") == "MD5" for n, labels, _ in found
               if n == "headrace_trace_cpu_share"), found


@test
def the_units_are_what_systemd_knows():
    need("systemd-analyze")
    with tempfile.TemporaryDirectory() as folder:
        for name in ("headrace-trace.service", "headrace-trace.timer"):
            text = read(f"{EXAMPLES}/{name}").replace("/usr/bin/headrace-trace", TRACER)
            with open(f"{folder}/{name}", "w", encoding="ascii") as out:
                out.write(re.sub(r"^Documentation=.*\n", "", text, flags=re.M))
        done = run("systemd-analyze", "verify", f"{folder}/headrace-trace.timer")
        assert done.returncode == 0 and "headrace-trace" not in done.stderr, done.stderr


main()
