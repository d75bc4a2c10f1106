#!/usr/bin/env python3
"""Two tiny vocabularies as tokenizer.json, and what Hugging Face's wheel makes of hard texts with them.

make_tiny_tokenizers.py TESTS_DIR    (package: tokenizers, version in requirements.txt beside this file)

Writes TESTS_DIR/fixtures/tokenizers/{byte_level,byte_fallback}.json and TESTS_DIR/golden/tokenizers/ the same names:
lists of {"text", "ids", "with_special", "decoded"}. byte_level is the form of GPT-2, Llama 3 and Qwen, with ChatML's
control tokens; byte_fallback that of Llama 2: a SentencePiece vocabulary with a token for each byte, BOS in front.
"""

import json
import pathlib
import sys

import tokenizers
from tokenizers import AddedToken, Regex, decoders, models, normalizers, pre_tokenizers, processors, trainers

CORPUS = """The quick brown fox jumps over the lazy dog. The model reads tokens and writes tokens, one after the other.
When the user says hello, the assistant says hello. She sells sea shells by the sea shore; they're not there, we'll see.
In 2024 there were 366 days, and 1,000,000 is a number with seven digits. for (int i = 0; i < n; ++i) { sum += x[i]; }
日本語の文と日本語の文。你好，世界。你好，朋友。 Привет, мир. Привет, друг. Grüße aus Zürich, café naïve. 😀😀😃 are smiling.
"""
# Llama 3's and Qwen's split: contractions, letters, digits by three, marks, line ends, spaces with a look-ahead.
SPLIT = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)
TEXTS = [
    "", " ", "\n", "a", "Hello, world!", "The quick brown fox", "  two  spaces  ", "tabs\tand\r\nlines\n\n\n", "I'M, you'Re, they'll",
    "1234567890", "3.14159", "x = a[i+1]; // why?", "日本語", "你好，世界！", "Привет, мир", "café", "cafe\u0301", "Grüße", "😀",
    "👩‍👩‍👧‍👦 family", "🇨🇭", "नमस्ते", "สวัสดี", "ﷺ", "\u00a0\u3000", "\u200b\ufeff", "\x00\x01\x7f", "𝕳𝖊", "½ Ⅷ ٣",
    "<|im_start|>user\nHi<|im_end|>\n<|im_start|>assistant\n", " <|im_end|> ", "<|im_end", "<s>a</s>", "<tool>x</tool>", "\ufffd", "_▁_",
]


def byte_level():
    tokenizer = tokenizers.Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence([
        pre_tokenizers.Split(Regex(SPLIT), "isolated"),
        pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
    ])
    tokenizer.decoder = decoders.ByteLevel()
    tokenizer.normalizer = normalizers.NFC()
    special = ["<|endoftext|>", "<|im_start|>", "<|im_end|>"]
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(
        vocab_size=420, special_tokens=special, initial_alphabet=sorted(alphabet), min_frequency=2, show_progress=False)
    tokenizer.train_from_iterator(CORPUS.splitlines(), trainer)
    tokenizer.add_tokens([AddedToken("<tool>", normalized=False), AddedToken("</tool>", normalized=False)])
    # Left over in some published files; the loader must not heed them.
    tokenizer.enable_truncation(max_length=8)
    tokenizer.enable_padding(length=16, pad_id=0, pad_token="<|endoftext|>")
    return tokenizer


def byte_fallback():
    words = "▁the ▁a ▁model ▁token s ▁hello ▁user , . ! 日 本 ▁ é".split() + list("abcdefghijklmnopqrstuvwxyzTH▁")
    pieces = ["<unk>", "<s>", "</s>"] + [f"<0x{byte:02X}>" for byte in range(256)]
    pieces += list(dict.fromkeys(piece for word in words for piece in [*word])) + ["▁t", "▁th", "▁the"]
    tokenizer = tokenizers.Tokenizer(models.BPE(
        vocab={piece: i for i, piece in enumerate(pieces)}, merges=[("▁", "t"), ("▁t", "h"), ("▁th", "e")],
        unk_token="<unk>", fuse_unk=True, byte_fallback=True))
    tokenizer.normalizer = normalizers.Sequence([normalizers.Prepend("▁"), normalizers.Replace(" ", "▁")])
    tokenizer.decoder = decoders.Sequence([
        decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse(), decoders.Strip(" ", 1, 0)])
    tokenizer.add_special_tokens(["<unk>", "<s>", "</s>"])
    tokenizer.post_processor = processors.TemplateProcessing(single="<s> $A", special_tokens=[("<s>", 1)])
    return tokenizer


def main(tests):
    for make in (byte_level, byte_fallback):
        fixture = tests / "fixtures/tokenizers" / f"{make.__name__}.json"
        golden = tests / "golden/tokenizers" / f"{make.__name__}.json"
        for path in (fixture, golden):
            path.parent.mkdir(parents=True, exist_ok=True)
        tokenizer = make()
        fixture.write_text(json.dumps(json.loads(tokenizer.to_str()), ensure_ascii=False, separators=(",", ":")) + "\n")
        tokenizer.no_truncation()
        tokenizer.no_padding()
        cases = []
        for text in TEXTS:
            ids = tokenizer.encode(text, add_special_tokens=False).ids
            cases.append({
                "text": text, "ids": ids, "with_special": tokenizer.encode(text).ids,
                "decoded": tokenizer.decode(ids, skip_special_tokens=False)})
        lines = ",\n".join(json.dumps(case, ensure_ascii=False) for case in cases)
        golden.write_text(f"[\n{lines}\n]\n")


main(pathlib.Path(sys.argv[1]))
