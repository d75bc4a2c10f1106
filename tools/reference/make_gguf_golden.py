#!/usr/bin/env python3
"""A small GGUF of the llama architecture and what transformers makes of it.

make_gguf_golden.py OUT_DIR    (packages: requirements.txt beside this file)

OUT_DIR/tiny_llama.gguf: six layers, their q, k and v projections stored as F32, F16, BF16, Q4_0, Q4_1 and Q8_0 by
gguf-py, q and k rows in the pair order of llama.cpp's converters. 3 query heads and 1 key head of 8, hidden 96: row
counts (24, 8, 8) are no multiples of 16.
OUT_DIR/tiny_llama_expected.gguf: the same tensors as transformers loads them (dequantised, rows put back), F32, under
Hugging Face's names.
"""

import pathlib
import sys

import gguf
import numpy as np
import torch
import transformers

HIDDEN, HEADS, KV_HEADS, HEAD_DIM, VOCAB = 96, 3, 1, 8, 20
TYPES = ["F32", "F16", "BF16", "Q4_0", "Q4_1", "Q8_0"]


def permute(weights, heads):
    """llama.cpp's conversion/llama.py, LlamaModel.permute."""
    rows = weights.reshape(heads, 2, weights.shape[0] // heads // 2, *weights.shape[1:])
    return rows.swapaxes(1, 2).reshape(weights.shape)


def add_tensor(writer, name, values, kind):
    kind = gguf.GGMLQuantizationType[kind]
    writer.add_tensor(name, gguf.quants.quantize(values, kind), raw_dtype=kind)


def write_model(path, rng):
    writer = gguf.GGUFWriter(path, "llama")
    writer.add_block_count(len(TYPES))
    writer.add_context_length(128)
    writer.add_embedding_length(HIDDEN)
    writer.add_feed_forward_length(HIDDEN)
    writer.add_head_count(HEADS)
    writer.add_head_count_kv(KV_HEADS)
    writer.add_key_length(HEAD_DIM)
    writer.add_value_length(HEAD_DIM)
    writer.add_rope_dimension_count(HEAD_DIM)
    writer.add_layer_norm_rms_eps(1e-5)
    writer.add_vocab_size(VOCAB)
    add_tensor(writer, "token_embd.weight", rng.standard_normal((VOCAB, HIDDEN), np.float32), "Q8_0")
    add_tensor(writer, "output_norm.weight", rng.standard_normal(HIDDEN, np.float32), "F32")
    for layer, kind in enumerate(TYPES):
        add_tensor(writer, f"blk.{layer}.attn_norm.weight", rng.standard_normal(HIDDEN, np.float32), "F32")
        for name, heads in (("attn_q", HEADS), ("attn_k", KV_HEADS), ("attn_v", KV_HEADS)):
            values = rng.standard_normal((heads * HEAD_DIM, HIDDEN), np.float32)
            values = values if name == "attn_v" else permute(values, heads)
            add_tensor(writer, f"blk.{layer}.{name}.weight", values, kind)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def write_expected(path, model, stored):
    writer = gguf.GGUFWriter(path, "llama")
    for name, values in model.state_dict().items():
        if "_proj" in name and "self_attn" not in name or "o_proj" in name:
            continue  # not in the file
        if name == "lm_head.weight" or "post_attention" in name:
            continue
        writer.add_tensor(name, values.to(torch.float32).numpy())
    assert len(writer.tensors[0]) == stored, (len(writer.tensors[0]), stored)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def main():
    out = pathlib.Path(sys.argv[1])
    out.mkdir(parents=True, exist_ok=True)
    write_model(out / "tiny_llama.gguf", np.random.default_rng(11))
    model = transformers.AutoModelForCausalLM.from_pretrained(
        str(out), gguf_file="tiny_llama.gguf", dtype=torch.float32, ignore_mismatched_sizes=False)
    write_expected(out / "tiny_llama_expected.gguf", model, len(gguf.GGUFReader(out / "tiny_llama.gguf").tensors))


if __name__ == "__main__":
    main()
