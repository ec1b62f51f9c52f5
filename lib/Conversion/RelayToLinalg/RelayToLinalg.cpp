//===- RelayToLinalg.cpp - Lower relay to linalg --------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The pass and its conversion target only. A pattern goes into the file of its
// family and is announced in PopulatePatterns.h.
//
//===----------------------------------------------------------------------===//

#include "relay-mlir/Conversion/RelayToLinalg/RelayToLinalg.h"

#include "ElementMath.h"
#include "FailureReasons.h"
#include "FractionalSizes.h"
#include "LinalgBuilder.h"
#include "PopulatePatterns.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Func/Transforms/FuncConversions.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Tensor/Transforms/Transforms.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Dominance.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Transforms/CSE.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "relay-mlir/Dialect/Relay/IR/Relay.h"
#include "relay-mlir/Dialect/Relay/IR/RelayAnnotationOps.h"
#include "relay-mlir/Dialect/Relay/IR/RelayTransformOps.h"
#include "relay-mlir/Dialect/Relay/IR/TensorFunctions.h"
#include "relay-mlir/Dialect/TIR/IR/TIR.h"
#include "llvm/Support/Threading.h"

namespace mlir::relay {
#define GEN_PASS_DEF_CONVERTRELAYTOLINALGPASS
#include "relay-mlir/Conversion/Passes.h.inc"
} // namespace mlir::relay

using namespace mlir;
using namespace mlir::relay;

RelayToLinalgTypeConverter::RelayToLinalgTypeConverter() {
  addConversion([](Type type) { return type; });
  addConversion([](RankedTensorType type) -> Type {
    return type.clone(detail::getSignless(type.getElementType()));
  });
  addConversion([this](TupleType type, SmallVectorImpl<Type> &fields) {
    return convertTypes(type.getTypes(), fields);
  });
  // Where only one side is converted (the caller of a primitive function), the
  // same bits change their name. An operator may know more of the sizes of its
  // result than follows from its operands.
  auto rename = [](OpBuilder &builder, RankedTensorType type, ValueRange inputs,
                   Location loc) -> Value {
    auto from = inputs.size() == 1
                    ? dyn_cast<RankedTensorType>(inputs[0].getType())
                    : RankedTensorType();
    if (!from)
      return {};
    // No bitcast makes a byte of fewer bits.
    if (from.getElementTypeBitWidth() != type.getElementTypeBitWidth())
      return UnrealizedConversionCastOp::create(builder, loc, type, inputs[0])
          .getResult(0);
    Value value = inputs[0];
    if (from.getElementType() != type.getElementType())
      value = tensor::BitcastOp::create(
          builder, loc, from.clone(type.getElementType()), value);
    if (value.getType() != type)
      value = tensor::CastOp::create(builder, loc, type, value);
    return value;
  };
  addSourceMaterialization(rename);
  addTargetMaterialization(rename);
}

