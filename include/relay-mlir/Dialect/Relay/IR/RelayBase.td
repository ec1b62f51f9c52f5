//===- RelayBase.td - Base of the relay dialect ------------*- tablegen -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_DIALECT_RELAY_IR_RELAYBASE_TD
#define RELAY_MLIR_DIALECT_RELAY_IR_RELAYBASE_TD

include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "mlir/IR/OpBase.td"
include "relay-mlir/Dialect/Relay/IR/RelayInterfaces.td"
include "relay-mlir/Dialect/Relay/IR/RelayLayoutRules.td"

def Relay_Dialect : Dialect {
  let name = "relay";
  let cppNamespace = "::mlir::relay";
  let summary = "Whole programs over tensors, in the language Relay";
  let description = [{
    The `relay` dialect says what is computed: operators on ranked tensors and
    tuples of them, in functions (`func.func`) that call each other, closures,
    algebraic data types, references and control flow. It knows nothing of
    loops, buffers or devices.

    Types are builtin where there is one: `tensor<...>`, where `?` is a size
    that is known only at run time, unsigned integers stay unsigned and `i1` is
    bool, `tuple<...>`, which operators with several results return, and
    function types.

    Operator names, attributes and defaults are those of Relay. All operators
    are written alike: operands, the attributes that differ from their
    default, and a function type.

    ```mlir
    %0 = relay.nn.conv2d %x, %w {padding = [1, 1, 1, 1]}
        : (tensor<?x3x32x32xf32>, tensor<16x3x3x3xf32>) -> tensor<?x16x32x32xf32>
    ```
  }];
  let hasConstantMaterializer = 1;
  let hasOperationAttrVerify = 1;
  let useDefaultTypePrinterParser = 1;
  let useDefaultAttributePrinterParser = 1;
  let extraClassDeclaration = [{
    // Each defined beside the types or operators of its family.
    void registerTypes();
    void registerAnnotationOps();
    void registerDynOps();
    void registerEthosuOps();
    void registerGeometryOps();
    void registerLanguageOps();
    void registerMemoryOps();
    void registerNNContribOps();
    void registerNNLossOps();
    void registerNNSpatialOps();
    void registerQnnOps();
    void registerRandomOps();
    void registerSparseOps();
    void registerTransformOps();
    void registerVisionOps();
  }];
}

//===----------------------------------------------------------------------===//
// Types and attributes
//===----------------------------------------------------------------------===//

def Relay_Tensor
    : RankedTensorOf<[AnyFloat, AnySignlessInteger, AnyUnsignedInteger]>;
def Relay_FloatTensor : RankedTensorOf<[AnyFloat]>;
def Relay_IntegerTensor
    : RankedTensorOf<[AnySignlessInteger, AnyUnsignedInteger]>;
def Relay_BoolTensor : RankedTensorOf<[I1]>;
def Relay_Scalar
    : 0DTensorOf<[AnyFloat, AnySignlessInteger, AnyUnsignedInteger]>;
def Relay_Vector
    : 1DTensorOf<[AnyFloat, AnySignlessInteger, AnyUnsignedInteger]>;
def Relay_Value : AnyTypeOf<[Relay_Tensor, AnyTuple]>;

/// An integer, signed in C++.
def Relay_IntAttr : TypedSignlessIntegerAttrBase<I64, "int64_t",
                                                 "64-bit integer attribute"> {
  let returnType = "int64_t";
  let convertFromStorage = "$_self.getValue().getSExtValue()";
}
class Relay_DefaultInt<string value> : DefaultValuedAttr<Relay_IntAttr, value>;
class Relay_DefaultInts<string value>
    : DefaultValuedAttr<DenseI64ArrayAttr, value>;
class Relay_DefaultBool<string value> : DefaultValuedAttr<BoolAttr, value>;
class Relay_DefaultFloat<string value> : DefaultValuedAttr<F64Attr, value>;
class Relay_DefaultFloats<string value>
    : DefaultValuedAttr<DenseF64ArrayAttr, value>;
