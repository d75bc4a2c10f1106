"""/tokenize, /detokenize, /load."""
import pytest

from wire import call, get, post

TEXT = "Hello 日本😀, and the rest."


def tokenize(address, **body):
    response = call(address, post("/tokenize", body))
    assert response.status == 200, response.body
    return response.json()


@pytest.mark.parametrize("text", [TEXT, "", "a\0b", " leading and trailing ", "<|im_start|>"])
def test_tokenize_and_back(address, text):
    reply = tokenize(address, prompt=text, add_special_tokens=False)
    assert list(reply) == ["count", "max_model_len", "tokens", "token_strs"]
    assert reply["count"] == len(reply["tokens"]) and reply["max_model_len"] > 0 and reply["token_strs"] is None
    back = call(address, post("/detokenize", {"tokens": reply["tokens"]}))
    assert (back.status, back.json()) == (200, {"prompt": text})


def test_users_21_a_special_token_is_one_id(address):
    reply = tokenize(address, prompt="<|im_start|>user", return_token_strs=True)
    assert reply["token_strs"][0] == "<|im_start|>" and len(reply["token_strs"]) == reply["count"]


def test_a_chat_is_tokenised_as_it_is_rendered(address):
    messages = [{"role": "user", "content": "Hi"}]
    reply = tokenize(address, messages=messages, return_token_strs=True)
    chat = call(address, post("/v1/chat/completions", {"messages": messages, "max_tokens": 1, "return_token_ids": True}))
    assert chat.json()["prompt_token_ids"] == reply["tokens"]
    assert "assistant" in "".join(reply["token_strs"][-4:])
    bare = tokenize(address, messages=messages, add_generation_prompt=False)
    assert bare["count"] < reply["count"] and reply["tokens"][:bare["count"]] == bare["tokens"]


def test_a_prompt_longer_than_the_context_is_counted(address):
    limit = tokenize(address, prompt="")["max_model_len"]
    assert tokenize(address, prompt="word " * limit * 2)["count"] > limit


@pytest.mark.parametrize("path, body, status", [
    ("/tokenize", {}, 400), ("/tokenize", {"prompt": 1}, 400), ("/tokenize", {"messages": []}, 400),
    ("/tokenize", {"prompt": "a", "model": "nope"}, 404), ("/tokenize", {"prompt": None}, 400), ("/tokenize", [], 400),
    ("/detokenize", {}, 400), ("/detokenize", {"tokens": [-1]}, 400), ("/detokenize", {"tokens": ["a"]}, 400),
    ("/detokenize", {"tokens": [2**62]}, 400), ("/detokenize", {"tokens": [], "model": "nope"}, 404)])
def test_what_is_refused(address, path, body, status):
    response = call(address, post(path, body))
    assert (response.status, response.json()["error"]["code"]) == (status, status)


def test_detokenize_of_nothing(address):
    assert call(address, post("/detokenize", {"tokens": []})).json() == {"prompt": ""}


def test_load_is_not_tracked(address):
    assert call(address, get("/load")).body == b'{"server_load":0}'
    assert call(address, post("/load", {})).status == 405 and call(address, get("/tokenize")).status == 405
