import { readFileSync, writeFileSync } from 'node:fs'

const BYTES_PER_KB = 1024

function memoryField(pid: number, field: string): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  return Number(new RegExp(`${field}:\\s+(\\d+)`).exec(status)![1]) * BYTES_PER_KB
}

/** The resident memory of a process at its largest so far, in bytes. */
export const peakMemory = (pid: number) => memoryField(pid, 'VmHWM')

/** The resident memory of a process now, in bytes. */
export const residentMemory = (pid: number) => memoryField(pid, 'VmRSS')

/** Returns a function that returns by how many bytes the memory of a process has grown at most. */
export function memoryGrowth(pid: number): () => number {
  // The peak is counted from now on.
  writeFileSync(`/proc/${pid}/clear_refs`, '5')
  const before = residentMemory(pid)
  return () => peakMemory(pid) - before
}
