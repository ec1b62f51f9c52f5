//===- Recurrent.cpp - Recurrent layers of ONNX ---------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The sequence length is static, so that the steps are written out. The inputs
// of all steps are multiplied with their weights at once; what is left for each
// step is the product with the state.
//
// DynamicQuantizeLSTM of ONNX Runtime is an LSTM with weights of 8 bits. What
// they are multiplied with is quantized to 8 bits before each product: all
// inputs at once, and the state of each step.
//
//===----------------------------------------------------------------------===//

#include "Recurrent.h"

#include "ComputedAxes.h"
#include "Contrib/Contrib.h"
#include "IntegerProducts.h"
#include "NodeContext.h"
#include "OpTable.h"
#include "Quantize.h"

#include "relay-mlir/Dialect/Relay/IR/Relay.h"
#include "relay-mlir/Support/FormatNumber.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace mlir::relay;
using namespace mlir::relay::onnx;

namespace {

/// A function with the numbers that it takes.
struct Activation {
  StringRef name;
  double alpha = 0, beta = 0;
};

/// Hidden and, for LSTM, cell state: (batch, hidden).
struct State {
  Value hidden;
  Value cell;
};

/// (outputs, inputs); for integers, (inputs, outputs) with the scale of all or
/// of each output, and the zero point.
struct Weight {
  Value data, scale, zeroPoint;
};

/// One layer, in up to two directions.
class RecurrentLayer {
public:
  /// `numGates` blocks of weights are stacked.
  RecurrentLayer(NodeContext &node, int64_t numGates, bool isQuantized)
      : node(node), numGates(numGates), isQuantized(isQuantized) {}

  LogicalResult convert();

private:
  /// What one direction works with.
  struct Direction {
    /// (seq, batch, gates * hidden): the products of all inputs.
    Value products;
    /// To gates * hidden.
    Weight recurrence;
    /// (gates * hidden): the bias of the product with the state.
    Value recurrenceBias;
    /// The three vectors of an LSTM's peepholes: input, output, forget.
    Value peepholes;
    ArrayRef<Activation> activations;
  };

  LogicalResult readAttributes();
  LogicalResult readActivations();
  LogicalResult readWeights();
  Weight getWeight(unsigned input, int64_t index);
  FailureOr<Direction> getDirection(int64_t index);
  State getInitialState(int64_t index);
  State step(const Direction &direction, Value product, State state);
  State stepRNN(const Direction &direction, Value product, State state);
  State stepGRU(const Direction &direction, Value product, State state);
  State stepLSTM(const Direction &direction, Value product, State state);

  /// Blocks of `value` along its axis `axis`: `count` of them, from `first` on.
  Value getGates(Value value, int64_t axis, int64_t first, int64_t count) {
    return node.slice(value, axis, first * hidden, (first + count) * hidden);
  }
  /// Block `index`.
  Value getGate(Value value, int64_t axis, int64_t index) {
    return getGates(value, axis, index, 1);
  }
  /// Row `index` of `value`, without its first dimension.
  Value getRow(Value value, int64_t index) {
    return node.squeeze(node.slice(value, 0, index, index + 1), {0});
  }
  Value add(Value a, Value b) { return node.create<AddOp>({a, b}); }
  Value mul(Value a, Value b) { return node.create<MultiplyOp>({a, b}); }
  Value dense(Value a, Value weight) {
    return node.create<NNDenseOp>({a, weight});
  }
  /// The product of rows with a weight. Those that are integers for which the
  /// model has the floats are not quantized again.
  Value dense(Value a, const Weight &weight, bool quantizes = true);
  Value number(double value, Value like) {
    return node.createScalar(value, node.getElementType(like));
  }
  Value activate(const Activation &activation, Value value,
                 bool isClipped = true);
  Value checkLengths(Value given);
  Value getMask(int64_t position);
  Value stack(ArrayRef<Value> values, int64_t axis);

