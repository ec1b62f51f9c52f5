//===- Model.h - An ONNX model in memory ------------------------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The parts of an ONNX model that the importer needs, free of protobuf: only
// the reader knows the wire format. Large tensors are left where they are, in
// the file, until somebody asks for their bytes.
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_LIB_FRONTEND_ONNX_MODEL_H
#define RELAY_MLIR_LIB_FRONTEND_ONNX_MODEL_H

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace mlir::relay::onnx {

/// Values of TensorProto.DataType.
enum class DataType : int32_t {
  Undefined = 0,
  Float = 1,
  UInt8 = 2,
  Int8 = 3,
  UInt16 = 4,
  Int16 = 5,
  Int32 = 6,
  Int64 = 7,
  String = 8,
  Bool = 9,
  Float16 = 10,
  Double = 11,
  UInt32 = 12,
  UInt64 = 13,
  BFloat16 = 16,
  Float8E4M3FN = 17,
  Float8E4M3FNUZ = 18,
  Float8E5M2 = 19,
  Float8E5M2FNUZ = 20,
  UInt4 = 21,
  Int4 = 22,
  Float4E2M1 = 23,
  Float8E8M0 = 24,
  UInt2 = 25,
  Int2 = 26,
};

/// "FLOAT", as the ONNX specification spells it; "type 99" if unknown.
std::string getDataTypeName(DataType type);

/// Bytes of one element in memory; none for strings and unknown types.
std::optional<unsigned> getElementSize(DataType type);

/// How many elements a byte of the model has, from its low bits on: 2 or 4 of
/// types of 4 and 2 bits, else 1.
unsigned getElementsPerByte(DataType type);

struct Tensor {
  struct FileRange {
    uint64_t offset;
    uint64_t size;
  };
  struct External {
    std::string location;
    uint64_t offset = 0;
    std::optional<uint64_t> length;
  };

  std::string name;
  DataType type = DataType::Undefined;
  llvm::SmallVector<int64_t> dims;

  // Where the bytes are: one of the three. Shared, so that a resource can keep
  // them alive when the model is gone.
  std::shared_ptr<const std::string> bytes;
  std::optional<FileRange> range;
  std::optional<External> external;
  /// Of a tensor of strings, its elements in place of bytes.
  std::vector<std::string> strings;

  /// Number of elements; none if a dimension is negative or the product
  /// overflows.
  std::optional<int64_t> getNumElements() const;
};

struct Dimension {
  /// None if unknown; may be negative in a broken model.
  std::optional<int64_t> size;
  /// Name of an unknown dimension; empty if it has none.
  std::string symbol;
};

struct ValueInfo {
  enum class Kind { Other, Tensor, Sequence, Optional };

  std::string name;
  Kind kind = Kind::Other;
  bool isTensor = false;
  /// Of a sequence or an optional value, what is in it.
  std::shared_ptr<const ValueInfo> element;
  DataType type = DataType::Undefined;
  /// None if the rank is unknown.
  std::optional<std::vector<Dimension>> shape;
};

/// "a tensor", "a sequence", ...
llvm::StringRef describeKind(ValueInfo::Kind kind);

struct Graph;

struct NodeAttribute {
  enum class Kind {
    /// A list without elements, of what is not known.
    None,
    Float,
    Int,
    String,
    Tensor,
    Graph,
    Floats,
    Ints,
    Strings,
    /// What no operator here has.
    Other
  };

  std::string name;
  Kind kind = Kind::None;
  float f = 0;
  int64_t i = 0;
  std::string s;
  std::vector<float> floats;
  std::vector<int64_t> ints;
  std::vector<std::string> strings;
  std::shared_ptr<const Tensor> tensor;
  std::shared_ptr<const Graph> graph;
  /// In a function body: the attribute of the call that this one stands for.
  std::string reference;

  static NodeAttribute get(llvm::StringRef name, int64_t value);
  static NodeAttribute get(llvm::StringRef name,
                           llvm::ArrayRef<int64_t> values);
};

/// "an integer", "a list of floats", ...
llvm::StringRef describeKind(NodeAttribute::Kind kind);

struct Node {
  std::string name;
  std::string opType;
  /// Empty for the default domain, also when the file says "ai.onnx".
  std::string domain;
  std::string overload;
  std::vector<std::string> inputs;
  std::vector<std::string> outputs;
  std::vector<NodeAttribute> attributes;
  /// That of a node that importing makes; 0 for the one of the model.
  int64_t opset = 0;
};

/// `node "x" (Conv, opset 13)`, or by its first output if it has no name.
std::string describeNode(const Node &node,
                         std::optional<int64_t> opset = std::nullopt);

struct Graph {
  std::string name;
  std::vector<Node> nodes;
  std::vector<Tensor> initializers;
  std::vector<ValueInfo> inputs;
  std::vector<ValueInfo> outputs;
  /// The types of elements that the graph says its values have, by names.
  llvm::StringMap<DataType> declaredTypes;
};

using OpsetMap = llvm::StringMap<int64_t>;

/// A model-local function.
struct Function {
  std::string name;
  std::string domain;
  std::string overload;
  OpsetMap opsets;
  std::vector<std::string> inputs;
  std::vector<std::string> outputs;
  /// Defaults of attributes.
  std::vector<NodeAttribute> attributes;
  std::vector<Node> nodes;
};

struct Model {
  /// For messages, and to find external data.
  std::string path;
  int64_t irVersion = 0;
  OpsetMap opsets;
  Graph graph;
  std::vector<Function> functions;
  /// Keys and texts (Relay/IR/Metadata.h).
  std::vector<std::pair<std::string, std::string>> metadata;

  /// The function that `node` calls; null if it is an operator.
  const Function *findFunction(const Node &node) const;
  /// Makes `function`, one of `functions`, known to findFunction. False if
  /// there is one of that name.
  bool addFunction(const Function &function);

private:
  llvm::StringMap<const Function *> functionTable;
};

class ModelSource;

/// Decodes a model. Initializers with much raw data only get the position of
/// their bytes in `source`.
llvm::Expected<std::unique_ptr<Model>> readModel(ModelSource &source);

} // namespace mlir::relay::onnx

#endif // RELAY_MLIR_LIB_FRONTEND_ONNX_MODEL_H
