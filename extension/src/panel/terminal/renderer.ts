import type { Terminal } from '@xterm/xterm';

/** Names of renderers that paint with the processor. */
const software = /swiftshader|llvmpipe|softpipe|software|basic render|warp/i;

/** Whether this machine draws WebGL with a graphics card; without one it is slower than the DOM. */
export function hasGraphicsCard(): boolean {
  const canvas = document.createElement('canvas');
  const gl = canvas.getContext('webgl2', { failIfMajorPerformanceCaveat: true });
  if (gl === null) return false;
  const info = gl.getExtension('WEBGL_debug_renderer_info');
  const name: unknown = info === null ? '' : gl.getParameter(info.UNMASKED_RENDERER_WEBGL);
  gl.getExtension('WEBGL_lose_context')?.loseContext();
  return typeof name === 'string' && !software.test(name);
}

/** Draws a terminal with WebGL from now on; with the DOM again when the context is lost. */
export async function useGraphicsCard(terminal: Terminal): Promise<void> {
  const { WebglAddon } = await import('@xterm/addon-webgl');
  const addon = new WebglAddon();
  addon.onContextLoss(() => {
    addon.dispose();
  });
  terminal.loadAddon(addon);
}
