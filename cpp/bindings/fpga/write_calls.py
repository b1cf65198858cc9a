# SPDX-License-Identifier: Apache-2.0
"""Writes the entries of XRT that the driver calls: `write_calls.py <nm> <archive of the driver> <output.cpp>`.

The module is not linked against XRT, or `auditwheel` would put that library into wheels, and a card's owner would run
with it instead of the one that fits the card's shell. Each function of XRT that the archive lacks becomes a jump
through a table, which open_xrt() fills from the library that it opens.
"""

from __future__ import annotations

import re
import subprocess
import sys

TEXT = """\
// Written by the build, from the functions of XRT that the driver of cards calls.
#include "cpp/bindings/fpga/open_xrt.h"

#if defined(__x86_64__)
#define ENTRY(place) "jmp *gaspipe_xrt_calls+8*" place "(%rip)\\n"
#elif defined(__aarch64__)
#define ENTRY(place)                       \\
  "adrp x16, gaspipe_xrt_calls+8*" place "\\n" \\
  "ldr x16, [x16, :lo12:gaspipe_xrt_calls+8*" place "]\\nbr x16\\n"
#else
#error "XRT drives cards on x86-64 and aarch64; build with GASPIPE_XRT=OFF"
#endif
#define CALL(name, place) \\
  ".globl " name "\\n.hidden " name "\\n.type " name ", %function\\n.balign 16\\n" name ":\\n" ENTRY(place)

extern "C" __attribute__((visibility("hidden"))) void* gaspipe_xrt_calls[SIZE];
void* gaspipe_xrt_calls[SIZE];
asm(".text\\n"
CALLS);

namespace {
const char* const kNames[] = {NAMES};
}
gaspipe::XrtCalls gaspipe::xrt_calls() { return {kNames, gaspipe_xrt_calls, SIZE}; }
"""


def main(nm: str, archive: str, output: str) -> None:
    """Write the file."""
    listed = subprocess.run([nm, "-u", archive], capture_output=True, text=True, check=True).stdout
    missing = set(re.findall(r"^\s*U (\S+)$", listed, re.MULTILINE))
    names = sorted(name for name in missing if re.match(r"_ZNK?3xrt|uuid_", name))
    if not names:
        raise SystemExit(f"{archive} calls nothing of XRT; is it the archive of the driver?")
    calls = "\n".join(f'    CALL("{name}", "{place}")' for place, name in enumerate(names))
    text = TEXT.replace("CALLS", calls).replace("NAMES", ", ".join(f'"{name}"' for name in names))
    with open(output, "w", encoding="utf-8") as file:
        file.write(text.replace("SIZE", str(len(names))))


if __name__ == "__main__":
    main(*sys.argv[1:])
