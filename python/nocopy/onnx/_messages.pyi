# Written by src/onnx/generate.py from messages.schema; change that instead.
from collections.abc import Callable, Iterable, Iterator
from typing import Any, ClassVar, Generic, SupportsIndex, TypeVar, overload

from typing_extensions import Buffer, Self

from nocopy._core import TensorBuffer
from nocopy.onnx._descriptors import Descriptor, FieldDescriptor
from nocopy.onnx._enums import EnumTypeWrapper
from nocopy.onnx._options import ParseOptions, SerializeOptions

_T = TypeVar("_T")

class Message:
    DESCRIPTOR: ClassVar[Descriptor]
    def HasField(self, name: str, /) -> bool: ...
    def WhichOneof(self, name: str, /) -> str | None: ...
    def ClearField(self, name: str, /) -> None: ...
    def Clear(self) -> None: ...
    def SetInParent(self) -> None: ...
    def CopyFrom(self, other: Self, /) -> None: ...
    def MergeFrom(self, other: Self, /) -> None: ...
    def DiscardUnknownFields(self) -> None: ...
    def ParseFromString(self, bytes: Buffer, /, options: ParseOptions | None = None) -> int: ...
    def MergeFromString(self, bytes: Buffer, /, options: ParseOptions | None = None) -> int: ...
    @classmethod
    def FromString(cls, bytes: Buffer, /, options: ParseOptions | None = None) -> Self: ...
    def SerializeToString(
        self, deterministic: bool | None = None, options: SerializeOptions | None = None
    ) -> bytes: ...
    def SerializePartialToString(
        self, deterministic: bool | None = None, options: SerializeOptions | None = None
    ) -> bytes: ...
    def ByteSize(self) -> int: ...
    def IsInitialized(self, errors: list[str] | None = None, /) -> bool: ...
    def FindInitializationErrors(self) -> list[str]: ...
    def ListFields(self) -> list[tuple[FieldDescriptor, Any]]: ...
    def __copy__(self) -> Self: ...
    def __deepcopy__(self, memo: Any, /) -> Self: ...
    def __eq__(self, other: object, /) -> bool: ...

class _Repeated(Generic[_T]):
    def __len__(self) -> int: ...
    def __iter__(self) -> Iterator[_T]: ...
    @overload
    def __getitem__(self, index: SupportsIndex, /) -> _T: ...
    @overload
    def __getitem__(self, index: slice, /) -> list[_T]: ...
    def __delitem__(self, index: SupportsIndex | slice, /) -> None: ...
    def __eq__(self, other: object, /) -> bool: ...
    def append(self, value: _T, /) -> None: ...
    def extend(self, values: Iterable[_T], /) -> None: ...
    def insert(self, index: SupportsIndex, value: _T, /) -> None: ...
    def pop(self, index: SupportsIndex = -1, /) -> _T: ...
    def remove(self, value: _T, /) -> None: ...
    def clear(self) -> None: ...
    def reverse(self) -> None: ...
    def sort(self, *, key: Callable[[_T], Any] | None = None, reverse: bool = False) -> None: ...
    def __deepcopy__(self, memo: Any, /) -> Self: ...

class RepeatedScalarContainer(_Repeated[_T]):
    def MergeFrom(self, other: Self | list[_T], /) -> None: ...
    @overload
    def __setitem__(self, index: SupportsIndex, value: _T, /) -> None: ...
    @overload
    def __setitem__(self, index: slice, value: Iterable[_T], /) -> None: ...

class RepeatedCompositeContainer(_Repeated[_T]):
    def MergeFrom(self, other: Self | list[_T], /) -> None: ...
    def add(self, **fields: Any) -> _T: ...

Version: EnumTypeWrapper
_START_VERSION: int
IR_VERSION_2017_10_10: int
IR_VERSION_2017_10_30: int
IR_VERSION_2017_11_3: int
IR_VERSION_2019_1_22: int
IR_VERSION_2019_3_18: int
IR_VERSION_2019_9_19: int
IR_VERSION_2020_5_8: int
IR_VERSION_2021_7_30: int
IR_VERSION_2023_5_5: int
IR_VERSION_2024_3_25: int
IR_VERSION_2025_05_12: int
IR_VERSION_2025_08_26: int
IR_VERSION_2025_11_06: int
IR_VERSION: int
OperatorStatus: EnumTypeWrapper
EXPERIMENTAL: int
STABLE: int

