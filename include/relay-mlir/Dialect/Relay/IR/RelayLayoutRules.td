//===- RelayLayoutRules.td - Rules of operators' layouts ---*- tablegen -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Ways to implement LayoutOpInterface that many operators share, as traits. The
// functions are in LayoutForms.h. An operator that is like no other takes
// Relay_LayoutMethods and defines them itself.
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_DIALECT_RELAY_IR_RELAYLAYOUTRULES_TD
#define RELAY_MLIR_DIALECT_RELAY_IR_RELAYLAYOUTRULES_TD

include "relay-mlir/Dialect/Relay/IR/RelayInterfaces.td"

/// Of an operator that defines inferForm() and setForm() itself.
def Relay_LayoutMethods
    : DeclareOpInterfaceMethods<LayoutOpInterface, ["setForm"]>;

class Relay_LayoutDefinition<code declaration, code definition>
    : NativeOpTrait<"HasLayoutRule", [], declaration, definition> {
  let cppNamespace = "::mlir::relay";
}

/// `infer` is an expression of `index` and `order`, the form.
class Relay_LayoutRule<code infer> : TraitList<[
    DeclareOpInterfaceMethods<LayoutOpInterface>,
    Relay_LayoutDefinition<[{}], [{
      std::optional<::mlir::relay::OperatorForm> $cppClass::inferForm(
          unsigned index, ::llvm::ArrayRef<int64_t> order) {
        return ::mlir::relay::detail::}] # infer # [{;
      }
    }]>]>;

/// `set` is a statement that changes attributes to those of `form`.
class Relay_AttributeLayoutRule<code infer, code set, code declaration = [{}]>
    : TraitList<[
    DeclareOpInterfaceMethods<LayoutOpInterface, ["setForm"]>,
    Relay_LayoutDefinition<declaration, [{
      std::optional<::mlir::relay::OperatorForm> $cppClass::inferForm(
          unsigned index, ::llvm::ArrayRef<int64_t> order) {
        return ::mlir::relay::detail::}] # infer # [{;
      }
      void $cppClass::setForm(const ::mlir::relay::OperatorForm &form) {
        ::mlir::relay::detail::}] # set # [{;
      }
    }]>]>;

//===----------------------------------------------------------------------===//
// No attributes
//===----------------------------------------------------------------------===//

/// Operands broadcast to the result.
def Relay_ElementwiseLayout
    : Relay_LayoutRule<"inferElementwiseForm(*this, index, order)">;

/// The result follows the first operand; others have no dimensions of it.
def Relay_DataLayout : Relay_LayoutRule<"inferDataForm(*this, index, order)">;

/// The elements stay in row-major order.
def Relay_ReshapeLayout : TraitList<[
    DeclareOpInterfaceMethods<LayoutOpInterface, ["buildInForm"]>,
    Relay_LayoutDefinition<[{}], [{
      std::optional<::mlir::relay::OperatorForm> $cppClass::inferForm(
          unsigned, ::llvm::ArrayRef<int64_t> order) {
        return ::mlir::relay::detail::inferReshapeForm(*this, order);
      }
      ::mlir::Operation *$cppClass::buildInForm(
          ::mlir::OpBuilder &builder, const ::mlir::relay::OperatorForm &form,
          ::mlir::ValueRange operands) {
        return ::mlir::relay::detail::buildReshapeInForm(builder, *this, form,
                                                         operands.front());
      }
    }]>]>;

/// The operator defines getTransposition().
def Relay_TransposeLayout : TraitList<[
    DeclareOpInterfaceMethods<LayoutOpInterface, ["getTransposition"]>,
    Relay_LayoutDefinition<[{}], [{
      std::optional<::mlir::relay::OperatorForm> $cppClass::inferForm(
          unsigned, ::llvm::ArrayRef<int64_t> order) {
        return ::mlir::relay::detail::inferTransposedForm(*this, order,
                                                          getTransposition());
      }
    }]>]>;

//===----------------------------------------------------------------------===//
// Axes in attributes
//===----------------------------------------------------------------------===//

