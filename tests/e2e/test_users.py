"""Faults that users of other servers have met, each as a test with its number: requests at the edge, and their replies."""
import concurrent.futures
import os
import subprocess

import pytest

from wire import Connection, call, events, get, metric, post

PROMPT = "Once upon a time there was a little server that"
EMOJI = "日本😀 and 🎉"


def complete(address, **fields):
    return call(address, post("/v1/completions", {"prompt": PROMPT, "max_tokens": 8, "temperature": 0, **fields}))


def chat(address, messages=None, **fields):
    messages = messages or [{"role": "user", "content": "Hi"}]
    return call(address, post("/v1/chat/completions", {"messages": messages, "max_tokens": 8, "temperature": 0, **fields}))


def choice(response):
    assert response.status == 200, response.body
    return response.json()["choices"][0]


def streamed(address, path, **fields):
    response = call(address, post(path, {"max_tokens": 8, "temperature": 0, **fields, "stream": True}))
    assert response.status == 200, response.body
    return [event["choices"][0] for event in events(response.body)]


def refused(response, param=None):
    """A 400 with the envelope."""
    error = response.json()["error"]
    assert (response.status, error["code"]) == (400, 400) and error["message"] and error["type"]
    assert param is None or param in error["param"]
    return error


def ids_of(address, text):
    return call(address, post("/tokenize", {"prompt": text, "add_special_tokens": False})).json()["tokens"]


def test_users_01_sampled_tokens_are_in_the_nucleus(real_server, address):
    body = {"prompt": "The", "max_tokens": 16, "n": 8, "temperature": 0.7, "top_p": 0.8, "top_k": 20, "logprobs": 20}
    for seed in range(3):
        for each in call(address, post("/v1/completions", {**body, "seed": 100 * seed})).json()["choices"]:
            logprobs = each["logprobs"]
            for token, best in zip(logprobs["tokens"], logprobs["top_logprobs"]):
                assert len(best) >= 20 and sorted(best, key=best.get).index(token) >= len(best) - 20


@pytest.mark.parametrize("stream", [False, True])
def test_users_02_chat_logprobs_are_there(address, stream):
    fields = {"messages": [{"role": "user", "content": "Hi"}], "logprobs": True, "top_logprobs": 2, "max_tokens": 3}
    if stream:
        parts = [c["logprobs"]["content"] for c in streamed(address, "/v1/chat/completions", **fields) if c.get("logprobs")]
        content = sum(parts, [])
    else:
        content = choice(chat(address, **fields))["logprobs"]["content"]
    assert len(content) == 3 and all(len(token["top_logprobs"]) == 2 for token in content)


@pytest.mark.parametrize("top", [0, 2])
@pytest.mark.parametrize("path", ["/v1/completions", "/v1/chat/completions"])
def test_users_03_04_logprobs_are_the_same_streamed_and_plain(address, path, top):
    body = {"prompt": PROMPT, "logprobs": top, "max_tokens": 6, "temperature": 0}
    if path.endswith("chat/completions"):
        body.update(messages=[{"role": "user", "content": "Hi"}], logprobs=True, top_logprobs=top)
    plain = choice(call(address, post(path, body)))["logprobs"]
    parts = [c["logprobs"] for c in streamed(address, path, **body) if c.get("logprobs")]
    assert {key: sum((part[key] for part in parts), []) for key in parts[0]} == {key: plain[key] for key in parts[0]}
    if "content" in plain:
        assert len(plain["content"]) == 6 and all(len(token["top_logprobs"]) == top for token in plain["content"])
    else:  # the chosen token is always there
        assert len(plain["token_logprobs"]) == 6 and all(top <= len(best) <= top + 1 for best in plain["top_logprobs"])


def test_users_07_streamed_logprobs_beside_tools(address):
    tools = [{"type": "function", "function": {"name": "f", "parameters": {"type": "object"}}}]
    choices = streamed(address, "/v1/chat/completions", messages=[{"role": "user", "content": "Hi"}], tools=tools,
                       tool_choice="none", logprobs=True, max_tokens=3, ignore_eos=True)
    assert sum(len(c["logprobs"]["content"]) for c in choices if c.get("logprobs")) == 3


def test_users_09_allowed_ids_and_bad_words_hold_when_greedy(real_server, address):
    allowed = choice(complete(address, allowed_token_ids=[500, 600], return_token_ids=True))
    assert set(allowed["token_ids"]) <= {500, 600} and len(allowed["token_ids"]) == 8
    text = choice(complete(address))["text"]
    word = text.split()[0]
    assert word not in choice(complete(address, bad_words=[word]))["text"].split()


