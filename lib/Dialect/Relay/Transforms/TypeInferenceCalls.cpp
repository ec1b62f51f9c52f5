//===- TypeInferenceCalls.cpp - Operators and calls -----------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Constraints that have to wait until other types are known: an operator for
// the types of its operands, a call for that of its callee, a field for that of
// its tuple. Each runs again when something that it waits for becomes known.
// When nothing else moves on, the solver lets them guess: an operator then says
// what its operands are, such as weights.
//
//===----------------------------------------------------------------------===//

#include "TypeInference.h"

#include "relay-mlir/Dialect/Relay/Analysis/TypeRefinement.h"
#include "relay-mlir/Dialect/Relay/IR/CreateOperator.h"
#include "relay-mlir/Dialect/Relay/IR/OperandTypeInterface.h"
#include "relay-mlir/Dialect/Relay/IR/OperatorSchema.h"

#include "mlir/IR/Diagnostics.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace mlir::relay;
using namespace mlir::relay::detail;

/// Runs `action` and returns the first error that it reports, which nobody
/// else sees; nothing if it succeeds.
static std::optional<Diagnostic>
captureError(MLIRContext *context, function_ref<LogicalResult()> action) {
  std::optional<Diagnostic> error;
  ScopedDiagnosticHandler handler(context, [&](Diagnostic &diag) {
    if (!error && diag.getSeverity() == DiagnosticSeverity::Error)
      error = std::move(diag);
    return success();
  });
  bool printOp = context->shouldPrintOpOnDiagnostic();
  context->printOpOnDiagnostic(false);
  if (succeeded(action()))
    error.reset();
  else if (!error)
    error.emplace(UnknownLoc::get(context), DiagnosticSeverity::Error)
        << "has operands or attributes that do not fit";
  context->printOpOnDiagnostic(printOp);
  return error;
}

/// Says what an error said, whose types stay types. Leaves out the operation's
/// name, as emitOpError begins with it.
static void append(const Diagnostic &error, InFlightDiagnostic &diag) {
  ArrayRef<DiagnosticArgument> arguments = error.getArguments();
  auto isText = [](const DiagnosticArgument &argument, StringRef text) {
    return argument.getKind() ==
               DiagnosticArgument::DiagnosticArgumentKind::String &&
           argument.getAsString() == text;
  };
  if (arguments.size() > 3 && isText(arguments[0], "'") &&
      isText(arguments[2], "' op "))
    arguments = arguments.drop_front(3);
  for (const DiagnosticArgument &argument : arguments) {
    switch (argument.getKind()) {
    case DiagnosticArgument::DiagnosticArgumentKind::Type:
      diag << argument.getAsType();
      break;
    case DiagnosticArgument::DiagnosticArgumentKind::Attribute:
      diag << argument.getAsAttribute();
      break;
    default: {
      std::string text;
      llvm::raw_string_ostream os(text);
      argument.print(os);
      diag << text;
    }
    }
  }
}

//===----------------------------------------------------------------------===//
// Operators
//===----------------------------------------------------------------------===//

namespace mlir::relay::detail {

/// An operator's relation between the types of its operands and results.
class OperatorConstraint : public TypeConstraint {
public:
  OperatorConstraint(TypeInference &inference, Operation *op)
      : inference(inference), op(op), scope(inference.scope) {
    for (Value operand : op->getOperands())
      operands.push_back(inference.getTerm(operand));
    for (Value result : op->getResults())
      results.push_back(inference.define(result));
  }

  void run(TypeSolver &solver, bool guess) override;

private:
  /// Waits for operands that are not known. Returns whether there are any.
  bool wait(TypeSolver &solver, bool guess);
  bool inferOperands(TypeSolver &solver);
  /// Relay gives some operators a tuple where the dialect's take its fields.
  void spreadTuple(TypeSolver &solver);
  /// What inference of the results relies on.
  bool checkOperands(TypeSolver &solver);
  void giveUp(TypeSolver &solver,
              function_ref<void(InFlightDiagnostic &)> describe);

