"""How far apart two numbers may be for a check to hold: approx, places, delta, rounding."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from freezegate.policy.mutes.checks.scale import Check, Tolerance
from freezegate.policy.mutes.constants import fold

if TYPE_CHECKING:
    from freezegate.policy.mutes.checks.terms import Terms

# What each function takes by default, and under which names: relative, absolute.
_APPROX = {
    "pytest.approx": ("rel", 1e-6, "abs", 1e-12),
    "math.isclose": ("rel_tol", 1e-9, "abs_tol", 0.0),
    "cmath.isclose": ("rel_tol", 1e-9, "abs_tol", 0.0),
    "numpy.isclose": ("rtol", 1e-5, "atol", 1e-8),
    "numpy.allclose": ("rtol", 1e-5, "atol", 1e-8),
    "numpy.testing.assert_allclose": ("rtol", 1e-7, "atol", 0.0),
    "pandas.testing.assert_frame_equal": ("rtol", 1e-5, "atol", 1e-8),
    "pandas.testing.assert_series_equal": ("rtol", 1e-5, "atol", 1e-8),
    "torch.testing.assert_close": ("rtol", 1.3e-6, "atol", 1e-5),
}
_PLACES = {"assertAlmostEqual": 7, "assert_almost_equal": 7, "assert_array_almost_equal": 6}
_FIRST_TOLERANCE = {"pytest.approx": 1}  # where positional tolerances start; 2 for the others


def tolerance_of(terms: Terms, check: Check) -> Tolerance | None:
    """Return what a comparison leaves open, None where it is exact."""
    for side in (check.actual, check.expected):
        if isinstance(side, ast.Call):
            found = tolerance_of_call(terms, side)
            if found is not None:
                return found
            if _name(side) in ("round", "around", "round_", "quantize"):
                return _rounded(terms, side)
    return _bounded_difference(terms, check)


def tolerance_of_call(terms: Terms, call: ast.Call) -> Tolerance | None:
    """Return the tolerance that a call gives, None where it is no such function."""
    for origin in terms.names.names(terms.path, call.func, terms.unit):
        if origin in _APPROX:
            relative, r_default, absolute, a_default = _APPROX[origin]
            start = _FIRST_TOLERANCE.get(origin, 2)
            found = [
                _argument(terms, call, relative, start, r_default),
                _argument(terms, call, absolute, start + 1, a_default),
            ]
            if origin == "pytest.approx" and not _given(call, "rel", 1) and _given(call, "abs", 2):
                found[0] = 0.0
            return Tolerance(*found)
    return None


def places_of_call(terms: Terms, call: ast.Call, name: str) -> Tolerance:
    """Return the tolerance of `assertAlmostEqual` and numpy's forms of it."""
    if _given(call, "delta", 4):
        return Tolerance(0.0, _argument(terms, call, "delta", 4, 0.0))
    word = "places" if name == "assertAlmostEqual" else "decimal"
    places = _argument(terms, call, word, 2, _PLACES.get(name, 7))
    return Tolerance(0.0, None if places is None else 0.5 * 10 ** -min(max(places, -99), 99))


def unwrapped(check: Check, tolerance: Tolerance) -> Check:
    """Return a check of the two numbers themselves."""
    actual, expected = check.actual, check.expected
    parts = _difference(actual)
    if parts:
        actual, expected = parts
    actual = _inner(actual)
    expected = None if expected is None else _inner(expected)
    return check._replace(actual=actual, expected=expected, tolerance=tolerance)


def wider(old: Tolerance, new: Tolerance) -> bool | None:
    """Say whether more passes than before, None where that cannot be known."""
    answers: list[bool | None] = []
    for before, after in zip(old, new, strict=True):
        if before == after:
            answers.append(False)
        elif before is None or after is None:
            answers.append(None)
        else:
            answers.append(after > before * 1.0000001)
    if True in answers and not _only_narrower_in_effect(old, new):
        return True
    return None if None in answers else False


def _only_narrower_in_effect(old: Tolerance, new: Tolerance) -> bool:
    """Whether a tolerance of the other sort took the place of a wider one."""
    known = [each for each in (*old, *new) if each is not None]
    if len(known) < 4:
        return False
    return max(known[2:]) < max(known[:2])


def _argument(terms: Terms, call: ast.Call, word: str, place: int, default: float) -> float | None:
    node = _given(call, word, place)
    if node is None:
        return default
    value = fold(node, terms.look)
    if value is None:
        return default
    return float(value) if isinstance(value, int | float) else None


def _given(call: ast.Call, word: str, place: int) -> ast.expr | None:
    named = next((k.value for k in call.keywords if k.arg == word), None)
    if named is not None:
        return named
    return call.args[place] if len(call.args) > place else None


def _rounded(terms: Terms, call: ast.Call) -> Tolerance:
    digits = _argument(terms, call, "ndigits", 1, 0)
    return Tolerance(0.0, None if digits is None else 0.5 * 10 ** -min(max(digits, -99), 99))


def _bounded_difference(terms: Terms, check: Check) -> Tolerance | None:
    """`abs(a - b) < 0.1`."""
    if check.word not in ("<", "<=") or not _difference(check.actual) or check.expected is None:
        return None
    value = fold(check.expected, terms.look)
    return Tolerance(0.0, float(value) if isinstance(value, int | float) else None)


def _difference(node: ast.expr) -> tuple[ast.expr, ast.expr] | None:
    if isinstance(node, ast.Call) and _name(node) in ("abs", "fabs", "absolute") and node.args:
        inner = node.args[0]
        if isinstance(inner, ast.BinOp) and isinstance(inner.op, ast.Sub):
            return inner.left, inner.right
    return None


def _inner(node: ast.expr) -> ast.expr:
    known = ("approx", "round", "around", "round_", "quantize")
    if isinstance(node, ast.Call) and _name(node) in known and node.args:
        return node.args[0]
    return node


def _name(call: ast.Call) -> str:
    match call.func:
        case ast.Name():
            return call.func.id
        case ast.Attribute():
            return call.func.attr
        case _:
            return ""
