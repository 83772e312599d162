"""The onnx package's own Python on our messages."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any

import nocopy.onnx
import numpy as np
import onnx.compose
import onnx.reference
import onnx.version_converter
import pytest
from nocopy.onnx import compat

import onnx


@pytest.fixture
def substituted() -> Iterator[None]:
    with compat.substituted():
        yield


def make_model(prefix: str = "", weight: float = 2.0) -> Any:
    """Two layers and an If with a subgraph in each branch, made by onnx.helper."""
    helper = onnx.helper
    values = np.arange(12, dtype=np.float32).reshape(3, 4) * weight
    branch = [
        helper.make_graph(
            [helper.make_node(op, ["hidden"], [f"{op}_out"])],
            op,
            [],
            [helper.make_tensor_value_info(f"{op}_out", onnx.TensorProto.FLOAT, None)],
        )
        for op in ("Relu", "Neg")
    ]
    graph = helper.make_graph(
        [
            helper.make_node("MatMul", ["x", "w"], ["hidden"], name=prefix + "matmul"),
            helper.make_node(
                "If", ["flag"], ["y"], then_branch=branch[0], else_branch=branch[1], name="if"
            ),
        ],
        "graph",
        [
            helper.make_tensor_value_info("x", onnx.TensorProto.FLOAT, ["n", 3]),
            helper.make_tensor_value_info("flag", onnx.TensorProto.BOOL, []),
        ],
        [helper.make_tensor_value_info("y", onnx.TensorProto.FLOAT, ["n", 4])],
        [onnx.numpy_helper.from_array(values, "w")],
    )
    return helper.make_model(
        graph, opset_imports=[helper.make_opsetid("", 21)], producer_name=prefix + "test"
    )


def test_to_onnx_when_converted_and_back_then_is_the_same_message() -> None:
    theirs = make_model()
    ours = compat.from_onnx(theirs)
    assert type(ours) is nocopy.onnx.ModelProto
    assert compat.to_onnx(ours) == theirs
    assert type(compat.to_onnx(ours.graph.node[1].attribute[0].g)) is onnx.GraphProto


def test_to_onnx_when_message_is_nested_then_finds_its_class() -> None:
    segment = nocopy.onnx.TensorProto.Segment(begin=3, end=7)
    theirs = compat.to_onnx(segment)
    assert type(theirs) is onnx.TensorProto.Segment
    assert compat.from_onnx(theirs) == segment


def test_to_onnx_when_fields_are_unknown_then_keeps_them() -> None:
    data = b"\x0a\x01a\xa0\x06\x05"
    ours = nocopy.onnx.NodeProto.FromString(data)
    assert compat.to_onnx(ours).SerializeToString() == data


@pytest.mark.parametrize("value", [None, 3, b"bytes", onnx.NodeProto()])
def test_to_onnx_when_it_is_not_ours_then_raises(value: object) -> None:
    with pytest.raises(TypeError, match=r"expected a message of nocopy\.onnx"):
        compat.to_onnx(value)  # type: ignore[arg-type]


@pytest.mark.parametrize("value", [None, 3, b"bytes", nocopy.onnx.NodeProto()])
def test_from_onnx_when_it_is_not_theirs_then_raises(value: object) -> None:
    with pytest.raises(TypeError, match="expected a message of the onnx package"):
        compat.from_onnx(value)


def test_substituted_when_it_ends_then_all_names_are_as_before() -> None:
    def names() -> dict[tuple[str, str], int]:
        return {
            (module_name, name): id(value)
            for module_name, module in list(sys.modules.items())
            if module_name == "onnx" or module_name.startswith("onnx.")
            for name, value in vars(module).items()
            if isinstance(value, type)
        }

    before = names()
    with compat.substituted():
        assert compat.is_substituted()
        assert onnx.ModelProto is nocopy.onnx.ModelProto
        assert onnx.helper.TensorProto is nocopy.onnx.TensorProto
        with compat.substituted():
            pass
        assert onnx.ModelProto is nocopy.onnx.ModelProto
    assert not compat.is_substituted()
    assert names() == before


def test_helper_when_substituted_then_makes_the_same_model_of_our_messages() -> None:
    expected = make_model()
    with compat.substituted():
        model = make_model()
    assert type(model) is nocopy.onnx.ModelProto
    assert model.SerializeToString() == expected.SerializeToString(deterministic=True)


@pytest.mark.parametrize(
    "value",
    [3, 2.5, "text", b"bytes", [1, 2], [1.5, 2.5], ["a", "b"], [b"a", b"b"]],
    ids=lambda value: f"{type(value).__name__}_{value}",
)
def test_make_attribute_when_substituted_then_gives_what_it_was_made_of(
    substituted: None, value: Any
) -> None:
    attribute = onnx.helper.make_attribute("name", value)
    assert type(attribute) is nocopy.onnx.AttributeProto
    again = onnx.helper.get_attribute_value(attribute)
    encoded = [v.encode() if isinstance(v, str) else v for v in np.atleast_1d(value).tolist()]
    assert (list(again) if isinstance(value, list) else [again]) == encoded


def test_make_attribute_when_value_is_a_message_then_holds_a_copy(substituted: None) -> None:
    tensor = onnx.numpy_helper.from_array(np.array([3, 1, 2]), "t")
    graph = onnx.helper.make_graph([], "g", [], [])
    type_proto = onnx.helper.make_tensor_type_proto(onnx.TensorProto.INT8, [2, "n"])
    sparse = onnx.helper.make_sparse_tensor(
        onnx.numpy_helper.from_array(np.array([5.0])),
        onnx.numpy_helper.from_array(np.array([1])),
        [4],
    )
    for value, field in (
        (tensor, "tensor"),
        (graph, "graph"),
        (type_proto, "type_proto"),
        (sparse, "sparse_tensor"),
    ):
        one = {"tensor": "t", "graph": "g", "type_proto": "tp"}.get(field, field)
        assert getattr(onnx.helper.make_attribute("name", value), one) == value
        assert list(getattr(onnx.helper.make_attribute("name", [value]), field + "s")) == [value]


def test_checker_when_model_is_ours_then_accepts_and_rejects_as_always(substituted: None) -> None:
    model = make_model()
    onnx.checker.check_model(model, full_check=True)
    onnx.checker.check_graph(model.graph)
    onnx.checker.check_node(model.graph.node[0])
    onnx.checker.check_tensor(model.graph.initializer[0])
    model.graph.node[0].op_type = "NoSuchOperator"
    with pytest.raises(onnx.checker.ValidationError, match="NoSuchOperator"):
        onnx.checker.check_model(model)


def test_shape_inference_when_model_is_ours_then_adds_the_same_shapes() -> None:
    expected = onnx.shape_inference.infer_shapes(make_model(), data_prop=True)
    with compat.substituted():
        inferred = onnx.shape_inference.infer_shapes(make_model(), data_prop=True)
    assert type(inferred) is nocopy.onnx.ModelProto
    assert [info.name for info in inferred.graph.value_info] == ["hidden"]
    assert compat.to_onnx(inferred) == expected


def test_compose_when_models_are_ours_then_merges_the_same() -> None:
    def merge() -> Any:
        first = onnx.compose.add_prefix(make_model("a"), "first/")
        second = onnx.compose.add_prefix(make_model("b", weight=0.5), "second/")
        second.graph.input[0].type.tensor_type.shape.dim[1].dim_value = 4
        return onnx.compose.merge_models(first, second, [("first/y", "second/x")])

    expected = merge()
    with compat.substituted():
        merged = merge()
    assert type(merged) is nocopy.onnx.ModelProto
    assert compat.to_onnx(merged) == expected


def test_reference_evaluator_when_model_is_ours_then_gives_the_same_numbers() -> None:
    x = np.array([[1, -2, 3], [-4, 5, -6]], dtype=np.float32)
    for flag in (True, False):
        feeds = {"x": x, "flag": np.array(flag)}
        expected = onnx.reference.ReferenceEvaluator(make_model()).run(None, feeds)
        with compat.substituted():
            session = onnx.reference.ReferenceEvaluator(make_model())
            assert type(session.proto_) is nocopy.onnx.ModelProto
            result = session.run(None, feeds)
        np.testing.assert_array_equal(result[0], expected[0])


def test_version_converter_and_printer_and_parser_when_model_is_ours_then_work() -> None:
    text = "agraph (float[n] x) => (float[n] y) { y = Relu(x) }"
    expected = onnx.printer.to_text(onnx.parser.parse_graph(text))
    with compat.substituted():
        graph = onnx.parser.parse_graph(text)
        assert type(graph) is nocopy.onnx.GraphProto
        assert onnx.printer.to_text(graph) == expected
        model = onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", 13)])
        converted = onnx.version_converter.convert_version(model, 21)
        assert type(converted) is nocopy.onnx.ModelProto
        assert converted.opset_import[0].version == 21


def test_load_and_save_when_substituted_then_files_are_the_same(
    tmp_path: Any, substituted: None
) -> None:
    model = make_model()
    onnx.save(model, tmp_path / "model.onnx")
    assert (tmp_path / "model.onnx").read_bytes() == model.SerializeToString()
    loaded = onnx.load(tmp_path / "model.onnx")
    assert type(loaded) is nocopy.onnx.ModelProto
    assert loaded == model


def test_external_data_when_substituted_then_goes_out_and_comes_back(
    tmp_path: Any, substituted: None
) -> None:
    model = make_model()
    expected = model.SerializeToString()
    onnx.save(
        model,
        tmp_path / "model.onnx",
        save_as_external_data=True,
        location="weights.bin",
        size_threshold=0,
    )
    assert (tmp_path / "weights.bin").stat().st_size >= 48
    loaded = onnx.load(tmp_path / "model.onnx")
    loaded.graph.initializer[0].ClearField("data_location")
    assert loaded.SerializeToString() == expected


def test_numpy_helper_when_tensor_is_ours_then_reads_it_without_substitution() -> None:
    tensor = nocopy.onnx.numpy_helper.from_array(np.array([[3, 1], [2, 7]], dtype=np.int16))
    np.testing.assert_array_equal(onnx.numpy_helper.to_array(tensor), [[3, 1], [2, 7]])


def test_compat_when_imported_then_does_not_import_onnx() -> None:
    import subprocess

    code = "import sys, nocopy.onnx.compat; assert 'onnx' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)
