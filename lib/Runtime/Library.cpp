//===- Library.cpp - Load and check an artefact ---------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Library.h"

#include "ArtifactTables.h"
#include "CPUFeatures.h"
#include "Error.h"

#include <atomic>
#include <cstring>
#include <dlfcn.h>

using namespace relay_rt;

/// A path of an open file that no other call has returned: the system's loader
/// takes a path that it knows for the file that it found there before.
static std::string getUniquePath(int fd) {
  static std::atomic<uint64_t> counter{0};
  std::string result = "/proc/self/fd";
  for (uint64_t rest = counter++; rest != 0; rest /= 2)
    result += rest % 2 ? "/." : "/";
  return result + "/" + std::to_string(fd);
}

void *relay_rt::openLibrary(int file, const std::string &name) {
  std::string path = getUniquePath(file);
  void *handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!handle) {
    std::string reason = dlerror();
    if (reason.rfind(path + ": ", 0) == 0)
      reason.erase(0, path.size() + 2);
    fail(RELAY_INVALID_ARTIFACT, "cannot load '", name, "': ", reason);
  }
  return handle;
}

Library::Library(const char *path, int32_t flags) : path(path) {
  ArtifactFile file(path);
  note = file.getNote();
  Descriptor image = file.copyImage();
  // Nobody takes away what is sealed.
  if (file.isSealed() || (flags & RELAY_LOAD_MAP_WEIGHTS))
    file.mapWeights(weights);
  else
    file.readWeights(weights);
  file.checkUnchanged();

  handle = openLibrary(image.get(), path);
  try {
    const auto *exported = static_cast<const RelayArtifact *>(
        dlsym(handle, RELAY_ARTIFACT_SYMBOL));
    if (!exported || exported->magic != RELAY_ARTIFACT_MAGIC ||
        exported->version != RELAY_ARTIFACT_VERSION ||
        exported->struct_size != sizeof(RelayArtifact) ||
        exported->weights_size != note.weights_size)
      fail(RELAY_INVALID_ARTIFACT, "expects '", path,
           "' to be a model made by relay-compile, but it has no valid "
           "'" RELAY_ARTIFACT_SYMBOL "'");
    checkTables(exported);
    artifact = *exported;
    artifact.weights = weights.getData();
    std::string missing = getMissingFeatures(artifact.required_features);
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

void Library::verify() const {
  if (computeWeightsChecksum(weights.getData(), weights.getSize()) !=
      note.weights_checksum)
    fail(RELAY_INVALID_ARTIFACT, "the checksum of the weights of '", path,
         "' is wrong; the file is damaged");
}
