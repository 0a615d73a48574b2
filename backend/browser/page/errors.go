package page

import (
	"context"
	"errors"

	"pilotfish/backend/browser/devtools"
	"pilotfish/backend/protocol"
)

// UnknownTab returns the error for an id that no tab has.
func UnknownTab(id protocol.TabID) error {
	return protocol.NewError(protocol.CodeUnknownTab, "there is no tab "+string(id), "", protocol.Try("lists the tabs", "tabs"))
}

// TabError turns an error of a page into a protocol.Error with a code and a hint.
func TabError(ctx context.Context, id protocol.TabID, doing string, p *Page, err error) error {
	switch {
	case errors.Is(err, ErrCrashed):
		return protocol.NewError(protocol.CodeCrashed, "the page in "+string(id)+" crashed", "", protocol.Try("loads it again", "reload"))
	case errors.Is(err, ErrStale), errors.Is(err, ErrReplaced), isLeaving(err):
		return protocol.NewError(protocol.CodeGone, "the page in "+string(id)+" went to another document in the meantime", "look again")
	case errors.Is(err, devtools.ErrPipeEnded):
		return protocol.NewError(protocol.CodeNotRunning, "the browser has stopped", "start the session again")
	case errors.Is(err, devtools.ErrSessionEnded), IsTargetGone(err):
		return protocol.NewError(protocol.CodeUnknownTab, "tab "+string(id)+" was closed or replaced in the meantime", "", protocol.Try("lists the tabs", "tabs"))
	case p != nil && p.OpenDialog() != nil:
		return protocol.NewError(protocol.CodeTimeout, "tab "+string(id)+" shows a dialog and does not answer ("+p.OpenDialog().String()+")", "answer it in the browser").Quoting()
	case errors.Is(err, context.DeadlineExceeded), ctx.Err() != nil && errors.Is(ctx.Err(), context.DeadlineExceeded):
		return protocol.NewError(protocol.CodeTimeout, "tab "+string(id)+" did not answer in time, "+doing, "the page may hang", protocol.Try("loads it again", "reload"), protocol.MoreTime())
	case errors.Is(err, context.Canceled), errors.Is(ctx.Err(), context.Canceled):
		return protocol.NewError(protocol.CodeTimeout, "the command was the caller cancelled the command", "")
	}
	return protocol.NewError(protocol.CodeInternal, err.Error(), "")
}

// DialogOpen returns the error for a tab that does nothing until its dialog is
// answered.
func DialogOpen(id protocol.TabID, d *Dialog) error {
	return protocol.NewError(protocol.CodeDialog, "tab "+string(id)+" shows a dialog and does nothing until it is answered ("+d.String()+")", "", protocol.AnswerDialog()...)
}
