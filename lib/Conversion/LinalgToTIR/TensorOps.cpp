//===- TensorOps.cpp - Tensor ops to views and blocks -----------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The ops that make and reorder tensors. Slices and reshapes cost nothing:
// their result is another view of the same buffer. Pads, concatenations and
// insertions write each part of their result in a block of its own, or let the
// part be computed where it belongs. Constants and generated tensors become
// blocks, too.
//
//===----------------------------------------------------------------------===//

#include "KernelLowering.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "relay-mlir/Dialect/TIR/IR/Access.h"
#include "relay-mlir/Dialect/TIR/IR/LoopNest.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::tir;

LogicalResult KernelLowering::convert(Operation &op) {
  auto isTensor = [](Type type) { return isa<TensorType>(type); };
  return llvm::TypeSwitch<Operation *, LogicalResult>(&op)
      .Case([&](linalg::LinalgOp linalgOp) { return convertLinalg(linalgOp); })
      .Case([&](OpaqueOp opaque) { return convertOpaque(opaque); })
      .Case(
          [&](arith::ConstantOp constant) { return convertConstant(constant); })
      .Case([&](tensor::EmptyOp empty) {
        views[empty] = TensorView::ofNothing(remap(empty.getMixedSizes()),
                                             empty.getContext());
        return success();
      })
      .Case([&](tensor::SplatOp splat) {
        SmallVector<OpFoldResult> sizes =
            remap(getMixedValues(splat.getType().getShape(),
                                 splat.getDynamicSizes(), op.getContext()));
        views[splat] = TensorView::ofScalar(scalars.lookup(splat.getInput()),
                                            sizes, op.getContext());
        return success();
      })
      .Case([&](tensor::CastOp cast) -> LogicalResult {
        if (!isa<RankedTensorType>(cast.getType()))
          return cast.emitOpError("expects a ranked result, but got ")
                 << cast.getType();
        TensorView view = lookup(cast.getSource());
        // What the type says now is a fact: keep it as a size.
        for (auto [size, dim] :
             llvm::zip(view.sizes,
                       llvm::cast<RankedTensorType>(cast.getType()).getShape()))
          if (!ShapedType::isDynamic(dim))
            size = builder.getIndexAttr(dim);
        views[cast.getResult()] = view;
        return success();
      })
      // Sizes are for the caller to check.
      .Case([&](cf::AssertOp) { return success(); })
      .Case([&](tensor::DimOp dim) -> LogicalResult {
        std::optional<int64_t> index = dim.getConstantIndex();
        if (!index)
          return dim.emitOpError("expects a constant dimension");
        scalars.map(
            dim.getResult(),
            materialize(op.getLoc(), lookup(dim.getSource()).sizes[*index]));
        return success();
      })
      .Case([&](tensor::ExtractOp extract) {
        // A scalar that the whole kernel shares.
        clonePayloadOp(op, scalars, Domain{});
        return success();
      })
      .Case([&](tensor::PadOp pad) { return convertPad(pad); })
      .Case([&](tensor::ConcatOp concat) { return convertConcat(concat); })
      .Case([&](tensor::InsertSliceOp slice) {
        return convertInsertSlice(slice);
      })
      .Case([&](tensor::ExtractSliceOp slice) {
        return convertExtractSlice(slice);
      })
      .Case([&](tensor::ExpandShapeOp expand) {
        return convertExpandShape(expand);
      })
      .Case([&](tensor::CollapseShapeOp collapse) {
        return convertCollapseShape(collapse);
      })
      .Case([&](tensor::FromElementsOp elements) {
        return convertFromElements(elements);
      })
      .Case([&](tensor::GenerateOp generate) {
        return convertGenerate(generate);
      })
      .Default([&](Operation *scalar) -> LogicalResult {
        if (llvm::any_of(scalar->getOperandTypes(), isTensor) ||
            llvm::any_of(scalar->getResultTypes(), isTensor) ||
            scalar->getNumRegions() != 0)
          return scalar->emitOpError("has no conversion to tir");
        builder.clone(*scalar, scalars);
        return success();
      });
}

