import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

import vlac.doctor
from tests.unit.doctor import makers
from vlac.adapters import NodeReport
from vlac.cli import main
from vlac.diagnostics.codes import CODES
from vlac.doctor.examine import examine
from vlac.doctor.interpreter import ask
from vlac.doctor.machine import machine
from vlac.doctor.software import software as software_of
from vlac.doctor.subject import Subject

NO_CARDS = NodeReport(remarks=("npu-smi is not on PATH",))
TWO = NodeReport(("910B3", "910B3"), ("driver 24.1",))


def software_findings(folder, shell=None, **changes):
    return list(software_of(Subject(makers.launch(folder, shell=shell, **changes))))


def machine_findings(folder, report=TWO, shell=None, **changes):
    launch = makers.with_adapter(makers.launch(folder, shell=shell, **changes), probe=lambda: report)
    return list(machine(Subject(launch)))


def codes(findings):
    return {finding.code: finding for finding in findings if finding.state in ("fail", "warning")}


def test_software_that_fits(run_folder):
    found = software_findings(run_folder, shell={"HF_HUB_OFFLINE": "1"})
    assert {finding.state for finding in found} == {"ok"}
    assert any(finding.what == "transformers 4.53.2 with openpi's files" for finding in found)


@pytest.mark.parametrize(
    ("given", "code", "words"),
    [
        ({"transformers": "4.57.6"}, "doctor-transformers", "transformers is 4.57.6"),
        ({"transformers": None}, "doctor-transformers", "not installed"),
        ({"replaced": False}, "doctor-transformers", "do not lie over"),
        ({"openpi": None}, "doctor-python", "openpi is not installed"),
        ({"ray": None}, "doctor-python", "has no ray"),
    ],
)
def test_what_the_interpreter_lacks(run_folder, software, given, code, words):
    software(**given)
    found = codes(software_findings(run_folder))
    assert list(found) == [code]
    assert words in found[code].what
    assert found[code].fix


def test_an_interpreter_that_does_not_answer(run_folder, monkeypatch):
    monkeypatch.setattr("vlac.doctor.subject.ask", lambda _python: None)
    assert codes(software_findings(run_folder))["doctor-python"].what.endswith("does not answer")


def test_the_tokenizer(run_folder):
    file = run_folder / ".cache/openpi/big_vision/paligemma_tokenizer.model"
    file.rename(run_folder / ".cache/openpi/paligemma_tokenizer.model")
    found = codes(software_findings(run_folder))["doctor-tokenizer"]
    assert found.state == "warning"
    assert "one folder too high" in found.what
    assert found.fix.endswith(f"cp {run_folder}/.cache/openpi/paligemma_tokenizer.model {file}")
    offline = codes(software_findings(run_folder, shell={"HF_HUB_OFFLINE": "1"}))
    assert offline["doctor-tokenizer"].state == "fail"
    own = {"OPENPI_DATA_HOME": str(run_folder / "own")}
    assert (
        f"{run_folder}/own/big_vision"
        in codes(software_findings(run_folder, shell=own))["doctor-tokenizer"].what
    )
    file.write_bytes(b"<html>401</html>")
    assert codes(software_findings(run_folder))["doctor-tokenizer"].what.endswith("too few for a tokenizer")


def test_offline_with_data_that_is_only_on_the_hub(run_folder):
    data = "{path: physical-intelligence/libero, config: pi05_libero}"
    found = codes(software_findings(run_folder, shell={"HF_DATASETS_OFFLINE": "1"}, data=data))
    assert "physical-intelligence/libero is not on this machine" in found["doctor-offline"].what


@pytest.mark.parametrize(
    ("shell", "state"),
    [({}, "fail"), ({"WANDB_MODE": "offline"}, None), ({"WANDB_API_KEY": "k" * 40}, None)],
)
def test_wandb(run_folder, shell, state):
    found = software_findings(run_folder, shell=shell, logging="{backends: [wandb]}")
    told = codes(found).get("doctor-wandb")
    assert (told.state if told else None) == state
    assert "kkkk" not in "".join(finding.what + finding.fix for finding in found)


