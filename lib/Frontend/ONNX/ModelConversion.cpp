//===- ModelConversion.cpp - From protobuf to a model ---------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// With Reader.cpp and AttributeKinds.cpp the only place that sees protobuf.
// Copies a message into the structures of Model.h, and takes no field at its
// word: fields that contradict each other, values that their type does not
// hold, and names that are given twice are errors. Only the first error is
// kept, with the node or tensor at which it was found.
//
//===----------------------------------------------------------------------===//

#include "ModelConversion.h"
#include "AttributeKinds.h"
#include "SparseTensors.h"

#include "relay-mlir/Support/CText.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/JSON.h"

#include <limits>

using namespace mlir::relay::onnx;
using llvm::ArrayRef;
using llvm::StringRef;
using llvm::Twine;
namespace pb = google::protobuf;
using Kind = NodeAttribute::Kind;

namespace {

template <typename T>
std::vector<T> toVector(const pb::RepeatedField<T> &field) {
  return {field.begin(), field.end()};
}

std::vector<std::string>
toVector(const pb::RepeatedPtrField<std::string> &field) {
  return {field.begin(), field.end()};
}

std::string normalizeDomain(const std::string &domain) {
  return domain == "ai.onnx" ? std::string() : domain;
}

std::string quote(StringRef name) { return ("\"" + name + "\"").str(); }

//===----------------------------------------------------------------------===//
// Typed data
//===----------------------------------------------------------------------===//

/// Appends the values as raw_data would hold them. The first that `T` does not
/// hold, if there is one.
template <typename T, typename Field>
std::optional<typename Field::value_type> appendBytes(std::string &bytes,
                                                      const Field &field) {
  bytes.reserve(bytes.size() + field.size() * sizeof(T));
  for (auto value : field) {
    T converted = static_cast<T>(value);
    if constexpr (std::is_integral_v<T>)
      if (static_cast<typename Field::value_type>(converted) != value)
        return value;
    char encoded[sizeof(T)];
    llvm::support::endian::write<T>(encoded, converted,
                                    llvm::endianness::little);
    bytes.append(encoded, sizeof(T));
  }
  return std::nullopt;
}

/// The integers of int32_data, which all types of up to 32 bits share, the
/// floating ones as bit patterns.
std::optional<int32_t> appendNarrow(std::string &bytes,
                                    const pb::RepeatedField<int32_t> &field,
                                    DataType type) {
  switch (type) {
  case DataType::Int32:
    return appendBytes<int32_t>(bytes, field);
  case DataType::Int16:
    return appendBytes<int16_t>(bytes, field);
  case DataType::Int8:
    return appendBytes<int8_t>(bytes, field);
  case DataType::Bool:
    // A true of some writers is any number but 0.
    for (int32_t value : field)
      bytes.push_back(value != 0);
    return std::nullopt;
  default:
    // Types without a size are refused later.
    if (getElementSize(type) == 2)
      return appendBytes<uint16_t>(bytes, field);
    return appendBytes<uint8_t>(bytes, field);
  }
}

/// The field in which the numbers of a type are.
StringRef getTypedField(DataType type) {
  switch (type) {
  case DataType::Float:
    return "float_data";
  case DataType::Double:
    return "double_data";
  case DataType::Int64:
    return "int64_data";
  case DataType::UInt32:
  case DataType::UInt64:
    return "uint64_data";
  case DataType::String:
    return "string_data";
  default:
    return "int32_data";
  }
}

/// The fields of `proto` that hold data.
llvm::SmallVector<StringRef> getDataFields(const ::onnx::TensorProto &proto,
                                           bool hasRange) {
  llvm::SmallVector<StringRef> fields;
  auto add = [&](bool isGiven, StringRef name) {
    if (isGiven)
      fields.push_back(name);
  };
  add(hasRange || !proto.raw_data().empty(), "raw_data");
  add(proto.float_data_size(), "float_data");
  add(proto.double_data_size(), "double_data");
  add(proto.int32_data_size(), "int32_data");
  add(proto.int64_data_size(), "int64_data");
  add(proto.uint64_data_size(), "uint64_data");
  add(proto.string_data_size(), "string_data");
  return fields;
}

//===----------------------------------------------------------------------===//
// The converter
//===----------------------------------------------------------------------===//

class ModelConverter {
public:
  llvm::Expected<std::unique_ptr<Model>>
  convert(::onnx::ModelProto &proto,
          ArrayRef<std::optional<Tensor::FileRange>> ranges);

private:
  Tensor convertSparse(::onnx::SparseTensorProto &proto);
  Tensor convertTensor(::onnx::TensorProto &proto,
                       std::optional<Tensor::FileRange> range = {});
  std::string convertTypedData(const ::onnx::TensorProto &proto, DataType type);
  Tensor::External convertExternal(const ::onnx::TensorProto &proto);
  ValueInfo convertValueInfo(const ::onnx::ValueInfoProto &proto);
  ValueInfo convertType(const ::onnx::TypeProto &proto);
  NodeAttribute convertAttribute(::onnx::AttributeProto &proto);
  Kind getKind(const ::onnx::AttributeProto &proto);
  std::vector<NodeAttribute>
  convertAttributes(pb::RepeatedPtrField<::onnx::AttributeProto> &protos);
  Node convertNode(::onnx::NodeProto &proto);
  Graph convertGraph(::onnx::GraphProto &proto,
                     ArrayRef<std::optional<Tensor::FileRange>> ranges = {});
  OpsetMap
  convertOpsets(const pb::RepeatedPtrField<::onnx::OperatorSetIdProto> &protos);
  Function convertFunction(::onnx::FunctionProto &proto);

