//===- Vector.cpp - Vectors of a thread -----------------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Operations that only move elements are lists of registers.
//
//===----------------------------------------------------------------------===//

#include "Builder.h"
#include "Floats.h"

#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include <numeric>

using namespace mlir;
using namespace mlir::relay;
using namespace mlir::relay::gpu_executor;

using Numbers = SmallVector<uint32_t>;

static Numbers makeRange(uint32_t first, unsigned count) {
  Numbers result(count);
  std::iota(result.begin(), result.end(), first);
  return result;
}

static SmallVector<int64_t> getShape(Type type) {
  if (auto vector = dyn_cast<VectorType>(type))
    return SmallVector<int64_t>(vector.getShape());
  return {};
}

/// Defines the only result of `op` as elements of registers.
static LogicalResult setElements(KernelBuilder &builder, Operation *op,
                                 ArrayRef<uint32_t> elements) {
  // No instruction is needed if they follow each other already.
  bool isRange = true;
  for (auto [i, number] : llvm::enumerate(elements))
    isRange &= number == elements.front() + i;
  if (isRange) {
    builder.set(op->getResult(0), elements.front());
    return success();
  }
  uint32_t result = builder.define(op->getResult(0));
  builder.emitGather(op, result, elements);
  return success();
}

//===----------------------------------------------------------------------===//
// Elements that move
//===----------------------------------------------------------------------===//

static LogicalResult lowerBroadcast(KernelBuilder &builder,
                                    vector::BroadcastOp op) {
  SmallVector<int64_t> from = getShape(op.getSourceType());
  SmallVector<int64_t> to = getShape(op.getType());
  uint32_t source = builder.get(op.getSource());
  SmallVector<int64_t> strides = computeStrides(to);
  SmallVector<int64_t> fromStrides = computeStrides(from);
  size_t added = to.size() - from.size();
  Numbers elements;
  for (int64_t i = 0, e = computeProduct(to); i < e; ++i) {
    SmallVector<int64_t> index = delinearize(i, strides);
    uint32_t number = source;
    for (size_t dim = 0; dim < from.size(); ++dim)
      if (from[dim] != 1)
        number += index[added + dim] * fromStrides[dim];
    elements.push_back(number);
  }
  return setElements(builder, op, elements);
}

static LogicalResult lowerShuffle(KernelBuilder &builder,
                                  vector::ShuffleOp op) {
  int64_t rows = op.getV1VectorType().getRank() == 0
                     ? 1
                     : op.getV1VectorType().getDimSize(0);
  int64_t row = getNumElements(op.getV1VectorType()) / rows;
  Numbers elements;
  for (int64_t index : op.getMask()) {
    // What is poison may be anything.
    index = std::max<int64_t>(index, 0);
    uint32_t number = index < rows
                          ? builder.get(op.getV1()) + index * row
                          : builder.get(op.getV2()) + (index - rows) * row;
    llvm::append_range(elements, makeRange(number, row));
  }
  return setElements(builder, op, elements);
}

static LogicalResult lowerTranspose(KernelBuilder &builder,
                                    vector::TransposeOp op) {
  SmallVector<int64_t> from =
      computeStrides(op.getSourceVectorType().getShape());
  SmallVector<int64_t> to = computeStrides(op.getResultVectorType().getShape());
  ArrayRef<int64_t> permutation = op.getPermutation();
  Numbers elements;
  for (int64_t i = 0, e = getNumElements(op.getType()); i < e; ++i) {
    SmallVector<int64_t> index = delinearize(i, to);
    uint32_t number = builder.get(op.getVector());
    for (auto [dim, source] : llvm::enumerate(permutation))
      number += index[dim] * from[source];
    elements.push_back(number);
  }
  return setElements(builder, op, elements);
}

