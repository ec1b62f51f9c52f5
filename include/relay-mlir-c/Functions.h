//===- Functions.h - Functions that programs call, for C --------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A program may call functions that the process which runs it has registered
// under a name (relax.call_packed, relax.call_dps_packed):
//
//   int32_t twice(void *user, RelayValue *const *args, int32_t num_args,
//                 int32_t num_outputs, RelayValue **result) {
//     DLTensor from, to; // of relax.call_dps_packed "twice"(%x)
//     relayValueGetTensor(args[0], &from);
//     relayValueGetTensor(args[1], &to);
//     ...
//     return RELAY_OK;
//   }
//   relayRegisterFunction("twice", twice, NULL);
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_C_FUNCTIONS_H
#define RELAY_MLIR_C_FUNCTIONS_H

#include "relay-mlir-c/Runtime.h"

#ifdef __cplusplus
extern "C" {
#endif

/// A packed function. The arguments are there for the time of the call; one
/// that is kept with relayValueRetain has elements of its own afterwards,
/// unless it is a constant of a program, which belongs to its module.
///
/// Of relax.call_packed, `num_outputs` is 0, and `*result` is null at first;
/// the function stores what it returns there, of which the caller takes over
/// the reference. It may be an argument, once that is retained. Elements of
/// tensors in it that are borrowed are copied then, once the function is over.
///
/// Of relax.call_dps_packed, all arguments are row-major tensors, of which the
/// last `num_outputs` are to be written and the others only read; `result` is
/// null.
///
/// Returns a RelayStatus: anything but RELAY_OK ends the program with it. What
/// was told to relaySetLastError during the call is part of the message then.
typedef int32_t (*RelayPackedFunction)(void *user, RelayValue *const *args,
                                       int32_t num_args, int32_t num_outputs,
                                       RelayValue **result);

/// Registers or, with null, removes the packed function of that name, for all
/// programs of the process; a later one replaces an earlier one. Any thread may
/// call it, and the function may be called by any thread that runs a program.
RELAY_RT_EXPORT RelayStatus relayRegisterFunction(const char *name,
                                                  RelayPackedFunction function,
                                                  void *user);

/// Says what relayGetLastError tells this thread: why a packed function fails.
RELAY_RT_EXPORT void relaySetLastError(const char *message);

#ifdef __cplusplus
} // extern "C"
#endif

#endif // RELAY_MLIR_C_FUNCTIONS_H
