"""Which addresses may be opened: as written, as looked up, and as connected to."""

import ipaddress
from collections.abc import Sequence

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from draligned.retrieval.address import AddressPolicy, AddressRefused, numeric, refusal
from draligned.schema.errors import ConfigError

PUBLIC = AddressPolicy()

# What is not public, from the registries of special addresses, first and last one by hand.
SPECIAL_FOUR: Sequence[tuple[str, str]] = (
    ("0.0.0.0", "0.255.255.255"),
    ("10.0.0.0", "10.255.255.255"),
    ("100.64.0.0", "100.127.255.255"),
    ("127.0.0.0", "127.255.255.255"),
    ("169.254.0.0", "169.254.255.255"),
    ("172.16.0.0", "172.31.255.255"),
    ("192.0.0.0", "192.0.0.255"),
    ("192.0.2.0", "192.0.2.255"),
    ("192.88.99.0", "192.88.99.255"),
    ("192.168.0.0", "192.168.255.255"),
    ("198.18.0.0", "198.19.255.255"),
    ("198.51.100.0", "198.51.100.255"),
    ("203.0.113.0", "203.0.113.255"),
    ("224.0.0.0", "255.255.255.255"),
)


def number(address: str) -> int:
    a, b, c, d = map(int, address.split("."))
    return ((a * 256 + b) * 256 + c) * 256 + d


BLOCKS = [(number(first), number(last)) for first, last in SPECIAL_FOUR]
EDGES = [edge + step for block in BLOCKS for edge in block for step in (-1, 0, 1)]
FOUR = st.one_of(
    st.integers(0, 2**32 - 1),
    st.sampled_from([edge for edge in EDGES if 0 <= edge < 2**32]),
)


def is_special(value: int) -> bool:
    return any(first <= value <= last for first, last in BLOCKS)


def refused(url: str, policy: AddressPolicy = PUBLIC) -> str | None:
    try:
        policy.check_url(httpx.URL(url))
    except (AddressRefused, httpx.InvalidURL) as error:
        return str(error)
    return None


@given(FOUR)
def test_a_v4_address_passes_where_no_registry_names_it(value: int) -> None:
    address = ipaddress.IPv4Address(value)
    assert (refusal(address) is None) is not is_special(value)
    assert (refused(f"http://{address}/") is None) is not is_special(value)


@given(FOUR)
def test_no_v6_form_carries_what_is_refused_as_v4(value: int) -> None:
    for high in (0xFFFF << 32, 0, 0xFFFF << 48, 0x2002 << 112, 0x20010000 << 96):
        shift = 80 if high == 0x2002 << 112 else 0
        assert refusal(ipaddress.IPv6Address(high | (value << shift))) is not None
    for prefix in (0x0064FF9B << 96, (0x2A00 << 112) | (0x5EFE << 32)):
        six = ipaddress.IPv6Address(prefix | value)
        assert (refusal(six) is None) is not is_special(value)


@given(st.integers(0, 2**128 - 1))
def test_a_v6_address_passes_only_as_global_unicast(value: int) -> None:
    address = ipaddress.IPv6Address(value)
    if refusal(address) is None:
        assert value >> 125 == 0b001 or value >> 32 == 0x0064FF9B << 64
        assert not any((address.is_private, address.is_multicast, address.is_link_local))


@given(FOUR, st.integers(0, 5))
def test_unusual_spellings_of_a_number_are_refused_public_or_not(value: int, form: int) -> None:
    a, b, c, d = value >> 24, value >> 16 & 255, value >> 8 & 255, value & 255
    spelling = (
        str(value),
        hex(value),
        f"0{value:o}",
        f"0x{a:x}.{b}.{c}.{d}",
        f"{a}.{value & 0xFFFFFF}",
        f"{a}.{b}.{c}.0{d:o}",
    )[form]
    assert refused(f"http://{spelling}/") is not None
    with pytest.raises(AddressRefused):
        numeric(spelling)


