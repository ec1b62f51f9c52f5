//===- FloatOps.cpp - Arithmetic on floats --------------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Builder.h"
#include "Floats.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/TypeUtilities.h"

#include <cmath>

using namespace mlir;
using namespace mlir::relay;
using namespace mlir::relay::gpu_executor;

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

namespace {

struct Add {
  template <typename T>
  static T apply(T a, T b) {
    return a + b;
  }
};
struct Sub {
  template <typename T>
  static T apply(T a, T b) {
    return a - b;
  }
};
struct Mul {
  template <typename T>
  static T apply(T a, T b) {
    return a * b;
  }
};
struct Div {
  template <typename T>
  static T apply(T a, T b) {
    return a / b;
  }
};
struct Rem {
  template <typename T>
  static T apply(T a, T b) {
    return std::fmod(a, b);
  }
};
/// NaN if one is, and -0 below 0.
struct Maximum {
  template <typename T>
  static T apply(T a, T b) {
    if (std::isnan(a) || std::isnan(b))
      return NAN;
    if (a == b)
      return std::signbit(a) ? b : a;
    return a > b ? a : b;
  }
};
struct Minimum {
  template <typename T>
  static T apply(T a, T b) {
    if (std::isnan(a) || std::isnan(b))
      return NAN;
    if (a == b)
      return std::signbit(a) ? a : b;
    return a < b ? a : b;
  }
};
/// The other one if one is NaN.
struct MaxNum {
  template <typename T>
  static T apply(T a, T b) {
    return std::isnan(a) ? b : std::isnan(b) ? a : Maximum::apply(a, b);
  }
};
struct MinNum {
  template <typename T>
  static T apply(T a, T b) {
    return std::isnan(a) ? b : std::isnan(b) ? a : Minimum::apply(a, b);
  }
};
struct Pow {
  template <typename T>
  static T apply(T a, T b) {
    return std::pow(a, b);
  }
};
struct Atan2 {
  template <typename T>
  static T apply(T a, T b) {
    return std::atan2(a, b);
  }
};
struct CopySign {
  template <typename T>
  static T apply(T a, T b) {
    return std::copysign(a, b);
  }
};

struct IsNaN {
  template <typename T>
  static bool apply(T a) {
    return std::isnan(a);
  }
};
struct IsInf {
  template <typename T>
  static bool apply(T a) {
    return std::isinf(a);
  }
};
struct IsFinite {
  template <typename T>
  static bool apply(T a) {
    return std::isfinite(a);
  }
};

struct Neg {
  template <typename T>
  static T apply(T a) {
    return -a;
  }
};
struct Rsqrt {
  template <typename T>
  static T apply(T a) {
    return T(1) / std::sqrt(a);
  }
};

} // namespace

/// Functions of libm of one argument.
#define RELAY_UNARY(Name, function)                                            \
  namespace {                                                                  \
  struct Name {                                                                \
    template <typename T>                                                      \
    static T apply(T a) {                                                      \
      return std::function(a);                                                 \
    }                                                                          \
  };                                                                           \
  }
RELAY_UNARY(Abs, fabs)
RELAY_UNARY(Ceil, ceil)
RELAY_UNARY(Floor, floor)
RELAY_UNARY(Trunc, trunc)
RELAY_UNARY(Round, round)
RELAY_UNARY(RoundEven, nearbyint)
RELAY_UNARY(Sqrt, sqrt)
RELAY_UNARY(Cbrt, cbrt)
RELAY_UNARY(Exp, exp)
RELAY_UNARY(Exp2, exp2)
RELAY_UNARY(ExpM1, expm1)
RELAY_UNARY(Log, log)
RELAY_UNARY(Log2, log2)
RELAY_UNARY(Log10, log10)
RELAY_UNARY(Log1p, log1p)
RELAY_UNARY(Sin, sin)
RELAY_UNARY(Cos, cos)
RELAY_UNARY(Tan, tan)
RELAY_UNARY(Asin, asin)
RELAY_UNARY(Acos, acos)
RELAY_UNARY(Atan, atan)
RELAY_UNARY(Sinh, sinh)
RELAY_UNARY(Cosh, cosh)
RELAY_UNARY(Tanh, tanh)
RELAY_UNARY(Asinh, asinh)
RELAY_UNARY(Acosh, acosh)
RELAY_UNARY(Atanh, atanh)
RELAY_UNARY(Erf, erf)
RELAY_UNARY(Erfc, erfc)
#undef RELAY_UNARY

