"""ResNet on videos."""

from . import resnet
from .init import create_workload


def get_net(batch_size, num_classes, num_layers=50, image_shape=(3, 16, 112, 112),
            layout="NCDHW", dtype="float32"):
    """The network for videos of `image_shape`."""
    data_shape = (batch_size, *image_shape)
    units, filters, bottleneck = resnet.plan(num_layers, data_shape[layout.index("H")])
    return resnet.build(units, filters, num_classes, data_shape, bottleneck, layout, dtype)


def get_workload(batch_size=1, num_classes=1000, num_layers=18, image_shape=(3, 16, 112, 112),
                 layout="NCDHW", dtype="float32"):
    """The network as a module, and its parameters."""
    return create_workload(
        get_net(batch_size, num_classes, num_layers, image_shape, layout, dtype))
