//===- Metadata.cpp - What an ONNX file says of itself --------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Importer.h"
#include "ModelConversion.h"

#include "relay-mlir/Dialect/Relay/IR/Metadata.h"
#include "relay-mlir/Support/CText.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/JSON.h"

using namespace mlir;
using namespace mlir::relay;
using namespace mlir::relay::onnx;

std::vector<std::pair<std::string, std::string>>
mlir::relay::onnx::getMetadata(const ::onnx::ModelProto &proto) {
  std::vector<std::pair<std::string, std::string>> metadata;
  auto add = [&](const std::string &key, const std::string &value) {
    if (!value.empty())
      metadata.emplace_back(key, value);
  };
  add("producer_name", proto.producer_name());
  add("producer_version", proto.producer_version());
  add("domain", proto.domain());
  add("description", proto.doc_string());
  add("graph_name", proto.graph().name());
  add("graph_description", proto.graph().doc_string());
  if (proto.model_version() != 0)
    add("version", std::to_string(proto.model_version()));
  // What the producer's user wrote counts, also if it is empty.
  for (const auto &entry : proto.metadata_props())
    metadata.emplace_back("metadata_props." + entry.key(), entry.value());
  return metadata;
}

void Importer::addMetadata(ModuleOp module) {
  SmallVector<NamedAttribute> texts;
  llvm::StringSet<> keys;
  for (const auto &[key, text] : model.metadata) {
    if (!isCText(key) || !isCText(text) || !keys.insert(key).second)
      mlir::emitWarning(getFileLoc())
          << "metadata \"" << llvm::json::fixUTF8(key)
          << "\" is left out, as it is there twice or no UTF-8 text without "
             "zeros";
    else
      texts.emplace_back(builder.getStringAttr(key),
                         builder.getStringAttr(text));
  }
  if (!texts.empty())
    module->setAttr(kMetadataAttrName, builder.getDictionaryAttr(texts));
}
