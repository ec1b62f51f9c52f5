//===- MatchCoverage.cpp - Values that no case matches --------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "relay-mlir/Dialect/Relay/Analysis/MatchCoverage.h"

#include "relay-mlir/Dialect/Relay/IR/Patterns.h"

#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace mlir::relay;

namespace {

enum class Outcome { Match, Clash, Unspecified };

/// Candidates are patterns of wildcards, constructors and tuples.
class Coverage {
public:
  Coverage(MatchOp match, SymbolTableCollection &symbols)
      : match(match), symbols(symbols),
        wildcard(WildcardPatternAttr::get(match.getContext())) {}

  std::optional<SmallVector<Attribute>> findUnmatched(unsigned limit);

private:
  /// Whether all, none or some of the values of `candidate` match `pattern`.
  static Outcome check(Attribute pattern, Attribute candidate);
  /// Splits a candidate where `pattern`, which it does not clash with, looks
  /// closer than it. Nothing if the pattern names a constructor that does not
  /// exist.
  SmallVector<Attribute> expand(Attribute pattern, Attribute candidate);
  /// Combinations of expanded fields, all if they are not too many: fields of
  /// which there would be too many are left for the next time.
  std::vector<SmallVector<Attribute>> expandFields(ArrayRef<Attribute> patterns,
                                                   ArrayRef<Attribute> fields);

  MatchOp match;
  SymbolTableCollection &symbols;
  Attribute wildcard;
};

} // namespace

static bool matchesAnything(Attribute pattern) {
  return isa<WildcardPatternAttr, VarPatternAttr>(pattern);
}

Outcome Coverage::check(Attribute pattern, Attribute candidate) {
  if (matchesAnything(pattern))
    return Outcome::Match;
  if (matchesAnything(candidate))
    return Outcome::Unspecified;
  auto constructor = dyn_cast<ConstructorPatternAttr>(pattern);
  auto other = dyn_cast<ConstructorPatternAttr>(candidate);
  if (!constructor != !other ||
      (constructor && constructor.getConstructor() != other.getConstructor()) ||
      getPatternFields(pattern).size() != getPatternFields(candidate).size())
    return Outcome::Clash;
  Outcome outcome = Outcome::Match;
  for (auto [field, value] : llvm::zip_equal(getPatternFields(pattern),
                                             getPatternFields(candidate))) {
    Outcome inner = check(field, value);
    if (inner == Outcome::Clash)
      return Outcome::Clash;
    if (inner == Outcome::Unspecified)
      outcome = inner;
  }
  return outcome;
}

std::vector<SmallVector<Attribute>>
Coverage::expandFields(ArrayRef<Attribute> patterns,
                       ArrayRef<Attribute> fields) {
  std::vector<SmallVector<Attribute>> combinations(1);
  for (auto [pattern, field] : llvm::zip_equal(patterns, fields)) {
    SmallVector<Attribute> choices = expand(pattern, field);
    constexpr size_t kMaxCombinations = 1024;
    if (combinations.size() > 1 &&
        combinations.size() * choices.size() > kMaxCombinations)
      choices = {field};
    std::vector<SmallVector<Attribute>> longer;
    for (ArrayRef<Attribute> combination : combinations)
      for (Attribute choice : choices)
        llvm::append_range(longer.emplace_back(combination), ArrayRef(choice));
    combinations = std::move(longer);
  }
  return combinations;
}

SmallVector<Attribute> Coverage::expand(Attribute pattern,
                                        Attribute candidate) {
  if (matchesAnything(pattern))
    return {candidate};
  MLIRContext *context = candidate.getContext();
  auto constructor = dyn_cast<ConstructorPatternAttr>(pattern);
  SmallVector<Attribute> expanded;
  if (!matchesAnything(candidate)) {
    for (ArrayRef<Attribute> fields :
         expandFields(getPatternFields(pattern), getPatternFields(candidate)))
      expanded.push_back(
          constructor ? Attribute(ConstructorPatternAttr::get(
                            context, constructor.getConstructor(), fields))
                      : TuplePatternAttr::get(context, fields));
    return expanded;
  }
  if (!constructor) {
    SmallVector<Attribute> fields(getPatternFields(pattern).size(), wildcard);
    return {TuplePatternAttr::get(context, fields)};
  }
  auto op = symbols.lookupNearestSymbolFrom<ConstructorOp>(
      match, constructor.getConstructor());
  if (!op)
    return {};
  for (ConstructorOp each : op.getADT().getConstructors()) {
    SmallVector<Attribute> fields(each.getFields().size(), wildcard);
    auto name = SymbolRefAttr::get(
        context, op.getADT().getSymName(),
        {FlatSymbolRefAttr::get(context, each.getSymName())});
    expanded.push_back(ConstructorPatternAttr::get(context, name, fields));
  }
  return expanded;
}

