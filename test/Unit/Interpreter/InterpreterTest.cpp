//===- InterpreterTest.cpp - Run functions from C++ -----------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "relay-mlir/Interpreter/Interpreter.h"

#include "ContextTest.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace mlir::relay;

namespace {

/// A dialect of somebody else, with an operation that the interpreter learns
/// from it.
class VendorDialect : public Dialect {
public:
  explicit VendorDialect(MLIRContext *context)
      : Dialect(getDialectNamespace(), context, TypeID::get<VendorDialect>()) {
    allowUnknownOperations();
    addInterfaces<Evaluators>();
  }
  static StringRef getDialectNamespace() { return "vendor"; }

private:
  struct Evaluators : EvaluatorDialectInterface {
    using EvaluatorDialectInterface::EvaluatorDialectInterface;
    void populateEvaluators(EvaluatorTable &table) const override {
      table.add("vendor.second",
                [](Operation *, ArrayRef<InterpreterValue> operands)
                    -> FailureOr<InterpreterValue> { return operands[1]; });
    }
  };
};

class InterpreterTest : public ContextTest {
protected:
  InterpreterTest() { context.loadDialect<VendorDialect>(); }
  Tensor vector(ArrayRef<int64_t> values) {
    return Tensor::getVector(Float32Type::get(&context), values);
  }
};

} // namespace

TEST_F(InterpreterTest, RunsMainOnInputs) {
  auto module = parse(R"mlir(
    func.func @main(%x: tensor<?xf32>, %y: tensor<1xf32>) -> tensor<?xf32> {
      %0 = relay.multiply %x, %y : (tensor<?xf32>, tensor<1xf32>) -> tensor<?xf32>
      return %0 : tensor<?xf32>
    })mlir");
  for (int64_t size : {1, 3, 1000}) {
    SmallVector<int64_t> values(size, 7);
    auto results = interpretMain(*module, {vector(values), vector({2})});
    ASSERT_TRUE(succeeded(results));
    ASSERT_EQ(1u, results->size());
    EXPECT_EQ(SmallVector<double>(size, 14.0),
              results->front().getTensor().loadAll<double>());
  }
}

TEST_F(InterpreterTest, RefusesWrongInputs) {
  auto module = parse(R"mlir(
    func.func @main(%x: tensor<?x2xf32> {relay.name = "x"}) -> tensor<?x2xf32> {
      return %x : tensor<?x2xf32>
    })mlir");
  EXPECT_TRUE(failed(interpretMain(*module, {})));
  EXPECT_EQ("'func.func' op expects 1 inputs, but got 0", messages.back());
  EXPECT_TRUE(failed(interpretMain(*module, {vector({1, 2})})));
  EXPECT_EQ("'func.func' op expects input 0 (\"x\") of type "
            "'tensor<?x2xf32>', but got 'tensor<2xf32>'",
            messages.back());
  Tensor ints = Tensor::getVector(IntegerType::get(&context, 32), {1, 2});
  EXPECT_TRUE(failed(interpretMain(*module, {ints.reshape({1, 2})})));
  EXPECT_EQ("'func.func' op expects input 0 (\"x\") of type "
            "'tensor<?x2xf32>', but got 'tensor<1x2xi32>'",
            messages.back());
  auto empty = parse("module {}");
  EXPECT_TRUE(failed(interpretMain(*empty, {})));
  EXPECT_EQ("expects a function @main, but got none", messages.back());
}

TEST_F(InterpreterTest, CallsTheObserver) {
  auto module = parse(R"mlir(
    func.func private @negate(%x: tensor<2xf32>) -> tensor<2xf32> {
      %0 = relay.negative %x : (tensor<2xf32>) -> tensor<2xf32>
      return %0 : tensor<2xf32>
    }
    func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
      %0 = relay.call @negate(%x) : (tensor<2xf32>) -> tensor<2xf32>
      %1 = relay.call @negate(%0) : (tensor<2xf32>) -> tensor<2xf32>
      return %1 : tensor<2xf32>
    })mlir");
  std::vector<double> given, seen;
  Interpreter::Observer observer;
  observer.before = [&](CallOpInterface call,
                        ArrayRef<InterpreterValue> operands) {
    EXPECT_TRUE(isa<CallOp>(call));
    given.push_back(operands.front().getTensor().loadAll<double>()[1]);
  };
  observer.after = [&](CallOpInterface call,
                       ArrayRef<InterpreterValue> results) {
    EXPECT_TRUE(isa<CallOp>(call));
    seen.push_back(results.front().getTensor().loadAll<double>()[1]);
  };
  ASSERT_TRUE(succeeded(interpretMain(*module, {vector({1, 2})}, observer)));
  EXPECT_EQ((std::vector<double>{2, -2}), given);
  EXPECT_EQ((std::vector<double>{-2, 2}), seen);
}

