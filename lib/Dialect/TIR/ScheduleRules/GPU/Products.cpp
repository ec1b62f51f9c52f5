//===- Products.cpp - Products by tensor cores ----------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A sum of products whose variables each belong to one or both operands is a
// product of matrices, whatever the ranks of its buffers.
//
//===----------------------------------------------------------------------===//

#include "GPURules.h"

using namespace mlir;
using namespace mlir::tir;

/// Rows and columns below which tiles are mostly empty.
static constexpr int64_t kMinRows = 8;
static constexpr int64_t kMinReduction = 16;
/// Steps below which operands of `wgmma` are mostly empty.
static constexpr int64_t kMinGroupReduction = 64;
/// Elements of a sum that are worth a block of threads of their own.
static constexpr int64_t kMinPart = 256;
/// Parts that are worth another launch, for their sums.
static constexpr int64_t kMinParts = 4;
/// Elements of parts begin where wide loads may, of numbers of 16 bits.
static constexpr int64_t kPartAlignment = 8;
/// Parts of operands that are on their way at once: enough to hide how long one
/// takes.
static constexpr int64_t kStages = 4;

namespace {

/// Variables by what they are of a product.
struct ProductVars {
  SmallVector<int64_t> batch, rows, columns, reduction;
};

} // namespace

static std::optional<ProductVars> divideVars(const BlockNest &nest,
                                             const SumOfProducts &product) {
  ProductVars vars;
  for (unsigned var = 0; var != nest.getNumVars(); ++var) {
    bool isLeft = dependsOn(product.left, var);
    bool isRight = dependsOn(product.right, var);
    if (nest.isReduce(var)) {
      // Of one operand alone, it would be a sum first.
      if ((!isLeft || !isRight) && nest.getExtent(var) != 1)
        return std::nullopt;
      vars.reduction.push_back(var);
      continue;
    }
    if (nest.kinds[var] != IterKind::Spatial ||
        (!isLeft && !isRight && nest.getExtent(var) != 1))
      return std::nullopt;
    if (isLeft && isRight)
      vars.batch.push_back(var);
    else if (isRight)
      vars.columns.push_back(var);
    else
      vars.rows.push_back(var);
  }
  return vars;
}

/// How many there are; a guess if that is not known.
static int64_t guessCount(const BlockNest &nest, ArrayRef<int64_t> vars) {
  int64_t count = 1;
  for (int64_t var : vars)
    count = llvm::SaturatingMultiply<uint64_t>(count, nest.guessExtent(var));
  return count;
}

static Type getElementType(const BufferAccess &access) {
  return cast<MemRefType>(access.buffer.getType()).getElementType();
}

static bool isHalf(Type type) { return type.isF16() || type.isBF16(); }
static bool isByte(Type type) { return type.isInteger(8); }

/// The block right behind that computes one result from each of those of the
/// product, which nobody else reads.
static BlockOp findEpilogue(const BlockNest &nest,
                            const SumOfProducts &product) {
  if (!product.out.buffer.getDefiningOp<AllocBufferOp>())
    return {};
  SmallVector<BlockOp> readers = getReaders(product.out.buffer);
  llvm::erase(readers, nest.block);
  if (readers.size() != 1 || readers.front().getInit())
    return {};
  FailureOr<BlockNest> reader = BlockNest::get(readers.front());
  if (failed(reader) || !reader->getStore() || reader->isReduction())
    return {};
  Operation *next = nest.loops.front()->getNextNode();
  while (next && !isa<ForOp>(next) && next->getNumRegions() == 0)
    next = next->getNextNode();
  if (next != reader->loops.front())
    return {};
  // Each element of the product belongs to one instance.
  if (!llvm::all_of(reader->kinds,
                    [](IterKind kind) { return kind == IterKind::Spatial; }))
    return {};
  std::optional<AffineMap> map;
  for (const BufferAccess &access : reader->accesses) {
    if (access.buffer != product.out.buffer)
      continue;
    if (!access.map || !access.symbols.empty() || (map && *map != *access.map))
      return {};
    map = access.map;
  }
  auto type = cast<MemRefType>(product.out.buffer.getType());
  if (!map || !map->isProjectedPermutation(/*allowZeroInResults=*/true) ||
      !type.hasStaticShape())
    return {};
  // Variables that the product does not have would be computed again.
  for (unsigned var = 0; var != reader->getNumVars(); ++var)
    if (!map->isFunctionOfDim(var) && reader->getExtent(var) != 1)
      return {};
  for (auto [result, size] : llvm::zip(map->getResults(), type.getShape())) {
    auto dim = dyn_cast<AffineDimExpr>(result);
    if (!dim ? size != 1 : reader->getExtent(dim.getPosition()) != size)
      return {};
  }
  return readers.front();
}

