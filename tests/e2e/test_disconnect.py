"""Clients that go, or never read: their requests end in the engine at once, and nobody else notices."""
import concurrent.futures
import socket
import time

import pytest

from wire import Connection, becomes, call, events, get, metric, post

LONG = {"prompt": "Hi there", "max_tokens": 1900, "ignore_eos": True, "temperature": 0}


def running(address):
    return metric(address, "vllm:num_requests_running") + metric(address, "vllm:num_requests_waiting")


def aborted(address):
    return metric(address, "vllm:request_success_total", finished_reason="abort")


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("reset", [False, True])
def test_users_71_disconnect_aborts(address, stream, reset):
    before = aborted(address)
    with Connection(address) as connection:
        connection.send(post("/v1/completions", {**LONG, "stream": stream}))
        assert becomes(lambda: running(address) == 1, within=60)
        if stream:
            connection.socket.recv(1)
        if reset:
            connection.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
    assert becomes(lambda: running(address) == 0, within=1)
    assert becomes(lambda: aborted(address) == before + 1, within=1)


def test_disconnect_of_several_choices(address):
    with Connection(address) as connection:
        connection.send(post("/v1/completions", {**LONG, "n": 4, "temperature": 1, "stream": True}))
        assert becomes(lambda: running(address) == 4, within=60)
    assert becomes(lambda: running(address) == 0, within=1)


def test_stop_string_ends_the_request_in_the_engine(address):
    text = call(address, post("/v1/completions", {**LONG, "max_tokens": 16})).json()["choices"][0]["text"]
    reply = call(address, post("/v1/completions", {**LONG, "stop": text[4:8]})).json()
    assert reply["choices"][0]["stop_reason"] == text[4:8]
    assert becomes(lambda: running(address) == 0, within=1)


def test_a_client_that_never_reads_slows_nobody(address):
    sleepers = []
    for _ in range(4):
        connection = Connection(address)
        connection.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        connection.send(post("/v1/completions", {**LONG, "n": 4, "temperature": 1, "logprobs": 5, "stream": True}))
        sleepers.append(connection)
    try:
        assert becomes(lambda: running(address) > 0, within=60)
        for _ in range(5):
            start = time.monotonic()
            assert call(address, post("/v1/completions", {**LONG, "max_tokens": 4})).status == 200
            assert call(address, get("/health")).status == 200
            assert time.monotonic() - start < 5
    finally:
        for connection in sleepers:
            connection.__exit__()
    assert becomes(lambda: running(address) == 0, within=1)


@pytest.mark.parametrize("num_streams", [200])
def test_concurrent_streams_are_all_complete(address, num_streams):
    body = {"prompt": "One two three", "max_tokens": 16, "temperature": 0, "ignore_eos": True}
    expected = call(address, post("/v1/completions", body)).json()["choices"][0]["text"]

    def one(_):
        with Connection(address, timeout=120) as connection:
            connection.send(post("/v1/completions", {**body, "stream": True}))
            return "".join(event["choices"][0]["text"] for event in events(connection.read().body))

    with concurrent.futures.ThreadPoolExecutor(num_streams) as pool:
        assert set(pool.map(one, range(num_streams))) == {expected}
    assert becomes(lambda: running(address) == 0, within=1)
