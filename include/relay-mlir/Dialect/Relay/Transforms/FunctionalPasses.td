//===- FunctionalPasses.td - Passes on functions and scopes *- tablegen -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Passes that change where a program binds and computes values and what its
// functions are, and those that evaluate it. In alphabetical order.
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_DIALECT_RELAY_TRANSFORMS_FUNCTIONALPASSES_TD
#define RELAY_MLIR_DIALECT_RELAY_TRANSFORMS_FUNCTIONALPASSES_TD

include "mlir/Pass/PassBase.td"

def AnnotateUsedMemoryPass
    : Pass<"relay-annotate-used-memory", "::mlir::ModuleOp"> {
  let summary = "Say how much memory is in use when kernels run";
  let description = [{
    Gives each primitive function that is called a list, `used_memory`, among its
    attributes in Relay's text (`relay.attrs`): for each call, in the order of the
    program, the bytes of all variables that are in use before it, and of its
    result. Tuples are what they consist of; constants, and what aligns tensors,
    are not counted. `main` has the bytes of its parameters and results,
    `io_used_memory`.

    The program is in A-normal form. It is an error if the size of a tensor is not
    known.

    ```mlir
    %f = relay.fn (%p: tensor<4xf32>) -> tensor<4xf32>
        attributes {relay.primitive} { ... }
    %g = relay.let "g" %f : (tensor<4xf32>) -> tensor<4xf32>
    %0 = relay.call_indirect %g(%x) : (tensor<4xf32>) -> tensor<4xf32>
    ```
    becomes
    ```mlir
    %f = relay.fn (%p: tensor<4xf32>) -> tensor<4xf32>
        attributes {relay.attrs = {used_memory = [32 : i32]}, relay.primitive} { ... }
    ```
  }];
}

def DefunctionalizePass : Pass<"relay-defunctionalize", "::mlir::ModuleOp"> {
  let summary = "Make data of closures";
  let description = [{
    Makes a program first order: no value is a function. Each type of functions
    becomes a data type, with a constructor for each closure of that type, whose
    fields are what the closure uses from outside. A private function for each of
    these types, which matches on the constructor, does what the closure does,
    and indirect calls call it. Closures of operators, and names as values, are
    closures as well; primitive closures that are called where they are stay.

    Before that, `relay-eta-expand`, `relay-instantiate`, and
    `relay-remove-unused-functions` for `entries` run, so that functions of the
    module with type parameters become functions of one type each. So do closures
    with type parameters, if each use tells the types: a call, a parameter, a
    field of a constructor, a cell, or a declaration. A function may be its own
    argument, as in `@twice(@twice)`. Where one ends (`relay.memory.kill`), its
    copies do. One that is polymorphic still in a tuple is refused. An entry must
    have no functions for parameters or results.

    ```mlir
    func.func @main(%c: tensor<i1>, %x: tensor<f32>) -> tensor<f32> {
      %f = relay.if %c : tensor<i1> -> (tensor<f32>) -> tensor<f32> {
        %g = relay.fn (%y: tensor<f32>) -> tensor<f32> {
          %0 = relay.add %x, %y : (tensor<f32>, tensor<f32>) -> tensor<f32>
          relay.yield %0 : tensor<f32>
        }
        relay.yield %g : (tensor<f32>) -> tensor<f32>
      } else {
        %h = relay.fn (%y: tensor<f32>) -> tensor<f32> {
          relay.yield %y : tensor<f32>
        }
        relay.yield %h : (tensor<f32>) -> tensor<f32>
      }
      %1 = relay.call_indirect %f(%x) : (tensor<f32>) -> tensor<f32>
      return %1 : tensor<f32>
    }
    ```
    becomes
    ```mlir
    relay.adt @Function0 {
      relay.constructor @Closure0(tensor<f32>)
      relay.constructor @Closure1
    }
    func.func @main(%c: tensor<i1>, %x: tensor<f32>) -> tensor<f32> {
      %f = relay.if %c : tensor<i1> -> !relay.adt<@Function0> {
        %g = relay.construct @Function0::@Closure0(%x)
            : (tensor<f32>) -> !relay.adt<@Function0>
        relay.yield %g : !relay.adt<@Function0>
      } else {
        %h = relay.construct @Function0::@Closure1()
            : () -> !relay.adt<@Function0>
        relay.yield %h : !relay.adt<@Function0>
      }
      %1 = relay.call @apply_function0(%f, %x)
          : (!relay.adt<@Function0>, tensor<f32>) -> tensor<f32>
      return %1 : tensor<f32>
    }
    func.func private @apply_function0(%f: !relay.adt<@Function0>,
                                       %y: tensor<f32>) -> tensor<f32> {
      %0 = relay.match %f : !relay.adt<@Function0> -> tensor<f32> {
      case @Function0::@Closure0("captured" %x: tensor<f32>) {
        %1 = relay.add %x, %y : (tensor<f32>, tensor<f32>) -> tensor<f32>
        relay.yield %1 : tensor<f32>
      }
      case @Function0::@Closure1 {
        relay.yield %y : tensor<f32>
      }
      }
      return %0 : tensor<f32>
    }
    ```
  }];
  let options = [
    ListOption<"entries", "entries", "std::string",
               "Names of the functions to keep; main if there are none">,
    Option<"maxInstances", "max-instances", "int64_t", /*default=*/"1000",
           "Largest number of copies of closures, and of functions, for their "
           "types">
  ];
  let dependentDialects = ["::mlir::relay::RelayDialect"];
}

