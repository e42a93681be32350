"""Reading unified diffs: every form that git and diff write, and every way to break one."""

import re
from pathlib import Path
from textwrap import dedent

import pytest

import vlac.patches
from vlac.diagnostics.codes import CODES
from vlac.patches.parse import PatchError, parse

GIT = """\
diff --git a/a/x.yaml b/a/x.yaml
index 5c38687..6dc4887 100644
--- a/a/x.yaml
+++ b/a/x.yaml
@@ -1,2 +1,3 @@ top:
 one
+two
 three
@@ -10 +11 @@
-ten
+TEN
diff --git a/b.py b/b.py
--- a/b.py
+++ b/b.py
@@ -1 +1 @@
-x
+y
"""


def problems(text):
    with pytest.raises(PatchError) as caught:
        parse(text.encode() if isinstance(text, str) else text, "p.patch")
    return [(found.code, str(found.position)) for found in caught.value.diagnostics]


def test_git_headers_several_files_and_hunks():
    patch = parse(GIT.encode(), "p.patch")
    assert [(file.path, file.change, len(file.hunks)) for file in patch.files] == [
        ("a/x.yaml", "edit", 2),
        ("b.py", "edit", 1),
    ]
    first, second = patch.files[0].hunks
    assert first.heading == "top:"
    assert [(line.mark, line.text, line.number) for line in first.lines] == [
        (" ", "one", 6),
        ("+", "two", 7),
        (" ", "three", 8),
    ]
    assert [line.text for line in second.side("+")] == ["ten"]
    assert [line.text for line in second.side("-")] == ["TEN"]


def test_plain_headers_with_time_stamps():
    text = (
        "--- x.sh.orig\t2026-06-30 12:00:00 +0000\n+++ x.sh\t2026-06-30 12:01:00 +0000\n@@ -1 +1 @@\n-a\n+b\n"
    )
    (file,) = parse(text.encode(), "p").files
    assert (file.path, file.change) == ("x.sh", "edit")


def test_crlf_and_no_newline_marker():
    text = "--- a/x.sh\n+++ b/x.sh\n@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+b\n\\ No newline at end of file\n"
    (file,) = parse(text.replace("\n", "\r\n").encode(), "p").files
    assert [(line.mark, line.text) for line in file.hunks[0].lines] == [("-", "a"), ("+", "b")]


def test_created_and_deleted_files():
    text = "--- /dev/null\n+++ b/new.py\n@@ -0,0 +1 @@\n+x\n--- a/old.py\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n"
    assert [(file.path, file.change) for file in parse(text.encode(), "p").files] == [
        ("new.py", "create"),
        ("old.py", "delete"),
    ]


def test_a_mail_around_the_patch_is_passed_over():
    mail = f"From 1234 Mon Sep 17\nSubject: [PATCH] x\n\n---\n b.py | 2 +-\n\n{GIT}-- \n2.40.0\n\n"
    assert len(parse(mail.encode(), "p").files) == 2


def test_an_empty_context_line_may_have_lost_its_blank():
    text = "--- a/x\n+++ b/x\n@@ -1,3 +1,3 @@\n a\n\n-b\n+c\n"
    (file,) = parse(text.encode(), "p").files
    assert [line.mark for line in file.hunks[0].lines] == [" ", " ", "-", "+"]


def test_a_removed_line_that_looks_like_a_header_stays_a_line():
    text = "--- a/x\n+++ b/x\n@@ -1,2 +1 @@\n--- a comment in SQL\n keep\n"
    (file,) = parse(text.encode(), "p").files
    assert file.hunks[0].lines[0].text == "-- a comment in SQL"


