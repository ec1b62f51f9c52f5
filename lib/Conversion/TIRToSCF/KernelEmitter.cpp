//===- KernelEmitter.cpp - Loop nests of blocks to scf and vector ---------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The part of the emitter that walks over the kernel: loops by their kind, and
// buffers. EmitBlocks.cpp has blocks, EmitReductions.cpp what reductions need,
// EmitAccesses.cpp loads and stores, EmitValues.cpp all other values.
//
// A vectorized loop becomes a loop over whole vectors and a rest, which runs
// under a mask or on fewer lanes. A short one is written out. Several vectors
// run side by side where one result would wait for the other. What LoopPlan
// found not to be possible on lanes runs one lane at a time.
//
//===----------------------------------------------------------------------===//

#include "KernelEmitter.h"

#include "EmitProducts.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "relay-mlir/Dialect/TIR/Analysis/BlockNest.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/SaveAndRestore.h"

#include <numeric>

using namespace mlir;
using namespace mlir::relay::detail;
using tir::BlockOp;
using tir::ForKind;
using tir::ForOp;

/// A loop over vectors that is at most this long is written out.
static constexpr int64_t kMaxUnrolledVectors = 8;
/// What is written out side by side has at most about this many operations:
/// LLVM needs time that grows with the square of straight code. A chain of 250
/// powers on eight vectors took it 90 seconds, in a loop it takes 2.
static constexpr int64_t kMaxUnrolledWork = 1024;
/// Independent accumulators of one reduction: enough to hide the latency of an
/// addition.
static constexpr int64_t kNumSlots = 4;
/// Vectors whose long chains of operations run side by side.
static constexpr int64_t kNumChains = 4;
/// Bytes that are stored together: as many as tables are looked up for at once.
static constexpr int64_t kMaxByteBits = 256;

/// Whether `memory` has the addresses of the default memory.
bool KernelEmitter::isFlat(MemoryAttr memory) const {
  std::optional<MemoryInfo> info =
      lookupMemory(target.attribute, memory.getName());
  return info && info->access == MemoryAccess::Flat;
}

Type KernelEmitter::convertType(Type type) const {
  if (auto memref = dyn_cast<MemRefType>(type)) {
    Type element = memref.getElementType();
    Type converted = element.isInteger(1)
                         ? IntegerType::get(type.getContext(), 8)
                         : convertType(element);
    auto memory = dyn_cast_if_present<MemoryAttr>(memref.getMemorySpace());
    return MemRefType::get(memref.getShape(), converted, memref.getLayout(),
                           memory && isFlat(memory) ? Attribute()
                                                    : memref.getMemorySpace());
  }
  if (auto integer = dyn_cast<IntegerType>(type);
      integer && !integer.isSignless())
    return IntegerType::get(type.getContext(), integer.getWidth());
  return type;
}

LogicalResult KernelEmitter::emit(func::FuncOp function) {
  plan.analyze(kernel);
  Block *entry = function.addEntryBlock();
  builder.setInsertionPointToStart(entry);
  loc = kernel.getLoc();
  for (auto [from, to] :
       llvm::zip(kernel.getArguments(), entry->getArguments()))
    map(from, Lowered::uniform(to));
  allocaPoint = func::ReturnOp::create(builder, loc);
  builder.setInsertionPoint(allocaPoint);
  // Stack buffers are created before this op, the code after it.
  allocaPoint = arith::ConstantIndexOp::create(builder, loc, 0);
  return emitBody(kernel.getRegion().front());
}

LogicalResult KernelEmitter::emitBody(Block &block) {
  for (Operation &op : block) {
    loc = op.getLoc();
    if (failed(emitOp(&op)))
      return failure();
  }
  return success();
}

