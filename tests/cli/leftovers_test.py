# SPDX-License-Identifier: Apache-2.0
"""What is left when SIGKILL ends enable and disable, and files that others replace meanwhile."""
import fcntl
import os
import signal
import stat
import subprocess

from cli import HEADRACE, directory, environment, headrace, main, one_line, read, test, write
from encrypt_folder import get, put
from syscalls import WAYS, calls, opened_path, traced


def replaced_at(folder, number):
    """Encrypts to /dev/null by the name `out`, which becomes a regular file before it is opened for the
    number-th time. Returns the exit code, or None if it was not opened so often."""
    text, out = put(f"{folder}/text", b"text"), f"{folder}/out"
    key, other = put(f"{folder}/key", bytes(32)), put(f"{folder}/other", b"precious")
    os.symlink("/dev/null", out)
    child = traced([HEADRACE, "encrypt", "-k", key, "-o", "out", text], cwd=folder, env=environment(),
                   stderr=subprocess.DEVNULL)
    opened = 0
    for call in calls(child):
        opened += opened_path(child, call) == "out"
        if opened == number and os.path.islink(out):
            os.rename(other, out)
    if opened < number:
        return None
    assert get(out) == b"precious"
    return child.returncode


@test
def a_device_that_becomes_a_file_is_not_written():
    number = 1
    while True:
        with directory() as d:
            code = replaced_at(d, number)
        if code is None:
            break
        assert code == 1, (number, code)
        number += 1
    assert number > 1


# ---- SIGKILL ----

TEXT = "# a configuration\na = 1\n"
NEW = ".headrace-new"
ENABLE = ["enable", "--all", "--config", "openssl.cnf"]
DISABLE = ["disable", "--config", "openssl.cnf"]


def is_new_file(call):
    """Whether openat() makes a file that nobody else has: O_EXCL, or O_TMPFILE."""
    return call.args[2] & (os.O_EXCL | os.O_TMPFILE & ~os.O_DIRECTORY)


def killed_at(folder, words, number, way):
    """Kills a run at the number-th system call since it began to write files. Returns whether it lived so
    long."""
    child = traced([HEADRACE, *words], cwd=folder, env=environment(), way=way, stdout=subprocess.DEVNULL)
    count = 0
    for call in calls(child):
        count += bool(count or opened_path(child, call) and is_new_file(call))
        if count == number:
            child.kill()
    assert child.returncode in (0, -signal.SIGKILL), child.returncode
    return child.returncode != 0


def names(folder):
    return set(os.listdir(folder))


def leaves(folder, words, way, whole):
    """Kills `words` at each of its system calls that write files, and runs enable and disable after it. Returns
    how often a file with a temporary name was there after the kill."""
    left, number, path = 0, 1, f"{folder}/openssl.cnf"
    while True:
        write(path, TEXT)
        os.chmod(path, 0o640)
        if words == DISABLE:
            assert headrace(*ENABLE[:-1], path).returncode == 0
        if not killed_at(folder, words, number, way):
            return left
        assert read(path) in (TEXT, whole)
        left += any(name.endswith(NEW) for name in names(folder))
        assert names(folder) <= {f"openssl.cnf{a}{b}" for a in ("", ".headrace-backup") for b in ("", NEW)}, names(folder)
        # enable may not have come to its end: then disable has nothing to restore, and leaves the backup
        assert headrace("disable", "--config", path).returncode == 0
        assert names(folder) <= {"openssl.cnf", "openssl.cnf.headrace-backup"}, (number, names(folder))
        assert headrace(*ENABLE[:-1], path).returncode == 0 and read(path) == whole
        assert headrace("disable", "--config", path).returncode == 0
        assert read(path) == TEXT and stat.S_IMODE(os.stat(path).st_mode) == 0o640
        assert names(folder) == {"openssl.cnf"}, names(folder)
        number += 1


def enabled_text():
    with directory() as d:
        path = write(f"{d}/openssl.cnf", TEXT)
        assert headrace(*ENABLE[:-1], path).returncode == 0
        return read(path)


@test
def what_SIGKILL_leaves_is_taken_away_by_the_next_run():
    whole = enabled_text()
    for way in WAYS:
        for words, files in (ENABLE, 2), (DISABLE, 1):
            with directory() as d:
                left = leaves(d, words, way, whole)
            # Between linkat() and rename() the file has its temporary name: for one stop, that of rename().
            assert left == files if way is None else left >= files, (way, words, left)


@test
def a_file_of_somebody_else_is_in_the_way():
    for make in (lambda name: os.symlink("other", name)), os.mkdir, os.mkfifo, lambda name: os.symlink("openssl.cnf", name):
        with directory() as d:
            path, new = write(f"{d}/openssl.cnf", TEXT), f"{d}/openssl.cnf{NEW}"
            write(f"{d}/other", "precious")
            make(new)
            kind = os.lstat(new).st_mode
            assert "is in the way" in one_line(headrace(*ENABLE[:-1], path), 1)
            assert os.lstat(new).st_mode == kind and read(path) == TEXT and read(f"{d}/other") == "precious"
            assert names(d) - {"openssl.cnf.headrace-backup"} == {"openssl.cnf", "other", f"openssl.cnf{NEW}"}


@test
def a_file_of_another_user_is_in_the_way():
    if os.geteuid():
        return
    with directory() as d:
        path, new = write(f"{d}/openssl.cnf", TEXT), write(f"{d}/openssl.cnf{NEW}", "precious")
        os.chown(new, 1234, 1234)
        assert "is in the way" in one_line(headrace(*ENABLE[:-1], path), 1)
        assert read(new) == "precious" and read(path) == TEXT
        os.chown(path, 1234, 1234)  # then the file could have been left by a run for that user
        assert headrace(*ENABLE[:-1], path).returncode == 0
        assert names(d) == {"openssl.cnf", "openssl.cnf.headrace-backup"}


@test
def a_lock_of_somebody_else_holds_nobody_up():
    with directory() as d, open(write(f"{d}/openssl.cnf{NEW}", "half")) as new:
        path = write(f"{d}/openssl.cnf", TEXT)
        fcntl.flock(new, fcntl.LOCK_EX)
        assert "is in the way" in one_line(headrace(*ENABLE[:-1], path), 1)
        fcntl.flock(new, fcntl.LOCK_UN)
        assert headrace(*ENABLE[:-1], path).returncode == 0 and not os.path.exists(new.name)


@test
def dry_runs_leave_what_was_left():
    with directory() as d:
        path, new = write(f"{d}/openssl.cnf", TEXT), write(f"{d}/openssl.cnf{NEW}", "half")
        for words in ENABLE[:-1], DISABLE[:-1]:
            assert headrace(*words, path, "--dry-run").returncode == 0 and read(new) == "half"


main()
