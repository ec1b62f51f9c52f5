//===- ProgramGlue.cpp - What becomes bytecode, apart ---------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ProgramGlue.h"

#include "relay-mlir/Dialect/Relax/IR/Metadata.h"
#include "relay-mlir/Dialect/Relax/IR/Relax.h"
#include "relay-mlir/Dialect/Relax/IR/Strings.h"

using namespace mlir;

static constexpr StringLiteral kProgramAttrs[] = {
    relax::kConstructorsAttr, relax::kConstructorTypesAttr, relax::kStringsAttr,
    relax::kMetadataAttr};

static void moveAttrs(ModuleOp from, ModuleOp to) {
  for (StringRef name : kProgramAttrs)
    if (Attribute attr = from->removeAttr(name))
      to->setAttr(name, attr);
}

OwningOpRef<ModuleOp> relay::takeGlue(ModuleOp module) {
  OwningOpRef<ModuleOp> glue = ModuleOp::create(module.getLoc());
  moveAttrs(module, *glue);
  for (auto function :
       llvm::make_early_inc_range(module.getOps<relax::FuncOp>()))
    if (relax::isObjectFunction(function))
      function->moveBefore(glue->getBody(), glue->getBody()->end());
  return glue;
}

void relay::joinGlue(ModuleOp module, ModuleOp glue) {
  moveAttrs(glue, module);
  Block &body = *module.getBody();
  body.getOperations().splice(body.begin(), glue.getBody()->getOperations());
}
