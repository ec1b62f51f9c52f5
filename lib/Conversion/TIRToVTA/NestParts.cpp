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

/// Emits a nest in parts of one loop, for the whole of which nothing hides
/// `cycles`. With n parts, these are cycles / n + n * kPartCycles.
static LogicalResult emitParts(const AffineNest &nest, unsigned loop,
                               double cycles, EmitNest emit) {
  int64_t extent = nest.extents[loop];
  auto count = std::clamp<int64_t>(std::lround(std::sqrt(cycles / kPartCycles)),
                                   1, extent);
  // The first part is the largest, for which there is room then.
  int64_t size = llvm::divideCeil(extent, count);
  for (int64_t begin = 0; begin < extent; begin += size) {
    AffineNest part = nest;
    part.restrict(loop, begin, std::min(size, extent - begin));
    if (failed(emit(std::move(part))))
      return failure();
  }
  return success();
}

LogicalResult relay::detail::emitStoredParts(ProgramBuilder &builder,
                                             AffineNest nest,
                                             affine::AffineStoreOp store,
                                             EmitNest emit) {
  FailureOr<LinearIndex> address = nest.getAddress(store);
  if (failed(address))
    return emit(std::move(nest));
  int64_t lanes = builder.getLanes(vta::Memory::Acc);
  std::optional<unsigned> outer;
  int64_t elements = 1;
  for (unsigned loop = 0; loop < nest.getNumLoops(); ++loop) {
    elements *= nest.extents[loop];
    if (!outer && nest.extents[loop] > 1 && address->steps[loop] % lanes == 0)
      outer = loop;
  }
  if (!outer)
    return emit(std::move(nest));
  // A STORE takes a cycle for each element and each beat.
  const relay_vta::Config &config = builder.getConfig();
  double beats = double(lanes) * double(config.getOutBits()) / 8 /
                 double(config.getBusBytes());
  return emitParts(nest, *outer, double(elements) / double(lanes) * (1 + beats),
                   emit);
}

LogicalResult relay::detail::emitWeightParts(ProgramBuilder &builder,
                                             AffineNest nest, Operation *access,
                                             EmitNest emit) {
  FailureOr<LinearIndex> address = nest.getAddress(access);
  if (failed(address))
    return emit(std::move(nest));
  int64_t lanes = builder.getLanes(vta::Memory::Wgt);
  std::optional<unsigned> outer;
  int64_t elements = 1;
  for (unsigned loop = 0; loop < nest.getNumLoops(); ++loop) {
    int64_t step = address->steps[loop];
    if (step == 0)
      continue;
    elements *= nest.extents[loop];
    if (nest.extents[loop] > 1 && step % lanes == 0 &&
        (!outer || step > address->steps[*outer]))
      outer = loop;
  }
  if (!outer)
    return emit(std::move(nest));
  double beats = double(builder.getElementBytes(vta::Memory::Wgt)) /
                 double(builder.getConfig().getBusBytes());
  return emitParts(nest, *outer, double(elements) / double(lanes) * beats,
                   emit);
}
