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
#include "relay-mlir/Dialect/TIR/ScheduleRules/VTATiles.h"
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

static SmallVector<VTATile>
findTiles(KernelSchedule &schedule, const KernelProduct &found, size_t count) {
  return findVTATiles(found.nest, found.product,
                      cast<vta::ConfigAttr>(schedule.getTarget()).getConfig(),
                      countByteOperands(found.product), count);
}

SmallVector<SmallVector<int64_t>> mlir::tir::findVTATiles(PrimFuncOp kernel,
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

static KernelRule::Result scheduleProduct(KernelSchedule &schedule) {
  std::optional<KernelProduct> found = prepareProduct(schedule);
  if (!found)
    return KernelRule::None;
  BlockOp block = found->block;
  const BlockNest *nest = &found->nest;
  VTAProduct *product = &found->product;
  std::optional<VTATile> tile = takeTile(schedule.getKernel(), *nest);
  if (!tile)
    for (const VTATile &best : findTiles(schedule, *found, 1))
      tile = best;
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
