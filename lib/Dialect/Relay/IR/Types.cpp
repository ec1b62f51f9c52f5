//===- Types.cpp - Types of the language ----------------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "relay-mlir/Dialect/Relay/IR/PolymorphicTypes.h"

#include "mlir/IR/DialectImplementation.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::relay;

#define GET_TYPEDEF_CLASSES
#include "relay-mlir/Dialect/Relay/IR/RelayTypes.cpp.inc"
#define GET_ATTRDEF_CLASSES
#include "relay-mlir/Dialect/Relay/IR/RelayAttributes.cpp.inc"

void RelayDialect::registerTypes() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "relay-mlir/Dialect/Relay/IR/RelayTypes.cpp.inc"
      >();
  addAttributes<
#define GET_ATTRDEF_LIST
#include "relay-mlir/Dialect/Relay/IR/RelayAttributes.cpp.inc"
      >();
}

LogicalResult ForallType::verify(function_ref<InFlightDiagnostic()> emitError,
                                 ArrayRef<StringAttr> params, FunctionType) {
  if (params.empty())
    return emitError() << "expects at least one type parameter, but got none";
  llvm::StringSet<> names;
  for (StringAttr param : params)
    if (!names.insert(param.getValue()).second)
      return emitError() << "expects distinct type parameters, but got "
                         << param << " twice";
  return success();
}

//===----------------------------------------------------------------------===//
// Polymorphic types
//===----------------------------------------------------------------------===//

ArrayRef<StringAttr> relay::getTypeParams(Type functionType) {
  if (auto forall = dyn_cast<ForallType>(functionType))
    return forall.getParams();
  return {};
}

FunctionType relay::getFunctionBody(Type type) {
  if (auto forall = dyn_cast<ForallType>(type))
    return forall.getBody();
  return dyn_cast<FunctionType>(type);
}

Type relay::getFunctionType(ArrayRef<StringAttr> params, FunctionType body) {
  if (params.empty())
    return body;
  return ForallType::get(params, body);
}

bool relay::isIncomplete(Type type) {
  return type
      .walk([](Type inner) {
        return isa<IncompleteType>(inner) ? WalkResult::interrupt()
                                          : WalkResult::advance();
      })
      .wasInterrupted();
}

unsigned TypeDepths::get(Type type, unsigned level) {
  if (isa<RankedTensorType>(type))
    return 1;
  // All types around this one are too deep.
  if (level > kMaxDepth)
    return kMaxDepth + 1;
  if (auto it = known.find(type); it != known.end())
    return it->second;
  unsigned depth = 0;
  type.walkImmediateSubElements(
      [](Attribute) {},
      [&](Type part) { depth = std::max(depth, get(part, level + 1)); });
  return known[type] = std::min(depth + 1, kMaxDepth + 1);
}

unsigned TypeDepths::countParts(Type type) {
  if (isa<RankedTensorType>(type))
    return 1;
  if (auto it = numParts.find(type); it != numParts.end())
    return it->second;
  unsigned count = 1;
  type.walkImmediateSubElements([](Attribute) {},
                                [&](Type part) {
                                  if (count <= kMaxParts)
                                    count += countParts(part);
                                });
  return numParts[type] = std::min(count, kMaxParts + 1);
}

bool relay::isUndetermined(Type type) {
  return type
      .walk<WalkOrder::PreOrder>([](Type inner) {
        if (isa<ADTType>(inner))
          return WalkResult::skip();
        return isa<IncompleteType>(inner) ? WalkResult::interrupt()
                                          : WalkResult::advance();
      })
      .wasInterrupted();
}

bool relay::knowsAsMuch(Type actual, Type declared) {
  if (actual == declared)
    return true;
  if (auto tuple = dyn_cast<TupleType>(declared)) {
    auto other = dyn_cast<TupleType>(actual);
    return other && other.size() == tuple.size() &&
           llvm::all_of_zip(other.getTypes(), tuple.getTypes(), knowsAsMuch);
  }
  auto tensor = dyn_cast<RankedTensorType>(declared);
  if (!tensor)
    return true;
  auto other = dyn_cast<RankedTensorType>(actual);
  return other && other.getRank() == tensor.getRank() &&
         llvm::all_of_zip(other.getShape(), tensor.getShape(),
                          [](int64_t known, int64_t expected) {
                            return ShapedType::isDynamic(expected) ||
                                   known == expected;
                          });
}

Type relay::substituteTypes(Type type, const TypeSubstitution &substitution) {
  if (substitution.empty())
    return type;
  AttrTypeReplacer replacer;
  replacer.addReplacement(
      [&](TypeVarType var) -> std::optional<std::pair<Type, WalkResult>> {
        auto it = substitution.find(var.getName());
        Type replacement =
            it == substitution.end() || !it->second ? var : it->second;
        return std::make_pair(replacement, WalkResult::skip());
      });
  replacer.addReplacement(
      [&](ForallType forall) -> std::optional<std::pair<Type, WalkResult>> {
        TypeSubstitution inner = substitution;
        for (StringAttr param : forall.getParams())
          inner.erase(param.getValue());
        Type body = substituteTypes(forall.getBody(), inner);
        return std::make_pair(
            Type(ForallType::get(forall.getParams(), cast<FunctionType>(body))),
            WalkResult::skip());
      });
  return replacer.replace(type);
}

