//===- Optimizers.cpp - Steps of optimizers of ONNX ---===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Operators of the domain ai.onnx.preview.training. Each updates any number of
// tensors: the inputs are the learning rate, the number of the step, and then
// all tensors, all gradients and all of each state.
//
//===----------------------------------------------------------------------===//

#include "Formula.h"
#include "OpTable.h"

using namespace mlir;
using namespace mlir::relay;
using namespace mlir::relay::onnx;

namespace {

/// One tensor that is updated.
struct Update {
  NodeContext &node;
  /// Arithmetic of its type.
  Formula f;
  Value tensor;
  /// With the derivative of the regularization.
  Value gradient;
  /// What the optimizer keeps from step to step.
  SmallVector<Value, 2> states;

  Value scale(Value value, double factor) const {
    return f.mul(value, f.number(factor));
  }
};

} // namespace

/// Reads the tensors of one update after the other, and writes what `step`
/// makes of them: the tensor and the states.
static LogicalResult
convertOptimizer(NodeContext &node, int64_t numStates,
                 llvm::function_ref<SmallVector<Value>(const Update &)> step) {
  int64_t numParts = numStates + 2;
  int64_t numInputs = static_cast<int64_t>(node.getNumInputs()) - 2;
  if (numInputs % numParts != 0)
    return node.emitError()
           << "expects a rate, a number and " << numParts
           << " inputs for each tensor, but got " << node.getNumInputs();
  int64_t count = numInputs / numParts;
  double norm = node.getFloat("norm_coefficient", 0);
  for (int64_t i = 0; i < count; ++i) {
    auto part = [&](int64_t number) {
      return node.getInput(2 + number * count + i);
    };
    Update update{node, Formula(node, part(0)), part(0), part(1), {}};
    update.gradient =
        update.f.add(update.scale(update.tensor, norm), update.gradient);
    for (int64_t state = 0; state < numStates; ++state)
      update.states.push_back(part(2 + state));
    for (auto [number, value] : llvm::enumerate(step(update)))
      if (failed(node.setOutput(number * count + i, value)))
        return failure();
  }
  return success();
}

/// The rate and the number of the step, as numbers of the type of `update`.
static std::pair<Value, Value> getStep(const Update &update) {
  NodeContext &node = update.node;
  Type type = node.getElementType(update.tensor);
  auto number = [&](unsigned index) {
    return node.castTo(node.reshape(node.getInput(index), ArrayRef<int64_t>()),
                       type);
  };
  return {number(0), number(1)};
}

static LogicalResult convertAdagrad(NodeContext &node) {
  double decay = node.getFloat("decay_factor", 0);
  double epsilon = node.getFloat("epsilon", 1e-6f);
  return convertOptimizer(node, 1, [&](const Update &update) {
    const Formula &f = update.f;
    auto [rate, count] = getStep(update);
    rate = f.div(rate, f.add(f.number(1), update.scale(count, decay)));
    Value squares =
        f.add(update.states[0], f.mul(update.gradient, update.gradient));
    Value divisor = f.add(f.sqrt(squares), f.number(epsilon));
    Value change = f.div(f.mul(rate, update.gradient), divisor);
    return SmallVector<Value>{f.sub(update.tensor, change), squares};
  });
}

static LogicalResult convertAdam(NodeContext &node) {
  double alpha = node.getFloat("alpha", 0.9f);
  double beta = node.getFloat("beta", 0.999f);
  double epsilon = node.getFloat("epsilon", 1e-6f);
  double after = node.getFloat("norm_coefficient_post", 0);
  return convertOptimizer(node, 2, [&](const Update &update) {
    const Formula &f = update.f;
    auto [rate, count] = getStep(update);
    Value mean = f.add(update.scale(update.states[0], alpha),
                       update.scale(update.gradient, 1 - alpha));
    Value squares =
        f.add(update.scale(update.states[1], beta),
              update.scale(f.mul(update.gradient, update.gradient), 1 - beta));
    auto rest = [&, count = count](double base) {
      Value power = node.create<PowerOp>({f.number(base), count});
      return f.sub(f.number(1), power);
    };
    Value adjusted = f.div(f.mul(rate, f.sqrt(rest(beta))), rest(alpha));
    adjusted = f.select(f.greater(count, f.number(0)), adjusted, rate);
    Value divisor = f.add(f.sqrt(squares), f.number(epsilon));
    Value changed = f.sub(update.tensor, f.div(f.mul(adjusted, mean), divisor));
    return SmallVector<Value>{update.scale(changed, 1 - after), mean, squares};
  });
}

static LogicalResult convertMomentum(NodeContext &node) {
  double alpha = node.getFloat("alpha", 0);
  double beta = node.getFloat("beta", 0);
  StringRef mode = node.getString("mode", "");
  if (mode != "standard" && mode != "nesterov")
    return node.emitError()
           << "expects mode standard or nesterov, but got \"" << mode << "\"";
  return convertOptimizer(node, 1, [&](const Update &update) {
    const Formula &f = update.f;
    auto [rate, count] = getStep(update);
    // The first step takes the whole gradient.
    Value share =
        f.select(f.greater(count, f.number(0)), f.number(beta), f.number(1));
    Value momentum = f.add(update.scale(update.states[0], alpha),
                           f.mul(share, update.gradient));
    Value direction = mode == "standard" ? momentum
                                         : f.add(update.gradient,
                                                 update.scale(momentum, alpha));
    return SmallVector<Value>{f.sub(update.tensor, f.mul(rate, direction)),
                              momentum};
  });
}

void mlir::relay::onnx::addOptimizerOps(OpTable &table) {
  auto add = [&](StringRef name, OpEntry::Converter convert) {
    table.add("ai.onnx.preview.training", {name},
              {std::move(convert), 1, 1, 2, kVariadic});
  };
  add("Adagrad", convertAdagrad);
  add("Adam", convertAdam);
  add("Momentum", convertMomentum);
}
