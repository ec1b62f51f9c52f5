//===- ProductTiles.cpp - Tiles of products that VTA computes -------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ProductTiles.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::tir;
using relay_vta::Memory;

//===----------------------------------------------------------------------===//
// Variables
//===----------------------------------------------------------------------===//

/// Strides of all accesses of a product along one variable, in lanes.
static std::optional<std::array<int64_t, 3>>
getStrides(const SumOfProducts &sum, unsigned var) {
  std::array<int64_t, 3> strides;
  const BufferAccess *accesses[] = {&sum.left, &sum.right, &sum.out};
  for (auto [stride, access] : llvm::zip_equal(strides, accesses)) {
    std::optional<int64_t> value = getStride(*access, var);
    if (!value)
      return std::nullopt;
    stride = *value;
  }
  return strides;
}

/// The same access within one group, if blocks of outputs are in groups; `var`
/// and `size` become the variable of these, and how many a group has.
static BufferAccess takeGroups(BufferAccess data, std::optional<unsigned> &var,
                               int64_t &size) {
  AffineExpr group;
  for (AffineExpr result : data.map->getResults())
    result.walk([&](AffineExpr expr) {
      auto quotient = dyn_cast<AffineBinaryOpExpr>(expr);
      if (group || !quotient || quotient.getKind() != AffineExprKind::FloorDiv)
        return;
      auto dim = dyn_cast<AffineDimExpr>(quotient.getLHS());
      auto divisor = dyn_cast<AffineConstantExpr>(quotient.getRHS());
      if (!dim || !divisor || divisor.getValue() <= 0)
        return;
      group = expr;
      var = dim.getPosition();
      size = divisor.getValue();
    });
  if (group)
    data.map =
        data.map->replace(group, getAffineConstantExpr(0, group.getContext()),
                          data.map->getNumDims(), data.map->getNumSymbols());
  return data;
}

std::optional<VTAProduct> VTAProduct::get(const BlockNest &nest,
                                          const relay_vta::Config &config) {
  std::optional<SumOfProducts> sum = matchSumOfProducts(nest);
  if (!sum)
    return std::nullopt;
  auto isInteger = [](const BufferAccess &access, unsigned bits) {
    return cast<MemRefType>(access.buffer.getType())
        .getElementType()
        .isSignlessInteger(bits);
  };
  if (!isInteger(sum->left, config.getInpBits()) ||
      !isInteger(sum->right, config.getWgtBits()) ||
      !isInteger(sum->out, config.getAccBits()))
    return std::nullopt;
  VTAProduct product;
  sum->left = takeGroups(sum->left, product.groupsVar, product.groupSize);
  product.sum = *sum;
  product.batch = static_cast<int64_t>(config.getBatch());
  product.block = static_cast<int64_t>(config.getBlock());
  auto block = static_cast<int64_t>(config.getBlock());
  auto batch = static_cast<int64_t>(config.getBatch());
  // Rows of a weight, its columns, and rows of data.
  using Strides = std::array<int64_t, 3>;
  const std::pair<Strides, int64_t> lanes[] = {
      {{0, block, 1}, block}, {{1, 1, 0}, block}, {{block, 0, block}, batch}};
  bool isFound[3] = {false, false, batch == 1};
  for (unsigned var = 0; var != nest.getNumVars(); ++var) {
    std::optional<Strides> strides = getStrides(*sum, var);
    std::optional<int64_t> extent = nest.getExtent(var);
    if (!strides || !extent)
      return std::nullopt;
    const auto *lane = llvm::find(lanes, std::pair(*strides, *extent));
    if (lane != std::end(lanes) && !isFound[lane - lanes]) {
      isFound[lane - lanes] = true;
      product.lanes.push_back(var);
      continue;
    }
    if (batch != 1 && !isFound[2] && *strides == lanes[2].first &&
        *extent % batch == 0) {
      isFound[2] = true;
      product.imagesVar = var;
      product.positions.push_back(var);
      continue;
    }
    if (!isFound[0] && *strides == lanes[0].first && *extent % block == 0) {
      isFound[0] = true;
      product.channelsVar = var;
      product.outputs.push_back(var);
      continue;
    }
    // One element after another.
    const int64_t elements[] = {batch * block, block * block, batch * block};
    for (auto [stride, element] : llvm::zip(*strides, elements))
      if (stride % element != 0 || stride < 0)
        return std::nullopt;
    if (nest.isReduce(var))
      product.reductions.push_back(var);
    else if (nest.kinds[var] != IterKind::Spatial)
      return std::nullopt;
    else
      // Both have groups.
      ((*strides)[1] != 0 ? product.outputs : product.positions).push_back(var);
  }
  if (!llvm::all_of(isFound, [](bool found) { return found; }))
    return std::nullopt;
  return product;
}

