#!/usr/bin/env python3
"""What transformers renders with published chat templates: every *.jinja of a folder × every conversation.

make_templates.py FOLDER [CONVERSATIONS.json]    (packages: transformers of requirements.txt beside this file, jinja2==3.1.6)
make_templates.py --show TEMPLATE.jinja NAME     prints one rendering in full

Writes FOLDER/expected.json: template → conversation → "TEXT IDS", the first 16 hex digits of two SHA-256: of the text, and
of its ids (written in decimal, with a blank after each) in the tiny tokenizer byte_level; or "raises: …", the template's own
raise_exception; or "fails", any other error. The clock stands at NOW, in UTC.
"""

import datetime
import hashlib
import json
import pathlib
import sys

import jinja2
import tokenizers
from transformers.utils import chat_template_utils

TESTS = pathlib.Path(__file__).resolve().parents[2] / "tests"
HOME = TESTS / "golden/templates/published"
TOKENIZER = tokenizers.Tokenizer.from_file(str(TESTS / "fixtures/tokenizers/byte_level.json"))
TOKENIZER.no_truncation()
TOKENIZER.no_padding()
NOW = datetime.datetime(2026, 3, 5, 14, 7, 9)


class Clock(datetime.datetime):
    @classmethod
    def now(cls, tz=None):
        return NOW


def render(source, variables):
    variables = dict(variables)
    messages = variables.pop("messages")
    return chat_template_utils.render_jinja_template([messages], chat_template=source, **variables)[0][0]


def digest(text):
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def result_of(source, variables):
    try:
        text = render(source, variables)
        return digest(text) + " " + digest("".join(f"{id} " for id in TOKENIZER.encode(text, add_special_tokens=False).ids))
    except Exception as error:  # whatever Python raises inside a template
        return f"raises: {error}" if type(error) is jinja2.TemplateError else "fails"


def write_expected(folder, conversations):
    rows = []
    for path in sorted(folder.glob("*.jinja")):
        source = path.read_bytes().decode()
        results = {one["name"]: result_of(source, one["variables"]) for one in conversations}
        rows.append(f"{json.dumps(path.name)}: {json.dumps(results, ensure_ascii=False)}")
    (folder / "expected.json").write_text("{\n" + ",\n".join(rows) + "\n}\n")


def main(arguments):
    chat_template_utils.datetime = Clock
    if arguments[0] == "--show":
        by_name = {one["name"]: one["variables"] for one in json.loads((HOME / "conversations.json").read_text())}
        sys.stdout.write(render(pathlib.Path(arguments[1]).read_bytes().decode(), by_name[arguments[2]]))
    else:
        conversations = pathlib.Path(arguments[1]) if len(arguments) > 1 else HOME / "conversations.json"
        write_expected(pathlib.Path(arguments[0]), json.loads(conversations.read_text()))


main(sys.argv[1:])
