#!/bin/bash
# engine.sh         finds or installs a model server and a small model that calls tools. A server that runs at OLLAMA_HOST
#                   (default 127.0.0.1:11434) and has the model: prints OLLAMA_HOST and MODEL. Else installs what is
#                   needed to start one: prints OLLAMA and MODEL.
# engine.sh serve   starts a private server on a free port, with a home of its own in the cache, and makes the model in it:
#                   prints OLLAMA_HOST, OLLAMA_PID and MODEL. End it with: kill PID.
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
# The model's name in Ollama's library. One put together from packages has it, too: Assent knows models by their names.
model=qwen2.5-coder:1.5b

api() { curl -fsS --connect-timeout 5 --max-time 60 "$@" 2>/dev/null; }
# installed HOST: whether the server there has the model.
installed() { api "$1/api/tags" | grep -qF "\"name\":\"$model\""; }

find_or_install() {
	local host=${OLLAMA_HOST:-127.0.0.1:11434}
	if installed "$host"; then
		say "using the Ollama server at $host with $model"
		printf 'OLLAMA_HOST=%s\nMODEL=%s\n' "$host" "$model"
		return
	fi
	if api "$host/api/version" >/dev/null; then
		say "the Ollama server at $host has no $model; asking it to pull that"
		if curl -fsS "$host/api/pull" -d "{\"model\":\"$model\",\"stream\":false}" >/dev/null 2>&1 && installed "$host"; then
			printf 'OLLAMA_HOST=%s\nMODEL=%s\n' "$host" "$model"
			return
		fi
		say "it could not; a private server will be used"
	fi
	# The model comes while the server is built.
	if ! have ollama; then
		"$install_dir/model.sh" coder-1.5b >/dev/null &
		fetching=$!
		trap 'kill "$fetching" 2>/dev/null' EXIT
	fi
	"$install_dir/ollama.sh"
	[[ ! ${fetching:-} ]] || wait "$fetching"
	trap - EXIT
	echo "MODEL=$model"
}

serve() {
	local home=$cache/ollama-home log=$cache/log/ollama-serve.log host size said='' since=$SECONDS
	OLLAMA=$("$install_dir/ollama.sh" | sed -n 's/^OLLAMA=//p')
	mkdir -p "$home"
	host=127.0.0.1:$(free_port)
	# One model, one request at a time: small machines crawl otherwise.
	HOME=$home OLLAMA_MODELS=$home/models OLLAMA_HOST=$host OLLAMA_NUM_PARALLEL=1 OLLAMA_MAX_LOADED_MODELS=1 \
		nohup "$OLLAMA" serve >"$log" 2>&1 </dev/null 9>&- &
	pid=$!
	trap 'kill "$pid" 2>/dev/null' EXIT
	until api "$host/api/version" >/dev/null; do
		kill -0 "$pid" 2>/dev/null || { tail -n 15 "$log" >&2; die "the Ollama server ended at once; its log: $log"; }
		size=$(wc -c <"$log")
		[[ $size == "$said" ]] || said=$size since=$SECONDS
		((SECONDS - since < 60)) || die "the Ollama server does not answer and said nothing for a minute; its log: $log"
		sleep 0.1
	done
	if ! installed "$host"; then
		lock engine-model
		step engine-model "making the model, up to a minute" make_model "$host" "$model" coder-1.5b qwen2.5
		installed "$host" || die "the model did not arrive; see $cache/log/engine-model.log"
	fi
	trap - EXIT
	printf 'OLLAMA_HOST=%s\nOLLAMA_PID=%s\nMODEL=%s\n' "$host" "$pid" "$model"
}

need curl curl
case ${1:-} in
"") find_or_install ;;
serve) serve ;;
*) die "usage: engine.sh [serve]" ;;
esac