LogicalResult KernelEmitter::emitOp(Operation *op) {
  if (isa<tir::ReturnOp, tir::YieldOp, tir::InitOp>(op))
    return success();
  if (auto loop = dyn_cast<ForOp>(op))
    return emitLoop(loop);
  if (auto block = dyn_cast<BlockOp>(op))
    return emitBlock(block);
  if (auto alloc = dyn_cast<tir::AllocBufferOp>(op))
    return emitAlloc(alloc);
  if (isa<affine::AffineLoadOp, affine::AffineStoreOp, memref::LoadOp,
          memref::StoreOp>(op))
    return emitAccess(op);
  if (auto apply = dyn_cast<affine::AffineApplyOp>(op)) {
    AffineMap affineMap = apply.getAffineMap();
    map(apply, evaluate(affineMap.getResult(0), affineMap.getNumDims(),
                        lookupAll(apply.getMapOperands())));
    return success();
  }
  if (auto ifOp = dyn_cast<scf::IfOp>(op))
    return emitConditional(op, lookup(ifOp.getCondition()),
                           ifOp.getThenRegion(), ifOp.getElseRegion());
  if (auto ifOp = dyn_cast<affine::AffineIfOp>(op))
    return emitConditional(
        op, evaluate(ifOp.getIntegerSet(), lookupAll(ifOp.getOperands())),
        ifOp.getThenRegion(), ifOp.getElseRegion());
  if (lanes.count > 1)
    return emitElementwise(op);
  if (auto loop = dyn_cast<affine::AffineForOp>(op);
      loop && loop.hasConstantBounds() && loop.getNumIterOperands() == 0)
    return emitInnerLoop(loop);
  return emitClone(op);
}

