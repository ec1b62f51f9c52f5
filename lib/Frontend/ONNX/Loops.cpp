//===- Loops.cpp - Loop and Scan ------------------------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A loop that is not known at import to end after few iterations
// (LoopUnrolling.cpp) is a closure that calls itself in
// the end, with what is carried from one iteration to the next as parameters.
// Its body is imported until the types of these hold for all iterations: first
// with those of the initial values, then with open sizes where they differ.
//
// What iterations give for a scan output is collected in a list, the last one
// first, and joined in the end.
//
//===----------------------------------------------------------------------===//

#include "Loops.h"

#include "ControlFlow.h"
#include "Lists.h"

#include "relay-mlir/Dialect/Relay/IR/Relay.h"
#include "relay-mlir/Support/SilentDiagnostics.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace mlir;
using namespace mlir::relay;
using namespace mlir::relay::onnx;

Binding *LoopImporter::createNumber(int64_t number, Type elementType,
                                    bool isVector) {
  Binding *binding = importer.createBinding("");
  binding->contents = ShapeTensor{elementType, {}, {ShapeScalar::get(number)}};
  if (isVector)
    binding->contents->shape.push_back(1);
  return binding;
}

Binding *LoopImporter::createValue(Value value) {
  Binding *binding = importer.createBinding("");
  binding->value = value;
  return binding;
}

std::optional<int64_t> LoopImporter::getKnown(Binding *binding) {
  const ShapeTensor *contents =
      binding ? importer.getContents(*binding) : nullptr;
  return contents && contents->elements.size() == 1
             ? contents->elements.front().getConstant()
             : std::nullopt;
}

LoopImporter::Inputs
LoopImporter::importIteration(Binding *number, Binding *goesOn,
                              ArrayRef<Binding *> carried) {
  Inputs inputs = makeInputs(number, goesOn, carried);
  if (failed(inputs))
    return failure();
  Inputs outputs =
      importer.importGraph(pending, graph, "body", *inputs, number);
  if (succeeded(outputs))
    for (Binding *output : *outputs)
      if (failed(importer.checkRank(*output, "an output of body")))
        return failure();
  return outputs;
}

InFlightDiagnostic LoopImporter::emitError() {
  return importer.emitError(*pending.node, pending.opset);
}

LogicalResult LoopImporter::checkGraph(unsigned numInputs) {
  if (graph.inputs.size() != numInputs)
    return emitError() << "expects " << numInputs << " inputs of body, but got "
                       << graph.inputs.size();
  unsigned numCarried = initial.size();
  unsigned numOwnOutputs = firstCarriedOutput();
  if (graph.outputs.size() < numOwnOutputs + numCarried)
    return emitError() << "expects " << numOwnOutputs + numCarried
                       << " or more outputs of body, but got "
                       << graph.outputs.size();
  numScans = graph.outputs.size() - numOwnOutputs - numCarried;
  size_t numOutputs = pending.node->outputs.size();
  if (numOutputs > numCarried + numScans)
    return emitError() << "expects at most " << numCarried + numScans
                       << " outputs, " << numCarried << " carried and "
                       << numScans << " scanned, but got " << numOutputs;
  for (auto [info, binding] :
       llvm::zip(ArrayRef(graph.inputs).drop_front(firstCarried), initial)) {
    Type declared = getElementType(builder.getContext(), info.type);
    if (!info.isTensor || !declared || !importer.isTensor(*binding))
      continue;
    Type found = importer.getType(*binding).getElementType();
    if (declared != found)
      return emitError() << "expects a value of " << getDataTypeName(info.type)
                         << " for input \"" << info.name << "\" of body, but \""
                         << binding->name << "\" is "
                         << importer.getType(*binding);
  }
  return success();
}

//===----------------------------------------------------------------------===//
// A closure that calls itself
//===----------------------------------------------------------------------===//

LogicalResult LoopImporter::prepare() {
  NodeContext node(importer, pending);
  if (count) {
    if (failed(importer.materialize(*count)))
      return failure();
    countValue = toScalar(node, *count, builder.getI64Type(), "a trip count");
    if (!countValue)
      return failure();
  }
  if (condition) {
    if (failed(importer.materialize(*condition)))
      return failure();
    startValue = toScalar(node, *condition, builder.getI1Type(), "a condition");
    if (!startValue)
      return failure();
  }
  for (Binding *binding : initial) {
    kinds.push_back(ValueKind::get(importer, binding->value));
    isOpen.emplace_back(kinds.back().dims.size(), false);
  }
  return success();
}

