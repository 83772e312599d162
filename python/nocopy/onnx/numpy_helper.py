"""Tensors as numpy arrays and back.

The functions have the names and give the arrays of ``onnx.numpy_helper``. numpy is imported when
the first of them is called, ml_dtypes only for element types that numpy does not have.
"""

from __future__ import annotations

import functools
import math

from nocopy import _core
from nocopy.errors import DTypeError, ExternalDataError, ShapeError
from nocopy.onnx._messages import MapProto, OptionalProto, SequenceProto, TensorProto

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    import numpy as np
    import numpy.typing as npt

__all__ = [
    "from_array",
    "from_dict",
    "from_list",
    "from_optional",
    "np_dtype_to_tensor_dtype",
    "tensor_dtype_to_np_dtype",
    "to_array",
    "to_dict",
    "to_list",
    "to_optional",
]

# Element types of which several lie in a byte: how many bits each has.
_PACKED_BITS = {
    TensorProto.UINT4: 4,
    TensorProto.INT4: 4,
    TensorProto.FLOAT4E2M1: 4,
    TensorProto.UINT2: 2,
    TensorProto.INT2: 2,
    TensorProto.FLOAT6E2M3: 6,
    TensorProto.FLOAT6E3M2: 6,
}
_FLOAT6 = {TensorProto.FLOAT6E2M3: "float6_e2m3fn", TensorProto.FLOAT6E3M2: "float6_e3m2fn"}
# Element types that have a field of their own; all others are in int32_data.
_FIELDS = {
    TensorProto.FLOAT: "float_data",
    TensorProto.COMPLEX64: "float_data",
    TensorProto.DOUBLE: "double_data",
    TensorProto.COMPLEX128: "double_data",
    TensorProto.INT64: "int64_data",
    TensorProto.UINT32: "uint64_data",
    TensorProto.UINT64: "uint64_data",
}


@functools.cache
def _names() -> dict[int, str]:
    return {row[3]: row[0] for row in _core.dtype_table() if row[3] >= 0} | _FLOAT6


def tensor_dtype_to_np_dtype(tensor_dtype: int) -> np.dtype[Any]:
    """Return the numpy dtype of an ONNX element type.

    Parameters
    ----------
    tensor_dtype
        A value of ``TensorProto.DataType``. STRING has the dtype object.

    Raises
    ------
    DTypeError
        If there is no such element type, or ml_dtypes is needed and not installed.
    """
    import numpy as np

    if tensor_dtype == TensorProto.STRING:
        return np.dtype(object)
    name = _names().get(tensor_dtype)
    if name is None:
        raise DTypeError(
            f"the element type {tensor_dtype} is none that an array can have; expected a value of "
            "TensorProto.DataType other than UNDEFINED"
        )
    return _dtype_named(name)


def _dtype_named(name: str) -> np.dtype[Any]:
    import numpy as np

    try:
        return np.dtype(name)
    except TypeError:
        pass
    try:
        import ml_dtypes
    except ImportError:
        raise DTypeError(f"numpy has no {name}; install ml_dtypes, which has it") from None
    scalar: type[Any] | None = getattr(ml_dtypes, name, None)
    if scalar is None:
        raise DTypeError(f"this version of ml_dtypes has no {name}; install a newer one")
    return np.dtype(scalar)


def np_dtype_to_tensor_dtype(np_dtype: npt.DTypeLike) -> int:
    """Return the ONNX element type of a numpy dtype, byte order aside.

    Parameters
    ----------
    np_dtype
        A dtype of numpy or ml_dtypes. object and the string dtypes are STRING.

    Raises
    ------
    DTypeError
        If ONNX has no such element type.
    """
    import numpy as np

    dtype = np.dtype(np_dtype)
    if dtype.kind in "OUS":
        return TensorProto.STRING
    for number, name in _names().items():
        if name == dtype.name:
            return number
    raise DTypeError(f"ONNX has no element type for arrays of {dtype}")


