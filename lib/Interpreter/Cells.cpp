//===- Cells.cpp - References and the cycles they make --------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Cells.h"

#include "relay-mlir/Interpreter/Interpreter.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

#include <mutex>

using namespace mlir;
using namespace mlir::relay;
using namespace mlir::relay::detail;

namespace {

/// The cells that outlived their run. Guards all lists: a cell may lose its
/// last reference in any thread.
struct Survivors {
  std::mutex mutex;
  int64_t numRuns = 0;
  /// In all lists.
  int64_t numCells = 0;
  /// When to look for cycles again: their number should have doubled, so that
  /// looking for them takes time in proportion to making them.
  int64_t limit = minLimit;
  CellObject end{InterpreterValue()};

  static constexpr int64_t minLimit = 64;
};

} // namespace

static Survivors &getSurvivors() {
  // Never destroyed: values may be in static variables.
  static Survivors *survivors = new Survivors();
  return *survivors;
}

CellObject::CellObject(InterpreterValue contents)
    : Object(InterpreterValue::Kind::Reference), contents(std::move(contents)) {
}

CellObject::~CellObject() {
  if (next == this)
    return;
  Survivors &survivors = getSurvivors();
  std::lock_guard<std::mutex> lock(survivors.mutex);
  previous->next = next;
  next->previous = previous;
  --survivors.numCells;
}

/// Empties the cells of a list, and those reachable from them, that nothing
/// outside of them refers to. Their contents are to be destroyed after the
/// lists are unlocked.
static void collectCycles(CellObject &end,
                          std::vector<InterpreterValue> &garbage) {
  // How many of an object's references come from the objects found.
  DenseMap<Object *, uint32_t> internal;
  SmallVector<Object *> stack;
  for (CellObject *cell = end.next; cell != &end; cell = cell->next)
    if (internal.try_emplace(cell, 0).second)
      stack.push_back(cell);
  while (!stack.empty()) {
    Object *object = stack.pop_back_val();
    forEachChild(object, [&](InterpreterValue &child) {
      if (!child || child.isTensor())
        return;
      auto [it, isNew] = internal.try_emplace(child.getObject(), 0);
      ++it->second;
      if (isNew)
        stack.push_back(child.getObject());
    });
  }

  DenseSet<Object *> live;
  for (auto [object, count] : internal)
    if (object->numReferences.load() > count && live.insert(object).second)
      stack.push_back(object);
  while (!stack.empty()) {
    Object *object = stack.pop_back_val();
    forEachChild(object, [&](InterpreterValue &child) {
      if (child && !child.isTensor() && live.insert(child.getObject()).second)
        stack.push_back(child.getObject());
    });
  }
  for (auto [object, count] : internal)
    if (object->kind == InterpreterValue::Kind::Reference &&
        !live.contains(object))
      garbage.push_back(std::move(static_cast<CellObject *>(object)->contents));
}

static void link(CellObject &end, CellObject &first, CellObject &last) {
  first.previous = end.previous;
  last.next = &end;
  end.previous->next = &first;
  end.previous = &last;
}

CellScope::CellScope() : end(InterpreterValue()) {
  Survivors &survivors = getSurvivors();
  std::lock_guard<std::mutex> lock(survivors.mutex);
  ++survivors.numRuns;
}

InterpreterValue CellScope::createCell(InterpreterValue contents) {
  auto *cell = new CellObject(std::move(contents));
  Survivors &survivors = getSurvivors();
  std::lock_guard<std::mutex> lock(survivors.mutex);
  link(end, *cell, *cell);
  ++survivors.numCells;
  return InterpreterValue::adopt(cell);
}

CellScope::~CellScope() {
  Survivors &survivors = getSurvivors();
  std::vector<InterpreterValue> garbage;
  {
    std::lock_guard<std::mutex> lock(survivors.mutex);
    if (end.next != &end)
      collectCycles(end, garbage);
  }
  garbage.clear();
  {
    std::lock_guard<std::mutex> lock(survivors.mutex);
    if (end.next != &end) {
      link(survivors.end, *end.next, *end.previous);
      end.next = end.previous = &end;
    }
    // A run could change what the search looks at.
    if (--survivors.numRuns == 0 && survivors.numCells >= survivors.limit) {
      collectCycles(survivors.end, garbage);
      int64_t rest = survivors.numCells - static_cast<int64_t>(garbage.size());
      survivors.limit = std::max(Survivors::minLimit, 2 * rest);
    }
  }
}

int64_t Interpreter::getNumReferences() {
  Survivors &survivors = getSurvivors();
  std::lock_guard<std::mutex> lock(survivors.mutex);
  return survivors.numCells;
}
