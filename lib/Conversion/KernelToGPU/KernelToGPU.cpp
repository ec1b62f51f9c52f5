//===- KernelToGPU.cpp - Kernels to launches of GPU functions -------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The blocks of a grid cannot wait for each other, so that each nest at the top
// of a kernel is a launch of its own; launches run in order. What nests have in
// common at the top of the kernel, sizes and addresses, each computes for
// itself.
//
//===----------------------------------------------------------------------===//

#include "relay-mlir/Conversion/KernelToGPU/KernelToGPU.h"

#include "ThreadRegions.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/SymbolTable.h"
#include "relay-mlir/Dialect/CUDA/IR/CUDA.h"
#include "relay-mlir/Dialect/TIR/IR/KernelAttributes.h"
#include "relay-mlir/Dialect/Target/IR/Target.h"

namespace mlir::relay {
#define GEN_PASS_DEF_CONVERTKERNELTOGPUPASS
#include "relay-mlir/Conversion/Passes.h.inc"
} // namespace mlir::relay

using namespace mlir;
using namespace mlir::relay;
using namespace mlir::relay::detail;

/// Blocks of a grid whose size the host cannot compute: enough for every
/// device.
static constexpr int64_t kFixedGrid = 1024;
/// Of buffers in shared memory: that of the widest vectors.
static constexpr int64_t kSharedAlignment = 16;
/// Bytes of shared memory that a function may have by itself.
static constexpr int64_t kMaxStaticShared = 48 << 10;

namespace {

/// Divides one kernel into launches.
class KernelSplitter {
public:
  KernelSplitter(func::FuncOp kernel, gpu::GPUModuleOp module, int64_t number)
      : kernel(kernel), module(module), number(number),
        builder(kernel.getContext()) {}

  LogicalResult split();

private:
  LogicalResult launch(ArrayRef<Operation *> ops);
  LogicalResult createFunction(ArrayRef<Operation *> ops, BlockSize size,
                               gpu::GPUFuncOp &function, IRMapping &mapping);
  /// Adds what `op` needs of the top of the kernel.
  LogicalResult addNeeded(Operation *op, ArrayRef<Operation *> steps,
                          SetVector<Operation *> &needed);
  bool isComputedOnHost(OpFoldResult bound);
  FailureOr<SmallVector<Value>> getGrid(Operation *op,
                                        DenseSet<Operation *> &exact);

  func::FuncOp kernel;
  gpu::GPUModuleOp module;
  int64_t number;
  OpBuilder builder;
  unsigned numLaunches = 0;
};

} // namespace

/// Whether one launch more has to do `op`, which is at the top of a kernel.
static bool isStep(Operation *op) { return hasBoundLoop(op) || hasEffects(op); }

LogicalResult KernelSplitter::split() {
  SmallVector<Operation *> serial, steps;
  Block &body = kernel.getBody().front();
  for (Operation &op : body.without_terminator())
    if (isStep(&op))
      steps.push_back(&op);
  auto flush = [&]() -> LogicalResult {
    if (serial.empty())
      return success();
    LogicalResult result = launch(serial);
    serial.clear();
    return result;
  };
  for (Operation *op : steps) {
    if (!hasBoundLoop(op)) {
      serial.push_back(op);
      continue;
    }
    if (failed(flush()) || failed(launch(op)))
      return failure();
  }
  if (failed(flush()))
    return failure();
  // What is computed from results of steps was copied with them.
  SmallVector<Operation *> ops;
  for (Operation &op : body.without_terminator())
    ops.push_back(&op);
  for (Operation *op : llvm::reverse(ops))
    if (!isa<gpu::LaunchFuncOp>(op) && op->use_empty())
      op->erase();
  for (Operation &op : body.without_terminator())
    if (!isa<gpu::LaunchFuncOp>(op) && isStep(&op))
      return op.emitError("expects results of a step not to be needed by "
                          "later ones");
  return success();
}

LogicalResult KernelSplitter::addNeeded(Operation *op,
                                        ArrayRef<Operation *> steps,
                                        SetVector<Operation *> &needed) {
  Block &body = kernel.getBody().front();
  SmallVector<Operation *> stack = {op};
  while (!stack.empty()) {
    Operation *next = stack.pop_back_val();
    WalkResult result = next->walk([&](Operation *inner) {
      for (Value operand : inner->getOperands()) {
        Operation *def = operand.getDefiningOp();
        if (!def || def->getBlock() != &body || needed.contains(def) ||
            llvm::is_contained(steps, def))
          continue;
        if (isStep(def)) {
          op->emitError("expects operands that follow from sizes and inputs")
                  .attachNote(def->getLoc())
              << "this is computed on the device";
          return WalkResult::interrupt();
        }
        needed.insert(def);
        stack.push_back(def);
      }
      return WalkResult::advance();
    });
    if (result.wasInterrupted())
      return failure();
  }
  return success();
}

