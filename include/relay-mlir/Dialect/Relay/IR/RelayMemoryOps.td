//===- RelayMemoryOps.td - Explicit memory, VM -------------*- tablegen -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_DIALECT_RELAY_IR_RELAYMEMORYOPS_TD
#define RELAY_MLIR_DIALECT_RELAY_IR_RELAYMEMORYOPS_TD

include "relay-mlir/Dialect/Relay/IR/RelayEffects.td"

def Relay_DefaultFloat32 : Relay_DefaultDType<"$_builder.getF32Type()">;

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

def Relay_MemoryAllocStorageOp
    : Relay_EffectOperator<"memory.alloc_storage", "Opaque"> {
  let summary = "Allocates memory for tensors";
  let description = [{
    A region of `size` bytes, aligned to `alignment`, of type
    `!relay.adt<@Storage>`. `shape` and `dtype` tell what it is for, and
    `virtual_device` (see on_device) where it is.

    Example:

    ```mlir
    relay.adt extern @Storage

    %0 = relay.memory.alloc_storage %size, %shape, %align
        {virtual_device = {device_type = 1 : i64}}
        : (tensor<i64>, tensor<2xi64>, tensor<i64>) -> !relay.adt<@Storage>
    ```
  }];
  let arguments = (ins 0DTensorOf<[I64]>:$size, Relay_IntegerTensor:$shape,
    0DTensorOf<[I64]>:$alignment, Relay_DefaultFloat32:$dtype,
    OptionalAttr<DictionaryAttr>:$virtual_device);
  let results = (outs Res<Relay_ADTType, "", [MemAlloc]>:$result);
  let hasVerifier = 1;
}

def Relay_MemoryAllocTensorOp
    : Relay_EffectOperator<"memory.alloc_tensor", "Opaque"> {
  let summary = "A tensor in allocated memory";
  let description = [{
    A tensor of `dtype` (float32 unless given) at `offset` bytes of `storage`.
    Its sizes are those of `const_shape` or else `assert_shape`, where a
    negative one is not known; `shape` holds them at run time.

    Example:

    ```mlir
    relay.adt extern @Storage

    %0 = relay.memory.alloc_tensor %storage, %offset, %shape
        {assert_shape = [8, -1]}
        : (!relay.adt<@Storage>, tensor<i64>, tensor<2xi64>) -> tensor<8x?xf32>
    ```
  }];
  let arguments = (ins Arg<Relay_ADTType, "", [MemRead]>:$storage,
    0DTensorOf<[I64]>:$offset, Relay_IntegerTensor:$shape,
    Relay_DefaultFloat32:$dtype, OptionalAttr<ElementsAttr>:$const_shape,
    Relay_OptionalInts:$assert_shape);
  let results = (outs Res<Relay_Tensor, "", [MemAlloc]>:$result);
}

def Relay_MemoryKillOp : Relay_EffectOperator<"memory.kill", "Opaque"> {
  let summary = "Frees a tensor; the result is ()";
  let description = [{
    `to_free` is not used any more. In the interpreter, where values end with
    their last use, nothing happens.

    Example:

    ```mlir
    %0 = relay.memory.kill %x : (tensor<8x128xf32>) -> tuple<>
    ```
  }];
  let arguments = (ins Arg<Relay_AnyValue, "", [MemFree]>:$to_free);
  let results = (outs AnyTuple:$result);
}

//===----------------------------------------------------------------------===//
// The virtual machine
//===----------------------------------------------------------------------===//

def Relay_VmShapeOfOp : Relay_EffectOperator<"vm.shape_of", "Opaque", [Pure]> {
  let summary = "The sizes of a tensor, on the host";
  let description = [{
    A vector of `dtype`, int64 unless given, with one element per dimension.

    Example:

    ```mlir
    %0 = relay.vm.shape_of %x : (tensor<?x128xf32>) -> tensor<2xi64>
    ```
  }];
  let arguments = (ins Relay_Tensor:$tensor, Relay_OptionalDType:$dtype);
  let results = (outs Relay_Tensor:$result);
}

def Relay_VmReshapeTensorOp
    : Relay_EffectOperator<"vm.reshape_tensor", "Opaque", [Pure]> {
  let summary = "The same elements in another shape";
  let description = [{
    `shape` holds the sizes at run time, `newshape` those that are known; a
    negative one is not.

    Example:

    ```mlir
    %0 = relay.vm.reshape_tensor %x, %shape {newshape = [-1, 8, 16]}
        : (tensor<?x128xf32>, tensor<3xi64>) -> tensor<?x8x16xf32>
    ```
  }];
  let arguments = (ins Relay_Tensor:$data, Relay_IntegerTensor:$shape,
                       DenseI64ArrayAttr:$newshape);
  let results = (outs Relay_Tensor:$result);
}

def Relay_VmInvokeTvmOp
    : Relay_EffectOperator<"vm.invoke_tvm_op", "Opaque"> {
  let summary = "Runs a kernel on allocated tensors; the result is ()";
  let description = [{
    Calls `op`, a function from the fields of `ins`: its results are written to
    the tensors of `outs`, which are those of its type. `attrs` holds any
    attributes. The interpreter cannot run it: it runs programs before memory is
    allocated.

    Example:

    ```mlir
    %0 = relay.vm.invoke_tvm_op %f, %ins, %outs {attrs = {Primitive = 1 : i64}}
        : ((tensor<8xf32>) -> tensor<8xf32>, tuple<tensor<8xf32>>,
           tuple<tensor<8xf32>>)
        -> tuple<>
    ```
  }];
  let arguments = (ins FunctionType:$op, AnyTuple:$ins, AnyTuple:$outs,
                       DefaultValuedAttr<DictionaryAttr, "{}">:$attrs);
  let results = (outs AnyTuple:$result);
}

def Relay_VmShapeFuncOp
    : Relay_EffectOperator<"vm.shape_func", "Opaque"> {
  let summary = "Computes the shapes of a kernel's results; the result is ()";
  let description = [{
    Runs what computes the shapes of the results of `func`. There is a field of
    `inputs` for each tensor that `func` takes: that tensor where `is_input`
    says so, else its sizes in int64, in a vector, or a scalar for rank 0. Those
    of the results are written to the fields of `outputs`. The interpreter
    cannot run it: it runs programs before memory is allocated.

    Example:

    ```mlir
    %0 = relay.vm.shape_func %f, %ins, %outs {is_input = [0]}
        : ((tensor<?xf32>) -> tensor<?xf32>, tuple<tensor<1xi64>>,
           tuple<tensor<1xi64>>)
        -> tuple<>
    ```
  }];
  let arguments = (ins FunctionType:$func, AnyTuple:$inputs, AnyTuple:$outputs,
                       DenseI64ArrayAttr:$is_input);
  let results = (outs AnyTuple:$result);
}

#endif // RELAY_MLIR_DIALECT_RELAY_IR_RELAYMEMORYOPS_TD
