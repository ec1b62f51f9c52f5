//===- FoldConstant.cpp - Evaluate operators of constants -----------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "relay-mlir/Dialect/Relay/IR/FunctionAttributes.h"
#include "relay-mlir/Dialect/Relay/IR/Relay.h"
#include "relay-mlir/Dialect/Relay/IR/RelayNNContribOps.h"
#include "relay-mlir/Dialect/Relay/IR/TensorLimits.h"
#include "relay-mlir/Dialect/Relay/Transforms/Passes.h"

#include "FoldConstant.h"
#include "Functional.h"
#include "VariableUses.h"
#include "relay-mlir/Interpreter/Interpreter.h"
#include "relay-mlir/Support/PassOptions.h"
#include "relay-mlir/Support/SilentDiagnostics.h"

#include "mlir/IR/DialectResourceBlobManager.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace mlir::relay {
#define GEN_PASS_DEF_FOLDCONSTANTPASS
#include "relay-mlir/Dialect/Relay/Transforms/Passes.h.inc"
} // namespace mlir::relay

using namespace mlir;
using namespace mlir::relay;

namespace {

/// Folds the operators of one function, in order. Results stay host tensors
/// until an operator that is not folded needs them.
class ConstantFolder {
public:
  ConstantFolder(const Interpreter &interpreter, int64_t maxGrowth,
                 bool foldQnn)
      : interpreter(interpreter), maxGrowth(maxGrowth), foldQnn(foldQnn) {}

  /// Takes large uniform constants out of `function`.
  void replaceLargeSplats(func::FuncOp function);

  /// Returns the number of operators folded.
  int64_t run(func::FuncOp function);

private:
  struct Known {
    InterpreterValue contents;
    int64_t remainingUses;
  };

  bool isCandidate(Operation *op);
  WalkResult visit(Operation *op);
  bool foldIf(IfOp op);
  std::optional<InterpreterValue> evaluate(Operation *op);
  std::optional<InterpreterValue> evaluateShape(Operation *op);
  int64_t countLastUses(Operation *op) const;
  std::optional<InterpreterValue> lookup(Value value);
  void fold(Operation *op, InterpreterValue result);
  void materialize(Value value);
  /// Sets how many bytes folded values may have together.
  void setBudget(func::FuncOp function);

  const Interpreter &interpreter;
  int64_t maxGrowth;
  bool foldQnn;
  /// Bytes that folded values may still take.
  int64_t budget = 0;
  DenseMap<Value, Known> known;
  SmallVector<Operation *> folded;
  SmallVector<ConstantOp> constants;
};

} // namespace

//===----------------------------------------------------------------------===//
// What to fold
//===----------------------------------------------------------------------===//

/// How the names of resources begin that this pass makes.
static constexpr StringLiteral kFoldedPrefix = "folded.";

/// Uniform constants that are larger are computed when the program runs: as an
/// attribute they have one element, but whoever needs the bytes makes all.
static constexpr int64_t kMaxSplatBytes = int64_t(64) << 20;

std::optional<int64_t> relay::getSizeInBytes(Type type) {
  if (auto tuple = dyn_cast<TupleType>(type)) {
    int64_t total = 0;
    for (Type field : tuple.getTypes()) {
      std::optional<int64_t> size = getSizeInBytes(field);
      if (!size)
        return std::nullopt;
      total += *size;
    }
    return total;
  }
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor || !tensor.hasStaticShape() ||
      !Tensor::supports(tensor.getElementType()) ||
      !isWithinTensorLimits(tensor))
    return std::nullopt;
  return tensor.getNumElements() * getElementSize(tensor.getElementType());
}

/// Whether a constant of a more static type may take the place of the result:
/// operators accept that, returns and tuples want the type as it is.
static bool canRefineResult(Operation *op) {
  if (getSizeInBytes(op->getResult(0).getType()))
    return true;
  return llvm::all_of(op->getUsers(), [](Operation *user) {
    return isa<FusionPatternOpInterface>(user) && !isa<TupleOp>(user);
  });
}

