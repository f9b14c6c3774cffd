#!/bin/bash
# toolbox.sh: the MCP Toolbox for Databases, a binary of 300 MB, by npm into the cache.
# TOOLBOX in the environment names a program to use instead.
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
version=1.12.0
lock toolbox
prefix=$cache/toolbox-$version
if [[ ! ${TOOLBOX:-} && ! -e $prefix/.complete ]]; then
	have npm || die "npm is missing; install Node.js first (Debian packages: nodejs npm)"
	case $(uname -sm) in
	"Linux x86_64") package=server-linux-x64 ;;
	"Darwin arm64") package=server-darwin-arm64 ;;
	"Darwin x86_64") package=server-darwin-x64 ;;
	*) die "there is no Toolbox for $(uname -sm)" ;;
	esac
	rm -rf "$prefix"
	mkdir -p "$prefix"
	echo '{"private": true}' >"$prefix/package.json"
	step toolbox "fetching the MCP Toolbox $version, 300 MB" npm install --prefix "$prefix" --ignore-scripts --no-fund --no-audit "@toolbox-sdk/$package@$version"
	mv "$prefix/node_modules/@toolbox-sdk/$package/bin/toolbox" "$prefix/toolbox"
	rm -rf "$prefix/node_modules"
	chmod +x "$prefix/toolbox"
	touch "$prefix/.complete"
fi
toolbox=${TOOLBOX:-$prefix/toolbox}
"$toolbox" --version | grep -q '^toolbox version 1\.' || die "$toolbox is no Toolbox 1"
echo "TOOLBOX=$toolbox"
