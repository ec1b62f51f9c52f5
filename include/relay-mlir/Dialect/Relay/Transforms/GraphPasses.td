//===- GraphPasses.td - Further passes on graphs -----------*- tablegen -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_DIALECT_RELAY_TRANSFORMS_GRAPHPASSES_TD
#define RELAY_MLIR_DIALECT_RELAY_TRANSFORMS_GRAPHPASSES_TD

include "mlir/Pass/PassBase.td"

// In alphabetical order.

def CanonicalizeCastPass
    : Pass<"relay-canonicalize-cast", "::mlir::func::FuncOp"> {
  let summary = "Give each elementwise reader of a widening cast its own";
  let description = [{
    A `cast` to a type with more bits that several elementwise or broadcasting
    operators read would be stored, wide, for all of them. The first of these
    readers keeps it, each other one gets a copy, which is fused into it, so that
    the narrow tensor is stored.

    ```mlir
    %0 = relay.cast %x {dtype = i32} : (tensor<8xi8>) -> tensor<8xi32>
    %1 = relay.negative %0 : (tensor<8xi32>) -> tensor<8xi32>
    %2 = relay.abs %0 : (tensor<8xi32>) -> tensor<8xi32>
    ```
    becomes
    ```mlir
    %0 = relay.cast %x {dtype = i32} : (tensor<8xi8>) -> tensor<8xi32>
    %1 = relay.negative %0 : (tensor<8xi32>) -> tensor<8xi32>
    %2 = relay.cast %x {dtype = i32} : (tensor<8xi8>) -> tensor<8xi32>
    %3 = relay.abs %2 : (tensor<8xi32>) -> tensor<8xi32>
    ```
  }];
  let statistics = [
    Statistic<"numCopies", "num-copies", "Number of casts that were copied">
  ];
}

class CombineParallelPass<string argument, string operators, string more>
    : Pass<argument, "::mlir::func::FuncOp"> {
  let summary = "Compute several " # operators # " of the same data at once";
  let description = [{
    Branches are operators on the same data that differ in their weights alone,
    each with the elementwise operators that follow it as long as nobody else
    uses what is between. From `min-num-branches` on, their weights are
    concatenated, and one operator computes all of them; so do those that follow,
    level by level, as long as all branches have the same operator with the same
    attributes, and its other operand has a value for each output of the branch, or
    one for all of them, which is repeated unless all branches have the same.
    The results are slices (`strided_slice`) of the combined one.

    Operands that are computed after the first branch keep a branch out, or end
    the levels. With `estimate`, only branches with constant weights are combined
    whose slices are read by operators that take slices in, that is elementwise
    or injective ones.

  }] # more;
  let options = [
    Option<"minNumBranches", "min-num-branches", "unsigned", /*default=*/"3",
           "Fewer branches than this stay as they are">,
    Option<"estimate", "estimate", "bool", /*default=*/"false",
           "Leave branches as they are where combining them does not pay">
  ];
  let statistics = [
    Statistic<"numCombined", "num-combined", "Number of branches combined">
  ];
  let dependentDialects = ["::mlir::relay::RelayDialect"];
}

def CombineParallelBatchMatmulPass
    : CombineParallelPass<"relay-combine-parallel-batch-matmul",
                          "nn.batch_matmul", [{
    Takes products with `transpose_b` and without `transpose_a`, of equal batch
    sizes.
  }]>;

def CombineParallelConv2DPass
    : CombineParallelPass<"relay-combine-parallel-conv2d", "nn.conv2d", [{
    Takes convolutions of one group that differ in their number of outputs only.
  }]>;

