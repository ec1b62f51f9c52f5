//===- LoadTest.cpp - Files that must load, and those that must not -------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Artifacts.h"
#include "Checksum.h"

#include "gtest/gtest.h"

#include <cstdlib>
#include <cstring>
#include <elf.h>
#include <fcntl.h>
#include <fstream>
#include <random>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace relay_test;

namespace {

class LoadTest : public ::testing::Test {
protected:
  LoadTest() : path(makeArtifact("good")), good(readBytes(path)) {}
  ~LoadTest() override { unlink(path.c_str()); }

  /// The error of loading a file with these bytes.
  std::string getError(const Bytes &bytes, RelayStatus expected) {
    writeBytes(path, bytes);
    return getError(path, expected);
  }
  std::string getError(const std::string &path, RelayStatus expected) {
    RelayModule *module = nullptr;
    EXPECT_EQ(expected, relayModuleLoad(path.c_str(), &module));
    EXPECT_EQ(nullptr, module);
    std::string message = relayGetLastError();
    EXPECT_NE(std::string::npos, message.find(path)) << message;
    return message;
  }
  /// Whether a file with these bytes is refused, and not as a matter of
  /// memory. It is in memory itself, since disks are slow.
  bool isRefused(const Bytes &bytes) {
    int file = memfd_create("damaged", MFD_CLOEXEC);
    EXPECT_EQ(ssize_t(bytes.size()), write(file, bytes.data(), bytes.size()));
    std::string name = "/proc/self/fd/" + std::to_string(file);
    RelayModule *module = nullptr;
    RelayStatus status = relayModuleLoad(name.c_str(), &module);
    close(file);
    relayModuleFree(module);
    return status == RELAY_INVALID_ARTIFACT || status == RELAY_INCOMPATIBLE;
  }
  RelayModule *load(int32_t flags = 0) {
    RelayModule *module = nullptr;
    EXPECT_EQ(RELAY_OK, relayModuleLoadWithFlags(path.c_str(), flags, &module))
        << relayGetLastError();
    return module;
  }
  uint64_t getImageSize() { return findNote(good)->image_size; }

  std::string path;
  Bytes good;
};

void expectContains(const std::string &message, const std::string &part) {
  EXPECT_NE(std::string::npos, message.find(part)) << message;
}

} // namespace

//===----------------------------------------------------------------------===//
// Checksums
//===----------------------------------------------------------------------===//

TEST(Checksum, IsXXH3) {
  // Of the reference implementation's program, `xxhsum -H3`.
  EXPECT_EQ(0x2d06800538d394c2u, relay_rt::hashBytes("", 0));
  EXPECT_EQ(0xe6c632b61e964e1fu, relay_rt::hashBytes("a", 1));
  EXPECT_EQ(0x78af5f94892f3950u, relay_rt::hashBytes("abc", 3));
}

TEST(Checksum, TakesAPlaceAsZeros) {
  for (size_t size : {16, 100, 241, 5000, 300000}) {
    Bytes bytes(size);
    for (size_t i = 0; i < size; ++i)
      bytes[i] = static_cast<char>(i * 7 + 1);
    for (size_t place : {size_t(0), size / 2 - 3, size - 8}) {
      Bytes zeroed = bytes;
      std::fill_n(&zeroed[place], 8, 0);
      EXPECT_EQ(relay_rt::hashBytes(zeroed.data(), size),
                relay_rt::hashWithZeros(bytes.data(), size, place, 8));
    }
  }
}

//===----------------------------------------------------------------------===//
// What is no artefact of ours
//===----------------------------------------------------------------------===//