  TypeInference &inference;
  Operation *op;
  /// The type parameters that the operator sees.
  TypeSolver::Scope scope;
  SmallVector<TypeTerm, 3> operands;
  SmallVector<TypeTerm, 1> results;
  bool done = false;
};

} // namespace mlir::relay::detail

void OperatorConstraint::giveUp(
    TypeSolver &solver, function_ref<void(InFlightDiagnostic &)> describe) {
  InFlightDiagnostic diag = inference.fail(op);
  describe(diag);
  for (auto [index, operand] : llvm::enumerate(op->getOperands()))
    if (operand.getLoc() != op->getLoc())
      diag.attachNote(operand.getLoc())
          << "operand " << index << " of type "
          << solver.toType(operands[index]) << " comes from here";
  done = true;
  for (TypeTerm result : results)
    solver.invalidate(result);
}

bool OperatorConstraint::inferOperands(TypeSolver &solver) {
  auto backward = dyn_cast<OperandTypeOpInterface>(op);
  if (!backward)
    return false;
  SmallVector<Type> types;
  for (TypeTerm operand : operands)
    types.push_back(solver.toType(operand));
  backward.inferOperandTypes(types);
  bool changed = false;
  for (auto [index, type] : llvm::enumerate(types)) {
    if (!solver.isUnknown(operands[index]) || isIncomplete(type))
      continue;
    changed = true;
    solver.learn(operands[index], type, scope,
                 inference.makeReporter({op, "operand", index}), op->getLoc());
  }
  return changed;
}

void OperatorConstraint::spreadTuple(TypeSolver &solver) {
  const OperatorSchema *schema = getOperatorSchema(op);
  if (operands.size() != 1 || schema->operands.size() != 1 ||
      schema->operands.front().kind != OperandKind::Tuple ||
      solver.getKind(operands.front()) != TypeSolver::Kind::Tuple)
    return;
  Value tuple = op->getOperand(0);
  TypeTerm type = operands.front();
  operands.clear();
  llvm::append_range(operands, solver.getInputs(type));
  if (auto make = tuple.getDefiningOp<TupleOp>()) {
    op->setOperands(make.getFields());
    return;
  }
  OpBuilder builder(op);
  SmallVector<Value> fields;
  for (auto [index, term] : llvm::enumerate(operands)) {
    Value field = TupleGetItemOp::create(builder, op->getLoc(),
                                         solver.toType(term), tuple, index);
    inference.terms[field] = term;
    inference.open.push_back(field);
    fields.push_back(field);
  }
  op->setOperands(fields);
}

bool OperatorConstraint::wait(TypeSolver &solver, bool guess) {
  auto findUnknown = [&]() -> std::optional<TypeTerm> {
    for (TypeTerm operand : operands)
      if (std::optional<TypeTerm> unknown = solver.findUnknown(operand))
        return unknown;
    return std::nullopt;
  };
  std::optional<TypeTerm> unknown = findUnknown();
  if (!unknown)
    return false;
  // Nobody but its uses tells more of the parameter of a global function, at
  // least not before the function's own types are inferred.
  bool asks =
      guess ||
      llvm::any_of(
          llvm::zip_equal(op->getOperands(), operands), [&](auto pair) {
            auto argument = dyn_cast<BlockArgument>(std::get<0>(pair));
            return argument &&
                   isa<func::FuncOp>(argument.getOwner()->getParentOp()) &&
                   solver.isUnknown(std::get<1>(pair));
          });
  if (asks && inferOperands(solver)) {
    unknown = findUnknown();
    if (!unknown)
      return false;
  }
  if (solver.isInvalid(*unknown)) {
    done = true;
    for (TypeTerm result : results)
      solver.invalidate(result);
    return true;
  }
  solver.watch(*unknown, this);
  if (!guess)
    solver.guessLater(this);
  return true;
}

