package browser

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/chromedp/cdproto/input"

	"pilotfish/backend/protocol"
)

// key is one key of a keyboard: the US layout's place for it, as pages know it.
type key struct {
	key  string
	code string
	vk   int64
	text string // what it types; empty for none
}

// Modifier bits of the protocol.
const (
	modAlt = 1 << iota
	modControl
	modMeta
	modShift
)

// named are the keys without a character of their own.
var named = map[string]key{
	"enter": {"Enter", "Enter", 13, "\r"}, "return": {"Enter", "Enter", 13, "\r"},
	"tab": {"Tab", "Tab", 9, ""}, "escape": {"Escape", "Escape", 27, ""}, "esc": {"Escape", "Escape", 27, ""},
	"backspace": {"Backspace", "Backspace", 8, ""}, "delete": {"Delete", "Delete", 46, ""}, "del": {"Delete", "Delete", 46, ""},
	"insert": {"Insert", "Insert", 45, ""}, "space": {" ", "Space", 32, " "},
	"home": {"Home", "Home", 36, ""}, "end": {"End", "End", 35, ""},
	"pageup": {"PageUp", "PageUp", 33, ""}, "pagedown": {"PageDown", "PageDown", 34, ""},
	"arrowleft": {"ArrowLeft", "ArrowLeft", 37, ""}, "left": {"ArrowLeft", "ArrowLeft", 37, ""},
	"arrowup": {"ArrowUp", "ArrowUp", 38, ""}, "up": {"ArrowUp", "ArrowUp", 38, ""},
	"arrowright": {"ArrowRight", "ArrowRight", 39, ""}, "right": {"ArrowRight", "ArrowRight", 39, ""},
	"arrowdown": {"ArrowDown", "ArrowDown", 40, ""}, "down": {"ArrowDown", "ArrowDown", 40, ""},
	"contextmenu": {"ContextMenu", "ContextMenu", 93, ""}, "capslock": {"CapsLock", "CapsLock", 20, ""},
	"shift": {"Shift", "ShiftLeft", 16, ""}, "control": {"Control", "ControlLeft", 17, ""},
	"alt": {"Alt", "AltLeft", 18, ""}, "meta": {"Meta", "MetaLeft", 91, ""},
	"plus": {"+", "Equal", 187, "+"},
}

// places are the keys of the characters that are neither letters nor digits:
// unshifted and shifted.
var places = map[rune]key{
	'`': {"`", "Backquote", 192, ""}, '~': {"~", "Backquote", 192, ""}, '-': {"-", "Minus", 189, ""}, '_': {"_", "Minus", 189, ""},
	'=': {"=", "Equal", 187, ""}, '+': {"+", "Equal", 187, ""}, '[': {"[", "BracketLeft", 219, ""}, '{': {"{", "BracketLeft", 219, ""},
	']': {"]", "BracketRight", 221, ""}, '}': {"}", "BracketRight", 221, ""}, '\\': {"\\", "Backslash", 220, ""}, '|': {"|", "Backslash", 220, ""},
	';': {";", "Semicolon", 186, ""}, ':': {":", "Semicolon", 186, ""}, '\'': {"'", "Quote", 222, ""}, '"': {"\"", "Quote", 222, ""},
	',': {",", "Comma", 188, ""}, '<': {"<", "Comma", 188, ""}, '.': {".", "Period", 190, ""}, '>': {">", "Period", 190, ""},
	'/': {"/", "Slash", 191, ""}, '?': {"?", "Slash", 191, ""},
	'!': {"!", "Digit1", 49, ""}, '@': {"@", "Digit2", 50, ""}, '#': {"#", "Digit3", 51, ""}, '$': {"$", "Digit4", 52, ""}, '%': {"%", "Digit5", 53, ""},
	'^': {"^", "Digit6", 54, ""}, '&': {"&", "Digit7", 55, ""}, '*': {"*", "Digit8", 56, ""}, '(': {"(", "Digit9", 57, ""}, ')': {")", "Digit0", 48, ""},
}

