package main
import ("testing";"os";"bytes";"io")
func BenchmarkRequests(b *testing.B) {
	data, _ := os.ReadFile(os.Getenv("REQ"))
	lines := bytes.SplitAfter(bytes.TrimSpace(data), []byte("\n"))
	os.Chdir("..")
	e := newEngine(io.Discard)
	for b.Loop() {
		for _, l := range lines { e.answer(l) }
	}
}
