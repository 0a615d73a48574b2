// Package redact masks the values in network traffic that let their holder act
// as the user, or pay: credentials and card numbers in headers, in JSON, in forms,
// in the queries of addresses and in HTML. It decides by the name of a field and by the form of a
// value, so a secret with an innocent name and form stays.
package redact

import (
	"encoding/json"
	"errors"
	"io"
	"regexp"
	"strings"
	"sync"
)

// Masked replaces a value.
const Masked = "(masked)"

// Header reports whether a header's value is a credential.
func Header(name string) bool {
	name = plain(name)
	return name == "cookie" || name == "setcookie" || Field(name)
}

// Field reports whether the name of a field says that its value is a credential.
func Field(name string) bool {
	name = plain(name)
	switch name {
	case "auth", "csc", "cvc", "cvc2", "cvv", "cvv2", "otp", "pass", "pin", "pwd", "sid":
		return true
	case "tokentype": // "bearer"
		return false
	}
	for _, part := range []string{
		"accesskey", "apikey", "authtoken", "authorization", "cardnumber", "ccnumber", "credential", "csrf", "jwt", "onetimecode",
		"onetimepass", "passphrase", "passwd", "password", "privatekey", "secret", "sessionid", "sessionkey", "token", "xsrf",
	} {
		if strings.Contains(name, part) {
			return true
		}
	}
	return strings.HasSuffix(name, "session") || strings.HasSuffix(name, "sessid")
}

// plain returns a name in lower case with letters and digits only, so that
// api_key, apiKey and api-key are the same.
func plain(name string) string {
	return strings.Map(func(r rune) rune {
		if (r < 'a' || r > 'z') && (r < '0' || r > '9') {
			return -1
		}
		return r
	}, strings.ToLower(name))
}

// Text returns a text of a request or a response with its credentials masked.
// The rest of the text, with its spaces and its order, stays as it is.
func Text(text string) string {
	if masked, ok := document(text); ok {
		return masked
	}
	if form().MatchString(text) {
		return strings.TrimPrefix(loose("?"+text), "?")
	}
	return loose(text)
}

// The forms of values that are credentials wherever they are, and of places
// where a name precedes its value.
var (
	bearer = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)\b(bearer|basic)(\s+|%20)[A-Za-z0-9._~+/=%-]{8,}`)
	})
	known = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`\b(eyJ[A-Za-z0-9_-]{5,}\.[A-Za-z0-9_-]{5,}(\.[A-Za-z0-9_-]*)*|sk-[A-Za-z0-9_-]{16,}|gh[pousr]_[A-Za-z0-9]{16,}|github_pat_[A-Za-z0-9_]{16,}|glpat-[A-Za-z0-9_-]{16,}|xox[abeprs]-[A-Za-z0-9-]{10,}|AKIA[A-Z0-9]{16}|AIza[A-Za-z0-9_-]{30,})`)
	})
	line = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?im)^([ \t>]*(?:proxy-authorization|authorization|set-cookie|cookie)[ \t]*:[ \t]*)[^\r\n]+`)
	})
	query = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`([?&#;]|%3F|%26)([A-Za-z0-9_.\[\]%-]{1,80}?)(=|%3D)([^&#\s"'<>]+)`)
	})
	quoted = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(["']?)([A-Za-z0-9_.-]{1,80})(["']?)(\s*:\s*)("(?:[^"\\\n]|\\.)*"?|'(?:[^'\\\n]|\\.)*'?)`)
	})
	form = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^[A-Za-z0-9_.\[\]%+-]+=[^&\s<>{}]*(&[A-Za-z0-9_.\[\]%+-]+=[^&\s<>{}]*)*\s*$`)
	})
	part = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)(content-disposition:[^\r\n]*\bname="([^"]*)"[^\r\n]*(?:\r?\n[^\r\n]+)*\r?\n\r?\n)([^\r\n]*)`)
	})
	digits = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\b[2-6](?:(?:[ +-]|%20)?[0-9]){14,15}\b`) })
	issuer = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^(?:4[0-9]{15}|5[1-5][0-9]{14}|2[2-7][0-9]{14}|3[47][0-9]{13}|6(?:011|4[4-9]|5[0-9])[0-9]{12,13})$`)
	})
	tag    = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?i)<(?:input|meta)\b[^>]*>`) })
	named  = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?i)\b(?:name|id|property)\s*=\s*["']?([^"'\s>]+)`) })
	valued = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)(\b(?:value|content)\s*=\s*)("[^"]*"|'[^']*'|[^"'\s>]+)`)
	})
	typed = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?i)\btype\s*=\s*["']?password\b`) })
)

