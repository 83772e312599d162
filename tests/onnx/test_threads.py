"""Messages on several threads, and in the hands of the collector."""

from __future__ import annotations

import gc
from concurrent.futures import ThreadPoolExecutor

from nocopy.onnx import GraphProto, ModelProto


def model_of(name: str) -> bytes:
    return ModelProto(
        graph=GraphProto(
            node=[{"name": f"{name}{i:05}", "input": ["a", "b"]} for i in range(20_000)]
        )
    ).SerializeToString()


def test_models_when_parsed_on_several_threads_then_are_the_models_given() -> None:
    # Large enough to be parsed without the interpreter's lock.
    given = [model_of(letter) for letter in "abcdefgh"]
    with ThreadPoolExecutor(4) as pool:
        models = list(pool.map(ModelProto.FromString, given * 3))
    assert [m.SerializeToString() for m in models] == given * 3


def test_nodes_when_dropped_on_other_threads_then_the_others_stay() -> None:
    model = ModelProto.FromString(model_of("n"))
    nodes = list(model.graph.node)
    del model
    with ThreadPoolExecutor(4) as pool:
        names = list(pool.map(lambda i: nodes[i].name, range(20_000)))
        list(pool.map(lambda i: nodes.__setitem__(i, None), range(0, 20_000, 2)))
    gc.collect()
    assert [n.name for n in nodes if n is not None] == names[1::2]
    assert names == [f"n{i:05}" for i in range(20_000)]
