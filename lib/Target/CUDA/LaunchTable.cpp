//===- LaunchTable.cpp - What the run time starts -------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The run time has no compiler: sizes of grids are expressions in postfix
// notation over the dynamic sizes of a kernel's buffers.
//
//===----------------------------------------------------------------------===//

#include "LaunchTable.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Matchers.h"
#include "relay-mlir/Dialect/TIR/IR/KernelAttributes.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace {

/// Writes values of the host function of one kernel.
class PostfixWriter {
public:
  explicit PostfixWriter(func::FuncOp kernel) : kernel(kernel) {}

  LogicalResult write(Value value) {
    text.clear();
    return append(value);
  }
  StringRef getText() const { return text; }

private:
  void add(const Twine &item) {
    if (!text.empty())
      text += ",";
    text += item.str();
  }
  LogicalResult append(Value value);
  LogicalResult append(AffineExpr expr, unsigned numDims, ValueRange operands);
  /// The results of a map, and the least or the greatest of them.
  LogicalResult append(AffineMap map, ValueRange operands, StringRef join);
  LogicalResult appendBinary(Operation *op, StringRef name) {
    if (failed(append(op->getOperand(0))) || failed(append(op->getOperand(1))))
      return failure();
    add(name);
    return success();
  }

  func::FuncOp kernel;
  std::string text;
};

} // namespace

LogicalResult PostfixWriter::append(AffineExpr expr, unsigned numDims,
                                    ValueRange operands) {
  if (auto constant = dyn_cast<AffineConstantExpr>(expr)) {
    add(Twine(constant.getValue()));
    return success();
  }
  if (auto dim = dyn_cast<AffineDimExpr>(expr))
    return append(operands[dim.getPosition()]);
  if (auto symbol = dyn_cast<AffineSymbolExpr>(expr))
    return append(operands[numDims + symbol.getPosition()]);
  auto binary = cast<AffineBinaryOpExpr>(expr);
  if (failed(append(binary.getLHS(), numDims, operands)) ||
      failed(append(binary.getRHS(), numDims, operands)))
    return failure();
  switch (expr.getKind()) {
  case AffineExprKind::Add:
    add("+");
    return success();
  case AffineExprKind::Mul:
    add("*");
    return success();
  case AffineExprKind::Mod:
    add("mod");
    return success();
  case AffineExprKind::FloorDiv:
    add("floordiv");
    return success();
  default:
    add("ceildiv");
    return success();
  }
}

LogicalResult PostfixWriter::append(AffineMap map, ValueRange operands,
                                    StringRef join) {
  for (auto [index, expr] : llvm::enumerate(map.getResults())) {
    if (failed(append(expr, map.getNumDims(), operands)))
      return failure();
    if (index != 0)
      add(join);
  }
  return success();
}

LogicalResult PostfixWriter::append(Value value) {
  APInt constant;
  if (matchPattern(value, m_ConstantInt(&constant))) {
    add(Twine(constant.getSExtValue()));
    return success();
  }
  Operation *op = value.getDefiningOp();
  if (!op)
    return kernel.emitError("expects the size of a grid to follow from sizes");
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case([&](memref::DimOp dim) -> LogicalResult {
        auto buffer = dyn_cast<BlockArgument>(dim.getSource());
        std::optional<int64_t> index = dim.getConstantIndex();
        if (!buffer || !index)
          return op->emitError("expects the size of a buffer of the kernel");
        unsigned number = 0;
        for (unsigned arg = 0; arg < buffer.getArgNumber(); ++arg)
          number += cast<MemRefType>(kernel.getArgument(arg).getType())
                        .getNumDynamicDims();
        auto type = cast<MemRefType>(buffer.getType());
        if (!type.isDynamicDim(*index)) {
          add(Twine(type.getDimSize(*index)));
          return success();
        }
        add("d" + Twine(number + type.getDynamicDimIndex(*index)));
        return success();
      })
      .Case<arith::AddIOp>([&](auto) { return appendBinary(op, "+"); })
      .Case<arith::SubIOp>([&](auto) { return appendBinary(op, "-"); })
      .Case<arith::MulIOp>([&](auto) { return appendBinary(op, "*"); })
      // Sizes are not negative.
      .Case<arith::DivSIOp, arith::DivUIOp, arith::FloorDivSIOp>(
          [&](auto) { return appendBinary(op, "floordiv"); })
      .Case<arith::CeilDivSIOp, arith::CeilDivUIOp>(
          [&](auto) { return appendBinary(op, "ceildiv"); })
      .Case<arith::RemSIOp, arith::RemUIOp>(
          [&](auto) { return appendBinary(op, "mod"); })
      .Case<arith::MaxSIOp, arith::MaxUIOp>(
          [&](auto) { return appendBinary(op, "max"); })
      .Case<arith::MinSIOp, arith::MinUIOp>(
          [&](auto) { return appendBinary(op, "min"); })
      .Case<arith::IndexCastOp>([&](auto cast) { return append(cast.getIn()); })
      .Case([&](affine::AffineApplyOp apply) {
        return append(apply.getAffineMap(), apply.getMapOperands(), "");
      })
      .Case([&](affine::AffineMinOp min) {
        return append(min.getMap(), min.getOperands(), "min");
      })
      .Case([&](affine::AffineMaxOp max) {
        return append(max.getMap(), max.getOperands(), "max");
      })
      .Default([&](Operation *) {
        return op->emitError("expects the size of a grid to follow from sizes "
                             "of buffers");
      });
}

FailureOr<std::string> mlir::cuda::writeLaunchTable(ModuleOp kernels) {
  std::string table;
  for (auto kernel : kernels.getOps<func::FuncOp>()) {
    if (!kernel->hasAttr(tir::kKernelAttr))
      continue;
    unsigned numDims = 0;
    for (Type type : kernel.getArgumentTypes())
      numDims += cast<MemRefType>(type).getNumDynamicDims();
    table += ("kernel " + kernel.getSymName() + " " +
              Twine(kernel.getNumArguments()) + " " + Twine(numDims) + "\n")
                 .str();
    PostfixWriter writer(kernel);
    for (auto launch : kernel.getOps<gpu::LaunchFuncOp>()) {
      table += "launch " + launch.getKernelName().str();
      gpu::KernelDim3 grid = launch.getGridSizeOperandValues();
      gpu::KernelDim3 block = launch.getBlockSizeOperandValues();
      Value shared = launch.getDynamicSharedMemorySize();
      for (Value value : {grid.x, grid.y, grid.z, block.x, block.y, block.z}) {
        if (failed(writer.write(value)))
          return failure();
        table += " " + writer.getText().str();
      }
      if (shared) {
        if (failed(writer.write(shared)))
          return failure();
        table += " " + writer.getText().str();
      } else {
        table += " 0";
      }
      OperandRange buffers = launch.getKernelOperands();
      if (buffers.size() != kernel.getNumArguments())
        table +=
            " buffers=" +
            llvm::join(llvm::map_range(
                           buffers,
                           [](Value buffer) {
                             return std::to_string(
                                 cast<BlockArgument>(buffer).getArgNumber());
                           }),
                       ",");
      table += "\n";
    }
  }
  return table;
}
