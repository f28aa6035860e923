"""Forms by which private texts are told: numbers, addresses, dates, amounts; and public ones."""

from __future__ import annotations

import re

HAN = "\u4e00-\u9fff"
DATE = r"(?:19|20)\d\d\s?[-/.年]\s?\d{1,2}(?:\s?[-/.月]\s?\d{1,2}\s?日?)?"
MONTH = r"(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?"
MONEY = (
    r"(?:[-+]\s?)?(?:[¥￥$€£₹]|rmb|cny|usd|hk\$|us\$)\s?[-+]?\d[\d,]*(?:\.\d+)?(?:\s?[万亿kKmM]\b)?"
    r"|(?<![\d.])[-+]\s?\d[\d,]*\.\d{2}(?!\d)"
    r"|[-+]?\d[\d,]*(?:\.\d+)?\s?(?:元|万元|美元|btc|eth|usdt|sol|bnb|usd|cny|eur|gbp|rmb|dollars?)(?![a-z])"
)
ROADS = "路|街|大道|巷|弄|胡同|村|小区|花园|公寓|大厦|广场|家园|新城|苑|庭|里|道|园|城|府|湾|中心"
STREETS = (
    "street|st|avenue|ave|road|rd|lane|ln|drive|dr|boulevard|blvd|court|ct|way|place|pl|terrace|"
    "square|sq|crescent|close|parkway|pkwy|highway|hwy|circle|cir|row|gardens|quay|grove|mews|"
    "hill|park|walk|plaza"
)


def rule(pattern: str, flags: int = 0) -> re.Pattern[str]:
    return re.compile(pattern, flags)


