//===- QuantizationPasses.td - Passes that quantize --------*- tablegen -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_DIALECT_RELAY_TRANSFORMS_QUANTIZATIONPASSES_TD
#define RELAY_MLIR_DIALECT_RELAY_TRANSFORMS_QUANTIZATIONPASSES_TD

include "mlir/Pass/PassBase.td"

def FakeQuantizationToIntegerPass
    : Pass<"relay-fake-quantization-to-integer", "::mlir::ModuleOp"> {
  let summary = "Compute in integers between dequantize and quantize";
  let description = [{
    Where all floats that a `qnn.quantize` depends on come from `qnn.dequantize`
    or are constants, the operators in between become operators on integers
    (`IntegerFormOpInterface`). Products and their sums are exact, of 32 bits;
    operators that must round take the scale of the quantize if nothing but
    moves and clips is between, and a 256th of it elsewhere. The quantize becomes
    a `qnn.requantize`, or nothing.

    It stays in floats if one operator has no such form, or none for what its
    operands are; with `hard-fail` that is an error, which names the operator.
    Forms that are much less exact, of `nn.softmax`, are taken of operators that
    `optional-ops` names.

    With `use-qat` operators that need no scale of their result become integers
    wherever they read dequantized values only, and the result is dequantized.

    With `estimate`, which compilers run, only regions become integers that are
    faster so: those with a product (`ContractionOpInterface`), and those that
    only move or clip bytes. Others are one loop that reads and writes bytes, and
    floats in between cost less there than changes of scales. It takes quantizes
    that round to even, as those of ONNX; other programs say themselves what is
    to be integers. Why a region stays in floats is a remark.

    ```mlir
    %0 = relay.qnn.dequantize %a, %s, %z {out_dtype = f32} : (tensor<2x4xi8>, tensor<f32>, tensor<i32>) -> tensor<2x4xf32>
    %1 = relay.nn.relu %0 : (tensor<2x4xf32>) -> tensor<2x4xf32>
    %2 = relay.qnn.quantize %1, %t, %z {out_dtype = i8} : (tensor<2x4xf32>, tensor<f32>, tensor<i32>) -> tensor<2x4xi8>
    ```
    becomes, where `%z` is 0,
    ```mlir
    %0 = relay.maximum %a, %zero : (tensor<2x4xi8>, tensor<i8>) -> tensor<2x4xi8>
    %1 = relay.qnn.requantize %0, %s, %z, %t, %z {out_dtype = i8} : (tensor<2x4xi8>, tensor<f32>, tensor<i32>, tensor<f32>, tensor<i32>) -> tensor<2x4xi8>
    ```
  }];
  let options = [
    Option<"hardFail", "hard-fail", "bool", /*default=*/"false",
           "Whether it is an error if an operator cannot be computed in integers">,
    Option<"useQat", "use-qat", "bool", /*default=*/"false",
           "Whether operators on dequantized values become integers alone">,
    Option<"estimate", "estimate", "bool", /*default=*/"false",
           "Leave what is faster in floats, and what does not round to even">,
    ListOption<"optionalOps", "optional-ops", "std::string",
               "Operators whose less exact form is taken">
  ];
  let statistics = [
    Statistic<"numRegions", "num-regions", "Number of quantizes whose regions "
              "became integers">,
    Statistic<"numAlone", "num-alone", "Number of operators that became "
              "integers alone">
  ];
  let dependentDialects = ["::mlir::relay::RelayDialect"];
}

