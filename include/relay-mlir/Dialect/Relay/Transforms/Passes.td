//===- Passes.td - Passes on the relay dialect -------------*- tablegen -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_DIALECT_RELAY_TRANSFORMS_PASSES_TD
#define RELAY_MLIR_DIALECT_RELAY_TRANSFORMS_PASSES_TD

include "mlir/Pass/PassBase.td"
include "relay-mlir/Dialect/Relay/Transforms/CompilerPasses.td"
include "relay-mlir/Dialect/Relay/Transforms/CompositePasses.td"
include "relay-mlir/Dialect/Relay/Transforms/DecomposePasses.td"
include "relay-mlir/Dialect/Relay/Transforms/FunctionalPasses.td"
include "relay-mlir/Dialect/Relay/Transforms/GradientPasses.td"
include "relay-mlir/Dialect/Relay/Transforms/GraphPasses.td"
include "relay-mlir/Dialect/Relay/Transforms/QuantizationPasses.td"
include "relay-mlir/Dialect/Relay/Transforms/RewritePasses.td"

// In alphabetical order. Passes that also touch another dialect of the project
// are conversions and declared there.

def ConvertLayoutPass : Pass<"relay-convert-layout", "::mlir::func::FuncOp"> {
  let summary = "Run convolutions, and what is around them, in other layouts";
  let description = [{
    Gives convolutions the layout that `desired-layouts` asks for, each entry of
    which is `nn.conv2d=NHWC`, `nn.conv2d=NHWC:OHWI` to change the kernel too (or
    `NHWC:default` for the usual one: OIHW, IOHW transposed, HWIO, HWOI depthwise),
    or `NHWC` for all convolutions (in as many dimensions as they have). Without
    entries channels come last and kernels stay. Pooling, resizing, `vision.roi_align`
    and their like may be asked for by name, too: `nn.max_pool2d=NHWC`. Blocked
    layouts, such as NCHW8c, are not supported. `skip-layers` names single
    convolutions that stay as they are.

    The operators around follow: those with a layout of their own, those with
    axes, elementwise ones, reductions, and reshapes that keep channels apart
    from pixels. Where one cannot, or it moves less, tensors change their order
    by `layout_transform` or `transpose`; a value does so once for each order,
    and not at all if a reshape does (images of one pixel) or if it is only
    renamed, by a transposition that is there already. Constants change by
    operators that constant folding evaluates.

    With `estimate`, operators that pass tensors on to each other stay as they
    are if a third of the convolutions' operations is less than ten for each
    byte that changes of order read or write. Then, too, convolutions of less than
    eight channels take data that is there in another layout as it is, and only
    their `out_layout` is the desired one.

    ```mlir
    %0 = relay.nn.conv2d %x, %w : (tensor<1x8x9x9xf32>, tensor<4x8x3x3xf32>) -> tensor<1x4x7x7xf32>
    %1 = relay.nn.relu %0 : (tensor<1x4x7x7xf32>) -> tensor<1x4x7x7xf32>
    ```
    becomes
    ```mlir
    %0 = relay.layout_transform %x {dst_layout = "NHWC", src_layout = "NCHW"} : (tensor<1x8x9x9xf32>) -> tensor<1x9x9x8xf32>
    %1 = relay.nn.conv2d %0, %w {data_layout = "NHWC"} : (tensor<1x9x9x8xf32>, tensor<4x8x3x3xf32>) -> tensor<1x7x7x4xf32>
    %2 = relay.nn.relu %1 : (tensor<1x7x7x4xf32>) -> tensor<1x7x7x4xf32>
    %3 = relay.layout_transform %2 {dst_layout = "NCHW", src_layout = "NHWC"} : (tensor<1x7x7x4xf32>) -> tensor<1x4x7x7xf32>
    ```
  }];
  let dependentDialects = ["::mlir::relay::RelayDialect"];
  let options = [
    ListOption<"desiredLayouts", "desired-layouts", "std::string",
               "Layouts of convolutions; channels last if there are none">,
    Option<"estimate", "estimate", "bool", /*default=*/"false",
           "Leave convolutions as they are where converting does not pay">,
    ListOption<"skipLayers", "skip-layers", "uint64_t",
               "Convolutions that stay as they are: which of those that have a "
               "desired layout, in the order of the function, from 0">
  ];
  let statistics = [
    Statistic<"numConverted", "num-converted",
              "Number of operators that changed their layout">,
    Statistic<"numTransforms", "num-transforms",
              "Number of changes of order that were added">
  ];
}