//===----------------------------------------------------------------------===//
// Tiles
//===----------------------------------------------------------------------===//

/// How many different elements of VTA a tile accesses, if there are no gaps.
static int64_t countElements(const BufferAccess &access,
                             const VTAProduct &product, const VTATile &tile) {
  int64_t count = 1;
  for (AffineExpr expr : access.map->getResults()) {
    int64_t span = 1;
    for (auto [var, size] : llvm::enumerate(tile)) {
      if (llvm::is_contained(product.lanes, var))
        continue;
      AffineExpr one = getAffineConstantExpr(1, expr.getContext());
      AffineExpr zero = getAffineConstantExpr(0, expr.getContext());
      SmallVector<AffineExpr> at(tile.size(), zero);
      AffineExpr first = expr.replaceDims(at);
      at[var] = one;
      AffineExpr next = expr.replaceDims(at);
      auto step = dyn_cast<AffineConstantExpr>(next - first);
      if (step)
        span += std::abs(step.getValue()) * (size - 1);
    }
    // Images of a block are in one element.
    if (product.imagesVar && expr.isFunctionOfDim(*product.imagesVar))
      span /= product.batch;
    // So are channels.
    if (product.channelsVar && expr.isFunctionOfDim(*product.channelsVar))
      span /= product.block;
    count *= span;
  }
  return count;
}

VTATileSizes VTATileSizes::get(const VTAProduct &product, const VTATile &tile) {
  return {countElements(product.sum.left, product, tile),
          countElements(product.sum.right, product, tile),
          countElements(product.sum.out, product, tile)};
}

static SmallVector<int64_t> getDivisors(int64_t value) {
  SmallVector<int64_t> divisors;
  for (int64_t i = 1; i <= value; ++i)
    if (value % i == 0)
      divisors.push_back(i);
  return divisors;
}

namespace {

/// Looks at all tiles of a product.
class TileSearch {
public:
  TileSearch(const BlockNest &nest, const VTAProduct &product,
             const relay_vta::Config &config, VTAStepNeeds needs)
      : nest(nest), product(product), config(config), needs(needs) {
    for (unsigned var = 0; var != nest.getNumVars(); ++var)
      whole.push_back(*nest.getExtent(var));
    // Only the first variable of the reduction, blocks of channels, is cut.
    free.append(product.positions);
    free.append(product.outputs);
    if (!product.reductions.empty())
      free.push_back(product.reductions.front());
    for (unsigned var : free)
      divisors.push_back(getDivisors(whole[var]));
  }

  SmallVector<VTATileChoice> run(size_t count) {
    VTATile tile = whole;
    visit(tile, 0);
    // Those of equal time are in the order of their sizes.
    llvm::sort(rated);
    SmallVector<VTATileChoice> best;
    for (auto &[time, tile] : ArrayRef(rated).take_front(count)) {
      // No estimate is that wrong.
      if (time > 2 * rated.front().first)
        break;
      best.push_back({tile, countSteps(tile)});
    }
    return best;
  }

private:
  void visit(VTATile &tile, size_t index) {
    if (index == free.size())
      return rate(tile);
    for (int64_t size : divisors[index]) {
      if (free[index] == product.imagesVar && size % product.batch != 0)
        continue;
      if (free[index] == product.channelsVar && size % product.block != 0)
        continue;
      if (free[index] == product.groupsVar && product.groupSize % size != 0)
        continue;
      tile[free[index]] = size;
      visit(tile, index + 1);
    }
  }

