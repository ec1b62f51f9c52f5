//===- TabulateBytes.cpp - Functions of bytes as tables -------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// quantize(f(dequantize(x))) of a byte has 256 results, which are found here by
// folding each operation for all of them at once, as exactly as constants are
// folded. A table is looked up in sixteenths: `pshufb` finds the lower four
// bits of each byte in one of them, and the upper four choose among the
// sixteen, two by two.
//
//===----------------------------------------------------------------------===//

#include "TabulateBytes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/SetVector.h"

#include <map>
#include <vector>

using namespace mlir;

static constexpr int64_t kNumBytes = 256, kPart = 16;
static constexpr int64_t kRegisterBits = 256;
/// Instructions of a look-up: as many of `pshufb` as there are parts, one less
/// to choose among them, and a few for the index.
static constexpr int64_t kLookupCost = 2 * kPart + 4;

static VectorType getByteVector(Value value) {
  auto type = dyn_cast<VectorType>(value.getType());
  bool isByteVector = type && type.getRank() == 1 && !type.isScalable() &&
                      type.getElementType().isInteger(8) &&
                      llvm::is_contained({8, 16, 32}, type.getDimSize(0));
  return isByteVector ? type : VectorType();
}

/// The number that all lanes of `value` are, if it is known.
static Attribute getSplat(Value value) {
  if (auto broadcast = value.getDefiningOp<vector::BroadcastOp>())
    value = broadcast.getSource();
  Attribute constant;
  if (!matchPattern(value, m_Constant(&constant)))
    return {};
  if (auto elements = dyn_cast<SplatElementsAttr>(constant))
    return elements.getSplatValue<Attribute>();
  return isa<IntegerAttr, FloatAttr>(constant) ? constant : Attribute();
}

namespace {

class ByteFunctions {
public:
  /// The one vector of bytes that `value` is a function of; itself, if it is
  /// one of bytes and no such function; null if there is none, or it is a
  /// constant.
  Value getSource(Value value) const {
    bool isArgument = isa<BlockArgument>(value) && getByteVector(value);
    return isArgument ? value : sources.lookup(value);
  }

  /// Learns about the results of `op`, whose operands are known.
  void visit(Operation *op);

  /// Whether something else than functions of its source is computed from
  /// `result`, other than by way of a byte behind it.
  bool isNeeded(Value result) const;

  /// What all of the operations from the source of `result` to it cost.
  int64_t getCost(Value result, SetVector<Operation *> &ops) const;

private:
  DenseMap<Value, Value> sources;
};

} // namespace

void ByteFunctions::visit(Operation *op) {
  if (op->getNumResults() != 1)
    return;
  Value result = op->getResult(0), source;
  if (!isa<VectorType>(result.getType()) || getSplat(result))
    return;
  bool isFunction =
      OpTrait::hasElementwiseMappableTraits(op) && isMemoryEffectFree(op);
  if (isFunction)
    for (Value operand : op->getOperands()) {
      if (getSplat(operand))
        continue;
      Value from = getSource(operand);
      if (!from || (source && from != source)) {
        isFunction = false;
        break;
      }
      source = from;
    }
  if (isFunction && source)
    sources[result] = source;
  else if (getByteVector(result))
    sources[result] = result;
}

bool ByteFunctions::isNeeded(Value result) const {
  Value source = getSource(result);
  SmallVector<Value> work{result};
  llvm::SmallDenseSet<Value> seen;
  while (!work.empty())
    for (Operation *user : work.pop_back_val().getUsers()) {
      if (user->getNumResults() != 1 || getSource(user->getResult(0)) != source)
        return true;
      Value next = user->getResult(0);
      if (!getByteVector(next) && seen.insert(next).second)
        work.push_back(next);
    }
  return false;
}

/// Instructions that compute one register of results.
static int64_t getWeight(Operation *op) {
  if (isa<arith::DivFOp, math::SqrtOp, math::RsqrtOp>(op))
    return 8;
  if (isa<math::ExpOp, math::Exp2Op, math::LogOp, math::TanhOp, math::ErfOp,
          math::SinOp, math::CosOp, math::PowFOp, math::AtanOp>(op))
    return 20;
  if (isa<math::RoundOp>(op))
    return 4;
  return 1;
}

