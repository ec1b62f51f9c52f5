//===- ProgramTest.cpp - Run programs in bytecode -------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Programs.h"

#include "relay-mlir-c/Functions.h"

#include "gtest/gtest.h"

#include <string>
#include <thread>
#include <vector>

using namespace relay_test;

namespace {

class ProgramTest : public ::testing::Test {
protected:
  void SetUp() override {
    module = load(makeArtifact(readBytes(getLibrary("program")), getWeights()));
    ASSERT_NE(nullptr, module) << relayGetLastError();
  }
  void TearDown() override { relayModuleFree(module); }

  Value call(const char *name, std::vector<RelayValue *> args,
             RelayStatus expected = RELAY_OK) {
    Value result;
    EXPECT_EQ(expected, relayModuleInvoke(module, name, args.data(),
                                          args.size(), &result))
        << relayGetLastError();
    return result;
  }
  /// Calls that fail, and say so.
  void expectError(const char *name, std::vector<RelayValue *> args,
                   RelayStatus status, const std::string &message) {
    call(name, std::move(args), status);
    EXPECT_NE(std::string(relayGetLastError()).find(message), std::string::npos)
        << relayGetLastError();
  }

  RelayModule *module = nullptr, *other = nullptr;
};

} // namespace

TEST_F(ProgramTest, Runs) {
  Value n(5), zero(0);
  Value list = call("range", {n.get()});
  EXPECT_EQ(RELAY_VALUE_DATA, relayValueGetKind(list.get()));
  const RelayArtifactConstructor *constructor = nullptr;
  ASSERT_EQ(RELAY_OK, relayValueGetConstructor(list.get(), &constructor));
  EXPECT_STREQ("Cons", constructor->name);
  EXPECT_EQ(15, call("sum", {list.get()}).getNumber());
  EXPECT_EQ(15, call("loop", {n.get(), zero.get()}).getNumber());
  EXPECT_EQ(5, call("cycle", {n.get()}).getNumber());
}

TEST_F(ProgramTest, CallsClosures) {
  Value two(2), three(3), result;
  Value closure = call("adder", {two.get()});
  EXPECT_EQ(RELAY_VALUE_CLOSURE, relayValueGetKind(closure.get()));
  RelayValue *args[] = {three.get(), three.get()};
  for (int i = 0; i < 2; ++i) {
    Value sum;
    ASSERT_EQ(RELAY_OK,
              relayModuleInvokeClosure(module, closure.get(), args, 1, &sum));
    EXPECT_EQ(5, sum.getNumber());
  }
  EXPECT_EQ(RELAY_INVALID_ARGUMENT,
            relayModuleInvokeClosure(module, closure.get(), args, 2, &result));
  EXPECT_STREQ("expects 1 arguments, but got 2", relayGetLastError());
  EXPECT_EQ(RELAY_INVALID_ARGUMENT,
            relayModuleInvokeClosure(module, two.get(), args, 1, &result));
  EXPECT_STREQ("expects a function to call, but got a tensor",
               relayGetLastError());
  // Another module, though of the same file, has other functions.
  RelayModule *other =
      load(makeArtifact(readBytes(getLibrary("program")), getWeights()));
  EXPECT_EQ(RELAY_INVALID_ARGUMENT,
            relayModuleInvokeClosure(other, closure.get(), args, 1, &result));
  relayModuleFree(other);
}

TEST_F(ProgramTest, LongListsAndLoopsTakeNoStack) {
  constexpr int32_t kLength = 1000000;
  Value n(kLength), zero(0);
  // Numbers wrap around.
  auto expected = static_cast<uint32_t>(uint64_t(kLength) * (kLength + 1) / 2 %
                                        (uint64_t(1) << 32));
  EXPECT_EQ(expected,
            uint32_t(call("loop", {n.get(), zero.get()}).getNumber()));
  Value list = call("range", {n.get()});
  EXPECT_EQ(expected, uint32_t(call("sum", {list.get()}).getNumber()));
}

TEST_F(ProgramTest, RecursionWithoutEndIsAnError) {
  Value n(1);
  expectError("forever", {n.get()}, RELAY_EXECUTION_FAILED,
              "expects at most 4000000 nested calls, but got more with "
              "'forever'; does its recursion end?");
}

TEST_F(ProgramTest, CanBeInterrupted) {
  int rest = 3;
  relayModuleSetInterrupt(
      module,
      [](void *user) -> int32_t { return --*static_cast<int *>(user) < 0; },
      &rest);
  Value n(1 << 30), zero(0);
  expectError("loop", {n.get(), zero.get()}, RELAY_INTERRUPTED, "interrupted");
}

