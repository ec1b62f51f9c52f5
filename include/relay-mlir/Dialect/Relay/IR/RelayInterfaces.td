//===- RelayInterfaces.td - Interfaces of relay operators --*- tablegen -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_DIALECT_RELAY_IR_RELAYINTERFACES_TD
#define RELAY_MLIR_DIALECT_RELAY_IR_RELAYINTERFACES_TD

include "mlir/IR/EnumAttr.td"
include "mlir/IR/OpBase.td"

def Relay_OpPatternKind : I32EnumAttr<"OpPatternKind",
    "how an operator relates its result's elements to its operands'", [
      I32EnumAttrCase<"ElemWise", 0>,
      I32EnumAttrCase<"Broadcast", 1>,
      I32EnumAttrCase<"Injective", 2>,
      I32EnumAttrCase<"CommReduce", 3>,
      I32EnumAttrCase<"OutEWiseFusable", 4>,
      I32EnumAttrCase<"Tuple", 7>,
      I32EnumAttrCase<"Opaque", 8>]> {
  let cppNamespace = "::mlir::relay";
}

def FusionPatternOpInterface : OpInterface<"FusionPatternOpInterface"> {
  let description = [{
    Tells operator fusion what may be computed together with the operator. The
    kinds are ordered: a smaller one fuses with more.

    * `ElemWise`: element i of the result depends on element i of the operands.
    * `Broadcast`: the same, up to dimensions of size 1.
    * `Injective`: each element depends on one element of each operand.
    * `CommReduce`: elements are reduced by a commutative operation.
    * `OutEWiseFusable`: anything, and elementwise consumers can be fused.
    * `Tuple`: makes a tuple.
    * `Opaque`: nothing can be fused.
  }];
  let cppNamespace = "::mlir::relay";
  let methods = [
    InterfaceMethod<"Returns the operator's kind.",
                    "::mlir::relay::OpPatternKind", "getFusionPattern">
  ];
}

//===----------------------------------------------------------------------===//
// Layouts
//===----------------------------------------------------------------------===//

def LayoutOpInterface : OpInterface<"LayoutOpInterface"> {
  let description = [{
    An operator of one result that can run on tensors whose dimensions are stored
    in another order than the one it was written for. LayoutForms.h tells what
    orders and forms are. Most operators implement it by one of the rules of
    RelayLayoutRules.td.
  }];
  let cppNamespace = "::mlir::relay";
  let methods = [
    InterfaceMethod<[{
        Returns how the operator runs if its operand `index` comes in `order`,
        which is not empty and which the form may adjust; none if it runs only as
        it was written.
      }],
      "std::optional<::mlir::relay::OperatorForm>", "inferForm",
      (ins "unsigned":$index, "::llvm::ArrayRef<int64_t>":$order)>,
    InterfaceMethod<[{
        Changes the attributes, which are those of the operator as it was
        written, to those of `form`. The operands are stored as the form says,
        the result still has its old type.
      }],
      "void", "setForm", (ins "const ::mlir::relay::OperatorForm &":$form), "",
      "return;">,
    InterfaceMethod<[{
        Creates what computes the stored result from the stored `operands`, in a
        form that is no alias: the operator, after setForm(), or another one.
      }],
      "::mlir::Operation *", "buildInForm",
      (ins "::mlir::OpBuilder &":$builder,
           "const ::mlir::relay::OperatorForm &":$form,
           "::mlir::ValueRange":$operands), "", [{
        return ::mlir::relay::detail::cloneInForm(builder, $_op, form,
                                                  operands);
      }]>,
    InterfaceMethod<[{
        Returns by which axes the operator permutes the dimensions of its one
        operand, as `axes` of `relay.transpose`, if it does nothing else.
      }],
      "std::optional<::llvm::SmallVector<int64_t>>", "getTransposition",
      (ins), "", "return std::nullopt;">
  ];
}

def SpatialOpInterface : OpInterface<"SpatialOpInterface"> {
  let description = [{
    An operator on sequences, images or volumes: its first operand has instances,
    channels and spatial dimensions, in an order that an attribute names, such as
    NCHW. It may be asked to run in another one, so it implements
    LayoutOpInterface, too.
  }];
  let cppNamespace = "::mlir::relay";
  let methods = [
    StaticInterfaceMethod<"Returns the number of spatial dimensions, 1 to 3.",
                          "int64_t", "getSpatialRank">,
    InterfaceMethod<"Returns the layout of the first operand.",
                    "::llvm::StringRef", "getDataLayout">,
    InterfaceMethod<"Returns the layout of the result; empty: the same.",
                    "::llvm::StringRef", "getOutLayout", (ins), "", [{
        return "";
      }]>
  ];
}

