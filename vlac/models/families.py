"""The families that vlac knows, as data.

Sources: RLinf v0.3 and main@a3816b596, files `rlinf/workers/sft/fsdp_vla_sft_worker.py`, `rlinf/models/__init__.py`,
`rlinf/models/embodiment/openpi/__init__.py`, `rlinf/data/lerobot_paths.py`; openpi 15a9616 `models/pi0_config.py`.
"""

from __future__ import annotations

from dataclasses import replace

from vlac.models import Family, Refusal

_OPENPI_REFUSED = (
    Refusal(
        "data.workers",
        "openpi's own loader is used, which never reads data.num_workers",
        "leave it out",
        "rlinf/workers/sft/fsdp_vla_sft_worker.py, v0.3",
    ),
    Refusal(
        "train.gradient_checkpointing",
        "RLinf's openpi forward switches gradient checkpointing off again",
        "lower train.micro_batch, or train less with model.tune: expert",
        "rlinf/models/embodiment/openpi/openpi_action_model.py, sft_forward, v0.3",
    ),
    Refusal(
        "model.lora.from",
        "RLinf would wrap the whole model instead of the VLM it was trained on",
        "start a new adapter with model.lora.rank",
        "rlinf/models/__init__.py, get_model, v0.3",
    ),
    Refusal(
        "model.tokenizer",
        "openpi reads its own tokenizer from $OPENPI_DATA_HOME/big_vision/paligemma_tokenizer.model",
        "put the file there, or set OPENPI_DATA_HOME under env:",
        "openpi 15a9616, models/tokenizer.py",
    ),
)

_EVALUATION = "RLinf has not implemented evaluation for embodied SFT: the first evaluation ends the run"

_OPENPI_EVALUATION = tuple(
    Refusal(
        field,
        _EVALUATION,
        "leave eval out",
        "rlinf/workers/sft/fsdp_vla_sft_worker.py, get_eval_model_output, v0.3",
    )
    for field in ("eval.path", "eval.every", "eval.micro_batch")
)

_OPENPI_IGNORED = (
    Refusal(
        "train.seed",
        "SFT of this family never reads actor.seed; openpi's own seed is used",
        "leave it out",
        "rlinf/workers/sft/fsdp_vla_sft_worker.py, v0.3",
    ),
)

_LORA_NOTE = (
    "LoRA wraps the VLM only (RLinf fixes alpha, dropout and targets); the action expert trains in full"
)

PI0 = Family(
    name="pi0",
    template="model/pi0",
    model_type="openpi",
    tunes=("full", "expert", "lora"),
    needs_weights=True,
    needs_data=True,
    has_data_configs=True,
    action_horizon=50,
    parameters=3_500_000_000,
    bytes_per_parameter=2.0,
    refused=(*_OPENPI_REFUSED, *_OPENPI_EVALUATION),
    ignored=_OPENPI_IGNORED,
    notes=(_LORA_NOTE,),
)

PI05 = replace(PI0, name="pi05", template="model/pi0_5", parameters=3_620_000_000)

DEMO = Family(
    name="demo",
    template="vlac_demo",
    model_type="vlac_demo",
    tunes=("full",),
    needs_weights=False,
    needs_data=False,
    has_data_configs=False,
    action_horizon=64,
    parameters=1_110_000,
    bytes_per_parameter=4.0,
    dtypes=("auto", "fp32", "bf16"),
    seeded=True,
    refused=(
        *(
            Refusal(field, "the demo model has none", "leave it out", "vlac/demo/model.py")
            for field in ("model.weights", "model.tokenizer", "data.config", "data.options", "data.workers")
        ),
        Refusal(
            "train.gradient_checkpointing",
            "the demo model has no gradient checkpointing",
            "leave it out",
            "vlac/demo/model.py",
        ),
        *(
            Refusal(field, "the demo model has no evaluation", "leave eval out", "vlac/demo/worker.py")
            for field in ("eval.path", "eval.every", "eval.micro_batch")
        ),
    ),
)

FAMILIES = {family.name: family for family in (PI0, PI05, DEMO)}
