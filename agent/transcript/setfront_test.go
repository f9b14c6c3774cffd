package transcript

import "testing"

// TestSetFront: the front matter says the new value then, and everything else stays.
func TestSetFront(t *testing.T) {
	t.Parallel()
	for _, value := range []string{"qwen2.5-coder:1.5b", "a b", "x: y", `"quoted"`, "- [", "日本"} {
		for _, document := range []string{
			"## You\n\nHi.\n", "", "---\n---\n\n## You\n", "---\nmodel: old\n---\n## You\n", "---\ntitle: T\nmodel: old # mine\n...\n## You\n",
			"---\r\ntitle: T\r\n---\r\n\r\n## You\r\n", "---\nmodels: x\n---\n## You\n", "\uFEFF---\ntitle: T\n---\n", "---\nnever closed\n", "--- \ntitle: T\n---\t\n## You\n",
		} {
			chat := Parse(document)
			front := document[chat.Front.Span.Start:chat.Front.Span.End]
			at, text := chat.SetFront(front, "model", value)
			changed := Parse(document[:at.Start] + text + document[at.End:])
			if changed.Front.Model != value || changed.Front.Title != chat.Front.Title || len(changed.Turns) != len(chat.Turns) {
				t.Errorf("%q with %q becomes %q", document, value, document[:at.Start]+text+document[at.End:])
			}
		}
	}
}
