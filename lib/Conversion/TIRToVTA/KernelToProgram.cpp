//===- KernelToProgram.cpp - Scheduled kernels to programs of VTA ---------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The loops around several nests are written out, since a program has no jumps.
// Each nest of one block becomes instructions by what it accesses: a copy to a
// scratchpad, accumulators that become one number, a product, a maximum of
// windows, or a function of elements.
//
//===----------------------------------------------------------------------===//

#include "relay-mlir/Conversion/TIRToVTA/TIRToVTA.h"

#include "AffineNest.h"
#include "ElementwiseNest.h"
#include "NestParts.h"
#include "Transfers.h"
#include "WindowNest.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Pass/Pass.h"
#include "relay-mlir/Dialect/Target/IR/Target.h"

namespace mlir::relay {
#define GEN_PASS_DEF_CONVERTTIRTOVTAPASS
#include "relay-mlir/Conversion/Passes.h.inc"
} // namespace mlir::relay

using namespace mlir;
using namespace mlir::relay;
using namespace mlir::relay::detail;

namespace {

/// Converts one kernel.
class KernelConverter {
public:
  KernelConverter(tir::PrimFuncOp kernel, const relay_vta::Config &config,
                  SlotCounts slots)
      : kernel(kernel), builder(kernel.getContext(), config, kernel.getLoc(),
                                kernel.getSymName(), slots) {}

  FailureOr<OwningOpRef<vta::ProgramOp>> run();
  const std::optional<Overflow> &getOverflow() { return builder.getOverflow(); }

private:
  LogicalResult placeArguments();
  LogicalResult visit(Block &block);
  LogicalResult visitLoop(tir::ForOp loop);
  bool isAddedProduct(Value buffer) const;
  LogicalResult placeBuffer(tir::AllocBufferOp buffer);
  LogicalResult emitNest(AffineNest nest);
  std::optional<LogicalResult> emitAsCopy(AffineNest &nest,
                                          affine::AffineStoreOp store);
  LogicalResult emitCopy(AffineNest &nest, affine::AffineStoreOp store,
                         affine::AffineLoadOp load, affine::AffineIfOp guard);
  LogicalResult emitFill(AffineNest &nest, affine::AffineStoreOp store,
                         int64_t number);
  LogicalResult emitProduct(AffineNest &nest, affine::AffineStoreOp store,
                            affine::AffineLoadOp inp, affine::AffineLoadOp wgt);
  std::optional<vta::Memory> getMemory(Value buffer) const {
    return places.lookup(buffer).memory;
  }

  tir::PrimFuncOp kernel;
  ProgramBuilder builder;
  BufferPlaces places;
  IndexValues indices;
  /// Whether loops around tiles are at their first, or last, iteration.
  bool isFirstTile = true, isLastTile = true;
  SmallVector<int64_t> buffers;
};

} // namespace

//===----------------------------------------------------------------------===//
// Buffers
//===----------------------------------------------------------------------===//

static int64_t getBytes(MemRefType type) {
  return type.getNumElements() *
         llvm::divideCeil(type.getElementTypeBitWidth(), 8);
}

LogicalResult KernelConverter::placeArguments() {
  if (kernel.getNumWorkspaces() != 0)
    return kernel.emitError(
               "expects no workspaces of a kernel of VTA, but got ")
           << kernel.getNumWorkspaces();
  for (BlockArgument argument : kernel.getRegion().getArguments()) {
    auto type = cast<MemRefType>(argument.getType());
    if (!type.hasStaticShape())
      return kernel.emitError(
                 "expects sizes that are known when it is compiled "
                 "in a kernel of VTA, but got ")
             << type;
    int64_t bytes = getBytes(type);
    BufferPlace place;
    place.first = builder.allocate(bytes);
    places[argument] = place;
    buffers.append({place.first, bytes, kernel.isOutput(argument) ? 2 : 1});
  }
  return success();
}

