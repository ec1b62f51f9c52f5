"""Writes what OperatorSchema.cpp knows of a family of relay operators.

    python utils/operator_schema.py FAMILY JSON OUTPUT

JSON is what `llvm-tblgen --dump-json` makes of the family's .td file. Names,
order, kinds and defaults of operands and attributes are read off the
definitions, so that text, Python and the dialect cannot disagree.
"""

import json
import re
import sys
import textwrap

# Storage of an attribute in C++ -> its kind; the elements of dense arrays count.
KINDS = {
    "BoolAttr": "Bool",
    "IntegerAttr": "Int",
    "FloatAttr": "Float",
    "StringAttr": "String",
    "TypeAttr": "DType",
    "DenseI64ArrayAttr": "Ints",
    "DenseF64ArrayAttr": "Floats",
}
# What Builder calls a type -> its name in Relay.
DTYPES = {
    "I1": "bool",
    "I32": "int32",
    "I64": "int64",
    "F32": "float32",
    "F64": "float64",
}


def literal(text):
    return f"llvm::StringLiteral({json.dumps(text)})"


class Family:
    def __init__(self, records):
        self.records = records

    def supers(self, record):
        return [record["!name"], *record["!superclasses"]]

    def is_attribute(self, record):
        return any(name in ("Attr", "AttrConstraint") for name in record["!superclasses"])

    def operand(self, record, name):
        supers = self.supers(record)
        kind = "Single"
        if "Optional" in supers:
            kind = "Optional"
        elif "Relay_Positional" in supers:
            kind = "Variadic"
        elif "Variadic" in supers:
            kind = "Tuple"
        while record.get("baseType") or record.get("constraint"):
            record = self.records[(record.get("baseType") or record["constraint"])["def"]]
        summary = record.get("summary") or "value"
        return f"{{{literal(name)}, OperandKind::{kind}, {self.check(record)}, {literal(summary)}}}"

    def check(self, record):
        """Returns a function that tells whether a type meets a constraint."""
        name = f"is_{record['!name']}"
        condition = self.condition(record["predicate"]["def"]).replace("$_self", "type")
        self.arrays[name] = f"static bool {name}(mlir::Type type) {{ return {condition}; }}"
        return name

    def condition(self, name):
        """Returns the C++ condition of a predicate, on $_self."""
        record = self.records[name]
        if record.get("predExpr"):
            return f"({record['predExpr']})"
        children = [self.condition(child["def"]) for child in record["children"]]
        kind = record["kind"]["def"].removeprefix("PredCombiner")
        if kind == "And":
            return f"({' && '.join(children) or 'true'})"
        if kind == "Or":
            return f"({' || '.join(children) or 'false'})"
        if kind == "Not":
            return f"(!{children[0]})"
        if kind == "SubstLeaves":
            return children[0].replace(record["pattern"], record["replacement"])
        if kind == "Concat":
            return f"({record['prefix']}{children[0]}{record['suffix']})"
        raise SystemExit(f"expects a known combination of predicates, but got {kind}")

    def base(self, record):
        """Returns the attribute without a default or an option around it."""
        while record.get("baseAttr"):
            record = self.records[record["baseAttr"]["def"]]
        return record

    def kind(self, record):
        base = self.base(record)
        if base["!name"] == "Relay_IntPairs":
            return "Pairs"
        storage = (base.get("storageType") or "").strip().split("::")[-1]
        if storage in KINDS:
            return KINDS[storage]
        allowed = [
            self.kind(self.records[item["def"]]) for item in base.get("allowedAttributes") or []
        ]
        return "IntOrInts" if sorted(allowed) == ["Int", "Ints"] else "Other"

    def default(self, record, kind, name):
        """Returns (integers, floats, text) of a default value."""
        while record.get("defaultValue") is None:
            record = self.records[record["baseAttr"]["def"]]
        value = record["defaultValue"].strip()
        numbers = [item.strip() for item in value.strip("{}").split(",") if item.strip()]
        if kind == "Bool":
            return [{"true": "1", "false": "0"}[value]], [], ""
        if kind in ("Int", "Ints", "Pairs", "IntOrInts"):
            return [str(int(number)) for number in numbers], [], ""
        if kind in ("Float", "Floats"):
            return [], [repr(float(number)) for number in numbers], ""
        if kind == "String":
            return [], [], json.loads(value)
        if kind == "DType":
            getter = re.search(r"get(\w+)Type\(\)", value)
            if getter is not None:
                return [], [], DTYPES[getter[1]]
        if value in ("{}", ""):
            return [], [], ""
        raise SystemExit(f"expects a known kind of default for {name}, but got {value}")

    def attribute(self, record, name):
        supers = self.supers(record)
        kind = self.kind(record)
        integers, floats, text = [], [], ""
        if "Relay_Nullable" in supers:
            presence = "Nullable"
        elif record.get("isOptional"):
            presence = "Optional"
        elif record.get("defaultValue") is not None:
            presence = "Default"
            integers, floats, text = self.default(record, kind, name)
        else:
            presence = "Required"
        fields = [literal(name), f"AttrKind::{kind}", f"AttrPresence::{presence}"]
        if integers or floats or text:
            fields.append(self.pool("int64_t", integers))
            fields.append(self.pool("double", floats))
            fields.append(literal(text))
        return f"{{{', '.join(fields)}}}"

    def pool(self, type_name, values):
        """Returns a constant array that holds the values."""
        if not values:
            return "{}"
        name = re.sub(r"[^A-Za-z0-9]", lambda m: f"_{ord(m[0]):x}", "_".join(values))
        name = f"k_{type_name}_{name}"
        self.arrays[name] = f"static constexpr {type_name} {name}[] = {{{', '.join(values)}}};"
        return name

    def describe(self, text):
        """Returns a description without its examples: they are in the dialect's form."""
        return re.sub(r"(Example:\n\n)?^```mlir\n.*?^```$", "", textwrap.dedent(text),
                      flags=re.M | re.S).strip()

    def write(self, out):
        operators = [self.records[name] for name in self.records["!instanceof"].get("Op", [])]
        rows = []
        self.arrays = {}
        for op in sorted(operators, key=lambda op: op["opName"]):
            operands, attributes = [], []
            for item, name in op["arguments"]["args"]:
                record = self.records[item["def"]]
                if self.is_attribute(record):
                    attributes.append(self.attribute(record, name))
                else:
                    operands.append(self.operand(record, name))
            lists = []
            for what, items in (("OperandSchema", operands), ("AttributeSchema", attributes)):
                if not items:
                    lists.append("{}")
                    continue
                array = f"k{what}_{op['!name']}"
                self.arrays[array] = (
                    f"static constexpr {what} {array}[] = {{\n  " + ",\n  ".join(items) + "};")
                lists.append(array)
            summary = op.get("summary") or ""
            description = self.describe(op.get("description") or "")
            rows.append("  {" + ",\n   ".join(
                [literal(op["opName"]), literal(summary), literal(description), *lists]) + "},")
        out.write("// Generated by utils/operator_schema.py.\n")
        out.write("\n".join(self.arrays.values()) + "\n")
        out.write("static constexpr OperatorSchema kOperators[] = {\n")
        out.write("\n".join(rows) + "\n};\n")


def main():
    name, source, output = sys.argv[1:]
    with open(source, encoding="utf-8") as file:
        family = Family(json.load(file))
    with open(output, "w", encoding="utf-8") as file:
        file.write(f"namespace family_{name} {{\n")
        family.write(file)
        file.write("}\n")


if __name__ == "__main__":
    main()
