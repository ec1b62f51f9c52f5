"""Nodes as JSON: what save_json of TVM writes, up to version 0.18, and load_json reads.

A text has a table of nodes, which refer to each other by their numbers. Node 0 is
None. Tensors are in base64 beside the table. Fields of attributes have classes that
only the operator tells.
"""

from __future__ import annotations

import base64
import json
import struct
from typing import Any, Callable, Iterable

import numpy as np

from . import adt, sizes, ty
from .._arguments import expect_finite, expect_text
from ._core import core
from .attrs import Attrs, DictAttrs, make_node
from .expr import NDArray, extend, ndarray, numpy_dtype
from .module import IRModule
from .op import _registry
from .op._attrs_classes import ATTRS_CLASSES

_MAGIC = 0xDD5E40F096B4A13F
_VERSION = "0.18.0"
_CPU = 1

#===------------------------------------------------------------------------===#
# Fields
#===------------------------------------------------------------------------===#

# Of each class the fields that are nodes, and those that are plain numbers.
_FIELDS: dict[str, tuple[str, str]] = {
    "relay.Constant": ("", "data"),
    "relay.Tuple": ("fields", ""),
    "relay.Id": ("name_hint", ""),
    "relay.Var": ("vid type_annotation", ""),
    "GlobalVar": ("name_hint", ""),
    "relay.Call": ("op args attrs type_args", ""),
    "relay.Let": ("var value body", ""),
    "relay.If": ("cond true_branch false_branch", ""),
    "relay.TupleGetItem": ("tuple_value", "index"),
    "relay.RefCreate": ("value", ""),
    "relay.RefRead": ("ref", ""),
    "relay.RefWrite": ("ref value", ""),
    "relay.Function": ("params body ret_type type_params attrs", ""),
    "relay.Match": ("data clauses", "complete"),
    "relay.Clause": ("lhs rhs", ""),
    "relay.PatternWildcard": ("", ""),
    "relay.PatternVar": ("var", ""),
    "relay.PatternConstructor": ("constructor patterns", ""),
    "relay.PatternTuple": ("patterns", ""),
    "relay.Constructor": ("name_hint inputs belong_to", "tag"),
    "relay.TypeData": ("header type_vars constructors", ""),
    "TypeVar": ("name_hint", "kind"),
    "GlobalTypeVar": ("name_hint", "kind"),
    "IncompleteType": ("", "kind"),
    "TupleType": ("fields", ""),
    "FuncType": ("arg_types ret_type type_params type_constraints", ""),
    "TypeCall": ("func args", ""),
    "relay.RefType": ("value", ""),
    "relay.TensorType": ("shape", "dtype"),
    "IRModule": ("functions type_definitions attrs global_infos", ""),
    "DictAttrs": ("__dict__", ""),
    "IntImm": ("", "dtype value"),
    "FloatImm": ("", "dtype value"),
    "runtime.BoxInt": ("", "value"),
    "runtime.BoxFloat": ("", "value"),
    "runtime.BoxBool": ("", "value"),
    "tir.Any": ("", ""),
    "tir.Var": ("name", "dtype"),
    "tir.SizeVar": ("name", "dtype"),
}

# Classes under the names of all versions.
_RENAMED = {
    "relay.TypeVar": "TypeVar", "relay.GlobalTypeVar": "GlobalTypeVar",
    "relay.IncompleteType": "IncompleteType", "relay.TupleType": "TupleType",
    "relay.FuncType": "FuncType", "relay.TypeCall": "TypeCall",
    "relay.GlobalVar": "GlobalVar", "relay.Module": "IRModule", "TypeData": "relay.TypeData",
    "relay.Op": "Op", "StrMap": "Map", "Variable": "tir.Var", "SizeVar": "tir.SizeVar",
    "relay.Any": "tir.Any", "Any": "tir.Any", "Constructor": "relay.Constructor",
    "RelayRefType": "relay.RefType", "TensorType": "relay.TensorType",
}

