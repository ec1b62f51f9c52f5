//===- PoolWindow.cpp - Windows of pools ----------------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PoolWindow.h"

#include "PartFinder.h"

#include "relay-mlir/Dialect/Relay/IR/Padding.h"
#include "relay-mlir/Dialect/Relay/IR/Relay.h"

using namespace mlir;
using namespace mlir::vta;
using namespace mlir::relay;

template <typename OpT>
static std::optional<PoolWindow> getWindowOf(OpT pool) {
  FailureOr<Padding> padding = expandPadding(pool.getPadding(), 2);
  if (failed(padding) || pool.getLayout() != "NCHW" ||
      (!pool.getOutLayout().empty() && pool.getOutLayout() != "NCHW"))
    return std::nullopt;
  PoolWindow window;
  llvm::copy(pool.getPoolSize(), window.size.begin());
  llvm::copy(pool.getStrides(), window.strides.begin());
  llvm::copy(pool.getDilation(), window.dilation.begin());
  ArrayRef<int64_t> data = getStaticType(pool.getData()).getShape();
  ArrayRef<int64_t> result = getStaticType(pool.getResult()).getShape();
  for (int64_t axis : {0, 1}) {
    int64_t reach = (result[2 + axis] - 1) * window.strides[axis] +
                    (window.size[axis] - 1) * window.dilation[axis] + 1;
    window.padding[axis] = padding->before[axis];
    // With ceil_mode, the last window may reach further than the padding.
    window.padding[2 + axis] = std::max(
        padding->after[axis], reach - data[2 + axis] - padding->before[axis]);
  }
  return window;
}

template <typename OpT>
static std::optional<PoolWindow> getWholeWindow(OpT pool) {
  if (pool.getLayout() != "NCHW" ||
      (!pool.getOutLayout().empty() && pool.getOutLayout() != "NCHW"))
    return std::nullopt;
  ArrayRef<int64_t> data = getStaticType(pool.getData()).getShape();
  PoolWindow window;
  window.size = {data[2], data[3]};
  return window;
}

std::optional<PoolWindow> vta::getMaxWindow(Operation *op) {
  if (auto pool = dyn_cast<NNMaxPool2dOp>(op))
    return getWindowOf(pool);
  return getWholeWindow(cast<NNGlobalMaxPool2dOp>(op));
}

std::optional<PoolWindow> vta::getAverageWindow(Operation *op) {
  if (auto pool = dyn_cast<NNAvgPool2dOp>(op))
    return getWindowOf(pool);
  return getWholeWindow(cast<NNGlobalAvgPool2dOp>(op));
}

bool vta::fitWindow(std::optional<PoolWindow> &window,
                    const relay_vta::Config &config) {
  if (!window ||
      llvm::any_of(window->padding, [](int64_t pad) { return pad < 0; }))
    return false;
  for (int64_t axis : {0, 1}) {
    window->count *= window->size[axis];
    window->span *= (window->size[axis] - 1) * window->dilation[axis] + 1;
  }
  // Beside the window there are a result, and what the steps need.
  constexpr int64_t kReserve = 8;
  auto depth = [&](relay_vta::Memory memory) {
    return static_cast<int64_t>(config.getDepth(memory));
  };
  return window->span <= std::min(depth(relay_vta::Memory::Inp),
                                  depth(relay_vta::Memory::Acc)) -
                             kReserve;
}
