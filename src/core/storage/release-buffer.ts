/**
 * Frees the memory of a buffer at once; nobody may use the bytes afterwards. The garbage collector
 * goes by the objects on its heap, which are few where large buffers pass through. Without this
 * much of a stream stays in memory, and the collector scans the whole heap again and again.
 */
export function releaseBuffer({ buffer, byteLength }: Uint8Array): void {
  // A view of a larger buffer must not free it.
  if (buffer instanceof ArrayBuffer && buffer.byteLength === byteLength) buffer.transfer(0)
}
