/** The best of many in a bounded heap, whose root is the worst one kept. Equal keys are settled by `tie`, below zero if the first is better. */
export type TopK = {
  n: number
  most: number
  keys: Float64Array
  slots: Uint32Array
  scores: Uint16Array
  tie: (a: number, b: number) => number
}

/** Slots are given in their order, the newest first, so that of equals the one already here is the better. */
export const bySlot = (a: number, b: number) => a - b

export function createTopK(most: number, tie = bySlot): TopK {
  return {
    n: 0,
    most,
    keys: new Float64Array(most),
    slots: new Uint32Array(most),
    scores: new Uint16Array(most),
    tie,
  }
}

const worse = ({ keys, slots, tie }: TopK, a: number, b: number) =>
  keys[a]! < keys[b]! || (keys[a] === keys[b] && tie(slots[a]!, slots[b]!) > 0)

function swap({ keys, slots, scores }: TopK, a: number, b: number) {
  const [key, slot, score] = [keys[a]!, slots[a]!, scores[a]!]
  keys[a] = keys[b]!
  slots[a] = slots[b]!
  scores[a] = scores[b]!
  keys[b] = key
  slots[b] = slot
  scores[b] = score
}

function put({ keys, slots, scores }: TopK, at: number, key: number, slot: number, score: number) {
  keys[at] = key
  slots[at] = slot
  scores[at] = score
}

export function offer(top: TopK, key: number, slot: number, score: number) {
  if (top.n < top.most) {
    let at = top.n++
    put(top, at, key, slot, score)
    while (at > 0 && worse(top, at, (at - 1) >> 1)) {
      swap(top, at, (at - 1) >> 1)
      at = (at - 1) >> 1
    }
    return
  }
  const root = top.keys[0]!
  if (key < root || (key === root && top.tie(slot, top.slots[0]!) > 0)) return
  put(top, 0, key, slot, score)
  sink(top, top.n)
}

function sink(top: TopK, n: number) {
  for (let at = 0; ; ) {
    let worst = at
    const left = 2 * at + 1
    if (left < n && worse(top, left, worst)) worst = left
    if (left + 1 < n && worse(top, left + 1, worst)) worst = left + 1
    if (worst === at) return
    swap(top, at, worst)
    at = worst
  }
}

/** Best first, in place. */
export function sortBestFirst(top: TopK): TopK {
  for (let n = top.n - 1; n > 0; n--) {
    swap(top, 0, n)
    sink(top, n)
  }
  return top
}
