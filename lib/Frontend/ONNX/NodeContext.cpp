//===- NodeContext.cpp - What a converter sees of its node ----------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "NodeContext.h"

#include "Importer.h"

#include "relay-mlir/Dialect/Relay/IR/Relay.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace mlir::relay;
using namespace mlir::relay::onnx;

NodeContext::NodeContext(Importer &importer, PendingNode &pending)
    : importer(importer), pending(pending) {}

unsigned NodeContext::countRandom(StringRef name) const {
  return importer.countRandom(name);
}

SmallVector<Value> NodeContext::getIterations() const {
  SmallVector<Value> numbers;
  for (Frame *frame = pending.frame; frame;
       frame = frame->parent ? frame->parent : frame->caller) {
    if (!frame->iteration)
      continue;
    if (failed(importer.materialize(*frame->iteration)))
      return {};
    numbers.push_back(frame->iteration->value);
  }
  return numbers;
}

const Node &NodeContext::getNode() const { return *pending.node; }
int64_t NodeContext::getOpset() const { return pending.opset; }
OpBuilder &NodeContext::getBuilder() const { return importer.getBuilder(); }
Location NodeContext::getLoc() const { return importer.getNodeLoc(getNode()); }

InFlightDiagnostic NodeContext::emitError() const {
  InFlightDiagnostic error = mlir::emitError(importer.getFileLoc());
  // What goes wrong after the first error follows from it.
  if (hasError)
    error.abandon();
  hasError = true;
  error << describeNode(getNode(), getOpset()) << ": ";
  return error;
}

InFlightDiagnostic NodeContext::emitWarning() const {
  return mlir::emitWarning(importer.getFileLoc())
         << describeNode(getNode(), getOpset()) << ": ";
}

//===----------------------------------------------------------------------===//
// Inputs
//===----------------------------------------------------------------------===//

unsigned NodeContext::getNumInputs() const { return pending.inputs.size(); }

bool NodeContext::hasInput(unsigned index) const {
  return index < pending.inputs.size() && pending.inputs[index];
}

LogicalResult NodeContext::expectSameElements(unsigned index,
                                              unsigned other) const {
  if (!hasInput(index))
    return success();
  Type type = getInputType(index).getElementType();
  Type expected = getInputType(other).getElementType();
  if (type == expected)
    return success();
  return emitError() << "expects elements of type " << expected << " in input "
                     << index << ", as in input " << other << ", but got "
                     << type;
}

LogicalResult NodeContext::checkInputTypes() {
  constexpr int numTypes = 32;
  for (unsigned i = 0, e = getNumInputs(); i < e; ++i) {
    // Numbers that are only computed with here have the type of the arithmetic.
    if (!hasInput(i) ||
        (!pending.inputs[i]->value && !pending.inputs[i]->tensor))
      continue;
    Type type = getInputType(i).getElementType();
    if (isStringType(type) && !takesStrings(getNode().domain, getNode().opType))
      return emitError() << "expects numbers in input " << i << " (\""
                         << getNode().inputs[i] << "\"), but got strings";
    if (isStringType(type) && getString("reduction", "none") != "none")
      return emitError() << "expects no reduction of strings, but got \""
                         << getString("reduction", "") << '"';
    uint32_t types = getInputTypes(getNode().domain, getNode().opType, i);
    SmallVector<std::string> names;
    std::string found;
    for (int number = 1; number != numTypes; ++number) {
      auto dtype = static_cast<DataType>(number);
      Type known = getTensorElementType(getContext(), dtype);
      bool isListed = types & (1u << number);
      if (known == type)
        found = isListed ? "" : getDataTypeName(dtype);
      if (known && isListed)
        names.push_back(getDataTypeName(dtype));
    }
    if (!found.empty())
      return emitError() << "expects input " << i << " (\""
                         << getNode().inputs[i] << "\") of type "
                         << llvm::join(names, " or ") << ", but got " << found;
  }
  return success();
}

Value NodeContext::getInput(unsigned index) const {
  if (Value wide = wideInputs.lookup(index))
    return wide;
  return hasInput(index) ? pending.inputs[index]->value : Value();
}

Value NodeContext::widen(Value value) {
  if (!value)
    return nullptr;
  Type type = getElementType(value);
  return type.isF16() || type.isBF16()
             ? castTo(value, getBuilder().getF32Type())
             : value;
}

void NodeContext::widenInputs() {
  if (!pending.entry->isComposed)
    return;
  for (unsigned i = 0, e = getNumInputs(); i < e; ++i) {
    Value value = getInput(i), wide = widen(value);
    if (wide == value)
      continue;
    narrowType = getElementType(value);
    wideInputs[i] = wide;
  }
}

SmallVector<Value> NodeContext::getInputs() const {
  SmallVector<Value> values;
  for (unsigned i = 0, e = getNumInputs(); i < e; ++i)
    values.push_back(getInput(i));
  return values;
}

