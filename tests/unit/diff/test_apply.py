"""Patches on files in memory: where hunks go, and why they do not."""

import pytest

from vlac.diff.apply import apply
from vlac.diff.image import between
from vlac.patches.parse import parse

TEN = [f"line {number}" for number in range(1, 11)]


def text(lines):
    return "".join(f"{line}\n" for line in lines)


def hunk(at, *lines):
    before, after = (sum(line[0] != mark for line in lines) for mark in "+-")
    return [f"@@ -{at},{before} +{at},{after} @@", *lines]


def patch(*hunks, path="f.txt"):
    lines = [f"--- a/{path}", f"+++ b/{path}", *(line for one in hunks for line in one), ""]
    return parse("\n".join(lines).encode(), "p.patch")


def applied(lines, *hunks):
    files = {"f.txt": text(lines)} if lines is not None else {}
    return apply(patch(*hunks), files.get)


CHANGE = (" line 4", "-line 5", "+five", " line 6")


def test_a_hunk_goes_where_it_says():
    done = applied(TEN, hunk(4, *CHANGE))
    assert done.images["f.txt"].side("-") == [*TEN[:4], "five", *TEN[5:]]
    (placed,) = done.placements
    assert (placed.line, placed.offset) == (4, 0)


@pytest.mark.parametrize(("more", "offset"), [(3, 3), (-2, -2)])
def test_a_hunk_that_moved_is_found_and_its_offset_told(more, offset):
    lines = [*(f"new {n}" for n in range(more)), *TEN] if more > 0 else TEN[-more:]
    (placed,) = applied(lines, hunk(4, *CHANGE)).placements
    assert placed.offset == offset


def test_a_second_hunk_is_sought_where_the_first_leaves_it():
    first = hunk(2, " line 2", "+two and a half", " line 3")
    second = ["@@ -8,3 +9,2 @@", " line 8", "-line 9", " line 10"]
    done = applied(TEN, first, second)
    assert [placed.offset for placed in done.placements] == [0, 0]
    assert "line 9" not in done.images["f.txt"].side("-")


def test_the_nearest_of_several_places_is_taken():
    lines = ["a", "x", "b", *TEN, "a", "x", "b"]
    done = applied(lines, hunk(13, " a", "-x", "+y", " b"))
    assert done.images["f.txt"].side("-")[-2:] == ["y", "b"]


def test_a_hunk_from_line_1_belongs_at_the_beginning():
    done = applied(["new", *TEN], hunk(1, "-line 1", "+one", " line 2"))
    assert [problem.code for problem in done.problems] == ["patch-context"]


def test_a_hunk_without_context_after_it_belongs_at_the_end():
    done = applied([*TEN, "more"], hunk(9, " line 9", " line 10", "+line 11"))
    assert [problem.code for problem in done.problems] == ["patch-context"]
    assert not applied(TEN, hunk(9, " line 9", " line 10", "+line 11")).problems


def test_less_context_is_told_as_git_would_have_to_be():
    lines = ["other" if line == "line 3" else line for line in TEN]
    (problem,) = applied(lines, hunk(3, " line 3", *CHANGE, " line 7")).problems
    assert problem.code == "patch-context"
    assert "line 3 is `other` where the patch has `line 3`" in problem.message
    assert "git apply -C1 would put it at line 4" in problem.hint


def test_a_line_that_is_not_there_is_named():
    lines = ["changed" if line == "line 5" else line for line in TEN]
    (problem,) = applied(lines, hunk(4, *CHANGE)).problems
    assert problem.code == "patch-does-not-apply"
    assert "hunk 1 of f.txt" in problem.message
    assert "line 5 is `changed` where the patch has `line 5`" in problem.message
    assert problem.position.line == 3


def test_a_hunk_whose_lines_are_nowhere():
    (problem,) = applied(["nothing", "of", "it"], hunk(4, *CHANGE)).problems
    assert "no line there is `line 4`" in problem.message


def test_what_is_there_already_is_told_so():
    lines = [*TEN[:4], "five", *TEN[5:]]
    (problem,) = applied(lines, hunk(4, *CHANGE)).problems
    assert problem.code == "patch-applied"


def test_a_file_that_is_not_there():
    (problem,) = applied(None, hunk(4, *CHANGE)).problems
    assert problem.code == "patch-file-missing"


CREATE = "--- /dev/null\n+++ b/f.txt\n@@ -0,0 +1,2 @@\n+a\n+b\n"
DELETE = "--- a/f.txt\n+++ /dev/null\n@@ -1,2 +0,0 @@\n-a\n-b\n"


def test_files_come_and_go():
    made = apply(parse(CREATE.encode(), "p"), {}.get).images["f.txt"]
    assert (made.existed, made.exists, made.text) == (False, True, "a\nb\n")
    gone = apply(parse(DELETE.encode(), "p"), {"f.txt": "a\nb\n"}.get).images["f.txt"]
    assert (gone.existed, gone.exists, gone.text) == (True, False, "")


def test_a_new_file_that_is_there():
    (problem,) = apply(parse(CREATE.encode(), "p"), {"f.txt": "c\n"}.get).problems
    assert problem.code == "patch-file-exists"
    (problem,) = apply(parse(CREATE.encode(), "p"), {"f.txt": "a\nb\n"}.get).problems
    assert problem.code == "patch-applied"


def test_every_problem_is_told_at_once():
    assert len(applied(TEN, hunk(4, " no", "-none", "+x"), hunk(8, " never", "-nor", "+y")).problems) == 2


def test_lines_that_a_later_hunk_takes_back_leave_no_trace():
    data = patch(hunk(4, *CHANGE)), patch(hunk(4, " line 4", "-five", "+line 5", " line 6"))
    once = apply(data[0], {"f.txt": text(TEN)}.get).images["f.txt"]
    both = apply(
        parse(
            ("\n".join(["--- a/f.txt", "+++ b/f.txt", *hunk(4, *CHANGE), ""])).encode()
            + b"--- a/f.txt\n+++ b/f.txt\n@@ -4,3 +4,3 @@\n line 4\n-five\n+line 5\n line 6\n",
            "two.patch",
        ),
        {"f.txt": text(TEN)}.get,
    ).images["f.txt"]
    assert once.is_changed
    assert both.side("-") == TEN == both.side("+")


def test_line_ends_of_the_file_do_not_count():
    done = apply(patch(hunk(4, *CHANGE)), {"f.txt": text(TEN).replace("\n", "\r\n")}.get)
    assert not done.problems


def test_a_widened_patch_has_the_whole_file():
    wide = applied(TEN, hunk(4, *CHANGE)).images["f.txt"].widened()
    (one,) = wide.hunks
    assert [line.text for line in one.side("+")] == TEN
    assert [line.number for line in one.lines if line.mark != " "] == [5, 6]


def test_two_states_of_a_file():
    image = between("f.txt", text(TEN), text([*TEN[:4], "five", *TEN[5:]]))
    changed = [(line.mark, line.text, line.number) for line in image.lines if line.mark != " "]
    assert changed == [("-", "line 5", 5), ("+", "five", 5)]
