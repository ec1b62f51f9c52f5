//===- ScalarCode.cpp - Code of the scalar core ---------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A program has one instruction in a line. It begins with
//
//   kernel <name> <buffers> <sizes>
//   near <bytes>                        for each buffer near to the core
//
// The first operand is what is computed; "%" are registers, "b" are buffers of
// the call and "n" those near to the core. What an instruction does is what the
// operation of its name does; integers have their bits as the last operand.
//
//===----------------------------------------------------------------------===//

#include "ScalarCode.h"

#include "ScalarTarget.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace scalar;

namespace {

/// Writes one kernel.
class CodeWriter {
public:
  explicit CodeWriter(int64_t memory) : memory(memory), os(body) {}

  FailureOr<std::string> write(func::FuncOp function);

private:
  /// Where the elements of a memref are: its buffer, and the registers of the
  /// first element's index and of the distances along its dimensions.
  struct View {
    std::string buffer;
    std::string offset;
    SmallVector<std::string> strides;
  };

  std::string newRegister() { return "%" + std::to_string(numRegisters++); }
  std::string get(Value value) { return registers.lookup(value); }
  std::string define(Value value) { return registers[value] = newRegister(); }
  template <typename... Args>
  std::string emit(StringRef name, Args &&...args) {
    std::string to = newRegister();
    os << name << ' ' << to;
    ((os << ' ' << args), ...);
    os << '\n';
    return to;
  }
  std::string getInteger(int64_t value) { return emit("int", value); }
  std::string getSize(Value memref, int64_t dim);
  std::string getIndex(const View &view, ValueRange indices);
  void addView(Value memref, std::string buffer);
  LogicalResult addSubview(memref::SubViewOp op);
  LogicalResult addNearBuffer(memref::AllocaOp op);
  LogicalResult writeBlock(Block &block);
  LogicalResult writeOp(Operation &op);
  LogicalResult writeLoop(scf::ForOp loop);
  LogicalResult writeBranch(scf::IfOp branch);
  LogicalResult writeArithmetic(Operation &op);
  /// Several values at once: some may be among the targets.
  void move(ValueRange from, ArrayRef<std::string> to);

  int64_t memory;
  int64_t nearBytes = 0;
  std::string header, body;
  llvm::raw_string_ostream os;
  unsigned numRegisters = 0, numNear = 0;
  DenseMap<Value, std::string> registers;
  DenseMap<Value, View> views;
  /// The number among the sizes of a call of each dimension that is open.
  DenseMap<std::pair<Value, int64_t>, int64_t> sizes;
};

} // namespace

/// The bits of an element or a number; failure for what the core does not know.
static FailureOr<int64_t> getBits(Operation &op, Type type) {
  if (type.isF32() || type.isInteger(32))
    return 32;
  if (type.isIndex() || type.isInteger(64))
    return 64;
  if (type.isInteger(1) || type.isInteger(8) || type.isInteger(16))
    return std::max<int64_t>(8, type.getIntOrFloatBitWidth());
  return op.emitError("expects a type that a scalar core has, but got ")
         << type;
}

std::string CodeWriter::getSize(Value memref, int64_t dim) {
  auto type = cast<MemRefType>(memref.getType());
  if (!type.isDynamicDim(dim))
    return getInteger(type.getDimSize(dim));
  return emit("size", sizes.lookup({memref, dim}));
}

void CodeWriter::addView(Value memref, std::string buffer) {
  View view = {std::move(buffer), getInteger(0), {}};
  int64_t rank = cast<MemRefType>(memref.getType()).getRank();
  view.strides.resize(rank);
  for (int64_t dim = rank - 1; dim >= 0; --dim)
    view.strides[dim] = dim == rank - 1 ? getInteger(1)
                                        : emit("muli", view.strides[dim + 1],
                                               getSize(memref, dim + 1), 64);
  views[memref] = view;
}

LogicalResult CodeWriter::addSubview(memref::SubViewOp op) {
  const View source = views.lookup(op.getSource());
  View view = {source.buffer, source.offset, {}};
  llvm::SmallBitVector dropped = op.getDroppedDims();
  for (auto [dim, offset, step] :
       llvm::enumerate(op.getMixedOffsets(), op.getMixedStrides())) {
    if (getConstantIntValue(step) != 1)
      return op.emitError("expects a view without strides of its own");
    auto value = dyn_cast<Value>(offset);
    std::string begin =
        value ? get(value) : getInteger(*getConstantIntValue(offset));
    std::string distance = emit("muli", begin, source.strides[dim], 64);
    view.offset = emit("addi", view.offset, distance, 64);
    if (!dropped.test(dim))
      view.strides.push_back(source.strides[dim]);
  }
  views[op.getResult()] = view;
  return success();
}

