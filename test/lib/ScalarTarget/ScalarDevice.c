/* Drives devices of kind "scalar", as a project of somebody else would: four of
   them, whose memory no processor can read, because addresses are off by BIAS.
   Their code is text, which ScalarCode.cpp writes and an interpreter here runs.

   A program has one instruction in a line: words with a space between them.
   "%3" is register 3, which holds an integer or a float; "b0" is the first
   buffer of the call, "n0" the first one in the memory near to the core.
   ScalarCode.cpp has the instructions. */
#include "relay-mlir-c/Device.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BIAS ((uintptr_t)1 << 62)

#ifndef VERSION
#define VERSION RELAY_DEVICE_API_VERSION
#endif
#ifndef KIND
#define KIND "scalar"
#endif

static __thread char error[200];

static RelayStatus fail(RelayStatus status, const char *format, ...) {
  va_list args;
  va_start(args, format);
  vsnprintf(error, sizeof(error), format, args);
  va_end(args);
  return status;
}

static char *toHost(const void *address) {
  return (char *)((uintptr_t)address - BIAS);
}

static const char *getError(void *user) { return error; }

static RelayStatus getNumDevices(void *user, int32_t *count) {
  *count = 4;
  return RELAY_OK;
}

static RelayStatus allocate(void *user, int32_t device, uint64_t bytes,
                            void **memory) {
  void *block =
      bytes > (1 << 20) ? 0 : aligned_alloc(64, (bytes + 63) / 64 * 64);
  if (!block)
    return fail(RELAY_OUT_OF_MEMORY, "it has one MiB of memory");
  *memory = (void *)((uintptr_t)block + BIAS);
  return RELAY_OK;
}

static RelayStatus release(void *user, int32_t device, void *memory) {
  free(toHost(memory));
  return RELAY_OK;
}

/* The clock of a stream, in nanoseconds: one passes with each byte of a copy,
   and a thousand with each instruction. */
typedef int64_t Stream;

static void pass(void *stream, uint64_t nanoseconds) {
  if (stream)
    *(Stream *)stream += (int64_t)nanoseconds;
}

static RelayStatus createStream(void *user, int32_t device, void **stream) {
  *stream = calloc(1, sizeof(Stream));
  return RELAY_OK;
}

static RelayStatus destroyStream(void *user, int32_t device, void *stream) {
  free(stream);
  return RELAY_OK;
}

static RelayStatus synchronize(void *user, int32_t device, void *stream) {
  return RELAY_OK;
}

static RelayStatus copyFromHost(void *user, int32_t device, void *stream,
                                void *to, const void *from, uint64_t bytes) {
  memcpy(toHost(to), from, bytes);
  pass(stream, bytes);
  return RELAY_OK;
}

static RelayStatus copyToHost(void *user, int32_t device, void *stream,
                              void *to, const void *from, uint64_t bytes) {
  memcpy(to, toHost(from), bytes);
  pass(stream, bytes);
  return RELAY_OK;
}

static RelayStatus copyAcross(void *user, int32_t to_device, void *stream,
                              void *to, int32_t from_device, const void *from,
                              uint64_t bytes) {
  memcpy(toHost(to), toHost(from), bytes);
  pass(stream, bytes);
  return RELAY_OK;
}

static RelayStatus createEvent(void *user, int32_t device, void **event) {
  return createStream(user, device, event);
}

static RelayStatus destroyEvent(void *user, int32_t device, void *event) {
  return destroyStream(user, device, event);
}

static RelayStatus recordEvent(void *user, int32_t device, void *stream,
                               void *event) {
  *(Stream *)event = *(Stream *)stream;
  return RELAY_OK;
}

static RelayStatus getElapsedTime(void *user, int32_t device, void *start,
                                  void *end, int64_t *nanoseconds) {
  *nanoseconds = *(Stream *)end - *(Stream *)start;
  return RELAY_OK;
}

/* Programs */

typedef union {
  int64_t i;
  float f;
} Value;