/// Sizes of carried tensors may change from now on.
LogicalResult LoopImporter::openSizes() {
  for (auto [index, kind] : llvm::enumerate(kinds)) {
    auto type = dyn_cast<RankedTensorType>(kind.type);
    if (!type) {
      // The model may know of what an empty sequence is one.
      Type declared =
          importer.getDeclaredType(graph.inputs[firstCarried + index]);
      Value value = initial[index]->value;
      if (importer.isOpenSequence(value)) {
        if (failed(importer.settleSequence(
                value, declared ? getListElement(declared) : Type())))
          return failure();
        kind.type = value.getType();
        continue;
      }
      Type joined = declared ? joinTypes(kind.type, declared) : Type();
      if (joined)
        kind.type = joined;
      continue;
    }
    kind.type = RankedTensorType::get(
        SmallVector<int64_t>(type.getRank(), ShapedType::kDynamic),
        type.getElementType());
    for (auto [dim, flag] : llvm::zip_equal(kind.dims, isOpen[index])) {
      dim = importer.createSymbol();
      flag = true;
    }
  }
  return success();
}

/// Widens what is known of a carried value to what also holds for `found`.
/// Returns whether it had to; fails if there is nothing that holds.
FailureOr<bool> LoopImporter::widenKind(unsigned index,
                                        const ValueKind &found) {
  ValueKind &kind = kinds[index];
  Type type = joinTypes(kind.type, found.type);
  if (!type) {
    unsigned output = firstCarriedOutput() + index;
    return emitError() << "expects a carried value to keep its element type "
                          "and rank, but \""
                       << initial[index]->name << "\" is "
                       << initial[index]->value.getType() << ", and output \""
                       << graph.outputs[output].name << "\" of body is "
                       << found.type;
  }
  bool isWider = type != kind.type;
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (tensor && kind.dims.empty())
    kind.dims = found.dims;
  if (tensor) {
    SmallVector<int64_t> shape(tensor.getShape());
    for (auto [axis, size] : llvm::enumerate(shape)) {
      if (isOpen[index][axis] || kind.dims[axis].isSame(found.dims[axis]))
        continue;
      isOpen[index][axis] = isWider = true;
      kind.dims[axis] = importer.createSymbol();
      size = ShapedType::kDynamic;
    }
    type = RankedTensorType::get(shape, tensor.getElementType());
  }
  kind.type = type;
  return isWider;
}

/// Imports the body into `body`, once. The values that it gives are in
/// `results`.
LogicalResult LoopImporter::importBody() {
  body = std::make_unique<Block>();
  results.clear();
  Location loc = importer.getNodeLoc(*pending.node);
  auto addArgument = [&](Type type) { return body->addArgument(type, loc); };
  Value number = addArgument(RankedTensorType::get({}, builder.getI64Type()));
  Value truth = addArgument(RankedTensorType::get({}, builder.getI1Type()));
  SmallVector<Binding *> carried;
  for (auto [index, kind] : llvm::enumerate(kinds)) {
    Value argument = addArgument(kind.type);
    if (!kind.dims.empty())
      importer.setDims(argument, {kind.dims});
    carried.push_back(createValue(argument));
    carried.back()->name = graph.inputs[firstCarried + index].name;
  }
  return importer.buildInBlock(*body, [&]() -> LogicalResult {
    NodeContext node(importer, pending);
    auto toVector = [&](Value value, bool isVector) {
      return createValue(isVector ? node.expandDims(value, 0) : value);
    };
    Binding *ownCondition = toVector(truth, isConditionVector);
    FailureOr<SmallVector<Binding *>> outputs =
        importIteration(toVector(number, isCountVector), ownCondition, carried);
    if (failed(outputs))
      return failure();
    ArrayRef<Binding *> rest = *outputs;
    isConditional = false;
    goesOn = nullptr;
    if (hasCondition) {
      Binding *output = rest.front();
      rest = rest.drop_front();
      if (failed(importer.checkCondition(pending, *output)))
        return failure();
      isConditional = getKnown(output) != int64_t(1);
      if (isConditional) {
        if (failed(importer.materialize(*output)))
          return failure();
        // Whatever it was before, which is true in an iteration.
        isConditional = output->value != ownCondition->value;
      }
      if (isConditional) {
        goesOn = toScalar(node, *output, builder.getI1Type(), "a condition");
        if (!goesOn)
          return failure();
      }
    }
    for (Binding *output : rest) {
      if (failed(importer.materialize(*output)))
        return failure();
      results.push_back(output->value);
    }
    return success();
  });
}

