/* A program in bytecode, written by hand: functions of tensors that add, take 1
   from, and compare scalars of int32, and functions that call them, and packed
   functions. Its weights are one int32. Tests find the words by the first ones,
   and change them. */
#include "note.h"

static const RelayArtifactTensor pair[] = {{"x", {0, 32, 1}, 0, 0, 0},
                                           {"y", {0, 32, 1}, 0, 0, 0}};
static const RelayArtifactTensor truth[] = {{"c", {6, 8, 1}, 0, 0, 0}};
static const int64_t openDims[] = {-1};
static const char *const symbols[] = {"n"};
static const RelayArtifactTensor open[] = {
    {"v", {0, 32, 1}, 1, openDims, symbols},
    {"w", {0, 32, 1}, 1, openDims, symbols}};
static const RelayArtifactDevice devices[] = {{"cpu", 0, 0, sizeof(int32_t)}};

static int32_t shapes(const int64_t *s, int64_t *dims, int64_t *arena,
                      int64_t *values) {
  *arena = 0;
  return 0;
}
static int32_t openShapes(const int64_t *s, int64_t *dims, int64_t *arena,
                          int64_t *values) {
  *dims = *s;
  *arena = 0;
  return 0;
}
static int32_t work(const int64_t *s, int64_t *flops, int64_t *bytes) {
  return 0;
}
#define FUNCTION(name)                                                         \
  static int32_t name(void *const *in, void *const *out, const void *weights,  \
                      void *arena, const int64_t *s,                           \
                      const RelayKernelContext *ctx)
FUNCTION(add) {
  /* As kernels add: sums wrap. */
  *(uint32_t *)out[0] = *(uint32_t *)in[0] + *(uint32_t *)in[1];
  return 0;
}
FUNCTION(decrement) {
  *(int32_t *)out[0] = *(int32_t *)in[0] - 1;
  return 0;
}
FUNCTION(isDone) {
  *(char *)out[0] = *(int32_t *)in[0] <= 0;
  return 0;
}
FUNCTION(addAll) {
  for (int64_t i = 0; i < *s; ++i)
    ((int32_t *)out[0])[i] = ((int32_t *)in[0])[i] + ((int32_t *)in[1])[i];
  return 0;
}
/* A packed function that makes a vector of a vector. */
static const int64_t anyDims[] = {INT64_MIN};
static const RelayArtifactTensor any[] = {
    {"", {0, 32, 1}, 1, anyDims, symbols},
    {"", {0, 32, 1}, 1, anyDims, symbols}};
static const RelayArtifactCall calls[] = {
    {"test.write", "test.write", "", 0, -1, 2, 1, 1, any}};
FUNCTION(askAll) {
  void *const args[] = {in[0], out[0]};
  const int64_t dims[] = {*s, *s};
  return ctx->call_packed(ctx, 0, args, dims);
}
static const RelayArtifactFunction functions[] = {
    {"add", 0, 2, 1, 0, 0, 0, 0, 0, pair, pair, 0, shapes, work, add},
    {"decrement", 0, 1, 1, 0, 0, 0, 0, 0, pair, pair, 0, shapes, work,
     decrement},
    {"is_done", 0, 1, 1, 0, 0, 0, 0, 0, pair, truth, 0, shapes, work, isDone},
    {"add_all", 1, 2, 1, 0, 0, 0, 0, symbols, open, open, 0, openShapes, work,
     addAll},
    {"ask_all", 1, 1, 1, 0, 1, 0, 0, symbols, open, open, 0, openShapes, work,
     askAll}};

