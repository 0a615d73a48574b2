package syntax

import (
	"fmt"
	"strings"
)

// Completion returns the completion script for a shell.
func (c Commands) Completion(shell string) string {
	switch shell {
	case "bash":
		return c.bash()
	case "zsh":
		return c.zsh()
	}
	return c.fish()
}

// visible returns the commands that are shown to users.
func (c Commands) visible() []Spec {
	var specs []Spec
	for _, s := range c.All() {
		if !s.Hidden {
			specs = append(specs, s)
		}
	}
	return specs
}

// words returns what can follow a command: its options and the choices of its
// arguments; for help, the commands.
func (c Commands) words(s Spec) []string {
	var words []string
	for _, a := range s.Args {
		if a.Flag {
			words = append(words, "--"+a.Name)
		}
		words = append(words, a.Choices...)
	}
	if s.Name == "help" {
		for _, other := range c.visible() {
			words = append(words, other.Name)
		}
	}
	return words
}

func options() []string {
	var words []string
	for _, a := range Globals() {
		words = append(words, "--"+a.Name)
	}
	return words
}

func (c Commands) bash() string {
	var b strings.Builder
	var names []string
	for _, s := range c.visible() {
		names = append(names, s.Name)
	}
	fmt.Fprintf(&b, `# bash completion for pilotfish: source <(pilotfish completion bash)
_pilotfish() {
    local word=${COMP_WORDS[COMP_CWORD]} command= i skip= words
    for ((i = 1; i < COMP_CWORD; i++)); do
        if [[ -n $skip ]]; then
            skip=
            continue
        fi
        case ${COMP_WORDS[i]} in
        --tab | --session | --timeout | --max | -t | -s) skip=1 ;;
        -*) ;;
        *)
            command=${COMP_WORDS[i]}
            break
            ;;
        esac
    done
    COMPREPLY=()
    [[ -n $skip ]] && return
    case $command in
    '') words=%q ;;
`, strings.Join(names, " "))
	for _, s := range c.visible() {
		if words := c.words(s); len(words) > 0 {
			fmt.Fprintf(&b, "    %s) words=%q ;;\n", s.Name, strings.Join(words, " "))
		}
	}
	fmt.Fprintf(&b, `    esac
    mapfile -t COMPREPLY < <(compgen -W "$words %s" -- "$word")
}
complete -o default -F _pilotfish pilotfish
`, strings.Join(options(), " "))
	return b.String()
}

func (c Commands) zsh() string {
	var b strings.Builder
	b.WriteString("#compdef pilotfish\n# zsh completion for pilotfish: source <(pilotfish completion zsh)\n_pilotfish() {\n    local -a commands\n    commands=(\n")
	for _, s := range c.visible() {
		fmt.Fprintf(&b, "        %s\n", single(s.Name+":"+s.Summary))
	}
	b.WriteString("    )\n    _arguments -C")
	for _, a := range Globals() {
		value := ""
		if a.Kind != KindBool {
			value = ":" + a.Name + ":"
		}
		help := strings.NewReplacer("[", "(", "]", ")", ":", "\\:").Replace(a.Help)
		fmt.Fprintf(&b, " \\\n        %s", single("--"+a.Name+"["+help+"]"+value))
	}
	b.WriteString(" \\\n        '1: :->command' '*:: :->argument'\n    case $state in\n    command) _describe command commands ;;\n    argument)\n        case $words[1] in\n")
	for _, s := range c.visible() {
		if words := c.words(s); len(words) > 0 {
			fmt.Fprintf(&b, "        %s) compadd -- %s ;;\n", s.Name, strings.Join(words, " "))
		}
	}
	b.WriteString("        *) _files ;;\n        esac\n        ;;\n    esac\n}\n# Sourced, or loaded from a folder of $fpath.\nif [[ $funcstack[1] = _pilotfish ]]; then\n    _pilotfish \"$@\"\nelse\n    compdef _pilotfish pilotfish\nfi\n")
	return b.String()
}

func (c Commands) fish() string {
	var b strings.Builder
	b.WriteString("# fish completion for pilotfish\n")
	for _, a := range Globals() {
		value := ""
		if a.Kind != KindBool {
			value = " -r"
		}
		fmt.Fprintf(&b, "complete -c pilotfish -l %s%s -d %s\n", a.Name, value, single(a.Help))
	}
	for _, s := range c.visible() {
		fmt.Fprintf(&b, "complete -c pilotfish -n __fish_use_subcommand -f -a %s -d %s\n", s.Name, single(s.Summary))
		seen := "'__fish_seen_subcommand_from " + s.Name + "'"
		for _, a := range s.Args {
			if a.Flag {
				fmt.Fprintf(&b, "complete -c pilotfish -n %s -l %s -d %s\n", seen, a.Name, single(a.Help))
			} else if len(a.Choices) > 0 {
				fmt.Fprintf(&b, "complete -c pilotfish -n %s -f -a %s\n", seen, single(strings.Join(a.Choices, " ")))
			}
		}
		if s.Name == "help" {
			fmt.Fprintf(&b, "complete -c pilotfish -n %s -f -a %s\n", seen, single(strings.Join(c.words(s), " ")))
		}
	}
	return b.String()
}

// single puts a word into single quotes, valid in all three shells.
func single(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }
