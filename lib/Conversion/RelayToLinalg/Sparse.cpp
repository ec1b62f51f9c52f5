//===- Sparse.cpp - Lower operators on CSR and BSR matrices to linalg -----===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Row r of a sparse matrix is what `indptr` has between elements r and r + 1:
// positions in `data` and `indices`. All take time in proportion to the number
// of elements that are stored. Rows and columns are checked before; instances
// of a computation that run in parallel cannot end the kernel, and read nothing
// outside whatever the check says.
//
//===----------------------------------------------------------------------===//

#include "Gather.h"
#include "PopulatePatterns.h"
#include "ReductionBuilder.h"
#include "ReshapeBuilder.h"

#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Transforms/DialectConversion.h"
#include "relay-mlir/Dialect/Relay/IR/RelaySparseOps.h"

using namespace mlir;
using namespace mlir::relay;
using namespace mlir::relay::detail;

using Predicate = arith::CmpIPredicate;

//===----------------------------------------------------------------------===//
// Rows of a sparse matrix
//===----------------------------------------------------------------------===//

namespace {

/// The operands data, indices and indptr of an operator, on both sides of the
/// conversion. Positions, and thereby `indices`, are of blocks.
struct SparseOperands {
  SparseOperands(ValueRange relay, ValueRange lowered)
      : data(lowered[0]), indices(lowered[1]), indptr(lowered[2]),
        dataType(getElementType(relay[0])), indexType(getElementType(relay[1])),
        indptrType(getElementType(relay[2])) {}

  Value data, indices, indptr;
  Type dataType, indexType, indptrType;
};

/// A sparse matrix in the body of an opaque computation.
class SparseRows {
public:
  SparseRows(ImplicitLocOpBuilder &builder, const SparseOperands &types,
             Value indices, Value indptr, Value columns)
      : b(builder), types(types), indices(indices), indptr(indptr),
        columns(columns), zero(arith::ConstantIndexOp::create(b, 0)),
        one(arith::ConstantIndexOp::create(b, 1)),
        count(emitSizes(b, indices).front()),
        numRows(arith::SubIOp::create(b, emitSizes(b, indptr).front(), one)) {}

  /// Ends the kernel with an error unless positions increase up to the number
  /// of blocks and all that are in a row are in one of the columns.
  void emitCheck() const;
  /// Loops over the positions of a row, or what is there of it.
  SmallVector<Value>
  emitRow(Value row, ValueRange values,
          llvm::function_ref<SmallVector<Value>(Value position, Value column,
                                                ValueRange values)>
              body) const;

  Value getNumRows() const { return numRows; }
  Value emitBegin(Value row) const {
    Value position = memref::LoadOp::create(b, indptr, row);
    return emitToIndex(b, types.indptrType, position);
  }
  Value emitEnd(Value row) const {
    return emitBegin(arith::AddIOp::create(b, row, one));
  }
  Value emitColumn(Value position) const {
    Value column = memref::LoadOp::create(b, indices, position);
    return emitToIndex(b, types.indexType, column);
  }

private:
  Value compare(Predicate predicate, Value lhs, Value rhs) const {
    return arith::CmpIOp::create(b, predicate, lhs, rhs);
  }
  /// Asserts that `holds` is true of all numbers from `begin` to `end`.
  void emitAssertAll(Value begin, Value end, StringRef message,
                     llvm::function_ref<Value(Value)> holds) const;

  ImplicitLocOpBuilder &b;
  const SparseOperands &types;
  Value indices, indptr, columns, zero, one, count, numRows;
};

} // namespace

void SparseRows::emitAssertAll(Value begin, Value end, StringRef message,
                               llvm::function_ref<Value(Value)> holds) const {
  Value isTrue = arith::ConstantOp::create(b, b.getBoolAttr(true));
  Value all =
      emitLoop(b, begin, end, isTrue, [&](Value index, ValueRange values) {
        return SmallVector<Value>{
            arith::AndIOp::create(b, values.front(), holds(index))};
      }).front();
  cf::AssertOp::create(b, all, message);
}

void SparseRows::emitCheck() const {
  Value begin = emitBegin(zero), end = emitBegin(numRows);
  Value isInside =
      arith::AndIOp::create(b, compare(Predicate::sge, begin, zero),
                            compare(Predicate::sle, end, count));
  cf::AssertOp::create(b, isInside, "expects rows within the data");
  emitAssertAll(zero, numRows, "expects increasing positions of rows",
                [&](Value row) {
                  return compare(Predicate::sle, emitBegin(row), emitEnd(row));
                });
  emitAssertAll(begin, end, "expects sparse indices within the columns",
                [&](Value position) {
                  return compare(Predicate::ult, emitColumn(position), columns);
                });
}

