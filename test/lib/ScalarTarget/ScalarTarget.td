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
include "relay-mlir/Dialect/Target/IR/TargetInterfaces.td"

def Scalar_Dialect : Dialect {
  let name = "scalar";
  let cppNamespace = "::scalar";
  let useDefaultAttributePrinterParser = 1;
}

def Scalar_CoreAttr : AttrDef<Scalar_Dialect, "Core", [
    DeclareAttrInterfaceMethods<TargetAttrInterface, ["getDescription"]>]> {
  let mnemonic = "core";
  let summary = "An invented accelerator without vectors";
  let parameters = (ins
    "int64_t":$memory /* bytes that are near to the core */
  );
  let assemblyFormat = "`<` `memory` `=` $memory `>`";
}

#endif // SCALARTARGET_TD