/// The elements of a slice among those of a vector.
static Numbers getSlice(ArrayRef<int64_t> shape, ArrayRef<int64_t> offsets,
                        ArrayRef<int64_t> sizes, ArrayRef<int64_t> steps) {
  SmallVector<int64_t> strides = computeStrides(shape);
  SmallVector<int64_t> all(sizes), starts(offsets);
  SmallVector<int64_t> by(steps);
  // What is not named is whole.
  for (size_t dim = sizes.size(); dim < shape.size(); ++dim) {
    all.push_back(shape[dim]);
    starts.push_back(0);
    by.push_back(1);
  }
  SmallVector<int64_t> sliceStrides = computeStrides(all);
  Numbers elements;
  for (int64_t i = 0, e = computeProduct(all); i < e; ++i) {
    SmallVector<int64_t> index = delinearize(i, sliceStrides);
    int64_t number = 0;
    for (size_t dim = 0; dim < shape.size(); ++dim)
      number += (starts[dim] + index[dim] * by[dim]) * strides[dim];
    elements.push_back(number);
  }
  return elements;
}

static SmallVector<int64_t> getIntegers(ArrayAttr array) {
  return llvm::map_to_vector(
      array, [](Attribute value) { return cast<IntegerAttr>(value).getInt(); });
}

static LogicalResult lowerExtractSlice(KernelBuilder &builder,
                                       vector::ExtractStridedSliceOp op) {
  Numbers elements = getSlice(
      op.getSourceVectorType().getShape(), getIntegers(op.getOffsets()),
      getIntegers(op.getSizes()), getIntegers(op.getStrides()));
  for (uint32_t &number : elements)
    number += builder.get(op->getOperand(0));
  return setElements(builder, op, elements);
}

static LogicalResult lowerInsertSlice(KernelBuilder &builder,
                                      vector::InsertStridedSliceOp op) {
  VectorType to = op.getDestVectorType();
  VectorType from = op.getSourceVectorType();
  SmallVector<int64_t> sizes(to.getRank() - from.getRank(), 1);
  llvm::append_range(sizes, from.getShape());
  SmallVector<int64_t> steps(to.getRank(), 1);
  Numbers elements = makeRange(builder.get(op.getDest()), getNumElements(to));
  uint32_t source = builder.get(op.getValueToStore());
  for (uint32_t number :
       getSlice(to.getShape(), getIntegers(op.getOffsets()), sizes, steps))
    elements[number] = source++;
  return setElements(builder, op, elements);
}

/// `a` is the first of the elements, `b` the position; `n` are copied.
static void extractAt(Thread &thread, const Inst &inst) {
  uint64_t *r = thread.registers;
  uint64_t limit = inst.imm, at = r[inst.b];
  if (at > limit) {
    thread.block->fail(thread, inst,
                       "expects a position in the vector, but got one beyond "
                       "its end");
    return;
  }
  std::copy_n(r + inst.a + at, inst.n, r + inst.d);
}

static void insertAt(Thread &thread, const Inst &inst) {
  uint64_t *r = thread.registers;
  uint64_t limit = inst.imm, at = r[inst.b];
  if (at > limit) {
    thread.block->fail(thread, inst,
                       "expects a position in the vector, but got one beyond "
                       "its end");
    return;
  }
  std::copy_n(r + inst.a, inst.n, r + inst.d + at);
}

/// The number of the first element at a position, as a register.
static uint32_t emitPosition(KernelBuilder &builder, Operation *op,
                             ArrayRef<int64_t> shape,
                             ArrayRef<OpFoldResult> position) {
  SmallVector<int64_t> strides = computeStrides(shape);
  uint32_t sum = builder.getConstant(0);
  for (auto [dim, each] : llvm::enumerate(position)) {
    uint32_t index =
        isa<Value>(each)
            ? builder.get(cast<Value>(each))
            : builder.getConstant(
                  cast<IntegerAttr>(cast<Attribute>(each)).getInt());
    sum = builder.emitAdd(
        op, sum, builder.emitMul(op, index, builder.getConstant(strides[dim])));
  }
  return sum;
}

