//===- SizeReader.cpp - Sizes that are elements of tensors ----------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SizeReader.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::relay::detail;

/// Shapes are short, and so is what computes them.
static constexpr int64_t kMaxSteps = 1 << 14;

LogicalResult SizeReader::failToFollow(StringRef name) {
  return rewriter.notifyMatchFailure(
      op, "expects " + name +
              " to follow from constants and the sizes of inputs, but it is "
              "computed from their elements; the executors aot and vm compile "
              "that, into a shared object");
}

OpFoldResult SizeReader::toSize(Value element) {
  IntegerAttr constant;
  if (matchPattern(element, m_Constant(&constant)))
    return b.getIndexAttr(constant.getValue().getSExtValue());
  // From an index and back: most elements are plain sizes.
  auto cast = element.getDefiningOp<arith::IndexCastOp>();
  if (cast && cast.getIn().getType().isIndex())
    return cast.getIn();
  return arith::IndexCastOp::create(b, b.getIndexType(), element).getResult();
}

FailureOr<SmallVector<OpFoldResult>> SizeReader::read(Value tensor,
                                                      StringRef name) {
  RankedTensorType type = getTensorType(tensor);
  if (!type.hasStaticShape() || !type.getElementType().isIntOrIndex())
    return failToFollow(name);
  SmallVector<int64_t> strides = computeStrides(type.getShape());
  SmallVector<OpFoldResult> sizes;
  for (int64_t i = 0, e = type.getNumElements(); i != e; ++i) {
    Value element = getElement(tensor, delinearize(i, strides));
    if (!element)
      return failToFollow(name);
    sizes.push_back(toSize(element));
  }
  return sizes;
}

FailureOr<SizeReader::Number> SizeReader::readNumber(Value tensor,
                                                     StringRef name) {
  RankedTensorType type = getTensorType(tensor);
  if (!isa<FloatType>(type.getElementType())) {
    FailureOr<OpFoldResult> size = readSingle(tensor, name);
    if (failed(size))
      return failure();
    return Number(*size);
  }
  if (!type.hasStaticShape() || type.getNumElements() != 1)
    return failToFollow(name);
  Value element = getElement(tensor, SmallVector<int64_t>(type.getRank(), 0));
  if (!element)
    return failToFollow(name);
  FloatAttr constant;
  if (matchPattern(element, m_Constant(&constant)))
    return Number(constant.getValueAsDouble());
  if (auto cast = element.getDefiningOp<arith::SIToFPOp>())
    return Number(toSize(cast.getIn()));
  return rewriter.notifyMatchFailure(
      op, "expects " + name +
              " to be a constant or a size, but it is computed in floats");
}

FailureOr<OpFoldResult> SizeReader::readSingle(Value tensor, StringRef name) {
  FailureOr<SmallVector<OpFoldResult>> sizes = read(tensor, name);
  if (failed(sizes))
    return failure();
  if (sizes->size() != 1)
    return rewriter.notifyMatchFailure(op, "expects " + name +
                                               " to be one number, but got " +
                                               Twine(sizes->size()));
  return sizes->front();
}

Value SizeReader::getElement(Value tensor, ArrayRef<int64_t> position) {
  auto [it, isNew] = elements.try_emplace(
      {tensor.getAsOpaquePointer(), llvm::to_vector(position)}, Value());
  if (!isNew)
    return it->second;
  Value element = computeElement(tensor, position);
  elements[{tensor.getAsOpaquePointer(), llvm::to_vector(position)}] = element;
  return element;
}