/// Imports the body until what is known of carried values holds for what it
/// gives. Returns false where it cannot be imported.
FailureOr<bool> LoopImporter::importUntilStable() {
  // Each round makes a size open, or the elements of a list known.
  size_t maxRounds = 2;
  for (const SmallVector<bool> &dims : isOpen)
    maxRounds += dims.size() + 4;
  for (size_t round = 0; succeeded(importBody()); ++round) {
    if (round == maxRounds)
      return emitError() << "expects carried values whose types settle, but "
                            "they change in each iteration";
    bool isStable = true;
    for (unsigned index = 0; index != initial.size(); ++index) {
      FailureOr<bool> isWider =
          widenKind(index, ValueKind::get(importer, results[index]));
      if (failed(isWider))
        return failure();
      isStable &= !*isWider;
    }
    if (isStable)
      return true;
    importer.eraseBlock(std::move(body));
  }
  return false;
}

LogicalResult LoopImporter::findTypes() {
  // A loop in loops is imported again with each of them.
  constexpr unsigned kMaxDepth = 4;
  llvm::SaveAndRestore<unsigned> depth(importer.loopDepth,
                                       importer.loopDepth + 1);
  if (importer.loopDepth <= kMaxDepth) {
    // Something may be wrong with sizes that only the first iteration has.
    SilentDiagnostics silence(builder.getContext());
    FailureOr<bool> isDone = importUntilStable();
    if (succeeded(isDone) && *isDone)
      return success();
  }
  if (body)
    importer.eraseBlock(std::move(body));
  if (failed(openSizes()))
    return failure();
  FailureOr<bool> isDone = importUntilStable();
  return success(succeeded(isDone) && *isDone);
}

/// Gives inputs that are carried, and are sequences whose elements have no
/// known rank, the type that the body found for them.
LogicalResult LoopImporter::settleSequences() {
  bool isChanged = false;
  for (auto [binding, kind] : llvm::zip_equal(initial, kinds)) {
    if (!importer.isOpenSequence(binding->value))
      continue;
    if (failed(
            importer.settleSequence(binding->value, getListElement(kind.type))))
      return failure();
    isChanged |= kind.type != binding->value.getType();
    kind.type = binding->value.getType();
  }
  if (!isChanged)
    return success();
  importer.eraseBlock(std::move(body));
  return findTypes();
}

/// The closure, with an empty branch for an iteration.
FnOp LoopImporter::createClosure(ArrayRef<Type> lists, Type resultType) {
  Location loc = importer.getNodeLoc(*pending.node);
  SmallVector<Type> types = {RankedTensorType::get({}, builder.getI64Type())};
  if (isConditional)
    types.push_back(RankedTensorType::get({}, builder.getI1Type()));
  unsigned firstOwn = types.size();
  for (const ValueKind &kind : kinds)
    types.push_back(kind.type);
  llvm::append_range(types, lists);
  auto closure =
      FnOp::create(builder, loc, builder.getFunctionType(types, resultType),
                   /*recursive=*/true);
  LogicalResult built =
      importer.buildInBlock(closure.getBody().front(), [&]() -> LogicalResult {
        NodeContext node(importer, pending);
        MutableArrayRef<BlockArgument> params = closure.getParams();
        Value again = isConditional ? params[1] : Value();
        if (countValue) {
          Value isBelow = node.create<LessOp>({params[0], countValue});
          again = again ? node.create<LogicalAndOp>({isBelow, again}) : isBelow;
        }
        auto branch = IfOp::create(builder, loc, resultType, again);
        branch.getThenRegion().emplaceBlock();
        OpBuilder inner =
            OpBuilder::atBlockEnd(&branch.getElseRegion().emplaceBlock());
        SmallVector<Value> fields(params.begin() + firstOwn, params.end());
        YieldOp::create(inner, loc,
                        TupleOp::create(inner, loc, fields).getResult());
        YieldOp::create(builder, loc, branch.getResult());
        return success();
      });
  assert(succeeded(built) && "counting does not fail");
  (void)built;
  return closure;
}

