//===- TypeSolver.h - Types with unknown parts ------------------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Unification for type inference. A term is a type, parts of which may be
// unknown; constraints between terms are solved in any order.
//
// Most constraints are flows: a value of one type is used where another one is
// expected. A flow is directed, so that a size that only one use does not know
// stays known elsewhere. What an unknown type learns it keeps, but for sizes:
// those widen to `?` when uses differ on them and one of them is `?`. What a
// program declares never widens, and nothing is known of a type parameter
// inside of its function.
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_DIALECT_RELAY_ANALYSIS_TYPESOLVER_H
#define RELAY_MLIR_DIALECT_RELAY_ANALYSIS_TYPESOLVER_H

#include "relay-mlir/Dialect/Relay/IR/PolymorphicTypes.h"

#include <deque>
#include <functional>

namespace mlir::relay {

class TypeSolver;

/// A type that may have unknown parts, by its number.
using TypeTerm = unsigned;

/// Something that holds between terms.
class TypeConstraint {
public:
  virtual ~TypeConstraint() = default;

  /// Does what can be done now, and watches the terms of which more must be
  /// known. With `guess`, nothing else is left to do: takes what is likely.
  virtual void run(TypeSolver &solver, bool guess) = 0;

private:
  friend class TypeSolver;
  bool queued = false;
  bool queuedGuess = false;
};

/// Why a value cannot be used where another type is expected.
enum class FlowError : uint8_t {
  Mismatch,
  /// One of the types would contain itself.
  Infinite,
  /// The types have more levels than passes can go down.
  TooDeep
};

/// Reports that a value of type `actual` cannot be used where `expected` is
/// needed. `inferred` tells where `expected` came from, if that is not where it
/// is declared.
using FlowReporter =
    std::function<void(Type expected, Type actual, FlowError error,
                       std::optional<Location> inferred)>;

class TypeSolver {
public:
  enum class Kind : uint8_t {
    Unknown,
    /// Has an error that has been reported; goes with everything.
    Invalid,
    Tensor,
    /// A type parameter in the scope of which the term lies.
    Variable,
    Tuple,
    /// Inputs, then results.
    Function,
    Reference,
    Data,
    /// Variables, then the function.
    Forall,
    /// Any other type.
    Other
  };

  explicit TypeSolver(MLIRContext *context) : context(context) {}

  //===--------------------------------------------------------------------===//
  // Terms
  //===--------------------------------------------------------------------===//

  /// Types for the names of type parameters in scope.
  using Scope = llvm::StringMap<TypeTerm>;

  TypeTerm makeUnknown(std::optional<Location> location = std::nullopt);
  TypeTerm makeInvalid();
  TypeTerm makeVariable(StringRef name);
  TypeTerm makeTuple(ArrayRef<TypeTerm> fields);
  TypeTerm makeFunction(ArrayRef<TypeTerm> inputs, ArrayRef<TypeTerm> results);
  TypeTerm makeReference(TypeTerm content);
  TypeTerm makeForall(ArrayRef<TypeTerm> variables, TypeTerm function);

  /// Makes a term of a type in which each incomplete type is a new unknown.
  TypeTerm fromType(Type type, const Scope &scope);

  /// The type as far as it is known.
  Type toType(TypeTerm term);

  /// The first unknown or invalid part; nothing if all is known.
  std::optional<TypeTerm> findUnknown(TypeTerm term);
  /// The same, less what may stay unknown: arguments of data types, and of
  /// polymorphic functions that were called, unless they must be known.
  std::optional<TypeTerm> findMissing(TypeTerm term);
  /// Something must tell what `term` is, if it is unknown.
  void require(TypeTerm term) { terms[find(term)].isRequired = true; }
  /// It may stay unknown, unless something requires it.
  void makeOptional(TypeTerm term) { terms[find(term)].isOptional = true; }

  /// Calls `visit` for the variables in a term that it does not declare itself.
  void forEachVariable(TypeTerm term, function_ref<void(TypeTerm)> visit);

  TypeTerm find(TypeTerm term);
  Kind getKind(TypeTerm term) { return terms[find(term)].kind; }
  bool isUnknown(TypeTerm term) { return getKind(term) == Kind::Unknown; }
  bool isInvalid(TypeTerm term) { return getKind(term) == Kind::Invalid; }

  /// Parts of a term that is a tuple, reference or data type, or the inputs of
  /// a function.
  ArrayRef<TypeTerm> getInputs(TypeTerm term);
  /// The results of a function.
  ArrayRef<TypeTerm> getResults(TypeTerm term);

