"""Each sampling parameter against numpy: the server shows all logits of a step (--logprobs-mode raw_logits), the oracle
works out what the request must make of them, and the reply must be that, to the token."""
import concurrent.futures
import dataclasses

import numpy as np
import orjson
import pytest

import sampling_oracle as oracle
from params_cases import CASES, EOS, PROMPT, SPECIAL, TEXTS, draw
from wire import Connection, becomes, call, events, metric, post

PATH = "/v1/completions"
ALL = {"logprobs": -1, "return_tokens_as_token_ids": True, "return_token_ids": True}
FIVE = {**ALL, "logprobs": 5}


@dataclasses.dataclass
class Server:
    address: object
    first: str  # what it answered to the first request, which named no seed


def start(modules_server, mode, *flags):
    address = modules_server("--logprobs-mode", mode, "--max-logprobs", "-1", "--max-model-len", "512",
                             "--kv-cache-memory-bytes", "128M", *flags).address
    return Server(address, ask(address, {"prompt": PROMPT, "max_tokens": 8, "return_token_ids": True}).text)


@pytest.fixture(scope="module")
def raw_logits(modules_server):
    return start(modules_server, "raw_logits")


@pytest.fixture(scope="module")
def server(raw_logits):
    return raw_logits.address


@pytest.fixture(scope="module")
def processed_logits(modules_server):
    return start(modules_server, "processed_logits", "--seed", "7")


@pytest.fixture(scope="module")
def processed_logprobs(modules_server):
    return start(modules_server, "processed_logprobs", "--seed", "7", "--scheduling-policy", "priority", "--max-num-seqs", "1")


@dataclasses.dataclass
class Reply:
    """One choice, whole or put together from a stream's chunks."""
    text: str
    tokens: list
    prompt: list
    logprobs: dict
    ending: tuple

    @staticmethod
    def of(choice):
        return Reply(choice["text"], choice["token_ids"], choice["prompt_token_ids"], choice["logprobs"],
                     (choice["finish_reason"], choice["stop_reason"]))

    def rows(self):
        """The logits that each token was chosen from."""
        return [logits_of(entry) for entry in self.logprobs["top_logprobs"]]


def logits_of(entry):
    ids = np.fromiter((int(name[9:]) for name in entry), dtype=np.int64, count=len(entry))  # token_id:N
    logits = np.full(len(entry), np.nan, dtype=np.float32)
    logits[ids] = np.fromiter(entry.values(), dtype=np.float64, count=len(entry))
    assert not np.isnan(logits).any()
    return logits


def choices(address, body, path=PATH):
    with Connection(address, timeout=120) as connection:
        connection.send(post(path, body))
        response = connection.read()
    assert response.status == 200, response.body
    return orjson.loads(response.body)["choices"]


def ask(address, body):
    return Reply.of(choices(address, body)[0])


def ask_streamed(address, body):
    with Connection(address, timeout=120) as connection:
        connection.send(post(PATH, {**body, "stream": True}))
        parts = [event["choices"][0] for event in events(connection.read().body)]
    logprobs = {key: sum((part["logprobs"][key] for part in parts if part["logprobs"]), [])
                for key in parts[0]["logprobs"]} if parts[0]["logprobs"] else None
    return Reply("".join(part["text"] for part in parts), sum((part["token_ids"] for part in parts), []),
                 parts[0]["prompt_token_ids"], logprobs, (parts[-1]["finish_reason"], parts[-1]["stop_reason"]))


def all_at_once(function, items, threads=32):
    with concurrent.futures.ThreadPoolExecutor(threads) as pool:
        return list(pool.map(function, items))


def ids_of(address, text):
    return call(address, post("/tokenize", {"prompt": text, "add_special_tokens": False})).json()["tokens"]


def text_of(address, ids):
    return call(address, post("/detokenize", {"tokens": ids})).json()["prompt"] if ids else ""


def bad_words(address, words):
    """Bare, and behind a space where that is one other first token and no more of them."""
    for word in words:
        bare, spaced = ids_of(address, word.lstrip()), ids_of(address, " " + word.lstrip())
        yield bare
        if len(bare) == len(spaced) and bare[0] != spaced[0]:
            yield spaced


@pytest.fixture(scope="module")
def replies(server):
    """Every case's reply with all logits, and the places of its tokens."""
    def one(case):
        reply = ask(server, {**case.body, **ALL})
        words = list(bad_words(server, case.fields.get("bad_words", [])))
        places = [oracle.Place(reply.prompt, reply.tokens[:i], [EOS], words) for i in range(len(reply.tokens))]
        return reply, reply.rows(), places

    return dict(zip(CASES, all_at_once(one, CASES.values(), threads=4)))


def asked(case, *without):
    """The fields as the oracle takes them: no nulls, and some of them left out."""
    return {name: value for name, value in case.body.items() if value is not None and name not in without}