@pytest.mark.parametrize("bias", [{"99999999": 5}, {"-1": 5}, {"abc": 5}, {"5": "x"}])
def test_users_10_logit_bias_outside_the_vocabulary(address, bias):
    refused(chat(address, logit_bias=bias), "logit_bias")
    assert chat(address).status == 200


def test_users_10_logit_bias_beyond_all_bounds_is_clamped(address):
    assert choice(chat(address, logit_bias={"5": 1e9, "6": -1e300}))["finish_reason"]


def test_users_11_logit_bias_bans_and_forces(real_server, address):
    first = choice(complete(address, max_tokens=1, return_token_ids=True))["token_ids"][0]
    banned = choice(complete(address, max_tokens=1, return_token_ids=True, logit_bias={str(first): -100}))
    assert banned["token_ids"][0] != first
    forced = choice(complete(address, max_tokens=4, return_token_ids=True, logit_bias={"777": 100}))
    assert forced["token_ids"] == [777] * 4


@pytest.mark.parametrize("ask, path", [(complete, "/v1/completions"), (chat, "/v1/chat/completions")])
def test_users_14_stop_strings_across_tokens(address, ask, path):
    """Wherever a stop string lies, the text ends before it, and no part of it leaks into the stream."""
    def text_of(reply):
        return reply["text"] if "text" in reply else reply["message"]["content"]

    fields = {"max_tokens": 16, "messages": [{"role": "user", "content": "Tell me of a fox and its friends."}]}
    fields = fields if ask is chat else {"max_tokens": 16, "prompt": PROMPT}
    whole = text_of(choice(ask(address, **fields)))
    assert len(whole) > 20
    for at in range(0, len(whole) - 6, 5):
        stop = whole[at:at + 6]
        plain = choice(ask(address, **fields, stop=[stop]))
        assert (text_of(plain), plain["stop_reason"]) == (whole[:whole.index(stop)], stop)
        chunks = streamed(address, path, **fields, stop=stop)
        joined = "".join(c["text"] if "text" in c else c["delta"].get("content") or "" for c in chunks)
        assert joined == text_of(plain) and chunks[-1]["finish_reason"] == "stop"


@pytest.mark.parametrize("stream", [False, True])
def test_users_16_json_with_a_stop_is_not_taken_for_prose(address, stream):
    refused(chat(address, response_format={"type": "json_object"}, stop=["}"], stream=stream), "response_format")


def test_users_18_19_characters_of_several_tokens_stay_whole(real_server, address):
    """Only tokens that are parts of characters may come: what is streamed is what is told at once."""
    prompt = {"prompt": EMOJI * 3, "temperature": 1.5}
    for seed in range(6):
        fields = {**prompt, "seed": seed, "max_tokens": 1 + 3 * seed, "allowed_token_ids": ids_of(address, EMOJI)}
        plain = choice(complete(address, **fields))
        chunks = streamed(address, "/v1/completions", **fields)
        assert "".join(c["text"] for c in chunks) == plain["text"] and plain["finish_reason"] == "length"
        for chunk in chunks[:-1]:
            assert not chunk["text"].endswith("\ufffd") or plain["text"].startswith(chunk["text"])


def test_users_18_echo_of_characters_of_several_tokens(real_server, address):
    assert choice(complete(address, prompt=EMOJI, echo=True, max_tokens=1))["text"].startswith(EMOJI)


def test_users_20_pieces_are_decoded(real_server, address):
    text = choice(complete(address, max_tokens=48))["text"]
    assert " " in text and "Ġ" not in text and "Ċ" not in text


@pytest.mark.parametrize("ask", [complete, chat])
def test_users_22_null_fields_are_absent(address, ask):
    nulls = dict.fromkeys(["model", "temperature", "stop", "seed", "top_p", "n", "logit_bias", "stream", "user", "tools"])
    assert choice(ask(address, **nulls))["finish_reason"]
    assert choice(ask(address, max_tokens=None, max_completion_tokens=2, **nulls))


def test_users_23_max_completion_tokens(address):
    reply = call(address, post("/v1/chat/completions", {
        "messages": [{"role": "user", "content": "Tell a long story."}], "max_completion_tokens": 3, "temperature": 0}))
    assert choice(reply)["finish_reason"] == "length" and reply.json()["usage"]["completion_tokens"] == 3


