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

#include <cstring>
#include <initializer_list>
#include <new>
#include <stdexcept>
#include <string>
#include <type_traits>

namespace relay_rt {

struct Error : std::runtime_error {
  Error(RelayStatus status, const std::string &message)
      : std::runtime_error(message), status(status) {}
  RelayStatus status;
};

/// A part of a message: text, or a number.
struct MessagePart {
  MessagePart(const char *text) : text(text), size(std::strlen(text)) {}
  MessagePart(const std::string &text) : text(text.data()), size(text.size()) {}
  template <typename T, typename = std::enable_if_t<std::is_integral_v<T>>>
  MessagePart(T number)
      : isNegative(number < 0), number(static_cast<uint64_t>(number)) {}

  const char *text = nullptr;
  size_t size = 0;
  bool isNegative = false;
  uint64_t number = 0;
};

// Apart from the calls, of which there are many.
[[noreturn]] __attribute__((noinline)) inline void
failWith(RelayStatus status, std::initializer_list<MessagePart> parts) {
  std::string message;
  for (const MessagePart &part : parts) {
    if (part.text)
      message.append(part.text, part.size);
    else
      message += part.isNegative
                     ? std::to_string(static_cast<int64_t>(part.number))
                     : std::to_string(part.number);
  }
  throw Error(status, message);
}

/// Throws an Error whose message is `parts`, written one after the other.
template <typename... Parts>
[[noreturn]] void fail(RelayStatus status, const Parts &...parts) {
  failWith(status, {MessagePart(parts)...});
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
