#!/usr/bin/env python3
"""Float32 reference of a model by transformers: next-token distributions of real text, and greedy continuations.

make_goldens.py MODEL OUT_DIR [--text FILE…] [--no-greedy]    (packages: requirements.txt beside this file)

MODEL is a .gguf file or a folder. Reads the texts, by default OUT_DIR/text/*.txt, one sequence each, and prompts.txt beside this
file, one prompt a line (\\n is a line break).
Writes OUT_DIR/distributions.safetensors and OUT_DIR/greedy.json; OUT_DIR/README.md says what they hold.
"""

import argparse
import json
import pathlib

import numpy as np
import torch
import transformers
from safetensors.numpy import save_file

TOP = 96  # tokens of each distribution kept exactly
DRAWS = 32  # tokens that stand for the rest
MAX_TOKENS = 576  # of one sequence
CONTINUATION = 64


def load(path, dtype=torch.float32):
    where = dict(pretrained_model_name_or_path=str(path))
    if path.is_file():
        where = dict(pretrained_model_name_or_path=str(path.parent), gguf_file=path.name)
    tokenizer = transformers.AutoTokenizer.from_pretrained(**where)
    model = transformers.AutoModelForCausalLM.from_pretrained(**where, dtype=dtype, attn_implementation="eager")
    return tokenizer, model.eval()


@torch.inference_mode()
def logits_of(model, ids):
    return model(torch.tensor([ids])).logits[0]


def summarise(logprobs, rng):
    """One row of log-probabilities -> the TOP best, the mass of the rest and DRAWS systematic draws from it."""
    order = np.argsort(-logprobs, kind="stable")
    top, tail = order[:TOP], order[TOP:]
    p = np.exp(logprobs[tail])
    edges = np.cumsum(p)
    points = (np.arange(DRAWS) + rng.random()) / DRAWS * edges[-1]
    drawn = tail[np.minimum(np.searchsorted(edges, points), len(tail) - 1)]
    return top, logprobs[top], edges[-1], drawn, logprobs[drawn]


def make_distributions(tokenizer, model, texts):
    rng = np.random.default_rng(0)
    tokens, lengths, rows, nll = [], [], [], []
    for path in texts:
        ids = tokenizer(path.read_text(encoding="utf-8"), add_special_tokens=False)["input_ids"][:MAX_TOKENS]
        logprobs = torch.log_softmax(logits_of(model, ids).double(), -1).numpy()
        rows += [summarise(row, rng) for row in logprobs]
        nll.append(-np.mean([row[token] for row, token in zip(logprobs, ids[1:])]))
        tokens += ids
        lengths.append(len(ids))
        print(f"{path.name}: {len(ids)} tokens, {nll[-1]:.3f} nats a token", flush=True)
    top_ids, top, rest, draw_ids, draws = map(np.array, zip(*rows))
    print(f"{len(tokens)} positions; mass beyond the best {TOP}: mean {rest.mean():.4f}, largest {rest.max():.3f}")
    tensors = dict(
        tokens=np.array(tokens, np.int32),
        lengths=np.array(lengths, np.int32),
        top_ids=top_ids.astype(np.uint16),
        top_logprobs=top.astype(np.float32),
        rest_mass=rest.astype(np.float32),
        draw_ids=draw_ids.astype(np.uint16),
        draw_logprobs=draws.astype(np.float32),
    )
    return tensors


@torch.inference_mode()
def continue_greedily(model, ids):
    """CONTINUATION tokens, on past EOS; then one pass over the whole gives the two best logits of each step."""
    ids, cache, fresh = list(ids), transformers.DynamicCache(), list(ids)
    for _ in range(CONTINUATION):
        logits = model(torch.tensor([fresh]), cache=cache, use_cache=True, logits_to_keep=1).logits[0, -1]
        fresh = [int(logits.argmax())]
        ids += fresh
    values, tokens = logits_of(model, ids)[-CONTINUATION - 1 : -1].topk(2)
    assert tokens[:, 0].tolist() == ids[-CONTINUATION:], "a tie: the pass as a whole and the steps disagree"
    return [[t[0], round(v[0], 4), t[1], round(v[1], 4)] for t, v in zip(tokens.tolist(), values.tolist())]


def make_greedy(tokenizer, model, prompts):
    out = []
    for prompt in prompts:
        ids = tokenizer(prompt, add_special_tokens=False)["input_ids"]
        best = continue_greedily(model, ids)
        text = tokenizer.decode([step[0] for step in best])
        out.append(dict(prompt=prompt, prompt_ids=ids, output_ids=[step[0] for step in best], best_two=best, text=text))
        print(f"{prompt[-40:]!r} -> {text[:70]!r}", flush=True)
    return out


def write_json(path, rows):
    """One prompt a block, one field a line: a change of the file can be read."""
    blocks = [",\n".join(f"  {json.dumps(k)}: {json.dumps(v, ensure_ascii=False)}" for k, v in row.items()) for row in rows]
    path.write_text("[\n" + ",\n".join(" {\n" + block + "\n }" for block in blocks) + "\n]\n", encoding="utf-8")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", type=pathlib.Path)
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--text", type=pathlib.Path, nargs="+")
    parser.add_argument("--no-greedy", action="store_true", help="distributions alone")
    args = parser.parse_args()
    texts = args.text or sorted((args.out / "text").glob("*.txt"))
    tokenizer, model = load(args.model)
    tensors = make_distributions(tokenizer, model, texts)
    save_file(tensors, args.out / "distributions.safetensors", metadata={"model": args.model.name})
    if args.no_greedy:
        return
    prompts = pathlib.Path(__file__).with_name("prompts.txt").read_text(encoding="utf-8").splitlines()
    write_json(args.out / "greedy.json", make_greedy(tokenizer, model, [p.replace("\\n", "\n") for p in prompts]))


if __name__ == "__main__":
    main()
