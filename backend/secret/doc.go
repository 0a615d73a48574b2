// Package secret keeps the secrets that agents may use and never read: passwords
// and keys of one-time codes, each for one origin. A value is in the system's
// keychain, or another program is asked for it (op, bw, pass). The file beside it
// has names and origins only.
//
// A value that was used once is masked in every text from then on (Store.Mask),
// in the forms in which pages and protocols write it.
package secret
