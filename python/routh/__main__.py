"""python3 -m routh: the command line of Routh, as the package carries it."""

import os
import sys

from routh.tools import program

os.execv(program(), ["routh", *sys.argv[1:]])
