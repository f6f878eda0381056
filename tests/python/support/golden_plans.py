"""The golden plans: what scenarios must compile to, as one whole plan and the differences of others from it.

`golden/first.plan.json` is whole. Every other file has only what differs from it: of an object the changed keys,
`$without` the missing ones; of a list of objects each as the difference from the one before it, the first from the
first of the base's list; any other value is given as it is. With UPDATE_GOLDEN_PLANS in the environment the tests
write the files anew: read the difference before you commit it.
"""

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parents[1] / "golden"
BASE = "first"
NAMES = sorted(file.name.removesuffix(".plan.json") for file in FOLDER.glob("*.plan.json"))
WITHOUT = "$without"
LINE_WIDTH = 110


def golden_plan(name: str) -> dict[str, Any]:
    """The plan with this name."""
    own = _read(name)
    plan: dict[str, Any] = own if name == BASE else patched(_read(BASE), own)
    return plan


def check_golden_plan(name: str, plan: Any, text: str) -> None:
    """Fails with the path of every value that is not the golden one; `text` is the plan as it is printed."""
    if "UPDATE_GOLDEN_PLANS" in os.environ:
        whole = name == BASE
        _file(name).write_text(text if whole else json_text(difference(_read(BASE), plan)) + "\n")
    found = list(differing(golden_plan(name), json.loads(text)))
    assert not found, f"{name} does not compile to its golden plan:\n" + "\n".join(found)
    if name == BASE:
        assert text == _file(name).read_text(), "the order or the layout of the plan's text changed"


def patched(base: Any, change: Any) -> Any:
    """The value whose difference from `base` is `change`."""
    if isinstance(change, dict):
        kept = base if isinstance(base, dict) else {}
        kept = {key: value for key, value in kept.items() if key not in change.get(WITHOUT, ())}
        changed = {key: patched(kept.get(key), own) for key, own in change.items() if key != WITHOUT}
        return {**kept, **changed}
    if _is_list_of_objects(change):
        before = _first(base)
        return [before := patched(before, each) for each in change]
    return change


def difference(base: Any, value: Any) -> Any:
    """What `patched` makes `value` of `base` with."""
    if isinstance(value, dict):
        own = base if isinstance(base, dict) else {}
        changed = {
            key: difference(own.get(key), inner)
            for key, inner in value.items()
            if key not in own or not same(own[key], inner)
        }
        gone = [key for key in own if key not in value]
        return {WITHOUT: gone, **changed} if gone else changed
    if _is_list_of_objects(value):
        return [difference(before, each) for before, each in zip([_first(base), *value], value, strict=False)]
    return value


def same(one: Any, other: Any) -> bool:
    """Whether values are the same JSON: unlike for Python, 1, 1.0 and true differ."""
    return json.dumps(one, sort_keys=True) == json.dumps(other, sort_keys=True)


def differing(expected: Any, value: Any, path: str = "") -> Iterator[str]:
    """Every value that differs, with its path."""
    if same(expected, value):
        return
    if isinstance(expected, dict) and isinstance(value, dict):
        for key in [*expected, *(key for key in value if key not in expected)]:
            inner = f"{path}.{key}" if path else key
            if key not in value:
                yield f"  {inner}: missing, golden is {json.dumps(expected[key])}"
            elif key not in expected:
                yield f"  {inner}: not in the golden plan, is {json.dumps(value[key])}"
            else:
                yield from differing(expected[key], value[key], inner)
    elif isinstance(expected, list) and isinstance(value, list) and len(expected) == len(value):
        for number, (one, other) in enumerate(zip(expected, value, strict=True)):
            yield from differing(one, other, f"{path}[{number}]")
    else:
        yield f"  {path}: is {json.dumps(value)}, golden is {json.dumps(expected)}"


def json_text(value: Any, indent: str = "") -> str:
    """JSON whose short objects and lists stand on one line."""
    line = json.dumps(value)
    if not isinstance(value, dict | list) or len(indent) + len(line) <= LINE_WIDTH:
        return line
    deeper = f"{indent}  "
    if isinstance(value, dict):
        inner = [f"{deeper}{json.dumps(key)}: {json_text(own, deeper)}" for key, own in value.items()]
        return "{\n" + ",\n".join(inner) + f"\n{indent}}}"
    return "[\n" + ",\n".join(f"{deeper}{json_text(own, deeper)}" for own in value) + f"\n{indent}]"


def _is_list_of_objects(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(each, dict) for each in value)


def _first(value: Any) -> Any:
    return value[0] if _is_list_of_objects(value) else {}


def _file(name: str) -> Path:
    return FOLDER / f"{name}.plan.json"


def _read(name: str) -> Any:
    return json.loads(_file(name).read_text(encoding="utf-8"))
