"""`vlac run`: compile a spec, run the bundle, check what came out of it."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from vlac.commands.arguments import add_spec, file_path

if TYPE_CHECKING:
    import argparse

    from vlac.bundle import Bundle
    from vlac.diagnostics import Diagnostic
    from vlac.run.launch import Launch
    from vlac.spec.loaded import LoadedSpec


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Describe the command."""
    parser = subparsers.add_parser("run", help="compile a spec and run the training")
    add_spec(parser)
    parser.add_argument(
        "-o",
        "--output",
        type=file_path,
        metavar="DIR",
        help="where the run's folder goes, instead of output:",
    )
    parser.add_argument("--dry-run", action="store_true", help="print what would be executed and do nothing")
    parser.add_argument("--smoke", action="store_true", help="two steps, with everything else as compiled")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Compile, look whether this machine can run it, run it, check it. Returns the exit code of the run."""
    from vlac.commands.report import tell
    from vlac.run.launch import describe
    from vlac.run.preflight import preflight
    from vlac.run.shell import shell_warnings

    launch = _launch(args)
    tell(args, (*launch.bundle.diagnostics, *shell_warnings(launch)))
    if args.dry_run:
        sys.stdout.write(describe(launch))
        return 0
    preflight(launch)
    return _execute(launch)


def _launch(args: argparse.Namespace) -> Launch:
    import os

    from vlac.run.launch import Launch, smoke_steps

    bundle = _compile(args)
    overrides = (f"runner.max_steps={smoke_steps(bundle.plan)}",) if args.smoke else ()
    spec_dir = args.spec.resolve().parent
    return Launch(bundle, spec_dir, dict(os.environ), sys.executable, overrides)


def _compile(args: argparse.Namespace) -> Bundle:
    import json

    from vlac.compiler import compile_path
    from vlac.errors import SpecError

    sets = list(args.sets)
    if args.output:
        sets.append(f"output={json.dumps(str(args.output.resolve()), ensure_ascii=False)}")
    bundle = compile_path(args.spec, backend=args.backend, sets=sets, tree=args.rlinf)
    if not bundle.plan.adapter.name:
        raise SpecError([_no_backend(bundle.plan.loaded)])
    return bundle


def _no_backend(loaded: LoadedSpec) -> Diagnostic:
    from vlac.plan.problems import error

    hint = "add `hardware: {backend: cuda, device: H100, cards: 8}` or one like it"
    return error(
        loaded, "base", "run-no-backend", "a run needs to know where: the spec names no backend", hint
    )


def _execute(launch: Launch) -> int:
    from vlac.bundle.write import write
    from vlac.run.folders import take
    from vlac.run.live import Live
    from vlac.run.summary import finish
    from vlac.run.supervise import supervise

    folder = take(launch.runs)
    write(launch.bundle.files, launch.bundle.executable, folder / "bundle")
    variables = {**launch.shell, **launch.own_variables(folder)}
    live = Live(sys.stderr)
    outcome = supervise(launch.command(folder), variables, folder, live)
    return finish(launch, folder, outcome, sys.stdout)
