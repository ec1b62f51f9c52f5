//===- TensorizeWith.cpp - Intrinsics by description ----------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A description is a kernel that computes what the intrinsic does; the nest to
// replace is compared with it, access by access and operation by operation, up
// to where in its buffers it works. That the two agree is the proof that the
// implementation may take the place of the nest.
//
//===----------------------------------------------------------------------===//

#include "ScheduleSupport.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Verifier.h"
#include "relay-mlir/Dialect/TIR/Schedule/Tensorize.h"
#include "relay-mlir/Support/SilentDiagnostics.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace mlir::tir;

namespace {

/// A nest with one block, whose indices are seen as functions of its loops.
struct DescribedNest {
  explicit DescribedNest(MLIRContext *context) : space(context) {}

  SmallVector<ForOp> loops;
  BlockOp block;
  IndexSpace space;

  /// Takes the perfect nest from `outermost` down.
  bool collect(ForOp outermost);

  /// One index of an access: `outer` plus a multiple of each loop; false if it
  /// is something else.
  bool split(AffineExpr index, SmallVectorImpl<int64_t> &strides,
             AffineExpr &outer);

  /// The indices of a load or store.
  SmallVector<AffineExpr> getIndices(Operation *op);
};

/// Where a buffer of the description lies in the nest to replace.
struct Placement {
  Value buffer;
  SmallVector<AffineExpr> offsets;
};

class DescriptionMatcher {
public:
  DescriptionMatcher(DescribedNest &description, DescribedNest &target)
      : description(description), target(target) {}

  /// Whether the two blocks do the same.
  bool match();

  std::string reason;
  llvm::MapVector<Value, Placement> placements;

private:
  bool fail(const Twine &why) {
    reason = why.str();
    return false;
  }
  bool matchLoops();
  bool isFlat(relay::MemoryAttr memory);
  bool matchValues(Value described, Value value);
  bool matchAccess(Operation *described, Operation *op);

  DescribedNest &description;
  DescribedNest &target;
  llvm::DenseMap<Value, Value> values;
};

} // namespace

static relay::MemoryAttr getMemory(Value buffer) {
  return dyn_cast_if_present<relay::MemoryAttr>(
      cast<MemRefType>(buffer.getType()).getMemorySpace());
}

static StringRef getName(relay::MemoryAttr memory) {
  return memory ? memory.getName() : StringRef(relay::MemoryAttr::kGlobal);
}

bool DescribedNest::collect(ForOp outermost) {
  Operation *op = outermost;
  while (auto loop = dyn_cast<ForOp>(op)) {
    if (loop.getConstantLowerBound() != 0 || !loop.getConstantExtent() ||
        loop.getKind() != ForKind::Serial)
      return false;
    loops.push_back(loop);
    Operation *inner = nullptr;
    for (Operation &nested : loop.getBody()->without_terminator()) {
      if (isa<affine::AffineApplyOp>(nested))
        continue;
      if (inner)
        return false;
      inner = &nested;
    }
    if (!isa_and_nonnull<ForOp, BlockOp>(inner))
      return false;
    op = inner;
  }
  block = dyn_cast<BlockOp>(op);
  return static_cast<bool>(block);
}

bool DescribedNest::split(AffineExpr index, SmallVectorImpl<int64_t> &strides,
                          AffineExpr &outer) {
  strides.assign(loops.size(), 0);
  LinearSum rest, sum = LinearSum::get(index);
  rest.constant = sum.constant;
  for (auto [term, coefficient] : sum.terms) {
    bool isLoop = false;
    for (auto [position, loop] : llvm::enumerate(loops)) {
      Value variable = ForOp(loop).getInductionVar();
      if (!space.dependsOn(term, variable))
        continue;
      if (!isa<AffineDimExpr>(term))
        return false;
      strides[position] += coefficient;
      isLoop = true;
    }
    if (!isLoop)
      rest.add(term, coefficient);
  }
  outer = rest.toExpr(index.getContext());
  return true;
}

