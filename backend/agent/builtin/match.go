package builtin

import (
	"slices"
	"strings"
	"unicode"

	"pilotfish/backend/agent/builtin/grammar"
	"pilotfish/backend/protocol"
)

// seen is one thing of a look, with what it stands in.
type seen struct {
	*protocol.LookItem
	// parents are what it stands in, from the outside.
	parents []*protocol.LookItem
}

// flatten lists the things of a look in the order of the page.
func flatten(items, parents []*protocol.LookItem) []seen {
	var all []seen
	for _, item := range items {
		all = append(all, seen{LookItem: item, parents: parents})
		all = append(all, flatten(item.Children, append(parents[:len(parents):len(parents)], item))...)
	}
	return all
}

// Roles of which a person can operate each, by what can be done with them.
func fields() []string {
	return []string{"textbox", "searchbox", "combobox", "spinbutton", "date", "time", "color"}
}
func lists() []string { return []string{"combobox", "listbox"} }
func switches() []string {
	return []string{"checkbox", "switch", "radio", "menuitemcheckbox", "menuitemradio"}
}

func clickables() []string {
	return []string{
		"button", "link", "menuitem", "menuitemcheckbox", "menuitemradio", "tab", "option", "checkbox", "radio", "switch", "treeitem", "summary", "file",
	}
}

