"""The classes that attributes of operators have in JSON."""

# Without "relay.attrs.", and the operators of each.
_CLASSES = """
AdaptivePool1DAttrs: nn.adaptive_avg_pool1d nn.adaptive_max_pool1d
AdaptivePool2DAttrs: nn.adaptive_avg_pool2d nn.adaptive_max_pool2d
AdaptivePool3DAttrs: nn.adaptive_avg_pool3d nn.adaptive_max_pool3d
AffineGridAttrs: image.affine_grid
AllClassNonMaximumSuppressionAttrs: vision.all_class_non_max_suppression
AllocStorageAttrs: memory.alloc_storage
AllocTensorAttrs: memory.alloc_tensor
ArangeAttrs: arange
ArgReduceAttrs: argmax argmin
ArgsortAttrs: argsort sort
AutoSchedulerLayoutTransformAttrs: auto_scheduler_layout_transform
AvgPool1DAttrs: nn.avg_pool1d
AvgPool2DAttrs: nn.avg_pool2d qnn.avg_pool2d
AvgPool3DAttrs: nn.avg_pool3d
BatchMatmulAttrs: nn.batch_matmul qnn.batch_matmul
BatchNormAttrs: nn.batch_norm
BatchToSpaceNDAttrs: nn.batch_to_space_nd
BiasAddAttrs: nn.bias_add
BinaryConv2DAttrs: nn.bitserial_conv2d
BinaryDenseAttrs: nn.bitserial_dense
BitPackAttrs: nn.bitpack
BroadcastAttrs: qnn.add qnn.mul qnn.subtract
CallLoweredAttrs: call_lowered
CastAttrs: cast reinterpret
CastHintAttrs: annotation.cast_hint
ClipAttrs: clip
CompilerAttrs: annotation.compiler_begin annotation.compiler_end
ConcatenateAttrs: concatenate qnn.concatenate
Conv1DAttrs: nn.conv1d
Conv1DTransposeAttrs: nn.conv1d_transpose
Conv2DAttrs: nn.contrib_conv2d_NCHWc nn.contrib_conv2d_gemm_without_weight_transform
    nn.contrib_depthwise_conv2d_NCHWc nn.conv2d nn.conv2d_backward_weight qnn.conv2d
Conv2DTransposeAttrs: nn.conv2d_transpose qnn.conv2d_transpose
Conv2DWinogradAttrs: nn.contrib_conv2d_winograd_without_weight_transform
Conv2DWinogradNNPACKWeightTransformAttrs: nn.contrib_conv2d_winograd_nnpack_weight_transform
Conv3DAttrs: nn.conv3d
Conv3DTransposeAttrs: nn.conv3d_transpose
Conv3DWinogradAttrs: nn.contrib_conv3d_winograd_without_weight_transform
ConvGemmWeightTransformAttrs: nn.contrib_conv2d_gemm_weight_transform
ConvWinogradWeightTransformAttrs: nn.contrib_conv2d_winograd_weight_transform
    nn.contrib_conv3d_winograd_weight_transform
CorrelationAttrs: nn.correlation
CropAndResizeAttrs: image.crop_and_resize
DFTAttrs: dft
DebugAttrs: debug
DeformableConv2DAttrs: nn.deformable_conv2d
DenseAttrs: nn.contrib_dense_pack nn.dense qnn.dense
DensePackAttrs: qnn.contrib_dense_pack
DequantizeAttrs: qnn.dequantize qnn.simulated_dequantize
DeviceCopyAttrs: device_copy
DilateAttrs: nn.dilate
Dilation2DAttrs: image.dilation2d
DropoutAttrs: nn.dropout
DynExpandDimsAttrs: dyn.expand_dims
EinsumAttrs: einsum
EthosuBinaryElementwiseAttrs: contrib.ethosu.binary_elementwise
EthosuConv2DAttrs: contrib.ethosu.conv2d
EthosuDepthwiseConv2DAttrs: contrib.ethosu.depthwise_conv2d
EthosuIdentityAttrs: contrib.ethosu.identity
EthosuPoolingAttrs: contrib.ethosu.pooling
EthosuUnaryElementwiseAttrs: contrib.ethosu.unary_elementwise
ExpandDimsAttrs: expand_dims
FIFOBufferAttrs: nn.fifo_buffer
FixedPointMultiplyAttrs: fixed_point_multiply
FixedPointMultiplyPerAxisAttrs: fixed_point_multiply_per_axis
GatherAttrs: gather
GatherNDAttrs: gather_nd
GetValidCountsAttrs: vision.get_valid_counts
GlobalPool2DAttrs: nn.global_avg_pool2d nn.global_max_pool2d
GridSampleAttrs: image.grid_sample
GroupNormAttrs: nn.group_norm
InitOpAttrs: broadcast_to dyn.broadcast_to dyn.full dyn.ones dyn.zeros full ones zeros
InstanceNormAttrs: nn.instance_norm
L2NormalizeAttrs: nn.l2_normalize
LRNAttrs: nn.lrn
LayerNormAttrs: nn.layer_norm
LayoutTransformAttrs: layout_transform
LeakyReluAttrs: nn.leaky_relu qnn.leaky_relu
MatmulAttrs: nn.matmul
MatrixSetDiagAttrs: matrix_set_diag
MaxPool1DAttrs: nn.max_pool1d
MaxPool2DAttrs: nn.avg_pool2d_grad nn.max_pool2d nn.max_pool2d_grad
MaxPool3DAttrs: nn.max_pool3d
MeshgridAttrs: meshgrid
MetaRefAttrs: parser.MetaRef
MetaScheduleLayoutTransformAttrs: meta_schedule_layout_transform
MirrorPadAttrs: nn.mirror_pad
MultiBoxPriorAttrs: vision.multibox_prior
MultiBoxTransformLocAttrs: vision.multibox_transform_loc
MultinomialAttrs: random.multinomial
NLLLossAttrs: nn.nll_loss
NdarraySizeAttrs: ndarray_size
NonMaximumSuppressionAttrs: vision.non_max_suppression
NormalAttrs: random.normal
OnDeviceAttrs: on_device
OneHotAttrs: dyn.one_hot one_hot
PReluAttrs: nn.prelu
PadAttrs: dyn.nn.pad nn.pad
ProposalAttrs: vision.proposal
QuantizeAttrs: qnn.quantize
ROIAlignAttrs: vision.roi_align
ROIPoolAttrs: vision.roi_pool
ReduceAttrs: all any max mean min prod sum
RepeatAttrs: repeat
RequantizeAttrs: qnn.requantize
ReshapeAttrs: contrib_reverse_reshape dyn.reshape reshape
ReshapeLikeAttrs: reshape_like
ReshapeTensorAttrs: vm.reshape_tensor
Resize1DAttrs: image.resize1d
Resize2DAttrs: dyn.image.resize2d image.resize2d
Resize3DAttrs: image.resize3d
ReverseAttrs: reverse
ReverseSequenceAttrs: reverse_sequence
ScanopAttrs: cumprod cumsum
ScatterElementsAttrs: scatter_elements
ScatterNDAttrs: scatter_nd
SearchSortedAttrs: searchsorted
SequenceMaskAttrs: sequence_mask
ShapeOfAttrs: shape_of vm.shape_of
SimulatedQuantizeAttrs: qnn.simulated_quantize relay.op.annotation.simulated_quantize
SliceLikeAttrs: slice_like
SlidingWindowAttrs: sliding_window
SoftmaxAttrs: nn.fast_softmax nn.log_softmax nn.softmax qnn.softmax
SpaceToBatchNDAttrs: nn.space_to_batch_nd
SparseConv2DAttrs: nn.sparse_conv2d
SparseDenseAttrs: nn.internal.sparse_dense_padded nn.sparse_dense
SparseToDenseAttrs: sparse_to_dense
SplitAttrs: split
SqueezeAttrs: dyn.squeeze squeeze
StackAttrs: stack
StftAttrs: stft
StridedSliceAttrs: dyn.strided_slice strided_slice
SubPixelAttrs: nn.depth_to_space nn.space_to_depth
TakeAttrs: take
ThreefryGenerateAttrs: random.threefry_generate
TileAttrs: dyn.tile tile
TopkAttrs: dyn.topk topk
TransposeAttrs: transpose
TriluAttrs: trilu
UniformAttrs: random.uniform
UniqueAttrs: unique
UpSampling3DAttrs: dyn.nn.upsampling3d nn.upsampling3d
UpSamplingAttrs: dyn.nn.upsampling nn.upsampling
VarianceAttrs: variance
YoloReorgAttrs: vision.yolo_reorg
"""


def _read() -> dict[str, str]:
    classes = {}
    key = ""
    for line in _CLASSES.splitlines():
        if not line.startswith(" "):
            key, _, line = line.partition(":")
        for name in line.split():
            classes[name] = "relay.attrs." + key
    return classes


ATTRS_CLASSES = _read()
