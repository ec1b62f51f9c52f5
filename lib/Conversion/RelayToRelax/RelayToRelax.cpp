//===- RelayToRelax.cpp - Lower relay's main to relax ---------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// This pass runs between two others that it knows nothing about:
//
//   convert-relay-to-linalg   primitive functions: relay -> linalg on tensors
//   convert-relay-to-relax    @main: relay -> relax, shapes read off the linalg
//   convert-linalg-to-tir     primitive functions: linalg -> tir.prim_func
//
// In the middle the primitive functions are on tensors, where upstream's
// interfaces say how the shape of each result follows from the operands. A call
// keeps its symbol when the callee turns into a tir.prim_func.
//
//===----------------------------------------------------------------------===//

#include "relay-mlir/Conversion/RelayToRelax/RelayToRelax.h"

#include "ShapeReifier.h"
#include "SignatureAttrs.h"
#include "SizeNames.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "relay-mlir/Dialect/Relax/IR/Relax.h"
#include "relay-mlir/Dialect/Relay/IR/FixedInputs.h"
#include "relay-mlir/Dialect/Relay/IR/Relay.h"
#include "relay-mlir/Dialect/Relay/IR/RelayAnnotationOps.h"
#include "relay-mlir/Dialect/Relay/IR/TensorFunctions.h"
#include "relay-mlir/Dialect/Target/IR/Target.h"

namespace mlir::relay {
#define GEN_PASS_DEF_CONVERTRELAYTORELAXPASS
#include "relay-mlir/Conversion/Passes.h.inc"
} // namespace mlir::relay

using namespace mlir;
using namespace mlir::relay;
using relay::detail::Dims;
using relay::detail::ShapeReifier;

namespace {

/// The shape reifiers of the kernels that a function calls.
class KernelTable {
public:
  KernelTable(ModuleOp module, ShapeReifier::DefineExtremum defineExtremum)
      : symbolTable(module), defineExtremum(std::move(defineExtremum)) {}

  func::FuncOp lookup(StringAttr name) {
    return symbolTable.lookup<func::FuncOp>(name);
  }
  ShapeReifier &getReifier(func::FuncOp kernel) {
    std::unique_ptr<ShapeReifier> &reifier = reifiers[kernel];
    if (!reifier)
      reifier = std::make_unique<ShapeReifier>(kernel, defineExtremum);
    return *reifier;
  }

private:
  SymbolTable symbolTable;
  ShapeReifier::DefineExtremum defineExtremum;
  DenseMap<Operation *, std::unique_ptr<ShapeReifier>> reifiers;
};

/// Converts one function. Tuples exist only at compile time: a relay value is a
/// list of relax values.
class FunctionConverter {
public:
  explicit FunctionConverter(func::FuncOp source)
      : source(source), kernels(source->getParentOfType<ModuleOp>(),
                                [this](ArrayRef<AffineExpr> sizes, bool isMax) {
                                  return defineExtremum(sizes, isMax);
                                }),
        context(source.getContext()), scope(context), builder(source),
        sizeNamer(source) {}

  FailureOr<relax::FuncOp> convert();

private:
  FailureOr<relax::SymbolicTensorType> convertArgument(BlockArgument argument);
  LogicalResult convertOp(Operation *op);
  LogicalResult convertCall(CallOp op);
  LogicalResult convertCopy(DeviceCopyOp op);
  /// Whether the elements of a value, of relax, follow from constants only.
  bool isConstant(Value value) const {
    return value.getDefiningOp<relax::ConstantOp>() ||
           constants.contains(value);
  }
  /// `value` on another device; constants are made there.
  Value moveTo(Value value, DeviceAttr device, Location loc);
  /// Moves the operands of a call to the device that it runs on, which is that
  /// of all that do not follow from constants only.
  FailureOr<DeviceAttr> placeCall(CallOp op, MutableArrayRef<Value> operands);
  LogicalResult convertReturn(func::ReturnOp op);
  void wrapInDataflow(Block &block);
  /// Asserts what is not known to hold.
  template <typename AssertOp>
  void state(const ShapeReifier::Pairs &pairs);

