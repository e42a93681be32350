"""Stand-ins for the CANN libraries that a torch_npu wheel asks for: no NPU, no CANN and none of its code.

The wheel itself says which functions it needs: those that its libraries import from no other library, and those that
it looks up by name while it runs. `standins.c` is what has to do something, all others return 0.
"""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

HERE = Path(__file__).parent
CORE = "ascendcl"
LIBRARIES = ("hccl", "acl_op_compiler", "ge_runner", "graph", "acl_tdt_channel", "opapi")
"""What torch_npu loads beside libascendcl: at its start, and libopapi with the first operator."""
FOLDERS = ("lib", "python", "runtime", "compiler", "opp")
"""The first two are used; torch_npu looks whether the others exist."""
OF_CANN = re.compile(r"(?:acl|Hccl|Msprof|rt)[A-Z]\w*|acl(?:rt|op|mdl|nn|prof|sys)[A-Z]\w*")
_DEFINITION = re.compile(r"^(?:\w[\w *]*?)\b(\w+)\([^;]*\) \{", re.MULTILINE)

SET_ENV = """\
# Read by launch.sh as CANN's own would be; it leaves an unset variable unset, as CANN's does.
export ASCEND_HOME_PATH={folder}
export ASCEND_OPP_PATH={folder}/opp
export LD_LIBRARY_PATH={folder}/lib:$LD_LIBRARY_PATH
export PYTHONPATH={folder}/python:$PYTHONPATH
"""
ACL = '''\
"""The few functions of CANN's Python package that Ray and RLinf call, asked of the stand-in library."""

import ctypes
from types import SimpleNamespace

_core = ctypes.CDLL("libascendcl.so")
_core.aclrtGetSocName.restype = ctypes.c_char_p


def _get_device_count():
    count = ctypes.c_uint32()
    return _core.aclrtGetDeviceCount(ctypes.byref(count)) or count.value, 0


def get_soc_name():
    return _core.aclrtGetSocName().decode()


rt = SimpleNamespace(get_device_count=_get_device_count)
'''


def build(wheel: Path, folder: Path) -> Path:
    """Make a CANN folder of stand-ins for the torch_npu that is installed in `wheel`: set_env.sh, lib/, python/."""
    for name in FOLDERS:
        (folder / name).mkdir(parents=True)
    (folder / "python/acl.py").write_text(ACL)
    (folder / "set_env.sh").write_text(SET_ENV.format(folder=folder))
    source = folder / "generated.c"
    source.write_text(generated(functions(wheel), (HERE / "standins.c").read_text()))
    compile_library(CORE, folder / "lib", source, HERE / "standins.c")
    # The dynamic linker looks up a name in the libraries that a library needs, too.
    for name in LIBRARIES:
        compile_library(name, folder / "lib", "-Wl,--no-as-needed", f"-L{folder / 'lib'}", f"-l{CORE}")
    return folder


def functions(wheel: Path) -> set[str]:
    """The names of CANN's functions in the wheel's libraries: imported ones, and those looked up by name."""
    libraries = [*wheel.glob("torch_npu/lib/*.so"), *wheel.glob("torch_npu/_C*.so")]
    imported = {name for library in libraries for name in undefined(library)}
    words = set(
        re.findall(rb"(?<=\0)[A-Za-z]\w+(?=\0)", (wheel / "torch_npu/lib/libtorch_npu.so").read_bytes())
    )
    return {name for name in imported | {word.decode() for word in words} if OF_CANN.fullmatch(name)}


def undefined(library: Path) -> set[str]:
    """The functions that a library imports, by readelf."""
    command = ["readelf", "--wide", "--dyn-syms", str(library)]
    table = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    rows = [line.split() for line in table.splitlines() if " UND " in line]
    return {row[7].partition("@")[0] for row in rows if len(row) > 7}


def generated(names: set[str], written: str) -> str:
    """C for all functions that are not written by hand."""
    by_hand = set(_DEFINITION.findall(written))
    return "".join(f"long {name}(void) {{ return 0; }}\n" for name in sorted(names - by_hand))


def compile_library(name: str, folder: Path, *sources: str | Path) -> None:
    """Compile lib<name>.so."""
    command = ["cc", "-shared", "-fPIC", "-O1", "-w", "-o", str(folder / f"lib{name}.so"), *map(str, sources)]
    subprocess.run(command, capture_output=True, text=True, check=True)
