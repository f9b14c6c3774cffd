#!/bin/bash
# nvim.sh [VERSION...]: Neovim 0.10 (the oldest that is supported) and 0.12, or those named, each in a folder of its own in
# the cache. NVIM_0_10 and NVIM_0_12 in the environment name programs to use instead.
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

# neovim VERSION SUITE PROGRAM: prints where it is.
neovim() {
	local version=$1 suite=$2 bin=${3:-} prefix=$cache/nvim-$1
	if [[ ! $bin ]]; then
		bin=$prefix/usr/bin/nvim
		if [[ ! -x $bin || ! -e $prefix/.complete ]]; then
			rm -rf "$prefix"
			BINS=usr/bin/nvim step "nvim-$version" "installing Neovim $version, about 10 seconds" "$install_dir/debs.sh" "$suite" "$prefix" neovim
			touch "$prefix/.complete"
		fi
	fi
	local found
	found=$("$bin" --version | head -n 1)
	case $found in
	"NVIM v$version."*) ;;
	"NVIM v0.1"[2-9]*) [[ $version == 0.12 ]] || die "$bin is $found, wanted $version" ;; # the newest moves on
	*) die "$bin is $found, wanted $version" ;;
	esac
	echo "$bin"
}

lock nvim
(($#)) || set -- 0.10 0.12
for version; do
	case $version in
	0.10) bin=$(neovim 0.10 trixie "${NVIM_0_10:-}") ;;
	0.12) bin=$(neovim 0.12 sid "${NVIM_0_12:-}") ;;
	*) die "there is no Neovim $version here: 0.10 or 0.12" ;;
	esac
	echo "NVIM_${version/./_}=$bin"
done
