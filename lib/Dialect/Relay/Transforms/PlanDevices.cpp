//===- PlanDevices.cpp - Decide where operators run -----------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What an operator reads and what it writes is on one device, so values that
// operators connect are in one class. `on_device` separates its operand from
// its result, and puts one of them, or both, on a device. A class without a
// device is on the default device, the host if none is given. Then
// `device_copy` is put wherever a value is not where it is wanted, and what
// follows needs no plan: a value is on the device that the last copy before it
// names, or on the host.
//
// Parameters and what is computed from constants only can be copied anywhere,
// so that they connect nothing. Results of the function are on the host, and so
// are functions of strings, which the run time has, and what they make.
//
//===----------------------------------------------------------------------===//

#include "relay-mlir/Dialect/Relay/Transforms/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "relay-mlir/Dialect/Relay/IR/Relay.h"
#include "relay-mlir/Dialect/Relay/IR/RelayAnnotationOps.h"
#include "relay-mlir/Dialect/Target/IR/Target.h"
#include "llvm/ADT/IntEqClasses.h"

namespace mlir::relay {
#define GEN_PASS_DEF_PLANDEVICESPASS
#include "relay-mlir/Dialect/Relay/Transforms/Passes.h.inc"
} // namespace mlir::relay

using namespace mlir;
using namespace mlir::relay;

namespace {

/// Plans one function.
class DevicePlanner {
public:
  DevicePlanner(func::FuncOp function, DeviceAttr defaultDevice,
                bool perOperator)
      : function(function), defaultDevice(defaultDevice),
        perOperator(perOperator) {}

  LogicalResult plan();
  void rewrite();
  unsigned getNumCopies() const { return numCopies; }

private:
  /// A device, the host if null, and the operation that asks for it.
  struct Choice {
    DeviceAttr device;
    Operation *op = nullptr;
  };

  static bool isConstant(Value value) {
    return isa_and_nonnull<ConstantOp>(value.getDefiningOp());
  }
  /// Whether a value is copied to where it is used.
  bool isLoose(Value value) const {
    return isa<BlockArgument>(value) || fromConstants.contains(value) ||
           marked.contains(value) || value.getDefiningOp<StringMapOp>();
  }
  unsigned getNumber(Value value);
  void connect(Operation *op);
  LogicalResult choose(Operation *op, Value value, DictionaryAttr device);
  LogicalResult chooseFor(Operation *op);
  DeviceAttr getDevice(Value value);
  /// `value`, or a copy of it, on a device.
  Value getCopy(Value value, DeviceAttr device, OpBuilder &builder);
  DictionaryAttr getVirtualDevice(DeviceAttr device);

  func::FuncOp function;
  /// Null for the host, as all devices here.
  DeviceAttr defaultDevice;
  /// Whether operators connect nothing.
  bool perOperator;
  /// What is computed from constants only, and results of `on_device` that need
  /// not be anywhere.
  DenseSet<Value> fromConstants, marked;
  DenseMap<Value, unsigned> numbers;
  llvm::IntEqClasses classes;
  DenseMap<unsigned, Choice> choices;
  /// How each device was written.
  DenseMap<DeviceAttr, DictionaryAttr> notations;
  DenseMap<std::pair<Value, DeviceAttr>, Value> copies;
  DenseMap<Value, DeviceAttr> copyDevices;
  unsigned numCopies = 0;
};

} // namespace

unsigned DevicePlanner::getNumber(Value value) {
  auto [it, isNew] = numbers.insert({value, numbers.size()});
  if (isNew)
    classes.grow(numbers.size());
  return it->second;
}

/// Puts what an operator reads and writes into one class.
void DevicePlanner::connect(Operation *op) {
  std::optional<unsigned> first;
  auto join = [&](Value value) {
    unsigned number = getNumber(value);
    if (first)
      classes.join(*first, number);
    first = number;
  };
  // A tuple is where its fields are.
  if (!perOperator || isa<TupleOp, TupleGetItemOp>(op))
    for (Value operand : op->getOperands())
      if (!isConstant(operand) && !isLoose(operand))
        join(operand);
  llvm::for_each(op->getResults(), join);
}

