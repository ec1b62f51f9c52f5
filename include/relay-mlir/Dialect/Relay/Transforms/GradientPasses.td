//===- GradientPasses.td - Automatic differentiation -------*- tablegen -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_DIALECT_RELAY_TRANSFORMS_GRADIENTPASSES_TD
#define RELAY_MLIR_DIALECT_RELAY_TRANSFORMS_GRADIENTPASSES_TD

include "mlir/Pass/PassBase.td"

def FirstOrderGradientPass
    : Pass<"relay-first-order-gradient", "::mlir::ModuleOp"> {
  let summary = "Differentiate functions of operators, as straight code";
  let description = [{
    A function of type `fn(T...) -> R` becomes one of type
    `fn(T...) -> (R, (T...))`: it returns what it did, and the gradients of the
    sum of all floats of that by its parameters. T and R are tensors, or tuples of
    them; the gradient of a tensor that is not of floats is 0.

    Only operators, constants, tuples, variables, and closures that are called
    where they are known may be there. The result has operators and tuples only:
    calls of closures become what they compute. Anything else is an error; for
    that there is `relay-gradient`. How an operator is differentiated it says by
    `GradientOpInterface`. Operators that have floats on the way from a parameter
    to the result and do not say so are one error with all their names.

    A function with the attribute `FPrimalGradient`, the name of a function, is
    as an operator: calls of it stay, and calls of the other one give the
    gradients. That takes the parameters, the result and the gradient of the
    result, and returns a tuple of the gradients of the parameters.

    ```mlir
    func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
      %0 = relay.multiply %x, %x
          : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
      return %0 : tensor<4xf32>
    }
    ```
    becomes
    ```mlir
    func.func @main(%x: tensor<4xf32>)
        -> tuple<tensor<4xf32>, tuple<tensor<4xf32>>> {
      %0 = relay.multiply %x, %x
          : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
      %1 = relay.ones {shape = [4], dtype = f32} : () -> tensor<4xf32>
      %2 = relay.multiply %1, %x
          : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
      %3 = relay.multiply %1, %x
          : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
      %4 = relay.add %2, %3
          : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
      %5 = relay.tuple %4 : tensor<4xf32>
      %6 = relay.tuple %0, %5 : tensor<4xf32>, tuple<tensor<4xf32>>
      return %6 : tuple<tensor<4xf32>, tuple<tensor<4xf32>>>
    }
    ```

    Each function of `entries`, by default each one with a body that no other one
    uses, is differentiated on its own.
  }];
  let options = [
    ListOption<"entries", "entries", "std::string",
               "Names of the functions to differentiate; all that no function "
               "uses if there are none">
  ];
  let dependentDialects = ["::mlir::relay::RelayDialect"];
}

