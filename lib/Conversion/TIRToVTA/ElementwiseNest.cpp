//===- ElementwiseNest.cpp - Functions of elements by the ALU -------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each operation of the body is an instruction of the ALU on the whole tile, in
// place. Bytes from memory get to accumulators by a product with ones on the
// diagonal, which also adds them to what is there.
//
// Accumulators have lanes of 32 bits. A value of fewer bits in the body is kept
// as a number in its range; where an operation may leave that range, two shifts
// cut it, unless only its low bits are stored.
//
//===----------------------------------------------------------------------===//

#include "ElementwiseEmitter.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::relay;
using namespace mlir::relay::detail;

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

static bool isImmediate(int64_t number) {
  return number >= INT16_MIN && number <= INT16_MAX;
}

/// Where a number would not fit 32 bits, it may be any.
static void setRange(TileValue &value, int64_t least, int64_t most) {
  bool fits = least >= INT32_MIN && most <= INT32_MAX;
  value.least = fits ? least : INT32_MIN;
  value.most = fits ? most : INT32_MAX;
}

/// Shifts to the right, or by a negative amount to the left. All published
/// implementations agree on amounts from -16 to 15.
void ElementwiseEmitter::shift(TileValue &value, int64_t amount) {
  while (amount != 0) {
    int64_t part = std::clamp<int64_t>(amount, -16, 15);
    apply(vta::AluOpcode::Shr, part, value);
    amount -= part;
  }
}

LogicalResult ElementwiseEmitter::narrow(Operation *op, TileValue &value,
                                         unsigned bits) {
  int64_t most = (int64_t(1) << (bits - 1)) - 1, least = -most - 1;
  if (value.number) {
    value.number = llvm::SignExtend64(*value.number, bits);
    return success();
  }
  if (value.least >= least && value.most <= most)
    return success();
  if (failed(makeOwned(op, value)))
    return failure();
  shift(value, -int64_t(32 - bits));
  shift(value, 32 - bits);
  value.least = least;
  value.most = most;
  return success();
}

/// lhs op= rhs, where lhs is changed.
LogicalResult ElementwiseEmitter::combine(Operation *op, vta::AluOpcode opcode,
                                          TileValue &lhs, TileValue &rhs) {
  if (rhs.number && isImmediate(*rhs.number)) {
    if (failed(makeOwned(op, lhs)))
      return failure();
    apply(opcode, *rhs.number, lhs);
    return success();
  }
  if (rhs.number) {
    FailureOr<TileValue> number = loadNumber(op, *rhs.number);
    if (failed(number))
      return failure();
    rhs = *number;
  }
  if (failed(makeOwned(op, lhs)))
    return failure();
  builder.alu(opcode, std::nullopt, getLoops(lhs, &rhs));
  lhs.isComputed = true;
  return success();
}

namespace {

/// Bytes in memory, and what weight they are multiplied by.
struct ScaledBytes {
  affine::AffineLoadOp load;
  int64_t factor = 1;
  explicit operator bool() const { return load != nullptr; }
};

} // namespace

/// The bytes in memory that `value` is, if it is nothing else.
static ScaledBytes getBytes(Value value, const relay_vta::Config &config) {
  ScaledBytes bytes;
  APInt number;
  if (auto shift = value.getDefiningOp<arith::ShLIOp>();
      shift && matchPattern(shift.getRhs(), m_ConstantInt(&number)) &&
      number.ult(config.getWgtBits() - 1)) {
    bytes.factor = int64_t(1) << number.getZExtValue();
    value = shift.getLhs();
  } else if (auto product = value.getDefiningOp<arith::MulIOp>();
             product &&
             matchPattern(product.getRhs(), m_ConstantInt(&number)) &&
             number.isStrictlyPositive() &&
             number.isSignedIntN(config.getWgtBits())) {
    bytes.factor = number.getSExtValue();
    value = product.getLhs();
  }
  auto extension = value.getDefiningOp<arith::ExtSIOp>();
  if (!extension)
    return {};
  auto load = extension.getIn().getDefiningOp<affine::AffineLoadOp>();
  if (!load || load.getType().getIntOrFloatBitWidth() != config.getInpBits() ||
      load.getMemRefType().getMemorySpace())
    return {};
  bytes.load = load;
  return bytes;
}

