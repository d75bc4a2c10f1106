"""Clients that mean no good, beside one whose stream must keep its pace."""
import concurrent.futures
import contextlib
import os
import pathlib
import resource
import socket
import threading
import time

import pytest

from wire import Connection, becomes, call, get, metric, post

STREAM = {"prompt": "The train went on and on", "max_tokens": 600, "ignore_eos": True, "temperature": 0, "stream": True}


class Pace(threading.Thread):
    """Reads a long stream and notes when each piece of it came."""

    def __init__(self, address):
        super().__init__()
        self.address, self.times, self.failure = address, [], None
        self.stop = threading.Event()

    def run(self):
        try:
            with Connection(self.address, timeout=60) as connection:
                connection.send(post("/v1/completions", STREAM))
                while not self.stop.is_set() and connection.socket.recv(65536):
                    self.times.append(time.monotonic())
        except OSError as error:
            self.failure = error

    def longest_gap(self):
        return max(later - earlier for earlier, later in zip(self.times, self.times[1:]))


@contextlib.contextmanager
def stream_keeps_its_pace(address, within):
    """While the block runs, a stream never waits longer than so many seconds for its next piece."""
    pace = Pace(address)
    pace.start()
    try:
        assert becomes(lambda: len(pace.times) > 3, within=60)
        yield
        seen = len(pace.times)
        if pace.is_alive():  # it is not stuck now either
            assert becomes(lambda: len(pace.times) > seen or not pace.is_alive(), within=within)
    finally:
        pace.stop.set()
        pace.join()
    print(f"longest gap of the stream: {1000 * pace.longest_gap():.0f} ms of {len(pace.times)} pieces")
    assert pace.failure is None and pace.longest_gap() < within


@contextlib.contextmanager
def memory_stays_within(address, mb):
    """While the block runs, and behind it, the server takes no more than so much memory beyond what it has."""
    seen, stop = [metric(address, "process_resident_memory_bytes")], threading.Event()

    def watch():
        while not stop.wait(0.05):
            seen.append(metric(address, "process_resident_memory_bytes"))

    watcher = threading.Thread(target=watch)
    watcher.start()
    try:
        yield
    finally:
        stop.set()
        watcher.join()
    seen.append(metric(address, "process_resident_memory_bytes"))
    print(f"most memory beyond the {seen[0] / 2**20:.0f} MB before: {(max(seen) - seen[0]) / 2**20:.0f} MB of {len(seen)} looks")
    assert max(seen) - seen[0] < mb * 2**20


def test_idle_connections(real_server, address):
    with contextlib.ExitStack() as stack, stream_keeps_its_pace(address, within=1.5), memory_stays_within(address, 64):
        for _ in range(1000):
            stack.enter_context(Connection(address))
        assert call(address, get("/health")).status == 200


def test_half_requests_and_bytes_that_are_no_http(real_server, address):
    hello = b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + bytes(range(256)) * 2
    halves = (b"POST /v1/completions HTTP/1.1\r\nContent-", b"POST /v1/completions HTTP/1.1\r\nHost: t\r\n"
              b"Content-Type: application/json\r\nContent-Length: 100\r\n\r\n{\"prompt\":", b"G")
    with contextlib.ExitStack() as stack, stream_keeps_its_pace(address, within=1.5), memory_stays_within(address, 64):
        for index in range(60):
            stack.enter_context(Connection(address)).send(halves[index % len(halves)])
        for _ in range(20):
            connection = stack.enter_context(Connection(address))
            connection.send(hello)
            assert connection.read().status == 400


def test_bodies_that_are_announced_and_never_sent(address):
    """They hold no more of the bound on waiting bodies than what came of them."""
    half = (b"POST /v1/completions HTTP/1.1\r\nHost: t\r\nContent-Type: application/json\r\n"
            b"Content-Length: 33554432\r\n\r\n{\"prompt\":")
    with contextlib.ExitStack() as stack:
        for _ in range(40):
            stack.enter_context(Connection(address)).send(half)
        for _ in range(20):
            assert call(address, post("/v1/completions", {"prompt": "a", "max_tokens": 1})).status == 200


def test_big_headers(real_server, address):
    with stream_keeps_its_pace(address, within=1.5), memory_stays_within(address, 64):
        for _ in range(5):
            with Connection(address) as connection:
                with contextlib.suppress(ConnectionError):
                    connection.send(get("/health", headers=["X-Long: " + "a" * 2**20]))
                assert connection.read().status == 431


@pytest.mark.parametrize("body", [
    pytest.param(b'{"prompt":[' + b"1," * (5 << 20) + b'1]}', id="10 MB of ids"),
    pytest.param(b'{"prompt":"' + b"a " * (5 << 20) + b'"}', id="10 MB of text"),
    pytest.param(b"[" * 100_000, id="100k deep"),
    pytest.param(b'{"prompt":' + b"[" * 100_000 + b"]" * 100_000 + b"}", id="100k deep, closed"),
    pytest.param(b'{"a":' * 100_000 + b"1" + b"}" * 100_000, id="100k objects deep"),
    pytest.param(b'{"prompt":"a","temperature":1e400}', id="a number out of range"),
    pytest.param(b'{"prompt":"a","seed":' + b"9" * 100_000 + b"}", id="100k digits"),
])
def test_hostile_bodies(real_server, address, body):
    with stream_keeps_its_pace(address, within=1.5):
        with Connection(address, timeout=60) as connection:
            connection.send(post("/v1/completions", body))
            response = connection.read()
        assert response.status in (400, 413) and response.json()["error"]["code"] == response.status
    assert becomes(lambda: metric(address, "vllm:num_requests_running") == 0)


