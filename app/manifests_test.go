package main_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"pilotfish/backend/config"
	"pilotfish/backend/protocol"
)

// manifest is what these tests read of a manifest of Kubernetes. `make test-image` checks
// manifests against the types of Kubernetes; this checks them against our own code.
type manifest struct {
	Kind       string
	StringData map[string]string `yaml:"stringData"`
	Spec       struct {
		Template struct {
			Spec struct {
				SecurityContext struct {
					RunAsUser int `yaml:"runAsUser"`
					FSGroup   int `yaml:"fsGroup"`
				} `yaml:"securityContext"`
				Containers []container
			}
		}
	}
}

type container struct {
	Args []string
	Env  []struct {
		Name      string
		ValueFrom struct {
			SecretKeyRef struct{ Key string } `yaml:"secretKeyRef"`
		} `yaml:"valueFrom"`
	}
	VolumeMounts []struct {
		MountPath string `yaml:"mountPath"`
	} `yaml:"volumeMounts"`
}

// The manifests for Kubernetes name the variables, settings, user, folders and command of
// the image and of the programs.
func TestManifestsNameWhatIsThere(t *testing.T) {
	image, err := os.ReadFile("../build/image/Containerfile")
	if err != nil {
		t.Fatal(err)
	}
	line := func(word string) string {
		found := regexp.MustCompile(`(?m)^` + word + ` (.+)$`).FindSubmatch(image)
		if found == nil {
			t.Fatalf("the Containerfile has no %s", word)
		}
		return string(found[1])
	}
	user, cmd, volume := line("USER"), line("CMD"), line("VOLUME")
	text, err := os.ReadFile("../build/kubernetes/pilotfish.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var stored map[string]string
	for documents := yaml.NewDecoder(bytes.NewReader(text)); ; {
		var m manifest
		err := documents.Decode(&m)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if m.Kind == "Secret" {
			stored = m.StringData
			continue
		}
		pod := m.Spec.Template.Spec
		if got := fmt.Sprintf("%d:%d", pod.SecurityContext.RunAsUser, pod.SecurityContext.FSGroup); got != user {
			t.Errorf("the pod runs as %s, the image as %s", got, user)
		}
		if len(pod.Containers) != 1 {
			t.Fatalf("%d containers", len(pod.Containers))
		}
		c := pod.Containers[0]
		if got := fmt.Sprintf("%q", c.Args); got != strings.ReplaceAll(cmd, ",", "") {
			t.Errorf("the pod runs %s, the image %s", got, cmd)
		}
		var folders []string
		for _, mount := range c.VolumeMounts {
			folders = append(folders, mount.MountPath)
		}
		if !slices.Contains(folders, volume) {
			t.Errorf("%s of the image is no volume: %v", volume, folders)
		}
		for _, variable := range c.Env {
			if variable.Name != protocol.EnvNotify {
				t.Errorf("no program reads %s", variable.Name)
			}
			if _, has := stored[variable.ValueFrom.SecretKeyRef.Key]; !has {
				t.Errorf("the Secret lacks %q", variable.ValueFrom.SecretKeyRef.Key)
			}
		}
	}
	// The settings as they are, and with the session that a comment proposes.
	session := regexp.MustCompile(`(?m)^  #   (.+)$`).FindAllSubmatch(text, -1)
	if len(session) != 3 {
		t.Fatalf("%d lines of a session in a comment", len(session))
	}
	settings := stored["settings.toml"]
	for _, more := range session {
		settings += string(more[1]) + "\n"
	}
	file := filepath.Join(t.TempDir(), "settings.toml")
	if err := os.WriteFile(file, []byte(settings), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, problem, err := config.Read(file); err != nil || problem != nil {
		t.Errorf("settings.toml: %v, %v", problem, err)
	}
}
