# SPDX-License-Identifier: Apache-2.0
"""Words and headers outside the subset, and calls that ask whether a token is there."""

from __future__ import annotations

import re

WORDS = {
    r"\b(new|malloc|calloc|realloc)\b": "heap",
    r"\b(free\s*\(|delete\b(?!\s*;))": "heap",
    r"\b(throw|try|catch|noexcept)\b": "exceptions",
    r"\b(typeid|dynamic_cast)\b": "run-time types",
    r"\bvirtual\b": "virtual function",
    r"\bgoto\b": "goto",
    r"\b(asm|__asm__)\b": "assembly",
    r"\bthread_local\b": "thread-local state",
    r"\b(printf|puts|cout|cerr|assert)\b": "output",
    r"\[\s*[&=][^\]]*\]|(?<![\w\])])\[\s*\]\s*(\(|\{)": "lambda",
    r"\b_Pragma\b": "pragma that is not one of platform.h's macros",
    r"#\s*pragma\s+(?!once\b|HLS\b)": "unknown pragma",
    r"\bHLS\s+(?i:pipeline|stream|bind_storage)\b": "pragma that has a macro of its own",
    r"#\s*pragma\s+HLS\s+(?i:dataflow)\b": "pragma that has a macro of its own",
    r"\b(__SYNTHESIS__|__VITIS_HLS__|GASPIPE_VITIS)\b": "asks which compiler reads it",
    r"\bstd::(?!u?int(8|16|32|64)_t\b|size_t\b)\w+": "standard library",
}
POLL = r"(\.(empty|full|read_nb|write_nb)\s*\(|\bread_from_stream_nb\s*\()"
TIME_OUT = r"\b(clear_stream|empty_stream)\s*\("
POLLS = re.compile(r"(^|\s)Polls: \w+ \w+")
HEADERS = r'#\s*include\s*(<cstdint>|"hls/(?!emulator/)[\w/]+\.h")'


def check_words(source, may_poll):
    for pattern, what in WORDS.items():
        for match in re.finditer(pattern, source.text):
            source.say(match.start(), what)
    for match in re.finditer(r"#\s*include[^\n]*", source.text):
        if not re.match(HEADERS, match[0]):
            source.say(match.start(), "header outside the subset")
    if not may_poll:
        check_polls(source)


def check_polls(source):
    """A function whose comment says `Polls:` and why it may, may ask; one that gives up after a time may not."""
    for match in re.finditer(TIME_OUT, source.text):
        source.say(match.start(), "time-out on a stream")
    for match in re.finditer(POLL, source.text):
        if not any(POLLS.search(source.comment_above(function)) for function in source.around(match.start())):
            source.say(match.start(), "poll of a stream")