def QuantizePartitionPass
    : Pass<"relay-quantize-partition", "::mlir::func::FuncOp"> {
  let summary = "Mark where quantized values leave the kernel that computes them";
  let description = [{
    The result of a convolution, with what only bounds it, adds constants to it or
    takes maxima of it (`QuantizeOpInterface`), is one kernel. Where anything else
    reads it, `annotation.cast_hint` says that it is of `dtype-input`, and
    `annotation.stop_fusion` that the kernel ends.

    ```mlir
    %0 = relay.nn.conv2d %x, %w : (tensor<1x4x8x8xf32>, tensor<4x4x1x1xf32>) -> tensor<1x4x8x8xf32>
    %1 = relay.nn.conv2d %0, %w : (tensor<1x4x8x8xf32>, tensor<4x4x1x1xf32>) -> tensor<1x4x8x8xf32>
    ```
    becomes
    ```mlir
    %0 = relay.nn.conv2d %x, %w : (tensor<1x4x8x8xf32>, tensor<4x4x1x1xf32>) -> tensor<1x4x8x8xf32>
    %a = relay.annotation.cast_hint %0 {dtype = i8} : (tensor<1x4x8x8xf32>) -> tensor<1x4x8x8xf32>
    %b = relay.annotation.stop_fusion %a : (tensor<1x4x8x8xf32>) -> tensor<1x4x8x8xf32>
    %1 = relay.nn.conv2d %b, %w : (tensor<1x4x8x8xf32>, tensor<4x4x1x1xf32>) -> tensor<1x4x8x8xf32>
    ```
  }];
  let options = [
    Option<"dtypeInput", "dtype-input", "std::string", /*default=*/"\"i8\"",
           "The type of quantized values: i8, ui8 or i16">
  ];
  let statistics = [
    Statistic<"numMarked", "num-marked", "Number of values marked">
  ];
  let dependentDialects = ["::mlir::relay::RelayDialect"];
}

def QuantizeAnnotatePass
    : Pass<"relay-quantize-annotate", "::mlir::func::FuncOp"> {
  let summary = "Insert what simulates quantization";
  let description = [{
    Puts `relay.op.annotation.simulated_quantize` before operands of products and
    sums, by the roles of operators (`QuantizeOpInterface`): `kind` is 1 for data,
    2 for weights and 3 for what is summed of them. Its scale is 0, which stands
    for one that is not known yet; `relay-quantize-calibrate` chooses it.

    The convolutions that `skip-conv-layers` counts, from 0, stay in floats; so
    do dense layers with `skip-dense-layer`, and, but with `whole`, what is
    behind a `nn.global_avg_pool2d`. `skip-layers` counts all products together,
    in their order. What reads a value of `skip-values` stays in floats, too:
    these count arguments of @main, and then results of operators in it.
  }];
  let options = [
    ListOption<"skipConvLayers", "skip-conv-layers", "int64_t",
               "Numbers of nn.conv2d that stay in floats">,
    Option<"skipDenseLayer", "skip-dense-layer", "bool", /*default=*/"true",
           "Whether dense layers stay in floats">,
    ListOption<"skipLayers", "skip-layers", "int64_t",
               "Numbers of products that stay in floats">,
    ListOption<"skipValues", "skip-values", "int64_t",
               "Numbers of values of @main that only floats read">,
    Option<"whole", "whole", "bool", /*default=*/"false",
           "Whether nn.global_avg_pool2d is quantized, and what is behind it">
  ];
  let statistics = [
    Statistic<"numSimulated", "num-simulated",
              "Number of values that are quantized">
  ];
  let dependentDialects = ["::mlir::relay::RelayDialect"];
}

def QuantizeCollectPass
    : Pass<"relay-quantize-collect", "::mlir::ModuleOp"> {
  let summary = "Return what is to be quantized";
  let description = [{
    Changes @main to return, in place of its result, a tuple of the data of each
    `simulated_quantize` but those of weights, in their order. These do nothing.
    Statistics of what it returns are what `relay-quantize-calibrate` wants.

    With `all`, weights are among them.
  }];
  let options = [
    Option<"all", "all", "bool", /*default=*/"false",
           "Whether weights are returned too">
  ];
  let dependentDialects = ["::mlir::relay::RelayDialect"];
}

def CollectValuesPass : Pass<"relay-collect-values", "::mlir::ModuleOp"> {
  let summary = "Return values of a network";
  let description = [{
    Changes @main to return, in place of its result, a tuple of `values`, and of
    the largest magnitudes of `maxima`, in their order. These are numbers: they
    count arguments of @main, and then results of operators in it. Values are
    tensors outside of branches and closures, and maxima of such of floats.
  }];
  let options = [
    ListOption<"values", "values", "int64_t", "Numbers of values to return">,
    ListOption<"maxima", "maxima", "int64_t",
               "Numbers of values whose largest magnitudes are returned">
  ];
  let dependentDialects = ["::mlir::relay::RelayDialect"];
}

