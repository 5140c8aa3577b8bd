# SPDX-License-Identifier: Apache-2.0
"""Servers of TLS as Debian ships them: how each is configured with a key, started, and spoken to.

{kind} is the end of the key files' names: ref, or key for servers that have their keys themselves. The page of
the manual headrace-provider(7) has the same lines for operators. All ask for a client's certificate, which need not
come, and trust that of rsa."""
import glob
import os
import re
import shutil
import signal
import socket
import ssl
import struct
import subprocess
import time

from common import NGINX_FOLDERS, free_port, wait_for_port
from key_search import allow_cores, is_gone

ECDHE_ECDSA, ECDHE_RSA, RSA = "ECDHE-ECDSA-AES128-GCM-SHA256", "ECDHE-RSA-AES128-GCM-SHA256", "AES128-GCM-SHA256"

NGINX = """daemon off; pid {dir}/pid; error_log stderr; worker_processes 2; user root;
env HEADRACE_ACCEL;
events {{}}
http {{
    """ + NGINX_FOLDERS + """
    server {{
        listen 127.0.0.1:{port} ssl http2;
        ssl_certificate {dir}/rsa.crt; ssl_certificate_key {dir}/rsa.{kind};
        ssl_certificate {dir}/p256.crt; ssl_certificate_key {dir}/p256.{kind};
        ssl_client_certificate {dir}/rsa.crt; ssl_verify_client optional;
        location / {{ return 200 "hello $ssl_client_verify"; }}
    }}
    server {{
        listen 127.0.0.1:{other} ssl;
        ssl_certificate {dir}/rsa-tls.crt; ssl_certificate_key {dir}/rsa-tls.{kind};
        ssl_ciphers AES128-GCM-SHA256; ssl_protocols TLSv1.2;
        location / {{ return 200 "hello"; }}
    }}
}}
"""
HAPROXY = """global
    master-worker
    stats socket {dir}/haproxy.sock mode 600 level admin
    {jail}
defaults
    mode http
    timeout connect 5s
    timeout client 5s
    timeout server 5s
frontend web
    bind 127.0.0.1:{port} ssl crt {dir}/rsa-key-last.pem crt {dir}/p256-key-first.pem alpn h2,http/1.1 \
        ca-file {dir}/rsa.crt verify optional
    bind 127.0.0.1:{other} ssl crt {dir}/rsa-tls-key-first.pem ciphers AES128-GCM-SHA256 ssl-max-ver TLSv1.2
    http-request return status 200 content-type text/plain string "hello"
"""
APACHE = """ServerRoot {dir}
ServerName localhost
PidFile {dir}/apache.pid
DefaultRuntimeDir {dir}
ErrorLog /dev/stderr
DocumentRoot {dir}
User www-data
Group www-data
LoadModule mpm_event_module {modules}/mod_mpm_event.so
LoadModule authz_core_module {modules}/mod_authz_core.so
LoadModule ssl_module {modules}/mod_ssl.so
LoadModule http2_module {modules}/mod_http2.so
StartServers 2
ThreadsPerChild 8
MaxRequestWorkers 32
Listen 127.0.0.1:{port}
Listen 127.0.0.1:{other}
Protocols h2 http/1.1
<VirtualHost 127.0.0.1:{port}>
    SSLEngine on
    SSLCertificateFile {dir}/rsa.crt
    SSLCertificateKeyFile {dir}/rsa.{kind}
    SSLCertificateFile {dir}/p256.crt
    SSLCertificateKeyFile {dir}/p256.{kind}
    SSLCACertificateFile {dir}/rsa.crt
    SSLVerifyClient optional
</VirtualHost>
<VirtualHost 127.0.0.1:{other}>
    SSLEngine on
    SSLCertificateFile {dir}/rsa-tls.crt
    SSLCertificateKeyFile {dir}/rsa-tls.{kind}
    SSLProtocol TLSv1.2
    SSLCipherSuite AES128-GCM-SHA256
</VirtualHost>
"""
STUNNEL = """foreground = yes
pid =
syslog = no
debug = 4
{drop}
[p256]
accept = 127.0.0.1:{port}
cert = {dir}/p256.crt
key = {dir}/p256.{kind}
CAfile = {dir}/rsa.crt
verify = 1
exec = /bin/cat
[rsa]
accept = 127.0.0.1:{other}
cert = {dir}/rsa-tls.crt
key = {dir}/rsa-tls.{kind}
ciphers = AES128-GCM-SHA256
sslVersionMax = TLSv1.2
exec = /bin/cat
"""
POSTFIX = """compatibility_level = 3.6
queue_directory = {dir}/spool
data_directory = {dir}/data
maillog_file = {dir}/mail.log
maillog_file_prefixes = {dir}
myhostname = localhost
inet_interfaces = 127.0.0.1
import_environment = MAIL_CONFIG HEADRACE_ACCEL HEADRACE_STATS OPENSSL_CONF LD_LIBRARY_PATH
smtpd_tls_security_level = may
smtpd_tls_cert_file = {dir}/rsa.crt
smtpd_tls_key_file = {dir}/rsa.{kind}
smtpd_tls_eccert_file = {dir}/p256.crt
smtpd_tls_eckey_file = {dir}/p256.{kind}
smtpd_tls_CAfile = {dir}/rsa.crt
smtpd_tls_ask_ccert = yes
smtpd_tls_loglevel = 1
"""
POSTFIX_MASTER = """127.0.0.1:{port} inet n - n - - smtpd
127.0.0.1:{other} inet n - n - - smtpd
    -o smtpd_tls_cert_file={dir}/rsa-tls.crt
    -o smtpd_tls_key_file={dir}/rsa-tls.{kind}
    -o smtpd_tls_eccert_file= -o smtpd_tls_eckey_file=
    -o smtpd_tls_protocols=TLSv1.2 -o tls_medium_cipherlist=AES128-GCM-SHA256
tlsmgr unix - - n 1000? 1 tlsmgr
rewrite unix - - n - - trivial-rewrite
proxymap unix - - n - - proxymap
anvil unix - - n - 1 anvil
cleanup unix n - n - 0 cleanup
postlog unix-dgram n - n - 1 postlogd
"""


