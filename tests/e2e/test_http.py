"""HTTP itself, over bare sockets: framing, limits, half requests, bytes that are no HTTP."""
import socket

import pytest

from wire import Connection, call, events, get, metric, post

CHAT = {"messages": [{"role": "user", "content": "Hello"}], "max_tokens": 3, "temperature": 0}


def test_health_version_ping(address):
    health = call(address, get("/health"))
    assert (health.status, health.body) == (200, b"")
    assert list(call(address, get("/version")).json()) == ["version"]
    assert call(address, get("/ping")).status == 200
    assert call(address, post("/ping", {})).status == 200


def test_head_is_get_without_the_body(address):
    response = call(address, get("/v1/models", method="HEAD"), head_only=True)
    assert response.status == 200 and int(response.headers["content-length"]) > 0


def test_unknown_path_and_method(address):
    missing = call(address, get("/v1/nope"))
    assert (missing.status, missing.json()) == (404, {"detail": "Not Found"})
    wrong = call(address, get("/v1/chat/completions"))
    assert (wrong.status, wrong.json()) == (405, {"detail": "Method Not Allowed"})
    assert wrong.headers["allow"] == "POST"


def test_query_and_absolute_form(address):
    assert call(address, get("/health?verbose=1")).status == 200
    assert call(address, get(f"http://{address.host}:{address.port}/health")).status == 200


@pytest.mark.parametrize("content_type, status", [
    ("application/json", 200), ("application/json; charset=utf-8", 200), ("Application/JSON", 200),
    ("text/plain", 400), ("application/jsonx", 400), ("multipart/form-data; boundary=x", 400)])
def test_content_type(address, content_type, status):
    request = post("/v1/chat/completions", CHAT).replace(b"application/json", content_type.encode())
    assert call(address, request).status == status


def test_cors(address):
    preflight = call(address, get("/v1/models", method="OPTIONS", headers=[
        "Origin: http://a.test", "Access-Control-Request-Method: POST", "Access-Control-Request-Headers: authorization"]))
    assert preflight.status == 200 and preflight.headers["access-control-allow-origin"] == "*"
    assert preflight.headers["access-control-allow-headers"] == "authorization"
    assert call(address, get("/health", headers=["Origin: http://a.test"])).headers["access-control-allow-origin"] == "*"
    assert "access-control-allow-origin" not in call(address, get("/health")).headers


def test_keep_alive_serves_several_requests(address):
    with Connection(address) as connection:
        for _ in range(3):
            connection.send(post("/v1/chat/completions", CHAT))
            assert connection.read().status == 200
            connection.send(post("/v1/chat/completions", {**CHAT, "stream": True}))
            assert len(events(connection.read().body)) >= 2


def test_connection_close_is_honoured(address):
    with Connection(address) as connection:
        connection.send(get("/health", headers=["Connection: close"]))
        assert connection.read().headers["connection"] == "close"
        assert connection.is_closed()


def test_pipelined_requests_are_answered_in_order(address):
    with Connection(address, timeout=60) as connection:
        connection.send(post("/v1/chat/completions", CHAT) + get("/version") +
                        post("/v1/chat/completions", {**CHAT, "stream": True}) + get("/nope") + get("/health"))
        statuses = [connection.read() for _ in range(5)]
        assert [response.status for response in statuses] == [200, 200, 200, 404, 200]
        assert "version" in statuses[1].json() and events(statuses[2].body)


def test_empty_lines_between_requests_are_skipped(address):
    with Connection(address) as connection:
        for _ in range(2):
            connection.send(post("/v1/chat/completions", CHAT) + b"\r\n\r\n")
            assert connection.read().status == 200


def test_request_in_single_bytes(address):
    with Connection(address) as connection:
        for byte in post("/v1/chat/completions", CHAT):
            connection.send(bytes([byte]))
        assert connection.read().status == 200


def test_chunked_request_body(address):
    body = post("/v1/chat/completions", CHAT).split(b"\r\n\r\n", 1)[1]
    head = b"POST /v1/chat/completions HTTP/1.1\r\nHost: t\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n"
    chunks = b"".join(b"%x\r\n%s\r\n" % (len(part), part) for part in (body[:7], body[7:])) + b"0\r\n\r\n"
    assert call(address, head + chunks).status == 200


def test_expect_100_continue(address):
    head, body = post("/v1/chat/completions", CHAT, headers=["Expect: 100-continue"]).split(b"\r\n\r\n", 1)
    with Connection(address) as connection:
        connection.send(head + b"\r\n\r\n")
        assert connection.read().status == 100
        connection.send(body)
        assert connection.read().status == 200