def test_a_login_of_wandb_counts(run_folder):
    (run_folder / ".netrc").write_text("machine api.wandb.ai\n  login user\n  password secret\n")
    found = software_findings(run_folder, logging="{backends: [wandb]}")
    assert "doctor-wandb" not in codes(found)
    assert "secret" not in "".join(finding.what for finding in found)


def test_a_machine_that_fits(run_folder):
    found = machine_findings(run_folder)
    assert not codes(found)
    assert found[0].what == "2 x 910B3 (driver 24.1)"


@pytest.mark.parametrize(
    ("report", "state", "words"),
    [
        (NO_CARDS, "fail", "no cards of backend ascend: npu-smi is not on PATH"),
        (NodeReport(("910B3",)), "fail", "of 2 cards that hardware.cards names, 1 are here"),
        (NodeReport(("910B4", "910B4")), "warning", "here is 910B4, the spec is for 910B3"),
    ],
)
def test_cards(run_folder, report, state, words):
    found = codes(machine_findings(run_folder, report))["doctor-device"]
    assert found.state == state
    assert words in found.what


def test_the_versions_that_are_installed_are_judged(run_folder, software):
    software(torch="2.9.0", torch_npu="2.7.1")
    found = codes(machine_findings(run_folder))["doctor-stack"]
    assert found.state == "fail"
    assert "torch" in found.what


def test_versions_that_are_not_those_of_the_spec(run_folder):
    hardware = '{backend: ascend, device: 910B3, cards: 2, stack: {torch_npu: "2.6.0", torch: "2.6.0"}}'
    found = codes(machine_findings(run_folder, hardware=hardware))
    assert "hardware.stack says torch" in found["doctor-stack"].what


def test_the_shell(run_folder):
    found = codes(machine_findings(run_folder, shell={"RANK_TABLE_FILE": "/x"}))["doctor-shell"]
    assert found.fix == "unset RANK_TABLE_FILE in this shell"


def test_no_rlinf_at_all(run_folder, software):
    software(rlinf=None)
    assert "has no rlinf" in codes(machine_findings(run_folder))["doctor-checkout"].what


def test_another_rlinf_than_the_spec_is_for(run_folder, software):
    software(rlinf="0.4.0")
    found = codes(machine_findings(run_folder))["doctor-checkout"]
    assert found.what == "rlinf 0.4.0 is installed, the spec is for 0.3"


def test_a_path_that_is_no_checkout(run_folder):
    found = codes(machine_findings(run_folder, rlinf='{version: "0.3", path: ./data}'))["doctor-checkout"]
    assert "is no RLinf tree" in found.what


def test_an_unknown_tree(run_folder):
    (run_folder / "data/rlinf").mkdir()
    (run_folder / "data/rlinf/config.py").write_text("x = 1\n")
    found = codes(machine_findings(run_folder, rlinf='{version: "0.3", path: ./data}'))["doctor-checkout"]
    assert "no RLinf that vlac knows" in found.what
    assert found.fix == "write rlinf.version: auto"


def test_a_whole_run_has_no_fault(run_folder):
    launch = makers.with_adapter(makers.launch(run_folder), probe=lambda: TWO)
    found = examine(launch)
    assert not codes(found)
    assert {finding.group for finding in found} == {"data", "normalisation", "weights", "software", "machine"}


def test_the_demo_needs_little(tmp_path, software):
    software(openpi=None, transformers=None)
    launch = makers.launch(tmp_path, model="{family: demo}", data="{}", hardware="{backend: cpu, cards: 2}")
    found = examine(launch)
    assert not codes(found)
    assert [f.what for f in found if f.group == "data"] == [
        "the demo data set is written when the run starts"
    ]


def test_without_a_backend_the_machine_is_not_checked(run_folder):
    launch = makers.with_adapter(makers.launch(run_folder), name="")
    [first, *_] = list(machine(Subject(replace(launch))))
    assert (first.state, first.what) == ("not checked", "the spec names no backend")