  /// Names that users and the run time see.
  void checkVisibleName(StringRef name, StringRef what);
  /// The names of the graph's inputs or outputs.
  void checkBoundary(ArrayRef<ValueInfo> infos, StringRef what);
  void checkDistinct(ArrayRef<std::string> names, const Twine &where);

  /// Keeps the first thing that is wrong.
  void fail(const Twine &message) {
    if (error.empty())
      error = message.str();
  }

  std::string error;
  /// What is being converted, for messages: `node "x" (Conv): `.
  std::string context;
};

} // namespace

//===----------------------------------------------------------------------===//
// Names
//===----------------------------------------------------------------------===//

void ModelConverter::checkVisibleName(StringRef name, StringRef what) {
  if (!mlir::relay::isCText(name))
    fail("expects the name of " + what +
         " to be UTF-8 text without zeros, but got \"" +
         llvm::json::fixUTF8(name.take_until([](char c) { return c == 0; })) +
         "\"");
}

void ModelConverter::checkBoundary(ArrayRef<ValueInfo> infos, StringRef what) {
  for (auto [index, info] : llvm::enumerate(infos)) {
    checkVisibleName(info.name, ("an " + what).str());
    if (info.name.empty())
      fail(what + " " + Twine(index) + " of the graph has no name");
  }
}

void ModelConverter::checkDistinct(ArrayRef<std::string> names,
                                   const Twine &where) {
  llvm::StringSet<> seen;
  for (const std::string &name : names)
    if (!name.empty() && !seen.insert(name).second)
      return fail(quote(name) + " is listed twice among " + where);
}

//===----------------------------------------------------------------------===//
// Tensors
//===----------------------------------------------------------------------===//

std::string ModelConverter::convertTypedData(const ::onnx::TensorProto &proto,
                                             DataType type) {
  std::string bytes;
  auto check = [&](auto misfit) {
    if (misfit)
      fail("tensor " + quote(proto.name()) + ": expects values of " +
           getDataTypeName(type) + ", but got " + Twine(*misfit));
  };
  switch (type) {
  case DataType::Float:
    appendBytes<float>(bytes, proto.float_data());
    break;
  case DataType::Double:
    appendBytes<double>(bytes, proto.double_data());
    break;
  case DataType::Int64:
    appendBytes<int64_t>(bytes, proto.int64_data());
    break;
  case DataType::UInt64:
    appendBytes<uint64_t>(bytes, proto.uint64_data());
    break;
  case DataType::UInt32:
    check(appendBytes<uint32_t>(bytes, proto.uint64_data()));
    break;
  default:
    check(appendNarrow(bytes, proto.int32_data(), type));
  }
  return bytes;
}

