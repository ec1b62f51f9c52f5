//===- Case.cpp - What a model is run on and has to compute ---------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Case.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <fstream>
#include <sstream>

using namespace relay_exec;

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

/// Bits of a float with an 8-bit exponent from those of one with 5.
static float fromHalf(uint16_t bits) {
  int exponent = bits >> 10 & 31, mantissa = bits & 1023;
  double value = exponent == 0    ? std::ldexp(mantissa, -24)
                 : exponent == 31 ? (mantissa ? NAN : INFINITY)
                                  : std::ldexp(1024 + mantissa, exponent - 25);
  return static_cast<float>(bits >> 15 ? -value : value);
}

static float fromBFloat(uint16_t bits) {
  uint32_t wide = static_cast<uint32_t>(bits) << 16;
  float value;
  std::memcpy(&value, &wide, sizeof(value));
  return value;
}

template <typename T>
static T load(const char *data, size_t i) {
  T value;
  std::memcpy(&value, data + i * sizeof(T), sizeof(T));
  return value;
}

static bool isFloat(DLDataType type) {
  return (type.code == kDLFloat && type.bits >= 16) || type.code == kDLBfloat;
}

static double getFloat(DLDataType type, const char *data, size_t i) {
  if (type.code == kDLBfloat)
    return fromBFloat(load<uint16_t>(data, i));
  if (type.bits == 16)
    return fromHalf(load<uint16_t>(data, i));
  return type.bits == 32 ? load<float>(data, i) : load<double>(data, i);
}

Tensor::Tensor(DLDataType type, std::vector<int64_t> sizes)
    : dims(std::move(sizes)) {
  for (int64_t size : dims)
    if (size < 0 || __builtin_mul_overflow(numElements, size, &numElements) ||
        numElements > (size_t(1) << 40))
      throw Error("expects a tensor that fits into memory");
  bytes.resize(numElements * ((type.bits + 7) / 8));
  tensor.data = bytes.data();
  tensor.device = {kDLCPU, 0};
  tensor.ndim = static_cast<int32_t>(dims.size());
  tensor.dtype = type;
  tensor.shape = dims.data();
}

void Tensor::fillRandom(uint64_t seed) {
  DLDataType type = tensor.dtype;
  uint64_t state = seed * 0x9e3779b97f4a7c15 + 1;
  size_t width = bytes.size() / std::max<size_t>(numElements, 1);
  for (size_t i = 0; i != numElements; ++i) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    auto value =
        static_cast<float>(static_cast<int32_t>(state >> 32)) / 2147483648.f;
    uint32_t bits;
    std::memcpy(&bits, &value, sizeof(bits));
    char *place = bytes.data() + i * width;
    if (type.code == kDLFloat && type.bits == 64) {
      double wide = value;
      std::memcpy(place, &wide, sizeof(wide));
    } else if (type.code == kDLFloat && type.bits == 16) {
      // Of 10 bits, from -1 to 1: 15 is the exponent of 1.
      int exponent;
      auto mantissa =
          static_cast<int>(std::fabs(std::frexp(value, &exponent)) * 2048);
      int biased = exponent + 14;
      uint16_t half = static_cast<uint16_t>(
          (value < 0 ? 0x8000 : 0) |
          (biased > 0 ? biased << 10 | (mantissa & 1023) : 0));
      std::memcpy(place, &half, sizeof(half));
    } else if (type.code == kDLBfloat) {
      auto half = static_cast<uint16_t>(bits >> 16);
      std::memcpy(place, &half, sizeof(half));
    } else if (type.code == kDLFloat && type.bits == 32) {
      std::memcpy(place, &value, sizeof(value));
    } else {
      // 0 or 1: an index of anything, or a bool.
      std::memset(place, 0, width);
      *place = static_cast<char>(state >> 60 & 1);
    }
  }
}

//===----------------------------------------------------------------------===//
// Files
//===----------------------------------------------------------------------===//

static std::vector<int64_t> parseDims(const std::string &text) {
  std::vector<int64_t> dims;
  if (text == "scalar")
    return dims;
  std::istringstream stream(text);
  std::string word;
  while (std::getline(stream, word, 'x')) {
    bool isNumber = !word.empty() && word.size() < 16;
    for (char c : word)
      isNumber &= c >= '0' && c <= '9';
    if (!isNumber)
      throw Error("expects dims such as 1x3x224x224, but got '" + text + "'");
    dims.push_back(std::stoll(word));
  }
  return dims;
}

static void readFile(const std::string &path, Tensor &tensor) {
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  if (!file)
    throw Error("cannot read '" + path + "'");
  auto size = static_cast<size_t>(file.tellg());
  if (size != tensor.getNumBytes())
    throw Error("expects " + std::to_string(tensor.getNumBytes()) +
                " bytes in '" + path + "', but got " + std::to_string(size));
  file.seekg(0);
  file.read(tensor.getData(), static_cast<std::streamsize>(size));
  if (!file)
    throw Error("cannot read '" + path + "'");
}

/// A description of each input, or of each output.
static std::vector<RelayTensorInfo>
getInfos(RelayModule *module, int32_t count,
         RelayStatus (*get)(const RelayModule *, int32_t, RelayTensorInfo *)) {
  std::vector<RelayTensorInfo> infos(static_cast<size_t>(count));
  for (int32_t i = 0; i != count; ++i)
    if (get(module, i, &infos[static_cast<size_t>(i)]) != RELAY_OK)
      throw Error(relayGetLastError());
  return infos;
}

