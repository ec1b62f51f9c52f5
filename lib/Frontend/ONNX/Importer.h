//===- Importer.h - From an ONNX graph to a function ------------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Nodes are visited in order. A node whose outputs can be computed now (see
// ShapeEvaluator.h) only is noted; it becomes operators when another node needs
// its output as a value at run time.
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_LIB_FRONTEND_ONNX_IMPORTER_H
#define RELAY_MLIR_LIB_FRONTEND_ONNX_IMPORTER_H

#include "Model.h"
#include "OpTable.h"
#include "ShapeValues.h"
#include "TensorLoader.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "relay-mlir/Frontend/ONNX/ImportONNX.h"
#include "llvm/ADT/DenseSet.h"

#include <deque>

namespace mlir::relay::onnx {

struct Binding;
struct PendingNode;

/// A sequence whose elements are known one by one, or an optional value of
/// which it is known whether it is there.
struct KnownElements {
  SmallVector<Binding *> elements;
  bool isOptional = false;
};

/// What an ONNX name stands for: at least one of `value`, `tensor`, `contents`
/// and `known`.
struct Binding {
  std::string name;
  Value value;
  /// A weight that is not loaded yet.
  const Tensor *tensor = nullptr;
  /// The numbers, where they can be computed now.
  std::optional<ShapeTensor> contents;
  bool triedContents = false;
  /// The same for numbers of which some are not known.
  std::optional<ShapeTensor> partialContents;
  bool triedPartialContents = false;
  std::optional<KnownElements> known;
  /// The node that computes `value`, if it is not converted yet.
  PendingNode *pending = nullptr;
};

/// An input that is a sequence, of whose elements nothing says yet which rank
/// they have.
struct OpenSequence {
  std::string name;
  Type elementType;
  /// What the model declares, scalars, which exporters also write for elements
  /// of any rank; null if it declares no shape.
  RankedTensorType declared;
};

/// The names of a graph: the main graph, a branch, or a call of a function.
struct Frame {
  /// The enclosing graph, whose names are visible.
  Frame *parent = nullptr;
  /// In a function: where the call is.
  Frame *caller = nullptr;
  /// In the graph of a loop: the number of the iteration, a scalar or a vector
  /// of one element.
  Binding *iteration = nullptr;
  const OpsetMap *opsets = nullptr;
  llvm::StringMap<Binding *> bindings;
  /// In a function: the attributes of the call.
  llvm::StringMap<const NodeAttribute *> attributes;
  /// Null in a function.
  const Graph *graph = nullptr;

  Binding *lookup(StringRef name) const;
  const NodeAttribute *lookupAttribute(StringRef name) const;
};

/// A node with its operands resolved.
struct PendingNode {
  const Node *node;
  Frame *frame;
  const OpEntry *entry;
  int64_t opset;
  /// Null for an optional operand that is left out.
  SmallVector<Binding *> inputs;
  SmallVector<Binding *> outputs;
  bool isConverted = false;
};

class Importer {
public:
  Importer(const Model &model, ModelSource &source, MLIRContext *context,
           const OnnxImportOptions &options);

  OwningOpRef<ModuleOp> run();
  /// What the model needs.
  OnnxCoverage getCoverage() const;

  OpBuilder &getBuilder() { return builder; }
  Location getFileLoc() const;
  Location getNodeLoc(const Node &node) const;

  /// The contents of `binding`, if they are or can be known.
  const ShapeTensor *getContents(Binding &binding);
  /// The same of a few integers of which some may be known only when the model
  /// runs: those are unknown in every case.
  const ShapeTensor *getPartialContents(Binding &binding);
  /// False for sequences and optional values.
  bool isTensor(const Binding &binding) const;
  RankedTensorType getType(const Binding &binding) const;
  SmallVector<ShapeScalar> getDims(const Binding &binding);

  /// Sizes of `value`, one list for each component of a tuple.
  SmallVector<ShapeScalar> getDims(Value value, unsigned component = 0);
  void setDims(Value value, SmallVector<SmallVector<ShapeScalar>> dims);
  /// Makes a new symbol of each size of `value` that is open, if nothing is
  /// known of it.
  Value nameOpenSizes(Value value);
  ShapeScalar createSymbol() { return ShapeScalar::getSymbol(numSymbols++); }

