//===- TIRDialect.cpp - The tir dialect -------------------------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "relay-mlir/Dialect/TIR/IR/TIR.h"

#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::tir;

#include "relay-mlir/Dialect/TIR/IR/TIRDialect.cpp.inc"
#include "relay-mlir/Dialect/TIR/IR/TIREnums.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "relay-mlir/Dialect/TIR/IR/TIRAttributes.cpp.inc"

void TIRDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "relay-mlir/Dialect/TIR/IR/TIRAttributes.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "relay-mlir/Dialect/TIR/IR/TIROps.cpp.inc"
      >();
}