class AttributeProto(Message):
    DESCRIPTOR: ClassVar[Descriptor]
    AttributeType: ClassVar[EnumTypeWrapper]
    UNDEFINED: ClassVar[int]
    FLOAT: ClassVar[int]
    INT: ClassVar[int]
    STRING: ClassVar[int]
    TENSOR: ClassVar[int]
    GRAPH: ClassVar[int]
    SPARSE_TENSOR: ClassVar[int]
    TYPE_PROTO: ClassVar[int]
    FLOATS: ClassVar[int]
    INTS: ClassVar[int]
    STRINGS: ClassVar[int]
    TENSORS: ClassVar[int]
    GRAPHS: ClassVar[int]
    SPARSE_TENSORS: ClassVar[int]
    TYPE_PROTOS: ClassVar[int]
    NAME_FIELD_NUMBER: ClassVar[int]
    REF_ATTR_NAME_FIELD_NUMBER: ClassVar[int]
    DOC_STRING_FIELD_NUMBER: ClassVar[int]
    TYPE_FIELD_NUMBER: ClassVar[int]
    F_FIELD_NUMBER: ClassVar[int]
    I_FIELD_NUMBER: ClassVar[int]
    S_FIELD_NUMBER: ClassVar[int]
    T_FIELD_NUMBER: ClassVar[int]
    G_FIELD_NUMBER: ClassVar[int]
    SPARSE_TENSOR_FIELD_NUMBER: ClassVar[int]
    TP_FIELD_NUMBER: ClassVar[int]
    FLOATS_FIELD_NUMBER: ClassVar[int]
    INTS_FIELD_NUMBER: ClassVar[int]
    STRINGS_FIELD_NUMBER: ClassVar[int]
    TENSORS_FIELD_NUMBER: ClassVar[int]
    GRAPHS_FIELD_NUMBER: ClassVar[int]
    SPARSE_TENSORS_FIELD_NUMBER: ClassVar[int]
    TYPE_PROTOS_FIELD_NUMBER: ClassVar[int]
    name: str
    ref_attr_name: str
    doc_string: str
    type: int
    f: float
    i: int
    s: bytes
    @property
    def t(self) -> TensorProto: ...
    @property
    def g(self) -> GraphProto: ...
    @property
    def sparse_tensor(self) -> SparseTensorProto: ...
    @property
    def tp(self) -> TypeProto: ...
    @property
    def floats(self) -> RepeatedScalarContainer[float]: ...
    @property
    def ints(self) -> RepeatedScalarContainer[int]: ...
    @property
    def strings(self) -> RepeatedScalarContainer[bytes]: ...
    @property
    def tensors(self) -> RepeatedCompositeContainer[TensorProto]: ...
    @property
    def graphs(self) -> RepeatedCompositeContainer[GraphProto]: ...
    @property
    def sparse_tensors(self) -> RepeatedCompositeContainer[SparseTensorProto]: ...
    @property
    def type_protos(self) -> RepeatedCompositeContainer[TypeProto]: ...
    def __init__(
        self,
        *,
        name: str | bytes | None = ...,
        ref_attr_name: str | bytes | None = ...,
        doc_string: str | bytes | None = ...,
        type: int | str | None = ...,
        f: float | None = ...,
        i: int | None = ...,
        s: bytes | None = ...,
        t: TensorProto | dict[str, Any] | None = ...,
        g: GraphProto | dict[str, Any] | None = ...,
        sparse_tensor: SparseTensorProto | dict[str, Any] | None = ...,
        tp: TypeProto | dict[str, Any] | None = ...,
        floats: Iterable[float] | None = ...,
        ints: Iterable[int] | None = ...,
        strings: Iterable[bytes] | None = ...,
        tensors: Iterable[TensorProto | dict[str, Any]] | None = ...,
        graphs: Iterable[GraphProto | dict[str, Any]] | None = ...,
        sparse_tensors: Iterable[SparseTensorProto | dict[str, Any]] | None = ...,
        type_protos: Iterable[TypeProto | dict[str, Any]] | None = ...,
    ) -> None: ...

class ValueInfoProto(Message):
    DESCRIPTOR: ClassVar[Descriptor]
    NAME_FIELD_NUMBER: ClassVar[int]
    TYPE_FIELD_NUMBER: ClassVar[int]
    DOC_STRING_FIELD_NUMBER: ClassVar[int]
    METADATA_PROPS_FIELD_NUMBER: ClassVar[int]
    name: str
    @property
    def type(self) -> TypeProto: ...
    doc_string: str
    @property
    def metadata_props(self) -> RepeatedCompositeContainer[StringStringEntryProto]: ...
    def __init__(
        self,
        *,
        name: str | bytes | None = ...,
        type: TypeProto | dict[str, Any] | None = ...,
        doc_string: str | bytes | None = ...,
        metadata_props: Iterable[StringStringEntryProto | dict[str, Any]] | None = ...,
    ) -> None: ...

class NodeProto(Message):
    DESCRIPTOR: ClassVar[Descriptor]
    INPUT_FIELD_NUMBER: ClassVar[int]
    OUTPUT_FIELD_NUMBER: ClassVar[int]
    NAME_FIELD_NUMBER: ClassVar[int]
    OP_TYPE_FIELD_NUMBER: ClassVar[int]
    DOMAIN_FIELD_NUMBER: ClassVar[int]
    OVERLOAD_FIELD_NUMBER: ClassVar[int]
    ATTRIBUTE_FIELD_NUMBER: ClassVar[int]
    DOC_STRING_FIELD_NUMBER: ClassVar[int]
    METADATA_PROPS_FIELD_NUMBER: ClassVar[int]
    DEVICE_CONFIGURATIONS_FIELD_NUMBER: ClassVar[int]
    @property
    def input(self) -> RepeatedScalarContainer[str]: ...
    @property
    def output(self) -> RepeatedScalarContainer[str]: ...
    name: str
    op_type: str
    domain: str
    overload: str
    @property
    def attribute(self) -> RepeatedCompositeContainer[AttributeProto]: ...
    doc_string: str
    @property
    def metadata_props(self) -> RepeatedCompositeContainer[StringStringEntryProto]: ...
    @property
    def device_configurations(self) -> RepeatedCompositeContainer[NodeDeviceConfigurationProto]: ...
    def __init__(
        self,
        *,
        input: Iterable[str | bytes] | None = ...,
        output: Iterable[str | bytes] | None = ...,
        name: str | bytes | None = ...,
        op_type: str | bytes | None = ...,
        domain: str | bytes | None = ...,
        overload: str | bytes | None = ...,
        attribute: Iterable[AttributeProto | dict[str, Any]] | None = ...,
        doc_string: str | bytes | None = ...,
        metadata_props: Iterable[StringStringEntryProto | dict[str, Any]] | None = ...,
        device_configurations: Iterable[NodeDeviceConfigurationProto | dict[str, Any]] | None = ...,
    ) -> None: ...