def DynamicToStaticPass : Pass<"relay-dynamic-to-static", "::mlir::ModuleOp"> {
  let summary = "Make attributes of operands that are constants";
  let description = [{
    Replaces operators such as `dyn.reshape` by those with an attribute in place
    of an operand, where constant folding makes the operand a constant, and gives
    values the types that follow, as long as there is something to replace.
    Operators whose constants do not fit stay, and are errors when they run.

    ```mlir
    %shape = relay.shape_of %y {dtype = i64} : (tensor<2x6xf32>) -> tensor<2xi64>
    %0 = relay.dyn.reshape %x, %shape
        : (tensor<3x4xf32>, tensor<2xi64>) -> tensor<?x?xf32>
    ```
    becomes
    ```mlir
    %0 = relay.reshape %x {newshape = [2, 6]}
        : (tensor<3x4xf32>) -> tensor<2x6xf32>
    ```
  }];
  let statistics = [
    Statistic<"numReplaced", "num-replaced", "Number of operators replaced">
  ];
  let dependentDialects = ["::mlir::relay::RelayDialect"];
}

def EtaExpandPass : Pass<"relay-eta-expand", "::mlir::ModuleOp"> {
  let summary = "Replace names of constructors or functions by closures";
  let description = [{
    A `relay.global` that names a constructor (`expand-constructor`) or a
    function of the module (`expand-global-var`) becomes a closure that calls it
    with its parameters. Calls by name stay. A polymorphic name that is used as
    an instance becomes a closure of that instance; else the closure has the type
    parameters.

    ```mlir
    %f = relay.global @List::@Cons
        : (tensor<i32>, !relay.adt<@List, [tensor<i32>]>)
        -> !relay.adt<@List, [tensor<i32>]>
    ```
    becomes
    ```mlir
    %f = relay.fn (%a: tensor<i32>, %b: !relay.adt<@List, [tensor<i32>]>)
        -> !relay.adt<@List, [tensor<i32>]> {
      %0 = relay.construct @List::@Cons(%a, %b)
          : (tensor<i32>, !relay.adt<@List, [tensor<i32>]>)
          -> !relay.adt<@List, [tensor<i32>]>
      relay.yield %0 : !relay.adt<@List, [tensor<i32>]>
    }
    ```
  }];
  let options = [
    Option<"expandConstructor", "expand-constructor", "bool", "true",
           "Expand names of constructors">,
    Option<"expandGlobalVar", "expand-global-var", "bool", "false",
           "Expand names of functions">
  ];
  let statistics = [
    Statistic<"numExpanded", "num-expanded", "Number of names expanded">
  ];
  let dependentDialects = ["::mlir::relay::RelayDialect"];
}

