(width, height) => {
	// Runs in our isolated world of a recorded page. It draws the frames of a film: a
	// screenshot, the pointer on it, and what was done as a title below.
	const canvas = new OffscreenCanvas(width, height);
	const pen = canvas.getContext('2d');
	let picture;
	const pointer = ({ x, y, down }) => {
		if (x < 0) return;
		pen.save();
		pen.translate(x * width, y * height);
		if (down) {
			pen.beginPath();
			pen.arc(0, 0, 18, 0, 7);
			pen.fillStyle = '#e5484d55';
			pen.fill();
			pen.lineWidth = 2;
			pen.strokeStyle = '#e5484d';
			pen.stroke();
		}
		pen.beginPath();
		for (const [px, py] of [[0, 0], [0, 17], [4.5, 13], [7.5, 20], [10.5, 18.8], [7.6, 12], [13, 12]]) pen.lineTo(px, py);
		pen.closePath();
		pen.fillStyle = '#111';
		pen.strokeStyle = '#fff';
		pen.lineWidth = 3;
		pen.lineJoin = 'round';
		pen.stroke();
		pen.fill();
		pen.restore();
	};
	const caption = (title) => {
		if (title === '') return;
		const size = Math.max(13, Math.round(height / 34));
		pen.font = `600 ${size}px system-ui, sans-serif`;
		pen.textBaseline = 'middle';
		const wide = Math.min(width - 24, pen.measureText(title).width + size * 1.6);
		const left = (width - wide) / 2;
		const top = height - size * 3.2;
		pen.beginPath();
		pen.roundRect(left, top, wide, size * 2, size * 0.5);
		pen.fillStyle = '#111d';
		pen.fill();
		pen.fillStyle = '#fff';
		pen.fillText(title, left + size * 0.8, top + size, wide - size * 1.6);
	};
	globalThis.pilotfishDraw = async (jpeg, scene) => {
		if (jpeg !== '') {
			const bytes = Uint8Array.from(atob(jpeg), (c) => c.charCodeAt(0));
			picture = await createImageBitmap(new Blob([bytes], { type: 'image/jpeg' }));
		}
		pen.fillStyle = '#fff';
		pen.fillRect(0, 0, width, height);
		// A window that was resized meanwhile is fitted in.
		const scale = Math.min(width / picture.width, height / picture.height);
		pen.drawImage(picture, 0, 0, picture.width * scale, picture.height * scale);
		pointer(scene);
		caption(scene.title);
		const blob = await canvas.convertToBlob({ type: 'image/webp', quality: 0.7 });
		const out = new Uint8Array(await blob.arrayBuffer());
		let text = '';
		for (let at = 0; at < out.length; at += 32768) text += String.fromCharCode(...out.subarray(at, at + 32768));
		return btoa(text);
	};
	return true;
}
