//===- RelayLanguageOps.td - Functions, data types and control *- tablegen -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_DIALECT_RELAY_IR_RELAYLANGUAGEOPS_TD
#define RELAY_MLIR_DIALECT_RELAY_IR_RELAYLANGUAGEOPS_TD

include "mlir/Interfaces/CallInterfaces.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/IR/OpAsmInterface.td"
include "mlir/IR/RegionKindInterface.td"
include "mlir/IR/SymbolInterfaces.td"
include "relay-mlir/Dialect/Relay/IR/RelayTypes.td"

class Relay_LanguageOp<string mnemonic, list<Trait> traits = []>
    : Op<Relay_Dialect, mnemonic, traits>;

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

def Relay_FnOp : Relay_LanguageOp<"fn", [
    Pure, SingleBlockImplicitTerminator<"YieldOp">,
    DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmBlockArgumentNames"]>]> {
  let summary = "Makes a closure";
  let description = [{
    The region may use values from outside; it runs when the closure is called,
    not here. A closure that calls itself declares a name for itself before its
    parameters: the first block argument, of the closure's own type.

    ```mlir
    %f = relay.fn (%x: tensor<f32> {relay.name = "x"}) -> tensor<f32> {
      %0 = relay.add %x, %captured : (tensor<f32>, tensor<f32>) -> tensor<f32>
      relay.yield %0 : tensor<f32>
    }
    %loop = relay.fn rec %self (%i: tensor<i32>) -> tensor<i32> {
      %more = relay.greater %i, %zero : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %0 = relay.if %more : tensor<i1> -> tensor<i32> {
        %1 = relay.subtract %i, %one : (tensor<i32>, tensor<i32>) -> tensor<i32>
        %2 = relay.call_indirect %self(%1) : (tensor<i32>) -> tensor<i32>
        relay.yield %2 : tensor<i32>
      } else {
        relay.yield %i : tensor<i32>
      }
      relay.yield %0 : tensor<i32>
    }
    %id = relay.fn ["A"] (%x: !relay.typevar<"A">) -> !relay.typevar<"A"> {
      relay.yield %x : !relay.typevar<"A">
    }
    ```

    The result is a builtin function type, or a `!relay.forall` if there are
    type parameters. Names of parameters are the argument attribute
    `relay.name`. Attributes of the function follow the keyword `attributes`.
  }];
  let arguments = (ins OptionalAttr<StrArrayAttr>:$type_params,
                       UnitAttr:$recursive,
                       OptionalAttr<DictArrayAttr>:$arg_attrs);
  let results = (outs Relay_FunctionValue:$result);
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let builders = [
    /// Makes the block with its arguments; the caller fills it.
    OpBuilder<(ins "::mlir::FunctionType":$type,
                   CArg<"bool", "false">:$recursive,
                   CArg<"::llvm::ArrayRef<::mlir::StringAttr>",
                        "{}">:$typeParams)>
  ];
  let extraClassDeclaration = [{
    /// The function's type without the quantifier.
    ::mlir::FunctionType getFunctionType();
    /// The closure itself inside of its body; null unless recursive.
    ::mlir::Value getSelf();
    /// Block arguments without the closure itself.
    ::llvm::MutableArrayRef<::mlir::BlockArgument> getParams();
    /// The name of a parameter, or null.
    ::mlir::StringAttr getParamName(unsigned index);
  }];
}

def Relay_YieldOp : Relay_LanguageOp<"yield", [
    Pure, Terminator, ReturnLike,
    ParentOneOf<["FnOp", "IfOp", "MatchOp"]>]> {
  let summary = "The value of a closure's body, a branch or a case";
  let description = [{
    Example:

    ```mlir
    %abs = relay.fn (%x: tensor<f32>) -> tensor<f32> {
      %0 = relay.abs %x : (tensor<f32>) -> tensor<f32>
      relay.yield %0 : tensor<f32>
    }
    ```
  }];
  let arguments = (ins Variadic<Relay_AnyValue>:$values);
  let assemblyFormat = "attr-dict ($values^ `:` type($values))?";
  let hasVerifier = 1;
  let builders = [OpBuilder<(ins), [{ /* for the implicit terminator */ }]>];
  let extraClassDeclaration = [{
    ::mlir::Value getValue() { return getOperand(0); }
  }];
}

