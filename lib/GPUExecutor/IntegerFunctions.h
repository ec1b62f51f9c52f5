//===- IntegerFunctions.h - Arithmetic on integers --------------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Integers are in registers with zeros above them. `x` of an instruction is how
// many bits of a register are above the integer.
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_LIB_GPUEXECUTOR_INTEGERFUNCTIONS_H
#define RELAY_MLIR_LIB_GPUEXECUTOR_INTEGERFUNCTIONS_H

#include "ThreadBlock.h"

#include "llvm/Support/MathExtras.h"

namespace mlir::relay::gpu_executor::integer {

using U = uint64_t;
using S = int64_t;

/// The value of an integer that has `above` bits above it.
inline S extend(U value, unsigned above) {
  return static_cast<S>(value << above) >> above;
}

struct Add {
  static U apply(U a, U b, unsigned) { return a + b; }
};
struct Sub {
  static U apply(U a, U b, unsigned) { return a - b; }
};
struct Mul {
  static U apply(U a, U b, unsigned) { return a * b; }
};
struct And {
  static U apply(U a, U b, unsigned) { return a & b; }
};
struct Or {
  static U apply(U a, U b, unsigned) { return a | b; }
};
struct Xor {
  static U apply(U a, U b, unsigned) { return a ^ b; }
};
// Shifts by as many bits as there are, or more, have no meaning; they become 0,
// as on a device.
struct Shl {
  static U apply(U a, U b, unsigned x) { return b >= 64 - x ? 0 : a << b; }
};
struct ShrU {
  static U apply(U a, U b, unsigned x) { return b >= 64 - x ? 0 : a >> b; }
};
struct ShrS {
  static U apply(U a, U b, unsigned x) {
    return extend(a, x) >> std::min<U>(b, 63);
  }
};
struct MinS {
  static U apply(U a, U b, unsigned x) {
    return extend(a, x) < extend(b, x) ? a : b;
  }
};
struct MaxS {
  static U apply(U a, U b, unsigned x) {
    return extend(a, x) > extend(b, x) ? a : b;
  }
};
struct MinU {
  static U apply(U a, U b, unsigned) { return std::min(a, b); }
};
struct MaxU {
  static U apply(U a, U b, unsigned) { return std::max(a, b); }
};

struct DivU {
  static U apply(U a, U b, unsigned) { return a / b; }
};
struct RemU {
  static U apply(U a, U b, unsigned) { return a % b; }
};
struct CeilDivU {
  static U apply(U a, U b, unsigned) { return a / b + (a % b != 0); }
};
struct DivS {
  static U apply(U a, U b, unsigned x) { return extend(a, x) / extend(b, x); }
};
struct RemS {
  static U apply(U a, U b, unsigned x) { return extend(a, x) % extend(b, x); }
};
struct FloorDivS {
  static U apply(U a, U b, unsigned x) {
    return llvm::divideFloorSigned(extend(a, x), extend(b, x));
  }
};
struct CeilDivS {
  static U apply(U a, U b, unsigned x) {
    return llvm::divideCeilSigned(extend(a, x), extend(b, x));
  }
};
struct Mod {
  static U apply(U a, U b, unsigned x) {
    return llvm::mod(extend(a, x), extend(b, x));
  }
};

//===----------------------------------------------------------------------===//
// Handlers
//===----------------------------------------------------------------------===//

template <typename Fn>
void binary(Thread &thread, const Inst &inst) {
  U *r = thread.registers;
  for (uint32_t k = 0; k < inst.n; ++k)
    r[inst.d + k] =
        Fn::apply(r[inst.a + k], r[inst.b + k], inst.x) << inst.x >> inst.x;
}

template <typename Fn, bool isSigned>
void divide(Thread &thread, const Inst &inst) {
  U *r = thread.registers;
  for (uint32_t k = 0; k < inst.n; ++k) {
    U a = r[inst.a + k], b = r[inst.b + k];
    if (b == 0) {
      InFlightDiagnostic diag = thread.block->fail(
          thread, inst,
          "expects a divisor that is not 0, but got a division of ");
      if (isSigned)
        diag << extend(a, inst.x) << " by 0";
      else
        diag << a << " by 0";
      return;
    }
    if (isSigned && extend(b, inst.x) == -1 && a == U(1) << (63 - inst.x)) {
      thread.block->fail(thread, inst,
                         "expects a quotient that its type has, but got a "
                         "division of ")
          << extend(a, inst.x) << " by -1";
      return;
    }
    r[inst.d + k] = Fn::apply(a, b, inst.x) << inst.x >> inst.x;
  }
}

} // namespace mlir::relay::gpu_executor::integer

#endif // RELAY_MLIR_LIB_GPUEXECUTOR_INTEGERFUNCTIONS_H
