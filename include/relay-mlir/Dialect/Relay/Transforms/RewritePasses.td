//===- RewritePasses.td - Passes that apply rules ----------*- tablegen -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_DIALECT_RELAY_TRANSFORMS_REWRITEPASSES_TD
#define RELAY_MLIR_DIALECT_RELAY_TRANSFORMS_REWRITEPASSES_TD

include "mlir/Pass/PassBase.td"

/// Applies the rules of tables, which name the pass.
class RulePass<string argument, string what, string more>
    : Pass<argument, "::mlir::func::FuncOp"> {
  let summary = what;
  let description = more # [{

    The rules are those that `relay-opt --list-rewrites` lists for this pass, and
    [the page of rules](../../Rewrites.md) shows. They are applied until none
    applies; a function stays as it is if that does not end within `max-rounds`
    rounds.
  }];
  let options = [
    Option<"maxRounds", "max-rounds", "int64_t", /*default=*/"100",
           "Rules that still apply after so many rounds are an error">
  ];
  let statistics = [
    Statistic<"numApplied", "num-applied", "Number of rules applied">
  ];
  let dependentDialects = ["::mlir::relay::RelayDialect",
                           "::mlir::pdl::PDLDialect",
                           "::mlir::pdl_interp::PDLInterpDialect"];
}

def CanonicalizeOpsPass
    : RulePass<"relay-canonicalize-ops", "Write operators in one form", [{
    Replaces `nn.bias_add` by `add`, of a bias that is aligned with the axis.
  }]>;

def DivToMulPass
    : RulePass<"relay-div-to-mul", "Multiply instead of dividing by constants", [{
    Replaces divisions of floats by constants by products with their reciprocals,
    which are as exact as two roundings.
  }]>;

def FastMathPass
    : RulePass<"relay-fast-math", "Allow functions to be approximated", [{
    Replaces `exp`, `erf`, `tanh` and `nn.softmax` by the fast operators, which may
    be less exact.
  }]>;

def RewritePass : Pass<"relay-rewrite", "::mlir::ModuleOp"> {
  let summary = "Apply rules of files";
  let description = [{
    Applies the rules of PDLL files (`.pdll`) and of modules of PDL (`.mlir`),
    without compiling anything: `--relay-rewrite=rules.pdll`. Without files, the
    rules that are compiled in; with `rules`, those of these names only.

    Files may include the operators of relay, which are then checked as far as
    PDLL checks operations, and `relay-mlir/Dialect/Relay/Transforms/Vocabulary.pdll`,
    which has what rules may ask and make:

    ```pdll
    #include "relay-mlir/Dialect/Relay/IR/RelayElementwiseOps.td"

    Pattern NegativeNegative {
      let root = op<relay.negative>(op<relay.negative>(x: Value));
      replace root with x;
    }
    ```

    Each round visits the operations that are new, or use something new, and the
    first visits all. The module stays as it is, and the error names the rule, if
    rules still apply after `max-rounds` rounds, or if a rule makes an operation
    that does not verify or a value of another type.
  }];
  let options = [
    ListOption<"files", "files", "std::string",
               "Files of rules; without any, the rules that are compiled in">,
    ListOption<"ruleNames", "rules", "std::string",
               "Names of rules to apply; all if there are none">,
    ListOption<"includeDirs", "include-dirs", "std::string",
               "Folders of what files include, besides those of the project">,
    Option<"maxRounds", "max-rounds", "int64_t", /*default=*/"100",
           "Rules that still apply after so many rounds are an error">
  ];
  let statistics = [
    Statistic<"numApplied", "num-applied", "Number of rules applied">
  ];
  let dependentDialects = ["::mlir::relay::RelayDialect",
                           "::mlir::pdl::PDLDialect",
                           "::mlir::pdl_interp::PDLInterpDialect"];
}

def SimplifyExprPass
    : RulePass<"relay-simplify-expr", "Simplify expressions by rules", [{
    Applies algebraic rules: operators that change nothing go, chains of reshapes,
    transpositions and casts become one, and constants come together.

    Some rules are exact for numbers but not for the rounding of floats, and
    change results in their last bits; each rule says what it keeps.
  }]>;

def SimplifyExprPostAlterOpPass
    : RulePass<"relay-simplify-expr-post-alter-op",
               "Simplify what a change of layouts leaves", [{
    Applies those rules of `relay-simplify-expr` that are about identities,
    reshapes, casts and clips.
  }]>;

#endif // RELAY_MLIR_DIALECT_RELAY_TRANSFORMS_REWRITEPASSES_TD
