//===- LambdaLift.cpp - Closures as functions -----------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "relay-mlir/Dialect/Relay/Transforms/Passes.h"

#include "Functional.h"

#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/xxhash.h"

namespace mlir::relay {
#define GEN_PASS_DEF_LAMBDALIFTPASS
#include "relay-mlir/Dialect/Relay/Transforms/Passes.h.inc"
} // namespace mlir::relay

using namespace mlir;
using namespace mlir::relay;

/// The name of a function while its text is compared.
static constexpr StringLiteral kNoName = "lifted_name";

/// The attribute in Relay's text of a function of captured values that returns
/// the closure.
static constexpr StringLiteral kClosureAttr = "Closure";

static bool makesClosure(func::FuncOp function) {
  auto others = function->getAttrOfType<DictionaryAttr>(kTextAttrsAttrName);
  return others && others.contains(kClosureAttr);
}

/// Brings what is no variable in Relay, constants and names, into a closure
/// that uses it from outside.
static void sinkConstants(FnOp fn) {
  llvm::SetVector<Value> values;
  getUsedValuesDefinedAbove(fn.getBodyRegion(), values);
  OpBuilder builder = OpBuilder::atBlockBegin(&fn.getBody().front());
  for (Value value : values) {
    Operation *op = value.getDefiningOp();
    if (!op || !(matchPattern(op, m_Constant()) || isNamedValue(op)))
      continue;
    Operation *copy = builder.clone(*op);
    value.replaceUsesWithIf(copy->getResult(0), [&](OpOperand &use) {
      return fn->isProperAncestor(use.getOwner());
    });
  }
}

/// The text of a function without the names that mean nothing.
static std::string getText(func::FuncOp function) {
  OwningOpRef<func::FuncOp> copy = function.clone();
  for (unsigned i = 0, end = copy->getNumArguments(); i != end; ++i)
    copy->removeArgAttr(i, kNameAttrName);
  copy->walk([](Operation *op) {
    if (auto let = dyn_cast<LetOp>(op))
      let.setName("x");
    if (auto fn = dyn_cast<FnOp>(op))
      fn.removeArgAttrsAttr();
  });
  std::string text;
  llvm::raw_string_ostream os(text);
  copy->getOperation()->print(os, OpPrintingFlags().useLocalScope());
  return text;
}

namespace {

class Lifting {
public:
  explicit Lifting(ModuleOp module) : module(module), symbols(module) {}

  /// Returns whether there is a new function, not one that is there already.
  bool lift(FnOp fn);

private:
  func::FuncOp makeFunction(FnOp fn, ArrayRef<Value> captured);
  void makeBody(FnOp fn, ArrayRef<Value> captured, func::FuncOp function);
  /// The function whose text is that of `function`, perhaps itself.
  func::FuncOp share(func::FuncOp function);

  ModuleOp module;
  SymbolTable symbols;
  llvm::StringMap<func::FuncOp> byText;
};

struct LambdaLiftPass : relay::impl::LambdaLiftPassBase<LambdaLiftPass> {
  void runOnOperation() override {
    Lifting lifting(getOperation());
    for (auto function :
         llvm::to_vector(getOperation().getOps<func::FuncOp>())) {
      if (!isOptimizable(function))
        continue;
      // Those inside first. A function that was made by this pass, or by
      // another, has one closure for its value: that stays.
      SmallVector<FnOp> closures;
      function.walk([&](FnOp fn) {
        if (!isClosedUnit(fn) && !isOperatorValue(fn) &&
            !isValueOf(fn, function))
          closures.push_back(fn);
      });
      for (FnOp fn : closures) {
        ++numLifted;
        if (!lifting.lift(fn))
          ++numShared;
      }
    }
  }

private:
  static bool isValueOf(FnOp fn, func::FuncOp function) {
    return makesClosure(function) &&
           llvm::is_contained(
               function.getBody().front().getTerminator()->getOperands(),
               fn.getResult());
  }
};

} // namespace

/// Makes `fn` the body of a function of its own parameters.
static void moveBody(FnOp fn, func::FuncOp function) {
  OpBuilder builder(fn.getContext());
  Region &region = function.getBody();
  region.takeBody(fn.getBodyRegion());
  Block &body = region.front();
  if (fn.getRecursive()) {
    // It is called by its name now.
    BlockArgument self = body.getArgument(0);
    builder.setInsertionPointToStart(&body);
    if (!self.use_empty())
      self.replaceAllUsesWith(GlobalOp::create(builder, fn.getLoc(),
                                               self.getType(),
                                               FlatSymbolRefAttr::get(function))
                                  .getResult());
    body.eraseArgument(0);
  }
  Operation *yield = body.getTerminator();
  builder.setInsertionPoint(yield);
  func::ReturnOp::create(builder, yield->getLoc(), yield->getOperands());
  yield->erase();
}

