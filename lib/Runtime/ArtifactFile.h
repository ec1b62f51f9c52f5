//===- ArtifactFile.h - Read and check an artefact's file -------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Nothing of a file is used before it is known to be what the compiler wrote,
// and what is used is a copy: another program may cut or overwrite the file at
// any time, and access to a mapped page that is gone ends the process.
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_LIB_RUNTIME_ARTIFACTFILE_H
#define RELAY_MLIR_LIB_RUNTIME_ARTIFACTFILE_H

#include "relay-mlir/Runtime/ArtifactFormat.h"

#include <string>
#include <sys/stat.h>

namespace relay_rt {

/// A file descriptor that is closed with its owner.
class Descriptor {
public:
  explicit Descriptor(int fd = -1) : fd(fd) {}
  Descriptor(Descriptor &&other) noexcept : fd(other.fd) { other.fd = -1; }
  ~Descriptor();
  Descriptor &operator=(Descriptor &&) = delete;

  int get() const { return fd; }

private:
  int fd;
};

/// The weights of a loaded artefact, read-only.
class Weights {
public:
  Weights() = default;
  ~Weights();
  Weights(const Weights &) = delete;

  const void *getData() const { return data; }
  uint64_t getSize() const { return size; }

private:
  friend class ArtifactFile;
  void *base = nullptr;
  uint64_t reserved = 0;
  const void *data = nullptr;
  uint64_t size = 0;
};

/// An artefact's file while it is loaded. Every method throws an Error that
/// names the file.
class ArtifactFile {
public:
  /// Opens the file and reads its headers: fails unless it is an artefact of
  /// this version for this kind of machine.
  explicit ArtifactFile(const char *path);

  const RelayArtifactNote &getNote() const { return note; }

  /// Whether nobody can change the file any more: it is in memory and sealed.
  bool isSealed() const { return sealed; }

  /// A sealed file in memory with the image, whose checksum is right.
  Descriptor copyImage() const;

  /// Reads the weights into memory of their own and checks them.
  void readWeights(Weights &weights) const;
  /// Maps the weights, and does not look at them.
  void mapWeights(Weights &weights) const;

  /// Fails if the file has changed since it was opened.
  void checkUnchanged() const;

private:
  void readHeaders();
  bool findNote(uint64_t offset, uint64_t size);
  void read(void *to, uint64_t count, uint64_t offset) const;
  [[noreturn]] void failTruncated() const;
  [[noreturn]] void failForeign(const std::string &reason) const;

  std::string path;
  Descriptor file;
  struct stat status = {};
  uint64_t size = 0;
  bool sealed = false;
  RelayArtifactNote note = {};
  /// Where in the file the note is.
  uint64_t noteOffset = 0;
};

/// The checksum that a note should have for these weights.
uint64_t computeWeightsChecksum(const void *data, uint64_t size);

} // namespace relay_rt

#endif // RELAY_MLIR_LIB_RUNTIME_ARTIFACTFILE_H