  /// The function below a quantifier, with `args` for the first variables and
  /// unknowns for the others. Another term stays as it is.
  TypeTerm instantiate(TypeTerm forall, ArrayRef<TypeTerm> args = {});

  //===--------------------------------------------------------------------===//
  // Constraints
  //===--------------------------------------------------------------------===//

  /// A value of type `source` is used as one of type `target`. If
  /// `instantiates`, a polymorphic value becomes an instance.
  void flow(TypeTerm source, TypeTerm target, FlowReporter report,
            std::optional<Location> location, bool instantiates = true);

  /// The result of an operation is of type `type`.
  void learn(TypeTerm term, Type type, const Scope &scope,
             const FlowReporter &report, Location location);

  /// Makes two terms the same.
  void unify(TypeTerm a, TypeTerm b, FlowReporter report);

  /// Adds a constraint and runs it.
  void add(std::unique_ptr<TypeConstraint> constraint);

  /// Runs `constraint` again when more is known of `term`.
  void watch(TypeTerm term, TypeConstraint *constraint);
  /// The same for all sizes in `term`, which is known.
  void watchSizes(TypeTerm term, TypeConstraint *constraint);

  /// Lets `constraint` guess when nothing else is left to do.
  void guessLater(TypeConstraint *constraint);

  /// An error was reported: silences what follows from it.
  void invalidate(TypeTerm term);

  /// Runs all constraints of whose terms more is known.
  void propagate();
  /// Then lets those guess that asked for it, in order.
  void solve();

private:
  friend class FlowConstraint;

  struct Root {
    FlowReporter report;
    TypeTerm source, target;
    std::optional<Location> location;
    bool reported = false;
  };
  struct Term {
    Kind kind = Kind::Unknown;
    /// Declared in the program: sizes do not widen.
    bool declared = false;
    /// Of an unknown: may stay one, as it stands for a type parameter of
    /// something polymorphic.
    bool isOptional = false;
    bool isRequired = false;
    unsigned numInputs = 0;
    TypeTerm parent;
    /// Of a tensor, a variable or another type.
    Type type;
    /// Of a data type.
    FlatSymbolRefAttr name;
    /// Where the type became known.
    std::optional<Location> location;
    SmallVector<TypeTerm, 0> parts;
    SmallVector<TypeConstraint *, 0> watchers;
  };

  TypeTerm add(Term term);
  TypeTerm addParts(Kind kind, ArrayRef<TypeTerm> parts, unsigned numInputs);
  static bool haveSameForm(const Term &a, const Term &b);
  bool occurs(TypeTerm unknown, TypeTerm term);
  void bind(TypeTerm unknown, Term contents, const Root &root);
  void merge(TypeTerm from, TypeTerm to);
  void notify(TypeTerm term);
  /// Names the variables of two polymorphic types alike.
  std::pair<TypeTerm, TypeTerm> alignForalls(TypeTerm a, TypeTerm b);
  TypeTerm copy(TypeTerm term, DenseMap<TypeTerm, TypeTerm> &copies);

  enum class Progress { Done, Watch, Guess };

  void flow(TypeTerm source, TypeTerm target, unsigned root, bool instantiates);
  /// Does what can be done about a flow now; tells whether to do it again when
  /// more is known of the source, and whether to guess.
  Progress runFlow(TypeTerm source, TypeTerm target, unsigned root,
                   bool instantiates, bool guess);
  void flowParts(TypeTerm source, TypeTerm target, unsigned root,
                 bool instantiates);
  void copyInto(TypeTerm unknown, TypeTerm known, unsigned root);
  Progress flowTensor(TypeTerm source, TypeTerm target, unsigned root);
  void unify(TypeTerm a, TypeTerm b, unsigned root);
  void fail(unsigned root, FlowError error = FlowError::Mismatch);
  /// Whether a type has too many levels to go on; fails if so.
  bool isTooDeep(unsigned root);

  MLIRContext *context;
  std::deque<Term> terms;
  std::deque<Root> roots;
  std::vector<std::unique_ptr<TypeConstraint>> constraints;
  std::deque<TypeConstraint *> worklist, guesses;
  /// Levels of types that flow and unify are below the one they began with.
  unsigned depth = 0;
};

} // namespace mlir::relay

#endif // RELAY_MLIR_DIALECT_RELAY_ANALYSIS_TYPESOLVER_H