# Numbers among the attributes that are nodes, of which operators; of all, if none are
# listed. Other numbers are plain.
_NUMBER_NODES = {
    "channels": "", "units": "", "ofm_channels": "", "ifm_channels": "", "ifm2_channels": "",
    "num_samples": "", "repeats": "", "lhs_end": "", "rhs_end": "", "index_rank": "",
    "k": "topk", "batch_dims": "", "stride": "vision.yolo_reorg", "batch_axis": "",
    "seq_axis": "", "axis": "gather repeat reverse stack take",
}


def _is_number_node(op_name: str, field: str) -> bool:
    operators = _NUMBER_NODES.get(field)
    return operators is not None and (not operators or op_name in operators.split())


#===------------------------------------------------------------------------===#
# Tensors
#===------------------------------------------------------------------------===#

_CODES = {0: "int", 1: "uint", 2: "float", 4: "bfloat", 6: "bool"}


def _write_array(array: np.ndarray[Any, Any]) -> str:
    array = np.asarray(array, order="C")
    name = array.dtype.name
    code, bits = (1, 1) if name == "bool" else (
        next(c for c, kind in _CODES.items() if name.rstrip("0123456789") == kind),
        array.dtype.itemsize * 8)
    header = struct.pack("<QQiiiBBH", _MAGIC, 0, _CPU, 0, array.ndim, code, bits, 1)
    header += struct.pack(f"<{array.ndim}qq", *array.shape, array.nbytes)
    return base64.b64encode(header + array.tobytes()).decode()


def _read_array(text: str) -> NDArray:
    data = base64.b64decode(text, validate=True)
    magic, _, _, _, rank, code, bits, lanes = struct.unpack_from("<QQiiiBBH", data)
    if magic != _MAGIC or lanes != 1 or code not in _CODES or not 0 <= rank <= 64:
        raise ValueError("expects a tensor of TVM in base64")
    start = struct.calcsize("<QQiiiBBH")
    *shape, size = struct.unpack_from(f"<{rank}qq", data, start)
    name = "bool" if bits == 1 or code == 6 else f"{_CODES[code]}{bits}"
    body = data[start + 8 * (rank + 1):]
    if len(body) != size:
        raise ValueError(f"expects {size} bytes of a tensor, but got {len(body)}")
    return ndarray(np.frombuffer(body, numpy_dtype(name)).reshape(shape).copy())


#===------------------------------------------------------------------------===#
# Writing
#===------------------------------------------------------------------------===#


class _Id:
    """The identity of a variable, which is a node of its own."""

    def __init__(self, name_hint: str) -> None:
        self.name_hint = name_hint
        self.var: Any = None


class _Written:
    """Attributes of a call, with its operator."""

    def __init__(self, op_name: str, attrs: Attrs) -> None:
        self.op_name = op_name
        self.attrs = attrs


_KEYS: list[tuple[Any, str]] = [
    (core.Tuple, "relay.Tuple"), (_Id, "relay.Id"), (core.Var, "relay.Var"),
    (core.GlobalVar, "GlobalVar"), (core.Call, "relay.Call"), (core.Let, "relay.Let"),
    (core.If, "relay.If"), (core.TupleGetItem, "relay.TupleGetItem"),
    (core.RefCreate, "relay.RefCreate"), (core.RefRead, "relay.RefRead"),
    (core.RefWrite, "relay.RefWrite"), (core.Function, "relay.Function"),
    (core.Match, "relay.Match"), (adt.Clause, "relay.Clause"),
    (adt.PatternWildcard, "relay.PatternWildcard"), (adt.PatternVar, "relay.PatternVar"),
    (adt.PatternConstructor, "relay.PatternConstructor"),
    (adt.PatternTuple, "relay.PatternTuple"), (core.Constructor, "relay.Constructor"),
    (adt.TypeData, "relay.TypeData"), (ty.TypeVar, "TypeVar"),
    (ty.GlobalTypeVar, "GlobalTypeVar"), (ty.IncompleteType, "IncompleteType"),
    (ty.TupleType, "TupleType"), (ty.FuncType, "FuncType"), (ty.TypeCall, "TypeCall"),
    (ty.RefType, "relay.RefType"), (ty.TensorType, "relay.TensorType"), (ty.Any, "tir.Any"),
    (sizes.SizeVar, "tir.SizeVar"), (sizes.Var, "tir.Var"), (IRModule, "IRModule"),
]


