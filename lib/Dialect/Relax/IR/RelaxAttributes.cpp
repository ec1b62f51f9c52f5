//===- RelaxAttributes.cpp - Shapes and types of the relax dialect --------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/IR/DialectImplementation.h"
#include "relay-mlir/Dialect/Relax/IR/Relax.h"
#include "llvm/ADT/SmallBitVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::relax;

//===----------------------------------------------------------------------===//
// Reading and writing expressions
//===----------------------------------------------------------------------===//

namespace {

/// Parses expressions with the usual precedence: `*`, `floordiv`, `ceildiv`
/// and `mod` bind tighter than `+` and `-`.
class ExprParser {
public:
  explicit ExprParser(AsmParser &parser) : parser(parser) {}

  FailureOr<AffineExpr> parseSum() {
    FailureOr<AffineExpr> sum = parseProduct();
    while (succeeded(sum)) {
      bool minus = false;
      if (failed(parser.parseOptionalPlus())) {
        if (failed(parser.parseOptionalMinus()))
          break;
        minus = true;
      }
      FailureOr<AffineExpr> term = parseProduct();
      if (failed(term))
        return failure();
      sum = minus ? *sum - *term : *sum + *term;
    }
    return sum;
  }

  ArrayRef<StringAttr> getNames() const { return names; }

private:
  FailureOr<AffineExpr> parseProduct() {
    FailureOr<AffineExpr> product = parseFactor();
    while (succeeded(product)) {
      AffineExprKind kind;
      SMLoc loc = parser.getCurrentLocation();
      if (succeeded(parser.parseOptionalStar()))
        kind = AffineExprKind::Mul;
      else if (succeeded(parser.parseOptionalKeyword("floordiv")))
        kind = AffineExprKind::FloorDiv;
      else if (succeeded(parser.parseOptionalKeyword("ceildiv")))
        kind = AffineExprKind::CeilDiv;
      else if (succeeded(parser.parseOptionalKeyword("mod")))
        kind = AffineExprKind::Mod;
      else
        break;
      FailureOr<AffineExpr> factor = parseFactor();
      if (failed(factor))
        return failure();
      if (kind != AffineExprKind::Mul) {
        auto divisor = dyn_cast<AffineConstantExpr>(*factor);
        if (divisor && divisor.getValue() <= 0)
          return parser.emitError(loc, "expects a positive divisor, but got ")
                     << divisor.getValue(),
                 failure();
      }
      product = getAffineBinaryOpExpr(kind, *product, *factor);
    }
    return product;
  }

  FailureOr<AffineExpr> parseFactor() {
    MLIRContext *context = parser.getContext();
    if (succeeded(parser.parseOptionalLParen())) {
      FailureOr<AffineExpr> sum = parseSum();
      if (failed(sum) || failed(parser.parseRParen()))
        return failure();
      return sum;
    }
    int64_t integer;
    OptionalParseResult isInteger = parser.parseOptionalInteger(integer);
    if (isInteger.has_value()) {
      if (failed(*isInteger))
        return failure();
      return getAffineConstantExpr(integer, context);
    }
    if (succeeded(parser.parseOptionalMinus())) {
      FailureOr<AffineExpr> factor = parseFactor();
      if (failed(factor))
        return failure();
      return -*factor;
    }
    std::string name;
    SMLoc loc = parser.getCurrentLocation();
    if (failed(parser.parseOptionalKeywordOrString(&name)))
      return parser.emitError(loc, "expects a size: an integer, a symbol or an "
                                   "expression over them"),
             failure();
    auto nameAttr = StringAttr::get(context, name);
    auto it = llvm::find(names, nameAttr);
    unsigned position = std::distance(names.begin(), it);
    if (it == names.end())
      names.push_back(nameAttr);
    return getAffineSymbolExpr(position, context);
  }

