//===- SplitTransposedConv.cpp - Transposed convolutions by phases --------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// result[s * i + k - p] += data[i] * weight[k], so that results at s * q + r
// take the elements k = t, t + s, t + 2 s, ... of the kernel, t = (r + p) mod
// s: one phase of the result, and an ordinary convolution. Neighbouring phases
// that start at the same element of the data are one convolution with more
// channels. Their results are interleaved.
//
//===----------------------------------------------------------------------===//

#include "relay-mlir/Dialect/Relay/Transforms/Passes.h"

#include "relay-mlir/Dialect/Relay/IR/Padding.h"
#include "relay-mlir/Dialect/Relay/IR/Relay.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/TypeSwitch.h"

namespace mlir::relay {
#define GEN_PASS_DEF_SPLITTRANSPOSEDCONVPASS
#include "relay-mlir/Dialect/Relay/Transforms/Passes.h.inc"
} // namespace mlir::relay

using namespace mlir;
using namespace mlir::relay;

namespace {

/// Neighbouring phases along one axis, which read the same elements.
struct PhaseGroup {
  /// Of the result.
  int64_t first, count;
  /// Of the kernel: the first one, and how many elements belong to each.
  int64_t kernelFirst, taps;
  /// Result q takes the data from q + shift down.
  int64_t shift;
};

/// One spatial axis.
struct TransposedAxis {
  int64_t stride, kernel, dilation, padBefore;
  /// Results in a phase less elements of the data; results that are computed
  /// beyond the last.
  int64_t growth, excess;

  static TransposedAxis get(int64_t stride, int64_t kernel, int64_t dilation,
                            int64_t padBefore, int64_t padAfter,
                            int64_t outputPadding);
  /// Elements of the kernel for a phase, zeros counted.
  int64_t getMaxTaps() const { return llvm::divideCeil(kernel, stride); }
  SmallVector<PhaseGroup> getGroups() const;
  /// Negative where elements are not read.
  int64_t getPadBefore(const PhaseGroup &group) const {
    return (group.taps - 1) * dilation - group.shift;
  }
  int64_t getPadAfter(const PhaseGroup &group) const {
    return group.shift + growth;
  }
};

/// A transposed convolution as far as it is the same for all ranks.
struct TransposedConv {
  Value data, weight;
  RankedTensorType type;
  SmallVector<TransposedAxis> axes;
  int64_t groups, channels, outputs;
  StringRef dataLayout, kernelLayout, resultLayout, outLayout;
  TypeAttr outDtype;

  int64_t getRank() const { return axes.size(); }
  StringRef getSpatialLetters() const {
    return StringRef("DHW").take_back(getRank());
  }
};

/// Builds the operators that take the place of one.
class PhaseBuilder : public ImplicitLocOpBuilder {
public:
  PhaseBuilder(Operation *op, const TransposedConv &conv)
      : ImplicitLocOpBuilder(op->getLoc(), op), conv(conv) {}

  Value build();

private:
  static constexpr int64_t kEnd = std::numeric_limits<int64_t>::max();

  Value arrangeWeight();
  Value buildPhases(Value weight, ArrayRef<PhaseGroup> groups);
  Value buildAxis(Value weight, SmallVectorImpl<PhaseGroup> &chosen);
  Value placePhases(Value result, ArrayRef<int64_t> phases);
  std::string getPlacedDims() const;
  Value mergePhases(Value placed);
  Value transpose(Value value, ArrayRef<int64_t> axes) {
    if (llvm::is_sorted(axes))
      return value;
    return TransposeOp::create(*this, value, getDenseI64ArrayAttr(axes));
  }
  Value reshape(Value value, ArrayRef<int64_t> codes) {
    if (llvm::all_of(codes, [](int64_t code) { return code == 0; }))
      return value;
    return ReshapeOp::create(*this, value, codes);
  }
  Value slice(Value value, ArrayRef<int64_t> begin, ArrayRef<int64_t> end,
              ArrayRef<int64_t> axes);
  const TransposedConv &conv;
};

} // namespace

//===----------------------------------------------------------------------===//
// Phases
//===----------------------------------------------------------------------===//

TransposedAxis TransposedAxis::get(int64_t stride, int64_t kernel,
                                   int64_t dilation, int64_t padBefore,
                                   int64_t padAfter, int64_t outputPadding) {
  TransposedAxis axis{stride, std::max(kernel, stride), dilation, padBefore, 0,
                      0};
  // The result has stride * n + extra elements.
  int64_t extra = (kernel - 1) * dilation + 1 - stride - padBefore - padAfter +
                  outputPadding;
  axis.growth = llvm::divideCeilSigned(extra, stride);
  axis.excess = axis.growth * stride - extra;
  return axis;
}

