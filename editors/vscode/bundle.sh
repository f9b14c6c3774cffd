#!/bin/bash
# bundle.sh [TARGET...]: packages the extension with the program inside, as assent-TARGET.vsix: linux-x64, linux-arm64, darwin-x64,
# darwin-arm64, win32-x64, win32-arm64, into the folder OUT (this one). Needs Go, and what `npm ci` brings. Without a target: that of this
# machine. A release names the program that it built: PROGRAM.
set -euo pipefail
cd "$(dirname "$0")"
trap 'rm -rf bin' EXIT
here=$(go env GOOS)-$(go env GOARCH)
for target in "${@:-$(sed 's/amd64/x64/; s/windows/win32/' <<<"$here")}"; do
	os=${target%-*} arch=${target#*-} name=assent
	case $os in win32) os=windows name=assent.exe ;; esac
	case $arch in x64) arch=amd64 ;; esac
	rm -rf bin
	if [[ ${PROGRAM:-} ]]; then
		mkdir bin
		cp "$PROGRAM" "bin/$name"
		chmod 755 "bin/$name"
	else
		GOOS=$os GOARCH=$arch CGO_ENABLED=0 go build -trimpath -ldflags "-s -w" -o "bin/$name" ../../cmd/assent
	fi
	[[ ! -d ../../bin/python ]] || cp -r ../../bin/python bin # a release has the Python interpreter there
	npm run --silent package -- --target "$target" --out "${OUT:-.}/assent-$target.vsix"
done