static LogicalResult lowerExtract(KernelBuilder &builder,
                                  vector::ExtractOp op) {
  uint32_t source = builder.get(op.getSource());
  ArrayRef<int64_t> shape = op.getSourceVectorType().getShape();
  unsigned count = getNumElements(op.getType());
  uint32_t at = emitPosition(builder, op, shape, op.getMixedPosition());
  if (std::optional<uint64_t> number = builder.getConstantValue(at))
    return setElements(builder, op, makeRange(source + *number, count));
  uint32_t result = builder.define(op);
  Inst &inst = builder.emit(op, extractAt);
  inst.d = result;
  inst.a = source;
  inst.b = at;
  inst.n = count;
  inst.imm = computeProduct(shape) - count;
  return success();
}

static LogicalResult lowerInsert(KernelBuilder &builder, vector::InsertOp op) {
  uint32_t dest = builder.get(op.getDest());
  uint32_t value = builder.get(op.getValueToStore());
  ArrayRef<int64_t> shape = op.getDestVectorType().getShape();
  unsigned count = getNumElements(op.getValueToStore().getType());
  uint32_t at = emitPosition(builder, op, shape, op.getMixedPosition());
  Numbers elements = makeRange(dest, computeProduct(shape));
  if (std::optional<uint64_t> number = builder.getConstantValue(at)) {
    for (unsigned k = 0; k < count; ++k)
      elements[*number + k] = value + k;
    return setElements(builder, op, elements);
  }
  uint32_t result = builder.define(op);
  builder.emitMove(op, result, dest, elements.size());
  Inst &inst = builder.emit(op, insertAt);
  inst.d = result;
  inst.a = value;
  inst.b = at;
  inst.n = count;
  inst.imm = computeProduct(shape) - count;
  return success();
}

/// The bits of `n` elements of `a` bits as elements of `b` bits.
static void bitcast(Thread &thread, const Inst &inst) {
  uint64_t *r = thread.registers;
  unsigned fromBits = inst.b, toBits = inst.c;
  uint32_t count = inst.n * fromBits / toBits;
  for (uint32_t k = 0; k < count; ++k) {
    uint64_t value = 0;
    for (unsigned bit = 0; bit < toBits;) {
      unsigned at = k * toBits + bit;
      unsigned inside = at % fromBits;
      unsigned width = std::min(fromBits - inside, toBits - bit);
      uint64_t piece = r[inst.a + at / fromBits] >> inside;
      if (width < 64)
        piece &= (uint64_t(1) << width) - 1;
      value |= piece << bit;
      bit += width;
    }
    r[inst.d + k] = value;
  }
}

static LogicalResult lowerBitcast(KernelBuilder &builder, Operation *op) {
  Value source = op->getOperand(0), result = op->getResult(0);
  auto getBits = [](Value value) {
    Type type = getElementTypeOrSelf(value);
    return type.isIndex() ? 64 : type.getIntOrFloatBitWidth();
  };
  builder.set(result, builder.emitBitcast(op, builder.get(source),
                                          getBits(source), getBits(result),
                                          getNumElements(source.getType())));
  return success();
}

uint32_t KernelBuilder::emitBitcast(Operation *op, uint32_t from,
                                    unsigned fromBits, unsigned toBits,
                                    unsigned count) {
  if (fromBits == toBits)
    return from;
  uint32_t result = allocate(count * fromBits / toBits);
  Inst &inst = emit(op, bitcast);
  inst.d = result;
  inst.a = from;
  inst.b = fromBits;
  inst.c = toBits;
  inst.n = count;
  return result;
}

