#!/bin/bash
# bubblewrap.sh: bubblewrap in a folder of its own in the cache, unless the system has it. Only tests look for it there.
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
[[ -x /usr/bin/bwrap ]] && { echo BUBBLEWRAP=/usr/bin/bwrap; exit; }
lock bubblewrap
prefix=$cache/bubblewrap
if [[ ! -e $prefix/.complete ]]; then
	rm -rf "$prefix"
	BINS=usr/bin/bwrap step bubblewrap "installing bubblewrap, about 10 seconds" "$install_dir/debs.sh" here "$prefix" bubblewrap
	touch "$prefix/.complete"
fi
"$prefix/usr/bin/bwrap" --version >/dev/null || die "$prefix/usr/bin/bwrap does not start"
echo "BUBBLEWRAP=$prefix/usr/bin/bwrap"
