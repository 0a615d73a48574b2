// What the backend asks of a frame in one round trip. It runs after the page
// script (extension/src/page) in the same isolated world: the page can neither
// see nor change it. Every answer is JSON with the next free ref number.
globalThis.pilotfishDo ??= (() => {
  const page = globalThis.pilotfishPage;
  const user = globalThis.pilotfishHold; // hold.js
  let guard;

  // From the press on, the pointer must meet what was aimed at: what was moved
  // in between gets no event, and the caller is told what was met.
  const presses = 'pointerdown mousedown pointerup mouseup click auxclick dblclick contextmenu'.split(' ');
  const guards = {
    press: presses,
    // A listener that may prevent these makes the browser paint the whole page anew,
    // when it comes and when it goes.
    touch: [...presses, 'touchstart', 'touchend'],
    hover: 'pointerover pointerenter pointermove mouseover mouseenter mousemove'.split(' '),
  };
  const check = (event) => {
    if (!guard || !event.isTrusted) return;
    if (guard.ok === undefined && (guard.types === guards.hover || event.type.endsWith('down'))) {
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
  // What the page shows before the input is taken when the answer is on its way
  // already: it is there long before the input. Were the input faster, it would be
  // taken before the first event is handled.
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

  // What waits for the last event of an input: it is listened for from before the
  // input on, because the question what came of it may get here after it. It waits
  // one task longer, for the rest of the event and what that queues: the click
  // after its mouseup, and the form that it sends.
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

  // The browser's own menu is a window that takes the keyboard, and nobody but the
  // user can do anything with it. The page's menu comes all the same.
  let acting = false;
  const noMenu = (event) => {
    if (acting && event.isTrusted) event.preventDefault();
  };
  addEventListener('contextmenu', noMenu);

  const arm = (accepts, kind) => {
    disarm();
    const types = guards[kind];
    guard = { accepts, types, since: performance.now() };
    for (const type of types) addEventListener(type, check, { capture: true, passive: false });
  };
  const disarm = () => {
    const was = guard;
    guard = undefined;
    if (was) for (const type of was.types) removeEventListener(type, check, { capture: true });
    return was && { ok: was.ok, met: was.met, late: was.late };
  };

  // What a target means, or the answer that it means no one thing.
  const find = (target, want) => {
    const found = page.find(target, want);
    if (found.state === 'one') return { spot: found.spot };
    return found.state === 'lost' ? { other: { reached: found.now } } : { other: { located: found } };
  };

  // What is dragged, and what it is to be dropped on: whether the pointer has met that.
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

  const commands = {
    look: (options) => page.snapshot(options),
    count: () => page.count(),
    more: ({ handle, max }) => page.more(handle, max) ?? null,
    locate: ({ target, want }) => page.locate(target, want),
    refOf: ({ el }) => page.refOf(el),
    /** Finds and reaches a target and begins to watch: all that comes before the input. */
    async aim({ target, watch, guard: kind, last, offset, again, lead }) {
      const { spot, other } = find(target);
      if (other) return other;
      if (offset) spot.offset = { x: offset[0], y: offset[1] };
      const reached = await page.reach(spot, { again, lead });
      if (reached.state !== 'ok') return { reached };
      acting = true;
      if (watch) soon();
      if (last) expect(last);
      // What happens inside a frame or a player is not seen from here.
      const opaque = /^(i?frame|video|audio|object|embed)$/.test(spot.el.localName);
      if (kind && !opaque) arm((met, at) => page.accepts(spot, met, at), kind);
      return { reached };
    },
    /** As aim, for what needs no point: fields, lists, files. */
    take({ target, watch, enabled, want = 'field' }) {
      const { spot, other } = find(target, want);
      if (other) return other;
      const now = page.resolve(spot);
      const passes = ['ok', 'covered', 'off-screen'];
      if (!enabled) passes.push('hidden', 'disabled');
      if (!passes.includes(now.state)) return { reached: now };
      if (watch) page.watch();
      return { reached: { ...now, state: 'ok', ref: spot.ref, line: now.line } };
    },
    watch: () => page.watch(),
    /** Until the user's keyboard is known to be back where it was. */
    hold() {
      user.holding = true;
    },
    free() {
      user.holding = false;
    },
    /** After the input: what came of it, and whether the pointer met the target. */
    async settle({ ref, expected, coming, frames }) {
      begin();
      if (coming) await arrival;
      put();
      const change = await page.settled(frames);
      acting = false;
      const out = { change, guard: disarm(), url: location.href, title: document.title };
      if (ref !== undefined) Object.assign(out, { value: page.value(ref, expected), checked: page.checked(ref) });
      return out;
    },
    /** The browser has acknowledged the input, whatever was seen of it here. */
    arrived: () => arrived(),
    disarm() {
      user.holding = acting = false;
      cancel();
      put();
      arrived();
      return disarm() ?? null;
    },
    /** Takes a field and does to it what needs no pointer. */
    set({ target, what, value, wanted, last }) {
      const out = commands.take({ target, watch: false, enabled: what !== 'focus' });
      if (out.reached?.state !== 'ok') return out;
      const { ref } = out.reached;
      page.watch();
      if (last) expect(last);
      if (what === 'fill') out.filled = page.fill(ref, value);
      else if (what === 'choose') out.filled = page.choose(ref, wanted, true);
      else {
        const took = page.focus(ref);
        out.filled = took ? { state: 'ok', value: '' } : { state: 'refused', code: 'other_kind', why: 'takes no focus' };
        const el = page.element(ref);
        // Typing goes on where the text ends.
        if (took && what === 'type') {
          if (typeof el.selectionStart === 'number') el.setSelectionRange(el.value.length, el.value.length);
          else if (el.isContentEditable) getSelection().selectAllChildren(el), getSelection().collapseToEnd();
        }
      }
      return out;
    },
    /** Both ends of a drag, neither moved by reaching the other. */
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
      arm((met, at) => page.accepts(ends[0].spot, met, at), kind);
      carry(ends[0].spot, ends[1].spot, end.point);
      return { reached: from, to: end };
    },
    /** Where a drag ends by now: a page may make room when something is dragged. */
    async heading() {
      if (!drop) return null;
      await scheduler.postTask(() => 0, { priority: 'background' });
      const end = await page.reach(drop.to);
      if (end.state === 'ok') drop.at = end.point;
      return drop.at;
    },
    /** Whether what is dragged has come to where it is to be dropped; what is there else. */
    over() {
      if (!drop || drop.met) return '';
      const { x, y } = drop.at;
      const met = page.at(x, y);
      // What follows the pointer lies over everything.
      if (met === null || drop.from.el.contains(met)) return '';
      if ([met, ...document.elementsFromPoint(x, y)].some((el) => page.accepts(drop.to, el, drop.at))) return '';
      return page.words(met);
    },
    at({ x, y, watch, last }) {
      const hit = page.hit(x, y);
      acting = true;
      if (watch) page.watch();
      if (last) expect(last);
      return hit ?? null;
    },
    /** A point of a child frame in this one, and whether the pointer meets the frame there. */
    outer({ ref, x, y, guard: kind, watch }) {
      const el = page.element(ref);
      if (!el) return { by: 'nothing: the frame is gone' };
      const at = () => {
        const rect = el.getBoundingClientRect();
        const { paddingLeft, paddingTop } = getComputedStyle(el);
        const sx = el.offsetWidth > 0 ? rect.width / el.offsetWidth : 1;
        const sy = el.offsetHeight > 0 ? rect.height / el.offsetHeight : 1;
        return {
          x: rect.left + (el.clientLeft + parseFloat(paddingLeft) + x) * sx,
          y: rect.top + (el.clientTop + parseFloat(paddingTop) + y) * sy,
        };
      };
      const inside = (p) => p.x >= 0 && p.y >= 0 && p.x < innerWidth && p.y < innerHeight;
      let point = at();
      if (!inside(point) || page.at(point.x, point.y) !== el) {
        el.scrollIntoView({ behavior: 'instant', block: 'nearest', inline: 'nearest' });
        point = at();
        if (!inside(point)) scrollBy({ left: point.x - innerWidth / 2, top: point.y - innerHeight / 2, behavior: 'instant' });
        point = at();
      }
      const met = inside(point) ? page.at(point.x, point.y) : null;
      if (met !== el) return { by: met ? page.words(met) : 'the edge of what can be seen' };
      // Events inside the frame are not seen here: any that is went astray.
      if (kind) arm(() => false, kind);
      if (watch) page.watch();
      return point;
    },
    resolve: ({ ref }) => page.resolve(ref),
    fill: ({ ref, value }) => page.fill(ref, value),
    choose: ({ ref, wanted }) => page.choose(ref, wanted),
    checked: ({ ref }) => ({ state: page.checked(ref), grouped: page.grouped(ref) }),
    value: ({ ref, expected }) => page.value(ref, expected) ?? null,
    focus: ({ ref }) => page.focus(ref),
    scroll: ({ ref, dx, dy }) => page.scroll(ref, dx, dy) ?? null,
    wait: (what) => page.waitFor(what),
    isFile: ({ ref }) => {
      const el = page.element(ref);
      const input = el?.localName === 'label' ? el.control : el;
      return input?.localName === 'input' && input.type === 'file';
    },
    facts: (target) => page.facts(target) ?? null,
    // The cover of a page that a task works on.
    lift: (expected) => page.mask.lift(expected),
    veil: ({ on }) => page.mask.veil(on),
    url: () => ({ url: location.href, hidden: document.hidden }),
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
