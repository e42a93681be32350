"""What the doctor looks at: a compiled run on this machine."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from vlac.bundle import launch_sh
from vlac.doctor.interpreter import ask
from vlac.doctor.places import dataset_place, place_of
from vlac.models.data_configs import DATA_CONFIGS
from vlac.models.data_needs import data_needs
from vlac.rlinf.lower import keys_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from vlac.doctor.interpreter import Interpreter
    from vlac.doctor.places import Place
    from vlac.models import DataConfig
    from vlac.models.data_needs import DataNeeds
    from vlac.plan.ir import RunPlan
    from vlac.plan.origins import Value
    from vlac.run.launch import Launch


@dataclass(frozen=True)
class Subject:
    """A launch with what the checks ask of it."""

    launch: Launch

    @property
    def plan(self) -> RunPlan:
        """The plan of the run."""
        return self.launch.plan

    def value(self, path: str) -> Value:
        """The value of a spec field where RLinf will read it: what a base or an override says counts too."""
        config = self.launch.bundle.config
        keys = [key for key in keys_of(path) if key in config]
        return config[keys[0]].value if keys else self.plan.get(path)

    @cached_property
    def variables(self) -> Mapping[str, str]:
        """The environment of the run, as far as it is known before the start."""
        return self.launch.variables

    @property
    def is_openpi(self) -> bool:
        """Whether RLinf's builder for pi0 and pi0.5 loads the model."""
        return self.plan.family.model_type == "openpi"

    @cached_property
    def config(self) -> DataConfig | None:
        """The data config."""
        return self.plan.data_config or DATA_CONFIGS.get(str(self.value("data.config")))

    @cached_property
    def options(self) -> Mapping[str, Any]:  # values of a spec's mapping
        """`data.options`, as the configuration has them."""
        sections = keys_of("data.options")
        leaves = self.launch.bundle.config.items()
        return {key[-1]: setting.value for key, setting in leaves if key[:-1] in sections}

    @cached_property
    def needs(self) -> DataNeeds | None:
        """What the data config needs, None where the tables do not say."""
        return data_needs(self.config.name, self.options) if self.config else None

    @cached_property
    def data(self) -> tuple[Place, ...]:
        """The data sets that are trained on."""
        written = self.value("data.path")
        paths = written if isinstance(written, (list, tuple)) else [written]
        every = self.plan.family.reads_all_data_paths or not self.is_openpi
        found = [dataset_place(path, self.variables) for path in paths if isinstance(path, str)]
        return tuple(found if every else found[:1])

    @property
    def writes_data(self) -> bool:
        """Whether the run writes its own data set when it starts."""
        return launch_sh.writes_data(self.plan)

    @cached_property
    def weights(self) -> Place | None:
        """`model.weights`, None where the run names none."""
        written = self.value("model.weights")
        return place_of(written, self.variables) if isinstance(written, str) else None

    @cached_property
    def interpreter(self) -> Interpreter | None:
        """The software of the interpreter that trains; None where it does not answer."""
        return ask(self.launch.python)
