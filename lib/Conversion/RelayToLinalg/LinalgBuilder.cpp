//===- LinalgBuilder.cpp - Builds linalg from relay operators -------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LinalgBuilder.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/DialectConversion.h"
#include "relay-mlir/Dialect/TIR/IR/KernelAttributes.h"
#include "relay-mlir/Dialect/TIR/IR/TIR.h"

using namespace mlir;
using namespace mlir::relay;
using namespace mlir::relay::detail;

LinalgBuilder::LinalgBuilder(OpBuilder &builder, Operation *op)
    : ImplicitLocOpBuilder(op->getLoc(), builder),
      blockName(op->getName().stripDialect()) {
  blockName = blockName.substr(blockName.rfind('.') + 1);
}

void LinalgBuilder::name(Operation *op, StringRef name) {
  op->setAttr(tir::kBlockNameAttr, getStringAttr(name));
}

//===----------------------------------------------------------------------===//
// Sizes
//===----------------------------------------------------------------------===//

OpFoldResult LinalgBuilder::getSize(Value tensor, int64_t dim) {
  return tensor::getMixedSize(*this, getLoc(), tensor, dim);
}

SmallVector<OpFoldResult> LinalgBuilder::getSizes(Value tensor) {
  return tensor::getMixedSizes(*this, getLoc(), tensor);
}

SmallVector<OpFoldResult> LinalgBuilder::refine(ArrayRef<OpFoldResult> sizes,
                                                ShapedType type) {
  SmallVector<OpFoldResult> refined(sizes);
  Builder builder(type.getContext());
  for (auto [size, extent] : llvm::zip_equal(refined, type.getShape()))
    if (ShapedType::isStatic(extent))
      size = builder.getIndexAttr(extent);
  return refined;
}

SmallVector<OpFoldResult>
LinalgBuilder::getBroadcastSizes(ValueRange operands,
                                 RankedTensorType resultType) {
  int64_t rank = resultType.getRank();
  SmallVector<OpFoldResult> sizes(rank, getIndexAttr(1));
  for (Value operand : operands) {
    auto type = cast<RankedTensorType>(operand.getType());
    int64_t offset = rank - type.getRank();
    for (auto [position, extent] : llvm::enumerate(type.getShape())) {
      OpFoldResult &size = sizes[offset + position];
      // A static size is worth more than a dynamic one.
      if (isOneInteger(size) ? extent != 1 : isa<Value>(size) && extent > 1)
        size = getSize(operand, position);
    }
  }
  return refine(sizes, resultType);
}

OpFoldResult LinalgBuilder::apply(AffineExpr expr,
                                  ArrayRef<OpFoldResult> operands) {
  return affine::makeComposedFoldedAffineApply(
      *this, getLoc(), map(operands.size(), expr), operands);
}

OpFoldResult LinalgBuilder::multiply(OpFoldResult lhs, OpFoldResult rhs) {
  // An affine map multiplies by symbols only.
  AffineExpr product = getAffineSymbolExpr(0) * getAffineSymbolExpr(1);
  return affine::makeComposedFoldedAffineApply(
      *this, getLoc(), AffineMap::get(0, 2, product), {lhs, rhs});
}

OpFoldResult LinalgBuilder::add(OpFoldResult lhs, OpFoldResult rhs) {
  return apply(dim(0) + dim(1), {lhs, rhs});
}

OpFoldResult LinalgBuilder::floorDiv(OpFoldResult lhs, OpFoldResult rhs) {
  AffineExpr quotient = getAffineSymbolExpr(0).floorDiv(getAffineSymbolExpr(1));
  return affine::makeComposedFoldedAffineApply(
      *this, getLoc(), AffineMap::get(0, 2, quotient), {lhs, rhs});
}

Value LinalgBuilder::indexValue(int64_t value) {
  return arith::ConstantIndexOp::create(*this, value);
}

Value LinalgBuilder::toValue(OpFoldResult size) {
  return getValueOrCreateConstantIndexOp(*this, getLoc(), size);
}

//===----------------------------------------------------------------------===//
// Conditions
//===----------------------------------------------------------------------===//

void LinalgBuilder::assertSizes(arith::CmpIPredicate predicate,
                                OpFoldResult lhs, OpFoldResult rhs,
                                const Twine &message) {
  if (getConstantIntValue(lhs) && getConstantIntValue(rhs))
    return;
  Value holds =
      arith::CmpIOp::create(*this, predicate, toValue(lhs), toValue(rhs));
  cf::AssertOp::create(*this, holds, message.str());
}

void LinalgBuilder::assertAtLeast(OpFoldResult size, OpFoldResult bound,
                                  const Twine &message) {
  assertSizes(arith::CmpIPredicate::sge, size, bound, message);
}