  NodeContext &node;
  int64_t numGates;
  bool isQuantized;
  int64_t hidden = 0;
  int64_t length = 0;
  int64_t numDirections = 1;
  bool isReverse = false;
  /// The batch comes first in data, states and outputs.
  bool isBatchFirst = false;
  /// (seq, batch, input).
  Value input;
  SmallVector<Activation> activations;
  /// Gates are cut to [-clip, clip] before activations.
  std::optional<double> clip;
  /// Of an LSTM: what is not forgotten is not written.
  bool isCoupled = false;
  /// (batch, 1): how many steps there are; null if all.
  Value lengths;
};

} // namespace

//===----------------------------------------------------------------------===//
// Parts
//===----------------------------------------------------------------------===//

LogicalResult RecurrentLayer::readAttributes() {
  isBatchFirst = node.getBool("layout", false);
  input = node.getInput(0);
  if (isBatchFirst && node.getRank(input) == 3)
    input = node.transpose(input, {1, 0, 2});
  if (!input)
    return failure();
  RankedTensorType data = node.getType(input);
  if (data.getRank() != 3 || data.isDynamicDim(0))
    return node.emitError() << "expects data (sequence, batch, input) with a "
                               "static sequence length, but got "
                            << data;
  length = data.getDimSize(0);
  if (length > 4096)
    return node.emitError() << "expects a sequence length up to 4096, but "
                               "got "
                            << length;
  StringRef direction = node.getString("direction", "forward");
  if (direction != "forward" && direction != "reverse" &&
      direction != "bidirectional")
    return node.emitError() << "expects direction forward, reverse or "
                               "bidirectional, but got \""
                            << direction << "\"";
  isReverse = direction == "reverse";
  numDirections = direction == "bidirectional" ? 2 : 1;
  if (failed(readWeights()))
    return failure();
  if (node.hasAttr("clip")) {
    clip = node.getFloat("clip", 0);
    // Also false for NaN.
    if (!(*clip > 0))
      return node.emitError()
             << "expects clip to be positive, but got " << formatNumber(*clip);
  }
  isCoupled = node.getBool("input_forget", false);
  if (node.hasInput(4)) {
    // Lengths that are all the whole sequence say nothing.
    const ShapeTensor *contents = node.getContents(4);
    std::optional<SmallVector<int64_t>> values;
    if (contents)
      values = contents->getConstants();
    if (node.getInputType(4).getRank() != 1)
      return node.emitError() << "expects a length for each sequence, but got "
                              << node.getInputType(4);
    for (int64_t value : values.value_or(SmallVector<int64_t>()))
      if (value < 0 || value > length)
        return node.emitError()
               << "expects lengths from 0 to that of the "
               << "sequences, " << length << ", but got " << value;
    if (!values)
      lengths = node.expandDims(checkLengths(node.getInput(4)), 1);
    else if (llvm::any_of(*values, [&](int64_t i) { return i != length; }))
      lengths = node.expandDims(node.getInput(4), 1);
  }
  return readActivations();
}

LogicalResult RecurrentLayer::readWeights() {
  RankedTensorType recurrence = node.getInputType(2);
  int64_t rows = isQuantized ? 2 : 1, columns = isQuantized ? 1 : 2;
  if (recurrence.getRank() != 3 || recurrence.getDimSize(0) != numDirections ||
      recurrence.isDynamicDim(columns) ||
      recurrence.getDimSize(rows) != numGates * recurrence.getDimSize(columns))
    return node.emitError() << "expects recurrence weights (" << numDirections
                            << (isQuantized ? ", hidden, " : ", ") << numGates
                            << (isQuantized ? " * hidden" : " * hidden, hidden")
                            << "), but got " << recurrence;
  hidden = recurrence.getDimSize(columns);
  if (int64_t wanted = node.getInt("hidden_size", hidden); wanted != hidden)
    return node.emitError() << "expects recurrence weights of hidden_size "
                            << wanted << ", but got " << recurrence;
  if (!isQuantized)
    return success();
  for (unsigned input : {8, 9, 10, 11}) {
    RankedTensorType type = node.getInputType(input);
    bool isOne = type.getRank() == 1 && type.getDimSize(0) == numDirections;
    if (!isOne && (type.getRank() != 2 || type.getDimSize(0) != numDirections ||
                   type.getDimSize(1) != numGates * hidden))
      return node.emitError()
             << "expects a scale and a zero point for each direction, or for "
                "each of its "
             << numGates * hidden << " outputs, but got " << type;
  }
  return success();
}

