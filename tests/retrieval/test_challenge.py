"""Walls before a page; the pages themselves are among the cases of `web/cases.py`."""

import pytest

from draligned.retrieval.challenge import Wall, is_check, wall_of
from draligned.retrieval.extract import opening, without_scripts

CAPTCHA = "<html><div class='g-recaptcha'></div></html>"


@pytest.mark.parametrize(
    ("title", "text", "markup", "wall"),
    [
        ("Just a moment...", "", "/cdn-cgi/challenge-platform/", Wall.CHALLENGE),
        ("Security Check", "Please complete the captcha", "", Wall.CHALLENGE),
        ("Sorry", "unusual traffic from your network", CAPTCHA, Wall.CHALLENGE),
        ("安全验证", "请完成下方验证", "", Wall.CHALLENGE),
        ("Attention Required! | Cloudflare", "", "cf-chl-widget", Wall.CHALLENGE),
        ("Just a moment in history", "A short page.", "", None),
        ("Just a moment...", "A poem.", "<p>A poem.", None),
        ("Contact", "Write to us.", CAPTCHA, None),
        ("Security check", "long " * 400, CAPTCHA, None),
        ("Help", "You may be asked to complete the captcha.", "<p>", None),
        ("", "", "", None),
    ],
)
def test_walls(title: str, text: str, markup: str, wall: Wall | None) -> None:
    assert wall_of(title, text, markup) is wall


@pytest.mark.parametrize("unit", ["<script", "<script>", "<style a", "<!--", "<", "<p ", "<button ",
                                  "cookie ", " ", "</script ", "<noscript>",
                                  "<title", "captcha-delivery.com "])  # fmt: skip
def test_hostile_markup_takes_no_time(unit: str) -> None:
    markup = unit * (4_000_000 // len(unit))
    wall_of("", "", markup)
    is_check(markup, refuses=True)
    opening(markup)


@pytest.mark.parametrize(
    ("html", "left"),
    [
        ("a<script>b</script>c", "ac"),
        ("a<SCRIPT src=x>b</Script >c", "ac"),
        ("a<!-- <script> -->c", "ac"),
        ("a<script><!-- </script>c", "ac"),
        ("a<style>b", "a"),
        ("a<!-- b", "a"),
        ("a<scripted>b", "a<scripted>b"),
        ("a<svg><style>x</style></svg>c", "ac"),
        ("plain", "plain"),
    ],
)
def test_what_is_never_shown_is_left_out(html: str, left: str) -> None:
    assert without_scripts(html) == left
