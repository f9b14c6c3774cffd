#!/bin/bash
# ripgrep.sh: prints the path of ripgrep, for `make bench`, which compares searches with it: the one on PATH, else one in the cache.
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
if have rg; then command -v rg; exit; fi
lock ripgrep
prefix=$cache/ripgrep
if [[ ! -e $prefix/.complete ]]; then
	rm -rf "$prefix"
	BINS=usr/bin/rg step ripgrep "installing ripgrep, about 10 seconds" "$install_dir/debs.sh" here "$prefix" ripgrep
	touch "$prefix/.complete"
fi
echo "$prefix/usr/bin/rg"
