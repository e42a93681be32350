"""The demo's network as an RLinf policy, and its entry in RLinf's model registry."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch
from rlinf.models import register_model
from rlinf.models.embodiment.base_policy import BasePolicy, ForwardType

from . import MODEL_TYPE
from .model import Batch, FlowMatchingVLA, ModelConfig

if TYPE_CHECKING:
    from omegaconf import DictConfig


class FlowMatchingPolicy(FlowMatchingVLA, BasePolicy):  # type: ignore[misc]  # BasePolicy has no types
    """``FlowMatchingVLA`` behind the interface that RLinf's workers call."""

    def forward(  # type: ignore[override]  # RLinf names what to compute
        self, forward_type: ForwardType = ForwardType.DEFAULT, **kwargs: Batch
    ) -> torch.Tensor:
        """Return the loss for ``ForwardType.SFT`` with ``data=batch``, as ``FSDPVlaSftWorker`` asks for it.

        Raises ``NotImplementedError`` for the forward types of RL.
        """
        if forward_type == ForwardType.SFT:
            return self.sft_forward(**kwargs)
        raise NotImplementedError(f"the demo model is trained by SFT only, not with {forward_type}")

    def sft_forward(self, data: Batch) -> torch.Tensor:
        """Return the flow-matching loss of a batch, a scalar."""
        return self.flow_matching_loss(data)

    def default_forward(self, **kwargs: Batch) -> torch.Tensor:
        """Raise ``NotImplementedError``: RLinf calls this in RL only."""
        return self.forward(ForwardType.DEFAULT, **kwargs)

    def predict_action_batch(self, env_obs: Batch, **_: object) -> torch.Tensor:
        """Return actions [batch, chunk, action_dim], scaled as in the data set, for a batch without actions."""
        return self.sample_actions(env_obs)


def build_model(cfg: DictConfig, torch_dtype: torch.dtype | None) -> FlowMatchingPolicy:
    """Build the policy from ``actor.model``; the dtype is that of ``precision``, fp32 without one.

    Of ``actor.model`` it reads ``action_dim`` and ``num_action_chunks``; RLinf 0.3.0 itself reads ``model_type``,
    ``precision`` and ``is_lora`` and fails without one of them (``get_model`` in rlinf/models/__init__.py).
    """
    config = ModelConfig(action_dim=cfg.action_dim, action_chunk=cfg.num_action_chunks)
    policy: FlowMatchingPolicy = FlowMatchingPolicy(config).to(torch_dtype or torch.float32)
    return policy


def register() -> None:
    """Add the policy to RLinf's registry; calling it again changes nothing."""
    register_model(MODEL_TYPE, build_model, category="embodied", force=True)