Value SizeReader::computeElement(Value tensor, ArrayRef<int64_t> position) {
  RankedTensorType type = getTensorType(tensor);
  if (!type.hasStaticShape() || ++numSteps > kMaxSteps)
    return {};
  DenseElementsAttr constant;
  if (matchPattern(tensor, m_Constant(&constant))) {
    auto attr = constant.getValues<TypedAttr>()[SmallVector<uint64_t>(
        position.begin(), position.end())];
    return arith::ConstantOp::create(b, attr);
  }
  Operation *producer = tensor.getDefiningOp();
  if (!producer)
    return {};
  return llvm::TypeSwitch<Operation *, Value>(producer)
      .Case<tensor::CastOp>(
          [&](auto cast) { return getElement(cast.getSource(), position); })
      .Case<tensor::FromElementsOp>([&](tensor::FromElementsOp from) {
        return from.getElements()[linearize(position,
                                            computeStrides(type.getShape()))];
      })
      .Case<tensor::ConcatOp>([&](tensor::ConcatOp concat) {
        SmallVector<int64_t> inner(position);
        int64_t &along = inner[concat.getDim()];
        for (Value input : concat.getInputs()) {
          int64_t size = getTensorType(input).getDimSize(concat.getDim());
          if (ShapedType::isDynamic(size))
            break;
          if (along < size)
            return getElement(input, inner);
          along -= size;
        }
        return Value();
      })
      .Case<tensor::CollapseShapeOp, tensor::ExpandShapeOp>([&](auto reshape) {
        RankedTensorType source = reshape.getSrcType();
        if (!source.hasStaticShape())
          return Value();
        int64_t number = linearize(position, computeStrides(type.getShape()));
        return getElement(
            reshape.getSrc(),
            delinearize(number, computeStrides(source.getShape())));
      })
      .Case<tensor::ExtractSliceOp>([&](tensor::ExtractSliceOp slice) {
        if (slice.getSourceType().getRank() != type.getRank())
          return Value();
        SmallVector<int64_t> inner;
        for (auto [index, offset, stride] : llvm::zip_equal(
                 position, slice.getMixedOffsets(), slice.getMixedStrides())) {
          std::optional<int64_t> first = getConstantIntValue(offset);
          std::optional<int64_t> step = getConstantIntValue(stride);
          if (!first || !step)
            return Value();
          inner.push_back(*first + index * *step);
        }
        return getElement(slice.getSource(), inner);
      })
      .Case<tensor::PadOp>([&](tensor::PadOp pad) {
        SmallVector<int64_t> inner;
        bool isInside = true;
        for (auto [index, low, size] :
             llvm::zip_equal(position, pad.getMixedLowPad(),
                             pad.getSourceType().getShape())) {
          std::optional<int64_t> before = getConstantIntValue(low);
          if (!before || ShapedType::isDynamic(size))
            return Value();
          inner.push_back(index - *before);
          isInside &= inner.back() >= 0 && inner.back() < size;
        }
        return isInside ? getElement(pad.getSource(), inner)
                        : pad.getConstantPaddingValue();
      })
      .Case<linalg::FillOp>([](auto fill) { return fill.value(); })
      .Case<linalg::GenericOp>([&](linalg::GenericOp nest) {
        return evaluateNest(nest, cast<OpResult>(tensor).getResultNumber(),
                            position);
      })
      .Default([](Operation *) { return Value(); });
}

//===----------------------------------------------------------------------===//
// Nests
//===----------------------------------------------------------------------===//

/// The element that `map` names in an iteration.
static SmallVector<int64_t> getIndices(AffineMap map,
                                       ArrayRef<int64_t> iteration) {
  return map.compose(iteration);
}