def DeadCodePass : Pass<"relay-dead-code", "::mlir::ModuleOp"> {
  let summary = "Remove operations and private functions without a use";
  let description = [{
    Removes operations whose results are not used, among them closures, data and
    calls of functions and closures that do nothing but compute, and then the
    private functions that no public function reaches. As in Relay, functions
    that call themselves count as functions that come to an end: a call that
    never would is removed too.

    What may have an effect stays, unless `ignore-impurity` says otherwise:
    calls of functions that are not known, such as a parameter, a field or the
    result of a call, and of functions that make such calls or are defined
    elsewhere; reads and writes of references inside of what is called; and
    matches that may find no case.

    ```mlir
    func.func private @unused(%x: tensor<4xf32>) -> tensor<4xf32> {
      return %x : tensor<4xf32>
    }
    func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
      %0 = relay.exp %x : (tensor<4xf32>) -> tensor<4xf32>
      %1 = relay.call @unused(%0) : (tensor<4xf32>) -> tensor<4xf32>
      return %x : tensor<4xf32>
    }
    ```
    becomes
    ```mlir
    func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
      return %x : tensor<4xf32>
    }
    ```
  }];
  let options = [
    Option<"inlineOnce", "inline-once", "bool", "false",
           "Replace a variable that is used once, not in an inner function, by "
           "its value">,
    Option<"ignoreImpurity", "ignore-impurity", "bool", "false",
           "Remove also what may have an effect">
  ];
  let statistics = [
    Statistic<"numOperations", "num-operations",
              "Number of operations removed">,
    Statistic<"numFunctions", "num-functions", "Number of functions removed">
  ];
}

def FoldConstantPass : Pass<"relay-fold-constant", "::mlir::func::FuncOp"> {
  let summary = "Evaluate operators of constants at compile time";
  let description = [{
    Runs every operator whose operands are all constants through the reference
    interpreter and replaces it by its result. `shape_of` and `ndarray_size` of a
    static shape fold whatever their operand is. Variables (`relay.let`) are the
    constants that they are bound to, and an `if` on a constant is the branch that it
    chooses. Constants that nothing uses any more are removed.

    Values between folded operators never become constants of the program, and
    large results become resources, which are neither copied nor printed. An
    operator stays if its result is more than `max-growth` bytes larger than its
    operands, if it has no operands, if it fails (then it fails at run time), or
    inside primitive functions. So does `nn.dropout`, which
    `relay-simplify-inference` removes.

    ```mlir
    %w = relay.constant dense<[[1.0, 2.0]]> : tensor<1x2xf32>
    %0 = relay.transpose %w {axes = [1, 0]} : (tensor<1x2xf32>) -> tensor<2x1xf32>
    ```
    becomes
    ```mlir
    %0 = relay.constant dense<[[1.0], [2.0]]> : tensor<2x1xf32>
    ```

    A result may have 1 MiB more than its operands, and all results together 64 MiB
    more than twelve times the stored constants; what would have more is left to run
    time. Uniform constants above 64 MiB become `relay.full`.
  }];
  let options = [
    Option<"maxGrowth", "max-growth", "int64_t", /*default=*/"1048576",
           "How many bytes a result may be larger than its operands">,
    Option<"foldQnn", "fold-qnn", "bool", /*default=*/"true",
           "Whether operators on quantized tensors are evaluated">
  ];
  let statistics = [
    Statistic<"numFolded", "num-folded", "Number of operators folded">
  ];
}

