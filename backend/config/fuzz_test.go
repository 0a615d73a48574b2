package config_test

import (
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"pilotfish/backend/config"
)

// A settings file with any content is put aside, or gives settings that can be
// saved and read again.
func FuzzSettingsFile(f *testing.F) {
	f.Add([]byte("version = 1\nfont_size = 20\nwork_dir = '/'\n"))
	f.Add([]byte("version = 1\nunknown = 1\ncdp_allow = ['a b', '']\n[chat_models.claude]\nfast = 'x'\n"))
	f.Add([]byte("version = 2"))
	f.Add([]byte("font_size = 'x'\n["))
	f.Fuzz(func(t *testing.T, content []byte) {
		path := filepath.Join(t.TempDir(), "settings.toml")
		if err := os.WriteFile(path, content, 0o600); err != nil {
			t.Fatal(err)
		}
		s, err := config.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		if p := problem(s); p != nil && !p.Unknown && !reflect.DeepEqual(s.Get(), config.Defaults()) {
			t.Errorf("%q is wrong (%+v) and in force: %+v", content, p, s.Get())
		}
		if _, err := s.Save(s.Get()); err != nil {
			return // a folder or a program in it does not exist
		}
		if again, notice, err := config.Read(path); err != nil || notice != nil || !reflect.DeepEqual(again, s.Get()) {
			t.Errorf("%q became %+v and then %+v, %v, %v", content, s.Get(), again, notice, err)
		}
	})
}
