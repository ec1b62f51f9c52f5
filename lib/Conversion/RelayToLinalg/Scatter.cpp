//===- Scatter.cpp - Lower scatters to linalg -----------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The updates meet a copy of the data one after the other, in row-major order:
// where several name an element, the last one counts, as do all that are added.
// Before the first one is made, all indices are checked.
//
//===----------------------------------------------------------------------===//

#include "ElementMath.h"
#include "Gather.h"
#include "PopulatePatterns.h"
#include "SizeReader.h"

#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Transforms/DialectConversion.h"
#include "relay-mlir/Dialect/Relay/IR/Relay.h"
#include "relay-mlir/Dialect/Relay/IR/RelayDynOps.h"
#include "relay-mlir/Dialect/Relay/IR/RelaySparseOps.h"

using namespace mlir;
using namespace mlir::relay;
using namespace mlir::relay::detail;

/// How an update meets what is there, or null for an unknown mode.
using Meet = Value (*)(const ElementMath &, Value present, Value update);

static Meet getMeet(StringRef mode) {
  if (mode == "update")
    return [](const ElementMath &, Value, Value update) { return update; };
  if (mode == "add")
    return [](const ElementMath &math, Value present, Value update) {
      return math.add(present, update);
    };
  if (mode == "mul")
    return [](const ElementMath &math, Value present, Value update) {
      return math.mul(present, update);
    };
  if (mode == "min")
    return [](const ElementMath &math, Value present, Value update) {
      return math.min(present, update);
    };
  if (mode == "max")
    return [](const ElementMath &math, Value present, Value update) {
      return math.max(present, update);
    };
  if (mode == "mean")
    return [](const ElementMath &math, Value present, Value update) {
      Type type = math.getType(), wideType = getAverageType(type);
      ElementMath wide(math.getBuilder(), wideType);
      Value sum = wide.add(wide.convertFrom(type, present),
                           wide.convertFrom(type, update));
      return math.convertFrom(wideType, wide.div(sum, wide.number(2)));
    };
  return nullptr;
}

namespace {

/// Where a scatter writes, in the body of an opaque computation.
class ScatterTarget {
public:
  ScatterTarget(ImplicitLocOpBuilder &builder, Value buffer, Type elementType,
                Meet meet)
      : b(builder), buffer(buffer), math(builder, elementType), meet(meet),
        sizes(emitSizes(builder, buffer)) {}

  /// The position along `dim` that `index`, of the relay type `type`, names;
  /// negative ones count from the end.
  Value emitPosition(Type type, Value index, int64_t dim) const {
    return emitFromEnd(b, emitToIndex(b, type, index), sizes[dim]);
  }

  void emitUpdate(Value update, ValueRange position) const {
    Value present = memref::LoadOp::create(b, buffer, position);
    memref::StoreOp::create(b, meet(math, present, update), buffer, position);
  }

  ArrayRef<Value> getSizes() const { return sizes; }

private:
  ImplicitLocOpBuilder &b;
  Value buffer;
  ElementMath math;
  Meet meet;
  SmallVector<Value> sizes;
};

/// Loops over the updates.
struct ScatterElementsToLinalg : OpConversionPattern<ScatterElementsOp> {
  using Base::Base;

  LogicalResult
  matchAndRewrite(ScatterElementsOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Meet meet = getMeet(op.getReduction());
    if (!meet)
      return rewriter.notifyMatchFailure(
          op, "expects reduction update, add, mul, mean, min or max, but got " +
                  op.getReduction());
    auto type = getTensorType(op.getData());
    int64_t axis = normalizeAxis(op.getAxis(), type.getRank());
    Type indexType = getTensorType(op.getIndices()).getElementType();

    LinalgBuilder b(rewriter, op);
    // Updates may cover only the beginning of the other axes.
    for (int64_t dim = 0; dim < type.getRank(); ++dim)
      if (dim != axis)
        b.assertAtLeast(b.getSize(adaptor.getData(), dim),
                        b.getSize(adaptor.getIndices(), dim),
                        "expects indices within the data");
    assertNotEmpty(b, adaptor.getData(), axis, adaptor.getIndices());
    // Updates are as many as indices; the data may be larger.
    int64_t rank = type.getRank();
    SmallVector<AffineExpr> dataSizes;
    for (int64_t dim = 0; dim < rank; ++dim)
      dataSizes.push_back(b.dim(rank + dim));
    SmallVector<int64_t> updateSizes =
        llvm::to_vector(llvm::seq<int64_t>(0, rank));
    SmallVector<AffineMap> sizes(2, b.select(2 * rank, updateSizes));
    sizes.push_back(b.map(2 * rank, dataSizes));
    auto emit = [&](ImplicitLocOpBuilder &body, ValueRange, ValueRange inputs,
                    ValueRange destinations) {
      ScatterTarget target(body, destinations.front(), type.getElementType(),
                           meet);
      emitIndexCheck(body, inputs[0], indexType, target.getSizes()[axis]);
      emitLoops(body, emitSizes(body, inputs[0]), [&](ValueRange source) {
        SmallVector<Value> position = llvm::to_vector(source);
        Value index = memref::LoadOp::create(body, inputs[0], source);
        position[axis] = target.emitPosition(indexType, index, axis);
        target.emitUpdate(memref::LoadOp::create(body, inputs[1], source),
                          position);
      });
    };
    rewriter.replaceOp(op,
                       b.opaque(b.getBlockName(), /*along=*/{},
                                {adaptor.getIndices(), adaptor.getUpdates()},
                                adaptor.getData(), emit, sizes));
    return success();
  }
};

/// Loops over the columns of the indices, then over the slice that each names.
struct ScatterNdToLinalg : OpConversionPattern<ScatterNdOp> {
  using Base::Base;

