//===- LanguageTest.cpp - Recursion, closures and references --------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "relay-mlir/Interpreter/Interpreter.h"

#include "ContextTest.h"

using namespace mlir;
using namespace mlir::relay;

namespace {

class LanguageTest : public ContextTest {
protected:
  Tensor scalar(int64_t value) {
    return Tensor::getScalar(IntegerType::get(&context, 32), value);
  }
  static int64_t getInt(const InterpreterValue &value) {
    return value.getTensor().loadAll<int64_t>()[0];
  }
  static std::string print(const InterpreterValue &value) {
    std::string text;
    llvm::raw_string_ostream os(text);
    value.print(os);
    return text;
  }
};

// count(n) = 1 + count(n - 1), and the same with an accumulator.
constexpr StringRef counting = R"mlir(
  func.func @count(%n: tensor<i32>) -> tensor<i32> {
    %zero = relay.constant dense<0> : tensor<i32>
    %one = relay.constant dense<1> : tensor<i32>
    %c = relay.equal %n, %zero : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %0 = relay.if %c : tensor<i1> -> tensor<i32> {
      relay.yield %n : tensor<i32>
    } else {
      %1 = relay.subtract %n, %one : (tensor<i32>, tensor<i32>) -> tensor<i32>
      %2 = relay.call @count(%1) : (tensor<i32>) -> tensor<i32>
      %3 = relay.add %2, %one : (tensor<i32>, tensor<i32>) -> tensor<i32>
      relay.yield %3 : tensor<i32>
    }
    return %0 : tensor<i32>
  }
  func.func @accumulate(%n: tensor<i32>, %sum: tensor<i32>) -> tensor<i32> {
    %zero = relay.constant dense<0> : tensor<i32>
    %one = relay.constant dense<1> : tensor<i32>
    %c = relay.equal %n, %zero : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %0 = relay.if %c : tensor<i1> -> tensor<i32> {
      relay.yield %sum : tensor<i32>
    } else {
      %1 = relay.subtract %n, %one : (tensor<i32>, tensor<i32>) -> tensor<i32>
      %2 = relay.add %sum, %one : (tensor<i32>, tensor<i32>) -> tensor<i32>
      %3 = relay.call @accumulate(%1, %2) : (tensor<i32>, tensor<i32>) -> tensor<i32>
      %4 = relay.let "result" %3 : tensor<i32>
      relay.yield %4 : tensor<i32>
    }
    return %0 : tensor<i32>
  })mlir";

// A closure that calls itself through a cell: the cell holds the closure, which
// captures the cell.
constexpr StringRef knot = R"mlir(
  func.func @knot() -> ((tensor<i32>) -> tensor<i32>) {
    %one = relay.constant dense<1> : tensor<i32>
    %zero = relay.constant dense<0> : tensor<i32>
    %dummy = relay.fn (%x: tensor<i32>) -> tensor<i32> {
      relay.yield %x : tensor<i32>
    }
    %r = relay.ref_create %dummy : ((tensor<i32>) -> tensor<i32>) -> !relay.ref<(tensor<i32>) -> tensor<i32>>
    %f = relay.fn (%x: tensor<i32>) -> tensor<i32> {
      %c = relay.equal %x, %zero : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %0 = relay.if %c : tensor<i1> -> tensor<i32> {
        relay.yield %zero : tensor<i32>
      } else {
        %self = relay.ref_read %r : (!relay.ref<(tensor<i32>) -> tensor<i32>>) -> ((tensor<i32>) -> tensor<i32>)
        %1 = relay.subtract %x, %one : (tensor<i32>, tensor<i32>) -> tensor<i32>
        %2 = relay.call_indirect %self(%1) : (tensor<i32>) -> tensor<i32>
        %3 = relay.add %2, %x : (tensor<i32>, tensor<i32>) -> tensor<i32>
        relay.yield %3 : tensor<i32>
      }
      relay.yield %0 : tensor<i32>
    }
    %u = relay.ref_write %r, %f : (!relay.ref<(tensor<i32>) -> tensor<i32>>, (tensor<i32>) -> tensor<i32>) -> tuple<>
    return %f : (tensor<i32>) -> tensor<i32>
  }
  func.func @use() -> tensor<i32> {
    %four = relay.constant dense<4> : tensor<i32>
    %f = relay.call @knot() : () -> ((tensor<i32>) -> tensor<i32>)
    %0 = relay.call_indirect %f(%four) : (tensor<i32>) -> tensor<i32>
    return %0 : tensor<i32>
  })mlir";

} // namespace

