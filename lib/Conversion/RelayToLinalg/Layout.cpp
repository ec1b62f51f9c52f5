//===- Layout.cpp - Axes of a layout string -------------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Layout.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace mlir::relay::detail;

char LayoutAxis::getPrimal() const { return llvm::toUpper(letter); }

FailureOr<Layout> Layout::parse(StringRef text) {
  Layout layout;
  while (!text.empty()) {
    LayoutAxis axis;
    if (llvm::isDigit(text.front()) && text.consumeInteger(10, axis.factor))
      return failure();
    if (text.empty() || !llvm::isAlpha(text.front()))
      return failure();
    axis.letter = text.front();
    text = text.drop_front();
    bool isLower = llvm::isLower(axis.letter);
    if (isLower != (axis.factor > 0) || layout.find(axis.letter) >= 0)
      return failure();
    layout.axes.push_back(axis);
  }
  return layout;
}

int64_t Layout::find(char letter) const {
  for (auto [position, axis] : llvm::enumerate(axes))
    if (axis.letter == letter)
      return position;
  return -1;
}

bool Layout::hasInnerAxes() const {
  return llvm::any_of(axes, [](LayoutAxis axis) { return axis.isInner(); });
}

int64_t Layout::getFactor(char primal) const {
  int64_t position = find(llvm::toLower(primal));
  return position < 0 ? 1 : axes[position].factor;
}

FailureOr<SmallVector<int64_t>>
mlir::relay::detail::getAxisPositions(StringRef text, StringRef letters) {
  FailureOr<Layout> layout = Layout::parse(text);
  if (failed(layout) ||
      layout->getRank() != static_cast<int64_t>(letters.size()))
    return failure();
  SmallVector<int64_t> positions;
  for (char letter : letters) {
    int64_t position = layout->find(letter);
    if (position < 0)
      return failure();
    positions.push_back(position);
  }
  return positions;
}