def CombineParallelDensePass
    : CombineParallelPass<"relay-combine-parallel-dense", "nn.dense", [{
    ```mlir
    %0 = relay.nn.dense %x, %w0 : (tensor<2x3xf32>, tensor<4x3xf32>) -> tensor<2x4xf32>
    %1 = relay.nn.dense %x, %w1 : (tensor<2x3xf32>, tensor<5x3xf32>) -> tensor<2x5xf32>
    ```
    becomes, with `min-num-branches=2`,
    ```mlir
    %w = relay.concatenate %w0, %w1 : (tensor<4x3xf32>, tensor<5x3xf32>) -> tensor<9x3xf32>
    %y = relay.nn.dense %x, %w : (tensor<2x3xf32>, tensor<9x3xf32>) -> tensor<2x9xf32>
    %0 = relay.strided_slice %y {axes = [1], begin = [0], end = [4], slice_mode = "size"} : (tensor<2x9xf32>) -> tensor<2x4xf32>
    %1 = relay.strided_slice %y {axes = [1], begin = [4], end = [5], slice_mode = "size"} : (tensor<2x9xf32>) -> tensor<2x5xf32>
    ```
  }]>;

def CombineParallelMatmulPass
    : CombineParallelPass<"relay-combine-parallel-matmul", "nn.matmul", [{
    Takes products with `transpose_b` or without, but with the same for all.
  }]>;

def CombineParallelOpBatchPass
    : Pass<"relay-combine-parallel-op-batch", "::mlir::func::FuncOp"> {
  let summary = "Compute several operators on the same data as one batch";
  let description = [{
    Calls of `op` with the same first operand, and with other operands of equal
    types, become one of `batch-op`, on operands that are stacked along a new first
    dimension: products of the same data with weights of one shape become
    `nn.batch_matmul`. That has the attributes that both operators know, and those of
    `attributes`. Elementwise operators that follow in all branches are computed
    for all of them at once, too. The results are cut apart by `split` and
    `squeeze`.

    With `op=nn.dense batch-op=nn.batch_matmul attributes=transpose_b=true
    min-num-branches=2`
    ```mlir
    %0 = relay.nn.dense %x, %w0 : (tensor<2x3xf32>, tensor<4x3xf32>) -> tensor<2x4xf32>
    %1 = relay.nn.dense %x, %w1 : (tensor<2x3xf32>, tensor<4x3xf32>) -> tensor<2x4xf32>
    ```
    becomes
    ```mlir
    %d = relay.stack %x, %x : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x2x3xf32>
    %w = relay.stack %w0, %w1 : (tensor<4x3xf32>, tensor<4x3xf32>) -> tensor<2x4x3xf32>
    %y = relay.nn.batch_matmul %d, %w {transpose_b = true} : (tensor<2x2x3xf32>, tensor<2x4x3xf32>) -> tensor<2x2x4xf32>
    %s = relay.split %y {indices_or_sections = 2} : (tensor<2x2x4xf32>) -> tuple<tensor<1x2x4xf32>, tensor<1x2x4xf32>>
    %a = relay.tuple_get_item %s[0] : tuple<tensor<1x2x4xf32>, tensor<1x2x4xf32>>
    %0 = relay.squeeze %a {axis = [0]} : (tensor<1x2x4xf32>) -> tensor<2x4xf32>
    ...
    ```

    Operands that are computed after the first branch keep a branch out, or end
    what is combined. It is an error if there is no such operator, or if the types
    of `batch-op` do not fit.
  }];
  let options = [
    Option<"opName", "op", "std::string", /*default=*/"\"nn.dense\"",
           "The operator of the branches">,
    Option<"batchOpName", "batch-op", "std::string",
           /*default=*/"\"nn.batch_matmul\"", "The operator on the batch">,
    Option<"attributes", "attributes", "std::string", /*default=*/"\"\"",
           "Attributes of the operator on the batch, as of a dictionary">,
    Option<"minNumBranches", "min-num-branches", "unsigned", /*default=*/"3",
           "Fewer branches than this stay as they are">
  ];
  let statistics = [
    Statistic<"numCombined", "num-combined", "Number of branches combined">
  ];
  let dependentDialects = ["::mlir::relay::RelayDialect"];
}