LogicalResult CodeWriter::addNearBuffer(memref::AllocaOp op) {
  FailureOr<int64_t> bits = getBits(*op, op.getType().getElementType());
  if (failed(bits))
    return failure();
  int64_t bytes = op.getType().getNumElements() * *bits / 8;
  nearBytes += bytes;
  if (nearBytes > memory)
    return op.emitError("expects buffers near to the core of at most ")
           << memory << " bytes, but got " << nearBytes;
  header += "near " + std::to_string(bytes) + "\n";
  addView(op.getResult(), "n" + std::to_string(numNear++));
  return success();
}

std::string CodeWriter::getIndex(const View &view, ValueRange indices) {
  std::string result = view.offset;
  for (auto [index, stride] : llvm::zip_equal(indices, view.strides))
    result = emit("addi", result, emit("muli", get(index), stride, 64), 64);
  return result;
}

void CodeWriter::move(ValueRange from, ArrayRef<std::string> to) {
  SmallVector<std::string> copies;
  for (Value value : from)
    copies.push_back(emit("copy", get(value)));
  for (auto [copy, target] : llvm::zip_equal(copies, to))
    os << "copy " << target << ' ' << copy << '\n';
}

LogicalResult CodeWriter::writeLoop(scf::ForOp loop) {
  SmallVector<std::string> carried;
  for (auto [argument, result] :
       llvm::zip_equal(loop.getRegionIterArgs(), loop.getResults()))
    carried.push_back(registers[result] = define(argument));
  move(loop.getInitArgs(), carried);
  os << "for " << define(loop.getInductionVar()) << ' '
     << get(loop.getLowerBound()) << ' ' << get(loop.getUpperBound()) << ' '
     << get(loop.getStep()) << '\n';
  if (failed(writeBlock(*loop.getBody())))
    return failure();
  move(loop.getBody()->getTerminator()->getOperands(), carried);
  os << "end\n";
  return success();
}

LogicalResult CodeWriter::writeBranch(scf::IfOp branch) {
  SmallVector<std::string> results;
  for (Value result : branch.getResults())
    results.push_back(define(result));
  os << "if " << get(branch.getCondition()) << '\n';
  if (failed(writeBlock(*branch.thenBlock())))
    return failure();
  move(branch.thenYield().getOperands(), results);
  if (branch.elseBlock()) {
    os << "else\n";
    if (failed(writeBlock(*branch.elseBlock())))
      return failure();
    move(branch.elseYield().getOperands(), results);
  }
  os << "end\n";
  return success();
}

LogicalResult CodeWriter::writeArithmetic(Operation &op) {
  StringRef name = op.getName().stripDialect();
  bool isKnown =
      llvm::StringSwitch<bool>(name)
          .Cases({"addi", "subi", "muli", "divsi", "remsi", "andi", "ori",
                  "xori", "maxsi", "minsi"},
                 true)
          .Cases({"addf", "subf", "mulf", "divf", "maximumf", "minimumf",
                  "maxnumf", "minnumf", "negf", "exp", "tanh", "sqrt", "absf",
                  "select", "sitofp", "fptosi"},
                 true)
          .Default(false);
  if (auto compare = dyn_cast<arith::CmpIOp>(op)) {
    StringRef predicate = arith::stringifyCmpIPredicate(compare.getPredicate());
    isKnown = !predicate.starts_with("u");
    name = predicate.size() == 3 ? predicate.drop_front() : predicate;
    body += ("cmpi." + name).str();
  } else if (auto compare = dyn_cast<arith::CmpFOp>(op)) {
    StringRef predicate = arith::stringifyCmpFPredicate(compare.getPredicate());
    isKnown =
        predicate.starts_with("o") && predicate != "one" && predicate != "ord";
    body += ("cmpf." + predicate.drop_front()).str();
  } else if (isa<arith::IndexCastOp, arith::ExtSIOp, arith::ExtUIOp,
                 arith::TruncIOp>(op)) {
    // Of the unsigned, only bits are 0 or 1.
    isKnown =
        !isa<arith::ExtUIOp>(op) || op.getOperand(0).getType().isInteger(1);
    body += "wrap";
  } else {
    body += name;
  }
  if (!isKnown || op.getNumResults() != 1)
    return op.emitError("expects an operation that a scalar core has, but got ")
           << op.getName();
  Type type = op.getResult(0).getType();
  FailureOr<int64_t> bits = getBits(op, type);
  if (failed(bits))
    return failure();
  os << ' ' << define(op.getResult(0));
  for (Value operand : op.getOperands())
    os << ' ' << get(operand);
  if (type.isInteger(1))
    os << " 1";
  else if (type.isIntOrIndex() && !isa<arith::SelectOp>(op))
    os << ' ' << *bits;
  os << '\n';
  return success();
}

