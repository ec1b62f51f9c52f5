"""What a VTA is made of."""

from __future__ import annotations

import itertools
from typing import Iterable, NamedTuple

from .._arguments import expect_int, expect_list


class Config(NamedTuple):
    """A configuration; lanes, and bytes of buffers, are powers of two.

    `batch` rows of `block` inputs are multiplied by `block` rows of weights in a cycle.
    """

    batch: int = 1
    block: int = 16
    uop_buff: int = 1 << 15
    inp_buff: int = 1 << 15
    wgt_buff: int = 1 << 18
    acc_buff: int = 1 << 17

    @property
    def name(self) -> str:
        """As the target "vta -config=" has it: "1x16_i8w8a32_15_15_18_17"."""
        buffers = "_".join(str(size.bit_length() - 1) for size in self[2:])
        return f"{self.batch}x{self.block}_i8w8a32_{buffers}"

    @property
    def scratchpad_bytes(self) -> int:
        """The bytes of all its buffers."""
        return sum(self[2:])

    @property
    def products(self) -> int:
        """How many products of two numbers it computes in a cycle."""
        return self.batch * self.block * self.block


def _powers(values: Iterable[int] | None, name: str) -> list[int]:
    default: int = Config._field_defaults[name]
    found = [default] if values is None else expect_list(values, name, "integers")
    for value in found:
        # Larger ones are no numbers of an instruction; the compiler says which are too large.
        if expect_int(value, name, 1, 1 << 31) & (value - 1):
            raise ValueError(f"expects {name} to be powers of two, but got {value}")
    return list(dict.fromkeys(int(value) for value in found))


def configurations(*, batch: Iterable[int] | None = None, block: Iterable[int] | None = None,
                   uop_buff: Iterable[int] | None = None, inp_buff: Iterable[int] | None = None,
                   wgt_buff: Iterable[int] | None = None,
                   acc_buff: Iterable[int] | None = None) -> list[Config]:
    """Returns the configurations with each of some values for each parameter, as `Config` names
    them; where there are none, with the default. Raises ValueError for what is no power of
    two."""
    choices = [_powers(values, name) for name, values in (
        ("batch", batch), ("block", block), ("uop_buff", uop_buff), ("inp_buff", inp_buff),
        ("wgt_buff", wgt_buff), ("acc_buff", acc_buff))]
    return [Config(*values) for values in itertools.product(*choices)]
