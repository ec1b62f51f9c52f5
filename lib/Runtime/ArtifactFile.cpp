//===- ArtifactFile.cpp - Read and check an artefact's file ---------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ArtifactFile.h"

#include "Checksum.h"
#include "Error.h"

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <elf.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>
#include <vector>

using namespace relay_rt;

// Since Linux 6.3, which has a setting that refuses files without it. It is
// about execve(), not about mapping code.
#ifndef MFD_NOEXEC_SEAL
#define MFD_NOEXEC_SEAL 0x0008U
#endif

#if defined(__x86_64__)
static constexpr uint16_t kMachine = EM_X86_64;
#elif defined(__aarch64__)
static constexpr uint16_t kMachine = EM_AARCH64;
#else
static constexpr uint16_t kMachine = EM_NONE;
#endif

/// More than any file has that a compiler made.
static constexpr uint64_t kMaxNoteBytes = 1 << 16;

static constexpr uint64_t kHugePage = 2 << 20;

Descriptor::~Descriptor() {
  if (fd >= 0)
    close(fd);
}

Weights::~Weights() {
  if (base)
    munmap(base, reserved);
}

//===----------------------------------------------------------------------===//
// Headers
//===----------------------------------------------------------------------===//

static const char *describeType(mode_t mode) {
  return S_ISDIR(mode)    ? "a folder"
         : S_ISFIFO(mode) ? "a pipe"
         : S_ISSOCK(mode) ? "a socket"
                          : "a device";
}

// Opening a pipe would otherwise wait for a writer.
ArtifactFile::ArtifactFile(const char *path)
    : path(path), file(open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {
  if (file.get() < 0 || fstat(file.get(), &status) != 0)
    fail(RELAY_INVALID_ARTIFACT, "cannot open '", path,
         "': ", std::strerror(errno));
  if (!S_ISREG(status.st_mode))
    fail(RELAY_INVALID_ARTIFACT, "cannot load '", path,
         "': expects a file, but got ", describeType(status.st_mode));
  size = static_cast<uint64_t>(status.st_size);
  int seals = fcntl(file.get(), F_GET_SEALS);
  constexpr int kNeeded = F_SEAL_WRITE | F_SEAL_SHRINK;
  sealed = seals >= 0 && (seals & kNeeded) == kNeeded;
  readHeaders();
}

void ArtifactFile::failTruncated() const {
  fail(RELAY_INVALID_ARTIFACT, "cannot load '", path,
       "': the file is truncated");
}

void ArtifactFile::failForeign(const std::string &reason) const {
  fail(RELAY_INVALID_ARTIFACT, "expects '", path,
       "' to be a model made by relay-compile, but it ", reason);
}

void ArtifactFile::read(void *to, uint64_t count, uint64_t offset) const {
  auto *next = static_cast<char *>(to);
  while (count > 0) {
    ssize_t done = pread(file.get(), next, count, static_cast<off_t>(offset));
    if (done < 0 && errno == EINTR)
      continue;
    if (done < 0)
      fail(RELAY_INVALID_ARTIFACT, "cannot read '", path,
           "': ", std::strerror(errno));
    if (done == 0)
      failTruncated();
    next += done;
    offset += static_cast<uint64_t>(done);
    count -= static_cast<uint64_t>(done);
  }
}

bool ArtifactFile::findNote(uint64_t offset, uint64_t count) {
  auto align = [](uint64_t value) { return (value + 3) / 4 * 4; };
  std::vector<char> bytes(std::min(count, kMaxNoteBytes));
  read(bytes.data(), bytes.size(), offset);
  Elf64_Nhdr header;
  for (uint64_t at = 0; at + sizeof(header) <= bytes.size();) {
    std::memcpy(&header, &bytes[at], sizeof(header));
    uint64_t owner = at + sizeof(header);
    uint64_t contents = owner + align(header.n_namesz);
    uint64_t next = contents + align(header.n_descsz);
    if (next > bytes.size())
      return false;
    if (header.n_type == RELAY_NOTE_TYPE &&
        header.n_namesz == sizeof(RELAY_NOTE_OWNER) &&
        std::memcmp(&bytes[owner], RELAY_NOTE_OWNER, header.n_namesz) == 0 &&
        // As much as every version has.
        header.n_descsz >= offsetof(RelayArtifactNote, image_size)) {
      std::memcpy(&note, &bytes[contents],
                  std::min<uint64_t>(sizeof(note), header.n_descsz));
      noteOffset = offset + contents;
      return note.magic == RELAY_ARTIFACT_MAGIC;
    }
    at = next;
  }
  return false;
}

void ArtifactFile::readHeaders() {
  Elf64_Ehdr header = {};
  if (size < sizeof(header))
    failForeign("is not an ELF file");
  read(&header, sizeof(header), 0);
  if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0)
    failForeign("is not an ELF file");
  if (header.e_ident[EI_CLASS] != ELFCLASS64 ||
      header.e_ident[EI_DATA] != ELFDATA2LSB)
    failForeign("is not an ELF file of 64 bits in little-endian order");
  if (header.e_type != ET_DYN)
    failForeign("is not a shared object");
  if (header.e_phentsize != sizeof(Elf64_Phdr) || header.e_phnum == PN_XNUM)
    failForeign("has no valid program headers");
  uint64_t tableSize = header.e_phnum * sizeof(Elf64_Phdr);
  if (header.e_phoff > size || tableSize > size - header.e_phoff)
    failTruncated();
  std::vector<Elf64_Phdr> segments(header.e_phnum);
  read(segments.data(), tableSize, header.e_phoff);

  bool hasNote = false, isTruncated = false;
  for (const Elf64_Phdr &segment : segments) {
    if (segment.p_offset > size || segment.p_filesz > size - segment.p_offset)
      isTruncated = true;
    else if (segment.p_type == PT_NOTE)
      hasNote = hasNote || findNote(segment.p_offset, segment.p_filesz);
  }
  if (!hasNote && isTruncated)
    failTruncated();
  if (!hasNote)
    failForeign("is another shared object");
  if (note.version != RELAY_ARTIFACT_VERSION ||
      note.struct_size != sizeof(RelayArtifactNote))
    fail(RELAY_INCOMPATIBLE, "expects '", path, "' to have artefact version ",
         RELAY_ARTIFACT_VERSION, ", but got ", note.version,
         "; compile the model again");
  if (header.e_machine != kMachine)
    fail(RELAY_INCOMPATIBLE, "expects '", path,
         "' to be compiled for this kind of processor, ELF machine ", kMachine,
         ", but got ", header.e_machine,
         "; compile the model for another --target");
  if (note.image_size > size || note.weights_size > size - note.image_size)
    failTruncated();
  if (note.image_size + note.weights_size != size ||
      noteOffset + sizeof(note) > note.image_size)
    fail(RELAY_INVALID_ARTIFACT, "cannot load '", path, "': expects a file of ",
         note.image_size, " + ", note.weights_size, " bytes, but got ", size,
         "; the file is damaged");
}

