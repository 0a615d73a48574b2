package grammar

import (
	"strconv"
	"strings"
)

// keyNames maps the users' names of keys to those of the registry.
func keyNames() map[string]string {
	return map[string]string{
		"enter": "Enter", "return": "Enter", "tab": "Tab", "escape": "Escape", "esc": "Escape", "space": "Space", "spacebar": "Space", "space bar": "Space",
		"backspace": "Backspace", "delete": "Delete", "del": "Delete", "insert": "Insert", "home": "Home", "end": "End",
		"page up": "PageUp", "pageup": "PageUp", "page down": "PageDown", "pagedown": "PageDown",
		"up": "ArrowUp", "down": "ArrowDown", "left": "ArrowLeft", "right": "ArrowRight",
		"arrow up": "ArrowUp", "arrow down": "ArrowDown", "arrow left": "ArrowLeft", "arrow right": "ArrowRight",
		"up arrow": "ArrowUp", "down arrow": "ArrowDown", "left arrow": "ArrowLeft", "right arrow": "ArrowRight",
		"arrowup": "ArrowUp", "arrowdown": "ArrowDown", "arrowleft": "ArrowLeft", "arrowright": "ArrowRight", "plus": "plus",
	}
}

// modifierKeys maps the users' names of modifier keys to those of the registry.
func modifierKeys() map[string]string {
	return map[string]string{
		"ctrl": "Control", "control": "Control", "strg": "Control", "cmd": "Meta", "command": "Meta", "meta": "Meta", "super": "Meta", "win": "Meta",
		"alt": "Alt", "option": "Alt", "opt": "Alt", "shift": "Shift",
	}
}

// keys parses "Enter", "ctrl+a", "Shift Tab" or "arrow down".
func keys(s string) (string, bool) {
	s = strings.ToLower(strings.TrimSpace(s))
	for _, lead := range []string{"the ", "key "} {
		s = strings.TrimPrefix(s, lead)
	}
	s = strings.TrimSpace(strings.TrimSuffix(s, " key"))
	var held []string
	for {
		cut := strings.IndexAny(s, "+- ")
		if cut <= 0 {
			break
		}
		name, ok := modifierKeys()[strings.TrimSpace(s[:cut])]
		if !ok {
			break
		}
		held = append(held, name)
		s = strings.TrimSpace(strings.TrimLeft(s[cut:], "+- "))
	}
	if name, ok := keyNames()[s]; ok {
		return strings.Join(append(held, name), "+"), true
	}
	if functionKey(s) {
		return strings.Join(append(held, strings.ToUpper(s)), "+"), true
	}
	if r := []rune(s); len(r) == 1 && r[0] > ' ' && r[0] < 0x7f {
		return strings.Join(append(held, s), "+"), true
	}
	return "", false
}

// numbers maps the words for small numbers to their values.
func numbers() map[string]int {
	return map[string]int{
		"a": 1, "an": 1, "one": 1, "once": 1, "two": 2, "twice": 2, "three": 3, "thrice": 3, "four": 4, "five": 5,
		"six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10,
	}
}

// Ordinals maps ordinal words to positions; -1 is the last.
func Ordinals() map[string]int {
	return map[string]int{
		"first": 1, "second": 2, "third": 3, "fourth": 4, "fifth": 5, "sixth": 6, "seventh": 7, "eighth": 8, "ninth": 9, "tenth": 10,
		"top": 1, "last": -1,
	}
}

// functionKey reports whether s is "f1" to "f24".
func functionKey(s string) bool {
	digits, ok := strings.CutPrefix(s, "f")
	n, err := strconv.Atoi(digits)
	return ok && err == nil && n >= 1 && n <= 24 && digits[0] != '0' && digits[0] != '+'
}