  int64_t countSteps(const VTATile &tile) const {
    int64_t steps = 1;
    for (auto [var, size] : llvm::enumerate(tile))
      if (!llvm::is_contained(product.lanes, var))
        steps *= whole[var] / size;
    return steps;
  }

  void rate(const VTATile &tile) {
    VTATileSizes sizes = VTATileSizes::get(product, tile);
    auto depth = [&](Memory memory) {
      return static_cast<int64_t>(config.getDepth(memory));
    };
    // Constants for each channel are beside results.
    int64_t channels = 1;
    for (unsigned var : product.outputs)
      channels *= tile[var];
    if (product.channelsVar)
      channels /= product.block;
    int64_t acc = sizes.acc * (1 + needs.accTiles) + channels;
    int64_t inp =
        sizes.inp + needs.inpTiles * sizes.acc + int64_t(needs.hasConstants);
    int64_t wgt = sizes.wgt + (needs.hasConstants ? channels : 0);
    // Bytes get to accumulators by a product with ones, or what they are
    // multiplied by, which all tiles share.
    if (inp > depth(Memory::Inp) || wgt + needs.inpTiles > depth(Memory::Wgt) ||
        acc > depth(Memory::Acc))
      return;
    bool fitsTwice = 2 * inp <= depth(Memory::Inp) &&
                     2 * wgt <= depth(Memory::Wgt) &&
                     2 * acc <= depth(Memory::Acc);
    double tiles = 1, steps = 1, work = 1;
    for (auto [var, size] : llvm::enumerate(tile)) {
      if (llvm::is_contained(product.lanes, var))
        continue;
      double count = double(whole[var]) / size;
      (nest.isReduce(var) ? steps : tiles) *= count;
      work *= whole[var];
    }
    if (product.channelsVar)
      work /= double(product.block);
    auto bytes = [&](Memory memory) {
      return static_cast<double>(config.getElementBytes(memory));
    };
    // An access of each run of rows costs the latency of memory, which loads of
    // another tile can hide.
    constexpr double kLatency = 22, kInstruction = 8;
    double bus = config.getBusBytes();
    double transfer =
        tiles * steps *
        (sizes.inp * bytes(Memory::Inp) + sizes.wgt * bytes(Memory::Wgt)) / bus;
    transfer += tiles * channels * bytes(Memory::Acc) / bus;
    double loads = tiles * steps * 2 * kLatency;
    double compute = work + tiles * (sizes.acc * 4 + steps * kInstruction);
    // What the first tile loads, and the last one stores, nothing hides.
    double ends = (transfer / (tiles * steps)) +
                  sizes.acc * (bytes(Memory::Out) / bus + 1);
    double time = fitsTwice ? std::max(compute, transfer + loads / 4) + ends
                            : compute + transfer + loads + tiles * ends;
    rated.emplace_back(time, tile);
  }

  const BlockNest &nest;
  const VTAProduct &product;
  const relay_vta::Config &config;
  VTAStepNeeds needs;
  VTATile whole;
  /// The variables that are cut, and into what sizes.
  SmallVector<unsigned> free;
  SmallVector<SmallVector<int64_t>> divisors;
  /// Those that fit, with the time of each.
  std::vector<std::pair<double, VTATile>> rated;
};

} // namespace

SmallVector<VTATileChoice>
mlir::tir::findVTATiles(const BlockNest &nest, const VTAProduct &product,
                        const relay_vta::Config &config, VTAStepNeeds needs,
                        size_t count) {
  return TileSearch(nest, product, config, needs).run(count);
}
