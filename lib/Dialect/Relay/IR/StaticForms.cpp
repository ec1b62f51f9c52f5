//===- StaticForms.cpp - Operators with operands for attributes -----------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "relay-mlir/Dialect/Relay/IR/StaticFormInterface.h"

#include "DynOps.h"

#include "relay-mlir/Dialect/Relay/IR/RelayDynOps.h"

using namespace mlir;
using namespace mlir::relay;

#include "relay-mlir/Dialect/Relay/IR/StaticFormInterface.cpp.inc"

namespace {

/// Which operands of an operator are attributes of its static form.
template <typename OpTy>
struct Operands;

#define ATTRIBUTE_OPERANDS(OpTy, ...)                                          \
  template <>                                                                  \
  struct Operands<OpTy> {                                                      \
    static constexpr AttributeOperand value[] = {__VA_ARGS__};                 \
  };

ATTRIBUTE_OPERANDS(DynReshapeOp, {1, "newshape"})
ATTRIBUTE_OPERANDS(DynExpandDimsOp, {1, "axis"})
ATTRIBUTE_OPERANDS(DynSqueezeOp, {1, "axis"})
ATTRIBUTE_OPERANDS(DynBroadcastToOp, {1, "shape"})
ATTRIBUTE_OPERANDS(DynZerosOp, {0, "shape"})
ATTRIBUTE_OPERANDS(DynOnesOp, {0, "shape"})
ATTRIBUTE_OPERANDS(DynFullOp, {1, "shape"})
ATTRIBUTE_OPERANDS(DynOneHotOp, {3, "depth"})
ATTRIBUTE_OPERANDS(DynSparseToDenseOp, {3, "output_shape"})
ATTRIBUTE_OPERANDS(DynTileOp, {1, "reps"})
ATTRIBUTE_OPERANDS(DynStridedSliceOp, {1, "begin"}, {2, "end"}, {3, "strides"})
ATTRIBUTE_OPERANDS(DynNNPadOp, {1, "pad_width"})
ATTRIBUTE_OPERANDS(DynTopkOp, {1, "k"})
ATTRIBUTE_OPERANDS(DynNNUpsamplingOp, {1, "scale_h"}, {2, "scale_w"})
ATTRIBUTE_OPERANDS(DynNNUpsampling3dOp, {1, "scale_d"}, {2, "scale_h"},
                   {3, "scale_w"})
ATTRIBUTE_OPERANDS(DynImageResize2dOp, {1, "size"}, {2, "roi"})

template <typename OpTy>
struct StaticFormModel
    : StaticFormOpInterface::ExternalModel<StaticFormModel<OpTy>, OpTy> {
  /// The name without `dyn.`.
  StringRef getStaticName(Operation *op) const {
    StringRef name = op->getName().stripDialect();
    name.consume_front("dyn.");
    return name;
  }
  ArrayRef<AttributeOperand> getAttributeOperands(Operation *) const {
    return Operands<OpTy>::value;
  }
};

template <typename... OpTys>
void attachStaticForms(MLIRContext *context) {
  (OpTys::template attachInterface<StaticFormModel<OpTys>>(*context), ...);
}

} // namespace

void relay::detail::registerStaticForms(MLIRContext *context) {
  attachStaticForms<DynReshapeOp, DynExpandDimsOp, DynSqueezeOp,
                    DynBroadcastToOp, DynZerosOp, DynOnesOp, DynFullOp,
                    DynOneHotOp, DynSparseToDenseOp, DynTileOp,
                    DynStridedSliceOp, DynNNPadOp, DynTopkOp, DynNNUpsamplingOp,
                    DynNNUpsampling3dOp, DynImageResize2dOp>(context);
}
