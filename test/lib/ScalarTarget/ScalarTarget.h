//===- ScalarTarget.h - A kind of targets from outside ----------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_TEST_SCALARTARGET_SCALARTARGET_H
#define RELAY_MLIR_TEST_SCALARTARGET_SCALARTARGET_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "relay-mlir/Dialect/Target/IR/Target.h"

#include "ScalarTarget.h.inc"

#endif // RELAY_MLIR_TEST_SCALARTARGET_SCALARTARGET_H
