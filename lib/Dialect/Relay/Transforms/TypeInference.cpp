//===- TypeInference.cpp - Constraints of a program -----------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TypeInference.h"

#include "relay-mlir/Dialect/Relay/IR/OperatorSchema.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::relay;
using namespace mlir::relay::detail;

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

InFlightDiagnostic TypeInference::fail(Operation *op) {
  hasErrors = true;
  return op->emitOpError();
}

TypeTerm TypeInference::define(Value value) {
  TypeTerm term = solver.fromType(value.getType(), scope);
  terms[value] = term;
  if (!isa<RankedTensorType>(value.getType()) && isIncomplete(value.getType()))
    open.push_back(value);
  return term;
}

void TypeInference::define(Value value, TypeTerm term, const UseOfValue &use) {
  if (!isa<IncompleteType>(value.getType()))
    return flow(term, define(value), use);
  terms[value] = term;
  open.push_back(value);
}

TypeTerm TypeInference::getTerm(Value value) {
  auto it = terms.find(value);
  return it == terms.end() ? define(value) : it->second;
}

FlowReporter TypeInference::makeReporter(const UseOfValue &use) {
  return [this, use](Type expected, Type actual, bool infinite,
                     std::optional<Location> inferred) {
    InFlightDiagnostic diag = fail(use.op);
    diag << "expects " << use.what;
    if (use.index)
      diag << ' ' << *use.index;
    if (infinite)
      diag << " of a type that does not contain itself, but " << expected
           << " would have to be " << actual;
    else
      diag << " of type " << expected << ", but got " << actual;
    if (use.value && use.value.getLoc() != use.op->getLoc())
      diag.attachNote(use.value.getLoc()) << "the value comes from here";
    if (inferred && *inferred != use.op->getLoc())
      diag.attachNote(*inferred) << expected << " is inferred from here";
    else if (use.declaration && use.declaration != use.op)
      diag.attachNote(use.declaration->getLoc())
          << expected << " is declared here";
  };
}

void TypeInference::flow(TypeTerm source, TypeTerm target,
                         const UseOfValue &use, bool instantiates) {
  solver.flow(source, target, makeReporter(use), use.op->getLoc(),
              instantiates);
}