  AsmParser &parser;
  SmallVector<StringAttr> names;
};

/// Prints canonical expressions: coefficients first, `a - b` for `a + b * -1`.
class ExprPrinter {
public:
  ExprPrinter(raw_ostream &os, ArrayRef<StringAttr> names)
      : os(os), names(names) {}

  void print(AffineExpr expr, bool parenthesize = false) {
    if (auto constant = dyn_cast<AffineConstantExpr>(expr)) {
      os << constant.getValue();
      return;
    }
    if (auto symbol = dyn_cast<AffineSymbolExpr>(expr)) {
      printName(names[symbol.getPosition()]);
      return;
    }
    auto binary = cast<AffineBinaryOpExpr>(expr);
    if (parenthesize)
      os << '(';
    if (expr.getKind() == AffineExprKind::Add)
      printSum(binary);
    else
      printProduct(binary);
    if (parenthesize)
      os << ')';
  }

private:
  static bool isSum(AffineExpr expr) {
    return expr.getKind() == AffineExprKind::Add;
  }
  /// A left operand of a product needs parentheses if it is a sum; a right one
  /// also if it is a product, for all these operators associate to the left.
  static bool isAtom(AffineExpr expr) {
    return isa<AffineConstantExpr, AffineSymbolExpr>(expr);
  }

  void printSum(AffineBinaryOpExpr sum) {
    print(sum.getLHS());
    AffineExpr rhs = sum.getRHS();
    if (std::optional<AffineExpr> negated = getNegated(rhs)) {
      os << " - ";
      print(*negated, isSum(*negated));
      return;
    }
    os << " + ";
    print(rhs);
  }

  /// -expr if `expr` has a negative constant factor.
  static std::optional<AffineExpr> getNegated(AffineExpr expr) {
    if (auto constant = dyn_cast<AffineConstantExpr>(expr)) {
      if (constant.getValue() < 0)
        return -expr;
      return std::nullopt;
    }
    if (expr.getKind() != AffineExprKind::Mul)
      return std::nullopt;
    auto product = cast<AffineBinaryOpExpr>(expr);
    auto factor = dyn_cast<AffineConstantExpr>(product.getRHS());
    if (!factor || factor.getValue() >= 0)
      return std::nullopt;
    return product.getLHS() * -factor.getValue();
  }

  void printProduct(AffineBinaryOpExpr product) {
    AffineExpr lhs = product.getLHS(), rhs = product.getRHS();
    StringRef op = " * ";
    switch (product.getKind()) {
    case AffineExprKind::FloorDiv:
      op = " floordiv ";
      break;
    case AffineExprKind::CeilDiv:
      op = " ceildiv ";
      break;
    case AffineExprKind::Mod:
      op = " mod ";
      break;
    default:
      if (isa<AffineConstantExpr>(rhs)) {
        // A product of symbols needs no parentheses after its coefficient.
        bool isChain = lhs.getKind() == AffineExprKind::Mul;
        print(rhs);
        os << op;
        print(lhs, !isAtom(lhs) && !isChain);
        return;
      }
    }
    // `m * n floordiv 4` would be read the same, but not by everyone.
    bool isQuotient = product.getKind() != AffineExprKind::Mul;
    print(lhs, isSum(lhs) || (isQuotient && !isAtom(lhs)));
    os << op;
    print(rhs, !isAtom(rhs));
  }

  void printName(StringAttr name) {
    StringRef text = name.getValue();
    bool isBare =
        !text.empty() && (llvm::isAlpha(text.front()) || text.front() == '_') &&
        llvm::all_of(text.drop_front(),
                     [](char c) {
                       return llvm::isAlnum(c) || c == '_' || c == '$' ||
                              c == '.';
                     }) &&
        !llvm::is_contained({"floordiv", "ceildiv", "mod", "max"}, text);
    if (isBare) {
      os << text;
      return;
    }
    os << '"';
    llvm::printEscapedString(text, os);
    os << '"';
  }

  raw_ostream &os;
  ArrayRef<StringAttr> names;
};

} // namespace

