//===- RelayBindings.h - Expressions and types of Relay ---------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_PYTHON_SRC_RELAYBINDINGS_H
#define RELAY_MLIR_PYTHON_SRC_RELAYBINDINGS_H

#include "Arguments.h"
#include "Bindings.h"

#include "relay-mlir/Frontend/RelayText/RelayText.h"
#include "relay-mlir/Interpreter/Tensor.h"

#include <pybind11/numpy.h>

#include <mutex>
#include <typeinfo>

/// Finds the class of a node by its kind, which is cheaper than RTTI.
namespace pybind11 {
template <>
struct polymorphic_type_hook<mlir::relay::ast::Expr> {
  static const void *get(const mlir::relay::ast::Expr *src,
                         const std::type_info *&type);
};
template <>
struct polymorphic_type_hook<mlir::relay::ast::Pattern> {
  static const void *get(const mlir::relay::ast::Pattern *src,
                         const std::type_info *&type);
};
} // namespace pybind11

namespace relay_python {

/// The context of all Relay programs that Python holds: nodes of different
/// programs may be combined. It lives as long as the process.
mlir::MLIRContext *getSessionContext();

/// Held while programs are read, imported, inferred and exported: diagnostics
/// of the session's context go to whoever listens last, and who tries something
/// silences all. What runs may come back, from an operator of Python.
class SessionLock {
public:
  SessionLock();

private:
  static std::recursive_mutex &getMutex();

  std::unique_lock<std::recursive_mutex> lock;
};

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

/// A type of Relay; a class of Python for each class of types.
struct RelayType {
  mlir::Type type;
  /// The objects of Python that the type was made of, in a tuple, or null.
  /// Types of MLIR know neither the kind nor the identity of variables.
  pybind11::object parts = {};
  /// Of variables and incomplete types: the TypeKind.
  int kind = 0;
  /// Of those that Python made: a number of their own; 0 for others.
  uint64_t identity = 0;
};
namespace ty {
constexpr int kindType = 0, kindAdtHandle = 5;
struct TensorType : RelayType {};
struct TupleType : RelayType {};
struct FuncType : RelayType {};
struct TypeVar : RelayType {};
struct TypeCall : RelayType {};
struct RefType : RelayType {};
struct IncompleteType : RelayType {};
/// The name of a data type; where a type is expected, it without arguments.
struct GlobalTypeVar : RelayType {};
/// `?` among the sizes of a tensor.
struct AnyDim {};
} // namespace ty

/// Returns the Python object for `type`, None for null.
pybind11::object wrapType(mlir::Type type);

/// Returns the name of a data type.
ty::GlobalTypeVar wrapGlobalTypeVar(llvm::StringRef name);

/// Returns the type that `value` stands for, null for None. Raises TypeError.
mlir::Type unwrapType(pybind11::handle value);

/// Returns the element type of a name, such as "float32". Raises TypeError if
/// there is none.
mlir::Type parseDType(const std::string &name);

pybind11::list wrapTypes(mlir::ArrayRef<mlir::Type> types);
std::vector<mlir::Type> unwrapTypes(pybind11::handle values);
std::vector<std::string> unwrapTypeParams(pybind11::handle values);
pybind11::list wrapTypeParams(mlir::ArrayRef<std::string> names);

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

/// The number of a constructor, which values have, too: those of a type are in
/// a row, and those of other types elsewhere. It depends on names alone.
uint64_t getConstructorTag(llvm::StringRef adt, unsigned index);

/// An attribute that has no Python form of its own.
struct OpaqueAttribute {
  mlir::Attribute attribute;
};

/// Converts between attributes of calls, as they are written, and Python.
mlir::Attribute toAttribute(pybind11::handle value);
pybind11::object fromAttribute(mlir::Attribute attribute);
std::vector<mlir::NamedAttribute> toAttributes(pybind11::handle mapping);
pybind11::list fromAttributes(mlir::ArrayRef<mlir::NamedAttribute> attributes);

/// Converts between tensors and NumPy arrays. An array that nobody can write to
/// is not copied, nor is a tensor; the array of a tensor is read-only.
mlir::relay::Tensor toTensor(pybind11::array array);
pybind11::array fromTensor(mlir::relay::Tensor tensor);

/// Returns the expression that `value` stands for: a node, a list or tuple of
/// expressions, or a TupleWrapper. Raises TypeError.
mlir::relay::ast::ExprPtr toExpr(pybind11::handle value);

/// Makes the module of Python's lists of functions and data types.
mlir::relay::ast::Module toModule(pybind11::handle functions,
                                  pybind11::handle types);

/// Returns what toModule takes.
pybind11::tuple fromModule(const mlir::relay::ast::Module &module);

/// Makes the module of MLIR and infers its types. Raises CompileError.
mlir::OwningOpRef<mlir::ModuleOp> importModule(pybind11::handle functions,
                                               pybind11::handle types);

void bindRelayTypes(pybind11::module_ &m);
void bindRelayValues(pybind11::module_ &m);
void bindRelayExprs(pybind11::module_ &m);
void bindRelayPatterns(pybind11::module_ &m);
void bindRelayDataflow(pybind11::module_ &m);
void bindRelayOperators(pybind11::module_ &m);
void bindRelayOffload(pybind11::module_ &m);
void bindRelayCodegen(pybind11::module_ &m);
void bindRelayCollage(pybind11::module_ &m);
void bindRelayModules(pybind11::module_ &m);
void bindRelayExecutor(pybind11::module_ &m);
void bindRelayVM(pybind11::module_ &m);

/// Reports, which programs of Relay and models of MLIR have.
void bindReport(pybind11::module_ &m);

/// All of them, in the submodule `relay`.
void bindRelay(pybind11::module_ &m);

} // namespace relay_python

#endif // RELAY_MLIR_PYTHON_SRC_RELAYBINDINGS_H
