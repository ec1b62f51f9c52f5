//===- IntegerOps.cpp - Arithmetic on integers ----------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Builder.h"
#include "IntegerFunctions.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Index/IR/IndexDialect.h"
#include "mlir/Dialect/Index/IR/IndexOps.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace mlir::relay;
using namespace mlir::relay::gpu_executor;
using namespace mlir::relay::gpu_executor::integer;

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

namespace {

struct Equal {
  static bool apply(U a, U b, unsigned) { return a == b; }
};
struct NotEqual {
  static bool apply(U a, U b, unsigned) { return a != b; }
};
struct LessS {
  static bool apply(U a, U b, unsigned x) {
    return extend(a, x) < extend(b, x);
  }
};
struct LessEqualS {
  static bool apply(U a, U b, unsigned x) {
    return extend(a, x) <= extend(b, x);
  }
};
struct LessU {
  static bool apply(U a, U b, unsigned) { return a < b; }
};
struct LessEqualU {
  static bool apply(U a, U b, unsigned) { return a <= b; }
};

struct CountLeadingZeros {
  static U apply(U a, unsigned x) {
    return a ? llvm::countl_zero(a) - x : 64 - x;
  }
};
struct CountTrailingZeros {
  static U apply(U a, unsigned x) { return a ? llvm::countr_zero(a) : 64 - x; }
};
struct CountOnes {
  static U apply(U a, unsigned) { return llvm::popcount(a); }
};
struct Absolute {
  static U apply(U a, unsigned x) {
    return extend(a, x) < 0 ? 0 - static_cast<U>(extend(a, x)) : a;
  }
};
struct Keep {
  static U apply(U a, unsigned) { return a; }
};

} // namespace

//===----------------------------------------------------------------------===//
// Handlers
//===----------------------------------------------------------------------===//

template <typename Fn>
static void compare(Thread &thread, const Inst &inst) {
  U *r = thread.registers;
  for (uint32_t k = 0; k < inst.n; ++k)
    r[inst.d + k] = Fn::apply(r[inst.a + k], r[inst.b + k], inst.x);
}

template <typename Fn>
static void unary(Thread &thread, const Inst &inst) {
  U *r = thread.registers;
  for (uint32_t k = 0; k < inst.n; ++k)
    r[inst.d + k] = Fn::apply(r[inst.a + k], inst.x) << inst.x >> inst.x;
}

/// From the width of `x` to that of `imm`.
static void extendSigned(Thread &thread, const Inst &inst) {
  U *r = thread.registers;
  for (uint32_t k = 0; k < inst.n; ++k)
    r[inst.d + k] =
        static_cast<U>(extend(r[inst.a + k], inst.x)) << inst.imm >> inst.imm;
}

/// The upper half of products, and both.
template <bool isSigned>
static void multiplyExtended(Thread &thread, const Inst &inst) {
  U *r = thread.registers;
  unsigned bits = 64 - inst.x;
  for (uint32_t k = 0; k < inst.n; ++k) {
    U a = r[inst.a + k], b = r[inst.b + k];
    r[inst.d + k] = a * b << inst.x >> inst.x;
    U high;
    if (isSigned) {
      __extension__ using Wide = __int128;
      high =
          static_cast<U>(Wide(extend(a, inst.x)) * extend(b, inst.x) >> bits);
    } else {
      __extension__ using Wide = unsigned __int128;
      high = static_cast<U>(Wide(a) * b >> bits);
    }
    r[inst.c + k] = high << inst.x >> inst.x;
  }
}

static void addCarry(Thread &thread, const Inst &inst) {
  U *r = thread.registers;
  for (uint32_t k = 0; k < inst.n; ++k) {
    U a = r[inst.a + k];
    U sum = (a + r[inst.b + k]) << inst.x >> inst.x;
    r[inst.c + k] = sum < a;
    r[inst.d + k] = sum;
  }
}

