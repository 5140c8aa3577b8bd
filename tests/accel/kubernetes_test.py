# SPDX-License-Identifier: Apache-2.0
"""The example for Kubernetes: YAML that is decoded strictly, whose policy and arguments headraced takes, and whose
containers podman runs where it can."""
import os
import subprocess
import time

from control import ATTACH, ERRORS, HEADRACED, ROOT, SOURCE, Client, as_user, service
from cli import main, test

EXAMPLE = f"{SOURCE}/examples/kubernetes/headraced.yaml"
# The fields that the example may use, as the API's reference has them. [x]: a list.
META = {"name": str, "namespace": str}
CONTAINER = {"name": str, "image": str, "args": [str],
             "securityContext": {"runAsUser": int, "runAsGroup": int, "runAsNonRoot": bool,
                                 "allowPrivilegeEscalation": bool, "readOnlyRootFilesystem": bool,
                                 "capabilities": {"drop": [str], "add": [str]}, "seccompProfile": {"type": str}},
             "resources": {"requests": {"cpu": str, "memory": str}, "limits": {"cpu": str, "memory": str}},
             "volumeMounts": [{"name": str, "mountPath": str, "readOnly": bool}]}
POD = {"automountServiceAccountToken": bool, "terminationGracePeriodSeconds": int, "hostPID": bool,
       "containers": [CONTAINER],
       "volumes": [{"name": str, "hostPath": {"path": str, "type": str}, "configMap": {"name": str, "defaultMode": int},
                    "secret": {"secretName": str, "defaultMode": int, "optional": bool}}]}
KINDS = {
    "Namespace": {"metadata": META},
    "ConfigMap": {"metadata": META, "data": {"accel.conf": str}},
    "DaemonSet": {"metadata": META, "spec": {
        "selector": {"matchLabels": {"app": str}},
        "updateStrategy": {"type": str, "rollingUpdate": {"maxUnavailable": int}},
        "template": {"metadata": {"labels": {"app": str}}, "spec": POD}}},
    "Pod": {"metadata": META, "spec": POD},
}


def fits(value, schema, where):
    """Refuses fields and types that the schema does not have."""
    if isinstance(schema, dict):
        assert isinstance(value, dict), where
        for key, inner in value.items():
            assert key in schema, f"{where}.{key}: no such field"
            fits(inner, schema[key], f"{where}.{key}")
    elif isinstance(schema, list):
        assert isinstance(value, list) and value, where
        for i, inner in enumerate(value):
            fits(inner, schema[0], f"{where}[{i}]")
    else:
        assert type(value) is schema, f"{where}: {value!r} is no {schema.__name__}"


def decode(text):
    """Decodes documents; the same key twice is an error, as it is to Kubernetes' strict decoder."""
    import yaml

    class Strict(yaml.SafeLoader):
        def construct_mapping(self, node, deep=False):
            keys = [self.construct_object(key, deep=True) for key, _ in node.value]
            assert len(set(keys)) == len(keys), f"line {node.start_mark.line}: {keys}"
            return super().construct_mapping(node, deep)

    objects = list(yaml.load_all(text, Strict))
    for each in objects:
        api, kind = each.pop("apiVersion"), each.pop("kind")
        assert api == ("apps/v1" if kind == "DaemonSet" else "v1"), (api, kind)
        fits(each, KINDS[kind], kind)
        each["kind"] = kind
    return {each["kind"]: each for each in objects}


def example():
    with open(EXAMPLE, encoding="ascii") as file:
        return decode(file.read())


def parts():
    """Returns the policy, and the specifications of the service's pod and the client's."""
    objects = example()
    return (objects["ConfigMap"]["data"]["accel.conf"], objects["DaemonSet"]["spec"]["template"]["spec"],
            objects["Pod"]["spec"])


def path_of(spec, name):
    """Where a volume lies on the node, and in the container."""
    volume = next(v for v in spec["volumes"] if v["name"] == name)
    mount = next(m for m in spec["containers"][0]["volumeMounts"] if m["name"] == name)
    return volume["hostPath"]["path"], mount["mountPath"]


def needs_yaml(function):
    try:
        import yaml  # noqa: F401  only whether it is there
        function.skip = ""
    except ImportError:
        function.skip = " # SKIP python3-yaml is not installed"
    return test(function)


