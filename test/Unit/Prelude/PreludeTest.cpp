//===- PreludeTest.cpp - Standard definitions by name ---------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "relay-mlir/Prelude/Prelude.h"

#include "llvm/ADT/StringSet.h"
#include "gtest/gtest.h"

using namespace mlir::relay;
using llvm::StringRef;

/// Returns the names that a text defines, without `@`; each once.
static llvm::StringSet<> getDefinitions(StringRef text) {
  llvm::StringSet<> names;
  llvm::SmallVector<StringRef> lines;
  text.split(lines, '\n');
  for (StringRef line : lines) {
    if (!line.consume_front("def @") && !line.consume_front("type ") &&
        !line.consume_front("extern type "))
      continue;
    StringRef name = line.take_until(
        [](char c) { return c == '(' || c == '[' || c == ' '; });
    EXPECT_TRUE(names.insert(name).second) << name.str();
  }
  return names;
}

TEST(PreludeTest, KnowsItsFiles) {
  EXPECT_EQ(4u, getPreludeNames().size());
  for (StringRef name : getPreludeNames())
    EXPECT_TRUE(getPreludeText(name)->starts_with("#[version = \"0.0.5\"]\n"));
  EXPECT_FALSE(getPreludeText("prelude"));
  EXPECT_FALSE(getPreludeText(""));
}

TEST(PreludeTest, DefinesWhatTheReferenceNames) {
  llvm::StringSet<> prelude = getDefinitions(*getPreludeText("prelude.rly"));
  // Three types and 24 functions.
  EXPECT_EQ(27u, prelude.size());
  for (StringRef name :
       {"List",  "Option",     "Tree",       "id",      "compose", "flip",
        "hd",    "tl",         "nth",        "length",  "update",  "map",
        "foldl", "foldr",      "foldr1",     "sum",     "concat",  "filter",
        "zip",   "rev",        "map_accumr", "unfoldr", "unfoldl", "tmap",
        "size",  "map_accuml", "iterate"})
    EXPECT_TRUE(prelude.contains(name)) << name.str();
  EXPECT_EQ(6u, getDefinitions(*getPreludeText("nat.rly")).size());
  EXPECT_EQ(4u, getDefinitions(*getPreludeText("gradient.rly")).size());
  EXPECT_TRUE(getDefinitions(*getPreludeText("core.rly")).contains("Storage"));
}

TEST(PreludeTest, DefinesTensorArrays) {
  EXPECT_EQ(9u, getTensorArrayDTypes().size());
  llvm::StringSet<> any = getDefinitions(getTensorArrayText("int8"));
  for (StringRef name :
       {"tensor_int8_t", "tensor_take_int8",
        "tensor_array_unstack_tensor6_int8",
        "tensor_array_unstack_tensor1_helper_int8", "tensor_array_stack_int8"})
    EXPECT_TRUE(any.contains(name)) << name.str();
}

TEST(PreludeTest, DefinesSharedTypesOnce) {
  llvm::StringSet<> defined;
  auto isDefined = [&](StringRef name) { return defined.contains(name); };
  // The stack of the one is the element of the other; and the other way round.
  std::vector<std::vector<int64_t>> shapes = {{2, 3}, {-1, 2, 3}, {3}, {}};
  for (const std::vector<int64_t> &shape : shapes) {
    std::string text =
        getStaticTensorArrayText("float32", shape, -1, isDefined);
    llvm::StringSet<> names = getDefinitions(text);
    EXPECT_FALSE(names.empty());
    for (StringRef name : names.keys())
      EXPECT_TRUE(defined.insert(name).second) << name.str();
    // All of it is there now.
    EXPECT_TRUE(getDefinitions(
                    getStaticTensorArrayText("float32", shape, -1, isDefined))
                    .empty());
  }
  for (StringRef name :
       {"static_tensor_float32_2_3_t", "static_tensor_float32_any_2_3_t",
        "tensor_array_gather_float32_scalar", "tensor_get_data_float32_3"})
    EXPECT_TRUE(defined.contains(name)) << name.str();
}
