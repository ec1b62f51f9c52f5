//===- ElfFile.cpp - Small ELF files --------------------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "relay-mlir/Target/Kernel/ElfFile.h"

#include "llvm/Support/EndianStream.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace mlir::relay;
using namespace llvm::ELF;

std::string ElfFile::getSymbol(uint32_t name, uint8_t info, uint8_t other,
                               uint16_t section, uint64_t size) {
  std::string bytes;
  llvm::raw_string_ostream os(bytes);
  llvm::support::endian::Writer writer(os, llvm::endianness::little);
  writer.write<uint32_t>(name);
  writer.write<uint8_t>(info);
  writer.write<uint8_t>(other);
  writer.write<uint16_t>(section);
  writer.write<uint64_t>(0); // offset in the section
  writer.write<uint64_t>(size);
  return bytes;
}

std::string ElfFile::write(uint16_t type, bool isX86) const {
  std::vector<Section> all(1, Section{"", SHT_NULL});
  all.front().alignment = 0;
  all.insert(all.end(), sections.begin(), sections.end());
  all.push_back(Section{".shstrtab", SHT_STRTAB});
  ElfStrings names;
  std::vector<uint32_t> nameOffsets;
  for (const Section &section : all)
    nameOffsets.push_back(section.name.empty() ? 0 : names.add(section.name));
  all.back().contents = names.getContents();

  std::vector<uint64_t> offsets;
  uint64_t position = sizeof(Elf64_Ehdr);
  for (const Section &section : all) {
    if (section.type == SHT_NULL) {
      offsets.push_back(0);
      continue;
    }
    if (section.type != SHT_NOBITS)
      position = llvm::alignTo(position, section.alignment);
    offsets.push_back(position);
    position += section.contents.size();
  }
  uint64_t headersOffset = llvm::alignTo(position, 8);

  std::string file;
  llvm::raw_string_ostream os(file);
  llvm::support::endian::Writer writer(os, llvm::endianness::little);
  auto padTo = [&](uint64_t offset) { os.write_zeros(offset - os.tell()); };
  os.write(ElfMagic, 4);
  const uint8_t ident[EI_NIDENT - 4] = {ELFCLASS64, ELFDATA2LSB, EV_CURRENT};
  os.write(reinterpret_cast<const char *>(ident), sizeof(ident));
  writer.write<uint16_t>(type);
  writer.write<uint16_t>(isX86 ? EM_X86_64 : EM_AARCH64);
  writer.write<uint32_t>(EV_CURRENT);
  writer.write<uint64_t>(0); // entry point
  writer.write<uint64_t>(0); // program headers
  writer.write<uint64_t>(headersOffset);
  writer.write<uint32_t>(0); // flags
  writer.write<uint16_t>(sizeof(Elf64_Ehdr));
  writer.write<uint16_t>(0);
  writer.write<uint16_t>(0);
  writer.write<uint16_t>(sizeof(Elf64_Shdr));
  writer.write<uint16_t>(all.size());
  writer.write<uint16_t>(all.size() - 1);

  for (auto [section, offset] : llvm::zip_equal(all, offsets)) {
    if (section.contents.empty())
      continue;
    padTo(offset);
    os << section.contents;
  }
  padTo(headersOffset);
  for (auto [section, name, offset] :
       llvm::zip_equal(all, nameOffsets, offsets)) {
    writer.write<uint32_t>(name);
    writer.write<uint32_t>(section.type);
    writer.write<uint64_t>(section.flags);
    writer.write<uint64_t>(0); // address
    writer.write<uint64_t>(offset);
    writer.write<uint64_t>(
        section.type == SHT_NOBITS ? section.size : section.contents.size());
    writer.write<uint32_t>(section.link);
    writer.write<uint32_t>(section.info);
    writer.write<uint64_t>(section.alignment);
    writer.write<uint64_t>(section.entrySize);
  }
  return file;
}
