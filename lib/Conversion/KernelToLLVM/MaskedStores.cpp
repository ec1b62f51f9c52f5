//===- MaskedStores.cpp - Stores of some lanes without masks --------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "relay-mlir/Conversion/KernelToLLVM/KernelToLLVM.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"
#include "relay-mlir/Dialect/Target/IR/Target.h"
#include "llvm/Support/MathExtras.h"

namespace mlir::relay {
#define GEN_PASS_DEF_NARROWMASKEDSTORESPASS
#include "relay-mlir/Conversion/Passes.h.inc"
} // namespace mlir::relay

using namespace mlir;

namespace {

/// A masked store of leading lanes.
struct NarrowMaskedStore : OpRewritePattern<vector::MaskedStoreOp> {
  using Base::Base;

  LogicalResult matchAndRewrite(vector::MaskedStoreOp op,
                                PatternRewriter &rewriter) const override {
    VectorType type = op.getVectorType();
    if (type.getRank() != 1 || type.isScalable() ||
        !llvm::isPowerOf2_64(type.getNumElements()))
      return rewriter.notifyMatchFailure(op, "expects a power of two lanes");
    int64_t lanes = type.getNumElements();
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    Operation *mask = op.getMask().getDefiningOp();
    OpFoldResult count;
    if (auto constant = dyn_cast_or_null<vector::ConstantMaskOp>(mask))
      count = b.getIndexAttr(constant.getMaskDimSizes().front());
    else if (auto created = dyn_cast_or_null<vector::CreateMaskOp>(mask))
      count = getAsOpFoldResult(created.getOperand(0));
    else
      return rewriter.notifyMatchFailure(op, "expects a mask by a number");

    if (std::optional<int64_t> constant = getConstantIntValue(count))
      storeLanes(b, op, std::clamp<int64_t>(*constant, 0, lanes));
    else
      storeLanes(b, op, cast<Value>(count));
    rewriter.eraseOp(op);
    return success();
  }

private:
  /// Stores lanes [first, first + size) of `vector` to where lane 0 of the op
  /// goes, `offset` elements further.
  static void storePart(ImplicitLocOpBuilder &b, vector::MaskedStoreOp op,
                        Value vector, int64_t first, int64_t size,
                        Value offset) {
    SmallVector<Value> indices(op.getIndices());
    indices.back() = b.createOrFold<arith::AddIOp>(indices.back(), offset);
    if (size == 1) {
      Value element = vector::ExtractOp::create(b, vector, first);
      memref::StoreOp::create(b, element, op.getBase(), indices);
      return;
    }
    if (size != cast<VectorType>(vector.getType()).getNumElements())
      vector = vector::ExtractStridedSliceOp::create(
          b, vector, ArrayRef{first}, ArrayRef{size}, ArrayRef<int64_t>{1});
    vector::StoreOp::create(b, vector, op.getBase(), indices);
  }

  static void storeLanes(ImplicitLocOpBuilder &b, vector::MaskedStoreOp op,
                         int64_t count) {
    for (int64_t first = 0; first != count;) {
      int64_t size = llvm::bit_floor<uint64_t>(count - first);
      storePart(b, op, op.getValueToStore(), first, size,
                arith::ConstantIndexOp::create(b, first));
      first += size;
    }
  }

  /// Each power of two in the number is one store, or none.
  static void storeLanes(ImplicitLocOpBuilder &b, vector::MaskedStoreOp op,
                         Value count) {
    Value vector = op.getValueToStore();
    int64_t lanes = op.getVectorType().getNumElements();
    auto number = [&](int64_t value) -> Value {
      return arith::ConstantIndexOp::create(b, value);
    };
    Value isFull = arith::CmpIOp::create(b, arith::CmpIPredicate::sge, count,
                                         number(lanes));
    Value isAny =
        arith::CmpIOp::create(b, arith::CmpIPredicate::sgt, count, number(0));
    auto full = scf::IfOp::create(b, isFull, /*withElseRegion=*/true);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPoint(full.thenYield());
    storePart(b, op, vector, 0, lanes, number(0));
    b.setInsertionPoint(full.elseYield());
    auto any = scf::IfOp::create(b, isAny, /*withElseRegion=*/false);
    b.setInsertionPoint(any.thenYield());
    Value offset = number(0);
    for (int64_t size = lanes / 2; size >= 1; size /= 2) {
      Value bit = arith::AndIOp::create(b, count, number(size));
      Value isSet =
          arith::CmpIOp::create(b, arith::CmpIPredicate::ne, bit, number(0));
      auto part = scf::IfOp::create(b, isSet, /*withElseRegion=*/false);
      {
        OpBuilder::InsertionGuard inner(b);
        b.setInsertionPoint(part.thenYield());
        storePart(b, op, vector, 0, size, offset);
      }
      if (size == 1)
        break;
      // What is left comes first.
      auto half = [&](int64_t first) -> Value {
        return vector::ExtractStridedSliceOp::create(
            b, vector, ArrayRef{first}, ArrayRef{size}, ArrayRef<int64_t>{1});
      };
      vector = arith::SelectOp::create(b, isSet, half(size), half(0));
      offset = arith::AddIOp::create(b, offset, bit);
    }
  }
};

struct NarrowMaskedStoresPass
    : relay::impl::NarrowMaskedStoresPassBase<NarrowMaskedStoresPass> {
  void runOnOperation() override {
    FailureOr<relay::CPUAttr> cpu = relay::getTargetCPU(getOperation());
    if (failed(cpu))
      return signalPassFailure();
    if (cpu->getInfo().hasMaskedAccess())
      return;
    RewritePatternSet patterns(&getContext());
    patterns.add<NarrowMaskedStore>(&getContext());
    walkAndApplyPatterns(getOperation(), std::move(patterns));
  }
};
} // namespace