def SplitBatchPass : Pass<"relay-split-batch", "::mlir::func::FuncOp"> {
  let summary = "Run first layers for a few samples of a batch at a time";
  let description = [{
    The first layers of a network on images have large results and small weights.
    Of a batch, what one layer writes has left the caches when the next one reads
    it. So operators from the beginning of a function, as long as each sample of
    their results follows from the same sample of what they read, are computed for
    a few samples, then for the next ones, and the results are put together. The
    others run for the whole batch, since that reads their weights once.

    Operators on images, which have layouts, are such, as are those that broadcast,
    and `concatenate`, `transpose` and `layout_transform` of other dimensions. How
    many of them are split, and into how many parts, is estimated from bytes and
    arithmetic for the target (`target.spec`); nothing changes where less than a
    tenth of their time is saved, or sizes are open.

    With `samples=1`:

    ```mlir
    func.func @main(%x: tensor<2x3x8x8xf32>) -> tensor<2x3x4x4xf32> {
      %0 = relay.nn.max_pool2d %x {pool_size = [2, 2], strides = [2, 2]} : (tensor<2x3x8x8xf32>) -> tensor<2x3x4x4xf32>
      return %0 : tensor<2x3x4x4xf32>
    }
    ```
    becomes
    ```mlir
    func.func @main(%x: tensor<2x3x8x8xf32>) -> tensor<2x3x4x4xf32> {
      %0 = relay.strided_slice %x {axes = [0], begin = [0], end = [1], strides = [1]} : (tensor<2x3x8x8xf32>) -> tensor<1x3x8x8xf32>
      %1 = relay.nn.max_pool2d %0 {pool_size = [2, 2], strides = [2, 2]} : (tensor<1x3x8x8xf32>) -> tensor<1x3x4x4xf32>
      %2 = relay.strided_slice %x {axes = [0], begin = [1], end = [2], strides = [1]} : (tensor<2x3x8x8xf32>) -> tensor<1x3x8x8xf32>
      %3 = relay.nn.max_pool2d %2 {pool_size = [2, 2], strides = [2, 2]} : (tensor<1x3x8x8xf32>) -> tensor<1x3x4x4xf32>
      %4 = relay.concatenate %1, %3 : (tensor<1x3x4x4xf32>, tensor<1x3x4x4xf32>) -> tensor<2x3x4x4xf32>
      return %4 : tensor<2x3x4x4xf32>
    }
    ```
  }];
  let dependentDialects = ["::mlir::relay::TargetDialect"];
  let options = [
    Option<"samples", "samples", "int64_t", /*default=*/"0",
           "Split all such operators into parts of so many samples; 0: as "
           "estimated">
  ];
  let statistics = [
    Statistic<"numSplit", "num-split", "Number of operators split">
  ];
}

def Conv2dToSparsePass : Pass<"relay-conv2d-to-sparse", "::mlir::ModuleOp"> {
  let summary = "Convolutions take some weights as sparse matrices";
  let description = [{
    `nn.conv2d` of the layout `layout`, whose weight is a parameter of `weights`,
    becomes `nn.sparse_conv2d`, and the parameter `w` becomes `w.data`,
    `w.indices` and `w.indptr` of the sizes that are given: `w=16x4x1:16:9` for
    16 blocks of 4 x 1, 16 indices and 9 positions. Convolutions have kernels of
    `kernel-size`, 1 or 3, results of the size of their data, and no strides,
    dilation or groups; others stay. Functions that others call keep their
    parameters. It is an error if the sizes are not those of the weight.
  }];
  let options = [
    ListOption<"weights", "weights", "std::string",
               "Names of weights with the sizes of their parts">,
    Option<"layout", "layout", "std::string", /*default=*/"\"NHWC\"",
           "The layout of data: NHWC or NCHW">,
    Option<"kernelSize", "kernel-size", "int64_t", /*default=*/"1",
           "The height and width of kernels: 1 or 3">
  ];
  let statistics = [
    Statistic<"numReplaced", "num-replaced", "Number of convolutions replaced">
  ];
}

