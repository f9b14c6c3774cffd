#!/bin/bash
# vim.sh: Vim 9 and the plugin ALE in a folder of their own in the cache.
# VIM_PROGRAM and ALE in the environment name a program and a folder of ALE to use instead.
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
lock vim
prefix=$cache/vim
vim=${VIM_PROGRAM:-$prefix/run}
ale=${ALE:-$prefix/usr/share/vim-ale}
if [[ ! (${VIM_PROGRAM:-} && ${ALE:-}) && ! -e $prefix/.complete ]]; then
	rm -rf "$prefix"
	BINS=usr/bin/vim.basic step vim "installing Vim 9 and ALE, about 10 seconds" "$install_dir/debs.sh" trixie "$prefix" vim vim-ale
	# Vim has its folder built in; a variable moves it.
	printf '#!/bin/sh\nVIMRUNTIME=%q exec %q "$@"\n' "$(echo "$prefix"/usr/share/vim/vim9?)" "$prefix/usr/bin/vim.basic" >"$prefix/run"
	chmod +x "$prefix/run"
	touch "$prefix/.complete"
fi
"$vim" --version 2>/dev/null | grep -q '+channel' || die "$vim does not start or has no channels"
[[ -e $ale/plugin/ale.vim ]] || die "$ale is not the folder of ALE"
echo "VIM_PROGRAM=$vim"
echo "ALE=$ale"
