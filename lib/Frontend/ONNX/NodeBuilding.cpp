//===- NodeBuilding.cpp - Operators for a node ----------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// How a converter makes operators. `insert` infers the result of an operator
// and its sizes, verifies it, and reports what is wrong in words about the ONNX
// node. Sizes that are not known are inferred for several cases at once, see
// ShapeValues.h. The other functions are short operators that many converters
// need: slices, pads, transpositions, and reshapes whose sizes may depend on
// the run.
//
//===----------------------------------------------------------------------===//

#include "Importer.h"
#include "NodeContext.h"

#include "mlir/IR/Verifier.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "relay-mlir/Dialect/Relay/IR/Relay.h"
#include "relay-mlir/Dialect/Relay/IR/RelayDynOps.h"
#include "relay-mlir/Dialect/Relay/IR/RelayTransformOps.h"
#include "relay-mlir/Dialect/Relay/IR/TensorLimits.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace mlir::relay;
using namespace mlir::relay::onnx;

namespace {

/// Keeps the messages that are emitted during its life, to be reported in the
/// words of the importer or not at all.
class DiagnosticCollector {
public:
  explicit DiagnosticCollector(MLIRContext *context)
      : handler(context, [this](Diagnostic &diagnostic) {
          if (diagnostic.getSeverity() == DiagnosticSeverity::Error)
            messages.push_back(diagnostic.str());
          return success();
        }) {}

  ArrayRef<std::string> getMessages() const { return messages; }

private:
  SmallVector<std::string> messages;
  ScopedDiagnosticHandler handler;
};

} // namespace

/// The tensor types of a value: the components of a tuple.
static SmallVector<RankedTensorType> getTensorTypes(Type type) {
  if (auto tensor = dyn_cast<RankedTensorType>(type))
    return {tensor};
  SmallVector<RankedTensorType> types;
  for (Type component : cast<TupleType>(type).getTypes())
    types.push_back(cast<RankedTensorType>(component));
  return types;
}

static LogicalResult inferTypes(OperationState &state, ValueRange operands,
                                SmallVectorImpl<Type> &types) {
  std::optional<RegisteredOperationName> info = state.name.getRegisteredInfo();
  if (!info)
    return emitError(state.location)
           << "expects the relay dialect to have " << state.name;
  auto *inference = info->getInterface<InferTypeOpInterface>();
  if (!inference)
    return emitError(state.location)
           << "expects " << state.name << " to infer its result types";
  MLIRContext *context = state.getContext();
  if (failed(
          inference->inferReturnTypes(context, state.location, operands,
                                      state.attributes.getDictionary(context),
                                      state.getRawProperties(), {}, types)))
    return failure();
  for (Type type : types)
    if (failed(
            checkTensorLimits([&] { return emitError(state.location); }, type)))
      return failure();
  return success();
}

/// The results of `state` on operands with other sizes; none if it has none for
/// them. `getSizes` returns those of an operand that has open ones.
static SmallVector<RankedTensorType> inferWithSizes(
    OperationState &state,
    function_ref<std::optional<SmallVector<int64_t>>(Value)> getSizes) {
  Block scratch;
  SmallVector<Value> operands;
  for (Value operand : state.operands) {
    auto type = dyn_cast<RankedTensorType>(operand.getType());
    if (!type || type.hasStaticShape()) {
      operands.push_back(operand);
      continue;
    }
    std::optional<SmallVector<int64_t>> shape = getSizes(operand);
    if (!shape)
      return {};
    operands.push_back(scratch.addArgument(
        RankedTensorType::get(*shape, type.getElementType()), state.location));
  }
  SmallVector<Type> types;
  if (failed(inferTypes(state, operands, types)))
    return {};
  return getTensorTypes(types.front());
}

/// Larger sizes than any case has, but not so large that there is no tensor.
static SmallVector<int64_t> getLargeSizes(ArrayRef<ShapeScalar> dims) {
  int64_t numOpen = llvm::count_if(
      dims, [](const ShapeScalar &dim) { return !dim.getConstant(); });
  int64_t large = int64_t(1) << (numOpen < 2 ? 32 : 40 / numOpen);
  return llvm::map_to_vector(dims, [&](const ShapeScalar &dim) {
    return dim.getConstant().value_or(large + 1);
  });
}

