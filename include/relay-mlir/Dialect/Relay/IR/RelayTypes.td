//===- RelayTypes.td - Types of the language ---------------*- tablegen -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_DIALECT_RELAY_IR_RELAYTYPES_TD
#define RELAY_MLIR_DIALECT_RELAY_IR_RELAYTYPES_TD

include "mlir/IR/AttrTypeBase.td"
include "relay-mlir/Dialect/Relay/IR/RelayBase.td"

class Relay_Type<string name, string typeMnemonic>
    : TypeDef<Relay_Dialect, name> {
  let mnemonic = typeMnemonic;
}

def Relay_IncompleteType : Relay_Type<"Incomplete", "incomplete"> {
  let summary = "A type that is still to be inferred";
  let description = [{
    Exists between an importer and type inference only. Each occurrence stands
    for an unknown of its own: two values of type `!relay.incomplete`, or two
    occurrences inside of one type, need not have the same type in the end.
  }];
}

def Relay_TypeVarType : Relay_Type<"TypeVar", "typevar"> {
  let summary = "A type parameter of the enclosing function or data type";
  let description = [{
    ```mlir
    !relay.typevar<"A">
    ```
    The name refers to the innermost function, closure, data type or `forall`
    that declares it.
  }];
  let parameters = (ins StringRefParameter<"name">:$name);
  let assemblyFormat = "`<` $name `>`";
}

def Relay_RefType : Relay_Type<"Ref", "ref"> {
  let summary = "A mutable cell";
  let description = [{
    ```mlir
    !relay.ref<tensor<f32>>
    ```
  }];
  let parameters = (ins "::mlir::Type":$contentType);
  let assemblyFormat = "`<` $contentType `>`";
  let builders = [TypeBuilderWithInferredContext<(ins
      "::mlir::Type":$contentType), [{
    return $_get(contentType.getContext(), contentType);
  }]>];
}

def Relay_ADTType : Relay_Type<"ADT", "adt"> {
  let summary = "An algebraic data type";
  let description = [{
    The name of a `relay.adt`, and a type for each of its parameters.

    ```mlir
    !relay.adt<@nat>
    !relay.adt<@List, [tensor<i32>]>
    ```
  }];
  let parameters = (ins "::mlir::FlatSymbolRefAttr":$name,
                        OptionalArrayRefParameter<"::mlir::Type">:$args);
  let assemblyFormat = "`<` $name (`,` `[` $args^ `]`)? `>`";
  let builders = [TypeBuilderWithInferredContext<(ins
      "::mlir::FlatSymbolRefAttr":$name,
      CArg<"::llvm::ArrayRef<::mlir::Type>", "{}">:$args), [{
    return $_get(name.getContext(), name, args);
  }]>];
}

def Relay_ForallType : Relay_Type<"Forall", "forall"> {
  let summary = "A polymorphic function type";
  let description = [{
    The type of a function with type parameters. Each call chooses types for
    them.

    ```mlir
    !relay.forall<["A"], (!relay.typevar<"A">) -> !relay.typevar<"A">>
    ```
  }];
  let parameters = (ins ArrayRefParameter<"::mlir::StringAttr">:$params,
                        "::mlir::FunctionType":$body);
  let assemblyFormat = "`<` `[` $params `]` `,` $body `>`";
  let builders = [TypeBuilderWithInferredContext<(ins
      "::llvm::ArrayRef<::mlir::StringAttr>":$params,
      "::mlir::FunctionType":$body), [{
    return $_get(body.getContext(), params, body);
  }]>];
  let genVerifyDecl = 1;
}

//===----------------------------------------------------------------------===//
// Patterns
//===----------------------------------------------------------------------===//

class Relay_Pattern<string name, string patternMnemonic>
    : AttrDef<Relay_Dialect, name> {
  let mnemonic = patternMnemonic;
}

def Relay_WildcardPatternAttr
    : Relay_Pattern<"WildcardPattern", "wildcard_pattern"> {
  let summary = "Matches anything";
}

def Relay_VarPatternAttr : Relay_Pattern<"VarPattern", "var_pattern"> {
  let summary = "Matches anything, and binds it to a variable";
  let description = [{
    The n-th such pattern of a case, from left to right, binds the n-th argument
    of the case's region. The name is only for readers.
  }];
  let parameters = (ins "::mlir::StringAttr":$name);
  let assemblyFormat = "`<` $name `>`";
}

def Relay_ConstructorPatternAttr
    : Relay_Pattern<"ConstructorPattern", "constructor_pattern"> {
  let summary = "Matches what a constructor made, field by field";
  let parameters = (ins "::mlir::SymbolRefAttr":$constructor,
                        OptionalArrayRefParameter<"::mlir::Attribute">:$fields);
  let assemblyFormat = "`<` $constructor (`,` `[` $fields^ `]`)? `>`";
}

def Relay_TuplePatternAttr : Relay_Pattern<"TuplePattern", "tuple_pattern"> {
  let summary = "Matches a tuple, field by field";
  let parameters = (ins OptionalArrayRefParameter<"::mlir::Attribute">:$fields);
  let assemblyFormat = "`<` (`[` $fields^ `]`)? `>`";
}

//===----------------------------------------------------------------------===//
// Constraints
//===----------------------------------------------------------------------===//

/// What a value of the language may be.
def Relay_AnyValue : AnyTypeOf<[
    Relay_Tensor, AnyTuple, FunctionType, Relay_ForallType, Relay_RefType,
    Relay_ADTType, Relay_TypeVarType, Relay_IncompleteType]>;
def Relay_FunctionValue : AnyTypeOf<[
    FunctionType, Relay_ForallType, Relay_IncompleteType]>;
def Relay_TupleValue : AnyTypeOf<[AnyTuple, Relay_IncompleteType]>;
def Relay_Condition : AnyTypeOf<[0DTensorOf<[I1]>, Relay_IncompleteType]>;
def Relay_Reference : AnyTypeOf<[Relay_RefType, Relay_IncompleteType]>;
def Relay_DataValue : AnyTypeOf<[Relay_ADTType, Relay_IncompleteType]>;

#endif // RELAY_MLIR_DIALECT_RELAY_IR_RELAYTYPES_TD
