//===- Reader.cpp - Decode an ONNX file -----------------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A model is nearly all weights, and protobuf would copy them. So the outer
// three levels (model, graph, initializer) are walked by hand, the position of
// each large `raw_data` is noted, and only what is left goes to protobuf.
//
//===----------------------------------------------------------------------===//

#include "Model.h"
#include "ModelSource.h"

#include "onnx-ml.pb.h"

#include "llvm/Support/Endian.h"

using namespace mlir::relay::onnx;
using llvm::StringRef;
namespace pb = google::protobuf;

namespace {

/// Bytes from which an initializer stays in the file.
constexpr uint64_t kLargeTensor = 256;

// Field numbers of onnx-ml.proto on the way to the weights.
constexpr unsigned kModelGraph = ::onnx::ModelProto::kGraphFieldNumber;
constexpr unsigned kGraphInitializer =
    ::onnx::GraphProto::kInitializerFieldNumber;
constexpr unsigned kTensorRawData = ::onnx::TensorProto::kRawDataFieldNumber;

/// A range of bytes in the model.
struct Extent {
  uint64_t begin;
  uint64_t end;
};

/// One field of an encoded message.
struct WireField {
  unsigned number;
  /// The field with its tag.
  Extent encoded;
  /// The content, if it is length-delimited.
  std::optional<Extent> payload;
};

/// Splits an encoded message into its fields.
class WireScanner {
public:
  WireScanner(ModelSource &source, Extent extent)
      : source(source), position(extent.begin), end(extent.end) {}

  bool atEnd() const { return position == end; }

  /// None if the bytes are no field.
  llvm::Expected<std::optional<WireField>> next() {
    WireField field;
    field.encoded.begin = position;
    // A tag and a number or length.
    llvm::Expected<StringRef> header =
        source.view(position, std::min<uint64_t>(20, end - position));
    if (!header)
      return header.takeError();
    std::optional<uint64_t> tag = readVarint(*header);
    if (!tag || (*tag >> 3) == 0 || (*tag >> 3) > 0x1fffffff)
      return std::nullopt;
    field.number = static_cast<unsigned>(*tag >> 3);
    uint64_t size = 0;
    bool hasPayload = false;
    switch (*tag & 7) {
    case 0:
      if (!readVarint(*header))
        return std::nullopt;
      break;
    case 1:
      size = 8;
      break;
    case 2: {
      std::optional<uint64_t> length = readVarint(*header);
      if (!length)
        return std::nullopt;
      size = *length;
      hasPayload = true;
      break;
    }
    case 5:
      size = 4;
      break;
    default:
      return std::nullopt;
    }
    if (size > end - position)
      return std::nullopt;
    if (hasPayload)
      field.payload = Extent{position, position + size};
    position += size;
    field.encoded.end = position;
    return field;
  }

private:
  std::optional<uint64_t> readVarint(StringRef &header) {
    uint64_t value = 0;
    for (unsigned shift = 0; shift < 64 && !header.empty(); shift += 7) {
      auto byte = static_cast<uint8_t>(header.front());
      header = header.drop_front();
      ++position;
      value |= uint64_t(byte & 0x7f) << shift;
      if (!(byte & 0x80))
        return value;
    }
    return std::nullopt;
  }

  ModelSource &source;
  uint64_t position;
  uint64_t end;
};

class ModelReader {
public:
  explicit ModelReader(ModelSource &source) : source(source) {}

  /// Fills `proto`, except for the large raw data, whose positions go to
  /// `ranges` by the index of the initializer.
  llvm::Error parse(::onnx::ModelProto &proto) {
    Extent model = {0, source.getSize()};
    return walk(model, proto, kModelGraph, [&](Extent graph) {
      auto *graphProto = proto.mutable_graph();
      return walk(graph, *graphProto, kGraphInitializer, [&](Extent tensor) {
        ranges.emplace_back();
        auto *tensorProto = graphProto->add_initializer();
        return walk(tensor, *tensorProto, kTensorRawData, [&](Extent data) {
          return handleRawData(*tensorProto, data);
        });
      });
    });
  }

  llvm::ArrayRef<std::optional<Tensor::FileRange>> getRanges() const {
    return ranges;
  }

private:
  llvm::Error handleRawData(::onnx::TensorProto &proto, Extent data) {
    uint64_t size = data.end - data.begin;
    ranges.back().reset();
    proto.clear_raw_data();
    if (size >= kLargeTensor) {
      ranges.back() = {data.begin, size};
      return llvm::Error::success();
    }
    llvm::Expected<StringRef> bytes = source.view(data.begin, size);
    if (!bytes)
      return bytes.takeError();
    proto.set_raw_data(bytes->data(), bytes->size());
    return llvm::Error::success();
  }