namespace {

struct ProductSize {
  int64_t rows, columns, batches, pieces, reduction;
  /// Whether elements need no conversion, whether they are bytes, and whether
  /// only those of one operand have a sign.
  bool isNarrow, isByte, isMixed;

  /// How many elements are where tiles count one of 16 bits.
  int64_t getScale() const { return isByte ? 2 : 1; }
};

struct Tiling {
  SmallVector<int64_t> tile, warps;
  StringRef instruction;
};

} // namespace

/// What there is to choose from, larger tiles first.
static SmallVector<Tiling> getTilings(const ProductSize &size,
                                      const cuda::ArchInfo &gpu) {
  using cuda::ProductAttr;
  SmallVector<Tiling> tilings;
  // Rows of 128 bytes for `wgmma`, of 64 for others.
  int64_t scale = size.getScale();
  if (gpu.hasWarpgroupProducts && !size.isMixed &&
      size.reduction >= kMinGroupReduction * scale) {
    int64_t steps = 64 * scale;
    // Elements in two pieces leave no registers for more than 128 columns.
    if (size.isNarrow)
      tilings.push_back({{128, 256, steps}, {8, 1}, ProductAttr::kWgmma});
    tilings.push_back({{128, 128, steps}, {8, 1}, ProductAttr::kWgmma});
    tilings.push_back({{128, 64, steps}, {8, 1}, ProductAttr::kWgmma});
    tilings.push_back({{64, 64, steps}, {4, 1}, ProductAttr::kWgmma});
    return tilings;
  }
  int64_t steps = 32 * scale;
  tilings.push_back({{128, 128, steps}, {2, 4}, ProductAttr::kMma});
  tilings.push_back({{64, 64, steps}, {2, 2}, ProductAttr::kMma});
  return tilings;
}

static int64_t countTiles(const ProductSize &size, const Tiling &tiling) {
  return llvm::divideCeil(size.rows, tiling.tile[0]) *
         llvm::divideCeil(size.columns, tiling.tile[1]) * size.batches;
}

/// Small tiles where large ones would leave multiprocessors without work.
static Tiling chooseTiling(const ProductSize &size, const cuda::ArchInfo &gpu) {
  SmallVector<Tiling> tilings = getTilings(size, gpu);
  auto *found = llvm::find_if(tilings, [&](const Tiling &tiling) {
    return countTiles(size, tiling) >= gpu.numMultiprocessors;
  });
  return found == tilings.end() ? tilings.back() : *found;
}

/// The loop of a reduction that falls into most parts, at most so many, and how
/// many those are.
static std::pair<ForOp, int64_t> findParts(const BlockNest &nest,
                                           ArrayRef<int64_t> reduction,
                                           int64_t alignment, int64_t most) {
  ForOp loop;
  int64_t numParts = 1;
  for (int64_t var : reduction) {
    std::optional<int64_t> extent = nest.getExtent(var);
    if (!extent)
      continue;
    for (int64_t parts = std::min(most, *extent / alignment); parts > numParts;
         --parts)
      if (*extent % (parts * alignment) == 0) {
        loop = nest.loops[var];
        numParts = parts;
      }
  }
  return {loop, numParts};
}

/// Annotates the block, which a nest of loops is around or not.
static LogicalResult annotateProduct(KernelSchedule &schedule, BlockOp block,
                                     const ProductVars &vars,
                                     const ProductSize &size,
                                     const Tiling &tiling, BlockOp epilogue) {
  MLIRContext *context = block.getContext();
  auto list = [&](ArrayRef<int64_t> values) {
    return DenseI64ArrayAttr::get(context, values);
  };
  std::string epilogueName = epilogue ? epilogue.getName().str() : "";
  auto attribute = cuda::ProductAttr::get(
      context, list(vars.batch), list(vars.rows), list(vars.columns),
      list(vars.reduction), list(tiling.tile), list(tiling.warps), size.pieces,
      size.isNarrow ? kStages : 1, tiling.instruction, epilogueName);
  if (failed(schedule.annotate(block, cuda::ProductAttr::kAttrName, attribute)))
    return failure();
  if (epilogue)
    (void)schedule.annotate(epilogue, cuda::ProductAttr::kEpilogueAttrName,
                            StringAttr::get(context, block.getName()));
  return success();
}

