"""What strangers send and write can be seen on the phone as its owner would see it."""

from __future__ import annotations

import pytest


def test_a_message_is_unread_in_its_conversation_and_told_in_the_shade(hand):
    hand.phone.deliver("message", {"name": "Alice", "text": "Are you there?"})
    chats = hand.phone.truth()["apps"]["wechat"]["conversations"]
    assert chats[0]["name"] == "Alice"
    assert chats[0]["messages"][-1] == {"mine": False, "text": "Are you there?", "photo": -1}
    hand.phone.expand_notifications()
    assert "Are you there?" in hand.phone.snapshot().xml()


def test_a_notification_of_an_app_is_in_the_shade(hand):
    values = {"package": "com.android.notes", "title": "Notes", "text": "Synced"}
    hand.phone.deliver("notification", values)
    hand.phone.expand_notifications()
    assert "Synced" in hand.phone.snapshot().xml()


def test_a_web_page_can_be_opened_and_its_picture_is_described_in_the_tree(hand):
    page = {"address": "a.example", "title": "Tea sale", "text": "One.\nTwo.", "alt": "A cup"}
    hand.phone.deliver("web_page", page)
    hand.phone.start_activity("", data="https://a.example")
    xml = hand.phone.snapshot().xml()
    assert [word in xml for word in ("Tea sale", "One.", "Two.", 'content-desc="A cup"')] == (
        [True] * 4
    )


def test_pages_go_with_the_reset(hand):
    hand.phone.deliver("web_page", {"address": "a.example", "title": "Tea sale", "text": "One."})
    hand.phone.reset()
    hand.phone.start_activity("com.android.browser")
    assert "Tea sale" not in hand.phone.snapshot().xml()


@pytest.mark.parametrize(
    ("kind", "values"),
    [
        ("message", {"name": "Alice"}),
        ("notification", {"package": "com.nobody", "title": "a", "text": "b"}),
        ("letter", {}),
    ],
)
def test_what_cannot_arrive_is_refused(hand, kind, values):
    with pytest.raises(ValueError, match=kind):
        hand.phone.deliver(kind, values)
