"""The openai client against any server: chat, completions, streams, usage, logprobs, stop, errors."""
import openai
import pytest

PROMPT = "Once upon a time there was a little server that"
MESSAGES = [{"role": "user", "content": "Tell me about the quick brown fox."}]


def chat(client, model, **kwargs):
    kwargs = {"max_tokens": 12, "temperature": 0, **kwargs}
    return client.chat.completions.create(model=model, messages=kwargs.pop("messages", MESSAGES), **kwargs)


def complete(client, model, **kwargs):
    kwargs = {"max_tokens": 12, "temperature": 0, **kwargs}
    return client.completions.create(model=model, prompt=kwargs.pop("prompt", PROMPT), **kwargs)


def counts(usage):
    return usage.prompt_tokens, usage.completion_tokens, usage.total_tokens  # cached tokens differ the second time


def test_models(client, model):
    card = client.models.list().data[0]
    assert card.id == model and card.object == "model" and card.max_model_len > 0


def test_chat(client, model):
    reply = chat(client, model)
    choice = reply.choices[0]
    assert reply.id.startswith("chatcmpl-") and reply.object == "chat.completion" and reply.model == model
    assert choice.message.role == "assistant" and choice.message.content
    assert choice.finish_reason == "length" and reply.usage.completion_tokens == 12
    assert reply.usage.total_tokens == reply.usage.prompt_tokens + 12


def test_chat_without_max_tokens_or_model_name(client):
    reply = client.chat.completions.create(
        model="", messages=[{"role": "user", "content": "Say hi."}], temperature=0, max_tokens=None, stop=None, seed=None,
        extra_body={"max_completion_tokens": 3})
    assert reply.usage.completion_tokens <= 3


def test_completion(client, model):
    reply = complete(client, model)
    assert reply.id.startswith("cmpl-") and reply.object == "text_completion"
    assert reply.choices[0].text and reply.choices[0].finish_reason == "length"
    assert reply.usage.completion_tokens == 12


def test_completion_of_ids_and_of_several_prompts(client, model):
    ids = complete(client, model, prompt=[[10, 20, 30], [40, 50]], n=1, max_tokens=2)
    assert [choice.index for choice in ids.choices] == [0, 1] and ids.usage.prompt_tokens == 5
    texts = complete(client, model, prompt=["One two", "Hello"], n=2, temperature=1, seed=3, max_tokens=2)
    assert [choice.index for choice in texts.choices] == [0, 1, 2, 3] and texts.usage.completion_tokens <= 8


def test_chat_stream_joins_to_the_plain_reply(client, model):
    plain = chat(client, model, max_tokens=24)
    chunks = list(chat(client, model, max_tokens=24, stream=True, stream_options={"include_usage": True}))
    assert chunks[0].choices[0].delta.role == "assistant" and chunks[0].choices[0].delta.content == ""
    assert len({chunk.id for chunk in chunks}) == 1 and len({chunk.created for chunk in chunks}) == 1
    assert "".join(c.choices[0].delta.content or "" for c in chunks if c.choices) == plain.choices[0].message.content
    reasons = [c.choices[0].finish_reason for c in chunks if c.choices]
    assert reasons[-1] == plain.choices[0].finish_reason and not any(reasons[:-1])
    assert chunks[-1].choices == [] and counts(chunks[-1].usage) == counts(plain.usage)
    assert all(chunk.usage is None for chunk in chunks[:-1])


def test_completion_stream_joins_to_the_plain_reply(client, model):
    plain = complete(client, model, max_tokens=24)
    chunks = list(complete(client, model, max_tokens=24, stream=True))
    assert "".join(chunk.choices[0].text for chunk in chunks) == plain.choices[0].text
    assert chunks[-1].choices[0].finish_reason == plain.choices[0].finish_reason
    assert all(chunk.usage is None for chunk in chunks)


def test_continuous_usage(client, model):
    options = {"include_usage": True, "continuous_usage_stats": True}
    chunks = list(chat(client, model, max_tokens=6, stream=True, stream_options=options))
    counts = [chunk.usage.completion_tokens for chunk in chunks]
    assert counts == sorted(counts) and counts[0] == 0 and counts[-1] == 6