def test_many_big_bodies_at_once(real_server, address):
    """Two are parsed at a time; the others wait as bytes."""
    bodies = [b'{"prompt":[' + b"1," * (5 << 20) + b"1]}", b'{"prompt":"' + b"a " * (5 << 20) + b'"}',
              b'{"prompt":[' + b"[]," * (3 << 20) + b"[]]}", b'{"user":{' + b'"a":1,' * (1 << 20) + b'"b":1},"prompt":"a"}']

    def one(index):
        with Connection(address, timeout=60) as connection:
            connection.send(post("/v1/completions", bodies[index % len(bodies)]))
            return connection.read().status

    with concurrent.futures.ThreadPoolExecutor(12) as pool:
        with stream_keeps_its_pace(address, within=1.5), memory_stays_within(address, 1000):
            assert set(pool.map(one, range(12))) <= {200, 400}


def test_long_texts_to_tokenise_leave_a_worker_to_the_others(real_server, address):
    text = {"prompt": "0123456789" * 100_000}
    with contextlib.ExitStack() as stack:
        clients = [stack.enter_context(Connection(address, timeout=60)) for _ in range(4)]
        for connection in clients:
            connection.send(post("/tokenize", text))
        for _ in range(20):
            start = time.monotonic()
            assert call(address, post("/v1/completions", {"prompt": "a", "max_tokens": 1})).status == 200
            assert time.monotonic() - start < 1.5
        assert [connection.read().json()["count"] for connection in clients] == [1_000_000] * 4


def test_clients_that_never_read(real_server, address):
    body = {**STREAM, "max_tokens": 1900, "n": 4, "temperature": 1, "logprobs": 5}
    with contextlib.ExitStack() as stack:
        for _ in range(3):
            connection = stack.enter_context(Connection(address))
            connection.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            connection.send(post("/v1/completions", body))
        assert becomes(lambda: metric(address, "vllm:num_requests_running") == 12, within=60)
        with stream_keeps_its_pace(address, within=1.5), memory_stays_within(address, 200):
            for _ in range(20):
                assert call(address, get("/health")).status == 200
                time.sleep(0.05)
    assert becomes(lambda: metric(address, "vllm:num_requests_running") == 0)


def test_pipelining_beside_a_stream(real_server, address):
    with stream_keeps_its_pace(address, within=1.5), Connection(address, timeout=60) as connection:
        connection.send(b"".join(post("/v1/completions", {"prompt": f"Number {i}", "max_tokens": 2}) for i in range(20)))
        assert [connection.read().status for _ in range(20)] == [200] * 20


def test_http_1_0_beside_a_stream(real_server, address):
    with stream_keeps_its_pace(address, within=1.5):
        for _ in range(10):
            reply = call(address, post("/v1/completions", {"prompt": "a", "max_tokens": 1}, version="1.0"))
            assert (reply.version, reply.status, reply.headers["connection"]) == ("HTTP/1.0", 200, "close")


def cpu_seconds(server):
    """User and system time of a server's process so far."""
    fields = pathlib.Path(f"/proc/{server.process.pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def answers_beyond_the_limit(server, num_clients):
    """With more clients than it may have, a server rests, serves those it has, and the others as soon as these go."""
    with Connection(server.address) as old, contextlib.ExitStack() as stack:
        old.send(get("/health"))
        assert old.read().status == 200
        crowd = [stack.enter_context(Connection(server.address)) for _ in range(num_clients)]
        crowd[-1].send(get("/health"))
        time.sleep(0.3)
        start = cpu_seconds(server)
        for _ in range(20):
            old.send(post("/v1/completions", {"prompt": "a", "max_tokens": 2}))
            assert old.read().status == 200
            time.sleep(0.05)
        assert cpu_seconds(server) - start < 0.5  # of more than a second
        with pytest.raises(TimeoutError):
            crowd[-1].socket.settimeout(0.1)
            crowd[-1].read()
        for connection in crowd[:-1]:
            connection.socket.close()
        crowd[-1].socket.settimeout(5)
        assert crowd[-1].read().status == 200
        old.send(get("/metrics"))
        assert old.read().status == 200
    assert call(server.address, get("/health")).status == 200


def test_connections_beyond_the_limit_of_open_files(mock_server):
    answers_beyond_the_limit(mock_server("--keep-alive-ms", "60000", "--header-timeout-ms", "60000", max_files=(64, 128)), 150)


def test_the_limit_of_open_files_is_raised(mock_server):
    server = mock_server(max_files=(64, 1024))
    with contextlib.ExitStack() as stack:
        for connection in [stack.enter_context(Connection(server.address)) for _ in range(300)]:
            connection.send(get("/health"))
            assert connection.read().status == 200


def test_accept_fails_for_want_of_files(mock_server):
    server = mock_server("--keep-alive-ms", "60000", "--header-timeout-ms", "60000")
    resource.prlimit(server.process.pid, resource.RLIMIT_NOFILE, (40, 40))
    answers_beyond_the_limit(server, 100)
