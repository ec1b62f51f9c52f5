//===- For.cpp - Loops and buffers ------------------------------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"
#include "relay-mlir/Dialect/TIR/IR/TIR.h"

using namespace mlir;
using namespace mlir::tir;

//===----------------------------------------------------------------------===//
// ForOp
//===----------------------------------------------------------------------===//

/// Splits `bound` into a static value and, if it is dynamic, an operand.
static int64_t splitBound(OpFoldResult bound, Value &operand) {
  if (auto attr = dyn_cast<Attribute>(bound))
    return cast<IntegerAttr>(attr).getInt();
  if (std::optional<int64_t> constant = getConstantIntValue(bound))
    return *constant;
  operand = cast<Value>(bound);
  return ShapedType::kDynamic;
}

void ForOp::build(OpBuilder &builder, OperationState &state,
                  OpFoldResult lowerBound, OpFoldResult upperBound,
                  ForKind kind) {
  Value lower, upper;
  int64_t staticLower = splitBound(lowerBound, lower);
  int64_t staticUpper = splitBound(upperBound, upper);
  if (lower)
    state.addOperands(lower);
  if (upper)
    state.addOperands(upper);
  Properties &properties = state.getOrAddProperties<Properties>();
  properties.operandSegmentSizes = {lower ? 1 : 0, upper ? 1 : 0};
  properties.static_lower_bound = builder.getI64IntegerAttr(staticLower);
  properties.static_upper_bound = builder.getI64IntegerAttr(staticUpper);
  properties.kind = ForKindAttr::get(builder.getContext(), kind);
  Region *body = state.addRegion();
  body->emplaceBlock().addArgument(builder.getIndexType(), state.location);
  ensureTerminator(*body, builder, state.location);
}

void ForOp::build(OpBuilder &builder, OperationState &state,
                  OpFoldResult extent) {
  build(builder, state, builder.getIndexAttr(0), extent, ForKind::Serial);
}

static ParseResult parseBound(OpAsmParser &parser, IntegerAttr &staticBound,
                              SmallVectorImpl<Value> &operands,
                              int32_t &segment) {
  int64_t constant;
  OptionalParseResult parsed = parser.parseOptionalInteger(constant);
  if (!parsed.has_value()) {
    OpAsmParser::UnresolvedOperand operand;
    if (parser.parseOperand(operand) ||
        parser.resolveOperand(operand, parser.getBuilder().getIndexType(),
                              operands))
      return failure();
    constant = ShapedType::kDynamic;
    segment = 1;
  } else if (failed(*parsed)) {
    return failure();
  }
  staticBound = parser.getBuilder().getI64IntegerAttr(constant);
  return success();
}

ParseResult ForOp::parse(OpAsmParser &parser, OperationState &result) {
  Builder &builder = parser.getBuilder();
  Properties &properties = result.getOrAddProperties<Properties>();
  properties.operandSegmentSizes = {0, 0};
  OpAsmParser::Argument inductionVar;
  inductionVar.type = builder.getIndexType();
  if (parser.parseArgument(inductionVar) || parser.parseEqual() ||
      parseBound(parser, properties.static_lower_bound, result.operands,
                 properties.operandSegmentSizes[0]) ||
      parser.parseKeyword("to") ||
      parseBound(parser, properties.static_upper_bound, result.operands,
                 properties.operandSegmentSizes[1]))
    return failure();

  if (succeeded(parser.parseOptionalKeyword("kind"))) {
    StringRef keyword;
    llvm::SMLoc loc = parser.getCurrentLocation();
    if (parser.parseLParen() || parser.parseKeyword(&keyword))
      return failure();
    std::optional<ForKind> kind = symbolizeForKind(keyword);
    if (!kind)
      return parser.emitError(loc, "expects a loop kind, but got ") << keyword;
    properties.kind = ForKindAttr::get(builder.getContext(), *kind);
    if (*kind == ForKind::ThreadBinding &&
        parser.parseAttribute(properties.thread_tag))
      return failure();
    if (parser.parseRParen())
      return failure();
  }
  Region *body = result.addRegion();
  if (parser.parseOptionalAttrDictWithKeyword(result.attributes) ||
      parser.parseRegion(*body, inductionVar))
    return failure();
  ensureTerminator(*body, builder, result.location);
  return success();
}

