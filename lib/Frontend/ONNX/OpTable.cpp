//===- OpTable.cpp - ONNX operators the importer knows --------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OpTable.h"

using namespace mlir;
using namespace mlir::relay::onnx;

static OpTable createTable() {
  OpTable table;
  addActivationOps(table);
  addAffineGridOp(table);
  addAttentionOps(table);
  addCastOps(table);
  addControlFlowOps(table);
  addConvolutionOps(table);
  addDeformableOps(table);
  addElementwiseOps(table);
  addExperimentalOps(table);
  addGramOps(table);
  addIndexingOps(table);
  addIntegerProductOps(table);
  addLinearAttentionOps(table);
  addLossOps(table);
  addEinsumOps(table);
  addMatrixOps(table);
  addMLFeatureOps(table);
  addMLLinearOps(table);
  addMLTreeOps(table);
  addMaxUnpoolOps(table);
  addMovementOps(table);
  addNormalizationOps(table);
  addOptimizerOps(table);
  addPlacementOps(table);
  addPoolingOps(table);
  addQuantizationOps(table);
  addRandomOps(table);
  addRecurrentOps(table);
  addReductionOps(table);
  addRepetitionOps(table);
  addResizeOps(table);
  addSamplingOps(table);
  addSelectionOps(table);
  addSequenceOps(table);
  addShapeOps(table);
  addSignalOps(table);
  addSliceOps(table);
  addStringOps(table);
  // Some are those of ONNX.
  addContribAttentionOps(table);
  addContribEmbeddingOps(table);
  addContribExpertOps(table);
  addContribFusedOps(table);
  addContribGateOps(table);
  addContribGroupQueryOps(table);
  addContribInverseOp(table);
  addContribLookupOps(table);
  addContribMovementOps(table);
  addContribQuantizedOps(table);
  addContribRefusals(table);
  addContribStreamOps(table);
  addContribWordOps(table);
  addUpgrades(table);
  return table;
}

const OpTable &OpTable::get() {
  static const OpTable table = createTable();
  return table;
}

const OpEntry *OpTable::lookup(StringRef domain, StringRef opType) const {
  auto ops = entries.find(domain);
  if (ops == entries.end())
    return nullptr;
  auto entry = ops->second.find(opType);
  return entry == ops->second.end() ? nullptr : &entry->second;
}

/// How the tables that are made from schemas name an operator.
static std::string getSchemaName(StringRef domain, StringRef opType) {
  return domain.empty() ? opType.str() : (domain + "." + opType).str();
}

uint32_t mlir::relay::onnx::getInputTypes(StringRef domain, StringRef opType,
                                          unsigned index) {
  static const llvm::StringMap<SmallVector<uint32_t, 4>> types = {
#include "InputTypes.inc"
  };
  auto it = types.find(getSchemaName(domain, opType));
  if (it == types.end())
    return ~0u;
  ArrayRef<uint32_t> inputs = it->second;
  return index < inputs.size() ? inputs[index] : inputs.back();
}

std::optional<StringRef> mlir::relay::onnx::getAttributeNames(StringRef domain,
                                                              StringRef opType,
                                                              int64_t opset) {
  using Since = std::pair<int64_t, StringRef>;
  static const llvm::StringMap<SmallVector<Since, 1>> names = {
#include "AttributeNames.inc"
  };
  auto it = names.find(getSchemaName(domain, opType));
  std::optional<StringRef> result;
  if (it != names.end())
    for (auto [since, list] : it->second)
      if (since <= opset)
        result = list;
  return result;
}

void OpTable::add(StringRef domain, std::initializer_list<StringRef> names,
                  OpEntry entry) {
  for (StringRef name : names) {
    [[maybe_unused]] bool inserted =
        entries[domain].try_emplace(name, entry).second;
    assert(inserted && "operator has two converters");
  }
}

void OpTable::addUpgrade(std::initializer_list<StringRef> names, int64_t until,
                         OpEntry::Upgrader upgrade) {
  llvm::StringMap<OpEntry> &ops = entries[""];
  for (StringRef name : names) {
    auto it = ops.find(name);
    assert(it != ops.end() && "an operator that nothing converts");
    it->second.upgrade = upgrade;
    it->second.upgradeUntil = until;
  }
}