/* An operand is a register, a buffer or a number. */
typedef struct {
  char kind; /* '%', 'b', 'n', or '#' */
  int64_t number;
} Operand;

enum { MAX_OPERANDS = 7, MAX_BUFFERS = 64 };

typedef struct {
  char name[16];
  int num_operands;
  Operand operands[MAX_OPERANDS];
  /* Where the body of a loop or a branch ends. */
  int end;
} Instruction;

typedef struct {
  char name[256];
  int num_buffers, num_sizes, num_near, num_registers;
  int64_t near_bytes[MAX_BUFFERS];
  int num_instructions;
  Instruction *instructions;
} Kernel;

typedef struct {
  int num_kernels;
  Kernel *kernels;
} Module;

static void freeModule(Module *module) {
  for (int i = 0; i < module->num_kernels; ++i)
    free(module->kernels[i].instructions);
  free(module->kernels);
  free(module);
}

static int parseOperand(const char *word, Operand *operand) {
  char *end;
  operand->kind = strchr("%bn", *word) ? *word++ : '#';
  operand->number = strtoll(word, &end, 0);
  return *word && !*end;
}

/* Splits a line; returns how many words it has. */
static int splitLine(char *line, char *words[MAX_OPERANDS + 1]) {
  int count = 0;
  char *rest;
  for (char *word = strtok_r(line, " ", &rest); word && count <= MAX_OPERANDS;
       word = strtok_r(0, " ", &rest))
    words[count++] = word;
  return count;
}

static int addInstruction(Kernel *kernel, char **words, int count) {
  Instruction *last, *grown;
  if (strlen(words[0]) >= sizeof(last->name))
    return 0;
  grown = realloc(kernel->instructions,
                  (kernel->num_instructions + 1) * sizeof(Instruction));
  if (!grown)
    return 0;
  kernel->instructions = grown;
  last = &grown[kernel->num_instructions++];
  memset(last, 0, sizeof(*last));
  strcpy(last->name, words[0]);
  last->num_operands = count - 1;
  for (int i = 1; i < count; ++i) {
    Operand *operand = &last->operands[i - 1];
    if (!parseOperand(words[i], operand))
      return 0;
    int64_t limit = operand->kind == 'b'   ? kernel->num_buffers
                    : operand->kind == 'n' ? kernel->num_near
                                           : 1 << 20;
    if (operand->kind != '#' &&
        (operand->number < 0 || operand->number >= limit))
      return 0;
    if (operand->kind == '%' && operand->number >= kernel->num_registers)
      kernel->num_registers = operand->number + 1;
  }
  return 1;
}

/* Tells loops and branches where they end. */
static int findEnds(Kernel *kernel) {
  int open[64], depth = 0;
  for (int i = 0; i < kernel->num_instructions; ++i) {
    const char *name = kernel->instructions[i].name;
    if (!strcmp(name, "for") || !strcmp(name, "if")) {
      if (depth == 64)
        return 0;
      open[depth++] = i;
    } else if (!strcmp(name, "else") || !strcmp(name, "end")) {
      if (depth == 0)
        return 0;
      kernel->instructions[open[depth - 1]].end = i;
      if (!strcmp(name, "else"))
        open[depth - 1] = i;
      else
        --depth;
    }
  }
  return depth == 0;
}

