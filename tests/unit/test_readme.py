"""What the two READMEs show is what the commands print."""

import re
import shlex
import shutil
from pathlib import Path

import pytest

from vlac.cli import main
from vlac.spec.load import load_text

ROOT = Path(__file__).parents[2]
READMES = ("README.md", "README.zh-CN.md")
SPEC = "pi05_libero10_8x910b3.yaml"
MISTAKES = {
    "micro_batch: 4": "micro_batch: 3",
    "lr: 2.5e-5": "learning_rate: 2.5e-5",
    "warmup_steps": "warmup_step",
}


def blocks(readme, language=""):
    """The fenced blocks of a README in a language."""
    text = (ROOT / readme).read_text(encoding="utf-8")
    fenced = re.findall(r"^```(\w*)\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)
    return [content for name, content in fenced if name == language]


def sessions(readme):
    """Every `$ command` of a README with what is shown to come out of it."""
    for block in blocks(readme):
        if block.startswith("$ vlac "):
            command, _, shown = block.removeprefix("$ vlac ").partition("\n")
            yield command, shown


def spec_lines(text):
    return [line for line in text.splitlines() if not line.startswith("#")]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder with the files that the READMEs name."""
    (tmp_path / "specs").mkdir()
    shutil.copy(ROOT / "specs" / SPEC, tmp_path / "specs")
    bad = "\n".join(spec_lines((ROOT / "specs" / SPEC).read_text()))
    for right, wrong in MISTAKES.items():
        assert right in bad
        bad = bad.replace(right, wrong)
    (tmp_path / "bad.yaml").write_text(bad + "\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def assert_shown(printed, shown):
    """Each stretch of `shown` between lines of `  ...` is in `printed`, in this order."""
    position = 0
    for part in re.split(r"^ *\.\.\.\n", shown, flags=re.MULTILINE):
        found = printed.find(part, position)
        assert found >= 0, f"the command no longer prints:\n{part}\nit prints:\n{printed}"
        position = found + len(part)


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("readme", READMES)
def test_commands_print_what_is_shown(readme, capsys):
    shown = dict(sessions(readme))
    assert {command.split()[0] for command in shown} == {"compile", "diff", "explain"}
    for command, expected in shown.items():
        main(shlex.split(command))
        captured = capsys.readouterr()
        assert_shown(captured.out + captured.err, expected)


@pytest.mark.parametrize("readme", READMES)
def test_the_spec_shown_is_the_shipped_one(readme):
    shown, _ = blocks(readme, "yaml")
    assert spec_lines(shown) == spec_lines((ROOT / "specs" / SPEC).read_text())


@pytest.mark.parametrize("readme", READMES)
def test_the_spec_with_a_base_is_valid(readme):
    _, shown = blocks(readme, "yaml")
    assert load_text(shown, folder=ROOT).written["base"]


def test_both_languages_show_the_same():
    english, chinese = map(blocks, READMES)
    assert english == chinese


@pytest.mark.parametrize("readme", READMES)
def test_every_link_into_the_repository_exists(readme):
    text = (ROOT / readme).read_text(encoding="utf-8")
    links = [link for link in re.findall(r"\]\(([^)]+)\)", text) if "://" not in link]
    assert links
    assert [link for link in links if not (ROOT / link).exists()] == []
