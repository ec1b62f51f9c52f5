//===- ExportFunction.cpp - Blocks to expressions -------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Exporter.h"

#include "relay-mlir/Dialect/Relay/Analysis/Expressions.h"
#include "relay-mlir/Dialect/Relay/IR/FunctionAttributes.h"
#include "relay-mlir/Dialect/Relay/IR/PolymorphicTypes.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::relay;
using namespace mlir::relay::ast;

//===----------------------------------------------------------------------===//
// Nodes
//===----------------------------------------------------------------------===//

template <typename NodeTy>
std::shared_ptr<NodeTy> FunctionExporter::finish(std::shared_ptr<NodeTy> node,
                                                 Type type, Location loc) {
  if (!isa<IncompleteType>(type))
    node->checkedType = type;
  node->location = exportLocation(loc);
  return node;
}

std::shared_ptr<Var> FunctionExporter::makeVar(StringRef name, Type type,
                                               Location loc) {
  Type annotation = isa<IncompleteType>(type) ? Type() : type;
  return finish(std::make_shared<Var>(name.str(), annotation), type, loc);
}

std::vector<ExprPtr> FunctionExporter::getExprs(ValueRange values) {
  std::vector<ExprPtr> result;
  for (Value value : values)
    result.push_back(getExpr(value));
  return result;
}

static std::vector<NamedAttribute> toVector(ArrayRef<NamedAttribute> attrs) {
  return attrs.vec();
}

/// Types for the type parameters of `callee` of which `op` is an instance,
/// incomplete where nothing tells.
static std::vector<Type> getTypeArgs(Type callee, Operation *op,
                                     ValueRange args) {
  if (!callee)
    return {};
  TypeSubstitution substitution;
  ArrayRef<StringAttr> params = relay::getTypeParams(callee);
  FunctionType body = getFunctionBody(callee);
  if (params.empty() || body.getNumInputs() != args.size())
    return {};
  for (StringAttr param : params)
    substitution[param.getValue()] = nullptr;
  // What follows from a result is as wide as all arguments need it.
  (void)matchInstance(body.getResult(0), op->getResult(0).getType(),
                      substitution);
  for (auto [input, arg] : llvm::zip_equal(body.getInputs(), args))
    (void)matchInstance(input, arg.getType(), substitution);
  std::vector<Type> types;
  for (StringAttr param : params) {
    Type type = substitution[param.getValue()];
    types.push_back(type ? type : IncompleteType::get(op->getContext()));
  }
  return types;
}

/// Whether a closure is still the operator that it was made of.
static const OperatorSchema *getOperatorValue(FnOp fn) {
  auto name = fn->getAttrOfType<StringAttr>(kOperatorAttrName);
  const OperatorSchema *schema = name ? getOperatorSchema(name) : nullptr;
  Block &body = fn.getBody().front();
  if (!schema || fn.getRecursive() || !llvm::hasNItems(body, 2))
    return nullptr;
  Operation *op = &body.front();
  if (body.getTerminator()->getOperands() != op->getResults() ||
      op->getOperands() != ValueRange(body.getArguments()))
    return nullptr;
  DictionaryAttr attrs = op->getAttrDictionary();
  if (auto apply = dyn_cast<ApplyOp>(op)) {
    if (apply.getName() != name)
      return nullptr;
    attrs = apply.getAttrs();
  } else if (getOperatorSchema(op) != schema) {
    return nullptr;
  }
  return toRawAttrs(*schema, attrs).empty() ? schema : nullptr;
}

ExprPtr FunctionExporter::makeTuple(Operation *user, OperandRange fields) {
  if (Value tuple = getWholeTuple(fields))
    return getExpr(tuple);
  size_t hash = llvm::hash_combine_range(fields.begin(), fields.end());
  auto &known = tuples[{user->getBlock(), hash}];
  for (auto &[values, expr] : known)
    if (llvm::equal(values, fields))
      return expr;
  Type type = TupleType::get(user->getContext(), TypeRange(fields));
  ExprPtr tuple =
      finish(std::make_shared<Tuple>(getExprs(fields)), type, user->getLoc());
  known.emplace_back(llvm::to_vector_of<Value>(fields), tuple);
  return tuple;
}

