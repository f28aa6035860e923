"""Android's own commands: input, screencap, am, pm, dumpsys and the rest."""
