"""The same statements on protobuf's classes and on ours give the same results and exceptions."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import nocopy.onnx
import numpy as np
import pytest

import onnx

# Statements, the last of which is an expression; exactly what must not differ between the two.
CASES = [
    # A repeated field that is held while its message changes.
    "m=NodeProto(); c=m.input; c.append('a'); m.ClearField('input'); (list(c), list(m.input), c is m.input)",
    "m=NodeProto(); c=m.input; m.ClearField('input'); c.append('a'); (list(c), list(m.input), c is m.input)",
    "m=NodeProto(); c=m.input; c.append('a'); m.Clear(); c.append('b'); (list(c), list(m.input))",
    "m=NodeProto(); c=m.input; c.append('a'); m.ParseFromString(NodeProto(input=['z']).SerializeToString()); c.append('b'); (list(c), list(m.input))",
    "m=NodeProto(); c=m.input; c.append('a'); m.CopyFrom(NodeProto(input=['z'])); c.append('b'); (list(c), list(m.input))",
    "m=NodeProto(); c=m.input; m.CopyFrom(NodeProto(input=['z'])); c.append('b'); (list(c), list(m.input))",
    "m=NodeProto(); c=m.input; m.MergeFrom(NodeProto(input=['z'])); c.append('b'); (list(c), list(m.input))",
    "m=GraphProto(); m.node.add(op_type='a'); n=m.node[0]; m.ClearField('node'); n.op_type='c'; (n, m)",
    "m=GraphProto(); m.node.append(NodeProto(op_type='a')); n=m.node[0]; m.node.pop() is n",
    "m=GraphProto(); m.node.add(op_type='a'); n=m.node[0]; del m; n.op_type",
    # A submessage that is held while its parent changes.
    "m=ModelProto(); g=m.graph; m.ClearField('graph'); g.name='x'; (m.HasField('graph'), g.name)",
    "m=ModelProto(); g=m.graph; m.Clear(); g.name='x'; (m.HasField('graph'), g.name)",
    "m=ModelProto(); g=m.graph; g.name='y'; m.Clear(); g.name+='x'; (m.HasField('graph'), g.name)",
    "m=ModelProto(); g=m.graph; m.CopyFrom(ModelProto(graph=GraphProto(name='q'))); g.name+='x'; (m.HasField('graph'), g.name, m.graph.name)",
    "m=ModelProto(); g=m.graph; m.MergeFrom(ModelProto(graph=GraphProto(name='q'))); g.name+='x'; (m.HasField('graph'), g.name, m.graph.name)",
    "m=ModelProto(); g=m.graph; m.ParseFromString(ModelProto(graph=GraphProto(name='q')).SerializeToString()); g.name+='x'; (m.HasField('graph'), g.name, m.graph.name)",
    "m=ModelProto(); g=m.graph; m.MergeFromString(ModelProto(graph=GraphProto(name='q')).SerializeToString()); g.name+='x'; (m.HasField('graph'), g.name, m.graph.name)",
    "m=ModelProto(); m.graph is m.graph",
    "m=ModelProto(); n=m.graph.node; n.add(op_type='a'); (m.HasField('graph'), m)",
    "m=ModelProto(); m.graph.node.extend([]); m.HasField('graph')",
    "m=TypeProto(); e=m.sequence_type.elem_type.optional_type.elem_type; a=m.HasField('sequence_type'); e.denotation='d'; (a, m)",
    "m=TypeProto(); m.tensor_type.elem_type=1; t=m.tensor_type; m.sequence_type.elem_type.denotation='x'; (m, t)",
    "m=TypeProto(); a=m.tensor_type; b=m.sequence_type; b.SetInParent(); a.elem_type=3; (m, m.WhichOneof('value'))",
    "m=NodeProto(); m.input is m.input",
    # Assigning values.
    "m=TensorProto(); m.foo",
    "m=TensorProto(); m.data_type='x'; m",
    "m=TensorProto(); m.data_type=1.0; m",
    "m=TensorProto(); m.data_type=True; m",
    "m=TensorProto(); m.data_type=2**31; m",
    "m=TensorProto(); m.data_type=-2**31-1; m",
    "m=TensorProto(); m.data_type=-2**31; m",
    "m=TensorProto(); m.data_type=2**64; m",
    "m=TensorProto(); m.data_type=None; m",
    "m=TensorProto(); m.data_type=np.int64(3); m.data_type",
    "m=TensorProto(); m.data_type=np.float32(3); m",
    "m=TensorProto(); m.data_location=7; m",
    "m=TensorProto(); m.data_location='EXTERNAL'; m.data_location",
    "m=TensorProto(); m.data_location='EXTERN'; m",
    "m=TensorProto(); m.data_location=1.0; m",
    "m=TensorProto(); m.name=1; m",
    "m=TensorProto(); m.name=b'abc'; m.name",
    "m=TensorProto(); m.name='\\u00e4\\U0001f600'; (m.name, m)",
    "m=TensorProto(); m.name='x'*15; m.name",
    "m=TensorProto(); m.name='x'*16; m.name",
    "m=TensorProto(); m.name=''; (m.name, m.HasField('name'), m)",
    "m=TensorProto(); m.name=b'\\xff'; m",
    "m=TensorProto(); m.name='\\ud800'; m",
    "m=TensorProto(); m.raw_data='abc'; m",
    "m=TensorProto(); m.raw_data=bytearray(b'abc'); m",
    "m=TensorProto(); m.raw_data=b'a\\x00c'; m.raw_data",
    "m=TensorProto(); m.raw_data=b''; (m.HasField('raw_data'), m)",
    "m=TensorProto(); m.dims.append(2**63); m",
    "m=TensorProto(); m.dims.append(-2**63); m.dims",
    "m=TensorProto(); m.dims.append('x'); m",
    "m=TensorProto(); m.dims.append(1.5); m",
    "m=TensorProto(); m.dims.append(True); m",
    "m=TensorProto(); m.uint64_data.append(-1); m",
    "m=TensorProto(); m.uint64_data.append(2**64); m",
    "m=TensorProto(); m.uint64_data.append(2**64-1); m.uint64_data",
    "m=TensorProto(); m.float_data.append(1e300); m.float_data",
    "m=TensorProto(); m.float_data.append('1'); m",
    "m=TensorProto(); m.float_data.append(np.float32(1.5)); m.float_data",
    "m=TensorProto(); m.float_data.append(None); m",
    "m=TensorProto(); m.float_data.extend(np.arange(3, dtype=np.float32)); m.float_data",
    "m=AttributeProto(); m.f=0.1; m.f",
    "m=AttributeProto(); m.f=1e300; m.f",
    "m=AttributeProto(); m.f=True; m.f",
    "m=AttributeProto(); m.type=99; m",
    "m=AttributeProto(); m.i=-1; (m.i, m)",
    "m=ModelProto(); setattr(m, 'graph', GraphProto()); m",
    "m=ModelProto(); setattr(m, 'functions', []); m",
    "m=ModelProto(); setattr(m, 'nothing', 1); m",
    "m=ModelProto(); setattr(m, 'IR_VERSION_FIELD_NUMBER', 1); m",
    "m=ModelProto(); delattr(m, 'ir_version'); m",
    # Constructors.
    "TensorProto(data_type=None)",
    "TensorProto(foo=None)",
    "TensorProto(dims=5)",
    "TensorProto(1)",
    "TensorProto(dims=[1,'x'])",
    "TensorProto(data_location='EXTERNAL', dims=(3,2), name='n', string_data=[b'a', b'']).SerializeToString()",
    "ModelProto(graph=dict(name='x', node=[dict(op_type='a'), NodeProto(op_type='b')]))",
    "ModelProto(graph=5)",
    "ModelProto(graph=TensorProto())",
    "ModelProto(graph=dict(nam='x'))",
    "ModelProto(graph={})",
    "AttributeProto(type='INTS', ints=range(3))",
    "TypeProto(tensor_type=TypeProto.Tensor(elem_type=1), sequence_type=TypeProto.Sequence())",
    # Presence.
    "m=ModelProto(); m.HasField('foo')",
    "m=ModelProto(); m.HasField('functions')",
    "m=ModelProto(ir_version=0); (m.HasField('ir_version'), m.HasField('graph'))",
    "m=ModelProto(); m.ClearField('foo')",
    "m=ModelProto(ir_version=1); m.ClearField('ir_version'); (m.ir_version, m.HasField('ir_version'), m)",
    "m=ModelProto(); m.WhichOneof('foo')",
    "m=TypeProto(); m.WhichOneof('value')",
    "m=TypeProto(); m.HasField('value')",
    "m=TypeProto(); m.tensor_type.SetInParent(); (m.WhichOneof('value'), m.HasField('value'))",
    "m=TypeProto(); m.tensor_type.elem_type=1; m.ClearField('value'); m",
    "m=TensorShapeProto.Dimension(dim_value=3); m.dim_param='N'; (m.dim_value, m.WhichOneof('value'), m)",
    "m=TensorShapeProto.Dimension(dim_param='N'); m.dim_value=0; (m.dim_param, m.WhichOneof('value'), m)",
    "m=ModelProto(ir_version=3, domain='d'); [(f.name, f.number, v) for f, v in m.ListFields()]",
    "m=ModelProto(); m.SetInParent(); m.DiscardUnknownFields(); m",
    "ModelProto().FindInitializationErrors(), ModelProto().IsInitialized()",
    # Copies and comparison.
    "ModelProto.MergeFrom(ModelProto(), TensorProto())",
    "ModelProto.CopyFrom(ModelProto(), TensorProto())",
    "m=NodeProto(input=['a']); m.MergeFrom(NodeProto(input=['b'], name='n')); m",
    "m=NodeProto(input=['a']); m.CopyFrom(m); m",
    "m=NodeProto(input=['a']); m.MergeFrom(m); m",
    "m=TypeProto(); m.sequence_type.elem_type.denotation='d'; m.CopyFrom(m.sequence_type.elem_type); m",
    "ModelProto() == TensorProto()",
    "ModelProto() == 1, ModelProto() != 1, ModelProto() == ModelProto(), ModelProto(ir_version=0) == ModelProto()",
    "AttributeProto(f=float('nan')) == AttributeProto(f=float('nan'))",
    "AttributeProto(floats=[float('nan')]) == AttributeProto(floats=[float('nan')])",
    "AttributeProto(f=0.0) == AttributeProto(f=-0.0)",
    "ModelProto() < ModelProto()",
    "hash(ModelProto())",
    "m=NodeProto(input=['a']); n=copy.copy(m); n.input.append('b'); (m, n)",
    "m=NodeProto(input=['a']); n=copy.deepcopy(m); n.input.append('b'); (m, n)",
    "pickle.loads(pickle.dumps(NodeProto(input=['a'], name='n')))",
    "pickle.loads(pickle.dumps(TensorProto.Segment(begin=1))).begin",
    # Bytes.
    "ModelProto.FromString('x')",
    "ModelProto.FromString(5)",
    "ModelProto.FromString(bytearray(b''))",
    "ModelProto.FromString(memoryview(b''))",
    "m=ModelProto(); m.ParseFromString(b'\\x08\\x03')",
    "m=ModelProto(); m.MergeFromString(b'\\x08\\x03')",
    "m=ModelProto(domain='d'); m.MergeFromString(b'\\x08\\x03'); m",
    "ModelProto().SerializeToString(deterministic=1, foo=2)",
    "ModelProto(ir_version=3).SerializeToString(True)",
    "ModelProto(ir_version=3).SerializePartialToString(deterministic=True)",
    "AttributeProto.FromString(b'\\xa0\\x01\\xe3\\x80\\x00').SerializeToString()",
    "NodeProto.FromString(b'\\xf8\\x07\\x05\\x1a\\x01n').SerializeToString()",
    "TensorProto.FromString(b'\\x4a\\x00').HasField('raw_data')",
    # Repeated fields as lists.
    "m=NodeProto(); m.input.extend(None); m",
    "m=NodeProto(); m.input.extend(5); m",
    "m=NodeProto(); m.input.extend(x for x in 'abc'); m",
    "m=NodeProto(); m.input.extend(['a', 5]); m",
    "m=NodeProto(input=['a','b']); m.input.extend(m.input); m",
    "m=GraphProto(); m.node.extend(None); m",
    "m=GraphProto(); m.node.append(5); m",
    "m=GraphProto(); m.node.append(TensorProto()); m",
    "m=GraphProto(); m.node.extend([NodeProto(), 5]); m",
    "m=GraphProto(); m.node.add(1); m",
    "m=GraphProto(); m.node.add(foo=1); m",
    "m=GraphProto(node=[NodeProto(name='a')]); m.node[0]=NodeProto(); m",
    "m=GraphProto(node=[NodeProto(name='a')]); m.node[0:1]=[NodeProto()]; m",
    "m=GraphProto(node=[NodeProto(name=n) for n in 'abc']); m.node.reverse(); m",
    "m=GraphProto(node=[NodeProto(name=n) for n in 'bca']); m.node.sort(key=lambda n: n.name, reverse=True); m",
    "m=GraphProto(node=[NodeProto(name=n) for n in 'bca']); m.node.sort(); m",
    "m=GraphProto(node=[NodeProto(name=n) for n in 'abc']); m.node.insert(1, NodeProto(name='x')); m",
    "m=GraphProto(node=[NodeProto(name=n) for n in 'abc']); m.node.remove(NodeProto(name='b')); m",
    "m=GraphProto(node=[NodeProto(name=n) for n in 'abc']); m.node.remove(NodeProto(name='x')); m",
    "m=GraphProto(node=[NodeProto(name=n) for n in 'abcd']); del m.node[1:3]; m",
    "m=GraphProto(node=[NodeProto(name=n) for n in 'abcd']); del m.node[::2]; m",
    "m=GraphProto(node=[NodeProto(name=n) for n in 'abcd']); [n.name for n in m.node[::-2]]",
    "m=GraphProto(node=[NodeProto(name='a')]); (m.node == [NodeProto(name='a')], m.node == m.node, m.node != [])",
    "m=GraphProto(node=[NodeProto(name='a')]); NodeProto(name='a') in m.node",
    "m=NodeProto(input=list('abcd')); (m.input[0], m.input[-1], m.input[1:3], m.input[::-1], len(m.input))",
    "m=NodeProto(input=list('abcd')); m.input[4]",
    "m=NodeProto(input=list('abcd')); m.input[-5]",
    "m=NodeProto(input=list('abcd')); m.input['a']",
    "m=NodeProto(input=list('abcd')); m.input[1]='x'; m",
    "m=NodeProto(input=list('abcd')); m.input[9]='x'; m",
    "m=NodeProto(input=list('abcd')); m.input[1]=5; m",
    "m=NodeProto(input=list('abcd')); m.input[1:3]=['x']; m",
    "m=NodeProto(input=list('abcd')); m.input[1:1]=['x','y','z']; m",
    "m=NodeProto(input=list('abcd')); m.input[::2]=['x','y']; m",
    "m=NodeProto(input=list('abcd')); m.input[::2]=['x']; m",
    "m=NodeProto(input=list('abcd')); del m.input[1]; m",
    "m=NodeProto(input=list('abcd')); del m.input[1:3]; m",
    "m=NodeProto(input=list('abcd')); del m.input[::2]; m",
    "m=NodeProto(input=list('abcd')); del m.input[::-3]; m",
    "m=NodeProto(input=list('abcd')); (m.input.pop(), m.input.pop(0), m)",
    "m=NodeProto(); m.input.pop()",
    "m=NodeProto(input=list('abca')); m.input.remove('a'); m",
    "m=NodeProto(input=list('abca')); m.input.remove('x'); m",
    "m=NodeProto(input=list('abcd')); m.input.insert(1,'x'); m.input.insert(-1,'y'); m.input.insert(99,'z'); m",
    "m=NodeProto(input=list('dbca')); m.input.sort(); m",
    "m=NodeProto(input=list('dbca')); m.input.sort(reverse=True); m",
    "m=NodeProto(input=['bb','a']); m.input.sort(key=len); m",
    "m=NodeProto(input=list('abc')); m.input.reverse(); m",
    "m=NodeProto(input=list('abc')); m.input.clear(); m",
    "m=NodeProto(input=list('abc')); m.input.MergeFrom(NodeProto(input=['x']).input); m",
    "m=NodeProto(input=['a']); (m.input == ['a'], m.input == ('a',), m.input != ['a'], m.input == m.output)",
    "m=NodeProto(input=['a']); m.input < ['b']",
    "m=NodeProto(input=['a']); m.input + ['b']",
    "m=NodeProto(input=['a']); hash(m.input)",
    "m=NodeProto(input=['a']); ('a' in m.input, 'b' in m.input, list(reversed(m.input)), repr(m.input), bool(m.output))",
    "m=NodeProto(input=['a']); c=copy.deepcopy(m.input); c.append('b'); (list(c), m)",
    "m=NodeProto(input=['a']); copy.copy(m.input)",
    "m=TensorProto(dims=[3,1,2]); m.dims.sort(); m.dims.insert(0,9); (m.dims, m.dims[:], sum(m.dims))",
    "m=TensorProto(dims=[3,1,2]); m.dims[:]=[4,5]; m.dims",
    "m=TensorProto(dims=[3,1,2]); m.dims[0]=2**63; m.dims",
    "m=TensorProto(dims=[3,1,2]); m.dims[:]=[4,'x',5]; m.dims",
    "m=TensorProto(float_data=[1,2.5]); np.asarray(m.float_data).tolist()",
    "import collections.abc as a; m=NodeProto(); (isinstance(m.input, a.MutableSequence), isinstance(GraphProto().node, a.MutableSequence))",
    "m=TensorProto(); m.float_data.append(np.array(3.5)); m",
    "m=AttributeProto(); m.f=np.array(3); m",
    "m=NodeProto(); m.input.MergeFrom(x for x in 'ab'); m",
    "m=TensorProto(); m.dims.MergeFrom((1, 2)); m",
    "m=TensorProto(); m.dims.MergeFrom(5); m",
    "m=GraphProto(); m.node.MergeFrom([NodeProto(name='a')]); m",
    "m=NodeProto(input=['a']); m.input[2**70]",
    "m=NodeProto(input=['a']); type(m.input)()",
    "m=GraphProto(node=[NodeProto(name='a')]); m.node[3]=NodeProto(); m",
    "m=GraphProto(node=[NodeProto(name='a')]); copy.copy(m.node)",
    "m=GraphProto(node=[NodeProto(name='a')]); pickle.dumps(m.node)",
    # Changes that change nothing do not always make a submessage set.
    "m=AttributeProto(); m.t.dims.clear(); m",
    "m=AttributeProto(); m.t.dims.sort(); m",
    "m=AttributeProto(); m.t.dims.reverse(); m",
    "m=TypeProto(); m.tensor_type.shape.dim.clear(); m",
    "m=TypeProto(); m.tensor_type.shape.dim.sort(); m",
    "m=TypeProto(); m.tensor_type.DiscardUnknownFields(); m",
    # A message and one that lies in it.
    "m=SequenceProto(name='a'); e=m.sequence_values.add(name='b'); e.MergeFrom(m); m",
    "m=OptionalProto(); e=m.optional_value; e.name='q'; f=e.optional_value; f.MergeFrom(m); m",
    "m=OptionalProto(); e=m.optional_value; e.elem_type=3; e.optional_value.elem_type=4; e.optional_value.name='x'; m.MergeFrom(e); (m, e)",
    "m=TypeProto(); e=m.optional_type.elem_type; e.sequence_type.elem_type.denotation='x'; m.MergeFrom(e); (m, e)",
    "m=TypeProto(); e=m.optional_type.elem_type; e.MergeFrom(m); m",
    # Names of fields.
    "m=NodeProto(name='x'); ('name' in m, 'domain' in m, b'name' in m)",
    "m=NodeProto(); 'foo' in m",
    "m=NodeProto(); 'input' in m",
    "m=NodeProto(); 5 in m",
    "m=TypeProto(); 'value' in m",
    "m=NodeProto(); m.HasField(5)",
    "m=NodeProto(name='x'); m.HasField(b'name')",
    "m=NodeProto(name='x'); m.ClearField(b'name'); m",
    "m=NodeProto(name='x'); m.ClearField(5); m",
    "m=TypeProto(); m.WhichOneof(b'value')",
    "m=TypeProto(); m.WhichOneof(5)",
    # Enums and descriptors.
    "TensorProto.DataType.Name(np.int64(1))",
    "TensorProto.DataType.Name(1.0)",
    "TensorProto.DataType.Name(1), TensorProto.DataType.Value('FLOAT'), TensorProto.DataType.FLOAT, TensorProto().FLOAT",
    "TensorProto.DataType.Name(100)",
    "TensorProto.DataType.Name('x')",
    "TensorProto.DataType.Value('FLOATX')",
    "TensorProto.DataType.FLOATX",
    "TensorProto.DataType.keys(), TensorProto.DataType.values(), TensorProto.DataType.items()",
    "AttributeProto.AttributeType.items(), Version.items(), OperatorStatus.items(), IR_VERSION",
    "TensorProto.DIMS_FIELD_NUMBER, TensorProto().DIMS_FIELD_NUMBER, TensorProto.FOO",
    "[(f.name, f.number, f.type, f.cpp_type, f.is_repeated, f.has_presence, f.default_value, f.full_name) for f in TensorProto.DESCRIPTOR.fields if not f.is_repeated]",
    "[(f.name, f.number, f.type, f.index, f.camelcase_name) for f in TensorProto.DESCRIPTOR.fields]",
    "[(f.name, f.containing_oneof and f.containing_oneof.name, f.message_type and f.message_type.full_name) for f in TypeProto.DESCRIPTOR.fields]",
    "d=ModelProto.DESCRIPTOR; (d.name, d.full_name, d.file.name, list(d.fields_by_name), list(d.oneofs_by_name), d.containing_type)",
    "d=TensorProto.DESCRIPTOR; (sorted(d.enum_types_by_name), sorted(d.nested_types_by_name), d.enum_values_by_name['FLOAT'].number)",
    "SequenceProto.DESCRIPTOR.file.name, TensorProto.Segment.DESCRIPTOR.containing_type.name, TensorProto.Segment.__qualname__",
    "weakref.ref(ModelProto())",
]


def run(statements: str, package: Any) -> object:
    names = {name: getattr(package, name) for name in dir(package)}
    names |= {"copy": copy, "pickle": pickle, "np": np}
    names["weakref"] = __import__("weakref")
    for name in ("SequenceProto", "MapProto", "OptionalProto"):
        names[name] = getattr(onnx.onnx_data_pb2 if package is onnx else package, name)
    names["OperatorStatus"] = (onnx.onnx_ml_pb2 if package is onnx else package).OperatorStatus
    *before, last = statements.split(";")
    try:
        exec("\n".join(line.strip() for line in before), names)
        return plain(eval(last.strip(), names))
    except Exception as error:
        return next(kind for kind in type(error).__mro__ if kind.__module__ == "builtins")


def plain(value: Any) -> object:
    if hasattr(value, "SerializeToString"):
        return "message", value.SerializeToString()
    if isinstance(value, (list, tuple)):
        return type(value)(plain(one) for one in value)
    if isinstance(value, (str, bytes, int, float, bool, dict, type(None))):
        return value
    return [plain(one) for one in value] if hasattr(value, "append") else value


@pytest.mark.parametrize("statements", CASES)
def test_statements_when_run_on_both_then_results_are_the_same(statements: str) -> None:
    assert run(statements, nocopy.onnx) == run(statements, onnx)


def test_repeated_field_when_a_slice_is_refused_then_nothing_is_lost() -> None:
    # protobuf leaves elements that nobody put there.
    node = nocopy.onnx.NodeProto(input=["a", "b", "c", "d"])
    for where in (slice(None), slice(3, 1), slice(1, 2)):
        with pytest.raises(TypeError):
            node.input[where] = ["x", None]
        assert list(node.input) == ["a", "b", "c", "d"]


def test_repeated_messages_when_merged_with_themselves_then_are_doubled() -> None:
    # protobuf's container does not come back from this.
    graph = nocopy.onnx.GraphProto(node=[nocopy.onnx.NodeProto(name="a")])
    graph.node.MergeFrom(graph.node)
    assert [node.name for node in graph.node] == ["a", "a"]


def test_repeated_field_when_popped_past_its_end_then_index_error() -> None:
    # protobuf still pops the last element, and warns that it will raise.
    node = nocopy.onnx.NodeProto(input=["a"])
    with pytest.raises(IndexError):
        node.input.pop(3)
    assert list(node.input) == ["a"]


def test_field_descriptor_when_repeated_and_packed_then_says_so() -> None:
    fields = nocopy.onnx.TensorProto.DESCRIPTOR.fields_by_name
    assert (fields["float_data"].label, fields["float_data"].is_packed) == (3, True)
    assert (fields["dims"].label, fields["dims"].is_packed) == (3, False)
    assert (fields["name"].label, fields["name"].is_packed) == (1, False)
