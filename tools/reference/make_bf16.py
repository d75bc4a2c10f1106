#!/usr/bin/env python3
"""A Llama in GGUF -> the folder that Hugging Face would hold of it, weights rounded to bfloat16.

make_bf16.py MODEL.gguf FOLDER    (packages: make_bf16.txt beside this file)

Written from the formats' descriptions, not from Ingot's readers, so that tests on the folder say something about them.
Takes byte-level BPE vocabularies of the kind "smollm" alone.
"""

import argparse
import json
import pathlib

import gguf
import numpy as np
import safetensors
import tokenizers
from tokenizers import decoders, models, pre_tokenizers

GLOBALS = {"token_embd": "model.embed_tokens", "output_norm": "model.norm", "output": "lm_head"}
OF_LAYER = {
    "attn_norm": "input_layernorm",
    "attn_q": "self_attn.q_proj",
    "attn_k": "self_attn.k_proj",
    "attn_v": "self_attn.v_proj",
    "attn_output": "self_attn.o_proj",
    "ffn_norm": "post_attention_layernorm",
    "ffn_gate": "mlp.gate_proj",
    "ffn_up": "mlp.up_proj",
    "ffn_down": "mlp.down_proj",
}
CONTROL = 3  # a token's type in GGUF


def hugging_face_name(name):
    stem, suffix = name.rsplit(".", 1)
    if stem in GLOBALS:
        return f"{GLOBALS[stem]}.{suffix}"
    _, layer, part = stem.split(".")
    return f"model.layers.{layer}.{OF_LAYER[part]}.{suffix}"


def halves_of_heads(rows, num_heads):
    """Undoes llama.cpp's order of q and k: a head's rows go 0, D/2, 1, D/2 + 1, …"""
    return rows.reshape(num_heads, -1, 2, rows.shape[1]).swapaxes(1, 2).reshape(rows.shape)


def bfloat16(values):
    """To the nearest, ties to even; uint16 holds the bits."""
    bits = np.ascontiguousarray(values, np.float32).view(np.uint32)
    return ((bits + 0x7FFF + (bits >> 16 & 1)) >> 16).astype("<u2")


def weights(reader, config):
    tensors = {}
    for tensor in reader.tensors:
        values = gguf.dequantize(tensor.data, tensor.tensor_type).reshape(tensor.shape[::-1])
        if ".attn_q." in tensor.name:
            values = halves_of_heads(values, config["num_attention_heads"])
        if ".attn_k." in tensor.name:
            values = halves_of_heads(values, config["num_key_value_heads"])
        tensors[hugging_face_name(tensor.name)] = bfloat16(values)
    return tensors


def save_bfloat16(tensors, path):
    """`tensors`: by name, uint16 arrays of bits, alive until this returns (the writer takes their addresses)."""
    specs = {
        name: safetensors.TensorSpec(
            dtype="bfloat16", shape=bits.shape, data_ptr=bits.ctypes.data, data_len=bits.nbytes
        )
        for name, bits in tensors.items()
    }
    safetensors.serialize_file(specs, path, {"format": "pt"})


def tokenizer(key):
    tokens, kinds = key("tokenizer.ggml.tokens"), key("tokenizer.ggml.token_type")
    assert (key("tokenizer.ggml.model"), key("tokenizer.ggml.pre")) == ("gpt2", "smollm"), "another kind of vocabulary"
    merges = [tuple(merge.split(" ")) for merge in key("tokenizer.ggml.merges")]
    result = tokenizers.Tokenizer(models.BPE({token: i for i, token in enumerate(tokens)}, merges))
    result.pre_tokenizer = pre_tokenizers.Sequence(
        [pre_tokenizers.Digits(individual_digits=True), pre_tokenizers.ByteLevel(add_prefix_space=False)]
    )
    result.decoder = decoders.ByteLevel()
    special = [token for token, kind in zip(tokens, kinds) if kind == CONTROL]
    result.add_special_tokens([tokenizers.AddedToken(token, normalized=False) for token in special])
    return result


def write_json(path, value):
    path.write_text(json.dumps(value, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", type=pathlib.Path)
    parser.add_argument("folder", type=pathlib.Path)
    args = parser.parse_args()
    reader = gguf.GGUFReader(args.model)

    def key(name):
        return reader.fields[name].contents()

    assert key("general.architecture") == "llama"
    bos, eos = key("tokenizer.ggml.bos_token_id"), key("tokenizer.ggml.eos_token_id")
    config = dict(
        architectures=["LlamaForCausalLM"],
        model_type="llama",
        vocab_size=len(key("tokenizer.ggml.tokens")),
        hidden_size=key("llama.embedding_length"),
        intermediate_size=key("llama.feed_forward_length"),
        num_hidden_layers=key("llama.block_count"),
        num_attention_heads=key("llama.attention.head_count"),
        num_key_value_heads=key("llama.attention.head_count_kv"),
        hidden_act="silu",
        rms_norm_eps=float(f"{key('llama.attention.layer_norm_rms_epsilon'):.6g}"),
        rope_theta=key("llama.rope.freq_base"),
        max_position_embeddings=key("llama.context_length"),
        tie_word_embeddings=not any(tensor.name == "output.weight" for tensor in reader.tensors),
        bos_token_id=bos,
        eos_token_id=eos,
        torch_dtype="bfloat16",
    )
    tokens = key("tokenizer.ggml.tokens")
    args.folder.mkdir(parents=True, exist_ok=True)
    tokenizer(key).save(str(args.folder / "tokenizer.json"))
    write_json(args.folder / "config.json", config)
    write_json(args.folder / "generation_config.json", dict(bos_token_id=bos, eos_token_id=eos))
    write_json(
        args.folder / "tokenizer_config.json",
        dict(tokenizer_class="GPT2Tokenizer", bos_token=tokens[bos], eos_token=tokens[eos], add_bos_token=False),
    )
    (args.folder / "chat_template.jinja").write_text(key("tokenizer.chat_template"), encoding="utf-8")
    save_bfloat16(weights(reader, config), args.folder / "model.safetensors")


if __name__ == "__main__":
    main()
