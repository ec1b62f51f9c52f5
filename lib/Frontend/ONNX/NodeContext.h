//===- NodeContext.h - What a converter sees of its node --------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_LIB_FRONTEND_ONNX_NODECONTEXT_H
#define RELAY_MLIR_LIB_FRONTEND_ONNX_NODECONTEXT_H

#include "Model.h"
#include "ShapeValues.h"
#include "Strings.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/OperationSupport.h"

namespace mlir::relay::onnx {

class Importer;
struct Binding;
struct PendingNode;

/// One node while it is converted: its inputs and attributes, and the means to
/// build operators.
///
/// Errors stick: whoever finds one reports it and goes on with a null value,
/// which every operator built from it hands on. The converter fails at the end.
class NodeContext {
public:
  NodeContext(Importer &importer, PendingNode &pending);

  const Node &getNode() const;
  /// How many nodes with random results of this `name` were converted before.
  unsigned countRandom(StringRef name) const;
  /// The numbers of the iterations of the loops around the node, scalars or
  /// vectors of one element.
  SmallVector<Value> getIterations() const;
  StringRef getOpType() const { return getNode().opType; }
  /// The opset of the node's domain.
  int64_t getOpset() const;

  //===--------------------------------------------------------------------===//
  // Inputs
  //===--------------------------------------------------------------------===//

  unsigned getNumInputs() const;
  /// False for an optional input that is left out.
  bool hasInput(unsigned index) const;
  /// Null for an input that is left out, or that is consumed as contents.
  /// Floats of 16 bits are in f32 where the operator is composed.
  Value getInput(unsigned index) const;
  /// All inputs, in order.
  SmallVector<Value> getInputs() const;
  /// Fails unless input `index`, if it is there, has elements of the type that
  /// those of input `other` have.
  LogicalResult expectSameElements(unsigned index, unsigned other) const;
  /// The type that the input has in the model.
  RankedTensorType getInputType(unsigned index) const;
  /// The sizes of an input, as far as they are known.
  SmallVector<ShapeScalar> getInputDims(unsigned index) const;

  /// Fails if an input is of a type that ONNX does not have for it.
  LogicalResult checkInputTypes();
  /// Casts the inputs of a composed operator that are floats of 16 bits to f32.
  void widenInputs();
  /// `value` in f32 if it has floats of 16 bits.
  Value widen(Value value);

  /// True for an input whose numbers cannot be known at import.
  bool isComputed(unsigned index) const;
  /// The numbers in an input, if they can be computed now.
  const ShapeTensor *getContents(unsigned index) const;
  /// The same of a few integers of which some may be known only when the model
  /// runs: those are unknown in every case.
  const ShapeTensor *getPartialContents(unsigned index) const;
  /// The integers in an input. Reports an error if they depend on anything.
  FailureOr<SmallVector<int64_t>> getConstantInts(unsigned index);
  /// The same for an input with one element.
  FailureOr<int64_t> getConstantInt(unsigned index);
  /// The number in an input with one element, if it is constant.
  std::optional<double> getConstantFloat(unsigned index) const;
  /// The integers in an input, a number or a vector of known length, as a
  /// vector of 64 bits that may be computed when the model runs. Null, and an
  /// error, if it is none.
  Value getIntsValue(unsigned index);

  //===--------------------------------------------------------------------===//
  // Attributes
  //===--------------------------------------------------------------------===//

  bool hasAttr(StringRef name) const;
  int64_t getInt(StringRef name, int64_t defaultValue);
  /// The same for one that is 0 or 1. Reports an error for any other.
  bool getBool(StringRef name, bool defaultValue);
  double getFloat(StringRef name, double defaultValue);
  StringRef getString(StringRef name, StringRef defaultValue);
  std::optional<ArrayRef<int64_t>> getInts(StringRef name);
  std::optional<ArrayRef<float>> getFloats(StringRef name);
  ArrayRef<std::string> getStrings(StringRef name);
  /// The numbers of strings that attribute `name` has. Reports an error for
  /// what a tensor cannot have.
  SmallVector<int64_t> getStringNumbers(StringRef name,
                                        ArrayRef<std::string> texts);
  const Tensor *getTensor(StringRef name);
  /// The value of TensorProto.DataType in an attribute; `defaultValue` if there
  /// is none. Reports an error for what is no such value.
  DataType getDataType(StringRef name, DataType defaultValue);
  /// The elements of a tensor; null if there is none, or after an error.
  DenseElementsAttr getElements(StringRef name);
  /// The number that ConstantOfShape repeats.
  FailureOr<DenseElementsAttr> getFillValue();

