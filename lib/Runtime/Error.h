//===- Error.h - Errors of the run time -------------------------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Inside the run time an error is an exception; each C function turns it into a
// status and the thread's last error message.
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_LIB_RUNTIME_ERROR_H
#define RELAY_MLIR_LIB_RUNTIME_ERROR_H

#include "relay-mlir-c/Runtime.h"

#include <new>
#include <sstream>
#include <stdexcept>
#include <string>

namespace relay_rt {

struct Error : std::runtime_error {
  Error(RelayStatus status, const std::string &message)
      : std::runtime_error(message), status(status) {}
  RelayStatus status;
};

/// Throws an Error whose message is `parts`, written one after the other.
template <typename... Parts>
[[noreturn]] void fail(RelayStatus status, const Parts &...parts) {
  std::ostringstream message;
  (message << ... << parts);
  throw Error(status, message.str());
}

void setLastError(const std::string &message);

/// Runs `body`, and turns what it throws into a status.
template <typename Body>
RelayStatus guard(Body &&body) noexcept {
  try {
    body();
    return RELAY_OK;
  } catch (const Error &error) {
    setLastError(error.what());
    return error.status;
  } catch (const std::bad_alloc &) {
    setLastError("out of memory");
    return RELAY_OUT_OF_MEMORY;
  } catch (const std::exception &error) {
    setLastError(error.what());
    return RELAY_EXECUTION_FAILED;
  }
}

} // namespace relay_rt

#endif // RELAY_MLIR_LIB_RUNTIME_ERROR_H
