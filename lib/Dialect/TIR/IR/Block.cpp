//===- Block.cpp - Blocks ---------------------------------------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "relay-mlir/Dialect/TIR/IR/Access.h"
#include "relay-mlir/Dialect/TIR/IR/TIR.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace mlir::tir;

//===----------------------------------------------------------------------===//
// Building
//===----------------------------------------------------------------------===//

void BlockOp::build(OpBuilder &builder, OperationState &state, StringRef name,
                    ArrayRef<IterKind> kinds, ValueRange bindings,
                    ArrayRef<OpFoldResult> extents) {
  MLIRContext *context = builder.getContext();
  SmallVector<int64_t> staticExtents;
  SmallVector<Value> dynamicExtents;
  dispatchIndexOpFoldResults(extents, dynamicExtents, staticExtents);
  SmallVector<Attribute> kindAttrs;
  for (IterKind kind : kinds)
    kindAttrs.push_back(IterKindAttr::get(context, kind));

  state.addOperands(bindings);
  state.addOperands(dynamicExtents);
  Properties &properties = state.getOrAddProperties<Properties>();
  properties.operandSegmentSizes = {static_cast<int32_t>(bindings.size()),
                                    static_cast<int32_t>(dynamicExtents.size()),
                                    0, 0, 0};
  properties.name = builder.getStringAttr(name);
  properties.iter_kinds = builder.getArrayAttr(kindAttrs);
  properties.static_extents = builder.getDenseI64ArrayAttr(staticExtents);
  properties.read_maps = builder.getArrayAttr({});
  properties.write_maps = builder.getArrayAttr({});

  Region *body = state.addRegion();
  Block &block = body->emplaceBlock();
  for (size_t i = 0, e = bindings.size(); i != e; ++i)
    block.addArgument(builder.getIndexType(), state.location);
  ensureTerminator(*body, builder, state.location);
}

void InitOp::build(OpBuilder &builder, OperationState &state) {
  Region *body = state.addRegion();
  body->emplaceBlock();
  ensureTerminator(*body, builder, state.location);
}

//===----------------------------------------------------------------------===//
// Assembly
//===----------------------------------------------------------------------===//

using UnresolvedOperand = OpAsmParser::UnresolvedOperand;

/// Parses `%v0 = spatial %i in 16` into the parts of an iteration variable.
static ParseResult parseIterVar(OpAsmParser &parser,
                                SmallVectorImpl<OpAsmParser::Argument> &args,
                                SmallVectorImpl<Attribute> &kinds,
                                SmallVectorImpl<UnresolvedOperand> &bindings,
                                SmallVectorImpl<int64_t> &staticExtents,
                                SmallVectorImpl<UnresolvedOperand> &extents) {
  Builder &builder = parser.getBuilder();
  StringRef keyword;
  llvm::SMLoc loc;
  if (parser.parseArgument(args.emplace_back()) || parser.parseEqual() ||
      parser.getCurrentLocation(&loc) || parser.parseKeyword(&keyword))
    return failure();
  args.back().type = builder.getIndexType();
  std::optional<IterKind> kind = symbolizeIterKind(keyword);
  if (!kind)
    return parser.emitError(loc, "expects spatial, reduce or opaque, but got ")
           << keyword;
  kinds.push_back(IterKindAttr::get(builder.getContext(), *kind));

  if (parser.parseOperand(bindings.emplace_back()) || parser.parseKeyword("in"))
    return failure();
  OptionalParseResult parsed =
      parser.parseOptionalInteger(staticExtents.emplace_back());
  if (parsed.has_value())
    return *parsed;
  staticExtents.back() = ShapedType::kDynamic;
  return parser.parseOperand(extents.emplace_back());
}

