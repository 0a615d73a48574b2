import { FrameHeader } from '$ui/protocol/protocol';

/** One binary frame of output. */
export interface Frame {
  /** Where its first byte stands in the epoch's stream. */
  readonly offset: number;
  readonly data: Uint8Array;
}

/**
 * Splits a binary frame; undefined when it is too short, or when its offset is
 * beyond what a number holds exactly (9 PB: not a terminal).
 */
export function parseFrame(frame: ArrayBuffer): Frame | undefined {
  if (frame.byteLength < FrameHeader) return undefined;
  const offset = new DataView(frame).getBigUint64(0);
  if (offset > BigInt(Number.MAX_SAFE_INTEGER)) return undefined;
  return { offset: Number(offset), data: new Uint8Array(frame, FrameHeader) };
}