Weight RecurrentLayer::getWeight(unsigned input, int64_t index) {
  Weight weight = {getRow(node.getInput(input), index), nullptr, nullptr};
  if (!isQuantized)
    return weight;
  unsigned scale = input == 1 ? 8 : 10;
  weight.scale = getRow(node.getInput(scale), index);
  weight.zeroPoint = getRow(node.getInput(scale + 1), index);
  return weight;
}

Value RecurrentLayer::dense(Value a, const Weight &weight, bool quantizes) {
  if (!isQuantized)
    return dense(a, weight.data);
  if (!quantizes) {
    Type type = node.getBuilder().getI32Type();
    Value numbers = node.create<SubtractOp>(
        {node.castTo(weight.data, type), node.castTo(weight.zeroPoint, type)});
    Value floats =
        mul(node.castTo(numbers, node.getElementType(a)), weight.scale);
    return floats ? dense(a, node.transpose(floats, {1, 0})) : nullptr;
  }
  auto rows = DynamicallyQuantized::get(node, a);
  if (!rows.data)
    return nullptr;
  Value sums = createIntegerMatmul(node, {rows.data, rows.zeroPoint},
                                   {weight.data, weight.zeroPoint});
  if (!sums)
    return nullptr;
  return mul(node.castTo(sums, node.getElementType(a)),
             mul(rows.scale, weight.scale));
}

/// Defaults are those of the operators of these names.
static constexpr RecurrentFunction kFunctions[] = {
    {"Relu", false, false, 0, 0},
    {"Tanh", false, false, 0, 0},
    {"Sigmoid", false, false, 0, 0},
    {"Softsign", false, false, 0, 0},
    {"Softplus", false, false, 0, 0},
    {"Affine", true, true, 1, 0},
    {"LeakyRelu", true, false, 0.01F, 0},
    {"ThresholdedRelu", true, false, 1, 0},
    {"ScaledTanh", true, true, 1, 1},
    {"HardSigmoid", true, true, 0.2F, 0.5},
    {"Elu", true, false, 1, 0},
};

const RecurrentFunction *
mlir::relay::onnx::lookupRecurrentFunction(StringRef name) {
  const auto *found =
      llvm::find_if(kFunctions, [&](const RecurrentFunction &function) {
        return function.name.equals_insensitive(name);
      });
  return found == std::end(kFunctions) ? nullptr : found;
}

LogicalResult RecurrentLayer::readActivations() {
  SmallVector<StringRef> names = {"Tanh"};
  if (numGates == 3)
    names = {"Sigmoid", "Tanh"};
  else if (numGates == 4)
    names = {"Sigmoid", "Tanh", "Tanh"};
  if (numDirections == 2)
    llvm::append_range(names, SmallVector<StringRef>(names));
  ArrayRef<std::string> given = node.getStrings("activations");
  if (!given.empty() && given.size() != names.size())
    return node.emitError() << "expects " << names.size()
                            << " activations, but got " << given.size();
  if (!given.empty())
    names.assign(given.begin(), given.end());
  // Numbers go to the functions that take some, in their order.
  ArrayRef<float> alphas =
      node.getFloats("activation_alpha").value_or(ArrayRef<float>());
  ArrayRef<float> betas =
      node.getFloats("activation_beta").value_or(ArrayRef<float>());
  auto next = [](ArrayRef<float> &numbers, double defaultValue) -> double {
    if (numbers.empty())
      return defaultValue;
    double number = numbers.front();
    numbers = numbers.drop_front();
    return number;
  };
  for (StringRef name : names) {
    const RecurrentFunction *known = lookupRecurrentFunction(name);
    if (!known) {
      InFlightDiagnostic error = node.emitError() << "expects activations of ";
      llvm::interleaveComma(
          kFunctions, error,
          [&](const RecurrentFunction &function) { error << function.name; });
      return error << ", but got \"" << name << "\"";
    }
    Activation activation{known->name};
    activation.alpha =
        known->hasAlpha ? next(alphas, known->alpha) : known->alpha;
    activation.beta = known->hasBeta ? next(betas, known->beta) : known->beta;
    activations.push_back(activation);
  }
  return success(!node.hasFailed());
}

