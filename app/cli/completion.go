package main

import (
	"context"
	"fmt"
	"strings"
)

func (p *program) completion(_ context.Context, in invocation) error {
	switch in.values["shell"] {
	case "bash":
		return p.print(p.bash())
	case "zsh":
		return p.print(p.zsh())
	}
	return p.print(p.fish())
}

// visible are the commands that a person is offered.
func (p *program) visible() []spec {
	var specs []spec
	for _, s := range p.all() {
		if !s.hidden {
			specs = append(specs, s)
		}
	}
	return specs
}

// words are what can follow a command: its options and the choices of its
// arguments; for help the commands.
func (p *program) words(s spec) []string {
	var words []string
	for _, a := range s.args {
		if a.flag {
			words = append(words, "--"+a.name)
		}
		words = append(words, a.choices...)
	}
	if s.name == "help" {
		for _, other := range p.visible() {
			words = append(words, other.name)
		}
	}
	return words
}

func options() []string {
	var words []string
	for _, a := range globals() {
		words = append(words, "--"+a.name)
	}
	return words
}

func (p *program) bash() string {
	var b strings.Builder
	var names []string
	for _, s := range p.visible() {
		names = append(names, s.name)
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
	for _, s := range p.visible() {
		if words := p.words(s); len(words) > 0 {
			fmt.Fprintf(&b, "    %s) words=%q ;;\n", s.name, strings.Join(words, " "))
		}
	}
	fmt.Fprintf(&b, `    esac
    mapfile -t COMPREPLY < <(compgen -W "$words %s" -- "$word")
}
complete -o default -F _pilotfish pilotfish
`, strings.Join(options(), " "))
	return b.String()
}

func (p *program) zsh() string {
	var b strings.Builder
	b.WriteString("#compdef pilotfish\n# zsh completion for pilotfish: source <(pilotfish completion zsh)\n_pilotfish() {\n    local -a commands\n    commands=(\n")
	for _, s := range p.visible() {
		fmt.Fprintf(&b, "        %s\n", single(s.name+":"+s.summary))
	}
	b.WriteString("    )\n    _arguments -C")
	for _, a := range globals() {
		value := ""
		if a.kind != kindBool {
			value = ":" + a.name + ":"
		}
		help := strings.NewReplacer("[", "(", "]", ")", ":", "\\:").Replace(a.help)
		fmt.Fprintf(&b, " \\\n        %s", single("--"+a.name+"["+help+"]"+value))
	}
	b.WriteString(" \\\n        '1: :->command' '*:: :->argument'\n    case $state in\n    command) _describe command commands ;;\n    argument)\n        case $words[1] in\n")
	for _, s := range p.visible() {
		if words := p.words(s); len(words) > 0 {
			fmt.Fprintf(&b, "        %s) compadd -- %s ;;\n", s.name, strings.Join(words, " "))
		}
	}
	b.WriteString("        *) _files ;;\n        esac\n        ;;\n    esac\n}\n# Sourced, or loaded from a folder of $fpath.\nif [[ $funcstack[1] = _pilotfish ]]; then\n    _pilotfish \"$@\"\nelse\n    compdef _pilotfish pilotfish\nfi\n")
	return b.String()
}

func (p *program) fish() string {
	var b strings.Builder
	b.WriteString("# fish completion for pilotfish\n")
	for _, a := range globals() {
		value := ""
		if a.kind != kindBool {
			value = " -r"
		}
		fmt.Fprintf(&b, "complete -c pilotfish -l %s%s -d %s\n", a.name, value, single(a.help))
	}
	for _, s := range p.visible() {
		fmt.Fprintf(&b, "complete -c pilotfish -n __fish_use_subcommand -f -a %s -d %s\n", s.name, single(s.summary))
		seen := "'__fish_seen_subcommand_from " + s.name + "'"
		for _, a := range s.args {
			if a.flag {
				fmt.Fprintf(&b, "complete -c pilotfish -n %s -l %s -d %s\n", seen, a.name, single(a.help))
			} else if len(a.choices) > 0 {
				fmt.Fprintf(&b, "complete -c pilotfish -n %s -f -a %s\n", seen, single(strings.Join(a.choices, " ")))
			}
		}
		if s.name == "help" {
			fmt.Fprintf(&b, "complete -c pilotfish -n %s -f -a %s\n", seen, single(strings.Join(p.words(s), " ")))
		}
	}
	return b.String()
}

// single quotes a word for all three shells.
func single(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }
