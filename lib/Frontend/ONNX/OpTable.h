//===- OpTable.h - ONNX operators the importer knows ------------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_LIB_FRONTEND_ONNX_OPTABLE_H
#define RELAY_MLIR_LIB_FRONTEND_ONNX_OPTABLE_H

#include "mlir/Support/LLVM.h"
#include "llvm/ADT/StringMap.h"

#include <functional>
#include <initializer_list>

namespace mlir {
class MLIRContext;
} // namespace mlir

namespace mlir::relay::onnx {

class Importer;
class NodeContext;
struct PendingNode;

/// Opsets of the default domain that the importer knows.
inline constexpr int64_t kOldestOpset = 1;
inline constexpr int64_t kNewestOpset = 28;
/// Until here there are the experimental operators of opset 1.
inline constexpr int64_t kLastExperimentalOpset = 9;

/// The domain of classical machine learning, whose opsets begin with 1, and the
/// newest one that the importer knows.
inline constexpr llvm::StringLiteral kMLDomain = "ai.onnx.ml";
inline constexpr int64_t kNewestMLOpset = 5;

/// How one operator of ONNX becomes relay.
struct OpEntry {
  using Converter = std::function<LogicalResult(NodeContext &)>;
  using Upgrader = LogicalResult (*)(NodeContext &);

  Converter convert;
  /// Opsets in which the operator exists.
  int64_t since = kOldestOpset;
  int64_t until = kNewestOpset;
  unsigned minInputs = 1;
  unsigned maxInputs = 1;
  /// Bit set of the inputs of which the converter wants the numbers, not an IR
  /// value: shapes, axes, pads, ...
  uint32_t contentInputs = 0;
  /// Whether one node becomes several steps of arithmetic. Floats of 16 bits
  /// are then computed in f32, and each output is rounded once. Nodes of a
  /// model round each by itself.
  bool isComposed = false;
  /// Why no node of it is imported, and what to do instead; empty if it is.
  StringRef refusal = "";
  /// Writes a node of an opset up to `upgradeUntil` as later ones have it,
  /// before anything else looks at it.
  Upgrader upgrade = nullptr;
  int64_t upgradeUntil = 0;
  /// Does all that is to do for a node with graphs, or of values that are no
  /// tensors; then there is no `convert`.
  LogicalResult (*import)(Importer &, PendingNode &) = nullptr;
};

/// For maxInputs of variadic operators.
inline constexpr unsigned kVariadic = ~0u;

/// The element types that any version of ONNX lists for an input of an operator
/// of its own domains: bit n stands for the DataType n. The last input of
/// variadic operators stands for all further ones. All bits are set for what is
/// no operator of ONNX.
uint32_t getInputTypes(StringRef domain, StringRef opType, unsigned index);

/// The names of the attributes that an operator of ONNX or ONNX Runtime has in
/// an opset of its domain, with spaces between them. Null for what is no
/// operator there.
std::optional<StringRef> getAttributeNames(StringRef domain, StringRef opType,
                                           int64_t opset);

/// Operators by domain and name.
class OpTable {
public:
  /// Those that the importer converts itself.
  static const OpTable &get();

  /// Null if there is no such operator. Its opset range is not checked.
  const OpEntry *lookup(StringRef domain, StringRef opType) const;

  /// Adds operators with one signature.
  void add(StringRef domain, std::initializer_list<StringRef> names,
           OpEntry entry);
  /// The same for the default domain.
  void add(std::initializer_list<StringRef> names, OpEntry entry) {
    add("", names, std::move(entry));
  }
  /// An operator of the default domain, from opset `since` on, that `import`
  /// imports.
  void addImport(StringRef name,
                 LogicalResult (*import)(Importer &, PendingNode &),
                 int64_t since) {
    OpEntry entry;
    entry.since = since;
    entry.import = import;
    add({name}, std::move(entry));
  }

  /// Says how nodes of operators of the default domain that are in the table
  /// were written up to an opset.
  void addUpgrade(std::initializer_list<StringRef> names, int64_t until,
                  OpEntry::Upgrader upgrade);

  /// The operators of each domain.
  const llvm::StringMap<llvm::StringMap<OpEntry>> &getEntries() const {
    return entries;
  }

private:
  llvm::StringMap<llvm::StringMap<OpEntry>> entries;
};

/// The operators of all domains that the loaded dialects from outside convert.
OpTable getAddedOps(MLIRContext *context);

// One function per topic; each fills its part of the table.
void addActivationOps(OpTable &table);
void addAffineGridOp(OpTable &table);
void addAttentionOps(OpTable &table);
void addCastOps(OpTable &table);
void addContribAttentionOps(OpTable &table);
void addContribEmbeddingOps(OpTable &table);
void addContribExpertOps(OpTable &table);
void addContribFusedOps(OpTable &table);
void addContribGateOps(OpTable &table);
void addContribGroupQueryOps(OpTable &table);
void addContribInverseOp(OpTable &table);
void addContribLookupOps(OpTable &table);
void addContribMovementOps(OpTable &table);
void addContribQuantizedOps(OpTable &table);
void addContribRefusals(OpTable &table);
void addContribStreamOps(OpTable &table);
void addContribWordOps(OpTable &table);
void addControlFlowOps(OpTable &table);
void addConvolutionOps(OpTable &table);
void addDeformableOps(OpTable &table);
void addElementwiseOps(OpTable &table);
void addExperimentalOps(OpTable &table);
void addGramOps(OpTable &table);
void addIndexingOps(OpTable &table);
void addIntegerProductOps(OpTable &table);
void addLinearAttentionOps(OpTable &table);
void addLossOps(OpTable &table);
void addEinsumOps(OpTable &table);
void addMatrixOps(OpTable &table);
void addMLFeatureOps(OpTable &table);
void addMLLinearOps(OpTable &table);
void addMLTreeOps(OpTable &table);
void addMaxUnpoolOps(OpTable &table);
void addMovementOps(OpTable &table);
void addNormalizationOps(OpTable &table);
void addOptimizerOps(OpTable &table);
void addPlacementOps(OpTable &table);
void addPoolingOps(OpTable &table);
void addQuantizationOps(OpTable &table);
void addRandomOps(OpTable &table);
void addRecurrentOps(OpTable &table);
void addReductionOps(OpTable &table);
void addRepetitionOps(OpTable &table);
void addResizeOps(OpTable &table);
void addSamplingOps(OpTable &table);
void addSelectionOps(OpTable &table);
void addSequenceOps(OpTable &table);
void addShapeOps(OpTable &table);
void addSignalOps(OpTable &table);
void addSliceOps(OpTable &table);
void addStringOps(OpTable &table);

/// How nodes of all topics were written in the first opsets.
void addUpgrades(OpTable &table);

} // namespace mlir::relay::onnx

#endif // RELAY_MLIR_LIB_FRONTEND_ONNX_OPTABLE_H
