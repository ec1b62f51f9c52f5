//===- GenerateExternalCode.cpp - Code of others --------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Functions for other compilers get code before anything else looks at them.
// Those whose code is MLIR are functions as all others then. Of the others,
// only the types count from here on, and the body where it tells sizes.
//
//===----------------------------------------------------------------------===//

#include "CompilerRegions.h"

#include "relay-mlir/Dialect/Relay/IR/RelayAnnotationOps.h"
#include "relay-mlir/Dialect/Relay/Transforms/GenerateExternalCode.h"
#include "relay-mlir/Dialect/Relay/Transforms/Passes.h"
#include "relay-mlir/Dialect/Target/IR/Target.h"

#include "mlir/IR/Verifier.h"

namespace mlir::relay {
#define GEN_PASS_DEF_GENERATEEXTERNALCODEPASS
#include "relay-mlir/Dialect/Relay/Transforms/Passes.h.inc"
} // namespace mlir::relay

using namespace mlir;
using namespace mlir::relay;
using namespace mlir::relay::detail;

//===----------------------------------------------------------------------===//
// Tuples
//===----------------------------------------------------------------------===//

static void flattenType(Type type, SmallVectorImpl<Type> &types) {
  if (auto tuple = dyn_cast<TupleType>(type)) {
    for (Type field : tuple)
      flattenType(field, types);
    return;
  }
  types.push_back(type);
}

/// The tensors that a value consists of.
static void takeApart(Value value, OpBuilder &builder,
                      SmallVectorImpl<Value> &parts) {
  auto type = dyn_cast<TupleType>(value.getType());
  if (!type) {
    parts.push_back(value);
    return;
  }
  auto tuple = value.getDefiningOp<TupleOp>();
  for (unsigned i = 0, e = type.size(); i != e; ++i)
    takeApart(tuple ? tuple.getFields()[i]
                    : TupleGetItemOp::create(builder, value.getLoc(), value, i)
                          .getResult(),
              builder, parts);
}

/// The value of a type of which `parts` begins with the tensors.
static Value putTogether(Type type, ValueRange &parts, OpBuilder &builder,
                         Location loc) {
  auto tuple = dyn_cast<TupleType>(type);
  if (!tuple) {
    Value first = parts.front();
    parts = parts.drop_front();
    return first;
  }
  SmallVector<Value> fields;
  for (Type field : tuple)
    fields.push_back(putTogether(field, parts, builder, loc));
  return TupleOp::create(builder, loc, fields);
}

