//===- Library.cpp - Load and check an artefact ---------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CPUFeatures.h"
#include "Error.h"
#include "Module.h"

#include <cstring>
#include <dlfcn.h>
#include <fcntl.h>
#include <unistd.h>

using namespace relay_rt;

/// Reads the start of the file first: the loader's own messages for a file that
/// is not a shared object name neither reason nor remedy, and a foreign
/// library's constructors should not run.
static void checkFile(const char *path) {
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0)
    fail(RELAY_INVALID_ARTIFACT, "cannot open '", path,
         "': ", std::strerror(errno));
  char start[4] = {};
  ssize_t size = read(fd, start, sizeof(start));
  int error = errno;
  close(fd);
  if (size < 0)
    fail(RELAY_INVALID_ARTIFACT, "cannot read '", path,
         "': ", std::strerror(error));
  if (size != sizeof(start) || std::memcmp(start, "\177ELF", 4) != 0)
    fail(RELAY_INVALID_ARTIFACT, "expects '", path,
         "' to be a shared object made by relay-compile, but it is not an ELF "
         "file");
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