/// Whether a block adds up products of one element of data, each with one block
/// of weights.
static bool isProductOfElement(tir::BlockOp block,
                               const relay_vta::Config &config) {
  auto lanes = static_cast<int64_t>(config.getBlock());
  int64_t terms = 1;
  for (auto [kind, extent] :
       llvm::zip_equal(block.getKinds(), block.getStaticExtents()))
    if (kind == tir::IterKind::Reduce)
      terms *= extent;
  return terms == lanes && llvm::any_of(block.getReads(), [&](Value buffer) {
           auto type = cast<MemRefType>(buffer.getType());
           auto alloc = buffer.getDefiningOp<tir::AllocBufferOp>();
           relay::MemoryAttr memory =
               alloc ? alloc.getMemory() : relay::MemoryAttr();
           return memory && memory.getName() == vta::kInp &&
                  type.getNumElements() ==
                      static_cast<int64_t>(config.getBatch()) * lanes;
         });
}

/// Whether what is in `buffer` is a product of one element of data, and is only
/// added to others: GEMM can then add that product to them.
bool KernelConverter::isAddedProduct(Value buffer) const {
  bool isProduct = false;
  for (Operation *user : buffer.getUsers()) {
    // What blocks say that they access.
    if (isa<tir::BlockOp>(user))
      continue;
    auto block = user->getParentOfType<tir::BlockOp>();
    if (!block || !isa<affine::AffineLoadOp, affine::AffineStoreOp>(user))
      return false;
    if (block.hasReduceIters()) {
      isProduct = isProductOfElement(block, builder.getConfig());
      if (!isProduct)
        return false;
      continue;
    }
    if (auto store = dyn_cast<affine::AffineStoreOp>(user)) {
      if (!matchPattern(store.getValueToStore(), m_Zero()))
        return false;
      continue;
    }
    if (!user->hasOneUse() || !isa<arith::AddIOp>(*user->user_begin()))
      return false;
  }
  return isProduct;
}

LogicalResult KernelConverter::placeBuffer(tir::AllocBufferOp buffer) {
  relay::MemoryAttr memory = buffer.getMemory();
  std::optional<vta::Memory> kind =
      memory ? vta::symbolizeMemory(memory.getName()) : std::nullopt;
  if (!kind)
    return buffer.emitError("expects buffers in the memories inp, wgt and acc "
                            "of a kernel of VTA, but got ")
           << buffer.getType();
  int64_t lanes = builder.getLanes(*kind);
  int64_t count = buffer.getType().getNumElements();
  if (count % lanes != 0)
    return buffer.emitError("expects whole elements of ")
           << lanes << " lanes in " << memory.getName() << ", but got "
           << buffer.getType();
  if (*kind == vta::Memory::Acc && isAddedProduct(buffer)) {
    places[buffer] = {kind, 0, AddedProduct()};
    return success();
  }
  builder.setLocation(buffer.getLoc());
  places[buffer] = {kind, builder.rotate({buffer, 0}, *kind, count / lanes,
                                         buffer.getType())};
  return success();
}

//===----------------------------------------------------------------------===//
// Nests
//===----------------------------------------------------------------------===//

LogicalResult KernelConverter::emitCopy(AffineNest &nest,
                                        affine::AffineStoreOp store,
                                        affine::AffineLoadOp load,
                                        affine::AffineIfOp guard) {
  const BufferPlace &to = places[store.getMemRef()];
  const BufferPlace &from = places[load.getMemRef()];
  FailureOr<LinearIndex> sram = nest.getAddress(store);
  FailureOr<LinearIndex> dram = nest.getAddress(load);
  if (failed(sram) || failed(dram))
    return nest.block.emitError(
        "expects indices that are sums of loops in a kernel of VTA");
  int64_t laneBytes =
      llvm::divideCeil(load.getMemRefType().getElementTypeBitWidth(), 8);
  Transfer transfer{*to.memory,
                    to.first * builder.getLanes(*to.memory) + sram->constant,
                    from.first / laneBytes + dram->constant,
                    {}};
  for (unsigned loop = 0; loop < nest.getNumLoops(); ++loop)
    transfer.loops.emplace_back(nest.extents[loop], sram->steps[loop],
                                dram->steps[loop]);
  if (guard && failed(addPadding(nest, guard, transfer)))
    return guard.emitError(
        "expects padding before and after loops in a kernel of VTA");
  std::string message =
      emitTransfer(builder, std::move(transfer), /*isStore=*/false);
  if (!message.empty())
    return nest.block.emitError(message);
  return success();
}

