//===- RelaxBase.td - Base of the relax dialect ------------*- tablegen -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The dialect, its attributes and types. Everything else of the relax dialect
// includes this file.
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_DIALECT_RELAX_IR_RELAXBASE_TD
#define RELAY_MLIR_DIALECT_RELAX_IR_RELAXBASE_TD

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/OpBase.td"
include "relay-mlir/Dialect/Target/IR/TargetAttributes.td"

//===----------------------------------------------------------------------===//
// Dialect
//===----------------------------------------------------------------------===//

def Relax_Dialect : Dialect {
  let name = "relax";
  let cppNamespace = "::mlir::relax";
  let summary = "Which kernels run, in which order, on which shapes";
  let description = [{
    The `relax` dialect is the stage at which kernels, shapes, storage and
    devices are explicit. It has two normal forms:

    * *relax-kernels*: a function calls kernels with `relax.call_tir`. Values
      are immutable and every dimension is an expression over the function's
      symbols, never unknown.
    * *relax-executable*: storage and lifetimes are explicit
      (`relax.alloc_storage`, `relax.alloc_tensor`, `relax.call_kernel`,
      `relax.kill`). This is what every executor consumes;
      `--verify-relax-executable` checks it.

    What connects functions of tensors to a program, such as closures, recursion
    and data types, are functions of objects (`!relax.object`), which become
    bytecode. They have one form only.

    A symbol stands for a dimension that is known at run time. Its name is its
    identity, its scope is the function, and it is bound by a parameter whose
    type has the bare symbol as a dimension.
  }];
  let useDefaultAttributePrinterParser = 1;
  let useDefaultTypePrinterParser = 1;
  let hasConstantMaterializer = 1;
  let dependentDialects = ["::mlir::relay::TargetDialect"];
  let hasOperationAttrVerify = 1;
  let hasRegionArgAttrVerify = 1;
  let hasRegionResultAttrVerify = 1;
  let extraClassDeclaration = [{
    void registerAttributesAndTypes();
  }];
}

//===----------------------------------------------------------------------===//
// Attributes
//===----------------------------------------------------------------------===//

def Relax_ShapeAttr : AttrDef<Relax_Dialect, "Shape"> {
  let mnemonic = "shape";
  let summary = "A list of expressions over named symbols";
  let description = [{
    A list of integer expressions over named symbols: `+`, `-`, `*`, `floordiv`,
    `ceildiv` and `mod` of integers and symbols. Symbols are not negative.

    Expressions are kept in a canonical form (sums of products, symbols in
    alphabetical order, `ceildiv` written as `floordiv`), so that two equal
    polynomials are the same attribute.

    Example:

    ```mlir
    #relax.shape<[n, 3, 2 * n + 1, (h + 1) floordiv 2]>
    ```
  }];
  let parameters = (ins
    ArrayRefParameter<"::mlir::StringAttr", "names in alphabetical order">:
      $symbols,
    "::mlir::AffineMap":$map
  );
  let skipDefaultBuilders = 1;
  let builders = [
    AttrBuilder<(ins "::llvm::ArrayRef<::mlir::StringAttr>":$names,
                     "::llvm::ArrayRef<::mlir::AffineExpr>":$exprs), [{}]>,
    AttrBuilder<(ins "::llvm::ArrayRef<int64_t>":$dims), [{}]>
  ];
  let hasCustomAssemblyFormat = 1;
  let extraClassDeclaration = [{
    /// The expressions; symbol `i` is `getSymbols()[i]`.
    ::llvm::ArrayRef<::mlir::AffineExpr> getExprs() const {
      return getMap().getResults();
    }
    size_t size() const { return getExprs().size(); }

    /// True if no expression has a symbol.
    bool isStatic() const { return getSymbols().empty(); }

    /// The value of expression `index` if it is a constant.
    std::optional<int64_t> getConstant(size_t index) const;

    /// The name if expression `index` is a bare symbol, else null.
    ::mlir::StringAttr getBareSymbol(size_t index) const;

    /// Prints expression `index`.
    void printExpr(size_t index, ::llvm::raw_ostream &os) const;

    /// Parses and prints `[e0, e1, ...]`.
    static ::mlir::FailureOr<ShapeAttr> parseList(::mlir::AsmParser &parser);
    void printList(::llvm::raw_ostream &os) const;
  }];
}

