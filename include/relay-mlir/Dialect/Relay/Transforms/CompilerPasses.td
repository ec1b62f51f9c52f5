//===- CompilerPasses.td - Parts for other compilers -------*- tablegen -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_DIALECT_RELAY_TRANSFORMS_COMPILERPASSES_TD
#define RELAY_MLIR_DIALECT_RELAY_TRANSFORMS_COMPILERPASSES_TD

include "mlir/Pass/PassBase.td"

def DialectPassesPass : Pass<"relay-dialect-passes", "::mlir::ModuleOp"> {
  let summary = "Run the passes that dialects of plugins bring";
  let description = [{
    Asks the loaded dialects, in the order of their names, for passes
    (`PassesDialectInterface`), and runs them. Before and after, the module is
    in the form relay-typed. `relay-optimize` begins with it.
  }];
}

def AnnotateTargetPass : Pass<"relay-annotate-target", "::mlir::ModuleOp"> {
  let summary = "Mark what the code generators of others take";
  let description = [{
    Puts `annotation.compiler_begin` on each operand of an operator, and
    `annotation.compiler_end` where a value that an operator computes is used,
    with the target that runs the operator: the first of `targets` that supports
    it, or "default". Which operators a target supports is asked of what
    plugins and programs have added (`addOffloadProvider`), and of `operators`. A call of a closure with the
    attribute `relay.composite` belongs to the target that its name begins with,
    up to the first dot. Functions that are somebody else's already, the bodies
    of patterns, and operators without operands stay as they are.

    With `include-non-call-ops`, tuples, their fields, and references run where
    all their operands run, or else by default. Without, values end before them,
    and before calls of closures.

    Annotations of other targets than "default" stay; those of "default" are made
    anew, so that the pass may run once for each target.

    Other passes may run before regions are merged and become functions, but those
    that change how functions are called, as `relay-defunctionalize` and
    `relay-to-cps` do: they take regions of others apart, which is an error then.

    ```mlir
    %0 = relay.add %x, %y : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    return %0 : tensor<4xf32>
    ```
    becomes
    ```mlir
    %0 = relay.annotation.compiler_begin %x {compiler = "t"} : (tensor<4xf32>) -> tensor<4xf32>
    %1 = relay.annotation.compiler_begin %y {compiler = "t"} : (tensor<4xf32>) -> tensor<4xf32>
    %2 = relay.add %0, %1 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %3 = relay.annotation.compiler_end %2 {compiler = "t"} : (tensor<4xf32>) -> tensor<4xf32>
    return %3 : tensor<4xf32>
    ```
  }];
  let options = [
    ListOption<"targets", "targets", "std::string",
               "Names of code generators, in the order of preference">,
    ListOption<"operators", "operators", "std::string",
               "Operators that targets take besides those that they register: "
               "target:operator">,
    Option<"includeNonCallOps", "include-non-call-ops", "bool",
           /*default=*/"true",
           "Annotate tuples, their fields, references and calls of closures "
           "as well">
  ];
  let statistics = [
    Statistic<"numOperators", "num-operators",
              "Number of operators that targets take">
  ];
  let dependentDialects = ["::mlir::relay::RelayDialect"];
}

def MergeCompilerRegionsPass
    : Pass<"relay-merge-compiler-regions", "::mlir::ModuleOp"> {
  let summary = "Make larger parts for the code generators of others";
  let description = [{
    Merges a region with those of the same target that compute what it needs,
    and removes the annotations between them. It does not if there is another way
    from one to the other, through anything outside of both: the merged region
    would need its own result. Regions of "default" are merged as well. It is an
    error if annotations make no regions, or if regions need one another already.

    Other passes may run before and after it: two annotations of a value are not
    equal, fusion leaves them outside of kernels, and names that a normal form
    gives to values of a region are taken away again. Only `relay-decompose`, which
    writes operators in others, takes annotations away.

    ```mlir
    %2 = relay.annotation.compiler_end %1 {compiler = "t"} : (tensor<4xf32>) -> tensor<4xf32>
    %3 = relay.annotation.compiler_begin %2 {compiler = "t"} : (tensor<4xf32>) -> tensor<4xf32>
    %4 = relay.exp %3 : (tensor<4xf32>) -> tensor<4xf32>
    ```
    becomes
    ```mlir
    %4 = relay.exp %1 : (tensor<4xf32>) -> tensor<4xf32>
    ```
  }];
  let statistics = [
    Statistic<"numMerged", "num-merged", "Number of regions merged into others">
  ];
}

