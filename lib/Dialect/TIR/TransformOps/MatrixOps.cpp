//===- MatrixOps.cpp - Transform ops for matrix units ---------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Payload.h"
#include "relay-mlir/Dialect/TIR/TransformOps/TIRTransformOps.h"

using namespace mlir;
using namespace mlir::tir;
using namespace mlir::tir::transform_ops;

/// The nest of the block goes away.
void MatrixTilesOp::getEffects(
    SmallVectorImpl<MemoryEffects::EffectInstance> &effects) {
  transform::consumesHandle((*this)->getOpOperands(), effects);
  transform::modifiesPayload(effects);
}

static constexpr std::pair<StringLiteral, DotKind> kUnits[] = {
    {"amx", DotKind::None},
    {"pmaddwd", DotKind::Pairs},
    {"pmaddubsw", DotKind::SmallQuads},
    {"vpdpbusd", DotKind::Quads},
    {"dotprod", DotKind::NeonQuads}};

static std::optional<DotKind> parseUnit(StringRef name) {
  for (auto [unit, kind] : kUnits)
    if (unit == name)
      return kind;
  return std::nullopt;
}

static StringRef getUnitName(DotKind kind) {
  for (auto [unit, other] : kUnits)
    if (other == kind)
      return unit;
  llvm_unreachable("every kind has a name");
}

void MatrixTilesOp::build(OpBuilder &builder, OperationState &state,
                          Value block, const MatrixTileOptions &options) {
  build(builder, state, block, getUnitName(options.dot),
        {options.tileRows, options.tileColumns}, options.panelRows,
        options.numPieces, options.dotLanes * 32,
        /*swap=*/!options.isRightWeights, options.isMerged, options.alongLines,
        options.columnsFirst, options.addsBatches, options.isParallel);
}

LogicalResult MatrixTilesOp::verify() {
  std::optional<DotKind> unit = parseUnit(getUnit());
  if (!unit) {
    InFlightDiagnostic error = emitOpError("expects a unit of ");
    llvm::interleaveComma(kUnits, error, [&](const auto &entry) {
      error << '"' << entry.first << '"';
    });
    return error << ", but got " << getUnitAttr();
  }
  if (getTile().size() != 2 || getTile()[0] < 1 || getTile()[1] < 1)
    return emitOpError("expects a tile of rows and columns, but got [")
           << getTile() << "]";
  if (getPanelRows() < 1 ||
      (!getAlongLines() && getPanelRows() % getTile()[0] != 0))
    return emitOpError("expects panels of a multiple of ")
           << getTile()[0] << " rows, but got " << getPanelRows();
  if (getPieces() < 1 || getPieces() > 3)
    return emitOpError("expects 1 to 3 pieces, but got ") << getPieces();
  if (getColumnsFirst() && getAddBatches())
    return emitOpError(
        "expects columns_first or add_batches, which has all rows "
        "of a batch first, but got both");
  int64_t bits = getVectorBits();
  auto expects = [&](StringRef what) {
    return emitOpError("expects ") << what << " vector_bits for "
                                   << getUnitAttr() << ", but got " << bits;
  };
  if (*unit == DotKind::None)
    return bits == 0 ? success() : LogicalResult(expects("no"));
  if (*unit == DotKind::NeonQuads)
    return bits == 128 ? success() : LogicalResult(expects("128"));
  return bits == 256 || bits == 512 ? success()
                                    : LogicalResult(expects("256 or 512"));
}

DiagnosedSilenceableFailure
MatrixTilesOp::apply(transform::TransformRewriter &rewriter,
                     transform::TransformResults &,
                     transform::TransformState &state) {
  MatrixTileOptions options;
  options.isRightWeights = !getSwap();
  options.isMerged = getMergeWindow();
  options.numPieces = getPieces();
  options.dot = *parseUnit(getUnit());
  options.dotLanes = getVectorBits() / 32;
  options.tileRows = getTile()[0];
  options.tileColumns = getTile()[1];
  options.alongLines = getAlongLines();
  options.columnsFirst = getColumnsFirst();
  options.addsBatches = getAddBatches();
  options.panelRows = getPanelRows();
  options.isParallel = getParallel();
  return applyToBlock(*this, state, [&](BlockOp block) {
    return tileMatrix(rewriter, block, options);
  });
}
