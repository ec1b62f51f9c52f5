// RUN: relay-opt %s --split-input-file --verify-diagnostics

// expected-error @+1 {{expects an architecture of sm_80,}}
module attributes {a = #cuda.gpu<"sm_12">} {}

// -----

// expected-error @+1 {{expects a tile of multiples of 32, but got 40}}
module attributes {a = #cuda.product<batch = [], rows = [0], columns = [1], reduction = [2], tile = [40, 64, 32], warps = [2, 2], pieces = 1>} {}

// -----

// expected-error @+1 {{expects elements of one or two pieces, but got 3}}
module attributes {a = #cuda.product<batch = [], rows = [0], columns = [1], reduction = [2], tile = [64, 64, 32], warps = [2, 2], pieces = 3>} {}

// -----

// expected-error @+1 {{expects 1 to 32 warps, but got 0 x 2}}
module attributes {a = #cuda.product<batch = [], rows = [0], columns = [1], reduction = [2], tile = [64, 64, 32], warps = [0, 2], pieces = 1>} {}