#define R(n) RELAY_VM_MAKE_ARGUMENT(RELAY_VM_REGISTER, n)
#define L(n) RELAY_VM_MAKE_ARGUMENT(RELAY_VM_LAST_USE, n)
#define I(n) RELAY_VM_MAKE_ARGUMENT(RELAY_VM_IMMEDIATE, n)
#define C(n) RELAY_VM_MAKE_ARGUMENT(RELAY_VM_CONSTANT, n)
#define F(n) RELAY_VM_MAKE_ARGUMENT(RELAY_VM_FUNCTION, n)
enum {
  Sum,
  Range,
  Loop,
  Forever,
  Adder,
  Add2,
  Cycle,
  Vectors,
  Tensors,
  Builtins = Tensors + 5,
};
enum {
  HasConstructor = Builtins,
  GetField,
  MakeData,
  ReadCondition,
  Kill,
  Copy,
  MakeClosure,
  InvokeClosure,
  MakeRef,
  WriteRef,
  ReadRef,
  Total,
  CallPacked,
  Ask,
  AskAll,
  NumFunctions
};
static const int64_t code[] = {
    /* sum(list): 0 */
    RELAY_VM_CALL,
    1,
    HasConstructor,
    2,
    R(0),
    I(0), /* 0 */
    RELAY_VM_IF,
    1,
    28, /* 6 */
    RELAY_VM_CALL,
    1,
    GetField,
    2,
    R(0),
    I(0), /* 9 */
    RELAY_VM_CALL,
    0,
    GetField,
    2,
    L(0),
    I(1), /* 15 */
    RELAY_VM_CALL,
    0,
    Sum,
    1,
    L(0), /* 21 */
    RELAY_VM_CALL,
    1,
    Tensors,
    2,
    L(1),
    L(0), /* 26 */
    RELAY_VM_RET,
    1, /* 32 */
    RELAY_VM_CALL,
    0,
    Copy,
    1,
    C(0), /* 34 */
    RELAY_VM_RET,
    0, /* 39 */
    /* range(n): 41 */
    RELAY_VM_CALL,
    1,
    Tensors + 2,
    1,
    R(0), /* 0 */
    RELAY_VM_CALL,
    1,
    ReadCondition,
    1,
    L(1), /* 5 */
    RELAY_VM_IF,
    1,
    10, /* 10 */
    RELAY_VM_CALL,
    0,
    MakeData,
    1,
    I(1), /* 13 */
    RELAY_VM_RET,
    0, /* 18 */
    RELAY_VM_CALL,
    1,
    Tensors + 1,
    1,
    R(0), /* 20 */
    RELAY_VM_CALL,
    1,
    Range,
    1,
    L(1), /* 25 */
    RELAY_VM_CALL,
    0,
    MakeData,
    3,
    I(0),
    L(0),
    L(1), /* 30 */
    RELAY_VM_RET,
    0, /* 37 */
    /* loop(n, acc): 80 */
    RELAY_VM_CALL,
    2,
    Tensors + 2,
    1,
    R(0), /* 0 */
    RELAY_VM_CALL,
    2,
    ReadCondition,
    1,
    L(2), /* 5 */
    RELAY_VM_IF,
    2,
    10, /* 10 */
    RELAY_VM_CALL,
    RELAY_VM_VOID,
    Kill,
    1,
    L(0), /* 13 */
    RELAY_VM_RET,
    1, /* 18 */
    RELAY_VM_CALL,
    2,
    Tensors + 1,
    1,
    R(0), /* 20 */
    RELAY_VM_CALL,
    1,
    Tensors,
    2,
    L(1),
    L(0), /* 25 */
    RELAY_VM_CALL,
    2,
    Loop,
    2,
    L(2),
    L(1), /* 31 */
    RELAY_VM_RET,
    2, /* 37 */
    /* forever(x), which is no tail call: 119 */
    RELAY_VM_CALL,
    1,
    Forever,
    1,
    L(0), /* 0 */
    RELAY_VM_CALL,
    0,
    Tensors + 1,
    1,
    L(1), /* 5 */
    RELAY_VM_RET,
    0, /* 10 */
    /* adder(x), which returns a closure: 131 */
    RELAY_VM_CALL,
    0,
    MakeClosure,
    2,
    F(Add2),
    L(0), /* 0 */
    RELAY_VM_RET,
    0, /* 6 */
    /* add2(x, y): 139 */
    RELAY_VM_CALL,
    0,
    Tensors,
    2,
    L(0),
    L(1), /* 0 */
    RELAY_VM_RET,
    0, /* 6 */
    /* cycle(x): a reference to itself, and then to x again: 147 */
    RELAY_VM_CALL,
    1,
    MakeRef,
    1,
    R(0), /* 0 */
    RELAY_VM_CALL,
    RELAY_VM_VOID,
    WriteRef,
    2,
    R(1),
    R(1), /* 5 */
    RELAY_VM_CALL,
    RELAY_VM_VOID,
    WriteRef,
    2,
    R(1),
    L(0), /* 11 */
    RELAY_VM_CALL,
    0,
    ReadRef,
    1,
    L(1), /* 17 */
    RELAY_VM_RET,
    0, /* 22 */
    /* vectors(x, y): 171 */
    RELAY_VM_CALL,
    0,
    Tensors + 3,
    2,
    L(0),
    L(1), /* 0 */
    RELAY_VM_RET,
    0, /* 6 */
    /* ask(x, y): 179 */
    RELAY_VM_CALL,
    0,
    CallPacked,
    2,
    L(0),
    R(1), /* 0 */
    RELAY_VM_RET,
    0, /* 6 */
    /* askAll(x): 187 */
    RELAY_VM_CALL,
    0,
    Tensors + 4,
    1,
    L(0), /* 0 */
    RELAY_VM_RET,
    0, /* 5 */
};

