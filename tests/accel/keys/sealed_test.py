# SPDX-License-Identifier: Apache-2.0
"""Key files that are sealed under a passphrase: `headrace accel key` and the service, with another implementation of
the format; what is refused, and what the service says then; rotation; credentials."""
import os
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, f"{sys.argv[2]}/tests/accel")

from control import ATTACH, ERRORS, OPEN, RELOAD, Client, Service, service  # noqa: E402
from key_client import FILE, KeyClient, key, openssl, write_key  # noqa: E402
from lent_client import ED25519, MESSAGE, SIGN, SIGNATURE  # noqa: E402
from cli import HEADRACE, PRELOAD, main, test  # noqa: E402
from terminal import on_terminal  # noqa: E402

try:
    from seal_format import SealingKey, seal, unseal
    SKIP = ""
except ImportError:
    SKIP = " # SKIP python3-cryptography or python3-argon2 is missing"

PASSPHRASE = b"correct horse"
PRIVATE = FILE.splitlines(keepends=True)[-1]
TERMS = FILE.removesuffix(PRIVATE)
NOT_THERE = ERRORS["HR_EHANDLE"]


def test_of_format(function):
    function.skip = SKIP
    return test(function)


def write(path, text, owner=-1):
    with open(path, "w", encoding="ascii") as file:
        file.write(text)
    os.chmod(path, 0o600)
    os.chown(path, owner, -1)
    return path


def read(path):
    with open(path, encoding="ascii") as file:
        return file.read()


class Folder:
    """A folder of keys, files with passphrases, and a service that looks for its sealing key there."""
    made = None  # by the first folder with a sealed key: its file, and the file of the sealing key

    def __init__(self, path, sealed):
        self.path, self.keys, self.key_file, self.spare = path, f"{path}/keys", f"{path}/sealing-key", f"{path}/spare"
        self.passphrase, self.other = write(f"{path}/p", "correct horse\n"), write(f"{path}/o", "other\n")
        self.policy = f"[keys]\nsealing-key = {self.key_file}\n[client all]\nadmin = yes\n"
        os.mkdir(self.keys, 0o700)
        if sealed:
            Folder.made = Folder.made or self.make()
            write_key(self, "web", Folder.made[0])
            write(self.spare, Folder.made[1])

    def make(self):
        write_key(self, "web")
        self.fine("seal", "web", by=self.passphrase)
        self.fine("unlock", f"--sealing-key={self.spare}", by=self.passphrase)
        return read(f"{self.keys}/web"), read(self.spare)

    def run(self, *words, by=None, **more):
        """By a passphrase's file or, much faster, by the sealing key."""
        secret = f"--passphrase-file={by}" if by else f"--sealing-key={self.spare}"
        return key(self.keys, *words, secret, **more)

    def fine(self, *words, **more):
        made = self.run(*words, **more)
        assert made.returncode == 0 and not made.stderr, made
        return made.stdout

    def unlock(self):
        """Does what `headrace accel key unlock` does."""
        write(self.key_file, read(self.spare))

    def seal(self, name):
        """Makes the sealed file of a known key."""
        write_key(self, name)
        self.fine("seal", name)


class in_folder:
    """With a sealed key, "web", or an empty folder."""

    def __init__(self, sealed=True):
        self.folder, self.sealed = tempfile.TemporaryDirectory(prefix="headrace-sealed."), sealed

    def __enter__(self):
        return Folder(self.folder.name, self.sealed)

    def __exit__(self, *_):
        self.folder.cleanup()


class running:
    """The service of a folder."""

    def __init__(self, folder, **more):
        self.service = Service(folder.path, policy=folder.policy, **more)

    def __enter__(self):
        return self.service.ready()

    def __exit__(self, *_):
        self.service.process.terminate()
        assert self.service.wait() == 0, self.service.log()
        self.service.log_file.close()


def opens(s, name):
    """The result of opening a key, after a reload."""
    assert Client(s.path).result(RELOAD) == 0, s.log()
    client = KeyClient(s.path)
    result, handle = client.open(name)
    if not result:
        assert client.run(ED25519, SIGN, handle, MESSAGE, len(MESSAGE)) == (0, SIGNATURE)
    return result


# ---- the command ----

