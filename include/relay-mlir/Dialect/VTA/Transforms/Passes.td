//===- Passes.td - Passes on vta ---------------------------*- tablegen -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_DIALECT_VTA_TRANSFORMS_PASSES_TD
#define RELAY_MLIR_DIALECT_VTA_TRANSFORMS_PASSES_TD

include "mlir/Pass/PassBase.td"

def VerifyPortablePass
    : Pass<"verify-vta-portable", "::mlir::vta::ProgramOp"> {
  let summary = "Check that published implementations of VTA agree on a program";
  let description = [{
    Refuses instructions that published implementations run differently, and
    micro-ops that are hazards in the pipeline of one of them, where they are
    known. [VTA](../VTA.md) has the list. What depends on data, and the order
    of accesses, is for the strict mode of the simulators.

    Such an ALU is refused, since its second micro-op is on the element that the
    first one has just written:

    ```mlir
    vta.load uop[0] from 2000 size 1 x 2 micro_ops {
      vta.uop dst 0 src 1 wgt 0
      vta.uop dst 0 src 2 wgt 0
    }
    vta.alu add uops 0 to 2
    ```
  }];
}

#endif // RELAY_MLIR_DIALECT_VTA_TRANSFORMS_PASSES_TD