  /// `axis` counted from the front; reports an error if it is outside
  /// [-rank, rank).
  FailureOr<int64_t> normalizeAxis(int64_t axis, int64_t rank);
  FailureOr<SmallVector<int64_t>> normalizeAxes(ArrayRef<int64_t> axes,
                                                int64_t rank);

  //===--------------------------------------------------------------------===//
  // Rewriting, of a node that is not converted yet
  //===--------------------------------------------------------------------===//

  void setAttr(NodeAttribute attribute);
  /// Input `index` as a value, also if its numbers are known; null if it cannot
  /// be read, which is reported.
  Value materializeInput(unsigned index);
  /// Replaces an input that there is.
  void setInput(unsigned index, Value value);
  /// Leaves the inputs from `index` on, and adds a vector of constants, which
  /// attribute or input `name` was before.
  void setLastInput(unsigned index, StringRef name, ArrayRef<int64_t> values);

  //===--------------------------------------------------------------------===//
  // Building
  //===--------------------------------------------------------------------===//

  OpBuilder &getBuilder() const;
  MLIRContext *getContext() const { return getBuilder().getContext(); }
  Location getLoc() const;

  /// Builds `OpT` with inferred result types. Null if an operand is null, or if
  /// the operator refuses its operands, which is reported.
  template <typename OpT>
  Value create(ArrayRef<Value> operands,
               typename OpT::Properties properties = {}) {
    OperationState state(getLoc(), OpT::getOperationName());
    state.addOperands(operands);
    if constexpr (!std::is_same_v<typename OpT::Properties, EmptyProperties>)
      state.getOrAddProperties<typename OpT::Properties>() =
          std::move(properties);
    return insert(state);
  }

  /// Builds what `state` says, which has no result types yet.
  Value insert(OperationState &state);

  /// Component `index` of a value with a tuple type.
  Value getTupleItem(Value tuple, unsigned index);

  Value createConstant(ElementsAttr value);
  /// A rank-0 constant of `elementType`.
  Value createScalar(double value, Type elementType);
  /// A constant vector of 64 bits.
  Value createInts(ArrayRef<int64_t> values);
  /// A vector of strings, by their numbers.
  Value createStrings(ArrayRef<int64_t> numbers);
  /// A vector of 64 bits of constants and of sizes of tensors. What is neither
  /// is taken from `source`, where it is at the same position.
  Value createInts(ArrayRef<ShapeScalar> values, Value source = {});
  /// A constant of floats of `elementType`, f32 or f64.
  Value createFloats(ArrayRef<double> values, ArrayRef<int64_t> shape,
                     Type elementType);

  RankedTensorType getType(Value value) const {
    return cast<RankedTensorType>(value.getType());
  }
  int64_t getRank(Value value) const { return getType(value).getRank(); }
  Type getElementType(Value value) const {
    return getType(value).getElementType();
  }
  /// The sizes of `value`, as far as they are known.
  SmallVector<ShapeScalar> getDims(Value value) const;

