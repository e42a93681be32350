"""What holds for the data of every adapter that vlac ships."""

import re

import pytest

from vlac import adapter_registry
from vlac.adapters import Adapter
from vlac.rlinf.features import FEATURES

ADAPTERS = [adapter_registry.find(name) for name in adapter_registry.BUILT_IN]
VARIABLES = [
    pytest.param(variable, id=f"{adapter.name}-{variable.name}")
    for adapter in ADAPTERS
    for variable in adapter.variables
]
RLINF_KEYS = (
    "actor.",
    "fsdp_config",
    "component_placement",
    "strategy",
    "runner.",
    "cluster.",
    "micro_batch_size",
)

every_adapter = pytest.mark.parametrize("adapter", ADAPTERS, ids=lambda adapter: adapter.name)


@pytest.mark.parametrize("variable", VARIABLES)
def test_variable_is_legal_and_has_its_reason(variable):
    assert re.fullmatch(r"[A-Z][A-Z0-9_]*", variable.name)
    assert variable.value is None or variable.value.isprintable()
    assert variable.value is None or variable.takes is None or variable.takes.holds(variable.value)
    assert variable.scope in ("node", "driver", "worker")
    assert len(variable.why) > 20
    assert variable.source.strip()
    assert "\n" not in variable.why + variable.source


@every_adapter
def test_variables_are_unique(adapter: Adapter):
    names = [variable.name for variable in adapter.variables]
    assert len(names) == len(set(names))


@every_adapter
def test_device_names_and_aliases_are_unambiguous(adapter: Adapter):
    spelled = [text.lower() for d in adapter.devices for text in (d.name, *d.aliases)]
    assert len(spelled) == len(set(spelled))


@every_adapter
def test_devices_have_memory_cards_and_a_source(adapter: Adapter):
    for device in adapter.devices:
        assert device.memory_gib is not None and 16 <= device.memory_gib <= 256
        assert device.cards_per_node and device.ranks_per_card >= 1
        assert device.source.strip()


@every_adapter
def test_no_rlinf_key_is_named(adapter: Adapter):
    data = repr((adapter.devices, adapter.variables, adapter.notes, adapter.summary))
    words = data + adapter.shell_setup + "".join(p.field for p in adapter.preferences)
    words += "".join(r.field for r in adapter.requirements)
    assert [key for key in RLINF_KEYS if key in words] == []


@every_adapter
def test_hooks_are_worker_files(adapter: Adapter):
    shipped = {file.path for file in adapter.worker_files}
    assert {f"{hook}.py" for hook in adapter.worker_hooks} <= shipped


@every_adapter
def test_worker_files_are_python_that_needs_no_vlac(adapter: Adapter):
    for file in adapter.worker_files:
        compile(file.content, file.path, "exec")
        imported = re.findall(rb"^\s*(?:from|import)\s+(\w+)", file.content, re.MULTILINE)
        assert not {b"vlac", b"pydantic", b"ruamel", b"vlac_ascend", b"vlac_cpu"} & set(imported)


@every_adapter
def test_preferences_are_allowed_values(adapter: Adapter):
    for preference in adapter.preferences:
        allowed = [r.allowed for r in adapter.requirements if r.field == preference.field]
        assert all(preference.value in values for values in allowed)
        assert preference.why and preference.source


def test_backends_agree_on_what_they_are():
    shape = {adapter.name: (adapter.placement, adapter.collective) for adapter in ADAPTERS}
    assert shape == {"ascend": ("devices", "hccl"), "cuda": ("devices", "nccl"), "cpu": ("processes", "gloo")}


def test_jax_stays_on_the_cpu_everywhere():
    for adapter in ADAPTERS:
        jax = next(v for v in adapter.variables if v.name == "JAX_PLATFORMS")
        assert jax.value == "cpu"
        assert jax.required is (adapter.name != "cuda")


def test_cpu_does_not_pretend_to_be_an_npu():
    cpu = adapter_registry.find("cpu")
    text = repr(cpu.variables) + cpu.shell_setup + "".join(str(file.content) for file in cpu.worker_files)
    assert not re.search(r"ascend|hccl|npu|davinci", text, re.IGNORECASE)


def test_ascend_sets_what_ray_reads_before_ray_starts():
    scopes = {v.name: v.scope for v in adapter_registry.find("ascend").variables}
    assert scopes["RAY_EXPERIMENTAL_NOSET_ASCEND_RT_VISIBLE_DEVICES"] == "node"


def test_ascend_leaves_to_rlinf_what_rlinf_sets():
    names = {v.name for v in adapter_registry.find("ascend").variables if v.value is not None}
    rlinf_sets = {"ASCEND_RT_VISIBLE_DEVICES", "HCCL_SOCKET_IFNAME", "GLOO_SOCKET_IFNAME", "MASTER_ADDR"}
    assert not names & rlinf_sets


def test_device_facts_that_users_rely_on():
    devices = {d.name: d for name in ("ascend", "cuda") for d in adapter_registry.find(name).devices}
    assert (devices["910B3"].memory_gib, devices["910B3"].cards_per_node) == (64, 8)
    assert (devices["910C"].memory_gib, devices["910C"].ranks_per_card) == (128, 2)
    assert devices["910B4"].memory_gib == 32
    assert "Ascend910B3" in devices["910B3"].aliases
    assert devices["H100"].memory_gib == pytest.approx(79.6)


@every_adapter
def test_lacks_are_features_that_a_configuration_can_ask_for(adapter: Adapter):
    assert {lack.feature for lack in adapter.lacks} <= set(FEATURES)


@every_adapter
def test_rules_say_in_one_line_what_they_find(adapter: Adapter):
    rules = (*adapter.rules, *(adapter.stack.rules if adapter.stack else ()))
    assert all((rule.__doc__ or "").strip().endswith(".") for rule in rules)


@every_adapter
def test_the_last_way_into_the_processes_suits_every_version(adapter: Adapter):
    assert not adapter.injections or adapter.injections[-1].suits({})
    known = {v.name for v in adapter.variables} | {file.path for file in adapter.worker_files}
    assert {name for way in adapter.injections for name in way.without} <= known
