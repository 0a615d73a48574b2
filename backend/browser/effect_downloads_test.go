package browser

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"pilotfish/backend/protocol"
)

// A click that starts a download says so, however late the server answers, and under which
// name it is saved.
func TestClicksTellTheirDownloads(t *testing.T) {
	asked, answer := make(chan struct{}, 10), make(chan struct{})
	server := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/":
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			fmt.Fprint(w, `<!doctype html><title>Files</title><link rel=icon href=data:,>
				<a href=/named download>Named</a> <a href=/attached>Attached</a>
				<a href="data:text/plain,x" download=data.txt>Data</a>
				<button onclick="const a = document.createElement('a'); a.href = '/named'; a.download = ''; document.body.append(a); a.click(); a.remove()">Script</button>
				<button onclick="const a = document.createElement('a'); a.href = window.URL.createObjectURL(new Blob(['x'])); a.download = 'blob.txt'; document.body.append(a); a.click(); a.remove()">Blob</button>
				<a href=/none download onclick="event.preventDefault()">Kept</a>
				<a href=/gone download>Gone</a> <a href=/missing download>Missing</a>`)
			return
		case "/gone":
			panic(http.ErrAbortHandler) // the server ends the connection
		case "/missing":
			http.NotFound(w, r)
			return
		}
		asked <- struct{}{}
		select {
		case <-answer:
		case <-r.Context().Done():
		}
		w.Header().Set("Content-Disposition", "attachment; filename=late.csv")
		fmt.Fprint(w, "a,b")
	}))
	s := &stage{fixture: headless(t), url: server.URL}
	s.clearDownloads(t)
	s.tab = s.first(t)
	s.open(t, "/")
	for _, one := range []struct {
		text, file string
		late       bool
	}{
		{"Named", "late.csv", true},
		{"Attached", "late (1).csv", true},
		{"Script", "late (2).csv", true},
		{"Data", "data.txt", false},
		{"Blob", "blob.txt", false},
		{"Kept", "", false}, // the page prevents it
		// They fail later, as `downloads` tells.
		{"Gone", "gone", false},
		{"Missing", "missing.txt", false},
	} {
		ref := s.ref(t, one.text)
		done := make(chan protocol.Effect, 1)
		go func() {
			effect, err := s.Act(deadline(t), nobody, s.tab, protocol.ActRequest{Kind: protocol.ActClick, Target: ref}, nil)
			if err != nil {
				t.Errorf("%s: %v", one.text, err)
			}
			done <- effect
		}()
		if one.late {
			<-asked
			select {
			case e := <-done:
				t.Fatalf("%s did not wait for the server: %+v", one.text, e)
			case <-time.After(300 * time.Millisecond):
			}
			answer <- struct{}{}
		}
		if e := <-done; strings.Join(e.Downloads, " ") != one.file {
			t.Errorf("%s: %+v", one.text, e)
		}
	}
}