SmallVector<AffineExpr> DescribedNest::getIndices(Operation *op) {
  AffineMap map;
  SmallVector<Value> operands;
  if (auto load = dyn_cast<affine::AffineLoadOp>(op)) {
    map = load.getAffineMap();
    operands = load.getMapOperands();
  } else {
    auto store = cast<affine::AffineStoreOp>(op);
    map = store.getAffineMap();
    operands = store.getMapOperands();
  }
  SmallVector<AffineExpr> indices;
  for (AffineExpr result : map.getResults())
    indices.push_back(space.getExpr(result, map.getNumDims(), operands));
  // Iteration variables are what they are bound to.
  SmallVector<AffineExpr> dims;
  for (size_t i = 0; i < space.getDims().size(); ++i) {
    auto arg = cast<BlockArgument>(space.getDims()[i]);
    dims.push_back(arg.getOwner() == block.getBody()
                       ? space.getExpr(block.getBindings()[arg.getArgNumber()])
                       : getAffineDimExpr(i, op->getContext()));
  }
  for (AffineExpr &index : indices)
    index = index.replaceDims(dims);
  return indices;
}

bool DescriptionMatcher::matchLoops() {
  if (description.loops.size() != target.loops.size())
    return fail("it has " + Twine(target.loops.size()) + " loops, not " +
                Twine(description.loops.size()));
  for (size_t i = 0; i != target.loops.size(); ++i) {
    ForOp wanted = description.loops[i], loop = target.loops[i];
    if (wanted.getConstantExtent() != loop.getConstantExtent())
      return fail("loop " + Twine(i) + " has the extent " +
                  Twine(*loop.getConstantExtent()) + ", not " +
                  Twine(*wanted.getConstantExtent()));
    auto isReduce = [](DescribedNest &nest, ForOp loop) {
      for (auto [index, binding] : llvm::enumerate(nest.block.getBindings()))
        if (nest.block.getIterKind(index) != IterKind::Spatial &&
            nest.space.dependsOn(nest.space.getExpr(binding),
                                 loop.getInductionVar()))
          return true;
      return false;
    };
    if (isReduce(description, wanted) != isReduce(target, loop))
      return fail("loop " + Twine(i) + " is not of the same kind");
  }
  return true;
}

/// Whether what works in the default memory works in `memory`.
bool DescriptionMatcher::isFlat(relay::MemoryAttr memory) {
  relay::TargetAttrInterface attribute =
      relay::lookupTarget(target.loops.front());
  std::optional<relay::MemoryInfo> info;
  if (attribute)
    info = relay::lookupMemory(attribute, memory.getName());
  return info && info->access == relay::MemoryAccess::Flat;
}

bool DescriptionMatcher::matchAccess(Operation *described, Operation *op) {
  bool isLoad = isa<affine::AffineLoadOp>(described);
  Value wanted = described->getOperand(isLoad ? 0 : 1);
  Value buffer = op->getOperand(isLoad ? 0 : 1);
  SmallVector<AffineExpr> wantedIndices = description.getIndices(described);
  SmallVector<AffineExpr> indices = target.getIndices(op);
  if (indices.size() < wantedIndices.size() ||
      cast<MemRefType>(wanted.getType()).getElementType() !=
          cast<MemRefType>(buffer.getType()).getElementType())
    return fail("an access is to a buffer of another type");
  auto wantedMemory = getMemory(wanted), memory = getMemory(buffer);
  if (wantedMemory != memory && (wantedMemory || !isFlat(memory)))
    return fail("an access is to memory " + getName(memory) + ", not " +
                getName(wantedMemory));
  Placement placement{buffer, {}};
  size_t leading = indices.size() - wantedIndices.size();
  for (auto [dim, index] : llvm::enumerate(indices)) {
    SmallVector<int64_t> strides, wantedStrides(target.loops.size(), 0);
    AffineExpr outer, wantedOuter = getAffineConstantExpr(0, op->getContext());
    if (!target.split(index, strides, outer) ||
        (dim >= leading && !description.split(wantedIndices[dim - leading],
                                              wantedStrides, wantedOuter)))
      return fail("an index is not a sum of loops");
    if (strides != wantedStrides || !isa<AffineConstantExpr>(wantedOuter))
      return fail("index " + Twine(dim) +
                  " of an access moves otherwise with the loops");
    placement.offsets.push_back(outer - wantedOuter);
  }
  auto [it, isNew] = placements.insert({wanted, placement});
  if (!isNew &&
      (it->second.buffer != buffer || it->second.offsets != placement.offsets))
    return fail("accesses of one buffer are to different places");
  return true;
}

