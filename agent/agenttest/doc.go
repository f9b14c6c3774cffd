// Package agenttest helps tests of everything that talks to a model: a scripted model server that speaks Ollama's HTTP
// protocol for real ([Server]), a fake backend for unit tests of the loop ([Scripted]), and a sink that records events
// and waits for them without sleeping ([Recorder]).
//
// # Scripts
//
// A script is lines of text. Empty lines and lines that begin with # are ignored. A line is a word, then what the word
// takes; the colon after a word is optional. A text is the rest of the line as it is; if all of that is one Go string
// in double quotes, it is what the string says, for whitespace at its ends and escapes. Lines that begin with |
// continue the text of the line before, each as a new line of it.
//
// Before the first turn:
//
//	version 0.32.15                       what /api/version says (this is the default)
//	model NAME KEY=VALUE...               an installed model; keys: family parameters quantization capabilities (commas)
//	                                      context bytes vram (bytes of it in a GPU's memory) loaded (context it is loaded with) parser remote-host
//	                                      remote-model (where it runs, and as what). Without a model line
//	                                      there is one: qwen2.5-coder:1.5b
//	missing NAME KEY=VALUE...             a model that is installed once it is pulled; keys as of model
//	pull WORD                             what happens when half of the missing model above is fetched: hold, pause 3s, error TEXT, line TEXT
//	                                      (sent as it is), cut or end, as in a turn
//	template TEXT                         the chat template of the model above
//	insert TEXT                           what a model writes between two texts; "insert hang": nothing until the client goes away
//	means WORD WORD...                    these words mean the same to a model that gives vectors of texts, which count words
//	vectors 256                           how many numbers a vector has
//	embed WORD                            what comes in the place of vectors: hang, error TEXT, raw TEXT (sent as it is), or
//	                                      vectors after a pause 2s, or after each 2s for every text
//	one-model                             loading a model takes the others out of memory
//	slow-load 1s                          loading a model, or loading it with another context size, takes so long
//	overflow refuse|cut                   a prompt that is longer than the context, four bytes to a token, is refused with
//	                                      HTTP 400 before its turn, or loses its oldest messages
//	window 4096                           the context that the server really has, whatever it is asked for
//
// Then the turns, one for every /api/chat in the order of arrival:
//
//	turn                                  begins the next turn; "turn repeat" is played for all requests that follow, too
//	expect: TEXT                          the request must contain TEXT, in a message, a tool, or its JSON; an image
//	                                      in a message is "image: " and its SHA-256
//	expect-not: TEXT                      ... must not
//	expect-last: TEXT                     the last message must contain TEXT
//	say: TEXT                             a piece of the reply
//	think: TEXT                           a piece of its thinking
//	call NAME {JSON}                      a native call; a mismatch if the request offers no tools
//	json TEXT                             a guided reply, in pieces of four runes; a mismatch if the request has no format
//	pause 200ms                           nothing happens for a while
//	hold                                  nothing happens until [Server.Release] is called, once for each
//	split N                               from here on, text goes out in pieces of N runes (0: whole, as at the start)
//	write N                               from here on, N bytes per write and flush (0: whole lines, as at the start)
//	fill N                                one piece of N bytes
//	rate R count N                        N pieces of one token each, R per second
//	usage KEY=VALUE...                    keys: prompt cached output (tokens) load prompt-time output-time (durations)
//	reason WORD                           why the reply ends (default: stop)
//
// and faults, each the last line of its turn except slow-load and raw:
//
//	slow-load 1s                          the answer begins later
//	raw TEXT                              a line that is sent as it is
//	status 500 TEXT                       an HTTP error that says TEXT; only before anything was sent
//	error-line TEXT                       the error that Ollama sends under HTTP 200
//	cut                                   the connection is reset
//	end-without-done                      the stream ends cleanly, but too early
//	no-newline                            the last line has no newline
//	hang                                  nothing more comes until the client goes away
//
// A request that a turn does not expect, or that no turn is left for, is answered with HTTP 500 and a sentence, and
// [Server.Mismatches] lists it. GET /scripted/state reports all of that as JSON, for tests in other processes.
package agenttest
