//===- Convolutions.cpp - Gradients of convolutions -----------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A convolution, its gradient by the data, which is a transposed convolution,
// and that by the weight are three products of the same windows: each one's
// gradients are the other two. They are written for one order of dimensions:
// data is (N, C, spatial...), a weight is (O, I, spatial...).
//
//===----------------------------------------------------------------------===//

#include "Gradient.h"

#include "relay-mlir/Dialect/Relay/IR/Notation.h"
#include "relay-mlir/Dialect/Relay/IR/Padding.h"
#include "relay-mlir/Dialect/Relay/IR/RelayNNSpatialOps.h"

using namespace mlir;
using namespace mlir::relay;
using namespace mlir::relay::gradients;

/// NCHW or OIHW, or the like for other ranks.
static std::string getLayout(StringRef channels, int64_t rank) {
  return (channels + StringRef("DHW").take_back(rank)).str();
}
/// Sequences have width only.
static std::string getDataLayout(int64_t rank) { return getLayout("NC", rank); }

namespace {

/// The windows of a convolution.
class Windows {
public:
  template <typename OpTy>
  Windows(OpTy op, int64_t rank, Gradient &d)
      : d(d), rank(rank), strides(op.getStrides()), dilation(op.getDilation()) {
    Padding padding = *expandPadding(op.getPadding(), rank);
    before.assign(padding.before.begin(), padding.before.end());
    after.assign(padding.after.begin(), padding.after.end());
  }

  SmallVector<int64_t> getPadding() const {
    SmallVector<int64_t> result(before);
    llvm::append_range(result, after);
    return result;
  }

  /// The convolution itself.
  Term convolve(Term data, Term weight, int64_t groups) const;
  /// Its gradient by the data, whose spatial sizes must be known.
  FailureOr<Term> spread(Term grad, Term weight, Term data,
                         int64_t groups) const;
  /// Its gradient by the weight, of which `weight` has the shape.
  FailureOr<Term> correlate(Term grad, Term data, Term weight,
                            int64_t groups) const;

private:
  FailureOr<Term> correlateAsConvolution(Term grad, Term data, Term weight,
                                         int64_t groups) const;
  FailureOr<Term> refuse(Term x) const {
    return d.refuse() << "known sizes of data and weight, but got "
                      << x.getType();
  }

  Gradient &d;
  int64_t rank;
  SmallVector<int64_t> strides, dilation, before, after;
};

} // namespace

template <typename Conv1d, typename Conv2d, typename Conv3d, typename Make>
static Term byRank(int64_t rank, Make make) {
  if (rank == 1)
    return make(Conv1d());
  if (rank == 2)
    return make(Conv2d());
  return make(Conv3d());
}

static SmallVector<int64_t> getSpatialSizes(Term x) {
  return SmallVector<int64_t>(x.getType().getShape().drop_front(2));
}

Term Windows::convolve(Term data, Term weight, int64_t groups) const {
  return byRank<NNConv1dOp, NNConv2dOp, NNConv3dOp>(rank, [&](auto conv) {
    return d.make<decltype(conv)>(
        data.get(), weight.get(), strides, getPadding(), dilation, groups,
        d.getI64IntegerAttr(weight.getSize(0)),
        d.getDenseI64ArrayAttr(getSpatialSizes(weight)), getDataLayout(rank),
        getLayout("OI", rank), "", TypeAttr());
  });
}

FailureOr<Term> Windows::spread(Term grad, Term weight, Term data,
                                int64_t groups) const {
  SmallVector<int64_t> rest;
  for (int64_t i = 0; i < rank; ++i) {
    int64_t from = data.getSize(i + 2), to = grad.getSize(i + 2);
    int64_t kernel = weight.getSize(i + 2);
    if (ShapedType::isDynamic(from) || ShapedType::isDynamic(to) ||
        ShapedType::isDynamic(kernel))
      return refuse(data);
    // What a window that did not fit left over.
    rest.push_back(from - ((to - 1) * strides[i] + (kernel - 1) * dilation[i] +
                           1 - before[i] - after[i]));
  }
  if (ShapedType::isDynamic(weight.getSize(0)) ||
      ShapedType::isDynamic(weight.getSize(1)))
    return refuse(weight);
  return byRank<NNConv1dTransposeOp, NNConv2dTransposeOp, NNConv3dTransposeOp>(
      rank, [&](auto conv) {
        return d.make<decltype(conv)>(
            grad.get(), weight.get(),
            d.getI64IntegerAttr(weight.getSize(1) * groups),
            d.getDenseI64ArrayAttr(getSpatialSizes(weight)), strides, rest,
            getPadding(), dilation, groups, getDataLayout(rank),
            getLayout("IO", rank), "", TypeAttr());
      });
}

