//===- IterationOrder.cpp - What iterations leave to each other -----------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Answers whether the iterations of loops may run in another order, or at the
// same time: whether any of them reads or overwrites what another one writes.
// The primitives that reverse, merge, parallelize, vectorize and bind loops ask
// this before they change anything. Indices are compared as sums and as digits
// (`x floordiv 4` and `x mod 4` together tell x). What cannot be decided is
// refused.
//
//===----------------------------------------------------------------------===//

#include "LoopRegion.h"
#include "ScheduleSupport.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "relay-mlir/Dialect/TIR/IR/LoopNest.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/MathExtras.h"

#include <numeric>
#include <set>

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
        region.add(block, access);
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

static std::optional<int64_t> getConstantDifference(AffineExpr a,
                                                    AffineExpr b) {
  auto difference = dyn_cast<AffineConstantExpr>(
      LinearSum::get(a - b).toExpr(a.getContext()));
  if (!difference)
    return std::nullopt;
  return difference.getValue();
}

namespace {

/// An expression as `coefficient` times `term`, which depends on a variable,
/// and what does not.
struct DependentPart {
  AffineExpr term;
  int64_t coefficient;
  AffineExpr rest;
};

} // namespace

static std::optional<DependentPart> takeDependentPart(AffineExpr expr,
                                                      AffineExpr variable) {
  LinearSum dependent, rest, sum = LinearSum::get(expr);
  rest.constant = sum.constant;
  DependentPart result{{}, 0, {}};
  unsigned position = cast<AffineDimExpr>(variable).getPosition();
  for (auto [term, factor] : sum.terms) {
    bool depends = term.isFunctionOfDim(position);
    (depends ? dependent : rest).add(term, factor);
    if (depends)
      result.coefficient = std::gcd(result.coefficient, factor);
  }
  if (result.coefficient == 0)
    return std::nullopt;
  for (auto &[term, factor] : dependent.terms)
    factor /= result.coefficient;
  result.term = dependent.toExpr(expr.getContext());
  result.rest = rest.toExpr(expr.getContext());
  return result;
}

namespace {

/// The value of `(x floordiv divisor) mod modulus`; without `mod` if the
/// modulus is 0.
struct Digit {
  int64_t divisor, modulus;
};

} // namespace

/// `expr` as a digit of `variable`.
static std::optional<Digit> getDigit(AffineExpr expr, AffineExpr variable) {
  if (expr == variable)
    return Digit{1, 0};
  auto operation = dyn_cast<AffineBinaryOpExpr>(expr);
  auto factor = operation ? dyn_cast<AffineConstantExpr>(operation.getRHS())
                          : AffineConstantExpr();
  if (!factor || factor.getValue() <= 0)
    return std::nullopt;
  std::optional<Digit> digit = getDigit(operation.getLHS(), variable);
  if (!digit)
    return std::nullopt;
  int64_t value = factor.getValue();
  if (operation.getKind() == AffineExprKind::FloorDiv) {
    if (digit->modulus % value != 0 ||
        llvm::MulOverflow(digit->divisor, value, digit->divisor))
      return std::nullopt;
    digit->modulus /= value;
    // What is left of it is zero.
    if (digit->modulus == 1)
      return std::nullopt;
    return digit;
  }
  if (operation.getKind() != AffineExprKind::Mod)
    return std::nullopt;
  if (digit->modulus == 0 || digit->modulus % value == 0)
    digit->modulus = value;
  else if (value % digit->modulus != 0)
    return std::nullopt;
  return digit;
}

/// Whether `terms` tell any value of `variable`, from its last digit to its
/// first one, which has no modulus.
static bool tellAllDigits(ArrayRef<AffineExpr> terms, AffineExpr variable) {
  SmallVector<Digit> digits;
  for (AffineExpr term : terms)
    if (std::optional<Digit> digit = getDigit(term, variable))
      digits.push_back(*digit);
  // The variable is known but for multiples of this.
  int64_t known = 1;
  while (true) {
    int64_t next = known;
    for (auto [divisor, modulus] : digits) {
      if (known % divisor != 0)
        continue;
      if (modulus == 0)
        return true;
      int64_t reach;
      if (!llvm::MulOverflow(divisor, modulus, reach) && reach % known == 0)
        next = std::max(next, reach);
    }
    if (next == known)
      return false;
    known = next;
  }
}

