//===- CompilerFunctions.cpp - Functions of other compilers ---------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CompilerRegions.h"

#include "relay-mlir/Dialect/Relay/Transforms/Passes.h"

#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/StringSet.h"

namespace mlir::relay {
#define GEN_PASS_DEF_INLINECOMPILERFUNCTIONSPASS
#define GEN_PASS_DEF_MARKCOMPILERFUNCTIONSASEXTERNPASS
#define GEN_PASS_DEF_OUTLINECOMPILERFUNCTIONSPASS
#include "relay-mlir/Dialect/Relay/Transforms/Passes.h.inc"
} // namespace mlir::relay

using namespace mlir;
using namespace mlir::relay;
using namespace mlir::relay::detail;

void relay::detail::inlineComposite(CallIndirectOp call) {
  SmallVector<CallIndirectOp> worklist{call};
  while (!worklist.empty()) {
    call = worklist.pop_back_val();
    FnOp fn = getComposite(call);
    if (!fn || fn.getRecursive())
      continue;
    OpBuilder builder(call);
    IRMapping mapping;
    mapping.map(fn.getParams(), call.getArgs());
    Block &body = fn.getBody().front();
    for (Operation &op : body.without_terminator())
      if (auto inner = dyn_cast<CallIndirectOp>(builder.clone(op, mapping)))
        worklist.push_back(inner);
    call.replaceAllUsesWith(
        mapping.lookupOrDefault(body.getTerminator()->getOperand(0)));
    call.erase();
    if (fn->use_empty())
      fn.erase();
  }
}

//===----------------------------------------------------------------------===//
// Inline
//===----------------------------------------------------------------------===//

namespace {

struct InlineCompilerFunctionsPass
    : relay::impl::InlineCompilerFunctionsPassBase<
          InlineCompilerFunctionsPass> {
  using InlineCompilerFunctionsPassBase::InlineCompilerFunctionsPassBase;

  void runOnOperation() override {
    SymbolTable symbols(getOperation());
    DenseSet<Operation *> meant;
    for (StringRef name : functions) {
      auto function = symbols.lookup<func::FuncOp>(name);
      if (!function) {
        emitError(getOperation().getLoc(),
                  "expects the name of a function of the module, but got \"")
            << name << "\"";
        return signalPassFailure();
      }
      if (function->hasAttr(kCompilerAttrName) && !function.isExternal())
        meant.insert(function);
    }
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      auto compiler = function->getAttrOfType<StringAttr>(kCompilerAttrName);
      if (compiler && !function.isExternal() &&
          llvm::any_of(compilers, [&](StringRef name) {
            return name == "*" || name == compiler.getValue();
          }))
        meant.insert(function);
    }
    SmallVector<CallOp> calls;
    getOperation().walk([&](CallOp call) {
      if (meant.contains(symbols.lookup(call.getCallee())))
        calls.push_back(call);
    });
    for (CallOp call : calls)
      inlineCall(call, symbols.lookup<func::FuncOp>(call.getCallee()));
    for (auto function :
         llvm::make_early_inc_range(getOperation().getOps<func::FuncOp>()))
      if (meant.contains(function) &&
          SymbolTable::symbolKnownUseEmpty(function, getOperation()))
        symbols.erase(function);
  }

private:
  void inlineCall(CallOp call, func::FuncOp callee) {
    OpBuilder builder(call);
    IRMapping mapping;
    Block &body = callee.getBody().front();
    mapping.map(body.getArguments(), call.getOperands());
    SmallVector<CallIndirectOp> inner;
    for (Operation &op : body.without_terminator())
      if (auto composite = dyn_cast<CallIndirectOp>(builder.clone(op, mapping)))
        inner.push_back(composite);
    SmallVector<Value> results;
    for (Value value : body.getTerminator()->getOperands())
      results.push_back(mapping.lookup(value));
    call.replaceAllUsesWith(results);
    call.erase();
    if (dissolvePatterns)
      for (CallIndirectOp composite : inner)
        inlineComposite(composite);
    ++numInlined;
  }
};

} // namespace

//===----------------------------------------------------------------------===//
// Outline
//===----------------------------------------------------------------------===//

namespace {

struct OutlineCompilerFunctionsPass
    : relay::impl::OutlineCompilerFunctionsPassBase<
          OutlineCompilerFunctionsPass> {
  using OutlineCompilerFunctionsPassBase::OutlineCompilerFunctionsPassBase;

  void runOnOperation() override {
    SymbolTable symbols(getOperation());
    SmallVector<std::pair<CallIndirectOp, FnOp>> calls;
    getOperation().walk([&](CallIndirectOp call) {
      Value callee = call.getCallee();
      if (auto let = callee.getDefiningOp<LetOp>())
        callee = let.getValue();
      if (auto fn = callee.getDefiningOp<FnOp>(); fn && isMeant(fn))
        calls.emplace_back(call, fn);
    });
    for (auto [call, fn] : calls)
      if (failed(outline(call, fn, symbols)))
        return signalPassFailure();
    for (auto [call, fn] : calls)
      call.erase();
    for (auto [call, fn] : calls)
      closures.insert(fn);
    for (Operation *fn : closures) {
      for (Operation *user : llvm::make_early_inc_range(fn->getUsers()))
        if (isa<LetOp>(user) && user->use_empty())
          user->erase();
      if (fn->use_empty())
        fn->erase();
    }
  }

private:
  bool isMeant(FnOp fn) const {
    auto compiler = fn->getAttrOfType<StringAttr>(kCompilerAttrName);
    return compiler && fn->hasAttrOfType<StringAttr>(kGlobalSymbolAttrName) &&
           (compilerFilter.empty() || compiler == compilerFilter);
  }
  LogicalResult outline(CallIndirectOp call, FnOp fn, SymbolTable &symbols);
  FailureOr<func::FuncOp> createFunction(FnOp fn);

  /// The functions that were made, and of which closures.
  llvm::DenseMap<Operation *, FnOp> sources;
  llvm::SetVector<Operation *> closures;
};

} // namespace

