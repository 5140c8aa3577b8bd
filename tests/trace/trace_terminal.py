# SPDX-License-Identifier: Apache-2.0
"""A program on a terminal of its own."""
import os
import pty
import select
import time

from truth import environment


PATIENCE = 120  # seconds, of a machine that has other things to do


def on_a_terminal(words, enough, **env):
    """Runs a program on a terminal and interrupts it when enough(output) is true; returns its
    exit code and all that it showed."""
    pid, fd = pty.fork()
    if pid == 0:
        os.execve(words[0], words, environment(TERM="xterm", **env))
    shown, end = b"", time.monotonic() + PATIENCE
    interrupted = False
    while True:
        ready, _, _ = select.select([fd], [], [], .2)
        if ready:
            try:
                part = os.read(fd, 65536)
            except OSError:
                break
            if not part:
                break
            shown += part
        if not interrupted and enough(shown.decode(errors="replace")):
            interrupted = True
            os.write(fd, b"\003")
        assert time.monotonic() < end, shown
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), shown.decode(errors="replace")