def PartitionGraphPass : Pass<"relay-partition-graph", "::mlir::ModuleOp"> {
  let summary = "Move regions into functions for code generators";
  let description = [{
    Each region between annotations becomes a private function with the attribute
    `relay.compiler`, the target, and a call of it. The function's name, which is
    its `relay.global_symbol` too, is `tvmgen_<mod-name>_<target>_<function>_<id>`
    with anything but letters and digits as `_`; `id` counts the begins of the
    function. Before that, tuples that leave a region are taken apart, and
    annotations for "default" are removed.

    Several outputs are several results. Inputs that are constants, or tuples of
    constants, are inside of the function, unless `bind-constants` is false.
    Regions of fewer operators or less cost than asked for stay where they are,
    as operators; so do those that nobody uses, and those of a polymorphic closure
    with values of its types.

    ```mlir
    %0 = relay.annotation.compiler_begin %x {compiler = "t"} : (tensor<4xf32>) -> tensor<4xf32>
    %1 = relay.exp %0 : (tensor<4xf32>) -> tensor<4xf32>
    %2 = relay.annotation.compiler_end %1 {compiler = "t"} : (tensor<4xf32>) -> tensor<4xf32>
    ```
    becomes
    ```mlir
    %0 = relay.call @tvmgen_default_t_main_0(%x) : (tensor<4xf32>) -> tensor<4xf32>
    ```
  }];
  let options = [
    Option<"modName", "mod-name", "std::string", /*default=*/"\"default\"",
           "A part of the names of the functions">,
    Option<"bindConstants", "bind-constants", "bool", /*default=*/"true",
           "Whether constants become parts of the functions">,
    Option<"minOperators", "min-operators", "int64_t", /*default=*/"0",
           "The smallest number of operators in a function">,
    Option<"minCost", "min-cost", "double", /*default=*/"0",
           "The smallest cost of a function: the number of products in "
           "convolutions and the like, and of elements of other results">
  ];
  let statistics = [
    Statistic<"numFunctions", "num-functions", "Number of functions made">,
    Statistic<"numDissolved", "num-dissolved",
              "Number of regions that stayed where they are">
  ];
  let dependentDialects = ["::mlir::func::FuncDialect",
                           "::mlir::relay::RelayDialect"];
}

def CollagePartitionPass
    : Pass<"relay-collage-partition", "::mlir::ModuleOp"> {
  let summary = "Share a program between code generators by cost";
  let description = [{
    Does what `relay-annotate-target` and `relay-partition-graph` do, but which
    operators a target gets depends on what they cost: the sum over all parts is
    as small as can be. Where costs are equal, a part stays ours, or else the
    first of `targets` gets it.

    What a target could take are its operators (`addOffloadProvider`, `operators`),
    its patterns (`PatternTableInterface`, `patterns`), calls of closures with the
    attribute `relay.composite` that begins with its name, and combinations of
    these, as `styles` has it: `any` of what is connected, only what a kernel of
    ours could be (`kernels`), or `none`. What is ours is combined as kernels are.
    A combination has one result, and at most `external-max-depth` operators, ours
    `max-depth`, one after another. At most 64 of a target end in one operator, and
    the 256 cheapest ways to each are followed.

    `costs` says what an operator costs: `example=2`, or `example:nn.dense=0.5`;
    `default` is ours. Each operator of a part but the first costs nine tenths of
    that. In Python, parts can be timed (`relay.transform.CollagePartition`).

    Of two operators, of which "t" computes one for less,
    ```mlir
    %0 = relay.exp %x : (tensor<4xf32>) -> tensor<4xf32>
    %1 = relay.tanh %0 : (tensor<4xf32>) -> tensor<4xf32>
    ```
    it gets that:
    ```mlir
    %0 = relay.call @tvmgen_collage_t_main_0(%x) : (tensor<4xf32>) -> tensor<4xf32>
    %1 = relay.tanh %0 : (tensor<4xf32>) -> tensor<4xf32>
    ```
  }];
  let options = [
    ListOption<"targets", "targets", "std::string",
               "Names of code generators, in the order of preference">,
    ListOption<"costs", "costs", "std::string",
               "What operators cost: target=cost, target:operator=cost">,
    ListOption<"operators", "operators", "std::string",
               "Operators that targets take besides those that they register: "
               "target:operator">,
    ListOption<"patterns", "patterns", "std::string",
               "Files of PDL with patterns, as relay-merge-composite has them">,
    ListOption<"styles", "styles", "std::string",
               "How parts of a target are combined: target=none, kernels or any "
               "(the default)">,
    Option<"maxDepth", "max-depth", "unsigned", /*default=*/"4",
           "How many operators one after another a kernel of ours may have">,
    Option<"externalMaxDepth", "external-max-depth", "unsigned",
           /*default=*/"8",
           "How many operators one after another a part of a target may have">,
    Option<"modName", "mod-name", "std::string", /*default=*/"\"collage\"",
           "A part of the names of the functions">
  ];
  let statistics = [
    Statistic<"numFunctions", "num-functions", "Number of functions made">
  ];
  let dependentDialects = ["::mlir::func::FuncDialect",
                           "::mlir::relay::RelayDialect"];
}

