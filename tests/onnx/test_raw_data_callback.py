"""What `ParseOptions.raw_data_callback` is told, and when what it returns is called."""

from __future__ import annotations

import gc
import sys
import threading
from pathlib import Path
from typing import Any

import nocopy.onnx
import pytest
from children import run_python
from nocopy.onnx import ParseOptions, RawDataCallback
from onnx_models import external_tensor, model_with, numbers, save_external

import onnx

MODEL = model_with(numbers(2000), numbers(3, 7), numbers(500, 50)).SerializeToString()


class Counter:
    """Deleters that count their calls, by tensor."""

    def __init__(self) -> None:
        self.calls: dict[str, int] = {}

    def __call__(self, tensor: Any, graph: Any) -> Any:
        name = tensor.name
        self.calls[name] = 0

        def delete() -> None:
            self.calls[name] += 1

        return delete


def test_callback_when_parsing_then_gets_each_tensor_with_its_data_and_its_graph() -> None:
    seen: list[tuple[str, int, Any]] = []
    model = nocopy.onnx.ModelProto()
    model.ParseFromString(
        MODEL,
        ParseOptions(
            raw_data_callback=lambda t, g: seen.append((t.name, len(t.raw_data), g))  # type: ignore[func-returns-value]
        ),
    )
    assert [(name, size) for name, size, _ in seen] == [("w0", 8000), ("w1", 12), ("w2", 2000)]
    assert all(graph is model.graph for _, _, graph in seen)


def test_callback_when_the_tensor_stands_alone_then_gets_it_and_no_graph() -> None:
    seen: list[Any] = []
    tensor = nocopy.onnx.TensorProto()
    tensor.ParseFromString(
        onnx.TensorProto(name="alone", raw_data=b"1234").SerializeToString(),
        ParseOptions(raw_data_callback=lambda *given: seen.extend(given)),  # type: ignore[func-returns-value]
    )
    assert seen[0] is tensor
    assert seen[1] is None


@pytest.mark.parametrize("parse", ["ParseFromString", "MergeFromString"])
def test_callback_when_the_message_itself_is_the_graph_then_gets_that(parse: str) -> None:
    seen: list[Any] = []
    graph = nocopy.onnx.GraphProto()
    getattr(graph, parse)(
        model_with(numbers(1)).graph.SerializeToString(),
        ParseOptions(raw_data_callback=lambda t, g: seen.append(g)),  # type: ignore[func-returns-value]
    )
    assert seen == [graph]
    assert seen[0] is graph


def test_callback_when_a_new_message_is_made_then_it_is_the_one_that_was_shown() -> None:
    seen: list[Any] = []
    options = ParseOptions(raw_data_callback=lambda t, g: seen.append(t))  # type: ignore[func-returns-value]
    made = nocopy.onnx.TensorProto.FromString(b"", options)
    assert seen[0] is made


def test_callback_when_tensors_are_in_subgraphs_and_functions_then_gets_the_innermost_graph() -> (
    None
):
    def node(tensor: str, **rest: Any) -> onnx.NodeProto:
        attributes = [onnx.AttributeProto(name="t", t=onnx.TensorProto(name=tensor))]
        attributes += [onnx.AttributeProto(name=k, **{k: v}) for k, v in rest.items()]
        return onnx.NodeProto(op_type="X", attribute=attributes)

    inner = onnx.GraphProto(
        name="inner",
        node=[node("in_inner_node")],
        initializer=[onnx.TensorProto(name="in_inner")],
    )
    model = onnx.ModelProto(
        graph=onnx.GraphProto(
            name="outer",
            node=[node("in_outer_node", g=inner)],
            sparse_initializer=[
                onnx.SparseTensorProto(
                    values=onnx.TensorProto(name="sv"), indices=onnx.TensorProto(name="si")
                )
            ],
        ),
        functions=[onnx.FunctionProto(name="f", node=[node("in_function")])],
    )
    seen: dict[str, str | None] = {}
    options = ParseOptions(
        raw_data_callback=lambda t, g: seen.update({t.name: g.name if g is not None else None})  # type: ignore[func-returns-value]
    )
    expected = {
        "in_outer_node": "outer",
        "in_inner_node": "inner",
        "in_inner": "inner",
        "sv": "outer",
        "si": "outer",
        "in_function": None,
    }
    nocopy.onnx.ModelProto.FromString(model.SerializeToString(), options)
    assert seen == expected


