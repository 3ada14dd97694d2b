"""One form of the same text: width and case, wrong encodings, accents, abbreviations and signs."""

from __future__ import annotations

import re
import unicodedata

# Characters of a message that are read for distress, an emergency, an aside, and for its terms in another language.
MAX_CLASSIFIED_CHARACTERS = 1_000
_PHRASES = (
    (re.compile(r"\bunited states(?: of america)?\b"), "us"),
    (re.compile(r"\bunited kingdom\b|\bgreat britain\b"), "uk"),
    (re.compile(r"\bnew york city\b"), "new york"),
    (re.compile(r"\bdegrees? celsius\b|°\s*c\b"), " celsius"),
    (re.compile(r"\bdegrees? fahrenheit\b|°\s*f\b"), " fahrenheit"),
    (re.compile(r"\bper ?cent\b|%"), " percent "),
    (re.compile(r"[$]\s*(\d[\d.,]*(?:\s*(?:million|billion|trillion))?)"), r"\1 dollars "),
    (re.compile(r"£\s*(\d[\d.,]*(?:\s*(?:million|billion|trillion))?)"), r"\1 pounds "),
    (re.compile(r"&"), " and "),
)
_THOUSANDS_SEPARATOR = re.compile(r"(?<=\d),(?=\d{3})")
_DOTTED = re.compile(r"\b(?:[a-z]\.){2,}(?:[a-z]\b)?|\b[a-z](?:\.[a-z])+\b\.?")
_LETTERS = re.compile(r"\b(?:[b-z] ){2,}[b-z]\b")
_SPACED = re.compile(r"\b(?:[a-z]\.\s){1,9}[a-z]\.(?=\s[a-z]{2})")
_MENDED = {code.encode().decode("cp1252", "ignore"): code for code in "–—’‘“”…éèáíóúäöüçñ°£½ "}
_BROKEN = re.compile("|".join(re.escape(code) for code in _MENDED if len(code) > 1))


def normalize(text: str) -> str:
    """NFKC, lower case, one space between words."""
    return " ".join(unicodedata.normalize("NFKC", text).lower().split())


def without_separators(text: str) -> str:
    """The text without thousands separators: 1,000 is 1000."""
    return _THOUSANDS_SEPARATOR.sub("", text)


def repair_encoding(text: str) -> str:
    """A text that was decoded with the wrong encoding (10â€“12), repaired; any other text unchanged."""
    if not _BROKEN.search(text):
        return text
    try:
        return text.encode("cp1252").decode("utf-8")
    except UnicodeError:
        return _BROKEN.sub(lambda found: _MENDED.get(found[0], found[0]), text)


def plain_letters(text: str) -> str:
    """NFKC, lower case, without accents, thousands separators and dots in abbreviations."""
    plain = unicodedata.normalize("NFKC", text).lower().replace("’", "'").replace("–", "-").replace("—", "-")
    plain = "".join(c for c in unicodedata.normalize("NFKD", plain) if not unicodedata.combining(c))
    plain = plain.replace("æ", "e").replace("œ", "e").replace("ø", "o").replace("ß", "ss").replace("ł", "l")
    plain = re.sub(r"\b([ao])e(?=[a-z]{2})|(?<=[bcdfghjklmnpqrstvwxyz])ae(?=[bcdfghjklmnpqrstvwxyz])", "e", plain)
    plain = without_separators(plain)
    plain = re.sub(r"(?<=\d)\.0+(?!\d|\.\d)", "", plain)
    plain = _LETTERS.sub(lambda found: found[0].replace(" ", ""), plain)
    plain = _SPACED.sub(lambda found: found[0].replace(". ", ""), plain)
    plain = _DOTTED.sub(lambda found: found[0].replace(".", ""), plain)
    for pattern, to in _PHRASES:
        plain = pattern.sub(to, plain)
    return re.sub(r"'s\b|(?<=s)'(?=\s|$)|'", "", plain)
