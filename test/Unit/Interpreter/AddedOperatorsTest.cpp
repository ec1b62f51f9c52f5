//===- AddedOperatorsTest.cpp - Operators that programs add ---------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "relay-mlir/Interpreter/AddedOperators.h"

#include "ContextTest.h"

#include "relay-mlir/Dialect/Relay/IR/AddedOperators.h"
#include "relay-mlir/Dialect/Relay/Transforms/Passes.h"

#include "mlir/Pass/PassManager.h"

using namespace mlir;
using namespace mlir::relay;

namespace {

class AddedOperatorsTest : public ContextTest {
protected:
  /// A program that applies an operator to its input, with inferred types.
  OwningOpRef<ModuleOp> makeProgram(StringRef name) {
    std::string text = R"(
      func.func @main(%x: tensor<2xf32>) -> !relay.incomplete {
        %0 = relay.apply ")" +
                       name.str() + R"("(%x)
            : (tensor<2xf32>) -> !relay.incomplete
        return %0 : !relay.incomplete
      })";
    auto module = parse(text);
    PassManager manager(&context);
    manager.addPass(createInferTypesPass());
    manager.addPass(createVerifyTypedPass());
    if (!module || failed(manager.run(*module)))
      return nullptr;
    return module;
  }
};

/// Returns the type of its only operand.
FailureOr<Type> inferSame(Location loc, TypeRange operands, DictionaryAttr) {
  if (operands.size() != 1)
    return emitError(loc, "expects one operand");
  return operands.front();
}

} // namespace

TEST_F(AddedOperatorsTest, Run) {
  ASSERT_TRUE(succeeded(
      addOperator({"test.same", "Its operand", {{"data"}}, inferSame})));
  OwningOpRef<ModuleOp> module = makeProgram("test.same");
  ASSERT_TRUE(module);
  auto main = module->lookupSymbol<func::FuncOp>("main");
  auto type = RankedTensorType::get({2}, Float32Type::get(&context));
  EXPECT_EQ(main.getResultTypes().front(), type);

  Tensor input = Tensor::getVector(type.getElementType(), {3, 4});
  EXPECT_TRUE(failed(interpretMain(*module, {input})));
  ASSERT_FALSE(messages.empty());
  EXPECT_NE(messages.back().find("expects a definition of 'test.same'"),
            std::string::npos);

  addEvaluator("test.same",
               [](Operation *, ArrayRef<InterpreterValue> operands)
                   -> FailureOr<InterpreterValue> { return operands[0]; });
  auto results = interpretMain(*module, {input});
  ASSERT_TRUE(succeeded(results));
  EXPECT_EQ(results->front().getTensor().getElements<float>()[1], 4.0f);
}

TEST_F(AddedOperatorsTest, NamesAndOperands) {
  EXPECT_EQ(lookupAddedOperator("test.nothing"), nullptr);
  EXPECT_FALSE(makeProgram("test.nothing"));
  // The dialect's operators stay what they are.
  EXPECT_TRUE(failed(addOperator({"add", "", std::nullopt, inferSame})));

  ASSERT_TRUE(
      succeeded(addOperator({"test.pair", "", {{"lhs", "rhs"}}, inferSame})));
  EXPECT_FALSE(makeProgram("test.pair"));
  EXPECT_EQ(getOperatorSchema("test.pair")->getMinArguments(), 2u);
  // The last one of a name counts.
  ASSERT_TRUE(
      succeeded(addOperator({"test.pair", "", std::nullopt, inferSame})));
  EXPECT_TRUE(makeProgram("test.pair"));
  EXPECT_EQ(getOperatorSchema("test.pair")->getMaxArguments(), std::nullopt);
}