bool KernelSplitter::isComputedOnHost(OpFoldResult bound) {
  auto value = dyn_cast<Value>(bound);
  if (!value)
    return true;
  SmallVector<Value> stack = {value};
  DenseSet<Value> seen;
  while (!stack.empty()) {
    Value next = stack.pop_back_val();
    if (!seen.insert(next).second)
      continue;
    Operation *op = next.getDefiningOp();
    if (!op || op->getBlock() != &kernel.getBody().front())
      return false;
    if (isa<memref::DimOp>(op)) {
      auto dim = cast<memref::DimOp>(op);
      if (!isa<BlockArgument>(dim.getSource()) || !dim.getConstantIndex())
        return false;
      continue;
    }
    if (!isa<arith::ConstantOp, arith::AddIOp, arith::SubIOp, arith::MulIOp,
             arith::DivSIOp, arith::DivUIOp, arith::CeilDivSIOp,
             arith::FloorDivSIOp, arith::RemSIOp, arith::RemUIOp,
             arith::MaxSIOp, arith::MinSIOp, arith::IndexCastOp,
             affine::AffineApplyOp, affine::AffineMinOp, affine::AffineMaxOp>(
            op))
      return false;
    llvm::append_range(stack, op->getOperands());
  }
  return true;
}

/// Whether a grid can have a block for each iteration. Along its first
/// dimension there may be more than memory has room for.
static bool fitsGrid(scf::ForallOp loop, unsigned axis) {
  std::optional<int64_t> extent = getExtent(loop);
  return extent ? *extent <= cuda::ArchInfo::kMaxGrid[axis] : axis == 0;
}

FailureOr<SmallVector<Value>>
KernelSplitter::getGrid(Operation *op, DenseSet<Operation *> &exact) {
  Location loc = op->getLoc();
  Value one = arith::ConstantIndexOp::create(builder, loc, 1);
  SmallVector<Value> grid(3, one);
  std::array<unsigned, 3> counts = {0, 0, 0};
  SmallVector<scf::ForallOp> loops;
  op->walk<WalkOrder::PreOrder>([&](scf::ForallOp loop) {
    std::optional<BoundAxis> bound = getBoundAxis(loop);
    if (bound && bound->isBlock) {
      loops.push_back(loop);
      ++counts[bound->axis];
    }
  });
  for (scf::ForallOp loop : loops) {
    unsigned axis = getBoundAxis(loop)->axis;
    OpFoldResult lower = loop.getMixedLowerBound()[0];
    OpFoldResult upper = loop.getMixedUpperBound()[0];
    // Beside others, or in others that are not bound, a loop takes its share.
    bool isAlone = counts[axis] == 1;
    for (Operation *parent = loop->getParentOp(); parent != kernel && isAlone;
         parent = parent->getParentOp()) {
      std::optional<BoundAxis> bound = getBoundAxis(parent);
      isAlone = bound && bound->isBlock;
    }
    if (!isAlone || !isComputedOnHost(lower) || !isComputedOnHost(upper)) {
      grid[axis] = arith::ConstantIndexOp::create(builder, loc, kFixedGrid);
      continue;
    }
    grid[axis] = getValueOrCreateConstantIndexOp(builder, loc, upper);
    if (getConstantIntValue(lower) != 0)
      grid[axis] = arith::SubIOp::create(
          builder, loc, grid[axis],
          getValueOrCreateConstantIndexOp(builder, loc, lower));
    // A loop may have fewer iterations than none.
    if (!getConstantIntValue(grid[axis])) {
      Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
      grid[axis] = arith::MaxSIOp::create(builder, loc, grid[axis], zero);
    }
    if (fitsGrid(loop, axis)) {
      exact.insert(loop);
      continue;
    }
    Value limit = arith::ConstantIndexOp::create(
        builder, loc, cuda::ArchInfo::kMaxGrid[axis]);
    grid[axis] = arith::MinSIOp::create(builder, loc, grid[axis], limit);
  }
  return grid;
}

