//===- InstructionMix.cpp - Instructions of compiled kernels --------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "relay-mlir/Target/Kernel/InstructionMix.h"

#include "llvm-c/Disassembler.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Object/ObjectFile.h"
#include "llvm/Support/TargetSelect.h"

#include <map>
#include <mutex>

using namespace mlir;
using namespace mlir::relay;

static void initializeDisassemblers() {
  static std::once_flag once;
  std::call_once(once, [] {
    LLVMInitializeX86Disassembler();
    LLVMInitializeAArch64Disassembler();
  });
}

bool InstructionMix::hasVectors() const {
  return llvm::any_of(families,
                      [](const Family &family) { return family.isVector; });
}

std::string InstructionMix::describe() const {
  std::string text;
  for (const Family &family : families)
    text += (text.empty() ? "" : ", ") + family.name + " (" +
            std::to_string(family.count) + ")";
  return text;
}

namespace {
struct Classified {
  std::string name;
  bool isVector;
};
} // namespace

/// Instructions that do more than one multiply-add per element have names of
/// their own; others are named by what they do.
static std::optional<StringRef> getX86Operation(StringRef mnemonic) {
  for (StringRef prefix : {"vpdp", "vdpbf16", "tdp"})
    if (mnemonic.starts_with(prefix))
      return mnemonic;
  mnemonic.consume_front("v");
  for (StringRef prefix : {"fmadd", "fnmadd", "fmsub", "fnmsub"})
    if (mnemonic.starts_with(prefix))
      return StringRef("fma");
  if (mnemonic.starts_with("gather") || mnemonic.starts_with("pgather"))
    return StringRef("gather");
  // Not addq, cmpq and the like, which count iterations.
  bool isOnElements = mnemonic.ends_with("ps") || mnemonic.ends_with("pd") ||
                      mnemonic.ends_with("ss") || mnemonic.ends_with("sd") ||
                      mnemonic.ends_with("ph") || mnemonic.ends_with("sh");
  for (StringRef operation : {"mul", "add", "sub", "div", "max", "min", "sqrt"})
    if (mnemonic.starts_with(operation) && isOnElements)
      return operation;
  if (mnemonic.starts_with("cvt") || mnemonic.starts_with("pmovsx") ||
      mnemonic.starts_with("pmovzx"))
    return StringRef("convert");
  if (mnemonic.starts_with("pcmp") || mnemonic.starts_with("ucomis") ||
      (mnemonic.starts_with("cmp") && isOnElements))
    return StringRef("compare");
  for (StringRef prefix : {"pmull", "pmuld", "pmadd", "padd", "psub"})
    if (mnemonic.starts_with(prefix))
      return prefix;
  return std::nullopt;
}

static std::optional<Classified> classifyX86(StringRef mnemonic,
                                             StringRef operands) {
  std::optional<StringRef> operation = getX86Operation(mnemonic);
  if (!operation)
    return std::nullopt;
  bool isScalar = mnemonic.ends_with("ss") || mnemonic.ends_with("sd") ||
                  mnemonic.ends_with("sh") || mnemonic.contains("2si") ||
                  mnemonic.contains("2usi");
  StringRef registers = operands.contains("%tmm")   ? "tmm"
                        : operands.contains("%zmm") ? "zmm"
                        : operands.contains("%ymm") ? "ymm"
                                                    : "xmm";
  return Classified{
      (*operation + " " + registers + (isScalar ? " scalar" : "")).str(),
      !isScalar};
}

static std::optional<Classified> classifyAArch64(StringRef mnemonic,
                                                 StringRef operands) {
  static constexpr StringLiteral kOperations[] = {
      "fmla", "fmls", "fmadd", "fmul", "fadd",  "fsub",   "fdiv", "fmax",
      "fmin", "mla",  "sdot",  "udot", "smmla", "bfmmla", "bfdot"};
  if (!llvm::is_contained(kOperations, mnemonic))
    return std::nullopt;
  // v0.4s, and d0 for a scalar.
  StringRef first = operands.take_until([](char c) { return c == ','; });
  bool isScalar = !first.contains('.');
  return Classified{
      (mnemonic + " " + (isScalar ? "scalar" : first.split('.').second)).str(),
      !isScalar};
}

InstructionMix relay::getInstructionMix(StringRef object,
                                        const CPUInfo &target) {
  InstructionMix mix;
  initializeDisassemblers();
  auto file = llvm::object::ObjectFile::createELFObjectFile(
      llvm::MemoryBufferRef(object, "kernel"));
  if (!file) {
    llvm::consumeError(file.takeError());
    return mix;
  }
  LLVMDisasmContextRef disassembler = LLVMCreateDisasmCPUFeatures(
      target.getTriple().str().c_str(), target.getCPU().str().c_str(),
      target.getFeatureString().str().c_str(), nullptr, 0, nullptr, nullptr);
  if (!disassembler)
    return mix;
  std::map<std::string, InstructionMix::Family> families;
  for (const llvm::object::SectionRef &section : (*file)->sections()) {
    if (!section.isText())
      continue;
    auto contents = section.getContents();
    if (!contents) {
      llvm::consumeError(contents.takeError());
      continue;
    }
    auto *bytes = const_cast<uint8_t *>(contents->bytes_begin());
    for (uint64_t at = 0, size = contents->size(); at < size;) {
      char text[256];
      size_t length = LLVMDisasmInstruction(disassembler, bytes + at, size - at,
                                            at, text, sizeof(text));
      if (length == 0) {
        // Padding that is no instruction.
        at += target.isAArch64() ? 4 : 1;
        continue;
      }
      at += length;
      auto [mnemonic, operands] = StringRef(text).trim().split('\t');
      std::optional<Classified> found =
          target.isAArch64() ? classifyAArch64(mnemonic.trim(), operands)
                             : classifyX86(mnemonic.trim(), operands);
      if (!found)
        continue;
      auto it = families.try_emplace(
          found->name, InstructionMix::Family{found->name, 0, found->isVector});
      ++it.first->second.count;
    }
  }
  LLVMDisasmDispose(disassembler);
  for (auto &[name, family] : families)
    mix.families.push_back(family);
  llvm::sort(mix.families, [](const auto &a, const auto &b) {
    return std::tie(b.count, a.name) < std::tie(a.count, b.name);
  });
  return mix;
}
