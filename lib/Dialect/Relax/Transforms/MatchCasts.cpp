//===- MatchCasts.cpp - Stated sizes as checks ----------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MatchCasts.h"

#include "mlir/IR/AttrTypeSubElements.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace mlir::relax;

namespace {

/// The symbols of one function, and what those are that casts bind.
class CastResolver {
public:
  explicit CastResolver(FuncOp func) : func(func), scope(func.getContext()) {}

  LogicalResult run();

private:
  void bindSymbols();
  LogicalResult replace(MatchCastOp cast);
  /// The sizes of a type without symbols that casts bind.
  SmallVector<AffineExpr> resolve(ShapeAttr shape);

  FuncOp func;
  SymbolScope scope;
  DenseMap<AffineExpr, AffineExpr> values;
};

} // namespace

SmallVector<AffineExpr> CastResolver::resolve(ShapeAttr shape) {
  return llvm::map_to_vector(scope.import(shape), [&](AffineExpr size) {
    return canonicalizeSymbolicExpr(size.replace(values));
  });
}

void CastResolver::bindSymbols() {
  DenseSet<AffineExpr> bound;
  for (StringAttr symbol : func.getSymbols())
    bound.insert(scope.getSymbol(symbol));
  for (Operation &op : func.getBody().front()) {
    if (std::optional<ExtremeSize> size = ExtremeSize::of(&op))
      bound.insert(scope.getSymbol(size->symbol));
    auto cast = dyn_cast<MatchCastOp>(op);
    if (!cast)
      continue;
    SmallVector<AffineExpr> sizes =
        resolve(cast.getSource().getType().getShape());
    ShapeAttr shape = cast.getType().getShape();
    for (auto [dim, size] : llvm::enumerate(sizes))
      if (StringAttr symbol = shape.getBareSymbol(dim))
        if (AffineExpr name = scope.getSymbol(symbol);
            bound.insert(name).second)
          values[name] = size;
  }
}

LogicalResult CastResolver::replace(MatchCastOp cast) {
  SymbolicTensorType source = cast.getSource().getType();
  OpBuilder builder(cast);
  SmallVector<AffineExpr> sizes = scope.import(source.getShape()), expected,
                          actual;
  for (auto [size, other] :
       llvm::zip_equal(sizes, scope.import(cast.getType().getShape()))) {
    std::optional<int64_t> difference = Polynomial(size - other).getConstant();
    if (difference == 0)
      continue;
    if (difference)
      return cast.emitOpError() << "expects sizes that can be equal to those "
                                   "of the source, "
                                << source << ", but got " << cast.getType();
    expected.push_back(other);
    actual.push_back(size);
  }
  if (!expected.empty())
    AssertEqualOp::create(builder, cast.getLoc(), scope.makeShape(actual),
                          scope.makeShape(expected));
  Value result = cast.getSource();
  if (source != cast.getType())
    result = ReshapeOp::create(builder, cast.getLoc(), cast.getType(), result);
  cast.replaceAllUsesWith(result);
  cast.erase();
  return success();
}

LogicalResult CastResolver::run() {
  SmallVector<MatchCastOp> casts(func.getBody().getOps<MatchCastOp>());
  if (casts.empty())
    return success();
  bindSymbols();
  AttrTypeReplacer replacer;
  replacer.addReplacement([&](ShapeAttr shape) -> Attribute {
    return scope.makeShape(resolve(shape));
  });
  replacer.recursivelyReplaceElementsIn(func, /*replaceAttrs=*/true,
                                        /*replaceLocs=*/false,
                                        /*replaceTypes=*/true);
  for (MatchCastOp cast : casts)
    if (failed(replace(cast)))
      return failure();
  return success();
}

LogicalResult relax::resolveMatchCasts(FuncOp func) {
  return CastResolver(func).run();
}
