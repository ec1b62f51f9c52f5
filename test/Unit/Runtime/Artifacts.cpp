//===- Artifacts.cpp - Artefacts of tests ---------------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Artifacts.h"

#include "Checksum.h"
#include "Tensor.h"

#include "gtest/gtest.h"

#include <algorithm>
#include <cstring>
#include <fstream>
#include <iterator>
#include <unistd.h>

using namespace relay_test;

Bytes relay_test::readBytes(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  return Bytes(std::istreambuf_iterator<char>(file), {});
}

void relay_test::writeBytes(const std::string &path, const Bytes &bytes) {
  std::ofstream(path, std::ios::binary).write(bytes.data(), bytes.size());
}

std::string relay_test::getLibrary(const std::string &name) {
  return std::string(RELAY_TEST_ARTIFACTS) + "/" + name + ".so";
}

RelayArtifactNote *relay_test::findNote(Bytes &image) {
  const char owner[12] = RELAY_NOTE_OWNER;
  // The owner's name also begins a table of strings.
  const uint32_t header[] = {sizeof(RELAY_NOTE_OWNER),
                             sizeof(RelayArtifactNote), RELAY_NOTE_TYPE};
  Bytes start(sizeof(header) + sizeof(owner));
  std::memcpy(start.data(), header, sizeof(header));
  std::memcpy(&start[sizeof(header)], owner, sizeof(owner));
  auto it = std::search(image.begin(), image.end(), start.begin(), start.end());
  if (it == image.end())
    return nullptr;
  return reinterpret_cast<RelayArtifactNote *>(&*it + start.size());
}

Bytes relay_test::makeArtifact(Bytes image, const Bytes &weights) {
  image.resize((image.size() + 4095) / 4096 * 4096);
  RelayArtifactNote *place = findNote(image);
  EXPECT_NE(nullptr, place);
  RelayArtifactNote note;
  std::memcpy(&note, place, sizeof(note));
  note.image_size = image.size();
  note.weights_size = weights.size();
  std::vector<uint64_t> hashes;
  for (size_t i = 0; i < weights.size(); i += RELAY_CHECKSUM_BLOCK)
    hashes.push_back(relay_rt::hashBytes(
        &weights[i],
        std::min<size_t>(weights.size() - i, RELAY_CHECKSUM_BLOCK)));
  note.weights_checksum =
      relay_rt::hashBytes(hashes.data(), hashes.size() * sizeof(uint64_t));
  note.image_checksum = 0;
  std::memcpy(place, &note, sizeof(note));
  note.image_checksum = relay_rt::hashBytes(image.data(), image.size());
  std::memcpy(place, &note, sizeof(note));
  image.insert(image.end(), weights.begin(), weights.end());
  return image;
}

std::string relay_test::makeArtifact(const std::string &name, float factor) {
  static int counter = 0;
  std::string path = testing::TempDir() + "relay-" + std::to_string(getpid()) +
                     "-" + std::to_string(counter++) + "-" + name + ".so";
  Bytes weights(sizeof(factor));
  std::memcpy(weights.data(), &factor, sizeof(factor));
  writeBytes(path, makeArtifact(readBytes(getLibrary(name)), weights));
  return path;
}

std::vector<float> relay_test::runRow(RelayModule *module,
                                      std::vector<float> row) {
  Tensor input({1, 3}, row.data());
  const DLTensor *inputs[] = {&input.tensor};
  DLManagedTensor *outputs[2] = {};
  int32_t numOutputs = relayModuleGetNumOutputs(module);
  if (relayModuleRun(module, inputs, 1, outputs, numOutputs) != RELAY_OK)
    return {};
  const float *data = static_cast<float *>(outputs[0]->dl_tensor.data);
  std::vector<float> result(data, data + 3);
  for (int32_t i = 0; i != numOutputs; ++i)
    outputs[i]->deleter(outputs[i]);
  return result;
}
