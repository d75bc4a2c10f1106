#!/usr/bin/env python3
"""Tiny checkpoints of every decoder family with random weights, and what transformers says of them in float32.

make_families.py OUT_DIR [--only CASE]    (packages: requirements.txt beside this file)

Writes OUT_DIR/NAME/{config.json,model.safetensors} for each checkpoint and OUT_DIR/{cases.json,expected.safetensors};
OUT_DIR/README.md says what they hold. The same seeds give the same bytes.
"""

import argparse
import json
import pathlib
import sys
import tempfile

import numpy as np
import torch
import transformers
from safetensors.numpy import save_file as save_arrays
from safetensors.torch import load_file, save_file
from transformers.modeling_rope_utils import ROPE_INIT_FUNCTIONS

transformers.logging.set_verbosity_error()
transformers.logging.disable_progress_bar()

NUM_GREEDY = 16
LEAST_GAP = 0.1  # between the two best logits at each greedy step
LEAST_DIVERGENCE = 0.02  # mean KL to the same model without the case's trait


def decoder(architecture, model_type, **keys):
    base = dict(vocab_size=181, hidden_size=48, intermediate_size=61, num_hidden_layers=3, num_attention_heads=4,
                num_key_value_heads=2, rms_norm_eps=1e-5, max_position_embeddings=4096, hidden_act="silu")
    config = {"architectures": [architecture], "model_type": model_type, **base, **keys}
    return {key: value for key, value in config.items() if value != "absent"}


SMALL = dict(hidden_size=32, intermediate_size=40, num_attention_heads=2, num_key_value_heads=None, vocab_size=160,
             num_hidden_layers=2)

# name: (config.json as a file of that family looks, type of the weights)
CHECKPOINTS = {
    "llama": (decoder("LlamaForCausalLM", "llama", head_dim=16, rope_theta=10000.0, tie_word_embeddings=False,
                      torch_dtype="bfloat16"), torch.bfloat16),
    "llama_bias": (decoder("LlamaForCausalLM", "llama", **SMALL, attention_bias=True, mlp_bias=True,
                           tie_word_embeddings=True, dtype="float32",
                           rope_parameters={"rope_type": "default", "rope_theta": 500000.0}), torch.float32),
    "mistral": (decoder("MistralForCausalLM", "mistral", head_dim=16, sliding_window=40, rope_theta=10000.0,
                        tie_word_embeddings=False, torch_dtype="bfloat16"), torch.bfloat16),
    "ministral3": (decoder("Ministral3ForCausalLM", "ministral3", head_dim=16, num_hidden_layers=2,
                           max_position_embeddings=512, dtype="float16", tie_word_embeddings=False,
                           rope_parameters={"rope_type": "yarn", "rope_theta": 1e6, "factor": 8.0, "beta_fast": 32.0,
                                            "beta_slow": 1.0, "original_max_position_embeddings": 64, "mscale": 1.0,
                                            "mscale_all_dim": 1.0, "llama_4_scaling_beta": 0.4}), torch.float16),
    "smollm3": (decoder("SmolLM3ForCausalLM", "smollm3", hidden_size=64, intermediate_size=40, vocab_size=148,
                        rope_theta=5e6, no_rope_layers=[1, 0, 1], use_sliding_window=False, pad_token_id=0,
                        dtype="bfloat16"),
                torch.bfloat16),
    "qwen2": (decoder("Qwen2ForCausalLM", "qwen2", hidden_size=64, intermediate_size=40, vocab_size=148,
                      rope_theta=1e6, use_sliding_window=False, sliding_window=40, max_window_layers=1,
                      tie_word_embeddings=True, torch_dtype="bfloat16"), torch.bfloat16),
    "qwen3": (decoder("Qwen3ForCausalLM", "qwen3", head_dim=32, num_hidden_layers=2, intermediate_size=45, rope_theta=1e6,
                      tie_word_embeddings=True, attention_bias=False, use_sliding_window=False, sliding_window=None,
                      max_window_layers=2, torch_dtype="bfloat16"), torch.bfloat16),
}