def QuantizeCalibratePass
    : Pass<"relay-quantize-calibrate", "::mlir::ModuleOp"> {
  let summary = "Choose the scales of what is quantized";
  let description = [{
    Sets scale and bounds of each `simulated_quantize` in @main. With n bits, by
    its kind, the bounds are 2^(n-1) - 1 on both sides, and the scale is a
    threshold / 2^(n-1). The threshold of a weight, a constant, is its largest
    magnitude (`weight-scale=max`), or that rounded up to a power of two
    (`power2`); 1 if the weight is all zeros. Those of others are `thresholds`, in
    their order, or `global-scale` if there are none.
  }];
  let options = [
    Option<"nbitInput", "nbit-input", "int64_t", /*default=*/"8",
           "Bits of data">,
    Option<"nbitWeight", "nbit-weight", "int64_t", /*default=*/"8",
           "Bits of weights">,
    Option<"nbitActivation", "nbit-activation", "int64_t", /*default=*/"32",
           "Bits of sums">,
    Option<"globalScale", "global-scale", "double", /*default=*/"8.0",
           "The threshold of data">,
    Option<"weightScale", "weight-scale", "std::string",
           /*default=*/"\"power2\"", "Thresholds of weights: power2 or max">,
    ListOption<"thresholds", "thresholds", "double",
               "A threshold for each value that is no weight">
  ];
  let dependentDialects = ["::mlir::relay::RelayDialect"];
}

def QuantizeRealizePass
    : Pass<"relay-quantize-realize", "::mlir::ModuleOp"> {
  let summary = "Quantize and dequantize where that was simulated";
  let description = [{
    Replaces each `simulated_quantize` by `qnn.quantize` to the type of its kind, a
    clip to its bounds if they are tighter than the type, and `qnn.dequantize`.
    `relay-fake-quantization-to-integer` makes integers of what is in between.
    Marks of the partition go.

    With `per-channel`, a constant weight that a convolution or product alone
    reads gets a scale for each channel of the result (`ContractionOpInterface`),
    from its largest magnitude there.

    It is an error if a scale is not a constant that is positive and finite.
  }];
  let options = [
    Option<"dtypeInput", "dtype-input", "std::string", /*default=*/"\"i8\"",
           "The type of data: i8, ui8, i16 or i32">,
    Option<"dtypeWeight", "dtype-weight", "std::string", /*default=*/"\"i8\"",
           "The type of weights">,
    Option<"dtypeActivation", "dtype-activation", "std::string",
           /*default=*/"\"i32\"", "The type of sums">,
    Option<"perChannel", "per-channel", "bool", /*default=*/"false",
           "Whether weights have a scale for each channel of the result">,
    Option<"rounding", "rounding", "std::string", /*default=*/"\"TONEAREST\"",
           "Where halves go, of qnn.quantize: TONEAREST or TOEVEN">
  ];
  let statistics = [
    Statistic<"numRealized", "num-realized", "Number of values quantized">
  ];
  let dependentDialects = ["::mlir::relay::RelayDialect"];
}