void mlir::relay::populateRelayToLinalgPatterns(const TypeConverter &converter,
                                                RewritePatternSet &patterns) {
  detail::populateActivationPatterns(converter, patterns);
  detail::populateAdaptivePoolingPatterns(converter, patterns);
  detail::populateAnchorBoxPatterns(converter, patterns);
  detail::populateClassSuppressionPatterns(converter, patterns);
  detail::populateAssertPatterns(converter, patterns);
  detail::populateBlockedConvolutionPatterns(converter, patterns);
  detail::populateConvolutionPatterns(converter, patterns);
  detail::populateCorrelationPatterns(converter, patterns);
  detail::populateCreationPatterns(converter, patterns);
  detail::populateCropPatterns(converter, patterns);
  detail::populateDeformableConvolutionPatterns(converter, patterns);
  detail::populateDilationPatterns(converter, patterns);
  detail::populateEinsumPatterns(converter, patterns);
  detail::populateElementwisePatterns(converter, patterns);
  detail::populateGradientPatterns(converter, patterns);
  detail::populateGridSamplingPatterns(converter, patterns);
  detail::populateImagePatterns(converter, patterns);
  detail::populateIndexingPatterns(converter, patterns);
  detail::populateLayoutPatterns(converter, patterns);
  detail::populateMatmulPatterns(converter, patterns);
  detail::populateMovementPatterns(converter, patterns);
  detail::populateNonMaxSuppressionPatterns(converter, patterns);
  detail::populateNormalizationPatterns(converter, patterns);
  detail::populatePackedWeightPatterns(converter, patterns);
  detail::populatePadPatterns(converter, patterns);
  detail::populatePartsPatterns(converter, patterns);
  detail::populatePoolingPatterns(converter, patterns);
  detail::populateProposalPatterns(converter, patterns);
  detail::populateRandomPatterns(converter, patterns);
  detail::populateReductionPatterns(converter, patterns);
  detail::populateRegionPatterns(converter, patterns);
  detail::populateReshapePatterns(converter, patterns);
  detail::populateScanPatterns(converter, patterns);
  detail::populateScatterPatterns(converter, patterns);
  detail::populateSearchPatterns(converter, patterns);
  detail::populateSequencePatterns(converter, patterns);
  detail::populateSlicePatterns(converter, patterns);
  detail::populateSoftmaxPatterns(converter, patterns);
  detail::populateSortPatterns(converter, patterns);
  detail::populateSparsePatterns(converter, patterns);
  detail::populateSparseReshapePatterns(converter, patterns);
  detail::populateStringMapPatterns(converter, patterns);
  detail::populateStructurePatterns(converter, patterns);
  detail::populateUniquePatterns(converter, patterns);
  detail::populateWinogradPatterns(converter, patterns);
  for (Dialect *dialect : patterns.getContext()->getLoadedDialects())
    if (auto *interface =
            dialect->getRegisteredInterface<RelayToLinalgDialectInterface>())
      interface->populatePatterns(converter, patterns);
}

/// The size of a tensor that an operation makes, as the operation has it; null
/// if it does not say.
static OpFoldResult getComputedSize(OpBuilder &builder, Value tensor,
                                    int64_t dim) {
  auto type = dyn_cast<RankedTensorType>(tensor.getType());
  if (type && !type.isDynamicDim(dim))
    return builder.getIndexAttr(type.getDimSize(dim));
  auto result = dyn_cast<OpResult>(tensor);
  if (!type || !result)
    return {};
  Operation *op = result.getOwner();
  if (isa<tensor::CastOp, tensor::BitcastOp>(op))
    return getComputedSize(builder, op->getOperand(0), dim);
  if (auto destinationStyle = dyn_cast<DestinationStyleOpInterface>(op))
    return getComputedSize(
        builder, destinationStyle.getTiedOpOperand(result)->get(), dim);
  ReifiedRankedShapedTypeDims shapes;
  if (failed(reifyResultShapes(builder, op, shapes)))
    return {};
  return shapes[result.getResultNumber()][dim];
}

/// A cast of a tensor to a static size says that the size is that. It is
/// canonicalized into what computes or slices the tensor, and would take with
/// it what else is known of the size, such as that a slice may reach beyond the
/// end: assertions keep that until the sizes of calls are determined.
static void assertCastSizes(func::FuncOp function) {
  function.walk([](tensor::CastOp cast) {
    auto from = dyn_cast<RankedTensorType>(cast.getSource().getType());
    auto to = dyn_cast<RankedTensorType>(cast.getType());
    if (!from || !to)
      return;
    OpBuilder builder(cast);
    Location loc = cast.getLoc();
    for (int64_t dim = 0, e = to.getRank(); dim != e; ++dim) {
      if (!from.isDynamicDim(dim) || to.isDynamicDim(dim))
        continue;
      OpFoldResult size =
          isa<BlockArgument>(cast.getSource())
              ? tensor::getMixedSize(builder, loc, cast.getSource(), dim)
              : getComputedSize(builder, cast.getSource(), dim);
      auto value = dyn_cast_if_present<Value>(size);
      if (!value)
        continue;
      Value expected =
          arith::ConstantIndexOp::create(builder, loc, to.getDimSize(dim));
      Value isEqual = arith::CmpIOp::create(
          builder, loc, arith::CmpIPredicate::eq, value, expected);
      cf::AssertOp::create(builder, loc, isEqual,
                           ("expects size " + Twine(to.getDimSize(dim)) +
                            " of dimension " + Twine(dim))
                               .str());
    }
  });
}

