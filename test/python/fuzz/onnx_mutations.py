# This file is licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Broken variants of valid ONNX models.

`mutate` changes some fields of a model, found through protobuf's descriptors,
so that new fields of the format take part by themselves: numbers become those
at which arithmetic breaks, names become other names, parts are removed, copied
and exchanged. A few changes are made to the encoded bytes instead.
"""

import random

import onnx
from google.protobuf.descriptor import FieldDescriptor

INTEGERS = [
    0, 1, -1, 2, 3, 7, -2, 64, 65, 1000, 4097, 2**20, 2**31 - 1, 2**31, -2**31,
    2**32, 2**32 + 1, 2**40, 2**47 + 1, 2**62, 2**63 - 1, -2**63, -2**63 + 1
]
FLOATS = [
    0.0, -0.0, 1.0, -1.0, 0.5, 1e-45, 1e38, -1e38, float("inf"), float("-inf"),
    float("nan")
]
STRINGS = ["", "x", "\0", "a\0b", "\U0001f600", "../x", "/", " ", "%s", "\n", "\"", "n" * 5000]

# Text for people, which nothing depends on.
IGNORED = {"doc_string", "producer_name", "producer_version", "metadata_props"}

LIMITS = {
    FieldDescriptor.CPPTYPE_INT32: (-2**31, 2**31 - 1),
    FieldDescriptor.CPPTYPE_INT64: (-2**63, 2**63 - 1),
    FieldDescriptor.CPPTYPE_UINT32: (0, 2**32 - 1),
    FieldDescriptor.CPPTYPE_UINT64: (0, 2**64 - 1),
}


def is_repeated(field):
    return field.is_repeated if hasattr(field, "is_repeated") else (
        field.label == FieldDescriptor.LABEL_REPEATED)


def visit(message, path=""):
    """All messages inside of `message`, with a name of their place."""
    yield message, path
    for field, value in message.ListFields():
        if field.cpp_type != FieldDescriptor.CPPTYPE_MESSAGE:
            continue
        if field.name in IGNORED:
            continue
        if is_repeated(field):
            for i, item in enumerate(value):
                yield from visit(item, f"{path}.{field.name}[{i}]")
        else:
            yield from visit(value, f"{path}.{field.name}")


class Mutator:
    """The changes of one model, which `seed` determines."""

    def __init__(self, model, seed):
        self.random = random.Random(seed)
        self.model = onnx.ModelProto()
        self.model.CopyFrom(model)
        self.log = []

    def names(self):
        """Strings of the model, to take others from."""
        found = {""}
        for message, _ in visit(self.model):
            for field, value in message.ListFields():
                if field.cpp_type == FieldDescriptor.CPPTYPE_STRING and (
                        field.type == FieldDescriptor.TYPE_STRING):
                    found.update(value if is_repeated(field) else [value])
        return sorted(found)

    def scalar(self, field, old):
        """Another value of a field that is no message."""
        rng = self.random
        kind = field.cpp_type
        if kind in LIMITS:
            low, high = LIMITS[kind]
            near = [old + 1, old - 1, -old, old * 2] if old is not None else []
            value = rng.choice(INTEGERS + near * 3)
            return min(max(value, low), high)
        if kind in (FieldDescriptor.CPPTYPE_FLOAT, FieldDescriptor.CPPTYPE_DOUBLE):
            return rng.choice(FLOATS)
        if kind == FieldDescriptor.CPPTYPE_ENUM:
            return rng.choice(field.enum_type.values).number
        if kind == FieldDescriptor.CPPTYPE_BOOL:
            return not old
        if field.type == FieldDescriptor.TYPE_BYTES:
            data = bytearray(old or b"")
            action = rng.randrange(5)
            if action == 0:
                return bytes(data[:len(data) // 2])
            if action == 1:
                return bytes(data) + b"\xff"
            if action == 2:
                return b""
            if action == 3:
                return bytes(data) * 2
            if data:
                data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
            return bytes(data)
        return rng.choice(self.names() * 2 + STRINGS)

    def change_list(self, message, field):
        rng = self.random
        items = getattr(message, field.name)
        is_message = field.cpp_type == FieldDescriptor.CPPTYPE_MESSAGE
        action = rng.choice(["remove", "copy", "clear", "swap", "add", "set", "many"])
        if action == "clear":
            message.ClearField(field.name)
        elif action == "add" or not items:
            if is_message:
                items.add()
            else:
                items.append(self.scalar(field, None))
            action = "add"
        elif action == "remove":
            del items[rng.randrange(len(items))]
        elif action in ("copy", "many"):
            count = 1 if action == "copy" else rng.choice([70, 300])
            item = items[rng.randrange(len(items))]
            if is_message:
                copy = type(item)()
                copy.CopyFrom(item)
                item = copy
            for _ in range(count):
                items.append(item)
        elif action == "swap":
            values = list(items)
            if is_message:
                copies = []
                for value in values:
                    copies.append(type(value)())
                    copies[-1].CopyFrom(value)
                values = copies
            rng.shuffle(values)
            message.ClearField(field.name)
            getattr(message, field.name).extend(values)
        elif not is_message:
            i = rng.randrange(len(items))
            items[i] = self.scalar(field, items[i])
        return action

    def change(self):
        """Changes one field."""
        rng = self.random
        places = [(message, path, field) for message, path in visit(self.model)
                  for field in message.DESCRIPTOR.fields if field.name not in IGNORED]
        # Fields that are there are more interesting than those that are not.
        present = [(message, path, field) for message, path, field in places
                   if (len(getattr(message, field.name)) if is_repeated(field)
                       else message.HasField(field.name))]
        if not present:
            return
        message, path, field = rng.choice(present if rng.random() < 0.85 else places)
        if is_repeated(field):
            action = self.change_list(message, field)
        elif rng.random() < 0.15 and message.HasField(field.name):
            message.ClearField(field.name)
            action = "clear"
        elif field.cpp_type == FieldDescriptor.CPPTYPE_MESSAGE:
            # Some other message of this kind, from elsewhere.
            others = [other for other, _ in visit(self.model)
                      if other.DESCRIPTOR is field.message_type]
            target = getattr(message, field.name)
            if others:
                copy = type(target)()
                copy.CopyFrom(rng.choice(others))
                target.CopyFrom(copy)
            else:
                target.SetInParent()
            action = "replace"
        else:
            old = getattr(message, field.name) if message.HasField(field.name) else None
            value = self.scalar(field, old)
            setattr(message, field.name, value)
            action = f"set to {str(value)[:40]!r}"
        self.log.append(f"{path}.{field.name}: {action}")


def mutate(model, seed):
    """The bytes of a variant of `model`, and what was changed."""
    mutator = Mutator(model, seed)
    rng = mutator.random
    for _ in range(rng.choice([1, 1, 1, 2, 3])):
        mutator.change()
    data = mutator.model.SerializeToString()
    if rng.random() < 0.05 and data:
        data = bytearray(data)
        for _ in range(rng.choice([1, 2, 8])):
            data[rng.randrange(len(data))] = rng.randrange(256)
        if rng.random() < 0.3:
            del data[rng.randrange(len(data)):]
        data = bytes(data)
        mutator.log.append("bytes")
    return data, "; ".join(mutator.log)