/// Sets `n` elements to 1 where all indices are below the sizes; `x` is a list
/// of registers of the sizes, with the shape behind them.
static void createMask(Thread &thread, const Inst &inst) {
  const auto &list = thread.block->getKernel().lists[inst.x];
  uint64_t *r = thread.registers;
  size_t rank = list.size() / 2;
  for (uint32_t k = 0; k < inst.n; ++k) {
    bool isSet = true;
    int64_t rest = k;
    for (size_t dim = rank; dim-- > 0;) {
      isSet &= rest % list[rank + dim] < static_cast<int64_t>(r[list[dim]]);
      rest /= list[rank + dim];
    }
    r[inst.d + k] = isSet;
  }
}

static LogicalResult emitMask(KernelBuilder &builder, Operation *op,
                              ArrayRef<uint32_t> sizes) {
  Numbers list(sizes);
  for (int64_t size : getShape(op->getResult(0).getType()))
    list.push_back(size);
  uint32_t result = builder.define(op->getResult(0));
  Inst &inst = builder.emit(op, createMask);
  inst.d = result;
  inst.n = getNumElements(op->getResult(0).getType());
  inst.x = builder.getKernel().lists.size();
  builder.getKernel().lists.push_back(list);
  return success();
}

void gpu_executor::populateVectorLowerings(LoweringTable &table) {
  table.add<vector::BroadcastOp>(lowerBroadcast);
  table.add<vector::ShuffleOp>(lowerShuffle);
  table.add<vector::TransposeOp>(lowerTranspose);
  table.add<vector::ExtractStridedSliceOp>(lowerExtractSlice);
  table.add<vector::InsertStridedSliceOp>(lowerInsertSlice);
  table.add<vector::ExtractOp>(lowerExtract);
  table.add<vector::InsertOp>(lowerInsert);
  table.add<vector::BitCastOp>(
      [](KernelBuilder &builder, vector::BitCastOp op) {
        return lowerBitcast(builder, op);
      });
  table.add<arith::BitcastOp>([](KernelBuilder &builder, arith::BitcastOp op) {
    return lowerBitcast(builder, op);
  });
  table.add<vector::ShapeCastOp>(
      [](KernelBuilder &builder, vector::ShapeCastOp op) {
        builder.set(op, builder.getComponents(op.getSource()));
        return success();
      });
  table.add<vector::FromElementsOp>(
      [](KernelBuilder &builder, vector::FromElementsOp op) {
        return setElements(builder, op, builder.get(op.getElements()));
      });
  table.add<vector::ToElementsOp>(
      [](KernelBuilder &builder, vector::ToElementsOp op) {
        uint32_t source = builder.get(op.getSource());
        for (auto [i, result] : llvm::enumerate(op.getResults()))
          builder.set(result, source + i);
        return success();
      });
  table.add<vector::InterleaveOp>([](KernelBuilder &builder,
                                     vector::InterleaveOp op) {
    Numbers elements;
    for (unsigned i = 0, e = getNumElements(op.getLhs().getType()); i < e; ++i)
      llvm::append_values(elements, builder.get(op.getLhs()) + i,
                          builder.get(op.getRhs()) + i);
    return setElements(builder, op, elements);
  });
  table.add<vector::StepOp>([](KernelBuilder &builder, vector::StepOp op) {
    SmallVector<uint64_t> values(getNumElements(op.getType()));
    std::iota(values.begin(), values.end(), 0);
    builder.set(op, builder.getConstants(values));
    return success();
  });
  table.add<vector::CreateMaskOp>(
      [](KernelBuilder &builder, vector::CreateMaskOp op) {
        return emitMask(builder, op, builder.get(op.getOperands()));
      });
  table.add<vector::ConstantMaskOp>(
      [](KernelBuilder &builder, vector::ConstantMaskOp op) {
        Numbers sizes;
        for (int64_t size : op.getMaskDimSizes())
          sizes.push_back(builder.getConstant(size));
        return emitMask(builder, op, sizes);
      });
  populateVectorArithmetic(table);
  populateVectorMemory(table);
}
