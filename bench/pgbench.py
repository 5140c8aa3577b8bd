#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""bench/pgbench.py BUILD [PAIRS [CONNECTIONS]]: CPU time of the client of `pgbench -C`, which connects anew for
each transaction and proves its password by SCRAM-SHA-256, without and with `headrace run --direct`, in turns.

A PostgreSQL server of its own, without TLS, is started for it in a temporary folder, as the user postgres if this
is root.  `headrace run` itself, and the processes that it starts before the client, are included."""
import glob
import os
import pwd
import shutil
import statistics
import subprocess
import sys
import tempfile

PASSWORD = "a password of usual length"


def find(name):
    found = shutil.which(name) or next(iter(sorted(glob.glob(f"/usr/lib/postgresql/*/bin/{name}"), reverse=True)), None)
    return found or sys.exit(f"no {name}: install PostgreSQL")


def start(folder):
    account = {"user": "postgres"} if os.geteuid() == 0 else {}
    if account:
        os.chown(folder, pwd.getpwnam("postgres").pw_uid, -1)
    data, secret = os.path.join(folder, "data"), os.path.join(folder, "password")
    with open(secret, "w", encoding="ascii") as file:
        file.write(PASSWORD)
    os.chmod(secret, 0o644)
    quiet = {**account, "check": True, "stdout": subprocess.DEVNULL, "cwd": folder}
    subprocess.run([find("initdb"), "-D", data, "-U", "bench", "-A", "scram-sha-256", "--pwfile", secret], **quiet)
    subprocess.run([find("pg_ctl"), "-D", data, "-w", "-l", os.path.join(data, "log"), "-o",
                    f"-k {folder} -c listen_addresses= -c fsync=off", "start"], **quiet)
    return lambda: subprocess.run([find("pg_ctl"), "-D", data, "-m", "immediate", "stop"], **quiet)


def cpu(command, folder):
    env = {**os.environ, "PGPASSWORD": PASSWORD, "PGHOST": folder, "PGUSER": "bench", "PGDATABASE": "postgres"}
    with open(os.path.join(folder, "output"), "w+", encoding="ascii") as out:
        pid = subprocess.Popen(command, env=env, stdout=out, stderr=out).pid
        _, status, used = os.wait4(pid, 0)
        out.seek(0)
        if status:
            sys.exit(out.read())
    return used.ru_utime, used.ru_utime + used.ru_stime


def main():
    if len(sys.argv) not in (2, 3, 4):
        sys.exit(__doc__)
    build = os.path.abspath(sys.argv[1])
    num_pairs, connections = (int(a) for a in (sys.argv[2:] + ["7", "300"][len(sys.argv) - 2:]))
    folder = tempfile.mkdtemp(prefix="headrace-pgbench.")
    script = os.path.join(folder, "select.sql")
    with open(script, "w", encoding="ascii") as file:
        file.write("SELECT 1;\n")
    client = [find("pgbench"), "-n", "-C", "-t", str(connections), "-f", script]
    stop = start(folder)
    try:
        pairs = [(cpu(client, folder), cpu([f"{build}/tools/headrace", "run", "--direct", "--", *client], folder))
                 for _ in range(num_pairs)]
    finally:
        stop()
        shutil.rmtree(folder)
    print(f"{connections} connections, {num_pairs} pairs; CPU time of the client, ms a connection, medians")
    for place, name in enumerate(("user", "user and system")):
        theirs, ours = (statistics.median(p[side][place] for p in pairs) * 1e3 / connections for side in (0, 1))
        ratios = sorted(p[0][place] / p[1][place] for p in pairs)
        print(f"{name:16} OpenSSL {theirs:6.2f}  --direct {ours:6.2f}  ratio {statistics.median(ratios):5.2f}"
              f" ({ratios[0]:.2f} to {ratios[-1]:.2f})")


main()
