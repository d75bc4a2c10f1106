"""Many clients at once: each gets what it would get alone, and those that go leave nothing behind."""
import concurrent.futures
import os
import random
import socket
import time

from wire import Connection, becomes, call, events, metric, post

WORDS = "river stone lamp seven tower garden clock violin amber harvest signal meadow copper island thread winter".split()


def mixed_bodies(count):
    """Completions and chats of differing lengths: greedy ones and seeded ones, all with logprobs."""
    draw = random.Random(5)
    for i in range(count):
        text = f"Marker {draw.randrange(10**9)}. Tell of the {' '.join(draw.choices(WORDS, k=4 + 3 * (i % 11)))}"
        sampling = {"temperature": 0} if i % 2 else {"temperature": 0.9, "top_p": 0.95, "seed": 1000 + i}
        body = {"max_tokens": 10 + i % 7, "ignore_eos": i % 3 == 0, **sampling}
        if i % 4 < 2:
            yield "/v1/completions", {"prompt": text, "logprobs": 3, **body}
        else:
            yield "/v1/chat/completions", {"messages": [{"role": "user", "content": text}], "logprobs": True,
                                           "top_logprobs": 3, **body}


def ask(address, path, body):
    """A plain reply as (text, logprobs, finish reason)."""
    with Connection(address, timeout=120) as connection:
        connection.send(post(path, body))
        response = connection.read()
    assert response.status == 200, response.body
    choice = response.json()["choices"][0]
    if path.endswith("chat/completions"):
        return choice["message"]["content"], choice["logprobs"]["content"], choice["finish_reason"]
    return choice["text"], choice["logprobs"], choice["finish_reason"]


def ask_streamed(address, path, body):
    """The same of a stream, joined."""
    with Connection(address, timeout=120) as connection:
        connection.send(post(path, {**body, "stream": True}))
        choices = [event["choices"][0] for event in events(connection.read().body)]
    parts = [choice["logprobs"] for choice in choices if choice.get("logprobs")]
    reason = choices[-1]["finish_reason"]
    if path.endswith("chat/completions"):
        return "".join(c["delta"].get("content") or "" for c in choices), sum((p["content"] for p in parts), []), reason
    return "".join(c["text"] for c in choices), {key: sum((p[key] for p in parts), []) for key in parts[0]}, reason


def test_users_61_clients_at_once_get_what_they_would_get_alone(address):
    requests = list(mixed_bodies(32))
    alone = [ask(address, *request) for request in requests]
    assert len({text for text, _, _ in alone}) > 24  # they do differ, so a mix-up would show
    with concurrent.futures.ThreadPoolExecutor(32) as pool:
        plain = list(pool.map(lambda request: ask(address, *request), requests))
        streamed = list(pool.map(lambda request: ask_streamed(address, *request), requests))
    assert plain == alone
    assert streamed == alone


def running(address):
    return metric(address, "vllm:num_requests_running") + metric(address, "vllm:num_requests_waiting")


def aborted(address):
    return metric(address, "vllm:request_success_total", finished_reason="abort")


def open_long(address, index):
    """A client whose request would run for long: every other one streams."""
    connection = Connection(address, timeout=60)
    draw = random.Random(index)
    prompt = [draw.randrange(1000, 20000) for _ in range(250 + index)]
    connection.prompt = prompt
    connection.send(post("/v1/completions", {"prompt": prompt, "max_tokens": 1500, "ignore_eos": True, "temperature": 0,
                                             "stream": index % 2 == 0}))
    return connection


def close(connections):
    for index, connection in enumerate(connections):
        if index % 3 == 0:  # a reset in place of an orderly end
            connection.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
        connection.socket.close()


