//===- FormatNumber.cpp - Floats in messages ------------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "relay-mlir/Support/FormatNumber.h"

#include <charconv>
#include <cmath>

template <typename Float>
static std::string format(Float value) {
  Float magnitude = std::abs(value);
  bool isPlain = value == 0 || (magnitude >= 1e-4 && magnitude < 1e16);
  char text[64];
  char *end = std::to_chars(std::begin(text), std::end(text), value,
                            isPlain ? std::chars_format::fixed
                                    : std::chars_format::scientific)
                  .ptr;
  return {text, end};
}

std::string mlir::relay::formatNumber(double value) {
  // Most numbers of models are f32; 0.1 would become 0.10000000149011612.
  auto narrow = static_cast<float>(value);
  return narrow == value ? format(narrow) : format(value);
}