def FixInputsPass : Pass<"relay-fix-inputs", "::mlir::ModuleOp"> {
  let summary = "Give inputs sizes and values that are known";
  let description = [{
    Sizes of inputs of `@main` that are open become those that `dims` gives their
    names (`relay.dims`), or `shapes` gives an input (`?` stays open), and inputs
    that `values` has become constants: for a scalar, a number. Other values get
    the types that follow. `relay-compile --dim`, `--shape` and `--input` do this
    when they read a model. `relay-dynamic-to-static` makes attributes of operands
    that are constants now.

    With `dims=n=2 values=slope=0.5`,
    ```mlir
    func.func @main(%x: tensor<?x3xf32> {relay.dims = ["n", ""], relay.name = "x"},
                    %slope: tensor<f32> {relay.name = "slope"}) -> tensor<?x3xf32> {
      %0 = relay.multiply %x, %slope : (tensor<?x3xf32>, tensor<f32>) -> tensor<?x3xf32>
      return %0 : tensor<?x3xf32>
    }
    ```
    becomes
    ```mlir
    func.func @main(%x: tensor<2x3xf32> {relay.name = "x"}) -> tensor<2x3xf32> {
      %0 = relay.constant dense<0.5> : tensor<f32>
      %1 = relay.multiply %x, %0 : (tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xf32>
      return %1 : tensor<2x3xf32>
    }
    ```
  }];
  let options = [
    ListOption<"dims", "dims", "std::string", "Sizes by name: n=16">,
    ListOption<"shapes", "shapes", "std::string",
               "Shapes of inputs by name: x=1x3x?x224">,
    ListOption<"values", "values", "std::string",
               "Values of inputs by name: scale=0.5,sizes=1,3,224">
  ];
  let dependentDialects = ["::mlir::relay::RelayDialect"];
}

def SpecializePass : Pass<"relay-specialize", "::mlir::ModuleOp"> {
  let summary = "Copy @main for sizes of inputs that are seen often";
  let description = [{
    Each of `variants`, a list of sizes by the names of open dimensions
    (`relay.dims`), makes a copy of `@main` for inputs of these sizes, with the
    attribute `relay.variant_of`. All become code of one artefact, and share its
    weights; a run takes the first one whose sizes those of its inputs are, and
    `@main` if there is none. `relay-compile --specialize` does this. `@main` has
    to be operators alone: others call no variant.

    With `variants=n=2`,
    ```mlir
    func.func @main(%x: tensor<?x3xf32> {relay.dims = ["n", ""], relay.name = "x"}) -> tensor<?x3xf32> {
      %0 = relay.exp %x : (tensor<?x3xf32>) -> tensor<?x3xf32>
      return %0 : tensor<?x3xf32>
    }
    ```
    gets beside it
    ```mlir
    func.func @"main.n=2"(%x: tensor<2x3xf32> {relay.name = "x"}) -> tensor<2x3xf32>
        attributes {relay.variant_of = @main} {
      %0 = relay.exp %x : (tensor<2x3xf32>) -> tensor<2x3xf32>
      return %0 : tensor<2x3xf32>
    }
    ```
  }];
  let options = [
    ListOption<"variants", "variants", "std::string",
               "Sizes by name, in braces if there are several: {n=1,m=8},n=16">
  ];
  let dependentDialects = ["::mlir::relay::RelayDialect"];
}

def InlineFunctionsPass : Pass<"relay-inline-functions", "::mlir::ModuleOp"> {
  let summary = "Replace calls of functions that ask for it by their bodies";
  let description = [{
    Calls of functions with the attribute `relay.inline` become what the function
    computes, of a function for a code generator (`relay.compiler`) a call of a
    closure that is a copy of it. A `relay.global` of such a function becomes a
    copy as well. Only functions are inlined that call no other function, once
    that is done for those that they call; so none that calls itself. Those that
    nothing uses after that are removed.

    With `all`, as compilation runs it, all calls of functions are inlined, but of
    those that call themselves, and of those for code generators. Names of
    functions stay, and so do public functions.

    ```mlir
    func.func @twice(%x: tensor<f32>) -> tensor<f32> attributes {relay.inline} {
      %0 = relay.add %x, %x : (tensor<f32>, tensor<f32>) -> tensor<f32>
      return %0 : tensor<f32>
    }
    func.func @main(%x: tensor<f32>) -> tensor<f32> {
      %0 = relay.call @twice(%x) : (tensor<f32>) -> tensor<f32>
      return %0 : tensor<f32>
    }
    ```
    becomes
    ```mlir
    func.func @main(%x: tensor<f32>) -> tensor<f32> {
      %0 = relay.add %x, %x : (tensor<f32>, tensor<f32>) -> tensor<f32>
      return %0 : tensor<f32>
    }
    ```
  }];
  let options = [
    Option<"all", "all", "bool", /*default=*/"false",
           "Inline functions that do not ask for it as well">
  ];
  let statistics = [
    Statistic<"numInlined", "num-inlined", "Number of uses inlined">,
    Statistic<"numRemoved", "num-removed", "Number of functions removed">
  ];
  let dependentDialects = ["::mlir::relay::RelayDialect"];
}

