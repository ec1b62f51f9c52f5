//===- RelaxOps.td - Operations of the relax dialect -------*- tablegen -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In order: functions and blocks; values and kernels (relax-kernels);
// storage and kernel calls (relax-executable). Functions of objects have
// operations of their own (RelaxObjects.td).
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_DIALECT_RELAX_IR_RELAXOPS_TD
#define RELAY_MLIR_DIALECT_RELAX_IR_RELAXOPS_TD

include "mlir/IR/BuiltinAttributeInterfaces.td"
include "mlir/IR/OpAsmInterface.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/FunctionInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "relay-mlir/Dialect/Relax/IR/RelaxBase.td"

class Relax_Op<string mnemonic, list<Trait> traits = []>
    : Op<Relax_Dialect, mnemonic, traits>;

/// What a relax value can be.
def Relax_Value : AnyTypeOf<[Relax_TensorType, AnyTuple, Relax_ObjectType]>;

//===----------------------------------------------------------------------===//
// Functions and blocks
//===----------------------------------------------------------------------===//

def Relax_FuncOp : Relax_Op<"func", [
    FunctionOpInterface, IsolatedFromAbove, SingleBlock, OpAsmOpInterface
  ]> {
  let summary = "A function over tensors with symbolic dimensions";
  let description = [{
    The symbols of a function are the bare symbols among the dimensions of its
    parameters; every other type in it may only use these. Parameter and result
    names are the attribute `relax.name`. A function of objects has parameters
    that are objects, and one result.

    Example:

    ```mlir
    func.func private @relu(tensor<?x4xf32>) -> tensor<?x4xf32>

    relax.func @main(%x: !relax.tensor<[n, 4], f32> {relax.name = "x"})
        -> (!relax.tensor<[n, 4], f32> {relax.name = "y"}) {
      %0 = relax.call_tir @relu(%x)
        : (!relax.tensor<[n, 4], f32>) -> !relax.tensor<[n, 4], f32>
      relax.return %0 : !relax.tensor<[n, 4], f32>
    }
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name,
                       TypeAttrOf<FunctionType>:$function_type,
                       OptionalAttr<StrAttr>:$sym_visibility,
                       OptionalAttr<DictArrayAttr>:$arg_attrs,
                       OptionalAttr<DictArrayAttr>:$res_attrs);
  let regions = (region MaxSizedRegion<1>:$body);
  let builders = [
    OpBuilder<(ins "::llvm::StringRef":$name, "::mlir::FunctionType":$type,
                   CArg<"::llvm::ArrayRef<::mlir::NamedAttribute>", "{}">:
                     $attrs)>
  ];
  let extraClassDeclaration = [{
    /// The symbols that the parameters bind, in order of first appearance.
    ::llvm::SmallVector<::mlir::StringAttr> getSymbols();

    ::mlir::Region *getCallableRegion() {
      return isExternal() ? nullptr : &getBody();
    }
    ::llvm::ArrayRef<::mlir::Type> getArgumentTypes() {
      return getFunctionType().getInputs();
    }
    ::llvm::ArrayRef<::mlir::Type> getResultTypes() {
      return getFunctionType().getResults();
    }
    bool isDeclaration() { return isExternal(); }

    void getAsmBlockArgumentNames(::mlir::Region &region,
                                  ::mlir::OpAsmSetValueNameFn setNameFn);
  }];
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
}

def Relax_ReturnOp : Relax_Op<"return", [
    Pure, Terminator, HasParent<"FuncOp">
  ]> {
  let summary = "Leaves a function with its results";
  let description = [{
    Example:

    ```mlir
    relax.func @identity(%x: !relax.tensor<[n, 4], f32>)
        -> !relax.tensor<[n, 4], f32> {
      relax.return %x : !relax.tensor<[n, 4], f32>
    }
    ```
  }];
  let arguments = (ins Variadic<Relax_Value>:$operands);
  let assemblyFormat = "attr-dict ($operands^ `:` type($operands))?";
  let hasVerifier = 1;
}

def Relax_DataflowOp : Relax_Op<"dataflow", [
    NoRegionArguments, SingleBlock, RecursiveMemoryEffects
  ]> {
  let summary = "A straight-line block without side effects";
  let description = [{
    Passes may reorder and remove operations in a dataflow block freely. Only
    what `relax.output` lists is visible outside.

    Example:

    ```mlir
    func.func private @relu(tensor<?xf32>) -> tensor<?xf32>

    %y = relax.dataflow {
      %0 = relax.call_tir @relu(%x)
        : (!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
      relax.output %0 : !relax.tensor<[n], f32>
    } : !relax.tensor<[n], f32>
    ```
  }];
  let results = (outs Variadic<Relax_Value>:$results);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "attr-dict-with-keyword $body (`:` type($results)^)?";
  let hasRegionVerifier = 1;
}

def Relax_OutputOp : Relax_Op<"output", [
    Pure, Terminator, HasParent<"DataflowOp">
  ]> {
  let summary = "Names the values that leave a dataflow block";
  let description = [{
    Example:

    ```mlir
    %flat = relax.dataflow {
      %0 = relax.reshape %x
        : !relax.tensor<[n, 4], f32> to !relax.tensor<[4 * n], f32>
      relax.output %0 : !relax.tensor<[4 * n], f32>
    } : !relax.tensor<[4 * n], f32>
    ```
  }];
  let arguments = (ins Variadic<Relax_Value>:$operands);
  let assemblyFormat = "attr-dict ($operands^ `:` type($operands))?";
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Values and kernels
//===----------------------------------------------------------------------===//

def Relax_ConstantOp : Relax_Op<"constant", [
    Pure, ConstantLike, InferTypeOpAdaptor
  ]> {
  let summary = "A tensor that is known at compile time";
  let description = [{
    Large constants are `dense_resource`: they are neither copied nor printed.

    Example:

    ```mlir
    %w = relax.constant dense_resource<conv1.weight> : tensor<16x3x3x3xf32>
    %v = relax.constant dense<1.0> : tensor<16xf32>
        on #target.device<"cpu", 1>
    ```
  }];
  let arguments = (ins ElementsAttr:$value,
                       OptionalAttr<Target_DeviceAttr>:$device);
  let results = (outs Relax_TensorType:$result);
  let assemblyFormat = "attr-dict $value (`on` qualified($device)^)?";
  let builders = [
    OpBuilder<(ins "::mlir::ElementsAttr":$value), [{
      build($_builder, $_state, value, ::mlir::relay::DeviceAttr());
    }]>
  ];
  let hasFolder = 1;
}

def Relax_TupleOp : Relax_Op<"tuple", [Pure, InferTypeOpAdaptor]> {
  let summary = "Makes a tuple of its operands";
  let description = [{
    Example:

    ```mlir
    %t = relax.tuple %x, %y
      : !relax.tensor<[n, 4], f32>, !relax.tensor<[n], i64>
    ```
  }];
  let arguments = (ins Variadic<Relax_Value>:$fields);
  let results = (outs AnyTuple:$result);
  let assemblyFormat = "$fields attr-dict (`:` type($fields)^)?";
}

def Relax_TupleGetItemOp : Relax_Op<"tuple_get_item", [
    Pure, InferTypeOpAdaptor
  ]> {
  let summary = "Takes one field of a tuple";
  let description = [{
    Example:

    ```mlir
    %0 = relax.tuple_get_item %t[1] : tuple<!relax.tensor<[n], f32>, i1>
    ```
  }];
  let arguments = (ins AnyTuple:$tuple, I64Attr:$index);
  let results = (outs AnyType:$result);
  let assemblyFormat = "$tuple `` `[` $index `]` attr-dict `:` type($tuple)";
  let hasFolder = 1;
}

def Relax_CallTIROp : Relax_Op<"call_tir", [
    Pure, DeclareOpInterfaceMethods<SymbolUserOpInterface>
  ]> {
  let summary = "Calls a kernel on values";
  let description = [{
    Calls a kernel in destination-passing style: the operands are its inputs,
    the results are fresh tensors that it writes. The callee is a
    `tir.prim_func`, or, before it has been lowered to loops, a function on
    tensors. The result types state the shapes of the results over the symbols
    of the enclosing function. All tensors are on one device, which runs the
    kernel.

    Example:

    ```mlir
    func.func private @dense(tensor<?x16xf32>, tensor<10x16xf32>)
        -> tensor<?x10xf32>

    %0 = relax.call_tir @dense(%x, %w)
      : (!relax.tensor<[n, 16], f32>, !relax.tensor<[10, 16], f32>)
      -> !relax.tensor<[n, 10], f32>
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$callee,
                       Variadic<Relax_TensorType>:$args);
  let results = (outs Variadic<Relax_TensorType>:$results);
  let assemblyFormat = [{
    $callee `(` $args `)` attr-dict `:` functional-type($args, $results)
  }];
  let hasVerifier = 1;
}

def Relax_CallDPSPackedOp : Relax_Op<"call_dps_packed", [Pure]> {
  let summary = "Calls a function of the process on tensors";
  let description = [{
    Calls the packed function that the process which runs the program has
    registered under that name (`relayRegisterFunction`, in Python
    `relay_mlir.register_func`), in destination-passing style: the operands are
    its inputs, the results, of which there is at least one, are fresh tensors
    that it writes. It has to compute the same from the same inputs, and nothing
    else: the call is made once, or not at all if nobody needs its results or
    they have no elements. All tensors are on the host. Source:
    `call_dps_packed` of TVM's Relax.

    Example:

    ```mlir
    %0 = relax.call_dps_packed "my.normalize"(%x, %y)
      : (!relax.tensor<[n, 16], f32>, !relax.tensor<[n], f32>)
      -> !relax.tensor<[n, 16], f32>
    ```
  }];
  let arguments = (ins StrAttr:$function, Variadic<Relax_TensorType>:$args);
  let results = (outs Variadic<Relax_TensorType>:$results);
  let assemblyFormat = [{
    $function ` ` `(` $args `)` attr-dict `:`
    functional-type($args, $results)
  }];
  let hasVerifier = 1;
}

def Relax_MatchCastOp : Relax_Op<"match_cast"> {
  let summary = "States the sizes of a tensor, and names them";
  let description = [{
    The result is the operand. A size of its type that is a symbol which nothing
    binds yet gives the symbol the value of the operand's size; the symbol may
    occur in the rest of the function and in its results.
    All other sizes have to be equal to those of the operand; what is not known
    of that when the function is compiled, the run time checks before a run.
    Source: `match_cast` of TVM's Relax.

    Example:

    ```mlir
    %1 = relax.match_cast %0
      : !relax.tensor<[n + k, 2 * k], f32> to !relax.tensor<[rows, 8], f32>
    ```
  }];
  let arguments = (ins Relax_TensorType:$source);
  let results = (outs Relax_TensorType:$result);
  let assemblyFormat = [{
    $source attr-dict `:` qualified(type($source)) `to`
    qualified(type($result))
  }];
  let hasVerifier = 1;
}

def Relax_ReshapeOp : Relax_Op<"reshape", [Pure]> {
  let summary = "Gives the elements of a tensor another shape";
  let description = [{
    The result has the elements of the source in the same row-major order. In
    the executable form it is the same memory under another type.

    Example:

    ```mlir
    %1 = relax.reshape %0
      : !relax.tensor<[n, 16, 1, 1], f32> to !relax.tensor<[n, 16], f32>
    ```
  }];
  let arguments = (ins Relax_TensorType:$source);
  let results = (outs Relax_TensorType:$result);
  let assemblyFormat = [{
    $source attr-dict `:` qualified(type($source)) `to`
    qualified(type($result))
  }];
  let hasFolder = 1;
  let hasVerifier = 1;
}

def Relax_ToDeviceOp : Relax_Op<"to_device", [Pure]> {
  let summary = "Copies a tensor to another device";
  let description = [{
    The result has the elements of the source, and is on another device. In the
    executable form it is a `relax.copy`.

    Example:

    ```mlir
    %1 = relax.to_device %0 : !relax.tensor<[n, 4], f32>
      to !relax.tensor<[n, 4], f32, #target.device<"cpu", 1>>
    ```
  }];
  let arguments = (ins Relax_TensorType:$source);
  let results = (outs Relax_TensorType:$result);
  let assemblyFormat = [{
    $source attr-dict `:` qualified(type($source)) `to`
    qualified(type($result))
  }];
  let hasFolder = 1;
  let hasVerifier = 1;
}

def Relax_AssertEqualOp : Relax_Op<"assert_equal"> {
  let summary = "States that sizes are equal";
  let description = [{
    Kernels take sizes as equal that the model does not name alike, such as those
    of two operands of an addition. The run time checks this before a run:
    element `i` of the first list must equal element `i` of the second.

    Example:

    ```mlir
    relax.assert_equal [n, 4], [m, 2 * k]
    ```
  }];
  let arguments = (ins Relax_ShapeAttr:$lhs, Relax_ShapeAttr:$rhs);
  let assemblyFormat =
      "custom<ShapeList>($lhs) `,` custom<ShapeList>($rhs) attr-dict";
  let hasVerifier = 1;
}

def Relax_AssertAtLeastOp : Relax_Op<"assert_at_least"> {
  let summary = "States lower bounds of sizes";
  let description = [{
    Element `i` of the first list must be at least element `i` of the second. The
    shapes of results that depend on the smaller or larger of two sizes rest on
    this; the run time checks it before a run.

    Example:

    ```mlir
    relax.assert_at_least [n, n - 1], [3, 0]
    ```
  }];
  let arguments = (ins Relax_ShapeAttr:$lhs, Relax_ShapeAttr:$rhs);
  let assemblyFormat =
      "custom<ShapeList>($lhs) `,` custom<ShapeList>($rhs) attr-dict";
  let hasVerifier = 1;
}

def Relax_AssertBroadcastOp : Relax_Op<"assert_broadcast"> {
  let summary = "States that sizes are equal or 1";
  let description = [{
    A kernel repeats an operand along a dimension of size 1. Where that is only
    known at run time, element `i` of the first list, which is the operand's size,
    must be 1 or equal to element `i` of the second; the run time checks it before
    a run.

    Example:

    ```mlir
    relax.assert_broadcast [n], [3]
    ```
  }];
  let arguments = (ins Relax_ShapeAttr:$lhs, Relax_ShapeAttr:$rhs);
  let assemblyFormat =
      "custom<ShapeList>($lhs) `,` custom<ShapeList>($rhs) attr-dict";
  let hasVerifier = 1;
}

class Relax_ExtremeSizeOp<string mnemonic, string word> : Relax_Op<mnemonic> {
  let summary = "Names the " # word # " of sizes";
  let arguments = (ins StrAttr:$symbol, Relax_ShapeAttr:$sizes);
  let assemblyFormat = "$symbol `of` custom<ShapeList>($sizes) attr-dict";
  let hasVerifier = 1;
}

def Relax_MinSizeOp : Relax_ExtremeSizeOp<"min_size", "smallest"> {
  let description = [{
    Binds a symbol for the operations after this one and for the results of the
    function. Shape expressions are sums, products and quotients of symbols; what
    the size of a slice besides depends on has a symbol of its own. Its value is
    not negative.

    Example:

    ```mlir
    relax.min_size "min(n, 10)" of [n, 10]
    ```
  }];
}

def Relax_MaxSizeOp : Relax_ExtremeSizeOp<"max_size", "largest"> {
  let description = [{
    As `relax.min_size`, but the largest.

    Example:

    ```mlir
    relax.max_size "max(n - 2, 0)" of [n - 2, 0]
    ```
  }];
}

//===----------------------------------------------------------------------===//
// Storage and kernel calls
//===----------------------------------------------------------------------===//

def Relax_AllocStorageOp : Relax_Op<"alloc_storage"> {
  let summary = "Allocates device memory";
  let description = [{
    Allocates as many bytes as the largest of the `size` expressions. Storage
    lives until `relax.kill`.

    Example:

    ```mlir
    %s0 = relax.alloc_storage size [65536 * n] align 64 : !relax.storage
    ```
  }];
  let arguments = (ins Relax_ShapeAttr:$size,
                       DefaultValuedAttr<I64Attr, "64">:$alignment);
  let results = (outs
    Res<Relax_StorageType, "the memory", [MemAlloc]>:$result);
  let assemblyFormat = [{
    `size` custom<ShapeList>($size) `align` $alignment attr-dict `:`
    qualified(type($result))
  }];
  let hasVerifier = 1;
}

def Relax_AllocTensorOp : Relax_Op<"alloc_tensor", [
    Pure,
    TypesMatchWith<"the storage is on the device of the tensor", "result",
      "storage", "StorageType::get($_ctxt, "
      "::llvm::cast<SymbolicTensorType>($_self).getDevice())">
  ]> {
  let summary = "Places a tensor in storage";
  let description = [{
    A row-major contiguous tensor that starts `offset` bytes into the storage.

    Example:

    ```mlir
    %t0 = relax.alloc_tensor %s0[64 * n] : !relax.tensor<[n, 16, 32, 32], f32>
    ```

    The tensor is on the device of the storage.
  }];
  let arguments = (ins Relax_StorageType:$storage, Relax_ShapeAttr:$offset);
  let results = (outs Relax_TensorType:$result);
  let assemblyFormat = [{
    $storage `` custom<ShapeList>($offset) attr-dict `:`
    qualified(type($result))
  }];
  let hasVerifier = 1;
}

def Relax_ResultBufferOp : Relax_Op<"result_buffer", [Pure]> {
  let summary = "The memory of a result of the function";
  let description = [{
    The buffer for result number `index` of the enclosing function. The caller
    provides it (AOT) or the executor allocates it (VM); kernels write into it
    directly, and `relax.return` returns it.

    Example:

    ```mlir
    relax.func @copy(%x: !relax.tensor<[n, 10], f32>)
        -> !relax.tensor<[n, 10], f32> {
      %y = relax.result_buffer 0 : !relax.tensor<[n, 10], f32>
      relax.copy %x to %y
        : !relax.tensor<[n, 10], f32> to !relax.tensor<[n, 10], f32>
      relax.return %y : !relax.tensor<[n, 10], f32>
    }
    ```
  }];
  let arguments = (ins I64Attr:$index);
  let results = (outs Relax_TensorType:$result);
  let assemblyFormat = "$index attr-dict `:` qualified(type($result))";
  let hasVerifier = 1;
}

def Relax_CallKernelOp : Relax_Op<"call_kernel", [
    AttrSizedOperandSegments, DeclareOpInterfaceMethods<SymbolUserOpInterface>
  ]> {
  let summary = "Runs a kernel on memory";
  let description = [{
    Runs a `tir.prim_func` whose buffers are the inputs, then the outputs, then
    the workspaces. A kernel may read and write a workspace; its contents are
    undefined before and after the call.

    Example:

    ```mlir
    func.func private @dense(memref<?x16xf32>, memref<10x16xf32>,
                             memref<?x10xf32>)
        attributes {tir.num_outputs = 1 : i64}

    relax.call_kernel @dense ins(%x, %w : !relax.tensor<[n, 16], f32>,
                                          !relax.tensor<[10, 16], f32>)
                             outs(%t0 : !relax.tensor<[n, 10], f32>)
    ```
  }];
  let arguments = (ins
    FlatSymbolRefAttr:$callee,
    Arg<Variadic<Relax_TensorType>, "inputs", [MemRead]>:$inputs,
    Arg<Variadic<Relax_TensorType>, "outputs", [MemWrite]>:$outputs,
    Arg<Variadic<Relax_TensorType>, "workspaces", [MemRead, MemWrite]>:
      $workspaces);
  let assemblyFormat = [{
    $callee
    (`ins` `(` $inputs^ `:` type($inputs) `)`)?
    (`outs` `(` $outputs^ `:` type($outputs) `)`)?
    (`workspaces` `(` $workspaces^ `:` type($workspaces) `)`)? attr-dict
  }];
  let hasVerifier = 1;
}

def Relax_CopyOp : Relax_Op<"copy"> {
  let summary = "Copies the elements of a tensor";
  let description = [{
    Needed from one device to another, and where a result of the function is not
    written by a kernel: a parameter or a constant that is returned.

    Example:

    ```mlir
    relax.copy %x to %y
      : !relax.tensor<[n, 10], f32, #target.device<"cpu", 1>>
      to !relax.tensor<[n, 10], f32>
    ```
  }];
  let arguments = (ins Arg<Relax_TensorType, "", [MemRead]>:$source,
                       Arg<Relax_TensorType, "", [MemWrite]>:$target);
  let assemblyFormat = [{
    $source `to` $target attr-dict `:` qualified(type($source)) `to`
    qualified(type($target))
  }];
  let hasVerifier = 1;
}

def Relax_KillOp : Relax_Op<"kill"> {
  let summary = "Ends the life of storage";
  let description = [{
    Nothing may use the storage, or a tensor in it, after this.

    Example:

    ```mlir
    relax.kill %s0 : !relax.storage
    ```
  }];
  let arguments = (ins Arg<Relax_StorageType, "", [MemFree]>:$storage);
  let assemblyFormat = "$storage attr-dict `:` qualified(type($storage))";
}

include "relay-mlir/Dialect/Relax/IR/RelaxObjects.td"

#endif // RELAY_MLIR_DIALECT_RELAX_IR_RELAXOPS_TD
