//===- GraphJSON.cpp - Graphs of kernels as JSON --------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The format is that of TVM's graph executor. A node has one or more entries,
// the tensors that it computes; lists of `attrs` have one element for each
// entry of the graph. Values that are not alive at the same time share a piece
// of storage if their sizes are alike, as TVM plans it.
//
//===----------------------------------------------------------------------===//

#include "relay-mlir/Target/GraphJSON/GraphJSON.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "relay-mlir/Dialect/Relay/IR/DType.h"
#include "relay-mlir/Dialect/TIR/IR/TIR.h"
#include "relay-mlir/Support/ModuleTranslation.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/JSON.h"

using namespace mlir;
using namespace mlir::relay;
using relax::SymbolicTensorType;

namespace {

/// A tensor that a node computes.
struct Entry {
  unsigned node;
  unsigned index;
  SymbolicTensorType type;
  unsigned storage = 0;
  /// The last node that reads it; none for what is kept.
  std::optional<unsigned> lastUse = std::nullopt;
};

struct Node {
  /// "null" for what is given, "tvm_op" for what is called.
  StringRef op;
  std::string name;
  std::string function;
  SmallVector<unsigned> inputs;
  SmallVector<unsigned> entries;
};

class GraphWriter {
public:
  explicit GraphWriter(relax::FuncOp main) : main(main) {}

  LogicalResult build();
  void planStorage();
  void write(raw_ostream &os) const;

private:
  LogicalResult add(Operation &op);
  LogicalResult addNode(Operation *op, StringRef kind, StringRef name,
                        StringRef function, ValueRange inputs,
                        ValueRange results);
  LogicalResult find(Operation *op, Value value,
                     SmallVectorImpl<unsigned> &found);
  std::string makeName(StringRef base);
  static uint64_t getBytes(SymbolicTensorType type);

  relax::FuncOp main;
  SmallVector<Node> nodes;
  SmallVector<Entry> entries;
  SmallVector<unsigned> heads;
  /// The entries of a value: several of a tuple.
  DenseMap<Value, SmallVector<unsigned, 1>> values;
  llvm::StringMap<unsigned> names;
  llvm::StringSet<> taken;
  unsigned numConstants = 0;
};

} // namespace

std::string GraphWriter::makeName(StringRef base) {
  for (;;) {
    unsigned number = names[base]++;
    std::string name =
        number == 0 ? base.str() : (base + "_" + Twine(number)).str();
    if (taken.insert(name).second)
      return name;
  }
}

uint64_t GraphWriter::getBytes(SymbolicTensorType type) {
  uint64_t bytes = type.getElementBytes();
  for (size_t i : llvm::seq<size_t>(type.getRank()))
    bytes = llvm::SaturatingMultiply<uint64_t>(bytes,
                                               *type.getShape().getConstant(i));
  return bytes;
}

LogicalResult GraphWriter::find(Operation *op, Value value,
                                SmallVectorImpl<unsigned> &found) {
  auto it = values.find(value);
  if (it == values.end())
    return op->emitError("expects operands that are tensors of the graph");
  llvm::append_range(found, it->second);
  return success();
}

LogicalResult GraphWriter::addNode(Operation *op, StringRef kind,
                                   StringRef name, StringRef function,
                                   ValueRange inputs, ValueRange results) {
  unsigned number = nodes.size();
  Node &node = nodes.emplace_back();
  node.op = kind;
  node.name = makeName(name);
  node.function = function;
  for (Value input : inputs)
    if (failed(find(op, input, node.inputs)))
      return failure();
  for (unsigned input : node.inputs)
    entries[input].lastUse = number;
  for (auto [index, result] : llvm::enumerate(results)) {
    auto type = dyn_cast<SymbolicTensorType>(result.getType());
    if (!type)
      return op->emitError("expects tensors, but got ") << result.getType();
    if (!type.isStatic())
      return op->emitError("expects sizes that are known, as graphs of the "
                           "graph executor have them, but got ")
             << type << "; the executors aot and vm take others";
    node.entries.push_back(entries.size());
    values[result] = {static_cast<unsigned>(entries.size())};
    entries.push_back({number, static_cast<unsigned>(index), type});
  }
  return success();
}