FailureOr<Term> Windows::correlate(Term grad, Term data, Term weight,
                                   int64_t groups) const {
  for (int64_t size : weight.getType().getShape())
    if (ShapedType::isDynamic(size))
      return refuse(weight);
  if (rank == 3)
    return correlateAsConvolution(grad, data, weight, groups);
  SmallVector<int64_t> steps(strides), holes(dilation), kernel, padding;
  kernel = getSpatialSizes(weight);
  padding = getPadding();
  if (rank == 1) {
    // An image of height 1.
    auto addHeight = [&](Term x) {
      return d.make<ExpandDimsOp>(x.get(), int64_t(2), int64_t(1));
    };
    grad = addHeight(grad);
    data = addHeight(data);
    steps.insert(steps.begin(), 1);
    holes.insert(holes.begin(), 1);
    kernel.insert(kernel.begin(), 1);
    padding = {0, before[0], 0, after[0]};
  }
  return d.make<NNConv2dBackwardWeightOp>(
      grad.get(), data.get(), steps, padding, holes, groups,
      d.getI64IntegerAttr(weight.getSize(0)), d.getDenseI64ArrayAttr(kernel),
      "NCHW", "NCHW", "OIHW", TypeAttr());
}

/// A convolution of the data, whose channels are the instances, with the
/// gradient: what strides are to windows, dilation is to the kernel.
FailureOr<Term> Windows::correlateAsConvolution(Term grad, Term data,
                                                Term weight,
                                                int64_t groups) const {
  for (Term x : {grad, data})
    if (!x.getType().hasStaticShape())
      return refuse(x);
  SmallVector<int64_t> swapped = {1, 0};
  for (int64_t i = 0; i < rank; ++i)
    swapped.push_back(i + 2);
  int64_t instances = data.getSize(0), inputs = weight.getSize(1);
  if (groups > 1) {
    // (N, G, I, ...) to (I, G * N, ...).
    SmallVector<int64_t> codes = {instances, groups, inputs};
    SmallVector<int64_t> axes = {2, 1, 0};
    SmallVector<int64_t> merged = {inputs, groups * instances};
    for (int64_t i = 0; i < rank; ++i) {
      codes.push_back(data.getSize(i + 2));
      merged.push_back(data.getSize(i + 2));
      axes.push_back(i + 3);
    }
    data = d.reshape(d.transpose(d.reshape(data, codes), axes), merged);
  } else {
    data = d.transpose(data, swapped);
  }
  Windows turned(*this);
  std::swap(turned.strides, turned.dilation);
  Term result = turned.convolve(data, d.transpose(grad, swapped), groups);
  for (int64_t i = 0; i < rank; ++i)
    result = d.slice(result, i + 2, 0, weight.getSize(i + 2));
  return d.transpose(result, swapped);
}

namespace {

/// What a convolution takes, and the gradient of its result, in the orders of
/// this file.
template <typename OpTy>
class ConvolutionTerms {
public:
  /// `channels` are those of the weight, "OI" or "IO".
  ConvolutionTerms(OpTy op, int64_t rank, StringRef channels, Gradient &d)
      : op(op), d(d), layout(getDataLayout(rank)),
        kernel(getLayout(channels, rank)),
        grad(d.changeLayout(d.get(),
                            op.getOutLayout().empty() ? op.getDataLayout()
                                                      : op.getOutLayout(),
                            layout)),
        data(read(op.getData(), op.getDataLayout(), layout)),
        weight(read(op.getWeight(), op.getKernelLayout(), kernel)) {}

