"""The render endpoints: what a request comes to, without running it."""
from wire import call, post

CHAT = {"messages": [{"role": "user", "content": "Hi"}]}


def render(address, path, body):
    response = call(address, post(path + "/render", body))
    assert response.status == 200, response.body
    return response.json()


def test_a_chat_shows_the_ids_that_a_reply_would_have(address):
    shown = render(address, "/v1/chat/completions", {**CHAT, "max_tokens": 3, "seed": 7, "stop": ["x"], "temperature": 0.5})
    reply = call(address, post("/v1/chat/completions", {**CHAT, "max_tokens": 1, "return_token_ids": True})).json()
    assert shown["token_ids"] == reply["prompt_token_ids"]
    assert shown["request_id"].startswith("chatcmpl-")
    assert shown["sampling_params"]["max_tokens"] == 3 and shown["sampling_params"]["seed"] == 7
    assert shown["sampling_params"]["stop"] == ["x"] and shown["sampling_params"]["temperature"] == 0.5
    assert "n" not in shown["sampling_params"] and shown["features"] is None and shown["stream"] is False


def test_a_completion_shows_a_request_a_prompt(address):
    shown = render(address, "/v1/completions", {"prompt": [[8, 9], [5, 6, 7]], "logit_bias": {"3": -1}, "priority": 4,
                                                "stream": True, "stream_options": {"include_usage": True}})
    assert [request["token_ids"] for request in shown] == [[8, 9], [5, 6, 7]]
    assert [request["request_id"][-2:] for request in shown] == ["-0", "-1"]
    for request in shown:
        assert request["sampling_params"]["logit_bias"] == {"3": -1.0} and request["sampling_params"]["max_tokens"] == 16
        assert request["priority"] == 4 and request["stream_options"]["include_usage"] is True


def test_what_is_refused(address):
    for body, status in [({}, 400), ({"prompt": ""}, 400), ({"prompt": "a", "model": "nope"}, 404),
                         ({"prompt": "a", "use_beam_search": True}, 400), ({"prompt": "a", "max_tokens": 10**7}, 400)]:
        assert call(address, post("/v1/completions/render", body)).status == status, body
