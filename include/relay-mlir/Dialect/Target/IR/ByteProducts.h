//===- ByteProducts.h - Instructions for products of bytes ------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What instructions on vectors a processor has that add up products of
// neighbours in lanes of 32 bits.
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_DIALECT_TARGET_IR_BYTEPRODUCTS_H
#define RELAY_MLIR_DIALECT_TARGET_IR_BYTEPRODUCTS_H

#include "relay-mlir/Dialect/Target/IR/Target.h"

namespace mlir::relay {

/// Four products of bytes (VNNI, dotprod).
inline bool hasQuadProducts(const CPUInfo &cpu) {
  if (cpu.isAArch64())
    return cpu.hasFeature("dotprod");
  return cpu.hasFeature(cpu.getVectorBits() == 512 ? "avx512vnni" : "avxvnni");
}

/// Two products of 16 bits (pmaddwd).
inline bool hasPairProducts(const CPUInfo &cpu) {
  return !cpu.isAArch64() &&
         cpu.hasFeature(cpu.getVectorBits() == 512 ? "avx512bw" : "avx2");
}

/// How many products of bytes, summed up in 32 bits, take as long as one of
/// f32; 0 if bytes are widened first.
inline int64_t countByteProducts(TargetAttrInterface target) {
  auto cpu = dyn_cast_if_present<CPUAttr>(target);
  if (!cpu)
    return 0;
  const CPUInfo &info = cpu.getInfo();
  if (hasQuadProducts(info) || info.hasTiles(/*isFloat=*/false))
    return 4;
  return hasPairProducts(info) ? 1 : 0;
}

/// Whether vectors of a target have four products of bytes.
inline bool multipliesQuads(TargetAttrInterface target) {
  auto cpu = dyn_cast_if_present<CPUAttr>(target);
  return cpu && hasQuadProducts(cpu.getInfo());
}

/// Whether a target adds products of bytes in pairs, for want of anything that
/// adds more of them.
inline bool addsPairsOfBytes(TargetAttrInterface target) {
  auto cpu = dyn_cast_if_present<CPUAttr>(target);
  if (!cpu)
    return false;
  const CPUInfo &info = cpu.getInfo();
  return hasPairProducts(info) && !hasQuadProducts(info) &&
         !info.hasTiles(/*isFloat=*/false);
}

} // namespace mlir::relay

#endif // RELAY_MLIR_DIALECT_TARGET_IR_BYTEPRODUCTS_H
