// Floats that print as their bits have a type, or they would be read as integers.
// RUN: relay-opt %s | relay-opt | FileCheck %s

// CHECK: relay.clip %{{.*}} {a_max = 0x41DFFFFFFFC00000 : f64, a_min = -2.500000e+00}
func.func @bounds(%x: tensor<2xi32>) -> tensor<2xi32> {
  %0 = relay.clip %x {a_max = 2147483647.0 : f64, a_min = -2.5 : f64} : (tensor<2xi32>) -> tensor<2xi32>
  return %0 : tensor<2xi32>
}
