//===- RelayCoreOps.td - Constants, calls and tuples -------*- tablegen -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_DIALECT_RELAY_IR_RELAYCOREOPS_TD
#define RELAY_MLIR_DIALECT_RELAY_IR_RELAYCOREOPS_TD

include "mlir/Interfaces/CallInterfaces.td"
include "mlir/IR/SymbolInterfaces.td"
include "relay-mlir/Dialect/Relay/IR/RelayTypes.td"

def Relay_ConstantOp : Op<Relay_Dialect, "constant", [
    Pure, ConstantLike, InferTypeOpAdaptorWithIsCompatible]> {
  let summary = "A constant tensor";
  let description = [{
    Weights are resources, which are neither copied nor printed by passes.

    ```mlir
    %w = relay.constant dense_resource<conv1.weight> : tensor<16x3x3x3xf32>
    %c = relay.constant dense<1.0> : tensor<f32>
    ```
  }];
  let arguments = (ins ElementsAttr:$value);
  let results = (outs Relay_Tensor:$result);
  let assemblyFormat = "attr-dict $value";
  let hasFolder = 1;
  let extraClassDefinition = [{
    bool $cppClass::isCompatibleReturnTypes(::mlir::TypeRange inferred,
                                            ::mlir::TypeRange actual) {
      return inferred == actual;
    }
  }];
}

def Relay_CallOp : Op<Relay_Dialect, "call", [
    CallOpInterface, DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "Calls a function of the module";
  let description = [{
    The operands of a call of a polymorphic function (`relay.type_params`) are
    of an instance of its type.

    ```mlir
    func.func private @fused_nn_conv2d_nn_relu(
        tensor<1x3x8x8xf32>, tensor<4x3x3x3xf32>) -> tensor<1x4x6x6xf32>

    %0 = relay.call @fused_nn_conv2d_nn_relu(%x, %w)
        : (tensor<1x3x8x8xf32>, tensor<4x3x3x3xf32>) -> tensor<1x4x6x6xf32>
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$callee, Variadic<AnyType>:$operands,
                       OptionalAttr<DictArrayAttr>:$arg_attrs,
                       OptionalAttr<DictArrayAttr>:$res_attrs);
  let results = (outs Variadic<AnyType>);
  let assemblyFormat = [{
    $callee `(` $operands `)` attr-dict `:` functional-type($operands, results)
  }];
  let extraClassDeclaration = [{
    ::mlir::CallInterfaceCallable getCallableForCallee() {
      return getCalleeAttr();
    }
    void setCalleeFromCallable(::mlir::CallInterfaceCallable callee) {
      setCalleeAttr(::llvm::cast<::mlir::FlatSymbolRefAttr>(
          ::llvm::cast<::mlir::SymbolRefAttr>(callee)));
    }
    ::mlir::Operation::operand_range getArgOperands() { return getOperands(); }
    ::mlir::MutableOperandRange getArgOperandsMutable() {
      return getOperandsMutable();
    }
  }];
}

def Relay_TupleOp : Op<Relay_Dialect, "tuple", [
    Pure, InferTypeOpAdaptor,
    DeclareOpInterfaceMethods<FusionPatternOpInterface>]> {
  let summary = "Makes a tuple";
  let description = [{
    ```mlir
    %t = relay.tuple %a, %b : tensor<2xf32>, tensor<3xi32>
    %u = relay.tuple ()
    ```
  }];
  let arguments = (ins Variadic<Relay_AnyValue>:$fields);
  let results = (outs AnyTuple:$result);
  let assemblyFormat = [{
    custom<TupleFields>($fields, type($fields)) attr-dict
  }];
  let extraClassDefinition = [{
    ::mlir::relay::OpPatternKind $cppClass::getFusionPattern() {
      return ::mlir::relay::OpPatternKind::Tuple;
    }
  }];
}

def Relay_TupleGetItemOp : Op<Relay_Dialect, "tuple_get_item", [
    Pure, InferTypeOpAdaptorWithIsCompatible,
    DeclareOpInterfaceMethods<FusionPatternOpInterface>,
    DeclareOpInterfaceMethods<LayoutOpInterface>]> {
  let summary = "A field of a tuple";
  let description = [{
    ```mlir
    %a = relay.tuple_get_item %t[0] : tuple<tensor<2xf32>, tensor<3xi32>>
    ```
  }];
  let arguments = (ins Relay_TupleValue:$tuple, Relay_IntAttr:$index);
  let results = (outs Relay_AnyValue:$result);
  let assemblyFormat = [{
    $tuple `[` $index `]` attr-dict `:` type($tuple)
  }];
  let hasFolder = 1;
  let extraClassDefinition = [{
    bool $cppClass::isCompatibleReturnTypes(::mlir::TypeRange inferred,
                                            ::mlir::TypeRange actual) {
      return ::mlir::relay::detail::areTypesCompatible(inferred, actual);
    }
    ::mlir::relay::OpPatternKind $cppClass::getFusionPattern() {
      return ::mlir::relay::OpPatternKind::Injective;
    }
  }];
}

#endif // RELAY_MLIR_DIALECT_RELAY_IR_RELAYCOREOPS_TD