/// The sizes of the results of `state`, by inference on operands with the sizes
/// of each case.
static SmallVector<SmallVector<ShapeScalar>>
inferDims(Importer &importer, OperationState &state,
          ArrayRef<RankedTensorType> results) {
  SmallVector<SmallVector<ShapeScalar>> dims;
  for (RankedTensorType type : results)
    dims.emplace_back(type.getRank());
  for (unsigned i = 0; i < kNumCases; ++i) {
    auto getCase = [&](Value operand) -> std::optional<SmallVector<int64_t>> {
      SmallVector<int64_t> shape;
      for (const ShapeScalar &dim : importer.getDims(operand)) {
        if (!dim.isPossible(i) || dim[i] < 0)
          return std::nullopt;
        shape.push_back(dim[i]);
      }
      return shape;
    };
    for (auto [type, sizes] : llvm::zip(inferWithSizes(state, getCase), dims))
      for (auto [size, scalar] : llvm::zip_equal(type.getShape(), sizes))
        if (!ShapedType::isDynamic(size))
          scalar.set(i, size);
  }
  // Past the end of a slice that starts late enough there is nothing in any
  // case, but in larger tensors.
  SmallVector<RankedTensorType> large =
      inferWithSizes(state, [&](Value operand) {
        return std::optional(getLargeSizes(importer.getDims(operand)));
      });
  for (auto [index, type] : llvm::enumerate(results))
    for (auto [dim, size] : llvm::enumerate(type.getShape())) {
      ShapeScalar &scalar = dims[index][dim];
      std::optional<int64_t> constant = scalar.getConstant();
      if (!ShapedType::isDynamic(size))
        scalar = ShapeScalar::get(size);
      else if (!scalar.isReliable() || (constant && *constant > 1) ||
               (constant && !large.empty() &&
                large[index].getDimSize(dim) != *constant))
        // Of a slice, all cases may be larger than it, but not all inputs.
        scalar = importer.createSymbol();
    }
  return dims;
}

/// Whether `value` has one element along `axis`, or is a slice of one: what
/// broadcasts it means that element.
static bool isSliceOfOne(Value value, int64_t axis) {
  while (auto slice = value.getDefiningOp<DynStridedSliceOp>())
    value = slice.getData();
  return cast<RankedTensorType>(value.getType()).getDimSize(axis) == 1;
}

void NodeContext::fixRepeatedSizes(OperationState &state) {
  if (!state.name.hasInterface<BroadcastOpInterface>() &&
      state.name.getTypeID() != TypeID::get<WhereOp>())
    return;
  // Positions count from the end.
  auto isOne = [&](Value value, int64_t position) {
    SmallVector<ShapeScalar> sizes = getDims(value);
    int64_t axis = static_cast<int64_t>(sizes.size()) - 1 - position;
    return axis < 0 || sizes[axis].getConstant() == 1 ||
           isSliceOfOne(value, axis);
  };
  for (unsigned i = 0; i != state.operands.size(); ++i) {
    auto type = dyn_cast<RankedTensorType>(state.operands[i].getType());
    if (!type || type.hasStaticShape())
      continue;
    for (int64_t axis = 0; axis < type.getRank(); ++axis) {
      int64_t position = type.getRank() - 1 - axis;
      if (type.isDynamicDim(axis) && isOne(state.operands[i], position) &&
          llvm::any_of(state.operands, [&](Value other) {
            return isa<RankedTensorType>(other.getType()) &&
                   !isOne(other, position);
          }))
        state.operands[i] = expectSize(state.operands[i], axis, 1);
    }
  }
}

Value NodeContext::insert(OperationState &state) {
  if (llvm::is_contained(state.operands, Value()))
    return fail();
  fixRepeatedSizes(state);
  if (OpaqueProperties properties = state.getRawProperties())
    state.name.populateDefaultProperties(properties);

  Operation *op = nullptr;
  SmallVector<std::string> messages;
  {
    DiagnosticCollector collector(getContext());
    if (succeeded(inferTypes(state, state.operands, state.types))) {
      op = getBuilder().create(state);
      if (failed(checkAttributeLimits(op)) ||
          failed(verify(op, /*verifyRecursively=*/false))) {
        op->erase();
        op = nullptr;
      }
    }
    messages = llvm::to_vector(collector.getMessages());
    if (op) {
      SmallVector<RankedTensorType> types =
          getTensorTypes(op->getResult(0).getType());
      if (llvm::any_of(types, [](RankedTensorType type) {
            return !type.hasStaticShape();
          }))
        importer.setDims(op->getResult(0), inferDims(importer, state, types));
    }
  }
  if (op)
    return op->getResult(0);

  if (messages.empty())
    messages.push_back("the operands do not fit " +
                       state.name.getStringRef().str());
  if (hasError)
    return nullptr;
  InFlightDiagnostic diagnostic = emitError() << messages.front();
  for (const std::string &message : llvm::drop_begin(messages))
    diagnostic.attachNote() << message;
  for (auto [index, operand] : llvm::enumerate(state.operands))
    diagnostic.attachNote() << "operand " << index << " of " << state.name
                            << " is " << operand.getType();
  return fail();
}