RankedTensorType NodeContext::getInputType(unsigned index) const {
  return importer.getType(*pending.inputs[index]);
}

SmallVector<ShapeScalar> NodeContext::getInputDims(unsigned index) const {
  return importer.getDims(*pending.inputs[index]);
}

bool NodeContext::isComputed(unsigned index) const {
  const Binding &binding = *pending.inputs[index];
  return !binding.contents && !binding.tensor &&
         !binding.value.getDefiningOp<ConstantOp>();
}

ShapeScalar NodeContext::createSymbol() { return importer.createSymbol(); }

bool NodeContext::isArgumentSize(const ShapeScalar &size) const {
  return importer.findDimension(size).has_value();
}

const ShapeTensor *NodeContext::getContents(unsigned index) const {
  return hasInput(index) ? importer.getContents(*pending.inputs[index])
                         : nullptr;
}

const ShapeTensor *NodeContext::getPartialContents(unsigned index) const {
  return hasInput(index) ? importer.getPartialContents(*pending.inputs[index])
                         : nullptr;
}

FailureOr<SmallVector<int64_t>> NodeContext::getConstantInts(unsigned index) {
  if (!hasInput(index)) {
    emitError() << "expects input " << index << ", which is left out";
    return failure();
  }
  const ShapeTensor *contents = getContents(index);
  std::optional<SmallVector<int64_t>> values;
  if (contents)
    values = contents->getConstants();
  if (values)
    return std::move(*values);
  emitError() << "expects input " << index << " (\"" << getNode().inputs[index]
              << "\") to be constant, but it is computed at run time";
  return failure();
}

FailureOr<int64_t> NodeContext::getConstantInt(unsigned index) {
  FailureOr<SmallVector<int64_t>> values = getConstantInts(index);
  if (failed(values))
    return failure();
  if (values->size() == 1)
    return values->front();
  emitError() << "expects one element in input " << index << " (\""
              << getNode().inputs[index] << "\"), but got " << values->size();
  return failure();
}

