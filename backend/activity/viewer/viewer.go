// Package viewer is what callers see of a session's activity: its entries, searched
// and followed, and the screenshots of their moments.
package viewer

import (
	"context"
	"encoding/base64"
	"fmt"
	"slices"

	"pilotfish/backend/activity"
	"pilotfish/backend/activity/recorder"
	"pilotfish/backend/activity/shots"
	"pilotfish/backend/auth"
	"pilotfish/backend/protocol"
)

// Viewer reads the activity of a session. Its methods are safe for concurrent use.
type Viewer struct {
	*recorder.Recorder
	shots *shots.Shots
}

// New returns the Viewer of a session's records and screenshots.
func New(records *recorder.Recorder, taken *shots.Shots) *Viewer {
	return &Viewer{records, taken}
}

// Search returns the entries that a query selects, of those that the caller may
// see, and which of them have a screenshot.
func (v *Viewer) Search(ctx context.Context, grant auth.Grant, q protocol.ActivityQuery) (protocol.ActivityFound, error) {
	if q.Limit < 0 || q.Limit > protocol.ActivityPageMax {
		return protocol.ActivityFound{}, protocol.NewError(protocol.CodeBadArgument, fmt.Sprintf("limit is from 1 to %d", protocol.ActivityPageMax), "")
	}
	for _, kind := range q.Kinds {
		if !slices.Contains(protocol.ActivityKinds(), kind) {
			return protocol.ActivityFound{}, protocol.NewError(protocol.CodeBadArgument, fmt.Sprintf("%.40q is not a kind of entry", string(kind)), fmt.Sprintf("use one of %v", protocol.ActivityKinds()))
		}
	}
	found, err := v.Recorder.Search(ctx, grant, q)
	if err != nil {
		return found, err
	}
	found.Shots = v.shots.Of(found.Entries)
	if q.Markdown {
		found.Markdown = activity.Markdown(found.Entries)
	}
	return found, nil
}

// Shot returns the screenshot of an entry's moment, if the caller may see the entry.
func (v *Viewer) Shot(ctx context.Context, grant auth.Grant, index uint64) (protocol.ChatAttachment, error) {
	if grant.Kind == auth.KindAgent { // the user sees everything
		found, err := v.Recorder.Search(ctx, grant, protocol.ActivityQuery{Before: index + 1, Limit: 1})
		if err != nil {
			return protocol.ChatAttachment{}, err
		}
		if len(found.Entries) == 0 || found.Entries[0].Index != index {
			return protocol.ChatAttachment{}, protocol.NewError(protocol.CodeForbidden, fmt.Sprintf("entry %d is not one of yours", index), "an agent sees its own commands")
		}
	}
	data, err := v.shots.Read(index)
	if err != nil {
		return protocol.ChatAttachment{}, err
	}
	return protocol.ChatAttachment{
		Kind: protocol.AttachImage, Name: fmt.Sprintf("moment %d.jpg", index), Mime: "image/jpeg", Data: base64.StdEncoding.EncodeToString(data),
	}, nil
}
