"""Further kinds of page: checks of services in use, odd labels, odd wires, odd documents."""

from collections.abc import Iterator

from .cases import BIG5, EN, JA, ZH, Case, S, html
from .loopback import Reply, head, reply


def more_cases() -> list[Case]:
    """Every case, by a name that is also its path."""
    groups = (checks(), lookalikes(), labels(), wires(), documents(), ways())
    return [case for group in groups for case in group]


def page(title: str, body: str, head: str = "") -> bytes:
    """A whole document."""
    return f"<html><head><title>{title}</title>{head}</head><body>{body}</body></html>".encode()


def checks() -> Iterator[Case]:
    """HARD_CASES 16: what services in use show in place of a page, with 200 and with 403."""
    table = {
        "wechat": page(
            "",
            "<div><h2>环境异常</h2><p>当前环境异常，完成验证后即可继续访问。</p><a>去验证</a></div>",
            "<script>var secitptpage = {};</script>",
        ),
        "weibo": page("Sina Visitor System", "<script>window.use_fp = '1'</script>"),
        "douban": page("禁止访问", "<p>检测到有异常请求从您的IP发出，请登录再试！</p>"),
        "taobao": page("验证码拦截", "<script>u='/_____tmd_____/punish?x5secdata=1'</script>"),
        "cloudflare-zh": page(
            "请稍候…", "<noscript>Enable JavaScript and cookies to continue</noscript>"
        ),
        "anubis": page(
            "Making sure you&#39;re not a bot!",
            "<h1>Making sure you&#39;re not a bot!</h1><p>Loading...</p><p>You are seeing this "
            "because the administrator of this website protects it against scrapers.</p>",
            '<script id="anubis_challenge" type="application/json">{}</script>',
        ),
        "sucuri": page(
            "You are being redirected...",
            "<noscript>Please enable JavaScript before you are allowed to see this page."
            "</noscript><script>sucuri_cloudproxy_js=''</script>",
        ),
        "incapsula": page(
            "", '<iframe src="/_Incapsula_Resource?x=1">Incapsula incident ID: 1-2</iframe>'
        ),
        "aws": page(
            "",
            "<noscript><h1>JavaScript is disabled</h1>In order to continue, we need to verify "
            "that you're not a robot.</noscript>",
            '<script src="https://x.token.awswaf.com/challenge.js"></script>',
        ),
        "cookie-script": b'<script>document.cookie="__jsl_clearance=1";location.href="/"</script>',
        "aliyun": b"<html><script>var arg1='0A';function setCookie(){}acw_sc__v2</script></html>",
    }
    for name, body in table.items():
        yield Case(f"check-{name}", reply(body), S.BLOCKED, detail="robots")
        yield Case(f"check-{name}-403", reply(body, 403), S.BLOCKED, detail="HTTP 403")
    gbk = page("禁止访问", "<p>检测到有异常请求从您的IP发出</p>").decode().encode("gbk")
    yield Case("check-gbk-403", reply(gbk, 403, "text/html; charset=gbk"), S.BLOCKED)
    told = '{"error": {"message": "系统监测到您的网络环境存在异常，请点击下方验证按钮进行验证。"}}'
    yield Case("check-json-403", reply(told.encode(), 403, "application/json"), S.BLOCKED)
    shown = "<p>Please enable JS and disable any ad blocker</p>geo.captcha-delivery.com"
    yield Case("check-datadome", reply(page("a.example", shown), 403), S.BLOCKED)
    google = "<p>We use cookies and data to deliver services.</p><button>Reject all</button>"
    said = reply(page("Before you continue to Google Search", google))
    yield Case("consent-google", said, S.BLOCKED, detail="consent")


