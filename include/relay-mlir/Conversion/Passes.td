//===- Passes.td - Conversions between dialects ------------*- tablegen -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One section per conversion, in alphabetical order. Each conversion has a
// folder of its own beside this file, whose header declares its pass.
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_CONVERSION_PASSES_TD
#define RELAY_MLIR_CONVERSION_PASSES_TD

include "mlir/Pass/PassBase.td"

//===----------------------------------------------------------------------===//
// KernelToGPU
//===----------------------------------------------------------------------===//

def ConvertKernelToGPUPass
    : Pass<"tir-kernel-to-gpu", "::mlir::ModuleOp"> {
  let summary = "Make launches of GPU kernels of loops that are bound to threads";
  let description = [{
    A kernel, as `convert-tir-to-scf` leaves it, runs on the host of a GPU: each
    loop nest at its top level becomes a `gpu.func` in the module `@kernels`, and
    a `gpu.launch_func` that names the size of its grid. `scf.forall` that are
    mapped to blocks and threads become their indices. What no loop is bound for
    runs on one thread.

    A `gpu.barrier` is put between parts of a block of which one writes what
    another one accesses. Allocations in memory `shared` become workgroup
    attributions, those in the default memory belong to each thread.

    A grid whose size does not follow from sizes of buffers has a fixed number of
    blocks, each of which goes over several iterations.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::gpu::GPUDialect",
    "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect"
  ];
}

def GPUKernelABIPass : Pass<"tir-gpu-kernel-abi", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Give GPU kernels the parameters that devices pass";
  let description = [{
    Each `gpu.func` gets one parameter for each buffer, its address, one for each
    unknown size, an `i64`, and the address of the status word. A buffer of
    unknown sizes is `memref<?xT>` there. `cf.assert` stores the number of the
    kernel in the status word, and code that comes later does not run.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::gpu::GPUDialect",
    "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect"
  ];
}

//===----------------------------------------------------------------------===//
// KernelToLLVM
//===----------------------------------------------------------------------===//

def ApproximateMathPass
    : Pass<"tir-approximate-math", "::mlir::ModuleOp"> {
  let summary = "Compute exp, log, tanh, erf and the like by polynomials";
  let description = [{
    Replaces transcendental functions on f32, scalars and vectors alike, by
    straight-line code, so that vectors stay vectors. Errors are some units in
    the last place. Those on f64 become calls of libm where the target is a
    processor, except exponentials of vectors, which are exact to two units in
    the last place. What vectors of bytes compute from other bytes alone, as
    activations between quantized operators do, becomes a table of 256 bytes
    where that takes fewer instructions of AVX2. Where the target
    (`target.spec`) has fused multiply-add instructions, a product that is only
    added becomes one; where it has none that convert f16, bits are computed.
  }];
  let dependentDialects = [
    "::mlir::LLVM::LLVMDialect", "::mlir::arith::ArithDialect",
    "::mlir::func::FuncDialect", "::mlir::math::MathDialect",
    "::mlir::vector::VectorDialect"
  ];
}

def KernelABIPass : Pass<"tir-kernel-abi", "::mlir::ModuleOp"> {
  let summary = "Give kernels their exported form";
  let description = [{
    A function on memrefs with the attribute `tir.kernel` becomes `<name>.body`,
    a function on pointers that do not alias and on sizes. An exported
    `llvm.func` of the type RelayKernel (see Runtime/KernelABI.h) reads both from
    the packed arguments. Calls of outlined parallel bodies become calls of the
    context's `parallel_for`.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::cf::ControlFlowDialect",
    "::mlir::func::FuncDialect", "::mlir::LLVM::LLVMDialect"
  ];
}

def HalfAsBitsPass : Pass<"tir-half-as-bits", "::mlir::ModuleOp"> {
  let summary = "Move half precision by its bits where LLVM would convert it";
  let description = [{
    On machines without arithmetic on f16 or bf16, LLVM moves values of the type
    through f32, with calls of the compiler's run-time library: each element of
    a vector that it takes apart, and each that lives from one block to another.
    As 16-bit integers the values just move. Operations that do more than that
    get numbers made of bits, and their results become bits.

    ```mlir
    %0 = llvm.load %p : !llvm.ptr -> bf16
    %1 = llvm.fpext %0 : bf16 to f32
    ```

    becomes

    ```mlir
    %0 = llvm.load %p : !llvm.ptr -> i16
    %1 = llvm.bitcast %0 : i16 to bf16
    %2 = llvm.fpext %1 : bf16 to f32
    ```
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect"];
}

def HoistDivisionsPass : Pass<"tir-hoist-divisions", "::mlir::func::FuncOp"> {
  let summary = "Divide indices by sizes before loops and conditions";
  let description = [{
    A division by a size that is not known moves to where its operands are
    known, out of loops and conditions. There it could divide by zero where the
    loop would not have run: sizes less than one count as one, which changes
    nothing where the result is used.

    LLVM would leave a division under its condition. When it then makes vectors
    of the loop around, it computes a division that is the same for all lanes
    under the condition of the first lane, and takes any value if that is false.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def NarrowMaskedStoresPass
    : Pass<"tir-narrow-masked-stores", "::mlir::func::FuncOp"> {
  let summary = "Store some lanes of a vector without masks";
  let description = [{
    Where a store under a mask is slow (AVX2) or a branch for each lane (Neon),
    a store of the first lanes of a vector becomes stores of 8, 4, 2 and 1
    lanes: for a constant number those that it consists of, else each under a
    condition. Nothing changes where the target (`target.spec`) is fast.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::memref::MemRefDialect",
    "::mlir::scf::SCFDialect", "::mlir::vector::VectorDialect"
  ];
}

def OutlineParallelPass : Pass<"tir-outline-parallel", "::mlir::ModuleOp"> {
  let summary = "Move the bodies of parallel loops to functions of their own";
  let description = [{
    The body of each `scf.parallel` at the top level of a kernel `@k` becomes
    `@k.par<i>`, which takes the buffers of the kernel and the range of
    iterations to run. Values that the body uses from outside are computed
    anew from the buffers' sizes. In place of the loop stays a call for all
    iterations, with the attribute `tir.parallel`.

    ```mlir
    scf.parallel (%i) = (%c0) to (%n) step (%c1) { ... }
    // becomes
    func.call @k.par0(%x, %y, %c0, %n) {tir.parallel}
    ```
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::func::FuncDialect",
    "::mlir::scf::SCFDialect"
  ];
}

def StreamStoresPass : Pass<"tir-stream-stores", "::mlir::func::FuncOp"> {
  let summary = "Let large results go past the caches";
  let description = [{
    A result that no cache will still hold when it is read costs less if its
    lines are not fetched before they are overwritten. Loops at the top level
    whose vectors fill a buffer of at least `min-bytes`, one after the other,
    that the function does not read get a second version with non-temporal
    stores, for buffers that begin at a line; then comes a fence.
  }];
  let options = [
    Option<"minBytes", "min-bytes", "int64_t", /*default=*/"0",
           "The smallest buffer to which stores are streamed; 0: as the caches "
           "of the target (target.spec) have it">
  ];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::LLVM::LLVMDialect",
    "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect"
  ];
}

//===----------------------------------------------------------------------===//
// LinalgToTIR
//===----------------------------------------------------------------------===//

def CollapseKernelsPass : Pass<"relay-collapse-kernels", "::mlir::ModuleOp"> {
  let summary = "Merge dimensions that kernels run through as one";
  let description = [{
    Two neighbouring dimensions of static size become one in a private kernel of
    linalg on tensors if they are neighbours, or missing, in all operands of each
    operation that has loops for them, and these loops are of one kind. Then
    dimensions of size 1 vanish too. Calls (`relax.call_tir`) reshape what they
    pass, which costs nothing; tensors that other operations than structured
    ones and concatenations use stay as they are.

    So a 1x1 convolution with channels last becomes a matrix product with one
    loop over pixels, and elementwise kernels have one loop.

    ```mlir
    #id = affine_map<(n, y, x, c) -> (n, y, x, c)>
    #bias = affine_map<(n, y, x, c) -> (c)>
    %0 = linalg.generic {indexing_maps = [#id, #bias, #id], ...}
        ins(%x, %b : tensor<1x14x14x64xf32>, tensor<64xf32>)
        outs(%e : tensor<1x14x14x64xf32>) {...}
    ```
    becomes
    ```mlir
    #id = affine_map<(r, c) -> (r, c)>
    #bias = affine_map<(r, c) -> (c)>
    %0 = linalg.generic {indexing_maps = [#id, #bias, #id], ...}
        ins(%x, %b : tensor<196x64xf32>, tensor<64xf32>)
        outs(%e : tensor<196x64xf32>) {...}
    ```
  }];
  let dependentDialects = ["::mlir::relax::RelaxDialect"];
}

def ConvertLinalgToTIRPass
    : Pass<"convert-linalg-to-tir", "::mlir::ModuleOp"> {
  let summary = "Turn functions of linalg on tensors into tir kernels";
  let description = [{
    Replaces each `func.func` with a body of linalg and tensor ops by a
    `tir.prim_func` in destination-passing form: the results become trailing
    buffer arguments, intermediate tensors become `tir.alloc_buffer`, and every
    linalg op, `tensor.pad` or piece of a `tensor.concat` becomes one loop nest
    with one block. Reshapes, slices and casts become index expressions in the blocks
    that read or write through them. The last op writes straight into the output
    argument.

    Functions with calls are left alone.

    ```mlir
    func.func @double(%x: tensor<16xf32>) -> tensor<16xf32> {
      %e = tensor.empty() : tensor<16xf32>
      %0 = linalg.generic {
          indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
          iterator_types = ["parallel"]}
          ins(%x : tensor<16xf32>) outs(%e : tensor<16xf32>)
          attrs = {tir.block_name = "double"} {
      ^bb0(%a: f32, %b: f32):
        %1 = arith.addf %a, %a : f32
        linalg.yield %1 : f32
      } -> tensor<16xf32>
      return %0 : tensor<16xf32>
    }
    ```

    becomes

    ```mlir
    tir.prim_func @double(%x: memref<16xf32>, %y: memref<16xf32>)
        attributes {tir.num_outputs = 1 : i64} {
      tir.for %i0 = 0 to 16 {
        tir.block @double(%v0 = spatial %i0 in 16)
            reads(%x[%v0] : memref<16xf32>)
            writes(%y[%v0] : memref<16xf32>) {
          %0 = affine.load %x[%v0] : memref<16xf32>
          %1 = arith.addf %0, %0 : f32
          affine.store %1, %y[%v0] : memref<16xf32>
        }
      }
    }
    ```
  }];
  let dependentDialects = [
    "::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect",
    "::mlir::memref::MemRefDialect", "::mlir::tir::TIRDialect"
  ];
}

//===----------------------------------------------------------------------===//
// RelayToLinalg
//===----------------------------------------------------------------------===//

def MarkByteBoundsPass
    : Pass<"relay-mark-byte-bounds", "mlir::ModuleOp"> {
  let summary = "Tell kernels within which bounds bytes are that they read";
  let description = [{
    Where every call of a primitive function passes bytes with a sign that are 0
    to 127, as what a ReLU becomes in a quantized network is, or -64 to 64, as
    weights of 7 bits are, or bytes of either kind that are 0 to 15, as weights of
    4 bits, the attribute `tir.byte_bounds` of the function lists the argument
    with these bounds. The kernel may then take instructions that are exact for
    such bytes only, and store constants in 4 bits. Bounds follow from
    `relay.clip`, ReLU, maxima and constants, across the functions of the module;
    pools, shapes and padding keep them.

    ```mlir
    func.func @main(%x: tensor<4x8xi8>, %w: tensor<2x8xi8>)
        -> tensor<4x2xi32> {
      %0 = relay.call @relu(%x) : (tensor<4x8xi8>) -> tensor<4x8xi8>
      %1 = relay.call @dense(%0, %w)
          : (tensor<4x8xi8>, tensor<2x8xi8>) -> tensor<4x2xi32>
      return %1 : tensor<4x2xi32>
    }
    ```

    adds `tir.byte_bounds = [array<i64: 0, 0, 127>]` to `@dense`. It is right for
    the calls that there are, and taken away where it was before: other values
    for arguments ask for the pass once more.
  }];
}

def ConvertRelayToLinalgPass
    : Pass<"convert-relay-to-linalg", "mlir::func::FuncOp"> {
  let summary = "Lower relay operators to linalg on tensors";
  let description = [{
    Rewrites the body of a primitive function: each operator becomes the loops
    it means, as `linalg.generic` and `linalg.fill` on tensors, `tensor.pad`,
    `tensor.concat` and reshapes, and as `tir.opaque` where stores depend on
    data. The attribute `tir.block_name` keeps the
    operator's name. Integers lose their sign (`ui8` becomes `i8`), tuples
    become their fields. An operator without a lowering is an error.

    In a function that calls others with `relay.call` only the calls change, to
    pass signless tensors to primitive functions.

    ```mlir
    func.func private @relu(%x: tensor<?x8xf32>) -> tensor<?x8xf32>
        attributes {relay.primitive} {
      %0 = relay.nn.relu %x : (tensor<?x8xf32>) -> tensor<?x8xf32>
      return %0 : tensor<?x8xf32>
    }
    ```

    becomes

    ```mlir
    func.func private @relu(%x: tensor<?x8xf32>) -> tensor<?x8xf32>
        attributes {relay.primitive} {
      %c0 = arith.constant 0 : index
      %n = tensor.dim %x, %c0 : tensor<?x8xf32>
      %init = tensor.empty(%n) : tensor<?x8xf32>
      %0 = linalg.generic {
          indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>,
                           affine_map<(d0, d1) -> (d0, d1)>],
          iterator_types = ["parallel", "parallel"]}
          ins(%x : tensor<?x8xf32>) outs(%init : tensor<?x8xf32>)
          attrs = {tir.block_name = "relu"} {
      ^bb0(%in: f32, %out: f32):
        %zero = arith.constant 0.0 : f32
        %negative = arith.cmpf olt, %in, %zero : f32
        %result = arith.select %negative, %zero, %in : f32
        linalg.yield %result : f32
      } -> tensor<?x8xf32>
      return %0 : tensor<?x8xf32>
    }
    ```
  }];
  let dependentDialects = [
    "affine::AffineDialect", "arith::ArithDialect", "linalg::LinalgDialect",
    "math::MathDialect", "memref::MemRefDialect", "scf::SCFDialect",
    "tensor::TensorDialect", "tir::TIRDialect"
  ];
}

//===----------------------------------------------------------------------===//
// RelayToRelax
//===----------------------------------------------------------------------===//

def OutlineTensorsPass : Pass<"relay-outline-tensors", "::mlir::ModuleOp"> {
  let summary = "Cut programs into functions of tensors and what calls them";
  let description = [{
    Moves operators on tensors into functions of their own, which take and
    return tensors and have the attribute `relay.tensor_function`. What is left
    are calls, closures, data types, control and references
    (`--convert-relay-to-objects`).

    A function has the operators of one block that are connected, as far as
    nothing else stands between them: a value that goes from operators through a
    closure to operators connects two functions. A branch is a block of its own,
    so nothing runs that did not run before. Constants go along. Effects stay in
    the order of the program.

    ```mlir
    func.func @main(%f: (tensor<4xf32>) -> tensor<4xf32>, %x: tensor<4xf32>)
        -> tensor<4xf32> {
      %0 = relay.abs %x : (tensor<4xf32>) -> tensor<4xf32>
      %1 = relay.exp %0 : (tensor<4xf32>) -> tensor<4xf32>
      %2 = relay.call_indirect %f(%1) : (tensor<4xf32>) -> tensor<4xf32>
      %3 = relay.add %2, %1
        : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
      return %3 : tensor<4xf32>
    }
    ```

    becomes

    ```mlir
    func.func @main(%f: (tensor<4xf32>) -> tensor<4xf32>, %x: tensor<4xf32>)
        -> tensor<4xf32> {
      %0 = relay.call @main.0(%x) : (tensor<4xf32>) -> tensor<4xf32>
      %1 = relay.call_indirect %f(%0) : (tensor<4xf32>) -> tensor<4xf32>
      %2 = relay.call @main.1(%1, %0)
        : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
      return %2 : tensor<4xf32>
    }
    func.func @main.0(%x: tensor<4xf32>) -> tensor<4xf32>
        attributes {relay.tensor_function} {
      %0 = relay.abs %x : (tensor<4xf32>) -> tensor<4xf32>
      %1 = relay.exp %0 : (tensor<4xf32>) -> tensor<4xf32>
      return %1 : tensor<4xf32>
    }
    func.func @main.1(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32>
        attributes {relay.tensor_function} {
      %0 = relay.add %x, %y
        : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
      return %0 : tensor<4xf32>
    }
    ```
  }];
  let dependentDialects = [
    "::mlir::func::FuncDialect", "::mlir::relay::RelayDialect"
  ];
}

def ConvertRelayToObjectsPass
    : Pass<"convert-relay-to-objects", "::mlir::ModuleOp"> {
  let summary = "Lower calls, closures, data types and control to relax";
  let description = [{
    Turns each function that is not one of tensors (`relay.tensor_function`)
    into a `relax.func` of objects, which becomes bytecode. Operators must be in
    functions of tensors (`--relay-outline-tensors`).

    * A closure becomes a function whose first parameters are what it captures.
      One that calls itself makes itself anew in its own body.
    * A match becomes tests of its cases, one after the other.
    * A constructor that is used as a value becomes a function.
    * Several results of a function are a tuple.

    Definitions of data types become the attribute `relax.constructors` of the
    module.

    ```mlir
    relay.adt @Option {
      relay.constructor @Some(tensor<f32>)
      relay.constructor @None
    }
    func.func @main(%x: !relay.adt<@Option>, %y: tensor<f32>) -> tensor<f32> {
      %0 = relay.match %x : !relay.adt<@Option> -> tensor<f32> {
      case @Option::@Some("z" %z: tensor<f32>) {
        relay.yield %z : tensor<f32>
      }
      case @Option::@None {
        relay.yield %y : tensor<f32>
      }
      }
      return %0 : tensor<f32>
    }
    ```

    becomes

    ```mlir
    relax.func @main(%x: !relax.object, %y: !relax.object) -> !relax.object {
      %0 = relax.has_constructor #relax.constructor<"Option", "Some", 0, 1> of %x
      %1 = relax.if %0 -> !relax.object {
        %2 = relax.get_field %x[0]
        relax.yield %2 : !relax.object
      } else {
        relax.yield %y : !relax.object
      }
      relax.return %1 : !relax.object
    }
    ```
  }];
  let dependentDialects = ["::mlir::relax::RelaxDialect"];
}

def ConvertRelayToRelaxPass
    : Pass<"convert-relay-to-relax", "::mlir::ModuleOp"> {
  let summary = "Lower calls of primitive functions to relax";
  let description = [{
    Turns each function of the form relay-fused that is not primitive itself
    into a `relax.func` that calls kernels with `relax.call_tir`. Primitive
    functions must be in linalg form already (`--convert-relay-to-linalg`); they
    become `tir.prim_func`s afterwards (`--convert-linalg-to-tir`), under the
    same name.

    Every `?` of a parameter becomes a symbol, named by the parameter's
    attribute `relay.dims` or else `d0`, `d1`, ...; equal names are equal sizes.
    The shape of each call's results is an expression over these, which is found
    by reifying the result shapes of the callee; where that is not possible the
    pass fails and names the operation that stands in the way.

    A primitive function that only changes the shape of its arguments becomes
    `relax.reshape`. Arguments of kernels that are constants in every call are
    listed in the kernel's attribute `tir.layout_free`.

    ```mlir
    func.func private @flatten(%x: tensor<?x2x2xf32>) -> tensor<?x4xf32>
        attributes {relay.primitive} {
      %0 = tensor.collapse_shape %x [[0], [1, 2]]
        : tensor<?x2x2xf32> into tensor<?x4xf32>
      return %0 : tensor<?x4xf32>
    }
    func.func @main(%x: tensor<?x2x2xf32> {relay.dims = ["n", "", ""]})
        -> tensor<?x4xf32> {
      %0 = relay.call @flatten(%x) : (tensor<?x2x2xf32>) -> tensor<?x4xf32>
      return %0 : tensor<?x4xf32>
    }
    ```

    becomes

    ```mlir
    relax.func @main(%x: !relax.tensor<[n, 2, 2], f32>)
        -> !relax.tensor<[n, 4], f32> {
      %0 = relax.dataflow {
        %1 = relax.reshape %x
          : !relax.tensor<[n, 2, 2], f32> to !relax.tensor<[n, 4], f32>
        relax.output %1 : !relax.tensor<[n, 4], f32>
      } : !relax.tensor<[n, 4], f32>
      relax.return %0 : !relax.tensor<[n, 4], f32>
    }
    ```
  }];
  let dependentDialects = [
    "::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect",
    "::mlir::relax::RelaxDialect", "::mlir::tensor::TensorDialect"
  ];
}

//===----------------------------------------------------------------------===//
// TIRToSCF
//===----------------------------------------------------------------------===//

def ConvertTIRToSCFPass
    : Pass<"convert-tir-to-scf", "::mlir::ModuleOp"> {
  let summary = "Turn scheduled kernels into loops and vectors";
  let description = [{
    Dissolves blocks and loops of each `tir.prim_func`, which must be in the form
    `tir-scheduled`:

    * Iteration variables are replaced by their bindings, guards become
      `scf.if` or masks. The init of a reduction runs before its outermost
      reduction loop.
    * Serial loops become `scf.for`, unrolled ones are written out, parallel ones
      become `scf.parallel`.
    * The body of a vectorized loop is written for as many lanes as fit in one
      register. A rest runs under a mask, or on fewer lanes where masks are
      slow; nothing outside a buffer is read. A reduction over lanes
      accumulates in each lane through all loops that leave its result in place.
    * Booleans become bytes, unsigned elements signless ones.

    A vectorized loop whose iterations cannot run side by side runs serially, with
    a remark (category `tir-lowering`).

    The size of a register, and whether masks are fast, are those of the target
    (`target.spec`). Loops that are bound to threads, of targets that have a
    grid of them, become `scf.forall` with that mapping.
  }];
  let dependentDialects = [
    "::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect",
    "::mlir::func::FuncDialect", "::mlir::gpu::GPUDialect",
    "::mlir::LLVM::LLVMDialect", "::mlir::memref::MemRefDialect",
    "::mlir::nvgpu::NVGPUDialect", "::mlir::NVVM::NVVMDialect",
    "::mlir::scf::SCFDialect", "::mlir::vector::VectorDialect"
  ];
}

def HoistAccumulatorsPass
    : Pass<"tir-hoist-accumulators", "::mlir::func::FuncOp"> {
  let summary = "Keep what a loop accumulates in loop-carried values";
  let description = [{
    An element or a vector of a buffer that a loop loads and stores at an
    address which does not change is loaded before the loop, carried as an
    `iter_arg`, and stored behind it. Buffers are arguments of the kernel or
    stack buffers, which never overlap.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::memref::MemRefDialect",
    "::mlir::vector::VectorDialect"
  ];
}

//===----------------------------------------------------------------------===//
// TIRToVTA
//===----------------------------------------------------------------------===//

def ConvertTIRToVTAPass : Pass<"convert-tir-to-vta", "::mlir::ModuleOp"> {
  let summary = "Make programs of VTA of scheduled kernels";
  let description = [{
    Each kernel whose target is a `#vta.config` becomes a `vta.program` of its
    name. Its attribute `vta.buffers` has the address and the bytes of each
    argument, and whether it is an input.

    A program has no jumps: loops around several blocks are written out. A nest
    of one block becomes instructions by what it accesses.

    | block | instructions |
    |---|---|
    | copies from an argument to `inp`, `wgt` or `acc`, maybe with zeros where a condition on loops does not hold | LOAD, with rows, strides and padding |
    | stores zeros to `acc` | GEMM that resets |
    | adds products of `inp` and `wgt` to `acc` | GEMM |
    | computes elements of `acc` and of arguments, and stores them as bytes | ALU, GEMM by ones on the diagonal for bytes, and STORE |

    The two longest loops of an instruction are loops in hardware, others
    become micro-ops. Lists of micro-ops are in memory once, and loaded when they
    are not in their scratchpad. Each buffer has two places in its scratchpad if
    there is room, which take turns, so that one is filled while the other one
    is used.

    Nothing is ordered yet: `vta-insert-tokens` comes next.
  }];
  let dependentDialects = ["::mlir::vta::VTADialect"];
}

#endif // RELAY_MLIR_CONVERSION_PASSES_TD
