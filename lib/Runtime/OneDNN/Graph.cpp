//===- Graph.cpp - Functions of oneDNN ------------------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Graph.h"
#include "Words.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <new>
#include <stdexcept>

using namespace dnnl;
using namespace relay_dnnl;

//===----------------------------------------------------------------------===//
// Values and steps
//===----------------------------------------------------------------------===//

/// The same dimensions in the layout that oneDNN likes.
static memory::desc anyLayout(const memory::desc &desc) {
  return {desc.dims(), memory::data_type::f32, memory::format_tag::any};
}

static memory::desc anyLayout(const Dims &dims) {
  return {dims, memory::data_type::f32, memory::format_tag::any};
}

static memory::desc rowMajor(const Dims &dims) {
  Dims strides(dims.size(), 1);
  for (size_t i = dims.size(); i-- > 1;)
    strides[i - 1] = strides[i] * dims[i];
  return {dims, memory::data_type::f32, strides};
}

static primitive_attr makeAttr() {
  primitive_attr attr;
  // Several threads may run one primitive.
  attr.set_scratchpad_mode(scratchpad_mode::user);
  return attr;
}

size_t Graph::addValue(const memory::desc &desc, Place place) {
  Value value;
  value.desc = desc;
  value.place = place;
  value.base = values.size();
  values.push_back(std::move(value));
  return values.size() - 1;
}

size_t Graph::lookup(std::istringstream &line) const {
  auto it = names.find(readNumber(line, "a value"));
  if (it == names.end())
    throw std::runtime_error("expects a value that is there in '" + line.str() +
                             "'");
  return it->second;
}

void Graph::addStep(const primitive_desc_base &desc,
                    std::vector<std::pair<int, size_t>> args) {
  memory::desc scratchpad = desc.scratchpad_desc();
  scratchpadSize = std::max(scratchpadSize, scratchpad.get_size());
  steps.push_back({primitive(desc.get()), std::move(args), scratchpad});
}

void Graph::addCopy(size_t from, size_t to) {
  addStep(reorder::primitive_desc(engine, values[from].desc, engine,
                                  values[to].desc, makeAttr()),
          {{DNNL_ARG_FROM, from}, {DNNL_ARG_TO, to}});
}

size_t Graph::reorder(size_t value, const memory::desc &desc) {
  if (values[value].desc == desc)
    return value;
  if (values[value].place == Place::Weight) {
    size_t result = addValue(desc, Place::Weight);
    values[result].data = memory(desc, engine);
    stream stream(engine);
    dnnl::reorder(values[value].data, values[result].data)
        .execute(stream, values[value].data, values[result].data);
    stream.wait();
    return result;
  }
  size_t result = addValue(desc);
  addCopy(value, result);
  return result;
}

//===----------------------------------------------------------------------===//
// Primitives
//===----------------------------------------------------------------------===//

static algorithm getElementwise(const std::string &name) {
  static const std::map<std::string, algorithm> algorithms = {
      {"relu", algorithm::eltwise_relu},
      {"clip", algorithm::eltwise_clip},
      {"logistic", algorithm::eltwise_logistic},
      {"swish", algorithm::eltwise_swish},
      {"tanh", algorithm::eltwise_tanh},
      {"exp", algorithm::eltwise_exp},
      {"gelu", algorithm::eltwise_gelu_erf}};
  auto it = algorithms.find(name);
  if (it == algorithms.end())
    throw std::runtime_error("expects an elementwise operation, but got '" +
                             name + "'");
  return it->second;
}

primitive_attr Graph::parsePostOps(std::istringstream &line, bool &hasSum,
                                   size_t &sum) const {
  primitive_attr attr = makeAttr();
  post_ops ops;
  for (std::string word; line >> word;) {
    if (word == "sum") {
      hasSum = true;
      sum = lookup(line);
      ops.append_sum(1);
    } else if (word == "eltwise") {
      algorithm kind = getElementwise(read<std::string>(line, "a name"));
      auto alpha = read<float>(line, "a number");
      auto beta = read<float>(line, "a number");
      ops.append_eltwise(1, kind, alpha, beta);
    } else {
      throw std::runtime_error("expects sum or eltwise, but got '" + word +
                               "'");
    }
  }
  attr.set_post_ops(ops);
  return attr;
}