/// `c` is the condition; `imm` is 1 if it has an element for each.
static void select(Thread &thread, const Inst &inst) {
  U *r = thread.registers;
  if (inst.imm)
    for (uint32_t k = 0; k < inst.n; ++k)
      r[inst.d + k] = r[inst.c + k] ? r[inst.a + k] : r[inst.b + k];
  else
    std::copy_n(r + (r[inst.c] ? inst.a : inst.b), inst.n, r + inst.d);
}

//===----------------------------------------------------------------------===//
// Lowerings
//===----------------------------------------------------------------------===//

static unsigned getBitsAbove(Value value) {
  return 64 - getIntegerBits(getElementTypeOrSelf(value.getType()));
}

static LogicalResult emitBinary(KernelBuilder &builder, Operation *op,
                                Handler fn, Value a, Value b) {
  uint32_t result = builder.define(op->getResult(0));
  Inst &inst = builder.emit(op, fn);
  inst.d = result;
  inst.a = builder.get(a);
  inst.b = builder.get(b);
  inst.n = getNumElements(a.getType());
  inst.x = getBitsAbove(a);
  return success();
}

template <typename OpT>
static void addBinary(LoweringTable &table, Handler fn) {
  table.add<OpT>([fn](KernelBuilder &builder, OpT op) {
    return emitBinary(builder, op, fn, op->getOperand(0), op->getOperand(1));
  });
}

static LogicalResult emitUnary(KernelBuilder &builder, Operation *op,
                               Handler fn) {
  uint32_t result = builder.define(op->getResult(0));
  Value operand = op->getOperand(0);
  Inst &inst = builder.emit(op, fn);
  inst.d = result;
  inst.a = builder.get(operand);
  inst.n = getNumElements(operand.getType());
  inst.x = getBitsAbove(operand);
  inst.imm = getBitsAbove(op->getResult(0));
  return success();
}

template <typename OpT>
static void addUnary(LoweringTable &table, Handler fn) {
  table.add<OpT>([fn](KernelBuilder &builder, OpT op) {
    return emitUnary(builder, op, fn);
  });
}

/// A conversion to fewer bits, or one that adds zeros.
template <typename OpT>
static void addConversion(LoweringTable &table) {
  table.add<OpT>([](KernelBuilder &builder, OpT op) {
    Value operand = op->getOperand(0), result = op->getResult(0);
    if (getBitsAbove(result) <= getBitsAbove(operand)) {
      builder.set(result, builder.getComponents(operand));
      return success();
    }
    uint32_t number = builder.define(result);
    Inst &inst = builder.emit(op, unary<Keep>);
    inst.d = number;
    inst.a = builder.get(operand);
    inst.n = getNumElements(operand.getType());
    inst.x = getBitsAbove(result);
    return success();
  });
}

/// A conversion that may keep the sign.
template <typename OpT>
static void addSignedConversion(LoweringTable &table) {
  table.add<OpT>([](KernelBuilder &builder, OpT op) {
    return emitUnary(builder, op, extendSigned);
  });
}

static LogicalResult lowerCompare(KernelBuilder &builder, Operation *op,
                                  arith::CmpIPredicate predicate) {
  using P = arith::CmpIPredicate;
  Value a = op->getOperand(0), b = op->getOperand(1);
  switch (predicate) {
  case P::eq:
    return emitBinary(builder, op, compare<Equal>, a, b);
  case P::ne:
    return emitBinary(builder, op, compare<NotEqual>, a, b);
  case P::slt:
    return emitBinary(builder, op, compare<LessS>, a, b);
  case P::sle:
    return emitBinary(builder, op, compare<LessEqualS>, a, b);
  case P::sgt:
    return emitBinary(builder, op, compare<LessS>, b, a);
  case P::sge:
    return emitBinary(builder, op, compare<LessEqualS>, b, a);
  case P::ult:
    return emitBinary(builder, op, compare<LessU>, a, b);
  case P::ule:
    return emitBinary(builder, op, compare<LessEqualU>, a, b);
  case P::ugt:
    return emitBinary(builder, op, compare<LessU>, b, a);
  case P::uge:
    return emitBinary(builder, op, compare<LessEqualU>, b, a);
  }
  llvm_unreachable("all predicates are above");
}