/// Puts an iteration into the closure, and what follows it.
LogicalResult LoopImporter::finishBody(FnOp closure, Type resultType) {
  Location loc = importer.getNodeLoc(*pending.node);
  auto branch = *closure.getBody().front().getOps<IfOp>().begin();
  Block &target = branch.getThenRegion().front();
  return importer.buildInBlock(target, [&]() -> LogicalResult {
    NodeContext node(importer, pending);
    Value isTrue = node.createConstant(DenseElementsAttr::get(
        RankedTensorType::get({}, builder.getI1Type()), true));
    MutableArrayRef<BlockArgument> params = closure.getParams();
    unsigned firstOwn = isConditional ? 2 : 1;
    body->getArgument(0).replaceAllUsesWith(params[0]);
    body->getArgument(1).replaceAllUsesWith(isTrue);
    for (unsigned i = 0; i != kinds.size(); ++i) {
      BlockArgument argument = body->getArgument(2 + i);
      Value param = params[firstOwn + i];
      if (!kinds[i].dims.empty())
        importer.setDims(param, {kinds[i].dims});
      for (Value &result : results)
        if (result == argument)
          result = param;
      argument.replaceAllUsesWith(param);
    }
    if (goesOn == body->getArgument(1))
      goesOn = isTrue;
    for (Value &result : results) {
      if (result == body->getArgument(0))
        result = params[0];
      else if (result == body->getArgument(1))
        result = isTrue;
    }
    target.getOperations().splice(target.end(), body->getOperations());

    SmallVector<Value> next = {node.create<AddOp>(
        {params[0], node.createScalar(1, builder.getI64Type())})};
    if (isConditional)
      next.push_back(goesOn);
    ListBuilder lists(importer.getModule(), builder, loc);
    for (auto [index, result] : llvm::enumerate(results)) {
      if (index < kinds.size()) {
        next.push_back(widen(importer, loc, result, kinds[index].type));
        continue;
      }
      Value list = params[firstOwn + index];
      Value row = collectsLists ? result : node.expandDims(result, 0);
      if (!row)
        return failure();
      next.push_back(lists.createCons(
          widen(importer, loc, row, getListElement(list.getType())), list));
    }
    if (llvm::is_contained(next, Value()))
      return failure();
    Value result =
        CallIndirectOp::create(builder, loc, resultType, closure.getSelf(),
                               next, ArrayAttr(), ArrayAttr());
    YieldOp::create(builder, loc, result);
    return success();
  });
}

/// The rows in a list as a tensor; there are none unless `isAny`.
Value LoopImporter::collect(NodeContext &node, unsigned index, Value list,
                            Value isAny) {
  Location loc = importer.getNodeLoc(*pending.node);
  ValueKind row = ValueKind::get(importer, results[kinds.size() + index]);
  auto type = cast<RankedTensorType>(getListElement(list.getType()));
  auto branch = IfOp::create(builder, loc, type, isAny);
  auto fill = [&](Region &region, function_ref<Value()> make) {
    (void)importer.buildInBlock(region.emplaceBlock(), [&] {
      YieldOp::create(builder, loc, widen(importer, loc, make(), type));
      return success();
    });
  };
  fill(branch.getThenRegion(), [&] {
    return ListBuilder(importer.getModule(), builder, loc)
        .joinReversed(list, 0);
  });
  fill(branch.getElseRegion(), [&] { return createEmpty(node, row); });
  Value value = branch.getResult();
  SmallVector<ShapeScalar> dims = {importer.createSymbol()};
  const ShapeTensor *trips = count ? importer.getContents(*count) : nullptr;
  if (trips && !isConditional && !startValue) {
    dims.front() = trips->elements.front();
    if (std::optional<int64_t> number = dims.front().getConstant()) {
      SmallVector<int64_t> shape(type.getShape());
      shape.front() = *number;
      value = widen(importer, loc, value,
                    RankedTensorType::get(shape, type.getElementType()));
    }
  }
  llvm::append_range(dims, row.dims);
  importer.setDims(value, {dims});
  return value;
}

