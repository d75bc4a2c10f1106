"""A client that costs little beside the server it measures: raw sockets, one asyncio loop, one line of JSON a token."""

import asyncio
import dataclasses
import json
import time


@dataclasses.dataclass
class Reply:
    first_s: float  # from sending the request to the first token
    total_s: float  # … to the end of the stream
    num_tokens: int
    text: str


async def complete(address, prompt, max_tokens, **fields):
    """One streamed, greedy completion of exactly max_tokens tokens."""
    body = dict(prompt=prompt, max_tokens=max_tokens, temperature=0, ignore_eos=True, stream=True)
    body |= dict(stream_options={"include_usage": True}) | fields
    data = json.dumps(body).encode()
    host, port = address.split(":")
    head = f"POST /v1/completions HTTP/1.1\r\nHost: {address}\r\nContent-Type: application/json\r\nConnection: close\r\n"
    reader, writer = await asyncio.open_connection(host, int(port), limit=1 << 20)
    start, first, text, num_tokens = time.perf_counter(), None, [], None
    writer.write(head.encode() + f"Content-Length: {len(data)}\r\n\r\n".encode() + data)
    status = await reader.readline()
    if b" 200 " not in status:
        raise RuntimeError(f"{status!r}: {await reader.read()!r}")
    while line := await reader.readline():
        if not line.startswith(b"data: {"):
            continue
        first = first or time.perf_counter() - start
        chunk = json.loads(line[6:])
        if "error" in chunk:
            raise RuntimeError(chunk["error"])
        text += [choice["text"] for choice in chunk["choices"]]
        if chunk.get("usage"):
            num_tokens = chunk["usage"]["completion_tokens"]
    writer.close()
    if num_tokens != max_tokens:
        raise RuntimeError(f"asked for {max_tokens} tokens, got {num_tokens}")
    return Reply(first, time.perf_counter() - start, num_tokens, "".join(text))


async def complete_all(address, prompts, max_tokens, **fields):
    """All at once: (replies, seconds until the last one ended)."""
    start = time.perf_counter()
    replies = await asyncio.gather(*(complete(address, prompt, max_tokens, **fields) for prompt in prompts))
    return replies, time.perf_counter() - start