SHORT, LONG = [1.0, 1.1, 1.3, 1.5, 1.8, 2.0, 2.2, 2.5], [1.0, 1.5, 2.5, 4.0, 6.0, 8.0, 9.0, 10.0]
LONGROPE = {"max_position_embeddings": 256, "original_max_position_embeddings": 64,
            "rope_scaling": {"type": "longrope", "short_factor": SHORT, "long_factor": LONG}}
YARN = {"rope_type": "yarn", "factor": 4.0, "original_max_position_embeddings": 64}
NO_WINDOW = {"sliding_window": None}
PLAIN_ROPE = {"rope_scaling": None, "max_position_embeddings": 4096}

# name: checkpoint, changes to its config.json, the changes of a model without the trait (None: nothing to leave out),
# the prompt's length, --max-model-len where it matters.
CASES = {
    "llama": ("llama", {}, {"rope_theta": 1e9}, 150, None),
    "llama_tied_stray_head": ("llama", {"tie_word_embeddings": True}, {"tie_word_embeddings": False}, 100, None),
    "llama_bias": ("llama_bias", {}, None, 100, None),
    "llama_linear": ("llama", {"max_position_embeddings": 64, "rope_scaling": {"type": "linear", "factor": 4.0}},
                     PLAIN_ROPE, 180, None),
    "llama_dynamic": ("llama", {"max_position_embeddings": 64, "rope_scaling": {"type": "dynamic", "factor": 4.0}},
                      PLAIN_ROPE, 180, None),
    "llama_llama3": ("llama", {"max_position_embeddings": 512, "rope_parameters": {
        "rope_type": "llama3", "rope_theta": 10000.0, "factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0,
        "original_max_position_embeddings": 64}}, {"rope_parameters": None, "max_position_embeddings": 512}, 180, None),
    "llama_yarn": ("llama", {"max_position_embeddings": 64, "rope_scaling": YARN}, PLAIN_ROPE, 180, None),
    "llama_yarn_mscale": ("llama", {"max_position_embeddings": 256, "rope_parameters": {
        **YARN, "rope_theta": 10000.0, "factor": None, "mscale": 2.0, "mscale_all_dim": 0.5, "truncate": False,
        "beta_fast": 8, "beta_slow": 2}}, {"rope_parameters": YARN, "max_position_embeddings": 256}, 180, None),
    "llama_yarn_factor": ("llama", {"max_position_embeddings": 256, "rope_scaling": {**YARN, "attention_factor": 1.5}},
                          {"rope_scaling": YARN, "max_position_embeddings": 256}, 180, None),
    "llama_longrope_short": ("llama", LONGROPE, PLAIN_ROPE, 30, 64),
    "llama_longrope_long": ("llama", LONGROPE, PLAIN_ROPE, 180, 256),
    "llama_partial": ("llama", {"partial_rotary_factor": 0.5}, {"partial_rotary_factor": 1.0}, 150, None),
    "mistral": ("mistral", {}, NO_WINDOW, 200, None),
    "mistral_long_window": ("mistral", {"sliding_window": 300}, NO_WINDOW, 1100, None),
    "mistral_no_window": ("mistral", NO_WINDOW, {"sliding_window": 40}, 150, None),
    "ministral3": ("ministral3", {}, None, 200, None),
    "smollm3": ("smollm3", {}, {"no_rope_layers": [1, 1, 1]}, 150, None),
    "smollm3_interval": ("smollm3", {"no_rope_layers": None, "no_rope_layer_interval": 3},
                         {"no_rope_layers": [1, 1, 1]}, 150, None),
    "qwen2": ("qwen2", {}, {"use_sliding_window": True}, 150, None),
    "qwen2_sliding": ("qwen2", {"use_sliding_window": True}, {"use_sliding_window": False}, 200, None),
    "qwen2_layer_types": ("qwen2", {"use_sliding_window": True, "layer_types": [
        "sliding_attention", "full_attention", "sliding_attention"]}, {"layer_types": None}, 200, None),
    "qwen3": ("qwen3", {}, None, 150, None),
    "qwen3_sliding": ("qwen3", {"use_sliding_window": True, "sliding_window": 33, "max_window_layers": 1},
                      {"use_sliding_window": False}, 150, None),
}