/// Whether values of the variable of `loop` that differ give different values
/// of one of `terms` at least, like x floordiv 4 and x mod 4.
static bool areDigits(ArrayRef<AffineExpr> terms, AffineExpr variable,
                      ForOp loop) {
  if (tellAllDigits(terms, variable))
    return true;
  // Else one looks: the first digit may be always zero.
  constexpr int64_t maxExtent = 1 << 16;
  std::optional<int64_t> lower = loop.getConstantLowerBound();
  std::optional<int64_t> extent = loop.getConstantExtent();
  unsigned position = cast<AffineDimExpr>(variable).getPosition();
  bool isOwn = llvm::all_of(terms, [&](AffineExpr term) {
    bool others = false;
    term.walk([&](AffineExpr part) {
      others |= isa<AffineSymbolExpr>(part) ||
                (isa<AffineDimExpr>(part) && part != variable);
    });
    return !others;
  });
  if (!isOwn || terms.empty() || !lower || !extent || *extent > maxExtent)
    return false;
  std::set<SmallVector<int64_t>> seen;
  for (int64_t value = *lower; value < *lower + *extent; ++value) {
    SmallVector<AffineExpr> dims(position + 1, variable);
    dims[position] = getAffineConstantExpr(value, variable.getContext());
    SmallVector<int64_t> digits;
    for (AffineExpr term : terms) {
      auto digit =
          dyn_cast<AffineConstantExpr>(term.replaceDimsAndSymbols(dims, {}));
      if (!digit)
        return false;
      digits.push_back(digit.getValue());
    }
    if (!seen.insert(digits).second)
      return false;
  }
  return true;
}

