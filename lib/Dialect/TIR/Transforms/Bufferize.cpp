//===- Bufferize.cpp - Opaque computations as loops over buffers ----------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For pipelines of upstream MLIR, which take linalg down to loops by
// one-shot-bufferize. The project's own goes through tir (LinalgToTIR).
//
//===----------------------------------------------------------------------===//

#include "relay-mlir/Dialect/TIR/Transforms/Bufferize.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/BufferizableOpInterface.h"
#include "mlir/Dialect/Bufferization/IR/DstBufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "relay-mlir/Dialect/TIR/IR/TIR.h"

using namespace mlir;
using namespace mlir::tir;
using namespace mlir::bufferization;

/// A copy of `buffer` without gaps between its rows.
static FailureOr<Value> copyRows(OpBuilder &builder, Location loc, Value buffer,
                                 MemRefType type,
                                 const BufferizationOptions &options) {
  SmallVector<Value> sizes;
  for (auto [dim, size] : llvm::enumerate(type.getShape()))
    if (ShapedType::isDynamic(size))
      sizes.push_back(memref::DimOp::create(builder, loc, buffer, dim));
  FailureOr<Value> copy = options.createAlloc(builder, loc, type, sizes);
  if (succeeded(copy) &&
      failed(options.createMemCpy(builder, loc, buffer, *copy)))
    return failure();
  return copy;
}

namespace {

struct OpaqueOpInterface
    : DstBufferizableOpInterfaceExternalModel<OpaqueOpInterface, OpaqueOp> {
  LogicalResult bufferize(Operation *op, RewriterBase &rewriter,
                          const BufferizationOptions &options,
                          BufferizationState &state) const {
    auto opaque = cast<OpaqueOp>(op);
    Location loc = op->getLoc();
    OpBuilder::InsertionGuard guard(rewriter);
    rewriter.setInsertionPoint(op);
    IRMapping mapping;
    SmallVector<Value> results;
    for (OpOperand &operand : op->getOpOperands()) {
      unsigned number = operand.getOperandNumber();
      FailureOr<Value> buffer =
          getBuffer(rewriter, operand.get(), options, state);
      if (failed(buffer))
        return failure();
      Value arg =
          opaque.getBody()->getArgument(opaque.getAlong().size() + number);
      // The body indexes rows without gaps.
      if (buffer->getType() != arg.getType()) {
        if (opaque.isDpsInit(&operand))
          return op->emitOpError("expects a destination in a buffer of type ")
                 << arg.getType() << ", but got " << buffer->getType();
        buffer = copyRows(rewriter, loc, *buffer,
                          cast<MemRefType>(arg.getType()), options);
        if (failed(buffer))
          return failure();
      }
      mapping.map(arg, *buffer);
      if (opaque.isDpsInit(&operand))
        results.push_back(*buffer);
    }

    Value zero = arith::ConstantIndexOp::create(rewriter, loc, 0);
    Value one = arith::ConstantIndexOp::create(rewriter, loc, 1);
    for (auto [dim, arg] :
         llvm::zip_equal(opaque.getAlong(), opaque.getIndexArgs())) {
      Value size = memref::DimOp::create(rewriter, loc, results.front(), dim);
      auto loop = scf::ForOp::create(rewriter, loc, zero, size, one);
      mapping.map(arg, loop.getInductionVar());
      rewriter.setInsertionPointToStart(loop.getBody());
    }
    for (Operation &nested : opaque.getBody()->without_terminator())
      rewriter.clone(nested, mapping);
    replaceOpWithBufferizedValues(rewriter, op, results);
    return success();
  }
};

} // namespace

void mlir::tir::registerBufferizableOpInterfaceExternalModels(
    DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, TIRDialect *) {
    OpaqueOp::attachInterface<OpaqueOpInterface>(*context);
    context->loadDialect<arith::ArithDialect, memref::MemRefDialect,
                         scf::SCFDialect>();
  });
}