Tensor::External
ModelConverter::convertExternal(const ::onnx::TensorProto &proto) {
  auto failHere = [&](const Twine &message) {
    fail("tensor " + quote(proto.name()) + ": " + message);
  };
  Tensor::External external;
  llvm::StringSet<> seen;
  for (const auto &entry : proto.external_data()) {
    StringRef key = entry.key(), value = entry.value();
    if (!seen.insert(key).second)
      failHere("external data has two entries \"" + key + "\"");
    if (key == "location") {
      external.location = value.str();
      continue;
    }
    if (key != "offset" && key != "length")
      continue;
    uint64_t number;
    if (value.getAsInteger(10, number))
      failHere("expects external data \"" + key +
               "\" to be a decimal number of bytes, but got \"" +
               llvm::json::fixUTF8(value) + "\"");
    else if (key == "offset")
      external.offset = number;
    else
      external.length = number;
  }
  if (StringRef(external.location).contains('\0'))
    failHere("expects an external data location without zeros");
  return external;
}

Tensor ModelConverter::convertTensor(::onnx::TensorProto &proto,
                                     std::optional<Tensor::FileRange> range) {
  Tensor tensor;
  tensor.name = proto.name();
  tensor.type = static_cast<DataType>(proto.data_type());
  tensor.dims.assign(proto.dims().begin(), proto.dims().end());
  auto failHere = [&](const Twine &message) {
    fail("tensor " + quote(proto.name()) + ": " + message);
  };
  llvm::SmallVector<StringRef> fields = getDataFields(proto, range.has_value());
  if (proto.has_segment())
    failHere("data in segments is not supported");
  if (proto.data_location() == ::onnx::TensorProto::EXTERNAL) {
    if (!fields.empty())
      failHere("its data is said to be external, but there is " +
               fields.front());
    tensor.external = convertExternal(proto);
    return tensor;
  }
  if (proto.external_data_size())
    failHere("has external data, but is not said to be external");
  if (fields.size() > 1)
    failHere("expects data in one field, but there is " + fields[0] + " and " +
             fields[1]);
  if (range) {
    tensor.range = range;
    return tensor;
  }
  if (tensor.type == DataType::String &&
      (fields.empty() || fields.front() == "string_data")) {
    tensor.strings.assign(proto.string_data().begin(),
                          proto.string_data().end());
    return tensor;
  }
  if (!proto.raw_data().empty()) {
    tensor.bytes = std::make_shared<const std::string>(
        std::move(*proto.mutable_raw_data()));
    return tensor;
  }
  // Other types, such as complex ones, are refused by their names later.
  if (!fields.empty() && getElementSize(tensor.type) &&
      fields.front() != getTypedField(tensor.type))
    failHere("expects values of " + getDataTypeName(tensor.type) + " in " +
             getTypedField(tensor.type) + ", but there is " + fields.front());
  tensor.bytes =
      std::make_shared<const std::string>(convertTypedData(proto, tensor.type));
  return tensor;
}

//===----------------------------------------------------------------------===//
// Graphs
//===----------------------------------------------------------------------===//

/// What exporters write for any size that they do not know: no promise that two
/// of them are equal.
static bool isPlaceholder(llvm::StringRef symbol) {
  return llvm::is_contained(
      {"", "?", "*", "-1", "None", "none", "null", "unk", "unknown"}, symbol);
}

ValueInfo
ModelConverter::convertValueInfo(const ::onnx::ValueInfoProto &proto) {
  ValueInfo info = convertType(proto.type());
  info.name = proto.name();
  return info;
}

