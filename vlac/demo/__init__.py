"""A small but real flow-matching VLA for RLinf, with the data set it trains on.

The package is copied into a bundle's ``bootstrap/`` folder as ``vlac_demo`` and runs inside the training
processes, so its modules import each other relatively and need nothing that RLinf does not bring:
torch, numpy, pyarrow and Pillow. Importing the package itself loads none of them.

    generate.py  writes the data set (LeRobot v2.1), as a command: ``python -m vlac_demo.generate DIR``
    scene.py     what the data set shows
    dataset.py   reads it from disk
    model.py     the network and its flow-matching loss, plain torch
    policy.py    the network as an RLinf policy, and its entry in RLinf's model registry
    worker.py    the RLinf worker that feeds it
"""

MODEL_TYPE = "vlac_demo"
"""The ``actor.model.model_type`` under which RLinf knows this model."""


def register() -> None:
    """Add the model to RLinf's registry in this process; driver and workers both need it.

    ``SupportedModel`` (``rlinf/config.py``, 0.3.0) accepts any name once ``register_model`` was called with it.
    """
    from .policy import register as register_policy

    register_policy()