int64_t ByteFunctions::getCost(Value result,
                               SetVector<Operation *> &ops) const {
  SmallVector<Operation *> work{result.getDefiningOp()};
  Value source = getSource(result);
  llvm::SmallPtrSet<Operation *, 32> seen(llvm::from_range, work);
  int64_t cost = 0;
  while (!work.empty()) {
    Operation *op = work.pop_back_val();
    ops.insert(op);
    auto type = cast<VectorType>(op->getResult(0).getType());
    // Conditions have the width of what is compared.
    unsigned bits = type.getElementTypeBitWidth();
    if (bits == 1)
      bits = getElementTypeOrSelf(op->getOperand(0)).getIntOrFloatBitWidth();
    cost += getWeight(op) *
            llvm::divideCeil(bits * type.getDimSize(0), kRegisterBits);
    for (Value operand : op->getOperands())
      if (operand != source && !getSplat(operand) &&
          seen.insert(operand.getDefiningOp()).second)
        work.push_back(operand.getDefiningOp());
  }
  return cost;
}

/// What `op` is for constant operands, as a constant of type `type`; null if it
/// does not fold.
static Attribute foldOp(Operation *op, ArrayRef<Attribute> operands,
                        Type type) {
  // The folder makes constants of the type of the result.
  Operation *like = op->clone();
  like->getResult(0).setType(type);
  SmallVector<OpFoldResult> folded;
  Attribute value;
  if (succeeded(like->fold(operands, folded)) && folded.size() == 1) {
    value = dyn_cast<Attribute>(folded.front());
    // The result may be an operand.
    if (auto same = dyn_cast<Value>(folded.front()))
      for (auto [operand, constant] :
           llvm::zip_equal(like->getOperands(), operands))
        if (operand == same)
          value = constant;
  }
  like->destroy();
  return value;
}

/// The same for 256 operands; some operations fold one by one only.
static DenseElementsAttr foldAll(Operation *op,
                                 ArrayRef<DenseElementsAttr> operands) {
  Type element = getElementTypeOrSelf(op->getResult(0).getType());
  auto type = VectorType::get(kNumBytes, element);
  SmallVector<Attribute> constants(operands);
  if (auto all =
          dyn_cast_if_present<DenseElementsAttr>(foldOp(op, constants, type)))
    return all.getNumElements() == kNumBytes ? all : DenseElementsAttr();
  SmallVector<Attribute> results;
  for (int64_t i = 0; i != kNumBytes; ++i) {
    for (auto [constant, operand] : llvm::zip_equal(constants, operands))
      constant = operand.getValues<Attribute>()[i];
    results.push_back(foldOp(op, constants, element));
    if (!isa_and_present<IntegerAttr, FloatAttr>(results.back()))
      return {};
  }
  return DenseElementsAttr::get(type, results);
}

/// What `result` is for each byte that its source may be; none if an operation
/// does not fold.
static SmallVector<APInt> fold(Value result, Value source,
                               ArrayRef<Operation *> ops) {
  DenseMap<Value, DenseElementsAttr> known;
  SmallVector<APInt> bytes;
  for (int64_t byte = 0; byte != kNumBytes; ++byte)
    bytes.emplace_back(8, byte);
  auto getType = [](Value like) {
    return VectorType::get(kNumBytes, getElementTypeOrSelf(like.getType()));
  };
  known[source] = DenseElementsAttr::get(getType(source), bytes);
  for (Operation *op : ops) {
    SmallVector<DenseElementsAttr> operands;
    for (Value operand : op->getOperands()) {
      DenseElementsAttr value = known.lookup(operand);
      operands.push_back(
          value ? value
                : DenseElementsAttr::get(getType(operand), getSplat(operand)));
    }
    DenseElementsAttr value = foldAll(op, operands);
    if (!value)
      return {};
    known[op->getResult(0)] = value;
  }
  return llvm::to_vector(known.lookup(result).getValues<APInt>());
}

