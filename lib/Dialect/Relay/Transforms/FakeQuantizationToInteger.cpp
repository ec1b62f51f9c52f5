//===- FakeQuantizationToInteger.cpp - Floats in between become integers --===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The region of a quantize is made again, on integers, before the quantize;
// what was there stays for others that read it, or is erased. So a region that
// turns out not to have a form is left as it was.
//
//===----------------------------------------------------------------------===//

#include "relay-mlir/Dialect/Relay/Transforms/Passes.h"

#include "QuantizedTypes.h"

#include "relay-mlir/Dialect/Relay/IR/ConstantNumbers.h"
#include "relay-mlir/Dialect/Relay/IR/DType.h"
#include "relay-mlir/Dialect/Relay/IR/FunctionAttributes.h"
#include "relay-mlir/Dialect/Relay/IR/PassInterfaces.h"
#include "relay-mlir/Dialect/Relay/IR/Relay.h"
#include "relay-mlir/Dialect/Relay/IR/RelayQnnOps.h"

#include "mlir/IR/Remarks.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/IR/Verifier.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/Threading.h"

namespace mlir::relay {
#define GEN_PASS_DEF_FAKEQUANTIZATIONTOINTEGERPASS
#include "relay-mlir/Dialect/Relay/Transforms/Passes.h.inc"
} // namespace mlir::relay

using namespace mlir;
using namespace mlir::relay;

namespace {

/// Notes what a builder makes.
struct CreatedOps final : OpBuilder::Listener {
  void notifyOperationInserted(Operation *op, OpBuilder::InsertPoint) override {
    ops.push_back(op);
  }

  SmallVector<Operation *> ops;
};

/// The operators that a quantize depends on, in their order.
struct FloatRegion {
  SmallVector<Operation *> ops;
  bool hasDequantize = false;
  /// One that has no form in integers; null if all have.
  Operation *unknown = nullptr;
};

/// Makes operators on integers before one operation, and removes them again
/// unless they are kept.
class IntegerWriter {
public:
  explicit IntegerWriter(Operation *before) : builder(before, &created) {}
  ~IntegerWriter() {
    for (Operation *op : llvm::reverse(created.ops))
      op->erase();
  }

  LogicalResult write(Operation *op, const WantedQuantization &wanted);
  FailureOr<Value> convert(QNNQuantizeOp op, const WantedQuantization &wanted);
  const QuantizedValue &get(Value value) { return values.at(value); }
  OpBuilder &getBuilder() { return builder; }

  /// Whether a scale is changed by what was made.
  bool changesScales() const {
    return llvm::any_of(created.ops, [](Operation *op) {
      return isa<QNNRequantizeOp, QNNQuantizeOp, QNNConcatenateOp>(op);
    });
  }
  /// Fails, with an error at `op`, if something made for it is not valid.
  LogicalResult finish(Operation *op);
  /// Leaves what is read of it.
  void keep() {
    for (Operation *op : llvm::reverse(created.ops))
      if (op->use_empty())
        op->erase();
    created.ops.clear();
  }

private:
  QuantizedValue lookup(Value value) {
    auto known = values.find(value);
    return known == values.end() ? QuantizedValue(value) : known->second;
  }

  CreatedOps created;
  OpBuilder builder;
  DenseMap<Value, QuantizedValue> values;
};

} // namespace

//===----------------------------------------------------------------------===//
// Regions
//===----------------------------------------------------------------------===//

/// Whether there is a float among the elements of a type.
static bool hasFloats(Type type) {
  if (auto tuple = dyn_cast<TupleType>(type))
    return llvm::any_of(tuple.getTypes(), hasFloats);
  auto tensor = dyn_cast<RankedTensorType>(type);
  return !tensor || isa<FloatType>(tensor.getElementType());
}

static bool hasForm(Operation *op, const llvm::StringSet<> &requested) {
  auto form = dyn_cast<IntegerFormOpInterface>(op);
  return form && (!form.isIntegerOnRequest() ||
                  requested.contains(op->getName().stripDialect()));
}