def ConvolutionOpInterface : OpInterface<"ConvolutionOpInterface"> {
  let description = [{
    A convolution of its first operand, the data, with its second, the kernel.
    It implements SpatialOpInterface, too. The layout of the kernel has letters
    O and I for the channels of the result and of the data.
  }];
  let cppNamespace = "::mlir::relay";
  let methods = [
    InterfaceMethod<"Returns the layout of the data.",
                    "::llvm::StringRef", "getDataLayout">,
    InterfaceMethod<"Returns the layout of the result; empty: that of the data.",
                    "::llvm::StringRef", "getOutLayout">,
    InterfaceMethod<"Returns the layout of the kernel.",
                    "::llvm::StringRef", "getKernelLayout">,
    InterfaceMethod<"Returns into how many groups the channels are divided.",
                    "int64_t", "getGroups">,
    InterfaceMethod<[{
        Returns whether elements of the data are spread over the result, not
        gathered for it.
      }],
      "bool", "isTransposed">,
    InterfaceMethod<[{
        Returns the kernel's usual layout for data in `layout`; empty if there is
        none.
      }],
      "std::string", "getUsualKernelLayout",
      (ins "::llvm::StringRef":$layout)>
  ];
}

//===----------------------------------------------------------------------===//
// What is computed
//===----------------------------------------------------------------------===//

def ContractionOpInterface : OpInterface<"ContractionOpInterface"> {
  let description = [{
    An operator that sums products of its first operand, the data, and its second,
    the weight, such as a convolution or a matrix product. The result is linear in
    each of them.
  }];
  let cppNamespace = "::mlir::relay";
  let methods = [
    InterfaceMethod<[{
        Returns the dimensions of the weight along which each element of the
        result is a sum.
      }],
      "::llvm::SmallVector<int64_t>", "getSummedWeightAxes">,
    InterfaceMethod<[{
        Returns the dimensions of the channels; none if they are not one each, or
        if factors of channels are not to be moved into the weight.
      }],
      "std::optional<::mlir::relay::ChannelAxes>", "getChannelAxes", (ins), "",
      "return std::nullopt;">
  ];
}

def BroadcastOpInterface : OpInterface<"BroadcastOpInterface"> {
  let description = [{
    An operator that computes each element of its result from one element of each
    operand. What it computes depends on nothing else, such as sizes or the
    position.
  }];
  let cppNamespace = "::mlir::relay";
  let methods = [
    InterfaceMethod<[{
        Returns which dimension of operand `index` lies along dimension `axis` of
        the result, as in NumPy by default; none if there is none. It may have
        size 1 where the result has another one.
      }],
      "std::optional<int64_t>", "getOperandAxis",
      (ins "unsigned":$index, "int64_t":$axis), "", [{
        return ::mlir::relay::detail::getBroadcastAxis($_op, index, axis);
      }]>
  ];
}

def ReductionOpInterface : OpInterface<"ReductionOpInterface"> {
  let description = [{
    An operator that reduces dimensions of its one operand by a commutative
    operation on elements of its type.
  }];
  let cppNamespace = "::mlir::relay";
  let methods = [
    InterfaceMethod<[{
        Returns the dimensions that are reduced; absent or empty: all; negative:
        from the last.
      }],
      "std::optional<::llvm::ArrayRef<int64_t>>", "getAxis">,
    InterfaceMethod<"Returns whether those not in the list are reduced instead.",
                    "bool", "getExclude">,
    InterfaceMethod<"Returns whether reduced dimensions stay, with size 1.",
                    "bool", "getKeepdims">
  ];
}

//===----------------------------------------------------------------------===//
// Sizes
//===----------------------------------------------------------------------===//

def SizeOperandsOpInterface : OpInterface<"SizeOperandsOpInterface"> {
  let description = [{
    An operator with operands whose elements decide how large its result is, such
    as the shape of `dyn.reshape`. A kernel gets memory for its result from
    outside, so it has to contain what computes these elements from the sizes of
    other tensors; fusion copies that into it.
  }];
  let cppNamespace = "::mlir::relay";
  let methods = [
    InterfaceMethod<"Returns the numbers of those operands.",
                    "::llvm::SmallVector<unsigned>", "getSizeOperands">
  ];
}

class Relay_SizeOperandsDefinition<list<int> positions>
    : NativeOpTrait<"HasSizeOperands", [], [{}], [{
      ::llvm::SmallVector<unsigned> $cppClass::getSizeOperands() {
        return {}] # !interleave(positions, ", ") # [{};
      }
    }]> {
  let cppNamespace = "::mlir::relay";
}

/// The operands at `positions` are those of SizeOperandsOpInterface.
class Relay_SizeOperands<list<int> positions> : TraitList<[
    DeclareOpInterfaceMethods<SizeOperandsOpInterface>,
    Relay_SizeOperandsDefinition<positions>]>;

class Relay_OpTrait<string name> : NativeOpTrait<name> {
  let cppNamespace = "::mlir::relay";
}

/// The result follows from the sizes of the operands; their elements are not
/// read.
def Relay_ReadsSizes : Relay_OpTrait<"ReadsSizes">;

/// An elementwise function of one operand with f(c * x) = c * f(x) for c > 0.
def Relay_PositivelyHomogeneous : Relay_OpTrait<"PositivelyHomogeneous">;

/// Each element of the result is one of the first operand, which is in it once at
/// most. It may be computed anew for each reader.
def Relay_MovesElements : Relay_OpTrait<"MovesElements">;

/// On integers that stand for real numbers, with scales and zero points.
def Relay_OnQuantized : Relay_OpTrait<"OnQuantized">;

#endif // RELAY_MLIR_DIALECT_RELAY_IR_RELAYINTERFACES_TD
