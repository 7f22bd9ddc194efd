"""Which addresses may be opened: http and https to public hosts, unless a study allows others.

The same policy is asked twice: for the address as written, before a name is looked up, and for
every numeric address that a connection would go to.
"""

import ipaddress
import re
from collections.abc import Sequence
from typing import NamedTuple

import httpx

from draligned.schema.errors import ConfigError

Ip = ipaddress.IPv4Address | ipaddress.IPv6Address
Network = ipaddress.IPv4Network | ipaddress.IPv6Network

_HOST = re.compile(r"(?!-)[a-z0-9_-]{1,63}(?:\.[a-z0-9_-]{1,63})*")
_NUMBER = re.compile(r"0x[0-9a-f]*|[0-9]+")
_LOW_PORTS = frozenset({*range(80, 91), 443})
_SERVICES = frozenset(
    {1433, 1521, 1719, 1720, 1723, 2049, 2375, 2376, 3306, 3389, 3659, 4045, 4190, 5060, 5061}
    | {5432, 5900, 5984, 6000, 6379, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 9042, 9200}
    | {9300, 10080, 11211, 27017}
)
"""Ports of mail, chat, files and data: those that browsers refuse, and well-known stores."""

_SPECIAL: tuple[tuple[str, str], ...] = (
    ("0.0.0.0/8", "unspecified"),
    ("10.0.0.0/8", "private"),
    ("100.64.0.0/10", "carrier-grade"),
    ("127.0.0.0/8", "loopback"),
    ("169.254.0.0/16", "link-local"),
    ("172.16.0.0/12", "private"),
    ("192.0.0.0/24", "reserved"),
    ("192.0.2.0/24", "documentation"),
    ("192.88.99.0/24", "reserved"),
    ("192.168.0.0/16", "private"),
    ("198.18.0.0/15", "benchmarking"),
    ("198.51.100.0/24", "documentation"),
    ("203.0.113.0/24", "documentation"),
    ("224.0.0.0/4", "multicast"),
    ("240.0.0.0/4", "reserved"),
    ("::/128", "unspecified"),
    ("::1/128", "loopback"),
    ("::ffff:0:0/96", "IPv4-mapped"),
    ("::ffff:0:0:0/96", "IPv4-translated"),
    ("::/96", "IPv4-compatible"),
    ("64:ff9b:1::/48", "private"),
    ("2001::/32", "Teredo"),
    ("2001::/23", "reserved"),
    ("2001:db8::/32", "documentation"),
    ("2002::/16", "6to4"),
    ("3fff::/20", "documentation"),
    ("fc00::/7", "private"),
    ("fe80::/10", "link-local"),
    ("fec0::/10", "private"),
    ("ff00::/8", "multicast"),
)
"""Special blocks of the IANA registries; the first match names the reason."""
_NAMED = tuple((ipaddress.ip_network(block), name) for block, name in _SPECIAL)
_GLOBAL_SIX = ipaddress.IPv6Network("2000::/3")
_NAT64 = ipaddress.IPv6Network("64:ff9b::/96")
_ISATAP = (0x00005EFE, 0x02005EFE)


class AddressRefused(Exception):
    """An address may not be opened; the message says why."""


class HostUnknown(Exception):
    """The name service says for certain that there is no such host."""


class _Allowed(NamedTuple):
    hosts: frozenset[str]
    networks: tuple[Network, ...]