class IntIntListEntryProto(Message):
    DESCRIPTOR: ClassVar[Descriptor]
    KEY_FIELD_NUMBER: ClassVar[int]
    VALUE_FIELD_NUMBER: ClassVar[int]
    key: int
    @property
    def value(self) -> RepeatedScalarContainer[int]: ...
    def __init__(
        self,
        *,
        key: int | None = ...,
        value: Iterable[int] | None = ...,
    ) -> None: ...

class NodeDeviceConfigurationProto(Message):
    DESCRIPTOR: ClassVar[Descriptor]
    CONFIGURATION_ID_FIELD_NUMBER: ClassVar[int]
    SHARDING_SPEC_FIELD_NUMBER: ClassVar[int]
    PIPELINE_STAGE_FIELD_NUMBER: ClassVar[int]
    configuration_id: str
    @property
    def sharding_spec(self) -> RepeatedCompositeContainer[ShardingSpecProto]: ...
    pipeline_stage: int
    def __init__(
        self,
        *,
        configuration_id: str | bytes | None = ...,
        sharding_spec: Iterable[ShardingSpecProto | dict[str, Any]] | None = ...,
        pipeline_stage: int | None = ...,
    ) -> None: ...

class ShardingSpecProto(Message):
    DESCRIPTOR: ClassVar[Descriptor]
    TENSOR_NAME_FIELD_NUMBER: ClassVar[int]
    DEVICE_FIELD_NUMBER: ClassVar[int]
    INDEX_TO_DEVICE_GROUP_MAP_FIELD_NUMBER: ClassVar[int]
    SHARDED_DIM_FIELD_NUMBER: ClassVar[int]
    tensor_name: str
    @property
    def device(self) -> RepeatedScalarContainer[int]: ...
    @property
    def index_to_device_group_map(self) -> RepeatedCompositeContainer[IntIntListEntryProto]: ...
    @property
    def sharded_dim(self) -> RepeatedCompositeContainer[ShardedDimProto]: ...
    def __init__(
        self,
        *,
        tensor_name: str | bytes | None = ...,
        device: Iterable[int] | None = ...,
        index_to_device_group_map: Iterable[IntIntListEntryProto | dict[str, Any]] | None = ...,
        sharded_dim: Iterable[ShardedDimProto | dict[str, Any]] | None = ...,
    ) -> None: ...

class ShardedDimProto(Message):
    DESCRIPTOR: ClassVar[Descriptor]
    AXIS_FIELD_NUMBER: ClassVar[int]
    SIMPLE_SHARDING_FIELD_NUMBER: ClassVar[int]
    axis: int
    @property
    def simple_sharding(self) -> RepeatedCompositeContainer[SimpleShardedDimProto]: ...
    def __init__(
        self,
        *,
        axis: int | None = ...,
        simple_sharding: Iterable[SimpleShardedDimProto | dict[str, Any]] | None = ...,
    ) -> None: ...

class SimpleShardedDimProto(Message):
    DESCRIPTOR: ClassVar[Descriptor]
    DIM_VALUE_FIELD_NUMBER: ClassVar[int]
    DIM_PARAM_FIELD_NUMBER: ClassVar[int]
    NUM_SHARDS_FIELD_NUMBER: ClassVar[int]
    dim_value: int
    dim_param: str
    num_shards: int
    def __init__(
        self,
        *,
        dim_value: int | None = ...,
        dim_param: str | bytes | None = ...,
        num_shards: int | None = ...,
    ) -> None: ...

class TrainingInfoProto(Message):
    DESCRIPTOR: ClassVar[Descriptor]
    INITIALIZATION_FIELD_NUMBER: ClassVar[int]
    ALGORITHM_FIELD_NUMBER: ClassVar[int]
    INITIALIZATION_BINDING_FIELD_NUMBER: ClassVar[int]
    UPDATE_BINDING_FIELD_NUMBER: ClassVar[int]
    @property
    def initialization(self) -> GraphProto: ...
    @property
    def algorithm(self) -> GraphProto: ...
    @property
    def initialization_binding(self) -> RepeatedCompositeContainer[StringStringEntryProto]: ...
    @property
    def update_binding(self) -> RepeatedCompositeContainer[StringStringEntryProto]: ...
    def __init__(
        self,
        *,
        initialization: GraphProto | dict[str, Any] | None = ...,
        algorithm: GraphProto | dict[str, Any] | None = ...,
        initialization_binding: Iterable[StringStringEntryProto | dict[str, Any]] | None = ...,
        update_binding: Iterable[StringStringEntryProto | dict[str, Any]] | None = ...,
    ) -> None: ...