SmallVector<Value> SparseRows::emitRow(
    Value row, ValueRange values,
    llvm::function_ref<SmallVector<Value>(Value, Value, ValueRange)> body)
    const {
  auto clamp = [&](Value position, Value most) -> Value {
    return arith::MaxSIOp::create(b, arith::MinSIOp::create(b, position, most),
                                  zero);
  };
  // Without columns there is nothing to read.
  Value most = arith::SelectOp::create(
      b, compare(Predicate::sgt, columns, zero), count, zero);
  return emitLoop(b, clamp(emitBegin(row), most), clamp(emitEnd(row), most),
                  values, [&](Value position, ValueRange carried) {
                    Value column = emitClamp(b, emitColumn(position), columns);
                    return body(position, column, carried);
                  });
}

/// Asserts what is expected of the sizes of a sparse matrix.
static void assertSizes(LinalgBuilder &b, const SparseOperands &sparse) {
  b.assertEqual(b.getSize(sparse.data, 0), b.getSize(sparse.indices, 0),
                "expects an index for each element of the sparse data");
  b.assertAtLeast(b.getSize(sparse.indptr, 0), 1,
                  "expects one more element of indptr than there are rows");
}

/// The check, before the loops, of a sparse matrix that is multiplied with, or
/// added to, the matrix `dense`: of as many columns, in blocks of
/// `blockColumns`.
static void buildCheck(LinalgBuilder &b, const SparseOperands &sparse,
                       Value dense, OpFoldResult blockColumns) {
  assertSizes(b, sparse);
  Value columns = arith::IndexCastOp::create(
      b, b.getI64Type(),
      b.toValue(b.floorDiv(b.getSize(dense, 1), blockColumns)));
  Value number = tensor::FromElementsOp::create(b, ValueRange(columns));
  b.opaque((b.getBlockName() + "_check").str(), /*along=*/{},
           {sparse.indices, sparse.indptr, number}, /*destinations=*/{},
           [&](ImplicitLocOpBuilder &body, ValueRange, ValueRange inputs,
               ValueRange) {
             Value first = arith::ConstantIndexOp::create(body, 0);
             Value size = memref::LoadOp::create(body, inputs[2], first);
             SparseRows(body, sparse, inputs[0], inputs[1],
                        emitToIndex(body, body.getI64Type(), size))
                 .emitCheck();
           });
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

namespace {

/// sums(block row, part, row, m) = sum over the blocks of the block row and
/// their columns of block(row, column) * dense(column, m)
///
/// Runs along m stay in registers, those of all rows of a part at once.
class SparseProduct {
public:
  /// In the body of an opaque computation. `data` is (blocks, parts, rows,
  /// columns); a part has `numRows` rows.
  SparseProduct(ImplicitLocOpBuilder &builder, const SparseRows &rows,
                Value data, Type dataType, Value dense, Value sums, Type type,
                int64_t numRows)
      : b(builder), rows(rows), math(builder, type), data(data),
        dataType(dataType), dense(dense), sums(sums), numRows(numRows) {}

  void emit(Value blockRow, Value part);

private:
  static constexpr int64_t kVectorBits = 256;
  /// How many vectors are summed at once.
  static constexpr int64_t kNumSums = 8;

  /// Sums for `numVectors` vectors of `lanes` elements from `column` on; a
  /// vector of one lane is a scalar.
  void emitRun(Value blockRow, Value part, Value column, int64_t numVectors,
               int64_t lanes);
  /// Runs over all columns from `begin` on that there are whole runs for;
  /// returns the first column behind.
  Value emitRuns(Value blockRow, Value part, Value begin, int64_t numVectors,
                 int64_t lanes);

  Value index(int64_t value) {
    return arith::ConstantIndexOp::create(b, value);
  }

  ImplicitLocOpBuilder &b;
  const SparseRows &rows;
  ElementMath math;
  Value data;
  Type dataType;
  Value dense, sums;
  int64_t numRows;
};

} // namespace

void SparseProduct::emit(Value blockRow, Value part) {
  Type type = math.getStorageType();
  Value column = index(0);
  if (!type.isInteger(1)) {
    int64_t lanes = kVectorBits / type.getIntOrFloatBitWidth();
    int64_t numVectors = std::max<int64_t>(1, kNumSums / numRows);
    if (numVectors > 1)
      column = emitRuns(blockRow, part, column, numVectors, lanes);
    column = emitRuns(blockRow, part, column, 1, lanes);
  }
  emitRuns(blockRow, part, column, 1, 1);
}

Value SparseProduct::emitRuns(Value blockRow, Value part, Value begin,
                              int64_t numVectors, int64_t lanes) {
  Value width = index(numVectors * lanes);
  Value size = emitSizes(b, dense)[1];
  Value numRuns =
      arith::DivUIOp::create(b, arith::SubIOp::create(b, size, begin), width);
  emitLoop(b, index(0), numRuns, {}, [&](Value run, ValueRange) {
    Value offset = arith::MulIOp::create(b, run, width);
    emitRun(blockRow, part, arith::AddIOp::create(b, begin, offset), numVectors,
            lanes);
    return SmallVector<Value>();
  });
  return arith::AddIOp::create(b, begin,
                               arith::MulIOp::create(b, numRuns, width));
}

void SparseProduct::emitRun(Value blockRow, Value part, Value column,
                            int64_t numVectors, int64_t lanes) {
  Type type = math.getStorageType();
  bool isScalar = lanes == 1;
  Type runType = isScalar ? type : VectorType::get(lanes, type);
  auto splat = [&](Value value) -> Value {
    if (isScalar)
      return value;
    return vector::BroadcastOp::create(b, runType, value);
  };
  SmallVector<Value> columns;
  for (int64_t i = 0; i < numVectors; ++i)
    columns.push_back(arith::AddIOp::create(b, column, index(i * lanes)));
  SmallVector<Value> zeros(numRows * numVectors, splat(math.zero()));
  Value blockColumns = emitSizes(b, data)[3];

  auto multiply = [&](Value position, Value inBlock, Value row,
                      ValueRange carried) {
    SmallVector<Value> runs, results;
    for (Value at : columns) {
      SmallVector<Value> indices = {row, at};
      runs.push_back(isScalar
                         ? memref::LoadOp::create(b, dense, indices).getResult()
                         : vector::LoadOp::create(b, cast<VectorType>(runType),
                                                  dense, indices)
                               .getResult());
    }
    for (int64_t i = 0; i < numRows; ++i) {
      Value element = memref::LoadOp::create(
          b, data, ValueRange{position, part, index(i), inBlock});
      Value factor = splat(math.convertFrom(dataType, element));
      for (Value run : runs)
        results.push_back(
            math.add(carried[results.size()], math.mul(factor, run)));
    }
    return results;
  };
  SmallVector<Value> results = rows.emitRow(
      blockRow, zeros,
      [&](Value position, Value blockColumn, ValueRange carried) {
        Value first = arith::MulIOp::create(b, blockColumn, blockColumns);
        return emitLoop(b, index(0), blockColumns, carried,
                        [&](Value inBlock, ValueRange inner) {
                          return multiply(
                              position, inBlock,
                              arith::AddIOp::create(b, first, inBlock), inner);
                        });
      });
  for (auto [i, value] : llvm::enumerate(results)) {
    SmallVector<Value> indices = {blockRow, part, index(i / numVectors),
                                  columns[i % numVectors]};
    if (isScalar)
      memref::StoreOp::create(b, value, sums, indices);
    else
      vector::StoreOp::create(b, value, sums, indices);
  }
}

/// The largest number of rows of a block, up to 8, that divides all of them.
static int64_t getRowsAtOnce(int64_t blockRows) {
  if (ShapedType::isDynamic(blockRows))
    return 1;
  for (int64_t rows : {8, 7, 6, 5, 4, 3, 2})
    if (blockRows >= rows && blockRows % rows == 0)
      return rows;
  return 1;
}

namespace {

/// dense * sparse^T, or sparse * dense^T
template <typename OpT>
struct SparseDenseToLinalg : OpConversionPattern<OpT> {
  using OpConversionPattern<OpT>::OpConversionPattern;

  LogicalResult
  matchAndRewrite(OpT op, typename OpT::Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    LinalgBuilder b(rewriter, op);
    SparseOperands sparse(op->getOperands().drop_front(),
                          adaptor.getOperands().drop_front());
    Type type = getElementType(op.getResult());
    Type sumType = getAccumulatorType(type);
    // A CSR matrix has blocks of one element.
    if (cast<RankedTensorType>(sparse.data.getType()).getRank() == 1)
      sparse.data = buildExpandDims(b, sparse.data, {1, 2});
    SmallVector<OpFoldResult> blockSizes = b.getSizes(sparse.data);
    for (OpFoldResult size : ArrayRef(blockSizes).drop_front()) {
      if (isZeroInteger(size))
        return rewriter.notifyMatchFailure(op, [&](Diagnostic &diagnostic) {
          diagnostic << "expects blocks with elements, but got "
                     << op->getOperand(1).getType();
        });
      b.assertAtLeast(size, 1, "expects blocks with elements");
    }
    int64_t numRows = getRowsAtOnce(
        cast<RankedTensorType>(sparse.data.getType()).getDimSize(1));
    OpFoldResult parts = b.floorDiv(blockSizes[1], b.getIndexAttr(numRows));
    Value data = buildSplit(
        b, sparse.data, {{0}, {1, 2}, {3}},
        {blockSizes[0], parts, b.getIndexAttr(numRows), blockSizes[2]});

    Value dense = adaptor.getOperands().front();
    buildCheck(b, sparse, dense, blockSizes[2]);
    Value columns = b.elements(
        "columns", {{dense, b.select(2, {1, 0})}},
        {b.getSize(dense, 1), b.getSize(dense, 0)}, getSignless(sumType),
        [&](ImplicitLocOpBuilder &body, ValueRange args) {
          return ElementMath(body, sumType).convertFrom(type, args[0]);
        });
    OpFoldResult blockRows = b.apply(b.dim(0) - 1, b.getSize(sparse.indptr, 0));
    Value sums = b.empty(
        {blockRows, parts, b.getIndexAttr(numRows), b.getSize(dense, 0)},
        getSignless(sumType));
    auto emit = [&](ImplicitLocOpBuilder &body, ValueRange position,
                    ValueRange inputs, ValueRange destinations) {
      Value numColumns = arith::DivUIOp::create(
          body, emitSizes(body, inputs[3])[0], emitSizes(body, inputs[0])[3]);
      SparseRows rows(body, sparse, inputs[1], inputs[2], numColumns);
      SparseProduct(body, rows, inputs[0], sparse.dataType, inputs[3],
                    destinations[0], sumType, numRows)
          .emit(position[0], position[1]);
    };
    sums = b.opaque(b.getBlockName(), /*along=*/{0, 1},
                    {data, sparse.indices, sparse.indptr, columns}, sums, emit)
               .front();
    rewriter.replaceOp(op,
                       finish(b, op, buildMerge(b, sums, {{0, 1, 2}, {3}})));
    return success();
  }

private:
  /// Sums (sparse row, dense row) as the result.
  Value finish(LinalgBuilder &b, OpT op, Value sums) const {
    auto type = cast<RankedTensorType>(
        this->getTypeConverter()->convertType(op->getResult(0).getType()));
    if (op.getSparseLhs())
      return b.castTo(buildNarrow(b, (b.getBlockName() + "_round").str(), sums,
                                  type.getElementType()),
                      type);
    Type elementType = getElementType(op.getResult());
    Value result = b.elements(
        (b.getBlockName() + "_rows").str(), {{sums, b.select(2, {1, 0})}},
        LinalgBuilder::refine({b.getSize(sums, 1), b.getSize(sums, 0)}, type),
        type.getElementType(),
        [&](ImplicitLocOpBuilder &body, ValueRange args) {
          return ElementMath(body, elementType).narrow(args[0]);
        });
    return b.castTo(result, type);
  }
};

//===----------------------------------------------------------------------===//
// Sums
//===----------------------------------------------------------------------===//

/// Each row of the sparse matrix meets that of a copy of the dense one.
struct SparseAddToLinalg : OpConversionPattern<NNSparseAddOp> {
  using Base::Base;

  LogicalResult
  matchAndRewrite(NNSparseAddOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    LinalgBuilder b(rewriter, op);
    SparseOperands sparse(op.getOperands().drop_front(),
                          adaptor.getOperands().drop_front());
    Value dense = adaptor.getDenseData();
    b.assertEqual(b.apply(b.dim(0) - 1, b.getSize(sparse.indptr, 0)),
                  b.getSize(dense, 0),
                  "expects as many rows of the sparse matrix as of the dense");
    buildCheck(b, sparse, dense, b.getIndexAttr(1));
    auto emit = [&](ImplicitLocOpBuilder &body, ValueRange position,
                    ValueRange inputs, ValueRange destinations) {
      Value sums = destinations[0];
      SparseRows rows(body, sparse, inputs[1], inputs[2],
                      emitSizes(body, sums)[1]);
      ElementMath math(body, sparse.dataType);
      rows.emitRow(position[0], {}, [&](Value at, Value column, ValueRange) {
        SmallVector<Value> place = {position[0], column};
        Value sum = math.add(memref::LoadOp::create(body, sums, place),
                             memref::LoadOp::create(body, inputs[0], at));
        memref::StoreOp::create(body, sum, sums, place);
        return SmallVector<Value>();
      });
    };
    rewriter.replaceOp(op,
                       b.opaque(b.getBlockName(), /*along=*/0,
                                {sparse.data, sparse.indices, sparse.indptr},
                                dense, emit));
    return success();
  }
};

//===----------------------------------------------------------------------===//
// Transposes
//===----------------------------------------------------------------------===//

/// Counts the elements of each column, then puts row by row where columns
/// begin.
struct SparseTransposeToLinalg : OpConversionPattern<NNSparseTransposeOp> {
  using Base::Base;

  LogicalResult
  matchAndRewrite(NNSparseTransposeOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    LinalgBuilder b(rewriter, op);
    SparseOperands sparse(op.getOperands(), adaptor.getOperands());
    assertSizes(b, sparse);
    SmallVector<Value> destinations;
    for (Value operand : adaptor.getOperands())
      destinations.push_back(
          b.empty(b.getSizes(operand), getElementType(operand)));
    // Scratch memory: where the next element of each column goes.
    destinations.push_back(
        b.filled(b.getSizes(sparse.indptr), b.getI64IntegerAttr(0), "next"));
    SmallVector<Value> results = b.opaque(
        b.getBlockName(), /*along=*/{}, adaptor.getOperands(), destinations,
        [&](ImplicitLocOpBuilder &body, ValueRange, ValueRange inputs,
            ValueRange outputs) { emit(body, sparse, inputs, outputs); });
    results.pop_back();
    rewriter.replaceOpWithMultiple(op, {results});
    return success();
  }

private:
  static void emit(ImplicitLocOpBuilder &b, const SparseOperands &sparse,
                   ValueRange inputs, ValueRange outputs) {
    Value zero = arith::ConstantIndexOp::create(b, 0);
    Value one = arith::ConstantIndexOp::create(b, 1);
    Value size = arith::SubIOp::create(b, emitSizes(b, inputs[2]).front(), one);
    SparseRows rows(b, sparse, inputs[1], inputs[2], size);
    rows.emitCheck();
    // All elements are in a row.
    Value count =
        arith::SubIOp::create(b, rows.emitBegin(size), rows.emitBegin(zero));
    cf::AssertOp::create(b,
                         arith::CmpIOp::create(b, Predicate::eq, count,
                                               emitSizes(b, inputs[0]).front()),
                         "expects all elements in rows");

    Value values = outputs[0], indices = outputs[1], indptr = outputs[2];
    Value next = outputs[3];
    // Returns the next position of a column, which moves on.
    auto advance = [&](Value column) {
      Value position = emitLoadIndex(b, next, column);
      emitStoreIndex(b, arith::AddIOp::create(b, position, one), next, column);
      return position;
    };
    emitLoop(b, zero, count, {}, [&](Value position, ValueRange) {
      advance(rows.emitColumn(position));
      return SmallVector<Value>();
    });
    Value all =
        emitLoop(b, zero, size, zero, [&](Value column, ValueRange carried) {
          Value begin = carried.front();
          Value own = emitLoadIndex(b, next, column);
          emitStoreIndex(b, begin, indptr, column);
          emitStoreIndex(b, begin, next, column);
          return SmallVector<Value>{arith::AddIOp::create(b, begin, own)};
        }).front();
    emitStoreIndex(b, all, indptr, size);
    emitLoop(b, zero, size, {}, [&](Value row, ValueRange) {
      rows.emitRow(row, {}, [&](Value position, Value column, ValueRange) {
        Value target = advance(column);
        memref::StoreOp::create(
            b, memref::LoadOp::create(b, inputs[0], position), values, target);
        emitStoreIndex(b, row, indices, target);
        return SmallVector<Value>();
      });
      return SmallVector<Value>();
    });
  }
};

} // namespace

void mlir::relay::detail::populateSparsePatterns(const TypeConverter &converter,
                                                 RewritePatternSet &patterns) {
  patterns.add<SparseAddToLinalg, SparseDenseToLinalg<NNSparseDenseOp>,
               SparseDenseToLinalg<NNInternalSparseDensePaddedOp>,
               SparseTransposeToLinalg>(converter, patterns.getContext());
}