def Relay_CallIndirectOp : Relay_LanguageOp<"call_indirect", [
    DeclareOpInterfaceMethods<CallOpInterface>]> {
  let summary = "Calls a closure";
  let description = [{
    The call may have any effect, and need not return.

    ```mlir
    %0 = relay.call_indirect %f(%x) : (tensor<f32>) -> tensor<f32>
    ```

    A callee whose type is not exactly that of the call, because it is
    polymorphic, knows other sizes or is not inferred yet, shows it:

    ```mlir
    %1 = relay.call_indirect %id(%x)
        : !relay.forall<["A"], (!relay.typevar<"A">) -> !relay.typevar<"A">>
        as (tensor<f32>) -> tensor<f32>
    ```
  }];
  let arguments = (ins Relay_FunctionValue:$callee,
                       Variadic<Relay_AnyValue>:$args,
                       OptionalAttr<DictArrayAttr>:$arg_attrs,
                       OptionalAttr<DictArrayAttr>:$res_attrs);
  let results = (outs Relay_AnyValue:$result);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}

def Relay_GlobalOp : Relay_LanguageOp<"global", [
    Pure, DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "A function of the module, or a constructor, as a value";
  let description = [{
    ```mlir
    func.func private @main(tensor<f32>) -> tensor<f32>
    relay.adt @Option["A"] {
      relay.constructor @Some(!relay.typevar<"A">)
      relay.constructor @None
    }

    %f = relay.global @main : (tensor<f32>) -> tensor<f32>
    %c = relay.global @Option::@Some
        : !relay.forall<["A"], (!relay.typevar<"A">)
                               -> !relay.adt<@Option, [!relay.typevar<"A">]>>
    ```
    The type is that of the symbol, polymorphic where that is, or an instance
    of it.
  }];
  let arguments = (ins SymbolRefAttr:$symbol);
  let results = (outs Relay_FunctionValue:$result);
  let assemblyFormat = "$symbol attr-dict `:` type($result)";
}

def Relay_ApplyOp : Relay_LanguageOp<"apply"> {
  let summary = "Applies an operator whose types are still to be inferred";
  let description = [{
    Importers make it when the type of an operand is not known. Type inference
    replaces it by the operator of that name, unless a program has added that.

    ```mlir
    %0 = relay.apply "nn.dense"(%x, %w) {units = 10 : i64}
        : (tensor<1x8xf32>, !relay.incomplete) -> !relay.incomplete
    ```

    The attributes are those of the operator, those with a default may be
    missing.
  }];
  let arguments = (ins StrAttr:$name, Variadic<Relay_AnyValue>:$args,
                       DefaultValuedAttr<DictionaryAttr, "{}">:$attrs);
  let results = (outs Relay_AnyValue:$result);
  let assemblyFormat = [{
    $name `(` $args `)` ($attrs^)? attr-dict
        `:` functional-type($args, $result)
  }];
}

//===----------------------------------------------------------------------===//
// Bindings and control
//===----------------------------------------------------------------------===//

def Relay_LetOp : Relay_LanguageOp<"let", [
    Pure, AllTypesMatch<["value", "result"]>]> {
  let summary = "Binds a value to a variable";
  let description = [{
    The variable is the value; the operation keeps its name, and in which order
    a program in A-normal form binds what.

    ```mlir
    %x = relay.let "x" %0 : tensor<f32>
    ```
  }];
  let arguments = (ins StrAttr:$name, Relay_AnyValue:$value);
  let results = (outs Relay_AnyValue:$result);
  let assemblyFormat = "$name $value attr-dict `:` type($value)";
  let hasFolder = 1;
  let extraClassDeclaration = [{
    /// Suggests the variable's name for the result.
    static ::llvm::StringRef getDefaultDialect() { return ""; }
  }];
}