@pytest.mark.parametrize(
    "url",
    [
        "http://127.0.0.1/", "http://127.1/", "http://0x7f.1/", "http://2130706433/",
        "http://017700000001/", "http://0/", "http://0.0.0.0/", "http://127.0.0.1./",
        "http://127。0。0。1/", "http://１２７.0.0.1/", "http://①②⑦.0.0.1/",
        "http://[::1]/", "http://[::]/", "http://[::ffff:127.0.0.1]/", "http://[::127.0.0.1]/",
        "http://[::ffff:8.8.8.8]/", "http://[64:ff9b::127.0.0.1]/", "http://[64:ff9b:1::1]/",
        "http://[2002:7f00:1::]/", "http://[2001:0:7f00:1::]/", "http://[fe80::1]/",
        "http://[fe80::1%25eth0]/", "http://[fc00::1]/", "http://[ff02::1]/",
        "http://[2001:db8::1]/", "http://[2a00::5efe:10.0.0.1]/", "http://[fec0::1]/",
        "http://localhost/", "http://LOCALHOST./", "http://a.localhost/",
        "http://localhost.localdomain/", "http://ⓛocalhost/", "http://ｌocalhost/",
        "http://user@example.com/", "http://user:pass@example.com/", "http://@127.0.0.1/",
        "http://example.com@127.0.0.1/", "http://example.com:80@10.0.0.1/",
        "http://a..b/", "http://-a.example/", "http://exa%2emple.com/", "http://a_b%00.com/",
        "http://example.com:22/", "http://example.com:25/", "http://example.com:0/",
        "http://example.com:65536/", "http://example.com:-1/",
        "http://example.com:6379/", "http://example.com:6667/", "ftp://example.com/",
        "file:///etc/passwd", "gopher://example.com/", "http://1.2.3/", "http://1.2.3.256/",
        "http://1.2.3.4.5/", "http://169.254.169.254/latest/meta-data/", "http://100.100.100.200/",
    ],
)  # fmt: skip
def test_refused_by_name(url: str) -> None:
    assert refused(url) is not None


@pytest.mark.parametrize(
    "url",
    [
        "http://example.com/", "https://example.com./", "https://example.com:8443/",
        "http://93.184.216.34/", "http://[2606:2800:220:1::1]/", "http://[64:ff9b::8.8.8.8]/",
        "http://例子.测试/", "http://xn--fsqu00a.xn--0zwm56d/", "http://a_b.example.com/",
        "http://example.com:81/", "http://example.com:3000/", "http://0xcafe.example.com/",
        "http://7-eleven.com/", "http://163.com/", "http://12306.cn/",
    ],
)  # fmt: skip
def test_passes(url: str) -> None:
    assert refused(url) is None


def test_what_is_allowed_passes_and_nothing_beside_it() -> None:
    policy = AddressPolicy(["wiki.intranet", "10.1.0.0/16", "127.0.0.1", "[fd00::1]"])
    for url in ("http://wiki.intranet:22/", "http://10.1.2.3/", "http://127.0.0.1:1/",
                "http://[fd00::1]/"):  # fmt: skip
        assert refused(url, policy) is None
    for host in ("10.2.0.1", "127.0.0.2", "[fd00::2]", "0x7f.1", "localhost", "a@127.0.0.1"):
        url = f"http://{host}/"
        assert refused(url, policy) is not None
    policy.check_address("wiki.intranet", "192.168.0.9")
    with pytest.raises(AddressRefused, match="private"):
        policy.check_address("other.intranet", "192.168.0.9")


@pytest.mark.parametrize("entry", ["10.0.0.1/8", "*.corp", "", "http://a/", "10.0.0", "a b", "-a"])
def test_an_entry_that_means_nothing_is_the_users_mistake(entry: str) -> None:
    with pytest.raises(ConfigError, match=r"reading\.allow"):
        AddressPolicy([entry])


@pytest.mark.parametrize(
    ("address", "name"),
    [
        ("127.0.0.1", "loopback"), ("10.0.0.1", "private"), ("100.64.0.1", "carrier-grade"),
        ("169.254.169.254", "link-local"), ("224.0.0.1", "multicast"), ("240.0.0.1", "reserved"),
        ("0.0.0.0", "unspecified"), ("::", "unspecified"), ("::1", "loopback"),
        ("::ffff:8.8.8.8", "IPv4-mapped"), ("::8.8.8.8", "IPv4-compatible"), ("2002::1", "6to4"),
        ("2001::1", "Teredo"), ("fe80::1", "link-local"), ("fd00::1", "private"),
        ("ff02::1", "multicast"), ("2001:db8::1", "documentation"), ("4000::1", "reserved"),
        ("64:ff9b::10.0.0.1", "private"), ("fe80::1%eth0", "bound to an interface"),
    ],
)  # fmt: skip
def test_the_reason_is_named(address: str, name: str) -> None:
    assert refusal(ipaddress.ip_address(address)) == name
