func.func @direct(%x: tensor<i32>) -> tensor<i32> {
  return %x : tensor<i32>
}
func.func private @used(%x: tensor<i32>, %k: (tensor<i32>) -> !relay.typevar<"R">) -> !relay.typevar<"R"> attributes {relay.type_params = ["R"]} {
  %0 = relay.call_indirect %k(%x) : (tensor<i32>) -> !relay.typevar<"R">
  return %0 : !relay.typevar<"R">
}
func.func @user(%x: tensor<i32>, %k: (tensor<i32>) -> !relay.typevar<"R">) -> !relay.typevar<"R"> attributes {relay.type_params = ["R"]} {
  %0 = relay.call @used(%x, %k) : (tensor<i32>, (tensor<i32>) -> !relay.typevar<"R">) -> !relay.typevar<"R">
  return %0 : !relay.typevar<"R">
}
func.func @higher(%k: ((tensor<i32>, (tensor<i32>) -> !relay.typevar<"R">) -> !relay.typevar<"R">) -> !relay.typevar<"R">) -> !relay.typevar<"R"> attributes {relay.type_params = ["R"]} {
  %f = relay.fn (%x: tensor<i32>, %l: (tensor<i32>) -> !relay.typevar<"R">) -> !relay.typevar<"R"> {
    %0 = relay.call_indirect %l(%x) : (tensor<i32>) -> !relay.typevar<"R">
    relay.yield %0 : !relay.typevar<"R">
  }
  %0 = relay.call_indirect %k(%f) : ((tensor<i32>, (tensor<i32>) -> !relay.typevar<"R">) -> !relay.typevar<"R">) -> !relay.typevar<"R">
  return %0 : !relay.typevar<"R">
}
