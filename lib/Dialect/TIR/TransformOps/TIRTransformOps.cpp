//===- TIRTransformOps.cpp - Schedule primitives as ops ---------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "relay-mlir/Dialect/TIR/TransformOps/TIRTransformOps.h"

#include "Payload.h"

using namespace mlir;
using namespace mlir::tir;
using namespace mlir::tir::transform_ops;

//===----------------------------------------------------------------------===//
// Assembly
//===----------------------------------------------------------------------===//

static ParseResult parseBlockName(OpAsmParser &parser, StringAttr &name) {
  return parser.parseSymbolName(name);
}

static void printBlockName(OpAsmPrinter &printer, Operation *,
                           StringAttr name) {
  printer.printSymbolName(name);
}

/// As many types as the names before the `=` say.
static ParseResult parseResultTypes(OpAsmParser &parser, Type type,
                                    SmallVectorImpl<Type> &types) {
  constexpr size_t kMaxResults = 1 << 12;
  size_t count = parser.getNumResults();
  if (count == static_cast<size_t>(-1))
    count = 0;
  if (count > kMaxResults)
    return parser.emitError(parser.getNameLoc(), "expects at most ")
           << kMaxResults << " results, but got " << count;
  types.assign(count, type);
  return success();
}

/// Every result is a handle, so the names before the `=` say all.
static ParseResult parseResultHandles(OpAsmParser &parser,
                                      SmallVectorImpl<Type> &types) {
  return parseResultTypes(
      parser, transform::AnyOpType::get(parser.getContext()), types);
}

static void printResultHandles(OpAsmPrinter &, Operation *, TypeRange) {}

static ParseResult parseFactors(OpAsmParser &parser,
                                DenseI64ArrayAttr &factors) {
  SmallVector<int64_t> values;
  if (parser.parseCommaSeparatedList(
          AsmParser::Delimiter::Square, [&]() -> ParseResult {
            if (succeeded(parser.parseOptionalQuestion())) {
              values.push_back(kInferFactor);
              return success();
            }
            return parser.parseInteger(values.emplace_back());
          }))
    return failure();
  factors = parser.getBuilder().getDenseI64ArrayAttr(values);
  return success();
}

static void printFactors(OpAsmPrinter &printer, Operation *,
                         DenseI64ArrayAttr factors) {
  printer << '[';
  llvm::interleaveComma(factors.asArrayRef(), printer, [&](int64_t factor) {
    if (factor == kInferFactor)
      printer << '?';
    else
      printer << factor;
  });
  printer << ']';
}

/// `[?, %sampled, 16]`.
static ParseResult
parseSampledFactors(OpAsmParser &parser, DenseI64ArrayAttr &factors,
                    SmallVectorImpl<OpAsmParser::UnresolvedOperand> &sampled,
                    SmallVectorImpl<Type> &types) {
  SmallVector<int64_t> values;
  if (parser.parseCommaSeparatedList(
          AsmParser::Delimiter::Square, [&]() -> ParseResult {
            if (succeeded(parser.parseOptionalQuestion())) {
              values.push_back(kInferFactor);
              return success();
            }
            OpAsmParser::UnresolvedOperand operand;
            OptionalParseResult parsed = parser.parseOptionalOperand(operand);
            if (!parsed.has_value())
              return parser.parseInteger(values.emplace_back());
            values.push_back(SplitOp::kSampledFactor);
            sampled.push_back(operand);
            return *parsed;
          }))
    return failure();
  factors = parser.getBuilder().getDenseI64ArrayAttr(values);
  Builder &builder = parser.getBuilder();
  types.assign(sampled.size(), transform::ParamType::get(builder.getContext(),
                                                         builder.getI64Type()));
  return success();
}

static void printSampledFactors(OpAsmPrinter &printer, Operation *,
                                DenseI64ArrayAttr factors, OperandRange sampled,
                                TypeRange) {
  printer << '[';
  auto next = sampled.begin();
  llvm::interleaveComma(factors.asArrayRef(), printer, [&](int64_t factor) {
    if (factor == kInferFactor)
      printer << '?';
    else if (factor == SplitOp::kSampledFactor && next != sampled.end())
      printer << *next++;
    else
      printer << factor;
  });
  printer << ']';
}

