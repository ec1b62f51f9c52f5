//===- VocabularyBuilder.h - C++ functions as those of rules ----*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_LIB_DIALECT_RELAY_TRANSFORMS_REWRITES_VOCABULARYBUILDER_H
#define RELAY_MLIR_LIB_DIALECT_RELAY_TRANSFORMS_REWRITES_VOCABULARYBUILDER_H

#include "RuleRewriter.h"
#include "Vocabulary.h"

#include <tuple>

namespace mlir::relay::detail {

template <typename T>
inline constexpr PDLValue::Kind kPDLKind = PDLValue::Kind::Value;
template <>
inline constexpr PDLValue::Kind kPDLKind<Attribute> = PDLValue::Kind::Attribute;
template <>
inline constexpr PDLValue::Kind kPDLKind<Operation *> =
    PDLValue::Kind::Operation;
template <>
inline constexpr PDLValue::Kind kPDLKind<Type> = PDLValue::Kind::Type;

/// Collects functions. The kinds of arguments and results follow from the types
/// of C++: Value, Operation *, Attribute or Type.
class VocabularyBuilder {
public:
  /// A constraint that holds or does not.
  template <typename... Args>
  void addConstraint(StringRef name, bool (*function)(Args...)) {
    addFunction<Args...>(name, {}, [=](auto &, auto &, auto... args) {
      return success(function(args...));
    });
  }

  /// A constraint that gives something where it holds.
  template <typename Result, typename... Args>
  void addConstraint(StringRef name, FailureOr<Result> (*function)(Args...)) {
    addFunction<Args...>(
        name, {kPDLKind<Result>},
        [=](auto &, PDLResultList &results, auto... args) -> LogicalResult {
          FailureOr<Result> result = function(args...);
          if (failed(result))
            return failure();
          results.push_back(*result);
          return success();
        });
  }

  /// A constraint that gives several things.
  template <typename... Results, typename... Args>
  void addConstraint(StringRef name,
                     FailureOr<std::tuple<Results...>> (*function)(Args...)) {
    addFunction<Args...>(
        name, {kPDLKind<Results>...},
        [=](auto &, PDLResultList &results, auto... args) -> LogicalResult {
          auto found = function(args...);
          if (failed(found))
            return failure();
          std::apply([&](auto... result) { (results.push_back(result), ...); },
                     *found);
          return success();
        });
  }

  /// A constraint that may evaluate constants.
  template <typename Result, typename... Args>
  void addEvaluation(StringRef name,
                     FailureOr<Result> (*function)(const Interpreter &,
                                                   Args...)) {
    addFunction<Args...>(
        name, {kPDLKind<Result>},
        [=](PatternRewriter &rewriter, PDLResultList &results,
            auto... args) -> LogicalResult {
          FailureOr<Result> result = function(
              static_cast<RuleRewriter &>(rewriter).getInterpreter(), args...);
          if (failed(result))
            return failure();
          results.push_back(*result);
          return success();
        });
  }

  /// A rewrite that makes something.
  template <typename Result, typename... Args>
  void addRewrite(StringRef name,
                  Result (*function)(PatternRewriter &, Args...)) {
    addFunction<Args...>(
        name, {kPDLKind<Result>},
        [=](PatternRewriter &rewriter, PDLResultList &results, auto... args) {
          results.push_back(function(rewriter, args...));
          return success();
        });
  }

  llvm::StringMap<RuleFunction> take() { return std::move(functions); }

private:
  template <typename... Args, typename Fn>
  void addFunction(StringRef name, ArrayRef<PDLValue::Kind> results,
                   Fn function) {
    functions[name] = {[=](PatternRewriter &rewriter, PDLResultList &results,
                           ArrayRef<PDLValue> values) {
                         return call<Args...>(
                             function, rewriter, results, values,
                             std::index_sequence_for<Args...>());
                       },
                       {kPDLKind<Args>...},
                       llvm::to_vector(results)};
  }

  template <typename... Args, typename Fn, size_t... Index>
  static LogicalResult call(const Fn &function, PatternRewriter &rewriter,
                            PDLResultList &results, ArrayRef<PDLValue> values,
                            std::index_sequence<Index...>) {
    return function(rewriter, results, values[Index].template cast<Args>()...);
  }

  llvm::StringMap<RuleFunction> functions;
};

// Each defined beside its functions.
void addTypeConstraints(VocabularyBuilder &builder);
void addConstantConstraints(VocabularyBuilder &builder);
void addConstantRewrites(VocabularyBuilder &builder);
void addOperatorConstraints(VocabularyBuilder &builder);
void addOperatorRewrites(VocabularyBuilder &builder);
void addBinomialConstraints(VocabularyBuilder &builder);

} // namespace mlir::relay::detail

#endif // RELAY_MLIR_LIB_DIALECT_RELAY_TRANSFORMS_REWRITES_VOCABULARYBUILDER_H
