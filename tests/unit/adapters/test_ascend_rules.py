"""What cannot work in the environment of an Ascend run, in the spec, in the shell, and in what vlac itself emits."""

import itertools

import pytest

from vlac.adapters import Setup
from vlac.plan.objections import broken_rules, shell_objections, wrong_values
from vlac_ascend import adapter

DEVICES = {device.name: device for device in adapter.devices}
EMITTED = {v.name: v.value for v in adapter.variables if v.value is not None}


def errors(device="910B3", cards=8, nodes=1, stack=None, **variables):
    """Who is to blame for what breaks an environment of vlac's with these changes; warnings begin with `~`."""
    full = {**EMITTED, **variables}
    setup = Setup(full, DEVICES[device], cards, nodes, stack or {})
    found = [*wrong_values(adapter, full), *broken_rules(adapter, setup)]
    return [("~" if o.severity == "warning" else "") + o.about[0] for o in found]


@pytest.mark.parametrize(("device", "nodes"), list(itertools.product(DEVICES, (1, 4))))
def test_nothing_is_wrong_with_what_vlac_emits(device, nodes):
    assert errors(device, nodes=nodes) == []


VISIBLE = "ASCEND_RT_VISIBLE_DEVICES"
BROKEN = [
    (VISIBLE, "1, 2,3"),
    (VISIBLE, ""),
    (VISIBLE, "0,2,1,3"),
    (VISIBLE, "0,0,1"),
    (VISIBLE, "4,5,6,7"),
    (VISIBLE, "0,1,2,3"),
    ("HCCL_CONNECT_TIMEOUT", "119"),
    ("HCCL_CONNECT_TIMEOUT", "7201"),
    ("HCCL_CONNECT_TIMEOUT", "30m"),
    ("HCCL_EXEC_TIMEOUT", "-1"),
    ("HCCL_EXEC_TIMEOUT", "3660"),
    ("HCCL_EXEC_TIMEOUT", "0"),
    ("HCCL_EXEC_TIMEOUT", "7200"),
    ("HCCL_OP_EXPANSION_MODE", "AIV"),
    ("HCCL_OP_EXPANSION_MODE", "aiv"),
    ("PYTORCH_NPU_ALLOC_CONF", "expandable_segments:True,max_split_size_mb:128"),
    ("PYTORCH_NPU_ALLOC_CONF", "expandable_segments:True,garbage_collection_threshold:0.8"),
    ("PYTORCH_NPU_ALLOC_CONF", "page_size:1g,expandable_segments:False"),
    ("PYTORCH_NPU_ALLOC_CONF", "expandable_segment:True"),
    ("PYTORCH_ALLOC_CONF", "expandable_segments:True"),
    ("GLOO_SOCKET_IFNAME", "=eth0"),
    ("GLOO_SOCKET_IFNAME", "^docker0"),
    ("HCCL_IF_IP", "eth0"),
    ("HCCL_HOST_SOCKET_PORT_RANGE", "60000 - 60050"),
    ("RANK_TABLE_FILE", "/job/hccl.json"),
    ("HCCL_WHITELIST_DISABLE", "0"),
    ("TORCH_DEVICE_BACKEND_AUTOLOAD", "0"),
    ("CPU_AFFINITY_CONF", "3"),
    ("CPU_AFFINITY_CONF", "1,npu0:0"),
    ("TASK_QUEUE_ENABLE", "3"),
    ("TE_PARALLEL_COMPILER", "0"),
    ("ASCEND_GLOBAL_LOG_LEVEL", "ERROR"),
    ("STREAMS_PER_DEVICE", "16"),
    ("TORCH_NPU_DEVICE_CAPABILITY", "8"),
    ("OMP_NUM_THREADS", "0"),
]


@pytest.mark.parametrize(("name", "value"), BROKEN)
def test_what_breaks_a_run_is_an_error_about_that_variable(name, value):
    assert errors(**{name: value}) == [name]


