"""Schedules written in Python.

Each call of a primitive appends a step to a transform script and applies it to
the kernel at once. The script is the trace: it prints, can be edited, and does
the same to a fresh kernel, here, in `relay-opt --tir-apply-schedules`, and in
`relay-compile --schedules`.
"""

import functools
import json
import operator
import random

from .. import _relay_mlir
from .._compile import IRModule
from .._errors import CompileError, DiagnosticError
from ._attributes import (SAMPLED, affine_map, attribute, buffer as buffer_attributes,
                          doubles, element_type, i64, sizes)
from ._build import to_module


class ScheduleError(DiagnosticError):
    """A primitive that was refused, because it would change what the kernel
    computes or does not fit its form, with the reason."""


def _schedule_errors(function):
    @functools.wraps(function)
    def wrapper(*args, **kwargs):
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
    return wrapper


class _Handle:
    """A loop or a block of one schedule."""

    def __init__(self, schedule, number):
        self._schedule = schedule
        self._number = number

    def _describe(self):
        return ", ".join(self._schedule._impl.describe(self._number)) or "gone"


class BlockRV(_Handle):
    """A block of a schedule."""

    def __repr__(self):
        return f"BlockRV({self._describe()})"


class LoopRV(_Handle):
    """A loop of a schedule."""

    def __repr__(self):
        return f"LoopRV({self._describe()})"


class ExprRV(_Handle):
    """A number that a schedule has drawn; `split` takes it as a factor."""

    def __repr__(self):
        return f"ExprRV({self._describe()})"

    def __int__(self):
        return self._schedule.get(self)

    __index__ = __int__


class TensorIntrin:
    """An intrinsic: what it computes, as a loop nest, and how, as straight code.

    Both are MLIR text of one `tir.prim_func` with the same arguments; see the op
    `transform.tir.tensorize_with` for their form.
    """

    _registered = {}

    def __init__(self, desc, impl):
        self.desc = desc
        self.impl = impl

    @staticmethod
    def register(name, desc, impl, override=False):
        """Registers an intrinsic for `Schedule.tensorize`; returns it."""
        if name in TensorIntrin._registered and not override:
            raise ValueError(f"expects a new name, but {name} is registered")
        TensorIntrin._registered[name] = TensorIntrin(desc, impl)
        return TensorIntrin._registered[name]

    @staticmethod
    def get(name):
        """Returns a registered intrinsic; raises ValueError if there is none."""
        if name not in TensorIntrin._registered:
            known = ", ".join(["register_tile", "row_reduction", *TensorIntrin._registered])
            raise ValueError(f"expects one of the intrinsics {known}, but got {name}")
        return TensorIntrin._registered[name]


class Trace:
    """A schedule as a script, without a kernel."""

    def __init__(self, text):
        self._text = text

    def __str__(self):
        return self._text

    def __eq__(self, other):
        return isinstance(other, Trace) and self._text == other._text

    def __hash__(self):
        return hash(self._text)

    @staticmethod
    def load(path):
        """Reads a script, edited or not, from a file."""
        with open(path, encoding="utf-8") as file:
            return Trace(file.read())

    def save(self, path):
        """Writes the script to a file, which `relay-compile --schedules` reads."""
        with open(path, "w", encoding="utf-8") as file:
            file.write(self._text)

    def apply_to_schedule(self, sch):
        """Applies all steps to another schedule, after those it has.

        Raises ScheduleError, which names the step, if one is refused; what was
        done before stays done.
        """
        sch._replay(self._text)


