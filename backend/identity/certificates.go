package identity

import (
	"context"
	"crypto/x509"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"pilotfish/backend/journal"
	"pilotfish/backend/protocol"
)

// authorities reads the certificates of authorities.
func authorities(files []string) ([][]byte, error) {
	var all [][]byte
	bad := func(file, what string) error {
		return protocol.NewError(protocol.CodeBadArgument, fmt.Sprintf("ca_files: %s %s", file, what), "it must have certificates of authorities as PEM (-----BEGIN CERTIFICATE-----)")
	}
	for _, file := range files {
		info, err := os.Stat(file)
		if err != nil {
			return nil, bad(file, "cannot be read: "+err.Error())
		}
		if !info.Mode().IsRegular() || info.Size() > largestFile {
			return nil, bad(file, "is not a file of certificates")
		}
		data, err := os.ReadFile(file)
		if err != nil {
			return nil, bad(file, "cannot be read: "+err.Error())
		}
		found := 0
		for block, rest := pem.Decode(data); block != nil; block, rest = pem.Decode(rest) {
			if block.Type != "CERTIFICATE" {
				return nil, bad(file, fmt.Sprintf("has a %.40q", block.Type))
			}
			c, err := x509.ParseCertificate(block.Bytes)
			if err != nil {
				return nil, bad(file, "has a certificate that cannot be read: "+err.Error())
			}
			if !c.IsCA {
				return nil, bad(file, fmt.Sprintf("has the certificate %.100q, which is not of an authority; to accept it for one host, use accept", c.Subject.CommonName))
			}
			all = append(all, block.Bytes)
			found++
		}
		if found == 0 {
			return nil, bad(file, "has no certificate")
		}
	}
	return all, nil
}

// writeTrust writes into a profile which authorities it trusts, and which certificates it
// accepts. The browser must not run.
func writeTrust(ctx context.Context, profile string, cas [][]byte, accept []protocol.AcceptedCertificate) error {
	folder := filepath.Join(profile, "Default")
	err := trustAuthorities(ctx, folder, cas)
	switch {
	case errors.Is(err, errForeign):
		return protocol.NewError(protocol.CodeBadArgument, "ca_files: this profile has certificates that were added in the browser, and they would be lost", "remove them at chrome://certificate-manager and write them into ca_files, or use another session")
	case err != nil:
		return err
	}
	return acceptCertificates(filepath.Join(folder, "Preferences"), accept)
}

// lasting is when an exception of ours ends, in the browser's microseconds since 1601:
// in 2044. It tells ours from those that the user made in the browser.
const lasting = "13999999999999999"

// accepted are the errors of a certificate that an exception is for: the wrong name,
// the wrong time, an unknown authority, a weak key, and valid for too long. A
// certificate that was revoked is never accepted.
func accepted() []int { return []int{-200, -201, -202, -208, -213} }

// acceptCertificates writes exceptions as the browser itself keeps them.
func acceptCertificates(path string, accept []protocol.AcceptedCertificate) error {
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		if len(accept) == 0 {
			return nil
		}
		data, err = []byte("{}"), nil
	}
	if err != nil {
		return fmt.Errorf("reading the profile's preferences: %w", err)
	}
	decoder := json.NewDecoder(strings.NewReader(string(data)))
	decoder.UseNumber() // what is not ours stays to the digit
	var preferences map[string]any
	if err := decoder.Decode(&preferences); err != nil {
		if len(accept) == 0 {
			return nil // the browser begins anew with such a file
		}
		return fmt.Errorf("reading the profile's preferences: %w", err)
	}
	exceptions := within(preferences, "profile", "content_settings", "exceptions", "ssl_cert_decisions")
	changed := len(accept) > 0
	for pattern, value := range exceptions {
		entry, _ := value.(map[string]any)
		setting, _ := entry["setting"].(map[string]any)
		if setting["decision_expiration_time"] == lasting {
			delete(exceptions, pattern)
			changed = true
		}
	}
	if !changed {
		return nil
	}
	for _, a := range accept {
		sum, err := hex.DecodeString(strings.ReplaceAll(a.SHA256, ":", ""))
		if err != nil {
			return fmt.Errorf("reading a fingerprint: %w", err)
		}
		setting := within(exceptions, "https://"+strings.ToLower(a.Host)+":443,*", "setting")
		setting["decision_expiration_time"], setting["version"] = lasting, 1
		for _, code := range accepted() {
			within(setting, "cert_exceptions_map")[strconv.Itoa(code)+base64.StdEncoding.EncodeToString(sum)] = 1
		}
	}
	out, err := json.Marshal(preferences)
	if err != nil {
		return fmt.Errorf("writing the profile's preferences: %w", err)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return fmt.Errorf("writing the profile's preferences: %w", err)
	}
	return journal.WriteFile(path, out, 0o600)
}

// within returns the object at a path, and makes what is missing.
func within(object map[string]any, path ...string) map[string]any {
	for _, key := range path {
		next, ok := object[key].(map[string]any)
		if !ok {
			next = map[string]any{}
			object[key] = next
		}
		object = next
	}
	return object
}
