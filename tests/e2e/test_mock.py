"""What only a scripted engine can show: exact texts, failures, queue bounds, keys, stopping."""
import contextlib
import os
import pathlib
import socket
import threading
import time

import openai
import pytest

from wire import Connection, becomes, call, events, get, metric, post

TEXT = "Hello 日本😀, and the rest."


def test_echo_is_exact_however_it_is_asked_for(mock_server):
    client = mock_server().client()
    assert client.completions.create(model="tiny", prompt=TEXT, max_tokens=999).choices[0].text == TEXT
    chunks = list(client.completions.create(model="alias", prompt=TEXT, max_tokens=999, stream=True))
    assert "".join(chunk.choices[0].text for chunk in chunks) == TEXT
    assert chunks[-1].choices[0].finish_reason == "stop" and chunks[0].model == "tiny"


@pytest.mark.parametrize("stream", [False, True])
def test_users_18_19_no_half_characters(mock_server, stream):
    client = mock_server().client()
    for max_tokens in range(1, 16):
        reply = client.completions.create(model="tiny", prompt="日本😀!", max_tokens=max_tokens, stream=stream)
        text = "".join(c.choices[0].text for c in reply) if stream else reply.choices[0].text
        assert "日本😀!".startswith(text.rstrip("\ufffd")) and text.count("\ufffd") <= 1


def test_failed_step_is_a_500_or_an_error_event(mock_server):
    server = mock_server("--step-us", "5000")
    body = {"prompt": "a b c", "max_tokens": 1000, "ignore_eos": True}
    with Connection(server.address) as plain, Connection(server.address) as stream:
        plain.send(post("/v1/completions", body))
        stream.send(post("/v1/completions", {**body, "stream": True}))
        assert becomes(lambda: metric(server.address, "vllm:generation_tokens_total") > 10)
        server.fail_step()
        failed = plain.read()
        assert failed.status == 500 and failed.json()["error"]["type"] == "InternalServerError"
        assert events(stream.read().body)[-1]["error"]["message"] == "the step failed"
        stream.send(post("/v1/completions", {"prompt": "x", "max_tokens": 1}))
        assert stream.read().status == 200  # engine and connection live on


def test_users_63_78_dead_engine(mock_server):
    """Every request ends with an error, waiting ones too; /health tells at once; what comes later is refused, not hung."""
    server = mock_server("--step-us", "5000", "--max-num-seqs", "4")
    body = {"prompt": "a b c", "max_tokens": 1000, "ignore_eos": True}
    assert call(server.address, get("/health")).status == 200
    with contextlib.ExitStack() as stack:
        clients = [stack.enter_context(Connection(server.address)) for _ in range(8)]
        for index, connection in enumerate(clients):
            connection.send(post("/v1/completions", {**body, "stream": index % 2 == 0}))
            assert becomes(lambda: metric(server.address, "vllm:num_requests_running") == min(index + 1, 4), within=60)
        assert becomes(lambda: metric(server.address, "vllm:num_requests_waiting") == 4, within=60)
        for connection in (clients[0], clients[2]):
            connection.socket.recv(1, socket.MSG_PEEK)  # the stream has begun
        server.kill_engine()
        replies = [connection.read() for connection in clients]
    assert becomes(lambda: call(server.address, get("/health")).status == 503)
    for index, reply in enumerate(replies):
        began = index % 2 == 0 and reply.status == 200
        error = (events(reply.body)[-1] if began else reply.json())["error"]
        assert (error["code"], error["type"], reply.status) == (500, "InternalServerError", 200 if began else 500)
    assert sum(reply.status == 200 for reply in replies) == 2  # two of the four that ran were streams
    for path, status in (("/health", 503), ("/ping", 503), ("/v1/models", 200), ("/metrics", 200)):
        start = time.monotonic()
        assert call(server.address, get(path)).status == status and time.monotonic() - start < 0.5
    assert call(server.address, post("/v1/completions", {"prompt": "a"})).status == 500
    assert metric(server.address, "vllm:num_requests_running") + metric(server.address, "vllm:num_requests_waiting") == 0


def test_full_queue_is_a_503(mock_server):
    server = mock_server("--step-us", "5000", "--max-num-seqs", "1", "--max-num-queued-reqs", "1")
    with Connection(server.address) as first:
        first.send(post("/v1/completions", {"prompt": "a", "max_tokens": 1000, "ignore_eos": True, "n": 2,
                                            "stream": True}))
        assert becomes(lambda: metric(server.address, "vllm:num_requests_waiting") == 1)
        refused = call(server.address, post("/v1/completions", {"prompt": "a", "stream": True}))
        assert refused.status == 503 and int(refused.headers["retry-after"]) >= 1