static int64_t getBytes(MemRefType type) {
  return type.getNumElements() *
         llvm::divideCeil(type.getElementTypeBitWidth(), 8);
}

static int64_t getSharedAlignment(memref::AllocaOp op) {
  return std::max<int64_t>(kSharedAlignment, op.getAlignment().value_or(1));
}

/// Memory that the threads of a block share is an attribution of the function,
/// or, if that is more than functions may have, a part of what the launch gives
/// them. Returns how much that is.
static FailureOr<int64_t> attributeSharedMemory(gpu::GPUFuncOp function,
                                                std::optional<int64_t> limit) {
  MLIRContext *context = function.getContext();
  SmallVector<memref::AllocaOp> allocas;
  int64_t total = 0;
  function.walk([&](memref::AllocaOp op) {
    if (!op.getType().getMemorySpace())
      return;
    allocas.push_back(op);
    total =
        llvm::alignTo(total, getSharedAlignment(op)) + getBytes(op.getType());
  });
  if (limit && total > *limit)
    return allocas.back()->emitError("expects at most ")
           << *limit << " bytes of shared memory for a block of threads, but "
           << "got " << total;
  bool isDynamic = total > kMaxStaticShared;
  auto space =
      gpu::AddressSpaceAttr::get(context, gpu::AddressSpace::Workgroup);
  auto convert = [&](MemRefType type) {
    return MemRefType::get(type.getShape(), type.getElementType(),
                           type.getLayout(), space);
  };
  OpBuilder builder = OpBuilder::atBlockBegin(&function.getBody().front());
  Value dynamic;
  if (isDynamic)
    dynamic = gpu::DynamicSharedMemoryOp::create(
        builder, function.getLoc(),
        MemRefType::get(ShapedType::kDynamic, builder.getI8Type(),
                        MemRefLayoutAttrInterface(), space));
  int64_t offset = 0;
  for (memref::AllocaOp op : allocas) {
    offset = llvm::alignTo(offset, getSharedAlignment(op));
    MemRefType type = convert(op.getType());
    Value buffer;
    if (isDynamic) {
      Value start =
          arith::ConstantIndexOp::create(builder, op.getLoc(), offset);
      buffer = memref::ViewOp::create(builder, op.getLoc(), type, dynamic,
                                      start, ValueRange());
      offset += getBytes(type);
    } else {
      unsigned index = function.getNumWorkgroupAttributions();
      buffer = function.addWorkgroupAttribution(type, op.getLoc());
      // LLVM takes arrays to be aligned for vectors, and does not say so in
      // PTX.
      function.setWorkgroupAttributionAttr(
          index, LLVM::LLVMDialect::getAlignAttrName(),
          builder.getI64IntegerAttr(getSharedAlignment(op)));
    }
    op.getResult().replaceAllUsesWith(buffer);
    // Views of it are in the same memory.
    SmallVector<Value> worklist = {buffer};
    while (!worklist.empty())
      for (Operation *user : worklist.pop_back_val().getUsers())
        for (Value result : user->getResults()) {
          auto viewed = dyn_cast<MemRefType>(result.getType());
          if (!viewed || !isa_and_nonnull<MemoryAttr>(viewed.getMemorySpace()))
            continue;
          result.setType(convert(viewed));
          worklist.push_back(result);
        }
    op.erase();
  }
  return offset;
}

