package browser

import (
	"testing"

	"pilotfish/backend/protocol"
)

// TestWhatFadesIsWaitedFor: what covers an element and is on its way out is no
// reason to refuse; what stays is, however it moves.
func TestWhatFadesIsWaitedFor(t *testing.T) {
	s := stageOf(t, `<style>
			.over { position: fixed; inset: 0; background: #0003 }
			.going { opacity: 0; transition: opacity 300ms }
			.stays { animation: pulse 1s infinite }
			@keyframes pulse { to { opacity: .5 } }
		</style>
		<button onclick="this.textContent = 'Pressed'">Press</button><div class=over></div>
		<script>
			const over = document.querySelector('.over')
			const go = () => { over.className = 'over going'; over.ontransitionend = () => setTimeout(() => over.remove()) }
		</script>`)
	s.eval(t, "over.className = 'over stays'")
	s.refused(t, click("text=Press"), protocol.CodeCovered)
	s.eval(t, "over.className = 'over'")
	s.refused(t, click("text=Press"), protocol.CodeCovered)
	s.eval(t, "go()")
	s.act(t, click("text=Press"))
	if got := s.eval(t, "document.querySelector('button').textContent"); got != "Pressed" {
		t.Errorf("the button says %q", got)
	}
}

// TestWhatHasFadedIsWaitedFor: a library takes its cover away when the slowest part
// of it has faded, and nobody sees it until then.
func TestWhatHasFadedIsWaitedFor(t *testing.T) {
	s := stageOf(t, `<button onclick="this.textContent = 'Pressed'">Press</button>
		<div id=over style="position: fixed; inset: 0; opacity: 0"></div>
		<script>
			const go = () => { let frames = 8; const on = () => { if (--frames > 0) requestAnimationFrame(on); else over.remove() }; on() }
		</script>`)
	s.refused(t, click("text=Press"), protocol.CodeCovered)
	s.eval(t, "go()")
	s.act(t, click("text=Press"))
	if got := s.eval(t, "document.querySelector('button').textContent"); got != "Pressed" {
		t.Errorf("the button says %q", got)
	}
}
