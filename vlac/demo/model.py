"""The demo's network: a transformer over images, prompt, state and noisy actions, trained by flow matching.

Time runs as in openpi: ``x_t = t * noise + (1 - t) * actions``, so t = 1 is pure noise, and the network predicts the
velocity ``noise - actions``.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import torch
from torch import nn
from torch.nn import functional

Batch = Mapping[str, torch.Tensor]


@dataclass(frozen=True)
class ModelConfig:
    """Sizes of the network; the shapes of the data follow ``dataset.py`` and ``generate.py``."""

    action_dim: int
    action_chunk: int
    state_dim: int = 8
    image_size: int = 32
    patch_size: int = 8
    cameras: int = 2
    vocabulary: int = 512
    prompt_length: int = 12
    width: int = 192
    depth: int = 2
    heads: int = 4

    @property
    def tokens(self) -> int:
        """Length of the sequence: patches of all cameras, prompt, state, actions."""
        patches = self.cameras * (self.image_size // self.patch_size) ** 2
        return patches + self.prompt_length + 1 + self.action_chunk


class TransformerBlock(nn.Module):  # type: ignore[misc]  # torch has no types here
    """Pre-norm self-attention and MLP, [batch, tokens, width] to the same; the unit that FSDP wraps."""

    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.attention_norm = nn.LayerNorm(width)
        self.qkv = nn.Linear(width, 3 * width)
        self.out = nn.Linear(width, width)
        self.mlp_norm = nn.LayerNorm(width)
        self.mlp = nn.Sequential(nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Return what the block makes of ``x``, in its shape."""
        x = x + self._attention(self.attention_norm(x))
        return x + self.mlp(self.mlp_norm(x))

    def _attention(self, x: torch.Tensor) -> torch.Tensor:
        query, key, value = (
            part.unflatten(-1, (self.heads, -1)).transpose(1, 2) for part in self.qkv(x).chunk(3, -1)
        )
        attended = functional.scaled_dot_product_attention(query, key, value)
        return self.out(attended.transpose(1, 2).flatten(-2))


class FlowMatchingVLA(nn.Module):  # type: ignore[misc]
    """Predicts the velocity of an action chunk from two camera images, a prompt and the robot's state."""

    # RLinf's FSDP code wraps each submodule whose class is named here
    # (`apply_fsdp2_to_model` and `get_fsdp_wrap_policy` in rlinf/hybrid_engines/fsdp/utils.py, 0.3.0).
    _no_split_modules: ClassVar[list[str]] = ["TransformerBlock"]

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        self.model_config = config
        width = config.width
        self.patches = nn.Conv2d(3, width, config.patch_size, config.patch_size)
        # A plain parameter: RLinf wraps each nn.Embedding too, and a wrapped unit more costs two all-gathers a batch.
        self.words = nn.Parameter(torch.randn(config.vocabulary, width))
        self.state_in = nn.Linear(config.state_dim, width)
        self.action_in = nn.Linear(config.action_dim, width)
        self.time_in = nn.Sequential(nn.Linear(width, width), nn.SiLU(), nn.Linear(width, width))
        self.position = nn.Parameter(0.02 * torch.randn(config.tokens, width))
        self.blocks = nn.ModuleList(TransformerBlock(width, config.heads) for _ in range(config.depth))
        self.norm = nn.LayerNorm(width)
        self.action_out = nn.Linear(width, config.action_dim)

    def forward(self, batch: Batch) -> torch.Tensor:
        """Return the flow-matching loss of a batch, a scalar."""
        return self.flow_matching_loss(batch)

    def flow_matching_loss(self, batch: Batch) -> torch.Tensor:
        """Return the mean squared error of the velocity, with noise and time drawn from torch's generator."""
        actions = batch["actions"]
        noise = torch.randn_like(actions)
        time = _sample_time(actions)
        noisy = time[:, None, None] * noise + (1 - time[:, None, None]) * actions
        return functional.mse_loss(self.velocity(batch, noisy, time), noise - actions)

    def velocity(self, batch: Batch, noisy: torch.Tensor, time: torch.Tensor) -> torch.Tensor:
        """Return the velocity [batch, chunk, action_dim] at ``noisy`` (that shape) and ``time`` [batch]."""
        moment = self.time_in(_time_features(time, self.model_config.width))[:, None]
        actions = self.action_in(noisy) + moment
        x = torch.cat([self._context(batch), actions], dim=1) + self.position
        for block in self.blocks:
            x = block(x)
        return self.action_out(self.norm(x[:, -self.model_config.action_chunk :]))

    def _context(self, batch: Batch) -> torch.Tensor:
        """Return the tokens of images, prompt and state, [batch, tokens, width]."""
        patches = self.patches(batch["images"].flatten(0, 1)).flatten(2).transpose(1, 2)
        images = patches.unflatten(0, batch["images"].shape[:2]).flatten(1, 2)
        return torch.cat(
            [
                images,
                functional.embedding(batch["prompt"], self.words),
                self.state_in(batch["state"])[:, None],
            ],
            dim=1,
        )

    @torch.no_grad()  # type: ignore[untyped-decorator]
    def sample_actions(self, batch: Batch, steps: int = 10) -> torch.Tensor:
        """Return actions [batch, chunk, action_dim], integrated from noise (t = 1) to t = 0 in Euler steps."""
        config = self.model_config
        state = batch["state"]
        actions = torch.randn(len(state), config.action_chunk, config.action_dim, device=state.device)
        for step in range(steps):
            time = torch.full((len(state),), 1 - step / steps, device=state.device)
            actions = actions - self.velocity(batch, actions, time) / steps
        return actions


def _sample_time(actions: torch.Tensor) -> torch.Tensor:
    """Return times [batch] in (0.001, 1), from Beta(1.5, 1): noisier moments more often, as pi0 trains."""
    uniform = torch.rand(len(actions), device=actions.device, dtype=actions.dtype)
    return 0.999 * uniform ** (1 / 1.5) + 0.001


def _time_features(time: torch.Tensor, width: int) -> torch.Tensor:
    """Return sine and cosine features [batch, width] of times in [0, 1], with periods from 0.004 to 4."""
    periods = torch.logspace(
        math.log10(4e-3), math.log10(4.0), width // 2, device=time.device, dtype=time.dtype
    )
    angles = 2 * math.pi * time[:, None] / periods
    return torch.cat([angles.sin(), angles.cos()], dim=-1)
