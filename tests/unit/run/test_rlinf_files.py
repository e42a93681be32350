from __future__ import annotations

import sys

import pytest

from vlac.run import rlinf_files

RECORD = """\
thing/__init__.py,sha256=47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU,0
thing/a.py,sha256=7S-5WUxP1yuPiXnV5LZ7P0Y3qjRMTAAmoXEFXHMuZ-0,6
thing-1.0.dist-info/RECORD,,
"""


@pytest.fixture
def installed(tmp_path, monkeypatch):
    import base64
    import hashlib

    digest = base64.urlsafe_b64encode(hashlib.sha256(b"a = 1\n").digest()).rstrip(b"=").decode()
    lines = RECORD.splitlines()
    lines[1] = f"thing/a.py,sha256={digest},6"
    files = {
        "thing/__init__.py": "",
        "thing/a.py": "a = 1\n",
        "thing-1.0.dist-info/RECORD": "\n".join(lines) + "\n",
        "thing-1.0.dist-info/METADATA": "Metadata-Version: 2.1\nName: thing\nVersion: 1.0\n",
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    monkeypatch.syspath_prepend(str(tmp_path))
    return tmp_path


@pytest.mark.usefixtures("installed")
def test_the_files_as_published():
    assert rlinf_files.compare("thing") == {"version": "1.0", "files": 2, "changed": []}


def test_a_changed_file_and_a_missing_one(installed):
    (installed / "thing/a.py").write_text("a = 2\n")
    (installed / "thing/__init__.py").unlink()
    assert rlinf_files.compare("thing")["changed"] == ["thing/__init__.py", "thing/a.py"]


def test_what_is_not_installed():
    assert rlinf_files.compare("no-such-distribution") == {}


def test_another_interpreter_is_asked(tmp_path):
    assert rlinf_files.ask(str(tmp_path / "no-python")) is None
    answer = rlinf_files.ask(sys.executable)
    assert answer == {} or set(answer) == {"version", "files", "changed"}
