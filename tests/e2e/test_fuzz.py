"""Bodies that nobody means: every part of a request with every kind of JSON, broken bytes, random mutations. Each is
answered with JSON, by 2xx or by 4xx in the error envelope, and the connection goes on. INGOT_FUZZ_SECONDS: try everything,
and mutations for so long for each endpoint; else a part, and a second. INGOT_FUZZ_SEED: where the mutations start."""
import copy
import json
import os
import random
import time

import pytest

from wire import Connection, becomes, call, get, metric, post

SECONDS = float(os.environ.get("INGOT_FUZZ_SECONDS", 1))
SEED = int(os.environ.get("INGOT_FUZZ_SEED", 1))

COMPLETIONS, CHAT, TOKENIZE, DETOKENIZE = "/v1/completions", "/v1/chat/completions", "/tokenize", "/detokenize"
TOOL = {"type": "function", "function": {"name": "f", "description": "d", "parameters": {"type": "object"}}}
CALL = {"id": "c", "type": "function", "function": {"name": "f", "arguments": "{\"a\": 1}"}}
CONVERSATION = [
    {"role": "system", "content": "s", "name": "n"},
    {"role": "user", "content": [{"type": "text", "text": "a"}, {"type": "refusal", "refusal": "b"}, "c"]},
    {"role": "assistant", "content": None, "reasoning": "r", "tool_calls": [CALL]},
    {"role": "tool", "content": "1", "tool_call_id": "c"}]
GENERATION = [
    {"model": None, "user": "u", "request_id": "i", "priority": 1, "cache_salt": "s"},
    {"temperature": 0.5, "top_p": 0.9, "top_k": 5, "min_p": 0.1, "seed": 7, "n": 2},
    {"presence_penalty": 0.5, "frequency_penalty": 0.5, "repetition_penalty": 1.1, "logit_bias": {"5": 1.5}},
    {"stop": ["x", "yz"], "stop_token_ids": [5], "include_stop_str_in_output": True, "ignore_eos": True, "min_tokens": 1},
    {"stream": True, "stream_options": {"include_usage": True, "continuous_usage_stats": True}, "stream_interval": 2},
    {"bad_words": ["a", "b"], "allowed_token_ids": [5, 6, 7], "skip_special_tokens": True},
    {"truncate_prompt_tokens": 5, "truncation_side": "left", "add_special_tokens": True},
    {"prompt_logprobs": 1, "echo": True, "return_token_ids": True, "return_tokens_as_token_ids": True},
    {"repetition_detection": {"max_pattern_size": 3, "min_pattern_size": 1, "min_count": 2}},
    {"response_format": {"type": "text"}, "structured_outputs": None, "vllm_xargs": {}, "use_beam_search": False}]