/// The value that a primitive writes. It is added to what is there, if it has a
/// sum, which is a copy of its own then.
size_t Graph::finishPrimitive(const memory::desc &result, bool hasSum,
                              size_t sum) {
  if (!hasSum)
    return addValue(result);
  size_t copy = addValue(result);
  addCopy(sum, copy);
  return copy;
}

/// view <data> <shape>: the elements in row-major order, in another shape
size_t Graph::addView(std::istringstream &line) {
  size_t data = lookup(line);
  memory::desc plain = rowMajor(values[data].desc.dims());
  memory::desc shape = readShape(line);
  if (shape.get_size() != plain.get_size())
    throw std::runtime_error("expects a shape of as many elements, in '" +
                             line.str() + "'");
  size_t copy = addValue(plain);
  addCopy(data, copy);
  // The same memory, seen otherwise.
  size_t view = addValue(shape);
  values[view].base = copy;
  return view;
}

/// conv <data> <weight> <bias or -1> <rank> <result> <strides> <dilations>
/// <pads before> <pads after> <post ops>
size_t Graph::addConvolution(std::istringstream &line) {
  size_t data = lookup(line), weight = lookup(line);
  bool hasBias = read<int>(line, "whether there is a bias");
  size_t bias = hasBias ? lookup(line) : 0;
  size_t rank = readRank(line, 3);
  Dims result = readSizes(line, rank);
  Dims strides = readDims(line, rank - 2), dilations = readDims(line, rank - 2);
  Dims before = readDims(line, rank - 2), after = readDims(line, rank - 2);
  for (int64_t &dilation : dilations)
    --dilation;
  bool hasSum = false;
  size_t sum = 0;
  primitive_attr attr = parsePostOps(line, hasSum, sum);
  convolution_forward::desc desc(
      prop_kind::forward_inference, algorithm::convolution_auto,
      anyLayout(values[data].desc), anyLayout(values[weight].desc),
      hasBias ? values[bias].desc : memory::desc(), anyLayout(result), strides,
      dilations, before, after);
  convolution_forward::primitive_desc primitive(desc, attr, engine);
  std::vector<std::pair<int, size_t>> args = {
      {DNNL_ARG_SRC, reorder(data, primitive.src_desc())},
      {DNNL_ARG_WEIGHTS, reorder(weight, primitive.weights_desc())}};
  if (hasBias)
    args.emplace_back(DNNL_ARG_BIAS, bias);
  size_t made = finishPrimitive(primitive.dst_desc(), hasSum, sum);
  args.emplace_back(DNNL_ARG_DST, made);
  addStep(primitive, std::move(args));
  return made;
}

/// matmul <left> <right> <whether there is a bias> <bias> <rank> <result>
/// <post ops>
size_t Graph::addProduct(std::istringstream &line) {
  size_t left = lookup(line), right = lookup(line);
  bool hasBias = read<int>(line, "whether there is a bias");
  size_t bias = hasBias ? lookup(line) : 0;
  size_t rank = readRank(line, 2);
  memory::desc result = rowMajor(readSizes(line, rank));
  bool hasSum = false;
  size_t sum = 0;
  primitive_attr attr = parsePostOps(line, hasSum, sum);
  bool isWeight = values[right].place == Place::Weight;
  memory::desc wanted =
      isWeight ? anyLayout(values[right].desc) : values[right].desc;
  matmul::desc desc = hasBias ? matmul::desc(values[left].desc, wanted,
                                             values[bias].desc, result)
                              : matmul::desc(values[left].desc, wanted, result);
  matmul::primitive_desc primitive(desc, attr, engine);
  std::vector<std::pair<int, size_t>> args = {
      {DNNL_ARG_SRC, left},
      {DNNL_ARG_WEIGHTS, reorder(right, primitive.weights_desc())}};
  if (hasBias)
    args.emplace_back(DNNL_ARG_BIAS, bias);
  size_t made = finishPrimitive(result, hasSum, sum);
  args.emplace_back(DNNL_ARG_DST, made);
  addStep(primitive, std::move(args));
  return made;
}