def test_a_change_of_mode_sets_nothing():
    text = f"diff --git a/run.sh b/run.sh\nold mode 100644\nnew mode 100755\n{GIT}"
    assert [file.path for file in parse(text.encode(), "p").files] == ["a/x.yaml", "b.py"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", [("patch-empty", "p.patch:1:1")]),
        ("just text\n", [("patch-empty", "p.patch:1:1")]),
        ("@@ -1 +1 @@\n-a\n+b\n", [("patch-hunk-without-file", "p.patch:1:1")]),
        ("--- a/x\n+++ b/x\n", [("patch-no-hunk", "p.patch:1:1")]),
        ("--- a/x\n+++ b/x\n@@ -1,2 +1 @@\n-a\n+b\n", [("patch-hunk-count", "p.patch:3:1")]),
        ("--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n+c\n", [("patch-hunk-count", "p.patch:3:1")]),
        ("--- a/x\n+++ b/x\n@@ -1,9 +1,9 @@\n a\ngarbage\n", [("patch-hunk-count", "p.patch:3:1")]),
        ("--- a/x\n+++ b/x\n@@ nonsense @@\n-a\n+b\n", [("patch-hunk-header", "p.patch:3:1")]),
        (
            "diff --git a/x b/y\nsimilarity index 100%\nrename from x\nrename to y\n",
            [("patch-refused", "p.patch:3:1")],
        ),
        ("diff --git a/x b/x\nindex 1..2 100644\nGIT binary patch\n", [("patch-refused", "p.patch:3:1")]),
        ("Binary files a/x and b/x differ\n", [("patch-refused", "p.patch:1:1")]),
        ("diff --cc x\n", [("patch-refused", "p.patch:1:1")]),
        ("diff --git a/x b/x\nindex 1..2 100644\n", [("patch-no-hunk", "p.patch:1:1")]),
        (b"--- a/x\n+++ b/x\n@@ -1 +1 @@\n-\xff\n+b\n", [("patch-not-utf8", "p.patch:4:1")]),
    ],
)
def test_broken_patches_are_told_with_their_line(text, expected):
    assert problems(text) == expected


def test_all_problems_of_a_patch_are_told_at_once():
    text = dedent(
        """\
        --- a/x
        +++ b/x
        @@ -1,4 +1 @@
        -a
        @@ -9 +9,3 @@
        -a
        --- a/y
        +++ b/y
        @@ -1 +1 @@
        -a
        """
    )
    assert problems(text) == [
        ("patch-hunk-count", "p.patch:3:1"),
        ("patch-hunk-count", "p.patch:5:1"),
        ("patch-hunk-count", "p.patch:9:1"),
    ]


def test_a_cut_patch_is_never_taken_for_a_whole_one():
    lines = GIT.splitlines(keepends=True)
    ends_of_hunks = {8, 11}
    for end in range(1, len(lines)):
        text = "".join(lines[:end]).encode()
        if end in ends_of_hunks:
            continue
        with pytest.raises(PatchError):
            parse(text, f"first {end} lines")


def test_every_code_is_explained():
    sources = "".join(path.read_text() for path in Path(vlac.patches.__file__).parent.glob("*.py"))
    used = set(re.findall(r'"(patch-[a-z0-9-]+)"', sources))
    assert len(used) >= 7
    assert used <= set(CODES)


@pytest.mark.parametrize("path", ["/etc/passwd", "../../etc/passwd", "a/../../b.py"])
def test_a_path_that_leads_out_of_the_checkout_is_refused(path):
    text = f"--- {path}\n+++ {path}\n@@ -1 +1 @@\n-a\n+b\n"
    with pytest.raises(PatchError) as caught:
        parse(text.encode(), "p")
    assert [problem.code for problem in caught.value.diagnostics] == ["patch-refused"]
    assert "leads out of the checkout" in caught.value.diagnostics[0].message


@pytest.mark.parametrize(
    ("quoted", "path"),
    [
        (r"\346\226\207/n.yaml", "文/n.yaml"),
        (r"say \"hi\".py", 'say "hi".py'),
        (r"back\\slash", "back\\slash"),
        ("文\\t", "文\t"),
    ],
)
def test_names_that_git_quotes_are_read(quoted, path):
    text = f'--- "a/{quoted}"\n+++ "b/{quoted}"\n@@ -1 +1 @@\n-a\n+b\n'
    assert parse(text.encode(), "p").files[0].path == path
