//===- TargetAttributes.td - Targets as attributes ---------*- tablegen -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The target dialect: what a module or a kernel is compiled for, and how
// exactly it has to compute.
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_DIALECT_TARGET_IR_TARGETATTRIBUTES_TD
#define RELAY_MLIR_DIALECT_TARGET_IR_TARGETATTRIBUTES_TD

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/OpBase.td"
include "relay-mlir/Dialect/Target/IR/TargetInterfaces.td"

def Target_Dialect : Dialect {
  let name = "target";
  let cppNamespace = "::mlir::relay";
  let summary = "What code is generated for";
  let description = [{
    Attributes that say what a module or a kernel is compiled for:

    * `target.spec` of an operation is an attribute with `TargetAttrInterface`,
      such as `#target.cpu`. It holds for what is inside of the operation and
      has none of its own.
    * `target.precision` is a `#target.precision`, which holds in the same way.
    * `target.device_specs` of a module is a dictionary: for each kind of devices
      but `cpu` that the module uses, the target that kernels on them have.

    `--relay-attach-target` gives them to a module. Passes read these attributes
    and nothing else, so that a module in a file has all that a compilation
    depends on.

    Example:

    ```mlir
    #cpu = #target.cpu<"x86_64-unknown-linux-gnu", "znver3">
    module attributes {
        target.spec = #cpu, target.precision = #target.precision<high>} {
    }
    ```
  }];
  let useDefaultAttributePrinterParser = 1;
  let hasOperationAttrVerify = 1;
  let extraClassDeclaration = [{
    /// Attributes that say for what, and how exactly, an operation is compiled.
    static constexpr ::llvm::StringLiteral kSpecAttrName = "target.spec";
    static constexpr ::llvm::StringLiteral kPrecisionAttrName =
        "target.precision";
    /// For what kernels on devices that are no processor are compiled, by kind.
    static constexpr ::llvm::StringLiteral kDeviceSpecsAttrName =
        "target.device_specs";

    /// What is known of the processor of `#target.cpu`; lives as long as the
    /// context.
    const CPUInfo &getCPUInfo(CPUAttr attr);

  private:
    std::mutex mutex;
    ::llvm::DenseMap<::mlir::Attribute, std::unique_ptr<CPUInfo>> infos;
  }];
}

def Target_Precision : I32EnumAttr<"Precision",
    "How exactly results are computed in f32 (docs/Precision.md has the bounds)",
    [
      I32EnumAttrCase<"Highest", 0, "highest">,
      I32EnumAttrCase<"High", 1, "high">,
      I32EnumAttrCase<"Medium", 2, "medium">
    ]> {
  let cppNamespace = "::mlir::relay";
  let genSpecializedAttr = 0;
}

def Target_PrecisionAttr : EnumAttr<Target_Dialect, Target_Precision,
                                    "precision"> {
  let summary = "How exactly results are computed in f32";
  let description = [{
    `docs/Precision.md` has the bounds.

    * `highest`: no operator is less exact than sums of products in f32: no
      Winograd, and on matrix units (AMX) each operand is three pieces of bf16.
    * `high`: networks err at most ten times as much as in f32, and 1e-4 of the
      scale of their outputs: on matrix units, operands are two or three pieces
      of bf16, as an estimate of the errors says.
    * `medium`: as `high`, but operands are rounded to bf16: on matrix units
      both, elsewhere constant weights of a few rows, which come from memory in
      half the time.

    Example: `#target.precision<high>`
  }];
  let assemblyFormat = "`<` $value `>`";
}

def Target_CPUAttr : AttrDef<Target_Dialect, "CPU", [
    DeclareAttrInterfaceMethods<TargetAttrInterface, [
      "getDescription", "getVectorBits", "getCacheSizes", "getMatrixTerms",
      "getMemories", "getThreading"]>]> {
  let mnemonic = "cpu";
  let summary = "A processor";
  let description = [{
    A processor as LLVM knows it: its triple, the name of its CPU, and changes
    to the features that this implies. Sizes of caches are in bytes; those that
    are left out are as the name has it.

    `--target=` of the tools (`native`, `x86-64-v3`, ...) is a short form.

    Example:

    ```mlir
    #target.cpu<"x86_64-unknown-linux-gnu", "sapphirerapids",
                features = "-amx-int8", l3 = 67108864>
    ```
  }];
  let parameters = (ins
    StringRefParameter<"LLVM's triple">:$triple,
    StringRefParameter<"LLVM's name of the CPU">:$cpu,
    StringRefParameter<"changes to features of the CPU: \"+a,-b\"",
                       "\"\"">:$features,
    DefaultValuedParameter<"int64_t", "0", "bytes of the first cache; 0: as of "
                           "the CPU">:$l1,
    DefaultValuedParameter<"int64_t", "0", "of the second">:$l2,
    DefaultValuedParameter<"int64_t", "0", "of the last">:$l3
  );
  let assemblyFormat = [{
    `<` $triple `,` $cpu (`,` struct($features, $l1, $l2, $l3)^)? `>`
  }];
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// What follows from all that; lives as long as the context.
    const CPUInfo &getInfo() const;
  }];
}

