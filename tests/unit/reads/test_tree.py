"""Trees, entry scripts, the cache and the command."""

import json

import pytest

from vlac.cli import main
from vlac.errors import RefusedError
from vlac.rlinf.reads import Run, Tree, find_installed, read_for, read_tree
from vlac.rlinf.reads.cache import default_folder

RUN = Run("sft", "openpi", "fsdp")
CODE = "def main_of(cfg):\n    cfg.a\n    cfg.get('b')\n"


def test_places(tmp_path, write):
    reads = read_tree(write(tmp_path, CODE), RUN).of_kind("strict")
    assert [(place.file, place.line) for place in reads["a",].places] == [("rlinf/config.py", 2)]


def test_what_is_no_tree(tmp_path):
    with pytest.raises(RefusedError, match="no RLinf tree"):
        Tree(tmp_path)
    with pytest.raises(RefusedError, match="no such folder"):
        Tree(tmp_path / "nowhere")


def test_a_file_that_does_not_parse_is_told_and_the_rest_is_read(tmp_path, write):
    code = "from rlinf.broken import read\ndef main_of(cfg):\n    read(cfg)\n    cfg.a"
    reads = read_tree(write(tmp_path, code, broken="def read(cfg):\n    cfg.b b"), RUN)
    assert ("a",) in reads.of_kind("strict")
    assert [(unread.file, unread.line) for unread in reads.unread] == [("rlinf/broken.py", 2)]


def test_bytes_that_are_no_text_are_told(tmp_path, write):
    tree = write(tmp_path, "from rlinf import broken\ndef main_of(cfg):\n    broken.read(cfg)\n    cfg.a")
    (tmp_path / "rlinf" / "broken.py").write_bytes(b"\xff\x00\xfe")
    reads = read_tree(tree, RUN)
    assert ("a",) in reads.of_kind("strict")
    assert reads.unread[0].file == "rlinf/broken.py"


def test_a_file_that_cannot_be_opened_is_told(tmp_path, monkeypatch, write):
    tree = write(tmp_path, CODE, locked="")
    read_bytes = type(tmp_path).read_bytes

    def refuse(path):
        if path.name == "locked.py":
            raise PermissionError(13, "Permission denied")
        return read_bytes(path)

    monkeypatch.setattr(type(tmp_path), "read_bytes", refuse)
    reads = read_tree(tree, RUN)
    assert ("a",) in reads.of_kind("strict")
    assert [(unread.file, unread.reason) for unread in reads.unread] == [
        ("rlinf/locked.py", "Permission denied")
    ]


def test_the_tree_is_not_run(tmp_path, write):
    code = f"open({str(tmp_path / 'made')!r}, 'w')\n" + CODE
    read_tree(write(tmp_path, code), RUN)
    assert not (tmp_path / "made").exists()


def test_the_script_beside_configs_of_the_task_is_taken(tmp_path, write):
    write(tmp_path, CODE)
    first, other = tmp_path / "examples" / "sft", tmp_path / "examples" / "rl"
    script, config = (first / "train.py").read_text(), (first / "config" / "a.yaml").read_text()
    (other / "config").mkdir(parents=True)
    (other / "train.py").write_text(script + "    cfg.other\n")
    (other / "config" / "b.yaml").write_text(config.replace("sft", "embodied"))
    assert read_tree(Tree(tmp_path), RUN).entries == ("examples/sft/train.py",)
    reads = read_tree(Tree(tmp_path), Run("embodied", "openpi", "fsdp"))
    assert ("other",) in reads.of_kind("strict")


def test_a_script_that_refuses_the_run_is_not_taken(tmp_path, write):
    write(tmp_path, CODE)
    script = (tmp_path / "examples" / "sft" / "train.py").read_text()
    refusing = script + "    if cfg.actor.model.model_type != 'qwen':\n        raise ValueError\n"
    (tmp_path / "examples" / "sft" / "train_qwen.py").write_text(refusing)
    assert read_tree(Tree(tmp_path), RUN).entries == ("examples/sft/train.py",)


def test_a_task_without_script(tmp_path, write):
    with pytest.raises(RefusedError, match="task_type reasoning") as refused:
        read_tree(write(tmp_path, CODE), Run("reasoning", "qwen", "fsdp"))
    assert "sft" in refused.value.hint


@pytest.mark.parametrize(
    ("file", "script"),
    [
        ("examples/agent/config/deep/b.yaml", "examples/agent/train.py"),
        ("examples/sft/config/other.yaml", "examples/sft/train.py"),
        ("", "examples/sft/train.py"),
    ],
)
def test_the_script_beside_the_config_is_meant(tmp_path, write, file, script):
    write(tmp_path, CODE)
    agent = tmp_path / "examples" / "agent"
    agent.mkdir()
    (agent / "train.py").write_text((tmp_path / "examples" / "sft" / "train.py").read_text())
    config = {"runner": {"task_type": "sft"}, "actor": {"model": {"model_type": "openpi"}}}
    assert read_for(Tree(tmp_path), config, file=file).entries == (script,)