class AddressPolicy:
    """The rule of one reader. `allow` names hosts, addresses and networks that pass besides."""

    def __init__(self, allow: Sequence[str] = ()) -> None:
        """Raises `ConfigError` for an entry that is none of the three."""
        self._allowed = _read_allowed(allow)

    def check_url(self, url: httpx.URL) -> None:
        """Raise `AddressRefused` where the address as written may not be opened."""
        if url.scheme not in ("http", "https"):
            raise AddressRefused("only http and https addresses are opened")
        if url.userinfo:
            raise AddressRefused("an address with a user name is not opened")
        if url.port is not None and not 0 < url.port < 2**16:
            raise AddressRefused(f"there is no port {url.port}")
        host = url.raw_host.decode("ascii", "replace").lower()
        ip = numeric(host)
        if self._allows(host, ip):
            return
        if ip is not None:
            self.check_address(host, str(ip))
        elif _is_local_name(host):
            raise AddressRefused("the host is a loopback name")
        elif not _HOST.fullmatch(host.removesuffix(".")):
            raise AddressRefused("the host is no name of the internet")
        if not _sane(url.port):
            raise AddressRefused(f"port {url.port} is not one of web pages")

    def check_address(self, host: str, address: str) -> None:
        """Raise `AddressRefused` where a connection for `host` may not go to `address`."""
        try:
            ip = ipaddress.ip_address(address)
        except ValueError:
            raise AddressRefused("the host has no numeric address") from None
        reason = None if self._allows(host, ip) else refusal(ip)
        if reason is not None:
            raise AddressRefused(f"the address is {reason}, not a public one")

    def _allows(self, host: str, ip: Ip | None) -> bool:
        if host.removesuffix(".") in self._allowed.hosts:
            return True
        return ip is not None and any(ip in network for network in self._allowed.networks)


def refusal(ip: Ip) -> str | None:
    """Why `ip` is no global unicast address; None where it is one."""
    if isinstance(ip, ipaddress.IPv6Address):
        if ip.scope_id is not None:
            return "bound to an interface"
        if ip in _NAT64:
            return refusal(ipaddress.IPv4Address(int(ip) & 0xFFFFFFFF))
    named = next((name for network, name in _NAMED if ip in network), None)
    if named is not None:
        return named
    if isinstance(ip, ipaddress.IPv6Address):
        return _six(ip)
    return None if ip.is_global else "reserved"


def numeric(host: str) -> Ip | None:
    """The address that `host` spells, None for a name.

    Raises `AddressRefused` for spellings that a resolver may read as an address though they are
    not its usual form: octal, hexadecimal, short and decimal ones, zones and final dots.
    """
    if ":" in host:
        try:
            return ipaddress.IPv6Address(host)
        except ValueError:
            raise AddressRefused("the host is a damaged IPv6 address") from None
    last = host.removesuffix(".").rpartition(".")[2]
    if not _NUMBER.fullmatch(last):
        return None
    try:
        return ipaddress.IPv4Address(host)
    except ValueError:
        raise AddressRefused("the host is a number in an unusual form") from None


def _six(ip: ipaddress.IPv6Address) -> str | None:
    if (int(ip) >> 32) & 0xFFFFFFFF in _ISATAP:
        return refusal(ipaddress.IPv4Address(int(ip) & 0xFFFFFFFF))
    return None if ip in _GLOBAL_SIX and ip.is_global else "reserved"


def _is_local_name(host: str) -> bool:
    last = host.removesuffix(".").rpartition(".")[2]
    return last in ("localhost", "localdomain")


def _sane(port: int | None) -> bool:
    if port is None or port in _LOW_PORTS:
        return True
    return port >= 1024 and port not in _SERVICES


def _read_allowed(allow: Sequence[str]) -> _Allowed:
    hosts: set[str] = set()
    networks: list[Network] = []
    for entry in allow:
        plain = entry.strip().lower()
        try:
            networks.append(ipaddress.ip_network(plain.removeprefix("[").removesuffix("]")))
        except ValueError:
            if _NUMBER.fullmatch(plain.rpartition(".")[2]) or not _HOST.fullmatch(plain):
                raise ConfigError(
                    f"reading.allow: {entry!r} is no host, address or network; "
                    "write for instance 'wiki.intranet', '10.1.2.3' or '10.0.0.0/8'"
                ) from None
            hosts.add(plain)
    return _Allowed(frozenset(hosts), tuple(networks))
