//===- SparseOps.cpp - Types of sparse operators --------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SparseOps.h"

#include "relay-mlir/Dialect/Relay/IR/RelaySparseOps.h"

#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace mlir::relay;
using namespace mlir::relay::detail;

static bool isDynamic(int64_t size) { return ShapedType::isDynamic(size); }

static bool mayEqual(int64_t a, int64_t b) {
  return a == b || isDynamic(a) || isDynamic(b);
}

static RankedTensorType tensorType(Value value) {
  return cast<RankedTensorType>(value.getType());
}

//===----------------------------------------------------------------------===//
// COO
//===----------------------------------------------------------------------===//

LogicalResult SparseToDenseOp::inferReturnTypes(
    MLIRContext *, std::optional<Location> location, Adaptor adaptor,
    SmallVectorImpl<Type> &types) {
  RankedTensorType indices = tensorType(adaptor.getSparseIndices());
  RankedTensorType values = tensorType(adaptor.getSparseValues());
  ArrayRef<int64_t> shape = adaptor.getOutputShape();
  int64_t rank = shape.size();
  if (llvm::any_of(shape, [](int64_t size) { return size < 0; }))
    return emitOptionalError(
        location, "expects sizes not to be negative, but got [", shape, "]");
  if (indices.getRank() > 2 ||
      !mayEqual(indices.getRank() == 2 ? indices.getDimSize(1) : 1, rank))
    return emitOptionalError(location, "expects sparse_indices for ", rank,
                             " dimensions, but got ", indices);
  int64_t count = indices.getRank() ? indices.getDimSize(0) : 1;
  if (values.getRank() > 1 ||
      (values.getRank() == 1 && !mayEqual(values.getDimSize(0), count)))
    return emitOptionalError(location, "expects a value for each of ", indices,
                             ", but got ", values);
  if (failed(checkElementType(location, adaptor.getSparseValues(),
                              adaptor.getDefaultValue(), "default_value")))
    return failure();
  types.push_back(values.clone(shape));
  return success();
}

/// Checks that `indices` is (n, rank) for a `shape` of (rank) sizes.
static LogicalResult checkCoo(std::optional<Location> location, Value indices,
                              Value shape, StringRef name) {
  RankedTensorType type = tensorType(indices);
  if (type.getRank() == 2 &&
      mayEqual(type.getDimSize(1), tensorType(shape).getDimSize(0)))
    return success();
  return emitOptionalError(location, "expects sparse_indices (n, rank) for ",
                           name, " ", shape.getType(), ", but got ", type);
}

LogicalResult SparseFillEmptyRowsOp::inferReturnTypes(
    MLIRContext *context, std::optional<Location> location, Adaptor adaptor,
    SmallVectorImpl<Type> &types) {
  if (failed(checkCoo(location, adaptor.getSparseIndices(),
                      adaptor.getDenseShape(), "dense_shape")))
    return failure();
  RankedTensorType indices = tensorType(adaptor.getSparseIndices());
  RankedTensorType values = tensorType(adaptor.getSparseValues());
  RankedTensorType fill = tensorType(adaptor.getDefaultValue());
  if (!mayEqual(indices.getDimSize(0), values.getDimSize(0)))
    return emitOptionalError(location, "expects a value for each of ", indices,
                             ", but got ", values);
  if (fill.getRank() > 1 ||
      (fill.getRank() == 1 && !mayEqual(fill.getDimSize(0), 1)))
    return emitOptionalError(location,
                             "expects default_value to be a single value, but "
                             "got ",
                             fill);
  constexpr int64_t unknown = ShapedType::kDynamic;
  Type i64 = IntegerType::get(context, 64);
  Type vector = RankedTensorType::get({unknown}, i64);
  types.push_back(TupleType::get(
      context, {RankedTensorType::get({unknown, indices.getDimSize(1)}, i64),
                vector, vector}));
  return success();
}

LogicalResult SparseReshapeOp::inferReturnTypes(
    MLIRContext *context, std::optional<Location> location, Adaptor adaptor,
    SmallVectorImpl<Type> &types) {
  if (failed(checkCoo(location, adaptor.getSparseIndices(),
                      adaptor.getPrevShape(), "prev_shape")))
    return failure();
  RankedTensorType indices = tensorType(adaptor.getSparseIndices());
  RankedTensorType newShape = tensorType(adaptor.getNewShape());
  types.push_back(TupleType::get(
      context, {indices.clone(ArrayRef<int64_t>{indices.getDimSize(0),
                                                newShape.getDimSize(0)}),
                newShape}));
  return success();
}

//===----------------------------------------------------------------------===//
// CSR and BSR
//===----------------------------------------------------------------------===//

namespace {
/// The types of a sparse matrix.
struct SparseType {
  RankedTensorType data, indices, indptr;
};
} // namespace