def LambdaLiftPass : Pass<"relay-lambda-lift", "::mlir::ModuleOp"> {
  let summary = "Make functions of the module of closures";
  let description = [{
    Each `relay.fn`, but primitive ones and operators as values, becomes a
    private function. One that uses values from outside becomes a call of a
    function of those values, which returns the closure; it is marked by the
    attribute `Closure` of Relay. Closures that are equal up to names of
    variables share one function, whose name is made of its text:
    `@lifted_name` and a number. Constants and names from outside become parts of
    the function.

    ```mlir
    func.func @main(%x: tensor<f32>) -> tensor<f32> {
      %f = relay.fn (%y: tensor<f32>) -> tensor<f32> {
        %0 = relay.add %x, %y : (tensor<f32>, tensor<f32>) -> tensor<f32>
        relay.yield %0 : tensor<f32>
      }
      %1 = relay.call_indirect %f(%x) : (tensor<f32>) -> tensor<f32>
      return %1 : tensor<f32>
    }
    ```
    becomes
    ```mlir
    func.func @main(%x: tensor<f32>) -> tensor<f32> {
      %f = relay.call @lifted_name15(%x)
          : (tensor<f32>) -> ((tensor<f32>) -> tensor<f32>)
      %1 = relay.call_indirect %f(%x) : (tensor<f32>) -> tensor<f32>
      return %1 : tensor<f32>
    }
    func.func private @lifted_name15(%x: tensor<f32>)
        -> ((tensor<f32>) -> tensor<f32>)
        attributes {relay.attrs = {Closure = 1 : i32}} {
      %f = relay.fn (%y: tensor<f32>) -> tensor<f32> {
        %0 = relay.add %x, %y : (tensor<f32>, tensor<f32>) -> tensor<f32>
        relay.yield %0 : tensor<f32>
      }
      return %f : (tensor<f32>) -> tensor<f32>
    }
    ```
  }];
  let statistics = [
    Statistic<"numLifted", "num-lifted", "Number of closures lifted">,
    Statistic<"numShared", "num-shared",
              "Number of closures that share the function of another">
  ];
  let dependentDialects = ["::mlir::relay::RelayDialect"];
}

def ManifestLifetimesPass
    : Pass<"relay-manifest-lifetimes", "::mlir::func::FuncOp"> {
  let summary = "Say where variables end";
  let description = [{
    Of a program in A-normal form. Puts `memory.kill` of a variable behind the
    binding of what uses it last; parameters end, too. What is used last in
    branches ends in those that use it. A variable that is a result, or that nobody
    uses, does not end. What a closure uses from around it ends for whoever makes
    the closure.

    Before, variables for other variables are replaced by these, also those that
    are behind `on_device`, behind copies to the same device, and those that a
    case of a match gives to the whole value.

    ```mlir
    %0 = relay.exp %x : (tensor<4xf32>) -> tensor<4xf32>
    %y = relay.let "y" %0 : tensor<4xf32>
    return %y : tensor<4xf32>
    ```
    becomes
    ```mlir
    %0 = relay.exp %x : (tensor<4xf32>) -> tensor<4xf32>
    %y = relay.let "y" %0 : tensor<4xf32>
    %1 = relay.memory.kill %x : (tensor<4xf32>) -> tuple<>
    %2 = relay.let "_" %1 : tuple<>
    return %y : tensor<4xf32>
    ```
  }];
  let statistics = [
    Statistic<"numKills", "num-kills", "Number of ends of variables">
  ];
  let dependentDialects = ["::mlir::relay::RelayDialect"];
}