LogicalResult LoopImporter::build() {
  Location loc = importer.getNodeLoc(*pending.node);
  NodeContext node(importer, pending);
  if (failed(prepare()) || failed(findTypes()) || failed(settleSequences()))
    return failure();
  if (!countValue && !isConditional)
    return emitError() << "expects a trip count, or a condition that the body "
                          "changes, but the loop has no end";
  SmallVector<Type> lists, types;
  for (const ValueKind &kind : kinds)
    types.push_back(kind.type);
  for (unsigned i = 0; i != numScans; ++i) {
    Type row = results[kinds.size() + i].getType();
    if (collectsLists) {
      lists.push_back(getListType(row));
      continue;
    }
    if (failed(checkRow(i, row)))
      return failure();
    auto tensor = cast<RankedTensorType>(row);
    SmallVector<int64_t> shape = {ShapedType::kDynamic};
    llvm::append_range(shape, tensor.getShape());
    lists.push_back(
        getListType(RankedTensorType::get(shape, tensor.getElementType())));
  }
  llvm::append_range(types, lists);
  if (types.empty())
    return success();
  Type resultType = builder.getTupleType(types);
  // There are no iterations without a first one.
  if (startValue && !isConditional)
    countValue = node.create<MultiplyOp>(
        {countValue, node.castTo(startValue, builder.getI64Type())});
  FnOp closure = createClosure(lists, resultType);
  if (failed(finishBody(closure, resultType)))
    return failure();

  Value zero = node.createScalar(0, builder.getI64Type());
  SmallVector<Value> args = {zero};
  if (isConditional)
    args.push_back(
        startValue
            ? startValue
            : node.createConstant(DenseElementsAttr::get(
                  RankedTensorType::get({}, builder.getI1Type()), true)));
  for (auto [binding, kind] : llvm::zip_equal(initial, kinds))
    args.push_back(widen(importer, loc, binding->value, kind.type));
  ListBuilder listBuilder(importer.getModule(), builder, loc);
  for (Type list : lists)
    args.push_back(listBuilder.createNil(getListElement(list)));
  Value tuple =
      CallIndirectOp::create(builder, loc, resultType, closure.getResult(),
                             args, ArrayAttr(), ArrayAttr());

  SmallVector<Binding *> outputs;
  for (auto [index, kind] : llvm::enumerate(kinds)) {
    // After the last iteration, a size need not be what it was in another.
    for (auto [dim, open] : llvm::zip_equal(kind.dims, isOpen[index]))
      if (open)
        dim = importer.createSymbol();
    outputs.push_back(createValue(getField(importer, loc, tuple, index, kind)));
  }
  Value isAny;
  if (numScans != 0 && countValue)
    isAny = node.create<LessOp>({zero, countValue});
  if (numScans != 0 && isConditional)
    isAny = isAny ? node.create<LogicalAndOp>({isAny, args[1]}) : args[1];
  for (unsigned i = 0; i != numScans; ++i) {
    Value list = getField(importer, loc, tuple, kinds.size() + i,
                          ValueKind{lists[i], {}});
    if (collectsLists) {
      outputs.push_back(createValue(listBuilder.reverse(list)));
      continue;
    }
    Value value = finishScan(node, i, collect(node, i, list, isAny));
    if (!value)
      return failure();
    outputs.push_back(createValue(value));
  }
  return importer.bindOutputs(*pending.node, *pending.frame, outputs);
}

LogicalResult LoopImporter::run() {
  // What is there before the first iteration must not be built in a block that
  // is dropped.
  if (failed(importer.materializeCaptured(pending, graph)))
    return failure();
  for (Binding *binding : initial)
    if (failed(importer.materialize(*binding)))
      return failure();
  if (condition && failed(importer.checkCondition(pending, *condition)))
    return failure();
  FailureOr<bool> isUnrolled = unroll();
  if (failed(isUnrolled))
    return failure();
  return *isUnrolled ? success() : build();
}
