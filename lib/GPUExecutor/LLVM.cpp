#include "Builder.h"
void mlir::relay::gpu_executor::populateLLVMLowerings(LoweringTable &) {}
