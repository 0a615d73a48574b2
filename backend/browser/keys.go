package browser

import (
	"fmt"
	"strconv"
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
	"shiftleft": {"Shift", "ShiftLeft", 16, ""}, "shiftright": {"Shift", "ShiftRight", 16, ""},
	"controlleft": {"Control", "ControlLeft", 17, ""}, "controlright": {"Control", "ControlRight", 17, ""},
	"altleft": {"Alt", "AltLeft", 18, ""}, "altright": {"Alt", "AltRight", 18, ""}, "altgraph": {"AltGraph", "AltRight", 225, ""},
	"metaleft": {"Meta", "MetaLeft", 91, ""}, "metaright": {"Meta", "MetaRight", 92, ""},
	"numpadenter": {"Enter", "NumpadEnter", 13, "\r"}, "numpaddecimal": {".", "NumpadDecimal", 110, "."},
	"numpadadd": {"+", "NumpadAdd", 107, "+"}, "numpadsubtract": {"-", "NumpadSubtract", 109, "-"},
	"numpadmultiply": {"*", "NumpadMultiply", 106, "*"}, "numpaddivide": {"/", "NumpadDivide", 111, "/"},
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
			return 0, protocol.NewError(protocol.CodeBadArgument, fmt.Sprintf("%.40q is not a modifier key", part), "use Alt, Control, Meta or Shift, joined by +")
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

// modifierBits are the bits of the modifier keys, by what pages call them.
var modifierBits = map[string]int64{"Alt": modAlt, "Control": modControl, "Meta": modMeta, "Shift": modShift}

// shiftPairs are the characters of the layout's keys, without and with Shift.
const shiftPairs = "`~1!2@3#4$5%6^7&8*9(0)-_=+[{]}\\|;:'\",<.>/?"

// chord is one press: a key, and the modifiers that are held down around it in
// the order in which they go down.
type chord struct {
	hold []key
	key  key
}

// readChord reads one press such as "Control+Shift+K", "Enter" or "a".
func readChord(text string) (chord, error) {
	mods, last := "", text
	if i := strings.LastIndexByte(strings.TrimSuffix(text, "+"), '+'); i > 0 {
		mods, last = text[:i], text[i+1:]
	}
	var c chord
	for part := range strings.SplitSeq(mods, "+") {
		bit, ok := modifier(part)
		if !ok {
			k, named := named[strings.ToLower(part)] // ShiftRight is one, too
			if bit = modifierBits[k.key]; !named || bit == 0 {
				return c, protocol.NewError(protocol.CodeBadArgument, fmt.Sprintf("%.40q is not a modifier key", part), "use Alt, Control, Meta or Shift, joined by +")
			}
			c.hold = append(c.hold, k)
			continue
		}
		for name, its := range modifierBits {
			if bit == its {
				c.hold = append(c.hold, named[strings.ToLower(name)])
			}
		}
	}
	var ok bool
	if c.key, ok = readKey(last); !ok {
		return c, protocol.NewError(protocol.CodeBadArgument, fmt.Sprintf("%.40q is not a key", text), "for example Enter, Escape, ArrowDown, F5, a, KeyW, Control+A")
	}
	return c, nil
}

// readKey reads the name of a key, the name of its place (KeyW, Digit1), or what
// it types.
func readKey(name string) (key, bool) {
	low := strings.ToLower(name)
	if k, ok := named[low]; ok {
		return k, true
	}
	if bit, ok := modifier(name); ok && bit != 0 { // Ctrl, Cmd, Option
		for is, its := range modifierBits {
			if bit == its {
				return named[strings.ToLower(is)], true
			}
		}
	}
	if n, ok := strings.CutPrefix(low, "f"); ok && n != "" {
		if number, err := strconv.ParseInt(n, 10, 64); err == nil && number >= 1 && number <= 24 {
			name := fmt.Sprintf("F%d", number)
			return key{name, name, 111 + number, ""}, true
		}
	}
	if r, ok := strings.CutPrefix(low, "key"); ok && len(r) == 1 && r[0] >= 'a' && r[0] <= 'z' {
		return keyOf(rune(r[0]))
	}
	if d, ok := strings.CutPrefix(low, "digit"); ok && len(d) == 1 && d[0] >= '0' && d[0] <= '9' {
		return keyOf(rune(d[0]))
	}
	if d, ok := strings.CutPrefix(low, "numpad"); ok && len(d) == 1 && d[0] >= '0' && d[0] <= '9' {
		return key{d, "Numpad" + d, 96 + int64(d[0]-'0'), d}, true
	}
	r, size := utf8.DecodeRuneInString(name)
	if size != len(name) || size == 0 {
		return key{}, false
	}
	if k, ok := keyOf(r); ok {
		return k, true
	}
	return key{key: name, text: name}, true
}

// under is the key with modifiers held down: what it is called and types then.
func (k key) under(mods int64) key {
	r, size := utf8.DecodeRuneInString(k.key)
	if size != len(k.key) || strings.HasPrefix(k.code, "Numpad") {
		return k
	}
	to := k.key
	switch at := strings.IndexRune(shiftPairs, r); {
	case unicode.IsLetter(r) && mods&modShift != 0:
		to = strings.ToUpper(k.key)
	case unicode.IsLetter(r) && mods != 0:
		// "Control+K" is how people write it; a keyboard says k there.
		to = strings.ToLower(k.key)
	case at >= 0 && at%2 == 0 && mods&modShift != 0:
		to = shiftPairs[at+1 : at+2]
	}
	if to != k.key {
		k.key, k.text = to, to
	}
	return k
}

// down is the key going down. repeat: it is down already.
func (k key) down(mods int64, repeat bool) message {
	m := k.event(mods)
	m.Type = input.DispatchKeyEventTypeRawKeyDown
	if k.text != "" && mods&(modControl|modAlt|modMeta) == 0 {
		m.Type, m.Text, m.UnmodifiedText = input.DispatchKeyEventTypeKeyDown, k.text, k.text
	}
	if repeat {
		m.AutoRepeat = &repeat
	}
	m.Commands = editing(k, mods)
	return message{input.DispatchKeyEvent.Method, m}
}

// up is the key going up. mods are those that are down afterwards.
func (k key) up(mods int64) message {
	m := k.event(mods)
	m.Type = input.DispatchKeyEventTypeKeyUp
	return message{input.DispatchKeyEvent.Method, m}
}

// press is a key going down and up again.
func (k key) press(mods int64) []message {
	return []message{k.down(mods, false), k.up(mods)}
}

func (k key) event(mods int64) input.DispatchKeyEventParams {
	e := input.DispatchKeyEventParams{Modifiers: mods, Key: k.key, Code: k.code, WindowsVirtualKeyCode: k.vk, NativeVirtualKeyCode: k.vk}
	switch {
	case strings.HasPrefix(k.code, "Numpad"):
		pad := true
		e.IsKeypad = &pad
	case modifierBits[k.key] != 0 && strings.HasSuffix(k.code, "Right"), k.key == "AltGraph":
		e.Location = 2
	case modifierBits[k.key] != 0:
		e.Location = 1
	}
	return e
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
