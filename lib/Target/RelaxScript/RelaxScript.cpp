//===- RelaxScript.cpp - Relax as a program of Python ---------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The notation is that of Relax's first notebooks. Values of a dataflow block
// are lv, lv1, ...; what leaves it, and what is outside, gv, gv1, ...
//
//===----------------------------------------------------------------------===//

#include "relay-mlir/Target/RelaxScript/RelaxScript.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "relay-mlir/Dialect/Relay/IR/DType.h"
#include "relay-mlir/Dialect/TIR/IR/TIR.h"
#include "relay-mlir/Support/ModuleTranslation.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace mlir::relax;

namespace {

class ScriptPrinter {
public:
  explicit ScriptPrinter(raw_ostream &os) : os(os) {}

  void print(FuncOp function);

private:
  void print(Operation &op);
  void printBlock(Block &block);
  /// A branch, whose value `result` is.
  void printBranch(Block &block, StringRef result);
  /// The value of an operation, without what it is bound to.
  void printValue(Operation &op);
  void printDims(ShapeAttr shape);
  void printType(Type type);
  void printArgs(ValueRange values);
  raw_ostream &indented() { return os.indent(4 * depth); }

  /// A name that no value has, by `base` and a number.
  std::string makeName(StringRef base);
  StringRef getName(Value value);

  raw_ostream &os;
  unsigned depth = 0;
  bool inDataflow = false;
  DenseMap<Value, std::string> names;
  llvm::StringSet<> taken;
  llvm::StringMap<unsigned> numbers;
};

} // namespace

/// A name of Python: other characters are underscores.
static std::string getIdentifier(StringRef name) {
  std::string result;
  for (char c : name)
    result += llvm::isAlnum(c) ? c : '_';
  if (result.empty() || llvm::isDigit(result.front()))
    result.insert(0, "_");
  return result;
}

std::string ScriptPrinter::makeName(StringRef base) {
  unsigned &number = numbers[base];
  for (;;) {
    std::string name = number == 0 ? base.str() : (base + Twine(number)).str();
    ++number;
    if (taken.insert(name).second)
      return name;
  }
}

StringRef ScriptPrinter::getName(Value value) {
  std::string &name = names[value];
  if (name.empty())
    name = makeName(inDataflow ? "lv" : "gv");
  return name;
}

void ScriptPrinter::printDims(ShapeAttr shape) {
  os << "(";
  for (size_t i : llvm::seq(shape.size())) {
    std::string text;
    llvm::raw_string_ostream stream(text);
    shape.printExpr(i, stream);
    // As Python has them.
    for (auto [from, to] :
         {std::pair<StringRef, StringRef>{"floordiv", "//"}, {"mod", "%"}})
      for (size_t at;
           (at = text.find((" " + from + " ").str())) != std::string::npos;)
        text.replace(at + 1, from.size(), to);
    os << (i ? ", " : "") << text;
  }
  os << (shape.size() == 1 ? ",)" : ")");
}

void ScriptPrinter::printType(Type type) {
  if (auto tensor = dyn_cast<SymbolicTensorType>(type)) {
    os << "Tensor(";
    printDims(tensor.getShape());
    os << ", \"" << relay::getDTypeName(tensor.getElementType()) << "\"";
    if (tensor.getDevice())
      os << ", \"" << relay::DeviceAttr::getName(tensor.getDevice()) << "\"";
    os << ")";
    return;
  }
  if (auto tuple = dyn_cast<TupleType>(type)) {
    os << "Tuple(";
    llvm::interleaveComma(tuple.getTypes(), os,
                          [&](Type field) { printType(field); });
    os << ")";
    return;
  }
  os << "Object";
}

void ScriptPrinter::printArgs(ValueRange values) {
  os << "(";
  llvm::interleaveComma(values, os, [&](Value value) { os << getName(value); });
  os << (values.size() == 1 ? ",)" : ")");
}

