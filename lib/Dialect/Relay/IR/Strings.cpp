//===- Strings.cpp - Tensors of strings -----------------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "relay-mlir/Dialect/Relay/IR/Strings.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace mlir::relay;

StringTable::StringTable(ModuleOp module) {
  if (auto strings = module->getAttrOfType<ArrayAttr>(kStringsAttrName))
    for (Attribute text : strings)
      if (auto attr = dyn_cast<StringAttr>(text))
        getNumber(attr);
}

int64_t StringTable::getNumber(StringRef text) {
  auto [it, isNew] = numbers.try_emplace(text, size());
  if (isNew)
    texts.push_back(it->getKey());
  return it->second;
}

SmallVector<int64_t> StringTable::getNumbers(ArrayRef<std::string> texts) {
  return llvm::map_to_vector(
      texts, [&](const std::string &text) { return getNumber(text); });
}

std::optional<StringRef> StringTable::getText(int64_t number) const {
  if (number < 0 || number >= size())
    return std::nullopt;
  return texts[number];
}

ArrayAttr StringTable::getAttr(MLIRContext *context) const {
  return Builder(context).getStrArrayAttr(texts);
}

StringRun::StringRun(const StringTable &table, const RelayModule *module) {
  if (relayStringsCreate(module, &strings) != RELAY_OK)
    llvm::report_fatal_error(relayGetLastError());
  for (int64_t i = 0; i < table.size(); ++i) {
    StringRef text = *table.getText(i);
    int64_t number = 0;
    (void)relayStringsGetNumber(strings, text.data(), text.size(), &number);
  }
  before = relayUseStrings(strings);
}

StringRun::~StringRun() {
  relayUseStrings(before);
  relayStringsFree(strings);
}

void StringRun::addTo(StringTable &table) const {
  for (int64_t i = table.size(), e = relayStringsGetSize(strings); i < e; ++i) {
    const char *text = nullptr;
    uint64_t length = 0;
    (void)relayStringsGetText(strings, i, &text, &length);
    table.getNumber(StringRef(text, length));
  }
}
