# SPDX-License-Identifier: Apache-2.0
"""An sshd of a test, on a port of its own, and a client that trusts nothing else."""
import contextlib
import os
import pwd
import shutil
import socket
import subprocess
import time

SSHD = """ListenAddress 127.0.0.1:{port}
HostKey {host_key}
AuthorizedKeysFile {folder}/authorized
PidFile none
StrictModes no
UsePAM no
PermitRootLogin yes
PasswordAuthentication no
{more}"""


def path_of(program):
    return shutil.which(program, path=os.environ["PATH"] + ":/usr/sbin")


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


@contextlib.contextmanager
def ssh_server(folder, host_key, more=""):
    """Runs sshd with this file of a host key and more lines of configuration; yields its port."""
    port = free_port()
    if os.geteuid() == 0:
        os.makedirs("/run/sshd", mode=0o755, exist_ok=True)  # where sshd locks its unprivileged part in
    with open(f"{folder}/sshd", "w", encoding="ascii") as file:
        file.write(SSHD.format(port=port, folder=folder, host_key=host_key, more=more))
    with open(f"{folder}/log", "wb") as log, subprocess.Popen(
            [path_of("sshd"), "-D", "-e", "-f", f"{folder}/sshd"], stderr=log) as process:
        try:
            while process.poll() is None:
                with contextlib.suppress(ConnectionRefusedError):
                    socket.create_connection(("127.0.0.1", port)).close()
                    break
                time.sleep(0.01)
            assert process.poll() is None, open(f"{folder}/log", encoding="ascii").read()
            yield port
        finally:
            process.terminate()


def ssh_client(port, checks_host, known_hosts):
    """The first words of an ssh command."""
    return ("ssh", "-F", "none", "-p", str(port), "-l", pwd.getpwuid(os.geteuid()).pw_name, "-o", "BatchMode=yes", "-o",
            f"StrictHostKeyChecking={checks_host}", "-o", f"UserKnownHostsFile={known_hosts}", "-o", "GlobalKnownHostsFile=none",
            "-o", "IdentityAgent=none", "-o", "PreferredAuthentications=publickey")
