//===- StringOps.cpp - Operators of ONNX that make strings ----------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Strings are looked into by relay.string_map alone. What splits strings makes
// a list of each; the longest one is the size of the last dimension, which is
// known when the model runs.
//
//===----------------------------------------------------------------------===//

#include "Contrib/Contrib.h"
#include "Formula.h"
#include "StringMaps.h"

#include "relay-mlir-c/Strings.h"
#include "relay-mlir/Dialect/Relay/IR/Relay.h"
#include "relay-mlir/Dialect/Relay/IR/RelayTransformOps.h"

#include "llvm/ADT/ScopeExit.h"

using namespace mlir;
using namespace mlir::relay;
using namespace mlir::relay::onnx;

//===----------------------------------------------------------------------===//
// Building
//===----------------------------------------------------------------------===//

Value mlir::relay::onnx::createStringMap(NodeContext &node, StringRef function,
                                         ArrayRef<Value> operands,
                                         ArrayRef<int64_t> params) {
  OpBuilder &b = node.getBuilder();
  StringMapOp::Properties properties;
  properties.function = b.getStringAttr(function);
  properties.params = b.getDenseI64ArrayAttr(params);
  SmallVector<Value> numbers =
      llvm::map_to_vector(operands, [&](Value operand) {
        return node.castTo(operand, b.getI64Type());
      });
  return node.create<StringMapOp>(numbers, properties);
}

Value mlir::relay::onnx::createStringsOf(NodeContext &node, Value numbers) {
  return node.castTo(numbers, getStringType(node.getContext()));
}

void mlir::relay::onnx::broadcastTogether(NodeContext &node, Value &lhs,
                                          Value &rhs) {
  if (!lhs || !rhs || lhs == rhs)
    return;
  if (node.getType(lhs).hasStaticShape() &&
      node.getType(lhs).getShape() == node.getType(rhs).getShape())
    return;
  Type boolean = node.getBuilder().getI1Type();
  Value left = node.create<WhereOp>({node.createScalar(1, boolean), lhs, rhs});
  rhs = node.create<WhereOp>({node.createScalar(0, boolean), lhs, rhs});
  lhs = left;
}

int64_t mlir::relay::onnx::getStringNumber(NodeContext &node, StringRef name,
                                           const std::string &text) {
  return node.getStringNumbers(name, text).front();
}

Value mlir::relay::onnx::createStringRanks(NodeContext &node, Value strings) {
  if (!strings)
    return nullptr;
  Value others = node.expandDims(strings, 0);
  Value own = node.expandDims(strings, 1);
  broadcastTogether(node, others, own);
  SumOp::Properties alongOthers;
  alongOthers.axis = node.getBuilder().getDenseI64ArrayAttr(1);
  return node.create<SumOp>({createStringMap(node, "less", {others, own})},
                            alongOthers);
}

/// The greatest of the sizes of lists, or 0 if there are none.
static Value createLongest(NodeContext &node, Value sizes) {
  Value longest =
      sizes && node.getRank(sizes) != 0 ? node.create<MaxOp>({sizes}) : sizes;
  return node.create<MaximumOp>(
      {longest, node.createScalar(0, node.getBuilder().getI64Type())});
}

/// The items of lists at `positions`, a vector that becomes the last dimension.
static Value createItems(NodeContext &node, Value lists, Value positions,
                         int64_t padding) {
  if (!lists || !positions)
    return nullptr;
  lists = node.expandDims(lists, node.getRank(lists));
  broadcastTogether(node, lists, positions);
  return createStringsOf(
      node, createStringMap(node, "list_item", {lists, positions}, padding));
}

//===----------------------------------------------------------------------===//
// StringConcat, StringSplit and RegexFullMatch
//===----------------------------------------------------------------------===//

static LogicalResult convertStringConcat(NodeContext &node) {
  Value lhs = node.getInput(0), rhs = node.getInput(1);
  broadcastTogether(node, lhs, rhs);
  return node.setResult(
      createStringsOf(node, createStringMap(node, "concat", {lhs, rhs})));
}

static LogicalResult convertStringSplit(NodeContext &node) {
  int64_t delimiter =
      getStringNumber(node, "delimiter", node.getString("delimiter", "").str());
  int64_t maxSplits = node.getInt("maxsplit", -1);
  Value lists =
      createStringMap(node, "split", node.getInput(0), {delimiter, maxSplits});
  Value sizes = createStringMap(node, "list_size", lists);
  if (failed(node.setOutput(1, sizes)))
    return failure();
  if (!node.wantsOutput(0))
    return success();
  Value positions = node.createRange(createLongest(node, sizes),
                                     node.getBuilder().getI64Type());
  return node.setResult(createItems(node, lists, positions, /*padding=*/0));
}

