#!/bin/bash
# debs.sh SUITE PREFIX PACKAGE...
# Unpacks packages of a Debian suite and all libraries they need into PREFIX; nothing of the system changes and no root
# is needed. The programs named in $BINS (paths below PREFIX) are made to use the loader and the libraries in PREFIX.
# SUITE "here" is the suite of this machine; $ONLY=1 leaves the libraries out (headers, data).
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
suite=$1 prefix=$2
shift 2
release=$(. /etc/os-release && echo "${VERSION_CODENAME:-}")
on_debian || die "packages can be unpacked on Debian only; install $* yourself"
[[ $suite == here ]] && suite=$release
archive=$(apt-get indextargets --format '$(REPO_URI)' 'Identifier: Packages' "Codename: $release" 2>/dev/null | head -n 1)
[[ $archive ]] || archive=$(sed -n 's/^URIs: *\([^ ]*\).*/\1/p; s/^deb \(\[[^]]*\] \)\?\([^ ]*\).*/\2/p' /etc/apt/sources.list /etc/apt/sources.list.d/* 2>/dev/null | head -n 1)
[[ $archive ]] || die "apt knows no Debian archive; add one to its sources"

# Own lists and an empty status of installed packages: apt then resolves everything down to the C library.
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
mkdir -p "$tmp/lists/partial" "$tmp/cache/archives/partial"
: >"$tmp/status"
echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $archive $suite main" >"$tmp/sources"
apt=(apt-get -q -o "Dir::Etc::sourcelist=$tmp/sources" -o Dir::Etc::sourceparts=/dev/null -o "Dir::State::lists=$tmp/lists"
	-o "Dir::State::status=$tmp/status" -o "Dir::Cache=$tmp/cache" -o "APT::Sandbox::User=$(id -un)" -o Debug::NoLocking=1
	-o Acquire::Languages=none -o Acquire::IndexTargets::deb::DEP-11::DefaultEnabled=false
	-o APT::Keep-Downloaded-Packages=true -o APT::Install-Recommends=false)
"${apt[@]}" update
if [[ ${ONLY:-} ]]; then
	(cd "$tmp/cache/archives" && "${apt[@]}" download "$@")
else
	"${apt[@]}" -y --download-only install "$@"
fi
mkdir -p "$prefix"
prefix=$(cd "$prefix" && pwd)
for deb in "$tmp"/cache/archives/*.deb; do dpkg-deb -x "$deb" "$prefix"; done

[[ ${BINS:-} ]] || exit 0
lib=$prefix/usr/lib/$(uname -m)-linux-gnu:$prefix/lib/$(uname -m)-linux-gnu
loader=$(find "$prefix"/usr/lib/*-linux-gnu "$prefix"/lib/*-linux-gnu -name 'ld-linux-*.so.*' 2>/dev/null | head -n 1 || true)
[[ $loader ]] || die "the C library did not arrive in $prefix"
patchelf=$("$install_dir/patchelf.sh")
for bin in $BINS; do
	"$patchelf" --set-interpreter "$loader" --force-rpath --set-rpath "$lib" "$(readlink -f "$prefix/$bin")"
done