  /// A value of the function one of whose dimensions is `size`, with the
  /// position of that dimension.
  std::optional<std::pair<Value, unsigned>>
  findDimension(const ShapeScalar &size);

  /// Constants are shared within the function.
  Value createConstant(ElementsAttr value, Location loc);

  /// Makes sure that `binding` has a value.
  LogicalResult materialize(Binding &binding);

  llvm::Expected<DenseElementsAttr> loadInline(const Tensor &tensor) {
    return loader.loadInline(tensor);
  }

  /// How often it was asked before with this `name`, by random nodes.
  unsigned countRandom(StringRef name) { return randomNodes[name]++; }

  /// The strings of the model.
  StringTable &getStrings() { return loader.getStrings(); }

  Binding *createBinding(StringRef name);

  //===--------------------------------------------------------------------===//
  // Graphs in nodes (ControlFlow.cpp, Loops.cpp)
  //===--------------------------------------------------------------------===//

  LogicalResult importIf(PendingNode &pending);
  LogicalResult importLoop(PendingNode &pending);
  LogicalResult importScan(PendingNode &pending);

  /// The graph in attribute `name`; null, and an error, if there is none.
  const Graph *findGraph(const PendingNode &pending, StringRef name);
  /// The type of what is declared, sizes open; null if that does not say it.
  Type getDeclaredType(const ValueInfo &info);
  /// Fails where the node of `pending` has an attribute that its operator does
  /// not list.
  LogicalResult checkAttributes(const PendingNode &pending);
  /// Fails where the node of `pending` depends on the rank of an input that may
  /// be a scalar as well.
  LogicalResult checkRanks(const PendingNode &pending);
  /// Fails if `binding`, which `what` names, is such a value.
  LogicalResult checkRank(const Binding &binding, StringRef what);
  /// Whether `value` is a sequence of which nothing says the rank of elements.
  bool isOpenSequence(Value value) const {
    return openSequences.contains(value);
  }
  /// Gives the elements of an open sequence the rank of `element`, a type of
  /// tensors, or else what the model declares. Fails, with an error, for
  /// another element type, and where nothing is declared.
  LogicalResult settleSequence(Value value, Type element = {});
  /// Makes values of all that `graph` takes from around it.
  LogicalResult materializeCaptured(PendingNode &pending, const Graph &graph);
  /// Imports a graph of a node where the builder is; `name` is that of its
  /// attribute, and `iteration` the number of this one if it is repeated.
  /// Returns the outputs, which need not have values yet.
  FailureOr<SmallVector<Binding *>>
  importGraph(PendingNode &pending, const Graph &graph, StringRef name,
              ArrayRef<Binding *> inputs, Binding *iteration = nullptr);
  /// Lets `build` add operations at the end of `block`, which will be that of a
  /// region here.
  LogicalResult buildInBlock(Block &block, function_ref<LogicalResult()> build);
  /// Gives back what was built in vain.
  void eraseBlock(std::unique_ptr<Block> block);
  /// Gives the outputs of a node of `frame` their names.
  LogicalResult bindOutputs(const Node &node, Frame &frame,
                            ArrayRef<Binding *> outputs);
  InFlightDiagnostic emitError(const Node &node, int64_t opset) const;
  /// The module, for what functions call besides.
  ModuleOp getModule() { return function->getParentOfType<ModuleOp>(); }

  /// A copy of the node of `pending`, in its place, to be changed.
  Node &rewriteNode(PendingNode &pending) {
    Node &node = rewrittenNodes.emplace_back(*pending.node);
    pending.node = &node;
    return node;
  }

  /// Fails if a condition that is known is no bool.
  LogicalResult checkCondition(PendingNode &pending, Binding &condition);

