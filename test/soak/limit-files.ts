import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'

/** Lets a process open only a few more files than it has open now, until `lift` is called. */
export function limitFilesOf(pid: number, spare: number): { open: number; lift: () => void } {
  const limits = readFileSync(`/proc/${pid}/limits`, 'utf8')
  const [, soft, hard] = /^Max open files\s+(\d+)\s+(\d+)/m.exec(limits)!
  const set = (files: number | string) =>
    execFileSync('prlimit', ['--pid', String(pid), `--nofile=${files}:${hard}`])
  const open = new Set(readdirSync(`/proc/${pid}/fd`).map(Number))
  // The limit is the first descriptor that may not be used, and some below may be free.
  let files = 0
  for (let free = 0; free < spare || open.has(files); files++) if (!open.has(files)) free++
  set(files)
  return { open: open.size, lift: () => void set(soft!) }
}
