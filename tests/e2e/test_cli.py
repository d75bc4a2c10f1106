"""The program's client commands: chat, complete, bench, collect-env, help. They talk to the mock server, which says the
prompt again, and to a server with a model where one is given; what runs in process needs INGOT_TEST_MODEL or the default one."""
import codecs
import contextlib
import json
import os
import pathlib
import pty
import re
import select
import signal
import subprocess
import time

import pytest

PROGRAM = pathlib.Path(os.environ.get("INGOT_E2E_BUILD", "build")) / "ingot"
pytestmark = pytest.mark.skipif(not PROGRAM.exists(), reason="the program is not built")


@pytest.fixture
def env(tmp_path):
    names = {name: value for name, value in os.environ.items() if name != "OPENAI_API_KEY"}
    return names | {"XDG_STATE_HOME": str(tmp_path), "TERM": "xterm", "LC_ALL": "C.UTF-8"}


def run(env, *arguments, stdin="", timeout=120):
    return subprocess.run([PROGRAM, *arguments], input=stdin, capture_output=True, text=True, env=env, timeout=timeout)


def good(*arguments, **kwargs):
    result = run(*arguments, **kwargs)
    assert result.returncode == 0, (result.stdout, result.stderr)
    return result


# --- one-shot and piped ---------------------------------------------------------------------------------------------


def test_complete_says_what_the_server_says(mock_server, env):
    url = mock_server().url + "/v1"
    assert good(env, "complete", "--url", url, "-q", "Hello 日本😀").stdout == "Hello 日本😀\n"
    assert good(env, "complete", "--url", url, stdin="one\n\ntwo\n").stdout == "one\ntwo\n"
    assert good(env, "complete", "--url", url, "-q", "-", stdin="one\ntwo\n").stdout == "one\ntwo\n"
    shown = good(env, "complete", "--url", url, "-q", "Hello", "--max-tokens", "2", "--stats")
    assert re.search(r"^\[2 tokens in \d+\.\d+ s, the first after", shown.stderr, re.M)


def test_chat_sends_system_prompt_and_text(mock_server, env):
    url = mock_server().url + "/v1"
    reply = good(env, "chat", "--url", url, "--system-prompt", "Be brief.", "-q", "Hello there").stdout
    assert reply == "system\nBe brief.\n"  # the mock says the rendered prompt again, up to its first end of turn
    assert good(env, "chat", "--url", url, "-q", "-", stdin="from a pipe\n").stdout == "user\nfrom a pipe\n"
    lines = "/set ignore_eos true\n/set max_tokens 30\nfirst\n/set max_tokens 150\nsecond\n"
    reply = good(env, "chat", "--url", url, stdin=lines).stdout.split("max_tokens = 150")[1]
    assert 0 <= reply.find("first") < reply.find("second")  # the second request holds the first message


def test_against_any_server(url, env):
    reply = good(env, "chat", "--url", url + "/v1", "-q", "Hi", "--max-tokens", "8", "--temperature", "0", "--stats")
    assert reply.stdout.strip() and "tokens" in reply.stderr
    again = good(env, "chat", "--url", url + "/v1/", "-q", "Hi", "--max-tokens", "8", "--temperature", "0")
    assert again.stdout == reply.stdout


def test_the_flags_reach_the_request(mock_server, env):
    url = mock_server().url + "/v1"
    refused = run(env, "complete", "--url", url, "-q", "x", "--temperature", "9")
    assert refused.returncode == 1 and "temperature must be in [0, 2]" in refused.stderr and refused.stdout == ""
    refused = run(env, "chat", "--url", url, "-q", "x", "--model-name", "nobody")
    assert refused.returncode == 1 and "`nobody` does not exist" in refused.stderr


# --- what goes wrong ------------------------------------------------------------------------------------------------


def test_no_server_names_the_address_and_the_remedy(env):
    refused = run(env, "chat", "--url", "http://127.0.0.1:1/v1", "-q", "x")
    assert refused.returncode == 1 and "http://127.0.0.1:1" in refused.stderr and "ingot serve" in refused.stderr
    assert "refused" in refused.stderr
    assert run(env, "chat", "--url", "127.0.0.1:1", "-q", "x").returncode == 1
    assert run(env, "bench", "serve", "--base-url", "http://127.0.0.1:1").returncode == 1


def test_wrong_path_is_explained(mock_server, env):
    refused = run(env, "chat", "--url", mock_server().url + "/v2x", "-q", "x")
    assert refused.returncode == 1 and "/v1" in refused.stderr


