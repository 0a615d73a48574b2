// The functions that the backend calls in a frame, each in one round trip. This script runs after the page script
// (extension/src/page) in the same isolated world: the page can neither see nor change it. Every answer is JSON
// with the next free ref number.
globalThis.pilotfishDo ??= (() => {
  const page = globalThis.pilotfishPage;
  const user = globalThis.pilotfishHold; // hold.js
  let guard;

  // From the press on, the pointer must hit the intended target. If the target has moved away in between, the
  // element that is there gets no event, and the caller learns what the pointer hit.
  const presses = 'pointerdown mousedown pointerup mouseup click auxclick dblclick contextmenu'.split(' ');
  const guards = {
    press: presses,
    // A listener that may prevent these events makes the browser repaint the whole page when it is added and when
    // it is removed.
    touch: [...presses, 'touchstart', 'touchend'],
    hover: 'pointerover pointerenter pointermove mouseover mouseenter mousemove'.split(' '),
  };
  // A press is judged once. For a hover the pointermove decides: before it, the browser reports the elements that
  // move under the pointer at its previous position.
  const decides = ({ type }) => {
    if (guard.types !== guards.hover) return guard.ok === undefined && type.endsWith('down');
    if (guard.moved) return false;
    guard.moved = type === 'pointermove';
    return true;
  };
  const check = (event) => {
    if (!guard || !event.isTrusted) return;
    if (decides(event)) {
      const at = { x: event.clientX, y: event.clientY };
      const met = page.at(at.x, at.y);
      guard.ok = met !== null && guard.accepts(met, at);
      guard.late = performance.now() - guard.since;
      if (!guard.ok) guard.met = met ? page.words(met) : 'nothing';
    }
    if (guard.ok !== false) return;
    event.preventDefault();
    event.stopImmediatePropagation();
  };
  // Changes of the page are watched from a task that runs once the answer is on its way, long before the input
  // arrives. If the input is faster, watching begins before its first event is handled.
  const earliest = ['pointerover', 'pointermove', 'pointerdown'];
  let pending = false;
  const begin = () => {
    if (!pending) return;
    cancel();
    page.watch();
  };
  const cancel = () => {
    pending = false;
    for (const type of earliest) removeEventListener(type, begin, { capture: true });
  };
  const soon = () => {
    pending = true;
    for (const type of earliest) addEventListener(type, begin, { capture: true, passive: true });
    scheduler.postTask(begin, { priority: 'user-blocking' });
  };

  // Waits for the last event of an input. The listener is added before the input, because the settle call may
  // arrive after that event. It waits one task longer, for the rest of the event and the tasks that it queues:
  // the click after its mouseup, and the form that the click submits.
  let arrival;
  let arrived = () => {};
  const expect = ({ type, count }) => {
    arrived();
    arrival = new Promise((done) => {
      const seen = (event) => {
        if (event.isTrusted && --count === 0) scheduler.postTask(end, { priority: 'user-blocking' });
      };
      const end = () => {
        removeEventListener(type, seen, { capture: true });
        if (arrived === end) arrived = () => {};
        done();
      };
      arrived = end;
      addEventListener(type, seen, { capture: true, passive: true });
    });
  };

  // Waits until a checkbox or switch is as wanted: a page may ask its server before it turns it.
  const turned = async (ref, wanted) => {
    const until = performance.now() + 1000;
    while (![wanted, 'gone'].includes(page.checked(ref)) && performance.now() < until) {
      await new Promise((next) => setTimeout(next, 20));
    }
  };

  // The browser's own context menu is a window that takes the keyboard, and only the user can operate it. The
  // page's own menu still opens.
  let acting = false;
  let unseen = false;
  const noMenu = (event) => {
    if ((acting || unseen) && event.isTrusted) event.preventDefault();
    unseen = false;
  };
  addEventListener('contextmenu', noMenu);

  const arm = (accepts, kind, opaque = false) => {
    disarm();
    const types = guards[kind];
    guard = { accepts, types, opaque, since: performance.now() };
    for (const type of types) addEventListener(type, check, { capture: true, passive: false });
  };
  const disarm = () => {
    const was = guard;
    guard = undefined;
    if (was) for (const type of was.types) removeEventListener(type, check, { capture: true });
    return was && { ok: was.ok, met: was.met, late: was.late, opaque: was.opaque };
  };

  // Returns the element that a target means, or the answer that says why it is not exactly one.
  const find = (target, want) => {
    const found = page.find(target, want);
    if (found.state === 'one') return { spot: found.spot };
    return found.state === 'lost' ? { other: { reached: found.now } } : { other: { located: found } };
  };

  // The dragged element, the element to drop it on, and whether the pointer has hit that.
  let drop;
  const carries = ['pointermove', 'dragenter', 'dragover'];
  const carried = (event) => {
    if (event.isTrusted && event.composedPath().includes(drop?.to.el)) drop.met = true;
  };
  const carry = (from, to, at) => {
    put();
    drop = { from, to, at, met: false };
    for (const type of carries) addEventListener(type, carried, { capture: true, passive: true });
  };
  const put = () => {
    drop = undefined;
    for (const type of carries) removeEventListener(type, carried, { capture: true });
  };

  // Whether the page has captured the pointer.
  let captured = false;
  for (const type of ['gotpointercapture', 'lostpointercapture'])
    addEventListener(type, (event) => (captured = event.type.startsWith('got')), { capture: true, passive: true });
  let passing;

  // A native drag from here to another process.
  let dragEnded = true;
  for (const type of ['dragstart', 'dragend'])
    addEventListener(type, (event) => (dragEnded = event.type === 'dragend'), { capture: true, passive: true });
  let dropEffect;
  const absorb = (event) => {
    if (dropEffect === undefined) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    event.dataTransfer.dropEffect = dropEffect;
  };
  // They are there before those of the page.
  for (const type of ['dragenter', 'dragover', 'dragleave', 'drop']) addEventListener(type, absorb, { capture: true });

  // The last event of a drag over the page. What the page makes of it is known after all its listeners.
  let over;
  const land = (event) => {
    if (event.isTrusted) over = event;
  };
  const setWhole = (el) =>
    el?.localName === 'select' || /^(date|time|datetime-local|month|week|color|range)$/.test(el?.type);

  const commands = {
    look(options) {
      const shot = page.snapshot(options);
      if (options.caller === 'room elements') page.marks.know(shot.items ?? []);
      return { ...shot, url: location.href, title: document.title };
    },
    /** Points at an element for the user; false when it is gone. */
    point: ({ ref, scroll }) => page.marks.point(ref, scroll),
    unmark: ({ on }) => page.marks.veil(on),
    count: () => page.count(),
    more: ({ handle, max }) => page.more(handle, max) ?? null,
    locate: ({ target, want }) => page.locate(target, want),
    refOf: ({ el }) => page.refOf(el),
    /** Finds and reaches a target and begins to watch: everything that comes before the input. */
    async aim({ target, watch, guard: kind, last, offset, again, moving, lead }) {
      const { spot, other } = find(target);
      if (other) return other;
      if (offset) spot.offset = { x: offset[0], y: offset[1] };
      const reached = await page.reach(spot, { again, moving, lead });
      if (reached.state !== 'ok') return { reached };
      acting = true;
      page.marks.pass();
      if (watch) soon();
      if (last) expect(last);
      // Events inside a frame or a player are not visible here.
      const opaque = /^(i?frame|video|audio|object|embed)$/.test(spot.el.localName);
      if (kind) arm((met, at) => page.accepts(spot, met, at), kind, opaque);
      return { reached };
    },
    /** Like aim, for targets that need no point: fields, lists, files. */
    take({ target, watch, enabled, facts, want = 'field' }) {
      const { spot, other } = find(target, want);
      if (other) return other;
      const now = page.resolve(spot);
      const passes = ['ok', 'covered', 'off-screen'];
      if (!enabled) passes.push('hidden', 'disabled');
      if (!passes.includes(now.state)) return { reached: now };
      if (watch) page.watch();
      const reached = { ...now, state: 'ok', ref: spot.ref, line: now.line };
      return facts ? { reached, facts: page.facts({ ref: spot.ref }) } : { reached };
    },
    watch: () => page.watch(),
    /** Catches keys until free: until the keyboard focus is known to be back where the user had it. */
    hold() {
      user.holding = true;
    },
    free() {
      user.holding = false;
    },
    /** After the input: what it changed, and whether the pointer hit the target. */
    async settle({ ref, expected, wanted, coming, frames }) {
      begin();
      if (coming) await arrival;
      put();
      if (wanted && guard?.ok) await turned(ref, wanted);
      const change = await page.settled(frames);
      acting = false;
      const out = { change, guard: disarm(), url: location.href, title: document.title, closing: top.closed };
      if (self === top) out.opener = opener !== null;
      if (ref !== undefined) Object.assign(out, { value: page.value(ref, expected), checked: page.checked(ref) });
      return out;
    },
    /** Ends the wait for the input's last event: the browser has acknowledged the input. */
    arrived: () => arrived(),
    disarm() {
      user.holding = acting = false;
      cancel();
      put();
      arrived();
      return disarm() ?? null;
    },
    /**
     * Finds a field and fills, chooses or focuses it without a pointer. A field that is set as a whole only gets the
     * focus at first: where the page opens a dialog then, nothing was set.
     */
    set({ target, what, value, wanted, last, focused }) {
      const out = commands.take({ target, watch: false, enabled: what !== 'focus' });
      if (out.reached?.state !== 'ok') return out;
      const { ref } = out.reached;
      const field = page.element(ref);
      page.watch();
      if (/fill|choose/.test(what) && setWhole(field) && !focused && page.focused() !== field) {
        page.focus(ref);
        out.filled = { state: 'again' };
        return out;
      }
      if (last) expect(last);
      if (what === 'fill') out.filled = page.fill(ref, value);
      else if (what === 'choose') out.filled = page.choose(ref, wanted, true);
      else {
        const took = page.focus(ref);
        out.filled = took ? { state: 'ok', value: '' } : { state: 'refused', code: 'other_kind', why: 'takes no focus' };
        const el = page.element(ref);
        // Typing continues at the end of the text.
        if (took && what === 'type') {
          const text = typeof el.selectionStart === 'number';
          if (text) el.setSelectionRange(el.value.length, el.value.length);
          else if (el.isContentEditable) getSelection().selectAllChildren(el), getSelection().collapseToEnd();
          // An address or a number has no selection that a script can see.
          out.filled.text = text || el.isContentEditable || /^(email|number)$/.test(el.type);
        }
      }
      return out;
    },
    /** Reaches both ends of a drag, so that scrolling to one does not move the other. */
    async drag({ target, to, guard: kind }) {
      const ends = [find(target), find(to)];
      for (const { other } of ends) if (other) return other;
      let from, end;
      for (let i = 0; i < 3; i++) {
        end = await page.reach(ends[1].spot);
        if (end.state !== 'ok') return { reached: end };
        from = await page.reach(ends[0].spot);
        if (from.state !== 'ok') return { reached: from };
        if (!from.scrolled) break;
      }
      page.watch();
      page.marks.pass();
      arm((met, at) => page.accepts(ends[0].spot, met, at), kind);
      carry(ends[0].spot, ends[1].spot, end.point);
      return { reached: from, to: end };
    },
    /** Reaches the end of a drag that begins in another frame. */
    async dropAt({ target }) {
      const { spot, other } = find(target);
      if (other) return other;
      const reached = await page.reach(spot);
      if (reached.state !== 'ok') return { reached };
      page.watch();
      page.marks.pass();
      carry(undefined, spot, reached.point);
      return { reached };
    },
    captured: () => captured,
    /** Lets the pointer pass over the frames in this document. */
    async pass({ on }) {
      document.adoptedStyleSheets = document.adoptedStyleSheets.filter((sheet) => sheet !== passing);
      if (!on) return;
      passing ??= new CSSStyleSheet();
      passing.replaceSync('iframe, frame, object, embed { pointer-events: none !important; }');
      document.adoptedStyleSheets.push(passing);
      // The browser finds frames of other processes by what was drawn last.
      for (let i = 0; i < 2; i++) await new Promise((next) => requestAnimationFrame(next));
    },
    /** Whether a drag that began here has ended. If not, its page will not see the drop that ends it. */
    leave({ effect }) {
      if (!dragEnded) dropEffect = effect;
      return dragEnded;
    },
    left() {
      dropEffect = undefined;
    },
    /** The current point where the drag ends: a page may make room during a drag. */
    async heading() {
      if (!drop) return null;
      await scheduler.postTask(() => 0, { priority: 'background' });
      const end = await page.reach(drop.to);
      page.marks.pass();
      if (end.state === 'ok') drop.at = end.point;
      return drop.at;
    },
    /** Empty when the dragged element is over its drop target; otherwise what is there instead. */
    over() {
      if (!drop || drop.met) return '';
      const { x, y } = drop.at;
      const met = page.at(x, y);
      // An element that follows the pointer lies over everything.
      if (met === null || drop.from?.el.contains(met)) return '';
      if ([met, ...document.elementsFromPoint(x, y)].some((el) => page.accepts(drop.to, el, drop.at))) return '';
      return page.words(met);
    },
    at({ x, y, watch, last }) {
      const hit = page.hit(x, y);
      acting = true;
      page.marks.pass();
      if (watch) page.watch();
      if (last) expect(last);
      return hit ?? null;
    },
    /** Converts a child frame's point to this frame, and scrolls until a pointer there hits the child frame. */
    async outer({ ref, x, y, scrolled, guard: kind, watch }) {
      page.marks.pass();
      const point = await page.reachFrame(ref, { x, y }, scrolled);
      if (point.by !== undefined) return point;
      // Events inside the frame are not visible here, so any event that is visible missed the frame.
      if (kind) arm(() => false, kind);
      if (watch) page.watch();
      return point;
    },
    resolve: ({ ref }) => page.resolve(ref),
    fill: ({ ref, value }) => page.fill(ref, value),
    conceal: ({ ref }) => page.conceal(ref),
    choose: ({ ref, wanted }) => page.choose(ref, wanted),
    checked: ({ ref }) => ({ state: page.checked(ref), grouped: page.grouped(ref) }),
    value: ({ ref, expected }) => page.value(ref, expected) ?? null,
    focus: ({ ref }) => page.focus(ref),
    scroll: ({ ref, dx, dy }) => page.scroll(ref, dx, dy) ?? null,
    wait: (what) => page.waitFor(what),
    /** Whether an element is a file field, and if not, whether it looks as if a click did something. */
    uploads({ ref }) {
      const el = page.element(ref);
      const input = el?.localName === 'label' ? el.control : el;
      return { field: input?.localName === 'input' && input.type === 'file', clickable: page.clickable(ref) };
    },
    /** Begins to see whether the page takes what is dragged over it. */
    land() {
      over = undefined;
      addEventListener('dragover', land, { capture: true, passive: true });
    },
    /** What land has seen; if it has seen nothing, a little later. */
    async landed() {
      if (!over) await new Promise((next) => setTimeout(next, 50));
      removeEventListener('dragover', land, { capture: true });
      if (!over) return { seen: false };
      return { seen: true, taken: over.defaultPrevented, effect: over.dataTransfer.dropEffect };
    },
    facts: (target) => page.facts(target) ?? null,
    /** The next context menu is for a user who would not see the browser's own. */
    unseen() {
      unseen = true;
    },
    // The list of a select, or a picker, in a live view.
    opened: () => page.lists.open(),
    closed: () => page.lists.closed(),
    listed: () => page.lists.now() ?? null,
    pick: ({ picked, press }) => page.lists.pick(picked, press),
    setPicker: ({ value }) => page.lists.set(value),
    // The overlay of a page that a task works on.
    lift: (expected) => page.mask.lift(expected),
    veil: ({ on }) => page.mask.veil(on),
    url: () => ({ url: location.href, origin: self.origin, hidden: document.hidden }),
  };

  return async (name, prefix, base, caller, args) => {
    page.configure({ prefix, base, caller });
    try {
      const value = await commands[name](args);
      return JSON.stringify({ value, next: page.next() });
    } catch (error) {
      return JSON.stringify({ error: { name: String(error?.name), message: String(error?.message) }, next: page.next() });
    }
  };
})();
