/* What drives Acme's cards. These are simulated: they have the processors and
   the memory of the host. A real card has functions of its own here.
   This file is licensed under the Apache License v2.0 with LLVM Exceptions.
   SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "relay-mlir-c/Device.h"

const RelayDeviceAPI *relayGetDeviceAPI(void) {
  static RelayDeviceAPI api;
  api = *relayGetCPUDeviceAPI();
  api.kind = "acme";
  return &api;
}