// keyOf returns the key of a character; ok is false for one that no key of the
// layout types.
func keyOf(r rune) (key, bool) {
	switch {
	case r == '\n' || r == '\r':
		return named["enter"], true
	case r == '\t':
		return named["tab"], true
	case r == ' ':
		return named["space"], true
	case r < utf8.RuneSelf && unicode.IsLetter(r):
		up := unicode.ToUpper(r)
		return key{string(r), "Key" + string(up), int64(up), string(r)}, true
	case r >= '0' && r <= '9':
		return key{string(r), "Digit" + string(r), int64(r), string(r)}, true
	}
	k, ok := places[r]
	k.text = k.key
	return k, ok
}

// readModifiers reads "Shift+Control".
func readModifiers(text string) (int64, error) {
	var bits int64
	for part := range strings.SplitSeq(text, "+") {
		bit, ok := modifier(part)
		if !ok {
			return 0, protocol.NewError(protocol.CodeBadArgument, fmt.Sprintf("%.40q is no modifier", part), "Alt, Control, Meta and Shift are, joined by +")
		}
		bits |= bit
	}
	return bits, nil
}

func modifier(name string) (int64, bool) {
	switch strings.ToLower(strings.TrimSpace(name)) {
	case "alt", "option":
		return modAlt, true
	case "control", "ctrl":
		return modControl, true
	case "meta", "cmd", "command", "super":
		return modMeta, true
	case "shift":
		return modShift, true
	case "":
		return 0, true
	}
	return 0, false
}

// readChord reads one press such as "Control+Shift+K", "Enter" or "a".
func readChord(text string) (key, int64, error) {
	mods, last := "", text
	if i := strings.LastIndexByte(strings.TrimSuffix(text, "+"), '+'); i > 0 {
		mods, last = text[:i], text[i+1:]
	}
	bits, err := readModifiers(mods)
	if err != nil {
		return key{}, 0, err
	}
	if k, ok := named[strings.ToLower(last)]; ok {
		return k, bits, nil
	}
	if n, ok := strings.CutPrefix(strings.ToUpper(last), "F"); ok && n != "" {
		var number int64
		if _, err := fmt.Sscanf(n, "%d", &number); err == nil && number >= 1 && number <= 24 {
			name := fmt.Sprintf("F%d", number)
			return key{name, name, 111 + number, ""}, bits, nil
		}
	}
	r, size := utf8.DecodeRuneInString(last)
	if size == len(last) && size > 0 {
		if k, ok := keyOf(r); ok {
			switch {
			case !unicode.IsLetter(r):
			case bits&modShift != 0:
				k.key, k.text = strings.ToUpper(k.key), strings.ToUpper(k.text)
			case bits != 0:
				// "Control+K" is how people write it; a keyboard says k there.
				k.key, k.text = strings.ToLower(k.key), strings.ToLower(k.text)
			}
			return k, bits, nil
		}
		return key{key: last, text: last}, bits, nil
	}
	return key{}, 0, protocol.NewError(protocol.CodeBadArgument, fmt.Sprintf("%.40q is no key", text), "for example Enter, Escape, ArrowDown, F5, a, Control+A")
}

// press is a key going down and up again.
func (k key) press(mods int64) []message {
	down := input.DispatchKeyEventParams{
		Type: input.DispatchKeyEventTypeRawKeyDown, Modifiers: mods, Key: k.key, Code: k.code,
		WindowsVirtualKeyCode: k.vk, NativeVirtualKeyCode: k.vk,
	}
	if k.text != "" && mods&(modControl|modAlt|modMeta) == 0 {
		down.Type, down.Text, down.UnmodifiedText = input.DispatchKeyEventTypeKeyDown, k.text, k.text
	}
	down.Commands = editing(k, mods)
	up := down
	up.Type, up.Text, up.UnmodifiedText, up.Commands = input.DispatchKeyEventTypeKeyUp, "", "", nil
	return []message{
		{input.DispatchKeyEvent.Method, down},
		{input.DispatchKeyEvent.Method, up},
	}
}

// editing are the commands that a keyboard of the system would bring along; the
// protocol's keys have none of their own.
func editing(k key, mods int64) []string {
	if mods&modControl == 0 && mods&modMeta == 0 {
		return nil
	}
	switch strings.ToLower(k.key) {
	case "a":
		return []string{"SelectAll"}
	case "c":
		return []string{"Copy"}
	case "x":
		return []string{"Cut"}
	case "v":
		return []string{"Paste"}
	case "z":
		if mods&modShift != 0 {
			return []string{"Redo"}
		}
		return []string{"Undo"}
	case "y":
		return []string{"Redo"}
	}
	return nil
}
