"""`check` on PostgreSQL: its tables and runs are checked, and what is not is said."""

import pytest
from sqlalchemy import text

from core.__main__ import main
from core.base.settings import settings
from core.store.store import Store
from tests.store.test_store import a_run

pytestmark = pytest.mark.usefixtures("home")


def test_a_database_on_a_server_is_checked_as_far_as_can_be(
    postgres_url: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    store = Store(postgres_url)
    a_run(store)
    monkeypatch.setenv("KIKU_DATABASE_URL", postgres_url)
    settings.cache_clear()
    assert main(["check"]) == 0
    output = capsys.readouterr().out
    assert "1 runs can be read, 0 cannot." in output and "The database is on a server" in output
    with store.db.engine.begin() as connection:
        connection.execute(text("DROP TABLE scores CASCADE"))
    store.close()
    assert main(["check"]) == 2
    output = capsys.readouterr().out
    assert "damaged: the table scores is missing" in output and "kiku.db" not in output