/// Collects what a value depends on up to dequantizes; none if it depends on
/// something else than operators on constants.
static std::optional<FloatRegion>
collectRegion(QNNQuantizeOp quantize, const llvm::StringSet<> &requested) {
  FloatRegion region;
  SmallPtrSet<Operation *, 16> seen;
  SmallVector<Value> worklist{quantize.getData()};
  while (!worklist.empty()) {
    Value value = worklist.pop_back_val();
    Operation *op = value.getDefiningOp();
    // Positions and the like stay as they are.
    if (!hasFloats(value.getType()) || isa_and_present<ConstantOp>(op))
      continue;
    if (!op || op->getBlock() != quantize->getBlock() ||
        op->getNumRegions() != 0)
      return std::nullopt;
    if (!seen.insert(op).second)
      continue;
    region.ops.push_back(op);
    if (isa<QNNDequantizeOp>(op)) {
      region.hasDequantize = true;
      continue;
    }
    if (!isa<TupleOp, TupleGetItemOp>(op)) {
      if (!isa<FusionPatternOpInterface>(op))
        return std::nullopt;
      if (!hasForm(op, requested))
        region.unknown = op;
    }
    llvm::append_range(worklist, op->getOperands());
  }
  if (!region.hasDequantize)
    return std::nullopt;
  llvm::sort(region.ops,
             [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
  return region;
}

/// The operators of a region between which and the quantize there is nothing
/// that a clip does not commute with.
static SmallPtrSet<Operation *, 16> findLast(const FloatRegion &region,
                                             QNNQuantizeOp quantize) {
  SmallPtrSet<Operation *, 16> inRegion(region.ops.begin(), region.ops.end()),
      last;
  auto commutes = [&](Operation *user) {
    if (user == quantize)
      return true;
    if (!last.contains(user))
      return false;
    auto form = dyn_cast<IntegerFormOpInterface>(user);
    return !form || form.commutesWithClip();
  };
  for (Operation *op : llvm::reverse(region.ops))
    if (llvm::all_of(op->getUsers(), [&](Operation *user) {
          return (user != quantize && !inRegion.contains(user)) ||
                 commutes(user);
        }))
      last.insert(op);
  return last;
}

//===----------------------------------------------------------------------===//
// Integers
//===----------------------------------------------------------------------===//

/// Zero points are numbers of the type that they are zero points of: the
/// result of a relu is one of them, for example.
static LogicalResult checkZeroPoint(Operation *op, Value zeroPoint, Type type) {
  std::optional<SmallVector<double>> values = getNumbers(zeroPoint);
  Type elementType = getElementTypeOrSelf(type);
  auto [low, high] = getIntegerRange(elementType);
  for (double value : values.value_or(SmallVector<double>()))
    if (value < static_cast<double>(low) || value > static_cast<double>(high))
      return op->emitOpError("expects zero points that ")
             << elementType << " holds where it is computed in integers, but "
             << "got " << static_cast<int64_t>(value);
  return success();
}

LogicalResult IntegerWriter::write(Operation *op,
                                   const WantedQuantization &wanted) {
  Location loc = op->getLoc();
  if (auto dequantize = dyn_cast<QNNDequantizeOp>(op)) {
    if (!isUsableScale(dequantize.getInputScale()))
      return op->emitOpError("expects scales that are positive and finite "
                             "where it is computed in integers");
    if (failed(checkZeroPoint(op, dequantize.getInputZeroPoint(),
                              dequantize.getData().getType())))
      return failure();
    int64_t axis = dequantize.getAxis();
    if (axis < 0)
      axis += dequantize.getData().getType().getRank();
    values[dequantize] = QuantizedValue(
        dequantize.getData(),
        {dequantize.getInputScale(), dequantize.getInputZeroPoint(), axis});
    return success();
  }
  if (auto tuple = dyn_cast<TupleOp>(op)) {
    SmallVector<Value> fields;
    QuantizedValue result;
    for (Value operand : op->getOperands()) {
      QuantizedValue field = lookup(operand);
      if (!isa<RankedTensorType>(operand.getType()))
        return op->emitOpError("expects tensors as fields where it is computed "
                               "in integers, but got ")
               << operand.getType();
      fields.push_back(field.value);
      result.quantizations.push_back(
          field.isQuantized() ? field.quantizations.front() : Quantization());
    }
    result.value = TupleOp::create(builder, loc, fields);
    values[tuple] = result;
    return success();
  }
  if (auto item = dyn_cast<TupleGetItemOp>(op)) {
    QuantizedValue tuple = lookup(item.getTuple());
    QuantizedValue result(
        TupleGetItemOp::create(builder, loc, tuple.value, item.getIndex()));
    if (!tuple.quantizations.empty())
      result.quantizations = {tuple.quantizations[item.getIndex()]};
    values[item] = result;
    return success();
  }
  SmallVector<QuantizedValue> operands = llvm::map_to_vector(
      op->getOperands(), [&](Value x) { return lookup(x); });
  FailureOr<QuantizedValue> result =
      cast<IntegerFormOpInterface>(op).toIntegers(builder, operands, wanted);
  if (failed(result))
    return failure();
  // Inference may know less of sizes that are not known.
  if (auto type = dyn_cast<RankedTensorType>(op->getResult(0).getType())) {
    auto made = cast<RankedTensorType>(result->value.getType());
    RankedTensorType wantedType = type.clone(made.getElementType());
    if (made != wantedType)
      result->value =
          AscribeOp::create(builder, loc, wantedType, result->value);
  }
  values[op->getResult(0)] = *result;
  return success();
}

LogicalResult IntegerWriter::finish(Operation *op) {
  for (Operation *made : created.ops)
    if (failed(verify(made)))
      return op->emitOpError("expects a valid form in integers");
  return success();
}

static bool isOneNumber(Value param) {
  return cast<RankedTensorType>(param.getType()).getRank() == 0;
}

FailureOr<Value> IntegerWriter::convert(QNNQuantizeOp op,
                                        const WantedQuantization &wanted) {
  QuantizedValue x = lookup(op.getData());
  if (!x.isQuantized())
    return op.emitOpError(
        "expects data that is computed from dequantized data, "
        "but got constants");
  const Quantization &from = x.quantizations.front(), &to = wanted.quantization;
  bool isSame = areSameNumbers(from.scale, to.scale) &&
                areSameNumbers(from.zeroPoint, to.zeroPoint) &&
                ((isOneNumber(to.scale) && isOneNumber(to.zeroPoint)) ||
                 from.axis == to.axis);
  auto type = cast<RankedTensorType>(x.value.getType());
  if (isSame && type == op.getType())
    return x.value;
  if (!isOneNumber(to.scale) || !isOneNumber(to.zeroPoint))
    return op.emitOpError("expects one scale and zero point where data is "
                          "requantized, but got ")
           << to.scale.getType() << " and " << to.zeroPoint.getType();
  Value result = QNNRequantizeOp::create(
      builder, op.getLoc(), type.clone(op.getType().getElementType()), x.value,
      from.scale, from.zeroPoint, to.scale, to.zeroPoint, from.axis,
      builder.getStringAttr(wanted.isToEven ? "TOEVEN" : "None"),
      builder.getStringAttr(wanted.isToEven ? "float32" : "None"),
      op.getOutDtypeAttr());
  if (result.getType() != op.getType())
    result = AscribeOp::create(builder, op.getLoc(), op.getType(), result);
  return result;
}

namespace {

struct FakeQuantizationToIntegerPass final
    : relay::impl::FakeQuantizationToIntegerPassBase<
          FakeQuantizationToIntegerPass> {
  using Base::Base;

  void runOnOperation() override;

private:
  LogicalResult convertRegion(QNNQuantizeOp quantize);
  LogicalResult convertAlone(IntegerFormOpInterface op);
  /// Runs `convert`; without `hard-fail` its errors are no errors.
  LogicalResult attempt(Operation *op,
                        llvm::function_ref<LogicalResult()> convert);
  /// Tells why what `op` is the end of stays in floats.
  static void tellFloats(Operation *op, const Twine &reason) {
    remark::missed(op->getLoc(),
                   remark::RemarkOpts::name("integers").category("relay"))
        << ("computed in floats: " + reason).str();
  }

  llvm::StringSet<> requested;
};

} // namespace

LogicalResult FakeQuantizationToIntegerPass::attempt(
    Operation *op, llvm::function_ref<LogicalResult()> convert) {
  if (hardFail)
    return convert();
  // Diagnostics of other threads are not for this handler.
  uint64_t thread = llvm::get_threadid();
  std::string reason;
  {
    ScopedDiagnosticHandler silence(op->getContext(),
                                    [&, thread](Diagnostic &diagnostic) {
                                      if (llvm::get_threadid() != thread)
                                        return failure();
                                      if (reason.empty())
                                        reason = diagnostic.str();
                                      return success();
                                    });
    if (succeeded(convert()))
      return success();
  }
  tellFloats(op, reason);
  return success();
}

/// Erases operators, in their order, that nothing reads.
static void eraseUnused(ArrayRef<Operation *> ops) {
  for (Operation *op : llvm::reverse(ops))
    if (op->use_empty())
      op->erase();
}

LogicalResult
FakeQuantizationToIntegerPass::convertRegion(QNNQuantizeOp quantize) {
  std::optional<FloatRegion> region = collectRegion(quantize, requested);
  if (!region)
    return success();
  if (estimate && quantize.getRounding() != "TOEVEN")
    return success();
  bool isProduct =
      llvm::any_of(region->ops, llvm::IsaPred<ContractionOpInterface>);
  bool isMove = llvm::all_of(region->ops, [](Operation *op) {
    auto form = dyn_cast<IntegerFormOpInterface>(op);
    return !form || form.commutesWithClip();
  });
  auto tellSlower = [&] {
    tellFloats(quantize, "between bytes without a product, changes of scales "
                         "cost more than floats");
    return success();
  };
  if (estimate && !isProduct && !isMove)
    return tellSlower();
  if (region->unknown) {
    if (!hardFail) {
      tellFloats(quantize, region->unknown->getName().getStringRef() +
                               " has no form in integers");
      return success();
    }
    InFlightDiagnostic error = region->unknown->emitOpError(
        "expects an operator that can be computed in integers between "
        "qnn.dequantize and qnn.quantize");
    error.attachNote(quantize.getLoc()) << "its result is quantized here";
    return error;
  }
  return attempt(quantize, [&]() -> LogicalResult {
    if (!isUsableScale(quantize.getOutputScale()))
      return quantize.emitOpError("expects scales that are positive and finite "
                                  "where it is computed in integers");
    if (failed(checkZeroPoint(quantize, quantize.getOutputZeroPoint(),
                              quantize.getType())))
      return failure();
    WantedQuantization wanted{{quantize.getOutputScale(),
                               quantize.getOutputZeroPoint(),
                               quantize.getAxis()},
                              quantize.getOutDtype()};
    wanted.isToEven = quantize.getRounding() == "TOEVEN" &&
                      wanted.elementType.getIntOrFloatBitWidth() <= 16 &&
                      !wanted.elementType.isUnsignedInteger(16);
    int64_t rank = quantize.getType().getRank();
    if (wanted.quantization.axis < 0)
      wanted.quantization.axis += rank;
    SmallPtrSet<Operation *, 16> last = findLast(*region, quantize);
    IntegerWriter writer(quantize);
    for (Operation *op : region->ops) {
      wanted.isLast = last.contains(op);
      if (failed(writer.write(op, wanted)))
        return failure();
    }
    FailureOr<Value> result = writer.convert(quantize, wanted);
    if (failed(result) || failed(writer.finish(quantize)))
      return failure();
    if (estimate && !isProduct && writer.changesScales())
      return tellSlower();
    quantize.replaceAllUsesWith(*result);
    writer.keep();
    quantize.erase();
    eraseUnused(region->ops);
    ++numRegions;
    return success();
  });
}

LogicalResult
FakeQuantizationToIntegerPass::convertAlone(IntegerFormOpInterface op) {
  // Each once: one may be several operands.
  llvm::SmallSetVector<Operation *, 4> dequantizes;
  Operation *other = nullptr;
  for (Value operand : op->getOperands()) {
    Operation *source = operand.getDefiningOp();
    if (isa_and_present<QNNDequantizeOp>(source))
      dequantizes.insert(source);
    else if (hasFloats(operand.getType()) &&
             !isa_and_present<ConstantOp>(source))
      other = op;
  }
  // Of operators on floats that are no dequantized ones nothing is expected.
  if (dequantizes.empty() || other)
    return success();
  return attempt(op, [&]() -> LogicalResult {
    IntegerWriter writer(op);
    for (Operation *dequantize : dequantizes)
      if (failed(writer.write(dequantize, {})))
        return failure();
    const QuantizedValue &first = writer.get(dequantizes[0]->getResult(0));
    WantedQuantization wanted{
        first.quantizations.front(),
        cast<RankedTensorType>(first.value.getType()).getElementType()};
    if (failed(writer.write(op, wanted)))
      return failure();
    QuantizedValue result = writer.get(op->getResult(0));
    OpBuilder &builder = writer.getBuilder();
    auto dequantize = [&](Value value, Quantization from, Type type) -> Value {
      if (!from)
        return value;
      auto elementType = cast<RankedTensorType>(type).getElementType();
      return QNNDequantizeOp::create(
          builder, op.getLoc(), type, value, from.scale, from.zeroPoint,
          TypeAttr::get(elementType), builder.getI64IntegerAttr(from.axis));
    };
    Value floats;
    if (auto tuple = dyn_cast<TupleType>(op->getResult(0).getType())) {
      SmallVector<Value> fields;
      for (auto [index, type] : llvm::enumerate(tuple.getTypes()))
        fields.push_back(dequantize(
            TupleGetItemOp::create(builder, op.getLoc(), result.value, index),
            result.quantizations[index], type));
      floats = TupleOp::create(builder, op.getLoc(), fields);
    } else {
      floats = dequantize(result.value, result.quantizations.front(),
                          op->getResult(0).getType());
    }
    if (floats.getType() != op->getResult(0).getType())
      return op.emitOpError("expects a form in integers of type ")
             << op->getResult(0).getType() << ", but got " << floats.getType();
    if (failed(writer.finish(op)))
      return failure();
    op->getResult(0).replaceAllUsesWith(floats);
    writer.keep();
    op->erase();
    eraseUnused(dequantizes.getArrayRef());
    ++numAlone;
    return success();
  });
}

void FakeQuantizationToIntegerPass::runOnOperation() {
  requested.clear();
  for (const std::string &name : optionalOps)
    requested.insert(name);
  SmallVector<QNNQuantizeOp> quantizes;
  getOperation().walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (isCompiledAsItIs(op))
      return WalkResult::skip();
    if (auto quantize = dyn_cast<QNNQuantizeOp>(op))
      quantizes.push_back(quantize);
    return WalkResult::advance();
  });
  for (QNNQuantizeOp quantize : quantizes)
    if (failed(convertRegion(quantize)))
      return signalPassFailure();
  if (!useQat)
    return;
  SmallVector<IntegerFormOpInterface> forms;
  getOperation().walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (isCompiledAsItIs(op))
      return WalkResult::skip();
    auto form = dyn_cast<IntegerFormOpInterface>(op);
    if (form && form.isIntegerAlone() && hasForm(op, requested))
      forms.push_back(form);
    return WalkResult::advance();
  });
  for (IntegerFormOpInterface form : forms)
    if (failed(convertAlone(form)))
      return signalPassFailure();
}
