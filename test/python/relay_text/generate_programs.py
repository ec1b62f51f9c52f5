"""Random well-typed Relay programs, as text.

    python test/python/relay_text/generate_programs.py [SEED [COUNT]]

Each program is a function without parameters whose value is made of tensors, so
that the interpreter can tell what it computes. The programs of one module share
a few polymorphic functions and data types.

What a program declares of its values can be weakened, which changes neither
whether it is well-typed nor what it computes, or falsified in one place, which
makes it ill-typed.
"""

import random
import sys

PRELUDE = """#[version = "0.0.5"]
type List[A] {
  Cons(A, List[A]),
  Nil,
}

type Option[A] {
  Some(A),
  None,
}

type nat {
  zero,
  succ(nat),
}

def @compose[A, B, C](%f: fn (B) -> C, %g: fn (A) -> B) -> fn (A) -> C {
  fn (%x: A) -> C {
    %f(%g(%x))
  }
}

def @map[A, B](%f: fn (A) -> B, %xs: List[A]) -> List[B] {
  match (%xs) {
    Cons(%x, %rest) => { Cons(%f(%x), @map(%f, %rest)) },
    Nil => { Nil },
  }
}

def @foldl[A, B](%f: fn (A, B) -> A, %acc: A, %xs: List[B]) -> A {
  match (%xs) {
    Cons(%x, %rest) => { @foldl(%f, %f(%acc, %x), %rest) },
    Nil => { %acc },
  }
}

def @get_or[A](%x: Option[A], %default: A) -> A {
  match (%x) {
    Some(%y) => { %y },
    None => { %default },
  }
}

def @to_int(%n: nat) -> int32 {
  match (%n) {
    zero => { 0 },
    succ(%m) => { add(@to_int(%m), 1) },
  }
}
"""

INT, FLOAT, BOOL, NAT = "int32", "float32", "bool", "nat"
VECTOR = "Tensor[(3), float32]"
MATRIX = "Tensor[(2, 3), float32]"
TENSORS = [INT, FLOAT, BOOL, VECTOR, MATRIX]


class Type(tuple):
    """A type made of others; equal to those of its own kind only."""

    def __eq__(self, other):
        return type(self) is type(other) and super().__eq__(other)

    __hash__ = tuple.__hash__


class Ref(Type):
    """A cell of a type, which the text format has no name for."""


class Tuple(Type):
    """A tuple of types."""


class Fn(Type):
    """(result, parameters...)"""


class Data(Type):
    """(name, argument)"""


def spell(type_):
    if isinstance(type_, Ref):
        return f"ref({spell(type_[0])})"
    if isinstance(type_, Tuple):
        return "(" + "".join(spell(t) + ", " for t in type_).rstrip() + ")"
    if isinstance(type_, Fn):
        return f"fn ({', '.join(map(spell, type_[1:]))}) -> {spell(type_[0])}"
    if isinstance(type_, Data):
        return f"{type_[0]}[{spell(type_[1])}]"
    return type_


class Exact:
    """Declares types as they are."""

    def spell(self, type_, falsifiable=True):
        """The annotation, or None for no annotation. An annotation that is not
        falsifiable is all that is known of its value."""
        del falsifiable
        return spell(type_)


class Weakened:
    """Leaves parts open, sizes unknown, or says nothing."""

    def __init__(self, seed):
        self.rng = random.Random(seed)

    def spell(self, type_, falsifiable=True):
        if falsifiable and self.rng.randrange(4) == 0:
            return None
        return self.weaken(type_, falsifiable)

    def weaken(self, type_, partly):
        if partly and self.rng.randrange(8) == 0:
            return "_"
        if type_ in (VECTOR, MATRIX):
            sizes = ["3"] if type_ == VECTOR else ["2", "3"]
            sizes = [self.rng.choice([size, "?"]) for size in sizes]
            return f"Tensor[({', '.join(sizes)}), float32]"
        if isinstance(type_, Type):
            kind = type(type_)
            if kind is Data:
                return f"{type_[0]}[{self.weaken(type_[1], partly)}]"
            return spell(kind(self.weaken(part, partly) for part in type_))
        return type_