void ScriptPrinter::printValue(Operation &op) {
  if (auto call = dyn_cast<CallTIROp>(op)) {
    os << "relax.call_tir(" << getIdentifier(call.getCallee()) << ", ";
    printArgs(call.getArgs());
    // One result by its shape, several by their types.
    if (call.getNumResults() == 1) {
      auto type = cast<SymbolicTensorType>(call.getResult(0).getType());
      os << ", ";
      printDims(type.getShape());
      os << ", dtype=\"" << relay::getDTypeName(type.getElementType()) << "\")";
      return;
    }
    os << ", [";
    llvm::interleaveComma(call.getResultTypes(), os,
                          [&](Type type) { printType(type); });
    os << "])";
    return;
  }
  if (auto call = dyn_cast<CallPackedOp>(op)) {
    os << "relax.call_packed(\"";
    llvm::printEscapedString(call.getFunction(), os);
    os << "\"";
    for (Value arg : call.getArgs())
      os << ", " << getName(arg);
    os << ")";
    return;
  }
  if (auto call = dyn_cast<CallDPSPackedOp>(op)) {
    os << "relax.call_dps_packed(\"";
    llvm::printEscapedString(call.getFunction(), os);
    os << "\", ";
    printArgs(call.getArgs());
    os << ", [";
    llvm::interleaveComma(call.getResultTypes(), os,
                          [&](Type type) { printType(type); });
    os << "])";
    return;
  }
  if (auto cast = dyn_cast<MatchCastOp>(op)) {
    os << "relax.match_cast(" << getName(cast.getSource()) << ", ";
    printType(cast.getType());
    os << ")";
    return;
  }
  if (auto reshape = dyn_cast<ReshapeOp>(op)) {
    os << "relax.reshape(" << getName(reshape.getSource()) << ", ";
    printDims(reshape.getResult().getType().getShape());
    os << ")";
    return;
  }
  if (auto constant = dyn_cast<ConstantOp>(op)) {
    auto type = cast<SymbolicTensorType>(constant.getResult().getType());
    os << "relax.const(";
    auto elements = dyn_cast<DenseElementsAttr>(constant.getValueAttr());
    if (elements && elements.isSplat())
      elements.getSplatValue<Attribute>().print(os, /*elideType=*/true);
    else
      os << "...";
    os << ", ";
    printType(type);
    os << ")";
    return;
  }
  if (auto copy = dyn_cast<ToDeviceOp>(op)) {
    os << "relax.to_device(" << getName(copy.getSource()) << ", \""
       << relay::DeviceAttr::getName(copy.getResult().getType().getDevice())
       << "\")";
    return;
  }
  if (auto call = dyn_cast<CallKernelOp>(op)) {
    os << "relax.call_kernel(" << getIdentifier(call.getCallee());
    for (ValueRange values :
         {ValueRange(call.getInputs()), ValueRange(call.getOutputs()),
          ValueRange(call.getWorkspaces())}) {
      os << ", ";
      printArgs(values);
    }
    os << ")";
    return;
  }
  if (auto item = dyn_cast<TupleGetItemOp>(op)) {
    os << getName(item.getTuple()) << "[" << item.getIndex() << "]";
    return;
  }
  if (isa<TupleOp>(op))
    return printArgs(op.getOperands());
  os << "relax." << op.getName().stripDialect() << "(";
  llvm::interleaveComma(op.getOperands(), os,
                        [&](Value value) { os << getName(value); });
  for (NamedAttribute attribute : op.getAttrs()) {
    os << (op.getNumOperands() || attribute != op.getAttrs().front() ? ", "
                                                                     : "");
    os << attribute.getName().getValue() << "=";
    if (auto shape = dyn_cast<ShapeAttr>(attribute.getValue()))
      printDims(shape);
    else
      attribute.getValue().print(os, /*elideType=*/true);
  }
  os << ")";
}

