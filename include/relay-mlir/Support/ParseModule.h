//===- ParseModule.h - Read text of MLIR that may be hostile ----*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// MLIR's parser, printer and verifier call themselves for each level of
// nesting, until the stack is used up, which ends the process.
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_SUPPORT_PARSEMODULE_H
#define RELAY_MLIR_SUPPORT_PARSEMODULE_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/Support/SourceMgr.h"

#include <optional>

namespace mlir {
class ParserConfig;

namespace relay {

/// Levels of nesting of a text of MLIR at most, as in Relay text.
inline constexpr unsigned kMaxTextNesting = 2000;

/// Bytes of stack on which so many levels are parsed.
inline constexpr unsigned kParserStackSize = 64 << 20;

/// The first place in `text` that is nested in more than `limit` levels:
/// brackets, signs before signs, and what the aliases in them stand for.
std::optional<size_t> findDeepNesting(StringRef text,
                                      unsigned limit = kMaxTextNesting);

/// Fails with an error at the place if MLIR's parser would end the process at
/// `source`: where it is nested too deep, or has a resource aligned to nothing.
/// Bytecode, which is not read like that, is left alone.
LogicalResult checkText(llvm::MemoryBufferRef source, MLIRContext *context);

/// The place where a message about all of the file `path` is. Of a pipe or a
/// device it is the name alone: handlers of diagnostics open files to show the
/// line, and would wait for whoever writes into the pipe.
Location getFileLocation(MLIRContext *context, StringRef path);

/// Parses the main file of `sources`, text or bytecode. Null after an error.
OwningOpRef<ModuleOp> parseModule(llvm::SourceMgr &sources,
                                  const ParserConfig &config);

/// Parses `text`, which messages call `name`. Null after an error.
OwningOpRef<ModuleOp> parseModule(StringRef text, StringRef name,
                                  const ParserConfig &config);

} // namespace relay
} // namespace mlir

#endif // RELAY_MLIR_SUPPORT_PARSEMODULE_H