Value RecurrentLayer::activate(const Activation &activation, Value value,
                               bool isClipped) {
  auto [name, alpha, beta] = activation;
  auto cut = [&](Value x, double low, double high) {
    ClipOp::Properties properties;
    properties.a_min = node.getBuilder().getF64FloatAttr(low);
    properties.a_max = node.getBuilder().getF64FloatAttr(high);
    return node.create<ClipOp>({x}, properties);
  };
  if (clip && isClipped)
    value = cut(value, -*clip, *clip);
  if (!value)
    return nullptr;
  auto choose = [&](Value condition, Value a, Value b) {
    return node.create<WhereOp>({condition, a, b});
  };
  Value zero = number(0, value), one = number(1, value);
  if (name == "Relu")
    return node.create<NNReluOp>({value});
  if (name == "Tanh")
    return node.create<TanhOp>({value});
  if (name == "Sigmoid")
    return node.create<SigmoidOp>({value});
  if (name == "Affine")
    return add(mul(value, number(alpha, value)), number(beta, value));
  if (name == "ScaledTanh")
    return mul(number(alpha, value),
               node.create<TanhOp>({mul(value, number(beta, value))}));
  if (name == "HardSigmoid")
    return cut(add(mul(value, number(alpha, value)), number(beta, value)), 0,
               1);
  if (name == "ThresholdedRelu")
    return choose(node.create<GreaterEqualOp>({value, number(alpha, value)}),
                  value, zero);
  Value isNegative = node.create<LessOp>({value, zero});
  if (name == "LeakyRelu")
    return choose(isNegative, mul(value, number(alpha, value)), value);
  if (name == "Elu") {
    Value low = node.create<ExpOp>({node.create<MinimumOp>({value, zero})});
    low = node.create<SubtractOp>({low, one});
    return choose(isNegative, mul(low, number(alpha, value)), value);
  }
  Value magnitude = node.create<AbsOp>({value});
  if (name == "Softplus") {
    Value tail = node.create<ExpOp>({node.create<NegativeOp>({magnitude})});
    return add(node.create<NNReluOp>({value}),
               node.create<LogOp>({add(one, tail)}));
  }
  assert(name == "Softsign" && "a function without a formula");
  return node.create<DivideOp>({value, add(one, magnitude)});
}

/// The lengths of sequences; others than there can be are an error when the
/// model runs.
Value RecurrentLayer::checkLengths(Value given) {
  Type i64 = node.getBuilder().getI64Type();
  Value all = node.castTo(given, i64);
  Value isRight = node.create<LogicalAndOp>(
      {node.create<GreaterEqualOp>({all, node.createScalar(0, i64)}),
       node.create<LessEqualOp>(
           {all, node.createScalar(static_cast<double>(length), i64)})});
  return node.assertThat(all, isRight,
                         "expects sequence_lens of 0 to " + Twine(length));
}

/// (batch, 1): which sequences have an element at `position`.
Value RecurrentLayer::getMask(int64_t position) {
  return node.create<GreaterOp>(
      {lengths, number(static_cast<double>(position), lengths)});
}

Value RecurrentLayer::stack(ArrayRef<Value> values, int64_t axis) {
  if (values.size() == 1)
    return node.expandDims(values.front(), axis);
  StackOp::Properties properties;
  properties.axis = node.getBuilder().getI64IntegerAttr(axis);
  return node.create<StackOp>(values, properties);
}