@pytest.mark.parametrize("name", CASES)
def test_tokens_are_those_that_numpy_chooses(replies, name):
    case, (reply, rows, places) = CASES[name], replies[name]
    expected = [oracle.choose(row, asked(case), place) for row, place in zip(rows, places)]
    assert expected == reply.tokens  # none is None: rounding decides nothing in these cases
    for field in case.chooses:  # it does have an effect here, so an error in it would show
        without = [oracle.choose(row, {"seed": 0, **asked(case, field)}, place) for row, place in zip(rows, places)]
        assert without != reply.tokens, field


@pytest.mark.parametrize("name", CASES)
def test_replies_end_where_they_should(replies, name):
    case, (reply, _, places) = CASES[name], replies[name]

    def ending(fields):
        for count in range(1, len(reply.tokens) + 1):
            end = oracle.ending(reply.tokens[:count], fields, places[0], fields.get("max_tokens", 16))
            if end:
                return count, end
        return None

    assert ending(asked(case)) == (len(reply.tokens), reply.ending)
    assert reply.ending[0] == case.reason
    for field in case.ends:
        rows, first = replies[name][1][0], places[0]
        assert ending(asked(case, field)) != ending(asked(case)) or \
            oracle.choose(rows, asked(case, field), first) != reply.tokens[0], field


def test_top_logprobs_and_ranks(server, replies):
    """logprobs k: the sampled token, then the k best; logprob_token_ids: these. Here they are logits."""
    for name in ("greedy", "seed"):
        whole, rows, _ = replies[name]
        reply = ask(server, {**CASES[name].body, **FIVE})
        assert reply.tokens == whole.tokens
        for token, row, value, best in zip(reply.tokens, rows, *map(reply.logprobs.get, ("token_logprobs", "top_logprobs"))):
            assert np.float32(value) == row[token]
            ids = [int(key[9:]) for key in best]
            assert ids == list(dict.fromkeys([token, *oracle.best_ids(row, 5)]))
            assert all(np.float32(best[f"token_id:{i}"]) == row[i] for i in ids)
        chosen = ask(server, {**CASES[name].body, **FIVE, "logprob_token_ids": [7, 49000]})
        for token, row, best in zip(reply.tokens, rows, chosen.logprobs["top_logprobs"]):
            assert {int(key[9:]): np.float32(value) for key, value in best.items()} == {i: row[i] for i in (token, 7, 49000)}


def test_prompt_logprobs(server, replies):
    prompt, k = replies["greedy"][0].prompt[:5], 3
    whole = choices(server, {"prompt": prompt, "max_tokens": 1, "temperature": 0, "prompt_logprobs": -1})[0]["prompt_logprobs"]
    few = choices(server, {"prompt": prompt, "max_tokens": 1, "temperature": 0, "prompt_logprobs": k})[0]["prompt_logprobs"]
    assert whole[0] is None and few[0] is None and len(whole) == len(few) == len(prompt)
    for token, all_of, some in zip(prompt[1:], whole[1:], few[1:]):
        row = np.full(len(all_of), np.nan, dtype=np.float32)
        for key, entry in all_of.items():
            row[int(key)] = entry["logprob"]
        assert list(some) == [str(i) for i in dict.fromkeys([token, *oracle.best_ids(row, k)])]
        assert some[str(token)]["rank"] == oracle.rank(row, token)
        for place, i in enumerate(oracle.best_ids(row, k), 1):
            assert some[str(i)]["rank"] == (oracle.rank(row, i) if i == token else place)
        assert all(np.float32(some[key]["logprob"]) == row[int(key)] for key in some)
    # The prompt's logits are those that a token after its beginning would be chosen from.
    begun = ask(server, {"prompt": prompt[:4], "max_tokens": 1, "temperature": 0, **ALL}).rows()[0]
    assert all(np.float32(entry["logprob"]) == begun[int(key)] for key, entry in whole[4].items())


def expected_text(server, case, reply):
    """From the token ids: (text, ending) by what the fields say of stop strings, specials and echo."""
    fields = case.body
    kept = fields.get("include_stop_str_in_output", False)
    pieces = [text_of(server, [token]) for token in reply.tokens]
    if reply.ending[0] == "stop" and not kept and not isinstance(reply.ending[1], str):
        pieces[-1] = ""  # the token that ended it
    if fields.get("skip_special_tokens", True):
        pieces = ["" if token in (EOS, SPECIAL) else piece for token, piece in zip(reply.tokens, pieces)]
    stops = [fields["stop"]] if isinstance(fields.get("stop"), str) else fields.get("stop", [])
    before = 0  # text in which no stop string may end
    for index, piece in enumerate(pieces):
        text = "".join(pieces[:index + 1])
        if index < fields.get("min_tokens", 0):
            before = len(text)
            continue
        ends = [(text.find(stop, max(before - len(stop) + 1, 0)) + len(stop), stop) for stop in stops
                if text.find(stop, max(before - len(stop) + 1, 0)) >= 0]
        if ends:
            end, stop = min(ends, key=lambda match: match[0])
            return text[:end if kept else end - len(stop)], ("stop", stop), index + 1
    return ("" if fields["max_tokens"] == 0 else "".join(pieces)), None, len(pieces)


