//===- TextDiff.cpp - How a pass changed the text of a program ------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Values are numbered in order, so that one new operation changes the text of
// all after it. Therefore lines are aligned with their numbers masked (by the
// algorithm of Myers, which gives up on texts that have little in common), and
// what is aligned is compared once more: each number must stand for the value
// that it is aligned with where that is defined.
//
//===----------------------------------------------------------------------===//

#include "TextDiff.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"

using namespace mlir::relay;
using llvm::ArrayRef;
using llvm::SmallVector;
using llvm::StringRef;

/// Lines beyond these differences are replaced as a whole. Time and memory are
/// the square of it.
static constexpr int kMaxDifferences = 1500;
/// Equal lines around those that changed.
static constexpr size_t kContext = 3;
/// Longer lines are cut.
static constexpr size_t kMaxLineLength = 400;

namespace {
struct Line {
  StringRef text;
  /// Equal for lines that differ in the numbers of values only.
  unsigned key = 0;
};

/// A line of each text that belong together, or of one only.
struct Pair {
  static constexpr int kNone = -1;
  int before, after;
};
} // namespace

static bool isNameChar(char c) {
  return llvm::isAlnum(c) || c == '_' || c == '$' || c == '.' || c == '-' ||
         c == '#' || c == ':';
}

/// Calls `handle` with each value's name in `line` and where it ends. The colon
/// in "%0:2" is part of a name, that in "%arg0: type" is not.
static void forEachValue(StringRef line,
                         llvm::function_ref<void(StringRef, size_t)> handle) {
  for (size_t i = line.find('%'); i < line.size(); i = line.find('%', i)) {
    size_t end = i + 1;
    while (end < line.size() && isNameChar(line[end]) &&
           (line[end] != ':' ||
            (end + 1 < line.size() && llvm::isDigit(line[end + 1]))))
      ++end;
    handle(line.slice(i, end), end);
    i = end;
  }
}

static std::string maskValues(StringRef line) {
  std::string masked;
  size_t last = 0;
  forEachValue(line, [&](StringRef name, size_t end) {
    masked += line.slice(last, end - name.size());
    masked += '%';
    // The number of results, or which one, matters.
    masked += name.substr(name.find_first_of(":#"));
    last = end;
  });
  masked += line.substr(last);
  return masked;
}

static std::vector<Line> splitLines(StringRef text,
                                    llvm::StringMap<unsigned> &keys) {
  std::vector<Line> lines;
  while (!text.empty()) {
    auto [line, rest] = text.split('\n');
    unsigned key =
        keys.try_emplace(maskValues(line), keys.size()).first->second;
    lines.push_back({line, key});
    text = rest;
  }
  return lines;
}

/// Aligns what lies between the equal ends of two texts; false if they differ
/// too much.
static bool alignMiddle(ArrayRef<Line> before, ArrayRef<Line> after,
                        int offset[2], std::vector<Pair> &pairs) {
  int n = before.size(), m = after.size();
  int limit = std::min(n + m, kMaxDifferences);
  // For each number of differences, how far each diagonal reaches.
  std::vector<std::vector<int>> history;
  std::vector<int> reach(2 * limit + 3, 0);
  auto at = [&](std::vector<int> &row, int diagonal) -> int & {
    return row[diagonal + limit + 1];
  };
  int found = -1;
  for (int d = 0; d <= limit && found < 0; ++d) {
    for (int k = -d; k <= d; k += 2) {
      bool isDown = k == -d || (k != d && at(reach, k - 1) < at(reach, k + 1));
      int x = isDown ? at(reach, k + 1) : at(reach, k - 1) + 1;
      while (x < n && x - k >= 0 && x - k < m &&
             before[x].key == after[x - k].key)
        ++x;
      at(reach, k) = x;
      if (x >= n && x - k >= m) {
        found = d;
        break;
      }
    }
    // Only the diagonals that this step wrote are needed.
    history.emplace_back(&at(reach, -d), &at(reach, d) + 1);
  }
  if (found < 0)
    return false;

  std::vector<Pair> reversed;
  int x = n, y = m;
  for (int d = found; d > 0; --d) {
    const std::vector<int> &previous = history[d - 1];
    auto get = [&](int diagonal) {
      int index = diagonal + d - 1;
      return index < 0 || index >= static_cast<int>(previous.size())
                 ? -1
                 : previous[index];
    };
    int k = x - y;
    bool isDown = k == -d || (k != d && get(k - 1) < get(k + 1));
    int fromX = isDown ? get(k + 1) : get(k - 1);
    int fromY = fromX - (isDown ? k + 1 : k - 1);
    while (x > fromX + (isDown ? 0 : 1) && y > fromY + (isDown ? 1 : 0)) {
      --x;
      --y;
      reversed.push_back({offset[0] + x, offset[1] + y});
    }
    if (isDown)
      reversed.push_back({Pair::kNone, offset[1] + --y});
    else
      reversed.push_back({offset[0] + --x, Pair::kNone});
  }
  while (x > 0)
    reversed.push_back({offset[0] + --x, offset[1] + --y});
  pairs.insert(pairs.end(), reversed.rbegin(), reversed.rend());
  return true;
}

