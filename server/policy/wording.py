"""Words as they read, whatever tricks they are written with: one plain form for all rules.

Full-width letters, zero-width characters, look-alike letters of other alphabets, traditional
characters, letters or characters set apart (`P A Y`, `支 付`) all come out plain.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

MAX_CHARS = 600
"""Longer texts are read this far from both ends: nobody labels a button with more."""

_LOOK_ALIKES = str.maketrans(
    "аАеЕоОрРсСхХуУіІѕЅјЈԁһНкКмМтТвВгпԛԝαΑεΕοΟρΡτΤυΥκΚνΝιΙηΗβΒχΧɑɡɩᴏᴀɪօսոքѵ",
    "aAeEoOpPcCxXyYiIsSjJdhHkKmMtTbBrnqwaAeEoOpPtTuYkKvNiInHbBxXagioaiounqv",
)
_DIGITS_AS_LETTERS = str.maketrans("013457@$", "oleastas")
_TRADITIONAL = str.maketrans(
    "帳轉匯購買訂單發傳確認應條錢賣貨費優惠續動會員開啟關閉刪資訊內設權許裝載軟體"
    "帶驗證碼號輸入簽註冊錄進貸還結餘額儲滿業務個們這裡無線連選擇項記憶筆紀錄話語"
    "撥電視頻聯絡繫圖檔案雲備頁網絕拒終畢繼請點擊長滑鬆鍵盤預約車計時間後實際當"
    "撤銷淨則據處總數來對話與從門戶見親愛愿願評論貼寫讀稿郵寄聲紅藍幣財產險證劃"
    "價託運攜程飯館餐廳機場級別補貼獎勵贈禮課學習圍觀眾團隊黨類羣組織標籤題顯示隱"
    "藏釋權責註銷綁繳納稅報銷賬審駁撫換兌現贖投顧問靜態過濾轟創擴縮舊複製貼剪"
    "裏鎖遠臺灣復變護協議簡繁體經歷導並髮麼沒濟禦麗龍電腦幫畫質僅權邊麥風備錯誤徹"
    "滅棄離將範濾鎮監聽衛係統調試測試測績細緻讓給誰說聊訴訟邀參戰隨贏歸優潔淨空瀏覽"
    "飛執行輕觸雙擇準備佔據誠採穩辦婦該鐘鈴鬧響騰訊銀嗎閱遞鑰歡掃檢賺啓於為兩邏輯週較職暫編掛號戶裝製審擋攔衝殺獨廣購產區屬屆屜幾庫廚廳彙徵懸態戲擁擔撿擾攜斷曆樂樣檯櫃欄歐殘溫滯滾漲潛煩獲瑣瘋盜盤碼禍稱窗篩糾紛紙給締緊緩縣罰聰膠舉艙蓋虧衝補裡襯覺觸詢詳誤諮譯購贊趕跡踐蹤載輔輛輩輪轄遙遲郵鄰醫釋鈔鈕銷鋪錢鎖鏈鍵鎮閃閒閘隊階際隸難靈頂頃順頒預頓頭額顆顧顯飲飽餓館驅驚鬥魚鳥齊",
    "帐转汇购买订单发传确认应条钱卖货费优惠续动会员开启关闭删资讯内设权许装载软体"
    "带验证码号输入签注册录进贷还结余额储满业务个们这里无线连选择项记忆笔纪录话语"
    "拨电视频联络系图档案云备页网绝拒终毕继请点击长滑松键盘预约车计时间后实际当"
    "撤销净则据处总数来对话与从门户见亲爱愿愿评论贴写读稿邮寄声红蓝币财产险证划"
    "价托运携程饭馆餐厅机场级别补贴奖励赠礼课学习围观众团队党类群组织标签题显示隐"
    "藏释权责注销绑缴纳税报销账审驳抚换兑现赎投顾问静态过滤轰创扩缩旧复制贴剪"
    "里锁远台湾复变护协议简繁体经历导并发么没济御丽龙电脑帮画质仅权边麦风备错误彻"
    "灭弃离将范滤镇监听卫系统调试测试测绩细致让给谁说聊诉讼邀参战随赢归优洁净空浏览"
    "飞执行轻触双择准备占据诚采稳办妇该钟铃闹响腾讯银吗阅递钥欢扫检赚启于为两逻辑周较职暂编挂号户装制审挡拦冲杀独广购产区属届屉几库厨厅汇征悬态戏拥担捡扰携断历乐样台柜栏欧残温滞滚涨潜烦获琐疯盗盘码祸称窗筛纠纷纸给缔紧缓县罚聪胶举舱盖亏冲补里衬觉触询详误咨译购赞赶迹践踪载辅辆辈轮辖遥迟邮邻医释钞钮销铺钱锁链键镇闪闲闸队阶际隶难灵顶顷顺颁预顿头额颗顾显饮饱饿馆驱惊斗鱼鸟齐",
)
_HAN = r"\u3400-\u9fff\uf900-\ufaff"
_BETWEEN_HAN = re.compile(rf"(?<=[{_HAN}])[\s\W_]+(?=[{_HAN}])")
_LETTERS_APART = re.compile(r"(?<![^\W_])(?:[^\W\d_][\s.\-_·•*|/]){1,}[^\W\d_](?![^\W_])")
_TERMS = {
    "帐": "账", "螢": "荧", "荧幕": "屏幕", "萤幕": "屏幕", "应用程式": "应用", "应用程序": "应用",
    "原厂": "出厂", "垃圾桶": "回收站", "垃圾箱": "回收站", "废纸篓": "回收站", "装置": "设备",
    "存取": "访问", "简讯": "短信", "讯息": "消息", "电邮": "邮件", "网路": "网络", "影片": "视频",
    "信用咭": "信用卡", "储值": "充值", "发佈": "发布", "佈": "布", "重设": "重置",
    "登出": "退出登录",
}  # fmt: skip
"""Words of Taiwan and Hong Kong, and what the rules call them."""
_TERM = re.compile("|".join(_TERMS))
_NOT_LETTERS = re.compile(r"[\W\d_]+")
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_SPACE = re.compile(r"\s+")


@lru_cache(maxsize=4096)
def plain(text: str) -> str:
    """A text as it reads: lower case, simplified characters, one space between words.

    Punctuation and digits stay: amounts and questions are read from them. Between Chinese
    characters spaces and punctuation go, since they are how words are hidden from a search.
    """
    if len(text) > MAX_CHARS:
        text = f"{text[: MAX_CHARS // 2]} {text[-MAX_CHARS // 2 :]}"
    text = unicodedata.normalize("NFKC", text)
    text = "".join(char for char in text if unicodedata.category(char) not in ("Cf", "Mn", "Cc"))
    text = text.translate(_LOOK_ALIKES).translate(_TRADITIONAL).lower().replace("’", "'")
    text = _join_letters(_SPACE.sub(" ", _join_letters(text)).strip())
    while (told := _TERM.sub(lambda term: _TERMS[term[0]], text)) != text:
        text = told
    return text


def _join_letters(text: str) -> str:
    """Letters set apart by one mark each are a word again; two spaces part two words."""
    return _LETTERS_APART.sub(
        lambda run: _NOT_LETTERS.sub("", run[0]) if len(run[0]) >= 5 or run[0] == text else run[0],
        text,
    )


@lru_cache(maxsize=4096)
def joined(text: str) -> str:
    """The plain text with its Chinese parts closed up: `支 付` and `支.付` are `支付`."""
    return _BETWEEN_HAN.sub("", plain(text))


def unmasked(text: str) -> str:
    """A plain text with digits read as the letters that they stand in for: `de1ete`."""
    return re.sub(
        r"[a-z0-9@$]+",
        lambda word: (
            word[0].translate(_DIGITS_AS_LETTERS)
            if re.search(r"[a-z]", word[0]) and re.search(r"[013457@$]", word[0])
            else word[0]
        ),
        text,
    )


@lru_cache(maxsize=4096)
def words_of_id(resource_id: str) -> str:
    """The words of a resource id: `com.x:id/btnConfirmPay` is `btn confirm pay`."""
    name = resource_id.rpartition("/")[2]
    return _SPACE.sub(" ", re.sub(r"[\W_\d]+", " ", _CAMEL.sub(" ", name))).strip().lower()
