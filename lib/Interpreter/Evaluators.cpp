//===- Evaluators.cpp - Evaluators of relay operators ---------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Evaluators.h"

using namespace mlir;
using namespace mlir::relay;

void mlir::relay::populateRelayEvaluators(EvaluatorTable &table) {}