//===----------------------------------------------------------------------===//
// Contents
//===----------------------------------------------------------------------===//

/// Memory that is mapped for as long as this lives.
namespace {
struct Mapping {
  Mapping(int fd, uint64_t size, int protection, int flags)
      : size(size), data(mmap(nullptr, size, protection, flags, fd, 0)) {}
  ~Mapping() {
    if (data != MAP_FAILED)
      munmap(data, size);
  }
  Mapping(const Mapping &) = delete;

  uint64_t size;
  void *data;
};
} // namespace

Descriptor ArtifactFile::copyImage() const {
  auto failToLoad = [&](const char *what) {
    fail(RELAY_INVALID_ARTIFACT, "cannot load '", path, "': ", what, ": ",
         std::strerror(errno));
  };
  int fd;
  if (sealed) {
    fd = fcntl(file.get(), F_DUPFD_CLOEXEC, 0);
  } else {
    std::string name = path.substr(path.rfind('/') + 1).substr(0, 200);
    unsigned flags = MFD_CLOEXEC | MFD_ALLOW_SEALING;
    fd = memfd_create(name.c_str(), flags | MFD_NOEXEC_SEAL);
    if (fd < 0 && errno == EINVAL)
      fd = memfd_create(name.c_str(), flags);
  }
  if (fd < 0)
    failToLoad("cannot create a file in memory");
  Descriptor image(fd);
  if (!sealed && ftruncate(fd, static_cast<off_t>(note.image_size)) != 0)
    failToLoad("cannot enlarge a file in memory");
  {
    Mapping mapping(fd, note.image_size,
                    sealed ? PROT_READ : PROT_READ | PROT_WRITE,
                    sealed ? MAP_PRIVATE : MAP_SHARED);
    if (mapping.data == MAP_FAILED)
      failToLoad("cannot map a file in memory");
    if (!sealed)
      read(mapping.data, note.image_size, 0);
    uint64_t place = noteOffset + offsetof(RelayArtifactNote, image_checksum);
    if (hashWithZeros(mapping.data, note.image_size, place,
                      sizeof(note.image_checksum)) != note.image_checksum)
      fail(RELAY_INVALID_ARTIFACT, "cannot load '", path,
           "': the checksum of its code and tables is wrong; the file is "
           "damaged");
  }
  // The kernel may hold pages of it for a while. Nobody else has this file, so
  // that seals only keep our own process from changing its code.
  if (!sealed &&
      fcntl(fd, F_ADD_SEALS, F_SEAL_WRITE | F_SEAL_SHRINK | F_SEAL_GROW) != 0 &&
      errno != EBUSY)
    failToLoad("cannot seal a file in memory");
  return image;
}

