"""A phone without a phone: speaks the device side of ADB, with screens, apps and state."""
