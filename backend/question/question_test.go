package question_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pilotfish/backend/protocol"
	"pilotfish/backend/question"
)

// asked is a question with its expected texts. The tests of
// frontend/ui/approvals read the same file.
type asked struct {
	Approval protocol.Approval      `json:"approval"`
	Who      string                 `json:"who"`
	What     string                 `json:"what"`
	Where    string                 `json:"where"`
	Effect   string                 `json:"effect"`
	Details  []protocol.ApprovalArg `json:"details"`
}

func TestQuestionsAreSaidInWords(t *testing.T) {
	data, err := os.ReadFile(filepath.Join("testdata", "questions.json"))
	if err != nil {
		t.Fatal(err)
	}
	var all []asked
	if err := json.Unmarshal(data, &all); err != nil {
		t.Fatal(err)
	}
	for _, want := range all {
		a := want.Approval
		got := asked{Approval: a, Who: question.Who(a.Actor), What: question.What(a), Where: question.Where(a), Effect: question.Effect(a), Details: question.Details(a)}
		if got.Who != want.Who || got.What != want.What || got.Where != want.Where || got.Effect != want.Effect || !slices.Equal(got.Details, want.Details) {
			t.Errorf("got  %+v\nwant %+v", got, want)
		}
		whole := question.Sentence(a)
		if !strings.HasPrefix(whole, want.Who+" wants to "+want.What) || strings.Count(whole, a.Origin) != 1 && a.Origin != "" {
			t.Errorf("the sentence is %q", whole)
		}
	}
}

func TestEveryKindHasWords(t *testing.T) {
	seen := map[string]protocol.ActionKind{}
	for _, kind := range protocol.ActionKinds() {
		words := question.May(kind)
		if other, twice := seen[words]; twice {
			t.Errorf("%s and %s are both %q", kind, other, words)
		}
		seen[words] = kind
	}
}