def random_weights(name, shape, rng):
    """Scaled so that scores, hidden states and logits have deviations of some units: nothing is flat or one-hot."""
    x = torch.from_numpy(rng.standard_normal(shape).astype(np.float32))
    if "norm" in name:
        return 1 + 0.2 * x
    if name.endswith(".bias"):
        return 0.5 * x
    if "embed_tokens" in name:
        return 0.35 * x
    gain = {"lm_head": 2.0}.get(name.split(".")[-2], 1.0)
    return gain * x / shape[-1] ** 0.5


def make_checkpoint(folder, config, dtype, seed):
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "config.json").write_text(json.dumps(config, indent=2) + "\n")
    model = transformers.AutoModelForCausalLM.from_config(transformers.AutoConfig.from_pretrained(folder))
    rng = np.random.default_rng(seed)
    tied = model.config.tie_word_embeddings
    tensors = {name: random_weights(name, p.shape, rng).to(dtype).contiguous()
               for name, p in sorted(model.state_dict().items()) if not (tied and name == "lm_head.weight")}
    save_file(tensors, folder / "model.safetensors", metadata={"format": "pt"})


def packed_for_phi3(tensors):
    """Phi-3 is the family of transformers that rotates a part of each head: a Llama's weights under its names."""
    def joined(name, parts):
        prefix = name[: name.rfind(parts[0])]
        return torch.cat([tensors[f"{prefix}{part}.weight"] for part in parts])

    packed = {}
    for name, tensor in tensors.items():
        if "q_proj" in name:
            packed[name.replace("q_proj", "qkv_proj")] = joined(name, ["q_proj", "k_proj", "v_proj"])
        elif "gate_proj" in name:
            packed[name.replace("gate_proj", "gate_up_proj")] = joined(name, ["gate_proj", "up_proj"])
        elif not any(part in name for part in ("k_proj", "v_proj", "up_proj")):
            packed[name] = tensor
    return packed


def load(checkpoint, changes, max_model_len):
    """The model as transformers reads the changed files. Two kinds of rope would change with the sequence's length
    there; a server that keeps keys cannot, so they are fixed as vLLM fixes them, by transformers' own functions:
    dynamic at max_position_embeddings * factor tokens, longrope long iff max_model_len exceeds the original context."""
    config = {**json.loads((checkpoint / "config.json").read_text()), **changes}
    tensors = load_file(checkpoint / "model.safetensors")
    if config.get("tie_word_embeddings"):
        tensors.pop("lm_head.weight", None)  # a tied model's head is its embeddings, whatever else the file holds
    if config.get("partial_rotary_factor", 1) != 1:
        config |= {"architectures": ["Phi3ForCausalLM"], "model_type": "phi3", "pad_token_id": 0}
        tensors = packed_for_phi3(tensors)
    with tempfile.TemporaryDirectory() as folder:
        (pathlib.Path(folder) / "config.json").write_text(json.dumps(config))
        save_file(tensors, pathlib.Path(folder) / "model.safetensors", metadata={"format": "pt"})
        model, info = transformers.AutoModelForCausalLM.from_pretrained(
            folder, dtype=torch.float32, attn_implementation="eager", output_loading_info=True)
    missing = set(info["missing_keys"]) - ({"lm_head.weight"} if model.config.tie_word_embeddings else set())
    assert not missing and not info["unexpected_keys"], info
    rope = model.config.rope_parameters
    fixed = {"dynamic": lambda: int(model.config.max_position_embeddings * rope["factor"]),
             "longrope": lambda: max_model_len}.get(rope["rope_type"])
    if fixed:
        embedding = model.model.rotary_emb
        embedding.inv_freq, embedding.attention_scaling = ROPE_INIT_FUNCTIONS[rope["rope_type"]](
            model.config, "cpu", seq_len=fixed())
        embedding.rope_type = "default"
    return model.eval()


@torch.inference_mode()
def logits_of(model, ids):
    return model(torch.tensor([ids]), use_cache=False).logits[0].double()