LogicalResult GraphWriter::add(Operation &op) {
  if (auto call = dyn_cast<relax::CallTIROp>(op))
    return addNode(&op, "tvm_op", call.getCallee(), call.getCallee(),
                   call.getArgs(), call.getResults());
  if (auto call = dyn_cast<relax::CallDPSPackedOp>(op))
    return addNode(&op, "tvm_op", call.getFunction(), call.getFunction(),
                   call.getArgs(), call.getResults());
  if (isa<relax::ReshapeOp>(op))
    return addNode(&op, "tvm_op", "reshape_nop", "__nop", op.getOperands(),
                   op.getResults());
  if (isa<relax::ToDeviceOp>(op))
    return addNode(&op, "tvm_op", "device_copy", "__copy", op.getOperands(),
                   op.getResults());
  if (isa<relax::ConstantOp>(op))
    return addNode(&op, "null", ("p" + Twine(numConstants++)).str(), "", {},
                   op.getResults());
  if (auto block = dyn_cast<relax::DataflowOp>(op)) {
    for (Operation &inner : block.getBody().front().without_terminator())
      if (failed(add(inner)))
        return failure();
    Operation *output = block.getBody().front().getTerminator();
    for (auto [inner, outer] :
         llvm::zip_equal(output->getOperands(), block.getResults())) {
      SmallVector<unsigned> found;
      if (failed(find(output, inner, found)))
        return failure();
      values[outer] = {found.begin(), found.end()};
    }
    return success();
  }
  if (isa<relax::TupleOp>(op)) {
    SmallVector<unsigned> found;
    for (Value field : op.getOperands())
      if (failed(find(&op, field, found)))
        return failure();
    values[op.getResult(0)] = {found.begin(), found.end()};
    return success();
  }
  if (auto item = dyn_cast<relax::TupleGetItemOp>(op)) {
    // Fields may be tuples: their entries follow one another.
    auto type = cast<TupleType>(item.getTuple().getType());
    SmallVector<unsigned> found;
    if (failed(find(&op, item.getTuple(), found)))
      return failure();
    auto count = [](Type field) {
      SmallVector<Type> types;
      if (auto tuple = dyn_cast<TupleType>(field))
        tuple.getFlattenedTypes(types);
      return isa<TupleType>(field) ? types.size() : 1;
    };
    size_t first = 0;
    for (Type field : type.getTypes().take_front(item.getIndex()))
      first += count(field);
    ArrayRef<unsigned> field =
        ArrayRef(found).slice(first, count(type.getType(item.getIndex())));
    values[item.getResult()] = {field.begin(), field.end()};
    return success();
  }
  // Sizes are known here.
  if (auto cast = dyn_cast<relax::MatchCastOp>(op)) {
    SmallVector<unsigned> found;
    if (failed(find(&op, cast.getSource(), found)))
      return failure();
    values[cast.getResult()] = {found.begin(), found.end()};
    return success();
  }
  if (relax::isAboutSizes(&op))
    return success();
  return op.emitError("expects operations of a graph, but got '")
         << op.getName() << "'; the executors aot and vm take them";
}

LogicalResult GraphWriter::build() {
  if (main.isExternal())
    return main.emitError("expects a function with a body");
  for (BlockArgument argument : main.getBody().getArguments()) {
    auto name = main.getArgAttrOfType<StringAttr>(argument.getArgNumber(),
                                                  relax::kNameAttr);
    if (failed(addNode(main, "null", name ? name.getValue() : "input", "", {},
                       argument)))
      return failure();
  }
  for (Operation &op : main.getBody().front().without_terminator())
    if (failed(add(op)))
      return failure();
  Operation *end = main.getBody().front().getTerminator();
  for (Value result : end->getOperands())
    if (failed(find(end, result, heads)))
      return failure();
  return success();
}

void GraphWriter::planStorage() {
  struct Piece {
    uint64_t bytes;
    DeviceAttr device;
    unsigned numUsers = 0;
    bool isKept = false;
  };
  SmallVector<Piece> pieces;
  SmallVector<unsigned> free;
  llvm::SmallDenseSet<unsigned> isHead(heads.begin(), heads.end());
  // What is read last at each node.
  DenseMap<unsigned, SmallVector<unsigned>> ending;
  for (auto [number, entry] : llvm::enumerate(entries))
    if (entry.lastUse)
      ending[*entry.lastUse].push_back(number);

  auto take = [&](const Entry &entry, bool isKept) -> unsigned {
    uint64_t bytes = getBytes(entry.type);
    if (!isKept) {
      // The one of the nearest size, if that is alike.
      unsigned *best = nullptr;
      auto distance = [&](unsigned piece) {
        uint64_t other = pieces[piece].bytes;
        return other > bytes ? other - bytes : bytes - other;
      };
      for (unsigned &piece : free)
        if (pieces[piece].device == entry.type.getDevice() &&
            pieces[piece].bytes >= bytes / 16 &&
            pieces[piece].bytes / 16 <= bytes &&
            (!best || distance(piece) < distance(*best)))
          best = &piece;
      if (best) {
        unsigned piece = *best;
        free.erase(best);
        pieces[piece].bytes = std::max(pieces[piece].bytes, bytes);
        return piece;
      }
    }
    pieces.push_back({bytes, entry.type.getDevice(), 0, isKept});
    return pieces.size() - 1;
  };
  for (auto [number, node] : llvm::enumerate(nodes)) {
    bool isGiven = node.op == "null";
    for (unsigned entry : node.entries) {
      Entry &value = entries[entry];
      bool isView = node.function == "__nop";
      value.storage =
          isView ? entries[node.inputs.front()].storage : take(value, isGiven);
      Piece &piece = pieces[value.storage];
      piece.isKept |= isGiven || isHead.contains(entry);
      ++piece.numUsers;
    }
    auto release = [&](unsigned entry) {
      Piece &piece = pieces[entries[entry].storage];
      if (--piece.numUsers == 0 && !piece.isKept)
        free.push_back(entries[entry].storage);
    };
    for (unsigned entry : ending.lookup(number))
      release(entry);
    // What nobody reads.
    for (unsigned entry : node.entries)
      if (!entries[entry].lastUse)
        release(entry);
  }
}