  static llvm::Error makeMalformed() {
    return llvm::createStringError("truncated, or not an ONNX model (the bytes "
                                   "are no valid protobuf)");
  }

  /// Merges the encoded message `extent` into `proto`; `handle` gets the
  /// length-delimited fields `number` instead.
  llvm::Error walk(Extent extent, pb::MessageLite &proto, unsigned number,
                   llvm::function_ref<llvm::Error(Extent)> handle) {
    WireScanner scanner(source, extent);
    uint64_t pending = extent.begin;
    while (!scanner.atEnd()) {
      llvm::Expected<std::optional<WireField>> field = scanner.next();
      if (!field)
        return field.takeError();
      if (!*field)
        return makeMalformed();
      if ((*field)->number != number)
        continue;
      if (!(*field)->payload)
        return makeMalformed();
      if (llvm::Error error = merge(proto, {pending, (*field)->encoded.begin}))
        return error;
      if (llvm::Error error = handle(*(*field)->payload))
        return error;
      pending = (*field)->encoded.end;
    }
    return merge(proto, {pending, extent.end});
  }

  llvm::Error merge(pb::MessageLite &proto, Extent extent) {
    uint64_t size = extent.end - extent.begin;
    if (size == 0)
      return llvm::Error::success();
    if (size > uint64_t(std::numeric_limits<int>::max()))
      return makeMalformed();
    llvm::Expected<StringRef> bytes = source.view(extent.begin, size);
    if (!bytes)
      return bytes.takeError();
    pb::io::CodedInputStream stream(
        reinterpret_cast<const uint8_t *>(bytes->data()),
        static_cast<int>(size));
    if (!proto.MergePartialFromCodedStream(&stream) ||
        !stream.ConsumedEntireMessage())
      return makeMalformed();
    return llvm::Error::success();
  }

  ModelSource &source;
  std::vector<std::optional<Tensor::FileRange>> ranges;
};

//===----------------------------------------------------------------------===//
// From protobuf to Model.h
//===----------------------------------------------------------------------===//

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

/// The typed fields of a tensor as the bytes that raw_data would hold.
template <typename T, typename Field>
void appendBytes(std::string &bytes, const Field &field) {
  bytes.reserve(bytes.size() + field.size() * sizeof(T));
  for (auto value : field) {
    char encoded[sizeof(T)];
    llvm::support::endian::write<T>(encoded, static_cast<T>(value),
                                    llvm::endianness::little);
    bytes.append(encoded, sizeof(T));
  }
}

std::string encodeTypedData(const ::onnx::TensorProto &proto, DataType type) {
  std::string bytes;
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
    appendBytes<uint32_t>(bytes, proto.uint64_data());
    break;
  case DataType::Int32:
    appendBytes<int32_t>(bytes, proto.int32_data());
    break;
  default:
    // All narrower types share int32_data, the floating ones as bit patterns.
    if (getElementSize(type) == 2)
      appendBytes<uint16_t>(bytes, proto.int32_data());
    else
      appendBytes<uint8_t>(bytes, proto.int32_data());
  }
  return bytes;
}

Tensor convertTensor(::onnx::TensorProto &proto) {
  Tensor tensor;
  tensor.name = proto.name();
  tensor.type = static_cast<DataType>(proto.data_type());
  tensor.dims.assign(proto.dims().begin(), proto.dims().end());
  if (proto.data_location() == ::onnx::TensorProto::EXTERNAL) {
    Tensor::External external;
    for (const auto &entry : proto.external_data()) {
      uint64_t number;
      if (entry.key() == "location")
        external.location = entry.value();
      else if (StringRef(entry.value()).getAsInteger(10, number))
        continue;
      else if (entry.key() == "offset")
        external.offset = number;
      else if (entry.key() == "length")
        external.length = number;
    }
    tensor.external = std::move(external);
    return tensor;
  }
  if (proto.has_raw_data())
    tensor.bytes = std::make_shared<const std::string>(
        std::move(*proto.mutable_raw_data()));
  else
    tensor.bytes = std::make_shared<const std::string>(
        encodeTypedData(proto, tensor.type));
  return tensor;
}

ValueInfo convertValueInfo(const ::onnx::ValueInfoProto &proto) {
  ValueInfo info;
  info.name = proto.name();
  if (!proto.type().has_tensor_type())
    return info;
  const auto &type = proto.type().tensor_type();
  info.isTensor = true;
  info.type = static_cast<DataType>(type.elem_type());
  if (!type.has_shape())
    return info;
  info.shape.emplace();
  for (const auto &dim : type.shape().dim()) {
    Dimension &dimension = info.shape->emplace_back();
    if (dim.has_dim_value())
      dimension.size = dim.dim_value();
    else if (dim.has_dim_param())
      dimension.symbol = dim.dim_param();
  }
  return info;
}