class ModelProto(Message):
    DESCRIPTOR: ClassVar[Descriptor]
    IR_VERSION_FIELD_NUMBER: ClassVar[int]
    OPSET_IMPORT_FIELD_NUMBER: ClassVar[int]
    PRODUCER_NAME_FIELD_NUMBER: ClassVar[int]
    PRODUCER_VERSION_FIELD_NUMBER: ClassVar[int]
    DOMAIN_FIELD_NUMBER: ClassVar[int]
    MODEL_VERSION_FIELD_NUMBER: ClassVar[int]
    DOC_STRING_FIELD_NUMBER: ClassVar[int]
    GRAPH_FIELD_NUMBER: ClassVar[int]
    METADATA_PROPS_FIELD_NUMBER: ClassVar[int]
    TRAINING_INFO_FIELD_NUMBER: ClassVar[int]
    FUNCTIONS_FIELD_NUMBER: ClassVar[int]
    CONFIGURATION_FIELD_NUMBER: ClassVar[int]
    ir_version: int
    @property
    def opset_import(self) -> RepeatedCompositeContainer[OperatorSetIdProto]: ...
    producer_name: str
    producer_version: str
    domain: str
    model_version: int
    doc_string: str
    @property
    def graph(self) -> GraphProto: ...
    @property
    def metadata_props(self) -> RepeatedCompositeContainer[StringStringEntryProto]: ...
    @property
    def training_info(self) -> RepeatedCompositeContainer[TrainingInfoProto]: ...
    @property
    def functions(self) -> RepeatedCompositeContainer[FunctionProto]: ...
    @property
    def configuration(self) -> RepeatedCompositeContainer[DeviceConfigurationProto]: ...
    def __init__(
        self,
        *,
        ir_version: int | None = ...,
        opset_import: Iterable[OperatorSetIdProto | dict[str, Any]] | None = ...,
        producer_name: str | bytes | None = ...,
        producer_version: str | bytes | None = ...,
        domain: str | bytes | None = ...,
        model_version: int | None = ...,
        doc_string: str | bytes | None = ...,
        graph: GraphProto | dict[str, Any] | None = ...,
        metadata_props: Iterable[StringStringEntryProto | dict[str, Any]] | None = ...,
        training_info: Iterable[TrainingInfoProto | dict[str, Any]] | None = ...,
        functions: Iterable[FunctionProto | dict[str, Any]] | None = ...,
        configuration: Iterable[DeviceConfigurationProto | dict[str, Any]] | None = ...,
    ) -> None: ...

class DeviceConfigurationProto(Message):
    DESCRIPTOR: ClassVar[Descriptor]
    NAME_FIELD_NUMBER: ClassVar[int]
    NUM_DEVICES_FIELD_NUMBER: ClassVar[int]
    DEVICE_FIELD_NUMBER: ClassVar[int]
    name: str
    num_devices: int
    @property
    def device(self) -> RepeatedScalarContainer[str]: ...
    def __init__(
        self,
        *,
        name: str | bytes | None = ...,
        num_devices: int | None = ...,
        device: Iterable[str | bytes] | None = ...,
    ) -> None: ...

class StringStringEntryProto(Message):
    DESCRIPTOR: ClassVar[Descriptor]
    KEY_FIELD_NUMBER: ClassVar[int]
    VALUE_FIELD_NUMBER: ClassVar[int]
    key: str
    value: str
    def __init__(
        self,
        *,
        key: str | bytes | None = ...,
        value: str | bytes | None = ...,
    ) -> None: ...

class TensorAnnotation(Message):
    DESCRIPTOR: ClassVar[Descriptor]
    TENSOR_NAME_FIELD_NUMBER: ClassVar[int]
    QUANT_PARAMETER_TENSOR_NAMES_FIELD_NUMBER: ClassVar[int]
    tensor_name: str
    @property
    def quant_parameter_tensor_names(
        self,
    ) -> RepeatedCompositeContainer[StringStringEntryProto]: ...
    def __init__(
        self,
        *,
        tensor_name: str | bytes | None = ...,
        quant_parameter_tensor_names: Iterable[StringStringEntryProto | dict[str, Any]]
        | None = ...,
    ) -> None: ...

