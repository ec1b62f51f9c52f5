//===- NarrowValues.cpp - Values between kernels in bf16 ------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where matrix units round what they multiply to bf16, a value that is stored
// for them may as well be rounded when it is stored: half the bytes, and
// nothing to be done when it is read. Kernels are shared by calls; what one
// call passes in another type gets a kernel of its own.
//
//===----------------------------------------------------------------------===//

#include "relay-mlir/Dialect/Relay/Transforms/Passes.h"

#include "OperatorTargets.h"
#include "ProductCounts.h"

#include "relay-mlir/Dialect/Relay/IR/FunctionAttributes.h"
#include "relay-mlir/Dialect/Relay/IR/Relay.h"

#include "llvm/ADT/MapVector.h"

#include <map>

namespace mlir::relay {
#define GEN_PASS_DEF_NARROWVALUESPASS
#include "relay-mlir/Dialect/Relay/Transforms/Passes.h.inc"
} // namespace mlir::relay

using namespace mlir;
using namespace mlir::relay;

/// Fewer rows only wait for their weights, and short sums for other things:
/// both are left to vectors of f32.
static constexpr double kMinRows = 16, kMinDepth = 16;

/// Whether matrix units are likely to compute it.
static bool isForUnits(ContractionOpInterface op) {
  auto data = dyn_cast<RankedTensorType>(op->getOperand(0).getType());
  auto weight = dyn_cast<RankedTensorType>(op->getOperand(1).getType());
  auto result = dyn_cast<RankedTensorType>(op->getResult(0).getType());
  if (!data || !weight || !result || !data.getElementType().isF32() ||
      !weight.getElementType().isF32() || !result.getElementType().isF32())
    return false;
  double products = countProducts(op, weight, result);
  return products >= kMinRows * countElements(weight) &&
         products >= kMinDepth * countElements(result);
}

/// Whether all that an operator does is to move elements, of any type.
static bool movesElements(Operation *op) {
  return op->hasTrait<MovesElements>() || isa<ConcatenateOp>(op);
}

/// Whether a value may as well be rounded before the operator as after it: a
/// relative error of an operand is one of the result.
static bool keepsErrors(Operation *op) {
  return movesElements(op) || op->hasTrait<PositivelyHomogeneous>() ||
         isa<NNPadOp>(op);
}

namespace {

/// What becomes of a value.
enum class Rounding {
  /// Nothing rounds it.
  None,
  /// A product does when it reads it, or it is stored as bf16.
  Later,
  /// A product reads it as it is, or again and again.
  Never
};

} // namespace

/// What a kernel makes of a value, of whose results those are bf16 that
/// `results` says.
static Rounding getRounding(Value value, ArrayRef<bool> results,
                            DenseSet<Value> &visited) {
  Rounding rounding = Rounding::None;
  if (!visited.insert(value).second)
    return rounding;
  for (OpOperand &use : value.getUses()) {
    Operation *op = use.getOwner();
    Rounding other = Rounding::None;
    if (auto product = dyn_cast<ContractionOpInterface>(op))
      other = use.getOperandNumber() == 0 && isForUnits(product)
                  ? Rounding::Later
                  : Rounding::Never;
    else if (isa<func::ReturnOp>(op) && results[use.getOperandNumber()])
      other = Rounding::Later;
    else if (keepsErrors(op) && op->getNumResults() == 1)
      other = getRounding(op->getResult(0), results, visited);
    rounding = std::max(rounding, other);
  }
  return rounding;
}

static RankedTensorType toHalf(Type type) {
  return cast<RankedTensorType>(type).clone(
      BFloat16Type::get(type.getContext()));
}

/// The value as bf16. It is cast before it is moved, and not at all where it
/// was of that type.
static Value narrowValue(OpBuilder &builder, Value value) {
  Operation *op = value.getDefiningOp();
  auto wide = dyn_cast_or_null<CastOp>(op);
  if (wide && getElementTypeOrSelf(wide.getData().getType()).isBF16())
    return wide.getData();
  if (!op || !movesElements(op) || !value.hasOneUse())
    return CastOp::create(builder, value.getLoc(), value,
                          builder.getBF16Type());
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPoint(op);
  for (OpOperand &operand : op->getOpOperands())
    if (getElementTypeOrSelf(operand.get().getType()).isF32())
      operand.set(narrowValue(builder, operand.get()));
  value.setType(toHalf(value.getType()));
  return value;
}

namespace {

/// Which parameters and results of a kernel are bf16 in a call.
struct Signature {
  SmallVector<bool> parameters, results;

  bool operator<(const Signature &other) const {
    return std::tie(parameters, results) <
           std::tie(other.parameters, other.results);
  }
};

class Narrowing {
public:
  explicit Narrowing(ModuleOp module) : symbols(module) {}

  /// Chooses values of the function, and has its calls take and give them.
  int64_t run(func::FuncOp caller);
  /// Erases kernels whose place others have taken in all calls.
  void eraseReplaced(ModuleOp module);

private:
  /// The kernel that is called; null if others make its code.
  func::FuncOp lookupKernel(Operation *call) const;
  SmallVector<bool> areChosen(ValueRange values) const {
    return llvm::map_to_vector(
        values, [&](Value value) { return chosen.contains(value); });
  }
  bool isWorth(OpResult value, const OperatorTargets &targets,
               Precision precision);
  func::FuncOp getNarrow(func::FuncOp kernel, const Signature &signature);

