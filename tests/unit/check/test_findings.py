"""Each kind of finding, its severity and its place."""

import pytest

from vlac.check import check_file
from vlac.check.placement import _complaint
from vlac.diagnostics.codes import CODES
from vlac.rlinf.moves import GROUPS, MOVES, WORDS


def test_a_config_without_fault_is_fine(check):
    assert check() == []


def test_a_missing_key_with_the_places_that_read_it(check):
    ((code, severity, line, column, message),) = check(("    is_lora: false\n", ""))
    assert (code, severity, line, column) == (
        "check-key-missing",
        "error",
        11,
        3,
    )  # the section it belongs to
    assert "`actor.model.is_lora`" in message
    assert "rlinf/models/__init__.py:4" in message


def test_a_missing_section_is_told_once(check):
    found = check(("  optim:\n    lr: 1.0e-5\n", ""))
    assert [(code, line) for code, _, line, *_ in found] == [("check-key-missing", 9)]
    assert "actor.optim" in found[0][-1]


@pytest.mark.parametrize("value", ["null", "0", "no"])
def test_a_key_that_is_there_with_any_value_is_not_missing(check, value):
    assert not [one for one in check(("is_lora: false", f"is_lora: {value}")) if "missing" in one[0]]


def test_a_dead_key(check):
    ((code, severity, line, column, message),) = check(
        ("    lr: 1.0e-5\n", "    lr: 1.0e-5\n    warmup_style: cosine\n")
    )
    assert (code, severity, line, column) == ("check-key-dead", "warning", 16, 5)
    assert "actor.optim.warmup_style" in message


@pytest.mark.parametrize(
    "change",
    [
        (
            "    is_lora: false\n",
            "    is_lora: false\n    openpi_data: {anything: 1}\n",
        ),  # goes on as **options
        ("    is_lora: false\n", "    is_lora: false\n    lora_rank: 8\n"),  # read by other runs of the kind
        ("actor:\n", "note:\n  lr: 2\nactor:\n"),  # of a section that nothing opens nobody knows
        ("    lr: 1.0e-5\n", "    lr: ${.rate}\n    rate: 2.0e-5\n"),  # an interpolation leads to it
    ],
)
def test_what_may_be_read_is_not_dead(check, change):
    assert check(change) == []


@pytest.mark.parametrize(
    ("change", "key", "hint"),
    [
        (("openpi", "openpii"), "actor.model.model_type", "did you mean openpi?"),
        (("openpi", "value_model"), "actor.model.model_type", "it is called recap_value_model here"),
        (("[tensorboard]", "[tensorboard, wandbb]"), "runner.logger.logger_backends", "did you mean wandb?"),
    ],
)
def test_words_that_the_tree_does_not_accept(write, change, key, hint):
    (found,) = check_file(write(change)).diagnostics
    assert (found.code, found.severity) == ("check-word-unknown", "error")
    assert key in found.message
    assert found.hint.startswith(hint)


def test_a_word_of_a_key_that_is_not_read_is_no_matter(check):
    assert not [one for one in check(("  optim:", "  training_backend: fsdpp\n  optim:")) if "word" in one[0]]


def test_the_model_of_a_bundle_registers_itself(check):
    assert check(("openpi", "vlac_demo"), ("    lr: 1.0e-5\n", "    lr: 1.0e-5\n    ours: 1\n")) == []


def test_a_moved_key(check):
    found = check(("  optim:", "  openpi_data: {repo_id: a/b}\n  optim:"))
    assert [(one[0], one[1], one[2]) for one in found] == [("check-key-moved", "warning", 14)]
    assert "actor.model.openpi_data" in found[0][-1]


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ("${actor.nothing}", "actor.nothing"),
        ("${..model.lora}", "actor.model.lora"),
        ("${actor.optim.lr}", "leads back"),
        ("${sum:1,2}", "resolver `sum`"),
    ],
)
def test_interpolations_that_cannot_resolve(check, value, said):
    found = check(("lr: 1.0e-5", f"lr: {value}"))
    assert [(one[0], one[1], one[2], one[3]) for one in found] == [("check-interpolation", "error", 15, 5)]
    assert said in found[0][-1]


