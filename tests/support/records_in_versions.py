"""A run's records in chosen versions of its judges, to compare tables of numbers with."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd

from core.store.export_records import RecordRepository, RunJudge
from core.store.store import Store


class RecordsInVersions(RecordRepository):
    """Of these judges, the given version counts."""

    def __init__(self, store: Store, versions: Mapping[str, str] | None = None) -> None:
        super().__init__(store.db, store.tables)
        self._store, self._versions = store, versions or {}

    def judges(self, run_id: str) -> dict[str, RunJudge]:
        """The judges of a run in these versions."""
        tables, found = self._store.tables.of_run(run_id), super().judges(run_id)
        return found | {
            name: found[name]._replace(
                version=version, criteria=tuple(tables.criteria_of(name, version)) or ("overall",)
            )
            for name, version in self._versions.items()
            if name in found
        }


def score_frame(store: Store, run_id: str, versions: Mapping[str, str] | None = None) -> pd.DataFrame:
    """The scores of a run with their texts, in these versions."""
    return RecordsInVersions(store, versions).score_frame(run_id)