FailureOr<RecurrentLayer::Direction>
RecurrentLayer::getDirection(int64_t index) {
  Direction direction;
  direction.recurrence = getWeight(2, index);
  if (node.hasInput(7))
    direction.peepholes = getRow(node.getInput(7), index);
  size_t count = activations.size() / numDirections;
  direction.activations = ArrayRef(activations).slice(index * count, count);

  // All steps are rows of one product.
  SmallVector<ShapeScalar> dims = node.getDims(input);
  direction.products = dense(node.flatten(input, 2), getWeight(1, index),
                             node.getBool("__quantizes_data", true));
  if (node.hasInput(3)) {
    Value bias = getRow(node.getInput(3), index);
    int64_t size = numGates * hidden;
    direction.products = add(direction.products, node.slice(bias, 0, 0, size));
    direction.recurrenceBias = node.slice(bias, 0, size, 2 * size);
  }
  dims.back() = ShapeScalar::get(numGates * hidden);
  direction.products = node.reshape(direction.products, dims);
  if (!direction.products || !direction.recurrence.data)
    return failure();
  return direction;
}

State RecurrentLayer::getInitialState(int64_t index) {
  Type type = node.getElementType(input);
  auto get = [&](unsigned operand) -> Value {
    if (Value state = node.getInput(operand))
      return getRow(isBatchFirst ? node.transpose(state, {1, 0, 2}) : state,
                    index);
    Value zero = node.createScalar(0, type);
    return node.broadcast(node.expandRank(zero, 2),
                          {node.getDims(input)[1], ShapeScalar::get(hidden)});
  };
  State state;
  state.hidden = get(5);
  if (numGates == 4)
    state.cell = get(6);
  return state;
}

//===----------------------------------------------------------------------===//
// Steps
//===----------------------------------------------------------------------===//

State RecurrentLayer::stepRNN(const Direction &direction, Value product,
                              State state) {
  Value sum = add(product, dense(state.hidden, direction.recurrence));
  if (direction.recurrenceBias)
    sum = add(sum, direction.recurrenceBias);
  return {activate(direction.activations[0], sum), nullptr};
}

/// The gates are update, reset, hidden.
State RecurrentLayer::stepGRU(const Direction &direction, Value product,
                              State state) {
  bool resetsAfter = node.getBool("linear_before_reset", false);
  auto getProduct = [&](Value value, int64_t first, int64_t count) {
    Value result =
        dense(value, getGates(direction.recurrence.data, 0, first, count));
    if (direction.recurrenceBias)
      result = add(result, getGates(direction.recurrenceBias, 0, first, count));
    return result;
  };
  // One product for all gates that have the same factor.
  Value ofState = getProduct(state.hidden, 0, resetsAfter ? 3 : 2);
  auto getSum = [&](int64_t gate) {
    return activate(direction.activations[0],
                    add(getGate(product, 1, gate), getGate(ofState, 1, gate)));
  };
  Value update = getSum(0), reset = getSum(1);
  Value recurrent = resetsAfter ? mul(reset, getGate(ofState, 1, 2))
                                : getProduct(mul(reset, state.hidden), 2, 1);
  Value candidate = activate(direction.activations[1],
                             add(getGate(product, 1, 2), recurrent));
  // (1 - update) * candidate + update * hidden
  Value difference = node.create<SubtractOp>({state.hidden, candidate});
  return {add(candidate, mul(update, difference)), nullptr};
}

/// The gates are input, output, forget, cell.
State RecurrentLayer::stepLSTM(const Direction &direction, Value product,
                               State state) {
  Value sum = add(product, dense(state.hidden, direction.recurrence));
  if (direction.recurrenceBias)
    sum = add(sum, direction.recurrenceBias);
  auto getSum = [&](int64_t gate, Value cell, int64_t peephole) {
    Value part = getGate(sum, 1, gate);
    if (direction.peepholes && peephole >= 0)
      part = add(part, mul(getGate(direction.peepholes, 0, peephole), cell));
    return part;
  };
  const Activation &f = direction.activations[0];
  const Activation &g = direction.activations[1];
  const Activation &h = direction.activations[2];
  Value write = activate(f, getSum(0, state.cell, 0));
  Value forget =
      isCoupled
          ? node.create<SubtractOp>({write ? number(1, write) : write, write})
          : activate(f, getSum(2, state.cell, 2));
  Value candidate = activate(g, getSum(3, nullptr, -1));
  Value cell = add(mul(forget, state.cell), mul(write, candidate));
  Value output = activate(f, getSum(1, cell, 1));
  // As in ONNX Runtime, the cell is not clipped.
  return {mul(output, activate(h, cell, /*isClipped=*/false)), cell};
}

