//===- Graph.h - Functions of oneDNN ----------------------------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Private to this folder: what the code generator "dnnl" of Python
// (relay/op/contrib/dnnl.py) writes, as primitives of oneDNN.
//
// The bytes are lines of words, an empty line, and the weights. A line is
//
//   function <name>
//   value <id> input <number> <shape>     of the function's inputs
//   value <id> weight <offset> <shape>    at an offset, in bytes, of the
//   weights <primitive> <id> <operands> ...       makes value <id>, see
//   parseStep output <number> <id> <shape>
//
// where <shape> is the number of dimensions, then the dimensions, then the
// strides, in elements. All elements are float32.
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_LIB_RUNTIME_ONEDNN_GRAPH_H
#define RELAY_MLIR_LIB_RUNTIME_ONEDNN_GRAPH_H

#include <map>
#include <memory>
#include <mutex>
#include <oneapi/dnnl/dnnl.hpp>
#include <sstream>
#include <string>
#include <vector>

namespace relay_dnnl {

/// One function: primitives in the order in which they run. Weights have the
/// layouts that the primitives want when it has been built.
class Graph {
public:
  explicit Graph(const dnnl::engine &engine);
  ~Graph();

  /// Adds what a line says. Throws std::runtime_error, or dnnl::error.
  void addLine(std::istringstream &line, const char *weights, size_t size);
  /// Lays out memory, after the last line.
  void finish();

  size_t getNumBuffers() const { return numInputs + outputs.size(); }
  /// Computes outputs, which follow the inputs in `args`. Threads may call it
  /// at once.
  void run(void *const *args);

private:
  enum class Place { Input, Weight, Buffer, Output };

  /// A tensor in the layout that it has.
  struct Value {
    dnnl::memory::desc desc;
    Place place = Place::Buffer;
    /// Of inputs and outputs their number.
    size_t number = 0;
    /// Of weights the data.
    dnnl::memory data;
    /// Of buffers the value whose memory it is; itself, unless it is a view.
    size_t base = 0;
    /// Of buffers where they are, and the steps that they live from and to.
    size_t offset = 0, first = 0, last = 0;
  };
  struct Output {
    dnnl::memory::desc desc;
    size_t value = 0;
  };
  /// A primitive, with the indices of values by what they are for it.
  struct Step {
    dnnl::primitive primitive;
    std::vector<std::pair<int, size_t>> args;
    dnnl::memory::desc scratchpad;
  };
  /// Memory of one call.
  struct Context;

  size_t addValue(const dnnl::memory::desc &desc, Place place = Place::Buffer);
  size_t lookup(std::istringstream &line) const;
  /// The value in another layout.
  size_t reorder(size_t value, const dnnl::memory::desc &desc);
  void addStep(const dnnl::primitive_desc_base &desc,
               std::vector<std::pair<int, size_t>> args);
  /// Copies a value into the layout of another one.
  void addCopy(size_t from, size_t to);
  void parseStep(const std::string &kind, std::istringstream &line);
  size_t addConvolution(std::istringstream &line);
  size_t addProduct(std::istringstream &line);
  size_t addView(std::istringstream &line);
  size_t addPooling(std::istringstream &line);
  size_t addSoftmax(std::istringstream &line);
  size_t addNormalization(std::istringstream &line);
  size_t addElementwise(std::istringstream &line);
  size_t addBinary(std::istringstream &line);
  /// Reads what follows a convolution or a product: "sum <id>", and
  /// "eltwise <name> <alpha> <beta>". Stores the value that is added to.
  dnnl::primitive_attr parsePostOps(std::istringstream &line, bool &hasSum,
                                    size_t &sum) const;
  size_t finishPrimitive(const dnnl::memory::desc &result, bool hasSum,
                         size_t sum);
  void placeBuffers();

  dnnl::engine engine;
  std::map<size_t, size_t> names;
  std::vector<Value> values;
  std::vector<Output> outputs;
  std::vector<Step> steps;
  size_t numInputs = 0, arenaSize = 0, scratchpadSize = 0;
  std::mutex mutex;
  std::vector<std::unique_ptr<Context>> idle;
};

/// All functions of a blob.
class Module {
public:
  Module(const char *data, size_t size);
  /// Null if there is no function of that name.
  Graph *find(const std::string &name);

private:
  dnnl::engine engine{dnnl::engine::kind::cpu, 0};
  std::map<std::string, std::unique_ptr<Graph>> graphs;
};

} // namespace relay_dnnl

#endif // RELAY_MLIR_LIB_RUNTIME_ONEDNN_GRAPH_H
