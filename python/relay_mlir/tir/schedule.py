"""Schedules written in Python.

Each call of a primitive appends a step to a transform script and applies it to
the kernel at once. The script is the trace: it prints, can be edited, and does
the same to a fresh kernel, here, in `relay-opt --tir-apply-schedules`, and in
`relay-compile --schedules`.
"""

import functools
import inspect
import json

from .. import _relay_mlir
from .._compile import IRModule
from .._errors import CompileError, DiagnosticError
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


class _Index:
    """An index expression: what the argument of an index map computes with."""

    def __init__(self, text):
        self.text = text

    @staticmethod
    def _text(value):
        if isinstance(value, _Index):
            return value.text
        if isinstance(value, int):
            return str(value)
        raise TypeError(f"expects an index or an integer, but got {value!r}")

    def _binary(self, other, sign, swap=False):
        left, right = self._text(self), self._text(other)
        if swap:
            left, right = right, left
        return _Index(f"({left} {sign} {right})")

    def __add__(self, other):
        return self._binary(other, "+")

    def __radd__(self, other):
        return self._binary(other, "+", swap=True)

    def __sub__(self, other):
        return self._binary(other, "-")

    def __rsub__(self, other):
        return self._binary(other, "-", swap=True)

    def __mul__(self, other):
        return self._binary(other, "*")

    def __rmul__(self, other):
        return self._binary(other, "*")

    def __floordiv__(self, other):
        return self._binary(other, "floordiv")

    def __mod__(self, other):
        return self._binary(other, "mod")


def _affine_map(index_map):
    """The text of an affine map that a Python function computes."""
    if isinstance(index_map, str):
        return index_map
    names = list(inspect.signature(index_map).parameters)
    results = index_map(*(_Index(name) for name in names))
    if not isinstance(results, (list, tuple)):
        results = [results]
    return (f"affine_map<({', '.join(names)}) -> "
            f"({', '.join(_Index._text(result) for result in results)})>")


