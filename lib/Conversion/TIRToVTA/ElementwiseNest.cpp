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

#include "ElementwiseNest.h"

#include "Transfers.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::relay;
using namespace mlir::relay::detail;

namespace {

/// A value of the body for all iterations: elements of accumulators, or one
/// number.
struct TileValue {
  std::optional<int64_t> number;
  /// The first element, and the step of each loop.
  int64_t first = 0;
  SmallVector<int64_t> steps;
  /// Whether nobody else needs these elements, so that they may be changed.
  bool isOwned = false;
  /// Whether the last thing that wrote them was GEMM or ALU. Hardware stores
  /// only what these have written.
  bool isComputed = false;
  /// What the numbers may be.
  int64_t least = INT32_MIN, most = INT32_MAX;
};

/// Which buffer of an operation.
enum BufferUse : unsigned { kTile, kBytes, kNumber };

class ElementwiseEmitter {
public:
  ElementwiseEmitter(ProgramBuilder &builder, AffineNest nest,
                     const BufferPlaces &places)
      : builder(builder), nest(std::move(nest)), places(places) {}

  LogicalResult run();

private:
  InFlightDiagnostic fail(Operation *op, const Twine &expectation) {
    return op->emitError("expects ") << expectation << " in a kernel of VTA";
  }

  LogicalResult findLanes(affine::AffineStoreOp store);
  int64_t getNumLanes() const {
    return static_cast<int64_t>(
        builder.getConfig().getLanes(relay_vta::Memory::Acc));
  }
  /// The value, computed once for all who need it.
  FailureOr<TileValue> compute(Value value);
  FailureOr<TileValue> computeFresh(Value value);
  FailureOr<TileValue> computeLoad(affine::AffineLoadOp load);
  FailureOr<TileValue> computeSum(Operation *op, Value lhs, Value rhs);
  FailureOr<TileValue> computeExtreme(Operation *op, Value lhs, Value rhs,
                                      bool isMax);
  FailureOr<TileValue> computeSelect(arith::SelectOp op);
  FailureOr<TileValue> computeShift(Operation *op, Value operand, Value amount,
                                    bool isLeft);
  FailureOr<TileValue> computeProduct(arith::MulIOp op);
  /// What is stored for the elements of `type`.
  LogicalResult narrow(Operation *op, TileValue &value, unsigned bits);

  /// An accumulator for each iteration of the loops in which `isUsed`.
  TileValue allocate(Operation *key, ArrayRef<bool> isUsed,
                     BufferUse use = kTile);
  /// Elements of bytes in memory, in `inp`, with a step for each loop.
  FailureOr<TileValue> loadBytes(affine::AffineLoadOp load);
  FailureOr<TileValue> loadNumber(Operation *key, int64_t number);
  std::optional<TileValue> getResident(affine::AffineLoadOp load,
                                       const LinearIndex &address,
                                       const BufferPlace &place);
  LogicalResult makeOwned(Operation *key, TileValue &value);

  ElementLoops getLoops(const TileValue &dst, const TileValue *src = nullptr);
  void apply(vta::AluOpcode opcode, int64_t imm, TileValue &value) {
    builder.alu(opcode, imm, getLoops(value));
    value.isComputed = true;
  }
  void shift(TileValue &value, int64_t amount);
  LogicalResult combine(Operation *op, vta::AluOpcode opcode, TileValue &lhs,
                        TileValue &rhs);

  ProgramBuilder &builder;
  AffineNest nest;
  const BufferPlaces &places;
  /// The loops of a tile, and those within an element, by their numbers in the
  /// nest.
  SmallVector<unsigned> loops, lanes;
  DenseMap<Value, TileValue> known;
};

} // namespace

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

LogicalResult ElementwiseEmitter::findLanes(affine::AffineStoreOp store) {
  FailureOr<LinearIndex> address = nest.getAddress(store);
  if (failed(address))
    return fail(store, "indices that are sums of loops");
  int64_t taken = 1;
  const int64_t sizes[] = {
      static_cast<int64_t>(builder.getConfig().getBlock()),
      static_cast<int64_t>(builder.getConfig().getBatch())};
  for (int64_t size : sizes) {
    if (size == 1)
      continue;
    std::optional<unsigned> found;
    for (unsigned i = 0; i < nest.getNumLoops(); ++i)
      if (address->steps[i] == taken && nest.extents[i] % size == 0 &&
          !llvm::is_contained(lanes, i))
        found = i;
    if (!found)
      return fail(store, "whole elements of " + Twine(getNumLanes()) +
                             " lanes that are computed");
    if (nest.extents[*found] != size) {
      nest.split(*found, size);
      found = nest.getNumLoops() - 1;
      address = nest.getAddress(store);
    }
    lanes.push_back(*found);
    taken *= size;
  }
  for (unsigned i = 0; i < nest.getNumLoops(); ++i)
    if (!llvm::is_contained(lanes, i))
      loops.push_back(i);
  return success();
}