ValueInfo ModelConverter::convertType(const ::onnx::TypeProto &proto) {
  ValueInfo info;
  auto setElement = [&](ValueInfo::Kind kind, const ::onnx::TypeProto &type) {
    info.kind = kind;
    info.element = std::make_shared<const ValueInfo>(convertType(type));
  };
  // ZipMap leaves a tensor where exporters say that there is a sequence of
  // maps.
  if (proto.has_sequence_type() &&
      !proto.sequence_type().elem_type().has_map_type())
    setElement(ValueInfo::Kind::Sequence, proto.sequence_type().elem_type());
  if (proto.has_optional_type())
    setElement(ValueInfo::Kind::Optional, proto.optional_type().elem_type());
  if (!proto.has_tensor_type())
    return info;
  const auto &type = proto.tensor_type();
  info.kind = ValueInfo::Kind::Tensor;
  info.isTensor = true;
  info.type = static_cast<DataType>(type.elem_type());
  if (!type.has_shape())
    return info;
  info.shape.emplace();
  for (const auto &dim : type.shape().dim()) {
    Dimension &dimension = info.shape->emplace_back();
    // A size of -1 is what exporters write that do not know it.
    if (dim.has_dim_value() && dim.dim_value() != -1)
      dimension.size = dim.dim_value();
    else if (dim.has_dim_param() && !isPlaceholder(dim.dim_param()))
      dimension.symbol = dim.dim_param();
    checkVisibleName(dimension.symbol, "a dimension");
  }
  return info;
}

Kind ModelConverter::getKind(const ::onnx::AttributeProto &proto) {
  std::string name = "attribute " + quote(proto.name());
  Kind declared = getDeclaredKind(proto);
  llvm::SmallVector<Kind> held = getHeldKinds(proto);
  if (!proto.ref_attr_name().empty()) {
    if (!held.empty())
      fail(context + name + " refers to another one, but has a value");
    return declared;
  }
  // The first version of the format had no kinds, and writers of empty lists do
  // not know of what.
  if (declared == Kind::None) {
    if (held.size() > 1)
      fail(context + name + " has two values, " + describeKind(held[0]) +
           " and " + describeKind(held[1]));
    return held.empty() ? Kind::None : held.front();
  }
  for (Kind kind : held)
    if (kind != declared)
      fail(context + name + " is said to be " + describeKind(declared) +
           ", but has " + describeKind(kind));
  // Zeros and empty lists may be left out.
  if (held.empty() && (declared == Kind::Tensor || declared == Kind::Graph))
    fail(context + name + " is said to be " + describeKind(declared) +
         ", but has none");
  return declared;
}

Tensor ModelConverter::convertSparse(::onnx::SparseTensorProto &proto) {
  llvm::Expected<Tensor> dense = makeDense(
      convertTensor(*proto.mutable_values()),
      convertTensor(*proto.mutable_indices()), toVector(proto.dims()));
  if (dense)
    return std::move(*dense);
  fail(context + llvm::toString(dense.takeError()));
  return Tensor();
}

NodeAttribute ModelConverter::convertAttribute(::onnx::AttributeProto &proto) {
  NodeAttribute attribute;
  attribute.name = proto.name();
  attribute.kind = getKind(proto);
  attribute.reference = proto.ref_attr_name();
  attribute.f = proto.f();
  attribute.i = proto.i();
  attribute.s = proto.s();
  attribute.floats = toVector(proto.floats());
  attribute.ints = toVector(proto.ints());
  attribute.strings = toVector(proto.strings());
  if (proto.has_t())
    attribute.tensor =
        std::make_shared<const Tensor>(convertTensor(*proto.mutable_t()));
  if (proto.has_sparse_tensor()) {
    // What a constant is, it is in any form.
    if (attribute.name == "sparse_value")
      attribute.name = "value";
    attribute.tensor = std::make_shared<const Tensor>(
        convertSparse(*proto.mutable_sparse_tensor()));
  }
  if (proto.has_g())
    attribute.graph =
        std::make_shared<const Graph>(convertGraph(*proto.mutable_g()));
  return attribute;
}

std::vector<NodeAttribute> ModelConverter::convertAttributes(
    pb::RepeatedPtrField<::onnx::AttributeProto> &protos) {
  std::vector<NodeAttribute> attributes;
  llvm::StringSet<> seen;
  for (auto &proto : protos) {
    if (!seen.insert(proto.name()).second)
      fail(context + "attribute " + quote(proto.name()) + " is given twice");
    attributes.push_back(convertAttribute(proto));
  }
  return attributes;
}

Node ModelConverter::convertNode(::onnx::NodeProto &proto) {
  Node node;
  node.name = proto.name();
  node.opType = proto.op_type();
  node.domain = normalizeDomain(proto.domain());
  node.overload = proto.overload();
  node.inputs = toVector(proto.input());
  node.outputs = toVector(proto.output());
  std::string outer = std::move(context);
  context = describeNode(node) + ": ";
  node.attributes = convertAttributes(*proto.mutable_attribute());
  context = std::move(outer);
  return node;
}

