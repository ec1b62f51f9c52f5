//===- RuleSet.cpp - Rules, checked and compiled --------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RuleRewriter.h"
#include "Vocabulary.h"

#include "relay-mlir/Dialect/Relay/Transforms/Rewrites.h"

#include "mlir/Dialect/PDL/IR/PDLOps.h"
#include "mlir/Dialect/PDL/IR/PDLTypes.h"
#include "mlir/Dialect/PDLInterp/IR/PDLInterp.h"
#include "mlir/IR/PatternMatch.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace mlir::relay;
using namespace mlir::relay::detail;

// What rules call besides the vocabulary; no name in PDLL has a hyphen.
static constexpr StringLiteral kCreateOperation = "create-operation";

void relay::registerRewriteDialects(DialectRegistry &registry) {
  registry.insert<pdl::PDLDialect, pdl_interp::PDLInterpDialect>();
}

//===----------------------------------------------------------------------===//
// Checks
//===----------------------------------------------------------------------===//

/// Checks that an operation exists and has attributes of these names.
static LogicalResult checkOperation(pdl::OperationOp op) {
  std::optional<StringRef> name = op.getOpName();
  if (!name)
    return success();
  MLIRContext *context = op.getContext();
  context->getOrLoadDialect(name->split('.').first);
  std::optional<RegisteredOperationName> info =
      RegisteredOperationName::lookup(*name, context);
  if (!info)
    return emitError(op.getLoc(),
                     "expects the name of an operation, but got \"")
           << *name << "\"";
  for (Attribute attribute : op.getAttributeValueNames()) {
    StringRef attributeName = cast<StringAttr>(attribute).getValue();
    if (attributeName.contains('.') ||
        llvm::is_contained(info->getAttributeNames(), attribute))
      continue;
    InFlightDiagnostic diag = emitError(op.getLoc(), "expects attributes of '")
                              << *name << "' (";
    llvm::interleaveComma(info->getAttributeNames(), diag,
                          [&](StringAttr known) { diag << known.getValue(); });
    return diag << "), but got '" << attributeName << "'";
  }
  return success();
}

static std::optional<PDLValue::Kind> getKind(Type type) {
  if (auto range = dyn_cast<pdl::RangeType>(type)) {
    if (isa<pdl::ValueType>(range.getElementType()))
      return PDLValue::Kind::ValueRange;
    return PDLValue::Kind::TypeRange;
  }
  if (isa<pdl::AttributeType>(type))
    return PDLValue::Kind::Attribute;
  if (isa<pdl::OperationType>(type))
    return PDLValue::Kind::Operation;
  return isa<pdl::TypeType>(type) ? PDLValue::Kind::Type
                                  : PDLValue::Kind::Value;
}

static void printKinds(Diagnostic &diag, ArrayRef<PDLValue::Kind> kinds) {
  static constexpr StringLiteral names[] = {"Attr",      "Op",    "Type",
                                            "TypeRange", "Value", "ValueRange"};
  diag << "(";
  llvm::interleaveComma(kinds, diag, [&](PDLValue::Kind kind) {
    diag << names[static_cast<size_t>(kind)];
  });
  diag << ")";
}

static LogicalResult checkKinds(Operation *op, StringRef name, StringRef what,
                                TypeRange types,
                                ArrayRef<PDLValue::Kind> expected) {
  SmallVector<PDLValue::Kind> kinds;
  for (Type type : types)
    kinds.push_back(*getKind(type));
  if (ArrayRef(kinds) == expected)
    return success();
  InFlightDiagnostic diag = emitError(op->getLoc(), "expects ")
                            << what << " of " << name << " to be ";
  printKinds(*diag.getUnderlyingDiagnostic(), expected);
  diag << ", but got ";
  printKinds(*diag.getUnderlyingDiagnostic(), kinds);
  return diag;
}

