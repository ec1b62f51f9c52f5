"""Schedules written in Python.

Each call of a primitive appends a step to a transform script and applies it to
the kernel at once. The script is the trace: it prints, can be edited, and does
the same to a fresh kernel, here, in `relay-opt --tir-apply-schedules`, and in
`relay-compile --schedules`.
"""

from __future__ import annotations

import functools
import json
import random
from typing import Any, Callable, Sequence, TypeVar, cast

from .. import _relay_mlir
from .._arguments import expect, expect_int, expect_path
from .._compile import IRModule, PathLike
from .._errors import CompileError, DiagnosticError
from ._attributes import (SAMPLED, affine_map, attribute, buffer as buffer_attributes,
                          doubles, element_type, i64, sizes)
from ._build import to_module
from ._signature import check_arguments


# No extent is a product of more factors above 1.
_MAX_FACTORS = 63

F = TypeVar("F", bound=Callable[..., Any])


class ScheduleError(DiagnosticError):
    """A primitive that was refused, because it would change what the kernel
    computes or does not fit its form, with the reason."""


def _schedule_errors(function: F) -> F:
    @functools.wraps(function)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        try:
            return function(*args, **kwargs)
        except ScheduleError:
            raise
        except CompileError as error:
            raised = ScheduleError(str(error))
            raised.location = error.location
            raised.notes = error.notes
            raised.diagnostics = error.diagnostics
            raise raised from None
    return cast(F, wrapper)


class _Handle:
    """A loop or a block of one schedule."""

    def __init__(self, schedule: Schedule, number: int) -> None:
        self._schedule = schedule
        self._number = number

    def _describe(self) -> str:
        return ", ".join(self._schedule._impl.describe(self._number)) or "gone"


H = TypeVar("H", bound=_Handle)


class BlockRV(_Handle):
    """A block of a schedule."""

    def __repr__(self) -> str:
        return f"BlockRV({self._describe()})"


class LoopRV(_Handle):
    """A loop of a schedule."""

    def __repr__(self) -> str:
        return f"LoopRV({self._describe()})"


class ExprRV(_Handle):
    """A number that a schedule has drawn; `split` takes it as a factor."""

    def __repr__(self) -> str:
        return f"ExprRV({self._describe()})"

    def __int__(self) -> int:
        number = self._schedule.get(self)
        if number is None:
            raise ScheduleError("expects a number, but got one that is not drawn yet")
        return number

    __index__ = __int__


@check_arguments()
class TensorIntrin:
    """An intrinsic: what it computes, as a loop nest, and how, as straight code.

    Both are MLIR text of one `tir.prim_func` with the same arguments; see the op
    `transform.tir.tensorize_with` for their form.
    """

    _registered: dict[str, TensorIntrin] = {}

    def __init__(self, desc: str, impl: str) -> None:
        self.desc = desc
        self.impl = impl

    @staticmethod
    def register(name: str, desc: str, impl: str, override: bool = False) -> TensorIntrin:
        """Registers an intrinsic for `Schedule.tensorize`; returns it."""
        if name in TensorIntrin._registered and not override:
            raise ValueError(f"expects a new name, but {name} is registered")
        TensorIntrin._registered[name] = TensorIntrin(desc, impl)
        return TensorIntrin._registered[name]

    @staticmethod
    def get(name: str) -> TensorIntrin:
        """Returns a registered intrinsic; raises ValueError if there is none."""
        if name not in TensorIntrin._registered:
            known = ", ".join(["register_tile", "row_reduction", *TensorIntrin._registered])
            raise ValueError(f"expects one of the intrinsics {known}, but got {name}")
        return TensorIntrin._registered[name]


