//===- IterationOrder.cpp - What iterations leave to each other -----------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LoopRegion.h"
#include "ScheduleSupport.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace mlir::tir;

namespace {

/// What one access of a buffer touches in one iteration of the loops.
struct IterationAccess {
  BlockOp block;
  bool isWrite;
  SmallVector<std::optional<DimRegion>> region;
};

} // namespace

/// All accesses of `buffer` in `loops`. The variables of all loops become that
/// of the first.
static SmallVector<IterationAccess>
collectIterationAccesses(Value buffer, ArrayRef<ForOp> loops,
                         IndexSpace &space) {
  AffineExpr first = space.getExpr(ForOp(loops.front()).getInductionVar());
  SmallVector<IterationAccess> accesses;
  for (ForOp loop : loops) {
    AffineExpr variable = space.getExpr(loop.getInductionVar());
    for (BlockOp block : loop.getBlocks())
      for (const BufferAccess &access : collectAccesses(block)) {
        if (access.buffer != buffer)
          continue;
        LoopRegion region(space, loop);
        if (access.map)
          region.add(block, *access.map, access.symbols);
        else
          region.addWhole(cast<MemRefType>(buffer.getType()).getRank());
        IterationAccess &added = accesses.emplace_back();
        added.block = block;
        added.isWrite = access.isWrite;
        for (std::optional<DimRegion> dim : region.get()) {
          if (dim)
            dim = DimRegion{dim->min.replace(variable, first),
                            dim->extent.replace(variable, first)};
          added.region.push_back(dim);
        }
      }
  }
  return accesses;
}

/// The coefficient of `variable` in `expr`, and what is left; nullopt if `expr`
/// depends on it in some other way.
static std::optional<std::pair<int64_t, AffineExpr>>
takeCoefficient(AffineExpr expr, AffineExpr variable) {
  int64_t coefficient = 0;
  LinearSum rest, sum = LinearSum::get(expr);
  rest.constant = sum.constant;
  unsigned position = cast<AffineDimExpr>(variable).getPosition();
  for (auto [term, factor] : sum.terms) {
    if (term == variable)
      coefficient = factor;
    else if (term.isFunctionOfDim(position))
      return std::nullopt;
    else
      rest.add(term, factor);
  }
  return std::make_pair(coefficient, rest.toExpr(expr.getContext()));
}

static std::optional<int64_t> getConstantDifference(AffineExpr a,
                                                    AffineExpr b) {
  auto difference = dyn_cast<AffineConstantExpr>(
      LinearSum::get(a - b).toExpr(a.getContext()));
  if (!difference)
    return std::nullopt;
  return difference.getValue();
}

/// Whether different iterations touch different elements: along some dimension
/// each has a window of its own.
static bool areApart(ArrayRef<IterationAccess> accesses, AffineExpr variable) {
  for (unsigned dim = 0, e = accesses.front().region.size(); dim != e; ++dim) {
    std::optional<std::pair<int64_t, AffineExpr>> first;
    int64_t begin = 0, end = 0;
    bool known = true;
    for (const IterationAccess &access : accesses) {
      const std::optional<DimRegion> &region = access.region[dim];
      auto extent = region ? dyn_cast<AffineConstantExpr>(region->extent)
                           : AffineConstantExpr();
      auto split = extent ? takeCoefficient(region->min, variable)
                          : std::optional<std::pair<int64_t, AffineExpr>>();
      if (!split || split->first == 0 ||
          (first && first->first != split->first)) {
        known = false;
        break;
      }
      if (!first)
        first = split;
      std::optional<int64_t> offset =
          getConstantDifference(split->second, first->second);
      if (!offset) {
        known = false;
        break;
      }
      begin = std::min(begin, *offset);
      end = std::max(end, *offset + extent.getValue());
    }
    if (known && end - begin <= std::abs(first->first))
      return true;
  }
  return false;
}

static bool contains(const DimRegion &outer, const DimRegion &inner) {
  std::optional<int64_t> low = getConstantDifference(inner.min, outer.min);
  std::optional<int64_t> high =
      getConstantDifference(outer.min + outer.extent, inner.min + inner.extent);
  return low && high && *low >= 0 && *high >= 0;
}

