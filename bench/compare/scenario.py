"""A measured situation, read from scenarios/NAME.txt: one `key value` a line.

clients   requests at once (1)             prefix   tokens that all prompts of a round begin with (0)
prompt    tokens of each prompt behind it  output   tokens that each request generates
turns     how often each client goes on, `output` tokens for a reply and `prompt` new ones behind its last prompt (1)
warm      yes: the prefix was sent before, so that a cache may know it
figure    prefill      prompt tokens a second until the first token
          decode       tokens a second behind the first token
          output       output tokens of all clients a second
          first_token  milliseconds to the first token: less is better
"""
import dataclasses
import pathlib
import random
import statistics

import client

FOLDER = pathlib.Path(__file__).resolve().parent / "scenarios"
VOCABULARY = range(100, 40_000)  # ordinary tokens of the default model; prompts are random, so that no cache knows them
UNITS = {"prefill": "tok/s", "decode": "tok/s", "output": "tok/s", "first_token": "ms"}


@dataclasses.dataclass(frozen=True)
class Scenario:
    name: str
    prompt: int
    output: int
    figure: str
    clients: int = 1
    prefix: int = 0
    turns: int = 1
    warm: bool = False

    @property
    def less_is_better(self):
        return self.figure == "first_token"

    async def run(self, address, round_number):
        """The figure, and the median time to the first token in ms. A round's prompts are the same for each server."""
        rng = random.Random(f"{self.name} {round_number}")
        draw = lambda count: rng.choices(VOCABULARY, k=count)
        prefix = draw(self.prefix)
        prompts = [prefix + draw(self.prompt) for _ in range(self.clients)]
        if self.warm:
            await client.complete(address, prefix + draw(1), 1)
        replies, seconds = [], 0.0
        for turn in range(self.turns):
            if turn:
                prompts = [prompt + draw(self.output + self.prompt) for prompt in prompts]
            more, took = await client.complete_all(address, prompts, self.output)
            replies, seconds = replies + more, seconds + took
        return self.value(replies, seconds), statistics.median(reply.first_s for reply in replies) * 1000

    def value(self, replies, seconds):
        first = replies[0]
        return {
            "prefill": lambda: (self.prefix + self.prompt) / first.first_s,
            "decode": lambda: (first.num_tokens - 1) / (first.total_s - first.first_s),
            "output": lambda: sum(reply.num_tokens for reply in replies) / seconds,
            "first_token": lambda: first.first_s * 1000,
        }[self.figure]()


def read(path):
    lines = [line.split() for line in path.read_text().splitlines() if line and not line.startswith("#")]
    fields = dict(lines)
    warm = fields.pop("warm", "no") == "yes"
    figure = fields.pop("figure")
    assert figure in UNITS, f"{path}: figure {figure}"
    return Scenario(name=path.stem, figure=figure, warm=warm, **{key: int(value) for key, value in fields.items()})


def read_all(names=()):
    order = lambda path: (path.stem.split("_")[0], int("".join(filter(str.isdigit, path.stem)) or 0))
    found = [read(path) for path in sorted(FOLDER.glob("*.txt"), key=order)]
    unknown = set(names) - {scenario.name for scenario in found}
    if unknown:
        raise SystemExit(f"no scenario {', '.join(sorted(unknown))}; there are {', '.join(s.name for s in found)}")
    return [scenario for scenario in found if not names or scenario.name in names]
