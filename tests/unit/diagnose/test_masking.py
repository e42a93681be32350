from __future__ import annotations

import pytest

from vlac.diagnose import diagnose
from vlac.diagnose.masking import known_secrets, masked
from vlac.diagnose.show import as_json, as_text


@pytest.mark.parametrize(
    "line",
    [
        "export HF_TOKEN=SECRET-value",
        "HF_TOKEN: 'SECRET-value'",
        "{'api_key': 'SECRET-value', 'x': 1}",
        'wandb.login(key="SECRET-value", api_key="SECRET-value")'.replace('key="SECRET-value", ', "", 1),
        "--password SECRET-value",
        "--api-key=SECRET-value",
        "Authorization: Bearer SECRET-value",
        "https://user:SECRET-value@huggingface.co/x",
        "using token hf_SECRETSECRETSECRET",
        "ghp_SECRETSECRETSECRET1234",
        "AKIASECRETSECRET1234",
        "eyJSECRETSECRET.eyJSECRETSECRET.SECRET",
    ],
)
def test_secrets_by_name_and_by_shape(line):
    assert "SECRET" not in masked(line)
    assert "***" in masked(line)


@pytest.mark.parametrize(
    "line",
    [
        "omegaconf.errors.ConfigAttributeError: Key 'is_lora' is not in struct",
        "    full_key: actor.model.is_lora",
        "KeyError: 'observation.images.top'",
        "api_key not configured (no-tty). call wandb.login(key=[your_api_key])",
        "max_token_len=48, tokenizer=/data/paligemma_tokenizer.model",
        "secret meetings of tokens are fine",
    ],
)
def test_what_is_no_secret_stays(line):
    assert masked(line) == line


def test_known_values_are_hidden_wherever_they_stand():
    variables = {"HF_TOKEN": "hunter2-hunter2", "MY_PLACE": "elsewhere", "SHORT_KEY": "abc", "HOME": "/root"}
    secrets = known_secrets(variables, ["MY_PLACE"])
    assert secrets == ("hunter2-hunter2", "elsewhere")
    assert masked("x hunter2-hunter2 y elsewhere /root abc", secrets) == "x *** y *** /root abc"


def test_neither_text_nor_json_shows_a_secret(tmp_path):
    log = tmp_path / "run.log"
    log.write_text(
        "begin with WANDB_API_KEY=hunter2\n[ERROR] odd, token='hunter2' and 0123-known-0123\n[ERROR] HF_TOKEN=hunter2\n"
        "RuntimeError: Connection reset by peer (password: hunter2)\n"
    )
    diagnosis = diagnose([log])
    for text in (as_text(diagnosis, ["0123-known-0123"]), str(as_json(diagnosis, ["0123-known-0123"]))):
        assert "hunter2" not in text
        assert "0123-known" not in text
        assert "***" in text
