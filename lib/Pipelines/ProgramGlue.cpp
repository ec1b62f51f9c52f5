//===- ProgramGlue.cpp - Functions of objects, apart ----------------------===//
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

static LogicalResult checkBodies(ModuleOp module) {
  for (auto function : module.getOps<relax::FuncOp>())
    if (function.isExternal())
      return function.emitOpError(
          "expects a body, but got a declaration, which nothing can call");
  return success();
}

FailureOr<OwningOpRef<ModuleOp>> relay::takeGlue(ModuleOp module) {
  if (failed(checkBodies(module)))
    return failure();
  OwningOpRef<ModuleOp> glue = ModuleOp::create(module.getLoc());
  moveAttrs(module, *glue);
  for (auto function :
       llvm::make_early_inc_range(module.getOps<relax::FuncOp>()))
    if (relax::isObjectFunction(function))
      function->moveBefore(glue->getBody(), glue->getBody()->end());
  if (glue->getBody()->empty())
    return module.emitError("expects a function of objects for the executor "
                            "vm, but got functions of tensors alone, which are "
                            "for the executors aot and graph");
  // Callers start functions of objects.
  if (auto main = module.lookupSymbol<relax::FuncOp>("main"))
    return main.emitOpError("expects to be a function of objects, as others of "
                            "the module are, but got one of tensors");
  return glue;
}

LogicalResult relay::checkNoGlue(ModuleOp module) {
  if (failed(checkBodies(module)))
    return failure();
  for (auto function : module.getOps<relax::FuncOp>())
    if (relax::isObjectFunction(function))
      return function.emitOpError("expects a function of tensors for the "
                                  "executor graph, but got one of objects, "
                                  "which the executors aot and vm run");
  return success();
}

void relay::joinGlue(ModuleOp module, ModuleOp glue) {
  if (!glue)
    return;
  moveAttrs(glue, module);
  Block &body = *module.getBody();
  body.getOperations().splice(body.begin(), glue.getBody()->getOperations());
}