def PartialEvaluatePass : Pass<"relay-partial-evaluate", "::mlir::ModuleOp"> {
  let summary = "Evaluate what is known at compile time";
  let description = [{
    Evaluates each function on parameters that are not known. Calls of closures
    and functions become what they compute, an `if` on a constant the branch that
    it chooses, a `match` on known data its case, operators of constants their
    results, and what a reference is known to have takes the place of reading it.
    Tuples, data and closures are made only if something needs them. Whatever may
    change a reference, such as the call of an unknown function, makes all
    references unknown.

    A function that calls itself is called again only as long as its arguments
    get smaller: parts of data, or numbers that count down. Other calls of itself
    stay. Each function of the module, whose name stays, evaluates at most
    `max-evaluated` operations in calls, all branches that nothing chooses among
    them; further calls stay as well.

    ```mlir
    %two = relay.constant dense<2> : tensor<i32>
    %f = relay.fn rec %self (%n: tensor<i32>, %x: tensor<f32>) -> tensor<f32> {
      %zero = relay.constant dense<0> : tensor<i32>
      %one = relay.constant dense<1> : tensor<i32>
      %done = relay.equal %n, %zero : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %0 = relay.if %done : tensor<i1> -> tensor<f32> {
        relay.yield %x : tensor<f32>
      } else {
        %m = relay.subtract %n, %one : (tensor<i32>, tensor<i32>) -> tensor<i32>
        %y = relay.exp %x : (tensor<f32>) -> tensor<f32>
        %1 = relay.call_indirect %self(%m, %y) : (tensor<i32>, tensor<f32>) -> tensor<f32>
        relay.yield %1 : tensor<f32>
      }
      relay.yield %0 : tensor<f32>
    }
    %r = relay.call_indirect %f(%two, %x) : (tensor<i32>, tensor<f32>) -> tensor<f32>
    ```
    becomes
    ```mlir
    %0 = relay.exp %x : (tensor<f32>) -> tensor<f32>
    %r = relay.exp %0 : (tensor<f32>) -> tensor<f32>
    ```
  }];
  let options = [
    Option<"maxEvaluated", "max-evaluated", "int64_t", /*default=*/"100000",
           "Number of operations that each function may evaluate in calls">
  ];
  let dependentDialects = ["::mlir::relay::RelayDialect"];
}

def RemoveUnusedFunctionsPass
    : Pass<"relay-remove-unused-functions", "::mlir::ModuleOp"> {
  let summary = "Keep the functions that some functions need";
  let description = [{
    Removes each function that none of `entries` uses, directly or through
    others, whether it is public or not. Data types stay. (`relay-dead-code`
    removes private functions that no public one uses.)
  }];
  let options = [
    ListOption<"entries", "entries", "std::string",
               "Names of the functions to keep; main if there are none">
  ];
  let statistics = [
    Statistic<"numRemoved", "num-removed", "Number of functions removed">
  ];
}

def ToANormalFormPass : Pass<"relay-to-a-normal-form", "::mlir::ModuleOp"> {
  let summary = "Bind every computed value to a variable";
  let description = [{
    Adds a `relay.let` for the result of every operation that has none yet, but
    names of functions, constructors and operators. A tuple that an operator
    takes is bound as well. The text format then shows the order of evaluation,
    one `let` for each step. Primitive functions stay as they are.

    ```mlir
    %0 = relay.exp %x : (tensor<4xf32>) -> tensor<4xf32>
    ```
    becomes
    ```mlir
    %0 = relay.exp %x : (tensor<4xf32>) -> tensor<4xf32>
    %1 = relay.let "x1" %0 : tensor<4xf32>
    ```
  }];
  let dependentDialects = ["::mlir::relay::RelayDialect"];
}

