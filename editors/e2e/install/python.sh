#!/bin/bash
# python.sh: the Python interpreter for programs of models, built into the cache. Prints PYTHON, its folder.
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
lock python
"$install_dir/../../../tools/python/interpreter/install.sh" "$cache/python" >&2
echo "PYTHON=$cache/python"
