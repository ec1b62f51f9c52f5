//===- FuzzArtifact.cpp - Bytes of artefacts ------------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The bytes here reach the reader of the file, and what it checks before
// anything is executed. Tables behind a right checksum are those of
// test/Unit/Runtime/TablesTest.cpp; code behind it is the compiler's.
//
//===----------------------------------------------------------------------===//

#include "Fuzzing.h"

#include "relay-mlir-c/Runtime.h"

#include <sys/mman.h>
#include <unistd.h>

using namespace mlir::relay;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  int file = memfd_create("model.so", MFD_CLOEXEC);
  fuzz::expect(file >= 0, "there is memory for a file");
  fuzz::expect(write(file, data, size) == static_cast<ssize_t>(size),
               "the file is written");
  std::string path = "/proc/self/fd/" + std::to_string(file);
  for (int32_t flags : {0, int32_t(RELAY_LOAD_MAP_WEIGHTS)}) {
    RelayModule *module = nullptr;
    RelayStatus status = relayModuleLoadWithFlags(path.c_str(), flags, &module);
    if (status == RELAY_OK) {
      fuzz::expect(relayModuleGetNumInputs(module) >= 0 &&
                       relayModuleGetNumOutputs(module) >= 0,
                   "there are no fewer than no inputs and outputs");
      relayModuleVerify(module);
    } else {
      fuzz::expect(relayGetLastError()[0] != 0, "an error has a message");
      fuzz::expect(!module, "what fails to load is no module");
    }
    relayModuleFree(module);
  }
  close(file);
  return 0;
}
