package agent

// registered returns the agents of the ACP registry
// (github.com/agentclientprotocol/registry, entries of February to October 2026) that
// are not among the tested ones, with the arguments of the registry. They ship with the
// app, because nothing is fetched that the user did not ask for. A distribution by npx is
// installed with npm, one by uvx with uv, and a binary with its makers' script;
// an archive without a script is not here, and neither is a program whose name
// is that of a well-known other one.
//
// In November 2026 these were installed with their command, and started: each
// answered the protocol's initialize and, without an account, session/new with its
// sign-in: cline 3.0.65, auggie 0.36.0, droid 0.215.0, kilo 7.7.7 (it has models
// without an account), grok 1.0.41, qoder 1.1.52. The others were compared with the
// registry's entry and their makers' page, and never started: cursor, amp, junie,
// vibe, codebuddy, stakpak, fast-agent, dirac, minion-code.
//
// TestDifferencesToTheRegistry prints how the catalogue differs from a registry.json.
func registered() []Entry {
	return []Entry{
		{
			Kind: "cursor", Name: "Cursor", Program: "cursor-agent",
			Install: "curl https://cursor.com/install -fsS | bash", URL: "https://cursor.com/docs/cli/acp",
			Chat:     acp("cursor-agent", "acp"),
			SignIn:   "run `cursor-agent login` in a terminal",
			SignedIn: []string{"~/.config/cursor/auth.json"}, Keys: []string{"CURSOR_API_KEY"},
		},
		{
			Kind: "cline", Name: "Cline", Program: "cline",
			Install: "npm install -g cline@latest", URL: "https://cline.bot/cli",
			Chat:   acp("cline", "--acp"),
			SignIn: "run `cline auth` in a terminal",
		},
		{
			Kind: "amp", Name: "Amp", Program: "amp",
			Install: "curl -fsSL https://ampcode.com/install.sh | bash", URL: "https://ampcode.com",
			// A text editor has the same name.
			NotThis: "amp 0.",
			Chat:    []ChatWay{{Driver: DriverACP, Program: "amp-acp", Install: "npm install -g amp-acp@latest"}},
			SignIn:  "run `amp login` in a terminal",
			Keys:    []string{"AMP_API_KEY"},
		},
		{
			Kind: "auggie", Name: "Auggie", Program: "auggie",
			Install: "npm install -g @augmentcode/auggie@latest", URL: "https://www.augmentcode.com",
			Chat:     acp("auggie", "--acp"),
			SignIn:   "run `auggie login` in a terminal",
			SignedIn: []string{"~/.augment/session.json"}, Keys: []string{"AUGMENT_SESSION_AUTH"},
		},
		{
			Kind: "droid", Name: "Factory Droid", Program: "droid",
			Install: "npm install -g droid@latest", URL: "https://factory.ai/product/cli",
			Chat:   acp("droid", "exec", "--output-format", "acp-daemon"),
			SignIn: "start droid in a terminal and type /login",
			Keys:   []string{"FACTORY_API_KEY"},
		},
		{
			Kind: "kilo", Name: "Kilo", Program: "kilo",
			Install: "npm install -g @kilocode/cli@latest", URL: "https://kilo.ai",
			Chat:   acp("kilo", "acp"),
			SignIn: "run `kilo auth login` in a terminal",
		},
		{
			Kind: "junie", Name: "Junie", Program: "junie",
			Install: "curl -fsSL https://junie.jetbrains.com/install.sh | bash", URL: "https://junie.jetbrains.com",
			Chat:   acp("junie", "--acp=true"),
			SignIn: "start junie in a terminal and type /account",
			Keys:   []string{"JUNIE_API_KEY"},
		},
		{
			Kind: "vibe", Name: "Mistral Vibe", Program: "vibe",
			Install: "curl -LsSf https://mistral.ai/vibe/install.sh | bash", URL: "https://mistral.ai/products/vibe",
			Chat:     []ChatWay{{Driver: DriverACP, Program: "vibe-acp", Install: "curl -LsSf https://mistral.ai/vibe/install.sh | bash"}}, // comes with it
			SignIn:   "run `vibe --setup` in a terminal",
			SignedIn: []string{"~/.vibe/.env"}, Keys: []string{"MISTRAL_API_KEY"},
		},
		{
			Kind: "grok", Name: "Grok Build", Program: "grok",
			Install: "npm install -g @xai-official/grok@latest", URL: "https://x.ai/cli",
			Chat:   acp("grok", "agent", "stdio"),
			SignIn: "start grok in a terminal and sign in",
			Keys:   []string{"XAI_API_KEY"},
		},
		{
			Kind: "qoder", Name: "Qoder CLI", Program: "qodercli",
			Install: "npm install -g @qoder-ai/qodercli@latest", URL: "https://qoder.com/cli",
			Chat:   acp("qodercli", "--acp"),
			SignIn: "start qodercli in a terminal and type /login",
		},
		{
			Kind: "codebuddy", Name: "CodeBuddy Code", Program: "codebuddy",
			Install: "npm install -g @tencent-ai/codebuddy-code@latest", URL: "https://www.codebuddy.cn/cli/",
			Chat:   acp("codebuddy", "--acp"),
			SignIn: "start codebuddy in a terminal and type /login",
		},
		{
			Kind: "stakpak", Name: "Stakpak", Program: "stakpak",
			Install: "curl -sSL https://stakpak.dev/install.sh | sh", URL: "https://github.com/stakpak/agent",
			Chat:   acp("stakpak", "acp"),
			SignIn: "run `stakpak auth login` in a terminal",
		},
		{
			Kind: "fast-agent", Name: "fast-agent", Program: "fast-agent",
			Install: "uv tool install fast-agent-mcp", URL: "https://fast-agent.ai",
			Chat:   []ChatWay{{Driver: DriverACP, Program: "fast-agent-acp", Args: []string{"-x"}, Install: "uv tool install fast-agent-acp"}},
			SignIn: "run `fast-agent setup` in a terminal",
		},
		{
			Kind: "dirac", Name: "Dirac", Program: "dirac",
			Install: "npm install -g dirac-cli@latest", URL: "https://dirac.run",
			Chat:   acp("dirac", "--acp"),
			SignIn: "run `dirac auth` in a terminal",
		},
		{
			Kind: "minion-code", Name: "Minion Code", Program: "minion-code",
			Install: "uv tool install minion-code", URL: "https://github.com/femto/minion-code",
			Chat:   acp("minion-code", "acp"),
			SignIn: "start minion-code in a terminal and choose a model",
		},
	}
}

// acp is the one way into Chat of an agent whose program speaks the protocol
// itself.
func acp(program string, args ...string) []ChatWay {
	return []ChatWay{{Driver: DriverACP, Program: program, Args: args}}
}
