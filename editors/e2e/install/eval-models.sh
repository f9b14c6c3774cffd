#!/bin/bash
# eval-models.sh HOST: gives the server at HOST the models that `make eval` measures besides the one of the tests.
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
host=${1:?eval-models.sh HOST}

# add MODEL NAME MODELFILE: see make_model.
add() {
	curl -fsS "http://$host/api/tags" | grep -qF "\"name\":\"$1\"" || step "eval-$2" "making the model $1" make_model "$host" "$@"
}

OLLAMA=$("$install_dir/ollama.sh" | sed -n 's/^OLLAMA=//p')
add qwen2.5-coder:0.5b coder-0.5b qwen2.5
add gemma3:270m gemma-270m gemma3