def Target_MemoryAttr : AttrDef<Target_Dialect, "Memory"> {
  let mnemonic = "memory";
  let summary = "A memory of a target";
  let description = [{
    The memory space of a buffer that is not in the default memory of its target,
    where arguments and workspaces of kernels lie. A target declares its memories
    by their names (`TargetAttrInterface::getMemories`), with who sees them and
    how they are reached; processors have `local`, the stack of the thread that
    comes to the buffer.

    Example: `memref<8x32xf32, #target.memory<"local">>`
  }];
  let parameters = (ins StringRefParameter<"what the target calls it">:$name);
  let assemblyFormat = "`<` $name `>`";
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// What schedules call the default memory, which is no attribute.
    static constexpr ::llvm::StringLiteral kGlobal = "global";
    /// What most targets have for the buffers of one thread.
    static constexpr ::llvm::StringLiteral kLocal = "local";
  }];
}

def Target_DeviceAttr : AttrDef<Target_Dialect, "Device"> {
  let mnemonic = "device";
  let summary = "Where data lies and kernels run";
  let description = [{
    A device of the machine that a model runs on: its kind, by which the run
    time finds what drives it, and its number among those of the kind. The host,
    which runs the program and calls the others, is `cpu` number 0. Other
    devices of kind `cpu` have memory of their own, and no other difference.

    Types of relax without a device are those of data on the host.

    Example: `#target.device<"cpu", 1>`
  }];
  let parameters = (ins
    StringRefParameter<"one word: letters, digits and underscores">:$kind,
    "int64_t":$index
  );
  let assemblyFormat = "`<` $kind `,` $index `>`";
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// Whether a text can be a kind.
    static bool isKind(::llvm::StringRef kind);

    /// The kind of the host, and of its processors as devices.
    static constexpr ::llvm::StringLiteral kCPUKind = "cpu";

    bool isHost() const { return getKind() == kCPUKind && getIndex() == 0; }

    /// Whether a device is the host or another processor of it.
    static bool isProcessor(DeviceAttr device) {
      return !device || device.getKind() == kCPUKind;
    }

    /// "cpu:1", also for the host, which is null where types have no device.
    static std::string getName(DeviceAttr device);

    /// The device that Relay's `virtual_device` dictionary names by the number
    /// of its type in DLPack, and for type 12, an extension, by the first word
    /// of `target`; null if it leaves the type open.
    static ::mlir::FailureOr<DeviceAttr> fromVirtualDevice(
        ::mlir::DictionaryAttr device,
        ::llvm::function_ref<::mlir::InFlightDiagnostic()> emitError);

    /// That dictionary.
    ::mlir::DictionaryAttr toVirtualDevice() const;
  }];
}

def Target_ExternalCodeAttr : AttrDef<Target_Dialect, "ExternalCode", [
    DeclareAttrInterfaceMethods<TargetAttrInterface, ["getDescription"]>,
    DeclareAttrInterfaceMethods<CodeGeneratorAttrInterface>]> {
  let mnemonic = "external_code";
  let summary = "Code of kernels that is there already";
  let description = [{
    The target of kernels that a code generator of somebody else has made, from
    functions of relay, with the name of the generator, the format of the code,
    and its bytes. There are no loops to compile; what drives the devices gets
    the bytes when a model is loaded.

    Example:

    ```mlir
    #target.external_code<"dsp", "dsp-binary", "\00\01">
    ```
  }];
  let parameters = (ins
    "::mlir::StringAttr":$compiler,
    "::mlir::StringAttr":$format,
    "::mlir::StringAttr":$data
  );
  let assemblyFormat = "`<` $compiler `,` $format `,` $data `>`";
}

#endif // RELAY_MLIR_DIALECT_TARGET_IR_TARGETATTRIBUTES_TD
