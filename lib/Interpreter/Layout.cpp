//===- Layout.cpp - Layouts such as NCHW and NCHW16c ----------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Layout.h"
#include "Strided.h"

#include "mlir/IR/Operation.h"
#include "relay-mlir/Dialect/Relay/IR/Notation.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace mlir::relay;

/// Merges the parts of each axis: one dimension per axis, in the order of
/// `letters`.
static Tensor merge(const Tensor &data, const Layout &layout,
                    StringRef letters) {
  SmallVector<int64_t> permutation, shape;
  for (char letter : letters) {
    int64_t size = 1;
    for (int64_t position : layout.getParts(letter)) {
      permutation.push_back(position);
      size *= data.getDimSize(position);
    }
    shape.push_back(size);
  }
  return transpose(data, permutation).reshape(shape);
}

FailureOr<Tensor> mlir::relay::transformLayout(Operation *op,
                                               const Tensor &data,
                                               StringRef from, StringRef to) {
  if (from == to)
    return data;
  FailureOr<Layout> source = Layout::parse(from), target = Layout::parse(to);
  if (failed(source) || failed(target))
    return op->emitOpError("expects layouts such as \"NCHW\" or \"NCHW16c\", "
                           "but got \"")
           << from << "\" and \"" << to << '"';
  if (source->getRank() != data.getRank() || !source->hasSameAxes(*target))
    return op->emitOpError("expects layout \"")
           << from << "\" to fit " << data.getType() << " and layout \"" << to
           << "\", but they differ in dimensions";
  for (auto [axis, size] : llvm::zip_equal(source->getAxes(), data.getShape()))
    if (axis.isInner() && axis.factor != size)
      return op->emitOpError("expects parts of the sizes of layout \"")
             << from << "\", but got " << data.getType();

  std::string letters = target->getPrimals();
  Tensor merged = merge(data, *source, letters);
  SmallVector<int64_t> splitShape, permutation(target->getRank());
  for (auto [index, letter] : llvm::enumerate(letters)) {
    int64_t size = merged.getDimSize(index), inner = target->getFactor(letter);
    if (size % inner != 0)
      return op->emitOpError("expects the size of ")
             << StringRef(&letter, 1) << " to be a multiple of " << inner
             << ", but got " << size;
    SmallVector<int64_t, 2> parts = target->getParts(letter);
    for (auto [part, position] : llvm::enumerate(parts))
      permutation[position] = splitShape.size() + part;
    splitShape.push_back(size / inner);
    for (int64_t position : ArrayRef(parts).drop_front())
      splitShape.push_back(target->getAxes()[position].factor);
  }
  return transpose(merged.reshape(splitShape), permutation);
}