def QuantizeEqualizePass
    : Pass<"relay-quantize-equalize", "::mlir::func::FuncOp"> {
  let summary = "Make the channels of data as large as each other";
  let description = [{
    One scale for all channels of a tensor is that of the largest one. Where
    products alone read a value, each of its channels is multiplied by a factor,
    and their weights are divided by it, which computes the same. What computes
    the value takes the factors in, so that they cost nothing: the weight of a
    convolution, dense layer or `nn.matmul`, a constant that it is multiplied
    with, or the weight of `nn.layer_norm`. Behind that may be constants that are
    added, `nn.relu` and `nn.leaky_relu`, pooling, and `nn.batch_flatten` of
    single pixels.

    The factor of a channel is w^(1-strength) / x^strength, where w is the largest
    magnitude of it in the weights that read it, and x that of the data, of
    `ranges`: for each product with channels, in their order, as many numbers as
    its data has channels. Without `ranges`, x is the largest magnitude of what
    computes the channel in the weight before, and others are left as they are. At
    a strength of 0.5 that is the equalisation of layers; with `ranges`, data is
    smoothed into weights.

    With `per-channel`, which says that weights are to have a scale for each
    channel of the result, weights of depthwise convolutions do not count, and all
    of the factor is that of the data.

    ```mlir
    %0 = relay.nn.dense %x, %v : (tensor<1x8xf32>, tensor<2x8xf32>) -> tensor<1x2xf32>
    %1 = relay.nn.relu %0 : (tensor<1x2xf32>) -> tensor<1x2xf32>
    %2 = relay.nn.dense %1, %w : (tensor<1x2xf32>, tensor<4x2xf32>) -> tensor<1x4xf32>
    ```
    becomes, where `%f` and `%g` are inverse to each other,
    ```mlir
    %v1 = relay.multiply %v, %f : (tensor<2x8xf32>, tensor<2x1xf32>) -> tensor<2x8xf32>
    %0 = relay.nn.dense %x, %v1 : (tensor<1x8xf32>, tensor<2x8xf32>) -> tensor<1x2xf32>
    %1 = relay.nn.relu %0 : (tensor<1x2xf32>) -> tensor<1x2xf32>
    %w1 = relay.multiply %w, %g : (tensor<4x2xf32>, tensor<2xf32>) -> tensor<4x2xf32>
    %2 = relay.nn.dense %1, %w1 : (tensor<1x2xf32>, tensor<4x2xf32>) -> tensor<1x4xf32>
    ```
  }];
  let options = [
    Option<"strength", "strength", "double", /*default=*/"0.5",
           "How much of the range of data goes into weights, from 0 to 1">,
    ListOption<"ranges", "ranges", "double",
               "The largest magnitude of each channel of the data of products">,
    Option<"perChannel", "per-channel", "bool", /*default=*/"false",
           "Whether weights have a scale for each channel of the result">
  ];
  let statistics = [
    Statistic<"numEqualized", "num-equalized",
              "Number of values whose channels are scaled">
  ];
  let dependentDialects = ["::mlir::relay::RelayDialect"];
}

def QuantizeErrorsPass
    : Pass<"relay-quantize-errors", "::mlir::ModuleOp"> {
  let summary = "Return the mean errors of what is quantized";
  let description = [{
    Changes @main, as `relay-quantize-realize` leaves it, to return, in place of
    its result, a tuple with a vector for each product with channels, in their
    order: for each channel of the result the mean of what it is in floats, less
    what it is of quantized data and weights. All that the data is computed of
    is in floats for both, so that errors are of the product alone.
  }];
  let dependentDialects = ["::mlir::relay::RelayDialect"];
}

def QuantizeCorrectBiasesPass
    : Pass<"relay-quantize-correct-biases", "::mlir::func::FuncOp"> {
  let summary = "Add to biases what quantization takes from means";
  let description = [{
    Adds `errors`, means of what `relay-quantize-errors` returns, to the results
    of the products, where their data is quantized. If nothing but a constant
    bias of channels is added to a result, it is added to that bias.

    ```mlir
    %0 = relay.nn.dense %x, %w : (tensor<1x8xf32>, tensor<2x8xf32>) -> tensor<1x2xf32>
    %1 = relay.add %0, %b : (tensor<1x2xf32>, tensor<2xf32>) -> tensor<1x2xf32>
    ```
    becomes, where `%x` is dequantized and `%b1` is `%b` with the errors in it,
    ```mlir
    %0 = relay.nn.dense %x, %w : (tensor<1x8xf32>, tensor<2x8xf32>) -> tensor<1x2xf32>
    %1 = relay.add %0, %b1 : (tensor<1x2xf32>, tensor<2xf32>) -> tensor<1x2xf32>
    ```
  }];
  let options = [
    ListOption<"errors", "errors", "double",
               "The error of each channel of products with channels">
  ];
  let statistics = [
    Statistic<"numCorrected", "num-corrected",
              "Number of products whose results are corrected">
  ];
  let dependentDialects = ["::mlir::relay::RelayDialect"];
}

#endif // RELAY_MLIR_DIALECT_RELAY_TRANSFORMS_QUANTIZATIONPASSES_TD
