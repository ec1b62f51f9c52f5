//===- ArtifactFormat.h - What a compiled model exports ---------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A compiled model is a file of two parts. The image is a shared object that
// exports one symbol, RELAY_ARTIFACT_SYMBOL, of type RelayArtifact: code and
// tables, which the compiler emits as constant data and the run time reads. The
// weights, packed constants, are the rest of the file. A note of the image, a
// RelayArtifactNote, says where they start and has checksums of both, so that a
// reader knows what the file is before it maps anything. Plain C.
//
// A change of these structures changes RELAY_ARTIFACT_VERSION; the run time
// refuses every version but its own.
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_RUNTIME_ARTIFACTFORMAT_H
#define RELAY_MLIR_RUNTIME_ARTIFACTFORMAT_H

#include "relay-mlir/Runtime/KernelABI.h"

#ifdef __cplusplus
extern "C" {
#endif

#define RELAY_ARTIFACT_SYMBOL "relay_artifact"
#define RELAY_ARTIFACT_MAGIC UINT64_C(0x54524159414c4552) /* "RELAYART" */
#define RELAY_ARTIFACT_VERSION 14

/// The ELF note with a RelayArtifactNote: its section, owner and type.
#define RELAY_NOTE_SECTION ".note.relay"
#define RELAY_NOTE_OWNER "relay-mlir"
#define RELAY_NOTE_TYPE 1

/// Name of the section with the packed constants.
#define RELAY_WEIGHTS_SECTION ".relay.weights"

/// Weights are hashed in blocks of this many bytes, so that several threads can
/// do it.
#define RELAY_CHECKSUM_BLOCK (UINT64_C(1) << 20)

/// Alignment in bytes of everything the compiler or the run time allocates:
/// constants, arena, outputs.
#define RELAY_BUFFER_ALIGNMENT 64

/// What a zero in a string is, as a zero ends it.
#define RELAY_STRING_ZERO "\xc0\x80"

/// Element type, with the codes of DLPack's DLDataTypeCode; 6 is bool (bits =
/// 8, one byte, 0 or 1). Elements of fewer bits are the low ones of a byte
/// each.
typedef struct RelayArtifactDType {
  uint8_t code;
  uint8_t bits;
  uint16_t lanes;
} RelayArtifactDType;

/// A tensor's type. `dims[i]` is the size if it is not negative; -1 - s for
/// symbol number s; INT64_MIN for any other expression over the symbols (only
/// in outputs, whose sizes RelayArtifactFunction::shapes computes, and in
/// calls). `dim_names[i]` is null for a static dimension, else the text of the
/// expression, such as "n" or "2 * n".
typedef struct RelayArtifactTensor {
  const char *name;
  RelayArtifactDType dtype;
  int32_t rank;
  const int64_t *dims;
  const char *const *dim_names;
  /// Not 0 if the elements are numbers of strings.
  int32_t is_string;
} RelayArtifactTensor;

/// A device that the program uses. The first one is the host, cpu number 0.
typedef struct RelayArtifactDevice {
  const char *kind;
  int32_t index;
  /// Which of the weights are its own.
  uint64_t weights_offset;
  uint64_t weights_size;
} RelayArtifactDevice;

/// Code for all devices of a kind but the host, in a format that they know.
typedef struct RelayArtifactModule {
  const char *kind;
  const char *format;
  const void *data;
  uint64_t size;
} RelayArtifactModule;

/// The format of the module of devices of kind cpu: an array of
/// RelayHostKernel.
#define RELAY_MODULE_FORMAT_HOST "host"

/// The format of code in a shared object that exports a RelayKernel for each
/// kernel, by its name. What drives devices of kind cpu knows it, too.
#define RELAY_MODULE_FORMAT_LIBRARY "library"

typedef struct RelayHostKernel {
  const char *name;
  RelayKernel kernel;
} RelayHostKernel;

/// One call of the program, in program order: of a kernel, or a copy from one
/// device to another.
typedef struct RelayArtifactCall {
  /// The kernel's name, and that of the fused relay function it came from; both
  /// tell the devices of a copy, such as "cpu:0 to cpu:1". The name under which
  /// a packed function is registered is that of a kernel.
  const char *kernel;
  const char *function;
  /// What of the model it computes: names of nodes, such as "'conv1', 'relu1'";
  /// empty if it has none.
  const char *source;
  /// Numbers of devices: on which the kernel runs, or where the copy ends; and
  /// where the copy begins, -1 for a kernel.
  int32_t device;
  int32_t source_device;
  /// Types of all arguments; the outputs are [first_output, first_output +
  /// num_outputs). Dynamic dimensions are INT64_MIN: their sizes are the
  /// observer's `dims`.
  int32_t num_args;
  int32_t first_output;
  int32_t num_outputs;
  const RelayArtifactTensor *args;
} RelayArtifactCall;

/// How many bits of what RelayArtifactFunction::main returns are a
/// RelayKernelError.
enum { RELAY_ERROR_BITS = 8 };

/// Kinds of conditions on sizes: that two values are equal, or the first one is
/// at least the second; that the sizes of a tensor are not negative and its
/// bytes fewer than 2^63; the same of the bytes of all intermediate tensors;
/// that the first value is 1 or equal to the second; that it is a multiple of
/// the second.
typedef enum RelayCheckKind {
  RELAY_CHECK_EQUAL = 0,
  RELAY_CHECK_AT_LEAST = 1,
  RELAY_CHECK_TENSOR = 2,
  RELAY_CHECK_ARENA = 3,
  RELAY_CHECK_BROADCAST = 4,
  RELAY_CHECK_MULTIPLE = 5,
} RelayCheckKind;

/// A condition on sizes that is tested before each run, as a message tells it.
typedef struct RelayArtifactCheck {
  int32_t kind; /* RelayCheckKind */
  /// Texts of the expressions whose values decide, such as "2 * n": two sides,
  /// or the dimensions of a tensor.
  int32_t num_values;
  const char *const *values;
  /// The numbers of the symbols that occur in them.
  int64_t num_symbols;
  const int64_t *symbols;
  /// What has these sizes, such as "input 'x'"; null for two sides.
  const char *subject;
} RelayArtifactCheck;

/// The value of an expression that is no number of 64 bits.
#define RELAY_OVERFLOW INT64_MIN

/// What a file says of itself. Checksums are XXH3 with 64 bits; they find
/// damage, not forgery.
typedef struct RelayArtifactNote {
  uint64_t magic;
  /// RELAY_ARTIFACT_VERSION, before everything that a version may change.
  uint32_t version;
  /// sizeof(RelayArtifactNote) as the compiler knew it.
  uint32_t struct_size;
  /// Bytes of the image; the weights are the rest of the file.
  uint64_t image_size;
  uint64_t weights_size;
  /// The hash of the hashes of all blocks of RELAY_CHECKSUM_BLOCK bytes, the
  /// last of which may be shorter; of no bytes if there are no weights.
  uint64_t weights_checksum;
  /// The hash of the image, with zero in this place.
  uint64_t image_checksum;
} RelayArtifactNote;

/// What the names of inputs begin with of which only the sizes are used: they
/// may be without data.
#define RELAY_SIZES_PREFIX "sizes:"

/// A function of tensors.
typedef struct RelayArtifactFunction {
  const char *name;

  int32_t num_symbols;
  int32_t num_inputs;
  int32_t num_outputs;
  /// Its calls are [first_call, first_call + num_calls) of all calls.
  int32_t first_call;
  int32_t num_calls;
  /// The conditions that `shapes` tests, and the most values that one has.
  int32_t num_checks;
  int32_t max_check_values;
  const char *const *symbols;
  const RelayArtifactTensor *inputs;
  const RelayArtifactTensor *outputs;
  const RelayArtifactCheck *checks;

  /// Computes, from the values of the symbols, the sizes of all dimensions of
  /// all outputs (static ones too; concatenated) and the bytes of the arena of
  /// each device.
  /// Returns 0; or 1 + i if checks[i] does not hold, and stores its values in
  /// `check_values`, RELAY_OVERFLOW for those that are too large.
  int32_t (*shapes)(const int64_t *symbols, int64_t *output_dims,
                    int64_t *arena_bytes, int64_t *check_values);

  /// Computes for each of its calls, from the values of the symbols, the
  /// arithmetic operations on elements and the bytes of inputs and outputs that
  /// the call must touch; -1 where that does not follow from sizes, or is too
  /// large.
  int32_t (*work)(const int64_t *symbols, int64_t *flops, int64_t *bytes);

  /// Runs the function, with the weights and the arena of the host. Returns 0,
  /// or the RelayKernelError of the kernel that failed and, from bit
  /// RELAY_ERROR_BITS on, the number of its call among all calls.
  int32_t (*main)(void *const *inputs, void *const *outputs,
                  const void *weights, void *arena, const int64_t *symbols,
                  const RelayKernelContext *context);
} RelayArtifactFunction;

//===----------------------------------------------------------------------===//
// Bytecode
//===----------------------------------------------------------------------===//

/// Instructions are sequences of words; the first one is the kind:
///   call: register of the result (or RELAY_VM_VOID), number of the function,
///         number of arguments, arguments
///   ret:  register
///   goto: how many words further the next instruction begins
///   if:   register with a number, how many words further the next instruction
///         begins if it is 0
typedef enum RelayVMInstruction {
  RELAY_VM_CALL = 1,
  RELAY_VM_RET = 2,
  RELAY_VM_GOTO = 3,
  RELAY_VM_IF = 4,
} RelayVMInstruction;

/// The upper 8 bits of an argument; the others are a number with a sign: of a
/// register, the number itself, of a constant, of a function.
typedef enum RelayVMArgument {
  RELAY_VM_REGISTER = 0,
  RELAY_VM_IMMEDIATE = 1,
  RELAY_VM_CONSTANT = 2,
  RELAY_VM_FUNCTION = 3,
  /// A register that nobody reads afterwards: it is empty then.
  RELAY_VM_LAST_USE = 4,
} RelayVMArgument;

#define RELAY_VM_ARGUMENT_BITS 56
#define RELAY_VM_ARGUMENT_VALUE(word)                                          \
  ((int64_t)((uint64_t)(word) << (64 - RELAY_VM_ARGUMENT_BITS)) >>             \
   (64 - RELAY_VM_ARGUMENT_BITS))
#define RELAY_VM_MAKE_ARGUMENT(kind, value)                                    \
  ((int64_t)((uint64_t)(kind) << RELAY_VM_ARGUMENT_BITS |                      \
             ((uint64_t)(value) &                                              \
              ((UINT64_C(1) << RELAY_VM_ARGUMENT_BITS) - 1))))

/// The place of a result that nobody wants.
#define RELAY_VM_VOID (INT64_C(1) << 54)

typedef enum RelayVMFunctionKind {
  /// A function of the run time, by its name.
  RELAY_VM_BUILTIN = 0,
  RELAY_VM_BYTECODE = 1,
  /// A RelayArtifactFunction. Its result is a tensor, or a tuple of tensors if
  /// there are several or none.
  RELAY_VM_TENSORS = 2,
} RelayVMFunctionKind;

/// What values may be, as words: a RelayVMType and what it needs. Types that
/// are parts of others follow them.
///   any:       nothing; the value may be anything
///   tensor:    code and bits of the elements, rank, sizes: -1 for any, -2 - s
///              for any that symbol number s of the function names
///   tuple:     number of fields, their types
///   data:      number of a constructor of the type, number of its arguments,
///              the arguments
///   argument:  which one of the type that a constructor belongs to
///   function:  number of parameters
///   reference: type of the contents
typedef enum RelayVMType {
  RELAY_VM_TYPE_ANY = 0,
  RELAY_VM_TYPE_TENSOR = 1,
  RELAY_VM_TYPE_TUPLE = 2,
  RELAY_VM_TYPE_DATA = 3,
  RELAY_VM_TYPE_ARGUMENT = 4,
  RELAY_VM_TYPE_FUNCTION = 5,
  RELAY_VM_TYPE_REFERENCE = 6,
} RelayVMType;

/// What the beginning of an object is in memory. The fields of tuples and of
/// values of data types follow, as registers hold them.
typedef struct RelayGlueObject {
  uint32_t num_references;
  /// A RelayValueKind; of others than tuples and data, nothing else is said.
  int32_t kind;
  /// Null for a tuple.
  const struct RelayArtifactConstructor *constructor;
  uint32_t num_fields;
} RelayGlueObject;

/// What native code of functions of objects is given.
typedef struct RelayGlueContext {
  /// Executes so many instructions, one after the other, which are calls of the
  /// run time or of functions of tensors. Not zero if one fails.
  int32_t (*execute)(const struct RelayGlueContext *context,
                     const int64_t *word, int64_t count);
  /// Called when a function begins again in place of a call of itself. Not zero
  /// if the program is to end.
  int32_t (*begin)(const struct RelayGlueContext *context);
  /// Gives up the reference of a register to an object.
  void (*release)(uint64_t object);
  /// The bytecode of the program.
  const int64_t *code;
  /// Its constants, as registers hold them.
  const uint64_t *constants;
  const struct RelayArtifactConstructor *constructors;
  /// The run time's own.
  void *machine;
} RelayGlueContext;

/// Native code of a function of objects. A register holds 0 for nothing, a
/// number n as 2 n + 1, or the address of an object. Runs the function from the
/// instruction at word `position` of it up to one that calls or leaves a
/// function of objects, or that fails, and returns where that is; or -1 if
/// `execute` has failed.
typedef int64_t (*RelayGlueCode)(const RelayGlueContext *context,
                                 uint64_t *registers, int64_t position);

/// A member of the function table. Parameters are the first registers.
typedef struct RelayVMFunction {
  const char *name;
  int32_t kind;
  int32_t is_public;
  int32_t num_params;
  int32_t num_registers;
  /// An index into RelayArtifact::functions.
  int32_t tensor_function;
  int64_t first_word;
  int64_t num_words;
  /// What runs in place of the bytecode; null if that does.
  RelayGlueCode native;
  /// Their names; empty for those that have none.
  const char *const *params;
  /// Types of what callers pass: of the last parameters, as many as there are.
  /// A closure's captured values are the first parameters.
  int64_t num_type_words;
  const int64_t *types;
  /// Of a public function: the types of its results, their names, and those of
  /// open sizes. Several results, or none, are the fields of the tuple that it
  /// returns.
  int64_t num_result_words;
  const int64_t *result_types;
  int32_t num_results;
  int32_t num_symbols;
  const char *const *results;
  const char *const *symbols;
  /// The numbers of the parameters and results that are tensors of numbers of
  /// strings.
  int32_t num_string_params;
  int32_t num_string_results;
  const int64_t *string_params;
  const int64_t *string_results;
} RelayVMFunction;

/// A tensor among the weights.
typedef struct RelayVMConstant {
  RelayArtifactTensor tensor;
  uint64_t offset;
} RelayVMConstant;

/// A constructor of a data type.
typedef struct RelayArtifactConstructor {
  const char *type;
  const char *name;
  /// Its place among those of the type.
  int32_t index;
  int32_t num_fields;
  /// The types of the fields, or none if they may be anything.
  int64_t num_type_words;
  const int64_t *field_types;
} RelayArtifactConstructor;

/// What connects functions of tensors: closures, recursion, data types.
typedef struct RelayVMProgram {
  int64_t num_functions;
  int64_t num_constants;
  int64_t num_constructors;
  int64_t num_words;
  const RelayVMFunction *functions;
  const RelayVMConstant *constants;
  const RelayArtifactConstructor *constructors;
  const int64_t *code;
} RelayVMProgram;

//===----------------------------------------------------------------------===//
// Artefact
//===----------------------------------------------------------------------===//

typedef struct RelayArtifact {
  uint64_t magic;
  uint32_t version;
  /// sizeof(RelayArtifact) as the compiler knew it.
  uint32_t struct_size;
  const char *compiler_version;
  const char *target_triple;
  /// CPU features (LLVM's names, comma separated) that the code needs.
  const char *required_features;
  /// How exactly results in float32 are computed: "highest", "high" or
  /// "medium", as the model was compiled.
  const char *precision;

  /// Packed constants, read-only: where a program is linked with the model's
  /// object. Null in a file of its own, whose weights are no part of the image.
  const void *weights;
  uint64_t weights_size;

  /// Without a program, the first one is the model. The others, called
  /// "main.n=1" and the like, are variants of it, which have sizes of inputs
  /// where it has symbols: they run in its place for inputs of these sizes.
  int32_t num_functions;
  /// Those of all functions.
  int32_t num_calls;
  const RelayArtifactFunction *functions;
  const RelayArtifactCall *calls;

  /// Null for a model that is one function of tensors.
  const RelayVMProgram *program;

  /// The devices that calls name by their number, and code for them.
  int32_t num_devices;
  int32_t num_modules;
  const RelayArtifactDevice *devices;
  const RelayArtifactModule *modules;

  /// The strings by their numbers, in UTF-8 whose zeros are RELAY_STRING_ZERO;
  /// none for a model without strings in its inputs and outputs, and without
  /// functions of strings.
  int64_t num_strings;
  const char *const *strings;

  /// What the model says of itself, in UTF-8: keys and texts in turn, and how
  /// many these are together.
  int64_t num_metadata;
  const char *const *metadata;
} RelayArtifact;

#ifdef __cplusplus
} // extern "C"
#endif

#endif // RELAY_MLIR_RUNTIME_ARTIFACTFORMAT_H
