//===- OutputFile.h - Write whole files or none -----------------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// LLVM's temporary files are removed by a signal handler, which belongs to a
// program, not to a library that Python loads. A file that has no name yet
// vanishes by itself, whatever ends the process.
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_SUPPORT_OUTPUTFILE_H
#define RELAY_MLIR_SUPPORT_OUTPUTFILE_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/LogicalResult.h"

#include <system_error>

namespace llvm {
class raw_ostream;
} // namespace llvm

namespace mlir::relay {

/// Writes contents to a descriptor of an empty file that is read and written at
/// any offset.
using WriteFileFn = llvm::function_ref<std::error_code(int file)>;

/// Writes the file `path`, with the permissions `mode` less the process's mask.
/// A file that has the name is replaced at once when `write` has succeeded, and
/// stays as it is when not. A device or a pipe gets a copy. A file that has no
/// name, such as one in memory under /proc/self/fd, is written as it is.
std::error_code writeOutputFile(llvm::StringRef path, unsigned mode,
                                WriteFileFn write);

/// The same for text; "-" is standard output. If `write` fails the result is
/// std::errc::operation_canceled.
std::error_code writeOutputText(
    llvm::StringRef path,
    llvm::function_ref<llvm::LogicalResult(llvm::raw_ostream &os)> write);

/// Writes what standard output holds back. Prints an error and fails if some of
/// it could not be written: the stream would end the process when it goes.
llvm::LogicalResult finishStandardOutput();

} // namespace mlir::relay

#endif // RELAY_MLIR_SUPPORT_OUTPUTFILE_H
