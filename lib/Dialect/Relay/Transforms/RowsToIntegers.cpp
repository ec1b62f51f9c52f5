//===- RowsToIntegers.cpp - Few rows by weights of few bits ---------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The product of a few rows waits for its weight, and then for what makes the
// weight floats. Integers are multiplied as they are: in each block of a row,
// its floats are x = r * (h * 2^16 + m * 2^8 + l), with h, m and l bytes, 24
// bits in all as the fraction of the largest of them has. Each row is three
// rows of bytes, or two where that is precise enough. The sums of their
// products with a block of the weight are exact; what makes these numbers
// floats comes after them:
//
//   y = sum over blocks of s * r * (sum of (h * 2^16 + m * 2^8 + l) * (q - z))
//
//===----------------------------------------------------------------------===//

#include "WeightMakers.h"

#include "relay-mlir/Dialect/Relay/IR/ConstantNumbers.h"
#include "relay-mlir/Dialect/Relay/IR/TermBuilder.h"
#include "relay-mlir/Dialect/Relay/Transforms/Passes.h"
#include "relay-mlir/Dialect/Target/IR/ByteProducts.h"

#include <cmath>

namespace mlir::relay {
#define GEN_PASS_DEF_ROWSTOINTEGERSPASS
#include "relay-mlir/Dialect/Relay/Transforms/Passes.h.inc"
} // namespace mlir::relay

using namespace mlir;
using namespace mlir::relay;

/// Sums of so many products of bytes are exact in f32.
static constexpr int64_t kMaxBlock = 512;
/// No format has shorter ones.
static constexpr int64_t kMinBlock = 16;

namespace {

/// What a constant weight is made of: (numbers - zeros) * scales.
class BlockedWeight {
public:
  /// Of the weight of `product`, (K, N), or (N, K) if that is transposed.
  static std::optional<BlockedWeight> match(Value weight, bool isTransposed);

  int64_t getColumns() const { return columns; }
  int64_t getBlocks() const { return depth / block; }
  int64_t getBlockSize() const { return block; }

  /// Numbers without a sign, (blocks, N, block).
  Term buildNumbers(TermBuilder &b) const;
  /// What numbers have been raised by to lose their sign is in the zeros, i32;
  /// they and the scales, f32, are (blocks or 1, 1, N or 1).
  Term buildZeros(TermBuilder &b) const;
  Term buildScales(TermBuilder &b) const {
    return toBlocks(b, b.castTo(scales, b.getF32Type()));
  }

private:
  enum class Form {
    /// (K, N)
    Rows,
    /// (N, K)
    Columns,
    /// (N, blocks, block)
    Blocks
  };

  bool setBlock(int64_t size);
  bool matchNumbers(Value value);
  bool matchParameter(Value &value);
  Term toBlocks(TermBuilder &b, Term parameter) const;
  int64_t getOffset() const {
    auto type = cast<IntegerType>(getElementTypeOrSelf(numbers.getType()));
    return type.isUnsigned() ? 0 : int64_t(1) << (type.getWidth() - 1);
  }

  Form form = Form::Rows;
  Value numbers, scales;
  /// Null if there are none.
  Value zeros;
  int64_t columns = 0, depth = 0;
  /// Elements that share parameters, or a part of them.
  int64_t block = 0;
  /// Elements that share parameters; 0 if none change along the depth.
  int64_t given = 0;
};

} // namespace

//===----------------------------------------------------------------------===//
// The weight
//===----------------------------------------------------------------------===//

/// What `value` is before casts to types that hold all of its elements.
static Value skipCasts(Value value) {
  while (auto cast = value.getDefiningOp<CastOp>()) {
    Type from = getElementTypeOrSelf(cast.getData().getType());
    Type to = getElementTypeOrSelf(value.getType());
    bool isWider = from.isIntOrFloat() &&
                   from.getIntOrFloatBitWidth() < to.getIntOrFloatBitWidth();
    if (!isWider)
      break;
    value = cast.getData();
  }
  return value;
}

/// Integers of at most 8 bits: (numbers - zeros), each cast to a type that
/// holds all differences.
bool BlockedWeight::matchNumbers(Value value) {
  auto holds = [](Value cast) {
    Type type = getElementTypeOrSelf(cast.getType());
    return type.isF32() || type.isSignlessInteger(16) ||
           type.isSignlessInteger(32);
  };
  while (auto cast = value.getDefiningOp<CastOp>()) {
    if (!holds(value))
      return false;
    value = cast.getData();
  }
  if (auto difference = value.getDefiningOp<SubtractOp>()) {
    if (!holds(value))
      return false;
    value = skipCasts(difference.getLhs());
    zeros = difference.getRhs();
  }
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (!type || !isa<IntegerType>(type.getElementType()) ||
      type.getElementTypeBitWidth() > 8 || type.getElementTypeBitWidth() < 2 ||
      !value.getDefiningOp<ConstantOp>())
    return false;
  numbers = value;
  return true;
}

