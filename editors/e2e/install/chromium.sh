#!/bin/bash
# chromium.sh: a Chromium for tests: CHROMIUM in the environment, one on PATH, else one unpacked into the cache.
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
lock chromium
prefix=$cache/chromium
bin=${CHROMIUM:-$(command -v chromium || command -v google-chrome || echo "$prefix/run")}
if [[ $bin == "$prefix/run" && ! -e $prefix/.complete ]]; then
	rm -rf "$prefix"
	BINS="usr/lib/chromium/chromium usr/lib/chromium/chrome_crashpad_handler" \
		step chromium "installing Chromium, about 30 seconds (120 MB)" "$install_dir/debs.sh" here "$prefix" chromium fonts-dejavu-core
	# One library looks for its own below /usr only.
	pulse=$prefix/usr/lib/$(uname -m)-linux-gnu
	"$("$install_dir/patchelf.sh")" --force-rpath --set-rpath "$pulse:$pulse/pulseaudio" "$(readlink -f "$pulse/libpulse.so.0")"
	cat >"$prefix/fonts.conf" <<-CONF
		<?xml version="1.0"?>
		<!DOCTYPE fontconfig SYSTEM "urn:fontconfig:fonts.dtd">
		<fontconfig><dir>$prefix/usr/share/fonts</dir><cachedir>$prefix/fontcache</cachedir></fontconfig>
	CONF
	cat >"$bin" <<-RUN
		#!/bin/sh
		export FONTCONFIG_FILE=$prefix/fonts.conf
		exec $prefix/usr/lib/chromium/chromium "\$@"
	RUN
	chmod +x "$bin"
	touch "$prefix/.complete"
fi
[[ -x $bin ]] || die "$bin cannot be run"
echo "CHROMIUM=$bin"