def Conv2dToSparse2Pass
    : Pass<"relay-conv2d-to-sparse2", "::mlir::func::FuncOp"> {
  let summary = "Convolutions with constant weights that are sparse";
  let description = [{
    As `relay-conv2d-to-sparse`, for weights that are constants of f32 with at
    least `sparsity` of zeros. They become matrices of blocks, of which those of
    zeros are left out; blocks divide outputs and inputs.
  }];
  let options = [
    Option<"layout", "layout", "std::string", /*default=*/"\"NHWC\"",
           "The layout of data: NHWC or NCHW">,
    Option<"kernelSize", "kernel-size", "int64_t", /*default=*/"1",
           "The height and width of kernels: 1 or 3">,
    Option<"blockRows", "block-rows", "int64_t", /*default=*/"1",
           "Output channels in a block">,
    Option<"blockColumns", "block-columns", "int64_t", /*default=*/"1",
           "Inputs in a block">,
    Option<"sparsity", "sparsity", "double", /*default=*/"0.5",
           "The least part of elements that is zero">
  ];
  let statistics = [
    Statistic<"numReplaced", "num-replaced", "Number of convolutions replaced">
  ];
}

def DefuseOpsPass : Pass<"relay-defuse-ops", "::mlir::ModuleOp"> {
  let summary = "Put the operators of groups back to where they are called";
  let description = [{
    The inverse of `relay-fuse-ops`: calls of functions with `relay.primitive`
    become what these compute, and so do calls of closures at the place where they
    are made, but of closures that call themselves, are polymorphic, or stand for
    a pattern or another compiler's code. Primitive functions that nothing
    calls any more are removed.

    ```mlir
    func.func private @fused(%x: tensor<4xf32>) -> tensor<4xf32> attributes {relay.primitive} {
      %0 = relay.exp %x : (tensor<4xf32>) -> tensor<4xf32>
      %1 = relay.tanh %0 : (tensor<4xf32>) -> tensor<4xf32>
      return %1 : tensor<4xf32>
    }
    func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
      %0 = relay.call @fused(%x) : (tensor<4xf32>) -> tensor<4xf32>
      return %0 : tensor<4xf32>
    }
    ```
    becomes
    ```mlir
    func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
      %0 = relay.exp %x : (tensor<4xf32>) -> tensor<4xf32>
      %1 = relay.tanh %0 : (tensor<4xf32>) -> tensor<4xf32>
      return %1 : tensor<4xf32>
    }
    ```
  }];
  let statistics = [
    Statistic<"numInlined", "num-inlined", "Number of calls replaced">
  ];
  let dependentDialects = ["::mlir::relay::RelayDialect"];
}

def DenseToSparsePass : Pass<"relay-dense-to-sparse", "::mlir::ModuleOp"> {
  let summary = "Products take some weights as sparse matrices";
  let description = [{
    `nn.dense` whose weight is a parameter of `weights` becomes
    `nn.sparse_dense`, and the parameter `w` becomes `w.data`, `w.indices` and
    `w.indptr` of the sizes that are given: `w=16x4x1:16:9` for 16 blocks of
    4 x 1, 16 indices and 9 positions. Functions that others call keep their
    parameters. It is an error if the sizes are not those of the weight.
  }];
  let options = [
    ListOption<"weights", "weights", "std::string",
               "Names of weights with the sizes of their parts">
  ];
  let statistics = [
    Statistic<"numReplaced", "num-replaced", "Number of products replaced">
  ];
}