bool BlockedWeight::setBlock(int64_t size) {
  if (given != 0 && given != size)
    return false;
  given = size;
  return true;
}

/// A constant that is the same in each block; leaves it as it is before it is
/// repeated.
bool BlockedWeight::matchParameter(Value &value) {
  int64_t depthAxis = form == Form::Rows ? 0 : 1;
  Value source = skipCasts(value);
  if (auto repeat = source.getDefiningOp<RepeatOp>()) {
    auto data = cast<RankedTensorType>(repeat.getData().getType());
    std::optional<int64_t> axis = repeat.getAxis();
    if (form == Form::Blocks || data.getRank() != 2 || !axis ||
        (*axis < 0 ? *axis + 2 : *axis) != depthAxis ||
        !skipCasts(repeat.getData()).getDefiningOp<ConstantOp>() ||
        !setBlock(repeat.getRepeats()))
      return false;
    value = repeat.getData();
    return true;
  }
  if (!source.getDefiningOp<ConstantOp>())
    return false;
  ArrayRef<int64_t> shape = cast<RankedTensorType>(value.getType()).getShape();
  if (llvm::all_of(shape, [](int64_t size) { return size == 1; }))
    return true;
  if (form == Form::Blocks)
    return shape.size() == 3 && shape.back() == 1 &&
           (shape[1] == 1 || setBlock(depth / shape[1]));
  if (shape.size() == 1)
    return form == Form::Rows;
  return shape.size() == 2 && shape[depthAxis] == 1;
}

std::optional<BlockedWeight> BlockedWeight::match(Value value,
                                                  bool isTransposed) {
  BlockedWeight weight;
  if (auto transpose = value.getDefiningOp<TransposeOp>()) {
    std::optional<ArrayRef<int64_t>> axes = transpose.getAxes();
    if (axes && llvm::is_sorted(*axes))
      return std::nullopt;
    value = transpose.getData();
    isTransposed = !isTransposed;
  }
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (!type || type.getRank() != 2 || !type.hasStaticShape() ||
      !type.getElementType().isF32())
    return std::nullopt;
  weight.form = isTransposed ? Form::Columns : Form::Rows;
  weight.columns = type.getDimSize(isTransposed ? 0 : 1);
  weight.depth = type.getDimSize(isTransposed ? 1 : 0);
  if (auto reshape = value.getDefiningOp<ReshapeOp>()) {
    value = reshape.getData();
    auto blocks = cast<RankedTensorType>(value.getType());
    if (!isTransposed || blocks.getRank() != 3 ||
        blocks.getDimSize(0) != weight.columns)
      return std::nullopt;
    weight.form = Form::Blocks;
  }
  auto multiply = value.getDefiningOp<MultiplyOp>();
  if (!multiply)
    return std::nullopt;
  for (auto [numbers, scales] :
       {std::pair(multiply.getLhs(), multiply.getRhs()),
        std::pair(multiply.getRhs(), multiply.getLhs())}) {
    weight.numbers = weight.zeros = {};
    weight.scales = scales;
    if (weight.matchNumbers(numbers))
      break;
    weight.numbers = {};
  }
  auto shape = cast<RankedTensorType>(multiply.getType()).getShape();
  if (!weight.numbers ||
      cast<RankedTensorType>(weight.numbers.getType()).getShape() != shape)
    return std::nullopt;
  if (!weight.matchParameter(weight.scales) ||
      (weight.zeros && !weight.matchParameter(weight.zeros)))
    return std::nullopt;
  int64_t whole = weight.given ? weight.given : weight.depth;
  // Parts of a block have its parameters.
  for (int64_t size = kMinBlock; size <= std::min(whole, kMaxBlock); ++size)
    if (whole % size == 0)
      weight.block = size;
  if (weight.block == 0 || weight.depth % weight.block != 0)
    return std::nullopt;
  // What is far from 1 would overflow, or vanish, beside the units of data.
  constexpr double kLeast = 0x1p-60, kMost = 0x1p60;
  std::optional<SmallVector<double>> scales =
      getNumbers(skipCasts(weight.scales));
  if (!scales || llvm::any_of(*scales, [](double scale) {
        bool near = std::abs(scale) >= kLeast && std::abs(scale) <= kMost;
        return scale != 0 && !near;
      }))
    return std::nullopt;
  if (weight.zeros) {
    // Whole numbers of their type, or products are more than 32 bits hold.
    std::optional<SmallVector<double>> values =
        getNumbers(skipCasts(weight.zeros));
    if (!values || llvm::any_of(*values, [](double zero) {
          return zero != std::floor(zero) || std::abs(zero) > 255;
        }))
      return std::nullopt;
  }
  return weight;
}

