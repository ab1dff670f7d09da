/** The order with an image or a trailer moved one place earlier or later. */
export function moveImage(order: string[], uid: string, by: -1 | 1): string[] {
  const from = order.indexOf(uid)
  const to = from + by
  if (from < 0 || to < 0 || to >= order.length) return order
  const moved = [...order]
  moved[from] = order[to]!
  moved[to] = uid
  return moved
}
