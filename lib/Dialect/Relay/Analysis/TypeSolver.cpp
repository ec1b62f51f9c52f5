//===- TypeSolver.cpp - Constraints between types -------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "relay-mlir/Dialect/Relay/Analysis/TypeSolver.h"

#include "relay-mlir/Dialect/Relay/Analysis/TypeRefinement.h"

#include "mlir/IR/TypeUtilities.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace mlir;
using namespace mlir::relay;

namespace mlir::relay {

/// A flow that is not done yet.
class FlowConstraint : public TypeConstraint {
public:
  FlowConstraint(TypeTerm source, TypeTerm target, unsigned root,
                 bool instantiates)
      : source(source), target(target), root(root), instantiates(instantiates) {
  }

  void run(TypeSolver &solver, bool guess) override {
    auto progress = solver.runFlow(source, target, root, instantiates, guess);
    if (progress == TypeSolver::Progress::Done)
      return;
    solver.watch(source, this);
    if (progress == TypeSolver::Progress::Guess)
      solver.guessLater(this);
  }

private:
  TypeTerm source, target;
  unsigned root;
  bool instantiates;
};

} // namespace mlir::relay

//===----------------------------------------------------------------------===//
// Worklists
//===----------------------------------------------------------------------===//

void TypeSolver::add(std::unique_ptr<TypeConstraint> constraint) {
  TypeConstraint *added = constraint.get();
  constraints.push_back(std::move(constraint));
  added->run(*this, /*guess=*/false);
}

void TypeSolver::watch(TypeTerm term, TypeConstraint *constraint) {
  terms[find(term)].watchers.push_back(constraint);
}

void TypeSolver::watchSizes(TypeTerm term, TypeConstraint *constraint) {
  Term &known = terms[find(term)];
  if (known.kind == Kind::Tensor && !known.declared &&
      !llvm::is_contained(known.watchers, constraint))
    known.watchers.push_back(constraint);
  for (TypeTerm part : known.parts)
    watchSizes(part, constraint);
}

void TypeSolver::guessLater(TypeConstraint *constraint) {
  if (!std::exchange(constraint->queuedGuess, true))
    guesses.push_back(constraint);
}

void TypeSolver::notify(TypeTerm term) {
  for (TypeConstraint *watcher : std::exchange(terms[term].watchers, {}))
    if (!std::exchange(watcher->queued, true))
      worklist.push_back(watcher);
}

void TypeSolver::propagate() {
  while (!worklist.empty()) {
    TypeConstraint *constraint = worklist.front();
    worklist.pop_front();
    constraint->queued = false;
    constraint->run(*this, /*guess=*/false);
  }
}

void TypeSolver::solve() {
  propagate();
  while (!guesses.empty()) {
    TypeConstraint *constraint = guesses.front();
    guesses.pop_front();
    constraint->queuedGuess = false;
    constraint->run(*this, /*guess=*/true);
    propagate();
  }
}

void TypeSolver::invalidate(TypeTerm term) {
  term = find(term);
  if (terms[term].kind == Kind::Unknown) {
    terms[term].kind = Kind::Invalid;
    notify(term);
    return;
  }
  for (TypeTerm part : terms[term].parts)
    invalidate(part);
}

void TypeSolver::fail(unsigned root, FlowError error) {
  Root &failed = roots[root];
  if (!std::exchange(failed.reported, true)) {
    const Term &target = terms[find(failed.target)];
    failed.report(toType(failed.target), toType(failed.source), error,
                  target.declared ? std::nullopt : target.location);
  }
  invalidate(failed.source);
  invalidate(failed.target);
}

bool TypeSolver::isTooDeep(unsigned root) {
  if (depth <= TypeDepths::kMaxDepth)
    return false;
  fail(root, FlowError::TooDeep);
  return true;
}

//===----------------------------------------------------------------------===//
// Knowledge
//===----------------------------------------------------------------------===//

void TypeSolver::bind(TypeTerm unknown, Term contents, const Root &root) {
  Term &term = terms[unknown];
  assert(term.kind == Kind::Unknown && "binds a type that is known");
  contents.parent = unknown;
  contents.location = root.location;
  contents.declared = false;
  contents.watchers = std::move(term.watchers);
  term = std::move(contents);
  notify(unknown);
}

void TypeSolver::merge(TypeTerm from, TypeTerm to) {
  bool learns = terms[from].kind != terms[to].kind;
  if (learns)
    notify(from);
  terms[to].isOptional |= terms[from].isOptional;
  terms[to].isRequired |= terms[from].isRequired;
  llvm::append_range(terms[to].watchers,
                     std::exchange(terms[from].watchers, {}));
  terms[from].parent = to;
  terms[from].parts.clear();
}