def FlattenAtrousConvPass
    : Pass<"relay-flatten-atrous-conv", "::mlir::func::FuncOp"> {
  let summary = "Convolutions of blocks become convolutions with dilation";
  let description = [{
    `nn.space_to_batch_nd`, a convolution without strides, padding and dilation,
    and `nn.batch_to_space_nd` of the same blocks compute a convolution whose
    dilation is the block. Padding of the first and crops of the last make its
    padding; there must not be more crops than padding. Blocks are of spatial
    dimensions, and what is padded is zero, or the zero point.

    ```mlir
    %0 = relay.nn.space_to_batch_nd %x {block_shape = [2, 2], paddings = [2, 2, 2, 2]} : (tensor<1x8x8x4xf32>) -> tensor<4x6x6x4xf32>
    %1 = relay.nn.conv2d %0, %w {data_layout = "NHWC", kernel_layout = "HWIO"} : (tensor<4x6x6x4xf32>, tensor<3x3x4x5xf32>) -> tensor<4x4x4x5xf32>
    %2 = relay.nn.batch_to_space_nd %1 {block_shape = [2, 2], crops = [0, 0, 0, 0]} : (tensor<4x4x4x5xf32>) -> tensor<1x8x8x5xf32>
    ```
    becomes
    ```mlir
    %2 = relay.nn.conv2d %x, %w {data_layout = "NHWC", dilation = [2, 2], kernel_layout = "HWIO", padding = [2, 2, 2, 2]} : (tensor<1x8x8x4xf32>, tensor<3x3x4x5xf32>) -> tensor<1x8x8x5xf32>
    ```
  }];
  let statistics = [
    Statistic<"numFlattened", "num-flattened",
              "Number of convolutions with dilation made">
  ];
}

def FoldExplicitPaddingPass
    : Pass<"relay-fold-explicit-padding", "::mlir::func::FuncOp"> {
  let summary = "Let convolutions and pools pad their data themselves";
  let description = [{
    The widths of an `nn.pad` of spatial dimensions become `padding` of the
    operator on windows that reads it, if the elements that it adds are a constant
    that counts for nothing there: zero for convolutions, the zero point for
    quantised ones, the smallest number of the type, or -inf if each window holds
    data, for `nn.max_pool2d` and its like. Of averages, zeros are counted by
    `count_include_pad`, so there is no other padding that does not count.

    ```mlir
    %0 = relay.nn.pad %x, %zero {pad_width = [0, 0, 0, 0, 1, 1, 1, 1]} : (tensor<1x4x8x8xf32>, tensor<f32>) -> tensor<1x4x10x10xf32>
    %1 = relay.nn.conv2d %0, %w : (tensor<1x4x10x10xf32>, tensor<5x4x3x3xf32>) -> tensor<1x5x8x8xf32>
    ```
    becomes
    ```mlir
    %1 = relay.nn.conv2d %x, %w {padding = [1, 1, 1, 1]} : (tensor<1x4x8x8xf32>, tensor<5x4x3x3xf32>) -> tensor<1x5x8x8xf32>
    ```
  }];
  let statistics = [
    Statistic<"numFolded", "num-folded", "Number of pads folded">
  ];
}

def CropKernelsPass : Pass<"relay-crop-kernels", "::mlir::func::FuncOp"> {
  let summary = "Leave out what of a kernel meets padding only";
  let description = [{
    Rows and columns at the ends of a kernel of `nn.conv1d`, `nn.conv2d` or
    `nn.conv3d` that no window has over data, as of a large dilation over few
    pixels, are cut off, with as much padding. The kernel is a constant without
    infinities and NaN, whose products with zeros are not zeros.

    ```mlir
    %0 = relay.nn.conv2d %x, %w {dilation = [12, 12], padding = [12, 12, 12, 12]} : (tensor<1x4x10x10xf32>, tensor<8x4x3x3xf32>) -> tensor<1x8x10x10xf32>
    ```
    becomes
    ```mlir
    %v = relay.strided_slice %w {begin = [0, 0, 1, 1], end = [8, 4, 2, 2], strides = [1, 1, 1, 1]} : (tensor<8x4x3x3xf32>) -> tensor<8x4x1x1xf32>
    %0 = relay.nn.conv2d %x, %v {dilation = [12, 12], padding = [0, 0, 0, 0]} : (tensor<1x4x10x10xf32>, tensor<8x4x1x1xf32>) -> tensor<1x8x10x10xf32>
    ```
  }];
  let statistics = [
    Statistic<"numCropped", "num-cropped", "Number of kernels cropped">
  ];
}

def LabelOpsPass : Pass<"relay-label-ops", "::mlir::ModuleOp"> {
  let summary = "Give each primitive function a label of what it computes";
  let description = [{
    Adds to the attributes that a primitive function has in Relay's text
    (`relay.attrs`) a `hash`, which is the same for equal functions, in each
    compilation, whatever their names and locations are, and the layouts of its
    operators, by the names of their attributes (`data_layout`). A hash that is
    there stays.
  }];
  let statistics = [
    Statistic<"numLabelled", "num-labelled", "Number of functions labelled">
  ];
}