/// The number of a regular expression that attribute `name` has; reports an
/// error if it is none.
static int64_t getPattern(NodeContext &node, StringRef name,
                          const std::string &text) {
  int64_t number = getStringNumber(node, name, text);
  if (!node.hasFailed() &&
      relayCheckPattern(text.data(), text.size()) != RELAY_OK)
    node.emitError() << "attribute \"" << name << "\": " << relayGetLastError();
  return number;
}

static LogicalResult convertRegexFullMatch(NodeContext &node) {
  if (!node.hasAttr("pattern"))
    return node.emitError() << "expects attribute \"pattern\", but it is "
                               "missing";
  int64_t pattern =
      getPattern(node, "pattern", node.getString("pattern", "").str());
  return node.setResult(node.castTo(
      createStringMap(node, "full_match", node.getInput(0), pattern),
      node.getBuilder().getI1Type()));
}

//===----------------------------------------------------------------------===//
// StringNormalizer
//===----------------------------------------------------------------------===//

/// What a function of strings makes of a text that is known.
static std::string applyTo(const std::string &text, RelayStringFunction change,
                           const std::string &param) {
  RelayStrings *strings = nullptr;
  if (relayStringsCreate(/*module=*/nullptr, &strings) != RELAY_OK)
    return text;
  auto release = llvm::scope_exit([&] { relayStringsFree(strings); });
  int64_t args[2], result;
  const char *data;
  uint64_t size;
  if (relayStringsGetNumber(strings, text.data(), text.size(), &args[0]) !=
          RELAY_OK ||
      relayStringsGetNumber(strings, param.data(), param.size(), &args[1]) !=
          RELAY_OK ||
      relayStringsCall(strings, change, args, 2, &result) != RELAY_OK ||
      relayStringsGetText(strings, result, &data, &size) != RELAY_OK)
    return text;
  return std::string(data, size);
}

/// Without those of `texts`, a vector, that are among `words`; a single empty
/// one if none is left. `keys` is what is compared.
static Value removeWords(NodeContext &node, Value texts, Value keys,
                         ArrayRef<int64_t> words) {
  AnyOp::Properties alongWords, all;
  alongWords.axis = node.getBuilder().getDenseI64ArrayAttr(1);
  Value isWord =
      node.create<AnyOp>({node.create<EqualOp>({node.expandDims(keys, 1),
                                                node.createStrings(words)})},
                         alongWords);
  Value stays = node.create<LogicalNotOp>({isWord});
  all.keepdims = node.getBuilder().getBoolAttr(true);
  Value isNone = node.create<LogicalNotOp>({node.create<AnyOp>({stays}, all)});
  texts = node.concatenate({texts, node.createStrings(0)});
  stays = node.concatenate({stays, isNone});
  Value positions = node.create<ArgwhereOp>({stays});
  if (!positions)
    return nullptr;
  return node.take(texts, node.squeeze(positions, {1}), 0, "fast");
}

static LogicalResult convertStringNormalizer(NodeContext &node) {
  Value data = node.getInput(0);
  int64_t rank = node.getRank(data);
  if (rank != 1 && rank != 2)
    return node.emitError() << "expects strings of shape [C] or [1, C], but "
                               "got "
                            << data.getType();
  StringRef action = node.getString("case_change_action", "NONE");
  if (action != "LOWER" && action != "UPPER" && action != "NONE")
    return node.emitError()
           << "expects case_change_action LOWER, UPPER or NONE, but got \""
           << action << '"';
  bool isSensitive = node.getBool("is_case_sensitive", false);
  std::string locale = node.getString("locale", "en_US").str();
  std::vector<std::string> words = node.getStrings("stopwords").vec();
  int64_t language = getStringNumber(node, "locale", locale);
  if (rank == 2) {
    data = node.expectSize(data, 0, 1);
    if (!data)
      return failure();
    data = node.squeeze(data, {0});
  }
  bool isUpper = action == "UPPER";
  auto change = [&](Value texts) {
    return createStringsOf(
        node,
        createStringMap(node, isUpper ? "upper" : "lower", texts, language));
  };
  Value changed = action != "NONE" || (!isSensitive && !words.empty())
                      ? change(data)
                      : data;
  Value result = action == "NONE" ? data : changed;
  if (!words.empty()) {
    if (!isSensitive)
      for (std::string &word : words)
        word = applyTo(word, isUpper ? RELAY_STRING_UPPER : RELAY_STRING_LOWER,
                       locale);
    result = removeWords(node, result, isSensitive ? data : changed,
                         node.getStringNumbers("stopwords", words));
  }
  if (rank == 2 && result)
    result = node.expandDims(result, 0);
  return node.setResult(result);
}