class Falsified:
    """Makes the annotation of one place wrong; the places are counted from 0."""

    def __init__(self, seed, place=None):
        self.rng = random.Random(seed)
        self.place = place
        self.places = 0

    def spell(self, type_, falsifiable=True):
        if not falsifiable or isinstance(type_, Data) or type_ == NAT:
            return spell(type_)
        self.places += 1
        return self.falsify(type_) if self.places - 1 == self.place else spell(type_)

    def falsify(self, type_):
        if isinstance(type_, Tuple):
            if self.rng.randrange(4) == 0:
                return spell(Tuple([*type_, INT]))
            index = self.rng.randrange(len(type_))
            if isinstance(type_[index], Data) or type_[index] == NAT:
                return spell(Tuple([*type_, INT]))
            return spell(Tuple(self.falsify(t) if i == index else t
                               for i, t in enumerate(type_)))
        if isinstance(type_, Fn):
            if self.rng.randrange(4) == 0:
                return spell(Fn([*type_, INT]))
            return spell(Fn([self.falsify(type_[0]), *type_[1:]]))
        if isinstance(type_, Ref):
            return spell(Ref([self.falsify(type_[0])]))
        return self.rng.choice({
            INT: [FLOAT, "int64", "Tensor[(1), int32]", "(int32,)", "List[int32]"],
            FLOAT: [INT, "float64", "Tensor[(?), float32]", "fn () -> float32"],
            BOOL: [INT, "uint8", "Tensor[(2), bool]", "ref(bool)"],
            VECTOR: [FLOAT, MATRIX, "Tensor[(4), float32]", "Tensor[(3), float16]",
                     "Tensor[(?, ?), float32]"],
            MATRIX: [VECTOR, "Tensor[(3, 2), float32]", "Tensor[(2, 3, 1), float32]",
                     "Tensor[(?), float32]", "Tensor[(?, 4), float32]"],
        }[type_])


