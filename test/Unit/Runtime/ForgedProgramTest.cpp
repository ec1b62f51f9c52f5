//===- ForgedProgramTest.cpp - Refuse damaged and forged programs ---------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Programs.h"

#include "gtest/gtest.h"

#include <algorithm>
#include <cstring>
#include <random>

using namespace relay_test;

namespace {

/// The image with the words of the code that begin at `number` replaced.
Bytes patchCode(Bytes image, size_t number, const std::vector<int64_t> &words) {
  // The first call: has_constructor of register 0.
  const int64_t start[] = {RELAY_VM_CALL,
                           1,
                           13,
                           2,
                           0,
                           RELAY_VM_MAKE_ARGUMENT(RELAY_VM_IMMEDIATE, 0)};
  const char *begin = reinterpret_cast<const char *>(start);
  auto it =
      std::search(image.begin(), image.end(), begin, begin + sizeof(start));
  EXPECT_NE(it, image.end());
  std::memcpy(&*it + number * sizeof(int64_t), words.data(),
              words.size() * sizeof(int64_t));
  return image;
}

struct Forgery {
  size_t word;
  std::vector<int64_t> words;
  const char *message;
};
} // namespace

TEST(ForgedProgramTest, IsRefused) {
  auto argument = [](RelayVMArgument kind, int64_t value) {
    return RELAY_VM_MAKE_ARGUMENT(kind, value);
  };
  const Forgery forgeries[] = {
      {0, {7}, "expects an instruction, but got 7 at word 0 of 'sum'"},
      {1, {2}, "expects a register below 2, but got 2 at word 0 of 'sum'"},
      {1, {-1}, "expects a register below 2, but got -1 at word 0 of 'sum'"},
      {2, {28}, "expects a function below 28, but got 28 at word 0 of 'sum'"},
      {3,
       {1},
       "expects more arguments of 'vm.builtin.has_constructor', but "
       "got 1 at word 0 of 'sum'"},
      {3, {-1}, "expects fewer arguments than words, but got -1"},
      {3, {INT64_MAX}, "expects fewer arguments than words"},
      {4, {argument(RELAY_VM_LAST_USE, 2)}, "expects a register below 2"},
      {4, {argument(RELAY_VM_IMMEDIATE, 0)}, "expects a value as argument"},
      {5,
       {argument(RELAY_VM_IMMEDIATE, 2)},
       "expects a constructor below 2, but got 2"},
      {5, {argument(RELAY_VM_REGISTER, 0)}, "expects a number as argument"},
      {8,
       {0},
       "expects a jump forward of less than 35 words, but got 0 at "
       "word 6 of 'sum'"},
      {8, {35}, "expects a jump forward of less than 35 words, but got 35"},
      {8, {4}, "expects a jump to an instruction, but got word 10 at word 6"},
      {14,
       {argument(RELAY_VM_IMMEDIATE, -1)},
       "expects the number of a field, but got -1"},
      {38,
       {argument(RELAY_VM_CONSTANT, 1)},
       "expects a constant below 1, but got 1"},
      {40, {9}, "expects a register below 2, but got 9 at word 39 of 'sum'"},
      {39,
       {RELAY_VM_GOTO, 1},
       "expects a jump to an instruction, but got word 40 at word 39"},
      {135,
       {argument(RELAY_VM_FUNCTION, 8)},
       "expects a function in bytecode as argument"},
      {135,
       {argument(RELAY_VM_FUNCTION, 99)},
       "expects a function in bytecode as argument"},
  };
  Bytes image = readBytes(getLibrary("program"));
  for (const Forgery &forgery : forgeries) {
    Bytes patched = patchCode(image, forgery.word, forgery.words);
    RelayModule *module = load(makeArtifact(patched, getWeights()));
    EXPECT_EQ(nullptr, module) << forgery.message;
    EXPECT_NE(std::string(relayGetLastError()).find(forgery.message),
              std::string::npos)
        << relayGetLastError() << "\nexpected: " << forgery.message;
    relayModuleFree(module);
  }
}

// What passes the checks runs, to whatever end.
TEST(ForgedProgramTest, TypesAreChecked) {
  Bytes image = readBytes(getLibrary("program"));
  const int64_t types[] = {
      RELAY_VM_TYPE_DATA, 1, 1, RELAY_VM_TYPE_TENSOR, 0, 32, 0};
  const char *begin = reinterpret_cast<const char *>(types);
  auto expectRefused = [&](size_t number, int64_t word,
                           const std::string &message) {
    Bytes forged = image;
    auto it =
        std::search(forged.begin(), forged.end(), begin, begin + sizeof(types));
    ASSERT_NE(it, forged.end());
    std::memcpy(&*it + number * sizeof(int64_t), &word, sizeof(word));
    EXPECT_EQ(nullptr, load(makeArtifact(forged, getWeights())));
    EXPECT_NE(std::string(relayGetLastError()).find(message), std::string::npos)
        << relayGetLastError();
  };
  expectRefused(0, 7, "expects a kind of types below 7, but got 7");
  expectRefused(1, 2, "expects a constructor below 2, but got 2");
  expectRefused(2, 5, "expects a number of arguments below 5, but got 5");
  expectRefused(4, -1, "expects an element type below 256, but got -1");
  expectRefused(6, 1, "the types of 'total' are damaged: expects a rank below");
}

TEST(ForgedProgramTest, NeverCrashes) {
  Bytes image = readBytes(getLibrary("program"));
  std::mt19937_64 random(1);
  const size_t numWords = 179;
  int numLoaded = 0;
  for (int round = 0; round < 1500; ++round) {
    std::vector<int64_t> words(1);
    int64_t small = static_cast<int64_t>(random() % 24) - 1;
    words[0] =
        random() % 2 ? small : RELAY_VM_MAKE_ARGUMENT(random() % 6, small % 4);
    size_t position = random() % numWords;
    // What makes a cycle and does not break it again leaks, as it should.
    if (position >= 147 && position < 171)
      continue;
    Bytes patched = patchCode(image, position, words);
    RelayModule *module = load(makeArtifact(patched, getWeights()));
    if (!module)
      continue;
    ++numLoaded;
    // Some loops would have no end.
    int numAsked = 0;
    relayModuleSetInterrupt(
        module,
        [](void *user) -> int32_t { return ++*static_cast<int *>(user) > 20; },
        &numAsked);
    Value number(3), nil, cons;
    (void)relayModuleMakeData(module, "List", "Nil", nullptr, 0, &nil);
    RelayValue *fields[] = {number.get(), nil.get()};
    (void)relayModuleMakeData(module, "List", "Cons", fields, 2, &cons);
    for (const char *name : {"sum", "range", "adder", "cycle", "forever"})
      for (RelayValue *arg : {number.get(), cons.get()}) {
        Value result;
        (void)relayModuleInvoke(module, name, &arg, 1, &result);
      }
    for (const char *name : {"loop", "add2", "vectors"}) {
      RelayValue *args[] = {number.get(), number.get()};
      Value result;
      (void)relayModuleInvoke(module, name, args, 2, &result);
    }
    cons = Value();
    nil = Value();
    relayModuleFree(module);
  }
  EXPECT_GT(numLoaded, 100);
}