@pytest.mark.parametrize("prompt", ["", [""], [], [[]], ["a", ""], [[1], []], None])
@pytest.mark.parametrize("stream", [False, True])
def test_users_26_empty_prompts(address, prompt, stream):
    refused(complete(address, prompt=prompt, stream=stream), "prompt")
    assert choice(complete(address)) and call(address, get("/health")).status == 200


def test_users_26_no_messages(address):
    refused(call(address, post("/v1/chat/completions", {"messages": []})), "messages")
    assert choice(chat(address, [{"role": "user", "content": ""}])) and call(address, get("/health")).status == 200


@pytest.mark.parametrize("max_tokens", [10_000_000, 0, -1, 2**63, 1.5])
def test_users_27_max_tokens_out_of_range(address, max_tokens):
    refused(complete(address, max_tokens=max_tokens), "max_tokens")


@pytest.mark.parametrize("stream", [False, True])
def test_users_28_prompt_of_three_contexts(address, stream):
    limit = call(address, get("/v1/models")).json()["data"][0]["max_model_len"]
    error = refused(complete(address, prompt="a " * (3 * limit), stream=stream), "input_tokens")
    assert str(limit) in error["message"]
    by_ids = refused(complete(address, prompt=[5] * (3 * limit), stream=stream), "input_tokens")
    assert str(limit) in by_ids["message"] and str(3 * limit) in by_ids["message"]


@pytest.mark.parametrize("length", [2047, 2048, 2049, 2064, 4096])
def test_users_30_prompts_about_the_step_budget(real_server, address, length):
    reply = complete(address, prompt=[(7 * i) % 5000 + 100 for i in range(length)], max_tokens=1)
    assert choice(reply)["finish_reason"] == "length" and reply.json()["usage"]["prompt_tokens"] == length


@pytest.mark.parametrize("body", [
    b'{"prompt":"\xff\xfe"}', '{"prompt":"你好"}'.encode("gbk"), b'{"prompt":"\\ud800"}', b'{"prompt":"\\udc00x"}',
    b"{:", b'{"prompt":', b"", b"null", b"[]", b'"a"', b'{"prompt":"a"}}', b"\xef\xbb\xbf\x00"])
def test_users_31_bodies_that_are_no_json(address, body):
    refused(call(address, post("/v1/completions", body)))
    refused(call(address, post("/v1/chat/completions", body)))


def test_users_31_nul_is_a_character(address):
    assert choice(complete(address, prompt="a\0b"))["finish_reason"]


VALUES = ["x", "", 1, -1, 1.5, True, [], [1], ["x"], [None], {}, {"a": 1}, 1e300, -(2**63), "日", [[]], [{}]]
FIELDS = ["model", "prompt", "messages", "max_tokens", "temperature", "top_p", "top_k", "min_p", "n", "stop", "seed", "echo",
          "logprobs", "top_logprobs", "stream", "stream_options", "logit_bias", "presence_penalty", "frequency_penalty",
          "repetition_penalty", "user", "stop_token_ids", "bad_words", "allowed_token_ids", "min_tokens", "prompt_logprobs",
          "priority", "request_id", "cache_salt", "add_special_tokens", "truncate_prompt_tokens", "tools", "tool_choice",
          "response_format", "chat_template", "chat_template_kwargs", "documents", "suffix", "ignore_eos", "return_token_ids"]


@pytest.mark.parametrize("path, body", [
    ("/v1/completions", {"prompt": "a", "max_tokens": 1}),
    ("/v1/chat/completions", {"messages": [{"role": "user", "content": "a"}], "max_tokens": 1})])
def test_users_32_each_field_with_each_type(address, path, body):
    with Connection(address, timeout=30) as connection:
        for field in FIELDS:
            for value in VALUES:
                connection.send(post(path, {**body, field: value}))
                response = connection.read()
                assert response.status in (200, 400, 404), (field, value, response.body)
                if response.status != 200:
                    assert response.json()["error"]["code"] == response.status


def test_users_32_duplicate_keys(address):
    assert call(address, post("/v1/completions", b'{"prompt":"a","max_tokens":9,"max_tokens":1}')).json()[
        "usage"]["completion_tokens"] == 1


def test_users_113_suffix_is_refused_by_name(address):
    assert "suffix" in refused(complete(address, prompt="def f(", suffix="return 1"), "suffix")["message"]


