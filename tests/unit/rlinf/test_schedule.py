import math

import pytest

from vlac.plan.origins import Layer, Origin, Setting
from vlac.rlinf.schedule import Schedule, schedule_of


def config(**optim):
    origin = Origin(Layer.RLINF, "test")
    return {("actor", "optim", name): Setting(value, origin) for name, value in optim.items()}


def test_the_published_run_logged_2_5e_8_after_step_1():
    schedule = Schedule("cosine", 2.5e-5, 1000, 30000)
    assert schedule.logged_rate(1) == pytest.approx(2.5e-8)


def test_warm_up_ends_at_the_peak_and_cosine_at_the_minimum():
    schedule = Schedule("cosine", 1e-3, 10, 110, minimum=1e-4)
    assert schedule.logged_rate(10) == pytest.approx(1e-3)
    assert schedule.logged_rate(60) == pytest.approx(1e-4 + 0.5 * 9e-4)
    assert schedule.logged_rate(110) == pytest.approx(1e-4)


def test_cosine_rises_again_after_its_length():
    schedule = Schedule("cosine", 1.0, 0, 100)
    assert schedule.logged_rate(100) == pytest.approx(0.0, abs=1e-12)
    assert schedule.logged_rate(150) == pytest.approx(0.5)


def test_openpi_cosine_starts_above_zero_and_stays_down():
    schedule = Schedule("openpi_cosine", 1.0, 9, 100)
    assert schedule.logged_rate(0) == pytest.approx(0.1)
    assert schedule.logged_rate(9) == pytest.approx(1.0)
    assert schedule.logged_rate(500) == pytest.approx(0.0, abs=1e-12)


def test_constant_never_decays():
    schedule = Schedule("constant", 3e-4, 4, 0)
    assert [schedule.logged_rate(step) for step in (2, 4, 10_000)] == pytest.approx([1.5e-4, 3e-4, 3e-4])


def test_a_warm_up_ratio_is_a_share_of_the_schedule_rounded_down():
    found = schedule_of(
        config(
            lr_scheduler="cosine",
            lr=1.0,
            lr_warmup_steps=-1,
            lr_warmup_steps_ratio=0.15,
            total_training_steps=10,
        )
    )
    assert found.warmup_steps == 1


def test_no_formula_for_a_foreign_scheduler():
    assert schedule_of(config(lr_scheduler="torch_cosine", lr=1.0)) is None


@pytest.mark.real
@pytest.mark.parametrize("kind", ["cosine", "constant"])
def test_equals_what_rlinf_builds(kind):
    torch = pytest.importorskip("torch")
    utils = pytest.importorskip("rlinf.hybrid_engines.fsdp.utils")
    optimizer = torch.optim.AdamW([torch.nn.Parameter(torch.zeros(1))], lr=3e-4)
    built = utils.get_lr_scheduler(kind, optimizer, 5, 40, min_lr=3e-5)
    ours = Schedule(kind, 3e-4, 5, 40, 3e-5)
    for step in range(1, 60):
        optimizer.step()
        built.step()
        assert math.isclose(
            optimizer.param_groups[0]["lr"], ours.logged_rate(step), rel_tol=1e-9, abs_tol=1e-15
        )
