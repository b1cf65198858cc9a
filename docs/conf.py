# SPDX-License-Identifier: Apache-2.0
"""How Sphinx builds the documentation; `python docs/build.py` runs it.

The sources are this repository as it is: pages in docs/, the notebooks with their stored outputs, the tables of
benchmarks/. So a relative link is the same in the repository and on the site, and no text exists twice. Notebooks are
not executed here: tests/python/test_notebooks.py executes them, and compares what they show with what is stored.
"""

import gaspipe

project = "Gaspipe"
author = "The Gaspipe developers"
release = version = gaspipe.__version__

extensions = ["myst_nb", "sphinx.ext.autodoc", "sphinx.ext.autosummary", "sphinx.ext.napoleon", "sphinx_copybutton"]
root_doc = "docs/index"
include_patterns = [
    "docs/**",
    "notebooks/*.ipynb",
    "benchmarks/README.md",
    "benchmarks/results/*.md",
    "hls/SYNTHESIS.md",
    "python/gaspipe/data/README.md",
    "CHANGELOG.md",
    "CONTRIBUTING.md",
]
exclude_patterns = ["build", ".*", "tests", "cpp", "dist", "docs/templates", "docs/static", "python/gaspipe/include"]
templates_path = ["templates"]

# Text.
myst_heading_anchors = 3
nb_execution_mode = "off"
suppress_warnings = ["myst.header"]  # tables that benchmarks print begin with small headings
default_role = "code"  # docstrings have `names` in single backticks
napoleon_google_docstring = False
napoleon_use_ivar = True
napoleon_use_rtype = False
autodoc_typehints = "none"
autodoc_member_order = "bysource"

# Pages. Fonts are those of the reader's system; nothing is fetched from other hosts.
html_theme = "furo"
html_title = f"Gaspipe {release}"
html_static_path = ["static"]
html_css_files = ["site.css"]
html_js_files = ["site.js"]
html_show_copyright = False
html_copy_source = False
copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True


def setup(app):  # Sphinx calls it
    """Give the headings of the navigation a level, which screen readers need and Sphinx leaves out."""

    def level(app, page, template, context, doctree):
        if "furo_navigation_tree" in context:
            tree = context["furo_navigation_tree"]
            context["furo_navigation_tree"] = tree.replace('role="heading"', 'role="heading" aria-level="2"')

    app.connect("html-page-context", level, priority=900)