def test_users_35_a_chat_has_one_bos(real_server, address):
    """The template of this model begins with <|im_start|>, its BOS."""
    messages = [{"role": "user", "content": "Hi"}]
    ids = call(address, post("/tokenize", {"messages": messages})).json()["tokens"]
    reply = chat(address, messages, return_token_ids=True).json()
    assert reply["prompt_token_ids"] == ids and reply["usage"]["prompt_tokens"] == len(ids)
    bos = ids_of(address, "<|im_start|>")
    assert len(bos) == 1 and ids[0] == bos[0] and ids[1] != bos[0]


@pytest.mark.parametrize("assistant", [
    {"content": None}, {}, {"content": ""}, {"content": []}, {"content": [{"type": "text", "text": "a"}]}])
def test_users_36_37_empty_contents(address, assistant):
    call_of = [{"id": "c", "type": "function", "function": {"name": "f", "arguments": "{}"}}]
    for calls in ({}, {"tool_calls": call_of}):
        messages = [{"role": "system", "content": ""}, {"role": "user", "content": "Hi"},
                    {"role": "assistant", **assistant, **calls}, {"role": "user", "content": "And?"}]
        if calls:
            messages.insert(3, {"role": "tool", "tool_call_id": "c", "content": "1"})
        assert choice(chat(address, messages))["finish_reason"]


def test_users_40_a_chat_ends_with_its_turn(real_server, address):
    """Trained to end with <|im_end|>, which stands nowhere in the text."""
    reply = choice(chat(address, [{"role": "user", "content": "Reply with one word: hello"}], max_tokens=200))
    assert reply["finish_reason"] == "stop" and "<|im_" not in reply["message"]["content"]


def test_users_42_tools_stay_out_where_none_may_be_called(address):
    tools = [{"type": "function", "function": {"name": "look_up_weather", "parameters": {"type": "object"}}}]
    bare, given = (chat(address, return_token_ids=True, **more).json() for more in (
        {}, {"tools": tools, "tool_choice": "none"}))
    assert given["prompt_token_ids"] == bare["prompt_token_ids"]
    assert given["choices"][0]["message"]["content"] == bare["choices"][0]["message"]["content"]


def test_users_115_ids_past_the_vocabulary_are_refused_by_name(address):
    for field in ("allowed_token_ids", "stop_token_ids"):
        refused(complete(address, **{field: [5, 10**6]}), field)
    refused(complete(address, logprobs=1, logprob_token_ids=[10**6]), "logprob_token_ids")
    assert choice(complete(address))


@pytest.mark.parametrize("path, body", [
    ("/v1/completions", {"prompt": "a"}), ("/v1/chat/completions", {"messages": [{"role": "user", "content": "a"}]})])
def test_users_58_usage_only_when_asked_for(address, path, body):
    def chunks(**options):
        return events(call(address, post(path, {**body, "max_tokens": 3, "ignore_eos": True, "stream": True, **options})).body)

    assert not any(chunk.get("usage") for chunk in chunks())
    *others, last = chunks(stream_options={"include_usage": True})
    assert last["choices"] == [] and last["usage"]["completion_tokens"] == 3
    assert all(chunk["choices"] and not chunk.get("usage") for chunk in others)


def test_users_59_choices_differ_and_end_alone(real_server, address):
    fields = {"messages": [{"role": "user", "content": "Name a colour."}], "n": 4, "seed": 1, "temperature": 1.5}
    replies = [chat(address, **fields).json() for _ in range(2)]
    texts = [[c["message"]["content"] for c in reply["choices"]] for reply in replies]
    assert texts[0] == texts[1] and len(set(texts[0])) == 4
    joined = [""] * 4
    for event in streamed(address, "/v1/chat/completions", **fields):
        joined[event["index"]] += event["delta"].get("content") or ""
    assert joined == texts[0]


def test_users_62_the_same_request_again(real_server, address):
    """At and about the size of a block, where a whole prompt may be a hit."""
    for length in (15, 16, 17, 31, 32, 33):
        prompt = [(length * 31 + 7 * i) % 5000 + 100 for i in range(length)]
        texts = {choice(complete(address, prompt=prompt))["text"] for _ in range(3)}
        assert len(texts) == 1 and texts != {""}