/// Parses `(%x[%v0, %v1 + 1] : memref<8x9xf32>, %t : memref<8xf32>)`, index
/// expressions being over `args`.
static ParseResult
parseAccessRegions(OpAsmParser &parser, ArrayRef<OpAsmParser::Argument> args,
                   SmallVectorImpl<UnresolvedOperand> &buffers,
                   SmallVectorImpl<Type> &types,
                   SmallVectorImpl<Attribute> &maps) {
  MLIRContext *context = parser.getContext();
  auto parseIndices = [&]() -> ParseResult {
    // The map parser consumes the bracket, so it is only looked at here.
    if (*parser.getCurrentLocation().getPointer() != '[') {
      maps.push_back(AffineMapAttr::get(AffineMap::get(context)));
      return success();
    }
    SmallVector<UnresolvedOperand> dims;
    NamedAttrList unused;
    Attribute parsed;
    if (parser.parseAffineMapOfSSAIds(dims, parsed, "map", unused))
      return failure();
    SmallVector<AffineExpr> iterVars;
    for (const UnresolvedOperand &dim : dims) {
      const auto *arg = llvm::find_if(args, [&](const auto &arg) {
        return arg.ssaName.name == dim.name && arg.ssaName.number == dim.number;
      });
      if (arg == args.end())
        return parser.emitError(dim.location,
                                "expects an iteration variable of the block, "
                                "but got ")
               << dim.name;
      iterVars.push_back(getAffineDimExpr(arg - args.begin(), context));
    }
    maps.push_back(AffineMapAttr::get(
        cast<AffineMapAttr>(parsed).getValue().replaceDimsAndSymbols(
            iterVars, {}, args.size(), 0)));
    return success();
  };
  return parser.parseCommaSeparatedList(
      AsmParser::Delimiter::Paren, [&]() -> ParseResult {
        return failure(parser.parseOperand(buffers.emplace_back()) ||
                       parseIndices() ||
                       parser.parseColonType(types.emplace_back()));
      });
}

ParseResult BlockOp::parse(OpAsmParser &parser, OperationState &result) {
  Builder &builder = parser.getBuilder();
  Properties &properties = result.getOrAddProperties<Properties>();
  SmallVector<OpAsmParser::Argument> args;
  SmallVector<Attribute> kinds, readMaps, writeMaps;
  SmallVector<Type> readTypes, writeTypes;
  SmallVector<int64_t> staticExtents;
  SmallVector<UnresolvedOperand> bindings, extents, guard, reads, writes;

  StringAttr name;
  if (parser.parseSymbolName(name) ||
      parser.parseCommaSeparatedList(AsmParser::Delimiter::Paren, [&] {
        return parseIterVar(parser, args, kinds, bindings, staticExtents,
                            extents);
      }))
    return failure();
  if (succeeded(parser.parseOptionalKeyword("where"))) {
    IntegerSetAttr set;
    if (parser.parseAttribute(set) ||
        parser.parseOperandList(guard, AsmParser::Delimiter::Paren) ||
        parser.parseOperandList(guard, AsmParser::Delimiter::OptionalSquare))
      return failure();
    properties.predicate = set;
  }
  if (succeeded(parser.parseOptionalKeyword("reads")) &&
      parseAccessRegions(parser, args, reads, readTypes, readMaps))
    return failure();
  if (succeeded(parser.parseOptionalKeyword("writes")) &&
      parseAccessRegions(parser, args, writes, writeTypes, writeMaps))
    return failure();

  llvm::SMLoc loc = parser.getNameLoc();
  Type index = builder.getIndexType();
  Region *body = result.addRegion();
  if (parser.parseOptionalAttrDictWithKeyword(result.attributes) ||
      parser.resolveOperands(bindings, index, result.operands) ||
      parser.resolveOperands(extents, index, result.operands) ||
      parser.resolveOperands(guard, index, result.operands) ||
      parser.resolveOperands(reads, readTypes, loc, result.operands) ||
      parser.resolveOperands(writes, writeTypes, loc, result.operands) ||
      parser.parseRegion(*body, args))
    return failure();
  ensureTerminator(*body, builder, result.location);

  properties.name = name;
  properties.iter_kinds = builder.getArrayAttr(kinds);
  properties.static_extents = builder.getDenseI64ArrayAttr(staticExtents);
  properties.read_maps = builder.getArrayAttr(readMaps);
  properties.write_maps = builder.getArrayAttr(writeMaps);
  properties.operandSegmentSizes = {
      static_cast<int32_t>(bindings.size()),
      static_cast<int32_t>(extents.size()), static_cast<int32_t>(guard.size()),
      static_cast<int32_t>(reads.size()), static_cast<int32_t>(writes.size())};
  return success();
}

static void printAccessRegions(OpAsmPrinter &printer, StringRef keyword,
                               ValueRange buffers, ArrayAttr maps,
                               ValueRange iterVars) {
  if (buffers.empty())
    return;
  printer.printNewline();
  printer << keyword << '(';
  llvm::interleaveComma(llvm::zip(buffers, maps), printer, [&](auto pair) {
    auto [buffer, attr] = pair;
    AffineMap map = cast<AffineMapAttr>(attr).getValue();
    printer << buffer;
    if (map.getNumResults() != 0) {
      printer << '[';
      printer.printAffineMapOfSSAIds(cast<AffineMapAttr>(attr), iterVars);
      printer << ']';
    }
    printer << " : " << buffer.getType();
  });
  printer << ')';
}

