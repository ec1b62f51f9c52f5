//===- MultiplyBytes.cpp - Products of narrow integers --------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A lane of 32 bits is a pair of 16: the number, and its sign again. The
// product of two pairs is that of the numbers where the upper half of one of
// them is 0: of bytes without a sign it is, of others it is cleared. The
// operand that is part of more products is cleared, once: weights that all
// pixels of a tile meet.
//
//===----------------------------------------------------------------------===//

#include "MultiplyBytes.h"
#include "X86Registers.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "relay-mlir/Dialect/Target/IR/CPUInfo.h"

using namespace mlir;
using namespace mlir::relay;
using namespace mlir::relay::detail;

namespace {

/// The operand of a product: a vector of i32 that is widened.
struct NarrowValue {
  /// What widens it.
  Operation *widening = nullptr;
  bool hasSign = false;

  static std::optional<NarrowValue> match(Value value);
  unsigned countUses() const {
    return llvm::range_size(widening->getResult(0).getUses());
  }
};

/// The instructions for vectors of one width.
struct PairInstructions {
  int64_t lanes;
  StringRef product;
  /// Adds to a sum; empty if there is none.
  StringRef productAndSum;
};

class Rewriter {
public:
  explicit Rewriter(const CPUInfo &cpu) : cpu(cpu) {}

  void rewrite(arith::MulIOp op);

private:
  std::optional<PairInstructions> choose(int64_t size) const;
  Value clearUpperHalves(const NarrowValue &value);

  const CPUInfo &cpu;
  /// By what widens the values.
  DenseMap<Operation *, Value> cleared;
};

} // namespace

std::optional<NarrowValue> NarrowValue::match(Value value) {
  Operation *op = value.getDefiningOp();
  if (!isa_and_nonnull<arith::ExtSIOp, arith::ExtUIOp>(op))
    return std::nullopt;
  Type element = getElementTypeOrSelf(op->getOperand(0).getType());
  bool hasSign = isa<arith::ExtSIOp>(op);
  // Of 16 bits without a sign, half would be negative.
  if (!element.isInteger(8) && !(hasSign && element.isInteger(16)))
    return std::nullopt;
  return NarrowValue{op, hasSign};
}

std::optional<PairInstructions> Rewriter::choose(int64_t size) const {
  if (size % kWideLanes == 0 && cpu.hasFeature("avx512bw"))
    return PairInstructions{
        kWideLanes, "llvm.x86.avx512.pmaddw.d.512",
        cpu.hasFeature("avx512vnni") ? "llvm.x86.avx512.vpdpwssd.512" : ""};
  if (size % kLanes == 0 && cpu.hasFeature("avx2"))
    return PairInstructions{
        kLanes, "llvm.x86.avx2.pmadd.wd",
        cpu.hasFeature("avxvnni") ||
                (cpu.hasFeature("avx512vnni") && cpu.hasFeature("avx512vl"))
            ? "llvm.x86.avx512.vpdpwssd.256"
            : ""};
  return std::nullopt;
}

Value Rewriter::clearUpperHalves(const NarrowValue &value) {
  Operation *op = value.widening;
  if (!value.hasSign)
    return op->getResult(0);
  Value &result = cleared[op];
  if (result)
    return result;
  ImplicitLocOpBuilder b(op->getLoc(), op);
  b.setInsertionPointAfter(op);
  auto type = cast<VectorType>(op->getResult(0).getType());
  Value mask = arith::ConstantOp::create(
      b, DenseElementsAttr::get(type, b.getI32IntegerAttr(0xffff)));
  result = arith::AndIOp::create(b, op->getResult(0), mask);
  return result;
}

void Rewriter::rewrite(arith::MulIOp op) {
  auto type = dyn_cast<VectorType>(op.getType());
  if (!type || type.getRank() != 1 || type.isScalable() ||
      !type.getElementType().isInteger(32))
    return;
  std::optional<PairInstructions> instructions = choose(type.getDimSize(0));
  std::optional<NarrowValue> left = NarrowValue::match(op.getLhs());
  std::optional<NarrowValue> right = NarrowValue::match(op.getRhs());
  if (!instructions || !left || !right)
    return;
  bool clearsLeft = !left->hasSign ||
                    (right->hasSign && left->countUses() > right->countUses());
  Value factors[] = {op.getLhs(), op.getRhs()};
  factors[clearsLeft ? 0 : 1] = clearUpperHalves(clearsLeft ? *left : *right);

  // The sum that the product is part of, and nothing else.
  Operation *result = op;
  Value sum;
  auto add = op->hasOneUse() ? dyn_cast<arith::AddIOp>(*op->user_begin())
                             : arith::AddIOp();
  if (add && !instructions->productAndSum.empty()) {
    result = add;
    sum = add.getLhs() == op.getResult() ? add.getRhs() : add.getLhs();
  }
  ImplicitLocOpBuilder b(result->getLoc(), result);
  int64_t lanes = instructions->lanes;
  auto part = VectorType::get(lanes, b.getI32Type());
  auto halves = VectorType::get(2 * lanes, b.getI16Type());
  Value value = joinRegisters(b, type, lanes, [&](int64_t first) {
    SmallVector<Value> operands;
    if (sum)
      operands.push_back(slice(b, sum, first, lanes));
    for (Value factor : factors)
      operands.push_back(
          vector::BitCastOp::create(b, halves, slice(b, factor, first, lanes)));
    return callIntrinsic(
        b, sum ? instructions->productAndSum : instructions->product, part,
        operands);
  });
  result->replaceAllUsesWith(ValueRange{value});
}

void mlir::relay::detail::multiplyBytes(Operation *root, const CPUInfo &cpu) {
  SmallVector<arith::MulIOp> products;
  root->walk([&](arith::MulIOp op) { products.push_back(op); });
  Rewriter rewriter(cpu);
  for (arith::MulIOp op : products)
    rewriter.rewrite(op);
}