static const char *const params[] = {"x", "y"};
#define BYTECODE(name, params_, registers, first, words)                       \
  {name,      RELAY_VM_BYTECODE,                                               \
   1,         params_,                                                         \
   registers, 0,                                                               \
   first,     words,                                                           \
   0,         params,                                                          \
   0,         0}
#define TENSORS(name, number)                                                  \
  {name, RELAY_VM_TENSORS, 0, 0, 0, number, 0, 0, 0, params, 0, 0}
#define BUILTIN(name)                                                          \
  {"vm.builtin." name, RELAY_VM_BUILTIN, 0, 0, 0, 0, 0, 0, 0, params, 0, 0}
/* List[int32] and the fields of Cons. */
static const int64_t totalTypes[] = {
    RELAY_VM_TYPE_DATA, 1, 1, RELAY_VM_TYPE_TENSOR, 0, 32, 0};
static const int64_t consTypes[] = {
    RELAY_VM_TYPE_ARGUMENT, 0, RELAY_VM_TYPE_DATA, 1, 1,
    RELAY_VM_TYPE_ARGUMENT, 0};
#define COUNT(words) (sizeof(words) / sizeof(*words))
static const RelayVMFunction table[] = {
    BYTECODE("sum", 1, 2, 0, 41),
    BYTECODE("range", 1, 2, 41, 39),
    BYTECODE("loop", 2, 3, 80, 39),
    BYTECODE("forever", 1, 2, 119, 12),
    BYTECODE("adder", 1, 1, 131, 8),
    BYTECODE("add2", 2, 2, 139, 8),
    BYTECODE("cycle", 1, 2, 147, 24),
    BYTECODE("vectors", 2, 2, 171, 8),
    TENSORS("add", 0),
    TENSORS("decrement", 1),
    TENSORS("is_done", 2),
    TENSORS("add_all", 3),
    TENSORS("ask_all", 4),
    BUILTIN("has_constructor"),
    BUILTIN("get_field"),
    BUILTIN("make_data"),
    BUILTIN("read_if_cond"),
    BUILTIN("kill"),
    BUILTIN("copy"),
    BUILTIN("make_closure"),
    BUILTIN("invoke_closure"),
    BUILTIN("make_ref"),
    BUILTIN("write_ref"),
    BUILTIN("read_ref"),
    /* sum, of what has been checked. */
    {"total", RELAY_VM_BYTECODE, 1, 1, 2, 0, 0, 41, 0, params,
     COUNT(totalTypes), totalTypes},
    BUILTIN("call_packed:test.ask"),
    BYTECODE("ask", 2, 2, 179, 8),
    BYTECODE("askAll", 1, 1, 187, 7),
};
static const RelayVMConstant constants[] = {{{"", {0, 32, 1}, 0, 0, 0}, 0}};
static const RelayArtifactConstructor constructors[] = {
    {"List", "Cons", 0, 2, COUNT(consTypes), consTypes},
    {"List", "Nil", 1, 0, 0, 0}};
static const RelayVMProgram program = {
    NumFunctions, 1,   2, sizeof(code) / sizeof(*code), table, constants,
    constructors, code};

const RelayArtifact relay_artifact = {MAGIC,  VERSION,  sizeof(RelayArtifact),
                                      "test", "test",   "",
                                      "high", 0,        sizeof(int32_t),
                                      5,      1,        functions,
                                      calls,  &program, 1,
                                      0,      devices,  0};
