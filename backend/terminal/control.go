package terminal

import (
	"encoding/json"
	"errors"
	"fmt"

	"pilotfish/backend/protocol"
)

// errMalformed is returned for a message that our viewers never send.
var errMalformed = errors.New("malformed message")

// errTooLarge is returned for a message over its size limit.
var errTooLarge = errors.New("message too large")

// decodeControl reads a viewer's text frame. The error wraps errMalformed or
// errTooLarge.
func decodeControl(frame []byte) (protocol.ViewerControl, error) {
	var c protocol.ViewerControl
	if err := json.Unmarshal(frame, &c); err != nil {
		return protocol.ViewerControl{}, fmt.Errorf("%w: %w", errMalformed, err)
	}
	switch c.Type {
	case protocol.ControlAttach, protocol.ControlResize, protocol.ControlAck, protocol.ControlPing,
		protocol.ControlShown, protocol.ControlSeen:
	case protocol.ControlCheckpoint:
		if len(c.Data) > protocol.MaxCheckpoint {
			return protocol.ViewerControl{}, fmt.Errorf("%w: a checkpoint of %d bytes", errTooLarge, len(c.Data))
		}
	default:
		return protocol.ViewerControl{}, fmt.Errorf("%w: type %.32q", errMalformed, c.Type)
	}
	if c.Epoch < 0 {
		return protocol.ViewerControl{}, fmt.Errorf("%w: epoch %d", errMalformed, c.Epoch)
	}
	return c, nil
}

// clamp limits a size to one that programs can handle. A viewer without a layout
// sends 0, which becomes the minimum.
func clamp(cols, rows int) (int, int) {
	return min(max(cols, protocol.MinCols), protocol.MaxCols), min(max(rows, protocol.MinRows), protocol.MaxRows)
}
