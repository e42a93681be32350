"""How OmegaConf reads a YAML scalar: YAML 1.1 as PyYAML does, with its own floats, without time stamps.

Source: `omegaconf/_utils.py` (`get_yaml_loader`) of OmegaConf 2.3.1 and `yaml/resolver.py` of PyYAML 6.0.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ruamel.yaml.nodes import Node

    from vlac.plan.origins import Value

_NULL = re.compile(r"~|null|Null|NULL|")
_TRUE = re.compile(r"yes|Yes|YES|true|True|TRUE|on|On|ON")
_FALSE = re.compile(r"no|No|NO|false|False|FALSE|off|Off|OFF")
_INTEGER = re.compile(
    r"[-+]?(?:0b[0-1_]+|0[0-7_]+|0|[1-9][0-9_]*|0x[0-9a-fA-F_]+|[1-9][0-9_]*(?::[0-5]?[0-9])+)"
)
_FLOAT = re.compile(
    r"[-+]?[0-9][0-9_]*\.[0-9_]*(?:[eE][-+]?[0-9]+)?"
    r"|[-+]?[0-9][0-9_]*[eE][-+]?[0-9]+"
    r"|\.[0-9_]+(?:[eE][-+][0-9]+)?"
    r"|[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+\.[0-9_]*"
    r"|[-+]?\.(?:inf|Inf|INF)"
    r"|\.(?:nan|NaN|NAN)"
)


def read_plain(text: str) -> Value:
    """The value of a scalar that stands without quotes."""
    if _NULL.fullmatch(text):
        return None
    if _TRUE.fullmatch(text):
        return True
    if _FALSE.fullmatch(text):
        return False
    try:
        if _INTEGER.fullmatch(text):
            return _integer(text.replace("_", ""))
        return _float(text.replace("_", "")) if _FLOAT.fullmatch(text) else text
    except ValueError:  # `0x_`, or more digits than Python converts: PyYAML fails there too
        return text


def read_node(node: Node) -> Value:
    """The value of a parsed YAML node; sequences become tuples."""
    from ruamel.yaml.nodes import MappingNode, ScalarNode, SequenceNode  # slow, and diff alone needs it

    if isinstance(node, SequenceNode):
        return tuple(read_node(item) for item in node.value)
    if isinstance(node, MappingNode):
        return {str(key.value): read_node(value) for key, value in node.value}
    assert isinstance(node, ScalarNode)
    text = str(node.value)
    return read_plain(text) if not node.style else text


def _integer(digits: str) -> int:
    sign, digits = (-1, digits[1:]) if digits.startswith("-") else (1, digits.removeprefix("+"))
    if ":" in digits:
        return sign * int(_sexagesimal(digits))
    if digits.startswith(("0b", "0x")):
        return sign * int(digits, 0)
    return sign * int(digits, 8 if digits.startswith("0") else 10)


def _float(text: str) -> float:
    sign, digits = (-1.0, text[1:]) if text.startswith("-") else (1.0, text.removeprefix("+"))
    if ":" in digits:
        return sign * _sexagesimal(digits)
    return sign * float(digits.lower().replace(".inf", "inf").replace(".nan", "nan"))


def _sexagesimal(digits: str) -> float:
    total = 0.0
    for part in digits.split(":"):
        total = total * 60 + float(part)
    return total
