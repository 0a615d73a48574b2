package browser

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"pilotfish/backend/browser/devtools"
	"pilotfish/backend/protocol"
)

// zooCase is what a page of the zoo declares about itself.
type zooCase struct {
	ID      string `json:"id"`
	About   string `json:"about"`
	Offered []struct {
		Hit    string   `json:"hit"`
		Role   string   `json:"role"`
		Name   string   `json:"name"`
		States []string `json:"states"`
	} `json:"offered"`
	Covered []string `json:"covered"`
	After   []struct {
		Hit   string `json:"hit"`
		State string `json:"state"`
	} `json:"after"`
}

func zooCases(t *testing.T) []zooCase {
	t.Helper()
	dir := filepath.Join("testdata", "zoo")
	raw, err := os.ReadFile(filepath.Join(dir, "index.json"))
	if err != nil {
		t.Fatal(err)
	}
	var index []struct{ File string }
	if err := json.Unmarshal(raw, &index); err != nil {
		t.Fatal(err)
	}
	declared := regexp.MustCompile(`(?s)<script type="application/json" id="case">(.*?)</script>`)
	var all []zooCase
	for _, one := range index {
		html, err := os.ReadFile(filepath.Join(dir, one.File))
		if err != nil {
			t.Fatal(err)
		}
		var c zooCase
		if m := declared.FindSubmatch(html); len(m) != 2 || json.Unmarshal(m[1], &c) != nil {
			t.Fatalf("%s declares nothing", one.File)
		}
		all = append(all, c)
	}
	return all
}

func zooServer(t *testing.T) string {
	t.Helper()
	s := serve(t, http.FileServer(http.Dir(filepath.Join("testdata", "zoo"))))
	return s.URL
}

// zooRefused matches the reasons why elements of the zoo that are shown may not
// be clicked.
var zooRefused = regexp.MustCompile(`disabled|not clickable|covered|inert`)

// TestZooClicks opens every page of the zoo and clicks everything that the page
// declares; the page itself records what was hit.
func TestZooClicks(t *testing.T) {
	s := &stage{fixture: headless(t), url: zooServer(t)}
	// Another host is another site, and so another process.
	other := strings.Replace(zooServer(t), "127.0.0.1", "localhost", 1)
	s.tab = s.first(t)
	var right, wrong, refused, missing, silent int
	var rest []string
	for _, c := range zooCases(t) {
		for i, want := range c.Offered {
			if testing.Short() && i%3 != len(c.ID)%3 {
				continue // the elements take turns; make test-all clicks all of them
			}
			s.open(t, "/"+c.ID+".html?other="+other)
			snap := s.snap(t, protocol.SnapshotRequest{JSON: true})
			ref := s.marked(t, snap, want.Hit, want.Role, want.Name)
			if ref == "" {
				missing++
				rest = append(rest, fmt.Sprintf("missing %s %s (%s %q)\n%s", c.ID, want.Hit, want.Role, want.Name, snap.Text))
				continue
			}
			_, err := s.Act(deadline(t), nobody, s.tab, click(ref), nil)
			if code(err) != "" && code(err) != protocol.CodeDialog && code(err) != protocol.CodeNavigation {
				if slices.ContainsFunc(want.States, zooRefused.MatchString) || slices.Contains(c.Covered, want.Hit) {
					right++
					continue
				}
				refused++
				rest = append(rest, fmt.Sprintf("refused %s %s: %v", c.ID, want.Hit, err))
				continue
			}
			if p := s.page(t); p.OpenDialog() != nil {
				if _, err := s.Dialog(deadline(t), nobody, s.tab, false, nil); err != nil {
					t.Error(err)
				}
			}
			hits := s.eval(t, `JSON.stringify(window.__hits ?? null)`)
			switch {
			case hits == "null" || want.Role == "frame":
				silent++ // it led to another document, or into a frame
			case strings.Contains(hits, fmt.Sprintf(`"id":%q`, want.Hit)):
				right++
			case hits == "[]":
				silent++
				rest = append(rest, fmt.Sprintf("silent %s %s", c.ID, want.Hit))
			default:
				wrong++
				rest = append(rest, fmt.Sprintf("WRONG %s %s met %s", c.ID, want.Hit, hits))
			}
		}
	}
	t.Logf("right %d, wrong %d, refused %d, missing %d, without a record %d\n%s", right, wrong, refused, missing, silent, strings.Join(rest, "\n"))
	if wrong > 0 {
		t.Errorf("%d clicks met another thing", wrong)
	}
	if missing > 0 {
		t.Errorf("%d things were not shown", missing)
	}
	if right < zooRight && !testing.Short() {
		t.Errorf("%d were right, at least %d were", right, zooRight)
	}
}

// zooRight is how many elements of the zoo must be clicked correctly.
const zooRight = 190

// marked returns the ref of the element that the page marked.
func (s *stage) marked(t *testing.T, snap protocol.Snapshot, hit, role, name string) string {
	t.Helper()
	p := s.page(t)
	var found string
	var walk func([]*protocol.SnapshotItem)
	walk = func(items []*protocol.SnapshotItem) {
		for _, item := range items {
			if found == "" && item.Ref != "" && item.Role == role && item.Name == name {
				f, ok := p.Frames.Of(item.Ref)
				if ok && f.Number == 0 {
					v, err := devtools.Evaluate[string](deadline(t), p.Session, fmt.Sprintf("pilotfishPage.element(%q)?.getAttribute('data-hit') ?? ''", item.Ref), f.ContextN)
					if err == nil && v == hit {
						found = item.Ref
					}
				}
			}
			walk(item.Children)
		}
	}
	walk(snap.Items)
	return found
}
