// RUN: relay-opt %s --split-input-file --verify-diagnostics

// expected-error @+1 {{expects an architecture of sm_80,}}
module attributes {a = #cuda.gpu<"sm_12">} {}

// -----

// expected-error @+1 {{expects a tile of multiples of 32, at most 1024, but got 40}}
module attributes {a = #cuda.product<batch = [], rows = [0], columns = [1], reduction = [2], tile = [40, 64, 32], warps = [2, 2], pieces = 1>} {}

// -----

// expected-error @+1 {{expects elements of one or two pieces, but got 3}}
module attributes {a = #cuda.product<batch = [], rows = [0], columns = [1], reduction = [2], tile = [64, 64, 32], warps = [2, 2], pieces = 3>} {}

// -----

// expected-error @+1 {{expects 1 to 32 warps, but got 0 x 2}}
module attributes {a = #cuda.product<batch = [], rows = [0], columns = [1], reduction = [2], tile = [64, 64, 32], warps = [0, 2], pieces = 1>} {}

// -----

// expected-error @+1 {{expects the instruction mma or wgmma, but got 'imma'}}
module attributes {a = #cuda.product<batch = [], rows = [0], columns = [1], reduction = [2], tile = [64, 64, 64], warps = [4, 1], pieces = 1, instruction = "imma">} {}

// -----

// expected-error @+1 {{expects warpgroups of four warps below each other, but got 2 x 2 warps}}
module attributes {a = #cuda.product<batch = [], rows = [0], columns = [1], reduction = [2], tile = [64, 64, 64], warps = [2, 2], pieces = 1, instruction = "wgmma">} {}

// -----

// expected-error @+1 {{expects a tile of warpgroups to be 64 x (64, 128, 192 or 256) x (64 or 128), but got 64 x 320 x 64}}
module attributes {a = #cuda.product<batch = [], rows = [0], columns = [1], reduction = [2], tile = [64, 320, 64], warps = [4, 1], pieces = 1, instruction = "wgmma">} {}

// -----

// expected-error @+1 {{expects 1 to 32 warps, but got 4294967296 x 4294967296}}
module attributes {a = #cuda.product<batch = [], rows = [0], columns = [1], reduction = [2], tile = [64, 64, 32], warps = [4294967296, 4294967296], pieces = 1>} {}

// -----

// Fragments of two times eight columns are loaded at once.
// expected-error @+1 {{expects a tile of multiples of 32, at most 1024, but got 48}}
module attributes {a = #cuda.product<batch = [], rows = [0], columns = [1], reduction = [2], tile = [64, 48, 32], warps = [2, 2], pieces = 1>} {}

// -----

// expected-error @+1 {{expects a tile of multiples of 16, at most 1024, but got 4611686018427387904}}
module attributes {a = #cuda.product<batch = [], rows = [0], columns = [1], reduction = [2], tile = [64, 64, 4611686018427387904], warps = [2, 2], pieces = 1>} {}
