//===- RelaxObjects.td - Objects, closures, control --------*- tablegen -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What programs consist of between their functions of tensors: the part that
// becomes bytecode. All its values are objects, whatever their type in relay,
// so a polymorphic function is one function.
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_DIALECT_RELAX_IR_RELAXOBJECTS_TD
#define RELAY_MLIR_DIALECT_RELAX_IR_RELAXOBJECTS_TD

include "mlir/IR/BuiltinAttributeInterfaces.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "relay-mlir/Dialect/Relax/IR/RelaxBase.td"

class Relax_FunctionalOp<string mnemonic, list<Trait> traits = []>
    : Op<Relax_Dialect, mnemonic, traits>;

/// What leaves a branch: an object, or whether something holds.
def Relax_BranchValue : AnyTypeOf<[Relax_ObjectType, I1]>;

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

def Relax_CallOp : Relax_FunctionalOp<"call", [
    DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "Calls a function";
  let description = [{
    Calls a function of objects, or a function of tensors, which takes and
    returns objects here: its result is a tensor, or a tuple of tensors if
    there are several or none. The call may have any effect, and need not
    return.

    Example:

    ```mlir
    relax.func @twice(%x: !relax.object) -> !relax.object {
      %0 = relax.call @twice(%x)
      relax.return %0 : !relax.object
    }
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$callee,
                       Variadic<Relax_ObjectType>:$args);
  let results = (outs Relax_ObjectType:$result);
  let assemblyFormat = "$callee `(` $args `)` attr-dict";
}

def Relax_MakeClosureOp : Relax_FunctionalOp<"make_closure", [
    Pure, DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "Makes a closure of a function";
  let description = [{
    The closure has values for the first parameters of the function of objects;
    a call gives the others.

    Example:

    ```mlir
    relax.func private @add(%x: !relax.object, %y: !relax.object)
        -> !relax.object {
      relax.return %y : !relax.object
    }

    %f = relax.make_closure @add(%x)
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$callee,
                       Variadic<Relax_ObjectType>:$captured);
  let results = (outs Relax_ObjectType:$result);
  let assemblyFormat = "$callee `(` $captured `)` attr-dict";
}

def Relax_InvokeClosureOp : Relax_FunctionalOp<"invoke_closure"> {
  let summary = "Calls a closure";
  let description = [{
    The call may have any effect, and need not return.

    Example:

    ```mlir
    %y = relax.invoke_closure %f(%x)
    ```
  }];
  let arguments = (ins Relax_ObjectType:$closure,
                       Variadic<Relax_ObjectType>:$args);
  let results = (outs Relax_ObjectType:$result);
  let assemblyFormat = "$closure `(` $args `)` attr-dict";
}

def Relax_CallPackedOp : Relax_FunctionalOp<"call_packed"> {
  let summary = "Calls a function of the process on objects";
  let description = [{
    Calls the packed function that the process which runs the program has
    registered under that name (`relayRegisterFunction`, in Python
    `relay_mlir.register_func`). The call may have any effect, and need not
    return. Source: `call_packed` of TVM's Relax.

    Example:

    ```mlir
    %y = relax.call_packed "my.lookup"(%x)
    ```
  }];
  let arguments = (ins StrAttr:$function, Variadic<Relax_ObjectType>:$args);
  let results = (outs Relax_ObjectType:$result);
  let assemblyFormat = "$function ` ` `(` $args `)` attr-dict";
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Control
//===----------------------------------------------------------------------===//

def Relax_IfOp : Relax_FunctionalOp<"if", [
    SingleBlock, NoRegionArguments, RecursiveMemoryEffects]> {
  let summary = "One of two values";
  let description = [{
    Evaluates one region only.

    Example:

    ```mlir
    %0 = relax.if %c -> !relax.object {
      relax.yield %x : !relax.object
    } else {
      relax.yield %y : !relax.object
    }
    ```
  }];
  let arguments = (ins I1:$condition);
  let results = (outs Relax_BranchValue:$result);
  let regions = (region SizedRegion<1>:$thenRegion, SizedRegion<1>:$elseRegion);
  let assemblyFormat = [{
    $condition `->` type($result) attr-dict-with-keyword $thenRegion `else`
    $elseRegion
  }];
}

def Relax_YieldOp : Relax_FunctionalOp<"yield", [
    Pure, Terminator, ReturnLike, HasParent<"IfOp">]> {
  let summary = "The value of a branch";
  let description = [{
    Example:

    ```mlir
    %0 = relax.if %c -> !relax.object {
      relax.yield %x : !relax.object
    } else {
      relax.yield %y : !relax.object
    }
    ```
  }];
  let arguments = (ins Relax_BranchValue:$value);
  let assemblyFormat = "$value attr-dict `:` type($value)";
  let hasVerifier = 1;
}

def Relax_ReadConditionOp : Relax_FunctionalOp<"read_condition"> {
  let summary = "Whether a scalar of bool is true";
  let description = [{
    An error at run time if the object is no such tensor.

    Example:

    ```mlir
    %c = relax.read_condition %x
    ```
  }];
  let arguments = (ins Relax_ObjectType:$tensor);
  let results = (outs I1:$result);
  let assemblyFormat = "$tensor attr-dict";
}

def Relax_TruthOp : Relax_FunctionalOp<"truth", [Pure]> {
  let summary = "Whether something holds that is known";
  let description = [{
    Example:

    ```mlir
    %no = relax.truth false
    ```
  }];
  let arguments = (ins BoolAttr:$value);
  let results = (outs I1:$result);
  let assemblyFormat = "$value attr-dict";
}

def Relax_FatalOp : Relax_FunctionalOp<"fatal"> {
  let summary = "Ends the program with an error";
  let description = [{
    What `value` is, is a part of the message. The result is for whoever would
    come after; there is none.

    Example:

    ```mlir
    %0 = relax.fatal %x
    ```
  }];
  let arguments = (ins Relax_ObjectType:$value);
  let results = (outs Relax_ObjectType:$result);
  let assemblyFormat = "$value attr-dict";
}

def Relax_DebugOp : Relax_FunctionalOp<"debug"> {
  let summary = "Shows a value to a function of the program that runs";
  let description = [{
    Calls the function that was registered under that name
    (`relaySetDebugFunction`); without one, nothing happens.

    Example:

    ```mlir
    relax.debug "stop"(%x)
    ```
  }];
  let arguments = (ins StrAttr:$function, Relax_ObjectType:$value);
  let assemblyFormat = "$function ` ` `(` $value `)` attr-dict";
}

//===----------------------------------------------------------------------===//
// Data
//===----------------------------------------------------------------------===//

def Relax_LoadConstantOp : Relax_FunctionalOp<"load_constant", [Pure]> {
  let summary = "A tensor that is known at compile time, as an object";
  let description = [{
    Its elements are numbers.

    Example:

    ```mlir
    %0 = relax.load_constant dense<1.0> : tensor<16xf32>
    ```
  }];
  let arguments = (ins ElementsAttr:$value);
  let results = (outs Relax_ObjectType:$result);
  let assemblyFormat = "attr-dict $value";
  let hasVerifier = 1;
}

def Relax_MakeTupleOp : Relax_FunctionalOp<"make_tuple", [Pure]> {
  let summary = "Makes a tuple of objects";
  let description = [{
    Example:

    ```mlir
    %t = relax.make_tuple(%x, %y)
    ```
  }];
  let arguments = (ins Variadic<Relax_ObjectType>:$fields);
  let results = (outs Relax_ObjectType:$result);
  let assemblyFormat = "`(` $fields `)` attr-dict";
}

def Relax_MakeDataOp : Relax_FunctionalOp<"make_data", [Pure]> {
  let summary = "Makes a value of a data type";
  let description = [{
    Example:

    ```mlir
    %l = relax.make_data #relax.constructor<"List", "Cons", 0, 2> (%x, %rest)
    ```
  }];
  let arguments = (ins Relax_ConstructorAttr:$constructor,
                       Variadic<Relax_ObjectType>:$fields);
  let results = (outs Relax_ObjectType:$result);
  let assemblyFormat = "qualified($constructor) ` ` `(` $fields `)` attr-dict";
  let hasVerifier = 1;
}

def Relax_HasConstructorOp : Relax_FunctionalOp<"has_constructor"> {
  let summary = "Whether a constructor made a value";
  let description = [{
    An error at run time if the object is no value of a data type.

    Example:

    ```mlir
    %c = relax.has_constructor #relax.constructor<"List", "Cons", 0, 2> of %l
    ```
  }];
  let arguments = (ins Relax_ObjectType:$data,
                       Relax_ConstructorAttr:$constructor);
  let results = (outs I1:$result);
  let assemblyFormat = "qualified($constructor) `of` $data attr-dict";
}

def Relax_GetFieldOp : Relax_FunctionalOp<"get_field"> {
  let summary = "A field of a tuple or of a value of a data type";
  let description = [{
    An error at run time if there is no such field.

    Example:

    ```mlir
    %x = relax.get_field %t[1]
    ```
  }];
  let arguments = (ins Relax_ObjectType:$object, I64Attr:$index);
  let results = (outs Relax_ObjectType:$result);
  let assemblyFormat = "$object `` `[` $index `]` attr-dict";
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// References
//===----------------------------------------------------------------------===//

def Relax_MakeRefOp : Relax_FunctionalOp<"make_ref"> {
  let summary = "Makes a mutable cell";
  let description = [{
    Example:

    ```mlir
    %r = relax.make_ref %x
    ```
  }];
  let arguments = (ins Relax_ObjectType:$value);
  let results = (outs Res<Relax_ObjectType, "", [MemAlloc]>:$result);
  let assemblyFormat = "$value attr-dict";
}

def Relax_ReadRefOp : Relax_FunctionalOp<"read_ref"> {
  let summary = "The contents of a cell";
  let description = [{
    Example:

    ```mlir
    %x = relax.read_ref %r
    ```
  }];
  let arguments = (ins Arg<Relax_ObjectType, "", [MemRead]>:$ref);
  let results = (outs Relax_ObjectType:$result);
  let assemblyFormat = "$ref attr-dict";
}

def Relax_WriteRefOp : Relax_FunctionalOp<"write_ref"> {
  let summary = "Replaces the contents of a cell";
  let description = [{
    Example:

    ```mlir
    relax.write_ref %r, %x
    ```
  }];
  let arguments = (ins Arg<Relax_ObjectType, "", [MemWrite]>:$ref,
                       Relax_ObjectType:$value);
  let assemblyFormat = "$ref `,` $value attr-dict";
}

#endif // RELAY_MLIR_DIALECT_RELAX_IR_RELAXOBJECTS_TD
