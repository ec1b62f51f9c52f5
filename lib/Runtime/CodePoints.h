//===- CodePoints.h - UTF-8 and its code points -----------------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_LIB_RUNTIME_CODEPOINTS_H
#define RELAY_MLIR_LIB_RUNTIME_CODEPOINTS_H

#include <cstdint>
#include <string>
#include <string_view>

namespace relay_rt {

/// The number of bytes of the code point at the start of `text`, which is not
/// empty; 0 if there is none in UTF-8.
size_t getCodePointSize(std::string_view text);

bool isUTF8(std::string_view text);

/// Of text in UTF-8.
int64_t countCodePoints(std::string_view text);

/// Each code point of `text` by its own, in lower or upper case, as `language`
/// has it: "C" knows ASCII alone, "tr" and "az" letters i with and without a
/// dot. The rest of the name of a locale does not matter.
std::string changeCase(std::string_view text, bool isUpper,
                       std::string_view language);

} // namespace relay_rt

#endif // RELAY_MLIR_LIB_RUNTIME_CODEPOINTS_H
