//===- RelayAnnotationOps.td - Annotations and markers -----*- tablegen -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_DIALECT_RELAY_IR_RELAYANNOTATIONOPS_TD
#define RELAY_MLIR_DIALECT_RELAY_IR_RELAYANNOTATIONOPS_TD

include "relay-mlir/Dialect/Relay/IR/RelayEffects.td"

//===----------------------------------------------------------------------===//
// Annotations
//===----------------------------------------------------------------------===//

class Relay_AnnotationOp<string name, string what, string more,
                         list<Trait> effects = [Pure]>
    : Relay_MarkerOperator<"annotation." # name, effects> {
  let summary = what;
  let description = more;
  let arguments = (ins Relay_AnyValue:$data);
}

def Relay_AnnotationStopFusionOp
    : Relay_AnnotationOp<"stop_fusion", "Keeps operators apart", [{
        Returns `data`. What is before and what is after are not fused.

        Example:

        ```mlir
        %0 = relay.annotation.stop_fusion %x
            : (tensor<8x128xf32>) -> tensor<8x128xf32>
        ```
      }]>;
def Relay_AnnotationCastHintOp
    : Relay_AnnotationOp<"cast_hint", "The element type to quantise to", [{
        Returns `data`. Tells quantisation to keep the value as `dtype`.

        Example:

        ```mlir
        %0 = relay.annotation.cast_hint %x {dtype = i8}
            : (tensor<8x128xf32>) -> tensor<8x128xf32>
        ```
      }]> {
  let arguments = (ins Relay_AnyValue:$data, TypeAttr:$dtype);
}
def Relay_AnnotationBitpackStartOp
    : Relay_AnnotationOp<"bitpack_start", "Where packed layouts begin", [{
        Returns `data`. The operators from here to annotation.bitpack_end are
        those that VTA runs.

        Example:

        ```mlir
        %0 = relay.annotation.bitpack_start %x
            : (tensor<1x64x56x56xi8>) -> tensor<1x64x56x56xi8>
        ```
      }]>;
def Relay_AnnotationBitpackEndOp
    : Relay_AnnotationOp<"bitpack_end", "Where packed layouts end", [{
        Returns `data`.

        Example:

        ```mlir
        %0 = relay.annotation.bitpack_end %x
            : (tensor<1x64x56x56xi8>) -> tensor<1x64x56x56xi8>
        ```
      }]>;
def Relay_AnnotationCheckpointOp
    : Relay_AnnotationOp<"checkpoint", "A value to keep for the gradient", [{
        Returns `data`. The gradient computes values between two such again,
        rather than keeping them.

        Example:

        ```mlir
        %0 = relay.annotation.checkpoint %x
            : (tensor<8x128xf32>) -> tensor<8x128xf32>
        ```
      }]>;
// Each stands on one use of a value: two of the same value are not equal, which
// the effect says.
def Relay_AnnotationCompilerBeginOp
    : Relay_AnnotationOp<"compiler_begin", "Enters another compiler's part", [{
        Returns `data`, on its way into a region for `compiler`.

        Example:

        ```mlir
        %0 = relay.annotation.compiler_begin %x {compiler = "dnnl"}
            : (tensor<8x128xf32>) -> tensor<8x128xf32>
        ```
      }], []> {
  let arguments = (ins Relay_AnyValue:$data, StrAttr:$compiler);
  let results = (outs Res<Relay_AnyValue, "", [MemAlloc]>:$result);
}
def Relay_AnnotationCompilerEndOp
    : Relay_AnnotationOp<"compiler_end", "Leaves another compiler's part", [{
        Returns `data`, on its way out of a region for `compiler`.

        Example:

        ```mlir
        %0 = relay.annotation.compiler_end %x {compiler = "dnnl"}
            : (tensor<8x128xf32>) -> tensor<8x128xf32>
        ```
      }], []> {
  let arguments = (ins Relay_AnyValue:$data, StrAttr:$compiler);
  let results = (outs Res<Relay_AnyValue, "", [MemAlloc]>:$result);
}
def Relay_AnnotationWithFuncidOp
    : Relay_MarkerOperator<"annotation.with_funcid"> {
  let summary = "A function with a number";
  let description = [{
    Returns `func`; partial evaluation knows it again by `fid`.

    Example:

    ```mlir
    %0 = relay.annotation.with_funcid %f {fid = 3}
        : ((tensor<8xf32>) -> tensor<8xf32>)
        -> ((tensor<8xf32>) -> tensor<8xf32>)
    ```
  }];
  let arguments = (ins Relay_FunctionValue:$func, Relay_DefaultInt<"-1">:$fid);
}

