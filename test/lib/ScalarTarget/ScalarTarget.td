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

def Scalar_DotOp : Op<Scalar_Dialect, "dot"> {
  let summary = "Adds products of consecutive elements, one after the other";
  let arguments = (ins Arg<StridedMemRefRankOf<[F32], [1]>, "", [MemRead]>:$lhs,
                       Arg<StridedMemRefRankOf<[F32], [1]>, "", [MemRead]>:$rhs,
                       Arg<StridedMemRefRankOf<[F32], [1]>, "one element",
                           [MemRead, MemWrite]>:$sum);
  let assemblyFormat = [{
    $lhs `,` $rhs `into` $sum attr-dict `:` type($lhs) `,` type($rhs) `into`
    type($sum)
  }];
}

#endif // SCALARTARGET_TD