def test_deleter_when_no_copy_then_runs_once_when_the_last_copy_of_the_borrow_goes() -> None:
    counter = Counter()
    model = nocopy.onnx.load(MODEL, no_copy=True, raw_data_callback=counter)
    assert counter.calls == {"w0": 0, "w1": 0, "w2": 0}
    copied = nocopy.onnx.TensorProto()
    copied.CopyFrom(model.graph.initializer[0])
    del model
    gc.collect()
    assert counter.calls == {"w0": 0, "w1": 1, "w2": 1}
    copied.raw_data = b"new"
    assert counter.calls == {"w0": 1, "w1": 1, "w2": 1}


def test_deleter_when_copying_then_runs_once_when_the_data_is_overwritten_or_cleared() -> None:
    counter = Counter()
    model = nocopy.onnx.load(MODEL, raw_data_callback=counter)
    w0, w1, w2 = model.graph.initializer
    w0.raw_data = b"other"
    w1.ClearField("raw_data")
    assert counter.calls == {"w0": 1, "w1": 1, "w2": 0}
    del model.graph.initializer[:], w0, w1, w2
    assert counter.calls == {"w0": 1, "w1": 1, "w2": 1}


def test_deleter_when_the_parse_fails_after_it_was_attached_then_runs_once() -> None:
    counter = Counter()
    model = nocopy.onnx.ModelProto()
    with pytest.raises(nocopy.onnx.DecodeError):
        model.ParseFromString(MODEL + b"\x08", ParseOptions(raw_data_callback=counter))
    assert counter.calls == {"w0": 1, "w1": 1, "w2": 1}
    assert model == nocopy.onnx.ModelProto()


def test_callback_when_it_raises_then_the_parse_stops_and_the_message_is_empty() -> None:
    seen: list[str] = []

    def stop(tensor: Any, graph: Any) -> None:
        seen.append(tensor.name)
        if tensor.name == "w1":
            raise KeyError("enough")

    model = nocopy.onnx.ModelProto(producer_name="before")
    with pytest.raises(KeyError, match="enough"):
        model.ParseFromString(MODEL, ParseOptions(raw_data_callback=stop))
    assert seen == ["w0", "w1"]
    assert model == nocopy.onnx.ModelProto()
    model.ParseFromString(MODEL)
    assert len(model.graph.initializer) == 3


def test_callback_when_no_graph_has_a_name_then_is_still_called_for_each_tensor() -> None:
    attribute = onnx.AttributeProto(name="t", t=onnx.TensorProto(name="in_node"))
    model = onnx.ModelProto(
        graph=onnx.GraphProto(
            node=[onnx.NodeProto(attribute=[attribute])],
            initializer=[onnx.TensorProto(name="initializer")],
        )
    )
    seen: list[str] = []
    for _ in range(2):
        options = ParseOptions(raw_data_callback=RawDataCallback(lambda t: seen.append(t.name)))
        nocopy.onnx.load(model.SerializeToString(), options=options)
        del model.graph.initializer[:]
    assert seen == ["in_node", "initializer", "in_node"]


@pytest.mark.parametrize("returned", [1, "close", b"", []])
def test_callback_when_it_returns_neither_none_nor_a_callable_then_says_so(
    returned: object,
) -> None:
    with pytest.raises(TypeError, match="raw_data_callback"):
        nocopy.onnx.load(MODEL, raw_data_callback=lambda t, g: returned)  # type: ignore[arg-type,return-value]


def test_raw_data_callback_when_it_reports_then_ownership_is_as_without_it(
    tmp_path: Path,
) -> None:
    names: list[str] = []
    report = RawDataCallback(lambda tensor: names.append(tensor.name) or print)
    before = sys.getrefcount(print)
    model = nocopy.onnx.load(MODEL, raw_data_callback=report)
    assert names == ["w0", "w1", "w2"]
    assert sys.getrefcount(print) == before
    assert model == nocopy.onnx.load(MODEL)