/// The attribute `axis` is a dimension of the first operand, which the result
/// follows. Without a value there is no other form.
class Relay_LayoutOfAxis<string infer> : Relay_AttributeLayoutRule<
    infer # "(*this, index, order, getAxis())",
    "setAxisForm(*this, form, getAxisAttrName(), getAxis())">;
def Relay_AxisLayout : Relay_LayoutOfAxis<"inferAxisForm">;
/// The first dimension counts instances, and must stay the first.
def Relay_InstancesLayout : Relay_LayoutOfAxis<"inferInstancesForm">;
/// `axis` is one of all operands, which have the rank of the result.
def Relay_AxisOfAllLayout : Relay_LayoutOfAxis<"inferAxisOfAllForm">;

/// The attribute `axis` is a list of dimensions of the first operand.
def Relay_AxesLayout : Relay_AttributeLayoutRule<
    "inferAxesForm(*this, index, order, getAxis())",
    "setAxesForm(*this, form, getAxisAttrName(), getAxis())">;

/// `axis`, `exclude` and `keepdims` are as of a reduction. Further operands
/// have the rank of the first. With `isPosition` the result counts in the
/// reduced axes flattened.
class Relay_ReduceLayout<bit isPosition = 0> : Relay_AttributeLayoutRule<
    "inferReduceForm(*this, index, order, {getAxis(), getExclude()}, "
    "getKeepdims(), /*isPosition=*/" # isPosition # ")",
    "setReduceForm(*this, form, getAxisAttrName(), getExcludeAttrName(), "
    "{getAxis(), getExclude()})">;

/// The attribute, by its name in C++, has a value for each dimension of the
/// first operand and of the result.
class Relay_PerDimensionLayout<string name> : Relay_AttributeLayoutRule<
    "inferPerDimensionForm(*this, index, order, get" # name # "())",
    "setPerDimensionForm(*this, form, get" # name # "AttrName(), get" # name
    # "())">;

/// Two quantised operands that broadcast, each with an axis of its scales.
def Relay_QnnBinaryLayout : Relay_AttributeLayoutRule<
    "inferQnnForm(*this, index, order, {getLhsAxis(), getRhsAxis()})",
    "setQnnForm(*this, form, {getLhsAxisAttrName(), getRhsAxisAttrName()}, "
    "{getLhsAxis(), getRhsAxis()})">;

//===----------------------------------------------------------------------===//
// Layouts in attributes
//===----------------------------------------------------------------------===//

/// An operator of `rank` spatial dimensions, with the layout in `layout`.
class Relay_SpatialLayout<int rank> : TraitList<[
    SpatialOpInterface,
    Relay_AttributeLayoutRule<
        "inferSpatialForm(*this, index, order)",
        "setSpatialForm(*this, form, getLayoutAttrName())", [{
      static int64_t getSpatialRank() { return }] # rank # [{; }
      ::llvm::StringRef getDataLayout() { return getLayout(); }
    }]>]>;

/// A convolution of `rank` spatial dimensions, with the layouts in
/// `data_layout`, `kernel_layout` and `out_layout`. `isOutputFirst` is whether
/// O comes before I in the kernel's usual layout for data with channels last.
class Relay_ConvolutionLayout<int rank, bit isTransposed = 0,
                              string isOutputFirst = "false"> : TraitList<[
    SpatialOpInterface, ConvolutionOpInterface,
    Relay_AttributeLayoutRule<
        "inferSpatialForm(*this, index, order)",
        "setSpatialForm(*this, form, getDataLayoutAttrName())", [{
      static int64_t getSpatialRank() { return }] # rank # [{; }
      static bool isTransposed() { return }] # isTransposed # [{; }
      std::string getUsualKernelLayout(::llvm::StringRef layout) {
        return ::mlir::relay::detail::getUsualKernelLayout(
            *this, layout, }] # isOutputFirst # [{);
      }
    }]>]>;
/// Depthwise ones have the channels of the result first.
class Relay_DepthwiseLayout<int rank> : Relay_ConvolutionLayout<
    rank, 0, "::mlir::relay::detail::isDepthwise(*this)">;

#endif // RELAY_MLIR_DIALECT_RELAY_IR_RELAYLAYOUTRULES_TD
