//===- ArtifactFile.cpp - The file of a compiled model --------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A linker copies sections, and LLVM's object writer wants them in memory. For
// constants that is most of the work of a compilation, so that they are linked
// as a section without contents, which gets its place at the end of the file
// afterwards.
//
//===----------------------------------------------------------------------===//

#include "relay-mlir/Target/AOT/ArtifactFile.h"

#include "mlir/IR/Threading.h"
#include "relay-mlir/Runtime/ArtifactFormat.h"
#include "relay-mlir/Support/FileDescriptor.h"
#include "relay-mlir/Target/Kernel/ElfFile.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/xxhash.h"

#include <cstring>
#include <mutex>
#include <sys/statvfs.h>
#include <unistd.h>

using namespace mlir;
using namespace mlir::relay;
using namespace llvm::ELF;

/// The owner's name in the note, padded to whole words.
static constexpr uint32_t kOwnerBytes = sizeof(RELAY_NOTE_OWNER);
static constexpr uint64_t kNoteHeaderBytes =
    sizeof(Elf64_Nhdr) + llvm::alignTo(kOwnerBytes, 4);

static std::string getNote() {
  Elf64_Nhdr header{kOwnerBytes, sizeof(RelayArtifactNote), RELAY_NOTE_TYPE};
  std::string bytes(kNoteHeaderBytes + sizeof(RelayArtifactNote), '\0');
  std::memcpy(bytes.data(), &header, sizeof(header));
  std::memcpy(&bytes[sizeof(header)], RELAY_NOTE_OWNER, kOwnerBytes);
  return bytes;
}

std::string mlir::relay::getArtifactObject(const CPUInfo &target,
                                           uint64_t weightsSize,
                                           bool isShared) {
  static_assert(llvm::endianness::native == llvm::endianness::little,
                "headers are read and written as they lie in the file");
  ElfFile file;
  if (isShared) {
    ElfFile::Section note{RELAY_NOTE_SECTION, SHT_NOTE};
    note.flags = SHF_ALLOC;
    note.alignment = 4;
    note.contents = getNote();
    file.add(note);
  }
  uint32_t weightsIndex = 0;
  if (weightsSize != 0) {
    ElfFile::Section weights{RELAY_WEIGHTS_SECTION, SHT_NOBITS};
    if (!isShared)
      weights.flags = SHF_ALLOC;
    // Code need not reach over the constants to its other data.
    if (!isShared && target.isX86())
      weights.flags |= SHF_X86_64_LARGE;
    // They can be mapped with pages of every size that there is.
    weights.alignment = target.isX86() ? 4096 : 65536;
    // The linker makes room for what is not loaded; that comes later.
    weights.size = isShared ? 1 : weightsSize;
    weightsIndex = file.add(weights);
  }
  if (weightsIndex != 0 && !isShared) {
    ElfStrings strings;
    uint32_t name = strings.add(kWeightsSymbol);
    ElfFile::Section symbols{".symtab", SHT_SYMTAB};
    symbols.contents =
        ElfFile::getSymbol(0, 0, 0, 0, 0) +
        ElfFile::getSymbol(name, STB_GLOBAL << 4 | STT_OBJECT, STV_HIDDEN,
                           weightsIndex, weightsSize);
    symbols.alignment = 8;
    symbols.info = 1; // the first global symbol
    symbols.entrySize = sizeof(Elf64_Sym);
    symbols.link = weightsIndex + 2;
    file.add(symbols);
    ElfFile::Section names{".strtab", SHT_STRTAB};
    names.contents = strings.getContents();
    file.add(names);
  }
  file.add({".note.GNU-stack", SHT_PROGBITS});
  return file.write(ET_REL, target.isX86());
}

//===----------------------------------------------------------------------===//
// The linked file
//===----------------------------------------------------------------------===//

namespace {

/// The headers of a linked file in memory.
struct Headers {
  explicit Headers(std::vector<char> &bytes) : bytes(bytes) {}

  /// Finds them; fails if they are not as a linker writes them.
  LogicalResult find() {
    if (!get(header, 0, 1) || !get(sections, header->e_shoff, header->e_shnum))
      return failure();
    return success(header->e_shstrndx < header->e_shnum &&
                   sections[header->e_shstrndx].sh_offset < bytes.size() &&
                   bytes.back() == '\0');
  }

  template <typename T>
  bool get(T *&pointer, uint64_t offset, uint64_t count) {
    if (offset % alignof(T) != 0 || offset > bytes.size() ||
        count > (bytes.size() - offset) / sizeof(T))
      return false;
    pointer = reinterpret_cast<T *>(bytes.data() + offset);
    return true;
  }

  /// The section called `name`, or null.
  Elf64_Shdr *getSection(StringRef name) {
    StringRef names(bytes.data(), bytes.size());
    names = names.substr(sections[header->e_shstrndx].sh_offset);
    for (Elf64_Shdr &section : MutableArrayRef(sections, header->e_shnum))
      if (names.substr(section.sh_name).split('\0').first == name)
        return &section;
    return nullptr;
  }