FINE = [
    (VISIBLE, "0,1,2,3,4,5,6,7"),
    ("HCCL_CONNECT_TIMEOUT", "120"),
    ("HCCL_EXEC_TIMEOUT", "3659"),
    ("HCCL_EVENT_TIMEOUT", "0"),
    ("HCCL_EVENT_TIMEOUT", "3601"),
    ("HCCL_SOCKET_IFNAME", "=eth0,eth1"),
    ("HCCL_SOCKET_IFNAME", "^=docker0"),
    ("GLOO_SOCKET_IFNAME", "eth0,eth1"),
    ("HCCL_IF_IP", "10.0.0.1"),
    ("HCCL_IF_IP", "fe80::1"),
    ("HCCL_NPU_SOCKET_PORT_RANGE", "61000-61050,61100"),
    ("PYTORCH_NPU_ALLOC_CONF", "max_split_size_mb:32,garbage_collection_threshold:0.6"),
    ("PYTORCH_NPU_ALLOC_CONF", "expandable_segments:True,base_addr_aligned_kb:16"),
    ("PYTORCH_NPU_ALLOC_CONF", "roundup_power2_divisions:[256:1,512:2,1024:4,>:8]"),
    ("CPU_AFFINITY_CONF", "1,npu0:0-1,npu1:2-5,npu_affine:1"),
    ("HCCL_BUFFSIZE", "400"),
    ("TASK_QUEUE_ENABLE", "2"),
    ("ASCEND_GLOBAL_LOG_LEVEL", "4"),
    ("OMP_NUM_THREADS", "4,2"),
]


@pytest.mark.parametrize(("name", "value"), FINE)
def test_what_works_is_left_alone(name, value):
    assert errors(**{name: value}) == []


USELESS = [
    ("ASCEND_LAUNCH_BLOCKING", "1"),
    ("ASCEND_VISIBLE_DEVICES", "0-7"),
    ("HCCL_IF_BASE_PORT", "50000"),
    ("HCCL_OP_EXPANSION_MODE", "AI_CPU"),
    ("HCCL_ASYNC_ERROR_HANDLING", "0"),
    ("PYTORCH_CUDA_ALLOC_CONF", "expandable_segments:True"),
    ("ASCEND_GLOBAL_LOG_LEVEL", "1"),
    ("ASCEND_SLOG_PRINT_TO_STDOUT", "1"),
    ("MUJOCO_GL", "egl"),
]


@pytest.mark.parametrize(("name", "value"), USELESS)
def test_what_does_nothing_or_slows_down_is_a_warning(name, value):
    assert errors(**{name: value}) == [f"~{name}"]


def test_a_base_port_alone_has_to_leave_room_for_its_ports():
    assert errors(HCCL_HOST_SOCKET_PORT_RANGE="", HCCL_IF_BASE_PORT="65503")[1:] == []
    assert errors(HCCL_HOST_SOCKET_PORT_RANGE="", HCCL_IF_BASE_PORT="65504")[1:] == ["HCCL_IF_BASE_PORT"]
    assert errors(HCCL_IF_BASE_PORT="1023") == ["HCCL_IF_BASE_PORT"]


def test_both_links_between_cards_exclude_each_other():
    assert errors(HCCL_INTRA_ROCE_ENABLE="1", HCCL_INTRA_PCIE_ENABLE="0") == []
    assert errors(HCCL_INTRA_ROCE_ENABLE="1", HCCL_INTRA_PCIE_ENABLE="1") == ["HCCL_INTRA_ROCE_ENABLE"]


def test_a_910c_shows_both_dies_of_a_card():
    assert errors("910C", cards=2, **{VISIBLE: "0,1,2,3"}) == []
    assert errors("910C", cards=2, **{VISIBLE: "0,1,2"}) == [VISIBLE]
    assert errors("910C", cards=2, **{VISIBLE: "0,1"}) == [VISIBLE]
    assert errors("910C", HCCL_OP_EXPANSION_MODE="AI_CPU") == []
    assert errors("910C", HCCL_OP_EXPANSION_MODE="HOST") == ["~HCCL_OP_EXPANSION_MODE"]


