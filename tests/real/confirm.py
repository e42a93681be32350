"""Run confirm_findings.py with the interpreter that has RLinf, on the code of a checkout."""

import json
import os
import subprocess
from pathlib import Path

from vlac.rlinf.compose import compose

PROGRAM = Path(__file__).parent / "confirm_findings.py"


def composed(configs, case):
    """What Hydra composes from the config of a case in a tree, with the case's change."""
    config = json.loads(json.dumps(compose(configs / f"{case.config}.yaml").nested()))
    case.change(config)
    return config


def confirm(python, kind, config, tree):
    """The line that it prints. Runs outside of the checkout, which would give its own name to the package."""
    environment = {**os.environ, "PYTHONPATH": str(tree), "HF_HUB_OFFLINE": "1", "CUDA_VISIBLE_DEVICES": ""}
    done = subprocess.run(
        [python, str(PROGRAM), kind, str(config)],
        cwd=Path(config).parent,
        env=environment,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    lines = done.stdout.strip().splitlines()
    return lines[-1] if lines else done.stderr.strip()[-500:]