bool ConstantFolder::isCandidate(Operation *op) {
  if (op->getNumOperands() == 0 || op->getNumResults() != 1 || !isPure(op) ||
      !interpreter.canEvaluate(op) || !canRefineResult(op))
    return false;
  // What training does is not what the interpreter does.
  if (isa<NNDropoutOp>(op))
    return false;
  if (!foldQnn && op->hasTrait<OnQuantized>())
    return false;
  // Otherwise it would be taken apart only to be made again.
  if (isa<TupleOp>(op))
    return llvm::any_of(op->getUsers(), llvm::IsaPred<TupleGetItemOp>);
  return true;
}

std::optional<InterpreterValue> ConstantFolder::lookup(Value value) {
  if (auto it = known.find(value); it != known.end())
    return it->second.contents;
  auto constant = value.getDefiningOp<ConstantOp>();
  InterpreterValue contents;
  if (constant && succeeded(interpreter.evaluateOp(constant, {}, contents)))
    return contents;
  return std::nullopt;
}

/// Shapes of static types are known without the value.
std::optional<InterpreterValue> ConstantFolder::evaluateShape(Operation *op) {
  if (!isa<ShapeOfOp, NdarraySizeOp>(op))
    return std::nullopt;
  auto type = cast<RankedTensorType>(op->getOperand(0).getType());
  auto resultType = cast<RankedTensorType>(op->getResult(0).getType());
  if (!type.hasStaticShape() || resultType.getRank() != isa<ShapeOfOp>(op))
    return std::nullopt;
  if (isa<ShapeOfOp>(op))
    return Tensor::getVector(resultType.getElementType(), type.getShape());
  return Tensor::getScalar(resultType.getElementType(), type.getNumElements());
}

/// Whether `op` converts half precision for products alone.
static bool isWideningOfWeight(Operation *op) {
  auto cast = dyn_cast<CastOp>(op);
  auto from = cast ? dyn_cast<RankedTensorType>(cast.getData().getType())
                   : RankedTensorType();
  return from && cast.getDtype().isF32() &&
         from.getElementTypeBitWidth() == 16 &&
         llvm::all_of(op->getUsers(), [&](Operation *user) {
           return isa<ContractionOpInterface>(user) &&
                  user->getOperand(1) == op->getResult(0);
         });
}

/// Whether `op` converts what is only summed, as the sums of a quantized
/// weight.
static bool isWideningOfTerms(Operation *op) {
  return isa<CastOp>(op) && llvm::all_of(op->getUsers(), [](Operation *user) {
           return isa<SumOp>(user);
         });
}

/// The bytes of operands that nobody else reads.
int64_t ConstantFolder::countLastUses(Operation *op) const {
  int64_t bytes = 0;
  llvm::SmallDenseSet<Value> counted;
  for (Value operand : op->getOperands()) {
    if (!counted.insert(operand).second)
      continue;
    auto it = known.find(operand);
    bool isLast =
        it == known.end() ? operand.hasOneUse() : it->second.remainingUses == 1;
    if (isLast)
      bytes += getSizeInBytes(operand.getType()).value_or(0);
  }
  return bytes;
}

std::optional<InterpreterValue> ConstantFolder::evaluate(Operation *op) {
  // A variable is the constant that it is bound to.
  if (auto let = dyn_cast<LetOp>(op))
    return lookup(let.getValue());
  if (!isCandidate(op))
    return std::nullopt;
  if (std::optional<InterpreterValue> shape = evaluateShape(op))
    return shape;

  auto isKnown = [&](Value operand) {
    return known.contains(operand) || operand.getDefiningOp<ConstantOp>();
  };
  if (!llvm::all_of(op->getOperands(), isKnown))
    return std::nullopt;
  SmallVector<InterpreterValue> operands;
  // A weight is transformed or widened once, however large; to do that in each
  // run would cost more than it saves. Terms of sums are gone soon.
  bool isWeight = isa<NNContribConv2dWinogradWeightTransformOp>(op) ||
                  isWideningOfWeight(op) || isWideningOfTerms(op);
  int64_t limit =
      isWeight ? std::numeric_limits<int64_t>::max() / 2 : int64_t(maxGrowth);
  llvm::SmallDenseSet<Value> counted;
  for (Value operand : op->getOperands()) {
    std::optional<InterpreterValue> contents = lookup(operand);
    if (!contents)
      return std::nullopt;
    if (counted.insert(operand).second)
      limit += *getSizeInBytes(contents->getType(op->getContext()));
    operands.push_back(std::move(*contents));
  }
  // What takes the place of as much as it reads makes nothing larger.
  int64_t size = getSizeInBytes(op->getResult(0).getType()).value_or(0);
  if (!isWeight && size > countLastUses(op))
    limit = std::min(limit, budget);
  if (size > limit)
    return std::nullopt;
  InterpreterValue result;
  if (failed(interpreter.evaluateOp(op, operands, result)) ||
      *getSizeInBytes(result.getType(op->getContext())) > limit)
    return std::nullopt;
  return result;
}