  Dims getDims(Value value) {
    return scope.import(
        cast<relax::SymbolicTensorType>(value.getType()).getShape());
  }
  /// The element type that a call's result has for its users: unsigned, where a
  /// bitcast says so, of it or of the same data in another shape.
  Type getElementType(Value result);

  /// A symbol for the largest (or smallest) of `sizes`.
  AffineExpr defineExtremum(ArrayRef<AffineExpr> sizes, bool isMax);
  /// Binds the symbols of defineExtremum.
  void createExtremeSizes();

  func::FuncOp source;
  KernelTable kernels;
  MLIRContext *context;
  relax::SymbolScope scope;
  OpBuilder builder;
  SizeNamer sizeNamer;
  relax::FuncOp target;
  ShapeReifier::Assumptions assumptions;
  /// The symbols of extreme sizes, and what they are, in order.
  struct Extremum {
    StringAttr symbol;
    Dims sizes;
    bool isMax;
  };
  SmallVector<Extremum> extremes;
  DenseMap<Value, SmallVector<Value>> values;
  /// What kernels compute from constants only.
  DenseSet<Value> constants;
  DenseMap<std::pair<Value, DeviceAttr>, Value> copies;
};

} // namespace

AffineExpr FunctionConverter::defineExtremum(ArrayRef<AffineExpr> sizes,
                                             bool isMax) {
  for (const Extremum &known : extremes)
    if (known.isMax == isMax && ArrayRef(known.sizes) == sizes)
      return scope.getSymbol(known.symbol);
  // It is named by what it is; names in it are not quoted.
  std::string text;
  llvm::raw_string_ostream os(text);
  os << (isMax ? "max" : "min");
  scope.makeShape(sizes).printList(os);
  llvm::erase(text, '"');
  text[3] = '(';
  text.back() = ')';
  // Of extremes of extremes, names would not end.
  constexpr size_t maxNameLength = 100;
  if (text.size() > maxNameLength)
    text = (isMax ? "max#" : "min#") + std::to_string(extremes.size());
  while (!sizeNamer.reserve(text))
    text += '\'';
  StringAttr symbol = builder.getStringAttr(text);
  extremes.push_back({symbol, Dims(sizes), isMax});
  return scope.getSymbol(symbol);
}

void FunctionConverter::createExtremeSizes() {
  for (const Extremum &size : extremes) {
    Location loc = source.getLoc();
    relax::ShapeAttr sizes = scope.makeShape(size.sizes);
    if (size.isMax)
      relax::MaxSizeOp::create(builder, loc, size.symbol, sizes);
    else
      relax::MinSizeOp::create(builder, loc, size.symbol, sizes);
  }
}

FailureOr<relax::SymbolicTensorType>
FunctionConverter::convertArgument(BlockArgument argument) {
  auto tensor = dyn_cast<RankedTensorType>(argument.getType());
  if (!tensor)
    return source.emitOpError()
           << "expects parameter " << argument.getArgNumber()
           << " to be a ranked tensor, but got " << argument.getType();
  if (!tensor.getElementType().isIntOrIndexOrFloat())
    return source.emitOpError()
           << "expects the elements of parameter " << argument.getArgNumber()
           << " to be integers or floats, but got " << tensor.getElementType();
  auto named = dyn_cast<relax::SymbolicTensorType>(
      sizeNamer.getType(argument.getArgNumber()));
  if (!named)
    named = relax::SymbolicTensorType::get(tensor.getShape(),
                                           tensor.getElementType());
  scope.import(named.getShape());
  return named;
}

