"""What the code in files computes on this machine's CPU, as JSON: for files before and after a patch.

    python patched_numbers.py < FILES

FILES is a JSON list of [name in its tree, text]; the answer is a list of results. openpi's model is run as a whole,
with a small network in the place of PaliGemma; of RLinf's files the functions and statements that a patch changes, cut
out of the source. Equal numbers are equal to the bit: tensors are compared by the digest of their bytes, with dtype and
shape.
"""

import ast
import contextlib
import hashlib
import json
import sys
import types
from pathlib import Path

import torch
from torch import nn

WIDTH, HORIZON, ACTION_DIM, BATCH, LANGUAGE = 16, 6, 32, 3, 9


def shown(value):
    """A result as JSON holds it."""
    if isinstance(value, torch.Tensor):
        data = (
            value.detach().contiguous().view(-1).view(torch.uint8).numpy().tobytes() if value.numel() else b""
        )
        return [str(value.dtype), list(value.shape), hashlib.sha256(data).hexdigest()]
    return repr(value)


class Attention(nn.Module):
    """In the place of PaliGemma and its expert: attention under the mask, with positions turned into phases."""

    def __init__(self, *_arguments, **_options):
        super().__init__()
        self.embed = nn.Embedding(50, WIDTH)
        self.image = nn.Linear(12, WIDTH)
        layer = types.SimpleNamespace(self_attn=types.SimpleNamespace(q_proj=nn.Linear(2, 2)))
        model = types.SimpleNamespace(layers=[layer], config=types.SimpleNamespace())
        self.paligemma = types.SimpleNamespace(language_model=model)
        self.gemma_expert = types.SimpleNamespace(model=model)
        self.seen = []

    def embed_image(self, image):
        return self.image(image.flatten(1)[:, :24].view(image.shape[0], 2, 12))

    def embed_language_tokens(self, tokens):
        return self.embed(tokens)

    def forward(
        self, attention_mask, position_ids, past_key_values, inputs_embeds, use_cache, adarms_cond=None
    ):
        self.seen += [attention_mask, position_ids]
        prefix, suffix = inputs_embeds
        embedded = torch.cat([part for part in (prefix, suffix) if part is not None], dim=1)
        if adarms_cond and adarms_cond[1] is not None:
            embedded = embedded + adarms_cond[1][:, None, :]
        embedded = embedded * torch.cos(position_ids[..., None] / 10)
        keys = embedded if past_key_values is None else torch.cat([past_key_values, embedded], dim=1)
        weights = torch.softmax(embedded @ keys.transpose(1, 2) + attention_mask[:, 0], dim=-1)
        out = weights @ keys
        return [None, out[:, -HORIZON - 1 :] if suffix is not None else out], keys if use_cache else None


def stub(name, **members):
    module = types.ModuleType(name)
    vars(module).update(members)
    sys.modules[name] = module
    return module


def load_pi0(source):
    """openpi's pi0_pytorch.py as a module, without the rest of openpi and without transformers."""
    for name in ("openpi", "openpi.models", "openpi.models_pytorch", "transformers", "transformers.models"):
        stub(name)
    stub("openpi.models.gemma", get_config=lambda _: types.SimpleNamespace(width=WIDTH))
    stub("openpi.models_pytorch.gemma_pytorch", PaliGemmaWithExpertModel=Attention)
    stub(
        "openpi.models_pytorch.preprocessing_pytorch",
        preprocess_observation_pytorch=lambda seen, **_: seen,
    )
    check = stub(
        "transformers.models.siglip.check",
        check_whether_transformers_replace_is_installed_correctly=lambda: True,
    )
    stub("transformers.models.siglip", check=check)
    sys.modules["openpi.models"].gemma = sys.modules["openpi.models.gemma"]
    sys.modules["openpi.models_pytorch"].preprocessing_pytorch = sys.modules[
        "openpi.models_pytorch.preprocessing_pytorch"
    ]
    torch.compile = lambda function, **_: function
    module = types.ModuleType("pi0_pytorch")
    exec(compile(source, "pi0_pytorch.py", "exec"), vars(module))  # the file under test
    return module


def observation():
    """One of three with padded text, one with a camera that is not there."""
    masks = [torch.tensor([True, True, False]), torch.tensor([True, True, True])]
    prompt_mask = torch.ones(BATCH, LANGUAGE, dtype=torch.bool)
    prompt_mask[1, 5:] = False
    prompt_mask[2, 2:] = False
    return types.SimpleNamespace(
        images={name: torch.randn(BATCH, 3, 4, 4) for name in ("base", "wrist")},
        image_masks=dict(zip(("base", "wrist"), masks, strict=True)),
        tokenized_prompt=torch.randint(0, 50, (BATCH, LANGUAGE)),
        tokenized_prompt_mask=prompt_mask,
        state=torch.randn(BATCH, ACTION_DIM),
    )