  Value castTo(Value value, Type elementType);
  Value reshape(Value value, ArrayRef<int64_t> newShape);
  /// Reshapes to sizes of which some depend on unknown ones.
  Value reshape(Value value, ArrayRef<ShapeScalar> sizes);
  /// The same where the codes of relay.reshape can say it; else null, without
  /// an error.
  Value reshapeByCodes(Value value, ArrayRef<ShapeScalar> sizes);
  Value transpose(Value value, ArrayRef<int64_t> permutation);
  Value expandDims(Value value, int64_t axis, int64_t count = 1);
  Value squeeze(Value value, ArrayRef<int64_t> axes);
  Value concatenate(ArrayRef<Value> values, int64_t axis = 0);
  /// Broadcasts to sizes of which some depend on unknown ones. Those may be
  /// computed as `source`, a vector.
  Value broadcast(Value value, ArrayRef<ShapeScalar> sizes, Value source = {});
  /// Two dimensions: those before `axis`, and those from `axis` on.
  Value flatten(Value value, int64_t axis);
  /// Rounds halves to the even neighbour.
  Value roundToEven(Value value);
  /// Adds leading dimensions of 1.
  Value expandRank(Value value, int64_t rank);
  /// The elements [begin, end) along `axis`, or each `step`-th of them.
  Value slice(Value value, int64_t axis, int64_t begin, int64_t end,
              int64_t step = 1);
  /// What begins at `begin` along `axis`, or each `step`-th element of it.
  Value dropFirst(Value value, int64_t axis, int64_t begin, int64_t step = 1) {
    return slice(value, axis, begin, std::numeric_limits<int64_t>::max(), step);
  }
  /// Pads `value` along `axis` with `number`; floats are infinities of their
  /// types where it is infinite.
  Value pad(Value value, int64_t axis, int64_t before, int64_t after,
            double number, StringRef mode = "constant");
  /// 0, 1, 2, ... of `elementType`, as many as `size`, which is a constant or
  /// the size of a tensor.
  Value createPositions(const ShapeScalar &size, Type elementType);
  /// 0, 1, 2, ... in the type and the shape of `line`, a vector.
  Value createPositions(Value line);
  /// `value`, where all elements of `condition` are true when the model runs;
  /// else the run ends with `message`, which says what it expects.
  Value assertThat(Value value, Value condition, const Twine &message);
  /// `value`, of which no element is negative when the model runs.
  Value assertNotNegative(Value value, const Twine &message);
  /// Indices counted from the front. `sizes` broadcasts against `indices`.
  Value wrapIndices(Value indices, Value sizes);
  /// Whether `value` is in [0, end).
  Value isWithin(Value value, Value end);
  /// 0, 1, 2, ..., as many as the number `count` says.
  Value createRange(Value count, Type elementType);
  /// A vector of zeros, as many as `value` has elements along `dim`.
  Value createLine(Value value, int64_t dim, Type elementType);
  /// The elements of `data` at `positions` along `axis`; those out of range
  /// are the nearest ones (`clip`), count on from the other end (`wrap`), or
  /// are not there, as the caller knows (`fast`).
  Value take(Value data, Value positions, int64_t axis,
             StringRef mode = "clip");
  /// The sizes of dimensions [begin, end) of `value`, as a vector of
  /// `elementType`; a constant if they are static.
  Value createSizes(Value value, int64_t begin, int64_t end, Type elementType);
  /// The size of one dimension, as a number of 64 bits.
  Value createSize(Value value, int64_t dim);
  /// Says what sizes `value` has where they depend on two unknown ones that
  /// must be equal, which is checked before each run. Returns `value`.
  Value assumeDims(Value value, ArrayRef<ShapeScalar> dims);
  /// The same for the result of an operator whose sizes are operands, whose
  /// type is told the constant ones. An unknown size is a new one.
  Value refineDims(Value value, ArrayRef<ShapeScalar> dims);
  /// `value`, whose sizes are `dims` where those are constants, which is
  /// checked when the model runs; what else is open is as they say, or a new
  /// one.
  Value expectDims(Value value, ArrayRef<ShapeScalar> dims);
  /// `value`, that has to have `size` elements along `axis`. Where that is not
  /// known it is checked when the model runs. Null, and an error, if it has
  /// not.
  Value expectSize(Value value, int64_t axis, int64_t size);
  /// Two values that have as many elements along an axis of each: where one of
  /// these sizes is open, it is the other.
  void expectEqualSizes(Value &lhs, int64_t lhsAxis, Value &rhs,
                        int64_t rhsAxis);
  /// `value`, to whose shape that of `other` broadcasts, shapes aligned at the
  /// end: an open size is not repeated to one of `other`. Reports an error
  /// where it does not.
  Value expectCovers(Value value, Value other);

  //===--------------------------------------------------------------------===//
  // Results
  //===--------------------------------------------------------------------===//

  /// True if somebody may read this output.
  bool wantsOutput(unsigned index) const;
  /// Reports an error if somebody may read this output.
  LogicalResult rejectOutput(unsigned index);
  /// Sets an output, in the floats of 16 bits of the inputs where the operator
  /// is composed. For null, reports that there is no such output if it is read.
  LogicalResult setOutput(unsigned index, Value value);
  LogicalResult setResult(Value value) { return setOutput(0, value); }

  /// A size that is unlike any other.
  ShapeScalar createSymbol();

  /// True if `size` is the size of a dimension of an argument.
  bool isArgumentSize(const ShapeScalar &size) const;

  /// Starts an error that names the file, the node, its operator and opset.
  InFlightDiagnostic emitError() const;
  /// The same for a warning.
  InFlightDiagnostic emitWarning() const;
  bool hasFailed() const { return hasError; }

  /// `value` where an error was just reported.
  std::nullptr_t fail() {
    hasError = true;
    return nullptr;
  }

private:
  const NodeAttribute *findAttr(StringRef name, NodeAttribute::Kind kind);
  /// Operands of an operator that broadcasts have one element along an open
  /// dimension that is repeated to that of another one, as the last row of an
  /// open number of them: only constants are repeated.
  void fixRepeatedSizes(OperationState &state);

  Importer &importer;
  PendingNode &pending;
  /// Inputs in f32 by their position, and the type that they had.
  llvm::SmallDenseMap<unsigned, Value> wideInputs;
  Type narrowType;
  mutable bool hasError = false;
};

} // namespace mlir::relay::onnx

#endif // RELAY_MLIR_LIB_FRONTEND_ONNX_NODECONTEXT_H