@pytest.mark.parametrize("name", TEXTS)
def test_texts_are_cut_where_they_should(server, name):
    case = TEXTS[name]
    reply = ask(server, {**case.body, **FIVE})
    plain = ask(server, {**case.body, **FIVE, "stop": [], "echo": False, "max_tokens": max(case.body["max_tokens"], 1)})
    text, ending, count = expected_text(server, case, plain)
    assert reply.text == (PROMPT if case.fields.get("echo") else "") + text
    assert reply.ending == (ending or plain.ending) and reply.ending[0] == case.reason
    if case.fields.get("echo"):
        assert reply.logprobs["tokens"][:len(reply.prompt)] == [f"token_id:{i}" for i in reply.prompt]
        assert reply.logprobs["token_logprobs"][0] is None and reply.logprobs["top_logprobs"][0] is None
        shown = len(reply.logprobs["tokens"]) - len(reply.prompt)
        assert shown == case.body["max_tokens"]
        assert reply.logprobs["token_logprobs"][len(reply.prompt):] == plain.logprobs["token_logprobs"][:shown]
    else:
        assert reply.tokens == plain.tokens[:count]
    without = ask(server, {key: value for key, value in case.body.items() if key in ("prompt", "temperature")} | FIVE |
                  {"max_tokens": case.body["max_tokens"] or 1})
    assert (reply.text, reply.ending) != (without.text, without.ending) or name == "stop_never_met"


def test_alone_in_a_mixed_batch_and_streamed(server):
    """32 requests at a time, each with parameters of its own: plain or streamed, the replies are those given alone."""
    bodies = [{**case.body, **FIVE} for case in (*CASES.values(), *TEXTS.values())]
    alone = [ask(server, body) for body in bodies]
    assert all_at_once(lambda body: ask(server, body), bodies) == alone
    assert all_at_once(lambda body: ask_streamed(server, body), bodies) == alone
    assert len({reply.text for reply in alone}) > 16


def test_n_children_have_seeds_of_their_own(server):
    body = {"prompt": PROMPT, "max_tokens": 4, **draw(seed=5), **FIVE}
    together = [Reply.of(choice) for choice in choices(server, {**body, "n": 3})]
    assert together == [ask(server, {**body, "seed": 5 + i}) for i in range(3)]
    assert len({reply.text for reply in together}) == 3
    unseeded = choices(server, {**body, "n": 6, "seed": -1}) + choices(server, {**body, "n": 6, "seed": None})
    assert len({choice["text"] for choice in unseeded}) > 8  # −1 is none


def test_truncate_prompt_tokens(server):
    whole = list(range(100, 140))
    body = {"prompt": whole, "max_tokens": 2, "temperature": 0, "truncate_prompt_tokens": 7, **FIVE}
    for side, kept in (("left", whole[-7:]), ("right", whole[:7]), (None, whole[:7])):
        reply = ask(server, {**body, "truncation_side": side})
        assert reply == ask(server, {**body, "prompt": kept}) and reply.prompt == kept
    long = [1000 + i % 50 for i in range(600)]  # of 512; −1 leaves room for the output
    assert ask(server, {**body, "prompt": long, "truncate_prompt_tokens": -1}).prompt == long[:510]


def test_cache_salt(server):
    def cached(salt):
        body = {"prompt": list(range(2000, 2040)), "max_tokens": 1, "cache_salt": salt}
        return call(server, post(PATH, body)).json()["usage"]["prompt_tokens_details"]["cached_tokens"]

    assert [cached(salt) for salt in ("a", "a", "b", "b")] == [0, 32, 0, 32]


def chat(server, messages, **fields):
    body = {"messages": messages, "max_tokens": 4, "temperature": 0, "return_token_ids": True, "return_prompt_text": True}
    response = call(server, post("/v1/chat/completions", {**body, **fields}))
    assert response.status == 200, response.body
    return response.json()


def rendered(messages, generate=True):
    """ChatML as the default model's template has it, by hand."""
    system = "" if messages[0]["role"] == "system" else \
        "<|im_start|>system\nYou are a helpful AI assistant named SmolLM, trained by Hugging Face<|im_end|>\n"
    turns = "".join(f"<|im_start|>{m['role']}\n{m['content']}<|im_end|>\n" for m in messages)
    return system + turns + ("<|im_start|>assistant\n" if generate else "")


