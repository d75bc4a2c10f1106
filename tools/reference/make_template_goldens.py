#!/usr/bin/env python3
"""What transformers' own Jinja2 set-up renders: fills in the results of the cases in tests/golden/templates.

make_template_goldens.py FILE.json…    (packages: transformers of requirements.txt beside this file, jinja2==3.1.6)

A file is a list of cases, one a line: "template" (a source) or "file" (one beside it), "variables". The result is one of
"expected" (the text), "raises" (the text of the template's own raise_exception) and "fails" (true: any other error).
"""

import json
import pathlib
import sys

import jinja2
from transformers.utils.chat_template_utils import _compile_jinja_template


def result_of(source, variables):
    try:
        return {"expected": _compile_jinja_template(source).render(**variables)}
    except Exception as error:  # whatever Python raises inside a template
        return {"raises": str(error)} if type(error) is jinja2.TemplateError else {"fails": True}


def main(path):
    cases = []
    for case in json.loads(path.read_text()):
        source = case["template"] if "template" in case else (path.parent / case["file"]).read_bytes().decode()
        inputs = {key: case[key] for key in ("template", "file", "variables") if key in case}
        cases.append(inputs | result_of(source, case.get("variables", {})))
    lines = ",\n".join(json.dumps(case, ensure_ascii=False) for case in cases)
    path.write_text(f"[\n{lines}\n]\n")


for name in sys.argv[1:]:
    main(pathlib.Path(name))
