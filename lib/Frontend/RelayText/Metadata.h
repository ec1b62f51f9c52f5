//===- Metadata.h - The metadata section of Relay text ----------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// What text refers to as meta[KEY][INDEX]: constants (KEY relay.Constant) are
// ElementsAttr, other objects are dictionaries of their fields, with the key
// at `type_key`.
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_LIB_FRONTEND_RELAYTEXT_METADATA_H
#define RELAY_MLIR_LIB_FRONTEND_RELAYTEXT_METADATA_H

#include "mlir/IR/BuiltinAttributes.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/Twine.h"

namespace mlir::relay::text {

inline constexpr StringLiteral kConstantKey = "relay.Constant";
inline constexpr StringLiteral kTypeKey = "type_key";

/// Fields that are numbers and not the number of a node. Only the class of an
/// object tells these apart.
inline bool isPlainField(StringRef name) {
  return name == "device_type_int" || name == "virtual_device_id";
}

/// Whether a section can hold an object so that it is read back as it is.
bool isMetadataObject(DictionaryAttr object);

using MetadataTable = llvm::StringMap<SmallVector<Attribute>>;

/// Reads a section, which is JSON. Reports what is malformed and returns what
/// could be read; entries that could not are null.
MetadataTable readMetadata(StringRef json, MLIRContext *context,
                           function_ref<void(const Twine &)> error);

/// Collects what is printed as meta[KEY][INDEX], in the order of printing.
class MetadataWriter {
public:
  /// The reference to `value`, which is one of the attributes above.
  std::string add(Attribute value);
  bool empty() const { return entries.empty(); }
  /// Prints the section without its first line.
  void print(raw_ostream &os) const;

private:
  llvm::MapVector<StringRef, SmallVector<Attribute>> entries;
  llvm::DenseMap<Attribute, std::string> references;
};

} // namespace mlir::relay::text

#endif // RELAY_MLIR_LIB_FRONTEND_RELAYTEXT_METADATA_H