//===----------------------------------------------------------------------===//
// Handlers
//===----------------------------------------------------------------------===//

template <typename F, typename Fn>
static void binary(Thread &thread, const Inst &inst) {
  uint64_t *r = thread.registers;
  for (uint32_t k = 0; k < inst.n; ++k)
    r[inst.d + k] =
        F::put(Fn::apply(F::get(r[inst.a + k]), F::get(r[inst.b + k])));
}

template <typename F, typename Fn>
static void unary(Thread &thread, const Inst &inst) {
  uint64_t *r = thread.registers;
  for (uint32_t k = 0; k < inst.n; ++k)
    r[inst.d + k] = F::put(Fn::apply(F::get(r[inst.a + k])));
}

template <typename F>
static void fma(Thread &thread, const Inst &inst) {
  uint64_t *r = thread.registers;
  for (uint32_t k = 0; k < inst.n; ++k)
    r[inst.d + k] = F::put(std::fma(
        F::get(r[inst.a + k]), F::get(r[inst.b + k]), F::get(r[inst.c + k])));
}

/// `imm` has a bit for each of equal, greater, less and unordered.
template <typename F>
static void compare(Thread &thread, const Inst &inst) {
  uint64_t *r = thread.registers;
  for (uint32_t k = 0; k < inst.n; ++k) {
    auto a = F::get(r[inst.a + k]), b = F::get(r[inst.b + k]);
    unsigned relation = a == b ? 1 : a > b ? 2 : a < b ? 4 : 8;
    r[inst.d + k] = (inst.imm & relation) != 0;
  }
}

template <typename F, typename Fn>
static void test(Thread &thread, const Inst &inst) {
  uint64_t *r = thread.registers;
  for (uint32_t k = 0; k < inst.n; ++k)
    r[inst.d + k] = Fn::apply(F::get(r[inst.a + k]));
}

template <typename F>
static void powInteger(Thread &thread, const Inst &inst) {
  uint64_t *r = thread.registers;
  for (uint32_t k = 0; k < inst.n; ++k) {
    auto exponent = static_cast<int64_t>(r[inst.b + k] << inst.x) >> inst.x;
    r[inst.d + k] = F::put(static_cast<typename F::Value>(
        std::pow(static_cast<double>(F::get(r[inst.a + k])), exponent)));
  }
}

template <typename From, typename To>
static void convert(Thread &thread, const Inst &inst) {
  uint64_t *r = thread.registers;
  for (uint32_t k = 0; k < inst.n; ++k)
    r[inst.d + k] =
        To::put(static_cast<typename To::Value>(From::get(r[inst.a + k])));
}

template <typename F, bool isSigned>
static void fromInteger(Thread &thread, const Inst &inst) {
  uint64_t *r = thread.registers;
  for (uint32_t k = 0; k < inst.n; ++k) {
    uint64_t bits = r[inst.a + k];
    int64_t number = static_cast<int64_t>(bits << inst.x) >> inst.x;
    using Value = typename F::Value;
    r[inst.d + k] = F::put(isSigned ? static_cast<Value>(number)
                                    : static_cast<Value>(bits));
  }
}

/// What the type cannot hold becomes the nearest that it can, and NaN 0, as on
/// a device; the language gives it no meaning.
template <typename F, bool isSigned>
static void toInteger(Thread &thread, const Inst &inst) {
  uint64_t *r = thread.registers;
  unsigned bits = 64 - inst.x;
  for (uint32_t k = 0; k < inst.n; ++k) {
    double value = std::trunc(F::get(r[inst.a + k]));
    double low = isSigned ? -std::ldexp(1.0, bits - 1) : 0;
    double high = std::ldexp(1.0, isSigned ? bits - 1 : bits);
    uint64_t result;
    if (std::isnan(value))
      result = 0;
    else if (value <= low)
      result = isSigned ? uint64_t(1) << (bits - 1) : 0;
    else if (value >= high)
      result = ~uint64_t(0) >> inst.x >> isSigned;
    else if (isSigned)
      result = static_cast<uint64_t>(static_cast<int64_t>(value));
    else
      result = static_cast<uint64_t>(value);
    r[inst.d + k] = result << inst.x >> inst.x;
  }
}

