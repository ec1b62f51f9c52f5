//===- PartialValues.cpp - What is known of values ------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PartialValues.h"

#include "relay-mlir/Interpreter/ElementTypes.h"

using namespace mlir;
using namespace mlir::relay;

std::optional<int64_t> Partial::getNumber() const {
  if (kind != Kind::Tensor || !contents.isTensor())
    return std::nullopt;
  const Tensor &tensor = contents.getTensor();
  Type type = tensor.getElementType();
  if (tensor.getNumElements() != 1 || !tensor.getShape().empty() ||
      !type.isInteger())
    return std::nullopt;
  return dispatchElementType(type, [&](auto element) -> std::optional<int64_t> {
    using T = decltype(element);
    if constexpr (std::is_integral_v<T>) {
      T number;
      std::memcpy(&number, tensor.getRawData(), sizeof(T));
      return static_cast<int64_t>(number);
    }
    return std::nullopt;
  });
}

//===----------------------------------------------------------------------===//
// Fuel
//===----------------------------------------------------------------------===//

/// More parts of arguments are not looked at.
static constexpr unsigned kMaxMeasures = 16;

void Fuel::add(const Partial &value) {
  if (measures.size() == kMaxMeasures)
    return;
  std::optional<int64_t> number = value.getNumber();
  if (number && *number < 0)
    number = std::nullopt;
  measures.push_back({value.time, number});
  if (value.kind == Partial::Kind::Tuple)
    for (Partial *field : value.fields)
      add(*field);
}

Fuel::Fuel(Partial *closure, ArrayRef<Partial *> args) {
  if (closure)
    add(*closure);
  for (Partial *arg : args)
    add(*arg);
}

std::pair<Fuel, bool> Fuel::meet(const Fuel &next) const {
  Fuel result = *this;
  bool progress = false;
  for (auto [measure, other] : llvm::zip(result.measures, next.measures)) {
    if (other.time < measure.time) {
      measure.time = other.time;
      progress = true;
    }
    if (!other.number)
      continue;
    progress |= measure.number && *other.number < *measure.number;
    measure.number =
        std::min(measure.number.value_or(*other.number), *other.number);
  }
  return {std::move(result), progress};
}

//===----------------------------------------------------------------------===//
// Patterns
//===----------------------------------------------------------------------===//

std::optional<bool> relay::matchPattern(Attribute pattern, Partial *value,
                                        SmallVectorImpl<Partial *> &bound) {
  if (isa<WildcardPatternAttr>(pattern))
    return true;
  if (isa<VarPatternAttr>(pattern)) {
    bound.push_back(value);
    return true;
  }
  ArrayRef<Attribute> patterns;
  if (auto constructor = dyn_cast<ConstructorPatternAttr>(pattern)) {
    if (value->kind != Partial::Kind::Data)
      return std::nullopt;
    if (value->constructor != constructor.getConstructor())
      return false;
    patterns = constructor.getFields();
  } else {
    if (value->kind != Partial::Kind::Tuple)
      return std::nullopt;
    patterns = cast<TuplePatternAttr>(pattern).getFields();
  }
  // A field that does not match decides, whatever is open of others.
  bool isOpen = false;
  for (auto [inner, field] : llvm::zip_equal(patterns, value->fields)) {
    std::optional<bool> matches = matchPattern(inner, field, bound);
    if (matches == false)
      return false;
    isOpen |= !matches;
  }
  return isOpen ? std::nullopt : std::optional<bool>(true);
}
