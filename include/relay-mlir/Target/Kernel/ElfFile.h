//===- ElfFile.h - Small ELF files ------------------------------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_TARGET_KERNEL_ELFFILE_H
#define RELAY_MLIR_TARGET_KERNEL_ELFFILE_H

#include "mlir/Support/LLVM.h"
#include "llvm/BinaryFormat/ELF.h"

#include <string>
#include <vector>

namespace mlir::relay {

/// A table of strings, as ELF has it.
class ElfStrings {
public:
  uint32_t add(StringRef text) {
    uint32_t offset = contents.size();
    contents.append(text.data(), text.size());
    contents.push_back('\0');
    return offset;
  }
  const std::string &getContents() const { return contents; }

private:
  std::string contents = std::string(1, '\0');
};

/// A 64-bit little-endian ELF file that consists of a few sections. LLVM's
/// object writer needs a target machine for such, which takes longer than all
/// of the file.
class ElfFile {
public:
  struct Section {
    std::string name;
    uint32_t type;
    uint64_t flags = 0;
    uint64_t alignment = 1;
    std::string contents = {};
    uint32_t link = 0;
    uint32_t info = 0;
    uint64_t entrySize = 0;
    /// Bytes of a section without contents.
    uint64_t size = 0;
  };

  /// Returns the section's index; 0 is the null section.
  uint32_t add(Section section) {
    sections.push_back(std::move(section));
    return sections.size();
  }

  /// The bytes of an entry of a table of symbols.
  static std::string getSymbol(uint32_t name, uint8_t info, uint8_t other,
                               uint16_t section, uint64_t size);

  std::string write(uint16_t type, bool isX86) const;

private:
  std::vector<Section> sections;
};

} // namespace mlir::relay

#endif // RELAY_MLIR_TARGET_KERNEL_ELFFILE_H