/// pool <max, avg or avg_padded> <data> <rank> <result> <window> <strides>
/// <dilations> <pads before> <pads after>
size_t Graph::addPooling(std::istringstream &line) {
  auto kind = read<std::string>(line, "a kind of pooling");
  size_t data = lookup(line);
  size_t rank = readRank(line, 3);
  Dims result = readSizes(line, rank);
  Dims window = readDims(line, rank - 2), strides = readDims(line, rank - 2);
  Dims dilations = readDims(line, rank - 2);
  Dims before = readDims(line, rank - 2), after = readDims(line, rank - 2);
  for (int64_t &dilation : dilations)
    --dilation;
  algorithm pooling = kind == "max"   ? algorithm::pooling_max
                      : kind == "avg" ? algorithm::pooling_avg_exclude_padding
                                      : algorithm::pooling_avg_include_padding;
  auto make = [&](const memory::desc &source) {
    return pooling_v2_forward::primitive_desc(
        {prop_kind::forward_inference, pooling, source, anyLayout(result),
         strides, window, dilations, before, after},
        makeAttr(), engine);
  };
  pooling_v2_forward::primitive_desc primitive = make(values[data].desc);
  // oneDNN has fast code for blocks of channels only.
  if (rank == 4 && !std::strstr(primitive.impl_info_str(), "jit")) {
    bool isWide = get_effective_cpu_isa() >= cpu_isa::avx512_core;
    memory::desc blocked(values[data].desc.dims(), memory::data_type::f32,
                         isWide ? memory::format_tag::nChw16c
                                : memory::format_tag::nChw8c);
    primitive = make(blocked);
  }
  size_t made = addValue(primitive.dst_desc());
  addStep(primitive, {{DNNL_ARG_SRC, reorder(data, primitive.src_desc())},
                      {DNNL_ARG_DST, made}});
  return made;
}

/// softmax <data> <axis>
size_t Graph::addSoftmax(std::istringstream &line) {
  size_t data = lookup(line);
  auto axis = read<int>(line, "an axis");
  softmax_forward::desc desc(prop_kind::forward_inference, values[data].desc,
                             axis);
  softmax_forward::primitive_desc primitive(desc, makeAttr(), engine);
  size_t made = addValue(primitive.dst_desc());
  addStep(primitive, {{DNNL_ARG_SRC, data}, {DNNL_ARG_DST, made}});
  return made;
}

/// layer_norm <data> <scale> <shift> <epsilon>, over the last dimension
size_t Graph::addNormalization(std::istringstream &line) {
  size_t data = lookup(line), scale = lookup(line), shift = lookup(line);
  auto epsilon = read<float>(line, "a number");
  for (size_t factor : {scale, shift})
    if (values[factor].desc.dims() != Dims{values[data].desc.dims().back()})
      throw std::runtime_error("expects factors of the last dimension, in '" +
                               line.str() + "'");
  size_t plain = reorder(data, rowMajor(values[data].desc.dims()));
  layer_normalization_forward::desc desc(
      prop_kind::forward_inference, values[plain].desc, epsilon,
      normalization_flags::use_scale | normalization_flags::use_shift);
  layer_normalization_forward::primitive_desc primitive(desc, makeAttr(),
                                                        engine);
  size_t made = addValue(primitive.dst_desc());
  addStep(primitive, {{DNNL_ARG_SRC, plain},
                      {DNNL_ARG_SCALE, scale},
                      {DNNL_ARG_SHIFT, shift},
                      {DNNL_ARG_DST, made}});
  return made;
}

/// eltwise <name> <data> <alpha> <beta>
size_t Graph::addElementwise(std::istringstream &line) {
  algorithm kind = getElementwise(read<std::string>(line, "a name"));
  size_t data = lookup(line);
  auto alpha = read<float>(line, "a number"), beta = read<float>(line, "one");
  eltwise_forward::desc desc(prop_kind::forward_inference, kind,
                             values[data].desc, alpha, beta);
  eltwise_forward::primitive_desc primitive(desc, makeAttr(), engine);
  size_t made = addValue(primitive.dst_desc());
  addStep(primitive, {{DNNL_ARG_SRC, data}, {DNNL_ARG_DST, made}});
  return made;
}

