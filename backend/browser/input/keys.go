package input

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/chromedp/cdproto/input"

	"pilotfish/backend/protocol"
)

// key is one key of a keyboard with the US layout, as pages see it.
type key struct {
	// Name is the key's name, or the character that it types without a modifier.
	Name string
	// Code is the key's position on the keyboard (the `code` of a DOM event);
	// empty for a character that has no key.
	Code string
	vk   int64
	text string // the text that it types; empty for none
}

// Modifier bits of the protocol.
const (
	alt = 1 << iota
	control
	meta
	// shift is the bit of the shift keys.
	shift
)

// namedKeys are the keys that have a name instead of a character, by the lowercase
// names that commands accept.
var namedKeys = map[string]key{
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

// pressNamed returns the events that press and release one of the named keys.
func pressNamed(name string) []input.DispatchKeyEventParams { return namedKeys[name].Press(0) }

// Bit returns the modifier bit of a modifier key; 0 for any other key.
func (k key) Bit() int64 { return modifierBits[k.Name] }

// characterKeys are the keys of the characters that are neither letters nor digits,
// unshifted and shifted.
var characterKeys = map[rune]key{
	'`': {"`", "Backquote", 192, ""}, '~': {"~", "Backquote", 192, ""}, '-': {"-", "Minus", 189, ""}, '_': {"_", "Minus", 189, ""},
	'=': {"=", "Equal", 187, ""}, '+': {"+", "Equal", 187, ""}, '[': {"[", "BracketLeft", 219, ""}, '{': {"{", "BracketLeft", 219, ""},
	']': {"]", "BracketRight", 221, ""}, '}': {"}", "BracketRight", 221, ""}, '\\': {"\\", "Backslash", 220, ""}, '|': {"|", "Backslash", 220, ""},
	';': {";", "Semicolon", 186, ""}, ':': {":", "Semicolon", 186, ""}, '\'': {"'", "Quote", 222, ""}, '"': {"\"", "Quote", 222, ""},
	',': {",", "Comma", 188, ""}, '<': {"<", "Comma", 188, ""}, '.': {".", "Period", 190, ""}, '>': {">", "Period", 190, ""},
	'/': {"/", "Slash", 191, ""}, '?': {"?", "Slash", 191, ""},
	'!': {"!", "Digit1", 49, ""}, '@': {"@", "Digit2", 50, ""}, '#': {"#", "Digit3", 51, ""}, '$': {"$", "Digit4", 52, ""}, '%': {"%", "Digit5", 53, ""},
	'^': {"^", "Digit6", 54, ""}, '&': {"&", "Digit7", 55, ""}, '*': {"*", "Digit8", 56, ""}, '(': {"(", "Digit9", 57, ""}, ')': {")", "Digit0", 48, ""},
}

// keyOf returns the key that types a character; ok is false when no key of the
// layout types it.
func keyOf(r rune) (key, bool) {
	switch {
	case r == '\n' || r == '\r':
		return namedKeys["enter"], true
	case r == '\t':
		return namedKeys["tab"], true
	case r == ' ':
		return namedKeys["space"], true
	case r < utf8.RuneSelf && unicode.IsLetter(r):
		up := unicode.ToUpper(r)
		return key{string(r), "Key" + string(up), int64(up), string(r)}, true
	case r >= '0' && r <= '9':
		return key{string(r), "Digit" + string(r), int64(r), string(r)}, true
	}
	k, ok := characterKeys[r]
	k.text = k.Name
	return k, ok
}

// readModifiers parses modifier keys such as "Shift+Control" into their bits.
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
		return alt, true
	case "control", "ctrl":
		return control, true
	case "meta", "cmd", "command", "super":
		return meta, true
	case "shift":
		return shift, true
	case "":
		return 0, true
	}
	return 0, false
}

// modifierBits are the bits of the modifier keys, by the keys' names in DOM
// events.
var modifierBits = map[string]int64{"Alt": alt, "Control": control, "Meta": meta, "Shift": shift}

// shiftPairs are the characters of the layout's keys, in pairs: without and with
// Shift.
const shiftPairs = "`~1!2@3#4$5%6^7&8*9(0)-_=+[{]}\\|;:'\",<.>/?"

// chord is one press: a key, and the modifier keys that are held down for it, in
// the order in which they go down.
type chord struct {
	hold []key // modifiers
	Key  key
}

// Keys returns the keys of a press, in the order in which they go down.
func (c chord) Keys() []key { return append(slices.Clone(c.hold), c.Key) }

// readChord parses one press such as "Control+Shift+K", "Enter" or "a".
func readChord(text string) (chord, error) {
	mods, last := "", text
	if i := strings.LastIndexByte(strings.TrimSuffix(text, "+"), '+'); i > 0 {
		mods, last = text[:i], text[i+1:]
	}
	var c chord
	for part := range strings.SplitSeq(mods, "+") {
		bit, ok := modifier(part)
		if !ok {
			k, named := namedKeys[strings.ToLower(part)] // a modifier with a side, such as ShiftRight
			if bit = modifierBits[k.Name]; !named || bit == 0 {
				return c, protocol.NewError(protocol.CodeBadArgument, fmt.Sprintf("%.40q is not a modifier key", part), "use Alt, Control, Meta or Shift, joined by +")
			}
			c.hold = append(c.hold, k)
			continue
		}
		for name, its := range modifierBits {
			if bit == its {
				c.hold = append(c.hold, namedKeys[strings.ToLower(name)])
			}
		}
	}
	var ok bool
	if c.Key, ok = readKey(last); !ok {
		return c, protocol.NewError(protocol.CodeBadArgument, fmt.Sprintf("%.40q is not a key", text), "for example Enter, Escape, ArrowDown, F5, a, KeyW, Control+A")
	}
	return c, nil
}

