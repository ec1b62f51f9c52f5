//===- QuickGelu.td - An operator from outside -------------*- tablegen -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUICKGELU_TD
#define QUICKGELU_TD

include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "relay-mlir/Dialect/Relay/IR/RelayLayoutRules.td"

def Acme_Dialect : Dialect {
  let name = "acme";
  let cppNamespace = "::acme";
}

def Acme_QuickGeluOp : Op<Acme_Dialect, "quick_gelu", [
    Pure, InferTypeOpAdaptor, Relay_ElementwiseLayout,
    DeclareOpInterfaceMethods<FusionPatternOpInterface>]> {
  let summary = "x * sigmoid(alpha * x), element by element";
  let arguments = (ins
    AnyRankedTensor:$data,
    DefaultValuedAttr<F64Attr, "1.702">:$alpha
  );
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = [{
    $data attr-dict `:` functional-type(operands, results)
  }];
}

#endif // QUICKGELU_TD