TEST_F(ProgramTest, WrongArgumentsAreErrors) {
  Value n(1), two(std::vector<int32_t>{1, 2}),
      three(std::vector<int32_t>{1, 2, 3});
  expectError(
      "nothing", {}, RELAY_INVALID_ARGUMENT,
      "expects one of the functions 'sum', 'range', 'loop', 'forever', "
      "'adder', 'add2', 'cycle', 'vectors', 'total', 'ask', 'askAll', but got "
      "'nothing'");
  expectError("sum", {}, RELAY_INVALID_ARGUMENT,
              "expects 1 arguments of 'sum', but got 0");
  expectError("sum", {nullptr}, RELAY_INVALID_ARGUMENT,
              "expects a value, but got a null pointer");
  expectError("sum", {n.get()}, RELAY_INVALID_ARGUMENT,
              "expects a value of a data type, but got a tensor; in function "
              "'sum'");
  expectError("range", {two.get()}, RELAY_INVALID_ARGUMENT,
              "expects input 'x' to have shape [], but got [2]; in function "
              "'range'");
  expectError("vectors", {two.get(), three.get()}, RELAY_INVALID_ARGUMENT,
              "expects input 'w' to have shape [n] with n = 2 as in an earlier "
              "dimension, but got [3]; in function 'vectors'");
  Value list = call("range", {n.get()});
  expectError("range", {list.get()}, RELAY_INVALID_ARGUMENT,
              "expects input 'x' to be a tensor, but got a value of a data "
              "type; in function 'range'");
  EXPECT_EQ(RELAY_INVALID_ARGUMENT,
            relayModuleRun(module, nullptr, 0, nullptr, 0));
  EXPECT_STREQ("expects one function of tensors, but got a program of several "
               "functions; call relayModuleInvoke",
               relayGetLastError());
}

TEST_F(ProgramTest, ArgumentsHaveTypes) {
  Value one(1), pair(std::vector<int32_t>{1, 2});
  auto makeList = [&](std::vector<RelayValue *> fields) {
    Value list;
    EXPECT_EQ(RELAY_OK,
              relayModuleMakeData(module, "List", "Nil", nullptr, 0, &list));
    for (RelayValue *field : fields) {
      RelayValue *parts[] = {field, list.get()};
      Value longer;
      EXPECT_EQ(RELAY_OK,
                relayModuleMakeData(module, "List", "Cons", parts, 2, &longer));
      list = std::move(longer);
    }
    return list;
  };
  EXPECT_EQ(
      2, call("total", {makeList({one.get(), one.get()}).get()}).getNumber());
  expectError("total", {one.get()}, RELAY_INVALID_ARGUMENT,
              "argument 0 of 'total' ('x'): expects a value of 'List', but got "
              "a tensor");
  expectError("total", {makeList({pair.get(), one.get()}).get()},
              RELAY_INVALID_ARGUMENT,
              "argument 0 of 'total' ('x'), field 1 of Cons, field 0 of Cons: "
              "expects a tensor of shape [], but got [2]");
  std::vector<RelayValue *> many(1000, one.get());
  many.front() = pair.get();
  expectError("total", {makeList(many).get()}, RELAY_INVALID_ARGUMENT,
              "field 1 of Cons, ..., field 1 of Cons");
  RelayValue *fields[] = {one.get(), one.get()};
  Value list;
  ASSERT_EQ(RELAY_OK,
            relayModuleMakeData(module, "List", "Cons", fields, 2, &list));
  expectError("total", {list.get()}, RELAY_INVALID_ARGUMENT,
              "field 1 of Cons: expects a value of 'List', but got a tensor");

  // One of another copy of the program is not one of this.
  std::swap(module, other);
  module = load(makeArtifact(readBytes(getLibrary("program")), getWeights()));
  ASSERT_NE(nullptr, module);
  Value theirs = makeList({one.get()});
  std::swap(module, other);
  expectError("total", {theirs.get()}, RELAY_INVALID_ARGUMENT,
              "expects a value of 'List', but got one of constructor 'Cons' of "
              "another program");
  theirs = Value();
  relayModuleFree(other);
}

