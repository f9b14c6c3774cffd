#!/bin/bash
# patchelf.sh: prints the path of a patchelf program: the one on PATH, else one unpacked into the cache.
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
if have patchelf; then command -v patchelf; exit; fi
bin=$cache/patchelf/usr/bin/patchelf
lock patchelf
[[ -x $bin ]] || BINS= ONLY=1 "$install_dir/debs.sh" here "$cache/patchelf" patchelf >&2
echo "$bin"