void TypeSolver::copyInto(TypeTerm unknown, TypeTerm known, unsigned root) {
  const Term &original = terms[known];
  Term contents;
  contents.kind = original.kind;
  contents.type = original.type;
  contents.name = original.name;
  contents.numInputs = original.numInputs;
  for (size_t i = 0, end = original.parts.size(); i != end; ++i)
    contents.parts.push_back(makeUnknown(roots[root].location));
  bind(unknown, std::move(contents), roots[root]);
}

void TypeSolver::learn(TypeTerm term, Type type, const Scope &scope,
                       const FlowReporter &report, Location location) {
  term = find(term);
  if (isa<RankedTensorType>(type)) {
    Term &known = terms[term];
    if (known.kind == Kind::Tensor && known.type == type)
      return;
    if (known.kind == Kind::Unknown) {
      Term contents;
      contents.kind = Kind::Tensor;
      contents.type = type;
      bind(term, std::move(contents), {{}, term, term, location});
      return;
    }
  }
  flow(fromType(type, scope), term, report, location);
}

//===----------------------------------------------------------------------===//
// Flows
//===----------------------------------------------------------------------===//

void TypeSolver::flow(TypeTerm source, TypeTerm target, FlowReporter report,
                      std::optional<Location> location, bool instantiates) {
  if (find(source) == find(target))
    return;
  roots.push_back({std::move(report), source, target, location});
  flow(source, target, roots.size() - 1, instantiates);
}

void TypeSolver::flow(TypeTerm source, TypeTerm target, unsigned root,
                      bool instantiates) {
  Progress progress = runFlow(source, target, root, instantiates,
                              /*guess=*/false);
  if (progress == Progress::Done)
    return;
  constraints.push_back(
      std::make_unique<FlowConstraint>(source, target, root, instantiates));
  watch(source, constraints.back().get());
  if (progress == Progress::Guess)
    guessLater(constraints.back().get());
}

void TypeSolver::flowParts(TypeTerm source, TypeTerm target, unsigned root,
                           bool instantiates) {
  llvm::SaveAndRestore<unsigned> level(depth, depth + 1);
  if (isTooDeep(root))
    return;
  const Term &from = terms[source], &to = terms[target];
  for (size_t i = 0, end = from.parts.size(); i != end; ++i) {
    // What a function takes flows the other way.
    if (from.kind == Kind::Function && i < from.numInputs)
      flow(to.parts[i], from.parts[i], root, instantiates);
    else
      flow(from.parts[i], to.parts[i], root, instantiates);
  }
}

TypeSolver::Progress TypeSolver::flowTensor(TypeTerm source, TypeTerm target,
                                            unsigned root) {
  const Term &from = terms[source];
  Term &to = terms[target];
  auto tensor = cast<RankedTensorType>(from.type);
  auto expected = cast<RankedTensorType>(to.type);
  if (tensor != expected) {
    if (tensor.getElementType() != expected.getElementType() ||
        failed(verifyCompatibleShape(tensor, expected))) {
      fail(root);
      return Progress::Done;
    }
    if (!to.declared) {
      Type joined = joinTypes(tensor, expected);
      if (joined && joined != to.type) {
        to.type = joined;
        notify(target);
      }
    }
  }
  return from.declared || to.declared ? Progress::Done : Progress::Watch;
}

bool TypeSolver::haveSameForm(const Term &a, const Term &b) {
  return a.kind == b.kind && a.name == b.name && a.numInputs == b.numInputs &&
         a.parts.size() == b.parts.size();
}

std::pair<TypeTerm, TypeTerm> TypeSolver::alignForalls(TypeTerm a, TypeTerm b) {
  DenseMap<TypeTerm, TypeTerm> copiesA, copiesB;
  ArrayRef<TypeTerm> partsA = terms[a].parts, partsB = terms[b].parts;
  for (auto [varA, varB] :
       llvm::zip_equal(partsA.drop_back(), partsB.drop_back())) {
    TypeTerm variable =
        makeVariable(cast<TypeVarType>(terms[find(varA)].type).getName());
    copiesA[find(varA)] = copiesB[find(varB)] = variable;
  }
  return {copy(partsA.back(), copiesA), copy(partsB.back(), copiesB)};
}

