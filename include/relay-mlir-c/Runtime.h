//===- Runtime.h - C interface of the run time ------------------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_C_RUNTIME_H
#define RELAY_MLIR_C_RUNTIME_H

#if defined(__GNUC__)
#define RELAY_RT_EXPORT __attribute__((visibility("default")))
#else
#define RELAY_RT_EXPORT
#endif

#ifdef __cplusplus
extern "C" {
#endif

/// Returns the version of the run time, "major.minor.patch".
RELAY_RT_EXPORT const char *relayRuntimeVersion(void);

#ifdef __cplusplus
}
#endif

#endif // RELAY_MLIR_C_RUNTIME_H
