//===- Shadow.cpp - What threads did to memory ----------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Shadow.h"

#include "llvm/ADT/bit.h"

#include <algorithm>

using namespace mlir::relay::gpu_executor;

void Shadow::split(Page &page, unsigned shift) {
  unsigned count = 1u << (page.shift - shift);
  std::vector<Cell> cells;
  cells.reserve(page.cells.size() * count);
  for (const Cell &cell : page.cells)
    cells.insert(cells.end(), count, cell);
  page.cells = std::move(cells);
  page.shift = shift;
}

bool Shadow::forEachCell(uint64_t begin, uint64_t end,
                         llvm::function_ref<bool(Cell &)> fn) {
  unsigned shift = llvm::countr_zero(begin | end | 4);
  constexpr uint64_t kPageBytes = uint64_t(1) << kPageShift;
  while (begin < end) {
    uint64_t index = begin >> kPageShift;
    if (index >= pages.size())
      pages.resize(index + 1);
    std::unique_ptr<Page> &page = pages[index];
    if (!page) {
      page = std::make_unique<Page>();
      page->cells.resize(kPageBytes >> page->shift);
    }
    if (page->shift > shift)
      split(*page, shift);
    uint64_t origin = index << kPageShift;
    uint64_t last = std::min(end, origin + kPageBytes);
    for (uint64_t i = (begin - origin) >> page->shift,
                  e = (last - origin) >> page->shift;
         i < e; ++i)
      if (!fn(page->cells[i]))
        return false;
    begin = last;
  }
  return true;
}