State RecurrentLayer::step(const Direction &direction, Value product,
                           State state) {
  switch (numGates) {
  case 1:
    return stepRNN(direction, product, state);
  case 3:
    return stepGRU(direction, product, state);
  default:
    return stepLSTM(direction, product, state);
  }
}

LogicalResult RecurrentLayer::convert() {
  if (failed(readAttributes()))
    return failure();
  SmallVector<Value> outputs, hiddens, cells;
  for (int64_t index = 0; index < numDirections; ++index) {
    FailureOr<Direction> direction = getDirection(index);
    if (failed(direction))
      return failure();
    bool backward = isReverse || index == 1;
    State state = getInitialState(index);
    SmallVector<Value> steps(length);
    for (int64_t i = 0; i < length; ++i) {
      int64_t position = backward ? length - 1 - i : i;
      State last = state;
      state = step(*direction, getRow(direction->products, position), state);
      if (!state.hidden || node.hasFailed())
        return failure();
      steps[position] = state.hidden;
      if (!lengths)
        continue;
      // Behind its end, a sequence keeps its state, and gives nothing.
      Value mask = getMask(position);
      auto keep = [&](Value next, Value old) {
        return next ? node.create<WhereOp>({mask, next, old}) : next;
      };
      steps[position] = keep(state.hidden, number(0, state.hidden));
      state = {keep(state.hidden, last.hidden), keep(state.cell, last.cell)};
    }
    if (lengths) {
      // An empty one has no last state; ONNX Runtime gives zeros.
      Value mask = getMask(0);
      auto clear = [&](Value last) {
        return last ? node.create<WhereOp>({mask, last, number(0, last)})
                    : last;
      };
      state = {clear(state.hidden), clear(state.cell)};
    }
    outputs.push_back(
        length == 0 ? node.slice(node.expandDims(state.hidden, 0), 0, 0, 0)
                    : stack(steps, 0));
    hiddens.push_back(state.hidden);
    cells.push_back(state.cell);
  }
  // (seq, directions, batch, hidden), and the last states.
  auto setOutput = [&](unsigned index, ArrayRef<Value> values, int64_t axis,
                       ArrayRef<int64_t> batchFirst) -> LogicalResult {
    if (!node.wantsOutput(index))
      return success();
    // Only an LSTM has cells.
    if (!values.front())
      return node.rejectOutput(index);
    Value output = stack(values, axis);
    return node.setOutput(
        index, isBatchFirst ? node.transpose(output, batchFirst) : output);
  };
  return success(succeeded(setOutput(0, outputs, 1, {2, 0, 1, 3})) &&
                 succeeded(setOutput(1, hiddens, 0, {1, 0, 2})) &&
                 succeeded(setOutput(2, cells, 0, {1, 0, 2})));
}

template <int64_t numGates, bool isQuantized = false>
static LogicalResult convertRecurrent(NodeContext &node) {
  return RecurrentLayer(node, numGates, isQuantized).convert();
}

void mlir::relay::onnx::addRecurrentOps(OpTable &table) {
  auto add = [&](StringRef name, OpEntry::Converter convert,
                 unsigned maxInputs) {
    table.add({name}, {convert, kOldestOpset, kNewestOpset, 3, maxInputs,
                       /*contentInputs=*/0, /*isComposed=*/true});
  };
  add("GRU", convertRecurrent<3>, 6);
  add("LSTM", convertRecurrent<4>, 8);
  add("RNN", convertRecurrent<1>, 6);
  addContrib(table, "DynamicQuantizeLSTM",
             convertRecurrent<4, /*isQuantized=*/true>, {0, 1, 2, 8, 9, 10, 11},
             12);
}
