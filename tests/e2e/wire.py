"""The server over a bare socket: what no well-behaved client would send."""
import dataclasses
import json
import socket
import time
import urllib.parse


@dataclasses.dataclass(frozen=True)
class Address:
    host: str
    port: int

    @staticmethod
    def of(url):
        parts = urllib.parse.urlsplit(url)
        return Address(parts.hostname, parts.port)

    def connect(self, timeout=10):
        return socket.create_connection((self.host, self.port), timeout=timeout)


@dataclasses.dataclass
class Response:
    version: str
    status: int
    headers: dict
    body: bytes

    def json(self):
        return json.loads(self.body)


class Connection:
    """One socket, with the responses read off it one after the other."""

    def __init__(self, address, timeout=60):
        self.socket = address.connect(timeout)
        self.bytes = b""

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.socket.close()

    def send(self, data):
        self.socket.sendall(data if isinstance(data, bytes) else data.encode())

    def _more(self):
        data = self.socket.recv(65536)
        self.bytes += data
        return bool(data)

    def _until(self, mark):
        while mark not in self.bytes:
            if not self._more():
                raise EOFError(self.bytes)
        head, self.bytes = self.bytes.split(mark, 1)
        return head

    def _exactly(self, size):
        while len(self.bytes) < size:
            if not self._more():
                raise EOFError(self.bytes)
        data, self.bytes = self.bytes[:size], self.bytes[size:]
        return data

    def _chunks(self):
        body = b""
        while size := int(self._until(b"\r\n"), 16):
            body += self._exactly(size)
            assert self._exactly(2) == b"\r\n"
        assert self._exactly(2) == b"\r\n"
        return body

    def read(self, head_only=False):
        first, *lines = self._until(b"\r\n\r\n").decode().split("\r\n")
        version, status, _ = first.split(" ", 2)
        headers = {name.lower(): value for name, value in (line.split(": ", 1) for line in lines)}
        if head_only or int(status) == 100:
            body = b""
        elif headers.get("transfer-encoding") == "chunked":
            body = self._chunks()
        elif "content-length" in headers:
            body = self._exactly(int(headers["content-length"]))
        else:
            while self._more():
                pass
            body, self.bytes = self.bytes, b""
        return Response(version, int(status), headers, body)

    def is_closed(self, within=5):
        """The server ends the connection, without another byte, within so many seconds."""
        self.socket.settimeout(within)
        try:
            return not self.bytes and self.socket.recv(1) == b""
        except ConnectionResetError:
            return True
        except TimeoutError:
            return False


def post(path, body, headers=(), version="1.1"):
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    lines = [f"POST {path} HTTP/{version}", "Host: test", "Content-Type: application/json",
             f"Content-Length: {len(data)}", *headers]
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + data


def get(path, headers=(), version="1.1", method="GET"):
    return ("\r\n".join([f"{method} {path} HTTP/{version}", "Host: test", *headers]) + "\r\n\r\n").encode()


def call(address, request, **kwargs):
    with Connection(address) as connection:
        connection.send(request)
        return connection.read(**kwargs)


def events(body):
    """The payloads of an event stream, parsed, without the final [DONE], which must be there."""
    lines = body.decode().split("\n\n")
    assert lines.pop() == "" and lines.pop() == "data: [DONE]", lines
    assert all(line.startswith("data: ") for line in lines), lines
    return [json.loads(line[len("data: "):]) for line in lines]


def metric(address, name, **labels):
    """The sum of a metric's samples that carry these labels."""
    total = 0.0
    for line in call(address, get("/metrics")).body.decode().splitlines():
        if line.startswith(name + "{") or line.startswith(name + " "):
            if all(f'{key}="{value}"' in line for key, value in labels.items()):
                total += float(line.rsplit(" ", 1)[1])
    return total


def becomes(condition, within=1.0):
    """True as soon as the condition holds, False when it does not within so many seconds."""
    end = time.monotonic() + within
    while time.monotonic() < end:
        if condition():
            return True
        time.sleep(0.01)
    return condition()
