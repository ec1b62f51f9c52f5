// RUN: relay-opt %s --split-input-file --verify-diagnostics

// expected-error @+1 {{expects a triple of x86-64 or AArch64 with Linux, such as x86_64-unknown-linux-gnu, but got 'sparc-sun-solaris'}}
module attributes {target.spec = #target.cpu<"sparc-sun-solaris", "v9">} {}

// -----

// expected-error @+2 {{expects a CPU of aarch64, but got 'znver3'}}
// expected-note @+1 {{CPUs are: }}
module attributes {target.spec = #target.cpu<"aarch64-unknown-linux-gnu", "znver3">} {}

// -----

// expected-error @+1 {{expects +<feature> or -<feature> of x86_64, but got 'avx2'}}
module attributes {target.spec = #target.cpu<"x86_64-unknown-linux-gnu", "znver3", features = "avx2">} {}

// -----

// expected-error @+1 {{with Linux, such as x86_64-unknown-linux-gnu, but got 'x86_64-unknown-linux-gnu-coff'}}
module attributes {target.spec = #target.cpu<"x86_64-unknown-linux-gnu-coff", "znver3">} {}

// -----

// expected-error @+1 {{with Linux, such as x86_64-unknown-linux-gnu, but got 'x86_64-unknown-linux-gnux32'}}
module attributes {target.spec = #target.cpu<"x86_64-unknown-linux-gnux32", "znver3">} {}

// -----

// expected-error @+1 {{expects a change to what some CPUs of x86_64 have and others have not, but got '-sse'}}
module attributes {target.spec = #target.cpu<"x86_64-unknown-linux-gnu", "znver3", features = "-sse">} {}

// -----

// expected-error @+1 {{expects a change to what some CPUs of x86_64 have and others have not, but got '+16bit-mode'}}
module attributes {target.spec = #target.cpu<"x86_64-unknown-linux-gnu", "znver3", features = "+16bit-mode">} {}

// -----

// expected-error @+1 {{expects the bytes of a cache, but got -1}}
module attributes {target.spec = #target.cpu<"x86_64-unknown-linux-gnu", "znver3", l2 = -1>} {}

// -----

// expected-error @+1 {{expects target.spec to be a target, such as #target.cpu, but got "znver3"}}
module attributes {target.spec = "znver3"} {}

// -----

// expected-error @+1 {{expects target.precision to be a #target.precision, but got "high"}}
module attributes {target.precision = "high"} {}

// -----

// expected-error @+1 {{expects target.spec, target.precision or target.device_specs, but got target.device}}
module attributes {target.device = 1} {}

// -----

// expected-error @+2 {{to be one of: highest, high, medium}}
// expected-error @+1 {{failed to parse}}
module attributes {target.precision = #target.precision<low>} {}

// -----

// expected-error @+1 {{expects target.device_specs to be a dictionary of a module, but got 1 : i64}}
module attributes {target.device_specs = 1} {}

// -----

// expected-error @+1 {{expects target.device_specs to be a dictionary of a module}}
func.func private @f() attributes {target.device_specs = {}}

// -----

// expected-error @+1 {{expects target.device_specs to have kinds of letters, digits and underscores, but got 'a b'}}
module attributes {target.device_specs = {"a b" = #target.cpu<"x86_64-unknown-linux-gnu", "znver3">}} {}

// -----

// expected-error @+1 {{expects target.device_specs of kinds that are no processor, but got 'cpu', whose target is target.spec}}
module attributes {target.device_specs = {cpu = #target.cpu<"x86_64-unknown-linux-gnu", "znver3">}} {}

// -----

// expected-error @+1 {{expects a target for devices of kind npu, but got unit}}
module attributes {target.device_specs = {npu}} {}
