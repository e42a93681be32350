"""RLinf as a target: its versions, the keys of its configuration, and the lowering of a plan into them."""
