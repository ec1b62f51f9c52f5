//===- TIROps.td - Ops of the tir dialect ------------------*- tablegen -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_DIALECT_TIR_IR_TIROPS_TD
#define RELAY_MLIR_DIALECT_TIR_IR_TIROPS_TD

include "mlir/IR/OpAsmInterface.td"
include "mlir/IR/RegionKindInterface.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/DestinationStyleOpInterface.td"
include "mlir/Interfaces/FunctionInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "relay-mlir/Dialect/TIR/IR/TIRBase.td"

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

def TIR_PrimFuncOp : TIR_Op<"prim_func", [
    AffineScope, AutomaticAllocationScope, FunctionOpInterface,
    IsolatedFromAbove, SingleBlockImplicitTerminator<"ReturnOp">
  ]> {
  let summary = "A kernel on buffers";
  let description = [{
    A kernel in destination-passing form: inputs first, then `tir.num_outputs`
    output buffers, then, once they are lifted, `tir.workspaces` scratch
    buffers. It has no results. Sizes of dynamic dimensions are read off the
    arguments with `memref.dim`.

    Example:

    ```mlir
    tir.prim_func @double(%x: memref<16xf32>, %y: memref<16xf32>)
        attributes {tir.num_outputs = 1 : i64} {
      tir.for %i = 0 to 16 {
        tir.block @double(%v0 = spatial %i in 16)
            reads(%x[%v0] : memref<16xf32>) writes(%y[%v0] : memref<16xf32>) {
          %0 = affine.load %x[%v0] : memref<16xf32>
          %1 = arith.addf %0, %0 : f32
          affine.store %1, %y[%v0] : memref<16xf32>
        }
      }
    }
    ```
  }];

  let arguments = (ins
    SymbolNameAttr:$sym_name,
    TypeAttrOf<FunctionType>:$function_type,
    OptionalAttr<StrAttr>:$sym_visibility,
    OptionalAttr<DictArrayAttr>:$arg_attrs,
    OptionalAttr<DictArrayAttr>:$res_attrs
  );
  let regions = (region SizedRegion<1>:$region);

  let builders = [OpBuilder<(ins
    "::llvm::StringRef":$name, "::mlir::TypeRange":$argumentTypes,
    "int64_t":$numOutputs)>];
  let skipDefaultBuilders = 1;

  let extraClassDeclaration = [{
    /// Names of the attributes that this op interprets.
    static constexpr ::llvm::StringLiteral kNumOutputs = "tir.num_outputs";
    static constexpr ::llvm::StringLiteral kLayoutFree = "tir.layout_free";
    static constexpr ::llvm::StringLiteral kWorkspaces = "tir.workspaces";
    static constexpr ::llvm::StringLiteral kLayout = "tir.layout";
    static constexpr ::llvm::StringLiteral kOriginalType = "tir.original_type";
    static constexpr ::llvm::StringLiteral kWorkspace = "tir.workspace";
    static constexpr ::llvm::StringLiteral kIntrinsic = "tir.intrinsic";

    ::llvm::ArrayRef<::mlir::Type> getArgumentTypes() {
      return getFunctionType().getInputs();
    }
    ::llvm::ArrayRef<::mlir::Type> getResultTypes() {
      return getFunctionType().getResults();
    }
    ::mlir::Region *getCallableRegion() { return &getRegion(); }

    /// Arguments are inputs, then outputs, then workspaces.
    int64_t getNumWorkspaces();
    int64_t getNumOutputs();
    int64_t getNumInputs();
    ::mlir::Block::BlockArgListType getInputs();
    ::mlir::Block::BlockArgListType getOutputs();
    bool isOutput(::mlir::Value buffer);

    /// Whether this is no kernel, but the description or the implementation of
    /// an instruction, for tensorize_with.
    bool isIntrinsic();

    /// Whether a schedule may change the layout of argument `index`.
    bool isLayoutFree(unsigned index);

    /// The blocks of the kernel in program order, and the one named `name`
    /// (null if there is none).
    ::llvm::SmallVector<::mlir::tir::BlockOp, 6> getBlocks();
    ::mlir::tir::BlockOp getBlock(::llvm::StringRef name);

    /// A module with a copy of the kernel alone, and with the attributes of the
    /// module around it, which say what it is compiled for. There, it can be
    /// changed while others are.
    ::mlir::OwningOpRef<::mlir::ModuleOp> cloneIntoModule();

    /// A name for a new block that starts with `prefix` and is not in use.
    std::string getUniqueBlockName(::llvm::StringRef prefix);
  }];

  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}

