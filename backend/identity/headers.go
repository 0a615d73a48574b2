package identity

import (
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"pilotfish/backend/journal"
	"pilotfish/backend/protocol"
)

// headersFolder is the folder of the extension that sets headers.
const headersFolder = "headers"

// writeHeaders writes an extension without code, of which the browser itself applies
// the rules: to every tab, frame and worker, and not to where a redirect leads. It
// returns its folder; "" without headers.
func writeHeaders(folder string, headers []protocol.OriginHeader) (string, error) {
	dir := filepath.Join(folder, headersFolder)
	if err := os.RemoveAll(dir); err != nil {
		return "", fmt.Errorf("removing the headers of the last start: %w", err)
	}
	if len(headers) == 0 {
		return "", nil
	}
	type change struct {
		Header    string `json:"header"`
		Operation string `json:"operation"`
		Value     string `json:"value"`
	}
	type rule struct {
		ID     int `json:"id"`
		Action struct {
			Type    string   `json:"type"`
			Headers []change `json:"requestHeaders"`
		} `json:"action"`
		Condition struct {
			Regex string   `json:"regexFilter"`
			Types []string `json:"resourceTypes"`
		} `json:"condition"`
	}
	var rules []rule
	var hosts []string
	for i, h := range headers {
		u, err := url.Parse(strings.ToLower(h.Origin))
		if err != nil {
			return "", fmt.Errorf("reading an origin: %w", err)
		}
		port, schemes := u.Port(), map[string]string{"http": "(http|ws)", "https": "(https|wss)"}
		if port == map[string]string{"http": "80", "https": "443"}[u.Scheme] {
			port = "" // addresses of the browser are without it
		}
		host := strings.TrimSuffix(u.Host, ":"+u.Port())
		if port != "" {
			host += ":" + port
		}
		r := rule{ID: i + 1}
		r.Action.Type, r.Action.Headers = "modifyHeaders", []change{{h.Name, "set", h.Value}}
		r.Condition.Regex = "^" + schemes[u.Scheme] + "://" + regexp.QuoteMeta(host) + "/"
		r.Condition.Types = []string{"main_frame", "sub_frame", "stylesheet", "script", "image", "font", "object", "xmlhttprequest", "ping", "csp_report", "media", "websocket", "other"}
		rules = append(rules, r)
		hosts = append(hosts, u.Scheme+"://"+u.Hostname()+"/*")
	}
	files := map[string]any{
		"rules.json": rules,
		"manifest.json": map[string]any{
			"manifest_version": 3, "name": "Pilotfish: headers of this session", "version": "1.0", "permissions": []string{"declarativeNetRequestWithHostAccess"}, "host_permissions": hosts,
			"declarative_net_request": map[string]any{"rule_resources": []any{map[string]any{"id": "headers", "enabled": true, "path": "rules.json"}}},
		},
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", fmt.Errorf("writing the headers: %w", err)
	}
	for name, content := range files {
		data, err := json.Marshal(content)
		if err != nil {
			return "", fmt.Errorf("writing the headers: %w", err)
		}
		if err := journal.WriteFile(filepath.Join(dir, name), data, 0o600); err != nil {
			return "", err
		}
	}
	return dir, nil
}

// checkExtensions refuses folders that are not extensions of a browser, and those that
// claim to be ours.
func checkExtensions(folders []string) error {
	for _, folder := range folders {
		data, err := os.ReadFile(filepath.Join(folder, "manifest.json"))
		var manifest struct {
			Version int    `json:"manifest_version"`
			Name    string `json:"name"`
			Key     string `json:"key"`
		}
		if err == nil {
			err = json.Unmarshal(data, &manifest)
		}
		switch {
		case err != nil:
			return protocol.NewError(protocol.CodeBadArgument, fmt.Sprintf("extensions: %s is not an extension: %v", folder, err), "name the folder that has the file manifest.json")
		case manifest.Version < 3 || manifest.Name == "":
			return protocol.NewError(protocol.CodeBadArgument, fmt.Sprintf("extensions: %s has a manifest that the browser does not load", folder), "it needs manifest_version 3 and a name")
		case manifest.Key != "" && idOfKey(manifest.Key) == protocol.ExtensionID:
			return protocol.NewError(protocol.CodeBadArgument, fmt.Sprintf("extensions: %s claims to be Pilotfish's own extension", folder), "remove it")
		}
	}
	return nil
}