@test_of_format
def files_are_what_the_format_says():
    with in_folder() as f:
        for name, words in (("rsa", ("--algorithm=RSA-2048", "--padding=pss", "--uid=0-9", "--log")),
                            ("ed", ("--algorithm=Ed25519",)), ("aes", ("--algorithm=AES-256-GCM", "--use=encrypt"))):
            f.fine("new", name, "--seal", *words, by=f.passphrase if name == "ed" else None)
            text, is_private = read(f"{f.keys}/{name}"), ("n = ", "d = ", "p = ", "private = ", "key = ")
            assert not any(line.startswith(is_private) for line in text.splitlines())
            plain = unseal(name, text, PASSPHRASE)
            f.fine("unseal", name)
            assert read(f"{f.keys}/{name}") == plain and any(line.startswith(is_private) for line in plain.splitlines())
            assert os.stat(f"{f.keys}/{name}").st_mode & 0o777 == 0o600
            f.fine("seal", name)
            sealed = read(f"{f.keys}/{name}")
            assert sealed != text and unseal(name, sealed, PASSPHRASE) == plain
        assert len({line for name in os.listdir(f.keys) for line in read(f"{f.keys}/{name}").splitlines()
                    if line.startswith("seal = ")}) == 1
        listed = f.fine("list").decode("ascii")
        assert [line.split()[:4] for line in listed.splitlines()[1:]] == \
            [["aes", "AES-256-GCM", "encrypt", "yes"], ["ed", "Ed25519", "sign", "yes"],
             ["rsa", "RSA-2048", "sign", "yes"], ["web", "Ed25519", "sign", "yes"]]


@test_of_format
def files_of_another_program_open():
    with in_folder(sealed=False) as f:
        for private in (PRIVATE, "# a comment\n" + PRIVATE):
            write(f"{f.keys}/web", seal("web", TERMS, private, SealingKey(PASSPHRASE)))
            public = f.fine("public", "web", by=f.passphrase)
            f.fine("unlock", f"--sealing-key={f.spare}", by=f.passphrase)
            assert os.stat(f.spare).st_mode & 0o777 == 0o600 and f.fine("public", "web") == public
            f.fine("unseal", "web")
            assert read(f"{f.keys}/web") == TERMS + private and f.fine("public", "web") == public


@test
def a_sealed_key_serves_as_another_does():
    with in_folder() as f:
        pem = openssl("genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256")
        f.fine("import", "ec", "--from=-", "--seal", stdin=pem)
        assert f.fine("public", "ec") == openssl("pkey", "-pubout", stdin=pem)
        assert f.fine("reference", "ec").startswith(b"-----BEGIN HEADRACE KEY REFERENCE")
        openssl("req", "-verify", "-noout", stdin=f.fine("request", "ec", "--dns=example.org"))
        f.fine("new", "ec", "--algorithm=Ed25519", "--seal", "--replace")
        f.fine("remove", "ec")
        assert os.listdir(f.keys) == ["web"]


@test
def a_wrong_passphrase_opens_and_changes_nothing():
    with in_folder() as f:
        f.fine("new", "open", "--algorithm=Ed25519")
        before = read(f"{f.keys}/web"), read(f"{f.keys}/open")
        for words in (("public", "web"), ("unseal", "web"), ("seal", "open"), ("new", "x", "--algorithm=Ed25519", "--seal"),
                      ("passphrase", f"--new-passphrase-file={f.passphrase}"), ("unlock", f"--sealing-key={f.path}/new")):
            made = f.run(*words, by=f.other)
            assert made.returncode == 1 and made.stderr == b"headrace: web: wrong passphrase\n", made
        for words in (("seal", "web"), ("unseal", "open"), ("seal", "none"), ("unseal", "none")):
            assert f.run(*words).returncode == 1
        assert (read(f"{f.keys}/web"), read(f"{f.keys}/open")) == before and sorted(os.listdir(f.keys)) == ["open", "web"]
        assert not os.path.exists(f"{f.path}/new")
        write(f"{f.path}/empty", "\n")
        assert f.run("public", "web", by=f"{f.path}/empty").stderr == b"headrace: the passphrase is empty\n"
        f.fine("remove", "web")
        assert f.run("unlock", by=f.passphrase).stderr.endswith(b"no key is sealed\n")