class GraphProto(Message):
    DESCRIPTOR: ClassVar[Descriptor]
    NODE_FIELD_NUMBER: ClassVar[int]
    NAME_FIELD_NUMBER: ClassVar[int]
    INITIALIZER_FIELD_NUMBER: ClassVar[int]
    SPARSE_INITIALIZER_FIELD_NUMBER: ClassVar[int]
    DOC_STRING_FIELD_NUMBER: ClassVar[int]
    INPUT_FIELD_NUMBER: ClassVar[int]
    OUTPUT_FIELD_NUMBER: ClassVar[int]
    VALUE_INFO_FIELD_NUMBER: ClassVar[int]
    QUANTIZATION_ANNOTATION_FIELD_NUMBER: ClassVar[int]
    METADATA_PROPS_FIELD_NUMBER: ClassVar[int]
    @property
    def node(self) -> RepeatedCompositeContainer[NodeProto]: ...
    name: str
    @property
    def initializer(self) -> RepeatedCompositeContainer[TensorProto]: ...
    @property
    def sparse_initializer(self) -> RepeatedCompositeContainer[SparseTensorProto]: ...
    doc_string: str
    @property
    def input(self) -> RepeatedCompositeContainer[ValueInfoProto]: ...
    @property
    def output(self) -> RepeatedCompositeContainer[ValueInfoProto]: ...
    @property
    def value_info(self) -> RepeatedCompositeContainer[ValueInfoProto]: ...
    @property
    def quantization_annotation(self) -> RepeatedCompositeContainer[TensorAnnotation]: ...
    @property
    def metadata_props(self) -> RepeatedCompositeContainer[StringStringEntryProto]: ...
    def __init__(
        self,
        *,
        node: Iterable[NodeProto | dict[str, Any]] | None = ...,
        name: str | bytes | None = ...,
        initializer: Iterable[TensorProto | dict[str, Any]] | None = ...,
        sparse_initializer: Iterable[SparseTensorProto | dict[str, Any]] | None = ...,
        doc_string: str | bytes | None = ...,
        input: Iterable[ValueInfoProto | dict[str, Any]] | None = ...,
        output: Iterable[ValueInfoProto | dict[str, Any]] | None = ...,
        value_info: Iterable[ValueInfoProto | dict[str, Any]] | None = ...,
        quantization_annotation: Iterable[TensorAnnotation | dict[str, Any]] | None = ...,
        metadata_props: Iterable[StringStringEntryProto | dict[str, Any]] | None = ...,
    ) -> None: ...

class TensorProto(Message):
    DESCRIPTOR: ClassVar[Descriptor]
    DataType: ClassVar[EnumTypeWrapper]
    UNDEFINED: ClassVar[int]
    FLOAT: ClassVar[int]
    UINT8: ClassVar[int]
    INT8: ClassVar[int]
    UINT16: ClassVar[int]
    INT16: ClassVar[int]
    INT32: ClassVar[int]
    INT64: ClassVar[int]
    STRING: ClassVar[int]
    BOOL: ClassVar[int]
    FLOAT16: ClassVar[int]
    DOUBLE: ClassVar[int]
    UINT32: ClassVar[int]
    UINT64: ClassVar[int]
    COMPLEX64: ClassVar[int]
    COMPLEX128: ClassVar[int]
    BFLOAT16: ClassVar[int]
    FLOAT8E4M3FN: ClassVar[int]
    FLOAT8E4M3FNUZ: ClassVar[int]
    FLOAT8E5M2: ClassVar[int]
    FLOAT8E5M2FNUZ: ClassVar[int]
    UINT4: ClassVar[int]
    INT4: ClassVar[int]
    FLOAT4E2M1: ClassVar[int]
    FLOAT8E8M0: ClassVar[int]
    UINT2: ClassVar[int]
    INT2: ClassVar[int]
    FLOAT6E2M3: ClassVar[int]
    FLOAT6E3M2: ClassVar[int]
    DataLocation: ClassVar[EnumTypeWrapper]
    DEFAULT: ClassVar[int]
    EXTERNAL: ClassVar[int]
    class Segment(Message):
        DESCRIPTOR: ClassVar[Descriptor]
        BEGIN_FIELD_NUMBER: ClassVar[int]
        END_FIELD_NUMBER: ClassVar[int]
        begin: int
        end: int
        def __init__(
            self,
            *,
            begin: int | None = ...,
            end: int | None = ...,
        ) -> None: ...

    DIMS_FIELD_NUMBER: ClassVar[int]
    DATA_TYPE_FIELD_NUMBER: ClassVar[int]
    SEGMENT_FIELD_NUMBER: ClassVar[int]
    FLOAT_DATA_FIELD_NUMBER: ClassVar[int]
    INT32_DATA_FIELD_NUMBER: ClassVar[int]
    STRING_DATA_FIELD_NUMBER: ClassVar[int]
    INT64_DATA_FIELD_NUMBER: ClassVar[int]
    NAME_FIELD_NUMBER: ClassVar[int]
    DOC_STRING_FIELD_NUMBER: ClassVar[int]
    RAW_DATA_FIELD_NUMBER: ClassVar[int]
    EXTERNAL_DATA_FIELD_NUMBER: ClassVar[int]
    DATA_LOCATION_FIELD_NUMBER: ClassVar[int]
    DOUBLE_DATA_FIELD_NUMBER: ClassVar[int]
    UINT64_DATA_FIELD_NUMBER: ClassVar[int]
    METADATA_PROPS_FIELD_NUMBER: ClassVar[int]
    @property
    def dims(self) -> RepeatedScalarContainer[int]: ...
    data_type: int
    @property
    def segment(self) -> TensorProto.Segment: ...
    @property
    def float_data(self) -> RepeatedScalarContainer[float]: ...
    @property
    def int32_data(self) -> RepeatedScalarContainer[int]: ...
    @property
    def string_data(self) -> RepeatedScalarContainer[bytes]: ...
    @property
    def int64_data(self) -> RepeatedScalarContainer[int]: ...
    name: str
    doc_string: str
    raw_data: bytes
    @property
    def external_data(self) -> RepeatedCompositeContainer[StringStringEntryProto]: ...
    data_location: int
    @property
    def double_data(self) -> RepeatedScalarContainer[float]: ...
    @property
    def uint64_data(self) -> RepeatedScalarContainer[int]: ...
    @property
    def metadata_props(self) -> RepeatedCompositeContainer[StringStringEntryProto]: ...
    def __init__(
        self,
        *,
        dims: Iterable[int] | None = ...,
        data_type: int | None = ...,
        segment: TensorProto.Segment | dict[str, Any] | None = ...,
        float_data: Iterable[float] | None = ...,
        int32_data: Iterable[int] | None = ...,
        string_data: Iterable[bytes] | None = ...,
        int64_data: Iterable[int] | None = ...,
        name: str | bytes | None = ...,
        doc_string: str | bytes | None = ...,
        raw_data: bytes | None = ...,
        external_data: Iterable[StringStringEntryProto | dict[str, Any]] | None = ...,
        data_location: int | str | None = ...,
        double_data: Iterable[float] | None = ...,
        uint64_data: Iterable[int] | None = ...,
        metadata_props: Iterable[StringStringEntryProto | dict[str, Any]] | None = ...,
    ) -> None: ...
    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any: ...
    @property
    def is_aligned(self) -> bool: ...
    def view(self) -> TensorBuffer: ...
    def set_raw_data_with_deleter(
        self, buffer: Any, deleter: Callable[[], object] | None = None
    ) -> None: ...
    def attach_raw_data_deleter(self, deleter: Callable[[], object] | None, /) -> None: ...
    def __dlpack__(
        self,
        *,
        stream: Any = None,
        max_version: tuple[int, int] | None = None,
        dl_device: tuple[int, int] | None = None,
        copy: bool | None = None,
    ) -> Any: ...
    def __dlpack_device__(self) -> tuple[int, int]: ...