  /// How many loops that are imported are in each other.
  unsigned loopDepth = 0;

private:
  LogicalResult checkOpsets();
  LogicalResult checkInlinedSize();
  std::vector<OnnxOperatorUse> findOperators() const;
  LogicalResult checkOperators();
  LogicalResult createArguments();
  LogicalResult createResults();
  /// Keeps what the model says of itself.
  void addMetadata(ModuleOp module);
  /// The type of an input; `tensor` is that of a tensor whose shape is known.
  FailureOr<Type> getInputValueType(const ValueInfo &info,
                                    RankedTensorType tensor);
  FailureOr<RankedTensorType> getInputType(const ValueInfo &info,
                                           RankedTensorType fixed);
  /// Those that are no initializers, with what the options say of them.
  FailureOr<SmallVector<std::pair<const ValueInfo *, FixedInput>>>
  getFixedInputs();
  /// Fails if an input and the initializer that is its default contradict each
  /// other.
  LogicalResult checkInitializer(const ValueInfo &info, const Tensor &tensor);
  LogicalResult createArgument(const ValueInfo &info, const FixedInput &fixed);

  LogicalResult addInitializers(const Graph &graph, Frame &frame);
  LogicalResult importNodes(ArrayRef<Node> nodes, Frame &frame);
  /// Fails if outputs of `nodes` have names that are taken.
  LogicalResult checkOutputNames(ArrayRef<Node> nodes, const Frame &frame);
  /// Fails if outputs of `node` are not of the types that its graph says.
  LogicalResult checkDeclaredTypes(const Node &node, const Frame &frame);
  LogicalResult importNode(const Node &node, Frame &frame);
  LogicalResult importConstant(PendingNode &pending, const Tensor &tensor);
  LogicalResult importCall(PendingNode &pending, const Function &function);
  /// An If of which one branch squeezes what the other one leaves as it is: the
  /// result has one rank, so it is `branch` that counts.
  LogicalResult importSqueeze(PendingNode &pending, const Graph &branch,
                              bool isThen);
  LogicalResult importRunTimeIf(PendingNode &pending,
                                ArrayRef<const Graph *> branches);
  void forget(Operation *op);

  /// Gives `binding` its numbers, unless the model has too many of them.
  bool setContents(Binding &binding, std::optional<ShapeTensor> contents);
  /// Gives `binding` a value if its numbers are known. Fails if they cannot be
  /// read.
  LogicalResult materializeConstant(Binding &binding);
  /// Makes a list, or an optional value, of what is known.
  LogicalResult materializeElements(Binding &binding);
  LogicalResult convert(PendingNode &pending);

  Frame &createFrame();
  InFlightDiagnostic emitError() const { return mlir::emitError(getFileLoc()); }

  /// How an operator that is no function of the model is converted; null if
  /// nobody knows.
  const OpEntry *lookupOp(const Node &node) const;
  /// The opset of a node by what its graph imports. A domain that is not there
  /// is the newest one that has the operator, as in ONNX Runtime.
  int64_t getOpset(const Node &node, const OpsetMap &opsets) const;

  const Model &model;
  const OnnxImportOptions &options;
  OpTable addedOps;
  OpBuilder builder;
  TensorLoader loader;
  func::FuncOp function;
  SmallVector<Attribute> resultNames;

  std::deque<Binding> bindings;
  std::deque<Frame> frames;
  std::deque<PendingNode> pendingNodes;
  /// Nodes that stand for those of old opsets.
  std::deque<Node> madeNodes;
  /// Nodes that are not as the model has them.
  std::deque<Node> rewrittenNodes;
  Frame *mainFrame = nullptr;
  llvm::StringMap<unsigned> symbols, randomNodes;
  unsigned numSymbols = 0;
  /// Numbers of all contents.
  int64_t numShapeElements = 0;
  /// How many calls of `materialize`, and of `getPartialContents`, are in each
  /// other.
  unsigned materializeDepth = 0, partialDepth = 0;
  DenseMap<Value, SmallVector<SmallVector<ShapeScalar>>> dims;
  DenseMap<Value, OpenSequence> openSequences;
  /// Tensors of one element, of which a branch of an If gives a scalar: they
  /// may only be broadcast to what has as many dimensions at least.
  DenseSet<Value> scalarsOrMore;
  DenseMap<mlir::Attribute, Value> constants;
  /// The block of the function, and those inside of it that are being built.
  SmallVector<Block *> openBlocks;
  /// Nodes of graphs of nodes that were imported, some more than once.
  int64_t numGraphNodes = 0;
};

} // namespace mlir::relay::onnx

#endif // RELAY_MLIR_LIB_FRONTEND_ONNX_IMPORTER_H