class _Writer:
    """Numbers nodes as they are met, and fills the table."""

    def __init__(self) -> None:
        self.nodes: list[dict[str, Any]] = [{"type_key": ""}]
        self.arrays: list[str] = []
        self._numbers: dict[Any, int] = {}
        self._kept: list[Any] = []
        self._ids: dict[Any, _Id] = {}
        self._work: list[tuple[int, Any]] = []

    def write(self, value: Any) -> str:
        root = self._number(value)
        while self._work:
            number, node = self._work.pop()
            self._fill(self.nodes[number], node)
        return json.dumps({
            "root": root, "nodes": self.nodes, "b64ndarrays": self.arrays,
            "attrs": {"tvm_version": _VERSION}}, indent=2)

    def _number(self, value: Any) -> int:
        """The number of a value, which is new unless it is a node that was met."""
        if value is None:
            return 0
        shared = isinstance(value, (core.Expr, ty.Type, _Id, sizes.Var, adt.TypeData))
        key: Any = (type(value).__name__, id(value))
        if isinstance(value, (core.Expr, ty.TensorType, ty.TupleType, ty.FuncType)):
            key = value
        elif isinstance(value, (ty.TypeVar, ty.GlobalTypeVar)):
            key = (type(value).__name__, value.name_hint, value.kind)
        if shared and key in self._numbers:
            return self._numbers[key]
        number = len(self.nodes)
        self.nodes.append({})
        if shared:
            self._numbers[key] = number
            self._kept.append(value)
        self._work.append((number, value))
        return number

    def _fill(self, node: dict[str, Any], value: Any) -> None:
        if isinstance(value, (bool, int, float, np.generic)):
            self._fill_number(node, value)
        elif isinstance(value, str):
            node.update(type_key="runtime.String")
            if value:
                node.update(repr_str=value)
        elif isinstance(value, (list, tuple)):
            node.update(type_key="Array")
            if value:
                node.update(data=[self._number(element) for element in value])
        elif isinstance(value, dict):
            self._fill_dict(node, value)
        elif isinstance(value, core.Constant):
            node.update(type_key="relay.Constant", attrs={
                "data": str(len(self.arrays)), "span": "0", "virtual_device_": "0",
                "_checked_type_": str(self._number(value._checked_type))})
            self.arrays.append(_write_array(value._data))
        elif isinstance(value, core.Op):
            node.update(type_key="Op", repr_str=value.name)
        elif isinstance(value, _Written):
            self._fill_attrs(node, value)
        elif isinstance(value, DictAttrs):
            node.update(type_key="DictAttrs",
                        attrs={"__dict__": str(self._number(dict(value.items())))})
        elif isinstance(value, Attrs):
            self._fill_attrs(node, _Written("", value))
        else:
            self._fill_object(node, value)

    @staticmethod
    def _fill_number(node: dict[str, Any], value: Any) -> None:
        if isinstance(value, (bool, np.bool_)):
            node.update(type_key="runtime.BoxBool", attrs={"value": str(int(value))})
        elif isinstance(value, (float, np.floating)):
            node.update(type_key="FloatImm", attrs={
                "dtype": "float64", "span": "0", "value": repr(float(value))})
        else:
            dtype = getattr(value, "dtype", "int32" if abs(value) < 2**31 else "int64")
            node.update(type_key="IntImm", attrs={
                "dtype": str(dtype), "span": "0", "value": str(int(value))})

    def _fill_dict(self, node: dict[str, Any], value: dict[Any, Any]) -> None:
        node.update(type_key="Map")
        if value and all(isinstance(key, str) for key in value):
            node.update(keys=list(value), data=[self._number(v) for v in value.values()])
        elif value:
            node.update(data=[self._number(part) for item in value.items() for part in item])

    def _fill_attrs(self, node: dict[str, Any], written: _Written) -> None:
        attrs, op_name = written.attrs, written.op_name
        schema = _registry.SCHEMAS.get(op_name)
        kinds = {a.name: a.kind for a in schema.attributes} if schema is not None else {}
        fields = {}
        for name, value in attrs.items():
            kind = kinds.get(name, "other")
            is_plain = kind in ("bool", "float", "string", "dtype") or (
                kind == "int" and not _is_number_node(op_name, name))
            if value is None:
                fields[name] = "" if kind in ("string", "dtype") else "0"
            elif is_plain and not isinstance(value, (list, tuple, dict)):
                fields[name] = str(int(value)) if isinstance(value, bool) else str(value)
            else:
                fields[name] = str(self._number(value))
        key = attrs.type_key or ATTRS_CLASSES.get(op_name)
        if key is None:
            raise ValueError(f"expects an operator whose class of attributes is known, but got "
                             f"{op_name!r}; make_node gives them one")
        node.update(type_key=key)
        if fields:
            node.update(attrs=fields)

    def _fill_object(self, node: dict[str, Any], value: Any) -> None:
        key = next((key for cls, key in _KEYS if isinstance(value, cls)), None)
        if key is None:
            raise TypeError(f"expects a node of Relay, but got {value!r}")
        nodes, plain = _FIELDS[key]
        fields = {}
        for name in nodes.split():
            fields[name] = str(self._number(self._field(value, name)))
        for name in plain.split():
            number = getattr(value, name)
            fields[name] = str(int(number)) if isinstance(number, bool) else str(number)
        if isinstance(value, core.Expr):
            fields.update(_checked_type_=str(self._number(value._checked_type)),
                          virtual_device_="0")
        if not isinstance(value, (_Id, IRModule)):
            fields["span"] = "0"
        node.update(type_key=key, attrs=fields)

    def _field(self, value: Any, name: str) -> Any:
        if name == "vid":
            if value not in self._ids:
                self._ids[value] = _Id(value.name_hint)
            return self._ids[value]
        if name == "type_constraints":
            return list(getattr(value, name, ()))
        field = getattr(value, name)
        if isinstance(value, IRModule):
            return DictAttrs(field) if name == "attrs" else dict(field)
        if name == "attrs" and isinstance(value, core.Call):
            name = value.op.name if isinstance(value.op, core.Op) else ""
            return _Written(name, field) if field else None
        return field