std::optional<SmallVector<Attribute>> Coverage::findUnmatched(unsigned limit) {
  SmallVector<Attribute> unmatched;
  // Patterns can ask for exponential time: as many as 10 tuples of 40 fields.
  constexpr unsigned kMaxSteps = 100000;
  unsigned numSteps = 0;
  std::vector<Attribute> worklist = {wildcard};
  while (!worklist.empty() && unmatched.size() < limit) {
    Attribute candidate = worklist.back();
    worklist.pop_back();
    Outcome outcome = Outcome::Clash;
    for (Attribute pattern : match.getPatterns()) {
      if (++numSteps > kMaxSteps)
        return std::nullopt;
      outcome = check(pattern, candidate);
      if (outcome == Outcome::Clash)
        continue;
      // Constructors in their order: the first is on top of the stack.
      if (outcome == Outcome::Unspecified)
        llvm::append_range(worklist, llvm::reverse(expand(pattern, candidate)));
      break;
    }
    if (outcome == Outcome::Clash)
      unmatched.push_back(candidate);
  }
  return unmatched;
}

std::optional<SmallVector<Attribute>>
relay::unmatchedCases(MatchOp match, SymbolTableCollection &symbols,
                      unsigned limit) {
  return Coverage(match, symbols).findUnmatched(limit);
}

void relay::printPattern(raw_ostream &os, Attribute pattern) {
  auto printFields = [&](ArrayRef<Attribute> fields) {
    os << '(';
    llvm::interleaveComma(fields, os,
                          [&](Attribute field) { printPattern(os, field); });
    os << ')';
  };
  if (auto constructor = dyn_cast<ConstructorPatternAttr>(pattern)) {
    os << constructor.getConstructor().getLeafReference().getValue();
    if (!constructor.getFields().empty())
      printFields(constructor.getFields());
  } else if (auto tuple = dyn_cast<TuplePatternAttr>(pattern)) {
    printFields(tuple.getFields());
  } else if (auto var = dyn_cast<VarPatternAttr>(pattern)) {
    os << '%' << var.getName().getValue();
  } else {
    os << '_';
  }
}

LogicalResult relay::verifyCoverage(MatchOp match,
                                    SymbolTableCollection &symbols) {
  if (match.getPartial())
    return success();
  constexpr unsigned limit = 8;
  std::optional<SmallVector<Attribute>> found =
      unmatchedCases(match, symbols, limit);
  if (!found) {
    InFlightDiagnostic diag = match.emitOpError(
        "expects patterns of which it is known in reasonable time that they "
        "cover all values");
    diag.attachNote() << "a match that is 'partial' is not checked; nested "
                         "matches of fewer fields are checked quickly";
    return diag;
  }
  SmallVector<Attribute> &unmatched = *found;
  if (unmatched.empty())
    return success();
  std::string text;
  llvm::raw_string_ostream os(text);
  llvm::interleaveComma(unmatched, os, [&](Attribute pattern) {
    constexpr size_t kMaxLength = 200;
    std::string written;
    llvm::raw_string_ostream stream(written);
    printPattern(stream, pattern);
    os << StringRef(written).take_front(kMaxLength)
       << (written.size() > kMaxLength ? "..." : "");
  });
  if (unmatched.size() == limit)
    os << ", ...";
  InFlightDiagnostic diag =
      match.emitOpError("expects cases for all values, but misses ") << text;
  diag.attachNote() << "a match that need not cover all values is 'partial'";
  return diag;
}
