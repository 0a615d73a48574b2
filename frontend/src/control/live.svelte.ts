import * as v from 'valibot';
import {
  LiveHeader,
  type LiveDialog,
  type LiveFrame,
  type LiveInput,
  type LiveList,
  type LivePicker,
} from '$ui/protocol/protocol';
import { liveFrameSchema } from '$ui/protocol/schemas/control';

/** The close code of a socket whose tab is not there any more. */
const gone = 4404;
/** How long a view waits before it connects again, in milliseconds: first, and at most. */
const [firstWait, longestWait] = [200, 5000];
/** How many CSS pixels a wheel turns when it counts lines, or pages. */
const [linePixels, pagePixels] = [16, 400];

/** The size of pictures changes in steps of so many pixels, and has at most so many for a CSS pixel. */
const [sizeStep, sharpest] = [100, 2];

/** The keys that are held down, as LiveInput numbers them. */
const modifiers = (event: MouseEvent | KeyboardEvent): number =>
  (event.altKey ? 1 : 0) |
  (event.ctrlKey ? 2 : 0) |
  (event.metaKey ? 4 : 0) |
  (event.shiftKey ? 8 : 0);

/** Says that a picture was drawn or left out: the next one is sent then. */
function acknowledge(socket: WebSocket, picture: ArrayBuffer): void {
  const seq = new DataView(picture).getUint32(0);
  if (socket.readyState === WebSocket.OPEN) socket.send(JSON.stringify({ type: 'ack', seq }));
}

/** Draws the pictures of a live view, and sends what the user does on them. */
export class LiveSocket {
  /** Whether a picture was drawn and the socket is open. */
  connected = $state(false);
  /** Whether the tab is not there any more. */
  gone = $state(false);
  /** The dialog that the page shows; it does nothing until one is answered. */
  dialog = $state.raw<LiveDialog>();
  /** Whether the page asks for a file. */
  file = $state(false);
  /** The list of a select that the user has opened. */
  #list = $state.raw<LiveList>();
  /** The picker of a date, a time or a colour that the user has opened. */
  #picker = $state.raw<LivePicker>();
  /** Whether a button is down: a list that is shown meanwhile would get its release. */
  #held = $state(false);

  /** What the socket was asked for by fit. */
  #size = { width: 0, height: 0 };

  readonly #canvas: HTMLCanvasElement;
  readonly #open: () => WebSocket;
  #socket: WebSocket;
  #closed = false;
  #wait = firstWait;
  /** The move that the next frame of the screen sends: a mouse reports more than can be seen. */
  #move: LiveInput | undefined;
  #asked = 0;

  constructor(canvas: HTMLCanvasElement, open: () => WebSocket) {
    this.#canvas = canvas;
    this.#open = open;
    this.#socket = this.#connect();
  }

  /** The list to show. */
  get list(): LiveList | undefined {
    return this.#held || this.dialog ? undefined : this.#list;
  }

