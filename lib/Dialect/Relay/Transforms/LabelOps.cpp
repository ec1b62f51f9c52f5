//===- LabelOps.cpp - Label primitive functions ---------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "relay-mlir/Dialect/Relay/Transforms/Passes.h"

#include "relay-mlir/Dialect/Relay/IR/Relay.h"

#include "mlir/IR/AsmState.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/xxhash.h"

namespace mlir::relay {
#define GEN_PASS_DEF_LABELOPSPASS
#include "relay-mlir/Dialect/Relay/Transforms/Passes.h.inc"
} // namespace mlir::relay

using namespace mlir;
using namespace mlir::relay;

namespace {

/// Collects what makes functions differ, by numbers instead of names.
class Fingerprint {
public:
  explicit Fingerprint(Region &region) { add(region); }

  uint64_t getHash() const { return llvm::xxh3_64bits(text); }

private:
  void define(Value value) {
    numbers.insert({value, numbers.size()});
    os << value.getType() << ';';
  }

  /// The bytes of large constants are not in what is printed.
  void add(Attribute attribute) {
    if (auto elements = dyn_cast<DenseElementsAttr>(attribute)) {
      ArrayRef<char> data = elements.getRawData();
      os << elements.getType() << elements.isSplat()
         << llvm::xxh3_64bits(ArrayRef(
                reinterpret_cast<const uint8_t *>(data.data()), data.size()));
    } else if (auto resource = dyn_cast<DenseResourceElementsAttr>(attribute)) {
      os << resource.getType();
      if (AsmResourceBlob *blob = resource.getRawHandle().getBlob()) {
        ArrayRef<char> data = blob->getData();
        os << llvm::xxh3_64bits(ArrayRef(
            reinterpret_cast<const uint8_t *>(data.data()), data.size()));
      }
    } else {
      os << attribute;
    }
    os << ';';
  }

  void add(Region &region) {
    os << '{';
    for (Block &block : region) {
      llvm::for_each(block.getArguments(), [&](Value arg) { define(arg); });
      for (Operation &op : block) {
        os << op.getName() << '(';
        for (Value operand : op.getOperands())
          os << numbers.lookup(operand) << ',';
        os << ')';
        for (NamedAttribute attribute : op.getAttrs()) {
          os << attribute.getName().getValue() << '=';
          add(attribute.getValue());
        }
        for (Region &inner : op.getRegions())
          add(inner);
        llvm::for_each(op.getResults(), [&](Value result) { define(result); });
      }
    }
    os << '}';
  }

  DenseMap<Value, unsigned> numbers;
  std::string text;
  llvm::raw_string_ostream os{text};
};

struct LabelOpsPass final : relay::impl::LabelOpsPassBase<LabelOpsPass> {
  using Base::Base;

  void runOnOperation() override {
    getOperation().walk([&](Operation *op) {
      if (op->hasAttr(kPrimitiveAttrName) && op->getNumRegions() == 1)
        label(op);
    });
  }

private:
  void label(Operation *function) {
    Region &body = function->getRegion(0);
    NamedAttrList labels(
        function->getAttrOfType<DictionaryAttr>(kTextAttrsAttrName));
    if (body.empty() || labels.get("hash"))
      return;
    Builder builder(&getContext());
    labels.set("hash", builder.getStringAttr(llvm::utohexstr(
                           Fingerprint(body).getHash(), /*LowerCase=*/true,
                           /*Width=*/16)));
    body.walk([&](Operation *op) {
      for (NamedAttribute attribute : op->getAttrs())
        if (attribute.getName().getValue().contains("layout"))
          labels.set(attribute.getName(), attribute.getValue());
    });
    function->setAttr(kTextAttrsAttrName, labels.getDictionary(&getContext()));
    ++numLabelled;
  }
};

} // namespace