Value NodeContext::getTupleItem(Value tuple, unsigned index) {
  if (!tuple)
    return nullptr;
  SmallVector<ShapeScalar> dims = importer.getDims(tuple, index);
  TupleGetItemOp::Properties properties;
  properties.index = getBuilder().getI64IntegerAttr(index);
  Value item = create<TupleGetItemOp>({tuple}, properties);
  if (item && !getType(item).hasStaticShape())
    importer.setDims(item, {dims});
  return item;
}

Value NodeContext::createConstant(ElementsAttr value) {
  return importer.createConstant(value, getLoc());
}

static TypedAttr getNumberAttr(double value, Type elementType) {
  if (auto floatType = dyn_cast<FloatType>(elementType))
    return FloatAttr::get(floatType, value);
  // The nearest integer of 64 bits; 0 for NaN.
  llvm::APSInt number(64, /*isUnsigned=*/value > 0);
  bool isExact;
  (void)APFloat(value).convertToInteger(number, APFloat::rmTowardZero,
                                        &isExact);
  unsigned width = elementType.getIntOrFloatBitWidth();
  return IntegerAttr::get(elementType, number.trunc(width));
}

Value NodeContext::createScalar(double value, Type elementType) {
  return createConstant(
      DenseElementsAttr::get(RankedTensorType::get({}, elementType),
                             getNumberAttr(value, elementType)));
}

Value NodeContext::createInts(ArrayRef<int64_t> values) {
  return createConstant(DenseElementsAttr::get(
      RankedTensorType::get(values.size(), getBuilder().getI64Type()), values));
}

Value NodeContext::createStrings(ArrayRef<int64_t> numbers) {
  return createConstant(getStringElements(
      getContext(), static_cast<int64_t>(numbers.size()), numbers));
}

Value NodeContext::createFloats(ArrayRef<double> values,
                                ArrayRef<int64_t> shape, Type elementType) {
  auto type = RankedTensorType::get(shape, elementType);
  if (elementType.isF64())
    return createConstant(DenseElementsAttr::get(type, values));
  SmallVector<float> floats(values.begin(), values.end());
  return createConstant(DenseElementsAttr::get(type, ArrayRef<float>(floats)));
}

SmallVector<ShapeScalar> NodeContext::getDims(Value value) const {
  return importer.getDims(value);
}

Value NodeContext::castTo(Value value, Type elementType) {
  if (!value || getType(value).getElementType() == elementType)
    return value;
  CastOp::Properties properties;
  properties.dtype = TypeAttr::get(elementType);
  return create<CastOp>({value}, properties);
}

Value NodeContext::transpose(Value value, ArrayRef<int64_t> permutation) {
  if (!value ||
      llvm::equal(permutation, llvm::seq<int64_t>(permutation.size())))
    return value;
  TransposeOp::Properties properties;
  properties.axes = getBuilder().getDenseI64ArrayAttr(permutation);
  return create<TransposeOp>({value}, properties);
}

Value NodeContext::expandDims(Value value, int64_t axis, int64_t count) {
  if (count == 0)
    return value;
  ExpandDimsOp::Properties properties;
  properties.axis = getBuilder().getI64IntegerAttr(axis);
  properties.num_newaxis = getBuilder().getI64IntegerAttr(count);
  return create<ExpandDimsOp>({value}, properties);
}

Value NodeContext::expandRank(Value value, int64_t rank) {
  if (!value)
    return nullptr;
  return expandDims(value, 0, rank - getType(value).getRank());
}

Value NodeContext::squeeze(Value value, ArrayRef<int64_t> axes) {
  if (axes.empty())
    return value;
  SqueezeOp::Properties properties;
  properties.axis = getBuilder().getDenseI64ArrayAttr(axes);
  return create<SqueezeOp>({value}, properties);
}