static void printBound(OpAsmPrinter &printer, OpFoldResult bound) {
  if (auto attr = dyn_cast<Attribute>(bound))
    printer << cast<IntegerAttr>(attr).getInt();
  else
    printer << cast<Value>(bound);
}

void ForOp::print(OpAsmPrinter &printer) {
  printer << ' ' << getInductionVar() << " = ";
  printBound(printer, getLowerBound());
  printer << " to ";
  printBound(printer, getUpperBound());
  if (getKind() != ForKind::Serial) {
    printer << " kind(" << stringifyForKind(getKind());
    if (StringAttr tag = getThreadTagAttr())
      printer << ' ' << tag;
    printer << ')';
  }
  printer.printOptionalAttrDictWithKeyword(
      (*this)->getAttrs(),
      {getOperandSegmentSizesAttrName().getValue(),
       getStaticLowerBoundAttrName().getValue(),
       getStaticUpperBoundAttrName().getValue(), getKindAttrName().getValue(),
       getThreadTagAttrName().getValue()});
  printer << ' ';
  printer.printRegion(getRegion(), /*printEntryBlockArgs=*/false,
                      /*printBlockTerminators=*/false);
}

LogicalResult ForOp::verify() {
  Block *body = getBody();
  if (body->getNumArguments() != 1 || !body->getArgument(0).getType().isIndex())
    return emitOpError("expects one index argument in its body");
  bool isDynamicLower = ShapedType::isDynamic(getStaticLowerBound());
  bool isDynamicUpper = ShapedType::isDynamic(getStaticUpperBound());
  if (isDynamicLower != static_cast<bool>(getDynamicLowerBound()) ||
      isDynamicUpper != static_cast<bool>(getDynamicUpperBound()))
    return emitOpError("expects each bound either as a constant or a value");
  if (std::optional<int64_t> extent = getConstantExtent();
      extent && *extent < 0)
    return emitOpError("expects the upper bound not below the lower bound, but "
                       "got ")
           << getStaticLowerBound() << " to " << getStaticUpperBound();
  if ((getKind() == ForKind::ThreadBinding) != getThreadTag().has_value())
    return emitOpError("expects a thread tag exactly on a thread_binding loop");
  return success();
}

LogicalResult ForOp::canonicalize(ForOp loop, PatternRewriter &rewriter) {
  std::optional<int64_t> extent = loop.getConstantExtent();
  if (extent == 0) {
    rewriter.eraseOp(loop);
    return success();
  }
  // A bound that has become constant moves into the attribute.
  auto foldBound = [&](Value operand, auto set) {
    std::optional<int64_t> constant =
        operand ? getConstantIntValue(operand) : std::nullopt;
    if (constant)
      rewriter.modifyOpInPlace(loop,
                               [&] { set(rewriter.getIndexAttr(*constant)); });
    return constant.has_value();
  };
  bool changed =
      foldBound(loop.getDynamicLowerBound(),
                [&](OpFoldResult bound) { loop.setLowerBound(bound); });
  changed |= foldBound(loop.getDynamicUpperBound(),
                       [&](OpFoldResult bound) { loop.setUpperBound(bound); });
  return success(changed);
}

OpFoldResult ForOp::getLowerBound() {
  if (Value operand = getDynamicLowerBound())
    return operand;
  return Builder(getContext()).getIndexAttr(getStaticLowerBound());
}

OpFoldResult ForOp::getUpperBound() {
  if (Value operand = getDynamicUpperBound())
    return operand;
  return Builder(getContext()).getIndexAttr(getStaticUpperBound());
}