/// The result of a grouped convolution has a dimension for the groups, which
/// a reshape takes away. Element by element, what follows can have it as well:
/// then it runs on tiles of the convolution.
static void expandEpilogues(func::FuncOp function) {
  // A dimension of one element is indexed by 0 where it is broadcast, and by
  // its loop here, as the patterns expect it.
  function.walk([](linalg::GenericOp op) {
    SmallVector<int64_t> ranges = op.getStaticLoopRanges();
    SmallVector<AffineMap> maps = op.getIndexingMapsArray();
    for (auto [operand, map] : llvm::zip_equal(op->getOpOperands(), maps)) {
      if (map.getNumResults() != map.getNumDims())
        continue;
      SmallVector<AffineExpr> results(map.getResults());
      for (auto [dim, result, size] :
           llvm::enumerate(results, op.getShape(&operand)))
        // An operand may have more than the one element that is read.
        if (ranges[dim] == 1 && size == 1 && isa<AffineConstantExpr>(result))
          result = getAffineDimExpr(dim, op.getContext());
      map = AffineMap::get(map.getNumDims(), 0, results, op.getContext());
    }
    if (op.getNumReductionLoops() == 0)
      op.setIndexingMapsAttr(
          Builder(op.getContext()).getAffineMapArrayAttr(maps));
  });
  RewritePatternSet patterns(function.getContext());
  linalg::populateFoldReshapeOpsByExpansionPatterns(
      patterns, [](OpOperand *operand) {
        auto reshape = operand->get().getDefiningOp<tensor::CollapseShapeOp>();
        auto producer =
            reshape ? reshape.getSrc().getDefiningOp<linalg::GenericOp>()
                    : linalg::GenericOp();
        auto consumer = dyn_cast<linalg::GenericOp>(operand->getOwner());
        return producer && consumer && consumer.getNumReductionLoops() == 0 &&
               !consumer.hasIndexSemantics();
      });
  (void)applyPatternsGreedily(function, std::move(patterns));
}

/// Batches of attention are merged into one dimension for each product and
/// taken apart for what is between, such as a mask of each sequence: products
/// can have them apart, too.
static void expandBatches(func::FuncOp function) {
  constexpr int64_t kMinReductions = 3;
  auto isReduction = [](linalg::GenericOp op) {
    return op.getNumReductionLoops() != 0;
  };
  if (llvm::count_if(function.getOps<linalg::GenericOp>(), isReduction) <
      kMinReductions)
    return;
  RewritePatternSet patterns(function.getContext());
  linalg::populateFoldReshapeOpsByExpansionPatterns(
      patterns, [&](OpOperand *operand) {
        auto consumer = dyn_cast<linalg::GenericOp>(operand->getOwner());
        if (!consumer)
          consumer = operand->get().getDefiningOp<linalg::GenericOp>();
        return consumer && isReduction(consumer) &&
               !consumer.hasIndexSemantics();
      });
  tensor::populateReassociativeReshapeFoldingPatterns(patterns);
  (void)applyPatternsGreedily(function, std::move(patterns));
}