LogicalResult CodeWriter::writeOp(Operation &op) {
  auto access = [&](StringRef name, std::string value, Value memref,
                    ValueRange indices) -> LogicalResult {
    FailureOr<int64_t> bits =
        getBits(op, cast<MemRefType>(memref.getType()).getElementType());
    if (failed(bits))
      return failure();
    const View view = views.lookup(memref);
    std::string index = getIndex(view, indices);
    os << name << ' ' << value << ' ' << view.buffer << ' ' << index << ' '
       << *bits << '\n';
    return success();
  };
  return llvm::TypeSwitch<Operation *, LogicalResult>(&op)
      .Case([&](arith::ConstantOp constant) -> LogicalResult {
        if (auto value = dyn_cast<IntegerAttr>(constant.getValue())) {
          bool isBit = constant.getType().isInteger(1);
          registers[constant] =
              getInteger(isBit ? value.getValue() == 1 : value.getInt());
          return success();
        }
        auto value = dyn_cast<FloatAttr>(constant.getValue());
        if (!value || !constant.getType().isF32())
          return op.emitError("expects a type that a scalar core has, but got ")
                 << constant.getType();
        registers[constant] =
            emit("float", value.getValue().bitcastToAPInt().getZExtValue());
        return success();
      })
      .Case([&](memref::DimOp dim) -> LogicalResult {
        std::optional<int64_t> index = dim.getConstantIndex();
        if (!index || !isa<BlockArgument>(dim.getSource()))
          return op.emitError("expects a size of an argument");
        registers[dim] = getSize(dim.getSource(), *index);
        return success();
      })
      .Case([&](memref::LoadOp load) {
        return access("load", define(load), load.getMemRef(),
                      load.getIndices());
      })
      .Case([&](memref::StoreOp store) {
        return access("store", get(store.getValueToStore()), store.getMemRef(),
                      store.getIndices());
      })
      .Case([&](memref::AllocaOp alloca) { return addNearBuffer(alloca); })
      .Case([&](memref::SubViewOp view) { return addSubview(view); })
      .Case([&](memref::CastOp cast) {
        // Only says less of where the elements are.
        const View view = views.lookup(cast.getSource());
        views[cast.getResult()] = view;
        return success();
      })
      .Case([&](FetchOp fetch) -> LogicalResult {
        const View from = views.lookup(fetch.getSource());
        const View to = views.lookup(fetch.getTarget());
        auto type = cast<MemRefType>(fetch.getSource().getType());
        FailureOr<int64_t> bits = getBits(op, type.getElementType());
        if (failed(bits))
          return failure();
        os << "fetch " << to.buffer << ' ' << to.offset << ' ' << from.buffer
           << ' ' << from.offset << ' ' << type.getNumElements() * *bits / 8
           << ' ' << *bits << '\n';
        return success();
      })
      .Case([&](DotOp dot) -> LogicalResult {
        os << "dot";
        for (Value operand : {dot.getSum(), dot.getLhs(), dot.getRhs()}) {
          const View view = views.lookup(operand);
          os << ' ' << view.buffer << ' ' << view.offset;
        }
        os << ' ' << cast<MemRefType>(dot.getLhs().getType()).getNumElements()
           << '\n';
        return success();
      })
      .Case([&](scf::ForOp loop) { return writeLoop(loop); })
      .Case([&](scf::IfOp branch) { return writeBranch(branch); })
      .Case<scf::YieldOp, func::ReturnOp>([](Operation *) { return success(); })
      .Default([&](Operation *) { return writeArithmetic(op); });
}

LogicalResult CodeWriter::writeBlock(Block &block) {
  for (Operation &op : block)
    if (failed(writeOp(op)))
      return failure();
  return success();
}

FailureOr<std::string> CodeWriter::write(func::FuncOp function) {
  if (!llvm::hasSingleElement(function.getBody()))
    return function.emitError("expects one block");
  int64_t numSizes = 0;
  for (Value argument : function.getArguments()) {
    auto type = cast<MemRefType>(argument.getType());
    for (int64_t dim = 0; dim != type.getRank(); ++dim)
      if (type.isDynamicDim(dim))
        sizes[{argument, dim}] = numSizes++;
  }
  for (auto [index, argument] : llvm::enumerate(function.getArguments()))
    addView(argument, "b" + std::to_string(index));
  if (failed(writeBlock(function.getBody().front())))
    return failure();
  return llvm::formatv("kernel {0} {1} {2}\n{3}{4}", function.getSymName(),
                       function.getNumArguments(), numSizes, header, body)
      .str();
}

FailureOr<std::string> scalar::writeCode(ModuleOp module, int64_t memory) {
  std::string text;
  for (auto function : module.getOps<func::FuncOp>()) {
    FailureOr<std::string> kernel = CodeWriter(memory).write(function);
    if (failed(kernel))
      return failure();
    text += *kernel;
  }
  return text;
}