/// Puts the class of `value` on a device, as `op` asks for.
LogicalResult DevicePlanner::choose(Operation *op, Value value,
                                    DictionaryAttr device) {
  FailureOr<DeviceAttr> chosen =
      DeviceAttr::fromVirtualDevice(device, [&] { return op->emitOpError(); });
  if (failed(chosen))
    return failure();
  if (!*chosen)
    return success();
  notations.insert({*chosen, device});
  if (chosen->isHost())
    *chosen = {};
  auto [it, isNew] =
      choices.insert({classes.findLeader(getNumber(value)), {*chosen, op}});
  if (isNew || it->second.device == *chosen)
    return success();
  InFlightDiagnostic diag = op->emitOpError()
                            << "expects what operators connect to be on one "
                               "device, but got "
                            << DeviceAttr::getName(it->second.device) << " and "
                            << DeviceAttr::getName(*chosen);
  diag.attachNote(it->second.op->getLoc())
      << DeviceAttr::getName(it->second.device)
      << " is asked for here; on_device around a value lets its users be "
         "elsewhere";
  return diag;
}

LogicalResult DevicePlanner::chooseFor(Operation *op) {
  if (auto mark = dyn_cast<OnDeviceOp>(op)) {
    DictionaryAttr device = mark.getVirtualDevice().value_or(DictionaryAttr());
    if (!device)
      return success();
    // Where constants and parameters are is not to choose.
    Value body = mark.getBody();
    if (mark.getConstrainBody() && !isConstant(body) && !isLoose(body) &&
        failed(choose(op, body, device)))
      return failure();
    return mark.getConstrainResult() ? choose(op, mark.getResult(), device)
                                     : success();
  }
  auto copy = dyn_cast<DeviceCopyOp>(op);
  if (!copy || isConstant(copy.getData()))
    return success();
  if (copy.getSrcVirtualDevice() && !isLoose(copy.getData()) &&
      failed(choose(op, copy.getData(), *copy.getSrcVirtualDevice())))
    return failure();
  return copy.getDstVirtualDevice()
             ? choose(op, copy.getResult(), *copy.getDstVirtualDevice())
             : success();
}

LogicalResult DevicePlanner::plan() {
  for (Block &block : function.getBody())
    for (Operation &op : block) {
      if (isa<OnDeviceOp, DeviceCopyOp>(op)) {
        getNumber(op.getResult(0));
        auto mark = dyn_cast<OnDeviceOp>(op);
        if (mark && !mark.getConstrainResult()) {
          Value body = mark.getBody();
          bool isFromConstants =
              isConstant(body) || fromConstants.contains(body);
          (isFromConstants ? fromConstants : marked).insert(mark.getResult());
        }
        continue;
      }
      // Whatever is around closures and branches is on the host; what is inside
      // has not been asked.
      WalkResult nested = op.walk([&](Operation *inner) {
        if (inner == &op || !isa<OnDeviceOp, DeviceCopyOp>(inner))
          return WalkResult::advance();
        inner->emitOpError("expects to be in the body of a function, but is in "
                           "a region of '")
            << op.getName() << "'";
        return WalkResult::interrupt();
      });
      if (nested.wasInterrupted())
        return failure();
      if (op.hasTrait<OpTrait::IsTerminator>() ||
          isa<ConstantOp, StringMapOp>(op))
        continue;
      if (llvm::all_of(op.getOperands(), [&](Value operand) {
            return isConstant(operand) || fromConstants.contains(operand);
          }))
        fromConstants.insert(op.result_begin(), op.result_end());
      else
        connect(&op);
    }
  for (Block &block : function.getBody())
    for (Operation &op : block)
      if (failed(chooseFor(&op)))
        return failure();
  return success();
}