bool DescriptionMatcher::matchValues(Value described, Value value) {
  if (Value known = values.lookup(described))
    return known == value || fail("a value is used otherwise");
  Operation *wanted = described.getDefiningOp(), *op = value.getDefiningOp();
  if (!wanted || !op || wanted->getName() != op->getName() ||
      described.getType() != value.getType() || op->getNumRegions() != 0 ||
      cast<OpResult>(described).getResultNumber() !=
          cast<OpResult>(value).getResultNumber())
    return fail(op ? "it computes " + op->getName().getStringRef() +
                         " where the description has another operation"
                   : Twine("it uses an index as a value"));
  values[described] = value;
  if (isa<affine::AffineLoadOp>(op))
    return matchAccess(wanted, op);
  if (!isPure(op))
    return fail("it has an operation with effects");
  if (wanted->getAttrDictionary() != op->getAttrDictionary())
    return fail("an operation has other attributes");
  return llvm::all_of_zip(
      wanted->getOperands(), op->getOperands(),
      [this](Value a, Value b) { return matchValues(a, b); });
}

/// The only store in the body of `block`, which has no init, or null.
static affine::AffineStoreOp getOnlyStore(BlockOp block) {
  affine::AffineStoreOp store;
  for (Operation &op : block.getBody()->without_terminator()) {
    if (isPure(&op) || isa<affine::AffineLoadOp>(op))
      continue;
    if (store || !isa<affine::AffineStoreOp>(op))
      return {};
    store = cast<affine::AffineStoreOp>(op);
  }
  return store;
}

bool DescriptionMatcher::match() {
  if (!matchLoops())
    return false;
  affine::AffineStoreOp wanted = getOnlyStore(description.block);
  affine::AffineStoreOp store = getOnlyStore(target.block);
  if (!wanted || !store)
    return fail("a block has an init, or does not end in one store");
  if (!matchAccess(wanted, store) ||
      !matchValues(wanted.getValueToStore(), store.getValueToStore()))
    return false;
  // The implementation may read and write in any order.
  for (auto &[described, placement] : placements)
    if (described != wanted.getMemRef() &&
        placement.buffer == store.getMemRef())
      return fail("it reads the buffer that it writes at another place");
  return true;
}

/// Creates the block that runs the implementation in the place of the nest.
static BlockOp createImplementation(RewriterBase &rewriter,
                                    DescribedNest &target,
                                    const DescriptionMatcher &matcher,
                                    PrimFuncOp description,
                                    PrimFuncOp implementation) {
  BlockOp old = target.block;
  Location loc = old.getLoc();
  SmallVector<IterKind> kinds;
  SmallVector<Value> bindings;
  SmallVector<OpFoldResult> extents;
  for (ForOp loop = target.loops.front().getParentLoop(); loop;
       loop = loop.getParentLoop()) {
    Value variable = loop.getInductionVar();
    IterKind kind = IterKind::Spatial;
    bool isUsed = false;
    for (auto [index, binding] : llvm::enumerate(old.getBindings())) {
      if (!target.space.dependsOn(target.space.getExpr(binding), variable))
        continue;
      isUsed = true;
      if (old.getIterKind(index) != IterKind::Spatial)
        kind = old.getIterKind(index);
    }
    if (!isUsed)
      continue;
    kinds.insert(kinds.begin(), kind);
    bindings.insert(bindings.begin(), variable);
    extents.insert(extents.begin(), loop.getUpperBound());
  }
  rewriter.setInsertionPoint(target.loops.front());
  auto block =
      BlockOp::create(rewriter, loc, old.getName(), kinds, bindings, extents);
  rewriter.setInsertionPoint(block.getBody()->getTerminator());
  SmallVector<Value> operands;
  for (Value dim : target.space.getDims()) {
    auto *it = llvm::find(bindings, dim);
    operands.push_back(it == bindings.end()
                           ? dim
                           : block.getIterVars()[it - bindings.begin()]);
  }
  llvm::append_range(operands, target.space.getSymbols());

  IRMapping mapping;
  for (auto [described, argument] : llvm::zip_equal(
           description.getArguments(), implementation.getArguments())) {
    const Placement &placement = matcher.placements.find(described)->second;
    SmallVector<OpFoldResult> offsets, sizes, strides;
    ArrayRef<int64_t> shape = cast<MemRefType>(described.getType()).getShape();
    size_t leading = placement.offsets.size() - shape.size();
    for (auto [dim, offset] : llvm::enumerate(placement.offsets)) {
      if (auto constant = dyn_cast<AffineConstantExpr>(offset)) {
        offsets.push_back(rewriter.getIndexAttr(constant.getValue()));
      } else {
        AffineMap map =
            AffineMap::get(target.space.getDims().size(),
                           target.space.getSymbols().size(), offset);
        SmallVector<Value> used = operands;
        dropUnusedOperands(map, used);
        offsets.push_back(
            affine::AffineApplyOp::create(rewriter, loc, map, used)
                .getResult());
      }
      sizes.push_back(
          rewriter.getIndexAttr(dim < leading ? 1 : shape[dim - leading]));
      strides.push_back(rewriter.getIndexAttr(1));
    }
    MemRefType type = memref::SubViewOp::inferRankReducedResultType(
        shape, cast<MemRefType>(placement.buffer.getType()), offsets, sizes,
        strides);
    mapping.map(argument,
                memref::SubViewOp::create(rewriter, loc, type, placement.buffer,
                                          offsets, sizes, strides)
                    .getResult());
  }
  for (Operation &op : implementation.getBody()->without_terminator())
    rewriter.clone(op, mapping);
  block.updateAccessRegions();
  return block;
}

