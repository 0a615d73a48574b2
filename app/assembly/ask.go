package assembly

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"

	"pilotfish/backend/protocol"
)

// post sends a request to the running app.
func post(ctx context.Context, endpoint protocol.Endpoint, action protocol.AppRequest) error {
	body, err := json.Marshal(action)
	if err != nil {
		return fmt.Errorf("encoding the request: %w", err)
	}
	ctx, cancel := context.WithTimeout(ctx, protocol.HookTimeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, fmt.Sprintf("http://127.0.0.1:%d/app", endpoint.Port), bytes.NewReader(body))
	if err != nil {
		return fmt.Errorf("making the request: %w", err)
	}
	req.Header.Set("Authorization", "Bearer "+endpoint.Token)
	req.Header.Set("Content-Type", "application/json")
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return fmt.Errorf("asking the app that runs: %w", err)
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK {
		return fmt.Errorf("asking the app that runs: it answered %s", res.Status)
	}
	return nil
}