func::FuncOp Lifting::makeFunction(FnOp fn, ArrayRef<Value> captured) {
  MLIRContext *context = module.getContext();
  Builder builder(context);
  llvm::SetVector<StringAttr> vars = getFreeTypeVars(fn);
  for (Value value : captured)
    for (StringAttr var : getFreeTypeVars(value.getType()))
      vars.insert(var);
  bool isDirect = captured.empty() && vars.empty();
  FunctionType type =
      isDirect ? fn.getFunctionType()
               : FunctionType::get(
                     context,
                     llvm::map_to_vector(
                         captured, [](Value value) { return value.getType(); }),
                     fn.getResult().getType());
  auto function = func::FuncOp::create(fn.getLoc(), kNoName, type);
  function.setPrivate();
  auto setTypeParams = [&](ArrayRef<StringAttr> params) {
    if (!params.empty())
      function->setAttr(
          kTypeParamsAttrName,
          builder.getArrayAttr(llvm::to_vector_of<Attribute>(params)));
  };
  if (isDirect) {
    setTypeParams(relay::getTypeParams(fn.getResult().getType()));
    if (ArrayAttr attrs = fn.getArgAttrsAttr())
      function.setArgAttrsAttr(attrs);
    copyFunctionAttrs(fn, function);
    moveBody(fn, function);
    return function;
  }
  setTypeParams(vars.getArrayRef());
  function->setAttr(kTextAttrsAttrName,
                    builder.getDictionaryAttr(builder.getNamedAttr(
                        kClosureAttr, builder.getI32IntegerAttr(1))));
  makeBody(fn, captured, function);
  return function;
}

/// Fills a function of the captured values that returns the closure.
void Lifting::makeBody(FnOp fn, ArrayRef<Value> captured,
                       func::FuncOp function) {
  Block *entry = function.addEntryBlock();
  OpBuilder builder = OpBuilder::atBlockBegin(entry);
  auto closure = cast<FnOp>(builder.cloneWithoutRegions(*fn.getOperation()));
  closure.setRecursive(false);
  closure.getBodyRegion().takeBody(fn.getBodyRegion());
  for (auto [value, argument] :
       llvm::zip_equal(captured, entry->getArguments())) {
    argument.setLoc(value.getLoc());
    replaceAllUsesInRegionWith(value, argument, closure.getBodyRegion());
    StringAttr name;
    if (auto let = value.getDefiningOp<LetOp>())
      name = let.getNameAttr();
    if (name)
      function.setArgAttr(argument.getArgNumber(), kNameAttrName, name);
  }
  func::ReturnOp::create(builder, fn.getLoc(), closure.getResult());
  if (!fn.getRecursive())
    return;
  Block &body = closure.getBody().front();
  BlockArgument self = body.getArgument(0);
  builder.setInsertionPointToStart(&body);
  auto again = CallOp::create(
      builder, fn.getLoc(), self.getType(), FlatSymbolRefAttr::get(function),
      ValueRange(entry->getArguments()),
      /*arg_attrs=*/ArrayAttr(), /*res_attrs=*/ArrayAttr());
  self.replaceAllUsesWith(again.getResult(0));
  body.eraseArgument(0);
}

func::FuncOp Lifting::share(func::FuncOp function) {
  std::string text = getText(function);
  auto [it, isNew] = byText.try_emplace(text, function);
  if (!isNew) {
    function.erase();
    return it->second;
  }
  // Equal programs have equal names, whatever else is in the module.
  auto name = StringAttr::get(module.getContext(),
                              Twine(kNoName) + Twine(llvm::xxh3_64bits(text)));
  auto old = StringAttr::get(module.getContext(), kNoName);
  function.setSymNameAttr(name);
  symbols.insert(function, module.getBody()->end());
  (void)SymbolTable::replaceAllSymbolUses(old, function.getSymNameAttr(),
                                          function.getOperation());
  return function;
}

bool Lifting::lift(FnOp fn) {
  sinkConstants(fn);
  llvm::SetVector<Value> found;
  getUsedValuesDefinedAbove(fn.getBodyRegion(), found);
  SmallVector<Value> captured = found.takeVector();
  size_t known = byText.size();
  func::FuncOp function = share(makeFunction(fn, captured));
  OpBuilder builder(fn);
  Value result;
  if (makesClosure(function))
    result = CallOp::create(builder, fn.getLoc(), fn.getResult().getType(),
                            FlatSymbolRefAttr::get(function), captured,
                            /*arg_attrs=*/ArrayAttr(),
                            /*res_attrs=*/ArrayAttr())
                 .getResult(0);
  else
    result = GlobalOp::create(builder, fn.getLoc(), fn.getResult().getType(),
                              FlatSymbolRefAttr::get(function))
                 .getResult();
  fn.replaceAllUsesWith(result);
  fn.erase();
  return byText.size() != known;
}