void BlockOp::print(OpAsmPrinter &printer) {
  printer << ' ';
  printer.printSymbolName(getName());
  printer << '(';
  unsigned nextDynamic = 0;
  for (unsigned i = 0, e = getNumIters(); i != e; ++i) {
    printer << (i ? ", " : "") << getBody()->getArgument(i) << " = "
            << stringifyIterKind(getIterKind(i)) << ' ' << getBindings()[i]
            << " in ";
    int64_t extent = getStaticExtents()[i];
    if (ShapedType::isDynamic(extent))
      printer << getDynamicExtents()[nextDynamic++];
    else
      printer << extent;
  }
  printer << ')';
  // The header is long: each part gets a line, deeper than the body.
  printer.increaseIndent();
  printer.increaseIndent();
  if (std::optional<IntegerSet> set = getPredicate()) {
    unsigned numDims = set->getNumDims();
    printer.printNewline();
    printer << "where " << getPredicateAttr() << '('
            << getPredicateOperands().take_front(numDims) << ')';
    if (set->getNumSymbols())
      printer << '[' << getPredicateOperands().drop_front(numDims) << ']';
  }
  printAccessRegions(printer, "reads", getReads(), getReadMaps(),
                     getIterVars());
  printAccessRegions(printer, "writes", getWrites(), getWriteMaps(),
                     getIterVars());
  printer.decreaseIndent();
  printer.decreaseIndent();
  printer.printOptionalAttrDictWithKeyword(
      (*this)->getAttrs(),
      {getOperandSegmentSizesAttrName().getValue(),
       getNameAttrName().getValue(), getIterKindsAttrName().getValue(),
       getStaticExtentsAttrName().getValue(), getPredicateAttrName().getValue(),
       getReadMapsAttrName().getValue(), getWriteMapsAttrName().getValue()});
  printer << ' ';
  printer.printRegion(getRegion(), /*printEntryBlockArgs=*/false,
                      /*printBlockTerminators=*/false);
}

void BlockOp::getAsmBlockArgumentNames(Region &region,
                                       OpAsmSetValueNameFn setName) {
  for (BlockArgument arg : region.getArguments())
    setName(arg, "v" + std::to_string(arg.getArgNumber()));
}

//===----------------------------------------------------------------------===//
// Verification
//===----------------------------------------------------------------------===//

static LogicalResult verifyAccessRegions(BlockOp block, StringRef what,
                                         ValueRange buffers, ArrayAttr maps) {
  if (buffers.size() != maps.size())
    return block.emitOpError("expects one map for each buffer in ")
           << what << ", but got " << maps.size() << " for " << buffers.size();
  for (auto [buffer, attr] : llvm::zip(buffers, maps)) {
    AffineMap map = cast<AffineMapAttr>(attr).getValue();
    if (map.getNumResults() == 0)
      continue;
    int64_t rank = cast<MemRefType>(buffer.getType()).getRank();
    if (map.getNumDims() != block.getNumIters() || map.getNumSymbols() != 0 ||
        map.getNumResults() != rank)
      return block.emitOpError("expects ")
             << what << " of " << buffer.getType()
             << " to map the iteration variables to " << rank
             << " indices, but got " << attr;
  }
  return success();
}

LogicalResult BlockOp::verify() {
  size_t numIters = getNumIters();
  if (getIterKinds().size() != numIters ||
      getStaticExtents().size() != numIters)
    return emitOpError("expects a kind and an extent for each of its ")
           << numIters << " bindings";
  if (getBody()->getNumArguments() != numIters ||
      !llvm::all_of(getBody()->getArgumentTypes(), llvm::IsaPred<IndexType>))
    return emitOpError("expects ")
           << numIters << " body arguments of type index";
  if (llvm::count_if(getStaticExtents(), ShapedType::isDynamic) !=
      static_cast<int64_t>(getDynamicExtents().size()))
    return emitOpError("expects one operand for each dynamic extent");

  std::optional<IntegerSet> guard = getPredicate();
  size_t numInputs = guard ? guard->getNumInputs() : 0;
  if (getPredicateOperands().size() != numInputs)
    return emitOpError("expects ")
           << numInputs << " operands for its guard, but got "
           << getPredicateOperands().size();
  if (failed(verifyAccessRegions(*this, "reads", getReads(), getReadMaps())) ||
      failed(verifyAccessRegions(*this, "writes", getWrites(), getWriteMaps())))
    return failure();
  if (getInit() && !hasReduceIters())
    return emitOpError("expects a reduce variable in a block with tir.init");
  return success();
}

