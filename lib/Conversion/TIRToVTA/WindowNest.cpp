//===- WindowNest.cpp - Maxima of windows of bytes ------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Bytes get to accumulators by a product with ones on the diagonal. A LOAD pads
// with zeros, to which the ALU then adds what padding has to be: at most two
// strips of a tile along each axis. Each element of a window is an instruction
// for the results of the whole tile, so that no micro-op needs what the one
// before has written.
//
//===----------------------------------------------------------------------===//

#include "WindowNest.h"

using namespace mlir;
using namespace mlir::relay;
using namespace mlir::relay::detail;

LogicalResult relay::detail::addPadding(const AffineNest &nest,
                                        affine::AffineIfOp guard,
                                        Transfer &transfer) {
  IntegerSet set = guard.getIntegerSet();
  for (auto [number, constraint] : llvm::enumerate(set.getConstraints())) {
    FailureOr<LinearIndex> index =
        nest.getIndex(constraint, set.getNumDims(), guard.getOperands());
    if (failed(index) || set.isEq(number))
      return failure();
    // constant + step * i >= 0
    std::optional<unsigned> loop;
    for (auto [position, step] : llvm::enumerate(index->steps)) {
      if (step == 0)
        continue;
      if (loop || std::abs(step) != 1)
        return failure();
      loop = position;
    }
    if (!loop) {
      if (index->constant >= 0)
        continue;
      // Nothing of this tile is there.
      transfer.isZero = true;
      continue;
    }
    TransferLoop &range = transfer.loops[*loop];
    if (index->steps[*loop] == 1)
      range.begin = std::max(range.begin, -index->constant);
    else
      range.end = std::min(range.end, index->constant + 1);
    range.begin = std::min(range.begin, range.extent);
    range.end = std::max(range.end, range.begin);
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Bytes in accumulators
//===----------------------------------------------------------------------===//

static LogicalResult failWholeElements(AffineNest &nest) {
  return nest.block.emitError("expects whole elements of accumulators in a "
                              "kernel of VTA");
}

/// Adds `pad` to the elements of a tile that are padding: `loops` are without
/// those within an element, with steps in elements from `first` on.
static void addToPadding(ProgramBuilder &builder, int64_t first,
                         ArrayRef<TransferLoop> loops, bool isAll,
                         int64_t pad) {
  auto emit = [&](ArrayRef<std::pair<int64_t, int64_t>> ranges) {
    ElementLoops region;
    region.dst = first;
    for (auto [loop, range] : llvm::zip_equal(loops, ranges)) {
      if (range.first >= range.second)
        return;
      region.dst += range.first * loop.sram;
      region.loops.push_back({range.second - range.first, loop.sram});
    }
    builder.alu(vta::AluOpcode::Add, pad, std::move(region));
  };
  SmallVector<std::pair<int64_t, int64_t>> ranges;
  for (const TransferLoop &loop : loops)
    ranges.emplace_back(0, loop.extent);
  if (isAll)
    return emit(ranges);
  // What is before and behind along one loop, of what is inside along those
  // before it.
  for (auto [position, loop] : llvm::enumerate(loops)) {
    if (!loop.hasPad())
      continue;
    ranges[position] = {0, loop.begin};
    emit(ranges);
    ranges[position] = {loop.end, loop.extent};
    emit(ranges);
    ranges[position] = {loop.begin, loop.end};
  }
}

LogicalResult relay::detail::emitByteTile(
    ProgramBuilder &builder, AffineNest &nest, const BufferPlaces &places,
    affine::AffineStoreOp store, affine::AffineLoadOp load,
    affine::AffineIfOp guard, int64_t pad) {
  int64_t numLanes = builder.getLanes(vta::Memory::Acc);
  std::optional<SmallVector<unsigned>> lanes = nest.takeLanes(store, numLanes);
  FailureOr<LinearIndex> dst = nest.getAddress(store);
  FailureOr<LinearIndex> src = nest.getAddress(load);
  if (!lanes || failed(dst) || failed(src))
    return failWholeElements(nest);
  // Where bytes are in `inp` is where they will be in accumulators.
  int64_t count = store.getMemRefType().getNumElements() / numLanes;
  int64_t staged = builder.rotate({nest.block, /*use=*/0}, vta::Memory::Inp,
                                  count, store.getMemRefType());
  Transfer transfer{vta::Memory::Inp,
                    staged * numLanes + dst->constant,
                    places.lookup(load.getMemRef()).first + src->constant,
                    {}};
  for (unsigned loop = 0; loop < nest.getNumLoops(); ++loop)
    transfer.loops.emplace_back(nest.extents[loop], dst->steps[loop],
                                src->steps[loop]);
  if (guard && failed(addPadding(nest, guard, transfer)))
    return guard.emitError(
        "expects padding before and after loops in a kernel of VTA");
  if (!dst->toElements(*lanes, numLanes))
    return failWholeElements(nest);
  SmallVector<TransferLoop> outer;
  ElementLoops all;
  int64_t first = places.lookup(store.getMemRef()).first + dst->constant;
  all.dst = first;
  all.src = staged + dst->constant;
  for (unsigned loop = 0; loop < nest.getNumLoops(); ++loop) {
    if (llvm::is_contained(*lanes, loop))
      continue;
    outer.push_back(transfer.loops[loop]);
    outer.back().sram = dst->steps[loop];
    all.loops.push_back(
        {nest.extents[loop], dst->steps[loop], dst->steps[loop]});
  }
  bool isZero = transfer.isZero;
  std::string message =
      emitTransfer(builder, std::move(transfer), /*isStore=*/false);
  if (!message.empty())
    return nest.block.emitError(message);
  ElementLoops reset = all;
  reset.src = 0;
  for (ElementLoop &loop : reset.loops)
    loop.src = 0;
  builder.gemm(/*reset=*/true, std::move(reset));
  all.wgt = builder.getIdentity();
  builder.gemm(/*reset=*/false, std::move(all));
  if (guard && pad != 0)
    addToPadding(builder, first, outer, isZero, pad);
  return success();
}

//===----------------------------------------------------------------------===//
// Maxima
//===----------------------------------------------------------------------===//

LogicalResult relay::detail::emitMaximum(ProgramBuilder &builder,
                                         AffineNest &nest,
                                         const BufferPlaces &places,
                                         affine::AffineStoreOp store,
                                         affine::AffineLoadOp load) {
  int64_t numLanes = builder.getLanes(vta::Memory::Acc);
  std::optional<SmallVector<unsigned>> lanes = nest.takeLanes(store, numLanes);
  FailureOr<LinearIndex> dst = nest.getAddress(store);
  FailureOr<LinearIndex> src = nest.getAddress(load);
  if (!lanes || failed(dst) || failed(src))
    return failWholeElements(nest);
  bool isSame = llvm::all_of(*lanes, [&](unsigned loop) {
    return dst->steps[loop] == src->steps[loop];
  });
  if (!isSame || !dst->toElements(*lanes, numLanes) ||
      !src->toElements(*lanes, numLanes))
    return failWholeElements(nest);
  ElementLoops loops;
  loops.dst = places.lookup(store.getMemRef()).first + dst->constant;
  loops.src = places.lookup(load.getMemRef()).first + src->constant;
  SmallVector<ElementLoop> window;
  for (unsigned loop = 0; loop < nest.getNumLoops(); ++loop) {
    if (llvm::is_contained(*lanes, loop))
      continue;
    ElementLoop element = {nest.extents[loop], dst->steps[loop],
                           src->steps[loop]};
    (element.dst == 0 ? window : loops.loops).push_back(element);
  }
  auto visit = [&](size_t index, int64_t first, auto &&self) -> void {
    if (index == window.size()) {
      ElementLoops results = loops;
      results.src = first;
      builder.alu(vta::AluOpcode::Max, std::nullopt, std::move(results));
      return;
    }
    for (int64_t i = 0; i < window[index].extent; ++i)
      self(index + 1, first + i * window[index].src, self);
  };
  visit(0, loops.src, visit);
  return success();
}