// rolesOf are the roles that a person's word for a thing may mean.
func rolesOf(kind string) []string {
	switch kind {
	case "field":
		return fields()
	case "search field":
		return []string{"searchbox"}
	case "checkbox":
		return []string{"checkbox", "switch", "menuitemcheckbox"}
	case "box":
		return append(switches(), fields()...)
	case "switch":
		return []string{"switch", "checkbox", "button"}
	case "radio":
		return []string{"radio", "menuitemradio"}
	case "option":
		return []string{"option", "radio", "menuitemradio", "treeitem"}
	case "list":
		return lists()
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

// wanted are the roles that a verb is about, when the person did not say one.
func wanted(verb grammar.Verb) []string {
	switch verb {
	case grammar.VerbType, grammar.VerbFill:
		return fields()
	case grammar.VerbSelect:
		return lists()
	case grammar.VerbCheck, grammar.VerbUncheck:
		return switches()
	case grammar.VerbSet:
		return slices.Concat(fields(), lists(), switches(), []string{"slider"})
	case grammar.VerbClick, grammar.VerbDouble, grammar.VerbRight:
		return clickables()
	}
	return nil
}

// anyThing says whether a verb also reaches what cannot be operated: headings
// and texts.
func anyThing(verb grammar.Verb) bool {
	switch verb {
	case grammar.VerbScroll, grammar.VerbHover, grammar.VerbScreenshot, grammar.VerbWait, grammar.VerbDouble, grammar.VerbRight, grammar.VerbDrag:
		return true
	}
	return false
}

// choose finds what a target means among the things of a page: those of the
// best way to match that matches at all.
func choose(all []seen, t grammar.Target, verb grammar.Verb) []seen {
	pool := within(all, t, func(s seen) bool { return s.Ref != "" || anyThing(verb) && s.Name != "" })
	if t.Kind == "result" {
		pool = results(pool)
	}
	found := named(pool, t, verb)
	if len(found) == 0 && verb == grammar.VerbClick && t.Kind == "" && t.Name != "" {
		// Words in something that listens for all that is in it.
		found = byName(within(all, t, func(s seen) bool { return s.Ref == "" && s.heard() }), t.Name, true)
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

// within are the things of a part of the page that pass a test.
func within(all []seen, t grammar.Target, passes func(seen) bool) []seen {
	var pool []seen
	for _, s := range all {
		if passes(s) && s.within(t.Within) {
			pool = append(pool, s)
		}
	}
	return pool
}

// heard says whether something around a thing may listen for a click on it.
func (s seen) heard() bool {
	return slices.ContainsFunc(s.parents, func(p *protocol.LookItem) bool { return p.Ref != "" })
}

// named are the things of the right role and name.
func named(pool []seen, t grammar.Target, verb grammar.Verb) []seen {
	if t.Name == "" {
		if t.Kind == "result" || t.Kind == "element" {
			return pool
		}
		// "Row" may be a row, or what is called so.
		if exact := byName(pool, t.Word, true); len(exact) > 0 && t.Word != strings.ToLower(t.Word) {
			return exact
		}
		found := ofRole(pool, rolesOf(t.Kind))
		if len(found) == 0 && t.Word != "" && t.Kind != "search field" {
			return byName(pool, t.Word, true)
		}
		if t.Kind == "search field" && len(found) == 0 {
			return byName(ofRole(pool, fields()), "search", false)
		}
		return found
	}
	// What the person called it comes first, then what the verb is about, then
	// whatever has the name: a link that looks like a button is called one.
	tries := [][]string{rolesOf(t.Kind), wanted(verb), nil}
	if t.Kind == "search field" {
		tries = [][]string{{"searchbox"}, fields()}
	}
	for i, roles := range tries {
		if roles == nil && i < 2 {
			continue
		}
		if found := byName(ofRole(pool, roles), t.Name, t.Quoted); len(found) > 0 {
			return found
		}
	}
	// "Search" is what people call the one search field, whatever its name is.
	if squeezed(t.Name) == "search" && slices.Contains([]string{"", "field", "box"}, t.Kind) && slices.Contains([]grammar.Verb{grammar.VerbType, grammar.VerbFill, grammar.VerbFocus, grammar.VerbClick}, verb) {
		return ofRole(pool, []string{"searchbox"})
	}
	return nil
}

func ofRole(pool []seen, roles []string) []seen {
	if roles == nil {
		return pool
	}
	var found []seen
	for _, s := range pool {
		if slices.Contains(roles, s.Role) {
			found = append(found, s)
		}
	}
	return found
}

// byName returns what has a name in the first of these ways in which anything
// has: as it is written, but for capitals and punctuation, but for spaces; and,
// unless it stood in quotes, at the beginning, or as words inside.
func byName(pool []seen, name string, quoted bool) []seen {
	want, tight := even(name), squeezed(name)
	ways := []func(string) bool{
		func(s string) bool { return s == name },
		func(s string) bool { return even(s) == want },
		func(s string) bool { return tight != "" && squeezed(s) == tight },
		func(s string) bool { return strings.HasPrefix(even(s)+" ", want+" ") && !grave(s, name) },
		func(s string) bool { return strings.Contains(" "+even(s)+" ", " "+want+" ") && !grave(s, name) },
	}
	if quoted {
		ways = ways[:4]
	}
	if want == "" {
		ways = ways[:1]
	}
	for _, fits := range ways {
		var found []seen
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

// grave says whether a thing's whole name says something that cannot be taken
// back and that the person did not say: part of a name does not mean that.
func grave(whole, said string) bool {
	words := strings.Fields(even(said))
	for word := range strings.FieldsSeq(even(whole)) {
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

// even is a name in small letters, words apart, without punctuation around them.
func even(s string) string {
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

// squeezed is a name's letters and digits.
func squeezed(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, s)
}

// within says whether a thing stands in a part of the page.
func (s seen) within(part string) bool {
	if part == "" {
		return true
	}
	return slices.ContainsFunc(s.parents, func(p *protocol.LookItem) bool {
		return p.Role == part || part == "dialog" && p.Role == "alertdialog" || p.Name != "" && even(p.Name) == even(part)
	})
}

// results are the links that are headings, or in one, outside of what frames the
// page: how a list of results is made almost everywhere.
func results(pool []seen) []seen {
	var found []seen
	for _, s := range pool {
		if s.Role != "link" || s.Ref == "" {
			continue
		}
		heading := s.Level > 1 || slices.ContainsFunc(s.Children, func(c *protocol.LookItem) bool { return c.Role == "heading" && c.Level > 1 })
		frame := false
		for _, p := range s.parents {
			heading = heading || p.Role == "heading" && p.Level > 1
			frame = frame || slices.Contains([]string{"banner", "navigation", "contentinfo", "complementary"}, p.Role)
		}
		if heading && !frame {
			found = append(found, s)
		}
	}
	return found
}

// sameEffect keeps one of several links with one name that lead to one place.
func sameEffect(found []seen) []seen {
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

// similar are things whose names have to do with what was looked for.
func similar(all []seen, t grammar.Target, verb grammar.Verb) []seen {
	var words []string
	for word := range strings.FieldsSeq(even(t.Name)) {
		if len(word) > 2 {
			words = append(words, word)
		}
	}
	var found []seen
	for _, s := range all {
		if s.Ref == "" {
			continue
		}
		name := even(s.Name)
		near := slices.ContainsFunc(words, func(w string) bool { return strings.Contains(name, w) }) || nearly(squeezed(s.Name), squeezed(t.Name))
		if !near && t.Name == "" && verb != grammar.VerbScroll {
			near = slices.Contains(wanted(verb), s.Role)
		}
		if near {
			found = append(found, s)
		}
	}
	return found
}

// nearly says whether two words differ in one or two letters.
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

// roleName is a role as a person would call it.
func roleName(role string) string {
	switch role {
	case "textbox", "spinbutton":
		return "field"
	case "searchbox":
		return "search field"
	case "combobox", "listbox":
		return "list"
	case "img":
		return "picture"
	case "menuitem", "menuitemcheckbox", "menuitemradio":
		return "menu item"
	case "main":
		return "main part"
	case "banner":
		return "header"
	case "contentinfo":
		return "footer"
	case "complementary":
		return "sidebar"
	case "element", "generic", "text":
		return ""
	case "summary":
		return "disclosure"
	}
	return role
}

// place is what a thing stands in, in words; empty when that says nothing.
func (s seen) place() string {
	if s.Context != "" {
		return "“" + cut(oneLine(s.Context), 40) + "”"
	}
	for _, p := range slices.Backward(s.parents) {
		switch p.Role {
		case "region", "form", "dialog", "alertdialog", "group", "article", "row", "table", "navigation", "banner", "contentinfo", "complementary", "main":
			if p.Name != "" {
				return "“" + cut(oneLine(p.Name), 40) + "”"
			}
			if p.Role != "group" && p.Role != "article" && p.Role != "row" {
				return "the " + roleName(p.Role)
			}
		}
	}
	return ""
}
