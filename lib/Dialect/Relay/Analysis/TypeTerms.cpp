//===- TypeTerms.cpp - Types with unknown parts ---------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The terms of the solver: how they are made of types and become types again,
// what is unknown in them, and copies of them, as a polymorphic type has one
// for each use. Walks keep a stack or remember what they have seen, since types
// can be deep and share parts. Unification is in TypeSolver.cpp.
//
//===----------------------------------------------------------------------===//

#include "relay-mlir/Dialect/Relay/Analysis/TypeSolver.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::relay;

TypeTerm TypeSolver::add(Term term) {
  term.parent = terms.size();
  terms.push_back(std::move(term));
  return terms.size() - 1;
}

TypeTerm TypeSolver::addParts(Kind kind, ArrayRef<TypeTerm> parts,
                              unsigned numInputs) {
  Term term;
  term.kind = kind;
  term.parts.assign(parts.begin(), parts.end());
  term.numInputs = numInputs;
  return add(std::move(term));
}

TypeTerm TypeSolver::makeUnknown(std::optional<Location> location) {
  Term term;
  term.location = location;
  return add(std::move(term));
}

TypeTerm TypeSolver::makeInvalid() {
  return addParts(Kind::Invalid, {}, /*numInputs=*/0);
}

TypeTerm TypeSolver::makeVariable(StringRef name) {
  Term term;
  term.kind = Kind::Variable;
  term.type = TypeVarType::get(context, name);
  return add(std::move(term));
}

TypeTerm TypeSolver::makeTuple(ArrayRef<TypeTerm> fields) {
  return addParts(Kind::Tuple, fields, fields.size());
}

TypeTerm TypeSolver::makeFunction(ArrayRef<TypeTerm> inputs,
                                  ArrayRef<TypeTerm> results) {
  SmallVector<TypeTerm> parts(inputs);
  llvm::append_range(parts, results);
  return addParts(Kind::Function, parts, inputs.size());
}

TypeTerm TypeSolver::makeReference(TypeTerm content) {
  return addParts(Kind::Reference, content, 1);
}

TypeTerm TypeSolver::makeForall(ArrayRef<TypeTerm> variables,
                                TypeTerm function) {
  if (variables.empty())
    return function;
  SmallVector<TypeTerm> parts(variables);
  parts.push_back(function);
  return addParts(Kind::Forall, parts, variables.size());
}

TypeTerm TypeSolver::find(TypeTerm term) {
  while (terms[term].parent != term) {
    TypeTerm parent = terms[term].parent;
    term = terms[term].parent = terms[parent].parent;
  }
  return term;
}

ArrayRef<TypeTerm> TypeSolver::getInputs(TypeTerm term) {
  const Term &known = terms[find(term)];
  return ArrayRef(known.parts).take_front(known.numInputs);
}

ArrayRef<TypeTerm> TypeSolver::getResults(TypeTerm term) {
  const Term &known = terms[find(term)];
  return ArrayRef(known.parts).drop_front(known.numInputs);
}

//===----------------------------------------------------------------------===//
// From and to types
//===----------------------------------------------------------------------===//

TypeTerm TypeSolver::fromType(Type type, const Scope &scope) {
  auto convertAll = [&](ArrayRef<Type> types) {
    return llvm::map_to_vector(
        types, [&](Type part) { return fromType(part, scope); });
  };
  return TypeSwitch<Type, TypeTerm>(type)
      .Case([&](IncompleteType) { return makeUnknown(); })
      .Case([&](TypeVarType var) {
        auto it = scope.find(var.getName());
        // Out of scope; the check of kinds reports it.
        return it == scope.end() ? makeInvalid() : it->second;
      })
      .Case([&](TupleType tuple) {
        return makeTuple(convertAll(tuple.getTypes()));
      })
      .Case([&](FunctionType function) {
        return makeFunction(convertAll(function.getInputs()),
                            convertAll(function.getResults()));
      })
      .Case([&](RefType ref) {
        return makeReference(fromType(ref.getContentType(), scope));
      })
      .Case([&](ADTType adt) {
        Term term;
        term.kind = Kind::Data;
        term.name = adt.getName();
        llvm::append_range(term.parts, convertAll(adt.getArgs()));
        term.numInputs = term.parts.size();
        return add(std::move(term));
      })
      .Case([&](ForallType forall) {
        Scope inner = scope;
        SmallVector<TypeTerm> variables;
        for (StringAttr param : forall.getParams()) {
          variables.push_back(makeVariable(param.getValue()));
          inner[param.getValue()] = variables.back();
        }
        return makeForall(variables, fromType(forall.getBody(), inner));
      })
      .Default([&](Type other) {
        Term term;
        term.kind = isa<RankedTensorType>(other) ? Kind::Tensor : Kind::Other;
        term.type = other;
        term.declared = true;
        return add(std::move(term));
      });
}