  LogicalResult
  matchAndRewrite(ScatterNdOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Meet meet = op.getMode() == "mean" ? nullptr : getMeet(op.getMode());
    if (!meet)
      return rewriter.notifyMatchFailure(
          op,
          "expects mode update, add, mul, min or max, but got " + op.getMode());
    if (getTensorType(adaptor.getIndices()).isDynamicDim(0))
      return rewriter.notifyMatchFailure(op, [&](Diagnostic &diagnostic) {
        diagnostic << "expects a first dimension of indices that is known when "
                      "it is compiled, but got "
                   << adaptor.getIndices().getType();
      });
    int64_t depth = getTensorType(adaptor.getIndices()).getDimSize(0);
    Type indexType = getTensorType(op.getIndices()).getElementType();
    Type elementType = getTensorType(op.getData()).getElementType();

    LinalgBuilder b(rewriter, op);
    for (int64_t dim = 0; dim < depth; ++dim)
      assertNotEmpty(b, adaptor.getData(), dim, adaptor.getIndices());
    // The updates have a slice of the data for each column of the indices.
    int64_t numColumns = getTensorType(adaptor.getIndices()).getRank() - 1;
    int64_t updateRank = getTensorType(adaptor.getUpdates()).getRank();
    int64_t numSizes = updateRank + 1 + depth;
    SmallVector<AffineExpr> all, indexSizes, dataSizes;
    indexSizes.push_back(b.dim(updateRank));
    for (int64_t dim = 0; dim < depth; ++dim)
      dataSizes.push_back(b.dim(updateRank + 1 + dim));
    for (int64_t dim = 0; dim < updateRank; ++dim) {
      all.push_back(b.dim(dim));
      (dim < numColumns ? indexSizes : dataSizes).push_back(b.dim(dim));
    }
    SmallVector<AffineMap> sizes = {b.map(numSizes, indexSizes),
                                    b.map(numSizes, all),
                                    b.map(numSizes, dataSizes)};
    auto emit = [&](ImplicitLocOpBuilder &body, ValueRange, ValueRange inputs,
                    ValueRange destinations) {
      ScatterTarget target(body, destinations.front(), elementType, meet);
      emitIndexCheck(body, inputs[0], indexType,
                     target.getSizes().take_front(depth));
      SmallVector<Value> columns =
          llvm::to_vector(llvm::drop_begin(emitSizes(body, inputs[0])));
      emitLoops(body, columns, [&](ValueRange column) {
        SmallVector<Value> position;
        for (int64_t row = 0; row < depth; ++row) {
          SmallVector<Value> source = {
              arith::ConstantIndexOp::create(body, row)};
          llvm::append_range(source, column);
          Value index = memref::LoadOp::create(body, inputs[0], source);
          position.push_back(target.emitPosition(indexType, index, row));
        }
        emitLoops(body, target.getSizes().drop_front(depth),
                  [&](ValueRange slice) {
                    SmallVector<Value> source = llvm::to_vector(column);
                    SmallVector<Value> where = position;
                    llvm::append_range(source, slice);
                    llvm::append_range(where, slice);
                    target.emitUpdate(
                        memref::LoadOp::create(body, inputs[1], source), where);
                  });
      });
    };
    rewriter.replaceOp(op,
                       b.opaque(b.getBlockName(), /*along=*/{},
                                {adaptor.getIndices(), adaptor.getUpdates()},
                                adaptor.getData(), emit, sizes));
    return success();
  }
};

/// sparse_to_dense, dyn.sparse_to_dense: the default value everywhere, then
/// one value after the other.
template <typename OpT>
struct SparseToDenseToLinalg : OpConversionPattern<OpT> {
  using OpConversionPattern<OpT>::OpConversionPattern;