FailureOr<relax::FuncOp> FunctionConverter::convert() {
  if (!source.getBody().hasOneBlock())
    return source.emitOpError() << "expects a body of one block, but got "
                                << source.getBody().getBlocks().size();
  SmallVector<Type> arguments;
  for (BlockArgument argument : source.getArguments()) {
    FailureOr<relax::SymbolicTensorType> type = convertArgument(argument);
    if (failed(type))
      return failure();
    arguments.push_back(*type);
  }
  target = relax::FuncOp::create(builder, source.getLoc(), source.getSymName(),
                                 builder.getFunctionType(arguments, {}));
  target.setSymVisibilityAttr(source.getSymVisibilityAttr());
  if (Attribute other = source->getAttr(kVariantOfAttrName))
    target->setAttr(relax::kVariantOfAttr, other);
  Block *body = builder.createBlock(
      &target.getBody(), {}, arguments,
      llvm::map_to_vector(source.getArguments(), [](BlockArgument argument) {
        return argument.getLoc();
      }));
  for (auto [from, to] :
       llvm::zip_equal(source.getArguments(), body->getArguments()))
    values[from] = {to};

  for (Operation &op : source.getBody().front())
    if (failed(convertOp(&op)))
      return failure();
  wrapInDataflow(*body);
  builder.setInsertionPointToStart(body);
  createExtremeSizes();
  state<relax::AssertEqualOp>(assumptions.equal);
  state<relax::AssertAtLeastOp>(assumptions.atLeast);
  state<relax::AssertBroadcastOp>(assumptions.broadcast);

  copyParameterAttrs(source, target);
  // A tuple that is returned has become several results.
  if (source.getNumResults() == target.getNumResults())
    copyResultAttrs(source, target);
  return target;
}

LogicalResult FunctionConverter::convertOp(Operation *op) {
  Location loc = op->getLoc();
  if (auto constant = dyn_cast<relay::ConstantOp>(op)) {
    values[constant.getResult()] = {
        relax::ConstantOp::create(builder, loc, constant.getValue())};
    return success();
  }
  if (auto call = dyn_cast<CallOp>(op))
    return convertCall(call);
  if (auto tuple = dyn_cast<relay::TupleOp>(op)) {
    SmallVector<Value> fields;
    for (Value field : tuple->getOperands())
      llvm::append_range(fields, values.lookup(field));
    values[tuple.getResult()] = std::move(fields);
    return success();
  }
  if (auto item = dyn_cast<relay::TupleGetItemOp>(op)) {
    // Fields before this one may be tuples themselves.
    auto countTensors = [](Type type) {
      SmallVector<Type> flat{type};
      if (auto tuple = dyn_cast<TupleType>(type)) {
        flat.clear();
        tuple.getFlattenedTypes(flat);
      }
      return flat.size();
    };
    auto type = cast<TupleType>(item.getTuple().getType());
    size_t begin = 0;
    for (Type field : type.getTypes().take_front(item.getIndex()))
      begin += countTensors(field);
    SmallVector<Value> all = values.lookup(item.getTuple());
    ArrayRef<Value> field =
        ArrayRef(all).slice(begin, countTensors(type.getType(item.getIndex())));
    values[item.getResult()] = SmallVector<Value>(field);
    return success();
  }
  // Kernels know no signs, so the same value serves both types.
  if (isa<tensor::BitcastOp, UnrealizedConversionCastOp>(op)) {
    values[op->getResult(0)] = values.lookup(op->getOperand(0));
    return success();
  }
  if (auto copy = dyn_cast<DeviceCopyOp>(op))
    return convertCopy(copy);
  if (auto returnOp = dyn_cast<func::ReturnOp>(op))
    return convertReturn(returnOp);
  InFlightDiagnostic diag = op->emitOpError()
                            << "expects a constant, a tuple or a call of a "
                               "primitive function";
  if (isa_and_present<RelayDialect>(op->getDialect()))
    diag.attachNote() << "run --relay-fuse-ops before this pass";
  return diag;
}

//===----------------------------------------------------------------------===//
// Devices
//===----------------------------------------------------------------------===//

static DeviceAttr getDevice(Value value) {
  return cast<relax::SymbolicTensorType>(value.getType()).getDevice();
}

