//===- ObjectCache.cpp - Compiled kernels on disk -------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A folder with a file for each compiled kernel, by a hash of all that its code
// depends on (see KernelCompiler.cpp). Other processes may write and remove
// entries at any time: an entry is complete as soon as it has its name, and its
// checksum is looked at before it is used. Entries that were not used for
// longest go when the folder is too large. A cache that cannot be written costs
// time, and one warning.
//
//===----------------------------------------------------------------------===//

#include "ObjectCache.h"

#include "relay-mlir/Support/InputFile.h"
#include "relay-mlir/Support/OutputFile.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/SHA256.h"
#include "llvm/Support/raw_ostream.h"

#include <vector>

using namespace llvm;
using namespace mlir::relay::detail;

namespace fs = llvm::sys::fs;

// An entry is: the magic, the length of the signature, a checksum of the key
// and all that follows, the signature, the object. So a file that got the name
// of another one is no entry.
static constexpr StringLiteral kMagic = "RELAYKC2";
static constexpr StringLiteral kSuffix = ".kernel";
static constexpr StringLiteral kTemporarySuffix = ".kernel.tmp";
static constexpr size_t kChecksumSize = 32;
static constexpr size_t kHeaderSize = kMagic.size() + 8 + kChecksumSize;

static std::string getDefaultFolder() {
  auto get = [](StringRef name) {
    return sys::Process::GetEnv(name).value_or("");
  };
  if (std::string folder = get("RELAY_CACHE_DIR"); !folder.empty())
    return folder;
  SmallString<128> path(get("XDG_CACHE_HOME"));
  if (path.empty()) {
    if (!sys::path::home_directory(path))
      return "";
    sys::path::append(path, ".cache");
  }
  sys::path::append(path, "relay-mlir");
  return std::string(path);
}

static StringRef getBytes(const std::array<uint8_t, 32> &hash) {
  return StringRef(reinterpret_cast<const char *>(hash.data()), hash.size());
}

static std::string getChecksum(StringRef key, StringRef payload) {
  SHA256 hash;
  hash.update(key);
  hash.update(payload);
  return getBytes(hash.final()).str();
}

ObjectCache::ObjectCache(StringRef folder, int64_t limitBytes)
    : folder(folder.empty() ? getDefaultFolder() : folder.str()),
      limitBytes(limitBytes) {}

std::string ObjectCache::getKey(StringRef text) {
  return toHex(getBytes(SHA256::hash(arrayRefFromStringRef(text))),
               /*LowerCase=*/true);
}

std::string ObjectCache::getPath(StringRef key) const {
  SmallString<128> path(folder);
  sys::path::append(path, key + kSuffix);
  return std::string(path);
}

std::optional<ObjectCache::Entry> ObjectCache::load(StringRef key) {
  if (folder.empty())
    return std::nullopt;
  std::string path = getPath(key);
  ErrorOr<std::unique_ptr<MemoryBuffer>> buffer =
      mlir::relay::readInputFile(path);
  if (!buffer)
    return std::nullopt;
  StringRef data = (*buffer)->getBuffer();
  if (data.size() < kHeaderSize || !data.consume_front(kMagic))
    return std::nullopt;
  uint64_t length = support::endian::read64le(data.data());
  data = data.drop_front(8);
  StringRef checksum = data.take_front(kChecksumSize);
  data = data.drop_front(kChecksumSize);
  if (length > data.size() || checksum != getChecksum(key, data))
    return std::nullopt;
  // Its time of modification is that of its last use.
  int descriptor;
  if (!fs::openFileForReadWrite(path, descriptor, fs::CD_OpenExisting,
                                fs::OF_None)) {
    (void)fs::setLastAccessAndModificationTime(
        descriptor, std::chrono::system_clock::now());
    fs::file_t file = fs::convertFDToNativeFile(descriptor);
    (void)fs::closeFile(file);
  }
  return Entry{data.take_front(length).str(), data.drop_front(length).str()};
}

void ObjectCache::store(StringRef key, const Entry &entry) {
  {
    std::lock_guard<std::mutex> lock(mutex);
    if (!isWritable)
      return;
  }
  auto fail = [&](const Twine &what, std::error_code code) {
    std::lock_guard<std::mutex> lock(mutex);
    if (isWritable)
      warning = (what + ": " + code.message()).str();
    isWritable = false;
  };
  if (folder.empty())
    return fail("no folder for the cache of compiled kernels",
                std::make_error_code(std::errc::no_such_file_or_directory));
  if (std::error_code code = fs::create_directories(folder))
    return fail("cannot create the cache folder " + folder, code);

  std::string payload = entry.signature + entry.object;
  char length[8];
  support::endian::write64le(length, entry.signature.size());
  // Readers never see half an entry.
  if (std::error_code code =
          mlir::relay::writeOutputText(getPath(key), [&](raw_ostream &os) {
            os << kMagic << StringRef(length, 8) << getChecksum(key, payload)
               << payload;
            return success();
          }))
    fail("cannot write the cache folder " + folder, code);
}

void ObjectCache::evict() {
  struct File {
    std::string path;
    int64_t size;
    sys::TimePoint<> used;
  };
  std::vector<File> files;
  int64_t total = 0;
  std::error_code code;
  for (fs::directory_iterator it(folder, code), end; it != end && !code;
       it.increment(code)) {
    ErrorOr<fs::basic_file_status> status = it->status();
    if (!status)
      continue;
    // What a process left that ended while it wrote.
    if (StringRef(it->path()).contains(kTemporarySuffix) &&
        std::chrono::system_clock::now() - status->getLastModificationTime() >
            std::chrono::hours(1))
      (void)fs::remove(it->path());
    if (!StringRef(it->path()).ends_with(kSuffix))
      continue;
    int64_t size = status->getSize();
    files.push_back({it->path(), size, status->getLastModificationTime()});
    total += size;
  }
  llvm::sort(files,
             [](const File &a, const File &b) { return a.used < b.used; });
  for (const File &file : files) {
    if (total <= limitBytes)
      return;
    if (!fs::remove(file.path))
      total -= file.size;
  }
}

std::string ObjectCache::takeWarning() {
  std::lock_guard<std::mutex> lock(mutex);
  return std::exchange(warning, "");
}