static LogicalResult lowerConstant(KernelBuilder &builder,
                                   arith::ConstantOp op) {
  auto getBits = [](Attribute attr) -> U {
    if (auto number = dyn_cast<FloatAttr>(attr))
      return number.getValue().bitcastToAPInt().getZExtValue();
    return cast<IntegerAttr>(attr).getValue().getZExtValue();
  };
  if (auto elements = dyn_cast<DenseElementsAttr>(op.getValue())) {
    SmallVector<U> values;
    for (Attribute element : elements.getValues<Attribute>())
      values.push_back(getBits(element));
    builder.set(op, builder.getConstants(values));
    return success();
  }
  if (!isa<FloatAttr, IntegerAttr>(op.getValue()))
    return op.emitError("expects a number or dense elements");
  builder.set(op, builder.getConstant(getBits(op.getValue())));
  return success();
}

void gpu_executor::populateIntegerLowerings(LoweringTable &table) {
  table.add<arith::ConstantOp>(lowerConstant);
  table.add<index::ConstantOp>(
      [](KernelBuilder &builder, index::ConstantOp op) {
        builder.set(op, builder.getConstant(op.getValue().getSExtValue()));
        return success();
      });
  table.add<index::BoolConstantOp>(
      [](KernelBuilder &builder, index::BoolConstantOp op) {
        builder.set(op, builder.getConstant(op.getValue()));
        return success();
      });

  addBinary<arith::AddIOp>(table, binary<Add>);
  addBinary<arith::SubIOp>(table, binary<Sub>);
  addBinary<arith::MulIOp>(table, binary<Mul>);
  addBinary<arith::AndIOp>(table, binary<And>);
  addBinary<arith::OrIOp>(table, binary<Or>);
  addBinary<arith::XOrIOp>(table, binary<Xor>);
  addBinary<arith::ShLIOp>(table, binary<Shl>);
  addBinary<arith::ShRUIOp>(table, binary<ShrU>);
  addBinary<arith::ShRSIOp>(table, binary<ShrS>);
  addBinary<arith::MinSIOp>(table, binary<MinS>);
  addBinary<arith::MaxSIOp>(table, binary<MaxS>);
  addBinary<arith::MinUIOp>(table, binary<MinU>);
  addBinary<arith::MaxUIOp>(table, binary<MaxU>);
  addBinary<arith::DivUIOp>(table, divide<DivU, false>);
  addBinary<arith::RemUIOp>(table, divide<RemU, false>);
  addBinary<arith::CeilDivUIOp>(table, divide<CeilDivU, false>);
  addBinary<arith::DivSIOp>(table, divide<DivS, true>);
  addBinary<arith::RemSIOp>(table, divide<RemS, true>);
  addBinary<arith::FloorDivSIOp>(table, divide<FloorDivS, true>);
  addBinary<arith::CeilDivSIOp>(table, divide<CeilDivS, true>);

  addBinary<index::AddOp>(table, binary<Add>);
  addBinary<index::SubOp>(table, binary<Sub>);
  addBinary<index::MulOp>(table, binary<Mul>);
  addBinary<index::AndOp>(table, binary<And>);
  addBinary<index::OrOp>(table, binary<Or>);
  addBinary<index::XOrOp>(table, binary<Xor>);
  addBinary<index::ShlOp>(table, binary<Shl>);
  addBinary<index::ShrUOp>(table, binary<ShrU>);
  addBinary<index::ShrSOp>(table, binary<ShrS>);
  addBinary<index::MinSOp>(table, binary<MinS>);
  addBinary<index::MaxSOp>(table, binary<MaxS>);
  addBinary<index::MinUOp>(table, binary<MinU>);
  addBinary<index::MaxUOp>(table, binary<MaxU>);
  addBinary<index::DivUOp>(table, divide<DivU, false>);
  addBinary<index::RemUOp>(table, divide<RemU, false>);
  addBinary<index::CeilDivUOp>(table, divide<CeilDivU, false>);
  addBinary<index::DivSOp>(table, divide<DivS, true>);
  addBinary<index::RemSOp>(table, divide<RemS, true>);
  addBinary<index::FloorDivSOp>(table, divide<FloorDivS, true>);
  addBinary<index::CeilDivSOp>(table, divide<CeilDivS, true>);

  addConversion<arith::ExtUIOp>(table);
  addConversion<arith::TruncIOp>(table);
  addConversion<arith::IndexCastUIOp>(table);
  addConversion<index::CastUOp>(table);
  addSignedConversion<arith::ExtSIOp>(table);
  addSignedConversion<arith::IndexCastOp>(table);
  addSignedConversion<index::CastSOp>(table);

  addUnary<math::CountLeadingZerosOp>(table, unary<CountLeadingZeros>);
  addUnary<math::CountTrailingZerosOp>(table, unary<CountTrailingZeros>);
  addUnary<math::CtPopOp>(table, unary<CountOnes>);
  addUnary<math::AbsIOp>(table, unary<Absolute>);

  table.add<arith::CmpIOp>([](KernelBuilder &builder, arith::CmpIOp op) {
    return lowerCompare(builder, op, op.getPredicate());
  });
  table.add<index::CmpOp>([](KernelBuilder &builder, index::CmpOp op) {
    using I = index::IndexCmpPredicate;
    using A = arith::CmpIPredicate;
    auto predicate = [&] {
      switch (op.getPred()) {
      case I::EQ:
        return A::eq;
      case I::NE:
        return A::ne;
      case I::SLT:
        return A::slt;
      case I::SLE:
        return A::sle;
      case I::SGT:
        return A::sgt;
      case I::SGE:
        return A::sge;
      case I::ULT:
        return A::ult;
      case I::ULE:
        return A::ule;
      case I::UGT:
        return A::ugt;
      case I::UGE:
        return A::uge;
      }
      llvm_unreachable("all predicates are above");
    }();
    return lowerCompare(builder, op, predicate);
  });
  table.add<arith::SelectOp>([](KernelBuilder &builder,
                                arith::SelectOp op) -> LogicalResult {
    // A memref has several components.
    auto result = builder.allocate(op, op.getType());
    auto widths = builder.getWidths(op, op.getType());
    if (failed(result) || failed(widths))
      return failure();
    for (auto [to, a, b, width] :
         llvm::zip_equal(*result, builder.getComponents(op.getTrueValue()),
                         builder.getComponents(op.getFalseValue()), *widths)) {
      Inst &inst = builder.emit(op, select);
      inst.d = to;
      inst.a = a;
      inst.b = b;
      inst.c = builder.get(op.getCondition());
      inst.n = width;
      inst.imm = isa<VectorType>(op.getCondition().getType());
    }
    builder.set(op, *result);
    return success();
  });
  auto addExtended = [&](auto null, Handler fn) {
    using OpT = decltype(null);
    table.add<OpT>([fn](KernelBuilder &builder, OpT op) {
      uint32_t first = builder.define(op->getResult(0));
      uint32_t second = builder.define(op->getResult(1));
      Inst &inst = builder.emit(op, fn);
      inst.d = first;
      inst.c = second;
      inst.a = builder.get(op->getOperand(0));
      inst.b = builder.get(op->getOperand(1));
      inst.n = getNumElements(op->getOperand(0).getType());
      inst.x = getBitsAbove(op->getOperand(0));
      return success();
    });
  };
  addExtended(arith::MulSIExtendedOp(), multiplyExtended<true>);
  addExtended(arith::MulUIExtendedOp(), multiplyExtended<false>);
  addExtended(arith::AddUIExtendedOp(), addCarry);
}