def FoldScaleAxisPass : Pass<"relay-fold-scale-axis", "::mlir::func::FuncOp"> {
  let summary = "Multiply weights instead of data by scales of channels";
  let description = [{
    A `multiply` by one factor per channel, or by one factor, goes into the weights
    of convolutions and `nn.dense` (`ContractionOpInterface`):

    * backward, of those that compute its data: their weights are scaled along their
      output channels. Between them and the product may be `nn.bias_add`, `add` and
      `subtract`, and, if the factors are constants above zero, `nn.relu` and
      `nn.leaky_relu`. What is added and has no such weight is multiplied instead.
      Nobody else uses these values.
    * forward, of those that use its result, if all do: their weights are scaled
      along their input channels; channels are not in groups or each is one.
      Between them may be the same operators. What is added is divided, so factors
      are constants other than zero then.

    In blocked layouts, such as NCHW8c, factors are given for both parts of the
    channels.

    Factors that are not finite, or weights that would overflow or lose digits to
    underflow, stay as they are. `relay-fold-constant` evaluates the scaled
    weights. Results differ by the rounding of each weight; nothing changes in a
    module of precision `highest`.

    ```mlir
    %0 = relay.nn.conv2d %x, %w : (tensor<1x8x7x7xf32>, tensor<4x8x1x1xf32>) -> tensor<1x4x7x7xf32>
    %1 = relay.multiply %0, %s : (tensor<1x4x7x7xf32>, tensor<4x1x1xf32>) -> tensor<1x4x7x7xf32>
    ```
    becomes
    ```mlir
    %0 = relay.reshape %s {newshape = [4, 1, 1, 1]} : (tensor<4x1x1xf32>) -> tensor<4x1x1x1xf32>
    %1 = relay.multiply %w, %0 : (tensor<4x8x1x1xf32>, tensor<4x1x1x1xf32>) -> tensor<4x8x1x1xf32>
    %2 = relay.nn.conv2d %x, %1 : (tensor<1x8x7x7xf32>, tensor<4x8x1x1xf32>) -> tensor<1x4x7x7xf32>
    ```
  }];
  let options = [
    Option<"backward", "backward", "bool", /*default=*/"true",
           "Whether scales go into the weights before them">,
    Option<"forward", "forward", "bool", /*default=*/"true",
           "Whether scales go into the weights after them">,
    Option<"onlyConstants", "only-constants", "bool", /*default=*/"false",
           "Fold constant factors into constant weights only, which costs "
           "nothing at run time">
  ];
  let statistics = [
    Statistic<"numFolded", "num-folded", "Number of multiplications folded">
  ];
}

