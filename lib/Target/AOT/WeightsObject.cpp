//===- WeightsObject.cpp - Constants as an ELF object ---------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// LLVM's object writer wants the contents of sections in memory. All that is
// needed here is one section and one symbol, so that the file is written by
// hand, from front to back.
//
//===----------------------------------------------------------------------===//

#include "relay-mlir/Target/AOT/ConstantPool.h"

#include "relay-mlir/Runtime/ArtifactFormat.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/Support/EndianStream.h"

using namespace mlir;
using namespace mlir::relay;
using namespace llvm::ELF;

namespace {

constexpr uint64_t kPageSize = 4096;

/// A table of strings, as ELF has it.
class StringSection {
public:
  uint32_t add(StringRef text) {
    uint32_t offset = contents.size();
    contents.append(text);
    contents.push_back('\0');
    return offset;
  }
  StringRef getContents() const { return contents; }

private:
  std::string contents = std::string(1, '\0');
};

struct Section {
  uint32_t name = 0;
  uint32_t type = SHT_NULL;
  uint64_t flags = 0;
  uint64_t offset = 0;
  uint64_t size = 0;
  uint32_t link = 0;
  uint32_t info = 0;
  uint64_t alignment = 0;
  uint64_t entrySize = 0;
};

} // namespace

void ConstantPool::writeObject(const TargetInfo &target,
                               raw_ostream &os) const {
  enum { Null, Weights, Symbols, Strings, SectionNames, Stack, NumSections };
  constexpr uint64_t symbolSize = sizeof(Elf64_Sym);

  StringSection strings;
  uint32_t symbolName = strings.add(kWeightsSymbol);
  StringSection sectionNames;
  Section sections[NumSections];
  auto declare = [&](int index, StringRef name, uint32_t type,
                     uint64_t alignment, uint64_t bytes) {
    Section &section = sections[index];
    section.name = sectionNames.add(name);
    section.type = type;
    section.alignment = alignment;
    section.size = bytes;
  };
  declare(Weights, RELAY_WEIGHTS_SECTION, SHT_PROGBITS, kPageSize, getSize());
  declare(Symbols, ".symtab", SHT_SYMTAB, 8, 2 * symbolSize);
  declare(Strings, ".strtab", SHT_STRTAB, 1, strings.getContents().size());
  declare(Stack, ".note.GNU-stack", SHT_PROGBITS, 1, 0);
  declare(SectionNames, ".shstrtab", SHT_STRTAB, 1, 0);
  sections[SectionNames].size = sectionNames.getContents().size();
  sections[Weights].flags = SHF_ALLOC;
  // Code need not reach over the constants to its other data.
  if (target.isX86())
    sections[Weights].flags |= SHF_X86_64_LARGE;
  sections[Symbols].link = Strings;
  sections[Symbols].info = 1;
  sections[Symbols].entrySize = symbolSize;

  uint64_t position = sizeof(Elf64_Ehdr);
  for (int index : {Weights, Symbols, Strings, Stack, SectionNames}) {
    position = llvm::alignTo(position, sections[index].alignment);
    sections[index].offset = position;
    position += sections[index].size;
  }
  uint64_t headersOffset = llvm::alignTo(position, 8);

  llvm::support::endian::Writer writer(os, llvm::endianness::little);
  uint64_t start = os.tell();
  auto padTo = [&](uint64_t offset) {
    os.write_zeros(offset - (os.tell() - start));
  };

  os.write(ElfMagic, 4);
  const uint8_t ident[EI_NIDENT - 4] = {ELFCLASS64, ELFDATA2LSB, EV_CURRENT};
  os.write(reinterpret_cast<const char *>(ident), sizeof(ident));
  writer.write<uint16_t>(ET_REL);
  writer.write<uint16_t>(target.isX86() ? EM_X86_64 : EM_AARCH64);
  writer.write<uint32_t>(EV_CURRENT);
  writer.write<uint64_t>(0); // entry point
  writer.write<uint64_t>(0); // program headers
  writer.write<uint64_t>(headersOffset);
  writer.write<uint32_t>(0); // flags
  writer.write<uint16_t>(sizeof(Elf64_Ehdr));
  writer.write<uint16_t>(0);
  writer.write<uint16_t>(0);
  writer.write<uint16_t>(sizeof(Elf64_Shdr));
  writer.write<uint16_t>(NumSections);
  writer.write<uint16_t>(SectionNames);

  padTo(sections[Weights].offset);
  write(os);

  padTo(sections[Symbols].offset);
  os.write_zeros(symbolSize);
  writer.write<uint32_t>(symbolName);
  writer.write<uint8_t>(STB_GLOBAL << 4 | STT_OBJECT);
  writer.write<uint8_t>(STV_HIDDEN);
  writer.write<uint16_t>(Weights);
  writer.write<uint64_t>(0); // offset in the section
  writer.write<uint64_t>(getSize());

  padTo(sections[Strings].offset);
  os << strings.getContents();
  padTo(sections[SectionNames].offset);
  os << sectionNames.getContents();

  padTo(headersOffset);
  for (const Section &section : sections) {
    writer.write<uint32_t>(section.name);
    writer.write<uint32_t>(section.type);
    writer.write<uint64_t>(section.flags);
    writer.write<uint64_t>(0); // address
    writer.write<uint64_t>(section.offset);
    writer.write<uint64_t>(section.size);
    writer.write<uint32_t>(section.link);
    writer.write<uint32_t>(section.info);
    writer.write<uint64_t>(section.alignment);
    writer.write<uint64_t>(section.entrySize);
  }
}