static std::vector<RelayTensorInfo> getInputInfos(RelayModule *module) {
  return getInfos(module, relayModuleGetNumInputs(module),
                  relayModuleGetInputInfo);
}

static size_t findName(const std::vector<RelayTensorInfo> &infos,
                       const std::string &name) {
  for (size_t i = 0; i != infos.size(); ++i)
    if (name == infos[i].name)
      return i;
  throw Error("expects a tensor of the model, but got '" + name + "'");
}

Case::Case(RelayModule *module) {
  for (const RelayTensorInfo &info : getInputInfos(module)) {
    std::vector<int64_t> dims(info.shape, info.shape + info.ndim);
    if (std::count(dims.begin(), dims.end(), -1))
      throw Error(std::string("expects a case that has the sizes of input '") +
                  info.name + "'");
    inputs.push_back(std::make_unique<Tensor>(info.dtype, std::move(dims)));
    inputs.back()->fillRandom(inputs.size());
  }
  outputs.resize(static_cast<size_t>(relayModuleGetNumOutputs(module)));
}

Case::Case(const std::string &path, RelayModule *module) {
  std::ifstream file(path);
  if (!file)
    throw Error("cannot read '" + path + "'");
  std::string folder = path.substr(0, path.find_last_of('/') + 1);
  std::vector<RelayTensorInfo> inputInfos = getInputInfos(module),
                               outputInfos = getInfos(
                                   module, relayModuleGetNumOutputs(module),
                                   relayModuleGetOutputInfo);
  inputs.resize(inputInfos.size());
  outputs.resize(outputInfos.size());
  std::string line;
  for (int number = 1; std::getline(file, line); ++number) {
    std::istringstream words(line);
    std::string kind, name, dims, source, rest;
    words >> kind >> name >> dims >> source;
    try {
      if (kind == "input" && words && !(words >> rest)) {
        size_t i = findName(inputInfos, name);
        inputs[i] =
            std::make_unique<Tensor>(inputInfos[i].dtype, parseDims(dims));
        if (source.compare(0, 7, "random:") == 0)
          inputs[i]->fillRandom(std::strtoull(source.c_str() + 7, nullptr, 10));
        else
          readFile(folder + source, *inputs[i]);
        continue;
      }
      double bound;
      if (kind == "output" && words >> bound && !(words >> rest)) {
        size_t i = findName(outputInfos, name);
        auto expected =
            std::make_unique<Tensor>(outputInfos[i].dtype, parseDims(dims));
        readFile(folder + source, *expected);
        outputs[i] = {name, std::move(expected), bound};
        continue;
      }
      throw Error("expects 'input <name> <dims> <file>' or 'output <name> "
                  "<dims> <file> <bound>', but got '" +
                  line + "'");
    } catch (const Error &error) {
      throw Error(path + ":" + std::to_string(number) + ": " + error.what());
    }
  }
  for (size_t i = 0; i != inputs.size(); ++i)
    if (!inputs[i])
      throw Error(path + ": expects a line for input '" + inputInfos[i].name +
                  "'");
}

std::vector<const DLTensor *> Case::getInputs() const {
  std::vector<const DLTensor *> tensors;
  for (const std::unique_ptr<Tensor> &input : inputs)
    tensors.push_back(input->get());
  return tensors;
}

//===----------------------------------------------------------------------===//
// Comparison
//===----------------------------------------------------------------------===//

Difference relay_exec::compare(const DLTensor &got, const Output &output) {
  const DLTensor &expected = *output.expected->get();
  size_t count = output.expected->getNumElements();
  Difference difference;
  auto describe = [&](size_t i, const std::string &one,
                      const std::string &other) {
    difference.error = INFINITY;
    difference.reason = "output '" + output.name + "' has " + one +
                        " instead of " + other + " at element " +
                        std::to_string(i);
  };
  if (got.ndim != expected.ndim ||
      !std::equal(got.shape, got.shape + got.ndim, expected.shape)) {
    difference.error = INFINITY;
    difference.reason = "output '" + output.name + "' has another shape";
    return difference;
  }
  const char *left = static_cast<const char *>(got.data) + got.byte_offset;
  const char *right = static_cast<const char *>(expected.data);
  DLDataType type = expected.dtype;
  if (!isFloat(type)) {
    size_t width = output.expected->getNumBytes() / std::max<size_t>(count, 1);
    for (size_t i = 0; i != count; ++i)
      if (std::memcmp(left + i * width, right + i * width, width) != 0) {
        describe(i, "another integer", "the right one");
        break;
      }
    return difference;
  }
  double scale = 0, largest = 0;
  size_t worst = 0;
  for (size_t i = 0; i != count; ++i) {
    double a = getFloat(type, left, i), b = getFloat(type, right, i);
    if (a == b || (std::isnan(a) && std::isnan(b))) {
      if (std::isfinite(b))
        scale = std::max(scale, std::fabs(b));
      continue;
    }
    if (!std::isfinite(a) || !std::isfinite(b)) {
      describe(i, std::to_string(a), std::to_string(b));
      return difference;
    }
    scale = std::max({scale, std::fabs(a), std::fabs(b)});
    if (std::fabs(a - b) > largest) {
      largest = std::fabs(a - b);
      worst = i;
    }
  }
  double error = scale > 0 ? largest / scale : 0;
  if (error > output.bound)
    describe(worst, std::to_string(getFloat(type, left, worst)),
             std::to_string(getFloat(type, right, worst)));
  difference.error = error;
  return difference;
}
