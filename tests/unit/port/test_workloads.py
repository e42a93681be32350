"""What rows of support say of a run: they permit what they cover, and refuse what they touch."""

import pytest

from vlac.workloads import Support, Workload, judge

LIBERO = Workload(models=("openpi",), task=("rl",), algorithm=("ppo",), simulator=("libero",))


def row(verdict, about, **more):
    return Support(f"{verdict} row", verdict, about, why="because", source="somewhere", **more)


def test_silence_is_not_permission():
    judgement = judge((), LIBERO, "main")
    assert (judgement.verdict, judgement.rows) == ("unknown", ())


def test_a_row_permits_a_run_that_it_covers():
    works = row("works", Workload(models=("openpi", "openvla"), algorithm=("ppo",)))
    assert judge((works,), LIBERO, "main").rows == (works,)


@pytest.mark.parametrize(
    "about",
    [
        Workload(models=("openvla",)),
        Workload(models=("openpi",), simulator=("maniskill",)),
        Workload(models=("openpi",), rollout=("huggingface",)),  # the run has no rollout at all
    ],
)
def test_a_row_does_not_permit_a_run_that_it_does_not_cover(about):
    assert judge((row("works", about),), LIBERO, "main").verdict == "unknown"


def test_one_strange_model_beside_a_known_one_is_not_permitted():
    two = Workload(models=("openpi", "reward"), task=("rl",))
    assert judge((row("works", Workload(models=("openpi",))),), two, "main").verdict == "unknown"


def test_a_refusal_needs_one_word_of_each_trait():
    two = Workload(simulator=("libero", "maniskill"), physics=("gpu",))
    refused = row("refused", Workload(simulator=("maniskill",), physics=("gpu",)))
    assert judge((refused,), two, "main").verdict == "refused"
    assert (
        judge((refused,), Workload(simulator=("maniskill",), physics=("cpu",)), "main").verdict == "unknown"
    )


def test_refused_wins_over_unknown_over_warning_over_works():
    verdicts = ("works", "warning", "unknown", "refused")
    rows = [row(verdict, Workload(models=("openpi",))) for verdict in verdicts]
    for most in range(len(rows)):
        judgement = judge(rows[: most + 1], LIBERO, "main")
        assert (judgement.verdict, judgement.rows) == (verdicts[most], (rows[most],))


def test_a_row_of_one_version_says_nothing_of_another():
    refused = row("refused", Workload(models=("openpi",)), versions=("0.3",))
    assert judge((refused,), LIBERO, "0.3").verdict == "refused"
    assert judge((refused,), LIBERO, "main").verdict == "unknown"


def test_a_run_in_words():
    assert str(LIBERO) == "openpi, rl, ppo, libero"
    assert str(Workload()) == "a run without a model"