Value SizeReader::evaluateNest(linalg::GenericOp nest, unsigned result,
                               ArrayRef<int64_t> position) {
  SmallVector<int64_t> ranges = nest.getStaticLoopRanges();
  if (llvm::any_of(ranges, ShapedType::isDynamic))
    return {};
  AffineMap map = nest.getIndexingMapsArray()[nest.getNumDpsInputs() + result];
  SmallVector<int64_t> iteration(ranges.size(), 0);
  SmallVector<int64_t> reduced;
  SmallVector<AffineExpr> scanned;
  for (auto [loop, kind] : llvm::enumerate(nest.getIteratorTypesArray())) {
    std::optional<unsigned> dim =
        map.getResultPosition(getAffineDimExpr(loop, nest.getContext()));
    bool isReduced = kind == utils::IteratorType::reduction;
    // A scan has an element after each step, and those before go into it.
    if (dim && isReduced)
      scanned.push_back(getAffineDimExpr(loop, nest.getContext()));
    if (dim)
      iteration[loop] = position[*dim];
    else if (!isReduced)
      return {};
    if (!isReduced)
      continue;
    reduced.push_back(loop);
    if (dim)
      ranges[loop] = position[*dim] + 1;
    iteration[loop] = 0;
  }

  SmallVector<Value> carried;
  for (auto [number, init] : llvm::enumerate(nest.getDpsInits())) {
    AffineMap initMap =
        nest.getIndexingMapsArray()[nest.getNumDpsInputs() + number];
    bool isRead = !nest.getRegionOutputArgs()[number].use_empty();
    // What is read again must be one element.
    if (isRead && llvm::any_of(scanned, [&](AffineExpr loop) {
          return initMap.getResultPosition(loop).has_value();
        }))
      return {};
    carried.push_back(isRead ? getElement(init, getIndices(initMap, iteration))
                             : Value());
    if (isRead && !carried.back())
      return {};
  }
  int64_t numIterations = 1;
  for (int64_t loop : reduced)
    numIterations *= ranges[loop];
  if (numIterations == 0)
    return getElement(nest.getDpsInits()[result], position);
  for (int64_t i = 0; i != numIterations; ++i) {
    if (++numSteps > kMaxSteps)
      return {};
    int64_t rest = i;
    for (int64_t loop : llvm::reverse(reduced)) {
      iteration[loop] = rest % ranges[loop];
      rest /= ranges[loop];
    }
    carried = evaluateBody(nest, iteration, carried);
    if (carried.empty())
      return {};
  }
  return carried[result];
}

SmallVector<Value> SizeReader::evaluateBody(linalg::GenericOp nest,
                                            ArrayRef<int64_t> iteration,
                                            ArrayRef<Value> carried) {
  IRMapping mapping;
  SmallVector<AffineMap> maps = nest.getIndexingMapsArray();
  for (auto [number, argument] : llvm::enumerate(nest.getRegionInputArgs())) {
    if (argument.use_empty())
      continue;
    Value element = getElement(nest.getDpsInputs()[number],
                               getIndices(maps[number], iteration));
    if (!element)
      return {};
    mapping.map(argument, element);
  }
  for (auto [argument, value] :
       llvm::zip_equal(nest.getRegionOutputArgs(), carried))
    if (value)
      mapping.map(argument, value);
  for (Operation &bodyOp : nest.getBody()->without_terminator()) {
    if (auto index = dyn_cast<linalg::IndexOp>(bodyOp)) {
      mapping.map(index.getResult(), b.indexValue(iteration[index.getDim()]));
      continue;
    }
    if (failed(evaluateOp(bodyOp, mapping)))
      return {};
  }
  return llvm::map_to_vector(
      nest.getBody()->getTerminator()->getOperands(),
      [&](Value value) { return mapping.lookupOrDefault(value); });
}

LogicalResult SizeReader::evaluateOp(Operation &bodyOp, IRMapping &mapping) {
  if (auto extract = dyn_cast<tensor::ExtractOp>(bodyOp)) {
    SmallVector<int64_t> position;
    RankedTensorType type = getTensorType(extract.getTensor());
    for (auto [dim, index] : llvm::enumerate(extract.getIndices())) {
      std::optional<int64_t> known =
          getConstantIntValue(mapping.lookupOrDefault(index));
      if (!known || *known < 0 || *known >= type.getDimSize(dim))
        return failure();
      position.push_back(*known);
    }
    Value element = getElement(extract.getTensor(), position);
    if (!element)
      return failure();
    mapping.map(extract.getResult(), element);
    return success();
  }
  if (bodyOp.getNumRegions() != 0 || !isMemoryEffectFree(&bodyOp))
    return failure();
  Operation *copy = bodyOp.clone(mapping);
  SmallVector<Value> folded;
  // What is only changed in place has no new values.
  if (succeeded(b.tryFold(copy, folded)) && !folded.empty()) {
    copy->destroy();
    for (auto [from, to] : llvm::zip_equal(bodyOp.getResults(), folded))
      mapping.map(from, to);
    return success();
  }
  b.insert(copy);
  for (auto [from, to] :
       llvm::zip_equal(bodyOp.getResults(), copy->getResults()))
    mapping.map(from, to);
  return success();
}
