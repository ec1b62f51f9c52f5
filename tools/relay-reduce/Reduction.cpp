//===- Reduction.cpp - Smaller programs -----------------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A change is made to a copy of the module first. If that is still valid and
// still interesting, it is made to the module.
//
//===----------------------------------------------------------------------===//

#include "Reduction.h"

#include "relay-mlir/Dialect/Relay/IR/Relay.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Reducer/ReductionPatternInterface.h"

using namespace mlir;
using namespace mlir::relay;

//===----------------------------------------------------------------------===//
// Changes
//===----------------------------------------------------------------------===//

/// The function whose body an operation is in, if its type may change.
static func::FuncOp getFreeFunction(Operation *op) {
  auto function = dyn_cast_or_null<func::FuncOp>(op->getParentOp());
  auto module = function ? function->getParentOfType<ModuleOp>() : ModuleOp();
  bool isFree = module && function.getBody().hasOneBlock() &&
                SymbolTable::symbolKnownUseEmpty(function, module);
  return isFree ? function : func::FuncOp();
}

/// Returns values from a function, each once.
static void setReturned(func::FuncOp function, ArrayRef<Value> values) {
  Operation *terminator = function.getBody().front().getTerminator();
  llvm::SmallSetVector<Value, 8> unique(values.begin(), values.end());
  terminator->setOperands(unique.getArrayRef());
  function.removeResAttrsAttr();
  function.setType(FunctionType::get(function.getContext(),
                                     function.getArgumentTypes(),
                                     terminator->getOperandTypes()));
}

/// The tensors that an operation reads, those in tuples and references as well.
static void collectTensors(Operation *op, SmallVectorImpl<Value> &values) {
  for (Value operand : op->getOperands()) {
    if (isa<TensorType>(operand.getType()))
      values.push_back(operand);
    else if (Operation *producer = operand.getDefiningOp())
      collectTensors(producer, values);
  }
}

/// Lets the function return what the operation reads in place of what it
/// computes.
static bool cutOff(Operation *op, RewriterBase &rewriter) {
  func::FuncOp function = getFreeFunction(op);
  if (!function || op->use_empty() ||
      !llvm::all_of(op->getUsers(), llvm::IsaPred<func::ReturnOp>))
    return false;
  SmallVector<Value> values;
  for (Value value : function.getBody().front().getTerminator()->getOperands())
    if (value.getDefiningOp() != op)
      values.push_back(value);
  collectTensors(op, values);
  if (values.empty())
    return false;
  setReturned(function, values);
  rewriter.eraseOp(op);
  return true;
}

/// Makes parameters of the results.
static bool replaceByParameters(Operation *op, RewriterBase &rewriter) {
  func::FuncOp function = getFreeFunction(op);
  if (!function || isa<ConstantOp>(op) ||
      !llvm::all_of(op->getResultTypes(), llvm::IsaPred<TensorType>))
    return false;
  SmallVector<Value> parameters;
  for (Type type : op->getResultTypes()) {
    unsigned index = function.getNumArguments();
    if (failed(function.insertArgument(index, type, DictionaryAttr(),
                                       op->getLoc())))
      return false;
    parameters.push_back(function.getArgument(index));
  }
  rewriter.replaceOp(op, parameters);
  return true;
}

static bool replaceByOperand(Operation *op, RewriterBase &rewriter) {
  if (op->getNumResults() != 1)
    return false;
  auto isAlike = [&](Value operand) {
    return operand.getType() == op->getResult(0).getType();
  };
  auto it = llvm::find_if(op->getOperands(), isAlike);
  if (it == op->operand_end())
    return false;
  rewriter.replaceOp(op, *it);
  return true;
}

static bool replaceByZeros(Operation *op, RewriterBase &rewriter) {
  SmallVector<Value> zeros;
  for (Type type : op->getResultTypes()) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    if (!tensor || !tensor.hasStaticShape() ||
        !tensor.getElementType().isIntOrFloat())
      return false;
    auto value = cast<ElementsAttr>(rewriter.getZeroAttr(tensor));
    auto constant = dyn_cast<ConstantOp>(op);
    if (constant && constant.getValue() == value)
      return false;
    zeros.push_back(ConstantOp::create(rewriter, op->getLoc(), value));
  }
  rewriter.replaceOp(op, zeros);
  return true;
}

