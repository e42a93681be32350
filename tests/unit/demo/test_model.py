"""The network: shapes, gradients, what FSDP wraps, and a loss that falls only when it trains."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

for module in ("torch", "numpy", "pyarrow", "PIL"):
    pytest.importorskip(module, reason=f"the demo runs inside training processes and needs {module}")

import torch  # noqa: E402

from vlac.demo import dataset, model  # noqa: E402

CONFIG = {"action_dim": 7, "action_chunk": 4}


@pytest.fixture(autouse=True)
def seeded() -> Iterator[None]:
    threads = torch.get_num_threads()
    torch.manual_seed(0)
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)


@pytest.fixture(scope="module")
def batch(folder: Path) -> Any:
    frames = dataset.LeRobotDataset(folder, CONFIG["action_chunk"])
    return torch.utils.data.default_collate([frames[index] for index in range(0, len(frames), 30)])


def test_forward_is_a_scalar_and_reaches_every_parameter(batch: Any) -> None:
    network = model.FlowMatchingVLA(model.ModelConfig(**CONFIG))
    loss = network(batch)
    loss.backward()
    assert loss.shape == ()
    assert all(
        parameter.grad is not None and parameter.grad.abs().sum() > 0 for parameter in network.parameters()
    )


def test_size() -> None:
    network = model.FlowMatchingVLA(model.ModelConfig(**CONFIG))
    assert 0.5e6 < sum(parameter.numel() for parameter in network.parameters()) < 2e6


def test_what_fsdp_wraps_are_the_blocks() -> None:
    network = model.FlowMatchingVLA(model.ModelConfig(**CONFIG))
    wrapped = [
        name for name, module in network.named_modules() if type(module).__name__ in network._no_split_modules
    ]
    assert wrapped == [f"blocks.{index}" for index in range(network.model_config.depth)]
    # RLinf would wrap each embedding as well.
    assert not any(isinstance(module, torch.nn.Embedding) for module in network.modules())


@pytest.mark.parametrize("name", ["images", "prompt", "state"])
def test_the_velocity_depends_on_each_input(batch: Any, name: str) -> None:
    network = model.FlowMatchingVLA(model.ModelConfig(**CONFIG))
    time = torch.full((len(batch["state"]),), 0.5)
    changed = {**batch, name: batch[name].roll(1, dims=0) if name != "prompt" else batch[name] + 1}
    velocities = [network.velocity(inputs, batch["actions"], time) for inputs in (batch, changed)]
    assert not torch.equal(*velocities)


def test_sampled_actions_have_the_chunk_s_shape(batch: Any) -> None:
    network = model.FlowMatchingVLA(model.ModelConfig(**CONFIG))
    assert network.sample_actions(batch, steps=2).shape == batch["actions"].shape


def test_euler_steps_follow_the_velocity(batch: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    network = model.FlowMatchingVLA(model.ModelConfig(**CONFIG))

    def velocity(_: Any, noisy: Any, time: Any) -> Any:
        return (noisy - batch["actions"]) / time[:, None, None]

    monkeypatch.setattr(network, "velocity", velocity)
    assert torch.allclose(network.sample_actions(batch, steps=5), batch["actions"], atol=1e-5)


def losses(batch: Any, rate: float, steps: int = 24) -> list[float]:
    network = model.FlowMatchingVLA(model.ModelConfig(**CONFIG))
    optimizer = torch.optim.AdamW(network.parameters(), lr=rate, betas=(0.9, 0.95))
    values = []
    for _ in range(steps):
        loss = network(batch)
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(network.parameters(), 1.0)
        optimizer.step()
        values.append(loss.item())
    return values


def ratio(values: list[float]) -> float:
    third = len(values) // 3
    return sum(values[-third:]) / sum(values[:third])


@pytest.mark.real
def test_the_loss_falls(batch: Any) -> None:
    assert ratio(losses(batch, 1e-3)) < 0.6


@pytest.mark.real
def test_the_loss_stays_without_a_rate(batch: Any) -> None:
    assert 0.85 < ratio(losses(batch, 0.0)) < 1.15