ElementLoops ElementwiseEmitter::getLoops(const TileValue &dst,
                                          const TileValue *src) {
  ElementLoops result;
  result.dst = dst.first;
  result.src = src ? src->first : 0;
  for (auto [position, loop] : llvm::enumerate(loops))
    result.loops.push_back({nest.extents[loop], dst.steps[position],
                            src ? src->steps[position] : 0});
  // Loops over which both are the same element.
  llvm::erase_if(result.loops, [](const ElementLoop &loop) {
    return loop.dst == 0 && loop.src == 0;
  });
  return result;
}

TileValue ElementwiseEmitter::allocate(Operation *key, ArrayRef<bool> isUsed,
                                       BufferUse use) {
  TileValue value;
  value.steps.assign(loops.size(), 0);
  int64_t size = 1;
  for (size_t i = loops.size(); i-- > 0;) {
    if (!isUsed[i])
      continue;
    value.steps[i] = size;
    size *= nest.extents[loops[i]];
  }
  value.first = builder.rotate({key, use}, vta::Memory::Acc, size);
  value.isOwned = true;
  return value;
}

/// Copies the elements of a load to where `value` says.
static FailureOr<Transfer>
getTransfer(const AffineNest &nest, ArrayRef<unsigned> loops,
            ArrayRef<unsigned> lanes, int64_t numLanes, Operation *access,
            const BufferPlace &place, vta::Memory memory,
            const TileValue &value, bool isStore) {
  FailureOr<LinearIndex> address = nest.getAddress(access);
  if (failed(address))
    return failure();
  Value buffer = isStore ? cast<affine::AffineStoreOp>(access).getMemRef()
                         : cast<affine::AffineLoadOp>(access).getMemRef();
  int64_t laneBytes = llvm::divideCeil(
      cast<MemRefType>(buffer.getType()).getElementTypeBitWidth(), 8);
  Transfer transfer{memory,
                    value.first * numLanes,
                    place.first / laneBytes + address->constant,
                    {}};
  int64_t lane = 1;
  for (unsigned loop : lanes) {
    transfer.loops.emplace_back(nest.extents[loop], lane, address->steps[loop]);
    lane *= nest.extents[loop];
  }
  for (auto [position, loop] : llvm::enumerate(loops)) {
    int64_t step = address->steps[loop];
    if (step != 0 || value.steps[position] != 0)
      transfer.loops.emplace_back(nest.extents[loop],
                                  value.steps[position] * numLanes, step);
  }
  return transfer;
}

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

FailureOr<TileValue> ElementwiseEmitter::loadBytes(affine::AffineLoadOp load) {
  FailureOr<LinearIndex> address = nest.getAddress(load);
  if (failed(address))
    return fail(load, "indices that are sums of loops");
  TileValue value;
  value.steps.assign(loops.size(), 0);
  int64_t size = 1;
  for (size_t i = loops.size(); i-- > 0;) {
    if (address->steps[loops[i]] == 0)
      continue;
    value.steps[i] = size;
    size *= nest.extents[loops[i]];
  }
  value.first = builder.rotate({load, kBytes}, vta::Memory::Inp, size);
  FailureOr<Transfer> transfer =
      getTransfer(nest, loops, lanes, getNumLanes(), load,
                  places.lookup(load.getMemRef()), vta::Memory::Inp, value,
                  /*isStore=*/false);
  std::string message = emitTransfer(builder, *transfer, /*isStore=*/false);
  if (!message.empty())
    return load.emitError(message);
  return value;
}

