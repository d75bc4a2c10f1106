"""llama.cpp's server on a free port: prints its address and serves until it is killed.

llamacpp_server.py MODEL THREADS SLOTS CONTEXT    CONTEXT tokens that the slots share
"""

import signal
import sys

import xllamacpp


def main():
    model, threads, slots, context = sys.argv[1], *map(int, sys.argv[2:])
    params = xllamacpp.CommonParams()
    params.model.path = model
    params.n_parallel = slots
    params.n_ctx = context
    params.kv_unified = True
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = threads
    params.port = 0
    params.warmup = True
    server = xllamacpp.Server(params)
    print("Serving on", server.listening_address, flush=True)
    signal.pause()


if __name__ == "__main__":
    main()
