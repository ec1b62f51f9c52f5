//===- VectorArithmetic.cpp - Sums and products of vectors ----------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Builder.h"
#include "Floats.h"

#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include <cmath>

using namespace mlir;
using namespace mlir::relay;
using namespace mlir::relay::gpu_executor;

using Numbers = SmallVector<uint32_t>;

/// How an element joins an accumulator; atomic operations know all kinds.
static arith::AtomicRMWKind getKind(vector::CombiningKind kind, Type type) {
  using From = vector::CombiningKind;
  using To = arith::AtomicRMWKind;
  bool isFloat = isa<FloatType>(type);
  switch (kind) {
  case From::ADD:
    return isFloat ? To::addf : To::addi;
  case From::MUL:
    return isFloat ? To::mulf : To::muli;
  case From::MINUI:
    return To::minu;
  case From::MINSI:
    return To::mins;
  case From::MINNUMF:
    return To::minnumf;
  case From::MAXUI:
    return To::maxu;
  case From::MAXSI:
    return To::maxs;
  case From::MAXNUMF:
    return To::maxnumf;
  case From::AND:
    return To::andi;
  case From::OR:
    return To::ori;
  case From::XOR:
    return To::xori;
  case From::MAXIMUMF:
    return To::maximumf;
  case From::MINIMUMF:
    return To::minimumf;
  }
  llvm_unreachable("all kinds are above");
}

static Operation *getOperation(Thread &thread, const Inst &inst) {
  return thread.block->getKernel().operations[thread.block->getIndex(inst)];
}

/// `imm` is the kind; `x` a list of registers of an accumulator and an element,
/// in the order in which they are combined.
static void reduce(Thread &thread, const Inst &inst) {
  const auto &list = thread.block->getKernel().lists[inst.x];
  Type type =
      getElementTypeOrSelf(getOperation(thread, inst)->getResult(0).getType());
  auto kind = static_cast<arith::AtomicRMWKind>(inst.imm);
  uint64_t *r = thread.registers;
  for (size_t i = 0; i < list.size(); i += 2)
    r[list[i]] = combineAtomic(kind, type, r[list[i]], r[list[i + 1]]);
}

static void emitReduce(KernelBuilder &builder, Operation *op,
                       vector::CombiningKind kind, Numbers list) {
  Type type = getElementTypeOrSelf(op->getResult(0).getType());
  Inst &inst = builder.emit(op, reduce);
  inst.imm = static_cast<uint64_t>(getKind(kind, type));
  inst.x = builder.getKernel().lists.size();
  builder.getKernel().lists.push_back(std::move(list));
}

static LogicalResult lowerReduction(KernelBuilder &builder,
                                    vector::ReductionOp op) {
  uint32_t result = builder.define(op.getResult());
  uint32_t source = builder.get(op.getVector());
  unsigned count = getNumElements(op.getVector().getType());
  uint32_t first = 0;
  if (op.getAcc())
    builder.emitMove(op, result, builder.get(op.getAcc()), 1);
  else
    builder.emitMove(op, result, source + first++, 1);
  Numbers list;
  for (; first < count; ++first)
    llvm::append_values(list, result, source + first);
  emitReduce(builder, op, op.getKind(), list);
  return success();
}

static LogicalResult lowerMultiReduction(KernelBuilder &builder,
                                         vector::MultiDimReductionOp op) {
  uint32_t result = builder.define(op.getResult());
  uint32_t source = builder.get(op.getSource());
  builder.emitMove(op, result, builder.get(op.getAcc()),
                   getNumElements(op.getAcc().getType()));
  ArrayRef<int64_t> shape = op.getSourceVectorType().getShape();
  SmallVector<bool> mask = op.getReductionMask();
  SmallVector<int64_t> strides = computeStrides(shape);
  Numbers list;
  for (int64_t i = 0, e = computeProduct(shape); i < e; ++i) {
    SmallVector<int64_t> index = delinearize(i, strides);
    int64_t at = 0;
    for (auto [dim, isReduced] : llvm::enumerate(mask))
      if (!isReduced)
        at = at * shape[dim] + index[dim];
    llvm::append_values(list, static_cast<uint32_t>(result + at),
                        static_cast<uint32_t>(source + i));
  }
  emitReduce(builder, op, op.getKind(), list);
  return success();
}

//===----------------------------------------------------------------------===//
// Sums of products
//===----------------------------------------------------------------------===//

/// `x` is a list of registers of an accumulator and two factors.
template <typename F, typename FactorF>
static void multiplyAdd(Thread &thread, const Inst &inst) {
  const auto &list = thread.block->getKernel().lists[inst.x];
  uint64_t *r = thread.registers;
  for (size_t i = 0; i < list.size(); i += 3) {
    using Value = typename F::Value;
    auto a = static_cast<Value>(FactorF::get(r[list[i + 1]]));
    auto b = static_cast<Value>(FactorF::get(r[list[i + 2]]));
    r[list[i]] = F::put(std::fma(a, b, F::get(r[list[i]])));
  }
}

