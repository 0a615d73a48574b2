package wire

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
)

// Lenient decodes what can be decoded: a field of an unexpected type stays
// empty and does not affect the other fields.
func Lenient(raw json.RawMessage, into any) error {
	if into == nil || len(raw) == 0 || bytes.Equal(raw, []byte("null")) {
		return nil
	}
	err := json.Unmarshal(raw, into)
	if _, wrongType := errors.AsType[*json.UnmarshalTypeError](err); wrongType {
		return nil
	}
	if err != nil {
		return fmt.Errorf("reading what the agent wrote: %w", err)
	}
	return nil
}

// Said reports whether a raw field has a value.
func Said(raw json.RawMessage) bool {
	return len(raw) > 0 && !bytes.Equal(raw, []byte("null")) && !bytes.Equal(raw, []byte("{}"))
}
