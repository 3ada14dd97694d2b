"""Hostile inputs for the pages: markup in every text that a person, a document or a bot writes, and files to upload."""

from __future__ import annotations

import csv
import io
import json
import shutil
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZipFile

from core.base.settings import ROOT

QUESTIONS = 5  # rows of a bot's scenarios, with the header: a run takes some seconds
ELSEWHERE = "elsewhere.example"  # a name that no request may be made to
MARKUP = (
    f"<script>window.ran = 1</script> <img src='http://{ELSEWHERE}/a.png' onerror='window.ran = 1'> <b id='ran'>x</b> "
    f"![p](http://{ELSEWHERE}/p.png) [words](http://{ELSEWHERE}/l) [j](javascript:window.ran=1) $\\frac{{1}}{{2}}$ "
    f":material/bomb: :red[tinted] `coded` <iframe src='http://{ELSEWHERE}/f'></iframe> **期限** {{ran}} %s"
)
# What is there only if markup was read as markup; gives what was found.
FIND_MARKUP = """() => {
    const found = [];
    if (window.ran) found.push("a script ran");
    const look = {"HTML": "#ran", "a formula": ".katex", "a picture": "img[src*='elsewhere.example']",
        "a frame": "iframe[src*='elsewhere.example']", "a script link": "a[href^='javascript']"};
    for (const [what, where] of Object.entries(look)) if (document.querySelector(where)) found.push(what);
    for (const link of document.querySelectorAll("a[href*='elsewhere.example']"))
        if (!link.textContent.includes("elsewhere.example")) found.push("a link that hides where it leads");
    for (const icon of document.querySelectorAll("[data-testid='stIconMaterial']"))
        if (icon.textContent.includes("bomb")) found.push("an icon");
    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (texts.nextNode()) {
        const node = texts.currentNode;
        if (!node.textContent.includes("tinted") || node.parentElement.closest("textarea, script, canvas")) continue;
        const block = node.parentElement.closest("p, li, td, th, h1, h2, h3, button, label, pre, div");
        if (!block.textContent.includes(":red[tinted")) found.push("a colour: " + block.textContent.slice(0, 80));
    }
    return [...new Set(found)];
}"""
_BOT = """import time


def reply(message, history, conversation):
    return {"answer": MARKUP + message, "contexts": [{"text": MARKUP, "title": MARKUP, "source": MARKUP}], "choices": [MARKUP]}


def slow(message, history, conversation):
    time.sleep(0.5)
    return {"answer": "年に5日です。" + message}
"""
_JUDGE = """from core.judges.custom.python_judges import judge


@judge
def loud(sample):
    return 0.1, MARKUP
"""


def make_knowledge(folder: Path) -> None:
    """The bundled bots, and two external ones: `markup`, with markup in each of its texts, and `slow`."""
    shutil.copytree(ROOT / "knowledge", folder)
    questions = folder / "minato" / "questions.csv"
    with questions.open(encoding="utf-8-sig", newline="") as file:
        rows = list(csv.reader(file))[:QUESTIONS]
    with questions.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows(rows)
    shutil.copytree(folder / "minato", folder / "moving")
    shutil.copytree(folder / "minato", folder / "edited")
    for name, function in (("markup", "reply"), ("slow", "slow")):
        bot = folder / name
        (bot / "judges").mkdir(parents=True)
        (bot / "documents").mkdir()
        text = MARKUP if name == "markup" else "遅い"
        table = {"name": text, "description": text, "greeting": text}
        lines = [f"{key} = {json.dumps(value, ensure_ascii=False)}" for key, value in table.items()]
        lines += ['language = "ja"', f"samples = [{json.dumps(text, ensure_ascii=False)}]"]
        lines += ["[external]", 'kind = "python"', f'callable = "bot:{function}"']
        (bot / "bot.toml").write_text("\n".join(lines) + "\n", "utf-8")
        (bot / "bot.py").write_text(f"MARKUP = {MARKUP!r}\n{_BOT}", "utf-8")
        questions = "".join(f'q{n},"{text if n < 3 else ""} 休暇は何日ですか {n}"\n' for n in range(1, 13))
        (bot / "questions.csv").write_text(f"id,question\n{questions}", "utf-8")
    markup = folder / "markup"
    (markup / "judges" / "loud.py").write_text(f"MARKUP = {MARKUP!r}\n{_JUDGE}", "utf-8")
    (markup / "documents" / "d.md").write_text(
        f"# {MARKUP}\n\n{MARKUP}\n\n| {MARKUP} | b |\n|---|---|\n| {MARKUP} | c |\n", "utf-8"
    )
    (markup / "documents" / "broken.md").write_bytes(b"\xff\xfe\xff")
    said = json.dumps(MARKUP, ensure_ascii=False)
    persona = f'[[personas]]\nid = "p"\n[personas.ja]\nname = {said}\ndescription = {said}\nprofile = {said}\n'
    (markup / "personas.toml").write_text(persona, "utf-8")


def _wide(columns: int, rows: int) -> bytes:
    """A table that is just within what is read: nearly as many columns and cells as are allowed."""
    header = ",".join(["id", "question", "answer", *(f"c{n}" for n in range(columns - 3))])
    cells = ",".join("x" * (columns - 3))
    return "\n".join([header, *(f"{n},q,a,{cells}" for n in range(rows))]).encode()


def make_files(folder: Path) -> dict[str, Path]:
    """The files to upload, by what is hostile in them."""
    folder.mkdir()
    large = io.BytesIO()
    with ZipFile(large, "w", ZIP_DEFLATED) as packed, packed.open("xl/worksheets/sheet1.xml", "w") as part:
        for _ in range(300):
            part.write(b" " * 1_000_000)
    cells = "".join(f'"{MARKUP}",' for _ in range(3))
    data = {
        "equal.csv": b"question," * 20_000 + b"\nq,\n",
        "large.xlsx": large.getvalue(),
        "headings.md": "".join(f"# 見出し{n}\n\n本文{n}\n\n" for n in range(20_000)).encode(),
        "letters.md": "休暇".encode("cp932") + b"\xff",
        "letters.csv": b"question,answer\n\xff\xfe\xfa,x\n",
        "deep.jsonl": b'{"question": ' * 20_000 + b"1" + b"}" * 20_000 + b"\n",
        "letters.jsonl": b'{"question": "\xff\xfe\xfa"}\n',
        "program.jsonl": b"MZ\x90\x00\x03" + bytes(range(256)) * 200,
        "program.csv": b"MZ\x90\x00\x03" + bytes(range(256)) * 200,
        "program.exe": b"MZ\x90\x00\x03" + bytes(range(256)) * 200,
        "large.zip": large.getvalue(),
        "wide.csv": _wide(992, 5_000),
        "rows.jsonl": b"{}\n" * 250_000,
        f"![p] $a$ :red[tinted] {ELSEWHERE}.csv": f"question,answer,{cells}x\n{cells}{cells}y\n".encode(),
    }
    for name, content in data.items():
        (folder / name).write_bytes(content)
    return {name: folder / name for name in data}
