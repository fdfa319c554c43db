"""The kinds of traffic in which statements reach a server, and clients that know how many they have sent.

    plain       MySQL: one statement, then its answer
    pipelined   MySQL: several commands in one send
    proxy       MySQL: plain through HAProxy, with a PROXY header
    round       PostgreSQL: several statements of the extended protocol in one send, and one Sync
    pooler      the same through PgBouncer, which gives 8 clients 2 connections

The clients speak the protocols themselves: no driver sends many MySQL commands at once, and drivers send statements of
their own.
"""
import contextlib
import os
import shlex
import socket
import struct
import subprocess

from measure import TOP, mariadb, stop, until

KINDS = ("plain", "pipelined", "proxy", "round", "pooler")
BATCH = 3				# statements of a send
POOLED, POOL = 8, 2			# clients of the pooler, and its connections


class Failed(Exception):
    """A server refused what a client sent."""


def exact(s, n):
    data = b""
    while len(data) < n:
        more = s.recv(n - len(data))
        if not more:
            raise EOFError
        data += more
    return data


def connect(address):
    if isinstance(address, str):
        s = socket.socket(socket.AF_UNIX)
        s.connect(address)
        return s
    s = socket.create_connection(address)
    s.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return s


class Mysql:
    """A connection of root; what it sends is answered by OK."""

    def __init__(self, address):
        self.s = connect(address)
        self.take()
        self.s.sendall(self.packet(1, struct.pack("<IIB23x", 0x8200, 1 << 24, 33) + b"root\0\0"))
        while (reply := self.take())[0] != 0:
            if reply[0] == 0xff:
                raise Failed("MySQL: %r" % reply)
            self.s.sendall(self.packet(3, b""))

    @staticmethod
    def packet(seq, body):
        return struct.pack("<I", len(body))[:3] + bytes([seq]) + body

    def take(self):
        head = exact(self.s, 4)
        return exact(self.s, head[0] | head[1] << 8 | head[2] << 16)

    def send(self, statements):
        """All in one send; returns when the last one is answered."""
        self.s.sendall(b"".join(self.packet(0, b"\x03" + text.encode()) for text in statements))
        for text in statements:
            if (reply := self.take())[0] != 0:
                raise Failed("%s: %r" % (text, reply))

    def close(self):
        self.s.close()


class Postgresql:
    """A connection of postgres; what it sends is Parse, Bind and Execute of each statement, and one Sync."""

    def __init__(self, address):
        self.s = connect(address)
        body = struct.pack(">I", 196608) + b"user\0postgres\0database\0postgres\0\0"
        self.s.sendall(struct.pack(">I", len(body) + 4) + body)
        self.answer()

    def answer(self):
        """Up to ReadyForQuery."""
        while True:
            kind, n = struct.unpack(">cI", exact(self.s, 5))
            body = exact(self.s, n - 4)
            if kind == b"E":
                raise Failed("PostgreSQL: %r" % body)
            if kind == b"Z":
                return

    def send(self, statements):
        def message(kind, body):
            return kind + struct.pack(">I", len(body) + 4) + body

        self.s.sendall(b"".join(
            message(b"P", b"\0" + text.encode() + b"\0\0\0") + message(b"B", b"\0\0" + bytes(6)) +
            message(b"E", b"\0" + bytes(4))
            for text in statements) + message(b"S", b""))
        self.answer()

    def close(self):
        self.s.close()


# --- what they speak to

@contextlib.contextmanager
def postgresql(path):
    script = os.path.join(TOP, "scripts", "postgresql")
    text = subprocess.run([script, "start", path], check=True, capture_output=True, text=True).stdout
    try:
        yield dict(word.split("=", 1) for word in shlex.split(text))
    finally:
        subprocess.run([script, "stop", path], capture_output=True)


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as s:
        return s.getsockname()[1]


def answers(port):
    with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
        return True
    return False


@contextlib.contextmanager
def running(command, port, log):
    with open(log, "w") as out:
        process = subprocess.Popen(command, stdout=out, stderr=out)
    try:
        until(lambda: answers(port), what="the start of " + command[0])
        yield port
    finally:
        stop(process)


