#!/usr/bin/env python3
"""Rotary frequencies and angles of every kind of scaling, by transformers in float32.

make_rope_tables.py OUT.json    (packages: requirements.txt beside this file)

A list of {name, config, max_model_len, inv_freq, scale, positions, cos, sin}: config.json as a checkpoint has it, and
cos and sin by position and rotated pair as the model's rotary embedding gives them. Where transformers would go by the
sequence's length the rule is vLLM's: dynamic at max_position_embeddings * factor tokens, longrope long iff
max_model_len exceeds the original context.
"""

import json
import pathlib
import sys

import torch
from transformers import AutoConfig, logging
from transformers.modeling_rope_utils import ROPE_INIT_FUNCTIONS
from transformers.models.llama.modeling_llama import LlamaRotaryEmbedding

logging.set_verbosity_error()

POSITIONS = [0, 1, 4095, 4096, 131071]
PAIRS = 8  # longrope's lists
SHORT, LONG = [1.0, 1.05, 1.1, 1.2, 1.5, 1.7, 1.9, 2.0], [1.0, 1.5, 3.0, 8.0, 20.0, 40.0, 50.0, 64.0]
LONGROPE = {"max_position_embeddings": 131072, "original_max_position_embeddings": 4096,
            "rope_scaling": {"type": "longrope", "short_factor": SHORT, "long_factor": LONG}}


def llama(**keys):
    return {"architectures": ["LlamaForCausalLM"], "model_type": "llama", "vocab_size": 64, "hidden_size": 64,
            "intermediate_size": 64, "num_hidden_layers": 1, "num_attention_heads": 4, "head_dim": 16,
            "max_position_embeddings": 4096, **keys}


def scaling(kind, **keys):
    return {"rope_type": kind, **keys}


# name: config, max_model_len
CASES = {
    "default": (llama(rope_theta=1e5), None),
    "default, nested theta": (llama(rope_theta=1e4, rope_parameters=scaling("default", rope_theta=1e6)), None),
    "linear": (llama(rope_scaling={"type": "linear", "factor": 2.5}), None),
    "dynamic": (llama(rope_scaling=scaling("dynamic", factor=4.0)), None),
    "llama3 of Llama 3.1": (llama(head_dim=128, rope_theta=5e5, max_position_embeddings=131072, rope_scaling=scaling(
        "llama3", factor=8.0, low_freq_factor=1.0, high_freq_factor=4.0, original_max_position_embeddings=8192)), None),
    "llama3 of Llama 3.2": (llama(head_dim=64, max_position_embeddings=131072, rope_parameters=scaling(
        "llama3", rope_theta=5e5, factor=32.0, low_freq_factor=1.0, high_freq_factor=4.0,
        original_max_position_embeddings=8192)), None),
    "yarn of Qwen 2.5": (llama(head_dim=128, rope_theta=1e6, max_position_embeddings=32768, rope_scaling={
        "type": "yarn", "factor": 4.0, "original_max_position_embeddings": 32768}), None),
    "yarn, not truncated": (llama(head_dim=64, rope_theta=150000.0, max_position_embeddings=131072, rope_scaling=scaling(
        "yarn", factor=32.0, beta_fast=32.0, beta_slow=1.0, truncate=False,
        original_max_position_embeddings=4096)), None),
    "yarn, mscale and mscale_all_dim": (llama(head_dim=64, max_position_embeddings=163840, rope_scaling=scaling(
        "yarn", factor=40, mscale=1.0, mscale_all_dim=0.707, beta_fast=32, beta_slow=1,
        original_max_position_embeddings=4096)), None),
    "yarn, mscale alone": (llama(rope_scaling=scaling("yarn", factor=8.0, mscale=2.0,
                                                      original_max_position_embeddings=512)), None),
    "yarn, attention_factor": (llama(rope_scaling=scaling("yarn", factor=8.0, attention_factor=1.75,
                                                          original_max_position_embeddings=512)), None),
    "yarn, factor null": (llama(rope_parameters=scaling("yarn", rope_theta=1e4, factor=None,
                                                        original_max_position_embeddings=512)), None),
    "longrope, short": (llama(**LONGROPE), 4096),
    "longrope, long": (llama(**LONGROPE), 4097),
    "longrope, factor and attention_factor": (llama(max_position_embeddings=8192, rope_scaling=scaling(
        "longrope", factor=16.0, attention_factor=1.25, short_factor=SHORT, long_factor=LONG,
        original_max_position_embeddings=4096)), 8192),
    "longrope, factor": (llama(max_position_embeddings=8192, rope_parameters=scaling(
        "longrope", rope_theta=1e4, factor=16.0, short_factor=SHORT, long_factor=LONG,
        original_max_position_embeddings=4096)), 8192),
    "linear, part of the head": (llama(head_dim=32, partial_rotary_factor=0.5,
                                       rope_scaling={"type": "linear", "factor": 2.0}), None),
    "yarn, part of the head": (llama(head_dim=64, rope_parameters=scaling(
        "yarn", rope_theta=1e4, partial_rotary_factor=0.25, factor=4.0, original_max_position_embeddings=1024)), None),
}


def table(name):
    keys, max_model_len = CASES[name]
    folder = pathlib.Path(sys.argv[1]).parent / "config.json"
    folder.write_text(json.dumps(keys))
    config = AutoConfig.from_pretrained(folder)
    folder.unlink()
    embedding = LlamaRotaryEmbedding(config)
    kind = embedding.rope_type
    if kind in ("dynamic", "longrope"):
        seq_len = max_model_len if kind == "longrope" else int(config.max_position_embeddings * keys["rope_scaling"]["factor"])
        embedding.inv_freq, embedding.attention_scaling = ROPE_INIT_FUNCTIONS[kind](config, "cpu", seq_len=seq_len)
        embedding.rope_type = "default"
    cos, sin = embedding(torch.zeros(1), torch.tensor([POSITIONS]))
    half = cos.shape[-1] // 2
    rows = lambda x: [[float(f"{v:.8g}") for v in row] for row in x[0, :, :half].tolist()]
    return {"name": name, "config": keys, "max_model_len": max_model_len,
            "inv_freq": [float(f"{v:.9g}") for v in embedding.inv_freq.tolist()],
            "scale": embedding.attention_scaling, "positions": POSITIONS, "cos": rows(cos), "sin": rows(sin)}


def main():
    out = pathlib.Path(sys.argv[1])
    out.write_text("[\n" + ",\n".join(json.dumps(table(name)) for name in CASES) + "\n]\n")


if __name__ == "__main__":
    main()
