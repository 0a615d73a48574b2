package terminal

import (
	"encoding/json"
	"errors"
	"testing"

	"pilotfish/backend/protocol"
)

func FuzzDecodeControl(f *testing.F) {
	f.Add([]byte(`{"type":"attach","epoch":1,"offset":7,"cols":80,"rows":24}`))
	f.Add([]byte(`{"type":"checkpoint","data":"\u001b[0m"}`))
	f.Add([]byte(`[`))
	f.Fuzz(func(t *testing.T, frame []byte) {
		c, err := decodeControl(frame)
		if err != nil {
			if !errors.Is(err, errMalformed) && !errors.Is(err, errTooLarge) {
				t.Errorf("%q: %v", frame, err)
			}
			return
		}
		if cols, rows := clamp(c.Cols, c.Rows); cols < protocol.MinCols || cols > protocol.MaxCols || rows < protocol.MinRows || rows > protocol.MaxRows {
			t.Errorf("%q: %dx%d", frame, cols, rows)
		}
		again, err := json.Marshal(c)
		if err != nil {
			t.Fatal(err)
		}
		if d, err := decodeControl(again); err != nil || d != c {
			t.Errorf("%q becomes %+v, %v", frame, d, err)
		}
	})
}
