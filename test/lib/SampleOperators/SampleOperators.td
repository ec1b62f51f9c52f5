//===- SampleOperators.td - Operators from outside ---------*- tablegen -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SAMPLEOPERATORS_TD
#define SAMPLEOPERATORS_TD

include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "mlir/IR/OpBase.td"
include "relay-mlir/Dialect/Relay/IR/PassInterfaces.td"
include "relay-mlir/Dialect/Relay/IR/QuantizeOpInterface.td"
include "relay-mlir/Dialect/Relay/IR/RelayLayoutRules.td"

def Sample_Dialect : Dialect {
  let name = "sample";
  let cppNamespace = "::sample";
}

class Sample_Operator<string mnemonic, string pattern, list<Trait> traits>
    : Op<Sample_Dialect, mnemonic,
         [Pure, DeclareOpInterfaceMethods<FusionPatternOpInterface>] # traits> {
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results)";
  code fusionPattern = [{
    ::mlir::relay::OpPatternKind $cppClass::getFusionPattern() {
      return ::mlir::relay::OpPatternKind::}] # pattern # [{;
    }
  }];
  let extraClassDefinition = fusionPattern;
}

def Sample_SoftenOp : Sample_Operator<"soften", "ElemWise", [
    SameOperandsAndResultType, Relay_PositivelyHomogeneous,
    DeclareOpInterfaceMethods<LegalizeOpInterface>,
    DeclareOpInterfaceMethods<GradientOpInterface>,
    DeclareOpInterfaceMethods<IntegerFormOpInterface>,
    DeclareOpInterfaceMethods<QuantizeOpInterface>, Relay_ElementwiseLayout]> {
  let summary = "Elementwise x if x > 0, else x / 8";
  let arguments = (ins AnyRankedTensor:$data);
}

def Sample_CorrelateOp : Sample_Operator<"correlate", "OutEWiseFusable", [
    DeclareOpInterfaceMethods<ContractionOpInterface, ["getChannelAxes"]>,
    DeclareOpInterfaceMethods<InferTypeOpInterface>,
    Relay_ConvolutionLayout<2>]> {
  let summary = "2-D convolution without padding, strides or groups";
  let arguments = (ins AnyRankedTensor:$data, AnyRankedTensor:$weight,
                       DefaultValuedStrAttr<StrAttr, "NCHW">:$data_layout,
                       DefaultValuedStrAttr<StrAttr, "OIHW">:$kernel_layout,
                       DefaultValuedStrAttr<StrAttr, "">:$out_layout);
  let extraClassDeclaration = "int64_t getGroups() { return 1; }";
}

#endif // SAMPLEOPERATORS_TD