@pytest.mark.parametrize(
    "value", ["${multiply:2,3}", "${oc.env:HOME}", "${actor.micro_batch_size}", "${..micro_batch_size}"]
)
def test_interpolations_that_resolve(check, value):
    assert check(("lr: 1.0e-5", f"lr: {value}")) == []


def test_mandatory_values(check):
    found = check(("lr: 1.0e-5", "lr: ???"), ("num_nodes: 1", "num_nodes: 1\n  spare: ???"))
    assert [one[:3] for one in found] == [
        ("check-value-mandatory", "warning", 6),
        ("check-value-mandatory", "error", 16),
    ]


@pytest.mark.parametrize(
    "value", ["/path/to/data", "path_to_your_model", "/PATH/TO/DATA", "MODEL_PATH", "'<repo_id>'"]
)
def test_placeholders(check, value):
    found = check(("/data/libero", value))
    assert [one[:3] for one in found] == [("check-placeholder", "warning", 8)]


@pytest.mark.parametrize(
    ("placed", "said"),
    [
        ("{actor: 0-1, 'actor,env': all}", "places actor again"),
        ("{actor: {node_group: gpu, placement: 0}}", "node group gpu"),
        ("{actor: first}", "is no placement"),
    ],
)
def test_placements(check, placed, said):
    found = check(("{actor: 0-1}", placed))
    assert [one[:3] for one in found] == [("check-placement", "error", 6)]
    assert said in found[0][-1]


def test_a_node_outside_the_cluster(check):
    groups = "num_nodes: 1\n  node_groups: [{label: gpu, node_ranks: 0-1}]"
    found = check(("num_nodes: 1", groups), ("{actor: 0-1}", "{actor: {node_group: gpu, placement: 0}}"))
    assert [one[:3] for one in found] == [("check-placement", "error", 6)]


@pytest.mark.parametrize(
    ("text", "accelerators", "said"),
    [
        ("all", 8, None),
        ("0-7", 8, None),
        ("0-7", None, None),
        ("0-3:0-7", 8, None),
        ("0-1:0-3,3-5,7-10:7-14", 16, None),
        ("0-1:0", 2, None),
        ("0-8", 8, "names accelerator 8"),
        ("3-1", 8, "no placement"),
        ("0-3,2-5", 8, "must rise"),
        ("0-1:0-1,2-3:3-4", 8, "2 is expected, not 3"),
        ("0-2:0-1", 8, "evenly"),
        ("0:0:0", 8, "no placement"),
        ("0-1:a", 8, "no process ranks"),
    ],
)
def test_ranks(text, accelerators, said):
    complaint = _complaint(text, accelerators)
    assert complaint is None if said is None else said in complaint


def test_what_rlinf_asserts_itself(check):
    found = check(("micro_batch_size: 4", "micro_batch_size: 0"))
    assert [one[:4] for one in found] == [("check-assertion", "error", 10, 3)]
    assert "rlinf/config.py:13" in found[0][-1]
    assert "micro_batch_size is 0" in found[0][-1]


def test_what_a_finding_told_is_not_told_in_rlinfs_words_again(check):
    found = check(("  micro_batch_size: 4\n", ""))
    assert [one[0] for one in found] == ["check-key-missing"]


def test_all_at_once_in_the_order_of_the_file(check):
    found = check(
        ("    is_lora: false\n", ""), ("/data/libero", "/path/to/data"), ("lr: 1.0e-5", "lr: ${nowhere}")
    )
    assert [(one[0], one[2]) for one in found] == [
        ("check-placeholder", 8),
        ("check-key-missing", 11),
        ("check-interpolation", 14),
    ]


def test_every_code_is_explained():
    assert {code for code in CODES if code.startswith("check-key")} == {
        "check-key-missing",
        "check-key-maybe-missing",
        "check-key-dead",
        "check-key-moved",
    }


def test_moves_have_sources():
    assert all(row.source and row.old != row.new for row in (*MOVES, *WORDS, *GROUPS))
