//go:build e2e

package e2e

import (
	"fmt"
	"net"
	"os/exec"
	"testing"
)

// startLlamaServer starts llama.cpp's server with the small model and two slots, and gives its URL. The chat waits until it
// has loaded the model.
func startLlamaServer(t *testing.T) (url string) {
	t.Helper()
	program, file := installed(t, "llama-server.sh")["LLAMA_SERVER"], installed(t, "model.sh", "coder-1.5b")["MODEL_FILE"]
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	must(t, err)
	_, port, err := net.SplitHostPort(listener.Addr().String())
	must(t, err)
	must(t, listener.Close())
	server := exec.Command(
		program, "-m", file, "--host", "127.0.0.1", "--port", port, "-np", "2", "-c", "16384", "-t", "2",
		"--alias", "coder", "--no-webui",
	)
	must(t, server.Start())
	t.Cleanup(func() {
		_ = server.Process.Kill()
		_ = server.Wait() // it was killed
	})
	return "http://127.0.0.1:" + port
}

// TestRealModelOfLlamaServer is the story with a declared server and no Ollama: the chat names SERVER/MODEL.
func TestRealModelOfLlamaServer(t *testing.T) {
	url := startLlamaServer(t)
	for try := 1; ; try++ {
		w := newWorld(t, "127.0.0.1:1", plainFiles) // nobody listens there
		w.write("../config/assent/servers.json", fmt.Sprintf(`{"servers": [{"name": "box", "url": %q}]}`, url))
		e := startNvim(w, "nvim-0.12")
		err := realStory(e, "box/coder")
		if err == nil {
			t.Logf("the model did it in try %d", try)
			return
		}
		t.Logf("try %d of %d: %v\nREADME.md:\n%s\nask.chat.md:\n%s", try, realTries, err, e.text("README.md"), e.text("ask.chat.md"))
		if try == realTries {
			t.Fatal("the story did not come to its end")
		}
		e.kill()
	}
}