@test
def keys_that_do_not_open_are_named():
    with in_folder() as f:
        for name in ("a", "b", "c"):
            f.seal(name)
        write_key(f, "a", read(f"{f.keys}/a").replace("uid = 0-70000", "uid = 0-70001"))
        os.rename(f"{f.keys}/c", f"{f.keys}/d")
        made = f.run("unlock", f"--sealing-key={f.key_file}", by=f.passphrase)
        why = "its name, its terms or its seal were changed after it was sealed"
        assert made.returncode == 1 and made.stderr.decode("ascii") == f"headrace: a: {why}\nheadrace: d: {why}\n", made
        assert read(f.key_file) == read(f.spare)  # for the others
        # A change of the passphrase would leave them with the old one, and unlock takes one only.
        before = [read(f"{f.keys}/{name}") for name in os.listdir(f.keys)]
        made = f.run("passphrase", f"--new-passphrase-file={f.other}")
        assert made.returncode == 1 and made.stderr.decode("ascii") == f"headrace: a: {why}\nheadrace: d: {why}\n", made
        assert before == [read(f"{f.keys}/{name}") for name in os.listdir(f.keys)]


@test
def no_key_is_written_to_what_is_no_file():
    """The folder's owner gets the file, and could have put a link to a disk there."""
    with in_folder() as f:
        os.mkfifo(f"{f.path}/other")
        reader = os.open(f"{f.path}/other", os.O_RDONLY | os.O_NONBLOCK)
        for at, words in ((f.key_file, ("unlock", f"--sealing-key={f.key_file}")),
                          (f"{f.keys}/new", ("new", "new", "--algorithm=Ed25519", "--replace"))):
            os.symlink(f"{f.path}/other", at)
            made = key(f.keys, *words, f"--passphrase-file={f.passphrase}")
            assert made.returncode == 1 and made.stderr == f"headrace: {at}: not a regular file\n".encode("ascii"), made
        assert os.read(reader, 99) == b""
        os.close(reader)
        os.unlink(f"{f.keys}/new")
        made = key(f.keys, "unlock", "--sealing-key=-", f"--passphrase-file={f.passphrase}")
        assert made.returncode == 1 and b"not a regular file" in made.stderr and not made.stdout, made


@test
def keys_that_are_sealed_at_once_have_one_seal():
    with in_folder(sealed=False) as f:
        for name in "abc":
            write_key(f, name)
        runs = [subprocess.Popen([HEADRACE, "accel", "key", "seal", name, f"--keys={f.keys}",
                                  f"--passphrase-file={f.passphrase}"]) for name in "abc"]
        assert [run.wait() for run in runs] == [0, 0, 0]
        assert len({read(f"{f.keys}/{name}").split("seal = ")[1].splitlines()[0] for name in "abc"}) == 1


@test
def the_passphrase_of_all_keys_is_changed():
    with in_folder() as f:
        f.seal("b")
        f.fine("new", "c", "--algorithm=Ed25519")
        names = ("web", "b", "c")
        public = [f.fine("public", name) for name in names]
        f.fine("passphrase", f"--new-passphrase-file={f.other}")
        made = f.run("public", "web")
        assert made.returncode == 1 and b"is sealed under another key than" in made.stderr, made
        f.fine("unlock", f"--sealing-key={f.spare}", by=f.other)
        assert public == [f.fine("public", name) for name in names]
        # two seals in one folder
        write_key(f, "web", Folder.made[0])
        made = f.run("unlock", f"--sealing-key={f.key_file}", by=f.other)
        assert made.returncode == 1 and b"the keys b and web are sealed under different keys" in made.stderr, made


@test
def a_passphrase_is_asked_for():
    if PRELOAD:
        return
    with in_folder(sealed=False) as f:
        words = ["accel", "key", "--keys", f.keys]
        new = [*words, "new", "web", "--algorithm=Ed25519", "--seal"]
        shown, code = on_terminal(new, [b"a b\n", b"a c\n"])
        assert code == 1 and "the passphrases differ" in shown and not os.listdir(f.keys), shown
        shown, code = on_terminal(new, [b"a b\n", b"a b\n"])
        assert code == 0 and shown.startswith("Passphrase: \r\nOnce more: \r\n") and "a b" not in shown, shown
        shown, code = on_terminal([*words, "public", "web"], [b"a b\n"])
        assert code == 0 and "BEGIN PUBLIC KEY" in shown, shown
        shown, code = on_terminal([*words, "public", "web"], [b"a c\n"])
        assert code == 1 and "wrong passphrase" in shown, shown
        made = key(f.keys, "public", "web", start_new_session=True)
        assert made.returncode == 1 and b"no terminal to ask for a passphrase" in made.stderr, made