/// The index of row-major element `linear`.
static AffineMap getConstantIndex(int64_t linear, ArrayRef<int64_t> strides,
                                  Builder &builder) {
  SmallVector<AffineExpr> index;
  for (int64_t position : delinearize(linear, strides))
    index.push_back(builder.getAffineConstantExpr(position));
  return AffineMap::get(0, 0, index, builder.getContext());
}

LogicalResult KernelLowering::convertConstant(arith::ConstantOp op) {
  auto type = dyn_cast<RankedTensorType>(op.getType());
  if (!type) {
    builder.clone(*op, scalars);
    return success();
  }
  auto elements = dyn_cast<DenseElementsAttr>(op.getValue());
  if (!elements)
    return op.emitOpError("expects tensors that are not dense to be arguments "
                          "of the function");
  SmallVector<OpFoldResult> sizes =
      getAsIndexOpFoldResult(op.getContext(), type.getShape());
  auto createScalar = [&](OpBuilder &b, Attribute value) -> Value {
    return arith::ConstantOp::create(b, op.getLoc(), cast<TypedAttr>(value));
  };
  if (elements.isSplat()) {
    views[op] = TensorView::ofScalar(
        createScalar(builder, elements.getSplatValue<Attribute>()), sizes,
        op.getContext());
    return success();
  }
  // A small table is written by one block; a large one is a weight.
  constexpr int64_t kMaxElements = 64;
  if (elements.getNumElements() > kMaxElements)
    return op.emitOpError("expects constants of more than ")
           << kMaxElements << " elements to be arguments of the function";
  Value buffer = AllocBufferOp::create(
      builder, op.getLoc(),
      MemRefType::get(type.getShape(), type.getElementType()));
  TensorView view = TensorView::ofBuffer(buffer, sizes);
  SmallVector<int64_t> strides = computeStrides(type.getShape());
  buildNest(op.getLoc(), getBlockName(op, "constant"), {}, {},
            [&](OpBuilder &body, BlockOp) {
              for (auto [linear, value] :
                   llvm::enumerate(elements.getValues<Attribute>()))
                storeElement(body, op.getLoc(), createScalar(body, value), view,
                             getConstantIndex(linear, strides, body), Domain{});
            });
  views[op] = view;
  return success();
}

Value KernelLowering::cloneElement(Block &payload, Domain domain) {
  IRMapping mapping = scalars;
  mapping.map(payload.getArguments(), domain.iterVars);
  clonePayload(payload, mapping, domain);
  return mapping.lookupOrDefault(payload.getTerminator()->getOperand(0));
}

LogicalResult KernelLowering::convertPad(tensor::PadOp op) {
  Location loc = op.getLoc();
  const TensorView source = lookupElements(op.getSource());
  SmallVector<OpFoldResult> low = remap(op.getMixedLowPad());
  SmallVector<OpFoldResult> high = remap(op.getMixedHighPad());
  unsigned rank = source.sizes.size();

  SmallVector<OpFoldResult> extents;
  for (unsigned i = 0; i != rank; ++i)
    extents.push_back(add(loc, add(loc, low[i], source.sizes[i]), high[i]));
  TensorView result = createResult(op.getResult(), extents);

  // Symbols of the guard and of the shifted index: low pads and sizes.
  SmallVector<Value> symbols;
  auto getExpr = [&](OpFoldResult value) -> AffineExpr {
    if (std::optional<int64_t> constant = getConstantIntValue(value))
      return builder.getAffineConstantExpr(*constant);
    symbols.push_back(cast<Value>(value));
    return builder.getAffineSymbolExpr(symbols.size() - 1);
  };
  SmallVector<AffineExpr> constraints, index;
  for (unsigned i = 0; i != rank; ++i) {
    AffineExpr position = builder.getAffineDimExpr(i) - getExpr(low[i]);
    index.push_back(position);
    if (getConstantIntValue(low[i]) != 0)
      constraints.push_back(position);
    if (getConstantIntValue(high[i]) != 0)
      constraints.push_back(getExpr(source.sizes[i]) - 1 - position);
  }
  AffineMap shift =
      AffineMap::get(rank, symbols.size(), index, op.getContext());
  TensorView shifted = source.compose(shift, symbols, extents);

  SmallVector<IterKind> kinds(rank, IterKind::Spatial);
  buildNest(
      loc, getBlockName(op, "pad"), kinds, extents,
      [&](OpBuilder &body, BlockOp block) {
        OpBuilder::InsertionGuard guard(builder);
        builder.restoreInsertionPoint(body.saveInsertionPoint());
        Domain domain{block.getIterVars(), extents};
        AffineMap identity = builder.getMultiDimIdentityMap(rank);
        if (constraints.empty()) {
          storeElement(builder, loc,
                       loadElement(builder, loc, shifted, identity, domain),
                       result, identity, domain);
          return;
        }
        SmallVector<Value> operands(block.getIterVars().begin(),
                                    block.getIterVars().end());
        llvm::append_range(operands, symbols);
        SmallVector<bool> isEquality(constraints.size(), false);
        auto inside = affine::AffineIfOp::create(
            builder, loc, TypeRange(op.getSourceType().getElementType()),
            IntegerSet::get(rank, symbols.size(), constraints, isEquality),
            operands, /*withElseRegion=*/true);
        {
          OpBuilder::InsertionGuard branch(builder);
          builder.setInsertionPointToEnd(inside.getThenBlock());
          affine::AffineYieldOp::create(
              builder, loc,
              loadElement(builder, loc, shifted, identity, domain));
          builder.setInsertionPointToEnd(inside.getElseBlock());
          affine::AffineYieldOp::create(
              builder, loc, cloneElement(op.getRegion().front(), domain));
        }
        storeElement(builder, loc, inside.getResult(0), result, identity,
                     domain);
      });
  return success();
}