USER = {"role": "user", "content": "Name three colours."}
BEGUN = [USER, {"role": "assistant", "content": "Sure: red,"}]


def test_chat_prompts(server):
    assert chat(server, [USER])["prompt_text"] == rendered([USER])
    # The template looks at neither: they change nothing, and are no fault.
    for extra in ({"documents": [{"title": "t", "text": "x"}]}, {"chat_template_kwargs": {"unheard_of": 1}}):
        assert chat(server, [USER], **extra)["prompt_text"] == rendered([USER])
    open_ended = chat(server, BEGUN, add_generation_prompt=False)
    assert open_ended["prompt_text"] == rendered(BEGUN, generate=False)


def test_continue_final_message(server):
    reply = chat(server, BEGUN, add_generation_prompt=False, continue_final_message=True)
    prompt = rendered(BEGUN, generate=False).removesuffix("<|im_end|>\n")
    assert reply["prompt_text"] == prompt
    echoed = chat(server, BEGUN, add_generation_prompt=False, continue_final_message=True, echo=True)
    assert echoed["choices"][0]["message"]["content"] == "Sure: red," + reply["choices"][0]["message"]["content"]
    raw = ask(server, {"prompt": prompt, "max_tokens": 4, "temperature": 0, "add_special_tokens": False, **ALL})
    assert raw.prompt == reply["prompt_token_ids"] and raw.tokens == reply["choices"][0]["token_ids"]


def test_chat_logprobs(server):
    fields = {"logprobs": True, "top_logprobs": 2, **draw(seed=6)}
    reply = chat(server, [USER], **fields)
    raw = ask(server, {"prompt": reply["prompt_token_ids"], "max_tokens": 4, **draw(seed=6), **ALL})
    assert raw.tokens == reply["choices"][0]["token_ids"]
    for token, row, entry in zip(raw.tokens, raw.rows(), reply["choices"][0]["logprobs"]["content"]):
        assert np.float32(entry["logprob"]) == row[token] and bytes(entry["bytes"]).decode() == entry["token"]
        best = list(dict.fromkeys([token, *oracle.best_ids(row, 2)]))[:2]
        assert [np.float32(each["logprob"]) for each in entry["top_logprobs"]] == [row[i] for i in best]


@pytest.mark.parametrize("mode, names", [("processed_logits", ["cuts", "all_together", "presence_penalty"]),
                                         ("processed_logprobs", ["cuts"])])
def test_processed_modes(request, replies, mode, names):
    """What the token was chosen among, after everything that the request asked for."""
    address = request.getfixturevalue(mode).address
    for name in names:
        case, (raw, rows, places) = CASES[name], replies[name]
        reply = ask(address, {**case.body, **ALL})
        assert reply.tokens == raw.tokens
        for row, raw_row, place in zip(reply.rows(), rows, places):
            expected = oracle.processed(raw_row, asked(case), place)
            if mode == "processed_logprobs":
                expected = oracle.log_softmax(expected)
            dropped = np.isinf(expected)
            assert (row[dropped] == -9999).all()  # JSON has no −∞
            np.testing.assert_allclose(row[~dropped], expected[~dropped], rtol=1e-6, atol=2e-5)


def test_raw_logprobs_are_the_default(server, address, replies):
    for name in ("greedy", "all_together"):
        whole, rows, _ = replies[name]
        reply = ask(address, {**CASES[name].body, **ALL, "logprobs": 20})
        assert reply.tokens == whole.tokens
        for row, best in zip(rows, reply.logprobs["top_logprobs"]):
            expected = oracle.log_softmax(row)
            assert list(best)[1:] == [f"token_id:{i}" for i in oracle.best_ids(row, 20) if f"token_id:{i}" != list(best)[0]]
            for key, value in best.items():
                assert abs(value - expected[int(key[9:])]) < 2e-5


def test_priority(processed_logprobs):
    """Under the priority policy the lower number goes first, whoever came first."""
    address, ended = processed_logprobs.address, []

    def one(priority, max_tokens=1):
        ask(address, {"prompt": PROMPT, "max_tokens": max_tokens, "ignore_eos": True, "priority": priority, **FIVE})
        ended.append(priority)

    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        pool.submit(one, -9, max_tokens=60)  # has the only slot
        assert becomes(lambda: metric(address, "vllm:num_requests_running") == 1, within=60)
        for count, priority in enumerate((3, 0, -1), 1):
            pool.submit(one, priority)
            assert becomes(lambda: metric(address, "vllm:num_requests_waiting") == count, within=60)
    assert ended == [-9, -1, 0, 3]


def test_the_servers_seed_seeds_those_who_name_none(raw_logits, processed_logits, processed_logprobs):
    assert processed_logits.first == processed_logprobs.first != raw_logits.first