def FuseOpsPass : Pass<"relay-fuse-ops", "::mlir::ModuleOp"> {
  let summary = "Group operators into primitive functions";
  let description = [{
    Partitions the operators of every function into groups that are computed by
    one kernel each, and outlines each group into a private function with the
    attribute `relay.primitive`. Groups that are equal up to their arguments
    share one function.

    An operator joins the group of its immediate post-dominator if every path
    between the two may be fused: convolution-like operators take elementwise
    consumers, elementwise and broadcast operators go into reductions and
    injective consumers, injective operators into each other. Constants with one
    element are copied into the groups that use them; others become arguments. A
    group that makes a tuple returns the fields that are used as several results.

    Before that, what a kernel computes row by row in cache makes a group, unless
    `rows` is off: attention, that is a batched product, scale and mask, the
    softmax of its rows, the product with that, and the reshapes and
    transpositions around; and normalisations of the last axis that are spelled
    out, from the first reduction on.

    After that, a product takes in what makes its weight from constants of at
    most 8 bits (casts, zero points, scales), where the target has vectors and
    caches and rows are unknown or at most 256, with matrix units at most 4: its
    kernel makes a part of the weight in a cache and multiplies it with all rows.

    A group ends at `max-depth` operators. A kernel of 256 operators, each a
    polynomial of some dozens of instructions, takes a second or two to compile,
    in proportion to its length; in twice as long ones scheduling and LLVM take
    several times as long, and loads and stores between two kernels are little
    beside that many operations on each element.

    Needs the form `relay-typed`, leaves `relay-fused`.

    ```mlir
    %0 = relay.nn.dense %x, %w : (tensor<2x3xf32>, tensor<4x3xf32>) -> tensor<2x4xf32>
    %1 = relay.nn.relu %0 : (tensor<2x4xf32>) -> tensor<2x4xf32>
    ```
    becomes
    ```mlir
    %0 = relay.call @fused_nn_dense_nn_relu(%x, %w) : (tensor<2x3xf32>, tensor<4x3xf32>) -> tensor<2x4xf32>
    ```
  }];
  let options = [
    Option<"maxDepth", "max-depth", "unsigned", /*default=*/"256",
           "Largest number of operators in a group; more make kernels whose "
           "compile time grows faster than their length">,
    Option<"linkParams", "link-params", "bool", /*default=*/"false",
           "Copy constants of any size into the groups that use them">,
    Option<"merge", "merge", "bool", /*default=*/"true",
           "Merge operators; if not, each becomes a group of its own">,
    Option<"rows", "rows", "bool", /*default=*/"true",
           "Merge attention and normalisations, which have several heavy "
           "operators, into groups">
  ];
  let statistics = [
    Statistic<"numGroups", "num-groups", "Number of groups outlined">,
    Statistic<"numFunctions", "num-functions",
              "Number of different primitive functions">
  ];
  let dependentDialects = ["::mlir::func::FuncDialect",
                           "::mlir::relay::RelayDialect",
                           "::mlir::relay::TargetDialect"];
}

def InferTypesPass : Pass<"relay-infer-types", "::mlir::ModuleOp"> {
  let summary = "Infer the types of all values";
  let description = [{
    Completes types: every `!relay.incomplete` becomes the type that follows from
    the operations around it, every `relay.apply` the operator that it names, and
    functions receive the types of parameters and results that they lack. Types
    follow in any order: an operator tells its result's type, and some tell those
    of weights; calls tell what an unannotated function takes. A function with
    type parameters has other types at each call; one without annotations is
    inferred together with those that it calls and that call it. It is an error
    if a type stays open, unless it is a type argument that nothing needs, as in
    the type of a list that is always empty.

    A type that the program declares (`relay.ascribe`) is a constraint: its
    incomplete parts become known, its sizes stay what they are. A value of a
    type of which the declared one is neither a less precise case nor a more
    precise one is an error. Type parameters stand for any type: inside of their
    function only they themselves are of that type.

    Then gives every value the type that follows from the operands and attributes
    of its operation, and every function the result types that follow from its
    body, unless they are declared. A private function takes the arguments that its callers pass; a size on
    which they differ becomes dynamic.

    What a type says beyond inference is kept, as long as it agrees with the
    operands' types. So the pass makes types more precise, and follows changes of
    the arguments, such as those that `arg-types` makes.

    Checks also that data types have the right number of arguments, that type
    parameters do not leave their scope, and that the cases of a match that is
    not `partial` cover all values.

    Leaves the form `relay-typed`.

    ```mlir
    func.func @main(%x: tensor<2x3xf32>) -> tensor<?x3xf32> {
      %0 = relay.exp %x : (tensor<2x3xf32>) -> tensor<?x3xf32>
      return %0 : tensor<?x3xf32>
    }
    ```
    becomes
    ```mlir
    func.func @main(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
      %0 = relay.exp %x : (tensor<2x3xf32>) -> tensor<2x3xf32>
      return %0 : tensor<2x3xf32>
    }
    ```
  }];
  let options = [
    ListOption<"argTypes", "arg-types", "std::string",
               "New types for the arguments of the entry function, in order">,
    Option<"entry", "entry", "std::string", /*default=*/"\"main\"",
           "Function whose arguments `arg-types` changes">
  ];
}

