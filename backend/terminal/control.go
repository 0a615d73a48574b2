package terminal

import (
	"encoding/json"
	"errors"
	"fmt"

	"pilotfish/backend/protocol"
)

// errMalformed is a message that no viewer of ours sends.
var errMalformed = errors.New("malformed message")

// errTooLarge is a message over its limit.
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
		protocol.ControlShown:
	case protocol.ControlCheckpoint:
		if len(c.Data) > protocol.MaxCheckpoint {
			return protocol.ViewerControl{}, fmt.Errorf("%w: a checkpoint of %d bytes", errTooLarge, len(c.Data))
		}
	case protocol.ControlPicture:
		if len(c.Data) > protocol.MaxPicture {
			return protocol.ViewerControl{}, fmt.Errorf("%w: a picture of %d bytes", errTooLarge, len(c.Data))
		}
	default:
		return protocol.ViewerControl{}, fmt.Errorf("%w: type %.32q", errMalformed, c.Type)
	}
	if c.Epoch < 0 {
		return protocol.ViewerControl{}, fmt.Errorf("%w: epoch %d", errMalformed, c.Epoch)
	}
	return c, nil
}

// clamp makes a size one that programs can live with. What a viewer that is not
// laid out yet sends, 0, becomes the smallest.
func clamp(cols, rows int) (int, int) {
	return min(max(cols, protocol.MinCols), protocol.MaxCols), min(max(rows, protocol.MinRows), protocol.MaxRows)
}