//===----------------------------------------------------------------------===//
// ShapeAttr
//===----------------------------------------------------------------------===//

#define GET_ATTRDEF_CLASSES
#include "relay-mlir/Dialect/Relax/IR/RelaxAttributes.cpp.inc"

ShapeAttr ShapeAttr::get(MLIRContext *context, ArrayRef<StringAttr> names,
                         ArrayRef<AffineExpr> exprs) {
  // Number the symbols alphabetically before canonicalisation, which orders
  // terms by number.
  auto order = llvm::to_vector(llvm::seq<unsigned>(0, names.size()));
  llvm::sort(order, [&](unsigned lhs, unsigned rhs) {
    return names[lhs].getValue() < names[rhs].getValue();
  });
  SmallVector<AffineExpr> renumbered(names.size());
  for (auto [position, original] : llvm::enumerate(order))
    renumbered[original] = getAffineSymbolExpr(position, context);

  SmallVector<AffineExpr> canonical;
  llvm::SmallBitVector used(names.size());
  for (AffineExpr expr : exprs) {
    canonical.push_back(
        canonicalizeSymbolicExpr(expr.replaceSymbols(renumbered)));
    canonical.back().walk([&](AffineExpr part) {
      if (auto symbol = dyn_cast<AffineSymbolExpr>(part))
        used.set(symbol.getPosition());
    });
  }

  // Removing symbols keeps the order of the others, and so the canonical form.
  SmallVector<StringAttr> usedNames;
  SmallVector<AffineExpr> compacted(names.size(),
                                    getAffineConstantExpr(0, context));
  for (unsigned position : used.set_bits()) {
    compacted[position] = getAffineSymbolExpr(usedNames.size(), context);
    usedNames.push_back(names[order[position]]);
  }
  for (AffineExpr &expr : canonical)
    expr = expr.replaceSymbols(compacted);
  return Base::get(
      context, usedNames,
      AffineMap::get(/*dimCount=*/0, usedNames.size(), canonical, context));
}

ShapeAttr ShapeAttr::get(MLIRContext *context, ArrayRef<int64_t> dims) {
  SmallVector<AffineExpr> exprs = llvm::map_to_vector(
      dims, [&](int64_t dim) { return getAffineConstantExpr(dim, context); });
  return Base::get(
      context, ArrayRef<StringAttr>(),
      AffineMap::get(/*dimCount=*/0, /*symbolCount=*/0, exprs, context));
}

std::optional<int64_t> ShapeAttr::getConstant(size_t index) const {
  if (auto constant = dyn_cast<AffineConstantExpr>(getExprs()[index]))
    return constant.getValue();
  return std::nullopt;
}

StringAttr ShapeAttr::getBareSymbol(size_t index) const {
  if (auto symbol = dyn_cast<AffineSymbolExpr>(getExprs()[index]))
    return getSymbols()[symbol.getPosition()];
  return {};
}

void ShapeAttr::printExpr(size_t index, raw_ostream &os) const {
  ExprPrinter(os, getSymbols()).print(getExprs()[index]);
}

FailureOr<ShapeAttr> ShapeAttr::parseList(AsmParser &parser) {
  ExprParser exprParser(parser);
  SmallVector<AffineExpr> exprs;
  if (failed(parser.parseCommaSeparatedList(
          AsmParser::Delimiter::Square, [&]() -> ParseResult {
            FailureOr<AffineExpr> expr = exprParser.parseSum();
            if (failed(expr))
              return failure();
            exprs.push_back(*expr);
            return success();
          })))
    return failure();
  return ShapeAttr::get(parser.getContext(), exprParser.getNames(), exprs);
}

void ShapeAttr::printList(raw_ostream &os) const {
  ExprPrinter printer(os, getSymbols());
  os << '[';
  llvm::interleaveComma(getExprs(), os,
                        [&](AffineExpr expr) { printer.print(expr); });
  os << ']';
}