@pytest.mark.parametrize("no_copy", [False, True])
@pytest.mark.parametrize("threads", [1, 3])
def test_callback_when_data_is_external_then_is_called_once_with_the_data(
    tmp_path: Path, no_copy: bool, threads: int
) -> None:
    path = tmp_path / "m.onnx"
    arrays = [numbers(3_000_000), numbers(3, 7), numbers(2000, 5)]
    save_external(model_with(*arrays), path)
    graphs: list[Any] = []
    seen: list[tuple[str, bytes, int]] = []
    counter = Counter()

    def look(tensor: Any, graph: Any) -> Any:
        seen.append((tensor.name, tensor.raw_data, tensor.data_location))
        graphs.append(graph)
        return counter(tensor, graph)

    loaded = nocopy.onnx.load(path, no_copy=no_copy, num_threads=threads, raw_data_callback=look)
    assert seen == [(f"w{i}", array.tobytes(), 0) for i, array in enumerate(arrays)]
    assert all(graph is loaded.graph for graph in graphs)
    del loaded, graphs[:]
    gc.collect()
    assert counter.calls == {"w0": 1, "w1": 1, "w2": 1}


def test_callback_when_external_data_is_not_loaded_then_is_called_without_data(
    tmp_path: Path,
) -> None:
    save_external(model_with(numbers(3)), tmp_path / "m.onnx")
    seen: list[bool] = []
    nocopy.onnx.load(
        tmp_path / "m.onnx",
        load_external_data=False,
        raw_data_callback=lambda t, g: seen.append(t.HasField("raw_data")),  # type: ignore[func-returns-value]
    )
    assert seen == [False]


def test_callback_when_it_raises_for_external_data_then_the_load_stops(tmp_path: Path) -> None:
    save_external(model_with(numbers(3), numbers(4), numbers(5)), tmp_path / "m.onnx")
    seen: list[str] = []

    def stop(tensor: Any, graph: Any) -> None:
        seen.append(tensor.name)
        if tensor.name == "w1":
            raise InterruptedError("stop")

    for threads in (1, 2):
        seen.clear()
        with pytest.raises(InterruptedError):
            nocopy.onnx.load(tmp_path / "m.onnx", num_threads=threads, raw_data_callback=stop)
        assert seen == ["w0", "w1"]


def test_callback_when_it_takes_each_tensor_away_then_all_are_still_told(tmp_path: Path) -> None:
    save_external(model_with(*(numbers(3000, i) for i in range(20))), tmp_path / "m.onnx")
    for source in (MODEL, tmp_path / "m.onnx"):
        expected = 3 if source is MODEL else 20
        taken: list[Any] = []

        def take(tensor: Any, graph: Any, taken: list[Any] = taken) -> None:
            taken.append(tensor.raw_data)
            tensor.ClearField("raw_data")
            del graph.initializer[:]

        model = nocopy.onnx.load(source, num_threads=2, raw_data_callback=take)
        assert len(taken) == expected
        assert len(model.graph.initializer) == 0


def test_callback_when_it_parses_into_the_same_message_then_nothing_breaks() -> None:
    model = nocopy.onnx.ModelProto()
    depth = 0

    def again(tensor: Any, graph: Any) -> None:
        nonlocal depth
        if depth < 2:
            depth += 1
            model.ParseFromString(MODEL, ParseOptions(raw_data_callback=again))

    model.ParseFromString(MODEL, ParseOptions(raw_data_callback=again))
    assert depth == 2
    model.SerializeToString()


