#!/usr/bin/env python3
"""Tiny vocabularies as tokenizer.json, and what Hugging Face's wheel makes of hard texts and random ids with them.

make_tiny_tokenizers.py TESTS_DIR    (package: tokenizers, version in requirements.txt beside this file)

Writes, for each vocabulary, TESTS_DIR/fixtures/tokenizers/NAME.json, and in TESTS_DIR/golden/tokenizers NAME.json (a list of
{"text", "ids", "with_special", "decoded"}) and NAME_ids.json (a list of {"ids", "decoded", "skipped"}: the decoding of random
ids, without and with special tokens skipped). byte_level is the form of GPT-2, Llama 3 and Qwen, with ChatML's control
tokens; byte_fallback that of Llama 2: a SentencePiece vocabulary with a token for each byte, BOS in front. The others bring
in every other model, decoder, normaliser, pre-tokeniser and post-processor of the crate.
"""

import json
import pathlib
import random
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


def trained(tokenizer, trainer):
    tokenizer.train_from_iterator(CORPUS.splitlines(), trainer)
    return tokenizer


def word_piece():
    tokenizer = tokenizers.Tokenizer(models.WordPiece(unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer()
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.decoder = decoders.WordPiece()
    special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]"]
    trained(tokenizer, trainers.WordPieceTrainer(vocab_size=180, special_tokens=special, show_progress=False))
    tokenizer.post_processor = processors.BertProcessing(("[SEP]", 3), ("[CLS]", 2))
    return tokenizer


def word_piece_raw():
    tokenizer = word_piece()
    tokenizer.normalizer = normalizers.Sequence([normalizers.NFD(), normalizers.StripAccents(), normalizers.Lowercase()])
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence([
        pre_tokenizers.WhitespaceSplit(), pre_tokenizers.Digits(individual_digits=True), pre_tokenizers.Punctuation()])
    tokenizer.decoder = decoders.WordPiece(cleanup=False)
    return tokenizer


def word_level():
    """No decoder: tokens are joined by blanks."""
    tokenizer = tokenizers.Tokenizer(models.WordLevel(unk_token="<unk>"))
    tokenizer.normalizer = normalizers.Sequence([normalizers.NFKD(), normalizers.Nmt(), normalizers.Strip()])
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence([pre_tokenizers.UnicodeScripts(), pre_tokenizers.Whitespace()])
    return trained(tokenizer, trainers.WordLevelTrainer(vocab_size=90, special_tokens=["<unk>", "<s>"], show_progress=False))


def unigram():
    """T5's form."""
    pieces = ["▁", "▁the", "▁t", "he", "▁a", "▁model", "▁to", "ken", "s", "▁hello", "!", ",", ".", "日本", "日", "é"]
    letters = "abcdefghijklmnopqrstuvwxyzT0123456789"
    vocab = [("<pad>", 0.0), ("</s>", 0.0), ("<unk>", 0.0)] + [(piece, -2.0 - 0.11 * i) for i, piece in enumerate(pieces)]
    vocab += [(letter, -6.0 - 0.013 * i) for i, letter in enumerate(letters)]
    tokenizer = tokenizers.Tokenizer(models.Unigram(vocab, unk_id=2))
    tokenizer.normalizer = normalizers.Sequence([
        normalizers.NFKC(), normalizers.Strip(left=False, right=True), normalizers.Replace(Regex(" {2,}"), " ")])
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
    tokenizer.decoder = decoders.Metaspace()
    tokenizer.add_special_tokens(["<pad>", "</s>", "<unk>"])
    tokenizer.post_processor = processors.TemplateProcessing(single="$A </s>", special_tokens=[("</s>", 1)])
    return tokenizer


def unigram_bytes():
    """Bytes for what no piece covers; blanks as they are, prefixed at the very start alone."""
    vocab = [("<unk>", 0.0), ("<s>", 0.0)] + [(f"<0x{byte:02X}>", -20.0) for byte in range(256)]
    vocab += [(piece, -2.0 - 0.1 * i) for i, piece in enumerate("▁ ▁the ▁a the ▁model ▁token s , . ! 日 本 a b c d e h i l o".split())]
    tokenizer = tokenizers.Tokenizer(models.Unigram(vocab, unk_id=0, byte_fallback=True))
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace(prepend_scheme="first", split=False)
    tokenizer.decoder = decoders.Sequence([decoders.ByteFallback(), decoders.Metaspace(prepend_scheme="first", split=False)])
    tokenizer.add_special_tokens(["<unk>", "<s>"])
    return tokenizer


def gemma():
    """SentencePiece BPE without a blank in front: nothing to strip."""
    tokenizer = byte_fallback()
    tokenizer.normalizer = normalizers.Replace(" ", "▁")
    tokenizer.pre_tokenizer = pre_tokenizers.Split(" ", "merged_with_previous")
    tokenizer.decoder = decoders.Sequence([decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse()])
    return tokenizer


def end_of_word():
    """GPT-1's form: the last piece of a word is marked."""
    tokenizer = tokenizers.Tokenizer(models.BPE(unk_token="<unk>", end_of_word_suffix="</w>"))
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=True, strip_accents=True)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.decoder = decoders.BPEDecoder()
    return trained(tokenizer, trainers.BpeTrainer(
        vocab_size=200, special_tokens=["<unk>", "<s>"], end_of_word_suffix="</w>", show_progress=False))