/// binary <add or multiply> <left> <right>, of one shape
size_t Graph::addBinary(std::istringstream &line) {
  auto name = read<std::string>(line, "a name");
  size_t left = lookup(line), right = lookup(line);
  // In the layout of the one that a primitive of oneDNN has made.
  if (values[left].place != Place::Buffer &&
      values[right].place == Place::Buffer)
    std::swap(left, right);
  right = reorder(right, values[left].desc);
  binary::desc desc(name == "add" ? algorithm::binary_add
                                  : algorithm::binary_mul,
                    values[left].desc, values[right].desc, values[left].desc);
  binary::primitive_desc primitive(desc, makeAttr(), engine);
  size_t made = addValue(primitive.dst_desc());
  addStep(
      primitive,
      {{DNNL_ARG_SRC_0, left}, {DNNL_ARG_SRC_1, right}, {DNNL_ARG_DST, made}});
  return made;
}

void Graph::parseStep(const std::string &kind, std::istringstream &line) {
  auto name = readNumber(line, "a value");
  size_t value;
  if (kind == "conv")
    value = addConvolution(line);
  else if (kind == "matmul")
    value = addProduct(line);
  else if (kind == "view")
    value = addView(line);
  else if (kind == "pool")
    value = addPooling(line);
  else if (kind == "softmax")
    value = addSoftmax(line);
  else if (kind == "layer_norm")
    value = addNormalization(line);
  else if (kind == "eltwise")
    value = addElementwise(line);
  else if (kind == "binary")
    value = addBinary(line);
  else
    throw std::runtime_error("expects a primitive, but got '" + kind + "'");
  names[name] = value;
}