/// Whether different iterations touch different elements: along some
/// dimensions each has a window of its own.
static bool areApart(ArrayRef<IterationAccess> accesses, AffineExpr variable,
                     ForOp loop) {
  SmallVector<AffineExpr> digits;
  for (unsigned dim = 0, e = accesses.front().region.size(); dim != e; ++dim) {
    std::optional<DependentPart> first;
    int64_t begin = 0, end = 0;
    bool known = true;
    for (const IterationAccess &access : accesses) {
      const std::optional<DimRegion> &region = access.region[dim];
      auto extent = region ? dyn_cast<AffineConstantExpr>(region->extent)
                           : AffineConstantExpr();
      std::optional<DependentPart> split;
      if (extent)
        split = takeDependentPart(region->min, variable);
      known = split && (!first ||
                        (first->coefficient == split->coefficient &&
                         getConstantDifference(first->term, split->term) == 0));
      if (!known)
        break;
      if (!first)
        first = split;
      std::optional<int64_t> offset =
          getConstantDifference(split->rest, first->rest);
      known = offset.has_value();
      if (!known)
        break;
      begin = std::min(begin, *offset);
      end = std::max(end, *offset + extent.getValue());
    }
    if (known && first && end - begin <= std::abs(first->coefficient))
      digits.push_back(first->term);
  }
  return areDigits(digits, variable, loop);
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

/// Adds the buffers that iterations of `loop` share and `block` writes.
static void addWrittenOutside(BlockOp block, ForOp loop,
                              llvm::SetVector<Value> &written) {
  for (Value buffer : block.getWrites())
    if (isDefinedOutside(getBaseBuffer(buffer), loop))
      written.insert(getBaseBuffer(buffer));
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
      addWrittenOutside(block, loop, written);
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
    if (accesses.empty() || isOneBlock ||
        areApart(accesses, variable, loops.front()) ||
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

/// Whether only one instance of `block` writes an element of `buffer`, so that
/// whoever computes the element computes the same.
static bool areInstancesApart(BlockOp block, Value buffer) {
  MLIRContext *context = block.getContext();
  AffineExpr zero = getAffineConstantExpr(0, context);
  SmallVector<int64_t> shape(block.getStaticExtents());
  for (auto [iter, kind] : llvm::enumerate(block.getKinds()))
    if (kind == IterKind::Opaque)
      shape[iter] = 1;
  for (const BufferAccess &access : collectAccesses(block)) {
    if (access.buffer != buffer || !access.isWrite)
      continue;
    if (!access.map)
      return false;
    SmallVector<AffineExpr> zeros(access.map->getNumSymbols(), zero), results;
    for (AffineExpr expr : access.map->getResults()) {
      expr = expr.replaceSymbols(zeros);
      results.push_back(expr - LinearSum::get(expr).constant);
    }
    AffineMap map =
        AffineMap::get(access.map->getNumDims(), 0, results, context);
    if (!isOneToOne(map, shape))
      return false;
  }
  return true;
}

/// Whether only one block accesses the buffer, whose instances do not meet, and
/// each iteration of `loop` has instances of its own.
static bool areInstancesIndependent(ArrayRef<IterationAccess> accesses,
                                    ForOp loop) {
  BlockOp block = accesses.front().block;
  return block->hasAttr(kIndependentAttr) &&
         llvm::all_of(accesses,
                      [&](const IterationAccess &access) {
                        return access.block == block;
                      }) &&
         llvm::is_contained(block.getBindings(), loop.getInductionVar());
}

DiagnosedSilenceableFailure mlir::tir::checkIterationsConcurrent(ForOp loop) {
  llvm::SetVector<Value> written;
  for (BlockOp block : loop.getBlocks())
    addWrittenOutside(block, loop, written);

  for (Value buffer : written) {
    IndexSpace space(buffer.getContext());
    SmallVector<IterationAccess> accesses =
        collectIterationAccesses(buffer, loop, space);
    if (accesses.empty())
      continue;
    llvm::SetVector<BlockOp> writers, readers;
    for (const IterationAccess &access : accesses)
      (access.isWrite ? writers : readers).insert(access.block);
    BlockOp updater;
    for (BlockOp block : writers)
      if (readers.contains(block))
        updater = block;
    // What one block computes afresh is the same in whatever iteration.
    bool isSame = !updater && !isRolling(buffer) && writers.size() == 1 &&
                  areInstancesApart(writers.front(), buffer) &&
                  (readers.empty() || areSelfContained(accesses));
    AffineExpr variable = space.getExpr(loop.getInductionVar());
    if (isSame || areApart(accesses, variable, loop) ||
        areInstancesIndependent(accesses, loop))
      continue;
    // What an intrinsic touches is not known by element.
    BlockOp unknown;
    for (const IterationAccess &access : accesses)
      if (llvm::any_of(
              collectAccesses(access.block), [&](const BufferAccess &part) {
                return part.buffer == buffer && !part.map &&
                       !isa<affine::AffineLoadOp, affine::AffineStoreOp>(
                           part.op);
              }))
        unknown = access.block;
    if (unknown) {
      DiagnosedSilenceableFailure failure =
          refuse(loop) << "expects iterations that access different elements, "
                          "but those of block @"
                       << unknown.getName() << " are not known";
      failure.attachNote(unknown.getLoc())
          << "a loop gets its kind before a nest inside becomes an intrinsic";
      return failure;
    }
    if (updater)
      return refuse(loop)
             << "expects iterations that update different elements, but those "
                "of block @"
             << updater.getName()
             << " overlap in a buffer from outside of the loop";
    BlockOp writer = writers.front();
    DiagnosedSilenceableFailure failure =
        refuse(loop) << "expects iterations that do not use each other's "
                        "results, but they share what block @"
                     << writer.getName() << " writes";
    for (const IterationAccess &access : accesses)
      if (access.block != writer) {
        failure.attachNote(BlockOp(access.block).getLoc())
            << "block @" << BlockOp(access.block).getName()
            << (access.isWrite ? " writes it too" : " uses it here");
        break;
      }
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