FailureOr<TileValue>
ElementwiseEmitter::computeLoad(affine::AffineLoadOp load) {
  auto it = places.find(load.getMemRef());
  if (it == places.end())
    return fail(load, "a buffer that is an argument or in a scratchpad");
  const BufferPlace &place = it->second;
  FailureOr<LinearIndex> address = nest.getAddress(load);
  if (failed(address))
    return fail(load, "indices that are sums of loops");
  unsigned bits = load.getType().getIntOrFloatBitWidth();
  const relay_vta::Config &config = builder.getConfig();
  if (place.memory == vta::Memory::Acc) {
    TileValue value;
    int64_t numLanes = getNumLanes();
    int64_t lane = 1;
    bool isElement = address->constant % numLanes == 0;
    for (unsigned loop : lanes) {
      isElement &= address->steps[loop] == lane;
      lane *= nest.extents[loop];
    }
    value.first = place.first + address->constant / numLanes;
    for (unsigned loop : loops) {
      isElement &= address->steps[loop] % numLanes == 0;
      value.steps.push_back(address->steps[loop] / numLanes);
    }
    if (!isElement)
      return fail(load, "whole elements of accumulators");
    // The last one who needs it may change it.
    value.isOwned =
        llvm::count_if(load.getMemRef().getUsers(), [](Operation *op) {
          return isa<affine::AffineLoadOp>(op) &&
                 !op->getParentOfType<tir::BlockOp>().hasReduceIters();
        }) == 1;
    value.isComputed = true;
    return value;
  }
  if (place.memory)
    return fail(load, "a buffer in memory or in accumulators");
  SmallVector<bool> isUsed;
  for (unsigned loop : loops)
    isUsed.push_back(address->steps[loop] != 0);
  if (bits == config.getInpBits()) {
    FailureOr<TileValue> bytes = loadBytes(load);
    if (failed(bytes))
      return failure();
    TileValue value = allocate(load, isUsed);
    int64_t identity = builder.getIdentity();
    ElementLoops all = getLoops(value, &*bytes);
    all.wgt = identity;
    builder.gemm(/*reset=*/true, getLoops(value));
    builder.gemm(/*reset=*/false, all);
    value.isComputed = true;
    value.least = -(int64_t(1) << (bits - 1));
    value.most = (int64_t(1) << (bits - 1)) - 1;
    return value;
  }
  if (bits != config.getAccBits())
    return fail(load, "integers of " + Twine(config.getInpBits()) + " or " +
                          Twine(config.getAccBits()) + " bits");
  if (std::optional<TileValue> value = getResident(load, *address, place))
    return *value;
  TileValue value = allocate(load, isUsed);
  FailureOr<Transfer> transfer =
      getTransfer(nest, loops, lanes, getNumLanes(), load, place,
                  vta::Memory::Acc, value, /*isStore=*/false);
  std::string message = emitTransfer(builder, *transfer, /*isStore=*/false);
  if (!message.empty())
    return load.emitError(message);
  return value;
}

/// Constants of channels are loaded once for all tiles: a load in between would
/// wait for data of the next tile.
std::optional<TileValue>
ElementwiseEmitter::getResident(affine::AffineLoadOp load,
                                const LinearIndex &address,
                                const BufferPlace &place) {
  int64_t numLanes = getNumLanes(), lane = 1;
  int64_t count = load.getMemRefType().getNumElements();
  bool isElement = count % numLanes == 0 && address.constant % numLanes == 0;
  for (unsigned loop : lanes) {
    isElement &= address.steps[loop] == lane;
    lane *= nest.extents[loop];
  }
  TileValue value;
  for (unsigned loop : loops) {
    isElement &= address.steps[loop] % numLanes == 0;
    value.steps.push_back(address.steps[loop] / numLanes);
  }
  if (!isElement)
    return std::nullopt;
  bool isNew = false;
  std::optional<int64_t> first =
      builder.getResident(load.getMemRef(), count / numLanes, isNew);
  if (!first)
    return std::nullopt;
  if (isNew) {
    ProgramBuilder::Rows rows;
    rows.sram = *first;
    rows.dram =
        place.first / static_cast<int64_t>(builder.getConfig().getElementBytes(
                          relay_vta::Memory::Acc));
    rows.xSize = count / numLanes;
    builder.load(vta::Memory::Acc, rows);
  }
  value.first = *first + address.constant / numLanes;
  return value;
}

/// A number that an instruction has no bits for comes from memory.
FailureOr<TileValue> ElementwiseEmitter::loadNumber(Operation *key,
                                                    int64_t number) {
  SmallVector<bool> isUsed(loops.size(), false);
  TileValue value = allocate(key, isUsed, kNumber);
  ProgramBuilder::Rows rows;
  rows.sram = value.first;
  rows.dram = builder.getConstantAddress(vta::Memory::Acc, number) /
              static_cast<int64_t>(
                  builder.getConfig().getElementBytes(relay_vta::Memory::Acc));
  builder.load(vta::Memory::Acc, rows);
  value.least = value.most = number;
  return value;
}