@test
def a_seal_that_asks_for_too_much_is_refused():
    """Argon2id does not begin: it would take gibibytes, or hours."""
    with in_folder() as f:
        text = read(f"{f.keys}/web")
        for costs in ("4 999999999 4", "4 262145 4", "4 49152 17", "17 49152 4", "0 49152 4", "4 49152 0", "4 31 4",
                      "4 0 4", "4 49152 999999999", "-1 49152 4"):
            write(f"{f.keys}/web", text.replace("seal = 4 49152 4 ", f"seal = {costs} "))
            for words in (("public", "web"), ("unlock", f"--sealing-key={f.key_file}")):
                made = f.run(*words, by=f.passphrase)
                assert made.returncode == 1 and b"malicious or damaged" in made.stderr, made


# ---- the service ----

@test
def sealed_keys_wait_for_the_sealing_key():
    with in_folder() as f:
        write_key(f, "open")
        with running(f) as s:
            assert "key web is not offered: it is sealed" in s.log() and f.key_file in s.log(), s.log()
            assert opens(s, "web") == NOT_THERE and opens(s, "open") == 0
            f.unlock()
            assert opens(s, "web") == 0
            os.unlink(f.key_file)  # the service has it
            assert opens(s, "web") == 0 and opens(s, "open") == 0
        f.unlock()
        with running(f) as s:
            assert opens(s, "web") == 0


@test
def keys_in_use_stay_while_their_new_seal_waits():
    with in_folder() as f:
        f.seal("b")
        f.unlock()
        with running(f) as s:
            f.fine("passphrase", f"--new-passphrase-file={f.other}")
            assert opens(s, "web") == 0 and "key web stays as it was: its file is sealed under another" in s.log(), s.log()
            os.unlink(f"{f.keys}/b")
            assert opens(s, "b") == NOT_THERE  # what was removed does not stay
            f.fine("unlock", f"--sealing-key={f.key_file}", by=f.other)
            assert opens(s, "web") == 0
        f.fine("passphrase", f"--new-passphrase-file={f.passphrase}", by=f.other)
        with running(f) as s:
            assert opens(s, "web") == NOT_THERE and "key web is not offered: it is sealed under another" in s.log(), s.log()


@test
def what_was_changed_is_not_offered_and_the_others_are():
    with in_folder() as f:
        f.seal("mail")
        f.unlock()
        text = read(f"{f.keys}/web")
        at = text.index("sealed = ") + 9
        changes = [("uid = 0-70000", "uid = 0-70001", "its name, its terms or its seal were changed"),
                   ("use = sign", "use = sign\nlog = no", "its name, its terms or its seal were changed"),
                   ("use = sign\n", "use = sign\n# \n", "its name, its terms or its seal were changed"),
                   (text[at:at + 8], text[at:at + 8][::-1], "its name, its terms or its seal were changed"),
                   (text[-9:], "00000000\n", "its private part was changed"),
                   (text[-9:], text[-9:].upper(), "its sealed lines are damaged"),
                   (text[-9:], "", "its sealed lines are damaged"),
                   ("seal = 4 49152 4", "seal = 4 49152 5", "it is sealed under another sealing key"),
                   ("seal = ", "seal =", "its seal is damaged"), ("\nsealed", "\nxealed", "its seal is damaged")]
        with running(f) as s:
            for old, new, why in changes:
                changed = text.replace(old, new)
                if changed == text:  # digits that are the same in capitals or backwards
                    continue
                write_key(f, "web", changed)
                before = len(s.log())
                assert opens(s, "web") == NOT_THERE and opens(s, "mail") == 0, (old, new)
                assert f"key web is not offered: {why}" in s.log()[before:], (old, new, s.log()[before:])
            shutil.copy2(f"{f.keys}/mail", f"{f.keys}/web")
            assert opens(s, "web") == NOT_THERE  # under another name
            write_key(f, "web", text)
            assert opens(s, "web") == 0