SmallVector<PhaseGroup> TransposedAxis::getGroups() const {
  SmallVector<PhaseGroup> groups;
  for (int64_t phase = 0; phase != stride; ++phase) {
    int64_t position = phase + padBefore;
    int64_t first = position % stride, shift = position / stride;
    int64_t taps = llvm::divideCeil(kernel - first, stride);
    if (!groups.empty() && groups.back().taps == taps &&
        groups.back().shift == shift)
      ++groups.back().count;
    else
      groups.push_back({phase, 1, first, taps, shift});
  }
  return groups;
}

Value PhaseBuilder::slice(Value value, ArrayRef<int64_t> begin,
                          ArrayRef<int64_t> end, ArrayRef<int64_t> axes) {
  if (axes.empty())
    return value;
  SmallVector<int64_t> ones(axes.size(), 1);
  return StridedSliceOp::create(*this, value, begin, end,
                                getDenseI64ArrayAttr(ones), "end",
                                getDenseI64ArrayAttr(axes));
}

/// The weight as (group, phase of the kernel..., output, channel, elements of a
/// phase..., the last one first).
Value PhaseBuilder::arrangeWeight() {
  int64_t rank = conv.getRank();
  SmallVector<int64_t> order = {
      static_cast<int64_t>(conv.kernelLayout.find('I')),
      static_cast<int64_t>(conv.kernelLayout.find('O'))};
  for (char letter : conv.getSpatialLetters())
    order.push_back(conv.kernelLayout.find(letter));
  Value weight = transpose(conv.weight, order);

  auto type = cast<RankedTensorType>(weight.getType());
  SmallVector<int64_t> padding(2 * (rank + 2), 0);
  SmallVector<int64_t> shape = {conv.groups, conv.channels, conv.outputs};
  for (auto [index, axis] : llvm::enumerate(conv.axes)) {
    padding[2 * (2 + index) + 1] =
        axis.getMaxTaps() * axis.stride - type.getDimSize(2 + index);
    llvm::append_values(shape, axis.getMaxTaps(), axis.stride);
  }
  if (llvm::any_of(padding, [](int64_t width) { return width != 0; })) {
    auto scalar = RankedTensorType::get({}, type.getElementType());
    Value zero = ConstantOp::create(
        *this, scalar,
        DenseElementsAttr::get(scalar, getZeroAttr(type.getElementType())));
    weight = NNPadOp::create(*this, weight, zero, padding, "constant");
  }
  weight = reshape(weight, shape);
  SmallVector<int64_t> axes = {0};
  for (int64_t axis = 0; axis < rank; ++axis)
    axes.push_back(3 + 2 * axis + 1);
  llvm::append_values(axes, 2, 1);
  for (int64_t axis = 0; axis < rank; ++axis)
    axes.push_back(3 + 2 * axis);
  weight = transpose(weight, axes);
  for (auto [index, axis] : llvm::enumerate(conv.axes))
    if (axis.getMaxTaps() > 1)
      weight = ReverseOp::create(*this, weight,
                                 static_cast<int64_t>(3 + rank + index));
  return weight;
}

/// The convolution of some phases along each axis.
Value PhaseBuilder::buildPhases(Value weight, ArrayRef<PhaseGroup> groups) {
  int64_t rank = conv.getRank();
  SmallVector<int64_t> begin, end, sliced, dataBegin, dataEnd, dataSliced;
  SmallVector<int64_t> weightShape = {0, conv.channels}, phases;
  SmallVector<int64_t> before, after, dilation, kernelSize;
  int64_t outputs = conv.outputs * conv.groups;
  for (auto [index, axis, group] : llvm::enumerate(conv.axes, groups)) {
    begin.push_back(group.kernelFirst);
    end.push_back(group.kernelFirst + group.count);
    sliced.push_back(1 + index);
    phases.push_back(group.count);
    outputs *= group.count;
    kernelSize.push_back(group.taps);
    dilation.push_back(axis.dilation);
    int64_t low = axis.getPadBefore(group), high = axis.getPadAfter(group);
    before.push_back(std::max<int64_t>(low, 0));
    after.push_back(std::max<int64_t>(high, 0));
    if (low >= 0 && high >= 0)
      continue;
    dataBegin.push_back(std::max<int64_t>(-low, 0));
    dataEnd.push_back(high < 0 ? high : kEnd);
    dataSliced.push_back(conv.dataLayout.find(conv.getSpatialLetters()[index]));
  }
  for (auto [index, axis, group] : llvm::enumerate(conv.axes, groups)) {
    begin.push_back(axis.getMaxTaps() - group.taps);
    end.push_back(axis.getMaxTaps());
    sliced.push_back(3 + rank + index);
    weightShape.push_back(group.taps);
  }
  auto weightType = cast<RankedTensorType>(weight.getType());
  bool isWhole = true;
  for (auto [axis, low, high] : llvm::zip_equal(sliced, begin, end))
    isWhole &= high - low == weightType.getDimSize(axis);
  if (!isWhole)
    weight = slice(weight, begin, end, sliced);
  weightShape.front() = outputs;
  weight = reshape(weight, weightShape);
  Value data = slice(conv.data, dataBegin, dataEnd, dataSliced);

  SmallVector<int64_t> strides(rank, 1), padding = before;
  llvm::append_range(padding, after);
  std::string kernelLayout = ("OI" + conv.getSpatialLetters()).str();
  auto create = [&](auto tag) -> Value {
    return decltype(tag)::create(
        *this, data, weight, strides, padding, dilation, conv.groups,
        getI64IntegerAttr(outputs), getDenseI64ArrayAttr(kernelSize),
        conv.dataLayout, kernelLayout, conv.outLayout, conv.outDtype);
  };
  Value result = rank == 1   ? create(NNConv1dOp())
                 : rank == 2 ? create(NNConv2dOp())
                             : create(NNConv3dOp());
  return placePhases(result, phases);
}

