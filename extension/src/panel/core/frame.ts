import { FrameHeader } from '$ui/protocol/protocol';

/** One binary frame of terminal output. */
export interface Frame {
  /** The offset of its first byte in the epoch's output. */
  readonly offset: number;
  readonly data: Uint8Array;
}

/**
 * Parses a binary frame. Returns undefined if it is too short, or if its offset is
 * larger than a number can hold exactly (9 PB, which no terminal reaches).
 */
export function parseFrame(frame: ArrayBuffer): Frame | undefined {
  if (frame.byteLength < FrameHeader) return undefined;
  const offset = new DataView(frame).getBigUint64(0);
  if (offset > BigInt(Number.MAX_SAFE_INTEGER)) return undefined;
  return { offset: Number(offset), data: new Uint8Array(frame, FrameHeader) };
}
