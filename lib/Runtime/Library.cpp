//===- Library.cpp - Load and check an artefact ---------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CPUFeatures.h"
#include "Error.h"
#include "Module.h"

#include <cerrno>
#include <cstring>
#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace relay_rt;

namespace {
/// An open file, read at offsets.
class File {
public:
  explicit File(const char *path) : path(path) {
    fd = open(path, O_RDONLY | O_CLOEXEC);
    struct stat status;
    if (fd < 0 || fstat(fd, &status) != 0) {
      int error = errno;
      if (fd >= 0)
        close(fd);
      fail(RELAY_INVALID_ARTIFACT, "cannot open '", path,
           "': ", std::strerror(error));
    }
    size = static_cast<uint64_t>(status.st_size);
  }
  ~File() { close(fd); }
  File(const File &) = delete;

  uint64_t getSize() const { return size; }

  /// Fills `value` from `offset`; returns whether the file is long enough.
  template <typename T>
  bool read(uint64_t offset, T &value) const {
    ssize_t count = pread(fd, &value, sizeof(T), static_cast<off_t>(offset));
    if (count < 0)
      fail(RELAY_INVALID_ARTIFACT, "cannot read '", path,
           "': ", std::strerror(errno));
    return count == static_cast<ssize_t>(sizeof(T));
  }

private:
  const char *path;
  int fd;
  uint64_t size;
};
} // namespace

/// Looks at the file before the system's loader does, which dies on a file that
/// is shorter than its headers say, whose messages for other kinds of files
/// name neither reason nor remedy, and which runs a foreign library's
/// constructors.
static void checkFile(const char *path) {
  File file(path);
  Elf64_Ehdr header;
  if (!file.read(0, header) ||
      std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0)
    fail(RELAY_INVALID_ARTIFACT, "expects '", path,
         "' to be a shared object made by relay-compile, but it is not an ELF "
         "file");
  for (unsigned i = 0; i < header.e_phnum; ++i) {
    Elf64_Phdr segment;
    if (!file.read(header.e_phoff + i * sizeof(segment), segment) ||
        segment.p_filesz > file.getSize() ||
        segment.p_offset > file.getSize() - segment.p_filesz)
      fail(RELAY_INVALID_ARTIFACT, "cannot load '", path,
           "': the file is truncated");
  }
}

Library::Library(const char *path) {
  if (!path)
    fail(RELAY_INVALID_ARGUMENT, "expects a path, but got a null pointer");
  checkFile(path);
  // Without a slash dlopen would search the system's library folders.
  std::string file = std::strchr(path, '/') ? path : "./" + std::string(path);
  handle = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!handle)
    fail(RELAY_INVALID_ARTIFACT, "cannot load '", path, "': ", dlerror());

  try {
    artifact = static_cast<const RelayArtifact *>(
        dlsym(handle, RELAY_ARTIFACT_SYMBOL));
    if (!artifact || artifact->magic != RELAY_ARTIFACT_MAGIC)
      fail(RELAY_INVALID_ARTIFACT, "expects '", path,
           "' to be a shared object made by relay-compile, but it has no valid "
           "'" RELAY_ARTIFACT_SYMBOL "'");
    if (artifact->version != RELAY_ARTIFACT_VERSION ||
        artifact->struct_size != sizeof(RelayArtifact))
      fail(RELAY_INCOMPATIBLE, "expects '", path, "' to have artefact version ",
           RELAY_ARTIFACT_VERSION, ", but got ", artifact->version,
           "; compile the model again");
    std::string missing = getMissingFeatures(artifact->required_features);
    if (!missing.empty())
      fail(RELAY_INCOMPATIBLE, "'", path,
           "' needs CPU features that this machine lacks: ", missing,
           "; compile the model for another --target");
  } catch (...) {
    dlclose(handle);
    throw;
  }
}

Library::~Library() { dlclose(handle); }