//===----------------------------------------------------------------------===//
// Lowerings
//===----------------------------------------------------------------------===//

static LogicalResult emit(KernelBuilder &builder, Operation *op, Handler fn,
                          unsigned bitsAbove = 0, uint64_t imm = 0) {
  if (!fn)
    return op->emitError("expects a type of floats that the GPU executor "
                         "knows, but got ")
           << op->getOperand(0).getType();
  uint32_t result = builder.define(op->getResult(0));
  Inst &inst = builder.emit(op, fn);
  inst.d = result;
  uint32_t *fields[] = {&inst.a, &inst.b, &inst.c};
  for (auto [field, operand] : llvm::zip(fields, op->getOperands()))
    *field = builder.get(operand);
  inst.n = getNumElements(op->getResult(0).getType());
  inst.x = bitsAbove;
  inst.imm = imm;
  return success();
}

static Type getElement(Value value) {
  return getElementTypeOrSelf(value.getType());
}

template <typename OpT, typename Fn>
static void addBinary(LoweringTable &table) {
  table.add<OpT>([](KernelBuilder &builder, OpT op) {
    return emit(
        builder, op,
        withFloat(getElement(op->getResult(0)), [](auto type) -> Handler {
          return binary<decltype(type), Fn>;
        }));
  });
}

template <typename OpT, typename Fn>
static void addUnary(LoweringTable &table) {
  table.add<OpT>([](KernelBuilder &builder, OpT op) {
    return emit(
        builder, op,
        withFloat(getElement(op->getResult(0)), [](auto type) -> Handler {
          return unary<decltype(type), Fn>;
        }));
  });
}

template <typename OpT>
static void addConversion(LoweringTable &table) {
  table.add<OpT>([](KernelBuilder &builder, OpT op) {
    return emit(
        builder, op,
        withFloat(getElement(op->getOperand(0)), [&](auto from) -> Handler {
          return withFloat(getElement(op->getResult(0)),
                           [](auto to) -> Handler {
                             return convert<decltype(from), decltype(to)>;
                           });
        }));
  });
}

template <typename OpT, bool isSigned>
static void addFromInteger(LoweringTable &table) {
  table.add<OpT>([](KernelBuilder &builder, OpT op) {
    return emit(builder, op,
                withFloat(getElement(op->getResult(0)),
                          [](auto type) -> Handler {
                            return fromInteger<decltype(type), isSigned>;
                          }),
                64 - getIntegerBits(getElement(op->getOperand(0))));
  });
}

template <typename OpT, bool isSigned>
static void addToInteger(LoweringTable &table) {
  table.add<OpT>([](KernelBuilder &builder, OpT op) {
    return emit(builder, op,
                withFloat(getElement(op->getOperand(0)),
                          [](auto type) -> Handler {
                            return toInteger<decltype(type), isSigned>;
                          }),
                64 - getIntegerBits(getElement(op->getResult(0))));
  });
}

template <typename OpT, typename Fn>
static void addTest(LoweringTable &table) {
  table.add<OpT>([](KernelBuilder &builder, OpT op) {
    return emit(
        builder, op,
        withFloat(getElement(op->getOperand(0)), [](auto type) -> Handler {
          return test<decltype(type), Fn>;
        }));
  });
}

/// A bit for each relation of two numbers that a predicate is true for.
static unsigned getRelations(arith::CmpFPredicate predicate) {
  using P = arith::CmpFPredicate;
  enum { E = 1, G = 2, L = 4, U = 8 };
  switch (predicate) {
  case P::AlwaysFalse:
    return 0;
  case P::OEQ:
    return E;
  case P::OGT:
    return G;
  case P::OGE:
    return G | E;
  case P::OLT:
    return L;
  case P::OLE:
    return L | E;
  case P::ONE:
    return L | G;
  case P::ORD:
    return L | G | E;
  case P::UEQ:
    return U | E;
  case P::UGT:
    return U | G;
  case P::UGE:
    return U | G | E;
  case P::ULT:
    return U | L;
  case P::ULE:
    return U | L | E;
  case P::UNE:
    return U | L | G;
  case P::UNO:
    return U;
  case P::AlwaysTrue:
    return U | L | G | E;
  }
  llvm_unreachable("all predicates are above");
}

