"""Mistakes by rule: one operator, comparison, number or condition is another one."""

import ast
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

__all__ = ["Mutant", "mutant", "places"]

_OPERATORS: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Div,
    ast.Div: ast.Mult,
    ast.Pow: ast.Mult,
    ast.MatMult: ast.Mult,
}
_COMPARISONS: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
}
_NOT_COMPUTED = ("annotation", "returns", "decorator_list", "args", "bases")

Change = Callable[[ast.AST], None]


@dataclass(frozen=True)
class Mutant:
    """One mistake.

    Parameters
    ----------
    path : Path
        The module, relative to the root of the sources.
    line : int
        Where it is.
    before, after : str
        The expression as it is, and with the mistake.
    source : str
        The whole module with the mistake.
    """

    path: Path
    line: int
    before: str
    after: str
    source: str


def places(source: str) -> list[int]:
    """Give the nodes of a module, in order, in which the rules know a mistake."""
    nodes = _code(ast.parse(source))
    return [k for k, node in enumerate(nodes) if _change(node) is not None]


def mutant(path: Path, root: Path, place: int) -> Mutant:
    """Make the mistake at one of the `places` of a module."""
    tree = ast.parse((root / path).read_text(encoding="utf-8"))
    node = list(_code(tree))[place]
    before, change = ast.unparse(node), _change(node)
    assert change is not None  # it is one of the places
    change(node)
    line = getattr(node, "lineno", 0)
    return Mutant(path, line, before, ast.unparse(node), _write(tree))


def _write(tree: ast.Module) -> str:
    return ast.unparse(ast.fix_missing_locations(tree)) + "\n"


def _code(tree: ast.AST) -> Iterator[ast.AST]:
    """Walk through what is computed: no annotations, defaults or type checks."""
    for name, value in ast.iter_fields(tree):
        if name in _NOT_COMPUTED and not isinstance(tree, ast.Call):
            continue
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, ast.AST) and not _is_message(child):
                yield child
                yield from _code(child)


def _is_message(node: ast.AST) -> bool:
    """Tell whether it is text or an error: what they say has tests of its own."""
    return isinstance(node, ast.JoinedStr | ast.Raise | ast.Import | ast.ImportFrom)


def _change(node: ast.AST) -> Change | None:
    """Give the mistake that a node can have."""
    match node:
        case ast.BinOp() if type(node.op) in _OPERATORS:
            return _set("op", _OPERATORS[type(node.op)])
        case ast.Compare() if type(node.ops[0]) in _COMPARISONS:
            return _compare(_COMPARISONS[type(node.ops[0])])
        case ast.BoolOp():
            return _set("op", ast.Or if isinstance(node.op, ast.And) else ast.And)
        case ast.UnaryOp(op=ast.Not() | ast.USub()):
            return _drop_sign
        case ast.Constant() if _is_number(node.value):
            return _raise_number
        case ast.IfExp() | ast.If():
            return _turn
    return None


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _set(name: str, kind: type[ast.AST]) -> Change:
    return lambda node: setattr(node, name, kind())


def _compare(kind: type[ast.cmpop]) -> Change:
    def change(node: ast.AST) -> None:
        assert isinstance(node, ast.Compare)
        node.ops[0] = kind()

    return change


def _drop_sign(node: ast.AST) -> None:
    assert isinstance(node, ast.UnaryOp)
    node.op = ast.UAdd() if isinstance(node.op, ast.USub) else node.op
    if isinstance(node.op, ast.Not):
        node.operand = ast.UnaryOp(ast.Not(), node.operand)


def _raise_number(node: ast.AST) -> None:
    assert isinstance(node, ast.Constant)
    value = node.value
    node.value = value + 1 if isinstance(value, int) else 2.0 * value or 1.0


def _turn(node: ast.AST) -> None:
    assert isinstance(node, ast.IfExp | ast.If)
    node.test = ast.UnaryOp(ast.Not(), node.test)
