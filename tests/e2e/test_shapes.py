"""Replies look as vLLM's do, but where tests/api/shapes/deliberate.json says why not."""
import json

import pytest

import shapes

VLLM = json.loads((shapes.FOLDER / "vllm.json").read_text())
DELIBERATE = json.loads((shapes.FOLDER / "deliberate.json").read_text())


def without(value, names):
    if isinstance(value, dict):
        return {name: without(item, names) for name, item in value.items() if name not in names}
    return [without(item, names) for item in value] if isinstance(value, list) else value


def merged(events):
    """Like events that follow one another, once."""
    return [event for i, event in enumerate(events) if i == 0 or event != events[i - 1]]


def comparable(shape, name):
    dropped = set(DELIBERATE["*"]["dropped"]) | set(DELIBERATE.get(name, {}).get("dropped", []))
    shape = without(shape, dropped)
    return json.dumps(shape | {"events": merged(shape["events"])} if "events" in shape else shape)


@pytest.mark.parametrize("request_", shapes.requests(), ids=lambda request: request["name"])
def test_the_shape_is_as_vllm_has_it(real_server, url, request_):
    name = request_["name"]
    assert comparable(shapes.reply(url, request_), name) == comparable(VLLM[name], name)


def test_every_deliberate_difference_is_one(real_server, url):
    requests = {request["name"]: request for request in shapes.requests()}
    for name in DELIBERATE.keys() - {"*"}:
        rest = without([shapes.reply(url, requests[name]), VLLM[name]], set(DELIBERATE["*"]["dropped"]))
        assert rest[0] != rest[1], f"{name} needs no exception any more"
