// Functions of vectors have no sizes that are computed in floats.
// RUN: relay-opt %s --convert-relay-to-linalg | FileCheck %s

// CHECK-LABEL: func.func @bytes
// CHECK:         arith.fptosi %{{.*}} : vector<12xf32> to vector<12xi8>
func.func @bytes(%x: vector<12xi8>) -> vector<12xi8> {
  %0 = arith.sitofp %x : vector<12xi8> to vector<12xf32>
  %1 = arith.divf %0, %0 : vector<12xf32>
  %2 = arith.fptosi %1 : vector<12xf32> to vector<12xi8>
  return %2 : vector<12xi8>
}