def GradientPass : Pass<"relay-gradient", "::mlir::ModuleOp"> {
  let summary = "Differentiate functions of any construct";
  let description = [{
    As `relay-first-order-gradient`, for functions with any construct of the
    language inside: closures, recursion, branches, data types and references. T
    and R are tensors, or tuples of them.

    Each tensor of floats becomes a pair of it and a reference to its gradient,
    which begins with 0. What data types contain changes alike (a data type with
    such tensors for fields, or functions, becomes another one, with `_grad`
    behind the name). A function has one more parameter, a reference to the
    function that has to be called to go back from there. An operator computes what
    it did, and puts a function there that adds to the gradients of its operands
    and calls the one that was there before. In the end the gradients of the result
    become 1, and the last of these functions is called.

    Functions that are called are differentiated, too, as new functions with
    `_grad` behind the name; those of `entries` become their gradient. Where they
    are used as well, what they were is kept with `_value` behind the name.

    Of what `annotation.checkpoint` returns, operators before it keep nothing: those
    that only it uses, back to variables, calls and what else is not an operator
    on tensors, are computed again when the gradient is.

    `relay-partial-evaluate` and `relay-dead-code` make straight code of the
    result where the program allows it.

    ```mlir
    func.func @main(%x: tensor<f32>) -> tensor<f32> {
      %0 = relay.exp %x : (tensor<f32>) -> tensor<f32>
      return %0 : tensor<f32>
    }
    ```
    becomes, but for what goes back before anything has been computed,
    ```mlir
    func.func @main(%x: tensor<f32>) -> tuple<tensor<f32>, tuple<tensor<f32>>> {
      %zero = relay.zeros {shape = [], dtype = f32} : () -> tensor<f32>
      %dx = relay.ref_create %zero : (tensor<f32>) -> !relay.ref<tensor<f32>>
      %0 = relay.exp %x : (tensor<f32>) -> tensor<f32>
      %one = relay.ones {shape = [], dtype = f32} : () -> tensor<f32>
      %d0 = relay.ref_create %one : (tensor<f32>) -> !relay.ref<tensor<f32>>
      %back = relay.fn () -> tuple<> {
        %1 = relay.ref_read %d0 : (!relay.ref<tensor<f32>>) -> tensor<f32>
        %2 = relay.ref_read %dx : (!relay.ref<tensor<f32>>) -> tensor<f32>
        %3 = relay.multiply %1, %0
            : (tensor<f32>, tensor<f32>) -> tensor<f32>
        %4 = relay.add %2, %3 : (tensor<f32>, tensor<f32>) -> tensor<f32>
        %5 = relay.ref_write %dx, %4
            : (!relay.ref<tensor<f32>>, tensor<f32>) -> tuple<>
        relay.yield %5 : tuple<>
      }
      %6 = relay.call_indirect %back() : () -> tuple<>
      %7 = relay.ref_read %dx : (!relay.ref<tensor<f32>>) -> tensor<f32>
      %8 = relay.tuple %7 : tensor<f32>
      %9 = relay.tuple %0, %8 : tensor<f32>, tuple<tensor<f32>>
      return %9 : tuple<tensor<f32>, tuple<tensor<f32>>>
    }
    ```
  }];
  let options = [
    ListOption<"entries", "entries", "std::string",
               "Names of the functions to differentiate; main if there are none">
  ];
  let dependentDialects = ["::mlir::relay::RelayDialect"];
}

def LazyGradientInitPass
    : Pass<"relay-lazy-gradient-init", "::mlir::ModuleOp"> {
  let summary = "Make tensors of zeros and ones only where they are needed";
  let description = [{
    Gradients begin with zeros or ones, and most of them meet others in sums and
    products. Inside of each function, a tensor becomes a `GradCell`: known to be
    zeros, known to be ones, or a tensor. `relay.zeros`, `relay.ones` and their
    like make the first two, without making a tensor. A sum with zeros, and a
    product with zeros or ones of the same shape, is decided without computing
    anything. All other operators make tensors of what they take. (So 0 times
    infinity is 0 here.)

    Parameters and results of functions of the module are as they were: tensors,
    or tuples of them. Functions of other types stay as they are. Inside, any
    construct may be. `relay-partial-evaluate` and `relay-dead-code` leave no cells
    where it is known what they are.

    The module must have the definitions of `gradient.rly` (lib/Prelude): `GradCell`
    and the functions on it. `relay.transform.LazyGradientInit` of Python imports
    them.

    ```mlir
    func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
      %0 = relay.zeros {shape = [4], dtype = f32} : () -> tensor<4xf32>
      %1 = relay.add %x, %0 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
      return %1 : tensor<4xf32>
    }
    ```
    after that and `relay-partial-evaluate` is
    ```mlir
    func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
      return %x : tensor<4xf32>
    }
    ```
  }];
  let dependentDialects = ["::mlir::relay::RelayDialect"];
}

#endif // RELAY_MLIR_DIALECT_RELAY_TRANSFORMS_GRADIENTPASSES_TD
