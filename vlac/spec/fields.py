# ruff: noqa: E501 - a table; its rows read better unbroken
"""The one table of spec fields: the schema, the documentation, the error messages and the lowering share it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from vlac.plan.origins import Value


@dataclass(frozen=True, slots=True)
class Field:
    """One field of spec version 1.

    `path` is dotted (`train.micro_batch`). `type` names a row of `vlac.spec.types`. `default` is the spec version's
    default, None where there is none (then the family, a rule or RLinf decides, as `rule` says). `keys` are the RLinf keys
    that take the value as it is; where the lowering is more than a copy, `lowering` says so in words.

    `minimum` and `maximum` are inclusive, `above` and `below` exclusive; `choices` lists all legal values.
    `required_for` names the model families that cannot do without the field; `unless_base` says that a spec with `base`
    can. `later` marks a field whose name is reserved but which this version of vlac does not offer.
    """

    path: str
    type: str
    meaning: str
    rule: str = ""
    default: Value = None
    keys: tuple[str, ...] = ()
    lowering: str = ""
    example: str = ""
    required: bool = False
    required_for: tuple[str, ...] = ()
    unless_base: bool = False
    choices: tuple[str | int, ...] = ()
    minimum: float | None = None
    maximum: float | None = None
    above: float | None = None
    below: float | None = None
    later: bool = False

    @property
    def section(self) -> str:
        """The dotted path of the section, empty at the top."""
        return self.path.rpartition(".")[0]

    @property
    def key(self) -> str:
        """The last part of the path: what the user writes before the colon."""
        return self.path.rpartition(".")[2]


VERSION = 1
"""The spec version that this vlac reads."""

SECTIONS: dict[str, str] = {
    "rlinf": "Which RLinf the run uses.",
    "model": "What is trained.",
    "model.lora": "The adapter, with `tune: lora`.",
    "data": "What it is trained on.",
    "hardware": "Where it is trained. Changing this line alone moves the run.",
    "train": "How it is trained. Steps are optimizer steps, batches are samples.",
    "fsdp": "How parameters are sharded over the ranks.",
    "eval": "Evaluation beside the training.",
    "checkpoints": "What is kept.",
    "logging": "Where figures go.",
}
"""Every section and what it is about, in the order of the documentation."""

GROUPS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("Who", ("vlac", "name", "task", "extends", "base")),
    ("What", ("rlinf", "model", "data")),
    ("Where", ("hardware",)),
    ("How", ("train", "fsdp")),
    ("Beside", ("eval", "checkpoints", "logging", "output")),
    ("Escape", ("patches", "overrides", "env", "secrets")),
)
"""The top-level keys in the order and grouping of the documentation."""

RESERVED = ("launch", "network", "elastic", "finish_in", "sim")
"""Top-level names kept free for later versions."""

_OPENPI = ("pi0", "pi05")
_DTYPES = ("fp32", "bf16", "fp16")
_MIXED = "fsdp_config.mixed_precision"

FIELDS: tuple[Field, ...] = (
    Field(
        "vlac", "integer", "version of this spec language",
        rule="Read before anything else; a higher number needs a newer vlac.",
        required=True, choices=(1,), example="1",
    ),
    Field(
        "name", "name", "name of the experiment, the bundle and the run folder",
        rule="Letters or digits of any script first, then also `.`, `_` and `-`; at most 64 characters; no `..`.",
        required=True, keys=("runner.logger.experiment_name",), example="pi05-libero10-sft",
    ),
    Field(
        "task", "choice", "what kind of training",
        rule="Supervised fine-tuning; other tasks through `base`, which decides it.",
        default="sft", choices=("sft",), keys=("runner.task_type",), example="sft",
    ),
    Field(
        "extends", "files", "specs to start from, relative to this file",
        rule="Parents left to right, then this file. Mappings merge by key, scalars and lists replace, null forgets. "
        "`vlac` and `name` are not inherited. At most 8 levels.",
        example="base.yaml",
    ),
    Field(
        "base", "file_in_tree", "an RLinf config to start from, relative to `rlinf.path`",
        rule="Starts from that config's Hydra composition. What is not written here stays as composed: no default of this "
        "table holds. Without `hardware.backend` the bundle is `config.yaml` and the lock.",
        lowering="every leaf of the composition", example="examples/embodiment/config/libero_10_ppo_openpi_pi05.yaml",
    ),
    Field(
        "rlinf.version", "version", "the RLinf whose keys are written",
        rule="One of the versions that vlac knows, or `auto`: what the tree at `rlinf.path` is, by its content. Quotes make no "
        "difference.",
        required=True, lowering="selects the table of keys", example='"0.3"',
    ),
    Field(
        "rlinf.path", "path", "the RLinf checkout",
        rule="Left out: the installed package. Read by a compile only for `base` and `version: auto`; `--rlinf PATH` reads another instead.",
        lowering="working folder of the launch, `REPO_PATH`", example="/workspace/RLinf",
    ),
    Field(
        "rlinf.python", "path", "the interpreter of the driver and the workers",
        rule="Left out: at launch `<rlinf.path>/.venv/bin/python` if it is there; under `vlac run` without `rlinf.path` "
        "the interpreter that vlac runs in; else `python`.",
        lowering="resolved at launch", example="/workspace/RLinf/.venv/bin/python",
    ),
    Field(
        "model.family", "choice", "model family",
        rule="Must agree with `data.config`. `demo` is vlac's own small model.",
        required=True, unless_base=True, choices=("pi0", "pi05", "demo"), lowering="`actor.model.model_type` and the template", example="pi05",
    ),
    Field(
        "model.weights", "path", "folder of the weights to start from",
        rule="Required for `pi0` and `pi05`, refused for `demo`. Placeholders (`/path/to/...`) are refused.",
        required_for=_OPENPI, keys=("actor.model.model_path",), example="/data/pi05_base",
    ),
    Field(
        "model.tune", "choice", "which parameters are trained",
        rule="What the family supports. `expert` freezes the vision-language model.",
        default="full", choices=("full", "expert", "lora"),
        lowering="`actor.model.openpi.train_expert_only`, `actor.model.is_lora`", example="full",
    ),
    Field(
        "model.lora.rank", "integer", "rank of the adapter matrices",
        rule="Required with `tune: lora`, refused without.",
        minimum=1, keys=("actor.model.lora_rank",), lowering="32 is written when unused", example="32",
    ),
    Field(
        "model.lora.from", "path", "adapter to go on from",
        rule="Refused for `pi0` and `pi05`: RLinf would wrap the whole model.",
        keys=("actor.model.lora_path",), example="/data/adapter",
    ),
    Field(
        "model.dtype", "choice", "number format of the weights",
        rule="`pi0` and `pi05` take only `auto`: openpi keeps its own mixture.",
        default="auto", choices=("auto", *_DTYPES), lowering="`actor.model.precision`, null for `auto`", example="auto",
    ),
    Field(
        "model.action_chunk", "integer", "actions predicted at once",
        rule="The default comes from the data config; at most its action horizon.",
        minimum=1, keys=("actor.model.num_action_chunks",), example="10",
    ),
    Field(
        "model.tokenizer", "path", "folder of the tokenizer",
        rule="Families that read one.", keys=("actor.model.tokenizer_path",), example="/data/tokenizer",
    ),
    Field(
        "data.path", "dataset", "the data set: a path, a hub id, or a list of them",
        rule="Required for `pi0` and `pi05`. A list only where the family reads more than the first.",
        required_for=_OPENPI, keys=("data.train_data_paths",), example="/data/libero10",
    ),
    Field(
        "data.config", "text", "openpi's data config",
        rule="Required for `pi0` and `pi05`: one that the RLinf version knows and that belongs to the family.",
        required_for=_OPENPI, keys=("actor.model.openpi.config_name",), example="pi05_libero",
    ),
    Field(
        "data.mix", "mix", "weighted data sets: `path`, `weight`, `config` of each",
        rule="Models that mix; excludes `path`. `config` is the embodiment tag of DreamZero.",
        lowering="`data.train_data_paths[]`", example="[{path: /data/a, weight: 1.0}]",
    ),
    Field(
        "data.options", "options", "options of the data config's class",
        rule="Keys of that class.",
        lowering="0.3: `actor.openpi_data` and `actor.model.openpi_data`; main: the latter", example="{extra_delta_transform: false}",
    ),
    Field(
        "data.workers", "integer", "loader processes a rank",
        rule="Refused for `pi0` and `pi05`: RLinf never reads it there.",
        minimum=0, keys=("data.num_workers",), example="4",
    ),
    Field(
        "hardware.backend", "text", "the backend adapter",
        rule="One of the installed adapters: `ascend`, `cuda`, `cpu`, or a third party's.",
        required=True, unless_base=True, lowering="placement, environment, launch", example="ascend",
    ),
    Field(
        "hardware.device", "text", "the kind of card",
        rule="A row of the adapter's table; required if it has more than one.",
        lowering="memory, environment", example="910B3",
    ),
    Field(
        "hardware.cards", "integer", "cards a node",
        rule="A card may hold more than one rank. On `cpu`: processes.",
        required=True, unless_base=True, minimum=1, lowering="`cluster.component_placement`", example="8",
    ),
    Field(
        "hardware.nodes", "integer", "machines",
        default=1, minimum=1, keys=("cluster.num_nodes",), example="1",
    ),
    Field(
        "hardware.placement", "placement", "ranks of each component, for a `base` with several",
        rule="Every component of the base: `0-7`, a list `0-3,6`, one number, `all`, or `ranks:processes`.",
        lowering="`cluster.component_placement`", example="{actor: 0-3, \"env,rollout\": 4-7}",
    ),
    Field(
        "hardware.stack", "versions", "versions of the backend's software",
        rule="Components of the adapter; `ascend`: `cann`, `torch`, `torch_npu`, `python`. What cannot work together is an "
        "error, what is in no row of the adapter's table a warning. Quotes make no difference.",
        lowering="how the backend gets into the workers", example='{cann: "8.3", torch_npu: "2.7.1"}',
    ),
    Field(
        "train.steps", "integer", "length of the training, in optimizer steps",
        rule="One of `steps` and `epochs` is required; with both, whichever ends first.",
        minimum=1, keys=("runner.max_steps",), lowering="-1 without", example="30000",
    ),
    Field(
        "train.epochs", "integer", "length of the training, in passes over the data",
        rule="One of `steps` and `epochs` is required.",
        minimum=1, keys=("runner.max_epochs",), lowering="-1 without", example="10",
    ),
    Field(
        "train.micro_batch", "integer", "samples a rank in one forward pass",
        default=4, minimum=1, keys=("actor.micro_batch_size",), example="4",
    ),
    Field(
        "train.global_batch", "integer", "samples an optimizer step, over all ranks",
        rule="Divisible by micro batch x ranks; gradient accumulation follows from it.",
        default=128, minimum=1, keys=("actor.global_batch_size",), example="128",
    ),
    Field(
        "train.lr", "number", "peak learning rate",
        default=2.5e-5, above=0, keys=("actor.optim.lr",), example="2.5e-5",
    ),
    Field(
        "train.schedule", "choice", "shape of the learning rate after the warm-up",
        rule="`openpi_cosine` from RLinf main on.",
        default="cosine", choices=("cosine", "constant", "openpi_cosine"), keys=("actor.optim.lr_scheduler",), example="cosine",
    ),
    Field(
        "train.warmup_steps", "integer", "steps of linear warm-up",
        rule="Below `decay_steps`; excludes `warmup_ratio`.",
        default=0, minimum=0, keys=("actor.optim.lr_warmup_steps",), example="1000",
    ),
    Field(
        "train.warmup_ratio", "number", "warm-up as a part of the schedule",
        rule="Excludes `warmup_steps`.",
        minimum=0, below=1, keys=("actor.optim.lr_warmup_steps_ratio",), lowering="`lr_warmup_steps: -1`", example="0.03",
    ),
    Field(
        "train.decay_steps", "integer", "length of the schedule (not of the training)",
        rule="`train.steps` by default; with `epochs` only, required for `cosine` and with `warmup_ratio`.",
        minimum=1, keys=("actor.optim.total_training_steps",), example="30000",
    ),
    Field(
        "train.min_lr", "number", "learning rate at the end of the schedule",
        rule="At most `lr`.",
        default=0.0, minimum=0, keys=("actor.optim.min_lr",), example="1e-6",
    ),
    Field(
        "train.betas", "betas", "AdamW's decay rates of the two moments",
        default=(0.9, 0.95), minimum=0, below=1, keys=("actor.optim.adam_beta1", "actor.optim.adam_beta2"),
        lowering="one key each", example="[0.9, 0.95]",
    ),
    Field(
        "train.eps", "number", "AdamW's epsilon",
        default=1e-8, above=0, keys=("actor.optim.adam_eps",), example="1e-8",
    ),
    Field(
        "train.weight_decay", "number", "AdamW's weight decay",
        default=1e-10, minimum=0, keys=("actor.optim.weight_decay",), example="1e-10",
    ),
    Field(
        "train.grad_clip", "number", "largest norm of the gradient",
        default=1.0, above=0, keys=("actor.optim.clip_grad",), example="1.0",
    ),
    Field(
        "train.seed", "integer", "seed of the random numbers",
        rule="`pi0` and `pi05`: a warning, openpi's own seed is used there.",
        default=0, minimum=0, keys=("actor.seed",), example="0",
    ),
    Field(
        "train.gradient_checkpointing", "boolean", "recompute activations in the backward pass",
        rule="Refused for `pi0` and `pi05`: their forward pass switches it off.",
        default=False, keys=("actor.fsdp_config.gradient_checkpointing",), example="true",
    ),
    Field(
        "fsdp.version", "integer", "which FSDP",
        rule="`cpu`: 2, because RLinf's FSDP 1 needs a device.",
        default=1, choices=(1, 2), lowering="`actor.fsdp_config.strategy`: `fsdp` or `fsdp2`", example="2",
    ),
    Field(
        "fsdp.sharding", "choice", "what is sharded",
        rule="FSDP 2 has no `no_shard`; `hybrid_shard` is refused: RLinf builds a one-dimensional mesh.",
        default="full_shard", choices=("full_shard", "shard_grad_op", "hybrid_shard", "no_shard"),
        lowering="version 1: `sharding_strategy`; version 2: `reshard_after_forward`", example="full_shard",
    ),
    Field(
        "fsdp.cpu_offload", "boolean", "keep parameters in host memory",
        default=False, keys=("actor.fsdp_config.cpu_offload", "actor.enable_offload"), example="false",
    ),
    Field(
        "fsdp.param_dtype", "choice", "number format of gathered parameters",
        rule="RLinf's default where it is not written.",
        choices=_DTYPES, keys=(f"actor.{_MIXED}.param_dtype",), example="bf16",
    ),
    Field(
        "fsdp.reduce_dtype", "choice", "number format of the gradient reduction",
        rule="RLinf's default where it is not written.",
        choices=_DTYPES, keys=(f"actor.{_MIXED}.reduce_dtype",), example="fp32",
    ),
    Field(
        "fsdp.buffer_dtype", "choice", "number format of the buffers",
        rule="RLinf's default where it is not written.",
        choices=_DTYPES, keys=(f"actor.{_MIXED}.buffer_dtype",), example="fp32",
    ),
    Field(
        "eval.path", "dataset", "data set of the evaluation",
        rule="Refused for families whose evaluation RLinf has not implemented.",
        keys=("data.val_data_paths",), example="/data/libero10_val",
    ),
    Field(
        "eval.every", "integer", "steps between evaluations",
        rule="Divides `checkpoints.every`.",
        minimum=1, keys=("runner.val_check_interval",), example="500",
    ),
    Field(
        "eval.micro_batch", "integer", "samples a rank in one forward pass of the evaluation",
        default=1, minimum=1, keys=("actor.eval_batch_size",), example="1",
    ),
    Field(
        "checkpoints.every", "steps_or_never", "steps between checkpoints",
        default=2000, minimum=1, keys=("runner.save_interval",), lowering="-1 for `never`", example="2000",
    ),
    Field(
        "checkpoints.full_weights", "boolean", "also save the weights in one unsharded file",
        default=True, keys=("actor.fsdp_config.save_full_model_weights",), example="true",
    ),
    Field(
        "checkpoints.resume", "path", "checkpoint to go on from",
        rule="Ends in `global_step_N`.", keys=("runner.resume_dir",), example="/data/run/checkpoints/global_step_2000",
    ),
    Field("checkpoints.keep", "integer", "how many checkpoints are kept", later=True, minimum=1, example="3"),
    Field("checkpoints.keep_every", "integer", "steps between checkpoints that are kept for ever", later=True, minimum=1, example="10000"),
    Field(
        "logging.backends", "loggers", "where figures are logged",
        default=("tensorboard",), choices=("tensorboard", "wandb", "swanlab"),
        keys=("runner.logger.logger_backends",), example="[tensorboard]",
    ),
    Field(
        "logging.project", "text", "project of the logger",
        default="rlinf", keys=("runner.logger.project_name",), example="rlinf",
    ),
    Field("logging.entity", "text", "team of Weights & Biases", keys=("runner.logger.wandb_entity",), example="my-team"),
    Field(
        "output", "path", "folder of the runs, checkpoints included; a run gets `<output>/<name>/<n>`",
        rule="`<rlinf.path>/results` by default, without a path `./results` (the spec's folder).",
        keys=("runner.logger.log_path",), example="/data/runs",
    ),
    Field(
        "patches", "patches", "source patches to opt in to",
        rule="Ids that RLinf and the backend offer; `vlac plan` lists them. `vlac patch` applies them, a compile never does.",
        default=(), lowering="`rlinf.patch`, `openpi.patch`", example="[npu-numerics]",
    ),
    Field(
        "overrides", "overrides", "RLinf keys that have no field",
        rule="Absolute keys: `a.b`, `a.\"b.c\"`, `a[0].b`. An existing key keeps its type; `+key` adds, `~key: null` deletes; "
        "a mapping merges, a list replaces. A key that has a field is refused.",
        lowering="the key itself", example="{runner.ckpt_path: null}",
    ),
    Field(
        "env", "environment", "environment variables of the run",
        rule="Values are taken literally, as written. null: vlac does not set this one, the shell owns it. "
        "Names that begin with `_` or `VLAC_`, and those that bash keeps for itself, are refused.",
        lowering="`run.env`", example="{HF_HOME: /data/hf}",
    ),
    Field(
        "secrets", "secrets", "names of variables that must be in the shell at launch",
        rule="Names only, never values: a launch without one of them stops with exit code 3.",
        lowering="checked by `launch.sh` and `vlac run`", example="[WANDB_API_KEY]",
    ),
)  # fmt: skip
BY_PATH = {field.path: field for field in FIELDS}
"""Fields by dotted path."""