/// Every result is a number.
static ParseResult parseNumber(OpAsmParser &parser, Type &type) {
  Builder &builder = parser.getBuilder();
  type = transform::ParamType::get(builder.getContext(), builder.getI64Type());
  return success();
}

static void printNumber(OpAsmPrinter &, Operation *, Type) {}

static ParseResult parseNumbers(OpAsmParser &parser,
                                SmallVectorImpl<Type> &types) {
  Type type;
  (void)parseNumber(parser, type);
  return parseResultTypes(parser, type, types);
}

static void printNumbers(OpAsmPrinter &, Operation *, TypeRange) {}

#define GET_OP_CLASSES
#include "relay-mlir/Dialect/TIR/TransformOps/TIRTransformOps.cpp.inc"

//===----------------------------------------------------------------------===//
// Queries
//===----------------------------------------------------------------------===//

DEFINE_EFFECTS(GetBlockOp, Query)
DEFINE_EFFECTS(GetLoopsOp, Query)

DiagnosedSilenceableFailure
GetBlockOp::apply(transform::TransformRewriter &,
                  transform::TransformResults &results,
                  transform::TransformState &state) {
  PrimFuncOp function;
  DiagnosedSilenceableFailure found =
      getPayload(state, *this, getFunction(), function);
  if (!found.succeeded())
    return found;
  BlockOp block = function.getBlock(getName());
  if (!block)
    return emitSilenceableFailure(getLoc()) << "expects a block @" << getName()
                                            << " in @" << function.getSymName();
  results.set(cast<OpResult>(getBlock()), {block});
  return DiagnosedSilenceableFailure::success();
}

