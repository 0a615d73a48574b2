package chromium

import "testing"

func TestInstallCommandOfADistribution(t *testing.T) {
	for release, want := range map[string]string{
		"NAME=\"Debian GNU/Linux\"\nID=debian\n":                  "sudo apt install chromium",
		"ID=ubuntu\nID_LIKE=debian\n":                             "sudo snap install chromium",
		"ID=linuxmint\nID_LIKE=\"ubuntu debian\"\n":               "sudo snap install chromium",
		"ID=\"opensuse-tumbleweed\"\nID_LIKE=\"opensuse suse\"\n": "sudo zypper install chromium",
		"ID=fedora\n":                     "sudo dnf install chromium",
		"ID=manjaro\nID_LIKE=arch\n":      "sudo pacman -S chromium",
		"ID='nixos'\n":                    "nix profile install nixpkgs#chromium",
		"ID=ours\nnonsense\n\nID_LIKE=\n": "",
		"":                                "",
	} {
		if got := installCommand(release); got != want {
			t.Errorf("%q: %q, want %q", release, got, want)
		}
	}
}