bool OperatorConstraint::checkOperands(TypeSolver &solver) {
  const OperatorSchema &schema = *getOperatorSchema(op);
  size_t numOperands = op->getNumOperands();
  size_t minimum = llvm::count_if(schema.operands, [](const auto &operand) {
    return operand.kind == OperandKind::Single;
  });
  size_t maximum = schema.operands.size();
  // The last one may be many.
  if (maximum && (schema.operands.back().kind == OperandKind::Tuple ||
                  schema.operands.back().kind == OperandKind::Variadic))
    maximum = std::max(numOperands, maximum);
  if (numOperands < minimum || numOperands > maximum) {
    bool isRange = numOperands < minimum && minimum != maximum;
    giveUp(solver, [&](InFlightDiagnostic &diag) {
      diag << "expects " << (isRange ? "at least " : "")
           << (numOperands < minimum ? minimum : maximum)
           << " operands, but got " << numOperands;
    });
    return false;
  }
  for (auto [index, operand] : llvm::enumerate(op->getOperands())) {
    const OperandSchema &expected =
        schema.operands[std::min(index, schema.operands.size() - 1)];
    if (expected.accepts(operand.getType()))
      continue;
    giveUp(solver, [&, index = index,
                    type = operand.getType()](InFlightDiagnostic &diag) {
      diag << "expects operand " << index << " (" << expected.name << ") to be "
           << expected.description << ", but got " << type;
    });
    return false;
  }
  return true;
}

void OperatorConstraint::run(TypeSolver &solver, bool guess) {
  if (done || wait(solver, guess))
    return;
  spreadTuple(solver);
  for (auto [operand, term] : llvm::zip_equal(op->getOperands(), operands)) {
    Type type = solver.toType(term);
    if (operand.getType() != type)
      operand.setType(type);
  }
  if (!checkOperands(solver))
    return;
  FailureOr<SmallVector<Type>> types = failure();
  std::optional<Diagnostic> error = captureError(op->getContext(), [&]() {
    types = inferResultTypes(op);
    return LogicalResult(types);
  });
  if (error)
    return giveUp(solver,
                  [&](InFlightDiagnostic &diag) { append(*error, diag); });
  for (auto [result, type] : llvm::zip_equal(results, *types))
    solver.learn(result, type, scope, inference.makeReporter({op, "a result"}),
                 op->getLoc());
  for (TypeTerm operand : operands)
    solver.watchSizes(operand, this);
}

void TypeInference::visitApply(ApplyOp apply) {
  // One that a program has added has no operation of its own.
  if (getOperatorSchema(apply))
    return visitOperator(apply);
  OpBuilder builder(apply.getContext());
  FailureOr<Operation *> op = createOperator(builder, apply);
  if (mlir::failed(op)) {
    hasErrors = true;
    solver.invalidate(define(apply.getResult()));
    return;
  }
  apply.getResult().replaceAllUsesWith((*op)->getResult(0));
  apply.erase();
  operators.push_back(*op);
  visitOperator(*op);
}

