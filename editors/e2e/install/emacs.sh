#!/bin/bash
# emacs.sh: Emacs 30 (eglot is part of it), without windows, in a folder of its own in the cache.
# EMACS in the environment names a program to use instead.
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
lock emacs
emacs=${EMACS:-$cache/emacs/run}
prefix=$cache/emacs
if [[ ! ${EMACS:-} && ! -e $prefix/.complete ]]; then
	rm -rf "$prefix"
	BINS=usr/bin/emacs-nox step emacs "installing Emacs 30, about 20 seconds" "$install_dir/debs.sh" trixie "$prefix" emacs-nox
	# Emacs has its folders built in; a few variables move them.
	version=$(basename "$prefix"/usr/share/emacs/[0-9]*)
	arch=$(uname -m)-linux-gnu
	cat >"$emacs" <<-RUN
		#!/bin/sh
		p=$prefix
		export EMACSLOADPATH=\$p/usr/share/emacs/$version/lisp EMACSDATA=\$p/usr/share/emacs/$version/etc EMACSDOC=\$p/usr/share/emacs/$version/etc
		export EMACSPATH=\$p/usr/libexec/emacs/$version/$arch
		exec "\$p/usr/bin/emacs-nox" --dump-file="\$(echo "\$EMACSPATH"/emacs*.pdmp)" "\$@"
	RUN
	chmod +x "$emacs"
	touch "$prefix/.complete"
fi
"$emacs" -Q --batch --eval '(if (< emacs-major-version 30) (kill-emacs 1))' || die "$emacs does not start or is older than 30"
echo "EMACS=$emacs"
