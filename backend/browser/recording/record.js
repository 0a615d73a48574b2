(() => {
	// Runs in our isolated world in every document of a recorded tab. It receives the
	// input events and reports steps; the page cannot notice it.
	const tell = (step) => { try { globalThis.pilotfishRecord(JSON.stringify(step)); } catch { /* the recording ended */ } };
	if (globalThis.pilotfishRecording) return;
	globalThis.pilotfishRecording = true;
	const only = (root, css) => { try { return root.querySelectorAll(css).length === 1; } catch { return false; } };
	const css = (e) => {
		const parts = [];
		for (let at = e; at && at.nodeType === 1; at = at.parentElement) {
			for (const name of ['id', 'data-testid', 'data-test', 'name', 'aria-label']) {
				const value = at.getAttribute(name);
				if (!value || value.length > 80) continue;
				const tag = name === 'id' ? '' : at.localName;
				const own = name === 'id' ? '#' + CSS.escape(value) : tag + '[' + name + '="' + CSS.escape(value) + '"]';
				const whole = [own, ...parts].join(' > ');
				if (only(e.getRootNode(), whole)) return whole;
			}
			const same = at.parentElement ? [...at.parentElement.children].filter((o) => o.localName === at.localName) : [at];
			parts.unshift(at.localName + (same.length > 1 ? ':nth-of-type(' + (same.indexOf(at) + 1) + ')' : ''));
			if (only(e.getRootNode(), parts.join(' > '))) return parts.join(' > ');
		}
		return parts.join(' > ');
	};
	const roles = { a: 'link', button: 'button', select: 'combobox', textarea: 'textbox', summary: 'button' };
	const role = (e) => e.getAttribute('role') ?? (e.localName === 'input'
		? { checkbox: 'checkbox', radio: 'radio', submit: 'button', button: 'button', reset: 'button', range: 'slider', search: 'searchbox' }[e.type] ?? 'textbox'
		: roles[e.localName] ?? '');
	const name = (e) => {
		const label = e.getAttribute('aria-label') ?? (e.labels?.length ? [...e.labels].map((l) => l.innerText).join(' ') : undefined)
			?? (e.localName === 'input' && ['submit', 'button', 'reset'].includes(e.type) ? e.value : undefined)
			?? (['input', 'select', 'textarea'].includes(e.localName) ? e.placeholder : e.innerText) ?? '';
		return label.replace(/\s+/g, ' ').trim().slice(0, 80);
	};
	// The same rules as in value.ts: passwords, cards, one-time codes.
	const names = /(^|[^a-z])(cvv2?|cvc2?|csc|otp|one.?time.?(code|pass)|passw(or)?d|card.?(number|num|no)|cc.?(number|num|no))([^a-z]|$)/i;
	const secret = (e) => e.type === 'password' || /cc-|one-time-code|password/.test(e.autocomplete ?? '')
		|| names.test(e.getAttribute('name') ?? '') || names.test(e.id);
	// Whether accessibility gives the element exactly the name that we use, and no
	// other one. Only then may a test find it by role and name.
	const plainly = (e) => {
		if (e.getAttribute('aria-labelledby') || e.title) return false;
		const given = e.getAttribute('role') || e.getAttribute('aria-label');
		if (given && e.localName !== 'input' || e.getAttribute('role')) return true;
		switch (e.localName) {
			case 'input': return /^(text|email|tel|url|search|checkbox|radio|submit|button|reset)$/.test(e.type) && !e.list;
			case 'select': return !e.multiple && e.size <= 1 && ![...e.labels ?? []].some((l) => l.contains(e));
			case 'textarea': return ![...e.labels ?? []].some((l) => l.contains(e));
			case 'a': case 'button': return !e.querySelector('img,svg,[aria-hidden],[aria-label],[title],[hidden]');
			default: return false;
		}
	};
	const written = (e) => e.textContent.replace(/\s+/g, ' ').trim();
	const sure = (e) => {
		const r = role(e);
		const n = name(e);
		if (!r || !n || n.length >= 80 || !plainly(e) || (/^(a|button)$/.test(e.localName) && !e.getAttribute('aria-label') && written(e) !== n)) return false;
		const low = n.toLowerCase();
		const calls = (o) => (o.getAttribute('aria-label') ?? (/^(input|select|textarea)$/.test(o.localName) ? name(o) : written(o))).toLowerCase();
		return [...document.querySelectorAll(hot)].filter((o) => role(o) === r && calls(o) === low).length === 1;
	};
	const inside = window === top ? undefined : location.href;
	const say = (what, e, extra) => tell({ do: what, css: css(e), role: role(e), name: name(e), sure: sure(e), frame: inside, ...extra });
	const target = (event) => event.composedPath()[0];
	const hot = 'a[href],button,summary,select,input,textarea,label,[role],[onclick],[tabindex]';
	// For a film: where the pointer is, at most ten times a second, and each press.
	if (globalThis.pilotfishFilmed) {
		let last = 0;
		const point = (event, down) => {
			last = event.timeStamp;
			tell({ do: 'pointer', down, top: window === top, x: event.clientX, y: event.clientY, sx: event.screenX, sy: event.screenY, w: innerWidth, h: innerHeight });
		};
		addEventListener('mousemove', (event) => { if (event.isTrusted && event.timeStamp - last >= 100) point(event, false); }, { capture: true, passive: true });
		addEventListener('mousedown', (event) => { if (event.isTrusted) point(event, true); }, { capture: true, passive: true });
	}
	const pending = new Map();
	const flush = (e) => {
		if (!pending.has(e)) return;
		pending.delete(e);
		say('fill', e, secret(e) ? { secret: true } : { value: e.isContentEditable ? e.innerText : e.value });
	};
	const flushAll = () => { for (const e of [...pending.keys()]) flush(e); };
	const texty = (e) => e.isContentEditable || e.localName === 'textarea'
		|| (e.localName === 'input' && !['checkbox', 'radio', 'submit', 'button', 'reset', 'file', 'image', 'range', 'color'].includes(e.type));
	addEventListener('click', (event) => {
		if (!event.isTrusted || !(target(event) instanceof Element)) return;
		const e = target(event).closest(hot) ?? target(event);
		if (texty(e) || e.localName === 'select' || e.localName === 'option') return;
		if (e.localName === 'input' && ['checkbox', 'radio', 'file', 'range', 'color'].includes(e.type)) return;
		if (e.localName === 'label' && e.control) return;
		flushAll();
		if (event.detail === 0 && e.matches('button,input[type=submit]') && event.pointerType === '') return; // Enter in a form
		say('click', e);
	}, true);
	for (const [type, what] of [['dblclick', 'dblclick'], ['contextmenu', 'rightclick']])
		addEventListener(type, (event) => {
			if (!event.isTrusted || !(target(event) instanceof Element)) return;
			const e = target(event).closest(hot) ?? target(event);
			if (what === 'dblclick' && (texty(e) || e.localName === 'select' || e.localName === 'input')) return; // a double click here selects a word
			flushAll();
			say(what, e);
		}, true);
	addEventListener('input', (event) => {
		const e = target(event);
		if (event.isTrusted && e instanceof Element && texty(e)) pending.set(e, true);
	}, true);
	addEventListener('change', (event) => {
		const e = target(event);
		if (!(e instanceof Element)) return;
		if (e.localName === 'select') say('select', e, { value: e.selectedOptions[0]?.label ?? e.value });
		else if (e.localName === 'input' && ['checkbox', 'radio'].includes(e.type)) say(e.checked ? 'check' : 'uncheck', e);
		else if (e.localName === 'input' && ['range', 'color'].includes(e.type)) say('fill', e, { value: e.value });
		// A page does not know the paths of the files.
		else if (e.localName === 'input' && e.type === 'file') say('upload', e, { value: [...e.files].map((f) => f.name).join(', ') });
		else { pending.set(e, true); flush(e); }
	}, true);
	addEventListener('keydown', (event) => {
		if (!event.isTrusted || !['Enter', 'Escape'].includes(event.key) || !(target(event) instanceof Element)) return;
		flushAll();
		say('press', target(event), { value: event.key });
	}, true);
	addEventListener('blur', flushAll, true);
	addEventListener('pagehide', flushAll, true);
})()