void LinalgBuilder::assertEqual(OpFoldResult lhs, OpFoldResult rhs,
                                const Twine &message) {
  assertSizes(arith::CmpIPredicate::eq, lhs, rhs, message);
}

//===----------------------------------------------------------------------===//
// Tensors
//===----------------------------------------------------------------------===//

Value LinalgBuilder::empty(ArrayRef<OpFoldResult> sizes, Type elementType) {
  return tensor::EmptyOp::create(*this, sizes, elementType);
}

Value LinalgBuilder::filled(ArrayRef<OpFoldResult> sizes, TypedAttr value,
                            StringRef fillName) {
  Value scalar = arith::ConstantOp::create(*this, value);
  auto fill =
      linalg::FillOp::create(*this, scalar, empty(sizes, scalar.getType()));
  name(fill, fillName);
  return fill.getResult(0);
}

Value LinalgBuilder::castTo(Value tensor, Type type) {
  if (tensor.getType() == type)
    return tensor;
  return tensor::CastOp::create(*this, type, tensor);
}

Value LinalgBuilder::pad(Value tensor, ArrayRef<OpFoldResult> low,
                         ArrayRef<OpFoldResult> high, TypedAttr value,
                         StringRef padName) {
  auto isZero = [](OpFoldResult size) { return isZeroInteger(size); };
  if (llvm::all_of(low, isZero) && llvm::all_of(high, isZero))
    return tensor;
  Value scalar = arith::ConstantOp::create(*this, value);
  auto padded = tensor::PadOp::create(*this, /*resultType=*/Type(), tensor, low,
                                      high, scalar);
  name(padded, padName);
  return padded;
}

Value LinalgBuilder::shapeOnly(ArrayRef<OpFoldResult> sizes) {
  return empty(sizes, getI8Type());
}

//===----------------------------------------------------------------------===//
// Nests
//===----------------------------------------------------------------------===//

SmallVector<Value> LinalgBuilder::nest(StringRef nestName,
                                       ArrayRef<Access> inputs,
                                       ArrayRef<Access> destinations,
                                       ArrayRef<utils::IteratorType> iterators,
                                       NestBody body) {
  // A constant scalar is an operand only while a loop has no other bound.
  SmallVector<TypedAttr> scalars;
  for (const Access &input : inputs)
    scalars.push_back(getSplatValue(input.tensor));
  auto getMaps = [&] {
    SmallVector<AffineMap> maps;
    for (auto [input, scalar] : llvm::zip_equal(inputs, scalars))
      if (!scalar)
        maps.push_back(input.map);
    for (const Access &destination : destinations)
      maps.push_back(destination.map);
    return maps;
  };
  SmallVector<AffineMap> maps = getMaps();
  if (!inversePermutation(concatAffineMaps(maps, getContext()))) {
    scalars.assign(inputs.size(), TypedAttr());
    maps = getMaps();
  }

  SmallVector<Value> operands, inits;
  for (auto [input, scalar] : llvm::zip_equal(inputs, scalars))
    if (!scalar)
      operands.push_back(input.tensor);
  for (const Access &destination : destinations)
    inits.push_back(destination.tensor);

  auto buildBody = [&](OpBuilder &builder, Location loc, ValueRange args) {
    ImplicitLocOpBuilder bodyBuilder(loc, builder);
    SmallVector<Value> elements;
    for (TypedAttr scalar : scalars) {
      if (scalar) {
        elements.push_back(arith::ConstantOp::create(bodyBuilder, scalar));
        continue;
      }
      elements.push_back(args.front());
      args = args.drop_front();
    }
    llvm::append_range(elements, args);
    linalg::YieldOp::create(bodyBuilder, body(bodyBuilder, elements));
  };
  auto generic =
      linalg::GenericOp::create(*this, ValueRange(inits).getTypes(), operands,
                                inits, maps, iterators, buildBody);
  name(generic, nestName);
  return llvm::to_vector_of<Value>(generic.getResults());
}

Value LinalgBuilder::nest(StringRef nestName, ArrayRef<Access> inputs,
                          Access destination,
                          ArrayRef<utils::IteratorType> iterators,
                          ElementBody body) {
  return nest(nestName, inputs, ArrayRef<Access>(destination), iterators,
              [&](ImplicitLocOpBuilder &builder, ValueRange args) {
                return SmallVector<Value>{body(builder, args)};
              })
      .front();
}

Value LinalgBuilder::elements(StringRef nestName, ArrayRef<Access> inputs,
                              ArrayRef<OpFoldResult> sizes, Type elementType,
                              ElementBody body) {
  int64_t rank = sizes.size();
  return nest(nestName, inputs, {empty(sizes, elementType), identity(rank)},
              getIterators(rank), body);
}

