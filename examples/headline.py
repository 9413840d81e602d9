"""The headline example: what `make run` does.

The goal is a batch of legged robots on terrain, with the speed in steps per second and a picture. This version of the
engine does not step worlds yet, so the program reports what is there.
"""

import motrixsim

lanes = motrixsim.lane_info()
print(f"motrixsim {motrixsim.__version__}: {lanes.count} worlds per register ({lanes.name})")
print("This version does not step worlds yet; the status table in README.md says what exists.")