def continuation(model, prompt):
    """Greedy tokens, or None where two logits come too close to say which."""
    ids = list(prompt)
    for _ in range(NUM_GREEDY):
        best = torch.topk(logits_of(model, ids)[-1], 2)
        if best.values[0] - best.values[1] < LEAST_GAP:
            return None
        ids.append(int(best.indices[0]))
    return ids


def rounded_attention(module, query, key, value, attention_mask, scaling, **_):
    """Eager attention with what a bfloat16 cache and bfloat16 products round: queries, keys, values, probabilities."""
    def bf16(x):
        return x.to(torch.bfloat16).float()

    groups = query.shape[1] // key.shape[1]
    key, value = (bf16(x).repeat_interleave(groups, dim=1) for x in (key, value))
    scores = bf16(query) @ key.transpose(2, 3) * scaling + attention_mask
    weights = bf16((scores - scores.amax(-1, keepdim=True)).exp())
    return ((weights / weights.sum(-1, keepdim=True)) @ value).transpose(1, 2), None


def rounded_logits(model, ids):
    module = sys.modules[type(model).__module__]
    exact, module.eager_attention_forward = module.eager_attention_forward, rounded_attention
    try:
        return logits_of(model, ids)
    finally:
        module.eager_attention_forward = exact


def divergence(p, q):
    return float((p.exp() * (p - q)).sum(-1).mean())


def make_case(folder, name):
    checkpoint, changes, without, prompt_length, max_model_len = CASES[name]
    model = load(folder / checkpoint, changes, max_model_len)
    for seed in range(400):
        rng = np.random.default_rng([seed, len(name)])
        ids = continuation(model, rng.integers(0, model.config.vocab_size, prompt_length).tolist())
        if ids:
            break
    else:
        raise SystemExit(f"{name}: no prompt with clear greedy tokens")
    logprobs = torch.log_softmax(logits_of(model, ids), -1)
    window = getattr(model.config, "sliding_window", None) or 64
    borders = [b + d for b in (window, 2 * window, 64) for d in (-2, -1, 0, 1)]
    last = len(ids) - 1
    positions = sorted({p for p in [0, 1, 5, 17, *borders, *range(last - 8, last + 1)] if 0 <= p <= last})
    entry = {"name": name, "checkpoint": checkpoint, "changes": changes, "prompt_length": prompt_length,
             "max_model_len": max_model_len,
             "rounding": divergence(logprobs[positions], torch.log_softmax(rounded_logits(model, ids), -1)[positions]),
             "without": without and {**changes, **without}}
    report = ""
    if without is not None:
        other = load(folder / checkpoint, {**changes, **without}, max_model_len)
        entry["divergence_without"] = divergence(logprobs, torch.log_softmax(logits_of(other, ids), -1))
        report = f", KL without its trait {entry['divergence_without']:.3f}"
        assert entry["divergence_without"] > LEAST_DIVERGENCE, f"{name}: the trait hardly matters{report}"
    entropy = float(-(logprobs.exp() * logprobs).sum(-1).mean())
    print(f"{name}: prompt {seed}, {len(ids)} tokens, entropy {entropy:.2f} nats, KL by rounding {entry['rounding']:.2g}"
          f"{report}", flush=True)
    return entry, {f"{name}.tokens": np.array(ids, np.int32), f"{name}.positions": np.array(positions, np.int32),
                   f"{name}.logprobs": logprobs[positions].float().numpy()}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--only", help="make and print this case, write nothing of it")
    args = parser.parse_args()
    torch.set_num_threads(1)
    for seed, (name, (config, dtype)) in enumerate(CHECKPOINTS.items()):
        make_checkpoint(args.out / name, config, dtype, seed)
    if args.only:
        make_case(args.out, args.only)
        return
    cases, tensors = [], {}
    for name in CASES:
        entry, expected = make_case(args.out, name)
        cases.append(entry)
        tensors |= expected
    (args.out / "cases.json").write_text(json.dumps(cases, indent=1) + "\n")
    save_arrays(tensors, args.out / "expected.safetensors")


if __name__ == "__main__":
    main()