void GraphWriter::write(raw_ostream &os) const {
  llvm::json::OStream json(os, /*IndentSize=*/2);
  auto reference = [&](unsigned number) {
    json.array([&] {
      json.value(entries[number].node);
      json.value(entries[number].index);
      json.value(0);
    });
  };
  auto attribute = [&](StringRef name, StringRef kind,
                       function_ref<void()> writeAll) {
    json.attributeArray(name, [&] {
      json.value(kind);
      json.array(writeAll);
    });
  };
  json.object([&] {
    json.attributeArray("nodes", [&] {
      for (const Node &node : nodes)
        json.object([&] {
          json.attribute("op", node.op);
          json.attribute("name", node.name);
          if (node.op != "null")
            json.attributeObject("attrs", [&] {
              json.attribute("num_outputs",
                             std::to_string(node.entries.size()));
              json.attribute("num_inputs", std::to_string(node.inputs.size()));
              json.attribute("flatten_data", "0");
              json.attribute("func_name", node.function);
            });
          json.attributeArray("inputs",
                              [&] { llvm::for_each(node.inputs, reference); });
        });
    });
    json.attributeArray("arg_nodes", [&] {
      for (auto [number, node] : llvm::enumerate(nodes))
        if (node.op == "null")
          json.value(number);
    });
    json.attributeArray("heads", [&] { llvm::for_each(heads, reference); });
    json.attributeObject("attrs", [&] {
      attribute("dltype", "list_str", [&] {
        for (const Entry &entry : entries)
          json.value(relay::getDTypeName(entry.type.getElementType()));
      });
      bool isElsewhere = llvm::any_of(entries, [](const Entry &entry) {
        return entry.type.getDevice() != nullptr;
      });
      if (isElsewhere)
        attribute("device_index", "list_int", [&] {
          for (const Entry &entry : entries) {
            DictionaryAttr device =
                entry.type.getDevice()
                    ? entry.type.getDevice().toVirtualDevice()
                    : DictionaryAttr();
            json.value(
                device ? device.getAs<IntegerAttr>("device_type").getInt() : 1);
          }
        });
      attribute("storage_id", "list_int", [&] {
        for (const Entry &entry : entries)
          json.value(entry.storage);
      });
      attribute("shape", "list_shape", [&] {
        for (const Entry &entry : entries)
          json.array([&] {
            for (size_t i : llvm::seq<size_t>(entry.type.getRank()))
              json.value(*entry.type.getShape().getConstant(i));
          });
      });
    });
    json.attributeArray("node_row_ptr", [&] {
      unsigned row = 0;
      json.value(row);
      for (const Node &node : nodes)
        json.value(row += node.entries.size());
    });
  });
  os << "\n";
}

LogicalResult relay::writeGraphJSON(relax::FuncOp main, raw_ostream &os) {
  GraphWriter writer(main);
  if (failed(writer.build()))
    return failure();
  writer.planStorage();
  writer.write(os);
  return success();
}

LogicalResult relay::writeGraphJSON(ModuleOp module, raw_ostream &os) {
  auto main = module.lookupSymbol<relax::FuncOp>("main");
  if (!main)
    return module.emitError("expects a relax.func named @main");
  return writeGraphJSON(main, os);
}

void relay::registerRelaxToGraphJSONTranslation() {
  registerModuleTranslation(
      "relax-to-graph-json",
      "print the kernels that @main calls as a graph in JSON",
      [](ModuleOp module, raw_ostream &os) {
        return writeGraphJSON(module, os);
      },
      [](DialectRegistry &registry) {
        registry
            .insert<func::FuncDialect, relax::RelaxDialect, tir::TIRDialect>();
      });
}
