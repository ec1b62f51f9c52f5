//===- TypeInference.cpp - Constraints of a program -----------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The first half of type inference: goes over a program and makes a constraint
// of each operation, which TypeSolver solves. This file has functions,
// bindings, control flow, patterns, references and data types.
// TypeInferenceCalls.cpp has operators and calls, TypeInferenceOperators.cpp
// what operators say of types of their operands, and TypeInferenceResults.cpp
// writes the solution into the program, or reports what stays unknown. The
// second half, TypePropagation.cpp, makes sizes more precise where no type is
// open.
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

/// Whether inference may have another type for a value. Most values are
/// tensors.
static bool isOpen(Type type) {
  return !isa<RankedTensorType>(type) &&
         type.walk([](Type inner) {
               return isa<IncompleteType, TypeVarType>(inner)
                          ? WalkResult::interrupt()
                          : WalkResult::advance();
             })
             .wasInterrupted();
}

void TypeInference::set(Value value, TypeTerm term) {
  terms[value] = term;
  if (isOpen(value.getType()))
    open.push_back(value);
}

TypeTerm TypeInference::define(Value value) {
  TypeTerm term = solver.fromType(value.getType(), scope);
  set(value, term);
  return term;
}

void TypeInference::define(Value value, TypeTerm term, const UseOfValue &use) {
  if (!isa<IncompleteType>(value.getType()))
    return flow(term, define(value), use);
  set(value, term);
}

TypeTerm TypeInference::getTerm(Value value) {
  auto it = terms.find(value);
  return it == terms.end() ? define(value) : it->second;
}

