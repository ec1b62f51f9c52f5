"""Parameters of functions."""

from . import expr as _expr


def bind_params_by_name(function, params):
    """Makes constants of parameters: `params` has values by name."""
    by_name = {}
    for var in function.params:
        if var.name_hint in by_name:
            raise ValueError(f"expects parameters of unique names, but {var.name_hint!r} is "
                             "that of two")
        by_name[var.name_hint] = var
    binds = {by_name[name]: _expr.const(value)
             for name, value in params.items() if name in by_name}
    return _expr.bind(function, binds)


__all__ = ["bind_params_by_name"]