  SymbolTable symbols;
  /// By what they took the place of.
  DenseMap<Operation *, std::map<Signature, func::FuncOp>> narrow;
  /// The values that become bf16.
  DenseSet<Value> chosen;
};

} // namespace

func::FuncOp Narrowing::lookupKernel(Operation *op) const {
  auto call = dyn_cast<CallOp>(op);
  if (!call)
    return {};
  auto kernel = symbols.lookup<func::FuncOp>(call.getCallee());
  return kernel && kernel->hasAttr(kPrimitiveAttrName) &&
                 !kernel->hasAttr(kCompilerAttrName) && !kernel.isExternal()
             ? kernel
             : func::FuncOp();
}

bool Narrowing::isWorth(OpResult value, const OperatorTargets &targets,
                        Precision precision) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (!type || !type.getElementType().isF32() || value.use_empty())
    return false;
  auto isOnUnits = [&](Operation *op) {
    TargetAttrInterface target = targets.lookup(op);
    return lookupKernel(op) && target && target.getMatrixTerms(precision) == 1;
  };
  if (!isOnUnits(value.getOwner()) ||
      !llvm::all_of(value.getUsers(), isOnUnits))
    return false;
  Rounding rounding = Rounding::None;
  for (OpOperand &use : value.getUses()) {
    Operation *call = use.getOwner();
    DenseSet<Value> visited;
    rounding = std::max(
        rounding,
        getRounding(lookupKernel(call).getArgument(use.getOperandNumber()),
                    areChosen(call->getResults()), visited));
  }
  return rounding == Rounding::Later;
}

/// The kernel with parameters and results of bf16.
func::FuncOp Narrowing::getNarrow(func::FuncOp kernel,
                                  const Signature &signature) {
  func::FuncOp &copy = narrow[kernel][signature];
  if (copy)
    return copy;
  copy = kernel.clone();
  copy.setName((kernel.getSymName() + "_bf16").str());
  symbols.insert(copy, Block::iterator(kernel));
  Block &body = copy.getBody().front();
  OpBuilder builder = OpBuilder::atBlockBegin(&body);
  SmallVector<CastOp> casts;
  for (auto [argument, isNarrow] :
       llvm::zip_equal(body.getArguments(), signature.parameters)) {
    if (!isNarrow)
      continue;
    Type element = getElementTypeOrSelf(argument.getType());
    argument.setType(toHalf(argument.getType()));
    auto wide = CastOp::create(builder, argument.getLoc(), argument, element);
    argument.replaceAllUsesExcept(wide, wide);
    casts.push_back(wide);
  }
  Operation *last = body.getTerminator();
  builder.setInsertionPoint(last);
  for (auto [operand, isNarrow] :
       llvm::zip_equal(last->getOpOperands(), signature.results))
    if (isNarrow)
      operand.set(narrowValue(builder, operand.get()));
  for (CastOp wide : casts)
    if (wide.use_empty())
      wide.erase();
  copy.setType(builder.getFunctionType(body.getArgumentTypes(),
                                       last->getOperandTypes()));
  return copy;
}

int64_t Narrowing::run(func::FuncOp caller) {
  OperatorTargets targets(caller);
  Precision precision = getPrecision(caller);
  SmallVector<CallOp> calls;
  caller.walk([&](CallOp call) {
    if (lookupKernel(call))
      calls.push_back(call);
  });
  // Readers first: what they store says what they need.
  int64_t count = 0;
  for (CallOp call : llvm::reverse(calls))
    for (OpResult result : call->getResults())
      if (isWorth(result, targets, precision)) {
        chosen.insert(result);
        ++count;
      }
  for (CallOp call : calls) {
    Signature signature{areChosen(call->getOperands()),
                        areChosen(call->getResults())};
    if (!llvm::is_contained(signature.parameters, true) &&
        !llvm::is_contained(signature.results, true))
      continue;
    call.setCallee(getNarrow(lookupKernel(call), signature).getSymName());
  }
  for (CallOp call : calls)
    for (Value result : call->getResults())
      if (chosen.contains(result))
        result.setType(toHalf(result.getType()));
  return count;
}

void Narrowing::eraseReplaced(ModuleOp module) {
  DenseSet<StringAttr> used;
  if (auto uses = SymbolTable::getSymbolUses(&module.getBodyRegion()))
    for (SymbolTable::SymbolUse use : *uses)
      used.insert(use.getSymbolRef().getRootReference());
  for (auto kernel : llvm::to_vector(module.getOps<func::FuncOp>()))
    if (narrow.contains(kernel) && !used.contains(kernel.getSymNameAttr()))
      symbols.erase(kernel);
}

namespace {

struct NarrowValuesPass final
    : relay::impl::NarrowValuesPassBase<NarrowValuesPass> {
  using NarrowValuesPassBase::NarrowValuesPassBase;

  void runOnOperation() override {
    Narrowing narrowing(getOperation());
    for (auto function : llvm::to_vector(getOperation().getOps<func::FuncOp>()))
      if (!isCompiledAsItIs(function))
        numNarrowed += narrowing.run(function);
    narrowing.eraseReplaced(getOperation());
  }
};

} // namespace
