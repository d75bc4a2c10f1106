"""The choice of a token, by numpy: what a request asks of its logits, in the order that vLLM documents, and the draw as
src/ingot/ops/sampling/draw_tokens.h writes it down. Written from those two texts, not from the server's code."""
import dataclasses

import numpy as np

f32 = np.float32
CLOSE = 1e-6  # relative: nearer than this to another token, or to the end of a cut, float32 may choose otherwise


@dataclasses.dataclass
class Place:
    """A token's place: what stands before it, and what the request knows of the model."""
    prompt: list
    output: list
    eos: list = ()                    # ids that end, ignored or not
    bad_words: list = ()              # as ids

    @property
    def index(self):
        return len(self.output)


def adjust(raw, fields, place):
    """Allowed ids, bad words, min_tokens, bias, penalties, in this order."""
    logits = raw.astype(f32).copy()
    if allowed := fields.get("allowed_token_ids"):
        kept = np.full_like(logits, -np.inf)
        kept[allowed] = logits[allowed]
        logits = kept
    words = place.bad_words if "bad_words" in fields else []
    ends = [word[-1] for word in words if place.output[len(place.output) - len(word) + 1:] == word[:-1]
            and len(word) - 1 <= len(place.output)]
    logits = bar(logits, ends)
    if place.index < fields.get("min_tokens", 0):
        logits = bar(logits, [*place.eos, *fields.get("stop_token_ids", [])])
    for token, bias in fields.get("logit_bias", {}).items():
        logits[int(token)] += f32(np.clip(bias, -100, 100))
    return penalise(logits, fields, place)


def bar(logits, ids):
    """−∞ at ids, unless nothing would be left."""
    barred = logits.copy()
    barred[list(ids)] = -np.inf
    return barred if np.isfinite(barred).any() else logits


def penalise(logits, fields, place):
    size = len(logits)
    times = np.bincount(np.array(place.output, dtype=np.int64), minlength=size).astype(f32)
    seen = (times > 0) | (np.bincount(np.array(place.prompt, dtype=np.int64), minlength=size) > 0)
    r = f32(fields.get("repetition_penalty", 1))
    logits = np.where(seen, np.where(logits > 0, logits / r, logits * r), logits)
    logits = logits - f32(fields.get("frequency_penalty", 0)) * times
    return logits - f32(fields.get("presence_penalty", 0)) * (times > 0)


def temperature_of(fields):
    temperature = fields.get("temperature", 1.0)
    return 0.0 if temperature < 1e-5 else max(temperature, 0.01)


def cut(logits, fields, slack=0.0):
    """logits / temperature and what the cuts keep of them; bounds moved by the share `slack`."""
    y = logits / f32(temperature_of(fields))
    e = np.exp(y.astype(np.float64) - y.max())
    keep = e >= fields.get("min_p", 0) * (1 + slack)
    k = fields.get("top_k", 0)
    if 0 < k < len(y):
        keep &= y >= np.sort(y)[-k]
    if (p := fields.get("top_p", 1)) < 1:
        order = np.argsort(-y, kind="stable")
        best_first = np.where(keep, e, 0)[order]
        before = np.cumsum(best_first) - best_first
        keep[order] &= before < f32(p * best_first.sum()) * (1 + slack)
    return y, keep


def splitmix64(x):
    mask = 2**64 - 1
    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9 & mask
    x = (x ^ x >> 27) * 0x94D049BB133111EB & mask
    return x ^ x >> 31


def mix(x):
    x = (x ^ x >> np.uint32(16)) * np.uint32(0x7FEB352D)
    x = (x ^ x >> np.uint32(15)) * np.uint32(0x846CA68B)
    return x ^ x >> np.uint32(16)


def noise(seed, index, size):
    """Exp(1) for each token id."""
    key = splitmix64(((seed % 2**64) + 0x9E3779B97F4A7C15 * (index + 1)) % 2**64)
    low, high = np.uint32(key & 0xFFFFFFFF), np.uint32(key >> 32)
    ids = np.arange(size, dtype=np.uint32)
    h = mix(mix(ids * np.uint32(0x9E3779B9) + low) ^ high)
    return -np.log(((h >> np.uint32(9)).astype(np.float64) + 0.5) * 2.0**-23)


def choose(raw, fields, place):
    """The token, or None where rounding decides."""
    logits = adjust(raw, fields, place)
    if temperature_of(fields) == 0:
        return clear_best(logits)
    grain = noise(fields["seed"], place.index, len(logits))
    winners = set()
    for slack in (-CLOSE, CLOSE):
        y, keep = cut(logits, fields, slack)
        winners.add(clear_best(np.where(keep, y.astype(np.float64) - np.log(grain), -np.inf)))
    return winners.pop() if len(winners) == 1 else None


def clear_best(scores):
    best = int(np.argmax(scores))
    second = np.partition(scores, -2)[-2]
    exact = scores.dtype == f32 and scores[best] == second  # greedy: the lower id
    clear = scores[best] - second > CLOSE * max(1, abs(scores[best]))
    return best if exact or clear else None


def processed(raw, fields, place):
    """The logits that the token was chosen among."""
    logits = adjust(raw, fields, place)
    if temperature_of(fields) == 0:
        return logits
    y, keep = cut(logits, fields)
    return np.where(keep, y, f32(-np.inf))


def log_softmax(logits):
    wide = logits.astype(np.float64)
    top = wide.max()
    return wide - top - np.log(np.exp(wide - top).sum())


def best_ids(logits, k):
    return np.argsort(-logits, kind="stable")[:k].tolist()


def rank(logits, token):
    return int((logits >= logits[token]).sum())


def ending(tokens, fields, place, max_tokens):
    """(finish reason, stop reason) after these tokens; None while they go on. Stop strings are another matter."""
    last = tokens[-1]
    if not fields.get("ignore_eos") and last in place.eos:
        return "stop", None
    if last in fields.get("stop_token_ids", []):
        return "stop", last
    if len(tokens) >= max_tokens:
        return "length", None
    if len(tokens) >= fields.get("min_tokens", 0) and repeats(tokens, fields.get("repetition_detection")):
        return "repetition", "repetition_detected"
    return None


def repeats(tokens, detection):
    if not detection:
        return False
    count = detection["min_count"]
    for size in range(max(detection.get("min_pattern_size", 0), 1), detection["max_pattern_size"] + 1):
        tail = tokens[-size * count:]
        if len(tail) == size * count and tail == tail[:size] * count:
            return True
    return False
