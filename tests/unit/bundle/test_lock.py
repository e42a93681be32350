from __future__ import annotations

import json
from contextlib import suppress

import pytest

from tests.unit.bundle.conftest import CONFIG, DIAGNOSTICS, EXECUTABLE, WRITTEN, make_files, make_plan
from vlac.bundle import lock
from vlac.errors import RefusedError
from vlac.plan.origins import Layer, Origin, Setting


def test_a_lock_comes_back_as_it_was_emitted(files):
    found = lock.read(files[lock.NAME])
    assert found.intact
    assert (found.name, found.backend, found.device, found.family) == ("tiny", "ascend", "910B3", "pi05")
    assert (found.rlinf_version, found.rlinf_commit, found.spec_digest) == ("0.3", "05" * 20, "ab" * 32)
    assert found.config == {
        "actor.optim.lr": WRITTEN,
        "cluster.component_placement.actor,env,rollout": Origin(Layer.DERIVED, "8 ranks"),
    }
    assert found.environment == {"JAX_PLATFORMS": WRITTEN}
    assert found.derived == {"world_size": Setting(8, Origin(Layer.DERIVED, "1 node x 8 ranks"))}
    assert [(d.code, d.severity, d.message, d.position, d.hint) for d in found.diagnostics] == [
        (d.code, d.severity, d.message, d.position, d.hint) for d in DIAGNOSTICS
    ]
    assert found.files["launch.sh"] == lock.LockedFile(lock.sha256(files["launch.sh"]), executable=True)
    assert {name for name, file in found.files.items() if file.executable} == {"launch.sh"}
    assert set(found.files) == set(files) - {lock.NAME}


def test_a_lock_is_the_same_whatever_the_order_of_its_parts(files):
    others = {name: files[name] for name in reversed(files) if name != lock.NAME}
    config = dict(reversed(CONFIG.items()))
    assert lock.emit(make_plan(), config, others, DIAGNOSTICS, EXECUTABLE) == files[lock.NAME]
    assert files[lock.NAME].endswith(b"}\n")
    assert "预热太长" in files[lock.NAME].decode()


def test_a_run_without_a_device_has_none():
    plan = make_plan()
    plan.device = None
    assert lock.read(make_files(plan=plan)[lock.NAME]).device is None


@pytest.mark.parametrize(
    "edit",
    [
        lambda text: text.replace('"tiny"', '"tinz"'),
        lambda text: text.replace("910B3", "910B4"),
        lambda text: text.replace('"executable": true', '"executable": false'),
        lambda text: text.replace("\n", "\n ", 1),
        lambda text: text + "\n",
        lambda text: text.replace("预", "\\u9884"),
        lambda text: text.replace('"digest": "', '"digest": "0'),
        lambda text: text.replace('"vlac": ', '"more": 1,\n "vlac": '),
    ],
)
def test_every_edit_of_a_lock_is_noticed(files, edit):
    text = files[lock.NAME].decode()
    assert edit(text) != text
    assert not lock.read(edit(text).encode()).intact


GARBAGE = [
    b"",
    b"\xff\xfe",
    b"\x00",
    b"null",
    b"[]",
    b"1",
    b'"text"',
    b"{}",
    b'{"schema": 1}',
    b'{"schema": 1, "vlac": NaN}',
    b'{"schema": []}',
    b"{",
    b"[" * 100_000,
    b"1" * 5000,
]


@pytest.mark.parametrize("data", GARBAGE, ids=range(len(GARBAGE)))
def test_garbage_is_refused(data):
    with pytest.raises(RefusedError, match=r"vlac\.lock\.json"):
        lock.read(data)


def leaves(value, path=()):
    """Every place in a JSON document."""
    yield path
    if isinstance(value, dict):
        for key, item in value.items():
            yield from leaves(item, (*path, key))


def test_a_wrong_type_anywhere_is_refused_or_at_least_noticed(files):
    document = json.loads(files[lock.NAME])
    places = [place for place in leaves(document) if place]
    assert len(places) > 40
    for *section, key in places:
        for wrong in (None, 7, "text", [], {}, [7], {"k": 7}, float("nan"), "\ud800"):
            changed = json.loads(files[lock.NAME])
            inner = changed
            for part in section:
                inner = inner[part]
            if inner[key] == wrong:
                continue
            inner[key] = wrong
            with suppress(RefusedError):
                assert not lock.read(json.dumps(changed).encode()).intact


def test_a_lock_of_another_schema_says_which_vlac_is_too_old(files):
    data = files[lock.NAME].replace(b'"schema": 1', b'"schema": 2')
    with pytest.raises(RefusedError, match="schema 2"):
        lock.read(data)


@pytest.mark.parametrize("name", ["../x", "/etc/passwd", "a/../../b", "a//b", ".", "", "a/./b", "a\0b"])
def test_a_file_name_that_leads_out_of_the_bundle_is_refused(files, name):
    document = json.loads(files[lock.NAME])
    document["files"][name] = {"sha256": "", "executable": False}
    with pytest.raises(RefusedError, match="no path inside a bundle"):
        lock.read(json.dumps(document).encode())


def test_dotted_keys_are_told_apart():
    assert lock.dotted(("a", "b")) == "a.b"
    assert lock.dotted(("a", "b.c")) == 'a."b.c"'
    assert lock.dotted(("a.b", "")) == '"a.b".""'
    assert lock.dotted(("cluster", "actor,env,rollout")) == "cluster.actor,env,rollout"