def GenerateExternalCodePass
    : Pass<"relay-generate-external-code", "::mlir::ModuleOp"> {
  let summary = "Let the code generators of others make code";
  let description = [{
    Hands all functions with the attribute `relay.compiler` to the code generator
    of that name (`addExternalCodeGenerator`), those of one at once. Tuples that
    cross the border of such a function become their fields before. Then, as the
    generator returns

    * MLIR: the functions have the bodies that it made, and are compiled as all
      others;
    * C: the module has the source, in `relay.external_code`, which is compiled
      when the artefact is written;
    * bytes: the functions run on device 0 of the kind with the generator's name,
      `device_copy` is around their calls, and `target.device_specs` has the
      bytes.

    It is an error if there is no generator, if it fails, or if what it returns
    does not fit. With `fallback`, it is a warning, and the functions are compiled
    as all others; where a program is compiled as a whole, that includes C that
    does not compile or lacks a function.
  }];
  let options = [
    Option<"fallback", "fallback", "bool", /*default=*/"false",
           "Whether we compile what a generator does not">
  ];
  let statistics = [
    Statistic<"numFunctions", "num-functions",
              "Number of functions that generators made code of">
  ];
  let dependentDialects = ["::mlir::func::FuncDialect",
                           "::mlir::relay::RelayDialect",
                           "::mlir::relay::TargetDialect"];
}

def InlineCompilerFunctionsPass
    : Pass<"relay-inline-compiler-functions", "::mlir::ModuleOp"> {
  let summary = "Undo the outlining of functions for code generators";
  let description = [{
    Puts the bodies of functions with the attribute `relay.compiler` in the place
    of their calls, and removes those that nothing names any more. `functions` has
    the names of those that are meant; without names, with `compilers`, all of
    these compilers. With `dissolve-patterns`, calls of patterns in the bodies
    become their operators.
  }];
  let options = [
    ListOption<"functions", "functions", "std::string",
               "Names of functions to inline">,
    ListOption<"compilers", "compilers", "std::string",
               "Compilers whose functions are inlined; `*` for all">,
    Option<"dissolvePatterns", "dissolve-patterns", "bool", /*default=*/"false",
           "Whether patterns become their operators">
  ];
  let statistics = [
    Statistic<"numInlined", "num-inlined", "Number of calls replaced">
  ];
  let dependentDialects = ["::mlir::relay::RelayDialect"];
}

def OutlineCompilerFunctionsPass
    : Pass<"relay-outline-compiler-functions", "::mlir::ModuleOp"> {
  let summary = "Make functions of closures for code generators";
  let description = [{
    Closures with the attributes `relay.compiler` and `relay.global_symbol` that
    are called become functions of the module of that name, and their calls those
    of the functions. They must not use values from around them, constants
    excepted. Closures of the same name must be equal.
  }];
  let options = [
    Option<"compilerFilter", "compiler-filter", "std::string", /*default=*/"\"\"",
           "The one compiler that is meant; empty for all">
  ];
  let statistics = [
    Statistic<"numOutlined", "num-outlined", "Number of closures outlined">
  ];
  let dependentDialects = ["::mlir::func::FuncDialect",
                           "::mlir::relay::RelayDialect"];
}

def MarkCompilerFunctionsAsExternPass
    : Pass<"relay-mark-compiler-functions-as-extern", "::mlir::ModuleOp"> {
  let summary = "Say that functions are compiled already";
  let description = [{
    Functions with the attribute `relay.compiler` lose their attributes, and have
    `Extern=1` of Relay text instead: something else defines them.
  }];
  let options = [
    Option<"compilerFilter", "compiler-filter", "std::string", /*default=*/"\"\"",
           "The one compiler that is meant; empty for all">
  ];
}

#endif // RELAY_MLIR_DIALECT_RELAY_TRANSFORMS_COMPILERPASSES_TD