# ---- how each is started: the command for a folder with keys and certificates ----

def program(name):
    return shutil.which(name, path=os.environ.get("PATH", "") + ":/usr/sbin")


def write(place, name, text, **words):
    return place.write(name, text.format(dir=place.dir, **words).encode())


def nginx(place, **words):
    return [program("nginx"), "-c", write(place, "nginx.conf", NGINX, **words)]


def jail(place):
    """A folder that becomes the root of processes, with nothing but the service's socket. Operators mount its folder
    there, so that it has the socket of the next service, too."""
    folder, path = place.path("jail"), place.socket
    inside = folder + os.path.dirname(path)
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(inside)
    os.link(path, inside + "/" + os.path.basename(path))
    return folder


def haproxy(place, kind, **words):
    for name in ("rsa", "rsa-tls", "p256"):
        with open(place.path(name + ".crt"), "rb") as f, open(place.path(f"{name}.{kind}"), "rb") as g:
            certificate, key = f.read(), g.read()
        place.write(name + "-key-last.pem", certificate + key)
        place.write(name + "-key-first.pem", key + certificate)
    drop = "" if os.getuid() else f"user nobody\n    group nogroup\n    chroot {jail(place)}"
    return [program("haproxy"), "-W", "-f", write(place, "haproxy.cfg", HAPROXY, jail=drop, **words)]


def apache(place, **words):
    path = write(place, "apache.conf", APACHE, modules="/usr/lib/apache2/modules", **words)
    return [program("apache2"), "-D", "FOREGROUND", "-f", path]


def stunnel(place, **words):
    drop = "" if os.getuid() else "setuid = nobody\nsetgid = nogroup"
    return [program("stunnel4"), write(place, "stunnel.conf", STUNNEL, drop=drop, **words)]


