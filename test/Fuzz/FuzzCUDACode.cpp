//===- FuzzCUDACode.cpp - Code for devices of kind cuda -------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Fuzzing.h"

#include "relay-mlir/Runtime/CUDACode.h"

#include <limits>
#include <vector>

using namespace mlir::relay;
using namespace relay_cuda;

/// Whatever the dims are, an expression has a value or says that it has none.
static void evaluate(const Expression &expression, int32_t numDims) {
  constexpr int64_t numbers[] = {0,
                                 1,
                                 -1,
                                 300,
                                 std::numeric_limits<int64_t>::max(),
                                 std::numeric_limits<int64_t>::min()};
  int64_t value = 0;
  for (int64_t number : numbers)
    (void)expression.evaluate(std::vector<int64_t>(numDims, number).data(),
                              value);
  if (expression.isConstant())
    (void)expression.evaluate(nullptr, value);
}

// libFuzzer calls it.
// NOLINTNEXTLINE(readability-identifier-naming)
extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  // A copy of its own size: what is read beyond it is seen.
  std::vector<uint8_t> copy(data, data + size);
  const char *begin = reinterpret_cast<const char *>(copy.data());
  Code code;
  std::string reason;
  bool isRead = parseCode(begin, size, code, reason);
  fuzz::expect(isRead == reason.empty(), "a failure has a reason");
  if (!isRead)
    return 0;
  uint64_t imageBytes = 0;
  for (const Image &image : code.images) {
    fuzz::expect(image.data >= begin && image.data <= begin + size &&
                     image.size <= size - (image.data - begin),
                 "images are inside of the code");
    imageBytes += image.size;
  }
  fuzz::expect(imageBytes < size, "images do not overlap");
  fuzz::expect(!describeImages(code).empty(), "images have a description");
  for (int major : {5, 8, 9, 10})
    for (int minor : {0, 6, 9})
      if (const Image *image = chooseImage(code, major, minor))
        fuzz::expect(image->arch.major <= major, "a chip runs older code");
  for (const Kernel &kernel : code.kernels)
    for (const Launch &launch : kernel.launches) {
      for (const Expression &grid : launch.grid)
        evaluate(grid, kernel.numDims);
      evaluate(launch.sharedBytes, kernel.numDims);
      fuzz::expect(
          uint64_t(launch.block[0]) * launch.block[1] * launch.block[2] <= 1024,
          "blocks are not too large");
    }
  return 0;
}
