//===- VTARules.cpp - The rules for VTA -----------------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A kernel is a product and what is computed of each of its results, or has no
// product, for which ElementRules.cpp has the rules. Tiles of
// data and weights come to the scratchpads, one step of the reduction after
// another; results of a tile stay in accumulators until they are stored. What
// each nest becomes is for the conversion to say.
//
//===----------------------------------------------------------------------===//

#include "ElementRules.h"
#include "ProductTiles.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "relay-mlir/Dialect/TIR/ScheduleRules/KernelSchedule.h"
#include "relay-mlir/Dialect/TIR/ScheduleRules/ScheduleRules.h"
#include "relay-mlir/Dialect/VTA/IR/VTA.h"

using namespace mlir;
using namespace mlir::tir;

/// The block that adds up products, if there is one. A product of constants of
/// channels, which is beside it, has no positions.
static BlockOp findProduct(KernelSchedule &schedule) {
  BlockOp largest;
  int64_t most = 0;
  for (BlockOp block : schedule.getKernel().getBlocks()) {
    if (!block.getInit())
      continue;
    int64_t size = 1;
    for (int64_t extent : block.getStaticExtents())
      size *= extent;
    if (!largest || size > most)
      largest = block;
    most = std::max(most, size);
  }
  return largest;
}

/// The product of constants of channels that is added to another one.
static BlockOp findConstants(KernelSchedule &schedule, BlockOp product) {
  for (BlockOp block : schedule.getKernel().getBlocks())
    if (block.getInit() && block != product)
      return block;
  return {};
}

/// What the steps behind a product need.
static VTAStepNeeds countNeeds(KernelSchedule &schedule, BlockOp block,
                               const VTAProduct &product) {
  VTAStepNeeds needs;
  needs.hasConstants = findConstants(schedule, block) != nullptr;
  for (BlockOp reader : getReaders(product.sum.out.buffer)) {
    if (reader.getInit())
      continue;
    needs.inpTiles += llvm::count_if(reader.getReads(), [](Value buffer) {
      return cast<MemRefType>(buffer.getType())
          .getElementType()
          .isSignlessInteger(8);
    });
    // Sums of shifts, of what is beside them.
    for (auto product : reader.getBody()->getOps<arith::MulIOp>()) {
      APInt factor;
      if (matchPattern(product.getRhs(), m_ConstantInt(&factor)) ||
          matchPattern(product.getLhs(), m_ConstantInt(&factor)))
        needs.accTiles += !factor.isPowerOf2();
    }
  }
  return needs;
}

namespace {

/// The product of a kernel, and the loops around it.
struct KernelProduct {
  BlockOp block;
  BlockNest nest;
  VTAProduct product;
};

} // namespace

/// Brings a kernel to where its product and steps are two blocks.
static std::optional<KernelProduct> prepareProduct(KernelSchedule &schedule) {
  relay_vta::Config config =
      cast<vta::ConfigAttr>(schedule.getTarget()).getConfig();
  BlockOp block = findProduct(schedule);
  if (!block)
    return std::nullopt;
  inlineSteps(schedule, block);
  block = findProduct(schedule);
  FailureOr<BlockNest> nest = BlockNest::get(block);
  if (failed(nest))
    return std::nullopt;
  std::optional<VTAProduct> product = VTAProduct::get(*nest, config);
  if (!product)
    return std::nullopt;
  return KernelProduct{block, *nest, *product};
}

static SmallVector<VTATileChoice>
findTiles(KernelSchedule &schedule, const KernelProduct &found, size_t count) {
  return findVTATiles(found.nest, found.product,
                      cast<vta::ConfigAttr>(schedule.getTarget()).getConfig(),
                      countNeeds(schedule, found.block, found.product), count);
}

SmallVector<VTATileChoice> mlir::tir::findVTATiles(PrimFuncOp kernel,
                                                   size_t count) {
  FailureOr<relay::TargetAttrInterface> target = relay::getTarget(kernel);
  if (failed(target) || !isa<vta::ConfigAttr>(*target))
    return {};
  OwningOpRef<ModuleOp> copy = kernel.cloneIntoModule();
  KernelSchedule schedule(*copy->getOps<PrimFuncOp>().begin(), *target);
  std::optional<KernelProduct> found = prepareProduct(schedule);
  if (!found)
    return {};
  return findTiles(schedule, *found, count);
}

/// The tile that the kernel says, if it is one of its product.
static std::optional<VTATile> takeTile(PrimFuncOp kernel,
                                       const BlockNest &nest) {
  auto attr = dyn_cast_or_null<DenseI64ArrayAttr>(
      kernel->removeDiscardableAttr(kVTATileAttrName));
  if (!attr || attr.size() != nest.getNumVars())
    return std::nullopt;
  for (auto [var, size] : llvm::enumerate(attr.asArrayRef()))
    if (size < 1 || *nest.getExtent(var) % size != 0)
      return std::nullopt;
  return VTATile(attr.asArrayRef());
}

/// Computes constants of channels, which are a product of one pixel, where
/// `tile`, the loop around a tile, needs them. The conversion adds such a
/// product to the results of the tile.
static LogicalResult scheduleConstants(KernelSchedule &schedule,
                                       BlockOp constants, ForOp tile) {
  relay_vta::Config config =
      cast<vta::ConfigAttr>(schedule.getTarget()).getConfig();
  FailureOr<BlockNest> nest = BlockNest::get(constants);
  if (failed(nest))
    return failure();
  std::optional<VTAProduct> product = VTAProduct::get(*nest, config);
  if (!product)
    return failure();
  Value result = product->sum.out.buffer;
  if (!result.getDefiningOp<AllocBufferOp>() ||
      failed(schedule.setScope(constants, result, vta::kAcc)) ||
      (tile && failed(schedule.computeAt(constants, tile))))
    return failure();
  for (auto [buffer, memory] :
       {std::pair(product->sum.left.buffer, vta::kInp),
        std::pair(product->sum.right.buffer, vta::kWgt)}) {
    BlockOp copy = schedule.cacheRead(constants, buffer, memory);
    if (!copy || (tile && failed(schedule.computeAt(copy, tile))))
      return failure();
  }
  // The loops that are around nothing else.
  SmallVector<ForOp, 6> loops = constants.getLoops();
  for (ForOp loop : loops)
    if (!tile || tile->isProperAncestor(loop))
      return success(schedule.decomposeReduction(constants, loop) != nullptr);
  return failure();
}