//===----------------------------------------------------------------------===//
// Trials
//===----------------------------------------------------------------------===//

/// Whether a module is valid, which need not be said, and interesting.
static bool isInteresting(ModuleOp module, const Tester &tester) {
  ScopedDiagnosticHandler silence(module.getContext(),
                                  [](Diagnostic &) { return success(); });
  return succeeded(verify(module)) &&
         tester.isInteresting(module).first == Tester::Interestingness::True;
}

/// Changes a module if a copy that is changed so is interesting.
static void changeIfInteresting(ModuleOp module, const Tester &tester,
                                function_ref<void(ModuleOp)> change) {
  OwningOpRef<ModuleOp> copy(cast<ModuleOp>(module->clone()));
  change(*copy);
  if (isInteresting(*copy, tester))
    change(module);
}

/// Whether the module of an operation is interesting after a change to it,
/// which is made to a copy.
static bool isInterestingAfter(Operation *op, const Tester &tester,
                               function_ref<bool(Operation *)> change) {
  IRMapping mapping;
  auto module = op->getParentOfType<ModuleOp>();
  OwningOpRef<ModuleOp> copy(
      cast<ModuleOp>(module->clone(mapping, Operation::CloneOptions::all())));
  return change(mapping.lookup(op)) && isInteresting(*copy, tester);
}

/// Makes an operation simpler in the first way that stays interesting.
static LogicalResult simplify(Operation *op, const Tester &tester,
                              RewriterBase &rewriter) {
  if (!op->getParentOfType<ModuleOp>() || op->getNumResults() == 0 ||
      op->hasTrait<OpTrait::IsTerminator>())
    return failure();
  for (auto *change :
       {cutOff, replaceByParameters, replaceByOperand, replaceByZeros}) {
    IRRewriter copyRewriter(rewriter.getContext());
    if (!isInterestingAfter(op, tester, [&](Operation *copy) {
          copyRewriter.setInsertionPoint(copy);
          return change(copy, copyRewriter);
        }))
      continue;
    rewriter.setInsertionPoint(op);
    return success(change(op, rewriter));
  }
  return failure();
}

namespace {

/// As a pattern, for the pass.
struct Simplify final : RewritePattern {
  Simplify(MLIRContext *context, Tester &tester)
      : RewritePattern(MatchAnyOpTypeTag(), /*benefit=*/1, context),
        tester(tester) {}

  LogicalResult matchAndRewrite(Operation *op,
                                PatternRewriter &rewriter) const override {
    return simplify(op, tester, rewriter);
  }

  Tester &tester;
};

struct RelayReduction final : DialectReductionPatternInterface {
  using DialectReductionPatternInterface::DialectReductionPatternInterface;
  explicit RelayReduction(Dialect *dialect)
      : DialectReductionPatternInterface(dialect) {}

  void populateReductionPatterns(RewritePatternSet &) const override {}
  void populateReductionPatternsWithTester(RewritePatternSet &patterns,
                                           Tester &tester) const override {
    patterns.add<Simplify>(patterns.getContext(), tester);
  }
};

} // namespace

void relay::registerReductionPatterns(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *, RelayDialect *dialect) {
    dialect->addInterfaces<RelayReduction>();
  });
}

void relay::simplifyOneByOne(ModuleOp module, const Tester &tester) {
  IRRewriter rewriter(module.getContext());
  // From the end, so that what is erased has been visited.
  for (size_t visited = 0;;) {
    SmallVector<Operation *> ops;
    module.walk([&](Operation *op) { ops.push_back(op); });
    if (visited >= ops.size())
      return;
    Operation *op = ops[ops.size() - 1 - visited];
    auto erase = [](Operation *dead) {
      dead->erase();
      return true;
    };
    if (isOpTriviallyDead(op) && isInterestingAfter(op, tester, erase))
      op->erase();
    else if (failed(simplify(op, tester, rewriter)))
      ++visited;
  }
}