Value NodeContext::concatenate(ArrayRef<Value> values, int64_t axis) {
  ConcatenateOp::Properties properties;
  properties.axis = getBuilder().getI64IntegerAttr(axis);
  return create<ConcatenateOp>(values, properties);
}

Value NodeContext::slice(Value value, int64_t axis, int64_t begin, int64_t end,
                         int64_t step) {
  StridedSliceOp::Properties properties;
  properties.begin = getBuilder().getDenseI64ArrayAttr(begin);
  properties.end = getBuilder().getDenseI64ArrayAttr(end);
  properties.strides = getBuilder().getDenseI64ArrayAttr(step);
  properties.axes = getBuilder().getDenseI64ArrayAttr(axis);
  return create<StridedSliceOp>({value}, properties);
}

Value NodeContext::pad(Value value, int64_t axis, int64_t before, int64_t after,
                       double number, StringRef mode) {
  if (!value || (before == 0 && after == 0))
    return value;
  SmallVector<int64_t> widths(2 * getRank(value), 0);
  widths[2 * axis] = before;
  widths[2 * axis + 1] = after;
  NNPadOp::Properties properties;
  properties.pad_width = getBuilder().getDenseI64ArrayAttr(widths);
  properties.pad_mode = getBuilder().getStringAttr(mode);
  return create<NNPadOp>({value, createScalar(number, getElementType(value))},
                         properties);
}

Value NodeContext::reshape(Value value, ArrayRef<int64_t> newShape) {
  if (!value || getType(value).getShape() == newShape)
    return value;
  ReshapeOp::Properties properties;
  properties.newshape = getBuilder().getDenseI64ArrayAttr(newShape);
  return create<ReshapeOp>({value}, properties);
}

Value NodeContext::flatten(Value value, int64_t axis) {
  if (!value)
    return nullptr;
  ShapeScalar sizes[2] = {ShapeScalar::get(1), ShapeScalar::get(1)};
  for (auto [i, dim] : llvm::enumerate(getDims(value)))
    sizes[int64_t(i) >= axis] = multiplySizes(sizes[int64_t(i) >= axis], dim);
  return reshape(value, ArrayRef<ShapeScalar>(sizes));
}

Value NodeContext::roundToEven(Value value) {
  if (!value)
    return nullptr;
  // relay.round takes halves away from zero. For a half, twice the rounded
  // half of it is the even neighbour.
  Type type = getElementType(value);
  Value two = createScalar(2, type);
  Value rounded = create<RoundOp>({value});
  Value fraction =
      create<AbsOp>({create<SubtractOp>({value, create<TruncOp>({value})})});
  Value even = create<MultiplyOp>(
      {two, create<RoundOp>({create<DivideOp>({value, two})})});
  return create<WhereOp>(
      {create<EqualOp>({fraction, createScalar(0.5, type)}), even, rounded});
}

/// The codes of relay.reshape that turn `source` into `target`: sizes, 0 (the
/// same dimension), -1 (inferred), -3 (two dimensions become one) and -4 (one
/// becomes two). None if it takes more.
static std::optional<SmallVector<int64_t>>
getReshapeCodes(ArrayRef<ShapeScalar> source, ArrayRef<ShapeScalar> target) {
  // First with one inferred dimension.
  SmallVector<int64_t> codes;
  for (auto [i, size] : llvm::enumerate(target)) {
    if (std::optional<int64_t> constant = size.getConstant())
      codes.push_back(*constant);
    else if (i < source.size() && size.isSame(source[i]))
      codes.push_back(0);
    else
      codes.push_back(-1);
  }
  if (llvm::count(codes, -1) <= 1)
    return codes;

  // Then by walking both shapes from the front.
  codes.clear();
  size_t s = 0, t = 0;
  while (t < target.size()) {
    std::optional<int64_t> constant = target[t].getConstant();
    if (s < source.size() && target[t].isSame(source[s])) {
      codes.push_back(constant.value_or(0));
      s += 1;
      t += 1;
    } else if (s + 1 < source.size() &&
               target[t].isSame(multiplySizes(source[s], source[s + 1]))) {
      codes.push_back(-3);
      s += 2;
      t += 1;
    } else if (s < source.size() && t + 1 < target.size() &&
               source[s].isSame(multiplySizes(target[t], target[t + 1]))) {
      std::optional<int64_t> second = target[t + 1].getConstant();
      if (!constant && !second)
        return std::nullopt;
      codes.append({-4, constant.value_or(-1), constant ? -1 : *second});
      s += 1;
      t += 2;
    } else {
      return std::nullopt;
    }
  }
  if (s != source.size())
    return std::nullopt;
  return codes;
}