//===----------------------------------------------------------------------===//
// Opaque computations
//===----------------------------------------------------------------------===//

SmallVector<Value>
LinalgBuilder::opaque(StringRef opaqueName, ArrayRef<int64_t> along,
                      ValueRange inputs, ValueRange destinations,
                      OpaqueBody body, ArrayRef<AffineMap> sizes) {
  auto op = tir::OpaqueOp::create(*this, along, inputs, destinations, sizes);
  name(op, opaqueName);
  ImplicitLocOpBuilder bodyBuilder(getLoc(), getContext());
  bodyBuilder.setInsertionPointToStart(op.getBody());
  body(bodyBuilder, op.getIndexArgs(), op.getInputArgs(), op.getInitArgs());
  return llvm::to_vector_of<Value>(op.getResults());
}

SmallVector<Value> mlir::relay::detail::emitLoop(
    ImplicitLocOpBuilder &builder, Value begin, Value end, ValueRange values,
    llvm::function_ref<SmallVector<Value>(Value, ValueRange)> body) {
  Value one = arith::ConstantIndexOp::create(builder, 1);
  auto loop = scf::ForOp::create(builder, begin, end, one, values);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  SmallVector<Value> results =
      body(loop.getInductionVar(), loop.getRegionIterArgs());
  if (!values.empty())
    scf::YieldOp::create(builder, results);
  return llvm::to_vector_of<Value>(loop.getResults());
}

ValueRange mlir::relay::detail::emitWhile(
    ImplicitLocOpBuilder &builder, ValueRange values,
    llvm::function_ref<std::pair<Value, SmallVector<Value>>(ValueRange)> before,
    llvm::function_ref<SmallVector<Value>(ValueRange)> after) {
  SmallVector<Type> types = llvm::to_vector(values.getTypes());
  OpBuilder::InsertionGuard guard(builder);
  auto loop = scf::WhileOp::create(builder, types, values);
  SmallVector<Location> locs(values.size(), builder.getLoc());
  Block *first = builder.createBlock(&loop.getBefore(), {}, types, locs);
  auto [condition, passed] = before(first->getArguments());
  scf::ConditionOp::create(builder, condition, passed);
  Block *second = builder.createBlock(&loop.getAfter(), {}, types, locs);
  scf::YieldOp::create(builder, after(second->getArguments()));
  return loop.getResults();
}

Value mlir::relay::detail::emitPartitionPoint(
    ImplicitLocOpBuilder &b, Value count,
    llvm::function_ref<Value(Value)> isBefore) {
  Value zero = emitConstant(b, 0), one = emitConstant(b, 1);
  // Where the number may begin, and over how many it reaches.
  return emitWhile(
             b, {zero, count},
             [&](ValueRange range) -> std::pair<Value, SmallVector<Value>> {
               return {arith::CmpIOp::create(b, arith::CmpIPredicate::ne,
                                             range[1], zero),
                       range};
             },
             [&](ValueRange range) -> SmallVector<Value> {
               Value half = arith::ShRUIOp::create(b, range[1], one);
               Value middle = arith::AddIOp::create(b, range[0], half);
               Value isUpper = isBefore(middle);
               Value above = arith::SubIOp::create(
                   b, arith::SubIOp::create(b, range[1], half), one);
               return {arith::SelectOp::create(
                           b, isUpper, arith::AddIOp::create(b, middle, one),
                           range[0]),
                       arith::SelectOp::create(b, isUpper, above, half)};
             })
      .front();
}

void mlir::relay::detail::emitLoops(ImplicitLocOpBuilder &builder,
                                    ValueRange sizes,
                                    llvm::function_ref<void(ValueRange)> body) {
  OpBuilder::InsertionGuard guard(builder);
  Value zero = arith::ConstantIndexOp::create(builder, 0);
  Value one = arith::ConstantIndexOp::create(builder, 1);
  SmallVector<Value> position;
  for (Value size : sizes) {
    auto loop = scf::ForOp::create(builder, zero, size, one);
    position.push_back(loop.getInductionVar());
    builder.setInsertionPointToStart(loop.getBody());
  }
  body(position);
}

static void emitScheduled(ImplicitLocOpBuilder &builder, OpFoldResult begin,
                          OpFoldResult end, tir::ForKind kind,
                          llvm::function_ref<void(Value)> body) {
  auto loop = tir::ForOp::create(builder, begin, end, kind);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  body(loop.getInductionVar());
}

