//===- Acme.td - Declarations of a project of its own ------*- tablegen -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ACME_TD
#define ACME_TD

include "mlir/Pass/PassBase.td"
include "relay-mlir/Dialect/Relay/IR/RelayBase.td"
include "relay-mlir/Dialect/Target/IR/TargetInterfaces.td"

def Acme_Dialect : Dialect {
  let name = "acme";
  let cppNamespace = "::acme";
  let useDefaultAttributePrinterParser = 1;
}

def Acme_QuickGeluOp : Op<Acme_Dialect, "quick_gelu", [
    Pure, InferTypeOpAdaptor, Relay_ElementwiseLayout,
    DeclareOpInterfaceMethods<FusionPatternOpInterface>]> {
  let summary = "x * sigmoid(alpha * x), element by element";
  let arguments = (ins AnyRankedTensor:$data,
                       DefaultValuedAttr<F64Attr, "1.702">:$alpha);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = [{
    $data attr-dict `:` functional-type(operands, results)
  }];
}

def Acme_CardAttr : AttrDef<Acme_Dialect, "Card", [
    DeclareAttrInterfaceMethods<TargetAttrInterface>,
    DeclareAttrInterfaceMethods<CodeGeneratorAttrInterface>]> {
  let mnemonic = "card";
  let summary = "A card with processors, described as in --target";
  let parameters = (ins StringRefParameter<>:$processor);
  let assemblyFormat = "`<` $processor `>`";
}

def AcmeFindGeluPass : Pass<"acme-find-gelu", "::mlir::func::FuncOp"> {
  let summary = "Apply the rules of Acme.pdll";
}

#endif // ACME_TD
