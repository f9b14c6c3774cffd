#!/bin/bash
# helix.sh: Helix 25.01 in a folder of its own in the cache, and tmux to drive it.
# HELIX in the environment names a program to use instead.
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
lock helix
hx=${HELIX:-$cache/helix/usr/lib/hx/hx}
if [[ ! ${HELIX:-} && ! -e $cache/helix/.complete ]]; then
	rm -rf "$cache/helix"
	BINS=usr/lib/hx/hx step helix "installing Helix 25.01, about 10 seconds" "$install_dir/debs.sh" trixie "$cache/helix" hx
	touch "$cache/helix/.complete"
fi
"$hx" --version >/dev/null || die "$hx does not start"
tmux=$(command -v tmux || echo "$cache/tmux/usr/bin/tmux")
if [[ ! -x $tmux ]]; then
	BINS=usr/bin/tmux step tmux "installing tmux" "$install_dir/debs.sh" here "$cache/tmux" tmux
fi
"$tmux" -V >/dev/null || die "$tmux does not start"
echo "HELIX=$hx"
echo "TMUX_BIN=$tmux"