/// Whether `general` has an instance that is `body`, whose variables are those
/// of somebody else, whatever their names are.
static bool isInstanceOf(ForallType general, FunctionType body) {
  TypeSubstitution renaming, params;
  for (StringAttr param : general.getParams()) {
    std::string name = ("'" + param.getValue()).str();
    renaming[param.getValue()] = TypeVarType::get(param.getContext(), name);
    params[name] = nullptr;
  }
  return matchInstance(substituteTypes(general.getBody(), renaming), body,
                       params);
}

/// Types that are not known are incomplete.
static void completeUnknown(TypeSubstitution &substitution,
                            MLIRContext *context) {
  for (auto &entry : substitution)
    if (!entry.second)
      entry.second = IncompleteType::get(context);
}

/// The type of a polymorphic function where one of type `wanted` is asked for,
/// as far as that tells.
static Type getInstanceFor(ForallType general, Type wanted) {
  TypeSubstitution params;
  for (StringAttr param : general.getParams())
    params[param.getValue()] = nullptr;
  // What does not match is an error of whoever compares the result.
  (void)matchInstance(general.getBody(), wanted, params);
  completeUnknown(params, general.getContext());
  return substituteTypes(general.getBody(), params);
}

bool relay::matchInstance(Type general, Type actual,
                          TypeSubstitution &substitution) {
  if (isa<IncompleteType>(general) || isa<IncompleteType>(actual))
    return true;
  auto matchAll = [&](ArrayRef<Type> generals, ArrayRef<Type> actuals) {
    return generals.size() == actuals.size() &&
           llvm::all_of_zip(generals, actuals, [&](Type a, Type b) {
             return matchInstance(a, b, substitution);
           });
  };
  if (auto var = dyn_cast<TypeVarType>(general)) {
    auto it = substitution.find(var.getName());
    if (it == substitution.end())
      return general == actual;
    if (!it->second) {
      it->second = actual;
      return true;
    }
    if (areCompatible(it->second, actual)) {
      if (isIncomplete(it->second))
        it->second = actual;
      return true;
    }
    // A polymorphic function was passed, and is used as this instance.
    if (!areCompatible(actual, it->second))
      return false;
    it->second = actual;
    return true;
  }
  return TypeSwitch<Type, bool>(general)
      .Case([&](RankedTensorType tensor) {
        auto other = dyn_cast<RankedTensorType>(actual);
        return other && tensor.getElementType() == other.getElementType() &&
               succeeded(verifyCompatibleShape(tensor, other));
      })
      .Case([&](TupleType tuple) {
        auto other = dyn_cast<TupleType>(actual);
        return other && matchAll(tuple.getTypes(), other.getTypes());
      })
      .Case([&](FunctionType function) {
        // A polymorphic function may be used as any instance.
        if (auto forall = dyn_cast<ForallType>(actual)) {
          TypeSubstitution known = substitution;
          completeUnknown(known, forall.getContext());
          actual = getInstanceFor(forall, substituteTypes(function, known));
        }
        auto other = dyn_cast<FunctionType>(actual);
        return other && matchAll(function.getInputs(), other.getInputs()) &&
               matchAll(function.getResults(), other.getResults());
      })
      .Case([&](RefType ref) {
        auto other = dyn_cast<RefType>(actual);
        return other && matchInstance(ref.getContentType(),
                                      other.getContentType(), substitution);
      })
      .Case([&](ADTType adt) {
        auto other = dyn_cast<ADTType>(actual);
        return other && adt.getName() == other.getName() &&
               matchAll(adt.getArgs(), other.getArgs());
      })
      .Case([&](ForallType forall) {
        auto other = dyn_cast<ForallType>(actual);
        if (!other)
          return false;
        if (substitution.empty())
          return isInstanceOf(other, forall.getBody());
        // Bound variables have no identity: name those of `actual` alike.
        if (forall.getParams().size() != other.getParams().size())
          return false;
        TypeSubstitution renaming;
        for (auto [to, from] :
             llvm::zip_equal(forall.getParams(), other.getParams()))
          renaming[from.getValue()] =
              TypeVarType::get(to.getContext(), to.getValue());
        TypeSubstitution inner = substitution;
        for (StringAttr param : forall.getParams())
          inner.erase(param.getValue());
        bool matches =
            matchInstance(forall.getBody(),
                          substituteTypes(other.getBody(), renaming), inner);
        for (auto &entry : substitution)
          if (auto it = inner.find(entry.getKey()); it != inner.end())
            entry.second = it->second;
        return matches;
      })
      .Default([&](Type) { return general == actual; });
}

bool relay::areCompatible(Type expected, Type actual) {
  TypeSubstitution none;
  return expected == actual || matchInstance(expected, actual, none);
}