TEST_F(InterpreterTest, KeepsItsOwnStack) {
  // As deep as this, C++ frames would not fit on the stack.
  constexpr int depth = 20000;
  std::string text;
  for (int i = 0; i < depth; ++i) {
    std::string callee = "@f" + std::to_string(i + 1);
    text += "func.func private @f" + std::to_string(i) +
            "(%x: tensor<1xf32>) -> tensor<1xf32> {\n";
    text += i + 1 == depth ? "return %x : tensor<1xf32>\n}\n"
                           : "%0 = func.call " + callee +
                                 "(%x) : (tensor<1xf32>) -> tensor<1xf32>\n"
                                 "return %0 : tensor<1xf32>\n}\n";
  }
  auto module = parse(text);
  auto function = module->lookupSymbol<func::FuncOp>("f0");
  auto results = Interpreter(&context).run(function, {vector({5})});
  ASSERT_TRUE(succeeded(results));
  EXPECT_EQ(5, results->front().getTensor().loadAll<double>()[0]);
}

TEST_F(InterpreterTest, AsksOtherDialects) {
  auto module = parse(R"mlir(
    func.func @main(%x: tensor<1xf32>, %y: tensor<2xf32>) -> tensor<2xf32> {
      %0 = "vendor.second"(%x, %y) : (tensor<1xf32>, tensor<2xf32>) -> tensor<2xf32>
      return %0 : tensor<2xf32>
    }
    func.func @unknown(%x: tensor<1xf32>) -> tensor<1xf32> {
      %0 = "vendor.first"(%x) : (tensor<1xf32>) -> tensor<1xf32>
      return %0 : tensor<1xf32>
    })mlir");
  auto results = interpretMain(*module, {vector({1}), vector({2, 3})});
  ASSERT_TRUE(succeeded(results));
  EXPECT_EQ((SmallVector<double>{2, 3}),
            results->front().getTensor().loadAll<double>());
  EXPECT_TRUE(failed(Interpreter(&context).run(
      module->lookupSymbol<func::FuncOp>("unknown"), {vector({1})})));
  EXPECT_EQ("'vendor.first' op expects an operation with an evaluator, but got "
            "one that the interpreter does not know",
            messages.back());
}

TEST_F(InterpreterTest, RunsWithoutThreads) {
  context.disableMultithreading();
  auto module = parse(R"mlir(
    func.func @main(%x: tensor<?xf32>) -> tensor<f32> {
      %0 = relay.exp %x : (tensor<?xf32>) -> tensor<?xf32>
      %1 = relay.mean %0 : (tensor<?xf32>) -> tensor<f32>
      return %1 : tensor<f32>
    })mlir");
  SmallVector<int64_t> values(1000000, 0);
  auto results = interpretMain(*module, {vector(values)});
  ASSERT_TRUE(succeeded(results));
  EXPECT_EQ(1, results->front().getTensor().loadAll<double>()[0]);
}

TEST_F(InterpreterTest, KnowsEveryOperator) {
  Interpreter interpreter(&context);
  size_t count = 0;
  for (RegisteredOperationName name :
       context.getRegisteredOperationsByDialect("relay")) {
    // Calls and ascriptions it runs itself.
    if (!name.hasInterface<FusionPatternOpInterface>() ||
        name.getStringRef() == AscribeOp::getOperationName())
      continue;
    EXPECT_TRUE(interpreter.canEvaluate(name)) << name.getStringRef().str();
    ++count;
  }
  EXPECT_LT(100u, count);
}
