"""Take a composed RLinf configuration to a backend: find the adapter's words in its keys, replace what it refuses.

Pure functions over leaves. Which keys carry a word is data here; what a backend says of a word is data of its adapter.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from vlac.workloads import Judgement, Workload, judge

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from vlac.adapters import Adapter
    from vlac.plan.origins import Value
    from vlac.rlinf.templates import Key
    from vlac.workloads import Replacement, Verdict, Word

    Configuration = Mapping[Key, Value]

# The last names of keys that carry a feature (rlinf at v0.3 and a3816b596; found by reading their readers).
_FEATURES: dict[tuple[str, ...], str] = {
    ("attn_implementation",): "attention",
    ("use_flash_attention",): "flash_attention",
    ("enable_flash_attn",): "flash_attention",
    ("enable_torch_compile",): "compile",
    ("use_torch_compile",): "compile",
    ("offline_torch_compile",): "compile",
    ("compile_model",): "compile",
    ("compile_transformer_forward",): "compile",
    ("enable_cuda_graph",): "device_graphs",
    ("use_liger_kernel",): "liger_kernel",
    ("enable_layernorm_kernel",): "fused_layer_norm",
    ("sim_device",): "simulator_device",
    ("init_params", "backend"): "simulator_device",
    ("reward", "use_gpu"): "reward_device",
    ("video_backend",): "video_decoder",
    ("patch", "compression"): "weight_compression",
    ("patch", "compression_algorithm"): "weight_compression",
}
_TASKS = {"embodied": "rl", "offline": "offline rl"}
_ALGORITHMS = {
    "actor_critic": "ppo",
    "decoupled_actor_critic": "asynchronous ppo",
    "embodied_sac": "sac",
    "embodied_dagger": "dagger",
    "embodied_nft": "nft",
    "offline_iql": "iql",
}
_SIDES = ("train", "eval")
_ROLLOUTS = ("rollout_backend", "generation_backend", "backend")
_REFERENCE = re.compile(r"\$\{([\w.]+)\}")
_HOPS = 8


@dataclass(frozen=True, slots=True)
class Ported:
    """A configuration taken to a backend: what it is, what the backend says of it, which keys become what."""

    workload: Workload
    judgement: Judgement
    replacements: Mapping[Key, Replacement]

    @property
    def verdict(self) -> Verdict:
        """The adapter's word."""
        return self.judgement.verdict


def port(leaves: Configuration, adapter: Adapter, version: str) -> Ported:
    """What an adapter makes of the configuration of an RLinf version."""
    replaced = dict(_refused_words(leaves, adapter.replacements))
    workload = workload_of({**leaves, **{key: rule.instead for key, rule in replaced.items()}})
    return Ported(workload, judge(adapter.support, workload, version), replaced)


def workload_of(leaves: Configuration) -> Workload:
    """The kind of run that a configuration is, in the plan's words."""
    task = _word(leaves, ("runner", "task_type"))
    return Workload(
        models=_unique(_models(leaves)),
        task=_unique((_TASKS.get(str(task), task),)),
        algorithm=_unique((_algorithm(leaves),)),
        simulator=_unique(_simulators(leaves)),
        physics=_unique(_physics(leaves)),
        training=_unique(_named(leaves, "training_backend")),
        rollout=_unique(_rollouts(leaves)),
    )


def _refused_words(leaves: Configuration, rules: Sequence[Replacement]) -> Iterator[tuple[Key, Replacement]]:
    by_feature = {rule.feature: rule for rule in rules}
    for key in leaves:
        rule = by_feature.get(_FEATURES.get(key[-1:]) or _FEATURES.get(key[-2:]) or "")
        if rule and _is_one_of(_word(leaves, key), rule.refused):
            yield key, rule


def _is_one_of(value: Value, words: Sequence[Word]) -> bool:
    """Whether a value is one of the words; true is not 1."""
    return any(type(value) is type(word) and value == word for word in words)


def _models(leaves: Configuration) -> Iterator[Value]:
    """Model types of `actor.model`, `rollout.expert_model` ...; of a reward model only where it is used."""
    for key in leaves:
        if len(key) != 3 or key[2] != "model_type" or not key[1].endswith("model"):
            continue
        if key[0] != "reward" or _word(leaves, ("reward", "use_reward_model")) is True:
            yield _word(leaves, key)


def _algorithm(leaves: Configuration) -> Value:
    """What the loss and the advantage together are called; the policy loss alone has the name of its advantage."""
    loss = _word(leaves, ("algorithm", "loss_type"))
    if loss == "actor":
        advantage = _word(leaves, ("algorithm", "adv_type"))
        return "grpo" if advantage == "grpo_dynamic" else advantage
    return _ALGORITHMS.get(str(loss), loss)


def _simulators(leaves: Configuration) -> Iterator[Value]:
    """Where a policy acts; a world model is evaluated in the simulator that it imitates, which is no second word."""
    yield _word(leaves, ("env", "train", "env_type"))
    evaluated = _word(leaves, ("env", "eval", "env_type"))
    if evaluated != _word(leaves, ("env", "train", "wm_env_type")):
        yield evaluated


def _physics(leaves: Configuration) -> Iterator[str]:
    """Where ManiSkill computes; without a word it takes the GPU for several environments (`auto`)."""
    for side in _SIDES:
        if str(_word(leaves, ("env", side, "env_type"))).startswith("maniskill"):
            yield str(_word(leaves, ("env", side, "init_params", "sim_backend")) or "auto")


def _rollouts(leaves: Configuration) -> Iterator[Value]:
    """Engines that generate: the first key that names one in `rollout`, and those of further rollout components."""
    words = (_word(leaves, ("rollout", name)) for name in _ROLLOUTS)
    yield next((word for word in words if word), None)
    yield from _named(leaves, "rollout_backend")


def _named(leaves: Configuration, name: str) -> Iterator[Value]:
    """The words under a name in each top-level section."""
    return (_word(leaves, key) for key in leaves if len(key) == 2 and key[1] == name)


def _word(leaves: Configuration, key: Key) -> Value:
    """The value of a key, through references that are the whole value."""
    value = leaves.get(key)
    for _ in range(_HOPS):
        found = _REFERENCE.fullmatch(value) if isinstance(value, str) else None
        if not found:
            break
        value = leaves.get(tuple(found[1].split(".")))
    return value


def _unique(words: Iterable[Value]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(word for word in words if isinstance(word, str) and word))
