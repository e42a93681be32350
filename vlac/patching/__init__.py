"""Applying source patches to a tree and taking them back: every file or none, whenever it is killed.

`places` finds files, `change` computes contents, `look` tells what a tree holds, `transaction` writes by a `journal`,
`recovery` finishes or undoes, `record` remembers what was there before. Nothing here needs git.
"""
