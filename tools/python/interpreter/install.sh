#!/bin/bash
# install.sh FOLDER: builds CPython for WebAssembly (WASI) from Debian's source package, in about 2 minutes on two cores. FOLDER gets
# python.wasm, stdlib.zip (the modules that programs may import and what those need), LICENSE and manifest.json. The system stays as it
# is: compilers come from Debian packages that are unpacked beside the source, and removed with it. Progress goes to standard error.
set -euo pipefail
folder=${1:?usage: install.sh FOLDER}
build=4 # of this script: another number builds anew
suite=bookworm python=python3.11 llvm=19

say() { printf '%s\n' "$*" >&2; }
die() { say "install.sh: $*"; exit 1; }
need() { command -v "$1" >/dev/null || die "$1 is missing: the interpreter is built with it (Debian package: $2)"; }

[[ -e $folder/manifest.json ]] && grep -q "\"build\": $build," "$folder/manifest.json" && exit 0
need apt-get "apt, so this works on Debian and its like only; copy the folder python/ of a release instead"
need dpkg-deb dpkg
need make make
keys=/usr/share/keyrings/debian-archive-keyring.gpg
[[ -e $keys ]] || die "$keys is missing: install debian-archive-keyring, or copy the folder python/ of a release"
mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Identifier: Packages' 'Origin: Debian' 2>/dev/null | grep -v security | head -n 1 || true)
[[ $mirror ]] || die "apt knows no Debian archive; add one to its sources, or copy the folder python/ of a release"

mkdir -p "$folder"
folder=$(cd "$folder" && pwd)
work=$(mktemp -d "$folder.build-XXXXXX")
trap 'rm -rf "$work"' EXIT
log=$work.log
root=$work/root tools=$root/usr/lib/llvm-$llvm machine=$(uname -m)

# step TEXT COMMAND...: runs COMMAND with its output in the log, whose end is shown if it failed.
step() {
	say "$1 ..."
	("${@:2}") >>"$log" 2>&1 &
	wait $! || { tail -n 15 "$log" >&2; die "that failed; the whole log is $log"; }
}

