//===- InterpreterValue.cpp - Values of relay programs --------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "relay-mlir/Interpreter/InterpreterValue.h"

#include "Code.h"
#include "Objects.h"

#include "relay-mlir/Dialect/Relay/IR/Relay.h"

#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

#include <new>

using namespace mlir;
using namespace mlir::relay;
using namespace mlir::relay::detail;

//===----------------------------------------------------------------------===//
// Objects
//===----------------------------------------------------------------------===//

static_assert(sizeof(CompositeObject) % alignof(InterpreterValue) == 0 &&
                  sizeof(ClosureObject) % alignof(InterpreterValue) == 0,
              "fields follow directly");

CompositeObject *CompositeObject::create(InterpreterValue::Kind kind,
                                         SymbolRefAttr constructor,
                                         uint32_t index,
                                         ArrayRef<InterpreterValue> fields) {
  void *memory = ::operator new(sizeof(CompositeObject) +
                                fields.size() * sizeof(InterpreterValue));
  auto *object = new (memory) CompositeObject(kind);
  object->size = fields.size();
  object->index = index;
  object->constructor = constructor;
  llvm::uninitialized_copy(fields, object->getFields().begin());
  return object;
}

ClosureObject *ClosureObject::create(std::shared_ptr<const Code> code,
                                     ArrayRef<InterpreterValue> captures) {
  void *memory = ::operator new(sizeof(ClosureObject) +
                                captures.size() * sizeof(InterpreterValue));
  auto *object = new (memory) ClosureObject();
  object->code = std::move(code);
  object->size = captures.size();
  llvm::uninitialized_copy(captures, object->getCaptures().begin());
  return object;
}

static void destroyObject(Object *object) {
  switch (object->kind) {
  case InterpreterValue::Kind::Tensor:
    delete static_cast<TensorObject *>(object);
    return;
  case InterpreterValue::Kind::Constructor:
    delete static_cast<ConstructorObject *>(object);
    return;
  case InterpreterValue::Kind::Reference:
    delete static_cast<CellObject *>(object);
    return;
  case InterpreterValue::Kind::Tuple:
  case InterpreterValue::Kind::Data: {
    auto *composite = static_cast<CompositeObject *>(object);
    MutableArrayRef<InterpreterValue> fields = composite->getFields();
    std::destroy(fields.begin(), fields.end());
    composite->~CompositeObject();
    ::operator delete(composite);
    return;
  }
  case InterpreterValue::Kind::Closure: {
    auto *closure = static_cast<ClosureObject *>(object);
    MutableArrayRef<InterpreterValue> captures = closure->getCaptures();
    std::destroy(captures.begin(), captures.end());
    closure->~ClosureObject();
    ::operator delete(closure);
    return;
  }
  }
}

/// Destroys an object. What that releases in turn waits until it is done, so
/// that a list of any length takes no C++ stack.
static void destroy(Object *object) {
  static thread_local SmallVectorImpl<Object *> *waiting = nullptr;
  if (waiting)
    return waiting->push_back(object);
  SmallVector<Object *> queue;
  waiting = &queue;
  destroyObject(object);
  while (!queue.empty())
    destroyObject(queue.pop_back_val());
  waiting = nullptr;
}

//===----------------------------------------------------------------------===//
// InterpreterValue
//===----------------------------------------------------------------------===//

InterpreterValue::InterpreterValue(Tensor tensor)
    : object(new TensorObject(std::move(tensor))) {}

InterpreterValue::InterpreterValue(ArrayRef<InterpreterValue> fields)
    : object(CompositeObject::create(Kind::Tuple, nullptr, 0, fields)) {}

InterpreterValue InterpreterValue::getData(SymbolRefAttr constructor,
                                           unsigned index,
                                           ArrayRef<InterpreterValue> fields) {
  return adopt(CompositeObject::create(Kind::Data, constructor, index, fields));
}

void InterpreterValue::retain() const {
  if (object)
    object->numReferences.fetch_add(1, std::memory_order_relaxed);
}

void InterpreterValue::release() {
  if (object->numReferences.fetch_sub(1, std::memory_order_acq_rel) == 1)
    destroy(object);
}

InterpreterValue::Kind InterpreterValue::getKind() const {
  assert(object && "expects a value");
  return object->kind;
}

const Tensor &InterpreterValue::getTensor() const {
  assert(isTensor() && "expects a tensor");
  return static_cast<TensorObject *>(object)->tensor;
}

ArrayRef<InterpreterValue> InterpreterValue::getFields() const {
  assert((isTuple() || isData()) && "expects a value with fields");
  return static_cast<CompositeObject *>(object)->getFields();
}

SymbolRefAttr InterpreterValue::getConstructor() const {
  if (is(Kind::Constructor))
    return static_cast<ConstructorObject *>(object)->constructor;
  assert(isData() && "expects a value of a data type");
  return static_cast<CompositeObject *>(object)->constructor;
}

StringRef InterpreterValue::getConstructorName() const {
  return getConstructor().getLeafReference().getValue();
}

unsigned InterpreterValue::getConstructorIndex() const {
  if (is(Kind::Constructor))
    return static_cast<ConstructorObject *>(object)->index;
  assert(isData() && "expects a value of a data type");
  return static_cast<CompositeObject *>(object)->index;
}

InterpreterValue InterpreterValue::getContents() const {
  assert(isReference() && "expects a reference");
  return static_cast<CellObject *>(object)->contents;
}