def test_deleter_when_it_raises_then_is_reported_and_not_lost(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    reported: list[BaseException | None] = []
    monkeypatch.setattr(sys, "unraisablehook", lambda info: reported.append(info.exc_value))

    def fail() -> None:
        raise LookupError("from the deleter")

    # The model goes when the tuple is given up, with the division's exception on its way.
    with pytest.raises(ZeroDivisionError):
        _ = (nocopy.onnx.load(MODEL, raw_data_callback=lambda t, g: fail), 1 / 0)
    assert [type(error) for error in reported] == [LookupError] * 3


def test_deleter_when_the_model_goes_on_another_thread_then_runs_there() -> None:
    threads: list[int] = []
    models = [
        nocopy.onnx.load(
            MODEL, raw_data_callback=lambda t, g: lambda: threads.append(threading.get_ident())
        )
    ]
    thread = threading.Thread(target=models.clear)
    thread.start()
    ident = thread.ident
    thread.join()
    assert threads == [ident] * 3


def test_deleter_when_it_holds_the_options_then_all_of_it_can_be_collected() -> None:
    alive: list[int] = []

    class Noted:
        def __init__(self) -> None:
            alive.append(1)

        def __del__(self) -> None:
            alive.pop()

    def make() -> None:
        noted = Noted()
        options = ParseOptions()
        options.raw_data_callback = lambda t, g, keep=(noted, options): None
        nocopy.onnx.ModelProto().ParseFromString(MODEL, options)

    make()
    gc.collect()
    assert alive == []


def test_borrowed_bytes_and_deleters_when_the_interpreter_ends_first_then_the_process_ends_well() -> (
    None
):
    run_python(
        """
import threading, builtins, nocopy.onnx, onnx
data = onnx.ModelProto(graph=onnx.GraphProto(initializer=[
    onnx.TensorProto(name=str(i), raw_data=bytes(5000)) for i in range(3)])).SerializeToString()
builtins.kept = nocopy.onnx.load(bytearray(data), no_copy=True,
                                 raw_data_callback=lambda t, g: lambda: None)
builtins.cycle = [kept]
builtins.cycle.append(builtins.cycle)
report(len(kept.graph.initializer))
"""
    ).check()


def test_callback_when_options_are_shared_by_threads_then_each_parse_tells_its_own() -> None:
    counts: dict[int, int] = {}

    def count(tensor: Any, graph: Any) -> None:
        ident = threading.get_ident()
        counts[ident] = counts.get(ident, 0) + 1

    options = ParseOptions(raw_data_callback=count, no_copy=True)
    threads = [
        threading.Thread(
            target=lambda: [nocopy.onnx.load(MODEL, options=options) for _ in range(50)]
        )
        for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sum(counts.values()) == 4 * 50 * 3


def test_external_tensor_given_twice_in_one_field_then_is_loaded_once(tmp_path: Path) -> None:
    (tmp_path / "w.bin").write_bytes(numbers(2).tobytes())
    tensor = external_tensor("t", 2, [("location", "w.bin")]).SerializeToString()
    # AttributeProto.t (5) twice: the second is merged into the first, which repeats its location.
    attribute = b"".join(b"\x2a" + bytes([len(tensor)]) + tensor for _ in range(2))
    node = b"\x2a" + bytes([len(attribute)]) + attribute
    graph = b"\x0a" + bytes([len(node)]) + node
    (tmp_path / "m.onnx").write_bytes(b"\x3a" + bytes([len(graph)]) + graph)
    with pytest.raises(nocopy.errors.ExternalDataError, match="more than once"):
        nocopy.onnx.load(tmp_path / "m.onnx")


def test_callback_when_it_changes_a_tensor_that_waits_then_that_keeps_what_it_was_given(
    tmp_path: Path,
) -> None:
    save_external(model_with(numbers(3), numbers(4)), tmp_path / "m.onnx")
    told: list[str] = []

    def change(tensor: Any, graph: Any) -> None:
        told.append(tensor.name)
        other = graph.initializer[1]
        other.raw_data = b"mine"
        other.ClearField("data_location")

    model = nocopy.onnx.load(tmp_path / "m.onnx", raw_data_callback=change)
    assert told == ["w0"]
    assert model.graph.initializer[1].raw_data == b"mine"


def test_callback_when_the_input_is_large_then_runs_with_the_lock() -> None:
    run_python(
        """
import nocopy.onnx, onnx
data = onnx.ModelProto(graph=onnx.GraphProto(initializer=[
    onnx.TensorProto(name=str(i), raw_data=bytes(200_000)) for i in range(3)])).SerializeToString()
names = []
options = nocopy.onnx.ParseOptions(raw_data_callback=lambda t, g: names.append(t.name))
nocopy.onnx.ModelProto().ParseFromString(data, options)
nocopy.onnx.ModelProto.FromString(data, options)
nocopy.onnx.load(data, options=options)
assert names == list("012") * 3
"""
    ).check()