void gpu_executor::populateFloatLowerings(LoweringTable &table) {
  addBinary<arith::AddFOp, Add>(table);
  addBinary<arith::SubFOp, Sub>(table);
  addBinary<arith::MulFOp, Mul>(table);
  addBinary<arith::DivFOp, Div>(table);
  addBinary<arith::RemFOp, Rem>(table);
  addBinary<arith::MaximumFOp, Maximum>(table);
  addBinary<arith::MinimumFOp, Minimum>(table);
  addBinary<arith::MaxNumFOp, MaxNum>(table);
  addBinary<arith::MinNumFOp, MinNum>(table);
  addBinary<math::PowFOp, Pow>(table);
  addBinary<math::Atan2Op, Atan2>(table);
  addBinary<math::CopySignOp, CopySign>(table);
  addUnary<arith::NegFOp, Neg>(table);
  addUnary<math::RsqrtOp, Rsqrt>(table);
  addUnary<math::AbsFOp, Abs>(table);
  addUnary<math::CeilOp, Ceil>(table);
  addUnary<math::FloorOp, Floor>(table);
  addUnary<math::TruncOp, Trunc>(table);
  addUnary<math::RoundOp, Round>(table);
  addUnary<math::RoundEvenOp, RoundEven>(table);
  addUnary<math::SqrtOp, Sqrt>(table);
  addUnary<math::CbrtOp, Cbrt>(table);
  addUnary<math::ExpOp, Exp>(table);
  addUnary<math::Exp2Op, Exp2>(table);
  addUnary<math::ExpM1Op, ExpM1>(table);
  addUnary<math::LogOp, Log>(table);
  addUnary<math::Log2Op, Log2>(table);
  addUnary<math::Log10Op, Log10>(table);
  addUnary<math::Log1pOp, Log1p>(table);
  addUnary<math::SinOp, Sin>(table);
  addUnary<math::CosOp, Cos>(table);
  addUnary<math::TanOp, Tan>(table);
  addUnary<math::AsinOp, Asin>(table);
  addUnary<math::AcosOp, Acos>(table);
  addUnary<math::AtanOp, Atan>(table);
  addUnary<math::SinhOp, Sinh>(table);
  addUnary<math::CoshOp, Cosh>(table);
  addUnary<math::TanhOp, Tanh>(table);
  addUnary<math::AsinhOp, Asinh>(table);
  addUnary<math::AcoshOp, Acosh>(table);
  addUnary<math::AtanhOp, Atanh>(table);
  addUnary<math::ErfOp, Erf>(table);
  addUnary<math::ErfcOp, Erfc>(table);
  addConversion<arith::ExtFOp>(table);
  addConversion<arith::TruncFOp>(table);
  addFromInteger<arith::SIToFPOp, true>(table);
  addFromInteger<arith::UIToFPOp, false>(table);
  addToInteger<arith::FPToSIOp, true>(table);
  addToInteger<arith::FPToUIOp, false>(table);
  table.add<math::FmaOp>([](KernelBuilder &builder, math::FmaOp op) {
    return emit(builder, op,
                withFloat(getElement(op.getResult()), [](auto type) -> Handler {
                  return fma<decltype(type)>;
                }));
  });
  table.add<vector::FMAOp>([](KernelBuilder &builder, vector::FMAOp op) {
    return emit(builder, op,
                withFloat(getElement(op.getResult()), [](auto type) -> Handler {
                  return fma<decltype(type)>;
                }));
  });
  table.add<arith::CmpFOp>([](KernelBuilder &builder, arith::CmpFOp op) {
    return emit(
        builder, op,
        withFloat(getElement(op.getLhs()),
                  [](auto type) -> Handler { return compare<decltype(type)>; }),
        0, getRelations(op.getPredicate()));
  });
  addTest<math::IsNaNOp, IsNaN>(table);
  addTest<math::IsInfOp, IsInf>(table);
  addTest<math::IsFiniteOp, IsFinite>(table);
  table.add<math::FPowIOp>([](KernelBuilder &builder, math::FPowIOp op) {
    return emit(builder, op,
                withFloat(getElement(op.getResult()),
                          [](auto type) -> Handler {
                            return powInteger<decltype(type)>;
                          }),
                64 - getIntegerBits(getElement(op.getRhs())));
  });
}
