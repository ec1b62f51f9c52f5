//===- WeightsObject.cpp - Constants as an ELF object ---------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A linker copies sections, and LLVM's object writer wants them in memory. For
// constants that is most of the work of a compilation, so that they are linked
// as a section without contents, which gets its place in the linked file
// afterwards: what follows in the file moves, addresses stay as they are.
//
//===----------------------------------------------------------------------===//

#include "relay-mlir/Target/AOT/WeightsObject.h"

#include "relay-mlir/Runtime/ArtifactFormat.h"
#include "relay-mlir/Target/Kernel/ElfFile.h"
#include "llvm/ADT/bit.h"

#include <cerrno>
#include <cstring>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

using namespace mlir;
using namespace mlir::relay;
using namespace llvm::ELF;

static constexpr uint64_t kPageSize = 4096;

std::string mlir::relay::getWeightsObject(const TargetInfo &target,
                                          uint64_t size) {
  ElfFile file;
  ElfFile::Section weights{RELAY_WEIGHTS_SECTION, SHT_NOBITS};
  weights.flags = SHF_ALLOC;
  // Code need not reach over the constants to its other data.
  if (target.isX86())
    weights.flags |= SHF_X86_64_LARGE;
  weights.alignment = kPageSize;
  weights.size = size;
  uint32_t weightsIndex = file.add(weights);

  ElfStrings strings;
  uint32_t name = strings.add(kWeightsSymbol);
  ElfFile::Section symbols{".symtab", SHT_SYMTAB};
  symbols.contents = ElfFile::getSymbol(0, 0, 0, 0, 0) +
                     ElfFile::getSymbol(name, STB_GLOBAL << 4 | STT_OBJECT,
                                        STV_HIDDEN, weightsIndex, size);
  symbols.alignment = 8;
  symbols.info = 1; // the first global symbol
  symbols.entrySize = sizeof(Elf64_Sym);
  symbols.link = weightsIndex + 2;
  file.add(symbols);
  ElfFile::Section names{".strtab", SHT_STRTAB};
  names.contents = strings.getContents();
  file.add(names);
  file.add({".note.GNU-stack", SHT_PROGBITS});
  return file.write(ET_REL, target.isX86());
}

//===----------------------------------------------------------------------===//
// Contents
//===----------------------------------------------------------------------===//

static std::error_code getSystemError() {
  return std::error_code(errno, std::generic_category());
}

static std::error_code readAll(int file, std::vector<char> &bytes) {
  struct stat status;
  if (::fstat(file, &status) != 0)
    return getSystemError();
  bytes.resize(status.st_size);
  for (size_t done = 0; done < bytes.size();) {
    ssize_t count =
        ::pread(file, bytes.data() + done, bytes.size() - done, done);
    if (count < 0 && errno == EINTR)
      continue;
    if (count <= 0)
      return count < 0 ? getSystemError()
                       : std::make_error_code(std::errc::io_error);
    done += count;
  }
  return {};
}

static std::error_code writeAll(int file, ArrayRef<char> bytes,
                                uint64_t position) {
  while (!bytes.empty()) {
    ssize_t count = ::pwrite(file, bytes.data(), bytes.size(), position);
    if (count < 0 && errno == EINTR)
      continue;
    if (count < 0)
      return getSystemError();
    bytes = bytes.drop_front(count);
    position += count;
  }
  return {};
}

std::error_code mlir::relay::insertWeights(int file, const ConstantPool &pool) {
  static_assert(llvm::endianness::native == llvm::endianness::little,
                "headers are read as they lie in the file");
  std::vector<char> bytes;
  if (std::error_code error = readAll(file, bytes))
    return error;
  auto invalid = std::make_error_code(std::errc::executable_format_error);
  auto get = [&](auto *&pointer, uint64_t offset, uint64_t count) {
    using T = std::remove_reference_t<decltype(*pointer)>;
    if (offset % alignof(T) != 0 || offset > bytes.size() ||
        count > (bytes.size() - offset) / sizeof(T))
      return false;
    pointer = reinterpret_cast<T *>(bytes.data() + offset);
    return true;
  };
  Elf64_Ehdr *header;
  Elf64_Shdr *sections;
  Elf64_Phdr *segments;
  if (!get(header, 0, 1) || !get(sections, header->e_shoff, header->e_shnum) ||
      !get(segments, header->e_phoff, header->e_phnum) ||
      header->e_shstrndx >= header->e_shnum)
    return invalid;

  StringRef names(bytes.data(), bytes.size());
  names = names.substr(sections[header->e_shstrndx].sh_offset);
  Elf64_Shdr *weights = std::find_if(
      sections, sections + header->e_shnum, [&](const Elf64_Shdr &section) {
        return StringRef(names.substr(section.sh_name).data()) ==
               RELAY_WEIGHTS_SECTION;
      });
  if (weights == sections + header->e_shnum || weights->sh_type != SHT_NOBITS ||
      weights->sh_size != pool.getSize())
    return invalid;

  // What lies beyond `end` moves by `shift`.
  uint64_t end = bytes.size(), shift = 0;
  uint64_t position = llvm::alignTo(end, weights->sh_addralign);
  if (header->e_type != ET_REL) {
    Elf64_Phdr *segment = std::find_if(
        segments, segments + header->e_phnum, [&](const Elf64_Phdr &segment) {
          return segment.p_type == PT_LOAD &&
                 weights->sh_addr >= segment.p_vaddr &&
                 weights->sh_addr + weights->sh_size <=
                     segment.p_vaddr + segment.p_memsz;
        });
    if (segment == segments + header->e_phnum)
      return invalid;
    end = segment->p_offset + segment->p_filesz;
    position = segment->p_offset + weights->sh_addr - segment->p_vaddr;
    if (position < end || weights->sh_addr + weights->sh_size !=
                              segment->p_vaddr + segment->p_memsz)
      return invalid;
    // Offsets and addresses stay congruent for pages of every size.
    constexpr uint64_t maxPageSize = 65536;
    shift = llvm::alignTo(position + weights->sh_size - end, maxPageSize);
    segment->p_filesz = segment->p_memsz;
    for (Elf64_Phdr &other : MutableArrayRef(segments, header->e_phnum))
      if (other.p_offset >= end)
        other.p_offset += shift;
    for (Elf64_Shdr &other : MutableArrayRef(sections, header->e_shnum))
      if (other.sh_offset >= end)
        other.sh_offset += shift;
    if (header->e_shoff >= end)
      header->e_shoff += shift;
  }
  weights->sh_type = SHT_PROGBITS;
  weights->sh_offset = position;

  ArrayRef<char> contents(bytes);
  if (::ftruncate(file, std::max(bytes.size() + shift,
                                 position + weights->sh_size)) != 0)
    return getSystemError();
  if (std::error_code error = writeAll(file, contents.take_front(end), 0))
    return error;
  if (std::error_code error =
          writeAll(file, contents.drop_front(end), end + shift))
    return error;
  // The old tail lies where nothing but zeros should be.
  std::vector<char> zeros(std::min<uint64_t>(position, bytes.size()) -
                          std::min(end, position));
  if (std::error_code error = writeAll(file, zeros, end))
    return error;
  return pool.write(file, position);
}