static RelayStatus parseLine(Module *module, char *line) {
  char *words[MAX_OPERANDS + 1];
  int count = splitLine(line, words);
  if (count == 0)
    return RELAY_OK;
  Kernel *kernel =
      module->num_kernels ? &module->kernels[module->num_kernels - 1] : 0;
  if (!strcmp(words[0], "kernel") && count == 4 &&
      strlen(words[1]) < sizeof(kernel->name)) {
    Kernel *grown =
        realloc(module->kernels, (module->num_kernels + 1) * sizeof(Kernel));
    if (!grown)
      return fail(RELAY_OUT_OF_MEMORY, "there is no memory for code");
    module->kernels = grown;
    kernel = &grown[module->num_kernels++];
    memset(kernel, 0, sizeof(*kernel));
    strcpy(kernel->name, words[1]);
    kernel->num_buffers = atoi(words[2]);
    kernel->num_sizes = atoi(words[3]);
    return RELAY_OK;
  }
  if (module->num_kernels == 0)
    return fail(RELAY_INVALID_ARTIFACT, "expects a kernel, but got '%s'",
                words[0]);
  if (!strcmp(words[0], "near") && count == 2 &&
      kernel->num_near < MAX_BUFFERS) {
    kernel->near_bytes[kernel->num_near++] = atoll(words[1]);
    return RELAY_OK;
  }
  if (!addInstruction(kernel, words, count))
    return fail(RELAY_INVALID_ARTIFACT, "expects an instruction, but got '%s'",
                words[0]);
  return RELAY_OK;
}

static RelayStatus loadModule(void *user, int32_t device, const char *format,
                              const void *data, uint64_t size, void **module) {
  if (strcmp(format, "scalar-text") != 0)
    return fail(RELAY_INVALID_ARTIFACT,
                "expects code in the format scalar-text");
  Module *result = calloc(1, sizeof(Module));
  char *text = strndup(data, size), *rest;
  RelayStatus status = result && text ? RELAY_OK : RELAY_OUT_OF_MEMORY;
  for (char *line = status ? 0 : strtok_r(text, "\n", &rest); line && !status;
       line = strtok_r(0, "\n", &rest))
    status = parseLine(result, line);
  for (int i = 0; !status && i < result->num_kernels; ++i)
    if (!findEnds(&result->kernels[i]))
      status = fail(RELAY_INVALID_ARTIFACT, "expects an end of each body");
  free(text);
  if (status && result)
    freeModule(result);
  *module = status ? 0 : result;
  return status;
}

static RelayStatus unloadModule(void *user, int32_t device, void *module) {
  freeModule(module);
  return RELAY_OK;
}

static RelayStatus getKernel(void *user, int32_t device, void *module,
                             const char *name, void **kernel) {
  Module *loaded = module;
  for (int i = 0; i < loaded->num_kernels; ++i)
    if (!strcmp(loaded->kernels[i].name, name)) {
      *kernel = &loaded->kernels[i];
      return RELAY_OK;
    }
  return fail(RELAY_INVALID_ARTIFACT, "there is no such kernel");
}

/* One call */

typedef struct {
  const Kernel *kernel;
  Value *registers;
  char *buffers[MAX_BUFFERS];
  char *near[MAX_BUFFERS];
  const int64_t *sizes;
  uint64_t num_executed;
} Run;

static char *getBuffer(Run *run, Operand operand) {
  return operand.kind == 'n' ? run->near[operand.number]
                             : run->buffers[operand.number];
}

/* Integers of `bits` bits are kept with their sign; a bit is 0 or 1. */
static int64_t wrap(int64_t value, int64_t bits) {
  if (bits == 1)
    return value & 1;
  return bits >= 64 ? value
                    : (int64_t)((uint64_t)value << (64 - bits)) >> (64 - bits);
}

static int64_t getInteger(Run *run, const char *op, int64_t a, int64_t b) {
  if (!strcmp(op, "addi"))
    return (int64_t)((uint64_t)a + (uint64_t)b);
  if (!strcmp(op, "subi"))
    return (int64_t)((uint64_t)a - (uint64_t)b);
  if (!strcmp(op, "muli"))
    return (int64_t)((uint64_t)a * (uint64_t)b);
  if (!strcmp(op, "divsi"))
    return b ? a / b : 0;
  if (!strcmp(op, "remsi"))
    return b ? a % b : 0;
  if (!strcmp(op, "andi"))
    return a & b;
  if (!strcmp(op, "ori"))
    return a | b;
  if (!strcmp(op, "xori"))
    return a ^ b;
  if (!strcmp(op, "maxsi"))
    return a > b ? a : b;
  return a < b ? a : b; /* minsi */
}