def test_api_keys(mock_server):
    server = mock_server("--api-key", "one", "two")
    for key in ("one", "two"):
        assert server.client(key).models.list().data
        assert call(server.address, get("/v1/models", [f"Authorization: bearer {key}"])).status == 200
    for header in ([], ["Authorization: Bearer three"], ["Authorization: one"], ["Authorization: Bearer "]):
        refused = call(server.address, get("/v1/models", header))
        assert (refused.status, refused.json()) == (401, {"error": "Unauthorized"})
    with pytest.raises(openai.AuthenticationError):
        server.client("three").models.list()
    assert call(server.address, get("/health")).status == 200
    assert call(server.address, get("/v1/nope")).status == 401
    preflight = ["Origin: http://a.test", "Access-Control-Request-Method: GET"]
    assert call(server.address, get("/v1/models", preflight, method="OPTIONS")).status == 200


@pytest.mark.parametrize("method, path, guarded", [
    ("GET", "/health", False), ("GET", "/ping", False), ("GET", "/metrics", False), ("GET", "/version", False),
    ("GET", "/load", False), ("POST", "/tokenize", False), ("POST", "/detokenize", False), ("GET", "/v1/models", True),
    ("POST", "/v1/completions", True), ("POST", "/v1/chat/completions", True), ("GET", "/v1/anything", True),
    ("GET", "/v2/anything", True)])
def test_users_76_what_a_key_guards(mock_server, method, path, guarded):
    address = mock_server("--api-key", "right").address
    statuses = {key: call(address, get(path, [f"Authorization: {key}"] if key else [], method=method)).status
                for key in ("", "Bearer wrong", "Bearer right", "bearer right", "right", "Basic right")}
    assert statuses["Bearer right"] == statuses["bearer right"] != 401
    refused = {key for key, status in statuses.items() if status == 401}
    assert refused == ({"", "Bearer wrong", "right", "Basic right"} if guarded else set())
    preflight = ["Origin: http://a.test", "Access-Control-Request-Method: " + method]
    assert call(address, get(path, preflight, method="OPTIONS")).status == 200


def test_users_79_one_process_listens_in_one_place(mock_server):
    """On the loopback and nowhere else: whatever interfaces there are, no rendezvous picks one of them."""
    server = mock_server()
    sockets = {os.readlink(entry.path) for entry in os.scandir(f"/proc/{server.process.pid}/fd")}
    lines = [line.split() for family in ("tcp", "tcp6") for line in pathlib.Path(f"/proc/net/{family}").read_text().splitlines()]
    mine = [fields[1] for fields in lines if len(fields) > 9 and fields[3] == "0A" and f"socket:[{fields[9]}]" in sockets]
    assert mine == [f"0100007F:{server.address.port:04X}"]


def test_a_client_that_never_reads_is_cut_off(mock_server):
    server = mock_server("--write-timeout-ms", "500")
    body = {"prompt": [[10] * 64] * 64, "max_tokens": 1900, "ignore_eos": True, "stream": True, "logprobs": 20}
    with Connection(server.address) as connection:
        connection.send(post("/v1/completions", body))
        assert becomes(lambda: metric(server.address, "vllm:request_success_total", finished_reason="abort") > 0, 20)
        assert becomes(lambda: metric(server.address, "vllm:num_requests_running") == 0, 5)


@pytest.mark.parametrize("part", [b"", b"GET /hea", b"POST /v1/completions HTTP/1.1\r\nContent-"])
def test_half_a_request_is_closed_in_time(mock_server, part):
    with Connection(mock_server("--header-timeout-ms", "300").address) as connection:
        connection.send(part)
        assert connection.is_closed(within=2)


def test_a_header_line_now_and_then_does_not_hold_the_connection(mock_server):
    with Connection(mock_server("--header-timeout-ms", "1000").address) as connection:
        connection.send(b"GET /health HTTP/1.1\r\n")
        start = time.monotonic()
        closed = False
        while not closed and time.monotonic() - start < 3:
            try:
                connection.send(b"X-A: b\r\n")
                closed = connection.is_closed(within=0.2)
            except ConnectionError:
                closed = True
        assert closed


def test_idle_connection_is_closed(mock_server):
    with Connection(mock_server("--keep-alive-ms", "500").address) as connection:
        connection.send(get("/health"))
        connection.read()
        start = time.monotonic()
        assert connection.is_closed(within=3) and time.monotonic() - start > 0.4


def test_stop_without_drain_cuts_streams(mock_server):
    server = mock_server("--step-us", "5000")
    with Connection(server.address) as connection:
        connection.send(post("/v1/completions", {"prompt": "a", "max_tokens": 2000, "ignore_eos": True, "stream": True}))
        connection.socket.recv(1)
        start = time.monotonic()
        assert server.stop() == 0 and time.monotonic() - start < 2


def test_stop_drains(mock_server):
    server = mock_server("--step-us", "5000", "--drain-ms", "5000")
    with Connection(server.address) as connection, Connection(server.address) as idle:
        idle.send(get("/health"))
        idle.read()
        connection.send(post("/v1/completions", {"prompt": "a", "max_tokens": 100, "ignore_eos": True, "stream": True}))
        connection.socket.recv(1, socket.MSG_PEEK)  # it runs
        stopped = threading.Thread(target=server.stop)
        stopped.start()
        assert idle.is_closed(within=2)
        assert "choices" in events(connection.read().body)[-1]
        stopped.join()
        assert server.process.returncode == 0
        with pytest.raises(OSError):
            server.address.connect()
