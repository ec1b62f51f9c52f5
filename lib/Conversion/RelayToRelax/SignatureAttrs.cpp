//===- SignatureAttrs.cpp - What callers know of functions ----------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SignatureAttrs.h"

#include "relay-mlir/Dialect/Relax/IR/Metadata.h"
#include "relay-mlir/Dialect/Relax/IR/Strings.h"
#include "relay-mlir/Dialect/Relay/IR/Metadata.h"
#include "relay-mlir/Dialect/Relay/IR/Relay.h"
#include "relay-mlir/Dialect/Relay/IR/Strings.h"

using namespace mlir;
using namespace mlir::relay;

/// How relay and relax call what they say of parameters and results.
static constexpr std::pair<StringLiteral, StringLiteral> kValueAttrs[] = {
    {kNameAttrName, relax::kNameAttr},
    {kIsStringAttrName, relax::kIsStringAttr}};

void relay::copyParameterAttrs(func::FuncOp source, relax::FuncOp target) {
  for (auto [from, to] : kValueAttrs)
    for (unsigned i = 0, e = source.getNumArguments(); i != e; ++i)
      if (Attribute attr = source.getArgAttr(i, from))
        target.setArgAttr(i, to, attr);
}

void relay::copyResultAttrs(func::FuncOp source, relax::FuncOp target) {
  for (auto [from, to] : kValueAttrs)
    for (unsigned i = 0, e = source.getNumResults(); i != e; ++i)
      if (Attribute attr = source.getResultAttr(i, from))
        target.setResultAttr(i, to, attr);
}

void relay::setParamTypes(relax::FuncOp function, TypeRange types) {
  if (types.empty())
    return;
  function->setAttr(relax::kParamTypesAttr,
                    Builder(function.getContext())
                        .getTypeArrayAttr(SmallVector<Type>(types)));
}

void relay::setResults(relax::FuncOp function, func::FuncOp source) {
  Builder builder(function.getContext());
  SmallVector<StringRef> names;
  SmallVector<bool> areStrings;
  for (unsigned i = 0, e = source.getNumResults(); i != e; ++i) {
    auto name = source.getResultAttrOfType<StringAttr>(i, kNameAttrName);
    names.push_back(name ? name.getValue() : "");
    areStrings.push_back(bool(source.getResultAttr(i, kIsStringAttrName)));
  }
  function->setAttr(relax::kResultTypesAttr,
                    builder.getTypeArrayAttr(source.getResultTypes()));
  function->setAttr(relax::kResultNamesAttr, builder.getStrArrayAttr(names));
  if (llvm::is_contained(areStrings, true))
    function->setAttr(relax::kStringResultsAttr,
                      builder.getDenseBoolArrayAttr(areStrings));
}

void relay::convertModuleAttrs(ModuleOp module) {
  if (Attribute strings = module->removeAttr(kStringsAttrName))
    module->setAttr(relax::kStringsAttr, strings);
  if (Attribute metadata = module->removeAttr(kMetadataAttrName))
    module->setAttr(relax::kMetadataAttr, metadata);
}