Value FunctionConverter::moveTo(Value value, DeviceAttr device, Location loc) {
  if (getDevice(value) == device)
    return value;
  Value &copy = copies[{value, device}];
  if (copy)
    return copy;
  if (auto constant = value.getDefiningOp<relax::ConstantOp>())
    copy = relax::ConstantOp::create(builder, constant.getLoc(),
                                     constant.getValue(), device);
  else
    copy = relax::ToDeviceOp::create(
        builder, loc,
        cast<relax::SymbolicTensorType>(value.getType()).withDevice(device),
        value);
  return copy;
}

LogicalResult FunctionConverter::convertCopy(DeviceCopyOp op) {
  FailureOr<DeviceAttr> device = DeviceAttr();
  if (op.getDstVirtualDevice())
    device = DeviceAttr::fromVirtualDevice(*op.getDstVirtualDevice(),
                                           [&] { return op.emitOpError(); });
  if (failed(device))
    return failure();
  if (*device && device->isHost())
    *device = {};
  for (Value value : values.lookup(op.getData()))
    values[op.getResult()].push_back(moveTo(value, *device, op.getLoc()));
  return success();
}

FailureOr<DeviceAttr>
FunctionConverter::placeCall(CallOp op, MutableArrayRef<Value> operands) {
  std::optional<DeviceAttr> device;
  for (Value operand : operands) {
    if (isConstant(operand))
      continue;
    DeviceAttr other = getDevice(operand);
    if (device && *device != other) {
      InFlightDiagnostic diag = op.emitOpError()
                                << "expects operands on one device, but got "
                                << DeviceAttr::getName(*device) << " and "
                                << DeviceAttr::getName(other);
      diag.attachNote()
          << "--relay-plan-devices puts copies where they are needed";
      return diag;
    }
    device = other;
  }
  for (Value &operand : operands)
    operand = moveTo(operand, device.value_or(DeviceAttr()), op.getLoc());
  return device.value_or(DeviceAttr());
}

Type FunctionConverter::getElementType(Value result) {
  for (Operation *user : result.getUsers())
    if (isa<tensor::BitcastOp, UnrealizedConversionCastOp>(user))
      return getElementTypeOrSelf(user->getResult(0).getType());
  Type type = cast<RankedTensorType>(result.getType()).getElementType();
  // What takes the data without a bitcast, and is no kernel, takes it as
  // signed.
  if (!type.isSignlessInteger() ||
      !llvm::all_of(result.getUsers(), llvm::IsaPred<CallOp>))
    return type;
  for (OpOperand &use : result.getUses()) {
    auto call = dyn_cast<CallOp>(use.getOwner());
    func::FuncOp kernel =
        call ? kernels.lookup(call.getCalleeAttr().getAttr()) : nullptr;
    if (!kernel || kernel.isExternal() || !kernel.getBody().hasOneBlock())
      continue;
    auto forwarded = kernels.getReifier(kernel).getForwardedArguments();
    if (!forwarded)
      continue;
    for (auto [reshaped, number] :
         llvm::zip_equal(call->getResults(), *forwarded))
      if (number == use.getOperandNumber())
        if (Type other = getElementType(reshaped); other != type)
          return other;
  }
  return type;
}