static int compare(const char *predicate, int64_t order) {
  return !strcmp(predicate, "eq")   ? order == 0
         : !strcmp(predicate, "ne") ? order != 0
         : !strcmp(predicate, "lt") ? order < 0
         : !strcmp(predicate, "le") ? order <= 0
         : !strcmp(predicate, "gt") ? order > 0
                                    : order >= 0;
}

static float getFloat(const char *op, float a, float b) {
  if (!strcmp(op, "addf"))
    return a + b;
  if (!strcmp(op, "subf"))
    return a - b;
  if (!strcmp(op, "mulf"))
    return a * b;
  if (!strcmp(op, "divf"))
    return a / b;
  if (!strcmp(op, "maxnumf"))
    return fmaxf(a, b);
  if (!strcmp(op, "minnumf"))
    return fminf(a, b);
  if (a != a || b != b) /* maximumf, minimumf */
    return a + b;
  return !strcmp(op, "maximumf") ? (a > b ? a : b) : (a < b ? a : b);
}

static float getFunction(const char *op, float a) {
  return !strcmp(op, "negf")   ? -a
         : !strcmp(op, "exp")  ? expf(a)
         : !strcmp(op, "tanh") ? tanhf(a)
         : !strcmp(op, "sqrt") ? sqrtf(a)
                               : fabsf(a);
}

static RelayStatus execute(Run *run, int begin, int end);

static RelayStatus executeLoop(Run *run, int index) {
  const Instruction *loop = &run->kernel->instructions[index];
  Value *r = run->registers;
  int64_t last = r[loop->operands[2].number].i;
  int64_t step = r[loop->operands[3].number].i;
  for (int64_t i = r[loop->operands[1].number].i; i < last; i += step) {
    r[loop->operands[0].number].i = i;
    RelayStatus status = execute(run, index + 1, loop->end);
    if (status)
      return status;
  }
  return RELAY_OK;
}

static void executeDot(float *sum, const float *lhs, const float *rhs,
                       int64_t count) {
  for (int64_t i = 0; i < count; ++i)
    *sum += lhs[i] * rhs[i];
}

static RelayStatus executeOne(Run *run, const Instruction *instruction) {
  const char *op = instruction->name;
  const Operand *o = instruction->operands;
  Value *r = run->registers, *to = &r[o[0].number];
  int64_t bits = o[instruction->num_operands - 1].number;
  if (!strcmp(op, "int") || !strcmp(op, "float")) /* the bits of the float */
    to->i = o[1].number;
  else if (!strcmp(op, "size"))
    to->i = run->sizes[o[1].number];
  else if (!strcmp(op, "copy"))
    *to = r[o[1].number];
  else if (!strcmp(op, "select"))
    *to = r[o[1].number].i ? r[o[2].number] : r[o[3].number];
  else if (!strncmp(op, "cmpi.", 5)) {
    int64_t a = r[o[1].number].i, b = r[o[2].number].i;
    to->i = compare(op + 5, (a > b) - (a < b));
  } else if (!strncmp(op, "cmpf.", 5)) {
    float a = r[o[1].number].f, b = r[o[2].number].f;
    to->i = a == a && b == b && compare(op + 5, (a > b) - (a < b));
  } else if (!strcmp(op, "wrap"))
    to->i = wrap(r[o[1].number].i, bits);
  else if (!strcmp(op, "sitofp"))
    to->f = (float)r[o[1].number].i;
  else if (!strcmp(op, "fptosi"))
    to->i = wrap((int64_t)r[o[1].number].f, bits);
  else if (!strcmp(op, "negf") || !strcmp(op, "exp") || !strcmp(op, "tanh") ||
           !strcmp(op, "sqrt") || !strcmp(op, "absf"))
    to->f = getFunction(op, r[o[1].number].f);
  else if (!strcmp(op, "load")) { /* register, buffer, index, bits */
    const char *from = getBuffer(run, o[1]) + r[o[2].number].i * (bits / 8);
    to->i = 0;
    memcpy(to, from, bits / 8);
    to->i = wrap(to->i, bits);
  } else if (!strcmp(op, "store")) /* register, buffer, index, bits */
    memcpy(getBuffer(run, o[1]) + r[o[2].number].i * (bits / 8), to, bits / 8);
  else if (!strcmp(op, "fetch")) /* near buffer, index, buffer, index, bytes,
                                    bits */
    memcpy(getBuffer(run, o[0]) + r[o[1].number].i * (bits / 8),
           getBuffer(run, o[2]) + r[o[3].number].i * (bits / 8), o[4].number);
  else if (!strcmp(op, "dot")) /* buffer, index: of the sum, and of two
                                  operands; how many elements */
    executeDot((float *)getBuffer(run, o[0]) + r[o[1].number].i,
               (float *)getBuffer(run, o[2]) + r[o[3].number].i,
               (float *)getBuffer(run, o[4]) + r[o[5].number].i, o[6].number);
  else if (strlen(op) > 1 && op[strlen(op) - 1] == 'i')
    to->i = wrap(getInteger(run, op, r[o[1].number].i, r[o[2].number].i), bits);
  else if (strlen(op) > 1 && op[strlen(op) - 1] == 'f')
    to->f = getFloat(op, r[o[1].number].f, r[o[2].number].f);
  else
    return fail(RELAY_INVALID_ARTIFACT, "there is no instruction '%s'", op);
  return RELAY_OK;
}