class SparseTensorProto(Message):
    DESCRIPTOR: ClassVar[Descriptor]
    VALUES_FIELD_NUMBER: ClassVar[int]
    INDICES_FIELD_NUMBER: ClassVar[int]
    DIMS_FIELD_NUMBER: ClassVar[int]
    @property
    def values(self) -> TensorProto: ...
    @property
    def indices(self) -> TensorProto: ...
    @property
    def dims(self) -> RepeatedScalarContainer[int]: ...
    def __init__(
        self,
        *,
        values: TensorProto | dict[str, Any] | None = ...,
        indices: TensorProto | dict[str, Any] | None = ...,
        dims: Iterable[int] | None = ...,
    ) -> None: ...

class TensorShapeProto(Message):
    DESCRIPTOR: ClassVar[Descriptor]
    class Dimension(Message):
        DESCRIPTOR: ClassVar[Descriptor]
        DIM_VALUE_FIELD_NUMBER: ClassVar[int]
        DIM_PARAM_FIELD_NUMBER: ClassVar[int]
        DENOTATION_FIELD_NUMBER: ClassVar[int]
        dim_value: int
        dim_param: str
        denotation: str
        def __init__(
            self,
            *,
            dim_value: int | None = ...,
            dim_param: str | bytes | None = ...,
            denotation: str | bytes | None = ...,
        ) -> None: ...

    DIM_FIELD_NUMBER: ClassVar[int]
    @property
    def dim(self) -> RepeatedCompositeContainer[TensorShapeProto.Dimension]: ...
    def __init__(
        self,
        *,
        dim: Iterable[TensorShapeProto.Dimension | dict[str, Any]] | None = ...,
    ) -> None: ...