ExprPtr FunctionExporter::makeOperator(Operation *op,
                                       const OperatorSchema &schema,
                                       DictionaryAttr attrs) {
  std::vector<ExprPtr> args;
  if (schema.operands.size() == 1 &&
      schema.operands.front().kind == relay::OperandKind::Tuple) {
    // An operator that is still to be inferred may have the tuple itself.
    OperandRange fields = op->getOperands();
    if (isa<ApplyOp>(op) && fields.size() == 1 &&
        isa<IncompleteType>(fields.front().getType()))
      args = getExprs(fields);
    else
      args.push_back(makeTuple(op, fields));
  } else {
    args = getExprs(op->getOperands());
  }
  // The type parameters of an operator are the types of its arguments.
  std::vector<Type> typeArgs;
  if (!isa<ApplyOp>(op) || !isIncomplete(op->getResult(0).getType()))
    for (const ExprPtr &arg : args)
      typeArgs.push_back(arg->checkedType
                             ? arg->checkedType
                             : IncompleteType::get(op->getContext()));
  return std::make_shared<Call>(module.getOp(schema.name), std::move(args),
                                toVector(toRawAttrs(schema, attrs)),
                                std::move(typeArgs));
}

PatternPtr FunctionExporter::exportPattern(Attribute pattern, Block &block,
                                           unsigned &next) {
  auto exportFields = [&](ArrayRef<Attribute> attrs) {
    std::vector<PatternPtr> fields;
    for (Attribute field : attrs)
      fields.push_back(exportPattern(field, block, next));
    return fields;
  };
  if (auto var = dyn_cast<VarPatternAttr>(pattern)) {
    BlockArgument argument = block.getArgument(next++);
    auto node = makeVar(var.getName(), argument.getType(), argument.getLoc());
    exprs[argument] = node;
    return std::make_shared<PatternVar>(node);
  }
  if (auto tuple = dyn_cast<TuplePatternAttr>(pattern))
    return std::make_shared<PatternTuple>(exportFields(tuple.getFields()));
  if (auto constructor = dyn_cast<ConstructorPatternAttr>(pattern))
    return std::make_shared<PatternConstructor>(
        module.getConstructor(constructor.getConstructor()),
        exportFields(constructor.getFields()));
  return std::make_shared<PatternWildcard>();
}

ExprPtr FunctionExporter::makeFunction(FnOp fn, const ExprPtr &body) {
  if (const OperatorSchema *schema = getOperatorValue(fn))
    return module.getOp(schema->name);
  std::vector<std::shared_ptr<Var>> params;
  for (BlockArgument param : fn.getParams())
    params.push_back(std::static_pointer_cast<Var>(getExpr(param)));
  std::vector<std::string> typeParams;
  for (StringAttr param : relay::getTypeParams(fn.getResult().getType()))
    typeParams.push_back(param.str());
  Type result = fn.getFunctionType().getResult(0);
  return std::make_shared<Function>(
      std::move(params), body, isa<IncompleteType>(result) ? Type() : result,
      std::move(typeParams), getFunctionTextAttrs(fn));
}

ExprPtr FunctionExporter::makeMatch(MatchOp match, ArrayRef<ExprPtr> bodies) {
  std::vector<Clause> clauses;
  for (auto [region, body] : llvm::zip_equal(match.getCases(), bodies))
    clauses.push_back({patterns.lookup(&region), body});
  return std::make_shared<Match>(getExpr(match.getValue()), std::move(clauses),
                                 !match.getPartial());
}

ExprPtr FunctionExporter::makeCall(ExprPtr callee, Type calleeType,
                                   Operation *op, OperandRange args) {
  if (!callee)
    return nullptr;
  auto call = std::make_shared<Call>(std::move(callee), getExprs(args));
  if (auto attrs = op->getAttrOfType<DictionaryAttr>(kTextAttrsAttrName))
    call->attrs = toVector(attrs.getValue());
  // Before type inference, what is written.
  if (auto types = op->getAttrOfType<ArrayAttr>(kTypeArgsAttrName))
    for (auto type : types.getAsRange<TypeAttr>())
      call->typeArgs.push_back(type.getValue());
  else if (!isa<IncompleteType>(op->getResult(0).getType()))
    call->typeArgs = getTypeArgs(calleeType, op, args);
  return call;
}