RULES: tuple[tuple[str, re.Pattern[str]], ...] = (
    ("email", rule(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+")),
    ("id_number", rule(r"(?<!\d)\d{6}[ -]?\d{8}[ -]?\d{3}[\dXx](?![\dA-Za-z])")),
    ("id_number", rule(r"(?<!\d)\d{3}-\d{2}-\d{4}(?!\d)")),
    ("id_number", rule(r"(?<![A-Za-z0-9])[A-Z]{1,2}\d{7,9}(?![A-Za-z0-9])")),
    ("card", rule(r"(?<!\d)\d{4}(?:[ -]?\d{4}){2,3}(?:[ -]?\d{1,3})?(?!\d)")),
    ("card", rule(r"(?:尾号|末四位|ending(?: in)?|last 4)\W{0,3}\d{3,4}", re.I)),
    ("card", rule(r"(?:[*•·xX●.]{2,}|…)[ -]?\d{3,}|\d{2,}[ -]?[*•●]{2,}(?:[ -]?\d+)?")),
    ("phone", rule(r"(?<!\d)(?:\+?86[ -]?)?1[3-9]\d[ -]?\d{4}[ -]?\d{4}(?!\d)")),
    ("phone", rule(r"(?<!\d)\(?0\d{2,3}\)?[ -]?\d{7,8}(?!\d)")),
    ("phone", rule(r"(?<!\d)[48]00[ -]\d{3,4}[ -]\d{3,4}(?!\d)")),
    ("phone", rule(r"(?<!\d)(?:\+?1[ .-]?)?\(?\d{3}\)?[ .-]\d{3}[ .-]\d{4}(?!\d)")),
    ("phone", rule(r"\+\d{1,3}(?:[ .-]?\(?\d{1,4}\)?){2,5}(?!\d)")),
    ("phone", rule(r"(?<![\d.-])\d{3}-\d{4}(?![\d-])|(?<!\d)07\d{3} ?\d{6}(?!\d)")),
    ("plate", rule(rf"[京津沪渝冀豫云辽黑湘皖鲁新苏浙赣鄂桂甘晋蒙陕吉闽贵粤青藏川宁琼][A-Z]"
                    rf"[ ·•-]?[A-Z0-9]{{4,6}}[{HAN}]?(?![A-Z0-9])")),
    ("plate", rule(r"(?<![\w-])(?:\d[A-Z]{3} ?\d{3}|[A-Z]{2}\d{2} ?[A-Z]{3}|[A-Z]{3}[ -]\d{3,4}"
                    r"|[A-Z]{1,2}-[A-Z]{1,2} ?\d{1,4})(?![\w-])")),
    ("address", rule(rf"[{HAN}A-Z]{{1,12}}?(?:{ROADS})[^,，;；\n]{{0,12}}?[\d一二三四五六七八九十]+"
                      rf"\s?(?:号|弄|栋|幢|座|单元|室|楼|层|门|街|户)")),
    ("address", rule(r"\d+\s?(?:号楼|栋|幢|单元|弄)|\d{3,4}室|[A-Z\d]+座\s?\d{3,4}")),
    ("address", rule(rf"[{HAN}]{{2,6}}(?:省|自治区|市)\s?[{HAN}]{{1,8}}?(?:市|区|县|镇|州)")),
    ("address", rule(rf"[{HAN}]{{1,6}}(?:区|县|镇|街道)[{HAN}\d]{{1,14}}(?:{ROADS})")),
    ("address", rule(rf"(?<![\d.,$])\d{{1,5}}[A-Za-z]?\s+(?:[NSEW]\.?\s+)?(?:[A-Z\d][\w'.-]*\s+)"
                      rf"{{1,4}}(?i:{STREETS})\b")),
    ("address", rule(r"(?<![\d.,$])\d{1,5}(?: ?bis)?,? (?:Rue|Via|Calle|Avenue|Boulevard|Plaza"
                     r"|Piazza|Rua|Avenida|Av\.|Place|Quai|Largo) [A-Z]\w+")),
    ("address", rule(r"\b[A-Z][a-zäöüß]+(?:straße|strasse|str\.|weg|platz|gasse|laan|straat) \d+")),
    ("address", rule(r"\b(?i:apt|apartment|unit|suite|flat|ste|p\.?o\.? box)\.?\s*#?\d\w*\b")),
    ("address", rule(r"\b[A-Z]{1,2}\d[A-Z\d]? ?\d[A-Z]{2}\b|\b[A-Z]{2} \d{5}(?:-\d{4})?\b")),
    ("birthday", rule(r"(?:19[2-9]\d|200\d|201[0-5])\s?[-/.年]\s?\d{1,2}\s?[-/.月]\s?\d{1,2}"
                      r"\s?日?")),
    ("birthday", rule(rf"\b{MONTH} \d{{1,2}}(?:st|nd|rd|th)?,? (?:19[2-9]\d|200\d|201[0-5])\b"
                       rf"|\b\d{{1,2}}(?:st|nd|rd|th)? {MONTH},? (?:19[2-9]\d|200\d|201[0-5])\b",
                       re.I)),
    ("birthday", rule(r"(?<!\d)\d{1,2}[/.-]\d{1,2}[/.-](?:19[2-9]\d|200\d|201[0-5])(?!\d)")),
)  # fmt: skip
"""By form; where two match, the earlier one names the kind."""

PASSWORD = rule(
    r"(?<!\S)(?=\S*[A-Za-z])(?=\S*\d)(?=\S*[!#$%^&*?~+=@])[A-Za-z0-9!#$%^&*?~+=@_.-]{6,40}(?!\S)"
    r"|(?<!\S)[A-Za-z]{3,}-[A-Za-z]{3,}(?:-[A-Za-z]+)*-\d+(?!\S)"
)
"""What looks like one that somebody made up: letters, digits and a sign without a space."""
DATES = (
    rule(rf"\b{MONTH} \d{{1,2}}(?:st|nd|rd|th)?\b|\b\d{{1,2}}(?:st|nd|rd|th)? {MONTH}\b", re.I),
    rule(r"\d{1,2}\s?月\s?\d{1,2}\s?[日号]"),
    rule(DATE),
)
BIRTHDAY_WORDS = rule(r"birthday|生日|born|出生|date of birth", re.I)
MONEY_PACKAGES = rule(
    r"bank|wallet|finance|alipay|paypal|venmo|revolut|cmb|icbc|ccb|\bboc|abc\.|chase|pay\b|invest|"
    r"stock|broker|securit|fund|loan|tax|insur|unionpay|wise|monzo|coinbase",
    re.I,
)
"""Apps in which every amount is somebody's."""
BARE_AMOUNT = rule(r"(?<![\d.:])\d[\d,]*\.\d{2}(?![\d.])")
LONG_TOKEN = rule(
    r"(?<![\w/.-])(?=[A-Za-z]*\d)(?=[\da-z]*[A-Za-z])(?=(?:[A-Za-z]*\d){2})[A-Za-z\d]{10,}(?![\w/.])"
)
"""Addresses of wallets, keys, tracking numbers."""
RELATIVE = rule(
    "爸爸|妈妈|老爸|老妈|爷爷|奶奶|外公|外婆|姥姥|姥爷|老公|老婆|媳妇|小[一-鿿]儿(?![一-鿿])"
)
JOINS = "和与跟给约陪找见@"
PLACEHOLDER = rule(
    r"(?:发|输入|请|搜索|添加|写|说|Search|Message|Type|Enter|Add|Write|Say|Ask|Send|Text m)", re.I
)
"""How the grey words begin that stand in an empty field."""
WITH_NAME = rule(
    r"\b(?:with|from|by|call|text|meet|invite|uncle|aunt|cousin|grandma|grandpa|Uncle|Aunt|Auntie|"
    r"Cousin|With|From|By|Call|Text|Meet|Invite|for|@)\s+([A-Z][a-zà-ÿ]{2,}(?: [A-Z][a-zà-ÿ]+)?)\b"
)
OWNED = rule(r"\b([A-Z][a-zà-ÿ]{2,})['’]s\b")

SURE = tuple((kind, pattern) for kind, pattern in (RULES[0], RULES[1], RULES[4], RULES[7]))
"""Mail addresses, identity, card and mobile numbers: private in any text, prompts included."""

PUBLIC = (
    rule(DATE),
    rule(r"(?<!\d)\d{1,2}[/.-]\d{1,2}[/.-](?:20)\d\d(?!\d)"),
    rule(r"(?<![\d:])\d{1,2}:\d{2}(?::\d{2})?(?![\d:])"),
    rule(r"(?<![\d.])(?:20[0-4]\d)(?=\s?年|[^\d.]|$)(?![\s-]?\d)"),
    rule(rf"\b{MONTH} \d{{1,2}},? 20\d\d\b", re.I),
    rule(r"(?<!\d)\d{3,5}\s?[x×*]\s?\d{3,5}(?!\d)"),
)
"""Dates, times and sizes of screens: numbers that say nothing about a person."""

NUMBER = rule(r"(?<![\d.:])\d(?:[ -]?\d){3,}(?![\d:])")
TOKEN = rule(
    r"(?<![A-Za-z0-9-])(?=[A-Z0-9-]*\d)(?=[A-Z0-9-]*[A-Z])[A-Z0-9]+(?:-[A-Z0-9]+)*(?![A-Za-z0-9-])"
)
AMOUNT = rule(MONEY, re.I)
LABELLED = rule(r"\s*([^:：\n]{1,24}?)\s*[:：]\s*(\S[^\n]*)")
CODE_NEAR = rule(
    r"(?:码|口令|密码|(?i:code|otp|pin|passcode|password|cvv|cvc)\b)[^\dA-Z\n]{0,16}"
    r"([A-Za-z]{0,3}[\d](?:[A-Za-z\d -]{1,12}[A-Za-z\d])|[A-Z\d]{4,12})"
    r"|(?<!\d)(\d{4,8})(?!\d)(?=[^\d\n]{0,14}(?:验证码|校验码|动态码|(?i:code|otp)))"
)
HAN_WORD = rule(rf"[{HAN}]+")
LATIN_NAME = rule(r"[A-Z][a-zà-öø-ÿ'’]+(?:[ -](?:[A-Z]\.|[A-Z][A-Za-zà-öø-ÿ'’]+)){0,3}")
HONORIFIC = rule(r"\b(?:Mr|Mrs|Ms|Miss|Dr|Prof|Sir|Madam)\.?\s+[A-Z][\w'’-]+(?: [A-Z][\w'’-]+)?")
GREETED = rule(r"\b(?:Hi|Hello|Hey|Dear|Thanks|Welcome back|Welcome),?\s+([A-Z][a-z'’]+"
                 r"(?: [A-Z][a-z'’]+)?)\b")  # fmt: skip
FOREIGN = rule(rf"[{HAN}]{{1,6}}·[{HAN}]{{1,8}}")
BEFORE_NAME = "给向和与跟找叫由致问请让对替帮同约教陪等@"
AFTER_NAME = "的给向在和与来发邀说：:，,、。.!！?？请回已正赞评加是也把转撤拍送（(【"
SIGNED = rule(r"^\s*[-+−]")
THOUSANDS = rule(r"\d{4,}|\d,\d{3}|[万亿]")
