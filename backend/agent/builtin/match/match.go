// Package match finds the elements of a page that a user's words mean. It is
// frozen with the grammar that reads the words.
package match

import (
	"slices"
	"strings"
	"unicode"

	"pilotfish/backend/agent/builtin/grammar"
	"pilotfish/backend/protocol"
)

// Thing is one element of a snapshot, with its ancestors.
type Thing struct {
	*protocol.SnapshotItem
	// Parents are its ancestors, outermost first.
	Parents []*protocol.SnapshotItem
}

// Flatten lists the elements of a snapshot in the order of the page.
func Flatten(items []*protocol.SnapshotItem) []Thing { return flatten(items, nil) }

func flatten(items, parents []*protocol.SnapshotItem) []Thing {
	var all []Thing
	for _, item := range items {
		all = append(all, Thing{SnapshotItem: item, Parents: parents})
		all = append(all, flatten(item.Children, append(parents[:len(parents):len(parents)], item))...)
	}
	return all
}

// Fields returns the roles of elements into which text is written.
func Fields() []string {
	return []string{"textbox", "searchbox", "combobox", "spinbutton", "date", "time", "color"}
}

// Lists returns the roles of elements from which an option is chosen.
func Lists() []string { return []string{"combobox", "listbox"} }

// Switches returns the roles of elements that are on or off.
func Switches() []string {
	return []string{"checkbox", "switch", "radio", "menuitemcheckbox", "menuitemradio"}
}

func clickables() []string {
	return []string{
		"button", "link", "menuitem", "menuitemcheckbox", "menuitemradio", "tab", "option", "checkbox", "radio", "switch", "treeitem", "summary", "file",
	}
}

// Operated reports whether an element with this role is operated as a whole.
func Operated(role string) bool {
	return slices.ContainsFunc([][]string{clickables(), Fields(), Lists(), Switches()}, func(all []string) bool { return slices.Contains(all, role) })
}

// RolesOf returns the roles that a user's word for an element may mean.
func RolesOf(kind string) []string {
	switch kind {
	case "field":
		return Fields()
	case "search field":
		return []string{"searchbox"}
	case "checkbox":
		return []string{"checkbox", "switch", "menuitemcheckbox"}
	case "box":
		return append(Switches(), Fields()...)
	case "switch":
		return []string{"switch", "checkbox", "button"}
	case "radio":
		return []string{"radio", "menuitemradio"}
	case "option":
		return []string{"option", "radio", "menuitemradio", "treeitem"}
	case "list":
		return Lists()
	case "menu":
		return []string{"menu", "menubar", "combobox", "button", "menuitem", "summary"}
	case "menu item":
		return []string{"menuitem", "menuitemcheckbox", "menuitemradio"}
	case "picture":
		return []string{"img"}
	case "cell":
		return []string{"cell", "gridcell", "columnheader", "rowheader"}
	case "element", "result", "":
		return nil
	}
	return []string{kind}
}

// wanted returns the roles that a verb applies to, if the user named none.
func wanted(verb grammar.Verb) []string {
	switch verb {
	case grammar.VerbType, grammar.VerbFill:
		return Fields()
	case grammar.VerbSelect:
		return Lists()
	case grammar.VerbCheck, grammar.VerbUncheck:
		return Switches()
	case grammar.VerbSet:
		return slices.Concat(Fields(), Lists(), Switches(), []string{"slider"})
	case grammar.VerbClick, grammar.VerbDouble, grammar.VerbRight:
		return clickables()
	}
	return nil
}

// anyThing reports whether a verb also applies to elements that cannot be
// operated: headings and texts.
func anyThing(verb grammar.Verb) bool {
	switch verb {
	case grammar.VerbScroll, grammar.VerbHover, grammar.VerbScreenshot, grammar.VerbWait, grammar.VerbDouble, grammar.VerbRight, grammar.VerbDrag:
		return true
	}
	return false
}