template <typename OpTy>
static LogicalResult checkCall(OpTy op,
                               const llvm::StringMap<RuleFunction> &functions) {
  auto it = functions.find(op.getName());
  if (it == functions.end())
    return emitError(op.getLoc(),
                     "expects a function of the vocabulary, but got \"")
           << op.getName() << "\"";
  const RuleFunction &function = it->second;
  if (failed(checkKinds(op, op.getName(), "arguments", op->getOperandTypes(),
                        function.arguments)))
    return failure();
  return checkKinds(op, op.getName(), "results", op->getResultTypes(),
                    function.results);
}

static LogicalResult checkRule(pdl::PatternOp rule) {
  pdl::RewriteOp rewrite = rule.getRewriter();
  if (rewrite.getName())
    return emitError(rewrite.getLoc(),
                     "expects a rewrite with a body, but got \"")
           << *rewrite.getName() << "\"";
  WalkResult result = rule.walk([](Operation *op) {
    LogicalResult checked = success();
    if (auto operation = dyn_cast<pdl::OperationOp>(op))
      checked = checkOperation(operation);
    else if (auto constraint = dyn_cast<pdl::ApplyNativeConstraintOp>(op))
      checked = checkCall(constraint, getRuleConstraints());
    else if (auto rewrite = dyn_cast<pdl::ApplyNativeRewriteOp>(op))
      checked = checkCall(rewrite, getRuleRewrites());
    return WalkResult(checked);
  });
  return failure(result.wasInterrupted());
}

//===----------------------------------------------------------------------===//
// Preparation
//===----------------------------------------------------------------------===//

/// PDL would create operations without looking whether their types can be
/// inferred, and from attributes that are not properties yet. So the creation
/// becomes a call: of the name, the number of operands and the names of
/// attributes in a dictionary, then operands, attributes and types.
static void replaceCreation(pdl::OperationOp op) {
  OpBuilder builder(op);
  NamedAttrList form;
  form.append("name", op.getOpNameAttr());
  form.append("operands",
              builder.getI64IntegerAttr(op.getOperandValues().size()));
  form.append("attributes", op.getAttributeValueNames());
  form.append("types", builder.getBoolAttr(!op.getTypeValues().empty()));
  SmallVector<Value> arguments = {pdl::AttributeOp::create(
      builder, op.getLoc(), form.getDictionary(op.getContext()))};
  llvm::append_range(arguments, op.getOperandValues());
  llvm::append_range(arguments, op.getAttributeValues());
  llvm::append_range(arguments, op.getTypeValues());
  auto call = pdl::ApplyNativeRewriteOp::create(
      builder, op.getLoc(), op.getOp().getType(),
      builder.getStringAttr(kCreateOperation), arguments);
  op.getOp().replaceAllUsesWith(call.getResult(0));
  op.erase();
}

static LogicalResult createOperation(PatternRewriter &rewriter,
                                     PDLResultList &results,
                                     ArrayRef<PDLValue> arguments) {
  auto form = cast<DictionaryAttr>(arguments[0].cast<Attribute>());
  arguments = arguments.drop_front();
  size_t numOperands = form.getAs<IntegerAttr>("operands").getInt();
  auto names = form.getAs<ArrayAttr>("attributes");
  SmallVector<Value> operands;
  for (PDLValue value : arguments.take_front(numOperands)) {
    if (value.isa<Value>())
      operands.push_back(value.cast<Value>());
    else
      llvm::append_range(operands, value.cast<ValueRange>());
  }
  arguments = arguments.drop_front(numOperands);
  SmallVector<NamedAttribute> attributes;
  for (auto [name, value] : llvm::zip(names, arguments))
    attributes.emplace_back(cast<StringAttr>(name), value.cast<Attribute>());
  arguments = arguments.drop_front(names.size());
  SmallVector<Type> types;
  for (PDLValue value : arguments) {
    if (value.isa<Type>())
      types.push_back(value.cast<Type>());
    else
      llvm::append_range(types, value.cast<TypeRange>());
  }
  std::optional<TypeRange> given;
  if (form.getAs<BoolAttr>("types").getValue())
    given = types;
  FailureOr<Operation *> op =
      static_cast<RuleRewriter &>(rewriter).createOperation(
          form.getAs<StringAttr>("name"), operands, attributes, given);
  if (failed(op))
    return failure();
  results.push_back(*op);
  return success();
}

