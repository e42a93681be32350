"""`vlac diff` as a person and as a program meet it."""

import json
import subprocess
import sys

import pytest

from vlac.cli import main


@pytest.fixture
def spec(tmp_path, spec_text):
    path = tmp_path / "spec.yaml"
    path.write_text(spec_text, encoding="utf-8")
    return path


@pytest.fixture
def patch(tmp_path, patch_text):
    def write(*lines, file="examples/sft/run_vla_sft.sh"):
        path = tmp_path / "my.patch"
        path.write_text(patch_text(file, *lines), encoding="utf-8")
        return path

    return write


def test_the_shipped_patch_is_the_default(spec, capsys):
    assert main(["diff", str(spec)]) == 0
    out = capsys.readouterr().out
    assert out.startswith("rlinf-openpi-sft-pi05-8card.patch beside pi05-libero10-sft, for RLinf 0.3\n")
    for line in (
        "  same          cluster.component_placement.actor,env,rollout: 0-7\n",
        "  redundant     actor.model.is_lora: false\n",
        "  redundant     actor.model.lora_rank: 32\n",
        "  same          JAX_PLATFORMS=cpu\n",
        "  not needed    rlinf/models/__init__.py: cfg.get('is_lora', False)\n",
        "\n2 redundant, 1 not needed, 2 same\n",
        "would train pi0",
    ):
        assert line in out
    assert "\x1b" not in out
    assert max(map(len, out.splitlines())) <= 100


def test_a_difference_is_exit_1_and_shows_both_values(spec, patch, capsys):
    assert main(["diff", str(spec), "--patch", str(patch("+export JAX_PLATFORMS=cuda"))]) == 1
    assert "differs       JAX_PLATFORMS=cuda in the patch, cpu in the bundle\n" in capsys.readouterr().out


def test_set_and_backend_change_the_bundle(spec, capsys):
    assert main(["diff", str(spec), "--set", "hardware.cards=4"]) == 1
    assert "0-7 in the patch, 0-3 in the bundle" in capsys.readouterr().out
    assert main(["diff", str(spec), "--backend", "cpu"]) == 1


def test_json(spec, patch, capsys):
    assert main(["diff", str(spec), "--json", "--patch", str(patch("+export NEW=1"))]) == 1
    document = json.loads(capsys.readouterr().out)
    (entry,) = document["differences"]
    assert entry["key"] == "NEW"
    assert (entry["verdict"], entry["patch"], entry["bundle"]) == ("only in patch", "1", None)
    assert entry["reason"]
    assert document["only_in_bundle"]["config"]["actor.model.openpi.config_name"] == "pi05_libero"


def test_a_broken_patch_is_trouble_with_its_position(spec, patch, capsys):
    path = patch("+export A=1")
    path.write_text(path.read_text().replace("+1,1", "+1,2"))
    assert main(["diff", str(spec), "--patch", str(path)]) == 2
    captured = capsys.readouterr()
    assert f"{path}:4:1" in captured.err
    assert captured.out == ""


def test_a_broken_patch_as_json(spec, patch, capsys):
    path = patch("+export A=1")
    path.write_text("no patch at all")
    assert main(["diff", str(spec), "--patch", str(path), "--json"]) == 2
    (problem,) = json.loads(capsys.readouterr().out)["diagnostics"]
    assert (problem["code"], problem["file"], problem["line"]) == ("patch-empty", str(path), 1)


@pytest.mark.parametrize("name", ["missing.patch", "."])
def test_a_patch_that_cannot_be_read_is_trouble(spec, tmp_path, capsys, name):
    assert main(["diff", str(spec), "--patch", str(tmp_path / name)]) == 2
    assert "cannot be read" in capsys.readouterr().err


def test_a_wrong_spec_is_trouble(spec, capsys):
    spec.write_text("vlac: 1\nname: x\n", encoding="utf-8")
    assert main(["diff", str(spec)]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert "spec.yaml" in captured.err


def test_a_missing_spec_is_trouble(tmp_path, capsys):
    assert main(["diff", str(tmp_path / "none.yaml")]) == 2
    assert capsys.readouterr().err


HEAVY = "{'torch', 'ray', 'jax', 'hydra', 'omegaconf', 'numpy'}"


def test_nothing_heavy_is_imported(spec):
    code = (
        "import sys; from vlac.cli import main; code = main(['diff', sys.argv[1]]); "
        f"sys.exit(code or sorted({HEAVY} & set(sys.modules)) or 0)"
    )
    subprocess.run([sys.executable, "-c", code, str(spec)], capture_output=True, check=True)


def test_colour_only_where_it_is_asked_for(bundle, shipped):
    from vlac.diff.compute import compute
    from vlac.diff.show import text

    comparison = compute(shipped, bundle)
    assert "\x1b[32msame" in text(comparison, color=True)
    assert "\x1b" not in text(comparison)


def test_control_characters_of_a_patch_do_not_reach_the_terminal(spec, patch, capsys):
    assert main(["diff", str(spec), "--patch", str(patch("+export A=\x1b[2Jx"))]) == 1
    out = capsys.readouterr().out
    assert "\x1b" not in out
    assert "A=\\x1b[2Jx" in out