def test_an_override_counts_as_rlinf_reads_it(run_folder):
    other = makers.dataset_2(run_folder / "other")
    launch = makers.launch(run_folder, overrides="{+data.nothing: 1}")
    assert Subject(launch).data[0].path == run_folder / "data"
    key = ("data", "train_data_paths")
    config = dict(launch.bundle.config)
    config[key] = replace(config[key], value=str(other))
    changed = replace(launch, bundle=replace(launch.bundle, config=config))
    assert Subject(changed).data[0].path == other


SPEC = """\
vlac: 1
name: t
rlinf: {version: "0.3"}
model: {family: pi05, weights: ./weights}
data: {path: ./data, config: pi05_libero}
hardware: {backend: cpu, cards: 2}
train: {steps: 10, micro_batch: 2, global_batch: 8}
"""


@pytest.fixture
def spec(run_folder, monkeypatch):
    monkeypatch.setenv("HOME", str(run_folder))
    monkeypatch.delenv("OPENPI_DATA_HOME", raising=False)
    file = run_folder / "spec.yaml"
    file.write_text(SPEC)
    return file


def test_the_command_prints_groups_and_ends_with_0(spec, capsys):
    assert main(["doctor", str(spec)]) == 0
    out, err = capsys.readouterr()
    assert [line for line in out.splitlines() if line[0] != " "] == [
        "data",
        "normalisation",
        "weights",
        "software",
        "machine",
    ]
    assert "\x1b" not in out
    assert err.startswith(f"{spec}: ") and " ok" in err


def test_the_command_ends_with_1_where_something_fails(spec, capsys):
    (spec.parent / "weights/model.safetensors").write_bytes(b"")
    assert main(["doctor", str(spec)]) == 1
    out = capsys.readouterr().out
    assert "  fail         model.safetensors is empty [doctor-weights-broken]\n               fix: " in out


def test_the_command_prints_json(spec, capsys):
    (spec.parent / "data/meta/info.json").unlink()
    assert main(["doctor", str(spec), "--json"]) == 1
    document = json.loads(capsys.readouterr().out)
    [told] = [finding for finding in document["findings"] if finding["code"] == "doctor-data-missing"]
    assert set(told) == {"group", "state", "what", "fix", "code"}
    assert document["summary"]["fail"] == sum(finding["state"] == "fail" for finding in document["findings"])


def test_a_wrong_spec_is_told_as_everywhere(spec, capsys):
    spec.write_text(SPEC.replace("steps", "stepps"))
    assert main(["doctor", str(spec)]) == 1
    assert "stepps" in capsys.readouterr().err


def test_norm_stats_refuses_to_replace(spec, capsys):
    assert main(["norm-stats", str(spec)]) == 1
    assert "--force replaces it" in capsys.readouterr().err


@pytest.mark.usefixtures("needs_pyarrow")
def test_norm_stats_prints_the_file_and_tells_how_far_it_is(spec, capsys):
    assert main(["norm-stats", str(spec), "--force"]) == 0
    out, err = capsys.readouterr()
    assert out == f"{spec.parent}/weights/physical-intelligence/libero/norm_stats.json\n"
    assert "36 of 36 frames (100 %)" in err


def test_every_code_is_explained():
    sources = "".join(file.read_text() for file in Path(vlac.doctor.__file__).parent.glob("*.py"))
    told = {code for code in CODES if code.startswith("doctor-")}
    assert told == {word for word in sources.replace('"', " ").split() if word.startswith("doctor-")}


def test_this_interpreter_answers():
    found = ask(sys.executable)
    assert found.versions["python"] == ".".join(str(part) for part in sys.version_info[:3])
    assert ask("/nowhere/python") is None


def test_the_doctor_imports_nothing_heavy():
    heavy = "{'torch', 'ray', 'jax', 'hydra', 'omegaconf', 'numpy', 'pyarrow', 'importlib.metadata'}"
    code = f"import sys, vlac.doctor.examine, vlac.doctor.compute; print(sorted({heavy} & set(sys.modules)))"
    answer = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert answer.stdout.strip() == "[]"
