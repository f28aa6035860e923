"""Notes, contacts, clock, chat, shop, gallery, browser: used by fingers, judged by their data."""

from __future__ import annotations

BACK, HOME = 4, 3


def data(hand, app):
    return hand.phone.truth()["apps"][app]


def launch(hand, package):
    hand.phone.start_activity(package)
    return hand


# Notes


def test_a_note_is_written_saved_and_found(hand):
    launch(hand, "com.android.notes")
    hand.tap("New note")
    hand.phone.commit_text("Packing")
    hand.tap("Start writing")
    hand.phone.commit_text("Tent, stove")
    hand.tap("Save")
    assert data(hand, "notes")["notes"][0] == {
        "number": 3,
        "title": "Packing",
        "body": "Tent, stove",
    }
    hand.tap("Search notes")
    hand.press_keys("tent")
    assert hand.sees("Packing") and not hand.sees("Shopping list")


def test_an_edited_note_keeps_its_number(hand):
    launch(hand, "com.android.notes")
    hand.tap("Shopping list")
    hand.tap("Shopping list")
    hand.phone.clear_text()
    hand.phone.commit_text("Groceries")
    hand.tap("Save")
    assert [(n["number"], n["title"]) for n in data(hand, "notes")["notes"]] == [
        (2, "Meeting notes"),
        (1, "Groceries"),
    ]


def test_leaving_an_edit_asks_and_discards_only_when_told(hand):
    launch(hand, "com.android.notes")
    hand.tap("New note")
    hand.phone.commit_text("Draft")
    hand.phone.key(BACK)
    hand.phone.key(BACK)
    assert hand.sees("Save changes?")
    hand.phone.key(BACK)
    assert hand.phone.truth()["page"] == ["edit", "new"]
    hand.phone.key(BACK)
    hand.tap("Discard")
    assert len(data(hand, "notes")["notes"]) == 2


def test_a_note_is_deleted_only_after_confirmation(hand):
    launch(hand, "com.android.notes")
    hand.hold("Meeting notes")
    hand.tap("Cancel")
    assert len(data(hand, "notes")["notes"]) == 2
    hand.tap("Meeting notes")
    hand.tap("Delete")
    hand.tap("Delete")
    assert [n["title"] for n in data(hand, "notes")["notes"]] == ["Shopping list"]


def test_an_empty_note_is_not_saved(hand):
    launch(hand, "com.android.notes")
    hand.tap("New note")
    hand.tap("Save")
    assert hand.phone.truth()["toast"] == "The note is empty"
    assert len(data(hand, "notes")["notes"]) == 2
    assert hand.phone.truth()["page"] == ["edit", "new"]


def test_clearing_data_leaves_an_empty_app(hand):
    hand.phone.clear_data("com.android.notes")
    launch(hand, "com.android.notes")
    assert hand.sees("No notes yet")
    assert data(hand, "notes") == {"notes": []}


# Contacts


def test_a_contact_is_added_and_called(hand):
    launch(hand, "com.android.contacts")
    hand.tap("New contact")
    hand.press_keys("dave")
    hand.press_key("enter")
    hand.phone.type_ascii("13612345678")
    hand.tap("Save")
    assert data(hand, "contacts")["contacts"][-1] == {
        "number": 4,
        "name": "dave",
        "phone": "13612345678",
    }
    hand.tap("Call")
    assert data(hand, "contacts")["calls"] == ["13612345678"]
    hand.tap("Hang up")
    assert hand.sees("Message")


def test_a_contact_without_a_valid_number_is_refused(hand):
    launch(hand, "com.android.contacts")
    hand.tap("New contact")
    hand.phone.commit_text("Eve")
    hand.tap("Phone")
    hand.phone.commit_text("abc")
    hand.tap("Save")
    assert len(data(hand, "contacts")["contacts"]) == 3
    assert hand.phone.truth()["page"] == ["edit", "new"]


def test_chinese_names_are_filed_by_pinyin(make_hand):
    hand = make_hand(locale="zh")
    launch(hand, "com.android.contacts")
    shown = [t for t in hand.texts() if t in ("L", "W", "Z", "张三", "李四", "王芳")]
    assert shown == ["L", "李四", "W", "王芳", "Z", "张三"]


def test_messaging_a_contact_opens_the_chat_and_back_returns_home(hand):
    launch(hand, "com.android.contacts")
    hand.tap("Bob")
    hand.tap("Message")
    assert (hand.phone.focus().package, hand.phone.truth()["page"]) == (
        "com.tencent.mm",
        ["conversation", "Bob"],
    )


# Clock


