"""The apps of the virtual phone.

To add one: subclass `base.App`, give it a package, a label in both languages and an icon, return
the tree of the page in front from `page()`, change state in `on_event()`, and list it in
`catalog.APPS`. Everything else (windows, back stack, keyboard, pixels, UI tree) comes with it.
"""