class Schedule:
    """A kernel, and what was done to it.

    `mod` is an IRModule or MLIR text with a `tir.prim_func`, of which the
    schedule has a copy; `name` chooses one of several, `work_on` another one
    later. A primitive that is refused raises ScheduleError and changes nothing.
    What `sample_...` draw follows from `seed`, and is stored in the steps.
    """

    def __init__(self, mod, name="", *, seed=None):
        self._source = to_module(mod)
        self._impl = _relay_mlir.TIRSchedule(self._source._impl, name)
        if seed is not None and not 0 <= operator.index(seed) < 2**63:
            raise ValueError(f"expects a seed from 0 to 2**63 - 1, but got {seed}")
        self._random = random.Random(seed)

    # The schedule itself

    @property
    def mod(self):
        """The kernel as it is now, as an IRModule."""
        return IRModule(self._impl.module())

    @property
    def trace(self):
        """The steps so far, as a Trace."""
        return Trace(self._impl.script())

    @property
    def name(self):
        """The name of the kernel."""
        return self._impl.name()

    def show(self):
        """Prints the kernel and the steps."""
        print(self.mod)
        print(self.trace)

    def copy(self):
        """Returns a schedule of a fresh kernel with the same steps and decisions.

        What it draws from then on differs from what this one draws.
        """
        other = Schedule(self._source, self.name, seed=self.fork_seed())
        self.trace.apply_to_schedule(other)
        return other

    def work_on(self, func_name):
        """Makes `func_name` the kernel that further steps are for."""
        self._impl.work_on(func_name)

    def seed(self, seed):
        """Starts what is drawn from here on anew, from `seed`."""
        self._random = random.Random(seed)

    def fork_seed(self):
        """Returns a seed for another schedule."""
        return self._random.getrandbits(63)

    def get(self, rand_var):
        """The number that an ExprRV stands for."""
        return self._impl.number(self._number(rand_var, ExprRV))

    @_schedule_errors
    def _replay(self, text):
        self._impl.replay(text)

    def _number(self, handle, kind=_Handle):
        if not isinstance(handle, kind):
            raise TypeError(f"expects a {kind.__name__.strip('_')}, but got {handle!r}")
        if handle._schedule is not self:
            raise ValueError("expects a loop or block of this schedule, but got "
                             "one of another")
        return handle._number

    @_schedule_errors
    def _apply(self, op, operands=(), results=0, result_type=LoopRV, kinds=None, **attributes):
        numbers = []
        for i, operand in enumerate(operands):
            kind = kinds[min(i, len(kinds) - 1)] if kinds else _Handle
            numbers.append(self._number(operand, kind))
        created = self._impl.apply(f"transform.tir.{op}", numbers, attributes, results)
        return [result_type(self, number) for number in created]

    @_schedule_errors
    def _query(self, op, number, result_type, **attributes):
        return [result_type(self, result)
                for result in self._impl.query(f"transform.tir.{op}", number, attributes)]

    # Queries

    @_schedule_errors
    def get_block(self, name):
        """The block called `name`."""
        number, = self._impl.apply("transform.tir.get_block", [0],
                                   {"name": json.dumps(name)}, 1)
        return BlockRV(self, number)

    def get_loops(self, block):
        """The loops around a block, outermost first."""
        return self._query("get_loops", self._number(block, BlockRV), LoopRV)

    def get_child_blocks(self, loop):
        """The blocks in a loop."""
        return self._query("get_child_blocks", self._number(loop, LoopRV), BlockRV)

    def get_producers(self, block):
        """The blocks that write what a block reads."""
        return self._query("get_producers", self._number(block, BlockRV), BlockRV)

    def get_consumers(self, block):
        """The blocks that read what a block writes."""
        return self._query("get_consumers", self._number(block, BlockRV), BlockRV)

    def get_output_blocks(self):
        """The blocks that write outputs of the kernel."""
        return self._query("get_output_blocks", 0, BlockRV)

    # Samples

    def _sample(self, op, operands, results, result_type, decision, **attributes):
        seed = {} if decision is not None else {"seed": i64(self.fork_seed())}
        if decision is not None:
            is_list = isinstance(decision, (list, tuple))
            attributes["decision"] = sizes(decision) if is_list else i64(decision)
        return self._apply(op, operands, results, result_type, **attributes, **seed)

    def sample_categorical(self, candidates, probs, decision=None):
        """Draws one of `candidates`; `decision` is the place of one instead."""
        return self._sample("sample_categorical", [], 1, ExprRV, decision,
                            candidates=sizes(candidates),
                            probabilities=doubles(probs))[0]

    def sample_perfect_tile(self, loop, n, max_innermost_factor=16, decision=None):
        """Draws `n` factors, the last at most `max_innermost_factor`, whose product
        is the extent of a loop."""
        return self._sample("sample_perfect_tile", [loop], n, ExprRV, decision,
                            max_innermost=i64(max_innermost_factor))

    def sample_partitioned_tile(self, loop, n, partition_pos=0, innerpart_factor=1,
                                decision=None):
        """Draws `n` factors of a loop; those from `partition_pos` on make up a
        multiple of `innerpart_factor`."""
        return self._sample("sample_partitioned_tile", [loop], n, ExprRV, decision,
                            partition=i64(partition_pos), inner=i64(innerpart_factor))

    def sample_compute_location(self, block, decision=None):
        """Draws where `compute_at` can move a block: the number of a loop around its
        first reader, -1 for where it is, -2 for inline. `compute_at` takes it."""
        return self._sample("sample_compute_location", [block], 1, LoopRV, decision)[0]

    def enter_postproc(self):
        """Marks where choices end and clean-up begins."""
        self._apply("enter_postproc")

    # Loops

    def split(self, loop, factors, *, tail="predicate"):
        """Splits a loop into one for each factor, outermost first.

        One factor may be None: it follows from the others; factors that were
        sampled may be among them. What is left over is guarded, or with
        `tail="partition"` runs in a loop of its own, which is one more result.
        """
        sampled = [factor for factor in factors if isinstance(factor, ExprRV)]
        values = [SAMPLED if isinstance(factor, ExprRV) else factor for factor in factors]
        attributes = {"factors": sizes(values), "tail": json.dumps(tail)}
        return self._apply("split", [loop, *sampled], len(factors) + (tail == "partition"),
                           kinds=[LoopRV, ExprRV], **attributes)

    def loop_partition(self, loop, factors):
        """Runs consecutive parts of a loop, of the given extents, one after the other."""
        return self._apply("loop_partition", [loop], len(factors), kinds=[LoopRV],
                           sizes=sizes(factors))

    def fuse(self, *loops):
        """Fuses nested loops, outermost first."""
        return self._apply("fuse", loops, 1, kinds=[LoopRV])[0]

    def merge(self, *loops):
        """Runs the bodies of neighbouring loops in one loop."""
        return self._apply("merge", loops, 1, kinds=[LoopRV])[0]

    def reorder(self, *loops):
        """Brings loops of one nest into the given order."""
        self._apply("reorder", loops, kinds=[LoopRV])

    def reverse(self, loop):
        """Runs a loop from its last iteration to its first."""
        self._apply("reverse", [loop], kinds=[LoopRV])

    def add_unit_loop(self, block_or_loop):
        """Puts a loop that runs once around a block or a loop."""
        return self._apply("add_unit_loop", [block_or_loop], 1)[0]

    def parallel(self, loop):
        """Runs iterations on several threads."""
        self._apply("parallel", [loop], kinds=[LoopRV])

    def vectorize(self, loop):
        """Runs iterations in vector lanes."""
        self._apply("vectorize", [loop], kinds=[LoopRV])

    def unroll(self, loop):
        """Unrolls a loop."""
        self._apply("unroll", [loop], kinds=[LoopRV])

    def bind(self, loop, thread_axis):
        """Binds a loop to a hardware index, such as "threadIdx.x"."""
        self._apply("bind", [loop], kinds=[LoopRV], tag=json.dumps(thread_axis))

    # Where a block is computed

    def compute_at(self, block, loop):
        """Computes in a loop what its blocks need of a block."""
        self._apply("compute_at", [block, loop], kinds=[BlockRV, LoopRV])

    def reverse_compute_at(self, block, loop):
        """Consumes in a loop what its blocks produce."""
        self._apply("reverse_compute_at", [block, loop], kinds=[BlockRV, LoopRV])

    def compute_inline(self, block):
        """Computes a block's element where it is read."""
        self._apply("compute_inline", [block], kinds=[BlockRV])

    def reverse_compute_inline(self, block):
        """Applies an elementwise block in its producer."""
        self._apply("reverse_compute_inline", [block], kinds=[BlockRV])

    # Buffers

    def cache_read(self, block, read_buffer_index, storage_scope):
        """Lets a block read a copy of a buffer; returns the block that copies."""
        return self._apply("cache_read", [block], 1, BlockRV, kinds=[BlockRV],
                           index=i64(read_buffer_index), scope=json.dumps(storage_scope))[0]

    def cache_write(self, block, write_buffer_index, storage_scope):
        """Lets a block write to a copy of a buffer; returns the block that copies."""
        return self._apply("cache_write", [block], 1, BlockRV, kinds=[BlockRV],
                           index=i64(write_buffer_index), scope=json.dumps(storage_scope))[0]

    def cache_inplace(self, block, buffer_index, storage_scope):
        """Lets a block update a copy of a buffer; returns the blocks that copy in and out."""
        return self._apply("cache_inplace", [block], 2, BlockRV, kinds=[BlockRV],
                           index=i64(buffer_index), scope=json.dumps(storage_scope))

    def read_at(self, loop, block, read_buffer_index, storage_scope):
        """cache_read in a loop."""
        return self._apply("read_at", [loop, block], 1, BlockRV, kinds=[LoopRV, BlockRV],
                           index=i64(read_buffer_index), scope=json.dumps(storage_scope))[0]

    def write_at(self, loop, block, write_buffer_index, storage_scope):
        """cache_write in a loop."""
        return self._apply("write_at", [loop, block], 1, BlockRV, kinds=[LoopRV, BlockRV],
                           index=i64(write_buffer_index), scope=json.dumps(storage_scope))[0]

    def reindex(self, block, buffer):
        """Lays a buffer, ("read", i) or ("write", i), out by the block's variables."""
        return self._apply("reindex", [block], 1, BlockRV, kinds=[BlockRV], **buffer_attributes(buffer))[0]

    def reindex_cache_read(self, block, read_buffer_index, storage_scope, index_map):
        """Lets a block read a copy with a layout that `index_map` gives over the
        variables that index the buffer."""
        return self._apply("reindex_cache_read", [block], 1, BlockRV, kinds=[BlockRV],
                           index=i64(read_buffer_index), scope=json.dumps(storage_scope),
                           layout=affine_map(index_map))[0]

    def reindex_cache_write(self, block, write_buffer_index, storage_scope, index_map):
        """Lets a block write to a copy, likewise."""
        return self._apply("reindex_cache_write", [block], 1, BlockRV, kinds=[BlockRV],
                           index=i64(write_buffer_index), scope=json.dumps(storage_scope),
                           layout=affine_map(index_map))[0]

    def cache_index(self, block, storage_scope, cse_thresh=0):
        """Reads computed indices, those that occur at least `cse_thresh` times, from
        tables; returns the blocks that fill them."""
        return self._query("cache_index", self._number(block, BlockRV), BlockRV,
                           scope=json.dumps(storage_scope), min_uses=i64(cse_thresh))

    def rolling_buffer(self, block, write_buffer_index):
        """Keeps what the windows of consecutive iterations share."""
        self._apply("rolling_buffer", [block], kinds=[BlockRV],
                    index=i64(write_buffer_index))

    def transform_layout(self, block, buffer, index_map):
        """Changes the layout of a buffer: `lambda n, c: (n, c // 16, c % 16)`."""
        self._apply("transform_layout", [block], kinds=[BlockRV],
                    layout=affine_map(index_map), **buffer_attributes(buffer))

    def transform_block_layout(self, block, index_map):
        """Changes the variables, and with them the loops, of a block:
        `lambda i, j: (i * 16 + j,)`."""
        self._apply("transform_block_layout", [block], kinds=[BlockRV],
                    layout=affine_map(index_map))

    def set_axis_separator(self, block, buffer, axis_separators):
        """Makes one dimension of each group of dimensions of a buffer; a separator is
        the first dimension of a group."""
        self._apply("set_axis_separator", [block], kinds=[BlockRV],
                    separators=sizes(axis_separators), **buffer_attributes(buffer))

    def unsafe_set_dtype(self, block, buffer_index, dtype):
        """Stores a written buffer in another type, with rounding."""
        self._apply("unsafe_set_dtype", [block], kinds=[BlockRV], index=i64(buffer_index),
                    dtype=element_type(dtype))

    def set_scope(self, block, buffer, storage_scope):
        """Moves an intermediate buffer, ("read", i), ("write", i), or the written
        one of that number, to another scope."""
        buffer = ("write", buffer) if isinstance(buffer, int) else buffer
        self._apply("set_scope", [block], kinds=[BlockRV],
                    scope=json.dumps(storage_scope), **buffer_attributes(buffer))

    def storage_align(self, block, buffer_index, axis, factor, offset):
        """Sets the distance along `axis` of a written buffer to `offset` modulo `factor`."""
        self._apply("storage_align", [block], kinds=[BlockRV], index=i64(buffer_index),
                    axis=i64(axis), factor=i64(factor), offset=i64(offset))

    def pad_einsum(self, block, padding):
        """Rounds the domain of a contraction up to multiples of `padding`."""
        self._apply("pad_einsum", [block], kinds=[BlockRV], padding=sizes(padding))

    def decompose_padding(self, block, loop):
        """Fills with the constant first; returns the block that does."""
        return self._apply("decompose_padding", [block, loop], 1, BlockRV,
                           kinds=[BlockRV, LoopRV])[0]

    # Reductions and blocks

    def decompose_reduction(self, block, loop):
        """Moves the init of a reduction before a loop; returns its block."""
        return self._apply("decompose_reduction", [block, loop], 1, BlockRV,
                           kinds=[BlockRV, LoopRV])[0]

    def rfactor(self, loop, factor_axis):
        """Reduces with partial results; returns the block that computes them."""
        return self._apply("rfactor", [loop], 1, BlockRV, kinds=[LoopRV],
                           axis=i64(factor_axis))[0]

    def reorder_block_iter_var(self, block, new_order):
        """Brings the iteration variables of a block into an order."""
        self._apply("reorder_block_iter_var", [block], kinds=[BlockRV],
                    order=sizes(new_order))

    def blockize(self, loop):
        """Makes one block of a loop nest; returns it."""
        return self._apply("blockize", [loop], 1, BlockRV, kinds=[LoopRV])[0]

    @_schedule_errors
    def tensorize(self, loop, intrin, *, vector_bits=256):
        """Replaces a nest by an intrinsic: "register_tile", "row_reduction", or
        the name of a TensorIntrin. Returns the block that takes its place."""
        if intrin in ("register_tile", "row_reduction"):
            return self._apply("tensorize", [loop], 1, BlockRV, kinds=[LoopRV],
                               intrinsic=json.dumps(intrin), vector_bits=i64(vector_bits))[0]
        registered = TensorIntrin.get(intrin)
        names = {"intrinsic": f"{intrin}.description",
                 "implementation": f"{intrin}.implementation"}
        for text, name in zip((registered.desc, registered.impl), names.values()):
            self._impl.add_intrinsic(text, name)
        return self._apply("tensorize_with", [loop], 1, BlockRV, kinds=[LoopRV],
                           **{key: f"@{json.dumps(name)}" for key, name in names.items()})[0]

    def annotate(self, block_or_loop, ann_key, ann_val):
        """Sets a new annotation."""
        self._apply("annotate", [block_or_loop], name=json.dumps(ann_key),
                    value=attribute(ann_val))

    def unannotate(self, block_or_loop, ann_key):
        """Removes an annotation."""
        self._apply("unannotate", [block_or_loop], name=json.dumps(ann_key))

    # Clean-up

    @_schedule_errors
    def compact_buffers(self, max_local_bytes=65536):
        """Shrinks intermediate buffers to what one iteration uses."""
        self._impl.apply("transform.tir.compact_buffers", [0],
                         {"max_local_bytes": i64(max_local_bytes)}, 0)

    @_schedule_errors
    def simplify(self):
        """Simplifies indices, guards and trivial loops."""
        self._impl.apply("transform.tir.simplify", [0], {}, 0)