/// Whether each iteration computes by itself, in one block that writes nothing
/// else into it, whatever it reads of the buffer.
static bool areSelfContained(ArrayRef<IterationAccess> accesses) {
  const IterationAccess *write = nullptr;
  for (const IterationAccess &access : accesses) {
    if (!access.isWrite)
      continue;
    if (write)
      return false;
    write = &access;
  }
  for (const IterationAccess &access : accesses) {
    if (access.isWrite)
      continue;
    if (access.block == write->block || !isBefore(write->block, access.block))
      return false;
    for (auto [written, read] : llvm::zip(write->region, access.region))
      if (!written || !read || !contains(*written, *read))
        return false;
  }
  return true;
}

DiagnosedSilenceableFailure
mlir::tir::checkIterationsApart(ArrayRef<ForOp> loops) {
  llvm::SetVector<Value> written;
  for (ForOp loop : loops)
    for (BlockOp block : loop.getBlocks()) {
      IndexSpace space(block.getContext());
      for (auto [index, binding] : llvm::enumerate(block.getBindings()))
        if (block.getIterKind(index) == IterKind::Opaque &&
            space.dependsOn(space.getExpr(binding), loop.getInductionVar()))
          return refuse(loop)
                 << "expects a loop that feeds no opaque variable, but it "
                    "feeds one of block @"
                 << block.getName();
      for (Value buffer : block.getWrites())
        if (isDefinedOutside(getBaseBuffer(buffer), loop))
          written.insert(getBaseBuffer(buffer));
    }

  for (Value buffer : written) {
    IndexSpace space(buffer.getContext());
    SmallVector<IterationAccess> accesses =
        collectIterationAccesses(buffer, loops, space);
    // Instances of one block are independent, or combine in any order.
    bool isOneBlock = llvm::all_of(accesses, [&](const IterationAccess &a) {
      return a.block == accesses.front().block;
    });
    AffineExpr variable = space.getExpr(ForOp(loops.front()).getInductionVar());
    if (accesses.empty() || isOneBlock || areApart(accesses, variable) ||
        areSelfContained(accesses))
      continue;
    BlockOp writer, other;
    for (const IterationAccess &access : accesses) {
      if (access.isWrite && !writer)
        writer = access.block;
      else if (access.block != writer)
        other = access.block;
    }
    DiagnosedSilenceableFailure failure =
        refuse(loops.front())
        << "expects iterations that do not use each other's results, but they "
           "share what block @"
        << writer.getName() << " writes";
    if (other)
      failure.attachNote(other.getLoc())
          << "block @" << other.getName() << " uses it here";
    return failure;
  }
  return DiagnosedSilenceableFailure::success();
}

DiagnosedSilenceableFailure
mlir::tir::matchTrivialNest(BlockOp block, SmallVectorImpl<ForOp> &loops) {
  SmallVector<ForOp, 6> around = block.getLoops();
  auto refuseNest = [&]() {
    return refuse(block) << "expects block @" << block.getName()
                         << " without a guard, in a nest of its own with one "
                            "serial loop from 0 for each iteration variable";
  };
  if (around.size() != block.getNumIters() || block.getPredicate())
    return refuseNest();
  for (auto [index, loop] : llvm::enumerate(around)) {
    bool isLast = index + 1 == around.size();
    bool isPerfect =
        isLast ? llvm::hasSingleElement(loop.getBody()->without_terminator())
               : loop.getOnlyChildLoop() == around[index + 1];
    if (!isPerfect || loop.getKind() != ForKind::Serial ||
        loop.getConstantLowerBound() != 0)
      return refuseNest();
  }
  for (auto [binding, extent] :
       llvm::zip(block.getBindings(), block.getExtents())) {
    ForOp loop;
    for (ForOp candidate : around)
      if (candidate.getInductionVar() == binding)
        loop = candidate;
    if (!loop || llvm::is_contained(loops, loop) ||
        !isEqualConstantIntOrValue(loop.getUpperBound(), extent))
      return refuseNest();
    loops.push_back(loop);
  }
  return DiagnosedSilenceableFailure::success();
}