def postfix(place, **words):
    write(place, "main.cf", POSTFIX, **words)
    write(place, "master.cf", POSTFIX_MASTER, **words)
    for name, user in (("spool", "root"), ("data", "postfix")):
        if not os.path.isdir(place.path(name)):
            os.mkdir(place.path(name), 0o755)
            shutil.chown(place.path(name), user)
    return [program("postfix"), "-c", place.dir, "start-fg"]


def postgres_program(name):
    found = sorted(glob.glob("/usr/lib/postgresql/*/bin/" + name))
    return found[-1] if found else None


def postgres(place, kind, port, other):
    """Its keys must be its user's own."""
    data = place.path("postgres")
    as_postgres = ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"]
    if not os.path.isdir(data):
        os.mkdir(data, 0o700)
        shutil.chown(data, "postgres", "postgres")
        subprocess.run([*as_postgres, postgres_program("initdb"), "-D", data, "-N", "-A", "trust", "-U", "postgres",
                        "--no-locale"], stdout=subprocess.DEVNULL, check=True)
    key = os.path.join(data, "server.key")
    shutil.copy(place.path("p256." + kind), key)
    os.chmod(key, 0o600)
    shutil.chown(key, "postgres", "postgres")
    return [*as_postgres, postgres_program("postgres"), "-D", data, "-p", str(port), "-c", "listen_addresses=127.0.0.1",
            "-c", "unix_socket_directories=", "-c", "fsync=off", "-c", "ssl=on", "-c",
            f"ssl_cert_file={place.path('p256.crt')}", "-c", f"ssl_key_file={key}", "-c",
            f"ssl_ca_file={place.path('rsa.crt')}"]


# ---- how each is spoken to: before TLS, and within it ----

def http(s):
    s.sendall(b"GET / HTTP/1.0\r\nHost: localhost\r\n\r\n")
    page = b""
    while piece := s.recv(65536):
        page += piece
    assert page.startswith(b"HTTP/1.") and page[9:12] != b"400", page[:200]


def echo(s):
    s.sendall(b"hello")
    assert s.recv(5) == b"hello"


def at_once(_):
    pass


def lines(s, expected):
    text = b""
    while not text.endswith(b"\n") or text.splitlines()[-1][3:4] == b"-":
        piece = s.recv(4096)
        assert piece, text
        text += piece
    assert text.startswith(expected), text


def starttls(plain):
    lines(plain, b"220")
    plain.sendall(b"EHLO localhost\r\n")
    lines(plain, b"250")
    plain.sendall(b"STARTTLS\r\n")
    lines(plain, b"220")


def smtp(s):
    s.sendall(b"EHLO localhost\r\n")
    lines(s, b"250")
    s.sendall(b"QUIT\r\n")
    lines(s, b"221")


def trusted_by_postfix(place, connections):
    """Another process of it writes the log, when it comes to it."""
    for _ in range(600):
        with open(place.path("mail.log"), encoding="utf-8") as f:
            told = re.findall(": (Trusted|Untrusted) TLS connection established", f.read())
        if len(told) >= connections:
            break
        time.sleep(0.1)
    return told.count("Trusted")


def ssl_request(plain):
    plain.sendall(struct.pack("!II", 8, 80877103))
    assert plain.recv(1) == b"S"


def startup(s):
    message = struct.pack("!I", 196608) + b"user\0postgres\0\0"
    s.sendall(struct.pack("!I", 4 + len(message)) + message)
    assert s.recv(1) in (b"R", b"E")  # E: it is still starting


# ---- what a reload changes ----

def descendants(pid):
    """A process, its children, and theirs."""
    try:
        with open(f"/proc/{pid}/task/{pid}/children", encoding="ascii") as f:
            children = [int(child) for child in f.read().split()]
    except FileNotFoundError:
        children = []
    return [pid] + [x for child in children for x in descendants(child)]