void mlir::relay::detail::emitSerialLoop(ImplicitLocOpBuilder &builder,
                                         Value begin, Value end,
                                         llvm::function_ref<void(Value)> body) {
  emitScheduled(builder, getAsOpFoldResult(begin), getAsOpFoldResult(end),
                tir::ForKind::Serial, body);
}

void mlir::relay::detail::emitVectorLoop(ImplicitLocOpBuilder &builder,
                                         Value size,
                                         llvm::function_ref<void(Value)> body) {
  emitScheduled(builder, builder.getIndexAttr(0), getAsOpFoldResult(size),
                tir::ForKind::Vectorized, body);
}

void mlir::relay::detail::emitWhere(ImplicitLocOpBuilder &builder,
                                    Value condition,
                                    llvm::function_ref<void()> body) {
  auto branch = scf::IfOp::create(builder, condition, /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(branch.thenBlock());
  body();
}

SmallVector<Value> mlir::relay::detail::emitSizes(ImplicitLocOpBuilder &builder,
                                                  Value buffer) {
  SmallVector<Value> sizes;
  for (auto [dim, size] :
       llvm::enumerate(cast<MemRefType>(buffer.getType()).getShape()))
    sizes.push_back(
        ShapedType::isDynamic(size)
            ? memref::DimOp::create(builder, buffer, dim).getResult()
            : arith::ConstantIndexOp::create(builder, size).getResult());
  return sizes;
}

//===----------------------------------------------------------------------===//
// Maps
//===----------------------------------------------------------------------===//

AffineMap LinalgBuilder::select(int64_t loops, ArrayRef<int64_t> dims) {
  SmallVector<AffineExpr> exprs;
  for (int64_t position : dims)
    exprs.push_back(dim(position));
  return map(loops, exprs);
}

AffineMap LinalgBuilder::map(int64_t loops, ArrayRef<AffineExpr> results) {
  return AffineMap::get(loops, /*symbolCount=*/0, results, getContext());
}

AffineMap LinalgBuilder::broadcast(RankedTensorType operandType,
                                   int64_t resultRank) {
  int64_t offset = resultRank - operandType.getRank();
  SmallVector<AffineExpr> exprs;
  for (auto [position, extent] : llvm::enumerate(operandType.getShape()))
    exprs.push_back(extent == 1 ? constant(0) : dim(offset + position));
  return map(resultRank, exprs);
}

Value mlir::relay::detail::emitConstant(ImplicitLocOpBuilder &builder,
                                        int64_t value) {
  return arith::ConstantIndexOp::create(builder, value);
}

Value mlir::relay::detail::emitLoopIndex(ImplicitLocOpBuilder &builder,
                                         int64_t loop) {
  return linalg::IndexOp::create(builder, loop);
}

Value mlir::relay::detail::emitIndex(ImplicitLocOpBuilder &builder,
                                     OpFoldResult size) {
  return getValueOrCreateConstantIndexOp(builder, builder.getLoc(), size);
}

Iterators mlir::relay::detail::getIterators(int64_t parallel,
                                            int64_t reduction) {
  Iterators iterators(parallel, utils::IteratorType::parallel);
  iterators.append(reduction, utils::IteratorType::reduction);
  return iterators;
}

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

void mlir::relay::detail::replaceByFields(ConversionPatternRewriter &rewriter,
                                          LinalgBuilder &b, Operation *op,
                                          SmallVector<Value> fields,
                                          const TypeConverter &converter) {
  auto tuple = cast<TupleType>(op->getResult(0).getType());
  for (auto [field, type] : llvm::zip_equal(fields, tuple.getTypes()))
    field = b.castTo(field, converter.convertType(type));
  rewriter.replaceOpWithMultiple(op, {fields});
}

TypedAttr mlir::relay::detail::getSplatValue(Value tensor) {
  SplatElementsAttr splat;
  if (!matchPattern(tensor, m_Constant(&splat)))
    return {};
  return splat.getSplatValue<TypedAttr>();
}

void mlir::relay::detail::finalizeConstants(Operation *root) {
  SmallVector<arith::ConstantOp> constants;
  root->walk([&](arith::ConstantOp constant) {
    if (isa<RankedTensorType>(constant.getType()))
      constants.push_back(constant);
  });
  for (arith::ConstantOp constant : constants) {
    TypedAttr value = getSplatValue(constant);
    if (value && !constant->use_empty()) {
      OpBuilder anchor(constant);
      LinalgBuilder builder(anchor, constant);
      auto type = cast<RankedTensorType>(constant.getType());
      SmallVector<OpFoldResult> sizes =
          getAsIndexOpFoldResult(builder.getContext(), type.getShape());
      constant.replaceAllUsesWith(builder.filled(sizes, value, "full"));
    }
    if (constant->use_empty())
      constant->erase();
  }
}
