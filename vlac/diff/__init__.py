"""Comparing what a source patch sets with what a bundle sets: computing the difference, and showing it."""