DiagnosedSilenceableFailure
GetLoopsOp::apply(transform::TransformRewriter &,
                  transform::TransformResults &results,
                  transform::TransformState &state) {
  BlockOp block;
  DiagnosedSilenceableFailure found =
      getPayload(state, *this, getBlock(), block);
  if (!found.succeeded())
    return found;
  SmallVector<ForOp, 6> loops = block.getLoops();
  if (loops.size() != getNumResults())
    return emitSilenceableFailure(getLoc())
           << "expects " << getNumResults() << " loops around block @"
           << block.getName() << ", but got " << loops.size();
  for (auto [result, loop] : llvm::zip((*this)->getOpResults(), loops))
    results.set(result, {loop});
  return DiagnosedSilenceableFailure::success();
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

DEFINE_EFFECTS(SplitOp, Primitive)
DEFINE_EFFECTS(FuseOp, Primitive)
DEFINE_EFFECTS(ReorderOp, Primitive)
DEFINE_EFFECTS(ParallelOp, Primitive)
DEFINE_EFFECTS(VectorizeOp, Primitive)
DEFINE_EFFECTS(UnrollOp, Primitive)
DEFINE_EFFECTS(BindOp, Primitive)

void SplitOp::build(OpBuilder &builder, OperationState &state,
                    TypeRange loopTypes, Value loop,
                    ArrayRef<int64_t> factors) {
  build(builder, state, loopTypes, loop, factors, /*sampled=*/ValueRange(),
        "predicate");
}

LogicalResult SplitOp::verify() {
  if (llvm::count(getFactors(), kSampledFactor) !=
      static_cast<int64_t>(getSampled().size()))
    return emitOpError("expects a place for each sampled factor");
  if (getTail() != "predicate" && getTail() != "partition")
    return emitOpError("expects tail to be predicate or partition, but got ")
           << getTailAttr();
  size_t wanted = getFactors().size() + (getTail() == "partition");
  if (getNumResults() != wanted)
    return emitOpError("expects ")
           << wanted << " results, but got " << getNumResults();
  return success();
}

DiagnosedSilenceableFailure
SplitOp::apply(transform::TransformRewriter &rewriter,
               transform::TransformResults &results,
               transform::TransformState &state) {
  ForOp loop, tailLoop;
  DiagnosedSilenceableFailure found = getPayload(state, *this, getLoop(), loop);
  if (!found.succeeded())
    return found;
  SmallVector<int64_t> factors(getFactors());
  auto next = getSampled().begin();
  for (int64_t &factor : factors) {
    if (factor != kSampledFactor)
      continue;
    ArrayRef<Attribute> numbers = state.getParams(*next++);
    auto number = numbers.size() == 1 ? dyn_cast<IntegerAttr>(numbers.front())
                                      : IntegerAttr();
    if (!number)
      return emitSilenceableFailure(getLoc())
             << "expects one number as sampled factor, but got "
             << numbers.size();
    factor = number.getInt();
  }
  TailStrategy tail = getTail() == "partition" ? TailStrategy::Partition
                                               : TailStrategy::Predicate;
  SmallVector<ForOp> loops;
  DiagnosedSilenceableFailure done =
      split(rewriter, loop, factors, tail, loops, &tailLoop);
  if (!done.succeeded())
    return done;
  for (auto [result, created] : llvm::zip((*this)->getOpResults(), loops))
    results.set(result, {created});
  if (tail == TailStrategy::Partition) {
    OpResult rest = (*this)->getOpResults().back();
    if (tailLoop)
      results.set(rest, {tailLoop});
    else
      results.set(rest, ArrayRef<Operation *>());
  }
  return DiagnosedSilenceableFailure::success();
}

DiagnosedSilenceableFailure
FuseOp::apply(transform::TransformRewriter &rewriter,
              transform::TransformResults &results,
              transform::TransformState &state) {
  SmallVector<ForOp> loops;
  DiagnosedSilenceableFailure found =
      getLoopPayload(state, *this, getLoops(), loops);
  if (!found.succeeded())
    return found;
  ForOp fused;
  DiagnosedSilenceableFailure done = fuse(rewriter, loops, fused);
  if (done.succeeded())
    results.set(cast<OpResult>(getFused()), {fused});
  return done;
}

DiagnosedSilenceableFailure
ReorderOp::apply(transform::TransformRewriter &rewriter,
                 transform::TransformResults &,
                 transform::TransformState &state) {
  SmallVector<ForOp> loops;
  DiagnosedSilenceableFailure found =
      getLoopPayload(state, *this, getLoops(), loops);
  return found.succeeded() ? reorder(rewriter, loops) : std::move(found);
}

/// Applies a primitive that only needs the loop.
template <typename OpTy, typename PrimitiveFn>
static DiagnosedSilenceableFailure
applyToLoop(OpTy op, transform::TransformState &state, PrimitiveFn primitive) {
  ForOp loop;
  DiagnosedSilenceableFailure found = getPayload(state, op, op.getLoop(), loop);
  return found.succeeded() ? primitive(loop) : std::move(found);
}

DiagnosedSilenceableFailure
ParallelOp::apply(transform::TransformRewriter &rewriter,
                  transform::TransformResults &,
                  transform::TransformState &state) {
  return applyToLoop(*this, state,
                     [&](ForOp loop) { return parallel(rewriter, loop); });
}

DiagnosedSilenceableFailure
VectorizeOp::apply(transform::TransformRewriter &rewriter,
                   transform::TransformResults &,
                   transform::TransformState &state) {
  return applyToLoop(*this, state,
                     [&](ForOp loop) { return vectorize(rewriter, loop); });
}

DiagnosedSilenceableFailure
UnrollOp::apply(transform::TransformRewriter &rewriter,
                transform::TransformResults &,
                transform::TransformState &state) {
  return applyToLoop(*this, state,
                     [&](ForOp loop) { return unroll(rewriter, loop); });
}

DiagnosedSilenceableFailure
BindOp::apply(transform::TransformRewriter &rewriter,
              transform::TransformResults &, transform::TransformState &state) {
  return applyToLoop(*this, state, [&](ForOp loop) {
    return tir::bind(rewriter, loop, getTag());
  });
}
