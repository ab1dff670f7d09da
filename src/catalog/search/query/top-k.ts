/**
 * The k best entries, in a bounded heap whose root is the worst of them. `tie` compares the slots
 * of equal keys; a negative result means that the first is better.
 */
export type TopK = {
  n: number
  capacity: number
  keys: Float64Array
  slots: Uint32Array
  scores: Uint16Array
  tie: (a: number, b: number) => number
}

/** Lower slots are newer, and the newer of two equal listings comes first. */
export const bySlot = (a: number, b: number) => a - b

export function createTopK(capacity: number, tie = bySlot): TopK {
  return {
    n: 0,
    capacity,
    keys: new Float64Array(capacity),
    slots: new Uint32Array(capacity),
    scores: new Uint16Array(capacity),
    tie,
  }
}

const isWorse = ({ keys, slots, tie }: TopK, a: number, b: number) =>
  keys[a]! < keys[b]! || (keys[a] === keys[b] && tie(slots[a]!, slots[b]!) > 0)

function swap({ keys, slots, scores }: TopK, a: number, b: number) {
  const key = keys[a]!
  const slot = slots[a]!
  const score = scores[a]!
  keys[a] = keys[b]!
  slots[a] = slots[b]!
  scores[a] = scores[b]!
  keys[b] = key
  slots[b] = slot
  scores[b] = score
}

function writeEntry(
  { keys, slots, scores }: TopK,
  at: number,
  key: number,
  slot: number,
  score: number,
) {
  keys[at] = key
  slots[at] = slot
  scores[at] = score
}

export function offer(top: TopK, key: number, slot: number, score: number) {
  if (top.n < top.capacity) {
    let at = top.n++
    writeEntry(top, at, key, slot, score)
    while (at > 0 && isWorse(top, at, (at - 1) >> 1)) {
      swap(top, at, (at - 1) >> 1)
      at = (at - 1) >> 1
    }
    return
  }
  const root = top.keys[0]!
  if (key < root || (key === root && top.tie(slot, top.slots[0]!) > 0)) return
  writeEntry(top, 0, key, slot, score)
  siftDown(top, top.n)
}

function siftDown(top: TopK, n: number) {
  for (let at = 0; ; ) {
    let worst = at
    const left = 2 * at + 1
    if (left < n && isWorse(top, left, worst)) worst = left
    if (left + 1 < n && isWorse(top, left + 1, worst)) worst = left + 1
    if (worst === at) return
    swap(top, at, worst)
    at = worst
  }
}

/** Sorts the heap in place, best first. */
export function sortBestFirst(top: TopK): TopK {
  for (let n = top.n - 1; n > 0; n--) {
    swap(top, 0, n)
    siftDown(top, n)
  }
  return top
}
