"""HEAD is read from git's files, without a git program."""

import pytest

from vlac.rlinf.trees.git_head import head_commit

COMMIT = "0123456789" * 4
OTHER = "a" * 40


@pytest.fixture
def git(tmp_path):
    def write(files):
        for name, text in files.items():
            path = tmp_path / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        return head_commit(tmp_path / "tree")

    (tmp_path / "tree").mkdir()
    return write


def test_no_checkout(git):
    assert git({"tree/README": ""}) is None


def test_detached(git):
    assert git({"tree/.git/HEAD": f"{COMMIT}\n"}) == COMMIT


def test_a_branch(git):
    assert git({"tree/.git/HEAD": "ref: refs/heads/x\n", "tree/.git/refs/heads/x": f"{COMMIT}\n"}) == COMMIT


def test_a_packed_branch(git):
    packed = f"# pack-refs with: peeled\n{OTHER} refs/heads/xy\n{COMMIT} refs/heads/x\n^{OTHER}\n"
    assert git({"tree/.git/HEAD": "ref: refs/heads/x\n", "tree/.git/packed-refs": packed}) == COMMIT


@pytest.mark.parametrize("place", ["repo/.git/refs/heads/x", "repo/.git/packed-refs"])
def test_a_worktree(git, place):
    files = {
        "tree/.git": "gitdir: ../repo/.git/worktrees/tree\n",
        "repo/.git/worktrees/tree/HEAD": "ref: refs/heads/x\n",
        "repo/.git/worktrees/tree/commondir": "../..\n",
        place: f"{COMMIT} refs/heads/x\n" if "packed" in place else COMMIT,
    }
    assert git(files) == COMMIT


@pytest.mark.parametrize(
    "files",
    [
        {"tree/.git/HEAD": "ref: refs/heads/gone\n"},
        {"tree/.git/HEAD": "ref: ../../secret\n", "secret": COMMIT},
        {"tree/.git/HEAD": "nonsense"},
        {"tree/.git": "gitdir: ../nowhere\n"},
    ],
)
def test_what_git_would_not_understand(git, files):
    assert git(files) is None
