#!/usr/bin/env python3
"""Small GGUF vocabularies of each kind but byte-level BPE, and their reference encodings.

make_gguf_vocabularies.py OUT_DIR         (packages: requirements.txt beside this file, sentencepiece, xllamacpp)
make_gguf_vocabularies.py --of MODEL.gguf OUT.json    llama.cpp's encodings with the vocabulary of any GGUF file

OUT_DIR/{spm,spm_plain,unigram,word_piece}.gguf hold metadata alone; NAME.json beside each is a list of {"text", "ids",
"with_special"} by llama.cpp. Where it must agree, sentencepiece (pieces and scores) or the `tokenizers` wheel (WordPiece)
encodes too, and a difference is an error.
"""

import io
import json
import pathlib
import sys
import tempfile
import urllib.request

import gguf
import numpy as np
import sentencepiece
import sentencepiece.sentencepiece_model_pb2 as sentencepiece_format
import tokenizers
import xllamacpp

from make_tiny_tokenizers import CORPUS, TEXTS, word_piece

NORMAL, UNKNOWN, CONTROL, USER_DEFINED, UNUSED, BYTE = range(1, 7)
# Full-width letters and a ligature: a normaliser small enough to commit (source TAB target, as code points).
RULES = "FF21\t41\nFF22\t42\nFF41\t61\nFB01\t66 69\n3000\t20\n"
MORE_TEXTS = ["hello<tool>x</tool>", "<tool> <tool>", "ＡＢａ ﬁx　y", "   lead and trail   ", "the model\n\nreads\t tokens", "a" * 50, "Ünïcode",
              "hello</s>hello", "[MASK] hello [SEP]", "don't can't I'll.", "▁the▁model"]


def sentencepiece_model(kind, **options):
    out = io.BytesIO()
    with tempfile.TemporaryDirectory() as folder:
        rules = pathlib.Path(folder) / "rules.tsv"
        rules.write_text(RULES)
        if kind == "unigram":
            options |= {"normalization_rule_tsv": str(rules)}
        else:
            options |= {"normalization_rule_name": "identity", "remove_extra_whitespaces": False, "byte_fallback": True}
        sentencepiece.SentencePieceTrainer.train(
            sentence_iterator=iter(CORPUS.splitlines() * 3), model_writer=out, model_type=kind, minloglevel=2,
            character_coverage=0.98, **options)
    return sentencepiece.SentencePieceProcessor(model_proto=out.getvalue())


def pieces_of(model):
    tokens, scores, types = [], [], []
    for i in range(model.get_piece_size()):
        piece = model.id_to_piece(i)
        tokens.append(piece)
        scores.append(model.get_score(i))
        types.append(UNKNOWN if model.is_unknown(i) else CONTROL if model.is_control(i) else UNUSED if model.is_unused(i)
                     else BYTE if model.is_byte(i) else USER_DEFINED if piece in ("<tool>", "</tool>") else NORMAL)
    return tokens, scores, types


def spm(prefix=True):
    model = sentencepiece_model("bpe", vocab_size=420, add_dummy_prefix=prefix, user_defined_symbols=["<tool>", "</tool>"])
    tokens, scores, types = pieces_of(model)
    keys = {"model": "llama", "pre": "default", "tokens": tokens, "scores": scores, "token_type": types, "bos_token_id": 1,
            "eos_token_id": 2, "unknown_token_id": 0, "add_space_prefix": prefix}
    return keys, lambda text: model.encode(text)


def unigram():
    model = sentencepiece_model("unigram", vocab_size=110, pad_id=0, eos_id=1, unk_id=2, bos_id=-1)
    tokens, scores, types = pieces_of(model)
    charsmap = sentencepiece_format.ModelProto.FromString(
        model.serialized_model_proto()).normalizer_spec.precompiled_charsmap
    keys = {"model": "t5", "pre": "default", "tokens": tokens, "scores": scores, "token_type": types, "eos_token_id": 1,
            "unknown_token_id": 2, "padding_token_id": 0, "add_space_prefix": True, "remove_extra_whitespaces": True,
            "precompiled_charsmap": charsmap}
    return keys, lambda text: model.encode(text)


