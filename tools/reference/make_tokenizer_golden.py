#!/usr/bin/env python3
"""Reference encodings of a GGUF vocabulary: llama.cpp's ids (through xllamacpp), checked against transformers'.

make_tokenizer_golden.py MODEL.gguf OUT.json    (packages: requirements.txt beside this file, and xllamacpp)

OUT.json: a list of {"text", "ids"}; special tokens written in the text are one id, nothing is added around it.
transformers does not know the `smollm` pre-tokenizer (each digit is cut off before everything else) and so may
differ where white space stands before digits; any other difference is an error.
"""

import itertools
import json
import pathlib
import random
import sys
import unicodedata
import urllib.request

import transformers
import xllamacpp

WORDS = """the of and to model token café naïve Straße coöperate I'm you've they'll WE'RE don't x86_64 HTTP/1.1 α β Δ
мир привет здравствуйте שלום مرحبا नमस्ते สวัสดี 你好 世界 東京 日本語 한국어 안녕하세요 ไทย 😀 👩‍👩‍👧‍👦 🇨🇭 ❤️ ½ Ⅷ ٣ ４ e\u0301
a\u0308 \u200b \ufeff snake_case camelCase kebab-case foo() [0] {} <= >= != => -> :: // /* */ # $ % ^ & * | \\ ` ~ … — “ ”""".split()
SPACES = [" ", "  ", "   ", "\n", "\n\n", "\t", "\r\n", " \n ", "\u00a0", "\u3000", "        "]
SPECIAL = ["<|im_start|>", "<|im_end|>", "<|endoftext|>", "<repo_name>", "<file_sep>", "<|im_start", "|im_end|>"]
FIXED = [
    "", " ", "\n", "a", "Hello, world!", "The year 2024 had 366 days; 3.14159 and 1,000,000.", "x = 1234567890",
    "  1", "   42 apples", "\t\t12", "a  1", "1  a", "12 34", "1\n2\n\n3", "0x1F 0b101 1e-9", "v1.2.3-rc4",
    "def f(x):\n    return x ** 2  # squares\n\n\nclass A:\n\tpass\n", "#include <vector>\nint main() { return 0; }",
    "SELECT * FROM t WHERE a >= 10 AND b != 'x';", '{"a": [1, 2.5e3, null], "b": "\\u00e9\\n"}', "<div class=\"a\">&nbsp;</div>",
    "你好，世界！今天是2024年1月1日。", "日本語のテキスト、テスト。", "한국어 문장입니다.", "Привет, как дела?", "مرحبا بالعالم 123",
    "नमस्ते दुनिया", "สวัสดีชาวโลก", "😀😃😄", "👩‍👩‍👧‍👦 family", "🇨🇭🇯🇵", "café", "cafe\u0301", "ﬁ ligature", "½ ¼ Ⅷ ① ٣٤",
    "   leading", "trailing   ", "a   b", "\n\n\n\n", " \n \n ", "tab\tseparated\tvalues", "\r\n\r\n", "a\u00a0b", "\u3000全角",
    "I'm you're he's we'll they've I'd don't", "I'M YOU'RE HE'S", "''s 's' 'tis", "!!!???...", "----====____", "a_b-c.d/e\\f",
    "<|im_start|>user\nHi<|im_end|>\n<|im_start|>assistant\n", "text<|endoftext|>more", "<|im_start|><|im_start|>",
    " <|im_end|> ", "<|im_end", "|im_end|>", "<repo_name>a/b<file_sep>x.py\n", "\x00\x01\x7f", "\u200b\ufeff", "𝕳𝖊𝖑𝖑𝖔", "ﷺ",
]


def texts():
    random.seed(7)
    out = list(FIXED)
    while len(out) < 320:
        parts = []
        for _ in range(random.randint(2, 14)):
            kind = random.random()
            parts.append(
                random.choice(SPACES) if kind < 0.35
                else random.choice(SPECIAL) if kind < 0.42
                else str(random.randint(0, 10 ** random.randint(1, 9))) if kind < 0.55
                else random.choice(WORDS))
        out.append("".join(parts))
    return list(dict.fromkeys(out))


def llama_cpp(model):
    params = xllamacpp.CommonParams()
    params.model.path = str(model)
    params.n_ctx = 64
    params.warmup = False
    params.endpoint_metrics = False
    server = xllamacpp.Server(params)

    def encode(text):
        body = json.dumps({"content": text, "add_special": False, "parse_special": True}).encode()
        request = urllib.request.Request(server.listening_address + "/tokenize", body, {"Content-Type": "application/json"})
        return json.load(urllib.request.urlopen(request))["tokens"]

    return server, encode


def main():
    model, out = map(pathlib.Path, sys.argv[1:])
    server, encode = llama_cpp(model)
    reference = transformers.AutoTokenizer.from_pretrained(str(model.parent), gguf_file=model.name)
    rows, excused = [], 0
    for text in texts():
        ids = encode(text)
        theirs = reference(text, add_special_tokens=False)["input_ids"]
        if ids != theirs:
            if not any(a.isspace() and unicodedata.category(b)[0] == "N" for a, b in itertools.pairwise(text)):
                sys.exit(f"llama.cpp and transformers differ on {text!r}: {ids} {theirs}")
            excused += 1
        rows.append({"text": text, "ids": ids})
    lines = ",\n".join(json.dumps(row, ensure_ascii=True) for row in rows)
    out.write_text(f"[\n{lines}\n]\n")
    print(f"{len(rows)} texts; transformers equal on {len(rows) - excused}, {excused} with digits after white space differ")


if __name__ == "__main__":
    main()
