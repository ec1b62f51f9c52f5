//===- ScheduleSession.cpp - Schedules step by step -----------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "relay-mlir/Dialect/TIR/TransformOps/ScheduleSession.h"

#include "relay-mlir/Dialect/TIR/Schedule/Schedule.h"
#include "relay-mlir/Dialect/TIR/TransformOps/TIRTransformOps.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Verifier.h"

using namespace mlir;
using namespace mlir::tir;

void mlir::tir::loadScheduleDialects(MLIRContext *context) {
  DialectRegistry registry;
  registry.insert<transform::TransformDialect>();
  registerTransformDialectExtension(registry);
  context->appendDialectRegistry(registry);
  context->getOrLoadDialect<transform::TransformDialect>();
}

ScheduleSession::ScheduleSession(PrimFuncOp kernel) : kernel(kernel) {
  MLIRContext *context = kernel.getContext();
  assert(context->getLoadedDialect<transform::TransformDialect>() &&
         "threads that schedule cannot load dialects");
  module = ModuleOp::create(kernel.getLoc());
  OpBuilder builder(module->getBodyRegion());
  (*module)->setAttr(transform::TransformDialect::kWithNamedSequenceAttrName,
                     builder.getUnitAttr());
  script = transform::NamedSequenceOp::create(
      builder, kernel.getLoc(), (kernel.getSymName() + kScheduleSuffix).str(),
      transform::AnyOpType::get(context), /*resultTypes=*/TypeRange(),
      [](OpBuilder &body, Location loc, BlockArgument) {
        transform::YieldOp::create(body, loc);
      });
  script.setArgAttr(0, transform::TransformDialect::kArgReadOnlyAttrName,
                    builder.getUnitAttr());
  // The interpreter's own entry points run a whole sequence; this one keeps the
  // state between steps.
  state.reset(new transform::TransformState(
      transform::detail::makeTransformStateForTesting(&script.getBody(),
                                                      kernel)));
  (void)state->mapBlockArguments(script.getBody().getArgument(0),
                                 {kernel.getOperation()});
}

ScheduleSession::~ScheduleSession() {
  state.reset();
  for (Operation *step : llvm::reverse(refused))
    step->destroy();
}

Value ScheduleSession::getKernel() { return script.getBody().getArgument(0); }

transform::NamedSequenceOp ScheduleSession::getScript() { return script; }

OpBuilder ScheduleSession::getBuilder() {
  return OpBuilder(script.getBody().front().getTerminator());
}

OwningOpRef<ModuleOp> ScheduleSession::takeScript() {
  state.reset();
  for (Operation &step : llvm::make_early_inc_range(
           llvm::reverse(script.getBody().front().without_terminator())))
    if (step.use_empty() &&
        isa<transform_ops::GetBlockOp, transform_ops::GetLoopsOp>(step))
      step.erase();
  return std::move(module);
}

SmallVector<Operation *> ScheduleSession::getPayload(Value handle) const {
  if (!isa<transform::TransformHandleTypeInterface>(handle.getType()))
    return {};
  return llvm::to_vector(state->getPayloadOps(handle));
}

std::optional<int64_t> ScheduleSession::getNumber(Value handle) const {
  if (!isa<transform::TransformParamTypeInterface>(handle.getType()))
    return std::nullopt;
  ArrayRef<Attribute> numbers = state->getParams(handle);
  auto number = numbers.size() == 1 ? dyn_cast<IntegerAttr>(numbers.front())
                                    : IntegerAttr();
  return number ? std::optional<int64_t>(number.getInt()) : std::nullopt;
}

/// Reports why `step` was refused.
static void report(Operation *step, unsigned number, StringRef kernel,
                   DiagnosedSilenceableFailure result) {
  auto start = [&] {
    InFlightDiagnostic error = emitError(step->getLoc())
                               << "cannot apply step " << number << ", "
                               << step->getName() << ", to kernel @" << kernel;
    return error;
  };
  if (!result.isSilenceableFailure()) {
    (void)result.checkAndReport();
    start();
    return;
  }
  SmallVector<Diagnostic> reasons;
  result.takeDiagnostics(reasons);
  InFlightDiagnostic error = start();
  error << ": " << reasons.front().str();
  if (reasons.front().getLocation() != step->getLoc())
    error.attachNote(reasons.front().getLocation()) << "this is in the way";
  for (Diagnostic &reason : reasons)
    for (Diagnostic &note : reason.getNotes())
      error.attachNote(note.getLocation()) << note.str();
}

/// Whether the steps in `root` name sequences that are there, and change the
/// kernel alone: a pass may erase it, or the script.
static LogicalResult checkSteps(Operation *root) {
  SymbolTableCollection symbols;
  WalkResult result = root->walk([&](Operation *op) -> WalkResult {
    if (isa<transform::ApplyRegisteredPassOp>(op))
      return op->emitError(
          "expects a step that changes the kernel, but got a pass");
    auto user = dyn_cast<SymbolUserOpInterface>(op);
    return user ? user.verifySymbolUses(symbols) : success();
  });
  return failure(result.wasInterrupted());
}

void ScheduleSession::refuse(Operation *step) {
  step->remove();
  refused.push_back(step);
}

