//===- ExternalCode.cpp - Code generators of others -----------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "relay-mlir/Dialect/Relay/IR/ExternalCode.h"

#include "llvm/ADT/StringExtras.h"

#include <map>
#include <mutex>

using namespace mlir;
using namespace mlir::relay;

namespace {
struct Generators {
  static Generators &get() {
    static Generators generators;
    return generators;
  }
  std::mutex mutex;
  std::map<std::string, std::shared_ptr<ExternalCodeGenerator>> byName;
};
} // namespace

void relay::addExternalCodeGenerator(
    StringRef name, std::shared_ptr<ExternalCodeGenerator> generator) {
  Generators &generators = Generators::get();
  std::lock_guard<std::mutex> lock(generators.mutex);
  generators.byName[name.str()] = std::move(generator);
}

std::shared_ptr<ExternalCodeGenerator>
relay::lookupExternalCodeGenerator(StringRef name) {
  Generators &generators = Generators::get();
  std::lock_guard<std::mutex> lock(generators.mutex);
  auto it = generators.byName.find(name.str());
  return it == generators.byName.end() ? nullptr : it->second;
}

std::string relay::getExternalDeviceKind(StringRef compiler) {
  std::string kind = compiler.str();
  for (char &c : kind)
    if (!llvm::isAlnum(c))
      c = '_';
  return kind;
}

std::vector<std::string> relay::getExternalCodeGenerators() {
  Generators &generators = Generators::get();
  std::lock_guard<std::mutex> lock(generators.mutex);
  std::vector<std::string> names;
  for (const auto &[name, generator] : generators.byName)
    names.push_back(name);
  return names;
}
