import type { Terminal } from '@xterm/xterm';

/** Names of renderers that draw in software, on the CPU. */
const software = /swiftshader|llvmpipe|softpipe|software|basic render|warp/i;

/**
 * Whether this machine draws WebGL with a graphics card. Without one, WebGL is
 * slower than the DOM.
 */
export function hasGraphicsCard(): boolean {
  const canvas = document.createElement('canvas');
  const gl = canvas.getContext('webgl2', { failIfMajorPerformanceCaveat: true });
  if (gl === null) return false;
  const info = gl.getExtension('WEBGL_debug_renderer_info');
  const name: unknown = info === null ? '' : gl.getParameter(info.UNMASKED_RENDERER_WEBGL);
  gl.getExtension('WEBGL_lose_context')?.loseContext();
  return typeof name === 'string' && !software.test(name);
}

/**
 * Draws a terminal with WebGL, and with the DOM again if the WebGL context is lost. Only with
 * WebGL does the cursor blink: the DOM does it with an animation, for which Chromium draws all
 * the time (an eighth of a core for an idle panel, without a graphics card).
 */
export async function useGraphicsCard(terminal: Terminal): Promise<void> {
  const { WebglAddon } = await import('@xterm/addon-webgl');
  const addon = new WebglAddon();
  addon.onContextLoss(() => {
    terminal.options.cursorBlink = false;
    addon.dispose();
  });
  terminal.loadAddon(addon);
  terminal.options.cursorBlink = true;
}