// Choose returns the elements of a page that a target means. Of the ways to
// match, the best one that finds anything counts.
func Choose(all []Thing, t grammar.Target, verb grammar.Verb) []Thing {
	pool := within(all, t, func(s Thing) bool { return s.Ref != "" || anyThing(verb) && s.Name != "" })
	if t.Kind == "result" {
		pool = results(pool)
	}
	found := named(pool, t, verb)
	if len(found) == 0 && verb == grammar.VerbClick && t.Kind == "" && t.Name != "" {
		// Texts in an element that listens for clicks on its content.
		found = ByName(within(all, t, func(s Thing) bool { return s.Ref == "" && s.heard() }), t.Name, true)
	}
	switch {
	case t.Nth > len(found):
		return nil
	case t.Nth > 0:
		return found[t.Nth-1 : t.Nth]
	case t.Nth < 0 && len(found) > 0:
		return found[len(found)-1:]
	}
	return sameEffect(found)
}

// within returns the elements in the target's part of the page that pass a
// test.
func within(all []Thing, t grammar.Target, passes func(Thing) bool) []Thing {
	var pool []Thing
	for _, s := range all {
		if passes(s) && s.within(t.Within) {
			pool = append(pool, s)
		}
	}
	return pool
}

// heard reports whether an ancestor may listen for a click on the element.
func (s Thing) heard() bool {
	return slices.ContainsFunc(s.Parents, func(p *protocol.SnapshotItem) bool { return p.Ref != "" })
}

// named returns the elements with the target's role and name.
func named(pool []Thing, t grammar.Target, verb grammar.Verb) []Thing {
	if t.Name == "" {
		if t.Kind == "result" || t.Kind == "element" {
			return pool
		}
		// "Row" may be a row, or the name of an element.
		if exact := ByName(pool, t.Word, true); len(exact) > 0 && t.Word != strings.ToLower(t.Word) {
			return exact
		}
		found := OfRole(pool, RolesOf(t.Kind))
		if len(found) == 0 && t.Word != "" && t.Kind != "search field" {
			return ByName(pool, t.Word, true)
		}
		if t.Kind == "search field" && len(found) == 0 {
			return ByName(OfRole(pool, Fields()), "search", false)
		}
		return found
	}
	// First the roles of the user's word, then the roles of the verb, then any
	// element with the name: users call a link that looks like a button a
	// button.
	tries := [][]string{RolesOf(t.Kind), wanted(verb), nil}
	if t.Kind == "search field" {
		tries = [][]string{{"searchbox"}, Fields()}
	}
	for i, roles := range tries {
		if roles == nil && i < 2 {
			continue
		}
		if found := ByName(OfRole(pool, roles), t.Name, t.Quoted); len(found) > 0 {
			return found
		}
	}
	// "Search" is how users call the only search field, whatever its name is.
	if Squeezed(t.Name) == "search" && slices.Contains([]string{"", "field", "box"}, t.Kind) && slices.Contains([]grammar.Verb{grammar.VerbType, grammar.VerbFill, grammar.VerbFocus, grammar.VerbClick}, verb) {
		return OfRole(pool, []string{"searchbox"})
	}
	return nil
}

// OfRole returns the elements with one of the roles; all if roles is nil.
func OfRole(pool []Thing, roles []string) []Thing {
	if roles == nil {
		return pool
	}
	var found []Thing
	for _, s := range pool {
		if slices.Contains(roles, s.Role) {
			found = append(found, s)
		}
	}
	return found
}

// ByName returns the elements with a name. It uses the first of these ways that
// finds any: exactly as written; ignoring case and punctuation; ignoring
// spaces, too; at the beginning of the name; and, unless the name was in
// quotes, as words inside the name.
func ByName(pool []Thing, name string, quoted bool) []Thing {
	want, tight := Even(name), Squeezed(name)
	ways := []func(string) bool{
		func(s string) bool { return s == name },
		func(s string) bool { return Even(s) == want },
		func(s string) bool { return tight != "" && Squeezed(s) == tight },
		func(s string) bool { return strings.HasPrefix(Even(s)+" ", want+" ") && !grave(s, name) },
		func(s string) bool { return strings.Contains(" "+Even(s)+" ", " "+want+" ") && !grave(s, name) },
	}
	if quoted {
		ways = ways[:4]
	}
	if want == "" {
		ways = ways[:1]
	}
	for _, fits := range ways {
		var found []Thing
		for _, s := range pool {
			if s.Name != "" && fits(s.Name) {
				found = append(found, s)
			}
		}
		if len(found) > 0 {
			return found
		}
	}
	return nil
}

