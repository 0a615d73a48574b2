// Package agents tests Pilotfish with real agents, installed as users install
// them. Package model stands in for the hosted model behind them. The tests have
// the build tag agents and run with `make test-agents`, which installs the
// agents. `make test` needs none of it.
package agents