static std::vector<Pair> align(ArrayRef<Line> before, ArrayRef<Line> after,
                               bool &isReplaced) {
  std::vector<Pair> pairs;
  size_t common = std::min(before.size(), after.size()), head = 0, tail = 0;
  while (head < common && before[head].key == after[head].key)
    ++head;
  while (tail < common - head && before[before.size() - 1 - tail].key ==
                                     after[after.size() - 1 - tail].key)
    ++tail;
  for (size_t i = 0; i < head; ++i)
    pairs.push_back({static_cast<int>(i), static_cast<int>(i)});
  int offset[2] = {static_cast<int>(head), static_cast<int>(head)};
  ArrayRef<Line> inner[2] = {before.drop_front(head).drop_back(tail),
                             after.drop_front(head).drop_back(tail)};
  if (!alignMiddle(inner[0], inner[1], offset, pairs)) {
    isReplaced = true;
    for (size_t i = 0; i < inner[0].size(); ++i)
      pairs.push_back({offset[0] + static_cast<int>(i), Pair::kNone});
    for (size_t i = 0; i < inner[1].size(); ++i)
      pairs.push_back({Pair::kNone, offset[1] + static_cast<int>(i)});
  }
  for (size_t i = tail; i > 0; --i)
    pairs.push_back({static_cast<int>(before.size() - i),
                     static_cast<int>(after.size() - i)});
  return pairs;
}

/// The names of values in a line, and how many at its start it defines.
static SmallVector<StringRef> getValues(StringRef line, size_t &numDefined) {
  SmallVector<StringRef> names;
  size_t equals = line.find(" = ");
  bool isDefinition = line.ltrim().starts_with("%") && equals != line.npos;
  numDefined = 0;
  forEachValue(line, [&](StringRef name, size_t end) {
    names.push_back(
        name.take_until([](char c) { return c == ':' || c == '#'; }));
    // "%0 = ..." and "%arg0: type" define.
    if ((isDefinition && end <= equals) ||
        (!isDefinition && line.substr(end).starts_with(": ")))
      ++numDefined;
  });
  return names;
}

namespace {
/// Says which aligned lines are equal, from the first one on.
class ValueMatcher {
public:
  bool match(StringRef before, StringRef after) {
    size_t numBefore, numAfter;
    SmallVector<StringRef> oldNames = getValues(before, numBefore);
    SmallVector<StringRef> newNames = getValues(after, numAfter);
    bool isEqual = true;
    for (auto [i, oldName, newName] : llvm::enumerate(oldNames, newNames)) {
      if (i < numBefore) {
        meanings[oldName] = newName;
        continue;
      }
      auto it = meanings.find(oldName);
      isEqual &=
          it == meanings.end() ? oldName == newName : it->second == newName;
    }
    return isEqual;
  }

private:
  llvm::DenseMap<StringRef, StringRef> meanings;
};
} // namespace

static std::string cut(char mark, StringRef line) {
  std::string text(1, mark);
  text += line.take_front(kMaxLineLength);
  if (line.size() > kMaxLineLength)
    text += "...";
  return text;
}

TextDiff mlir::relay::diffTexts(StringRef before, StringRef after,
                                size_t maxLines) {
  llvm::StringMap<unsigned> keys;
  std::vector<Line> oldLines = splitLines(before, keys);
  std::vector<Line> newLines = splitLines(after, keys);
  TextDiff diff;
  std::vector<Pair> pairs = align(oldLines, newLines, diff.isReplaced);
  ValueMatcher matcher;
  std::vector<bool> isChanged;
  for (const Pair &pair : pairs) {
    bool isPair = pair.before >= 0 && pair.after >= 0;
    isChanged.push_back(!isPair || !matcher.match(oldLines[pair.before].text,
                                                  newLines[pair.after].text));
  }
  size_t shownUntil = 0, numPairs = pairs.size();
  for (size_t i = 0; i < numPairs; ++i) {
    if (!isChanged[i])
      continue;
    bool isFull = diff.lines.size() >= maxLines;
    size_t start = std::max(shownUntil, i < kContext ? 0 : i - kContext);
    if (!isFull && (start > shownUntil || diff.lines.empty())) {
      const Pair &first = pairs[start];
      diff.lines.push_back(
          "@ line " + std::to_string(1 + std::max(first.before, first.after)));
    }
    auto show = [&](char mark, StringRef line) {
      if (diff.lines.size() < maxLines)
        diff.lines.push_back(cut(mark, line));
      else
        ++diff.numOmitted;
    };
    for (size_t j = start; j < i && !isFull; ++j)
      if (!isChanged[j])
        show(' ', newLines[pairs[j].after].text);
    // All that changed together: first what was there, then what is there.
    size_t end = i;
    while (end < numPairs && isChanged[end])
      ++end;
    for (size_t j = i; j < end; ++j)
      if (pairs[j].before >= 0) {
        ++diff.numRemoved;
        show('-', oldLines[pairs[j].before].text);
      }
    for (size_t j = i; j < end; ++j)
      if (pairs[j].after >= 0) {
        ++diff.numAdded;
        show('+', newLines[pairs[j].after].text);
      }
    shownUntil = end;
    for (size_t j = end; j < std::min(end + kContext, numPairs) &&
                         !isChanged[j] && diff.lines.size() < maxLines;
         ++j, ++shownUntil)
      show(' ', newLines[pairs[j].after].text);
    i = end;
  }
  return diff;
}
