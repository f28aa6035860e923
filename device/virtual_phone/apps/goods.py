"""What the shop sells."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Product:
    """Something to buy; the price is in whole yuan (or dollars on an English phone)."""

    number: int
    zh: str
    en: str
    price: int
    icon: str
    about_zh: str
    about_en: str
    words: str = ""


PRODUCTS: tuple[Product, ...] = (
    Product(
        1,
        "无线降噪耳机",
        "Noise-cancelling headphones",
        399,
        "headset",
        "续航 40 小时，支持快速充电。",
        "40 hours of battery, charges fast.",
        "耳机 蓝牙 audio headset",
    ),
    Product(
        2,
        "智能手机 12GB+256GB",
        "Smartphone 12 GB + 256 GB",
        2999,
        "mobile",
        "6.7 英寸屏幕，五千万像素相机。",
        "6.7-inch screen, 50-megapixel camera.",
        "手机 phone",
    ),
    Product(
        3,
        "双肩背包",
        "Backpack",
        159,
        "bag",
        "防泼水面料，可放 15 英寸电脑。",
        "Water-resistant, holds a 15-inch laptop.",
        "书包 bag",
    ),
    Product(
        4,
        "机械闹钟",
        "Mechanical alarm clock",
        69,
        "alarm",
        "静音走时，夜光指针。",
        "Silent movement, glowing hands.",
        "时钟 clock",
    ),
    Product(
        5,
        "护眼台灯",
        "Desk lamp",
        129,
        "sun",
        "三档色温，无频闪。",
        "Three colours of light, no flicker.",
        "灯 light",
    ),
    Product(
        6,
        "拍立得相机",
        "Instant camera",
        549,
        "camera",
        "自动曝光，赠十张相纸。",
        "Automatic exposure, ten sheets included.",
        "相机 photo",
    ),
    Product(
        7,
        "牛皮笔记本",
        "Leather notebook",
        39,
        "note",
        "一百六十页，横线内页。",
        "160 ruled pages.",
        "本子 文具 paper",
    ),
    Product(
        8,
        "运动手环",
        "Fitness band",
        199,
        "heart",
        "心率监测，五十米防水。",
        "Heart rate, waterproof to 50 m.",
        "手表 健康 watch",
    ),
)


def product(number: str) -> Product:
    """The product of that number.

    Raises:
        KeyError: There is none.
    """
    for candidate in PRODUCTS:
        if str(candidate.number) == number:
            return candidate
    raise KeyError(number)