def LegalizePass : Pass<"relay-legalize", "::mlir::func::FuncOp"> {
  let summary = "Replace operators by what their targets compute instead";
  let description = [{
    Asks each operator, after those whose results it reads, for its form on the
    target of the module (`LegalizeOpInterface`), and puts that in its place. What
    is made is asked as well, up to 16 times for one operator. It is an error if
    the result has another type.
  }];
  let statistics = [
    Statistic<"numReplaced", "num-replaced", "Number of operators replaced">
  ];
}

def SimplifyFCTransposePass
    : Pass<"relay-simplify-fc-transpose", "::mlir::ModuleOp"> {
  let summary = "Products take some weights transposed";
  let description = [{
    Where `nn.dense` has the transpose of a parameter of `weights` as its weight,
    the parameter `w` becomes `w.T`, which is the transpose. It stays besides if
    something else reads it. Functions that others call keep their parameters.
  }];
  let options = [
    ListOption<"weights", "weights", "std::string", "Names of weights">
  ];
  let statistics = [
    Statistic<"numTransposed", "num-transposed",
              "Number of transpositions removed">
  ];
}

def SplitArgsPass : Pass<"relay-split-args", "::mlir::func::FuncOp"> {
  let summary = "Cut concatenations of many tensors into kernels of few";
  let description = [{
    Some devices limit how many tensors a kernel may take. A `concatenate` that
    would need more than `max-function-args` of them, with its result, is
    computed in parts, which `annotation.stop_fusion` keeps apart; the parts are
    concatenated, again in parts if need be. 0 changes nothing.
  }];
  let options = [
    Option<"maxFunctionArgs", "max-function-args", "int64_t", /*default=*/"0",
           "Most arguments and results of a kernel; 0: any number">
  ];
  let statistics = [
    Statistic<"numSplit", "num-split", "Number of concatenations split">
  ];
  let dependentDialects = ["::mlir::relay::RelayDialect"];
}

def ToMixedPrecisionPass : Pass<"relay-to-mixed-precision", "::mlir::ModuleOp"> {
  let summary = "Compute in half precision where it pays and is safe";
  let description = [{
    Operators of f32 are of three colours. `always`: convolutions and products
    (`ContractionOpInterface`), which compute in `type`, f16 or bf16. `never`: sums
    of many elements, and functions that leave the range of the type easily
    (`PrecisionOpInterface`), which stay in f32. All others follow what they read: they
    compute in `type` if their operands are there in it, or are parameters or
    constants. Casts are inserted where a value is needed in the other type, once
    for each value. An operator with a number of its own that `type` cannot have
    stays in f32, as `clip` to 1e6.

    `always`, `follow` and `never` name operators whose colour is another one.
    `accumulate` has for some the type in which they sum, `nn.conv2d=f32`, and the
    result is cast. What computes in other types than f32 stays as it is; so do
    variables, calls, and the results of branches, closures and functions that
    others call. Results of other functions change their type, unless
    `keep-output-types`. What computes a value of `skip-values` stays in f32:
    these count arguments of @main, and then results of operators in it.

    Operators that say nothing of themselves (no layout, no products, not
    elementwise) follow, with a warning for each, unless `missing` is `ignore`;
    with `error` they are refused.

    ```mlir
    %0 = relay.nn.dense %x, %w : (tensor<2x3xf32>, tensor<4x3xf32>) -> tensor<2x4xf32>
    %1 = relay.nn.softmax %0 : (tensor<2x4xf32>) -> tensor<2x4xf32>
    ```
    becomes
    ```mlir
    %a = relay.cast %x {dtype = f16} : (tensor<2x3xf32>) -> tensor<2x3xf16>
    %b = relay.cast %w {dtype = f16} : (tensor<4x3xf32>) -> tensor<4x3xf16>
    %0 = relay.nn.dense %a, %b : (tensor<2x3xf16>, tensor<4x3xf16>) -> tensor<2x4xf16>
    %c = relay.cast %0 {dtype = f32} : (tensor<2x4xf16>) -> tensor<2x4xf32>
    %1 = relay.nn.softmax %c : (tensor<2x4xf32>) -> tensor<2x4xf32>
    ```
  }];
  let options = [
    Option<"type", "type", "std::string", /*default=*/"\"f16\"",
           "The smaller type: f16 or bf16">,
    ListOption<"always", "always", "std::string",
               "Operators that compute in the smaller type">,
    ListOption<"follow", "follow", "std::string",
               "Operators that compute in the type of their operands">,
    ListOption<"never", "never", "std::string", "Operators that stay in f32">,
    ListOption<"accumulate", "accumulate", "std::string",
               "Types in which operators sum: nn.conv2d=f32">,
    Option<"missing", "missing", "std::string", /*default=*/"\"warning\"",
           "What is made of operators that say nothing: error, warning, ignore">,
    Option<"keepOutputTypes", "keep-output-types", "bool", /*default=*/"false",
           "Whether results of functions keep their types">,
    ListOption<"skipValues", "skip-values", "int64_t",
               "Numbers of values of @main that are computed in f32">
  ];
  let statistics = [
    Statistic<"numConverted", "num-converted",
              "Number of operators in the smaller type">,
    Statistic<"numCasts", "num-casts", "Number of casts inserted">
  ];
  let dependentDialects = ["::mlir::relay::RelayDialect"];
}