/// Whether an operator leaves elements what they are, or knows small ones.
static bool takesSmallElements(Operation *op) {
  return !isa<RelayDialect>(op->getDialect()) ||
         isa<BroadcastToOp, CallOp, CastLikeOp, CastOp, ConcatenateOp,
             ConstantOp, CopyOp, ExpandDimsOp, GatherOp, ReinterpretOp,
             RepeatOp, ReshapeOp, ReverseOp, SplitOp, SqueezeOp, StackOp,
             StridedSliceOp, TakeOp, TileOp, TransposeOp, TupleGetItemOp,
             TupleOp, WhereOp>(op);
}

/// Fails if an operator has elements that kernels cannot compute with.
static LogicalResult checkElementTypes(func::FuncOp function) {
  WalkResult walk = function.walk([](Operation *op) {
    for (TypeRange types :
         {TypeRange(op->getOperandTypes()), TypeRange(op->getResultTypes())})
      for (Type type : types) {
        Type element = getElementTypeOrSelf(type);
        if (!element.isIntOrFloat())
          continue;
        bool isSmall = isSmallElement(element);
        if ((isSmall && takesSmallElements(op)) ||
            (!isSmall && (!isa<FloatType>(element) ||
                          element.getIntOrFloatBitWidth() >= 16)))
          continue;
        InFlightDiagnostic diagnostic =
            op->emitOpError("expects elements of bool, integers of 8 bits or "
                            "more, f16, bf16, f32 or f64, but got ")
            << type;
        diagnostic.attachNote()
            << "there is no arithmetic on this type; cast it to another one";
        return WalkResult::interrupt();
      }
    return WalkResult::advance();
  });
  return failure(walk.wasInterrupted());
}

LogicalResult mlir::relay::convertRelayToLinalg(func::FuncOp function) {
  if (failed(checkElementTypes(function)))
    return failure();
  MLIRContext *context = function.getContext();
  RelayToLinalgTypeConverter converter;
  // Relay ops are not illegal but unknown: one without a lowering stays and is
  // reported below, in the words of this project.
  ConversionTarget target(*context);
  target.addLegalDialect<
      affine::AffineDialect, arith::ArithDialect, cf::ControlFlowDialect,
      linalg::LinalgDialect, math::MathDialect, memref::MemRefDialect,
      scf::SCFDialect, tensor::TensorDialect, tir::TIRDialect>();
  target.addDynamicallyLegalOp<func::FuncOp>([&](func::FuncOp op) {
    return converter.isSignatureLegal(op.getFunctionType()) &&
           converter.isLegal(&op.getBody());
  });
  target.addDynamicallyLegalOp<func::ReturnOp>(
      [&](func::ReturnOp op) { return converter.isLegal(op); });

  RewritePatternSet patterns(context);
  populateRelayToLinalgPatterns(converter, patterns);
  populateFunctionOpInterfaceTypeConversionPattern<func::FuncOp>(patterns,
                                                                 converter);
  detail::FailureReasons reasons;
  reasons.observe(patterns);
  // If the result of an operator that stays is a tuple, the driver complains of
  // that, and takes back what it has done.
  SmallVector<Diagnostic> complaints;
  LogicalResult converted = success();
  {
    uint64_t thread = llvm::get_threadid();
    ScopedDiagnosticHandler handler(context, [&](Diagnostic &diagnostic) {
      // Functions are converted in parallel.
      if (llvm::get_threadid() != thread)
        return failure();
      complaints.push_back(std::move(diagnostic));
      return success();
    });
    converted = applyPartialConversion(function, target, std::move(patterns));
  }

  WalkResult walk = function.walk([&](Operation *op) {
    // Fusion puts operators of other dialects into kernels as well.
    bool isOperator = isa_and_nonnull<RelayDialect>(op->getDialect()) ||
                      isa<FusionPatternOpInterface>(op);
    if (!isOperator || (failed(converted) && !reasons.isRefused(op)))
      return WalkResult::advance();
    InFlightDiagnostic diagnostic = op->emitOpError(
        "has no lowering to linalg for these types and attributes");
    reasons.attachNotes(diagnostic, op);
    return WalkResult::interrupt();
  });
  if (walk.wasInterrupted())
    return failure();
  for (Diagnostic &complaint : complaints)
    context->getDiagEngine().emit(std::move(complaint));
  if (failed(converted))
    return failure();

  detail::finalizeConstants(function);
  assertCastSizes(function);
  if (!function.getOps<tensor::CollapseShapeOp>().empty()) {
    expandBatches(function);
    expandEpilogues(function);
  }
  detail::convertFractionalSizes(function);
  // Every nest asks for the sizes of its operands anew.
  IRRewriter rewriter(context);
  DominanceInfo dominance(function);
  eliminateCommonSubExpressions(rewriter, dominance, function);
  return success();
}

