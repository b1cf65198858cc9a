# SPDX-License-Identifier: Apache-2.0
"""Real numbers in integer hooks: refused where C++ would cut them off without a word, taken where that is written."""

import pytest

import gaspipe as gp
from gaspipe._own.snippet import real_numbers

CUT = [
    "src * 0.5",
    "src*.5",
    "src * 1e3",
    "1.f * src",
    "src + 2.5f",
    "0x1p-3 * src",
    "a + 1'000.5",
    "src > 2 ? 0.5 * src : 0",
    "min(src, 0.5)",
    "a > b ? a : max(b, 1e-3)",
    "return src * 0.5;",
    "return (src * 0.5);",
    "prop_t x = src * .5; return x;",
    "auto h = 0.5 * src; return h;",
    "x = 0.5;",
    "static_cast<double>(src) * 0.5",
    "std::min<float>(a, 1) * 0.5",
    "double(src * 0.5)",
    "(double)(src * 0.5)",
    "float(1.5) + a",
    "(src) * (0.5)",
    "double x = 3; return x + 0.5;",
    "for (int i = 0; i < 3; ++i) a += 0.5; return a;",
    "if (a < b) { a = 0; } return 0.5 * a;",
    "if (a > b) return 0.5 * a; return b;",
    "src << 0.5",
]
MEANT = [
    "prop_t(src * 0.5)",
    "static_cast<prop_t>(src * 0.5)",
    "static_cast<std::uint32_t>(min(src, 1.5) * 2)",
    "(unsigned)(src * .5)",
    "(unsigned)0.5 + src",
    "(prop_t)(min(src, 0.5))",
    "std::uint32_t(src * (0.5 + 1))",
    "lround(src * 0.5)",
    "std::floor(src * 0.5)",
    "halved(src, 0.5)",
    "src > 0.5",
    "src * 0.5 > edge ? 1 : 2",
    "(src * 0.5) > edge",
    "a < 0.5 && b > .5",
    "if (0.5 * src > 3) return a; return b;",
    "while (a * 0.5) a--; return a;",
    "double x = src * 0.5; return prop_t(x);",
    "static const double k = 1, m = 0.5; return a;",
    "double x; x = 0.5 * src; x *= 0.25; return int(x);",
    "for (double x = 0.5; x < 3; x += 0.5) a++; return a;",
]
NONE = [
    "src * 5",
    "a /* 0.5 */ + b // 1.5",
    "a + 0xe + 0x1E",
    "src + 1u + 2ull + 'a'",
    'text("0.5") + a',
    "x.y + v1.e3",
    "x[2] + y.z",
    "unsigned{3} + a",
]


@pytest.mark.parametrize("text", CUT)
def test_numbers_that_would_be_cut_are_found(text):
    assert real_numbers(text)


@pytest.mark.parametrize("text", MEANT + NONE)
def test_conversions_that_are_written_and_integers_are_left_alone(text):
    assert real_numbers(text) == []


def test_numbers_are_told_with_their_lines():
    assert real_numbers("a // 1.5\n + 0.5 +\n\n 1.f") == [(2, "0.5"), (4, "1.f")]


GATHER = "inline prop_t gatherFunc(prop_t a, prop_t b) { return a + b; }\n"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            dict(scatter="src * 0.5"),
            r"^scatter is 'src \* 0\.5', which has the real number 0\.5, .*uint32.*; give prop=",
        ),
        (dict(prop="int64", apply="acc * 1e-3"), r"^apply is .*int64.*prop="),
        (dict(apply="// 2.5\nreturn acc + .5;"), r"^apply is 'return acc \+ \.5;'.*\.5,"),
        (dict(prop=gp.fixed(), scatter="src * 0.5"), "fixed point.*prop=.*multiply_fraction"),
        (dict(initial="0.5"), "initial is '0.5'.*prop="),
        (dict(prop=gp.fixed(), initial="1.0 / n"), r"initial is '1.0 / n'.*word\(\.\.\.\)"),
        (dict(identity="1.5"), "identity is '1.5'.*prop="),
        (dict(identity=1.5), "identity is 1.5.*prop="),
        (dict(inputs={"gain": "0.5 * v"}, apply="acc * gain"), "gain is .*prop="),
        (dict(finish="prop / 2.0"), "finish is .*uint32.*dtype="),
        (dict(prop="float64", finish="prop / 2.0", dtype="int32"), "finish is .*int32.*dtype="),
        (dict(prop="float32", arg="0.15 / n", apply="acc"), "arg is .*unsigned integer"),
        (
            dict(
                gather=None,
                source="// 0.5\n" + GATHER + "inline prop_t scatterFunc(prop_t s, prop_t) {\n  return s * 0.5;\n}",
            ),
            r"^cut\.h:4: scatterFunc has the real number 0\.5, .*prop=",
        ),
        (
            dict(
                gather=None,
                source="struct Hooks {\n  using Property = prop_t;\n"
                "  static prop_t gatherFunc(prop_t a, prop_t b) { return a + 2.f * b; }\n};",
            ),
            r"^cut\.h:3: gatherFunc has the real number 2\.f",
        ),
    ],
)
def test_real_numbers_for_integers_are_refused(arguments, message):
    with pytest.raises(gp.InputError, match=message):
        gp.Algorithm("cut", **{"gather": "a + b", **arguments})


@pytest.mark.parametrize(
    "arguments",
    [
        dict(prop="float32", scatter="src * 0.5", initial="1.0 / n", finish="prop * 0.5", identity="0.5"),
        dict(finish="prop * 0.5", dtype="float64"),
        dict(prop=gp.fixed(), initial="word(1.0 / n)", finish="prop * 0.5"),
        dict(initial="prop_t(n * 0.5)", identity=2.0),
        dict(apply="prop_t(acc * share)", parameters={"share": 0.5}),
        dict(apply="acc * share", parameters={"share": 0.5}),
        # Helpers and constants may be real.
        dict(
            source="#define PART 0.5\nconstexpr double part = 0.5;\n"
            "inline double halved(double x) { return x * 0.5; }\n" + GATHER,
            gather=None,
        ),
    ],
)
def test_real_numbers_for_reals_are_not(arguments):
    gp.Algorithm("kept", **{"gather": "a + b", **arguments})


def test_numbers_given_for_integers_say_what_holds_them():
    with pytest.raises(
        gp.InputError, match=r'initial\[0\] of half is 0\.5, which is no uint32; prop="float64" holds it'
    ):
        gp.Algorithm("half", gather="a + b", initial=0.5)(gp.generate.chain(3))
