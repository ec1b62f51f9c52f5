//===- ExampleCodegen.cpp - Code generators from outside ------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a project has to write that adds code generators: which operators they
// take, and the generators, one for each thing that they may return. `example`
// writes C for elementwise operators and dense on static shapes; `twice` writes
// relay. The tools load it with --load-dialect-plugin; nothing in the compiler
// knows of it.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "relay-mlir/Plugin.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;

static RankedTensorType getFloats(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && tensor.hasStaticShape() && tensor.getElementType().isF32()
             ? tensor
             : RankedTensorType();
}

//===----------------------------------------------------------------------===//
// Which operators
//===----------------------------------------------------------------------===//

/// C for an element of the result, of elements `{0}` and `{1}` of operands of
/// the same shape; empty for other operators.
static StringRef getExpression(Operation *op) {
  return llvm::TypeSwitch<Operation *, StringRef>(op)
      .Case([](relay::AddOp) { return "{0} + {1}"; })
      .Case([](relay::SubtractOp) { return "{0} - {1}"; })
      .Case([](relay::MultiplyOp) { return "{0} * {1}"; })
      .Case([](relay::NNReluOp) { return "{0} > 0 ? {0} : 0"; })
      .Case([](relay::TanhOp) { return "tanhf({0})"; })
      .Default([](Operation *) { return ""; });
}

/// What `bytes` calls an operator; empty for those that it does not have.
static StringRef getWord(Operation *op) {
  return llvm::TypeSwitch<Operation *, StringRef>(op)
      .Case([](relay::AddOp) { return "add"; })
      .Case([](relay::NNReluOp) { return "relu"; })
      .Case([](relay::TanhOp) { return "tanh"; })
      .Default([](Operation *) { return ""; });
}

static bool isForBytes(Operation *op) {
  return !getWord(op).empty() &&
         llvm::all_of(op->getOperandTypes(), [&](Type type) {
           return getFloats(type) && type == op->getResultTypes().front();
         });
}

static bool isForRelay(Operation *op) {
  return isa<relay::NNReluOp>(op) && getFloats(op->getResultTypes().front());
}

static bool isForC(Operation *op) {
  if (!llvm::all_of(op->getOperandTypes(), getFloats) ||
      !llvm::all_of(op->getResultTypes(), getFloats))
    return false;
  if (isa<relay::NNDenseOp>(op))
    return true;
  return !getExpression(op).empty() &&
         llvm::all_of(op->getOperandTypes(), [&](Type type) {
           return type == op->getResultTypes().front();
         });
}

//===----------------------------------------------------------------------===//
// C
//===----------------------------------------------------------------------===//

namespace {

/// Writes one function.
class FunctionWriter {
public:
  FunctionWriter(func::FuncOp function, raw_ostream &os)
      : function(function), os(os) {}

  LogicalResult write();

private:
  LogicalResult write(Operation *op);
  StringRef getName(Value value) { return names[value]; }
  /// Names what holds the elements of a value.
  void declare(Value value, const Twine &initial);

  func::FuncOp function;
  raw_ostream &os;
  DenseMap<Value, std::string> names;
};

} // namespace

void FunctionWriter::declare(Value value, const Twine &initial) {
  names[value] = ("v" + Twine(names.size())).str();
  os << "  " << (isa<BlockArgument>(value) ? "const float *" : "float *")
     << getName(value) << " = " << initial << ";\n";
}

LogicalResult FunctionWriter::write(Operation *op) {
  auto type = getFloats(op->getResultTypes().front());
  if (!type)
    return op->emitOpError("expects a static shape of f32, but got ")
           << op->getResultTypes().front();
  int64_t size = type.getNumElements();
  if (auto constant = dyn_cast<relay::ConstantOp>(op)) {
    std::string name = ("c" + Twine(names.size())).str();
    os << "  static const float " << name << "[] = {";
    llvm::interleaveComma(constant.getValue().getValues<float>(), os,
                          [&](float x) { os << llvm::formatv("{0:e9}f", x); });
    os << "};\n";
    names[op->getResult(0)] = name;
    return success();
  }
  declare(op->getResult(0), "malloc(" + Twine(size * 4) + ")");
  StringRef result = getName(op->getResult(0));
  if (auto dense = dyn_cast<relay::NNDenseOp>(op)) {
    int64_t n = type.getDimSize(type.getRank() - 1);
    int64_t k =
        cast<RankedTensorType>(dense.getWeight().getType()).getDimSize(1);
    os << llvm::formatv("  for (long i = 0; i < {0}; ++i)\n"
                        "    for (long j = 0; j < {1}; ++j) {{\n"
                        "      float sum = 0;\n"
                        "      for (long k = 0; k < {2}; ++k)\n"
                        "        sum += {3}[i * {2} + k] * {4}[j * {2} + k];\n"
                        "      {5}[i * {1} + j] = sum;\n"
                        "    }\n",
                        size / n, n, k, getName(dense.getData()),
                        getName(dense.getWeight()), result);
    return success();
  }
  StringRef expression = getExpression(op);
  if (expression.empty())
    return op->emitOpError("expects an operator that this generator has");
  SmallVector<std::string> elements;
  for (Value operand : op->getOperands())
    elements.push_back((getName(operand) + "[i]").str());
  os << "  for (long i = 0; i < " << size << "; ++i)\n    " << result
     << "[i] = "
     << llvm::formatv(/*Validate=*/false, expression.data(), elements.front(),
                      elements.back())
     << ";\n";
  return success();
}