/// Lets only tensors cross the border of a function and of its calls.
static void flattenTuples(func::FuncOp function, ArrayRef<CallOp> calls) {
  SmallVector<Type> inputs, results;
  for (Type type : function.getArgumentTypes())
    flattenType(type, inputs);
  for (Type type : function.getResultTypes())
    flattenType(type, results);
  auto isFlat = [](TypeRange types) {
    return llvm::none_of(types, llvm::IsaPred<TupleType>);
  };
  if (isFlat(function.getArgumentTypes()) && isFlat(function.getResultTypes()))
    return;
  Block &body = function.getBody().front();
  OpBuilder builder(function.getContext());
  builder.setInsertionPointToStart(&body);
  unsigned numArguments = body.getNumArguments();
  for (Type type : inputs)
    body.addArgument(type, function.getLoc());
  ValueRange parts = body.getArguments().drop_front(numArguments);
  for (BlockArgument argument : body.getArguments().take_front(numArguments))
    argument.replaceAllUsesWith(
        putTogether(argument.getType(), parts, builder, argument.getLoc()));
  body.eraseArguments(0, numArguments);
  Operation *terminator = body.getTerminator();
  builder.setInsertionPoint(terminator);
  SmallVector<Value> returned;
  for (Value value : terminator->getOperands())
    takeApart(value, builder, returned);
  terminator->setOperands(returned);
  function.removeArgAttrsAttr();
  function.removeResAttrsAttr();
  function.setType(builder.getFunctionType(inputs, results));
  for (CallOp call : calls) {
    builder.setInsertionPoint(call);
    SmallVector<Value> operands;
    for (Value operand : call.getOperands())
      takeApart(operand, builder, operands);
    auto flat = CallOp::create(builder, call.getLoc(), results,
                               function.getSymName(), operands,
                               /*arg_attrs=*/{}, /*res_attrs=*/{});
    ValueRange computed = flat.getResults();
    SmallVector<Value> replacements;
    for (Type type : call.getResultTypes())
      replacements.push_back(
          putTogether(type, computed, builder, call.getLoc()));
    call.replaceAllUsesWith(replacements);
    call.erase();
  }
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

namespace {

struct GenerateExternalCodePass
    : relay::impl::GenerateExternalCodePassBase<GenerateExternalCodePass> {
  using GenerateExternalCodePassBase::GenerateExternalCodePassBase;
  GenerateExternalCodePass(bool mayFallBack, ExternalSourceCheck check)
      : GenerateExternalCodePassBase({mayFallBack}), check(std::move(check)) {}

  void runOnOperation() override;

private:
  using Functions = SmallVector<func::FuncOp>;

  LogicalResult generate(StringRef compiler, Functions &functions);
  LogicalResult generateOrFallBack(StringRef compiler, Functions &functions);
  LogicalResult use(StringRef compiler, Functions &functions,
                    const ExternalModule &code);
  LogicalResult use(StringRef compiler, Functions &functions,
                    const ExternalCSource &code);
  LogicalResult use(StringRef compiler, Functions &functions,
                    const ExternalBlob &code);
  /// Lets a function run on device 0 of a kind.
  void moveToDevice(func::FuncOp function, StringRef kind);
  /// Makes functions of ours of those of a compiler.
  static void giveBack(Functions &functions);
  static void dissolvePatterns(func::FuncOp function);
  static void keepForSizes(func::FuncOp function);
  static SmallVector<CallOp> getCalls(ModuleOp module, func::FuncOp function);

  ExternalSourceCheck check;
};

} // namespace

void GenerateExternalCodePass::dissolvePatterns(func::FuncOp function) {
  SmallVector<CallIndirectOp> calls;
  function.walk([&](CallIndirectOp call) { calls.push_back(call); });
  for (CallIndirectOp call : calls)
    inlineComposite(call);
}

/// What is left of a function whose code is there.
void GenerateExternalCodePass::keepForSizes(func::FuncOp function) {
  dissolvePatterns(function);
  function.setPrivate();
  for (StringRef name : {kPrimitiveAttrName, kGeneratedAttrName})
    function->setAttr(name, UnitAttr::get(function.getContext()));
}

void GenerateExternalCodePass::giveBack(Functions &functions) {
  for (func::FuncOp function : functions) {
    for (StringRef name : {kPrimitiveAttrName, kCompilerAttrName,
                           kGlobalSymbolAttrName, kInlineAttrName})
      function->removeAttr(name);
    dissolvePatterns(function);
  }
}

SmallVector<CallOp> GenerateExternalCodePass::getCalls(ModuleOp module,
                                                       func::FuncOp function) {
  SmallVector<CallOp> calls;
  module.walk([&](CallOp call) {
    if (call.getCallee() == function.getSymName())
      calls.push_back(call);
  });
  return calls;
}

LogicalResult GenerateExternalCodePass::use(StringRef compiler,
                                            Functions &functions,
                                            const ExternalModule &code) {
  // Operations of a module are no more constant than the handle of it.
  ModuleOp module = code.module ? ModuleOp(*code.module) : ModuleOp();
  if (!module || failed(verify(module)))
    return emitError(functions.front().getLoc())
           << "expects it to return a valid module, but got none";
  SymbolTable symbols(getOperation()), made(module);
  llvm::DenseSet<Operation *> used;
  // Relay's functions have one result, which may be a tuple.
  for (func::FuncOp function : functions)
    if (auto other = made.lookup<func::FuncOp>(function.getSymName());
        other && !other.isExternal())
      flattenTuples(other, getCalls(module, other));
  for (func::FuncOp function : functions) {
    auto other = made.lookup<func::FuncOp>(function.getSymName());
    if (!other || other.isExternal())
      return emitError(function.getLoc())
             << "expects it to define @" << function.getSymName()
             << ", but its module does not";
    if (other.getFunctionType() != function.getFunctionType())
      return emitError(function.getLoc())
             << "expects it to define @" << function.getSymName() << " of type "
             << function.getFunctionType() << ", but got "
             << other.getFunctionType();
    used.insert(other);
  }
  for (Operation &op : *module.getBody())
    if (!used.contains(&op)) {
      auto name = dyn_cast<SymbolOpInterface>(op);
      if (!name || symbols.lookup(name.getNameAttr()))
        return emitError(functions.front().getLoc())
               << "expects it to define functions of new names only, but got "
                  "another "
               << (name ? name.getName() : op.getName().getStringRef());
    }
  WalkResult marks = module.walk([](Operation *op) {
    if (!isa<BeginOp, EndOp>(op))
      return WalkResult::advance();
    op->emitOpError("expects nothing that is for another compiler");
    return WalkResult::interrupt();
  });
  if (marks.wasInterrupted())
    return failure();
  giveBack(functions);
  for (func::FuncOp function : functions) {
    auto other = made.lookup<func::FuncOp>(function.getSymName());
    function.getBody().takeBody(other.getBody());
    dissolvePatterns(function);
    // What is in linalg already is a kernel.
    WalkResult result = function.walk([&](Operation *op) {
      return op == function ||
                     isa<RelayDialect, func::FuncDialect>(op->getDialect())
                 ? WalkResult::advance()
                 : WalkResult::interrupt();
    });
    if (result.wasInterrupted()) {
      function->setAttr(kPrimitiveAttrName, UnitAttr::get(&getContext()));
      function->setAttr(kLoweredAttrName, UnitAttr::get(&getContext()));
    }
  }
  for (Operation &op : llvm::make_early_inc_range(*module.getBody())) {
    if (used.contains(&op))
      continue;
    op.moveBefore(functions.front());
    if (auto function = dyn_cast<func::FuncOp>(op))
      function.setPrivate();
  }
  return success();
}

LogicalResult GenerateExternalCodePass::use(StringRef compiler,
                                            Functions &functions,
                                            const ExternalCSource &code) {
  // Where nothing falls back, it is compiled only once.
  if (fallback && check && failed(check(code, functions)))
    return failure();
  Builder builder(&getContext());
  SmallVector<Attribute> all;
  if (auto known =
          getOperation()->getAttrOfType<ArrayAttr>(kExternalCodeAttrName))
    llvm::append_range(all, known);
  SmallVector<StringRef> flags(code.flags.begin(), code.flags.end());
  all.push_back(builder.getDictionaryAttr(
      {builder.getNamedAttr("compiler", builder.getStringAttr(compiler)),
       builder.getNamedAttr("flags", builder.getStrArrayAttr(flags)),
       builder.getNamedAttr("source", builder.getStringAttr(code.source))}));
  getOperation()->setAttr(kExternalCodeAttrName, builder.getArrayAttr(all));
  for (func::FuncOp function : functions)
    keepForSizes(function);
  return success();
}

/// What Relay calls device 0 of a type of DLPack, and of a kind.
static DictionaryAttr getVirtualDevice(Builder &builder, int64_t type,
                                       StringRef kind) {
  NamedAttrList attrs;
  attrs.set("device_type", builder.getI64IntegerAttr(type));
  attrs.set("virtual_device_id", builder.getI64IntegerAttr(0));
  if (!kind.empty())
    attrs.set("target", builder.getStringAttr(kind));
  return attrs.getDictionary(builder.getContext());
}

void GenerateExternalCodePass::moveToDevice(func::FuncOp function,
                                            StringRef kind) {
  // Types of DLPack: the host is 1, and extensions are 12.
  OpBuilder builder(&getContext());
  DictionaryAttr host = getVirtualDevice(builder, 1, "");
  DictionaryAttr device = getVirtualDevice(builder, 12, kind);
  for (CallOp call : getCalls(getOperation(), function)) {
    builder.setInsertionPoint(call);
    for (OpOperand &operand : call->getOpOperands())
      operand.set(DeviceCopyOp::create(builder, call.getLoc(), operand.get(),
                                       host, device));
    builder.setInsertionPointAfter(call);
    for (OpResult result : call->getResults()) {
      auto copy =
          DeviceCopyOp::create(builder, call.getLoc(), result, device, host);
      result.replaceAllUsesExcept(copy, copy);
    }
  }
}

LogicalResult GenerateExternalCodePass::use(StringRef compiler,
                                            Functions &functions,
                                            const ExternalBlob &code) {
  Location loc = functions.front().getLoc();
  if (code.format.empty() || StringRef(code.format).contains('\0'))
    return emitError(loc) << "expects it to name the format of its bytes";
  if (getExternalDeviceKind(compiler) == DeviceAttr::kCPUKind)
    return emitError(loc) << "expects bytes for a device, but \""
                          << DeviceAttr::kCPUKind << "\" is the processor";
  for (func::FuncOp function : functions)
    if (function.getNumArguments() == 0)
      return emitError(function.getLoc())
             << "expects functions with parameters for a device, but got @"
             << function.getSymName() << " without";
  Builder builder(&getContext());
  std::string kind = getExternalDeviceKind(compiler);
  NamedAttrList specs;
  if (auto known = getOperation()->getAttrOfType<DictionaryAttr>(
          TargetDialect::kDeviceSpecsAttrName))
    specs.append(known.getValue());
  if (Attribute other = specs.get(kind))
    return emitError(loc) << "expects devices of kind \"" << kind
                          << "\" to be for its bytes, but they have a target, "
                          << other;
  specs.set(kind, ExternalCodeAttr::get(&getContext(),
                                        builder.getStringAttr(compiler),
                                        builder.getStringAttr(code.format),
                                        builder.getStringAttr(code.data)));
  getOperation()->setAttr(TargetDialect::kDeviceSpecsAttrName,
                          specs.getDictionary(&getContext()));
  for (func::FuncOp function : functions) {
    keepForSizes(function);
    moveToDevice(function, kind);
  }
  return success();
}

LogicalResult GenerateExternalCodePass::generate(StringRef compiler,
                                                 Functions &functions) {
  std::shared_ptr<ExternalCodeGenerator> generator =
      lookupExternalCodeGenerator(compiler);
  if (!generator) {
    InFlightDiagnostic diag =
        emitError(functions.front().getLoc(),
                  "expects one that is registered, but there is none of that "
                  "name");
    std::vector<std::string> names = getExternalCodeGenerators();
    if (!names.empty()) {
      Diagnostic &note = diag.attachNote();
      note << "there is ";
      llvm::interleaveComma(names, note);
    }
    return diag;
  }
  for (func::FuncOp function : functions)
    for (Type type : llvm::concat<const Type>(function.getArgumentTypes(),
                                              function.getResultTypes()))
      if (!isa<RankedTensorType>(type))
        return emitError(function.getLoc())
               << "expects tensors to and from @" << function.getSymName()
               << ", but got " << type;
  OwningOpRef<ModuleOp> copy = ModuleOp::create(getOperation().getLoc());
  (*copy)->setAttrs(getOperation()->getDiscardableAttrDictionary());
  for (func::FuncOp function : functions)
    copy->push_back(function.clone());
  FailureOr<ExternalCode> code = generator->generate(*copy);
  if (failed(code))
    return failure();
  return std::visit(
      [&](const auto &alternative) {
        return use(compiler, functions, alternative);
      },
      *code);
}

LogicalResult
GenerateExternalCodePass::generateOrFallBack(StringRef compiler,
                                             Functions &functions) {
  // What a generator reports is reported as its own.
  std::vector<Diagnostic> errors;
  LogicalResult result = failure();
  {
    ScopedDiagnosticHandler handler(&getContext(), [&](Diagnostic &diag) {
      if (diag.getSeverity() != DiagnosticSeverity::Error)
        return failure();
      errors.push_back(std::move(diag));
      return success();
    });
    result = generate(compiler, functions);
  }
  if (succeeded(result) && errors.empty()) {
    numFunctions += functions.size();
    return success();
  }
  auto severity =
      fallback ? DiagnosticSeverity::Warning : DiagnosticSeverity::Error;
  DiagnosticEngine &engine = getContext().getDiagEngine();
  auto report = [&](Location loc, const Twine &message, Diagnostic *from) {
    InFlightDiagnostic diag = engine.emit(loc, severity);
    diag << "code generator \"" << compiler << "\": " << message;
    if (fallback)
      diag << "; its functions are compiled as all others";
    if (from)
      for (Diagnostic &note : from->getNotes())
        diag.attachNote(note.getLocation()) << note.str();
  };
  if (errors.empty())
    report(functions.front().getLoc(), "it fails, and does not say why",
           nullptr);
  for (Diagnostic &error : errors)
    report(error.getLocation(), error.str(), &error);
  if (!fallback)
    return failure();
  giveBack(functions);
  return success();
}

/// Reports what is for other compilers, but in none of their functions. With
/// `mayFallBack`, closures for them are compiled as all others.
static LogicalResult checkIsPartitioned(ModuleOp module, bool mayFallBack) {
  auto report = [](Operation *op, const Twine &what) {
    InFlightDiagnostic diag =
        emitError(op->getLoc())
        << "expects functions of what is for other compilers, but got " << what;
    diag.attachNote() << "relay-annotate-target and relay-partition-graph "
                         "(AnnotateTarget, PartitionGraph) make them";
    return WalkResult::interrupt();
  };
  WalkResult result =
      module.walk<WalkOrder::PreOrder>([&](Operation *op) -> WalkResult {
        if (auto name = op->getAttrOfType<StringAttr>(kCompilerAttrName)) {
          if (!isa<FnOp>(op) || mayFallBack)
            return WalkResult::skip();
          InFlightDiagnostic diag =
              emitError(op->getLoc())
              << "expects functions of the module for other compilers, but got "
                 "a closure for \""
              << name.getValue() << "\"";
          diag.attachNote()
              << "relay-outline-compiler-functions "
                 "(OutlineCompilerFunctionsWithExistingGlobalSymbols) makes "
                 "functions of closures";
          return WalkResult::interrupt();
        }
        if (isa<BeginOp, EndOp>(op))
          return report(op, op->getName().stripDialect() + " outside of them");
        if (auto name = op->getAttrOfType<StringAttr>(kCompositeAttrName))
          return report(op, "the pattern \"" + name.getValue() +
                                "\" outside of them");
        return WalkResult::advance();
      });
  return failure(result.wasInterrupted());
}

void GenerateExternalCodePass::runOnOperation() {
  if (failed(checkIsPartitioned(getOperation(), fallback)))
    return signalPassFailure();
  llvm::MapVector<StringAttr, Functions> byCompiler;
  for (auto function : getOperation().getOps<func::FuncOp>()) {
    auto compiler = function->getAttrOfType<StringAttr>(kCompilerAttrName);
    if (compiler && !function.isExternal() &&
        !function->hasAttr(kGeneratedAttrName))
      byCompiler[compiler].push_back(function);
  }
  if (byCompiler.empty())
    return markAllAnalysesPreserved();
  for (auto &[compiler, functions] : byCompiler) {
    for (func::FuncOp function : functions)
      flattenTuples(function, getCalls(getOperation(), function));
    if (failed(generateOrFallBack(compiler, functions)))
      return signalPassFailure();
  }
}

std::unique_ptr<Pass>
relay::createGenerateExternalCodePass(bool mayFallBack,
                                      ExternalSourceCheck check) {
  return std::make_unique<GenerateExternalCodePass>(mayFallBack,
                                                    std::move(check));
}