/// A parameter as (blocks or 1, 1, N or 1).
Term BlockedWeight::toBlocks(TermBuilder &b, Term parameter) const {
  if (parameter.getType().getNumElements() == 1)
    return b.reshape(parameter, {1, 1, 1});
  if (form == Form::Blocks)
    parameter = b.transpose(parameter, {1, 2, 0});
  else if (parameter.getRank() == 1)
    return b.reshape(parameter, {1, 1, -1});
  else if (form == Form::Columns)
    parameter = b.transpose(parameter, {1, 0});
  if (parameter.getRank() == 2)
    parameter =
        b.reshape(parameter, {parameter.getSize(0), 1, parameter.getSize(1)});
  int64_t repeats = getBlocks() / parameter.getSize(0);
  if (repeats == 1 || parameter.getSize(0) == 1)
    return parameter;
  return b.make<RepeatOp>(parameter, repeats, b.getI64IntegerAttr(0));
}

Term BlockedWeight::buildNumbers(TermBuilder &b) const {
  Term data = b.term(numbers);
  Type byte = b.getIntegerType(8, /*isSigned=*/false);
  // (Of bytes, what is added wraps around.)
  if (int64_t offset = getOffset())
    data = b.castTo(data, byte) + offset;
  else
    data = b.castTo(data, byte);
  if (form == Form::Rows)
    return b.transpose(b.reshape(data, {getBlocks(), block, columns}),
                       {0, 2, 1});
  return b.transpose(b.reshape(data, {columns, getBlocks(), block}), {1, 0, 2});
}

Term BlockedWeight::buildZeros(TermBuilder &b) const {
  Type i32 = b.getI32Type();
  if (!zeros)
    return b.reshape(b.number(getOffset(), i32), {1, 1, 1});
  Term parameter = b.castTo(toBlocks(b, b.term(zeros)), i32);
  return getOffset() ? parameter + getOffset() : parameter;
}

//===----------------------------------------------------------------------===//
// The product
//===----------------------------------------------------------------------===//

namespace {

/// Rows of floats as rows of bytes: some for each, all of one kind together.
struct BytesOfRows {
  /// `numBytes` for each number.
  BytesOfRows(TermBuilder &b, Term data, int64_t numBlocks, int64_t block,
              int64_t numBytes);

  /// i8: (blocks, bytes * rows, block)
  Term bytes;
  /// What bytes stand for, f32: (blocks, bytes * rows, 1)
  Term units;
};

} // namespace

static Term concatenate(TermBuilder &b, ArrayRef<Term> parts) {
  SmallVector<Value> values(parts.begin(), parts.end());
  return b.makeWith<ConcatenateOp>(
      values, {b.getNamedAttr("axis", b.getI64IntegerAttr(1))});
}

BytesOfRows::BytesOfRows(TermBuilder &b, Term data, int64_t numBlocks,
                         int64_t block, int64_t numBytes)
    : bytes(data), units(data) {
  // As much as the bytes hold, less some that rounding may add.
  double most = 120;
  for (int64_t i = 1; i != numBytes; ++i)
    most += std::ldexp(127, 8 * i);
  // Of smaller numbers the factor would be infinite. What is left of theirs is
  // off by no more than the smallest normal number.
  constexpr double kSmallest = 0x1p-104;
  Type i32 = b.getI32Type(), i8 = b.getI8Type();
  int64_t rows = data.getSize(0);
  Term blocks =
      b.transpose(b.reshape(data, {rows, numBlocks, block}), {1, 0, 2});
  Term largest =
      b.makeWith<MaxOp>(b.make<AbsOp>(blocks).get(),
                        {b.getNamedAttr("axis", b.getDenseI64ArrayAttr({2})),
                         b.getNamedAttr("keepdims", b.getBoolAttr(true))});
  Term size = b.make<MaximumOp>(largest, b.number(kSmallest, largest));
  Term whole = b.castTo(b.make<RoundOp>(blocks * (most / size)), i32);
  // Infinities and NaN make all sums NaN.
  Term unit = size * (1 / most) + (largest - largest);
  // From the last byte on, each with its sign.
  Term eight = b.number(8, i32);
  SmallVector<Term> parts, scales;
  for (int64_t i = 0; i != numBytes; ++i) {
    Term byte = b.castTo(whole, i8);
    parts.push_back(byte);
    scales.push_back(i == 0 ? unit : unit * std::ldexp(1, 8 * i));
    if (i + 1 != numBytes)
      whole = b.make<RightShiftOp>(whole - b.castTo(byte, i32), eight);
  }
  bytes = concatenate(b, parts);
  units = concatenate(b, scales);
}