BODIES = {
    COMPLETIONS: [{"prompt": prompt, "max_tokens": 2} for prompt in ("a", ["a", "b"], [5, 6], [[5], [6]])] +
                 [{"prompt": "Hi", "max_tokens": 2, **more} for more in GENERATION] +
                 [{"prompt": "Hi", "max_tokens": 2, "logprobs": 2, "logprob_token_ids": [5], "suffix": None}],
    CHAT: [{"messages": CONVERSATION, "max_completion_tokens": 2}] +
          [{"messages": [{"role": "user", "content": "Hi"}], "max_tokens": 2, **more} for more in GENERATION] +
          [{"messages": [{"role": "user", "content": "Hi"}], "max_tokens": 2, **more} for more in (
              {"logprobs": True, "top_logprobs": 2, "stream": True}, {"tools": [TOOL], "tool_choice": "none"},
              {"add_generation_prompt": False, "continue_final_message": True, "reasoning_effort": "low"},
              {"chat_template_kwargs": {"a": [1]}, "documents": [{"title": "t", "text": "x"}], "chat_template": None})],
    TOKENIZE: [{"prompt": "Hi", "add_special_tokens": True, "return_token_strs": True, "model": None},
               {"messages": CONVERSATION, "add_generation_prompt": True, "chat_template_kwargs": {"a": 1}}],
    DETOKENIZE: [{"tokens": [5, 6], "model": None}],
}
VALUES = [  # as they stand in the body
    b"null", b"true", b"false", b"0", b"1", b"-1", b"-0", b"0.5", b"1.0", b"2147483648", b"9223372036854775807",
    b"9223372036854775808", b"-9223372036854775809", b"18446744073709551616", b"9" * 400, b"-" + b"9" * 400, b"1e400",
    b"-1e400", b"1e308", b"1e-400", b"NaN", b"Infinity", b"01", b"+1", b".5", b"1.", b"0x1", b'""', b'"x"', b'"1"', b'"true"',
    b'"none"', '"日本😀"'.encode(), b'"\\u0000"', b'"a\\u0000b"', b'"a\0b"', b'"\\ud800"', b'"\\udc00\\ud800"',
    b'"\\ud83d\\ude00"', b'"\xff"', b'"\xc0\xaf"', b'"\xed\xa0\x80"', b'"\xf4\x90\x80\x80"', b'"\xf0\x9f\x98"', b"\xff",
    b'"' + b"long " * 4000 + b'"', b"[]", b"[null]", b"[0]", b"[1e400]", b'[""]', b'["x",1,null,{}]', b"[[]]", b"[[[]]]",
    b"[" + b"1," * 3000 + b"1]", b"[" * 100_000, b"[" * 100_000 + b"]" * 100_000, b"[" * 127 + b"]" * 127, b"{}", b'{"":0}',
    b'{"a":{"b":[{}]}}', b'{"a":' * 100_000 + b"1" + b"}" * 100_000, b'{"type":"text","type":1}', b'{"5":1e400}', b"{", b"}",
    b"'x'", b"undefined", b""]
MARK = "\x01mark\x01"


def no_constants(name):
    raise ValueError(f"{name} is no JSON")


def strict(data):
    return json.loads(data.decode(), parse_constant=no_constants)


def check_envelope(body, status):
    error = body["error"]
    assert list(error) == ["message", "type", "param", "code"] and error["code"] == status
    assert isinstance(error["message"], str) and error["message"] and isinstance(error["type"], str)
    assert error["param"] is None or isinstance(error["param"], str)


def is_cheap(path, body):
    """Whether answering takes a moment: it may ask for thousands of choices or tokens, or have no limit."""
    try:
        body = json.loads(body)
        if not isinstance(body, dict):
            return True
        limits = [body.get("max_completion_tokens"), body.get("max_tokens")]
        asked = [float(number or 0) for number in (body.get("n"), *limits)]
        return (path != CHAT or any(limits)) and all(number < 100 or number > 100_000 for number in asked)  # or refused
    except (ValueError, TypeError, OverflowError, RecursionError):
        return True


class Prober:
    """Sends bodies down one connection and judges what comes back."""

    def __init__(self, address, path):
        self.address, self.path, self.connection, self.statuses = address, path, Connection(address), {}

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.connection.__exit__()
        print(f"{self.path}: {dict(sorted(self.statuses.items()))}")

    def probe(self, body):
        if not is_cheap(self.path, body):
            return
        try:
            self.connection.send(post(self.path, body))
            response = self.connection.read()
            self.judge(response)
        except Exception as error:
            shown = body if len(body) < 2000 else body[:1000] + b" ... " + body[-1000:]
            raise AssertionError(f"{self.path} {shown!r}: {error!r}") from error
        self.statuses[response.status] = self.statuses.get(response.status, 0) + 1

    @staticmethod
    def judge(response):
        status = response.status
        assert status in (200, 400, 404), response
        assert response.headers.get("connection") != "close", response
        if not response.headers["content-type"].startswith("text/event-stream"):
            body = strict(response.body)
            return check_envelope(body, status) if status != 200 else None
        *chunks, done, end = response.body.split(b"\n\n")
        assert (done, end) == (b"data: [DONE]", b"")
        for chunk in chunks:
            assert chunk.startswith(b"data: ") and "error" not in strict(chunk[len(b"data: "):]), chunk
        return None