/// Elements that may be changed, one for each iteration.
LogicalResult ElementwiseEmitter::makeOwned(Operation *key, TileValue &value) {
  bool isWhole = true;
  for (auto [position, loop] : llvm::enumerate(loops))
    isWhole &= value.steps[position] != 0 || nest.extents[loop] == 1;
  if (value.isOwned && isWhole)
    return success();
  TileValue copy = allocate(key, SmallVector<bool>(loops.size(), true));
  copy.least = value.least;
  copy.most = value.most;
  builder.gemm(/*reset=*/true, getLoops(copy));
  builder.alu(vta::AluOpcode::Add, std::nullopt, getLoops(copy, &value));
  copy.isComputed = true;
  value = copy;
  return success();
}

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

/// The bytes in memory that `value` is, if it is nothing else.
static affine::AffineLoadOp getBytes(Value value, unsigned bits) {
  auto extension = value.getDefiningOp<arith::ExtSIOp>();
  if (!extension)
    return {};
  auto load = extension.getIn().getDefiningOp<affine::AffineLoadOp>();
  if (!load || load.getType().getIntOrFloatBitWidth() != bits ||
      load.getMemRefType().getMemorySpace())
    return {};
  return load;
}

FailureOr<TileValue> ElementwiseEmitter::computeSum(Operation *op, Value lhs,
                                                    Value rhs) {
  unsigned bits = builder.getConfig().getInpBits();
  if (getBytes(lhs, bits) && !getBytes(rhs, bits))
    std::swap(lhs, rhs);
  FailureOr<TileValue> left = compute(lhs);
  if (failed(left))
    return failure();
  // A product with ones adds bytes in one cycle for each element.
  if (affine::AffineLoadOp load = getBytes(rhs, bits); load && !left->number) {
    FailureOr<TileValue> bytes = loadBytes(load);
    if (failed(bytes) || failed(makeOwned(op, *left)))
      return failure();
    ElementLoops all = getLoops(*left, &*bytes);
    all.wgt = builder.getIdentity();
    builder.gemm(/*reset=*/false, all);
    left->isComputed = true;
    int64_t most = (int64_t(1) << (bits - 1)) - 1;
    setRange(*left, left->least - most - 1, left->most + most);
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

/// Products of powers of two are shifts.
FailureOr<TileValue> ElementwiseEmitter::computeProduct(arith::MulIOp op) {
  APInt number;
  Value other = op.getLhs();
  if (!matchPattern(op.getRhs(), m_ConstantInt(&number))) {
    other = op.getRhs();
    if (!matchPattern(op.getLhs(), m_ConstantInt(&number)))
      return fail(op, "a factor that is a constant");
  }
  if (!number.isPowerOf2() || number.isNegative())
    return fail(op, "a factor that is a power of two");
  FailureOr<TileValue> value = compute(other);
  if (failed(value))
    return failure();
  if (value->number)
    return fail(op, "an operand that is no constant");
  int64_t bits = number.logBase2();
  if (bits == 0)
    return value;
  if (failed(makeOwned(op, *value)))
    return failure();
  shift(*value, -bits);
  setRange(*value, value->least * (int64_t(1) << bits),
           value->most * (int64_t(1) << bits));
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
  else if (auto difference = dyn_cast<arith::SubIOp>(op)) {
    APInt number;
    if (!matchPattern(difference.getRhs(), m_ConstantInt(&number)))
      return fail(op, "a constant to subtract");
    result = compute(difference.getLhs());
    if (succeeded(result)) {
      TileValue negated;
      negated.number = -number.getSExtValue();
      if (result->number)
        return fail(op, "an operand that is no constant");
      if (failed(combine(op, vta::AluOpcode::Add, *result, negated)))
        return failure();
      setRange(*result, result->least + *negated.number,
               result->most + *negated.number);
    }
  } else {
    return fail(op, "sums, minima, maxima and shifts")
           << ", but got " << op->getName();
  }
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
  FailureOr<Transfer> transfer =
      getTransfer(nest, loops, lanes, getNumLanes(), store, it->second,
                  vta::Memory::Inp, *value, /*isStore=*/true);
  if (failed(transfer))
    return fail(store, "indices that are sums of loops");
  std::string message = emitTransfer(builder, *transfer, /*isStore=*/true);
  if (!message.empty())
    return store.emitError(message);
  return success();
}

LogicalResult relay::detail::emitElementwiseNest(ProgramBuilder &builder,
                                                 AffineNest nest,
                                                 const BufferPlaces &places) {
  return ElementwiseEmitter(builder, std::move(nest), places).run();
}
