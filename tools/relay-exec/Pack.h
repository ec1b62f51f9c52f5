//===- Pack.h - Files of few different numbers ------------------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Models of tests have large weights of two values each, which
// utils/gpu/pack.py makes small. A packed file is "relay-pack 1\n", the number
// of bytes (64 bits), and then blocks of 4096 words of 32 bits, the last one
// filled up with zeros: a byte that says how many bits a word takes, 1, 2, 4, 8
// or 32; if it is not 32, the values that these bits stand for; and the words.
// Everything is little-endian.
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_TOOLS_RELAY_EXEC_PACK_H
#define RELAY_MLIR_TOOLS_RELAY_EXEC_PACK_H

#include <string>

namespace relay_exec {

/// Writes what is in a packed file to a new one. Throws.
void unpack(const std::string &from, const std::string &to);

} // namespace relay_exec

#endif // RELAY_MLIR_TOOLS_RELAY_EXEC_PACK_H