/// Operators that each double a constant make any size of a few bytes, without
/// much growth of any one. Together, folded values may have some more than what
/// widening and Winograd's algorithm make of the program's constants.
void ConstantFolder::setBudget(func::FuncOp function) {
  constexpr int64_t base = int64_t(64) << 20, factor = 12;
  budget = base;
  function.walk([&](ConstantOp constant) {
    auto resource = dyn_cast<DenseResourceElementsAttr>(constant.getValue());
    int64_t bytes = getSizeInBytes(constant.getType()).value_or(0);
    // What an earlier run of this pass has made is part of the sum.
    if (resource && resource.getRawHandle().getKey().starts_with(kFoldedPrefix))
      budget -= bytes;
    else if (resource)
      budget += factor * bytes;
  });
  // Of a program whose weights all have been folded before, what is small is
  // folded nevertheless, in each of the few runs that there are.
  budget = std::max(budget, base / 4);
}

void ConstantFolder::replaceLargeSplats(func::FuncOp function) {
  SmallVector<ConstantOp> constants;
  function.walk([&](ConstantOp constant) {
    if (isa<SplatElementsAttr>(constant.getValue()) &&
        getSizeInBytes(constant.getType()).value_or(0) > kMaxSplatBytes)
      constants.push_back(constant);
  });
  for (ConstantOp constant : constants) {
    OpBuilder builder(constant);
    auto splat = cast<SplatElementsAttr>(constant.getValue());
    auto type = cast<RankedTensorType>(constant.getType());
    auto value = ConstantOp::create(
        builder, constant.getLoc(),
        splat.resizeSplat(RankedTensorType::get({}, type.getElementType())));
    auto full = FullOp::create(builder, constant.getLoc(), value,
                               builder.getDenseI64ArrayAttr(type.getShape()),
                               TypeAttr());
    constant.replaceAllUsesWith(full.getResult());
    constant.erase();
  }
}

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

static bool isSplat(const Tensor &tensor) {
  ArrayRef<char> bytes(tensor.getRawData(), tensor.getSizeInBytes());
  size_t size = getElementSize(tensor.getElementType());
  // Equal to itself one element further on.
  return bytes.drop_front(size) == bytes.drop_back(size);
}

Value relay::buildConstant(OpBuilder &builder, Location loc, StringRef name,
                           const InterpreterValue &contents) {
  if (contents.isTuple()) {
    SmallVector<Value> fields;
    for (const InterpreterValue &field : contents.getFields())
      fields.push_back(buildConstant(builder, loc, name, field));
    return TupleOp::create(builder, loc, fields);
  }
  // Small and uniform tensors are readable as they are; bools have one form in
  // memory only as attributes.
  constexpr int64_t maxElements = 64;
  const Tensor &tensor = contents.getTensor();
  ElementsAttr value;
  if (tensor.getNumElements() <= maxElements ||
      tensor.getElementType().isInteger(1) || isSplat(tensor))
    value = tensor.toDenseElements();
  else
    value = tensor.toDenseResource(name);
  return ConstantOp::create(builder, loc, value);
}

/// Makes a folded value a constant of the program.
void ConstantFolder::materialize(Value value) {
  auto it = known.find(value);
  if (it == known.end())
    return;
  Operation *op = value.getDefiningOp();
  OpBuilder builder(op);
  // "relay.nn.pad" gives resources "folded.nn.pad", "folded.nn.pad_1", ...
  std::string name = (kFoldedPrefix + op->getName().stripDialect()).str();
  Value constant =
      buildConstant(builder, op->getLoc(), name, it->second.contents);
  known.erase(it);
  value.replaceAllUsesWith(constant);
}