Value NodeContext::reshapeByCodes(Value value, ArrayRef<ShapeScalar> sizes) {
  SmallVector<ShapeScalar> dims = getDims(value);
  if (llvm::equal(dims, sizes,
                  [](const ShapeScalar &dim, const ShapeScalar &size) {
                    return dim.isSame(size);
                  }))
    return value;
  bool isOpen = !getType(value).hasStaticShape();
  // Where sizes are open, a 0 is a code, and with no elements none is inferred.
  bool hasZero = llvm::any_of(sizes, [](const ShapeScalar &size) {
    return size.getConstant() == int64_t(0);
  });
  std::optional<SmallVector<int64_t>> codes;
  if (!isOpen || !hasZero)
    codes = getReshapeCodes(dims, sizes);
  if (!codes)
    return nullptr;
  if (!isOpen && getType(value).getShape() == ArrayRef<int64_t>(*codes))
    return value;
  ReshapeOp::Properties properties;
  properties.newshape = getBuilder().getDenseI64ArrayAttr(*codes);
  // With no code among them, a 0 is a size.
  if (!isOpen && llvm::is_contained(*codes, 0))
    properties.allowzero = getBuilder().getBoolAttr(true);
  return create<ReshapeOp>({value}, properties);
}

Value NodeContext::reshape(Value value, ArrayRef<ShapeScalar> sizes) {
  if (!value)
    return nullptr;
  if (Value result = reshapeByCodes(value, sizes); result || hasError)
    return result;
  bool hasZero = llvm::any_of(sizes, [](const ShapeScalar &size) {
    return size.getConstant() == int64_t(0);
  });
  for (const ShapeScalar &size : sizes)
    if (hasZero && !size.getConstant() && !importer.findDimension(size)) {
      emitError() << "expects no size 0 beside a size that is only known at "
                     "run time and that no tensor has, but got a reshape of "
                  << value.getType();
      return nullptr;
    }
  DynReshapeOp::Properties properties;
  properties.allowzero = getBuilder().getBoolAttr(true);
  return refineDims(
      create<DynReshapeOp>({value, createInts(sizes)}, properties), sizes);
}

Value NodeContext::broadcast(Value value, ArrayRef<ShapeScalar> sizes,
                             Value source) {
  if (!value)
    return nullptr;
  SmallVector<ShapeScalar> dims = getDims(value);
  ArrayRef<int64_t> own = getType(value).getShape();
  size_t offset = sizes.size() - dims.size();
  bool isKept = true, isSame = offset == 0;
  SmallVector<int64_t> shape;
  for (auto [axis, size] : llvm::enumerate(sizes)) {
    std::optional<int64_t> constant = size.getConstant();
    shape.push_back(constant.value_or(-1));
    isKept &= constant || (axis >= offset && dims[axis - offset].isSame(size));
    isSame &= isSame && (constant ? own[axis] == *constant
                                  : ShapedType::isDynamic(own[axis]));
  }
  if (!isKept) {
    // Some size is that of another tensor.
    return refineDims(
        create<DynBroadcastToOp>({value, createInts(sizes, source)}), sizes);
  }
  if (isSame)
    return value;
  BroadcastToOp::Properties properties;
  properties.shape = getBuilder().getDenseI64ArrayAttr(shape);
  // A size that may turn out to be 1 fits, but no size that is tried for it.
  return assumeDims(create<BroadcastToOp>({value}, properties), sizes);
}

//===----------------------------------------------------------------------===//
// Results
//===----------------------------------------------------------------------===//

bool NodeContext::wantsOutput(unsigned index) const {
  return index < getNode().outputs.size() && !getNode().outputs[index].empty();
}

LogicalResult NodeContext::rejectOutput(unsigned index) {
  if (!wantsOutput(index))
    return success();
  return emitError() << "output " << index << " (\"" << getNode().outputs[index]
                     << "\") is not supported";
}

LogicalResult NodeContext::setOutput(unsigned index, Value value) {
  if (narrowType && value && getElementType(value).isF32())
    value = castTo(value, narrowType);
  if (hasError)
    return failure();
  if (!value)
    return rejectOutput(index);
  if (wantsOutput(index))
    pending.outputs[index]->value = value;
  return success();
}
