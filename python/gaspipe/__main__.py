# SPDX-License-Identifier: Apache-2.0
"""`python -m gaspipe` is the command `gaspipe`."""

from .cli import main

main()  # whose usage lines say `python -m gaspipe`