void ForOp::setLowerBound(OpFoldResult bound) {
  Value operand;
  setStaticLowerBound(splitBound(bound, operand));
  getDynamicLowerBoundMutable().assign(operand ? ValueRange(operand)
                                               : ValueRange());
}

void ForOp::setUpperBound(OpFoldResult bound) {
  Value operand;
  setStaticUpperBound(splitBound(bound, operand));
  getDynamicUpperBoundMutable().assign(operand ? ValueRange(operand)
                                               : ValueRange());
}

std::optional<int64_t> ForOp::getConstantLowerBound() {
  return getConstantIntValue(getLowerBound());
}

std::optional<int64_t> ForOp::getConstantUpperBound() {
  return getConstantIntValue(getUpperBound());
}

std::optional<int64_t> ForOp::getConstantExtent() {
  std::optional<int64_t> lower = getConstantLowerBound();
  std::optional<int64_t> upper = getConstantUpperBound();
  if (lower && upper)
    return *upper - *lower;
  return std::nullopt;
}

OpFoldResult ForOp::getExtent(OpBuilder &builder) {
  if (std::optional<int64_t> extent = getConstantExtent())
    return builder.getIndexAttr(*extent);
  if (getConstantLowerBound() == 0)
    return getUpperBound();
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPoint(*this);
  AffineExpr lower = builder.getAffineSymbolExpr(0);
  AffineExpr upper = builder.getAffineSymbolExpr(1);
  return affine::makeComposedFoldedAffineApply(
      builder, getLoc(), upper - lower, {getLowerBound(), getUpperBound()});
}

ForOp ForOp::getParentLoop() {
  return dyn_cast_or_null<ForOp>((*this)->getParentOp());
}

ForOp ForOp::getOnlyChildLoop() {
  Block *body = getBody();
  if (!llvm::hasNItems(*body, 2))
    return nullptr;
  return dyn_cast<ForOp>(body->front());
}

SmallVector<BlockOp, 6> ForOp::getBlocks() {
  SmallVector<BlockOp, 6> blocks;
  walk<WalkOrder::PreOrder>([&](BlockOp block) { blocks.push_back(block); });
  return blocks;
}

void ForOp::getAsmBlockArgumentNames(Region &region,
                                     OpAsmSetValueNameFn setName) {
  unsigned depth = 0;
  for (ForOp loop = getParentLoop(); loop; loop = loop.getParentLoop())
    ++depth;
  setName(region.getArgument(0), "i" + std::to_string(depth));
}

//===----------------------------------------------------------------------===//
// AllocBufferOp
//===----------------------------------------------------------------------===//

LogicalResult AllocBufferOp::verify() {
  if (!getType().getLayout().isIdentity())
    return emitOpError("expects a row-major buffer, but got ") << getType();
  int64_t numDynamic = getType().getNumDynamicDims();
  if (static_cast<int64_t>(getDynamicSizes().size()) != numDynamic)
    return emitOpError("expects ") << numDynamic << " dynamic sizes, but got "
                                   << getDynamicSizes().size();
  Attribute space = getType().getMemorySpace();
  if (!space)
    return success();
  auto memory = dyn_cast<relay::MemoryAttr>(space);
  if (!memory)
    return emitOpError("expects a #target.memory as memory space, but got ")
           << space;
  relay::TargetAttrInterface target = relay::lookupTarget(*this);
  if (target && !relay::lookupMemory(target, memory.getName()))
    return emitOpError("expects a memory of ")
           << target.getDescription() << " (" << getMemoryNames(target)
           << "), but got " << memory.getName();
  return success();
}

void AllocBufferOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
        &effects) {
  effects.emplace_back(MemoryEffects::Allocate::get(),
                       getOperation()->getOpResult(0));
}

SmallVector<OpFoldResult> AllocBufferOp::getMixedSizes() {
  return mlir::getMixedValues(getType().getShape(), getDynamicSizes(),
                              getContext());
}