def ctc():
    """Wav2Vec2's form: equal neighbours are one, the pad parts them."""
    letters = ["<pad>", "<s>", "</s>", "<unk>", "|"] + list("ETAONIHSRDLUMWCFGYPBVK'XJQZ")
    tokenizer = tokenizers.Tokenizer(models.WordLevel({letter: i for i, letter in enumerate(letters)}, unk_token="<unk>"))
    tokenizer.normalizer = normalizers.Replace(" ", "|")
    tokenizer.pre_tokenizer = pre_tokenizers.Split(Regex("."), "isolated")
    tokenizer.decoder = decoders.CTC()
    tokenizer.add_special_tokens(["<s>", "</s>"])
    return tokenizer


def roberta():
    """A byte-level form with a blank in front and two tokens around."""
    tokenizer = byte_level()
    tokenizer.normalizer = None
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=True)
    tokenizer.post_processor = processors.RobertaProcessing(("<|im_end|>", 2), ("<|im_start|>", 1), add_prefix_space=True)
    return tokenizer


def fixed_length():
    """Whatever is left: pieces of three characters, two blanks stripped from the start of the whole."""
    tokenizer = byte_fallback()
    tokenizer.normalizer = normalizers.Sequence([normalizers.ByteLevel(), normalizers.Replace("Ġ", "▁")])
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence([
        pre_tokenizers.CharDelimiterSplit("x"), pre_tokenizers.FixedLength(length=3)])
    tokenizer.decoder = decoders.Sequence([decoders.Replace("▁", " "), decoders.Fuse(), decoders.Strip(" ", 2, 0)])
    tokenizer.post_processor = processors.Sequence([processors.ByteLevel(), processors.TemplateProcessing(
        single="<s> $A </s>", special_tokens=[("<s>", 1), ("</s>", 2)])])
    return tokenizer


MAKERS = (byte_level, byte_fallback, word_piece, word_piece_raw, word_level, unigram, unigram_bytes, gemma, end_of_word, ctc, roberta,
          fixed_length)


def text_cases(tokenizer):
    for text in TEXTS:
        ids = tokenizer.encode(text, add_special_tokens=False).ids
        yield {"text": text, "ids": ids, "with_special": tokenizer.encode(text).ids,
               "decoded": tokenizer.decode(ids, skip_special_tokens=False)}


def id_cases(tokenizer):
    draw = random.Random(5)
    size = tokenizer.get_vocab_size() + 2  # two unknown ids
    for _ in range(40):
        span = draw.choice([4, 30, size])
        first = draw.randrange(size - span + 1)
        ids = [first + draw.randrange(span) for _ in range(draw.randrange(24))]
        yield {"ids": ids, "decoded": tokenizer.decode(ids, skip_special_tokens=False),
               "skipped": tokenizer.decode(ids, skip_special_tokens=True)}


def write(path, cases):
    path.parent.mkdir(parents=True, exist_ok=True)
    lines = ",\n".join(json.dumps(case, ensure_ascii=False) for case in cases)
    path.write_text(f"[\n{lines}\n]\n")


def main(tests):
    for make in MAKERS:
        fixture = tests / "fixtures/tokenizers" / f"{make.__name__}.json"
        fixture.parent.mkdir(parents=True, exist_ok=True)
        tokenizer = make()
        fixture.write_text(json.dumps(json.loads(tokenizer.to_str()), ensure_ascii=False, separators=(",", ":")) + "\n")
        tokenizer.no_truncation()
        tokenizer.no_padding()
        write(tests / "golden/tokenizers" / f"{make.__name__}.json", text_cases(tokenizer))
        write(tests / "golden/tokenizers" / f"{make.__name__}_ids.json", id_cases(tokenizer))


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]))