TEST_F(LanguageTest, RecursesAMillionDeep) {
  auto module = parse(counting);
  auto count = module->lookupSymbol<func::FuncOp>("count");
  auto results = Interpreter(&context).run(count, {scalar(1000000)});
  ASSERT_TRUE(succeeded(results));
  EXPECT_EQ(1000000, getInt(results->front()));
}

TEST_F(LanguageTest, KeepsNoFramesOfTailCalls) {
  auto module = parse(counting);
  auto accumulate = module->lookupSymbol<func::FuncOp>("accumulate");
  Interpreter interpreter(&context, {/*maxDepth=*/1});
  auto results = interpreter.run(accumulate, {scalar(100000), scalar(0)});
  ASSERT_TRUE(succeeded(results));
  EXPECT_EQ(100000, getInt(results->front()));
}

TEST_F(LanguageTest, LimitsDepth) {
  auto module = parse(counting);
  auto count = module->lookupSymbol<func::FuncOp>("count");
  Interpreter interpreter(&context, {/*maxDepth=*/100});
  EXPECT_TRUE(succeeded(interpreter.run(count, {scalar(99)})));
  EXPECT_TRUE(failed(interpreter.run(count, {scalar(100)})));
  ASSERT_FALSE(messages.empty());
  EXPECT_EQ("'relay.call' op expects at most 100 nested calls, but got more",
            messages.back());
  // Never ends.
  EXPECT_TRUE(failed(interpreter.run(count, {scalar(-1)})));
}

TEST_F(LanguageTest, EndsWhenItIsInterrupted) {
  auto module = parse(R"mlir(
    func.func @endless(%n: tensor<i32>) -> tensor<i32> {
      %0 = relay.call @endless(%n) : (tensor<i32>) -> tensor<i32>
      return %0 : tensor<i32>
    })mlir");
  auto endless = module->lookupSymbol<func::FuncOp>("endless");
  Interpreter interpreter(&context);
  int64_t count = 0;
  interpreter.setInterrupt([&] { return ++count == 1000; });
  EXPECT_TRUE(failed(interpreter.run(endless, {scalar(1)})));
  ASSERT_FALSE(messages.empty());
  EXPECT_EQ("'relay.call' op interrupted", messages.back());
}

TEST_F(LanguageTest, ShowsEveryCallToTheObserver) {
  auto module = parse(counting);
  auto accumulate = module->lookupSymbol<func::FuncOp>("accumulate");
  Interpreter interpreter(&context);
  int numCalls = 0;
  Interpreter::Observer observer;
  observer.after = [&](CallOpInterface, ArrayRef<InterpreterValue> v) {
    EXPECT_EQ(10, getInt(v.front()));
    ++numCalls;
  };
  interpreter.setObserver(observer);
  ASSERT_TRUE(succeeded(interpreter.run(accumulate, {scalar(10), scalar(0)})));
  EXPECT_EQ(10, numCalls);
}

TEST_F(LanguageTest, DestroysDeepValues) {
  auto cons = SymbolRefAttr::get(&context, "List",
                                 {FlatSymbolRefAttr::get(&context, "Cons")});
  auto nil = SymbolRefAttr::get(&context, "List",
                                {FlatSymbolRefAttr::get(&context, "Nil")});
  InterpreterValue list = InterpreterValue::getData(nil, 1, {});
  InterpreterValue one = scalar(1);
  for (int i = 0; i < 1000000; ++i)
    list = InterpreterValue::getData(cons, 0, {one, std::move(list)});
  EXPECT_EQ("Cons", list.getConstructorName());
  std::string text = print(list);
  EXPECT_EQ(std::string(1000000, ')'), text.substr(text.size() - 1000000));
  InterpreterValue tuple = scalar(2);
  for (int i = 0; i < 1000000; ++i)
    tuple = InterpreterValue(ArrayRef<InterpreterValue>{std::move(tuple)});
}