/// The part of `view` at `offsets`, with `strides`, as a view of `sizes`.
static TensorView getSlice(const TensorView &view,
                           ArrayRef<OpFoldResult> offsets,
                           ArrayRef<OpFoldResult> strides,
                           const llvm::SmallBitVector &dropped,
                           ArrayRef<OpFoldResult> sizes, Builder &builder) {
  SmallVector<Value> symbols;
  auto getExpr = [&](OpFoldResult value) -> AffineExpr {
    if (std::optional<int64_t> constant = getConstantIntValue(value))
      return builder.getAffineConstantExpr(*constant);
    symbols.push_back(cast<Value>(value));
    return builder.getAffineSymbolExpr(symbols.size() - 1);
  };
  SmallVector<AffineExpr> exprs;
  unsigned next = 0;
  for (unsigned i = 0, e = offsets.size(); i != e; ++i) {
    AffineExpr expr = getExpr(offsets[i]);
    if (!dropped.test(i))
      expr = builder.getAffineDimExpr(next++) * getExpr(strides[i]) + expr;
    exprs.push_back(expr);
  }
  AffineMap map =
      AffineMap::get(next, symbols.size(), exprs, builder.getContext());
  return view.compose(map, symbols, sizes);
}

LogicalResult KernelLowering::convertConcat(tensor::ConcatOp op) {
  Location loc = op.getLoc();
  int64_t dim = op.getDim();
  SmallVector<OpFoldResult> sizes = lookup(op.getInputs().front()).sizes;
  for (Value input : op.getInputs().drop_front())
    sizes[dim] = add(loc, sizes[dim], lookup(input).sizes[dim]);
  if (llvm::none_of(op.getInputs(),
                    [&](Value input) { return lookup(input).hasElements(); })) {
    views[op] = TensorView::ofNothing(sizes, op.getContext());
    return success();
  }
  TensorView result = createResult(op.getResult(), sizes);

  unsigned rank = sizes.size();
  SmallVector<OpFoldResult> offsets(rank, builder.getIndexAttr(0));
  SmallVector<OpFoldResult> strides(rank, builder.getIndexAttr(1));
  std::string name = getBlockName(op, "concatenate");
  for (Value input : op.getInputs()) {
    const TensorView source = lookupElements(input);
    bool isInPlace = parts.contains(input) && source.buffer == result.buffer;
    if (!isInPlace)
      copy(loc, name, source,
           getSlice(result, offsets, strides, llvm::SmallBitVector(rank),
                    source.sizes, builder),
           source.sizes);
    offsets[dim] = add(loc, offsets[dim], source.sizes[dim]);
  }
  return success();
}

