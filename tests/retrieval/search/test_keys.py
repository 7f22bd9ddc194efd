"""Keys: whatever a provider repeats, in whatever form, is not shown."""

import html
import json
from urllib.parse import quote, quote_plus

import pytest

from draligned.retrieval.search.keys import redact

KEY = "sk-live/AbC+dEf&1234=<zq>9f8e7d6c5b"
FORMS = [
    KEY, html.escape(KEY), quote(KEY), quote_plus(KEY), quote(KEY, safe=""),
    json.dumps(KEY), json.dumps(KEY).replace("/", "\\/"), html.escape(KEY, quote=False),
]  # fmt: skip


@pytest.mark.parametrize("form", FORMS)
def test_no_form_of_a_key_is_shown(form: str) -> None:
    shown = redact(f"wrong key {form} given", KEY)
    assert "[key]" in shown
    assert "AbC" not in shown
    assert "9f8e" not in shown


@pytest.mark.parametrize("form", [KEY, html.escape(KEY), quote(KEY, safe="")])
def test_a_key_that_is_cut_is_not_shown_either(form: str) -> None:
    assert redact(f"wrong key {form[:20]}…", KEY) == "wrong key [key]"
