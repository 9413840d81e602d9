"""The snippets of the user guide run, page by page."""

import re
from pathlib import Path

import pytest

PAGES = sorted((Path(__file__).parent.parent / "docs").glob("*.md"))
SNIPPET = re.compile(r"^```python\n(.*?)^```", re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_the_snippets_of_a_page_run(page: Path) -> None:
    namespace: dict[str, object] = {}
    for snippet in SNIPPET.findall(page.read_text()):
        exec(compile(snippet, page.name, "exec"), namespace)


def test_the_pages_link_to_pages_that_exist() -> None:
    for page in PAGES:
        for target in re.findall(r"\]\(([^)#]+)\)", page.read_text()):
            assert (page.parent / target).exists(), f"{page.name} links to {target}"
