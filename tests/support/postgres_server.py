"""A real PostgreSQL server for tests: its own cluster in a folder of its own, on a port of loopback."""

from __future__ import annotations

import os
import pwd
import secrets
import shutil
import subprocess
import tempfile
from contextlib import suppress
from pathlib import Path

import psycopg

from tests.support.loopback import free_port

PASSWORD = "p@ss word"
QUOTED = "p%40ss%20word"
FAST = (
    *("fsync=off", "full_page_writes=off", "max_connections=120", "shared_buffers=64MB"),
    *(
        "autovacuum=off",
        "wal_level=minimal",
        "max_wal_senders=0",
        "dynamic_shared_memory_type=mmap",
    ),  # there are a hundred databases, each of one test
)


def binaries() -> Path:
    """Where Debian keeps the server; fails if it is not installed (`make test` installs it)."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda file: float(file.parts[-3]))
    on_path = shutil.which("initdb")
    assert found or on_path, "PostgreSQL is not installed: apt-get install postgresql"
    return found[-1].parent if found else Path(str(on_path)).parent


class Postgres:
    """A server that can be stopped and started again; `database` makes an empty database and gives its address."""

    def __init__(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="kiku-postgres-"))
        self.port = free_port()
        word = self.folder / "password"
        word.write_text(PASSWORD, "utf-8")
        if os.getuid() == 0:  # the server refuses to run as root
            them = pwd.getpwnam("postgres")
            for place in (self.folder, word):
                os.chown(place, them.pw_uid, them.pw_gid)
        how = ("-U", "kiku", "--auth-host=scram-sha-256", "--auth-local=trust", f"--pwfile={word}")
        self._run("initdb", "-D", str(self.data), *how, "-E", "UTF8", "--locale=C", "--no-sync")

    @property
    def data(self) -> Path:
        return self.folder / "data"

    def address(self, database: str, password: str = QUOTED, user: str = "kiku") -> str:
        """The address of a database, as an owner would write it."""
        return f"postgresql://{user}:{password}@127.0.0.1:{self.port}/{database}"

    def up(self) -> None:
        """Start; back when connections are taken."""
        options = f"-p {self.port} -k {self.folder} -c listen_addresses=127.0.0.1 " + " ".join(
            f"-c {one}" for one in FAST
        )
        self._run("pg_ctl", "-D", str(self.data), "-l", str(self.folder / "log"), "-o", options, "-w", "start")

    def down(self, mode: str = "fast") -> None:
        """Stop: "fast" breaks connections off, "immediate" is as good as a crash."""
        self._run("pg_ctl", "-D", str(self.data), "-m", mode, "-w", "stop")

    def remove(self) -> None:
        """Stop, and leave nothing behind."""
        try:
            self.down("immediate")
        finally:
            shutil.rmtree(self.folder, ignore_errors=True)

    def database(self, template: str = "template0", encoding: str = "UTF8") -> str:
        """A new database's address."""
        name = f"kiku_{secrets.token_hex(4)}"
        self.execute(f"CREATE DATABASE {name} TEMPLATE {template} ENCODING '{encoding}'")
        return self.address(name)

    def drop(self, address: str) -> None:
        """Remove a database that `database` made, whoever still uses it."""
        with suppress(psycopg.OperationalError):  # the test has stopped the server
            self.execute(f"DROP DATABASE IF EXISTS {address.rpartition('/')[2]} WITH (FORCE)")

    def execute(self, statement: str, database: str = "postgres") -> list[tuple[object, ...]]:
        """Run one statement as the server's owner."""
        place = f"host={self.folder} port={self.port} user=kiku dbname={database}"  # the socket asks for no password
        with psycopg.connect(place, autocommit=True) as connection:
            done = connection.execute(statement)  # type: ignore[arg-type]
            return done.fetchall() if done.description else []

    def _run(self, program: str, *arguments: str) -> None:
        before = ("runuser", "-u", "postgres", "--") if os.getuid() == 0 else ()
        done = subprocess.run(
            [*before, str(binaries() / program), *arguments],
            cwd="/",
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE if program != "pg_ctl" else subprocess.DEVNULL,
            stderr=subprocess.STDOUT,
            timeout=60,
        )
        assert done.returncode == 0, f"{program}: {(done.stdout or b'').decode()}"


def hidden(shown_text: object) -> bool:
    """Whether nothing gives the password away."""
    return PASSWORD not in str(shown_text) and QUOTED not in str(shown_text)