def Relay_AscribeOp : Relay_LanguageOp<"ascribe", [
    DeclareOpInterfaceMethods<ConditionallySpeculatable>,
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>,
    DeclareOpInterfaceMethods<FusionPatternOpInterface>]> {
  let summary = "A value, with the type that a program declares";
  let description = [{
    The value as it is. Its type is what the annotation of a variable or of a
    function's result says, which may know fewer sizes, other sizes, or be an
    instance of a polymorphic type.

    ```mlir
    %1 = relay.ascribe %0 : tensor<4xf32> as tensor<?xf32>
    %2 = relay.ascribe %f
        : !relay.forall<["A"], (!relay.typevar<"A">) -> !relay.typevar<"A">>
        as (tensor<f32>) -> tensor<f32>
    ```

    Sizes that only the declared type knows are checked at run time, which is
    an effect: the operation stays when nothing uses its result. Type
    inference never changes a declared type, but for its incomplete parts; it
    removes the operation where both types are the same. The location is that
    of the annotation.
  }];
  let arguments = (ins Relay_AnyValue:$value);
  let results = (outs Relay_AnyValue:$result);
  let assemblyFormat = [{
    $value attr-dict `:` type($value) `as` type($result)
  }];
  let hasFolder = 1;
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// Whether the declared type says something that the value's does not, so
    /// that it is to be checked at run time.
    bool isChecked();
  }];
}

def Relay_IfOp : Relay_LanguageOp<"if", [
    SingleBlockImplicitTerminator<"YieldOp">, RecursiveMemoryEffects]> {
  let summary = "One of two values";
  let description = [{
    Evaluates one region only. The condition is a bool scalar.

    ```mlir
    %0 = relay.if %c : tensor<i1> -> tensor<f32> {
      relay.yield %x : tensor<f32>
    } else {
      relay.yield %y : tensor<f32>
    }
    ```
  }];
  let arguments = (ins Relay_Condition:$condition);
  let results = (outs Relay_AnyValue:$result);
  let regions = (region SizedRegion<1>:$thenRegion, SizedRegion<1>:$elseRegion);
  let assemblyFormat = [{
    $condition `:` type($condition) `->` type($result) attr-dict-with-keyword
    $thenRegion `else` $elseRegion
  }];
  let hasVerifier = 1;
}

