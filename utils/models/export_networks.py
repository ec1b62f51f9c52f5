# This file is licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Networks of PyTorch with random weights, for exports.py: those of torchvision and timm
here, those of transformers in export_transformers.py. PyTorch is only imported when a
network is made."""

import dataclasses
from typing import Any, Callable

import numpy as np

# A size that may be open: a name with the sizes of two runs.
Open = tuple[str, int, int]


@dataclasses.dataclass
class Input:
    """An argument of a network: floats, or integers below `below`, or ones of its type."""
    name: str
    shape: list[int | Open]
    below: int = 0
    is_mask: bool = False

    def sample(self, run, is_open, rng):
        sizes = [size if isinstance(size, int) else size[1 + run if is_open else 1]
                 for size in self.shape]
        if self.is_mask:
            return np.ones(sizes, np.int64)
        if self.below:
            return rng.integers(0, self.below, sizes).astype(np.int64)
        return rng.standard_normal(sizes).astype(np.float32)

    def axes(self):
        return {axis: size[0] for axis, size in enumerate(self.shape) if not isinstance(size, int)}


@dataclasses.dataclass
class Network:
    """`make` gives the module; `unpack` makes a tuple of tensors of what it returns. Its
    arguments are named as `inputs` are if `by_name`, and otherwise in their order."""
    make: Callable[[], Any]
    inputs: list[Input]
    unpack: Callable[[Any], Any] = lambda outputs: outputs
    by_name: bool = False
    opset: int = 18

    def write(self, path, exporter, is_open):
        """Exports it to `path`. The inputs of two runs."""
        import torch
        torch.manual_seed(0)
        rng = np.random.default_rng(0)
        network = self.make().eval()
        # Buffers that are constant at first, such as variances, hide what reads them.
        for name, buffer in network.named_buffers():
            if name.endswith(("running_mean", "running_var")):
                with torch.no_grad():
                    buffer.add_(torch.rand_like(buffer) * 0.5)
        names = [item.name for item in self.inputs]

        class Wrapper(torch.nn.Module):
            def __init__(wrapper):
                super().__init__()
                wrapper.network = network

            def forward(wrapper, *args):
                if self.by_name:
                    return self.unpack(wrapper.network(**dict(zip(names, args))))
                return self.unpack(wrapper.network(*args))

        runs = [{item.name: item.sample(run, is_open, rng) for item in self.inputs}
                for run in (0, 1)]
        args = tuple(torch.from_numpy(runs[0][name]) for name in names)
        axes = {item.name: item.axes() for item in self.inputs} if is_open else {}
        if exporter == "script":
            torch.onnx.export(Wrapper(), args, str(path), dynamo=False, input_names=names,
                              dynamic_axes=axes, opset_version=self.opset)
        else:
            dims: Any = {}
            shapes = tuple({axis: dims.setdefault(name, torch.export.Dim.DYNAMIC)
                            for axis, name in axes.get(item, {}).items()} for item in names)
            # The arguments of a function that takes any number of them are one.
            torch.onnx.export(Wrapper(), args, str(path), dynamo=True, input_names=names,
                              dynamic_shapes=(shapes,) if is_open else None, verbose=False,
                              external_data=False)
        return runs


def _image(channels=3, size=64, batch: int | Open = ("batch", 2, 3)):
    return [Input("image", [batch, channels, size, size])]


def _open_image(low=64, high=96, batch: int | Open = ("batch", 1, 2)):
    return [Input("image", [batch, 3, ("height", low, high), ("width", low + 32, high)])]


def _torchvision(name, **options):
    def make():
        import torchvision
        return torchvision.models.get_model(name, weights=None, **options)
    return make


def _detector(name, size, **options):
    """A detector of one image, which is a list of one."""
    def make():
        import torch
        import torchvision

        class Detector(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.network = torchvision.models.get_model(
                    name, weights=None, weights_backbone=None, num_classes=5, **options)

            def forward(self, image):
                found = self.network([image])[0]
                return tuple(found[key] for key in sorted(found))
        return Detector()
    return Network(make, [Input("image", [3, size, size])])


def _timm(name, **options):
    def make():
        import timm
        return timm.create_model(name, pretrained=False, num_classes=10, **options)
    return make


# Sizes are small: what is compared are numbers.
TORCHVISION = {
    **{name: Network(_torchvision(name, num_classes=10), _image()) for name in [
        "densenet121", "efficientnet_b0", "mnasnet0_5", "mobilenet_v2", "mobilenet_v3_small",
        "regnet_x_400mf", "regnet_y_400mf", "resnet18", "resnext50_32x4d", "shufflenet_v2_x0_5",
        "squeezenet1_1", "swin_t", "swin_v2_t", "convnext_tiny", "efficientnet_v2_s", "vgg11_bn"]},
    "alexnet": Network(_torchvision("alexnet", num_classes=10), _image(size=96)),
    "googlenet": Network(_torchvision("googlenet", num_classes=10, aux_logits=False,
                                      init_weights=False), _image()),
    "inception_v3": Network(_torchvision("inception_v3", num_classes=10, aux_logits=False,
                                         init_weights=False), _image(size=96)),
    "vit_b_32": Network(_torchvision("vit_b_32", num_classes=10, image_size=64), _image()),
    **{f"{name}_open": Network(_torchvision(name, num_classes=10), _open_image())
       for name in ["resnet18", "mobilenet_v3_small", "squeezenet1_1", "shufflenet_v2_x0_5"]},
    **{name: Network(_torchvision(name, weights_backbone=None, num_classes=5), _open_image(),
                     lambda outputs: outputs["out"])
       for name in ["lraspp_mobilenet_v3_large", "deeplabv3_mobilenet_v3_large", "fcn_resnet50"]},
    **{name: Network(_torchvision(name, num_classes=10),
                     [Input("video", [("batch", 1, 2), 3, 8, 32, 32])])
       for name in ["r3d_18", "mc3_18", "r2plus1d_18"]},
    "s3d": Network(_torchvision("s3d", num_classes=10),
                   [Input("video", [("batch", 1, 2), 3, 16, 64, 64])]),
    "ssdlite320_mobilenet_v3_large": _detector("ssdlite320_mobilenet_v3_large", 160),
    **{name: _detector(name, 96, min_size=96, max_size=128) for name in [
        "fasterrcnn_mobilenet_v3_large_320_fpn", "retinanet_resnet50_fpn", "fcos_resnet50_fpn",
        "maskrcnn_resnet50_fpn", "keypointrcnn_resnet50_fpn"]},
}

# A small network of each of timm's files that has one.
TIMM = {
    **{name: Network(_timm(name), _image()) for name in [
        "convmixer_768_32", "convnextv2_atto", "cs3darknet_s", "davit_tiny", "densenet121",
        "dla46_c", "dpn48b", "edgenext_xx_small", "efficientformerv2_s0", "efficientvit_b0",
        "fastvit_t8", "fbnetv3_b", "focalnet_tiny_srf", "gernet_s", "ghostnet_050",
        "ghostnetv2_100", "hardcorenas_a", "hgnetv2_b0", "hrnet_w18_small",
        "inception_next_atto", "lambda_resnet26t", "lcnet_050", "mambaout_femto", "mixnet_s",
        "mobilenetv3_small_050", "mobilenetv4_conv_small_050", "mobileone_s0", "mobilevit_xxs",
        "mobilevitv2_050", "nextvit_small", "nf_resnet26", "poolformerv2_s12", "pvt_v2_b0",
        "regnetx_002", "repghostnet_050", "repvgg_a0", "repvit_m0_9", "res2net50_14w_8s",
        "resnest14d", "resnet10t", "resnetv2_18", "rexnet_100", "selecsls42", "semnasnet_050",
        "shvit_s1", "skresnet18", "spnasnet_100", "starnet_s050", "swiftformer_xs",
        "tf_efficientnet_lite0", "tf_mixnet_s", "tinynet_e", "twins_pcpvt_small", "vovnet39a"]},
    **{name: Network(_timm(name, img_size=size), _image(size=size)) for name, size in [
        ("cait_xxs24_224", 64), ("coat_tiny", 64), ("coatnet_nano_rw_224", 64),
        ("convit_tiny", 64), ("deit_tiny_patch16_224", 64), ("eva02_tiny_patch14_224", 56),
        ("gcvit_xxtiny", 64), ("maxvit_rmlp_pico_rw_256", 64), ("mixer_s32_224", 64),
        ("nest_tiny", 64), ("resmlp_12_224", 64), ("sequencer2d_s", 64),
        ("swin_tiny_patch4_window7_224", 56), ("tnt_s_patch16_224", 64),
        ("vit_tiny_patch16_224", 64), ("xcit_nano_12_p16_224", 64)]},
    "levit_128s": Network(_timm("levit_128s"), _image(size=224)),
    **{f"{name}_open": Network(_timm(name), _open_image()) for name in [
        "convnextv2_atto", "mobilenetv4_conv_small_050", "poolformerv2_s12", "resnet10t",
        "tf_efficientnet_lite0"]},
}


def _recurrent(kind, **options):
    def make():
        import torch

        class Recurrent(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.embed = torch.nn.Embedding(50, 16)
                self.layer = getattr(torch.nn, kind)(16, 24, batch_first=True, **options)
                self.last = torch.nn.Linear(24 * (2 if options.get("bidirectional") else 1), 5)

            def forward(self, tokens):
                return self.last(self.layer(self.embed(tokens))[0])
        return Recurrent()
    return Network(make, [Input("tokens", [("batch", 2, 3), ("length", 7, 11)], below=50)])


def _layers(build, inputs):
    def make():
        import torch
        return build(torch.nn)
    return Network(make, inputs)


def _transformer(nn):
    layer = nn.TransformerEncoderLayer(32, 4, 64, batch_first=True)
    return nn.TransformerEncoder(layer, 2, enable_nested_tensor=False)


# Layers of PyTorch that the others have seldom.
_SEQUENCE = [Input("x", [("batch", 2, 3), ("length", 8, 12), 32])]
LAYERS = {
    "lstm": _recurrent("LSTM"), "gru": _recurrent("GRU"), "rnn": _recurrent("RNN"),
    "lstm_both_ways": _recurrent("LSTM", bidirectional=True, num_layers=2),
    "gru_both_ways": _recurrent("GRU", bidirectional=True, num_layers=2),
    "transformer_encoder": _layers(_transformer, _SEQUENCE),
    "unet": _layers(lambda nn: nn.Sequential(
        nn.Conv2d(3, 16, 3, padding=1), nn.GroupNorm(4, 16), nn.SiLU(), nn.Conv2d(16, 32, 3, 2, 1),
        nn.InstanceNorm2d(32, affine=True), nn.GELU(), nn.Upsample(scale_factor=2, mode="bilinear"),
        nn.Conv2d(32, 12, 3, padding=1), nn.PixelShuffle(2)), _open_image(16, 32)),
    "generator": _layers(lambda nn: nn.Sequential(
        nn.ConvTranspose2d(16, 32, 4), nn.BatchNorm2d(32), nn.ReLU(), nn.ConvTranspose2d(32, 16, 4, 2, 1),
        nn.LeakyReLU(0.2), nn.ConvTranspose2d(16, 3, 4, 2, 1), nn.Tanh()),
        [Input("z", [("batch", 2, 5), 16, 1, 1])]),
    "speech": _layers(lambda nn: nn.Sequential(
        nn.Conv1d(20, 32, 5, 2, 2), nn.BatchNorm1d(32), nn.ReLU(), nn.Conv1d(32, 64, 5, 2, 2, groups=4),
        nn.ReLU(), nn.AdaptiveAvgPool1d(1), nn.Flatten(), nn.Linear(64, 6), nn.LogSoftmax(-1)),
        [Input("x", [("batch", 1, 2), 20, ("frames", 64, 100)])]),
}