LogicalResult FunctionConverter::convertCall(CallOp op) {
  func::FuncOp kernel = kernels.lookup(op.getCalleeAttr().getAttr());
  if (!kernel || kernel.isExternal() || !kernel.getBody().hasOneBlock())
    return op.emitOpError() << "expects a primitive function with a body named "
                            << op.getCalleeAttr();
  for (Operation &inner : kernel.getBody().front())
    if (isa_and_present<RelayDialect>(inner.getDialect())) {
      InFlightDiagnostic diag = op.emitOpError()
                                << "expects " << op.getCalleeAttr()
                                << " to be in linalg form";
      diag.attachNote(inner.getLoc())
          << "'" << inner.getName()
          << "' is here; run --convert-relay-to-linalg before this pass";
      return diag;
    }

  SmallVector<Value> operands;
  for (Value operand : op->getOperands())
    llvm::append_range(operands, values.lookup(operand));
  if (operands.size() != kernel.getNumArguments())
    return op.emitOpError() << "expects " << kernel.getNumArguments()
                            << " tensors, but got " << operands.size();
  FailureOr<DeviceAttr> device = placeCall(op, operands);
  if (failed(device))
    return failure();
  bool isFromConstants = llvm::all_of(
      operands, [&](Value operand) { return isConstant(operand); });
  SmallVector<Dims> argumentShapes = llvm::map_to_vector(
      operands, [&](Value operand) { return getDims(operand); });
  ShapeReifier &reifier = kernels.getReifier(kernel);
  FailureOr<SmallVector<Dims>> shapes =
      reifier.getResultShapes(op, argumentShapes);
  if (failed(shapes))
    return failure();
  size_t numKnown = assumptions.atLeast.size();
  if (failed(reifier.getAssumptions(op, assumptions)))
    return failure();
  for (auto [size, bound] :
       ArrayRef(assumptions.atLeast).drop_front(numKnown)) {
    // That nobody has so many elements goes without saying.
    if (auto constant = dyn_cast<AffineConstantExpr>(size);
        constant && constant.getValue() > std::numeric_limits<int32_t>::max())
      continue;
    std::string text;
    llvm::raw_string_ostream os(text);
    scope.makeShape(size).printExpr(0, os);
    os << " to be at least ";
    scope.makeShape(bound).printExpr(0, os);
    emitRemark(op.getLoc())
        << "takes " << text << ", which is checked before each run";
  }

  SmallVector<Type> types;
  for (auto [shape, result] : llvm::zip_equal(*shapes, op->getResults()))
    types.push_back(relax::SymbolicTensorType::get(
        scope.makeShape(shape), getElementType(result), *device));
  // A kernel that only changes shapes does not run. One between integers that
  // differ in their sign copies.
  std::optional<SmallVector<unsigned>> forwarded =
      reifier.getForwardedArguments();
  if (forwarded &&
      llvm::all_of(llvm::zip_equal(types, *forwarded), [&](auto pair) {
        auto [type, number] = pair;
        return cast<relax::SymbolicTensorType>(type).getElementType() ==
               cast<relax::SymbolicTensorType>(operands[number].getType())
                   .getElementType();
      })) {
    for (auto [result, type, number] :
         llvm::zip_equal(op->getResults(), types, *forwarded)) {
      values[result] = {builder.createOrFold<relax::ReshapeOp>(
          op.getLoc(), type, operands[number])};
      if (isConstant(operands[number]))
        constants.insert(values[result].front());
    }
    return success();
  }
  auto call = relax::CallTIROp::create(builder, op.getLoc(), types,
                                       op.getCalleeAttr(), operands);
  for (auto [from, to] : llvm::zip_equal(op->getResults(), call->getResults()))
    values[from] = {to};
  if (isFromConstants)
    constants.insert(call->result_begin(), call->result_end());
  return success();
}

LogicalResult FunctionConverter::convertReturn(func::ReturnOp op) {
  SmallVector<Value> results;
  for (Value operand : op.getOperands())
    llvm::append_range(results, values.lookup(operand));
  target.setFunctionType(builder.getFunctionType(
      target.getArgumentTypes(), ValueRange(results).getTypes()));
  relax::ReturnOp::create(builder, op.getLoc(), results);
  return success();
}

/// Moves everything but constants into one dataflow block.
void FunctionConverter::wrapInDataflow(Block &block) {
  auto returnOp = cast<relax::ReturnOp>(block.getTerminator());
  SmallVector<Operation *> inside;
  for (Operation &op : block.without_terminator())
    if (!isa<relax::ConstantOp>(op))
      inside.push_back(&op);
  if (inside.empty())
    return;
  SmallVector<Value> outputs;
  for (Value result : returnOp.getOperands())
    if (isa_and_nonnull<relax::CallTIROp, relax::ReshapeOp, relax::ToDeviceOp>(
            result.getDefiningOp()) &&
        !llvm::is_contained(outputs, result))
      outputs.push_back(result);
  builder.setInsertionPoint(returnOp);
  auto dataflow = relax::DataflowOp::create(builder, source.getLoc(),
                                            ValueRange(outputs).getTypes());
  Block *body = builder.createBlock(&dataflow.getBody());
  for (Operation *op : inside)
    op->moveBefore(body, body->end());
  builder.setInsertionPointToEnd(body);
  relax::OutputOp::create(builder, source.getLoc(), outputs);
  for (auto [inner, outer] : llvm::zip_equal(outputs, dataflow.getResults()))
    returnOp->replaceUsesOfWith(inner, outer);
}

