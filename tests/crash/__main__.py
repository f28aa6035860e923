"""`make crashtest`: `python -m tests.crash --kills 10000 --seed 1`."""

from __future__ import annotations

import argparse
import json
import shutil
import sys
import tempfile
import time
from pathlib import Path

from tests.crash.crash import BrokenPromise, CrashTest
from tests.crash.power import check_every_cut, check_power_cuts

POWER_RUNS_PER_1000_KILLS = 5


def main() -> int:
    parser = argparse.ArgumentParser(prog="crashtest", description=__doc__)
    parser.add_argument("--kills", type=int, default=10_000)
    parser.add_argument("--power-runs", type=int, default=None, help="0: kills alone, no cuts")
    parser.add_argument("--seed", type=int, default=int(time.time()))
    parser.add_argument("--bug", choices=["lock", "key", "fsync"], default=None)
    arguments = parser.parse_args()
    seed: int = arguments.seed
    power_runs = arguments.power_runs
    if power_runs is None:
        power_runs = max(1, arguments.kills * POWER_RUNS_PER_1000_KILLS // 1000)
    folder = Path(tempfile.mkdtemp(prefix="crash-"))
    bug = arguments.bug if arguments.bug != "fsync" else None
    test = CrashTest(folder, seed, bug)
    try:
        # Forks first: afterwards this process has had threads.
        report = test.run(arguments.kills).to_wire()
        began_s = time.monotonic()
        forgetful = arguments.bug == "fsync"
        states = sum(check_power_cuts(seed + run, forgetful=forgetful) for run in range(power_runs))
        cuts = check_every_cut(seed) if power_runs else 0
        replay_s = round(time.monotonic() - began_s, 1)
    except BrokenPromise as broken:
        print(f"BROKEN after {test.report.kills} kills (seed {seed}): {broken}")
        print(f"the records are in {folder}")
        return 1
    shutil.rmtree(folder)
    found = {"seed": seed, **report, "power_states": states, "cuts": cuts, "replay_s": replay_s}
    print(json.dumps(found))
    print("every promise held: nothing lost, nothing doubled, every session could go on")
    return 0


if __name__ == "__main__":
    sys.exit(main())