/// Puts the phases that are among the channels of `result` behind the results
/// that they belong to.
Value PhaseBuilder::placePhases(Value result, ArrayRef<int64_t> phases) {
  // One letter for each dimension, small for phases, g for groups.
  std::string dims = conv.resultLayout.str();
  SmallVector<std::pair<char, int64_t>> parts;
  if (conv.groups > 1)
    parts.push_back({'g', conv.groups});
  for (auto [letter, count] : llvm::zip_equal(conv.getSpatialLetters(), phases))
    if (count > 1)
      parts.push_back({llvm::toLower(letter), count});
  for (auto [letter, count] : parts) {
    size_t channel = dims.find('C');
    SmallVector<int64_t> codes(dims.size() + 2, 0);
    codes[channel] = -4;
    codes[channel + 1] = count;
    codes[channel + 2] = -1;
    result = reshape(result, codes);
    dims.insert(channel, 1, letter);
  }
  std::string placed = getPlacedDims();
  SmallVector<int64_t> order;
  for (char letter : placed)
    if (size_t dim = dims.find(letter); dim != std::string::npos)
      order.push_back(dim);
  result = transpose(result, order);
  // Single phases are not among the channels.
  SmallVector<int64_t> codes;
  for (char letter : placed) {
    if (dims.find(letter) != std::string::npos) {
      codes.push_back(0);
      continue;
    }
    codes.pop_back();
    llvm::append_values(codes, -4, -1, 1);
  }
  return reshape(result, codes);
}

/// The dimensions of interleaved phases.
std::string PhaseBuilder::getPlacedDims() const {
  std::string dims;
  for (char letter : conv.resultLayout) {
    if (letter == 'C' && conv.groups > 1)
      dims += 'g';
    dims += letter;
    size_t axis = conv.getSpatialLetters().find(letter);
    if (axis != StringRef::npos && conv.axes[axis].stride > 1)
      dims += llvm::toLower(letter);
  }
  return dims;
}

/// All phases along the axes that are not chosen yet.
Value PhaseBuilder::buildAxis(Value weight,
                              SmallVectorImpl<PhaseGroup> &chosen) {
  int64_t axis = chosen.size();
  if (axis == conv.getRank())
    return buildPhases(weight, chosen);
  SmallVector<Value> parts;
  for (const PhaseGroup &group : conv.axes[axis].getGroups()) {
    chosen.push_back(group);
    parts.push_back(buildAxis(weight, chosen));
    chosen.pop_back();
  }
  if (parts.size() == 1)
    return parts.front();
  char letter = llvm::toLower(conv.getSpatialLetters()[axis]);
  return ConcatenateOp::create(*this, parts, getPlacedDims().find(letter));
}

/// Merges phases and results, and drops what was computed too much.
Value PhaseBuilder::mergePhases(Value placed) {
  SmallVector<int64_t> codes, begin, end, sliced;
  for (auto [dim, letter] : llvm::enumerate(conv.resultLayout)) {
    size_t axis = conv.getSpatialLetters().find(letter);
    bool isSpatial = axis != StringRef::npos;
    bool isMerged = isSpatial ? conv.axes[axis].stride > 1
                              : letter == 'C' && conv.groups > 1;
    codes.push_back(isMerged ? -3 : 0);
    if (isSpatial && conv.axes[axis].excess != 0) {
      begin.push_back(0);
      end.push_back(-conv.axes[axis].excess);
      sliced.push_back(dim);
    }
  }
  return slice(reshape(placed, codes), begin, end, sliced);
}