LogicalResult KernelConverter::emitFill(AffineNest &nest,
                                        affine::AffineStoreOp store,
                                        int64_t number) {
  // Such a product is added to what is there.
  if (places[store.getMemRef()].product)
    return success();
  int64_t numLanes = builder.getLanes(vta::Memory::Acc);
  std::optional<SmallVector<unsigned>> lanes = nest.takeLanes(store, numLanes);
  FailureOr<LinearIndex> dst = nest.getAddress(store);
  if (!lanes || failed(dst) || !dst->toElements(*lanes, numLanes))
    return nest.block.emitError("expects whole elements of accumulators in a "
                                "kernel of VTA");
  ElementLoops loops;
  loops.dst = places[store.getMemRef()].first + dst->constant;
  for (unsigned loop = 0; loop < nest.getNumLoops(); ++loop)
    if (!llvm::is_contained(*lanes, loop))
      loops.loops.push_back({nest.extents[loop], dst->steps[loop]});
  builder.gemm(/*reset=*/true, loops);
  if (number != 0)
    builder.alu(vta::AluOpcode::Add, number, std::move(loops));
  return success();
}

LogicalResult KernelConverter::emitProduct(AffineNest &nest,
                                           affine::AffineStoreOp store,
                                           affine::AffineLoadOp inp,
                                           affine::AffineLoadOp wgt) {
  FailureOr<LinearIndex> dst = nest.getAddress(store);
  FailureOr<LinearIndex> src = nest.getAddress(inp);
  FailureOr<LinearIndex> weight = nest.getAddress(wgt);
  auto fail = [&] {
    return nest.block.emitError("expects a product of ")
           << builder.getConfig().getBatch() << " x "
           << builder.getConfig().getBlock() << " and "
           << builder.getConfig().getBlock() << " x "
           << builder.getConfig().getBlock()
           << " lanes in a kernel of VTA, but got another one";
  };
  if (failed(dst) || failed(src) || failed(weight))
    return fail();
  auto block = static_cast<int64_t>(builder.getConfig().getBlock());
  auto batch = static_cast<int64_t>(builder.getConfig().getBatch());
  SmallVector<unsigned> lanes;
  auto takeLane = [&](int64_t extent, int64_t d, int64_t s, int64_t w) {
    if (extent == 1)
      return true;
    // Images of a block and positions may be one loop.
    std::optional<unsigned> lane = nest.takeLoop(extent, [&](unsigned loop) {
      return dst->steps[loop] == d && src->steps[loop] == s &&
             weight->steps[loop] == w && !llvm::is_contained(lanes, loop);
    });
    if (!lane)
      return false;
    lanes.push_back(*lane);
    dst = nest.getAddress(store);
    src = nest.getAddress(inp);
    weight = nest.getAddress(wgt);
    return true;
  };
  if (!takeLane(block, 1, 0, block) || !takeLane(block, 0, 1, 1) ||
      !takeLane(batch, block, block, 0) ||
      !dst->toElements(lanes, batch * block) ||
      !src->toElements(lanes, batch * block) ||
      !weight->toElements(lanes, block * block))
    return fail();
  BufferPlace &place = places[store.getMemRef()];
  ElementLoops loops;
  loops.dst = place.first + dst->constant;
  loops.src = places[inp.getMemRef()].first + src->constant;
  loops.wgt = places[wgt.getMemRef()].first + weight->constant;
  if (place.product) {
    AddedProduct &product = *place.product;
    product = {loops.src, loops.wgt, loops.dst, /*step=*/0};
    for (unsigned loop = 0; loop < nest.getNumLoops(); ++loop) {
      if (llvm::is_contained(lanes, loop) || nest.extents[loop] == 1)
        continue;
      int64_t d = dst->steps[loop], w = weight->steps[loop];
      if (d <= 0 || w % d != 0 || src->steps[loop] != 0 ||
          (product.step != 0 && product.step != w / d))
        return fail();
      product.step = w / d;
    }
    return success();
  }
  // An accumulator rests before it is added to again.
  for (bool isReduction : {true, false})
    for (unsigned loop = 0; loop < nest.getNumLoops(); ++loop)
      if (!llvm::is_contained(lanes, loop) &&
          (dst->steps[loop] == 0) == isReduction)
        loops.loops.push_back({nest.extents[loop], dst->steps[loop],
                               src->steps[loop], weight->steps[loop]});
  builder.gemm(/*reset=*/false, std::move(loops));
  return success();
}

