//===- CompositePasses.td - Passes on patterns -------------*- tablegen -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_DIALECT_RELAY_TRANSFORMS_COMPOSITEPASSES_TD
#define RELAY_MLIR_DIALECT_RELAY_TRANSFORMS_COMPOSITEPASSES_TD

include "mlir/Pass/PassBase.td"

def MergeCompositePass : Pass<"relay-merge-composite",
                              "::mlir::func::FuncOp"> {
  let summary = "Make functions of what matches patterns";
  let description = [{
    Each match becomes a closure, and a call of it. The closure has the attribute
    `relay.composite`, the name of the pattern, and
    `relay.partitioned_from_pattern`, the names of the operators. What is inside
    of such a closure stays as it is.

    Patterns come from the dialects that have some for a `compiler`
    (`PatternTableInterface`), and from files of PDL or PDLL (`patterns`). A rewrite that
    is `pdl.apply_native_rewrite "composite"` gives the name:

    ```mlir
    pdl.pattern @conv2d_relu : benefit(1) {
      %data = pdl.operand
      %weight = pdl.operand
      %type = pdl.type
      %conv = pdl.operation "relay.nn.conv2d"(%data, %weight
          : !pdl.value, !pdl.value) -> (%type : !pdl.type)
      %0 = pdl.result 0 of %conv
      %relu = pdl.operation "relay.nn.relu"(%0 : !pdl.value)
          -> (%type : !pdl.type)
      %name = pdl.attribute = "dnnl.conv2d_relu"
      pdl.rewrite %relu {
        apply_native_rewrite "composite"(%relu, %name
            : !pdl.operation, !pdl.attribute)
      }
    }
    ```

    Of two patterns, that of the higher benefit comes first, and else the first.
    An operand matches any value, but a constant with the constraint
    `pdl.apply_native_constraint "is_constant"(%value)`, which stays inside of the
    closure. A sum or product matches with its operands in either order. Between
    operations that match there may be no use by others, and none of them but the
    last may have effects.

    Before, types are inferred; lets hide what they bind from patterns.
  }];
  let options = [
    Option<"compiler", "compiler", "std::string", /*default=*/"",
           "Whose patterns, of those that dialects have">,
    ListOption<"patterns", "patterns", "std::string",
               "Files .mlir of PDL, or .pdll, with patterns">
  ];
  let statistics = [
    Statistic<"numComposites", "num-composites", "Number of closures made">
  ];
  let dependentDialects = ["::mlir::relay::RelayDialect",
                           "::mlir::pdl::PDLDialect"];
}

#endif // RELAY_MLIR_DIALECT_RELAY_TRANSFORMS_COMPOSITEPASSES_TD