  LogicalResult
  matchAndRewrite(OpT op, typename OpT::Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    auto type =
        this->getTypeConverter()->template convertType<RankedTensorType>(
            op.getType());
    int64_t rank = type.getRank();
    Value indices = adaptor.getSparseIndices();
    Value values = adaptor.getSparseValues();
    Type indexType = getTensorType(op.getSparseIndices()).getElementType();
    LinalgBuilder b(rewriter, op);
    FailureOr<SmallVector<OpFoldResult>> sizes =
        readShape(rewriter, b, op, adaptor);
    if (failed(sizes))
      return failure();
    int64_t indexRank = getTensorType(indices).getRank();
    if (indexRank == 2)
      b.assertEqual(b.getSize(indices, 1), b.getIndexAttr(rank),
                    "expects an index for each dimension");
    if (getTensorType(values).getRank() == 1)
      b.assertEqual(b.getSize(values, 0),
                    indexRank ? b.getSize(indices, 0) : b.getIndexAttr(1),
                    "expects a value for each position");
    Value filled = b.elements(
        (b.getBlockName() + "_default").str(),
        {{adaptor.getDefaultValue(), b.map(rank, {})}}, *sizes,
        type.getElementType(),
        [](ImplicitLocOpBuilder &, ValueRange args) { return args[0]; });
    auto emit = [&](ImplicitLocOpBuilder &body, ValueRange, ValueRange inputs,
                    ValueRange destinations) {
      SmallVector<Value> limits = emitSizes(body, destinations[0]);
      SmallVector<Value> space = emitSizes(body, inputs[0]);
      auto load = [&](ValueRange number, int64_t dim) {
        SmallVector<Value> source = llvm::to_vector(number);
        if (indexRank == 2)
          source.push_back(arith::ConstantIndexOp::create(body, dim));
        return emitToIndex(body, indexType,
                           memref::LoadOp::create(body, inputs[0], source));
      };
      ValueRange numbers = ValueRange(space).take_front(1);
      for (int64_t dim = 0; dim < rank; ++dim) {
        Value areWithin = emitAll(body, numbers, [&](ValueRange number) {
          return emitIsWithin(body, load(number, dim), limits[dim]);
        });
        cf::AssertOp::create(body, areWithin,
                             "expects indices within the result");
      }
      bool hasValues = cast<ShapedType>(inputs[1].getType()).getRank() == 1;
      emitLoops(body, numbers, [&](ValueRange number) {
        SmallVector<Value> position, source;
        for (int64_t dim = 0; dim < rank; ++dim)
          position.push_back(load(number, dim));
        if (hasValues)
          source.push_back(number.empty()
                               ? arith::ConstantIndexOp::create(body, 0)
                               : number.front());
        memref::StoreOp::create(body,
                                memref::LoadOp::create(body, inputs[1], source),
                                destinations[0], position);
      });
    };
    Value result = b.opaque(b.getBlockName(), /*along=*/{}, {indices, values},
                            filled, emit)
                       .front();
    rewriter.replaceOp(op, b.castTo(result, type));
    return success();
  }

private:
  static FailureOr<SmallVector<OpFoldResult>>
  readShape(ConversionPatternRewriter &, LinalgBuilder &b, SparseToDenseOp op,
            SparseToDenseOp::Adaptor) {
    return getAsIndexOpFoldResult(b.getContext(), op.getOutputShape());
  }
  static FailureOr<SmallVector<OpFoldResult>>
  readShape(ConversionPatternRewriter &rewriter, LinalgBuilder &b,
            DynSparseToDenseOp op, DynSparseToDenseOp::Adaptor adaptor) {
    return SizeReader(rewriter, b, op)
        .read(adaptor.getOutputShape(), "output_shape");
  }
};

} // namespace

void mlir::relay::detail::populateScatterPatterns(
    const TypeConverter &converter, RewritePatternSet &patterns) {
  patterns.add<ScatterElementsToLinalg, ScatterNdToLinalg,
               SparseToDenseToLinalg<DynSparseToDenseOp>,
               SparseToDenseToLinalg<SparseToDenseOp>>(converter,
                                                       patterns.getContext());
}
