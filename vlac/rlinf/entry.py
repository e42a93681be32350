"""RLinf's entry script for a config: which one its start scripts run it with.

Source: `examples/**/run_*.sh`, `eval_*.sh` and `collect_*.sh` of v0.3 and main@a3816b596.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from vlac.rlinf.compose import Composition


@dataclass(frozen=True, slots=True)
class _Row:
    """Configs of a folder, by name and task (regular expressions for all of it), and their script below `examples/`.

    In a script, `{folder}` is the config's folder and `{name}` its name after the first underscore.
    """

    folder: str
    name: str
    task: str
    script: str


_ANY = ".*"
_ROWS = (
    _Row("sft", ".*(vlm|qwen).*", _ANY, "sft/train_vlm_sft.py"),
    _Row("sft", _ANY, _ANY, "sft/train_vla_sft.py"),
    _Row("embodiment", ".*collect_data.*", _ANY, "embodiment/collect_real_data.py"),
    _Row("embodiment", ".*async.*", _ANY, "embodiment/train_async.py"),
    _Row("embodiment", _ANY, "offline", "embodiment/train_offline_rl.py"),
    _Row("embodiment", _ANY, "embodied", "embodiment/train_embodied_agent.py"),
    _Row("diffusion", _ANY, "embodied", "embodiment/train_embodied_agent.py"),
    _Row("reasoning/?.*", _ANY, _ANY, "reasoning/main_grpo.py"),
    _Row("reward", "realworld_teleop", _ANY, "reward/eval_realworld_teleop.py"),
    _Row("reward", "realworld_collect_dataset", _ANY, "reward/realworld_collect_process_dataset.py"),
    _Row("reward", _ANY, "sft", "reward/train_reward_model.py"),
    _Row("recap/cfg", _ANY, _ANY, "recap/cfg/train_cfg.py"),
    _Row("recap/value", _ANY, _ANY, "recap/value/train_value.py"),
    _Row("recap/process", "compute_advantages", _ANY, "recap/process/compute_advantages.py"),
    _Row("recap/process", "compute_returns", _ANY, "recap/process/compute_returns.py"),
    _Row("offline_rl", "cfg_rl_.*", _ANY, "offline_rl/policy_optimization/cfg_rl/train_cfg.py"),
    _Row("offline_rl", "recap_value_.*", _ANY, "offline_rl/advantage_labeling/recap/train_value.py"),
    _Row("offline_rl", "steam_value_.*", _ANY, "offline_rl/advantage_labeling/steam/train_steam.py"),
    _Row("offline_rl", "recap_(compute_\\w+)", _ANY, "offline_rl/advantage_labeling/recap/process/{name}.py"),
    _Row("offline_rl", "steam_(compute_\\w+)", _ANY, "offline_rl/advantage_labeling/steam/process/{name}.py"),
    _Row("agent/(searchr1|wideseek_r1)", "(base_)?eval.*", _ANY, "{folder}/eval.py"),
    _Row("agent/(searchr1|wideseek_r1)", _ANY, _ANY, "{folder}/train.py"),
    _Row("agent/rstar2", _ANY, _ANY, "{folder}/main_rstar2.py"),
    _Row("agent/coding_online_rl", ".*llm_judge", _ANY, "{folder}/main_coding_rl_llm_judge.py"),
    _Row("agent/coding_online_rl", _ANY, _ANY, "{folder}/main_coding_online_rl.py"),
    _Row("agent/agentlightning/calc_x", _ANY, _ANY, "{folder}/main.py"),
)


def entry_script(composition: Composition) -> str | None:
    """The script relative to the tree; None where RLinf has none for such a config, or vlac does not know it."""
    layout = composition.layout
    if not layout.example.is_relative_to(layout.tree / "examples"):
        return None
    folder = layout.example.relative_to(layout.tree / "examples").as_posix()
    task = composition.leaves.get(("runner", "task_type"))
    words = (folder, layout.config.stem, str(task.value) if task else "")
    for row in _ROWS:
        patterns = (row.folder, row.name, row.task)
        if all(re.fullmatch(pattern, word) for pattern, word in zip(patterns, words, strict=True)):
            return "examples/" + row.script.format(folder=folder, name=layout.config.stem.partition("_")[2])
    return None