LogicalResult KernelSplitter::launch(ArrayRef<Operation *> ops) {
  Location loc = ops.front()->getLoc();
  BlockSize size = {1, 1, 1};
  if (hasBoundLoop(ops.front())) {
    FailureOr<BlockSize> found = getBlockSize(ops.front());
    if (failed(found))
      return failure();
    size = *found;
  }
  SetVector<Operation *> needed;
  for (Operation *op : ops)
    if (failed(addNeeded(op, ops, needed)))
      return failure();

  // The buffers that it has to do with, of as many as the kernel may have.
  // Those of open sizes are as many in each launch, as these sizes are.
  DenseSet<Value> used;
  for (ArrayRef<Operation *> group : {ops, needed.getArrayRef()})
    for (Operation *op : group)
      op->walk([&](Operation *inner) {
        used.insert(inner->operand_begin(), inner->operand_end());
      });
  SmallVector<Value> buffers(kernel.getArguments());
  llvm::erase_if(buffers, [&](Value buffer) {
    auto type = dyn_cast<MemRefType>(buffer.getType());
    return type && type.hasStaticShape() && !used.contains(buffer);
  });

  // No name of a kernel has this character, which PTX knows.
  std::string name = kernel.getSymName().str();
  if (numLaunches != 0)
    name += "$" + std::to_string(numLaunches);
  ++numLaunches;

  // The launch, on the host.
  builder.setInsertionPoint(ops.front());
  DenseSet<Operation *> exact;
  FailureOr<SmallVector<Value>> grid = getGrid(ops.front(), exact);
  if (failed(grid))
    return failure();
  auto index = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(builder, loc, value);
  };
  gpu::KernelDim3 blocks = {(*grid)[0], (*grid)[1], (*grid)[2]};
  gpu::KernelDim3 threads = {index(size[0]), index(size[1]), index(size[2])};

  // The function, for the device.
  OpBuilder::InsertionGuard guard(builder);
  OpBuilder functions = OpBuilder::atBlockEnd(module.getBody());
  auto function = gpu::GPUFuncOp::create(
      functions, kernel.getLoc(), name,
      builder.getFunctionType(ValueRange(buffers).getTypes(), {}));
  function->setAttr(gpu::GPUDialect::getKernelFuncAttrName(),
                    builder.getUnitAttr());
  function.setKnownBlockSizeAttr(builder.getDenseI32ArrayAttr(
      {int32_t(size[0]), int32_t(size[1]), int32_t(size[2])}));
  function->setAttr(kKernelNumberAttr, builder.getI64IntegerAttr(number));
  OpBuilder body = OpBuilder::atBlockBegin(&function.getBody().front());
  IRMapping mapping;
  mapping.map(buffers, function.getArguments());
  DenseSet<Operation *> exactClones;
  for (Operation &op : kernel.getBody().front().without_terminator()) {
    bool isPart = llvm::is_contained(ops, &op);
    if (!isPart && !needed.contains(&op))
      continue;
    Operation *clone = body.clone(op, mapping);
    if (!isPart)
      continue;
    // Loops of the copy are in the order of those of the original.
    SmallVector<Operation *> from, to;
    op.walk<WalkOrder::PreOrder>(
        [&](Operation *inner) { from.push_back(inner); });
    clone->walk<WalkOrder::PreOrder>(
        [&](Operation *inner) { to.push_back(inner); });
    for (auto [original, copy] : llvm::zip_equal(from, to))
      if (exact.contains(original))
        exactClones.insert(copy);
  }
  gpu::ReturnOp::create(body, kernel.getLoc());
  if (failed(lowerBoundLoops(function, size, [&](scf::ForallOp loop) {
        return exactClones.contains(loop);
      })))
    return failure();
  std::optional<int64_t> limit;
  if (TargetAttrInterface target = lookupTarget(kernel))
    if (std::optional<MemoryInfo> memory = lookupMemory(target, cuda::kShared))
      limit = memory->numBytes;
  FailureOr<int64_t> sharedBytes = attributeSharedMemory(function, limit);
  if (failed(sharedBytes))
    return failure();

  auto symbol =
      SymbolRefAttr::get(builder.getContext(), module.getSymName(),
                         {FlatSymbolRefAttr::get(builder.getContext(), name)});
  Value dynamicShared;
  if (*sharedBytes != 0)
    dynamicShared =
        arith::ConstantIntOp::create(builder, loc, *sharedBytes, 32);
  gpu::LaunchFuncOp::create(builder, loc, symbol, blocks, threads,
                            dynamicShared, buffers);
  return success();
}

namespace {

struct ConvertKernelToGPUPass
    : relay::impl::ConvertKernelToGPUPassBase<ConvertKernelToGPUPass> {
  using Base::Base;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    SmallVector<func::FuncOp> kernels;
    for (auto function : module.getOps<func::FuncOp>())
      if (function->hasAttr(tir::kKernelAttr))
        kernels.push_back(function);
    OpBuilder builder = OpBuilder::atBlockEnd(module.getBody());
    auto gpuModule =
        gpu::GPUModuleOp::create(builder, module.getLoc(), kGPUModuleName);
    module->setAttr(gpu::GPUDialect::getContainerModuleAttrName(),
                    builder.getUnitAttr());
    for (auto [index, kernel] : llvm::enumerate(kernels))
      if (failed(KernelSplitter(kernel, gpuModule, index + 1).split()))
        return signalPassFailure();
  }
};

} // namespace
