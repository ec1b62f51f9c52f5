//===- MemoryPlan.cpp - What lies where in memory, by step ----------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MemoryPlan.h"

#include "relay-mlir/Dialect/Relax/IR/SymbolicExpr.h"
#include "relay-mlir/Support/AffineEvaluation.h"
#include "relay-mlir/Support/SaturatingMath.h"

#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace mlir::relay;
using llvm::json::Array;
using llvm::json::Object;

namespace {
/// Computes sizes, of which those that are open count as 1.
class SizeReader {
public:
  explicit SizeReader(MLIRContext *context) : scope(context) {}

  /// The largest of the expressions of `shape`.
  int64_t getLargest(relax::ShapeAttr shape) {
    int64_t largest = 0;
    for (AffineExpr expr : scope.import(shape))
      largest = std::max(largest, evaluate(expr));
    return largest;
  }
  int64_t getBytes(relax::SymbolicTensorType type) {
    int64_t bytes = type.getElementBytes();
    for (AffineExpr expr : scope.import(type.getShape()))
      bytes = saturatingMultiply(bytes, evaluate(expr));
    return bytes;
  }
  Array getSymbols() const {
    Array names;
    for (StringAttr name : scope.getNames())
      names.push_back(name.getValue().str());
    return names;
  }

private:
  int64_t evaluate(AffineExpr expr) {
    SmallVector<int64_t> ones(scope.getNames().size(), 1);
    return evaluateAffineExpr(expr, /*dims=*/{}, ones);
  }

  relax::SymbolScope scope;
};
} // namespace

template <typename T>
static std::string toText(T &&value) {
  std::string text;
  llvm::raw_string_ostream(text) << value;
  return text;
}

static std::string printList(relax::ShapeAttr shape) {
  std::string text;
  llvm::raw_string_ostream os(text);
  shape.printList(os);
  return text;
}

llvm::json::Value relay::describeMemoryPlan(relax::FuncOp function) {
  SizeReader sizes(function.getContext());
  Array steps, storages, tensors;
  llvm::DenseMap<Value, unsigned> storageOf;
  // The first and the last step that uses it; a tensor that is not used has
  // neither.
  llvm::DenseMap<Operation *, int64_t> stepOf;
  for (Operation &op : function.getBody().getOps())
    if (isa<relax::CallKernelOp, relax::CopyOp>(op)) {
      auto call = dyn_cast<relax::CallKernelOp>(op);
      stepOf[&op] = steps.size();
      steps.push_back(call ? call.getCallee().str() : "copy");
    }
  int64_t step = 0;
  for (Operation &op : function.getBody().getOps()) {
    if (stepOf.contains(&op)) {
      ++step;
    } else if (auto storage = dyn_cast<relax::AllocStorageOp>(op)) {
      storageOf[storage.getResult()] = storages.size();
      int64_t bytes = sizes.getLargest(storage.getSize());
      storages.push_back(Object{{"bytes", bytes},
                                {"size", printList(storage.getSize())},
                                {"type", toText(storage.getType())},
                                {"first", step},
                                {"last", static_cast<int64_t>(steps.size())}});
    } else if (auto kill = dyn_cast<relax::KillOp>(op)) {
      if (auto it = storageOf.find(kill.getStorage()); it != storageOf.end())
        (*storages[it->second].getAsObject())["last"] = step - 1;
    } else if (auto tensor = dyn_cast<relax::AllocTensorOp>(op)) {
      auto storage = storageOf.find(tensor.getStorage());
      if (storage == storageOf.end())
        continue;
      int64_t first = steps.size(), last = -1;
      for (Operation *user : tensor->getUsers())
        if (auto it = stepOf.find(user); it != stepOf.end()) {
          first = std::min(first, it->second);
          last = std::max(last, it->second);
        }
      if (last < 0)
        continue;
      auto type = cast<relax::SymbolicTensorType>(tensor.getType());
      tensors.push_back(Object{{"storage", storage->second},
                               {"offset", sizes.getLargest(tensor.getOffset())},
                               {"bytes", sizes.getBytes(type)},
                               {"type", toText(type)},
                               {"first", first},
                               {"last", last}});
    }
  }
  return Object{{"function", function.getSymName().str()},
                {"steps", std::move(steps)},
                {"storages", std::move(storages)},
                {"tensors", std::move(tensors)},
                {"symbols", sizes.getSymbols()}};
}
