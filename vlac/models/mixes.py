"""Models that train on several weighted data sets at once."""

from __future__ import annotations

MIX_CONFIG_KEYS = {"dreamzero": "embodiment_tag"}
"""By RLinf's `model_type`: the key of a data set of `data.train_data_paths` that chooses its transforms.

Source: rlinf/data/datasets/dreamzero/lerobot_dataset.py, main@a3816b596; the same on v0.3. Other models that take a
list (value models, rlt stage 1) have no such key.
"""