/// The weight of a product of f32, if rows are multiplied by it as it is.
static std::optional<BlockedWeight> matchWeight(Operation *op) {
  if (auto dense = dyn_cast<NNDenseOp>(op))
    return BlockedWeight::match(dense.getWeight(), /*isTransposed=*/true);
  auto matmul = dyn_cast<NNMatmulOp>(op);
  if (!matmul || matmul.getTransposeA())
    return std::nullopt;
  return BlockedWeight::match(matmul.getTensorB(), matmul.getTransposeB());
}

/// Up to how many rows integers take less time than floats that are made in a
/// cache. The sums of each row and block take some, too.
static int64_t getMaxRows(int64_t block, Operation *op,
                          TargetAttrInterface target) {
  int64_t atOnce = countByteProducts(target);
  // Sums that go to memory take more time than short blocks.
  constexpr int64_t kMinStoredBlock = 64;
  if (!addsBlocksUp(op, target))
    return block < kMinStoredBlock ? 0 : 2 * atOnce;
  // 4096 x 4096 with AVX-512, in us for a row: 320 with blocks of 128, 370 of
  // 64, 480 of 32, 780 of 16; with floats 290, and 2500 for the weight. The
  // products of pairs take as long as those of floats.
  constexpr int64_t kNumbersOfRow = 16;
  int64_t most = atOnce == 1 ? 3 : 32;
  return std::min(block * atOnce / kNumbersOfRow, most);
}

static void multiplyIntegers(Operation *op, int64_t rows,
                             const BlockedWeight &weight) {
  TermBuilder b(op->getLoc(), OpBuilder(op));
  Type i32 = b.getI32Type(), f32 = b.getF32Type();
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  int64_t numBlocks = weight.getBlocks(), block = weight.getBlockSize();
  int64_t columns = weight.getColumns();
  Term data = b.reshape(op->getOperand(0), {rows, numBlocks * block});
  int64_t numBytes = getPrecision(op) == Precision::Medium ? 2 : 3;
  BytesOfRows left(b, data, numBlocks, block, numBytes);

  SmallVector<Value> factors = {left.bytes, weight.buildNumbers(b)};
  Term products = b.makeWith<NNBatchMatmulOp>(
      factors, {b.getNamedAttr("out_dtype", TypeAttr::get(i32)),
                b.getNamedAttr("transpose_a", b.getBoolAttr(false)),
                b.getNamedAttr("transpose_b", b.getBoolAttr(true))});
  Term sums = b.sum(b.castTo(left.bytes, i32), {2}, /*keepdims=*/true);
  Term integers = products - sums * weight.buildZeros(b);
  Term floats = b.castTo(integers, f32) * (weight.buildScales(b) * left.units);
  // Blocks first: the kernel of the product adds them up as they come.
  Term rowsOfBytes = b.reshape(b.sum(floats, {0}), {numBytes, rows, columns});
  Term result = b.sum(rowsOfBytes, {0});
  op->getResult(0).replaceAllUsesWith(b.reshape(result, type.getShape()));
  op->erase();
}

namespace {

struct RowsToIntegersPass final
    : relay::impl::RowsToIntegersPassBase<RowsToIntegersPass> {
  using RowsToIntegersPassBase::RowsToIntegersPassBase;

  void runOnOperation() override;
};

} // namespace

void RowsToIntegersPass::runOnOperation() {
  func::FuncOp function = getOperation();
  OperatorTargets targets(function);
  SmallVector<Operation *> products;
  function.walk([&](Operation *op) {
    if (isa<NNDenseOp, NNMatmulOp>(op))
      products.push_back(op);
  });
  for (Operation *op : products) {
    auto data = dyn_cast<RankedTensorType>(op->getOperand(0).getType());
    auto result = dyn_cast<RankedTensorType>(op->getResult(0).getType());
    if (!data || !result || !data.getElementType().isF32() ||
        !result.getElementType().isF32() || !result.hasStaticShape() ||
        getPrecision(op) == Precision::Highest)
      continue;
    std::optional<int64_t> rows = countRows(data);
    TargetAttrInterface target = targets.lookup(op);
    if (!rows || *rows == 0 || countByteProducts(target) == 0)
      continue;
    std::optional<BlockedWeight> weight = matchWeight(op);
    if (!weight || *rows > getMaxRows(weight->getBlockSize(), op, target))
      continue;
    multiplyIntegers(op, *rows, *weight);
    ++numProducts;
  }
}
