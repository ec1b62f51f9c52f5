//===- ParseModule.cpp - Read text of MLIR that may be hostile ------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "relay-mlir/Support/ParseModule.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/ProgramStack.h"

using namespace mlir;
using namespace mlir::relay;

namespace {

/// Counts levels of a text without parsing it. Where the text is malformed the
/// parser stops, so that it matters only what comes before.
class NestingScanner {
public:
  NestingScanner(StringRef text, unsigned limit) : text(text), limit(limit) {}

  std::optional<size_t> findExcess();

private:
  char peek(size_t offset = 1) const {
    return position + offset < text.size() ? text[position + offset] : '\0';
  }
  void skipString();
  /// Skips a name with its prefix and returns it.
  StringRef takeName();
  /// Whether `name`, which has just been taken, gets its meaning here.
  bool isDefinition(StringRef name) const;
  /// Notes that there is something nested in `levels`.
  bool reach(unsigned levels) {
    deepest = std::max(deepest, levels);
    return levels > limit;
  }

  StringRef text;
  unsigned limit;
  size_t position = 0;
  unsigned brackets = 0, signs = 0;
  /// Levels of each alias, the alias at hand, and the most levels since it.
  /// What stands between its definition and its use is taken for part of it, as
  /// no line tells where a definition ends.
  llvm::StringMap<unsigned> aliases;
  StringRef alias;
  unsigned deepest = 0;
};

} // namespace

void NestingScanner::skipString() {
  for (++position; position < text.size(); ++position) {
    char c = text[position];
    if (c == '\\')
      ++position;
    else if (c == '"' || c == '\n')
      break;
  }
  ++position;
}

StringRef NestingScanner::takeName() {
  size_t end = text.find_if_not(
      [](char c) {
        return llvm::isAlnum(c) || c == '_' || c == '$' || c == '.' || c == '-';
      },
      position + 1);
  StringRef name = text.slice(position, end);
  position += name.size();
  return name;
}

bool NestingScanner::isDefinition(StringRef name) const {
  if (brackets != 0 || (name[0] != '!' && name[0] != '#'))
    return false;
  StringRef rest = text.substr(position).ltrim();
  return rest.starts_with("=") && !rest.starts_with("==");
}

std::optional<size_t> NestingScanner::findExcess() {
  while (position < text.size()) {
    size_t start = position;
    char c = text[position];
    if (llvm::isSpace(c)) {
      ++position;
      continue;
    }
    if (c == '/' && peek() == '/') {
      position = std::min(text.find('\n', position), text.size());
      continue;
    }
    bool isSign = c == '-' && peek() != '>';
    signs = isSign ? signs + 1 : 0;
    // A comparison in an integer set is no bracket.
    if ((c == '<' || c == '>') && peek() == '=') {
      position += 2;
      continue;
    }
    switch (c) {
    case '"':
      skipString();
      break;
    case '(':
    case '[':
    case '{':
    case '<':
      ++brackets;
      ++position;
      break;
    case ')':
    case ']':
    case '}':
    case '>':
      brackets = brackets ? brackets - 1 : 0;
      ++position;
      break;
    case '-':
      position += isSign ? 1 : 2;
      break;
    case '!':
    case '#':
    case '%':
    case '^':
    case '@': {
      StringRef name = takeName();
      if (isDefinition(name)) {
        if (!alias.empty())
          aliases[alias] = deepest;
        alias = name;
        deepest = 0;
        break;
      }
      // What an alias stands for ends before it is used.
      if (name == alias) {
        aliases[alias] = deepest;
        alias = {};
      }
      auto known = aliases.find(name);
      if (known != aliases.end() && reach(brackets + known->second))
        return start;
      break;
    }
    default:
      ++position;
    }
    if (reach(brackets + signs))
      return start;
  }
  return std::nullopt;
}

std::optional<size_t> relay::findDeepNesting(StringRef text, unsigned limit) {
  return NestingScanner(text, limit).findExcess();
}

/// The first blob in the resources of `text` that begins with an alignment of 0
/// and has bytes, for which the parser gets no memory.
static std::optional<size_t> findUnalignedResource(StringRef text) {
  constexpr llvm::StringLiteral kUnaligned("\"0x00000000");
  size_t resources = std::min(text.find("{-#"), text.size());
  for (size_t place = text.find(kUnaligned, resources);
       place != StringRef::npos; place = text.find(kUnaligned, place + 1))
    if (!text.substr(place + kUnaligned.size()).starts_with("\""))
      return place;
  return std::nullopt;
}

LogicalResult relay::checkText(llvm::MemoryBufferRef source,
                               MLIRContext *context) {
  StringRef text = source.getBuffer();
  if (text.starts_with("ML\xefR"))
    return success();
  auto fail = [&](size_t place) {
    StringRef before = text.take_front(place);
    return emitError(FileLineColLoc::get(
        context, source.getBufferIdentifier(), before.count('\n') + 1,
        before.size() - (before.rfind('\n') + 1) + 1));
  };
  if (std::optional<size_t> place = findDeepNesting(text))
    return fail(*place) << "expects at most " << kMaxTextNesting
                        << " levels of nesting";
  if (std::optional<size_t> place = findUnalignedResource(text))
    return fail(*place) << "expects an alignment of a power of two in the "
                           "first 4 bytes of a resource, but got 0";
  return success();
}

Location relay::getFileLocation(MLIRContext *context, StringRef path) {
  llvm::sys::fs::file_status status;
  if (!llvm::sys::fs::status(path, status) && llvm::sys::fs::is_other(status))
    return NameLoc::get(StringAttr::get(context, path));
  return FileLineColLoc::get(context, path, 1, 1);
}

OwningOpRef<ModuleOp> relay::parseModule(llvm::SourceMgr &sources,
                                         const ParserConfig &config) {
  llvm::MemoryBufferRef main =
      sources.getMemoryBuffer(sources.getMainFileID())->getMemBufferRef();
  if (failed(checkText(main, config.getContext())))
    return nullptr;
  OwningOpRef<ModuleOp> module;
  llvm::runOnNewStack(kParserStackSize, [&] {
    module = parseSourceFile<ModuleOp>(sources, config);
  });
  return module;
}

OwningOpRef<ModuleOp> relay::parseModule(StringRef text, StringRef name,
                                         const ParserConfig &config) {
  llvm::SourceMgr sources;
  sources.AddNewSourceBuffer(
      llvm::MemoryBuffer::getMemBuffer(text, name,
                                       /*RequiresNullTerminator=*/false),
      llvm::SMLoc());
  return parseModule(sources, config);
}