namespace {

struct ConvertRelayToLinalgPass final
    : relay::impl::ConvertRelayToLinalgPassBase<ConvertRelayToLinalgPass> {
  using ConvertRelayToLinalgPassBase::ConvertRelayToLinalgPassBase;

  void getDependentDialects(DialectRegistry &registry) const override {
    ConvertRelayToLinalgPassBase::getDependentDialects(registry);
    registry.insert<cf::ControlFlowDialect, vector::VectorDialect>();
  }

  void runOnOperation() override {
    func::FuncOp function = getOperation();
    if (function.isExternal())
      return;
    // Somebody else computes it: the body only tells the sizes of results.
    if (function->hasAttr(kCompilerAttrName) &&
        llvm::all_of(function.getResultTypes(), [](Type type) {
          auto tensor = dyn_cast<RankedTensorType>(type);
          return tensor && tensor.hasStaticShape();
        }))
      return replaceByEmptyResults(function);
    bool isCaller =
        function.walk([](CallOp) { return WalkResult::interrupt(); })
            .wasInterrupted();
    // A program that only returns inputs and constants, from any device, calls
    // nothing; its constants stay relay's, as in every program.
    bool isTrivialProgram =
        !function->hasAttr(kPrimitiveAttrName) &&
        llvm::all_of(function.getOps(), [](Operation &op) {
          return isa<ConstantOp, DeviceCopyOp, TupleOp, func::ReturnOp>(op);
        });
    if (failed(isCaller || isTrivialProgram ? convertCalls(function)
                                            : convertRelayToLinalg(function)))
      signalPassFailure();
  }

  void replaceByEmptyResults(func::FuncOp function) {
    RelayToLinalgTypeConverter converter;
    Block &body = function.getBody().front();
    Operation *terminator = body.getTerminator();
    OpBuilder builder(terminator);
    SmallVector<Value> results;
    for (Type type : function.getResultTypes()) {
      auto tensor = cast<RankedTensorType>(converter.convertType(type));
      results.push_back(tensor::EmptyOp::create(builder, function.getLoc(),
                                                tensor.getShape(),
                                                tensor.getElementType()));
    }
    terminator->setOperands(results);
    for (Operation &op : llvm::make_early_inc_range(llvm::reverse(body)))
      if (&op != terminator && !isa<tensor::EmptyOp>(op))
        op.erase();
    for (BlockArgument argument : body.getArguments())
      argument.setType(converter.convertType(argument.getType()));
    function.setType(builder.getFunctionType(body.getArgumentTypes(),
                                             ValueRange(results).getTypes()));
  }

  LogicalResult convertCalls(func::FuncOp function) {
    RelayToLinalgTypeConverter converter;
    ConversionTarget target(getContext());
    target.addDynamicallyLegalOp<CallOp>(
        [&](CallOp op) { return converter.isLegal(op); });
    target.markUnknownOpDynamicallyLegal([](Operation *) { return true; });
    RewritePatternSet patterns(&getContext());
    relay::detail::populateCallPatterns(converter, patterns);
    return applyPartialConversion(function, target, std::move(patterns));
  }
};

} // namespace