FailureOr<TileValue> ElementwiseEmitter::addProduct(Operation *op,
                                                    TileValue lhs,
                                                    affine::AffineLoadOp load) {
  AddedProduct product = *places.lookup(load.getMemRef()).product;
  FailureOr<LinearIndex> address = nest.getAddress(load);
  if (failed(address))
    return fail(load, "indices that are sums of loops");
  std::optional<TileValue> value = getElements(*address, -product.dst);
  if (!value)
    return fail(load, "whole elements of accumulators");
  if (lhs.number)
    return fail(op, "an operand that is no constant");
  if (failed(makeOwned(op, lhs)))
    return failure();
  ElementLoops all;
  all.dst = lhs.first;
  all.src = product.src;
  all.wgt = product.wgt + value->first * product.step;
  for (auto [position, loop] : llvm::enumerate(loops))
    all.loops.push_back({nest.extents[loop], lhs.steps[position], /*src=*/0,
                         value->steps[position] * product.step});
  builder.gemm(/*reset=*/false, std::move(all));
  lhs.isComputed = true;
  int64_t most = int64_t(builder.getConfig().getBlock()) << 14;
  setRange(lhs, lhs.least - most, lhs.most + most);
  return lhs;
}

FailureOr<TileValue> ElementwiseEmitter::computeSum(Operation *op, Value lhs,
                                                    Value rhs) {
  if (getAddedProduct(lhs))
    std::swap(lhs, rhs);
  affine::AffineLoadOp load = getAddedProduct(rhs);
  if (load && !matchPattern(lhs, m_Constant())) {
    FailureOr<TileValue> left = compute(lhs);
    return failed(left) ? left : addProduct(op, *left, load);
  }
  const relay_vta::Config &config = builder.getConfig();
  if (getBytes(lhs, config) && !getBytes(rhs, config))
    std::swap(lhs, rhs);
  FailureOr<TileValue> left = compute(lhs);
  if (failed(left))
    return failure();
  // A product with ones adds bytes in one cycle for each element, and one with
  // another number a multiple of them.
  if (ScaledBytes scaled = getBytes(rhs, config); scaled && !left->number) {
    FailureOr<TileValue> bytes = loadBytes(scaled.load);
    if (failed(bytes) || failed(makeOwned(op, *left)))
      return failure();
    ElementLoops all = getLoops(*left, &*bytes);
    all.wgt = builder.getIdentity(scaled.factor);
    builder.gemm(/*reset=*/false, all);
    left->isComputed = true;
    int64_t end = scaled.factor << (config.getInpBits() - 1);
    setRange(*left, left->least - end, left->most + end - scaled.factor);
    return left;
  }
  FailureOr<TileValue> right = compute(rhs);
  if (failed(right))
    return failure();
  if (left->number && right->number) {
    left->number = static_cast<int32_t>(*left->number + *right->number);
    return left;
  }
  if (left->number || (!left->isOwned && right->isOwned && !right->number))
    std::swap(left, right);
  int64_t least = right->number.value_or(right->least),
          most = right->number.value_or(right->most);
  if (right->number == 0)
    return left;
  if (failed(combine(op, vta::AluOpcode::Add, *left, *right)))
    return failure();
  setRange(*left, left->least + least, left->most + most);
  return left;
}

FailureOr<TileValue> ElementwiseEmitter::computeExtreme(Operation *op,
                                                        Value lhs, Value rhs,
                                                        bool isMax) {
  FailureOr<TileValue> left = compute(lhs), right = failure();
  if (succeeded(left))
    right = compute(rhs);
  if (failed(left) || failed(right))
    return failure();
  if (left->number)
    std::swap(left, right);
  if (left->number)
    return fail(op, "an operand that is no constant");
  int64_t least = right->number.value_or(right->least),
          most = right->number.value_or(right->most);
  if (failed(combine(op, isMax ? vta::AluOpcode::Max : vta::AluOpcode::Min,
                     *left, *right)))
    return failure();
  left->least =
      isMax ? std::max(left->least, least) : std::min(left->least, least);
  left->most = isMax ? std::max(left->most, most) : std::min(left->most, most);
  return left;
}