def _attribute(value):
    """A Python value as the text of an attribute."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return f"{value} : i64"
    if isinstance(value, float):
        return f"{value!r} : f64"
    if isinstance(value, str):
        return json.dumps(value)
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(_attribute(item) for item in value) + "]"
    raise TypeError(f"expects a bool, number, string or list of them, but got {value!r}")


def _i64(value):
    return f"{int(value)} : i64"


_INFER = -2**63  # How the attribute writes a size that follows from the others.


def _sizes(values):
    text = ", ".join(str(_INFER if value is None else int(value)) for value in values)
    return f"array<i64: {text}>" if text else "array<i64>"


def _buffer(buffer):
    """("read", i) or ("write", i) as attributes."""
    kind, index = buffer
    if kind not in ("read", "write"):
        raise ValueError(f"expects ('read', i) or ('write', i), but got {buffer!r}")
    attributes = {"index": _i64(index)}
    if kind == "write":
        attributes["write"] = "unit"
    return attributes


class Schedule:
    """A kernel, and what was done to it.

    `mod` is an IRModule or MLIR text with a `tir.prim_func`, of which the
    schedule has a copy; `name` chooses one of several. A primitive that is refused
    raises ScheduleError and changes nothing.
    """

    def __init__(self, mod, name=""):
        self._source = to_module(mod)
        self._impl = _relay_mlir.TIRSchedule(self._source._impl, name)

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
        """Returns a schedule of a fresh kernel with the same steps."""
        other = Schedule(self._source, self.name)
        self.trace.apply_to_schedule(other)
        return other

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
    def _query(self, op, number, result_type):
        return [result_type(self, result)
                for result in self._impl.query(f"transform.tir.{op}", number)]

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

    # Loops

    def split(self, loop, factors, *, tail="predicate"):
        """Splits a loop into one for each factor, outermost first.

        One factor may be None: it follows from the others. What is left over is
        guarded, or with `tail="partition"` runs in a loop of its own, which is
        one more result.
        """
        attributes = {"factors": _sizes(factors), "tail": json.dumps(tail)}
        return self._apply("split", [loop], len(factors) + (tail == "partition"),
                           kinds=[LoopRV], **attributes)

    def loop_partition(self, loop, factors):
        """Runs consecutive parts of a loop, of the given extents, one after the other."""
        return self._apply("loop_partition", [loop], len(factors), kinds=[LoopRV],
                           sizes=_sizes(factors))

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
                           index=_i64(read_buffer_index), scope=json.dumps(storage_scope))[0]

    def cache_write(self, block, write_buffer_index, storage_scope):
        """Lets a block write to a copy of a buffer; returns the block that copies."""
        return self._apply("cache_write", [block], 1, BlockRV, kinds=[BlockRV],
                           index=_i64(write_buffer_index), scope=json.dumps(storage_scope))[0]

    def cache_inplace(self, block, buffer_index, storage_scope):
        """Lets a block update a copy of a buffer; returns the blocks that copy in and out."""
        return self._apply("cache_inplace", [block], 2, BlockRV, kinds=[BlockRV],
                           index=_i64(buffer_index), scope=json.dumps(storage_scope))

    def read_at(self, loop, block, read_buffer_index, storage_scope):
        """cache_read in a loop."""
        copy = self.cache_read(block, read_buffer_index, storage_scope)
        self.compute_at(copy, loop)
        return copy

    def write_at(self, loop, block, write_buffer_index, storage_scope):
        """cache_write in a loop."""
        copy = self.cache_write(block, write_buffer_index, storage_scope)
        self.reverse_compute_at(copy, loop)
        return copy

    def reindex(self, block, buffer):
        """Lays a buffer, ("read", i) or ("write", i), out by the block's variables."""
        return self._apply("reindex", [block], 1, BlockRV, kinds=[BlockRV], **_buffer(buffer))[0]

    def reindex_cache_read(self, block, read_buffer_index, storage_scope, index_map):
        """Lets a block read a copy with a layout that `index_map` gives over the
        variables that index the buffer."""
        copy = self.reindex(block, ("read", read_buffer_index))
        self.set_scope(copy, 0, storage_scope)
        self.transform_layout(copy, ("write", 0), index_map)
        return copy

    def reindex_cache_write(self, block, write_buffer_index, storage_scope, index_map):
        """Lets a block write to a copy, likewise."""
        copy = self.reindex(block, ("write", write_buffer_index))
        self.set_scope(copy, ("read", 0), storage_scope)
        self.transform_layout(copy, ("read", 0), index_map)
        return copy

    def transform_layout(self, block, buffer, index_map):
        """Changes the layout of a buffer: `lambda n, c: (n, c // 16, c % 16)`."""
        self._apply("transform_layout", [block], kinds=[BlockRV],
                    layout=_affine_map(index_map), **_buffer(buffer))

    def set_scope(self, block, buffer, storage_scope):
        """Moves an intermediate buffer, ("read", i), ("write", i), or the written
        one of that number, to another scope."""
        buffer = ("write", buffer) if isinstance(buffer, int) else buffer
        self._apply("set_scope", [block], kinds=[BlockRV],
                    scope=json.dumps(storage_scope), **_buffer(buffer))

    def storage_align(self, block, buffer_index, axis, factor, offset):
        """Sets the distance along `axis` of a written buffer to `offset` modulo `factor`."""
        self._apply("storage_align", [block], kinds=[BlockRV], index=_i64(buffer_index),
                    axis=_i64(axis), factor=_i64(factor), offset=_i64(offset))

    def pad_einsum(self, block, padding):
        """Rounds the domain of a contraction up to multiples of `padding`."""
        self._apply("pad_einsum", [block], kinds=[BlockRV], padding=_sizes(padding))

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
                           axis=_i64(factor_axis))[0]

    def reorder_block_iter_var(self, block, new_order):
        """Brings the iteration variables of a block into an order."""
        self._apply("reorder_block_iter_var", [block], kinds=[BlockRV],
                    order=_sizes(new_order))

    def blockize(self, loop):
        """Makes one block of a loop nest; returns it."""
        return self._apply("blockize", [loop], 1, BlockRV, kinds=[LoopRV])[0]

    @_schedule_errors
    def tensorize(self, loop, intrin, *, vector_bits=256):
        """Replaces a nest by an intrinsic: "register_tile", "row_reduction", or
        the name of a TensorIntrin. Returns the block that takes its place."""
        if intrin in ("register_tile", "row_reduction"):
            return self._apply("tensorize", [loop], 1, BlockRV, kinds=[LoopRV],
                               intrinsic=json.dumps(intrin), vector_bits=_i64(vector_bits))[0]
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
                    value=_attribute(ann_val))

    def unannotate(self, block_or_loop, ann_key):
        """Removes an annotation."""
        self._apply("unannotate", [block_or_loop], name=json.dumps(ann_key))

    # Clean-up

    @_schedule_errors
    def compact_buffers(self, max_local_bytes=65536):
        """Shrinks intermediate buffers to what one iteration uses."""
        self._impl.apply("transform.tir.compact_buffers", [0],
                         {"max_local_bytes": _i64(max_local_bytes)}, 0)

    @_schedule_errors
    def simplify(self):
        """Simplifies indices, guards and trivial loops."""
        self._impl.apply("transform.tir.simplify", [0], {}, 0)