FlowReporter TypeInference::makeReporter(const UseOfValue &use) {
  return [this, use](Type expected, Type actual, FlowError error,
                     std::optional<Location> inferred) {
    InFlightDiagnostic diag = fail(use.op);
    diag << "expects " << use.what;
    if (use.index)
      diag << ' ' << *use.index;
    switch (error) {
    case FlowError::Mismatch:
      diag << " of type " << expected << ", but got " << actual;
      break;
    case FlowError::Infinite:
      diag << " of a type that does not contain itself, but " << expected
           << " would have to be " << actual;
      break;
    case FlowError::TooDeep:
      diag << " of a type of at most " << TypeDepths::kMaxDepth
           << " levels, but got a deeper one";
      break;
    }
    if (use.value && use.value.getLoc() != use.op->getLoc())
      diag.attachNote(use.value.getLoc()) << "the value comes from here";
    if (error == FlowError::TooDeep)
      return;
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

SmallVector<TypeTerm>
TypeInference::declareVariables(Operation *op, ArrayRef<StringAttr> names) {
  SmallVector<TypeTerm> variables;
  SmallVector<std::string> unique;
  for (StringAttr name : names) {
    std::string text = name.str();
    for (unsigned i = 1; scope.contains(text) ||
                         (text != name && llvm::is_contained(names, text));
         ++i)
      text = (name.getValue() + Twine(i)).str();
    unique.push_back(text);
  }
  for (auto [name, text] : llvm::zip_equal(names, unique)) {
    variables.push_back(solver.makeVariable(text));
    scope[name.getValue()] = scope[text] = variables.back();
    owners[variables.back()] = op;
  }
  return variables;
}

void TypeInference::declare(func::FuncOp function) {
  Signature &signature = signatures[function];
  signature.incomplete = isIncomplete(function.getFunctionType());
  scope.clear();
  SmallVector<StringAttr> names;
  if (auto params = function->getAttrOfType<ArrayAttr>(kTypeParamsAttrName))
    llvm::append_range(names, params.getAsRange<StringAttr>());
  SmallVector<TypeTerm> variables = declareVariables(function, names);
  for (Type type : function.getArgumentTypes()) {
    signature.inputs.push_back(solver.fromType(type, scope));
    solver.require(signature.inputs.back());
  }
  for (Type type : function.getResultTypes())
    signature.results.push_back(solver.fromType(type, scope));
  signature.scope = scope;
  signature.type = solver.makeForall(
      variables, solver.makeFunction(signature.inputs, signature.results));
  if (!function.isExternal())
    for (auto [argument, term] :
         llvm::zip_equal(function.getArguments(), signature.inputs))
      set(argument, term);
}

LogicalResult TypeInference::run() {
  separateOperators();
  std::vector<CallCycle> cycles = getCalleesFirst(module);
  for (CallCycle &cycle : cycles)
    for (func::FuncOp function : cycle.functions)
      declare(function);
  for (CallCycle &cycle : cycles) {
    current.clear();
    for (func::FuncOp function : cycle.functions)
      if (signatures[function].incomplete)
        current.insert(function);
    for (func::FuncOp function : cycle.functions)
      visitFunction(function);
    solver.solve();
  }
  reportUnknown();
  if (hasErrors)
    return failure();
  verifyScopes();
  if (hasErrors)
    return failure();
  setTypes();
  verifyOperators();
  joinOperators();
  if (hasErrors)
    return failure();
  ascribeCalls();
  return success();
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
      .Case([&](LetOp op) { visitLet(op); })
      .Case([&](TupleOp op) { visitTuple(op); })
      .Case([&](AscribeOp op) { visitAscribe(op); })
      .Default([&](Operation *op) {
        if (getOperatorSchema(op))
          visitOperator(op);
        else
          for (Value result : op->getResults())
            define(result);
      });
}

/// What a declared type is of: the place of the error, and words for it.
static UseOfValue getDeclaredUse(AscribeOp ascribe) {
  UseOfValue use = {ascribe, "a value"};
  if (ascribe->hasOneUse()) {
    Operation *user = *ascribe->user_begin();
    if (isa<LetOp>(user))
      use.op = user;
    else if (isa<func::ReturnOp, YieldOp>(user))
      use = {user, "a result"};
  }
  use.declaration = ascribe;
  return use;
}

void TypeInference::visitAscribe(AscribeOp ascribe) {
  ascriptions.push_back(ascribe);
  flow(ascribe.getValue(), define(ascribe.getResult()),
       getDeclaredUse(ascribe));
}

void TypeInference::visitLet(LetOp let) {
  // Exactly what its value is.
  set(let.getResult(), getTerm(let.getValue()));
}

void TypeInference::visitTuple(TupleOp tuple) {
  SmallVector<TypeTerm> fields;
  for (Value field : tuple.getFields())
    fields.push_back(getTerm(field));
  set(tuple.getResult(), solver.makeTuple(fields));
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
  SmallVector<TypeTerm> variables = declareVariables(
      fn, llvm::to_vector(relay::getTypeParams(fn.getResult().getType())));
  SmallVector<TypeTerm> params;
  for (Value param : fn.getParams())
    params.push_back(define(param));
  TypeTerm result = solver.fromType(fn.getFunctionType().getResult(0), scope);
  TypeTerm type =
      solver.makeForall(variables, solver.makeFunction(params, result));
  for (Value value : {Value(fn.getResult()), fn.getSelf()})
    if (value)
      set(value, type);
  if (unusedOperators.contains(fn)) {
    // Nothing needs to know what it takes.
    for (TypeTerm term : params)
      solver.makeOptional(term);
    solver.makeOptional(result);
    scope = std::move(outer);
    return;
  }
  for (TypeTerm term : params)
    solver.require(term);
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
        [this, use, report = makeReporter(use)](
            Type expected, Type actual, FlowError error,
            std::optional<Location> inferred) {
          // Here the value is right and the pattern is not.
          if (error != FlowError::Mismatch)
            return report(expected, actual, error, inferred);
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
  SmallVector<TypeTerm> typeArgs = takeTypeArgs(construct);
  if (type && !checkTypeArgs(construct, *type, typeArgs))
    type = std::nullopt;
  TypeTerm instance = type ? solver.instantiate(*type, typeArgs) : 0;
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
