//===- relay-test-prelude.cpp - Print standard definitions ----------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// relay-test-prelude prelude.rly              a file of the prelude
// relay-test-prelude float32                  tensor arrays of any rank
// relay-test-prelude float32 2,any [batch]    tensor arrays of one shape
//
//===----------------------------------------------------------------------===//

#include "relay-mlir/Prelude/Prelude.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir::relay;

static int64_t getSize(llvm::StringRef text) {
  int64_t size = -1;
  text.getAsInteger(10, size); // "any" leaves it.
  return size;
}

int main(int argc, char **argv) {
  if (argc < 2)
    return 1;
  if (auto text = getPreludeText(argv[1])) {
    llvm::outs() << *text;
    return 0;
  }
  if (argc < 3) {
    llvm::outs() << getTensorArrayText(argv[1]);
    return 0;
  }
  llvm::SmallVector<int64_t> shape;
  for (llvm::StringRef size : llvm::split(argv[2], ','))
    if (!size.empty())
      shape.push_back(getSize(size));
  llvm::outs() << getStaticTensorArrayText(
      argv[1], shape, argc > 3 ? getSize(argv[3]) : -1,
      [](llvm::StringRef) { return false; });
  return 0;
}
