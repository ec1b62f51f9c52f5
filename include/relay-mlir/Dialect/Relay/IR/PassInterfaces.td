//===- PassInterfaces.td - What single passes ask operators -*- tablegen -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Interfaces that few operators have, for one pass or two. The dialect attaches
// them to its operators (PassInterfaces.cpp), so that their definitions do not
// depend on each pass; operators of others implement them as any interface.
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_DIALECT_RELAY_IR_PASSINTERFACES_TD
#define RELAY_MLIR_DIALECT_RELAY_IR_PASSINTERFACES_TD

include "mlir/IR/OpBase.td"

def WindowOpInterface : OpInterface<"WindowOpInterface"> {
  let description = [{
    An operator on windows of its first operand, such as a convolution or a pool,
    which may reach beyond it: `padding` is as of a convolution. It implements
    SpatialOpInterface, too.
  }];
  let cppNamespace = "::mlir::relay";
  let methods = [
    InterfaceMethod<"Returns the step from window to window, by dimension.",
                    "::llvm::ArrayRef<int64_t>", "getStrides">,
    InterfaceMethod<"Returns the step inside of a window, by dimension.",
                    "::llvm::ArrayRef<int64_t>", "getDilation">,
    InterfaceMethod<"Changes the step inside of a window.",
                    "void", "setDilation",
                    (ins "::llvm::ArrayRef<int64_t>":$dilation)>,
    InterfaceMethod<"Returns how far windows reach beyond the data.",
                    "::llvm::ArrayRef<int64_t>", "getPadding">,
    InterfaceMethod<[{
        Lets windows reach further, before and after each spatial dimension, so
        that the operator computes what it did on data with elements of `value`
        there. Fails, and changes nothing, if it cannot.
      }],
      "::llvm::LogicalResult", "takeInPadding",
      (ins "::llvm::ArrayRef<int64_t>":$before,
           "::llvm::ArrayRef<int64_t>":$after, "double":$value)>
  ];
}

def LegalizeOpInterface : OpInterface<"LegalizeOpInterface"> {
  let description = [{
    An operator that is computed better, or only, in another form on the target of
    its module (`target.spec`). `relay-legalize` asks for that.
  }];
  let cppNamespace = "::mlir::relay";
  let methods = [
    InterfaceMethod<[{
        Makes, before the operator, what is to be computed instead; null if it
        stays as it is. The value has the type of the result.
      }],
      "::mlir::Value", "legalize", (ins "::mlir::OpBuilder &":$builder)>
  ];
}

def PrecisionOpInterface : OpInterface<"PrecisionOpInterface"> {
  let description = [{
    An operator that says how precise it is to be computed where others are in
    half precision.
  }];
  let cppNamespace = "::mlir::relay";
  let methods = [
    InterfaceMethod<[{
        Returns whether it sums many elements, or is a function whose results
        leave the range of smaller types.
      }],
      "bool", "needsFullPrecision">
  ];
}

def FilledOpInterface : OpInterface<"FilledOpInterface"> {
  let description = [{
    An operator that makes a tensor of zeros, or of ones. Its operands, if it has
    any, give the type of the result only.
  }];
  let cppNamespace = "::mlir::relay";
  let methods = [
    InterfaceMethod<"Returns whether the elements are 1, not 0.",
                    "bool", "isFilledWithOnes">
  ];
}

def ElementSizedOpInterface : OpInterface<"ElementSizedOpInterface"> {
  let description = [{
    An operator whose elements decide how large its result is. A function of
    tensors knows sizes before it runs, so for the virtual machine the operator is
    written as others that compute as much as there could be, and how much of it
    there is; what follows is another function, of which the sizes are known then.
  }];
  let cppNamespace = "::mlir::relay";
  let methods = [
    InterfaceMethod<[{
        Makes operators, at the builder's position, that compute the result, or
        the fields of a result that is a tuple, with a first dimension that is
        large enough for any elements. `counts` gets an i64 scalar for each: how
        many of the rows, from the first on, are the result; or a null value for
        one that is whole.
      }],
      "void", "makeBounded",
      (ins "::mlir::OpBuilder &":$builder,
           "::llvm::SmallVectorImpl<::mlir::Value> &":$results,
           "::llvm::SmallVectorImpl<::mlir::Value> &":$counts)>
  ];
}

