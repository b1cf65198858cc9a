# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import sys

from . import lint


def main():
    num = 0
    for path in sys.argv[1:]:
        for line, what in lint(path):
            print(f"{path}:{line}: {what}")
            num += 1
    return 1 if num else 0


if __name__ == "__main__":
    sys.exit(main())
