# SPDX-License-Identifier: Apache-2.0
"""--require as a CI step: exit status 3, and the example workflow's own command in a container."""
import os
import re
import subprocess
import tempfile

from truth import (SOURCE, TRACER, Missing, environment, main, need, need_cpu, read, run, test)

NO_AES = "~0x200000200000000"
SPEED = "openssl speed -seconds 1 -bytes 16384 -evp aes-128-cbc"
WORKFLOW = f"{SOURCE}/examples/trace/ci-workflow.yml"


def required(condition, command=SPEED, **env):
    return run(TRACER, "--require", condition, "-o", "/dev/null", "--", "sh", "-c", command, **env)


def fails(done, sentence):
    assert done.returncode == 3, (done.returncode, done.stderr)
    last = done.stderr.splitlines()[-1]
    assert last.startswith("headrace: required: ") and sentence in last, done.stderr


@test
def hardware_holds():
    need("openssl")
    need_cpu("aes")
    done = required("hw:aes,no-sw:aes,any-hw")
    assert done.returncode == 0, done.stderr


@test
def software_fails():
    need("openssl")
    need_cpu("aes")
    fails(required("hw:aes", OPENSSL_ia32cap=NO_AES), "AES: SOFTWARE")
    fails(required("no-sw:aes", OPENSSL_ia32cap=NO_AES), "AES: SOFTWARE")


@test
def what_was_not_observed_proves_nothing():
    fails(required("hw:aes", "true"), "AES was not observed")
    fails(required("no-sw:aes", "true"), "so nothing is proven")
    fails(required("any-hw", "true"), "so nothing is proven")


@test
def the_commands_status_is_kept_unless_a_condition_fails():
    assert required("hw:aes", "exit 7").returncode == 3
    done = run(TRACER, "-o", "/dev/null", "--", "sh", "-c", "exit 7")
    assert done.returncode == 7, done.returncode
    assert run(TRACER, "-o", "/dev/null", "--", "sh", "-c", "exit 3").returncode == 3


@test
def bad_conditions_are_usage_errors_and_nothing_runs():
    with tempfile.TemporaryDirectory() as folder:
        for condition in ("hw:md5", "hw:rot13", "aes", "", "hw:aes,,", "sw:aes"):
            done = required(condition, f"touch {folder}/ran")
            assert done.returncode == 2 and done.stderr.count("\n") == 1, (condition, done.stderr)
            assert not os.listdir(folder), condition


# ---- the example workflow ----

def steps():
    """Returns the shell commands of each step of the workflow by its name. The file keeps to a
    subset of YAML."""
    found = {}
    name = None
    lines = read(WORKFLOW).splitlines()
    for number, line in enumerate(lines):
        if match := re.match(r"      - name: (.*)", line):
            name = match[1]
        elif match := re.match(r"        run: \|$", line):
            body = []
            for more in lines[number + 1:]:
                if more.strip() and not more.startswith(" " * 10):
                    break
                body.append(more[10:])
            found[name] = "\n".join(body)
        elif match := re.match(r"        run: (.+)", line):
            found[name] = match[1]
    return found


def variables():
    return dict(re.findall(r"^  (IMAGE|COMMAND): (.*)$", read(WORKFLOW), re.M))


@test
def the_workflow_is_yaml_of_the_shape_that_actions_take():
    try:
        import yaml
    except ImportError as error:
        raise Missing("python3-yaml is not installed") from error
    document = yaml.safe_load(read(WORKFLOW))
    job, = document["jobs"].values()
    assert job["runs-on"] and variables() == document["env"]
    in_yaml = {step["name"]: step["run"].strip() for step in job["steps"] if "run" in step}
    assert in_yaml == {name: body.strip() for name, body in steps().items()}, in_yaml


@test
def the_workflows_shell_is_clean():
    for name, body in steps().items():
        done = subprocess.run([need("shellcheck"), "-s", "bash", "-"], input=body, text=True,
                              capture_output=True, check=False)
        assert done.returncode == 0, (name, done.stdout)


# A stand-in for docker, as far as the workflow's last step needs it: `docker run [--rm] [--cap-add CAP]...
# IMAGE COMMAND...` runs COMMAND as a chroot in namespaces of its own, with these capabilities only, over the
# files of this machine.
DOCKER = """#!/bin/sh
set -eu
[ "$1" = run ] && shift
caps=chown,dac_override,fowner,fsetid,kill,setgid,setuid,setpcap,sys_chroot
while :; do
    case $1 in
    --rm) shift ;;
    --cap-add) caps=$caps,$(echo "$2" | tr A-Z a-z); shift 2 ;;
    *) break ;;
    esac
done
shift # the image
exec unshare --mount --pid --fork --propagation private sh -c '
    root=$1 caps=$2; shift 2
    mount --rbind / "$root"
    mount -t proc proc "$root/proc"
    exec setpriv --bounding-set "-all,+$(echo "$caps" | sed s/,/,+/g)" chroot "$root" "$@"
' sh "$CONTAINER" "$caps" "$@"
"""


def in_container(command):
    """Runs the workflow's last step unchanged, with a stand-in for docker."""
    name, body = list(steps().items())[-1]
    assert name == "AES runs in hardware"
    if os.geteuid() != 0:
        raise Missing("a container needs root")
    need("setpriv")
    if subprocess.run(["unshare", "--mount", "--pid", "--fork", "true"], check=False,
                      capture_output=True).returncode:
        raise Missing("no namespace may be made here")
    with tempfile.TemporaryDirectory() as folder:
        os.mkdir(f"{folder}/bin")
        os.mkdir(f"{folder}/root")
        with open(f"{folder}/bin/docker", "w", encoding="ascii") as docker:
            docker.write(DOCKER)
        os.chmod(f"{folder}/bin/docker", 0o755)
        path = f"{folder}/bin:{os.path.dirname(TRACER)}:{os.environ['PATH']}"
        return subprocess.run(["sh", "-e", "-c", body], text=True, capture_output=True, check=False,
                              timeout=120, env=environment(PATH=path, COMMAND=command,
                                                           CONTAINER=f"{folder}/root"))


@test
def the_workflow_passes_where_aes_runs_in_hardware():
    need("openssl")
    need_cpu("aes", "pclmulqdq")
    done = in_container(variables()["COMMAND"].replace("-seconds 2", "-seconds 1"))
    assert done.returncode == 0, (done.stdout, done.stderr)
    assert "VERDICT  AES: HARDWARE" in done.stdout, (done.stdout, done.stderr)


@test
def the_workflow_fails_where_the_containers_program_runs_aes_in_software():
    need("openssl")
    need_cpu("aes")
    done = in_container(f"OPENSSL_ia32cap='{NO_AES}' {SPEED}")
    assert done.returncode == 3, (done.returncode, done.stdout, done.stderr)
    assert "AES: SOFTWARE" in done.stdout and "required: AES in hardware" in done.stderr, done.stderr


main()
