//===- TablesTest.cpp - Damaged tables with a right checksum --------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Whoever writes a file can write a checksum that fits. Each number and each
// pointer of the tables takes values that it cannot have: loading refuses the
// file, or what is left can be looked at. That there are fewer outputs or sizes
// than the code computes, nobody can see.
//
//===----------------------------------------------------------------------===//

#include "Artifacts.h"
#include "relay-mlir-c/Runtime.h"

#include "gtest/gtest.h"

#include <algorithm>
#include <cstring>
#include <elf.h>
#include <set>
#include <string>
#include <sys/mman.h>
#include <unistd.h>

using namespace relay_test;

namespace {

/// The image of an artefact, and where its tables are in it.
class Tables {
public:
  explicit Tables(const std::string &name)
      : image(readBytes(getLibrary(name))) {
    Elf64_Ehdr header = read<Elf64_Ehdr>(0);
    std::vector<Elf64_Shdr> sections;
    for (int i = 0; i != header.e_shnum; ++i)
      sections.push_back(
          read<Elf64_Shdr>(header.e_shoff + i * sizeof(Elf64_Shdr)));
    uint64_t names = sections[header.e_shstrndx].sh_offset;
    auto getName = [&](const Elf64_Shdr &section) {
      return std::string(&image[names + section.sh_name]);
    };
    // The C compiler adds pointers of its own, which the system's loader calls.
    auto isInTables = [&](uint64_t address) {
      return std::any_of(sections.begin(), sections.end(),
                         [&](const Elf64_Shdr &section) {
                           return getName(section) == ".data.rel.ro" &&
                                  address >= section.sh_addr &&
                                  address - section.sh_addr < section.sh_size;
                         });
    };
    std::set<uint64_t> moved;
    for (const Elf64_Shdr &section : sections) {
      if (section.sh_type != SHT_RELA)
        continue;
      for (uint64_t at = 0; at != section.sh_size; at += sizeof(Elf64_Rela)) {
        auto relocation = read<Elf64_Rela>(section.sh_offset + at);
        if (!isInTables(relocation.r_offset))
          continue;
        pointers.push_back(section.sh_offset + at +
                           offsetof(Elf64_Rela, r_addend));
        moved.insert(relocation.r_offset);
        moved.insert(relocation.r_offset + 4);
      }
    }
    for (const Elf64_Shdr &section : sections) {
      if (getName(section) != ".data.rel.ro" && getName(section) != ".rodata")
        continue;
      for (uint64_t at = 0; at + 4 <= section.sh_size; at += 4)
        if (!moved.count(section.sh_addr + at))
          numbers.push_back(section.sh_offset + at);
    }
  }

  template <typename T>
  T read(uint64_t offset) const {
    T value;
    std::memcpy(&value, &image[offset], sizeof(T));
    return value;
  }

  template <typename T>
  Bytes with(uint64_t offset, T value) const {
    Bytes changed = image;
    std::memcpy(&changed[offset], &value, sizeof(T));
    return changed;
  }

  Bytes image;
  /// Offsets of numbers of 32 bits, and of what pointers are made of.
  std::vector<uint64_t> numbers, pointers;
};

} // namespace

/// Loads a file that may be damaged; returns whether it is refused.
static bool isRefused(const Bytes &image) {
  Bytes file = makeArtifact(image, Bytes(sizeof(float)));
  int fd = memfd_create("model.so", MFD_CLOEXEC);
  EXPECT_EQ(static_cast<ssize_t>(file.size()),
            write(fd, file.data(), file.size()));
  RelayModule *module = nullptr;
  std::string path = "/proc/self/fd/" + std::to_string(fd);
  RelayStatus status = relayModuleLoad(path.c_str(), &module);
  if (status != RELAY_OK) {
    EXPECT_EQ(nullptr, module);
    EXPECT_NE(0, relayGetLastError()[0]);
  } else {
    // All that a user may look at.
    relayModuleVerify(module);
    const RelayArtifact &artifact = *relayModuleGetArtifact(module);
    size_t length = std::strlen(artifact.precision);
    for (int32_t i = 0; i != artifact.num_functions; ++i)
      for (int32_t k = 0; k != artifact.functions[i].num_inputs; ++k)
        length += std::strlen(artifact.functions[i].inputs[k].name);
    for (int32_t i = 0; i != artifact.num_calls; ++i)
      length += std::strlen(artifact.calls[i].kernel);
    EXPECT_LT(length, file.size());
    uint64_t text = 0;
    (void)relayModulePrintProgram(module, nullptr, 0, &text);
  }
  relayModuleFree(module);
  close(fd);
  return status != RELAY_OK;
}

namespace {
class TablesTest : public ::testing::TestWithParam<const char *> {};
} // namespace

TEST_P(TablesTest, NumbersThatCannotBe) {
  Tables tables(GetParam());
  ASSERT_FALSE(isRefused(tables.image)) << relayGetLastError();
  size_t numRefused = 0;
  for (uint64_t offset : tables.numbers)
    for (uint32_t value : {0xFFFFFFFFu, 0x7FFFFFFFu, 0x80000000u, 4096u})
      numRefused += isRefused(tables.with(offset, value));
  EXPECT_GT(numRefused, tables.numbers.size() / 2);
}

TEST_P(TablesTest, PointersThatLeadOutside) {
  Tables tables(GetParam());
  ASSERT_FALSE(tables.pointers.empty());
  size_t numRefused = 0;
  for (uint64_t offset : tables.pointers)
    for (int64_t shift : {int64_t(1) << 40, -(int64_t(1) << 40),
                          int64_t(1) << 24, -(int64_t(1) << 24)})
      numRefused +=
          isRefused(tables.with(offset, tables.read<int64_t>(offset) + shift));
  EXPECT_GT(numRefused, tables.pointers.size());
}

/// Only results have sizes that are neither numbers nor symbols: those of
/// inputs are where the symbols come from.
TEST(InputTablesTest, SizesOfInputsAreSymbols) {
  Tables tables("good");
  size_t numSymbols = 0, numRefused = 0;
  for (uint64_t offset : tables.numbers) {
    if (offset % sizeof(int64_t) != 0 || tables.read<int64_t>(offset) != -1)
      continue;
    ++numSymbols;
    if (isRefused(tables.with(offset, INT64_MIN)))
      numRefused +=
          std::strstr(relayGetLastError(), "sizes of inputs") != nullptr;
  }
  EXPECT_GT(numSymbols, 0u);
  EXPECT_GT(numRefused, 0u);
}

INSTANTIATE_TEST_SUITE_P(Artifacts, TablesTest,
                         ::testing::Values("good", "program", "device-cpu"));