def FractionOpInterface : OpInterface<"FractionOpInterface"> {
  let description = [{
    An operator of floats that makes fractions of fractions. Sizes that programs
    compute in floats are computed in integers, as fractions whose denominators
    are constants; of others there is no expression.
  }];
  let cppNamespace = "::mlir::relay";
  let methods = [
    InterfaceMethod<[{
        The denominator of the elements of the result, or 1 for a result of
        integers; none if they are no such fractions. `denominators` has those of
        the operands: 1 for integers.
      }],
      "std::optional<int64_t>", "getDenominator",
      (ins "::llvm::ArrayRef<int64_t>":$denominators)>
  ];
}

def GradientOpInterface : OpInterface<"GradientOpInterface"> {
  let description = [{
    An operator that knows its derivative: how the gradient of a number by its
    operands follows from that by its result. `relay-gradient` and
    `relay-first-order-gradient` ask for that where floats go in and come out;
    those without it are errors there.
  }];
  let cppNamespace = "::mlir::relay";
  let methods = [
    InterfaceMethod<[{
        Makes the gradients of the operands, at the builder's position, where
        operands and results of the operator may be used. `gradients` has that of
        the result, or of each field of a result that is a tuple; those of fields
        that are not floats are null. `results` has a null value for each operand:
        those that are set have the type of their operand, and an operand whose
        value stays null has no gradient, or 0. Fails with an error at the
        operator.
      }],
      "::llvm::LogicalResult", "buildGradients",
      (ins "::mlir::OpBuilder &":$builder, "::mlir::ValueRange":$gradients,
           "::llvm::MutableArrayRef<::mlir::Value>":$results)>,
    InterfaceMethod<[{
        Returns whether the result is the first operand, of whatever type it is.
      }],
      "bool", "returnsOperand", (ins), "", "return false;">
  ];
}

def IntegerFormOpInterface : OpInterface<"IntegerFormOpInterface"> {
  let description = [{
    An operator on floats that can be computed on the integers that stand for
    them. `relay-fake-quantization-to-integer` asks for that between
    qnn.dequantize and qnn.quantize.
  }];
  let cppNamespace = "::mlir::relay";
  let methods = [
    InterfaceMethod<[{
        Makes, with the builder, what computes the result on the integers of
        `operands`, and says what the integers of the result stand for. An operand
        that is not quantized is a constant of floats, or integers. `wanted` is
        what the result is to be: operators that must round use it, the others
        need not. Fails with an error at the operator.
      }],
      "::mlir::FailureOr<::mlir::relay::QuantizedValue>", "toIntegers",
      (ins "::mlir::OpBuilder &":$builder,
           "::llvm::ArrayRef<::mlir::relay::QuantizedValue>":$operands,
           "const ::mlir::relay::WantedQuantization &":$wanted)>,
    InterfaceMethod<[{
        Returns whether it is the same to clip operands or the result to the range
        of a type, as of operators that move elements, and of maxima.
      }],
      "bool", "commutesWithClip", (ins), "", "return false;">,
    InterfaceMethod<[{
        Returns whether it is computed in integers, with `use-qat`, wherever its
        operands are dequantized, whatever is done with the result.
      }],
      "bool", "isIntegerAlone", (ins), "", "return false;">,
    InterfaceMethod<[{
        Returns whether the integers are so much less exact that programs have to
        ask for them, by the operator's name.
      }],
      "bool", "isIntegerOnRequest", (ins), "", "return false;">
  ];
}

#endif // RELAY_MLIR_DIALECT_RELAY_IR_PASSINTERFACES_TD