def test_a_script_that_needs_a_section_the_config_has_not_is_not_meant(tmp_path, write):
    write(tmp_path, "def main_of(cfg):\n    cfg.actor.lr")
    script = (tmp_path / "examples" / "sft" / "train.py").read_text()
    other = script.replace("cfg.runner.task_type", "cfg.env").replace("main_of(cfg)", "cfg.runner")
    (tmp_path / "examples" / "sft" / "collect.py").write_text(other.replace('"a"', '"b"'))
    entries = {
        read_for(Tree(tmp_path), {"runner": {"task_type": "sft"}, section: {}}).entries
        for section in ("actor", "env")
    }
    assert entries == {("examples/sft/train.py",), ("examples/sft/collect.py",)}


def test_missing_keys_of_a_configuration(tmp_path, write):
    reads = read_tree(write(tmp_path, "def main_of(cfg):\n    cfg.a.b\n    cfg.c"), RUN)
    config = {"runner": {"task_type": "sft"}, "a": {}}
    assert [read.name for read in reads.missing(config)] == ["a.b", "c"]
    assert reads.missing({**config, "a": {"b": None}, "c": 1}) == []


def test_results_are_kept_by_content(tmp_path, monkeypatch, write):
    tree, folder = write(tmp_path / "tree", CODE), tmp_path / "cache"
    first = read_tree(tree, RUN, folder=folder)
    monkeypatch.setattr("vlac.rlinf.reads.api.follow", None)  # a kept result follows nothing
    assert read_tree(Tree(tmp_path / "tree"), RUN, folder=folder) == first
    (tmp_path / "tree" / "rlinf" / "new.py").write_text("")
    with pytest.raises(TypeError):
        read_tree(Tree(tmp_path / "tree"), RUN, folder=folder)


@pytest.mark.parametrize("damage", [b"", b"{", b"[]", b'{"reads": 1}', b"\xff"])
def test_a_damaged_cache_is_no_matter(tmp_path, damage, write):
    tree, folder = write(tmp_path / "tree", CODE), tmp_path / "cache"
    first = read_tree(tree, RUN, folder=folder)
    (kept,) = folder.iterdir()
    kept.write_bytes(damage)
    assert read_tree(tree, RUN, folder=folder) == first


def test_a_cache_that_cannot_be_written_is_no_matter(tmp_path, write):
    (tmp_path / "file").write_text("")
    assert read_tree(write(tmp_path / "tree", CODE), RUN, folder=tmp_path / "file" / "cache").reads


def test_the_cache_folder(monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert default_folder() == tmp_path / "vlac" / "reads"
    monkeypatch.setenv("XDG_CACHE_HOME", "relative")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert default_folder() == tmp_path / ".cache" / "vlac" / "reads"


def test_the_installed_package_is_found_without_import(tmp_path, monkeypatch, write):
    write(tmp_path, "raise SystemExit")
    monkeypatch.setattr("sys.path", [str(tmp_path)])
    assert find_installed() == tmp_path
    monkeypatch.setattr("sys.path", [])
    with pytest.raises(RefusedError, match="not installed"):
        find_installed()


def test_the_command_prints_json(tmp_path, capsys, write):
    write(tmp_path, CODE)
    assert main(["reads", "--rlinf", str(tmp_path), "--no-cache", "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    rows = {(row["key"], row["kind"]): row["places"] for row in document["reads"]}
    assert rows["a", "strict"] == [{"file": "rlinf/config.py", "line": 2}]
    assert rows["b", "defaulted"] == [{"file": "rlinf/config.py", "line": 3}]
    assert len(rows) == len(document["reads"])


def test_the_command_prints_text_and_refuses_what_is_no_tree(tmp_path, capsys, write):
    write(tmp_path / "tree", CODE, broken="(")
    assert main(["reads", "--rlinf", str(tmp_path / "tree"), "--no-cache"]) == 0
    assert "defaulted: 1 keys" in capsys.readouterr().out
    assert main(["reads", "--rlinf", str(tmp_path)]) == 1
    assert "no RLinf tree" in capsys.readouterr().err


def test_the_command_warns_of_words_that_the_tree_does_not_accept(tmp_path, capsys, write):
    write(tmp_path, 'SUPPORTED_TRAINING_BACKENDS = ["megatron", "fsdp"]\n' + CODE)
    assert main(["reads", "--rlinf", str(tmp_path), "--no-cache"]) == 0
    assert capsys.readouterr().err == ""
    assert main(["reads", "--rlinf", str(tmp_path), "--no-cache", "--backend", "fsdp2"]) == 0
    warning = "warning: fsdp2 is no training backend of this tree: megatron, fsdp\n"
    assert capsys.readouterr().err == warning
