# SPDX-License-Identifier: Apache-2.0
"""One peer per module; the folder is the registry."""
