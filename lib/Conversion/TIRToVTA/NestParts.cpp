//===- NestParts.cpp - Nests in parts, for the ends of programs -----------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "NestParts.h"

using namespace mlir;
using namespace mlir::relay;
using namespace mlir::relay::detail;

/// What a part more takes: some instructions.
static constexpr double kPartCycles = 30;

/// Emits a nest in parts of one loop: the first of those over whole elements of
/// what `access` is to, or if it `takesFurthest` the one with the longest
/// steps. Nothing hides `cycles` of the whole for each element. With n parts,
/// these are 1 / n, and n * kPartCycles.
static LogicalResult emitParts(AffineNest nest, Operation *access,
                               int64_t lanes, bool takesFurthest, double cycles,
                               EmitNest emit) {
  FailureOr<LinearIndex> address = nest.getAddress(access);
  if (failed(address))
    return emit(std::move(nest));
  std::optional<unsigned> outer;
  int64_t elements = 1;
  for (unsigned loop = 0; loop < nest.getNumLoops(); ++loop) {
    int64_t step = address->steps[loop];
    if (step == 0)
      continue;
    elements *= nest.extents[loop];
    if (nest.extents[loop] > 1 && step % lanes == 0 &&
        (!outer || (takesFurthest && step > address->steps[*outer])))
      outer = loop;
  }
  if (!outer)
    return emit(std::move(nest));
  cycles *= double(elements) / double(lanes);
  int64_t extent = nest.extents[*outer];
  auto count = std::clamp<int64_t>(std::lround(std::sqrt(cycles / kPartCycles)),
                                   1, extent);
  // The first part is the largest, for which there is room then.
  int64_t size = llvm::divideCeil(extent, count);
  for (int64_t begin = 0; begin < extent; begin += size) {
    AffineNest part = nest;
    part.restrict(*outer, begin, std::min(size, extent - begin));
    if (failed(emit(std::move(part))))
      return failure();
  }
  return success();
}

LogicalResult relay::detail::emitStoredParts(ProgramBuilder &builder,
                                             AffineNest nest,
                                             affine::AffineStoreOp store,
                                             EmitNest emit) {
  int64_t lanes = builder.getLanes(vta::Memory::Acc);
  // A STORE takes a cycle for each element and each beat.
  const relay_vta::Config &config = builder.getConfig();
  double beats = double(lanes) * double(config.getOutBits()) / 8 /
                 double(config.getBusBytes());
  return emitParts(std::move(nest), store, lanes, /*takesFurthest=*/false,
                   1 + beats, emit);
}

LogicalResult relay::detail::emitWeightParts(ProgramBuilder &builder,
                                             AffineNest nest, Operation *access,
                                             EmitNest emit) {
  double beats = double(builder.getElementBytes(vta::Memory::Wgt)) /
                 double(builder.getConfig().getBusBytes());
  return emitParts(std::move(nest), access, builder.getLanes(vta::Memory::Wgt),
                   /*takesFurthest=*/true, beats, emit);
}
