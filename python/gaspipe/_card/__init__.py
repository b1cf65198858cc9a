# SPDX-License-Identifier: Apache-2.0
"""Cards: the right to use one (`lease`), its kernels (`build`, `kernels`, `xclbin`), the list of them (`devices`).

Other packages import from here. The modules `boards`, `build`, `check`, `kernels`, `wiring` and `xclbin` are part of
this interface, each imported where it is used.
"""

from .card import release_cards, release_devices
from .leases import Lease, lease, may_run, usable_cards_by_lock
from .listing import devices

__all__ = [
    "Lease",
    "boards",
    "build",
    "check",
    "devices",
    "kernels",
    "lease",
    "may_run",
    "release_cards",
    "release_devices",
    "usable_cards_by_lock",
    "wiring",
    "xclbin",
]
