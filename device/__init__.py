"""Phones through ADB. Nothing outside this package talks to adb."""
