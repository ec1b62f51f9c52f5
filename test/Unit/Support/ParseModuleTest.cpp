//===- ParseModuleTest.cpp - Depth of text --------------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "relay-mlir/Support/ParseModule.h"

#include "gtest/gtest.h"

using mlir::relay::findDeepNesting;

namespace {

TEST(FindDeepNesting, CountsBracketsOfAllKinds) {
  EXPECT_EQ(findDeepNesting("([{<>}])", 4), std::nullopt);
  EXPECT_EQ(findDeepNesting("([{<>}])", 3), 3u);
  EXPECT_EQ(findDeepNesting("()()()()", 1), std::nullopt);
}

TEST(FindDeepNesting, LooksPastWhatIsNoBracket) {
  EXPECT_EQ(findDeepNesting("() -> (() -> ())", 2), std::nullopt);
  EXPECT_EQ(findDeepNesting("\"((\\\"((\" // ((\n()", 1), std::nullopt);
  // The end of a line ends a string that is broken.
  EXPECT_EQ(findDeepNesting("\"\n(())", 1), 3u);
  // Comparisons neither open nor close.
  EXPECT_EQ(findDeepNesting("<(d0 <= 0, d0 >= 0)> <(d0 <= 0)>", 2),
            std::nullopt);
  EXPECT_EQ(findDeepNesting("[<(d0 >= 0)>, [<(d0 >= 0)>, []]]", 3), 16u);
}

TEST(FindDeepNesting, CountsSignsBeforeSigns) {
  EXPECT_EQ(findDeepNesting("(- - -d0 - -d1)", 4), std::nullopt);
  EXPECT_EQ(findDeepNesting("(- - -d0)", 3), 5u);
  EXPECT_EQ(findDeepNesting("--- // a\n-d0", 3), 9u);
}

TEST(FindDeepNesting, CountsWhatAliasesStandFor) {
  EXPECT_EQ(findDeepNesting("!a = t<t<f32>>\n!b = t<!a>\nf(!b)", 4),
            std::nullopt);
  EXPECT_EQ(findDeepNesting("!a = t<t<f32>>\n!b = t<!a>\nf(!b)", 3), 28u);
  // Up to its first use all counts as its definition, and no use after that.
  EXPECT_EQ(findDeepNesting("#a = 1\nf(#a) f(#a) f((#a)) f(#a)", 3),
            std::nullopt);
}

} // namespace
