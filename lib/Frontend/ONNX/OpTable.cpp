//===- OpTable.cpp - ONNX operators the importer knows --------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OpTable.h"

using namespace mlir;
using namespace mlir::relay::onnx;

OpTable::OpTable() {
  addActivationOps(*this);
  addAttentionOps(*this);
  addConvolutionOps(*this);
  addElementwiseOps(*this);
  addIndexingOps(*this);
  addLossOps(*this);
  addMatrixOps(*this);
  addMovementOps(*this);
  addNormalizationOps(*this);
  addPoolingOps(*this);
  addQuantizationOps(*this);
  addRecurrentOps(*this);
  addReductionOps(*this);
  addResizeOps(*this);
  addShapeOps(*this);
  addSliceOps(*this);
}

const OpTable &OpTable::get() {
  static const OpTable table;
  return table;
}

const OpEntry *OpTable::lookup(StringRef opType) const {
  auto it = entries.find(opType);
  return it == entries.end() ? nullptr : &it->second;
}

uint32_t mlir::relay::onnx::getInputTypes(StringRef opType, unsigned index) {
  static const llvm::StringMap<SmallVector<uint32_t, 4>> types = {
#include "InputTypes.inc"
  };
  auto it = types.find(opType);
  if (it == types.end())
    return ~0u;
  ArrayRef<uint32_t> inputs = it->second;
  return index < inputs.size() ? inputs[index] : inputs.back();
}

void OpTable::add(std::initializer_list<StringRef> names, OpEntry entry) {
  for (StringRef name : names) {
    [[maybe_unused]] bool inserted = entries.try_emplace(name, entry).second;
    assert(inserted && "operator has two converters");
  }
}