def Relay_MatchOp : Relay_LanguageOp<"match", [
    SingleBlockImplicitTerminator<"YieldOp">,
    DeclareOpInterfaceMethods<SymbolUserOpInterface>,
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>,
    RecursiveMemoryEffects]> {
  let summary = "The first case whose pattern matches";
  let description = [{
    Patterns are tried in order: `_`, a variable, a constructor with a pattern
    for each field, or a tuple of patterns. Variables are arguments of the
    case's region, from left to right.

    ```mlir
    relay.adt @List["A"] {
      relay.constructor @Cons(!relay.typevar<"A">,
                              !relay.adt<@List, [!relay.typevar<"A">]>)
      relay.constructor @Nil
    }

    %0 = relay.match %list : !relay.adt<@List, [tensor<i32>]> -> tensor<i32> {
    case @List::@Cons("x" %x: tensor<i32>, _) {
      relay.yield %x : tensor<i32>
    }
    case @List::@Nil {
      relay.yield %zero : tensor<i32>
    }
    }
    ```

    The cases must cover every value, unless the match is `partial`; then it is
    an error at run time if none matches.
  }];
  let arguments = (ins Relay_AnyValue:$value, ArrayAttr:$patterns,
                       UnitAttr:$partial);
  let results = (outs Relay_AnyValue:$result);
  let regions = (region VariadicRegion<SizedRegion<1>>:$cases);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// References
//===----------------------------------------------------------------------===//

def Relay_RefCreateOp : Relay_LanguageOp<"ref_create"> {
  let summary = "Makes a mutable cell";
  let description = [{
    ```mlir
    %r = relay.ref_create %x : (tensor<f32>) -> !relay.ref<tensor<f32>>
    ```
  }];
  let arguments = (ins Relay_AnyValue:$value);
  let results = (outs Res<Relay_Reference, "", [MemAlloc]>:$result);
  let assemblyFormat = "$value attr-dict `:` functional-type($value, $result)";
  let hasVerifier = 1;
}

def Relay_RefReadOp : Relay_LanguageOp<"ref_read"> {
  let summary = "The contents of a cell";
  let description = [{
    ```mlir
    %x = relay.ref_read %r : (!relay.ref<tensor<f32>>) -> tensor<f32>
    ```
  }];
  let arguments = (ins Arg<Relay_Reference, "", [MemRead]>:$ref);
  let results = (outs Relay_AnyValue:$result);
  let assemblyFormat = "$ref attr-dict `:` functional-type($ref, $result)";
  let hasVerifier = 1;
}

def Relay_RefWriteOp : Relay_LanguageOp<"ref_write"> {
  let summary = "Replaces the contents of a cell; the result is ()";
  let description = [{
    ```mlir
    %u = relay.ref_write %r, %x
        : (!relay.ref<tensor<f32>>, tensor<f32>) -> tuple<>
    ```
  }];
  let arguments = (ins Arg<Relay_Reference, "", [MemWrite]>:$ref,
                       Relay_AnyValue:$value);
  let results = (outs Relay_AnyValue:$result);
  let assemblyFormat = [{
    $ref `,` $value attr-dict `:` functional-type(operands, $result)
  }];
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Data types
//===----------------------------------------------------------------------===//

def Relay_ADTOp : Relay_LanguageOp<"adt", [
    Symbol, SymbolTable, NoTerminator, SingleBlock, IsolatedFromAbove,
    HasOnlyGraphRegion]> {
  let summary = "Defines an algebraic data type";
  let description = [{
    ```mlir
    relay.adt @List["A"] {
      relay.constructor @Cons(!relay.typevar<"A">,
                              !relay.adt<@List, [!relay.typevar<"A">]>)
      relay.constructor @Nil
    }
    relay.adt extern @Storage
    ```
    The order of constructors counts: it is that of their tags. The names of
    constructors are unique in a module.
  }];
  let arguments = (ins SymbolNameAttr:$sym_name,
                       OptionalAttr<StrArrayAttr>:$type_params,
                       UnitAttr:$isExtern);
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    std::vector<ConstructorOp> getConstructors();
    /// The type whose arguments are the parameters themselves.
    ADTType getType();
    static ::llvm::StringRef getDefaultDialect() { return "relay"; }
  }];
  let builders = [OpBuilder<(ins "::llvm::StringRef":$name,
                                 CArg<"::llvm::ArrayRef<::mlir::StringAttr>",
                                      "{}">:$typeParams,
                                 CArg<"bool", "false">:$isExtern)>];
  let skipDefaultBuilders = 1;
}

def Relay_ConstructorOp : Relay_LanguageOp<"constructor", [
    Symbol, HasParent<"ADTOp">]> {
  let summary = "A constructor of a data type";
  let description = [{
    Takes the types of its fields.

    Example:

    ```mlir
    relay.adt @Option["A"] {
      relay.constructor @Some(!relay.typevar<"A">)
      relay.constructor @None
    }
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name,
                       DefaultValuedAttr<TypeArrayAttr, "{}">:$fields);
  let hasCustomAssemblyFormat = 1;
  let extraClassDeclaration = [{
    ADTOp getADT();
    /// Its place among the constructors of the type.
    unsigned getIndex();
    /// (fields) -> type, quantified over the type's parameters.
    ::mlir::Type getValueType();
  }];
}

def Relay_ConstructOp : Relay_LanguageOp<"construct", [
    Pure, DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "Makes a value of a data type";
  let description = [{
    ```mlir
    relay.adt @List["A"] {
      relay.constructor @Cons(!relay.typevar<"A">,
                              !relay.adt<@List, [!relay.typevar<"A">]>)
      relay.constructor @Nil
    }

    %l = relay.construct @List::@Cons(%x, %rest)
        : (tensor<i32>, !relay.adt<@List, [tensor<i32>]>)
        -> !relay.adt<@List, [tensor<i32>]>
    ```
  }];
  let arguments = (ins SymbolRefAttr:$constructor,
                       Variadic<Relay_AnyValue>:$fields);
  let results = (outs Relay_DataValue:$result);
  let assemblyFormat = [{
    $constructor `(` $fields `)` attr-dict
        `:` functional-type($fields, $result)
  }];
}

#endif // RELAY_MLIR_DIALECT_RELAY_IR_RELAYLANGUAGEOPS_TD