def lookalikes() -> Iterator[Case]:
    """Pages and refusals that carry one of the signs and are what they say."""
    scripts = '<script src="/cdn-cgi/challenge-platform/scripts/jsd/main.js"></script>'
    yield Case("page-behind-cloudflare", reply(html(EN * 4, head=scripts).encode()), S.OK, "museum")
    about = html("Anubis writes anubis_challenge into its page. " + EN * 6, "How Anubis works")
    yield Case("article-on-anubis", reply(about.encode()), S.OK, "Anubis writes")
    short = html("A short note on __jsl_clearance cookies. " + EN * 4, "Cookies of CDNs")
    yield Case("note-on-a-cookie", reply(short.encode()), S.OK, "museum")
    wechat = html("公众号文章打不开，提示环境异常。" + ZH * 3, "环境异常怎么办")
    yield Case("article-on-wechat", reply(wechat.encode()), S.OK, "公众号文章")
    login = "<form action=/login><div class='g-recaptcha'></div><input name=user></form>"
    yield Case("login-form-403", reply(page("Log in", login), 403), S.REFUSED)
    yield Case("plain-403", reply(page("Forbidden", "<p>You may not.</p>"), 403), S.REFUSED)
    lost = "<p>No such page.</p><div class='g-recaptcha'></div>"
    yield Case("lost-with-form", reply(page("Not found", lost), 404), S.NOT_FOUND)


def labels() -> Iterator[Case]:
    """HARD_CASES 13: labels as they are really written."""
    body = html(ZH * 3).encode("gbk")
    for name, label in (
        ("double-quotes", 'text/html; charset="gb2312"'),
        ("single-quotes", "text/html; charset='gbk'"),
        ("header-joined", "text/html, text/html; charset=gbk"),
        ("twice", "text/html; charset=gbk; charset=utf-8"),
        ("list", "text/html;charset=gbk,utf-8"),
        ("upper", "TEXT/HTML;CHARSET=GB_2312-80"),
    ):
        yield Case(f"label-{name}", reply(body, 200, label), S.OK, ZH, charset="gb18030")
    for name, meta in (
        ("old-order", '<meta content="text/html; charset=gb2312" http-equiv=Content-Type>'),
        ("after-comment", "<!-- charset: big5 --><meta charset=gbk>"),
    ):
        said = reply(html(ZH * 3, head=meta).encode("gbk"))
        yield Case(f"meta-{name}", said, S.OK, ZH, charset="gb18030")
    for name in ("utf-16", "x-user-defined"):
        said = reply(html(ZH * 3, head=f'<meta charset="{name}">').encode())
        yield Case(f"meta-{name}-on-utf-8", said, S.OK, ZH, charset="utf-8")
    sheet = "名称,年龄\n安徽,三\n河北,四\n".encode("gbk") * 4
    yield Case("csv-gbk", reply(sheet, 200, "text/csv"), S.OK, "名称,年龄", charset="gb18030")
    said = reply((BIG5 * 3).encode("big5"), 200, "text/plain")
    yield Case("plain-big5", said, S.OK, BIG5, charset="big5hkscs")
    told = ('{"名": "' + ZH + '"}').encode("gbk")
    said = reply(told, 200, "application/json; charset=gbk")
    yield Case("json-gbk", said, S.OK, ZH, charset="gb18030")
    bare = reply(html(ZH * 3).encode("utf-16-le"))
    yield Case("utf-16-unlabelled", bare, S.TYPE_MISMATCH)


def wires() -> Iterator[Case]:
    """What servers say before and around a page."""
    body = html(ZH * 3).encode()
    whole = head(200, "Content-Type: text/html") + body
    hints = b"HTTP/1.1 103 Early Hints\r\nLink: </a.css>; rel=preload\r\n\r\n"
    yield Case("early-hints", Reply([hints + whole]), S.OK, ZH)
    yield Case("continue-first", Reply([b"HTTP/1.1 100 Continue\r\n\r\n", whole]), S.OK, ZH)
    old = b"HTTP/1.0 200 OK\r\nContent-Type: text/html\r\n\r\n" + body
    yield Case("http-1.0", Reply([old]), S.OK, ZH)
    bare = b"HTTP/1.1 200\r\nContent-Type: text/html\r\nConnection: close\r\n\r\n" + body
    yield Case("no-reason", Reply([bare]), S.OK, ZH)
    lines = b"HTTP/1.1 200 OK\nContent-Type: text/html\nConnection: close\n\n" + body
    yield Case("bare-line-feeds", Reply([lines]), S.OK, ZH)
    both = (
        b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 5\r\n"
        b"Transfer-Encoding: chunked\r\n\r\n"
    )
    chunk = b"%x\r\n%s\r\n0\r\n\r\n" % (len(body), body)
    yield Case("length-and-chunks", Reply([both, chunk]), S.OK, ZH)
    two = head(200, "Content-Type: text/html", "Content-Length: 10", "Content-Length: 12")
    yield Case("two-lengths", Reply([two + body]), S.ERROR)
    for code in (405, 412, 418, 421, 508, 520, 521, 999):
        yield Case(f"code-{code}", reply(b"no", code), S.ERROR, detail=f"HTTP {code}")