def places(value, path=()):
    """The paths of everything in a JSON value."""
    members = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, member in members:
        yield (*path, key)
        yield from places(member, (*path, key))


def with_mark(body, path):
    body = copy.deepcopy(body)
    place = body
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = MARK
    return json.dumps(body, ensure_ascii=False).encode()


@pytest.fixture
def stride(request):
    """One of so many is tried: a model takes its time."""
    if "INGOT_FUZZ_SECONDS" in os.environ:
        return 1
    return 40 if request.config.getoption("--server") else 4


@pytest.fixture(autouse=True)
def lives(address):
    yield
    assert call(address, get("/health")).status == 200
    assert becomes(lambda: metric(address, "vllm:num_requests_running") + metric(address, "vllm:num_requests_waiting") == 0)
    assert call(address, post(COMPLETIONS, {"prompt": "a", "max_tokens": 1})).status == 200


@pytest.mark.parametrize("path", BODIES)
def test_users_32_every_part_with_every_kind_of_json(address, path, stride):
    mark = json.dumps(MARK).encode()
    with Prober(address, path) as prober:
        for body in BODIES[path]:
            prober.probe(json.dumps(body).encode())
            for index, place in enumerate(places(body)):
                marked = with_mark(body, place)
                for value in VALUES[index % stride::stride]:
                    prober.probe(marked.replace(mark, value))
    assert prober.statuses[200] >= len(BODIES[path])


@pytest.mark.parametrize("path", BODIES)
def test_users_31_32_bodies_cut_short_doubled_and_deep(address, path, stride):
    with Prober(address, path) as prober:
        for body in BODIES[path]:
            text = json.dumps(body, ensure_ascii=False).encode()
            for cut in range(0, len(text), stride):
                prober.probe(text[:cut])
            for key, value in body.items():
                prober.probe(text[:-1] + b"," + json.dumps({key: value})[1:].encode())
                prober.probe(text[:-1] + b',"' + key.encode() + b'":[[]]}')
            for junk in (b"\0", b"x", b"{}", b"\xef\xbb\xbf", b"//", b" \t\r\n"):
                prober.probe(text + junk)
                prober.probe(junk + text)
        for depth in (126, 127, 128, 129, 100_000):
            for opening, closing in ((b"[", b"]"), (b'{"a":', b"}")):
                prober.probe(opening * depth)
                prober.probe(b'{"user":' + opening * depth + b"1" + closing * depth + b"}")


def mutated(draw, text, others):
    """The text after a few random edits of its bytes."""
    text = bytearray(text)
    for _ in range(draw.choice((1, 1, 1, 2, 4))):
        at = draw.randrange(len(text) + 1)
        size = draw.choice((1, 1, 2, 5, 20))
        edit = draw.randrange(6)
        if edit == 0 and at < len(text):
            text[at] ^= 1 << draw.randrange(8)
        elif edit == 1:
            del text[at:at + size]
        elif edit == 2:
            text[at:at] = text[at:at + size] * draw.choice((1, 2, 50))
        elif edit == 3:
            text[at:at + draw.choice((0, size))] = draw.choice(VALUES[:55])
        elif edit == 4:
            text[at:at + size] = draw.randbytes(draw.choice((0, size)))
        else:
            other = draw.choice(others)
            start = draw.randrange(len(other))
            text[at:at + size] = other[start:start + size]
    return bytes(text)


@pytest.mark.parametrize("path", BODIES)
def test_users_32_random_mutations(address, path):
    draw = random.Random(f"{SEED} {path}")
    seeds = [json.dumps(body, ensure_ascii=False).encode() for body in BODIES[path]]
    end = time.monotonic() + SECONDS
    with Prober(address, path) as prober:
        while time.monotonic() < end:
            prober.probe(mutated(draw, draw.choice(seeds), seeds))
