package session

import (
	"cmp"
	"context"
	"slices"

	"pilotfish/backend/confine"
	"pilotfish/backend/desktop"
	"pilotfish/backend/protocol"
	"pilotfish/backend/toolservers"
	"pilotfish/backend/toolservers/client"
	"pilotfish/backend/toolservers/credentials"
)

// newOffer returns what offers the user's own MCP servers in a session.
func newOffer(s *Session) *toolservers.Offer {
	dirs := s.m.cfg.Dirs
	keeper := credentials.New(dirs.ServerSecretsFile(), desktop.KeyringRuns)
	return toolservers.NewOffer(toolservers.NewStore(dirs.ServersFile(), keeper), s.log)
}

// newServerTools returns what uses the user's own MCP servers for tasks.
func newServerTools(s *Session, workDir string) *client.Client {
	return client.New(client.Config{
		Offer: s.offer, User: s.approvals.Broker(), Mask: s.m.secrets.Mask, Version: s.m.cfg.Version, Logger: s.plainLog(),
		Launch: func(ctx context.Context, server toolservers.Server) (client.Launch, error) {
			// A stranger's program, as an agent of the user's own choice is.
			folders, err := s.confinement(ctx, protocol.AgentCustom, false)
			if err != nil {
				return client.Launch{}, err
			}
			path, env := s.m.agents.Program(ctx, server.Command)
			for _, name := range server.Variables() {
				env = append(env, name+"="+server.Env[name])
			}
			// Its token opens nothing: it serves no conversation. A process of the server that
			// takes the token of the command line is known by it.
			_, token, end := s.tokens.Process(server.Name, folders != nil)
			env = append(slices.Clip(env), protocol.EnvToken+"="+token.Reveal())
			dir := cmp.Or(s.m.cfg.Settings.Get().WorkDir, workDir)
			return client.Launch{
				Program: confine.Program{Path: path, Args: server.Args, Env: env, Dir: dir},
				Folders: folders, Keeper: s.m.cfg.Program, Guard: s.m.guard(), End: end,
			}, nil
		},
	})
}