def Relay_RelayOpAnnotationSimulatedQuantizeOp
    : Relay_SameTypeOperator<"relay.op.annotation.simulated_quantize",
                             "ElemWise"> {
  let summary = "What quantisation makes of floats";
  let description = [{
    round(clip(data / dom_scale, clip_min, clip_max)) * dom_scale, in the type
    of `data`. `kind` is 1 for an input, 2 for a weight and 3 for an activation;
    for 0, identity, the result is `data`. `rounding` must be round: halves go
    away from zero.

    Example:

    ```mlir
    %0 = relay.relay.op.annotation.simulated_quantize %x, %s, %lo, %hi
        {kind = 2}
        : (tensor<8x128xf32>, tensor<f32>, tensor<f32>, tensor<f32>)
        -> tensor<8x128xf32>
    ```
  }];
  let arguments = (ins Relay_FloatTensor:$data, 0DTensorOf<[F32]>:$dom_scale,
    0DTensorOf<[F32]>:$clip_min, 0DTensorOf<[F32]>:$clip_max,
    Relay_IntAttr:$kind, Relay_DefaultBool<"true">:$sign,
    Relay_DefaultStr<"round">:$rounding);
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Devices
//===----------------------------------------------------------------------===//

/// A device: a dictionary with any of device_type and virtual_device_id
/// (integers), target and memory_scope (strings). What is missing is free.
def Relay_OptionalVirtualDevice : OptionalAttr<DictionaryAttr>;

def Relay_OnDeviceOp : Relay_MarkerOperator<"on_device"> {
  let summary = "Where a value is computed or stored";
  let description = [{
    Returns `body`. `constrain_body` says that it is computed on the device,
    `constrain_result` that the result is there. `virtual_device` is a
    dictionary with any of device_type and virtual_device_id (integers), target
    and memory_scope (strings); without it the device is free.

    Example:

    ```mlir
    %0 = relay.on_device %x
        {virtual_device = {device_type = 1 : i64}, constrain_result = true}
        : (tensor<8x128xf32>) -> tensor<8x128xf32>
    ```
  }];
  let arguments = (ins Relay_AnyValue:$body,
    Relay_OptionalVirtualDevice:$virtual_device,
    Relay_DefaultBool<"false">:$constrain_result,
    Relay_DefaultBool<"true">:$constrain_body);
  let hasVerifier = 1;
}

def Relay_DeviceCopyOp : Relay_MarkerOperator<"device_copy"> {
  let summary = "Copies a value from one device to another";
  let description = [{
    Returns `data`. Devices are written as those of on_device.

    Example:

    ```mlir
    %0 = relay.device_copy %x
        {src_virtual_device = {device_type = 1 : i64},
         dst_virtual_device = {device_type = 2 : i64}}
        : (tensor<8x128xf32>) -> tensor<8x128xf32>
    ```
  }];
  let arguments = (ins Relay_AnyValue:$data,
    Relay_OptionalVirtualDevice:$src_virtual_device,
    Relay_OptionalVirtualDevice:$dst_virtual_device);
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Debugging, calls of other systems
//===----------------------------------------------------------------------===//

def Relay_DebugOp
    : Relay_MarkerOperator<"debug", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "A place to stop at";
  let description = [{
    Returns `program`, after a call with it of the function `debug_func`, if one
    of that name is there (Interpreter/AddedOperators.h). It is never removed.

    Example:

    ```mlir
    %0 = relay.debug %x {debug_func = "stop"}
        : (tensor<8x128xf32>) -> tensor<8x128xf32>
    ```
  }];
  let arguments = (ins Relay_AnyValue:$program, StrAttr:$debug_func);
}

def Relay_CallLoweredOp : Relay_EffectOperator<"call_lowered", "Opaque"> {
  let summary = "Calls a function that is lowered already";
  let description = [{
    Calls `func` with the fields of the tuple `call_args`; the result is the
    function's. `metadata` tells how it was lowered. The call may have any
    effect, and need not return. The interpreter cannot run it: it calls
    functions of Relay by relay.call and relay.call_indirect.

    Example:

    ```mlir
    %0 = relay.call_lowered %f, %args {metadata = {kind = "te"}}
        : ((tensor<8xf32>) -> tensor<8xf32>, tuple<tensor<8xf32>>)
        -> tensor<8xf32>
    ```
  }];
  let arguments = (ins FunctionType:$func, AnyTuple:$call_args,
                       DefaultValuedAttr<DictionaryAttr, "{}">:$metadata);
}

def Relay_ParserMetaRefOp : Relay_EffectOperator<"parser.MetaRef", "Opaque"> {
  let summary = "A reference into the metadata of a text";
  let description = [{
    Stands for meta[node_type_key][node_index] until it is replaced by what is
    there. Its type is not known.

    Example:

    ```mlir
    %0 = relay.parser.MetaRef {node_type_key = "relay.Constant", node_index = 0}
        : () -> !relay.incomplete
    ```
  }];
  let arguments = (ins StrAttr:$node_type_key, Relay_IntAttr:$node_index);
}

def Relay_TorchOp : Op<Relay_Dialect, "torch_op", [
    DeclareOpInterfaceMethods<FusionPatternOpInterface>]> {
  let summary = "Calls a function of TorchScript";
  let description = [{
    `serialized_function` holds the function, `len` its length, or -1. Only
    libtorch knows the type of its result, which must therefore be given, and
    can run it. The call may have any effect.

    Example:

    ```mlir
    %0 = relay.torch_op %x {serialized_function = "UEsDBAAA", len = 8}
        : (tensor<8x128xf32>) -> tensor<8x64xf32>
    ```
  }];
  let arguments = (ins Relay_Positional<Relay_AnyValue>:$args,
    Relay_DefaultStr<"">:$serialized_function, Relay_DefaultInt<"-1">:$len);
  let results = (outs Relay_AnyValue:$result);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}

#endif // RELAY_MLIR_DIALECT_RELAY_IR_RELAYANNOTATIONOPS_TD