TypeSolver::Progress TypeSolver::runFlow(TypeTerm source, TypeTerm target,
                                         unsigned root, bool instantiates,
                                         bool guess) {
  source = find(source);
  target = find(target);
  if (source == target)
    return Progress::Done;
  const Term &from = terms[source], &to = terms[target];
  if (from.kind == Kind::Invalid || to.kind == Kind::Invalid) {
    invalidate(source);
    invalidate(target);
    return Progress::Done;
  }
  if (to.kind == Kind::Unknown) {
    if (from.kind == Kind::Unknown) {
      merge(source, target);
      return Progress::Done;
    }
    if (from.kind == Kind::Forall && instantiates) {
      flow(instantiate(source), target, root, instantiates);
      return Progress::Done;
    }
    if (occurs(target, source)) {
      fail(root, FlowError::Infinite);
      return Progress::Done;
    }
    if (from.kind == Kind::Tensor || from.kind == Kind::Tuple ||
        from.kind == Kind::Data) {
      copyInto(target, source, root);
      flowParts(source, target, root, instantiates);
      return from.kind == Kind::Tensor && !from.declared ? Progress::Watch
                                                         : Progress::Done;
    }
    merge(target, source);
    return Progress::Done;
  }
  if (from.kind == Kind::Unknown) {
    // What it comes from may tell more than what it is used for.
    if (!guess)
      return Progress::Guess;
    if (occurs(source, target)) {
      fail(root, FlowError::Infinite);
      return Progress::Done;
    }
    if (to.kind == Kind::Tensor || to.kind == Kind::Tuple ||
        to.kind == Kind::Data || to.kind == Kind::Function) {
      copyInto(source, target, root);
      flowParts(source, target, root, instantiates);
      return to.kind == Kind::Tensor && !to.declared ? Progress::Watch
                                                     : Progress::Done;
    }
    merge(source, target);
    return Progress::Done;
  }

  if (from.kind == Kind::Forall && to.kind == Kind::Function) {
    flow(instantiate(source), target, root, instantiates);
    return Progress::Done;
  }
  // What is polymorphic fits where an instance of it fits that knows nothing of
  // the variables there.
  if (from.kind == Kind::Forall && to.kind == Kind::Forall) {
    flow(instantiate(source), to.parts.back(), root, instantiates);
    return Progress::Done;
  }
  if (!haveSameForm(from, to)) {
    fail(root);
    return Progress::Done;
  }
  switch (from.kind) {
  case Kind::Tensor:
    return flowTensor(source, target, root);
  case Kind::Reference:
    unify(from.parts.front(), to.parts.front(), root);
    return Progress::Done;
  case Kind::Tuple:
  case Kind::Data:
  case Kind::Function:
    flowParts(source, target, root, instantiates);
    return Progress::Done;
  default:
    // Two different variables, or other types.
    if (from.kind == Kind::Variable || from.type != to.type)
      fail(root);
    return Progress::Done;
  }
}

//===----------------------------------------------------------------------===//
// Unification
//===----------------------------------------------------------------------===//

void TypeSolver::unify(TypeTerm a, TypeTerm b, FlowReporter report) {
  roots.push_back({std::move(report), a, b, std::nullopt});
  unify(a, b, roots.size() - 1);
}

void TypeSolver::unify(TypeTerm a, TypeTerm b, unsigned root) {
  a = find(a);
  b = find(b);
  llvm::SaveAndRestore<unsigned> level(depth, depth + 1);
  if (a == b || isTooDeep(root))
    return;
  Term &first = terms[a], &second = terms[b];
  if (first.kind == Kind::Invalid || second.kind == Kind::Invalid) {
    invalidate(a);
    invalidate(b);
    return;
  }
  if (first.kind == Kind::Unknown || second.kind == Kind::Unknown) {
    if (first.kind != Kind::Unknown)
      std::swap(a, b);
    if (occurs(a, b))
      return fail(root, FlowError::Infinite);
    return merge(a, b);
  }
  if (first.kind == Kind::Forall && second.kind == Kind::Function)
    return unify(instantiate(a), b, root);
  if (first.kind == Kind::Function && second.kind == Kind::Forall)
    return unify(a, instantiate(b), root);
  if (!haveSameForm(first, second))
    return fail(root);
  switch (first.kind) {
  case Kind::Tensor: {
    auto tensorA = cast<RankedTensorType>(first.type);
    auto tensorB = cast<RankedTensorType>(second.type);
    if (tensorA.getElementType() != tensorB.getElementType() ||
        failed(verifyCompatibleShape(tensorA, tensorB)))
      return fail(root);
    if (first.declared && second.declared)
      return;
    // The one that is declared stays as it is.
    if (first.declared)
      std::swap(a, b);
    Type joined =
        terms[b].declared ? terms[b].type : joinTypes(tensorA, tensorB);
    for (TypeTerm term : {a, b})
      if (terms[term].type != joined) {
        terms[term].type = joined;
        notify(term);
      }
    return merge(a, b);
  }
  case Kind::Forall: {
    auto [bodyA, bodyB] = alignForalls(a, b);
    return unify(bodyA, bodyB, root);
  }
  case Kind::Tuple:
  case Kind::Data:
  case Kind::Reference:
  case Kind::Function:
    for (size_t i = 0, end = first.parts.size(); i != end; ++i)
      unify(first.parts[i], second.parts[i], root);
    return;
  default:
    if (first.kind == Kind::Variable || first.type != second.type)
      fail(root);
  }
}
