// Code generators of a plugin, which return C, relay and bytes.

// RUN: split-file %s %t

// RUN: relay-opt --load-dialect-plugin=%relay_lib/ExampleCodegen%shlibext %t/model.mlir \
// RUN:   --relay-annotate-target=targets=example --relay-merge-compiler-regions --relay-partition-graph -o %t/c.mlir
// RUN: FileCheck %s --input-file=%t/c.mlir --check-prefix=PARTS
// PARTS: func.func private @tvmgen_default_example_main_0({{.*}}relay.compiler = "example"
// PARTS: relay.nn.dense
// PARTS: relay.add
// PARTS: func.func @main
// PARTS: relay.call @tvmgen_default_example_main_0
// PARTS-NEXT: relay.erf

// RUN: relay-opt --load-dialect-plugin=%relay_lib/ExampleCodegen%shlibext %t/c.mlir --relay-generate-external-code | FileCheck %s --check-prefix=SOURCE
// SOURCE: relay.external_code = [{compiler = "example", flags = [], source = "#include <math.h>
// SOURCE-SAME: int32_t tvmgen_default_example_main_0(

// RUN: relay-run --load-dialect-plugin=%relay_lib/ExampleCodegen%shlibext %t/c.mlir --check=interpreter | FileCheck %s --check-prefix=AGREES
// AGREES: agrees
// RUN: relay-compile --load-dialect-plugin=%relay_lib/ExampleCodegen%shlibext %t/c.mlir --emit=tir -o - | FileCheck %s --check-prefix=TIR
// TIR: tir.prim_func private @tvmgen_default_example_main_0({{.*}}tir.external = "example"

// Functions of relay are compiled with the others.
// RUN: relay-opt --load-dialect-plugin=%relay_lib/ExampleCodegen%shlibext %t/model.mlir \
// RUN:   --relay-annotate-target=targets=twice --relay-partition-graph -o %t/relay.mlir
// RUN: relay-run --load-dialect-plugin=%relay_lib/ExampleCodegen%shlibext %t/relay.mlir --check=interpreter | FileCheck %s --check-prefix=AGREES
// RUN: relay-compile --load-dialect-plugin=%relay_lib/ExampleCodegen%shlibext %t/relay.mlir --emit=relay -o - | FileCheck %s --check-prefix=RELAY
// RELAY: relay.nn.relu
// RELAY-NEXT: relay.add
// RELAY-NEXT: relay.subtract
// RELAY-NOT: relay.compiler