FailureOr<func::FuncOp> OutlineCompilerFunctionsPass::createFunction(FnOp fn) {
  if (fn.getRecursive() || fn.getTypeParams())
    return fn.emitOpError("expects a function for a code generator that does "
                          "not call itself, and has no type parameters");
  OpBuilder builder(fn.getContext());
  auto function = func::FuncOp::create(
      fn.getLoc(),
      fn->getAttrOfType<StringAttr>(kGlobalSymbolAttrName).getValue(),
      fn.getFunctionType());
  function.setPrivate();
  for (NamedAttribute attr : fn->getDiscardableAttrs())
    function->setAttr(attr.getName(), attr.getValue());
  if (ArrayAttr attrs = fn.getArgAttrsAttr())
    function.setAllArgAttrs(attrs);
  builder.setInsertionPointToStart(function.addEntryBlock());
  IRMapping mapping;
  mapping.map(fn.getParams(), function.getArguments());
  WalkResult result = fn.walk([&](Operation *op) {
    for (Value operand : op->getOperands()) {
      if (fn.getBody().isAncestor(operand.getParentRegion()) ||
          mapping.contains(operand))
        continue;
      Operation *source = operand.getDefiningOp();
      if (!source || !source->hasTrait<OpTrait::ConstantLike>()) {
        InFlightDiagnostic diag = op->emitOpError(
            "expects a function for a code generator to use its parameters "
            "and constants only, but got a value from around it");
        diag.attachNote(operand.getLoc()) << "the value is computed here";
        return WalkResult::interrupt();
      }
      builder.clone(*source, mapping);
    }
    return WalkResult::advance();
  });
  if (result.wasInterrupted()) {
    function.erase();
    return failure();
  }
  for (Operation &op : fn.getBody().front().without_terminator())
    builder.clone(op, mapping);
  Operation *yield = fn.getBody().front().getTerminator();
  func::ReturnOp::create(builder, yield->getLoc(),
                         mapping.lookupOrDefault(yield->getOperand(0)));
  return function;
}

LogicalResult OutlineCompilerFunctionsPass::outline(CallIndirectOp call,
                                                    FnOp fn,
                                                    SymbolTable &symbols) {
  auto name = fn->getAttrOfType<StringAttr>(kGlobalSymbolAttrName);
  Operation *known = symbols.lookup(name);
  if (!known) {
    FailureOr<func::FuncOp> function = createFunction(fn);
    if (failed(function))
      return failure();
    known = *function;
    symbols.insert(known, getOperation().getBody()->end());
    sources[known] = fn;
    ++numOutlined;
  } else if (FnOp source = sources.lookup(known);
             !source ||
             (source != fn &&
              !OperationEquivalence::isEquivalentTo(
                  source, fn, OperationEquivalence::ignoreValueEquivalence,
                  nullptr, OperationEquivalence::IgnoreLocations))) {
    InFlightDiagnostic diag =
        fn.emitOpError("expects functions of different names, but got "
                       "another one called \"")
        << name.getValue() << "\"";
    diag.attachNote(known->getLoc()) << "the first one is here";
    return diag;
  }
  OpBuilder builder(call);
  auto direct = CallOp::create(builder, call.getLoc(), call.getType(),
                               name.getValue(), call.getArgs(),
                               /*arg_attrs=*/{}, /*res_attrs=*/{});
  call.replaceAllUsesWith(direct.getResult(0));
  return success();
}

//===----------------------------------------------------------------------===//
// Extern
//===----------------------------------------------------------------------===//

namespace {

struct MarkCompilerFunctionsAsExternPass
    : relay::impl::MarkCompilerFunctionsAsExternPassBase<
          MarkCompilerFunctionsAsExternPass> {
  using MarkCompilerFunctionsAsExternPassBase::
      MarkCompilerFunctionsAsExternPassBase;

  void runOnOperation() override {
    Builder builder(&getContext());
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      auto compiler = function->getAttrOfType<StringAttr>(kCompilerAttrName);
      if (!compiler || (!compilerFilter.empty() && compiler != compilerFilter))
        continue;
      for (StringRef name :
           {kPrimitiveAttrName, kCompilerAttrName, kCompositeAttrName,
            kGlobalSymbolAttrName, kInlineAttrName})
        function->removeAttr(name);
      function->setAttr(kTextAttrsAttrName,
                        builder.getDictionaryAttr(builder.getNamedAttr(
                            "Extern", builder.getI32IntegerAttr(1))));
    }
  }
};

} // namespace