TEST_F(ProgramTest, ValuesAreMadeAndRead) {
  Value one(1), nil, cons, tuple, reference, contents;
  ASSERT_EQ(RELAY_OK,
            relayModuleMakeData(module, "List", "Nil", nullptr, 0, &nil));
  RelayValue *fields[] = {one.get(), nil.get()};
  ASSERT_EQ(RELAY_OK,
            relayModuleMakeData(module, "List", "Cons", fields, 2, &cons));
  EXPECT_EQ(1, call("sum", {cons.get()}).getNumber());
  Value wrong;
  EXPECT_EQ(RELAY_INVALID_ARGUMENT,
            relayModuleMakeData(module, "List", "Cons", fields, 1, &wrong));
  EXPECT_STREQ("expects 2 fields of 'Cons', but got 1", relayGetLastError());
  EXPECT_EQ(RELAY_INVALID_ARGUMENT,
            relayModuleMakeData(module, "Tree", "Cons", fields, 2, &wrong));
  EXPECT_STREQ("expects a constructor of the program, but got 'Cons' of 'Tree'",
               relayGetLastError());
  ASSERT_EQ(RELAY_OK, relayValueMakeTuple(fields, 2, &tuple));
  int32_t count = 0;
  ASSERT_EQ(RELAY_OK, relayValueGetNumFields(tuple.get(), &count));
  EXPECT_EQ(2, count);
  EXPECT_EQ(RELAY_INVALID_ARGUMENT, relayValueGetField(tuple.get(), 2, &wrong));
  EXPECT_STREQ("expects a field below 2, but got 2", relayGetLastError());
  ASSERT_EQ(RELAY_OK, relayValueMakeReference(one.get(), &reference));
  ASSERT_EQ(RELAY_OK, relayValueReadReference(reference.get(), &contents));
  EXPECT_EQ(1, contents.getNumber());
  EXPECT_EQ(RELAY_INVALID_ARGUMENT,
            relayValueWriteReference(reference.get(), tuple.get()));
  EXPECT_STREQ("expects a tensor, as the reference has, but got a tuple",
               relayGetLastError());
  Value two(2), written;
  ASSERT_EQ(RELAY_OK, relayValueWriteReference(reference.get(), two.get()));
  ASSERT_EQ(RELAY_OK, relayValueReadReference(reference.get(), &written));
  EXPECT_EQ(2, written.getNumber());
}

// What a program keeps of a caller's memory, it copies.
TEST_F(ProgramTest, BorrowedElementsAreCopiedIfTheyAreKept) {
  int32_t number = 2;
  DLTensor tensor = {&number, {kDLCPU, 0}, 0, {kDLInt, 32, 1},
                     nullptr, nullptr,     0};
  Value borrowed, three(3), sum;
  ASSERT_EQ(RELAY_OK, relayValueBorrowTensor(&tensor, &borrowed));
  Value closure = call("adder", {borrowed.get()});
  number = 100;
  RelayValue *args[] = {three.get()};
  ASSERT_EQ(RELAY_OK,
            relayModuleInvokeClosure(module, closure.get(), args, 1, &sum));
  EXPECT_EQ(5, sum.getNumber());
}

TEST_F(ProgramTest, SeveralThreadsRunOneProgram) {
  Value n(1000);
  Value list = call("range", {n.get()});
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&] {
      for (int round = 0; round < 20; ++round)
        EXPECT_EQ(500500, call("sum", {list.get()}).getNumber());
    });
  for (std::thread &thread : threads)
    thread.join();
}

//===----------------------------------------------------------------------===//
// Packed functions
//===----------------------------------------------------------------------===//

namespace {
/// Keeps all arguments, and does what it is told.
struct Packed {
  int32_t status = RELAY_OK;
  const char *message = nullptr;
  bool returnsNothing = false, returnsBorrowed = false;
  int32_t number = 9;
  std::vector<RelayValue *> kept;

  Packed() {
    for (const char *name : {"test.ask", "test.write"})
      EXPECT_EQ(RELAY_OK, relayRegisterFunction(name, call, this));
  }
  ~Packed() {
    for (const char *name : {"test.ask", "test.write"})
      EXPECT_EQ(RELAY_OK, relayRegisterFunction(name, nullptr, nullptr));
    for (RelayValue *value : kept)
      relayValueRelease(value);
  }

