"""What the browser can read without a network."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Article:
    """A page of the offline web; paragraphs are (Chinese, English), `alt` describes its picture."""

    address: str
    zh: str
    en: str
    paragraphs: tuple[tuple[str, str], ...]
    alt: str = ""


ARTICLES: tuple[Article, ...] = (
    Article(
        "garden.example/tea",
        "如何泡一杯好茶",
        "How to brew good tea",
        (
            (
                "泡茶只需要三样东西：茶叶、热水和一点耐心。水的温度比茶叶的价格更重要。",
                "Tea needs three things: leaves, hot water and a little patience. The heat of the "
                "water matters more than the price of the leaves.",
            ),
            (
                "绿茶喜欢八十度左右的水。水太烫，茶汤会发苦；水太凉，香气出不来。烧开以后打开盖子，等三分钟再倒。",
                "Green tea likes water of about 80 degrees. Hotter water makes it bitter, colder "
                "water leaves the scent behind. Boil it, open the lid and wait three minutes.",
            ),
            (
                "红茶和乌龙茶可以用刚烧开的水。先把壶烫热，再放茶叶，这样温度不会一下子降下来。",
                "Black tea and oolong take boiling water. Warm the pot first, then add the leaves, "
                "so that the heat does not drop at once.",
            ),
            (
                "第一泡二十秒就够了，以后每一泡加十秒。好的乌龙茶可以泡七次，每一次味道都不同。",
                "Twenty seconds are enough for the first cup; add ten for each one after. A good "
                "oolong gives seven cups, each with its own taste.",
            ),
            (
                "茶具不必贵。一个白色的盖碗最容易看清茶汤的颜色，也最容易清洗。",
                "The pot need not be dear. A white lidded bowl shows the colour best and is the "
                "easiest to wash.",
            ),
            (
                "最后一条建议：喝茶的时候，把手机放远一点。",
                "One last piece of advice: put the phone away while you drink.",
            ),
        ),
    ),
    Article(
        "city.example/metro",
        "城市地铁的一天",
        "A day in the metro",
        (
            (
                "早上五点半，第一班列车离开车辆段。司机已经检查过车门、灯光和刹车。",
                "At half past five the first train leaves the depot. The driver has checked doors, "
                "lights and brakes.",
            ),
            (
                "七点到九点是最忙的两个小时，每两分钟就有一趟车进站，一节车厢要坐两百多人。",
                "Seven to nine are the busiest hours: a train every two minutes, and more than two "
                "hundred people in a carriage.",
            ),
            (
                "中午的车厢安静下来。维修队利用这段时间检查自动扶梯和售票机。",
                "At noon the carriages are quiet. Crews use the time to look after escalators and "
                "ticket machines.",
            ),
            (
                "晚高峰以后，控制中心把列车间隔改成六分钟，这样可以省下三成的电。",
                "After the evening rush the control room spaces trains six minutes apart, which "
                "saves three tenths of the power.",
            ),
            (
                "十一点半末班车到站。夜里的四个小时属于轨道工人：他们打磨钢轨，更换枕木。",
                "At half past eleven the last train arrives. The four hours of the night belong to "
                "the track workers, who grind the rails and change sleepers.",
            ),
            (
                "然后天又亮了，第一班列车再次出发。",
                "Then it gets light, and the first train leaves again.",
            ),
        ),
    ),
    Article(
        "sky.example/birds",
        "候鸟为什么不会迷路",
        "Why migrating birds do not get lost",
        (
            (
                "每年秋天，几十亿只鸟向南飞行几千公里，第二年春天又回到同一片树林。",
                "Every autumn billions of birds fly thousands of kilometres south, and return to "
                "the same woods in spring.",
            ),
            (
                "白天，它们看太阳。鸟的身体里有一个准确的钟，能算出太阳在每个时刻应该在哪里。",
                "By day they look at the sun. An exact clock in their body tells where the sun "
                "should be at every hour.",
            ),
            (
                "夜里，它们看星星。年轻的鸟先学会认出天空中不转动的那一点：北极星附近。",
                "By night they look at the stars. Young birds first learn the point of sky that "
                "does not turn: the one near Polaris.",
            ),
            (
                "阴天的时候，它们还能感觉到地球的磁场。科学家认为，眼睛里的一种蛋白质起了作用。",
                "Under clouds they feel the field of the earth. Scientists think that a protein in "
                "the eye has a part in it.",
            ),
            (
                "经验也很重要。老鸟认识河流、海岸和山口，甚至沿着高速公路飞行。",
                "Experience counts too. Old birds know rivers, coasts and passes, and even follow "
                "motorways.",
            ),
            (
                "城市的灯光会让鸟迷失方向。在迁徙的季节关掉高楼的灯，就能救下许多生命。",
                "City lights lead them astray. Turning off the lights of towers during migration "
                "saves many lives.",
            ),
        ),
    ),
    Article(
        "home.example/bread",
        "第一次做面包",
        "Your first loaf",
        (
            (
                "材料很简单：五百克面粉、三百五十克水、十克盐、三克酵母。",
                "The list is short: 500 g of flour, 350 g of water, 10 g of salt, 3 g of yeast.",
            ),
            (
                "把所有材料拌在一起，不用揉。盖上布，放在厨房里等十二个小时。时间会替你干活。",
                "Mix everything; there is no need to knead. Cover it, leave it in the kitchen for "
                "twelve hours. Time does the work.",
            ),
            (
                "面团变大一倍以后，把它倒在撒了面粉的桌上，四边向中间折一折，再等一个小时。",
                "When it has doubled, turn it out on a floured table, fold the four sides to the "
                "middle and wait another hour.",
            ),
            (
                "烤箱和铸铁锅一起预热到二百三十度。把面团放进锅里，盖上盖子烤三十分钟。",
                "Heat the oven with an iron pot in it to 230 degrees. Put the dough in and bake it "
                "with the lid on for thirty minutes.",
            ),
            (
                "打开盖子再烤十五分钟，直到表面变成深棕色。敲一敲底部，声音空空的就是熟了。",
                "Take the lid off and bake another fifteen, until it is dark brown. Knock on the "
                "bottom: a hollow sound means that it is done.",
            ),
            (
                "最难的一步是等它凉下来再切。",
                "The hardest step is to let it cool before you cut it.",
            ),
        ),
    ),
)


def article(address: str, pages: Sequence[Article] = ARTICLES) -> Article | None:
    """The page at an address; the scheme does not matter."""
    plain = address.strip().lower().removeprefix("https://").removeprefix("http://").rstrip("/")
    return next((a for a in pages if a.address == plain), None)