TEST_F(LoadTest, RefusesWhatIsNoFile) {
  RelayModule *module = nullptr;
  EXPECT_EQ(RELAY_INVALID_ARGUMENT, relayModuleLoad(nullptr, &module));
  EXPECT_EQ(RELAY_INVALID_ARGUMENT,
            relayModuleLoadWithFlags(path.c_str(), 6, &module));
  expectContains(getError("no/such/file.so", RELAY_INVALID_ARTIFACT),
                 "cannot open 'no/such/file.so'");
  expectContains(getError(testing::TempDir(), RELAY_INVALID_ARTIFACT),
                 "expects a file, but got a folder");
  expectContains(getError("/dev/zero", RELAY_INVALID_ARTIFACT),
                 "expects a file, but got a device");
  // Nobody writes to it; a deadline ends the test if somebody waits for that.
  unlink(path.c_str());
  ASSERT_EQ(0, mkfifo(path.c_str(), 0600));
  alarm(20);
  expectContains(getError(path, RELAY_INVALID_ARTIFACT),
                 "expects a file, but got a pipe");
  alarm(0);
}

TEST_F(LoadTest, RefusesOtherFormats) {
  std::string text = "a text of more bytes than there are in an ELF header, "
                     "which has sixty-four of them";
  expectContains(
      getError(Bytes(text.begin(), text.end()), RELAY_INVALID_ARTIFACT),
      "but it is not an ELF file");
  expectContains(getError(Bytes(), RELAY_INVALID_ARTIFACT),
                 "but it is not an ELF file");
  expectContains(getError(Bytes{'\177', 'E', 'L', 'F'}, RELAY_INVALID_ARTIFACT),
                 "but it is not an ELF file");
  expectContains(
      getError(readBytes(getLibrary("empty")), RELAY_INVALID_ARTIFACT),
      "but it is another shared object");
  expectContains(getError(readBytes("/proc/self/exe"), RELAY_INVALID_ARTIFACT),
                 "to be a model made by relay-compile");
}

TEST_F(LoadTest, RunsNothingOfAForeignLibrary) {
  std::string marker = path + ".marker";
  setenv("RELAY_TEST_MARKER", marker.c_str(), 1);
  expectContains(getError(getLibrary("foreign"), RELAY_INVALID_ARTIFACT),
                 "but it is another shared object");
  EXPECT_NE(0, access(marker.c_str(), F_OK));
}

TEST_F(LoadTest, RefusesOtherMachinesAndVersions) {
  auto change = [&](size_t offset, auto value) {
    Bytes bytes = good;
    std::memcpy(&bytes[offset], &value, sizeof(value));
    return bytes;
  };
  const char *order = "is not an ELF file of 64 bits in little-endian order";
  expectContains(
      getError(change(EI_CLASS, char(ELFCLASS32)), RELAY_INVALID_ARTIFACT),
      order);
  expectContains(
      getError(change(EI_DATA, char(ELFDATA2MSB)), RELAY_INVALID_ARTIFACT),
      order);
  expectContains(getError(change(offsetof(Elf64_Ehdr, e_type), Elf64_Half(2)),
                          RELAY_INVALID_ARTIFACT),
                 "is not a shared object");
  expectContains(
      getError(change(offsetof(Elf64_Ehdr, e_machine), Elf64_Half(EM_S390)),
               RELAY_INCOMPATIBLE),
      "compile the model for another --target");
  expectContains(
      getError(change(offsetof(Elf64_Ehdr, e_phentsize), Elf64_Half(1)),
               RELAY_INVALID_ARTIFACT),
      "has no valid program headers");
  expectContains(
      getError(change(offsetof(Elf64_Ehdr, e_phnum), Elf64_Half(0xffff)),
               RELAY_INVALID_ARTIFACT),
      "has no valid program headers");
  for (uint64_t offset : {good.size(), good.size() - 1, ~size_t(0),
                          ~size_t(0) - 55, size_t(1) << 63})
    expectContains(getError(change(offsetof(Elf64_Ehdr, e_phoff), offset),
                            RELAY_INVALID_ARTIFACT),
                   "the file is truncated");

  std::string other = makeArtifact("bad-version");
  expectContains(getError(other, RELAY_INCOMPATIBLE),
                 "but got 99; compile the model again");
  unlink(other.c_str());
  other = makeArtifact("bad-magic");
  expectContains(getError(other, RELAY_INVALID_ARTIFACT),
                 "but it is another shared object");
  unlink(other.c_str());
  other = makeArtifact("bad-features");
  expectContains(getError(other, RELAY_INCOMPATIBLE),
                 "lacks: no-such-feature;");
  unlink(other.c_str());
}