// grave reports whether an element's full name has a word for something
// irreversible that the user did not say. Such an element must not match by
// only a part of its name.
func grave(whole, said string) bool {
	words := strings.Fields(Even(said))
	for word := range strings.FieldsSeq(Even(whole)) {
		switch word {
		case "delete", "remove", "buy", "pay", "purchase", "order", "send", "submit", "publish", "post", "transfer", "unsubscribe", "cancel",
			"deactivate", "erase", "reset", "discard", "destroy", "revoke", "sign", "logout", "leave", "donate":
			if !slices.Contains(words, word) {
				return true
			}
		}
	}
	return false
}

// Even normalises a name: lower case, words separated by one space, no
// punctuation around words.
func Even(s string) string {
	words := strings.FieldsFunc(strings.ToLower(s), func(r rune) bool {
		return unicode.IsSpace(r) || strings.ContainsRune("«»“”\"‘`…→›<>()[]{}|·•*:,;!?", r)
	})
	for i, w := range words {
		if w != "." && w != "..." {
			words[i] = strings.Trim(w, ".'’")
		}
	}
	return strings.Join(strings.Fields(strings.ReplaceAll(strings.Join(words, " "), "’", "'")), " ")
}

// Squeezed returns a name's letters and digits, in lower case.
func Squeezed(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, s)
}

// within reports whether an element is in a part of the page.
func (s Thing) within(part string) bool {
	if part == "" {
		return true
	}
	return slices.ContainsFunc(s.Parents, func(p *protocol.SnapshotItem) bool {
		return p.Role == part || part == "dialog" && p.Role == "alertdialog" || p.Name != "" && Even(p.Name) == Even(part)
	})
}

// results returns the links that are headings, or contain one, or are in one,
// outside of the header, navigation, footer and sidebar: this is how almost
// every list of results is built.
func results(pool []Thing) []Thing {
	var found []Thing
	for _, s := range pool {
		if s.Role != "link" || s.Ref == "" {
			continue
		}
		heading := s.Level > 1 || slices.ContainsFunc(s.Children, func(c *protocol.SnapshotItem) bool { return c.Role == "heading" && c.Level > 1 })
		frame := false
		for _, p := range s.Parents {
			heading = heading || p.Role == "heading" && p.Level > 1
			frame = frame || slices.Contains([]string{"banner", "navigation", "contentinfo", "complementary"}, p.Role)
		}
		if heading && !frame {
			found = append(found, s)
		}
	}
	return found
}

// sameEffect keeps one of several links with the same name and the same
// address.
func sameEffect(found []Thing) []Thing {
	if len(found) < 2 {
		return found
	}
	for _, s := range found {
		if s.Role != "link" || s.Href == "" || s.Href == "#" || s.Href != found[0].Href || s.Name != found[0].Name {
			return found
		}
	}
	return found[:1]
}

// Similar returns elements whose names are similar to the target's.
func Similar(all []Thing, t grammar.Target, verb grammar.Verb) []Thing {
	var words []string
	for word := range strings.FieldsSeq(Even(t.Name)) {
		if len(word) > 2 {
			words = append(words, word)
		}
	}
	var found []Thing
	for _, s := range all {
		if s.Ref == "" {
			continue
		}
		name := Even(s.Name)
		near := slices.ContainsFunc(words, func(w string) bool { return strings.Contains(name, w) }) || nearly(Squeezed(s.Name), Squeezed(t.Name))
		if !near && t.Name == "" && verb != grammar.VerbScroll {
			near = slices.Contains(wanted(verb), s.Role)
		}
		if near {
			found = append(found, s)
		}
	}
	return found
}

// nearly reports whether two words differ in at most one letter, or two if b is
// longer than six.
func nearly(a, b string) bool {
	x, y := []rune(a), []rune(b)
	allowed := 1
	if len(y) > 6 {
		allowed = 2
	}
	if len(y) < 4 || len(x) > 60 || len(y) > 60 || max(len(x), len(y))-min(len(x), len(y)) > allowed {
		return false
	}
	row := make([]int, len(y)+1)
	for j := range row {
		row[j] = j
	}
	for i := range x {
		before := row[0]
		row[0] = i + 1
		for j := range y {
			cost := before
			if x[i] != y[j] {
				cost++
			}
			before = row[j+1]
			row[j+1] = min(cost, row[j+1]+1, row[j]+1)
		}
	}
	return row[len(y)] <= allowed
}