DeviceAttr DevicePlanner::getDevice(Value value) {
  if (auto it = copyDevices.find(value); it != copyDevices.end())
    return it->second;
  if (isConstant(value) || isLoose(value))
    return {};
  auto it = choices.find(classes.findLeader(getNumber(value)));
  return it == choices.end() ? defaultDevice : it->second.device;
}

DictionaryAttr DevicePlanner::getVirtualDevice(DeviceAttr device) {
  if (DictionaryAttr notation = notations.lookup(device))
    return notation;
  if (!device)
    device = DeviceAttr::get(function.getContext(), DeviceAttr::kCPUKind, 0);
  return device.toVirtualDevice();
}

Value DevicePlanner::getCopy(Value value, DeviceAttr device,
                             OpBuilder &builder) {
  DeviceAttr from = getDevice(value);
  // Constants are made where they are used.
  if (isConstant(value) || from == device)
    return value;
  Value &copy = copies[{value, device}];
  if (!copy) {
    copy =
        DeviceCopyOp::create(builder, value.getLoc(), value,
                             getVirtualDevice(from), getVirtualDevice(device));
    copyDevices[copy] = device;
    ++numCopies;
  }
  return copy;
}

void DevicePlanner::rewrite() {
  // Devices of values are looked up by the values of before.
  DenseMap<Value, Value> replacements;
  SmallVector<Operation *> marks;
  for (Block &block : function.getBody())
    for (Operation &op : llvm::make_early_inc_range(block)) {
      OpBuilder builder(&op);
      if (isa<OnDeviceOp, DeviceCopyOp>(op)) {
        Value data = op.getOperand(0);
        while (Value other = replacements.lookup(data))
          data = other;
        Value result = op.getResult(0);
        replacements[result] = marked.contains(result)
                                   ? data
                                   : getCopy(data, getDevice(result), builder);
        marks.push_back(&op);
        continue;
      }
      if (isa<ConstantOp>(op))
        continue;
      DeviceAttr device;
      if (perOperator && op.getNumResults() != 0)
        device = getDevice(op.getResult(0));
      else
        for (Value value :
             llvm::concat<Value>(op.getOperands(), op.getResults()))
          if (DeviceAttr other = getDevice(value))
            device = other;
      if (op.hasTrait<OpTrait::IsTerminator>() || isa<StringMapOp>(op))
        device = {};
      for (OpOperand &operand : op.getOpOperands()) {
        Value value = operand.get();
        while (Value other = replacements.lookup(value))
          value = other;
        operand.set(getCopy(value, device, builder));
      }
    }
  for (Operation *op : llvm::reverse(marks))
    op->erase();
}

namespace {

struct PlanDevicesPass : relay::impl::PlanDevicesPassBase<PlanDevicesPass> {
  using PlanDevicesPassBase::PlanDevicesPassBase;

  LogicalResult initialize(MLIRContext *context) override {
    if (defaultDevice.empty())
      return success();
    auto [kind, number] = StringRef(defaultDevice).split(':');
    int32_t index;
    if (!DeviceAttr::isKind(kind) || number.getAsInteger(10, index) ||
        index < 0)
      return emitError(UnknownLoc::get(context))
             << "expects option 'default-device' to be a kind of devices and "
                "a number, such as cpu:1, but got '"
             << defaultDevice << "'";
    device = DeviceAttr::get(context, kind, index);
    if (device.isHost())
      device = {};
    return success();
  }

  void runOnOperation() override {
    func::FuncOp function = getOperation();
    WalkResult marked = function.walk([](Operation *op) {
      return isa<OnDeviceOp, DeviceCopyOp>(op) ? WalkResult::interrupt()
                                               : WalkResult::advance();
    });
    if ((!device && !marked.wasInterrupted()) ||
        function->hasAttr(kPrimitiveAttrName))
      return markAllAnalysesPreserved();
    DevicePlanner planner(function, device, perOperator);
    if (failed(planner.plan()))
      return signalPassFailure();
    planner.rewrite();
    numCopies += planner.getNumCopies();
  }

  /// Null for the host.
  DeviceAttr device;
};

} // namespace
