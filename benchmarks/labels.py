"""How quick labelling stays with 20,000 labels: the queue, a verdict, the agreement page's numbers, and both pages.

    python -m benchmarks.labels FOLDER [--labels 20000] [--conversations 5000]

Makes a large run (benchmarks/big_run.py) in FOLDER if it has none, with labels by four reviewers. Promised: a page under
two seconds, the queue under one. Pages are timed without a browser (Streamlit's own test runner).
"""

from __future__ import annotations

import argparse
import os
import random
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmarks.big_run import add_run, world_of

REVIEWERS = ("Aya", "Ben", "Chie", "Dan")


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("folder", type=Path)
    arguments.add_argument("--labels", type=int, default=20_000)
    arguments.add_argument("--conversations", type=int, default=5_000)
    options = arguments.parse_args()
    os.environ["KIKU_DATA_DIR"] = str(options.folder)
    from core.analysis.label_pools import label_queue, turns_of_pool
    from core.analysis.labelled_turns import corrected_share, disagreements, labelled_turns
    from core.store.labels import TurnLabel
    from core.store.store import open_store

    store = open_store()
    if not store.runs.all("hinata"):
        add_run(store, world_of("hinata"), options.conversations, 1, 0)
    run = store.runs.all("hinata")[0].id
    turns = print_time("the turns of the run", lambda: turns_of_pool(store, run))
    order = print_time("the queue, drawn for the first time", lambda: label_queue(store, turns))
    if not store.labels.of_pool(run):
        fill(store, order, turns, options.labels)
    print_time("the queue, once drawn", lambda: label_queue(store, turns_of_pool(store, run)))
    one = TurnLabel(turn_id=order[-1].turn_id, reviewer="Eri", verdict="yes")
    print_time("one verdict stored", lambda: store.labels.save(one))
    print_time("and undone", lambda: store.labels.undo("Eri", run))
    found = print_time("all labels read", lambda: labelled_turns(store, (run,), {run: "ja"}))
    print(f"{found.people.labels:,} labels of {len(found.people.truth.verdicts):,} turns")
    print_time("agreement of the turn judge", lambda: found.agreement("turn"))
    print_time("the best threshold", lambda: found.best_threshold("turn"))
    print_time("the corrected share", lambda: corrected_share(found, "turn"))
    print_time("the disagreements", lambda: disagreements(store, found, "turn"))
    pages(run, order[-1].turn_id)


def fill(store: Any, order: Any, turns: Any, count: int) -> None:
    """Labels in the drawn order by four reviewers, close to the judge's verdict."""
    from core.store.labels import TurnLabel

    dice, values = random.Random(1), dict(zip(turns.ids, turns.values["turn"], strict=True))
    labels: list[TurnLabel] = []
    for place in order[: count // len(REVIEWERS)]:
        right = dice.random() < (values[place.turn_id] if values[place.turn_id] == values[place.turn_id] else 0.5)
        for name in REVIEWERS:
            verdict = "yes" if right != (dice.random() < 0.1) else "no"
            labels.append(TurnLabel(turn_id=place.turn_id, reviewer=name, verdict=verdict))
    store.labels.save(*labels)


def pages(run: str, last: int) -> None:
    from streamlit.testing.v1 import AppTest

    from core.store.labels import TurnLabel
    from core.store.store import open_store
    from pages.components.services import services

    while not services().ready:  # what the server loads in the background is no part of a page
        time.sleep(0.1)
    for page, asked in (("label", {"reviewer": "Aya"}), ("agreement", {})):
        app = AppTest.from_file(str(Path(__file__).parents[1] / "app.py"), default_timeout=120)
        app.query_params["lang"] = "en"
        for name, value in ({"bot": "hinata", "run": run} | asked).items():
            app.query_params[name] = value
        first = print_time(f"the page {page}, first visit", lambda: app.switch_page(f"pages/review/{page}.py").run())  # noqa: B023
        assert not first.exception, [one.message for one in first.exception]
        print_time(f"the page {page} again", app.run)
        if page == "agreement":
            open_store().labels.save(TurnLabel(turn_id=last, reviewer="Fay", verdict="yes"))
            print_time("the page agreement after one more label", app.run)
        if page == "label":
            print_time("a verdict given on the page", lambda: app.button(key="verdict-yes").click().run())  # noqa: B023
            print_time("the next turn", lambda: app.button(key="move-next").click().run())  # noqa: B023


def print_time(name: str, call: Callable[[], Any]) -> Any:
    """What the call gives; prints its wall and its CPU time, which is less on a busy machine."""
    start, worked = time.perf_counter(), time.process_time()
    found = call()
    took, cpu = time.perf_counter() - start, time.process_time() - worked
    print(f"{name:45} {took:6.2f} s, of CPU {cpu:6.2f} s", flush=True)
    return found


if __name__ == "__main__":
    main()