ExprPtr FunctionExporter::makeNode(Operation *op, ArrayRef<ExprPtr> regions) {
  return llvm::TypeSwitch<Operation *, ExprPtr>(op)
      .Case([&](ConstantOp constant) {
        return std::make_shared<Constant>(constant.getValue());
      })
      .Case([&](TupleOp tuple) {
        return std::make_shared<Tuple>(getExprs(tuple.getFields()));
      })
      .Case([&](TupleGetItemOp item) {
        return std::make_shared<TupleGetItem>(getExpr(item.getTuple()),
                                              item.getIndex());
      })
      .Case([&](CallOp call) {
        ExprPtr callee = module.getGlobalVar(call.getCallee());
        return makeCall(callee, callee ? callee->checkedType : Type(), call,
                        call.getOperands());
      })
      .Case([&](CallIndirectOp call) {
        return makeCall(getExpr(call.getCallee()), call.getCallee().getType(),
                        call, call.getArgs());
      })
      .Case([&](GlobalOp global) -> ExprPtr {
        if (isa<FlatSymbolRefAttr>(global.getSymbol()))
          return module.getGlobalVar(global.getSymbol().getLeafReference());
        return module.getConstructor(global.getSymbol());
      })
      .Case([&](ConstructOp construct) {
        ExprPtr callee = module.getConstructor(construct.getConstructor());
        return makeCall(callee, callee ? callee->checkedType : Type(),
                        construct, construct.getFields());
      })
      .Case([&](ApplyOp apply) -> ExprPtr {
        const OperatorSchema *schema = getOperatorSchema(apply.getName());
        return schema ? makeOperator(op, *schema, apply.getAttrs()) : nullptr;
      })
      .Case([&](RefCreateOp create) {
        return std::make_shared<RefCreate>(getExpr(create.getValue()));
      })
      .Case([&](RefReadOp read) {
        return std::make_shared<RefRead>(getExpr(read.getRef()));
      })
      .Case([&](RefWriteOp write) {
        return std::make_shared<RefWrite>(getExpr(write.getRef()),
                                          getExpr(write.getValue()));
      })
      .Case([&](FnOp fn) { return makeFunction(fn, regions[0]); })
      .Case([&](IfOp ifOp) {
        return std::make_shared<If>(getExpr(ifOp.getCondition()), regions[0],
                                    regions[1]);
      })
      .Case([&](MatchOp match) { return makeMatch(match, regions); })
      .Default([&](Operation *) -> ExprPtr {
        const OperatorSchema *schema = getOperatorSchema(op);
        if (!schema || op->getNumResults() != 1)
          return nullptr;
        return makeOperator(op, *schema, op->getAttrDictionary());
      });
}

//===----------------------------------------------------------------------===//
// Blocks
//===----------------------------------------------------------------------===//

/// Makes the variables of a region before its operations use them.
void FunctionExporter::bindParams(Region &region) {
  if (auto match = dyn_cast<MatchOp>(region.getParentOp())) {
    unsigned next = 0;
    patterns[&region] = exportPattern(
        match.getPatterns()[region.getRegionNumber()], region.front(), next);
  }
  auto fn = dyn_cast<FnOp>(region.getParentOp());
  if (!fn)
    return;
  if (Value self = fn.getSelf()) {
    // The let around it has the name.
    LetOp let = getBinding(fn);
    StringRef name = let ? let.getName() : "f";
    auto var = makeVar(name, fn.getResult().getType(), fn.getLoc());
    selves[fn] = var;
    exprs[self] = var;
  }
  for (auto [index, param] : llvm::enumerate(fn.getParams())) {
    StringAttr name = fn.getParamName(index);
    auto var =
        makeVar(name ? name.getValue() : "", param.getType(), param.getLoc());
    if (ArrayAttr attrs = fn.getArgAttrsAttr())
      var->virtualDevice =
          cast<DictionaryAttr>(attrs[index]).get(kVirtualDeviceAttrName);
    exprs[param] = var;
  }
}

LogicalResult FunctionExporter::exportOperation(Operation *op, Frame &frame) {
  Location loc = op->getLoc();
  if (auto ascribe = dyn_cast<AscribeOp>(op)) {
    // The type of the variable or function says it, or of a variable made here.
    ExprPtr value = getExpr(ascribe.getValue());
    if (order.needsLet(op)) {
      auto var = makeVar("", ascribe.getType(), loc);
      frame.statements.push_back({var, value});
      value = var;
    }
    exprs[ascribe.getResult()] = value;
    return success();
  }
  if (auto let = dyn_cast<LetOp>(op)) {
    std::shared_ptr<Var> var;
    // A closure that calls itself knows its variable already.
    Operation *fn = let.getValue().getDefiningOp();
    if (auto ascribe = dyn_cast_if_present<AscribeOp>(fn))
      fn = ascribe.getValue().getDefiningOp();
    if (fn && !order.needsLet(fn) && (var = selves.lookup(fn)))
      var->annotation = var->checkedType = let.getType();
    if (!var)
      var = makeVar(let.getName(), let.getType(), loc);
    var->virtualDevice = let->getAttr(kVirtualDeviceAttrName);
    frame.statements.push_back({var, getExpr(let.getValue())});
    exprs[let.getResult()] = var;
    return success();
  }
  ExprPtr node = makeNode(op, frame.regions);
  if (!node)
    return op->emitError("expects an operation of the language, but got '")
           << op->getName() << "'";
  Type type = op->getNumResults() == 1
                  ? op->getResult(0).getType()
                  : TupleType::get(op->getContext(), op->getResultTypes());
  // Names of functions and constructors are shared by all their uses.
  if (!isa<GlobalOp>(op))
    node = finish(node, type, loc);
  if (module.nodes)
    (*module.nodes)[op] = node;
  if (order.needsLet(op)) {
    std::shared_ptr<Var> var = selves.lookup(op);
    if (!var)
      var = makeVar("", type, loc);
    frame.statements.push_back({var, node});
    node = var;
  }
  if (op->getNumResults() == 1) {
    exprs[op->getResult(0)] = node;
    if (auto tuple = dyn_cast<TupleOp>(op)) {
      OperandRange fields = tuple.getFields();
      size_t hash = llvm::hash_combine_range(fields.begin(), fields.end());
      tuples[{op->getBlock(), hash}].emplace_back(
          llvm::to_vector_of<Value>(fields), node);
    }
    return success();
  }
  for (OpResult result : op->getResults())
    exprs[result] =
        finish(std::make_shared<TupleGetItem>(node, result.getResultNumber()),
               result.getType(), loc);
  return success();
}