void TypeInference::flow(Value source, TypeTerm target, UseOfValue use) {
  use.value = source;
  flow(getTerm(source), target, use);
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

void TypeInference::declare(func::FuncOp function) {
  Signature &signature = signatures[function];
  signature.incomplete = isIncomplete(function.getFunctionType());
  SmallVector<TypeTerm> variables;
  if (auto params = function->getAttrOfType<ArrayAttr>(kTypeParamsAttrName))
    for (auto param : params.getAsRange<StringAttr>()) {
      variables.push_back(solver.makeVariable(param.getValue()));
      signature.scope[param.getValue()] = variables.back();
    }
  for (Type type : function.getArgumentTypes())
    signature.inputs.push_back(solver.fromType(type, signature.scope));
  for (Type type : function.getResultTypes())
    signature.results.push_back(solver.fromType(type, signature.scope));
  signature.type = solver.makeForall(
      variables, solver.makeFunction(signature.inputs, signature.results));
  if (function.isExternal())
    return;
  for (auto [argument, term] :
       llvm::zip_equal(function.getArguments(), signature.inputs)) {
    terms[argument] = term;
    if (isIncomplete(argument.getType()))
      open.push_back(argument);
  }
}

bool TypeInference::needsInference(func::FuncOp function) {
  auto isOpen = [](Type type) {
    return !isa<RankedTensorType>(type) && isIncomplete(type);
  };
  if (signatures[function].incomplete)
    return true;
  return function
      .walk([&](Operation *op) {
        bool needs =
            isa<ApplyOp>(op) || llvm::any_of(op->getResultTypes(), isOpen);
        for (Region &region : op->getRegions())
          for (Block &block : region)
            needs |= llvm::any_of(block.getArgumentTypes(), isOpen);
        // The function may learn from what it is called with.
        if (auto call = dyn_cast<CallOp>(op)) {
          Operation *callee = symbols.lookup(call.getCallee());
          auto it = signatures.find(callee);
          needs |= it != signatures.end() && it->second.incomplete;
        }
        return needs ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

LogicalResult TypeInference::run() {
  std::vector<CallCycle> cycles = getCalleesFirst(module);
  for (CallCycle &cycle : cycles)
    for (func::FuncOp function : cycle.functions)
      declare(function);
  bool any = false;
  for (CallCycle &cycle : cycles) {
    current.clear();
    for (func::FuncOp function : cycle.functions)
      if (signatures[function].incomplete)
        current.insert(function);
    for (func::FuncOp function : cycle.functions)
      if (needsInference(function)) {
        any = true;
        visitFunction(function);
      }
    solver.solve();
  }
  if (!any)
    return success();
  reportUnknown();
  if (hasErrors)
    return failure();
  setTypes();
  verifyOperators();
  return success(!hasErrors);
}

void TypeInference::visitFunction(func::FuncOp function) {
  scope = signatures[function].scope;
  for (Block &block : function.getBody())
    visitBlock(block);
}

void TypeInference::visitBlock(Block &block) {
  for (Operation &op : llvm::make_early_inc_range(block)) {
    visit(&op);
    solver.propagate();
  }
}

void TypeInference::visit(Operation *op) {
  llvm::TypeSwitch<Operation *>(op)
      .Case([&](ApplyOp op) { visitApply(op); })
      .Case([&](CallOp op) { visitCall(op); })
      .Case([&](CallIndirectOp op) { visitCallIndirect(op); })
      .Case([&](ConstructOp op) { visitConstruct(op); })
      .Case([&](FnOp op) { visitFn(op); })
      .Case([&](GlobalOp op) { visitGlobal(op); })
      .Case([&](IfOp op) { visitIf(op); })
      .Case([&](MatchOp op) { visitMatch(op); })
      .Case([&](RefCreateOp op) { visitRefCreate(op); })
      .Case([&](RefReadOp op) { visitRefRead(op); })
      .Case([&](RefWriteOp op) { visitRefWrite(op); })
      .Case([&](func::ReturnOp op) { visitReturn(op); })
      .Case([&](TupleGetItemOp op) { visitTupleGetItem(op); })
      .Case([&](LetOp let) {
        define(let.getResult(), getTerm(let.getValue()),
               {let, "a value", std::nullopt, let.getValue()});
      })
      .Case([&](TupleOp tuple) {
        SmallVector<TypeTerm> fields;
        for (Value field : tuple.getFields())
          fields.push_back(getTerm(field));
        // Exactly what its fields are.
        terms[tuple.getResult()] = solver.makeTuple(fields);
        if (isIncomplete(tuple.getType()))
          open.push_back(tuple.getResult());
      })
      .Case([&](UnrealizedConversionCastOp cast) { visitAnnotation(cast); })
      .Default([&](Operation *op) {
        if (getOperatorSchema(op))
          visitOperator(op);
        else
          for (Value result : op->getResults())
            define(result);
      });
}

void TypeInference::visitAnnotation(UnrealizedConversionCastOp cast) {
  for (Value result : cast.getResults())
    define(result);
  if (cast.getNumOperands() != 1 || cast.getNumResults() != 1)
    return;
  annotations.push_back(cast);
  flow(cast.getOperand(0), getTerm(cast.getResult(0)), {cast, "a value"});
}

void TypeInference::visitReturn(func::ReturnOp op) {
  auto function = op->getParentOfType<func::FuncOp>();
  for (auto [index, pair] : llvm::enumerate(
           llvm::zip_equal(op.getOperands(), signatures[function].results))) {
    auto [value, result] = pair;
    flow(value, result, {op, "result", index, nullptr, function});
  }
}

void TypeInference::visitFn(FnOp fn) {
  TypeSolver::Scope outer = scope;
  SmallVector<TypeTerm> variables, params;
  for (StringAttr name : relay::getTypeParams(fn.getResult().getType())) {
    variables.push_back(solver.makeVariable(name.getValue()));
    scope[name.getValue()] = variables.back();
  }
  for (Value param : fn.getParams())
    params.push_back(define(param));
  TypeTerm result = solver.fromType(fn.getFunctionType().getResult(0), scope);
  TypeTerm type =
      solver.makeForall(variables, solver.makeFunction(params, result));
  for (Value value : {Value(fn.getResult()), fn.getSelf()}) {
    if (!value)
      continue;
    terms[value] = type;
    if (isIncomplete(value.getType()))
      open.push_back(value);
  }
  visitBlock(fn.getBody().front());
  Operation *yield = fn.getBody().front().getTerminator();
  flow(yield->getOperand(0), result,
       {yield, "a result", std::nullopt, nullptr, fn});
  scope = std::move(outer);
}

//===----------------------------------------------------------------------===//
// Control
//===----------------------------------------------------------------------===//

void TypeInference::visitIf(IfOp op) {
  MLIRContext *context = op.getContext();
  TypeTerm condition = solver.fromType(
      RankedTensorType::get({}, IntegerType::get(context, 1)), {});
  flow(op.getCondition(), condition, {op, "a condition"});
  TypeTerm result = define(op.getResult());
  for (Region *region : {&op.getThenRegion(), &op.getElseRegion()}) {
    visitBlock(region->front());
    Operation *yield = region->front().getTerminator();
    flow(yield->getOperand(0), result,
         {yield, "the value of each branch to be", std::nullopt, nullptr, op});
  }
}

void TypeInference::visitMatch(MatchOp match) {
  TypeTerm value = getTerm(match.getValue());
  TypeTerm result = define(match.getResult());
  for (auto [pattern, region] :
       llvm::zip_equal(match.getPatterns(), match.getCases())) {
    unsigned next = 0;
    visitPattern(match, pattern, value, region.getArguments(), next);
    visitBlock(region.front());
    Operation *yield = region.front().getTerminator();
    flow(yield->getOperand(0), result,
         {yield, "the value of each case to be", std::nullopt, nullptr, match});
  }
}

void TypeInference::visitPattern(MatchOp match, Attribute pattern,
                                 TypeTerm term,
                                 Block::BlockArgListType arguments,
                                 unsigned &next) {
  if (isa<VarPatternAttr>(pattern)) {
    define(arguments[next++], term, {match, "a pattern variable"});
    return;
  }
  SmallVector<TypeTerm> fields;
  ArrayRef<Attribute> patterns;
  TypeTerm expected;
  Operation *declaration = nullptr;
  if (auto tuple = dyn_cast<TuplePatternAttr>(pattern)) {
    patterns = tuple.getFields();
    for (size_t i = 0; i != patterns.size(); ++i)
      fields.push_back(solver.makeUnknown(match.getLoc()));
    expected = solver.makeTuple(fields);
  } else if (auto constructor = dyn_cast<ConstructorPatternAttr>(pattern)) {
    patterns = constructor.getFields();
    declaration =
        symbolTables.lookupSymbolIn(module, constructor.getConstructor());
    std::optional<TypeTerm> type =
        getConstructorType(match, constructor.getConstructor());
    if (type) {
      TypeTerm instance = solver.instantiate(*type);
      llvm::append_range(fields, solver.getInputs(instance));
      expected = solver.getResults(instance).front();
      if (fields.size() != patterns.size()) {
        InFlightDiagnostic diag = fail(match)
                                  << "expects " << fields.size()
                                  << " patterns for the fields of "
                                  << constructor.getConstructor()
                                  << ", but got " << patterns.size();
        diag.attachNote(declaration->getLoc())
            << "the constructor is defined here";
        type = std::nullopt;
      }
    }
    if (!type) {
      expected = solver.makeInvalid();
      fields.assign(patterns.size(), expected);
    }
  } else {
    return;
  }
  UseOfValue use = {match, "patterns for a value", std::nullopt,
                    match.getValue(), declaration};
  // A pattern tells what it can be applied to.
  if (solver.isUnknown(term))
    solver.unify(expected, term, makeReporter(use));
  else
    solver.flow(
        term, expected,
        [this, use,
         report = makeReporter(use)](Type expected, Type actual, bool infinite,
                                     std::optional<Location> inferred) {
          // Here the value is right and the pattern is not.
          if (infinite)
            return report(expected, actual, infinite, inferred);
          InFlightDiagnostic diag =
              fail(use.op) << "expects patterns for a value "
                              "of type "
                           << actual << ", but got one for " << expected;
          diag.attachNote(use.value.getLoc()) << "the value comes from here";
        },
        match.getLoc());
  for (auto [field, type] : llvm::zip_equal(patterns, fields))
    visitPattern(match, field, type, arguments, next);
}

//===----------------------------------------------------------------------===//
// References and data
//===----------------------------------------------------------------------===//

TypeTerm TypeInference::getContent(Operation *op, Value ref) {
  TypeTerm term = getTerm(ref);
  if (solver.getKind(term) == TypeSolver::Kind::Reference)
    return solver.getInputs(term).front();
  TypeTerm content = solver.makeUnknown(op->getLoc());
  solver.unify(term, solver.makeReference(content),
               makeReporter({op, "a reference", std::nullopt, ref}));
  return content;
}

void TypeInference::visitRefCreate(RefCreateOp create) {
  define(create.getResult());
  flow(create.getValue(), getContent(create, create.getResult()),
       {create, "contents"});
}

void TypeInference::visitRefRead(RefReadOp read) {
  define(read.getResult(), getContent(read, read.getRef()), {read, "a result"});
}

void TypeInference::visitRefWrite(RefWriteOp write) {
  flow(write.getValue(), getContent(write, write.getRef()),
       {write, "contents", std::nullopt, nullptr,
        write.getRef().getDefiningOp()});
  define(write.getResult(), solver.makeTuple({}), {write, "a result"});
}

std::optional<TypeTerm> TypeInference::getConstructorType(Operation *user,
                                                          SymbolRefAttr name) {
  auto constructor = dyn_cast_or_null<ConstructorOp>(
      symbolTables.lookupSymbolIn(module, name));
  if (!constructor) {
    fail(user) << "expects the name of a constructor, but got " << name;
    return std::nullopt;
  }
  auto [it, isNew] = constructors.try_emplace(constructor);
  if (isNew)
    it->second = solver.fromType(constructor.getValueType(), {});
  return it->second;
}

void TypeInference::visitConstruct(ConstructOp construct) {
  SymbolRefAttr name = construct.getConstructorAttr();
  std::optional<TypeTerm> type = getConstructorType(construct, name);
  TypeTerm instance = type ? solver.instantiate(*type) : 0;
  Operation *declaration = symbolTables.lookupSymbolIn(module, name);
  if (type &&
      solver.getInputs(instance).size() != construct.getFields().size()) {
    InFlightDiagnostic diag =
        fail(construct) << "expects " << solver.getInputs(instance).size()
                        << " fields, but got " << construct.getFields().size();
    diag.attachNote(declaration->getLoc()) << "the constructor is defined here";
    type = std::nullopt;
  }
  if (!type) {
    solver.invalidate(define(construct.getResult()));
    return;
  }
  // What the result is known to be helps with fields that are unknown.
  TypeTerm result = solver.getResults(instance).front();
  for (auto [index, value] : llvm::enumerate(construct.getFields()))
    flow(value, solver.getInputs(instance)[index],
         {construct, "field", index, nullptr, declaration});
  define(construct.getResult(), result, {construct, "a result"});
}

//===----------------------------------------------------------------------===//
// Functions as values
//===----------------------------------------------------------------------===//

void TypeInference::visitGlobal(GlobalOp global) {
  UseOfValue use = {global, "a value"};
  Operation *symbol = symbolTables.lookupSymbolIn(module, global.getSymbol());
  if (auto it = signatures.find(symbol); it != signatures.end()) {
    use.declaration = symbol;
    TypeTerm type = it->second.type;
    if (current.contains(symbol) &&
        solver.getKind(type) == TypeSolver::Kind::Forall)
      type = solver.getResults(type).back();
    return define(global.getResult(), type, use);
  }
  if (std::optional<TypeTerm> type =
          getConstructorType(global, global.getSymbol()))
    return define(global.getResult(), *type, use);
  solver.invalidate(define(global.getResult()));
}