//===----------------------------------------------------------------------===//
// Tokenizer
//===----------------------------------------------------------------------===//

/// The list of tokens of each string; null after an error.
static Value createTokens(NodeContext &node) {
  int64_t minSize = node.getInt("mincharnum", 1);
  ArrayRef<std::string> separators = node.getStrings("separators");
  StringRef expression = node.getString("tokenexp", "");
  if (minSize < 1) {
    node.emitError() << "expects mincharnum of at least 1, but got " << minSize;
    return nullptr;
  }
  if (separators.empty() && expression.empty()) {
    node.emitError() << "expects separators or tokenexp, but got neither";
    return nullptr;
  }
  bool isOfCharacters = separators.empty()
                            ? expression == "."
                            : separators.size() == 1 && separators[0].empty();
  if (isOfCharacters) {
    if (minSize > 1) {
      node.emitError() << "expects mincharnum 1 where tokens are characters, "
                          "but got "
                       << minSize;
      return nullptr;
    }
    return createStringMap(node, "characters", node.getInput(0));
  }
  if (separators.empty())
    return createStringMap(
        node, "find_all", node.getInput(0),
        {getPattern(node, "tokenexp", expression.str()), minSize});
  SmallVector<int64_t> params = {minSize};
  for (const std::string &separator : separators)
    params.push_back(getPattern(node, "separators", separator));
  return createStringMap(node, "split_all", node.getInput(0), params);
}

static LogicalResult convertTokenizer(NodeContext &node) {
  int64_t rank = node.getRank(node.getInput(0));
  if (!isStringType(node.getInputType(0).getElementType()) ||
      (rank != 1 && rank != 2))
    return node.emitError() << "expects strings of shape [C] or [N, C], but "
                               "got "
                            << node.getInputType(0);
  int64_t padding =
      getStringNumber(node, "pad_value", node.getString("pad_value", "").str());
  Value lists = createTokens(node);
  if (!lists || node.hasFailed())
    return failure();
  Type i64 = node.getBuilder().getI64Type();
  Value sizes = createStringMap(node, "list_size", lists);
  Value longest = createLongest(node, sizes);
  if (!node.getBool("mark", false))
    return node.setResult(
        createItems(node, lists, node.createRange(longest, i64), padding));

  // Each list is between marks, unless all are empty.
  Formula f(node, longest);
  Value size = f.select(f.equal(longest, f.number(0)), f.number(0),
                        f.add(longest, f.number(2)));
  Value positions = node.createRange(size, i64);
  if (!positions)
    return failure();
  Value items = createItems(
      node, lists,
      node.create<SubtractOp>({positions, node.createScalar(1, i64)}), padding);
  auto createMark = [&](const char *mark) -> Value {
    Value marks = node.createStrings(getStringNumber(node, "mark", mark));
    return marks ? node.squeeze(marks, {0}) : Value();
  };
  Value end = node.create<AddOp>(
      {node.expandDims(sizes, rank), node.createScalar(1, i64)});
  Value isFirst = node.create<EqualOp>({positions, node.createScalar(0, i64)});
  items = node.create<WhereOp>(
      {node.create<EqualOp>({positions, end}), createMark("\x03"), items});
  return node.setResult(
      node.create<WhereOp>({isFirst, createMark("\x02"), items}));
}

void mlir::relay::onnx::addStringOps(OpTable &table) {
  table.add({"RegexFullMatch"}, {convertRegexFullMatch, 20});
  table.add({"StringConcat"}, {convertStringConcat, 20, kNewestOpset, 2, 2});
  table.add({"StringNormalizer"}, {convertStringNormalizer, 10});
  table.add({"StringSplit"}, {convertStringSplit, 20});
  addContrib(table, "Tokenizer", convertTokenizer, {0}, 1,
             /*isComposed=*/false);
}
