// Package update finds out whether there is a newer Pilotfish, and puts it in the place
// of this one.
//
// A manifest in JSON lies at an address that the user or the packager chose, beside its
// signature in minisign's form (the same name with ".minisig"). It names one release, how
// long the manifest is valid, and one archive for each system with its size and SHA-256.
// So the signature covers the archives as well. Without an address nothing is sent.
//
// What is older than this program is refused, and so is a manifest past its time: whoever
// can answer for the address cannot offer an old release with a known fault, or hide a new
// one for longer than that. Both need the key in any case.
package update