/// Of integers, of which `a` is the bits above a factor and `b` those above the
/// accumulator.
static void multiplyAddIntegers(Thread &thread, const Inst &inst) {
  const auto &list = thread.block->getKernel().lists[inst.x];
  uint64_t *r = thread.registers;
  auto extend = [&](uint64_t value) {
    return static_cast<int64_t>(value << inst.a) >> inst.a;
  };
  for (size_t i = 0; i < list.size(); i += 3) {
    uint64_t product = extend(r[list[i + 1]]) * extend(r[list[i + 2]]);
    r[list[i]] = (r[list[i]] + product) << inst.b >> inst.b;
  }
}

/// `list` has an accumulator and two factors for each product.
static LogicalResult emitProducts(KernelBuilder &builder, Operation *op,
                                  Type factor, vector::CombiningKind kind,
                                  Numbers list) {
  Type type = getElementTypeOrSelf(op->getResult(0).getType());
  if (kind != vector::CombiningKind::ADD)
    return op->emitError("expects a sum of products");
  Handler fn = multiplyAddIntegers;
  if (isa<FloatType>(type))
    fn = withFloat(type, [&](auto to) -> Handler {
      return withFloat(factor, [](auto from) -> Handler {
        return multiplyAdd<decltype(to), decltype(from)>;
      });
    });
  if (!fn)
    return op->emitError("expects a type of floats that the GPU executor "
                         "knows, but got ")
           << type;
  Inst &inst = builder.emit(op, fn);
  inst.a = 64 - getIntegerBits(factor);
  inst.b = 64 - getIntegerBits(type);
  inst.x = builder.getKernel().lists.size();
  builder.getKernel().lists.push_back(std::move(list));
  return success();
}

static LogicalResult lowerContract(KernelBuilder &builder,
                                   vector::ContractionOp op) {
  uint32_t result = builder.define(op.getResult());
  builder.emitMove(op, result, builder.get(op.getAcc()),
                   getNumElements(op.getAccType()));
  SmallVector<int64_t> bounds;
  op.getIterationBounds(bounds);
  SmallVector<int64_t> strides = computeStrides(bounds);
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  auto getShape = [](Type type) {
    auto vector = dyn_cast<VectorType>(type);
    return vector ? vector.getShape() : ArrayRef<int64_t>();
  };
  ArrayRef<int64_t> shapes[] = {getShape(op.getLhsType()),
                                getShape(op.getRhsType()),
                                getShape(op.getAccType())};
  uint32_t first[] = {builder.get(op.getLhs()), builder.get(op.getRhs()),
                      result};
  Numbers list;
  for (int64_t i = 0, e = computeProduct(bounds); i < e; ++i) {
    SmallVector<int64_t> index = delinearize(i, strides);
    uint32_t numbers[3];
    for (int k = 0; k < 3; ++k) {
      int64_t at = 0;
      for (auto [dim, expr] : llvm::enumerate(maps[k].getResults()))
        at = at * shapes[k][dim] +
             index[cast<AffineDimExpr>(expr).getPosition()];
      numbers[k] = first[k] + at;
    }
    llvm::append_values(list, numbers[2], numbers[0], numbers[1]);
  }
  return emitProducts(builder, op, op.getLhsType().getElementType(),
                      op.getKind(), list);
}

static LogicalResult lowerOuterProduct(KernelBuilder &builder,
                                       vector::OuterProductOp op) {
  uint32_t result = builder.define(op.getResult());
  unsigned count = getNumElements(op.getType());
  if (op.getAcc())
    builder.emitMove(op, result, builder.get(op.getAcc()), count);
  else
    builder.emitMove(op, result,
                     builder.getConstants(SmallVector<uint64_t>(count, 0)),
                     count);
  unsigned rows = getNumElements(op.getLhs().getType());
  unsigned columns = getNumElements(op.getRhs().getType());
  uint32_t left = builder.get(op.getLhs()), right = builder.get(op.getRhs());
  Numbers list;
  for (unsigned i = 0; i < rows; ++i)
    for (unsigned j = 0; j < columns; ++j)
      llvm::append_values(list, result + i * columns + j, left + i, right + j);
  return emitProducts(builder, op, getElementTypeOrSelf(op.getLhs().getType()),
                      op.getKind(), list);
}

void gpu_executor::populateVectorArithmetic(LoweringTable &table) {
  table.add<vector::ReductionOp>(lowerReduction);
  table.add<vector::MultiDimReductionOp>(lowerMultiReduction);
  table.add<vector::ContractionOp>(lowerContract);
  table.add<vector::OuterProductOp>(lowerOuterProduct);
}