@needs_yaml
def the_decoder_refuses_what_is_wrong():
    with open(EXAMPLE, encoding="ascii") as file:
        text = file.read()
    for right, wrong in (("hostPath:", "hostpath:"), ("  name: web\n", "  name: web\n  name: web\n"),
                         ("defaultMode: 0400", "defaultMode: '0400'"), ("readOnlyRootFilesystem: true", "readOnlyRoot: true")):
        assert right in text
        try:
            decode(text.replace(right, wrong, 1))
        except AssertionError:
            continue
        raise AssertionError(wrong)


@needs_yaml
def service_and_client_mean_the_same_socket():
    _, daemon, pod = parts()
    assert path_of(daemon, "socket") == path_of(pod, "socket") == ("/run/headrace", "/run/headrace")
    args = daemon["containers"][0]["args"]
    known = subprocess.run([HEADRACED, "--help"], capture_output=True, text=True, timeout=60, check=True).stdout
    assert all(arg.split("=")[0] in known for arg in args), args
    assert "--socket=/run/headrace/accel.sock" in args, args


def policy_serves_the_pod():
    policy, _, pod = parts()
    with service(policy=policy) as s:
        uid = pod["containers"][0]["securityContext"]["runAsUser"]
        assert as_user(uid, lambda: Client(s.path).result(ATTACH)) == 0
        assert as_user(uid + 1, lambda: Client(s.path).result(ATTACH)) == ERRORS["HR_EACCESS"]


def podman(*words, **more):
    return subprocess.run(["podman", *words], capture_output=True, text=True, timeout=120, check=False, **more)


def options_of(container):
    """A container's security context as podman's options."""
    context = container["securityContext"]
    drop, add = (context.get("capabilities", {}).get(word, []) for word in ("drop", "add"))
    return ["--network=none", "--security-opt=no-new-privileges", f"--user={context['runAsUser']}",
            *(f"--cap-drop={name.lower()}" for name in drop), *(f"--cap-add={name}" for name in add),
            *(["--read-only"] if context.get("readOnlyRootFilesystem") else [])]


def the_containers_run():
    """In the image is this system, and what was built."""
    policy, daemon, pod = parts()
    with service(policy=policy, ready=False) as s:  # for its folder
        service_, client = daemon["containers"][0], pod["containers"][0]
        run = f"{s.folder}/run"
        os.mkdir(run, 0o755)
        shared = ["run", "--rm", f"--volume={run}:/run/headrace", f"--volume={s.folder}:/etc/headrace:ro",
                  f"--volume={s.keys}:/etc/headrace-keys:ro", f"--env=LD_LIBRARY_PATH={os.environ['LD_LIBRARY_PATH']}"]
        name = f"headraced-test-{os.getpid()}"
        with subprocess.Popen(["podman", *shared, f"--name={name}", *options_of(service_), "--rootfs", "/:O",
                               HEADRACED, *service_["args"]], stderr=subprocess.PIPE, text=True) as process:
            try:
                while not os.path.exists(f"{run}/accel.sock"):
                    assert process.poll() is None, process.stderr.read()
                    time.sleep(.1)
                attach = f"import sys; sys.argv[1:] = {[*map(str, ('x', SOURCE, 'x', 'x'))]!r}; " \
                    f"sys.path.insert(0, {SOURCE + '/tests/accel'!r}); from control import ATTACH, Client; " \
                    "sys.exit(Client('/run/headrace/accel.sock').result(ATTACH) != 0)"
                done = podman(*shared, *options_of(client), "--rootfs", "/:O", "/usr/bin/python3", "-c", attach)
                assert done.returncode == 0, done.stderr
            finally:
                podman("stop", "--time=5", name)


def needs_root_and_yaml(function):
    needs_yaml(function)
    if not ROOT and not function.skip:
        function.skip = " # SKIP other users' processes need root"


def needs_podman(function):
    needs_root_and_yaml(function)
    if not function.skip:
        try:
            done = podman("run", "--rm", "--network=none", "--rootfs", "/:O", "/bin/true")
            if done.returncode:
                function.skip = " # SKIP podman runs no container here"
        except FileNotFoundError:
            function.skip = " # SKIP podman is not installed"


needs_root_and_yaml(policy_serves_the_pod)
needs_podman(the_containers_run)
main()
