"""The shape of a reply: keys in their order and the types of values, without what differs from run to run.

shapes.py URL writes the shapes of a server's replies to the requests of tests/api/shapes/requests.json, a line each."""
import json
import pathlib
import sys
import urllib.error
import urllib.request

FOLDER = pathlib.Path(__file__).parent.parent / "api" / "shapes"
LITERAL = {"object", "role", "finish_reason", "type", "code", "param", "detail"}


def shape(value, key=None):
    if isinstance(value, dict):
        if key in ("top_logprobs", "logit_bias") or (value and all(name.isdigit() for name in value)):
            return {"*": shape(next(iter(value.values()), None))}
        return {name: shape(item, name) for name, item in value.items()}
    if isinstance(value, list):
        kinds = []
        for item in value:
            kind = shape(item, key)
            if kind not in kinds:
                kinds.append(kind)
        return kinds
    if key in LITERAL:
        return value
    return {str: "string", bool: "boolean", int: "integer", float: "number", type(None): None}[type(value)]


def events(text):
    """The shapes of a stream's events; like ones that follow one another count once."""
    shapes = []
    for event in text.split("\n\n"):
        data = event.removeprefix("data: ")
        if not data:
            continue
        kind = data if data == "[DONE]" else shape(json.loads(data))
        if not shapes or shapes[-1] != kind:
            shapes.append(kind)
    return shapes


def reply(url, request):
    body = request.get("raw", json.dumps(request["body"]) if "body" in request else None)
    headers = {"content-type": request.get("content_type", "application/json")} if body is not None else {}
    call = urllib.request.Request(url + request["path"], body and body.encode(), headers,
                                  method=request.get("method", "POST"))
    try:
        with urllib.request.urlopen(call, timeout=120) as answer:
            status, kind, text = answer.status, answer.headers.get("content-type"), answer.read().decode()
    except urllib.error.HTTPError as error:
        status, kind, text = error.code, error.headers.get("content-type"), error.read().decode()
    if kind and kind.startswith("text/event-stream"):
        return {"status": status, "events": events(text)}
    return {"status": status, "body": shape(json.loads(text)) if text else None}


def requests():
    return json.loads((FOLDER / "requests.json").read_text())


if __name__ == "__main__":
    lines = [f'"{request["name"]}": {json.dumps(reply(sys.argv[1], request))}' for request in requests()]
    print("{\n" + ",\n".join(lines) + "\n}")