LogicalResult KernelLowering::convertInsertSlice(tensor::InsertSliceOp op) {
  const TensorView destination = lookup(op.getDest());
  const TensorView source = lookupElements(op.getSource());
  TensorView result = createResult(op.getResult(), destination.sizes);
  std::string name = getBlockName(op, "insert_slice");
  if (destination.hasElements())
    copy(op.getLoc(), name, destination, result, destination.sizes);
  TensorView slice =
      getSlice(result, remap(op.getMixedOffsets()), remap(op.getMixedStrides()),
               op.getDroppedDims(), source.sizes, builder);
  copy(op.getLoc(), name, source, slice, source.sizes);
  return success();
}

LogicalResult KernelLowering::convertExtractSlice(tensor::ExtractSliceOp op) {
  llvm::SmallBitVector dropped = op.getDroppedDims();
  SmallVector<OpFoldResult> sizes;
  for (auto [dim, size] : llvm::enumerate(remap(op.getMixedSizes())))
    if (!dropped.test(dim))
      sizes.push_back(size);
  views[op] = getSlice(lookup(op.getSource()), remap(op.getMixedOffsets()),
                       remap(op.getMixedStrides()), dropped, sizes, builder);
  return success();
}

LogicalResult KernelLowering::convertExpandShape(tensor::ExpandShapeOp op) {
  SmallVector<OpFoldResult> sizes = remap(op.getMixedOutputShape());
  SizedMap index =
      getCollapsedIndex(op.getReassociationIndices(), sizes, op.getContext());
  views[op] = lookup(op.getSrc()).compose(index.map, index.symbols, sizes);
  return success();
}

LogicalResult KernelLowering::convertCollapseShape(tensor::CollapseShapeOp op) {
  const TensorView source = lookup(op.getSrc());
  SmallVector<OpFoldResult> sizes;
  for (ArrayRef<int64_t> group : op.getReassociationIndices()) {
    AffineExpr product = builder.getAffineConstantExpr(1);
    SmallVector<OpFoldResult> factors;
    for (int64_t dim : group) {
      product = product * builder.getAffineSymbolExpr(factors.size());
      factors.push_back(source.sizes[dim]);
    }
    sizes.push_back(affine::makeComposedFoldedAffineApply(
        builder, op.getLoc(), AffineMap::get(0, factors.size(), product),
        factors));
  }
  SizedMap index = getExpandedIndex(op.getReassociationIndices(), source.sizes,
                                    op.getContext());
  views[op] = source.compose(index.map, index.symbols, sizes);
  return success();
}

LogicalResult KernelLowering::convertFromElements(tensor::FromElementsOp op) {
  SmallVector<OpFoldResult> sizes =
      getAsIndexOpFoldResult(op.getContext(), op.getType().getShape());
  if (op.getElements().size() == 1) {
    views[op] = TensorView::ofScalar(scalars.lookup(op.getElements().front()),
                                     sizes, op.getContext());
    return success();
  }
  TensorView result = createResult(op.getResult(), sizes);
  SmallVector<int64_t> strides = computeStrides(op.getType().getShape());
  buildNest(op.getLoc(), getBlockName(op, "from_elements"), {}, {},
            [&](OpBuilder &body, BlockOp block) {
              for (auto [linear, element] : llvm::enumerate(op.getElements()))
                storeElement(body, op.getLoc(), scalars.lookup(element), result,
                             getConstantIndex(linear, strides, body), Domain{});
            });
  return success();
}

LogicalResult KernelLowering::convertGenerate(tensor::GenerateOp op) {
  Location loc = op.getLoc();
  SmallVector<OpFoldResult> sizes =
      remap(getMixedValues(cast<RankedTensorType>(op.getType()).getShape(),
                           op.getDynamicExtents(), op.getContext()));
  TensorView result = createResult(op.getResult(), sizes);
  SmallVector<IterKind> kinds(sizes.size(), IterKind::Spatial);
  buildNest(loc, getBlockName(op, "generate"), kinds, sizes,
            [&](OpBuilder &body, BlockOp block) {
              OpBuilder::InsertionGuard guard(builder);
              builder.restoreInsertionPoint(body.saveInsertionPoint());
              Domain domain{block.getIterVars(), sizes};
              storeElement(
                  builder, loc, cloneElement(op.getRegion().front(), domain),
                  result, builder.getMultiDimIdentityMap(sizes.size()), domain);
            });
  return success();
}