DiagnosedSilenceableFailure mlir::tir::tensorizeWith(RewriterBase &rewriter,
                                                     ForOp loop,
                                                     PrimFuncOp description,
                                                     PrimFuncOp implementation,
                                                     BlockOp &result) {
  if (description.getArgumentTypes() != implementation.getArgumentTypes())
    return refuse(implementation)
           << "expects an implementation with the arguments of the description";
  DescribedNest wanted(loop.getContext()), target(loop.getContext());
  ForOp outermost;
  for (Operation &op : *description.getBody()) {
    if (auto nest = dyn_cast<ForOp>(op)) {
      if (outermost)
        outermost = nullptr;
      else
        outermost = nest;
    }
  }
  if (!outermost || !wanted.collect(outermost) || wanted.block.getPredicate())
    return refuse(description)
           << "expects a description that is a perfect nest of loops with "
              "constant extents around one block";
  bool hasNests = implementation
                      .walk([](Operation *op) {
                        return isa<ForOp, BlockOp, AllocBufferOp>(op)
                                   ? WalkResult::interrupt()
                                   : WalkResult::advance();
                      })
                      .wasInterrupted();
  if (hasNests)
    return refuse(implementation)
           << "expects an implementation without tir loops, blocks and buffers";
  if (!target.collect(loop) || target.block.getPredicate())
    return refuse(loop) << "expects a perfect nest of serial loops with "
                           "constant extents around one block without a guard";

  DescriptionMatcher matcher(wanted, target);
  bool isSame = matcher.match();
  if (isSame)
    for (BlockArgument argument : description.getArguments())
      if (!matcher.placements.contains(argument)) {
        matcher.reason = "the description does not use all of its buffers";
        isSame = false;
      }
  if (!isSame) {
    DiagnosedSilenceableFailure failure =
        refuse(loop) << "expects a nest that does what @"
                     << description.getSymName() << " describes, but "
                     << matcher.reason;
    failure.attachNote(description.getLoc()) << "description";
    return failure;
  }
  OpBuilder::InsertionGuard insertion(rewriter);
  result = createImplementation(rewriter, target, matcher, description,
                                implementation);
  // The views have strides that the arguments of the implementation have not.
  bool isValid;
  {
    relay::SilentDiagnostics silence(loop.getContext());
    isValid = succeeded(verify(result));
  }
  if (!isValid) {
    rewriter.eraseOp(result);
    return refuse(implementation)
           << "expects an implementation that is valid for parts of buffers";
  }
  rewriter.eraseOp(loop);
  eraseDeadIndexOps(rewriter, result.getFunction());
  return DiagnosedSilenceableFailure::success();
}