@contextlib.contextmanager
def haproxy(path, server_port):
    """Before a MariaDB that takes PROXY headers from 127.0.0.0/8."""
    port = free_port()
    with open(path + ".cfg", "w") as f:
        f.write("defaults\n mode tcp\n timeout connect 5s\n timeout client 60s\n timeout server 60s\n"
                "listen db\n bind 127.0.0.1:%d\n server db 127.0.0.1:%d source 127.8.8.8 send-proxy-v2\n" % (port, server_port))
    with running(["haproxy", "-db", "-f", path + ".cfg"], port, path + ".log"):
        yield port


@contextlib.contextmanager
def pgbouncer(path, server_port):
    """It refuses to run as root."""
    port = free_port()
    with open(path + ".ini", "w") as f:
        f.write("[databases]\n* = host=127.0.0.1 port=%d user=postgres\n"
                "[pgbouncer]\nlisten_addr = 127.0.0.1\nlisten_port = %d\nunix_socket_dir =\n"
                "auth_type = any\npool_mode = transaction\ndefault_pool_size = %d\n" % (server_port, port, POOL))
    user = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"] if os.geteuid() == 0 else []
    with running([*user, "pgbouncer", path + ".ini"], port, path + ".log"):
        yield port


class Kind:
    """module: of the metric; instance: the label of the address on which the server listens; open: returns a new client;
    batch: statements of a send; nothing: a statement that does nothing, and its digest; sleeps: one that sleeps for so
    many seconds; shares: so many statements share the time of a send equally."""

    def __init__(self, name, module, instance, open_client, batch, n_clients=1):
        mysql = module == "mysql"
        self.name, self.module, self.instance = name, module, instance
        self.open, self.batch, self.n_clients = open_client, batch, n_clients
        self.nothing, self.digest = ("DO 1", "do ?") if mysql else ("SELECT 1", "select ?")
        self.sleeps = "DO SLEEP(%.4f)" if mysql else "SELECT pg_sleep(%.4f)"
        self.shares = 1 if mysql else batch


def mysql_kinds(stack, path, names):
    db = stack.enter_context(mariadb(os.path.join(path, "kinds-db"), "--extra", "--proxy-protocol-networks=127.0.0.0/8"))
    port, direct = int(db["MARIADB_PORT"]), db["MARIADB_SOCKET"]
    yield Kind("plain", "mysql", direct, lambda: Mysql(direct), 1)
    yield Kind("pipelined", "mysql", direct, lambda: Mysql(direct), BATCH)
    if "proxy" in names:
        front = stack.enter_context(haproxy(os.path.join(path, "haproxy"), port))
        yield Kind("proxy", "mysql", "127.0.0.1:%d" % port, lambda: Mysql(("127.0.0.1", front)), 1)


def postgresql_kinds(stack, path, names):
    pg = stack.enter_context(postgresql(os.path.join(path, "kinds-pg")))
    port = int(pg["POSTGRESQL_PORT"])
    direct = os.path.join(pg["POSTGRESQL_SOCKET"], ".s.PGSQL.%d" % port)
    yield Kind("round", "postgresql", direct, lambda: Postgresql(direct), BATCH)
    if "pooler" in names:
        pool = stack.enter_context(pgbouncer(os.path.join(path, "pgbouncer"), port))
        yield Kind("pooler", "postgresql", "127.0.0.1:%d" % port, lambda: Postgresql(("127.0.0.1", pool)), BATCH, POOLED)


@contextlib.contextmanager
def kinds(path, names=KINDS):
    """Starts the servers that the named kinds need; {name: Kind}."""
    if not set(names) <= set(KINDS):
        raise SystemExit("bench: kinds are " + ", ".join(KINDS))
    os.chmod(path, 0o711)	# PostgreSQL and PgBouncer run as users of their own
    made = {}
    with contextlib.ExitStack() as stack:
        for of, make in ({"plain", "pipelined", "proxy"}, mysql_kinds), ({"round", "pooler"}, postgresql_kinds):
            if of & set(names):
                made.update((kind.name, kind) for kind in make(stack, path, names))
        yield {name: made[name] for name in names}