/// The load that a value is an extension of, from `memory`.
static affine::AffineLoadOp getExtendedLoad(Value value) {
  if (auto extension = value.getDefiningOp<arith::ExtSIOp>())
    value = extension.getIn();
  return value.getDefiningOp<affine::AffineLoadOp>();
}

/// A copy from memory to a scratchpad, maybe with padding; nullopt for anything
/// else.
std::optional<LogicalResult>
KernelConverter::emitAsCopy(AffineNest &nest, affine::AffineStoreOp store) {
  Value value = store.getValueToStore();
  auto load = value.getDefiningOp<affine::AffineLoadOp>();
  auto guard = value.getDefiningOp<affine::AffineIfOp>();
  APInt pad(8, 0);
  if (guard) {
    if (!guard.hasElse() ||
        !matchPattern(guard.getElseBlock()->getTerminator()->getOperand(0),
                      m_ConstantInt(&pad)))
      return std::nullopt;
    load = guard.getThenBlock()
               ->getTerminator()
               ->getOperand(0)
               .getDefiningOp<affine::AffineLoadOp>();
  }
  if (!load || getMemory(load.getMemRef()))
    return std::nullopt;
  if (getMemory(store.getMemRef()) == vta::Memory::Acc &&
      load.getType().isSignlessInteger(builder.getConfig().getInpBits()))
    return emitByteTile(builder, nest, places, store, load, guard,
                        pad.getSExtValue());
  if (!pad.isZero())
    return std::nullopt;
  if (isFirstTile && getMemory(store.getMemRef()) == vta::Memory::Wgt)
    return emitWeightParts(builder, nest, store, [&](AffineNest part) {
      return emitCopy(part, store, load, guard);
    });
  return emitCopy(nest, store, load, guard);
}