@test
def a_sealing_key_must_be_right_and_the_service_s():
    with in_folder() as f:
        f.unlock()
        right = read(f.key_file)
        wrong = ((right, 0o644, "others may read it"), (right, 0o640, "others may read it"),
                 (right, 0o622, "others may write to it"), ("", 0o600, "the lines seal and key"),
                 (right[:-3], 0o600, "must have 64 digits"), (right + "x = 1\n", 0o600, "the lines seal and key"),
                 (right + right, 0o600, "set twice"), (right + 600 * "\n", 0o600, "too long"),
                 (right.replace(right.splitlines()[1], "key = " + 64 * "0"), 0o600, "not that of its seal"))
        write(f.key_file, "")
        with running(f) as s:
            def reads(text, mode):
                write(f.key_file, text)
                os.chmod(f.key_file, mode)
                before = len(s.log())
                return opens(s, "web"), s.log()[before:]
            for text, mode, why in wrong:
                result, log = reads(text, mode)
                assert result == NOT_THERE and f"{f.key_file}: " in log and why in log, (why, log)
            assert reads(right, 0o600)[0] == 0
            for text, mode, why in wrong:
                result, log = reads(text, mode)
                assert result == 0 and why in log, (why, log)  # by the one that it has


@test
def a_sealed_key_is_rotated_without_a_restart():
    with in_folder() as f:
        f.seal("mail")
        f.unlock()
        with running(f) as s:
            client = KeyClient(s.path)
            handles = {name: client.open(name)[1] for name in ("web", "mail")}

            def use(handle):
                return client.run(ED25519, SIGN, handle, MESSAGE, len(MESSAGE))
            f.fine("new", "web", "--algorithm=Ed25519", "--uid=0-70000", "--seal", "--replace")
            assert use(handles["web"]) == (0, SIGNATURE)  # until the reload
            assert Client(s.path).result(RELOAD) == 0
            assert use(handles["web"])[0] == NOT_THERE and use(handles["mail"]) == (0, SIGNATURE)
            result, handle = client.open("web")
            result, signature = use(handle)
            assert result == 0 and signature != SIGNATURE
            # the passphrase too
            f.fine("passphrase", f"--new-passphrase-file={f.other}")
            f.fine("unlock", f"--sealing-key={f.key_file}", by=f.other)
            assert Client(s.path).result(RELOAD) == 0
            assert use(handle) == (0, signature) and use(handles["mail"]) == (0, SIGNATURE)


@test
def symmetric_keys_are_sealed_too():
    with in_folder() as f:
        f.fine("new", "aes", "--algorithm=AES-256-GCM", "--uid=0-70000", "--seal")
        f.unlock()
        with running(f) as s:
            client = Client(s.path)
            assert client.result(ATTACH) == 0 and client.result(OPEN, name=b"aes") == 0


@test
def credentials_of_systemd_have_the_sealing_key():
    with in_folder() as f:
        os.mkdir(f"{f.path}/credentials", 0o700)
        f.seal("moved")
        f.unlock()
        shutil.move(f.key_file, f"{f.path}/credentials/sealing-key")
        shutil.move(f"{f.keys}/moved", f"{f.path}/credentials/key.moved")
        for name in os.listdir(f"{f.path}/credentials"):
            os.chmod(f"{f.path}/credentials/{name}", 0o440)
        with running(f, env={"CREDENTIALS_DIRECTORY": f"{f.path}/credentials"}) as s:
            assert opens(s, "web") == 0 and opens(s, "moved") == 0, s.log()
            assert "sealing-key" not in s.log(), s.log()


@test
def many_sealed_keys_take_one_passphrase():
    with in_folder() as f:
        f.unlock()
        for i in range(99):
            f.seal(f"k{i}")
        with running(f) as s:
            assert all(opens(s, f"k{i}") == 0 for i in (0, 50, 98))
            assert "named keys: 100" in s.accel("status").stdout


@test
def the_policy_names_the_file():
    for text, words in (("[keys x]\n", "line 1: a section must be [client NAME], [unit public-key] or [keys]"),
                        ("[keys]\n[client a]\n[keys]\n", "line 3: there is a [keys] already"),
                        ("[keys]\nsealing-key = a/b\n", "line 2: not a path from / on"),
                        (f"[keys]\nsealing-key = /{511 * 'a'}\n", "line 2: not a path from / on"),
                        ("[keys]\nsealing-key = /a\nsealing-key = /b\n", "line 3: sealing-key is set twice"),
                        ("[keys]\nweight = 1\n", "line 2: unknown word: weight")):
        with tempfile.TemporaryDirectory() as folder:
            s = Service(folder, policy=text)
            assert s.wait() == 1 and words in s.log(), s.log()
            s.log_file.close()
    with service(policy="[keys]\n[client all]\n") as s:
        assert Client(s.path).result(ATTACH) == 0


main()