void ScriptPrinter::print(Operation &op) {
  if (auto block = dyn_cast<DataflowOp>(op)) {
    auto output = cast<OutputOp>(block.getBody().front().getTerminator());
    // Inside, too, they have the names that they have outside, unless they are
    // from there.
    for (auto [inner, outer] :
         llvm::zip_equal(output.getOperands(), block.getResults())) {
      bool isKnown = names.contains(inner);
      std::string name = getName(isKnown ? inner : outer).str();
      names[inner] = names[outer] = name;
    }
    indented() << "with relax.dataflow():\n";
    ++depth;
    inDataflow = true;
    printBlock(block.getBody().front());
    inDataflow = false;
    --depth;
    return;
  }
  if (isa<OutputOp, ReturnOp>(op)) {
    indented() << (isa<OutputOp>(op) ? "relax.output(" : "return ");
    llvm::interleaveComma(op.getOperands(), os,
                          [&](Value value) { os << getName(value); });
    os << (isa<OutputOp>(op) ? ")\n" : "\n");
    return;
  }
  if (auto ifOp = dyn_cast<IfOp>(op)) {
    std::string result = getName(ifOp.getResult()).str();
    indented() << "if " << getName(ifOp.getCondition()) << ":\n";
    printBranch(ifOp.getThenRegion().front(), result);
    indented() << "else:\n";
    printBranch(ifOp.getElseRegion().front(), result);
    return;
  }
  indented();
  llvm::interleaveComma(op.getResults(), os,
                        [&](Value value) { os << getName(value); });
  if (op.getNumResults())
    os << " = ";
  printValue(op);
  os << "\n";
}

void ScriptPrinter::printBranch(Block &block, StringRef result) {
  ++depth;
  for (Operation &op : block.without_terminator())
    print(op);
  indented() << result << " = " << getName(block.getTerminator()->getOperand(0))
             << "\n";
  --depth;
}

void ScriptPrinter::printBlock(Block &block) {
  for (Operation &op : block)
    print(op);
}

void ScriptPrinter::print(FuncOp function) {
  os << "@relax.function\ndef " << getIdentifier(function.getSymName()) << "(";
  for (StringAttr symbol : function.getSymbols())
    taken.insert(symbol.getValue());
  auto getParameter = [&](unsigned index) {
    auto name = function.getArgAttrOfType<StringAttr>(index, kNameAttr);
    return makeName(name ? getIdentifier(name.getValue()) : "arg");
  };
  if (function.isExternal()) {
    llvm::interleaveComma(llvm::enumerate(function.getArgumentTypes()), os,
                          [&](auto it) {
                            os << getParameter(it.index()) << ": ";
                            printType(it.value());
                          });
  } else {
    for (BlockArgument argument : function.getBody().getArguments()) {
      names[argument] = getParameter(argument.getArgNumber());
      os << (argument.getArgNumber() ? ", " : "") << names[argument] << ": ";
      printType(argument.getType());
    }
  }
  os << ")";
  ArrayRef<Type> results = function.getResultTypes();
  if (!results.empty())
    os << " -> ";
  if (results.size() > 1)
    os << "Tuple(";
  llvm::interleaveComma(results, os, [&](Type type) { printType(type); });
  os << (results.size() > 1 ? "):\n" : ":\n");
  depth = 1;
  if (function.isExternal())
    indented() << "...\n";
  else
    printBlock(function.getBody().front());
}

void relax::printScript(FuncOp function, raw_ostream &os) {
  ScriptPrinter(os).print(function);
}

void relax::registerRelaxToScriptTranslation() {
  relay::registerModuleTranslation(
      "relax-to-script", "print relax functions as programs of Python",
      [](ModuleOp module, raw_ostream &os) -> LogicalResult {
        bool isFirst = true;
        for (FuncOp function : module.getOps<FuncOp>()) {
          os << (isFirst ? "" : "\n");
          printScript(function, os);
          isFirst = false;
        }
        if (isFirst)
          return module.emitError("expects a relax.func, but got none");
        return success();
      },
      [](DialectRegistry &registry) {
        registry.insert<func::FuncDialect, RelaxDialect, tir::TIRDialect>();
      });
}
