"""`python -m phipsi.cli`: the same as `phipsi`."""

import sys

from phipsi.cli import main

if __name__ == "__main__":
    sys.exit(main())