static RelayStatus execute(Run *run, int begin, int end) {
  const Instruction *all = run->kernel->instructions;
  RelayStatus status = RELAY_OK;
  for (int i = begin; i < end && !status; ++i) {
    ++run->num_executed;
    if (!strcmp(all[i].name, "for")) {
      status = executeLoop(run, i);
      i = all[i].end;
    } else if (!strcmp(all[i].name, "if")) {
      int otherwise = all[i].end, last = otherwise;
      if (!strcmp(all[otherwise].name, "else"))
        last = all[otherwise].end;
      status = run->registers[all[i].operands[0].number].i
                   ? execute(run, i + 1, otherwise)
                   : execute(run, otherwise + 1, last);
      i = last;
    } else {
      status = executeOne(run, &all[i]);
    }
  }
  return status;
}

static RelayStatus launch(void *user, int32_t device, void *stream,
                          void *kernel, void *const *args, int32_t num_args,
                          const int64_t *dims,
                          const RelayKernelContext *context) {
  Run run;
  memset(&run, 0, sizeof(run));
  run.kernel = kernel;
  if (num_args != run.kernel->num_buffers || num_args > MAX_BUFFERS)
    return fail(RELAY_INVALID_ARGUMENT, "expects %d buffers, but got %d",
                run.kernel->num_buffers, num_args);
  run.sizes = dims;
  run.registers = calloc(run.kernel->num_registers + 1, sizeof(Value));
  for (int i = 0; i < num_args; ++i)
    run.buffers[i] = toHost(args[i]);
  for (int i = 0; i < run.kernel->num_near; ++i)
    run.near[i] = calloc(1, run.kernel->near_bytes[i]);
  RelayStatus status = execute(&run, 0, run.kernel->num_instructions);
  pass(stream, 1000 * run.num_executed);
  for (int i = 0; i < run.kernel->num_near; ++i)
    free(run.near[i]);
  free(run.registers);
  return status;
}

static const RelayDeviceAPI api = {VERSION,
                                   sizeof(RelayDeviceAPI),
                                   KIND,
                                   0,
                                   getError,
                                   getNumDevices,
                                   allocate,
                                   release,
                                   createStream,
                                   destroyStream,
                                   synchronize,
                                   copyFromHost,
                                   copyToHost,
                                   copyAcross,
                                   loadModule,
                                   unloadModule,
                                   getKernel,
                                   launch,
                                   createEvent,
                                   destroyEvent,
                                   recordEvent,
                                   getElapsedTime,
                                   0};

__attribute__((visibility("default"))) const RelayDeviceAPI *
relayGetDeviceAPI(void) {
  return &api;
}