def NarrowValuesPass : Pass<"relay-narrow-values", "::mlir::ModuleOp"> {
  let summary = "Store values as bf16 that matrix units round to it";
  let description = [{
    For fused programs at precision `medium`. Matrix units (AMX) round to bf16
    what they multiply. A value of f32 between two kernels that such a product
    reads, as its data, is stored as bf16: half the bytes, and rounded once. The
    kernel that makes it ends with a cast; those that read it begin with one.
    Products get what they had got anyway; what else reads the value, such as a
    sum with a residual, gets the rounded one. A value that a kernel only moves
    into such a one, as by a concatenation, is narrow, too.

    A value stays f32 if a product reads it that is not likely to be on matrix
    units (fewer than 16 rows, sums of fewer than 16 terms as those of depthwise
    convolutions, or as the second operand), if the program returns it, or if
    something else than a kernel reads it. Kernels of other signatures are
    copies, with `_bf16` after their names. Without matrix units, or at another
    precision, nothing changes.

    ```mlir
    %0 = relay.call @dense_relu(%x, %w) : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
    %1 = relay.call @dense(%0, %v) : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
    ```
    becomes
    ```mlir
    %0 = relay.call @dense_relu_bf16(%x, %w) : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xbf16>
    %1 = relay.call @dense_bf16(%0, %v) : (tensor<64x64xbf16>, tensor<64x64xf32>) -> tensor<64x64xf32>
    ```
  }];
  let dependentDialects = ["::mlir::relay::TargetDialect"];
  let statistics = [
    Statistic<"numNarrowed", "num-narrowed", "Number of values of bf16">
  ];
}

def ToSinglePrecisionPass
    : Pass<"relay-to-single-precision", "::mlir::ModuleOp"> {
  let summary = "Compute in f32 what is computed in f16, bf16 or f64";
  let description = [{
    Passes on networks of f32, such as quantization, take others too once these
    compute in f32. Arguments and results of functions keep their types, and are
    cast; so do variables, and the results of branches and closures. An operator
    with a number of its own that f32 cannot have stays as it is, as `clip` to
    1e300, and so does one that reads the bits of a type.
  }];
  let statistics = [
    Statistic<"numConverted", "num-converted", "Number of operators in f32">,
    Statistic<"numCasts", "num-casts", "Number of casts inserted">
  ];
  let dependentDialects = ["::mlir::relay::RelayDialect"];
}

#endif // RELAY_MLIR_DIALECT_RELAY_TRANSFORMS_GRAPHPASSES_TD