Type InterpreterValue::getType(MLIRContext *context) const {
  if (!object)
    return NoneType::get(context);
  switch (getKind()) {
  case Kind::Tensor:
    return getTensor().getType();
  case Kind::Tuple: {
    SmallVector<Type> types;
    for (const InterpreterValue &field : getFields())
      types.push_back(field.getType(context));
    return TupleType::get(context, types);
  }
  case Kind::Closure:
    return static_cast<ClosureObject *>(object)->code->type;
  case Kind::Constructor:
    return static_cast<ConstructorObject *>(object)->type;
  case Kind::Data:
    return ADTType::get(
        FlatSymbolRefAttr::get(getConstructor().getRootReference()));
  case Kind::Reference:
    return RefType::get(getContents().getType(context));
  }
  llvm_unreachable("every kind is handled");
}

//===----------------------------------------------------------------------===//
// Printing
//===----------------------------------------------------------------------===//

static void printElement(raw_ostream &os, const Tensor &tensor,
                         int64_t position) {
  Type type = tensor.getElementType();
  dispatchWideType(type, [&](auto wide) {
    tensor.load(position, 1, 1, &wide);
    if (type.isInteger(1))
      os << (wide ? "True" : "False");
    else if constexpr (std::is_same_v<decltype(wide), double>)
      os << llvm::format("%.6g", wide);
    else
      os << wide;
  });
}

static void printElements(raw_ostream &os, const Tensor &tensor, int64_t dim,
                          int64_t &position) {
  if (dim == tensor.getRank())
    return printElement(os, tensor, position++);
  os << '[';
  for (int64_t i = 0; i < tensor.getDimSize(dim); ++i) {
    if (i)
      os << ", ";
    printElements(os, tensor, dim + 1, position);
  }
  os << ']';
}

static void printTensor(raw_ostream &os, const Tensor &tensor) {
  constexpr int64_t maxElements = 64;
  // Few elements may still have a thousand dimensions.
  constexpr int64_t maxRank = 16;
  if (tensor.getNumElements() > maxElements || tensor.getRank() > maxRank) {
    os << '<' << tensor.getType() << '>';
    return;
  }
  int64_t position = 0;
  printElements(os, tensor, 0, position);
}

namespace {

/// Prints values; keeps a stack of its own, since lists are deep.
class ValuePrinter {
public:
  ValuePrinter(raw_ostream &os, unsigned maxDepth, bool denseTensors)
      : os(os), maxDepth(maxDepth), denseTensors(denseTensors) {}

  void print(const InterpreterValue &root) {
    begin(root);
    while (!stack.empty()) {
      auto &[value, children, next] = stack.back();
      if (next == children.size()) {
        if (value.isTuple() && next == 1)
          os << ',';
        os << ')';
        if (!value.isTuple())
          --numDataParents;
        if (value.isReference())
          open.pop_back();
        stack.pop_back();
        continue;
      }
      if (next)
        os << ", ";
      // A copy: `begin` may move the stack.
      InterpreterValue child = children[next++];
      begin(child);
    }
  }

private:
  struct Entry {
    InterpreterValue value;
    SmallVector<InterpreterValue, 2> children;
    size_t next = 0;
  };

  /// Prints all of a simple value, or how one with fields begins.
  void begin(const InterpreterValue &value) {
    if (!value) {
      os << "<nothing>";
      return;
    }
    switch (value.getKind()) {
    case InterpreterValue::Kind::Tensor:
      if (denseTensors && !numDataParents)
        os << value.getTensor().toDenseElements();
      else
        printTensor(os, value.getTensor());
      return;
    case InterpreterValue::Kind::Closure:
      os << "<closure>";
      return;
    case InterpreterValue::Kind::Constructor:
      os << value.getConstructorName();
      return;
    case InterpreterValue::Kind::Tuple:
      if (stack.size() >= maxDepth) {
        os << "(...)";
        return;
      }
      os << '(';
      stack.push_back({value, llvm::to_vector<2>(value.getFields())});
      return;
    case InterpreterValue::Kind::Data:
      os << value.getConstructorName();
      if (value.getFields().empty())
        return;
      if (stack.size() >= maxDepth) {
        os << "(...)";
        return;
      }
      os << '(';
      ++numDataParents;
      stack.push_back({value, llvm::to_vector<2>(value.getFields())});
      return;
    case InterpreterValue::Kind::Reference:
      os << "ref(";
      // One that contains itself has no end.
      if (stack.size() >= maxDepth ||
          llvm::is_contained(open, value.getObject())) {
        os << "...)";
        return;
      }
      ++numDataParents;
      open.push_back(value.getObject());
      stack.push_back({value, {value.getContents()}});
      return;
    }
  }

  raw_ostream &os;
  unsigned maxDepth;
  bool denseTensors;
  unsigned numDataParents = 0;
  std::vector<Entry> stack;
  SmallVector<Object *> open;
};

} // namespace

void InterpreterValue::print(raw_ostream &os, unsigned maxDepth) const {
  ValuePrinter(os, maxDepth, /*denseTensors=*/false).print(*this);
}

raw_ostream &mlir::relay::operator<<(raw_ostream &os,
                                     const InterpreterValue &value) {
  ValuePrinter(os, std::numeric_limits<unsigned>::max(), /*denseTensors=*/true)
      .print(value);
  return os;
}
