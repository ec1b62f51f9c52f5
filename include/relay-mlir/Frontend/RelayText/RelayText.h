//===- RelayText.h - Relay text ---------------------------------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// Text, expressions, and the relay dialect:
//
//   text --parse--> ast::Module --import--> ModuleOp
//   text <--print-- ast::Module <--export-- ModuleOp
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_FRONTEND_RELAYTEXT_RELAYTEXT_H
#define RELAY_MLIR_FRONTEND_RELAYTEXT_RELAYTEXT_H

#include "relay-mlir/Frontend/RelayText/AST.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/Support/SourceMgr.h"

namespace mlir::relay {

/// The versions of the format that can be read and printed.
enum class TextVersion { V0_0_1, V0_0_4, V0_0_5 };

//===----------------------------------------------------------------------===//
// Parser
//===----------------------------------------------------------------------===//

struct ParseOptions {
  /// Definitions that the text may refer to; they become part of the result.
  const ast::Module *initial = nullptr;
  /// Entries of `meta[key][index]`, appended to those of the text: constants
  /// as ElementsAttr.
  llvm::StringMap<SmallVector<Attribute>> metadata;
};

/// Parses a module in any of the versions; its first line tells which. Reports
/// errors with location and a caret through the context's diagnostics, several
/// if it can go on. Fails after any error.
FailureOr<ast::Module> parseRelayModule(llvm::SourceMgr &source,
                                        MLIRContext *context,
                                        const ParseOptions &options = {});

/// Parses one expression; the version line may be missing.
FailureOr<ast::ExprPtr> parseRelayExpr(llvm::SourceMgr &source,
                                       MLIRContext *context,
                                       const ParseOptions &options = {});

//===----------------------------------------------------------------------===//
// Printer
//===----------------------------------------------------------------------===//

struct PrintOptions {
  TextVersion version = TextVersion::V0_0_5;
  /// Whether the version line is printed first.
  bool showVersion = true;
  /// Whether constants and the like that have no literal are printed in a
  /// metadata section.
  bool showMetadata = true;
  /// Whether types and locations follow in comments. Off if `annotate` is set.
  bool showTypes = true;
  bool showSpans = false;
  /// Text to be printed after an expression.
  std::function<std::string(const ast::ExprPtr &)> annotate;
};

void printRelay(raw_ostream &os, const ast::Module &module,
                const PrintOptions &options = {});
void printRelay(raw_ostream &os, const ast::ExprPtr &expr,
                const PrintOptions &options = {});
/// Prints a type as the text format spells it: `Tensor[(2, ?), float32]`.
void printRelayType(raw_ostream &os, Type type);

//===----------------------------------------------------------------------===//
// The relay dialect
//===----------------------------------------------------------------------===//

/// Makes a module of the relay dialect. Types that are not written are
/// `!relay.incomplete`, and operators on them `relay.apply`; type inference
/// (relay-infer-types) completes both. Free variables, unknown names and
/// attributes that an operator does not have are errors.
OwningOpRef<ModuleOp> importRelay(const ast::Module &module,
                                  MLIRContext *context);

namespace ast {
/// What operations become.
using ExportedNodes = DenseMap<Operation *, ExprPtr>;
} // namespace ast

/// Makes expressions of a module of the relay dialect; types of values become
/// checked types. Fails with a diagnostic at an operation that the language
/// does not have. Adds the node of each operation to `nodes`.
FailureOr<ast::Module> exportRelay(ModuleOp module,
                                   ast::ExportedNodes *nodes = nullptr);

/// Registers the translations --import-relay and --export-relay.
void registerRelayTextTranslations();

} // namespace mlir::relay

#endif // RELAY_MLIR_FRONTEND_RELAYTEXT_RELAYTEXT_H