/// What is the larger or the smaller one of two values.
FailureOr<TileValue> ElementwiseEmitter::computeSelect(arith::SelectOp op) {
  auto compare = op.getCondition().getDefiningOp<arith::CmpIOp>();
  auto isSame = [](Value lhs, Value rhs) {
    APInt left, right;
    return lhs == rhs ||
           (matchPattern(lhs, m_ConstantInt(&left)) &&
            matchPattern(rhs, m_ConstantInt(&right)) && left == right);
  };
  if (!compare)
    return fail(op, "a choice of the larger or smaller of two values");
  Value lhs = compare.getLhs(), rhs = compare.getRhs();
  bool isStraight =
      isSame(op.getTrueValue(), lhs) && isSame(op.getFalseValue(), rhs);
  bool isCrossed =
      isSame(op.getTrueValue(), rhs) && isSame(op.getFalseValue(), lhs);
  arith::CmpIPredicate predicate = compare.getPredicate();
  bool isLess = predicate == arith::CmpIPredicate::slt ||
                predicate == arith::CmpIPredicate::sle;
  bool isGreater = predicate == arith::CmpIPredicate::sgt ||
                   predicate == arith::CmpIPredicate::sge;
  if ((!isStraight && !isCrossed) || (!isLess && !isGreater))
    return fail(op, "a choice of the larger or smaller of two values");
  return computeExtreme(op, lhs, rhs, isStraight == isGreater);
}

FailureOr<TileValue> ElementwiseEmitter::computeShift(Operation *op,
                                                      Value operand,
                                                      Value amount,
                                                      bool isLeft) {
  FailureOr<TileValue> value = compute(operand);
  APInt number;
  if (failed(value))
    return failure();
  if (!matchPattern(amount, m_ConstantInt(&number)) || value->number ||
      number.isNegative() || number.getSExtValue() > 31)
    return fail(op, "a shift by a constant from 0 to 31");
  int64_t bits = number.getSExtValue();
  if (bits == 0)
    return value;
  if (failed(makeOwned(op, *value)))
    return failure();
  shift(*value, isLeft ? -bits : bits);
  if (isLeft)
    setRange(*value, value->least * (int64_t(1) << bits),
             value->most * (int64_t(1) << bits));
  else
    setRange(*value, value->least >> bits, value->most >> bits);
  return value;
}

/// A product with a constant is a sum of shifts, one for each bit of it.
FailureOr<TileValue> ElementwiseEmitter::computeProduct(arith::MulIOp op) {
  APInt number;
  Value other = op.getLhs();
  if (!matchPattern(op.getRhs(), m_ConstantInt(&number))) {
    other = op.getRhs();
    if (!matchPattern(op.getLhs(), m_ConstantInt(&number)))
      return fail(op, "a factor that is a constant");
  }
  if (!number.isStrictlyPositive())
    return fail(op, "a factor that is positive");
  FailureOr<TileValue> value = compute(other);
  if (failed(value))
    return failure();
  if (value->number)
    return fail(op, "an operand that is no constant");
  if (number.isOne())
    return value;
  TileValue single = *value;
  // What is added again must stay what it is.
  if (!number.isPowerOf2())
    value->isOwned = false;
  if (failed(makeOwned(op, *value)))
    return failure();
  int64_t zeros = 0;
  for (unsigned bit = number.logBase2(); bit-- > 0;) {
    ++zeros;
    if (!number[bit])
      continue;
    shift(*value, -zeros);
    zeros = 0;
    builder.alu(vta::AluOpcode::Add, std::nullopt, getLoops(*value, &single));
  }
  shift(*value, -zeros);
  int64_t factor = number.getSExtValue();
  setRange(*value, value->least * factor, value->most * factor);
  return value;
}

FailureOr<TileValue> ElementwiseEmitter::computeDifference(arith::SubIOp op) {
  APInt number;
  if (!matchPattern(op.getRhs(), m_ConstantInt(&number)))
    return fail(op, "a constant to subtract");
  FailureOr<TileValue> value = compute(op.getLhs());
  if (failed(value))
    return failure();
  if (value->number)
    return fail(op, "an operand that is no constant");
  TileValue negated;
  negated.number = -number.getSExtValue();
  int64_t rest = *negated.number;
  if (failed(combine(op, vta::AluOpcode::Add, *value, negated)))
    return failure();
  setRange(*value, value->least + rest, value->most + rest);
  return value;
}

/// How many operations need a value; a comparison needs it for its choices.
static size_t countConsumers(Value value) {
  llvm::SmallPtrSet<Operation *, 4> consumers;
  for (Operation *user : value.getUsers()) {
    if (isa<arith::CmpIOp>(user))
      consumers.insert(user->user_begin(), user->user_end());
    else
      consumers.insert(user);
  }
  return consumers.size();
}