/// Elements of `table` at the bytes of `index`.
static Value lookUp(ImplicitLocOpBuilder &b, Value index,
                    ArrayRef<APInt> table) {
  int64_t size = cast<VectorType>(index.getType()).getDimSize(0);
  int64_t width = std::max(size, kPart);
  auto type = VectorType::get(width, b.getI8Type());
  auto words = VectorType::get(width / 2, b.getI16Type());
  auto splat = [&](VectorType like, int64_t value) -> Value {
    return arith::ConstantOp::create(
        b, DenseElementsAttr::get(like, Attribute(b.getIntegerAttr(
                                            like.getElementType(), value))));
  };
  if (size != width) {
    SmallVector<int64_t> lanes = llvm::to_vector(llvm::seq<int64_t>(0, size));
    lanes.append(width - size, vector::ShuffleOp::kPoisonIndex);
    index = vector::ShuffleOp::create(b, index, index, lanes);
  }
  Value low = arith::AndIOp::create(b, index, splat(type, kPart - 1));
  StringRef name =
      width == kPart ? "llvm.x86.ssse3.pshuf.b.128" : "llvm.x86.avx2.pshuf.b";
  SmallVector<Value> parts;
  for (int64_t part = 0; part != kNumBytes / kPart; ++part) {
    SmallVector<APInt> elements;
    for (int64_t i = 0; i != width; ++i)
      elements.push_back(table[part * kPart + i % kPart]);
    Value constant =
        arith::ConstantOp::create(b, DenseElementsAttr::get(type, elements));
    parts.push_back(LLVM::CallIntrinsicOp::create(b, type,
                                                  b.getStringAttr(name),
                                                  ValueRange{constant, low})
                        .getResult(0));
  }
  // From the lowest of the upper bits on, each in the place of a sign.
  Value bits = vector::BitCastOp::create(b, words, index);
  for (int64_t shift = 3; shift >= 0; --shift) {
    Value sign = index;
    if (shift != 0) {
      sign = arith::ShLIOp::create(b, bits, splat(words, shift));
      sign = vector::BitCastOp::create(b, type, sign);
    }
    Value isSet = arith::CmpIOp::create(b, arith::CmpIPredicate::slt, sign,
                                        splat(type, 0));
    SmallVector<Value> next;
    for (size_t i = 0; i != parts.size(); i += 2)
      next.push_back(arith::SelectOp::create(b, isSet, parts[i + 1], parts[i]));
    parts = std::move(next);
  }
  Value result = parts.front();
  if (size != width)
    result = vector::ExtractStridedSliceOp::create(
        b, result, ArrayRef<int64_t>{0}, ArrayRef<int64_t>{size},
        ArrayRef<int64_t>{1});
  return result;
}

/// What tells two functions apart: each operation, and what it reads, by its
/// place among the operations.
static std::vector<const void *> getKey(Value source,
                                        ArrayRef<Operation *> ops) {
  std::vector<const void *> key;
  DenseMap<Value, uintptr_t> places;
  places[source] = 0;
  for (auto [place, op] : llvm::enumerate(ops)) {
    key.push_back(op->getName().getAsOpaquePointer());
    key.push_back(op->getAttrDictionary().getAsOpaquePointer());
    for (Value operand : op->getOperands()) {
      auto it = places.find(operand);
      key.push_back(it == places.end()
                        ? getSplat(operand).getAsOpaquePointer()
                        : reinterpret_cast<const void *>(it->second));
    }
    places[op->getResult(0)] = place + 1;
  }
  return key;
}

void mlir::relay::detail::tabulateBytes(Operation *root) {
  ByteFunctions functions;
  SmallVector<Value> candidates;
  std::map<std::vector<const void *>, SmallVector<APInt>> tables;
  root->walk<WalkOrder::PreOrder>([&](Operation *op) {
    functions.visit(op);
    if (op->getNumResults() == 1 && getByteVector(op->getResult(0)))
      candidates.push_back(op->getResult(0));
  });
  for (Value result : candidates) {
    Value source = functions.getSource(result);
    if (!source || source == result)
      continue;
    SetVector<Operation *> ops;
    if (!functions.isNeeded(result) ||
        functions.getCost(result, ops) <= kLookupCost)
      continue;
    SmallVector<Operation *> ordered = ops.takeVector();
    if (llvm::any_of(ordered, [&](Operation *op) {
          return op->getBlock() != result.getDefiningOp()->getBlock();
        }))
      continue;
    llvm::sort(ordered, [](Operation *a, Operation *b) {
      return a->isBeforeInBlock(b);
    });
    auto [it, isNew] = tables.try_emplace(getKey(source, ordered));
    SmallVector<APInt> &table = it->second;
    if (isNew)
      table = fold(result, source, ordered);
    if (table.empty())
      continue;
    ImplicitLocOpBuilder b(result.getLoc(), result.getDefiningOp());
    result.replaceAllUsesWith(lookUp(b, source, table));
  }
}
