//===- Rewrites.h - Rules that rewrite programs -----------------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Rules are patterns of PDL. Those of the compiler are in tables
// (lib/Dialect/Relay/Transforms/Rewrites/*.pdll); others are read from files.
// What both may ask of a program beyond its form is in Vocabulary.pdll.
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_DIALECT_RELAY_TRANSFORMS_REWRITES_H
#define RELAY_MLIR_DIALECT_RELAY_TRANSFORMS_REWRITES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Rewrite/FrozenRewritePatternSet.h"

namespace mlir::relay {

/// A file of rules that is compiled in.
struct RewriteTable {
  /// The name of the file, without `.pdll`.
  StringRef name;
  /// The passes that apply its rules.
  SmallVector<StringRef, 2> passes;
  void (*populate)(RewritePatternSet &patterns);
};

/// In the order of the groups of rules.
ArrayRef<RewriteTable> getRewriteTables();

/// The dialects that rules are written in.
void registerRewriteDialects(DialectRegistry &registry);

/// The rules that the pass of this name applies, as a module of PDL; all rules
/// for an empty name.
OwningOpRef<ModuleOp> getCompiledRules(MLIRContext *context, StringRef pass);

/// Appends the rules of `.pdll` and `.mlir` files to a module of PDL. Reports
/// what does not parse, operations and functions that do not exist, and
/// functions that are called with other kinds of arguments than they have.
LogicalResult loadRules(ModuleOp rules, ArrayRef<std::string> files,
                        ArrayRef<std::string> includeDirs);

/// A rule that is compiled.
struct RewriteRule {
  std::string name;
  Location loc;
  /// The name of the operations that it rewrites; none if it may be any.
  std::optional<OperationName> root;
  FrozenRewritePatternSet pattern;
};

/// Rules, ready to be applied, by several threads at the same time.
class RuleSet {
public:
  /// Checks and compiles a module of PDL, or those rules in it that have one of
  /// the names if there are any.
  static FailureOr<RuleSet> compile(OwningOpRef<ModuleOp> rules,
                                    ArrayRef<std::string> names = {});

  /// The same of rules that are compiled in: `populate` is the function
  /// populateGeneratedPDLLPatterns that mlir-pdll has made of them.
  static FailureOr<RuleSet> compile(MLIRContext *context,
                                    void (*populate)(RewritePatternSet &));

  /// Those with the larger benefit first.
  ArrayRef<RewriteRule> getRules() const { return rules; }

private:
  std::vector<RewriteRule> rules;
};

/// Applies rules to all operations inside of `scope` until none applies, in
/// rounds: the first visits all operations in their order, the next those that
/// are new or use something new. Fails with the name of a rule if there are
/// more than `maxRounds` or, on average, more than `maxRounds` applications for
/// each operation, and if a rule makes something that does not verify, or of
/// another type. `scope` is then half rewritten.
///
/// Adds the number of rules that were applied to `numApplied`.
LogicalResult applyRules(Operation *scope, const RuleSet &rules,
                         int64_t maxRounds, int64_t &numApplied);

/// The same for a function, which stays as it is if that fails. So do kernels,
/// and functions of other compilers.
LogicalResult rewriteFunction(func::FuncOp function, const RuleSet &rules,
                              int64_t maxRounds, int64_t &numApplied);
inline LogicalResult rewriteFunction(func::FuncOp function,
                                     const RuleSet &rules) {
  int64_t numApplied = 0;
  return rewriteFunction(function, rules, /*maxRounds=*/100, numApplied);
}

/// Prints all compiled rules, with their passes and files.
void listRewrites(raw_ostream &os);

} // namespace mlir::relay

#endif // RELAY_MLIR_DIALECT_RELAY_TRANSFORMS_REWRITES_H
