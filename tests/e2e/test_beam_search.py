"""Beam search against one that the client does itself, by requests of one token."""
import math

import pytest

from wire import call, post

PROMPT = "The capital of France is"


def completion(address, **body):
    response = call(address, post("/v1/completions", body))
    assert response.status == 200, response.body
    return response.json()


def tokens_of(address, text):
    return call(address, post("/tokenize", {"prompt": text})).json()["tokens"]


def best_next(address, ids, count):
    """The `count` best next tokens: [(id, logprob)], best first."""
    reply = completion(address, prompt=ids, max_tokens=1, temperature=0, logprobs=count,
                       return_tokens_as_token_ids=True, ignore_eos=True)
    top = reply["choices"][0]["logprobs"]["top_logprobs"][0]
    best = [(int(name.removeprefix("token_id:")), logprob) for name, logprob in top.items()]
    return sorted(best, key=lambda pair: -pair[1])[:count]


def search(address, prompt, width, max_tokens, length_penalty, eos):
    live, done = [((), 0.0)], []
    for _ in range(max_tokens):
        candidates = []
        for ids, total in live:
            for token, logprob in best_next(address, prompt + list(ids), 2 * width):
                if token in eos:
                    done.append((ids, total + logprob, "stop"))
                else:
                    candidates.append((ids + (token,), total + logprob))
        live = sorted(candidates, key=lambda beam: -beam[1])[:width]
    done += [(ids, total, "length") for ids, total in live]
    score = {beam: beam[1] / math.pow(len(prompt) + len(beam[0]), length_penalty) for beam in done}
    return sorted(done, key=lambda beam: -score[beam])[:width]


def eos_ids(address):
    reply = completion(address, prompt="a", max_tokens=1)
    assert reply["choices"]
    return set(tokens_of(address, "<|im_end|>")[-1:])


@pytest.mark.parametrize("width, max_tokens, length_penalty", [(1, 4, 1.0), (3, 6, 1.0), (4, 5, 0.0), (2, 5, 3.0)])
def test_beams_are_those_of_a_search_by_hand(real_server, address, width, max_tokens, length_penalty):
    eos = eos_ids(address)
    for text in (PROMPT, "<|im_start|>user\nSay yes.<|im_end|>\n<|im_start|>assistant\nYes."):
        prompt = tokens_of(address, text)
        reply = completion(address, prompt=prompt, use_beam_search=True, n=width, max_tokens=max_tokens, temperature=0,
                           length_penalty=length_penalty, return_token_ids=True)
        got = [(tuple(c["token_ids"]), c["finish_reason"]) for c in reply["choices"]]
        expected = search(address, prompt, width, max_tokens, length_penalty, eos)
        assert got == [(ids, finish) for ids, _, finish in expected]
        assert [c["index"] for c in reply["choices"]] == list(range(width))
        assert reply["usage"]["completion_tokens"] == sum(len(ids) for ids, _ in got)
        assert reply["usage"]["prompt_tokens"] == len(prompt)


def test_beams_carry_text_and_logprobs(real_server, address):
    reply = completion(address, prompt=PROMPT, use_beam_search=True, n=3, max_tokens=5, logprobs=2, temperature=0)
    sums = []
    for choice in reply["choices"]:
        logprobs = choice["logprobs"]
        assert "".join(logprobs["tokens"]) == choice["text"]
        assert all(2 <= len(top) <= 3 for top in logprobs["top_logprobs"])
        sums.append(sum(logprobs["token_logprobs"]))
    assert sums == sorted(sums, reverse=True)  # of equal length


def test_a_chat_streams_its_finished_beams(address, client, model):
    messages = [{"role": "user", "content": "Say hi"}]
    extra = {"use_beam_search": True, "ignore_eos": True}
    whole = client.chat.completions.create(model=model, messages=messages, n=2, max_tokens=4, extra_body=extra)
    texts = {0: "", 1: ""}
    finish = {}
    with client.chat.completions.create(model=model, messages=messages, n=2, max_tokens=4, stream=True,
                                        extra_body=extra) as stream:
        for chunk in stream:
            for choice in chunk.choices:
                texts[choice.index] += choice.delta.content or ""
                finish[choice.index] = choice.finish_reason or finish.get(choice.index)
    assert [texts[c.index] for c in whole.choices] == [c.message.content for c in whole.choices]
    assert finish == {0: "length", 1: "length"}


def test_each_prompt_has_its_own_beams(address):
    alone = [completion(address, prompt=p, use_beam_search=True, n=2, max_tokens=3)["choices"] for p in ("a b", "c d")]
    both = completion(address, prompt=["a b", "c d"], use_beam_search=True, n=2, max_tokens=3)["choices"]
    assert [c["text"] for c in both] == [c["text"] for choices in alone for c in choices]
    assert [c["index"] for c in both] == [0, 1, 2, 3]