def save_json(node: Any) -> str:
    """An expression, a type, a pattern, a module, attributes, or containers of such, as
    JSON. Sharing and types that were inferred are kept, places are not. Raises
    ValueError for lists and dicts that hold themselves."""
    expect_finite(node, "node")
    return _Writer().write(node)


#===------------------------------------------------------------------------===#
# Reading
#===------------------------------------------------------------------------===#


# The classes of types that expressions have.
_TYPES = ("relay.TensorType", "TupleType", "FuncType", "relay.RefType", "TypeCall", "TypeVar",
          "GlobalTypeVar")


class _RawAttrs:
    """Attributes before it is known whose they are."""

    def __init__(self, type_key: str, fields: dict[str, str]) -> None:
        self.type_key = type_key
        self.fields = fields


class _Reader:

    def __init__(self, document: Any) -> None:
        if not isinstance(document, dict) or not isinstance(document.get("nodes"), list):
            raise ValueError("expects JSON with a table of nodes")
        self._nodes = document["nodes"]
        self._arrays = document.get("b64ndarrays") or []
        self._root = document.get("root")
        self._values: dict[int, Any] = {}

    def read(self) -> Any:
        value = self._value(self._index(self._root))
        return self._attrs(value, "") if isinstance(value, _RawAttrs) else value

    def _index(self, number: Any) -> int:
        try:
            index = int(number)
        except (TypeError, ValueError):
            index = -1
        if not 0 <= index < len(self._nodes) or not isinstance(self._nodes[index], dict):
            raise ValueError(f"expects the number of a node, but got {number!r}")
        return index

    @staticmethod
    def _key(node: dict[str, Any]) -> str:
        key = str(node.get("type_key", ""))
        return _RENAMED.get(key, key)

    def _is(self, number: Any, *keys: str) -> bool:
        text = str(number)
        return text.isdigit() and int(text) < len(self._nodes) and \
            self._key(self._nodes[int(text)]) in keys

    def _children(self, index: int) -> list[int]:
        """The nodes that must be there before a node."""
        node = self._nodes[index]
        key = self._key(node)
        attrs = node.get("attrs") or {}
        if key in ("Array", "Map"):
            return [self._index(number) for number in node.get("data") or ()]
        if key not in _FIELDS:
            # A field of attributes that is no node may look like one; values of nodes
            # do no harm.
            return [int(number) for number in attrs.values() if self._is(
                number, "Array", "IntImm", "FloatImm", "runtime.String", "Map",
                "runtime.BoxInt", "runtime.BoxBool", "runtime.BoxFloat") and
                int(number) != index] if key else []
        children = []
        for name in _FIELDS[key][0].split():
            number = attrs.get(name, "0")
            if name in ("name_hint", "name") and not self._is(number, "runtime.String"):
                continue  # Versions before 0.7.
            children.append(self._index(number))
        if self._is(attrs.get("_checked_type_"), *_TYPES):
            children.append(int(attrs["_checked_type_"]))
        if key == "TypeVar" or key == "GlobalTypeVar":
            children += [int(v) for k, v in attrs.items() if k == "var" and self._is(v, "tir.Var")]
        return children

    def _value(self, root: int) -> Any:
        """The value of a node, with a stack, as programs are deep."""
        stack = [root]
        active: set[int] = set()
        while stack:
            index = stack[-1]
            missing = [] if index in self._values else [
                child for child in self._children(index) if child not in self._values]
            if not missing:
                stack.pop()
                active.discard(index)
                if index not in self._values:
                    self._values[index] = self._build(index)
                continue
            active.add(index)
            if any(child in active for child in missing):
                raise ValueError("expects nodes without cycles")
            stack.extend(missing)
        return self._values[root]

    def _build(self, index: int) -> Any:
        node = self._nodes[index]
        key = self._key(node)
        attrs: dict[str, Any] = node.get("attrs") or {}
        data = [self.attrs_of(None, self._values[self._index(number)])
                for number in node.get("data") or ()]
        if not key:
            return None
        if key == "Array":
            return data
        if key == "Map":
            keys = node.get("keys")
            pairs: Iterable[Any] = zip(keys, data) if keys else zip(data[::2], data[1::2])
            return dict(pairs)
        if key == "runtime.String":
            if "repr_b64" in node:
                return base64.b64decode(node["repr_b64"]).decode("utf-8", "replace")
            return str(node.get("repr_str", ""))
        if key == "Op":
            return _registry.get(str(node.get("repr_str") or node.get("global_key")))
        if key == "runtime.NDArray":
            return _read_array(node["repr_b64"])
        if key not in _FIELDS:
            if key.startswith(("relay.attrs.", "attrs.")):
                return _RawAttrs(key, {name: str(text) for name, text in attrs.items()})
            raise ValueError(f"expects a class of nodes of Relay, but got {key!r}")
        fields: dict[str, Any] = {}
        for name in _FIELDS[key][0].split():
            number = attrs.get(name, "0")
            is_text = name in ("name_hint", "name") and not self._is(number, "runtime.String")
            fields[name] = str(number) if is_text else self._values[self._index(number)]
        fields.update({name: attrs.get(name, "0") for name in _FIELDS[key][1].split()})
        if "var" in attrs and key in ("TypeVar", "GlobalTypeVar"):
            fields["name_hint"] = self._values[self._index(attrs["var"])].name
        if key == "relay.Constant":
            number = int(fields["data"])
            if not 0 <= number < len(self._arrays):
                raise ValueError(f"expects the number of a tensor, but got {number}")
            value = core.Constant(_read_array(self._arrays[number]).numpy())
        else:
            value = _BUILD[key](self, fields)
        if self._is(attrs.get("_checked_type_"), *_TYPES) and isinstance(value, core.Expr):
            value._checked_type = self._values[int(attrs["_checked_type_"])]
        return value

    def attrs_of(self, op: Any, value: Any) -> Any:
        """The attributes of a call."""
        if isinstance(value, _RawAttrs):
            return self._attrs(value, op.name if isinstance(op, core.Op) else "")
        return value

    def _attrs(self, raw: _RawAttrs, op_name: str) -> Attrs:
        schema = _registry.SCHEMAS.get(op_name)
        kinds = {a.name: a.kind for a in schema.attributes} if schema is not None else {}
        values = {}
        for name, text in raw.fields.items():
            if name == "span" or (schema is not None and name not in kinds):
                continue
            values[name] = self._attribute(op_name, name, kinds.get(name, "other"), text)
        if schema is not None:
            return Attrs(values)
        return make_node(raw.type_key, **values)

    def _attribute(self, op_name: str, name: str, kind: str, text: str) -> Any:
        if kind == "bool" and text in ("0", "1"):
            return text == "1"
        if kind == "float" and not self._is(text, "FloatImm"):
            return float(text)
        if kind == "int" and not _is_number_node(op_name, name):
            return int(text)
        if kind in ("string", "dtype"):
            if self._is(text, "runtime.String"):
                return self._values[int(text)]
            return None if kind == "dtype" and text in ("", "void", "handle") else text
        if text.isdigit() and int(text) < len(self._nodes):
            index = int(text)
            if index == 0:
                return None
            if index in self._values:
                return self._values[index]
        for convert in (int, float):
            try:
                return convert(text)
            except ValueError:
                pass
        return text


