//===- Passes.td - Passes on vta ---------------------------*- tablegen -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_DIALECT_VTA_TRANSFORMS_PASSES_TD
#define RELAY_MLIR_DIALECT_VTA_TRANSFORMS_PASSES_TD

include "mlir/Pass/PassBase.td"

def InsertTokensPass : Pass<"vta-insert-tokens", "::mlir::vta::ProgramOp"> {
  let summary = "Order instructions of different stages by tokens";
  let description = [{
    Instructions of a program that run in different stages and access the same
    elements of a scratchpad, of which one writes, get a token from the earlier
    one to the later one. So does FINISH from all that must be done before it.
    Where a stage has waited for an instruction, directly or through others, what
    came before that needs no token.

    The program must have none. It then means the same on stages that run at
    the same time as it does one instruction after another.

    ```mlir
    vta.load inp[0] from 512 size 1 x 4
    vta.gemm uops 0 to 1 for 4 dst 1 src 1
    vta.finish
    ```

    becomes

    ```mlir
    %0 = vta.load inp[0] from 512 size 1 x 4 signal !vta.token<load, compute>
    vta.gemm uops 0 to 1 for 4 dst 1 src 1 wait(%0 : !vta.token<load, compute>)
    vta.finish
    ```
  }];
}

def MultiplyConstantsPass
    : Pass<"vta-multiply-constants", "::mlir::ModuleOp"> {
  let summary = "Add constants of channels by products of bytes";
  let description = [{
    GEMM adds a product to an accumulator in one cycle, for which an ALU takes
    two. So where a part, a primitive function with a `nn.conv2d` in the layouts
    of VTA, adds 32-bit constants of channels that all its calls know, these
    become a layer of one pixel: its data has a 1 and then 127 in the other lanes
    of a block, and its weights are the digits of the constants.

    Constants that blocks of the configuration have too few digits for stay as
    they are: with blocks of 16 channels, those beyond 241998. So do those of a
    layer of one pixel.

    With blocks of 2 channels, 300 is 46 + 2 * 127:

    ```mlir
    %0 = relay.nn.conv2d %x, %w {data_layout = "NCHW2c", kernel_layout = "OIHW2o2i", out_dtype = i32} : (tensor<1x1x4x4x2xi8>, tensor<1x1x1x1x2x2xi8>) -> tensor<1x1x4x4x2xi32>
    %1 = relay.add %0, %bias : (tensor<1x1x4x4x2xi32>, tensor<1x1x1x1x2xi32>) -> tensor<1x1x4x4x2xi32>
    ```

    becomes this, where `%ones` is called with `dense<[[[[[1, 127]]]]]>`, and
    `%digits` with `dense<[[[[[[46, 2], ...]]]]]>`:

    ```mlir
    %bias = relay.nn.conv2d %ones, %digits {data_layout = "NCHW2c", kernel_layout = "OIHW2o2i", out_dtype = i32} : (tensor<1x1x1x1x2xi8>, tensor<1x1x1x1x2x2xi8>) -> tensor<1x1x1x1x2xi32>
    %0 = relay.nn.conv2d %x, %w {data_layout = "NCHW2c", kernel_layout = "OIHW2o2i", out_dtype = i32} : (tensor<1x1x4x4x2xi8>, tensor<1x1x1x1x2x2xi8>) -> tensor<1x1x4x4x2xi32>
    %1 = relay.add %0, %bias : (tensor<1x1x4x4x2xi32>, tensor<1x1x1x1x2xi32>) -> tensor<1x1x4x4x2xi32>
    ```
  }];
  let dependentDialects = [
    "::mlir::relay::RelayDialect", "::mlir::relay::TargetDialect"
  ];
  let statistics = [
    Statistic<"numProducts", "num-products", "Number of sums that GEMM adds">
  ];
}

def PartitionGraphPass
    : Pass<"vta-partition-graph", "::mlir::func::FuncOp"> {
  let summary = "Put what VTA can compute of a graph on the device";
  let description = [{
    A part is a `nn.conv1d`, `nn.conv2d`, `nn.conv2d_transpose` or `nn.dense` of
    bytes with constant weights, and the operators behind it that nobody else
    sees the operands of, until there are bytes again: sums with constants of
    channels and with multiples of other bytes, minima and maxima, `clip`, `relu`,
    casts, shifts, products with a number, and changes of scale by powers of two
    in 64 bits, which become a sum and a shift, or in floats that round to even,
    which become sums and shifts.

    Other parts take what these have computed: maxima of windows, averages, which
    become a product with ones and a product and a shift that give the same bytes
    for all sums, and functions of elements.

    Parts are written in the layouts of the configuration (`NCHW16c` and
    `OIHW16o16i` for a batch of 1 and blocks of 16), on device `vta:0`. Channels
    and images are padded to whole blocks. `device_copy` and `layout_transform`
    are put where tensors enter and leave the device; between parts they stay.

    Groups that are no whole blocks are joined: a block of weights has those of
    several groups on its diagonal, and zeros. A transposed convolution is a
    convolution for each phase of its result, and the processor interleaves these.
    A layer that is subtracted is one with the other weights that is added.

    Everything else, such as pools of what the processor has, and layers for whose
    window scratchpads have no room, stays where it is.
  }];
  let dependentDialects = [
    "::mlir::relay::RelayDialect", "::mlir::relay::TargetDialect"
  ];
  let statistics = [
    Statistic<"numParts", "num-parts", "Number of parts on the device">
  ];
}

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
