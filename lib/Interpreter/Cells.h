//===- Cells.h - References and the cycles they make ------------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// A closure can be stored in a reference that it captures: such a cycle is not
// freed by counting. Each run keeps a list of the cells that it made, and frees
// at its end those that only cycles hold. Cells in results stay; they move to a
// list of the process, which is looked through now and then.
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_LIB_INTERPRETER_CELLS_H
#define RELAY_MLIR_LIB_INTERPRETER_CELLS_H

#include "Objects.h"

namespace mlir::relay::detail {

/// The cells of one run.
class CellScope {
public:
  CellScope();
  CellScope(const CellScope &) = delete;
  CellScope &operator=(const CellScope &) = delete;
  /// Everything of the run but its results must be gone by now.
  ~CellScope();

  InterpreterValue createCell(InterpreterValue contents);

private:
  /// The list's end, an empty cell.
  CellObject end;
};

} // namespace mlir::relay::detail

#endif // RELAY_MLIR_LIB_INTERPRETER_CELLS_H