ExprPtr FunctionExporter::closeBlock(Frame &frame) {
  Operation *terminator = frame.block->getTerminator();
  ExprPtr result;
  if (terminator->getNumOperands() == 1)
    result = getExpr(terminator->getOperand(0));
  else
    result =
        finish(std::make_shared<Tuple>(getExprs(terminator->getOperands())),
               TupleType::get(op.getContext(), terminator->getOperandTypes()),
               terminator->getLoc());
  for (Statement &statement : llvm::reverse(frame.statements)) {
    Type type = result->checkedType;
    LocationAttr location = statement.var->location;
    result =
        std::make_shared<Let>(std::move(statement.var),
                              std::move(statement.value), std::move(result));
    result->checkedType = type;
    result->location = location;
  }
  return result;
}

ExprPtr FunctionExporter::exportBody(Block &body) {
  std::vector<Frame> stack;
  auto enter = [&](Block &block) {
    bindParams(*block.getParent());
    stack.push_back({&block, block.begin(), {}, nullptr, {}});
  };
  enter(body);
  while (true) {
    Frame &frame = stack.back();
    if (frame.op) {
      // Region by region, then the operation itself.
      if (frame.regions.size() < frame.op->getNumRegions()) {
        enter(frame.op->getRegion(frame.regions.size()).front());
        continue;
      }
      if (failed(exportOperation(frame.op, frame)))
        return nullptr;
      frame.op = nullptr;
      frame.regions.clear();
    } else if (!frame.next->hasTrait<OpTrait::IsTerminator>()) {
      Operation *next = &*frame.next++;
      if (next->getNumRegions())
        frame.op = next;
      else if (failed(exportOperation(next, frame)))
        return nullptr;
    } else {
      ExprPtr result = closeBlock(frame);
      stack.pop_back();
      if (stack.empty())
        return result;
      stack.back().regions.push_back(std::move(result));
    }
  }
}

std::shared_ptr<Function> FunctionExporter::run() {
  Block &body = op.getBody().front();
  std::vector<std::shared_ptr<Var>> params;
  for (BlockArgument param : body.getArguments()) {
    unsigned index = param.getArgNumber();
    auto name = op.getArgAttrOfType<StringAttr>(index, kNameAttrName);
    auto var =
        makeVar(name ? name.getValue() : "", param.getType(), param.getLoc());
    var->virtualDevice = op.getArgAttr(index, kVirtualDeviceAttrName);
    exprs[param] = var;
    params.push_back(std::move(var));
  }
  ExprPtr result = exportBody(body);
  if (!result)
    return nullptr;
  std::vector<std::string> typeParams;
  if (auto attr = op->getAttrOfType<ArrayAttr>(kTypeParamsAttrName))
    for (auto param : attr.getAsRange<StringAttr>())
      typeParams.push_back(param.str());
  ExprPtr global = module.getGlobalVar(op.getSymName());
  Type returnType;
  if (op.getNumResults() != 1)
    returnType = TupleType::get(op.getContext(), op.getResultTypes());
  else if (!isa<IncompleteType>(op.getResultTypes().front()))
    returnType = op.getResultTypes().front();
  auto function = std::make_shared<Function>(
      std::move(params), std::move(result), returnType, std::move(typeParams),
      getFunctionTextAttrs(op));
  function->checkedType = global->checkedType;
  function->location = exportLocation(op.getLoc());
  return function;
}