def PlanDevicesPass
    : Pass<"relay-plan-devices", "::mlir::func::FuncOp"> {
  let summary = "Make copies between devices explicit";
  let description = [{
    Operators run where `on_device` says; so do those that are connected with
    one that is marked, up to the next `on_device`, and the others run on the
    host, or on the device that `default-device` names, such as `cpu:1`.
    Parameters and results of the function are on the host, and so is what
    follows from constants only; unless `constrain_result` asks for it,
    `on_device` around these has no effect. With `per-operator`, nothing but
    the marked operators themselves runs where the marks say (the pass
    rewrite_annotated_ops of older versions). After the pass there is no
    `on_device`, and a `device_copy` wherever a value is needed on another
    device (TVM's PlanDevices).

    ```mlir
    %0 = relay.nn.relu %x : (tensor<4xf32>) -> tensor<4xf32>
    %1 = relay.on_device %0 {virtual_device = {device_type = 1 : i64, virtual_device_id = 1 : i64}} : (tensor<4xf32>) -> tensor<4xf32>
    %2 = relay.tanh %1 : (tensor<4xf32>) -> tensor<4xf32>
    ```
    becomes
    ```mlir
    %0 = relay.device_copy %x {src_virtual_device = {device_type = 1 : i64, virtual_device_id = 0 : i64}, dst_virtual_device = {device_type = 1 : i64, virtual_device_id = 1 : i64}} : (tensor<4xf32>) -> tensor<4xf32>
    %1 = relay.nn.relu %0 : (tensor<4xf32>) -> tensor<4xf32>
    %2 = relay.device_copy %1 {src_virtual_device = {device_type = 1 : i64, virtual_device_id = 1 : i64}, dst_virtual_device = {device_type = 1 : i64, virtual_device_id = 0 : i64}} : (tensor<4xf32>) -> tensor<4xf32>
    %3 = relay.tanh %2 : (tensor<4xf32>) -> tensor<4xf32>
    ```

    It is an error if two devices are asked for what operators connect, or if
    the marks are in branches or closures.
  }];
  let dependentDialects = ["::mlir::relay::TargetDialect"];
  let options = [
    Option<"defaultDevice", "default-device", "std::string", /*default=*/"",
           "Where operators run that nothing is said of: kind:number">,
    Option<"perOperator", "per-operator", "bool", /*default=*/"false",
           "Whether only marked operators run where marks say">
  ];
  let statistics = [
    Statistic<"numCopies", "num-copies", "Number of copies made">
  ];
}

def PoolBeforeConvPass
    : Pass<"relay-pool-before-conv", "::mlir::func::FuncOp"> {
  let summary = "Average pixels before 1x1 convolutions instead of after";
  let description = [{
    `nn.avg_pool2d`, `nn.global_avg_pool2d` and `nn.adaptive_avg_pool2d` of the
    result of a 1x1 `nn.conv2d`, without strides and padding, that nobody else
    uses: one sums over pixels, the other over channels, so their order does not
    matter. It is swapped where fewer pixels to convolve outweigh more channels
    to average. Results differ by rounding; nothing changes in a module of
    precision `highest`.

    ```mlir
    %0 = relay.nn.conv2d %x, %w : (tensor<1x256x56x56xf32>, tensor<128x256x1x1xf32>) -> tensor<1x128x56x56xf32>
    %1 = relay.nn.avg_pool2d %0 {pool_size = [2, 2], strides = [2, 2]} : (tensor<1x128x56x56xf32>) -> tensor<1x128x28x28xf32>
    ```
    becomes
    ```mlir
    %0 = relay.nn.avg_pool2d %x {pool_size = [2, 2], strides = [2, 2]} : (tensor<1x256x56x56xf32>) -> tensor<1x256x28x28xf32>
    %1 = relay.nn.conv2d %0, %w : (tensor<1x256x28x28xf32>, tensor<128x256x1x1xf32>) -> tensor<1x128x28x28xf32>
    ```
  }];
  let statistics = [
    Statistic<"numSwapped", "num-swapped", "Number of convolutions swapped">
  ];
}

def SimplifyInferencePass
    : Pass<"relay-simplify-inference", "::mlir::func::FuncOp"> {
  let summary = "Replace operators that differ only in training";
  let description = [{
    The first result of `nn.batch_norm` becomes a product and a sum with vectors
    that constant folding can compute; that of `nn.dropout` becomes its operand.
  }];
  let statistics = [
    Statistic<"numSimplified", "num-simplified",
              "Number of operators replaced">
  ];
}

def SplitTransposedConvPass
    : Pass<"relay-split-transposed-conv", "::mlir::func::FuncOp"> {
  let summary = "Transposed convolutions become convolutions";
  let description = [{
    With stride s, result s * q + r of a transposed convolution depends on every
    s-th element of the kernel only: each phase r along each axis is an ordinary
    convolution of the data. Phases that read the same elements are one
    convolution with more output channels; the results are interleaved. The
    kernel is rearranged by operators that constant folding evaluates. Kernels
    without a static shape and axes with both stride and dilation are left as
    they are, and, with channels last, kernels as large as their strides
    without padding: these are one matrix product.

    ```mlir
    %0 = relay.nn.conv2d_transpose %x, %w {strides = [2, 1]} : (tensor<1x8x8x16xf32>, ...)
    ```
    becomes
    ```mlir
    %even = relay.nn.conv2d %x, %w0 ...
    %odd = relay.nn.conv2d %x, %w1 ...
    %rows = relay.concatenate(%even, %odd) {axis = 2}
    %0 = relay.reshape %rows {newshape = [0, -3, 0, 0]}
    ```
  }];
  let statistics = [
    Statistic<"numSplit", "num-split",
              "Number of transposed convolutions split">
  ];
}

def VerifyFusedPass : Pass<"verify-relay-fused", "::mlir::ModuleOp"> {
  let summary = "Check the form that kernels are made from";
  let description = [{
    Fails at the first operation that is not in the form `relay-fused`:

    * a function with the attribute `relay.primitive` is private and holds
      operators and constants of one element; neither its arguments nor its
      results are tuples,
    * any other function holds constants, tuples, and calls of primitive
      functions or of functions for an external compiler.

    `--relay-fuse-ops` leaves this form.
  }];
}

def InlineIndirectCallsPass
    : Pass<"relay-inline-indirect-calls", "::mlir::ModuleOp"> {
  let summary = "Inline calls of closures that are known";
  let description = [{
    A call of a function literal, or of the name of a function that does not call
    itself, becomes what that computes. So do calls that are known only then:
    after this, a function of functions that is called with literals is one of
    tensors. Every compilation of one function of tensors runs it, after the inliner.

    ```mlir
    %f = relay.fn(%y: tensor<3xf32>) -> tensor<3xf32> {
      %1 = relay.multiply %y, %y : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
      relay.yield %1 : tensor<3xf32>
    }
    %0 = relay.call_indirect %f(%x) : (tensor<3xf32>) -> tensor<3xf32>
    ```
    becomes
    ```mlir
    %0 = relay.multiply %x, %x : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
    ```

    Fails if copies in a function have more than `max-operations` operations: a
    few closures that each call the one before twice stand for any number.
  }];
  let options = [
    Option<"maxOperations", "max-operations", "int64_t", /*default=*/"100000",
           "Largest number of operations that the calls of a function bring">
  ];
  let statistics = [
    Statistic<"numInlined", "num-inlined", "Number of calls inlined">
  ];
}

def InstantiatePass : Pass<"relay-instantiate", "::mlir::ModuleOp"> {
  let summary = "Give calls of generic functions functions of their own";
  let description = [{
    A function with type parameters that is called from one without becomes as
    many functions as there are types it is called with, `@id` for instance
    `@id_0` and `@id_1`, which have no parameters and can be inlined. So do those
    that an instance calls. What a `relay.global` names stays generic. Types must
    be complete, and are inferred again where there are new functions.

    Fails if there would be more than `max-instances`, as where a function calls
    itself with a larger type each time.
  }];
  let options = [
    Option<"maxInstances", "max-instances", "int64_t", /*default=*/"1000",
           "Largest number of new functions">
  ];
}

def VerifyInlinedSizePass
    : Pass<"verify-relay-inlined-size", "::mlir::ModuleOp"> {
  let summary = "Check that inlining does not make too much";
  let description = [{
    Fails at a function whose calls, and what these call, stand for more than
    `max-operations` operations once all are inlined: a few functions that each
    call the one before twice stand for any number. A function that is long by
    itself is none of this pass's business.
  }];
  let options = [
    Option<"maxOperations", "max-operations", "int64_t", /*default=*/"100000",
           "Largest number of operations that the calls of a function bring">
  ];
}

def VerifyTypedPass : Pass<"verify-relay-typed", "::mlir::ModuleOp"> {
  let summary = "Check that types are complete";
  let description = [{
    Fails at the first operation that is not in the form `relay-typed`:

    * functions hold operations of the relay dialect only,
    * every type is as precise as inference can make it,
    * calls return exactly the types of the function they name, and pass its
      argument types or more precise ones.

    `--relay-infer-types` leaves this form.
  }];
}

def WidenProductsPass
    : Pass<"relay-widen-products", "::mlir::func::FuncOp"> {
  let summary = "Multiply and add f16 and bf16 in f32";
  let description = [{
    Sums of products of f16 or bf16 are sums in f32 anyway, rounded once. Where
    each element is used often, its conversion to f32 is an operator of its own,
    instead of one in each product: convolutions and matrix products with
    operands and results of f16 or bf16 become those of f32 between casts.
    Weights are converted by constant folding. Results do not change.

    ```mlir
    %0 = relay.nn.dense %x, %w : (tensor<64x256xf16>, tensor<128x256xf16>) -> tensor<64x128xf16>
    ```
    becomes
    ```mlir
    %0 = relay.cast %x {dtype = f32} : (tensor<64x256xf16>) -> tensor<64x256xf32>
    %1 = relay.cast %w {dtype = f32} : (tensor<128x256xf16>) -> tensor<128x256xf32>
    %2 = relay.nn.dense %0, %1 : (tensor<64x256xf32>, tensor<128x256xf32>) -> tensor<64x128xf32>
    %3 = relay.cast %2 {dtype = f16} : (tensor<64x128xf32>) -> tensor<64x128xf16>
    ```
  }];
  let dependentDialects = ["::mlir::relay::TargetDialect"];
  let statistics = [
    Statistic<"numWidened", "num-widened", "Number of operators widened">
  ];
}

def RowsToIntegersPass
    : Pass<"relay-rows-to-integers", "::mlir::func::FuncOp"> {
  let summary = "Multiply few rows by weights of few bits as integers";
  let description = [{
    A product of a few rows of f32 with a constant weight of at most 8 bits that
    is made f32 (`nn.dense` and `nn.matmul` of casts, zero points and scales, one
    for all, for each column, or for each block of one) becomes a product of
    integers: each block of a row is three rows of bytes, 24 bits for each number
    relative to the largest one of the block (two and 16 at the precision
    `medium`), and scales come after the sums, which are exact. The weight is read
    as it is.

    This is for targets that multiply bytes. Each row and block has a sum of its
    own, so that the most rows are as many as a quarter of a block, and 32, where
    four products of bytes are one instruction (VNNI, dotprod), and a sixteenth of
    a block, and 3, where two are (AVX2). Matrix units without VNNI do not add up
    blocks as they come: blocks are of 64 numbers or more there, and rows up to 8.
    Not at the precision `highest`. A block with an infinity or NaN makes its row
    NaN.

    ```mlir
    %0 = relay.cast %q {dtype = f32} : (tensor<16x32xi8>) -> tensor<16x32xf32>
    %1 = relay.multiply %0, %s : (tensor<16x32xf32>, tensor<16x1xf32>) -> tensor<16x32xf32>
    %2 = relay.nn.dense %x, %1 : (tensor<1x32xf32>, tensor<16x32xf32>) -> tensor<1x16xf32>
    ```
    becomes, among others,
    ```mlir
    %0 = relay.nn.batch_matmul %bytes, %q1 {transpose_b = true, out_dtype = i32}
        : (tensor<1x3x32xi8>, tensor<1x16x32xui8>) -> tensor<1x3x16xi32>
    ```
  }];
  let dependentDialects = ["::mlir::relay::TargetDialect"];
  let statistics = [
    Statistic<"numProducts", "num-products", "Number of products of integers">
  ];
}

def WinogradPass : Pass<"relay-winograd", "::mlir::func::FuncOp"> {
  let summary = "Compute 3x3 and 5x5 convolutions by Winograd's algorithm";
  let description = [{
    Replaces `nn.conv2d` with a constant weight of 3x3 or 5x5 and strides of 1, all
    of f32 in the layout NHWC, by
    `nn.contrib_conv2d_winograd_without_weight_transform`: one for each of up to
    four groups, and with dilation one over all pixels that are so far apart. It
    does so where an estimate for the target (`target.spec`) says
    that this is faster: of multiplications, work on transforms, and bytes of
    transformed weights and tiles from the memory that they come from. The weight
    is transformed by `nn.contrib_conv2d_winograd_weight_transform`, which
    `relay-fold-constant` evaluates.

    Rounding errors grow to at most 1e-5 of the scale of the result, and an
    infinity or NaN spreads over its tile of the result (up to 4x4 elements and
    those next to them). No float changes in a module of precision `highest`.

    Convolutions of bytes with a window of 3x3 are computed in integers, exactly,
    where instructions add up products in pairs (AVX2). Sums must have at most 26
    bits for tiles of 4, and 30 for tiles of 2, whatever the data is.

    ```mlir
    %0 = relay.nn.conv2d %x, %w {data_layout = "NHWC", padding = [1, 1]}
        : (tensor<1x56x56x64xf32>, tensor<64x64x3x3xf32>) -> tensor<1x56x56x64xf32>
    ```
    becomes
    ```mlir
    %0 = relay.nn.contrib_conv2d_winograd_weight_transform %w {tile_size = 4}
        : (tensor<64x64x3x3xf32>) -> tensor<6x6x64x64xf32>
    %1 = relay.nn.contrib_conv2d_winograd_without_weight_transform %x, %0
        {tile_size = 4, ...} : (tensor<1x56x56x64xf32>, tensor<6x6x64x64xf32>)
        -> tensor<1x56x56x64xf32>
    ```
  }];
  let dependentDialects = ["::mlir::relay::TargetDialect"];
  let options = [
    Option<"tileSize", "tile-size", "int64_t", /*default=*/"0",
           "Use tiles of this size wherever it is possible; 0: as estimated">
  ];
  let statistics = [
    Statistic<"numReplaced", "num-replaced",
              "Number of convolutions replaced">
  ];
}

#endif // RELAY_MLIR_DIALECT_RELAY_TRANSFORMS_PASSES_TD