def children(server):
    return set(descendants(server.pid)[1:])


def listeners(server):
    """The number of the socket that listens."""
    with open("/proc/net/tcp", encoding="ascii") as f:
        rows = [line.split() for line in f.readlines()[1:]]
    return {row[9] for row in rows if row[1].endswith(f":{server.port:04X}") and row[3] == "0A"}


# ---- the servers ----

class Row:
    """A server: its program, how it is started, whether it needs root, its certificates by name, how it is spoken
    to, the signal by which it reads its files again, and what of it then changes; and, of a server that only tells
    of certificates that it does not trust, how many of its first connections with a certificate it has trusted."""

    def __init__(self, name, start, certificates=("p256", "rsa"), knock=at_once, speak=http, reload=signal.SIGHUP,
                 needs_root=False, http2=False, find=program, has_rsa=True, has_tickets=True, renewed=None,
                 trusted=None):
        self.name, self.start, self.certificates, self.knock, self.speak = name, start, certificates, knock, speak
        self.reload, self.needs_root, self.http2, self.find, self.has_rsa = reload, needs_root, http2, find, has_rsa
        self.has_tickets, self.renewed, self.trusted = has_tickets, renewed, trusted

    def missing(self):
        """Why it cannot run here, or None."""
        if not self.find(self.name):
            return f"{self.name} is not installed"
        return f"{self.name} needs root" if self.needs_root and os.getuid() else None


ROWS = (
    Row("nginx", nginx, http2=True, renewed=children),
    Row("haproxy", haproxy, reload=signal.SIGUSR2, http2=True, renewed=children),
    Row("apache2", apache, reload=signal.SIGUSR1, http2=True, renewed=children),
    Row("stunnel4", stunnel, certificates=("p256",), speak=echo, renewed=listeners),
    Row("postfix", postfix, knock=starttls, speak=smtp, reload=None, needs_root=True,
        trusted=trusted_by_postfix),
    Row("postgres", postgres, certificates=("p256",), knock=ssl_request, speak=startup, needs_root=True,
        find=postgres_program, has_rsa=False, has_tickets=False),
)


# ---- clients ----

def context_of(place, certificate, ciphers=None, own=None):
    """A client of TLS 1.3, or of TLS 1.2 with these ciphers, and perhaps with a certificate of its own."""
    context = ssl.create_default_context(cafile=place.path(certificate + ".crt"))
    if ciphers:
        context.maximum_version = ssl.TLSVersion.TLSv1_2
        context.set_ciphers(ciphers)
    if own:
        context.load_cert_chain(place.path(own + ".crt"), place.path(own + ".key"))
    return context


def talk(row, port, context, session=None):
    """Connects and speaks. Returns the session and whether it was resumed."""
    with socket.create_connection(("127.0.0.1", port), timeout=60) as plain:
        row.knock(plain)
        with context.wrap_socket(plain, server_hostname="localhost", session=session) as s:
            row.speak(s)
            return s.session, s.session_reused


def wait_for_end(pids):
    """Until processes have ended, which are killed if they do not."""
    for _ in range(200):
        if all(map(is_gone, pids)):
            return
        time.sleep(0.05)
    for pid in pids:
        if not is_gone(pid):
            os.kill(pid, signal.SIGKILL)


class Server:
    """A process that serves TLS by named keys, ended with the block."""

    def __init__(self, place, env, command, port, other=0):
        self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                        stderr=subprocess.PIPE, env=env, cwd=place.dir, preexec_fn=allow_cores)
        self.pid, self.port, self.other = self.process.pid, port, other

    def __enter__(self):
        wait_for_port(self.port, self.process)
        return self

    def __exit__(self, *error):
        pids = descendants(self.pid)
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        wait_for_end(pids)
        self.said = self.process.communicate(timeout=60)[1].decode(errors="replace")


def serve(row, place, env, kind="ref"):
    port, other = free_port(), free_port()
    return Server(place, env, row.start(place, kind=kind, port=port, other=other), port, other)