def ToBasicBlockNormalFormPass
    : Pass<"relay-to-basic-block-normal-form", "::mlir::ModuleOp"> {
  let summary = "Bind values that several branches or functions use";
  let description = [{
    Adds a `relay.let` for each value whose uses are in several regions, such as
    both branches of a `relay.if`, unless a variable, a function or a constructor
    is the value. An operation without an effect whose uses are all inside of one
    region is a part of that region, as in Relay, where expressions are evaluated
    where they are used; so is what only such operations use.

    After it, each expression belongs to one region, so that a pass may replace
    it without a look at others. Values that one region uses have no variable but
    what they had. Primitive functions stay as they are.

    ```mlir
    %0 = relay.exp %x : (tensor<4xf32>) -> tensor<4xf32>
    %1 = relay.if %c : tensor<i1> -> tensor<4xf32> {
      relay.yield %0 : tensor<4xf32>
    } else {
      %2 = relay.tanh %0 : (tensor<4xf32>) -> tensor<4xf32>
      relay.yield %2 : tensor<4xf32>
    }
    ```
    becomes
    ```mlir
    %0 = relay.exp %x : (tensor<4xf32>) -> tensor<4xf32>
    %x1 = relay.let "x1" %0 : tensor<4xf32>
    %1 = relay.if %c : tensor<i1> -> tensor<4xf32> {
      relay.yield %x1 : tensor<4xf32>
    } else {
      %2 = relay.tanh %x1 : (tensor<4xf32>) -> tensor<4xf32>
      relay.yield %2 : tensor<4xf32>
    }
    ```
  }];
  let statistics = [
    Statistic<"numBound", "num-bound", "Number of values bound">
  ];
  let dependentDialects = ["::mlir::relay::RelayDialect"];
}

def ToCPSPass : Pass<"relay-to-cps", "::mlir::ModuleOp"> {
  let summary = "Give functions continuations";
  let description = [{
    Continuation passing style: a function has one more parameter, a function
    that it calls with its result, and one more type parameter, `answer`, which
    is what both return. What comes after a call becomes the continuation of the
    call; branches that call something get what comes after them as a variable.
    A last call passes the continuation on. Operators, patterns of operators,
    constructors, primitive functions and those without a body are called as
    before.

    Functions of `entries`, by default all, become functions of this style. What
    they call becomes a private function `@<name>_cps`, so that others can call
    the function as it was. Data types must have no functions for fields.

    ```mlir
    func.func @main(%x: tensor<i32>) -> tensor<i32> {
      %0 = relay.call @f(%x) : (tensor<i32>) -> tensor<i32>
      %1 = relay.negative %0 : (tensor<i32>) -> tensor<i32>
      return %1 : tensor<i32>
    }
    ```
    becomes
    ```mlir
    func.func @main(%x: tensor<i32>,
                    %k: (tensor<i32>) -> !relay.typevar<"answer">)
        -> !relay.typevar<"answer"> attributes {relay.type_params = ["answer"]} {
      %rest = relay.fn (%0: tensor<i32>) -> !relay.typevar<"answer"> {
        %1 = relay.negative %0 : (tensor<i32>) -> tensor<i32>
        %2 = relay.call_indirect %k(%1)
            : (tensor<i32>) -> !relay.typevar<"answer">
        relay.yield %2 : !relay.typevar<"answer">
      }
      %0 = relay.call @f_cps(%x, %rest)
          : (tensor<i32>, (tensor<i32>) -> !relay.typevar<"answer">)
          -> !relay.typevar<"answer">
      return %0 : !relay.typevar<"answer">
    }
    ```
  }];
  let options = [
    ListOption<"entries", "entries", "std::string",
               "Names of the functions to convert; all if there are none">
  ];
  let dependentDialects = ["::mlir::relay::RelayDialect"];
}

def ToGraphNormalFormPass
    : Pass<"relay-to-graph-normal-form", "::mlir::ModuleOp"> {
  let summary = "Replace variables by the values they are bound to";
  let description = [{
    Removes every `relay.let`, so that values are used where they are defined,
    as graph passes expect it, and every `relay.ascribe` that asks for no check
    at run time. Types become as precise as they were before those hid sizes. A
    closure that calls itself stays one, and cases of a match that differ in sizes
    are declared to be of its type. `memory.kill`, which says where a variable
    ends, goes with the variables.
  }];
}

def UnCPSPass : Pass<"relay-un-cps", "::mlir::ModuleOp"> {
  let summary = "Take continuations from functions";
  let description = [{
    Makes functions of continuation passing style, those of `entries`, by default
    all that no function uses and that return no functions, functions that return
    their result: what they were is called with the identity for its
    continuation. Parameters that are functions stay of that style.
  }];
  let options = [
    ListOption<"entries", "entries", "std::string",
               "Names of the functions to convert; those that nothing uses if "
               "there are none">
  ];
  let dependentDialects = ["::mlir::relay::RelayDialect"];
}

#endif // RELAY_MLIR_DIALECT_RELAY_TRANSFORMS_FUNCTIONALPASSES_TD
