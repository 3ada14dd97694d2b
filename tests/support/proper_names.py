"""Names that stay as they are in Japanese words."""

import re

NAMES = re.compile(
    r"`[^`]*`|:[a-z-]+/?[a-z_]*[:\[]|[\w./-]*\.(?:md|toml|csv|tsv|env|json|txt)|(?:KIKU|OPENAI)_\w+|OpenAI|https?:|Markdown|JSON Lines|JSON|CSV|TOML|Excel|\bWord\b|\.xlsx|\bqa\b|\w+_qa|openai|UTF-8|Kiku|Harbor|Python"
    r"|JMESPath|HTTP|API|NAME|\[external\]|bot:reply|\w+\.py\b|\breply\b(?:\.text)?|\w+\[\]\.\w+|type == ''|question|\bfound\b|chat・http・python|\banswer\b|help\.example\.com|secrets\.toml"
    r"|all-MiniLM-L6-v2|GB|ID|Google|Zoom|Teams|PC|Web|IT|URL|HTML|JavaScript|English|\.env|/\S+"
    r"|PostgreSQL|postgresql://|Chroma|UTF8|createdb -E UTF8 -T template\d|createdb|pip install -r [\w.-]+"
    r"|RAGEval|Dask|dask (?:scheduler|worker)|tcp://"
    r"|PYTHONPATH=\$PWD|--preload core\.run\.member"
)
