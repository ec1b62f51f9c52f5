//===- WeightsObject.h - Constants as a section of an ELF file --*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_TARGET_AOT_WEIGHTSOBJECT_H
#define RELAY_MLIR_TARGET_AOT_WEIGHTSOBJECT_H

#include "relay-mlir/Target/AOT/ConstantPool.h"
#include "relay-mlir/Target/TargetInfo.h"

#include <string>

namespace mlir::relay {

/// A relocatable ELF object for `target` in which kWeightsSymbol is the start
/// of the section RELAY_WEIGHTS_SECTION, of `size` bytes that are not there.
std::string getWeightsObject(const TargetInfo &target, uint64_t size);

/// Gives the section RELAY_WEIGHTS_SECTION of `file`, an object or shared
/// object that the linker made of such an object, its bytes.
std::error_code insertWeights(int file, const ConstantPool &pool);

} // namespace mlir::relay

#endif // RELAY_MLIR_TARGET_AOT_WEIGHTSOBJECT_H