static KernelRule::Result scheduleProduct(KernelSchedule &schedule) {
  std::optional<KernelProduct> found = prepareProduct(schedule);
  if (!found)
    return KernelRule::None;
  BlockOp block = found->block;
  const BlockNest *nest = &found->nest;
  VTAProduct *product = &found->product;
  std::optional<VTATile> tile = takeTile(schedule.getKernel(), *nest);
  if (!tile)
    for (const VTATileChoice &best : findTiles(schedule, *found, 1))
      tile = best.tile;
  // The conversion says what does not fit.
  if (!tile) {
    tile.emplace(nest->getNumVars(), 1);
    for (unsigned var :
         llvm::concat<unsigned>(product->lanes, product->reductions))
      (*tile)[var] = *nest->getExtent(var);
    if (!product->reductions.empty())
      (*tile)[product->reductions.front()] = 1;
    if (product->imagesVar)
      (*tile)[*product->imagesVar] = product->batch;
    if (product->channelsVar)
      (*tile)[*product->channelsVar] = product->block;
  }
  Value data = product->sum.left.buffer, weight = product->sum.right.buffer,
        result = product->sum.out.buffer;

  SmallVector<ForOp> grid, steps, inner, lanes;
  std::string text;
  for (unsigned var = 0; var != nest->getNumVars(); ++var) {
    ForOp loop = nest->loops[var];
    if (llvm::is_contained(product->lanes, var)) {
      lanes.push_back(loop);
      continue;
    }
    bool isFirstReduction =
        !product->reductions.empty() && var == product->reductions.front();
    if (nest->isReduce(var) && !isFirstReduction) {
      inner.push_back(loop);
      continue;
    }
    SmallVector<ForOp> parts =
        schedule.split(loop, {kInferFactor, (*tile)[var]});
    if (parts.size() != 2)
      return KernelRule::None;
    (isFirstReduction ? steps : grid).push_back(parts[0]);
    inner.push_back(parts[1]);
    text += (text.empty() ? "" : " x ") + std::to_string((*tile)[var]);
  }
  SmallVector<ForOp> order;
  for (auto &loops : {grid, steps, inner, lanes})
    llvm::append_range(order, loops);
  if (failed(schedule.reorder(order)))
    return KernelRule::None;
  // A result of one element that one block of inputs gives has no loops around
  // what is within an element, and nothing to be brought to them.
  ForOp step = !steps.empty()  ? steps.back()
               : !grid.empty() ? grid.back()
                               : ForOp();
  auto computeAtStep = [&](BlockOp copied) {
    return step ? schedule.computeAt(copied, step) : success();
  };

  // Copies of what a step needs.
  if (BlockOp padding = getPadding(data)) {
    if (failed(schedule.setScope(padding, data, vta::kInp)) ||
        failed(computeAtStep(padding)))
      return KernelRule::Some;
  } else {
    BlockOp copy = schedule.cacheRead(block, data, vta::kInp);
    if (!copy || failed(computeAtStep(copy)))
      return KernelRule::Some;
  }
  BlockOp copy = schedule.cacheRead(block, weight, vta::kWgt);
  if (!copy || failed(computeAtStep(copy)))
    return KernelRule::Some;

  if (result.getDefiningOp<AllocBufferOp>()) {
    if (failed(schedule.setScope(block, result, vta::kAcc)))
      return KernelRule::Some;
    for (BlockOp reader : getReaders(result))
      if (reader != block && !grid.empty() &&
          failed(schedule.reverseComputeAt(reader, grid.back())))
        return KernelRule::Some;
  }
  if (BlockOp constants = findConstants(schedule, block))
    if (failed(scheduleConstants(schedule, constants,
                                 grid.empty() ? ForOp() : grid.back())))
      return KernelRule::Some;
  // Results become zero before the first step of their tile.
  ForOp first = !steps.empty()   ? steps.front()
                : !inner.empty() ? inner.front()
                                 : lanes.front();
  if (!schedule.decomposeReduction(block, first))
    return KernelRule::Some;
  schedule.compactBuffers(/*maxBytes=*/0);
  schedule.remark("tile", "@" + block.getName() + ": tile of " + text);
  return KernelRule::All;
}

namespace {

/// Adds the rules to kernels for `#vta.config`.
struct VTARules : ScheduleRulesInterface {
  using ScheduleRulesInterface::ScheduleRulesInterface;

  void addRules(relay::TargetAttrInterface target,
                ScheduleRules &rules) const override {
    if (!isa<vta::ConfigAttr>(target))
      return;
    rules.addKernelRule(
        {"product in tiles of scratchpads", 10, scheduleProduct});
    rules.addKernelRule(
        {"maximum of windows in tiles of scratchpads", 9, scheduleMaximum});
    rules.addKernelRule(
        {"elements in tiles of scratchpads", 8, scheduleElements});
    rules.setFallback([](KernelSchedule &, BlockOp) {});
  }
};

} // namespace

void mlir::tir::registerVTAScheduleRules(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *, vta::VTADialect *dialect) {
    dialect->addInterfaces<VTARules>();
  });
}