Value PhaseBuilder::build() {
  SmallVector<PhaseGroup> chosen;
  return mergePhases(buildAxis(arrangeWeight(), chosen));
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

/// One element along an axis has no neighbour to be a stride away from. With
/// that of the kernel, each element of the kernel makes results of its own.
template <typename OpT>
static void widenStrides(OpT op) {
  auto data = cast<RankedTensorType>(op.getData().getType());
  auto weight = cast<RankedTensorType>(op.getWeight().getType());
  SmallVector<int64_t> strides = llvm::to_vector(op.getStrides());
  StringRef letters = StringRef("DHW").take_back(strides.size());
  for (auto [i, letter] : llvm::enumerate(letters)) {
    size_t dim = op.getDataLayout().find(letter);
    size_t kernelDim = op.getKernelLayout().find(letter);
    if (dim == StringRef::npos || kernelDim == StringRef::npos)
      return;
    if (data.getDimSize(dim) == 1 && op.getDilation()[i] == 1)
      strides[i] = std::max(strides[i], weight.getDimSize(kernelDim));
  }
  op.setStrides(strides);
}

template <typename OpT>
static std::optional<TransposedConv> matchTransposedConv(OpT op) {
  auto data = dyn_cast<RankedTensorType>(op.getData().getType());
  auto weight = dyn_cast<RankedTensorType>(op.getWeight().getType());
  auto type = dyn_cast<RankedTensorType>(op.getType());
  if (!data || !weight || !type || !weight.hasStaticShape() ||
      weight.getNumElements() == 0)
    return std::nullopt;
  widenStrides(op);
  TransposedConv conv{op.getData(),
                      op.getWeight(),
                      type,
                      {},
                      static_cast<int64_t>(op.getGroups()),
                      0,
                      0,
                      op.getDataLayout(),
                      op.getKernelLayout(),
                      op.getOutLayout(),
                      op.getOutLayout(),
                      op.getOutDtypeAttr()};
  if (conv.resultLayout.empty())
    conv.resultLayout = conv.dataLayout;
  int64_t rank = data.getRank() - 2;
  std::string letters = ("NC" + StringRef("DHW").take_back(rank)).str();
  std::string kernelLetters = ("IO" + StringRef("DHW").take_back(rank)).str();
  auto isPermutation = [](StringRef layout, StringRef letters) {
    return layout.size() == letters.size() &&
           llvm::all_of(letters,
                        [&](char letter) { return layout.contains(letter); });
  };
  FailureOr<Padding> padding = expandPadding(op.getPadding(), rank);
  if (rank < 1 || rank > 3 || failed(padding) ||
      !isPermutation(conv.dataLayout, letters) ||
      !isPermutation(conv.resultLayout, letters) ||
      !isPermutation(conv.kernelLayout, kernelLetters))
    return std::nullopt;
  conv.channels = weight.getDimSize(conv.kernelLayout.find('I')) / conv.groups;
  conv.outputs = weight.getDimSize(conv.kernelLayout.find('O'));
  bool isPlain = true;
  for (int64_t i = 0; i < rank; ++i) {
    int64_t stride = op.getStrides()[i], dilation = op.getDilation()[i];
    int64_t kernel = weight.getDimSize(conv.kernelLayout.find(letters[2 + i]));
    // Phases of both would be fewer and farther apart.
    if ((stride > 1 && dilation > 1) || padding->before[i] < 0 ||
        padding->after[i] < 0)
      return std::nullopt;
    conv.axes.push_back(
        TransposedAxis::get(stride, kernel, dilation, padding->before[i],
                            padding->after[i], op.getOutputPadding()[i]));
    isPlain &= kernel == stride && conv.axes[i].growth == 0 &&
               conv.axes[i].excess == 0 && padding->before[i] == 0;
  }
  // Where each element of the data has results of its own, one matrix product
  // stores them where they belong: nothing is to be interleaved.
  constexpr int64_t kMinColumns = 8;
  if (isPlain && conv.groups == 1 && conv.outputs >= kMinColumns &&
      conv.resultLayout.back() == 'C')
    return std::nullopt;
  return conv;
}

namespace {

struct SplitTransposedConvPass final
    : relay::impl::SplitTransposedConvPassBase<SplitTransposedConvPass> {
  using SplitTransposedConvPassBase::SplitTransposedConvPassBase;

  void runOnOperation() override {
    // What is made holds none of them; each one's data may be another's result.
    getOperation().walk([&](Operation *op) {
      std::optional<TransposedConv> conv =
          llvm::TypeSwitch<Operation *, std::optional<TransposedConv>>(op)
              .Case<NNConv1dTransposeOp, NNConv2dTransposeOp,
                    NNConv3dTransposeOp>(
                  [](auto conv) { return matchTransposedConv(conv); })
              .Default(std::nullopt);
      if (!conv)
        return;
      Value result = PhaseBuilder(op, *conv).build();
      result.setType(conv->type);
      op->getResult(0).replaceAllUsesWith(result);
      op->erase();
      ++numSplit;
    });
  }
};

} // namespace