LogicalResult FunctionWriter::write() {
  os << "int32_t " << function.getSymName()
     << "(void *const *args, const int64_t *dims, const void *context) {\n";
  for (BlockArgument argument : function.getArguments())
    declare(argument, "args[" + Twine(argument.getArgNumber()) + "]");
  Block &body = function.getBody().front();
  for (Operation &op : body.without_terminator())
    if (failed(write(&op)))
      return failure();
  for (OpOperand &result : body.getTerminator()->getOpOperands())
    os << "  memcpy(args["
       << function.getNumArguments() + result.getOperandNumber() << "], "
       << getName(result.get()) << ", "
       << getFloats(result.get().getType()).getNumElements() * 4 << ");\n";
  for (Operation &op : body.without_terminator())
    if (!isa<relay::ConstantOp>(op))
      os << "  free(" << getName(op.getResult(0)) << ");\n";
  os << "  return 0;\n}\n";
  return success();
}

static FailureOr<relay::ExternalCode> writeC(ModuleOp module) {
  std::string source = "#include <math.h>\n#include <stdint.h>\n"
                       "#include <stdlib.h>\n#include <string.h>\n";
  llvm::raw_string_ostream os(source);
  for (auto function : module.getOps<func::FuncOp>())
    if (failed(FunctionWriter(function, os).write()))
      return failure();
  return relay::ExternalCode(relay::ExternalCSource{std::move(source), {}});
}

//===----------------------------------------------------------------------===//
// Relay
//===----------------------------------------------------------------------===//

/// relu(x) as relu(x) + relu(x) - relu(x), to be told from others.
static FailureOr<relay::ExternalCode> writeRelay(ModuleOp module) {
  OwningOpRef<ModuleOp> made(module.clone());
  made->walk([](relay::NNReluOp op) {
    OpBuilder builder(op->getContext());
    builder.setInsertionPointAfter(op);
    Value sum = relay::AddOp::create(builder, op.getLoc(), op.getType(),
                                     op.getResult(), op.getResult());
    Value back = relay::SubtractOp::create(builder, op.getLoc(), op.getType(),
                                           sum, op.getResult());
    op.getResult().replaceUsesWithIf(back, [&](OpOperand &use) {
      return isa<func::ReturnOp>(use.getOwner());
    });
  });
  return relay::ExternalCode(relay::ExternalModule{std::move(made)});
}

//===----------------------------------------------------------------------===//
// Bytes
//===----------------------------------------------------------------------===//

static LogicalResult writePostfix(Value value, raw_ostream &os) {
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    os << ' ' << argument.getArgNumber();
    return success();
  }
  Operation *op = value.getDefiningOp();
  for (Value operand : op->getOperands())
    if (failed(writePostfix(operand, os)))
      return failure();
  if (getWord(op).empty())
    return op->emitOpError("expects an operator that this generator has");
  os << ' ' << getWord(op);
  return success();
}

/// A line for each function, as ExampleBytes.c describes it.
static FailureOr<relay::ExternalCode> writeBytes(ModuleOp module) {
  std::string text;
  llvm::raw_string_ostream os(text);
  for (auto function : module.getOps<func::FuncOp>()) {
    if (function.getNumResults() != 1)
      return function.emitError("expects one result, but got ")
             << function.getNumResults();
    Value result = function.getBody().front().getTerminator()->getOperand(0);
    os << function.getSymName() << ' ' << function.getNumArguments() << ' '
       << getFloats(result.getType()).getNumElements() << " 0";
    if (failed(writePostfix(result, os)))
      return failure();
    os << '\n';
  }
  return relay::ExternalCode(relay::ExternalBlob{"postfix", std::move(text)});
}

namespace {
/// A plugin is one of dialects; this one has no operations.
struct ExampleDialect : Dialect {
  explicit ExampleDialect(MLIRContext *context)
      : Dialect("example", context, TypeID::get<ExampleDialect>()) {}
  static StringRef getDialectNamespace() { return "example"; }
};
} // namespace

extern "C" LLVM_ATTRIBUTE_WEAK DialectPluginLibraryInfo
mlirGetDialectPluginInfo() {
  return relay::getPluginInfo<ExampleDialect>("ExampleCodegen", "0.1", [] {
    relay::addCodeGenerator("example", isForC, writeC);
    relay::addCodeGenerator("twice", isForRelay, writeRelay);
    relay::addCodeGenerator("bytes", isForBytes, writeBytes);
  });
}