def to_array(tensor: TensorProto) -> npt.NDArray[Any]:
    """Return a tensor as an array.

    Parameters
    ----------
    tensor
        Its values are in its raw data or in the field for its element type.

    Returns
    -------
    numpy.ndarray
        Of the tensor's shape. Raw data is not copied, unless elements share bytes (4, 2 and 6 bits)
        and have to be taken apart: the array reads the tensor's own bytes and keeps them alive,
        also when the tensor goes or gets other data. It can be written to where the tensor owns its
        bytes, and not where they are borrowed. Values in other fields are copied; strings are str.

    Raises
    ------
    DTypeError
        If the tensor's element type is undefined.
    ShapeError
        If the tensor has more or fewer values than its shape says.
    ExternalDataError
        If the values are in another file and were not loaded.
    ValueError
        If the tensor is a segment of another.
    """
    import numpy as np

    if tensor.HasField("segment"):
        raise ValueError(f"{_named(tensor)} is a segment of a tensor, which is not supported")
    dtype = tensor_dtype_to_np_dtype(tensor.data_type)
    shape = tuple(tensor.dims)
    if any(size < 0 for size in shape):
        raise ShapeError(f"{_named(tensor)} has the shape {list(shape)}, with a negative size")
    if tensor.data_type == TensorProto.STRING:
        strings = np.empty(len(tensor.string_data), dtype=object)
        strings[:] = [text.decode() for text in tensor.string_data]
        return _shaped(tensor, strings, shape)
    if tensor.HasField("raw_data"):
        return _from_raw(tensor, dtype, shape)
    if tensor.data_location == TensorProto.EXTERNAL:
        where = {entry.key: entry.value for entry in tensor.external_data}
        raise ExternalDataError(
            f"the values of {_named(tensor)} are in the file {where.get('location')!r}, which was "
            "not loaded; load the model with load_external_data=True"
        )
    return _from_fields(tensor, dtype, shape)


def as_array(
    tensor: TensorProto, dtype: npt.DTypeLike | None = None, copy: bool | None = None
) -> npt.NDArray[Any]:
    """Do what ``numpy.asarray(tensor)`` asks for; see `to_array` and numpy's ``__array__``."""
    import numpy as np

    array = to_array(tensor)
    in_place = tensor.HasField("raw_data") and tensor.data_type not in _PACKED_BITS
    wanted = array.dtype if dtype is None else np.dtype(dtype)
    if copy is False and (wanted != array.dtype or not in_place):
        raise ValueError(f"{_named(tensor)} cannot be read as {wanted} without a copy")
    if wanted != array.dtype:
        return array.astype(wanted)
    return array.copy() if copy and in_place else array


def _named(tensor: TensorProto) -> str:
    return f"tensor {tensor.name!r}" if tensor.name else "the tensor"


def _shaped(
    tensor: TensorProto, values: npt.NDArray[Any], shape: tuple[int, ...]
) -> npt.NDArray[Any]:
    if values.size != math.prod(shape):
        raise ShapeError(
            f"{_named(tensor)} has {values.size} values, where its shape {list(shape)} takes "
            f"{math.prod(shape)}"
        )
    return values.reshape(shape)


