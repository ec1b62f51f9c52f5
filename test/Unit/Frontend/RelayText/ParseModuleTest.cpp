//===- ParseModuleTest.cpp - Modules in Relay text ------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RelayTextTest.h"

using namespace mlir;
using namespace mlir::relay;

namespace {

using ParseModuleTest = RelayTextTest;

/// A whole file, as the printer leaves it.
constexpr StringLiteral kTrees = R"(#[version = "0.0.5"]
type List[A] {
  Cons(A, List[A]),
  Nil,
}

extern type Storage {

}

type Tree[A] {
  Rose(A, List[Tree[A]]),
}

def @first(%t: Tree[int32]) -> int32 {
  match (%t) {
    Rose(%x, _) => {
      %x
    },
  }
}

def @hd[A](%xs: List[A]) -> A {
  match? (%xs) {
    Cons(%x1: A, _) => {
      %x1
    },
  }
}

def @pairs(%p: (int32, List[int32])) -> List[int32] {
  match (%p) {
    (%n, Cons(_, %rest)) => {
      %0 = Nil;
      let %v = Cons(%n, %0);
      %rest
    },
    (_, Nil) => {
      Nil
    },
  }
}
)";

TEST_F(ParseModuleTest, DataTypes) {
  std::optional<ast::Module> module = parseModule(kTrees);
  ASSERT_TRUE(module) << getMessages();
  EXPECT_EQ(printWhole(*module), kTrees.str());
  const ast::TypeData *list = module->lookupType("List");
  ASSERT_TRUE(list);
  ASSERT_EQ(list->constructors.size(), 2u);
  EXPECT_EQ(list->constructors[1]->index, 1u);
  EXPECT_TRUE(module->lookupType("Storage")->isExtern);
}

/// Types and constructors may be used before they are defined.
TEST_F(ParseModuleTest, OrderOfDefinitions) {
  EXPECT_EQ(reprintModule("def @f() { Some(1) }\n"
                          "type Option[A] { Some(A), None }\n"),
            "type Option[A] {\n  Some(A),\n  None,\n}\n\n"
            "def @f() {\n  Some(1)\n}\n");
}

TEST_F(ParseModuleTest, ConstructorsAsValues) {
  EXPECT_EQ(reprintModule("type List[A] { Cons(A, List[A]), Nil }\n"
                          "def @f(%x) { @foldr(Cons, Nil, %x) }\n"),
            "type List[A] {\n  Cons(A, List[A]),\n  Nil,\n}\n\n"
            "def @f(%x) {\n  %0 = Nil;\n  @foldr(Cons, %0, %x)\n}\n");
}

TEST_F(ParseModuleTest, FunctionAttributes) {
  EXPECT_EQ(reprintModule("def @main(%x: int32, Primitive=1, "
                          "relay.reshape_only=1, Compiler=\"a\\\"b\", "
                          "TestAttribute=None) { %x }"),
            "def @main(%x: int32, Primitive=1, relay.reshape_only=1, "
            "Compiler=\"a\\\"b\", TestAttribute=None) {\n  %x\n}\n");
  EXPECT_EQ(reprintModule("def @main(relay.reshape_only=1) { 1 }"),
            "def @main(relay.reshape_only=1) {\n  1\n}\n");
}

TEST_F(ParseModuleTest, GlobalNames) {
  EXPECT_EQ(
      reprintModule("def @a.b() { @\"c d\"() }\ndef @\"c d\"() { @a.b() }"),
      "def @a.b() {\n  @\"c d\"()\n}\n\n"
      "def @\"c d\"() {\n  @a.b()\n}\n");
}

TEST_F(ParseModuleTest, Duplicates) {
  EXPECT_EQ(reprintModule("type Ayy { Lmao }\ntype Haha { Lmao }"),
            "3:13: expects a new constructor, but got 'Lmao' again\n"
            "2:6: note: the type 'Ayy' has one of that name\n");
  EXPECT_EQ(reprintModule("type A { B }\ntype A { C }"),
            "3:6: expects a new type, but got 'A' again\n"
            "2:6: note: the first is here\n");
  EXPECT_EQ(reprintModule("def @f() { 1 }\ndef @f() { 2 }"),
            "3:5: expects a new function, but got '@f' again\n"
            "2:5: note: the first is here\n");
  EXPECT_EQ(reprintModule("extern type E { C }"),
            "2:15: expects no constructors of an extern type\n");
}

/// Numbers may be used again in another block; all see the nearest binding.
TEST_F(ParseModuleTest, GraphVariables) {
  EXPECT_EQ(reprintModule("def @f() { %0 = f(1); %0 }\n"
                          "def @g() { %0 = g(2); %0 }\n"),
            "def @f() {\n  f(1)\n}\n\ndef @g() {\n  g(2)\n}\n");
  EXPECT_EQ(reprintModule("def @f() { %0 = 1; %0 = 2; %0 }"),
            "2:20: expects a new graph variable, but got '%0' again\n"
            "2:12: note: the first is here\n");
}

/// A node may be bound within a scope and used outside of it.
TEST_F(ParseModuleTest, SharingAcrossScopes) {
  StringRef text = "fn (%c, %x) {\n"
                   "  %1 = if (%c) {\n"
                   "    %0 = abs(%x);\n"
                   "    (%0, %0)\n"
                   "  } else {\n"
                   "    (%x, %x)\n"
                   "  };\n"
                   "  (%1, %0)\n"
                   "}";
  EXPECT_EQ(reprint(text), text.str());
}

TEST_F(ParseModuleTest, InitialModule) {
  std::optional<ast::Module> prelude = parseModule(kTrees);
  ASSERT_TRUE(prelude);
  options.initial = &*prelude;
  std::optional<ast::Module> module =
      parseModule("#[version = \"0.0.5\"]\ndef @main() { @hd(Cons(1, Nil)) }");
  ASSERT_TRUE(module) << getMessages();
  EXPECT_EQ(module->functions.size(), 4u);
  EXPECT_TRUE(module->lookupFunction("hd"));
  // A function is replaced, a type cannot be.
  module = parseModule("#[version = \"0.0.5\"]\ndef @hd() { 1 }");
  ASSERT_TRUE(module) << getMessages();
  EXPECT_EQ(module->functions.size(), 3u);
  EXPECT_FALSE(parseModule("#[version = \"0.0.5\"]\ntype List { X }"));
}

/// What is only an expression becomes the main function.
TEST_F(ParseModuleTest, Expressions) {
  EXPECT_EQ(reprintModule("fn (%x: int32) { %x }"),
            "def @main(%x: int32) {\n  %x\n}\n");
  EXPECT_EQ(reprintModule("free_var %x: int32; add(%x, 1)"),
            "def @main(%x: int32) {\n  add(%x, 1)\n}\n");
  EXPECT_EQ(reprintModule(""), "");
}

} // namespace