def test_several_choices(client, model):
    plain = chat(client, model, n=3, temperature=1.0, seed=7)
    assert [choice.index for choice in plain.choices] == [0, 1, 2]
    assert plain.usage.completion_tokens <= 36
    texts = {0: "", 1: "", 2: ""}
    for chunk in chat(client, model, n=3, temperature=1.0, seed=7, stream=True):
        texts[chunk.choices[0].index] += chunk.choices[0].delta.content or ""
    assert texts == {choice.index: choice.message.content for choice in plain.choices}


@pytest.mark.parametrize("stream", [False, True])
def test_chat_logprobs(client, model, stream):
    if stream:
        chunks = list(chat(client, model, logprobs=True, top_logprobs=2, stream=True))
        tokens = [t for c in chunks if c.choices[0].logprobs for t in c.choices[0].logprobs.content]
        content = "".join(c.choices[0].delta.content or "" for c in chunks)
    else:
        choice = chat(client, model, logprobs=True, top_logprobs=2).choices[0]
        tokens, content = choice.logprobs.content, choice.message.content
    assert len(tokens) == 12 and all(len(token.top_logprobs) == 2 for token in tokens)
    assert all(token.logprob <= 0 and bytes(token.bytes).decode() == token.token for token in tokens)
    assert content in "".join(token.token for token in tokens)


def test_users_3_logprobs_of_the_chosen_token_only(client, model):
    logprobs = complete(client, model, logprobs=0).choices[0].logprobs
    assert len(logprobs.token_logprobs) == 12
    assert chat(client, model, logprobs=True).choices[0].logprobs.content[0].top_logprobs == []


def test_users_4_stream_has_the_logprobs_of_the_plain_reply(client, model):
    plain = complete(client, model, logprobs=2).choices[0].logprobs
    chunks = list(complete(client, model, logprobs=2, stream=True))
    parts = [chunk.choices[0].logprobs for chunk in chunks if chunk.choices[0].logprobs]
    for field in ("tokens", "token_logprobs", "text_offset", "top_logprobs"):
        assert sum((getattr(part, field) for part in parts), []) == getattr(plain, field)


def test_users_14_stop_string_over_tokens(client, model):
    text = complete(client, model, max_tokens=24).choices[0].text
    stop = text[9:15]
    expected = text[:text.index(stop)]
    plain = complete(client, model, max_tokens=24, stop=stop).choices[0]
    assert (plain.text, plain.finish_reason, plain.stop_reason) == (expected, "stop", stop)
    chunks = list(complete(client, model, max_tokens=24, stop=[stop], stream=True))
    assert "".join(chunk.choices[0].text for chunk in chunks) == expected
    assert chunks[-1].choices[0].stop_reason == stop
    kept = complete(client, model, max_tokens=24, stop=stop, extra_body={"include_stop_str_in_output": True})
    assert kept.choices[0].text == expected + stop


def test_return_token_ids(client, model):
    reply = complete(client, model, max_tokens=3, extra_body={"return_token_ids": True}).choices[0]
    assert len(reply.token_ids) == 3 and len(reply.prompt_token_ids) > 3


def test_request_id(client, model):
    reply = chat(client, model, max_tokens=1, extra_headers={"X-Request-Id": "abc"})
    assert reply.id == "chatcmpl-abc"


def test_unknown_model(client):
    with pytest.raises(openai.NotFoundError) as error:
        chat(client, "nope")
    assert error.value.body["message"] == "The model `nope` does not exist."
    assert error.value.body["type"] == "NotFoundError" and error.value.body["code"] == 404


@pytest.mark.parametrize("stream", [False, True])
def test_users_28_prompt_too_long(client, model, stream):
    limit = client.models.list().data[0].max_model_len
    with pytest.raises(openai.BadRequestError) as error:
        complete(client, model, prompt="a " * (3 * limit), stream=stream)
    assert error.value.body["param"] == "input_tokens" and str(limit) in error.value.body["message"]


@pytest.mark.parametrize("prompt", ["", [], [[]], [""]])
def test_users_26_empty_prompt(client, model, prompt):
    with pytest.raises(openai.BadRequestError):
        complete(client, model, prompt=prompt)


@pytest.mark.parametrize("field, value", [("temperature", 3), ("top_p", 0), ("n", 0), ("max_tokens", -1)])
def test_bad_values_name_their_field(client, model, field, value):
    with pytest.raises(openai.BadRequestError) as error:
        chat(client, model, **{field: value})
    assert field in (error.value.body["param"] or "")


def test_no_messages(client, model):
    with pytest.raises(openai.BadRequestError):
        chat(client, model, messages=[])