def test_an_alarm_is_set_by_typing_its_time(hand):
    launch(hand, "com.android.deskclock")
    hand.tap("Add alarm")
    hand.tap("08")
    hand.phone.type_ascii("6")
    hand.phone.key(66)
    hand.phone.type_ascii("45")
    hand.tap("Save")
    alarms = data(hand, "clock")["alarms"]
    assert [(a["time"], a["on"]) for a in alarms] == [("06:45", True), ("07:00", False)]


def test_an_alarm_is_set_by_its_arrows_and_the_clock_wraps(hand):
    launch(hand, "com.android.deskclock")
    hand.tap("Add alarm")
    hand.tap("Hour up")
    hand.tap("Minute down")
    hand.tap("Save")
    assert [a["time"] for a in data(hand, "clock")["alarms"]] == ["07:00", "09:59"]


def test_a_time_that_does_not_exist_is_refused(hand):
    launch(hand, "com.android.deskclock")
    hand.tap("Add alarm")
    hand.tap("08")
    hand.phone.type_ascii("31")
    hand.tap("Save")
    assert len(data(hand, "clock")["alarms"]) == 1


def test_the_alarm_switch_does_not_open_the_alarm(hand):
    launch(hand, "com.android.deskclock")
    hand.tap_id("onoff")
    assert data(hand, "clock")["alarms"][0]["on"] is True
    assert hand.phone.truth()["page"] == ["alarms"]


def test_the_timer_rings_when_its_time_is_over(hand):
    launch(hand, "com.android.deskclock")
    hand.tap("Timer")
    hand.tap("1 min")
    hand.tap("Start")
    assert hand.phone.animating
    hand.phone.key(HOME)
    hand.phone.advance(30)
    assert hand.phone.truth()["notifications"] == []
    hand.phone.advance(30)
    assert [n["text"] for n in hand.phone.truth()["notifications"]] == ["Time is up"]
    assert data(hand, "clock")["timer"] == {"set_s": 60, "left_s": 0.0, "running": False}


def test_the_stopwatch_counts_phone_time(hand):
    launch(hand, "com.android.deskclock")
    hand.tap("Stopwatch")
    hand.tap("Start")
    hand.phone.advance(11.5)
    hand.tap("Pause")
    hand.phone.advance(5)
    assert hand.sees("00:12.5")
    assert not hand.phone.animating


# Chat


def test_a_message_is_sent_and_answered_later(hand):
    launch(hand, "com.tencent.mm")
    hand.tap("Bob")
    hand.tap("Message")
    hand.phone.commit_text("On my way")
    hand.tap("Send")
    bob = data(hand, "wechat")["conversations"][0]
    assert (bob["name"], bob["messages"][-1]["text"], bob["messages"][-1]["mine"]) == (
        "Bob",
        "On my way",
        True,
    )
    hand.phone.advance(5)
    assert data(hand, "wechat")["conversations"][0]["messages"][-1]["text"] == "OK, got it."
    assert hand.sees("OK, got it.")


def test_an_answer_that_comes_elsewhere_is_notified_and_opens_the_chat(hand):
    launch(hand, "com.tencent.mm")
    hand.tap("Carol")
    hand.tap("Message")
    hand.phone.type_ascii("hi\n")
    hand.phone.key(HOME)
    hand.phone.advance(5)
    assert data(hand, "wechat")["conversations"][0]["unread"] == 1
    hand.phone.swipe(540, 5, 540, 1200, 200)
    hand.tap("OK, got it.")
    assert hand.phone.truth()["page"] == ["conversation", "Carol"]
    assert hand.phone.truth()["notifications"] == []
    assert data(hand, "wechat")["conversations"][0]["unread"] == 0


def test_an_empty_message_is_not_sent(hand):
    launch(hand, "com.tencent.mm")
    hand.tap("Bob")
    hand.tap("Message")
    hand.phone.type_ascii("   \n")
    assert len(data(hand, "wechat")["conversations"][2]["messages"]) == 1


def test_a_long_conversation_opens_at_its_end(hand):
    launch(hand, "com.tencent.mm")
    hand.tap("Bob")
    hand.tap("Message")
    for number in range(20):
        hand.phone.type_ascii(f"message {number}\n")
    assert hand.sees("message 19") and not hand.sees("message 0")
    hand.phone.key(BACK)
    hand.phone.swipe(540, 700, 540, 2000, 100)
    hand.phone.swipe(540, 700, 540, 2000, 100)
    assert hand.sees("message 0")


# Shop