// loose masks the credentials of a text that is not JSON as a whole.
func loose(text string) string {
	text = tag().ReplaceAllStringFunc(text, func(element string) string {
		name := named().FindStringSubmatch(element)
		if !typed().MatchString(element) && (len(name) == 0 || !Field(name[1])) {
			return element
		}
		return valued().ReplaceAllString(element, `${1}"`+Masked+`"`)
	})
	text = line().ReplaceAllString(text, "${1}"+Masked)
	text = replace(part(), text, func(m []string) string {
		if !Field(m[2]) {
			return m[0]
		}
		return m[1] + Masked
	})
	text = replace(quoted(), text, func(m []string) string {
		if !Field(m[2]) || len(m[5]) < 3 {
			return m[0]
		}
		return m[1] + m[2] + m[3] + m[4] + m[5][:1] + Masked + m[5][:1]
	})
	text = queries(text)
	text = bearer().ReplaceAllString(text, "${1}${2}"+Masked)
	text = known().ReplaceAllString(text, Masked)
	return digits().ReplaceAllStringFunc(text, func(found string) string {
		if isCard(found) {
			return Masked
		}
		return found
	})
}

// isCard reports whether digits, with or without separators, are the number of a
// payment card: its first digits, its length and its check digit are right. Every
// tenth timestamp and id has a right check digit, too, so that alone is not enough.
func isCard(text string) bool {
	number := strings.NewReplacer("%20", "", " ", "", "-", "", "+", "").Replace(text)
	if !issuer().MatchString(number) {
		return false
	}
	sum := 0
	for i := range len(number) {
		digit := int(number[len(number)-1-i] - '0')
		if i%2 == 1 {
			digit *= 2
		}
		sum += digit/10 + digit%10
	}
	return sum%10 == 0
}

// queries masks the values of fields in queries, and in addresses inside of
// other values.
func queries(text string) string {
	return replace(query(), text, func(m []string) string {
		if Field(m[2]) {
			return m[1] + m[2] + m[3] + Masked
		}
		return m[1] + m[2] + m[3] + queries(m[4])
	})
}

// replace replaces each match by what f returns for its groups.
func replace(re *regexp.Regexp, text string, f func(groups []string) string) string {
	return re.ReplaceAllStringFunc(text, func(match string) string { return f(re.FindStringSubmatch(match)) })
}

// document masks the credentials of a JSON document, or of several in a row. ok
// is false when the text is something else.
func document(text string) (masked string, ok bool) {
	if first := strings.TrimLeft(text, " \t\r\n"); first == "" || !strings.ContainsAny(first[:1], `{["`) {
		return "", false
	}
	w := walk{text: text, in: json.NewDecoder(strings.NewReader(text))}
	w.in.UseNumber()
	for {
		switch err := w.value(false); {
		case errors.Is(err, io.EOF):
			return w.out.String() + text[w.done:], true
		case err != nil:
			return "", false
		}
	}
}

// walk copies JSON from text to out; done is how much of it was copied.
type walk struct {
	text string
	in   *json.Decoder
	out  strings.Builder
	done int
}

// value copies one value. secret is set below a field that holds a credential.
func (w *walk) value(secret bool) error {
	t, err := w.in.Token()
	if err != nil {
		return err
	}
	switch v := t.(type) {
	case json.Delim:
		for w.in.More() {
			inner := secret && v == '['
			if v == '{' {
				name, err := w.in.Token()
				if err != nil {
					return unexpected(err)
				}
				text, _ := name.(string)
				inner = Field(text)
			}
			if err := w.value(inner); err != nil {
				return unexpected(err)
			}
		}
		_, err := w.in.Token()
		return unexpected(err)
	case json.Number:
		if secret || isCard(string(v)) {
			w.put(len(v), Masked)
		}
	case string:
		is := Masked
		if !secret {
			is = Text(v)
		}
		if v != "" && is != v {
			// The quoted form ends here and begins at the quote before it.
			w.put(w.quotedLength(), is)
		}
	}
	return nil
}

// quotedLength returns how long the string is that ends here, with its quotes.
func (w *walk) quotedLength() int {
	end := int(w.in.InputOffset())
	for at := end - 2; at >= w.done; at-- {
		if w.text[at] != '"' {
			continue
		}
		slashes := 0
		for i := at - 1; i >= 0 && w.text[i] == '\\'; i-- {
			slashes++
		}
		if slashes%2 == 0 {
			return end - at
		}
	}
	return end - w.done
}

// put writes a string in place of the last bytes that were read.
func (w *walk) put(length int, is string) {
	end := int(w.in.InputOffset())
	w.out.WriteString(w.text[w.done : end-length])
	text, _ := json.Marshal(is) // a string always has a JSON form
	w.out.Write(text)
	w.done = end
}

// unexpected returns an error for the end of a text inside of a value.
func unexpected(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}
