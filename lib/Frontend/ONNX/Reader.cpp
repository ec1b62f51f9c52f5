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

#include "ModelConversion.h"
#include "ModelSource.h"

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
    return llvm::createStringError("truncated, nested too deeply, or not an "
                                   "ONNX model (the bytes are no valid "
                                   "protobuf)");
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

} // namespace

llvm::Expected<std::unique_ptr<Model>>
mlir::relay::onnx::readModel(ModelSource &source) {
  if (source.getSize() == 0)
    return llvm::createStringError("the file is empty");
  ::onnx::ModelProto proto;
  ModelReader reader(source);
  if (llvm::Error error = reader.parse(proto))
    return std::move(error);
  // Until IR version 2, there was one opset, which was not written.
  constexpr int64_t firstVersionWithOpsets = 3;
  bool hasOpset =
      !proto.opset_import().empty() ||
      (proto.has_ir_version() && proto.ir_version() < firstVersionWithOpsets);
  if (!proto.has_graph() || !hasOpset)
    return llvm::createStringError(
        "not an ONNX model (a valid protobuf, but without a graph or an "
        "opset)");

  llvm::Expected<std::unique_ptr<Model>> model =
      convertModel(proto, reader.getRanges());
  if (model)
    (*model)->path = source.getName().str();
  return model;
}