def test_keys(mock_server, env):
    url = mock_server("--api-key", "right").url + "/v1"
    for arguments in ([], ["--api-key", "wrong"]):
        refused = run(env, "complete", "--url", url, "-q", "x", *arguments)
        assert refused.returncode == 1 and "--api-key" in refused.stderr
    assert good(env, "complete", "--url", url, "-q", "x", "--api-key", "right").stdout == "x\n"
    assert good(env | {"OPENAI_API_KEY": "right"}, "complete", "--url", url, "-q", "x").stdout == "x\n"


def test_a_dying_engine_is_an_error_and_not_a_reply(mock_server, env):
    server = mock_server("--step-us", "5000")
    arguments = ["complete", "--url", server.url + "/v1", "-q", "a b c " * 100, "--max-tokens", "1000"]
    with subprocess.Popen([PROGRAM, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=env) as client:
        assert client.stdout.read(1) == "a"  # it streams
        server.fail_step()
        _, errors = client.communicate(timeout=30)
    assert client.returncode == 1 and "the step failed" in errors


def test_ctrl_c_ends_a_one_shot_reply(mock_server, env):
    url = mock_server("--step-us", "20000").url + "/v1"
    arguments = ["complete", "--url", url, "-q", "a b c " * 100, "--max-tokens", "1000"]
    with subprocess.Popen([PROGRAM, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=env) as client:
        assert client.stdout.read(1) == "a"
        client.send_signal(signal.SIGINT)
        _, errors = client.communicate(timeout=30)
    assert client.returncode == 130 and "interrupted" in errors


# --- help -----------------------------------------------------------------------------------------------------------


def test_help_teaches(env):
    for arguments in (["--help"], ["-h"], ["help"]):
        text = good(env, *arguments).stdout
        assert all(word in text for word in ("serve", "chat", "complete", "bench", "collect-env", "Examples:"))
    for command in (["serve"], ["chat"], ["complete"], ["bench", "serve"], ["bench", "latency"], ["bench", "throughput"]):
        text = good(env, *command, "--help").stdout
        assert "Example" in text and "--" in text, command
    assert "--temperature" in good(env, "help", "chat").stdout
    assert re.fullmatch(r"ingot \d+\.\d+\.\d+\n", good(env, "--version").stdout)


def test_near_misses(env):
    for arguments, wanted in ((["cht"], "ingot chat"), (["bench", "latncy"], "ingot bench latency"), (["chat", "--sats"], "--stats")):
        refused = run(env, *arguments)
        assert refused.returncode == 2 and wanted in refused.stderr and refused.stdout == ""
    assert run(env).returncode == 2


def test_collect_env(env):
    text = good(env | {"VLLM_API_KEY": "very-secret", "OMP_NUM_THREADS": "3"}, "collect-env").stdout
    for row in ("Version", "Compiler", "MLX", "Back end", "Kernels", "CPU", "Available memory", "GPU", "Boost", "OpenSSL"):
        assert re.search(rf"^{row} +: \S", text, re.M), row
    assert "OMP_NUM_THREADS=3" in text and "VLLM_API_KEY" in text and "very-secret" not in text


# --- a terminal -----------------------------------------------------------------------------------------------------


class Terminal:
    """A program at a pseudo terminal."""

    def __init__(self, env, *arguments):
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            os.execve(PROGRAM, [str(PROGRAM), *arguments], env)
        self.decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self.text = ""

    def send(self, text):
        os.write(self.fd, text.encode())

    def _read(self, seconds):
        if not select.select([self.fd], [], [], seconds)[0]:
            return False
        try:
            data = os.read(self.fd, 65536)
        except OSError:  # how a pty says that its other end is closed
            data = b""
        self.text = re.sub(r"\x1b\[[?0-9;]*[A-Za-z~]", "", self.text + self.decoder.decode(data))
        return bool(data)

    def expect(self, pattern, within=30):
        """Waits for the pattern, and drops what came up to its end."""
        end = time.monotonic() + within
        while not (found := re.search(pattern, self.text)):
            assert time.monotonic() < end, f"no {pattern!r} in {self.text!r}"
            self._read(0.1)
        seen, self.text = self.text[: found.end()], self.text[found.end() :]
        return seen

    def leave(self):
        """Ctrl-D until it is heard: before the line editor has the terminal, the terminal keeps it to itself."""
        return self.exit_code(keys="\x04")

    def exit_code(self, within=30, keys=""):
        end = time.monotonic() + within
        while True:
            with contextlib.suppress(OSError):  # it has gone
                self.send(keys)
            self._read(0.5 if keys else 0.05)
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid:
                return os.waitstatus_to_exitcode(status)
            assert time.monotonic() < end, f"the program runs on: {self.text!r}"


@contextlib.contextmanager
def at_terminal(env, *arguments):
    terminal = Terminal(env, *arguments)
    try:
        yield terminal
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.kill(terminal.pid, signal.SIGKILL)
        with contextlib.suppress(ChildProcessError):
            os.waitpid(terminal.pid, 0)
        os.close(terminal.fd)


def test_a_session_with_commands(mock_server, env, tmp_path):
    url = mock_server().url + "/v1"
    with at_terminal(env, "chat", "--url", url) as t:
        t.expect(r"tiny .*/help")
        t.expect("> ")
        t.send("/help\r")
        t.expect("/regenerate")
        t.expect("> ")
        t.send("/set temperatur 1\r")
        t.expect("did you mean temperature")
        t.expect("> ")
        t.send("/set temperature 0.5\r")
        t.expect(r"temperature = 5E-1")
        t.expect("> ")
        t.send("Hello 日本\r")
        t.expect("user\r\nHello 日本")
        t.expect("> ")
        t.send("/stats\r")
        t.expect("figures")
        t.expect("> ")
        t.send("/regenerate\r")
        t.expect("user\r\nHello 日本")
        t.expect(r"\[\d+ tokens in")
        t.expect("> ")
        t.send(f"/save {tmp_path}/talk.json\r")
        t.expect("saved to")
        t.expect("> ")
        t.send("/clear\r")
        t.expect("anew")
        t.expect("> ")
        t.send(f"/load {tmp_path}/talk.json\r")
        t.expect("2 messages")
        t.expect("> ")
        t.send("/exit\r")
        assert t.exit_code() == 0
    saved = json.loads((tmp_path / "talk.json").read_text())
    assert [message["role"] for message in saved["messages"]] == ["user", "assistant"]
    assert saved["messages"][0]["content"] == "Hello 日本" and saved["settings"] == {"temperature": 0.5}


def test_ctrl_c_stops_the_reply_and_ctrl_d_leaves(mock_server, env):
    url = mock_server("--step-us", "20000").url + "/v1"
    with at_terminal(env, "chat", "--url", url, "--max-tokens", "1000") as t:
        t.expect("> ")
        t.send("abcdefgh " * 40 + "\r")
        t.expect("user\r\nabcdefgh")
        t.send("\x03")
        t.expect(r"\[interrupted\]")
        t.expect("> ")
        t.send("half a line\x03")  # at the prompt it drops the line
        t.expect("> ")
        t.send("/stats\r")
        t.expect("figures")
        t.expect("> ")
        assert t.leave() == 0


def test_several_lines_make_one_message(mock_server, env):
    url = mock_server().url + "/v1"
    with at_terminal(env, "complete", "--url", url) as t:
        t.expect("> ")
        t.send("one\\\r")
        t.expect(r"\. ")
        t.send("two\r")
        t.expect("\r\none\r\ntwo\r\n")
        t.expect("> ")
        t.send('"""\r')
        t.expect(r"\. ")
        t.send('three\r')
        t.expect(r"\. ")
        t.send('four\r')
        t.expect(r"\. ")
        t.send('"""\r')
        t.expect("\r\nthree\r\nfour\r\n")
        t.expect("> ")
        t.send("\x1b[200~five\rsix\x1b[201~")  # pasted: no Enter before the one that follows
        time.sleep(0.2)
        t.send("\r")
        t.expect("\r\nfive\r\nsix\r\n> ")
        assert t.leave() == 0


def test_a_connection_that_the_server_closed_is_opened_anew(mock_server, env):
    url = mock_server("--keep-alive-ms", "100").url + "/v1"
    with at_terminal(env, "complete", "--url", url) as t:
        for text in ("one", "two", "three"):
            t.expect("> ")
            time.sleep(0.4)
            t.send(text + "\r")
            t.expect(f"\r\n{text}\r\n")


def test_history_and_completion(mock_server, env):
    url = mock_server().url + "/v1"
    with at_terminal(env, "chat", "--url", url) as t:
        t.expect("> ")
        t.send("/sta\t\r")  # Tab
        t.expect("figures after each reply")
        t.expect("> ")
        assert t.leave() == 0
    with at_terminal(env, "chat", "--url", url) as t:  # another session
        t.expect("> ")
        t.send("\x1b[A")  # up
        t.expect("/stats")
        t.send("\r")
        t.expect("figures after each reply")


# --- bench serve ----------------------------------------------------------------------------------------------------

KEYS = {"date", "endpoint_type", "backend", "label", "model_id", "tokenizer_id", "num_prompts", "request_rate", "burstiness",
        "max_concurrency", "duration", "completed", "failed", "total_input_tokens", "total_output_tokens",
        "request_throughput", "request_goodput", "output_throughput", "total_token_throughput", "max_output_tokens_per_s",
        "max_concurrent_requests", "mean_ttft_ms", "median_ttft_ms", "std_ttft_ms", "p99_ttft_ms", "mean_tpot_ms",
        "median_tpot_ms", "std_tpot_ms", "p99_tpot_ms", "mean_itl_ms", "median_itl_ms", "std_itl_ms", "p99_itl_ms"}


def bench(env, url, folder, *arguments):
    result = good(env, "bench", "serve", "--base-url", url, "--save-result", "--result-dir", str(folder), *arguments)
    [path] = folder.glob("*.json")
    return result, path, json.loads(path.read_text())


def test_bench_serve_counts_exactly(mock_server, env, tmp_path):
    server = mock_server("--step-us", "1000")
    shown, path, figures = bench(env, server.url, tmp_path / "r", "--num-prompts", "40", "--random-input-len", "30",
                                 "--random-output-len", "20", "--ignore-eos", "--max-concurrency", "8", "--save-detailed")
    assert KEYS <= figures.keys()
    assert figures["completed"] == 40 and figures["failed"] == 0
    assert figures["total_input_tokens"] == 40 * 30 and figures["total_output_tokens"] == 40 * 20
    assert figures["request_rate"] == "inf" and figures["max_concurrency"] == 8 and figures["model_id"] == "tiny"
    assert figures["max_concurrent_requests"] >= 8
    assert path.name.startswith("openai-infqps-concurrency8-tiny-")
    assert 20 * 0.001 * 40 / 8 <= figures["duration"] < 20  # five rounds of 20 steps of at least a millisecond
    assert figures["output_throughput"] == pytest.approx(800 / figures["duration"])
    assert figures["total_token_throughput"] == pytest.approx(2000 / figures["duration"])
    assert figures["mean_tpot_ms"] > 0.9 and figures["p99_ttft_ms"] >= figures["median_ttft_ms"] > 0
    assert figures["input_lens"] == [30] * 40 and figures["output_lens"] == [20] * 40
    assert all(0 < len(gaps) < 20 and text for gaps, text in zip(figures["itls"], figures["generated_texts"]))
    assert figures["mean_ttft_ms"] == pytest.approx(1000 * sum(figures["ttfts"]) / 40)
    for line in ("Serving Benchmark Result", "Successful requests:                     40", "Total generated tokens:",
                 "Mean TTFT (ms):", "P99 ITL (ms):"):
        assert line in shown.stdout


def test_bench_serve_rates_goals_and_chats(mock_server, env, tmp_path):
    url = mock_server("--step-us", "200").url
    shown, _, figures = bench(env, url, tmp_path / "a", "--num-prompts", "30", "--input-len", "10", "--output-len", "5",
                              "--request-rate", "30", "--goodput", "ttft:10000", "--metric-percentiles", "50,90",
                              "--percentile-metrics", "ttft,e2el", "--metadata", "run=1", "--num-warmups", "2")
    assert 0.9 < figures["duration"] < 3  # 30 requests over a second
    assert figures["request_goodput"] == pytest.approx(figures["request_throughput"])
    assert {"p50_e2el_ms", "p90_ttft_ms"} <= figures.keys() and "p99_ttft_ms" not in figures and "mean_itl_ms" not in figures
    assert figures["run"] == "1" and "input_lens" not in figures and "Request goodput" in shown.stdout
    _, path, figures = bench(env, url, tmp_path / "b", "--backend", "openai-chat", "--num-prompts", "10", "--input-len", "8",
                             "--output-len", "6", "--ignore-eos", "--label", "mine")
    assert figures["completed"] == 10 and figures["total_output_tokens"] == 60 and path.name.startswith("mine-")
    assert figures["total_input_tokens"] >= 10 * 8


def test_bench_serve_reads_files(mock_server, env, tmp_path):
    url = mock_server().url
    data = tmp_path / "prompts.jsonl"
    data.write_text('{"prompt": "Hello there", "output_tokens": 3}\n{"prompt": "And you"}\n')
    _, _, figures = bench(env, url, tmp_path / "r", "--dataset-name", "custom", "--dataset-path", str(data), "--num-prompts",
                          "4", "--ignore-eos", "--output-len", "7")
    assert figures["completed"] == 4 and figures["total_output_tokens"] == 28


def test_bench_serve_tells_failures(mock_server, env, tmp_path):
    url = mock_server("--api-key", "right").url
    refused = run(env, "bench", "serve", "--base-url", url, "--num-prompts", "3")
    assert refused.returncode == 1 and "Unauthorized" in refused.stderr
    assert run(env | {"OPENAI_API_KEY": "right"}, "bench", "serve", "--base-url", url, "--num-prompts", "3", "--input-len", "5",
               "--output-len", "5").returncode == 0
    refused = run(env, "bench", "serve", "--base-url", url, "--header", "Authorization=Bearer right", "--model", "nobody")
    assert refused.returncode == 1 and "nobody" in refused.stderr
    assert run(env, "bench", "serve", "--request-rate", "0").returncode == 2


def test_bench_serve_holds_256_streams(mock_server, env, tmp_path):
    server = mock_server("--step-us", "5000", "--max-num-seqs", "256")
    _, _, figures = bench(env, server.url, tmp_path / "r", "--num-prompts", "256", "--input-len", "16", "--output-len", "50",
                          "--ignore-eos", "--disable-tqdm")
    assert figures["completed"] == 256 and figures["total_output_tokens"] == 256 * 50
    assert figures["max_concurrent_requests"] == 256


# --- in process, with a model ---------------------------------------------------------------------------------------


def local(env, *arguments, **kwargs):
    model = [os.environ["INGOT_TEST_MODEL"]] if "INGOT_TEST_MODEL" in os.environ else []
    result = run(env, *arguments, *model, **kwargs)
    if result.returncode == 1 and "make model" in result.stderr:
        pytest.skip("no model here: make model")
    assert result.returncode == 0, (result.stdout, result.stderr)
    return result


def test_in_process_is_the_same_as_over_sockets(real_server, url, env):
    arguments = ["--temperature", "0", "--max-tokens", "24", "-q", "Name three rivers."]
    assert local(env, "chat", "--local", *arguments).stdout == good(env, "chat", "--url", url + "/v1", *arguments).stdout
    assert local(env, "complete", "--local", *arguments).stdout == good(env, "complete", "--url", url + "/v1", *arguments).stdout


def test_bench_latency(real_server, env, tmp_path):
    out = tmp_path / "latency.json"
    shown = local(env, "bench", "latency", "--batch-size", "2", "--input-len", "8", "--output-len", "4", "--num-iters-warmup",
                  "1", "--num-iters", "3", "--output-json", str(out)).stdout
    figures = json.loads(out.read_text())
    assert figures.keys() == {"avg_latency", "latencies", "percentiles"} and len(figures["latencies"]) == 3
    assert figures["percentiles"].keys() == {"10", "25", "50", "75", "90", "99"}
    assert figures["avg_latency"] == pytest.approx(sum(figures["latencies"]) / 3) and "Avg latency:" in shown
    assert min(figures["latencies"]) <= figures["percentiles"]["50"] <= max(figures["latencies"])


def test_bench_throughput(real_server, env, tmp_path):
    out = tmp_path / "throughput.json"
    shown = local(env, "bench", "throughput", "--num-prompts", "6", "--input-len", "16", "--output-len", "8", "--output-json",
                  str(out)).stdout
    figures = json.loads(out.read_text())
    assert figures["num_requests"] == 6 and figures["total_num_tokens"] == 6 * 24
    assert figures["tokens_per_second"] == pytest.approx(144 / figures["elapsed_time"])
    assert figures["requests_per_second"] == pytest.approx(6 / figures["elapsed_time"])
    assert "Total num output tokens:  48" in shown


def test_bench_serve_with_a_model(real_server, url, env, tmp_path):
    _, _, figures = bench(env, url, tmp_path / "r", "--num-prompts", "6", "--input-len", "20", "--output-len", "10",
                          "--ignore-eos", "--max-concurrency", "3")
    assert figures["total_input_tokens"] == 120 and figures["total_output_tokens"] == 60 and figures["failed"] == 0