def Relax_ConstructorAttr : AttrDef<Relax_Dialect, "Constructor"> {
  let mnemonic = "constructor";
  let summary = "A constructor of an algebraic data type";
  let description = [{
    The names of type and constructor, its place among those of the type, and
    how many fields it has.

    Example: `#relax.constructor<"List", "Cons", 0, 2>`
  }];
  let parameters = (ins "::mlir::StringAttr":$type, "::mlir::StringAttr":$name,
                        "int64_t":$index, "int64_t":$numFields);
  let assemblyFormat = "`<` $type `,` $name `,` $index `,` $numFields `>`";
  let genVerifyDecl = 1;
}

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

def Relax_TensorType : TypeDef<Relax_Dialect, "SymbolicTensor"> {
  let mnemonic = "tensor";
  let summary = "A tensor whose dimensions are expressions over symbols";
  let description = [{
    Its data is on a device, or without one on the host.

    Example:

    ```mlir
    !relax.tensor<[n, 3, 2 * n + 1], f32>
    !relax.tensor<[n, 4], f32, #target.device<"cpu", 1>>
    ```
  }];
  let parameters = (ins "::mlir::relax::ShapeAttr":$shape,
                        "::mlir::Type":$elementType,
                        "::mlir::relay::DeviceAttr":$device);
  let builders = [
    TypeBuilderWithInferredContext<(ins "::mlir::relax::ShapeAttr":$shape,
                                        "::mlir::Type":$elementType,
        CArg<"::mlir::relay::DeviceAttr", "{}">:$device), [{
      return $_get(elementType.getContext(), shape, elementType, device);
    }]>,
    TypeBuilderWithInferredContext<(ins "::llvm::ArrayRef<int64_t>":$dims,
                                        "::mlir::Type":$elementType,
        CArg<"::mlir::relay::DeviceAttr", "{}">:$device), [{
      ::mlir::MLIRContext *context = elementType.getContext();
      return $_get(context, ShapeAttr::get(context, dims), elementType, device);
    }]>
  ];
  let genVerifyDecl = 1;
  let hasCustomAssemblyFormat = 1;
  let extraClassDeclaration = [{
    int64_t getRank() const { return getShape().size(); }
    bool isStatic() const { return getShape().isStatic(); }

    /// The same tensor on another device; null is the host.
    SymbolicTensorType withDevice(::mlir::relay::DeviceAttr device) const {
      return get(getShape(), getElementType(), device);
    }

    /// Bytes of one element in memory: an i1 takes a whole byte.
    int64_t getElementBytes() const;
  }];
}

def Relax_StorageType : TypeDef<Relax_Dialect, "Storage"> {
  let mnemonic = "storage";
  let summary = "A piece of device memory that tensors are placed in";
  let description = [{
    Memory of a device, or without one of the host.

    Example: `!relax.storage<#target.device<"cpu", 1>>`
  }];
  let parameters = (ins OptionalParameter<"::mlir::relay::DeviceAttr">:$device);
  let assemblyFormat = "(`<` qualified($device)^ `>`)?";
  let genVerifyDecl = 1;
}

def Relax_ObjectType : TypeDef<Relax_Dialect, "Object"> {
  let mnemonic = "object";
  let summary = "A value of a program between its functions of tensors";
  let description = [{
    A tensor, a tuple, a value of a data type, a closure or a reference. Which
    one it is, and of what sizes, the program knows when it runs.

    Example: `!relax.object`
  }];
}

#endif // RELAY_MLIR_DIALECT_RELAX_IR_RELAXBASE_TD
