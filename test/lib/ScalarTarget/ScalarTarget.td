//===- ScalarTarget.td - A kind of targets from outside ----*- tablegen -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SCALARTARGET_TD
#define SCALARTARGET_TD

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/DialectBase.td"
include "mlir/IR/OpBase.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "relay-mlir/Dialect/Target/IR/TargetInterfaces.td"

def Scalar_Dialect : Dialect {
  let name = "scalar";
  let cppNamespace = "::scalar";
  let useDefaultAttributePrinterParser = 1;
}

def Scalar_CoreAttr : AttrDef<Scalar_Dialect, "Core", [
    DeclareAttrInterfaceMethods<TargetAttrInterface, ["getDescription",
                                                       "getMemories"]>,
    DeclareAttrInterfaceMethods<CodeGeneratorAttrInterface>]> {
  let mnemonic = "core";
  let summary = "An invented accelerator without vectors";
  let parameters = (ins
    "int64_t":$memory /* bytes that are near to the core */
  );
  let assemblyFormat = "`<` `memory` `=` $memory `>`";
  let genVerifyDecl = 1;
}

def Scalar_FetchOp : Op<Scalar_Dialect, "fetch"> {
  let summary = "Brings consecutive elements to the memory near to the core";
  let arguments = (ins Arg<StridedMemRefRankOf<[AnyType], [1]>, "", [MemRead]>:$source,
                       Arg<StridedMemRefRankOf<[AnyType], [1]>, "", [MemWrite]>:$target);
  let assemblyFormat = [{
    $source `to` $target attr-dict `:` type($source) `to` type($target)
  }];
}

#endif // SCALARTARGET_TD