def test_users_63_lengths_that_differ_side_by_side(address):
    """Ten, 26 and more tokens in the same steps; then the server still answers."""
    prompts = [[(31 * length + 7 * i) % 90 + 20 for i in range(length)] for length in (10, 26, 1, 100, 16, 17)]
    alone = [choice(complete(address, prompt=prompt))["text"] for prompt in prompts]
    with concurrent.futures.ThreadPoolExecutor(len(prompts)) as pool:
        assert [choice(reply)["text"] for reply in pool.map(lambda p: complete(address, prompt=p), prompts)] == alone
    assert call(address, get("/health")).status == 200


def test_users_65_hit_and_miss_say_the_same(real_server, address):
    shared = [(13 * i) % 7000 + 100 for i in range(300)]
    fresh = choice(complete(address, prompt=shared + [500], logprobs=2, cache_salt="other"))
    complete(address, prompt=shared)
    hit = choice(complete(address, prompt=shared + [500], logprobs=2))
    assert (hit["text"], hit["logprobs"]) == (fresh["text"], fresh["logprobs"])


def test_users_66_a_shared_prefix_is_a_hit(real_server, address):
    """Whole blocks of 16 of a prompt that came before, with another ending; other salts share nothing."""
    def hits(**fields):
        before = metric(address, "vllm:prefix_cache_hits_total")
        assert choice(complete(address, max_tokens=1, **fields))
        return metric(address, "vllm:prefix_cache_hits_total") - before

    shared = [(17 * i) % 6000 + 200 for i in range(100)]
    assert hits(prompt=shared) == 0
    assert hits(prompt=shared + [500, 501, 502]) == 96
    assert hits(prompt=shared) == 96
    assert hits(prompt=shared[:50]) == 48 and hits(prompt=[7] + shared) == 0
    assert hits(prompt=shared, cache_salt="another") == 0


def test_users_66_cached_tokens_are_told(own_server):
    address = own_server("--enable-prompt-tokens-details").address
    replies = [complete(address, prompt=[300 + i for i in range(50)] + [last]).json() for last in (5, 6)]
    assert [reply["usage"]["prompt_tokens_details"]["cached_tokens"] for reply in replies] == [0, 48]


def test_users_68_blocks_run_out(own_server):
    """Four requests that need 0.6 of the pool each: they take turns, and say what they would say alone."""
    address = own_server("--num-gpu-blocks-override", "17", "--max-model-len", "256").address
    fields = {"max_tokens": 100, "ignore_eos": True}
    prompts = [[(13 * k + 7 * i) % 5000 + 100 for i in range(54)] for k in range(4)]
    alone = [choice(complete(address, prompt=prompt, **fields))["text"] for prompt in prompts]
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        together = list(pool.map(lambda prompt: choice(complete(address, prompt=prompt, **fields))["text"], prompts))
    assert together == alone and metric(address, "vllm:num_preemptions_total") > 0


def test_users_70_a_pool_beyond_memory_is_refused(real_server):
    command = [os.environ["INGOT_E2E_BUILD"] + "/ingot", "serve", "--port", "0", "--num-gpu-blocks-override", "100000000"]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=30)
    assert ended.returncode == 1 and "num-gpu-blocks-override" in ended.stderr


def test_users_73_chats_one_after_the_other(address):
    assert len({choice(chat(address))["message"]["content"] for _ in range(4)}) == 1


def test_users_75_preflight(address):
    preflight = call(address, get("/v1/chat/completions", method="OPTIONS", headers=[
        "Origin: http://a.test", "Access-Control-Request-Method: POST",
        "Access-Control-Request-Headers: authorization,content-type"]))
    assert preflight.status in (200, 204) and preflight.headers["access-control-allow-origin"] == "*"
    assert "POST" in preflight.headers["access-control-allow-methods"]
    assert preflight.headers["access-control-allow-headers"] == "authorization,content-type"


@pytest.mark.parametrize("path", ["/health", "/v1/models", "/v1/nope", "/v1/chat/completions"])
def test_users_76_every_response_may_be_read_by_scripts(address, path):
    assert call(address, get(path, ["Origin: http://a.test"])).headers["access-control-allow-origin"] == "*"


@pytest.mark.parametrize("path", ["/v1/completions", "/v1/chat/completions"])
def test_users_80_unknown_models_are_not_opened(address, path):
    body = {"model": "nope", "prompt": "a", "messages": [{"role": "user", "content": "a"}]}
    response = call(address, post(path, body))
    assert response.status == 404 and response.json()["error"] == {
        "message": "The model `nope` does not exist.", "type": "NotFoundError", "param": "model", "code": 404}
