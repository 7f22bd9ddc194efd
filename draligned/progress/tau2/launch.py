"""One run of tau2-bench as a process of its own: `python -m draligned.progress.tau2.launch`.

Reads what is asked for from the folder's `duty.json` and leaves `results.json` beside it. A run
that was stopped goes on.
"""

import os
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

from draligned.progress.tau2.agents import register
from draligned.progress.tau2.results import RESULTS, SIDECAR
from draligned.schema.strictjson import visible
from draligned.schema.tau2 import DutyRun


def main(folder: Path, concurrency: int) -> None:
    """Run what the folder asks for; what stops the benchmark itself ends in one line."""
    try:
        _run(folder, concurrency)
    except Exception as error:
        raise SystemExit(visible(f"tau2-bench: {type(error).__name__}: {error}", 400)) from None


def _run(folder: Path, concurrency: int) -> None:
    os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")
    import_module("loguru").logger.remove()
    duty = DutyRun.from_json((folder / SIDECAR).read_bytes())
    agent = register(duty.arm)
    simulation, run = import_module("tau2.data_model.simulation"), _entry()
    kind = getattr(simulation, "TextRunConfig", None) or simulation.RunConfig
    asked = {**_asked(duty), "agent": agent, "max_concurrency": concurrency, **_places(folder, run)}
    run.run_domain(kind(**{k: v for k, v in asked.items() if k in kind.model_fields}))


def _entry() -> Any:
    """The module that runs a domain: by its newer name, else by the older one."""
    try:
        return import_module("tau2.runner.batch")
    except ImportError:
        return import_module("tau2.run")


def _asked(duty: DutyRun) -> dict[str, Any]:
    """Fields of the benchmark's configuration, of newer and older versions."""
    return {
        "domain": duty.domain, "task_split_name": duty.split, "task_ids": [*duty.tasks] or None,
        "llm_agent": duty.agent_llm, "llm_args_agent": duty.agent_args,
        "llm_user": duty.user_llm, "llm_args_user": duty.user_args, "user": "user_simulator",
        "num_trials": duty.trials, "max_steps": duty.max_steps, "seed": duty.seed,
        "auto_resume": True, "hallucination_retries": 0, "llm_args_judge": {},
        "log_level": "WARNING",
    }  # fmt: skip


def _places(folder: Path, run: Any) -> dict[str, Any]:
    """How to say where the results go: newer versions make a folder of the name, older ones a
    file in a folder."""
    newer = run.__name__.endswith("batch")
    if newer:
        return {"save_to": str(folder.resolve())}
    return {"save_to": RESULTS.removesuffix(".json"), "results_dir": str(folder.resolve())}


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]))