Attribute ShapeAttr::parse(AsmParser &parser, Type) {
  if (failed(parser.parseLess()))
    return {};
  FailureOr<ShapeAttr> shape = parseList(parser);
  if (failed(shape) || failed(parser.parseGreater()))
    return {};
  return *shape;
}

void ShapeAttr::print(AsmPrinter &printer) const {
  printer << '<';
  printList(printer.getStream());
  printer << '>';
}

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

#define GET_TYPEDEF_CLASSES
#include "relay-mlir/Dialect/Relax/IR/RelaxTypes.cpp.inc"

LogicalResult
SymbolicTensorType::verify(function_ref<InFlightDiagnostic()> emitError,
                           ShapeAttr shape, Type elementType,
                           relay::DeviceAttr device) {
  if (device && device.isHost())
    return emitError() << "expects no device for data on the host, but got "
                       << device;
  if (!elementType.isIntOrIndexOrFloat())
    return emitError() << "expects an integer, index or float element type, "
                          "but got "
                       << elementType;
  for (size_t i = 0, e = shape.size(); i < e; ++i)
    if (std::optional<int64_t> size = shape.getConstant(i); size && *size < 0)
      return emitError() << "expects sizes that are not negative, but got "
                         << *size << " for dimension " << i;
  return success();
}

int64_t SymbolicTensorType::getElementBytes() const {
  if (getElementType().isIndex())
    return sizeof(int64_t);
  return llvm::divideCeil(getElementType().getIntOrFloatBitWidth(), 8);
}

Type SymbolicTensorType::parse(AsmParser &parser) {
  if (failed(parser.parseLess()))
    return {};
  FailureOr<ShapeAttr> shape = ShapeAttr::parseList(parser);
  Type elementType;
  relay::DeviceAttr device;
  if (failed(shape) || failed(parser.parseComma()) ||
      failed(parser.parseType(elementType)) ||
      (succeeded(parser.parseOptionalComma()) &&
       failed(parser.parseAttribute(device))) ||
      failed(parser.parseGreater()))
    return {};
  return SymbolicTensorType::getChecked(
      [&] { return parser.emitError(parser.getNameLoc()); },
      parser.getContext(), *shape, elementType, device);
}

void SymbolicTensorType::print(AsmPrinter &printer) const {
  printer << '<';
  getShape().printList(printer.getStream());
  printer << ", " << getElementType();
  if (getDevice())
    printer << ", " << getDevice();
  printer << '>';
}

LogicalResult StorageType::verify(function_ref<InFlightDiagnostic()> emitError,
                                  relay::DeviceAttr device) {
  if (device && device.isHost())
    return emitError() << "expects no device for memory of the host, but got "
                       << device;
  return success();
}

SymbolicTensorType relax::getSymbolicType(RankedTensorType tensor) {
  return SymbolicTensorType::get(tensor.getShape(), tensor.getElementType());
}

AffineExpr relax::getNumElements(SymbolicTensorType type, SymbolScope &scope) {
  return getSymbolicProduct(scope.import(type.getShape()), scope.getContext());
}

AffineExpr relax::getNumBytes(SymbolicTensorType type, SymbolScope &scope) {
  SmallVector<AffineExpr> factors = scope.import(type.getShape());
  factors.push_back(
      getAffineConstantExpr(type.getElementBytes(), scope.getContext()));
  return getSymbolicProduct(factors, scope.getContext());
}

//===----------------------------------------------------------------------===//
// Registration
//===----------------------------------------------------------------------===//

// The generated storage classes are visible in this file only.
void RelaxDialect::registerAttributesAndTypes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "relay-mlir/Dialect/Relax/IR/RelaxAttributes.cpp.inc"
      >();
  addTypes<
#define GET_TYPEDEF_LIST
#include "relay-mlir/Dialect/Relax/IR/RelaxTypes.cpp.inc"
      >();
}