def test_the_way_from_search_to_a_paid_order(hand):
    launch(hand, "com.example.shop")
    hand.tap("Search products")
    hand.press_keys("backpack")
    hand.tap("Backpack")
    hand.tap("Buy now")
    hand.tap("Place order")
    assert data(hand, "shop")["orders"] == []
    for digit in "123456":
        hand.tap(digit)
    assert hand.sees("Payment successful")
    assert data(hand, "shop")["orders"] == [
        {
            "number": 1,
            "items": [{"product": 3, "count": 1, "name": "Backpack"}],
            "total": 159,
            "paid": True,
        }
    ]


def test_the_cart_counts_and_empties_when_paid(hand):
    launch(hand, "com.example.shop")
    hand.tap("Backpack")
    hand.tap("Add to cart")
    hand.tap("Cart")
    hand.tap("More")
    assert hand.sees("$318")
    hand.tap("Checkout")
    hand.tap("Place order")
    for digit in "000000":
        hand.tap(digit)
    assert data(hand, "shop")["cart"] == []
    assert data(hand, "shop")["orders"][0]["total"] == 318


def test_leaving_the_pay_page_asks_and_orders_nothing(hand):
    launch(hand, "com.example.shop")
    hand.tap("Backpack")
    hand.tap("Buy now")
    hand.tap("Place order")
    hand.tap("1")
    hand.phone.key(BACK)
    hand.tap("Leave")
    assert (hand.phone.truth()["page"], data(hand, "shop")["orders"]) == (["checkout"], [])


def test_the_pay_page_is_black_only_where_secure_windows_are_enforced(hand):
    launch(hand, "com.example.shop")
    hand.tap("Backpack")
    hand.tap("Buy now")
    hand.tap("Place order")
    assert hand.phone.snapshot().secure
    assert hand.image().convert("L").getextrema()[1] > 0
    hand.phone.enforce_secure = True
    hand.phone.collapse_panels()
    assert hand.image().convert("L").getextrema() == (0, 0)
    assert hand.sees("Enter your payment PIN")


# Gallery


def test_pictures_turn_by_swipe_and_zoom_by_double_tap(hand):
    launch(hand, "com.android.gallery3d")
    hand.tap("Sunset by the sea")
    hand.phone.swipe(800, 1200, 200, 1200, 200)
    assert hand.phone.truth()["page"] == ["photo", "1"]
    before = _picture_height_px(hand)
    hand.phone.tap(540, 1200)
    hand.phone.advance(0.1)
    hand.phone.tap(540, 1200)
    assert _picture_height_px(hand) > before


def _picture_height_px(hand):
    pictures = [n for n in hand.nodes() if n.get("content-desc") == "Valley at dawn"]
    _, top, _, bottom = hand.bounds(pictures[0])
    return bottom - top


def test_a_picture_is_shared_with_a_friend(hand):
    launch(hand, "com.android.gallery3d")
    hand.tap("Snowy mountain")
    hand.tap("Share")
    hand.tap("WeChat")
    hand.tap("Carol")
    last = data(hand, "wechat")["conversations"][0]
    assert (last["name"], last["messages"][-1]["photo"]) == ("Carol", 3)


def test_a_picture_is_deleted_only_after_confirmation(hand):
    launch(hand, "com.android.gallery3d")
    hand.tap("Dunes")
    hand.tap("Delete")
    hand.tap("Cancel")
    assert len(data(hand, "gallery")["photos"]) == 12
    hand.tap("Delete")
    hand.tap("Delete")
    assert "Dunes" not in [p["title"] for p in data(hand, "gallery")["photos"]]


# Browser


def test_links_back_and_forward(hand):
    launch(hand, "com.android.browser")
    hand.tap("A day in the metro")
    assert hand.sees("city.example/metro")
    hand.tap("Back")
    assert hand.sees("Recommended")
    hand.tap("Forward")
    assert data(hand, "browser")["address"] == "city.example/metro"


def test_the_address_bar_opens_searches_and_reports(hand):
    launch(hand, "com.android.browser")
    for words, page in (
        ("https://sky.example/birds", ["article", "sky.example/birds"]),
        ("bread", ["results", "bread"]),
        ("nowhere.example", ["missing", "nowhere.example"]),
    ):
        hand.tap_id("url")
        hand.phone.clear_text()
        hand.phone.type_ascii(words + "\n")
        assert hand.phone.truth()["page"] == page
    assert hand.sees("This page cannot be reached")


def test_an_article_is_longer_than_the_screen(hand):
    launch(hand, "com.android.browser")
    hand.tap("How to brew good tea")
    assert not hand.sees("Read on")
    for _ in range(3):
        hand.phone.swipe(540, 1800, 540, 500, 300)
    assert hand.sees("Read on")


def test_find_in_page_counts(hand):
    launch(hand, "com.android.browser")
    hand.tap("How to brew good tea")
    hand.tap("Find")
    hand.press_keys("water")
    assert hand.sees("6 found")