LogicalResult BlockOp::verifyRegions() {
  // The body sees the loops only through the iteration variables: otherwise no
  // schedule could bind them anew.
  WalkResult loopUse = walk([&](Operation *op) {
    for (Value operand : op->getOperands()) {
      if (op == getOperation())
        break;
      auto arg = dyn_cast<BlockArgument>(operand);
      auto loop =
          arg ? dyn_cast<ForOp>(arg.getOwner()->getParentOp()) : ForOp();
      if (loop && loop->isProperAncestor(getOperation())) {
        op->emitOpError("expects a block to use its iteration variables, but "
                        "got a loop variable");
        return WalkResult::interrupt();
      }
    }
    return WalkResult::advance();
  });
  if (loopUse.wasInterrupted())
    return failure();

  for (const BufferAccess &access : collectAccesses(*this)) {
    ValueRange listed = access.isWrite ? getWrites() : getReads();
    if (!llvm::is_contained(listed, access.buffer)) {
      InFlightDiagnostic diag = emitOpError("expects ")
                                << (access.isWrite ? "writes" : "reads")
                                << " to list every buffer that its body "
                                << (access.isWrite ? "writes" : "reads");
      diag.attachNote(access.op->getLoc()) << "not listed: accessed here";
      return diag;
    }
  }
  return success();
}

LogicalResult InitOp::verify() {
  if (&(*this)->getBlock()->front() != getOperation())
    return emitOpError("expects to be the first op of its block");
  return success();
}

//===----------------------------------------------------------------------===//
// Access to parts
//===----------------------------------------------------------------------===//

IterKind BlockOp::getIterKind(unsigned index) {
  return cast<IterKindAttr>(getIterKinds()[index]).getValue();
}

SmallVector<IterKind> BlockOp::getKinds() {
  return llvm::map_to_vector(getIterKinds().getAsRange<IterKindAttr>(),
                             [](IterKindAttr attr) { return attr.getValue(); });
}

bool BlockOp::hasReduceIters() {
  return llvm::is_contained(getKinds(), IterKind::Reduce);
}

SmallVector<OpFoldResult> BlockOp::getExtents() {
  return mlir::getMixedValues(getStaticExtents(), getDynamicExtents(),
                              getContext());
}

void BlockOp::setExtents(ArrayRef<OpFoldResult> extents) {
  SmallVector<int64_t> staticExtents;
  SmallVector<Value> dynamicExtents;
  dispatchIndexOpFoldResults(extents, dynamicExtents, staticExtents);
  setStaticExtents(staticExtents);
  getDynamicExtentsMutable().assign(dynamicExtents);
}

InitOp BlockOp::getInit() { return dyn_cast<InitOp>(getBody()->front()); }

SmallVector<ForOp, 6> BlockOp::getLoops() {
  SmallVector<ForOp, 6> loops;
  for (Operation *op = (*this)->getParentOp(); isa_and_nonnull<ForOp>(op);
       op = op->getParentOp())
    loops.push_back(cast<ForOp>(op));
  std::reverse(loops.begin(), loops.end());
  return loops;
}

PrimFuncOp BlockOp::getFunction() {
  return (*this)->getParentOfType<PrimFuncOp>();
}

void BlockOp::setGuard(IntegerSet set, ValueRange operands) {
  if (set)
    setPredicateAttr(IntegerSetAttr::get(set));
  else
    removePredicateAttr();
  getPredicateOperandsMutable().assign(operands);
}

void BlockOp::updateAccessRegions() {
  SmallVector<AccessRegion> reads, writes;
  computeReadsAndWrites(*this, reads, writes);
  Builder builder(getContext());
  auto split = [&](ArrayRef<AccessRegion> regions,
                   SmallVector<Value> &buffers) {
    SmallVector<AffineMap> maps;
    for (const AccessRegion &region : regions) {
      buffers.push_back(region.buffer);
      maps.push_back(region.map);
    }
    return builder.getAffineMapArrayAttr(maps);
  };
  SmallVector<Value> readBuffers, writtenBuffers;
  setReadMapsAttr(split(reads, readBuffers));
  setWriteMapsAttr(split(writes, writtenBuffers));
  getReadsMutable().assign(readBuffers);
  getWritesMutable().assign(writtenBuffers);
}

#define GET_OP_CLASSES
#include "relay-mlir/Dialect/TIR/IR/TIROps.cpp.inc"