LogicalResult KernelConverter::emitNest(AffineNest nest) {
  builder.setLocation(nest.block.getLoc());
  SmallVector<affine::AffineStoreOp> stores(
      nest.block.getBody()->getOps<affine::AffineStoreOp>());
  if (stores.size() != 1)
    return nest.block.emitError(
        "expects blocks that store one element in a kernel of VTA");
  affine::AffineStoreOp store = stores.front();
  Value value = store.getValueToStore();
  std::optional<vta::Memory> to = getMemory(store.getMemRef());

  if (to)
    if (std::optional<LogicalResult> result = emitAsCopy(nest, store))
      return *result;
  APInt number;
  if (to == vta::Memory::Acc && matchPattern(value, m_ConstantInt(&number)) &&
      number.isSignedIntN(16))
    return emitFill(nest, store, number.getSExtValue());
  if (auto max = value.getDefiningOp<arith::MaxSIOp>();
      max && to == vta::Memory::Acc && nest.block.hasReduceIters())
    for (auto [rest, data] : {std::pair(max.getLhs(), max.getRhs()),
                              std::pair(max.getRhs(), max.getLhs())}) {
      auto acc = rest.getDefiningOp<affine::AffineLoadOp>();
      auto load = data.getDefiningOp<affine::AffineLoadOp>();
      if (acc && load && acc.getMemRef() == store.getMemRef() &&
          getMemory(load.getMemRef()) == vta::Memory::Acc)
        return emitMaximum(builder, nest, places, store, load);
    }
  if (auto sum = value.getDefiningOp<arith::AddIOp>();
      sum && to == vta::Memory::Acc && nest.block.hasReduceIters()) {
    for (auto [rest, factors] : {std::pair(sum.getLhs(), sum.getRhs()),
                                 std::pair(sum.getRhs(), sum.getLhs())}) {
      auto product = factors.getDefiningOp<arith::MulIOp>();
      auto acc = rest.getDefiningOp<affine::AffineLoadOp>();
      if (!product || !acc || acc.getMemRef() != store.getMemRef())
        continue;
      affine::AffineLoadOp lhs = getExtendedLoad(product.getLhs());
      affine::AffineLoadOp rhs = getExtendedLoad(product.getRhs());
      if (!lhs || !rhs)
        continue;
      if (getMemory(lhs.getMemRef()) == vta::Memory::Wgt)
        std::swap(lhs, rhs);
      if (getMemory(lhs.getMemRef()) != vta::Memory::Inp ||
          getMemory(rhs.getMemRef()) != vta::Memory::Wgt)
        continue;
      auto emit = [&](AffineNest part) {
        return emitProduct(part, store, lhs, rhs);
      };
      // What is added later is known as a whole.
      return isFirstTile && !places[store.getMemRef()].product
                 ? emitWeightParts(builder, nest, rhs, emit)
                 : emit(nest);
    }
  }
  if (nest.block.hasReduceIters())
    return nest.block.emitError(
        "expects products of data in inp and weights in wgt, added up in acc, "
        "or maxima of what is in acc, in a kernel of VTA");
  auto emitElements = [&](AffineNest part) {
    return emitElementwiseNest(builder, std::move(part), places);
  };
  return isLastTile && !to
             ? emitStoredParts(builder, std::move(nest), store, emitElements)
             : emitElements(std::move(nest));
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

LogicalResult KernelConverter::visitLoop(tir::ForOp loop) {
  SmallVector<tir::BlockOp> blocks = getBlocksBelow(loop);
  if (blocks.empty())
    return success();
  // Around tiles of one block, loops are said to be written out.
  if (blocks.size() == 1 && loop.getKind() != tir::ForKind::Unrolled) {
    bool allocates =
        loop.walk([](tir::AllocBufferOp) { return WalkResult::interrupt(); })
            .wasInterrupted();
    if (!allocates) {
      FailureOr<AffineNest> nest = AffineNest::get(loop, indices);
      return failed(nest) ? failure() : emitNest(std::move(*nest));
    }
  }
  std::optional<int64_t> begin = loop.getConstantLowerBound();
  std::optional<int64_t> end = loop.getConstantUpperBound();
  if (!begin || !end)
    return loop.emitError(
        "expects a loop with constant bounds in a kernel of VTA");
  bool isFirst = isFirstTile, isLast = isLastTile;
  for (int64_t i = *begin; i < *end; ++i) {
    indices[loop.getInductionVar()] = i;
    isFirstTile = isFirst && i == *begin;
    isLastTile = isLast && i + 1 == *end;
    if (failed(visit(*loop.getBody())))
      return failure();
    // What does not fit does not get better.
    if (builder.getOverflow())
      return success();
  }
  isFirstTile = isFirst;
  isLastTile = isLast;
  return success();
}

LogicalResult KernelConverter::visit(Block &block) {
  for (Operation &op : block) {
    if (auto loop = dyn_cast<tir::ForOp>(op)) {
      if (failed(visitLoop(loop)))
        return failure();
    } else if (auto buffer = dyn_cast<tir::AllocBufferOp>(op)) {
      if (failed(placeBuffer(buffer)))
        return failure();
    } else if (auto apply = dyn_cast<affine::AffineApplyOp>(op)) {
      SmallVector<int64_t> operands;
      for (Value operand : apply.getOperands()) {
        APInt constant;
        operands.push_back(matchPattern(operand, m_ConstantInt(&constant))
                               ? constant.getSExtValue()
                               : indices.lookup(operand));
      }
      AffineMap map = apply.getAffineMap();
      SmallVector<Attribute> attributes;
      Builder attributeBuilder(op.getContext());
      for (int64_t operand : operands)
        attributes.push_back(attributeBuilder.getIndexAttr(operand));
      SmallVector<Attribute> results;
      if (failed(map.constantFold(attributes, results)))
        return op.emitError("expects an index that can be computed");
      indices[apply] = cast<IntegerAttr>(results.front()).getInt();
    } else if (!isa<arith::ConstantOp, tir::YieldOp, tir::ReturnOp>(op)) {
      return op.emitError(
                 "expects loops of blocks in a kernel of VTA, but got ")
             << op.getName();
    }
  }
  return success();
}

FailureOr<OwningOpRef<vta::ProgramOp>> KernelConverter::run() {
  if (failed(placeArguments()) || failed(visit(kernel.getRegion().front())))
    return failure();
  if (builder.getOverflow())
    return OwningOpRef<vta::ProgramOp>();
  OwningOpRef<vta::ProgramOp> program = builder.finish();
  (*program)->setAttr(vta::kBuffersAttrName,
                      DenseI64ArrayAttr::get(kernel.getContext(), buffers));
  return program;
}

/// "acc" needs less if a tile has fewer results, and so on.
static StringRef getAdvice(vta::Memory memory) {
  switch (memory) {
  case vta::Memory::Inp:
    return "a tile with fewer rows, columns or input channels, or a smaller "
           "window, takes less";
  case vta::Memory::Wgt:
    return "a tile with fewer channels, or a smaller window, takes less";
  default:
    return "a tile with fewer rows, columns or output channels takes less";
  }
}

/// The parameter of a configuration that says how large a scratchpad is.
static StringRef getBufferName(vta::Memory memory) {
  switch (memory) {
  case vta::Memory::Uop:
    return "uop_buffer";
  case vta::Memory::Inp:
    return "inp_buffer";
  case vta::Memory::Wgt:
    return "wgt_buffer";
  default:
    return "acc_buffer";
  }
}

/// Tries to have each buffer twice, and once where there is no room.
static FailureOr<OwningOpRef<vta::ProgramOp>>
convertKernel(tir::PrimFuncOp kernel, const relay_vta::Config &config) {
  SlotCounts slots;
  while (true) {
    KernelConverter converter(kernel, config, slots);
    FailureOr<OwningOpRef<vta::ProgramOp>> program = converter.run();
    if (failed(program) || *program)
      return program;
    const Overflow &overflow = *converter.getOverflow();
    if (slots.get(overflow.memory) > 1) {
      --slots.get(overflow.memory);
      continue;
    }
    StringRef memory = vta::stringifyMemory(overflow.memory);
    InFlightDiagnostic diagnostic =
        emitError(overflow.location)
        << "expects buffers of at most " << overflow.depth << " elements in "
        << memory << " of " << relay_vta::getConfigName(config) << ", but got "
        << overflow.elements << " in kernel @" << kernel.getSymName();
    if (overflow.tile)
      diagnostic << ", of which the last is a tile of " << overflow.tile;
    uint64_t bytes =
        overflow.elements *
        config.getElementBytes(static_cast<relay_vta::Memory>(overflow.memory));
    diagnostic.attachNote(kernel.getLoc())
        << getAdvice(overflow.memory) << "; this one needs "
        << getBufferName(overflow.memory) << " = " << llvm::PowerOf2Ceil(bytes)
        << " at least";
    return diagnostic;
  }
}

namespace {

struct ConvertTIRToVTA : relay::impl::ConvertTIRToVTAPassBase<ConvertTIRToVTA> {
  using Base::Base;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    for (auto kernel :
         llvm::make_early_inc_range(module.getOps<tir::PrimFuncOp>())) {
      auto config =
          dyn_cast_or_null<vta::ConfigAttr>(relay::lookupTarget(kernel));
      if (!config)
        continue;
      if (kernel.isIntrinsic()) {
        kernel.erase();
        continue;
      }
      FailureOr<OwningOpRef<vta::ProgramOp>> program =
          convertKernel(kernel, config.getConfig());
      if (failed(program))
        return signalPassFailure();
      module.insert(kernel, program->release());
      kernel.erase();
    }
  }
};

} // namespace