void Graph::addLine(std::istringstream &line, const char *weights,
                    size_t size) {
  auto kind = read<std::string>(line, "a word");
  if (kind == "output") {
    auto number = readNumber(line, "a number");
    size_t value = lookup(line);
    outputs.resize(std::max(outputs.size(), number + 1));
    outputs[number] = {readShape(line), value};
    if (outputs[number].desc.dims() != values[value].desc.dims())
      throw std::runtime_error("expects the output to have the shape of its "
                               "value, in '" +
                               line.str() + "'");
    return;
  }
  if (kind != "value")
    return parseStep(kind, line);
  auto name = readNumber(line, "a value");
  auto place = read<std::string>(line, "input or weight");
  if (place != "input" && place != "weight")
    throw std::runtime_error("expects input or weight, but got '" + place +
                             "'");
  size_t number = place == "input" ? readNumber(line, "a number")
                                   : read<uint64_t>(line, "an offset");
  memory::desc desc = readShape(line);
  size_t value = names[name] =
      addValue(desc, place == "input" ? Place::Input : Place::Weight);
  values[value].number = number;
  if (place == "input") {
    numInputs = std::max(numInputs, number + 1);
    return;
  }
  if (number > size || desc.get_size() > size - number)
    throw std::runtime_error("expects weights of " +
                             std::to_string(desc.get_size()) +
                             " bytes at the offset " + std::to_string(number));
  // The module's bytes stay, but need not be aligned.
  values[value].data = memory(desc, engine);
  std::memcpy(values[value].data.get_data_handle(), weights + number,
              desc.get_size());
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

/// Buffers that do not live at the same time may overlap: the largest come
/// first, each at the lowest place that is free for as long as it lives.
void Graph::placeBuffers() {
  constexpr size_t alignment = 64;
  for (size_t i = 0; i != steps.size(); ++i)
    for (auto [role, index] : steps[i].args) {
      Value &value = values[values[index].base];
      if (value.last == 0)
        value.first = i;
      value.last = i + 1;
    }
  std::vector<Value *> buffers;
  for (Value &value : values)
    if (value.place == Place::Buffer && value.last != 0 &&
        &values[value.base] == &value)
      buffers.push_back(&value);
  std::sort(buffers.begin(), buffers.end(), [](Value *a, Value *b) {
    size_t left = a->desc.get_size(), right = b->desc.get_size();
    // Those of one size in the order in which they come.
    return left != right ? left > right : a < b;
  });
  std::vector<Value *> placed;
  for (Value *value : buffers) {
    size_t size = value->desc.get_size();
    for (bool moved = true; moved;) {
      moved = false;
      for (Value *other : placed) {
        size_t end = other->offset + other->desc.get_size();
        if (other->first < value->last && value->first < other->last &&
            value->offset < end && other->offset < value->offset + size) {
          value->offset = (end + alignment - 1) / alignment * alignment;
          moved = true;
        }
      }
    }
    arenaSize = std::max(arenaSize, value->offset + size);
    placed.push_back(value);
  }
}

void Graph::finish() {
  for (size_t number = 0; number != outputs.size(); ++number) {
    Output &output = outputs[number];
    if (output.desc.is_zero())
      throw std::runtime_error("expects output " + std::to_string(number));
    // What a primitive makes in that layout it writes there.
    if (values[output.value].place != Place::Buffer ||
        values[output.value].base != output.value ||
        values[output.value].desc != output.desc) {
      size_t copy = addValue(output.desc, Place::Output);
      addCopy(output.value, copy);
      output.value = copy;
    }
    values[output.value].place = Place::Output;
    values[output.value].number = number;
  }
  placeBuffers();
}

struct Graph::Context {
  Context(const Graph &graph) : stream(graph.engine) {
    size_t size = graph.arenaSize + graph.scratchpadSize + 64;
    arena.reset(
        static_cast<char *>(std::aligned_alloc(64, (size + 63) / 64 * 64)));
    if (!arena)
      throw std::bad_alloc();
    char *scratchpad = arena.get() + (graph.arenaSize + 63) / 64 * 64;
    for (const Value &value : graph.values)
      memories.push_back(
          value.place == Place::Weight
              ? value.data
              : memory(value.desc, graph.engine,
                       value.place == Place::Buffer
                           ? arena.get() + graph.values[value.base].offset
                           : nullptr));
    for (const Step &step : graph.steps) {
      std::unordered_map<int, memory> map;
      for (auto [role, index] : step.args)
        map.emplace(role, memories[index]);
      map.emplace(DNNL_ARG_SCRATCHPAD,
                  memory(step.scratchpad, graph.engine, scratchpad));
      args.push_back(std::move(map));
    }
  }

  struct Free {
    void operator()(char *data) const { std::free(data); }
  };
  std::unique_ptr<char, Free> arena;
  dnnl::stream stream;
  std::vector<memory> memories;
  std::vector<std::unordered_map<int, memory>> args;
};

Graph::Graph(const dnnl::engine &engine) : engine(engine) {}

Graph::~Graph() = default;

void Graph::run(void *const *args) {
  std::unique_ptr<Context> context;
  {
    std::lock_guard<std::mutex> lock(mutex);
    if (!idle.empty()) {
      context = std::move(idle.back());
      idle.pop_back();
    }
  }
  if (!context)
    context = std::make_unique<Context>(*this);
  for (size_t i = 0; i != values.size(); ++i) {
    if (values[i].place == Place::Input)
      context->memories[i].set_data_handle(args[values[i].number]);
    if (values[i].place == Place::Output)
      context->memories[i].set_data_handle(args[numInputs + values[i].number]);
  }
  for (size_t i = 0; i != steps.size(); ++i)
    steps[i].primitive.execute(context->stream, context->args[i]);
  context->stream.wait();
  std::lock_guard<std::mutex> lock(mutex);
  idle.push_back(std::move(context));
}

//===----------------------------------------------------------------------===//
// Modules
//===----------------------------------------------------------------------===//

Module::Module(const char *data, size_t size) {
  std::string text(data, size);
  size_t end = text.find("\n\n");
  if (end == std::string::npos)
    throw std::runtime_error("expects an empty line before the weights");
  const char *weights = data + end + 2;
  std::istringstream lines(text.substr(0, end));
  Graph *graph = nullptr;
  for (std::string text; std::getline(lines, text);) {
    std::istringstream line(text);
    if (text.compare(0, 9, "function ") == 0) {
      std::string name = text.substr(9);
      graph = (graphs[name] = std::make_unique<Graph>(engine)).get();
    } else if (graph) {
      graph->addLine(line, weights, size - end - 2);
    } else {
      throw std::runtime_error("expects a function first, but got '" + text +
                               "'");
    }
  }
  for (auto &[name, graph] : graphs)
    graph->finish();
}

Graph *Module::find(const std::string &name) {
  auto it = graphs.find(name);
  return it == graphs.end() ? nullptr : it->second.get();
}