def _from_raw(
    tensor: TensorProto, dtype: np.dtype[Any], shape: tuple[int, ...]
) -> npt.NDArray[Any]:
    import numpy as np

    data = np.frombuffer(memoryview(_core.onnx_raw_data(tensor)), dtype=np.uint8)
    count = math.prod(shape)
    bits = _PACKED_BITS.get(tensor.data_type, dtype.itemsize * 8)
    if data.size != -(-count * bits // 8):
        raise ShapeError(
            f"{_named(tensor)} has {data.size} bytes of raw data, where its shape {list(shape)} of "
            f"{TensorProto.DataType.Name(tensor.data_type)} takes {-(-count * bits // 8)}"
        )
    values: npt.NDArray[Any] = data
    if tensor.data_type in _PACKED_BITS:
        values = _unpack(data, bits, count)
    return values.view(dtype).reshape(shape)


def _from_fields(
    tensor: TensorProto, dtype: np.dtype[Any], shape: tuple[int, ...]
) -> npt.NDArray[Any]:
    import numpy as np

    data_type = tensor.data_type
    field = _FIELDS.get(data_type, "int32_data")
    values = np.array(getattr(tensor, field), dtype=_field_dtype(field))
    if data_type in (TensorProto.COMPLEX64, TensorProto.COMPLEX128):
        if values.size % 2 != 0:
            raise ShapeError(f"{_named(tensor)} has half a complex number at its end")
        return _shaped(tensor, values.view(dtype), shape)
    bits = _PACKED_BITS.get(data_type)
    if bits == 6:  # one to an integer, unlike the others
        return _shaped(tensor, (values.astype(np.uint8) & 0x3F).view(dtype), shape)
    if bits is not None:
        count = math.prod(shape)
        if values.size != -(-count * bits // 8):
            raise ShapeError(
                f"{_named(tensor)} has {values.size} elements in {field}, where its shape "
                f"{list(shape)} takes {-(-count * bits // 8)}"
            )
        return _unpack(values.astype(np.uint8), bits, count).view(dtype).reshape(shape)
    if field == "int32_data" and (dtype.kind not in "iu"):
        # The low bits of each integer are the element.
        values = values.astype(np.uint16 if dtype.itemsize == 2 else np.uint8).view(dtype)
    return _shaped(tensor, values.astype(dtype, copy=False), shape)


def _field_dtype(field: str) -> str:
    return {"float_data": "float32", "double_data": "float64"}.get(
        field, field.removesuffix("_data")
    )


def _unpack(data: npt.NDArray[np.uint8], bits: int, count: int) -> npt.NDArray[np.uint8]:
    """Return the first `count` elements of a stream of bits, the lowest first, a byte for each."""
    import numpy as np

    if bits == 6:
        groups = np.zeros((-(-count // 4), 3), dtype=np.uint8)
        groups.reshape(-1)[: data.size] = data
        first, second, third = groups[:, 0], groups[:, 1], groups[:, 2]
        elements = np.empty((len(groups), 4), dtype=np.uint8)
        elements[:, 0] = first & 0x3F
        elements[:, 1] = first >> 6 | (second & 0x0F) << 2
        elements[:, 2] = second >> 4 | (third & 0x03) << 4
        elements[:, 3] = third >> 2
        return elements.reshape(-1)[:count]
    in_byte = 8 // bits
    elements = np.empty((data.size, in_byte), dtype=np.uint8)
    for i in range(in_byte):
        np.bitwise_and(data >> (i * bits), (1 << bits) - 1, out=elements[:, i])
    return elements.reshape(-1)[:count]


def _pack(elements: npt.NDArray[np.uint8], bits: int) -> npt.NDArray[np.uint8]:
    """Do what `_unpack` undoes; bits that are left over are 0."""
    import numpy as np

    size = -(-elements.size * bits // 8)
    in_group = 4 if bits == 6 else 8 // bits
    groups = np.zeros((-(-elements.size // in_group), in_group), dtype=np.uint8)
    groups.reshape(-1)[: elements.size] = elements & ((1 << bits) - 1)
    if bits == 6:
        triples = np.empty((len(groups), 3), dtype=np.uint8)
        triples[:, 0] = groups[:, 0] | groups[:, 1] << 6
        triples[:, 1] = groups[:, 1] >> 2 | groups[:, 2] << 4
        triples[:, 2] = groups[:, 2] >> 4 | groups[:, 3] << 2
        return triples.reshape(-1)[:size]
    data = np.zeros(len(groups), dtype=np.uint8)
    for i in range(in_group):
        data |= groups[:, i] << (i * bits)
    return data


def from_array(array: npt.NDArray[Any], /, name: str | None = None) -> TensorProto:
    """Return a tensor with the values of an array, which are copied.

    Parameters
    ----------
    array
        An array of any shape, layout and byte order. Strings may be str or bytes.
    name
        The tensor's name.

    Returns
    -------
    TensorProto
        With the values in its raw data (strings: in ``string_data``). It owns them.

    Raises
    ------
    DTypeError
        If ONNX has no such element type, or an object is neither str nor bytes.
    """
    import numpy as np

    array = np.asanyarray(array)
    tensor = TensorProto(dims=array.shape, data_type=np_dtype_to_tensor_dtype(array.dtype))
    if name:
        tensor.name = name
    if tensor.data_type == TensorProto.STRING:
        for text in array.reshape(-1).tolist():
            if not isinstance(text, (str, bytes)):
                raise DTypeError(
                    f"expected an array of str or bytes, found {type(text).__name__} in it"
                )
            tensor.string_data.append(text.encode() if isinstance(text, str) else text)
        return tensor
    bits = _PACKED_BITS.get(tensor.data_type)
    if bits is not None:
        array = _pack(np.ascontiguousarray(array).reshape(-1).view(np.uint8), bits)
    tensor.raw_data = array.astype(array.dtype.newbyteorder("<"), copy=False).tobytes()
    return tensor


def to_list(sequence: SequenceProto) -> list[Any]:
    """Return a sequence as a list of arrays, lists or dicts, each as `to_array` and so on do it."""
    kinds = SequenceProto.DataType
    if sequence.elem_type == kinds.TENSOR:
        return [to_array(tensor) for tensor in sequence.tensor_values]
    if sequence.elem_type == kinds.SEQUENCE:
        return [to_list(inner) for inner in sequence.sequence_values]
    if sequence.elem_type == kinds.MAP:
        return [to_dict(mapping) for mapping in sequence.map_values]
    if sequence.elem_type == kinds.OPTIONAL:
        return [to_optional(optional) for optional in sequence.optional_values]
    raise DTypeError(f"sequences of {_kind_name(sequence)} cannot be made lists")


def _kind_name(message: SequenceProto | OptionalProto) -> str:
    number = message.elem_type
    names = {value: name for name, value in type(message).DataType.items()}
    return names.get(number, str(number))


def from_list(lst: list[Any], name: str | None = None, dtype: int | None = None) -> SequenceProto:
    """Return a sequence with the elements of a list, which are copied.

    Parameters
    ----------
    lst
        Arrays, lists or dicts, all of one type.
    name
        The sequence's name.
    dtype
        The kind of the elements, a value of ``SequenceProto.DataType``; by the first of them, or
        TENSOR, where it is not given.

    Raises
    ------
    TypeError
        If the elements are not all of one type, or are none of those above.
    """
    import numpy as np

    if any(type(element) is not type(lst[0]) for element in lst):
        raise TypeError("the elements of the list are of different types")
    kinds = SequenceProto.DataType
    if dtype is None:
        first = lst[0] if lst else None
        dtype = (
            kinds.MAP
            if isinstance(first, dict)
            else kinds.SEQUENCE
            if isinstance(first, list)
            else kinds.TENSOR
        )
    sequence = SequenceProto(elem_type=dtype)
    if name:
        sequence.name = name
    if dtype == kinds.TENSOR:
        sequence.tensor_values.extend(from_array(np.asarray(element)) for element in lst)
    elif dtype == kinds.SEQUENCE:
        sequence.sequence_values.extend(from_list(element) for element in lst)
    elif dtype == kinds.MAP:
        sequence.map_values.extend(from_dict(element) for element in lst)
    else:
        raise DTypeError(f"lists cannot be made sequences of {_kind_name(sequence)}")
    return sequence


def to_dict(map_proto: MapProto) -> dict[Any, Any]:
    """Return a map as a dict; its keys are int or bytes, its values as `to_list` gives them."""
    is_text = map_proto.key_type == TensorProto.STRING
    keys = list(map_proto.string_keys) if is_text else list(map_proto.keys)
    values = to_list(map_proto.values)
    if len(keys) != len(values):
        raise IndexError(
            f"the map {map_proto.name!r} has {len(keys)} keys and {len(values)} values"
        )
    return dict(zip(keys, values, strict=True))


def _kind_of(element: Any) -> tuple[type, Any]:
    return type(element), getattr(element, "dtype", None)


def from_dict(dict_: dict[Any, Any], name: str | None = None) -> MapProto:
    """Return a map with the items of a dict, which are copied.

    Parameters
    ----------
    dict_
        Not empty. Keys are integers, str or bytes, values what `from_list` takes; each all of one
        type.
    name
        The map's name.

    Raises
    ------
    ValueError
        If the dict is empty.
    TypeError
        If keys or values are of different types, or of one that maps cannot have.
    """
    import numpy as np

    if not dict_:
        raise ValueError("a map cannot be made from an empty dict, which has no key type")
    keys = list(dict_)
    values = list(dict_.values())
    for what, elements in (("keys", keys), ("values", values)):
        if len({_kind_of(element) for element in elements}) != 1:
            raise TypeError(f"the {what} of the dict are of different types")
    key_dtype = np.asarray(keys[0]).dtype
    if key_dtype.kind not in "iuUS":
        raise TypeError(f"the keys of a map are integers, str or bytes, not {key_dtype}")
    map_proto = MapProto(key_type=np_dtype_to_tensor_dtype(key_dtype))
    if name:
        map_proto.name = name
    if key_dtype.kind in "iu":
        map_proto.keys.extend(keys)
    else:
        map_proto.string_keys.extend(key.encode() if isinstance(key, str) else key for key in keys)
    map_proto.values.CopyFrom(from_list(values))
    return map_proto


def to_optional(optional: OptionalProto) -> Any | None:
    """Return what an optional holds, as `to_array` and so on give it, or None."""
    kinds = OptionalProto.DataType
    if optional.elem_type == kinds.UNDEFINED:
        return None
    if optional.elem_type == kinds.TENSOR:
        return to_array(optional.tensor_value)
    if optional.elem_type == kinds.SEQUENCE:
        return to_list(optional.sequence_value)
    if optional.elem_type == kinds.MAP:
        return to_dict(optional.map_value)
    if optional.elem_type == kinds.OPTIONAL:
        return to_optional(optional.optional_value)
    raise DTypeError(f"an optional {_kind_name(optional)} cannot be made a Python object")


def from_optional(
    opt: Any | None, name: str | None = None, dtype: int | None = None
) -> OptionalProto:
    """Return an optional that holds a copy of an array, list or dict, or nothing.

    Parameters
    ----------
    opt
        An array, a list, a dict, or None.
    name
        The optional's name.
    dtype
        What kind it is, a value of ``OptionalProto.DataType``; by the object where it is not given.
    """
    import numpy as np

    kinds = OptionalProto.DataType
    if dtype is None:
        dtype = (
            kinds.UNDEFINED
            if opt is None
            else kinds.MAP
            if isinstance(opt, dict)
            else kinds.SEQUENCE
            if isinstance(opt, list)
            else kinds.TENSOR
        )
    elif dtype not in kinds.values():
        raise TypeError(f"{dtype} is not a value of OptionalProto.DataType")
    optional = OptionalProto(elem_type=dtype)
    if name:
        optional.name = name
    if opt is None:
        return optional
    if dtype == kinds.TENSOR:
        optional.tensor_value.CopyFrom(from_array(np.asarray(opt)))
    elif dtype == kinds.SEQUENCE:
        optional.sequence_value.CopyFrom(from_list(opt))
    elif dtype == kinds.MAP:
        optional.map_value.CopyFrom(from_dict(opt))
    else:
        raise DTypeError(f"an object cannot be made an optional {_kind_name(optional)}")
    return optional