FailureOr<TileValue> ElementwiseEmitter::compute(Value value) {
  if (auto it = known.find(value); it != known.end())
    return it->second;
  FailureOr<TileValue> result = computeFresh(value);
  if (failed(result))
    return failure();
  if (countConsumers(value) > 1)
    result->isOwned = false;
  known[value] = *result;
  return result;
}

FailureOr<TileValue> ElementwiseEmitter::computeFresh(Value value) {
  Operation *op = value.getDefiningOp();
  if (!op || !value.getType().isSignlessInteger())
    return fail(op ? op : nest.block, "integers");
  unsigned bits = value.getType().getIntOrFloatBitWidth();
  if (bits > builder.getConfig().getAccBits())
    return fail(op, "integers of at most " +
                        Twine(builder.getConfig().getAccBits()) + " bits");
  APInt constant;
  if (matchPattern(value, m_ConstantInt(&constant))) {
    TileValue number;
    number.number = constant.getSExtValue();
    return number;
  }
  FailureOr<TileValue> result = failure();
  if (auto load = dyn_cast<affine::AffineLoadOp>(op))
    return computeLoad(load);
  if (auto extension = dyn_cast<arith::ExtSIOp>(op))
    return compute(extension.getIn());
  if (auto truncation = dyn_cast<arith::TruncIOp>(op))
    result = compute(truncation.getIn());
  else if (auto sum = dyn_cast<arith::AddIOp>(op))
    result = computeSum(op, sum.getLhs(), sum.getRhs());
  else if (auto select = dyn_cast<arith::SelectOp>(op))
    result = computeSelect(select);
  else if (auto max = dyn_cast<arith::MaxSIOp>(op))
    result = computeExtreme(op, max.getLhs(), max.getRhs(), /*isMax=*/true);
  else if (auto min = dyn_cast<arith::MinSIOp>(op))
    result = computeExtreme(op, min.getLhs(), min.getRhs(), /*isMax=*/false);
  else if (auto right = dyn_cast<arith::ShRSIOp>(op))
    result = computeShift(op, right.getLhs(), right.getRhs(), /*isLeft=*/false);
  else if (auto left = dyn_cast<arith::ShLIOp>(op))
    result = computeShift(op, left.getLhs(), left.getRhs(), /*isLeft=*/true);
  else if (auto product = dyn_cast<arith::MulIOp>(op))
    result = computeProduct(product);
  else if (auto difference = dyn_cast<arith::SubIOp>(op))
    result = computeDifference(difference);
  else
    return fail(op, "sums, minima, maxima and shifts")
           << ", but got " << op->getName();
  if (failed(result))
    return failure();
  // What only the store takes is cut there.
  bool isStored = llvm::all_of(value.getUsers(), [](Operation *user) {
    return isa<affine::AffineStoreOp>(user);
  });
  if (bits < builder.getConfig().getAccBits() && !isStored &&
      failed(narrow(op, *result, bits)))
    return failure();
  return result;
}

//===----------------------------------------------------------------------===//
// The nest
//===----------------------------------------------------------------------===//

LogicalResult ElementwiseEmitter::run() {
  SmallVector<affine::AffineStoreOp> stores(
      nest.block.getBody()->getOps<affine::AffineStoreOp>());
  if (stores.size() != 1)
    return fail(nest.block, "blocks that store one element");
  affine::AffineStoreOp store = stores.front();
  if (failed(findLanes(store)))
    return failure();
  FailureOr<TileValue> value = compute(store.getValueToStore());
  if (failed(value))
    return failure();
  auto it = places.find(store.getMemRef());
  if (it == places.end())
    return fail(store, "a buffer that is an argument or in a scratchpad");
  if (value->number)
    return fail(store, "a value that is no constant");
  if (it->second.memory)
    return fail(store, "results of elements that go to memory");
  unsigned bits = store.getMemRefType().getElementTypeBitWidth();
  if (bits != builder.getConfig().getOutBits())
    return fail(store, "results of " + Twine(builder.getConfig().getOutBits()) +
                           " bits, but got " + Twine(bits) + ",");
  if (failed(makeOwned(nest.block, *value)))
    return failure();
  if (!value->isComputed)
    apply(vta::AluOpcode::Add, 0, *value);
  return transfer(store, vta::Memory::Inp, *value);
}

LogicalResult relay::detail::emitElementwiseNest(ProgramBuilder &builder,
                                                 AffineNest nest,
                                                 const BufferPlaces &places) {
  return ElementwiseEmitter(builder, std::move(nest), places).run();
}