# fetch gets the compiler, the C library and the source from Debian, with package lists of its own.
fetch() {
	mkdir -p "$work"/{lists,cache/archives}/partial "$work"/{debs,src}
	printf '%s [signed-by='"$keys"'] '"$mirror $suite"' main\n' deb deb-src >"$work/sources"
	local apt=(apt-get -q -o "Dir::Etc::sourcelist=$work/sources" -o Dir::Etc::sourceparts=/dev/null -o "Dir::State::lists=$work/lists"
		-o "Dir::Cache=$work/cache" -o "APT::Sandbox::User=$(id -un)" -o Debug::NoLocking=1 -o Acquire::Languages=none)
	local packages=(clang-$llvm libclang-cpp$llvm libclang-common-$llvm-dev libllvm$llvm lld-$llvm llvm-$llvm llvm-$llvm-linker-tools
		libclang-rt-$llvm-dev-wasm32 wasi-libc libz3-4)
	command -v $python || packages+=($python-minimal lib$python-minimal lib$python-stdlib)
	"${apt[@]}" update
	(cd "$work/debs" && "${apt[@]}" download "${packages[@]}")
	for deb in "$work"/debs/*.deb; do dpkg-deb -x "$deb" "$root"; done
	(cd "$work/src" && "${apt[@]}" source --download-only $python && tar -xzf $python*.orig.tar.gz --strip-components 1)
}

# wrap NAME ARGS: a program of the unpacked packages, as it is called in the build.
wrap() {
	printf '#!/bin/sh\nexport LD_LIBRARY_PATH=%s\nexport PATH=%s:$PATH\nexec %s %s "$@"\n' \
		"$root/usr/lib/$machine-linux-gnu:$tools/lib" "$work/path" "$2" "${3:-}" >"$work/sdk/bin/$1"
	chmod +x "$work/sdk/bin/$1"
}

prepare() {
	mkdir -p "$work"/sdk/{bin,share} "$work/path"
	for t in clang clang++ clang-cpp; do wrap $t "$tools/bin/$t" --target=wasm32-wasi; done
	for t in ar ranlib nm strip; do
		wrap llvm-$t "$tools/bin/llvm-$t"
		ln -s llvm-$t "$work/sdk/bin/$t"
	done
	wrap wasm-ld "$tools/bin/wasm-ld"
	ln -s "$work/sdk/bin/wasm-ld" "$work/path/wasm-ld"
	ln -s "$work/sdk/bin/wasm-ld" "$work/path/wasm-ld-$llvm"
	ln -s "$root/usr" "$work/sdk/share/wasi-sysroot"
	wrap $python "$(command -v $python || echo "$root/usr/bin/$python")"
}

# compile builds the interpreter without what reaches outside or no module needs, and with one module of ours, which tells the
# addresses by which a program is interrupted from outside: there are no signals in WASI.
compile() {
	cat >"$work/src/Modules/_assent.c" <<-'C'
		#include "Python.h"
		#include "pycore_interp.h"

		static PyObject *addresses(PyObject *self, PyObject *none) {
		    PyThreadState *t = PyThreadState_Get();
		    return Py_BuildValue("kk", (unsigned long)&t->interp->ceval.eval_breaker, (unsigned long)&t->async_exc);
		}
		static PyMethodDef methods[] = {
		    {"addresses", addresses, METH_NOARGS, "Where the eval breaker is, and the exception to raise."}, {NULL, NULL, 0, NULL}};
		static struct PyModuleDef definition = {PyModuleDef_HEAD_INIT, "_assent", NULL, -1, methods};
		PyMODINIT_FUNC PyInit__assent(void) { return PyModule_Create(&definition); }
	C
	mkdir -p "$work/src/builddir/wasi/Modules"
	cd "$work/src/builddir/wasi"
	cat >Modules/Setup.local <<-'SETUP'
		*static*
		_assent _assent.c -DPy_BUILD_CORE_BUILTIN
		*disabled*
		_asyncio _csv _lsprof _opcode _pickle _queue _zoneinfo audioop cmath pyexpat _elementtree _crypt select _socket
		_codecs_cn _codecs_hk _codecs_iso2022 _codecs_jp _codecs_kr _codecs_tw _multibytecodec
		_xxtestfuzz _testbuffer _testinternalcapi _testcapi _testclinic
	SETUP
	export WASI_SDK_PATH=$work/sdk CONFIG_SITE=../../Tools/wasm/config.site-wasm32-wasi
	export CFLAGS="-O2 -Wno-error -Wno-implicit-function-declaration -Wno-int-conversion -Wno-incompatible-function-pointer-types"
	../../Tools/wasm/wasi-env ../../configure --host=wasm32-unknown-wasi --build="$machine-pc-linux-gnu" \
		--with-build-python="$work/sdk/bin/$python"
	../../Tools/wasm/wasi-env make -j"$(nproc)" python.wasm \
		CONFIGURE_LDFLAGS_NODIST="-z stack-size=8388608 -Wl,--stack-first -Wl,--initial-memory=16777216"
	"$work/sdk/bin/llvm-strip" -o "$work/out/python.wasm" python.wasm
}

# library packs what the allowed modules load, as byte code: FOLDER's zip is all that a program can read.
library() {
	cat >"$work/library.py" <<-'PY'
		import importlib, importlib.util, io, marshal, os, sys, zipfile
		lib, out = sys.argv[1:]
		sys.path[:] = [lib, *(p for p in sys.path if p.endswith("lib-dynload"))]
		for name in list(sys.modules):
		    if getattr(sys.modules[name], "__file__", None) and name not in ("__main__", "zipfile"):
		        del sys.modules[name]
		wanted = """math json random re datetime collections itertools functools operator string textwrap copy types typing abc numbers
		decimal fractions statistics hashlib base64 binascii html html.parser collections.abc heapq _strptime calendar codecs io os warnings
		encodings.aliases encodings.utf_8 encodings.utf_8_sig encodings.utf_16 encodings.utf_16_le encodings.utf_16_be
		encodings.utf_32 encodings.utf_32_le encodings.utf_32_be encodings.latin_1 encodings.ascii encodings.cp1252 encodings.cp437
		encodings.iso8859_1 encodings.iso8859_15 encodings.unicode_escape encodings.raw_unicode_escape encodings.hex_codec
		encodings.base64_codec encodings.rot_13 encodings.idna encodings.punycode _weakrefset importlib""".split()
		for name in wanted:
		    importlib.import_module(name)
		found = {}
		for module in list(sys.modules.values()):
		    path = getattr(module, "__file__", None)
		    if path and path.startswith(lib + os.sep) and path.endswith(".py"):
		        found[os.path.relpath(path, lib)] = path
		for name in ("os.py", "_collections_abc.py", "stat.py", "posixpath.py", "genericpath.py", "importlib/__init__.py"):
		    found[name] = os.path.join(lib, name)
		with zipfile.ZipFile(out, "w") as z:
		    for name, path in sorted(found.items()):
		        code = compile(open(path, "rb").read(), "/usr/local/lib/python3.11/" + name, "exec", dont_inherit=True, optimize=2)
		        entry = zipfile.ZipInfo(name + "c", (1980, 1, 1, 0, 0, 0))
		        head = importlib.util.MAGIC_NUMBER + (1).to_bytes(4, "little") + bytes(8)
		        z.writestr(entry, head + marshal.dumps(code), zipfile.ZIP_DEFLATED, 9)
	PY
	"$work/sdk/bin/$python" -I "$work/library.py" "$work/src/Lib" "$work/out/stdlib.zip"
}

# manifest writes down what was built, by which a changed or foreign file is found.
manifest() {
	local version file
	version=$(sed -n 's/^#define PY_VERSION *"\(.*\)".*/\1/p' "$work/src/Include/patchlevel.h")
	for file in "$work/src/LICENSE" "$work/src/Doc/license.rst" \
		"$root/usr/share/doc/"{wasi-libc,libclang-rt-$llvm-dev-wasm32}/copyright; do
		printf '==== %s\n\n' "${file#"$work/"}" | sed 's#src/#Python: #; s#root/usr/share/doc/##'
		cat "$file"
	done >"$work/out/LICENSE"
	cd "$work/out"
	printf '{\n  "build": %s,\n  "version": "%s",\n  "files": {' "$build" "$version"
	local comma=
	for file in LICENSE python.wasm stdlib.zip; do
		printf '%s\n    "%s": {"size": %s, "sha256": "%s"}' "$comma" "$file" "$(stat -c %s $file)" "$(sha256sum <$file | cut -d ' ' -f 1)"
		comma=,
	done
	printf '\n  }\n}\n'
}

mkdir -p "$work/out"
step "1/3 getting compilers and the source of $python from Debian, 90 MB" fetch
step "2/3 building the interpreter, about 2 minutes" eval 'prepare; compile'
step "3/3 packing the standard library" library
manifest >"$work/manifest.json"
rm -f "$folder/manifest.json"
mv "$work"/out/* "$folder"
mv "$work/manifest.json" "$folder" # last: with it the folder is whole
rm -f "$log"
say "the interpreter is in $folder"