void TypeInference::visitOperator(Operation *op) {
  auto isComplete = [](Type type) {
    return isa<RankedTensorType>(type) || !isIncomplete(type);
  };
  // One that was typed before says itself what it is.
  if (operators.empty() || operators.back() != op)
    if (llvm::all_of(op->getOperandTypes(), isComplete) &&
        llvm::all_of(op->getResultTypes(), isComplete)) {
      for (Value result : op->getResults())
        define(result);
      return;
    }
  solver.add(std::make_unique<OperatorConstraint>(*this, op));
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

namespace mlir::relay::detail {

/// A call of a value, or of a polymorphic function.
class CallConstraint : public TypeConstraint {
public:
  CallConstraint(TypeInference &inference, Operation *op, TypeTerm callee,
                 Operation *declaration, OperandRange args)
      : inference(inference), op(op), callee(callee), declaration(declaration),
        typeArgs(inference.takeTypeArgs(op)) {
    for (Value arg : args) {
      values.push_back(arg);
      inference.getTerm(arg);
    }
    for (Value result : op->getResults())
      results.push_back(inference.define(result));
  }

  void run(TypeSolver &solver, bool guess) override;

private:
  TypeInference &inference;
  Operation *op;
  TypeTerm callee;
  Operation *declaration;
  SmallVector<TypeTerm> typeArgs;
  SmallVector<Value> values;
  SmallVector<TypeTerm, 1> results;
  bool done = false;
};

/// A field of a tuple.
class ProjectionConstraint : public TypeConstraint {
public:
  ProjectionConstraint(TypeInference &inference, TupleGetItemOp op)
      : inference(inference), op(op), tuple(inference.getTerm(op.getTuple())),
        result(inference.define(op.getResult())) {}

  void run(TypeSolver &solver, bool guess) override;

private:
  TypeInference &inference;
  TupleGetItemOp op;
  TypeTerm tuple, result;
};

} // namespace mlir::relay::detail

void CallConstraint::run(TypeSolver &solver, bool guess) {
  if (done)
    return;
  switch (solver.getKind(callee)) {
  case TypeSolver::Kind::Unknown: {
    if (!guess) {
      solver.watch(callee, this);
      solver.guessLater(this);
      return;
    }
    // What it takes follows from this call.
    SmallVector<TypeTerm> inputs, outputs;
    for (size_t i = 0; i != values.size(); ++i)
      inputs.push_back(solver.makeUnknown(op->getLoc()));
    for (size_t i = 0; i != results.size(); ++i)
      outputs.push_back(solver.makeUnknown(op->getLoc()));
    solver.unify(solver.makeFunction(inputs, outputs), callee,
                 inference.makeReporter({op, "a callee"}));
    break;
  }
  case TypeSolver::Kind::Forall:
    // An instance shares what is not known yet of the function's type.
    if (std::optional<TypeTerm> unknown = solver.findUnknown(callee);
        unknown && !guess && solver.isUnknown(*unknown)) {
      solver.watch(*unknown, this);
      solver.guessLater(this);
      return;
    }
    break;
  case TypeSolver::Kind::Function:
    break;
  case TypeSolver::Kind::Invalid:
    done = true;
    for (TypeTerm result : results)
      solver.invalidate(result);
    return;
  default: {
    done = true;
    InFlightDiagnostic diag = inference.fail(op)
                              << "expects a function to call, but got "
                              << solver.toType(callee);
    diag.attachNote(op->getOperand(0).getLoc()) << "the callee comes from here";
    for (TypeTerm result : results)
      solver.invalidate(result);
    return;
  }
  }
  done = true;
  if (!inference.checkTypeArgs(op, callee, typeArgs))
    typeArgs.clear();
  TypeTerm function = solver.instantiate(callee, typeArgs);
  if (solver.isInvalid(function))
    return;
  size_t numInputs = solver.getInputs(function).size();
  if (numInputs != values.size()) {
    InFlightDiagnostic diag = inference.fail(op)
                              << "expects " << numInputs
                              << " arguments, but got " << values.size();
    diag.attachNote(declaration ? declaration->getLoc() : op->getLoc())
        << "the callee is of type " << solver.toType(callee);
    solver.invalidate(callee);
    for (TypeTerm result : results)
      solver.invalidate(result);
    return;
  }
  for (auto [index, value] : llvm::enumerate(values))
    inference.flow(value, solver.getInputs(function)[index],
                   {op, "argument", index, nullptr, declaration});
  for (auto [result, type] : llvm::zip(results, solver.getResults(function)))
    inference.flow(type, result,
                   {op, "a result", std::nullopt, nullptr, declaration},
                   /*instantiates=*/false);
}

SmallVector<TypeTerm> TypeInference::takeTypeArgs(Operation *call) {
  SmallVector<TypeTerm> args;
  if (auto types = call->getAttrOfType<ArrayAttr>(kTypeArgsAttrName))
    for (auto type : types.getAsRange<TypeAttr>())
      args.push_back(solver.fromType(type.getValue(), scope));
  // Types tell what they are; those of a rewritten program may be others.
  call->removeAttr(kTypeArgsAttrName);
  return args;
}

bool TypeInference::checkTypeArgs(Operation *call, TypeTerm callee,
                                  ArrayRef<TypeTerm> args) {
  size_t maximum = solver.getKind(callee) == TypeSolver::Kind::Forall
                       ? solver.getInputs(callee).size()
                       : 0;
  if (args.size() <= maximum)
    return true;
  fail(call) << "expects at most " << maximum << " type arguments, but got "
             << args.size();
  return false;
}

void TypeInference::visitCall(CallOp call) {
  auto callee = symbols.lookup<func::FuncOp>(call.getCallee());
  auto it = signatures.find(callee);
  if (it == signatures.end()) {
    fail(call) << "expects the name of a function, but got '"
               << call.getCallee() << "'";
    for (Value result : call.getResults())
      solver.invalidate(define(result));
    return;
  }
  const Signature &signature = it->second;
  if (solver.getKind(signature.type) == TypeSolver::Kind::Forall ||
      call->hasAttr(kTypeArgsAttrName)) {
    // The types of functions that are being inferred are no use for instances.
    TypeTerm type = signature.type;
    if (current.contains(callee) &&
        solver.getKind(type) == TypeSolver::Kind::Forall)
      type = solver.getResults(type).back();
    solver.add(std::make_unique<CallConstraint>(*this, call, type, callee,
                                                call.getOperands()));
    return;
  }
  if (signature.inputs.size() != call.getNumOperands() ||
      signature.results.size() != call.getNumResults()) {
    InFlightDiagnostic diag =
        fail(call) << "expects " << signature.inputs.size()
                   << " arguments, but got " << call.getNumOperands();
    diag.attachNote(callee.getLoc()) << "the function is defined here";
    for (Value result : call.getResults())
      solver.invalidate(define(result));
    return;
  }
  for (auto [index, value] : llvm::enumerate(call.getOperands()))
    flow(value, signature.inputs[index],
         {call, "argument", index, nullptr, callee});
  for (auto [value, type] :
       llvm::zip_equal(call.getResults(), signature.results))
    define(value, type, {call, "a result", std::nullopt, nullptr, callee});
}

void TypeInference::visitCallIndirect(CallIndirectOp call) {
  solver.add(std::make_unique<CallConstraint>(
      *this, call, getTerm(call.getCallee()), call.getCallee().getDefiningOp(),
      call.getArgs()));
}

//===----------------------------------------------------------------------===//
// Fields of tuples
//===----------------------------------------------------------------------===//

void ProjectionConstraint::run(TypeSolver &solver, bool) {
  switch (solver.getKind(tuple)) {
  case TypeSolver::Kind::Unknown:
    solver.watch(tuple, this);
    return;
  case TypeSolver::Kind::Invalid:
    return solver.invalidate(result);
  case TypeSolver::Kind::Tuple:
    break;
  default: {
    InFlightDiagnostic diag = inference.fail(op) << "expects a tuple, but got "
                                                 << solver.toType(tuple);
    diag.attachNote(op.getTuple().getLoc()) << "the value comes from here";
    return solver.invalidate(result);
  }
  }
  ArrayRef<TypeTerm> fields = solver.getInputs(tuple);
  int64_t index = op.getIndex();
  if (index < 0 || index >= static_cast<int64_t>(fields.size())) {
    InFlightDiagnostic diag = inference.fail(op)
                              << "expects index in the range [0, "
                              << fields.size() << "), but got " << index;
    diag.attachNote(op.getTuple().getLoc())
        << "the tuple of type " << solver.toType(tuple) << " comes from here";
    return solver.invalidate(result);
  }
  inference.flow(fields[index], result, {op, "a result"},
                 /*instantiates=*/false);
}

void TypeInference::visitTupleGetItem(TupleGetItemOp get) {
  solver.add(std::make_unique<ProjectionConstraint>(*this, get));
}
