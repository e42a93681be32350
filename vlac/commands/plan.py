"""`vlac plan`: the plan as a person wants to read it. Nothing is written."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from vlac.commands.arguments import add_format, add_spec, compiled, wants_json

if TYPE_CHECKING:
    import argparse

    from vlac.plan.ir import RunPlan
    from vlac.plan.origins import Setting
    from vlac.rlinf.source_patches import Offer


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Describe the command."""
    parser = subparsers.add_parser("plan", help="show what a spec will do, and why")
    add_spec(parser)
    add_format(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Compile in memory and print the plan."""
    from vlac.commands.report import as_json, print_json, report, tell
    from vlac.plan.show import patches_table, whole_plan
    from vlac.rlinf.source_patches import offers

    bundle = compiled(args)
    if wants_json(args):
        told = {"diagnostics": as_json(args, bundle.diagnostics), **document(bundle.plan)}
        print_json({**told, "patches": [_patch(offer) for offer in offers(bundle.plan, bundle.config)]})
        return 0
    if args.format == "github":
        report(args, bundle.diagnostics)
        return 0
    tell(args, bundle.diagnostics)
    sys.stdout.write(whole_plan(bundle.plan) + patches_table(offers(bundle.plan, bundle.config)))
    return 0


def document(plan: RunPlan) -> dict[str, object]:
    """The plan as `--json` prints it."""
    return {
        "name": plan.name,
        "target": {"rlinf": plan.version.name, "commit": plan.version.commit},
        "backend": plan.adapter.name,
        "device": plan.device.name if plan.device else None,
        "derived": {name: _entry(setting) for name, setting in plan.derived.items()},
        "settings": {path: _entry(setting) for path, setting in plan.settings.items()},
        "environment": {variable.name: variable.value for variable in plan.environment},
        "secrets": list(plan.secrets),
    }


def _patch(offer: Offer) -> dict[str, object]:
    return {"id": offer.patch.id, "listed": offer.is_listed, "verdict": offer.verdict, "why": offer.why}


def _entry(setting: Setting) -> dict[str, object]:
    return {"value": setting.value, "layer": setting.origin.layer.value, "reason": setting.origin.reason}