/// The name of the operation that a rule rewrites, if that is the only one
/// whose results no other one of the pattern takes.
static std::optional<OperationName> getRootName(pdl::PatternOp rule) {
  std::optional<OperationName> name;
  unsigned numRoots = 0;
  for (auto op : rule.getBodyRegion().getOps<pdl::OperationOp>()) {
    bool isOperand = llvm::any_of(op->getUsers(), [&](Operation *user) {
      return isa<pdl::ResultOp, pdl::ResultsOp>(user) &&
             user->getParentOp() == rule &&
             llvm::any_of(user->getUsers(), llvm::IsaPred<pdl::OperationOp>);
    });
    if (isOperand)
      continue;
    ++numRoots;
    if (std::optional<StringRef> text = op.getOpName())
      name = OperationName(*text, rule.getContext());
  }
  return numRoots == 1 ? name : std::nullopt;
}

/// Rules are compiled one by one: then it is known which one applies, and
/// results of constraints that several call are not mixed up.
static FrozenRewritePatternSet compileRule(pdl::PatternOp rule) {
  SmallVector<pdl::OperationOp> created(
      rule.getRewriter().getBodyRegion().getOps<pdl::OperationOp>());
  llvm::for_each(created, replaceCreation);
  OwningOpRef<ModuleOp> module = ModuleOp::create(rule.getLoc());
  rule->moveBefore(module->getBody(), module->getBody()->end());
  PDLPatternModule patterns(std::move(module));
  for (const auto &[name, function] : getRuleConstraints())
    patterns.registerConstraintFunction(name, function.call);
  for (const auto &[name, function] : getRuleRewrites())
    patterns.registerRewriteFunction(name, function.call);
  patterns.registerRewriteFunction(kCreateOperation,
                                   PDLRewriteFunction(createOperation));
  return FrozenRewritePatternSet(RewritePatternSet(std::move(patterns)));
}

FailureOr<RuleSet> RuleSet::compile(MLIRContext *context,
                                    void (*populate)(RewritePatternSet &)) {
  RewritePatternSet patterns(context);
  populate(patterns);
  return compile(patterns.getPDLPatterns().getModule().clone());
}

FailureOr<RuleSet> RuleSet::compile(OwningOpRef<ModuleOp> rules,
                                    ArrayRef<std::string> names) {
  SmallVector<pdl::PatternOp> all(rules->getOps<pdl::PatternOp>());
  for (const std::string &name : names)
    if (llvm::none_of(all, [&](pdl::PatternOp rule) {
          return rule.getSymName() == StringRef(name);
        })) {
      InFlightDiagnostic diag = emitError(rules->getLoc())
                                << "expects the name of a rule, but got \""
                                << name << "\"";
      diag.attachNote() << "`relay-opt --list-rewrites` lists the rules of the "
                           "compiler; those of a file are given with the file";
      return diag;
    }
  // Those of equal benefit stay in their order.
  llvm::MapVector<int, SmallVector<pdl::PatternOp>> byBenefit;
  for (pdl::PatternOp rule : all)
    byBenefit[-static_cast<int>(rule.getBenefit())].push_back(rule);
  auto groups = byBenefit.takeVector();
  llvm::sort(groups, llvm::less_first());
  all.clear();
  for (auto &group : groups)
    llvm::append_range(all, group.second);
  RuleSet result;
  for (pdl::PatternOp rule : all) {
    std::string name = rule.getSymName().value_or("").str();
    if (!names.empty() && !llvm::is_contained(names, name))
      continue;
    if (failed(checkRule(rule)))
      return failure();
    Location loc = rule.getLoc();
    std::optional<OperationName> root = getRootName(rule);
    result.rules.push_back({name, loc, root, compileRule(rule)});
  }
  return result;
}
