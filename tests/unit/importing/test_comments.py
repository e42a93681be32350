"""Comments are found at the key that they stand at."""

from vlac.importing.comments import Comment, comments_of, joined

TEXT = """\
# Copyright

cluster:  # the machines
  num_nodes: 1   # one

actor:
  # first line
    # second line
  lr: "a # b"  # peak
  empty:  # nothing here
  list:  # which
    - a  # of no key
  flow: [1, 2] # both
  folded: >-
    text # not a comment

  # above a gap

  after: 1
  "quoted, key": 0 #x
# trailing
"""


def test_above_and_beside():
    assert comments_of(TEXT) == {
        ("cluster",): Comment(beside="# the machines"),
        ("cluster", "num_nodes"): Comment(beside="# one"),
        ("actor", "lr"): Comment(("# first line", "# second line"), "# peak"),
        ("actor", "empty"): Comment(beside="# nothing here"),
        ("actor", "list"): Comment(beside="# which"),
        ("actor", "flow"): Comment(beside="# both"),
        ("actor", "quoted, key"): Comment(beside="#x"),
    }


def test_a_text_without_comments_or_mappings():
    assert comments_of("a: {b: 1}\n") == {}
    assert comments_of("- a # x\n") == {}


def test_keys_that_become_one_line_say_nothing_twice():
    both = joined([Comment(("# a",), "# b"), Comment(("# a", "# c"), "# b")])
    assert both == Comment(("# a", "# c"), "# b")