  void setGradients(Term byData, Term byWeight) {
    d.set(0, d.changeLayout(byData, layout, op.getDataLayout()));
    d.set(1, d.changeLayout(byWeight, kernel, op.getKernelLayout()));
  }

private:
  Term read(Value value, StringRef from, StringRef to) {
    Type elementType = d.get().getType().getElementType();
    return d.changeLayout(d.castTo(d.term(value), elementType), from, to);
  }

  OpTy op;
  Gradient &d;
  std::string layout, kernel;

public:
  Term grad, data, weight;
};

} // namespace

template <typename OpTy>
static LogicalResult differentiateConvolution(OpTy op, int64_t rank,
                                              Gradient &d) {
  ConvolutionTerms<OpTy> terms(op, rank, "OI", d);
  Term weight = terms.weight;
  int64_t groups = op.getGroups();
  if (groups > 1 && weight.getSize(0) != terms.grad.getSize(1)) {
    // M results for each channel, as (C, M, ...).
    SmallVector<int64_t> codes = {-1, 1};
    llvm::append_range(codes, getSpatialSizes(weight));
    weight = d.reshape(weight, codes);
  }
  Windows windows(op, rank, d);
  FailureOr<Term> byData =
      windows.spread(terms.grad, weight, terms.data, groups);
  if (failed(byData))
    return failure();
  FailureOr<Term> byWeight =
      windows.correlate(terms.grad, terms.data, weight, groups);
  if (failed(byWeight))
    return failure();
  terms.setGradients(*byData, d.reshapeLike(*byWeight, terms.weight));
  return success();
}

template <typename OpTy>
static LogicalResult differentiateTransposed(OpTy op, int64_t rank,
                                             Gradient &d) {
  ConvolutionTerms<OpTy> terms(op, rank, "IO", d);
  Windows windows(op, rank, d);
  int64_t groups = op.getGroups();
  FailureOr<Term> byWeight =
      windows.correlate(terms.data, terms.grad, terms.weight, groups);
  if (failed(byWeight))
    return failure();
  terms.setGradients(windows.convolve(terms.grad, terms.weight, groups),
                     *byWeight);
  return success();
}

// Found by GradientModel.
namespace mlir::relay::gradients {

static LogicalResult differentiate(NNConv1dOp op, Gradient &d) {
  return differentiateConvolution(op, 1, d);
}
static LogicalResult differentiate(NNConv2dOp op, Gradient &d) {
  return differentiateConvolution(op, 2, d);
}
static LogicalResult differentiate(NNConv3dOp op, Gradient &d) {
  return differentiateConvolution(op, 3, d);
}
static LogicalResult differentiate(NNConv1dTransposeOp op, Gradient &d) {
  return differentiateTransposed(op, 1, d);
}
static LogicalResult differentiate(NNConv2dTransposeOp op, Gradient &d) {
  return differentiateTransposed(op, 2, d);
}
static LogicalResult differentiate(NNConv3dTransposeOp op, Gradient &d) {
  return differentiateTransposed(op, 3, d);
}

/// Of the gradient by the weight: it is a product as well.
static LogicalResult differentiate(NNConv2dBackwardWeightOp op, Gradient &d) {
  StringRef out = op.getOutLayout().empty() ? "OIHW" : op.getOutLayout();
  Term w = d.changeLayout(d.get(), out, "OIHW");
  Term g = d.changeLayout(d.term(op.getGrad()), op.getDataLayout(), "NCHW");
  Term x = d.changeLayout(d.term(op.getData()), op.getKernelLayout(), "NCHW");
  Windows windows(op, 2, d);
  FailureOr<Term> byData = windows.spread(g, w, x, op.getGroups());
  if (failed(byData))
    return failure();
  d.set(0, d.changeLayout(windows.convolve(x, w, op.getGroups()), "NCHW",
                          op.getDataLayout()));
  d.set(1, d.changeLayout(*byData, "NCHW", op.getKernelLayout()));
  return success();
}

} // namespace mlir::relay::gradients

void gradients::registerConvolutions(MLIRContext *context) {
  attach<NNConv1dOp, NNConv2dOp, NNConv3dOp, NNConv1dTransposeOp,
         NNConv2dTransposeOp, NNConv3dTransposeOp, NNConv2dBackwardWeightOp>(
      context);
}