class TypeProto(Message):
    DESCRIPTOR: ClassVar[Descriptor]
    class Tensor(Message):
        DESCRIPTOR: ClassVar[Descriptor]
        ELEM_TYPE_FIELD_NUMBER: ClassVar[int]
        SHAPE_FIELD_NUMBER: ClassVar[int]
        elem_type: int
        @property
        def shape(self) -> TensorShapeProto: ...
        def __init__(
            self,
            *,
            elem_type: int | None = ...,
            shape: TensorShapeProto | dict[str, Any] | None = ...,
        ) -> None: ...

    class Sequence(Message):
        DESCRIPTOR: ClassVar[Descriptor]
        ELEM_TYPE_FIELD_NUMBER: ClassVar[int]
        @property
        def elem_type(self) -> TypeProto: ...
        def __init__(
            self,
            *,
            elem_type: TypeProto | dict[str, Any] | None = ...,
        ) -> None: ...

    class Map(Message):
        DESCRIPTOR: ClassVar[Descriptor]
        KEY_TYPE_FIELD_NUMBER: ClassVar[int]
        VALUE_TYPE_FIELD_NUMBER: ClassVar[int]
        key_type: int
        @property
        def value_type(self) -> TypeProto: ...
        def __init__(
            self,
            *,
            key_type: int | None = ...,
            value_type: TypeProto | dict[str, Any] | None = ...,
        ) -> None: ...

    class Optional(Message):
        DESCRIPTOR: ClassVar[Descriptor]
        ELEM_TYPE_FIELD_NUMBER: ClassVar[int]
        @property
        def elem_type(self) -> TypeProto: ...
        def __init__(
            self,
            *,
            elem_type: TypeProto | dict[str, Any] | None = ...,
        ) -> None: ...

    class SparseTensor(Message):
        DESCRIPTOR: ClassVar[Descriptor]
        ELEM_TYPE_FIELD_NUMBER: ClassVar[int]
        SHAPE_FIELD_NUMBER: ClassVar[int]
        elem_type: int
        @property
        def shape(self) -> TensorShapeProto: ...
        def __init__(
            self,
            *,
            elem_type: int | None = ...,
            shape: TensorShapeProto | dict[str, Any] | None = ...,
        ) -> None: ...

    class Opaque(Message):
        DESCRIPTOR: ClassVar[Descriptor]
        DOMAIN_FIELD_NUMBER: ClassVar[int]
        NAME_FIELD_NUMBER: ClassVar[int]
        domain: str
        name: str
        def __init__(
            self,
            *,
            domain: str | bytes | None = ...,
            name: str | bytes | None = ...,
        ) -> None: ...

    TENSOR_TYPE_FIELD_NUMBER: ClassVar[int]
    SEQUENCE_TYPE_FIELD_NUMBER: ClassVar[int]
    MAP_TYPE_FIELD_NUMBER: ClassVar[int]
    OPTIONAL_TYPE_FIELD_NUMBER: ClassVar[int]
    SPARSE_TENSOR_TYPE_FIELD_NUMBER: ClassVar[int]
    OPAQUE_TYPE_FIELD_NUMBER: ClassVar[int]
    DENOTATION_FIELD_NUMBER: ClassVar[int]
    @property
    def tensor_type(self) -> TypeProto.Tensor: ...
    @property
    def sequence_type(self) -> TypeProto.Sequence: ...
    @property
    def map_type(self) -> TypeProto.Map: ...
    @property
    def optional_type(self) -> TypeProto.Optional: ...
    @property
    def sparse_tensor_type(self) -> TypeProto.SparseTensor: ...
    @property
    def opaque_type(self) -> TypeProto.Opaque: ...
    denotation: str
    def __init__(
        self,
        *,
        tensor_type: TypeProto.Tensor | dict[str, Any] | None = ...,
        sequence_type: TypeProto.Sequence | dict[str, Any] | None = ...,
        map_type: TypeProto.Map | dict[str, Any] | None = ...,
        optional_type: TypeProto.Optional | dict[str, Any] | None = ...,
        sparse_tensor_type: TypeProto.SparseTensor | dict[str, Any] | None = ...,
        opaque_type: TypeProto.Opaque | dict[str, Any] | None = ...,
        denotation: str | bytes | None = ...,
    ) -> None: ...

class OperatorSetIdProto(Message):
    DESCRIPTOR: ClassVar[Descriptor]
    DOMAIN_FIELD_NUMBER: ClassVar[int]
    VERSION_FIELD_NUMBER: ClassVar[int]
    domain: str
    version: int
    def __init__(
        self,
        *,
        domain: str | bytes | None = ...,
        version: int | None = ...,
    ) -> None: ...

class FunctionProto(Message):
    DESCRIPTOR: ClassVar[Descriptor]
    NAME_FIELD_NUMBER: ClassVar[int]
    INPUT_FIELD_NUMBER: ClassVar[int]
    OUTPUT_FIELD_NUMBER: ClassVar[int]
    ATTRIBUTE_FIELD_NUMBER: ClassVar[int]
    ATTRIBUTE_PROTO_FIELD_NUMBER: ClassVar[int]
    NODE_FIELD_NUMBER: ClassVar[int]
    DOC_STRING_FIELD_NUMBER: ClassVar[int]
    OPSET_IMPORT_FIELD_NUMBER: ClassVar[int]
    DOMAIN_FIELD_NUMBER: ClassVar[int]
    OVERLOAD_FIELD_NUMBER: ClassVar[int]
    VALUE_INFO_FIELD_NUMBER: ClassVar[int]
    METADATA_PROPS_FIELD_NUMBER: ClassVar[int]
    name: str
    @property
    def input(self) -> RepeatedScalarContainer[str]: ...
    @property
    def output(self) -> RepeatedScalarContainer[str]: ...
    @property
    def attribute(self) -> RepeatedScalarContainer[str]: ...
    @property
    def attribute_proto(self) -> RepeatedCompositeContainer[AttributeProto]: ...
    @property
    def node(self) -> RepeatedCompositeContainer[NodeProto]: ...
    doc_string: str
    @property
    def opset_import(self) -> RepeatedCompositeContainer[OperatorSetIdProto]: ...
    domain: str
    overload: str
    @property
    def value_info(self) -> RepeatedCompositeContainer[ValueInfoProto]: ...
    @property
    def metadata_props(self) -> RepeatedCompositeContainer[StringStringEntryProto]: ...
    def __init__(
        self,
        *,
        name: str | bytes | None = ...,
        input: Iterable[str | bytes] | None = ...,
        output: Iterable[str | bytes] | None = ...,
        attribute: Iterable[str | bytes] | None = ...,
        attribute_proto: Iterable[AttributeProto | dict[str, Any]] | None = ...,
        node: Iterable[NodeProto | dict[str, Any]] | None = ...,
        doc_string: str | bytes | None = ...,
        opset_import: Iterable[OperatorSetIdProto | dict[str, Any]] | None = ...,
        domain: str | bytes | None = ...,
        overload: str | bytes | None = ...,
        value_info: Iterable[ValueInfoProto | dict[str, Any]] | None = ...,
        metadata_props: Iterable[StringStringEntryProto | dict[str, Any]] | None = ...,
    ) -> None: ...

