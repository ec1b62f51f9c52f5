//===- RelaxAttributes.cpp - Shapes and types of the relax dialect --------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/IR/DialectImplementation.h"
#include "relay-mlir/Dialect/Relax/IR/Relax.h"
#include "relay-mlir/Support/SaturatingMath.h"
#include "llvm/ADT/SmallBitVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/TypeSwitch.h"

#include <cstdlib>
#include <limits>

using namespace mlir;
using namespace mlir::relax;

//===----------------------------------------------------------------------===//
// Reading and writing expressions
//===----------------------------------------------------------------------===//

namespace {

/// Parses expressions with the usual precedence: `*`, `floordiv`, `ceildiv`
/// and `mod` bind tighter than `+` and `-`. An expression whose polynomial has
/// coefficients that are no numbers of 64 bits, or too many terms, is refused.
class ExprParser {
public:
  explicit ExprParser(AsmParser &parser) : parser(parser) {}

  FailureOr<AffineExpr> parse() {
    FailureOr<Bounded> sum = parseSum();
    if (failed(sum))
      return failure();
    return sum->expr;
  }

  ArrayRef<StringAttr> getNames() const { return names; }

private:
  /// An expression, of which no coefficient and no constant is larger, and
  /// which has no more terms.
  struct Bounded {
    AffineExpr expr;
    int64_t largest;
    int64_t numTerms;
  };

  FailureOr<Bounded> check(Bounded result, SMLoc loc) {
    constexpr int64_t kMaxTerms = 4096;
    if (result.largest == std::numeric_limits<int64_t>::max())
      return parser.emitError(loc,
                              "expects a size whose coefficients are below "
                              "2^63 - 1"),
             failure();
    if (result.numTerms > kMaxTerms)
      return parser.emitError(loc, "expects a size of at most ")
                 << kMaxTerms << " terms when it is multiplied out",
             failure();
    return result;
  }

  FailureOr<Bounded> parseSum() {
    FailureOr<Bounded> sum = parseProduct();
    while (succeeded(sum)) {
      SMLoc loc = parser.getCurrentLocation();
      bool minus = false;
      if (failed(parser.parseOptionalPlus())) {
        if (failed(parser.parseOptionalMinus()))
          break;
        minus = true;
      }
      FailureOr<Bounded> term = parseProduct();
      if (failed(term))
        return failure();
      Bounded result{{},
                     relay::saturatingAdd(sum->largest, term->largest),
                     relay::saturatingAdd(sum->numTerms, term->numTerms)};
      if (failed(check(result, loc)))
        return failure();
      result.expr = minus ? sum->expr - term->expr : sum->expr + term->expr;
      sum = result;
    }
    return sum;
  }

  FailureOr<Bounded> parseProduct() {
    FailureOr<Bounded> product = parseFactor();
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
      FailureOr<Bounded> factor = parseFactor();
      if (failed(factor))
        return failure();
      Bounded result{
          {},
          relay::saturatingMultiply(product->largest, factor->largest),
          relay::saturatingMultiply(product->numTerms, factor->numTerms)};
      if (kind != AffineExprKind::Mul) {
        auto divisor = dyn_cast<AffineConstantExpr>(factor->expr);
        if (divisor && divisor.getValue() <= 0)
          return parser.emitError(loc, "expects a positive divisor, but got ")
                     << divisor.getValue(),
                 failure();
        // What is rounded up is a sum with the divisor first.
        result.largest =
            relay::saturatingAdd(product->largest, factor->largest);
        result.numTerms =
            relay::saturatingAdd(product->numTerms, factor->numTerms);
      }
      if (failed(check(result, loc)))
        return failure();
      result.expr = getAffineBinaryOpExpr(kind, product->expr, factor->expr);
      product = result;
    }
    return product;
  }

  FailureOr<Bounded> parseFactor() {
    MLIRContext *context = parser.getContext();
    if (succeeded(parser.parseOptionalLParen())) {
      FailureOr<Bounded> sum = parseSum();
      if (failed(sum) || failed(parser.parseRParen()))
        return failure();
      return sum;
    }
    int64_t integer;
    OptionalParseResult isInteger = parser.parseOptionalInteger(integer);
    if (isInteger.has_value()) {
      if (failed(*isInteger))
        return failure();
      constexpr int64_t kLargest = std::numeric_limits<int64_t>::max();
      return Bounded{getAffineConstantExpr(integer, context),
                     integer < -kLargest ? kLargest : std::abs(integer), 1};
    }
    if (succeeded(parser.parseOptionalMinus())) {
      FailureOr<Bounded> factor = parseFactor();
      if (failed(factor))
        return failure();
      return Bounded{-factor->expr, factor->largest, factor->numTerms};
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
    return Bounded{getAffineSymbolExpr(position, context), 1, 1};
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
            FailureOr<AffineExpr> expr = exprParser.parse();
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