  static int32_t call(void *user, RelayValue *const *args, int32_t numArgs,
                      int32_t numOutputs, RelayValue **result) {
    auto &self = *static_cast<Packed *>(user);
    for (int32_t i = 0; i < numArgs; ++i) {
      relayValueRetain(args[i]);
      self.kept.push_back(args[i]);
    }
    if (self.message)
      relaySetLastError(self.message);
    if (!result) {
      EXPECT_EQ(1, numOutputs);
      DLTensor from, to;
      EXPECT_EQ(RELAY_OK, relayValueGetTensor(args[0], &from));
      EXPECT_EQ(RELAY_OK, relayValueGetTensor(args[1], &to));
      EXPECT_EQ(from.shape[0], to.shape[0]);
      for (int64_t i = 0; i < to.shape[0]; ++i)
        static_cast<int32_t *>(to.data)[i] =
            2 * static_cast<int32_t *>(from.data)[i];
      return self.status;
    }
    EXPECT_EQ(0, numOutputs);
    EXPECT_EQ(nullptr, *result);
    if (self.returnsBorrowed) {
      DLTensor tensor = {&self.number, {kDLCPU, 0}, 0, {kDLInt, 32, 1},
                         nullptr,      nullptr,     0};
      EXPECT_EQ(RELAY_OK, relayValueBorrowTensor(&tensor, result));
    } else if (!self.returnsNothing) {
      relayValueRetain(args[0]);
      *result = args[0];
    }
    return self.status;
  }
};
} // namespace

TEST_F(ProgramTest, CallsPackedFunctions) {
  Value three(3), four(4);
  expectError("ask", {three.get(), four.get()}, RELAY_INCOMPATIBLE,
              "expects a function that is registered as 'test.ask', but there "
              "is none; register it before the run");
  Packed packed;
  EXPECT_EQ(3, call("ask", {three.get(), four.get()}).getNumber());
  packed.returnsBorrowed = true;
  Value nine = call("ask", {three.get(), four.get()});
  packed.number = 10;
  EXPECT_EQ(9, nine.getNumber());
  packed.returnsBorrowed = false;
  packed.returnsNothing = true;
  expectError("ask", {three.get(), four.get()}, RELAY_EXECUTION_FAILED,
              "expects a result of the function that is registered as "
              "'test.ask', but got none; in function 'ask'");
  // A result of a call that fails is not leaked.
  packed.returnsNothing = false;
  packed.status = RELAY_INVALID_ARGUMENT;
  packed.message = "no";
  expectError("ask", {three.get(), four.get()}, RELAY_INVALID_ARGUMENT,
              "the function that is registered as 'test.ask' failed: no; in "
              "function 'ask'");
  packed.status = 77;
  packed.message = nullptr;
  expectError("ask", {three.get(), four.get()}, RELAY_EXECUTION_FAILED,
              "the function that is registered as 'test.ask' failed; in "
              "function 'ask'");
}

TEST_F(ProgramTest, PackedFunctionsWriteTensors) {
  Packed packed;
  {
    Value vector(std::vector<int32_t>{1, 2, 3});
    Value twice = call("askAll", {vector.get()});
    DLTensor tensor;
    ASSERT_EQ(RELAY_OK, relayValueGetTensor(twice.get(), &tensor));
    const auto *data = static_cast<const int32_t *>(tensor.data);
    EXPECT_EQ(std::vector<int32_t>({2, 4, 6}),
              std::vector<int32_t>(data, data + 3));
  }
  // What has been kept outlives the memory of the run.
  ASSERT_EQ(2u, packed.kept.size());
  DLTensor kept;
  ASSERT_EQ(RELAY_OK, relayValueGetTensor(packed.kept[1], &kept));
  EXPECT_EQ(6, static_cast<const int32_t *>(kept.data)[2]);
  packed.status = RELAY_OUT_OF_MEMORY;
  packed.message = "of it";
  {
    Value vector(std::vector<int32_t>{5});
    call("askAll", {vector.get()}, RELAY_OUT_OF_MEMORY);
  }
  ASSERT_EQ(RELAY_OK, relayValueGetTensor(packed.kept[3], &kept));
  EXPECT_EQ(10, static_cast<const int32_t *>(kept.data)[0]);
  Value empty(std::vector<int32_t>{});
  expectError("askAll", {empty.get()}, RELAY_OUT_OF_MEMORY,
              "the function that is registered as 'test.write' failed: of it");
}

TEST_F(ProgramTest, PackedFunctionsNeedNames) {
  EXPECT_EQ(RELAY_INVALID_ARGUMENT,
            relayRegisterFunction(nullptr, Packed::call, nullptr));
  EXPECT_STREQ("expects a name, but got a null pointer", relayGetLastError());
}

TEST_F(ProgramTest, PrintsItself) {
  uint64_t length = 0;
  ASSERT_EQ(RELAY_OK, relayModulePrintProgram(module, nullptr, 0, &length));
  std::string text(length, ' ');
  ASSERT_EQ(RELAY_OK,
            relayModulePrintProgram(module, text.data(), length + 1, &length));
  EXPECT_EQ(0u, text.find("@sum(%0 x) registers: 2\n"
                          "    0  call  vm.builtin.has_constructor in: %0, i0 "
                          "      dst: %1\n"
                          "    6  if    %1 else 34\n"))
      << text;
}