/// A loop in the body of a block, as `blockize` makes them.
LogicalResult KernelEmitter::emitInnerLoop(affine::AffineForOp loop) {
  OpBuilder::InsertionGuard guard(builder);
  auto scfLoop = scf::ForOp::create(
      builder, loc, getConstantIndex(loop.getConstantLowerBound()),
      getConstantIndex(loop.getConstantUpperBound()),
      getConstantIndex(loop.getStepAsInt()));
  builder.setInsertionPointToStart(scfLoop.getBody());
  map(loop.getInductionVar(), Lowered::uniform(scfLoop.getInductionVar()));
  for (Operation &inner : loop.getBody()->without_terminator()) {
    loc = inner.getLoc();
    if (failed(emitOp(&inner)))
      return failure();
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

LogicalResult KernelEmitter::emitLoop(ForOp loop) {
  if (isa<tir::PrimFuncOp>(loop->getParentOp()))
    for (BlockOp block : loop.getBlocks()) {
      if (auto product = block->getAttrOfType<cuda::ProductAttr>(
              cuda::ProductAttr::kAttrName))
        return ProductEmitter(*this, block, product).emit();
      // Computed with the product.
      if (block->hasAttr(cuda::ProductAttr::kEpilogueAttrName))
        return success();
    }
  for (BlockOp block : plan.getInitsBefore(loop)) {
    SmallVector<ForOp, 6> loops = block.getLoops();
    size_t depth = llvm::find(loops, loop) - loops.begin();
    if (failed(emitHoistedInit(block, loop, ArrayRef(loops).drop_front(depth))))
      return failure();
    loc = loop.getLoc();
  }
  beginReductions(loop);
  if (failed(emitIterations(loop, [&] { return emitBody(*loop.getBody()); })))
    return failure();
  loc = loop.getLoc();
  return endReductions(loop);
}

LogicalResult KernelEmitter::emitIterations(ForOp loop, BodyFn body) {
  if (loop.getKind() == ForKind::ThreadBinding)
    return emitBound(loop, body);
  if (loop.getKind() == ForKind::Parallel)
    return emitParallel(loop, body);
  if (loop.getKind() == ForKind::Vectorized && plan.canVectorize(loop))
    return emitVectorized(loop, body);

  std::optional<int64_t> extent = loop.getConstantExtent();
  if (loop.getKind() == ForKind::Unrolled && !extent)
    return loop.emitOpError("expects a constant extent of an unrolled loop");
  if (extent && (loop.getKind() == ForKind::Unrolled || *extent <= 1)) {
    for (int64_t i = 0; i < *extent; ++i) {
      map(loop.getInductionVar(), Lowered::uniform(getConstantIndex(
                                      *loop.getConstantLowerBound() + i)));
      if (failed(body()))
        return failure();
    }
    return success();
  }
  return emitSerial(loop, getBound(loop.getLowerBound()),
                    getBound(loop.getUpperBound()), body);
}

/// The loop that is all that `loop` does, or null.
static ForOp getOnlyLoop(ForOp loop) {
  ForOp only;
  for (Operation &op : loop.getBody()->without_terminator()) {
    auto inner = dyn_cast<ForOp>(op);
    if (only && inner)
      return {};
    if (inner)
      only = inner;
    else if (!isMemoryEffectFree(&op))
      return {};
  }
  return only;
}

Value KernelEmitter::isEmptyInside(ForOp loop) {
  if (askedLoops.contains(loop))
    return {};
  Value isEmpty;
  for (ForOp inner = getOnlyLoop(loop);
       inner && plan.getInitsBefore(inner).empty();
       inner = getOnlyLoop(inner)) {
    askedLoops.insert(inner);
    auto isOutside = [&](OpFoldResult bound) {
      auto value = dyn_cast<Value>(bound);
      return !value || !loop->isAncestor(value.getParentBlock()->getParentOp());
    };
    if (inner.getConstantExtent() || !isOutside(inner.getLowerBound()) ||
        !isOutside(inner.getUpperBound()))
      continue;
    Value hasNone = arith::CmpIOp::create(
        builder, loop.getLoc(), arith::CmpIPredicate::sle,
        getBound(inner.getUpperBound()), getBound(inner.getLowerBound()));
    isEmpty =
        isEmpty ? arith::OrIOp::create(builder, loop.getLoc(), isEmpty, hasNone)
                : hasNone;
  }
  return isEmpty;
}

LogicalResult KernelEmitter::emitSerial(ForOp loop, Value lower, Value upper,
                                        BodyFn body) {
  OpBuilder::InsertionGuard guard(builder);
  if (Value isEmpty = isEmptyInside(loop))
    upper =
        arith::SelectOp::create(builder, loop.getLoc(), isEmpty, lower, upper);
  auto scfLoop = scf::ForOp::create(builder, loop.getLoc(), lower, upper,
                                    getConstantIndex(1));
  builder.setInsertionPointToStart(scfLoop.getBody());
  map(loop.getInductionVar(), Lowered::uniform(scfLoop.getInductionVar()));
  return body();
}

Value KernelEmitter::getBound(OpFoldResult bound) {
  if (auto value = dyn_cast<Value>(bound))
    return lookup(value).value;
  return getConstantIndex(*getConstantIntValue(bound));
}

LogicalResult KernelEmitter::emitWithBuffers(ForOp loop, BodyFn body) {
  llvm::SaveAndRestore saved(allocaPoint);
  llvm::SaveAndRestore savedBytes(stackBytes, int64_t(0));
  allocaPoint = arith::ConstantIndexOp::create(builder, loc, 0);
  for (tir::AllocBufferOp alloc : deferredAllocs.lookup(loop))
    createAlloca(alloc);
  return body();
}

LogicalResult KernelEmitter::emitParallel(ForOp loop, BodyFn body) {
  if (!isa<tir::PrimFuncOp>(loop->getParentOp())) {
    InFlightDiagnostic diag = loop.emitOpError(
        "expects to be at the top level of the kernel, as a parallel loop");
    diag.attachNote(loop->getParentOp()->getLoc()) << "it is inside this";
    return diag;
  }
  auto parallel = scf::ParallelOp::create(
      builder, loc, getBound(loop.getLowerBound()),
      getBound(loop.getUpperBound()), getConstantIndex(1));
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(parallel.getBody());
  map(loop.getInductionVar(),
      Lowered::uniform(parallel.getInductionVars().front()));
  // Each thread has stack buffers of its own.
  return emitWithBuffers(loop, body);
}

/// The index of a grid that `tag` names, such as "threadIdx.x"; null for those
/// that are no index of hardware.
static Attribute getMapping(MLIRContext *context, StringRef tag) {
  auto [kind, axis] = tag.split('.');
  gpu::MappingId id = axis == "x"   ? gpu::MappingId::DimX
                      : axis == "y" ? gpu::MappingId::DimY
                                    : gpu::MappingId::DimZ;
  if (kind == "blockIdx")
    return gpu::GPUBlockMappingAttr::get(context, id);
  if (kind == "threadIdx")
    return gpu::GPUThreadMappingAttr::get(context, id);
  return {};
}

LogicalResult KernelEmitter::emitBound(ForOp loop, BodyFn body) {
  StringRef tag = *loop.getThreadTag();
  if (target.attribute.getThreading() != Threading::Grid)
    return loop.emitOpError("expects a kind that ")
           << target.attribute.getDescription()
           << " knows, but got thread_binding \"" << tag << '"';
  Value lower = getBound(loop.getLowerBound());
  Value upper = getBound(loop.getUpperBound());
  Attribute mapping = getMapping(builder.getContext(), tag);
  if (!mapping)
    return emitSerial(loop, lower, upper, body);
  OpFoldResult step = builder.getIndexAttr(1);
  auto forall = scf::ForallOp::create(
      builder, loc, getAsOpFoldResult(lower), getAsOpFoldResult(upper), step,
      ValueRange(), builder.getArrayAttr(mapping));
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(forall.getBody());
  map(loop.getInductionVar(), Lowered::uniform(forall.getInductionVar(0)));
  // Each thread has buffers of its own, each block those that it shares.
  return emitWithBuffers(loop, body);
}

/// The number of lanes such that the widest value fits in a register.
static int64_t getNumLanes(ForOp loop, int64_t registerBits) {
  int64_t widest = 0;
  LoopDependence changing(loop);
  loop.getBody()->walk([&](Operation *op) {
    // Booleans are bytes in memory.
    constexpr int64_t kByte = 8;
    auto count = [&](Type type) {
      if (type.isIntOrFloat())
        widest =
            std::max<int64_t>({widest, kByte, type.getIntOrFloatBitWidth()});
    };
    for (Value operand : op->getOperands())
      if (changing.contains(operand))
        count(operand.getType());
    for (Value result : op->getResults())
      if (changing.contains(result))
        count(result.getType());
  });
  return widest == 0 ? registerBits / 32
                     : std::max<int64_t>(1, registerBits / widest);
}

LogicalResult KernelEmitter::emitLanes(ForOp loop, Value base, int64_t count,
                                       Value mask, int64_t slot, BodyFn body) {
  if (count == 1) {
    map(loop.getInductionVar(), Lowered::uniform(base));
    return body();
  }
  llvm::SaveAndRestore saved(lanes);
  lanes = {count, mask, /*mayBeEmpty=*/false, slot, loop, base};
  map(loop.getInductionVar(), Lowered::linear(base, 1));
  return body();
}

/// Whether the loop computes functions that become long chains of operations.
static bool hasLongChains(ForOp loop) {
  return loop
      .walk([](Operation *op) {
        // Those of double precision are calls.
        return isa<math::ErfOp, math::ExpOp, math::ExpM1Op, math::LogOp,
                   math::Log1pOp, math::TanhOp>(op) &&
                       op->getResult(0).getType().getIntOrFloatBitWidth() <= 32
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      })
      .wasInterrupted();
}

/// Whether the loop stores bytes, and nothing else.
static bool storesBytes(ForOp loop) {
  bool stores = false, isWider = false;
  loop.walk([&](Operation *op) {
    Value stored;
    if (auto store = dyn_cast<affine::AffineStoreOp>(op))
      stored = store.getValueToStore();
    else if (auto store = dyn_cast<memref::StoreOp>(op))
      stored = store.getValueToStore();
    if (!stored)
      return;
    stores = true;
    isWider |= !stored.getType().isInteger(8);
  });
  return stores && !isWider;
}

/// Operations of one iteration.
static int64_t getWork(ForOp loop) {
  int64_t work = 0;
  for (tir::BlockOp block : loop.getBlocks())
    work += tir::getBodyWork(block);
  return work;
}

LogicalResult KernelEmitter::emitVectorized(ForOp loop, BodyFn body) {
  int64_t width = getNumLanes(loop, target.bits);
  // Long chains of several vectors run side by side: it is waiting for one
  // result after the other that takes the time.
  int64_t numChains = width > 1 && hasLongChains(loop) ? kNumChains : 1;
  // What is computed in several vectors becomes one of bytes.
  if (width > 1 && storesBytes(loop))
    numChains =
        std::max<int64_t>(1, std::min(target.bits, kMaxByteBits) / (8 * width));
  int64_t work = getWork(loop);
  if (work * numChains > kMaxUnrolledWork)
    numChains = 1;
  std::optional<int64_t> extent = loop.getConstantExtent();
  AffineExpr d0, d1;
  bindDims(builder.getContext(), d0, d1);
  auto apply = [&](AffineExpr expr, ArrayRef<OpFoldResult> operands) {
    return affine::makeComposedFoldedAffineApply(
        builder, loop.getLoc(), AffineMap::get(operands.size(), 0, expr),
        operands);
  };
  auto toValue = [&](OpFoldResult index) {
    return getValueOrCreateConstantIndexOp(builder, loop.getLoc(), index);
  };
  auto convertBound = [&](OpFoldResult bound) -> OpFoldResult {
    if (auto value = dyn_cast<Value>(bound))
      return getAsOpFoldResult(lookup(value).value);
    return bound;
  };
  OpFoldResult lower = convertBound(loop.getLowerBound());
  OpFoldResult upper = convertBound(loop.getUpperBound());
  int64_t lowerDivisor = getDivisor(toValue(lower));
  auto createMask = [&](int64_t count, OpFoldResult active) {
    return vector::CreateMaskOp::create(
        builder, loop.getLoc(), VectorType::get({count}, builder.getI1Type()),
        ArrayRef<OpFoldResult>{active});
  };

  /// `to` is `from` plus a multiple of `count`.
  auto emitVectorLoop = [&](OpFoldResult from, OpFoldResult to,
                            int64_t count) -> LogicalResult {
    OpBuilder::InsertionGuard guard(builder);
    auto scfLoop = scf::ForOp::create(builder, loop.getLoc(), toValue(from),
                                      toValue(to), getConstantIndex(count));
    builder.setInsertionPointToStart(scfLoop.getBody());
    Value base = scfLoop.getInductionVar();
    divisors[base] = std::gcd(lowerDivisor, width);
    return emitLanes(loop, base, count, Value(), 0, body);
  };

  if (!extent) {
    OpFoldResult rest = apply((d1 - d0) % width, {lower, upper});
    OpFoldResult upperMain = apply(d1 - (d1 - d0) % width, {lower, upper});
    OpFoldResult lowerMain = lower;
    if (numChains > 1) {
      lowerMain = apply(d1 - (d1 - d0) % (width * numChains), {lower, upper});
      if (failed(emitVectorLoop(lower, lowerMain, width * numChains)))
        return failure();
    }
    if (width > 1 && failed(emitVectorLoop(lowerMain, upperMain, width)))
      return failure();
    if (width == 1 || !target.hasMaskedAccess)
      return emitSerial(loop, toValue(width == 1 ? lower : upperMain),
                        toValue(upper), body);
    OpBuilder::InsertionGuard guard(builder);
    Value hasRest =
        arith::CmpIOp::create(builder, loop.getLoc(), arith::CmpIPredicate::sgt,
                              toValue(rest), getConstantIndex(0));
    auto ifOp = scf::IfOp::create(builder, loop.getLoc(), hasRest,
                                  /*withElseRegion=*/false);
    builder.setInsertionPointToStart(ifOp.thenBlock());
    return emitLanes(loop, toValue(upperMain), width, createMask(width, rest),
                     0, body);
  }

  // Short loops do with a part of a register.
  if (*extent < width)
    width = target.hasMaskedAccess ? llvm::PowerOf2Ceil(*extent)
                                   : llvm::bit_floor<uint64_t>(*extent);
  width = std::max<int64_t>(width, 1);
  while (*extent < width * numChains)
    numChains /= 2;
  numChains = std::max<int64_t>(numChains, 1);
  int64_t numVectors = *extent / width;
  int64_t done = numVectors * width;
  if (numVectors > kMaxUnrolledVectors ||
      (numVectors > 1 && numVectors * work > kMaxUnrolledWork)) {
    done -= done % (width * numChains);
    if (failed(emitVectorLoop(lower, apply(d0 + done, {lower}),
                              width * numChains)))
      return failure();
  } else if (numChains > 1) {
    done = 0;
  } else {
    for (int64_t i = 0; i < numVectors; ++i) {
      Value base = toValue(apply(d0 + i * width, {lower}));
      if (failed(emitLanes(loop, base, width, Value(), i % kNumSlots, body)))
        return failure();
    }
  }
  while (done < *extent) {
    int64_t rest = *extent - done;
    Value base = toValue(apply(d0 + done, {lower}));
    int64_t count =
        llvm::bit_floor<uint64_t>(std::min<int64_t>(rest, width * numChains));
    if (target.hasMaskedAccess && rest < width)
      count = llvm::PowerOf2Ceil(rest);
    Value mask;
    if (count > rest)
      mask = createMask(count, builder.getIndexAttr(rest));
    if (failed(emitLanes(loop, base, count, mask, 0, body)))
      return failure();
    done += count;
  }
  return success();
}

LogicalResult KernelEmitter::emitEachLane(BodyFn body) {
  OpBuilder::InsertionGuard guard(builder);
  auto scfLoop =
      scf::ForOp::create(builder, loc, getConstantIndex(0),
                         getConstantIndex(lanes.count), getConstantIndex(1));
  builder.setInsertionPointToStart(scfLoop.getBody());
  Value index = arith::AddIOp::create(builder, loc, lanes.base,
                                      scfLoop.getInductionVar());
  // What the body maps is of no use to the lanes that run together.
  llvm::SaveAndRestore savedValues(values, values);
  llvm::SaveAndRestore savedScope(laneScope, lanes.loop);
  llvm::SaveAndRestore savedLanes(lanes, Lanes());
  map(laneScope.getInductionVar(), Lowered::uniform(index));
  return body();
}

//===----------------------------------------------------------------------===//
// Buffers
//===----------------------------------------------------------------------===//

LogicalResult KernelEmitter::emitAlloc(tir::AllocBufferOp alloc) {
  MemRefType type = cast<MemRefType>(convertType(alloc.getType()));
  bool isTopLevel = isa<tir::PrimFuncOp>(alloc->getParentOp());
  MemoryAttr memory = alloc.getMemory();
  if (isTopLevel && !memory)
    return alloc.emitOpError(
        "expects global buffers to be arguments: run tir-lift-workspaces");
  if (!type.hasStaticShape())
    return alloc.emitOpError("expects a constant size of a buffer that is "
                             "allocated in a loop or local, but got ")
           << alloc.getType();
  if (!memory || isFlat(memory))
    stackBytes += type.getNumElements() *
                  llvm::divideCeil(type.getElementTypeBitWidth(), 8);
  if (stackBytes > CPUInfo::kMaxStackBytes)
    return alloc.emitOpError("expects local buffers of at most ")
           << CPUInfo::kMaxStackBytes << " bytes in all, but got "
           << stackBytes;

  // A buffer of one parallel loop belongs to each of its threads.
  Operation *user = nullptr;
  for (Operation *op : alloc->getUsers()) {
    Operation *ancestor = alloc->getBlock()->findAncestorOpInBlock(*op);
    if (user && user != ancestor) {
      user = nullptr;
      break;
    }
    user = ancestor;
  }
  auto loop = dyn_cast_or_null<ForOp>(user);
  if (isTopLevel && loop &&
      (loop.getKind() == ForKind::Parallel ||
       loop.getKind() == ForKind::ThreadBinding)) {
    deferredAllocs[loop].push_back(alloc);
    return success();
  }
  createAlloca(alloc);
  return success();
}

void KernelEmitter::createAlloca(tir::AllocBufferOp alloc) {
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPoint(allocaPoint);
  Value buffer = memref::AllocaOp::create(
      builder, alloc.getLoc(), cast<MemRefType>(convertType(alloc.getType())),
      ValueRange(), builder.getI64IntegerAttr(64));
  map(alloc.getBuffer(), Lowered::uniform(buffer));
}
