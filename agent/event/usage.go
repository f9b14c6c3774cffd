package event

import (
	"fmt"
	"strconv"
	"strings"
)

// Usage is what one reply took of the context, and how fast it came.
type Usage struct {
	Prompt  int     // tokens of the whole prompt, as the server counted them; 0: it does not tell
	Output  int     // tokens of the reply
	Context int     // tokens that there are for both
	Reused  float64 // the share of the prompt that the server did not read again; negative: not known
	Exact   bool    // Reused is what the server told, and not a guess from the time it took
	Untold  bool    // the server counts, and does not tell what it reused
	Lost    int     // tokens that it read again although it had read them
	Why     string  // why it did; empty: it did not, or the reason is not known
	Rate    float64 // tokens of the reply in a second; 0: not known
}

// String is for people: "12.4k of 32k tokens, about 97 % of the prompt reused, 38 tokens/s". It is empty where the
// server does not count.
func (u Usage) String() string {
	if u.Prompt <= 0 {
		return ""
	}
	parts := []string{fmt.Sprintf("%s of %s tokens", Thousands(u.Prompt+u.Output), Thousands(u.Context))}
	switch {
	case u.Reused >= 0 && u.Exact:
		parts = append(parts, fmt.Sprintf("%d %% of the prompt reused", int(u.Reused*100+0.5)))
	case u.Reused >= 0:
		parts = append(parts, fmt.Sprintf("about %d %% of the prompt reused", int(u.Reused*100+0.5)))
	case u.Untold:
		parts = append(parts, "reuse not told")
	}
	if u.Why != "" {
		parts = append(parts, fmt.Sprintf("%s tokens read again because %s", Thousands(u.Lost), u.Why))
	}
	if u.Rate > 0 {
		parts = append(parts, fmt.Sprintf("%s tokens/s", strconv.FormatFloat(u.Rate, 'g', 2, 64)))
		if u.Rate >= 10 {
			parts[len(parts)-1] = fmt.Sprintf("%.0f tokens/s", u.Rate)
		}
	}
	return strings.Join(parts, ", ")
}

// Thousands shortens a count of tokens: "980", "1.2k", "32k". Context sizes are powers of two, so that 32768 is 32k,
// too.
func Thousands(n int) string {
	switch {
	case n < 1000:
		return strconv.Itoa(n)
	case n%1024 == 0:
		return strconv.Itoa(n/1024) + "k"
	case n < 100_000:
		return strings.TrimSuffix(strconv.FormatFloat(float64(n)/1000, 'f', 1, 64), ".0") + "k"
	default:
		return strconv.Itoa((n+500)/1000) + "k"
	}
}
