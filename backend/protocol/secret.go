package protocol

import "time"

// SecretKind is what a secret is.
type SecretKind string

// The kinds of secrets.
const (
	SecretPassword SecretKind = "password" // typed into a field
	SecretTOTP     SecretKind = "totp"     // the key of one-time codes; a field gets the current code
	SecretHeader   SecretKind = "header"   // sent as a header with every request to its origin
)

// Secret describes a secret. Its value is never part of it.
type Secret struct {
	Name string     `json:"name"`
	Kind SecretKind `json:"kind"`
	// Origin is the only origin on which it is used: https://shop.example.
	Origin string `json:"origin"`
	// User is the user name that goes with a password; empty for none. The two
	// are masked together, too, as HTTP basic authentication writes them.
	User string `json:"user,omitempty"`
	// Header is the name of the header that a secret of that kind is sent as.
	Header string `json:"header,omitempty"`
	// From is the reference by which another program is asked for the value:
	// op://vault/item/field, bw:item or pass:path; empty for a value that we keep.
	From string `json:"from,omitempty"`
	// Kept says where the value is: "keychain", "memory" (until the app ends,
	// because there is no keychain) or "elsewhere" (From).
	Kept  string    `json:"kept"`
	Added time.Time `json:"added"`
	// Used is when it was used last, and UsedBy by whom: "claude in t1". Absent until
	// it is used.
	Used   *time.Time `json:"used,omitempty"`
	UsedBy string     `json:"usedBy,omitempty"`
}

// SecretRequest adds a secret.
type SecretRequest struct {
	Secret `tstype:",extends"`
	// Value is the value; empty when From names it.
	Value string `json:"value,omitempty"`
}

// Limits of secrets.
const (
	MaxSecrets     = 200
	MaxSecretValue = 4096 // bytes
	MinSecretValue = 4    // bytes; a shorter value could not be masked in other text
)

// LoginQuestion is the command of a question in which a server asks for a user name
// and a password (Approval.Login).
const LoginQuestion = "login"

// LoginAsk is what a server says when it asks for a login (HTTP basic or digest
// authentication). Realm is the server's text.
type LoginAsk struct {
	Scheme string `json:"scheme"`
	Realm  string `json:"realm,omitempty"`
	// Proxy: a proxy asks, and not a site.
	Proxy bool `json:"proxy,omitempty"`
	// Again: the login that was given before is wrong.
	Again bool `json:"again,omitempty"`
	// User is the user name that was given before, or that is known.
	User string `json:"user,omitempty"`
	// Saves: the login can be saved as a secret.
	Saves bool `json:"saves,omitempty"`
}

// LoginAnswer is what the user typed. It is in no record and in no other message.
type LoginAnswer struct {
	User     string `json:"user"`
	Password string `json:"password"`
	// Save keeps it as a secret for the origin that asks.
	Save bool `json:"save,omitempty"`
}

// MaxLoginUser is the greatest length of a user name in bytes.
const MaxLoginUser = 200