TEST_F(LanguageTest, CallsWhatARunReturned) {
  auto module = parse(R"mlir(
    func.func @adder(%n: tensor<i32>) -> ((tensor<i32>) -> tensor<i32>) {
      %f = relay.fn (%x: tensor<i32>) -> tensor<i32> {
        %0 = relay.add %x, %n : (tensor<i32>, tensor<i32>) -> tensor<i32>
        relay.yield %0 : tensor<i32>
      }
      return %f : (tensor<i32>) -> tensor<i32>
    })mlir");
  InterpreterValue closure;
  {
    auto results = Interpreter(&context).run(
        module->lookupSymbol<func::FuncOp>("adder"), {scalar(40)});
    ASSERT_TRUE(succeeded(results));
    closure = results->front();
  }
  EXPECT_TRUE(closure.isFunction());
  EXPECT_EQ("<closure>", print(closure));
  Interpreter interpreter(&context);
  auto result = interpreter.call(closure, {scalar(2)});
  ASSERT_TRUE(succeeded(result));
  EXPECT_EQ(42, getInt(*result));
  EXPECT_TRUE(failed(interpreter.call(closure, {})));
  EXPECT_EQ("'relay.fn' op expects 1 inputs, but got 0", messages.back());
  EXPECT_TRUE(failed(interpreter.call(scalar(1), {})));
  EXPECT_EQ("expects a function to call, but got 1", messages.back());
}

TEST_F(LanguageTest, FreesCyclesOfReferences) {
  ASSERT_EQ(0, Interpreter::getNumReferences());
  auto module = parse(knot);
  auto use = module->lookupSymbol<func::FuncOp>("use");
  auto results = Interpreter(&context).run(use, {});
  ASSERT_TRUE(succeeded(results));
  EXPECT_EQ(10, getInt(results->front()));
  EXPECT_EQ(0, Interpreter::getNumReferences());

  // A cycle in a result stays as long as the result, and not much longer.
  auto make = module->lookupSymbol<func::FuncOp>("knot");
  InterpreterValue closure;
  for (int i = 0; i < 1000; ++i) {
    auto closures = Interpreter(&context).run(make, {});
    ASSERT_TRUE(succeeded(closures));
    closure = closures->front();
    EXPECT_GE(Interpreter::getNumReferences(), 1);
    EXPECT_LE(Interpreter::getNumReferences(), 128);
  }
  auto result = Interpreter(&context).call(closure, {scalar(3)});
  ASSERT_TRUE(succeeded(result));
  EXPECT_EQ(6, getInt(*result));
}

TEST_F(LanguageTest, LimitsTensors) {
  auto module = parse(R"mlir(
    func.func @static() -> tensor<1099511627776xf32> {
      %0 = relay.zeros {shape = [1099511627776], dtype = f32} : () -> tensor<1099511627776xf32>
      return %0 : tensor<1099511627776xf32>
    }
    func.func @large() -> tensor<1073741824x1073741824xf32> {
      %0 = relay.zeros {shape = [1073741824, 1073741824], dtype = f32} : () -> tensor<1073741824x1073741824xf32>
      return %0 : tensor<1073741824x1073741824xf32>
    }
    func.func @dynamic(%n: tensor<i64>) -> tensor<?xi64> {
      %zero = relay.constant dense<0> : tensor<i64>
      %one = relay.constant dense<1> : tensor<i64>
      %0 = relay.arange %zero, %n, %one {dtype = i64} : (tensor<i64>, tensor<i64>, tensor<i64>) -> tensor<?xi64>
      return %0 : tensor<?xi64>
    })mlir");
  ASSERT_TRUE(module);
  Interpreter interpreter(&context);
  for (StringRef name : {"static", "large"}) {
    messages.clear();
    EXPECT_TRUE(
        failed(interpreter.run(module->lookupSymbol<func::FuncOp>(name), {})));
    ASSERT_EQ(1u, messages.size());
    EXPECT_TRUE(StringRef(messages[0]).contains("expects tensors of at most"))
        << messages[0];
  }
  int64_t limit = Tensor::getMaxSizeInBytes();
  Tensor::setMaxSizeInBytes(800);
  auto dynamic = module->lookupSymbol<func::FuncOp>("dynamic");
  Type i64 = IntegerType::get(&context, 64);
  EXPECT_TRUE(
      succeeded(interpreter.run(dynamic, {Tensor::getScalar(i64, 100)})));
  EXPECT_TRUE(failed(interpreter.run(dynamic, {Tensor::getScalar(i64, 101)})));
  EXPECT_EQ("'relay.arange' op expects tensors of at most 800 bytes, but got "
            "one of type 'tensor<101xi64>'",
            messages.back());
  Tensor::setMaxSizeInBytes(limit);
}