def test_an_allocator_variable_that_the_stack_does_not_read_is_a_warning():
    old, new = {"torch_npu": "2.7.1.post2"}, {"torch_npu": "2.10.0.post4"}
    assert errors(stack=new, PYTORCH_ALLOC_CONF="x:1") == ["PYTORCH_ALLOC_CONF"]
    assert "~PYTORCH_ALLOC_CONF" in errors(stack=old, PYTORCH_ALLOC_CONF="x:1")


def test_a_value_that_somebody_else_decides_later_is_not_judged():
    assert errors(HCCL_EVENT_TIMEOUT=None, HCCL_EXEC_TIMEOUT="7200") == []
    assert errors(**{VISIBLE: None}) == []


def written(compiled, env, **changes):
    """The diagnostics of a spec with this `env`, as (code, severity, column, hint)."""
    bundle = compiled(env=env, **changes)
    return [(d.code, d.severity, d.position.column, d.hint) for d in bundle.diagnostics]


def test_an_error_in_env_has_its_place_and_says_what_to_write(refused):
    found = refused(env="{HCCL_EXEC_TIMEOUT: 7200, HCCL_CONNECT_TIMEOUT: 90}")
    assert set(found) == {"env-rule", "env-value"}
    assert str(found["env-rule"].position) == "spec.yaml:8:26"
    assert found["env-rule"].hint == "write HCCL_EVENT_TIMEOUT: 7260"
    assert found["env-value"].position.column == 54
    assert "120 to 7200" in found["env-value"].message
    assert "vlac sets 1800" in found["env-value"].hint


def test_a_required_variable_is_told_once(refused):
    assert set(refused(env="{JAX_PLATFORMS: npu}")) == {"backend-requires"}


def test_a_warning_in_env_goes_on(compiled):
    assert written(compiled, "{ASCEND_LAUNCH_BLOCKING: 1}") == [
        ("env-rule", "warning", 31, "leave it out, except to find an error")
    ]
    assert written(compiled, "{HCCL_EVENT_TIMEOUT: null, HCCL_EXEC_TIMEOUT: 7200}") == []


SEVERAL = "{backend: ascend, device: 910B3, cards: 8, nodes: 2}"


def test_what_differs_between_nodes_cannot_stand_in_env(refused, compiled):
    assert refused(hardware=SEVERAL, env="{HCCL_IF_IP: 10.0.0.1}")["env-scope"].position.column == 19
    assert refused(hardware=SEVERAL, env="{RLINF_NODE_RANK: 0}").keys() == {"env-scope"}
    (same,) = written(compiled, "{HCCL_SOCKET_IFNAME: =eth0}", hardware=SEVERAL)
    assert same[:2] == ("env-scope", "warning")
    assert written(compiled, "{HCCL_IF_IP: 10.0.0.1}") == []


def shell(bundle, **variables):
    return [(o.severity, o.about[0]) for o in shell_objections(bundle.plan, variables)]


def test_the_shell_is_judged_by_the_same_rules(compiled):
    bundle = compiled()
    assert shell(bundle, PATH="/bin", HOME="/root", HCCL_BUFFSIZE="") == []
    assert shell(bundle, RANK_TABLE_FILE="/old.json") == [("error", "RANK_TABLE_FILE")]
    assert shell(bundle, GLOO_SOCKET_IFNAME="=eth0") == [("error", "GLOO_SOCKET_IFNAME")]
    assert shell(bundle, ASCEND_RT_VISIBLE_DEVICES="") == [("error", "ASCEND_RT_VISIBLE_DEVICES")]
    assert shell(bundle, PYTORCH_ALLOC_CONF="x:1") == [("error", "PYTORCH_ALLOC_CONF")]
    assert shell(bundle, PYTORCH_CUDA_ALLOC_CONF="x:1") == [("warning", "PYTORCH_CUDA_ALLOC_CONF")]


def test_what_the_bundle_sets_wins_over_the_shell(compiled):
    assert shell(compiled(), HCCL_EXEC_TIMEOUT="9999", HCCL_CONNECT_TIMEOUT="1", MUJOCO_GL="egl") == []
    left = compiled(env="{HCCL_CONNECT_TIMEOUT: null}")
    assert shell(left, HCCL_CONNECT_TIMEOUT="1") == [("error", "HCCL_CONNECT_TIMEOUT")]