void ConstantFolder::fold(Operation *op, InterpreterValue result) {
  // What nobody needs any more is freed now.
  for (Value operand : op->getOperands())
    if (auto it = known.find(operand); it != known.end())
      if (--it->second.remainingUses == 0) {
        budget += getSizeInBytes(operand.getType()).value_or(0);
        known.erase(it);
      }
  folded.push_back(op);
  if (op->use_empty())
    return;
  Value value = op->getResult(0);
  auto uses = std::distance(value.use_begin(), value.use_end());
  known[value] = {std::move(result), uses};
  budget -= getSizeInBytes(value.getType()).value_or(0);
}

/// Puts the operations of the branch that a constant chooses in the place of an
/// `if`, and folds them. Returns whether the condition is known.
bool ConstantFolder::foldIf(IfOp op) {
  std::optional<InterpreterValue> condition = lookup(op.getCondition());
  if (!condition || !condition->isTensor())
    return false;
  bool isTrue = condition->getTensor().getRawData()[0] != 0;
  Block &branch = (isTrue ? op.getThenRegion() : op.getElseRegion()).front();
  Operation *yield = branch.getTerminator();
  // A branch may know more sizes than both do.
  OpBuilder builder(yield);
  op.getResult().replaceAllUsesWith(
      ascribe(builder, yield->getOperand(0), op.getResult().getType()));
  yield->erase();
  SmallVector<Operation *> moved;
  for (Operation &inner : branch)
    moved.push_back(&inner);
  for (Operation *inner : moved)
    inner->moveBefore(op);
  fold(op, {});
  for (Operation *inner : moved)
    inner->walk<WalkOrder::PreOrder>([&](Operation *op) { return visit(op); });
  return true;
}

/// The field that `item` takes out of a tuple that is made here, perhaps of a
/// variable; null if there is none.
static Value getField(TupleGetItemOp item) {
  auto tuple = getBound(item.getTuple()).getDefiningOp<TupleOp>();
  if (!tuple)
    return {};
  Value field = tuple.getFields()[item.getIndex()];
  return field.getType() == item.getType() ? field : Value();
}

WalkResult ConstantFolder::visit(Operation *op) {
  if (auto constant = dyn_cast<ConstantOp>(op)) {
    constants.push_back(constant);
    return WalkResult::advance();
  }
  // Dead operators would be evaluated for nothing; what a dead closure
  // consists of goes with it.
  if (isOpTriviallyDead(op)) {
    fold(op, {});
    return WalkResult::skip();
  }
  if (auto ifOp = dyn_cast<IfOp>(op); ifOp && foldIf(ifOp))
    return WalkResult::skip();
  if (std::optional<InterpreterValue> result = evaluate(op)) {
    fold(op, std::move(*result));
    return WalkResult::advance();
  }
  // The tuple was not folded, so that its fields are values of the program.
  if (auto item = dyn_cast<TupleGetItemOp>(op);
      item && !known.contains(item.getTuple()))
    if (Value field = getField(item)) {
      item.replaceAllUsesWith(field);
      fold(op, {});
      return WalkResult::advance();
    }
  for (Value operand : op->getOperands())
    materialize(operand);
  return WalkResult::advance();
}

int64_t ConstantFolder::run(func::FuncOp function) {
  setBudget(function);
  function.walk<WalkOrder::PreOrder>([&](Operation *op) { return visit(op); });
  int64_t numFolded = folded.size();
  for (Operation *op : llvm::reverse(folded))
    op->erase();
  for (ConstantOp constant : constants)
    if (constant->use_empty())
      constant->erase();
  return numFolded;
}

namespace {

struct FoldConstantPass final
    : relay::impl::FoldConstantPassBase<FoldConstantPass> {
  using FoldConstantPassBase::FoldConstantPassBase;

  LogicalResult initialize(MLIRContext *context) override {
    return relay::checkRange<int64_t>(context, maxGrowth, 0);
  }

  void runOnOperation() override {
    func::FuncOp function = getOperation();
    if (isCompiledAsItIs(function))
      return;
    // What fails now stays as it is, and fails when it runs.
    SilentDiagnostics silence(&getContext());
    Interpreter interpreter(&getContext());
    ConstantFolder folder(interpreter, maxGrowth, foldQnn);
    folder.replaceLargeSplats(function);
    numFolded += folder.run(function);
  }
};

} // namespace