/// Returns the number of rows; data has rank `ranks`.
static FailureOr<int64_t> inferSparseRows(std::optional<Location> location,
                                          SparseType type, Type elementType,
                                          ArrayRef<int64_t> ranks) {
  std::string rankNames;
  llvm::raw_string_ostream os(rankNames);
  llvm::interleave(ranks, os, " or ");
  auto [data, indices, indptr] = type;
  if (data.getElementType() != elementType)
    return emitOptionalError(location, "expects sparse data of element type ",
                             elementType, ", but got ", data);
  if (!llvm::is_contained(ranks, data.getRank()))
    return emitOptionalError(location, "expects sparse data of rank ",
                             rankNames, ", but got ", data);
  if (!mayEqual(data.getDimSize(0), indices.getDimSize(0)))
    return emitOptionalError(location, "expects an index for each element of ",
                             data, ", but got ", indices);
  int64_t rows = indptr.getDimSize(0);
  if (rows == 0)
    return emitOptionalError(location,
                             "expects indptr to have one element or "
                             "more, but got ",
                             indptr);
  int64_t block = data.getRank() == 1 ? 1 : data.getDimSize(1);
  return isDynamic(rows) || isDynamic(block) ? ShapedType::kDynamic
                                             : (rows - 1) * block;
}

static SparseType getSparseType(ValueRange dataIndicesIndptr) {
  return {tensorType(dataIndicesIndptr[0]), tensorType(dataIndicesIndptr[1]),
          tensorType(dataIndicesIndptr[2])};
}

LogicalResult relay::detail::inferSparseDense(std::optional<Location> location,
                                              ValueRange operands,
                                              bool sparseLhs,
                                              SmallVectorImpl<Type> &types) {
  RankedTensorType dense = tensorType(operands.front());
  if (dense.getRank() != 2)
    return emitOptionalError(location, "expects a dense matrix, but got ",
                             dense);
  FailureOr<int64_t> rows =
      inferSparseRows(location, getSparseType(operands.drop_front()),
                      dense.getElementType(), {1, 3});
  if (failed(rows))
    return failure();
  SmallVector<int64_t> shape = {dense.getDimSize(0), *rows};
  if (sparseLhs)
    std::swap(shape[0], shape[1]);
  types.push_back(dense.clone(shape));
  return success();
}

LogicalResult NNSparseTransposeOp::inferReturnTypes(
    MLIRContext *context, std::optional<Location> location, Adaptor adaptor,
    SmallVectorImpl<Type> &types) {
  SparseType type = getSparseType(adaptor.getOperands());
  if (failed(inferSparseRows(location, type, type.data.getElementType(), {1})))
    return failure();
  types.push_back(
      TupleType::get(context, {type.data, type.indices, type.indptr}));
  return success();
}

LogicalResult relay::detail::checkSparseAdd(std::optional<Location> location,
                                            ValueRange operands) {
  RankedTensorType dense = tensorType(operands.front());
  if (dense.getRank() != 2)
    return emitOptionalError(location, "expects a dense matrix, but got ",
                             dense);
  FailureOr<int64_t> rows =
      inferSparseRows(location, getSparseType(operands.drop_front()),
                      dense.getElementType(), {1});
  if (failed(rows))
    return failure();
  if (!mayEqual(*rows, dense.getDimSize(0)))
    return emitOptionalError(location, "expects a sparse matrix of ",
                             dense.getDimSize(0), " rows, but got ", *rows);
  return success();
}

LogicalResult NNSparseConv2dOp::inferReturnTypes(
    MLIRContext *, std::optional<Location> location, Adaptor adaptor,
    SmallVectorImpl<Type> &types) {
  RankedTensorType dense = tensorType(adaptor.getDenseData());
  ArrayRef<int64_t> kernel = adaptor.getKernelSize();
  if (kernel != ArrayRef<int64_t>{1, 1} && kernel != ArrayRef<int64_t>{3, 3})
    return emitOptionalError(location,
                             "expects kernel_size [1, 1] or [3, 3], but got [",
                             kernel, "]");
  if (failed(
          checkMode(location, "layout", adaptor.getLayout(), {"NHWC", "NCHW"})))
    return failure();
  if (dense.getRank() != 4)
    return emitOptionalError(location, "expects data of rank 4, but got ",
                             dense);
  FailureOr<int64_t> channels = inferSparseRows(
      location, getSparseType(adaptor.getOperands().drop_front()),
      dense.getElementType(), {1, 2, 3});
  if (failed(channels))
    return failure();
  SmallVector<int64_t> shape(dense.getShape());
  shape[adaptor.getLayout().find('C')] = *channels;
  types.push_back(dense.clone(shape));
  return success();
}

#define GET_OP_CLASSES
#include "relay-mlir/Dialect/Relay/IR/RelaySparseOps.cpp.inc"

void RelayDialect::registerSparseOps() {
  addOperations<
#define GET_OP_LIST
#include "relay-mlir/Dialect/Relay/IR/RelaySparseOps.cpp.inc"
      >();
}