//===----------------------------------------------------------------------===//
// Damage
//===----------------------------------------------------------------------===//

// A bit of each byte, and every bit of the headers and the note.
TEST_F(LoadTest, FindsEveryFlippedBitOfTheImage) {
  size_t imageSize = getImageSize();
  size_t note = reinterpret_cast<char *>(findNote(good)) - good.data();
  Bytes bytes = good;
  for (size_t i = 0; i < imageSize; ++i) {
    bool isHeader =
        i < 1024 || (i >= note && i < note + sizeof(RelayArtifactNote));
    for (int bit = 0; bit < 8; ++bit) {
      if (!isHeader && bit != int(i % 8))
        continue;
      bytes[i] ^= 1 << bit;
      ASSERT_TRUE(isRefused(bytes)) << "byte " << i << ", bit " << bit;
      bytes[i] ^= 1 << bit;
    }
  }
  EXPECT_FALSE(isRefused(bytes));
}

TEST_F(LoadTest, FindsBytesThatAreOverwritten) {
  std::mt19937 random(0);
  for (int repeat = 0; repeat < 2000; ++repeat) {
    Bytes bytes = good;
    size_t begin = random() % bytes.size();
    size_t end = std::min<size_t>(bytes.size(), begin + 1 + random() % 64);
    for (size_t i = begin; i < end; ++i)
      bytes[i] = static_cast<char>(random());
    if (bytes != good)
      ASSERT_TRUE(isRefused(bytes)) << begin << " to " << end;
  }
}

TEST_F(LoadTest, FindsEveryTruncation) {
  for (size_t size = 0; size < good.size(); size += size < 2048 ? 1 : 37)
    ASSERT_TRUE(isRefused(Bytes(good.begin(), good.begin() + size))) << size;
  Bytes bytes = good;
  bytes.pop_back();
  expectContains(getError(bytes, RELAY_INVALID_ARTIFACT),
                 "the file is truncated");
  bytes = good;
  bytes.push_back(0);
  expectContains(getError(bytes, RELAY_INVALID_ARTIFACT),
                 "the file is damaged");
}

TEST_F(LoadTest, FindsDamagedWeights) {
  // More than a block, and a part of one.
  Bytes weights(RELAY_CHECKSUM_BLOCK * 5 / 2);
  std::mt19937 random(0);
  for (char &byte : weights)
    byte = static_cast<char>(random());
  // The exported structure tells their number, too.
  Bytes image(good.begin(), good.begin() + getImageSize());
  const uint64_t size = sizeof(float), newSize = weights.size();
  Bytes pattern(sizeof(size));
  std::memcpy(pattern.data(), &size, sizeof(size));
  RelayArtifact artifact;
  {
    RelayModule *module = load();
    artifact = *relayModuleGetArtifact(module);
    relayModuleFree(module);
  }
  // The structure is found by its first members.
  auto it = std::search(image.begin(), image.end(),
                        reinterpret_cast<char *>(&artifact),
                        reinterpret_cast<char *>(&artifact) + 16);
  ASSERT_NE(image.end(), it);
  std::memcpy(&*it + offsetof(RelayArtifact, weights_size), &newSize,
              sizeof(newSize));
  good = makeArtifact(image, weights);
  EXPECT_FALSE(isRefused(good));
  RelayModule *mapped = load(RELAY_LOAD_MAP_WEIGHTS);
  EXPECT_EQ(RELAY_OK, relayModuleVerify(mapped));
  relayModuleFree(mapped);
  for (size_t place : {size_t(0), size_t(RELAY_CHECKSUM_BLOCK) - 1,
                       size_t(RELAY_CHECKSUM_BLOCK), weights.size() - 1}) {
    Bytes bytes = good;
    bytes[getImageSize() + place] ^= 4;
    expectContains(getError(bytes, RELAY_INVALID_ARTIFACT),
                   "the checksum of its weights is wrong");
    // What is only mapped is checked when somebody asks.
    RelayModule *module = load(RELAY_LOAD_MAP_WEIGHTS);
    EXPECT_EQ(RELAY_INVALID_ARTIFACT, relayModuleVerify(module));
    expectContains(relayGetLastError(),
                   "the checksum of the weights of '" + path + "' is wrong");
    relayModuleFree(module);
  }
}

