//===- Arguments.h - Errors that name the wrong argument --------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// pybind11 answers wrong arguments with a list of signatures in C++. What is
// bound by the templates here says which argument is wrong, and how.
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_PYTHON_SRC_ARGUMENTS_H
#define RELAY_MLIR_PYTHON_SRC_ARGUMENTS_H

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

namespace relay_python {

/// What errors say of a value: its text, unless that is long.
std::string describeValue(pybind11::handle value);

/// Raises TypeError, or OverflowError for an integer of more than `bits`.
[[noreturn]] void raiseWrongArgument(const std::string &what,
                                     const std::string &kind,
                                     pybind11::handle value, unsigned bits);

/// The elements of an iterable as a list or tuple. Raises TypeError for
/// anything else; `what` says what the elements are.
pybind11::object toSequence(pybind11::handle values, const char *what);

/// A number, or numbers in lists, as an array of `dtype`, which they do not
/// have one of. Raises TypeError for anything else, and for floats where
/// integers are expected; OverflowError for integers that the type does not
/// hold.
pybind11::array toNumbers(pybind11::handle value, const pybind11::dtype &dtype);

/// Raises RecursionError before values inside of values end the stack.
class RecursionGuard {
public:
  RecursionGuard() {
    if (Py_EnterRecursiveCall(" in nested values"))
      throw pybind11::error_already_set();
  }
  ~RecursionGuard() { Py_LeaveRecursiveCall(); }
  RecursionGuard(const RecursionGuard &) = delete;
  RecursionGuard &operator=(const RecursionGuard &) = delete;
};

//===----------------------------------------------------------------------===//
// Kinds of values
//===----------------------------------------------------------------------===//

/// What an argument of a type is: `name()` in words, and `accepts(value)`.
template <typename T, typename = void>
struct ArgumentKind {
  /// Of integers; 0 for anything else.
  static constexpr unsigned bits =
      std::is_integral_v<T> && !std::is_same_v<T, bool> ? 8 * sizeof(T) : 0;
  static std::string name() {
    if constexpr (std::is_same_v<T, bool>)
      return "a bool";
    else if constexpr (std::is_integral_v<T>)
      return "an integer";
    else if constexpr (std::is_floating_point_v<T>)
      return "a number";
    else if constexpr (std::is_same_v<T, std::string>)
      return "a string";
    else if constexpr (std::is_same_v<T, pybind11::list>)
      return "a list";
    else if constexpr (std::is_same_v<T, pybind11::dict>)
      return "a dict";
    else if constexpr (std::is_same_v<T, pybind11::sequence>)
      return "a sequence";
    else if constexpr (std::is_base_of_v<pybind11::handle, T>)
      return "an object of another type";
    else
      return "a " + pybind11::type::of<T>()
                        .attr("__name__")
                        .template cast<std::string>();
  }
  static bool accepts(pybind11::handle value) {
    // Pointers may be null for pybind11.
    if (!std::is_base_of_v<pybind11::handle, T> && value.is_none())
      return false;
    return pybind11::detail::make_caster<T>().load(value, /*convert=*/true);
  }
};

template <typename T>
struct ArgumentKind<std::shared_ptr<T>> : ArgumentKind<T> {};

template <typename T>
struct ArgumentKind<std::vector<T>> {
  static constexpr unsigned bits = 0;
  static std::string name() {
    return "a list whose entries are each " + ArgumentKind<T>::name();
  }
  static bool accepts(pybind11::handle value) {
    // Vectors of anything else but lists and tuples are not among arguments.
    if (!PyList_Check(value.ptr()) && !PyTuple_Check(value.ptr()))
      return false;
    for (pybind11::handle element : value)
      if (!ArgumentKind<T>::accepts(element))
        return false;
    return true;
  }
};

template <typename T>
struct ArgumentKind<std::optional<T>> {
  static constexpr unsigned bits = 0;
  static std::string name() { return ArgumentKind<T>::name() + " or None"; }
  static bool accepts(pybind11::handle value) {
    return value.is_none() || ArgumentKind<T>::accepts(value);
  }
};

/// `value.cast<T>()`, where errors say that `what` is expected to be of the
/// kind.
template <typename T>
T castArgument(pybind11::handle value, const std::string &what) {
  if (!ArgumentKind<T>::accepts(value))
    raiseWrongArgument(what, ArgumentKind<T>::name(), value,
                       ArgumentKind<T>::bits);
  return value.cast<T>();
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

struct Parameter {
  std::string name;
  bool hasDefault = false;
};

/// The values that parameters have in a call, null for their defaults. Raises
/// TypeError for too many arguments, and for those that are missing or unknown.
std::vector<pybind11::handle>
matchArguments(const std::string &function,
               const std::vector<Parameter> &parameters,
               const pybind11::args &args, const pybind11::kwargs &kwargs);

namespace detail {

inline void addParameter(std::vector<Parameter> &result,
                         const pybind11::arg &arg) {
  result.push_back({arg.name, false});
}
inline void addParameter(std::vector<Parameter> &result,
                         const pybind11::arg_v &arg) {
  result.push_back({arg.name, true});
}
template <typename T>
void addParameter(std::vector<Parameter> &, const T &) {}

template <typename... Extra>
std::vector<Parameter> getParameters(const Extra &...extra) {
  std::vector<Parameter> parameters;
  (addParameter(parameters, extra), ...);
  return parameters;
}

template <typename T>
void checkArgument(const std::string &function, const Parameter &parameter,
                   pybind11::handle value) {
  using Value = std::remove_cv_t<std::remove_reference_t<T>>;
  if (value && !ArgumentKind<Value>::accepts(value))
    raiseWrongArgument(function + ": expects '" + parameter.name + "'",
                       ArgumentKind<Value>::name(), value,
                       ArgumentKind<Value>::bits);
}

/// What is tried when a function of these arguments was not callable.
template <typename... Args>
struct Fallback {
  std::string function;
  std::vector<Parameter> parameters;

  [[noreturn]] void operator()(const pybind11::args &args,
                               const pybind11::kwargs &kwargs) const {
    std::vector<pybind11::handle> values =
        matchArguments(function, parameters, args, kwargs);
    size_t i = 0;
    (
        [&] {
          checkArgument<Args>(function, parameters[i], values[i]);
          ++i;
        }(),
        ...);
    // Nothing is wrong but that a value has to be converted, which is tried
    // next.
    throw pybind11::reference_cast_error();
  }
};

template <typename... Args, typename... Extra>
Fallback<Args...> makeFallback(std::string function, void (*)(Args...),
                               const Extra &...extra) {
  Fallback<Args...> fallback{std::move(function), getParameters(extra...)};
  if (fallback.parameters.size() != sizeof...(Args))
    pybind11::pybind11_fail(fallback.function +
                            " has parameters without names");
  return fallback;
}

/// The arguments of a constructor, behind the object that it makes.
template <typename>
struct ConstructorSignature;
template <typename Result, typename... Args>
struct ConstructorSignature<Result(pybind11::detail::value_and_holder &,
                                   Args...)> {
  using Type = void(Args...);
};
template <typename>
struct FunctionSignature;
template <typename Result, typename... Args>
struct FunctionSignature<Result(Args...)> {
  using Type = void(Args...);
};

} // namespace detail

/// A class the constructors of which, all their parameters named, raise such
/// errors. They are defined before anything else.
template <typename T, typename... Options>
class Class : public pybind11::class_<T, Options...> {
  using Base = pybind11::class_<T, Options...>;

public:
  using Base::Base;

  template <typename... Init, typename... Extra>
  Class &def(const pybind11::detail::initimpl::constructor<Init...> &init,
             const Extra &...extra) {
    init.execute(*this, extra...);
    return *this;
  }
  template <typename... Init, typename... Extra>
  Class &def(pybind11::detail::initimpl::factory<Init...> &&init,
             const Extra &...extra) {
    std::move(init).execute(*this, extra...);
    return *this;
  }
  template <typename Fn, typename... Extra>
  Class &def(const char *name, Fn &&function, const Extra &...extra) {
    using Signature = pybind11::detail::function_signature_t<Fn>;
    Base::def(name, std::forward<Fn>(function), extra...);
    if constexpr (std::disjunction_v<std::is_same<
                      Extra, pybind11::detail::is_new_style_constructor>...>) {
      typename detail::ConstructorSignature<Signature>::Type *type = nullptr;
      auto fallback = detail::makeFallback(
          this->attr("__name__").template cast<std::string>(), type, extra...);
      Base::def(
          name,
          [fallback](
              pybind11::detail::value_and_holder &, const pybind11::args &args,
              const pybind11::kwargs &kwargs) { fallback(args, kwargs); },
          pybind11::detail::is_new_style_constructor());
    }
    return *this;
  }
};

/// Defines a function, all parameters of which are named, that raises such
/// errors.
template <typename Fn, typename... Extra>
void defineFunction(pybind11::module_ &m, const char *name, Fn &&function,
                    const Extra &...extra) {
  using Signature = pybind11::detail::function_signature_t<Fn>;
  typename detail::FunctionSignature<Signature>::Type *type = nullptr;
  m.def(name, std::forward<Fn>(function), extra...);
  m.def(name, [fallback = detail::makeFallback(name, type, extra...)](
                  const pybind11::args &args, const pybind11::kwargs &kwargs) {
    fallback(args, kwargs);
  });
}

} // namespace relay_python

#endif // RELAY_MLIR_PYTHON_SRC_ARGUMENTS_H
