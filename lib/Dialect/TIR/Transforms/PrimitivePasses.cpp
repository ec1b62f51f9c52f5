//===- PrimitivePasses.cpp - Primitives on whole kernels ------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "relay-mlir/Dialect/TIR/Transforms/Passes.h"

#include "relay-mlir/Dialect/TIR/Schedule/Schedule.h"

namespace mlir::tir {
#define GEN_PASS_DEF_TIRCOMPACTBUFFERSPASS
#define GEN_PASS_DEF_TIRSIMPLIFYPASS
#include "relay-mlir/Dialect/TIR/Transforms/Passes.h.inc"
} // namespace mlir::tir

using namespace mlir;
using namespace mlir::tir;

namespace {

struct TIRCompactBuffers
    : tir::impl::TIRCompactBuffersPassBase<TIRCompactBuffers> {
  using Base::Base;

  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    compactBuffers(rewriter, getOperation(), maxLocalBytes);
  }
};

struct TIRSimplify : tir::impl::TIRSimplifyPassBase<TIRSimplify> {
  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    simplifyIndices(rewriter, getOperation());
  }
};

} // namespace
