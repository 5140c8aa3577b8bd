# SPDX-License-Identifier: Apache-2.0
"""The headrace program on a terminal of its own."""
import os
import pty
import select
import termios

from cli import HEADRACE, environment


def on_terminal(words, answers=(), cwd=None, **env):
    """Runs the program on a terminal, with these changes of its environment; returns all that it showed and the exit code. Each answer is typed when the
    echo is off, one for each question, however long the program takes to read it."""
    pid, fd = pty.fork()
    if pid == 0:
        os.chdir(cwd or "/")
        os.execve(HEADRACE, [HEADRACE, *words], environment(**env))
    shown, answers, answered = b"", list(answers), 0
    while True:
        ready = select.select([fd], [], [], 0.05)[0]
        if ready:
            try:
                piece = os.read(fd, 4096)
            except OSError:  # the other side is closed
                break
            shown += piece
        elif answers and shown.endswith((b": ", b":")) and len(shown) > answered and not termios.tcgetattr(fd)[3] & termios.ECHO:
            answered = len(shown)
            os.write(fd, answers.pop(0))
    status = os.waitpid(pid, 0)[1]
    os.close(fd)
    return shown.decode(), os.waitstatus_to_exitcode(status)
