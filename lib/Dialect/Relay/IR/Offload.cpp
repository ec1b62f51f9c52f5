//===- Offload.cpp - Which operators other compilers take -----------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "relay-mlir/Dialect/Relay/IR/Offload.h"

#include <mutex>

using namespace mlir;
using namespace mlir::relay;

namespace {
struct Providers {
  std::mutex mutex;
  std::vector<OffloadProvider> list;
};
} // namespace

static Providers &getProviders() {
  static Providers providers;
  return providers;
}

void relay::addOffloadProvider(OffloadProvider provider) {
  Providers &providers = getProviders();
  std::lock_guard<std::mutex> lock(providers.mutex);
  providers.list.push_back(std::move(provider));
}

OffloadQueries::OffloadQueries(ModuleOp module) {
  std::vector<OffloadProvider> providers;
  {
    std::lock_guard<std::mutex> lock(getProviders().mutex);
    providers = getProviders().list;
  }
  for (const OffloadProvider &provider : providers)
    queries.push_back(provider(module));
}

FailureOr<bool> OffloadQueries::supports(Operation *op,
                                         StringRef target) const {
  for (const OffloadQuery &query : queries) {
    FailureOr<bool> answer = query(op, target);
    if (failed(answer) || *answer)
      return answer;
  }
  return false;
}