Graph convertGraph(::onnx::GraphProto &proto);

NodeAttribute::Kind getAttributeKind(const ::onnx::AttributeProto &proto) {
  using Proto = ::onnx::AttributeProto;
  switch (proto.type()) {
  case Proto::FLOAT:
    return NodeAttribute::Kind::Float;
  case Proto::INT:
    return NodeAttribute::Kind::Int;
  case Proto::STRING:
    return NodeAttribute::Kind::String;
  case Proto::TENSOR:
    return NodeAttribute::Kind::Tensor;
  case Proto::GRAPH:
    return NodeAttribute::Kind::Graph;
  case Proto::FLOATS:
    return NodeAttribute::Kind::Floats;
  case Proto::INTS:
    return NodeAttribute::Kind::Ints;
  case Proto::STRINGS:
    return NodeAttribute::Kind::Strings;
  default:
    return NodeAttribute::Kind::Other;
  }
}

NodeAttribute convertAttribute(::onnx::AttributeProto &proto) {
  NodeAttribute attribute;
  attribute.name = proto.name();
  attribute.kind = getAttributeKind(proto);
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
  if (proto.has_g())
    attribute.graph =
        std::make_shared<const Graph>(convertGraph(*proto.mutable_g()));
  return attribute;
}

Node convertNode(::onnx::NodeProto &proto) {
  Node node;
  node.name = proto.name();
  node.opType = proto.op_type();
  node.domain = normalizeDomain(proto.domain());
  node.overload = proto.overload();
  node.inputs = toVector(proto.input());
  node.outputs = toVector(proto.output());
  for (auto &attribute : *proto.mutable_attribute())
    node.attributes.push_back(convertAttribute(attribute));
  return node;
}

Graph convertGraph(::onnx::GraphProto &proto) {
  Graph graph;
  graph.name = proto.name();
  for (auto &node : *proto.mutable_node())
    graph.nodes.push_back(convertNode(node));
  for (auto &tensor : *proto.mutable_initializer())
    graph.initializers.push_back(convertTensor(tensor));
  for (const auto &tensor : proto.sparse_initializer())
    graph.sparseInitializers.push_back(tensor.values().name());
  for (const auto &info : proto.input())
    graph.inputs.push_back(convertValueInfo(info));
  for (const auto &info : proto.output())
    graph.outputs.push_back(convertValueInfo(info));
  return graph;
}

OpsetMap
convertOpsets(const pb::RepeatedPtrField<::onnx::OperatorSetIdProto> &protos) {
  OpsetMap opsets;
  for (const auto &opset : protos)
    opsets[normalizeDomain(opset.domain())] = opset.version();
  return opsets;
}

Function convertFunction(::onnx::FunctionProto &proto) {
  Function function;
  function.name = proto.name();
  function.domain = normalizeDomain(proto.domain());
  function.overload = proto.overload();
  function.opsets = convertOpsets(proto.opset_import());
  function.inputs = toVector(proto.input());
  function.outputs = toVector(proto.output());
  for (auto &attribute : *proto.mutable_attribute_proto())
    function.attributes.push_back(convertAttribute(attribute));
  for (auto &node : *proto.mutable_node())
    function.nodes.push_back(convertNode(node));
  return function;
}

} // namespace

llvm::Expected<std::unique_ptr<Model>>
mlir::relay::onnx::readModel(ModelSource &source) {
  if (source.getSize() == 0)
    return llvm::createStringError("the file is empty");
  ::onnx::ModelProto proto;
  ModelReader reader(source);
  if (llvm::Error error = reader.parse(proto))
    return std::move(error);
  if (!proto.has_graph() || proto.opset_import().empty())
    return llvm::createStringError(
        "not an ONNX model (a valid protobuf, but without a graph or an "
        "opset)");

  auto model = std::make_unique<Model>();
  model->path = source.getName().str();
  model->irVersion = proto.ir_version();
  model->opsets = convertOpsets(proto.opset_import());
  model->graph = convertGraph(*proto.mutable_graph());
  for (auto [tensor, range] :
       llvm::zip_equal(model->graph.initializers, reader.getRanges())) {
    if (!range || tensor.external)
      continue;
    tensor.bytes.reset();
    tensor.range = range;
  }
  for (auto &function : *proto.mutable_functions())
    model->functions.push_back(convertFunction(function));
  return model;
}