  /** Chooses an option of the list by its index; without a value, closes it. */
  pick(picked?: number): void {
    if (!this.#list) return;
    const { seq } = this.#list;
    this.#list = undefined;
    this.#send(picked !== undefined ? { type: 'pick', seq, picked } : { type: 'shut', seq });
  }

  /** The picker to show. */
  get picker(): LivePicker | undefined {
    return this.#held || this.dialog ? undefined : this.#picker;
  }

  /** Gives the field of the picker a value; without one, closes the picker. */
  set(text?: string): void {
    if (!this.#picker) return;
    const { seq } = this.#picker;
    this.#picker = undefined;
    this.#send(text !== undefined ? { type: 'set', seq, text } : { type: 'shut', seq });
  }

  /** Asks for pictures that are no larger than an area in CSS pixels: small ones come earlier. */
  fit(width: number, height: number): void {
    const pixels = (css: number) =>
      Math.ceil((css * Math.min(devicePixelRatio, sharpest)) / sizeStep) * sizeStep;
    const size = { width: pixels(width), height: pixels(height) };
    if (size.width === this.#size.width && size.height === this.#size.height) return;
    this.#size = size;
    this.#send({ type: 'fit', ...size });
  }

  close(): void {
    this.#closed = true;
    cancelAnimationFrame(this.#asked);
    this.#socket.close();
  }

  #connect(): WebSocket {
    const socket = this.#open();
    socket.binaryType = 'arraybuffer';
    // The newest picture that is not drawn yet: one that is not the newest any more is left out.
    let newest: ArrayBuffer | undefined;
    let drawing = false;
    socket.onmessage = async ({ data }) => {
      if (!(data instanceof ArrayBuffer)) {
        const state = v.safeParse(v.pipe(v.string(), v.parseJson(), liveFrameSchema), data);
        if (state.success) this.#shows(state.output);
        return;
      }
      if (newest) acknowledge(socket, newest);
      newest = data;
      if (drawing) return;
      for (drawing = true; newest;) {
        const picture: ArrayBuffer = newest;
        newest = undefined;
        await this.#draw(picture);
        acknowledge(socket, picture);
      }
      drawing = false;
    };
    socket.onclose = ({ code }) => {
      this.connected = false;
      this.#size = { width: 0, height: 0 };
      this.#shows({});
      this.gone = code === gone;
      if (this.#closed || this.gone) return;
      setTimeout(() => {
        if (this.#closed) return;
        this.#wait = Math.min(this.#wait * 2, longestWait);
        this.#socket = this.#connect();
      }, this.#wait);
    };
    return socket;
  }

  #shows({ dialog, list, picker, file }: LiveFrame): void {
    this.dialog = dialog;
    this.#list = list;
    this.#picker = picker;
    this.file = file ?? false;
  }

  async #draw(data: ArrayBuffer): Promise<void> {
    try {
      const picture = await createImageBitmap(
        new Blob([data.slice(LiveHeader)], { type: 'image/jpeg' }),
      );
      if (this.#canvas.width !== picture.width) this.#canvas.width = picture.width;
      if (this.#canvas.height !== picture.height) this.#canvas.height = picture.height;
      this.#canvas.getContext('2d')?.drawImage(picture, 0, 0);
      picture.close();
      this.connected = true;
      this.#wait = firstWait;
    } catch {
      // A picture that cannot be decoded is left out; the next one is whole again.
    }
  }

  #send(input: LiveInput): void {
    // A move is sent before what follows it.
    if (this.#move && this.#move !== input) {
      const move = this.#move;
      this.#move = undefined;
      this.#send(move);
    }
    // A page with a dialog would get it after the answer.
    const takes = !this.dialog || input.type === 'release';
    if (this.connected && takes && this.#socket.readyState === WebSocket.OPEN)
      this.#socket.send(JSON.stringify(input));
  }

  /** Where in the picture, from 0 to 1, an event of the mouse is. */
  #at(event: MouseEvent): { x: number; y: number } {
    const box = this.#canvas.getBoundingClientRect();
    return {
      x: (event.clientX - box.left) / Math.max(1, box.width),
      y: (event.clientY - box.top) / Math.max(1, box.height),
    };
  }

  #mouse(type: 'move' | 'down' | 'up', event: PointerEvent, clicks = 0): LiveInput {
    return {
      type,
      ...this.#at(event),
      button: event.button,
      buttons: event.buttons,
      clicks,
      modifiers: modifiers(event),
    };
  }

  /** What the canvas listens to. leave is called when the user leaves the view by a key. */
  handlers(leave: () => void) {
    return {
      onpointermove: (event: PointerEvent) => {
        this.#move = this.#mouse('move', event);
        cancelAnimationFrame(this.#asked);
        this.#asked = requestAnimationFrame(() => {
          const move = this.#move;
          this.#move = undefined;
          if (move) this.#send(move);
        });
      },
      onpointerdown: (event: PointerEvent) => {
        if (!event.isTrusted) return;
        this.#canvas.focus();
        this.#canvas.setPointerCapture(event.pointerId);
        this.#held = true;
        this.#clicked(event);
        this.#send(this.#mouse('down', event, this.#clicks));
        event.preventDefault();
      },
      onpointerup: (event: PointerEvent) => {
        this.#send(this.#mouse('up', event, this.#clicks));
      },
      onlostpointercapture: () => {
        this.#held = false;
      },
      oncontextmenu: (event: MouseEvent) => {
        event.preventDefault();
      },
      onwheel: (event: WheelEvent) => {
        const unit = [1, linePixels, pagePixels][event.deltaMode] ?? 1;
        this.#send({
          type: 'wheel',
          ...this.#at(event),
          dx: event.deltaX * unit,
          dy: event.deltaY * unit,
          modifiers: modifiers(event),
        });
      },
      onkeydown: (event: KeyboardEvent) => {
        if (event.key === 'Escape' && event.shiftKey) {
          leave();
          event.preventDefault();
          return;
        }
        // The paste event has the text of this computer's clipboard.
        if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === 'v') return;
        if (event.isComposing || event.key === 'Process' || event.key === 'Dead') return;
        this.#send({
          type: 'key',
          key: event.key,
          code: event.code,
          repeat: event.repeat,
          modifiers: modifiers(event),
        });
        event.preventDefault();
        // The page's own shortcuts are for the tab here.
        event.stopPropagation();
      },
      onkeyup: (event: KeyboardEvent) => {
        this.#send({
          type: 'key_up',
          key: event.key,
          code: event.code,
          modifiers: modifiers(event),
        });
      },
      onpaste: (event: ClipboardEvent) => {
        const text = event.clipboardData?.getData('text/plain') ?? '';
        if (text !== '') this.#send({ type: 'text', text });
        event.preventDefault();
      },
      onblur: () => {
        this.#send({ type: 'release' });
      },
    };
  }

  #clicks = 0;
  #last = { at: -1e9, x: 0, y: 0, button: -1 };

  /** Counts the presses in a row: a pointer event does not. */
  #clicked({ timeStamp, clientX, clientY, button }: PointerEvent): void {
    const last = this.#last;
    const again =
      timeStamp - last.at < 500 &&
      button === last.button &&
      Math.hypot(clientX - last.x, clientY - last.y) < 5;
    this.#clicks = again ? (this.#clicks % 3) + 1 : 1;
    this.#last = { at: timeStamp, x: clientX, y: clientY, button };
  }
}