def word_pieces():
    reference = word_piece()
    vocabulary = sorted(reference.get_vocab().items(), key=lambda pair: pair[1])
    tokens = [text if text[0] == "[" and text[-1] == "]" else text[2:] if text.startswith("##") else "▁" + text
              for text, _ in vocabulary]
    types = [UNKNOWN if text == "[UNK]" else CONTROL if text in ("[PAD]", "[CLS]", "[SEP]") else NORMAL for text, _ in vocabulary]
    ids = dict(vocabulary)
    keys = {"model": "bert", "pre": "default", "tokens": tokens, "token_type": types, "unknown_token_id": ids["[UNK]"],
            "bos_token_id": ids["[CLS]"], "cls_token_id": ids["[CLS]"], "seperator_token_id": ids["[SEP]"],
            "padding_token_id": ids["[PAD]"]}
    return keys, lambda text: reference.encode(text, add_special_tokens=False).ids


def write(path, keys, with_tensors=False):
    writer = gguf.GGUFWriter(path, "llama")
    for name, value in keys.items():
        key = f"tokenizer.ggml.{name}"
        if isinstance(value, bool):
            writer.add_bool(key, value)
        elif isinstance(value, int):
            writer.add_uint32(key, value)
        elif isinstance(value, str):
            writer.add_string(key, value)
        else:
            writer.add_array(key, value)
    if with_tensors:  # what llama.cpp wants of a file before it reads a text with it
        add_tiny_llama(writer, len(keys["tokens"]))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def add_tiny_llama(writer, vocab):
    for add, value in ((writer.add_block_count, 1), (writer.add_context_length, 64), (writer.add_embedding_length, 32),
                       (writer.add_feed_forward_length, 32), (writer.add_head_count, 1), (writer.add_head_count_kv, 1),
                       (writer.add_rope_dimension_count, 32), (writer.add_layer_norm_rms_eps, 1e-5), (writer.add_vocab_size, vocab)):
        add(value)
    square = np.zeros((32, 32), np.float32)
    writer.add_tensor("token_embd.weight", np.zeros((vocab, 32), np.float32))
    writer.add_tensor("output_norm.weight", square[0].copy())
    for name in ("attn_q", "attn_k", "attn_v", "attn_output", "ffn_gate", "ffn_up", "ffn_down"):
        writer.add_tensor(f"blk.0.{name}.weight", square.copy())
    for name in ("attn_norm", "ffn_norm"):
        writer.add_tensor(f"blk.0.{name}.weight", square[0].copy())


def llama_cpp(model):
    params = xllamacpp.CommonParams()
    params.model.path = str(model)
    params.n_ctx = 64
    params.warmup = False
    params.endpoint_metrics = False
    server = xllamacpp.Server(params)

    def encode(text, add_special):
        body = json.dumps({"content": text, "add_special": add_special, "parse_special": True}).encode()
        request = urllib.request.Request(server.listening_address + "/tokenize", body, {"Content-Type": "application/json"})
        return json.load(urllib.request.urlopen(request))["tokens"]

    return server, encode


def write_encodings(path, encode, other=None):
    rows, excused = [], 0
    for text in dict.fromkeys(TEXTS + MORE_TEXTS):
        ids = encode(text, False)
        if other and other(text) != ids:
            if not any(special in text for special in ("<s>", "</s>", "<tool>", "[SEP]")):
                print(f"{path.name}: {text!r}: llama.cpp {ids}, the other {other(text)}")
            excused += 1
        rows.append({"text": text, "ids": ids, "with_special": encode(text, True)})
    path.write_text("[\n" + ",\n".join(json.dumps(row, ensure_ascii=True) for row in rows) + "\n]\n")
    print(f"{path.name}: {len(rows)} texts, {excused} where the other differs")


def main(arguments):
    if arguments[0] == "--of":
        server, encode = llama_cpp(arguments[1])
        return write_encodings(pathlib.Path(arguments[2]), encode)
    out = pathlib.Path(arguments[0])
    for name, (keys, other) in {"spm": spm(), "spm_plain": spm(prefix=False), "unigram": unigram(), "word_piece": word_pieces()}.items():
        write(out / f"{name}.gguf", keys)
        with tempfile.TemporaryDirectory() as folder:
            write(pathlib.Path(folder) / "model.gguf", keys, with_tensors=True)
            server, encode = llama_cpp(pathlib.Path(folder) / "model.gguf")
            write_encodings(out / f"{name}.json", encode, other)


main(sys.argv[1:])