def TIR_ReturnOp : TIR_Op<"return", [
    HasParent<"PrimFuncOp">, Pure, Terminator
  ]> {
  let summary = "Ends a kernel";
  let description = [{
    Terminates `tir.prim_func`; not printed there.

    Example:

    ```mlir
    tir.prim_func @nothing(%x: memref<16xf32>) {
      tir.return
    }
    ```
  }];
  let assemblyFormat = "attr-dict";
}

def TIR_YieldOp : TIR_Op<"yield", [
    ParentOneOf<["BlockOp", "ForOp", "InitOp", "OpaqueOp"]>, Pure, Terminator
  ]> {
  let summary = "Ends the body of a loop, a block or an init";
  let description = [{
    Terminates the single block of `tir.for`, `tir.block`, `tir.init` and
    `tir.opaque`; not printed there.

    Example:

    ```mlir
    tir.for %i = 0 to 16 {
      memref.store %zero, %x[%i] : memref<16xf32>
      tir.yield
    }
    ```
  }];
  let assemblyFormat = "attr-dict";
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

def TIR_ForOp : TIR_Op<"for", [
    AttrSizedOperandSegments, OpAsmOpInterface, RecursiveMemoryEffects, RecursivelySpeculatable,
    SingleBlockImplicitTerminator<"YieldOp">
  ]> {
  let summary = "A loop with a kind";
  let description = [{
    Runs its body for each value from the lower bound to the upper bound,
    exclusive. Bounds are constants or values of type `index`. The kind says how
    the iterations run; a serial loop prints none. A `thread_binding` loop
    names the hardware index that it becomes. Further attributes are
    annotations, which primitives keep and lowerings may read.

    Example:

    ```mlir
    tir.for %i = 0 to %n kind(parallel) {
      tir.for %j = 0 to 16 kind(vectorized) {
      }
    }
    tir.for %t = 0 to 256 kind(thread_binding "threadIdx.x") {
    }
    ```
  }];

  let arguments = (ins
    Optional<Index>:$dynamicLowerBound,
    Optional<Index>:$dynamicUpperBound,
    I64Attr:$static_lower_bound,
    I64Attr:$static_upper_bound,
    DefaultValuedAttr<TIR_ForKindAttr, "ForKind::Serial">:$kind,
    OptionalAttr<StrAttr>:$thread_tag
  );
  let regions = (region SizedRegion<1>:$region);

  let builders = [
    OpBuilder<(ins "::mlir::OpFoldResult":$lowerBound,
      "::mlir::OpFoldResult":$upperBound,
      CArg<"::mlir::tir::ForKind", "::mlir::tir::ForKind::Serial">:$kind)>,
    OpBuilder<(ins "::mlir::OpFoldResult":$extent)>
  ];
  let skipDefaultBuilders = 1;

  let extraClassDeclaration = [{
    ::mlir::BlockArgument getInductionVar() { return getBody()->getArgument(0); }

    /// Bounds as a constant attribute or a value.
    ::mlir::OpFoldResult getLowerBound();
    ::mlir::OpFoldResult getUpperBound();
    void setLowerBound(::mlir::OpFoldResult bound);
    void setUpperBound(::mlir::OpFoldResult bound);

    std::optional<int64_t> getConstantLowerBound();
    std::optional<int64_t> getConstantUpperBound();
    std::optional<int64_t> getConstantExtent();

    /// The number of iterations, computed before the loop if it is not
    /// constant.
    ::mlir::OpFoldResult getExtent(::mlir::OpBuilder &builder);

    /// The loop right around this one, or null.
    ::mlir::tir::ForOp getParentLoop();

    /// The loop that is, apart from the terminator, the only op of the body,
    /// or null.
    ::mlir::tir::ForOp getOnlyChildLoop();

    /// The blocks below, in program order.
    ::llvm::SmallVector<::mlir::tir::BlockOp, 6> getBlocks();

    void getAsmBlockArgumentNames(::mlir::Region &region,
                                  ::mlir::OpAsmSetValueNameFn setName);
  }];

  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let hasCanonicalizeMethod = 1;
}

//===----------------------------------------------------------------------===//
// Blocks
//===----------------------------------------------------------------------===//

def TIR_BlockOp : TIR_Op<"block", [
    AffineScope, AttrSizedOperandSegments, OpAsmOpInterface,
    RecursiveMemoryEffects, SingleBlockImplicitTerminator<"YieldOp">
  ]> {
  let summary = "A computation at one point of an iteration domain";
  let description = [{
    A block has iteration variables. Each has a kind (`spatial`: instances are
    independent; `reduce`: instances combine into the same element; `opaque`: no
    claim), a binding (an `index` value, usually an `affine.apply` of the
    loops around the block) and the size of its domain, which starts at 0. The
    body refers to iteration variables, to buffers and to values computed before
    the loops, but not to the loops themselves, so a schedule may bind the
    variables anew.

    `where` guards the instance: the block runs only if the constraints of the
    integer set hold. `reads` and `writes` list every buffer that the body
    accesses and the element that it accesses as a function of the iteration
    variables; a buffer without an index list is accessed at elements which
    depend on data. They summarise the body and must agree with it.

    A reduction starts with `tir.init`.

    Example:

    ```mlir
    tir.block @sum(%v0 = spatial %i in 128, %v1 = reduce %k in %n)
        where affine_set<(d0)[s0] : (s0 - d0 - 1 >= 0)>(%k)[%n]
        reads(%x[%v0, %v1] : memref<128x?xf32>, %y[%v0] : memref<128xf32>)
        writes(%y[%v0] : memref<128xf32>) {
      tir.init {
        affine.store %zero, %y[%v0] : memref<128xf32>
      }
      %0 = affine.load %x[%v0, %v1] : memref<128x?xf32>
      %1 = affine.load %y[%v0] : memref<128xf32>
      %2 = arith.addf %1, %0 : f32
      affine.store %2, %y[%v0] : memref<128xf32>
    }
    ```
  }];

  let arguments = (ins
    StrAttr:$name,
    TIR_IterKindArrayAttr:$iter_kinds,
    DenseI64ArrayAttr:$static_extents,
    OptionalAttr<IntegerSetAttr>:$predicate,
    AffineMapArrayAttr:$read_maps,
    AffineMapArrayAttr:$write_maps,
    Variadic<Index>:$bindings,
    Variadic<Index>:$dynamic_extents,
    Variadic<Index>:$predicate_operands,
    Variadic<AnyMemRef>:$reads,
    Variadic<AnyMemRef>:$writes
  );
  let regions = (region SizedRegion<1>:$region);

  let builders = [
    /// Creates a block without regions of access and with an empty body that
    /// has the iteration variables as arguments. Call `updateAccessRegions()`
    /// once the body is filled.
    OpBuilder<(ins "::llvm::StringRef":$name,
      "::llvm::ArrayRef<::mlir::tir::IterKind>":$kinds,
      "::mlir::ValueRange":$bindings,
      "::llvm::ArrayRef<::mlir::OpFoldResult>":$extents)>
  ];
  let skipDefaultBuilders = 1;

  let extraClassDeclaration = [{
    ::mlir::Block::BlockArgListType getIterVars() {
      return getBody()->getArguments();
    }
    unsigned getNumIters() { return getBindings().size(); }
    ::mlir::tir::IterKind getIterKind(unsigned index);
    ::llvm::SmallVector<::mlir::tir::IterKind> getKinds();
    bool hasReduceIters();

    /// Sizes of the iteration domain.
    ::llvm::SmallVector<::mlir::OpFoldResult> getExtents();
    void setExtents(::llvm::ArrayRef<::mlir::OpFoldResult> extents);

    /// The `tir.init` of a reduction, or null.
    ::mlir::tir::InitOp getInit();

    /// The loops around the block, outermost first.
    ::llvm::SmallVector<::mlir::tir::ForOp, 6> getLoops();
    ::mlir::tir::PrimFuncOp getFunction();

    /// Replaces the guard; a null set removes it.
    void setGuard(::mlir::IntegerSet set, ::mlir::ValueRange operands);

    /// Recomputes `reads` and `writes` from the body. Whoever changes the body
    /// calls it.
    void updateAccessRegions();

    void getAsmBlockArgumentNames(::mlir::Region &region,
                                  ::mlir::OpAsmSetValueNameFn setName);
  }];

  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
}

def TIR_InitOp : TIR_Op<"init", [
    HasParent<"BlockOp">, NoRegionArguments, RecursiveMemoryEffects,
    SingleBlockImplicitTerminator<"YieldOp">
  ]> {
  let summary = "The start value of a reduction";
  let description = [{
    The first op of a block with reduce variables. It runs in the instances in
    which every reduce variable is 0, before the rest of the body. A block
    without reduce variables has none.

    Example:

    ```mlir
    tir.block @sum(%v0 = spatial %i in 128, %v1 = reduce %k in 64)
        reads(%x[%v0, %v1] : memref<128x64xf32>, %y[%v0] : memref<128xf32>)
        writes(%y[%v0] : memref<128xf32>) {
      tir.init {
        affine.store %zero, %y[%v0] : memref<128xf32>
      }
      %0 = affine.load %x[%v0, %v1] : memref<128x64xf32>
      %1 = affine.load %y[%v0] : memref<128xf32>
      %2 = arith.addf %1, %0 : f32
      affine.store %2, %y[%v0] : memref<128xf32>
    }
    ```
  }];
  let regions = (region SizedRegion<1>:$region);
  let builders = [OpBuilder<(ins)>];
  let skipDefaultBuilders = 1;
  let assemblyFormat = "attr-dict-with-keyword $region";
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Computations on tensors
//===----------------------------------------------------------------------===//

def TIR_OpaqueOp : TIR_Op<"opaque", [
    AttrSizedOperandSegments, DestinationStyleOpInterface,
    DeclareOpInterfaceMethods<ReifyRankedShapedTypeOpInterface,
                              ["reifyResultShapes"]>,
    IsolatedFromAbove, RecursiveMemoryEffects,
    SingleBlockImplicitTerminator<"YieldOp">
  ]> {
  let summary = "A computation on tensors whose stores depend on data";
  let description = [{
    Stands beside `linalg.generic` for what no structured op expresses: running
    sums, scatters, sorts. The body is code on buffers. It runs once for each
    position along the dimensions `along` of the first destination, in any
    order: instances must not meet in what they write. Its arguments are the
    indices of that position, then one buffer for each input and destination.
    Buffers of the destinations start as their tensors; of a `tensor.empty` the
    contents are undefined. A destination whose result is not used is scratch
    memory. One without destinations runs once, for what it asserts of its
    inputs.

    On the way to tir it becomes a block with one spatial variable for each
    dimension in `along`.

    Example:

    ```mlir
    %sums = tir.opaque along [0]
        ins(%x : tensor<8x?xf32>) outs(%init : tensor<8x?xf32>)
        -> tensor<8x?xf32> {
    ^bb0(%row: index, %from: memref<8x?xf32>, %to: memref<8x?xf32>):
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %zero = arith.constant 0.0 : f32
      %size = memref.dim %from, %c1 : memref<8x?xf32>
      %total = scf.for %i = %c0 to %size step %c1
          iter_args(%sum = %zero) -> f32 {
        %element = memref.load %from[%row, %i] : memref<8x?xf32>
        %next = arith.addf %sum, %element : f32
        memref.store %next, %to[%row, %i] : memref<8x?xf32>
        scf.yield %next : f32
      }
    }
    ```
  }];

  let arguments = (ins
    DefaultValuedAttr<DenseI64ArrayAttr, "{}">:$along,
    OptionalAttr<AffineMapArrayAttr>:$sizes,
    Variadic<AnyRankedTensor>:$inputs,
    Variadic<AnyRankedTensor>:$inits
  );
  let results = (outs Variadic<AnyRankedTensor>:$results);
  let regions = (region SizedRegion<1>:$region);
  let hasCanonicalizer = 1;
  let skipDefaultBuilders = 1;
  let builders = [
    /// Creates the op with the arguments of its body, which is empty.
    OpBuilder<(ins "::llvm::ArrayRef<int64_t>":$along,
      "::mlir::ValueRange":$inputs, "::mlir::ValueRange":$inits,
      CArg<"::llvm::ArrayRef<::mlir::AffineMap>", "{}">:$sizes)>
  ];

  let extraClassDeclaration = [{
    ::mlir::MutableOperandRange getDpsInitsMutable() {
      return getInitsMutable();
    }
    /// The arguments of the body: indices, then buffers of inputs and
    /// destinations.
    ::mlir::ValueRange getIndexArgs();
    ::mlir::ValueRange getInputArgs();
    ::mlir::ValueRange getInitArgs();
  }];

  let assemblyFormat = [{
    (`along` $along^)? (`sizes` $sizes^)? (`ins` `(` $inputs^ `:` type($inputs) `)`)?
    (`outs` `(` $inits^ `:` type($inits) `)`)? attr-dict-with-keyword
    (`->` type($results)^)? $region
  }];
  let hasVerifier = 1;
}

def TIR_StringCallOp : TIR_Op<"string_call", [NoMemoryEffect]> {
  let summary = "A function of strings that the run time has";
  let description = [{
    Calls function number `function` (relay-mlir-c/Strings.h) with numbers
    of strings, of lists of them, or others. Where it refuses them, the kernel
    ends with an error. For the body of `tir.opaque` without dimensions
    `along`: threads of a loop have no way to the strings of the run.

    Example:

    ```mlir
    %both = tir.string_call 0(%a, %b)
    ```
  }];
  let arguments = (ins I32Attr:$function, Variadic<I64>:$operands);
  let results = (outs I64:$result);
  let assemblyFormat = "$function `(` $operands `)` attr-dict";
}

//===----------------------------------------------------------------------===//
// Buffers
//===----------------------------------------------------------------------===//

def TIR_AllocBufferOp : TIR_Op<"alloc_buffer", [
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>
  ]> {
  let summary = "An intermediate buffer of a kernel";
  let description = [{
    A row-major buffer that lives until the end of the region that holds this
    op. A buffer in the default memory at the top level of the kernel becomes a
    workspace that the caller provides. One with a memory space, which is a
    `#target.memory` that the target of the kernel has, lies in that memory.

    Example:

    ```mlir
    %acc = tir.alloc_buffer(%n) : memref<?x16xf32>
    %tile = tir.alloc_buffer() : memref<8x32xf32, #target.memory<"local">>
    ```
  }];
  let arguments = (ins
    Variadic<Index>:$dynamicSizes
  );
  let results = (outs AnyStridedMemRef:$buffer);
  let builders = [
    OpBuilder<(ins "::mlir::MemRefType":$type), [{
      build($_builder, $_state, type, ::mlir::ValueRange());
    }]>
  ];
  let assemblyFormat = [{
    `(` $dynamicSizes `)` attr-dict `:` type($buffer)
  }];
  let extraClassDeclaration = [{
    ::mlir::MemRefType getType() {
      return ::llvm::cast<::mlir::MemRefType>(getBuffer().getType());
    }
    ::llvm::SmallVector<::mlir::OpFoldResult> getMixedSizes();
    /// Null for the default memory.
    ::mlir::relay::MemoryAttr getMemory() {
      return ::llvm::cast_if_present<::mlir::relay::MemoryAttr>(
          getType().getMemorySpace());
    }
  }];
  let hasVerifier = 1;
}

#endif // RELAY_MLIR_DIALECT_TIR_IR_TIROPS_TD