/// Makes long sums of a few results products of their own, one for each part,
/// and lets a thread add up the parts of each result.
static LogicalResult splitSums(KernelSchedule &schedule, const BlockNest &nest,
                               const ProductVars &vars, ProductSize size,
                               int64_t most, BlockOp epilogue) {
  auto [loop, numParts] =
      findParts(nest, vars.reduction, kPartAlignment * size.getScale(), most);
  if (numParts < kMinParts)
    return failure();
  BlockOp sum = nest.block;
  SmallVector<ForOp> loops = schedule.split(loop, {numParts, kInferFactor});
  BlockOp part = loops.size() == 2 ? schedule.rfactor(loops[0]) : BlockOp();
  if (!part)
    return failure();
  BlockNest domain = BlockNest::getWithoutLoops(part);
  std::optional<SumOfProducts> product = matchSumOfProducts(domain);
  std::optional<ProductVars> partVars =
      product ? divideVars(domain, *product) : std::nullopt;
  size.batches *= numParts;
  size.reduction /= numParts;
  schedule.setScheduled(part);
  if (!partVars ||
      failed(annotateProduct(schedule, part, *partVars, size,
                             chooseTiling(size, getGPU(schedule)), BlockOp())))
    scheduleAnything(schedule, part);
  BlockOp last = epilogue ? epilogue : sum;
  FailureOr<BlockNest> results = BlockNest::get(last);
  if (failed(results) || failed(scheduleGrid(schedule, *results)))
    scheduleAnything(schedule, last);
  if (!epilogue)
    return success();
  // In registers, for each result.
  schedule.setScheduled(epilogue);
  if (succeeded(schedule.computeAt(sum, epilogue.getLoops().back())))
    schedule.compactBuffers(sizeof(double));
  else
    scheduleAnything(schedule, sum);
  return success();
}

namespace {

/// A product that tensor cores can compute.
struct Product {
  SumOfProducts sum;
  ProductVars vars;
  ProductSize size;
};

} // namespace

static std::optional<Product> matchProduct(KernelSchedule &schedule,
                                           const BlockNest &nest) {
  std::optional<SumOfProducts> product = matchSumOfProducts(nest);
  relay::Precision precision = relay::getPrecision(schedule.getKernel());
  if (!product || !product->out.symbols.empty())
    return std::nullopt;
  Type left = getElementType(product->left);
  Type right = getElementType(product->right);
  Type out = getElementType(product->out);
  bool isF32 = left.isF32() && right.isF32() && out.isF32();
  bool isBytes = isByte(left) && isByte(right) && out.isInteger(32);
  bool isNarrow = isBytes || (isHalf(left) && left == right &&
                              (out.isF32() || out == left));
  if (!isNarrow && (!isF32 || precision == relay::Precision::Highest))
    return std::nullopt;
  std::optional<ProductVars> vars = divideVars(nest, *product);
  if (!vars)
    return std::nullopt;
  ProductSize size;
  size.rows = guessCount(nest, vars->rows);
  size.columns = guessCount(nest, vars->columns);
  size.batches = guessCount(nest, vars->batch);
  size.reduction = guessCount(nest, vars->reduction);
  size.pieces = isF32 && precision == relay::Precision::High ? 2 : 1;
  size.isNarrow = isNarrow;
  size.isByte = isBytes;
  size.isMixed =
      isBytes && isUnsigned(product->left) != isUnsigned(product->right);
  if (size.rows < kMinRows || size.columns < kMinRows ||
      size.reduction < kMinReduction)
    return std::nullopt;
  return Product{*product, std::move(*vars), size};
}

bool mlir::tir::isProduct(KernelSchedule &schedule, const BlockNest &nest) {
  return matchProduct(schedule, nest).has_value();
}

LogicalResult mlir::tir::scheduleProduct(KernelSchedule &schedule,
                                         BlockNest nest) {
  std::optional<Product> product = matchProduct(schedule, nest);
  if (!product)
    return failure();
  const auto &[sum, vars, size] = *product;
  BlockOp epilogue = findEpilogue(nest, sum);
  const cuda::ArchInfo &gpu = getGPU(schedule);
  Tiling tiling = chooseTiling(size, gpu);
  int64_t most = std::min(gpu.numMultiprocessors / countTiles(size, tiling),
                          size.reduction / kMinPart);
  if (most >= kMinParts &&
      succeeded(splitSums(schedule, nest, vars, size, most, epilogue)))
    return success();
  return annotateProduct(schedule, nest.block, vars, size, tiling, epilogue);
}