def test_users_71_cancels_in_queue_prefill_and_decode(real_server, address):
    """64 clients go, in three waves; four stay and read what they would have read alone."""
    stay = [request for request in mixed_bodies(8) if request[1]["temperature"] == 0]
    alone = [ask(address, *request) for request in stay]
    before = aborted(address)
    with concurrent.futures.ThreadPoolExecutor(len(stay)) as pool:
        clients = [open_long(address, index) for index in range(64)]
        assert becomes(lambda: running(address) >= 64, within=60)
        assert metric(address, "vllm:num_requests_waiting") > 0  # more than one step takes: the last ones queue
        replies = [pool.submit(ask_streamed, address, *request) for request in stay]
        close(clients[40:])  # in the queue
        assert becomes(lambda: aborted(address) == before + 24, within=1)
        close(clients[8:40])  # the next in line: queued or in prefill
        clients[0].socket.recv(1)  # a stream that has begun
        assert becomes(lambda: metric(address, "vllm:num_requests_running") >= 8, within=60)
        close(clients[:8])  # in decode
        assert [reply.result() for reply in replies] == alone
    assert becomes(lambda: running(address) == 0, within=1)
    assert aborted(address) == before + 64
    assert metric(address, "vllm:num_requests_waiting") == 0 and metric(address, "vllm:kv_cache_usage_perc") == 0
    hits = metric(address, "vllm:prefix_cache_hits_total")
    again = call(address, post("/v1/completions", {"prompt": clients[0].prompt, "max_tokens": 1}))
    assert again.status == 200
    assert metric(address, "vllm:prefix_cache_hits_total") - hits == 240  # 15 of its 16-token blocks, of 250 ids


def resident_mb(address):
    time.sleep(1.2)  # an engine at rest gives back what it does not need
    return metric(address, "process_resident_memory_bytes") / 2**20


def one_of_many(index):
    """Every kind of request, each with a prompt of its own."""
    prompt = f"Request {index} of many: {WORDS[index % 16]}"
    chat = {"messages": [{"role": "user", "content": prompt}], "max_tokens": 4}
    text = {"prompt": prompt, "max_tokens": 4, "temperature": 0}
    return (("/v1/completions", {**text, "stream": True}),
            ("/v1/completions", {**text, "n": 3, "temperature": 1, "seed": 5, "presence_penalty": 1}),
            ("/v1/chat/completions", {**chat, "stream": True, "logprobs": True, "top_logprobs": 5}),
            ("/v1/completions", {**text, "prompt_logprobs": 3, "logit_bias": {"100": 5}, "bad_words": ["the"]}),
            ("/v1/completions", {**text, "prompt": [index % 300 + 100] * 300, "max_tokens": 20, "stop": ["zz"]}),
            ("/tokenize", {"prompt": prompt * 20}),
            ("/v1/chat/completions", {**chat, "temperature": 3}))[index % 7]


def send_many(address, first, count):
    """Plain replies and streams; of every five clients one goes, at once or with the first byte."""
    def one(index):
        path, body = one_of_many(index)
        with Connection(address, timeout=60) as connection:
            connection.send(post(path, body))
            if index % 5 == 0:
                connection.socket.recv(index % 2, socket.MSG_PEEK)
            else:
                assert connection.read().status == (400 if body.get("temperature") == 3 else 200)

    with concurrent.futures.ThreadPoolExecutor(16) as pool:
        list(pool.map(one, range(first, first + count)))
    assert becomes(lambda: running(address) == 0, within=1)


def test_memory_does_not_grow_with_requests(own_server):
    """Beside the KV pool, whose pages are taken as they are first used: this one is in use after 200 requests.
    INGOT_MEMORY_REQUESTS: how many in all."""
    address = own_server("--kv-cache-memory-bytes", "192M", "--max-model-len", "2048").address
    count = int(os.environ.get("INGOT_MEMORY_REQUESTS", 300))
    send_many(address, 0, 200)
    early = resident_mb(address)
    send_many(address, 200, count - 200)
    late = resident_mb(address)
    print(f"resident: {early:.1f} MB after 200 requests, {late:.1f} MB after {count}")
    assert late - early < 5
