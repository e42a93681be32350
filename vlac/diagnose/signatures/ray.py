"""What Ray says: workers that were lost, memory, start-up, the cluster."""

from __future__ import annotations

from vlac.adapters import Signature

_LOST = "Ray src/ray/core_worker, python/ray/exceptions.py; RLinf v0.3 worker_group.py"

SIGNATURES: tuple[Signature, ...] = (
    Signature(
        "ray-host-memory",
        (
            "Workers (tasks / actors) killed due to memory pressure",
            "Task was killed due to the node running low",
        ),
        "cause",
        "The node's memory was nearly full, and Ray killed a worker to protect it.",
        "Use fewer ranks or data workers a node, or give it more memory. RAY_memory_usage_threshold moves the limit, "
        "RAY_memory_monitor_refresh_ms=0 switches it off; both before `ray start`.",
        "Ray docs, Out-Of-Memory Prevention; Ray #39723",
        retryable=True,
    ),
    Signature(
        "kernel-host-memory",
        ("Out of memory: Killed process", "oom-kill:constraint", "Memory cgroup out of memory"),
        "cause",
        "The kernel killed a process because the node, or the container, had no memory left.",
        "Use fewer ranks or data workers, or give the container more memory.",
        "Linux mm/oom_kill.c",
        retryable=True,
    ),
    Signature(
        "ray-worker-registration",
        ("have not registered within the timeout",),
        "cause",
        "Ray's worker processes did not start: the inherited environment is too large for them, or they start with "
        "another interpreter.",
        "Start from a shell with a small environment (`env | wc -c` below 100,000); use the ray of the interpreter "
        "that trains.",
        "RLinf #1531, #1532; Ray #47432",
        retryable=True,
    ),
    Signature(
        "ray-environment-too-large",
        ("Argument list too long",),
        "cause",
        "The environment, or one variable of it, is larger than the kernel hands to a new process (128 KiB each).",
        "Start from a shell with a small environment: `env -i` and what is needed.",
        "Linux execve(2), MAX_ARG_STRLEN; RLinf #1531",
    ),
    Signature(
        "ray-socket-path",
        ("AF_UNIX path length cannot exceed",),
        "cause",
        "Ray's temporary folder has so long a path that a socket in it cannot be named.",
        "Give it a short one, as --temp-dir=/tmp/r; unset TMPDIR and RAY_TMPDIR.",
        "Ray #7724; verl #1120",
    ),
    Signature(
        "ray-folder-permission",
        ("Permission denied: '/tmp/ray",),
        "cause",
        "/tmp/ray belongs to another user of the machine.",
        "Give Ray a folder of its own (--temp-dir); vlac run does.",
        "Ray #3899, #20634",
    ),
    Signature(
        "ray-version",
        ("Version mismatch: The cluster was started with", "Ray version mismatch", "Python version mismatch"),
        "cause",
        "The run joined a Ray that another version of Ray or Python started.",
        "End that Ray (`ray stop` by its owner) or unset RAY_ADDRESS; start Ray with the interpreter that trains.",
        "Ray python/ray/_private/utils.py (check_version_info); TinyZero #75",
    ),
    Signature(
        "ray-no-connection",
        (
            "Failed to connect to GCS",
            "GCS server...connection...failed",
            "ConnectionError: Could not find any running Ray instance",
            "Unable to connect to GCS",
        ),
        "cause",
        "Ray's head does not answer: it is gone, has another address, or a proxy stands in between.",
        "Put the nodes' addresses into no_proxy and NO_PROXY, and look whether the head still runs.",
        "RLinf #827, docs FAQ; Ray #14350",
        retryable=True,
    ),
    Signature(
        "ray-unschedulable",
        (
            "cannot be scheduled right now",
            "No available node types can fulfill",
            "infeasible resource requests",
        ),
        "warning",
        "Ray has not got what an actor asks for.",
        "Compare `ray status` with the placement; another job may hold the devices.",
        "Ray src/ray/raylet, autoscaler messages",
        retryable=True,
    ),
    Signature(
        "ray-terminated",
        ("Received signal 15 (Terminated) in worker", "Received signal 2 (Interrupt) in worker"),
        "consequence",
        "Somebody asked this worker to end: a scheduler, `ray stop`, or the end of the run.",
        "Look at the scheduler's record of the job (time limit, preemption).",
        "RLinf v0.3 rlinf/scheduler/worker/worker.py (_register_signal_handlers)",
        retryable=True,
    ),
    Signature(
        "ray-worker-lost",
        (
            "The actor died unexpectedly before finishing this task",
            "The actor is dead because its worker process has died",
            "A worker died or was killed while executing a task",
            "Worker unexpectedly exits with a connection error",
            "ray.exceptions.ActorDiedError",
            "ray.exceptions.ActorUnavailableError",
            "ray.exceptions.WorkerCrashedError",
            "ray.exceptions.OwnerDiedError",
        ),
        "consequence",
        "A worker process is gone. Ray does not know why: it was killed (by the kernel for memory, by somebody), or "
        "crashed in compiled code.",
        "Look on its node for `dmesg | grep -i 'killed process'`, and into the worker's own log for a crash.",
        _LOST,
        retryable=True,
    ),
    Signature(
        "ray-driver-told",
        ("Exiting main process due to a failure upon worker execution",),
        "consequence",
        "RLinf's driver ends because a worker failed.",
        "Look at the worker that failed.",
        "RLinf v0.3 rlinf/scheduler/cluster/cluster.py",
        retryable=True,
    ),
)
"""In order: where two fit a line, the first is it."""