class Program:
    """Writes one program. `env` holds (text, type) of what an expression may
    name; a block adds to its copy."""

    def __init__(self, rng, graph_vars, annotations=None):
        self.rng = rng
        self.annotations = annotations or Exact()
        self.count = 0
        # Numbers that no other program uses. None for lets only: what nothing uses
        # of graph variables is no part of a program.
        self.graph_vars = graph_vars

    def name(self):
        self.count += 1
        return f"%{self.rng.choice('abcxyz')}{self.count}"

    def value_type(self):
        return self.rng.choice([INT, INT, FLOAT, VECTOR, MATRIX, BOOL])

    def any_type(self, depth):
        kind = self.rng.randrange(10)
        if depth <= 0 or kind < 5:
            return self.value_type()
        if kind == 5:
            return Tuple(self.any_type(depth - 1) for _ in range(self.rng.randrange(1, 4)))
        if kind == 6:
            params = [self.value_type() for _ in range(self.rng.randrange(1, 3))]
            return Fn([self.value_type(), *params])
        if kind == 7:
            return Data(("List", self.value_type()))
        if kind == 8:
            return Data(("Option", self.any_type(depth - 1)))
        return self.rng.choice([Ref([self.value_type()]), NAT])

    def result_type(self):
        if self.rng.randrange(3):
            return self.value_type()
        return Tuple(self.value_type() for _ in range(self.rng.randrange(1, 4)))

    def result(self, type_, falsifiable=True):
        """The declared result of a function."""
        text = self.annotations.spell(type_, falsifiable)
        return "" if text is None else f" -> {text}"

    # Blocks.

    def block(self, type_, env, depth, indent):
        """Bindings and an expression, each on a line of its own."""
        env = list(env)
        pad = "  " * indent
        lines: list[str] = []
        for _ in range(self.rng.randrange(4) if depth > 0 else 0):
            self.statement(env, depth, indent, lines)
        lines.append(pad + self.expr(type_, env, depth, indent))
        return "\n".join(lines)

    def statement(self, env, depth, indent, lines):
        pad = "  " * indent
        refs = [(text, t) for text, t in env if isinstance(t, Ref)]
        kind = self.rng.randrange(8)
        if kind == 0 and refs:
            ref, type_ = self.rng.choice(refs)
            value = self.expr(type_[0], env, depth - 1, indent)
            lines.append(f"{pad}ref_write({ref}, {value});")
        elif kind == 1:
            self.loop(env, depth, indent, lines)
        elif kind <= 4 and self.graph_vars:
            type_ = self.any_type(depth)
            number = next(self.graph_vars)
            value = self.expr(type_, env, depth - 1, indent)
            lines.append(f"{pad}%{number} = {value};")
            env.append((f"%{number}", type_))
        else:
            type_ = self.any_type(depth)
            name = self.name()
            value = self.expr(type_, env, depth - 1, indent)
            written = None
            if self.rng.randrange(2):
                written = self.annotations.spell(type_)
            written = "" if written is None else f": {written}"
            lines.append(f"{pad}let {name}{written} = {value};")
            env.append((name, type_))

    def loop(self, env, depth, indent, lines):
        """A closure that calls itself a few times."""
        pad = "  " * indent
        loop, i, acc = self.name(), self.name(), self.name()
        type_ = self.value_type()
        inner = [*env, (i, INT), (acc, type_)]
        step = self.expr(type_, inner, depth - 1, indent + 2)
        # Branches must not name what the step binds.
        lines.append(f"{pad}let {loop} = fn ({i}: int32, {acc}: {spell(type_)})"
                     f"{self.result(type_)} {{")
        lines.append(f"{pad}  if (less({i}, {self.rng.randrange(1, 4)})) {{")
        lines.append(f"{pad}    {loop}(add({i}, 1), {step})")
        lines.append(f"{pad}  }} else {{")
        lines.append(f"{pad}    {acc}")
        lines.append(f"{pad}  }}")
        lines.append(f"{pad}}};")
        env.append((loop, Fn([type_, INT, type_])))

    # Expressions, of one type each.

    def expr(self, type_, env, depth, indent):
        options = [text for text, t in env if t == type_]
        if options and (depth <= 0 or self.rng.randrange(3) == 0):
            return self.rng.choice(options)
        if depth <= 0:
            return self.leaf(type_, env, indent)
        kinds = [self.branch, self.project, self.make, self.make, self.make]
        if any(isinstance(t, Ref) and t[0] == type_ for _, t in env):
            kinds.append(self.read)
        if any(isinstance(t, Fn) and t[0] == type_ for _, t in env):
            kinds += [self.apply, self.apply]
        if isinstance(type_, str):
            kinds += [self.unwrap, self.fold, self.lets]
        return self.rng.choice(kinds)(type_, env, depth - 1, indent)

    def branch(self, type_, env, depth, indent):
        pad = "  " * indent
        condition = self.expr(BOOL, env, depth, indent)
        branches = [self.block(type_, env, depth, indent + 1) for _ in range(2)]
        return (f"if ({condition}) {{\n{branches[0]}\n{pad}}} else {{\n"
                f"{branches[1]}\n{pad}}}")

    def project(self, type_, env, depth, indent):
        types = [self.value_type() for _ in range(self.rng.randrange(1, 4))]
        index = self.rng.randrange(len(types) + 1)
        types.insert(index, type_)
        return f"({self.expr(Tuple(types), env, depth, indent)}).{index}"

    def read(self, type_, env, depth, indent):
        refs = [text for text, t in env if isinstance(t, Ref) and t[0] == type_]
        return f"ref_read({self.rng.choice(refs)})"

    def apply(self, type_, env, depth, indent):
        functions = [(text, t) for text, t in env if isinstance(t, Fn) and t[0] == type_]
        text, function = self.rng.choice(functions)
        args = [self.expr(t, env, depth, indent) for t in function[1:]]
        return f"{text}({', '.join(args)})"

    def lets(self, type_, env, depth, indent):
        pad = "  " * indent
        return f"(\n{self.block(type_, env, depth, indent + 1)}\n{pad})"

    def unwrap(self, type_, env, depth, indent):
        pad = "  " * indent
        data = self.expr(Data(("Option", type_)), env, depth, indent)
        if self.rng.randrange(2):
            return f"@get_or({data}, {self.expr(type_, env, depth, indent)})"
        name = self.name()
        some = self.block(type_, [*env, (name, type_)], depth, indent + 2)
        none = self.block(type_, env, depth, indent + 2)
        return (f"(match ({data}) {{\n{pad}  Some({name}) => {{\n{some}\n{pad}  }},\n"
                f"{pad}  None => {{\n{none}\n{pad}  }},\n{pad}}})")

    def fold(self, type_, env, depth, indent):
        element = self.value_type()
        function = self.expr(Fn([type_, type_, element]), env, depth, indent)
        start = self.expr(type_, env, depth, indent)
        items = self.expr(Data(("List", element)), env, depth, indent)
        return f"@foldl({function}, {start}, {items})"

    def make(self, type_, env, depth, indent):
        """The constructor or operators of the type."""

        def sub(t):
            return self.expr(t, env, depth, indent)

        if isinstance(type_, Ref):
            return f"ref({sub(type_[0])})"
        if isinstance(type_, Tuple):
            return "(" + "".join(sub(t) + ", " for t in type_).rstrip() + ")"
        if isinstance(type_, Fn):
            if len(type_) == 2 and self.rng.randrange(4) == 0:
                middle = self.value_type()
                outer = sub(Fn([type_[0], middle]))
                return f"@compose({outer}, {sub(Fn([middle, type_[1]]))})"
            return self.function(type_, env, depth, indent)
        if isinstance(type_, Data):
            kind = self.rng.randrange(4)
            if kind == 3:
                # Alone it would not tell its type.
                empty = "None" if type_[0] == "Option" else "Nil"
                return f"(fn (){self.result(type_, falsifiable=False)} {{ {empty} }})()"
            if type_[0] == "Option":
                return f"Some({sub(type_[1])})"
            if kind == 0:
                element = self.value_type()
                function = sub(Fn([type_[1], element]))
                return f"@map({function}, {sub(Data(('List', element)))})"
            rest = sub(type_) if kind == 1 else "Nil"
            return f"Cons({sub(type_[1])}, {rest})"
        if type_ == NAT:
            return f"succ({sub(NAT)})"
        if type_ == BOOL:
            kind = self.rng.randrange(3)
            if kind == 0:
                return f"logical_not({sub(BOOL)})"
            operand = self.rng.choice([INT, FLOAT])
            op = self.rng.choice(["less", "equal", "greater_equal", "not_equal"])
            return f"{op}({sub(operand)}, {sub(operand)})"
        if type_ == INT and self.rng.randrange(4) == 0:
            return f"@to_int({sub(NAT)})"
        if type_ in (VECTOR, MATRIX) and self.rng.randrange(3) == 0:
            return self.reshape(type_, sub)
        if self.rng.randrange(3) == 0:
            ops = ["negative", "abs", "copy"]
            if type_ != INT:
                ops += ["nn.relu", "floor"]
            if type_ == MATRIX:
                return f"clip({sub(type_)}, a_min=-4f, a_max=4.5f)"
            return f"{self.rng.choice(ops)}({sub(type_)})"
        op = self.rng.choice(["add", "subtract", "maximum", "minimum", "multiply"])
        if type_ == INT and op == "multiply":
            return f"multiply({sub(type_)}, {self.rng.randrange(-3, 4)})"
        other = type_
        if type_ in (VECTOR, MATRIX) and self.rng.randrange(2):
            other = FLOAT
        return f"{op}({sub(type_)}, {sub(other)})"

    def reshape(self, type_, sub):
        if type_ == VECTOR:
            return self.rng.choice([
                lambda: f"sum({sub(MATRIX)}, axis=[0])",
                lambda: f"reshape(expand_dims({sub(VECTOR)}, axis=0), newshape=[-1])",
                lambda: f"full({sub(FLOAT)}, shape=[3], dtype=\"float32\")",
                lambda: f"cast(cast({sub(VECTOR)}, dtype=\"int32\"), dtype=\"float32\")",
            ])()
        return self.rng.choice([
            lambda: f"stack(({sub(VECTOR)}, {sub(VECTOR)}), axis=0)",
            lambda: f"transpose(transpose({sub(MATRIX)}, axes=[1, 0]), axes=None)",
            lambda: f"concatenate(split({sub(MATRIX)}, indices_or_sections=2), axis=0)",
            lambda: f"nn.bias_add({sub(MATRIX)}, {sub(VECTOR)})",
            lambda: f"max({sub(MATRIX)}, axis=[1], keepdims=True)",
        ][:4])()

    def function(self, type_, env, depth, indent):
        pad = "  " * indent
        params = [(self.name(), t) for t in type_[1:]]
        body = self.block(type_[0], [*env, *params], depth, indent + 1)
        written = ", ".join(f"{name}: {spell(t)}" for name, t in params)
        result = self.result(type_[0]) if self.rng.randrange(2) else ""
        return f"fn ({written}){result} {{\n{body}\n{pad}}}"

    def leaf(self, type_, env, indent):
        rng = self.rng
        if isinstance(type_, str):
            return {
                INT: lambda: str(rng.randrange(-4, 5)),
                FLOAT: lambda: f"{rng.randrange(-8, 9) / 4}f",
                BOOL: lambda: rng.choice(["True", "False"]),
                NAT: lambda: rng.choice(["zero", "succ(zero)"]),
                VECTOR: lambda: f"full({rng.randrange(4)}f, shape=[3], dtype=\"float32\")",
                MATRIX: lambda: "ones(shape=[2, 3], dtype=\"float32\")",
            }[type_]()
        return self.make(type_, env, 0, indent)


def generate(seed, count, annotations=None, with_graph_vars=True):
    """Returns the text of a module with functions @p0, @p1, ... The same seed gives
    the same programs with any annotations."""
    rng = random.Random(seed)
    graph_vars = iter(range(10**9)) if with_graph_vars else None
    parts = [PRELUDE]
    for index in range(count):
        program = Program(rng, graph_vars, annotations)
        type_ = program.result_type()
        body = program.block(type_, [], rng.randrange(2, 5), 1)
        written = program.result(type_) if rng.randrange(2) else ""
        parts.append(f"def @p{index}(){written} {{\n{body}\n}}\n")
    return "\n".join(parts)


def generate_falsified(seed):
    """Returns the text of a module with one program that declares a wrong type;
    None if the program of this seed declares nothing."""
    count = Falsified(seed)
    generate(seed, 1, count, with_graph_vars=False)
    if count.places == 0:
        return None
    place = random.Random(seed).randrange(count.places)
    return generate(seed, 1, Falsified(seed, place), with_graph_vars=False)


if __name__ == "__main__":
    arguments = [int(argument) for argument in sys.argv[1:]]
    print(generate(*(arguments + [0, 10][len(arguments):])))