//===----------------------------------------------------------------------===//
// Weights
//===----------------------------------------------------------------------===//

static void zeroWeights(ModuleOp module) {
  SmallVector<ConstantOp> constants;
  module.walk([&](ConstantOp op) { constants.push_back(op); });
  IRRewriter rewriter(module.getContext());
  for (ConstantOp op : constants) {
    rewriter.setInsertionPoint(op);
    (void)replaceByZeros(op, rewriter);
  }
}

void relay::zeroWeights(ModuleOp module, const Tester &tester) {
  changeIfInteresting(module, tester, ::zeroWeights);
}

//===----------------------------------------------------------------------===//
// Earlier results
//===----------------------------------------------------------------------===//

/// Erases what nobody needs.
static void eraseDead(Block &block) {
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block)))
    if (isOpTriviallyDead(&op))
      op.erase();
}

/// Returns the results of the operation `index` of the function's body.
static bool returnFrom(func::FuncOp function, size_t index) {
  Block &body = function.getBody().front();
  Operation &op = *std::next(body.begin(), static_cast<ptrdiff_t>(index));
  SmallVector<Value> values;
  for (Value result : op.getResults())
    if (isa<TensorType>(result.getType()))
      values.push_back(result);
  if (values.empty())
    return false;
  setReturned(function, values);
  eraseDead(body);
  return true;
}

void relay::returnEarlier(ModuleOp module, const Tester &tester) {
  for (auto function : module.getOps<func::FuncOp>()) {
    if (function.isExternal() || !function.getBody().hasOneBlock() ||
        !SymbolTable::symbolKnownUseEmpty(function, module))
      continue;
    Block &body = function.getBody().front();
    auto tryFrom = [&](size_t index) {
      return isInterestingAfter(function, tester, [&](Operation *copy) {
        return returnFrom(cast<func::FuncOp>(copy), index);
      });
    };
    // The first one that is interesting, if those after it are.
    SmallVector<size_t> indices;
    for (auto [index, op] : llvm::enumerate(body.without_terminator()))
      if (!isa<ConstantOp>(op) &&
          llvm::any_of(op.getResultTypes(), llvm::IsaPred<TensorType>))
        indices.push_back(index);
    size_t low = 0, high = indices.size();
    std::optional<size_t> found;
    while (low < high) {
      size_t middle = low + (high - low) / 2;
      if (tryFrom(indices[middle])) {
        found = indices[middle];
        high = middle;
      } else {
        low = middle + 1;
      }
    }
    if (found)
      (void)returnFrom(function, *found);
  }
}

//===----------------------------------------------------------------------===//
// What is not used
//===----------------------------------------------------------------------===//

/// What is returned as it came is no use either.
static void eraseUnusedParameters(ModuleOp module) {
  for (auto function : module.getOps<func::FuncOp>()) {
    if (function.isExternal() ||
        !SymbolTable::symbolKnownUseEmpty(function, module))
      continue;
    SmallVector<Value> computed;
    if (function.getBody().hasOneBlock())
      llvm::copy_if(function.getBody().front().getTerminator()->getOperands(),
                    std::back_inserter(computed),
                    [](Value value) { return !isa<BlockArgument>(value); });
    if (!computed.empty())
      setReturned(function, computed);
    llvm::BitVector unused(function.getNumArguments());
    for (BlockArgument argument : function.getArguments())
      if (argument.use_empty())
        unused.set(argument.getArgNumber());
    (void)function.eraseArguments(unused);
  }
}

void relay::eraseUnused(ModuleOp module, const Tester &tester) {
  SmallVector<std::string> names;
  for (auto function : module.getOps<func::FuncOp>())
    names.push_back(function.getSymName().str());
  for (StringRef name : names)
    if (SymbolTable::symbolKnownUseEmpty(module.lookupSymbol(name), module))
      changeIfInteresting(module, tester, [&](ModuleOp changed) {
        changed.lookupSymbol(name)->erase();
      });
  changeIfInteresting(module, tester, ::eraseUnusedParameters);
}
