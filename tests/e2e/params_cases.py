"""The table of sampling parameters: what is asked, and where its effect is to be seen."""
import dataclasses

PROMPT = "The cat sat on the mat. The cat"
EOS, SPECIAL = 2, 1  # <|im_end|> and <|im_start|> of the default model


@dataclasses.dataclass(frozen=True)
class Case:
    fields: dict
    # Fields without which, all else equal, some token of the reply would be another one.
    chooses: tuple = ()
    # Fields without which the reply would end otherwise.
    ends: tuple = ()
    reason: str = "length"

    @property
    def body(self):
        return {"prompt": PROMPT, "max_tokens": 4, "temperature": 0, **self.fields}


def draw(seed=3, **fields):
    return {"temperature": 1.5, "seed": seed, **fields}


FEW = {"allowed_token_ids": [28, 30, 284]}  # few tokens: they come again soon
DIGITS = {"allowed_token_ids": [33, 34, 35]}
ENDS = {"logit_bias": {str(EOS): 100}}      # wants to end at once

CASES = {
    "greedy": Case({}),
    "temperature": Case({"temperature": 1.3, "seed": 3}, chooses=("temperature",)),
    "temperature_is_at_least_a_hundredth": Case({"temperature": 0.0001, "seed": 3, "max_tokens": 2}),
    "temperature_near_0_is_greedy": Case({"temperature": 1e-6, "seed": 3, "top_k": 9, "top_p": 0.5, "min_p": 0.1, "max_tokens": 2}),
    "temperature_default": Case({"temperature": None, "seed": 4, "max_tokens": 2}),
    "seed": Case(draw(seed=2**63 - 1, max_tokens=2)),
    "seed_negative": Case(draw(seed=-(2**63), max_tokens=2)),
    "top_p": Case(draw(top_p=0.3), chooses=("top_p",)),
    "top_k": Case(draw(top_k=3), chooses=("top_k",)),
    "top_k_off": Case(draw(top_k=-1, max_tokens=2)),
    "min_p": Case(draw(min_p=0.3), chooses=("min_p",)),
    "cuts": Case(draw(seed=22, top_k=10, top_p=0.8, min_p=0.1), chooses=("top_k", "top_p", "min_p")),
    "repetition_penalty": Case({"repetition_penalty": 1.4}, chooses=("repetition_penalty",)),
    "repetition_penalty_below_1": Case({"repetition_penalty": 0.7}, chooses=("repetition_penalty",)),
    "frequency_penalty": Case({"allowed_token_ids": [253, 260], "frequency_penalty": 1.0, "max_tokens": 7},
                              chooses=("frequency_penalty",)),  # one of them stands in the prompt, which does not count
    "frequency_penalty_below_0": Case({**DIGITS, "frequency_penalty": -2.0},
                                      chooses=("frequency_penalty",)),
    "presence_penalty": Case({**FEW, "presence_penalty": 2.0, "max_tokens": 5}, chooses=("presence_penalty",)),
    "presence_penalty_below_0": Case({**DIGITS, "presence_penalty": -2.0}, chooses=("presence_penalty",)),
    "logit_bias": Case({"logit_bias": {"436": -100, "5587": -3.5, "325": 4.25, "17": 1e9}}, chooses=("logit_bias",)),
    "allowed_token_ids": Case({"allowed_token_ids": [1000, 2000, 3000]}, chooses=("allowed_token_ids",)),
    "bad_words": Case({"bad_words": ["was", "The dog"]}, chooses=("bad_words",)),
    "bad_words_of_several_tokens": Case({"bad_words": [" was happy"]}, chooses=("bad_words",)),
    "min_tokens": Case({**ENDS, "min_tokens": 2}, chooses=("min_tokens",), ends=("min_tokens",), reason="stop"),
    "min_tokens_holds_back_an_ignored_eos": Case({**ENDS, "min_tokens": 2, "ignore_eos": True, "max_tokens": 3},
                                                 chooses=("min_tokens",)),
    "min_tokens_holds_back_stop_token_ids": Case({"stop_token_ids": [436, 787], "min_tokens": 1},
                                                 chooses=("min_tokens",), ends=("min_tokens",), reason="stop"),
    "min_tokens_where_only_eos_is_allowed": Case({"allowed_token_ids": [EOS], "min_tokens": 2}, reason="stop"),
    "eos": Case(ENDS, ends=("logit_bias",), reason="stop"),
    "ignore_eos": Case({**ENDS, "ignore_eos": True, "max_tokens": 2}, ends=("ignore_eos",)),
    "stop_token_ids": Case({"stop_token_ids": [9, 5587]}, ends=("stop_token_ids",), reason="stop"),
    "repetition_detection": Case({**FEW, "max_tokens": 8, "repetition_detection": {"max_pattern_size": 2, "min_count": 2}},
                                 ends=("repetition_detection",), reason="repetition"),
    "max_tokens": Case({"max_tokens": 1}, ends=("max_tokens",)),
    "all_together": Case(draw(
        seed=15, top_k=60, top_p=0.9, min_p=0.01, repetition_penalty=1.2, frequency_penalty=0.5, presence_penalty=-0.4,
        logit_bias={"28": 5, str(EOS): 100}, allowed_token_ids=list(range(0, 6000)), bad_words=["happy"], min_tokens=5,
        stop_token_ids=[30], max_tokens=6), reason="stop",
        chooses=("top_k", "top_p", "min_p", "repetition_penalty", "logit_bias", "allowed_token_ids", "min_tokens")),
}

# What follows a text: these change or cut the text of a reply whose tokens are chosen as ever. The text expected is
# worked out from the token ids in test_params.py.
TEXTS = {
    "stop": Case({"stop": "app", "max_tokens": 8}, reason="stop"),
    "stop_the_one_that_ends_first": Case({"stop": ["happy.", "py", "ap", "was h"], "max_tokens": 8}, reason="stop"),
    "stop_over_tokens": Case({"stop": ["s happy. T"], "max_tokens": 8}, reason="stop"),
    "stop_not_before_min_tokens": Case({"stop": ["was", " cat"], "min_tokens": 3, "max_tokens": 8}, reason="stop"),
    "stop_begun_before_min_tokens": Case({"stop": ["was happy"], "min_tokens": 1, "max_tokens": 8}, reason="stop"),
    "stop_never_met": Case({"stop": ["happy. The cow"], "max_tokens": 8}),
    "include_stop_str_in_output": Case({"stop": ["zzz", "app"], "include_stop_str_in_output": True, "max_tokens": 8},
                                       reason="stop"),
    "include_stop_str_of_a_token": Case({"stop_token_ids": [5587], "include_stop_str_in_output": True}, reason="stop"),
    "skip_special_tokens": Case({"logit_bias": {str(SPECIAL): 13}, "frequency_penalty": 2}),
    "keep_special_tokens": Case({"logit_bias": {str(SPECIAL): 13}, "frequency_penalty": 2, "skip_special_tokens": False,
                                 "spaces_between_special_tokens": False}),
    "keep_special_tokens_with_spaces_between": Case({"logit_bias": {str(SPECIAL): 100}, "skip_special_tokens": False}),
    "eos_has_no_text": Case({**ENDS, "min_tokens": 2, "skip_special_tokens": False}, reason="stop"),
    "eos_with_text": Case({**ENDS, "min_tokens": 2, "skip_special_tokens": False, "include_stop_str_in_output": True},
                          reason="stop"),
    "echo": Case({"echo": True}),
    "echo_alone": Case({"echo": True, "max_tokens": 0}),
}
