package mcp_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"time"
)

// longAnswer answers a call with 100 MB.
func longAnswer() {
	answer(func(r request) string {
		if r.Method == "tools/call" {
			fmt.Print(`{"jsonrpc":"2.0","id":` + string(r.ID) + `,"result":{"content":[{"type":"text","text":"`)
			for piece := strings.Repeat("x", 1<<20); len(piece) > 0; {
				fmt.Print(piece)
			}
		}
		return r.ordinary()
	})
}

// closing lives on once it has closed what it is reached by.
func closing(what *os.File) {
	answer(func(r request) string {
		if r.Method == "tools/list" {
			fmt.Println(r.ordinary())
			_ = what.Close()
			time.Sleep(time.Hour)
		}
		return r.ordinary()
	})
}

// brokenSite is a server on the network that does well until a tool is called.
func brokenSite(called http.HandlerFunc) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodPost {
			w.WriteHeader(http.StatusMethodNotAllowed)
			return
		}
		data, _ := io.ReadAll(r.Body)
		var asked request
		_ = json.Unmarshal(data, &asked)
		if asked.Method == "tools/call" {
			called(w, r)
			return
		}
		w.Header().Set("Mcp-Session-Id", "one")
		if said := asked.ordinary(); said != "" {
			w.Header().Set("Content-Type", "application/json")
			_, _ = io.WriteString(w, said)
			return
		}
		w.WriteHeader(http.StatusAccepted)
	})
}

// listingSite is a server on the network that lists what it is told, in the body of its answer or as an event.
func listingSite(list string, events bool) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		data, _ := io.ReadAll(r.Body)
		var asked request
		_ = json.Unmarshal(data, &asked)
		said := asked.ordinary()
		if asked.Method == "tools/list" {
			said = asked.result(list)
		}
		switch {
		case r.Method != http.MethodPost:
			w.WriteHeader(http.StatusMethodNotAllowed)
		case said == "":
			w.WriteHeader(http.StatusAccepted)
		case events:
			w.Header().Set("Content-Type", "text/event-stream")
			_, _ = io.WriteString(w, "event: message\nid: \"1[{\ndata: "+said+"\n\n")
		default:
			w.Header().Set("Content-Type", "application/json")
			_, _ = io.WriteString(w, said)
		}
	})
}