def test_expect_is_refused_on_the_head(address):
    request = post("/v1/nope", CHAT, headers=["Expect: 100-continue"]).split(b"\r\n\r\n", 1)[0] + b"\r\n\r\n"
    with Connection(address) as connection:
        connection.send(request)
        assert connection.read().status == 404
        assert connection.is_closed()


def test_http_1_0(address):
    plain = call(address, post("/v1/chat/completions", CHAT, version="1.0"))
    assert (plain.version, plain.status) == ("HTTP/1.0", 200) and plain.headers["connection"] == "close"
    stream = call(address, post("/v1/chat/completions", {**CHAT, "stream": True}, version="1.0"))
    assert "transfer-encoding" not in stream.headers and events(stream.body)
    with Connection(address) as connection:
        for _ in range(2):
            connection.send(get("/health", headers=["Connection: keep-alive"], version="1.0"))
            assert connection.read().headers["connection"] == "keep-alive"


def test_one_megabyte_of_headers(address):
    with Connection(address) as connection:
        try:
            connection.send(get("/health", headers=[f"X-{i}: {'a' * 1000}" for i in range(1000)]))
        except ConnectionError:
            pass  # refused while still sending
        response = connection.read()
        assert response.status == 431 and response.json()["error"]["code"] == 431
        assert connection.is_closed()


def test_body_above_the_limit_by_its_length(address):
    head = (b"POST /v1/chat/completions HTTP/1.1\r\nHost: t\r\nContent-Type: application/json\r\n"
            b"Content-Length: 99999999999\r\n\r\n")
    response = call(address, head)
    assert response.status == 413 and response.json()["error"]["code"] == 413


def test_body_above_the_limit_in_chunks(address):
    head = (b"POST /v1/chat/completions HTTP/1.1\r\nHost: t\r\nContent-Type: application/json\r\n"
            b"Transfer-Encoding: chunked\r\n\r\n")
    chunk = b"100000\r\n" + b" " * 0x100000 + b"\r\n"
    with Connection(address, timeout=60) as connection:
        connection.send(head)
        try:
            for _ in range(40):
                connection.send(chunk)
        except ConnectionError:
            pass
        assert connection.read().status == 413


@pytest.mark.parametrize("data", [
    b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + bytes(range(200)),  # a TLS hello
    b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", b"\x00\x01\x02\x03\r\n\r\n", b"GET\r\n\r\n", b"GET / HTTP/9.9\r\n\r\n",
    b"POST /v1/chat/completions HTTP/1.1\r\nContent-Length: abc\r\n\r\n",
    b"POST /v1/chat/completions HTTP/1.1\r\nContent-Length: -1\r\n\r\n",
    b"GET /health HTTP/1.1\r\nno colon here\r\n\r\n"])
def test_bytes_that_are_no_http(address, data):
    with Connection(address) as connection:
        connection.send(data)
        assert connection.read().status == 400
        assert connection.is_closed()
    assert call(address, get("/health")).status == 200


def test_half_closed_client_counts_as_gone(address):
    with Connection(address) as connection:
        connection.send(post("/v1/completions", {"prompt": "Hi", "max_tokens": 1500, "ignore_eos": True}))
        connection.socket.shutdown(socket.SHUT_WR)
        assert connection.is_closed()


@pytest.mark.parametrize("body", [
    b"", b"{", b"null", b"[]", b"\xff\xfe", b'{"prompt":"\xff"}', b'{"prompt":"\\ud800"}', b"[" * 100_000,
    b'{"prompt":1e400}', b'{"prompt":{"a":1}}'])
def test_users_31_32_broken_bodies(address, body):
    response = call(address, post("/v1/completions", body))
    assert response.status == 400 and response.json()["error"]["code"] == 400


def test_metrics(address):
    text = call(address, get("/metrics"))
    assert text.headers["content-type"].startswith("text/plain; version=0.0.4")
    before = metric(address, "http_requests_total", handler="/v1/chat/completions", status="2xx")
    tokens = metric(address, "vllm:generation_tokens_total")
    ended = metric(address, "vllm:request_success_total", finished_reason="length")
    first = metric(address, "vllm:time_to_first_token_seconds_count")
    assert call(address, post("/v1/chat/completions", CHAT)).status == 200
    assert metric(address, "http_requests_total", handler="/v1/chat/completions", status="2xx") == before + 1
    assert metric(address, "vllm:generation_tokens_total") == tokens + 3
    assert metric(address, "vllm:request_success_total", finished_reason="length") == ended + 1
    assert metric(address, "vllm:time_to_first_token_seconds_count") == first + 1
    assert metric(address, "vllm:cache_config_info") == 1
