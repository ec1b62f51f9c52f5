//===- KernelLowering.cpp - One function to one kernel ----------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Turns one function of linalg on tensors into a kernel. First each result of
// the function gets an output argument as its destination, which is handed on
// to whatever computes the result, so that it is computed in place
// (`assignDestination`). Then the ops are converted one by one:
// StructuredOps.cpp, OpaqueOps.cpp and TensorOps.cpp. A tensor is then a
// TensorView: a buffer and how the tensor's elements are found in it.
//
//===----------------------------------------------------------------------===//

#include "KernelLowering.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "relay-mlir/Dialect/TIR/IR/KernelAttributes.h"
#include "relay-mlir/Dialect/TIR/IR/LoopNest.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::tir;

static MemRefType getBufferType(Type tensorType) {
  auto type = cast<RankedTensorType>(tensorType);
  return MemRefType::get(type.getShape(), type.getElementType());
}

//===----------------------------------------------------------------------===//
// Function
//===----------------------------------------------------------------------===//

FailureOr<PrimFuncOp> KernelLowering::run() {
  SmallVector<Type> types;
  for (TypeRange range : {TypeRange(function.getArgumentTypes()),
                          TypeRange(function.getResultTypes())})
    for (Type type : range) {
      if (!isa<RankedTensorType>(type))
        return function.emitOpError("expects ranked tensors to become a "
                                    "kernel, but got ")
               << type;
      types.push_back(getBufferType(type));
    }

  Location loc = function.getLoc();
  builder.setInsertionPoint(function);
  kernel = PrimFuncOp::create(builder, loc, function.getSymName(), types,
                              function.getNumResults());
  for (NamedAttribute attr : function->getDiscardableAttrs())
    if (attr.getNameDialect() == kernel->getDialect())
      kernel->setDiscardableAttr(attr.getName(), attr.getValue());
  builder.setInsertionPointToStart(kernel.getBody());

  for (auto [argument, buffer] :
       llvm::zip(function.getArguments(), kernel.getArguments())) {
    SmallVector<OpFoldResult> sizes;
    auto type = cast<MemRefType>(buffer.getType());
    for (auto [dim, size] : llvm::enumerate(type.getShape())) {
      if (ShapedType::isDynamic(size))
        sizes.push_back(
            memref::DimOp::create(builder, loc, buffer, dim).getResult());
      else
        sizes.push_back(builder.getIndexAttr(size));
    }
    views[argument] = TensorView::ofBuffer(buffer, sizes);
  }

  Operation *terminator = function.getBody().front().getTerminator();
  for (auto [result, output] :
       llvm::zip(terminator->getOperands(), kernel.getOutputs())) {
    int64_t rank = cast<MemRefType>(output.getType()).getRank();
    SmallVector<OpFoldResult> unknown(rank, builder.getIndexAttr(0));
    assignDestination(result, TensorView::ofBuffer(output, unknown));
  }

  for (Operation &op : function.getBody().front().without_terminator())
    if (failed(convert(op))) {
      kernel.erase();
      return failure();
    }

  // A result that no op of the kernel computed in place: an argument, a slice,
  // a value that is returned twice.
  for (auto [result, output] :
       llvm::zip(terminator->getOperands(), kernel.getOutputs())) {
    TensorView view = lookupElements(result);
    if (view.buffer == output)
      continue;
    copy(terminator->getLoc(), "copy", view,
         TensorView::ofBuffer(output, view.sizes), view.sizes);
  }
  return kernel;
}

bool KernelLowering::assignDestination(Value tensor,
                                       const TensorView &destination) {
  Operation *op = tensor.getDefiningOp();
  if (!op || destinations.contains(tensor))
    return false;

  auto assign = [&] {
    destinations[tensor] = destination;
    return true;
  };
  auto hasStaticInnerSizes = [](ArrayRef<SmallVector<int64_t, 2>> groups,
                                ArrayRef<int64_t> shape) {
    return llvm::all_of(groups, [&](ArrayRef<int64_t> group) {
      return llvm::none_of(
          group.drop_front(group.empty() ? 0 : 1),
          [&](int64_t dim) { return ShapedType::isDynamic(shape[dim]); });
    });
  };
  auto reshape = [&](Value source, const SizedMap &index) {
    SmallVector<OpFoldResult> unknown(
        cast<RankedTensorType>(source.getType()).getRank(),
        builder.getIndexAttr(0));
    return assignDestination(
        source, destination.compose(index.map, index.symbols, unknown));
  };

  return llvm::TypeSwitch<Operation *, bool>(op)
      .Case<linalg::LinalgOp, tensor::PadOp, tensor::InsertSliceOp,
            tensor::FromElementsOp, tensor::GenerateOp>(
          [&](auto) { return assign(); })
      .Case([&](OpaqueOp) {
        // Its body knows nothing of maps.
        return destination.map.isIdentity() &&
               destination.buffer.getType() ==
                   getBufferType(tensor.getType()) &&
               assign();
      })
      .Case([&](tensor::CastOp cast) {
        return assignDestination(cast.getSource(), destination);
      })
      .Case([&](tensor::ExpandShapeOp expand) {
        auto type = expand.getResultType();
        auto groups = expand.getReassociationIndices();
        return hasStaticInnerSizes(groups, type.getShape()) &&
               reshape(
                   expand.getSrc(),
                   getExpandedIndex(groups,
                                    getAsIndexOpFoldResult(builder.getContext(),
                                                           type.getShape()),
                                    builder.getContext()));
      })
      .Case([&](tensor::CollapseShapeOp collapse) {
        auto type = collapse.getSrcType();
        auto groups = collapse.getReassociationIndices();
        return hasStaticInnerSizes(groups, type.getShape()) &&
               reshape(
                   collapse.getSrc(),
                   getCollapsedIndex(groups,
                                     getAsIndexOpFoldResult(
                                         builder.getContext(), type.getShape()),
                                     builder.getContext()));
      })
      .Case([&](tensor::ConcatOp concat) {
        // Operands computed for the concatenation alone are written in place.
        int64_t dim = concat.getDim(), offset = 0;
        for (Value operand : concat.getInputs()) {
          auto type = cast<RankedTensorType>(operand.getType());
          if (operand.hasOneUse()) {
            AffineMap shift = AffineMap::getMultiDimIdentityMap(
                type.getRank(), builder.getContext());
            SmallVector<AffineExpr> exprs(shift.getResults());
            exprs[dim] = exprs[dim] + offset;
            shift =
                AffineMap::get(type.getRank(), 0, exprs, builder.getContext());
            if (assignDestination(
                    operand, destination.compose(shift, {}, destination.sizes)))
              parts.insert(operand);
          }
          if (type.isDynamicDim(dim))
            break;
          offset += type.getDimSize(dim);
        }
        return assign();
      })
      .Default([](Operation *) { return false; });
}

