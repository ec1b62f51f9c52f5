//===- VTARules.cpp - The rules for VTA -----------------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A kernel is a product and what is computed of each of its results. Tiles of
// data and weights come to the scratchpads, one step of the reduction after
// another; results of a tile stay in accumulators until they are stored. What
// each nest becomes is for the conversion to say.
//
//===----------------------------------------------------------------------===//

#include "ProductTiles.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "relay-mlir/Dialect/TIR/ScheduleRules/KernelSchedule.h"
#include "relay-mlir/Dialect/TIR/ScheduleRules/ScheduleRules.h"
#include "relay-mlir/Dialect/VTA/IR/VTA.h"

using namespace mlir;
using namespace mlir::tir;

/// The block that adds up products, if there is one.
static BlockOp findProduct(KernelSchedule &schedule) {
  for (BlockOp block : schedule.getKernel().getBlocks())
    if (block.getInit())
      return block;
  return {};
}

/// Whether a block only computes elements of others of a buffer of the kernel.
static bool isStep(BlockOp block) {
  if (block.getInit() || block.hasReduceIters() ||
      block.getWrites().size() != 1 ||
      !block.getWrites().front().getDefiningOp<AllocBufferOp>())
    return false;
  return !block.getBody()
              ->walk([](affine::AffineIfOp) { return WalkResult::interrupt(); })
              .wasInterrupted();
}

/// Makes one block of the steps from the results of the product on.
static void inlineSteps(KernelSchedule &schedule, BlockOp product) {
  for (bool isChanged = true; isChanged;) {
    isChanged = false;
    for (BlockOp block : schedule.getKernel().getBlocks()) {
      // What the product reads is loaded as it is.
      if (!isStep(block) ||
          llvm::is_contained(getReaders(block.getWrites().front()), product))
        continue;
      if (succeeded(schedule.computeInline(block))) {
        isChanged = true;
        break;
      }
    }
  }
}

/// The block whose result is the padded data, null if the product reads an
/// argument.
static BlockOp getPadding(Value buffer) {
  if (!buffer.getDefiningOp<AllocBufferOp>())
    return {};
  SmallVector<BlockOp> writers = getWriters(buffer);
  return writers.size() == 1 ? writers.front() : BlockOp();
}

/// How many operands of bytes the steps behind a product load.
static int64_t countByteOperands(const VTAProduct &product) {
  int64_t count = 0;
  for (BlockOp reader : getReaders(product.sum.out.buffer))
    if (!reader.getInit())
      count += llvm::count_if(reader.getReads(), [](Value buffer) {
        return cast<MemRefType>(buffer.getType())
            .getElementType()
            .isSignlessInteger(8);
      });
  return count;
}

static KernelRule::Result scheduleProduct(KernelSchedule &schedule) {
  auto target = cast<vta::ConfigAttr>(schedule.getTarget());
  relay_vta::Config config = target.getConfig();
  BlockOp block = findProduct(schedule);
  if (!block)
    return KernelRule::None;
  inlineSteps(schedule, block);
  block = findProduct(schedule);
  FailureOr<BlockNest> nest = BlockNest::get(block);
  if (failed(nest))
    return KernelRule::None;
  std::optional<VTAProduct> product = VTAProduct::get(*nest, config);
  if (!product)
    return KernelRule::None;
  std::optional<VTATile> tile =
      chooseVTATile(*nest, *product, config, countByteOperands(*product));
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
  ForOp step = steps.empty() ? grid.back() : steps.back();

  // Copies of what a step needs.
  if (BlockOp padding = getPadding(data)) {
    if (failed(schedule.setScope(padding, data, vta::kInp)) ||
        failed(schedule.computeAt(padding, step)))
      return KernelRule::Some;
  } else {
    BlockOp copy = schedule.cacheRead(block, data, vta::kInp);
    if (!copy || failed(schedule.computeAt(copy, step)))
      return KernelRule::Some;
  }
  BlockOp copy = schedule.cacheRead(block, weight, vta::kWgt);
  if (!copy || failed(schedule.computeAt(copy, step)))
    return KernelRule::Some;

  if (result.getDefiningOp<AllocBufferOp>()) {
    if (failed(schedule.setScope(block, result, vta::kAcc)))
      return KernelRule::Some;
    for (BlockOp reader : getReaders(result))
      if (reader != block &&
          failed(schedule.reverseComputeAt(reader, grid.back())))
        return KernelRule::Some;
  }
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
    rules.setFallback([](KernelSchedule &, BlockOp) {});
  }
};

} // namespace

void mlir::tir::registerVTAScheduleRules(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *, vta::VTADialect *dialect) {
    dialect->addInterfaces<VTARules>();
  });
}
