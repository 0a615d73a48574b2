package e2e

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// fileScenarios upload or download a file, for which the user is asked.
func fileScenarios(t *testing.T) []scenario {
	t.Helper()
	file := filepath.Join(t.TempDir(), "notes.txt")
	if err := os.WriteFile(file, []byte("hello"), 0o600); err != nil {
		t.Fatal(err)
	}
	report, upload := does(click("link Report")), does(on("upload", "file Picture", "file", file))
	return []scenario{{
		name: "downloads and uploads, denied and allowed", page: "/files.html",
		turns:    []turn{report, report, upload, upload},
		reported: []string{"FAILED (denied)", "the user denied", "it downloads 1 file", "report.csv"}, sees: []string{"Got notes.txt of 5"},
		meet: func(st *scenarios) {
			const download = "wants to download a file with “Report”"
			answers("Deny", download, "/report.csv")(st)
			answers("Allow once", download)(st)
			answers("Deny", "wants to upload", file)(st)
			answers("Allow once", "wants to upload", file)(st)
		},
	}}
}

// answers is a user who reads the question, which must contain all of says, and
// answers it.
func answers(label string, says ...string) func(*scenarios) {
	return func(st *scenarios) {
		st.t.Helper()
		st.until(st.panel, "the person is asked", `document.querySelector('.approval')`)
		// The arguments are below "Details".
		st.do(st.panel, `document.querySelectorAll('.approval details').forEach((one) => { one.open = true })`)
		shown := st.shown(st.panel)
		for _, text := range says {
			if !strings.Contains(shown, text) {
				st.t.Errorf("the question does not say %q: %s", text, shown)
			}
		}
		st.word(st.panel, label)
	}
}

// noticeScenarios are background events: what happens between two actions.
func noticeScenarios() []scenario {
	// The event happens during the first action; the second action comes after
	// it.
	later := does(plain("wait", "for", "text", "value", "It is over"), plain("tabs"))
	question := does(plain("wait", "for", "text", "value", "never on this page"), plain("tabs"))
	happens := func(script string) func(*scenarios) {
		return func(st *scenarios) {
			st.t.Helper()
			st.until(st.panel, "it waits", `document.querySelector('.doing')?.innerText.startsWith('Wait until')`)
			st.do(st.page(st.browser, "/notices.html"), script)
		}
	}
	saved := make(chan struct{}) // the file whose download nobody started
	return []scenario{
		{
			name: "a fault and a download by themselves", page: "/notices.html",
			meet: func(st *scenarios) {
				complete := func() int { return strings.Count(st.cli("downloads", "--tab", "t1"), " done report") } // each has a name of its own
				before := complete()
				happens("fault()")(st)
				answers("Allow once", "wants to download “report.csv”", "/report.csv")(st)
				st.eventually("the allowed file is saved", func() bool { return complete() > before })
				close(saved)
			},
			turns: []turn{later, {meanwhile: func(st *scenarios) error {
				select {
				case <-saved:
					return nil
				case <-st.over:
					return errors.New("the file was not saved")
				}
			}, acts: []act{plain("tabs")}}},
			reported: []string{"Meanwhile, by itself", "console error: ", "the basket fell over", "download: report"},
			check: func(st *scenarios) {
				st.enclosed("the basket fell over", "download: report")
				if shown := st.shown(st.panel); !strings.Contains(shown, "the basket fell over") {
					st.t.Errorf("the person is not told of the fault: %s", shown)
				}
			},
		},
		{
			name: "a dialog by itself", page: "/notices.html", meet: happens("question()"),
			turns:    []turn{question, does(plain("dialog", "answer", "accept"))},
			reported: []string{"FAILED (dialog)", "The page cannot be seen (dialog)", "the action dialog with answer accept"},
			sees:     []string{"Left"}, never: []string{"a dialog was answered"},
		},
		{
			name: "a dialog that the person answers", page: "/notices.html", meet: happens("question()"),
			turns:    []turn{question, {meanwhile: command("dialog", "dismiss", "--tab", "t1"), acts: []act{plain("tabs")}}},
			reported: []string{"a dialog was answered: confirm: Leave it all?"}, sees: []string{"Kept"},
			check: func(st *scenarios) { st.enclosed("Leave it all?") },
		},
	}
}

// toTab continues in the tab of the task whose address contains a part.
func toTab(address string) act {
	return func(s scene) do {
		for line := range strings.SplitSeq(part(s.prompt, "Tabs of the task"), "\n") {
			for _, word := range strings.Fields(strings.TrimLeft(line, "* ")) {
				if strings.Contains(line, address) {
					return do{"do": "switch_tab", "tab": word}
				}
			}
		}
		return do{"do": "switch_tab", "tab": fmt.Sprintf("there is no tab %s", address)}
	}
}