def documents() -> Iterator[Case]:
    """Documents that hold their text in unusual places, or none that can be read."""
    words = f"<p>{ZH * 3}</p>"
    table = {
        "noscript": f"<script>x()</script><noscript><article>{words}</article></noscript>",
        "pre": f"<pre>{ZH * 4}</pre>",
        "ruby": f"<p><ruby>漢<rt>かん</rt></ruby>{JA * 3}{ZH}</p>",
        "list-alone": "<ul>" + f"<li>{ZH}</li>" * 8 + "</ul>",
        "table-alone": "<table>" + f"<tr><td>{ZH}</td><td>1</td></tr>" * 8 + "</table>",
        "definitions": "<dl>" + f"<dt>名</dt><dd>{ZH}</dd>" * 8 + "</dl>",
    }
    for name, body in table.items():
        said = reply(f"<html><body>{body}</body></html>".encode())
        yield Case(f"text-in-{name}", said, S.OK, ZH[:20])
    entity = '<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"><body>'
    said = reply(f"{entity}<p>&nbsp;{ZH * 3}</p></body></html>".encode(), 200,
                 "application/xhtml+xml")  # fmt: skip
    yield Case("xhtml-unknown-entity", said, S.OK, ZH)
    said = reply(html(ZH * 3, title="&#xD800;a&#0;b").encode())
    yield Case("title-of-no-characters", said, S.OK, ZH)
    drawing = (
        f'<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg"><text>{ZH}</text></svg>'
    )
    yield Case("drawing", reply(drawing.encode(), 200, "image/svg+xml"), S.TYPE_MISMATCH)
    saved = b"MIME-Version: 1.0\r\nContent-Type: multipart/related\r\n\r\n--x\r\n\r\n<html>"
    yield Case("saved-page", reply(saved, 200, "multipart/related"), S.TYPE_MISMATCH)
    call = f'callback({{"a": "{ZH}"}})'.encode()
    yield Case("script-with-data", reply(call, 200, "application/javascript"), S.TYPE_MISMATCH)


def ways() -> Iterator[Case]:
    """Pages that send on by an element: as with redirects, each address is judged anew."""

    def way(target: str, seconds: int = 0, text: str = "") -> Reply:
        meta = f'<meta http-equiv="refresh" content="{seconds};url={target}">'
        return reply(page("", text, meta))

    yield Case("way-on", way("/goal"), S.OK, "museum")
    yield Case("way-on-with-a-word", way("/goal", 3, "<p>页面跳转中</p>"), S.OK, "museum")
    yield Case("way-to-a-redirect", way("/redirect-relative"), S.OK, "museum")
    yield Case("way-to-nothing", way("/none-such"), S.NOT_FOUND)
    yield Case("way-to-a-failure", way("/code-503"), S.ERROR)
    yield Case("way-to-a-check", way("/check-wechat"), S.BLOCKED)
    yield Case("way-to-loopback", way("http://localhost/"), S.ADDRESS)
    yield Case("way-to-itself", way("/way-to-itself"), S.NO_TEXT)
    yield Case("way-without-end", way("/way-back"), S.NO_TEXT)
    yield Case("way-back", way("/way-without-end"), S.NO_TEXT)
    yield Case("way-much-later", way("/goal", 60, words := f"<p>{ZH * 3}</p>"), S.OK, ZH)
    yield Case("page-that-goes-on", way("/goal", 0, words * 4), S.OK, ZH)