  std::vector<char> &bytes;
  Elf64_Ehdr *header = nullptr;
  Elf64_Shdr *sections = nullptr;
};

} // namespace

/// The checksum of `size` bytes of `file` from `offset` on.
static std::error_code hashWeights(MLIRContext *context, int file,
                                   uint64_t offset, uint64_t size,
                                   uint64_t &checksum) {
  std::vector<uint64_t> hashes(llvm::divideCeil(size, RELAY_CHECKSUM_BLOCK));
  std::error_code result;
  std::mutex mutex;
  auto hashBlock = [&](size_t block) {
    uint64_t begin = block * RELAY_CHECKSUM_BLOCK;
    SmallVector<char, 0> bytes;
    bytes.resize_for_overwrite(
        std::min<uint64_t>(RELAY_CHECKSUM_BLOCK, size - begin));
    if (std::error_code error = readAt(file, bytes, offset + begin)) {
      std::lock_guard<std::mutex> lock(mutex);
      result = error;
      return failure();
    }
    hashes[block] = llvm::xxh3_64bits(StringRef(bytes.data(), bytes.size()));
    return success();
  };
  (void)failableParallelForEach(context, llvm::seq<size_t>(0, hashes.size()),
                                hashBlock);
  checksum = llvm::xxh3_64bits(
      ArrayRef(reinterpret_cast<const uint8_t *>(hashes.data()),
               hashes.size() * sizeof(uint64_t)));
  return result;
}

/// Fails if there is no room for that many bytes, rather than after all that
/// there is has been filled.
static std::error_code checkRoom(int file, uint64_t bytes) {
  struct statvfs status;
  if (::fstatvfs(file, &status) != 0)
    return getSystemError();
  if (status.f_blocks != 0 && bytes / status.f_frsize > status.f_bavail)
    return std::make_error_code(std::errc::no_space_on_device);
  // A file in memory.
  if (status.f_blocks == 0 &&
      bytes / ::sysconf(_SC_PAGESIZE) > uint64_t(::sysconf(_SC_PHYS_PAGES)))
    return std::make_error_code(std::errc::not_enough_memory);
  return {};
}

std::error_code mlir::relay::writeArtifactFile(int file,
                                               std::vector<char> linked,
                                               const ConstantPool &pool) {
  auto invalid = std::make_error_code(std::errc::executable_format_error);
  uint64_t weightsSize = pool.getSize();
  {
    // Section names end within the file, whatever it is.
    linked.push_back('\0');
    Headers headers(linked);
    if (failed(headers.find()))
      return invalid;
    Elf64_Shdr *weights = headers.getSection(RELAY_WEIGHTS_SECTION);
    uint64_t alignment = 8;
    if (weightsSize != 0) {
      if (!weights || weights->sh_type != SHT_NOBITS)
        return invalid;
      alignment = weights->sh_addralign;
      weights->sh_type = SHT_PROGBITS;
      weights->sh_size = weightsSize;
      weights->sh_offset = llvm::alignTo(linked.size(), alignment);
    }
    linked.resize(llvm::alignTo(linked.size(), alignment));
  }

  Headers headers(linked);
  if (failed(headers.find()))
    return invalid;
  uint64_t imageSize = linked.size();
  if (weightsSize > uint64_t(INT64_MAX) - imageSize)
    return std::make_error_code(std::errc::file_too_large);
  if (std::error_code error = checkRoom(file, imageSize + weightsSize))
    return error;
  if (::ftruncate(file, imageSize + weightsSize) != 0)
    return getSystemError();
  if (weightsSize != 0)
    if (std::error_code error = pool.write(file, imageSize))
      return error;
  if (headers.header->e_type == ET_REL)
    return writeAt(file, linked, 0);

  Elf64_Shdr *section = headers.getSection(RELAY_NOTE_SECTION);
  char *place = nullptr;
  if (!section || section->sh_size != getNote().size() ||
      !headers.get(place, section->sh_offset, section->sh_size))
    return invalid;
  place += kNoteHeaderBytes;
  RelayArtifactNote note = {};
  note.magic = RELAY_ARTIFACT_MAGIC;
  note.version = RELAY_ARTIFACT_VERSION;
  note.struct_size = sizeof(note);
  note.image_size = imageSize;
  note.weights_size = weightsSize;
  if (std::error_code error = hashWeights(pool.getContext(), file, imageSize,
                                          weightsSize, note.weights_checksum))
    return error;
  std::memcpy(place, &note, sizeof(note));
  note.image_checksum =
      llvm::xxh3_64bits(StringRef(linked.data(), linked.size()));
  std::memcpy(place, &note, sizeof(note));
  return writeAt(file, linked, 0);
}
