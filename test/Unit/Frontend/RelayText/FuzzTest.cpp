//===- FuzzTest.cpp - Relay text that nobody would write ------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// Changes programs at random: no text crashes the parser or takes it long, and
// what it accepts comes back from print and parse as the same text.
//
// RELAY_FUZZ_SECONDS sets the time of a longer run, RELAY_FUZZ_SEED its seed,
// and RELAY_FUZZ_INPUT a file that holds the input while it is tried, for when
// it crashes. Inputs that once failed are kept in Inputs/.
//
//===----------------------------------------------------------------------===//

#include "RelayTextTest.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

#include <chrono>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <random>

using namespace mlir;
using namespace mlir::relay;

namespace {

/// Parses `text` both ways, and prints and parses what it is.
class Checker {
public:
  explicit Checker(StringRef text) : text(text) {
    context.getDiagEngine().registerHandler([this](Diagnostic &diagnostic) {
      ++numDiagnostics;
      messages += diagnostic.str() + "\n";
    });
  }

  void run() {
    check(parseRelayModule, "module");
    check(parseRelayExpr, "expression");
  }

private:
  template <typename T>
  FailureOr<T> parse(FailureOr<T> (*fn)(llvm::SourceMgr &, MLIRContext *,
                                        const ParseOptions &),
                     StringRef input) {
    llvm::SourceMgr source;
    source.AddNewSourceBuffer(
        llvm::MemoryBuffer::getMemBuffer(input, "fuzz",
                                         /*RequiresNullTerminator=*/false),
        llvm::SMLoc());
    numDiagnostics = 0;
    messages.clear();
    return fn(source, &context, {});
  }

  template <typename T>
  void check(FailureOr<T> (*fn)(llvm::SourceMgr &, MLIRContext *,
                                const ParseOptions &),
             StringRef what) {
    // Reads beyond the end are found where there is nothing.
    std::unique_ptr<char[]> copy(new char[text.size()]);
    llvm::copy(text, copy.get());
    FailureOr<T> value = parse(fn, StringRef(copy.get(), text.size()));
    EXPECT_EQ(failed(value), numDiagnostics > 0) << what.str() << messages;
    if (failed(value))
      return;
    for (TextVersion version :
         {TextVersion::V0_0_5, TextVersion::V0_0_4, TextVersion::V0_0_1}) {
      std::string first = print(*value, version);
      FailureOr<T> again = parse(fn, first);
      ASSERT_TRUE(succeeded(again)) << what.str() << ":\n"
                                    << text.str() << "\nprinted:\n"
                                    << first << messages;
      EXPECT_EQ(print(*again, version), first) << text.str();
      // The older ones lack some constructs.
      if (!StringRef(text).contains("0.0.1"))
        break;
    }
  }

  template <typename T>
  static std::string print(const T &value, TextVersion version) {
    std::string result;
    llvm::raw_string_ostream os(result);
    PrintOptions options;
    options.version = version;
    printRelay(os, value, options);
    return result;
  }

  StringRef text;
  MLIRContext context{MLIRContext::Threading::DISABLED};
  unsigned numDiagnostics = 0;
  std::string messages;
};

std::vector<std::string> readInputs() {
  std::vector<std::string> paths, inputs;
  std::error_code error;
  for (llvm::sys::fs::directory_iterator it(RELAY_TEXT_INPUTS, error), end;
       it != end && !error; it.increment(error))
    paths.push_back(it->path());
  llvm::sort(paths);
  for (const std::string &path : paths)
    if (auto buffer = llvm::MemoryBuffer::getFile(path))
      inputs.push_back((*buffer)->getBuffer().str());
  return inputs;
}

/// Makes new texts of old ones.
class Mutator {
public:
  Mutator(std::vector<std::string> corpus, unsigned seed)
      : corpus(std::move(corpus)), random(seed) {}

  std::string next() {
    std::string text = pick(corpus);
    for (unsigned i = 0, e = 1 + below(6); i < e && text.size() < 100000; ++i)
      change(text);
    return text;
  }

private:
  size_t below(size_t limit) {
    return std::uniform_int_distribution<size_t>(0, limit - 1)(random);
  }
  template <typename T>
  const typename T::value_type &pick(const T &values) {
    return values[below(values.size())];
  }

  /// A range of whole tokens, more or less.
  std::pair<size_t, size_t> pickRange(StringRef text) {
    size_t begin = below(text.size() + 1);
    while (begin > 0 && begin < text.size() && llvm::isAlnum(text[begin - 1]) &&
           llvm::isAlnum(text[begin]))
      --begin;
    size_t end = std::min(text.size(), begin + below(below(4) ? 12 : 200));
    while (end < text.size() && end > begin && llvm::isAlnum(text[end - 1]) &&
           llvm::isAlnum(text[end]))
      ++end;
    return {begin, end - begin};
  }