std::optional<double> NodeContext::getConstantFloat(unsigned index) const {
  const ShapeTensor *contents = getContents(index);
  if (!contents || contents->elements.size() != 1)
    return std::nullopt;
  if (contents->isFloat())
    return contents->elements[0].getFloatConstant();
  if (std::optional<int64_t> value = contents->elements[0].getConstant())
    return static_cast<double>(*value);
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Attributes
//===----------------------------------------------------------------------===//

static const NodeAttribute *lookupAttr(const PendingNode &pending,
                                       StringRef name) {
  for (const auto &attribute : pending.node->attributes) {
    if (attribute.name != name)
      continue;
    if (attribute.reference.empty())
      return &attribute;
    // The attribute of the call; the operator's default if that has none.
    return pending.frame->lookupAttribute(attribute.reference);
  }
  return nullptr;
}

bool NodeContext::hasAttr(StringRef name) const {
  return lookupAttr(pending, name);
}

const NodeAttribute *NodeContext::findAttr(StringRef name,
                                           NodeAttribute::Kind kind) {
  const NodeAttribute *attribute = lookupAttr(pending, name);
  if (!attribute || attribute->kind == kind)
    return attribute;
  // An empty list is as good as none.
  if (attribute->kind == NodeAttribute::Kind::None)
    return nullptr;
  emitError() << "expects attribute \"" << name << "\" to be "
              << describeKind(kind) << ", but got "
              << describeKind(attribute->kind);
  return nullptr;
}

int64_t NodeContext::getInt(StringRef name, int64_t defaultValue) {
  const NodeAttribute *attribute = findAttr(name, NodeAttribute::Kind::Int);
  return attribute ? attribute->i : defaultValue;
}

bool NodeContext::getBool(StringRef name, bool defaultValue) {
  int64_t value = getInt(name, defaultValue);
  if (value != 0 && value != 1)
    emitError() << "expects attribute \"" << name << "\" to be 0 or 1, but got "
                << value;
  return value != 0;
}

double NodeContext::getFloat(StringRef name, double defaultValue) {
  const NodeAttribute *attribute = findAttr(name, NodeAttribute::Kind::Float);
  return attribute ? attribute->f : defaultValue;
}

StringRef NodeContext::getString(StringRef name, StringRef defaultValue) {
  const NodeAttribute *attribute = findAttr(name, NodeAttribute::Kind::String);
  return attribute ? StringRef(attribute->s) : defaultValue;
}

std::optional<ArrayRef<int64_t>> NodeContext::getInts(StringRef name) {
  const NodeAttribute *attribute = findAttr(name, NodeAttribute::Kind::Ints);
  if (!attribute)
    return std::nullopt;
  return ArrayRef(attribute->ints);
}

std::optional<ArrayRef<float>> NodeContext::getFloats(StringRef name) {
  const NodeAttribute *attribute = findAttr(name, NodeAttribute::Kind::Floats);
  if (!attribute)
    return std::nullopt;
  return ArrayRef(attribute->floats);
}

ArrayRef<std::string> NodeContext::getStrings(StringRef name) {
  const NodeAttribute *attribute = findAttr(name, NodeAttribute::Kind::Strings);
  return attribute ? ArrayRef(attribute->strings) : ArrayRef<std::string>();
}

SmallVector<int64_t>
NodeContext::getStringNumbers(StringRef name, ArrayRef<std::string> texts) {
  if (!llvm::all_of(texts, isStringElement))
    emitError() << "expects attribute \"" << name << "\" to have "
                << kStringElements;
  return importer.getStrings().getNumbers(texts);
}

const Tensor *NodeContext::getTensor(StringRef name) {
  const NodeAttribute *attribute = findAttr(name, NodeAttribute::Kind::Tensor);
  return attribute ? attribute->tensor.get() : nullptr;
}

DataType NodeContext::getDataType(StringRef name, DataType defaultValue) {
  int64_t value = getInt(name, static_cast<int64_t>(defaultValue));
  if (value >= 0 && value <= std::numeric_limits<int32_t>::max())
    return static_cast<DataType>(value);
  emitError() << "expects attribute \"" << name
              << "\" to be a data type, but got " << value;
  return DataType::Undefined;
}

DenseElementsAttr NodeContext::getElements(StringRef name) {
  const Tensor *tensor = getTensor(name);
  if (!tensor)
    return nullptr;
  llvm::Expected<DenseElementsAttr> elements = importer.loadInline(*tensor);
  if (elements)
    return *elements;
  emitError() << llvm::toString(elements.takeError());
  return nullptr;
}

FailureOr<DenseElementsAttr> NodeContext::getFillValue() {
  DenseElementsAttr value = getElements("value");
  if (hasError)
    return failure();
  if (!value)
    return DenseElementsAttr::get(
        RankedTensorType::get({1}, getBuilder().getF32Type()), 0.0f);
  if (value.getNumElements() == 1)
    return value;
  emitError() << "expects one element in attribute \"value\", but got "
              << value.getNumElements();
  return failure();
}

//===----------------------------------------------------------------------===//
// Rewriting
//===----------------------------------------------------------------------===//

void NodeContext::setAttr(NodeAttribute attribute) {
  std::vector<NodeAttribute> &attributes =
      importer.rewriteNode(pending).attributes;
  auto it = llvm::find_if(attributes, [&](const NodeAttribute &other) {
    return other.name == attribute.name;
  });
  if (it != attributes.end())
    *it = std::move(attribute);
  else
    attributes.push_back(std::move(attribute));
}

Value NodeContext::materializeInput(unsigned index) {
  if (failed(importer.materialize(*pending.inputs[index])))
    return fail();
  return pending.inputs[index]->value;
}

void NodeContext::setInput(unsigned index, Value value) {
  if (!value || value == pending.inputs[index]->value)
    return;
  Binding *binding = importer.createBinding(getNode().inputs[index]);
  binding->value = value;
  pending.inputs[index] = binding;
}

void NodeContext::setLastInput(unsigned index, StringRef name,
                               ArrayRef<int64_t> values) {
  Binding *binding = importer.createBinding(name);
  binding->contents = ShapeTensor{
      getBuilder().getI64Type(), {static_cast<int64_t>(values.size())}, {}};
  for (int64_t value : values)
    binding->contents->elements.push_back(ShapeScalar::get(value));
  pending.inputs.resize(index);
  pending.inputs.push_back(binding);
  std::vector<std::string> &names = importer.rewriteNode(pending).inputs;
  names.resize(index);
  names.push_back(name.str());
}

//===----------------------------------------------------------------------===//
// Axes
//===----------------------------------------------------------------------===//

FailureOr<int64_t> NodeContext::normalizeAxis(int64_t axis, int64_t rank) {
  if (axis >= -rank && axis < rank)
    return axis < 0 ? axis + rank : axis;
  emitError() << "expects an axis in [" << -rank << ", " << rank
              << "), but got " << axis;
  return failure();
}

FailureOr<SmallVector<int64_t>>
NodeContext::normalizeAxes(ArrayRef<int64_t> axes, int64_t rank) {
  SmallVector<int64_t> result;
  for (int64_t axis : axes) {
    FailureOr<int64_t> normalized = normalizeAxis(axis, rank);
    if (failed(normalized))
      return failure();
    if (llvm::is_contained(result, *normalized)) {
      emitError() << "expects distinct axes, but got " << axis << " twice";
      return failure();
    }
    result.push_back(*normalized);
  }
  return result;
}