def pi0(source):
    module = load_pi0(source)
    results = {}
    for family in ("pi0", "pi05"):
        torch.manual_seed(7)
        config = types.SimpleNamespace(
            pi05=family == "pi05", paligemma_variant="", action_expert_variant="", dtype="float32",
            action_dim=ACTION_DIM, action_horizon=HORIZON, pytorch_compile_mode=None,
        )  # fmt: skip
        model = module.PI0Pytorch(config)
        seen = observation()
        loss = model(seen, torch.randn(BATCH, HORIZON, ACTION_DIM))
        loss.mean().backward()
        grads = [p.grad for p in model.parameters() if p.grad is not None]
        actions = model.sample_actions(torch.device("cpu"), seen, num_steps=3)
        inside = model.paligemma_with_expert.seen
        results[family] = [shown(value) for value in (loss, *grads, actions, *inside)]
    embedding = module.create_sinusoidal_pos_embedding
    time = torch.linspace(0.001, 1, 501)
    exact = embedding(time, 1024, 4e-3, 4.0, device=torch.device("cpu"))
    results["embedding"] = shown(exact)
    results["dtypes"] = [
        repr(module.get_safe_dtype(dtype, device))
        for dtype in (torch.float64, torch.float32, torch.bfloat16)
        for device in ("cpu", "cuda")
    ]
    npu = module.get_safe_dtype(torch.float64, "npu")
    module.get_safe_dtype = lambda *_: npu
    off = (embedding(time, 1024, 4e-3, 4.0, device=torch.device("cpu")) - exact).abs().max().item()
    return {"same": results, "npu": {"dtype": repr(npu), "off": off}}


def statements(source, word):
    """For each function the assignments that hold a word, and those that use what they assign."""
    for function in ast.walk(ast.parse(source)):
        if not isinstance(function, ast.FunctionDef):
            continue
        found, names = [], set()
        for node in function.body:
            used = {name.id for name in ast.walk(node) if isinstance(name, ast.Name)}
            if isinstance(node, ast.Assign) and (word in ast.unparse(node) or used & names):
                if word not in ast.unparse(node) and "position_ids" not in ast.unparse(node.targets[0]):
                    continue
                found.append(node)
                names |= {target.id for target in node.targets if isinstance(target, ast.Name)}
        if found:
            yield function.name, ast.unparse(ast.Module(found, []))


def action_model(source):
    torch.manual_seed(7)
    masks = {name: torch.rand(4, 40) > 0.3 for name in ("pad_masks", "prefix_pad_masks", "suffix_pad_masks")}
    results = {}
    for name, code in statements(source, "cumsum"):
        space = {"torch": torch, "prefix_offsets": masks["prefix_pad_masks"].sum(-1)[:, None], **masks}
        exec(code, space)  # statements of the file under test
        results[name] = {key: shown(space[key]) for key in space if key.endswith("position_ids")}
    return {"same": results}


def cut(source, name, space):
    """One function of a file, in a space of names."""
    (node,) = (n for n in ast.walk(ast.parse(source)) if isinstance(n, ast.FunctionDef) and n.name == name)
    node.decorator_list, node.returns = [], None
    for argument in node.args.args:
        argument.annotation = None
    exec(ast.unparse(node), space)  # a function of the file under test
    return space[name]


def model_manager(source):
    """Which autocast is asked for, by the device of the worker."""
    asked = {}
    for device in ("cuda", "cpu", "musa", "npu"):
        autocast = []
        space = {
            "torch": types.SimpleNamespace(
                amp=types.SimpleNamespace(
                    autocast=lambda seen=autocast, **options: seen.append(repr(options))
                )
            ),
            "Worker": types.SimpleNamespace(torch_device_type=device),
            "torch_dtype_from_precision": str,
            "ContextManager": contextlib.AbstractContextManager,
        }
        for enabled in (True, False):
            amp = types.SimpleNamespace(enabled=enabled, precision="bf16")
            worker = types.SimpleNamespace(
                _cfg=types.SimpleNamespace(fsdp_config=types.SimpleNamespace(amp_autocast=amp)),
                _logger=types.SimpleNamespace(info=lambda _: None),
            )
            autocast.append(type(cut(source, "_create_amp_context", space)(worker)).__name__)
        asked[device] = autocast
    return {"npu": asked.pop("npu"), "same": asked}


def is_lora(source):
    """What each read of is_lora gives, for the values that a configuration may have, and without one."""
    from omegaconf import OmegaConf

    tree = ast.parse(source)
    reads = [
        node.test
        for node in ast.walk(tree)
        if isinstance(node, ast.If) and "is_lora" in ast.unparse(node.test)
    ]
    reads += [
        node.value for node in ast.walk(tree) if isinstance(node, ast.keyword) and node.arg == "is_lora"
    ]
    results, without = [], []
    for read in reads:
        results.extend(
            _evaluated(read, OmegaConf.create({"is_lora": value})) for value in (True, False, None)
        )
        without.append(_evaluated(read, OmegaConf.create({"lora_rank": 32})))
    return {"same": results, "without": without}


def _evaluated(read, config):
    from omegaconf import OmegaConf

    OmegaConf.set_struct(config, True)
    owner = types.SimpleNamespace(cfg=types.SimpleNamespace(model=config))
    try:
        return repr(eval(ast.unparse(read), {"cfg": config, "self": owner}))  # an expression of the file
    except Exception as problem:  # whatever the read raises is its result
        return type(problem).__name__


OF_FILE = {
    "pi0_pytorch.py": pi0,
    "openpi_action_model.py": action_model,
    "fsdp_model_manager.py": model_manager,
    "__init__.py": is_lora,
    "fsdp.py": is_lora,
}


def computed(name, text):
    """The results of a file; a change may make it fail, which is another result."""
    try:
        return OF_FILE[Path(name).name](text)
    except Exception as problem:  # whatever it raises
        return {"same": None, "failed": f"{type(problem).__name__}: {problem}"}


if __name__ == "__main__":
    torch.use_deterministic_algorithms(True)
    json.dump([computed(*file) for file in json.load(sys.stdin)], sys.stdout)