@check_arguments()
class Trace:
    """A schedule as a script, without a kernel."""

    def __init__(self, text: str) -> None:
        self._text = text

    def __str__(self) -> str:
        return self._text

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Trace) and self._text == other._text

    def __hash__(self) -> int:
        return hash(self._text)

    @staticmethod
    def load(path: PathLike) -> Trace:
        """Reads a script, edited or not, from a file."""
        with open(expect_path(path), encoding="utf-8") as file:
            return Trace(file.read())

    def save(self, path: PathLike) -> None:
        """Writes the script to a file, which `relay-compile --schedules` reads."""
        with open(expect_path(path), "w", encoding="utf-8") as file:
            file.write(self._text)

    def apply_to_schedule(self, sch: Schedule) -> None:
        """Applies all steps to another schedule, after those it has.

        Raises ScheduleError, which names the step, if one is refused; what was
        done before stays done.
        """
        expect(sch, Schedule, "sch", "a Schedule")._replay(self._text)


@check_arguments(BlockRV, LoopRV, ExprRV, Trace)
class Schedule:
    """A kernel, and what was done to it.

    `mod` is an IRModule or MLIR text with a `tir.prim_func`, of which the
    schedule has a copy; `name` chooses one of several, `work_on` another one
    later. A primitive that is refused raises ScheduleError and changes nothing.
    What `sample_...` draw follows from `seed`, and is stored in the steps.
    """

    def __init__(self, mod: IRModule | str, name: str = "", *, seed: int | None = None) -> None:
        self._source = to_module(mod)
        self._impl = _relay_mlir.TIRSchedule(self._source._impl, name)
        if seed is not None:
            expect_int(seed, "seed", 0, 2**63 - 1)
        self._random = random.Random(seed)

    # The schedule itself

    @property
    def mod(self) -> IRModule:
        """The kernel as it is now, as an IRModule."""
        return IRModule(self._impl.module())

    @property
    def trace(self) -> Trace:
        """The steps so far, as a Trace."""
        return Trace(self._impl.script())

    @property
    def name(self) -> str:
        """The name of the kernel."""
        return self._impl.name()

    def show(self) -> None:
        """Prints the kernel and the steps."""
        print(self.mod)
        print(self.trace)

    def copy(self) -> Schedule:
        """Returns a schedule of a fresh kernel with the same steps and decisions.

        What it draws from then on differs from what this one draws.
        """
        other = Schedule(self._source, self.name, seed=self.fork_seed())
        self.trace.apply_to_schedule(other)
        return other

    def work_on(self, func_name: str) -> None:
        """Makes `func_name` the kernel that further steps are for."""
        self._impl.work_on(func_name)

    def seed(self, seed: int | None) -> None:
        """Starts what is drawn from here on anew, from `seed`."""
        self._random = random.Random(seed)

    def fork_seed(self) -> int:
        """Returns a seed for another schedule."""
        return self._random.getrandbits(63)

    def get(self, rand_var: ExprRV) -> int | None:
        """The number that an ExprRV stands for."""
        return self._impl.number(self._number(rand_var))

    @_schedule_errors
    def _replay(self, text: str) -> None:
        self._impl.replay(text)

    def _number(self, handle: _Handle) -> int:
        if handle._schedule is not self:
            raise ValueError("expects a loop or block of this schedule, but got "
                             "one of another")
        return handle._number

    @_schedule_errors
    def _apply(self, op: str, operands: Sequence[_Handle] = (), results: int = 0,
               result_type: type[_Handle] = LoopRV, **attributes: Any) -> list[Any]:
        numbers = [self._number(operand) for operand in operands]
        created = self._impl.apply(f"transform.tir.{op}", numbers, attributes, results)
        return [result_type(self, number) for number in created]

    @_schedule_errors
    def _query(self, op: str, number: int, result_type: type[H], **attributes: Any) -> list[H]:
        return [result_type(self, result)
                for result in self._impl.query(f"transform.tir.{op}", number, attributes)]

    # Queries

    @_schedule_errors
    def get_block(self, name: str) -> BlockRV:
        """The block called `name`."""
        number, = self._impl.apply("transform.tir.get_block", [0],
                                   {"name": json.dumps(name)}, 1)
        return BlockRV(self, number)

    def get_loops(self, block: BlockRV) -> list[LoopRV]:
        """The loops around a block, outermost first."""
        return self._query("get_loops", self._number(block), LoopRV)

    def get_child_blocks(self, loop: LoopRV) -> list[BlockRV]:
        """The blocks in a loop."""
        return self._query("get_child_blocks", self._number(loop), BlockRV)

    def get_producers(self, block: BlockRV) -> list[BlockRV]:
        """The blocks that write what a block reads."""
        return self._query("get_producers", self._number(block), BlockRV)

    def get_consumers(self, block: BlockRV) -> list[BlockRV]:
        """The blocks that read what a block writes."""
        return self._query("get_consumers", self._number(block), BlockRV)

    def get_output_blocks(self) -> list[BlockRV]:
        """The blocks that write outputs of the kernel."""
        return self._query("get_output_blocks", 0, BlockRV)

    # Samples

    def _sample(self, op: str, operands: Sequence[_Handle], results: int, result_type: type[H],
                decision: Any, **attributes: Any) -> list[Any]:
        if decision is None:
            attributes["seed"] = i64(self.fork_seed())
        else:
            is_list = isinstance(decision, (list, tuple))
            attributes["decision"] = sizes(decision) if is_list else i64(decision)
        return self._apply(op, operands, results, result_type, **attributes)

    def sample_categorical(self, candidates: Sequence[int], probs: Sequence[float],
                           decision: int | None = None) -> ExprRV:
        """Draws one of `candidates`; `decision` is the place of one instead."""
        return self._sample("sample_categorical", [], 1, ExprRV, decision,
                            candidates=sizes(candidates),
                            probabilities=doubles(probs))[0]

    def sample_perfect_tile(self, loop: LoopRV, n: int, max_innermost_factor: int = 16,
                            decision: Sequence[int] | None = None) -> list[ExprRV]:
        """Draws `n` factors, the last at most `max_innermost_factor`, whose product
        is the extent of a loop."""
        expect_int(n, "n", 1, _MAX_FACTORS)
        return self._sample("sample_perfect_tile", [loop], n, ExprRV, decision,
                            max_innermost=i64(max_innermost_factor))

    def sample_partitioned_tile(self, loop: LoopRV, n: int, partition_pos: int = 0,
                                innerpart_factor: int = 1,
                                decision: Sequence[int] | None = None) -> list[ExprRV]:
        """Draws `n` factors of a loop; those from `partition_pos` on make up a
        multiple of `innerpart_factor`."""
        expect_int(n, "n", 1, _MAX_FACTORS)
        return self._sample("sample_partitioned_tile", [loop], n, ExprRV, decision,
                            partition=i64(partition_pos), inner=i64(innerpart_factor))

    def sample_compute_location(self, block: BlockRV, decision: int | None = None) -> LoopRV:
        """Draws where `compute_at` can move a block: the number of a loop around its
        first reader, -1 for where it is, -2 for inline. `compute_at` takes it."""
        return self._sample("sample_compute_location", [block], 1, LoopRV, decision)[0]

    def enter_postproc(self) -> None:
        """Marks where choices end and clean-up begins."""
        self._apply("enter_postproc")

    # Loops

    def split(self, loop: LoopRV, factors: Sequence[int | ExprRV | None], *,
              tail: str = "predicate") -> list[LoopRV]:
        """Splits a loop into one for each factor, outermost first.

        One factor may be None: it follows from the others; factors that were
        sampled may be among them. What is left over is guarded, or with
        `tail="partition"` runs in a loop of its own, which is one more result.
        """
        sampled = [factor for factor in factors if isinstance(factor, ExprRV)]
        values = [SAMPLED if isinstance(factor, ExprRV) else factor for factor in factors]
        attributes: dict[str, Any] = {"factors": sizes(values), "tail": json.dumps(tail)}
        return self._apply("split", [loop, *sampled], len(factors) + (tail == "partition"),
                           **attributes)

    def loop_partition(self, loop: LoopRV, factors: Sequence[int | None]) -> list[LoopRV]:
        """Runs consecutive parts of a loop, of the given extents, one after the other."""
        return self._apply("loop_partition", [loop], len(factors),
                           sizes=sizes(factors))

    def fuse(self, *loops: LoopRV) -> LoopRV:
        """Fuses nested loops, outermost first."""
        return self._apply("fuse", loops, 1)[0]

    def merge(self, *loops: LoopRV) -> LoopRV:
        """Runs the bodies of neighbouring loops in one loop."""
        return self._apply("merge", loops, 1)[0]

    def reorder(self, *loops: LoopRV) -> None:
        """Brings loops of one nest into the given order."""
        self._apply("reorder", loops)

    def reverse(self, loop: LoopRV) -> None:
        """Runs a loop from its last iteration to its first."""
        self._apply("reverse", [loop])

    def add_unit_loop(self, block_or_loop: BlockRV | LoopRV) -> LoopRV:
        """Puts a loop that runs once around a block or a loop."""
        return self._apply("add_unit_loop", [block_or_loop], 1)[0]

    def parallel(self, loop: LoopRV) -> None:
        """Runs iterations on several threads."""
        self._apply("parallel", [loop])

    def vectorize(self, loop: LoopRV) -> None:
        """Runs iterations in vector lanes."""
        self._apply("vectorize", [loop])

    def unroll(self, loop: LoopRV) -> None:
        """Unrolls a loop."""
        self._apply("unroll", [loop])

    def bind(self, loop: LoopRV, thread_axis: str) -> None:
        """Binds a loop to a hardware index, such as "threadIdx.x"."""
        self._apply("bind", [loop], tag=json.dumps(thread_axis))

    # Where a block is computed

    def compute_at(self, block: BlockRV, loop: LoopRV) -> None:
        """Computes in a loop what its blocks need of a block."""
        self._apply("compute_at", [block, loop])

    def reverse_compute_at(self, block: BlockRV, loop: LoopRV) -> None:
        """Consumes in a loop what its blocks produce."""
        self._apply("reverse_compute_at", [block, loop])

    def compute_inline(self, block: BlockRV) -> None:
        """Computes a block's element where it is read."""
        self._apply("compute_inline", [block])

    def reverse_compute_inline(self, block: BlockRV) -> None:
        """Applies an elementwise block in its producer."""
        self._apply("reverse_compute_inline", [block])

    # Buffers

    def cache_read(self, block: BlockRV, read_buffer_index: int, storage_scope: str) -> BlockRV:
        """Lets a block read a copy of a buffer; returns the block that copies."""
        return self._apply("cache_read", [block], 1, BlockRV,
                           index=i64(read_buffer_index), scope=json.dumps(storage_scope))[0]

    def cache_write(self, block: BlockRV, write_buffer_index: int, storage_scope: str) -> BlockRV:
        """Lets a block write to a copy of a buffer; returns the block that copies."""
        return self._apply("cache_write", [block], 1, BlockRV,
                           index=i64(write_buffer_index), scope=json.dumps(storage_scope))[0]

    def cache_inplace(self, block: BlockRV, buffer_index: int,
                      storage_scope: str) -> list[BlockRV]:
        """Lets a block update a copy of a buffer; returns the blocks that copy in and out."""
        return self._apply("cache_inplace", [block], 2, BlockRV,
                           index=i64(buffer_index), scope=json.dumps(storage_scope))

    def read_at(self, loop: LoopRV, block: BlockRV, read_buffer_index: int,
                storage_scope: str) -> BlockRV:
        """cache_read in a loop."""
        return self._apply("read_at", [loop, block], 1, BlockRV,
                           index=i64(read_buffer_index), scope=json.dumps(storage_scope))[0]

    def write_at(self, loop: LoopRV, block: BlockRV, write_buffer_index: int,
                 storage_scope: str) -> BlockRV:
        """cache_write in a loop."""
        return self._apply("write_at", [loop, block], 1, BlockRV,
                           index=i64(write_buffer_index), scope=json.dumps(storage_scope))[0]

    def reindex(self, block: BlockRV, buffer: tuple[str, int]) -> BlockRV:
        """Lays a buffer, ("read", i) or ("write", i), out by the block's variables."""
        return self._apply("reindex", [block], 1, BlockRV, **buffer_attributes(buffer))[0]

    def reindex_cache_read(self, block: BlockRV, read_buffer_index: int, storage_scope: str,
                           index_map: Callable[..., Any]) -> BlockRV:
        """Lets a block read a copy with a layout that `index_map` gives over the
        variables that index the buffer."""
        return self._apply("reindex_cache_read", [block], 1, BlockRV,
                           index=i64(read_buffer_index), scope=json.dumps(storage_scope),
                           layout=affine_map(index_map))[0]

    def reindex_cache_write(self, block: BlockRV, write_buffer_index: int, storage_scope: str,
                            index_map: Callable[..., Any]) -> BlockRV:
        """Lets a block write to a copy, likewise."""
        return self._apply("reindex_cache_write", [block], 1, BlockRV,
                           index=i64(write_buffer_index), scope=json.dumps(storage_scope),
                           layout=affine_map(index_map))[0]

    def cache_index(self, block: BlockRV, storage_scope: str,
                    cse_thresh: int = 0) -> list[BlockRV]:
        """Reads computed indices, those that occur at least `cse_thresh` times, from
        tables; returns the blocks that fill them."""
        return self._query("cache_index", self._number(block), BlockRV,
                           scope=json.dumps(storage_scope), min_uses=i64(cse_thresh))

    def rolling_buffer(self, block: BlockRV, write_buffer_index: int) -> None:
        """Keeps what the windows of consecutive iterations share."""
        self._apply("rolling_buffer", [block],
                    index=i64(write_buffer_index))

    def transform_layout(self, block: BlockRV, buffer: tuple[str, int],
                         index_map: Callable[..., Any]) -> None:
        """Changes the layout of a buffer: `lambda n, c: (n, c // 16, c % 16)`."""
        self._apply("transform_layout", [block],
                    layout=affine_map(index_map), **buffer_attributes(buffer))

    def transform_block_layout(self, block: BlockRV, index_map: Callable[..., Any]) -> None:
        """Changes the variables, and with them the loops, of a block:
        `lambda i, j: (i * 16 + j,)`."""
        self._apply("transform_block_layout", [block],
                    layout=affine_map(index_map))

    def set_axis_separator(self, block: BlockRV, buffer: tuple[str, int],
                           axis_separators: Sequence[int]) -> None:
        """Makes one dimension of each group of dimensions of a buffer; a separator is
        the first dimension of a group."""
        self._apply("set_axis_separator", [block],
                    separators=sizes(axis_separators), **buffer_attributes(buffer))

    def unsafe_set_dtype(self, block: BlockRV, buffer_index: int, dtype: Any) -> None:
        """Stores a written buffer in another type, with rounding."""
        self._apply("unsafe_set_dtype", [block], index=i64(buffer_index),
                    dtype=element_type(dtype))

    def set_scope(self, block: BlockRV, buffer: tuple[str, int] | int, storage_scope: str) -> None:
        """Moves an intermediate buffer, ("read", i), ("write", i), or the written
        one of that number, to another scope."""
        buffer = buffer if isinstance(buffer, (tuple, list)) else ("write", buffer)
        self._apply("set_scope", [block],
                    scope=json.dumps(storage_scope), **buffer_attributes(buffer))

    def storage_align(self, block: BlockRV, buffer_index: int, axis: int, factor: int,
                      offset: int) -> None:
        """Sets the distance along `axis` of a written buffer to `offset` modulo `factor`."""
        self._apply("storage_align", [block], index=i64(buffer_index),
                    axis=i64(axis), factor=i64(factor), offset=i64(offset))

    def pad_einsum(self, block: BlockRV, padding: Sequence[int]) -> None:
        """Rounds the domain of a contraction up to multiples of `padding`."""
        self._apply("pad_einsum", [block], padding=sizes(padding))

    def decompose_padding(self, block: BlockRV, loop: LoopRV) -> BlockRV:
        """Fills with the constant first; returns the block that does."""
        return self._apply("decompose_padding", [block, loop], 1, BlockRV)[0]

    # Reductions and blocks

    def decompose_reduction(self, block: BlockRV, loop: LoopRV) -> BlockRV:
        """Moves the init of a reduction before a loop; returns its block."""
        return self._apply("decompose_reduction", [block, loop], 1, BlockRV)[0]

    def rfactor(self, loop: LoopRV, factor_axis: int) -> BlockRV:
        """Reduces with partial results; returns the block that computes them."""
        return self._apply("rfactor", [loop], 1, BlockRV,
                           axis=i64(factor_axis))[0]

    def reorder_block_iter_var(self, block: BlockRV, new_order: Sequence[int]) -> None:
        """Brings the iteration variables of a block into an order."""
        self._apply("reorder_block_iter_var", [block],
                    order=sizes(new_order))

    def blockize(self, loop: LoopRV) -> BlockRV:
        """Makes one block of a loop nest; returns it."""
        return self._apply("blockize", [loop], 1, BlockRV)[0]

    @_schedule_errors
    def tensorize(self, loop: LoopRV, intrin: str, *, vector_bits: int = 256) -> BlockRV:
        """Replaces a nest by an intrinsic: "register_tile", "row_reduction", or
        the name of a TensorIntrin. Returns the block that takes its place."""
        if intrin in ("register_tile", "row_reduction"):
            return self._apply("tensorize", [loop], 1, BlockRV,
                               intrinsic=json.dumps(intrin), vector_bits=i64(vector_bits))[0]
        registered = TensorIntrin.get(intrin)
        names = {"intrinsic": f"{intrin}.description",
                 "implementation": f"{intrin}.implementation"}
        for text, name in zip((registered.desc, registered.impl), names.values()):
            self._impl.add_intrinsic(text, name)
        return self._apply("tensorize_with", [loop], 1, BlockRV,
                           **{key: f"@{json.dumps(name)}" for key, name in names.items()})[0]

    def matrix_tiles(self, block: BlockRV, unit: str, tile: Sequence[int], panel_rows: int, *,
                     pieces: int = 1, vector_bits: int = 0, swap: bool = False,
                     merge_window: bool = False, parallel: bool = False) -> None:
        """Computes a sum of products by tiles: of "amx", or by "pmaddwd", "pmaddubsw",
        "vpdpbusd" or "dotprod" on vectors of `vector_bits`. `tile` has rows and columns;
        `panel_rows` rows of the data are copied at a time. A float is made up of
        `pieces` bf16. With `swap` the left operand has the columns."""
        flags: dict[str, Any] = {
            name: "unit" for name, value in (("swap", swap), ("merge_window", merge_window),
                                             ("parallel", parallel)) if value}
        self._apply("matrix_tiles", [block], unit=json.dumps(unit),
                    tile=sizes(tile), panel_rows=i64(panel_rows), pieces=i64(pieces),
                    vector_bits=i64(vector_bits), **flags)

    def narrow_weights(self, block: BlockRV, buffer_index: int) -> None:
        """Stores a packed constant that only this block reads as bf16."""
        self._apply("narrow_weights", [block], index=i64(buffer_index))

    def annotate(self, block_or_loop: BlockRV | LoopRV, ann_key: str, ann_val: Any) -> None:
        """Sets a new annotation."""
        self._apply("annotate", [block_or_loop], name=json.dumps(ann_key),
                    value=attribute(ann_val))

    def unannotate(self, block_or_loop: BlockRV | LoopRV, ann_key: str) -> None:
        """Removes an annotation."""
        self._apply("unannotate", [block_or_loop], name=json.dumps(ann_key))

    # Clean-up

    @_schedule_errors
    def compact_buffers(self, max_local_bytes: int = 65536) -> None:
        """Shrinks intermediate buffers to what one iteration uses."""
        self._impl.apply("transform.tir.compact_buffers", [0],
                         {"max_local_bytes": i64(max_local_bytes)}, 0)

    @_schedule_errors
    def simplify(self) -> None:
        """Simplifies indices, guards and trivial loops."""
        self._impl.apply("transform.tir.simplify", [0], {}, 0)
