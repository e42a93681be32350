"""The RLinf worker that trains the demo model: its data loader, its seeds, and a count of micro batches.

RLinf's ``FSDPVlaSftWorker`` picks the data loader by ``model_type`` in a chain of ifs (0.3.0), so another model needs
a worker of its own.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch
from rlinf.scheduler import Worker
from rlinf.workers.sft.fsdp_vla_sft_worker import FSDPVlaSftWorker
from torch.utils.data import DistributedSampler
from torchdata.stateful_dataloader import StatefulDataLoader

from .dataset import LeRobotDataset

if TYPE_CHECKING:
    from omegaconf import DictConfig


class DemoSftWorker(FSDPVlaSftWorker):  # type: ignore[misc]  # RLinf has no types
    """Trains the demo model by SFT; everything but data, seeds and the count is RLinf's."""

    def __init__(self, cfg: DictConfig) -> None:
        super().__init__(cfg)
        self._micro_batches = 0

    def build_dataloader(
        self, data_paths: str, eval_dataset: bool = False
    ) -> tuple[StatefulDataLoader, dict[str, Any]]:
        """Return a loader of this rank's micro batches, shuffled with ``actor.seed``, and an empty data config.

        RLinf saves and restores the position of a ``StatefulDataLoader`` with its checkpoints.
        Raises ``NotImplementedError`` for evaluation and ``FileNotFoundError`` where there is no data set.
        """
        if eval_dataset:
            raise NotImplementedError("the demo has no evaluation; leave data.val_data_paths out")
        dataset = LeRobotDataset(data_paths, self.cfg.actor.model.num_action_chunks)
        sampler: DistributedSampler[Any] = DistributedSampler(
            dataset, num_replicas=self._world_size, rank=self._rank, seed=self.cfg.actor.seed, drop_last=True
        )
        loader = StatefulDataLoader(dataset, self.micro_batch_size, sampler=sampler, drop_last=True)
        return loader, {}

    def model_provider_func(self) -> torch.nn.Module:
        """Build the model with the same weights on all ranks, then give each rank its own noise."""
        torch.manual_seed(self.cfg.actor.seed)
        model: torch.nn.Module = super().model_provider_func()
        torch.manual_seed(self.cfg.actor.seed + 1 + self._rank)
        return model

    def get_train_model_output(self, batch: dict[str, torch.Tensor]) -> tuple[torch.Tensor, dict[str, Any]]:
        """Run one micro batch forward on this rank's device and count it."""
        self._micro_batches += 1
        device = torch.device(Worker.torch_device_type)
        return super().get_train_model_output({name: value.to(device) for name, value in batch.items()})  # type: ignore[no-any-return]

    def run_training(self) -> dict[str, float]:
        """Run one optimizer step and return RLinf's metrics with ``micro_batches``, those that each rank ran."""
        self._micro_batches = 0
        metrics: dict[str, float] = super().run_training()
        return {**metrics, "micro_batches": float(self._counted_on_all_ranks())}

    def _counted_on_all_ranks(self) -> int:
        """Return this step's micro batches; raise ``RuntimeError`` where ranks ran different numbers."""
        device = torch.device(Worker.torch_device_type)
        bounds = torch.tensor([self._micro_batches, -self._micro_batches], device=device)
        torch.distributed.all_reduce(bounds, op=torch.distributed.ReduceOp.MAX)
        most, least = int(bounds[0]), -int(bounds[1])
        if most != least:
            raise RuntimeError(f"ranks ran between {least} and {most} micro batches in one optimizer step")
        return most