def _build_var(reader: _Reader, fields: dict[str, Any]) -> Any:
    vid = fields["vid"]
    # A variable is known by its identity, which may be in the table twice.
    if vid.var is None:
        vid.var = core.Var(vid.name_hint, fields["type_annotation"])
    return vid.var


def _build_module(reader: _Reader, fields: dict[str, Any]) -> IRModule:
    attrs = fields["attrs"]
    mod = IRModule(attrs=dict(attrs.items()) if attrs is not None else None)
    mod.type_definitions.update({data.header: data
                                 for data in (fields["type_definitions"] or {}).values()})
    mod.functions.update(fields["functions"] or {})
    for name, infos in (fields["global_infos"] or {}).items():
        mod.update_global_info(name, infos)
    return mod


def _build_func_type(reader: _Reader, fields: dict[str, Any]) -> ty.FuncType:
    parts = [fields["arg_types"], fields["ret_type"], fields["type_params"]]
    if fields["type_constraints"]:
        parts.append(fields["type_constraints"])
    make: Callable[..., ty.FuncType] = ty.FuncType
    return make(*parts)


_BUILD: dict[str, Callable[[_Reader, dict[str, Any]], Any]] = {
    "relay.Tuple": lambda r, f: core.Tuple(f["fields"]),
    "relay.Id": lambda r, f: _Id(f["name_hint"]),
    "relay.Var": _build_var,
    "GlobalVar": lambda r, f: core.GlobalVar(f["name_hint"]),
    "relay.Call": lambda r, f: core.Call(f["op"], f["args"], r.attrs_of(f["op"], f["attrs"]),
                                         f["type_args"]),
    "relay.Let": lambda r, f: core.Let(f["var"], f["value"], f["body"]),
    "relay.If": lambda r, f: core.If(f["cond"], f["true_branch"], f["false_branch"]),
    "relay.TupleGetItem": lambda r, f: core.TupleGetItem(f["tuple_value"], int(f["index"])),
    "relay.RefCreate": lambda r, f: core.RefCreate(f["value"]),
    "relay.RefRead": lambda r, f: core.RefRead(f["ref"]),
    "relay.RefWrite": lambda r, f: core.RefWrite(f["ref"], f["value"]),
    "relay.Function": lambda r, f: core.Function(
        f["params"] or [], f["body"] if f["body"] is not None else core.Tuple([]),
        f["ret_type"], f["type_params"], f["attrs"]),
    "relay.Match": lambda r, f: core.Match(f["data"], f["clauses"], f["complete"] != "0"),
    "relay.Clause": lambda r, f: core.Clause(f["lhs"], f["rhs"]),
    "relay.PatternWildcard": lambda r, f: core.PatternWildcard(),
    "relay.PatternVar": lambda r, f: core.PatternVar(f["var"]),
    "relay.PatternConstructor": lambda r, f: core.PatternConstructor(
        f["constructor"], f["patterns"]),
    "relay.PatternTuple": lambda r, f: core.PatternTuple(f["patterns"]),
    "relay.Constructor": lambda r, f: core.Constructor(
        f["name_hint"], f["inputs"], f["belong_to"]),
    "relay.TypeData": lambda r, f: core.TypeData(
        f["header"], f["type_vars"], f["constructors"]),
    "TypeVar": lambda r, f: ty.TypeVar(f["name_hint"], int(f["kind"])),
    "GlobalTypeVar": lambda r, f: ty.GlobalTypeVar(f["name_hint"], int(f["kind"])),
    "IncompleteType": lambda r, f: ty.IncompleteType(int(f["kind"])),
    "TupleType": lambda r, f: ty.TupleType(f["fields"]),
    "FuncType": _build_func_type,
    "TypeCall": lambda r, f: ty.TypeCall(f["func"], f["args"]),
    "relay.RefType": lambda r, f: ty.RefType(f["value"]),
    "relay.TensorType": lambda r, f: ty.TensorType(f["shape"], f["dtype"]),
    "IRModule": _build_module,
    "DictAttrs": lambda r, f: DictAttrs(f["__dict__"] or {}),
    "IntImm": lambda r, f: int(f["value"]),
    "FloatImm": lambda r, f: float(f["value"]),
    "runtime.BoxInt": lambda r, f: int(f["value"]),
    "runtime.BoxFloat": lambda r, f: float(f["value"]),
    "runtime.BoxBool": lambda r, f: f["value"] not in ("0", "false", False),
    "tir.Any": lambda r, f: ty.Any(),
    "tir.Var": lambda r, f: sizes.Var(f["name"], f["dtype"]),
    "tir.SizeVar": lambda r, f: sizes.SizeVar(f["name"], f["dtype"]),
}


def load_json(json_str: str) -> Any:
    """What a text of save_json stands for. Raises ValueError for a text that is
    malformed, or has nodes of classes that are not Relay's."""
    expect_text(json_str, "json_str")
    try:
        return _Reader(json.loads(json_str)).read()
    except (struct.error, KeyError, AttributeError, TypeError, RecursionError,
            json.JSONDecodeError) as error:
        raise ValueError(f"expects JSON of nodes of Relay: {error}") from error


#===------------------------------------------------------------------------===#
# Copies
#===------------------------------------------------------------------------===#


def _reduce(self: Any) -> tuple[Any, ...]:
    """How pickle makes a node again: with variables of its own."""
    return load_json, (save_json(self),)


def _deepcopy(self: Any, memo: dict[int, Any]) -> Any:
    del memo
    return load_json(save_json(self))


# A node does not change, so a shallow copy is the node itself.
for _cls in (core.Expr, ty.Type, ty.Any, adt.Pattern, adt.Clause, adt.TypeData):
    extend(_cls, __reduce__=_reduce, __deepcopy__=_deepcopy, __copy__=lambda self: self)
extend(IRModule, __reduce__=_reduce, __deepcopy__=_deepcopy)

__all__ = ["load_json", "save_json"]
