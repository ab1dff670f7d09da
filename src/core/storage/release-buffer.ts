/**
 * Gives the memory of bytes back at once. The collector goes by the objects on its heap, which are few where large buffers pass through: left to it,
 * much of a stream is in memory at once, and it looks through the whole heap again and again to find that out. Nobody may use the bytes after.
 */
export function releaseBuffer({ buffer, byteLength }: Uint8Array): void {
  // A part of something larger is not ours to free.
  if (buffer instanceof ArrayBuffer && buffer.byteLength === byteLength) buffer.transfer(0)
}