class SequenceProto(Message):
    DESCRIPTOR: ClassVar[Descriptor]
    DataType: ClassVar[EnumTypeWrapper]
    UNDEFINED: ClassVar[int]
    TENSOR: ClassVar[int]
    SPARSE_TENSOR: ClassVar[int]
    SEQUENCE: ClassVar[int]
    MAP: ClassVar[int]
    OPTIONAL: ClassVar[int]
    NAME_FIELD_NUMBER: ClassVar[int]
    ELEM_TYPE_FIELD_NUMBER: ClassVar[int]
    TENSOR_VALUES_FIELD_NUMBER: ClassVar[int]
    SPARSE_TENSOR_VALUES_FIELD_NUMBER: ClassVar[int]
    SEQUENCE_VALUES_FIELD_NUMBER: ClassVar[int]
    MAP_VALUES_FIELD_NUMBER: ClassVar[int]
    OPTIONAL_VALUES_FIELD_NUMBER: ClassVar[int]
    name: str
    elem_type: int
    @property
    def tensor_values(self) -> RepeatedCompositeContainer[TensorProto]: ...
    @property
    def sparse_tensor_values(self) -> RepeatedCompositeContainer[SparseTensorProto]: ...
    @property
    def sequence_values(self) -> RepeatedCompositeContainer[SequenceProto]: ...
    @property
    def map_values(self) -> RepeatedCompositeContainer[MapProto]: ...
    @property
    def optional_values(self) -> RepeatedCompositeContainer[OptionalProto]: ...
    def __init__(
        self,
        *,
        name: str | bytes | None = ...,
        elem_type: int | None = ...,
        tensor_values: Iterable[TensorProto | dict[str, Any]] | None = ...,
        sparse_tensor_values: Iterable[SparseTensorProto | dict[str, Any]] | None = ...,
        sequence_values: Iterable[SequenceProto | dict[str, Any]] | None = ...,
        map_values: Iterable[MapProto | dict[str, Any]] | None = ...,
        optional_values: Iterable[OptionalProto | dict[str, Any]] | None = ...,
    ) -> None: ...

class MapProto(Message):
    DESCRIPTOR: ClassVar[Descriptor]
    NAME_FIELD_NUMBER: ClassVar[int]
    KEY_TYPE_FIELD_NUMBER: ClassVar[int]
    KEYS_FIELD_NUMBER: ClassVar[int]
    STRING_KEYS_FIELD_NUMBER: ClassVar[int]
    VALUES_FIELD_NUMBER: ClassVar[int]
    name: str
    key_type: int
    @property
    def keys(self) -> RepeatedScalarContainer[int]: ...
    @property
    def string_keys(self) -> RepeatedScalarContainer[bytes]: ...
    @property
    def values(self) -> SequenceProto: ...
    def __init__(
        self,
        *,
        name: str | bytes | None = ...,
        key_type: int | None = ...,
        keys: Iterable[int] | None = ...,
        string_keys: Iterable[bytes] | None = ...,
        values: SequenceProto | dict[str, Any] | None = ...,
    ) -> None: ...

class OptionalProto(Message):
    DESCRIPTOR: ClassVar[Descriptor]
    DataType: ClassVar[EnumTypeWrapper]
    UNDEFINED: ClassVar[int]
    TENSOR: ClassVar[int]
    SPARSE_TENSOR: ClassVar[int]
    SEQUENCE: ClassVar[int]
    MAP: ClassVar[int]
    OPTIONAL: ClassVar[int]
    NAME_FIELD_NUMBER: ClassVar[int]
    ELEM_TYPE_FIELD_NUMBER: ClassVar[int]
    TENSOR_VALUE_FIELD_NUMBER: ClassVar[int]
    SPARSE_TENSOR_VALUE_FIELD_NUMBER: ClassVar[int]
    SEQUENCE_VALUE_FIELD_NUMBER: ClassVar[int]
    MAP_VALUE_FIELD_NUMBER: ClassVar[int]
    OPTIONAL_VALUE_FIELD_NUMBER: ClassVar[int]
    name: str
    elem_type: int
    @property
    def tensor_value(self) -> TensorProto: ...
    @property
    def sparse_tensor_value(self) -> SparseTensorProto: ...
    @property
    def sequence_value(self) -> SequenceProto: ...
    @property
    def map_value(self) -> MapProto: ...
    @property
    def optional_value(self) -> OptionalProto: ...
    def __init__(
        self,
        *,
        name: str | bytes | None = ...,
        elem_type: int | None = ...,
        tensor_value: TensorProto | dict[str, Any] | None = ...,
        sparse_tensor_value: SparseTensorProto | dict[str, Any] | None = ...,
        sequence_value: SequenceProto | dict[str, Any] | None = ...,
        map_value: MapProto | dict[str, Any] | None = ...,
        optional_value: OptionalProto | dict[str, Any] | None = ...,
    ) -> None: ...
