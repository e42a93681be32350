"""Guards, imports and other changes of Python code."""

import pytest

CODE = """\
    import torch


    def get_model(cfg):
        model = build(cfg)
        if cfg.is_lora:
            model = wrap(
                model,
                is_lora=self.cfg.model.is_lora,
                rank=cfg["lora_rank"],
            )
        return model
    """


def found(changed, after):
    return [(item.kind, item.name) for item in changed("rlinf/models/__init__.py", CODE, after, 1)]


def edit(old, new):
    assert CODE.count(old) == 1
    return CODE.replace(old, new)


@pytest.mark.parametrize(
    "guard",
    [
        'cfg.get("is_lora", False)',
        "cfg.get('is_lora')",
        'getattr(cfg, "is_lora", False)',
        'OmegaConf.select(cfg, "is_lora", default=False)',
        '"is_lora" in cfg and cfg.is_lora',
        'hasattr(cfg, "is_lora") and cfg.is_lora',
        '(cfg.get("is_lora", False))',
    ],
)
def test_every_spelling_of_a_guard(changed, guard):
    assert found(changed, edit("if cfg.is_lora:", f"if {guard}:")) == [("guard", "is_lora")]


def test_a_guard_inside_an_argument_list(changed):
    assert found(changed, edit("self.cfg.model.is_lora,", 'self.cfg.model.get("is_lora", False),')) == [
        ("guard", "is_lora")
    ]
    assert found(changed, edit('cfg["lora_rank"]', 'cfg.get("lora_rank", 32)')) == [("guard", "lora_rank")]


def test_what_does_more_than_guard_is_code(changed):
    assert found(changed, edit("if cfg.is_lora:", 'if not cfg.get("is_lora", False):')) == [("code", "")]
    assert found(changed, edit("if cfg.is_lora:", 'if cfg.get("is_lore", False):')) == [("code", "")]
    assert found(changed, edit("return model", "return model.eval()")) == [("code", "")]


def test_a_guard_taken_away_is_code(changed):
    before = edit("if cfg.is_lora:", 'if cfg.get("is_lora", False):')
    (item,) = changed("x.py", before, CODE, 1)
    assert item.kind == "code"


SWITCH = "from torch_npu.contrib import transfer_to_npu"


@pytest.mark.parametrize(
    ("lines", "names"),
    [
        (["import torch_npu"], ["torch_npu"]),
        (["import torch_npu  # noqa", SWITCH], ["torch_npu", "torch_npu.contrib.transfer_to_npu"]),
        (["try:", "    import torch_npu", "except ImportError:", "    torch_npu = None"], ["torch_npu"]),
    ],
)
def test_imports_that_appear(changed, lines, names):
    text = "".join(f"    {line}\n" for line in lines)
    after = edit("    import torch\n", f"    import torch\n{text}")
    assert found(changed, after) == [("import", name) for name in names]


def test_an_import_with_more_is_code(changed):
    assert found(changed, edit("import torch\n", "import torch\n    import json\n    x = json\n")) == [
        ("code", "")
    ]


def test_comments_and_layout_say_nothing(changed):
    assert found(changed, edit("model = build(cfg)", "# built\n        model = build( cfg )")) == []


def test_the_code_before_and_after_is_kept(changed):
    (item,) = changed("x.py", CODE, edit("if cfg.is_lora:", 'if cfg.get("is_lora", False):'), 1)
    assert (item.old, item.new) == ("cfg.is_lora", "cfg.get('is_lora', False)")


def test_files_of_other_kinds_are_code_and_pages_are_nothing(changed):
    (item,) = changed("requirements/a.toml", "a = 1\n", "a = 2\n")
    assert (item.kind, item.file) == ("code", "requirements/a.toml")
    assert changed("README.md", "a\n", "b\n") == ()
    (item,) = changed(".github/workflows/ci.yml", "a: 1\n", "a: 2\n")
    assert item.kind == "code"