void ArtifactFile::readWeights(Weights &weights) const {
  uint64_t count = note.weights_size;
  if (count == 0)
    return;
  // Reading whole pages of 2 MiB takes a third of the time, and so does what
  // the processor spends on finding them in each run.
  bool isLarge = count >= 2 * kHugePage;
  uint64_t slack = isLarge ? kHugePage : 0;
  void *base = count > UINT64_MAX - slack
                   ? MAP_FAILED
                   : mmap(nullptr, count + slack, PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (base == MAP_FAILED)
    fail(RELAY_OUT_OF_MEMORY, "out of memory: cannot allocate ", count,
         " bytes for the weights of '", path, "'");
  weights.base = base;
  weights.reserved = count + slack;
  auto *data = static_cast<char *>(base);
  if (isLarge) {
    uint64_t rest = reinterpret_cast<uintptr_t>(data) % kHugePage;
    data += rest ? kHugePage - rest : 0;
#ifdef MADV_HUGEPAGE
    (void)madvise(data, count, MADV_HUGEPAGE);
#endif
  }
  weights.data = data;
  weights.size = count;

  // A block is hashed while it is in a cache.
  std::vector<uint64_t> hashes;
  for (uint64_t done = 0; done < count; done += RELAY_CHECKSUM_BLOCK) {
    uint64_t block = std::min(count - done, RELAY_CHECKSUM_BLOCK);
    read(data + done, block, note.image_size + done);
    hashes.push_back(hashBytes(data + done, block));
  }
  if (hashBytes(hashes.data(), hashes.size() * sizeof(uint64_t)) !=
      note.weights_checksum)
    fail(RELAY_INVALID_ARTIFACT, "cannot load '", path,
         "': the checksum of its weights is wrong; the file is damaged");
  (void)mprotect(base, weights.reserved, PROT_READ);
}

void ArtifactFile::mapWeights(Weights &weights) const {
  if (note.weights_size == 0)
    return;
  uint64_t page = static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
  uint64_t before = note.image_size % page;
  uint64_t count = before + note.weights_size;
  void *base = mmap(nullptr, count, PROT_READ, MAP_PRIVATE, file.get(),
                    static_cast<off_t>(note.image_size - before));
  if (base == MAP_FAILED)
    fail(errno == ENOMEM ? RELAY_OUT_OF_MEMORY : RELAY_INVALID_ARTIFACT,
         "cannot map the weights of '", path, "': ", std::strerror(errno));
  weights.base = base;
  weights.reserved = count;
  weights.data = static_cast<const char *>(base) + before;
  weights.size = note.weights_size;
}

void ArtifactFile::checkUnchanged() const {
  struct stat now = {};
  auto isSame = [](const timespec &a, const timespec &b) {
    return a.tv_sec == b.tv_sec && a.tv_nsec == b.tv_nsec;
  };
  if (fstat(file.get(), &now) != 0 || now.st_size != status.st_size ||
      !isSame(now.st_mtim, status.st_mtim))
    fail(RELAY_INVALID_ARTIFACT, "cannot load '", path,
         "': the file changed while it was read");
}

uint64_t relay_rt::computeWeightsChecksum(const void *data, uint64_t size) {
  std::vector<uint64_t> hashes;
  for (uint64_t done = 0; done < size; done += RELAY_CHECKSUM_BLOCK)
    hashes.push_back(hashBytes(static_cast<const char *>(data) + done,
                               std::min(size - done, RELAY_CHECKSUM_BLOCK)));
  return hashBytes(hashes.data(), hashes.size() * sizeof(uint64_t));
}
