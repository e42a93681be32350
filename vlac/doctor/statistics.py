"""Mean, standard deviation and the 1st and 99th percentile of vectors that stream by, as openpi defines them.

Percentiles come from a histogram of 5,000 bins between the smallest and the largest value seen; where a batch widens
that range, what was counted moves to the bin that holds the lower edge of its old one. A percentile is the lower edge
of the bin in which it falls. So it depends on how the vectors are batched, and a caller that wants openpi's figures
takes openpi's batches. Definition: openpi 15a9616, src/openpi/shared/normalize.py, `RunningStats`. Means are kept in 64
bits here, where openpi keeps 32.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

Array = Any
"""A numpy array; numpy is an extra, so that its types may be missing."""

_BINS = 5000
_MARGIN = 1e-10  # openpi widens the first range by so much, the later ones not


@dataclass(frozen=True, slots=True)
class Statistics:
    """The statistics of vectors of one length, one entry for each of their entries."""

    mean: list[float]
    std: list[float]
    q01: list[float]
    q99: list[float]


class RunningStatistics:
    """Takes batches of vectors (any shape, the last axis is the vector), and gives their statistics at the end."""

    def __init__(self) -> None:
        self.count = 0
        self._sum: Array
        self._squares: Array
        self._low: Array
        self._high: Array
        self._edges: Array
        self._histograms: Array

    def update(self, batch: Array) -> None:
        """Count a batch in. All batches have vectors of one length, and no NaN."""
        import numpy as np

        vectors = batch.reshape(-1, batch.shape[-1]).astype(np.float64)
        low, high = vectors.min(axis=0), vectors.max(axis=0)
        if self.count == 0:
            self._start(low, high)
        elif (low < self._low).any() or (high > self._high).any():
            self._widen(np.minimum(low, self._low), np.maximum(high, self._high))
        self.count += len(vectors)
        self._sum += vectors.sum(axis=0)
        self._squares += np.square(vectors).sum(axis=0)
        for entry, column in enumerate(vectors.T):
            self._histograms[entry] += np.histogram(column, bins=self._edges[entry])[0]

    def result(self) -> Statistics:
        """The statistics of all batches. Raises ValueError for fewer than two vectors."""
        import numpy as np

        if self.count < 2:
            raise ValueError("statistics need two vectors at least")
        mean = self._sum / self.count
        variance = np.maximum(0, self._squares / self.count - np.square(mean))
        low, high = self._percentile(0.01), self._percentile(0.99)
        return Statistics(mean.tolist(), np.sqrt(variance).tolist(), low, high)

    def _start(self, low: Array, high: Array) -> None:
        import numpy as np

        self._low, self._high = low, high
        self._sum, self._squares = np.zeros_like(low), np.zeros_like(low)
        self._edges = np.linspace(low - _MARGIN, high + _MARGIN, _BINS + 1, axis=1)
        self._histograms = np.zeros((len(low), _BINS))

    def _widen(self, low: Array, high: Array) -> None:
        import numpy as np

        self._low, self._high = low, high
        edges = np.linspace(low, high, _BINS + 1, axis=1)
        for entry, counted in enumerate(self._histograms):
            starts = self._edges[entry][:-1]
            self._histograms[entry] = np.histogram(starts, bins=edges[entry], weights=counted)[0]
        self._edges = edges

    def _percentile(self, share: float) -> list[float]:
        import numpy as np

        wanted = share * self.count
        cumulated = np.cumsum(self._histograms, axis=1)
        bins = [int(np.searchsorted(row, wanted)) for row in cumulated]
        return [float(edges[index]) for edges, index in zip(self._edges, bins, strict=True)]