  void change(std::string &text) {
    static const std::vector<std::string> kWords = {
        "(",
        ")",
        "[",
        "]",
        "{",
        "}",
        ",",
        ";",
        ".",
        ":",
        "=",
        "->",
        "=>",
        "==",
        "<=",
        "!=",
        "<",
        ">",
        "+",
        "-",
        "*",
        "/",
        "?",
        "_",
        "%",
        "@",
        "#",
        "\"",
        "\\",
        "\n",
        "\r",
        "\r\n",
        "/*",
        "*/",
        "//",
        "%x",
        "%0",
        "%1",
        "@f",
        "@main",
        "%x.0",
        "%a-b",
        "%a/b",
        "%\"q r\"",
        "let ",
        "let %x = ",
        "fn (%x) {",
        "fn ",
        "def @f() { 1 }",
        "if (True) { 1 } else { 2 }",
        "else ",
        "type ",
        "type T { A, B(T) }",
        "match (1) { _ => 2 }",
        "match? ",
        "extern ",
        "free_var %z: int32;",
        "ref(",
        "ref_read(",
        "ref_write(",
        "Tensor[(",
        "int32",
        "float16x4",
        "uint1",
        "True",
        "None",
        "inff",
        "-inff",
        "nanf",
        "1",
        "2147483648",
        "99999999999999999999",
        "1f",
        "0.1f",
        "1e400f64",
        "5i8",
        "1i16",
        "meta[relay.Constant][0]",
        "meta[VirtualDevice][0]",
        "meta[",
        "#[version = \"0.0.5\"]",
        "#[metadata]",
        "v0.0.1\n",
        "v0.0.4\n",
        "METADATA:",
        "a=1",
        "b=[1, 2f]",
        "c={d=1}",
        "virtual_device=",
        "fn [A](A) -> A",
        "nn.conv2d",
        "\xC3\xBC",
        std::string(1, '\0'),
        "%0 = ",
        "--",
        "1 - 1",
        "%x-1",
        ".0.1"};
    auto [begin, size] = pickRange(text);
    switch (below(7)) {
    case 0:
      text.erase(begin, size);
      break;
    case 1:
      text.insert(begin, pick(kWords));
      break;
    case 2:
      text.replace(begin, size, pick(kWords));
      break;
    case 3:
      text.insert(begin, text.substr(begin, size));
      break;
    case 4: {
      const std::string &other = pick(corpus);
      auto [otherBegin, otherSize] = pickRange(other);
      text.insert(begin, other.substr(otherBegin, otherSize));
      break;
    }
    case 5: {
      auto [from, length] = pickRange(text);
      std::string moved = text.substr(from, length);
      text.insert(begin, moved);
      break;
    }
    default:
      if (!text.empty())
        text[below(text.size())] = static_cast<char>(below(256));
    }
  }

  std::vector<std::string> corpus;
  std::mt19937 random;
};

TEST(FuzzTest, Inputs) {
  std::vector<std::string> inputs = readInputs();
  ASSERT_GE(inputs.size(), 5u);
  for (const std::string &input : inputs)
    Checker(input).run();
}

/// Every beginning of a program, and every program without one character.
TEST(FuzzTest, Truncations) {
  for (const std::string &input : readInputs()) {
    if (input.size() > 1500)
      continue;
    for (size_t i = 0; i < input.size(); ++i) {
      Checker(StringRef(input).take_front(i)).run();
      std::string without = input;
      without.erase(i, 1);
      Checker(without).run();
    }
  }
}

TEST(FuzzTest, Mutations) {
  const char *seconds = std::getenv("RELAY_FUZZ_SECONDS");
  const char *seed = std::getenv("RELAY_FUZZ_SEED");
  const char *path = std::getenv("RELAY_FUZZ_INPUT");
  Mutator mutator(readInputs(), seed ? std::atoi(seed) : 1);
  using Clock = std::chrono::steady_clock;
  auto end =
      Clock::now() + std::chrono::seconds(seconds ? std::atoi(seconds) : 0);
  size_t count = 0;
  for (; count < 3000 || Clock::now() < end; ++count) {
    std::string input = mutator.next();
    if (path)
      std::ofstream(path, std::ios::binary) << input;
    // The processor's time, whatever else runs on it.
    std::clock_t start = std::clock();
    Checker(input).run();
    EXPECT_LT((std::clock() - start) / CLOCKS_PER_SEC, 5) << input;
    if (testing::Test::HasFailure())
      break;
  }
  if (seconds)
    llvm::errs() << count << " inputs\n";
}

} // namespace