DiagnosedSilenceableFailure
ScheduleSession::tryStep(transform::TransformOpInterface step) {
  // As of a step that was written: what runs may rely on it.
  DiagnosedSilenceableFailure result =
      failed(verify(step)) ? DiagnosedSilenceableFailure::definiteFailure()
                           : state->applyTransform(step);
  if (!result.succeeded())
    refuse(step);
  return result;
}

LogicalResult ScheduleSession::run(Operation *step, unsigned number) {
  auto fail = [&] {
    refuse(step);
    return failure();
  };
  auto transform = dyn_cast<transform::TransformOpInterface>(step);
  if (!transform) {
    step->emitError("expects a transform op as step ")
        << number << " of the schedule of @" << kernel.getSymName();
    return fail();
  }
  if (failed(verify(step)) || failed(checkSteps(step)))
    return fail();
  DiagnosedSilenceableFailure result = state->applyTransform(transform);
  if (result.succeeded()) {
    ++numSteps;
    return success();
  }
  report(step, number, kernel.getSymName(), std::move(result));
  return fail();
}

FailureOr<SmallVector<Value>>
ScheduleSession::apply(StringRef name, ValueRange operands,
                       ArrayRef<NamedAttribute> attributes,
                       unsigned numResults) {
  MLIRContext *context = kernel.getContext();
  Location loc = UnknownLoc::get(context);
  if (!RegisteredOperationName::lookup(name, context))
    return emitError(loc) << "expects a transform op, but got " << name;
  OpBuilder builder = getBuilder();
  OperationState operation(loc, name);
  operation.addOperands(operands);
  operation.addAttributes(attributes);
  // Samples are numbers, everything else is a handle.
  using namespace transform_ops;
  bool areNumbers = name == SampleCategoricalOp::getOperationName() ||
                    name == SamplePerfectTileOp::getOperationName() ||
                    name == SamplePartitionedTileOp::getOperationName();
  Type type =
      areNumbers
          ? Type(transform::ParamType::get(context, builder.getI64Type()))
          : Type(transform::AnyOpType::get(context));
  operation.addTypes(SmallVector<Type>(numResults, type));
  Operation *step = builder.create(operation);
  if (failed(run(step, numSteps + 1)))
    return failure();
  return SmallVector<Value>(step->getResults());
}

FailureOr<SmallVector<Value>>
ScheduleSession::query(StringRef name, Value operand,
                       ArrayRef<NamedAttribute> attributes) {
  using namespace transform_ops;
  SmallVector<Operation *> payload = getPayload(operand);
  unsigned count = 0;
  if (payload.size() == 1) {
    Operation *op = payload.front();
    if (auto block = dyn_cast<BlockOp>(op)) {
      if (name == GetLoopsOp::getOperationName())
        count = block.getLoops().size();
      else if (name == GetProducersOp::getOperationName())
        count = getProducers(block).size();
      else if (name == GetConsumersOp::getOperationName())
        count = getConsumers(block).size();
      else if (name == CacheIndexOp::getOperationName())
        for (NamedAttribute attribute : attributes)
          if (auto uses = dyn_cast<IntegerAttr>(attribute.getValue());
              uses && attribute.getName() == "min_uses")
            count = countCachedIndices(block, uses.getInt());
    } else if (auto loop = dyn_cast<ForOp>(op)) {
      count = loop.getBlocks().size();
    } else if (auto function = dyn_cast<PrimFuncOp>(op)) {
      count = getOutputBlocks(function).size();
    }
  }
  return apply(name, operand, attributes, count);
}

void ScheduleSession::addIntrinsic(PrimFuncOp function) {
  if (!module->lookupSymbol(function.getSymName()))
    module->push_back(function->clone());
}

/// Copies what steps of `script` may name: intrinsics, and sequences that are
/// not the schedule of a kernel.
LogicalResult ScheduleSession::addSymbols(ModuleOp around) {
  for (Operation &op : *around.getBody()) {
    auto sequence = dyn_cast<transform::NamedSequenceOp>(op);
    if (auto function = dyn_cast<PrimFuncOp>(op);
        function && function.isIntrinsic())
      addIntrinsic(function);
    else if (sequence && !sequence.getSymName().ends_with(kScheduleSuffix) &&
             !module->lookupSymbol(sequence.getSymName()))
      module->push_back(sequence->clone());
  }
  for (auto sequence : module->getOps<transform::NamedSequenceOp>())
    if (sequence != script && failed(checkSteps(sequence)))
      return failure();
  return success();
}

LogicalResult ScheduleSession::replay(transform::NamedSequenceOp other) {
  if (auto around = dyn_cast<ModuleOp>(other->getParentOp());
      around && failed(addSymbols(around)))
    return failure();
  Block &body = other.getBody().front();
  if (body.getNumArguments() != 1)
    return other.emitError("expects a sequence with one argument, the kernel");
  IRMapping mapping;
  mapping.map(body.getArgument(0), getKernel());
  OpBuilder builder = getBuilder();
  for (auto [index, op] : llvm::enumerate(body.without_terminator()))
    if (failed(run(builder.clone(op, mapping), index + 1)))
      return failure();
  return success();
}

LogicalResult
mlir::tir::applyScheduleScript(PrimFuncOp kernel,
                               transform::NamedSequenceOp script) {
  return ScheduleSession(kernel).replay(script);
}