Type TypeSolver::toType(TypeTerm term) {
  const Term &known = terms[find(term)];
  auto convertAll = [&](ArrayRef<TypeTerm> parts) {
    return llvm::map_to_vector(parts,
                               [&](TypeTerm part) { return toType(part); });
  };
  switch (known.kind) {
  case Kind::Unknown:
  case Kind::Invalid:
    return IncompleteType::get(context);
  case Kind::Tensor:
  case Kind::Variable:
  case Kind::Other:
    return known.type;
  case Kind::Tuple:
    return TupleType::get(context, convertAll(known.parts));
  case Kind::Function: {
    ArrayRef<TypeTerm> parts = known.parts;
    return FunctionType::get(context,
                             convertAll(parts.take_front(known.numInputs)),
                             convertAll(parts.drop_front(known.numInputs)));
  }
  case Kind::Reference:
    return RefType::get(toType(known.parts.front()));
  case Kind::Data:
    return ADTType::get(known.name, convertAll(known.parts));
  case Kind::Forall: {
    SmallVector<StringAttr> params;
    for (TypeTerm variable : ArrayRef(known.parts).drop_back())
      params.push_back(StringAttr::get(
          context, cast<TypeVarType>(terms[find(variable)].type).getName()));
    return ForallType::get(params,
                           cast<FunctionType>(toType(known.parts.back())));
  }
  }
  llvm_unreachable("unknown kind of term");
}

//===----------------------------------------------------------------------===//
// Parts
//===----------------------------------------------------------------------===//

std::optional<TypeTerm> TypeSolver::findUnknown(TypeTerm term) {
  term = find(term);
  const Term &known = terms[term];
  if (known.kind == Kind::Unknown || known.kind == Kind::Invalid)
    return term;
  for (TypeTerm part : known.parts)
    if (std::optional<TypeTerm> unknown = findUnknown(part))
      return unknown;
  return std::nullopt;
}

std::optional<TypeTerm> TypeSolver::findMissing(TypeTerm term) {
  term = find(term);
  const Term &known = terms[term];
  if (known.kind == Kind::Invalid ||
      (known.kind == Kind::Unknown && (!known.isOptional || known.isRequired)))
    return term;
  for (TypeTerm part : known.parts) {
    if (known.kind == Kind::Data && isUnknown(part))
      continue;
    if (std::optional<TypeTerm> missing = findMissing(part))
      return missing;
  }
  return std::nullopt;
}

void TypeSolver::forEachVariable(TypeTerm term,
                                 function_ref<void(TypeTerm)> visit) {
  term = find(term);
  const Term &known = terms[term];
  if (known.kind == Kind::Variable)
    return visit(term);
  if (known.kind != Kind::Forall) {
    for (TypeTerm part : known.parts)
      forEachVariable(part, visit);
    return;
  }
  ArrayRef<TypeTerm> bound = ArrayRef(known.parts).drop_back();
  forEachVariable(known.parts.back(), [&](TypeTerm variable) {
    if (llvm::none_of(bound,
                      [&](TypeTerm own) { return find(own) == variable; }))
      visit(variable);
  });
}

bool TypeSolver::occurs(TypeTerm unknown, TypeTerm term) {
  term = find(term);
  return term == unknown || llvm::any_of(terms[term].parts, [&](TypeTerm part) {
           return occurs(unknown, part);
         });
}

TypeTerm TypeSolver::copy(TypeTerm term, DenseMap<TypeTerm, TypeTerm> &copies) {
  term = find(term);
  if (auto it = copies.find(term); it != copies.end())
    return it->second;
  TypeTerm result = term;
  if (!terms[term].parts.empty()) {
    SmallVector<TypeTerm> parts;
    bool changed = false;
    for (TypeTerm part : terms[term].parts) {
      parts.push_back(copy(part, copies));
      changed |= parts.back() != find(part);
    }
    if (changed) {
      const Term &original = terms[term];
      Term contents;
      contents.kind = original.kind;
      contents.name = original.name;
      contents.numInputs = original.numInputs;
      contents.location = original.location;
      contents.parts.assign(parts.begin(), parts.end());
      result = add(std::move(contents));
    }
  }
  copies[term] = result;
  return result;
}

TypeTerm TypeSolver::instantiate(TypeTerm forall, ArrayRef<TypeTerm> args) {
  if (getKind(forall) != Kind::Forall)
    return forall;
  DenseMap<TypeTerm, TypeTerm> copies;
  ArrayRef<TypeTerm> parts = terms[find(forall)].parts;
  for (auto [index, variable] : llvm::enumerate(parts.drop_back())) {
    TypeTerm arg = index < args.size() ? args[index] : makeUnknown();
    makeOptional(arg);
    copies[find(variable)] = arg;
  }
  return copy(parts.back(), copies);
}