Graph ModelConverter::convertGraph(
    ::onnx::GraphProto &proto,
    ArrayRef<std::optional<Tensor::FileRange>> ranges) {
  Graph graph;
  graph.name = proto.name();
  for (auto &node : *proto.mutable_node())
    graph.nodes.push_back(convertNode(node));
  for (auto [index, tensor] : llvm::enumerate(*proto.mutable_initializer()))
    graph.initializers.push_back(convertTensor(
        tensor, index < ranges.size() ? ranges[index] : std::nullopt));
  for (auto &sparse : *proto.mutable_sparse_initializer())
    graph.initializers.push_back(convertSparse(sparse));
  for (const auto &info : proto.input())
    graph.inputs.push_back(convertValueInfo(info));
  for (const auto &info : proto.output())
    graph.outputs.push_back(convertValueInfo(info));
  // Shapes that are said here are often stale, and nobody reads them.
  for (const auto *infos : {&proto.value_info(), &proto.output()})
    for (const auto &info : *infos)
      if (info.type().has_tensor_type())
        graph.declaredTypes[info.name()] =
            static_cast<DataType>(info.type().tensor_type().elem_type());
  return graph;
}

OpsetMap ModelConverter::convertOpsets(
    const pb::RepeatedPtrField<::onnx::OperatorSetIdProto> &protos) {
  OpsetMap opsets;
  for (const auto &opset : protos) {
    auto [it, isNew] =
        opsets.try_emplace(normalizeDomain(opset.domain()), opset.version());
    if (!isNew && it->second != opset.version())
      fail("expects one version of domain " + quote(it->first()) +
           ", but got " + Twine(it->second) + " and " + Twine(opset.version()));
    if (opset.version() < 1)
      fail("expects a version of domain " + quote(it->first()) +
           " from 1, but got " + Twine(opset.version()));
  }
  return opsets;
}

Function ModelConverter::convertFunction(::onnx::FunctionProto &proto) {
  Function function;
  function.name = proto.name();
  function.domain = normalizeDomain(proto.domain());
  function.overload = proto.overload();
  context = "function " + quote(function.name) + ": ";
  function.opsets = convertOpsets(proto.opset_import());
  function.inputs = toVector(proto.input());
  function.outputs = toVector(proto.output());
  checkDistinct(function.inputs, "the inputs of function " + function.name);
  checkDistinct(function.outputs, "the outputs of function " + function.name);
  function.attributes = convertAttributes(*proto.mutable_attribute_proto());
  for (auto &node : *proto.mutable_node())
    function.nodes.push_back(convertNode(node));
  context.clear();
  return function;
}

llvm::Expected<std::unique_ptr<Model>>
ModelConverter::convert(::onnx::ModelProto &proto,
                        ArrayRef<std::optional<Tensor::FileRange>> ranges) {
  auto model = std::make_unique<Model>();
  model->irVersion = proto.ir_version();
  model->metadata = getMetadata(proto);
  model->opsets = convertOpsets(proto.opset_import());
  if (model->opsets.empty())
    model->opsets[""] = 1;
  model->graph = convertGraph(*proto.mutable_graph(), ranges);
  checkBoundary(model->graph.inputs, "input");
  std::vector<std::string> inputs;
  for (const ValueInfo &info : model->graph.inputs)
    inputs.push_back(info.name);
  checkDistinct(inputs, "the inputs of the graph");
  checkBoundary(model->graph.outputs, "output");
  for (auto &function : *proto.mutable_functions())
    model->functions.push_back(convertFunction(function));
  for (const Function &function : model->functions)
    if (!model->addFunction(function))
      fail("function " + quote(function.name) + " is defined twice");
  if (!error.empty())
    return llvm::createStringError(error);
  return model;
}

llvm::Expected<std::unique_ptr<Model>> mlir::relay::onnx::convertModel(
    ::onnx::ModelProto &proto,
    ArrayRef<std::optional<Tensor::FileRange>> ranges) {
  return ModelConverter().convert(proto, ranges);
}
