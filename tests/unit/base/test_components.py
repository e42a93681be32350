"""Placement of a base with several components."""

from __future__ import annotations

import pytest

from vlac.errors import SpecError
from vlac.rlinf.placements import parse

CARDS = "hardware: {backend: cuda, device: H100, cards: %s%s}\n"
TOGETHER = "    actor,env,rollout: all\n"
APART = "    actor: 0-3\n    env,rollout: 4-7\n"
GROUPS = "    actor: 0-0\n    env: {node_group: franka, placement: 0}\n    rollout: 0-0\n"


def placed(bundle):
    return {key[2]: s.value for key, s in bundle.config.items() if key[1:2] == ("component_placement",)}


@pytest.mark.parametrize("composed", ["all", "0-0", "0-7", "0"])
def test_components_that_share_their_cards_share_those_of_the_run(compiled, composed):
    bundle = compiled(CARDS % (4, ""), (TOGETHER, f"    actor,env,rollout: {composed}\n"))
    assert placed(bundle) == {"actor,env,rollout": "0-3"}
    assert bundle.plan.integer("world_size") == 4


def test_components_apart_stay_where_they_fill_the_cards(compiled):
    bundle = compiled(CARDS % (8, ""), (TOGETHER, APART))
    assert placed(bundle) == {"actor": "0-3", "env,rollout": "4-7"}
    assert bundle.plan.integer("world_size") == 4  # the actor's ranks share the batch


def test_components_apart_have_to_be_placed_on_another_number_of_cards(compiled):
    with pytest.raises(SpecError) as caught:
        compiled(CARDS % (4, ""), (TOGETHER, APART))
    (found,) = caught.value.diagnostics
    assert found.code == "placement-unclear"
    assert 'placement: {"actor": 0-3, "env,rollout": 4-7} with ranks from 0 to 3' in found.hint


def test_a_written_placement_replaces_the_whole_of_the_base(compiled):
    bundle = compiled(CARDS % (8, ", placement: {actor: 0-1, env: 2-3, rollout: 4-7}"), (TOGETHER, APART))
    assert placed(bundle) == {"actor": "0-1", "env": "2-3", "rollout": "4-7"}
    assert bundle.plan.integer("gradient_accumulation") == 2048 // (32 * 2)


def test_groups_of_nodes_stay_and_are_told(compiled):
    bundle = compiled(CARDS % (8, ""), (TOGETHER, GROUPS))
    assert "placement-groups" in {d.code for d in bundle.diagnostics}
    assert bundle.config["cluster", "component_placement", "env", "node_group"].value == "franka"


@pytest.mark.parametrize(
    ("placement", "words"),
    [
        ("{actor: 0-7}", "says nothing about env, rollout"),
        ("{actor: 0-7, env: 0-7, rollout: 0-7, reward: 0-7}", "the base runs no reward"),
        ('{actor: 0-7, "env,rollout": 0-7, env: 0-3}', "env is placed more than once"),
        ('{actor: 0-8, "env,rollout": 0-7}', "0-8 leaves the 8 accelerators"),
        ('{actor: 7-0, "env,rollout": 0-7}', "7-0 are no ranks"),
        ('{actor: x, "env,rollout": 0-7}', "`x` are no ranks"),
    ],
)
def test_a_placement_that_does_not_fit_is_refused(compiled, placement, words):
    with pytest.raises(SpecError) as caught:
        compiled(CARDS % (8, f", placement: {placement}"))
    assert any(words in d.message for d in caught.value.diagnostics)


@pytest.mark.parametrize(
    ("text", "resources", "ranks"),
    [
        ("0-3", {0, 1, 2, 3}, 4),
        (5, {5}, 1),
        ("0-1,6", {0, 1, 6}, 3),
        ("0-3:0-7", {0, 1, 2, 3}, 8),
        ("0:0-7", {0}, 8),
        ("all", None, 16),
    ],
)
def test_rlinfs_words_for_ranks(text, resources, ranks):
    found = parse(text)
    assert (found.resources, found.ranks(16)) == (resources, ranks)


@pytest.mark.parametrize("text", ["", "a", "3-1", None, True, {"node_group": "a"}, "0-1:x"])
def test_other_forms_are_not_read(text):
    assert parse(text) is None
