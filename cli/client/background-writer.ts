import type { FileHandle } from 'node:fs/promises'
import { MIB } from '../../src/core/runtime/units.ts'
import { writeAll } from './disk.ts'

/** So many bytes may wait to be written while the next ones are made. */
const MAX_WAITING_BYTES = 32 * MIB
/** A disk that gets nothing to do before the end makes everyone wait for it there. */
const SYNC_EVERY_BYTES = 32 * MIB

/**
 * Writes a file from its start while the caller makes more of it, and lets the disk store it
 * meanwhile. A failure is thrown by a later call.
 */
export class BackgroundWriter {
  private readonly file: FileHandle
  private writing: Promise<void> = Promise.resolve()
  private syncing: Promise<void> | undefined
  private position = 0
  private waiting_bytes = 0
  private unsynced_bytes = 0
  private error: unknown

  constructor(file: FileHandle) {
    this.file = file
  }

  get length(): number {
    return this.position
  }

  /** The block must not be changed after it. */
  async write(block: Buffer): Promise<void> {
    const at = this.position
    this.position += block.length
    this.waiting_bytes += block.length
    this.writing = this.writing.then(() => this.writeBlock(block, at))
    if (this.waiting_bytes > MAX_WAITING_BYTES) await this.writing
    if (this.error) throw this.error
  }

  /** Resolves when nothing is being done with the file any more. */
  async finish(): Promise<void> {
    await this.writing
    await this.syncing
    if (this.error) throw this.error
  }

  private async writeBlock(block: Buffer, at: number): Promise<void> {
    try {
      if (this.error) return
      await writeAll(this.file, block, at)
      this.unsynced_bytes += block.length
      if (this.unsynced_bytes >= SYNC_EVERY_BYTES && !this.syncing) this.startSync()
    } catch (error) {
      this.error ??= error
    } finally {
      this.waiting_bytes -= block.length
    }
  }

  private startSync(): void {
    this.unsynced_bytes = 0
    this.syncing = this.file.datasync().then(
      () => {
        this.syncing = undefined
      },
      (error) => {
        this.error ??= error
      },
    )
  }
}
