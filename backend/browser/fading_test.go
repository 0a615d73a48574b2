package browser

import (
	"testing"

	"pilotfish/backend/protocol"
)

// An element that covers the target and is fading out is waited for; one that
// stays causes a refusal, however it is animated.
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

// A library removes its overlay when the slowest part of it has faded; until then
// the overlay is invisible but still there.
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
