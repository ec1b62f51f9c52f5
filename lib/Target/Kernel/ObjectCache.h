//===- ObjectCache.h - Compiled kernels on disk -----------------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_LIB_TARGET_KERNEL_OBJECTCACHE_H
#define RELAY_MLIR_LIB_TARGET_KERNEL_OBJECTCACHE_H

#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <mutex>
#include <optional>
#include <string>

namespace mlir::relay::detail {

/// A folder of entries, each a file named by its key. Several processes may
/// use it at once. No failure of the cache is an error of the compilation.
class ObjectCache {
public:
  struct Entry {
    std::string signature;
    std::string object;
  };

  /// An empty `folder` means the user's default one.
  ObjectCache(llvm::StringRef folder, int64_t limitBytes);

  /// The key of what `text`, all that the entry depends on, describes.
  static std::string getKey(llvm::StringRef text);

  /// The entry, unless it is absent or damaged.
  std::optional<Entry> load(llvm::StringRef key);

  void store(llvm::StringRef key, const Entry &entry);

  /// Removes the entries that were not used for longest, down to the limit.
  void evict();

  /// What kept the cache from being written, if anything; empty the second
  /// time.
  std::string takeWarning();

private:
  std::string getPath(llvm::StringRef key) const;

  std::string folder;
  int64_t limitBytes;
  std::mutex mutex;
  std::string warning;
  bool isWritable = true;
};

} // namespace mlir::relay::detail

#endif // RELAY_MLIR_LIB_TARGET_KERNEL_OBJECTCACHE_H