class Relay_DefaultStr<string value> : DefaultValuedStrAttr<StrAttr, value>;
def Relay_OptionalInt : OptionalAttr<Relay_IntAttr>;
def Relay_OptionalInts : OptionalAttr<DenseI64ArrayAttr>;

/// An attribute without a default, which may be none nevertheless: Relay's text
/// always has it.
class Relay_Nullable<Attr attr> : OptionalAttr<attr>;

/// Pairs of integers, one after the other; lists of lists in Relay's text.
def Relay_IntPairs
    : DenseArrayAttrBase<"DenseI64ArrayAttr", "int64_t", "i64">;

/// Many operands, which are one tuple in Relay, unless they are these.
class Relay_Positional<Type type> : Variadic<type>;

/// An element type; absent means that of the data.
def Relay_OptionalDType : OptionalAttr<TypeAttr>;
/// With a default such as `$_builder.getI32Type()`. An attribute in C++: builders
/// would take a type with a default argument, where there is no builder yet.
class Relay_DefaultDType<string type>
    : DefaultValuedAttr<TypeAttr, "::mlir::TypeAttr::get(" # type # ")"> {
  let returnType = "::mlir::TypeAttr";
  let convertFromStorage = "$_self";
  let constBuilderCall = "$0";
}

//===----------------------------------------------------------------------===//
// Operators
//===----------------------------------------------------------------------===//

/// The bytes of each result have a number of 64 bits.
def Relay_CountableResults : NativeOpTrait<"CountableResults"> {
  let cppNamespace = "::mlir::relay";
}

/// An operator: pure, with one result whose type follows from operands and
/// attributes. `pattern` is a case of OpPatternKind.
class Relay_Operator<string mnemonic, string pattern, list<Trait> traits = []>
    : Op<Relay_Dialect, mnemonic,
         !listconcat([Pure, InferTypeOpAdaptorWithIsCompatible,
                      Relay_CountableResults,
                      DeclareOpInterfaceMethods<FusionPatternOpInterface>],
                     traits)> {
  let results = (outs Relay_Tensor:$result);
  let hasCustomAssemblyFormat = 1;

  /// The end of a description that operators share.
  string example = "";

  // What all operators share; a class that adds to it starts with this.
  code operatorDefinition = [{
    ::mlir::ParseResult $cppClass::parse(::mlir::OpAsmParser &parser,
                                         ::mlir::OperationState &result) {
      return ::mlir::relay::detail::parseOperator(parser, result);
    }
    void $cppClass::print(::mlir::OpAsmPrinter &printer) {
      ::mlir::relay::detail::printOperator(
          printer, *this, ::mlir::relay::detail::getDefaultAttrs(*this));
    }
    bool $cppClass::isCompatibleReturnTypes(::mlir::TypeRange inferred,
                                            ::mlir::TypeRange actual) {
      return ::mlir::relay::detail::areTypesCompatible(inferred, actual);
    }
    ::mlir::relay::OpPatternKind $cppClass::getFusionPattern() {
      return ::mlir::relay::OpPatternKind::}] # pattern # [{;
    }
  }];
  let extraClassDefinition = operatorDefinition;
}

/// An operator whose result has the type of its first operand.
class Relay_SameTypeOperator<string mnemonic, string pattern,
                             list<Trait> traits = []>
    : Relay_Operator<mnemonic, pattern, traits> {
  /// An expression that checks operands and attributes: a LogicalResult.
  code check = "::mlir::success()";

  let extraClassDefinition = operatorDefinition # [{
    ::llvm::LogicalResult $cppClass::inferReturnTypes(
        ::mlir::MLIRContext *, std::optional<::mlir::Location> location,
        Adaptor adaptor, ::llvm::SmallVectorImpl<::mlir::Type> &types) {
      if (::mlir::failed(}] # check # [{))
        return ::mlir::failure();
      types.push_back(adaptor.getODSOperands(0).front().getType());
      return ::mlir::success();
    }
  }];
}

#endif // RELAY_MLIR_DIALECT_RELAY_IR_RELAYBASE_TD
