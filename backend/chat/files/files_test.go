package files_test

import (
	"encoding/base64"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pilotfish/backend/chat/files"
	"pilotfish/backend/protocol"
)

func TestAttachmentsAreKept(t *testing.T) {
	root := t.TempDir()
	store := files.Store{Root: root, Dir: filepath.Join(root, "attachments", "c1")}
	kept, err := store.Keep([]protocol.ChatAttachment{
		{Kind: protocol.AttachImage, Name: "../../a\npicture.png", Mime: "image/png", Data: base64.StdEncoding.EncodeToString([]byte("bytes"))},
		{Kind: protocol.AttachElement, Name: "Save", Ref: "e3", Data: "x", Path: "../../secret"},
	})
	if err != nil {
		t.Fatal(err)
	}
	picture, element := kept[0], kept[1]
	if picture.Data != "" || picture.Name != "../../a picture.png" || !strings.HasPrefix(picture.Path, "attachments/c1/") || !strings.HasSuffix(picture.Path, ".png") {
		t.Errorf("the picture is %+v", picture)
	}
	if data, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(picture.Path))); err != nil || string(data) != "bytes" {
		t.Errorf("the file has %q, %v", data, err)
	}
	if element.Data != "" || element.Path != "" || element.Ref != "e3" {
		t.Errorf("the element is %+v", element)
	}
}

func TestAttachmentsAreRefused(t *testing.T) {
	store := files.Store{Root: t.TempDir()}
	store.Dir = filepath.Join(store.Root, "c1")
	for name, list := range map[string][]protocol.ChatAttachment{
		"too many":       make([]protocol.ChatAttachment, 11),
		"no base64":      {{Kind: protocol.AttachFile, Data: "?"}},
		"no bytes":       {{Kind: protocol.AttachFile}},
		"no such kind":   {{Kind: "spell"}},
		"larger than it": {{Kind: protocol.AttachFile, Data: base64.StdEncoding.EncodeToString(make([]byte, protocol.MaxAttachment+1))}},
	} {
		if _, err := store.Keep(list); err == nil {
			t.Errorf("%s: it was kept", name)
		}
	}
	if _, err := os.Stat(store.Dir); err == nil {
		t.Error("what was refused left files behind")
	}
}

// An agent's name for a file is not used as a path, and does not choose the
// program that opens it.
func TestNamesOfFiles(t *testing.T) {
	root := t.TempDir()
	store := files.Store{Root: root, Dir: filepath.Join(root, "files")}
	for name, want := range map[string]string{"notes.MD": ".md", "../x": ".bin", "a.b c": ".bin", "archive.tar.gz": ".gz"} {
		path, err := store.Save(name, "application/x-nothing", []byte("x"))
		if err != nil || filepath.Ext(path) != want || filepath.Dir(filepath.FromSlash(path)) != "files" {
			t.Errorf("%s is kept as %s, %v", name, path, err)
		}
	}
}