//===----------------------------------------------------------------------===//
// Files that change
//===----------------------------------------------------------------------===//

TEST_F(LoadTest, ModulesDoNotNeedTheirFile) {
  std::vector<float> row = {1, 2, 3}, expected = {2, 4, 6};
  RelayModule *module = load();
  EXPECT_EQ(expected, runRow(module, row));
  EXPECT_EQ(RELAY_OK, relayModuleVerify(module));
  // In place, as with `cp other model.so`.
  int file = open(path.c_str(), O_WRONLY);
  Bytes garbage(good.size(), 'x');
  ASSERT_EQ(ssize_t(good.size()), write(file, garbage.data(), garbage.size()));
  EXPECT_EQ(expected, runRow(module, row));
  ASSERT_EQ(0, ftruncate(file, 0));
  EXPECT_EQ(expected, runRow(module, row));
  close(file);
  unlink(path.c_str());
  EXPECT_EQ(expected, runRow(module, row));
  EXPECT_EQ(RELAY_OK, relayModuleVerify(module));
  relayModuleFree(module);
}

// The system's loader knows open files by their paths, which are used again.
TEST_F(LoadTest, ModulesAreKeptApart) {
  std::vector<std::string> paths;
  std::vector<RelayModule *> modules;
  for (int i = 0; i < 20; ++i) {
    paths.push_back(makeArtifact("good", i));
    RelayModule *module = nullptr;
    ASSERT_EQ(RELAY_OK, relayModuleLoad(paths.back().c_str(), &module));
    modules.push_back(module);
    // One that fails between: its kernels return a status.
    std::string failing = makeArtifact("failing");
    ASSERT_EQ(RELAY_OK, relayModuleLoad(failing.c_str(), &module));
    EXPECT_TRUE(runRow(module, {1, 2, 3}).empty());
    EXPECT_STREQ("kernel 'fused_scale', of 'row', failed with code 7",
                 relayGetLastError());
    if (i % 2)
      relayModuleFree(module);
    else
      modules.push_back(module);
    unlink(failing.c_str());
  }
  int number = 0;
  for (RelayModule *module : modules) {
    std::vector<float> result = runRow(module, {1, 2, 3});
    if (!result.empty()) {
      float factor = number++;
      EXPECT_EQ((std::vector<float>{factor, 2 * factor, 3 * factor}), result);
    }
    relayModuleFree(module);
  }
  EXPECT_EQ(20, number);
  for (const std::string &path : paths)
    unlink(path.c_str());
}

TEST_F(LoadTest, LeavesNoDescriptorOpen) {
  auto getNext = [] {
    int file = open("/dev/null", O_RDONLY);
    close(file);
    return file;
  };
  int before = getNext();
  RelayModule *first = load(), *second = load(RELAY_LOAD_MAP_WEIGHTS);
  Bytes bytes = good;
  bytes[getImageSize() - 1] ^= 1;
  EXPECT_TRUE(isRefused(bytes));
  EXPECT_EQ(before, getNext());
  relayModuleFree(first);
  relayModuleFree(second);
}

// What nobody can change is used where it is.
TEST_F(LoadTest, SealedMemoryIsNotCopied) {
  int file = memfd_create("test", MFD_ALLOW_SEALING | MFD_CLOEXEC);
  ASSERT_EQ(ssize_t(good.size()), write(file, good.data(), good.size()));
  ASSERT_EQ(
      0, fcntl(file, F_ADD_SEALS, F_SEAL_WRITE | F_SEAL_SHRINK | F_SEAL_GROW));
  RelayModule *module = nullptr;
  std::string name = "/proc/self/fd/" + std::to_string(file);
  ASSERT_EQ(RELAY_OK, relayModuleLoad(name.c_str(), &module))
      << relayGetLastError();
  close(file);
  EXPECT_EQ(RELAY_OK, relayModuleVerify(module));
  EXPECT_EQ((std::vector<float>{2, 4, 6}), runRow(module, {1, 2, 3}));
  relayModuleFree(module);
}
