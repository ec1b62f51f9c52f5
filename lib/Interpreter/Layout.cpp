//===- Layout.cpp - Layouts such as NCHW and NCHW16c ----------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Layout.h"
#include "Strided.h"

#include "mlir/IR/Operation.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace mlir::relay;

namespace {

/// One dimension of a layout.
struct Part {
  char letter;    // Upper case, also for inner parts.
  int64_t factor; // Size of an inner part; 0 for the dimension itself.
};

} // namespace

static std::optional<SmallVector<Part>> parseLayout(StringRef layout) {
  SmallVector<Part> parts;
  while (!layout.empty()) {
    int64_t factor = 0;
    bool isInner = llvm::isDigit(layout.front());
    if (isInner && (layout.consumeInteger(10, factor) || factor <= 0))
      return std::nullopt;
    if (layout.empty() || !llvm::isAlpha(layout.front()) ||
        isInner == llvm::isUpper(layout.front()))
      return std::nullopt;
    parts.push_back({llvm::toUpper(layout.front()), factor});
    layout = layout.drop_front();
  }
  return parts;
}

/// Size of every letter's dimension as `layout` divides it: outer part first,
/// inner parts in order.
static SmallVector<int64_t> getFactors(ArrayRef<Part> layout, char letter) {
  SmallVector<int64_t> factors;
  for (Part part : layout)
    if (part.letter == letter && part.factor)
      factors.push_back(part.factor);
  return factors;
}

/// Positions in `layout` of a letter's parts, outermost first.
static SmallVector<int64_t> getPositions(ArrayRef<Part> layout, char letter) {
  SmallVector<int64_t> positions;
  for (bool inner : {false, true})
    for (auto [index, part] : llvm::enumerate(layout))
      if (part.letter == letter && (part.factor != 0) == inner)
        positions.push_back(index);
  return positions;
}

/// The letters of a layout, each once, in order of their first part.
static std::string getLetters(ArrayRef<Part> layout) {
  std::string letters;
  for (Part part : layout)
    if (!llvm::is_contained(letters, part.letter))
      letters += part.letter;
  return letters;
}

/// Merges the parts of each letter: one dimension per letter, in the order of
/// `letters`.
static Tensor merge(const Tensor &data, ArrayRef<Part> layout,
                    StringRef letters) {
  SmallVector<int64_t> permutation, shape;
  for (char letter : letters) {
    int64_t size = 1;
    for (int64_t position : getPositions(layout, letter)) {
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
  auto source = parseLayout(from), target = parseLayout(to);
  auto hasOuterParts = [](ArrayRef<Part> layout) {
    return llvm::all_of(getLetters(layout), [&](char letter) {
      return llvm::count_if(layout, [&](Part part) {
               return part.letter == letter && !part.factor;
             }) == 1;
    });
  };
  if (!source || !target || !hasOuterParts(*source) || !hasOuterParts(*target))
    return op->emitOpError("expects layouts such as \"NCHW\" or \"NCHW16c\", "
                           "but got \"")
           << from << "\" and \"" << to << '"';
  std::string letters = getLetters(*target);
  std::string sourceLetters = getLetters(*source);
  if (static_cast<int64_t>(source->size()) != data.getRank() ||
      !std::is_permutation(letters.begin(), letters.end(),
                           sourceLetters.begin(), sourceLetters.end()))
    return op->emitOpError("expects layout \"")
           << from << "\" to fit " << data.getType() << " and layout \"" << to
           << "\", but they differ in dimensions";

  Tensor merged = merge(data, *source, letters);
  SmallVector<int64_t> splitShape, permutation(target->size());
  for (auto [index, letter] : llvm::enumerate(letters)) {
    int64_t size = merged.getDimSize(index);
    SmallVector<int64_t> factors = getFactors(*target, letter);
    int64_t inner = getProduct(factors);
    if (size % inner != 0)
      return op->emitOpError("expects the size of ")
             << StringRef(&letter, 1) << " to be a multiple of " << inner
             << ", but got " << size;
    for (auto [part, position] : llvm::enumerate(getPositions(*target, letter)))
      permutation[position] = splitShape.size() + part;
    splitShape.push_back(size / inner);
    llvm::append_range(splitShape, factors);
  }
  return transpose(merged.reshape(splitShape), permutation);
}