TensorView KernelLowering::createResult(Value tensor,
                                        ArrayRef<OpFoldResult> sizes) {
  auto it = destinations.find(tensor);
  TensorView view;
  if (it != destinations.end()) {
    view = it->second;
    view.sizes = llvm::to_vector(sizes);
  } else {
    MemRefType type = getBufferType(tensor.getType());
    SmallVector<Value> dynamicSizes;
    for (auto [dim, size] : llvm::enumerate(sizes))
      if (type.isDynamicDim(dim))
        dynamicSizes.push_back(materialize(tensor.getLoc(), size));
    Value buffer =
        AllocBufferOp::create(builder, tensor.getLoc(), type, dynamicSizes);
    view = TensorView::ofBuffer(buffer, sizes);
  }
  views[tensor] = view;
  return view;
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

TensorView KernelLowering::lookupElements(Value tensor) {
  const TensorView &view = lookup(tensor);
  if (view.hasElements())
    return view;
  Value zero = arith::ConstantOp::create(
      builder, tensor.getLoc(),
      builder.getZeroAttr(getElementTypeOrSelf(tensor.getType())));
  return TensorView::ofScalar(zero, view.sizes, builder.getContext());
}

SmallVector<OpFoldResult> KernelLowering::remap(ArrayRef<OpFoldResult> values) {
  return llvm::map_to_vector(values, [&](OpFoldResult value) -> OpFoldResult {
    if (auto operand = dyn_cast<Value>(value))
      return getAsOpFoldResult(scalars.lookup(operand));
    return value;
  });
}

Value KernelLowering::materialize(Location loc, OpFoldResult value) {
  if (auto operand = dyn_cast<Value>(value))
    return operand;
  return arith::ConstantIndexOp::create(builder, loc,
                                        *getConstantIntValue(value));
}

OpFoldResult KernelLowering::add(Location loc, OpFoldResult lhs,
                                 OpFoldResult rhs) {
  return affine::makeComposedFoldedAffineApply(
      builder, loc,
      builder.getAffineSymbolExpr(0) + builder.getAffineSymbolExpr(1),
      {lhs, rhs});
}

std::string KernelLowering::getBlockName(StringRef prefix) {
  unsigned &suffix = suffixes[prefix];
  auto getName = [&] {
    return suffix == 0 ? prefix.str() : (prefix + "_" + Twine(suffix)).str();
  };
  std::string name = getName();
  while (blockNames.contains(name)) {
    ++suffix;
    name = getName();
  }
  return name;
}

std::string KernelLowering::getBlockName(Operation *op, StringRef fallback) {
  auto hint = op->getAttrOfType<StringAttr>(tir::kBlockNameAttr);
  return getBlockName(hint ? hint.getValue() : fallback);
}

void KernelLowering::buildNest(
    Location loc, StringRef name, ArrayRef<IterKind> kinds,
    ArrayRef<OpFoldResult> extents,
    function_ref<void(OpBuilder &, BlockOp)> buildBody) {
  blockNames.insert(name);
  buildBlockNest(builder, loc, name, kinds, extents, buildBody);
}

void KernelLowering::copy(Location loc, StringRef name,
                          const TensorView &source,
                          const TensorView &destination,
                          ArrayRef<OpFoldResult> extents) {
  SmallVector<IterKind> kinds(extents.size(), IterKind::Spatial);
  buildNest(loc, getBlockName(name), kinds, extents,
            [&](OpBuilder &body, BlockOp block) {
              Domain domain{block.getIterVars(), extents};
              AffineMap index = body.getMultiDimIdentityMap(extents.size());
              Value value = loadElement(body, loc, source, index, domain);
              storeElement(body, loc, value, destination, index, domain);
            });
}