// readPresses parses presses that are separated by spaces.
func readPresses(text string) ([]chord, error) {
	var all []chord
	for word := range strings.FieldsSeq(text) {
		c, err := readChord(word)
		if err != nil {
			return nil, err
		}
		all = append(all, c)
	}
	if len(all) == 0 {
		return nil, protocol.NewError(protocol.CodeBadArgument, "the key is missing", "for example Enter, or Control+A")
	}
	return all, nil
}

// readKey parses the name of a key, its code (KeyW, Digit1), or the character
// that it types.
func readKey(name string) (key, bool) {
	low := strings.ToLower(name)
	if k, ok := namedKeys[low]; ok {
		return k, true
	}
	if bit, ok := modifier(name); ok && bit != 0 { // Ctrl, Cmd, Option
		for is, its := range modifierBits {
			if bit == its {
				return namedKeys[strings.ToLower(is)], true
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
	return key{Name: name, text: name}, true
}

// Under returns the key as it is with modifiers held down: its name and the text
// that it types then.
func (k key) Under(mods int64) key {
	r, size := utf8.DecodeRuneInString(k.Name)
	if size != len(k.Name) || strings.HasPrefix(k.Code, "Numpad") {
		return k
	}
	to := k.Name
	switch at := strings.IndexRune(shiftPairs, r); {
	case unicode.IsLetter(r) && mods&shift != 0:
		to = strings.ToUpper(k.Name)
	case unicode.IsLetter(r) && mods != 0:
		// People write "Control+K", but a keyboard reports k for it.
		to = strings.ToLower(k.Name)
	case at >= 0 && at%2 == 0 && mods&shift != 0:
		to = shiftPairs[at+1 : at+2]
	}
	if to != k.Name {
		k.Name, k.text = to, to
	}
	return k
}

// Down returns the event of the key going down. repeat says that the key is down
// already.
func (k key) Down(mods int64, repeat bool) input.DispatchKeyEventParams {
	m := k.event(mods)
	m.Type = input.DispatchKeyEventTypeRawKeyDown
	if k.text != "" && mods&(control|alt|meta) == 0 {
		m.Type, m.Text, m.UnmodifiedText = input.DispatchKeyEventTypeKeyDown, k.text, k.text
	}
	if repeat {
		m.AutoRepeat = &repeat
	}
	m.Commands = editingCommands(k, mods)
	return m
}

// Up returns the event of the key going up. mods are the modifiers that are still
// down afterwards.
func (k key) Up(mods int64) input.DispatchKeyEventParams {
	m := k.event(mods)
	m.Type = input.DispatchKeyEventTypeKeyUp
	return m
}

// Press returns the events of the key going down and up again.
func (k key) Press(mods int64) []input.DispatchKeyEventParams {
	return []input.DispatchKeyEventParams{k.Down(mods, false), k.Up(mods)}
}

func (k key) event(mods int64) input.DispatchKeyEventParams {
	e := input.DispatchKeyEventParams{Modifiers: mods, Key: k.Name, Code: k.Code, WindowsVirtualKeyCode: k.vk, NativeVirtualKeyCode: k.vk}
	switch {
	case strings.HasPrefix(k.Code, "Numpad"):
		pad := true
		e.IsKeypad = &pad
	case modifierBits[k.Name] != 0 && strings.HasSuffix(k.Code, "Right"), k.Name == "AltGraph":
		e.Location = 2
	case modifierBits[k.Name] != 0:
		e.Location = 1
	}
	return e
}

// editingCommands returns the editing commands that the operating system's keyboard would
// trigger; a key press by the protocol triggers none by itself.
func editingCommands(k key, mods int64) []string {
	if mods&control == 0 && mods&meta == 0 {
		return nil
	}
	switch strings.ToLower(k.Name) {
	case "a":
		return []string{"SelectAll"}
	case "c":
		return []string{"Copy"}
	case "x":
		return []string{"Cut"}
	case "v":
		return []string{"Paste"}
	case "z":
		if mods&shift != 0 {
			return []string{"Redo"}
		}
		return []string{"Undo"}
	case "y":
		return []string{"Redo"}
	}
	return nil
}

// UserKey returns the events with which a key of the user's own keyboard goes down and up. name
// and code are those of a KeyboardEvent; ok is false for what is no key, such as a step of an
// input method.
func UserKey(name, code string, mods int64, repeat bool) (down, up input.DispatchKeyEventParams, ok bool) {
	k, ok := readKey(name)
	if !ok {
		return down, up, false
	}
	if code != "" {
		k.Code = code
	}
	return k.Down(mods, repeat), k.Up(mods), true
}
