//===- HalfProducts.cpp - Products of bf16 by tensor cores ----------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HalfProducts.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mlir::cuda;

/// The pairs of a fragment as the registers that PTX wants.
static SmallVector<Value> getRegisters(OpBuilder &builder, Location loc,
                                       Value fragment) {
  auto i32x1 = VectorType::get(1, builder.getI32Type());
  SmallVector<Value> registers;
  int64_t count = cast<VectorType>(fragment.getType()).getDimSize(0);
  for (int64_t i = 0; i != count; ++i) {
    Value pair =
        vector::ExtractOp::create(builder, loc, fragment, ArrayRef<int64_t>{i});
    Value bits = vector::BitCastOp::create(builder, loc, i32x1, pair);
    registers.push_back(
        vector::ExtractOp::create(builder, loc, bits, ArrayRef<int64_t>{0}));
  }
  return registers;
}

static void lower(nvgpu::MmaSyncOp op) {
  OpBuilder builder(op);
  Location loc = op.getLoc();
  auto sumType = cast<VectorType>(op.getMatrixC().getType());
  SmallVector<Value> sums;
  for (int64_t row = 0; row != sumType.getDimSize(0); ++row)
    for (int64_t column = 0; column != sumType.getDimSize(1); ++column)
      sums.push_back(vector::ExtractOp::create(builder, loc, op.getMatrixC(),
                                               ArrayRef<int64_t>{row, column}));
  SmallVector<Type> types(sums.size(), sumType.getElementType());
  auto result = LLVM::LLVMStructType::getLiteral(builder.getContext(), types);
  SmallVector<int64_t> shape = llvm::map_to_vector(
      op.getMmaShape().getAsValueRange<IntegerAttr>(),
      [](const APInt &size) { return size.getSExtValue(); });
  Value product = NVVM::MmaOp::create(
      builder, loc, result, getRegisters(builder, loc, op.getMatrixA()),
      getRegisters(builder, loc, op.getMatrixB()), sums, shape,
      /*b1Op=*/std::nullopt, /*intOverflow=*/std::nullopt,
      std::array{NVVM::MMATypes::bf16, NVVM::MMATypes::bf16},
      std::array{NVVM::MMALayout::row, NVVM::MMALayout::col});
  SmallVector<Value> elements;
  for (int64_t i = 0, e = types.size(); i != e; ++i)
    elements.push_back(LLVM::ExtractValueOp::create(builder, loc, product, i));
  op.replaceAllUsesWith(
      vector::FromElementsOp::create(builder, loc, sumType, elements)
          .getResult());
  op.erase();
}

void mlir::cuda::lowerBF16Products(gpu::GPUModuleOp module) {
  SmallVector<nvgpu::MmaSyncOp> products;
  module.walk([&](nvgpu::MmaSyncOp op) {
    if (cast<VectorType>(op.getMatrixA().getType()).getElementType().isBF16())
      products.push_back(op);
  });
  for (nvgpu::MmaSyncOp op : products)
    lower(op);
}