// Bytes are for a device, whose library gets them when the model is loaded.
// RUN: relay-opt --load-dialect-plugin=%relay_lib/ExampleCodegen%shlibext %t/model.mlir \
// RUN:   --relay-annotate-target=targets=bytes --relay-merge-compiler-regions --relay-partition-graph -o %t/bytes.mlir
// RUN: relay-opt --load-dialect-plugin=%relay_lib/ExampleCodegen%shlibext %t/bytes.mlir --relay-generate-external-code | FileCheck %s --check-prefix=BYTES
// BYTES: target.device_specs = {bytes = #target.external_code<"bytes", "postfix", "tvmgen_default_bytes_main_0 2 6 0 0 1 add relu
// BYTES: %[[X:.*]] = relay.device_copy %{{.*}} {{.*}}
// BYTES: %[[CALL:.*]] = relay.call @tvmgen_default_bytes_main_0(%
// BYTES-NEXT: relay.device_copy %[[CALL]]
// RUN: env RELAY_DEVICE_PATH=%relay_lib relay-run --load-dialect-plugin=%relay_lib/ExampleCodegen%shlibext %t/bytes.mlir --check=interpreter | FileCheck %s --check-prefix=AGREES
// RUN: relay-compile --load-dialect-plugin=%relay_lib/ExampleCodegen%shlibext %t/bytes.mlir -o %t/bytes.so
// RUN: env RELAY_DEVICE_PATH=%relay_lib relay-run %t/bytes.so --profile | FileCheck %s --check-prefix=PROFILE
// PROFILE: tvmgen_default_bytes_main_0{{.*}}bytes:0
// RUN: env RELAY_DEVICE_PATH=%t not relay-run %t/bytes.so 2>&1 | FileCheck %s --check-prefix=LIBRARY
// LIBRARY: librelay_device_bytes.so
// RUN: not relay-compile --load-dialect-plugin=%relay_lib/ExampleCodegen%shlibext %t/bytes.mlir --device-targets='bytes = #target.external_code<"other", "x", "y">' -o %t/twice.so 2>&1 | FileCheck %s --check-prefix=TWICE
// TWICE: code generator "bytes": expects devices of kind "bytes" to be for its bytes, but they have a target
// Errors name the generator; its functions are ours only if we are asked.
// RUN: not relay-compile %t/c.mlir -o %t/none.so 2>&1 | FileCheck %s --check-prefix=NONE
// NONE: error: code generator "example": expects one that is registered, but there is none of that name
// RUN: relay-compile %t/c.mlir --external-fallback -o %t/fallback.so 2>&1 | FileCheck %s --check-prefix=FALLBACK
// FALLBACK: warning: code generator "example": expects one that is registered, but there is none of that name; its functions are compiled as all others
// RUN: not relay-compile --load-dialect-plugin=%relay_lib/ExampleCodegen%shlibext %t/wrong.mlir -o %t/wrong.so 2>&1 | FileCheck %s --check-prefix=WRONG
// WRONG: wrong.mlir:2:8: error: code generator "example": {{.*}}expects an operator that this generator has
// RUN: env RELAY_CC=no-such-compiler not relay-compile --load-dialect-plugin=%relay_lib/ExampleCodegen%shlibext %t/c.mlir -o %t/cc.so 2>&1 | FileCheck %s --check-prefix=CC
// CC: code generator "example": expects a compiler of C (RELAY_CC, CC, or cc on the PATH), but found no 'no-such-compiler'
// RUN: env RELAY_CC=false not relay-compile --load-dialect-plugin=%relay_lib/ExampleCodegen%shlibext %t/c.mlir -o %t/cc.so 2>&1 | FileCheck %s --check-prefix=FAILS
// FAILS: code generator "example": expects C that false compiles, but it says:

// A closure for a code generator is compiled by us only if that is allowed.
// RUN: not relay-compile %t/closure.mlir -o %t/closure.so 2>&1 | FileCheck %s --check-prefix=CLOSURE
// CLOSURE: error: expects functions of the module for other compilers, but got a closure for "nobody"
// RUN: relay-compile --external-fallback %t/closure.mlir -o %t/closure.so

//--- closure.mlir
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %f = relay.fn (%y: tensor<2xf32>) -> tensor<2xf32> attributes {relay.compiler = "nobody"} {
    %r = relay.nn.relu %y : (tensor<2xf32>) -> tensor<2xf32>
    relay.yield %r : tensor<2xf32>
  }
  %0 = relay.call_indirect %f(%x) : (tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

//--- model.mlir
func.func @main(%x: tensor<3x4xf32> {relay.name = "x"}, %b: tensor<3x2xf32> {relay.name = "b"}) -> (tensor<3x2xf32> {relay.name = "y"}) {
  %w = relay.constant dense<[[1.0, 2.0, -3.0, 0.5], [-0.25, 1.5, 2.0, -1.0]]> : tensor<2x4xf32>
  %0 = relay.nn.dense %x, %w : (tensor<3x4xf32>, tensor<2x4xf32>) -> tensor<3x2xf32>
  %1 = relay.add %0, %b : (tensor<3x2xf32>, tensor<3x2xf32>) -> tensor<3x2xf32>
  %2 = relay.nn.relu %1 : (tensor<3x2xf32>) -> tensor<3x2xf32>
  %3 = relay.erf %2 : (tensor<3x2xf32>) -> tensor<3x2xf32>
  %4 = relay.add %3, %2 : (tensor<3x2xf32>, tensor<3x2xf32>) -> tensor<3x2xf32>
  return %4 : tensor<3x2xf32>
}

//--- wrong.mlir
func.func private @f(%x: tensor<4xf32>) -> tensor<4xf32> attributes {relay.compiler = "example"} {
  %0 = relay.exp %x : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
func.func @main(%x: tensor<4xf32> {relay.name = "x"}) -> (tensor<4xf32> {relay.name = "y"}) {
  %0 = relay.call @f(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
