//===- FuzzNpy.cpp - Files of arrays --------------------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Fuzzing.h"

#include "relay-mlir/Support/Npy.h"

using namespace mlir::relay;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  // A copy of its own size: what is read beyond it is seen.
  if (auto strings = parseNpyStrings(
          llvm::StringRef(reinterpret_cast<const char *>(data), size),
          "input.npy")) {
    std::string text;
    llvm::raw_string_ostream os(text);
    writeNpyStrings(os, *strings);
    llvm::Expected<NpyStrings> again = parseNpyStrings(text, "output.npy");
    fuzz::expect(bool(again), "strings that are written can be read");
    fuzz::expect(again->shape == strings->shape &&
                     again->texts == strings->texts,
                 "strings that are written are the same");
  } else {
    llvm::consumeError(strings.takeError());
  }
  auto copy = std::make_shared<std::vector<char>>(data, data + size);
  llvm::Expected<NpyArray> array =
      parseNpy(llvm::StringRef(copy->data(), copy->size()), "input.npy", copy);
  if (!array) {
    fuzz::expect(!llvm::toString(array.takeError()).empty(),
                 "an error has a message");
    return 0;
  }
  uint64_t bytes = array->elementSize;
  for (int64_t dim : array->shape) {
    fuzz::expect(dim >= 0, "sizes are not negative");
    bytes *= dim;
  }
  fuzz::expect(bytes == array->data.size(), "the data is that of the shape");

  std::string text;
  llvm::raw_string_ostream os(text);
  writeNpy(os, *array);
  llvm::Expected<NpyArray> again = parseNpy(text, "output.npy", nullptr);
  fuzz::expect(bool(again), "what is written can be read");
  fuzz::expect(again->kind == array->kind && again->shape == array->shape &&
                   again->data == array->data,
               "what is written is the same array");
  return 0;
}