template <typename AssertOp>
void FunctionConverter::state(const ShapeReifier::Pairs &pairs) {
  Dims lhs, rhs;
  llvm::SmallDenseSet<AffineExpr> stated;
  for (auto [left, right] : pairs) {
    AffineExpr difference = relax::canonicalizeSymbolicExpr(left - right);
    // Equality is stated once, in whichever order it was found.
    AffineExpr opposite = relax::canonicalizeSymbolicExpr(right - left);
    if (std::is_same_v<AssertOp, relax::AssertEqualOp> &&
        stated.contains(opposite))
      continue;
    if (!stated.insert(difference).second)
      continue;
    lhs.push_back(left);
    rhs.push_back(right);
  }
  if (!lhs.empty())
    AssertOp::create(builder, source.getLoc(), scope.makeShape(lhs),
                     scope.makeShape(rhs));
}

/// Marks the arguments of kernels that are constants in every call, whose
/// layout a schedule may choose because the constants are packed to fit.
static void markLayoutFreeArguments(ModuleOp module) {
  llvm::MapVector<StringAttr, SmallVector<bool>> constantArguments;
  module.walk([&](relax::CallTIROp call) {
    SmallVector<bool> &isConstant =
        constantArguments[call.getCalleeAttr().getAttr()];
    isConstant.resize(call.getArgs().size(), true);
    for (auto [flag, argument] : llvm::zip_equal(isConstant, call.getArgs()))
      flag = flag && argument.getDefiningOp<relax::ConstantOp>() &&
             cast<relax::SymbolicTensorType>(argument.getType()).getRank() != 0;
  });
  SymbolTable symbolTable(module);
  Builder builder(module.getContext());
  for (auto &[name, isConstant] : constantArguments) {
    SmallVector<int64_t> numbers;
    for (auto [number, flag] : llvm::enumerate(isConstant))
      if (flag)
        numbers.push_back(number);
    if (!numbers.empty())
      symbolTable.lookup(name)->setAttr(relax::kLayoutFreeAttr,
                                        builder.getI64ArrayAttr(numbers));
  }
}

namespace {

struct ConvertRelayToRelaxPass final
    : relay::impl::ConvertRelayToRelaxPassBase<ConvertRelayToRelaxPass> {
  using ConvertRelayToRelaxPassBase::ConvertRelayToRelaxPassBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    auto isPrimitive = [](func::FuncOp function) {
      return function->hasAttr(relay::kPrimitiveAttrName);
    };
    {
      for (auto function :
           llvm::make_early_inc_range(module.getOps<func::FuncOp>())) {
        if (isPrimitive(function) || function.isExternal())
          continue;
        if (failed(FunctionConverter(function).convert()))
          return signalPassFailure();
        function.erase();
      }
    }
    convertModuleAttrs(module);
    markLayoutFreeArguments(module);
    // The sizes that calls take as equal are main's to check now.
    // What opaque computations check of data stays with them.
    module.walk([](cf::AssertOp assertion) {
      if (isa<func::FuncOp>(assertion->getParentOp()))
        assertion.erase();
    });

    // Kernels that became reshapes have no call left.
    llvm::DenseSet<StringAttr> called;
    module.walk([&](relax::CallTIROp call) {
      called.insert(call.getCalleeAttr().getAttr());
    });
    for (auto function :
         llvm::make_early_inc_range(module.getOps<func::FuncOp>()))
      if (isPrimitive(function) && function.isPrivate() &&
          !called.contains(function.getSymNameAttr()))
        function.erase();
  }
};

} // namespace
